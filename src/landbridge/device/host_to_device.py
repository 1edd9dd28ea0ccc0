"""Edges in host memory to a device: pieces cross the interconnect while kernels work on the piece before them.

Only `PIECES` pieces are in the memory of the device, however many edges there are. The processors check and narrow
edges on their way into pinned memory, a buffer at a time; the interconnect carries the buffers before it, and kernels
read the piece before that; nothing is read back. Buffers are small, since what the processors have written should still
be in their cache when the interconnect reads it; pieces may be large, since each one costs launches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda
from landbridge.device.pinned import PinnedRing
from landbridge.errors import OutOfDeviceMemory

PIECES = 3
"""Pieces on the device: one that is copied there, one that kernels read, one between them."""
PIECE_BYTES = 16 << 20
"""Of one endpoint of each edge of a piece."""
BUFFERS = 4
"""Pinned buffers: one that is filled, one that is copied, two between them."""
BUFFER_BYTES = 32 << 20
"""Of both endpoints of the edges in a buffer."""
_ALIGNMENT = 512

Consumer = Callable[[Any, Any, int], None]
"""Takes both endpoints of a piece on the device, and the largest id in it; queues its work and returns."""


def no_memory_for(largest: int) -> OutOfDeviceMemory:
    """The error where vertices up to `largest` need more memory than the device has."""
    return OutOfDeviceMemory(f"the GPU has too little memory for all vertices up to {largest}")


class HostToDevice:
    """A pipeline of edges to the GPU of the current context.

    limit: ids are below it, None for no limit. threads: how many fill a piece. consume: called for each piece.
    piece_bytes: of one endpoint of each edge of a piece, `PIECE_BYTES` by default.
    One thread at a time may call. `close` waits until nothing reads the buffers any more, and gives them back.
    """

    def __init__(
        self, consume: Consumer, threads: int, limit: int | None = None, *, piece_bytes: int | None = None
    ) -> None:
        self.limit, self._step = limit, (piece_bytes or PIECE_BYTES) // 4
        self._consume, self._threads = consume, threads
        self._ring = PinnedRing(BUFFERS, own_stream=True)
        self._places = [_PieceMemory() for _ in range(PIECES)]
        self._next = 0

    def send(self, u: Any, v: Any) -> None:
        """Send the edges (u[i], v[i]), NumPy arrays of one native type. They may change when this returns.

        Raises CoreInputError for the first vertex at fault, OutOfDeviceMemory where no memory can hold all vertices up
        to the largest; edges before it may have been consumed then.
        """
        step = self._step
        for begin in range(0, len(u), step):
            piece = (u[begin : begin + step], v[begin : begin + step])
            if self._send_piece(piece, 4, u, v):
                continue
            for half in (slice(0, step // 2), slice(step // 2, step)):
                if len(piece[0][half]):
                    self._send_piece((piece[0][half], piece[1][half]), 8, u, v)

    def close(self) -> None:
        """Give the buffers and places back. Edges may be sent afterwards, in new ones."""
        self._ring.close()
        for place in self._places:
            place.close(self._ring.stream)

    def _send_piece(self, piece: tuple[Any, Any], width: int, u: Any, v: Any) -> bool:
        """Send a piece of u and v as ids of 4 or 8 bytes; False, with nothing consumed, where some need 8."""
        place, bound = self._place(len(piece[0]), width), self._bound(u)
        largest = self._copy(piece, place, width, min(bound, 256**width))
        if largest >= bound:
            self._refuse(u, v, bound, largest)
        fits: bool = largest < 256**width
        if fits:
            self._consume_piece(place, len(piece[0]), width, largest)
        return fits

    def _bound(self, ids: Any) -> int:
        largest: int = min(2**62, 2 ** (8 * ids.itemsize - (ids.dtype.kind == "i")))
        return largest if self.limit is None else min(largest, self.limit)

    def _refuse(self, u: Any, v: Any, bound: int, largest: int) -> None:
        if u.dtype.kind == "i":
            for endpoints in (u, v):
                _core.largest_id(endpoints, "edge", self._threads)
        if self.limit is None:
            raise no_memory_for(largest)
        for endpoints in (u, v):
            _core.check_range(endpoints, bound, "edge", self._threads)

    def _place(self, count: int, width: int) -> _PieceMemory:
        """Where the next piece goes. Copies that are queued from now on are behind the kernels that have read it."""
        place = self._places[self._next]
        self._next = (self._next + 1) % len(self._places)
        place.take(_second(count, width) + count * width, self._ring.stream)
        return place

    def _copy(self, piece: tuple[Any, Any], place: _PieceMemory, width: int, bound: int) -> int:
        """Copy a piece to its place, a buffer at a time; the largest id so far, after the first buffer with one not
        below the bound or after all."""
        count, dtype = len(piece[0]), f"u{width}"
        targets = [place.array(count, dtype, offset) for offset in (0, _second(count, width))]
        step = max(1, BUFFER_BYTES // (2 * width))
        largest = 0
        for begin in range(0, count, step):
            part = slice(begin, min(begin + step, count))
            size = part.stop - part.start
            buffer = self._ring.take(_second(size, width) + size * width)
            to_u, to_v = (buffer.host(size, dtype, offset) for offset in (0, _second(size, width)))
            copied = _core.copy_endpoints(piece[0][part], piece[1][part], to_u, to_v, self._threads)
            largest = max(largest, int(copied))
            if largest >= bound:
                break
            for host, target in zip((to_u, to_v), targets, strict=True):
                self._ring.copy_to_device(host, target[part])
            self._ring.copies_queued(buffer)
        return largest

    def _consume_piece(self, place: _PieceMemory, count: int, width: int, largest: int) -> None:
        here = cuda.cupy().cuda.get_current_stream()
        here.wait_event(self._ring.stream.record())
        u, v = (place.array(count, f"u{width}", offset) for offset in (0, _second(count, width)))
        try:
            self._consume(u, v, largest)
        finally:
            place.used = here.record()


class _PieceMemory:
    """Memory of the device for a piece. used: the event after which it may be written again."""

    def __init__(self) -> None:
        self.used: Any = None
        self._size = 0
        self._memory: Any = None

    def take(self, size: int, stream: Any) -> None:
        """Have so many bytes, which what is queued on a CUDA stream from now on may write."""
        if size > self._size:
            self.close(stream)
            larger = 1 << (size - 1).bit_length()
            self._memory, self._size = cuda.cupy().empty(larger, dtype=np.uint8), larger
            # What had this memory before may still be at work on it, on the CUDA stream that asked for it now.
            self.used = cuda.cupy().cuda.get_current_stream().record()
        if self.used is not None:
            stream.wait_event(self.used)

    def array(self, count: int, dtype: Any, offset: int) -> Any:
        """Elements from byte `offset` on."""
        size = count * np.dtype(dtype).itemsize
        return self._memory[offset : offset + size].view(dtype)

    def close(self, stream: Any) -> None:
        """Wait until nothing touches the memory, what is queued on this CUDA stream included, and give it back."""
        if self._memory is not None:
            stream.record().synchronize()
        if self.used is not None:
            self.used.synchronize()
        self.used, self._memory, self._size = None, None, 0


def _second(count: int, width: int) -> int:
    """Where the second endpoints stand in a buffer: aligned, so that kernels may read several at once."""
    return -(-count * width // _ALIGNMENT) * _ALIGNMENT
