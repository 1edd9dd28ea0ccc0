"""Edges in the memory of GPUs to the trees of one of them, piece after piece."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from landbridge.device import cuda

_PLACES = 2
"""Pieces under way: one that is copied and checked, one that kernels unite."""
_SECOND = 512
"""Second endpoints are aligned to so many bytes, so that kernels may read several at once."""

Check = Callable[[Any, Any], Any]
"""Takes both endpoints of a piece, waits for the current CUDA stream, and returns facts."""
Consumer = Callable[[Any, Any, Any], None]
"""Takes both endpoints and the facts, queues its work on the current CUDA stream and returns."""


class _Place:
    """Where a piece of another GPU is copied to. done: the event after which it may be written again."""

    def __init__(self) -> None:
        self.done: Any = None
        self._memory: Any = None

    def wait(self) -> None:
        """Until kernels have read what was here."""
        if self.done is not None:
            self.done.synchronize()
            self.done = None

    def copied(self, arrays: tuple[Any, Any], stream: Any) -> tuple[Any, Any]:
        """Copies on the current GPU, queued on a CUDA stream."""
        cupy = cuda.cupy()
        sizes = [-(-array.nbytes // _SECOND) * _SECOND for array in arrays]
        if self._memory is None or self._memory.nbytes < sum(sizes):
            self._memory = cupy.empty(sum(sizes), dtype=np.uint8)
            # What had this memory before may still be at work on it, on the CUDA stream that asked for it now.
            stream.wait_event(cupy.cuda.get_current_stream().record())
        targets = []
        for array, begin in zip(arrays, (0, sizes[0]), strict=True):
            target = self._memory[begin : begin + array.nbytes].view(array.dtype)
            target.data.copy_from_device_async(array.data, array.nbytes, stream)
            targets.append(target)
        return targets[0], targets[1]


class Feed:
    """Pieces for one GPU, which is CuPy's current one in every call. While kernels unite a piece, the next one is
    copied, where it is in the memory of another GPU, and checked, on a CUDA stream of its own.

    One thread at a time may call. `close` waits until nothing reads the pieces any more. stream: on which pieces are
    checked.
    """

    def __init__(self, ordinal: int, check: Check, consume: Consumer) -> None:
        self._ordinal, self._check, self._consume = ordinal, check, consume
        self.stream = _stream_ahead()
        self._places = [_Place() for _ in range(_PLACES)]
        self._next = 0

    def send(self, u: Any, v: Any, ready: Any) -> None:
        """Send the edges (u[i], v[i]) of any GPU. ready: the event after which they may be read."""
        if len(u) == 0:
            return
        place = self._places[self._next]
        self._next = (self._next + 1) % _PLACES
        place.wait()
        if ready is not None:
            self.stream.wait_event(ready)
        if any(array.data.device_id != self._ordinal for array in (u, v)):
            u, v = place.copied((_contiguous(u, ready), _contiguous(v, ready)), self.stream)
        with self.stream:
            facts = self._check(u, v)  # waits for the copy, too
        self._consume(u, v, facts)
        place.done = cuda.cupy().cuda.get_current_stream().record()

    def close(self) -> None:
        """Wait, and give the memory back. Pieces may be sent afterwards."""
        for place in self._places:
            place.wait()
        self._places = [_Place() for _ in range(_PLACES)]


def _stream_ahead() -> Any:
    """A CUDA stream whose kernels do not wait until those of others have no block left to begin."""
    stream = cuda.cupy().cuda.Stream
    try:
        return stream(non_blocking=True, priority=-1)
    except TypeError:  # CuPy before 13 has no priorities
        return stream(non_blocking=True)


def _contiguous(array: Any, ready: Any) -> Any:
    """The array, or a copy beside it whose elements are neighbors. Waits for the copy."""
    if array.flags.c_contiguous:
        return array
    with array.device:
        here = cuda.cupy().cuda.get_current_stream()
        if ready is not None:
            here.wait_event(ready)
        copy = cuda.cupy().ascontiguousarray(array)
        here.synchronize()
    return copy
