"""Archives of NumPy arrays: a sparse matrix of SciPy, or arrays u and v."""

from __future__ import annotations

import math
import sys
import zipfile
from contextlib import suppress
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.formats import archive, npy
from landbridge.edges.formats.arrays import as_endpoints, as_ids, check_offsets, pair
from landbridge.edges.formats.compression import Parts
from landbridge.edges.formats.npz_arrays import proposal
from landbridge.edges.formats.numbered import adjacency, checked, declared, no_columns
from landbridge.edges.formats.saved_answers import ANSWER
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.writing import Job
from landbridge.edges.forms import Edges
from landbridge.edges.options import Options
from landbridge.errors import FileFormatError, InputError

_FEW = 100
"""Arrays of which the headers are looked at for a message."""


def read(source: Source, options: Options) -> Edges:
    """A matrix from ``scipy.sparse.save_npz`` (csr, csc, coo; values are not read), or arrays u and v."""
    no_columns(source, options)
    if not source.mappable:
        source.fail("an archive of arrays must be a plain file")
    with archive.open_archive(source) as members:
        return _edges(source, options, members)


def member(source: Source, members: archive.Archive, name: str, most: int | None = None) -> NDArray[Any]:
    """An array of an archive, unpacked into memory of the size that its header declares. most: elements allowed."""
    file, size = members.open(name)
    with file:
        head = file.read(npy.HEAD)
        header = npy.parse_header(source, head, size, name)
        if most is not None and math.prod(header.shape) > most:
            source.fail(f"{name} has {math.prod(header.shape)} elements, {most} are expected")
        source.take(header.end, f"the array {archive.shown(name)} has", name)
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


def _headers(source: Source, members: archive.Archive) -> dict[str, npy.ArrayHeader]:
    """The headers of the first arrays of an archive by their names; without those of other objects."""
    headers: dict[str, npy.ArrayHeader] = {}
    for name in sorted(members.names)[:_FEW]:
        with suppress(FileFormatError):
            file, size = members.open(name)
            with file:
                headers[name] = npy.parse_header(source, file.read(npy.HEAD), size, name)
    return headers


def _proposal(source: Source, members: archive.Archive) -> str:
    """What is a graph of other arrays; "" if none is, and if they cannot be read."""
    with suppress(InputError):
        return proposal(_headers(source, members), lambda name: member(source, members, name))
    return ""


def _edges(source: Source, options: Options, members: archive.Archive) -> Edges:
    names = members.names

    def column(name: str, most: int | None = None) -> NDArray[Any]:
        array = member(source, members, name, most)
        if array.ndim != 1:
            source.fail(f"{name} must have one dimension, not {array.ndim}")
        return array

    def ids(name: str, most: int | None = None) -> NDArray[Any]:
        return as_ids(source, column(name, most), name)

    if {"u", "v"} <= names:
        u, v = (as_endpoints(source, column(name), name) for name in "uv")
        return pair(source, u, v, options)
    kind = member(source, members, "format", 1).tobytes().replace(b"\0", b"") if "format" in names else b"csr"
    if kind not in (b"csr", b"csc", b"coo"):
        source.fail(
            f"a matrix of format {archive.shown(kind.decode('latin-1'))}; of csr, csc and coo it is a graph: "
            "scipy.sparse.save_npz(file, matrix.tocsr()) writes one"
        )
    if "shape" not in names or not ({"indices", "indptr"} <= names or {"row", "col"} <= names):
        if {"about", "labels"} <= names:
            source.fail(ANSWER)
        present = ", ".join(archive.shown(name) for name in sorted(names)[:10]) or "no arrays"
        such = _proposal(source, members)
        example = f", such as {such} of file = numpy.load(path)" if such else ""
        source.fail(
            f"neither a sparse matrix nor arrays u and v: {present}; others go in as numpy.load reads them{example}"
        )
    shape = ids("shape", 2)
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 0:
        source.fail(f"a graph needs a square matrix, this one has shape {tuple(shape.tolist())}")
    n = int(shape[0])
    if "row" in names:
        edges = pair(source, ids("row"), ids("col"), Options("dense", options.threads))
        if options.ids == "sparse":
            for endpoints in (edges.u, edges.v):
                checked(source, _core.check_range, endpoints, n, "edge", options.threads)
        return declared(source, edges.u, edges.v, n, options)
    if kind == b"coo":
        source.fail("a coo matrix has the arrays row and col")
    offsets = ids("indptr", n + 1)
    if len(offsets) != n + 1:
        source.fail(f"indptr has {len(offsets)} numbers for {n} rows")
    neighbors = ids("indices")
    check_offsets(source, offsets, len(neighbors))
    if offsets.dtype.kind == "u":
        offsets = offsets.astype(np.int64)
    return adjacency(source, offsets, neighbors, options, None)


def write(job: Job, out: IO[bytes]) -> None:
    """A SciPy coo matrix of ones (int8), each edge once, in the order of the input."""
    job.number_vertices()
    arrays = {
        "row": job.u,
        "col": job.v,
        "shape": np.array([job.n, job.n]),
        "data": np.ones(len(job.u), np.int8),
        "format": np.array(b"coo"),
    }
    with zipfile.ZipFile(out, "w") as file:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy")  # of 1980: the same edges make the same bytes
            entry.compress_type = zipfile.ZIP_DEFLATED
            setattr(entry, "_compresslevel" if sys.version_info < (3, 13) else "compress_level", 1)
            with file.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(Parts(member), array, allow_pickle=False)
