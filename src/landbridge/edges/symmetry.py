"""Whether a CSR is symmetric: for each arc (a, b) the arc (b, a)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        skips arcs to hubs. All arcs take two sorts: O(m log m), and 40 bytes per arc.
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
    heads = np.repeat(np.arange(n, dtype=np.int64), np.diff(offsets))
    tails = neighbors.astype(np.int64)
    if n < 2**31:
        unmatched = np.setdiff1d(heads * n + tails, tails * n + heads)
        return (int(unmatched[0]) // n, int(unmatched[0]) % n) if len(unmatched) else None
    arcs = np.unique(np.stack([heads, tails], axis=1), axis=0)
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
