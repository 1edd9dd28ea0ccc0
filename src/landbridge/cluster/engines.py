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

    def each(self, edges: Any, task: Task) -> Any:
        """The messages of a task on each partition of rows; empty partitions may be left out."""

    def local(self, source: Source, task: Task) -> Any:
        """The messages of a task on messages where they are."""

    def merge(self, source: Source, task: Task, parts: int) -> Any:
        """The messages of a task on `parts` groups of messages, whatever they were sent to; with parts=1 on all."""

    def gather(self, sources: Sequence[Source], task: Task) -> Any:
        """The messages of a task on all messages that were sent to one receiver."""

    def keep(self, data: Any) -> list[dict[str, Any]]:
        """Run what makes data, hold them for later, and return the counters of their tasks."""

    def drop(self, data: Any) -> None:
        """Data that `keep` held are not needed any more."""

    def table(self, sources: Sequence[Source], task: Task, columns: Sequence[tuple[str, Any]]) -> Any:
        """As `gather`, for a task that yields rows: what the user gets, held. columns: names, and types in Arrow."""
