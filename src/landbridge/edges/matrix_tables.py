"""Tables that hold an adjacency matrix: their first two columns are no edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from landbridge.edges.column_names import are_numbered, choose_columns
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError

MOST = 1000
"""Rows and columns that are looked at."""
IS_MATRIX = "it looks like an adjacency matrix, which goes in as scipy.sparse.csr_array(matrix)"


def matrix_problem() -> str:
    """What is wrong with a table that is a matrix, and what takes it as edges."""
    return f"{IS_MATRIX}; {spelled('columns')} selects two columns of edges"


def is_matrix(cells: Any, width: int, *, whole: bool) -> bool:
    """Whether a table is an adjacency matrix: as many rows as columns, and all of them 0 or 1, or zeros on the diagonal
    and the same numbers on both sides of it.

    cells: the first rows, and the columns that are looked at. A matrix has numbers in all of them. width: all columns.
    whole: whether there are no other rows.
    """
    rows = len(cells)
    if rows != width if whole else rows > width:
        return False
    try:
        numbers = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    size = min(rows, numbers.shape[1])
    square = numbers[:size, :size]
    return bool(np.isin(square, (0, 1)).all()) or bool(not square.diagonal().any() and np.array_equal(square, square.T))


def is_labelled_matrix(names: Sequence[str], labels: Sequence[str], cells: Any, *, whole: bool) -> bool:
    """Whether a table is an adjacency matrix: its rows have the names of the columns.

    cells: as `is_matrix` takes them. They are compared where the names are numbers, which may also be positions.
    """
    if len(labels) < 2 or list(labels) != list(names[: len(labels)]) or (whole and len(labels) != len(names)):
        return False
    return not all(name.isdigit() for name in labels) or is_matrix(cells, len(names), whole=whole)


def name_no_endpoints(names: Sequence[str], kinds: Sequence[str | None]) -> bool:
    """Whether the names of columns are numbers, or do not say which two of them hold the edges."""
    if are_numbered(names):
        return True
    try:
        choose_columns(names, kinds, "")
    except InputError:
        return True
    return False
