"""Pinned buffers in turns: nothing is written again before what reads it has run.

A substitute for CuPy puts copies and kernels off until an event after them is waited for, as late as a device could.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from landbridge.device import cuda
from landbridge.device.pinned import PinnedRing


class Stream:
    """Work in order, done when an event behind it is waited for."""

    def __init__(self, **_: Any) -> None:
        self.queue: list[Callable[[], None]] = []
        self.done = 0

    def record(self) -> Any:
        end = len(self.queue)
        return SimpleNamespace(synchronize=lambda: self.run(end))

    def wait_event(self, event: Any) -> None:
        self.queue.append(event.synchronize)

    def run(self, end: int) -> None:
        while self.done < end:
            work = self.queue[self.done]
            self.done += 1
            work()


class Memory:
    def __init__(self, array: Any) -> None:
        self.array = array

    def copy_from_host_async(self, address: int, size: int, stream: Stream) -> None:
        stream.queue.append(lambda: ctypes.memmove(self.array.ctypes.data, address, size) and None)


class DeviceArray:
    def __init__(self, array: Any) -> None:
        self.array, self.data = array, Memory(array)

    def __getitem__(self, part: slice) -> DeviceArray:
        return DeviceArray(self.array[part])

    def view(self, dtype: Any) -> DeviceArray:
        return DeviceArray(self.array.view(dtype))


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Stream:
    stream = Stream()
    module = SimpleNamespace(
        empty=lambda size, dtype: DeviceArray(np.full(size, 77, dtype)),
        cuda=SimpleNamespace(Stream=Stream, get_current_stream=lambda: stream, alloc_pinned_memory=bytearray),
    )
    monkeypatch.setattr(cuda, "_module", lambda: module)
    return stream


@pytest.mark.parametrize("buffers", [1, 2, 3])
@pytest.mark.parametrize("rounds", [0, 1, 2, 7])
def test_every_kernel_finds_its_own_data(buffers: int, rounds: int, here: Stream) -> None:
    read: list[tuple[int, ...]] = []
    with PinnedRing(buffers, mirrored=True) as ring:
        for turn in range(rounds):
            size = 3 + 5 * (turn % 4)
            buffer = ring.take(12 * size)
            buffer.host(size, np.uint64)[:] = turn
            buffer.host(size, np.uint32, 8 * size)[:] = turn + 100
            wide, narrow = ring.upload(buffer, (size, np.uint64, 0), (size, np.uint32, 8 * size))

            def kernel(wide: Any = wide, narrow: Any = narrow) -> None:
                read.append((*set(wide.array.tolist()), *set(narrow.array.tolist())))

            here.queue.append(kernel)
            ring.release(buffer)
    # All buffers are free: whatever reads them has run.
    assert read == [(turn, turn + 100) for turn in range(rounds)]


def test_a_mirror_is_written_after_an_event_of_the_caller(here: Stream) -> None:
    ring = PinnedRing(1, mirrored=True)
    read: list[int] = []
    for turn in range(3):
        buffer = ring.take(8)
        buffer.host(1, np.uint64)[:] = turn
        (array,) = ring.upload(buffer, (1, np.uint64, 0))
        here.queue.append(lambda array=array: read.append(int(array.array[0])))
        ring.release(buffer, here.record())
    ring.close()
    assert read == [0, 1, 2]


def test_buffers_grow_and_are_kept(here: Stream) -> None:
    ring = PinnedRing(2)
    first, second = ring.take(10), ring.take(1000)
    assert (first.size, second.size) == (16, 1024)
    assert ring.take(16) is first
    assert ring.take(100) is second
    assert (first.size, second.size) == (16, 1024)
    ring.close()
    assert ring.take(1) is not first
