"""The forest of one task: its different keys, and the trees that unite them.

Keys of 64 bits are sorted (`landbridge.cluster.sorted_forest`); those of 128 bits are in a table, and so are keys where
edges of the input are recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.cluster.keys import IdType, Keys, Table, hash_keys
from landbridge.cluster.sorted_forest import SortedForest
from landbridge.problems import PROBLEMS

_PLAN = "rem_cas(naive,halve_one)"

NARROW, WIDE = 48, 272
"""Bytes of a worker per key of 64 and of 128 bits, at most, as measured beyond what comes in: keys and trees, forests
and their union or a table of keys, and what goes out."""
OF_TABLE = 96
"""Of a key of 64 bits, where keys are in a table or are sorted as rows."""
OF_SPARE = 128
"""Of a task's memory for each key of parts of a forest that wait: 20 bytes, of a sixth of it."""
OF_FOREST = 24
"""And for a forest of edges of the input."""


def bytes_per_key(ids: IdType, forest: bool = False) -> int:
    """What a worker of the tree needs for each different key."""
    if forest:
        return bytes_per_row(ids) + OF_FOREST
    return WIDE if ids.wide else NARROW


def bytes_per_row(ids: IdType) -> int:
    """What a worker needs for each row of keys that it joins or contracts."""
    return WIDE if ids.wide else OF_TABLE


def forest_of(ids: IdType, threads: int = 1, memory: int = 0) -> KeyForest | SortedForest:
    """An empty forest over keys, which records no edges. memory: of its task in bytes, 0 if that is not known; a sixth
    of it may hold parts of the forest that wait to be united."""
    if ids.wide:
        return KeyForest(ids, threads)
    return SortedForest(threads, spare=memory // OF_SPARE) if memory else SortedForest(threads)


class KeyForest:
    """A forest over keys that grows by edges, with a table of keys. keep_edges: record which edges made it; one thread
    unites them then, so that the same edges in the same order leave the same record.

    Adding an edge twice, in any order or direction, changes nothing but which edges were recorded.
    """

    def __init__(self, ids: IdType, threads: int = 1, keep_edges: bool = False) -> None:
        self._ids, self._threads, self._keep_edges = ids, threads, keep_edges
        self.clear()

    def clear(self) -> None:
        """Forget all keys."""
        threads = 1 if self._keep_edges else self._threads
        engine, plan = PROBLEMS["incremental"].request(_PLAN, threads=threads).stream()
        self._table = Table(self._ids, self._threads)
        self._trees = engine.trees(plan, 0, self._keep_edges, threads)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def most(self) -> int:
        """No more keys than this are here."""
        return len(self)

    @property
    def links(self) -> int:
        """Edges of the forest."""
        return self._trees.vertices - self._trees.count if len(self) else 0

    def add(self, u: Keys, v: Keys) -> None:
        """Edges between keys; a loop makes a vertex."""
        a, b = self._table.pairs(u, v)
        self._trees.insert(a, b)

    def keys(self, since: int = 0) -> Keys:
        """The different keys, by first appearance, from number `since` on."""
        return self._table.keys(since)

    def numbers(self, keys: Keys) -> NDArray[np.int32]:
        """The numbers of keys that are here."""
        return self._table.number(keys)

    def labels(self) -> tuple[Keys, NDArray[np.int64]]:
        """All keys ascending, and for each the place of the smallest key of its tree."""
        if len(self) == 0:
            return self._ids.empty(), np.empty(0, dtype=np.int64)
        count, labels = self._trees.labels(self._threads)
        order, keys = self._table.in_order()
        labels = _core.relabel_in_order(order, labels, count, self._threads)
        first = np.empty(count, dtype=np.int64)
        first[labels[::-1]] = np.arange(len(keys) - 1, -1, -1)
        return keys, first[labels]

    def edges(self) -> tuple[Keys, NDArray[Any], NDArray[Any]]:
        """All keys; and the recorded edges, and each lone key as a loop, as places of keys."""
        keys = self.keys()
        if len(self) == 0:
            return keys, np.empty(0, np.int32), np.empty(0, np.int32)
        _, roots, (u, v, _) = self._trees.snapshot(True)
        lone = np.bincount(roots, minlength=len(keys)) == 1
        alone = np.flatnonzero(lone).astype(u.dtype)
        return keys, np.concatenate([u, alone]), np.concatenate([v, alone])


def edges_at(keys: Keys, u: NDArray[Any], v: NDArray[Any], rows: int = 2**62) -> Iterator[tuple[Keys, Keys]]:
    """Edges between places of keys, so many at a time."""
    for begin in range(0, len(u), rows):
        some = slice(begin, begin + rows)
        yield keys[u[some]], keys[v[some]]


def stars_of(keys: Keys, roots: NDArray[Any], rows: int = 2**62) -> Iterator[tuple[Keys, Keys]]:
    """Each key with the smallest of its tree, if that is another or the tree has no other, from the labels of a forest:
    keys ascending, of so many rows at a time."""
    lone = np.bincount(roots, minlength=len(keys)) == 1
    for begin in range(0, len(keys), rows):
        of = roots[begin : begin + rows]
        some = np.flatnonzero((of != np.arange(begin, begin + len(of))) | lone[begin : begin + rows])
        yield keys[begin : begin + rows][some], keys[of[some]]


def groups_of(keys: Keys, roots: NDArray[Any], parents: int, seed: int) -> tuple[Keys, Keys]:
    """Each tree of a forest, from its labels, as a tree of few children per key, whose parents come first in the order
    of their hashes.

    Lone keys come with themselves. Contracting each key into the first of its neighbours so leaves about one of
    `parents` keys, and no key has more than `parents` + 1 neighbours, however large its component.
    """
    order = np.lexsort((hash_keys(keys, seed), roots))
    sorted_roots = roots[order]
    starts = np.flatnonzero(np.r_[True, sorted_roots[1:] != sorted_roots[:-1]]) if len(order) else order
    lengths = np.diff(np.r_[starts, len(order)])
    begin = np.repeat(starts, lengths)
    place = np.arange(len(order)) - begin
    parent = order[begin + np.maximum(place - 1, 0) // parents]
    some = (place > 0) | (np.repeat(lengths, lengths) == 1)
    return keys[order[some]], keys[parent[some]]
