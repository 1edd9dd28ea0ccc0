"""Laws of the arrays of a forest: they are made when they are read, and are those of the graph as it was."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.refusals import refused

import landbridge
from landbridge import CSR, Graph, InputError, SpanningForest, check_forest
from landbridge.plan import parse
from property.strategies import Pairs, Way, pairs, ways
from property.test_component_laws import rows

forest_ways = ways().filter(lambda way: not parse(way.plan).finish.no_forest)
orders = st.permutations(["u", "v", "edge"])
COPIES: list[Callable[[SpanningForest], SpanningForest]] = [
    copy.copy,
    copy.deepcopy,
    replace,
    lambda forest: pickle.loads(pickle.dumps(forest)),
]


def graph_of(graph: Pairs, way: Way) -> Graph:
    if not way.rows:
        return Graph((graph.u.copy(), graph.v.copy()), num_vertices=graph.n)
    return Graph(CSR(*rows(graph.n, np.minimum(graph.u, graph.v), np.maximum(graph.u, graph.v))))


def lists(forest: SpanningForest) -> tuple[list[int], list[int], list[int]]:
    return forest.u.tolist(), forest.v.tolist(), forest.edge.tolist()


@given(pairs(), forest_ways, orders, st.integers(0, len(COPIES) - 1))
def test_the_order_of_reading_and_copies_change_nothing(graph: Pairs, way: Way, order: list[str], by: int) -> None:
    g = graph_of(graph, way)
    forest = landbridge.spanning_forest(g, plan=way.plan, threads=way.threads)
    assert (forest.num_edges, forest.num_vertices) == (graph.n - forest.count, graph.n)
    repr(forest)
    getattr(forest, order[0])
    twin = COPIES[by](forest)
    arrays = {name: getattr(forest, name) for name in order}
    assert lists(twin) == lists(forest)
    assert all(getattr(forest, name) is array for name, array in arrays.items())
    cell = np.int64 if parse(way.plan).option("ids", "") == "wide" else np.int32
    assert [arrays[name].dtype for name in ("u", "v", "edge")] == [cell, cell, np.int64]
    assert len(arrays["u"]) == len(arrays["v"]) == len(arrays["edge"]) == forest.num_edges
    check_forest(g, forest)
    check_forest(g, twin)


@given(pairs(), forest_ways)
def test_arrays_of_the_caller_may_change_at_once(graph: Pairs, way: Way) -> None:
    for m in (len(graph.u), 1 << 17):  # from 2^17 edges on they are read once
        u, v = np.resize(graph.u, m), np.resize(graph.v, m)
        if m == 0 or len(graph.u) == 0:
            continue
        mine = u.copy(), v.copy()
        forest = landbridge.spanning_forest(mine, plan=way.plan, threads=way.threads)
        mine[0][:] = mine[1][:] = 0
        assert np.array_equal(u[forest.edge], forest.u)
        assert np.array_equal(v[forest.edge], forest.v)
        check_forest((u, v), forest)


@given(pairs(), forest_ways)
def test_a_graph_that_has_changed_is_refused_and_never_read_twice(graph: Pairs, way: Way) -> None:
    g = graph_of(graph, way)
    early, late = (landbridge.spanning_forest(g, plan=way.plan, threads=way.threads) for _ in range(2))
    before = lists(early)
    g.a[:] = (g.a + 1) % max(1, graph.n)
    assert lists(early) == before
    assert len(late.edge) == graph.n - late.count
    if late.num_edges:
        for _ in range(2):
            with refused(InputError, "the arrays of the graph have changed since its forest", exactly=False):
                _ = late.v
    else:
        assert len(late.u) == len(late.v) == 0


@given(pairs(), forest_ways)
def test_several_threads_read_the_same_arrays(graph: Pairs, way: Way) -> None:
    g = graph_of(graph, way)
    forest = landbridge.spanning_forest(g, plan=way.plan, threads=way.threads)
    read: list[tuple[int, int, int]] = []

    def look() -> None:
        read.append((id(forest.edge), id(forest.v), id(forest.u)))

    readers = [Thread(target=look) for _ in range(3)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert set(read) == {(id(forest.edge), id(forest.v), id(forest.u))}
    check_forest(g, forest)


def test_a_small_csr_whose_offsets_have_changed_is_refused() -> None:
    offsets, neighbors = np.array([0, 1, 2, 3, 4, 4], np.int32), np.array([1, 2, 3, 0], np.int32)
    forest = landbridge.spanning_forest(Graph(CSR(offsets, neighbors)), device="cpu")
    offsets[:] = 0
    with pytest.raises(InputError, match="have changed"):
        _ = forest.u


def test_arrays_that_are_not_made_yet_are_listed_and_copied() -> None:
    forest = landbridge.spanning_forest(Graph(([0, 1, 2], [1, 2, 0])), device="cpu")
    assert {"u", "v", "edge"} <= set(dir(forest))
    copied = copy.copy(forest)
    assert "_edges" not in vars(copied) and copied.u.tolist() == forest.u.tolist()
