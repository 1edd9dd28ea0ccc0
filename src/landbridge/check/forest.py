"""Verification of spanning forests."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.check.vertices import ids_option, refuse, refuse_other_vertices, to_host
from landbridge.edges.number_columns import values_of
from landbridge.edges.options import GraphOptions
from landbridge.edges.place import Place
from landbridge.errors import CheckFailed, InputError
from landbridge.graph import Graph, as_graph
from landbridge.limits import with_timeout
from landbridge.result import SpanningForest
from landbridge.typing import ForestEdges, GraphLike


@with_timeout
def check_forest(
    graph: GraphLike,
    forest: SpanningForest | ForestEdges,
    *,
    ids: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    **options: Unpack[GraphOptions],
) -> None:
    """Raise CheckFailed unless `forest` is a spanning forest of `graph`.

    Parameters
    ----------
    graph : GraphLike
        A `Graph` or anything that makes one.
    forest : SpanningForest or ForestEdges
        A `SpanningForest`, or a tuple (u, v, edge) of integer arrays of one length in any order; u and v in the graph's
        ids.
    ids, threads : optional
        As for `Graph`.
    timeout : float, optional
        Seconds after which the call ends with TimeLimitExceeded, as `time_limit` describes.
    **options : GraphOptions
        As for `Graph`.

    Raises
    ------
    CheckFailed
        Naming the edge that proves the opposite.
    InputError
        For what is no graph or no forest.

    Notes
    -----
    Each edge must be at its position of the input with these endpoints (in either direction), none may close a cycle,
    and the endpoints of every edge of the graph must lie in one tree; then there are n - k of them. Independent of the
    engines: a serial union by size (tarjan1984). O(m) time, 8 bytes per vertex.

    Examples
    --------
    >>> triangle = ([0, 1, 2], [1, 2, 0])
    >>> landbridge.check_forest(triangle, ([0, 1], [1, 2], [0, 1]))
    >>> landbridge.check_forest(triangle, landbridge.spanning_forest(triangle))
    """
    count, answer = None, forest if isinstance(forest, SpanningForest) else None
    if answer is not None:
        count, forest = answer.count, (answer.u, answer.v, answer.edge)
    if not isinstance(forest, tuple) or len(forest) != 3:
        raise InputError("a forest is a SpanningForest or a tuple (u, v, edge) of arrays")
    g = as_graph(graph, ids=ids_option(graph, answer, ids), threads=threads, **options).to_host()
    if answer is not None:
        refuse_other_vertices(g, answer.ids)
    u, v = (_vertices(x, name, g) for x, name in zip(forest, ("u", "v"), strict=False))
    edge = _whole_numbers(forest[2], "edge")
    if not len(u) == len(v) == len(edge):
        raise CheckFailed(f"the forest has {len(u)} u, {len(v)} v and {len(edge)} positions; each edge needs all three")
    for array, what in ((edge, "position"), (u, "vertex"), (v, "vertex")):
        if array.size and int(array.min()) < 0:
            i = int(np.argmax(array < 0))
            raise CheckFailed(f"forest edge {i}: {what} {int(array[i])} is negative")
    refuse(g, _core.check_forest(g.num_vertices, g.offsets, g.a, g.b, u, v, edge))
    if count is not None and count != g.num_vertices - len(edge):
        trees = g.num_vertices - len(edge)
        raise CheckFailed(f"the forest says that it has {count} trees, and its edges make {trees}")


def _whole_numbers(values: Any, name: str) -> NDArray[np.int64]:
    """A one-dimensional array of whole numbers in host memory."""
    array = values_of(to_host(values), Place(name, "forest edge"))
    if array.size == 0:
        return np.empty(0, np.int64)
    if array.dtype.kind not in "iu":
        problem = f"not {array.dtype} of shape {array.shape}"
        raise InputError(f"{name} must be a one-dimensional array of integers, {problem}")
    if array.dtype == np.uint64 and int(array.max()) >= 2**63:
        i = int((array >= 2**63).argmax())
        raise CheckFailed(f"forest edge {i}: {name} = {int(array[i])} is no position or vertex of the graph")
    return np.require(array, np.int64, ("C", "A"))


def _vertices(values: Any, name: str, graph: Graph) -> NDArray[np.int64]:
    """Endpoints of forest edges as vertices 0..n-1."""
    if graph.ids is None:
        return _whole_numbers(values, name)
    numbers = {vertex_id: i for i, vertex_id in enumerate(graph.ids.tolist())}
    endpoints = np.asarray(values).tolist()
    for i, endpoint in enumerate(endpoints):
        if endpoint not in numbers:
            raise CheckFailed(f"forest edge {i}: the graph has no vertex {endpoint!r}")
    return np.array([numbers[endpoint] for endpoint in endpoints], dtype=np.int64)
