"""Datasets of Arrow: files that are one table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from landbridge.edges.formats.chunked_file import Chunk, ChunkedFile
from landbridge.edges.formats.tables import arrow_errors, edge_columns, edges_of, has_names
from landbridge.edges.forms import EdgeList
from landbridge.edges.inputs import Input
from landbridge.edges.options import Options


def read(dataset: Any, options: Options, path: str) -> EdgeList:
    """Two columns of a dataset."""
    with arrow_errors(path, "the dataset"):
        columns = edge_columns(path, dataset.schema, options)
        table = dataset.to_table(columns=list(dict.fromkeys(columns)), use_threads=options.threads > 1)
        return edges_of([table.column(name) for name in columns], columns, options, path)


def open_chunks(entry: Input, options: Options, chunk_size: int) -> ChunkedFile:
    """The same, at most `chunk_size` rows at a time."""

    def read_chunks() -> Iterator[Chunk]:
        for number, edges in enumerate(_batches(entry.dataset, options, entry.name, chunk_size)):
            yield Chunk(edges, number, 0, 0)

    named = has_names(entry.name, entry.dataset.schema, options)
    return ChunkedFile(entry.name, None, None, (read_chunks,), not named and options.ids != "dense", named)


def _batches(dataset: Any, options: Options, path: str, rows: int) -> Iterator[EdgeList]:
    with arrow_errors(path, "the dataset"):
        columns = edge_columns(path, dataset.schema, options)
        first = 0
        for batch in dataset.to_batches(columns=list(dict.fromkeys(columns)), batch_size=rows):
            if batch.num_rows:
                yield edges_of([batch.column(name) for name in columns], columns, options, path, first)
            first += batch.num_rows
