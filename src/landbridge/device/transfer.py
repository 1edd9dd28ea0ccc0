"""Between NumPy's memory and a GPU, at the speed of the interconnect.

A GPU reads pageable memory at a fraction of that speed. So arrays pass through pinned buffers: while the device reads
one, the processors fill the next, and make ids as narrow as they may be on the way (`_core.copy_ids`). An interconnect
that moves 55 GB/s then takes 64-bit ids at up to twice that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda
from landbridge.device.pinned import PinnedBuffer, PinnedRing

CHUNK, LARGE_CHUNK = 16 << 20, 32 << 20
"""Bytes of one pinned buffer, and of one where more than `LARGE` bytes are sent. All buffers together should fit the
processors' cache, and waking all threads should take little of the time of a chunk."""
LARGE = 1 << 30
RING = 4
"""Buffers: one that the device reads, one that is filled, two between them."""
_PINNED = 1  # cudaMemoryTypeHost


def _is_pinned(cupy: Any, array: Any) -> bool:
    try:
        return bool(cupy.cuda.runtime.pointerGetAttributes(array.ctypes.data).type == _PINNED)
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


def _chunks(size: int, itemsize: int, chunk_bytes: int) -> Iterator[slice]:
    step = chunk_bytes // itemsize
    for begin in range(0, size, step):
        yield slice(begin, min(begin + step, size))


def send(arrays: tuple[Any, ...], dtypes: tuple[Any, ...], threads: int) -> tuple[list[Any], int]:
    """NumPy arrays of 32- or 64-bit integers as CuPy arrays of these types, on the current CUDA stream.

    Also returns the largest element as unsigned; -1 where no element was read here, because all arrays were in pinned
    memory and of the right type: the device then reads them by itself. Returns when the arrays may change again.
    """
    cupy = cuda.cupy()
    targets, largest = [], -1
    sent = sum(len(array) * np.dtype(dtype).itemsize for array, dtype in zip(arrays, dtypes, strict=True))
    chunk_bytes = LARGE_CHUNK if sent > LARGE else CHUNK
    with PinnedRing(RING) as ring:
        for array, dtype in zip(arrays, map(np.dtype, dtypes), strict=True):
            target = cupy.empty(len(array), dtype=dtype)
            targets.append(target)
            if len(array) == 0:
                continue
            if array.itemsize == dtype.itemsize and array.flags.c_contiguous and _is_pinned(cupy, array):
                ring.copy_to_device(array, target)
                ring.stream.synchronize()
                continue
            for chunk in _chunks(len(array), dtype.itemsize, chunk_bytes):
                buffer = ring.take(chunk_bytes)
                host = buffer.host(chunk.stop - chunk.start, dtype)
                largest = max(largest, _core.copy_ids(array[chunk], host, threads))
                ring.copy_to_device(host, target[chunk])
                ring.copies_queued(buffer)
    return targets, largest


def fetch(array: Any, threads: int) -> Any:
    """A contiguous CuPy array of 32- or 64-bit integers as a NumPy array. Waits for the current CUDA stream."""
    size, dtype = len(array), array.dtype
    if array.nbytes < CHUNK // 16:
        return array.get()
    result = (_core.empty_wide_ids(size) if dtype.itemsize == 8 else _core.empty_ids(size)).view(dtype)
    queued: deque[tuple[slice, PinnedBuffer]] = deque()

    def copy_first() -> None:
        chunk, buffer = queued.popleft()
        buffer.wait()
        _core.copy_ids(buffer.host(chunk.stop - chunk.start, dtype), result[chunk], threads)

    with PinnedRing(RING) as ring:
        for chunk in _chunks(size, dtype.itemsize, CHUNK):
            if len(queued) == RING - 1:
                copy_first()
            buffer = ring.take(CHUNK)
            ring.copy_to_host(array[chunk], buffer.host(chunk.stop - chunk.start, dtype))
            ring.copies_queued(buffer)
            queued.append((chunk, buffer))
        while queued:
            copy_first()
    return result
