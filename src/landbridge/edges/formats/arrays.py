"""What binary formats share: views of mapped bytes, the size a header declares, and columns of ids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.formats.source import Bytes, Source
from landbridge.edges.forms import EdgeList
from landbridge.edges.id_columns import ids_of
from landbridge.edges.options import Options
from landbridge.edges.place import Place

NATIVE = tuple(np.dtype(t) for t in (np.int32, np.int64, np.uint32, np.uint64))
"""The types of ids."""


def view(data: Bytes, dtype: str, count: int, offset: int) -> NDArray[Any]:
    """An array of mapped bytes; a copy only if they are not aligned."""
    array: NDArray[Any] = np.frombuffer(data, dtype, count, offset)
    return array if array.flags.aligned else array.copy()


def check_size(source: Source, data: Bytes, expected: tuple[int, ...], content: str) -> None:
    """Raise FileFormatError if a file does not have one of the sizes that follow from its header."""
    if len(data) not in expected:
        sizes = " or ".join(str(size) for size in expected)
        source.fail(f"the header promises {content}, which take {sizes} bytes; the file has {len(data)}")


def check_offsets(source: Source, offsets: NDArray[Any], m: int) -> None:
    """Raise FileFormatError if CSR offsets do not run from 0 to the number of neighbours."""
    if offsets[0] != 0 or offsets[-1] != m:
        source.fail(f"the offsets run from {offsets[0]} to {offsets[-1]}, not from 0 to {m}")


def as_ids(source: Source, array: NDArray[Any], what: str) -> NDArray[Any]:
    """The same ids in one of the four native types, contiguous; a copy only if needed."""
    if array.dtype in NATIVE and array.flags.c_contiguous and array.flags.aligned:
        return array
    if array.dtype.kind not in "iu":
        raise Place(what, path=source.path, kinds="whole numbers").error_of_kind(array.dtype)
    native = array.dtype.newbyteorder("=")
    if native not in NATIVE:
        native = np.dtype(np.int32)
    return np.require(np.ascontiguousarray(array, native), requirements="A")


def as_endpoints(source: Source, array: NDArray[Any], what: str, first: int = 0) -> NDArray[Any]:
    """The same ids as `as_ids` gives them; also of floats without a fraction, as far as their type holds all
    integers (float64: below 2^53). first: the number of the first edge."""
    if array.dtype.kind != "f":
        return as_ids(source, array, what)
    ids: NDArray[Any] = np.asarray(ids_of(array, Place(what, "edge", first, source.path)))
    return np.ascontiguousarray(ids)


def pair(source: Source, u: NDArray[Any], v: NDArray[Any], options: Options) -> EdgeList:
    """Two columns of ids as edges, in one type and never by way of a float.

    Raises
    ------
    FileFormatError
        For columns of different lengths, ids of no common type, and negative ids unless ids="sparse".
    """
    if len(u) != len(v):
        source.fail(f"the columns differ in length: {len(u)} and {len(v)}")
    if u.dtype != v.dtype:
        mixed = {u.dtype.kind, v.dtype.kind} == {"i", "u"}
        signed = u if u.dtype.kind == "i" else v
        if mixed and (len(signed) == 0 or signed.min() >= 0):
            common: np.dtype[Any] = np.dtype(np.uint64)
        elif mixed and np.dtype(np.uint64) in (u.dtype, v.dtype):
            source.fail("negative ids in one column and uint64 ids in the other fit no common type")
        else:
            common = np.dtype(np.int64)
        u, v = u.astype(common), v.astype(common)
    if options.ids != "sparse":
        for ids in (u, v):
            if len(ids) and int(ids.min()) < 0:
                edge = int(np.argmax(ids < 0))
                way_out = f"{options.spelled(ids='sparse')} takes negative ids"
                source.fail(f"edge {edge}: vertex {int(ids[edge])} is negative; {way_out}")
    return EdgeList(u, v, occurring=options.ids == "sparse")
