"""Arrays in device memory to edges, without a copy to the host."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from landbridge.device import cuda
from landbridge.edges.csr import rows_of
from landbridge.edges.forms import Adjacency, EdgeList, Edges
from landbridge.errors import InputError

_CUDA_DEVICES = (2, 13)  # kDLCUDA and kDLCUDAManaged of DLPack
_NATIVE = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32), np.dtype(np.uint64))


def is_device_array(obj: Any) -> bool:
    """Whether an object offers device memory: `__cuda_array_interface__`, or DLPack with a CUDA device."""
    if isinstance(obj, np.ndarray):
        return False
    if type(obj).__module__ == "cupy":
        return True
    if hasattr(obj, "__cuda_array_interface__"):
        return True
    device = getattr(obj, "__dlpack_device__", None)
    return device is not None and int(device()[0]) in _CUDA_DEVICES


def _is_sparse(obj: Any) -> bool:
    return type(obj).__module__.startswith("cupyx.scipy.sparse") and hasattr(obj, "tocsr")


def holds_device(obj: Any) -> bool:
    """Whether `obj` is a graph on a GPU: an array, a pair of arrays, a CSR, or a sparse matrix of cupyx or PyTorch."""
    if (rows := rows_of(obj)) is not None:
        return is_device_array(rows.offsets) or is_device_array(rows.neighbors)
    if _is_sparse(obj) or is_device_array(obj):
        return True
    if isinstance(obj, EdgeList):
        return is_device_array(obj.u)
    if isinstance(obj, Adjacency):
        return is_device_array(obj.neighbors)
    return isinstance(obj, tuple | list) and len(obj) == 2 and any(is_device_array(x) for x in obj)


def edges_of(obj: Any) -> Edges:
    """The edges of an object that `holds_device` accepts, in arrays of CuPy that share its memory.

    Ids of 8 and 16 bits, and views whose stride is no multiple of the element, are copied on the device.

    Raises
    ------
    InputError
        For wrong shapes and types, and for a pair of which one array is in host memory.
    """
    with cuda.errors("taking arrays on a GPU"):
        if isinstance(obj, EdgeList | Adjacency):
            return obj
        if (rows := rows_of(obj)) is not None:
            offsets, neighbors = _ids(rows.offsets, "offsets"), _ids(rows.neighbors, "neighbors")
            return Adjacency(_contiguous(offsets), _contiguous(neighbors), symmetric=rows.symmetric, promised=True)
        if _is_sparse(obj):
            return _from_sparse(obj)
        if isinstance(obj, tuple | list):
            return _pair(obj[0], obj[1])
        array = _adopt(obj, "the edges")
        if array.ndim != 2 or 2 not in array.shape:
            raise InputError(f"an array of edges has shape (m, 2) or (2, m), not {tuple(array.shape)}")
        return _pair(array[:, 0], array[:, 1]) if array.shape[1] == 2 else _pair(array[0], array[1])


def _adopt(obj: Any, what: str) -> Any:
    cupy = cuda.cupy()
    if isinstance(obj, cupy.ndarray):
        return obj
    if not is_device_array(obj):
        raise InputError(f"{what} is not on a GPU, and the other one is; put both in one place")
    if (tensor := _of_same_stream(obj)) is not None:
        return tensor
    # DLPack first: it orders the producer's CUDA stream before ours.
    return cupy.from_dlpack(obj) if hasattr(obj, "__dlpack__") else cupy.asarray(obj)


def _of_same_stream(obj: Any) -> Any | None:
    """A tensor of PyTorch whose CUDA stream is CuPy's, too, by its address: DLPack takes several times as long, and has
    nothing to order then. None for anything else.
    """
    torch = sys.modules.get("torch")
    if torch is None or type(obj) is not torch.Tensor or obj.layout is not torch.strided or obj.numel() == 0:
        return None
    cupy, device = cuda.cupy(), obj.device.index
    dtype = _TENSORS.get(str(obj.dtype))
    same = torch.cuda.current_stream(device).cuda_stream == cupy.cuda.get_current_stream().ptr
    if dtype is None or not same or device != cupy.cuda.runtime.getDevice():
        return None
    step = dtype.itemsize
    size, strides = tuple(obj.shape), tuple(step * stride for stride in obj.stride())
    extent = step + sum((length - 1) * stride for length, stride in zip(size, strides, strict=True))
    memory = cupy.cuda.UnownedMemory(obj.data_ptr(), max(extent, 0), obj, device)
    return cupy.ndarray(size, dtype, cupy.cuda.MemoryPointer(memory, 0), strides)


_TENSORS = {f"torch.{name}": np.dtype(name) for name in ("int32", "int64", "uint32", "uint64")}


def _ids(obj: Any, what: str) -> Any:
    array = _adopt(obj, what)
    if array.ndim != 1:
        raise InputError(f"{what} must be one-dimensional, not of shape {tuple(array.shape)}")
    if array.dtype.kind not in "iu":
        raise InputError(f"{what} must hold integers, not {array.dtype}")
    if array.dtype not in _NATIVE:
        array = array.astype(np.int32)
    step = array.strides[0] if array.size > 1 else array.itemsize
    return array if step > 0 and step % array.itemsize == 0 else array.copy()


def _contiguous(array: Any) -> Any:
    return cuda.cupy().ascontiguousarray(array)


def _pair(u: Any, v: Any) -> EdgeList:
    a, b = _ids(u, "u"), _ids(v, "v")
    if a.shape != b.shape:
        raise InputError(f"u has {a.shape[0]} ids and v has {b.shape[0]}; edge i needs both u[i] and v[i]")
    if a.dtype != b.dtype:
        if {a.dtype.kind, b.dtype.kind} == {"i", "u"}:
            raise InputError(f"u holds {a.dtype} and v {b.dtype}; give both one type")
        wide = np.promote_types(a.dtype, b.dtype)
        a, b = a.astype(wide), b.astype(wide)
    return EdgeList(a, b)


def _from_sparse(matrix: Any) -> Edges:
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency matrix is square, not of shape {tuple(matrix.shape)}")
    if matrix.format == "coo":
        pair = _pair(matrix.row, matrix.col)
        return EdgeList(pair.u, pair.v, num_vertices=int(matrix.shape[0]))
    compressed = matrix if matrix.format in ("csr", "csc") else matrix.tocsr()
    return Adjacency(_ids(compressed.indptr, "indptr"), _ids(compressed.indices, "indices"))
