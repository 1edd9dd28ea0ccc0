"""The arguments of the calls of a stream: vertices of operations as arrays, kinds of operations, and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge._core import CoreInputError
from landbridge.device import cuda
from landbridge.edges.coerce import coerce_pair, columns_of_edges, is_sparse_matrix
from landbridge.edges.forms import EdgeList
from landbridge.edges.frames import columns_of, library_of
from landbridge.edges.id_columns import are_plain, column_of_one, is_one
from landbridge.edges.load import is_files
from landbridge.edges.on_device import edges_of, holds_device, is_device_array
from landbridge.edges.options import options_of, with_way_out
from landbridge.edges.other_objects import way_to_list
from landbridge.edges.place import endpoint_places, shown
from landbridge.errors import InputError, OutOfDeviceMemory
from landbridge.graph import MOST_VERTICES
from landbridge.passes import elements_of, is_whole, slices
from landbridge.result import IdArray

_NATIVE = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32), np.dtype(np.uint64))


def operands(u: Any, v: Any, unit: str) -> tuple[IdArray, IdArray, bool]:
    """Both endpoints as arrays of one native type, and whether they were two integers. unit: "edge", "query" or
    "operation", as messages call a pair of them.
    """
    if are_columns(u, v):
        return u, v, False
    scalars = [is_one(x) for x in (u, v)]
    if all(scalars):
        u, v = column_of_one(u), column_of_one(v)
    elif scalars[0] and hasattr(v, "__len__"):
        u = column_of_one(u) * len(v)
    elif scalars[1] and hasattr(u, "__len__"):
        v = column_of_one(v) * len(u)
    edges = coerce_pair(u, v, places=endpoint_places(unit))
    assert isinstance(edges, EdgeList)
    if edges.ids is not None:
        # Names would be numbered anew in each call, so equal numbers of two batches would not be the same vertex.
        raise InputError("vertices have names; in a stream ids are vertex numbers, unless it is made with ids='names'")
    return edges.u, edges.v, all(scalars)


def are_columns(u: Any, v: Any) -> bool:
    """Whether two objects are arrays, in one memory, that are two columns of ids as they are."""
    if are_plain(u, v):
        return True
    # Not of a subclass: a masked array is more than its memory.
    kind = type(u)
    on_device = kind.__module__ == "cupy" and kind.__name__ == "ndarray"
    alike = on_device and kind is type(v) and u.dtype == v.dtype and u.dtype in _NATIVE and u.shape == v.shape
    return alike and u.ndim == 1 and u.flags.c_contiguous and v.flags.c_contiguous


def endpoints(edges: Any, columns: Sequence[str | int] | None) -> tuple[Any, Any]:
    """The two columns of edges that came in one argument: a data frame, a pair of columns, pairs, an array, a matrix.

    Raises InputError for anything else.
    """
    if is_one(edges):
        raise InputError(f"an edge has two endpoints, and {edges!r:.40} is one: insert(u, v)")
    if library_of(edges) is not None:
        (u, v), _ = columns_of(edges, options_of(columns=columns).columns)
        return u, v
    if columns is not None:
        raise InputError(f"columns: for data frames; these edges are a {type(edges).__name__}")
    if holds_device(edges):
        on_device = edges_of(edges)
        if isinstance(on_device, EdgeList):
            return on_device.u, on_device.v
    elif (pair := _pair_of(edges)) is not None:
        if all(map(is_one, pair)):
            files = "; components(chunks=...) reads files" if is_files(edges) else ""
            raise InputError(
                f"one edge is insert(u, v), and edges in one argument are pairs, as in insert([(u, v)]){files}"
            )
        return pair
    if is_sparse_matrix(edges):
        raise InputError(
            "cannot insert a sparse matrix: its entries are edges, insert(matrix.row, matrix.col) of its COO form"
        )
    raise InputError(
        f"cannot insert edges from {type(edges).__name__}: give two columns, an (m, 2) array, a list of pairs or a "
        f"data frame{way_to_list(edges) or '; components(chunks=...) reads files'}"
    )


def _pair_of(edges: Any) -> tuple[Any, Any] | None:
    """The two columns of edges in host memory, or two ids, which as text could be names of files; None for neither."""
    if isinstance(edges, tuple | list) and len(edges) == 2 and all(map(is_one, edges)):
        return edges[0], edges[1]
    return None if is_files(edges) else columns_of_edges(edges)


def on_host(array: Any) -> Any:
    """The array in host memory."""
    return array if isinstance(array, np.ndarray) else array.get()


def kinds_of(is_query: Any, count: int) -> Any:
    """Which operations are queries, as bytes, in the memory where they were."""
    elements = elements_of(is_query)
    kinds = is_query if is_device_array(is_query) else np.asarray(is_query) if elements is None else _bools(elements)
    if kinds.ndim != 1 or len(kinds) != count:
        raise InputError(f"is_query must have shape ({count},) like u and v, not {tuple(kinds.shape)}")
    if kinds.dtype != bool:
        if kinds.dtype.kind not in "iu" and kinds.size:
            raise InputError(f"is_query must hold bools, not {kinds.dtype}")
        if kinds.size and (int(kinds.min()) < 0 or int(kinds.max()) > 1):
            i = int(((kinds < 0) | (kinds > 1)).argmax())
            raise _no_kind(i, int(kinds[i]))
        kinds = kinds != 0
    if is_device_array(kinds):
        return cuda.cupy().ascontiguousarray(cuda.cupy().asarray(kinds)).view(np.uint8)
    return np.ascontiguousarray(kinds).view(np.uint8)


def _bools(elements: Sequence[Any]) -> NDArray[np.bool_]:
    """Bools, and 0 and 1 for them."""
    bools = np.empty(len(elements), dtype=np.bool_)
    for part in slices(len(elements)):
        for i, x in enumerate(elements[part], part.start):
            if not isinstance(x, bool | np.bool_) and not (is_whole(x) and 0 <= x <= 1):
                raise _no_kind(i, x)
        bools[part] = list(map(bool, elements[part]))
    return bools


def _no_kind(i: int, value: object) -> InputError:
    return InputError(f"is_query must hold bools: operation {i} is {shown(value)}")


def reported(error: Exception, u: Any, v: Any, unit: str, *, ids: bool, kinds: Any = None) -> Exception:
    """The error that a call raises instead of one from below. u, v: the columns, once they have been read. unit: as for
    `operands`. ids: whether the stream has ids. kinds: which operations are queries, as bytes; these make no vertex."""
    if isinstance(error, CoreInputError):
        return InputError(with_way_out(error, "Incremental(ids='sparse')"))
    if ids:
        return MemoryError("no memory for the batch, or for its ids") if isinstance(error, MemoryError) else error
    if isinstance(error, OutOfDeviceMemory) or is_device_array(u) or is_device_array(v):
        return error
    one = type(u) is int and type(v) is int
    if isinstance(error, MemoryError):
        if unit == "query" or not (one or isinstance(u, np.ndarray)):  # no vertex is made, or none has been read
            return MemoryError("no memory for the batch")
        most, place = largest_vertex(u, v, None if kinds is None else kinds == 0)
        if most >= MOST_VERTICES:
            return InputError(f"{unit} {place}: vertex {most} is beyond any memory; ids='sparse' takes ids with gaps")
        batch, of_edge = ("", "") if one else ("for the batch, or ", f" of {unit} {place}")
        gaps = "; ids='sparse' takes ids with gaps" if most > 16 * np.size(u) + 2**20 else ""
        return MemoryError(f"no memory {batch}for all vertices up to {most}{of_edge}{gaps}")
    if one:
        return InputError(f"vertex {max(u, v, key=abs)} does not fit 64 bits")
    return error


def largest_vertex(u: Any, v: Any, inserts: Any = None) -> tuple[int, int]:
    """The largest id of some operations, and the first of them that has it. inserts: which; None for all."""
    most, place = 0, 0
    for x in (u, v):
        ids = np.atleast_1d(x)
        if inserts is not None:
            ids = np.where(inserts, ids, ids.dtype.type(0))
        at = int(ids.argmax()) if ids.size else 0
        if ids.size and (int(ids[at]), -at) > (most, -place):
            most, place = int(ids[at]), at
    return most, place
