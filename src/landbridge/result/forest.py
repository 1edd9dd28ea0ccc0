"""A spanning forest, whose arrays may be made when they are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from landbridge import display
from landbridge.id_kind import IdKind, kind_of_ids
from landbridge.profile import Profile
from landbridge.result.rooted import EdgePath, RootedForest
from landbridge.tables import on_host, table_of
from landbridge.typing import Id


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
    read: `edge` of the bits, `u` and `v` together of the bits and the input, 8 bytes for each edge of the forest (16
    from 2^31 vertices on), in O(n + m / 64). `count`, `num_edges` and `num_vertices` are known at once. Of a `Graph`
    the endpoints are read when `u` or `v` is: until then the graph's arrays must not change, as at any time while it is
    used; where one of a few edges has changed, `u` and `v` raise an InputError. Of any other source, such as a pair of
    arrays or a matrix, the endpoints are read during the call. The forest keeps the graph until all three arrays have
    been read; copies and pickles hold all three.

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

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """An array at its first use, of what a run has left; another thread may be making it as well."""
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
        _ = self.edge, self.u, self.v  # another thread may have made one of two so far
        return {name: value for name, value in dict(vars(self)).items() if name != "_edges"}

    def __dir__(self) -> list[str]:
        """With the arrays that are not made yet."""
        return sorted({*super().__dir__(), "u", "v", "edge"})

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
        MissingDependency, InputError
            As `Components.frame` does.
        """
        columns = {"u": on_host(self.u), "v": on_host(self.v), "edge": on_host(self.edge)}
        return table_of(columns, library, self.library)

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
