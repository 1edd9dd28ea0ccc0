"""Several columns of ids as vertices 0..n-1 of one graph, in the order of the ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.forms import IdArray
from landbridge.edges.id_columns import Texts
from landbridge.edges.names import NameArray
from landbridge.errors import InputError


def number_together(columns: Sequence[IdArray | Texts], threads: int) -> tuple[list[NDArray[Any]], Any]:
    """The vertex of each element, and the ids of the vertices: those that occur in any column, ascending.

    Parameters
    ----------
    columns : sequence of array or texts
        As `landbridge.edges.id_columns.ids_of` returns them, all of one kind.
    threads : int
        The result does not depend on it.

    Returns
    -------
    (list of array, ids)
        int32, or int64 from 2^31 vertices on; an array of integers, or a NameArray.
    """
    if len({isinstance(column, tuple) for column in columns if _size(column)}) > 1:
        raise InputError("some ids are text and some are numbers")
    if any(isinstance(column, tuple) and _size(column) for column in columns):
        return _of_texts(list(columns), threads)
    arrays = [np.empty(0, np.int64) if isinstance(column, tuple) else column for column in columns]
    if {str(array.dtype) for array in arrays} >= {"int64", "uint64"}:
        if any(len(array) and int(array.max()) >= 2**63 for array in arrays if array.dtype == np.uint64):
            raise InputError("some ids are from 2^63 on and others are signed: no type of integers holds both")
        arrays = [array.astype(np.int64, copy=False) for array in arrays]
    every = np.concatenate([*arrays, arrays[0][:0]])
    every = every if every.dtype.itemsize >= 4 else every.astype(np.int64)
    half = len(every) // 2
    # The core takes pairs: an odd element is its own partner.
    first, second = every[:half], every[half : 2 * half]
    if len(every) % 2:
        first, second = np.append(first, every[-1]), np.append(second, every[-1])
    a, b, ids = _core.renumber(first, second, threads)
    numbers = np.concatenate([a[:half], b[:half], a[half:]])
    bounds = np.cumsum([len(array) for array in arrays])[:-1]
    return np.split(numbers, bounds), ids


def _of_texts(columns: Sequence[IdArray | Texts], threads: int) -> tuple[list[NDArray[Any]], Any]:
    names: Any = _core.Names(threads)
    numbers = [names.number_each(*column) if isinstance(column, tuple) else np.empty(0, np.int32) for column in columns]
    order, *texts = names.in_order()
    for first, second in zip(numbers[::2], [*numbers[1::2], np.empty(0, np.int32)][: len(numbers[::2])], strict=True):
        _core.to_ranks(order, first, second, threads)
    return numbers, NameArray(*texts)


def _size(column: IdArray | Texts) -> int:
    return len(column[0]) - 1 if isinstance(column, tuple) else len(column)
