"""Pieces of edges on GPUs: none is overwritten before kernels have read it, and each is read behind its event.

A double of CuPy delays every copy and every launch until it is waited for, as late as a device could run it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.device import cuda
from landbridge.engine.parts.feed import Feed


class Stream:
    """Work in order, done when it is waited for. An event is a number of steps of a stream."""

    current: ClassVar[list[Stream]] = []

    def __init__(self, **_: Any) -> None:
        self.queue: list[Callable[[], Any]] = []
        self.done = 0

    def record(self) -> Any:
        upto = len(self.queue)
        return SimpleNamespace(synchronize=lambda: self.run(upto))

    def wait_event(self, event: Any) -> None:
        self.queue.append(event.synchronize)

    def run(self, upto: int) -> None:
        while self.done < upto:
            self.done += 1
            self.queue[self.done - 1]()

    def synchronize(self) -> None:
        self.run(len(self.queue))

    def __enter__(self) -> None:
        Stream.current.append(self)

    def __exit__(self, *_: object) -> None:
        Stream.current.pop()


class DeviceArray:
    """An array of a GPU of this number."""

    def __init__(self, array: Any, device_id: int) -> None:
        self.array, self.device_id, self.data = array, device_id, self
        self.nbytes, self.dtype, self.flags = array.nbytes, array.dtype, array.flags

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, where: slice) -> DeviceArray:
        return DeviceArray(self.array[where], self.device_id)

    def view(self, dtype: Any) -> DeviceArray:
        return DeviceArray(self.array.view(dtype), self.device_id)

    def copy_from_device_async(self, source: DeviceArray, size: int, stream: Stream) -> None:
        assert size == self.nbytes == source.nbytes
        stream.queue.append(lambda: np.copyto(self.array, source.array))


pieces = st.lists(st.tuples(st.integers(0, 40), st.sampled_from([0, 1])), max_size=8)


@given(pieces, st.booleans())
@settings(max_examples=40)
def test_kernels_read_the_pieces_that_were_sent(sizes: list[tuple[int, int]], quick: bool) -> None:
    here, home = Stream(), Stream()
    read: list[tuple[list[int], list[int]]] = []
    module = SimpleNamespace(
        empty=lambda size, dtype: DeviceArray(np.full(size, 99, dtype), 0),
        cuda=SimpleNamespace(Stream=Stream, get_current_stream=lambda: (Stream.current or [here])[-1]),
    )

    def check(u: DeviceArray, v: DeviceArray) -> int:
        Stream.current[-1].synchronize()  # a check reads its report back
        return int(u.array.sum() + v.array.sum())

    def consume(u: DeviceArray, v: DeviceArray, total: int) -> None:
        def kernel() -> None:
            assert u.array.sum() + v.array.sum() == total
            read.append((u.array.tolist(), v.array.tolist()))

        here.queue.append(kernel)
        if quick:
            here.synchronize()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, "cupy", lambda: module)
        feed, sent = Feed(0, check, consume), []
        for number, (size, ordinal) in enumerate(sizes):
            u, v = (DeviceArray(np.full(size, -1, np.int32), ordinal) for _ in range(2))
            values = [np.arange(size, dtype=np.int32) + 100 * number + k for k in (0, 1)]
            for array, value in zip((u, v), values, strict=True):  # what the caller has queued, not yet done
                home.queue.append(lambda array=array, value=value: np.copyto(array.array, value))
            feed.send(u, v, home.record())
            sent += [tuple(value.tolist() for value in values)] if size else []
        feed.close()
    assert read == sent
