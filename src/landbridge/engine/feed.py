"""Edges in host memory to the trees of a GPU: pieces cross the link while the piece before them is inserted.

Beside the trees only `SLOTS` pieces are in the memory of the device, however many edges there are. The processors check
and narrow a piece on its way into pinned memory, the link carries the one before, and the device inserts the one before
that; nothing is read back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda
from landbridge.device.transfer import CHUNK
from landbridge.engine.stream import DeviceTrees, Look, no_room
from landbridge.result import IdArray

SLOTS = 3
"""Pieces under way: one that is filled, one that is carried, one that is inserted."""


class _Slot:
    """Room for both ends of a piece, pinned and on the device.

    carried: what the link has done when the device has the piece. taken: what the device has done when it is inserted.
    """

    def __init__(self) -> None:
        self.size = 0
        self.pinned: Any = None
        self.there: Any = None
        self.carried: Any = None
        self.taken: Any = None


class Feed:
    """Inserts edges of host memory into trees on the GPU of the current context.

    limit: vertices are below it, None for no limit. threads: how many fill a piece.
    One thread at a time may call. `close` waits until nothing reads the buffers any more, and gives them back.
    """

    def __init__(self, trees: DeviceTrees, limit: int | None, threads: int) -> None:
        self._trees, self._limit, self._threads = trees, limit, threads
        self._link = cuda.cupy().cuda.Stream(non_blocking=True)
        self._slots = [_Slot() for _ in range(SLOTS)]
        self._next = 0

    def insert(self, u: IdArray, v: IdArray) -> None:
        """Insert the edges (u[i], v[i]), NumPy arrays of one native type. They may change when this returns.

        Raises CoreInputError for the first vertex at fault, OutOfDeviceMemory where its memory cannot hold all vertices
        up to the largest; edges before it may have been inserted then.
        """
        with cuda.errors("inserting edges"):
            step = CHUNK // 4
            for begin in range(0, len(u), step):
                ends = (u[begin : begin + step], v[begin : begin + step])
                largest = self._send(ends, 4)
                if largest >= self._bound(u):
                    self._refuse(u, v, largest)
                if largest < 2**32:
                    self._insert(len(ends[0]), 4, largest)
                    continue
                for half in (slice(0, step // 2), slice(step // 2, step)):
                    if len(ends[0][half]):
                        largest = self._send((ends[0][half], ends[1][half]), 8)
                        self._insert(len(ends[0][half]), 8, largest)

    def close(self) -> None:
        """Give the buffers back. The trees go on without them."""
        with cuda.errors("inserting edges"):
            self._link.synchronize()
            for slot in self._slots:
                if slot.taken is not None:
                    slot.taken.synchronize()
            self._slots = []

    def _bound(self, ids: IdArray) -> int:
        known: int = min(2**62, 2 ** (8 * ids.itemsize - (ids.dtype.kind == "i")))
        return known if self._limit is None else min(known, self._limit)

    def _refuse(self, u: IdArray, v: IdArray, largest: int) -> None:
        if u.dtype.kind == "i":
            for ends in (u, v):
                _core.largest_id(ends, "edge", self._threads)
        if self._limit is None:
            raise no_room(largest)
        for ends in (u, v):
            _core.check_range(ends, self._bound(u), "edge", self._threads)

    def _send(self, ends: tuple[IdArray, IdArray], width: int) -> int:
        """Fill the pinned half of the next slot; the largest id as unsigned."""
        slot, bytes_ = self._slots[self._next], len(ends[0]) * width
        if slot.carried is not None:
            slot.carried.synchronize()
        if bytes_ > slot.size:
            self._make(slot, bytes_)
        largest = 0
        for where, ids in enumerate(ends):
            buffer = np.frombuffer(slot.pinned, f"u{width}", len(ids), where * slot.size)
            largest = max(largest, int(_core.copy_ids(ids, buffer, self._threads)))
        return largest

    def _make(self, slot: _Slot, bytes_: int) -> None:
        cupy = cuda.cupy()
        if slot.taken is not None:
            slot.taken.synchronize()
        size = 1 << (bytes_ - 1).bit_length()
        slot.pinned, slot.there = cupy.cuda.alloc_pinned_memory(2 * size), cupy.empty(2 * size, dtype=np.uint8)
        slot.size = size
        # What had this memory before may still be at work on it, on the stream that asked for it now.
        slot.taken = cupy.cuda.get_current_stream().record()

    def _insert(self, count: int, width: int, largest: int) -> None:
        """Carry what the next slot holds to the device, and insert it there."""
        slot = self._slots[self._next]
        self._next = (self._next + 1) % SLOTS
        here = cuda.cupy().cuda.get_current_stream()
        self._link.wait_event(slot.taken)
        ends = []
        for where in range(2):
            begin, size = where * slot.size, count * width
            there = slot.there[begin : begin + size].view(f"u{width}")
            pinned = np.frombuffer(slot.pinned, np.uint8, size, begin)
            there.data.copy_from_host_async(pinned.ctypes.data, size, self._link)
            ends.append(there)
        slot.carried = self._link.record()
        here.wait_event(slot.carried)
        self._trees.insert_known(ends[0], ends[1], Look(largest + 1))
        slot.taken = here.record()
