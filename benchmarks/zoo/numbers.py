"""Random numbers by position: the same on NumPy and on CuPy, whatever is made before them."""

from __future__ import annotations

from typing import Any

import numpy as np

_STEP, _FIRST, _SECOND = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_SHIFTS = tuple(np.uint64(x) for x in (30, 27, 31))


def words(xp: Any, count: int, seed: int) -> Any:
    """`count` different random words of 64 bits (SplitMix64 from a start that the seed gives), uint64."""
    start = np.uint64((seed * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) % 2**64)
    x = xp.arange(count, dtype=np.uint64)
    x *= _STEP
    x += start
    for shift, factor in zip(_SHIFTS, (_FIRST, _SECOND, None), strict=True):
        x ^= x >> shift
        if factor is not None:
            x *= factor
    return x


def below(xp: Any, bound: Any, count: int, seed: int) -> Any:
    """`count` numbers from 0 up to, without, `bound`: a number or an array of them below 2^32; int64."""
    high = words(xp, count, seed) >> np.uint64(32)
    high *= np.uint64(bound) if isinstance(bound, int) else bound.astype(np.uint64)
    return (high >> np.uint64(32)).astype(np.int64)


def chosen(xp: Any, share: float, count: int, seed: int) -> Any:
    """A mask in which each of `count` places is set with probability `share`."""
    return words(xp, count, seed) < np.uint64(int(share * 2**64))


def permutation(xp: Any, n: int, seed: int) -> Any:
    """A random permutation of 0..n-1, int32."""
    return xp.argsort(words(xp, n, seed)).astype(np.int32)


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
