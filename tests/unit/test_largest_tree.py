"""Edges inside the largest tree that lists and streams leave out (``skip=tree``): the set of its vertices is made small
here, so that small graphs have one, of single vertices and of groups of up to 64. Lists whose parents are cached leave
out the edges whose endpoints have one parent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import landbridge
from landbridge import _core
from landbridge.engine.cpu.trees import open_trees
from landbridge.plan import parse as parse_plan

PLAN = "rem_cas(naive,halve_one)@cpu(owners={},skip={})"


@pytest.fixture(params=[1 << 4, 1 << 13, 1 << 16])
def small_sets(request: pytest.FixtureRequest) -> Iterator[int]:
    before = _core.set_cached_set_bytes(request.param)
    yield request.param
    _core.set_cached_set_bytes(before)


@pytest.fixture
def cached_parents() -> Iterator[None]:
    """No set: edges are left out whose endpoints have one parent."""
    before = _core.set_cached_set_bytes(1 << 22)
    yield
    _core.set_cached_set_bytes(before)


def labels_of(u: NDArray[Any], v: NDArray[Any], n: int) -> NDArray[Any]:
    """By SciPy, with components numbered by their smallest vertex."""
    sparse = pytest.importorskip("scipy.sparse")
    ones = np.ones(len(u), np.int8)
    components = sparse.csgraph.connected_components(sparse.coo_array((ones, (u, v)), shape=(n, n)), directed=False)[1]
    _, first = np.unique(components, return_index=True)
    numbers = np.empty(len(first), np.int64)
    numbers[np.argsort(first)] = np.arange(len(first))
    return numbers[components]


def edges(kind: str, n: int, m: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rng = np.random.default_rng([n, m])
    u, v = (rng.integers(0, n, m) for _ in range(2))
    if kind == "two large":  # joined by the last edge
        half = n // 2
        v = np.where(u < half, v % half, half + v % (n - half))
        u[-1], v[-1] = 0, n - 1
    elif kind == "nine in ten":  # and the others in pairs at the end of the list
        giant = n * 9 // 10
        u, v = u % giant, v % giant
        few = (n - giant) // 2
        u[-few:], v[-few:] = giant + 2 * np.arange(few), giant + 2 * np.arange(few) + 1
    elif kind == "late ids":  # the second half of the list brings vertices that are not in the first
        u[: m // 2] %= n // 3
        v[: m // 2] %= n // 3
    elif kind == "sorted":
        order = np.lexsort((v, u))
        u, v = u[order], v[order]
    return u, v


KINDS = ["random", "two large", "nine in ten", "late ids", "sorted"]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [200020])
def test_no_edge_is_lost(kind: str, n: int, small_sets: int) -> None:
    agree(kind, n)


@pytest.mark.parametrize("kind", KINDS)
def test_no_edge_is_lost_where_parents_are_compared(kind: str, cached_parents: None) -> None:
    assert agree(kind, 200020, of_each=8) > 0 or kind == "sorted"


def agree(kind: str, n: int, of_each: int = 5) -> int:
    """Compares answers with SciPy's, of so many edges of each vertex; how many edges were left out."""
    left_out = 0
    u, v = edges(kind, n, of_each * n + 17)
    expected = labels_of(u, v, n)
    forms = [(u, v), (u.astype(np.int32), v.astype(np.uint32)), (np.stack([u, v], 1)[:, 0], np.stack([u, v], 1)[:, 1])]
    for (a, b), threads, owners in product(forms, (1, 2), ("off", "on")):
        plan = PLAN.format(owners, "tree")
        answer = landbridge.components((a, b), plan=plan, threads=threads)
        assert np.array_equal(answer.labels, expected)
        left_out += answer.profile.left_out
        wide = plan.replace("owners", "ids=wide,owners")
        checked = landbridge.components(landbridge.Graph((a, b)), plan=wide, threads=threads)
        assert np.array_equal(checked.labels, expected)
        forest = landbridge.spanning_forest((a, b), plan=plan, threads=threads)
        landbridge.check_forest(landbridge.Graph((a, b)), forest)
    return left_out


def test_most_edges_of_a_random_graph_are_left_out(small_sets: int) -> None:
    n = 1 << 18
    u, v = edges("random", n, 8 * n)
    left_out = landbridge.components((u, v), plan=PLAN.format("on", "tree"), threads=2).profile.left_out
    assert left_out > len(u) / 2
    assert landbridge.components((u, v), plan=PLAN.format("on", "off"), threads=2).profile.left_out == 0
    assert landbridge.components((u, v), device="cpu", threads=2).profile.left_out > len(u) / 2


@pytest.mark.parametrize("threads", [1, 2])
def test_edges_of_one_parent_are_left_out(threads: int, cached_parents: None) -> None:
    n = 1 << 17
    u, v = edges("random", n, 8 * n)
    for a, b in ((u, v), (u // 64 * 64 + u % 64, u // 64 * 64 + v % 64)):
        answer = landbridge.components((a, b), plan=PLAN.format("on", "tree"), threads=threads)
        assert answer.profile.left_out > len(u) / 2
        assert landbridge.components((a, b), plan=PLAN.format("on", "off"), threads=threads).profile.left_out == 0
        assert np.array_equal(answer.labels, labels_of(a, b, n))


def test_none_are_where_no_tree_is_large(small_sets: int) -> None:
    n = 1 << 18
    u, v = edges("random", n, 8 * n)
    v = u // 64 * 64 + v % 64
    answer = landbridge.components((u, v), plan=PLAN.format("on", "tree"), threads=2)
    assert answer.profile.left_out == 0 and answer.count == n // 64


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_groups_of_vertices_with_any_members(data: st.DataObject) -> None:
    """A tree with holes at drawn places: a group with a hole is in no set."""
    n = data.draw(st.integers(1 << 17, 1 << 18))
    holes = data.draw(st.lists(st.integers(0, n - 1), max_size=20))
    before = _core.set_cached_set_bytes(data.draw(st.sampled_from([0, 1 << 9, 1 << 12, 1 << 16])))
    try:
        inside = np.setdiff1d(np.arange(n), holes)
        rng = np.random.default_rng(n)
        m = 4 * n + data.draw(st.integers(0, 70))
        u, v = (inside[rng.integers(0, len(inside), m)] for _ in range(2))
        late = np.array(sorted({int(x) for x in holes}), np.int64)  # each hole joins a vertex at the very end
        to = data.draw(st.integers(0, n - 1))
        u, v = np.append(u, late), np.append(v, np.full(len(late), to))
        answer = landbridge.components((u, v), num_vertices=n, plan=PLAN.format("on", "tree"), threads=2)
        assert np.array_equal(answer.labels, labels_of(u, v, n))
    finally:
        _core.set_cached_set_bytes(before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("batch", [20_000, 300_000])
def test_streams_lose_no_edge(kind: str, batch: int, small_sets: int) -> None:
    n = 1 << 12
    u, v = edges(kind, n, 96 * n + 17)
    expected = labels_of(u, v, n)
    for threads, sides in ((2, 1), (2, 2), (1, 2)):
        stream = landbridge.Incremental(n, threads=threads, plan="async(inter)@cpu", forest=True)

        def insert(side: int, sides: int = sides, stream: landbridge.Incremental = stream) -> None:
            for begin in range(side * batch, len(u), sides * batch):
                stream.insert(u[begin : begin + batch], v[begin : begin + batch])

        callers = [threading.Thread(target=insert, args=(side,)) for side in range(sides)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert np.array_equal(stream.components().labels, expected)
        if sides == 1:
            landbridge.check_forest(landbridge.Graph((u, v), num_vertices=n), stream.forest())


@pytest.mark.parametrize("plan", ["async(inter)@cpu", "rem_cas(naive,halve_one)@cpu(ids=wide)", "hooks(split)@cpu"])
def test_streams_that_grow_lose_no_edge(plan: str, small_sets: int) -> None:
    """Vertices turn up behind the set that is in use, and each caller finds its own edges connected at once."""
    n, batch = 60_001, 30_000
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, n * 9 // 10, 600_000), rng.integers(0, n * 9 // 10, 600_000)
    u[::50] = rng.integers(0, n, 12_000)
    v[::50] = np.minimum(u[::50] + 1, n - 1)
    order = np.argsort(np.maximum(u, v), kind="stable")
    u, v = u[order], v[order]
    stream = landbridge.Incremental(threads=2, plan=plan, forest=True)
    connected = list[bool]()

    def insert(side: int) -> None:
        for begin in range(side * batch, len(u), 2 * batch):
            edges = u[begin : begin + batch], v[begin : begin + batch]
            stream.insert(*edges)
            connected.append(bool(np.all(stream.connected(*edges))))

    callers = [threading.Thread(target=insert, args=(side,)) for side in (0, 1)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    answer, forest = stream.components(), stream.forest()
    assert np.array_equal(answer.labels, labels_of(u, v, len(answer.labels))) and stream.count == answer.count
    assert connected == [True] * (len(u) // batch)
    assert len(forest.u) == len(answer.labels) - answer.count
    assert np.array_equal(labels_of(np.asarray(forest.u), np.asarray(forest.v), len(answer.labels)), answer.labels)


@pytest.mark.parametrize(("plan", "marks"), [("async(inter)@cpu", True), ("async(inter)@cpu(skip=off)", False)])
def test_streams_mark_their_largest_tree_unless_the_plan_says_off(plan: str, marks: bool, small_sets: int) -> None:
    n, batch = 1 << 16, 20_000
    u, v = edges("random", n, 50 * batch)
    stream = landbridge.Incremental(n, threads=2, plan=plan)
    for begin in range(0, 6 * batch, batch):
        stream.insert(u[begin : begin + batch], v[begin : begin + batch])
    _core.fail_allocation(1)
    try:
        for begin in range(6 * batch, len(u), batch):  # the set is the only array that they make, and do without
            stream.insert(u[begin : begin + batch], v[begin : begin + batch])
        with nullcontext() if marks else pytest.raises(MemoryError):
            landbridge.components(landbridge.Graph((u, v), num_vertices=n), plan="async(halve)@cpu")
    finally:
        _core.fail_allocation(0)
    assert np.array_equal(stream.components().labels, labels_of(u, v, n))


def sets_of_a_stream(u: NDArray[Any], v: NDArray[Any], n: int, *, plan: str = "async(inter)@cpu") -> int:
    """How many sets a stream in batches of 2^18 edges makes."""
    batch = 1 << 18
    trees: Any = open_trees(parse_plan(plan), n, False, 2)
    for begin in range(0, len(u), batch):
        trees.insert(u[begin : begin + batch], v[begin : begin + batch])
    return int(trees.sets)


@pytest.fixture
def parents_in_memory() -> Iterator[None]:
    """Those of 2^16 vertices are larger than the third-level cache is taken for."""
    before = _core.set_cached_set_bytes(1 << 12)
    yield
    _core.set_cached_set_bytes(before)


@pytest.fixture
def parents_in_a_cache() -> Iterator[None]:
    """Those of 2^16 vertices are larger than a set, and smaller than the third-level cache."""
    before = _core.set_cached_set_bytes(1 << 16)
    yield
    _core.set_cached_set_bytes(before)


def test_a_stream_makes_a_set_where_its_time_comes_back(parents_in_memory: None) -> None:
    n = 1 << 16
    u, v = edges("random", n, 64 * n)
    assert 1 <= sets_of_a_stream(u, v, n) <= 3
    assert sets_of_a_stream(u, v, n, plan="async(inter)@cpu(skip=off)") == 0


def test_a_stream_makes_one_later_where_parents_are_cached(parents_in_a_cache: None) -> None:
    n = 1 << 16
    u, v = edges("random", n, 64 * n)
    assert sets_of_a_stream(u[: 4 * n], v[: 4 * n], n) == 0
    assert sets_of_a_stream(u, v, n) == 1


def test_a_stream_makes_none_where_no_tree_is_large(parents_in_memory: None) -> None:
    n = 1 << 16
    u, v = edges("random", n, 64 * n)
    assert sets_of_a_stream(u, u // 64 * 64 + v % 64, n) == 0
