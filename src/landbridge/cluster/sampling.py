"""Tasks of a sample: a few forests show the largest component, and the others leave out what joins its members.

Which keys are members is sent to all partitions as runs of consecutive keys, exactly. A partition that gets some of the
runs, or none, keeps edges that it could leave out, and nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.cluster.keys import IdType, Keys, Table, column_of, concatenated, numbers_of
from landbridge.cluster.messages import Kind, Outbox
from landbridge.cluster.packing import ROWS, Column, unpack
from landbridge.cluster.tasks import MergeForests
from landbridge.cluster.trees import FORESTS, TreesInbox, edges_of_stars, send_forest

_ROWS = 1 << 18
"""Keys that are looked through together for members."""


@dataclass(frozen=True)
class SelectForests:
    """The forests of some partitions, by their numbers in the first pass."""

    partitions: frozenset[int]

    def __call__(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        numbers = sorted(self.partitions)
        for batch in batches:
            some = np.isin(numbers_of(batch.column(0)), numbers) & np.isin(numbers_of(batch.column(1)), FORESTS)
            if some.any():
                yield batch.take(column_of(np.flatnonzero(some)))


@dataclass(frozen=True)
class MergeSample(MergeForests):
    """Several forests as one, and the members of its largest component as MEMBERS."""

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("sample")
        forest = self.merged(batches, out)
        keys, roots = forest.labels()
        largest = np.bincount(roots).argmax() if len(keys) else -1
        count = 0
        for begin in range(0, len(keys), _ROWS):  # a run may end where these do
            members = keys[begin : begin + _ROWS][roots[begin : begin + _ROWS] == largest]
            out.send(Kind.MEMBERS, to, *runs_of(members))
            count += len(members)
        del keys, roots
        send_forest(out, to, forest, self.forest)
        out.counters |= {"members": count}
        yield from out.rest()


def runs_of(keys: Keys) -> tuple[Column, ...]:
    """Ascending different keys as MEMBERS: the first key of each run, how many follow it; of 128-bit keys each one."""
    if keys.ndim == 2 or len(keys) == 0:
        return (keys,)
    begins = np.flatnonzero(np.r_[True, keys[1:] - keys[:-1] != 1])
    return keys[begins], (np.diff(np.r_[begins, len(keys)]) - 1).astype(np.uint64)


class Members:
    """Keys of MEMBERS, which may come in any order and twice."""

    def __init__(self, ids: IdType) -> None:
        self._ids = ids
        self._parts: list[list[Any]] = []
        self._table = Table(ids)
        self._first = self._follow = np.empty(0, dtype=np.uint64)

    def add(self, columns: list[Any]) -> None:
        """The columns of a message."""
        if self._ids.wide:
            self._table.number(columns[0])
        else:
            self._parts.append(columns)

    def holds(self, keys: Keys) -> NDArray[np.bool_]:
        """For each of some keys, whether it is a member that has come."""
        if self._ids.wide:
            return self._table.find(keys) >= 0 if len(self._table) else np.zeros(len(keys), dtype=bool)
        if self._parts:
            parts = [[self._first, self._follow], *self._parts]
            first, follow = (concatenated([part[i] for part in parts]) for i in (0, 1))
            order = np.argsort(first, kind="stable")
            self._first, self._follow, self._parts = first[order], follow[order], []
        run = np.searchsorted(self._first, keys, side="right") - 1
        held = np.zeros(len(keys), dtype=bool)
        some = np.flatnonzero(run >= 0)
        held[some] = keys[some] - self._first[run[some]] <= self._follow[run[some]]
        return held


@dataclass(frozen=True)
class LeaveOutMembers:
    """MEMBERS and the forests of one partition: FOREST without what joins two members, and without some partitions.

    forest: edges of the input, not stars. Of the members in a star around another key, one remains in each chunk.
    """

    ids: IdType
    partitions: frozenset[int]
    forest: bool = False

    def __call__(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("rest")
        members, trees = Members(self.ids), TreesInbox()
        waiting: list[tuple[Any, Any]] = []
        left = 0
        for batch in batches:
            to, kinds, data = batch.column(0).to_pylist(), batch.column(1).to_pylist(), batch.column(2)
            for number, kind, value in zip(to, kinds, data, strict=True):
                if kind == int(Kind.MEMBERS):
                    members.add(unpack(value.as_py()))
                elif kind == int(Kind.TREES) and number not in self.partitions:
                    trees.add(value.as_py())
                elif kind == int(Kind.FOREST) and number not in self.partitions:
                    columns: list[Any] = unpack(value.as_py())
                    left += self._keep(members, waiting, columns[0], columns[1])
                    yield from self._send(out, partition, waiting, ROWS)
        for stars in trees.forests():
            left += self._keep(members, waiting, *edges_of_stars(stars))
            yield from self._send(out, partition, waiting, ROWS)
        yield from self._send(out, partition, waiting, 1)
        out.counters |= {"left": left}
        yield from out.rest()

    def _keep(self, members: Members, waiting: list[tuple[Any, Any]], u: Keys, v: Keys) -> int:
        some = self._rest(members, u, v)
        if len(some):
            waiting.append((u[some], v[some]))
        return len(some)

    def _rest(self, members: Members, u: Keys, v: Keys) -> NDArray[np.int64]:
        """The rows that are needed."""
        u_inside, v_inside = members.holds(u), members.holds(v)
        needed = ~(u_inside & v_inside)
        if not self.forest:
            around = np.flatnonzero(u_inside & ~v_inside)
            _, first = np.unique(v[around], axis=0, return_index=True)
            needed[around] = False
            needed[around[first]] = True
        return np.flatnonzero(needed)

    def _send(self, out: Outbox, partition: int, waiting: list[tuple[Any, Any]], least: int) -> Iterator[Any]:
        if sum(len(u) for u, _ in waiting) >= least:
            u, v = (concatenated([pair[i] for pair in waiting]) for i in (0, 1))
            out.send(Kind.FOREST, partition, u, v)
            waiting.clear()
        yield from out.full()
