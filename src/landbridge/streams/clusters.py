"""The clusters of a stream at one moment, by id: their members, their representatives, and what has merged since."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.names import NameArray
from landbridge.errors import InputError
from landbridge.flags import is_word
from landbridge.passes import order_of, slices, taken
from landbridge.streams.ids import gathered
from landbridge.tables import table_of
from landbridge.threads import default_threads

REPRESENTATIVES = ("smallest", "oldest")
Array = NDArray[Any]


class Clusters:
    """The clusters of one moment.

    Parameters
    ----------
    position : int
        Of the stream.
    roots : array, shape (n,)
        The smallest vertex of the component of each, which is the oldest where vertices are ids in the order in which
        they turned up.
    in_order : callable, optional
        Returns the vertices in ascending order of their ids, and these ids; called on the first use. None where
        vertices are numbers.
    """

    def __init__(self, position: int, roots: Array, in_order: Callable[[], tuple[Array, Any]] | None = None) -> None:
        self.position, self.roots, self._in_order = position, roots, in_order

    @cached_property
    def _sorted(self) -> tuple[Array, Any]:
        return (
            (np.arange(len(self.roots), dtype=self.roots.dtype), None) if self._in_order is None else self._in_order()
        )

    @property
    def order(self) -> Array:
        """The vertices in ascending order of their ids."""
        return self._sorted[0]

    @property
    def ids(self) -> Any:
        """The ids, ascending; None where vertices are numbers."""
        return self._sorted[1]

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Those about names that may be no ids, as of edges in memory; none where ids are numbers."""
        if not isinstance(self.ids, NameArray):
            return ()
        from landbridge.edges.formats.doubtful_names import notes_of_names  # of names alone

        return notes_of_names(self.ids)

    @cached_property
    def rank(self) -> Array:
        """The place of the id of each vertex among the ids."""
        if self.ids is None:
            return self.order
        rank = np.empty_like(self.order)
        rank[self.order] = np.arange(len(rank), dtype=rank.dtype)
        return rank

    @cached_property
    def smallest(self) -> Array:
        """The vertex of the smallest id of a component, at the place of its root."""
        return smallest_of(self.roots, self.order)

    def representative(self, kind: str, vertices: Array) -> Array:
        """The vertices whose ids represent the components of some."""
        representatives = np.empty(len(vertices), dtype=self.roots.dtype)
        for part in slices(len(vertices)):
            roots = self.roots[vertices[part]]
            representatives[part] = self.smallest[roots] if kind == "smallest" else roots
        return representatives

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many vertices a component has, at the place of its root."""
        return np.bincount(self.roots, minlength=len(self.roots)).astype(np.int64, copy=False)

    @cached_property
    def _rows(self) -> tuple[Array, Array]:
        """The vertices, those of a component side by side and in ascending order of ids; and where a root's begin."""
        roots = taken(self.roots, self.order).astype(np.uint64)
        members = taken(self.order, order_of(roots, default_threads(None)))
        begins = np.zeros(len(self.roots) + 1, dtype=np.int64)
        np.cumsum(self.sizes, out=begins[1:])
        return members, begins

    def members(self, vertex: int) -> Array:
        """The vertices of a component, in ascending order of ids."""
        members, begins = self._rows
        root = int(self.roots[vertex])
        return members[begins[root] : begins[root + 1]]

    @cached_property
    def labels(self) -> tuple[int, Array]:
        """How many components there are, and the labels of the vertices in ascending order of ids."""
        roots = self.roots[self.order]
        first = self.smallest[roots] == self.order
        label = np.empty(len(roots), dtype=self.roots.dtype)
        count = int(np.count_nonzero(first))
        label[roots[first]] = np.arange(count, dtype=label.dtype)
        return count, label[roots]

    def named(self, vertices: Array) -> Any:
        """The ids of vertices."""
        if self.ids is None:
            return vertices.astype(np.int64, copy=False)
        ids = self.column(vertices)
        return ids[:] if isinstance(ids, NameArray) else ids

    def column(self, vertices: Array) -> Any:
        """The ids of vertices, of names without making a str of each."""
        if self.ids is None:
            return self.named(vertices)
        where = self.rank[vertices]
        return NameArray(*gathered(self.ids.buffers, where)) if isinstance(self.ids, NameArray) else self.ids[where]

    def table(self, kind: str, library: str | None) -> Any:
        """A table of all vertices, in ascending order of ids."""
        ids = self.named(self.order) if self.ids is None else self.ids
        representatives = self.column(self.representative(kind, self.order))
        return table_of({"id": ids, "component": self.labels[1], "representative": representatives}, library, "pyarrow")


def smallest_of(roots: Array, order: Array) -> Array:
    """The vertex of the smallest id of each component, at the place of its root."""
    smallest = np.empty_like(roots)
    backwards = order[::-1]
    # Of several values for one place the last one is stored: that of the smallest id.
    for part in slices(len(backwards)):
        smallest[roots[backwards[part]]] = backwards[part]
    return smallest


@dataclass(frozen=True, slots=True)
class Change:
    """A cluster that has changed.

    Attributes
    ----------
    representative : int or str
        Its id now.
    merged : tuple
        The earlier ids of the clusters that merged into it, ascending; empty for a new cluster.
    new : tuple
        The ids in it that had not turned up before, in the order in which they did.
    """

    representative: Any
    merged: tuple[Any, ...]
    new: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Changes:
    """How the clusters of a stream changed between two positions: a sequence of `Change`, ascending by representatives.

    Attributes
    ----------
    since, position : int
        The two positions. ``len(changes)`` clusters changed.
    """

    since: int
    position: int
    _clusters: Clusters
    _kind: str
    _before: Array  # the representatives of clusters at `since`, and new vertices
    _is_new: Array  # which of them are new
    _bounds: Array  # those of cluster i stand from _bounds[i] to _bounds[i + 1]

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __iter__(self) -> Iterator[Change]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> Change:
        i = range(len(self))[i]
        here = slice(int(self._bounds[i]), int(self._bounds[i + 1]))
        before, new = self._before[here], self._is_new[here]
        now = self._clusters.representative(self._kind, before[:1])
        name = self._clusters.named
        merged, fresh = name(before[~new]), name(np.sort(before[new]))
        return Change(name(now).tolist()[0], tuple(merged.tolist()), tuple(fresh.tolist()))

    def frame(self, library: str | None = None) -> Any:
        """A table with a row for each earlier cluster that is part of a changed one, and for each new id.

        Parameters
        ----------
        library : str, optional
            "pandas", "polars" or "pyarrow" (the default).

        Returns
        -------
        DataFrame
            Its columns: ``representative``, the id of the cluster now; ``was``, the earlier id of the cluster, or the
            new id; ``new``, whether it is one. So a table of clusters is brought up to date by renaming ``was`` to
            ``representative`` where ``new`` is false, and by adding rows where it is true.
        """
        now = self._clusters.representative(self._kind, self._before)
        names = (self._clusters.column(x) for x in (now, self._before))
        return table_of(
            dict(zip(("representative", "was"), names, strict=True)) | {"new": self._is_new}, library, "pyarrow"
        )

    def __repr__(self) -> str:
        return f"Changes(clusters={len(self)}, since={self.since}, position={self.position})"


def changes(clusters: Clusters, roots: Array, count: int, since: int, kind: str) -> Changes:
    """The changes since a position, when there were `count` vertices. roots: of all vertices at that position."""
    n = len(clusters.roots)
    before = roots if kind == "oldest" else taken(smallest_of(roots, clusters.order), roots)
    # A row for each earlier cluster, at its representative, and for each new vertex, in ascending order of ids.
    parts = []
    for part in slices(n):
        some = clusters.order[part]
        parts.append(some[(before[some] == some) | (some >= count)])
    rows = np.concatenate(parts) if parts else clusters.order
    # A cluster changed if there are two rows in it, or a new vertex.
    inside = taken(clusters.roots, rows)
    weight = np.bincount(inside, weights=1.0 + (rows >= count), minlength=n)
    rows = rows[taken(weight, inside) > 1]
    now = taken(clusters.rank, clusters.representative(kind, rows))
    in_order = order_of(now.astype(np.uint64), default_threads(None))
    rows, now = taken(rows, in_order), taken(now, in_order)
    starts = np.flatnonzero(np.r_[True, now[1:] != now[:-1]]) if len(rows) else np.empty(0, dtype=np.int64)
    return Changes(since, clusters.position, clusters, kind, rows, rows >= count, np.r_[starts, len(rows)])


def check_representative(kind: str, ids: bool) -> str:
    """The kind of representatives. Raises InputError for another word, and for a kind that needs ids."""
    if not is_word(kind, REPRESENTATIVES):
        raise InputError(f"representative must be 'smallest' or 'oldest', not {kind!r}")
    if kind == "oldest" and not ids:
        raise InputError("representative='oldest' is for streams with ids: make it with ids='sparse' or ids='names'")
    return kind
