"""The published division by vertices, the choice of its share t, and what is stored for it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parts.fake import FakeDevice
from property.strategies import Pairs, pairs

import landbridge
from landbridge import InvalidCombination
from landbridge.engine.parts import tuning, vertices
from landbridge.engine.parts.calibration import MOST_BYTES, Store
from landbridge.engine.parts.processors import CpuThreads
from landbridge.engine.parts.tuning import Point, interpolated, share_of_rates, tune, tuned
from landbridge.engine.parts.vertices import blocks_of, divide, numbered
from landbridge.plan import parse

PLAN = parse("shiloach_vishkin")


@given(pairs(), st.sampled_from([0, 0.5, 17, 50, 99, 100]), st.integers(1, 5), st.booleans(), st.integers(1, 3))
@settings(max_examples=20)
def test_every_share_gives_the_same_labels(graph: Pairs, t: float, workers: int, rows: bool, processors: int) -> None:
    right = landbridge.components((graph.u, graph.v), num_vertices=graph.n, threads=1)
    devices = [CpuThreads(i, workers) for i in range(processors - 1)] + [FakeDevice(7)]
    division = divide(graph.graph().to_rows(1) if rows else graph.graph(), t, devices, PLAN)
    count, labels = numbered(division.representatives)
    assert (count, labels.dtype) == (right.count, right.labels.dtype)
    assert np.array_equal(labels, right.labels)
    inside = sum(share.edges for share in division.shares)
    assert rows or inside + division.cross == len(graph.u)


@given(st.integers(0, 1000), st.floats(0, 100), st.integers(1, 9))
@settings(max_examples=40)
def test_blocks_are_those_of_the_paper(n: int, t: float, workers: int) -> None:
    blocks = blocks_of(n, t, [CpuThreads(0, workers), FakeDevice(0)], PLAN)
    inner = int(n * t / 100)
    assert [b.begin for b in blocks] == [i * inner // workers for i in range(workers)] + [inner]
    assert [b.end for b in blocks] == [(i + 1) * inner // workers for i in range(workers)] + [n]
    assert {str(b.plan) for b in blocks[:-1]} == {"serial_search@cpu"}
    assert str(blocks[-1].plan) == "shiloach_vishkin@cpu"


def test_cross_edges_alone_and_none_at_all() -> None:
    half = np.arange(50)
    for u, v in ((half, half + 50), (half[:-1], half[1:]), (half[:0], half[:0])):
        right = landbridge.components((u, v), num_vertices=100)
        result = landbridge.components(
            (u, v), num_vertices=100, plan="banerjee_kothapalli(t=50)", devices=["cpu", "cpu"]
        )
        assert np.array_equal(result.labels, right.labels)
        assert (result.plan, result.device) == ("shiloach_vishkin@hybrid(divide=vertices,t=50)", "hybrid")
        assert list(result.profile.seconds) == ["divide", "blocks", "cross"]


def test_the_division_gives_labels_alone() -> None:
    for problem in (landbridge.spanning_forest,):
        with pytest.raises(InvalidCombination, match="the division by vertices gives components alone"):
            problem(([0], [1]), plan="banerjee_kothapalli(t=5)", devices=["cpu", "cpu"])
    with pytest.raises(InvalidCombination, match="the division by vertices gives components alone"):
        landbridge.Incremental(plan="banerjee_kothapalli", devices=["cpu", "cpu"])


# ---- the share ------------------------------------------------------------------------------------------------------


def test_the_share_of_rates_makes_both_parts_equally_long() -> None:
    assert share_of_rates(1e8, 3e8) == 25
    assert (share_of_rates(0, 5), share_of_rates(5, 0), share_of_rates(0, 0)) == (0, 100, 0)


def test_between_sizes_the_share_is_bilinear_in_their_logarithms() -> None:
    points = [Point(2**n, 2**m, 2 * n + m) for n in (10, 12, 20) for m in (11, 15)]
    for n, m in ((10, 11), (11, 13), (13, 12), (16, 15)):
        assert interpolated(points, 2**n, 2**m) == pytest.approx(2 * n + m)
    assert interpolated(points, 2, 2) == 31  # beyond the border: the nearest point
    assert interpolated(points, 2**40, 2**40) == 55
    assert interpolated(points[:1], 5, 0) == 31


def test_rates_are_measured_once_and_the_table_is_read_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, devices = Store(tmp_path / "numbers.json"), [CpuThreads(0, 1), CpuThreads(1, 1)]
    calls: list[int] = []

    def rates(processors: object, plan: object) -> tuple[float, float]:
        calls.append(1)
        return 2e6, 6e6

    monkeypatch.setattr(tuning, "measured_rates", rates)
    graph = landbridge.Graph(([0, 1], [1, 2]))
    for _ in range(2):
        t, why = tuned(devices, PLAN, graph, store)
        assert (t, why) == (25, "t = 25.0 per cent: cpu 0 takes 2e+06 edges/s in a search, cpu 1 6e+06 in rounds")
    assert len(calls) == 1
    tuned([CpuThreads(0, 2), CpuThreads(1, 1)], PLAN, graph, store)  # other threads, other numbers
    assert len(calls) == 2
    makers = [lambda: landbridge.Graph(([0, 1, 2], [1, 2, 3]))]
    points = tune(devices, PLAN, makers, store, shares=(0, 50))
    t, why = tuned(devices, PLAN, graph, store)
    assert t == points[0].t
    assert why.endswith("between the best shares of 1 sizes that were measured")


def test_rates_come_from_runs_of_both_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "PROBE", "gnm(2000, 8000, seed=1)")
    fast, slow = CpuThreads(0, 1), FakeDevice(1, rate=1e6)
    searching, rounds = tuning.measured_rates([fast, slow], PLAN)
    assert searching > rounds > 0


def test_an_answer_says_which_share_it_took(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LANDBRIDGE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tuning, "PROBE", "gnm(2000, 8000, seed=1)")
    result = landbridge.components(([0, 1, 5], [1, 2, 4]), plan="banerjee_kothapalli", devices=["cpu", "cpu"])
    assert result.labels.tolist() == [0, 0, 0, 1, 2, 2]
    assert result.notes[-1].startswith("t = ")
    assert (tmp_path / "calibration.json").exists()


# ---- the store ------------------------------------------------------------------------------------------------------


def test_numbers_are_stored_by_name(tmp_path: Path) -> None:
    store = Store(tmp_path / "folder" / "numbers.json")
    assert store.get("a") is None
    store.put("a", [1, 2.5])
    store.put("b", [[1, 2, 3.0]])
    assert (Store(store.path).get("a"), Store(store.path).get("b")) == ([1, 2.5], [[1, 2, 3.0]])
    assert [path.name for path in store.path.parent.iterdir()] == ["numbers.json"]
    store.clear()
    assert store.get("a") is None


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", '{"version": 0, "entries": {"a": [1]}}', '{"version": 1}', '{"version": 1, "entries": []}',
        '{"version": 1, "entries": {"a": 1}}', '{"version": 1, "entries": {"a": ["1"]}}',
        '{"version": 1, "entries": {"a": [-1]}}', '{"version": 1, "entries": {"a": [NaN]}}', " " * (MOST_BYTES + 1),
    ],
)  # fmt: skip
def test_a_damaged_file_is_no_calibration(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path / "numbers.json")
    store.path.write_text(text)
    assert store.get("a") is None
    store.put("a", [3])
    assert store.get("a") == [3]
    assert json.loads(store.path.read_text())["version"] == 1


def test_a_folder_that_cannot_be_written_costs_no_answer(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "numbers.json")
    store.put("a", [1])
    assert store.get("a") is None
    assert vertices.numbered(np.array([0, 0, 2]))[0] == 2
