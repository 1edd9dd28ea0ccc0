"""The ids of a stream: whole numbers with gaps, or names, and the vertex that each of them is."""

from __future__ import annotations

import os
import threading
import weakref
from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.frames import same_length
from landbridge.edges.id_columns import column_of_one, common, ids_of, is_one
from landbridge.edges.names import NameArray
from landbridge.edges.numbering import Numbering
from landbridge.edges.object_columns import Texts
from landbridge.edges.on_device import is_device_array
from landbridge.edges.place import Place, endpoint_places
from landbridge.edges.united import merged
from landbridge.errors import InputError
from landbridge.passes import slices
from landbridge.streams.form import NewIds

KINDS = ("sparse", "names")
FAR = 1 << 40
"""The vertex of an id that no edge has named, and FAR + 1 of another: no stream with ids has so many vertices."""

Column = NDArray[Any] | Texts


@dataclass(frozen=True, slots=True)
class Pairs:
    """Both endpoints of some operations, by id, and whether they were two ids and no arrays."""

    u: Column
    v: Column
    single: bool

    def __len__(self) -> int:
        return length(self.u)

    def rows(self, where: NDArray[Any]) -> Pairs:
        """Some of the operations."""
        return Pairs(_rows(self.u, where), _rows(self.v, where), False)

    def part(self, cut: slice) -> Pairs:
        """Operations that follow each other; without a copy of their ids."""
        if cut.start == 0 and cut.stop == len(self):
            return self
        return Pairs(_part(self.u, cut), _part(self.v, cut), False)


def length(column: Column) -> int:
    """How many ids a column has."""
    return len(column[0]) - 1 if isinstance(column, tuple) else len(column)


def _rows(column: Column, where: NDArray[Any]) -> Column:
    if isinstance(column, tuple):
        return gathered(column, where)
    some: NDArray[Any] = column[where]
    return some


def _part(column: Column, cut: slice) -> Column:
    if isinstance(column, tuple):
        bounds, data = column
        return bounds[cut.start : cut.stop + 1] - bounds[cut.start], data[bounds[cut.start] : bounds[cut.stop]]
    some: NDArray[Any] = column[cut]
    return some


def gathered(texts: Texts, where: NDArray[Any]) -> Texts:
    """Some of the texts, without making a str of each. O(their bytes)."""
    bounds, data = texts
    begins = bounds[:-1][where]
    lengths = bounds[1:][where] - begins
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    some = np.empty(int(offsets[-1]), dtype=np.uint8)
    for part in slices(len(lengths)):
        first, last = int(offsets[part.start]), int(offsets[part.stop])
        some[first:last] = data[np.repeat(begins[part] - offsets[part], lengths[part]) + np.arange(first, last)]
    return offsets, some


class StreamIds:
    """The ids of a stream in the order in which they turned up: row by row, u before v. That order is the vertices'.

    kind: "sparse" or "names". record_batches: whether to record which batch brought which ids (16 bytes per batch).
    lock: held during any call but `read`, and during an insert from before its ids are numbered until they are vertices
    of the trees. So while it is not held there are as many ids as vertices, unless a batch was interrupted: what that
    has left is removed by `drop_beyond`.
    """

    def __init__(self, kind: str, threads: int, record_batches: bool) -> None:
        self.kind = kind
        self._lock = threading.Lock()
        self._forked_from: int | None = None  # the process that forked this one while the lock was held
        _instances.add(self)
        self._threads = threads
        self._table = Numbering(threads, kind)
        # Of each batch the first number and the position, one behind the other: so both are recorded at one moment.
        self._batches: array[int] | None = array("q") if record_batches else None
        self._order: tuple[NDArray[Any], Any] = np.empty(0, dtype=np.int32), self._table.fresh(0)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def lock(self) -> threading.Lock:
        """Raises InputError in a process that was forked while it was held: its holder does not exist there."""
        if self._forked_from is not None:
            raise InputError(
                f"process {self._forked_from} forked this one while a call of this stream ran, which may be half done "
                "here: fork between calls, or save the stream and load it here"
            )
        return self._lock

    def forked(self) -> None:
        """To be called in the child."""
        # Not locked(), which is false for a thread that has the lock and waits for the interpreter's.
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._forked_from = os.getppid()
            self._lock = threading.Lock()

    # arguments of calls -----------------------------------------------------------------------------------------------

    def read(self, u: Any, v: Any, unit: str = "edge") -> Pairs:
        """Two ids, or two equally long columns of ids, or one of each: those of edges, queries or operations.

        Raises InputError naming the one at fault. unit: as for `landbridge.streams.operands.operands`.
        """
        single = [is_one(x) for x in (u, v)]
        places = endpoint_places(unit)
        if all(single):
            a, b = self.one(u, places[0]), self.one(v, places[1])
            if not isinstance(a, tuple) and not isinstance(b, tuple):
                a, b = common(a, b, places)
            return Pairs(a, b, True)
        if single[0]:
            b = self.column(v, places[1])
            a = self._repeated(u, length(b), places[0])
        elif single[1]:
            a = self.column(u, places[0])
            b = self._repeated(v, length(a), places[1])
        else:
            a, b = self.column(u, places[0]), self.column(v, places[1])
        same_length(length(a), length(b), places)
        if not isinstance(a, tuple) and not isinstance(b, tuple):
            a, b = common(a, b, places)
        return Pairs(a, b, False)

    def column(self, ids: Any, place: Place) -> Column:
        """A column of ids, as `landbridge.edges.id_columns.ids_of` takes it, of this stream's kind."""
        if is_device_array(ids):
            raise InputError("these ids are on a GPU; ids with gaps, and names, are numbered in host memory")
        column = ids_of(ids, place)
        if isinstance(column, tuple) == (self.kind == "names"):
            return column
        if length(column) == 0:
            return (np.zeros(1, np.int64), np.empty(0, np.uint8)) if self.kind == "names" else np.empty(0, np.int64)
        what = ("text", "whole numbers") if isinstance(column, tuple) else ("numbers", "names")
        raise place.error(f"holds {what[0]}, and the ids of this stream are {what[1]}")

    def one(self, x: Any, place: Place) -> Column:
        """A column of one id."""
        if self.kind == "names" and type(x) is str:
            try:
                data = np.frombuffer(x.encode(), np.uint8)
            except UnicodeEncodeError:
                raise place.error(f"= {x!r} is no text in UTF-8") from None
            return np.array((0, len(data))), data
        if self.kind == "sparse" and type(x) is int and -(2**63) <= x < 2**63:
            return np.array((x,))
        return self.column(column_of_one(x), place)

    def _repeated(self, x: Any, count: int, place: Place) -> Column:
        return _rows(self.one(x, place), np.zeros(count, dtype=np.int64))

    # the table --------------------------------------------------------------------------------------------------------

    def number(self, pairs: Pairs, position: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The vertices of both endpoints; new ids become the next vertices. position: that of the stream."""
        self._record_batch(position)
        return self._table.number_pairs(pairs.u, pairs.v)

    def refuse(self, pairs: Pairs) -> None:
        """Raise what numbering these ids would raise. For calls that are cut into batches."""
        self._table.refuse(pairs.u, pairs.v)

    def translated(self, ids: Any, position: int) -> NDArray[Any]:
        """The vertices of all ids of another stream, in the order of theirs."""
        self._record_batch(position)
        return self._table.number(ids)

    def _record_batch(self, position: int) -> None:
        """The ids that are numbered next come at that position."""
        if self._batches is None:
            return
        # Recorded before the ids, so that none is without. The entry of a batch without new ids is replaced.
        if len(self._batches) and self._batches[-2] == len(self):
            self._batches[-1] = position
        else:
            self._batches.extend((len(self), position))

    def find(self, column: Column) -> NDArray[Any]:
        """The vertices of ids, -1 for those that no edge has named."""
        numbers: NDArray[Any] = self._table.find(NameArray(*column) if isinstance(column, tuple) else column)
        return numbers

    def queried(self, pairs: Pairs) -> tuple[NDArray[Any], NDArray[Any]]:
        """The vertices of the endpoints of queries.

        An id that no edge has named has FAR; if both endpoints are such ids and differ, the other one has FAR + 1.
        """
        a, b = self.find(pairs.u), self.find(pairs.v)
        unnamed = (a < 0) | (b < 0)
        if not unnamed.any():
            return a, b
        a, b = a.astype(np.int64), b.astype(np.int64)
        both = np.flatnonzero((a < 0) & (b < 0))
        a[a < 0], b[b < 0] = FAR, FAR + 1
        if len(both):
            b[both[_equal(pairs.rows(both))]] = FAR
        return a, b

    def operations(self, pairs: Pairs, is_query: NDArray[Any], position: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The vertices of both endpoints of operations: inserts number new ids, queries do not."""
        queries = np.flatnonzero(is_query)
        if len(queries) == 0:
            return self.number(pairs, position)
        inserts = np.flatnonzero(is_query == 0)
        a, b = (np.empty(len(pairs), dtype=np.int64) for _ in range(2))
        a[inserts], b[inserts] = self.number(pairs.rows(inserts), position)
        a[queries], b[queries] = self.queried(pairs.rows(queries))
        return a, b

    def drop_beyond(self, vertices: int) -> None:
        """Remove the ids of an interrupted batch: those from number `vertices` on."""
        if len(self._table) > vertices:
            self._table.forget(vertices)

    def new(self, since: int, *, whole: bool = False) -> NewIds:
        """The ids from number `since` on. whole: with the record of the batches that brought them."""
        ids = self._table.fresh(since)
        if not whole or self._batches is None:
            return NewIds(since, ids)
        batches = np.array(self._batches, dtype=np.int64).reshape(-1, 2)
        return NewIds(since, ids, batches[:, 0], batches[:, 1])

    def load(self, new: NewIds, position: int) -> None:
        """Add the ids of a record, which was written at that position. Raises InputError for one that no stream has
        written."""
        if new.before != len(self):
            raise InputError(f"its ids begin at {new.before}, and {len(self)} are known")
        if self._batches is not None and len(new.ids):
            batches: Any = (new.before, position)
            if new.first is not None and new.at is not None:
                batches = np.stack((new.first, new.at), axis=1).ravel().tolist()
            self._batches.extend(batches)
        self._table.add(new.ids)

    # views ------------------------------------------------------------------------------------------------------------

    def count_at(self, position: int) -> int:
        """How many ids came with batches that began before that position."""
        batches = np.array(self._batches, dtype=np.int64).reshape(-1, 2)
        i = int(np.searchsorted(batches[:, 1], position))
        return int(batches[i, 0]) if i < len(batches) else len(self)

    def in_order(self, count: int) -> tuple[NDArray[Any], Any]:
        """The first `count` vertices in ascending order of their ids, numbers by value and names by their bytes; and
        these ids, int64 (uint64 if some need it) or names.

        The order is cached: ids that came since are sorted and merged with the others, O(n) without a sort of those.
        """
        ordered, more = len(self._order[0]), len(self) - len(self._order[0])
        if more:
            # Many at once are sorted with the others: a table of them alone would need memory of its own.
            order, ids = self._table.in_order() if more > ordered // 2 else self._merged_order(ordered)
            if self.kind == "sparse" and not (len(ids) and int(ids[-1]) >= 2**63):
                ids = ids.astype(np.int64, copy=False)
            self._order = order, ids
        order, ids = self._order
        if count < len(order):  # a moment that has passed
            where = np.flatnonzero(order < count)
            return order[where], NameArray(*gathered(ids.buffers, where)) if isinstance(ids, NameArray) else ids[where]
        return self._order

    def _merged_order(self, ordered: int) -> tuple[NDArray[Any], Any]:
        """The order of all ids, from that of the first `ordered`."""
        fresh = Numbering(self._threads, self.kind)
        fresh.add(self._table.fresh(ordered))
        (order, ids), (new_order, new_ids) = self._order, fresh.in_order()
        ids, old_places, new_places = merged(ids, new_ids, self._threads)
        both = np.empty(len(ids), dtype=np.int32)
        both[old_places], both[new_places] = order, new_order + np.int32(ordered)
        return both, ids


_instances: weakref.WeakSet[StreamIds] = weakref.WeakSet()


def _after_fork() -> None:
    for ids in list(_instances):
        ids.forked()


os.register_at_fork(after_in_child=_after_fork)


def _equal(pairs: Pairs) -> NDArray[np.bool_]:
    """Where both endpoints are the same id."""
    if not isinstance(pairs.u, tuple):
        equal: NDArray[np.bool_] = pairs.u == pairs.v
        return equal
    u, v = (NameArray(np.asarray(bounds), np.asarray(data)) for bounds, data in (pairs.u, pairs.v))
    return np.array([a == b for a, b in zip(u, v, strict=True)], dtype=bool)
