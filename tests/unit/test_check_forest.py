"""The checker accepts every spanning forest and nothing else, and its one line proves the point."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.refusals import refused
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import CheckFailed, Graph, InputError, check_forest
from landbridge.edges.forms import Adjacency

# A triangle 0 1 2 with 1-2 stored twice, a pair 3-4, and 5 alone.
GRAPH = (np.array([0, 1, 2, 2, 4]), np.array([1, 2, 1, 0, 3]))
FOREST = ([0, 1, 4], [1, 2, 3], [0, 1, 4])
SIX = Graph(GRAPH, num_vertices=6)


def forest(*edges: int) -> tuple[Any, Any, Any]:
    e = np.array(edges, dtype=int)
    return GRAPH[0][e], GRAPH[1][e], e


def broken(graph: Any, answer: Any, message: str) -> None:
    with refused(CheckFailed, message):
        check_forest(graph, answer)


def test_every_spanning_tree_of_the_triangle_is_accepted() -> None:
    for pair in ((0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (3, 0)):
        check_forest(GRAPH, forest(*pair, 4))
    check_forest(SIX, FOREST)
    check_forest(SIX, tuple(map(np.array, FOREST)))


def test_ends_may_stand_either_way() -> None:
    check_forest(GRAPH, ([1, 2, 3], [0, 1, 4], [0, 1, 4]))


def test_an_edge_dropped() -> None:
    broken(GRAPH, forest(0, 4), "edge 1 joins 1 and 2, but no path of the forest does")
    broken(GRAPH, forest(0, 1), "edge 4 joins 4 and 3, but no path of the forest does")
    broken(GRAPH, forest(), "edge 0 joins 0 and 1, but no path of the forest does")


def test_an_edge_twice() -> None:
    again = "which the forest edges before it have joined: it closes a cycle"
    broken(GRAPH, forest(0, 1, 1, 4), f"forest edge 2 joins 1 and 2, {again}")
    broken(GRAPH, forest(0, 1, 2, 4), f"forest edge 2 joins 2 and 1, {again}")


def test_a_cycle() -> None:
    again = "which the forest edges before it have joined: it closes a cycle"
    broken(GRAPH, forest(0, 1, 3, 4), f"forest edge 2 joins 2 and 0, {again}")


def test_a_loop_is_a_cycle() -> None:
    again = "which the forest edges before it have joined: it closes a cycle"
    broken(([0, 1], [1, 1]), ([0, 1], [1, 1], [0, 1]), f"forest edge 1 joins 1 and 1, {again}")


def test_an_edge_that_is_not_of_the_input() -> None:
    broken(SIX, ([0, 1, 4, 4], [1, 2, 3, 5], [0, 1, 4, 4]),
           "forest edge 3 joins 4 and 5, but edge 4 of the graph does not")  # fmt: skip


def test_an_extra_edge_across_components() -> None:
    broken(SIX, ([0, 1, 4, 2], [1, 2, 3, 3], [0, 1, 4, 3]),
           "forest edge 3 joins 2 and 3, but edge 3 of the graph does not")  # fmt: skip


def test_a_wrong_position() -> None:
    broken(GRAPH, ([0, 1, 4], [1, 2, 3], [1, 1, 4]), "forest edge 0 joins 0 and 1, but edge 1 of the graph does not")
    broken(GRAPH, ([0, 1, 4], [1, 2, 3], [0, 1, 5]), "forest edge 2: position 5 is out of range for 5 edges")
    broken(GRAPH, ([0, 1, 4], [1, 2, 3], [0, 1, -1]), "forest edge 2: position -1 is negative")
    broken(GRAPH, ([0, 1, 4], [1, 2, 5], [0, 1, 4]), "forest edge 2: vertex 5 is out of range for n = 5")
    broken(GRAPH, ([0, -1, 4], [1, 2, 3], [0, 1, 4]), "forest edge 1: vertex -1 is negative")


def test_positions_in_rows_are_those_of_arcs() -> None:
    rows = Graph(Adjacency(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1])))
    check_forest(rows, ([0, 2], [1, 1], [0, 3]))
    check_forest(rows, ([0, 1], [1, 2], [1, 2]))
    broken(rows, ([0, 1], [1, 2], [0, 1]), "forest edge 1 joins 1 and 2, but arc 1 of the graph does not")
    broken(rows, ([0, 2], [1, 0], [0, 3]), "forest edge 1 joins 2 and 0, but arc 3 of the graph does not")


def test_a_wrong_count() -> None:
    forest = landbridge.spanning_forest(GRAPH)
    check_forest(GRAPH, forest)
    broken(GRAPH, replace(forest, count=3), "the forest says that it has 3 trees, and its edges make 2")


def test_lengths_that_differ() -> None:
    broken(GRAPH, ([0, 1], [1, 2, 3], [0, 1, 4]),
           "the forest has 2 u, 3 v and 3 positions; each edge needs all three")  # fmt: skip


def test_other_things_are_refused() -> None:
    with refused(InputError, "a forest is a SpanningForest or a tuple (u, v, edge) of arrays"):
        check_forest(GRAPH, [0, 1, 4])
    with refused(InputError, "edge must be a one-dimensional array of integers, not float64 of shape (3,)"):
        check_forest(GRAPH, ([0, 1, 4], [1, 2, 3], [0.0, 1.0, 4.0]))


def test_ids_of_the_graph() -> None:
    u, v = np.array([-7, 10**12, 3]), np.array([3, 3, -7])
    forest = landbridge.spanning_forest((u, v), ids="sparse")
    check_forest((u, v), forest)
    check_forest((u, v), (u[[0, 1]], v[[0, 1]], [0, 1]), ids="sparse")
    with refused(CheckFailed, "forest edge 1: the graph has no vertex 4"):
        check_forest((u, v), ([-7, 4], [3, 3], [0, 1]), ids="sparse")


@pytest.mark.parametrize("layout", ["csr", "coo"])
@pytest.mark.parametrize("specimen", [s for s in zoo() if s.n - s.count > 1][::3], ids=str)
def test_no_change_of_a_right_answer_goes_unseen(specimen: Specimen, layout: str) -> None:
    graph = specimen.graph(layout)
    right = landbridge.spanning_forest(graph)
    check_forest(graph, right)
    size = len(right.edge)
    rng = np.random.default_rng(specimen.n)
    arrays = (right.u, right.v, right.edge)
    at = int(rng.integers(size))
    without = tuple(np.delete(a, at) for a in arrays)
    twice = tuple(np.append(a, a[at]) for a in arrays)
    for wrong in (without, twice):
        with pytest.raises(CheckFailed):
            check_forest(graph, wrong)


@given(st.data())
def test_only_spanning_forests_are_accepted(data: st.DataObject) -> None:
    """Any choice of edges of a small graph, judged by counting components with and without each of them."""
    n = data.draw(st.integers(1, 6))
    end = st.integers(0, n - 1)
    edges = data.draw(st.lists(st.tuples(end, end), max_size=8))
    positions = data.draw(st.lists(st.sampled_from(range(len(edges))), unique=True)) if edges else []
    u, v = np.array(edges, dtype=int).reshape(-1, 2).T
    graph = Graph((u, v), num_vertices=n)
    e = np.array(positions, dtype=int)
    trees = landbridge.components(Graph((u[e], v[e]), num_vertices=n)).count
    right = trees == landbridge.components(graph).count and n - trees == len(e)
    try:
        check_forest(graph, (u[e], v[e], e))
    except CheckFailed:
        assert not right
    else:
        assert right
