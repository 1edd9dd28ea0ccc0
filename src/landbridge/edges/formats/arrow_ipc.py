"""Feather and Arrow IPC files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from landbridge.edges.formats.source import Source
from landbridge.edges.formats.tables import arrow_errors, arrow_file, arrow_module, chunk_opener, edges_of_table
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import Options


@contextmanager
def _table(source: Source, _options: Options) -> Iterator[Any]:
    """The table of a file, mapped where its columns are not compressed."""
    with arrow_errors(source.path, "the Arrow file") as pa:
        ipc, feather = (arrow_module(f"pyarrow.{name}", source.path, "Arrow files") for name in ("ipc", "feather"))
        head = source.peek(6)
        with arrow_file(source, pa) as file:
            if head.startswith(b"FEA1"):
                yield feather.read_table(file)
            else:
                reader = ipc.open_file(file) if head == b"ARROW1" else ipc.open_stream(file)
                yield reader.read_all()


def read(source: Source, options: Options) -> EdgeList:
    """Two columns of the table."""
    with _table(source, options) as table:
        return edges_of_table(table, options, source.path)


open_chunks = chunk_opener(_table)
