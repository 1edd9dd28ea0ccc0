"""Views of a stream of edges: its components and its forest, and its clusters by id."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import display
from landbridge._core import CoreInputError
from landbridge.edges.id_columns import column_of_one, ids_of, is_one
from landbridge.edges.names import NameArray
from landbridge.edges.on_device import is_device_array
from landbridge.edges.place import Place
from landbridge.engine.base import Engine, Trees
from landbridge.errors import InputError
from landbridge.passes import is_whole, order_of, slices
from landbridge.plan import Plan
from landbridge.result import Components, Profile, Share, SpanningForest
from landbridge.streams.clusters import Changes, Clusters, changes, check_representative
from landbridge.streams.ids import StreamIds, length
from landbridge.streams.merging import uniting_trees
from landbridge.typing import Ids


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Where a forked process must not use a stream, the core says so: as an error of ours."""
    try:
        yield
    except CoreInputError as error:
        raise InputError(str(error)) from None


class Views:
    """The part of `Incremental` that reads the trees."""

    _trees: Trees
    _engine: Engine
    _plan: Plan
    _ids: StreamIds | None
    _threads: int
    _last: Clusters | None = None

    # properties -------------------------------------------------------------------------------------------------------

    @property
    def num_vertices(self) -> int:
        """One more than the largest vertex so far; of a stream with ids the number of ids."""
        return self._trees.vertices

    def __len__(self) -> int:
        return self._trees.vertices

    @property
    def count(self) -> int:
        """The number of components among the vertices so far, always current in O(1).

        Exact between batches. While batches run in other threads, what they have linked so far may be counted or not.
        """
        return self._trees.count

    @property
    def position(self) -> int:
        """How many operations (inserts, and queries of `apply`) the stream has run, the position of the next one."""
        return self._trees.position

    @property
    def ids(self) -> str | None:
        """What ids are, None for vertex numbers, "sparse" for whole numbers with gaps, "names" for text."""
        return None if self._ids is None else self._ids.kind

    @property
    def plan(self) -> str:
        """The canonical text of the plan."""
        return str(self._plan)

    @property
    def device(self) -> str:
        """Where the trees are."""
        return self._engine.name

    @property
    def mixed(self) -> bool:
        """Whether queries run beside inserts; if not, each batch is inserts first, then queries."""
        return self._trees.mixed

    def __repr__(self) -> str:
        size = f"count={self.count}, vertices={self.num_vertices}"
        return f"Incremental({size}, plan={self.plan!r}, device={self.device!r})"

    def _repr_html_(self) -> str:
        return display.stream(self)

    # the whole --------------------------------------------------------------------------------------------------------

    def components(self) -> Components:
        """The components of all edges inserted so far: what `landbridge.components` returns for them. O(n).

        Returns
        -------
        Components
            Of a stream with ids, ``ids`` holds them in ascending order, and `frame` of the result the smallest id of
            each component; ids that came since the last call are sorted and merged with the others. Its notes name
            an id that may stand for no value, such as "", which a stream takes as `components` takes it of a list.
        """
        began = time.perf_counter()
        notes: tuple[str, ...] = ()
        if self._ids is None:
            with refusals():
                count, labels = self._trees.labels(self._threads)
            ids = None
        else:
            clusters = self._current()
            (count, labels), ids, notes = clusters.labels, clusters.ids, clusters.notes
        seconds = time.perf_counter() - began
        # Of the whole stream, where several processors share it.
        shares: tuple[Share, ...] = getattr(self._trees, "shares", tuple)()
        profile = Profile({"number": seconds}, seconds, self._threads, 0.0, shares=shares)
        return Components(count, labels, self.plan, self.device, profile, ids, notes)

    def forest(self) -> SpanningForest:
        """A spanning forest of all edges inserted so far, in host memory. O(n), and a sort of its edges.

        Returns
        -------
        SpanningForest
            ``edge[i]`` is the position in the stream of the operation that inserted u[i], v[i].

        Raises
        ------
        InputError
            For a stream made without ``forest=True``.
        """
        self._needs_forest()
        began = time.perf_counter()
        clusters, (u, v, at) = self._with_forest()
        order = order_of(at, self._threads)
        u, v = (x.astype(clusters.roots.dtype, copy=False)[order] for x in (u, v))
        if clusters.ids is not None:
            u, v = (clusters.named(x) for x in (u, v))
        seconds = time.perf_counter() - began
        profile = Profile({"forest": seconds}, seconds, self._threads, 0.0)
        trees = len(clusters.roots) - len(at)
        return SpanningForest(u, v, at[order], trees, self.plan, self.device, profile, clusters.ids)

    def frame(self, library: str | None = None, *, representative: str = "smallest") -> Any:
        """A table with a row for each id, ascending. O(n), as `find`.

        Its columns are ``id``, ``component`` (its label, 0..k-1 by the smallest ids) and ``representative``, as `find`
        gives it. Without ids the numbers of vertices are the ids.

        Parameters
        ----------
        library : str, optional
            "pandas", "polars" or "pyarrow" (the default).
        representative : {"smallest", "oldest"}
            As for `find`.

        Returns
        -------
        DataFrame
            Of that library.

        Raises
        ------
        MissingDependency
            If it is not installed.
        InputError
            For any other.
        """
        if check_representative(representative, self._ids is not None) == "smallest":
            return self.components().frame(library)
        return self._current().table(representative, library)

    # by id ------------------------------------------------------------------------------------------------------------

    def find(self, ids: int | str | Ids, *, representative: str = "smallest") -> Any:
        """The representative of the cluster of an id: an id for one, an array for several.

        Parameters
        ----------
        ids : int or str or Ids
            One id or several.
        representative : {"smallest", "oldest"}
            "smallest": the smallest id in the cluster (numbers by value, names by their bytes). "oldest": the id that
            came first (in the order of the edges, u before v), which stays: an id ceases to be a cluster's only when
            this cluster merges with an older one. Only streams with ids record which came first.

        Returns
        -------
        int or str or array, shape (len(ids),)
            An id that no edge has named is the representative of itself alone; a query does not make a vertex.

        Raises
        ------
        InputError
            For ids of another kind.

        Notes
        -----
        The first call after an insert reads the whole stream: O(n). Ids that came since the call before are sorted and
        merged with the others, which are not sorted again (unless those that came are more than half as many). Of a
        million ids that takes some 30 ms after a small insert. Until the next insert, each id is looked up in O(1).

        Examples
        --------
        >>> stream = landbridge.Incremental(ids="names")
        >>> stream.insert(["cy", "bob"], ["bob", "ann"])
        >>> stream.find("cy"), stream.find("cy", representative="oldest")
        ('ann', 'cy')
        """
        check_representative(representative, self._ids is not None)
        clusters, vertices, values, single = self._lookup(ids)
        known = vertices >= 0
        representatives = clusters.named(clusters.representative(representative, vertices[known]))
        result = _filled(representatives, known, values)
        return result.tolist()[0] if single else result

    def size(self, ids: int | str | Ids) -> Any:
        """How many ids the cluster of an id has.

        Parameters
        ----------
        ids : int or str or Ids
            One id or several.

        Returns
        -------
        int or array of int64, shape (len(ids),)
            An id that no edge has named is alone.

        Notes
        -----
        As for `find`, the first call after an insert is O(n), but it needs no order: some 10 ms of a million ids.
        """
        clusters, vertices, _, single = self._lookup(ids)
        sizes = np.ones(len(vertices), dtype=np.int64)
        for part in slices(len(vertices)):
            known = vertices[part] >= 0
            sizes[part][known] = clusters.sizes[clusters.roots[vertices[part][known]]]
        return int(sizes[0]) if single else sizes

    def members(self, id: int | str) -> Any:
        """The ids of the cluster of an id, ascending.

        Parameters
        ----------
        id : int or str
            One id.

        Returns
        -------
        array
            Of the ids' type.

        Raises
        ------
        InputError
            For several ids.

        Notes
        -----
        O(members), and as `find` and one more sort by cluster once after an insert.
        """
        clusters, vertices, values, single = self._lookup(id)
        if not single:
            raise InputError("members takes one id; groups() of components() gives all clusters")
        if vertices[0] < 0:
            return _filled(values[:0], vertices >= 0, values)
        return clusters.named(clusters.members(int(vertices[0])))

    def changes(self, since: int, *, representative: str = "smallest") -> Changes:
        """Which clusters merged since a position of the stream, and which ids are new. O(n), as `find`.

        Parameters
        ----------
        since : int
            A value that `position` had between two calls that insert. (Of the edges of one batch none came first.)
        representative : {"smallest", "oldest"}
            As for `find`; of both times.

        Returns
        -------
        Changes
            A sequence with an entry for each cluster that did not exist, with the same ids, at that position; ascending
            by representatives. An entry has ``representative``, the cluster's id now; ``merged``, the representatives,
            at that position, of the clusters that merged into it; and ``new``, the ids in it that had not turned up by
            then. A cluster of new ids alone has none that merged. ``frame()`` is the same as a table. A vertex of a
            stream without ids is never new: before its first edge it is a cluster of its own.

        Raises
        ------
        InputError
            For a stream made without ``forest=True``, whose links alone say what was linked when, and for what has not
            been a position.
        """
        self._needs_forest()
        check_representative(representative, self._ids is not None)
        if not is_whole(since) or not 0 <= since <= self._trees.position:
            raise InputError(f"since must be a position of the stream, 0 to {self._trees.position}, not {since!r}")
        clusters, (u, v, at) = self._with_forest()
        n = len(clusters.roots)
        count = n
        if self._ids is not None:
            with self._ids.lock:
                count = min(n, self._ids.count_at(int(since)))
        old = at < since
        trees, _, _ = uniting_trees(n, self._threads)
        trees.insert(np.ascontiguousarray(u[old]), np.ascontiguousarray(v[old]))
        _, roots, _ = trees.snapshot(False)
        return changes(clusters, roots, count, int(since), representative)

    # the clusters of a moment -----------------------------------------------------------------------------------------

    def _snapshot(self, forest: bool) -> Any:
        with refusals():
            return self._trees.snapshot(forest)

    def _needs_forest(self) -> None:
        if not self._trees.keeps_forest:
            raise InputError("this stream keeps no forest: make it with forest=True")

    def _current(self) -> Clusters:
        """The clusters now: those of the last view, if nothing has come since."""
        last = self._last
        if last is not None and self._is_current(last):
            return last
        if self._ids is None:
            position, roots, _ = self._snapshot(False)
            clusters = Clusters(position, roots)
        else:
            with self._ids.lock:
                clusters, _ = self._clusters_of_ids(False)
        self._last = clusters
        return clusters

    def _is_current(self, clusters: Clusters) -> bool:
        return (clusters.position, len(clusters.roots)) == (self._trees.position, self._trees.vertices)

    def _with_forest(self) -> tuple[Clusters, Any]:
        if self._ids is None:
            position, roots, edges = self._snapshot(True)
            return Clusters(position, roots), edges
        with self._ids.lock:
            return self._clusters_of_ids(True)

    def _clusters_of_ids(self, forest: bool) -> tuple[Clusters, Any]:
        """The clusters by id. The caller holds the lock of the ids."""
        assert self._ids is not None
        self._ids.drop_beyond(self._trees.vertices)
        position, roots, edges = self._snapshot(forest)
        return Clusters(position, roots, lambda: self._in_order(len(roots))), edges

    def _in_order(self, count: int) -> tuple[NDArray[Any], Any]:
        assert self._ids is not None
        with self._ids.lock:
            self._ids.drop_beyond(self._trees.vertices)
            return self._ids.in_order(count)

    def _lookup(self, ids: Any) -> tuple[Clusters, NDArray[Any], Any, bool]:
        """The clusters, the vertices of ids (-1 where no edge has named it), these ids themselves, and whether it is a
        single one."""
        place = Place("id", "query")
        if self._ids is not None:
            single = is_one(ids)
            column = self._ids.one(ids, place) if single else self._ids.column(ids, place)
            clusters = self._current()
            with self._ids.lock:
                vertices = self._ids.find(column)
            values: Any = NameArray(*column) if isinstance(column, tuple) else column
        else:
            single = is_one(ids)
            values = ids_of(column_of_one(ids) if single else ids.get() if is_device_array(ids) else ids, place)
            if isinstance(values, tuple):
                raise InputError("vertices have names; in a stream without ids= vertices are numbers")
            if length(values) and int(values.min()) < 0:
                raise place.error_at(int(values.argmin()), f"= {int(values.min())} is negative")
            clusters, vertices = self._current(), values
        beyond = vertices >= len(clusters.roots)  # came after that moment, or, as a number, never
        vertices = np.where(beyond, -1, vertices.astype(np.int64, copy=False)) if beyond.any() else vertices
        return clusters, vertices, values, single


def _filled(answers: NDArray[Any], known: NDArray[np.bool_], values: Any) -> NDArray[Any]:
    """`answers` where `known`, and else the ids themselves."""
    if known.all() and len(known) == len(answers):
        return answers
    others = values[~known]
    kind = answers.dtype if len(answers) else others.dtype
    if kind.kind in "iu" and len(others):
        bounds = np.iinfo(kind)
        if int(others.max()) > bounds.max or int(others.min()) < bounds.min:
            kind = np.dtype(object)  # no type of integers holds all of them
    result = np.empty(len(known), dtype=kind)
    result[known], result[~known] = answers, others
    return result
