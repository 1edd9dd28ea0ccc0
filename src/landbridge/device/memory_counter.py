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

    counter: None for memory that is not counted. data.ptr: an address that no other array has. Of CuPy's operations on
    arrays it has those that runs use between launches; their results are counted by `owner`, the counter where none is
    named.
    """

    __slots__ = (
        "__weakref__",
        "_counter",
        "_taken",
        "_viewed",
        "dtype",
        "itemsize",
        "nbytes",
        "owner",
        "ptr",
        "size",
        "strides",
    )

    _addresses = 1 << 40

    def __init__(
        self, counter: MemoryCounter | None, size: int, dtype: Any, owner: MemoryCounter | None = None
    ) -> None:
        self.owner = counter if owner is None else owner
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

    def __getitem__(self, part: slice | CountedArray) -> CountedArray:
        if isinstance(part, CountedArray):
            return self._new(self.dtype, part.size)
        places = range(self.size)[part]
        view = CountedArray(None, len(places), self.dtype, self.owner)
        view._viewed = self
        view.ptr = self.ptr + places.start * self.itemsize
        return view

    def __setitem__(self, part: Any, value: Any) -> None:
        """Takes nothing."""

    def _new(self, dtype: Any, size: int | None = None) -> CountedArray:
        return CountedArray(self.owner, self.size if size is None else size, dtype)

    def __eq__(self, other: object) -> CountedArray:  # type: ignore[override]
        return self._new(bool)

    __hash__ = object.__hash__

    def _like(self, other: Any = None) -> CountedArray:
        return self._new(self.dtype)

    __and__ = __or__ = __xor__ = __rshift__ = _like
    __invert__ = __abs__ = copy = _like

    def astype(self, dtype: Any, copy: bool = True) -> CountedArray:
        return self if not copy and self.dtype == dtype else self._new(dtype)

    def view(self, dtype: Any) -> CountedArray:
        result = self[:]
        result.dtype = np.dtype(dtype)
        return result

    def sum(self) -> int:
        return 0

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"{self.dtype}[{self.size}]"

    def __del__(self) -> None:
        if self._counter is not None:
            self._counter.live -= self._taken


class MemoryCounter:
    """Takes the place of a `cuda.Device` where launches are built and not made. peak: bytes taken at once, at most.
    most_true: of an array of bool, so many elements are true at most; None for all.
    """

    ordinal = 0
    multiprocessors = 132
    cache = 50 * 2**20

    def __init__(self) -> None:
        self.live = self.peak = 0
        self.most_true: int | None = None

    def empty(self, size: int, dtype: Any) -> CountedArray:
        """An array whose memory is counted."""
        return CountedArray(self, size, dtype)

    def present(self, size: int, dtype: Any) -> CountedArray:
        """An array of the input: it has a type and a length and takes nothing more."""
        return CountedArray(None, size, dtype, self)

    # CuPy's functions on arrays, as far as runs use them between launches ---------------------------------------------

    def arange(self, size: int, dtype: Any) -> CountedArray:
        return self.empty(size, dtype)

    def where(self, condition: CountedArray, a: Any, b: Any) -> CountedArray:
        """Of the type of the array among the two."""
        return self.empty(condition.size, (b if isinstance(b, CountedArray) else a).dtype)

    def flatnonzero(self, condition: CountedArray) -> CountedArray:
        """As if `most_true` were true. CuPy numbers the places first."""
        places = self.empty(condition.size, np.int64)
        most = condition.size if self.most_true is None else min(condition.size, self.most_true)
        result = self.empty(most, np.int64)
        del places
        return result
