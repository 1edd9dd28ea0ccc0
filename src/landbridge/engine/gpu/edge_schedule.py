"""What pays for COO edge lists on a GPU, in one run or batch after batch: to hook the edges of a mesh, to unite a
sample first, and to mark the largest tree. docs/plans.md and docs/incremental.md give the reasons.
"""

from __future__ import annotations

from typing import Literal

Hooking = Literal["", "sorted", "scattered"]
"""How edges are hooked: not, reading the parents, or by bits of the vertices that are no roots."""

_MARK_FROM = 3.5
"""Edges per vertex from which the largest tree is marked, where the parents do not fit the L2 cache."""
_MARK_SMALL = 16.0
"""The same where they fit."""
_MARK_LEAST = 2**22
"""Edges below which it does not pay for the launches."""
_SAMPLE_FROM, _SAMPLE_SMALL = 3.9, 16.0
"""Edges per vertex from which a sample of an edge list comes first, where the parents do not fit half of the L2
cache and where they do."""
_HEAD_FROM = 12.0
"""Edges per vertex above which the first edges of a list reach most of its vertices, in whatever order they are."""
ROW_STARTS = 2
"""Edges of each row in the sample of other lists whose edges lie in rows."""
_HOOK_SORTED, _HOOK_SCATTERED, _HOOK_MOST, _HOOK_MOST_SORTED = 0.25, 1.5, 3.5, _HEAD_FROM
"""Edges per vertex from which edges may be hooked, where they are sorted and where not, and up to which. Random edges
of a mesh leave no large tree for long; sorted ones make chains whose walks are long."""
HOOK_LEAST = 2**16
"""Edges from which they are counted for that."""
_HOOK_NEAR = 128
"""Endpoints are near if there are that many times as many edges as there are ids between them."""
_HOOK_CLOSE, _HOOK_DESCENTS = 0.9, (0.125, 0.6)
"""The share of near edges from which they are those of a mesh, and the shares of edges that begin below the one before
them between which they are scattered: of most edges about 0.37 if their order is random."""


def near_of(edges: int) -> int:
    """The distance up to which endpoints of so many edges are near."""
    return edges // _HOOK_NEAR


def hooking_of(edges: int, near: int, descents: int, inserted: int, vertices: int) -> Hooking:
    """How edges are hooked that look like a mesh: so many are near, begin below the one before, and came before."""
    low, high = (share * edges for share in _HOOK_DESCENTS)
    is_scattered = low <= descents <= high
    by_order, scattered = hookings(edges, vertices, inserted)
    if near < _HOOK_CLOSE * edges or not (scattered if is_scattered else by_order):
        return ""
    return "scattered" if is_scattered else "sorted"


def hookings(edges: int, vertices: int, inserted: int = 0) -> tuple[bool, bool]:
    """Whether there are enough edges, and not too many, to hook all of a mesh: where they are sorted, and where not.
    inserted: edges that came before."""
    all_edges = inserted + edges
    by_order = _HOOK_SORTED * vertices <= edges and all_edges <= _HOOK_MOST_SORTED * vertices
    return by_order, _HOOK_SCATTERED * vertices <= edges and all_edges <= _HOOK_MOST * vertices


def worth_sampling(edges: int, vertices: int, cell_bytes: int, cache: int) -> bool:
    """Whether a sample of the edges is united first, and the largest tree marked after that."""
    fits = 2 * vertices * cell_bytes <= cache
    return edges >= max(_MARK_LEAST, vertices * (_SAMPLE_SMALL if fits else _SAMPLE_FROM))


def samples_head(edges: int, vertices: int) -> bool:
    """Whether the first edges are the sample, in whatever order they are: then no place of the list is looked at."""
    return edges > _HEAD_FROM * vertices


def worth_marking(edges: int, vertices: int, cell_bytes: int, cache: int) -> bool:
    """Whether to mark the largest tree once as many edges are united as there are vertices."""
    fits = vertices * cell_bytes <= cache
    return edges >= max(_MARK_LEAST, vertices * (_MARK_SMALL if fits else _MARK_FROM))
