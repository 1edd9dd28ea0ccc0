"""`landbridge.CSR`, and the sparse tensors of PyTorch: taken wherever a graph is, and refused by name where wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused
from oracles.zoo import zoo

import landbridge
from landbridge import CSR, Graph, InputError


class Tensor:
    """As much of a sparse CSR tensor of PyTorch as a reader of its rows sees."""

    layout = "torch.sparse_csr"

    def __init__(self, offsets: Any, neighbors: Any, shape: tuple[int, ...]) -> None:
        self._rows, self.shape = (offsets, neighbors), shape

    def crow_indices(self) -> Any:
        return self._rows[0]

    def col_indices(self) -> Any:
        return self._rows[1]


def rows(offsets: list[int], neighbors: list[int], **options: Any) -> CSR:
    return CSR(np.array(offsets), np.array(neighbors), **options)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
def test_every_graph_of_the_zoo(dtype: str) -> None:
    for specimen in zoo():
        offsets, neighbors = (array.astype(dtype) for array in specimen.rows)
        for source in (CSR(offsets, neighbors), Tensor(offsets, neighbors, (specimen.n, specimen.n))):
            result = landbridge.components(source, threads=2)
            assert result.count == specimen.count
            assert np.array_equal(result.labels, specimen.answer)


def test_arrays_are_referenced() -> None:
    offsets, neighbors = np.array([0, 1, 2], np.int32), np.array([1, 0], np.int32)
    graph = Graph(CSR(offsets, neighbors))
    assert graph.layout == "csr"
    assert np.shares_memory(graph.a, neighbors)
    assert graph.offsets is not None and np.shares_memory(graph.offsets, offsets)


def test_wherever_a_graph_goes() -> None:
    source = rows([0, 1, 3, 4, 4], [1, 0, 2, 1], symmetric=True)
    result = landbridge.components(source)
    assert result.labels.tolist() == [0, 0, 0, 1]
    landbridge.check_components(source, result.labels)
    forest = landbridge.spanning_forest(source)
    assert (forest.count, len(forest.edge)) == (2, 2)
    landbridge.check_forest(source, forest)
    assert landbridge.explain(source).facts.symmetric
    assert landbridge.estimate_memory(source, device="cpu") > 0
    assert landbridge.components([*map(tuple, [(0, 1)])]).count == 1


def test_rows_of_one_direction_are_a_graph_too() -> None:
    source = rows([0, 2, 2, 2, 3], [1, 2, 3])
    assert landbridge.components(source).labels.tolist() == [0, 0, 0, 1]
    assert Graph(source).symmetric is None


def test_a_promise_is_held_against_the_rows() -> None:
    source = rows([0, 1, 1], [1], symmetric=True)
    problem = "symmetric=True, but the edge (0, 1) is stored in this direction alone"
    for use in (Graph, landbridge.components):
        with refused(InputError, problem):
            use(source)
    assert Graph(source, symmetric=False).symmetric is False
    assert Graph(rows([0, 1, 2], [1, 0], symmetric=True)).symmetric is True


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (rows([0, 2, 1], [0, 1]), "offsets[2] is 1, below offsets[1] = 2"),
        (rows([0, 1, 2], [0]), "the last offset is 2, but there are 1 neighbors"),
        (rows([0, 1, 2], [0, 2]), "arc 1: vertex 2 is out of range for n = 2"),
        (rows([], []), "offsets are empty; n + 1 of them are needed, also for n = 0"),
        (CSR(["a"], [0]), "offsets must hold whole numbers, not text"),
        (CSR(np.array([False, True]), [0]), "offsets must hold whole numbers, not bool"),
        (CSR([0, 1, 2], [1.0, 0.5]), "neighbors[1] = 0.5 is not a whole number"),
        (CSR(np.array([0, 1.5, 2]), [1, 0]), "offsets[1] = 1.5 is not a whole number"),
        (CSR([0, 1, 2], [True, False]), "neighbors[0] = True is not a whole number"),
        (CSR([0, float("nan"), 2], [1, 0]), "offsets[1] = nan is not a number"),
        (CSR(np.array([0, np.nan, 2]), [1, 0]), "offsets[1] = nan is not a number"),
        (CSR([0, None, 2], [1, 0]), "offsets[1] is null"),
        (
            CSR(np.array([0, 2**64 - 1], np.uint64), np.array([0], np.uint64)),
            f"offsets[1] = {2**64 - 1} does not fit int64",
        ),
        (CSR([[0, 1]], [[0]]), "offsets[0] = [0, 1] is not a whole number; offsets must be one-dimensional"),
        (
            CSR([0, 1], [np.array([0])]),
            "neighbors[0] = array([0]) is not a whole number; neighbors must be one-dimensional",
        ),
        (CSR(np.array([[0, 1]]), [0]), "offsets must be one-dimensional, not of shape (1, 2)"),
        (Tensor(np.array([0, 1]), np.array([0]), (1, 2)), "an adjacency matrix is square, not of shape (1, 2)"),
        (Tensor(np.array([0, 1]), np.array([0]), (1, 1, 2)), "an adjacency matrix is square, not of shape (1, 1, 2)"),
    ],
)
def test_what_is_wrong_is_named(source: Any, problem: str) -> None:
    with refused(InputError, problem):
        Graph(source)


def test_options_of_other_sources_are_refused() -> None:
    source = rows([0, 1, 2], [1, 0])
    with refused(InputError, "num_vertices = 3, but the source declares 2 vertices: leave num_vertices out"):
        Graph(source, num_vertices=3)
    with refused(InputError, "ids='sparse' renumbers a list of edges; this graph has numbered vertices already"):
        Graph(source, ids="sparse")
    with refused(InputError, "columns: for files and data frames; this source is a CSR"):
        Graph(source, columns=(0, 1))
