"""What every door of the library takes and refuses alike: functions, streams, other people's signatures, commands."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from oracles.refusals import refused
from scipy import sparse

import landbridge
from landbridge import InputError
from landbridge.cluster.running import edges_of
from landbridge.compat import splink

FRAME = pd.DataFrame({"a": [1, 3], "b": [2, 4], "c": [0, 0]})


def _text(folder: Path) -> Path:
    path = folder / "pairs.csv"
    FRAME.to_csv(path, index=False)
    return path


def _parquet(folder: Path) -> Path:
    path = folder / "pairs.parquet"
    pq.write_table(pa.Table.from_pandas(FRAME), path)
    return path


SOURCES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: FRAME,
    "arrow": lambda _: pa.Table.from_pandas(FRAME),
    "text": _text,
    "parquet": _parquet,
}
DOORS: dict[str, Callable[..., Any]] = {
    "components": landbridge.components,
    "forest": landbridge.spanning_forest,
    "graph": landbridge.Graph,
    "deduplicate": landbridge.deduplicate,
    "chunks": lambda source, **options: landbridge.components(chunks=[source], **options),
}


@pytest.mark.parametrize("pair", [("a", "a"), (1, 1), ("b", 1), (0, "a")], ids=str)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("door", DOORS)
def test_one_column_is_no_edge(door: str, source: str, pair: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the column .* is named twice; an edge is in two columns$"):
        DOORS[door](SOURCES[source](tmp_path), columns=pair)


def test_one_column_of_a_cluster_or_of_splink_is_no_edge() -> None:
    with refused(InputError, "the column 'a' is named twice; an edge is in two columns"):
        edges_of(pa.int64(), pa.int64(), ("a", "a"))
    with refused(InputError, "the column 'A' is named twice; an edge is in two columns"):
        splink.cluster_pairwise_predictions_at_threshold(
            "nodes", "edges", None, "id", edge_id_column_name_left="A", edge_id_column_name_right='"a"'
        )


@pytest.mark.parametrize("columns", [5, "ab", ("a",), (True, False), (0.0, 1.0), (None, "a"), ("a", "b", "c")], ids=str)
def test_columns_that_are_no_pair_are_refused(columns: Any) -> None:
    with pytest.raises(InputError, match="columns must name two columns, each by its name or its position from 0"):
        landbridge.components(FRAME, columns=columns)


def test_a_number_that_names_another_column_is_refused() -> None:
    named = pd.DataFrame([[1, 2, 9], [3, 4, 9]], columns=[1, 0, 7])
    with pytest.raises(InputError, match="columns: 1 may be a position, or the column of that name: say '1'"):
        landbridge.components(named, columns=(1, 0))
    assert landbridge.components(named, columns=("1", "0")).count == 2
    assert landbridge.components(named.set_axis([0, 1, 2], axis=1), columns=(0, 1)).count == 2


# One rule of ids: a column holds whole numbers of any type, or text of any type, and what a column may hold may stand
# alone, too. The same columns go through every door.
NUMBERS: dict[str, Callable[[list[int]], Any]] = {
    "int": list,
    "float": lambda x: [float(i) for i in x],
    "mixed": lambda x: [float(i) if at % 2 else i for at, i in enumerate(x)],
    "Decimal": lambda x: [Decimal(i) for i in x],
    "int8": lambda x: np.array(x, "i1"),
    "float16": lambda x: np.array(x, "f2"),
    "float64": lambda x: np.array(x, "f8"),
    "big-endian": lambda x: np.array(x, ">i8"),
    "objects": lambda x: np.array([float(i) for i in x], object),
    "pandas": pd.Series,
    "pandas floats": lambda x: pd.Series(x, dtype="float64"),
    "Int64": lambda x: pd.array(x, dtype="Int64"),
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow decimals": lambda x: pa.array([Decimal(i) for i in x]),
}
TEXTS: dict[str, Callable[[list[int]], Any]] = {
    "str": lambda x: [str(i) for i in x],
    "bytes": lambda x: [str(i).encode() for i in x],
    "numpy": lambda x: np.array(x).astype("U"),
    "numpy bytes": lambda x: np.array(x).astype("S"),
    "objects": lambda x: np.array(x).astype("U").astype(object),
    "category": lambda x: pd.Series(np.array(x).astype("U"), dtype="category"),
    "polars": lambda x: pl.Series(list(map(str, x))),
    "arrow": lambda x: pa.array(list(map(str, x))),
    "arrow binary": lambda x: pa.array([str(i).encode() for i in x]),
}
REFUSED: dict[str, Any] = {
    "bool": [True, False, True],
    "numpy bool": np.array([True, False, True]),
    "fraction": [1.5, 2, 3],
    "null": [None, 2, 3],
    "nan": [float("nan"), 2.0, 3.0],
    "too large": [2**64, 2, 3],
    "inexact": np.array([2.0**60, 2, 3]),
    "times": np.array([1, 2, 3], "M8[s]"),
    "complex": [1j, 2, 3],
}
U, V = [1, 3, 6], [2, 2, 7]  # the components {1, 2, 3} and {6, 7} of the ids that occur


def _stream(ids: str | None, u: Any, v: Any) -> landbridge.Incremental:
    stream = landbridge.Incremental(ids=ids)
    stream.insert(u, v)
    return stream


def _one_by_one(ids: str | None, u: Any, v: Any) -> landbridge.Incremental:
    stream = landbridge.Incremental(ids=ids)
    for a, b in zip(u, v, strict=True):
        stream.insert(a, b)
    return stream


def _frame_of(u: Any, v: Any) -> Any:
    return pa.table({"u": pa.array(u), "v": pa.array(v)}) if isinstance(u, pa.Array) else pd.DataFrame({"u": u, "v": v})


def _asked(kind: str | None) -> landbridge.Incremental:
    """A stream of the edges in the ids of that kind."""
    text = TEXTS["str"]
    return _stream(kind, text(U), text(V)) if kind == "names" else _stream(kind, U, V)


def _clusters(labels: Any, ids: Any) -> list[int]:
    """The labels of 1, 2, 3, 6, 7."""
    return np.asarray(labels)[[1, 2, 3, 6, 7] if ids is None else slice(None)].tolist()


def _of(result: Any) -> list[int]:
    return list(np.unique(_clusters(result.labels, result.ids), return_inverse=True)[1])


_FOREST = landbridge.spanning_forest((U, V), ids="sparse")
_NAMED = landbridge.spanning_forest((TEXTS["str"](U), TEXTS["str"](V)))
TAKERS: dict[str, Callable[[str, Any, Any], list[int]]] = {
    "components of two columns": lambda _, u, v: _of(landbridge.components((u, v))),
    "components of a frame": lambda _, u, v: _of(landbridge.components(_frame_of(u, v))),
    "a stream": lambda kind, u, v: _of(_stream(kind, u, v).components()),
    "a stream, one by one": lambda kind, u, v: _of(_one_by_one(kind, u, v).components()),
    "a stream of a frame": lambda kind, u, v: _of(_stream(kind, _frame_of(u, v), ...).components()),
    "a stream of a pair": lambda kind, u, v: _of(_stream(kind, (u, v), ...).components()),
    "questions": lambda kind, u, v: [0, 0, 0, 1, 1] if _asked(kind).connected(u, v).all() else [],
    "questions, one by one": lambda kind, u, v: (
        [0, 0, 0, 1, 1] if all(_asked(kind).connected(a, b) for a, b in zip(u, v, strict=True)) else []
    ),
    "sizes": lambda kind, u, v: (
        [0, 0, 0, 1, 1] if _asked(kind).size(u).tolist() == [_asked(kind).size(x) for x in v] == [3, 3, 2] else []
    ),
    "why": lambda kind, u, v: (
        [0, 0, 0, 1, 1]
        if all((_NAMED if kind == "names" else _FOREST).why(a, b) for a, b in zip(u, v, strict=True))
        else []
    ),
}


@pytest.mark.parametrize("door", TAKERS)
def test_every_door_takes_the_same_ids(door: str) -> None:
    for name, make in NUMBERS.items():
        for kind in (None, "sparse"):
            assert TAKERS[door](kind, make(U), make(V)) == [0, 0, 0, 1, 1], name
    for name, make in TEXTS.items():
        assert TAKERS[door]("names", make(U), make(V)) == [0, 0, 0, 1, 1], name


@pytest.mark.parametrize("door", [name for name in TAKERS if name != "components of a frame"])
def test_every_door_refuses_the_same_ids(door: str) -> None:
    for column in REFUSED.values():
        for kind in (None, "sparse", "names"):
            with pytest.raises(InputError) as caught:
                TAKERS[door](kind, column, column)
            assert "\n" not in str(caught.value)


def test_records_of_any_type_meet_pairs_of_any_other() -> None:
    for makers in (list(NUMBERS.values()), list(TEXTS.values())):
        for pairs, records in zip(makers, makers[1:] + makers[:1], strict=True):
            answer = landbridge.deduplicate((pairs([1, 3]), pairs([2, 2])), records([3, 2, 1, 9]), library="pyarrow")
            assert answer["keep"].to_pylist() == [False, False, True, True]


def test_successors_are_whole_numbers_of_any_type() -> None:
    for make in NUMBERS.values():
        assert landbridge.rank_list(make([1, 2, -1])).tolist() == [2, 1, 0]
    for column in [*REFUSED.values(), ["a", "b", "c"]]:
        with pytest.raises(InputError):
            landbridge.rank_list(column)


def test_a_uuid_alone_is_its_text() -> None:
    one, two = UUID(int=1), UUID(int=2)
    stream = _stream("names", one, two)
    assert stream.connected(str(one), two)
    assert landbridge.spanning_forest([(one, two)]).why(two, str(one)).vertices.tolist() == [str(two), str(one)]


def test_edges_in_one_argument() -> None:
    frame = FRAME.assign(c=[4, 1])
    for edges in (
        frame[["a", "b"]],
        [(1, 2), (3, 4)],
        np.array([[1, 2], [3, 4]]),
        ([1, 3], [2, 4]),
        pl.from_pandas(frame[["a", "b"]]),
    ):
        assert _stream("sparse", edges, ...).components().ids.tolist() == [1, 2, 3, 4]
    stream = landbridge.Incremental(ids="sparse")
    stream.insert(frame, columns=("a", "c"))
    assert stream.connected(1, 4)
    with refused(InputError, "an edge has two endpoints, and 7 is one: insert(u, v)"):
        stream.insert(7)
    with refused(InputError, "the column 'a' is named twice; an edge is in two columns"):
        stream.insert(frame, columns=("a", "a"))
    with refused(InputError, "columns: for data frames; these edges are a list"):
        stream.insert([(1, 2)], columns=("a", "b"))
    with refused(InputError, "columns: for data frames; these edges are two columns already"):
        stream.insert([1], [2], columns=("a", "b"))
    matrix = sparse.coo_array((np.ones(2), ([0, 1], [1, 2])), shape=(3, 3))
    for each in (matrix, matrix.tocsr()):
        with refused(
            InputError,
            "cannot insert a sparse matrix: its entries are edges, insert(matrix.row, matrix.col) of its COO form",
        ):
            stream.insert(each)
    landbridge.Incremental().insert(matrix.row, matrix.col)
    with pytest.raises(InputError, match=r"cannot insert edges from tuple.*components\(chunks=...\) reads files"):
        stream.insert(("pairs.csv", "more.csv", "others.csv"))
    one = "one edge is insert(u, v), and edges in one argument are pairs, as in insert([(u, v)])"
    with refused(InputError, one):
        stream.insert((1, 2))
    names = landbridge.Incremental(ids="names")
    for edge in (("ann", "bob"), ["ann", "bob"]):
        with refused(InputError, f"{one}; components(chunks=...) reads files"):
            names.insert(edge)
    names.insert("ann", "bob")
    names.insert([("ann", "bob")])
    assert names.components().ids.tolist() == ["ann", "bob"]
    with refused(InputError, f"edge 0: vertex {2**63} is beyond any memory; ids='sparse' takes ids with gaps"):
        landbridge.Incremental().insert([2**63, 1], [2, 1])
    with refused(InputError, f"edge 0: vertex {2**62} is beyond any memory; ids='sparse' takes ids with gaps"):
        landbridge.Incremental().insert(2**62, 1)


TWO_COLUMNS, TWO_ROWS = [[1, 3, 5], [2, 4, 6]], [[7, 8], [9, 10]]


@pytest.mark.parametrize("form", [list, np.array, lambda x: list(map(np.array, x))], ids=["lists", "array", "arrays"])
@pytest.mark.parametrize("ids", [None, "sparse"])
def test_edges_of_a_stream_in_rows_beside_columns_are_refused(form: Any, ids: str | None) -> None:
    stream = landbridge.Incremental(ids=ids)
    stream.insert([0], [0])
    stream.insert([(0, 1), (1, 2), (0, 0)])  # batch 0: the shape of a list of tuples says nothing
    stream.insert(form(TWO_COLUMNS))
    before = stream.position
    message = (
        "a batch of shape (2, 2) has an edge in each row, one of shape (2, m) has columns, and batch 2 is of the first "
        "kind, batch 1 of the second: give two columns, insert(u, v), or arrays of shape (m, 2)"
    )
    for _ in range(2):  # a refused batch is no batch
        with refused(InputError, message):
            stream.insert(form(TWO_ROWS))
    assert stream.position == before
    stream.insert(*form(TWO_ROWS))
    stream.insert(tuple(form(TWO_ROWS)))
    stream.insert(form(TWO_COLUMNS))
    assert stream.connected(7, 9)
    assert not stream.connected(7, 8)
    other = landbridge.Incremental(ids=ids)
    with pytest.raises(InputError, match="edge 0"):
        other.insert(form([[0.5, 1, 3], [2, 0.5, 4]]))
    other.insert(form(TWO_ROWS))
    with pytest.raises(InputError, match="batch 0 is of the first kind, batch 1 of the second"):
        other.insert(form(TWO_COLUMNS))


def test_a_batch_may_be_taken_while_another_is() -> None:
    """By a handler of a signal or another thread; here by the object that the batch is made of."""
    stream = landbridge.Incremental(20)

    class Outer:
        shape = (3, 2)

        def __array__(self, *_: Any, **__: Any) -> Any:
            stream.insert(np.array(TWO_COLUMNS))
            return np.array([[11, 12], [12, 13], [13, 14]])

    stream.insert(Outer())
    assert stream.position == 6 and stream.connected(11, 14) and stream.connected(1, 2)
    with pytest.raises(InputError, match="batch 2 is of the first kind, batch 0 of the second"):
        stream.insert(np.array(TWO_ROWS))


def test_what_is_no_array_of_edges_has_no_rows() -> None:
    stream = landbridge.Incremental(ids="sparse")
    stream.insert(np.array(TWO_COLUMNS))
    stream.insert(FRAME[["a", "b"]])
    stream.insert(pl.DataFrame({"a": [1, 2], "b": [2, 3]}))
    stream.insert([pd.Series([1, 2]), pd.Series([2, 3])])
    with pytest.raises(InputError):
        stream.insert([np.array(1), np.array(2)])


def test_a_frame_is_no_column() -> None:
    for call in (
        lambda: landbridge.check_components([(1, 2), (3, 4)], FRAME),
        lambda: landbridge.Incremental(ids="names").insert(FRAME, FRAME),
        lambda: landbridge.Incremental().insert(FRAME, FRAME),
        lambda: landbridge.components((FRAME, FRAME)),
    ):
        with pytest.raises(InputError, match=r"is given as a data frame: name its column, as in frame\['id'\]"):
            call()


def test_labels_of_a_series_are_in_the_order_of_the_ids() -> None:
    edges = pd.DataFrame({"u": [1, 3, 7], "v": [2, 4, 8]})
    labels = [0, 0, 1, 1, 2, 2]
    for index in ([1, 2, 3, 4, 7, 8], list("abcdef"), [9, 8, 7, 6, 5, 4]):
        landbridge.check_components(edges, pd.Series(labels, index=index))
    by_id = pd.Series([0, 1, 0, 1, 2, 2], index=[1, 3, 2, 4, 7, 8])
    with pytest.raises(InputError, match="the index of this Series has another"):
        landbridge.check_components(edges, by_id)
    landbridge.check_components(edges, by_id[[1, 2, 3, 4, 7, 8]])


def test_one_edge_is_no_list_of_edges() -> None:
    for edge in ([0, 1], (0, 1), np.array([0, 1])):
        with pytest.raises(InputError):
            landbridge.components(edge)
        with pytest.raises(InputError):
            landbridge.Incremental(4).insert(edge)


def test_a_column_of_ids_that_is_named_twice() -> None:
    table = pa.table([pa.array([1, 2, 3]), pa.array([7, 8, 9])], names=["id", "id"])
    for records in (table, table.to_reader(), pd.DataFrame([[1, 7]], columns=["id", "id"])):
        for name in (None, "id"):
            with pytest.raises(InputError, match="2 columns have the name 'id'"):
                landbridge.deduplicate([(1, 2)], records, id=name)
