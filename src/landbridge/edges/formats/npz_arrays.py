"""The arrays of an archive of NumPy that could be edges, for messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.column_names import choose_columns, possible_pairs
from landbridge.edges.formats.npy import ArrayHeader
from landbridge.errors import InputError

_ROWS = (("indptr", "indices"), ("indptr", "neighbors"), ("offsets", "neighbors"), ("offsets", "indices"))
"""Names of the two arrays of CSR."""
_MOST = 1 << 20
"""Elements of an array that are looked at; of larger ones the shape decides."""
_LONGEST_NAME = 60

_Load = Callable[[str], NDArray[Any]]


def proposal(headers: Mapping[str, ArrayHeader], load: _Load) -> str:
    """What is a graph of arrays: CSR, a pair or one array of edges, of ``file``; "" if none is.

    headers: of all arrays by their names. load: an array by its name.
    """
    integers = {name: header for name, header in headers.items() if header.dtype.kind in "iu" and _can_be_said(name)}
    columns = {name: header for name, header in integers.items() if len(header.shape) == 1}
    for offsets, neighbors in _ROWS:
        if offsets in columns and neighbors in columns:
            are_rows = _are_rows(columns[offsets], columns[neighbors], load, offsets, neighbors)
            return f"landbridge.CSR({_item(offsets)}, {_item(neighbors)})" if are_rows else ""
    pair = _pair(headers, columns)
    is_known = bool(pair) and len(possible_pairs(list(pair))) > 0
    tables = [name for name, header in integers.items() if len(header.shape) == 2 and 2 in header.shape]
    choice = pair if is_known or not tables else tuple(tables) if len(tables) == 1 else ()
    if not choice or not all(_are_vertices(integers[name], load, name) for name in choice):
        return ""
    return _item(choice[0]) if len(choice) == 1 else f"({_item(choice[0])}, {_item(choice[1])})"


def _can_be_said(name: str) -> bool:
    return name.isidentifier() and len(name) <= _LONGEST_NAME


def _item(name: str) -> str:
    return f"file[{name!r}]"


def _pair(headers: Mapping[str, ArrayHeader], columns: Mapping[str, ArrayHeader]) -> tuple[str, ...]:
    """The names of two columns of one length that hold edges, by the rule for the columns of tables; none if others of
    that length make it ambiguous."""
    pairs: set[tuple[str, str]] = set()
    for shape in {header.shape for header in columns.values()}:
        names = sorted(name for name, header in headers.items() if header.shape == shape)
        kinds = ["integer" if name in columns else "float" for name in names]
        try:
            first, second = (names[i] for i in choose_columns(names, kinds, ""))
        except InputError:
            continue
        if first in columns and second in columns:
            pairs.add((first, second))
    known = {pair for pair in pairs if possible_pairs(pair)} or pairs
    return next(iter(known)) if len(known) == 1 else ()


def _are_rows(offsets: ArrayHeader, neighbors: ArrayHeader, load: _Load, *names: str) -> bool:
    """Whether arrays have the shapes of CSR, and their numbers are offsets and vertices."""
    (n,), (m,) = offsets.shape, neighbors.shape
    if n == 0:
        return False
    if max(n, m) > _MOST:
        return True
    bounds, vertices = (load(name) for name in names)
    ascend = bounds[0] == 0 and bounds[-1] == m and bool(np.all(bounds[1:] >= bounds[:-1]))
    return ascend and (m == 0 or (vertices.min() >= 0 and vertices.max() < n - 1))


def _are_vertices(header: ArrayHeader, load: _Load, name: str) -> bool:
    """Whether no number is negative."""
    size = int(np.prod(header.shape))
    return not 0 < size <= _MOST or bool(load(name).min() >= 0)
