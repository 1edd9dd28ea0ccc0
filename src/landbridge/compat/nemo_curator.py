"""The names of columns of NeMo Curator's deduplication: pairs of ids in, groups and removals out."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from landbridge.api import components
from landbridge.deduplication import deduplicate
from landbridge.edges.frames import library_of
from landbridge.edges.queries import is_relation, relation_of
from landbridge.tables import table_of
from landbridge.typing import GraphLike

__all__ = ["connected_components", "identify_removals"]

ID, GROUP = "_curator_dedup_id", "_duplicate_group_id"
_PAIR = (f"{ID}_x", f"{ID}_y")


def connected_components(pairs: GraphLike, *, threads: int | None = None) -> Any:
    """The group of duplicates of each document.

    Parameters
    ----------
    pairs : table or files
        With the columns ``_curator_dedup_id_x`` and ``_curator_dedup_id_y``: a data frame, Parquet files.
    threads : int, optional
        As for `landbridge.components`.

    Returns
    -------
    table
        ``_curator_dedup_id`` and ``_duplicate_group_id``, a row for each id, ascending; groups are numbered 0..k-1 by
        their smallest ids. Of the library of the pairs, else of pyarrow.

    Raises
    ------
    InputError
        As `landbridge.components` does.
    """
    answer = components(pairs, columns=_PAIR, threads=threads)
    table = table_of({ID: answer.ids, GROUP: answer.labels}, answer.library or "pyarrow")
    return relation_of(table, pairs) if is_relation(pairs) else table


def identify_removals(pairs: GraphLike, *, threads: int | None = None) -> Any:
    """The documents to remove: all but the smallest id of each group.

    Parameters
    ----------
    pairs, threads :
        As for `connected_components`.

    Returns
    -------
    table
        ``_curator_dedup_id``, ascending, of the library of the pairs, else of pyarrow.

    Raises
    ------
    InputError
        As `landbridge.components` does.
    """
    library = library_of(pairs) or "pyarrow"
    arrow = import_module("pyarrow")
    answer = deduplicate(pairs, columns=_PAIR, threads=threads, library="pyarrow")
    removed = answer.filter(arrow.array(~answer.column("keep").to_numpy())).column("id")
    table = table_of({ID: removed.combine_chunks()}, library)
    return relation_of(table, pairs) if is_relation(pairs) else table
