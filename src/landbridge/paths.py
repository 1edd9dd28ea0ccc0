"""Why two vertices are in one component: the path of edges between them, in a spanning forest of the edges."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.api import spanning_forest
from landbridge.edges.column_names import listing
from landbridge.edges.forms import Adjacency, EdgeList, Edges
from landbridge.edges.frames import library_of
from landbridge.edges.load import load
from landbridge.edges.names import NameArray
from landbridge.edges.numbering import Numbering
from landbridge.edges.options import ReadingOptions, options_of, takes_reading_options
from landbridge.errors import InputError
from landbridge.graph import Graph, as_graph, default_threads
from landbridge.occurring import forest_counted_from_one
from landbridge.result import SpanningForest
from landbridge.tables import on_host, table_of
from landbridge.typing import GraphLike, Numbers

Array = NDArray[Any]


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
        return table_of(columns, library or self.library or "pyarrow")

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
    def of(cls, forest: SpanningForest) -> RootedForest:
        """The forest of a result."""
        numbers = Vertices(forest.ids, forest.num_vertices)
        u, v = (numbers.of_endpoints(on_host(x)) for x in (forest.u, forest.v))
        return cls(u, v, on_host(forest.edge), forest.num_vertices, numbers)

    def path(self, start: Any, stop: Any) -> EdgePath:
        """The path between two vertices. O(its length)."""
        a, b = self._numbers.of_one(start), self._numbers.of_one(stop)
        parent, depth = self._parent, self._depth
        front: list[int] = [a]
        back: list[int] = [b]
        while a != b:
            if depth[a] == depth[b] == 0:
                front, back = [], [b]
                break
            if depth[a] >= depth[b]:
                a = int(parent[a])
                front.append(a)
            else:
                b = int(parent[b])
                back.append(b)
        steps = np.array(front[:-1] + back[-2::-1] if front else [], dtype=np.int64)
        at = self._by[steps]
        vertices = np.array(front + back[-2::-1] if front else [], dtype=np.int64)
        named = self._numbers.named
        return EdgePath(start, stop, named(vertices), self.edge[at], named(self.u[at]), named(self.v[at]))


class Vertices:
    """The vertices 0..n-1 of ids, and back. The table of ids is made on the first use."""

    def __init__(self, ids: Any, count: int) -> None:
        self._ids, self._count = ids, count
        self._table: Any = None

    def named(self, vertices: Array) -> Any:
        """The ids of vertices."""
        return vertices.astype(np.int64, copy=False) if self._ids is None else self._ids[vertices]

    def of_one(self, name: Any) -> int:
        """The vertex of an id. Raises InputError if there is none."""
        if self._ids is None:
            whole = isinstance(name, int | np.integer) and not isinstance(name, bool)
            vertex = int(name) if whole and 0 <= name < self._count else -1
        else:
            vertex = self._find(name)
        if vertex < 0:
            raise InputError(f"there is no vertex {name!r}")
        return vertex

    def of_endpoints(self, column: Array) -> Array:
        """The vertices of a column of ids, all of which are there."""
        if self._ids is None:
            return column
        if isinstance(self._lookup(), dict):
            table = self._lookup()
            return np.array([table[each] for each in column.tolist()], dtype=np.int32)
        numbers: Array = self._lookup().find(column)
        return numbers

    def _find(self, name: Any) -> int:
        table = self._lookup()
        if isinstance(table, dict):
            return int(table.get(name, -1))
        wrong = isinstance(name, str) != (table.kind == "names") or not isinstance(name, str | int | np.integer)
        return -1 if wrong or isinstance(name, bool) else int(table.find(name))

    def _lookup(self) -> Any:
        if self._table is None:
            if isinstance(self._ids, NameArray) or self._ids.dtype.kind in "iu":
                self._table = Numbering(1, "names" if isinstance(self._ids, NameArray) else "sparse")
                self._table.add(self._ids)
            else:
                self._table = {each: i for i, each in enumerate(self._ids.tolist())}
        return self._table


@takes_reading_options
def why(
    edges: GraphLike,
    u: Any,
    v: Any,
    *,
    score: str | Numbers | None = None,
    num_vertices: int | None = None,
    threads: int | None = None,
    format: str | None = None,
    **reading: Unpack[ReadingOptions],
) -> EdgePath:
    """Why two vertices are in one component: a path of edges of the input between them.

    Parameters
    ----------
    edges : GraphLike
        As `components` takes its graph; of a `Graph` the path has no ``rows``.
    u, v : id
        The two vertices: text, or whole numbers.
    score : str or Numbers, optional
        How strong each edge is, a column of the data frame or one number per edge. The path is then the one whose
        weakest edge is strongest: without the edges up to that score, the two would be in different components.
    num_vertices, threads, format : optional
        As for `components`.
    ids, columns, header, delimiter, comment, base, encoding, max_bytes : optional
        As for `Graph`.

    Returns
    -------
    EdgePath
        Of a spanning forest, so no vertex is on it twice; without a score, which of several paths it is may differ from
        run to run. False if the two are not connected. Of a data frame, ``rows`` holds the rows of its edges.

    Raises
    ------
    InputError
        As `components` does, and for an id that is no vertex.

    Notes
    -----
    O(n + m) work, and a sort with a score. To look at several pairs, make the forest once: ``SpanningForest.why``.

    Examples
    --------
    >>> pairs, scores = [("ann", "bob"), ("bob", "dan"), ("ann", "dan")], [0.9, 0.8, 0.3]
    >>> path = landbridge.why(pairs, "ann", "dan", score=scores)
    >>> path.vertices.tolist(), path.weakest
    (['ann', 'bob', 'dan'], 1)
    >>> landbridge.why([("ann", "bob"), ("cy", "dan")], "ann", "dan")
    EdgePath('ann' and 'dan' are not connected)
    """
    source = _in_memory(edges)
    options = options_of(threads=default_threads(threads), num_vertices=num_vertices, **reading)
    if isinstance(source, Graph):
        read = _stored(as_graph(source, num_vertices=num_vertices, format=format, **reading))
    else:
        read = load(source, options, num_vertices=num_vertices, format=format)
    library = library_of(source)
    scores, order = None, None
    if score is not None:
        if not isinstance(read, EdgeList):
            raise InputError("score: one number per edge of a list of edges; these edges are those of a matrix")
        scores = _scores(score, source if library is not None else None, len(read.u))
        order = len(scores) - 1 - np.argsort(scores[::-1], kind="stable")[::-1]  # descending; equal ones as they came
        read = replace(read, u=on_host(read.u)[order], v=on_host(read.v)[order])
    path = _rooted(read, num_vertices, threads, options.base or 0, in_order=order is not None).path(u, v)
    edge = path.edge if order is None else order[path.edge]
    rows = None if library is None else _rows(source, edge, library)
    library = library or (read.library if isinstance(read, EdgeList) else None)
    return replace(path, edge=edge, score=None if scores is None else scores[edge], rows=rows, library=library)


def _stored(graph: Graph) -> Edges:
    """The edges of a graph, as they are stored."""
    if graph.offsets is not None:
        return Adjacency(graph.offsets, graph.a, graph.symmetric, graph.ids)
    assert graph.b is not None
    return EdgeList(graph.a, graph.b, graph.num_vertices, graph.ids, library=graph.library)


def _rooted(edges: Edges, num_vertices: int | None, threads: int | None, base: int, *, in_order: bool) -> RootedForest:
    """The forest of edges. in_order: one in which an edge is only if those before it leave its endpoints apart."""
    plan, few = ("async(halve)@cpu(threads=1)", 1) if in_order else ("auto", threads)
    ids = edges.ids if isinstance(edges.ids, NameArray) else None
    if isinstance(edges, EdgeList) and ids is not None:  # no text is made of the endpoints
        edges, num_vertices = replace(edges, ids=None, num_vertices=len(ids)), None
    forest = spanning_forest(edges, plan=plan, threads=few, num_vertices=num_vertices)
    if ids is None or forest.ids is not None:
        return RootedForest.of(forest_counted_from_one(forest) if base else forest)
    u, v, edge = (on_host(x) for x in (forest.u, forest.v, forest.edge))
    return RootedForest(u, v, edge, forest.num_vertices, Vertices(ids, len(ids)))


def _in_memory(edges: Any) -> Any:
    """Edges whose rows are looked up by position: what can be read once, or is computed when it is read, is a table."""
    if library_of(edges) == "polars" and hasattr(edges, "collect"):
        return edges.collect()
    if library_of(edges) == "pyarrow" and not (hasattr(edges, "take") and hasattr(edges, "column_names")):
        arrow: Any = import_module("pyarrow")
        return edges.read_all() if hasattr(edges, "read_all") else arrow.table(edges)
    return edges


def _scores(score: Any, table: Any, count: int) -> Array:
    """One number per edge, from a column of the table or on their own."""
    if isinstance(score, str):
        known = [] if table is None else [str(each) for each in getattr(table, "column_names", table.columns)]
        if score not in known:
            raise InputError(f"score: there is no column {score!r}; there is {listing(known) if known else 'no table'}")
        score = table.column(score).to_numpy() if hasattr(table, "column_names") else table[score].to_numpy()
    numbers = np.asarray(score)
    if numbers.dtype.kind not in "iufb" or numbers.shape != (count,):
        raise InputError(f"score: one number per edge, {count} of them, not {numbers.dtype} of shape {numbers.shape}")
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        raise InputError(f"score: edge {int(np.argmax(np.isnan(numbers)))} has none")
    return numbers


def _rows(table: Any, edge: Array, library: str) -> Any:
    """Rows of a table, by position."""
    if library == "pandas":
        return table.iloc[edge]
    if library == "polars":
        return table[edge]
    arrow: Any = import_module("pyarrow")
    return table.take(arrow.array(edge))
