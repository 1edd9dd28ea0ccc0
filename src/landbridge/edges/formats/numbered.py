"""What formats of numbered vertices share: the declared number of vertices, CSR arrays, and the checks of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.formats.source import Source
from landbridge.edges.forms import Adjacency, EdgeList, Edges
from landbridge.edges.options import Options
from landbridge.errors import InputError


def no_columns(source: Source, options: Options) -> None:
    """Raise InputError if ``columns`` is set, for a format without columns."""
    if options.columns is not None:
        raise InputError(f"{source.path}: columns can be chosen only in lists of edges and tables")


def declared(source: Source, u: NDArray[Any], v: NDArray[Any], vertices: int, options: Options) -> EdgeList:
    """The edges over the declared number of vertices, or with ids="sparse" over those that occur."""
    if options.ids == "sparse":
        edges = renumbered(u, v, options.threads)
        return EdgeList(edges.u, edges.v, edges.num_vertices, edges.ids)
    source.take_labels(vertices)
    return EdgeList(u, v, vertices)


def adjacency(
    source: Source, offsets: NDArray[Any], neighbors: NDArray[Any], options: Options, symmetric: bool | None
) -> Edges:
    """CSR arrays as they are, or with ids="sparse" as a renumbered edge list.

    Offsets that descend are refused first, since their differences would be no lengths.
    """
    checked(source, _core.check_offsets, offsets, len(neighbors), options.threads)
    if options.ids == "sparse":
        n = len(offsets) - 1
        checked(source, _core.check_range, neighbors, n, "arc", options.threads)
        tails = np.repeat(np.arange(n, dtype=neighbors.dtype), np.diff(offsets))
        return renumbered(tails, np.ascontiguousarray(neighbors), options.threads)
    return Adjacency(offsets, neighbors, symmetric)


def checked(source: Source, check: Callable[..., None], *args: Any) -> None:
    """Call a check of the core; its error becomes a FileFormatError with the name of the file."""
    try:
        check(*args)
    except _core.CoreInputError as error:
        source.fail(str(error))


def renumbered(u: NDArray[Any], v: NDArray[Any], threads: int) -> EdgeList:
    """The same edges over 0..k-1, where k ids occur; ``ids`` holds them in ascending order."""
    dense_u, dense_v, ids = _core.renumber(u, v, threads=threads)
    return EdgeList(dense_u, dense_v, len(ids), ids)


def parse_text(source: Source, parser: Callable[..., Any], options: Options) -> Any:
    """The result of a parser of the core for the text of a whole file."""
    return source.parse(parser, source.whole(), threads=options.threads, progress=source.report)
