"""Passes over long columns in slices, between which a signal, or the end of the time of a call, ends it."""

from __future__ import annotations

from collections.abc import Iterator

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
