"""Random numbers by position, drawn by the core: the same on NumPy and on CuPy, whatever is made before them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.machine import cores
from landbridge import _core

_STEP, _START = 0xD1342543DE82EF95, 0xC4F46BE25A6A6404
"""From a seed to a key. Any numbers would do; the cells of the committed results were drawn by these."""


def random_words(xp: Any, count: int, seed: int) -> Any:
    """`count` different random words of 64 bits that follow from the seed, uint64."""
    drawn = np.empty(count, dtype=np.uint64)
    _core.draw_words(drawn, (seed * _STEP + _START) % 2**64, cores())
    return xp.asarray(drawn)


def below(xp: Any, bound: Any, count: int, seed: int) -> Any:
    """`count` numbers from 0 up to, without, `bound`: a number or an array of them below 2^32; int64."""
    high = random_words(xp, count, seed) >> np.uint64(32)
    high *= np.uint64(bound) if isinstance(bound, int) else bound.astype(np.uint64)
    return (high >> np.uint64(32)).astype(np.int64)


def random_mask(xp: Any, share: float, count: int, seed: int) -> Any:
    """A mask in which each of `count` places is set with probability `share`."""
    return random_words(xp, count, seed) < np.uint64(int(share * 2**64))


def permutation(xp: Any, n: int, seed: int) -> Any:
    """A random permutation of 0..n-1, int32."""
    return xp.argsort(random_words(xp, n, seed)).astype(np.int32)


def bits_reversed(xp: Any, n: int) -> Any:
    """0..n-1 as 32-bit words whose bits stand in reverse order, uint32."""
    x = xp.arange(n, dtype=np.uint32)
    for width, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF)):
        shift, low = np.uint32(width), np.uint32(mask)
        x = ((x >> shift) & low) | ((x & low) << shift)
    return x


def on_host(array: Any) -> Any:
    """The array in NumPy's memory."""
    return array.get() if hasattr(array, "get") else array
