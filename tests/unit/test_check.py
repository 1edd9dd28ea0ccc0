"""The checker accepts the answer and nothing else, and its one line proves the point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.reference import by_search, first_seen
from oracles.refusals import refused
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import CheckFailed, Graph, InputError, check_components

# Components {0, 3}, {1}, {2, 4, 5}; edges by position.
GRAPH = (np.array([3, 2, 5, 4]), np.array([0, 4, 4, 4]))
ANSWER = [0, 1, 2, 0, 2, 2]
ROWS = Graph(GRAPH).to_rows()


def broken(graph: Any, labels: Any, message: str, **options: Any) -> None:
    with refused(CheckFailed, message):
        check_components(graph, labels, **options)


@pytest.mark.parametrize("layout", ["csr", "coo"])
@pytest.mark.parametrize("specimen", zoo(), ids=str)
def test_the_answer_is_accepted(specimen: Specimen, layout: str) -> None:
    check_components(specimen.graph(layout), specimen.answer, numbering=True)


def test_a_component_split_in_two() -> None:
    broken(GRAPH, [0, 1, 2, 0, 2, 3], "edge 2 joins 5 and 4, but their labels are 3 and 2")


def test_two_components_made_one() -> None:
    broken(GRAPH, [0, 1, 1, 0, 1, 1], "vertex 1 and vertex 2 have label 1, but no path joins them")


def test_vertex_0_cut_off() -> None:
    broken(GRAPH, [0, 1, 2, 3, 2, 2], "edge 0 joins 3 and 0, but their labels are 3 and 0")
    broken(([0, 0], [1, 2]), [0, 1, 1], "edge 0 joins 0 and 1, but their labels are 0 and 1")


def test_vertex_0_swallowed() -> None:
    broken(([1], [2]), [0, 0, 0], "vertex 0 and vertex 1 have label 0, but no path joins them")


def test_a_vertex_moved_to_another_component() -> None:
    broken(GRAPH, [0, 1, 2, 2, 2, 2], "edge 0 joins 3 and 0, but their labels are 2 and 0")


def test_numbers_exchanged() -> None:
    broken(
        GRAPH, [0, 2, 1, 0, 1, 1], "vertex 1 is the first of its component and must have label 1, not 2", numbering=True
    )


def test_all_numbers_shifted() -> None:
    broken(
        GRAPH, [1, 2, 3, 1, 3, 3], "vertex 0 is the first of its component and must have label 0, not 1", numbering=True
    )


def test_representatives_are_no_labels() -> None:
    broken(
        ([1, 3], [0, 2]),
        [0, 0, 2, 2],
        "vertex 2 is the first of its component and must have label 1, not 2",
        numbering=True,
    )


def test_a_wrong_length() -> None:
    broken(GRAPH, ANSWER[:-1], "there are 5 labels for 6 vertices")
    broken(GRAPH, [*ANSWER, 3], "there are 7 labels for 6 vertices")
    broken(GRAPH, np.array([], dtype=int), "there are 0 labels for 6 vertices")


def test_a_negative_label() -> None:
    broken(GRAPH, [0, 1, 2, 0, -1, 2], "edge 1 joins 2 and 4, but their labels are 2 and -1")
    broken(GRAPH, [-1, 1, 2, -1, 2, 2], "vertex 0 has label -1", numbering=True)
    broken(GRAPH, np.array([-128, 1, 2, 0, 2, 2], dtype=np.int8), "vertex 0 has label -128", numbering=True)


def test_a_label_beyond_every_count() -> None:
    largest = np.array([0, 2**64 - 1], dtype=np.uint64)
    broken(([0], [1]), largest, f"edge 0 joins 0 and 1, but their labels are 0 and {2**64 - 1}")
    with refused(CheckFailed, f"vertex 1 is the first of its component and must have label 1, not {2**62}"):
        check_components(Graph(([0], [0]), num_vertices=2), np.array([0, 2**62]), numbering=True)
    with refused(CheckFailed, f"vertex 1 is the first of its component and must have label 1, not {2**32}"):
        check_components(Graph(([0], [0]), num_vertices=2), np.array([0, 2**32]), numbering=True)


@pytest.mark.parametrize(
    ("labels", "problem"),
    [
        ([0.5] * 6, "vertex 0: the labels = 0.5 is not a whole number"),
        ([0, 1, 2, 0, 2, None], "vertex 5: the labels is null"),
        ([False] * 6, "vertex 0: the labels = False is not a whole number"),
        (np.zeros((6, 1), dtype=int), "the labels must be one-dimensional, not of shape (6, 1)"),
        (None, "the labels must be a column, such as an array or a list, not NoneType"),
        (7, "the labels must be a column, such as an array or a list, not int"),
    ],
)
def test_labels_that_are_no_labels(labels: Any, problem: str) -> None:
    with refused(InputError, problem):
        check_components(GRAPH, labels)


def test_labels_of_text_have_no_numbers() -> None:
    check_components(GRAPH, list("abcacc"))
    broken(GRAPH, list("abcacd"), "edge 2 joins 5 and 4, but their labels are 'd' and 'c'")
    broken(GRAPH, list("abbabb"), "vertex 1 and vertex 2 have label 'b', but no path joins them")
    with refused(InputError, "the labels are text; numbering=True is about numbers"):
        check_components(GRAPH, list("abcacc"), numbering=True)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i8", ">u4"])
def test_every_type_of_labels(dtype: str) -> None:
    labels = np.array(ANSWER, dtype=dtype)
    check_components(GRAPH, labels)
    check_components(ROWS, np.repeat(labels, 2)[::2])
    labels.setflags(write=False)
    check_components(GRAPH, labels)
    wrong = np.array([0, 1, 2, 0, 2, 1], dtype=dtype)
    broken(GRAPH, wrong, "edge 2 joins 5 and 4, but their labels are 1 and 2")


def test_rows_are_checked_arc_by_arc() -> None:
    broken(ROWS, [0, 1, 2, 0, 2, 3], "arc 5 joins 4 and 5, but their labels are 2 and 3")


def test_a_result_is_checked_as_it_is() -> None:
    check_components(GRAPH, landbridge.components(GRAPH))
    other = landbridge.components(([0], [1]), num_vertices=6)
    with refused(CheckFailed, "edge 0 joins 3 and 0, but their labels are 2 and 0"):
        check_components(GRAPH, other)


def test_nothing_has_no_labels() -> None:
    check_components(([], []), np.empty(0, dtype=np.int32))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[int], list[int]]:
    n = draw(st.integers(1, 14))
    edges = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=16))
    return n, [a for a, _ in edges], [b for _, b in edges]


@st.composite
def mutations(draw: st.DrawFn, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """A few blows of the kinds that bugs deal."""
    candidate = labels.copy()
    n = len(candidate)
    vertex = st.integers(0, n - 1)
    for kind in draw(
        st.lists(st.sampled_from(["merge", "split", "move", "exchange", "shift", "renumber"]), max_size=3)
    ):
        a, b = int(candidate[draw(vertex)]), int(candidate[draw(vertex)])
        if kind == "merge":
            candidate[candidate == a] = b
        elif kind == "split":
            candidate[(candidate == a) & (np.arange(n) >= draw(vertex))] = candidate.max() + 1
        elif kind == "move":
            candidate[draw(vertex)] = draw(st.integers(0, n))
        elif kind == "exchange":
            one, other = candidate == a, candidate == b
            candidate[one], candidate[other] = b, a
        elif kind == "shift":
            candidate += draw(st.integers(0, 2))
        else:
            candidate = first_seen(candidate)
    return candidate


@given(graphs(), st.data(), st.booleans())
def test_labels_are_accepted_if_and_only_if_they_are_right(
    graph: tuple[int, list[int], list[int]], data: st.DataObject, rows: bool
) -> None:
    n, u, v = graph
    answer = by_search(n, u, v)
    labels = data.draw(mutations(answer))
    checked_graph = Graph((np.array(u, dtype=int), np.array(v, dtype=int)), num_vertices=n)
    subject = checked_graph.to_rows() if rows else checked_graph
    if np.array_equal(labels, answer):
        check_components(subject, labels, numbering=True)
        return
    with pytest.raises(CheckFailed) as caught:
        check_components(subject, labels, numbering=True)
    assert "\n" not in str(caught.value)


@given(graphs(), st.data())
def test_any_labels_at_all(graph: tuple[int, list[int], list[int]], data: st.DataObject) -> None:
    n, u, v = graph
    labels = data.draw(st.lists(st.integers(0, min(n, 3)), min_size=n, max_size=n))
    pair = (np.array(u, dtype=int), np.array(v, dtype=int))
    answer = by_search(n, u, v)
    same = np.array_equal(first_seen(np.array(labels)), answer)
    graph = Graph(pair, num_vertices=n)
    assert _accepted(graph, labels, numbering=True) == (labels == answer.tolist())
    assert _accepted(graph, labels) == same
    names = data.draw(st.lists(LABELS, min_size=4, max_size=4, unique=True))
    assert _accepted(graph, [names[x] for x in labels]) == same


LABELS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 30)


def _accepted(graph: Graph, labels: Any, **options: Any) -> bool:
    try:
        check_components(graph, labels, **options)
    except CheckFailed:
        return False
    return True


@given(graphs())
def test_labels_of_other_programs_are_accepted(graph: tuple[int, list[int], list[int]]) -> None:
    networkx, csgraph = pytest.importorskip("networkx"), pytest.importorskip("scipy.sparse.csgraph")
    n, u, v = graph
    ours = Graph((np.array(u, dtype=int), np.array(v, dtype=int)), num_vertices=n)
    theirs = networkx.Graph(zip(u, v, strict=True))
    theirs.add_nodes_from(range(n))
    sets = np.zeros(n)
    for number, members in enumerate(networkx.connected_components(theirs)):
        sets[list(members)] = number
    check_components(ours, sets)
    matrix = networkx.to_scipy_sparse_array(theirs, nodelist=range(n))
    check_components(ours, csgraph.connected_components(matrix, directed=False)[1])
    check_components(ours, landbridge.components(ours).representatives)


def test_vertices_are_named_by_their_ids() -> None:
    pairs = [("ann", "bob"), ("cy", "dora")]
    with refused(CheckFailed, "vertex 'ann' and vertex 'cy' have label 0, but no path joins them"):
        landbridge.check_components(pairs, [0, 0, 0, 0])
    with refused(CheckFailed, "edge 1 joins 'cy' and 'dora', but their labels are 1 and 2"):
        landbridge.check_components(pairs, [0, 0, 1, 2])
    with refused(CheckFailed, "vertex -5 is the first of its component and must have label 0, not 1"):
        landbridge.check_components(([-5], [7]), [1, 1], ids="sparse", numbering=True)
    with refused(CheckFailed, "edge 0 joins 'ann' and 'bob', but no path of the forest does"):
        landbridge.check_forest(pairs, (["cy"], ["dora"], [1]))
    with refused(CheckFailed, "vertex 'ann' has label -1"):
        landbridge.check_components(pairs, [-1, 0, 0, 0], numbering=True)
