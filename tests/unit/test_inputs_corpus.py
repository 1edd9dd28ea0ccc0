"""Objects as input, usual and odd and invalid, each with its components or the one line that refuses it."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import InputError
from landbridge.edges.forms import Adjacency, EdgeList

Answer = dict[Any, Any]
"""Each id and the smallest one of its component."""

NUMBERS: Answer = {3: 3, 4: 3, 6: 3, 8: 8}
DENSE: Answer = {0: 0, 1: 1, 2: 2, 3: 3, 4: 3, 5: 5, 6: 3, 7: 7, 8: 8}
TEXT: Answer = {"b": "b", "c": "b", "x": "b", "z": "z"}
U, V = [3, 6, 8], [4, 3, 8]
A, B = ["c", "x", "z"], ["b", "c", "z"]
ONE, TWO = uuid.UUID(int=1), uuid.UUID(int=2)
UUIDS: Answer = {str(ONE): str(ONE), str(TWO): str(ONE)}


class Library:
    """A library that is imported by the cases that need it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(pytest.importorskip(self._name), attribute)


pa, pd, pl, sp, nx, duckdb = map(Library, ("pyarrow", "pandas", "polars", "scipy.sparse", "networkx", "duckdb"))


def frame(u: Any = U, v: Any = V, **types: Any) -> Any:
    return pd.DataFrame({"u": pd.Series(u, **types), "v": pd.Series(v, **types)})


def table(u: Any = U, v: Any = V, kind: Any = None) -> Any:
    return pa.table({"u": pa.array(u, kind), "v": pa.array(v, kind)})


def misaligned(values: list[int]) -> Any:
    array = np.ndarray(len(values), "i8", bytearray(8 * len(values) + 1), 1)
    array[:] = values
    return array


def reversed_view(values: list[int]) -> Any:
    return np.array(values[::-1])[::-1]


def frozen(values: list[int]) -> Any:
    array = np.array(values)
    array.setflags(write=False)
    return array


def invalid() -> Any:
    bad = pa.StringArray.from_buffers(3, pa.py_buffer(np.array([0, 1, 2, 3], "i4")), pa.py_buffer(b"a\xffc"))
    return pa.table({"u": bad, "v": ["a", "b", "c"]})


def mixed_graph() -> Any:
    graph = nx.Graph([("b", "c"), ("c", "x")])
    graph.add_node("z")
    return graph


def rows_of(matrix_format: str, **options: Any) -> Any:
    return getattr(sp.coo_array((np.ones(3), (U, V)), shape=(9, 9), **options), f"to{matrix_format}")()


def mixed_indices() -> Any:
    matrix = rows_of("csr")
    matrix.indptr, matrix.indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    return matrix


GOOD: list[tuple[str, Callable[[], Any], dict[str, Any], Answer]] = [
    # arrays and lists of numbers: vertices are 0..n-1
    ("arrays", lambda: (np.array(U), np.array(V)), {}, DENSE),
    ("lists", lambda: (U, V), {}, DENSE),
    ("tuple and list", lambda: (tuple(U), V), {}, DENSE),
    ("list of arrays", lambda: [np.array(U), np.array(V)], {}, DENSE),
    ("array of pairs", lambda: np.array([U, V]).T, {}, DENSE),
    ("array of two rows", lambda: np.array([U, V]), {}, DENSE),
    ("two by two", lambda: np.array([[0, 2], [1, 3]]), {}, {0: 0, 1: 1, 2: 0, 3: 1}),
    ("nested lists", lambda: [[0, 2], [1, 3]], {}, {0: 0, 1: 1, 2: 0, 3: 1}),
    ("pairs", lambda: list(zip(U, V, strict=True)), {}, DENSE),
    ("two pairs", lambda: [(0, 2), (1, 3)], {}, {0: 0, 1: 1, 2: 0, 3: 1}),
    ("one pair", lambda: [(0, 2)], {}, {0: 0, 1: 1, 2: 0}),
    ("tuple of pairs", lambda: ((0, 2), (1, 3)), {}, {0: 0, 1: 1, 2: 0, 3: 1}),
    ("pairs of NumPy integers", lambda: [(np.int8(0), np.int64(2)), (1, 3)], {}, {0: 0, 1: 1, 2: 0, 3: 1}),
    ("pairs, arrays among them", lambda: [(0, 2), np.array([1, 3])], {}, {0: 0, 1: 1, 2: 0, 3: 1}),
    ("misaligned", lambda: (misaligned(U), misaligned(V)), {}, DENSE),
    ("big-endian", lambda: (np.array(U, ">i8"), np.array(V, ">u2")), {}, DENSE),
    ("reversed", lambda: (reversed_view(U), reversed_view(V)), {}, DENSE),
    ("read-only", lambda: (frozen(U), frozen(V)), {}, DENSE),
    ("every other", lambda: (np.repeat(U, 2)[::2], np.repeat(V, 2)[::2]), {}, DENSE),
    ("whole floats", lambda: (np.array(U, "f4"), V), {}, DENSE),
    ("objects", lambda: (np.array(U, object), np.array(V, object)), {}, DENSE),
    ("decimals", lambda: ([decimal.Decimal(x) for x in U], [decimal.Decimal("4.0"), 3, 8]), {}, DENSE),
    ("masked, none of it", lambda: (np.ma.array(U), np.ma.array(V)), {}, DENSE),
    ("nothing", list, {}, {}),
    ("nothing, as text", lambda: (np.array([], "U1"), np.array([], "U1")), {}, {}),
    ("sparse", lambda: (U, V), {"ids": "sparse"}, NUMBERS),
    ("sparse pairs", lambda: [(10**15, -7), (3, 3)], {"ids": "sparse"}, {-7: -7, 3: 3, 10**15: -7}),
    ("the largest id", lambda: [(2**64 - 1, 5)], {"ids": "sparse"}, {5: 5, 2**64 - 1: 5}),
    ("uint64 beside int64", lambda: (np.array([7], "u8"), np.array([-1])), {"ids": "sparse"}, {-1: -1, 7: -1}),
    ("more vertices", lambda: ([0], [1]), {"num_vertices": 3}, {0: 0, 1: 0, 2: 2}),
    ("series", lambda: (pd.Series(U), pd.Series(V)), {}, DENSE),
    ("list of series", lambda: [pd.Series([0, 2]), pd.Series([1, 3])], {}, {0: 0, 1: 0, 2: 2, 3: 2}),
    ("nullable series", lambda: (pd.Series(U, dtype="Int64"), pd.Series(V, dtype="UInt8")), {}, DENSE),
    ("polars series", lambda: (pl.Series(U), pl.Series(V)), {}, DENSE),
    ("arrow arrays", lambda: (pa.array(U), pa.chunked_array([V[:1], V[1:]])), {}, DENSE),
    ("edge list", lambda: EdgeList(np.array(U), np.array(V)), {}, DENSE),
    ("rows", lambda: Adjacency(np.array([0, 1, 1, 2]), np.array([2, 0])), {}, {0: 0, 1: 1, 2: 0}),
    # text
    ("text pairs", lambda: list(zip(A, B, strict=True)), {}, TEXT),
    ("two text pairs", lambda: [("a", "b"), ("c", "d")], {}, {"a": "a", "b": "a", "c": "c", "d": "c"}),
    ("one text pair", lambda: [("b", "a")], {}, {"a": "a", "b": "a"}),
    ("text lists", lambda: (A, B), {"ids": "names"}, TEXT),
    ("two texts in two lists", lambda: (["a", "b"], ["c", "d"]), {}, {"a": "a", "b": "b", "c": "a", "d": "b"}),
    ("text two by two", lambda: np.array([["a", "b"], ["c", "d"]]), {}, {"a": "a", "b": "a", "c": "c", "d": "c"}),
    ("nested text", lambda: [["a", "b"], ["c", "d"]], {}, {"a": "a", "b": "a", "c": "c", "d": "c"}),
    ("text arrays", lambda: (np.array(A), np.array(B)), {"ids": "names"}, TEXT),
    ("byte arrays", lambda: (np.array(A, "S"), np.array(B, "S")), {}, TEXT),
    ("StringDType", lambda: (np.array(A, "T"), np.array(B, "T")), {}, TEXT),
    ("text objects", lambda: (np.array(A, object), np.array(B, object)), {}, TEXT),
    ("text series", lambda: (pd.Series(A), pd.Series(B, dtype=object)), {}, TEXT),
    ("text of polars", lambda: (pl.Series(A), pl.Series(B, dtype=pl.Categorical)), {}, TEXT),
    ("text of arrow", lambda: (pa.array(A, pa.string_view()), pa.array(B).dictionary_encode()), {}, TEXT),
    ("text of three libraries", lambda: (pd.Series(A, dtype="category"), pl.Series(B)), {}, TEXT),
    ("numbers as text", lambda: [("10", "9"), ("010", "10")], {}, {"010": "010", "10": "010", "9": "010"}),
    ("UUID objects", lambda: [(TWO, ONE)], {}, UUIDS),
    # tables: vertices are the ids that occur
    ("pandas", frame, {}, NUMBERS),
    ("pandas, dense", frame, {"ids": "dense"}, DENSE),
    ("pandas, from one", lambda: frame([1, 2], [2, 4]), {"base": 1}, {1: 1, 2: 1, 3: 3, 4: 1}),
    ("pandas, sparse", lambda: frame([-1, 5], [5, 9]), {"ids": "sparse"}, {-1: -1, 5: -1, 9: -1}),
    ("pandas int8", lambda: frame(dtype="int8"), {}, NUMBERS),
    ("pandas whole floats", lambda: frame(dtype="float64"), {}, NUMBERS),
    ("pandas objects", lambda: frame(dtype=object), {}, NUMBERS),
    ("pandas arrow", lambda: frame(dtype="uint64[pyarrow]"), {}, NUMBERS),
    ("pandas categories of numbers", lambda: frame(dtype="category"), {}, NUMBERS),
    ("pandas decimals", lambda: frame([decimal.Decimal(x) for x in U], V), {}, NUMBERS),
    ("pandas text", lambda: frame(A, B), {}, TEXT),
    ("pandas text, other index", lambda: frame(A, B).iloc[::-1], {}, TEXT),
    ("pandas UUIDs", lambda: frame([TWO], [ONE]), {}, UUIDS),
    ("pandas, named columns", lambda: frame(A, B).assign(w=1.5)[["w", "v", "u"]], {"columns": ("u", "v")}, TEXT),
    ("pandas, two of five", lambda: pd.DataFrame({"id": [7, 8, 9], "target": V, "w": 1.5, "source": U}), {}, NUMBERS),
    ("ids of two data sets, said", lambda: pl.DataFrame(
        {"source_dataset_l": A, "unique_id_l": A, "source_dataset_r": B, "unique_id_r": B}
    ), {"columns": ("unique_id_l", "unique_id_r")}, TEXT),
    ("pandas, an end in the index", lambda: frame().assign(w=V).set_index("u"), {}, NUMBERS),
    ("pandas, ends in the index", lambda: frame(A, B).assign(w=V, day=V).set_index(["day", "u", "v"]), {}, TEXT),
    ("pandas, the index as text", lambda: frame(A, B, dtype="category").assign(w=V).set_index("u"), {}, TEXT),
    ("pandas, an end alone in the index", lambda: frame().set_index("u"), {}, NUMBERS),
    ("pandas, customers in the index", lambda: frame().set_axis(["customer_l", "customer_r"], axis=1).assign(w=V)
     .set_index("customer_l"), {}, NUMBERS),
    ("pandas, an index of other things", lambda: frame().assign(customer=[7, 7, 7]).set_index("customer"), {}, NUMBERS),
    ("pandas, a column of the index", lambda: frame().assign(who=U, w=V).set_index("who"), {"columns": ("who", "v")},
     NUMBERS),
    ("pandas, positions beside an index", lambda: frame().set_index(frame().v.rename("a")),
     {"columns": (0, 1)}, NUMBERS),
    ("pandas, the index as a column, too", lambda: frame().set_index("u", drop=False), {}, NUMBERS),
    ("pandas, a name twice, positions", lambda: frame().assign(w=V).set_axis(["u", "v", "u"], axis=1),
     {"columns": (0, 1)}, NUMBERS),
    ("pandas, 2^63 in objects", lambda: frame([2**63 + 5, 1], [1, 7], dtype=object), {},
     {1: 1, 7: 1, 2**63 + 5: 1}),
    ("polars", lambda: pl.DataFrame({"u": U, "v": V}), {}, NUMBERS),
    ("polars int128", lambda: pl.DataFrame({"u": pl.Series(U, dtype=pl.Int128), "v": V}), {}, NUMBERS),
    ("polars lazy", lambda: pl.LazyFrame({"u": A, "v": B, "w": B}).select("u", "v"), {}, TEXT),
    ("arrow", table, {}, NUMBERS),
    ("arrow decimal32", lambda: table(kind=pa.decimal32(5, 2)), {}, NUMBERS),
    ("arrow decimal256", lambda: table([2**64 - 1, 1], [1, 1], pa.decimal256(70, 0)), {}, {1: 1, 2**64 - 1: 1}),
    ("arrow uuid", lambda: table([TWO.bytes], [ONE.bytes], pa.uuid()), {}, UUIDS),
    ("arrow 16 bytes", lambda: table([ONE.bytes, TWO.bytes], [ONE.bytes] * 2, pa.binary(16)).slice(1), {}, UUIDS),
    ("arrow runs", lambda: pa.table({"u": pa.RunEndEncodedArray.from_arrays([1, 3], ["a", "b"]), "v": ["b", "b", "b"]}),
     {}, {"a": "a", "b": "a"}),
    ("arrow, no rows", lambda: table([], []), {}, {}),
    ("arrow batch", lambda: table(A, B).to_batches()[0], {}, TEXT),
    ("arrow sliced", lambda: table([None, *U], [None, *V]).slice(1), {}, NUMBERS),
    ("duckdb", lambda: duckdb.sql("select * from (values (3::hugeint, 4::hugeint), (6, 3), (8, 8)) t(u, v)"),
     {}, NUMBERS),
    ("duckdb uuid", lambda: duckdb.sql(f"select '{TWO}'::uuid as u, '{ONE}'::uuid as v"), {}, UUIDS),
    # graphs of other libraries
    *((f"{kind} matrix", lambda kind=kind: rows_of(kind), {}, DENSE) for kind in ("csr", "csc", "coo", "lil", "dok")),
    ("indices of two types", mixed_indices, {}, DENSE),
    ("networkx", lambda: nx.Graph([(0, 2), (1, 1)]), {}, {0: 0, 1: 1, 2: 0}),
    ("networkx, other order", lambda: nx.Graph([(2, 0), (1, 1)]), {}, {0: 0, 1: 1, 2: 0}),
    ("networkx, numbers with gaps", lambda: nx.Graph([(6, 3), (4, 3), (8, 8)]), {}, NUMBERS),
    ("networkx, far numbers", lambda: nx.DiGraph([(10**12, 3), (-7, 3)]), {}, {-7: -7, 3: -7, 10**12: -7}),
    ("networkx, text", mixed_graph, {}, TEXT),
    ("networkx, several edges", lambda: nx.MultiDiGraph([("b", "c"), ("c", "b"), ("x", "b"), ("z", "z")]), {}, TEXT),
    ("networkx, part", lambda: nx.path_graph(6).subgraph([4, 1, 2]), {}, {1: 1, 2: 1, 4: 4}),
    ("networkx, turned", lambda: nx.DiGraph([("x", "c"), ("b", "c"), ("z", "z")]).reverse(copy=False), {}, TEXT),
    ("networkx, empty", lambda: nx.Graph(), {}, {}),  # noqa: PLW0108 - not before its test runs
]  # fmt: skip

BAD: list[tuple[str, Callable[[], Any], dict[str, Any], str]] = [
    ("nothing at all", lambda: None, {}, "give a graph or chunks=..., one of them"),
    ("a number", lambda: 5,
     {}, "cannot read edges from int: give a pair of arrays, an (m, 2) array, a list of pairs, "),
    ("a set", lambda: {(0, 1)}, {}, "cannot read edges from set: "),
    ("a dictionary", lambda: {"u": U, "v": V}, {}, "cannot read edges from dict: "),
    ("0-d arrays", lambda: (np.array(1), np.array(2)), {}, "u must be one-dimensional, not of shape ()"),
    ("two numbers", lambda: (1, 2), {}, "u must be a column, such as an array or a list, not int"),
    ("triples", lambda: [(1, 2, 5), (3, 4, 7)],
     {}, "edge 0 is (1, 2, 5): 3 ids, not 2; weights go in an array of their own"),
    ("two tuples", lambda: ((1, 2, 3, 4), (5, 6, 7, 8)), {}, "two columns go in as lists or arrays, (u, v)"),
    ("a pair too long", lambda: [(0, 1), (1, 2), (2, 3, 4, 5)], {}, "edge 2 is (2, 3, 4, 5): 4 ids, not 2"),
    ("a pair that is a number", lambda: [(0, 1), 5, (2, 3)], {}, "edge 1 is 5, not a pair of ids"),
    ("a pair that is text", lambda: [("a", "b"), "cd"], {}, "edge 1 is 'cd', not a pair of ids"),
    ("lengths", lambda: (U, [*V, 1]), {}, "u has 3 ids and v has 4; edge i needs both u[i] and v[i]"),
    ("lengths of text", lambda: (A, B[1:]), {}, "u has 3 ids and v has 2; edge i needs both u[i] and v[i]"),
    ("text and numbers", lambda: (A, V), {}, "u holds text and v holds numbers; both must hold the same kind of ids"),
    ("text beside numbers", lambda: [("a", 1), ("b", 2)], {}, "u holds text and v holds numbers"),
    ("a number among text", lambda: [("a", "b"), ("c", 7)], {}, "edge 1: v = 7 is not text, as others are"),
    ("text among numbers", lambda: [(1, 2), ("c", 7)], {}, "edge 1: u = 'c' is not a whole number, as others are"),
    ("null among text", lambda: (["a", None], B[:2]), {}, "edge 1: u is null"),
    ("null among numbers", lambda: ([1, None], [2, 3]), {}, "edge 1: u is null"),
    ("NaN", lambda: (np.array([1.0, np.nan]), [2, 3]), {}, "edge 1: u = nan is not a number"),
    ("half", lambda: ([1.5], [2]), {}, "edge 0: u = 1.5 is not a whole number"),
    ("half a decimal", lambda: ([decimal.Decimal("1.5")], [2]), {}, "edge 0: u = Decimal('1.5') is not a whole number"),
    ("a large float", lambda: ([0, 2.0**53], [1, 1]), {}, "u = "),
    ("truth", lambda: (np.array([True]), np.array([False])), {}, "u must hold whole numbers or text, not bool"),
    ("dates", lambda: (np.array(["2026-01-01"], "M8[D]"), [1]), {},
     "u must hold whole numbers or text, not datetime64[D]"),
    ("2^64", lambda: [(2**64, 1)], {}, "edge 0: u = 18446744073709551616 does not fit 64 bits"),
    ("surrogates", lambda: [("a", "\udcff")], {}, "edge 0: v = '\\udcff' is no text in UTF-8"),
    ("bytes of Latin-1", lambda: ([b"a"], [b"\xe9"]), {}, "edge 0: v = b'\\xe9' is no text in UTF-8"),
    ("no UUID", lambda: [(ONE, TWO), ("x", TWO)], {}, "edge 1: u = 'x' is no UUID, as others are"),
    ("a negative number", lambda: ([0, -1], [1, 1]), {}, "edge 1: vertex -1 is negative"),
    ("dense beyond memory", lambda: [(2**63, 1)], {}, "use ids='sparse' if the ids have gaps"),
    ("names that are numbers", lambda: (U, V),
     {"ids": "names"}, "ids='names' is for text; these ids are whole numbers"),
    ("sparse text", lambda: (A, B), {"ids": "sparse"}, "these ids are text, and ids='names' is for that"),
    ("text said to be dense", lambda: (A, B), {"ids": "dense"}, "ids='dense' is for whole numbers; these ids are text"),
    ("dense pairs of text", lambda: [("3", "5")], {"ids": "dense"}, "ids='dense' is for whole numbers; these ids are"),
    ("text and a count", lambda: (A, B), {"num_vertices": 9}, "num_vertices has no meaning for vertices with names"),
    ("a square array", lambda: np.eye(3), {}, "an adjacency matrix goes in as scipy.sparse.csr_array(matrix)"),
    ("three columns", lambda: np.zeros((4, 3), int), {}, "an array of edges has shape (m, 2) or (2, m), not (4, 3)"),
    ("masked", lambda: (np.ma.array(U, mask=[0, 1, 0]), V), {}, "edge 1: u is null"),
    ("series with null", lambda: (pd.Series([1, None], dtype="Int64"), pd.Series([1, 2])), {}, "edge 1: u is null"),
    ("columns of a pair", lambda: (U, V),
     {"columns": ("u", "v")}, "columns: for files and data frames; this source is a tuple"),
    ("one column", lambda: pd.DataFrame({"u": U}), {}, "edges are in two columns, and there is only 'u'"),
    ("no column", lambda: pd.DataFrame(), {}, "edges are in two columns, and there is none"),  # noqa: PLW0108
    ("three candidates", lambda: frame().assign(x=U).set_axis(["ann", "bob", "cy"], axis=1),
     {}, "it is ambiguous which two of the columns"),
    ("an unknown column", frame, {"columns": ("u", "w")}, "there is no column 'w'; the frame has u, v"),
    ("a column too far", frame, {"columns": (0, 2)}, "there is no column 2; the frame has 2, from 0"),
    ("frame with null", lambda: frame([1, None], [2, 3], dtype="Int64"), {}, "row 1: column 'u' is null"),
    ("frame with NaN", lambda: frame([1, None], [2.0, 3]), {}, "row 1: column 'u' = nan is null or not a number"),
    ("frame with null text", lambda: frame(["a", "b"], ["c", None]), {}, "row 1: column 'v' is null"),
    ("polars with null", lambda: pl.DataFrame({"u": [1, 2], "v": [None, 3]}), {}, "row 0: column 'v' is null"),
    ("null in a dictionary",
     lambda: pa.table({"u": pa.DictionaryArray.from_arrays([0, 1], ["a", None]), "v": ["a", "b"]}),
     {}, "row 1: column 'u' is null"),
    ("text and numbers in a frame", lambda: frame(A, V), {}, "column 'u' holds text and column 'v' holds numbers"),
    ("a negative id", lambda: frame([4, -3], [1, 2]), {}, "row 1: column 'u' = -3 is negative; ids='sparse' takes"),
    ("below the base", lambda: frame([1, 0], [1, 2]), {"base": 1}, "row 1: column 'u' = 0, and base=1 says that"),
    ("dates in a frame", lambda: frame([datetime.date(2026, 1, 1)], [datetime.date(2026, 1, 2)]),
     {}, "column 'u' holds date32"),
    ("times in a frame", lambda: frame(pd.to_datetime(["2026-01-01"]), [1]),
     {}, "column 'u' must hold whole numbers or text, not datetime64"),
    ("periods in a frame", lambda: frame(pd.period_range("2024-01", periods=3), V), {}, "column 'u' holds periods"),
    ("periods of Arrow", lambda: table(pd.period_range("2024-01", periods=3)), {}, "column 'u' holds periods of time"),
    ("periods as categories", lambda: frame(pd.Categorical(pd.period_range("2024-01", periods=3)), V),
     {}, "column 'u' "),
    ("periods as objects", lambda: frame(pd.period_range("2024-01", periods=3), V, dtype=object),
     {}, "row 0: column 'u' = Period('2024-01-01', 'D') is not a whole number"),
    ("truth in bytes", lambda: table(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([0, 1, 1], "i1"))),
     {}, "column 'u' holds bool"),
    ("2^70 in a frame", lambda: pd.DataFrame({"left": [2**70], "right": [1]}), {}, "row 0: column 'left' = "),
    ("2^70 after others", lambda: frame([1, 2**63, 2**70], V, dtype=object),
     {}, "row 2: column 'u' = 1180591620717411303424 does not fit 64 bits"),
    ("2^63 and below 0", lambda: frame([-1, 2**63], [1, 1], dtype=object),
     {"ids": "sparse"}, "row 0: column 'u' = -1 is negative, and others are from 2^63 on"),
    ("a name twice", lambda: frame().assign(w=V).set_axis(["u", "v", "u"], axis=1), {}, "2 columns have the name 'u'"),
    ("a name twice, said", lambda: frame().assign(w=V).set_axis(["u", "v", "u"], axis=1),
     {"columns": ("u", "v")}, "2 columns have the name 'u' (positions 0, 2)"),
    ("a name twice in Arrow", lambda: pa.table([U, V, U], names=["u", "v", "u"]),
     {"columns": ("v", "u")}, "2 columns have the name 'u'"),
    ("a matrix with names", lambda: pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "b"]),
     {}, "it looks like an adjacency matrix, which goes in as scipy.sparse.csr_array(matrix); columns= selects two"),
    ("a matrix of NetworkX", lambda: nx.to_pandas_adjacency(nx.path_graph(5)), {}, "it looks like an adjacency matrix"),
    ("JSON of Arrow", lambda: table(pa.array(["[1]", "[2]", "[3]"], pa.json_())), {}, "column 'u' holds JSON; ids are"),
    ("an index and two candidates", lambda: frame().set_axis(["customer_r", "shop"], axis=1)
     .set_index(pd.Index(U, name="customer_l")), {}, "which two of the columns customer_r, shop, customer_l hold"),
    ("no level of the index", lambda: frame().assign(w=V).set_index("u"), {"columns": ("who", "v")},
     "there is no column 'who'; the frame has v, w, u"),
    ("a position behind the columns", lambda: frame().assign(w=V).set_index("u"), {"columns": (0, 2)},
     "there is no column 2; the frame has 2, from 0"),
    ("ids of two data sets", lambda: pl.DataFrame(
        {"source_dataset_l": A, "unique_id_l": A, "source_dataset_r": B, "unique_id_r": B}
    ), {}, "may be unique within a data set only, as 'source_dataset_l' and 'source_dataset_r' say"),
    ("truth in a frame", lambda: pl.DataFrame({"u": [True], "v": [False]}),
     {}, "column 'u' holds bool; ids are whole numbers"),
    ("lists in a frame", lambda: pl.DataFrame({"u": [[1]], "v": [[2]]}), {}, "column 'u' holds "),
    ("bytes of Latin-1 in a table", lambda: table([b"a", b"\xe9"], [b"b", b"c"]),
     {}, "row 1: column 'u' = b'\\xe9' is no text in UTF-8"),
    ("invalid UTF-8 in Arrow", invalid, {}, "row 1: column 'u' is no text in UTF-8"),
    ("fractions of decimals", lambda: table([decimal.Decimal("0.5")], [decimal.Decimal("1.0")]),
     {}, "is not a whole number"),
    ("a decimal too large", lambda: table([decimal.Decimal(2**64)], [decimal.Decimal(1)]), {},
     "row 0: column 'u' = 18446744073709551616 does not fit 64 bits"),
    ("names in numbers", frame, {"ids": "names"}, "column 'u' holds numbers, and ids='names' is for text"),
    ("dense text", lambda: frame(A, B),
     {"ids": "dense"}, "column 'u' holds text, and ids='dense' is for whole numbers"),
    ("a number of vertices for text", lambda: frame(A, B),
     {"num_vertices": 3}, "column 'u' holds text, and num_vertices is for whole numbers"),
    ("a vertex out of range", lambda: frame([1], [4]),
     {"base": 1, "num_vertices": 3}, "row 0: column 'v' = 4 is out of range for n = 3, and base=1 says"),
    ("header of a frame", frame, {"header": True}, "header: for files; this source is a DataFrame"),
    ("a matrix that is not square", lambda: sp.csr_array((3, 4)),
     {}, "an adjacency matrix is square, not of shape (3, 4)"),
    ("sparse ids of a matrix", lambda: rows_of("csr"), {"ids": "sparse"}, "this graph has numbered vertices already"),
    ("vertices of a matrix", lambda: rows_of("csr"),
     {"num_vertices": 4}, "num_vertices = 4, but the source declares 9"),
]  # fmt: skip


def test_the_corpus_is_large_and_has_no_name_twice() -> None:
    names = [case[0] for case in (*GOOD, *BAD)]
    assert len(names) >= 100
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("source", "options", "answer"), [c[1:] for c in GOOD], ids=[c[0] for c in GOOD])
def test_accepted_objects_yield_their_components(source: Any, options: dict[str, Any], answer: Answer) -> None:
    result = landbridge.components(source(), **options)
    ids = list(range(len(result.labels))) if result.ids is None else result.ids.tolist()
    representatives = [ids[i] for i in result.representatives.tolist()]
    assert dict(zip(ids, representatives, strict=True)) == answer
    assert ids == list(answer)
    whole_numbers = "sparse" if result.ids is not None and not result.base else "dense"
    assert result.id_kind == ("names" if ids and isinstance(ids[0], str) else whole_numbers if ids else result.id_kind)


@pytest.mark.parametrize(("source", "options", "message"), [c[1:] for c in BAD], ids=[c[0] for c in BAD])
def test_other_objects_are_refused_in_one_line(source: Any, options: dict[str, Any], message: str) -> None:
    graph = source()
    with pytest.raises(InputError) as caught:
        landbridge.components(graph, **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
