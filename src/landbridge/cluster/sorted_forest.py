"""The forest of one task over keys of 64 bits: keys ascending, and of each the place of the smallest one of its tree.

Edges are taken in blocks, whose keys are sorted; a block whose edges join most of its keys becomes a forest at once,
and others wait to be united with all else. Parts are united by merging their keys, some at a time: what has been
merged of a part is given back to the system before the next keys come. No table of keys is needed: keys are in order
as they are, and places are numbers that trees can be built over.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.cluster.keys import Keys
from landbridge.errors import InputError
from landbridge.problems import PROBLEMS

_PLAN = "rem_cas(naive,halve_one)"
_BLOCK = 1 << 19
"""Edges that are sorted together, at most: some 80 bytes each."""
_SPARE = 1 << 22
"""Keys of parts that wait to be united, beyond twice those of the largest part: some 20 bytes each."""
_LOOSE = 2 / 3
"""Edges of a block over its keys, up to which it is no forest before it is united: trees of so few edges leave about as
many keys to unite, and edges take hardly more memory than trees."""
_WINDOW = 1 << 17
"""Keys of all parts that are merged at a time: they stay in the cache."""
_ROWS = 1 << 20
_MOST_KEYS = 2**31 - 1
_RELEASE = getattr(mmap, "MADV_DONTNEED", None)
_LARGE = 1 << 20
"""Bytes from which on memory is asked of the system, and given back to it in parts."""


class AscendingKeys:
    """Keys ascending, and what joins them. memory: of the keys, if it can be given back in parts."""

    keys: Keys
    memory: Any

    def __len__(self) -> int:
        return len(self.keys)

    def release(self, rows: int) -> None:
        """The first keys, so many, are not read again."""
        if self.memory is not None:
            done = 8 * rows // mmap.PAGESIZE * mmap.PAGESIZE
            if done:
                self.memory.madvise(_RELEASE, 0, done)


@dataclass(frozen=True)
class Stars(AscendingKeys):
    """Of each key the place of the smallest key of its tree."""

    keys: Keys
    roots: NDArray[np.int32]
    memory: Any = None

    @property
    def endpoints(self) -> tuple[None, NDArray[np.int32]]:
        """Edges from each key to its root; those that they come from are all keys, one after the other."""
        return None, self.roots


@dataclass(frozen=True)
class LooseEdges(AscendingKeys):
    """Edges between places of keys, that nothing has united."""

    keys: Keys
    endpoints: tuple[NDArray[np.int32], NDArray[np.int32]]
    memory: Any = None


def keys_in_parts(count: int) -> tuple[Keys, Any]:
    """Room for keys, and its memory if it can be given back in parts: what is not written takes none."""
    if _RELEASE is None or 8 * count < _LARGE:
        return np.empty(count, dtype=np.uint64), None
    memory = mmap.mmap(-1, 8 * count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype=np.uint64), memory


class SortedForest:
    """A forest over keys of 64 bits that grows by edges and by forests. block: edges that are sorted together. spare:
    keys of parts that may wait to be united, beyond twice those of the largest part.

    Adding an edge or a forest twice, in any order or direction, changes nothing. Arrays that come out have their values
    until something is added to the forest: their memory may be given back then.
    """

    def __init__(self, threads: int = 1, block: int = _BLOCK, spare: int = _SPARE) -> None:
        self._threads, self._block, self._spare = threads, max(min(block, _BLOCK), 1), spare
        self._edges = np.empty((2, 0), dtype=np.uint64)
        self.clear()

    def clear(self) -> None:
        """Forget all keys."""
        self._parts: list[Stars | LooseEdges] = []
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
        roots, links = self.whole().roots, 0
        for begin in range(0, len(roots), _ROWS):
            some = roots[begin : begin + _ROWS]
            links += int((some != np.arange(begin, begin + len(some), dtype=some.dtype)).sum())
        return links

    def add(self, u: Keys, v: Keys) -> None:
        """Edges between keys, which are copied; a loop makes a vertex."""
        if not self._edges.size:
            self._edges = np.empty((2, self._block), dtype=np.uint64)
        at = 0
        while at < len(u):
            stop = min(at + self._block - self._rows, len(u))
            room = slice(self._rows, self._rows + stop - at)
            self._edges[0, room], self._edges[1, room] = u[at:stop], v[at:stop]
            self._rows += stop - at
            at = stop
            if self._rows == self._block:
                self._sort()

    def add_stars(self, stars: Stars) -> None:
        """A forest; where it has memory, that is given back: no other one may use it."""
        if len(stars):
            self._parts.append(stars)
            self._limit()

    def keys(self) -> Keys:
        """The different keys, ascending."""
        return self.whole().keys

    def labels(self) -> tuple[Keys, NDArray[np.int32]]:
        """All keys ascending, and for each the place of the smallest key of its tree."""
        stars = self.whole()
        return stars.keys, stars.roots

    def whole(self) -> Stars:
        """All that has been added, without its memory: other forests it is added to do not give that back."""
        self._sort()
        one = self._unite()
        return Stars(one.keys, one.roots)

    def _sort(self) -> None:
        """The edges as a part: a forest, or loose edges."""
        if not self._rows:
            return
        u, v = self._edges[:, : self._rows]
        keys, a, b = _core.places(u, v, self._threads)
        rows, self._rows = self._rows, 0
        # As copies: the core keeps memory that it has asked of the system for arrays of its own.
        copy, memory = keys_in_parts(len(keys))
        copy[:] = keys
        if rows <= _LOOSE * len(keys):
            self._parts.append(LooseEdges(copy, (a.copy(), b.copy()), memory))
        else:
            self._parts.append(Stars(copy, _roots(len(keys), iter([(a, b)]), self._threads).copy(), memory))
        self._limit()

    def _limit(self) -> None:
        """Parts are united once they have twice the keys of the largest one, and some: each key a few times."""
        sizes = [len(part) for part in self._parts]
        if sum(sizes) > 2 * max(sizes) + self._spare:
            self._unite()

    def _unite(self) -> Stars:
        """The parts as one."""
        parts, self._parts = self._parts, []
        if not parts:
            return Stars(np.empty(0, np.uint64), np.empty(0, np.int32))
        one = parts[0]
        if len(parts) > 1:
            keys, memory, places = _merged(parts)
            endpoints = [part.endpoints for part in parts]
            del parts[:], one
            one = Stars(keys, _roots(len(keys), _edges(places, endpoints), self._threads), memory)
        elif isinstance(one, LooseEdges):
            one = Stars(one.keys, _roots(len(one), iter([one.endpoints]), self._threads), one.memory)
        self._parts.append(one)
        return one


def _merged(parts: Sequence[AscendingKeys]) -> tuple[Keys, Any, list[NDArray[np.int32]]]:
    """The different keys of all parts, their memory, and the place of each key of each part."""
    total = sum(map(len, parts))
    keys, memory = keys_in_parts(total)
    places = [np.empty(len(part), dtype=np.int32) for part in parts]
    steps = [min(max(_WINDOW * len(part) // total, 64), len(part)) for part in parts]
    spare = np.empty(2 * sum(steps), dtype=np.uint64), np.empty(2 * sum(steps), dtype=np.int32)
    at = [0] * len(parts)
    count = 0
    left = list(range(len(parts)))
    while left:
        # A part whose last keys are in its window says nothing about where the others end.
        last_keys = (parts[i].keys[at[i] + steps[i] - 1] for i in left if at[i] + steps[i] < len(parts[i]))
        bound = min(last_keys, default=np.uint64(2**64 - 1))
        begins = at[:]
        for i in left:
            some = parts[i].keys[at[i] : at[i] + steps[i]]
            at[i] += int(np.searchsorted(some, bound, "right"))
        rows = [(i, slice(begins[i], at[i])) for i in left if at[i] > begins[i]]
        windows, of = [parts[i].keys[some] for i, some in rows], [places[i][some] for i, some in rows]
        count += _core.merge_ascending(windows, count, keys[count:], of, *spare)
        if count > _MOST_KEYS:
            raise InputError("one task holds 2^31 ids or more: give it less memory, or the edges more partitions")
        for i, _ in rows:
            parts[i].release(at[i])
        left = [i for i in left if at[i] < len(parts[i])]
    return keys[:count], memory, places


def _edges(places: list[Any], endpoints: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The edges of parts between places, some at a time, which are read before the next ones; lists that are
    emptied."""
    most = min(max((len(v) for _, v in endpoints), default=0), _ROWS)
    room = np.empty((2, most), dtype=np.int32)
    while places:
        where, (u, v) = places.pop(), endpoints.pop()
        for begin in range(0, len(v), _ROWS):
            to = np.take(where, v[begin : begin + _ROWS], out=room[0, : len(v) - begin], mode="clip")
            if u is None:
                yield where[begin : begin + _ROWS], to
            else:
                yield np.take(where, u[begin : begin + _ROWS], out=room[1, : len(v) - begin], mode="clip"), to


def _roots(keys: int, edges: Iterator[tuple[Any, Any]], threads: int) -> NDArray[np.int32]:
    """Of each of so many keys the smallest one of its tree, from edges between all of them."""
    engine, plan = PROBLEMS["incremental"].request(_PLAN, threads=threads).stream()
    trees = engine.trees(plan, keys, False, threads)
    for u, v in edges:
        trees.insert(u, v)
    roots: NDArray[np.int32]
    _, roots, _ = trees.snapshot(False)
    return roots
