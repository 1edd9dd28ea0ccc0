"""Forests as messages: TREES of keys of 64 bits, and FOREST of all others.

TREES are rows of one forest whose keys ascend: the number of the forest, which is drawn at random, and the place of the
first key; then each key, and the place of the smallest key of its tree. Rows of several forests, in any order and any
of them twice, are forests again.
"""

from __future__ import annotations

import secrets
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from landbridge.cluster.forests import KeyForest, edges_at, stars_of
from landbridge.cluster.keys import Keys, concatenated
from landbridge.cluster.messages import Kind, Outbox, chunks
from landbridge.cluster.packing import ROWS, length, packed, rows_in, unpack, unpack_into
from landbridge.cluster.sorted_forest import SortedForest, Stars, keys_in_parts

_ROWS = 4 * ROWS
"""Keys of a forest in a message: as many bytes as other messages, two of whose columns may take 8 each."""
_PART = 1 << 18
"""Edges of a forest with a table that are put together to be sent."""
_HEAD = struct.Struct("<QQ")
"""Before the columns: the number of the forest, and the place of the first key."""
FORESTS = (Kind.FOREST, Kind.TREES)
"""The kinds of messages that hold forests."""


def send_forest(out: Outbox, to: int, forest: KeyForest | SortedForest, keep_edges: bool = False) -> None:
    """All trees of a forest. One with a table of keys is empty behind it: messages take the place of the table."""
    if isinstance(forest, SortedForest):
        send_stars(out, to, forest.whole())
        return
    some = edges_at(*forest.edges(), _PART) if keep_edges else stars_of(*forest.labels(), _PART)
    forest.clear()
    for edges in some:
        out.send(Kind.FOREST, to, *edges)


def send_stars(out: Outbox, to: int, stars: Stars) -> None:
    """A forest over keys of 64 bits."""
    number = secrets.randbits(63)
    for begin in range(0, len(stars), _ROWS):
        rows = slice(begin, begin + _ROWS)
        out.forward(to, Kind.TREES, _HEAD.pack(number, begin), *packed([stars.keys[rows], stars.roots[rows]]))


def read_forests(
    batches: Iterable[Any], forest: KeyForest | SortedForest, rows: int = 1 << 18, edges: Kind = Kind.FOREST
) -> Iterator[None]:
    """Add the forests of messages to one, some `rows` rows at a time or a whole forest at a time."""
    parts: list[Any] = []
    trees = TreesInbox()
    count = 0
    for code, data in chunks(batches):
        if code == int(Kind.TREES):
            trees.add(data)
        elif code == int(edges):
            parts.append(unpack(data))
            count += length(parts[-1][0])
        if count >= rows:
            _add(forest, parts)
            parts, count = [], 0
            yield
    if parts:
        _add(forest, parts)
        yield
    if isinstance(forest, SortedForest):
        for stars in trees.forests():
            forest.add_stars(stars)
            yield


def _add(forest: KeyForest | SortedForest, parts: list[Any]) -> None:
    u, v = (concatenated([part[i] for part in parts]) for i in (0, 1))
    forest.add(u, v)


def edges_of_stars(stars: Stars) -> tuple[Keys, Keys]:
    """Each key with the smallest of its tree, if that is another or the tree has no other; keys ascending."""
    return next(stars_of(stars.keys, stars.roots), (stars.keys, stars.keys))


class TreesInbox:
    """TREES of any forests, which may come in any order and twice."""

    def __init__(self) -> None:
        self._forests: dict[int, dict[int, memoryview]] = defaultdict(dict)

    def add(self, data: bytes | memoryview) -> None:
        """A message: rows with consecutive places, which stay as they are until all have come."""
        number, place = _HEAD.unpack_from(data)
        self._forests[number][place] = memoryview(data)[_HEAD.size :]

    def forests(self) -> Iterator[Stars]:
        """The forests, each forgotten as it goes."""
        while self._forests:
            _, parts = self._forests.popitem()
            rows = sum(rows_in(data) for data in parts.values())
            keys, memory = keys_in_parts(rows)
            roots = np.empty(rows, dtype=np.int32)
            for begin, data in parts.items():
                some = slice(begin, begin + rows_in(data))
                unpack_into(data, keys[some], roots[some])
            del parts
            yield Stars(keys, roots, memory)


def is_full(forest: KeyForest | SortedForest, most: int) -> bool:
    """Whether a forest may grow beyond `most` keys by what comes next. Where keys are counted by uniting them, half of
    that is full: so they are united once in so many keys."""
    if isinstance(forest, KeyForest):
        return len(forest) >= most
    return forest.most >= most and 2 * len(forest) >= most
