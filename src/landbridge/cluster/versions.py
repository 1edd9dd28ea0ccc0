"""Versions: whether all receivers of a task's edges have got those of one run.

Which edges stand for a partition may depend on the order of its rows, where they do not fit a task at once, or where
edges of the input are recorded. If a worker is lost after some receivers have read, the task runs again; rows that come
in another order then would give the others edges that do not go with the first ones, and connections would be lost. So
such a task sends a hash of all its edges with them, and its receivers compare that with the one that was counted first.
If they differ, the driver counts again and repeats all that reads the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.cluster.keys import Keys, hash_keys
from landbridge.cluster.messages import Inbox, Kind, Outbox
from landbridge.errors import InputError

_ORDER = "its rows came in another order"
_ADVICE = "write the edges to files first, whose rows keep their order"


class Version:
    """A hash of all edges that a task sends, in any order. parts: receivers. to_all: another run may have others."""

    def __init__(self, parts: int, to_all: bool = False) -> None:
        self.number = 0
        self._receivers = np.full(parts, to_all)

    def add(self, to: NDArray[Any], u: Keys, v: Keys) -> None:
        """Edges, and the receiver of each."""
        self._receivers[to] = True
        edges = hash_keys(u, 101) + np.uint64(3) * hash_keys(v, 102)
        self.number = (self.number + int(hash_keys(edges, 103).sum())) % 2**64

    def send(self, out: Outbox, task: int) -> None:
        """To its receivers, behind all edges, and to the counters. task: its number."""
        row = np.array([task], np.uint64), np.array([self.number], np.uint64)
        for to in np.flatnonzero(self._receivers).tolist():
            out.send(Kind.VERSION, to, *row)
        out.counters |= {"number": task, "version": self.number}


def versions_of(counters: Iterable[Mapping[str, Any]]) -> dict[int, int]:
    """The version of each task that has one, by its number."""
    return {one["number"]: one["version"] for one in counters if "version" in one}


def check_versions(inbox: Inbox, versions: Mapping[int, int]) -> None:
    """Raise InputError for a message of another version than the one that was counted."""
    none = np.empty(0, np.uint64)
    tasks, numbers = inbox.columns(Kind.VERSION, none, none)
    for task, number in zip(tasks.tolist(), numbers.tolist(), strict=True):
        if versions.get(task) != number:
            raise InputError(f"task {task} ran again, as a worker was lost, and {_ORDER}: {_ADVICE}")


def is_of_another_version(error: BaseException) -> bool:
    """Whether an error is that of `check_versions`, or of an engine that has its text from a task."""
    return _ORDER in str(error)


def too_many_versions(repeats: int) -> InputError:
    """The error where a task ran again in the meantime, each time."""
    return InputError(
        f"a task ran again, as a worker was lost, and {_ORDER}, also in each of {repeats} repeats: {_ADVICE}"
    )
