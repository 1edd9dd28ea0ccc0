"""A processor that fails in the middle: its name in the error, and nothing half done."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parts.fake import FakeDevice

import landbridge
from landbridge import DeviceError, Graph, InputError, OutOfDeviceMemory
from landbridge.engine.parts.processors import CpuThreads
from landbridge.engine.parts.trees import PartsTrees
from landbridge.plan import parse

N, M = 3000, 200_000
RNG = np.random.default_rng(5)
U, V = (RNG.integers(0, N, M) for _ in range(2))
RIGHT = landbridge.components((U, V), num_vertices=N, threads=1)


def beside(**options: Any) -> list[Any]:
    """Two devices; the first one lets the other one take edges until it has failed."""
    second = FakeDevice(1, **options)
    last = options.get("after", 0) if "insert" in options.get("failures", {}) else -1
    return [FakeDevice(0, hold=lambda: second.calls.get("insert", 0) <= last), second]


LOST = DeviceError("the GPU failed and is lost to this process")
FULL = OutOfDeviceMemory("the GPU has too little free memory")


@pytest.mark.parametrize(("phase", "after"), [("open", 0), ("insert", 0), ("insert", 3), ("merge", 0)])
def test_a_device_that_fails_is_named(phase: str, after: int) -> None:
    graph, devices = Graph((U, V), num_vertices=N), beside(failures={phase: LOST}, after=after)
    with pytest.raises(DeviceError, match=r"^fake 1, .*the GPU failed and is lost"):
        landbridge.components(graph, devices=devices)
    with pytest.raises(DeviceError, match=r"^fake 1, .*the GPU failed and is lost"):
        landbridge.spanning_forest(graph, devices=beside(failures={phase: LOST}, after=after))


def test_a_first_device_that_fails_while_it_numbers_is_named() -> None:
    with pytest.raises(DeviceError, match=r"^fake 1, numbering"):
        landbridge.components((U, V), devices=[FakeDevice(1, failures={"labels": LOST}), CpuThreads(0, 1)])


@pytest.mark.parametrize("error", [LOST, FULL])
def test_a_device_that_fails_on_its_block_is_named(error: Exception) -> None:
    rows = Graph((U, V), num_vertices=N).to_rows(1)
    with pytest.raises(type(error), match=r"^fake 1, solving its block"):
        landbridge.components(rows, devices=beside(failures={"solve": error}))


@pytest.mark.parametrize("after", [0, 2])
def test_what_a_device_has_no_memory_for_is_taken_by_the_others(after: int) -> None:
    devices = beside(failures={"insert": FULL}, after=after)
    result = landbridge.components(Graph((U, V), num_vertices=N), devices=devices)
    assert np.array_equal(result.labels, RIGHT.labels)
    assert result.profile.shares[0].edges + result.profile.shares[1].edges == M
    assert devices[1].calls["insert"] >= 1


def test_no_memory_anywhere_is_an_error_with_a_name() -> None:
    devices = [FakeDevice(i, failures={"insert": FULL}) for i in (1, 2)]
    with pytest.raises(OutOfDeviceMemory, match=r"^fake [12], inserting edges: the GPU has too little free memory$"):
        landbridge.components(Graph((U, V), num_vertices=N), devices=devices)


def stream(*devices: Any, forest: bool = False) -> PartsTrees:
    return PartsTrees(devices, parse("async(inter)"), N, forest, 1, piece=500)


def test_a_stream_that_lost_a_device_says_so_ever_after() -> None:
    trees = stream(CpuThreads(0, 1), FakeDevice(1, failures={"insert": LOST}, after=2))
    with pytest.raises(DeviceError, match=r"^fake 1, inserting edges"):
        for _ in range(50):
            trees.insert(U[:9000], V[:9000])
    calls = (lambda: trees.count, lambda: trees.insert(U, V), lambda: trees.labels(1), lambda: trees.snapshot(False))
    for call in calls:
        with pytest.raises(DeviceError, match=r"^fake 1, inserting edges"):
            call()


def test_a_batch_that_finds_no_room_changes_nothing() -> None:
    trees = stream(CpuThreads(0, 1), FakeDevice(1, failures={"prepare": FULL}, after=1))
    trees.insert(U[:50_000], V[:50_000])
    before = trees.count
    for _ in range(2):
        with pytest.raises(OutOfDeviceMemory, match=r"^fake 1, making room"):
            trees.insert(np.arange(M), np.arange(M) + N)
        assert (trees.count, trees.position, trees.vertices) == (before, 50_000, N)


def test_a_merge_that_fails_for_memory_may_be_asked_again() -> None:
    device = FakeDevice(1, failures={"merge": FULL})
    trees = stream(CpuThreads(0, 1), device)
    while not device.calls.get("insert"):
        trees.insert(U, V)
    with pytest.raises(OutOfDeviceMemory, match=r"^fake 1, merging with cpu 0"):
        trees.labels(1)
    device.failures = {}
    assert np.array_equal(trees.labels(1)[1], RIGHT.labels)


@pytest.mark.parametrize("bad", [-1, N])
def test_a_wrong_id_is_named_by_its_place_in_the_whole_input(bad: int) -> None:
    u = U.copy()
    u[150_001] = bad
    with pytest.raises(InputError, match=rf"edge 150001: vertex {bad} is "):
        landbridge.components((u, V), num_vertices=N, devices=["cpu", "cpu"])
    trees = landbridge.Incremental(N, devices=["cpu", "cpu"])
    u[150_001] = -1
    with pytest.raises(InputError, match="edge 150001: vertex -1"):
        trees.insert(u, V)
    assert (trees.count, trees.position) == (N, 0)


def test_a_slow_device_takes_the_smaller_share() -> None:
    devices = [CpuThreads(0, 1), FakeDevice(1, rate=4e6)]
    result = landbridge.components(Graph((U, V), num_vertices=N), devices=devices)
    fast, slow = result.profile.shares
    assert np.array_equal(result.labels, RIGHT.labels)
    assert fast.edges > slow.edges > 0
    assert (fast.link, slow.link, slow.moved) == ("", "host copies", RIGHT.labels.nbytes)


def test_time_limits_reach_every_processor() -> None:
    with pytest.raises(landbridge.TimeLimitExceeded):
        landbridge.components((U, V), devices=[FakeDevice(i, rate=1e6) for i in (0, 1)], timeout=0.3)
