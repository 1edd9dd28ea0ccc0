"""Verification that shares no code with the engines."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda
from landbridge.errors import CheckFailed, InputError
from landbridge.graph import as_graph
from landbridge.result import Components


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
