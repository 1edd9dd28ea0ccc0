"""Two source trees take turns on the same cases: this one with itself, and one that is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_benchmarks import on_device, small_case

import landbridge
from benchmarks import run, tree_worker
from benchmarks.check import WrongAnswer
from benchmarks.kinds import KINDS, old_new
from benchmarks.records import read_records
from benchmarks.sink import Sink
from benchmarks.suites import load_suite
from landbridge.plan import parse, parse_rank

PACKAGE = Path(landbridge.__file__).resolve().parent
CASES = [
    {"problems": ["components", "forest"], "on": ["small_grid"]},
    {"problems": ["stream"], "on": ["small_road"], "batches": [100, 0]},
    {"problems": ["list"], "on": ["random 2^8"], "plans": ["auto", "wyllie"]},
]


def compare(against: Path, tmp_path: Path, **more: Any) -> Sink:
    values = {"against": str(against), "cases": CASES, "repeat": 2, "trials": 1, "final": 1, "bars": {"ratio": 1e9}}
    sink = Sink(load_suite("old_new", {**values, **more}), tmp_path / "out.jsonl")
    KINDS["old_new"].validate(sink.suite)
    KINDS["old_new"].run(sink)
    return sink


def test_every_problem_is_timed_in_both_trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_new, "LEAST_TURN_S", {"cpu": 0.0})
    sink = compare(PACKAGE.parent, tmp_path)
    assert sink.failures == []
    records = read_records([tmp_path / "out.jsonl"])
    assert [(r["form"], r["contestant"]) for r in records] == [
        ("components", "landbridge(auto)"),
        ("forest", "landbridge(auto)"),
        ("stream, batches of 100", "landbridge(auto)"),
        ("stream", "landbridge(auto)"),
        ("list", "landbridge(auto)"),
        ("list", "landbridge(wyllie)"),
    ]
    assert all(len(r["values"]) == 2 and r["unit"] == "ratio" and r["plan"] == r["old_plan"] for r in records)
    text = KINDS["old_new"].summary(records)
    assert "list, wall: geometric mean of 2 cases" in text
    assert "The worst case, by the smaller of its ratios: " in text


def test_a_case_is_slower_if_both_ratios_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_new, "LEAST_TURN_S", {"cpu": 0.0})
    cases = {"cases": CASES[2:], "bars": {"ratio": 0.0}}
    sink = compare(PACKAGE.parent, tmp_path, **cases)
    assert len(sink.failures) == 2
    assert "times the old time; the bar is 0" in sink.failures[0]
    assert all(len(record["values"]) == 3 for record in sink.records)  # two turns, and the last one


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("raise RuntimeError('out of order')", "old: RuntimeError: out of order"),
        ("return (sys.exit(3))", "old: the process ended"),
        ("answer = real(*a, **k); answer[0] += 1; return answer", "auto on random 2^8: element "),
    ],
)
def test_a_broken_tree_is_named(tmp_path: Path, broken: str, message: str) -> None:
    tree = tmp_path / "tree" / "landbridge"
    tree.mkdir(parents=True)
    text = f"""
import sys, os, importlib.util
spec = importlib.util.spec_from_file_location("landbridge", {str(PACKAGE / "__init__.py")!r},
    submodule_search_locations=[{str(PACKAGE)!r}])
whole = importlib.util.module_from_spec(spec)
sys.modules["landbridge"] = whole
spec.loader.exec_module(whole)
real = whole.rank_list
def rank_list(*a, **k):
    {broken}
whole.rank_list, whole.__file__ = rank_list, __file__
"""
    (tree / "__init__.py").write_text(text)
    sink = compare(tree.parent, tmp_path, cases=CASES[2:])
    assert message in sink.failures[0]


def test_a_tree_is_a_checkout_or_a_folder_of_packages(tmp_path: Path) -> None:
    for folder in (tmp_path / "a" / "src" / "landbridge", tmp_path / "b" / "landbridge"):
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
        assert old_new.import_folder(tmp_path / folder.relative_to(tmp_path).parts[0]) == folder.parent


def test_only_one_case_runs_if_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(old_new, "LEAST_TURN_S", {"cpu": 0.0})
    out = tmp_path / "out.jsonl"
    words = ["--against", str(PACKAGE.parent), "--only", "random 2^16", "--repeat", "1", "--trials", "1"]
    assert run.main(["old_new", *words, "--out", str(out)]) in (0, 1)
    (record,) = read_records([out])
    assert record["graph"]["name"] == "random 2^16"
    assert "The worst case" in capsys.readouterr().out


class TestTheWorkerOnAGpu:
    """The worker's requests, on a CuPy of NumPy's arrays."""

    @pytest.fixture
    def tree(self, cupy_of_numpy: Any, monkeypatch: pytest.MonkeyPatch) -> tree_worker.Tree:
        def on_cpu(call: Any) -> Any:
            def called(*arguments: Any, device: str = "cpu", **more: Any) -> Any:
                del device
                return call(*arguments, **more)

            return called

        for name in ("components", "spanning_forest", "rank_list", "Incremental"):
            monkeypatch.setattr(landbridge, name, on_cpu(getattr(landbridge, name)))
        tree = tree_worker.Tree()
        assert tree.where({"device": "gpu"})["gpu"]["device"] == "NVIDIA NumPy"
        return tree

    def request(self, problem: str, timing: str) -> dict[str, Any]:
        return {"problem": problem, "plan": "auto", "timing": timing, "batch": 2, "trials": 2}

    def test_graphs_are_built_on_the_device(self, tree: tree_worker.Tree, tmp_path: Path) -> None:
        case = small_case()
        for key, array in {"u": case.source, "v": case.target, "labels": case.labels}.items():
            np.save(tmp_path / f"{key}.npy", array.astype(np.int32))
        loading = {"folder": str(tmp_path), "name": "path", "count": case.count}
        tree.load({**loading, "problem": "components"})
        assert tree.loaded is not None
        assert tree.loaded.neighbors.tolist() == case.neighbors.tolist()
        for problem in ("components", "forest"):
            assert len(tree.turn(self.request(problem, "wall"))["seconds"]) == 2
            assert tree.turn(self.request(problem, "device"))["seconds"] == (1e-3, 1e-3)
        tree.load({**loading, "problem": "stream"})
        assert len(tree.turn(self.request("stream", "wall"))["seconds"]) == 2
        tree.loaded.count = 5
        with pytest.raises(WrongAnswer, match="auto on path: 3 components instead of 5"):
            tree.turn(self.request("stream", "wall"))

    def test_lists_are_ranked(self, tree: tree_worker.Tree, tmp_path: Path) -> None:
        np.save(tmp_path / "successor.npy", on_device([1, 2, 3, -1]).astype(np.int32))
        tree.load({"folder": str(tmp_path), "name": "ordered 2^2", "count": 1, "problem": "list"})
        assert tree.turn(self.request("list", "device"))["seconds"] == (1e-3, 1e-3)


@pytest.mark.parametrize("name", ["old_new", "old_new_gpu"])
def test_the_plans_of_the_suites_run_on_their_device(name: str) -> None:
    suite = load_suite(name)
    for row in suite.cases:
        for plan in row.get("plans", []):
            read = parse_rank if "list" in row["problems"] else parse
            assert read(f"{plan}@{suite.device}").engine is not None
