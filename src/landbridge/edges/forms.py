"""The two forms of edges: an edge list (COO) and an adjacency (CSR). Every reader, adapter and generator returns one.

Their ids are not checked here: the graph validates both forms once, when it is built.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from landbridge.edges.spelling import option
from landbridge.errors import InputError, counted
from landbridge.typing import IdArray

__all__ = ["SPARSE_FACTOR", "SPARSE_FLOOR", "Adjacency", "EdgeList", "Edges", "IdArray", "refuse_other_count"]

# Ids are renumbered if the largest exceeds FACTOR * edges + FLOOR: an array up to it would be mostly unused.
SPARSE_FACTOR, SPARSE_FLOOR = 2, 1_000_000


@dataclass(frozen=True, slots=True)
class EdgeList:
    """An edge list: edge i joins ``u[i]`` and ``v[i]``; any order, duplicates and self-loops allowed.

    Attributes
    ----------
    u, v : array of shape (m,)
        Of one dtype: int32, int64, uint32 or uint64; C-contiguous.
    num_vertices : int or None
        The declared number of vertices; None for the largest id plus 1.
    ids : array of shape (n,) or None
        The original id of each vertex, ascending, if the vertices were renumbered.
    both_directions : bool
        Whether each undirected edge is known to be stored as (a, b) and (b, a).
    notes : tuple of str
        Remarks of a reader for the user, one line each, such as a header that contradicts the edges.
    occurring : bool
        True if the vertices are the ids that occur in u and v, not renumbered yet (ids is None then); False if they are
        0..n-1.
    library : str or None
        The library of the data frame that held the edges: "pandas", "polars" or "pyarrow".
    """

    u: IdArray
    v: IdArray
    num_vertices: int | None = None
    ids: NDArray[Any] | None = None
    both_directions: bool = False
    notes: tuple[str, ...] = field(default=())
    occurring: bool = False
    library: str | None = None


@dataclass(frozen=True, slots=True)
class Adjacency:
    """CSR: the neighbours of x are ``neighbors[offsets[x]:offsets[x + 1]]``.

    Attributes
    ----------
    offsets : array of shape (n + 1,)
        int32 or int64, ascending from 0 to m.
    neighbors : array of shape (m,)
        int32, int64, uint32 or uint64.
    symmetric : bool or None
        Whether every arc (a, b) is stored as (b, a) too; None if unknown.
    ids, notes :
        As for `EdgeList`.
    promised : bool
        True if a caller says so, and not the reader of the edges.
    """

    offsets: IdArray
    neighbors: IdArray
    symmetric: bool | None = None
    ids: NDArray[Any] | None = None
    notes: tuple[str, ...] = field(default=())
    promised: bool = False


Edges = EdgeList | Adjacency


def refuse_other_count(num_vertices: int | None, edges: Edges, path: str = "") -> None:
    """Raise InputError for a number of vertices that is not the one that the edges declare, as a matrix does.

    num_vertices: of the caller, None if not given. path: of the file that declares it.
    """
    declared = len(edges.offsets) - 1 if isinstance(edges, Adjacency) else edges.num_vertices
    if num_vertices is None or declared is None or num_vertices == declared:
        return
    name, which = option("num_vertices"), counted(declared, "vertex", "vertices")
    what = "names" if edges.ids is not None else "declares"
    where, holder = (f"{path}: ", "the file") if path else ("", "the source")
    raise InputError(f"{where}{name} = {num_vertices}, but {holder} {what} {which}: leave {name} out")
