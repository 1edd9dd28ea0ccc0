"""Incremental connectivity: edges arrive in batches, and "are these two connected now?" is answered in between."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self, overload

import numpy as np

from landbridge import _core
from landbridge import engine as engines
from landbridge._core import CoreInputError
from landbridge.device import cuda
from landbridge.streams.form import Head, Record
from landbridge.streams.journal import Journal, load, save
from landbridge.edges.coerce import coerce
from landbridge.edges.forms import EdgeList
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import Trees
from landbridge.errors import DeviceError, FileFormatError, InputError, InvalidPlan, OutOfDeviceMemory
from landbridge.graph import check_count
from landbridge.plan import Engine, Plan, parse
from landbridge.result import Components, IdArray, Profile, SpanningForest

AUTO = {"cpu": "async(inter)", "gpu": "rem_cas(naive,halve_one)"}
"""The plan meant by "auto" on each engine; queries may run beside its unions."""

_NATIVE = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32), np.dtype(np.uint64))
_NO_SAMPLE = "a stream unites batches of edges: samplings and searches need the rows of a whole graph"
_NO_STAGES = "a stream has batches already; stages cut a whole graph into groups"


class Incremental:
    """Connectivity of a graph that grows. Edges are inserted, never deleted; vertices appear when an edge names them.

    num_vertices: vertices 0..num_vertices-1 are there from the beginning, each alone. Inserting an edge with a larger
        id makes all vertices up to that id; those that no edge has named are components of their own.
    plan: "auto", or one of ``landbridge.plans("incremental")``, such as ``"rem_cas(naive,halve_one)"``.
    device: "cpu", "gpu", or "auto": the CPU, unless the first batch of all is on a GPU. A stream on a GPU takes arrays
        from either side and answers where the ids are; batches are queued on CuPy's current stream.
    threads: how many threads a large batch uses; by default all processors of this process. Small batches run on the
        calling thread.
    forest: keep, for each link made, the edge that made it, so that `forest` can be asked for (16 bytes a vertex more).
    journal: the path of a file that makes the stream restartable, made if it is not there. Each batch is appended to it
        before the call returns. Opening it again, also after the process was killed, brings back every batch whose call
        had returned, and perhaps one more that was on its way; `position` says how far the stream had come. One stream
        at a time holds a journal.
    sync: wait until each batch is on the disk. False leaves that to the system: a killed process still loses nothing,
        a machine that loses power may lose the last batches.

    **Concurrent callers.** Any method may be called from any number of threads at once; calls run side by side, with
    the interpreter's lock released for all but the smallest. With a plan that mixes (`mixed`), every single insert and
    every single query takes effect at one moment between the call and the return of the method that carried it, also
    among the operations of one batch: the calls are linearizable. So a query that begins after an insert has returned
    sees it; two vertices, once answered "connected", are never answered "not connected" later; and `count` never rises
    but by new vertices. With the plans that do not mix, a batch of inserts runs alone, and the same holds with the
    batch as the operation. `components`, `forest`, `save` and `merge` see a moment between batches: of each call all
    inserts or none. A call that raises InputError or MemoryError has changed nothing.

    Ids are held in 32 bits below 2^31 vertices: 4 bytes a vertex (8 above, and for jtb; hooks, rem_lock and rounds take
    an id a vertex more). Inserting m edges costs O(m a(n)) for the union-find plans; plans in rounds look at each edge
    of a batch once a round, typically O(lg m) times, in copies of 24 bytes an edge, which a CPU's stream keeps for the
    next batch.
    Raises InputError for bad arguments, InvalidPlan (InvalidCombination) for a plan that no stream runs, DeviceError.
    """

    def __init__(
        self,
        num_vertices: int = 0,
        *,
        plan: str | Plan = "auto",
        device: str = "auto",
        threads: int | None = None,
        forest: bool = False,
        journal: str | os.PathLike[str] | None = None,
        sync: bool = True,
    ) -> None:
        if check_count(num_vertices) is None:
            raise InputError("num_vertices must be a whole number of at least 0, not None")
        self._automatic = plan == "auto"
        place = "gpu" if device in ("gpu", "cuda") else "cpu"
        chosen = plan if isinstance(plan, Plan) else parse(AUTO[place] if plan == "auto" else plan)
        self._plan = stream_plan(chosen, device)
        self._threads = engines.workers(threads, self._plan)
        finish = self._plan.finish
        if forest and finish.no_forest:
            raise InputError(f"{finish} keeps no forest: it moves subtrees, and an edge kept for one may close a cycle")
        self._keep_forest = bool(forest)
        # Nobody has named a device: the first batch on a GPU, if it comes before any other, takes the stream there.
        self._undecided = device == "auto" and chosen.engine is None and journal is None
        self._trees = self._make(0 if journal is not None else int(num_vertices))
        self._journal: Journal | None = None
        if journal is not None:
            self._open(os.fspath(journal), sync, int(num_vertices))

    def _make(self, num_vertices: int) -> Trees:
        finish, engine = self._plan.finish, self._plan.engine
        assert engine is not None
        try:
            if engine.name == "gpu":
                engines.engine("gpu")
                from landbridge.engine.stream_rounds import device_trees

                return device_trees(self._plan, num_vertices, self._keep_forest)
            rules = (finish.link, finish.find, finish.splice)
            narrow_most = 0 if engine.get("ids") == "wide" else 2**31 - 1
            how: dict[str, Any] = {"narrow_most": narrow_most, "words": list(finish.words)}
            return _core.IncrementalTrees(*rules, num_vertices, self._threads, self._keep_forest, **how)
        except OutOfDeviceMemory:
            raise
        except MemoryError:
            raise MemoryError(f"no memory for {num_vertices} vertices") from None

    # what is known ----------------------------------------------------------------------------------------------------

    @property
    def num_vertices(self) -> int:
        """One more than the largest vertex known."""
        return self._trees.vertices

    def __len__(self) -> int:
        return self._trees.vertices

    @property
    def count(self) -> int:
        """The number of components among the vertices known, kept current: O(1).

        Exact between batches. While batches run in other threads, what they have linked so far may be counted or not.
        """
        return self._trees.count

    @property
    def position(self) -> int:
        """How many operations (inserts, and queries of `apply`) the stream has taken: the position of the next one."""
        return self._trees.position

    @property
    def plan(self) -> str:
        """The canonical text of the plan."""
        return str(self._plan)

    @property
    def device(self) -> str:
        """Where the trees are."""
        assert self._plan.engine is not None
        return self._plan.engine.name

    @property
    def mixed(self) -> bool:
        """Whether queries run beside inserts; if not, each batch is inserts first, then queries."""
        return self._trees.mixed

    def __repr__(self) -> str:
        known = f"count={self.count}, vertices={self.num_vertices}"
        return f"Incremental({known}, plan={self.plan!r}, device={self.device!r})"

    def _open(self, path: str, sync: bool, num_vertices: int) -> None:
        self._journal = Journal(path, self._head(), sync, _Owner(self._trees))
        if num_vertices > self._trees.vertices:
            nobody = np.empty(0, dtype=np.int64)
            try:
                self._append_record(Record(0, 0, num_vertices, nobody, nobody, None))
            except BaseException:
                self._journal.close()
                raise

    def _ends(self, u: Any, v: Any) -> tuple[Any, Any, bool]:
        """Both ends as arrays the trees can read, and whether they were two integers."""
        a, b, single = _operands(u, v)
        if not isinstance(a, np.ndarray) and self.device == "cpu":
            if not (self._undecided and self._trees.position == 0):
                raise InputError("these ids are on a GPU and the stream is not: make it with device='gpu'")
            finish = parse(AUTO["gpu"]).finish if self._automatic else self._plan.finish
            self._plan = Plan(None, finish, Engine("gpu"))
            self._trees = self._make(self._trees.vertices)
        return a, b, single

    # operations -------------------------------------------------------------------------------------------------------

    def insert(self, u: Any, v: Any) -> None:
        """Insert the edge (u, v), or the edges (u[i], v[i]).

        u, v: two integers, or two equally long one-dimensional arrays (or sequences) of integers. NumPy arrays of 32-
        or 64-bit integers are read in place.
        Raises InputError naming the edge at fault, MemoryError; nothing has been inserted then.
        """
        try:
            if type(u) is int and type(v) is int and self._journal is None:
                self._trees.insert_one(u, v)
                return
            a, b, _ = self._ends(u, v)
            if self._journal is None:
                self._trees.insert(a, b)
            elif len(a):
                self._append(
                    Record(0, len(a), 0, _on_host(a), _on_host(b), None),
                    lambda: self._trees.prepare(a, b, None, 0),
                    lambda: self._trees.insert(a, b),
                )
        except (CoreInputError, MemoryError, TypeError) as error:
            raise _told(error, u, v) from None

    @overload
    def connected(self, u: int, v: int) -> bool: ...
    @overload
    def connected(self, u: Any, v: Any) -> Any: ...
    def connected(self, u: Any, v: Any) -> Any:
        """Whether u and v are connected now: a bool for two integers, else an array of bools, shape (len,).

        An id that is not known yet is connected to itself alone; asking does not make it known. One of the two may be
        an integer beside an array.
        """
        try:
            if type(u) is int and type(v) is int:
                return self._trees.connected_one(u, v)
            a, b, single = self._ends(u, v)
            answers = self._trees.connected(a, b)
            return bool(answers[0]) if single else answers
        except (CoreInputError, MemoryError, TypeError) as error:
            raise _told(error, u, v) from None

    def apply(self, u: Any, v: Any, is_query: Any, *, order: Literal["inserts_first"] | None = None) -> Any:
        """Run a batch of inserts and queries; return the answers, one bit an operation.

        u, v: as for `insert`. is_query: as long; true where operation i asks whether u[i] and v[i] are connected, false
            where it inserts that edge.
        order: None runs all at once: a query may or may not see the inserts of its own batch, but the answers are
            those of some order of the operations. "inserts_first" makes every query see every insert of the batch, so
            the answers are reproducible; plans that do not mix do that in any case.

        Returns a uint8 array of (len(u) + 7) // 8 bytes. Operation i has bit ``i & 7`` (the lowest is bit 0) of byte
        ``i >> 3``: 1 if it is a query of two connected vertices, else 0; bits of inserts, and those behind the last
        operation, are 0. ``np.unpackbits(bits, count=len(u), bitorder="little")`` spreads them.
        """
        if order not in (None, "inserts_first"):
            raise InputError(f"order must be None or 'inserts_first', not {order!r}")
        try:
            a, b, _ = self._ends(u, v)
            kinds = _kinds(is_query, len(a))

            def run() -> Any:
                return self._trees.apply(a, b, kinds, order is not None)

            if self._journal is None or len(a) == 0:
                return run()
            at = np.flatnonzero(_on_host(kinds) == 0)
            inserts = Record(0, len(a), 0, _on_host(a)[at], _on_host(b)[at], at)
            bits: Any = self._append(inserts, lambda: self._trees.prepare(a, b, kinds, 0), run)
            return bits
        except (CoreInputError, MemoryError, TypeError) as error:
            raise _told(error, u, v) from None

    # results ----------------------------------------------------------------------------------------------------------

    def components(self) -> Components:
        """The components of all edges inserted so far: what `landbridge.components` returns for them. O(n)."""
        began = time.perf_counter()
        count, labels = self._trees.labels(self._threads)
        seconds = time.perf_counter() - began
        profile = Profile({"number": seconds}, seconds, self._threads, 0.0)
        return Components(count, labels, self.plan, self.device, profile)

    def forest(self) -> SpanningForest:
        """A spanning forest of all edges inserted so far, in host memory. O(n), and a sort of its edges.

        ``edge[i]`` is the position in the stream of the operation that inserted u[i], v[i]. Only for a stream made with
        ``forest=True``; raises InputError for others.
        """
        if not self._trees.keeps_forest:
            raise InputError("this stream keeps no forest: make it with forest=True")
        began = time.perf_counter()
        _, representatives, (u, v, at) = self._trees.snapshot(True)
        order = np.argsort(at)
        u, v = (x[order].astype(representatives.dtype, copy=False) for x in (u, v))
        seconds = time.perf_counter() - began
        profile = Profile({"forest": seconds}, seconds, self._threads, 0.0)
        return SpanningForest(u, v, at[order], len(representatives) - len(at), self.plan, self.device, profile)

    def merge(self, other: Incremental) -> None:
        """Insert everything `other` has been told, as if its stream came now. O(n).

        Afterwards the components are those of both streams' edges together; `position` and the number of vertices are
        those of this stream followed by the other. `other` does not change. Merging is associative, commutative and
        idempotent as far as components go.
        """
        if not isinstance(other, Incremental):
            raise InputError(f"only another Incremental can be merged, not {type(other).__name__}")
        if self._trees.keeps_forest and not other._trees.keeps_forest:
            raise InputError("this stream keeps a forest and the other does not: the edges of its links are not known")
        if other is self:
            return
        record = other._summary(self._trees.keeps_forest)
        if self._journal is None:
            _take(self._trees, record)
        else:
            self._append_record(record)

    # on disk ----------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the stream to a file: components, position and, where it is kept, the forest. O(n).

        The file changes at one moment: written beside it, flushed to the disk, renamed. If the process is killed on the
        way, or the disk is full, the file that was there before is as it was. 8 bytes for each vertex that is not the
        smallest of its component (24 with a forest).
        Raises OSError naming the file.
        """
        save(os.fspath(path), self._head(), self._summary(self._trees.keeps_forest))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        plan: str | Plan | None = None,
        device: str = "auto",
        threads: int | None = None,
    ) -> Incremental:
        """The stream that `save` wrote. plan: None for that of the file.

        Raises FileFormatError for a file that is cut off, altered, of another version, or something else; OSError.
        """
        path = os.fspath(path)
        head, record = load(path)
        stream = cls(plan=head.plan if plan is None else plan, device=device, threads=threads, forest=head.forest)
        _take(stream._trees, record)
        if stream.num_vertices - stream.count != len(record.u):
            raise FileFormatError(path, "damaged: its edges close a cycle")
        return stream

    def compact(self) -> None:
        """Replace the journal by a summary of itself, so that it is no longer than the components need. O(n).

        At every moment the file is the old journal or the new one. Inserts of other threads wait.
        """
        if self._journal is None:
            raise InputError("this stream has no journal")
        with self._journal.lock:
            self._journal.compact(self._head(), lambda: self._summary(self._trees.keeps_forest))

    def close(self) -> None:
        """Give the journal up, so that another stream may open it. Inserts raise InputError from now on."""
        if self._journal is not None:
            self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    @property
    def journal(self) -> Path | None:
        """The journal's file."""
        return None if self._journal is None else Path(self._journal.path)

    @property
    def dropped(self) -> int:
        """Bytes of an unfinished batch that were cut off the journal's end when it was opened."""
        return 0 if self._journal is None else self._journal.dropped

    def _head(self) -> Head:
        return Head(self.plan, self._trees.keeps_forest)

    def _summary(self, forest: bool) -> Record:
        position, representatives, edges = self._trees.snapshot(forest)
        n = len(representatives)
        if edges is not None:
            return Record(0, position, n, *edges)
        children = np.flatnonzero(representatives != np.arange(n, dtype=representatives.dtype))
        return Record(0, position, n, children.astype(representatives.dtype), representatives[children], None)

    def _append(self, record: Record, prepare: Callable[[], None], apply: Callable[[], Any]) -> Any:
        """Write a record down, at the position there is then, and apply it."""
        assert self._journal is not None
        with self._journal.lock:
            return self._journal.append(replace(record, position=self._trees.position), prepare, apply)

    def _append_record(self, record: Record) -> None:
        trees = self._trees

        def prepare() -> None:
            with _memory_for(record):
                trees.prepare(record.u, record.v, None, record.vertices)

        self._append(record, prepare, lambda: _take(trees, record))


class _Owner:
    """What a journal knows of its stream: the trees alone, so that neither keeps the other alive."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees

    def replay(self, record: Record) -> None:
        _take(self._trees, record)

    def reached(self) -> tuple[int, int]:
        return self._trees.position, self._trees.vertices


@contextlib.contextmanager
def _memory_for(record: Record) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        largest = max((int(x.max()) for x in (record.u, record.v) if len(x)), default=-1)
        raise MemoryError(f"no memory for the stream's {max(record.vertices, largest + 1)} vertices") from None


def _take(trees: Trees, record: Record) -> None:
    """Insert the edges of a record as if they came now."""
    with _memory_for(record):
        trees.insert_at(record.u, record.v, record.at, record.advance, record.vertices)


def stream_plan(plan: Plan, device: str) -> Plan:
    """The plan with its engine named. Raises where no stream runs it or the device is another."""
    finish = plan.finish
    if plan.layout == "csr":
        raise InvalidPlan(f"{plan}: {_NO_SAMPLE}")
    if finish.no_stream:
        raise InvalidPlan(f"{plan}: {finish.no_stream}")
    if finish.stages is not None:
        raise InvalidPlan(f"{plan}: {_NO_STAGES}")
    wanted = "gpu" if device == "cuda" else device
    named = plan.engine.name if plan.engine is not None else None
    if wanted not in ("auto", "cpu", "gpu"):
        raise DeviceError(f"no device {device!r} here; there is: cpu, gpu")
    if wanted != "auto" and named not in (None, wanted):
        raise DeviceError(f"device={device!r}, but the plan asks for @{named}")
    return plan if named is not None else Plan(None, finish, Engine("cpu" if wanted == "auto" else wanted))


def _operands(u: Any, v: Any) -> tuple[IdArray, IdArray, bool]:
    """Both ends as arrays of one native type, and whether they were two integers."""
    # Not of a class of their own: a masked array has more to say than its memory.
    arrays = type(u) is type(v) is np.ndarray and u.dtype == v.dtype and u.dtype in _NATIVE
    if arrays and u.ndim == v.ndim == 1 and u.flags.c_contiguous and v.flags.c_contiguous:
        return u, v, False
    scalars = [isinstance(x, int | np.integer) and not isinstance(x, bool) for x in (u, v)]
    if all(scalars):
        u, v = [u], [v]
    elif scalars[0] and hasattr(v, "__len__"):
        u = [u] * len(v)
    elif scalars[1] and hasattr(u, "__len__"):
        v = [v] * len(u)
    edges = coerce((u, v))
    assert isinstance(edges, EdgeList)
    if edges.ids is not None:
        # Names are numbered anew in each call, so equal numbers of two batches would not be the same vertex.
        raise InputError("vertices have names; in a stream ids are vertex numbers")
    return edges.u, edges.v, all(scalars)


def _on_host(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else array.get()


def _kinds(is_query: Any, count: int) -> Any:
    kinds = is_query if is_device_array(is_query) else np.asarray(is_query)
    if kinds.ndim != 1 or len(kinds) != count:
        raise InputError(f"is_query must have shape ({count},) like u and v, not {tuple(kinds.shape)}")
    if kinds.dtype != bool:
        if kinds.dtype.kind not in "iu" and kinds.size:
            raise InputError(f"is_query must hold bools, not {kinds.dtype}")
        kinds = kinds != 0
    if is_device_array(kinds):
        return cuda.cupy().ascontiguousarray(cuda.cupy().asarray(kinds)).view(np.uint8)
    return np.ascontiguousarray(kinds).view(np.uint8)


def _told(error: Exception, u: Any, v: Any) -> Exception:
    if isinstance(error, CoreInputError):
        return InputError(str(error))
    if isinstance(error, OutOfDeviceMemory) or is_device_array(u) or is_device_array(v):
        return error
    if isinstance(error, MemoryError):
        if type(u) is int and type(v) is int:
            return MemoryError(f"no memory for all vertices up to {max(u, v)}")
        most = max((int(np.max(x)) for x in (u, v) if np.size(x)), default=0)
        return MemoryError(f"no memory for the batch, or for all vertices up to {most}")
    if type(u) is int and type(v) is int:
        return InputError(f"vertex {max(u, v, key=abs)} does not fit 64 bits")
    return error
