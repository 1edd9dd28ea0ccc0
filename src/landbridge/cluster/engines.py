"""What the reduce core needs of an engine. Data are messages (`landbridge.cluster.messages`), wherever it has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from landbridge.cluster.messages import Kind

Task = Callable[[int, Iterable[Any]], Iterator[Any]]
"""Of the number of a partition or a receiver and its batches; picklable and idempotent."""
Source = tuple[Any, tuple[Kind, ...]]
"""Data, and the kinds of messages of it that are read."""


class MessageEngine(Protocol):
    """An engine moves messages between tasks. It may run a task any number of times and take the output of one run."""

    @property
    def tasks(self) -> int:
        """How many tasks run at once, at least 1."""

    @property
    def memory(self) -> int:
        """Bytes that a task may take, by default half of what the engine gives it."""

    @property
    def threads(self) -> int:
        """Threads of a task while no other one of the run works: those of its worker, or of all workers of its host
        where an engine says which these are; at least 1."""

    @property
    def places(self) -> int:
        """How many places partitions of messages lie in, for `combine`; 0 if the engine does not know."""

    def map_partitions(self, edges: Any, task: Task) -> Any:
        """The messages of a task on each partition of edges, or on several together. The task gets the number of what
        it takes; an error of the caller's rows names the partition as the caller divided them. Empty partitions may be
        left out."""

    def map_messages(self, source: Source, task: Task, to_all: Source | None = None) -> Any:
        """The messages of a task on each partition of messages, where they are: nothing is moved but `to_all`, of which
        each partition gets all messages, in front of its own. The task is right also if they come later or not at all.
        """

    def reduce_groups(self, sources: Sequence[Source], task: Task, groups: int) -> Any:
        """The messages of a task on `groups` groups of messages, those of one partition that were sent to one number in
        one group; with groups=1 on all."""

    def combine(self, source: Source, task: Task, fan_in: int) -> Source:
        """The messages of each place in one partition, by a task on at most `fan_in` of its partitions, level by level;
        as they are from an engine that does not know places."""

    def shuffle(self, sources: Sequence[Source], task: Task, receivers: int) -> Any:
        """The messages of a task for each receiver that any message names: it gets its number, below `receivers`, and
        all messages of all sources that were sent to it, in any order."""

    def persist(self, data: Any) -> list[dict[str, Any]]:
        """Run what makes data, hold them for later, and return the counters of their tasks."""

    def release(self, data: Any) -> None:
        """Data that `persist` held are not needed any more."""

    def table(self, sources: Sequence[Source], task: Task, columns: Sequence[tuple[str, Any]], receivers: int) -> Any:
        """As `shuffle`, for a task that yields rows: what the user gets, held. columns: names, and types in Arrow."""
