"""Laws of spanning forests, for random graphs and random plans. No law needs the answer."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles.reference import by_search

import landbridge
from landbridge import Graph, SpanningForest, check_forest
from landbridge.edges.forms import Adjacency
from landbridge.plan import parse
from property.strategies import Ids, Pairs, Way, pairs, ways
from property.test_component_laws import rows

forest_ways = ways().filter(lambda way: not parse(way.plan).finish.no_forest)


def of(graph: Graph, way: Way) -> SpanningForest:
    return landbridge.spanning_forest(graph, plan=way.plan, threads=way.threads)


def labels(n: int, u: Ids, v: Ids) -> Ids:
    return by_search(n, u.tolist(), v.tolist())


@given(pairs(), forest_ways)
def test_a_forest_is_as_many_edges_as_it_takes_and_connects_the_same(graph: Pairs, way: Way) -> None:
    whole = labels(graph.n, graph.u, graph.v)
    edge_list = graph.graph()
    forest = of(edge_list.to_rows(way.threads) if way.rows else edge_list, way)
    assert forest.count == whole.max(initial=-1) + 1
    assert len(forest.edge) == graph.n - forest.count
    # n - k edges with k components are a forest: one edge fewer would leave one component more.
    assert np.array_equal(labels(graph.n, forest.u, forest.v), whole)


@given(pairs(), forest_ways)
def test_edges_stand_where_they_say(graph: Pairs, way: Way) -> None:
    forest = of(graph.graph(), way)
    assert np.array_equal(graph.u[forest.edge], forest.u)
    assert np.array_equal(graph.v[forest.edge], forest.v)
    assert len(np.unique(forest.edge)) == len(forest.edge)


@given(pairs(), forest_ways, st.integers(0, 2**32))
def test_rows_may_hold_an_edge_at_either_end_or_both(graph: Pairs, way: Way, seed: int) -> None:
    n, low, high = graph.n, np.minimum(graph.u, graph.v), np.maximum(graph.u, graph.v)
    turn = np.random.default_rng(seed).random(len(low)) < 0.5
    both = np.concatenate([low, high]), np.concatenate([high, low])
    stored = {
        "upper": (low, high),
        "lower": (high, low),
        "mixed": (np.where(turn, low, high), np.where(turn, high, low)),
        "both": both,
    }
    for name, (u, v) in stored.items():
        for promise in (None, True) if name == "both" else (None,):
            offsets, neighbors = rows(n, u, v)
            csr = Graph(Adjacency(offsets, neighbors), symmetric=promise)
            forest = of(csr, way)
            check_forest(csr, forest)
            assert np.array_equal(neighbors[forest.edge], forest.v)
            assert np.array_equal(np.searchsorted(offsets, forest.edge, side="right") - 1, forest.u)


@given(pairs(), forest_ways)
def test_the_forest_of_a_forest_is_all_of_it(graph: Pairs, way: Way) -> None:
    forest = of(graph.graph(), way)
    again = of(Graph((forest.u, forest.v), num_vertices=graph.n), way)
    assert np.array_equal(again.edge, np.arange(len(forest.edge)))


@given(pairs(), pairs(), forest_ways, forest_ways)
def test_forests_of_parts_merge_to_a_forest_of_the_whole(left: Pairs, right: Pairs, one: Way, other: Way) -> None:
    n = max(left.n, right.n)
    parts = [of(part.graph(), way) for part, way in ((left, one), (right, other))]
    merged = np.concatenate([p.u for p in parts]), np.concatenate([p.v for p in parts])
    forest = of(Graph(merged, num_vertices=n), one)
    whole = np.concatenate([left.u, right.u]), np.concatenate([left.v, right.v])
    assert np.array_equal(labels(n, forest.u, forest.v), labels(n, *whole))
    assert len(forest.edge) == n - forest.count


@given(pairs(), forest_ways, st.integers(0, 2**32))
def test_sparse_ids_come_back(graph: Pairs, way: Way, seed: int) -> None:
    names = np.sort(np.random.default_rng(seed).choice(2**40, graph.n, replace=False)) - 2**39
    u, v = names[graph.u], names[graph.v]
    forest = landbridge.spanning_forest((u, v), ids="sparse", plan=way.plan, threads=way.threads)
    assert np.array_equal(u[forest.edge], forest.u)
    assert np.array_equal(v[forest.edge], forest.v)
    check_forest((u, v), forest)
