"""JSON lines: one object per line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from landbridge.edges.formats.nesting import MOST_NESTED, is_deep
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.tables import arrow_errors, arrow_module, chunk_opener, edge_columns, edges_of_table
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import Options


@contextmanager
def _table(source: Source, options: Options) -> Iterator[Any]:
    """The table of a file. Ids that look like times stay text."""
    with arrow_errors(source.path, "the file of JSON lines") as pa:
        json = arrow_module("pyarrow.json", source.path, "JSON lines")
        if is_deep(source.whole()):
            source.fail(f"objects or lists are nested more than {MOST_NESTED} deep")
        data = pa.py_buffer(source.whole())
        table = json.read_json(pa.BufferReader(data))
        ids = set(edge_columns(source.path, table.schema, options))
        times = [(f.name, pa.string()) for f in table.schema if f.name in ids and pa.types.is_temporal(f.type)]
        if times:
            texts = json.ParseOptions(explicit_schema=pa.schema(times))
            table = json.read_json(pa.BufferReader(data), parse_options=texts)
        yield table


def read(source: Source, options: Options) -> EdgeList:
    """Two members of the objects."""
    with _table(source, options) as table:
        return edges_of_table(table, options, source.path)


open_chunks = chunk_opener(_table)
