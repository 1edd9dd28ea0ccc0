"""Launching kernels: grids, arguments, and the few helpers that need no engine."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from landbridge.device import cuda, names
from landbridge.errors import InputError

BLOCK = 256
"""Threads of a block (lb::gpu::block_threads)."""
SEARCH_BLOCK = 512
"""Threads of a block of the kernels with a grid barrier (lb::gpu::search_threads)."""
UNSEEN_VERTICES = UNSEEN_EDGES = 2**13
"""The largest graph that one block validates and computes in shared memory (lb::gpu::unseen_vertices)."""
CONTROL_WORDS = 25
"""Words of the control block (lb::gpu::control_words) and the meaning of those that are read here."""
WORD_COUNT, WORD_LOW, WORD_OUTSIDE, WORD_LINKS, WORD_TROUBLE, WORD_EDGES, WORD_DEFERRED = 1, 10, 13, 15, 17, 23, 24
DEFERRED_CAPACITY = 2**12
"""Places behind the control block for walks that are put aside (lb::gpu::aside_places), of two words each."""


class Processors(Protocol):
    """A device, as far as grids depend on it."""

    @property
    def multiprocessors(self) -> int: ...


def grid_for(device: Processors, items: int, per_block: int = BLOCK, waves: int = 8) -> int:
    """Blocks for `items`: one for every `per_block`, but no more than `waves` on each multiprocessor."""
    return max(1, min(-(-items // per_block), device.multiprocessors * waves))


def argument(value: Any) -> Any:
    """A kernel argument: whole numbers as 64 bits, None as a null pointer, arrays and floats as they are."""
    if value is None:
        return np.uint64(0)
    if isinstance(value, bool | int):
        return np.int64(value) if value < 2**63 else np.uint64(value)
    return np.float64(value) if isinstance(value, float) else value


def width_of(array: Any) -> names.Width:
    """The bits of an element: 32 or 64."""
    return 64 if array.dtype.itemsize == 8 else 32


def stride_of(array: Any) -> int:
    """The distance of neighbours in elements."""
    return int(array.strides[0]) // int(array.itemsize) if len(array) > 1 else 1


def _limit(array: Any) -> int:
    """One more than the largest id the array's type can hold without a sign."""
    bits = 8 * int(array.dtype.itemsize)
    return 1 << (bits - 1 if array.dtype.kind == "i" else bits)


def _position(word: int) -> int:
    """The position that a kernel of the validation told, -1 for none."""
    return 2**64 - 1 - word if word else -1


def check_ids(arrays: tuple[Any, ...], n: int | None, what: str) -> int:
    """Validate ids on the device: none negative, and all below n unless that is None. Returns n or the largest id + 1.

    One read-back for all arrays. Raises InputError for the first id at fault, array by array.
    """
    arrays = tuple(a for a in arrays if len(a))
    if not arrays:
        return n or 0
    with cuda.errors("checking ids"):
        device = cuda.current()
        words = cuda.cupy().zeros(2 * len(arrays), dtype=np.uint64)
        for i, array in enumerate(arrays):
            kernels = device.kernels(names.validation(width_of(array)))
            bound = min(_limit(array) if n is None else min(n, _limit(array)), 2**64 - 1)
            arguments = (array, stride_of(array), len(array), np.uint64(bound), words[2 * i :])
            grid = (grid_for(device, len(array), BLOCK * 8),)
            kernels["check_ids"](grid, (BLOCK,), tuple(argument(a) for a in arguments))
        found = [int(word) for word in words.get()]
        for array, word in zip(arrays, found[1::2], strict=True):
            at = _position(word)
            if at >= 0:
                value = int(array[at])
                problem = "is negative" if value < 0 else f"is out of range for n = {n}"
                raise InputError(f"{what} {at}: vertex {value} {problem}")
    return max(found[::2]) + 1 if n is None else n


def check_offsets(offsets: Any, arcs: int) -> None:
    """Raise InputError unless a device array of row offsets rises from 0 to `arcs`."""
    if len(offsets) == 0:
        raise InputError("offsets are empty; n + 1 of them are needed, also for n = 0")
    with cuda.errors("checking offsets"):
        device, n = cuda.current(), len(offsets) - 1
        words = cuda.cupy().zeros(2, dtype=np.uint64)
        kernels = device.kernels(names.validation(width_of(offsets)))
        if n > 0:
            arguments = tuple(argument(a) for a in (offsets, n, words))
            kernels["check_offsets"]((grid_for(device, n),), (BLOCK,), arguments)
        wrong = _position(int(words.get()[1]))
        first, last = int(offsets[0]), int(offsets[n])
        if wrong >= 0:
            low, high = int(offsets[wrong]), int(offsets[wrong + 1])
    if first != 0:
        raise InputError(f"offsets[0] is {first}, not 0")
    if wrong >= 0:
        raise InputError(f"offsets[{wrong + 1}] is {high}, below offsets[{wrong}] = {low}")
    if last != arcs:
        raise InputError(f"the last offset is {last}, but there are {arcs} neighbors")


def row_of_arcs(n: int, offsets: Any, neighbors: Any) -> Any:
    """Shape (m,), of the neighbours' type: the vertex whose row each arc is in."""
    with cuda.errors("making pairs"):
        device = cuda.current()
        kernels = device.kernels(names.make_rows(width_of(neighbors), width_of(offsets)))
        sources = cuda.cupy().empty(len(neighbors), dtype=neighbors.dtype)
        arguments = tuple(argument(x) for x in (offsets, n, sources))
        kernels["name_rows"]((grid_for(device, n * 32),), (BLOCK,), arguments)
    return sources


def symmetric_rows(n: int, offsets: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Row offsets and neighbours with every edge in both directions, from rows (b is None) or pairs on the device.

    Rows are not sorted. O(n + m) memory. A loop is stored once.
    """
    cupy = cuda.cupy()
    with cuda.errors("making symmetric rows"):
        device = cuda.current()
        edge, m = width_of(a), len(a)
        kernels = device.kernels(names.make_rows(edge, 64 if offsets is None else width_of(offsets)))
        if offsets is not None:
            a, b = row_of_arcs(n, offsets, a), a
        ends = (a, b, stride_of(a), stride_of(b), m)
        grid = (grid_for(device, m),)
        made = cupy.zeros(n + 1, dtype=np.int64)
        kernels["count_pairs"](grid, (BLOCK,), tuple(argument(x) for x in (*ends, made[1:])))
        cupy.cumsum(made, out=made)
        neighbors = cupy.empty(int(made[n]), dtype=a.dtype)
        kernels["scatter_pairs"](grid, (BLOCK,), tuple(argument(x) for x in (*ends, made[:-1].copy(), neighbors)))
    return made, neighbors


_PROBED = 1024


def probe(n: int, offsets: Any, neighbors: Any) -> tuple[float, float, float, float]:
    """A look at a few rows: largest degree, shares of smaller first and near neighbours, expansion.

    Expansion stands for what the CPU's probe counts: here the mean degree, less one, of one neighbour of each row.
    """
    if n == 0 or len(neighbors) == 0:
        return (0.0, 0.0, 0.0, 0.0)
    with cuda.errors("looking at rows"):
        device = cuda.current()
        kernels = device.kernels(names.probe(width_of(neighbors), width_of(offsets)))
        words = cuda.cupy().zeros(5, dtype=np.uint64)
        count = min(n, _PROBED)
        arguments = (offsets, neighbors, n, count, max(1, n // 64), words)
        kernels["probe_rows"]((grid_for(device, count),), (BLOCK,), tuple(argument(a) for a in arguments))
        largest, rows, smaller, near, reached = (int(x) for x in words.get())
    some = max(1, rows)
    return float(largest), smaller / some, near / some, reached / some
