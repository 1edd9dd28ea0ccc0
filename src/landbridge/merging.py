"""Partial answers put together: labels, forests and streams of the same vertices, each about some of the edges."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.on_device import is_device_array
from landbridge.errors import InputError
from landbridge.graph import check_count, default_threads
from landbridge.incremental import Incremental, stream_plan
from landbridge.plan import parse
from landbridge.result import Components, Profile, SpanningForest

PLAN = "rem_cas(naive,halve_one)"
"""How stars and forests are united."""


def merge(*parts: Any, num_vertices: int | None = None, threads: int | None = None) -> Components:
    """The components of all edges that the parts have seen, from the parts alone.

    parts: any number of partial answers about the same vertices, in any mixture: `Components`; a spanning forest (an
        object with ``u``, ``v`` and ``num_vertices``); an `Incremental`; or labels, an integer array of shape (n,) in
        which equal numbers, none of them negative, mean connected vertices. Parts may have different numbers of
        vertices: the largest counts, and a vertex that a part does not have is alone there.
        Components and forests with ``ids`` (of sparse ids or names) are put together by id, if all parts have them; the
        vertices of the result are then the ids of all parts in ascending order.
    num_vertices: at least so many vertices.

    Merging is associative, commutative and idempotent: ``merge(merge(a, b), c)``, ``merge(c, a, b)`` and
    ``merge(a, a, b, c)`` are the same to the last bit. So parts may come in any order, twice, or merged before.
    Raises InputError naming the part. O(n) a part; 8 bytes a vertex beside the parts, and 8 for each part in turn.
    """
    workers = default_threads(threads)
    least = check_count(num_vertices) or 0
    began = time.perf_counter()
    plan = stream_plan(parse(PLAN), "cpu")
    finish = plan.finish
    ids, places = _common_ids(parts)
    if ids is not None and num_vertices is not None:
        raise InputError("num_vertices has no meaning with ids: vertices are the ids that occur")
    n = least if ids is None else len(ids)
    trees = _core.IncrementalTrees(finish.link, finish.find, finish.splice, n, workers, False)
    for i, part in enumerate(parts):
        try:
            if ids is None:
                u, v, size = _edges_of(part)
            else:
                u, v, size = _edges_among(ids, places[i], part)
            trees.insert(u, v)
            if ids is None and size:
                trees.insert_one(size - 1, size - 1)
        except (InputError, CoreInputError) as error:
            raise InputError(f"part {i}: {error}") from None
    count, labels = trees.labels(workers)
    total = time.perf_counter() - began
    profile = Profile({"merge": total}, total, workers, 0.0)
    frames = (part.library for part in parts if isinstance(part, Components) and part.library is not None)
    return Components(count, labels, str(plan), "cpu", profile, ids, library=next(frames, None))


def _common_ids(parts: tuple[Any, ...]) -> tuple[NDArray[Any] | None, list[NDArray[Any]]]:
    """The ids of all parts, ascending, and where those of each part are among them; None if no part has any."""
    named = [isinstance(part, Components | SpanningForest) and part.ids is not None for part in parts]
    if not any(named):
        return None, []
    if not all(named):
        raise InputError(
            f"part {named.index(False)} numbers its vertices and part {named.index(True)} names them: "
            "which is which is not known"
        )
    try:
        ids, places = np.unique(np.concatenate(_one_type([part.ids for part in parts])), return_inverse=True)
    except TypeError as error:
        raise InputError(f"the ids of the parts have no common order ({error})") from None
    ends = np.cumsum([len(part.ids) for part in parts])
    return ids, np.split(places.astype(np.int64, copy=False), ends[:-1])


def _one_type(ids: list[Any]) -> list[Any]:
    """The same ids in a type that holds all of them: NumPy would make inexact floats of int64 beside uint64."""
    kinds = {part.dtype.kind for part in ids}
    if kinds != {"i", "u"} or np.result_type(*(part.dtype for part in ids)).kind != "f":
        return ids
    if all(part.dtype.kind == "u" or len(part) == 0 or int(part.min()) >= 0 for part in ids):
        return [part.astype(np.uint64) for part in ids]
    if all(part.dtype.kind == "i" or len(part) == 0 or int(part.max()) < 2**63 for part in ids):
        return [part.astype(np.int64) for part in ids]
    raise InputError("some ids are negative and some from 2^63 on: no type of integers holds both")


def _edges_among(ids: NDArray[Any], places: NDArray[Any], part: Any) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Edges that say all a part with ids says, between positions in `ids`; places: those of the part's vertices."""
    if isinstance(part, Components):
        u, v, size = _edges_of(part)
        return places[u], places[v], size
    u, v = (np.searchsorted(ids, _on_host(x).astype(ids.dtype, copy=False)) for x in (part.u, part.v))
    return u, v, len(places)


def _edges_of(part: Any) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Edges that say all a part says, and its number of vertices."""
    if isinstance(part, Incremental):
        part = part.components()
    if isinstance(part, Components):
        return _star_edges(_on_host(part.representatives))
    if all(hasattr(part, name) for name in ("u", "v", "num_vertices")):
        n = int(part.num_vertices)
        u, v = (np.ascontiguousarray(_on_host(x)) for x in (part.u, part.v))
        for ends in (u, v):
            _core.check_range(ends, n, "edge", 1)
        return u, v, n
    return _star_edges(_representatives(part))


def _on_host(array: Any) -> NDArray[Any]:
    host: NDArray[Any] = array.get() if is_device_array(array) else np.asarray(array)
    return host


def _star_edges(representatives: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], int]:
    vertices = np.arange(len(representatives), dtype=representatives.dtype)
    below = np.flatnonzero(representatives != vertices)
    return vertices[below], representatives[below], len(representatives)


def _representatives(part: Any) -> NDArray[Any]:
    """The first vertex with the label of each vertex."""
    try:
        labels = _on_host(part)
    except (TypeError, ValueError) as error:
        raise InputError(f"{type(part).__name__} holds no labels ({error})") from None
    if labels.size == 0 and labels.ndim == 1:
        return np.empty(0, dtype=np.int64)
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise InputError(
            "a part is Components, a forest, an Incremental or an integer array of labels of shape (n,), not "
            + (f"an array of {labels.dtype} of shape {labels.shape}" if labels.ndim else type(part).__name__)
        )
    least, most, n = int(labels.min()), int(labels.max()), len(labels)
    if least < 0:
        raise InputError(f"vertex {int(labels.argmin())} has the label {least}; labels are not negative")
    if most > 4 * n:
        _, first, where = np.unique(labels, return_index=True, return_inverse=True)
        return first[where].astype(np.int64, copy=False)
    first = np.empty(most + 1, dtype=np.int64)
    # Of several values for one place the last one stays: that of the smallest vertex.
    first[labels[::-1]] = np.arange(n - 1, -1, -1)
    found: NDArray[Any] = first[labels]
    return found
