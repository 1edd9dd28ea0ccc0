"""Tables in Parquet, through pyarrow."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from numpy.typing import NDArray

from landbridge.edges.formats.binary import as_ids, pair
from landbridge.edges.formats.source import Source
from landbridge.edges.forms import EdgeList
from landbridge.edges.frames import edges_of_columns, is_text_column
from landbridge.edges.options import Options
from landbridge.errors import InputError, MissingDependency

BATCH = 1 << 16
"""Rows that a reader decodes at a time where several read side by side: their columns stay in the cache."""


_WHOLE = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}

# An array is copied only if that is said; a column of several chunks knows no such word.
_COPIED = {"zero_copy_only": False}


class Task(NamedTuple):
    """A share of a table for one reader: a row group and its first row, and which of the two columns."""

    group: int
    first: int
    sides: tuple[int, ...]


Part = tuple[int, int, NDArray[Any]]
"""Its first row, which of the two columns it is of, and the ids."""


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """The Parquet file; what Arrow complains of becomes an error that names it."""
    try:
        pa: Any = importlib.import_module("pyarrow")
        pq: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency(
            f"{source.path}: pyarrow is needed to read Parquet files: pip install 'landbridge[io]'"
        ) from None
    if not source.mappable:
        source.fail("a Parquet file must be a plain file")
    try:
        # Mapped: reading through Python's file would take the interpreter's lock for every copy.
        with pa.memory_map(source.path) as mapped:
            yield pq.ParquetFile(mapped)
    except (pa.ArrowException, OSError) as error:
        source.fail(f"the Parquet file cannot be read ({str(error).splitlines()[0] if str(error) else error!r})")


def read_parquet(source: Source, options: Options) -> EdgeList:
    """Two columns of whole numbers, the first two if none are named. Only they are read."""
    with _opened(source) as table:
        chosen = _chosen(source, table, options)
        read = table.read(columns=list(dict.fromkeys(chosen)), use_threads=options.threads > 1)
        named = pair_of_text([read.column(name) for name in chosen], chosen, source, options)
        if named is not None:
            return named
        u, v = (_column(source, read.column(name), name) for name in chosen)
    return pair(source, u, v, options, table=True)


def pair_of_text(
    columns: list[Any], names: list[str], source: Source, options: Options, first_row: int = 0
) -> EdgeList | None:
    """Edges between named vertices if both columns hold text. first_row: of these columns in the file."""
    if not all(is_text_column(column) for column in columns):
        return None
    found = edges_of_columns(columns, names, options, first_row, source.path)
    note = f"the columns {names[0]} and {names[1]} hold text: vertices are the names that occur"
    return replace(found, notes=(note,))


def look_at_parquet(path: str, options: Options) -> tuple[list[int], int, bool]:
    """The number of rows of each row group, the bytes of the file, and whether the columns hold text (or raise)."""
    with Source(path) as source, _opened(source) as table:
        named = all(is_text_column(table.schema_arrow.field(name)) for name in _chosen(source, table, options))
        groups = [table.metadata.row_group(i).num_rows for i in range(table.num_row_groups)]
        return groups, source.size or 0, named


def parquet_names(path: str, options: Options, rows: int) -> Iterator[tuple[int, EdgeList]]:
    """Two columns of text, ``rows`` rows at a time with the first of them, vertices numbered as they turn up there."""
    with Source(path) as source, _opened(source) as table:
        chosen = _chosen(source, table, options)
        names, row = list(dict.fromkeys(chosen)), 0
        for batch in table.iter_batches(rows, columns=names):
            edges = pair_of_text([batch.column(names.index(name)) for name in chosen], chosen, source, options, row)
            assert edges is not None
            yield row, edges
            row += batch.num_rows


def parquet_batches(path: str, options: Options, tasks: Iterable[Task], rows: int) -> Iterator[Part]:
    """The parts of some tasks, ``rows`` rows at a time, in order.

    Arrow takes all threads for a call that brings more than `BATCH` rows.
    """
    with Source(path) as source, _opened(source) as table:
        chosen = _chosen(source, table, options)
        for task in tasks:
            row, names = task.first, list(dict.fromkeys(chosen[side] for side in task.sides))
            batches = table.iter_batches(rows, row_groups=[task.group], columns=names, use_threads=rows > BATCH)
            for batch in batches:
                for side in task.sides:
                    name = chosen[side]
                    yield row, side, _column(source, batch.column(names.index(name)), name, row)
                row += batch.num_rows


def _chosen(source: Source, table: Any, options: Options) -> list[str]:
    names = list(table.schema_arrow.names)
    return [_name(source, c, names) for c in (options.columns or (0, 1))]


def _name(source: Source, column: str | int, names: list[str]) -> str:
    if isinstance(column, str):
        if column not in names:
            raise InputError(f"{source.path}: there is no column {column!r}; the table has {', '.join(names)}")
        return column
    if not 0 <= column < len(names):
        raise InputError(f"{source.path}: there is no column {column}; the table has {len(names)}")
    return names[column]


def _column(source: Source, column: Any, name: str, first_row: int = 0) -> NDArray[Any]:
    if column.null_count:
        row = first_row + int(column.is_null().to_numpy(**({} if hasattr(column, "chunks") else _COPIED)).argmax())
        source.fail(f"column {name!r} has {column.null_count} missing values, the first in row {row}")
    if str(column.type) not in _WHOLE:
        source.fail(f"column {name!r} must hold whole numbers, not {column.type}")
    values = column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(**_COPIED)
    return as_ids(source, values, f"column {name!r}")
