"""Queries: LazyFrames of polars and relations of DuckDB, whose rows are read in batches."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any

from landbridge.edges.formats.chunked_file import edges_per_chunk
from landbridge.edges.frames import columns_of_schema, first_cells, refuse_matrix, refuse_matrix_of_query


def is_relation(obj: Any) -> bool:
    """Whether an object is a relation of DuckDB."""
    return "duckdb" in type(obj).__module__.partition(".")[0] and hasattr(obj, "query") and hasattr(obj, "columns")


def is_lazy_frame(obj: Any) -> bool:
    """Whether an object is a LazyFrame of polars."""
    return hasattr(obj, "collect") and hasattr(obj, "collect_schema")


def relation_of(table: Any, relation: Any) -> Any:
    """A table of Arrow as a relation of the connection that another relation is of."""
    landbridge_table = table  # noqa: F841 - DuckDB finds it by this name
    return relation.query("landbridge_source", "SELECT * FROM landbridge_table")


def batches_of(
    source: Any, columns: Sequence[str | int] | None, chunk_size: int | None
) -> tuple[Iterator[Any], tuple[str, str]] | None:
    """Tables of about `chunk_size` rows of a query, and the names of the columns of edges; None for anything else.

    A query runs once, while its batches are read; of one that could be an adjacency matrix, which is refused, its first
    rows are read before. One without rows is an empty table. Of a polars without ``collect_batches`` it is one batch.
    """
    rows = edges_per_chunk(chunk_size)
    if is_lazy_frame(source):
        schema = source.collect_schema()
        names, kinds = list(schema.names()), [str(t) for t in schema.dtypes()]
        if columns is None:
            refuse_matrix_of_query(source, names, kinds)
        pair = columns_of_schema(columns, names, kinds)
        query = source.select(list(dict.fromkeys(pair)))
        if not hasattr(query, "collect_batches"):
            return iter([query.collect()]), pair
        batches = query.collect_batches(chunk_size=rows, lazy=True)
        return _at_least_one(iter(batches), lambda: query.limit(0).collect()), pair
    if is_relation(source):
        read = source.to_arrow_reader if hasattr(source, "to_arrow_reader") else source.fetch_record_batch
        reader = read(rows)
        names, kinds = list(reader.schema.names), [str(t) for t in reader.schema.types]
        pair = columns_of_schema(columns, names, kinds)
        few: list[Any] = []
        while columns is None and sum(batch.num_rows for batch in few) <= len(names):
            batch = next(reader, None)
            if batch is None:
                break
            few.append(batch)
        if few:
            refuse_matrix(names, kinds, sum(batch.num_rows for batch in few), lambda: first_cells(few))
        arrow: Any = importlib.import_module("pyarrow")
        tables = (arrow.Table.from_batches([batch]) for batch in chain(few, reader))
        return _at_least_one(tables, reader.schema.empty_table), pair
    return None


def _at_least_one(tables: Iterator[Any], empty: Callable[[], Any]) -> Iterator[Any]:
    first = next(tables, None)
    yield empty() if first is None else first
    yield from tables
