"""CPU threads beside GPUs: they take edges where that ends a run sooner, and the answer is right if they do not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from parts.fake import FakeDevice

import landbridge
from landbridge import DeviceError, Graph, OutOfDeviceMemory
from landbridge.engine.parts import guide
from landbridge.engine.parts.guide import FIRST_EDGES, Guide
from landbridge.engine.parts.processors import CpuThreads
from landbridge.engine.parts.worker_threads import Batch, Pieces

N, M = 3000, 400_000
U, V = (np.random.default_rng(7).integers(0, N, M) for _ in range(2))
RIGHT = landbridge.components((U, V), num_vertices=N, threads=1)


def part(vertices: int, on_host: bool) -> Any:
    engine = SimpleNamespace(on_host=on_host)
    return SimpleNamespace(processor=SimpleNamespace(engine=engine), trees=SimpleNamespace(vertices=vertices))


@pytest.mark.parametrize(
    ("vertices", "speed", "takes"), [(2**20, 2e9, True), (2**20, 1e7, False), (2**27, 9e7, False), (2**31, 1e12, False)]
)
def test_cpu_threads_take_edges_where_both_rates_and_the_merge_say_so(vertices: int, speed: float, takes: bool) -> None:
    ids, now = np.broadcast_to(np.int32(0), 2**31), [0.0]
    pieces = Pieces([Batch(ids, ids)], 2)
    cpu, gpu = part(vertices, True), part(vertices, False)
    rates = Guide(pieces, [cpu, gpu], len(ids), lambda: now[0])
    assert rates.guides(cpu) and not rates.guides(gpu)
    for _ in range(2):
        piece = pieces.take(1)
        assert piece is not None
        now[0] += (piece.end - piece.begin) / 5e9
        rates.record(gpu, piece.end - piece.begin, 0.003)
    first = rates.next_edges(cpu)
    assert first == (FIRST_EDGES if vertices < 2**31 else 0)
    if first:
        pieces.take(0, first)
        rates.record(cpu, first, first / speed)
    most = rates.next_edges(cpu) if first else 0
    assert (most > 0) == takes
    assert most / speed < 0.5 * pieces.edges / 5e9  # no GPU waits long for it
    assert rates.returns_pieces(cpu) == (first > 0)  # so few are united again sooner than trees are merged


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
