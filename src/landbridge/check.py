"""Verification that shares no code with the engines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.device import cuda
from landbridge.errors import CheckFailed, InputError
from landbridge.graph import Graph, as_graph
from landbridge.result import Components, SpanningForest


def check_components(graph: Any, labels: Any, *, ids: str | None = None, threads: int | None = None) -> None:
    """Raise CheckFailed unless ``labels`` are the components of ``graph``, numbered by their smallest vertices.

    graph: a Graph or anything that makes one. labels: shape (n,) integers, or a Components. ids, threads: as for
    `Graph`; arrays whose Components came with renumbered ids are renumbered alike.
    The message names an edge whose ends differ, or two vertices with one label that no path joins, or the vertex whose
    number is wrong. Independent of the engines: a serial union by size over every edge. O(m) time, 8 bytes a vertex.
    """
    if isinstance(labels, Components):
        renumbered = labels.ids is not None and labels.ids.dtype.kind in "iu"
        if renumbered and ids is None and isinstance(graph, tuple | list | np.ndarray):
            ids = "sparse"
        labels = labels.labels
    g = as_graph(graph, ids=ids, threads=threads).to_host()
    if hasattr(labels, "__cuda_array_interface__"):
        labels = cuda.cupy().asarray(labels).get()
    try:
        array = np.asarray(labels)
    except ValueError:
        raise InputError(f"labels must be a one-dimensional array of integers, not {type(labels).__name__}") from None
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(
            f"labels must be a one-dimensional array of integers, not {array.dtype} of shape {array.shape}"
        )
    if len(array) != g.num_vertices:
        raise CheckFailed(f"there are {len(array)} labels for {g.num_vertices} vertices")
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    if array.itemsize < 4:
        array = array.astype(np.int32)
    if array.size and int(array.min()) < 0:
        v = int(np.flatnonzero(array < 0)[0])
        raise CheckFailed(f"vertex {v} has label {int(array[v])}")
    problem = _core.check_labels(g.num_vertices, g.offsets, g.a, g.b, array)
    if problem:
        raise CheckFailed(problem)


def check_forest(graph: Any, forest: Any, *, ids: str | None = None, threads: int | None = None) -> None:
    """Raise CheckFailed unless ``forest`` is a spanning forest of ``graph``.

    graph: a Graph or anything that makes one. forest: a SpanningForest, or a tuple (u, v, edge) of integer arrays of
    one length in any order; u and v in the graph's ids. ids, threads: as for `Graph`.
    Each edge must stand at its position of the input with these ends (in either direction), none may close a cycle,
    and the ends of every edge of the graph must lie in one tree; then there are n - k of them. The message names the
    edge that proves the opposite. Independent of the engines: a serial union by size. O(m) time, 8 bytes a vertex.
    """
    count = None
    if isinstance(forest, SpanningForest):
        renumbered = forest.ids is not None and forest.ids.dtype.kind in "iu"
        if renumbered and ids is None and isinstance(graph, tuple | list | np.ndarray):
            ids = "sparse"
        count, forest = forest.count, (forest.u, forest.v, forest.edge)
    if not isinstance(forest, tuple) or len(forest) != 3:
        raise InputError("a forest is a SpanningForest or a tuple (u, v, edge) of arrays")
    g = as_graph(graph, ids=ids, threads=threads).to_host()
    u, v = (_numbers(x, name, g) for x, name in zip(forest, ("u", "v"), strict=False))
    edge = _whole(forest[2], "edge")
    if not len(u) == len(v) == len(edge):
        raise CheckFailed(f"the forest has {len(u)} u, {len(v)} v and {len(edge)} positions; each edge needs all three")
    for array, what in ((edge, "position"), (u, "vertex"), (v, "vertex")):
        if array.size and int(array.min()) < 0:
            i = int(np.argmax(array < 0))
            raise CheckFailed(f"forest edge {i}: {what} {int(array[i])} is negative")
    problem = _core.check_forest(g.num_vertices, g.offsets, g.a, g.b, u, v, edge)
    if problem:
        raise CheckFailed(problem)
    if count is not None and count != g.num_vertices - len(edge):
        trees = g.num_vertices - len(edge)
        raise CheckFailed(f"the forest says that it has {count} trees, and its edges make {trees}")


def _whole(values: Any, name: str) -> NDArray[np.int64]:
    """A one-dimensional array of whole numbers, from wherever it lies."""
    if hasattr(values, "__cuda_array_interface__"):
        values = cuda.cupy().asarray(values).get()
    array = np.asarray(values)
    if array.size == 0 and array.ndim == 1:
        return np.empty(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        problem = f"not {array.dtype} of shape {array.shape}"
        raise InputError(f"{name} must be a one-dimensional array of integers, {problem}")
    return np.ascontiguousarray(array, dtype=np.int64)


def _numbers(values: Any, name: str, graph: Graph) -> NDArray[np.int64]:
    """Ends of forest edges as vertices 0..n-1."""
    if graph.ids is None:
        return _whole(values, name)
    number = {name: i for i, name in enumerate(graph.ids.tolist())}
    named = np.asarray(values).tolist()
    for i, end in enumerate(named):
        if end not in number:
            raise CheckFailed(f"forest edge {i}: the graph has no vertex {end!r}")
    return np.array([number[end] for end in named], dtype=np.int64)
