"""Pages are rendered from records, every block once, and are what the committed results give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_benchmarks import RECORDS, gpu_record, record

from benchmarks import report
from benchmarks.kinds.gpu_counters import COUNTERS
from benchmarks.records import read_records

CLAIM = {"claim": "it helps", "verdict": "holds", "says": "it runs 4x as fast", "unit": "ratio"}


def of_suite(suite: str, records: list[dict[str, Any]], **more: Any) -> list[dict[str, Any]]:
    return [{**line, "suite": suite, "kind": suite, **more} for line in records]


def records_on_processors() -> list[dict[str, Any]]:
    streams = [
        ("inserts", "landbridge(auto)", 0.01),
        ("inserts", "numba(loop)", 0.04),
        ("prefix", "landbridge(auto)", 0.02),
        ("prefix", "scipy(DisjointSet)", 0.5),
        ("1:0, 10^2", "landbridge(auto)", 0.1),
    ]
    forests = [
        ("csr", "landbridge(components)", 0.02),
        ("csr", "landbridge(forest)", 0.01),
        ("pairs", "landbridge(components)", 0.02),
        ("pairs", "landbridge(forest)", 0.03),
        ("", "scipy(minimum)", 0.5),
    ]
    plans = [line for line in RECORDS if line["contestant"][0] == "l"]
    plans += [record("landbridge(a)", "grid", 0.5), record("landbridge(a)", "road", 4.0)]
    memory = {"form": "csr", "bar": 4200.0, "estimate": 5000.0, "unit": "B"}
    door = [
        record("base", "", 0.1, form="frames 0", what="text / numbers"),
        record("landbridge", "", 0.11, form="frames 0", what="text / numbers", bar=1.2),
    ]
    size = {"graph": {"name": "pairs 100", "m": 100, "n": 50, "held": 80}, "peak": 1e8, "start": 3.0}
    cluster = [
        record("landbridge, one process", "", 0.1, shuffled=None) | size,
        record("landbridge.spark", "", 0.3, shuffled=1000) | size,
    ]
    importing = [record("numpy", "", 0.1), record("landbridge(import)", "", 0.05, bar=0.1)]
    return [
        *RECORDS,
        *(line for suite in ("end_to_end", "files", "streaming", "threads") for line in of_suite(suite, RECORDS)),
        *of_suite("threads", RECORDS, threads=1, median=8.0),
        *of_suite("incremental", [record(name, "grid", median, form=form) for form, name, median in streams]),
        *of_suite("forest", [record(name, "grid", median, form=form) for form, name, median in forests]),
        *of_suite("plans", plans),
        *of_suite("memory", [record("landbridge(auto)", "grid", 4200.0, **memory)]),
        *of_suite("import", importing),
        *of_suite("door", door),
        *of_suite("splink", door),
        *of_suite("cluster", cluster),
    ]


def records_of_claims_and_lists() -> list[dict[str, Any]]:
    records = []
    for suite, engine in (("papers", "cpu"), ("papers_gpu", "gpu"), ("ranking", "cpu"), ("ranking_gpu", "gpu")):
        claim = "A1" if suite.startswith("papers") else "D1"
        records += of_suite(suite, [record(claim, "", 0.0, engine=engine, **CLAIM)])
    for suite in ("ranking", "ranking_gpu"):
        names = ("landbridge(auto)", "landbridge(serial)")
        records += of_suite(suite, [record(name, "random 2^4", 0.5, lower_bound_s=0.25) for name in names])
    return records


def records_on_gpus() -> list[dict[str, Any]]:
    bound = {"lower_bound_s": 1e-5}
    option = {"form": "reads", "base": "rem_cas"}
    batch = {"operations": 1_000_000, "auto": True}
    return [
        gpu_record("gpu", 0.02, "hb(2)+rem_cas", auto=True, **bound),
        gpu_record("gpu", 0.01, "bfscc", **bound),
        gpu_record("gpu", 0.5, auto=True, timing="wall", form="Graph"),
        gpu_record("gpu_calls", 0.1, auto=True, timing="wall", form="pair of arrays"),
        gpu_record("gpu_analogues", 0.06, "bfscc", auto=True, **bound),
        gpu_record("gpu_ablations", 0.02, "rem_cas", option="", **option),
        gpu_record("gpu_ablations", 0.05, "rem_cas@gpu", option="reads=fresh", **option),
        gpu_record("gpu_peers", 0.02, auto=True),
        gpu_record("gpu_peers", 0.06, contestant="ecl_cc_gpu", timing="reported"),
        gpu_record("gpu_forests", 0.1, "jtb", auto=True, form="forest"),
        gpu_record("gpu_forests", 0.08, "jtb", auto=True, form="components"),
        gpu_record("gpu_pairs", 0.02, form="sorted", auto=True, **bound),
        gpu_record("gpu_counters", 0.02, form="00 start", timing="device", **dict.fromkeys(COUNTERS, 0.5)),
        gpu_record("gpu_streams", 0.02, form="sorted", timing="device", **batch),
        gpu_record("gpu_streams", 0.04, form="sorted", timing="wall", **batch),
        gpu_record("gpu_streams", 0.5, form="inserts, 10^3", **batch),
        gpu_record("gpu_streams", 1.0, form="inserts, 10^3", timing="wall", **batch),
        gpu_record("gpu_transfer", 10.0, contestant="int32 to device", bytes=500_000_000, threads=16),
    ]


def page(folder: Path) -> Path:
    path = folder / "page.md"
    blocks = "\n\n".join(f"<!-- begin {name} -->\nold\n<!-- end {name} -->" for name in report.RENDERERS)
    path.write_text(f"# Title\n\n{blocks}\n")
    return path


SHOWN = (
    "| grid | peer one | 0.50 | 1.00 | 2.00 | 0.25 |",
    "geometric mean over the graphs: **1.00**",
    "| grid | landbridge(auto) | 8.00 | 1.90 | 1.90 |",
    "| grid | landbridge(a) | 2.00 | 1.00 |",
    "| grid | csr | landbridge(auto) | 4.2 | 2.1 | 1.00 | 0.84 |",
    "takes 0.50 times as long as `import numpy`",
    "A processor, 2 cores",
    "| `bfscc` | 1.00 | 1.00 |",
    "| int32 to device | 50.0 | 10.00 |",
    "| grid | Graph | 0.500 |",
    "| text / numbers | 1.10 | 1.10 | 1.2 |",
    "| A1 | it helps | CPU threads | **holds** | it runs 4x as fast |",
    "Published figures on an NVIDIA H100",
)


@pytest.mark.long
def test_every_block_renders(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    results = tmp_path / "results.jsonl"
    records = [*records_on_processors(), *records_of_claims_and_lists(), *records_on_gpus(), *records_of_the_zoo()]
    results.write_text("".join(json.dumps(line) + "\n" for line in records))
    path = page(tmp_path)
    words = [str(results), "--page", str(path)]
    assert report.main(words) == 0
    text = path.read_text()
    assert "\nold\n" not in text
    assert report.NOTHING not in text
    assert [shown for shown in SHOWN if shown not in text] == []
    picture = (tmp_path / "images" / "cpu.svg").read_bytes()
    assert report.main([*words, "--check"]) == 0
    assert report.main(words) == 0
    assert (tmp_path / "images" / "cpu.svg").read_bytes() == picture
    path.write_text(text.replace("0.50", "0.40", 1))
    assert report.main([*words, "--check"]) == 1


def records_of_parts() -> list[dict[str, Any]]:
    def pairs(m: int) -> dict[str, Any]:
        return {"graph": {"name": f"spread m={m}", "n": 10, "m": m}}

    shared = {"spans": [[[0.0, 0.1]], [[0.0, 0.2]]], "shares": [["gpu 0", 40], ["gpu 1", 60]]}
    records = [
        record("1 gpu", "", 1.0, form="spread") | pairs(400),
        record("1 gpu", "", 0.25, form="spread") | pairs(100),
        record("2 gpus", "", 0.5, form="spread") | pairs(100) | shared,
        record("merge by bitmap", "", 0.125, form="merge") | pairs(50),
    ]
    return of_suite("parts", records)


def records_of_the_zoo() -> list[dict[str, Any]]:
    more: dict[str, Any] = {"form": "csr", "others": {"landbridge(async(halve))": 0.5, "numba": 2.0}}
    suites = ("zoo", "zoo_grid", "zoo_large", "zoo_programs", "zoo_gpu")
    zoo = [record("landbridge(auto)", "path/natural/1e6", 1.0, suite=suite, kind="zoo", **more) for suite in suites]
    return zoo + records_of_parts()


def test_tables_render_without_a_drawing_library(tmp_path: Path) -> None:
    records = [*records_on_processors(), *records_of_claims_and_lists(), *records_on_gpus(), *records_of_the_zoo()]
    text = "\n".join(
        report.RENDERERS[name](records, tmp_path) for name in report.RENDERERS if not name.endswith("plot")
    )
    assert report.NOTHING not in text
    assert [shown for shown in SHOWN if shown not in text] == []


def test_without_results_the_page_says_so(tmp_path: Path) -> None:
    path = page(tmp_path)
    path.write_text(report.render(path.read_text(), [], tmp_path))
    assert path.read_text().count(report.NOTHING) == len(report.RENDERERS)


def test_the_pages_have_every_block_once() -> None:
    blocks = [match["name"] for path in report.pages() for match in report.BLOCK.finditer(path.read_text())]
    assert sorted(blocks) == sorted(report.RENDERERS)


def test_the_pages_are_what_the_results_give() -> None:
    pytest.importorskip("matplotlib")
    assert report.main(["--check"]) == 0


def test_the_tables_of_the_pages_are_what_the_results_give(tmp_path: Path) -> None:
    records = report.latest(read_records(sorted(report.RESULTS.rglob("*.jsonl"))))
    for path in report.pages():
        for match in report.BLOCK.finditer(path.read_text()):
            if not match["name"].endswith("plot"):
                text = report.RENDERERS[match["name"]](records, tmp_path)
                assert match[0] == f"<!-- begin {match['name']} -->\n{text}\n<!-- end {match['name']} -->"


def test_a_smoke_run_renders(smoke: tuple[Path, str], tmp_path: Path) -> None:
    records = [{**line, "suite": "end_to_end"} for line in read_records([smoke[0]])]
    text = report.render("<!-- begin end to end -->\n<!-- end end to end -->", records, tmp_path)
    assert "With 2 threads:" in text
    assert "| small_grid |" in text
