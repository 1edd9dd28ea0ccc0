"""Results: what every plan, device and thread count returns, identical to the last bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

LabelArray = NDArray[np.signedinteger[Any]]
IdArray = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Profile:
    """Where the time went.

    seconds: wall seconds of each phase in order. total: of the whole run on the engine.
    threads: how many were used. skipped: the share of vertices whose rows the finish did not read (0..1).
    rounds: how many rounds the finish took on CPU threads, those of all stages together, a last one that finds nothing
        to do included. None for a finish without rounds, and on a GPU, which counts none.
    """

    seconds: Mapping[str, float]
    total: float
    threads: int
    skipped: float
    rounds: int | None = None


@dataclass(frozen=True, eq=False)
class SpanningForest:
    """n - k edges of a graph of n vertices and k components: no cycle, and a tree for each component.

    u, v: shape (n - k,), the ends of each edge in the graph's own ids, as the edge is stored: int32 (int64 from 2^31
        vertices on), or the type of ``ids`` where there are any.
    edge: shape (n - k,), int64: the position of each edge in the input; for pairs the index of the pair, for rows the
        position in the array of neighbours. CPU threads give the edges in ascending order, a GPU in the order in which
        they linked.
    count: the number of trees k, isolated vertices included; ``len(edge) == num_vertices - count``.
    plan: the canonical text of the plan that ran. device: where. Edges on a GPU give CuPy arrays.
    ids: the original id of each vertex where vertices were renumbered, else None.
    Which edges they are may differ from run to run; that they are a spanning forest does not.
    """

    u: NDArray[Any]
    v: NDArray[Any]
    edge: NDArray[np.int64]
    count: int
    plan: str
    device: str
    profile: Profile
    ids: NDArray[Any] | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def num_vertices(self) -> int:
        """The number of vertices of the graph."""
        return self.count + len(self.edge)

    def __repr__(self) -> str:
        return f"SpanningForest(count={self.count}, edges={len(self.edge)}, plan={self.plan!r}, device={self.device!r})"


@dataclass(frozen=True, eq=False)
class Components:
    """Connected components; unpacks like SciPy's result: ``count, labels = components(A)``.

    count: the number of components k.
    labels: shape (n,), int32 (int64 from 2^31 vertices on), 0..k-1, numbered by the smallest vertex of each component.
    plan: the canonical text of the plan that ran.
    device: where it ran. Edges on a GPU give labels, and all arrays derived from them, as CuPy arrays.
    profile: phases and seconds.
    ids: shape (n,), the original id of each vertex where vertices were renumbered, else None. Of vertices with names
        it is an array of str that is made where it is looked at.
    library: where the edges came as a data frame, whose it was: "pandas", "polars" or "pyarrow".
    """

    count: int
    labels: LabelArray
    plan: str
    device: str
    profile: Profile
    ids: NDArray[Any] | None = None
    notes: tuple[str, ...] = field(default=())
    library: str | None = None

    def __iter__(self) -> Iterator[Any]:
        yield self.count
        yield self.labels

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return (
            f"Components(count={self.count}, vertices={len(self.labels)}, plan={self.plan!r}, device={self.device!r})"
        )

    @cached_property
    def first(self) -> LabelArray:
        """Shape (k,): the smallest vertex of each component, ascending. O(n)."""
        # Labels are numbered by first appearance, so a component begins where the running maximum rises.
        if self.count == 0:
            return self.labels[:0]
        if not isinstance(self.labels, np.ndarray):
            return self._first_on_device()
        running = np.maximum.accumulate(self.labels)
        starts = np.empty(len(running), dtype=bool)
        starts[0] = True
        np.greater(running[1:], running[:-1], out=starts[1:])
        return np.flatnonzero(starts).astype(self.labels.dtype, copy=False)

    def _first_on_device(self) -> Any:
        import cupy

        n = len(self.labels)
        first = cupy.full(self.count, n, dtype=self.labels.dtype)
        cupy.minimum.at(first, self.labels, cupy.arange(n, dtype=self.labels.dtype))
        return first

    @cached_property
    def representatives(self) -> LabelArray:
        """Shape (n,): the smallest vertex of each vertex's component. O(n)."""
        return self.first[self.labels]

    def sizes(self) -> NDArray[np.int64]:
        """Shape (k,): the number of vertices of each component. O(n)."""
        return np.bincount(self.labels, minlength=self.count).astype(np.int64, copy=False)

    @cached_property
    def largest_size(self) -> int:
        """The number of vertices of the largest component; 0 for a graph without vertices."""
        return int(self.sizes().max()) if self.count else 0

    def largest(self) -> NDArray[np.int64]:
        """The vertices of the largest component, ascending; of several, the one with the smallest vertex. O(n)."""
        if self.count == 0:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self.labels == int(self.sizes().argmax())).astype(np.int64, copy=False)

    def frame(self, library: str | None = None) -> Any:
        """A table with a row for each vertex: ``id`` (the original id, or the number of the vertex) and ``component``.

        library: "pandas", "polars" or "pyarrow"; by default that of the data frame the edges came in, else pyarrow.
        Raises ImportError if it is not installed, ValueError for any other.
        """
        wanted = library or self.library or "pyarrow"
        labels = self.labels if isinstance(self.labels, np.ndarray) else self.labels.get()
        ids: Any = np.arange(len(labels)) if self.ids is None else self.ids
        if wanted not in ("pandas", "polars", "pyarrow"):
            raise ValueError(f"frames are of pandas, polars or pyarrow, not {wanted!r}")
        frames: Any = import_module(wanted)
        if wanted == "pandas":
            return frames.DataFrame({"id": np.asarray(ids), "component": labels})
        if wanted == "polars" and not hasattr(ids, "__arrow_array__"):
            return frames.DataFrame({"id": ids, "component": labels})
        arrow: Any = import_module("pyarrow")
        table = arrow.table({"id": arrow.array(ids), "component": labels})
        return table if wanted == "pyarrow" else frames.DataFrame(table)

    def groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All components at once, as rows: the vertices of component c are ``members[offsets[c]:offsets[c + 1]]``.

        offsets: shape (k + 1,); members: shape (n,), ascending within a component. One stable sort by label.
        """
        sizes = self.sizes()
        offsets = np.zeros_like(sizes, shape=self.count + 1)
        np.cumsum(sizes, out=offsets[1:])
        return offsets, np.argsort(self.labels, kind="stable").astype(np.int64, copy=False)


@dataclass(frozen=True, eq=False)
class Ranking:
    """Where each element stands in its list: what `rank_list` and `scan_list` give with ``full=True``.

    ranks: shape (n,), the ranks or scanned values. tails: shape (n,), the tail of each element's list, which serves as
    the list's id; int32 below 2^31 elements, else int64. plan: the canonical text of what ran. device: where.
    Successors on a GPU give arrays of CuPy.
    """

    ranks: Any
    tails: Any
    plan: str
    device: str
    profile: Profile

    def __len__(self) -> int:
        return len(self.ranks)

    @cached_property
    def count(self) -> int:
        """The number of lists."""
        tails = self.tails.get() if hasattr(self.tails, "get") else self.tails
        return int(np.count_nonzero(tails == np.arange(len(tails), dtype=tails.dtype)))

    def __repr__(self) -> str:
        return f"Ranking(elements={len(self)}, lists={self.count}, plan={self.plan!r}, device={self.device!r})"
