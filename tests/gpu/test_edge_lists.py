"""Long edge lists on a GPU: hooked, or after a sample of them, with bounds so low that short lists take these ways."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import landbridge
from benchmarks.zoo.cells import draw
from landbridge.device import cuda
from landbridge.engine.gpu import coo, cut_edges, edge_schedule
from landbridge.engine.gpu.components_run import ComponentsRun
from landbridge.engine.gpu.coo import add_edges

pytestmark = pytest.mark.gpu

STRUCTURES = (
    "uniform-4", "uniform-16", "rmat", "grid-8", "path", "star-middle", "cliques-8", "ring-8", "web", "pairs",
    "duplicates",
)  # fmt: skip
ORDERS = ("sorted", "random", "reversed", "both")
ROWS, HEAD, HOOKED = "rows", "head", "hooked"


@pytest.fixture(params=[ROWS, HEAD, HOOKED])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Every list of at least one edge per vertex is long."""
    for bound in ("_MARK_LEAST", "_SAMPLE_FROM", "_SAMPLE_SMALL"):
        monkeypatch.setattr(edge_schedule, bound, 0)
    monkeypatch.setattr(edge_schedule, "_LONG_ROWS", 0 if request.param == HEAD else 1e9)
    most = 1e9 if request.param == HOOKED else 0
    for bound in ("_HOOK_MOST", "_HOOK_MOST_SORTED"):
        monkeypatch.setattr(edge_schedule, bound, most)
    monkeypatch.setattr(edge_schedule, "_HOOK_NEAR", 1 if request.param == HOOKED else 128)
    yield str(request.param)


def expect_like_cpu(endpoints: tuple[np.ndarray, np.ndarray], n: int, plan: str) -> None:
    expected = landbridge.components(endpoints, num_vertices=n, device="cpu")
    for _ in range(2):
        result = landbridge.components(endpoints, num_vertices=n, plan=plan)
        assert result.count == expected.count, plan
        assert np.array_equal(result.labels, expected.labels), plan


@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_way(structure: str, way: str) -> None:
    plans = ("rem_cas(naive,halve_one)@gpu", "async(halve)@gpu", "rem_cas(naive,split_one)@gpu(merge=near,reads=stale)")
    for ids, order in product(("natural", "permuted"), ORDERS):
        drawn = draw(f"{structure}/{ids}/pairs-{order}/1e5")
        for plan in plans:
            expect_like_cpu(drawn.pairs(), drawn.n, plan)


@pytest.mark.parametrize("structure", ["uniform-4", "path", "star-middle"])
def test_more_walks_are_cut_off_than_there_are_places(
    structure: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut_edges, "_LEAST", 4)
    monkeypatch.setattr(cut_edges, "_MOST", 4)
    monkeypatch.setattr(cut_edges, "_CUT_WALK", 2)
    for ids, order in product(("natural", "permuted", "bit-reversed"), ORDERS):
        drawn = draw(f"{structure}/{ids}/pairs-{order}/1e5")
        expect_like_cpu(drawn.pairs(), drawn.n, "rem_cas(naive,halve_one)@gpu")


@pytest.mark.parametrize("ids", ["narrow", "wide"])
def test_ids_of_every_width_and_arrays_with_gaps(ids: str, way: str) -> None:
    drawn = draw("rmat/permuted/pairs-both/1e5")
    u, v = drawn.pairs()
    plan = f"rem_cas(naive,halve_one)@gpu(ids={ids})"
    expect_like_cpu((u.astype(np.int64), v.astype(np.int64)), drawn.n, plan)
    spaced = cuda.cupy().asarray(np.stack([u, v], axis=1))
    for first in (0, 1):
        labels = landbridge.components(
            (spaced[first:, 0], spaced[first:, 1]), num_vertices=drawn.n + 3, plan=plan
        ).labels
        expected = landbridge.components((u[first:], v[first:]), num_vertices=drawn.n + 3, device="cpu").labels
        assert np.array_equal(cuda.cupy().asnumpy(labels), expected)


@pytest.mark.parametrize("edges", [1, 3, 127, 128, 129, 5000])
@pytest.mark.parametrize("n", [1, 2, 5, 700])
def test_few_vertices_and_few_edges(n: int, edges: int, way: str) -> None:
    rng = np.random.default_rng(edges)
    u, v = rng.integers(0, n, (2, edges))
    for endpoints in ((u, v), (np.sort(u), v)):
        expect_like_cpu(endpoints, n, "rem_cas(naive,halve_one)@gpu(fuse=off)")


def test_a_long_list_takes_a_sample_of_its_own_accord(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = list[int]()

    def add_and_count(run: ComponentsRun, *arguments: object) -> None:
        add_edges(run, *arguments)  # type: ignore[arg-type]
        sampled.append(sum(launch.name == "sample_coo" for launch in run.launches))

    monkeypatch.setattr("landbridge.engine.gpu.union_find.add_edges", add_and_count)
    rng = np.random.default_rng(1)
    n = 200_000
    endpoints = tuple(rng.integers(0, n, (2, 2**22), dtype=np.int32))
    expect_like_cpu(endpoints, n, "rem_cas(naive,halve_one)@gpu")
    assert sampled == [1, 1]
    assert coo.add_edges is add_edges
