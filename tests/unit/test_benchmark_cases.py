"""Graphs and lists of the suites: what they are made of, on the host and on a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_benchmarks import PATH_EDGES, small_edges

from benchmarks import cases
from benchmarks.cases import families, family_of, graph_texts, lower_bound_bytes
from benchmarks.check import check_answer
from benchmarks.gpu_arrays import csr_on_device, edges_on_device, shuffled_on_device, upper_edges
from benchmarks.list_cases import list_case, shape_of, size_of
from peers.base import Answer, Case


def test_case_is_the_simple_symmetric_graph(case: Case) -> None:
    assert case.offsets.tolist() == [0, 0, 1, 3, 5, 7, 9, 10, 10]
    assert case.neighbors.tolist() == [2, 1, 3, 2, 4, 3, 5, 4, 6, 5]
    assert (case.num_vertices, case.num_edges, case.count) == (8, PATH_EDGES, 3)
    assert case.labels.tolist() == [0, 1, 1, 1, 1, 1, 1, 2]
    assert case.first_vertices.tolist() == [0, 1, 7]
    assert [array.tolist() for array in case.upper_edges()] == [[1, 2, 3, 4, 5], [2, 3, 4, 5, 6]]


def test_case_survives_its_file(case: Case, tmp_path: Path) -> None:
    cases.save_case(case, tmp_path / "case.npz")
    again = cases.read_case(tmp_path / "case.npz")
    assert (again.name, again.text, again.count) == (case.name, case.text, case.count)
    for name in ("offsets", "neighbors", "source", "target", "labels"):
        np.testing.assert_array_equal(getattr(again, name), getattr(case, name))


def test_case_of_nothing() -> None:
    none = np.zeros(0, dtype=np.int64)
    empty = cases.make_case("empty", "empty", 0, none, none)
    assert (empty.num_vertices, empty.num_edges, empty.count) == (0, 0, 0)
    check_answer("x", empty, Answer((1.0,), 0, empty.labels), exact=True)


def test_lower_bound_counts_offsets_lines_and_labels(case: Case) -> None:
    assert lower_bound_bytes(case) == 4 * 9 + 64 * 1 + 4 * 8


def test_a_graph_is_declared_once() -> None:
    names = [name for graphs in families().values() for name in graphs]
    texts = list(graph_texts().values())
    assert len(set(names)) == len(names)
    assert len(set(texts)) == len(texts)
    assert family_of("road24m") == "road"
    with pytest.raises(KeyError, match="no graph is called 'nowhere'"):
        family_of("nowhere")


def test_graphs_on_a_device_are_those_on_the_host(cupy_of_numpy: Any, case: Case) -> None:
    n, u, v = small_edges("")
    offsets, neighbors = csr_on_device(cupy_of_numpy, n, u, v)
    assert offsets.tolist() == case.offsets.tolist()
    assert neighbors.tolist() == case.neighbors.tolist()
    assert (offsets.dtype, neighbors.dtype) == (np.int32, np.int32)
    once = [array.tolist() for array in case.upper_edges()]
    assert [array.tolist() for array in edges_on_device(cupy_of_numpy, u, v)] == once
    assert [array.tolist() for array in upper_edges(cupy_of_numpy, offsets, neighbors)] == once
    a, b = shuffled_on_device(cupy_of_numpy, *edges_on_device(cupy_of_numpy, u, v))
    assert sorted(zip(a.tolist(), b.tolist(), strict=True)) == list(zip(*once, strict=True))


def test_graphs_on_a_device_are_made_piece_by_piece(
    cupy_of_numpy: Any, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.gpu_arrays.PIECE", 3)
    offsets, neighbors = csr_on_device(cupy_of_numpy, *small_edges(""))
    assert (offsets.tolist(), neighbors.tolist()) == (case.offsets.tolist(), case.neighbors.tolist())


def test_lists_by_name() -> None:
    assert size_of("random 2^10") == 1024
    assert shape_of("short 2^10") == ("linked_list(1024,seed=1,lists=128)", 128)
    assert list_case("ordered 2^2").successor.tolist() == [1, 2, 3, -1]
    assert list_case("ordered 2^2").describe()["components"] == 1
