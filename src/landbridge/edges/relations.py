"""Relations of DuckDB: queries, which are read as batches of Arrow and made from tables of Arrow."""

from __future__ import annotations

from typing import Any


def is_relation(obj: Any) -> bool:
    """Whether an object is a relation of DuckDB."""
    return "duckdb" in type(obj).__module__.partition(".")[0] and hasattr(obj, "query") and hasattr(obj, "columns")


def relation_of(table: Any, relation: Any) -> Any:
    """A table of Arrow as a relation of the connection that another relation is of."""
    landbridge_table = table  # noqa: F841 - DuckDB finds it by this name
    return relation.query("landbridge_source", "SELECT * FROM landbridge_table")
