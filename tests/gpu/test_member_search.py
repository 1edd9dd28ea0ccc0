"""The search of the sampling bfs: what it may meet beside one large component that grows fast."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.zoo import zoo

import landbridge
from landbridge import Graph
from landbridge.device import cuda, layout
from landbridge.engine.gpu.components import prepared
from landbridge.engine.gpu.schedule import GpuSchedule
from landbridge.engine.gpu.search import queue_places
from landbridge.plan import parse

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


WORDS = layout.control("components")


def words_of(graph: Graph, text: str = PLANS[1]) -> Any:
    """The control block of a run, before edges that it has given up are united."""
    plan, on_device = parse(text), graph.to_device()
    execution, _ = prepared(on_device, plan, GpuSchedule.of(plan, on_device))
    execution.launch()
    return execution.control.get()


def expect_full_list(graph: Graph) -> None:
    """More vertices outside than the list has places: the finish takes their rows by their bits."""
    assert words_of(graph)[WORDS["gathered"]] > queue_places(graph.num_vertices)


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


@cache
def crowded() -> Graph:
    """Beside the large component: a star with a row for all blocks, rows for warps, pairs, vertices without edges."""
    n, star, wheel = 200_003, 30_000, 500
    u, v = random_edges(100_000, 800_000, 3)
    leaves = np.arange(100_001, 100_001 + star)
    others = np.arange(140_001, 140_001 + wheel)
    pairs = np.arange(150_000, 160_000, 2)
    return rows_of(
        n,
        np.concatenate([u, np.full(star, 100_000), np.full(wheel, 140_000), pairs]),
        np.concatenate([v, leaves, others, pairs + 1]),
    )


def test_what_lies_outside() -> None:
    expect_full_list(crowded())
    expect_right(crowded())


FINISHES = [text for text in landbridge.plans("components", engine="gpu", extended=True) if text.startswith("bfs+")]


@pytest.mark.parametrize("text", FINISHES)
def test_every_finish_where_the_list_is_full(text: str) -> None:
    plan, graph = parse(text), crowded()
    expect_like_cpu(graph, text)
    if not plan.no_forest:
        landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan=text, device="gpu"))


@pytest.mark.parametrize("adapt", ["on", "off"])
@pytest.mark.parametrize("wide", [False, True])
def test_lists_on_both_sides_of_their_places(adapt: str, wide: bool) -> None:
    """Pairs beside a large component, side by side and scattered: one more, and the list is full."""
    plan = f"bfs+rem_cas(naive,halve_one)@gpu(adapt={adapt}{',ids=wide' if wide else ''})"
    n, inside, rng = 160_011, 120_000, np.random.default_rng(19)
    u, v = random_edges(inside, 8 * inside, 21)
    path = np.arange(inside - 1)
    for more, scattered in product((-1, 0, 1, 5000), (False, True)):
        ids = rng.permutation(n) if scattered else np.arange(n)
        pairs = inside + 2 * np.arange(queue_places(n) // 2 + more)
        graph = rows_of(n, ids[np.concatenate([u, path, pairs])], ids[np.concatenate([v, path + 1, pairs + 1])])
        assert (words_of(graph, plan)[WORDS["gathered"]] > queue_places(n)) == (more > 0)
        expect_like_cpu(graph, plan)
        landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan=plan))


def levels_of_leaves() -> Graph:
    """Centres with leaves, and a larger component whose vertices have half as many edges: a search from a centre has
    levels of more leaves than its queue has places, and few of all edges."""
    centres, leaves, others = 1500, 24, 200_000
    n = centres * (leaves + 1) + others
    first, rng = centres * leaves, np.random.default_rng(23)  # leaves come first in the rows of centres

    def ring(count: int, chords: int) -> tuple[np.ndarray, np.ndarray]:
        steps = rng.choice(count // 2 - 1, chords, replace=False) + 1
        return np.tile(np.arange(count), chords), (np.arange(count) + steps[:, None]).ravel() % count

    (a, b), (u, v) = ring(centres, 4), ring(others, 8)
    own = np.arange(first)
    return rows_of(
        n,
        np.concatenate([first + own // leaves, first + a, first + centres + u]),
        np.concatenate([own, first + b, first + centres + v]),
    )


def test_levels_that_the_queue_has_no_places_for() -> None:
    graph = levels_of_leaves()
    assert words_of(graph)[WORDS["joined"]] - 1 > queue_places(graph.num_vertices)
    expect_full_list(graph)
    expect_right(graph)


def test_a_queue_of_a_place_for_each_word_of_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("landbridge.engine.gpu.search.queue_places", layout.words_of)
    for degree, n in product((1, 4, 30), (33, 1000, 100_003)):
        expect_right(rows_of(n, *random_edges(n, int(n * degree / 2), 25)))
    expect_right(levels_of_leaves())


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
    expect_full_list(graph)
    expect_right(graph)


@pytest.mark.parametrize("shape", ["chains", "many chords", "thick 4", "comb"])
def test_long_walks_beside_the_members(shape: str) -> None:
    """Walks outside that are deferred or given up: then cells that were left out are stored, and rows listed again."""
    members = 1_200_000
    u, v = random_edges(members, 4 * members, 13)
    a, b = SHAPES[shape]()
    graph = rows_of(members + N, np.concatenate([u, a + members]), np.concatenate([v, b + members]))
    expect_full_list(graph)
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
