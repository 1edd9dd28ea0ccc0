"""JSON lines: one object per line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from landbridge.edges.formats.compression import BLOCK
from landbridge.edges.formats.nesting import MOST_NESTED, is_deep
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.tables import (
    arrow_errors,
    arrow_module,
    chunk_opener,
    edge_columns,
    edges_of_table,
    number_reader,
    refuse_matrix_file,
)
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import Options
from landbridge.errors import FileFormatError

_ROW = re.compile(r"^row (\d+) \(from 0\): ")
_ROW_OF_ARROW = re.compile(r" in row (\d+)$")
_SKIPPED = b" \t\xef\xbb\xbf"
"""What Arrow's parser skips in front of the first value of a block: blanks, and the bytes of a byte order mark."""


@contextmanager
def _table(source: Source, options: Options) -> Iterator[Any]:
    """The table of a file. Ids that look like times stay text, and ids from 2^63 on whole numbers."""
    with arrow_errors(source.path, "the file of JSON lines") as pa:
        json = arrow_module("pyarrow.json", source.path, "JSON lines")
        if is_deep(source.whole()):
            source.fail(f"objects or lists are nested more than {MOST_NESTED} deep")
        _refuse_null_lines(source)
        data = pa.py_buffer(source.whole())
        try:
            table = json.read_json(pa.BufferReader(data))
        except pa.ArrowInvalid as error:
            _fail_parse(source, json, pa, error)
        refuse_matrix_file(source.path, table.schema, options, len(table), lambda n, some: table.select(some)[:n])
        ids = set(edge_columns(source.path, table.schema, options))
        times = [(f.name, pa.string()) for f in table.schema if f.name in ids and pa.types.is_temporal(f.type)]
        if times:
            texts = json.ParseOptions(explicit_schema=pa.schema(times))
            table = json.read_json(pa.BufferReader(data), parse_options=texts)
        for name in ids:
            if pa.types.is_floating(table.schema.field(name).type):
                table = _with_large_ids(table, name, json, pa, data)
        try:
            yield table
        except FileFormatError as error:
            row = _ROW.match(error.problem)
            if row is None:
                raise
            source.fail(error.problem[row.end() :], line=_line_of(source, int(row[1])))


def _refuse_null_lines(source: Source) -> None:
    """Refuse lines that begin with null: where one begins a block of bytes, Arrow's parser ends the process."""
    data, tail, line = source.whole(), b"\n", 0
    for start in range(0, len(data), BLOCK):
        text = tail + data[start : start + BLOCK].tobytes().translate(None, _SKIPPED)
        begins = [at for at in (text.find(b"\nnull"), text.find(b"\rnull")) if at >= 0]
        if begins:
            source.fail("it begins with null, which is no object", line=line + text.count(b"\n", 0, min(begins) + 1))
        tail = text[-4:]
        line += text.count(b"\n", 0, len(text) - len(tail))


def _with_large_ids(table: Any, name: str, json: Any, pa: Any, data: Any) -> Any:
    """The table with a column that Arrow reads as floats for its numbers from 2^63 on as uint64, if it fits."""
    kind = json.ParseOptions(explicit_schema=pa.schema([(name, pa.uint64())]), unexpected_field_behavior="ignore")
    try:
        column = json.read_json(pa.BufferReader(data), parse_options=kind).column(name)
    except pa.ArrowInvalid:
        return table  # with fractions, or negative ones: what is wrong with a float is reported
    return table.set_column(table.schema.get_field_index(name), name, column)


def _fail_parse(source: Source, json: Any, pa: Any, error: Exception) -> NoReturn:
    """Raise the error of a file that Arrow cannot parse, with the line. Arrow counts the rows of a block of bytes."""
    size = len(source.whole())
    if size < 1 << 31 and _ROW_OF_ARROW.search(str(error)):
        one = json.ReadOptions(use_threads=False, block_size=size + 1)
        try:
            json.read_json(pa.BufferReader(pa.py_buffer(source.whole())), read_options=one)
        except pa.ArrowInvalid as located:
            error = located
    problem = str(error).strip().splitlines()[0].removeprefix("JSON parse error: ")
    row = _ROW_OF_ARROW.search(problem)
    line = 0 if row is None or size >= 1 << 31 else _line_of(source, int(row[1]))
    source.fail(f"no lines of JSON objects ({_ROW_OF_ARROW.sub('', problem)[:300]})", line=line)


def _line_of(source: Source, row: int) -> int:
    """The number of the line of an object, counted from 0 without blank lines."""
    lines = source.whole().tobytes().split(b"\n")
    return next((i for i, text in enumerate(lines, 1) if text.strip() and (row := row - 1) < 0), 0)


def read(source: Source, options: Options) -> EdgeList:
    """Two members of the objects."""
    with _table(source, options) as table:
        return edges_of_table(table, options, source.path)


open_chunks, read_numbers = chunk_opener(_table), number_reader(_table)
