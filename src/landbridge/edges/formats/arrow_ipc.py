"""Feather and Arrow IPC files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from landbridge.edges.formats.source import Source
from landbridge.edges.formats.tables import (
    arrow_errors,
    arrow_file,
    arrow_module,
    chunk_opener,
    edge_columns,
    edges_of_table,
    held,
    number_reader,
    refuse_matrix_file,
)
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import Options


@contextmanager
def _table(source: Source, options: Options) -> Iterator[Any]:
    """The table of a file, mapped where its columns are not compressed."""
    with arrow_errors(source.path, "the Arrow file") as pa:
        ipc, feather = (arrow_module(f"pyarrow.{name}", source.path, "Arrow files") for name in ("ipc", "feather"))
        head = source.peek(6)
        with arrow_file(source, pa) as file:
            if head.startswith(b"FEA1"):
                table = feather.read_table(file)
            else:
                table = _read(source, ipc.open_file(file) if head == b"ARROW1" else ipc.open_stream(file), pa)
            refuse_matrix_file(source.path, table.schema, options, len(table), lambda n, some: table.select(some)[:n])
            columns = [table.column(name) for name in edge_columns(source.path, table.schema, options)]
            for column in columns:
                column.validate(full=True)  # lengths and offsets are those of the file until here
            if source.limited:
                source.take(held(columns), "its two columns have", "columns")
            yield table


def _read(source: Source, reader: Any, pa: Any) -> Any:
    """All record batches of a file."""
    if not source.limited:
        return reader.read_all()
    batches, total = [], 0
    for batch in (
        reader if hasattr(reader, "read_next_batch") else map(reader.get_batch, range(reader.num_record_batches))
    ):
        total += batch.nbytes
        source.take(total, "its columns have at least", "columns")
        batches.append(batch)
    return pa.Table.from_batches(batches, reader.schema)


def read(source: Source, options: Options) -> EdgeList:
    """Two columns of the table."""
    with _table(source, options) as table:
        return edges_of_table(table, options, source.path)


open_chunks, read_numbers = chunk_opener(_table), number_reader(_table)
