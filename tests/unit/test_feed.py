"""Pieces on their way to a GPU: nothing is filled, carried or given back before what was there has been used.

A stand-in for CuPy puts every copy and every launch off until somebody waits for it, as late as a device could do it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from landbridge._core import CoreInputError
from landbridge.device import cuda
from landbridge.engine import feed
from landbridge.engine.feed import Feed
from landbridge.engine.stream import Look
from landbridge.errors import OutOfDeviceMemory


class Event:
    def __init__(self, stream: Stream) -> None:
        self.stream, self.upto = stream, len(stream.queue)

    def synchronize(self) -> None:
        self.stream.run(self.upto)


class Stream:
    """Work in order, done when somebody waits for it; waiting for an event does what that stands behind."""

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


class Trees:
    """Edges as the device sees them when it comes to them."""

    def __init__(self, here: Stream, quick: bool) -> None:
        self.here, self.quick = here, quick
        self.seen: list[tuple[list[int], list[int], int, int]] = []

    def insert_known(self, u: DeviceArray, v: DeviceArray, look: Look) -> None:
        def see() -> None:
            self.seen.append((u.array.tolist(), v.array.tolist(), look.vertices, u.array.itemsize))

        self.here.queue.append(see)
        if self.quick:  # this stream is never behind
            self.here.synchronize()


@pytest.fixture(params=[False, True], ids=["late", "quick"])
def trees(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Trees]:
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
    monkeypatch.setattr(feed, "CHUNK", 64)  # 16 edges a piece
    yield Trees(here, request.param)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("lengths", [(5,), (16, 16, 16, 16, 16), (1, 40, 3, 0, 200), (100, 7)])
def test_every_piece_arrives_as_it_was(dtype: str, lengths: tuple[int, ...], trees: Trees) -> None:
    rng = np.random.default_rng(1)
    way, sent = Feed(trees, 1000, 2), [rng.integers(0, 1000, (2, length)).astype(dtype) for length in lengths]
    for u, v in sent:
        mine, yours = u.copy(), v.copy()
        way.insert(mine, yours)
        mine[:] = yours[:] = 0  # they are the caller's again
    way.close()
    u, v = np.concatenate(sent, axis=1)
    assert [x for part in trees.seen for x in part[0]] == u.tolist()
    assert [x for part in trees.seen for x in part[1]] == v.tolist()
    for a, b, vertices, width in trees.seen:
        assert vertices == max(*a, *b) + 1
        assert width == 4


def test_ids_that_need_it_are_sent_wide(trees: Trees) -> None:
    u = np.arange(40, dtype=np.uint64)
    v = u.copy()
    v[20] = 2**33
    way = Feed(trees, None, 1)
    way.insert(u, v)
    way.close()
    assert [width for *_, width in trees.seen] == [4, 8, 8, 4]
    assert [x for part in trees.seen for x in part[1]] == v.tolist()


@pytest.mark.parametrize(
    ("dtype", "value", "problem"),
    [
        ("int64", -5, "edge 37: vertex -5 is negative"),
        ("int32", -5, "edge 37: vertex -5 is negative"),
        ("int64", 50, "edge 37: vertex 50 is out of range for n = 50"),
        ("uint64", 2**64 - 1, f"edge 37: vertex {2**64 - 1} is out of range for n = 50"),
    ],
)
def test_the_first_vertex_at_fault_is_named(dtype: str, value: int, problem: str, trees: Trees) -> None:
    u = np.zeros(60, dtype=dtype)
    u[37] = u[50] = value
    way = Feed(trees, 50, 1)
    with pytest.raises(CoreInputError, match=f"^{problem}$"):
        way.insert(np.zeros(60, dtype=dtype), u)
    way.close()
    assert [x for part in trees.seen for x in part[1]] == [0] * 32


@pytest.mark.parametrize(("dtype", "most"), [("int64", 2**62), ("uint64", 2**62), ("uint64", 2**64 - 1)])
def test_an_id_that_no_memory_holds_is_named(dtype: str, most: int, trees: Trees) -> None:
    u = np.zeros(60, dtype=dtype)
    u[37] = most
    way = Feed(trees, None, 1)
    with pytest.raises(OutOfDeviceMemory, match=f"for all vertices up to {most}$"):
        way.insert(np.zeros(60, dtype=dtype), u)
    way.close()
    assert [x for part in trees.seen for x in part[1]] == [0] * 32
