"""Messages: rows (to, kind, data) that tasks send to each other. An engine moves them and never looks into `data`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.cluster.keys import arrow, column_of, numbers_of
from landbridge.cluster.packing import ROWS, Column, joined, length, packed, rows_of, unpack
from landbridge.errors import InputError

_BATCH = 1 << 24
"""Bytes of messages that are sent together, at most, unless one has more."""
_LEAST = 1 << 12
_MOST = 2**31 - 1


class Kind(IntEnum):
    """What the columns of a message are."""

    COUNTERS = 0  # of one task, as JSON
    FOREST = 1  # u, v: connected keys; of a spanning forest, edges of the input
    TEXT = 2  # key that is a hash, the text of its id
    LABEL = 3  # key, the smallest key of its component
    EDGE = 4  # u, v: neighbours; each pair is sent in both directions, to the owners of both
    SMALLEST = 5  # key, the smallest original key of those contracted into it
    PARENT = 6  # key, the key it is contracted into
    HALF_EDGE = 7  # v, the parent of its neighbour u
    LOOKUP = 8  # key, the task that its label is sent to
    REPLY = 9  # key, its label
    ROW = 10  # key, component as a key, and the text of a key that is a hash
    ROOT = 11  # component as a key, the task that has rows of it, how many, the smallest text of these
    ROOT_REPLY = 12  # component as a key, how many rows in all, the smallest text of all
    ENDPOINTS = 13  # u, v of an edge, for the check
    LABEL_EDGE = 14  # label of u, v
    MEMBERS = 15  # the first key of a run of consecutive ones that are in the largest component, how many follow it
    TREES = 17  # number of a forest, place of the first key; keys, of each the place of the smallest one of its tree
    VERSION = 18  # number of a task, a hash of all edges that it sends
    PLACE = 16  # nothing: in front of the messages of a partition, where those to all partitions come in


def schema() -> Any:
    """The columns of messages in Arrow."""
    pa = arrow()
    return pa.schema([("to", pa.int32()), ("kind", pa.int8()), ("data", pa.binary())])


class Outbox:
    """The messages of one task, packed and counted."""

    def __init__(self, task: str) -> None:
        self._rows: list[tuple[int, int, int]] = []
        self.counters: dict[str, Any] = {"task": task}
        self._bytes: dict[str, int] = defaultdict(int)
        self._full: list[Any] = []
        self._size = 0
        self._data = np.empty(_LEAST, dtype=np.uint8)

    def send(self, kind: Kind, to: int | NDArray[Any], *columns: Column) -> None:
        """Rows of equally long columns to one task, or each to the task that `to` says."""
        if length(columns[0]) == 0:
            return
        if isinstance(to, int):
            self._send_all(kind, to, list(columns))
            return
        if int(to.max()) < 2**16:
            to = to.astype(np.uint16)  # which NumPy sorts by radix
        order = np.argsort(to, kind="stable")
        sorted_to = to[order]
        bounds = np.flatnonzero(np.diff(sorted_to)) + 1
        for begin, stop in zip([0, *bounds.tolist()], [*bounds.tolist(), len(order)], strict=True):
            rows = order[begin:stop]
            self._send_all(kind, int(sorted_to[begin]), [rows_of(column, rows) for column in columns])

    def _send_all(self, kind: Kind, to: int, columns: list[Column]) -> None:
        for begin in range(0, length(columns[0]), ROWS):
            self.forward(to, kind, *packed([rows_of(column, slice(begin, begin + ROWS)) for column in columns]))

    def forward(self, to: int, kind: Kind, *data: bytes) -> None:
        """A chunk as it is, in parts, to another task."""
        size = sum(map(len, data))
        if self._rows and self._size + size > _BATCH:
            self._seal()
        self._rows.append((to, int(kind), size))
        self._bytes[kind.name] += size
        if self._size + size > len(self._data):
            longer = np.empty(max(min(2 * len(self._data), _BATCH), self._size + size), dtype=np.uint8)
            longer[: self._size] = self._data[: self._size]
            self._data = longer
        for part in filter(len, data):
            self._data[self._size : self._size + len(part)] = np.frombuffer(part, np.uint8)
            self._size += len(part)

    def full(self) -> Iterator[Any]:
        """The batches that are full."""
        batches, self._full = self._full, []
        yield from batches

    def rest(self) -> Iterator[Any]:
        """The other messages, and the counters."""
        self.counters["bytes"] = dict(self._bytes)
        self.forward(-1, Kind.COUNTERS, json.dumps(self.counters).encode())
        self._seal()
        yield from self.full()

    def _seal(self) -> None:
        """The messages so far as a batch."""
        pa = arrow()
        to, kind, sizes = zip(*self._rows, strict=True)
        stops = np.cumsum([0, *sizes])
        if stops[-1] > _MOST:
            raise InputError(f"a message of {stops[-1]} bytes: a batch of Arrow holds {_MOST}")
        buffers = [None, pa.py_buffer(stops.astype(np.int32)), pa.py_buffer(self._data[: self._size])]
        columns = [column_of(np.array(to, np.int32)), column_of(np.array(kind, np.int8))]
        columns.append(pa.Array.from_buffers(pa.binary(), len(sizes), buffers))
        self._full.append(pa.record_batch(columns, schema=schema()))
        self._rows, self._data, self._size = [], np.empty(min(len(self._data), _BATCH), dtype=np.uint8), 0


class Inbox:
    """The messages to one task, by kind. Reading them twice is harmless, and so is a message that comes twice."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self._chunks: dict[int, list[Any]] = defaultdict(list)
        for kind, data in chunks(batches):
            self._chunks[kind].append(data)

    def columns(self, kind: Kind, *empty: Column) -> list[Any]:
        """The columns of all messages of a kind; `empty` where there are none."""
        parts = [unpack(data) for data in self._chunks.pop(int(kind), [])]
        if not parts:
            return list(empty)
        return [joined([part[i] for part in parts]) for i in range(len(parts[0]))]


def chunks(batches: Iterable[Any]) -> Iterator[tuple[int, memoryview]]:
    """The kind and the bytes of each message, where they are; a scalar of Arrow would be a copy."""
    for batch in batches:
        kinds, data = numbers_of(batch.column(1)).tolist(), batch.column(2)
        if kinds:
            _, offsets, buffer = data.buffers()
            kind = np.int64 if arrow().types.is_large_binary(data.type) else np.int32
            bounds = np.frombuffer(offsets, kind)[data.offset : data.offset + len(data) + 1].tolist()
            view = memoryview(buffer or b"")
            for code, begin, stop in zip(kinds, bounds[:-1], bounds[1:], strict=True):
                yield code, view[begin:stop]


def counters_of(data: Iterable[bytes]) -> list[dict[str, Any]]:
    """The counters of tasks, from what messages of that kind hold."""
    return [json.loads(one) for one in data]
