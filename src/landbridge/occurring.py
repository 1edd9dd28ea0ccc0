"""Answers for vertices 0..n-1 narrowed to the ids that occur: those of an edge, be it one from an id to itself.

A run over 0..n-1 makes a component of each id that no edge has. Such a vertex is a singleton, and so is one that has
only self-loops: only these edges have to be searched for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.result import Components, IdArray, SpanningForest


def components_that_occur(answer: Components, u: IdArray, v: IdArray, threads: int) -> Components:
    """The components of the ids in u and v, ascending, from those of all vertices up to the largest. O(n + m)."""
    narrowed: Any = _core.occurring(answer.labels, answer.count, u, v, threads)
    ids, labels, count = narrowed
    return replace(answer, count=count, labels=labels, ids=ids)


def forest_that_occurs(answer: SpanningForest, u: IdArray, v: IdArray, threads: int) -> SpanningForest:
    """The same forest, with the trees of ids that do not occur left out of its count. O(n + m)."""
    ids: Any = _core.occurring_endpoints(answer.num_vertices, answer.u, answer.v, u, v, threads)
    endpoints: dict[str, Any] = {"u": answer.u.astype(u.dtype, copy=False), "v": answer.v.astype(u.dtype, copy=False)}
    return replace(answer, **endpoints, count=len(ids) - answer.num_edges, ids=ids)


def counted_from_one(answer: Components) -> Components:
    """The same components of vertices whose ids count from 1."""
    return replace(answer, ids=_from_one(len(answer.labels), answer.labels.dtype), base=1)


def forest_counted_from_one(answer: SpanningForest) -> SpanningForest:
    """The same forest of vertices whose ids count from 1."""
    ids = _from_one(answer.num_vertices, answer.u.dtype)
    return replace(answer, u=answer.u + 1, v=answer.v + 1, ids=ids, base=1)


def _from_one(n: int, dtype: Any) -> Any:
    return np.arange(1, n + 1, dtype=dtype)
