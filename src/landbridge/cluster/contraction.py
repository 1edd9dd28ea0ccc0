"""Tasks of contraction, for ids beyond the memory of every worker.

A round contracts each key into the first of its neighbours in the order of a hash of the round, the smallest original
key with it. Each task replaces its edges by trees of few children per key first (`KeyForest.groups`): so a component of
half of all ids, or a vertex with half of all edges, is no more work for one owner than others, and a round leaves about
one of `CHILDREN` keys. What is left goes to one worker when it fits, and labels travel back round by round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from landbridge.cluster.forests import KeyForest, bytes_per_key
from landbridge.cluster.keys import IdType, Keys, Table, hash_keys, owner
from landbridge.cluster.messages import Inbox, Kind, Outbox, pair_groups

CHILDREN = 16


@dataclass(frozen=True)
class Spread:
    """Forests of a partition as edges to the owners of both endpoints: FOREST to EDGE, without an exchange before."""

    ids: IdType
    parts: int
    memory: int
    threads: int = 1

    def __call__(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("spread")
        forest = KeyForest(self.ids, self.threads)
        most = max(self.memory // bytes_per_key(self.ids), 1)
        for u, v in pair_groups(batches, Kind.FOREST, min(most, 1 << 18)):
            forest.add(u, v)
            if len(forest) >= most:
                send_groups(out, forest, self.parts, 0)
                forest.clear()
                yield from out.full()
        send_groups(out, forest, self.parts, 0)
        yield from out.rest()


def send_groups(out: Outbox, forest: KeyForest, parts: int, turn: int) -> None:
    """The trees of a forest as edges to the owners of both endpoints, as round `turn` contracts them."""
    u, v = forest.groups(CHILDREN, turn + 1, hash_keys)
    out.send(Kind.EDGE, owner(u, parts), u, v)
    real = np.flatnonzero((u != v) if u.ndim == 1 else (u != v).any(axis=1))
    u, v = v[real], u[real]
    out.send(Kind.EDGE, owner(u, parts), u, v)


class _OwnedKeys:
    """What one owner has in a round: numbers of keys, edges from the keys it owns, and the smallest key of each."""

    def __init__(self, ids: IdType, batches: Iterable[Any], turn: int) -> None:
        empty = ids.empty()
        inbox = Inbox(batches)
        u, v = inbox.columns(Kind.EDGE, empty, empty)
        of, low = inbox.columns(Kind.LOW, empty, empty)
        table = Table(ids)
        self.a, self.b = table.pairs(u, v)
        of, low = table.pairs(of, low)
        self.keys = table.keys()
        order, _ = table.in_order()
        self.rank = np.empty(len(order), dtype=np.int64)  # the place of each number among the keys in order
        self.rank[order] = np.arange(len(order))
        self.by_rank = order
        n = len(order)
        self.low = self.rank.copy() if turn == 0 else np.full(n, n, dtype=np.int64)
        np.minimum.at(self.low, of, self.rank[low])
        self.owned = np.zeros(n, dtype=bool)
        self.owned[self.a] = self.owned[of] = True
        self.active = np.zeros(n, dtype=bool)
        self.active[self.a[self.a != self.b]] = True

    def lows(self, numbers: Any) -> Keys:
        """The smallest key of each of some."""
        keys: Keys = self.keys[self.by_rank[self.low[numbers]]]
        return keys


@dataclass(frozen=True)
class ChooseParent:
    """A round, at the owners: TABLE, HALF, ASK and LOW of keys with neighbours; LABEL of keys without."""

    ids: IdType
    parts: int
    turn: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("choose")
        here = _OwnedKeys(self.ids, batches, self.turn)
        n = len(here.keys)
        priority = np.empty(n, dtype=np.int64)  # of the round: different for any two keys
        priority[np.lexsort((here.rank, hash_keys(here.keys, self.turn + 1)))] = np.arange(n)
        best = priority.copy()
        np.minimum.at(best, here.a, priority[here.b])
        number = np.empty(n, dtype=np.int64)
        number[priority] = np.arange(n)
        into = number[best]
        done = np.flatnonzero(here.owned & ~here.active)
        out.send(Kind.LABEL, to, here.keys[done], here.lows(done))
        some = np.flatnonzero(here.active)
        some = some[np.argsort(here.rank[some])]
        out.send(Kind.TABLE, to, here.keys[some], here.keys[into[some]])
        once = np.flatnonzero(here.rank[here.a] < here.rank[here.b])
        v, half = here.keys[here.b[once]], here.keys[into[here.a[once]]]
        out.send(Kind.HALF, owner(v, self.parts), v, half)
        images = np.unique(into[some])
        low = np.full(n, n, dtype=np.int64)
        np.minimum.at(low, into[some], here.low[some])
        keys = here.keys[images]
        out.send(Kind.ASK, owner(keys, self.parts), keys, np.full(len(keys), to, dtype=np.uint64))
        out.send(Kind.LOW, owner(keys, self.parts), keys, here.keys[here.by_rank[low[images]]])
        out.counters |= {"owned": int(here.owned.sum()), "active": len(some), "left": len(images)}
        yield from out.rest()


@dataclass(frozen=True)
class RelabelEdges:
    """TABLE and HALF of one owner to EDGE of the next round."""

    ids: IdType
    parts: int
    turn: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("relabel")
        empty = self.ids.empty()
        inbox = Inbox(batches)
        keys, into = inbox.columns(Kind.TABLE, empty, empty)
        v, half = inbox.columns(Kind.HALF, empty, empty)
        table = Table(self.ids)
        place = _last(table.number(keys))
        at = table.find(v) if len(v) else np.empty(0, np.int32)
        u = into[place[at]]
        real = np.flatnonzero((u != half) if u.ndim == 1 else (u != half).any(axis=1))
        forest = KeyForest(self.ids)
        if len(real):
            forest.add(u[real], half[real])
        send_groups(out, forest, self.parts, self.turn + 1)
        yield from out.rest()


def _last(numbers: Any) -> Any:
    """A row of each number."""
    rows = np.zeros(int(numbers.max()) + 1 if len(numbers) else 0, dtype=np.int64)
    rows[numbers] = np.arange(len(numbers))
    return rows


@dataclass(frozen=True)
class GatherRest:
    """What is left at an owner, to the one worker that finishes; LABEL of keys without neighbours."""

    ids: IdType
    turn: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("settle")
        here = _OwnedKeys(self.ids, batches, self.turn)
        done = np.flatnonzero(here.owned & ~here.active)
        out.send(Kind.LABEL, to, here.keys[done], here.lows(done))
        some = np.flatnonzero(here.active)
        out.send(Kind.LOW, 0, here.keys[some], here.lows(some))
        once = np.flatnonzero(here.rank[here.a] < here.rank[here.b])
        out.send(Kind.EDGE, 0, here.keys[here.a[once]], here.keys[here.b[once]])
        out.counters |= {"owned": int(here.owned.sum()), "left": len(some)}
        yield from out.rest()


@dataclass(frozen=True)
class SolveRest:
    """EDGE and LOW of all that is left to LABEL, to the owners."""

    ids: IdType
    parts: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("finish")
        empty = self.ids.empty()
        inbox = Inbox(batches)
        u, v = inbox.columns(Kind.EDGE, empty, empty)
        of, low = inbox.columns(Kind.LOW, empty, empty)
        forest = KeyForest(self.ids)
        if len(of):
            forest.add(of, of)
        if len(u):
            forest.add(u, v)
        keys, roots = forest.labels()
        table = Table(self.ids)
        of, low = table.pairs(of, low)
        names = table.keys()
        order, _ = table.in_order()
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        smallest = np.full(len(keys), len(order), dtype=np.int64)
        at = table.find(keys) if len(keys) else np.empty(0, np.int32)
        root_of = np.empty(len(names), dtype=np.int64)
        root_of[at] = roots
        np.minimum.at(smallest, root_of[of], rank[low])
        out.send(Kind.LABEL, owner(keys, self.parts), keys, names[order[smallest[roots]]])
        out.counters |= {"links": forest.links, "left": len(keys)}
        yield from out.rest()


@dataclass(frozen=True)
class AnswerLookups:
    """LABEL and ASK of one owner to REPLY."""

    ids: IdType

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("answer")
        empty = self.ids.empty()
        inbox = Inbox(batches)
        keys, labels = inbox.columns(Kind.LABEL, empty, empty)
        queries, by = inbox.columns(Kind.ASK, empty, np.empty(0, np.uint64))
        if len(queries):
            table = Table(self.ids)
            place = _last(table.number(keys))
            out.send(Kind.REPLY, by.astype(np.int64), queries, labels[place[table.find(queries)]])
        yield from out.rest()


@dataclass(frozen=True)
class ExpandLabels:
    """TABLE and REPLY of one owner to LABEL of its keys."""

    ids: IdType

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("expand")
        empty = self.ids.empty()
        inbox = Inbox(batches)
        keys, into = inbox.columns(Kind.TABLE, empty, empty)
        known, labels = inbox.columns(Kind.REPLY, empty, empty)
        if len(keys):
            table = Table(self.ids)
            place = _last(table.number(known))
            out.send(Kind.LABEL, to, keys, labels[place[table.find(into)]])
        yield from out.rest()
