"""Results: the same from every plan, device and thread count, to the last bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import display
from landbridge.errors import InputError
from landbridge.id_kind import IdKind, kind_of_ids
from landbridge.passes import descending, is_whole, order_of
from landbridge.profile import Profile, Share
from landbridge.result import plotting, saving
from landbridge.result.forest import SpanningForest
from landbridge.result.ranking import Ranking
from landbridge.tables import Repeated, on_host, table_of
from landbridge.threads import default_threads
from landbridge.typing import IdArray, LabelArray

__all__ = ["Components", "IdArray", "LabelArray", "Profile", "Ranking", "Share", "SpanningForest"]


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
        MissingDependency, InputError
            As `frame` does.

        Notes
        -----
        O(n), and a sort of the sizes that are at least the k-th.

        Examples
        --------
        >>> landbridge.components([("ann", "bob"), ("cy", "dan"), ("cy", "eve")]).largest_components(1).to_pylist()
        [{'component': 1, 'representative': 'cy', 'size': 3}]
        """
        if not is_whole(k) or k < 0:
            raise InputError(f"k must be a whole number from 0 on, not {k!r}")
        sizes, first = on_host(self.sizes()), on_host(self.first)
        least = np.partition(sizes, len(sizes) - k)[len(sizes) - k] if 0 < k < len(sizes) else 0
        some = np.flatnonzero(sizes >= least)
        labels = some[descending(sizes[some], default_threads(None))][:k]
        ids: Any = None if self.ids is None else self.ids[first[labels]]
        columns = {
            "component": labels.astype(self.labels.dtype),
            "representative": first[labels] if ids is None else ids,
        }
        return table_of({**columns, "size": sizes[labels]}, library, self.library)

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
        MissingDependency
            If it is not installed.
        InputError
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
        return table_of(columns, library, self.library)

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
        if not isinstance(self.labels, np.ndarray):  # on a GPU
            return offsets, np.argsort(self.labels, kind="stable").astype(np.int64, copy=False)
        return offsets, order_of(self.labels.astype(np.uint64), default_threads(None)).astype(np.int64, copy=False)
