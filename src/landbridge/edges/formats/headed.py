"""Text whose header declares the sizes: Matrix Market, DIMACS, METIS. All count vertices from 1."""

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
    """Refuse ``columns`` for a format that has none to choose from."""
    if options.columns is not None:
        raise InputError(f"{source.path}: columns can be chosen only in lists of edges and tables")


def declared(
    u: NDArray[Any], v: NDArray[Any], vertices: int, options: Options, notes: tuple[str, ...] = ()
) -> EdgeList:
    """The edges over the declared number of vertices, or over those that occur."""
    if options.ids == "sparse":
        edges = renumbered(u, v, options.threads)
        return EdgeList(edges.u, edges.v, edges.num_vertices, edges.ids, notes=notes)
    return EdgeList(u, v, vertices, notes=notes)


def rows(
    source: Source, offsets: NDArray[Any], neighbors: NDArray[Any], options: Options, symmetric: bool | None
) -> Edges:
    """Compressed rows as they are, or as a renumbered list of edges. Offsets that fall are refused before they are
    used: their differences, which would be lengths, mean nothing."""
    checked(source, _core.check_offsets, offsets, len(neighbors), options.threads)
    if options.ids == "sparse":
        n = len(offsets) - 1
        checked(source, _core.check_range, neighbors, n, "arc", options.threads)
        tails = np.repeat(np.arange(n, dtype=neighbors.dtype), np.diff(offsets))
        return renumbered(tails, np.ascontiguousarray(neighbors), options.threads)
    return Adjacency(offsets, neighbors, symmetric)


def checked(source: Source, check: Callable[..., None], *args: Any) -> None:
    """Call a check of the core; its complaint names this file."""
    try:
        check(*args)
    except _core.CoreInputError as error:
        source.fail(str(error))


def renumbered(u: NDArray[Any], v: NDArray[Any], threads: int) -> EdgeList:
    """The same edges over 0..k-1, where k ids occur; ``ids`` holds them in ascending order."""
    dense_u, dense_v, ids = _core.renumber(u, v, threads=threads)
    return EdgeList(dense_u, dense_v, len(ids), ids)


def read_matrix_market(source: Source, options: Options) -> EdgeList:
    """Coordinate files, pattern, real, integer or complex: every entry is an edge, whatever its value."""
    no_columns(source, options)
    u, v, vertices = source.parse(
        _core.parse_matrix_market, source.whole(), threads=options.threads, progress=source.report
    )
    return declared(u, v, vertices, options)


def read_dimacs(source: Source, options: Options) -> EdgeList:
    """``p sp n m`` with ``a u v w`` lines, or ``p edge n m`` with ``e u v`` lines."""
    no_columns(source, options)
    u, v, vertices, promised = source.parse(
        _core.parse_dimacs, source.whole(), threads=options.threads, progress=source.report
    )
    notes: tuple[str, ...] = ()
    if promised != len(u):
        notes = (f"the header says {promised} edges, the file has {len(u)}: the file is trusted",)
    return declared(u, v, vertices, options, notes)


def read_metis(source: Source, options: Options) -> Edges:
    """Line i lists the neighbours of vertex i; sizes and weights are skipped.

    The format wants each edge on both of its lines; only their total is checked.
    """
    no_columns(source, options)
    offsets, neighbors = source.parse(
        _core.parse_metis, source.whole(), threads=options.threads, progress=source.report
    )
    return rows(source, offsets, neighbors, options, None)
