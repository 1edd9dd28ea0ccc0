"""The zoo's suites: cells are timed and checked, what would not end is left out, the worst come first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_benchmarks import program, record

import landbridge
from benchmarks import run
from benchmarks.kinds import zoo
from benchmarks.records import read_records
from benchmarks.suites import load_suite
from benchmarks.zoo.cells import Drawn, cell, draw
from benchmarks.zoo.results import cliffs, programs_summary, results_of, summary
from benchmarks.zoo.tour import Patience, by_graph, scouts, tour, visited

FORMS = ("csr", "forest", "pairs-random", "forest-random", "stream-made-1e3", "chunks-sorted")


@pytest.fixture(autouse=True)
def bandwidth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoo, "read_bandwidth", lambda threads: 1e9)


def test_cells_are_timed_on_cpu_threads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "zoo.jsonl"
    words = ["--repeat", "1", "--peers", "scipy,numba", "--threads", "2", "--out", str(out)]
    assert run.main(["zoo", "--cells", f"uniform-half/permuted/{{{','.join(FORMS)}}}/2e3", *words]) == 0
    records = read_records([out])
    assert {record["form"] for record in records} == set(FORMS)
    assert all(record["checked"] and record["lower_bound_s"] > 0 for record in records)
    assert {record["contestant"] for record in records} == {"landbridge(auto)"}
    (others,) = (record["others"] for record in records if record["form"] == "csr")
    assert {"landbridge(auto, one thread)", "landbridge(async(halve))", "scipy"} <= set(others)
    printed = capsys.readouterr().out
    assert printed.index("Farthest above the median") < printed.index("| all | 6 | ")
    assert "| uniform-half/permuted/csr/2e3 |" in printed


AFFOREST = """
for _ in range(4):
    print("Trial Time:          0.00001")
print("There are COUNT components")
open(RUNS, "a").write(sys.argv[2] + "\\n")
"""


def test_executables_run_beside_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tmp_path / "runs"
    words = ["zoo", "--cells", "paths/natural/{csr,pairs-sorted}/2e3", "--repeat", "2", "--peers", "gapbs"]
    count = draw(cell("paths/natural/csr/2e3"), np, 1).labels.max() + 1
    for printed, ended in ((count, 0), (count + 1, 1)):
        code = AFFOREST.replace("COUNT", str(printed)).replace("RUNS", repr(str(runs)))
        monkeypatch.setenv("LANDBRIDGE_PEER_GAPBS_CC", str(program(tmp_path, f"cc{ended}", code)))
        assert run.main([*words, "--out", str(tmp_path / f"{ended}.jsonl")]) == ended
    beside = {one["form"]: "gapbs(afforest)" in one["others"] for one in read_records([tmp_path / "0.jsonl"])}
    assert beside == {"csr": True, "pairs-sorted": False}
    files = {Path(line) for line in runs.read_text().splitlines()}
    assert files and not any(file.parent.exists() for file in files)


def test_a_wrong_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Drawn, "labels", np.zeros(2000, np.int32))
    for form in FORMS:
        words = ["--repeat", "1", "--peers", "none"]
        assert run.main(["zoo", "--cells", f"path+uniform-2/natural/{form}/2e3", *words]) == 1, form
        assert "FAILED " in capsys.readouterr().err


def test_lists_are_ranked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "zoo.jsonl"
    words = ["--cells", "paths/blocks/list/3e3", "--repeat", "1", "--threads", "2", "--out", str(out)]
    assert run.main(["zoo", "--peers", "numba", *words]) == 0
    (measured,) = read_records([out])
    assert measured["plan"] and measured["lower_bound_s"] > 0
    assert {"landbridge(auto, one thread)", "landbridge(chains)"} <= set(measured["others"])
    rank_list = landbridge.rank_list

    def wrong(*arrays: Any, full: bool = False, **options: Any) -> Any:
        return rank_list(*arrays, full=True, **options) if full else rank_list(*arrays, **options)[::-1]

    monkeypatch.setattr(landbridge, "rank_list", wrong)
    assert run.main(["zoo", "--peers", "none", *words]) == 1
    assert "has a wrong rank" in capsys.readouterr().err


def test_contestants_that_would_not_end_are_left_out() -> None:
    patience = Patience(limit=3.0)
    sizes = [cell(f"path/permuted/csr/{size}") for size in ("1e4", "1e5", "1e6", "1e7")]
    assert patience.has_for(sizes[3], "new")
    for one, seconds in zip(sizes[:2], (0.004, 0.04), strict=True):
        patience.learn(one, "linear", seconds)
    assert patience.foreseen(sizes[2], "linear") == pytest.approx(0.4)
    assert not patience.has_for(sizes[3], "linear")
    for one, seconds in zip(sizes[:2], (0.004, 0.4), strict=True):
        patience.learn(one, "quadratic", seconds)
    assert patience.foreseen(sizes[2], "quadratic") == pytest.approx(40)
    patience.gave_up(sizes[0], "failing")
    assert not patience.has_for(sizes[1], "failing")
    assert [one.size for one in scouts(sizes[3])] == ["1e4", "1e5"]
    assert scouts(sizes[0]) == []


def test_an_auto_that_would_not_end_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Patience, "has_for", lambda self, of, name: name != "landbridge(auto)")
    words = ["--repeat", "1", "--peers", "none"]
    assert run.main(["zoo", "--cells", "path/natural/csr/2e3", *words]) == 1
    assert "path/natural/csr/2e3: landbridge(auto) is left out" in capsys.readouterr().err


def test_a_tour_goes_by_size_and_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = ["{path,pairs,star-last}/{natural,permuted}/{csr,pairs-random}/{1e3,2e3}"]
    suite = load_suite("zoo", {"cells": cells})
    drawings = list(tour(suite, np))
    assert [drawn.cell.size for drawn, _ in drawings] == ["1e3"] * 6 + ["2e3"] * 6
    assert all(len(of_graph) == 2 for _, of_graph in drawings)
    assert [drawn.cell for drawn, _ in tour(load_suite("zoo", {"cells": cells, "seconds": 0.0}), np)] == []
    few = load_suite("zoo", {"cells": cells, "sample": 5})
    assert len(visited(few)) == 5
    assert sum(map(len, by_graph(visited(few), 1).values())) == 5


def of_cell(structure: str, median: float, **others: float) -> dict[str, Any]:
    graph = f"{structure}/permuted/1e6"
    return record("landbridge(auto)", graph, median, suite="zoo", kind="zoo", form="csr", others=others)


def test_the_worst_cells_come_first() -> None:
    records = [
        of_cell("path", 1.0, **{"landbridge(async(halve))": 0.25, "numba": 0.5}),
        of_cell("ladder", 8.0),
        of_cell("pairs", 1.0, numba=2.0),
    ]
    results = results_of(records)
    assert cliffs(results)["ladder/permuted/csr/1e6"] == 8
    assert {result.name.partition("/")[0]: result.over_best for result in results} == {
        "path": 4,
        "ladder": 1,
        "pairs": 1,
    }
    text = summary(records)
    first = text.splitlines()[4]
    assert first.startswith("| ladder/permuted/csr/1e6 | 8000.000 | 4000000.000 | 8.00 |")
    assert "| `` | `async(halve)` |" in text
    assert "| numba | 2 | 1.00 | 0.50 | 1 |" in text
    beside = programs_summary(records)
    assert "| numba | 2 | 1.00 | 0.50 | 1 |" in beside
    assert "| path/permuted/csr/1e6 | 1000.000 | 0.50 | numba | `` |" in beside
    assert "ladder" not in beside
    assert programs_summary(records[1:2]) == ""
    assert "| csr 1e6 | 3 | 500000.000 | 1.59 | 4.00 | 1 | 8.00 |" in text
    assert text.endswith("1.00 in geometric mean over 2 cells, 0.50 at least.")
    assert summary([]) == ""
