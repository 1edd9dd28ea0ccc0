"""The kinds that measure in a process of their own, files, forests and the way in, on the small path."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import cases, run
from benchmarks.kinds import KINDS, cluster, door, memory, streaming
from benchmarks.records import read_records
from benchmarks.sink import Sink
from benchmarks.suites import load_suite
from benchmarks.worker import Runner
from peers.base import Case, PeerFailed


class TestFreshProcesses:
    def test_plans_and_auto_are_compared(self, small_graphs: None, capsys: pytest.CaptureFixture[str]) -> None:
        plans = ["auto", "async(naive)", "rem_cas(naive,split_one)"]
        words = [word for plan in plans for word in ("--plan", plan)]
        assert run.main(["plans", "--only", "grid", "--repeat", "1", *words]) == 0
        printed = capsys.readouterr().out
        assert "The automatic choice over the best plan of each graph: " in printed
        assert "Plans measured on a graph (median): 3." in printed

    def test_a_plan_that_does_not_end_is_stopped(self, case: Case, tmp_path: Path) -> None:
        cases.save_case(case, tmp_path / "case.npz")
        runner = Runner(tmp_path / "case.npz", 1, limit=60.0)
        assert runner.turn("landbridge(auto)", 1).count == 3
        assert runner.worker is not None
        os.kill(runner.worker.pid, signal.SIGSTOP)
        runner.limit = 0.05
        with pytest.raises(PeerFailed, match=r"landbridge\(auto\): no answer within 0.1 s"):
            runner.turn("landbridge(auto)", 1)
        runner.limit = 60.0
        assert runner.turn("landbridge(auto)", 1).count == 3
        with pytest.raises(PeerFailed, match=r"landbridge\(nonsense\): InvalidPlan: "):
            runner.turn("landbridge(nonsense)", 1)
        runner.close()

    def test_memory_is_the_rise_of_the_high_water_mark(self, case: Case, tmp_path: Path) -> None:
        cases.save_case(case, tmp_path / "case.npz")
        sink = Sink(load_suite("memory", {"repeat": 1, "bars": {"per_vertex": 1e9, "of_input": 0.0}}))
        for form in ("csr", "arrays"):
            memory.measure(sink, case, tmp_path / "case.npz", name="landbridge(auto)", form=form, threads=1)
        assert sink.failures == []
        assert [record["form"] for record in sink.records] == ["csr", "arrays"]
        assert all(record["unit"] == "B" and record["bar"] == 8e9 for record in sink.records)

    def test_a_missed_bar_is_a_failure(self, case: Case, tmp_path: Path) -> None:
        cases.save_case(case, tmp_path / "case.npz")
        sink = Sink(load_suite("memory", {"repeat": 1, "bars": {"per_vertex": -1.0, "of_input": 0.0}}))
        memory.measure(sink, case, tmp_path / "case.npz", name="landbridge(auto)", form="csr", threads=1)
        assert ["the bar is -8" in failure for failure in sink.failures] == [True]

    def test_more_than_the_estimate_is_a_failure(self, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
        class Answering:
            def __enter__(self) -> Answering:
                return self

            def __exit__(self, *error: object) -> None:
                del error

            def ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
                del request, limit
                return {"bytes": 100, "estimate": 50}

        monkeypatch.setattr(memory, "worker", lambda case_file: Answering())
        sink = Sink(load_suite("memory", {"repeat": 2, "bars": {"per_vertex": 1e9, "of_input": 0.0}}))
        memory.measure(sink, case, Path("case.npz"), name="landbridge(auto)", form="csr", threads=1)
        assert sink.failures == ["landbridge(auto) on path, csr: 100 extra bytes; estimate_memory says 50"]

    def test_import_is_timed_after_numpy(self) -> None:
        suite = load_suite("import", {"repeat": 2, "bars": {"of_numpy": 600.0}})
        sink = Sink(suite)
        KINDS["import"].run(sink)
        assert [record["contestant"] for record in sink.records] == ["numpy", "landbridge(import)"]
        assert all(len(record["times"]) == 2 for record in sink.records)
        assert sink.records[1]["bar"] == 600 * sink.records[0]["median"]
        assert "; the bar is " in KINDS["import"].summary(sink.records)


def test_the_way_in_and_out() -> None:
    for package in ("pandas", "polars", "pyarrow", "scipy", "networkx"):
        pytest.importorskip(package)
    sink = Sink(load_suite("door", {"repeat": 1, "bars": {"scale": 2000}}))
    KINDS["door"].run(sink)
    assert not any("differ" in failure for failure in sink.failures)
    assert {record["form"].rpartition(" ")[0] for record in sink.records} == set(door.CASES)
    assert len(sink.records) == 2 * len(KINDS["door"].summary(sink.records).splitlines()[2:])
    sink = Sink(load_suite("doors", {"repeat": 1, "bars": {"scale": 2000}}))
    KINDS["door"].run(sink)
    assert {record["form"].rpartition(" ")[0] for record in sink.records} == set(door.LIBRARIES)
    assert not [failure for failure in sink.failures if "differ" in failure]
    wrong = door.Door("off", lambda: 1, lambda: 2, lambda ours, base: ours == base, 1.0)
    door.measure(sink, wrong, "wrong")
    assert sink.failures[-1] == "off: the answers differ"


def test_splinks_function_is_timed_and_compared() -> None:
    pytest.importorskip("splink")
    sink = Sink(load_suite("splink", {"repeat": 1, "bars": {"scale": 2000}}))
    KINDS["splink"].run(sink)
    assert not any("differ" in failure for failure in sink.failures)
    assert len(KINDS["splink"].summary(sink.records).splitlines()) == 2 + 4


def test_contestants_of_clusters_agree(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    folder = tmp_path / "edges"
    size = cluster.write_edges(folder, 2000)
    answers = []
    for name in ("landbridge, one process", "scipy"):
        cluster.measure(name, str(folder))
        answers.append(np.load(f"{folder}-answer.npy"))
    assert answers[0].shape == (2, size["n"])
    assert np.array_equal(*answers)


def test_contestants_of_clusters_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(cluster, "OURS", "landbridge, one process")
    sink = Sink(load_suite("cluster", {"batches": [2000], "peers": ["scipy"], "within": {"scipy": 1e-6}}))
    KINDS["cluster"].run(sink)
    ours, peer = sink.records
    assert (ours["checked"], peer["checked"], peer["ended"]) == (True, False, False)
    assert "| more than " in KINDS["cluster"].summary(sink.records).splitlines()[-1]
    assert not sink.failures
    sink.suite.within["scipy"] = 1e6
    sink.records.clear()
    KINDS["cluster"].run(sink)
    assert [line["checked"] for line in sink.records] == [True, True]


def test_streams_are_checked_against_the_reader(
    small_graphs: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    out = tmp_path / "streaming.jsonl"
    assert run.main(["streaming", "--only", "road", "--repeat", "1", "--out", str(out)]) == 0
    records = read_records([out])
    assert [r["contestant"] for r in records] == ["landbridge(chunks)", *streaming.READERS]
    assert "landbridge(chunks) over the fastest of all peers" in capsys.readouterr().out


def test_files_are_read_by_all(small_graphs: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["files", "--only", "road", "--repeat", "1"]) == 0
    assert "| road | " in capsys.readouterr().out


def test_a_reader_that_reads_something_else_is_refused(
    small_graphs: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(KINDS["files"].peers(), "pandas", ("pandas", lambda path: ([1], [2])))
    assert run.main(["files", "--only", "road", "--repeat", "1"]) == 1
    assert "pandas on road: the arrays read are not the ones written" in capsys.readouterr().err


def test_streams_of_edges_are_timed_by_million_operations(small_graphs: None, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    words = ["--only", "road", "--repeat", "1", "--peers", "scipy(DisjointSet),networkx(UnionFind)"]
    assert run.main(["incremental", *words, "--out", str(out)]) == 0
    records = read_records([out])
    forms = [record["form"] for record in records]
    assert forms[:4] == ["inserts", "prefix", "prefix", "prefix"]
    assert "1:10, 10^7" in forms
    assert all(record["operations"] >= 1 for record in records)
    assert "| road |" in KINDS["incremental"].summary(records)


def test_a_forest_is_timed_beside_the_components_of_its_plan(
    small_graphs: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    words = ["--only", "tiny", "--repeat", "1", "--peers", "scipy(minimum)", "--out", str(out)]
    assert run.main(["forest", *words]) == 0
    records = read_records([out])
    ours = ["landbridge(components)", "landbridge(forest)", "landbridge(forest, arrays)"]
    assert [(r["form"], r["contestant"]) for r in records] == [
        *(("csr", name) for name in ours),
        *(("pairs", name) for name in ours),
        ("", "scipy(minimum)"),
    ]
    assert records[0]["plan"] == records[1]["plan"] != ""
    assert "| tiny |" in capsys.readouterr().out


def test_arrays_to_labels_takes_packages_alone(small_graphs: None, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert run.main(["end_to_end", "--only", "tiny", "--repeat", "1", "--peers", "scipy", "--out", str(out)]) == 0
    assert {r["contestant"] for r in read_records([out])} == {"landbridge(auto)", "scipy", "scipy(strong)"}
