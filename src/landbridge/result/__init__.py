"""Results: the same from every plan, device and thread count, to the last bit."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from landbridge import display
from landbridge.errors import InputError
from landbridge.id_kind import IdKind, kind_of_ids
from landbridge.profile import Profile, Share
from landbridge.result import plotting, saving
from landbridge.result.ranking import Ranking
from landbridge.result.rooted import EdgePath, RootedForest
from landbridge.tables import Repeated, on_host, table_of
from landbridge.typing import Id, IdArray, LabelArray

__all__ = ["Components", "IdArray", "LabelArray", "Profile", "Ranking", "Share", "SpanningForest", "TreeEdges"]

Answer = TypeVar("Answer")


class TreeEdges(Protocol):
    """The edges of a forest of which no arrays have been made yet. `len()`: how many there are."""

    def __len__(self) -> int: ...

    @property
    def nbytes(self) -> int:
        """The bytes that it takes beside the graph."""

    def positions(self) -> NDArray[np.int64]:
        """Where they are in the input."""

    def endpoints(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """(u, v), in the graph's own ids. Raises InputError if the graph has changed so that this shows."""


def changed(answer: Answer, **fields: Any) -> Answer:
    """The same answer with other values of fields from which nothing is derived; makes no arrays of a forest."""
    other: Answer = object.__new__(type(answer))
    vars(other).update(vars(answer) | fields)
    return other


@dataclass(frozen=True, eq=False)
class SpanningForest:
    """n - k edges of a graph of n vertices and k components: no cycle, and a tree for each component.

    Attributes
    ----------
    u, v : array, shape (n - k,)
        The endpoints of each edge in the graph's own ids, as the edge is stored: int32 (int64 from 2^31 vertices on),
        or the type of `ids` where there are any.
    edge : array of int64, shape (n - k,)
        The position of each edge in the input; the index in a COO edge list, the position in the array of neighbours of
        a CSR. CPU threads give the edges in ascending order, a GPU in the order in which they linked.
    count : int
        The number of trees k, isolated vertices included; ``len(edge) == num_vertices - count``.
    plan : str
        The canonical text of the plan that ran.
    device : str
        Where it ran. Edges on a GPU give CuPy arrays.
    profile : Profile
        Phases and seconds.
    ids : array, shape (n,), optional
        The original id of each vertex where vertices were renumbered, else None.
    notes : tuple of str
        Remarks on the run.
    library : str, optional
        As for `Components`.
    base : int
        As for `Components`.

    Notes
    -----
    Which edges they are may differ from run to run; that they are a spanning forest does not.

    A run on CPU threads leaves one bit for each edge of the input, and each of the arrays is made when it is first
    read: `edge` of the bits, 8 bytes for each edge of the forest; `u` and `v` together, as many bytes, of the bits and
    the input, in about a tenth of the time of the run. Then the bits are freed. `count`, `num_vertices` and `num_edges`
    are known at once. Of a `Graph` the endpoints are read when `u` or `v` is: until then the forest refers to the graph
    and its arrays must not change, as while the graph is used; where a sample of them has changed, the first use of `u`
    or `v` is an InputError. Of any other source, such as a pair of arrays or a matrix, the endpoints are read during
    the call, and the source may change at once. Copies and pickles hold all three arrays.

    Examples
    --------
    >>> forest = landbridge.spanning_forest(([0, 1, 2], [1, 2, 0]), threads=1)
    >>> forest.count, forest.num_vertices
    (1, 3)
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
    library: str | None = None
    base: int = 0

    @classmethod
    def of_edges(
        cls,
        edges: TreeEdges,
        count: int,
        plan: str,
        device: str,
        profile: Profile,
        ids: NDArray[Any] | None = None,
        notes: tuple[str, ...] = (),
    ) -> SpanningForest:
        """A forest whose arrays are made of `edges` when they are first read; the rest as for the class."""
        none: Any = np.empty(0, np.int64)
        forest = cls(none, none, none, count, plan, device, profile, ids, notes)
        own = vars(forest)
        del own["u"], own["v"], own["edge"]
        own["_edges"] = edges
        if edges.nbytes >= len(edges) * 8:
            own["edge"] = edges.positions()  # takes less memory than the bits
        return forest

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The arrays at their first use; another thread may be making them as well."""
            own = vars(self)
            edges = own.get("_edges")
            if edges is not None and name == "edge":
                own.setdefault("edge", edges.positions())
            elif edges is not None and name in ("u", "v"):
                u, v = edges.endpoints()
                own.setdefault("u", u)
                own.setdefault("v", v)
            if "edge" in own and "v" in own:
                own.pop("_edges", None)
            if name not in own:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return own[name]

    def __getstate__(self) -> dict[str, Any]:
        """With all arrays made: for copies, and for pickle."""
        _ = self.edge, self.u
        return dict(vars(self))

    def with_endpoints(self) -> SpanningForest:
        """The same forest, which reads the arrays of the graph now and never again. O(n + m / 64)."""
        if "_edges" in vars(self):
            began = time.perf_counter()
            _ = self.u
            took = time.perf_counter() - began
            seconds = dict(self.profile.seconds)
            seconds["collect"] = seconds.get("collect", 0.0) + took
            profile = replace(self.profile, seconds=seconds, total=self.profile.total + took)
            return changed(self, profile=profile)
        return self

    @property
    def num_edges(self) -> int:
        """The number of edges, n - k."""
        edges = vars(self).get("_edges")
        return len(self.edge) if edges is None else len(edges)

    @property
    def num_vertices(self) -> int:
        """The number of vertices of the graph."""
        return self.count + self.num_edges

    @property
    def id_kind(self) -> IdKind:
        """What the vertices are; see `Components.id_kind`."""
        return "dense" if self.base else kind_of_ids(self.ids)

    def frame(self, library: str | None = None) -> Any:
        """A table with a row for each edge: ``u`` and ``v`` in the graph's own ids, and ``edge``, its position.

        Parameters
        ----------
        library : str, optional
            As for `Components.frame`.

        Returns
        -------
        DataFrame
            Of that library.

        Raises
        ------
        ImportError, ValueError
            As `Components.frame` does.
        """
        columns = {"u": on_host(self.u), "v": on_host(self.v), "edge": on_host(self.edge)}
        return table_of(columns, library or self.library)

    @cached_property
    def _rooted(self) -> RootedForest:
        return RootedForest.of_ids(self.u, self.v, self.edge, self.num_vertices, self.ids)

    def why(self, u: Id, v: Id) -> EdgePath:
        """The edges of the forest that connect two vertices, in order.

        Parameters
        ----------
        u, v : Id
            The two vertices, in the graph's own ids.

        Returns
        -------
        EdgePath
            False if they are not connected.

        Raises
        ------
        InputError
            For an id that is no vertex.

        Notes
        -----
        The first call prepares the forest in O(n), and keeps 12 bytes per vertex (24 from 2^31 vertices on) and, where
        there are ids, a table of them. Every call then takes time for the edges of its path.

        Examples
        --------
        >>> landbridge.spanning_forest([("ann", "bob"), ("cy", "bob")], threads=1).why("ann", "cy")
        EdgePath(ann - bob - cy: 2 edges)
        """
        return self._rooted.path(u, v)

    def __repr__(self) -> str:
        values = {"count": self.count, "edges": self.num_edges, "plan": self.plan, "device": self.device}
        return display.line("SpanningForest", values)

    def _repr_html_(self) -> str:
        return display.forest(self)


@dataclass(frozen=True, eq=False)
class Components:
    """Connected components; unpacks like SciPy's result: ``count, labels = components(A)``.

    Attributes
    ----------
    count : int
        The number of components k.
    labels : array, shape (n,)
        int32 (int64 from 2^31 vertices on), 0..k-1, numbered by the smallest vertex of each component.
    plan : str
        The canonical text of the plan that ran.
    device : str
        Where it ran. Edges on a GPU give labels, and all arrays derived from them, as CuPy arrays.
    profile : Profile
        Phases and seconds.
    ids : array, shape (n,), optional
        The original id of each vertex where vertices were renumbered, else None. Of vertices with names it is an array
        of str, made when it is read.
    notes : tuple of str
        Remarks on the run, such as the reason why another device ran it.
    library : str, optional
        Of the data frame that the edges came in: "pandas", "polars" or "pyarrow"; None for any other source.
    base : int
        1 where vertices are 1..n and `ids` counts them so, else 0.

    Examples
    --------
    >>> result = landbridge.components(([0, 3, 3], [1, 4, 1]))
    >>> result.count, result.sizes().tolist(), result.largest().tolist()
    (2, [4, 1], [0, 1, 3, 4])
    """

    count: int
    labels: LabelArray
    plan: str
    device: str
    profile: Profile
    ids: NDArray[Any] | None = None
    notes: tuple[str, ...] = field(default=())
    library: str | None = None
    base: int = 0

    def __iter__(self) -> Iterator[Any]:
        yield self.count
        yield self.labels

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        values = {"count": self.count, "vertices": len(self.labels)} | display.shape(self)
        kind = None if self.id_kind == "dense" else self.id_kind
        return display.line("Components", values | {"ids": kind, "plan": self.plan, "device": self.device})

    def _repr_html_(self) -> str:
        return display.components(self)

    @cached_property
    def first(self) -> LabelArray:
        """The smallest vertex of each component, ascending, shape (k,). O(n)."""
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
        """The smallest vertex of each vertex's component, shape (n,). O(n)."""
        return self.first[self.labels]

    def sizes(self) -> NDArray[np.int64]:
        """The number of vertices of each component. O(n).

        Returns
        -------
        array of int64, shape (k,)
        """
        return np.bincount(self.labels, minlength=self.count).astype(np.int64, copy=False)

    @cached_property
    def largest_size(self) -> int:
        """The number of vertices of the largest component; 0 for a graph without vertices."""
        return int(self.sizes().max()) if self.count else 0

    def largest(self) -> NDArray[np.int64]:
        """The vertices of the largest component, ascending; of several, the one with the smallest vertex. O(n).

        Returns
        -------
        array of int64
        """
        if self.count == 0:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self.labels == int(self.sizes().argmax())).astype(np.int64, copy=False)

    def largest_components(self, k: int = 10, library: str | None = None) -> Any:
        """A table of the k largest components: ``component``, ``representative`` and ``size``, the largest first.

        Parameters
        ----------
        k : int, default 10
            How many; all if there are fewer. Of components of one size, those with smaller labels come first.
        library : str, optional
            As for `frame`.

        Returns
        -------
        DataFrame
            ``representative`` is the smallest id of the component.

        Raises
        ------
        ImportError, ValueError
            As `frame` does.

        Notes
        -----
        O(n), and a sort of the sizes that are at least the k-th.

        Examples
        --------
        >>> landbridge.components([("ann", "bob"), ("cy", "dan"), ("cy", "eve")]).largest_components(1).to_pylist()
        [{'component': 1, 'representative': 'cy', 'size': 3}]
        """
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
            raise InputError(f"k must be a whole number from 0 on, not {k!r}")
        sizes, first = on_host(self.sizes()), on_host(self.first)
        least = np.partition(sizes, len(sizes) - k)[len(sizes) - k] if 0 < k < len(sizes) else 0
        some = np.flatnonzero(sizes >= least)
        labels = some[np.argsort(-sizes[some], kind="stable")][:k]
        ids: Any = None if self.ids is None else self.ids[first[labels]]
        columns = {
            "component": labels.astype(self.labels.dtype),
            "representative": first[labels] if ids is None else ids,
        }
        return table_of({**columns, "size": sizes[labels]}, library or self.library)

    @property
    def id_kind(self) -> IdKind:
        """What the vertices are, "dense" (0..n-1), "sparse" (the whole numbers of `ids`) or "names" (its texts)."""
        return "dense" if self.base else kind_of_ids(self.ids)

    def frame(self, library: str | None = None) -> Any:
        """A table with a row for each vertex: ``id``, ``component``, and ``representative``, the smallest id of it.

        ``id`` is the original id, or the number of the vertex where vertices are 0..n-1; ``component`` is the label.

        Parameters
        ----------
        library : str, optional
            "pandas", "polars" or "pyarrow"; by default that of the data frame the edges came in, else pyarrow.

        Returns
        -------
        DataFrame
            Of that library.

        Raises
        ------
        ImportError
            If it is not installed.
        ValueError
            For any other.
        """
        labels, first = on_host(self.labels), on_host(self.first)
        ids: Any = self.ids
        if ids is None:
            ids = np.arange(len(labels))
            representatives: Any = first[labels]
        elif hasattr(ids, "buffers"):
            representatives = Repeated(ids, first, labels)
        else:
            representatives = ids[first][labels]
        columns = {"id": ids, "component": labels, "representative": representatives}
        return table_of(columns, library or self.library)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file, ``.npz`` or ``.parquet``, that `load` reads back: labels, ids, plan, notes.

        Parameters
        ----------
        path : str or path
            Its ending decides the format.

        Raises
        ------
        InputError
            For ids that are neither whole numbers nor text, and for other endings.
        OSError
            Naming the file.
        MissingDependency
            Where pyarrow is needed.

        Notes
        -----
        Parquet holds the table of `frame`, and other programs read it. The file is complete or not there: it is written
        beside the path and moved. A file says of what kind its ids are and what belongs to it, and has checksums:
        `load` refuses one that is damaged.
        """
        saving.save(path, vars(self), self.first)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Components:
        """Read a file that `save` wrote. Nothing in it is executed.

        Parameters
        ----------
        path : str or path
            Of the file.
        max_bytes : int, optional
            How many bytes of it may be read or held, unpacked.

        Returns
        -------
        Components

        Raises
        ------
        FileFormatError
            For any other file; SizeLimitExceeded for more than `max_bytes`.
        """
        return cls(**saving.load(path, max_bytes))

    def plot(self, kind: str = "ccdf", *, ax: Any = None, **style: Any) -> Any:
        """Draw the sizes of the components by matplotlib, on logarithmic axes.

        Parameters
        ----------
        kind : {"ccdf", "sizes"}, default "ccdf"
            "ccdf": the share of components with at least so many vertices, over the number of vertices. "sizes": the
            number of vertices of each component, largest first.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default on a new figure.
        **style : Any
            Of ``Axes.plot``.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InputError
            For another kind.
        MissingDependency
            Without matplotlib.
        """
        return plotting.plot_sizes(self.sizes(), kind, ax, **style)

    def groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All components at once, as a CSR: the vertices of component c are ``members[offsets[c]:offsets[c + 1]]``.

        Returns
        -------
        offsets : array of int64, shape (k + 1,)
        members : array of int64, shape (n,)
            Ascending within a component.

        Notes
        -----
        One stable sort by label.

        Examples
        --------
        >>> offsets, members = landbridge.components(([0, 1], [2, 3])).groups()
        >>> offsets.tolist(), members.tolist()
        ([0, 2, 4], [0, 2, 1, 3])
        """
        sizes = self.sizes()
        offsets = np.zeros_like(sizes, shape=self.count + 1)
        np.cumsum(sizes, out=offsets[1:])
        return offsets, np.argsort(self.labels, kind="stable").astype(np.int64, copy=False)
