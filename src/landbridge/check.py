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


def check_components(
    graph: Any, labels: Any, *, ids: str | None = None, threads: int | None = None, **options: Any
) -> None:
    """Raise CheckFailed unless ``labels`` are the components of ``graph``, numbered by their smallest vertices.

    graph: a Graph or anything that makes one. labels: shape (n,) integers, or a Components. ids, threads, options: as
    for `Graph`. Arrays, and labels of a Components, have the kind of ids that the Components has; a Components of
    other vertices than the graph's is refused.
    The message names an edge whose ends differ, or two vertices with one label that no path joins, or the vertex whose
    number is wrong. Independent of the engines: a serial union by size over every edge. O(m) time, 8 bytes a vertex.
    """
    answer = labels if isinstance(labels, Components) else None
    g = as_graph(graph, ids=_kind(graph, answer, ids), threads=threads, **options).to_host()
    if answer is not None:
        _same_vertices(g, answer.ids)
        labels = answer.labels
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


def _kind(graph: Any, answer: Components | SpanningForest | None, ids: str | None) -> str | None:
    """The kind of ids of arrays whose answer has numbers for ids."""
    numbers = answer is not None and answer.ids is not None and answer.ids.dtype.kind in "iu"
    return "sparse" if numbers and ids is None and isinstance(graph, tuple | list | np.ndarray) else ids


def _same_vertices(g: Graph, ids: Any) -> None:
    """Refuse an answer whose ids are not those of the graph, in the same order."""
    if g.ids is None or ids is None or len(g.ids) != len(ids) or g.ids is ids:
        return
    different = np.flatnonzero(np.asarray(g.ids != ids))
    if len(different):
        i = int(different[0])
        raise CheckFailed(f"vertex {i} is {g.ids[i]!r} in the graph and {ids[i]!r} in the answer")


def check_forest(
    graph: Any, forest: Any, *, ids: str | None = None, threads: int | None = None, **options: Any
) -> None:
    """Raise CheckFailed unless ``forest`` is a spanning forest of ``graph``.

    graph: a Graph or anything that makes one. forest: a SpanningForest, or a tuple (u, v, edge) of integer arrays of
    one length in any order; u and v in the graph's ids. ids, threads, options: as for `Graph`.
    Each edge must stand at its position of the input with these ends (in either direction), none may close a cycle,
    and the ends of every edge of the graph must lie in one tree; then there are n - k of them. The message names the
    edge that proves the opposite. Independent of the engines: a serial union by size. O(m) time, 8 bytes a vertex.
    """
    count, answer = None, forest if isinstance(forest, SpanningForest) else None
    if answer is not None:
        count, forest = answer.count, (answer.u, answer.v, answer.edge)
    if not isinstance(forest, tuple) or len(forest) != 3:
        raise InputError("a forest is a SpanningForest or a tuple (u, v, edge) of arrays")
    g = as_graph(graph, ids=_kind(graph, answer, ids), threads=threads, **options).to_host()
    if answer is not None:
        _same_vertices(g, answer.ids)
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
