"""Pieces on their way to a GPU: no buffer is filled, copied to or given back before its last contents have been used.

A double of CuPy delays every copy and every launch until it is waited for, as late as a device could run it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from landbridge._core import CoreInputError
from landbridge.device import cuda, host_to_device
from landbridge.device.host_to_device import HostToDevice
from landbridge.errors import OutOfDeviceMemory


class Event:
    def __init__(self, stream: Stream) -> None:
        self.stream, self.upto = stream, len(stream.queue)

    def synchronize(self) -> None:
        self.stream.run(self.upto)


class Stream:
    """Work in order, done when it is waited for; waiting for an event does what is queued before it."""

    def __init__(self, **_: Any) -> None:
        self.queue: list[Callable[[], Any]] = []
        self.done = 0

    def record(self) -> Event:
        return Event(self)

    def wait_event(self, event: Event) -> None:
        self.queue.append(event.synchronize)

    def run(self, upto: int) -> None:
        while self.done < upto:
            self.done += 1
            self.queue[self.done - 1]()

    def synchronize(self) -> None:
        self.run(len(self.queue))


class DeviceArray:
    def __init__(self, array: Any) -> None:
        self.array, self.data = array, self

    def __getitem__(self, where: slice) -> DeviceArray:
        return DeviceArray(self.array[where])

    def view(self, dtype: str) -> DeviceArray:
        return DeviceArray(self.array.view(dtype))

    def copy_from_host_async(self, address: int, size: int, stream: Stream) -> None:
        stream.queue.append(lambda: ctypes.memmove(self.array.ctypes.data, address, size))


class Consumer:
    """Edges as the device reads them, at the time when it does."""

    def __init__(self, here: Stream, quick: bool) -> None:
        self.here, self.quick = here, quick
        self.pieces: list[tuple[list[int], list[int], int, int]] = []

    def __call__(self, u: DeviceArray, v: DeviceArray, largest: int) -> None:
        def read() -> None:
            self.pieces.append((u.array.tolist(), v.array.tolist(), largest, u.array.itemsize))

        self.here.queue.append(read)
        if self.quick:  # this CUDA stream is never behind
            self.here.synchronize()


@pytest.fixture(params=[(False, 48), (False, 1024), (True, 48)], ids=["late", "late, whole pieces", "quick"])
def consumer(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Consumer]:
    here = Stream()
    module = SimpleNamespace(
        empty=lambda size, dtype: DeviceArray(np.zeros(size, dtype=dtype)),
        cuda=SimpleNamespace(
            Stream=Stream,
            get_current_stream=lambda: here,
            alloc_pinned_memory=bytearray,
            memory=SimpleNamespace(OutOfMemoryError=ZeroDivisionError),
            runtime=SimpleNamespace(CUDARuntimeError=ZeroDivisionError),
            driver=SimpleNamespace(CUDADriverError=ZeroDivisionError),
        ),
    )
    monkeypatch.setattr(cuda, "_module", lambda: module)
    quick, buffer = request.param
    monkeypatch.setattr(host_to_device, "PIECE_BYTES", 64)  # 16 edges per piece
    monkeypatch.setattr(host_to_device, "BUFFER_BYTES", buffer)  # 6 edges per buffer, 3 if they are wide; or all
    yield Consumer(here, quick)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("lengths", [(5,), (16, 16, 16, 16, 16), (1, 40, 3, 0, 200), (100, 7)])
def test_every_piece_arrives_as_it_was(dtype: str, lengths: tuple[int, ...], consumer: Consumer) -> None:
    rng = np.random.default_rng(1)
    pipeline, sent = (
        HostToDevice(consumer, 2, 1000),
        [rng.integers(0, 1000, (2, length)).astype(dtype) for length in lengths],
    )
    for u, v in sent:
        a, b = u.copy(), v.copy()
        pipeline.send(a, b)
        a[:] = b[:] = 0  # they belong to the caller again
    pipeline.close()
    u, v = np.concatenate(sent, axis=1)
    assert [x for part in consumer.pieces for x in part[0]] == u.tolist()
    assert [x for part in consumer.pieces for x in part[1]] == v.tolist()
    for a, b, largest, width in consumer.pieces:
        assert largest == max(*a, *b)
        assert width == 4


def test_ids_that_need_it_are_sent_wide(consumer: Consumer) -> None:
    u = np.arange(40, dtype=np.uint64)
    v = u.copy()
    v[20] = 2**33
    pipeline = HostToDevice(consumer, 1)
    pipeline.send(u, v)
    pipeline.close()
    assert [width for *_, width in consumer.pieces] == [4, 8, 8, 4]
    assert [x for part in consumer.pieces for x in part[1]] == v.tolist()


def test_a_far_id_behind_a_wide_one_is_named(consumer: Consumer) -> None:
    """The first says that ids need eight bytes, and is legal; the second, of a later buffer, is not."""
    u = np.zeros(40, dtype=np.int64)
    u[20], u[30] = 2**33, 2**40
    pipeline = HostToDevice(consumer, 1, 2**34)
    with pytest.raises(CoreInputError, match=f"^edge 30: vertex {2**40} is out of range for n = {2**34}$"):
        pipeline.send(u, np.zeros(40, dtype=np.int64))
    pipeline.close()


@pytest.mark.parametrize(
    ("dtype", "value", "problem"),
    [
        ("int64", -5, "edge 37: vertex -5 is negative"),
        ("int32", -5, "edge 37: vertex -5 is negative"),
        ("int64", 50, "edge 37: vertex 50 is out of range for n = 50"),
        ("uint64", 2**64 - 1, f"edge 37: vertex {2**64 - 1} is out of range for n = 50"),
    ],
)
def test_the_first_vertex_at_fault_is_named(dtype: str, value: int, problem: str, consumer: Consumer) -> None:
    u = np.zeros(60, dtype=dtype)
    u[37] = u[50] = value
    pipeline = HostToDevice(consumer, 1, 50)
    with pytest.raises(CoreInputError, match=f"^{problem}$"):
        pipeline.send(np.zeros(60, dtype=dtype), u)
    pipeline.close()
    assert [x for part in consumer.pieces for x in part[1]] == [0] * 32


@pytest.mark.parametrize(("dtype", "most"), [("int64", 2**62), ("uint64", 2**62), ("uint64", 2**64 - 1)])
def test_an_id_that_no_memory_holds_is_named(dtype: str, most: int, consumer: Consumer) -> None:
    u = np.zeros(60, dtype=dtype)
    u[37] = most
    pipeline = HostToDevice(consumer, 1)
    with pytest.raises(OutOfDeviceMemory, match=f"for all vertices up to {most}$"):
        pipeline.send(np.zeros(60, dtype=dtype), u)
    pipeline.close()
    assert [x for part in consumer.pieces for x in part[1]] == [0] * 32


def test_both_endpoints_of_a_piece_are_aligned(consumer: Consumer) -> None:
    """Kernels read four ids at once where these begin at a multiple of 16 bytes."""
    offsets = []
    pipeline = HostToDevice(lambda u, v, _: offsets.append((u.array.ctypes.data, v.array.ctypes.data)), 1)
    for count in (1, 3, 5, 16):
        pipeline.send(np.arange(count), np.arange(count))
    pipeline.close()
    assert all((v - u) % 512 == 0 for u, v in offsets)
