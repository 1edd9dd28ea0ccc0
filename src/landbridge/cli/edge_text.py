"""Edges written as text, one a line, so that the package's own reader and every other tool reads them back."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from landbridge.cli.output import CHUNK, STANDARD, integer_rows, replacing
from landbridge.edges import files
from landbridge.edges.forms import EdgeList, Edges
from landbridge.errors import InputError

FORMAT = "edges"


def check_format(path: str, name: str | None) -> None:
    """Refuses a format, named or meant by the path's ending, that is not a list of edges as text."""
    endings = files.FORMATS[FORMAT].extensions
    suffix = Path(path.removesuffix(".gz")).suffix.lower()
    if name not in (None, FORMAT):
        raise InputError(f"unknown format {name!r} to write; known: {FORMAT}")
    if name is None and path != STANDARD and suffix not in endings:
        raise InputError(f"{path}: edges are written as text: {', '.join(endings)}, each also with .gz")


def write_edges(path: str, edges: Edges) -> int:
    """Writes a list of edges: commas below a header for .csv, else tabs. Returns how many vertices it cannot keep.

    Text names vertices by their edges, so those above the largest id that has one are lost. Original ids are
    written where vertices were renumbered. A name that ends in .gz is compressed. O(m) time.
    """
    if edges.ids is not None and edges.ids.dtype.kind not in "iu":
        raise InputError(f"{path}: ids that are text cannot be written as a list of edges")
    u, v, vertices = pairs(edges)
    named = max((int(ends.max()) + 1 for ends in (u, v) if len(ends)), default=0)
    comma = path.removesuffix(".gz").endswith(".csv")
    with replacing(path) as beside, beside.open("wb") as out:
        if path.endswith(".gz"):
            with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed:
                _write(packed, u, v, ids=edges.ids, comma=comma)
        else:
            _write(out, u, v, ids=edges.ids, comma=comma)
    return 0 if vertices is None or edges.ids is not None else vertices - named


def pairs(edges: Edges) -> tuple[NDArray[Any], NDArray[Any], int | None]:
    """Both ends of every stored edge, and the number of vertices if it is known."""
    if isinstance(edges, EdgeList):
        return edges.u, edges.v, edges.num_vertices
    rows = len(edges.offsets) - 1
    tails = np.repeat(np.arange(rows, dtype=edges.neighbors.dtype), np.diff(edges.offsets))
    return tails, edges.neighbors, rows


def _write(
    out: IO[bytes] | gzip.GzipFile, u: NDArray[Any], v: NDArray[Any], *, ids: NDArray[Any] | None, comma: bool
) -> None:
    if comma:
        out.write(b"source,target\n")
    for begin in range(0, len(u), CHUNK):
        ends = [a[begin : begin + CHUNK] if ids is None else ids[a[begin : begin + CHUNK]] for a in (u, v)]
        out.write(integer_rows(ends[0], ends[1], "," if comma else "\t"))
