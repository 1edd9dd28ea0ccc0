"""Binary formats: serialised rows (GAP .sg and .wsg, ECL .egr) and arrays of NumPy (.npy, .npz).

Each header is held against the number of bytes before any of it is used; nothing is unpickled. Arrays are
views of the mapped file where their alignment allows.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.formats import archive
from landbridge.edges.formats.headed import checked, declared, no_columns, rows
from landbridge.edges.formats.source import Source
from landbridge.edges.forms import EdgeList, Edges
from landbridge.edges.options import Options

_NPY = re.compile(
    rb"\{\s*'descr'\s*:\s*'(?P<descr>[<>|=][iubfSUV]\d{1,4})'\s*,\s*'fortran_order'\s*:\s*(?P<fortran>True|False)\s*,"
    rb"\s*'shape'\s*:\s*\((?P<shape>[\d, ]*)\)\s*(?:,\s*)?\}\s*"
)
_NATIVE = tuple(np.dtype(t) for t in (np.int32, np.int64, np.uint32, np.uint64))
_MOST_HEADER = 10_000
_MOST_DIGITS = 19
_NPY_HEAD = 12 + _MOST_HEADER


def _take(data: NDArray[np.uint8], dtype: str, count: int, offset: int) -> NDArray[Any]:
    array: NDArray[Any] = np.frombuffer(data, dtype, count, offset)
    return array if array.flags.aligned else array.copy()


def _check_size(source: Source, data: NDArray[np.uint8], expected: tuple[int, ...], promise: str) -> None:
    if len(data) not in expected:
        wanted = " or ".join(str(e) for e in expected)
        source.fail(f"the header promises {promise}, which take {wanted} bytes; the file has {len(data)}")


def _check_offsets(source: Source, offsets: NDArray[Any], m: int) -> None:
    if offsets[0] != 0 or offsets[-1] != m:
        source.fail(f"the offsets run from {offsets[0]} to {offsets[-1]}, not from 0 to {m}")


def read_gap(source: Source, options: Options) -> Edges:
    """GAP .sg: directed (1 byte), m and n (int64), n + 1 offsets (int64), m neighbours (int32), and the same
    again transposed if directed. O(1) beside the copy of unaligned arrays."""
    return _read_gap(source, options, 4)


def read_weighted_gap(source: Source, options: Options) -> Edges:
    """GAP .wsg: as .sg with an int32 weight after each neighbour, which is dropped."""
    return _read_gap(source, options, 8)


def _read_gap(source: Source, options: Options, width: int) -> Edges:
    no_columns(source, options)
    head = 17
    start = source.peek(head)
    if len(start) < head:
        source.fail(f"the header of {head} bytes is cut off")
    directed, m, n = struct.unpack("<Bqq", start)
    if directed > 1 or m < 0 or n < 0:
        source.fail(f"the header is impossible: directed {directed}, {m} edges, {n} vertices")
    one_way = 8 * (n + 1) + width * m
    expected = head + one_way * (2 if directed else 1)
    data = source.whole(expected)
    _check_size(source, data, (expected,), f"{n} vertices and {m} neighbours")
    offsets = _take(data, "<i8", n + 1, head)
    _check_offsets(source, offsets, m)
    neighbors = _take(data, "<i4", m * width // 4, head + 8 * (n + 1))
    if width == 8:
        neighbors = neighbors[::2].copy()
    return rows(source, offsets, neighbors, options, False if directed else None)


def read_ecl(source: Source, options: Options) -> Edges:
    """ECL .egr: n and m, n + 1 offsets, m neighbours and perhaps m weights, all int32. O(1)."""
    no_columns(source, options)
    start = source.peek(8)
    if len(start) < 8:
        source.fail("the header of 8 bytes is cut off")
    n, m = struct.unpack("<ii", start)
    if n < 0 or m < 0:
        source.fail(f"the header is impossible: {n} vertices, {m} neighbours")
    expected = 8 + 4 * (n + 1) + 4 * m
    data = source.whole(expected + 4 * m)
    _check_size(source, data, (expected, expected + 4 * m), f"{n} vertices and {m} neighbours")
    offsets = _take(data, "<i4", n + 1, 8)
    _check_offsets(source, offsets, m)
    return rows(source, offsets, _take(data, "<i4", m, 8 + 4 * (n + 1)), options, None)


class _Npy(NamedTuple):
    """What the header of a .npy file says of the array that begins at byte `start`."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    start: int

    @property
    def end(self) -> int:
        return self.start + math.prod(self.shape) * self.dtype.itemsize

    def array(self, data: NDArray[np.uint8]) -> NDArray[Any]:
        """The array of the bytes behind the header."""
        if len(data) == 0:
            return np.empty(self.shape, self.dtype)
        return np.frombuffer(data, self.dtype).reshape(self.shape, order="F" if self.fortran else "C")


def _npy_header(source: Source, head: bytes, size: int | None, what: str) -> _Npy:
    """The header of a .npy file. Only plain numbers and short texts pass; objects and records do not.

    head: its first `NPY_HEAD` bytes, or all. size: how many it has, None if nobody knows.
    """
    if len(head) < 10 or head[:6] != b"\x93NUMPY":
        source.fail(f"{what} is no array of NumPy")
    major = head[6]
    if major not in (1, 2):
        source.fail(f"{what} has version {major} of the .npy format, 1 and 2 are known")
    start = 10 if major == 1 else 12
    length = int.from_bytes(head[8:start], "little")
    if length > min(_MOST_HEADER, len(head) - start):
        problem = f"the longest that is read has {_MOST_HEADER}" if length > _MOST_HEADER else "the file is too short"
        source.fail(f"{what} has a header of {length} bytes, {problem}")
    header = head[start : start + length]
    match = _NPY.fullmatch(header)
    lengths = [] if match is None else match["shape"].replace(b" ", b"").split(b",")
    if match is None or max(map(len, lengths)) > _MOST_DIGITS:
        source.fail(f"{what} must be a plain array of whole numbers, its header is", text=_shown(header))
    try:
        dtype = np.dtype(match["descr"].decode())
    except (TypeError, ValueError):
        source.fail(f"{what} must be a plain array of whole numbers, its header is", text=_shown(header))
    shape = tuple(int(length) for length in lengths if length)
    if dtype.itemsize == 0 or len(shape) > 8 or dtype.itemsize * math.prod(d or 1 for d in shape) >= 1 << 63:
        source.fail(f"{what} has shape {shape} of {dtype.str!r}, which no array has")
    found = _Npy(dtype, shape, match["fortran"] == b"True", start + length)
    if size is not None and found.end != size:
        needed, there = found.end - found.start, size - found.start
        source.fail(f"{what} has shape {shape} of {dtype}, {needed} bytes; {there} bytes follow")
    return found


def _shown(header: bytes) -> str:
    return header[:60].decode("latin-1").strip()


def as_ids(source: Source, array: NDArray[Any], what: str) -> NDArray[Any]:
    """One of the four types of ids, contiguous and in this machine's byte order; a copy only where needed."""
    if array.dtype in _NATIVE and array.flags.c_contiguous and array.flags.aligned:
        return array
    if array.dtype.kind not in "iu":
        source.fail(f"{what} must hold whole numbers, not {array.dtype}")
    native = array.dtype.newbyteorder("=")
    if native not in _NATIVE:
        native = np.dtype(np.int32)
    return np.require(np.ascontiguousarray(array, native), requirements="A")


def pair(source: Source, u: NDArray[Any], v: NDArray[Any], options: Options, *, table: bool = False) -> EdgeList:
    """Two columns of ids as edges; types are made equal without ever passing through a float.

    table: they are columns of a table, so that vertices are the ids that occur unless the options say otherwise.
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
        for ends in (u, v):
            if len(ends) and int(ends.min()) < 0:
                edge = int(np.argmax(ends < 0))
                source.fail(f"edge {edge}: vertex {int(ends[edge])} is negative (ids='sparse' would take it as a name)")
    return EdgeList(u, v, occurring=options.ids == "sparse" or (table and options.ids == "auto"))


def read_npy(source: Source, options: Options) -> EdgeList:
    """An array of shape (m, 2), or (2, m) for m other than 2, of whole numbers."""
    u, v = npy_columns(source, options)
    return pair(source, as_ids(source, u, "the array"), as_ids(source, v, "the array"), options)


def npy_columns(source: Source, options: Options) -> tuple[NDArray[Any], NDArray[Any]]:
    """The two ends of the edges, as views of the mapped file."""
    no_columns(source, options)
    size = source.size if source.mappable else None
    header = _npy_header(source, source.peek(_NPY_HEAD), size, "the file")
    data = source.whole(header.end)
    if len(data) != header.end:
        source.fail(f"the header promises {header.end} bytes, the file ends after {len(data)}")
    array = header.array(data[header.start :])
    if array.ndim != 2 or 2 not in array.shape:
        source.fail(f"the array must have shape (m, 2) or (2, m), not {array.shape}")
    return (array[:, 0], array[:, 1]) if array.shape[1] == 2 else (array[0], array[1])


def read_npz(source: Source, options: Options) -> Edges:
    """A sparse matrix as SciPy saves it (csr, csc, coo; values are not read), or arrays u and v."""
    no_columns(source, options)
    if not source.mappable:
        source.fail("an archive of arrays must be a plain file")
    with archive.opened(source) as members:
        return _from_members(source, options, members)


def _member(source: Source, members: archive.Archive, name: str, most: int | None) -> NDArray[Any]:
    """An array of an archive, unpacked into the place its header promises it fills. most: elements it may have."""
    file, size = members.open(name)
    with file:
        head = file.read(_NPY_HEAD)
        header = _npy_header(source, head, size, name)
        if most is not None and math.prod(header.shape) > most:
            source.fail(f"{name} has {math.prod(header.shape)} elements, {most} are expected")
        data = np.empty(header.end - header.start, np.uint8)
        filled = len(head) - header.start
        data[:filled] = np.frombuffer(head, np.uint8, filled, header.start)
        while filled < len(data):
            piece = file.read(min(archive.PIECE, len(data) - filled))
            if not piece:
                source.fail(f"{name} claims {size} bytes and ends after {header.start + filled}")
            data[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
            filled += len(piece)
    return header.array(data)


def _from_members(source: Source, options: Options, members: archive.Archive) -> Edges:
    names = members.names

    def ids(name: str, most: int | None = None) -> NDArray[Any]:
        found = _member(source, members, name, most)
        if found.ndim != 1:
            source.fail(f"{name} must have one dimension, not {found.ndim}")
        return as_ids(source, found, name)

    if {"u", "v"} <= names:
        return pair(source, ids("u"), ids("v"), options)
    if "shape" not in names or not ({"indices", "indptr"} <= names or {"row", "col"} <= names):
        there = ", ".join(archive.shown(name) for name in sorted(names)[:10]) or "no arrays"
        source.fail(f"neither a sparse matrix nor arrays u and v: {there}")
    shape = ids("shape", 2)
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 0:
        source.fail(f"a graph needs a square matrix, this one has shape {tuple(shape.tolist())}")
    n = int(shape[0])
    if "row" in names:
        edges = pair(source, ids("row"), ids("col"), Options("dense", options.threads))
        if options.ids == "sparse":
            for ends in (edges.u, edges.v):
                checked(source, _core.check_range, ends, n, "edge", options.threads)
        return declared(edges.u, edges.v, n, options)
    if "format" in names and _member(source, members, "format", 1).tobytes().strip(b"\0") not in (b"csr", b"csc"):
        source.fail("only csr, csc and coo matrices hold a graph")
    offsets = ids("indptr", n + 1)
    if len(offsets) != n + 1:
        source.fail(f"indptr has {len(offsets)} numbers for {n} rows")
    neighbors = ids("indices")
    _check_offsets(source, offsets, len(neighbors))
    if offsets.dtype.kind == "u":
        offsets = offsets.astype(np.int64)
    return rows(source, offsets, neighbors, options, None)
