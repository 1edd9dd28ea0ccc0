"""The ways out: edges written in the formats that :mod:`landbridge.edges.files` reads.

Formats whose header declares the sizes keep isolated vertices and number vertices 0..n-1 (1..n in text);
lists of edges keep original ids. What a format cannot hold is told in notes, never dropped in silence.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import re
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.formats.source import COMPRESSED
from landbridge.edges.forms import EdgeList, Edges
from landbridge.errors import InputError, MissingDependency

CHUNK = 1 << 20  # edges formatted at a time
_PLAIN = re.compile(r"[\w.@/+:-]+")
_NATIVE = tuple(np.dtype(t) for t in (np.int32, np.int64, np.uint32, np.uint64))


@dataclass(slots=True)
class Job:
    """Edges on their way to a file: both ends of each in 0..n-1, the original ids if there are any."""

    u: NDArray[Any]
    v: NDArray[Any]
    n: int
    ids: NDArray[Any] | None
    path: str
    threads: int
    notes: list[str]
    occurring: bool = False

    @property
    def named(self) -> bool:
        """Whether the original ids are text."""
        return self.ids is not None and self.ids.dtype.kind not in "iu"

    def originals(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The ends in original ids."""
        return (self.u, self.v) if self.ids is None else (self.ids[self.u], self.ids[self.v])

    def numbered(self) -> None:
        """Number the vertices that occur, and note that a format of numbered vertices cannot keep original ids."""
        if self.occurring:
            u, v, self.ids = _core.renumber(np.ascontiguousarray(self.u), np.ascontiguousarray(self.v), self.threads)
            self.u, self.v, self.n, self.occurring = u, v, len(self.ids), False
            if len(self.ids) == 0 or int(self.ids[-1]) == len(self.ids) - 1:
                self.ids = None
        if self.ids is not None:
            self.notes.append("vertices are written by number: the format cannot keep their original ids")

    def isolated_lost(self) -> None:
        """Note that a list of edges cannot keep the vertices above the last one that has an edge, or with ids any."""
        if self.ids is not None:
            touched = np.zeros(self.n, dtype=bool)
            touched[self.u] = touched[self.v] = True
            if not touched.all():
                alone = self.n - int(np.count_nonzero(touched))
                self.notes.append(f"{alone} vertices have no edge, and a list of edges cannot hold them")
            return
        used = max((int(ends.max()) + 1 for ends in (self.u, self.v) if len(ends)), default=0)
        if used < self.n:
            self.notes.append(f"the last {self.n - used} vertices have no edge, and a list of edges cannot hold them")


Writer = Callable[[Job, IO[bytes]], None]


def job_of(edges: Edges | tuple[Any, Any], path: str, threads: int) -> Job:
    """Arrays or a form of edges as a job. Raises InputError for ids that cannot be written."""
    if isinstance(edges, tuple):
        u, v = (_ids(a) for a in edges)
        if len(u) != len(v):
            raise InputError(f"u and v differ in length: {len(u)} and {len(v)}")
        edges = EdgeList(u, v)
    if isinstance(edges, EdgeList):
        u, v, declared = _ids(edges.u), _ids(edges.v), edges.num_vertices
    else:
        declared = len(edges.offsets) - 1
        v = _ids(edges.neighbors)
        u = np.repeat(np.arange(declared, dtype=v.dtype), np.diff(edges.offsets))
    for ends in (u, v):
        if len(ends) and int(ends.min()) < 0:
            edge = int(np.argmax(ends < 0))
            raise InputError(f"edge {edge}: vertex {int(ends[edge])} is negative")
    used = max((int(ends.max()) + 1 for ends in (u, v) if len(ends)), default=0)
    n = used if declared is None else declared
    if used > n:
        raise InputError(f"vertex {used - 1} is out of range for n = {n}")
    occurring = isinstance(edges, EdgeList) and edges.occurring
    return Job(u, v, n, edges.ids, path, threads, [], occurring)


def _ids(array: Any) -> NDArray[Any]:
    ends = np.ascontiguousarray(array)
    if ends.ndim != 1 or ends.dtype.kind not in "iu":
        raise InputError(f"ids must be a one-dimensional array of whole numbers, not {ends.dtype}{list(ends.shape)}")
    return ends if ends.dtype in _NATIVE else ends.astype(np.int32 if ends.dtype.itemsize < 4 else np.int64)


def _put(out: IO[bytes], job: Job, u: NDArray[Any], v: NDArray[Any], **style: Any) -> None:
    if u.dtype != v.dtype:
        u, v = u.astype(np.uint64), v.astype(np.uint64)
    for begin in range(0, len(u), CHUNK):
        end = begin + CHUNK
        out.write(_core.format_edges(u[begin:end], v[begin:end], threads=job.threads, **style))


def write_edge_list(job: Job, out: IO[bytes]) -> None:
    """One edge a line: tabs, or commas below a header line if the name ends in .csv. Names always have a header."""
    job.isolated_lost()
    comma = job.path.lower().removesuffix(packing(job.path)).endswith(".csv")
    if job.named:
        _put_names(out, job, "," if comma else "\t")
        return
    u, v = job.originals()
    if len(u) and min(int(u.min()), int(v.min())) < 0:
        raise InputError(f"{job.path}: negative ids cannot be written as text of edges")
    if comma:
        out.write(b"source,target\n")
    if not comma and len(u) == 0:
        out.write(b"# no edges\n")  # an empty file would be refused
    if not comma and len(u) > 3 and v[0] == len(u) - 1:
        out.write(b"# Edges: %d\n" % len(u))  # else the first edge could be taken for counts
    _put(out, job, u, v, separator="," if comma else "\t")


def _put_names(out: IO[bytes], job: Job, separator: str) -> None:
    names = _names(job)
    words = [_quoted(job.path, name) for name in names]
    out.write((separator.join(_header_beside(names)) + "\n").encode())
    for begin in range(0, len(job.u), CHUNK):
        ends = zip(job.u[begin : begin + CHUNK].tolist(), job.v[begin : begin + CHUNK].tolist(), strict=True)
        out.write("".join(f"{words[a]}{separator}{words[b]}\n" for a, b in ends).encode())


def _header_beside(names: list[str]) -> tuple[str, str]:
    """Names of the two columns that no vertex has: readers would take such a header for an edge."""
    taken, header, k = {name.casefold() for name in names}, ("source", "target"), 0
    while not taken.isdisjoint(header):
        k += 1
        header = (f"source_{k}", f"target_{k}")
    return header


def _names(job: Job) -> list[str]:
    names: list[str] = np.asarray(job.ids).tolist()
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{job.path}: the vertex {name!r} is neither a number nor text")
        if not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name):
            raise InputError(f"{job.path}: the name {name!r} is no text in UTF-8: it has half a pair of UTF-16")
    return names


def _quoted(path: str, name: str) -> str:
    """A name as it stands in a line: in quotes unless it is one plain word."""
    if _PLAIN.fullmatch(name):
        return name
    if "\n" in name or "\r" in name:
        raise InputError(f"{path}: the name {name!r} has a line break, which text of edges cannot hold")
    return '"' + name.replace('"', '""') + '"'


def write_matrix_market(job: Job, out: IO[bytes]) -> None:
    """Pattern, general: each edge once, as it is stored."""
    job.numbered()
    out.write(b"%%MatrixMarket matrix coordinate pattern general\n")
    out.write(b"%d %d %d\n" % (job.n, job.n, len(job.u)))
    _put(out, job, job.u, job.v, separator=" ", base=1)


def write_dimacs(job: Job, out: IO[bytes]) -> None:
    """Arcs of length 1, each edge once, as it is stored."""
    job.numbered()
    out.write(b"p sp %d %d\n" % (job.n, len(job.u)))
    _put(out, job, job.u, job.v, prefix="a ", separator=" ", suffix=" 1", base=1)


def _symmetric_rows(job: Job, *, simple: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows that hold each edge in both directions, neighbours ascending; without loops and repeats if simple."""
    u, v = job.u.astype(np.int64), job.v.astype(np.int64)
    loops = u == v
    heads, tails = np.concatenate([u, v[~loops]]), np.concatenate([v, u[~loops]])
    if simple:
        keep = heads != tails
        heads, tails = heads[keep], tails[keep]
    order = np.lexsort((tails, heads))
    heads, tails = heads[order], tails[order]
    # Both directions stored, as many files have it, must not become four.
    fresh = np.ones(len(heads), bool)
    fresh[1:] = (heads[1:] != heads[:-1]) | (tails[1:] != tails[:-1])
    heads, tails = heads[fresh], tails[fresh]
    offsets = np.zeros(job.n + 1, np.int64)
    np.cumsum(np.bincount(heads, minlength=job.n), out=offsets[1:])
    return offsets, tails


def write_metis(job: Job, out: IO[bytes]) -> None:
    """Each edge on both lines; the format knows no loops and no repeated edges, so those are left out."""
    job.numbered()
    offsets, neighbors = _symmetric_rows(job, simple=True)
    loops = int(np.count_nonzero(job.u == job.v))
    if loops:
        job.notes.append(f"{loops} self-loops are left out: METIS files have none")
    out.write(b"%d %d\n" % (job.n, len(neighbors) // 2))
    texts = np.char.mod("%d", neighbors + 1).tolist() if len(neighbors) else []
    for v in range(job.n):
        out.write(" ".join(texts[offsets[v] : offsets[v + 1]]).encode() + b"\n")


def write_gap(job: Job, out: IO[bytes]) -> None:
    """Undirected .sg: each edge in both rows, repeats left out."""
    job.numbered()
    offsets, neighbors = _symmetric_rows(job, simple=False)
    _below_2_31(job, job.n)
    out.write(struct.pack("<Bqq", 0, len(neighbors), job.n))
    out.write(offsets.astype("<i8").tobytes())
    out.write(neighbors.astype("<i4").tobytes())


def write_ecl(job: Job, out: IO[bytes]) -> None:
    """Each edge in both rows, repeats left out."""
    job.numbered()
    offsets, neighbors = _symmetric_rows(job, simple=False)
    _below_2_31(job, max(job.n, len(neighbors)))
    out.write(struct.pack("<ii", job.n, len(neighbors)))
    out.write(offsets.astype("<i4").tobytes())
    out.write(neighbors.astype("<i4").tobytes())


def _below_2_31(job: Job, number: int) -> None:
    if number >= 2**31:
        raise InputError(f"{job.path}: the format holds fewer than 2^31 of each, not {number}")


def write_npz(job: Job, out: IO[bytes]) -> None:
    """A SciPy coo matrix of ones (int8), each edge once, as it is stored."""
    job.numbered()
    arrays = {
        "row": job.u,
        "col": job.v,
        "shape": np.array([job.n, job.n]),
        "data": np.ones(len(job.u), np.int8),
        "format": np.array(b"coo"),
    }
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue(), zipfile.ZIP_DEFLATED)


def write_npy(job: Job, out: IO[bytes]) -> None:
    """An array of shape (m, 2)."""
    if job.named:
        raise InputError(
            f"{job.path}: ids that are text cannot be written as whole numbers; .csv and .parquet hold them"
        )
    job.isolated_lost()
    np.lib.format.write_array(out, np.stack(job.originals(), axis=1), allow_pickle=False)


def write_parquet(job: Job, out: IO[bytes]) -> None:
    """Columns source and target."""
    try:
        pa: Any = importlib.import_module("pyarrow")
        pq: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency(
            f"{job.path}: pyarrow is needed to write Parquet files: pip install 'landbridge[io]'"
        ) from None
    job.isolated_lost()
    if job.named:
        names = pa.array(_names(job), pa.large_string())
        u, v = (names.take(pa.array(ends)) for ends in (job.u, job.v))
    else:
        u, v = job.originals()
    pq.write_table(pa.table({"source": u, "target": v}), out)


def packing(path: str) -> str:
    """The ending of compressed files that a path has, or ""."""
    return next((ending for ending in COMPRESSED if path.lower().endswith(ending)), "")


def compressor(path: str, out: IO[bytes]) -> IO[bytes] | Any:
    """The stream that a path's ending asks for: gzip, zstd, bzip2, xz or the file itself."""
    ending = packing(path)
    if ending == ".bz2":
        return bz2.BZ2File(out, "wb")
    if ending == ".xz":
        return lzma.LZMAFile(out, "wb", preset=1)
    if ending == ".gz":
        return gzip.GzipFile(fileobj=out, mode="wb", mtime=0, compresslevel=6)
    if ending == ".zst":
        try:
            zstandard: Any = importlib.import_module("zstandard")
        except ImportError:
            raise MissingDependency(
                f"{path}: zstandard is needed to write .zst files: pip install 'landbridge[io]'"
            ) from None
        return zstandard.ZstdCompressor().stream_writer(out, closefd=False)
    return out
