"""Verification of connected components."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.check.vertices import id_of, ids_option, refuse, refuse_other_vertices, to_host
from landbridge.edges.id_columns import ids_of
from landbridge.edges.names import NameArray
from landbridge.edges.numbering import Numbering
from landbridge.edges.options import GraphOptions
from landbridge.edges.place import Place
from landbridge.errors import CheckFailed, InputError
from landbridge.flags import flag_or_none
from landbridge.graph import Graph, as_graph
from landbridge.limits import with_timeout
from landbridge.result import Components
from landbridge.typing import GraphLike, Ids


@with_timeout
def check_components(
    graph: GraphLike,
    labels: Components | Ids,
    *,
    ids: str | None = None,
    numbering: bool | None = None,
    threads: int | None = None,
    timeout: float | None = None,
    **options: Unpack[GraphOptions],
) -> None:
    """Raise CheckFailed unless `labels` are the components of `graph`, whatever program they are from.

    Parameters
    ----------
    graph : GraphLike
        A `Graph` or anything that makes one.
    labels : Components or Ids
        Shape (n,), a label for each vertex: integers of any numbering, or text. Or a `Components`; arrays of edges then
        have the kind of ids that it has, and one of other vertices than the graph's is refused.
    ids, threads : optional
        As for `Graph`.
    numbering : bool, optional
        Whether labels must be 0..k-1 by the smallest vertex of each component, as `components` numbers them. None: of a
        `Components` alone.
    timeout : float, optional
        Seconds after which the call ends with TimeLimitExceeded, as `time_limit` describes.
    **options : GraphOptions
        As for `Graph`.

    Raises
    ------
    CheckFailed
        Naming an edge whose endpoints differ, or two vertices with one label that no path joins, or, with `numbering`,
        the vertex whose number is wrong.
    InputError
        For what is no graph or no column of labels, and for a Series of pandas whose index has the ids in another
        order.

    Notes
    -----
    Independent of the engines: a serial union by size over every edge (tarjan1984). O(m) time, 8 bytes per vertex.

    Examples
    --------
    >>> landbridge.check_components(([0, 2], [1, 3]), [7, 7, 5, 5])
    >>> landbridge.check_components(([0, 2], [1, 3]), [0, 0, 1, 0])
    Traceback (most recent call last):
    landbridge.errors.CheckFailed: ...
    """
    answer = labels if isinstance(labels, Components) else None
    numbering = flag_or_none("numbering", numbering)
    g = as_graph(graph, ids=ids_option(graph, answer, ids), threads=threads, **options).to_host()
    if answer is not None:
        refuse_other_vertices(g, answer.ids)
        labels = answer.labels
    exact = answer is not None if numbering is None else numbering
    refuse_other_order(g, labels)
    column = ids_of(to_host(labels), Place("the labels", "vertex"))
    values: Any = NameArray(*column) if isinstance(column, tuple) else column
    if len(values) != g.num_vertices:
        raise CheckFailed(f"there are {len(values)} labels for {g.num_vertices} vertices")
    if exact and isinstance(values, NameArray):
        raise InputError("the labels are text; numbering=True is about numbers")
    if exact and len(values) and int(values.min()) < 0:
        v = int(np.flatnonzero(values < 0)[0])
        raise CheckFailed(f"vertex {id_of(g, v)} has label {int(values[v])}")
    numbers = values if exact else by_first(values)
    refuse(g, _core.check_labels(g.num_vertices, g.offsets, g.a, g.b, np.require(numbers, None, ("C", "A"))), values)


def refuse_other_order(g: Graph, labels: Any) -> None:
    """Raise InputError for a Series of pandas whose index has the ids of the graph, and has them in another order."""
    index = getattr(labels, "index", None)
    if not hasattr(labels, "iloc") or index is None or len(index) != g.num_vertices:
        return
    have, ids = np.asarray(index), np.arange(g.num_vertices) if g.ids is None else np.asarray(g.ids)
    if not np.array_equal(have, ids) and set(have.tolist()) == set(ids.tolist()):
        raise InputError(
            "the labels are by the order of vertices, and the index of this Series has another: labels[ids]"
        )


def by_first(labels: Any) -> NDArray[np.int64]:
    """The same partition, numbered by the first vertex of each label. O(n)."""
    n = len(labels)
    values: Any = labels
    if isinstance(labels, NameArray) or (n and not 0 <= int(labels.min()) <= int(labels.max()) < 4 * n + 1024):
        values = Numbering(1).number(labels)
    first = np.full(int(values.max()) + 1 if n else 0, n, dtype=np.int64)
    first[values[::-1]] = np.arange(n - 1, -1, -1)  # of equal places the last one counts
    begins = np.zeros(n, dtype=np.int64)
    begins[first[first < n]] = 1
    numbers: NDArray[np.int64] = (np.cumsum(begins) - 1)[first[values]]
    return numbers
