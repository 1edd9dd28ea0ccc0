"""Passes over long columns in slices, between which a signal, or the end of the time of a call, ends it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeGuard

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


def elements_of(obj: Any) -> Sequence[Any] | None:
    """The elements of a sequence of Python's objects, such as a list, a tuple, a range or a deque.

    None for anything else: what has a memory of its own, as arrays do, and text.
    """
    if isinstance(obj, list | tuple):
        return obj
    if not isinstance(obj, Sequence) or isinstance(obj, str) or hasattr(obj, "__array__"):
        return None
    try:
        memoryview(obj)  # type: ignore[arg-type]
    except TypeError:
        return list(obj)
    return None


def host_array(obj: Any) -> NDArray[Any]:
    """`numpy.asarray`, and `numpy.from_dlpack` of what has no other array in host memory. Raises what these raise."""
    return np.asarray(obj) if hasattr(obj, "__array__") or not hasattr(obj, "__dlpack__") else np.from_dlpack(obj)


def numbers_of(values: Sequence[Any]) -> NDArray[Any] | None:
    """A list or a tuple of numbers as an array of the same numbers: of ints, of floats, of scalars of a type of NumPy.

    None for all else, and for numbers of several types: NumPy would take a bool for 1, and round integers from 2^63 on.
    """
    column: Any = _core.integers_of(values if type(values) is list else list(values))
    if column is not None:
        integers: NDArray[Any] = column
        return integers
    kinds: set[type] = set()
    parts: list[NDArray[Any]] = []
    for part in slices(len(values)):
        some = values[part]
        kinds.update(map(type, some))
        if len(kinds) > 1 or not all(map(_is_exact, kinds)):
            return None
        parts.append(np.asarray(some))
    return np.concatenate(parts) if len(parts) > 1 else parts[0] if parts else None


def is_whole(x: Any) -> TypeGuard[int]:
    """Whether an object is an integer of Python or NumPy: a bool is none, nor is a duration."""
    return isinstance(x, int | np.integer) and not isinstance(x, bool | np.timedelta64)


def _is_exact(kind: type) -> bool:
    """Whether an array of elements of one type, and no other, has their values."""
    return kind is float or (issubclass(kind, np.integer | np.floating) and not issubclass(kind, np.timedelta64))


def distinct(numbers: NDArray[Any], threads: int) -> NDArray[Any]:
    """The different ones of integers in ascending order: as numpy.unique, by the core's radix sort."""
    keys = np.empty(len(numbers), dtype=np.uint64)
    sign = np.uint64(1 << 63 if len(numbers) and int(numbers.min()) < 0 else 0)
    for part in slices(len(numbers)):
        keys[part] = numbers[part].astype(np.uint64)  # two's complement
        keys[part] ^= sign
    result: NDArray[Any] = _core.distinct_keys(keys, int(keys.max(initial=0)).bit_length(), threads)
    result ^= sign
    return result.astype(numbers.dtype)


def order_of(numbers: NDArray[np.unsignedinteger], threads: int) -> NDArray[np.intp]:
    """The places of numbers in ascending order of these, equal ones as they are: as a stable argsort, by the core's
    radix sort, which a signal ends."""
    bits = len(numbers).bit_length()
    width = int(numbers.max(initial=0)).bit_length()
    if bits > 32:
        return np.argsort(numbers, kind="stable")
    if width + bits > 64:  # the upper halves of those in the order of the lower ones
        order = order_of(numbers & np.uint64((1 << 32) - 1), threads)
        return taken(order, order_of(taken(numbers, order) >> np.uint64(32), threads))
    places: NDArray[Any] = _core.order_of(numbers.astype(np.uint64, copy=False), width, threads)
    return places.view(np.intp)


def descending(numbers: NDArray[Any], threads: int) -> NDArray[np.intp]:
    """The places of numbers in descending order of these, equal ones as they are. NaN has no place of its own."""
    if numbers.dtype.itemsize > 8:
        return len(numbers) - 1 - np.argsort(numbers[::-1], kind="stable")[::-1]
    keys = np.empty(len(numbers), dtype=np.uint64)
    for part in slices(len(keys)):
        some = numbers[part]
        if some.dtype.kind == "f":  # their bits, as a sign and a magnitude, ordered as those of integers
            ordered = (some.astype(np.float64) + 0.0).view(np.int64)
            ordered ^= (ordered >> 63) & np.int64(2**63 - 1)
        else:
            ordered = some.astype(np.uint64 if some.dtype.kind == "u" else np.int64)
        sign = np.uint64(0 if ordered.dtype.kind == "u" else 1 << 63)
        keys[part] = ~(ordered.view(np.uint64) ^ sign)
    return order_of(keys, threads)


def taken(values: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """The values at some places."""
    result = np.empty(len(places), dtype=values.dtype)
    for part in slices(len(places)):
        result[part] = values[places[part]]
    return result
