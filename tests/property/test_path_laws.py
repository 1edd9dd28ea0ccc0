"""Laws of paths: every edge is one of the input, they follow each other, and with scores no path is stronger."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.reference import by_search

import landbridge
from landbridge import EdgePath
from property.strategies import Ids, Pairs, pairs

SEEDS = st.integers(0, 2**32)


def walk(path: EdgePath, graph: Pairs, start: int, stop: int) -> None:
    """Follow a path from edge to edge of the input."""
    here, visited = start, {start}
    for position in path.edge.tolist():
        a, b = int(graph.u[position]), int(graph.v[position])
        assert here in (a, b)
        here = b if here == a else a
        assert here not in visited
        visited.add(here)
    assert here == stop
    assert path.vertices[0] == start
    assert path.vertices[-1] == stop
    assert set(path.vertices.tolist()) == visited
    assert np.array_equal(path.u, graph.u[path.edge])
    assert np.array_equal(path.v, graph.v[path.edge])


def connected(graph: Pairs, some: Ids) -> Ids:
    return by_search(graph.n, graph.u[some].tolist(), graph.v[some].tolist())


@settings(max_examples=25)
@given(pairs(least=1), SEEDS, st.booleans())
def test_paths_lead_along_edges_of_the_input(graph: Pairs, seed: int, rows: bool) -> None:
    whole = connected(graph, np.arange(len(graph.u)))
    forest = landbridge.spanning_forest(graph.graph())
    questions = np.random.default_rng(seed).integers(0, graph.n, (20, 2)).tolist()
    for start, stop in questions:
        path = forest.why(start, stop)
        assert path.connected == (whole[start] == whole[stop])
        assert path.connected == bool(path)
        if path.connected:
            walk(path, graph, start, stop)
            assert len(path) == len(path.vertices) - 1
            assert set(path.edge.tolist()) <= set(forest.edge.tolist())


@settings(max_examples=25)
@given(pairs(least=1), SEEDS)
def test_no_path_is_stronger(graph: Pairs, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 8, len(graph.u)) / 8
    start, stop = rng.integers(0, graph.n, 2).tolist()
    path = landbridge.why((graph.u, graph.v), start, stop, score=scores, num_vertices=graph.n)
    whole = connected(graph, np.arange(len(graph.u)))
    assert path.connected == (whole[start] == whole[stop])
    if not path.connected:
        return
    walk(path, graph, start, stop)
    if path.weakest is None:
        assert start == stop
        return
    weakest = scores[path.edge].min()
    assert path.score is not None
    assert path.score[path.weakest] == weakest
    stronger = connected(graph, np.flatnonzero(scores > weakest))
    assert stronger[start] != stronger[stop]


def test_the_edges_are_taken_in_order_beyond_a_batch() -> None:
    """The forest of scores is the one that a sort and one edge after the other give, also of many batches of edges."""
    rng = np.random.default_rng(3)
    n, m = 20_000, 100_000
    u, v, scores = rng.integers(0, n, m), rng.integers(0, n, m), rng.random(m)
    order = np.argsort(-scores)
    parent = list(range(n))

    def root(x: int) -> int:
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        return x

    forest_edges = []
    for i in order.tolist():
        a, b = root(int(u[i])), root(int(v[i]))
        if a != b:
            parent[a] = b
            forest_edges.append(i)
    forest = landbridge.spanning_forest((u[order], v[order]), plan="async(halve)", threads=1, num_vertices=n)
    assert sorted(order[forest.edge].tolist()) == sorted(forest_edges)


def test_a_long_path() -> None:
    n = 100_000
    names = np.random.default_rng(1).permutation(n)
    forest = landbridge.spanning_forest((names[:-1], names[1:]))
    path = forest.why(int(names[0]), int(names[-1]))
    assert np.array_equal(path.vertices, names)
    assert np.array_equal(path.edge, np.arange(n - 1))
