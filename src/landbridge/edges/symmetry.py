"""Whether a CSR is symmetric: for each arc (a, b) the arc (b, a)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        about a millisecond and detects a share p of unmatched arcs with a probability of about 1 - (1 - p)^sample; it
        skips arcs to hubs. All arcs take two sorts: O(m log m), and 48 bytes per arc.
    """
    m = len(neighbors)
    if m == 0:
        return None
    if sample is None or m <= sample:
        return _of_all(offsets, neighbors)
    return _of_sample(offsets, neighbors, sample)


def _of_sample(offsets: NDArray[Any], neighbors: NDArray[Any], sample: int) -> tuple[int, int] | None:
    m = len(neighbors)
    # Steps of the golden ratio: spread evenly, and resonant with no pattern of the arcs.
    places = ((np.arange(1, sample + 1) * 0.6180339887498949) % 1.0 * m).astype(offsets.dtype)
    heads = np.searchsorted(offsets, places, side="right") - 1  # of one type: no copy of the offsets
    tails = neighbors[places].astype(np.int64)
    begins, stops = offsets[tails].astype(np.int64), offsets[tails + 1].astype(np.int64)
    order = np.argsort(stops - begins, kind="stable")  # few neighbours first
    heads, tails, begins, stops = (x[order] for x in (heads, tails, begins, stops))
    within = int(np.searchsorted(np.cumsum(stops - begins), _READ, side="right"))
    heads, tails, begins, stops = (x[:within] for x in (heads, tails, begins, stops))
    lengths = stops - begins
    if not len(lengths):
        return None
    starts = np.cumsum(lengths) - lengths
    owner = np.repeat(np.arange(within), lengths)
    read = neighbors[np.arange(len(owner)) - starts[owner] + begins[owner]]
    matched = np.zeros(within, dtype=bool)
    matched[owner[read == heads[owner]]] = True
    return _first(heads, tails, ~matched)


def _of_all(offsets: NDArray[Any], neighbors: NDArray[Any]) -> tuple[int, int] | None:
    n = len(offsets) - 1
    bits = (n - 1).bit_length()
    if bits > 32:
        return _of_wide(offsets, neighbors)
    shift, mask, threads = np.uint64(bits), np.uint64((1 << bits) - 1), default_threads(None)
    keys = np.empty(len(neighbors), dtype=np.uint64)  # an arc as one number, its head above its tail
    for part in slices(len(keys)):
        keys[part] = _heads(offsets, part)
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


def _heads(offsets: NDArray[Any], part: slice) -> NDArray[Any]:
    """The heads of a range of arcs."""
    first, last = np.searchsorted(offsets, np.array([part.start, part.stop - 1], offsets.dtype), side="right").tolist()
    bounds = np.clip(offsets[first - 1 : last + 1].astype(np.int64), part.start, part.stop)
    return np.repeat(np.arange(first - 1, last, dtype=np.uint64), np.diff(bounds))


def _of_wide(offsets: NDArray[Any], neighbors: NDArray[Any]) -> tuple[int, int] | None:
    """The same where two vertices take more than 64 bits."""
    heads = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
    arcs = np.unique(np.stack([heads, neighbors.astype(np.int64)], axis=1), axis=0)
    both, counts = np.unique(np.concatenate([arcs, arcs[:, ::-1]]), axis=0, return_counts=True)
    for a, b in both[counts == 1].tolist():  # either the arc is unmatched, or its reverse is
        if (neighbors[offsets[a] : offsets[a + 1]] == b).any():
            return a, b
    return None


def _first(heads: NDArray[Any], tails: NDArray[Any], unmatched: NDArray[Any]) -> tuple[int, int] | None:
    places = np.flatnonzero(unmatched)
    if not places.size:
        return None
    i = places[np.lexsort((tails[places], heads[places]))[0]]
    return int(heads[i]), int(tails[i])
