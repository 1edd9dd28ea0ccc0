"""Passes over long columns in slices, between which a signal, or the end of the time of a call, ends it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core

SLICE = 1 << 17
"""Elements: a few milliseconds of arrays, tens of milliseconds of Python's objects."""

FEW = 32
"""Elements of a list that NumPy converts faster than the core."""


def slices(count: int) -> Iterator[slice]:
    """The parts of `count` elements in order, each after a look at the time.

    Raises
    ------
    CoreTimeOver
        If the time of the call is over; `time_limit` says so.
    """
    for begin in range(0, count, SLICE):
        _core.check_time()
        yield slice(begin, min(count, begin + SLICE))


def array_of(obj: Any) -> NDArray[Any]:
    """`numpy.asarray`, of a list or a tuple of numbers of one type slice by slice; a list of ints is faster so."""
    if type(obj) not in (list, tuple) or len(obj) <= FEW:
        return np.asarray(obj)
    integers: NDArray[Any] | None = _core.integers_of(obj if type(obj) is list else list(obj))
    if integers is not None:
        return integers
    parts: list[NDArray[Any]] = []
    for part in slices(len(obj)):
        try:
            parts.append(np.asarray(obj[part]))
        except (TypeError, ValueError, OverflowError):
            return np.asarray(obj)
        if parts[-1].ndim != 1 or parts[-1].dtype != parts[0].dtype or parts[-1].dtype.kind not in "iufb":
            return np.asarray(obj)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def order_of(numbers: NDArray[np.unsignedinteger], threads: int) -> NDArray[np.intp]:
    """The places of distinct numbers, in ascending order of these: as argsort, by the core's radix sort."""
    bits = len(numbers).bit_length()
    width = int(numbers.max(initial=0)).bit_length() + bits
    if width > 64 or len(numbers) < 2:
        return np.argsort(numbers)
    keys = np.arange(len(numbers), dtype=np.uint64)
    keys |= numbers.astype(np.uint64, copy=False) << np.uint64(bits)
    keys = _core.distinct_keys(keys, width, threads)
    keys &= np.uint64((1 << bits) - 1)
    return keys.view(np.intp)
