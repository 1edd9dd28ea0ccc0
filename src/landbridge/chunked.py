"""Components of edges that come in chunks, in the memory of a chunk or two and 8 bytes a vertex (16 from 2^31 on).

The trees of an incremental run are a complete summary of all edges so far, so a chunk is united and forgotten. On a GPU
only the trees are in its memory, 4 bytes a vertex (up to 9 while they grow, which num_vertices spares them), and the
pieces of chunks that are on their way to them.
"""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.chunks import Chunk, ChunkedFile, open_chunks
from landbridge.edges.coerce import coerce
from landbridge.edges.formats.source import read_ahead
from landbridge.edges.forms import SPARSE_FACTOR, SPARSE_FLOOR, EdgeList
from landbridge.edges.frames import library_of
from landbridge.edges.numbering import Numbering
from landbridge.edges.on_device import is_device_array
from landbridge.edges.options import Options
from landbridge.engine.resolve import engine_of
from landbridge.errors import InputError, OutOfDeviceMemory
from landbridge.graph import Graph, check_count, close_ids, is_files, load
from landbridge.incremental import AUTO, stream_plan
from landbridge.plan import Plan, parse
from landbridge.result import Components, IdArray, LabelArray, Profile

_SPARSE = (
    ": far more than there are edges. If its ids have no gaps, ids='dense' or num_vertices says so; ids='sparse' "
    "numbers the ids that occur"
)
_WAITING = 8
"""Chunks that wait for the thread that unites: 16 bytes for each of their edges."""

_LOOPS = 64
"""Arrays of ids with edges to themselves that are kept before they are put together."""

_NOBODY = np.empty(0, dtype=np.int64)
_EDGE = re.compile(r"edge (\d+)(.*)", re.DOTALL)


def components_of_chunks(
    chunks: Any,
    options: Options,
    *,
    plan: Plan | None,
    device: str,
    num_vertices: int | None,
    format: str | None,
    chunk_size: int | None,
) -> tuple[Components, int]:
    """See `landbridge.components`, whose arguments these are; and how many edges there were."""
    began = time.perf_counter()
    chosen = stream_plan(plan or parse(AUTO["gpu" if device in ("gpu", "cuda") else "cpu"]), device)
    assert chosen.engine is not None
    place, known, threads = chosen.engine.name, check_count(num_vertices), options.threads

    def work(options: Options, signed: bool) -> tuple[Components, int]:
        run = _Run(chosen, known, options, signed)
        try:
            if is_files(chunks):
                # A GPU takes one chunk after the other, and so does a table of ids.
                readers = 1 if place == "gpu" or options.ids == "sparse" else threads
                run.file(open_chunks(chunks, options, format=format, chunk_size=chunk_size, readers=readers))
            else:
                run.batches(iter(chunks), format)
            read = time.perf_counter()
            count, labels, names = run.labels()
        finally:
            run.close()
        done = time.perf_counter()
        profile = Profile({"link": read - began, "number": done - read}, done - began, threads, 0.0)
        notes, library = tuple(run.notes), run.library
        return Components(count, labels, str(chosen), place, profile, names, notes, library), run.edges

    if not is_files(chunks):
        if chunk_size is not None:
            raise InputError("chunk_size is for files; an iterable says itself what a chunk is")
        if isinstance(chunks, dict) or not isinstance(chunks, Iterable):
            raise InputError(f"chunks must be an iterable of batches of edges or a path, not {type(chunks).__name__}")
    try:
        return work(options, options.ids == "sparse")
    except _FarApart as error:
        if not error.again:
            raise InputError(str(error)) from None
    return work(replace(options, ids="sparse"), False)


class _FarApart(InputError):
    """An id far beyond the number of edges. again: in a file whose ids are to be numbered on a second reading."""

    again = False


class _Run:
    """Trees, and what has been put into them."""

    def __init__(self, plan: Plan, num_vertices: int | None, options: Options, signed: bool) -> None:
        self._signed = signed  # negative numbers are ids like others
        self.plan, self.num_vertices, self.options = plan, num_vertices, options
        self.threads, self.progress = options.threads, options.progress
        self.notes: list[str] = []
        self.library: str | None = None  # of the first data frame
        self._numbering = Numbering(self.threads) if options.ids == "sparse" else None
        self._occurring = False  # vertices are the ids that occur, though the trees are of vertex numbers
        self._declared = -1  # the first chunk that says how many vertices there are
        self._types: set[np.dtype[Any]] = set()  # of the ids that occur
        self._loops: list[NDArray[Any]] = []  # ids with an edge to themselves: they occur, alone or not
        self._trees: Any = None
        self._feed: Any = None  # of a GPU
        self._on_gpu = plan.engine is not None and plan.engine.name == "gpu"
        self._limit: int | None = None
        self._from = {"host": 0, "device": 0}  # chunks
        self._lock = threading.Lock()
        self.edges = 0

    def _start(self, threads: int, most_id: int | None = None) -> None:
        n = self.num_vertices or 0
        self._limit = most_id + 1 if self.num_vertices is None and most_id is not None else self.num_vertices
        if self._on_gpu:
            engine_of("gpu")
            from landbridge.engine.feed import Feed
            from landbridge.engine.stream_rounds import device_trees

            self._trees = device_trees(self.plan, n, False)
            self._feed = Feed(self._trees, self._limit, threads)
            return
        finish, engine = self.plan.finish, self.plan.engine
        # Where files have readers of their own, mostly one thread inserts.
        how: dict[str, Any] = {"words": list(finish.words), "alone_if_free": True}
        if engine is not None and engine.get("ids") == "wide":
            how["narrow_most"] = 0
        self._trees = _core.IncrementalTrees(finish.link, finish.find, finish.splice, n, threads, False, **how)
        if self._limit is not None:
            self._trees.refuse_from(self._limit)

    def labels(self) -> tuple[int, LabelArray, Any]:
        """The number of components, the labels of all vertices so far, and their ids. Nothing can be inserted then."""
        count, labels = self._labels()
        self._trees = None
        if self._numbering is not None:
            return (count, *self._numbering.result(count, labels))
        if not self._occurring:
            return count, labels, None
        ids, labels, count = self._that_occur(count, labels)
        return count, labels, ids

    def _that_occur(self, count: int, labels: LabelArray) -> tuple[IdArray, LabelArray, int]:
        loops = np.unique(np.concatenate(self._loops)) if self._loops else np.empty(0, dtype=np.int64)
        found: Any = _core.occurring(labels, count, loops, loops, self.threads)
        ids, kept, left = found
        return ids.astype(next(iter(self._types)) if len(self._types) == 1 else np.int64, copy=False), kept, left

    def _labels(self) -> tuple[int, LabelArray]:
        if not self._on_gpu:
            count, labels = self._trees.labels(self.threads)
            return count, labels
        self.close()
        count, labels = self._trees.labels(self.threads, spent=True)
        if self._from["host"] or not self._from["device"]:
            from landbridge.device import transfer

            labels = transfer.fetch(labels, self.threads)
        return count, labels

    def close(self) -> None:
        """Wait until nothing reads chunks any more, and give the buffers back."""
        if self._feed is not None:
            self._feed.close()
            self._feed = None

    # iterables ----------------------------------------------------------------------------------------------------

    def batches(self, batches: Iterator[Any], format: str | None) -> None:
        self._start(self.threads)
        for number, batch in enumerate(batches):
            try:
                pairs = self._pairs(batch, format)
                if pairs.num_vertices is not None and pairs.ids is None and self._declared < 0:
                    self._declared = number
                if self._occurring and self._declared >= 0:
                    raise InputError(
                        "vertices of a table are the ids that occur, and those of chunk "
                        f"{self._declared} are 0..n-1; ids='dense' takes all as vertex numbers"
                    )
                self._insert(pairs)
            except InputError as error:
                raise InputError(_placed(str(error), number, 0)) from None
            except MemoryError as error:
                raise _like(error, f"chunk {number}: {error}") from None
            self.edges += len(pairs.u)
            if self.progress is not None:
                self.progress(self.edges, None)

    def _pairs(self, batch: Any, format: str | None) -> EdgeList:
        graph = batch if isinstance(batch, Graph) else None
        if (library := library_of(batch)) is not None:
            self.library = self.library or library
        options = replace(self.options, progress=None)
        if graph is None:
            if not is_files(batch) and library is None:
                if self.options.ids == "sparse":  # numbered here, over all chunks
                    options = replace(options, ids="dense")
                options = replace(options, columns=None, header=None, delimiter=None, comment=None, encoding=None)
            edges = load(batch, options, format=format if is_files(batch) else None)
            if isinstance(edges, EdgeList) and (self._on_gpu or not is_device_array(edges.u)):
                self._occurring |= edges.occurring and self._numbering is None
                return edges
            graph = Graph.from_edges(edges, threads=self.threads)
        pairs = (graph if self._on_gpu else graph.to_host()).to_pairs()
        assert pairs.b is not None
        return EdgeList(pairs.a, pairs.b, num_vertices=graph.num_vertices, ids=graph.ids)

    def _insert(self, pairs: EdgeList) -> None:
        try:
            if len(pairs.u) != len(pairs.v):
                raise InputError(f"u has {len(pairs.u)} ids and v has {len(pairs.v)}; edge i needs both")
            self.notes += [note for note in pairs.notes if note not in self.notes]
            if self._numbering is None and pairs.ids is not None:
                self._names_begin()
            if self._occurring and self._numbering is None:
                self._note_loops(pairs)
            if self._numbering is not None:
                if pairs.ids is None and not self._signed:
                    close_ids(pairs, self.threads, signed=False)  # refuses negative ones
                pairs = self._numbering.take(pairs)
            if self.num_vertices is not None and (pairs.num_vertices or 0) > self.num_vertices:
                raise InputError(f"it has {pairs.num_vertices} vertices, there are {self.num_vertices}")
            self._unite(pairs.u, pairs.v)
            if pairs.num_vertices:
                self._trees.insert_at(_NOBODY, _NOBODY, None, 0, pairs.num_vertices)
        except CoreInputError as error:
            if self.num_vertices is not None or "out of range" not in str(error):
                raise InputError(str(error)) from None
            raise _FarApart(str(error) + _SPARSE) from None
        except MemoryError as error:
            if self._numbering is not None or self.num_vertices is not None:
                raise
            hint = "ids='sparse' numbers the ids that occur"
            if isinstance(error, OutOfDeviceMemory):
                if "all vertices up to" not in str(error):  # the largest id is not at fault
                    raise
                raise OutOfDeviceMemory(f"{error}; {hint}") from None
            most = max((int(x.max()) for x in (pairs.u, pairs.v) if len(x)), default=-1)
            raise MemoryError(f"no memory for all vertices up to {most}; {hint}") from None

    def _note_loops(self, pairs: EdgeList) -> None:
        """Remember which ids have edges to themselves; and go on with a table of ids where these are far apart."""
        if self._limit is None and not close_ids(pairs, self.threads, signed=self._signed, before=self.edges):
            self._number_ids()
            return
        loops = pairs.u[pairs.u == pairs.v]
        with self._lock:
            self._types.add(pairs.u.dtype)
            if len(loops):
                self._loops.append(np.unique(loops).astype(np.int64, copy=False))
                if len(self._loops) > _LOOPS:
                    self._loops = [np.unique(np.concatenate(self._loops))]

    def _number_ids(self) -> None:
        """Replace the trees of vertex numbers by trees of ids in a table. O(vertices so far)."""
        ids, labels, count = self._that_occur(*self._labels())
        self._numbering = Numbering(self.threads)
        first = np.empty(count, dtype=np.int64)
        first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)  # of several, that of the smallest vertex stays
        self._start(self.threads)
        stars = self._numbering.take(EdgeList(ids, ids[first[labels]]))
        self._unite(stars.u, stars.v)

    def _names_begin(self) -> None:
        if self._trees.vertices or self._occurring:
            before = "those of the chunks before are numbers" if self.num_vertices is None else "num_vertices is given"
            raise InputError(f"its vertices have names, and {before}")
        if self.num_vertices is not None:
            raise InputError("num_vertices has no meaning for vertices with names: they are the names that occur")
        self._numbering = Numbering(self.threads)

    def _unite(self, u: Any, v: Any) -> None:
        there = is_device_array(u)
        if self._on_gpu:
            self._from["device" if there else "host"] += 1
        if there and self._limit is not None:
            from landbridge.device import launch

            launch.check_ids((u, v), self._limit, "edge")
        (self._trees if there or not self._on_gpu else self._feed).insert(u, v)

    # files --------------------------------------------------------------------------------------------------------

    def file(self, file: ChunkedFile) -> None:
        self._occurring = file.occurring and self._numbering is None
        alone = len(file.readers) == 1
        most = None
        if self._occurring and not alone and file.most_edges is not None:
            # Trees that several threads insert into are not replaced: ids that are far apart are read again.
            most = SPARSE_FACTOR * file.most_edges + SPARSE_FLOOR
        self._start(self.threads if alone else 1, most)
        if alone:
            for chunk in read_ahead(file.readers[0]()):
                self._take(file, chunk)
                if self.progress is not None:
                    self.progress(chunk.done, file.size)
            return
        _SideBySide(file, self._take, self.progress).run()

    def _take(self, file: ChunkedFile, chunk: Chunk) -> None:
        try:
            edges: Any = chunk.edges
            if edges.u.dtype != edges.v.dtype:
                edges = coerce(edges)
            self._occurring |= edges.occurring and self._numbering is None
            self._insert(edges)
            with self._lock:
                self.edges += len(edges.u)
        except InputError as error:
            placed = type(error)(f"{file.path}: {_placed(str(error), chunk.number, chunk.first)}")
            if isinstance(placed, _FarApart):
                placed.again = self._occurring
            raise placed from None
        except MemoryError as error:
            raise _like(error, f"{file.path}: chunk {chunk.number}: {error}") from None


class _SideBySide:
    """Every reader of a file in a thread of its own. One unites, too: cells that one thread writes stay in its cache.

    That is the first, and later those that have nothing more to read. The others hand over what they read; where the
    uniting thread does not keep up, they unite it themselves.

    take: unites a chunk. progress: called with the bytes read so far and the bytes of the file.
    """

    def __init__(
        self,
        file: ChunkedFile,
        take: Callable[[ChunkedFile, Chunk], None],
        progress: Callable[[int, int | None], None] | None,
    ) -> None:
        self._file, self._take, self._progress = file, take, progress
        self._lock = threading.Lock()
        self._problems: list[tuple[tuple[int, int], BaseException]] = []
        self._behind = [0] * len(file.readers)
        self._gone = threading.Event()
        self._waiting: deque[Chunk] = deque()
        self._news = threading.Condition()
        self._reading = len(file.readers)

    def run(self) -> None:
        """Read and unite all. Raises the first problem of the file."""
        workers = [
            threading.Thread(target=self._work, args=pair, name="landbridge-chunks", daemon=True)
            for pair in enumerate(self._file.readers)
        ]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                worker.join()
        finally:
            self._gone.set()
        if self._problems:
            raise min(self._problems, key=lambda p: p[0])[1]

    def _work(self, which: int, read: Callable[[], Iterator[Chunk]]) -> None:
        at = (0, 0)
        try:
            for chunk in read():
                at = (chunk.number, chunk.first)
                if self._vain(at):
                    break
                if not self._handed_over(chunk, which):
                    self._unite(chunk)
                while (other := self._handed_to_us(which)) is not None:
                    self._unite(other)
                self._behind[which] = chunk.done
                if self._progress is not None:
                    with self._lock:
                        self._progress(sum(self._behind), self._file.size)
        except BaseException as error:
            self._failed(at, error)
        with self._news:
            self._reading -= 1
            self._news.notify_all()
        while (other := self._handed_to_idle()) is not None:
            self._unite(other)

    def _unite(self, chunk: Chunk) -> None:
        at = (chunk.number, chunk.first)
        if not self._vain(at):
            try:
                self._take(self._file, chunk)
            except BaseException as error:  # handed to the caller, whatever it is
                self._failed(at, error)

    def _failed(self, at: tuple[int, int], error: BaseException) -> None:
        with self._lock:
            self._problems.append((at, error))

    def _vain(self, at: tuple[int, int]) -> bool:
        # The first problem of the file is raised, whoever meets another one before.
        with self._lock:
            return self._gone.is_set() or any(place < at for place, _ in self._problems)

    def _unites(self, which: int) -> bool:
        """Whether this reader unites what others hand over; with `_news` held."""
        return which == 0 and self._reading == len(self._file.readers)

    def _handed_over(self, chunk: Chunk, which: int) -> bool:
        with self._news:
            if len(self._waiting) == _WAITING or self._unites(which):
                return False
            self._waiting.append(chunk)
            self._news.notify()
            return True

    def _handed_to_us(self, which: int) -> Chunk | None:
        with self._news:
            return self._waiting.popleft() if self._unites(which) and self._waiting else None

    def _handed_to_idle(self) -> Chunk | None:
        with self._news:
            self._news.wait_for(lambda: self._waiting or self._reading == 0)
            return self._waiting.popleft() if self._waiting else None


def _like(error: MemoryError, text: str) -> MemoryError:
    """The same lack of memory, of the device or not, told in other words."""
    return (OutOfDeviceMemory if isinstance(error, OutOfDeviceMemory) else MemoryError)(text)


def _placed(problem: str, chunk: int, first: int) -> str:
    """A problem with the chunk it is in; edges of a part of a chunk are counted from the start of that."""
    match = _EDGE.fullmatch(problem)
    if match is None:
        return f"chunk {chunk}: {problem}"
    return f"chunk {chunk}, edge {first + int(match[1])}{match[2]}"
