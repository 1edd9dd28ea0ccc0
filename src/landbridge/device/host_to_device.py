"""Edges in host memory to a device: pieces cross the interconnect while kernels work on the piece before them.

Only `PIECES` pieces are in the memory of the device, however many edges there are. The processors check and narrow a
piece on its way into pinned memory, the interconnect carries the one before it, and kernels read the one before that;
nothing is read back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from landbridge import _core
from landbridge.device.pinned import PinnedRing
from landbridge.errors import OutOfDeviceMemory

PIECES = 3
"""Pieces under way: one that is filled, one that is copied, one that kernels read."""
PIECE_BYTES = 16 << 20
"""Of one endpoint of each edge of a piece."""
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
        self._ring = PinnedRing(PIECES, mirrored=True)

    def send(self, u: Any, v: Any) -> None:
        """Send the edges (u[i], v[i]), NumPy arrays of one native type. They may change when this returns.

        Raises CoreInputError for the first vertex at fault, OutOfDeviceMemory where no memory can hold all vertices up
        to the largest; edges before it may have been consumed then.
        """
        step = self._step
        for begin in range(0, len(u), step):
            piece = (u[begin : begin + step], v[begin : begin + step])
            if self._send_narrow(piece, self._bound(u), u, v):
                continue
            for half in (slice(0, step // 2), slice(step // 2, step)):
                if len(piece[0][half]):
                    self._upload(*self._fill((piece[0][half], piece[1][half]), 8))

    def close(self) -> None:
        """Give the buffers back. Edges may be sent afterwards, in new ones."""
        self._ring.close()

    def _send_narrow(self, piece: tuple[Any, Any], bound: int, u: Any, v: Any) -> bool:
        """Send a piece as 32-bit ids; False, with nothing sent, where some need 64."""
        buffer, count, width, largest = self._fill(piece, 4)
        if largest >= bound:
            self._refuse(u, v, bound, largest)
        if largest >= 2**32:
            return False
        self._upload(buffer, count, width, largest)
        return True

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

    def _fill(self, piece: tuple[Any, Any], width: int) -> tuple[Any, int, int, int]:
        """The next buffer with a piece in it, its number of edges, the bytes of an id, and the largest id."""
        count = len(piece[0])
        buffer = self._ring.take(_second(count, width) + count * width)
        largest = 0
        for endpoints, offset in zip(piece, (0, _second(count, width)), strict=True):
            largest = max(
                largest, int(_core.copy_ids(endpoints, buffer.host(count, f"u{width}", offset), self._threads))
            )
        return buffer, count, width, largest

    def _upload(self, buffer: Any, count: int, width: int, largest: int) -> None:
        parts = ((count, f"u{width}", offset) for offset in (0, _second(count, width)))
        u, v = self._ring.upload(buffer, *parts)
        try:
            self._consume(u, v, largest)
        finally:
            self._ring.release(buffer)


def _second(count: int, width: int) -> int:
    """Where the second endpoints stand in a buffer: aligned, so that kernels may read several at once."""
    return -(-count * width // _ALIGNMENT) * _ALIGNMENT
