"""Verification of connected components."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge import _core
from landbridge.check.vertices import ids_option, refuse_other_vertices, to_host
from landbridge.errors import CheckFailed, InputError
from landbridge.graph import as_graph
from landbridge.result import Components


def check_components(
    graph: Any, labels: Any, *, ids: str | None = None, threads: int | None = None, **options: Any
) -> None:
    """Raise CheckFailed unless ``labels`` are the components of ``graph``, numbered by their smallest vertices.

    graph: a Graph or anything that makes one. labels: shape (n,) integers, or a Components. ids, threads, options: as
    for `Graph`. Arrays, and labels of a Components, have the kind of ids that the Components has; a Components of
    other vertices than the graph's is refused.
    The message names an edge whose endpoints differ, or two vertices with one label that no path joins, or the vertex
    whose number is wrong. Independent of the engines: a serial union by size over every edge. O(m) time, 8 bytes per
    vertex.
    """
    answer = labels if isinstance(labels, Components) else None
    g = as_graph(graph, ids=ids_option(graph, answer, ids), threads=threads, **options).to_host()
    if answer is not None:
        refuse_other_vertices(g, answer.ids)
        labels = answer.labels
    labels = to_host(labels)
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
