"""Several columns of ids as vertices 0..n-1 of one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.forms import IdArray
from landbridge.edges.names import NameArray
from landbridge.edges.object_columns import Texts
from landbridge.errors import InputError

Array = NDArray[Any]


@dataclass(frozen=True)
class Together:
    """Vertices and edges of ids.

    Attributes
    ----------
    nodes, u, v : array
        The vertex of each node, and of the endpoints of each edge.
    ids : array or NameArray
        The id of each vertex: ascending if they are numbers, as they first appear if they are text.
    """

    nodes: Array
    u: Array
    v: Array
    ids: Any


def number_together(nodes: IdArray | Texts, u: IdArray | Texts, v: IdArray | Texts, threads: int) -> Together:
    """The ids of nodes, and of the endpoints of edges, as vertices; each column as `ids_of` returns it.

    Raises
    ------
    InputError
        For ids of two kinds, and numbers that no type of integers holds.
    """
    columns = [column for column in (nodes, u, v) if _size(column)]
    if len({isinstance(column, tuple) for column in columns}) > 1:
        raise InputError("some ids are text and some are numbers")
    if columns and isinstance(columns[0], tuple):
        a, b, c = (x if isinstance(x, tuple) else _NO_TEXTS for x in (nodes, u, v))
        return _of_texts(a, b, c, threads)
    arrays = [np.empty(0, np.int64) if isinstance(column, tuple) else column for column in (nodes, u, v)]
    return _of_numbers(arrays, threads)


def _of_numbers(arrays: Sequence[Array], threads: int) -> Together:
    if {str(array.dtype) for array in arrays} >= {"int64", "uint64"}:
        if any(len(array) and int(array.max()) >= 2**63 for array in arrays if array.dtype == np.uint64):
            raise InputError("some ids are from 2^63 on and others are signed: no type of integers holds both")
        arrays = [array.astype(np.int64, copy=False) for array in arrays]
    every = np.concatenate(arrays)
    every = every if every.dtype.itemsize >= 4 else every.astype(np.int64)
    half = len(every) // 2
    # The core takes pairs: an odd element is its own partner.
    pairs = (every[:half], every[half : 2 * half])
    if len(every) % 2:
        pairs = (np.append(pairs[0], every[-1]), np.append(pairs[1], every[-1]))
    a, b, ids = _core.renumber(*pairs, threads)
    numbers = np.concatenate([a[:half], b])
    x, y, z = np.split(numbers, np.cumsum([len(array) for array in arrays])[:-1])
    return Together(x, y, z, ids)


_NO_TEXTS: Texts = (np.zeros(1, np.int64), np.empty(0, np.uint8))


def _of_texts(nodes: Texts, u: Texts, v: Texts, threads: int) -> Together:
    names: Any = _core.Names(threads)
    count = len(nodes[0]) - 1
    half = count // 2
    bounds, data = nodes
    # Two columns at once are hashed side by side.
    first, second = names.number(bounds[: half + 1], data, bounds[half : 2 * half + 1], data)
    rest = names.number_each(bounds[2 * half :], data)
    numbers = np.concatenate([first, second, rest])
    a, b = names.number(*u, *v)
    return Together(numbers, a, b, NameArray(*names.texts(0)))


def _size(column: IdArray | Texts) -> int:
    return len(column[0]) - 1 if isinstance(column, tuple) else len(column)
