"""Whether a CSR is symmetric: for each arc (a, b) the arc (b, a)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.passes import distinct, slices
from landbridge.threads import default_threads

SAMPLE = 1024
"""Arcs of a sample."""

_READ = 1 << 16
"""Neighbours read for a sample at most: those of hubs are many."""


def unmatched_arc(offsets: Any, neighbors: Any, sample: int | None = SAMPLE) -> tuple[int, int] | None:
    """An arc (a, b) without its reverse (b, a), or None if none is known.

    Parameters
    ----------
    offsets, neighbors : array
        CSR as in `landbridge.edges.forms.Adjacency`, validated.
    sample : int or None
        The number of arcs, evenly spread over all, whose reverse is looked up; None for all arcs. A sample takes
        tens of microseconds (a millisecond where no array is cached) and detects a share p of unmatched arcs with a
        probability of about 1 - (1 - p)^sample; it skips arcs to hubs. All arcs take two sorts: O(m log m), and 48
        bytes per arc.
    """
    m = len(neighbors)
    if m == 0:
        return None
    if sample is None or m <= sample:
        return _of_all(offsets, neighbors)
    arc: tuple[int, int] | None = _core.unmatched_arc(len(offsets) - 1, offsets, neighbors, sample, _READ)
    return arc


def _of_all(offsets: NDArray[Any], neighbors: NDArray[Any]) -> tuple[int, int] | None:
    n = len(offsets) - 1
    bits = (n - 1).bit_length()
    if bits > 32:
        return _of_wide(offsets, neighbors)
    shift, mask, threads = np.uint64(bits), np.uint64((1 << bits) - 1), default_threads(None)
    keys = np.empty(len(neighbors), dtype=np.uint64)  # an arc as one number, its row above its neighbour
    for part in slices(len(keys)):
        keys[part] = _rows_of(offsets, part)
        keys[part] <<= shift
        keys[part] |= neighbors[part].astype(np.uint64)
    arcs = distinct(keys, threads)
    for part in slices(len(keys)):
        keys[part] = (keys[part] & mask) << shift | keys[part] >> shift
    reverses = distinct(keys, threads)
    for part in slices(len(arcs)):
        places = np.minimum(np.searchsorted(reverses, arcs[part]), len(reverses) - 1)
        unmatched = np.flatnonzero(reverses[places] != arcs[part])
        if unmatched.size:
            arc = int(arcs[part.start + int(unmatched[0])])
            return arc >> bits, arc & int(mask)
    return None


def _rows_of(offsets: NDArray[Any], part: slice) -> NDArray[Any]:
    """The row of each arc of a range."""
    first, last = np.searchsorted(offsets, np.array([part.start, part.stop - 1], offsets.dtype), side="right").tolist()
    bounds = np.clip(offsets[first - 1 : last + 1].astype(np.int64), part.start, part.stop)
    return np.repeat(np.arange(first - 1, last, dtype=np.uint64), np.diff(bounds))


def _of_wide(offsets: NDArray[Any], neighbors: NDArray[Any]) -> tuple[int, int] | None:
    """The same where two vertices take more than 64 bits."""
    rows = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
    arcs = np.unique(np.stack([rows, neighbors.astype(np.int64)], axis=1), axis=0)
    both, counts = np.unique(np.concatenate([arcs, arcs[:, ::-1]]), axis=0, return_counts=True)
    for a, b in both[counts == 1].tolist():  # either the arc is unmatched, or its reverse is
        if (neighbors[offsets[a] : offsets[a + 1]] == b).any():
            return a, b
    return None
