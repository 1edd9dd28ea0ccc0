"""The two shapes in which edges reach a graph. Every reader, adapter and generator returns one of them.

Nothing here is checked: the graph validates both forms once, when it is built.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

IdArray = NDArray[np.integer[Any]]


# Ids are numbered anew where the largest exceeds FACTOR * edges + FLOOR: an array up to it would be mostly holes.
SPARSE_FACTOR, SPARSE_FLOOR = 2, 1_000_000


@dataclass(frozen=True, slots=True)
class EdgeList:
    """Edge i joins ``u[i]`` and ``v[i]``; any order, duplicates and self-loops allowed.

    u, v: shape (m,), the same dtype, one of int32, int64, uint32, uint64, C-contiguous.
    num_vertices: the declared number of vertices, or None for largest id + 1.
    ids: shape (n,), the original id of each vertex, ascending, if the vertices were renumbered; else None.
    both_directions: True if each undirected edge is known to be stored as (a, b) and (b, a).
    notes: what a reader wants the user to know (one line each), such as a header that contradicts the edges.
    occurring: True if the vertices are the ids that occur in u and v, not renumbered yet (ids is None then); False if
        they are 0..n-1.
    library: of the data frame that the edges came in: "pandas", "polars" or "pyarrow"; None for any other source.
    """

    u: IdArray
    v: IdArray
    num_vertices: int | None = None
    ids: NDArray[Any] | None = None
    both_directions: bool = False
    notes: tuple[str, ...] = field(default=())
    occurring: bool = False
    library: str | None = None


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Compressed rows: the neighbours of x are ``neighbors[offsets[x]:offsets[x + 1]]``.

    offsets: shape (n + 1,), int32 or int64, ascending from 0 to m.
    neighbors: shape (m,), one of int32, int64, uint32, uint64.
    symmetric: True if every arc (a, b) is known to be stored as (b, a) too, False if known not to be, None if unknown.
    """

    offsets: IdArray
    neighbors: IdArray
    symmetric: bool | None = None
    ids: NDArray[Any] | None = None
    notes: tuple[str, ...] = field(default=())


Edges = EdgeList | Adjacency
