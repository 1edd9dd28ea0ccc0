"""The forest of one task over keys of 64 bits: keys ascending, and of each the place of the smallest one of its tree.

Edges are taken in blocks, whose keys are sorted; forests are united by merging their keys. No table of keys is needed:
keys are in order as they are, and places are numbers that trees can be built over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.cluster.keys import Keys, concatenated, native
from landbridge.errors import InputError
from landbridge.problems import PROBLEMS

_PLAN = "rem_cas(naive,halve_one)"
_BLOCK = 1 << 20
"""Edges that are sorted together, at most: some 80 bytes each."""
_FAN_IN = 8
"""Parts that are united at once, each key once in so many."""
_MOST_KEYS = 2**31 - 1


@dataclass(frozen=True)
class Stars:
    """Keys ascending, and of each the place of the smallest key of its tree."""

    keys: Keys
    roots: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.keys)


class SortedForest:
    """A forest over keys of 64 bits that grows by edges and by forests. block: edges that are sorted together.

    Adding an edge or a forest twice, in any order or direction, changes nothing.
    """

    def __init__(self, threads: int = 1, block: int = _BLOCK) -> None:
        self._threads, self._block = threads, max(min(block, _BLOCK), 1)
        self.clear()

    def clear(self) -> None:
        """Forget all keys."""
        self._parts: list[Stars] = []
        self._edges: list[tuple[Keys, Keys]] = []
        self._rows = 0

    def __len__(self) -> int:
        return len(self.whole())

    @property
    def most(self) -> int:
        """No more keys than this are here: O(1), where `len` unites what has been added."""
        return sum(map(len, self._parts)) + 2 * self._rows

    @property
    def links(self) -> int:
        """Edges of the forest."""
        stars = self.whole()
        return int((stars.roots != np.arange(len(stars), dtype=stars.roots.dtype)).sum())

    def add(self, u: Keys, v: Keys) -> None:
        """Edges between keys; a loop makes a vertex."""
        for begin in range(0, len(u), self._block):
            rows = slice(begin, begin + self._block)
            self._edges.append((u[rows], v[rows]))
            self._rows += len(u[rows])
            if self._rows >= self._block:
                self._sort()

    def add_stars(self, stars: Stars) -> None:
        """A forest."""
        if len(stars):
            self._parts.append(stars)

    def keys(self) -> Keys:
        """The different keys, ascending."""
        return self.whole().keys

    def labels(self) -> tuple[Keys, NDArray[np.int32]]:
        """All keys ascending, and for each the place of the smallest key of its tree."""
        stars = self.whole()
        return stars.keys, stars.roots

    def whole(self) -> Stars:
        """All that has been added."""
        self._sort()
        self._unite(0)
        return self._parts[0] if self._parts else Stars(np.empty(0, np.uint64), np.empty(0, np.int32))

    def _sort(self) -> None:
        """The edges as stars, and parts of one size as one: of n keys there are some log n parts."""
        if not self._edges:
            return
        u, v = (native(concatenated([pair[i] for pair in self._edges])) for i in (0, 1))
        self._edges, self._rows = [], 0
        keys, a, b = _core.places(u, v, self._threads)
        self._parts.append(Stars(keys, _roots(len(keys), [(a, b)], self._threads)))
        while len(self._parts) >= _FAN_IN and 2 * len(self._parts[-1]) >= len(self._parts[-_FAN_IN]):
            self._unite(len(self._parts) - _FAN_IN)

    def _unite(self, first: int) -> None:
        """The parts from number `first` on as one."""
        if len(self._parts) - first < 2:
            return
        groups: list[tuple[Keys, list[Any]]] = [(part.keys, [(None, part.roots)]) for part in self._parts[first:]]
        del self._parts[first:]
        while len(groups) > 1:
            groups.sort(key=lambda group: -len(group[0]))
            (a, of_a), (b, of_b) = groups.pop(), groups.pop()
            keys, in_a, in_b = _core.unite_ids(a, b, self._threads)
            if len(keys) > _MOST_KEYS:
                raise InputError("one task holds 2^31 ids or more: give it less memory, or the edges more partitions")
            groups.append((keys, [*_moved(of_a, in_a), *_moved(of_b, in_b)]))
            del a, b, of_a, of_b, in_a, in_b
        ((keys, parts),) = groups
        roots = _roots(len(keys), ((places, places[of]) for places, of in parts), self._threads)
        self._parts.append(Stars(keys, roots))


def _moved(parts: Any, places: NDArray[Any]) -> list[Any]:
    narrow = places.astype(np.int32, copy=False)
    return [(narrow if old is None else narrow[old], roots) for old, roots in parts]


def _roots(keys: int, edges: Any, threads: int) -> NDArray[np.int32]:
    """Of each of so many keys the smallest one of its tree, from edges between all of them."""
    engine, plan = PROBLEMS["incremental"].request(_PLAN, threads=threads).stream()
    trees = engine.trees(plan, keys, False, threads)
    for u, v in edges:
        trees.insert(u, v)
    roots: NDArray[np.int32]
    _, roots, _ = trees.snapshot(False)
    return roots
