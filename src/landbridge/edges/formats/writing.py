"""What the writers of all formats share: the edges as a job, checks of what a format can hold, and edges as text.

Formats that declare their vertices keep isolated ones and number vertices 0..n-1 (1..n in text); edge lists keep
original ids. What a format cannot hold is reported in the notes of the job.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.formats.arrays import NATIVE
from landbridge.edges.forms import EdgeList, Edges
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError, counted
from landbridge.passes import distinct, slices

CHUNK = 1 << 20
"""Edges formatted at a time."""


@dataclass(slots=True)
class Job:
    """Edges to be written to a file.

    Attributes
    ----------
    u, v : array
        Both endpoints of each edge, in 0..n-1, or the ids themselves if they occur.
    n : int
        The number of vertices.
    ids : array or NameArray, optional
        The original ids of the vertices.
    path : str
        The file, for messages.
    ending : str
        That of files that are written like it, such as ".csv".
    threads : int
        Threads that format text.
    notes : list of str
        What the format cannot hold.
    occurring : bool
        Whether the vertices are the ids that occur, not numbered yet.
    """

    u: NDArray[Any]
    v: NDArray[Any]
    n: int
    ids: NDArray[Any] | None
    path: str
    ending: str
    threads: int
    notes: list[str]
    occurring: bool = False

    @property
    def named(self) -> bool:
        """Whether the original ids are text."""
        return self.ids is not None and self.ids.dtype.kind not in "iu"

    def original_ids(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Both endpoints of each edge as original ids."""
        return (self.u, self.v) if self.ids is None else (self.ids[self.u], self.ids[self.v])

    def number_vertices(self) -> None:
        """Number the vertices that occur, and note that a format of numbered vertices cannot keep original ids."""
        if self.occurring:
            u, v, self.ids = _core.renumber(np.ascontiguousarray(self.u), np.ascontiguousarray(self.v), self.threads)
            self.u, self.v, self.n, self.occurring = u, v, len(self.ids), False
            if len(self.ids) == 0 or int(self.ids[-1]) == len(self.ids) - 1:
                self.ids = None
        if self.ids is not None:
            self.notes.append("vertices are written by number: the format cannot keep their original ids")

    def note_isolated(self, *, numbered: bool = False) -> None:
        """Note the vertices that an edge list loses. numbered: whether it is read as vertices up to the largest one, so
        that it loses those above this one only, unless they have ids."""
        if self.occurring:
            return
        if numbered and self.ids is None:
            lost, which = self.n - _used(self.u, self.v), "the last "
        else:
            lost, which = self.n - self._count_used(), ""
        if lost:
            keep = "keep these vertices, by number, without their ids" if self.ids is not None else "keep them"
            read = "" if self.ids is not None else f"{spelled(num_vertices=self.n)} reads it with them, and "
            what = f"{which}{counted(lost, 'vertex', 'vertices')} without edges"
            self.notes.append(f"a list of edges does not hold {what}: {read}.npz and .mtx {keep}")

    def _count_used(self) -> int:
        """How many vertices have edges. O(n + m)."""
        u, v = self.u, self.v
        if u.dtype.itemsize != v.dtype.itemsize:
            u, v = u.astype(np.int64), v.astype(np.int64)
        ids: Any = _core.occurring_endpoints(self.n, u, v, u[:0], v[:0], self.threads)
        return len(ids)

    def names(self) -> list[str]:
        """The original ids as text.

        Raises
        ------
        InputError
            For ids that are neither numbers nor text, and for text that UTF-8 cannot encode.
        """
        names: list[str] = np.asarray(self.ids).tolist()
        for name in names:
            if not isinstance(name, str):
                raise InputError(f"{self.path}: the vertex {name!r} is neither a number nor text")
            if not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name):
                raise InputError(f"{self.path}: the name {name!r} is no text in UTF-8: it has half a pair of UTF-16")
        return names


def job_of(edges: Edges | tuple[Any, Any], path: str, ending: str, threads: int) -> Job:
    """The job of writing edges to a file.

    Parameters
    ----------
    edges : EdgeList, Adjacency or pair of arrays
        The edges.
    path, ending : str
        As of the job.
    threads : int
        Threads that format text.

    Raises
    ------
    InputError
        For ids that cannot be written.
    """
    if isinstance(edges, tuple):
        u, v = (_ids(array) for array in edges)
        if len(u) != len(v):
            raise InputError(f"u and v differ in length: {len(u)} and {len(v)}")
        edges = EdgeList(u, v)
    if isinstance(edges, EdgeList):
        u, v, declared = _ids(edges.u), _ids(edges.v), edges.num_vertices
    else:
        declared = len(edges.offsets) - 1
        v = _ids(edges.neighbors)
        u = np.repeat(np.arange(declared, dtype=v.dtype), np.diff(edges.offsets))
    occurring = isinstance(edges, EdgeList) and edges.occurring
    for ids in () if occurring else (u, v):
        if len(ids) and int(ids.min()) < 0:
            edge = int(np.argmax(ids < 0))
            raise InputError(f"edge {edge}: vertex {int(ids[edge])} is negative")
    used = _used(u, v)
    n = used if declared is None else declared
    if used > n:
        raise InputError(f"vertex {used - 1} is out of range for n = {n}")
    return Job(u, v, n, edges.ids, path, ending, threads, [], occurring)


def _used(u: NDArray[Any], v: NDArray[Any]) -> int:
    """The largest id plus one, 0 without edges."""
    return max((int(ids.max()) + 1 for ids in (u, v) if len(ids)), default=0)


def _ids(array: Any) -> NDArray[Any]:
    ids = np.ascontiguousarray(array)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise InputError(f"ids must be a one-dimensional array of whole numbers, not {ids.dtype}{list(ids.shape)}")
    return ids if ids.dtype in NATIVE else ids.astype(np.int32 if ids.dtype.itemsize < 4 else np.int64)


def put_edges(out: IO[bytes], job: Job, u: NDArray[Any], v: NDArray[Any], **style: Any) -> None:
    """Write edges as text, one per line; style: the options of the core's ``format_edges``."""
    if u.dtype != v.dtype:
        negative = any(len(ids) and int(ids.min()) < 0 for ids in (u, v))
        if negative and any(len(ids) and int(ids.max()) >= 2**63 for ids in (u, v)):
            raise InputError("negative ids and ids of 2^63 and more fit no common type")
        common = np.int64 if negative else np.uint64
        u, v = u.astype(common), v.astype(common)
    for begin in range(0, len(u), CHUNK):
        end = begin + CHUNK
        out.write(_core.format_edges(u[begin:end], v[begin:end], threads=job.threads, **style))


def symmetric_csr(job: Job, *, simple: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Offsets and neighbours with each edge in both directions, neighbours ascending; simple: without self-loops."""
    bits = np.uint64(max(job.n - 1, 1).bit_length())
    if bits > 32:
        raise InputError(f"{job.path}: the format is written with at most 2^32 vertices, not {job.n}")
    keys = np.empty(2 * len(job.u), dtype=np.uint64)  # an arc as one number, its head above its tail
    for u, v, begin in ((job.u, job.v, 0), (job.v, job.u, len(job.u))):
        for part in slices(len(u)):
            here = slice(begin + part.start, begin + part.stop)
            keys[here] = u[part].astype(np.uint64) << bits | v[part].astype(np.uint64)
    # Repeats are dropped, so that input with both directions of each edge does not yield four.
    arcs = distinct(keys, job.threads)
    heads, tails = (arcs >> bits).astype(np.int64), (arcs & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)
    if simple:
        proper = heads != tails
        heads, tails = heads[proper], tails[proper]
    offsets = np.zeros(job.n + 1, np.int64)
    np.cumsum(np.bincount(heads, minlength=job.n), out=offsets[1:])
    return offsets, tails


def check_below_2_31(job: Job, number: int) -> None:
    """Raise InputError for a number that a 32-bit format cannot hold."""
    if number >= 2**31:
        raise InputError(f"{job.path}: the format holds fewer than 2^31 of each, not {number}")
