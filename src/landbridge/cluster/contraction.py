"""Tasks of contraction, for ids beyond the memory of every worker.

A round contracts each key into the first of its neighbours in the order of a hash of the round, the smallest original
key with it. Each task replaces its edges by trees of few children per key first (`groups_of`): so a component of
half of all ids, or a vertex with half of all edges, is no more work for one owner than others, and a round leaves about
one of `CHILDREN` keys. What is left goes to one worker when it fits, and labels travel back round by round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.cluster.forests import KeyForest, bytes_per_row, forest_of, groups_of
from landbridge.cluster.keys import IdType, KeyRows, Keys, Table, hash_keys, owner, without_loops
from landbridge.cluster.messages import Inbox, Kind, Outbox
from landbridge.cluster.sorted_forest import SortedForest
from landbridge.cluster.trees import is_full, read_forests
from landbridge.cluster.versions import Version, check_versions

CHILDREN = 16


@dataclass(frozen=True)
class ForestToOwners:
    """FOREST of a partition to EDGE, at the owners of both endpoints, without an exchange before."""

    ids: IdType
    parts: int
    memory: int
    threads: int = 1

    def __call__(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("spread")
        forest = forest_of(self.ids, self.threads, self.memory)
        version = Version(self.parts)
        most = max(self.memory // bytes_per_row(self.ids), 1)
        for _ in read_forests(batches, forest, min(most, 1 << 18)):
            if is_full(forest, most):
                send_groups(out, forest, self.parts, 0, version)
                forest.clear()
                yield from out.full()
        send_groups(out, forest, self.parts, 0, version)
        version.send(out, partition)
        yield from out.rest()


def send_groups(
    out: Outbox, forest: KeyForest | SortedForest, parts: int, level: int, version: Version | None = None
) -> None:
    """The trees of a forest as EDGE to the owners of both endpoints, as round `level` contracts them."""
    keys, roots = forest.labels()
    edges = groups_of(keys, roots, CHILDREN, level + 1)
    for u, v in (edges, without_loops(*edges)[::-1]):
        to = owner(u, parts)
        out.send(Kind.EDGE, to, u, v)
        if version is not None:
            version.add(to, u, v)


class OwnedKeys:
    """The keys that one owner receives in a round, and the edges from the keys it owns, as numbers of keys.

    Keys are numbered 0, 1, ... by first appearance. `rank` is the place of each in the order of keys, and `smallest`
    the rank of the smallest original key that is contracted into it. A key of `isolated` has no neighbour but itself,
    one of `active` has another.
    """

    def __init__(self, ids: IdType, batches: Iterable[Any], level: int, versions: Mapping[int, int]) -> None:
        empty = ids.empty()
        inbox = Inbox(batches)
        check_versions(inbox, versions)
        table = Table(ids)
        self.u, self.v = table.pairs(*inbox.columns(Kind.EDGE, empty, empty))
        contracted, smallest = table.pairs(*inbox.columns(Kind.SMALLEST, empty, empty))
        self.keys = table.keys()
        self._order, _ = table.in_order()
        n = len(self._order)
        self.rank = np.empty(n, dtype=np.int64)
        self.rank[self._order] = np.arange(n)
        self.smallest = self.rank.copy() if level == 0 else np.full(n, n, dtype=np.int64)
        np.minimum.at(self.smallest, contracted, self.rank[smallest])
        is_owned, is_active = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        is_owned[self.u] = is_owned[contracted] = True
        is_active[self.u[self.u != self.v]] = True
        self.owned = int(is_owned.sum())
        self.isolated = np.flatnonzero(is_owned & ~is_active)
        self.active = np.flatnonzero(is_active)

    def __len__(self) -> int:
        return len(self.keys)

    def smallest_of(self, numbers: Any) -> Keys:
        """The smallest original keys of keys, given by their numbers."""
        return self.of_rank(self.smallest[numbers])

    def of_rank(self, ranks: Any) -> Keys:
        """The keys of ranks."""
        keys: Keys = self.keys[self._order[ranks]]
        return keys

    def each_edge_once(self) -> NDArray[Any]:
        """The places of the edges whose first endpoint is the smaller one."""
        return np.flatnonzero(self.rank[self.u] < self.rank[self.v])

    def send_isolated(self, out: Outbox, to: int) -> None:
        """LABEL of the keys without neighbours: their components are complete."""
        out.send(Kind.LABEL, to, self.keys[self.isolated], self.smallest_of(self.isolated))


@dataclass(frozen=True)
class ChooseParents:
    """A round, at the owners: PARENT, HALF_EDGE, LOOKUP and SMALLEST of keys with neighbours; LABEL of keys without.

    versions: of the tasks that sent the edges of the first round. Those of the others follow from these alone.
    """

    ids: IdType
    parts: int
    level: int
    versions: Mapping[int, int] = field(default_factory=dict)

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("choose")
        owned = OwnedKeys(self.ids, batches, self.level, self.versions)
        keys, n = owned.keys, len(owned)
        owned.send_isolated(out, to)
        order = np.lexsort((owned.rank, hash_keys(keys, self.level + 1)))  # of the round: the first neighbour is parent
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        best = place.copy()
        np.minimum.at(best, owned.u, place[owned.v])
        parent = order[best]
        active = owned.active[np.argsort(owned.rank[owned.active])]
        out.send(Kind.PARENT, to, keys[active], keys[parent[active]])
        edges = owned.each_edge_once()
        v = keys[owned.v[edges]]
        out.send(Kind.HALF_EDGE, owner(v, self.parts), v, keys[parent[owned.u[edges]]])
        parents = np.unique(parent[active])
        smallest = np.full(n, n, dtype=np.int64)
        np.minimum.at(smallest, parent[active], owned.smallest[active])
        out.send(Kind.LOOKUP, owner(keys[parents], self.parts), keys[parents], np.full(len(parents), to, np.uint64))
        out.send(Kind.SMALLEST, to, keys[parents], owned.of_rank(smallest[parents]))
        out.counters |= {"owned": owned.owned, "active": len(active), "left": len(parents)}
        yield from out.rest()


@dataclass(frozen=True)
class RelabelEdges:
    """PARENT and HALF_EDGE of one owner to EDGE of the next round, with its SMALLEST.

    SMALLEST come this way because a round then reads one table: Spark's plan of a table that is read twice holds the
    plan of what made it twice, and would double in every round.
    """

    ids: IdType
    parts: int
    level: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("relabel")
        empty = self.ids.empty()
        inbox = Inbox(batches)
        keys, parents = inbox.columns(Kind.PARENT, empty, empty)
        v, parent_u = inbox.columns(Kind.HALF_EDGE, empty, empty)
        parent_v = parents[KeyRows(self.ids, keys).find(v)]
        u, v = without_loops(parent_v, parent_u)
        forest = forest_of(self.ids)
        if len(u):
            forest.add(u, v)
        send_groups(out, forest, self.parts, self.level + 1)
        contracted, smallest = inbox.columns(Kind.SMALLEST, empty, empty)
        out.send(Kind.SMALLEST, owner(contracted, self.parts), contracted, smallest)
        yield from out.rest()


@dataclass(frozen=True)
class GatherRest:
    """What is left at an owner to EDGE and SMALLEST, at the one worker that solves it, and LABEL of isolated keys."""

    ids: IdType
    level: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("gather")
        owned = OwnedKeys(self.ids, batches, self.level, {})
        owned.send_isolated(out, to)
        out.send(Kind.SMALLEST, 0, owned.keys[owned.active], owned.smallest_of(owned.active))
        edges = owned.each_edge_once()
        out.send(Kind.EDGE, 0, owned.keys[owned.u[edges]], owned.keys[owned.v[edges]])
        out.counters |= {"owned": owned.owned, "left": len(owned.active)}
        yield from out.rest()


@dataclass(frozen=True)
class SolveRest:
    """EDGE and SMALLEST of all that is left to LABEL, at the owners."""

    ids: IdType
    parts: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("solve")
        empty = self.ids.empty()
        inbox = Inbox(batches)
        u, v = inbox.columns(Kind.EDGE, empty, empty)
        contracted, smallest = inbox.columns(Kind.SMALLEST, empty, empty)
        forest = forest_of(self.ids)
        if len(contracted):
            forest.add(contracted, contracted)
        if len(u):
            forest.add(u, v)
        keys, roots = forest.labels()
        originals = Table(self.ids)
        number = originals.number(smallest)
        order, sorted_originals = originals.in_order()
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        label = np.full(len(keys), len(order), dtype=np.int64)  # of each root: a rank
        np.minimum.at(label, roots[KeyRows(self.ids, keys).find(contracted)], rank[number])
        out.send(Kind.LABEL, owner(keys, self.parts), keys, sorted_originals[label[roots]])
        out.counters |= {"links": forest.links, "left": len(keys)}
        yield from out.rest()


@dataclass(frozen=True)
class AnswerLookups:
    """LABEL and LOOKUP of one owner to REPLY."""

    ids: IdType

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("answer")
        empty = self.ids.empty()
        inbox = Inbox(batches)
        keys, labels = inbox.columns(Kind.LABEL, empty, empty)
        queries, by = inbox.columns(Kind.LOOKUP, empty, np.empty(0, np.uint64))
        if len(queries):
            out.send(Kind.REPLY, by.astype(np.int64), queries, labels[KeyRows(self.ids, keys).find(queries)])
        yield from out.rest()


@dataclass(frozen=True)
class ExpandLabels:
    """PARENT and REPLY of one owner to LABEL of its keys."""

    ids: IdType

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("expand")
        empty = self.ids.empty()
        inbox = Inbox(batches)
        keys, parents = inbox.columns(Kind.PARENT, empty, empty)
        known, labels = inbox.columns(Kind.REPLY, empty, empty)
        if len(keys):
            out.send(Kind.LABEL, to, keys, labels[KeyRows(self.ids, known).find(parents)])
        yield from out.rest()
