"""Forests whose arrays are made when they are first read."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from landbridge.result.forest import SpanningForest

Answer = TypeVar("Answer")


class TreeEdges(Protocol):
    """The edges of a forest of which no arrays have been made yet. ``len()``: how many there are."""

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """The bytes that it takes beside the graph."""

    def positions(self) -> NDArray[np.int64]:
        """Where they are in the input."""

    def endpoints(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """(u, v), in the graph's own ids. Raises InputError where it shows that the graph has changed."""


def forest_of(edges: TreeEdges, **fields: Any) -> SpanningForest:
    """A forest whose arrays are made of `edges` when they are first read; fields: its others."""
    none: Any = np.empty(0, np.int64)
    forest = SpanningForest(none, none, none, **fields)
    own = vars(forest)
    del own["u"], own["v"], own["edge"]
    own["_edges"] = edges
    if edges.nbytes >= len(edges) * none.itemsize:
        own["edge"] = edges.positions()  # takes no more memory than what it is made of
    return forest


def with_endpoints(forest: SpanningForest) -> SpanningForest:
    """The same forest, which has read the arrays of the graph and never does so again. O(n + m / 64)."""
    if "_edges" not in vars(forest):
        return forest
    began = time.perf_counter()
    _ = forest.u
    spent = time.perf_counter() - began
    profile = forest.profile
    seconds = dict(profile.seconds)
    seconds["collect"] = seconds.get("collect", 0.0) + spent
    return changed(forest, profile=replace(profile, seconds=seconds, total=profile.total + spent))


def changed(answer: Answer, **fields: Any) -> Answer:
    """The same answer with other values of fields from which nothing is derived; makes no arrays of a forest."""
    other: Answer = object.__new__(type(answer))
    vars(other).update(vars(answer) | fields)
    return other
