"""The search of the sampling bfs: what it may meet beside one large component that grows fast."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.zoo import zoo

import landbridge
from landbridge import Graph
from landbridge.device import cuda

from .test_long_paths import SHAPES, N
from .test_schedule import expect_like_cpu, rows_of

pytestmark = pytest.mark.gpu

PLANS = (
    "bfs+rem_cas(naive,halve_one)@gpu(adapt=on)",
    "bfs+rem_cas(naive,halve_one)@gpu",
    "bfs+jtb(two_try)@gpu(adapt=on)",
    "bfs+ecl(halve)@gpu(ids=wide)",
    "bfs+early(naive)@gpu",
)


def random_edges(n: int, m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, n, m), rng.integers(0, n, m)


def expect_right(graph: Graph) -> None:
    for plan in PLANS:
        expect_like_cpu(graph, plan)
        forest = landbridge.spanning_forest(graph, plan=plan)
        landbridge.check_forest(graph, forest)


@pytest.mark.parametrize("degree", [0.5, 1, 2, 4, 16, 100])
def test_random_graphs(degree: float) -> None:
    """Below and above the threshold of a large component; sizes that no word of bits divides."""
    for n in (1, 31, 32, 33, 1000, 100_003):
        expect_right(rows_of(n, *random_edges(n, int(n * degree / 2), 7)))


def test_what_lies_outside() -> None:
    """Beside the large component: a star with a row for all blocks, rows for warps, pairs, vertices without edges."""
    n, star, wheel = 200_003, 30_000, 500
    u, v = random_edges(100_000, 800_000, 3)
    leaves = np.arange(100_001, 100_001 + star)
    others = np.arange(140_001, 140_001 + wheel)
    pairs = np.arange(150_000, 160_000, 2)
    graph = rows_of(
        n,
        np.concatenate([u, np.full(star, 100_000), np.full(wheel, 140_000), pairs]),
        np.concatenate([v, leaves, others, pairs + 1]),
    )
    expect_right(graph)


def test_rows_longer_than_a_pass_looks_along() -> None:
    """Vertices whose first neighbors are no members: hubs, each of a star, that the last neighbors join."""
    hubs, leaves = 300, 200
    star = np.repeat(np.arange(hubs), leaves)
    leaf = hubs + np.arange(hubs * leaves)
    first = hubs + hubs * leaves
    u, v = random_edges(20_000, 160_000, 5)
    n = first + 20_000
    graph = rows_of(
        n,
        np.concatenate([star, np.arange(hubs), first + u]),
        np.concatenate([leaf, first + np.arange(hubs), first + v]),
    )
    expect_right(graph)


@pytest.mark.parametrize("below", [True, False])
def test_paths_beside_and_below_the_members(below: bool) -> None:
    """Long paths outside, one of which leads to a member, with smaller or larger ids; and what has no edges. Labels
    are read off bits for most vertices and off cells for those of the paths."""
    rng = np.random.default_rng(11)
    n, path = 300_007, 40_000
    u, v = random_edges(150_000, 1_200_000, 9)
    of_members = rng.permutation(150_000) + (2 * path if below else 0)
    first, second = (np.arange(path) + (0 if below else 150_000) + k * path for k in (0, 1))
    second = rng.permutation(second)
    graph = rows_of(
        n,
        np.concatenate([of_members[u], first[:-1], second[:-1], first[-1:]]),
        np.concatenate([of_members[v], first[1:], second[1:], of_members[:1]]),
    )
    expect_right(graph)


@pytest.mark.parametrize("shape", ["chains", "many chords", "thick 4", "comb"])
def test_long_walks_beside_the_members(shape: str) -> None:
    """Walks outside that are deferred or given up: then cells that were left out are stored, and rows listed again."""
    members = 1_200_000
    u, v = random_edges(members, 4 * members, 13)
    a, b = SHAPES[shape]()
    graph = rows_of(members + N, np.concatenate([u, a + members]), np.concatenate([v, b + members]))
    expected, on_device = landbridge.components(graph, device="cpu"), graph.to_device()
    one_way = directed(members + N, np.concatenate([a, u + N]), np.concatenate([b, v + N]))
    finishes = (
        "rem_cas(naive,splice)",
        "rem_cas(naive,split_one)",
        "rem_cas(halve,halve_one)",
        "async(compress)",
        "ecl(halve)",
    )
    for finish in finishes:
        for options in ("adapt=on", "adapt=off", "balance=edge", "merge=near"):
            plan = f"bfs+{finish}@gpu({options})"
            for _ in range(3):  # the last one is replayed
                result = landbridge.components(on_device, plan=plan)
                assert result.count == expected.count, plan
                assert np.array_equal(result.labels.get(), expected.labels), plan
        expect_like_cpu(one_way, f"bfs+{finish}@gpu(adapt=on)")


def directed(n: int, u: np.ndarray, v: np.ndarray) -> Graph:
    """CSR of edges that are stored in one direction, and not promised to be in both."""
    order = np.argsort(u, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n))])
    return Graph(landbridge.CSR(offsets, v[order].astype(np.int32)), symmetric=False)


def test_a_promise_that_is_not_kept_does_no_harm() -> None:
    """Whether a CSR on a device stores both directions is taken on trust: labels may be wrong, and nothing else."""
    n = 200_000
    u, v = random_edges(n, 8 * n, 17)
    source = directed(n, np.minimum(u, v), np.maximum(u, v))
    asarray = cuda.cupy().asarray
    rows = landbridge.CSR(asarray(source.offsets), asarray(source.a))
    for plan in PLANS[:2]:
        assert len(landbridge.components(Graph(rows, symmetric=True), plan=plan).labels) == n
    test_what_lies_outside()


def test_levels_of_which_a_part_is_searched() -> None:
    """A few vertices beside each other component: a vertex too many would join two of them."""
    for m in (250, 500, 1000):
        u, v = random_edges(1000, m, m)
        graph = rows_of(2000, np.concatenate([u, u + 1000]), np.concatenate([v, v + 1000]))
        expected, on_device = landbridge.components(graph, device="cpu"), graph.to_device()
        for seed in range(60):
            plan = f"bfs+rem_cas(naive,halve_one)@gpu(adapt=on,fuse=off,seed={seed})"
            for _ in range(3):  # the last one is replayed
                result = landbridge.components(on_device, plan=plan)
                assert result.count == expected.count, plan
                assert np.array_equal(result.labels.get(), expected.labels), plan


def test_slow_growth_and_one_vertex() -> None:
    path = np.arange(99_999)
    expect_right(rows_of(100_000, path, path + 1))
    expect_right(rows_of(100_000, np.array([99_998]), np.array([99_999])))
    expect_right(rows_of(100_000, np.zeros(99_999, np.int64), path + 1))


def test_rows_that_are_not_symmetric() -> None:
    for specimen in zoo():
        graph = specimen.graph("csr", "int32", promise=False)
        for plan in PLANS[:2]:
            expect_like_cpu(graph, plan)
