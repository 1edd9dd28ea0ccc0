"""The checks of timed answers refuse every broken one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import landbridge
from benchmarks.check import WrongAnswer, check_answer, check_device_forest, check_forest, check_ranks
from benchmarks.list_cases import list_case
from landbridge.edges.forms import Adjacency
from peers.base import Answer, Case


def test_right_answers_pass(case: Case) -> None:
    check_answer("x", case, Answer((1.0,), 3), exact=False)
    check_answer("x", case, Answer((1.0,), 3, case.labels), exact=True)
    check_answer("x", case, Answer((1.0,), 3, np.array([9, 4, 4, 4, 4, 4, 4, 0])), exact=False)


@pytest.mark.parametrize(
    ("count", "labels", "exact", "message"),
    [
        (2, None, False, "2 components instead of 3"),
        (3, None, True, "no labels"),
        (3, [0, 1, 1], False, r"shape \(3,\) instead of \(8,\)"),
        (3, [0, 1, 1], True, r"shape \(3,\) instead of \(8,\)"),
        (3, [0, 1, 1, 1, 2, 1, 1, 2], False, "vertex 4 is labelled 2 instead of 1"),
        (3, [5, 1, 1, 1, 1, 1, 1, 1], False, "two components carry the same label"),
        (3, [0, 0, 0, 0, 0, 0, 0, 2], False, "two components carry the same label"),
        (3, [1, 0, 0, 0, 0, 0, 0, 2], True, "vertex 0 is labelled 1 instead of 0"),
    ],
)
def test_broken_answers_are_refused(
    case: Case, count: int, labels: list[int] | None, exact: bool, message: str
) -> None:
    array = None if labels is None else np.array(labels)
    with pytest.raises(WrongAnswer, match="a peer on path: .*" + message):
        check_answer("a peer", case, Answer((1.0,), count, array), exact=exact)


def test_forests_are_held_against_their_graph(case: Case) -> None:
    graph = landbridge.Graph(Adjacency(case.offsets, case.neighbors, symmetric=True))
    forest = landbridge.spanning_forest(graph)
    check_forest("x", graph, forest, 3)
    with pytest.raises(WrongAnswer, match="x: 3 trees instead of 4"):
        check_forest("x", graph, forest, 4)
    other = landbridge.Graph(([1], [2]), num_vertices=8)
    with pytest.raises(WrongAnswer, match="x: "):
        check_forest("x", other, forest, 3)


def test_forests_on_a_device_are_looked_up(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    components = landbridge.components
    monkeypatch.setattr(landbridge, "components", lambda edges, device, **more: components(edges, **more))
    graph: Any = SimpleNamespace(
        name="path", count=3, labels=case.labels, offsets=case.offsets, neighbors=case.neighbors
    )
    u, v, edge = np.array([1, 2, 3, 4, 5]), np.array([2, 3, 4, 5, 6]), np.array([0, 2, 4, 6, 8])
    check_device_forest("x", graph, (u, v, edge))
    with pytest.raises(WrongAnswer, match="x on path: 4 edges instead of 5"):
        check_device_forest("x", graph, (u[1:], v[1:], edge[1:]))
    with pytest.raises(WrongAnswer, match="an edge is not at its position"):
        check_device_forest("x", graph, (u, v, edge[::-1]))
    twice = np.array([1, 1, 3, 4, 5]), np.array([2, 2, 4, 5, 6]), np.array([0, 0, 4, 6, 8])
    with pytest.raises(WrongAnswer, match="components of the edges of x on path: 4 components instead of 3"):
        check_device_forest("x", graph, twice)


def test_ranks_are_one_more_than_the_next() -> None:
    successor = list_case("ordered 2^2").successor
    check_ranks("x", successor, np.array([3, 2, 1, 0]))
    for ranks in ([3, 2, 1, 1], [4, 3, 2, 0]):
        with pytest.raises(WrongAnswer, match="has a wrong rank"):
            check_ranks("x", successor, np.array(ranks))
