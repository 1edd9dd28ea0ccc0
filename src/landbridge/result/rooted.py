"""A spanning forest prepared for paths, and the path of edges between two of its vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.id_columns import column_of_one, ids_of, is_one
from landbridge.edges.names import NameArray
from landbridge.edges.numbering import Numbering
from landbridge.edges.place import Place
from landbridge.errors import InputError
from landbridge.tables import on_host, table_of
from landbridge.typing import Id

Array = NDArray[Any]
_STEPS = 1 << 14
"""Of a walk, between two looks at the time."""


@dataclass(frozen=True, eq=False)
class EdgePath:
    """The edges of the input that connect two vertices, in order; true if they are connected.

    Attributes
    ----------
    start, stop : id
        The two vertices.
    vertices : array, shape (k + 1,)
        From start to stop, in the graph's own ids; shape (0,) if they are not connected.
    edge : array of int64, shape (k,)
        The position of each edge in the input.
    u, v : array, shape (k,)
        Its endpoints, as the input has them.
    score : array, shape (k,), optional
        Its score, where `why` got scores.
    rows : table, optional
        Its row with all columns, where `why` got a data frame.
    library : str, optional
        Of that data frame.

    Examples
    --------
    >>> path = landbridge.why([("ann", "bob"), ("cy", "bob"), ("cy", "dan")], "ann", "dan")
    >>> path.vertices.tolist(), path.edge.tolist()
    (['ann', 'bob', 'cy', 'dan'], [0, 1, 2])
    >>> bool(path), len(path)
    (True, 3)
    """

    start: Any
    stop: Any
    vertices: Any
    edge: NDArray[np.int64]
    u: Any
    v: Any
    score: NDArray[Any] | None = None
    rows: Any = None
    library: str | None = None

    def __len__(self) -> int:
        return len(self.edge)

    def __bool__(self) -> bool:
        return self.connected

    @property
    def connected(self) -> bool:
        """Whether the two vertices are in one component."""
        return len(self.vertices) > 0

    @property
    def weakest(self) -> int | None:
        """Where on the path the edge with the lowest score is, the first of several; None without edges or scores."""
        return int(np.argmin(self.score)) if self.score is not None and len(self.score) else None

    def frame(self, library: str | None = None) -> Any:
        """A table with a row for each edge of the path: its row in the input, or ``u``, ``v`` and ``edge``.

        Parameters
        ----------
        library : str, optional
            "pandas", "polars" or "pyarrow" for ``u``, ``v``, ``edge`` and ``score``, where there is one.

        Returns
        -------
        DataFrame
        """
        if self.rows is not None and library is None:
            return self.rows
        columns = {"u": self.u, "v": self.v, "edge": self.edge}
        if self.score is not None:
            columns["score"] = self.score
        return table_of(columns, library, self.library)

    def __repr__(self) -> str:
        if not self.connected:
            return f"EdgePath({self.start!r} and {self.stop!r} are not connected)"
        names = [str(each) for each in self.vertices[:4].tolist()]
        if len(self.vertices) > 8:
            names.append("...")
        names += [str(each) for each in self.vertices[max(4, len(self.vertices) - 4) :].tolist()]
        weak = "" if self.weakest is None or self.score is None else f", weakest {self.score[self.weakest]:.6g}"
        return f"EdgePath({' - '.join(names)}: {len(self)} edge{'s' * (len(self) != 1)}{weak})"


class RootedForest:
    """A spanning forest prepared for paths, in O(n) time and 12 bytes per vertex (24 from 2^31 on), beside the ids.

    Parameters
    ----------
    u, v : array, shape (e,)
        The endpoints of its edges, as vertices 0..n-1.
    edge : array of int64, shape (e,)
        Their positions in the input.
    vertices : int
        n.
    numbers : Vertices
        From ids to vertices.
    """

    def __init__(self, u: Array, v: Array, edge: Array, vertices: int, numbers: Vertices) -> None:
        self.u, self.v, self.edge, self._numbers = u, v, edge, numbers
        prepared: Any = _core.rooted(np.ascontiguousarray(u), np.ascontiguousarray(v), vertices)
        self._parent, self._by, self._depth = prepared

    @classmethod
    def of_ids(cls, u: Any, v: Any, edge: Any, vertices: int, ids: Any) -> RootedForest:
        """The forest of edges between ids; see `SpanningForest`."""
        numbers = Vertices(ids, vertices)
        u, v = (numbers.of_endpoints(on_host(x)) for x in (u, v))
        return cls(u, v, on_host(edge), vertices, numbers)

    def path(self, start: Id, stop: Id) -> EdgePath:
        """The path between two vertices. O(its length)."""
        a, b = self._numbers.of_one(start), self._numbers.of_one(stop)
        parent, depth = memoryview(self._parent), memoryview(self._depth)
        front: list[int] = [a]
        back: list[int] = [b]
        while a != b:
            if not (len(front) + len(back)) % _STEPS:
                _core.check_time()
            if depth[a] == depth[b] == 0:
                front, back = [], [b]
                break
            if depth[a] >= depth[b]:
                a = parent[a]
                front.append(a)
            else:
                b = parent[b]
                back.append(b)
        steps = np.array(front[:-1] + back[-2::-1] if front else [], dtype=np.int64)
        at = self._by[steps]
        vertices = np.array(front + back[-2::-1] if front else [], dtype=np.int64)
        named = self._numbers.named
        return EdgePath(start, stop, named(vertices), self.edge[at], named(self.u[at]), named(self.v[at]))


def no_vertex(name: str) -> str:
    """What is said of an id that is no vertex. name: as the message shows it."""
    return f"there is no vertex {name}"


class Vertices:
    """The vertices 0..n-1 of ids, and back. The table of ids is made on the first use."""

    def __init__(self, ids: Any, count: int) -> None:
        self._ids, self._count = ids, count
        self._table: Any = None

    def named(self, vertices: Array) -> Any:
        """The ids of vertices."""
        return vertices.astype(np.int64, copy=False) if self._ids is None else self._ids[vertices]

    def of_one(self, name: Id) -> int:
        """The vertex of an id. Raises InputError if there is none."""
        if self._ids is not None and isinstance(self._lookup(), dict):
            vertex = int(self._lookup().get(name, -1))
        else:
            vertex = self._number_of(name)
        if vertex < 0:
            raise InputError(no_vertex(repr(name)))
        return vertex

    def _number_of(self, name: Id) -> int:
        """The vertex of a number or of text, as a column of ids may hold it; -1 if there is none."""
        try:
            column = ids_of(column_of_one(name), Place("the id", "vertex")) if is_one(name) else None
        except InputError:
            return -1
        if self._ids is None:
            vertex = int(column[0]) if isinstance(column, np.ndarray) else -1
            return vertex if vertex < self._count else -1
        table = self._lookup()
        if column is None or isinstance(column, tuple) != (table.kind == "names"):
            return -1
        return int(table.find(NameArray(*column) if isinstance(column, tuple) else column)[0])

    def of_endpoints(self, column: Array) -> Array:
        """The vertices of a column of ids, all of which are there."""
        if self._ids is None:
            return column
        if isinstance(self._lookup(), dict):
            table = self._lookup()
            return np.array([table[each] for each in column.tolist()], dtype=np.int32)
        numbers: Array = self._lookup().find(column)
        return numbers

    def _lookup(self) -> Any:
        if self._table is None:
            if isinstance(self._ids, NameArray) or self._ids.dtype.kind in "iu":
                self._table = Numbering(1, "names" if isinstance(self._ids, NameArray) else "sparse")
                self._table.add(self._ids)
            else:
                self._table = {each: i for i, each in enumerate(self._ids.tolist())}
        return self._table
