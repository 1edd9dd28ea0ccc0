"""Partial answers merged: labels, forests and streams of the same vertices, each of some of the edges."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.names import NameArray
from landbridge.edges.number_columns import values_of
from landbridge.edges.on_device import is_device_array
from landbridge.edges.place import Place
from landbridge.edges.united import positions, united
from landbridge.engine.base import Trees
from landbridge.errors import InputError
from landbridge.graph import check_count
from landbridge.id_kind import kind_of_ids
from landbridge.passes import elements_of
from landbridge.plan import Plan
from landbridge.problems import PROBLEMS
from landbridge.result import Components, Profile, SpanningForest
from landbridge.threads import default_threads
from landbridge.typing import Part

_PLAN = "rem_cas(naive,halve_one)"
"""How stars and forests are united."""


def merge(*parts: Part, num_vertices: int | None = None, threads: int | None = None) -> Components:
    """The components of the edges of all parts together, from the parts alone.

    Parameters
    ----------
    *parts : Part
        Any number of partial answers for the same vertices, in any mixture: `Components`; a spanning forest (an object
        with ``u``, ``v`` and ``num_vertices``); an `Incremental`; or labels, an integer array of shape (n,) in which
        equal numbers, none of them negative, mean connected vertices. Parts may have different numbers of vertices: the
        largest counts, and a vertex that a part does not have is a component of its own there. Components, forests and
        streams with ``ids`` (sparse ids or names) are merged by id, if all parts have them; the vertices of the result
        are then the ids of all parts in ascending order, text by its bytes. `Components` without vertices, as of a file
        without edges, go with all others.
    num_vertices : int, optional
        At least so many vertices.
    threads : int, optional
        By default all processors of this process.

    Returns
    -------
    Components

    Raises
    ------
    InputError
        Naming the part.

    Notes
    -----
    Merging is associative, commutative and idempotent: ``merge(merge(a, b), c)``, ``merge(c, a, b)`` and ``merge(a, a,
    b, c)`` are the same to the last bit. So parts may come in any order, twice, or merged before. O(n) per part, with
    ids O(n log k) for k parts: ascending lists of ids are merged without a table. 8 bytes per vertex beside the parts,
    and 8 for each part in turn; with ids 4 more per part.

    Examples
    --------
    >>> left, right = landbridge.components(([0], [1])), landbridge.components(([1], [3]))
    >>> landbridge.merge(left, right).labels.tolist()
    [0, 0, 1, 0]
    """
    workers = default_threads(threads)
    least = check_count(num_vertices) or 0
    began = time.perf_counter()
    parts = tuple(_components_of(part) for part in parts)
    ids, places = _common_ids(parts, workers)
    if ids is not None and num_vertices is not None:
        raise InputError("num_vertices has no meaning with ids: vertices are the ids that occur")
    n = least if ids is None else len(ids)
    trees, plan, device = uniting_trees(n, workers)
    for i, part in enumerate(parts):
        try:
            u, v, size = _edges_of(part)
            if ids is not None:
                u, v, size = places[i][u], places[i][v], 0
            trees.insert(u, v)
            if size:
                trees.insert_one(size - 1, size - 1)
        except (InputError, CoreInputError) as error:
            raise InputError(f"part {i}: {error}") from None
    count, labels = trees.labels(workers)
    total = time.perf_counter() - began
    profile = Profile({"merge": total}, total, workers, 0.0)
    frames = (part.library for part in parts if isinstance(part, Components) and part.library is not None)
    return Components(count, labels, str(plan), device, profile, ids, library=next(frames, None))


def uniting_trees(vertices: int, threads: int) -> tuple[Trees, Plan, str]:
    """Trees in host memory for edges of earlier answers, their plan, and the name of their engine."""
    engine, plan = PROBLEMS["incremental"].request(_PLAN).stream()
    return engine.trees(plan, vertices, False, threads), plan, engine.name


def _components_of(part: Any) -> Any:
    """The components of a stream so far; any other part as it is."""
    return part.components() if callable(getattr(part, "components", None)) else part


def _common_ids(parts: tuple[Any, ...], threads: int) -> tuple[Any, list[NDArray[Any]]]:
    """The ids of all parts, ascending, and the places of those of each part among them; None if no part has any."""
    lists = [part.ids if isinstance(part, Components | SpanningForest) else None for part in parts]
    full = [i for i, part in enumerate(parts) if not _is_empty(part)]
    if all(lists[i] is None for i in full or range(len(parts))):
        return None, []
    kinds = [(i, _kind(lists[i])) for i in full]
    for i, kind in kinds[1:]:
        _refuse_mixture(parts, kinds[0], (i, kind))
    return united([_NO_IDS if ids is None else ids for ids in lists], threads)


_NO_IDS = np.empty(0, dtype=np.int64)
_VERTICES = {
    "dense": "0..n-1", "sparse": "the numbers that occur", "names": "the names that occur", "": "objects",
}  # fmt: skip


def _is_empty(part: Any) -> bool:
    """Whether a part has no vertices."""
    if isinstance(part, SpanningForest):
        return part.num_vertices == 0
    return isinstance(part, Components) and len(part.labels) == 0


def _kind(ids: Any) -> str:
    """The kind of ids; "" for objects, which may be numbers or texts."""
    if ids is None:
        return "dense"
    return kind_of_ids(ids) if isinstance(ids, NameArray) or ids.dtype.kind in "iu" else ""


def _refuse_mixture(parts: tuple[Any, ...], one: tuple[int, str], other: tuple[int, str]) -> None:
    """Raise InputError for two parts whose vertices are of different kinds, with what makes them one."""
    kinds = {one[1], other[1]}
    if len(kinds) == 1 or ("" in kinds and "dense" not in kinds):
        return
    words = [_VERTICES[kind] if not getattr(parts[i], "base", 0) else "1..n" for i, kind in (one, other)]
    advice = "compute both with ids='sparse', or both with ids='dense'"
    if kinds != {"dense", "sparse"}:
        advice = "ids='names' reads the numbers of text files as names"
    raise InputError(
        f"the vertices of part {one[0]} are {words[0]}, and those of part {other[0]} are {words[1]}: which of them are "
        f"the same is not known; {advice}"
    )


def _edges_of(part: Any) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Edges with the components of a part, and its number of vertices."""
    if isinstance(part, Components):
        return _star_edges(_on_host(part.representatives))
    if isinstance(part, SpanningForest) and part.ids is not None:
        u, v = (positions(part.ids, _on_host(x)) for x in (part.u, part.v))
        return u, v, len(part.ids)
    if all(hasattr(part, name) for name in ("u", "v", "num_vertices")):
        n = int(part.num_vertices)
        u, v = (np.ascontiguousarray(_on_host(x)) for x in (part.u, part.v))
        for endpoints in (u, v):
            _core.check_range(endpoints, n, "edge", 1)
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
    """The first vertex with the same label, of each vertex."""
    elements = elements_of(part)
    try:
        labels = values_of(elements, Place("the label", "vertex")) if elements is not None else _on_host(part)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{type(part).__name__} holds no labels ({error})") from None
    if labels.size == 0 and labels.ndim == 1:
        return np.empty(0, dtype=np.int64)
    if labels.ndim != 1 or labels.dtype.kind not in "iu":
        raise InputError(
            "a part is Components, a forest, an Incremental or an integer array of labels of shape (n,), not "
            + (f"an array of {labels.dtype} of shape {labels.shape}" if labels.ndim else type(part).__name__)
        )
    smallest, largest, n = int(labels.min()), int(labels.max()), len(labels)
    if smallest < 0:
        raise InputError(f"vertex {int(labels.argmin())} has the label {smallest}; labels are not negative")
    if largest > 4 * n:
        _, first, where = np.unique(labels, return_index=True, return_inverse=True)
        return first[where].astype(np.int64, copy=False)
    first = np.empty(largest + 1, dtype=np.int64)
    # Of several values for one place the last one is stored: that of the smallest vertex.
    first[labels[::-1]] = np.arange(n - 1, -1, -1)
    result: NDArray[Any] = first[labels]
    return result
