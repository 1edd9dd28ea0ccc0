"""A stand-in for CuPy that allocates nothing and counts: what a run would take, said without a GPU.

An engine's own code runs on it, so the count follows the code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from landbridge.device import cuda, jit

_GRAIN = 512
"""CuPy's pool hands out whole multiples of so many bytes."""


class Counted:
    """An array that is not there: its type, its length, and what it would take while it lives."""

    def __init__(self, tally: Tally | None, size: int, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.itemsize, self.size, self.strides = self.dtype.itemsize, size, (self.dtype.itemsize,)
        self.nbytes = size * self.itemsize
        self._whole: Counted | None = None
        self._tally, self._taken = tally, -(-self.nbytes // _GRAIN) * _GRAIN
        if tally is not None:
            tally.live += self._taken
            tally.peak = max(tally.peak, tally.live)

    def __getitem__(self, part: slice) -> Counted:
        view = Counted(None, len(range(self.size)[part]), self.dtype)
        view._whole = self
        return view

    def __len__(self) -> int:
        return self.size

    def __del__(self) -> None:
        if self._tally is not None:
            self._tally.live -= self._taken


class Tally:
    """What stands for the module CuPy, and for the device. peak: bytes taken at once, at most."""

    ordinal = 0
    multiprocessors = 132
    cache = 50 * 2**20

    def __init__(self) -> None:
        self.live = self.peak = 0

    def empty(self, shape: int, dtype: Any = np.float64) -> Counted:
        return Counted(self, int(shape), dtype)

    zeros = empty

    def kernels(self, program: jit.Program) -> dict[str, str]:
        """Names in place of kernels."""
        return {jit.short(name): name for name in program.names}


@contextlib.contextmanager
def counting() -> Iterator[Tally]:
    """Inside, CuPy and the current device are a Tally: arrays are counted, nothing is compiled or launched."""
    tally = Tally()
    token = cuda.STAND_IN.set(tally)
    try:
        yield tally
    finally:
        cuda.STAND_IN.reset(token)
