"""When a stream on a GPU does more than insert: what a batch looks like, and what is done to it before.

docs/incremental.md gives the reasons. Edges are all edges so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from landbridge.plan import Plan

Hooking = Literal["", "sorted", "scattered"]
"""How a batch is hooked: not, reading the parents, or by bits of the vertices that are no roots."""

_MARK_FROM = 3.5
"""Edges per vertex from which the largest tree is marked, where the parents do not fit the L2 cache."""
_MARK_SMALL = 16.0
"""The same where they fit."""
_MARK_LEAST = 2**22
"""Edges below which it does not pay for the launches."""
_MARK_AGAIN = 4
"""The tree is marked again when there are so many times as many edges or cells."""
_HOOK_SORTED, _HOOK_SCATTERED, _HOOK_MOST = 0.25, 1.5, 3.5
"""Edges per vertex from which a batch may be hooked, where they are sorted and where not, and up to which. Random edges
of a mesh leave no large tree for long; sorted ones make chains whose walks are long."""
_HOOK_LEAST = 2**16
_HOOK_NEAR = 128
"""Endpoints are near if the batch has that many times as many edges as there are ids between them."""
_HOOK_CLOSE, _HOOK_DESCENTS = 0.9, (0.125, 0.6)
"""The share of near edges from which a batch is a mesh, and the shares of edges that begin below the one before them
between which its edges are scattered: of most edges about 0.37 if their order is random."""


class BatchFacts(NamedTuple):
    """The result of a check. vertices: one more than the largest id of an insert. near, descents: how many edges have
    near endpoints, and of most edges how many begin below the one before; 0 where that was not counted."""

    vertices: int
    near: int = 0
    descents: int = 0


def near_of(edges: int) -> int:
    """The distance up to which endpoints of a batch of so many edges are near."""
    return edges // _HOOK_NEAR


@dataclass(frozen=True, slots=True)
class StreamSchedule:
    """The options of a plan.

    start: "hook" for batches that are hooked, another word for none, "" for those that look like a mesh. skip: "tree"
    to mark the largest tree, "off" never to, "" once there are many edges. ranked: whether the rule is.
    """

    start: str
    skip: str
    ranked: bool

    @classmethod
    def of(cls, plan: Plan, ranked: bool) -> StreamSchedule:
        return cls(plan.option("start", ""), plan.option("skip", ""), ranked)

    def counts_near(self, edges: int) -> bool:
        """Whether the check of a batch of so many edges counts near endpoints."""
        return not self.start and edges >= _HOOK_LEAST and not self.ranked

    def hooking(self, edges: int, facts: BatchFacts | None, inserted: int, vertices: int) -> Hooking:
        """How a batch is hooked before it is inserted: as the plan says, else if it looks like a mesh."""
        if self.start or facts is None or self.ranked:
            return "scattered" if self.start == "hook" and not self.ranked else ""
        low, high = (share * edges for share in _HOOK_DESCENTS)
        scattered = low <= facts.descents <= high
        least = _HOOK_SCATTERED if scattered else _HOOK_SORTED
        fits = least * vertices <= edges and inserted + edges <= _HOOK_MOST * vertices
        if not fits or facts.near < _HOOK_CLOSE * edges:
            return ""
        return "scattered" if scattered else "sorted"


def hookings(edges: int, vertices: int) -> tuple[bool, bool]:
    """Whether there are enough edges, and not too many, to hook all of a mesh: where they are sorted, and where not."""
    fits = edges <= _HOOK_MOST * vertices
    return fits and edges >= _HOOK_SORTED * vertices, fits and edges >= _HOOK_SCATTERED * vertices


def worth_marking(edges: int, vertices: int, cell_bytes: int, cache: int) -> bool:
    """Whether to mark the largest tree once as many edges are united as there are vertices."""
    fits = vertices * cell_bytes <= cache
    return edges >= max(_MARK_LEAST, vertices * (_MARK_SMALL if fits else _MARK_FROM))


@dataclass(slots=True)
class Marking:
    """When the largest tree is marked. inserted: edges so far. edges, vertices: those when it was marked last."""

    schedule: StreamSchedule
    cache: int
    inserted: int = 0
    edges: int = 0
    vertices: int = 0

    def is_due(self, batch: int, vertices: int, cell_bytes: int) -> bool:
        """Whether it is marked while a batch of so many edges is inserted."""
        edges = self.inserted + batch
        if self.schedule.skip:
            return self.schedule.skip == "tree" and edges > vertices
        if not worth_marking(edges, vertices, cell_bytes, self.cache):
            return False
        return edges >= _MARK_AGAIN * self.edges or vertices >= _MARK_AGAIN * self.vertices
