"""Between NumPy's memory and a GPU, at the speed of the link.

A GPU reads pageable memory at a fraction of that speed. So arrays pass through pinned buffers: while the device reads
one, the processors fill the next, and make ids as narrow as they may be on the way (`_core.copy_ids`). A link that
moves 55 GB/s then takes 64-bit ids at up to twice that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda

CHUNK = 16 << 20
"""Bytes of one pinned buffer."""
RING = 3
"""Buffers: one that the device reads, one that is filled, one between them."""
_PINNED = 1  # cudaMemoryTypeHost


class _Ring:
    """Pinned buffers in turns. A buffer is given again when the device is done with it."""

    def __init__(self, threads: int) -> None:
        self.cupy, self.threads = cuda.cupy(), threads
        self.stream = self.cupy.cuda.get_current_stream()
        # CuPy keeps pinned memory for the next time: making it costs as much as a large copy.
        self._buffers = [self.cupy.cuda.alloc_pinned_memory(CHUNK) for _ in range(RING)]
        self._done: list[Any] = [None] * RING
        self._next = 0

    def buffer(self, count: int, dtype: Any) -> tuple[int, Any]:
        """A buffer's number, and `count` elements of it that nobody reads any more."""
        at, self._next = self._next, (self._next + 1) % RING
        self.wait(at)
        return at, np.frombuffer(self._buffers[at], dtype, count)

    def record(self, at: int) -> None:
        """What was put on the stream uses this buffer."""
        self._done[at] = self.stream.record()

    def wait(self, at: int) -> None:
        if self._done[at] is not None:
            self._done[at].synchronize()
            self._done[at] = None

    def drain(self) -> None:
        for at in range(RING):
            self.wait(at)


@contextmanager
def _ring(threads: int) -> Iterator[_Ring]:
    ring = _Ring(threads)
    try:
        yield ring
    finally:
        ring.drain()  # the buffers go back to the pool: nothing may still read them


def _is_pinned(cupy: Any, array: Any) -> bool:
    try:
        return bool(cupy.cuda.runtime.pointerGetAttributes(array.ctypes.data).type == _PINNED)
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


def _chunks(size: int, itemsize: int) -> Iterator[slice]:
    step = CHUNK // itemsize
    for begin in range(0, size, step):
        yield slice(begin, min(begin + step, size))


def send(arrays: tuple[Any, ...], dtypes: tuple[Any, ...], threads: int) -> tuple[list[Any], int]:
    """NumPy arrays of 32- or 64-bit integers as CuPy arrays of the given types, on the current stream.

    Also returns the largest element as unsigned; -1 where nobody had to look, because an array was in pinned memory
    already and of the right type: the device then reads it by itself. Returns when the arrays may change again.
    """
    cupy = cuda.cupy()
    sent, largest = [], -1
    with _ring(threads) as ring:
        for array, wanted in zip(arrays, dtypes, strict=True):
            dtype = np.dtype(wanted)
            target = cupy.empty(len(array), dtype=dtype)
            sent.append(target)
            if len(array) == 0:
                continue
            if array.itemsize == dtype.itemsize and array.flags.c_contiguous and _is_pinned(cupy, array):
                target.data.copy_from_host_async(array.ctypes.data, array.nbytes, ring.stream)
                ring.stream.synchronize()
                continue
            for chunk in _chunks(len(array), dtype.itemsize):
                at, buffer = ring.buffer(chunk.stop - chunk.start, dtype)
                largest = max(largest, _core.copy_ids(array[chunk], buffer, threads))
                target[chunk].data.copy_from_host_async(buffer.ctypes.data, buffer.nbytes, ring.stream)
                ring.record(at)
    return sent, largest


def fetch(array: Any, threads: int) -> Any:
    """A contiguous CuPy array of 32- or 64-bit integers as a NumPy array. Waits for the current stream."""
    size, dtype = len(array), array.dtype
    if array.nbytes < CHUNK // 16:
        return array.get()
    result = (_core.empty_wide_ids(size) if dtype.itemsize == 8 else _core.empty_ids(size)).view(dtype)
    with _ring(threads) as ring:
        waiting: list[tuple[slice, int, Any]] = []
        for chunk in _chunks(size, dtype.itemsize):
            if len(waiting) == RING - 1:
                _take(ring, result, waiting.pop(0))
            at, buffer = ring.buffer(chunk.stop - chunk.start, dtype)
            array[chunk].data.copy_to_host_async(buffer.ctypes.data, buffer.nbytes, ring.stream)
            ring.record(at)
            waiting.append((chunk, at, buffer))
        for each in waiting:
            _take(ring, result, each)
    return result


def _take(ring: _Ring, result: Any, waiting: tuple[slice, int, Any]) -> None:
    chunk, at, buffer = waiting
    ring.wait(at)
    _core.copy_ids(buffer, result[chunk], ring.threads)
