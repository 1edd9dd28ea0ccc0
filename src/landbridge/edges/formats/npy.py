"""Arrays of NumPy: .npy files, and the header of arrays that .npz archives share. Nothing is unpickled."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import IO, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.formats.arrays import as_endpoints, pair
from landbridge.edges.formats.chunked_file import Chunk, ChunkedFile
from landbridge.edges.formats.numbered import no_columns
from landbridge.edges.formats.source import Bytes, Source
from landbridge.edges.formats.writing import Job
from landbridge.edges.forms import EdgeList
from landbridge.edges.inputs import Input
from landbridge.edges.options import Options
from landbridge.errors import InputError

_HEADER = re.compile(
    rb"\{\s*'descr'\s*:\s*'(?P<descr>[<>|=][iubfSUV]\d{1,4})'\s*,\s*'fortran_order'\s*:\s*(?P<fortran>True|False)\s*,"
    rb"\s*'shape'\s*:\s*\((?P<shape>[\d, ]*)\)\s*(?:,\s*)?\}\s*"
)
_MOST_HEADER = 10_000
_MOST_DIGITS = 19
HEAD = 12 + _MOST_HEADER
"""First bytes that hold the longest header."""


class ArrayHeader(NamedTuple):
    """The header of a .npy file, whose array begins at byte `start`."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    start: int

    @property
    def end(self) -> int:
        """The byte behind the array."""
        return self.start + math.prod(self.shape) * self.dtype.itemsize

    def array(self, data: Bytes) -> NDArray[Any]:
        """The array of the bytes behind the header."""
        if len(data) == 0:
            return np.empty(self.shape, self.dtype)
        return np.frombuffer(data, self.dtype).reshape(self.shape, order="F" if self.fortran else "C")


def parse_header(source: Source, head: bytes, size: int | None, what: str) -> ArrayHeader:
    """The header of a .npy file. Plain numbers and short texts are accepted; objects and records are not.

    Parameters
    ----------
    source : Source
        The file, for messages.
    head : bytes
        Its first `HEAD` bytes, or all.
    size : int or None
        The number of all bytes, None if unknown.
    what : str
        What messages call the array.

    Raises
    ------
    FileFormatError
        For any other content, and for a shape that does not match the size.
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
    match = _HEADER.fullmatch(header)
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
    result = ArrayHeader(dtype, shape, match["fortran"] == b"True", start + length)
    if size is not None and result.end != size:
        expected, actual = result.end - result.start, size - result.start
        source.fail(f"{what} has shape {shape} of {dtype}, {expected} bytes; {actual} bytes follow")
    return result


def _shown(header: bytes) -> str:
    return header[:60].decode("latin-1").strip()


def array_of(source: Source) -> NDArray[Any]:
    """The array of a .npy file; of a plain file a view of the mapping."""
    header = _header_of(source)
    data = source.whole(header.end)
    if len(data) != header.end:
        _fail_short(source, header, len(data))
    return header.array(data[header.start :])


def _header_of(source: Source) -> ArrayHeader:
    return parse_header(source, source.peek(HEAD), source.size if source.mappable else None, "the file")


def _fail_short(source: Source, header: ArrayHeader, size: int) -> NoReturn:
    source.fail(f"the header promises {header.end} bytes, the file ends after {size}")


def _check_shape(source: Source, shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or 2 not in shape:
        is_square = len(shape) == 2 and shape[0] == shape[1]
        way = "; an adjacency matrix goes in as scipy.sparse.csr_array(numpy.load(file))" if is_square else ""
        source.fail(f"the array must have shape (m, 2) or (2, m), not {shape}{way}")


def _columns(source: Source, options: Options) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both endpoints of the edges, as views of the mapped file."""
    no_columns(source, options)
    array = array_of(source)
    _check_shape(source, array.shape)
    return (array[:, 0], array[:, 1]) if array.shape[1] == 2 else (array[0], array[1])


def read(source: Source, options: Options) -> EdgeList:
    """An array of whole numbers of shape (m, 2), or (2, m) for m other than 2."""
    u, v = _columns(source, options)
    return pair(source, as_endpoints(source, u, "u"), as_endpoints(source, v, "v"), options)


def open_chunks(entry: Input, options: Options, chunk_size: int, _readers: int) -> ChunkedFile:
    """The same array, a range of edges at a time. One with a row per edge is unpacked as it is read."""
    with entry.source(options) as source:
        if not source.mappable and entry.again:
            no_columns(source, options)
            header = _header_of(source)
            if len(header.shape) == 2 and header.shape[1] == 2 and not header.fortran:
                return _unpacked_chunks(entry, options, header, chunk_size)
        columns = _columns(source, options)
        edges, size = len(columns[0]), source.size or 0

    def read_chunks() -> Iterator[Chunk]:
        for first in range(0, edges, chunk_size):
            end = min(first + chunk_size, edges)
            u, v = (as_endpoints(source, x[first:end], what, first) for x, what in zip(columns, "uv", strict=True))
            yield Chunk(EdgeList(u, v), first // chunk_size, 0, size * end // edges)

    def without_edges() -> EdgeList:
        u, v = (as_endpoints(source, column[:0], "the array") for column in columns)
        return EdgeList(u, v)

    return ChunkedFile(entry.name, size, edges, (read_chunks,), without_edges, options.ids == "sparse")


def _unpacked_chunks(entry: Input, options: Options, header: ArrayHeader, chunk_size: int) -> ChunkedFile:
    """An array with a row per edge in a compressed file, a range of rows at a time."""
    row = 2 * header.dtype.itemsize

    def read_chunks() -> Iterator[Chunk]:
        with entry.source(options) as source:
            waiting, skip, first, position = bytearray(), header.start, 0, 0
            for block in source.chunks():
                position += len(block)
                if position > header.end:
                    source.fail(f"the header promises {header.end} bytes in all, and more follow")
                waiting += block[skip:]
                skip = max(0, skip - len(block))
                while len(waiting) >= row * chunk_size or (position == header.end and len(waiting) >= row):
                    count = min(chunk_size, len(waiting) // row)
                    pairs = np.frombuffer(bytes(waiting[: count * row]), header.dtype).reshape(-1, 2)
                    del waiting[: count * row]
                    u, v = (as_endpoints(source, pairs[:, side], "uv"[side], first) for side in (0, 1))
                    yield Chunk(EdgeList(u, v), first // chunk_size, first % chunk_size, 0)
                    first += count
            if position != header.end:
                _fail_short(source, header, position)

    def without_edges() -> EdgeList:
        with entry.source(options) as source:
            none = as_endpoints(source, np.empty(0, header.dtype), "the array")
            return EdgeList(none, none)

    return ChunkedFile(entry.name, None, header.shape[0], (read_chunks,), without_edges, options.ids == "sparse")


def write(job: Job, out: IO[bytes]) -> None:
    """An array of shape (m, 2)."""
    if job.named:
        raise InputError(
            f"{job.path}: ids that are text cannot be written as whole numbers; .csv and .parquet hold them"
        )
    job.note_isolated(numbered=True)
    np.lib.format.write_array(out, np.stack(job.original_ids(), axis=1), allow_pickle=False)
