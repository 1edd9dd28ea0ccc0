"""Columns of keys, counts and texts as bytes, in chunks: what travels between the tasks of a cluster.

A chunk is self-contained: of each column the smallest value is subtracted, ascending columns are stored as differences,
and columns with few different values as those and the place of each; then the low bytes that are in use are stored, all
lowest ones first. Ascending keys of 64 bits take 4 to 6 bytes per key, dense ones 1 or 2.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core

Array = NDArray[Any]
Texts = tuple[NDArray[np.int64], NDArray[np.uint8]]
"""Texts as in Arrow: text i is data[offsets[i]:offsets[i + 1]]."""
Column = Array | Texts

ROWS = 4096
"""Rows of a chunk: small enough that ten thousand chunks, the usual batch of an engine, stay below 2 GiB."""

_SOME = 64

_CHUNK = struct.Struct("<IB")
_NUMBERS = struct.Struct("<BBQ")
_COUNT = struct.Struct("<I")
_FIRST = struct.Struct("<Q")
_PLAIN, _ASCENDING, _FEW, _WIDE, _WIDE_FEW, _TEXTS = range(6)


def length(column: Column) -> int:
    """How many rows a column has."""
    return len(column[0]) - 1 if isinstance(column, tuple) else len(column)


def rows_of(column: Column, where: Any) -> Column:
    """Some rows of a column: an array of places, or a slice."""
    if not isinstance(column, tuple):
        part: Array = column[where]
        return part
    offsets, data = column
    begins, lengths = offsets[:-1][where], np.diff(offsets)[where]
    stops = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=stops[1:])
    return stops, data[np.repeat(begins - stops[:-1], lengths) + np.arange(stops[-1])]


def joined(columns: list[Column]) -> Column:
    """Columns of one type, one behind the other."""
    if not isinstance(columns[0], tuple):
        return np.concatenate([np.asarray(column) for column in columns])
    texts: list[Any] = columns
    lengths = np.concatenate([np.diff(offsets) for offsets, _ in texts])
    stops = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=stops[1:])
    return stops, np.concatenate([data[offsets[0] : offsets[-1]] for offsets, data in texts])


def pack(columns: list[Column]) -> bytes:
    """Equally long columns as bytes. Arrays are uint64 of shape (n,) or, of 128-bit keys, (n, 2); or int32."""
    return b"".join(packed(columns))


def packed(columns: list[Column]) -> list[Any]:
    """What `pack` joins."""
    parts = [_CHUNK.pack(length(columns[0]), len(columns))]
    for column in columns:
        parts += _packed(column)
    return parts


def rows_in(data: bytes | memoryview) -> int:
    """How many rows `pack` has packed."""
    count, _ = _CHUNK.unpack_from(data)
    return int(count)


def unpack(data: bytes | memoryview) -> list[Column]:
    """The columns that `pack` has packed."""
    count, columns = _CHUNK.unpack_from(data)
    at = _CHUNK.size
    result = []
    for _ in range(columns):
        column, at = _unpacked(data, at, count)
        result.append(column)
    return result


def unpack_into(data: bytes | memoryview, *columns: Array) -> None:
    """Fill the columns that `pack` has packed; numbers alone, which are uint64 or int32."""
    at = _CHUNK.size
    for column in columns:
        at = _read(data, at, column)


def _packed(column: Column) -> list[Any]:
    if isinstance(column, tuple):
        offsets, data = column
        lengths = np.diff(offsets).astype(np.uint64)
        text = np.ascontiguousarray(data[offsets[0] : offsets[-1]]).tobytes()
        return [bytes([_TEXTS]), *_numbers(lengths), text]
    if column.ndim == 2:
        same = len(column) > 0 and bool((column == column[0]).all())
        return [bytes([_WIDE_FEW if same else _WIDE]), np.ascontiguousarray(column[:1] if same else column).tobytes()]
    column = np.ascontiguousarray(column)
    if len(column) > 1 and bool((column[1:] >= column[:-1]).all()):
        return [bytes([_ASCENDING]), *_ascending(column)]
    # If most of the first values differ, it is not asked how many of all do; narrow ones must fit a byte to save any.
    if _core.few_values(column[:_SOME], _SOME // 2):
        most = (len(column) - 1) // 4 if column.itemsize == 8 else 255
        few: Any = _core.few_values(column, most)
        if few:
            values, places = few
            return [bytes([_FEW]), _COUNT.pack(len(values)), *_ascending(values), *_numbers(places)]
    return [bytes([_PLAIN]), *_numbers(column)]


def _unpacked(data: bytes | memoryview, at: int, count: int) -> tuple[Column, int]:
    form, at = data[at], at + 1
    if form == _TEXTS:
        lengths = np.empty(count, dtype=np.uint64)
        at = _read_numbers(data, at, lengths)
        offsets = np.zeros(count + 1, dtype=np.int64)
        np.cumsum(lengths.astype(np.int64), out=offsets[1:])
        size = int(offsets[-1])
        return (offsets, np.frombuffer(data, np.uint8, size, at)), at + size
    if form in (_WIDE, _WIDE_FEW):
        some = count if form == _WIDE else 1
        keys = np.frombuffer(data, "<u8", 2 * some, at).reshape(some, 2)
        return np.broadcast_to(keys, (count, 2)), at + 16 * some
    column = np.empty(count, dtype=np.uint64)
    return column, _read(data, at - 1, column)


def _read(data: bytes | memoryview, at: int, column: Array) -> int:
    """Fill a column of numbers; returns where the next column is."""
    form, at = data[at], at + 1
    if form == _ASCENDING:
        return _read_ascending(data, at, column)
    if form == _FEW:
        (some,) = _COUNT.unpack_from(data, at)
        values, places = np.empty(some, dtype=np.uint64), np.empty(len(column), dtype=np.uint64)
        at = _read_ascending(data, at + _COUNT.size, values)
        at = _read_numbers(data, at, places)
        column[:] = values[places.astype(np.int64)]
        return at
    return _read_numbers(data, at, column)


def _ascending(column: Array) -> list[Any]:
    first = int(column[0]) if len(column) else 0
    return [_FIRST.pack(first), *_numbers(column, True)]


def _read_ascending(data: bytes | memoryview, at: int, column: Array) -> int:
    column[:1] = _FIRST.unpack_from(data, at)
    at = _read_numbers(data, at + _FIRST.size, column[1:])
    np.cumsum(column, out=column)
    return at


def _numbers(column: Array, steps: bool = False) -> list[Any]:
    """The smallest number, and the low bytes of what the others exceed it by, lowest bytes first; or of the steps from
    each number to the next."""
    smallest, width, planes = _core.to_planes(column, steps)
    return [_NUMBERS.pack(0, width, smallest), planes]


def _read_numbers(data: bytes | memoryview, at: int, column: Array) -> int:
    _, width, smallest = _NUMBERS.unpack_from(data, at)
    begin, size = at + _NUMBERS.size, len(column) * int(width)
    _core.from_planes(np.frombuffer(data, np.uint8, size, begin), smallest, width, column)
    return begin + size
