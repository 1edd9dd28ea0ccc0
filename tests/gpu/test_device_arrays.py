"""Edges that lie on a GPU are taken where they are, checked there, and answered there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.zoo import zoo

import landbridge
from landbridge import Graph, InputError

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy() -> Any:
    from landbridge.device import cuda

    return cuda.cupy()


def host(array: Any) -> Any:
    assert not isinstance(array, np.ndarray)
    return array.get()


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_pairs_stay(cupy: Any, dtype: str) -> None:
    for specimen in zoo():
        u, v = cupy.asarray(specimen.u.astype(dtype)), cupy.asarray(specimen.v.astype(dtype))
        graph = Graph((u, v), num_vertices=specimen.n)
        assert graph.on_device
        assert graph.a.data.ptr == u.data.ptr
        result = landbridge.components(graph)
        assert result.device == "gpu"
        assert result.count == specimen.count
        assert np.array_equal(host(result.labels), specimen.answer)


def test_rows_stay_and_become_symmetric(cupy: Any) -> None:
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    for specimen in zoo():
        if specimen.n == 0:
            continue
        offsets, neighbors = specimen.rows
        data = cupy.ones(len(neighbors), dtype=np.float32)
        matrix = sparse.csr_matrix(
            (data, cupy.asarray(neighbors.astype(np.int32)), cupy.asarray(offsets.astype(np.int32))),
            shape=(specimen.n, specimen.n),
        )
        graph = Graph(matrix)
        assert graph.layout == "csr"
        for plan in ("auto", "kout(2)+rem_cas", "bfscc"):
            result = landbridge.components(graph, plan=plan)
            assert result.count == specimen.count
            assert np.array_equal(host(result.labels), specimen.answer)


def test_pairs_become_rows_for_a_plan_that_needs_them(cupy: Any) -> None:
    for specimen in zoo():
        pair = (cupy.asarray(specimen.u), cupy.asarray(specimen.v))
        result = landbridge.components(pair, num_vertices=specimen.n, plan="hb(4)+ecl(halve)@gpu")
        assert np.array_equal(host(result.labels), specimen.answer)


def test_columns_of_one_array_and_small_types(cupy: Any) -> None:
    edges = cupy.asarray(np.array([[0, 1], [2, 3], [3, 4]], dtype=np.int64))
    for obj in (edges, edges.T, (edges[:, 0], edges[:, 1]), edges.astype(np.int8), (edges[::-1, 0], edges[::-1, 1])):
        assert host(landbridge.components(obj).labels).tolist() == [0, 0, 1, 1, 1]


def test_what_is_derived_from_labels_stays_too(cupy: Any) -> None:
    result = landbridge.components((cupy.asarray([4, 1, 2]), cupy.asarray([1, 0, 3])))
    assert host(result.labels).tolist() == [0, 0, 1, 1, 0]
    assert host(result.first).tolist() == [0, 2]
    assert host(result.representatives).tolist() == [0, 0, 2, 2, 0]
    assert host(result.sizes()).tolist() == [3, 2]
    assert result.largest_size == 3
    assert host(result.largest()).tolist() == [0, 1, 4]
    offsets, members = result.groups()
    assert host(offsets).tolist() == [0, 3, 5]
    assert host(members).tolist() == [0, 1, 4, 2, 3]


def test_wrong_ids_are_named(cupy: Any) -> None:
    u = cupy.arange(50_000, dtype=np.int32)
    v = u.copy()
    v[17] = 50_000
    with pytest.raises(InputError, match=r"edge 17: vertex 50000 is out of range for n = 50000"):
        Graph((u, v), num_vertices=50_000)
    v[17] = 0
    v[23] = -5
    for n in (None, 50_000):
        with pytest.raises(InputError, match=r"edge 23: vertex -5 is negative"):
            Graph((u, v), num_vertices=n)


def test_wrong_rows_are_named(cupy: Any) -> None:
    from landbridge.edges.forms import Adjacency

    arcs = cupy.asarray(np.array([1, 0, 1], dtype=np.int32))
    for offsets, problem in (
        ([0, 2, 1], r"offsets\[2\] is 1, below offsets\[1\] = 2"),
        ([1, 2, 3], r"offsets\[0\] is 1, not 0"),
        ([0, 1, 2], r"the last offset is 2, but there are 3 neighbors"),
    ):
        with pytest.raises(InputError, match=problem):
            Graph(Adjacency(cupy.asarray(np.array(offsets, dtype=np.int32)), arcs))


def test_wrong_objects_are_refused(cupy: Any) -> None:
    u = cupy.arange(4)
    with pytest.raises(InputError, match="v is not on a GPU"):
        Graph((u, np.arange(4)))
    with pytest.raises(InputError, match="u must hold integers, not float64"):
        Graph((u.astype(np.float64), u.astype(np.float64)))
    with pytest.raises(InputError, match="u has 4 ids and v has 3"):
        Graph((u, u[:3]))
    with pytest.raises(InputError, match="shape"):
        Graph(cupy.zeros((3, 3), dtype=np.int32))
    with pytest.raises(InputError, match="sparse"):
        Graph((u, u), ids="sparse")


def test_tensors_of_pytorch(cupy: Any) -> None:
    torch = pytest.importorskip("torch")
    edge_index = torch.tensor([[0, 1, 3], [1, 2, 4]], device="cuda")
    graph = Graph(edge_index)
    assert graph.a.data.ptr == edge_index.data_ptr()
    count, labels = landbridge.components(graph)
    assert count == 2
    assert torch.from_dlpack(labels).tolist() == [0, 0, 0, 1, 1]


def test_the_cpu_answers_for_device_edges_when_asked(cupy: Any) -> None:
    pair = (cupy.asarray([0, 2]), cupy.asarray([1, 3]))
    result = landbridge.components(pair, device="cpu")
    assert result.device == "cpu"
    assert isinstance(result.labels, np.ndarray)
    landbridge.check_components(Graph(pair), landbridge.components(pair))


def test_the_callers_stream_is_used(cupy: Any) -> None:
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        u = cupy.arange(100_000, dtype=np.int32)
        result = landbridge.components((u[:-1], u[1:]))
        assert result.count == 1
    stream.synchronize()
    assert int(result.labels.max()) == 0


def test_rows_in_two_arrays_and_in_tensors_stay(cupy: Any) -> None:
    for specimen in zoo():
        offsets, neighbors = (cupy.asarray(array) for array in specimen.rows)
        source = landbridge.CSR(offsets, neighbors)
        assert Graph(source).a.data.ptr == neighbors.data.ptr
        result = landbridge.components(source)
        assert result.device == "gpu"
        assert np.array_equal(host(result.labels), specimen.answer)
        if specimen.n:
            landbridge.check_forest(source, landbridge.spanning_forest(source))


@pytest.mark.filterwarnings("ignore:Sparse:UserWarning")  # of PyTorch, at the first sparse tensor
def test_sparse_tensors_stay(cupy: Any) -> None:
    torch = pytest.importorskip("torch")
    for specimen in zoo():
        if specimen.n == 0:
            continue
        offsets, neighbors = (torch.as_tensor(array.astype(np.int64), device="cuda") for array in specimen.rows)
        ones = torch.ones(len(neighbors), device="cuda")
        tensor = torch.sparse_csr_tensor(
            offsets, neighbors, ones, size=(specimen.n, specimen.n), check_invariants=False
        )
        result = landbridge.components(tensor)
        assert result.device == "gpu"
        assert np.array_equal(host(result.labels), specimen.answer)


def test_rows_of_two_places_are_refused(cupy: Any) -> None:
    with pytest.raises(InputError, match="neighbors is not on a GPU"):
        Graph(landbridge.CSR(cupy.asarray([0, 1, 2]), np.array([1, 0])))
    with pytest.raises(InputError, match="offsets is not on a GPU"):
        Graph(landbridge.CSR(np.array([0, 1, 2]), cupy.asarray([1, 0])))
