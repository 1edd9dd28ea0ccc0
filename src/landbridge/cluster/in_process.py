"""An engine of this process: partitions are lists of Arrow batches. For tests of the core, and small data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from landbridge.cluster.engines import Source, Task
from landbridge.cluster.keys import arrow, column_of, numbers_of
from landbridge.cluster.messages import Kind, counters_of

Partition = list[Any]


class InProcess:
    """Runs tasks one after the other. Data are lists of partitions, each a list of batches of messages.

    memory: bytes that a task may take. places: that partitions lie in, by their numbers; 0: each in one of its own.
    """

    def __init__(self, tasks: int = 2, memory: int = 1 << 30, places: int = 0) -> None:
        self.tasks, self.memory, self.threads, self.places = tasks, memory, 1, places
        self.moved = 0  # bytes of messages that went from task to task

    def run(self, task: Task, number: int, batches: Partition) -> Partition:
        """One task."""
        return list(task(number, iter(batches)))

    def map_partitions(self, edges: Sequence[Partition], task: Task) -> list[Partition]:
        """A task on each partition of rows."""
        return [self.run(task, i, partition) for i, partition in enumerate(edges)]

    def map_messages(self, source: Source, task: Task, to_all: Source | None = None) -> list[Partition]:
        """A task on messages where they are."""
        more, kinds = to_all or ([], ())
        shared = [batch for part in more for batch in only(part, kinds)]
        parts = [only(part, source[1]) for part in source[0]]
        return [self.run(task, i, self.delivered(shared) + part) for i, part in enumerate(parts)]

    def reduce_groups(self, sources: Sequence[Source], task: Task, groups: int) -> list[Partition]:
        """A task on `groups` groups of messages."""
        merged: list[Partition] = [[] for _ in range(groups)]
        parts = [only(part, kinds) for data, kinds in sources for part in data]
        for i, part in enumerate(parts):
            merged[i * groups // len(parts)] += self.delivered(part)
        return [self.run(task, i, group) for i, group in enumerate(merged)]

    def combine(self, source: Source, task: Task, fan_in: int) -> Source:
        """The messages of each place in one partition."""
        data, kinds = source
        if not self.places:
            return source
        at = [data[i :: self.places] for i in range(min(self.places, len(data)))]
        for parts in at:
            while len(parts) > 1:
                groups = [parts[begin : begin + fan_in] for begin in range(0, len(parts), fan_in)]
                merged = [[batch for part in group for batch in only(part, kinds)] for group in groups]
                parts[:] = [self.run(task, i, group) for i, group in enumerate(merged)]
        return [part for parts in at for part in parts], kinds

    def shuffle(self, sources: Sequence[Source], task: Task, receivers: int) -> list[Partition]:
        """A task on all messages that were sent to one receiver."""
        return [self.run(task, to, batches) for to, batches in sorted(self._by_receiver(sources).items())]

    def _by_receiver(self, sources: Sequence[Source]) -> dict[int, Partition]:
        groups: dict[int, Partition] = defaultdict(list)
        for data, kinds in sources:
            for part in data:
                for receiver, batches in by_receiver(self.delivered(only(part, kinds)), kinds).items():
                    groups[receiver] += batches
        return groups

    def delivered(self, batches: Partition) -> Partition:
        """What arrives of batches that are sent."""
        self.moved += sum(batch.column(2).nbytes for batch in batches)
        return batches

    def persist(self, data: list[Partition]) -> list[dict[str, Any]]:
        """The counters."""
        batches = [batch for part in data for batch in only(part, (Kind.COUNTERS,))]
        return counters_of(value.as_py() for batch in batches for value in batch.column(2))

    def release(self, data: Any) -> None:
        """Nothing is held."""

    def table(self, sources: Sequence[Source], task: Task, columns: Sequence[tuple[str, Any]], receivers: int) -> Any:
        """A table of Arrow."""
        groups = sorted(self._by_receiver(sources).items())

        def run(to: int, batches: Iterable[Any]) -> Iterator[Any]:
            return iter(self.run(task, to, list(batches)))

        tables = [gathered(run, to, part, columns) for to, part in groups]
        return arrow().concat_tables([*tables, arrow().Table.from_batches([], schema=arrow().schema(list(columns)))])


def gathered(task: Task, to: int, batches: Partition, columns: Sequence[tuple[str, Any]]) -> Any:
    """The rows of one receiver as a table of Arrow."""
    return arrow().Table.from_batches(list(task(to, iter(batches))), schema=arrow().schema(list(columns)))


def by_receiver(part: Partition, kinds: tuple[Kind, ...]) -> dict[int, Partition]:
    """The messages of some kinds, by receiver."""
    groups: dict[int, Partition] = defaultdict(list)
    for batch in only(part, kinds):
        to, in_order = numbers_of(batch.column(0)), batch
        if (np.diff(to) < 0).any():
            order = np.argsort(to, kind="stable")
            to, in_order = to[order], batch.take(column_of(order))
        bounds = np.flatnonzero(np.diff(to)) + 1
        for begin, stop in pairwise([0, *bounds.tolist(), len(to)]):
            groups[int(to[begin])].append(in_order.slice(begin, stop - begin))
    return dict(groups)


def only(part: Partition, kinds: tuple[Kind, ...]) -> Partition:
    """The messages of some kinds, where they are."""
    read = np.zeros(len(Kind), dtype=bool)
    read[[int(kind) for kind in kinds]] = True
    batches = []
    for batch in part:
        rows = read[numbers_of(batch.column(1))]
        bounds = np.flatnonzero(np.diff(rows, prepend=False, append=False)).reshape(-1, 2)
        batches += [batch.slice(begin, stop - begin) for begin, stop in bounds.tolist()]
    return batches
