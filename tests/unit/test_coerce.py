"""Objects in memory to edges: accepted ones, without needless copies, and refused ones, with their messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import Graph, InputError
from landbridge.edges.coerce import coerce
from landbridge.edges.forms import Adjacency, EdgeList

U, V = [0, 2, 5, 5], [1, 3, 4, 0]
LABELS = [0, 0, 1, 1, 0, 0]


def labels(graph: Any, **options: Any) -> list[int]:
    return list(landbridge.components(graph, **options).labels.tolist())


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g", "O"])
@pytest.mark.parametrize("order", ["=", ">", "<"])
def test_every_type_of_integers(dtype: str, order: str) -> None:
    kind = np.dtype(dtype).newbyteorder(order)
    pair = (np.array(U, dtype=kind), np.array(V, dtype=kind))
    assert labels(pair) == LABELS
    assert labels(np.stack(pair, axis=1)) == LABELS
    assert labels(np.stack(pair)) == LABELS


@pytest.mark.parametrize("one", ["i1", "i4", "i8", "u4", "u8", "f8"])
@pytest.mark.parametrize("other", ["i1", "i4", "i8", "u4", "u8", "f8"])
def test_pairs_of_two_types(one: str, other: str) -> None:
    assert labels((np.array(U, dtype=one), np.array(V, dtype=other))) == LABELS


def test_strides_and_byte_orders() -> None:
    table = np.array([U, V], dtype=np.int64)
    wide = np.full((9, 8), -1, dtype=np.int64)
    wide[0:8:2, 1] = U
    wide[0:8:2, 5] = V
    frozen = table.T.copy()
    frozen.setflags(write=False)
    packed = np.zeros(4, dtype=np.dtype([("pad", "u1"), ("u", "<i4"), ("v", "<i4")]))
    packed["u"], packed["v"] = U, V
    for source in (
        table,
        table.T,
        np.asfortranarray(table.T),
        np.ascontiguousarray(table.T),
        wide[0:8:2, [1, 5]],
        wide[0:8:2, 1:6:4],
        table.T[::-1],
        frozen,
        (wide[0:8:2, 1], wide[0:8:2, 5]),
        (table[0][::-1], table[1][::-1]),
        (packed["u"], packed["v"]),
        table.T.tolist(),
        list(zip(U, V, strict=True)),
        tuple(zip(U, V, strict=True)),
        (U, V),
        [U, V],
        (tuple(U), np.array(V)),
        memory_of(table),
    ):
        assert labels(source) == LABELS


def memory_of(table: np.ndarray[Any, Any]) -> Any:
    class Tensor:
        def __dlpack__(self, **options: Any) -> Any:
            return table.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return table.__dlpack_device__()

    return Tensor()


def test_native_arrays_are_not_copied() -> None:
    table = np.array([U, V], dtype=np.int32).T.copy()
    for pair in ((table[:, 0], table[:, 1]), (table[:, 0].copy(), table[:, 1].copy())):
        graph = Graph(pair)
        assert graph.b is not None
        assert np.shares_memory(graph.a, pair[0])
        assert np.shares_memory(graph.b, pair[1])
    interleaved = Graph(table)
    assert np.shares_memory(interleaved.a, table)


def test_a_pair_of_lists_is_two_columns() -> None:
    # The rule must be the same for every number of edges.
    assert labels(([0, 2], [1, 3])) == [0, 0, 1, 1]
    assert labels((np.array([0, 2]), np.array([1, 3]))) == [0, 0, 1, 1]
    assert labels(([0, 2, 4], [1, 3, 0])) == [0, 0, 1, 1, 0]


def test_a_two_by_two_array_and_a_list_of_two_pairs_are_two_edges() -> None:
    assert labels(np.array([[0, 2], [1, 3]])) == [0, 1, 0, 1]
    assert labels([(0, 2), (1, 3)]) == [0, 1, 0, 1]
    assert labels([[0, 2], [1, 3]]) == [0, 1, 0, 1]


@pytest.mark.parametrize(
    "source",
    [(), [], ([], []), np.empty((0, 2)), np.empty((2, 0), dtype=np.int32), (np.empty(0), np.empty(0, dtype="u8"))],
)
def test_empty_inputs_have_no_edges(source: Any) -> None:
    assert labels(source) == []
    assert labels(source, num_vertices=3) == [0, 1, 2]


CASES: list[tuple[Any, str]] = [
    (None, "cannot read edges from NoneType: "),
    (5, "cannot read edges from int: "),
    ({(0, 1)}, "cannot read edges from set: "),
    (b"0 1", "cannot read edges from bytes: "),
    ((1, 2), "u must be a column, such as an array or a list, not int"),
    ((np.array(1), np.array(2)), "u must be one-dimensional, not of shape ()"),
    (np.array(3), "an array of edges has shape (m, 2) or (2, m), not ()"),
    (np.zeros(3, dtype=int), "an array of edges has shape (m, 2) or (2, m), not (3,)"),
    (np.zeros((3, 3), dtype=int), "an array of edges has shape (m, 2) or (2, m), not (3, 3)"),
    (np.zeros((2, 3, 1), dtype=int), "an array of edges has shape (m, 2) or (2, m), not (2, 3, 1)"),
    ([(0, 1), (2, 3, 4), (1, 2)], "edge 1 is (2, 3, 4): 3 ids, not 2; weights go in an array of their own"),
    ((np.arange(3), np.arange(4)), "u has 3 ids and v has 4; edge i needs both u[i] and v[i]"),
    (([0, 1, 2], [1, 2]), "u has 3 ids and v has 2; edge i needs both u[i] and v[i]"),
    ((np.zeros((2, 2), dtype=int), np.zeros((2, 2), dtype=int)), "u must be one-dimensional, not of shape (2, 2)"),
    ((np.array([0, 3]), np.array([1, -1])), "edge 1: vertex -1 is negative"),
    ((np.array([0, 3, -7]), np.array([1, 2, -1])), "edge 2: vertex -7 is negative"),
    ((np.array([0, -128], dtype=np.int8), np.array([1, 2], dtype=np.int8)), "edge 1: vertex -128 is negative"),
    ((np.array([0, -(2**63)]), np.array([1, 2])), "edge 1: vertex -9223372036854775808 is negative"),
    ((np.array([0, -1]), np.array([1, 2], dtype=np.uint64)), "edge 1: vertex -1 is negative"),
    ((np.array([0.0, 1.5]), np.array([1, 2])), "edge 1: u = 1.5 is not a whole number"),
    ((np.array([1, 2]), np.array([0.0, np.nan])), "edge 1: v = nan is not a number"),
    ((np.array([1, 2]), np.array([-np.inf, 0])), "edge 0: v = -inf is not a whole number"),
    ((np.array([0, np.inf], dtype=np.float16), np.array([1, 2])), "edge 1: u = inf is not a whole number"),
    ((np.array([0.0, -2.0]), np.array([1, 2])), "edge 1: vertex -2 is negative"),
    ((np.array([0, 2.0**53]), np.array([1, 2])), "edge 1: u = 9007199254740992.0 is too large: float64 is exact below"),
    ((np.array([0, 2**24], dtype=np.float32), np.array([1, 2])), "edge 1: u = 16777216.0 is too large: float32 is"),
    ((np.array([0, 2**11], dtype=np.float16), np.array([1, 2])), "edge 1: u = 2048.0 is too large: float16 is exact"),
    ((np.array([1e300]), np.array([1])), "edge 0: u = 1e+300 is too large: float64 is exact below 2^53 only"),
    (([0, None, 2], [1, 2, 3]), "edge 1: u is null"),
    (([0, 1], np.array([1, float("nan")], dtype=object)), "edge 1: v = nan is not a number"),
    (([0, 2**64], [1, 2]), "edge 1: u = 18446744073709551616 does not fit 64 bits"),
    (([0, 1, 3], [1, -(2**63) - 1, 2]), "edge 1: v = -9223372036854775809 does not fit 64 bits"),
    ((np.array([0, True, 2], dtype=object), [1, 2, 3]), "edge 1: u = True is not a whole number"),
    ((np.array([0, 1.5], dtype=object), [1, 2]), "edge 1: u = 1.5 is not a whole number"),
    ((np.array([0, "a"], dtype=object), [1, 2]), "edge 1: u = 'a' is not a whole number"),
    ((["a", "b", "c"], [1, 2, 3]), "u holds text and v holds numbers; both must hold the same kind of ids"),
    ((np.array([True, False]), np.array([0, 1])), "u must hold whole numbers or text, not bool"),
    ((np.array([0, 1]), np.array([0j, 1])), "v must hold whole numbers or text, not complex128"),
    ((np.array([1], dtype="m8[D]"), np.array([1])), "u must hold whole numbers or text, not timedelta64[D]"),
    ((np.ma.array([0, 1, 2], mask=[0, 1, 0]), np.arange(3)), "edge 1: u is null"),
    (np.ma.array([[0, 1], [2, 3], [3, 4]], mask=[[0, 0], [0, 0], [0, 1]]), "edge 2: v is null"),
]


@pytest.mark.parametrize(("source", "message"), CASES, ids=range(len(CASES)))
def test_other_objects_are_refused(source: Any, message: str) -> None:
    with refused(InputError, message, exactly=False):
        Graph(source)


def test_floats_are_accepted_while_exact() -> None:
    for dtype, largest in (("f2", 2**11 - 1), ("f4", 2**24 - 1), ("f8", 2**53 - 1)):
        u = np.array([0, largest], dtype=dtype)
        graph = landbridge.components((u, u), ids="sparse")
        assert graph.ids is not None
        assert graph.ids.tolist() == [0, largest]


@pytest.mark.parametrize("rows", [[[0, 1]], [[0, 1], [1, 2], [3, 4]], [["a", "b"], ["b", "c"], ["d", "e"]]], ids=str)
@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_of_numpy_is_the_array_of_its_shape(rows: list[list[Any]], turned: bool) -> None:
    array = np.array(rows).T if turned else np.array(rows)
    matrix = array.view(np.matrix)
    whole = landbridge.components(array)
    assert landbridge.components(matrix).labels.tolist() == whole.labels.tolist()
    assert landbridge.components(chunks=[matrix]).count == landbridge.Graph(matrix).num_vertices - len(rows)
    if array.dtype.kind == "i":
        stream = landbridge.Incremental()
        stream.insert(matrix)
        assert stream.count == whole.count


def test_a_matrix_of_numpy_that_may_be_an_adjacency_matrix_is_refused() -> None:
    message = (
        "a numpy.matrix of shape (2, 2) is two edges or an adjacency matrix: numpy.asarray(matrix) has an edge in "
    )
    message += "each row, scipy.sparse.csr_array(matrix) one for each entry"
    square = np.eye(3, dtype=int).view(np.matrix)
    hint = "; an adjacency matrix goes in as scipy.sparse.csr_array(matrix)"
    for call in (landbridge.components, landbridge.Graph):
        with refused(InputError, message):
            call(np.eye(2, dtype=int).view(np.matrix))
        with refused(InputError, f"an array of edges has shape (m, 2) or (2, m), not (3, 3){hint}"):
            call(square)


def test_masked_arrays_without_a_masked_entry_are_arrays() -> None:
    assert labels((np.ma.array(U), np.ma.array(V, mask=[0, 0, 0, 0]))) == LABELS


# Sparse matrices ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("dtype", [bool, np.int8, np.float64, np.complex64])
def test_every_sparse_format(name: str, kind: str, dtype: Any) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.zeros((7, 7), dtype=dtype)
    dense[U, V] = 1
    matrix = getattr(sparse, f"{name}_{kind}")(dense)
    assert labels(matrix) == [*LABELS, 2]


def test_explicit_zeros_are_edges() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array((np.array([0.0, np.nan]), (np.array([0, 2]), np.array([3, 1]))), shape=(4, 4))
    assert matrix.nnz == 2
    assert labels(matrix) == [0, 1, 1, 0]


@pytest.mark.parametrize("name", ["csr", "csc"])
def test_spare_room_behind_the_last_row_is_no_edge(name: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = getattr(sparse.coo_array((np.ones(4), (U, V)), shape=(6, 6)), f"to{name}")()
    matrix.indices = np.append(matrix.indices, [99, -1]).astype(matrix.indices.dtype)
    matrix.data = np.append(matrix.data, [1.0, 1.0])
    assert labels(matrix) == LABELS


def test_csr_arrays_are_not_copied() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array((np.ones(4), (U, V)), shape=(6, 6))
    graph = Graph(matrix)
    assert graph.layout == "csr"
    assert np.shares_memory(graph.a, matrix.indices)
    assert graph.offsets is not None
    assert np.shares_memory(graph.offsets, matrix.indptr)
    pairs = Graph(matrix.tocoo())
    assert pairs.layout == "coo"


@pytest.mark.parametrize("name", ["csr_array", "csc_array", "coo_array", "lil_array", "csr_matrix", "coo_matrix"])
def test_a_matrix_that_is_not_square_is_refused(name: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with refused(InputError, "an adjacency matrix is square, not of shape (3, 4)"):
        Graph(getattr(sparse, name)((3, 4)))


def test_a_vector_is_no_matrix() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    with refused(InputError, "an adjacency matrix is square, not of shape (3,)"):
        Graph(sparse.coo_array(np.array([1, 0, 2])))


@pytest.mark.parametrize(
    ("field", "at", "value", "message"),
    [
        ("indptr", 0, 1, "offsets[0] is 1, not 0"),
        ("indptr", 2, 9, "offsets[3] is 2, below offsets[2] = 9"),
        ("indptr", 6, 3, "offsets[6] is 3, below offsets[5] = 4"),
        ("indices", 1, 6, "arc 1: vertex 6 is out of range for n = 6"),
        ("indices", 3, -1, "arc 3: vertex -1 is negative"),
    ],
)
def test_a_broken_matrix_is_refused(field: str, at: int, value: int, message: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array((np.ones(4), (U, V)), shape=(6, 6))
    matrix.indptr[:] = [0, 1, 1, 2, 2, 2, 4]
    if (field, at) == ("indptr", 6):
        matrix.indptr[5] = 4
    getattr(matrix, field)[at] = value
    with refused(InputError, message):
        Graph(matrix)


# NetworkX ----------------------------------------------------------------------------------------------------------


def test_networkx_graphs_keep_their_nodes() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("ann", "bob"), ("cy", "di"), ("di", "bob")])
    graph.add_node("eve")
    result = landbridge.components(graph)
    assert result.labels.tolist() == [0, 0, 0, 0, 1]
    assert result.ids is not None
    assert result.ids.tolist() == ["ann", "bob", "cy", "di", "eve"]


@pytest.mark.parametrize("name", ["Graph", "DiGraph", "MultiGraph", "MultiDiGraph"])
def test_networkx_graphs_of_every_kind(name: str) -> None:
    networkx = pytest.importorskip("networkx")
    graph = getattr(networkx, name)()
    graph.add_nodes_from(range(6))
    graph.add_edges_from([*zip(U, V, strict=True), (3, 2), (4, 4)])
    result = landbridge.components(graph)
    assert result.ids is None
    assert result.labels.tolist() == LABELS


def test_networkx_nodes_may_be_tuples_and_mixed() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([((0, 1), "x"), (frozenset([1]), 7)])
    result = landbridge.components(graph)
    assert result.ids is not None
    assert list(result.ids) == [(0, 1), "x", frozenset([1]), 7]
    assert result.labels.tolist() == [0, 0, 1, 1]


def test_networkx_graphs_whose_edges_share_their_data() -> None:
    networkx = pytest.importorskip("networkx")
    shared: dict[str, int] = {"weight": 1}

    class Thin(networkx.Graph):  # type: ignore[misc, name-defined]
        edge_attr_dict_factory = staticmethod(lambda: shared)

    edges = [("a", "b"), ("c", "d"), ("d", "e"), ("f", "f")]
    expected = [0, 0, 1, 1, 1, 2]
    assert labels(Thin(edges)) == labels(networkx.Graph(edges)) == expected
    odd = networkx.Graph(edges)
    for u, v in edges:
        odd._adj[u][v] = odd._adj[v][u] = shared
    assert labels(odd) == expected
    odd._adj["a"]["b"] = {}
    assert labels(odd) == expected
    crossed = networkx.Graph(edges[:2])
    crossed._adj["a"]["b"], crossed._adj["c"]["d"] = crossed._adj["c"]["d"], crossed._adj["a"]["b"]
    assert labels(crossed) == expected[:4]


@pytest.mark.parametrize("name", ["Graph", "DiGraph", "MultiGraph", "MultiDiGraph"])
@pytest.mark.parametrize("node", [int, "n{}".format, lambda i: (i % 3, i), lambda i: 10**12 - i], ids=range(4))
def test_components_of_networkx_graphs_agree_with_networkx(name: str, node: Any) -> None:
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(3)
    graph = getattr(networkx, name)()
    graph.add_nodes_from(map(node, rng.permutation(300).tolist()))
    graph.add_edges_from((node(a), node(b)) for a, b in rng.integers(0, 300, (250, 2)).tolist())
    result = landbridge.components(graph)
    ids = range(300) if result.ids is None else list(result.ids)
    parts: dict[int, set[Any]] = {}
    for one, label in zip(ids, result.labels.tolist(), strict=True):
        parts.setdefault(label, set()).add(one)
    forest = landbridge.spanning_forest(graph)
    edges = [tuple(edge) for edge in graph.edges()]
    assert [edges[i] for i in forest.edge] == list(zip(forest.u.tolist(), forest.v.tolist(), strict=True))
    undirected = graph.to_undirected()
    assert set(map(frozenset, parts.values())) == set(map(frozenset, networkx.connected_components(undirected)))


# The forms themselves ----------------------------------------------------------------------------------------------


def test_invalid_forms_are_refused() -> None:
    with refused(InputError, "u has 2 ids and v has 1; ", exactly=False):
        Graph(EdgeList(np.array([0, 1]), np.array([1])))
    with refused(InputError, "u must hold whole numbers, not text"):
        Graph(EdgeList(np.array(["a"]), np.array(["b"])))
    with refused(InputError, "num_vertices must be a whole number of at least 0, not -1"):
        Graph(EdgeList(np.array([0]), np.array([1]), num_vertices=-1))
    with refused(InputError, "offsets[0] = 0.5 is not a whole number"):
        Graph(Adjacency(np.array([0.5, 2.0]), np.array([0, 0])))


def test_forms_of_any_integer_type() -> None:
    strided = np.array([0, 9, 1, 9, 2, 9, 2, 9])[::2]
    assert labels(Adjacency(strided, np.array([[1, 8], [0, 8]])[:, 0])) == [0, 0, 1]
    assert labels(Adjacency(np.array([0, 1, 2], dtype=np.uint64), np.array([1, 0], dtype=np.int8))) == [0, 0]
    assert labels(EdgeList(np.array(U, dtype=">i4"), np.array(V, dtype=np.uint8))) == LABELS


def test_offsets_from_2_63_on_are_refused() -> None:
    offsets = np.array([0, 2**63 + 1, 2], dtype=np.uint64)
    with refused(InputError, f"offsets[1] = {2**63 + 1} does not fit int64"):
        Graph(Adjacency(offsets, np.array([0, 0])))


# Sparse ids --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("u", "v", "ids", "expected"),
    [
        ([10, 30], [20, 30], [10, 20, 30], [0, 0, 1]),
        ([-5, 1], [7, 4], [-5, 1, 4, 7], [0, 1, 1, 0]),
        ([2**31 - 1, 2**31], [2**31, 5], [5, 2**31 - 1, 2**31], [0, 0, 0]),
        ([2**63 - 1, -(2**63)], [0, 0], [-(2**63), 0, 2**63 - 1], [0, 0, 0]),
        ([2**63, 1], [2**64 - 1, 5], [1, 5, 2**63, 2**64 - 1], [0, 0, 1, 1]),
    ],
)
@pytest.mark.parametrize("as_lists", [False, True])
def test_sparse_ids_are_numbered_in_order(
    u: list[int], v: list[int], ids: list[int], expected: list[int], as_lists: bool
) -> None:
    dtype = np.uint64 if max(*u, *v) >= 2**63 else np.int64
    pair = (u, v) if as_lists else (np.array(u, dtype=dtype), np.array(v, dtype=dtype))
    result = landbridge.components(pair, ids="sparse")
    assert result.ids is not None
    assert result.ids.tolist() == ids
    assert result.labels.tolist() == expected
    assert result.labels.dtype == np.int32


def test_sparse_ids_are_for_lists_of_edges() -> None:
    pair = (np.array([4]), np.array([9]))
    with refused(InputError, "num_vertices has no meaning with ids='sparse'", exactly=False):
        Graph(pair, ids="sparse", num_vertices=4)
    with refused(InputError, "ids='sparse' renumbers a list of edges; this graph has numbered vertices", exactly=False):
        Graph(Adjacency(np.array([0, 1]), np.array([0])), ids="sparse")
    with refused(InputError, "ids must be one of 'auto', 'dense', 'sparse', 'names', not 'dens'"):
        Graph(pair, ids="dens")
    with refused(InputError, "ids='names' is for text; these ids are whole numbers"):
        Graph(pair, ids="names")
    with refused(InputError, "ids must be one of 'auto', 'dense', 'sparse', 'names', not 'some'"):
        coerce(pair, ids="some")  # type: ignore[arg-type]


@pytest.mark.parametrize("pairs", [[(0, 1), (2, [3, 4])], [[0, 1], [2, [3, 4]]]])
def test_two_pairs_of_which_one_holds_a_list_are_refused(pairs: Any) -> None:
    with pytest.raises(InputError, match=r"edge 1: v = \[3, 4\] is not a whole number"):
        landbridge.components(pairs)


@pytest.mark.parametrize("column", [np.array, list, lambda ids: list(map(str, ids))])
def test_a_list_of_two_columns_of_two_ids_says_that_they_are_rows(column: Any) -> None:
    """Of any other length they are columns."""
    two, more, three, others = (column(ids) for ids in ([0, 1], [2, 3], [0, 1, 2], [3, 4, 5]))
    result = landbridge.components([two, more])
    assert result.labels.tolist() == [0, 0, 1, 1]
    note = (
        "a list of two arrays or lists of two ids is two edges, an edge in each; two columns go in as a tuple, (u, v)"
    )
    assert result.notes == (note,)
    assert landbridge.components([three, others]).labels.tolist() == [0, 1, 2, 0, 1, 2]
    columns = landbridge.components((two, more))
    assert columns.labels.tolist() == [0, 1, 0, 1]
    for source in ([three, others], (two, more), [two, more, more], [two]):
        assert landbridge.components(source).notes == ()
    assert landbridge.components([(0, 1), (2, 3)]).notes == ()


def test_a_tuple_of_two_tuples_says_that_they_are_edges() -> None:
    note = (
        "a tuple of two tuples of two ids is two edges, an edge in each; two columns go in as lists or arrays, (u, v)"
    )
    for source in (((1, 2), (3, 4)), (("a", "b"), ("c", "d"))):
        result = landbridge.components(source)
        assert result.notes == (note,) and result.count == 2 + (result.ids is None)
    for other in ([(1, 2), (3, 4)], ((1, 2), (3, 4), (5, 6)), ([1, 2], [3, 4]), ((1, 2), [3, 4])):
        assert landbridge.components(other).notes == ()
