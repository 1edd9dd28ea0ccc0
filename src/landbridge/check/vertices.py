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
        raise CheckFailed(f"vertex {i} is {g.ids[i]!r} in the graph and {ids[i]!r} in the answer")


def to_host(array: Any) -> Any:
    """An array on a GPU as one in host memory; anything else as it is."""
    return cuda.cupy().asarray(array).get() if hasattr(array, "__cuda_array_interface__") else array
