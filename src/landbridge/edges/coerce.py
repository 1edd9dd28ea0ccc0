"""Objects in memory to edges: arrays, sparse matrices, NetworkX graphs. No copy where none is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges import on_device
from landbridge.edges.forms import Adjacency, EdgeList, Edges, IdArray
from landbridge.edges.names import columns_of, from_texts, pair_of_columns, text_pair
from landbridge.edges.options import Options
from landbridge.errors import InputError

IdMode = Literal["dense", "sparse"]

_NATIVE = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32), np.dtype(np.uint64))


def coerce(obj: Any, *, num_vertices: int | None = None, ids: IdMode = "dense", threads: int = 1) -> Edges:
    """Turn anything with edges in it, but a path, into an EdgeList or an Adjacency.

    obj: a pair ``(u, v)`` of equally long one-dimensional integer arrays (or sequences); an array of shape
        (m, 2) or (2, m) (a (2, 2) array is two edges, one a row, and so is a list of two pairs; a tuple of two
        lists is ``(u, v)``, however long they are); a square SciPy sparse matrix or array of any
        format (every stored entry is an edge, explicit zeros too); a NetworkX graph; an EdgeList or Adjacency.
    num_vertices: vertices are 0..num_vertices-1; by default up to the largest id.
    ids: "dense" takes ids as they are; "sparse" renumbers those that occur, in ascending order, and keeps the
        originals in ``EdgeList.ids``.

    Raises InputError for other objects, wrong shapes, and ids that are not whole numbers. Range is the graph's concern.
    """
    if ids not in ("dense", "sparse"):
        raise InputError(f"ids must be 'dense' or 'sparse', not {ids!r}")
    if on_device.holds_device(obj):
        if ids == "sparse":
            raise InputError("ids='sparse' numbers ids on the host; copy the edges there, or number them on the GPU")
        return on_device.edges_of(obj)
    named = text_pair(obj)
    if named is not None:
        if num_vertices is not None:
            raise InputError("num_vertices has no meaning for vertices with names: they are the names that occur")
        return from_texts(named, threads)
    edges = _form_of(obj, threads)
    if ids == "sparse":
        if isinstance(edges, Adjacency) or edges.ids is not None:
            raise InputError("ids='sparse' renumbers a list of edges; this graph has numbered vertices already")
        if num_vertices is not None:
            raise InputError("num_vertices has no meaning with ids='sparse': vertices are the ids that occur")
        return replace(edges, num_vertices=None, occurring=True)
    return edges


def coerce_frame(frame: Any, options: Options) -> EdgeList:
    """Two columns of a data frame (pandas, polars, pyarrow, or anything that speaks Arrow's stream protocol) as edges.

    options.columns: their names or positions, by default the first two. Text is numbered, and ``ids`` keeps the names.
    The vertices of numbers are those that occur, unless the options say that they are vertex numbers.
    """
    found = pair_of_columns(*columns_of(frame, options.columns), options.threads)
    if isinstance(found, EdgeList):
        return found
    if options.ids == "names":
        raise InputError("ids='names' is for columns of text; these are numbers")
    return replace(_pair(*found), occurring=options.ids != "dense")


def renumber(edges: EdgeList, threads: int) -> EdgeList:
    """The same edges with the ids that occur numbered 0..n-1 in ascending order; originals in ``ids``."""
    u: Any = np.ascontiguousarray(edges.u)
    v: Any = np.ascontiguousarray(edges.v)
    dense_u, dense_v, originals = _core.renumber(u, v, threads)
    return EdgeList(
        dense_u,
        dense_v,
        num_vertices=len(originals),
        ids=originals,
        both_directions=edges.both_directions,
        notes=edges.notes,
    )


def _form_of(obj: Any, threads: int) -> Edges:
    if isinstance(obj, EdgeList):
        pair = _pair(obj.u, obj.v)
        return replace(obj, u=pair.u, v=pair.v)
    if isinstance(obj, Adjacency):
        return replace(obj, offsets=_offsets(obj.offsets), neighbors=_row_ids(obj.neighbors, "neighbors"))
    if _is_sparse(obj):
        return _from_sparse(obj)
    if _is_networkx(obj):
        return _from_networkx(obj)
    if isinstance(obj, np.ndarray):
        return _from_array(obj)
    if isinstance(obj, tuple | list):
        return _from_sequence(obj)
    if hasattr(obj, "__array__") or hasattr(obj, "__dlpack__"):
        return _from_array(_as_array(obj, "the edges"))
    raise InputError(
        f"cannot read edges from {type(obj).__name__}: give a pair of arrays, an (m, 2) array, a sparse matrix, "
        "a NetworkX graph or a path"
    )


def _from_sequence(obj: Sequence[Any]) -> EdgeList:
    if len(obj) == 2:
        columns = isinstance(obj, tuple) and all(isinstance(x, list) for x in obj)
        if columns or not all(isinstance(x, tuple | list) and len(x) == 2 for x in obj):
            return _pair(obj[0], obj[1])
    if len(obj) == 0:
        empty = np.empty(0, dtype=np.int64)
        return EdgeList(empty, empty)
    return _from_array(_as_array(obj, "the edges"))


def _from_array(array: NDArray[Any]) -> EdgeList:
    if array.ndim != 2 or 2 not in array.shape:
        raise InputError(f"an array of edges has shape (m, 2) or (2, m), not {array.shape}")
    if array.shape[1] == 2:
        return _pair(array[:, 0], array[:, 1])
    return _pair(array[0], array[1])


def _pair(u: Any, v: Any) -> EdgeList:
    a, b = _ids(u, "u"), _ids(v, "v")
    if a.shape != b.shape:
        raise InputError(f"u has {a.shape[0]} ids and v has {b.shape[0]}; edge i needs both u[i] and v[i]")
    if a.dtype != b.dtype:
        a, b = _common(a, b)
    return EdgeList(a, b)


def _common(a: IdArray, b: IdArray) -> tuple[IdArray, IdArray]:
    # int64 with uint64 has no common integer type: a value that one of them lacks is out of range for any graph.
    kinds = {a.dtype, b.dtype}
    if np.dtype(np.uint64) in kinds and any(d.kind == "i" for d in kinds):
        signed = a if a.dtype.kind == "i" else b
        if signed.size and int(signed.min()) < 0:
            i = int(np.flatnonzero(signed < 0)[0])
            raise InputError(f"edge {i}: vertex {int(signed[i])} is negative")
        return a.astype(np.uint64), b.astype(np.uint64)
    wide = np.promote_types(a.dtype, b.dtype)
    return a.astype(wide), b.astype(wide)


def _as_array(obj: Any, what: str) -> NDArray[Any]:
    try:
        if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
            return np.from_dlpack(obj)
        array = np.asarray(obj)
        if array.dtype.kind == "f" and isinstance(obj, tuple | list) and (np.abs(array) >= 2.0**53).any():
            return np.asarray(obj, dtype=object)  # integers of both sides of 2^63 have no common type but object
        return array
    except (TypeError, ValueError, OverflowError, RuntimeError, BufferError) as error:
        raise InputError(f"{what}: cannot make an array of ids from {type(obj).__name__} ({error})") from None


def _ids(obj: Any, what: str) -> IdArray:
    """A one-dimensional array of one of the four native id types, copied only if it has to be."""
    if isinstance(obj, np.ma.MaskedArray):
        masked = np.flatnonzero(np.ma.getmaskarray(obj))
        if masked.size:
            raise InputError(f"edge {int(masked[0])}: {what} is null")
        obj = obj.data
    array = obj if isinstance(obj, np.ndarray) else _as_array(obj, what)
    if array.ndim != 1:
        raise InputError(f"{what} must be one-dimensional, not of shape {array.shape}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype in _NATIVE:
        return _strided(array)
    if array.size == 0 and array.dtype.kind in "fO":
        return np.empty(0, dtype=np.int64)
    if array.dtype.kind in "iu":
        return array.astype(np.int32)  # 8 and 16 bits
    if array.dtype.kind == "f":
        return _whole(array, what)
    if array.dtype.kind == "O":
        return _from_objects(array, what)
    raise InputError(f"{what} must hold integers, not {array.dtype}")


def _strided(array: NDArray[Any]) -> IdArray:
    # The core walks any positive whole stride; a reversed or oddly packed view is copied.
    step = array.strides[0] if array.size > 1 else array.itemsize
    fits = step > 0 and step % array.itemsize == 0 and array.ctypes.data % array.itemsize == 0
    return array if fits else np.ascontiguousarray(array)


def _whole(array: NDArray[Any], what: str) -> IdArray:
    # From here on neighbouring whole numbers round to the same float: two ids may have become one.
    bits = min(int(np.finfo(array.dtype).nmant) + 1, 63)
    with np.errstate(invalid="ignore"):
        size = np.abs(array)
        wrong = ~((np.floor(array) == array) & (np.frexp(size)[1] <= bits) & np.isfinite(array))
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        if np.isnan(array[i]):
            problem = "is not a number"
        elif np.isfinite(array[i]) and np.floor(array[i]) == array[i]:
            problem = f"is too large: {array.dtype} is exact below 2^{bits} only"
        else:
            problem = "is not a whole number"
        raise InputError(f"edge {i}: {what} = {array[i]} {problem}")
    return array.astype(np.int64)


def _from_objects(array: NDArray[Any], what: str) -> IdArray:
    for i, value in enumerate(array):
        if value is None or (isinstance(value, float) and np.isnan(value)):
            raise InputError(f"edge {i}: {what} is null")
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InputError(f"edge {i}: {what} = {value!r} is not an integer")
        if not -(2**63) <= int(value) < 2**64:
            raise InputError(f"edge {i}: {what} = {value} does not fit 64 bits")
    try:
        return array.astype(np.int64)
    except OverflowError:
        return array.astype(np.uint64)


def _is_sparse(obj: Any) -> bool:
    return type(obj).__module__.startswith("scipy.sparse") and hasattr(obj, "tocsr")


def _from_sparse(matrix: Any) -> Edges:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix is square, not of shape {matrix.shape}")
    n = int(matrix.shape[0])
    if matrix.format == "coo":
        row, col = (matrix.row, matrix.col) if hasattr(matrix, "row") else matrix.coords
        return EdgeList(*_common_pair(row, col), num_vertices=n)
    # Columns of a matrix are rows of its transpose, and that has the same components.
    compressed = matrix if matrix.format in ("csr", "csc") else matrix.tocsr()
    offsets = _offsets(compressed.indptr)
    # SciPy lets the arrays of a matrix be longer than its entries: what lies behind the last row is spare room.
    return Adjacency(offsets, _row_ids(compressed.indices, "indices")[: max(0, int(offsets[-1]))])


def _row_ids(obj: Any, what: str) -> IdArray:
    return np.ascontiguousarray(_ids(obj, what))


def _offsets(obj: Any) -> IdArray:
    # Signed, so that an offset above 2^63 is seen to be negative.
    array = _row_ids(obj, "offsets")
    return array.astype(np.int64) if array.dtype.kind == "u" else array


def _common_pair(u: Any, v: Any) -> tuple[IdArray, IdArray]:
    pair = _pair(u, v)
    return pair.u, pair.v


def _is_networkx(obj: Any) -> bool:
    return hasattr(obj, "adjacency") and hasattr(obj, "nodes") and hasattr(obj, "is_directed")


def _from_networkx(graph: Any) -> EdgeList:
    nodes = list(graph.nodes)
    number = {node: i for i, node in enumerate(nodes)}
    dense = all(type(node) is int and node == i for i, node in enumerate(nodes))
    flat = np.fromiter(
        (number[x] for edge in graph.edges() for x in edge), dtype=np.int64, count=2 * graph.number_of_edges()
    )
    ids: NDArray[Any] | None = None
    if not dense:
        ids = np.empty(len(nodes), dtype=object)
        ids[:] = nodes
    return EdgeList(flat[0::2], flat[1::2], num_vertices=len(nodes), ids=ids)
