"""One record of each cluster: which records of a table are kept, from pairs of records that denote the same entity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.api import components
from landbridge.edges.column_names import listing, unique_position
from landbridge.edges.frames import library_of
from landbridge.edges.id_columns import ids_of
from landbridge.edges.load import is_files
from landbridge.edges.names import NameArray
from landbridge.edges.numbering import Numbering
from landbridge.edges.on_device import is_device_array
from landbridge.edges.options import ReadingOptions, takes_reading_options
from landbridge.edges.place import Place
from landbridge.edges.queries import is_relation, relation_of
from landbridge.errors import InputError
from landbridge.flags import is_word
from landbridge.passes import order_of, taken
from landbridge.preferences import preferences_of
from landbridge.result import Components
from landbridge.tables import Repeated, on_host, table_of
from landbridge.threads import default_threads
from landbridge.typing import ArrowStream, Chunks, DataFrame, GraphLike, Ids, Numbers, Times

Array = NDArray[Any]
Keep = Literal["smallest", "first"] | Callable[[Any], Any] | Numbers | Times


@dataclass(frozen=True, eq=False)
class Deduplicated:
    """Records, kept or dropped: what `deduplicate` returns where nothing came in a table.

    Attributes
    ----------
    id : array, shape (n,)
        The records.
    keep : array of bool, shape (n,)
        Whether the record is kept: one of each cluster.
    representative : array, shape (n,)
        The record of its cluster that is kept.
    size : array of int64, shape (n,)
        The number of records of its cluster.

    Examples
    --------
    >>> answer = landbridge.deduplicate(([0, 3], [1, 4]))
    >>> answer.id[answer.keep].tolist(), answer.size.tolist()
    ([0, 2, 3], [2, 2, 1, 2, 2])
    """

    id: Any
    keep: NDArray[np.bool_]
    representative: Any
    size: NDArray[np.int64]


@takes_reading_options
def deduplicate(
    pairs: GraphLike | None = None,
    records: DataFrame | ArrowStream | Ids | None = None,
    *,
    keep: Keep = "smallest",
    id: str | None = None,
    chunks: Chunks | None = None,
    num_vertices: int | None = None,
    threads: int | None = None,
    format: str | None = None,
    library: str | None = None,
    **reading: Unpack[ReadingOptions],
) -> Any:
    """Which records to keep, one of each cluster, from pairs of records that denote the same entity.

    Parameters
    ----------
    pairs : GraphLike, optional
        The pairs of ids, as `components` takes its graph: a data frame, files, arrays.
    records : table or Ids, optional
        All records, in any order: a data frame with a column of ids (pandas, polars, pyarrow, a relation of DuckDB), or
        the ids alone. Records without a pair are kept. Without `records`, they are the vertices of the pairs: the ids
        that occur, ascending, or 0..n-1 for arrays.
    keep : {"smallest", "first"}, callable, Numbers or Times, default "smallest"
        Which record of a cluster is kept. "smallest": the one with the smallest id, numbers by value and text by its
        bytes. "first": the first of `records`. A callable gets the ids of a cluster of two records or more, ascending,
        and returns one of them; it is called once for each. A number, a bool or a time (date, datetime, duration) for
        each record, in their order: the record with the largest one, True or the latest time, of several the one with
        the smallest id. A Series of pandas goes by its index, whose labels are those of the index of `records`, or, if
        the index has the name of the column of ids or `records` have no index, the ids; labels without a record are
        left out. (The default index, 0, 1, ..., beside records without an index means their order.)
    id : str, optional
        The column of `records`, or the level of their index in pandas, that holds the ids; by default "id", or the only
        column.
    chunks : Chunks, optional
        Instead of `pairs`, as `components` takes them: pairs that do not fit memory.
    num_vertices, threads, format : optional
        As for `components`.
    library : str, optional
        "pandas", "polars" or "pyarrow" for a table of that library; by default that of `records`, or of the pairs.
    ids, columns, header, delimiter, comment, base, encoding, max_bytes : optional
        As for `Graph`; they describe the pairs.

    Returns
    -------
    table or Deduplicated
        A row for each record, in the order of `records`, with the columns `id` (under its own name in `records`),
        ``keep``, ``representative``, the record that is kept of the same cluster, and ``size``, the number of records
        of the cluster. Frames give a frame of the same library (pandas with the index of `records`, DuckDB a relation
        of the same connection), files a table of pyarrow, arrays a `Deduplicated`.

    Raises
    ------
    InputError
        As `components` does; for a record that occurs twice, for a pair with an id that no record has, and for a record
        without a value of `keep`.

    Notes
    -----
    Rows are independent of the order of the pairs, and, except for ``keep="first"``, of the order of `records` and so
    of files, chunks and threads. Beyond `components`: O(n) work for n records, a sort for a callable.

    Examples
    --------
    >>> pairs = [("bob", "rob"), ("rob", "robert"), ("ann", "anne")]
    >>> landbridge.deduplicate(pairs, ["rob", "eve", "bob", "anne", "ann", "robert"]).keep.tolist()
    [False, True, True, False, True, False]
    >>> answer = landbridge.deduplicate(pairs, keep=lambda ids: max(ids, key=len))
    >>> answer.id[answer.keep].tolist()
    ['anne', 'robert']
    """
    answer: Components = components(
        pairs, chunks=chunks, num_vertices=num_vertices, threads=threads, format=format, **reading
    )
    rows = _vertices(answer, pairs) if records is None else records_of(records, id)
    labels, ascending = _labels_of(answer, None if records is None else rows, default_threads(threads), pairs)
    count = int(labels.max()) + 1 if len(labels) else 0
    sizes = np.bincount(labels, minlength=count).astype(np.int64, copy=False)
    survivors = _survivors(keep, labels, ascending, sizes, rows, in_order=records is not None)
    mask = np.zeros(len(labels), dtype=bool)
    mask[survivors[survivors >= 0]] = True
    table = rows.table(
        {"keep": mask, "size": sizes[labels]},
        survivors,
        labels,
        (rows.library or answer.library) if library is None else library,
    )
    return table if library is not None or rows.relation is None else relation_of(table, rows.relation)


# the records -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Records:
    """The ids of all records.

    Attributes
    ----------
    name : str
        Of their column.
    ids : array or NameArray
        Integers, or text.
    column : column, optional
        As they came, in the library of the table.
    library : str, optional
        "pandas", "polars" or "pyarrow" where they came in a table.
    relation : relation of DuckDB, optional
        Where they came from.
    """

    name: str
    ids: Any
    column: Any = None
    library: str | None = None
    relation: Any = None

    def table(self, columns: dict[str, Any], survivors: Array, labels: Array, library: str | None) -> Any:
        """The columns beside the ids, with the record that is kept of each label."""
        if library is None:
            ids = self.ids[:] if isinstance(self.ids, NameArray) else self.ids
            return Deduplicated(ids, columns["keep"], ids[survivors][labels], columns["size"])
        if self.name in (*columns, "representative"):
            raise InputError(f"records: the ids are in a column {self.name!r}, the name of a column of the answer")
        if not is_word(library, (self.library or "",)) or self.column is None:
            texts = isinstance(self.ids, NameArray)
            first: Any = Repeated(self.ids, survivors, labels) if texts else self.ids[survivors][labels]
            return table_of({self.name: self.ids, **_beside(columns, first)}, library)
        rows, column = survivors[labels], self.column
        if library == "pandas":
            first = column.take(rows).set_axis(column.index)
        elif library == "polars":
            first = column.gather(rows)
        else:
            arrow: Any = import_module("pyarrow")
            first = column.take(arrow.array(rows))
        frames: Any = import_module(library)
        make = frames.table if library == "pyarrow" else frames.DataFrame
        return make({self.name: column, **_beside(columns, first)})


def _beside(columns: dict[str, Any], first: Any) -> dict[str, Any]:
    return {"keep": columns["keep"], "representative": first, "size": columns["size"]}


def records_of(source: Any, name: str | None) -> Records:
    """The ids of a table of records, or the ids alone.

    Raises InputError for a column that is not there or is ambiguous, and for null.
    """
    library = library_of(source)
    if library is None:
        _refuse_no_text(name)
        return _records_of_column(source, name or "id")
    if hasattr(source, "collect"):  # a LazyFrame
        known = source.collect_schema().names()
        name = _column_of(known, name)
        column = source.select(name).collect()[name]
    elif library == "pyarrow" and not hasattr(source, "column_names"):
        arrow: Any = import_module("pyarrow")
        reader = source if hasattr(source, "read_next_batch") else arrow.RecordBatchReader.from_stream(source)
        name = _column_of(reader.schema.names, name)
        at = unique_position(name, reader.schema.names, "records: ")
        column = arrow.chunked_array([batch.column(at) for batch in reader], reader.schema.field(at).type)
    elif library == "pandas":
        name, column = _column_of_pandas(source, name)
    else:
        names = list(source.column_names if library == "pyarrow" else source.columns)
        name = _column_of(names, name)
        at = unique_position(name, names, "records: ")
        column = source.column(at) if library == "pyarrow" else source[name]
    relation = source if is_relation(source) else None
    return Records(name, _ids(column, f"column {name!r}"), column, library, relation)


def _column_of_pandas(frame: Any, name: str | None) -> tuple[str, Any]:
    """The name of the ids, and a Series of them: a column, or a level of the index that has a name."""
    columns = [str(each) for each in frame.columns]  # they need not be text
    levels = [str(each) for each in frame.index.names if each is not None]
    name = _column_of(columns, name, [each for each in levels if each not in columns])
    if name in columns:
        return name, frame.iloc[:, unique_position(name, columns, "records: ")]
    index = frame.index.set_names([None if str(each) == name else each for each in frame.index.names])
    at = [str(each) for each in frame.index.names].index(name)
    return name, frame.index.get_level_values(at).to_series(index=index)


def _records_of_column(column: Any, name: str) -> Records:
    """Records that are a Series, an array or a list."""
    top = type(column).__module__.partition(".")[0]
    library = top if top in ("pandas", "polars") and hasattr(column, "name") and hasattr(column, "dtype") else None
    if library is not None and isinstance(column.name, str) and column.name:
        name = column.name
    if library == "pandas" and not hasattr(column, "iloc"):  # an index
        column = column.to_series()
    return Records(name, _ids(column, "records"), column if library else None, library)


def _ids(column: Any, what: str) -> Any:
    ids = ids_of(column, Place(what, "record"))
    return NameArray(*ids) if isinstance(ids, tuple) else ids


def _column_of(columns: list[str], name: str | None, levels: Sequence[str] = ()) -> str:
    """The name of the column of ids, or of the level of an index: the given one, "id", or that of the only column."""
    index = f", and in the index {listing(levels)}" if levels else ""
    _refuse_no_text(name, columns)
    if name is None:
        name = columns[0] if len(columns) == 1 and "id" not in levels else "id"
        if name not in columns and name not in levels:
            raise InputError(f"records: say which of the columns {listing(columns)}{index} holds the ids, id=...")
    if name not in columns and name not in levels:
        raise InputError(f"records: there is no column {name!r}; there is {listing(columns)}{index}")
    return name


def _refuse_no_text(name: Any, columns: Sequence[str] = ()) -> None:
    """Raise InputError for a name of a column that is no text. columns: the labels as text."""
    if name is not None and not isinstance(name, str):
        way = f": id={str(name)!r} is the column that has this label" if str(name) in columns else ""
        raise InputError(f"id must be the name of a column of the records, as text, not {name!r}{way}")


def _vertices(answer: Components, pairs: Any) -> Records:
    """The vertices as records, where no others came."""
    relation = pairs if is_relation(pairs) else None
    ids: Any = answer.ids if answer.ids is not None else np.arange(len(answer.labels))
    return Records("id", ids, None, "pyarrow" if pairs is None or is_files(pairs) else None, relation)


# the clusters ------------------------------------------------------------------------------------------------------


def _labels_of(answer: Components, records: Records | None, threads: int, pairs: Any) -> tuple[Array, Array]:
    """The label of each record, and the records in ascending order of their ids; those in no pair come last."""
    labels: Array = on_host(answer.labels)
    n = len(labels)
    if records is None:
        return labels, np.arange(n)
    numbers = _numbers_of(answer, records.ids, n, threads)
    total = max(int(numbers.max(initial=-1)) + 1, n)
    rows = np.full(total, -1, dtype=np.int64)
    rows[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1)
    again = np.flatnonzero(rows[numbers] != np.arange(len(numbers)))
    if len(again):
        raise InputError(
            f"records: record {int(again[0])} is {_shown(records.ids, int(again[0]))}, and so is one before"
        )
    absent = np.flatnonzero(rows[:n] < 0)
    if len(absent) and answer.id_kind == "dense":  # vertices that no pair has are among these
        alone = on_host(answer.sizes())[labels[absent]] == 1
        absent = absent[~alone | np.isin(absent, _of_loops(pairs))]
    if len(absent):
        x = int(absent[0])
        raise InputError(
            f"records: none has the id {x if answer.ids is None else _shown(answer.ids, x)}, which is in a pair"
        )
    every = np.concatenate([labels, np.arange(answer.count, answer.count + total - n, dtype=labels.dtype)])
    return every[numbers], rows[rows >= 0]


def _of_loops(pairs: Any) -> Array:
    """The vertices that are in a pair with themselves, of a tuple of two arrays; of anything else none are known."""
    if not isinstance(pairs, tuple) or len(pairs) != 2 or is_files(pairs):
        return np.empty(0, dtype=np.int64)
    u, v = (ids_of(on_host(ids) if is_device_array(ids) else ids, Place("the pairs")) for ids in pairs)
    if isinstance(u, tuple) or isinstance(v, tuple):
        return np.empty(0, dtype=np.int64)
    return u[u == v] if u.shape == v.shape else u[:0]


def _shown(ids: Any, i: int) -> str:
    """An id in a message."""
    return repr(ids[i].item() if hasattr(ids[i], "item") else ids[i])


def _numbers_of(answer: Components, ids: Any, n: int, threads: int) -> Array:
    """The vertex of each record; records that are no vertex get numbers from n on, equal ids the same one."""
    if not len(ids):
        return np.empty(0, dtype=np.int64)
    names = isinstance(ids, NameArray)
    if n and names != (answer.id_kind == "names"):
        kinds = ("text", "numbers") if names else ("numbers", "text")
        raise InputError(f"records: the ids are {kinds[0]}, and those of the pairs are {kinds[1]}")
    if answer.ids is None and not names:
        numbers: Array = np.array(ids, dtype=np.int64)
        alone = (ids < 0) | (ids >= n)
        numbers[alone] = n + np.unique(numbers[alone], return_inverse=True)[1]
        return numbers
    numbering = Numbering(threads, "names" if names else "sparse")
    if n and answer.ids is not None:
        numbering.add(answer.ids)
    return numbering.number(ids)


def _first(labels: Array, count: int) -> Array:
    """Where each label is first, -1 for one that is nowhere."""
    first = np.full(count, -1, dtype=np.int64)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)
    return first


def _survivors(keep: Any, labels: Array, ascending: Array, sizes: Array, rows: Records, *, in_order: bool) -> Array:
    """The record of each label that is kept. in_order: whether the order of the records has a meaning."""
    count = len(sizes)
    if isinstance(keep, str):
        if keep == "first" and in_order:
            return _first(labels, count)
        if keep == "first":
            raise InputError("keep='first' is the first of records=..., which say in which order they are")
        if keep == "smallest":
            return _at(ascending, _first(labels[ascending], count))
    if not callable(keep):
        best = preferences_of(keep, rows.ids, rows.column, rows.name)[ascending]
        inside = labels[ascending]
        largest = np.full(count, best.min(initial=0), dtype=best.dtype)
        np.maximum.at(largest, inside, best)
        candidates = np.flatnonzero(best == largest[inside])
        return _at(ascending, _at(candidates, _first(inside[candidates], count)))
    survivors = _at(ascending, _first(labels[ascending], count))
    members = taken(ascending, order_of(taken(labels, ascending).astype(np.uint64), default_threads(None)))
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    for label in np.flatnonzero(sizes > 1).tolist():
        _core.check_time()
        cluster = members[bounds[label] : bounds[label + 1]]
        ids = rows.ids[cluster]
        try:
            choice = keep(ids)
        except Exception as error:
            error.add_note(f"raised by keep=, called with the cluster of {ids[:1].tolist()[0]!r:.80}, {len(ids)} ids")
            raise
        if np.ndim(choice):
            raise InputError(f"keep returned {type(choice).__name__} for a cluster; it returns one of its ids")
        where = [i for i, each in enumerate(ids.tolist()) if each == choice]
        if len(where) != 1:
            raise InputError(
                f"keep returned {choice!r} for the cluster of {ids[:1].tolist()[0]!r}, which has no such record"
            )
        survivors[label] = cluster[where[0]]
    return survivors


def _at(values: Array, places: Array) -> Array:
    """The values at some places, -1 where a place is -1."""
    if not len(values):
        return places
    return np.where(places < 0, -1, values[places])
