"""A device that allocates nothing and counts: what a run would take, without a GPU.

The engine's own builders run on it, so the count follows the code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_GRAIN = 512
"""CuPy's pool hands out whole multiples of so many bytes."""


class CountedArray:
    """An array without memory: its type, its length, and what it would take while it lives.

    counter: None for memory that is not counted. data.ptr: an address that no other array has.
    """

    __slots__ = (
        "__weakref__",
        "_counter",
        "_taken",
        "_viewed",
        "dtype",
        "itemsize",
        "nbytes",
        "ptr",
        "size",
        "strides",
    )

    _addresses = 1 << 40

    def __init__(self, counter: MemoryCounter | None, size: int, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.itemsize, self.size, self.strides = self.dtype.itemsize, size, (self.dtype.itemsize,)
        self.nbytes = size * self.itemsize
        self._viewed: CountedArray | None = None
        self._counter, self._taken = counter, -(-self.nbytes // _GRAIN) * _GRAIN
        self.ptr = CountedArray._addresses
        CountedArray._addresses += max(_GRAIN, self._taken)
        if counter is not None:
            counter.live += self._taken
            counter.peak = max(counter.peak, counter.live)

    @property
    def data(self) -> CountedArray:
        return self

    def __getitem__(self, part: slice) -> CountedArray:
        places = range(self.size)[part]
        view = CountedArray(None, len(places), self.dtype)
        view._viewed = self
        view.ptr = self.ptr + places.start * self.itemsize
        return view

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"{self.dtype}[{self.size}]"

    def __del__(self) -> None:
        if self._counter is not None:
            self._counter.live -= self._taken


class MemoryCounter:
    """Takes the place of a `cuda.Device` where launches are built and not made. peak: bytes taken at once, at most."""

    ordinal = 0
    multiprocessors = 132
    cache = 50 * 2**20

    def __init__(self) -> None:
        self.live = self.peak = 0

    def empty(self, size: int, dtype: Any) -> CountedArray:
        """An array whose memory is counted."""
        return CountedArray(self, size, dtype)
