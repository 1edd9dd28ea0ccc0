"""Arrays of graphs on a GPU, made of edges in host memory by sorting. Nothing of landbridge is imported here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

PIECE = 2**29
LOW = np.uint64(0xFFFFFFFF)


def keys_of(cupy: Any, u: Any, v: Any, both_directions: bool) -> Any:
    """Edges as sorted words of 64 bits, u above v: both directions of each, or from the smaller endpoint alone."""
    u, v = cupy.asarray(u).astype(np.uint64), cupy.asarray(v).astype(np.uint64)
    shift = np.uint64(32)
    if not both_directions:
        keys = cupy.minimum(u, v) << shift | cupy.maximum(u, v)
    else:
        m = len(u)
        keys = cupy.empty(2 * m, dtype=np.uint64)
        keys[:m] = u << shift | v
        keys[m:] = v << shift | u
    del u, v
    keys.sort()
    return keys


def unique_pieces(cupy: Any, keys: Any) -> tuple[int, Iterator[tuple[Any, Any]]]:
    """How many of sorted keys remain without loops and duplicates, and these as (u, v), int32, piece by piece.

    CuPy selects from fewer than 2^31 at a time.
    """
    keep = cupy.empty(len(keys), dtype=bool)
    keep[:1] = True
    keep[1:] = keys[1:] != keys[:-1]
    keep &= (keys >> np.uint64(32)) != (keys & LOW)
    slices = [slice(first, min(first + PIECE, len(keys))) for first in range(0, len(keys), PIECE)]
    total = sum(int(cupy.count_nonzero(keep[piece])) for piece in slices)

    def pieces() -> Iterator[tuple[Any, Any]]:
        for piece in slices:
            remaining = keys[piece][keep[piece]]
            yield (remaining >> np.uint64(32)).astype(np.int32), (remaining & LOW).astype(np.int32)

    return total, pieces()


def csr_on_device(cupy: Any, n: int, u: Any, v: Any) -> tuple[Any, Any]:
    """Offsets and neighbours of the simple undirected graph of an edge list in host memory; int32 where they fit."""
    total, pieces = unique_pieces(cupy, keys_of(cupy, u, v, both_directions=True))
    neighbors = cupy.empty(total, dtype=np.int32)
    degrees = cupy.zeros(n + 1, dtype=np.int64)
    filled = 0
    for row, column in pieces:
        neighbors[filled : filled + len(row)] = column
        degrees[1:] += cupy.bincount(row.astype(np.int64), minlength=n)
        filled += len(row)
        del row, column
    offsets = cupy.cumsum(degrees).astype(np.int32 if total < 2**31 else np.int64)
    return offsets, neighbors


def edges_on_device(cupy: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """Each undirected edge of an edge list in host memory once, sorted, from the smaller endpoint; int32."""
    total, pieces = unique_pieces(cupy, keys_of(cupy, u, v, both_directions=False))
    endpoints = cupy.empty(total, dtype=np.int32), cupy.empty(total, dtype=np.int32)
    filled = 0
    for piece in pieces:
        for array, part in zip(endpoints, piece, strict=True):
            array[filled : filled + len(part)] = part
        filled += len(piece[0])
        del piece
    return endpoints


def sources_on_device(cupy: Any, offsets: Any, arcs: int) -> Any:
    """The first endpoint of each arc of a CSR; int32."""
    sources, bounds = cupy.empty(arcs, dtype=np.int32), offsets.astype(np.int64)
    for first in range(0, arcs, PIECE):
        places = cupy.arange(first, min(first + PIECE, arcs), dtype=np.int64)
        sources[first : first + PIECE] = cupy.searchsorted(bounds, places, side="right") - 1
        del places
    return sources


def upper_edges(cupy: Any, offsets: Any, neighbors: Any) -> tuple[Any, Any]:
    """Each undirected edge of a symmetric CSR once, sorted, from the smaller endpoint; int32."""
    row = sources_on_device(cupy, offsets, len(neighbors))
    upper = row < neighbors
    return row[upper], neighbors[upper]


def shuffled_on_device(cupy: Any, u: Any, v: Any) -> tuple[Any, Any]:
    """The same edges in random order."""
    cupy.random.seed(1)
    order = cupy.argsort(cupy.random.random(len(u), dtype=np.float32))
    return u[order], v[order]
