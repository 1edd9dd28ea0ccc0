"""What the checks of graphs share: an answer and its graph have the same vertices, and answers come to host memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge.device import cuda
from landbridge.errors import CheckFailed
from landbridge.graph import Graph
from landbridge.result import Components, SpanningForest


def ids_option(graph: Any, answer: Components | SpanningForest | None, ids: str | None) -> str | None:
    """The option ``ids`` for a graph of arrays whose answer has whole numbers for ids."""
    numbers = answer is not None and answer.ids is not None and answer.ids.dtype.kind in "iu"
    return "sparse" if numbers and ids is None and isinstance(graph, tuple | list | np.ndarray) else ids


def refuse_other_vertices(g: Graph, ids: Any) -> None:
    """Refuse an answer whose ids are not those of the graph, in the same order."""
    if g.ids is None or ids is None or len(g.ids) != len(ids) or g.ids is ids:
        return
    different = np.flatnonzero(np.asarray(g.ids != ids))
    if len(different):
        i = int(different[0])
        other = ids[i] if isinstance(ids[i], np.integer) else repr(ids[i])
        raise CheckFailed(f"vertex {i} is {id_of(g, i)} in the graph and {other} in the answer")


def id_of(graph: Graph, vertex: int) -> Any:
    """The id of a vertex as messages show it."""
    if graph.ids is None:
        return vertex
    value = graph.ids[vertex]
    return value if isinstance(value, np.integer) else repr(value)


def refuse(graph: Graph, problem: tuple[str, list[int]], labels: Any = None) -> None:
    """Raise CheckFailed with what a check of the core has found, if it has found something: the vertices, and behind
    them their labels where there are any."""
    text, vertices = problem
    if text:
        values = () if labels is None else [labels[vertex] for vertex in vertices]
        shown = [value if isinstance(value, np.integer) else repr(value) for value in values]
        raise CheckFailed(text.format(*(id_of(graph, vertex) for vertex in vertices), *shown))


def to_host(array: Any) -> Any:
    """An array on a GPU as one in host memory; anything else as it is."""
    return cuda.cupy().asarray(array).get() if hasattr(array, "__cuda_array_interface__") else array
