"""Tables through pyarrow: Parquet, Feather and Arrow's IPC files, JSON lines, datasets. One way to edges for all."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.column_names import choose_columns, listing, unique_position
from landbridge.edges.formats.nesting import MOST_NESTED, is_deep
from landbridge.edges.formats.source import Source, memory_of_machine
from landbridge.edges.forms import EdgeList
from landbridge.edges.frames import edges_of_columns, is_text_column, kind_of
from landbridge.edges.id_columns import Place, ids_of
from landbridge.edges.options import Options
from landbridge.errors import FileFormatError, InputError, LandbridgeError, MissingDependency

BATCH = 1 << 16
"""Rows that a reader decodes at a time where several read side by side: their columns stay in the cache."""


class Task(NamedTuple):
    """A share of a table for one reader: a row group and its first row, and which of the two columns."""

    group: int
    first: int
    sides: tuple[int, ...]


Part = tuple[int, int, NDArray[Any]]
"""Its first row, which of the two columns it is of, and the ids."""


def _arrow(name: str, path: str, what: str) -> Any:
    try:
        importlib.import_module("pyarrow")
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependency(f"{path}: pyarrow is needed to read {what}: pip install 'landbridge[io]'") from None


# What Arrow raises on damaged data: errors of its own, most of which are ValueErrors, and those of Python where it
# makes texts, lists and types of what it has read.
_STRANGE = (OSError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError)


@contextmanager
def _named(path: str, what: str) -> Iterator[Any]:
    """Arrow; what it complains of becomes an error that names the file."""
    pa = _arrow("pyarrow", path, what)
    try:
        yield pa
    except (LandbridgeError, FileNotFoundError):
        raise
    except MemoryError as error:
        raise MemoryError(f"{path}: {_first_line(error) or 'not enough memory'}") from None
    except (pa.ArrowException, *_STRANGE) as error:
        _fail(path, f"{what} cannot be read ({_first_line(error) or type(error).__name__})")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else ""


def _fail(path: str, problem: str) -> NoReturn:
    raise FileFormatError(path, problem)


def _bytes(source: Source, pa: Any) -> Any:
    """The file for Arrow: mapped if it can be, for reading through Python's would take the interpreter's lock for every
    copy; else all of it."""
    return pa.memory_map(source.path) if source.mappable else pa.BufferReader(pa.py_buffer(source.whole()))


# Parquet -----------------------------------------------------------------------------------------------------------


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    with _named(source.path, "the Parquet file") as pa:
        pq = _arrow("pyarrow.parquet", source.path, "Parquet files")
        with _bytes(source, pa) as file:
            yield pq.ParquetFile(file)


def read_parquet(source: Source, options: Options) -> EdgeList:
    """Two columns of a Parquet file. Only they are read."""
    with _opened(source) as table:
        chosen = _chosen(source.path, table.schema_arrow, options)
        _check_memory(source.path, table, chosen)
        read = table.read(columns=list(dict.fromkeys(chosen)), use_threads=options.threads > 1)
        return _edges([read.column(name) for name in chosen], chosen, options, source.path)


def _check_memory(path: str, table: Any, columns: list[str]) -> None:
    """Raise MemoryError if the columns alone, as the file describes them, take more than this machine has."""
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
            "chunks= reads a part at a time"
        )


def _edges(columns: list[Any], names: list[str], options: Options, path: str, first_row: int = 0) -> EdgeList:
    edges = edges_of_columns(columns, names, options, first_row, path)
    if edges.ids is None:
        return edges
    note = f"the columns {names[0]} and {names[1]} hold text: vertices are the names that occur"
    return replace(edges, notes=(*edges.notes, note))


def look_at_parquet(path: str, options: Options) -> tuple[list[int], int, bool]:
    """The number of rows of each row group, the bytes of the file, and whether the columns hold text (or raise)."""
    with Source(path) as source, _opened(source) as table:
        schema = table.schema_arrow
        named = any(is_text_column(schema.field(name)) for name in _chosen(path, schema, options))
        groups = [table.metadata.row_group(i).num_rows for i in range(table.num_row_groups)]
        return groups, source.size or 0, named


def parquet_names(path: str, options: Options, rows: int) -> Iterator[tuple[int, EdgeList]]:
    """Two columns of text, ``rows`` rows at a time with the first of them, vertices numbered in each by themselves."""
    with Source(path) as source, _opened(source) as table:
        chosen = _chosen(path, table.schema_arrow, options)
        names, row = list(dict.fromkeys(chosen)), 0
        for batch in table.iter_batches(rows, columns=names):
            yield row, _edges([batch.column(names.index(name)) for name in chosen], chosen, options, path, row)
            row += batch.num_rows


def parquet_batches(path: str, options: Options, tasks: Iterable[Task], rows: int) -> Iterator[Part]:
    """The parts of some tasks, ``rows`` rows at a time, in order.

    Arrow takes all threads for a call that brings more than `BATCH` rows.
    """
    with Source(path) as source, _opened(source) as table:
        chosen = _chosen(path, table.schema_arrow, options)
        for task in tasks:
            row, names = task.first, list(dict.fromkeys(chosen[side] for side in task.sides))
            batches = table.iter_batches(rows, row_groups=[task.group], columns=names, use_threads=rows > BATCH)
            for batch in batches:
                for side in task.sides:
                    name = chosen[side]
                    yield row, side, _numbers(batch.column(names.index(name)), name, options, path, row)
                row += batch.num_rows


def _numbers(column: Any, name: str, options: Options, path: str, row: int) -> NDArray[Any]:
    place = Place(f"column {name!r}", "row", row, path)
    ids = ids_of(column, place)
    if isinstance(ids, tuple):
        raise place.error("holds text")
    if options.ids == "names" and len(ids):
        raise place.error("holds numbers, and ids='names' is for text")
    least = options.base or 0  # negative ids are refused where they are united, the first of the file before others
    if least and len(ids) and int(ids.min()) < least:
        i = int(np.argmax(ids < least))
        raise place.error_at(i, f"= {int(ids[i])}, and base={least} says that vertices count from {least}")
    return ids - ids.dtype.type(least) if least else ids


def _chosen(path: str, schema: Any, options: Options) -> list[str]:
    names = list(schema.names)
    if options.columns is None:
        first, second = choose_columns(names, [kind_of(str(kind)) for kind in schema.types], path)
        return [names[first], names[second]]
    return [_name(path, c, names) for c in options.columns]


def _name(path: str, column: str | int, names: list[str]) -> str:
    if isinstance(column, str):
        if column not in names:
            raise InputError(f"{path}: there is no column {column!r}; the table has {listing(names)}")
        return names[unique_position(column, names, f"{path}: ")]
    if not 0 <= column < len(names):
        raise InputError(f"{path}: there is no column {column}; the table has {len(names)}")
    return names[unique_position(names[column], names, f"{path}: ")]  # Arrow is asked by name


# what Arrow reads whole --------------------------------------------------------------------------------------------


@contextmanager
def arrow_table(source: Source, _options: Options) -> Iterator[Any]:
    """The table of a Feather or IPC file, mapped where its columns are not compressed."""
    with _named(source.path, "the Arrow file") as pa:
        ipc, feather = (_arrow(f"pyarrow.{x}", source.path, "Arrow files") for x in ("ipc", "feather"))
        head = source.peek(6)
        with _bytes(source, pa) as file:
            if head.startswith(b"FEA1"):
                yield feather.read_table(file)
            else:
                opened = ipc.open_file(file) if head == b"ARROW1" else ipc.open_stream(file)
                yield opened.read_all()


@contextmanager
def parquet_table(source: Source, _options: Options) -> Iterator[Any]:
    """The table of a Parquet file."""
    with _opened(source) as table:
        yield table.read()


@contextmanager
def json_table(source: Source, options: Options) -> Iterator[Any]:
    """The table of a file with one JSON object a line. Ids that look like times are the text that they are."""
    with _named(source.path, "the file of JSON lines") as pa:
        json = _arrow("pyarrow.json", source.path, "JSON lines")
        if is_deep(source.whole()):
            source.fail(f"objects or lists are nested more than {MOST_NESTED} deep")
        data = pa.py_buffer(source.whole())
        table = json.read_json(pa.BufferReader(data))
        ids = set(_chosen(source.path, table.schema, options))
        times = [(f.name, pa.string()) for f in table.schema if f.name in ids and pa.types.is_temporal(f.type)]
        if times:
            texts = json.ParseOptions(explicit_schema=pa.schema(times))
            table = json.read_json(pa.BufferReader(data), parse_options=texts)
        yield table


def read_arrow(source: Source, options: Options) -> EdgeList:
    """Two columns of a Feather or IPC file."""
    with arrow_table(source, options) as table:
        return edges_of_table(table, options, source.path)


def read_jsonl(source: Source, options: Options) -> EdgeList:
    """Two members of the objects of JSON lines."""
    with json_table(source, options) as table:
        return edges_of_table(table, options, source.path)


def edges_of_table(table: Any, options: Options, path: str, first_row: int = 0) -> EdgeList:
    """Two columns of a table or a record batch of Arrow."""
    chosen = _chosen(path, table.schema, options)
    return _edges([table.column(name) for name in chosen], chosen, options, path, first_row)


def read_dataset(dataset: Any, options: Options, path: str) -> EdgeList:
    """Two columns of a dataset of Arrow."""
    with _named(path, "the dataset"):
        chosen = _chosen(path, dataset.schema, options)
        table = dataset.to_table(columns=list(dict.fromkeys(chosen)), use_threads=options.threads > 1)
        return _edges([table.column(name) for name in chosen], chosen, options, path)


def dataset_chunks(dataset: Any, options: Options, path: str, rows: int) -> Iterator[EdgeList]:
    """The same, at most ``rows`` rows at a time."""
    with _named(path, "the dataset"):
        chosen = _chosen(path, dataset.schema, options)
        first = 0
        for batch in dataset.to_batches(columns=list(dict.fromkeys(chosen)), batch_size=rows):
            if batch.num_rows:
                yield _edges([batch.column(name) for name in chosen], chosen, options, path, first)
            first += batch.num_rows


def table_chunks(table: Any, options: Options, path: str, rows: int) -> Iterator[EdgeList]:
    """The edges of a table of Arrow, at most ``rows`` rows at a time."""
    for first in range(0, len(table), rows):
        yield edges_of_table(table.slice(first, rows), options, path, first)


def is_named(path: str, schema: Any, options: Options) -> bool:
    """Whether the columns of the edges hold text."""
    return any(is_text_column(schema.field(name)) for name in _chosen(path, schema, options))
