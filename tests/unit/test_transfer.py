"""Arrays pass through pinned buffers in turns: no buffer is filled again before the device has read it.

A substitute for CuPy delays every copy until an event behind it is waited for, as late as a device could run it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from landbridge.device import cuda, transfer


class Stream:
    """Copies in order, done when an event behind them is waited for."""

    def __init__(self) -> None:
        self.queue: list[Callable[[], None]] = []
        self.done = 0

    def add(self, work: Callable[[], None]) -> None:
        self.queue.append(work)

    def record(self) -> Any:
        upto = len(self.queue)
        return SimpleNamespace(synchronize=lambda: self.run(upto))

    def run(self, upto: int) -> None:
        for work in self.queue[self.done : upto]:
            work()
        self.done = max(self.done, upto)

    def synchronize(self) -> None:
        self.run(len(self.queue))


class Memory:
    """Where a device array's elements are."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def copy_from_host_async(self, address: int, size: int, stream: Stream) -> None:
        stream.add(lambda: ctypes.memmove(self.array.ctypes.data, address, size) and None)

    def copy_to_host_async(self, address: int, size: int, stream: Stream) -> None:
        stream.add(lambda: ctypes.memmove(address, self.array.ctypes.data, size) and None)


class DeviceArray:
    def __init__(self, array: Any) -> None:
        self.array, self.data = array, Memory(array)
        self.dtype, self.nbytes = array.dtype, array.nbytes

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, chunk: slice) -> DeviceArray:
        return DeviceArray(self.array[chunk])

    def get(self) -> Any:
        return self.array.copy()


class RuntimeFailure(RuntimeError):
    pass


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    stream, pinned = Stream(), set[int]()

    def attributes(address: int) -> Any:
        if not pinned:
            raise RuntimeFailure("cudaErrorInvalidValue: memory that CUDA has not registered")
        return SimpleNamespace(type=int(address in pinned))

    module = SimpleNamespace(
        empty=lambda size, dtype: DeviceArray(np.full(size, 77, dtype=dtype)),
        cuda=SimpleNamespace(
            get_current_stream=lambda: stream,
            alloc_pinned_memory=bytearray,
            runtime=SimpleNamespace(pointerGetAttributes=attributes, CUDARuntimeError=RuntimeFailure),
        ),
        stream=stream,
        pinned=pinned,
    )
    monkeypatch.setattr(cuda, "_module", lambda: module)
    monkeypatch.setattr(transfer, "CHUNK", 1 << 10)
    return module


@pytest.mark.parametrize("source", ["int32", "int64", "uint64"])
@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 5000])
def test_what_is_sent_arrives_before_the_arrays_may_change(device: Any, source: str, size: int) -> None:
    ids = np.random.default_rng(size).integers(0, 2**31, size).astype(source)
    pairs = np.arange(2 * size, dtype=np.int64).reshape(size, 2)
    arrays = (ids.copy(), pairs[:, 1], ids.copy())
    targets, largest = transfer.send(arrays, (np.int32, np.int32, np.int64), 2)
    for array in arrays:
        array[:] = 0
    assert device.stream.done == len(device.stream.queue)
    for array, expected in zip(targets, (ids, np.arange(1, 2 * size, 2), ids), strict=True):
        assert np.array_equal(array.array, expected)
    assert largest == (max(int(ids.max()), 2 * size - 1) if size else -1)


def test_pinned_memory_of_the_right_type_is_read_by_the_device(device: Any) -> None:
    ids = np.arange(5000, dtype=np.int32)
    device.pinned.add(ids.ctypes.data)
    (sent,), largest = transfer.send((ids,), (np.int32,), 2)
    assert np.array_equal(sent.array, ids)
    assert largest == -1
    assert len(device.stream.queue) == 1


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 5000, 5001])
def test_what_is_fetched_is_what_was_there(device: Any, dtype: str, size: int) -> None:
    values = np.random.default_rng(size).integers(0, 2**31, size).astype(dtype)
    got = transfer.fetch(DeviceArray(values), 2)
    assert got.dtype == values.dtype
    assert np.array_equal(got, values)
