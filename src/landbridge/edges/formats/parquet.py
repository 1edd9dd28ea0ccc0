"""Parquet files: read at once, in chunks by several readers side by side, and written."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.column_names import quoted
from landbridge.edges.formats.chunked_file import Chunk, ChunkedFile
from landbridge.edges.formats.saved_answers import refuse_saved_answer
from landbridge.edges.formats.source import Source, memory_of_machine
from landbridge.edges.formats.tables import (
    PART,
    arrow_errors,
    arrow_file,
    arrow_module,
    chunk_opener,
    edge_columns,
    edges_of,
    has_names,
    held,
    no_rows,
    number_column,
    parts_of,
    refuse_matrix_file,
)
from landbridge.edges.formats.writing import Job
from landbridge.edges.forms import EdgeList
from landbridge.edges.frames import with_note_of_two_kinds
from landbridge.edges.id_columns import ids_of
from landbridge.edges.inputs import Input
from landbridge.edges.options import Options
from landbridge.edges.place import Place
from landbridge.edges.spelling import spelled
from landbridge.errors import FileFormatError, MissingDependency

BATCH = 1 << 17
"""Rows per batch where several readers decode side by side: their columns fit the cache."""
_AT_ONCE = 1 << 20
"""Rows that are read without a look at the time."""


@contextmanager
def _opened(source: Source, options: Options | None = None) -> Iterator[Any]:
    """The table of an open file. options: text of the edges is read as a dictionary, whose size that of the
    file bounds."""
    with arrow_errors(source.path, "the Parquet file") as pa:
        pq = arrow_module("pyarrow.parquet", source.path, "Parquet files")
        with arrow_file(source, pa) as file:
            table = pq.ParquetFile(file)
            texts = _texts(source.path, table, options) if options is not None else []
            if texts:
                table = pq.ParquetFile(file, metadata=table.metadata, read_dictionary=texts)
            yield table


def _texts(path: str, table: Any, options: Options) -> list[str]:
    """The columns of the edges that hold text. What a damaged file says of its columns is not asked for, since pyarrow
    ends the process there."""
    schema = table.schema_arrow
    names = dict.fromkeys(edge_columns(path, schema, options))
    return [name for name in names if str(schema.field(name).type) in ("string", "large_string")]


def _refuse_other_tables(path: str, table: Any, options: Options) -> None:
    """Raise FileFormatError for a file that holds an answer or an adjacency matrix."""
    refuse_saved_answer(path, table.schema_arrow, options)

    def first(count: int, names: list[str]) -> Any:
        return next(table.iter_batches(count, columns=names))

    refuse_matrix_file(path, table.schema_arrow, options, table.metadata.num_rows, first)


def read(source: Source, options: Options) -> EdgeList:
    """Two columns of the table. No other column is read, but of a table that could be a matrix."""
    with _opened(source, options if source.limited else None) as table:
        _refuse_other_tables(source.path, table, options)
        columns = edge_columns(source.path, table.schema_arrow, options)
        data = _columns(source, table, columns, options)
        return edges_of([data.column(name) for name in columns], columns, options, source.path)


def read_numbers(source: Source, _options: Options, name: str) -> NDArray[Any]:
    """The numbers of a column beside the edges."""
    with _opened(source) as table:
        names = [name] if name in table.schema_arrow.names else []
        _check_memory(source.path, table, names)
        source.take(8 * table.metadata.num_rows, "its column of numbers has", "numbers")
        return number_column(
            table.read(columns=names) if names else table.schema_arrow.empty_table(), name, source.path
        )


def read_columns(source: Source, choose: Callable[[list[str]], tuple[str, ...]]) -> tuple[Any, tuple[str, ...]]:
    """Some columns as they are in the file, and their names, which are chosen among those of the table."""
    with _opened(source) as table:
        names = choose(table.schema_arrow.names)
    options = Options(columns=names[:2], threads=2)  # type: ignore[arg-type]
    with _opened(source, options if source.limited else None) as table:
        data = _columns(source, table, list(names), options)
        for i, field in enumerate(data.schema):
            if str(field.type).startswith("dictionary"):
                data = data.set_column(i, field.name, data.column(i).cast(field.type.value_type))
        return data.replace_schema_metadata(table.schema_arrow.metadata), names


def _columns(source: Source, table: Any, columns: list[str], options: Options) -> Any:
    """The table of the two columns. Raises MemoryError or SizeLimitExceeded if they would be too large."""
    _check_memory(source.path, table, columns)
    _check_rows(source.path, table)
    names = list(dict.fromkeys(columns))
    if source.limited:
        source.take(8 * table.metadata.num_rows * len(names), "its two columns have", "columns")
    elif table.metadata.num_rows <= _AT_ONCE:
        return _whole(source.path, table, table.read(columns=names, use_threads=options.threads > 1))
    pa = arrow_module("pyarrow", source.path, "Parquet files")
    batches, total = [], 0
    for batch in table.iter_batches(_batch_rows(table, _AT_ONCE), columns=names, use_threads=options.threads > 1):
        _core.check_time()
        if source.limited:
            total += held([batch.column(names.index(name)) for name in columns])
            source.take(total, "its two columns have at least", "columns")
        batches.append(batch)
    return _whole(source.path, table, pa.Table.from_batches(batches) if batches else table.read(columns=names))


def _whole(path: str, table: Any, data: Any) -> Any:
    """What was read, if it has all rows of the file."""
    if data.num_rows != table.metadata.num_rows:
        raise FileFormatError(path, f"{data.num_rows} of its {table.metadata.num_rows} rows can be read")
    return data


def _check_rows(path: str, table: Any) -> None:
    """Raise FileFormatError if the numbers of rows that a damaged file declares contradict each other: some of its
    edges would not be read. What it says of its columns is not asked for here either."""
    metadata = table.metadata
    total = sum(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
    if total != metadata.num_rows:
        raise FileFormatError(path, f"it has {metadata.num_rows} rows, its row groups {total}")


def _batch_rows(table: Any, most: int) -> int:
    """Rows of which all columns together have about `PART` bytes, as the file declares them; at most a number."""
    metadata = table.metadata
    declared: int = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    rows: int = metadata.num_rows
    return min(most, max(1, PART * rows // max(1, declared)))


def _check_memory(path: str, table: Any, columns: list[str]) -> None:
    """Raise MemoryError if the declared size of the columns exceeds the memory of this machine."""
    needed = 0
    for name in dict.fromkeys(columns):
        try:
            width: int = table.schema_arrow.field(name).type.bit_width // 8
        except ValueError:
            width = 4  # text: an offset each
        needed += table.metadata.num_rows * width
    if needed > memory_of_machine():
        raise MemoryError(
            f"{path}: {table.metadata.num_rows} rows of two columns take {needed} bytes, more than this machine has; "
            f"{spelled('chunks')} reads a part at a time"
        )


# in chunks ---------------------------------------------------------------------------------------------------------


class Task(NamedTuple):
    """A share of a table for one reader: a row group and its first row, and which of the two columns."""

    group: int
    first: int
    sides: tuple[int, ...]


Part = tuple[int, int, NDArray[Any]]
"""The first row of some ids, the column they are of (0 or 1), and the ids."""


def open_chunks(entry: Input, options: Options, chunk_size: int, readers: int) -> ChunkedFile:
    """A file in chunks; one that is no local file is read at once."""
    if entry.path is None or entry.path == "-":
        return _open_table(entry, options, chunk_size, readers)
    path = entry.path
    with entry.source(options) as source, _opened(source) as table:
        _check_rows(path, table)
        _refuse_other_tables(path, table, options)
        names = edge_columns(path, table.schema_arrow, options)
        if source.limited:
            source.take(8 * table.metadata.num_rows * len(set(names)), "its two columns have", "columns")
        named = has_names(path, table.schema_arrow, options)
        groups = [table.metadata.row_group(i).num_rows for i in range(table.num_row_groups)]
        size = source.size or 0
        without_edges = no_rows(table.schema_arrow, options, path)
    rows = sum(groups)
    if named:

        def read_names() -> Iterator[Chunk]:
            for first, edges in _name_batches(entry, options, chunk_size):
                done = size * (first + len(edges.u)) // max(1, rows)
                yield Chunk(edges, first // chunk_size, first % chunk_size, done)

        return ChunkedFile(path, size, rows, (read_names,), without_edges, named=True)
    count = max(1, min(readers, len(groups)))
    # Several readers share the row groups, a thread each; a single one lets Arrow use all threads.
    batch = chunk_size if count == 1 else min(chunk_size, BATCH)
    tasks = iter(_tasks(groups, count, chunk_size))
    pairing = _Pairing(path, count)

    def read_numbers() -> Iterator[Chunk]:
        done = 0
        for row, u, v in pairing.pairs(id_batches(path, options, tasks, batch)):
            done += len(u)
            edges = EdgeList(u, v, occurring=options.ids != "dense")
            edges = edges if row else with_note_of_two_kinds(edges, names, options)
            yield Chunk(edges, row // chunk_size, row % chunk_size, size * done // max(1, rows))

    return ChunkedFile(path, size, rows, (read_numbers,) * count, without_edges, options.ids != "dense")


@contextmanager
def _whole_table(source: Source, options: Options) -> Iterator[Any]:
    with _opened(source, options if source.limited else None) as table:
        _refuse_other_tables(source.path, table, options)
        yield _columns(source, table, edge_columns(source.path, table.schema_arrow, options), options)


_open_table = chunk_opener(_whole_table)


def _tasks(groups: list[int], readers: int, chunk_size: int) -> list[Task]:
    """The tasks of several readers. The last groups are split into their columns, so that all readers are busy to the
    end; a column that waits for the other one has at most a chunk of rows."""
    last = len(groups) if readers == 1 else len(groups) - readers
    return [
        Task(group, first, sides)
        for group, (rows, first) in enumerate(zip(groups, [0, *accumulate(groups)], strict=False))
        for sides in ([(0, 1)] if group < last or rows > chunk_size else [(0,), (1,)])
    ]


class _Pairing:
    """Joins batches of the two columns, which several readers decode in any order."""

    def __init__(self, path: str, readers: int) -> None:
        self._path = path
        self._running = readers
        self._unpaired: dict[int, NDArray[Any]] = {}
        self._lock = threading.Lock()

    def pairs(self, parts: Iterable[Part]) -> Iterator[tuple[int, NDArray[Any], NDArray[Any]]]:
        """The first row and both columns of each batch that the parts of one reader complete.

        Raises
        ------
        FileFormatError
            If the columns differ in length.
        """
        for row, side, ids in parts:
            with self._lock:
                other = self._unpaired.pop(row, None)
                if other is None:
                    self._unpaired[row] = ids
            if other is not None:
                if len(other) != len(ids):
                    problem = f"from row {row} one column has {len(ids)} ids, one {len(other)}"
                    raise FileFormatError(self._path, problem)
                u, v = (ids, other) if side == 0 else (other, ids)
                yield row, u, v
        with self._lock:
            self._running -= 1
            if self._running == 0 and self._unpaired:
                problem = f"row {min(self._unpaired)} has an id in one of the two columns only"
                raise FileFormatError(self._path, problem)


def _name_batches(entry: Input, options: Options, rows: int) -> Iterator[tuple[int, EdgeList]]:
    """Two columns of text, at most `rows` rows at a time with the number of the first; each batch numbers its own
    vertices. Batches of long texts have fewer rows, of about `PART` bytes."""
    path = entry.name
    with entry.source(options) as source, _opened(source, options) as table:
        columns = edge_columns(path, table.schema_arrow, options)
        names, row, total = list(dict.fromkeys(columns)), 0, 0
        for batch in table.iter_batches(_batch_rows(table, rows), columns=names):
            for first, part in parts_of([batch.column(names.index(name)) for name in columns]):
                if source.limited:
                    total += held(part)
                    source.take(total, "its two columns have at least", "columns")
                yield row + first, edges_of(part, columns, options, path, row + first)
            row += batch.num_rows
        _check_end(path, row, table.metadata.num_rows)


def id_batches(path: str, options: Options, tasks: Iterable[Task], rows: int) -> Iterator[Part]:
    """The parts of some tasks, `rows` rows at a time, in order.

    Arrow uses all threads for batches of more than `BATCH` rows.
    """
    with Source(path) as source, _opened(source) as table:
        columns = edge_columns(path, table.schema_arrow, options)
        for task in tasks:
            row, names = task.first, list(dict.fromkeys(columns[side] for side in task.sides))
            batches = table.iter_batches(rows, row_groups=[task.group], columns=names, use_threads=rows > BATCH)
            for batch in batches:
                for side in task.sides:
                    name = columns[side]
                    yield row, side, _numbers(batch.column(names.index(name)), name, options, path, row)
                row += batch.num_rows
            _check_end(path, row, task.first + table.metadata.row_group(task.group).num_rows)


def _check_end(path: str, row: int, end: int) -> None:
    """Raise FileFormatError if reading stopped before the last row."""
    if row != end:
        raise FileFormatError(path, f"rows from {row} to {end} cannot be read")


def _numbers(column: Any, name: str, options: Options, path: str, row: int) -> NDArray[Any]:
    place = Place(f"column {quoted(name)}", "row", row, path)
    ids = ids_of(column, place)
    if isinstance(ids, tuple):
        raise place.error("holds text")
    if options.ids == "names" and len(ids):
        raise place.error(f"holds numbers, and {spelled(ids='names')} is for text")
    least = options.base or 0  # negative ids are refused when edges are united, the first of the file first
    if least and len(ids) and int(ids.min()) < least:
        i = int(np.argmax(ids < least))
        raise place.error_at(i, f"= {int(ids[i])}, and {spelled(base=least)} says that vertices count from {least}")
    return ids - ids.dtype.type(least) if least else ids


# writing -----------------------------------------------------------------------------------------------------------


def write(job: Job, out: IO[bytes]) -> None:
    """Columns source and target."""
    try:
        pa: Any = importlib.import_module("pyarrow")
        pq: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency(
            f"{job.path}: pyarrow is needed to write Parquet files: pip install 'landbridge[io]'"
        ) from None
    job.note_isolated()
    if job.named:
        names = pa.array(job.names(), pa.large_string())
        u, v = (names.take(pa.array(endpoints)) for endpoints in (job.u, job.v))
    else:
        u, v = job.original_ids()
    pq.write_table(pa.table({"source": u, "target": v}), out)
