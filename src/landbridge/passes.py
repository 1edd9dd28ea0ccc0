"""Passes over long columns in slices, between which a signal, or the end of the time of a call, ends it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from landbridge import _core

SLICE = 1 << 17
"""Elements: a few milliseconds of arrays, tens of milliseconds of Python's objects."""


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
