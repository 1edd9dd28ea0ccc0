"""Whether rows are symmetric as promised: for each arc (a, b) the arc (b, a)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SAMPLE = 4096
"""Arcs that a quick look follows back."""

_READ = 1 << 18
"""Neighbours that a quick look reads at most: rows of hubs are long."""


def unmatched_arc(offsets: Any, neighbors: Any, sample: int | None = SAMPLE) -> tuple[int, int] | None:
    """An arc (a, b) without its reverse (b, a), or None if none is known.

    offsets, neighbors: rows as in `landbridge.edges.forms.Adjacency`, validated.
    sample: so many arcs, evenly spread over all, are followed back; None for all arcs. A sample takes a millisecond or
        two and finds a share p of unmatched arcs with a probability of about 1 - (1 - p)^sample; rows of hubs it leaves
        out. All arcs take two sorts: O(m log m), and 40 bytes an arc.
    """
    m = len(neighbors)
    if m == 0:
        return None
    if sample is None or m <= sample:
        return _of_all(offsets, neighbors)
    return _of_sample(offsets, neighbors, sample)


def _of_sample(offsets: NDArray[Any], neighbors: NDArray[Any], sample: int) -> tuple[int, int] | None:
    m = len(neighbors)
    # Steps of the golden ratio: spread evenly, and in step with no pattern of the rows.
    places = ((np.arange(1, sample + 1) * 0.6180339887498949) % 1.0 * m).astype(np.int64)
    heads = np.searchsorted(offsets, places, side="right") - 1
    tails = neighbors[places].astype(np.int64)
    begins, ends = offsets[tails].astype(np.int64), offsets[tails + 1].astype(np.int64)
    order = np.argsort(ends - begins, kind="stable")  # short rows first
    heads, tails, begins, ends = (x[order] for x in (heads, tails, begins, ends))
    within = int(np.searchsorted(np.cumsum(ends - begins), _READ, side="right"))
    heads, tails, begins, ends = (x[:within] for x in (heads, tails, begins, ends))
    lengths = ends - begins
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
        lone = np.setdiff1d(heads * n + tails, tails * n + heads)
        return (int(lone[0]) // n, int(lone[0]) % n) if len(lone) else None
    arcs = np.unique(np.stack([heads, tails], axis=1), axis=0)
    both, counts = np.unique(np.concatenate([arcs, arcs[:, ::-1]]), axis=0, return_counts=True)
    for a, b in both[counts == 1].tolist():  # either the arc is lone, or its reverse is
        row = neighbors[offsets[a] : offsets[a + 1]]
        if (row == b).any():
            return a, b
    return None


def _first(heads: NDArray[Any], tails: NDArray[Any], wrong: NDArray[Any]) -> tuple[int, int] | None:
    found = np.flatnonzero(wrong)
    if not found.size:
        return None
    i = found[np.lexsort((tails[found], heads[found]))[0]]
    return int(heads[i]), int(tails[i])
