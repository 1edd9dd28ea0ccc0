"""Verification of connected components."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from landbridge import _core
from landbridge.check.vertices import id_of, ids_option, refuse, refuse_other_vertices, to_host
from landbridge.edges.options import GraphOptions
from landbridge.errors import CheckFailed, InputError
from landbridge.graph import as_graph
from landbridge.limits import with_timeout
from landbridge.result import Components
from landbridge.typing import GraphLike, Labels


@with_timeout
def check_components(
    graph: GraphLike,
    labels: Components | Labels,
    *,
    ids: str | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    **options: Unpack[GraphOptions],
) -> None:
    """Raise CheckFailed unless `labels` are the components of `graph`, numbered by their smallest vertices.

    Parameters
    ----------
    graph : GraphLike
        A `Graph` or anything that makes one.
    labels : Components or Labels
        Shape (n,) integers, or a `Components`. Arrays, and labels of a `Components`, have the kind of ids that the
        `Components` has; a `Components` of other vertices than the graph's is refused.
    ids, threads : optional
        As for `Graph`.
    timeout : float, optional
        Seconds after which the call ends with TimeLimitExceeded, as `time_limit` describes.
    **options : GraphOptions
        As for `Graph`.

    Raises
    ------
    CheckFailed
        Naming an edge whose endpoints differ, or two vertices with one label that no path joins, or the vertex whose
        number is wrong.
    InputError
        For what is no graph or no array of integers.

    Notes
    -----
    Independent of the engines: a serial union by size over every edge (tarjan1984). O(m) time, 8 bytes per vertex.

    Examples
    --------
    >>> landbridge.check_components(([0, 2], [1, 3]), [0, 0, 1, 1])
    >>> landbridge.check_components(([0, 2], [1, 3]), [0, 0, 1, 0])
    Traceback (most recent call last):
    landbridge.errors.CheckFailed: ...
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
    array = np.require(array, array.dtype.newbyteorder("="), ("C", "A"))
    if array.itemsize < 4:
        array = array.astype(np.int32)
    if array.size and int(array.min()) < 0:
        v = int(np.flatnonzero(array < 0)[0])
        raise CheckFailed(f"vertex {id_of(g, v)} has label {int(array[v])}")
    refuse(g, _core.check_labels(g.num_vertices, g.offsets, g.a, g.b, array))
