"""What tables read through pyarrow share: errors, the choice of columns, and edges of ranges of rows."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from landbridge.edges.column_names import choose_columns, listing, named_columns, quoted, unique_position
from landbridge.edges.formats.chunked_file import Chunk, ChunkedFile
from landbridge.edges.formats.source import Source
from landbridge.edges.forms import EdgeList
from landbridge.edges.frames import edges_of_columns, first_cells, is_text_column, kind_of, refuse_matrix
from landbridge.edges.inputs import Input
from landbridge.edges.matrix_tables import MOST
from landbridge.edges.number_columns import values_of
from landbridge.edges.options import Options
from landbridge.edges.place import Place
from landbridge.errors import FileFormatError, InputError, LandbridgeError, MissingDependency

# What Arrow raises on damaged data: errors of its own, most of which are ValueErrors, and those of Python where it
# makes texts, lists and types of the data.
_DAMAGED = (OSError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RuntimeError)


def arrow_module(name: str, path: str, what: str) -> Any:
    """A module of pyarrow. Raises MissingDependency if it is not installed."""
    try:
        importlib.import_module("pyarrow")
        return importlib.import_module(name)
    except ImportError:
        raise MissingDependency(f"{path}: pyarrow is needed to read {what}: pip install 'landbridge[io]'") from None


@contextmanager
def arrow_errors(path: str, what: str) -> Iterator[Any]:
    """pyarrow; its errors inside the block become errors with the name of the file."""
    pa = arrow_module("pyarrow", path, what)
    try:
        yield pa
    except (LandbridgeError, FileNotFoundError):
        raise
    except MemoryError as error:
        raise MemoryError(f"{path}: {_first_line(error) or 'not enough memory'}") from None
    except (pa.ArrowException, *_DAMAGED) as error:
        problem = f"{what} cannot be read ({_first_line(error) or type(error).__name__})"
        raise FileFormatError(path, problem) from None


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else ""


def arrow_file(source: Source, pa: Any) -> Any:
    """A file for Arrow: mapped if possible, since reads through Python take the interpreter's lock for every copy."""
    return pa.memory_map(source.path) if source.mappable else pa.BufferReader(pa.py_buffer(source.whole()))


def edge_columns(path: str, schema: Any, options: Options) -> list[str]:
    """The names of the two columns that hold the edges.

    Raises
    ------
    InputError
        For a column that does not exist, and if there is not exactly one choice.
    """
    names = list(schema.names)
    if options.columns is None:
        first, second = choose_columns(names, [kind_of(str(kind)) for kind in schema.types], path)
        return [names[first], names[second]]
    pair = named_columns(options.columns, names, path, "table")
    return [names[unique_position(names[i], names, f"{path}: ")] for i in pair]  # Arrow selects by name


def refuse_matrix_file(
    path: str, schema: Any, options: Options, rows: int, first: Callable[[int, list[str]], Any]
) -> None:
    """Raise FileFormatError for a table that is an adjacency matrix, unless the caller names the columns.

    rows: of the table, or any number beyond its columns if it has more. first: gives so many of its first rows, of some
    columns, as a table or a batch of Arrow.
    """
    names, kinds = list(schema.names), [str(kind) for kind in schema.types]
    if options.columns is None and 1 < rows <= len(names) == len(set(names)):
        refuse_matrix(names, kinds, rows, lambda: first_cells([first(min(rows, MOST), names[:MOST])]), path)


def has_names(path: str, schema: Any, options: Options) -> bool:
    """Whether the columns of the edges hold text."""
    return any(is_text_column(schema.field(name)) for name in edge_columns(path, schema, options))


def held(columns: list[Any]) -> int:
    """The bytes of columns of Arrow as they are decoded: a dictionary and runs of equal values are written out."""
    return sum(_held(chunk) for column in columns for chunk in (getattr(column, "chunks", None) or [column]))


def _held(chunk: Any) -> int:
    pa, compute = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.compute")
    kind = chunk.type
    if pa.types.is_dictionary(kind) and str(kind.value_type) in ("string", "large_string", "string_view"):
        values = chunk.dictionary.cast(pa.large_string())
        return 8 * len(chunk) + int(compute.sum(compute.binary_length(values).take(chunk.indices)).as_py() or 0)
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return 16 * len(chunk)
    return max(int(chunk.nbytes), 8 * len(chunk))


PART = 1 << 26
"""Bytes of text that a chunk of a table holds."""


def parts_of(batch: list[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Two columns of one record batch, cut into rows that hold about `PART` bytes, and the first row of each."""
    rows = len(batch[0])
    step = max(1, rows * PART // max(held(batch), 1))
    if step >= rows:
        yield 0, batch
        return
    begin = 0
    while begin < rows:
        count = min(step, rows - begin)
        while count > 1 and held([column.slice(begin, count) for column in batch]) > 2 * PART:
            count = (count + 1) // 2
        yield begin, [column.slice(begin, count) for column in batch]
        begin += count


def edges_of(columns: list[Any], names: list[str], options: Options, path: str, first_row: int = 0) -> EdgeList:
    """The edges of two columns of Arrow, with a note if they hold text."""
    edges = edges_of_columns(columns, names, options, first_row, path)
    if edges.ids is None:
        return edges
    note = f"the columns {names[0]} and {names[1]} hold text: vertices are the names that occur"
    return replace(edges, notes=(note, *edges.notes))


def edges_of_table(table: Any, options: Options, path: str, first_row: int = 0) -> EdgeList:
    """The edges of a table or a record batch of Arrow."""
    columns = edge_columns(path, table.schema, options)
    return edges_of([table.column(name) for name in columns], columns, options, path, first_row)


def no_rows(schema: Any, options: Options, path: str) -> Callable[[], EdgeList]:
    """The edges of a table without rows."""
    return lambda: edges_of_table(schema.empty_table(), options, path)


def number_column(table: Any, name: str, path: str) -> NDArray[Any]:
    """The numbers of a column beside the edges of a table of Arrow.

    Raises InputError without such a column, and for what is no number.
    """
    names = list(table.schema.names)
    if name not in names:
        raise InputError(f"{path}: there is no column {quoted(name)}; the table has {listing(names)}")
    unique_position(name, names, f"{path}: ")
    return values_of(table.column(name), Place(f"column {quoted(name)}", "row", 0, path))


TableOf = Callable[[Source, Options], AbstractContextManager[Any]]
"""The whole table of an open file."""


def chunk_opener(table_of: TableOf) -> Callable[[Input, Options, int, int], ChunkedFile]:
    """The ``chunks`` column of a format whose table Arrow reads at once: ranges of its rows."""

    def open_chunks(entry: Input, options: Options, chunk_size: int, _readers: int) -> ChunkedFile:
        with entry.source(options) as source, table_of(source, options) as table:
            size, rows, schema = source.size, len(table), table.schema
            starts = range(0, rows, chunk_size)
            parts = [edges_of_table(table.slice(first, chunk_size), options, entry.name, first) for first in starts]

        def read_chunks() -> Iterator[Chunk]:
            for number, edges in enumerate(parts):
                yield Chunk(edges, number, 0, (size or 0) * (number + 1) // len(parts))

        named = has_names(entry.name, schema, options)
        without_edges = no_rows(schema, options, entry.name)
        occurring = not named and options.ids != "dense"
        return ChunkedFile(entry.name, size, rows, (read_chunks,), without_edges, occurring, named)

    return open_chunks


def number_reader(table_of: TableOf) -> Callable[[Source, Options, str], NDArray[Any]]:
    """The ``numbers`` column of a format whose table Arrow reads at once."""

    def read_numbers(source: Source, options: Options, name: str) -> NDArray[Any]:
        with table_of(source, options) as table:
            return number_column(table, name, source.path)

    return read_numbers
