"""When a stream on a GPU does more than insert: what a batch looks like, and what is done to it before.

docs/incremental.md gives the reasons. Edges are all edges so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from landbridge.device.kernels import Rule
from landbridge.engine.gpu.edge_schedule import HOOK_LEAST, Hooking, hooking_of, hookings, worth_marking
from landbridge.engine.gpu.schedule import rule_of
from landbridge.plan import Finish, Plan

_MARK_AGAIN = 4
"""The tree is marked again when there are so many times as many edges or cells."""
LEAST_CUT = 2**16
"""Batches of more edges than this and than vertices are cut for algorithms in rounds: all edges of a piece take part
until the last is done."""
_QUERIES = Finish("hooks", "compress")
"""The rule whose cells algorithms in rounds use, and by which queries beside them find roots."""


def rule_of_stream(plan: Plan) -> Rule:
    """The rule that kernels of a stream are compiled for."""
    finish = _QUERIES if plan.finish.standalone else plan.finish
    return rule_of(finish, plan.option("reads", "stale"), plan.option("merge", "off"))


class BatchFacts(NamedTuple):
    """The result of a check. vertices: one more than the largest id of an insert. near, descents: how many edges have
    near endpoints, and of most edges how many begin below the one before; 0 where that was not counted. sampled: they
    are those of a sample, in proportion, and the ids of other edges have not been checked."""

    vertices: int
    near: int = 0
    descents: int = 0
    sampled: bool = False


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
        return not self.start and edges >= HOOK_LEAST and not self.ranked

    def may_hook(self, edges: int, inserted: int, vertices: int) -> bool:
        """Whether a batch of so many edges may be hooked, whatever it looks like."""
        if self.start:
            return self.start == "hook"
        return self.counts_near(edges) and any(hookings(edges, vertices, inserted))

    def hooking(self, edges: int, facts: BatchFacts | None, inserted: int, vertices: int) -> Hooking:
        """How a batch is hooked before it is inserted: as the plan says, else if it looks like a mesh."""
        if self.start or facts is None or self.ranked:
            return "scattered" if self.start == "hook" and not self.ranked else ""
        return hooking_of(edges, facts.near, facts.descents, inserted, vertices)


@dataclass(slots=True)
class Marking:
    """When batches are hooked, and when the largest tree is marked. inserted: edges so far. edges, vertices: those when
    it was marked last. unlike: edges when a batch last looked unlike a mesh."""

    schedule: StreamSchedule
    cache: int
    inserted: int = 0
    edges: int = 0
    vertices: int = 0
    unlike: int = 0

    def may_hook(self, batch: int, vertices: int) -> bool:
        """Whether a batch of so many edges may be hooked. To look at one takes a call that reads back: after one that
        looks unlike a mesh the next to be looked at comes when there are twice as many edges."""
        return self.inserted >= 2 * self.unlike and self.schedule.may_hook(batch, self.inserted, vertices)

    def hooking(self, batch: int, facts: BatchFacts | None, vertices: int) -> Hooking:
        """How a batch with these facts is hooked."""
        hooking = self.schedule.hooking(batch, facts, self.inserted, vertices)
        counted = facts is not None and (facts.near or facts.descents)
        if not hooking and counted and self.schedule.may_hook(batch, self.inserted, vertices):
            self.unlike = self.inserted + batch
        return hooking

    def is_due(self, batch: int, vertices: int, cell_bytes: int) -> bool:
        """Whether it is marked while a batch of so many edges is inserted."""
        edges = self.inserted + batch
        if self.schedule.skip:
            return self.schedule.skip == "tree" and edges > vertices
        if not worth_marking(edges, vertices, cell_bytes, self.cache):
            return False
        return edges >= _MARK_AGAIN * self.edges or vertices >= _MARK_AGAIN * self.vertices
