"""CPU threads beside GPUs: they take edges where that ends a run sooner, and the answer is right if they do not."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from parts.fake import FakeDevice

import landbridge
from landbridge import DeviceError, Graph, InputError, OutOfDeviceMemory
from landbridge.engine.base import Trees
from landbridge.engine.parts import guide
from landbridge.engine.parts.guide import FIRST_EDGES, Clocks, Guide
from landbridge.engine.parts.processors import CpuThreads
from landbridge.engine.parts.worker_threads import Batch, Pieces
from landbridge.plan import Plan

N, M = 3000, 400_000
U, V = (np.random.default_rng(7).integers(0, N, M) for _ in range(2))
RIGHT = landbridge.components((U, V), num_vertices=N, threads=1)


def part(vertices: int, on_host: bool) -> Any:
    processor = SimpleNamespace(engine=SimpleNamespace(on_host=on_host), threads=12)
    return SimpleNamespace(processor=processor, trees=SimpleNamespace(vertices=vertices))


@pytest.mark.parametrize(
    ("vertices", "speed", "busy", "takes"),
    [
        (2**20, 2e9, 4, True),
        (2**20, 2e9, 9, True),
        (2**20, 4e8, 9, False),  # seven of twelve threads would find a processor
        (2**20, 2e9, 11, False),
        (2**20, 1e7, 4, False),
        (2**27, 9e7, 4, False),
        (2**31, 1e12, 4, False),
    ],
)
def test_cpu_threads_take_edges_where_idle_processors_both_rates_and_the_merge_say_so(
    vertices: int, speed: float, busy: int, takes: bool
) -> None:
    ids, now = np.broadcast_to(np.int32(0), 2**31), [0.0]
    pieces = Pieces([Batch(ids, ids)], 2)
    cpu, gpu = part(vertices, True), part(vertices, False)
    # The first piece of the GPU waits for buffers, while nothing is computed.
    clocks = Clocks(lambda: now[0], lambda: max(0.0, now[0] - 1.0) * busy, lambda: 16)
    rates = Guide(pieces, [cpu, gpu], clocks)
    assert rates.guides(cpu) and not rates.guides(gpu)
    now[0] = 1.0
    for _ in range(2):
        piece = pieces.take(1)
        assert piece is not None
        now[0] += (piece.end - piece.begin) / 5e9
        rates.record(gpu, piece.end - piece.begin, 0.003)
    first = rates.next_edges(cpu)
    assert first == (FIRST_EDGES if vertices < 2**31 and busy < 11 else 0)
    if first:
        pieces.take(0, first)
        rates.record(cpu, first, first / speed)
    most = rates.next_edges(cpu) if first else 0
    assert (most > 0) == takes
    assert most / speed < 0.5 * pieces.edges / 5e9  # no GPU waits long for it
    assert rates.returns_pieces(cpu) == (first > 0)  # so few are united again sooner than trees are merged


@pytest.mark.parametrize("before", [1, 2])
def test_the_rate_is_that_of_pieces_behind_the_first_ones_where_a_gpu_takes_no_more(before: int) -> None:
    """Two GPUs, one of which has no more memory after so many pieces of both."""
    ids, now = np.broadcast_to(np.int32(0), 2**28), [0.0]
    pieces = Pieces([Batch(ids, ids)], 3)
    cpu, *gpus = part(2**20, True), part(2**20, False), part(2**20, False)
    rates = Guide(pieces, [cpu, *gpus], Clocks(lambda: now[0], lambda: 0.0, lambda: 16))

    def unite(gpu: Any, seconds: float) -> None:
        now[0] += seconds
        rates.record(gpu, 1 << 20, seconds)

    for gpu in gpus[:before]:
        unite(gpu, 1.0)
    rates.withdraw(gpus[1])
    later = threading.Timer(0.05, lambda: [unite(gpus[0], 1e-3) for _ in range(3 - before)])
    later.start()
    # Of 2**20 edges in a millisecond: the merge, which takes 1.6, is worth it while 2**28 are left.
    assert rates.next_edges(cpu) == FIRST_EDGES
    later.join()
    rates.record(cpu, 1 << 20, 1e-2)
    assert 0 < rates.next_edges(cpu) < 1 << 24


class Once(dict[str, BaseException]):
    """Failures that happen once."""

    def __getitem__(self, phase: str) -> BaseException:
        return self.pop(phase)


def beside(**options: Any) -> list[Any]:
    return [CpuThreads(0, 1), FakeDevice(1, on_host=False, **options)]


@pytest.fixture(params=["takes", "stops"])
def devices(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Options of a device beside which CPU threads pay, or do not."""
    takes = request.param == "takes"
    monkeypatch.setattr(guide, "FIRST_EDGES", 4096)
    monkeypatch.setattr(guide, "LEAST", 128)
    monkeypatch.setattr(guide, "MERGE_SECONDS", 1e-12 if takes else 1e-2)
    return {"rate": 2e6 if takes else 5e8}


def test_the_answer_is_right_whether_they_take_edges_or_stop(devices: dict[str, Any]) -> None:
    graph = Graph((U, V), num_vertices=N)
    result = landbridge.components(graph, devices=beside(**devices))
    assert np.array_equal(result.labels, RIGHT.labels)
    assert sum(share.edges for share in result.profile.shares) == M
    assert (result.profile.shares[0].edges > 0) == (devices["rate"] < 1e7)
    forest = landbridge.spanning_forest(graph, devices=beside(**devices))
    landbridge.check_forest(graph, forest)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_device_without_memory_leaves_all_to_them(devices: dict[str, Any], after: int) -> None:
    full = Once(insert=OutOfDeviceMemory("the GPU has too little free memory"))
    result = landbridge.components(Graph((U, V), num_vertices=N), devices=beside(failures=full, after=after, **devices))
    assert np.array_equal(result.labels, RIGHT.labels)
    lost = {"insert": DeviceError("the GPU failed and is lost to this process")}
    with pytest.raises(DeviceError, match=r"^fake 1, inserting edges"):
        landbridge.components(Graph((U, V), num_vertices=N), devices=beside(failures=lost, after=after, **devices))


@pytest.mark.long
@pytest.mark.parametrize("memory", [True, False])
def test_they_have_trees_only_once_they_take_edges(
    devices: dict[str, Any], monkeypatch: pytest.MonkeyPatch, memory: bool
) -> None:
    opened, make = list[int](), CpuThreads.trees

    def trees(self: CpuThreads, plan: Plan, num_vertices: int, keep_forest: bool, *, bulk: bool) -> Trees:
        opened.append(num_vertices)
        if not memory:
            raise MemoryError
        return make(self, plan, num_vertices, keep_forest, bulk=bulk)

    monkeypatch.setattr(CpuThreads, "trees", trees)
    takes = devices["rate"] < 1e7
    result = landbridge.components(Graph((U, V), num_vertices=N), devices=beside(**devices))
    assert np.array_equal(result.labels, RIGHT.labels)
    assert opened == [N] * takes
    assert (result.profile.shares[0].edges > 0) == (takes and memory)
    # Ids beyond the vertices are refused by whichever processor meets them.
    with pytest.raises(InputError, match=f"edge {M - 1}"):
        landbridge.components((U, np.append(V[:-1], N)), num_vertices=N, devices=beside(**devices))
