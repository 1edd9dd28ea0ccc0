"""Datasets of Arrow: files that are one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from numpy.typing import NDArray

from landbridge.edges.formats.chunked_file import Chunk, ChunkedFile
from landbridge.edges.formats.saved_answers import refuse_saved_answer
from landbridge.edges.formats.tables import (
    arrow_errors,
    edge_columns,
    edges_of,
    has_names,
    held,
    no_rows,
    number_column,
    refuse_matrix_file,
)
from landbridge.edges.forms import EdgeList
from landbridge.edges.inputs import Input
from landbridge.edges.options import Options


def read(dataset: Any, options: Options, path: str) -> EdgeList:
    """Two columns of a dataset."""
    with arrow_errors(path, "the dataset") as pa:
        _refuse_other_tables(dataset, options, path)
        columns = edge_columns(path, dataset.schema, options)
        names = list(dict.fromkeys(columns))
        if options.budget is None:
            table = dataset.to_table(columns=names, use_threads=options.threads > 1)
        else:
            batches = list(_limited(dataset.to_batches(columns=names), options, path))
            table = pa.Table.from_batches(batches, None if batches else dataset.to_table(columns=names).schema)
        return edges_of([table.column(name) for name in columns], columns, options, path)


def read_numbers(dataset: Any, name: str, path: str) -> NDArray[Any]:
    """The numbers of a column beside the edges."""
    with arrow_errors(path, "the dataset"):
        has_column = name in dataset.schema.names
        table = dataset.to_table(columns=[name]) if has_column else dataset.schema.empty_table()
        return number_column(table, name, path)


def _refuse_other_tables(dataset: Any, options: Options, path: str) -> None:
    """Raise FileFormatError for a dataset that is an answer or an adjacency matrix."""
    refuse_saved_answer(path, dataset.schema, options)
    width = len(dataset.schema.names)
    if options.columns is None and width > 2:
        rows = dataset.head(width + 1, columns=dataset.schema.names[:1]).num_rows
        refuse_matrix_file(path, dataset.schema, options, rows, lambda n, some: dataset.head(n, columns=some))


def _limited(batches: Iterable[Any], options: Options, path: str) -> Iterator[Any]:
    """The same batches. Raises SizeLimitExceeded where they are more than may be read."""
    total = 0
    for batch in batches:
        total += held(batch.columns)
        if options.budget is not None:
            options.budget.take(path, "columns", total, "its two columns have at least")
        yield batch


def open_chunks(entry: Input, options: Options, chunk_size: int) -> ChunkedFile:
    """The same, at most `chunk_size` rows at a time."""

    def read_chunks() -> Iterator[Chunk]:
        for number, edges in enumerate(_batches(entry.dataset, options, entry.name, chunk_size)):
            yield Chunk(edges, number, 0, 0)

    with arrow_errors(entry.name, "the dataset"):
        _refuse_other_tables(entry.dataset, options, entry.name)
    named = has_names(entry.name, entry.dataset.schema, options)
    without_edges = no_rows(entry.dataset.schema, options, entry.name)
    occurring = not named and options.ids != "dense"
    return ChunkedFile(entry.name, None, None, (read_chunks,), without_edges, occurring, named)


def _batches(dataset: Any, options: Options, path: str, rows: int) -> Iterator[EdgeList]:
    with arrow_errors(path, "the dataset"):
        columns = edge_columns(path, dataset.schema, options)
        first = 0
        for batch in _limited(dataset.to_batches(columns=list(dict.fromkeys(columns)), batch_size=rows), options, path):
            if batch.num_rows:
                yield edges_of([batch.column(name) for name in columns], columns, options, path, first)
            first += batch.num_rows
