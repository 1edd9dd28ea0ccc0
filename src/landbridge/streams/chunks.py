"""Components of edges that come in chunks, in the memory of a chunk or two and 4 bytes per vertex (8 from 2^31 on).

The trees of a stream are a complete summary of all edges so far, so a chunk is united and forgotten; at the end their
memory holds the labels. On a device only the trees are in its memory, 4.1 bytes per vertex (up to 9 while they grow,
which num_vertices avoids), and the pieces of chunks that cross the interconnect.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.chunks import Chunk, ChunkedFile, open_chunks
from landbridge.edges.coerce import Orientations, coerce, is_graph, text_refused
from landbridge.edges.formats.registry import format_by_name
from landbridge.edges.formats.source import read_ahead
from landbridge.edges.forms import SPARSE_FACTOR, SPARSE_FLOOR, EdgeList
from landbridge.edges.frames import library_of
from landbridge.edges.id_columns import are_plain
from landbridge.edges.load import is_files, load, refuse_beside
from landbridge.edges.on_device import is_device_array
from landbridge.edges.options import (
    Budget,
    Options,
    Progress,
    ReadingOptions,
    options_of,
    takes_reading_options,
    with_negative,
)
from landbridge.edges.queries import batches_of
from landbridge.edges.spelling import option, spelled
from landbridge.engine.base import Engine, Trees
from landbridge.engine.resolve import Request
from landbridge.errors import InputError, OutOfDeviceMemory, SizeLimitExceeded
from landbridge.graph import MOST_VERTICES, Graph, check_count
from landbridge.occurring import counted_from_one
from landbridge.passes import is_whole
from landbridge.plan import Plan
from landbridge.problems import PROBLEMS
from landbridge.progress import with_progress
from landbridge.result import Components, LabelArray, Profile, Share
from landbridge.streams.chunk_ids import ChunkIds, IdMode
from landbridge.streams.operands import largest_vertex, on_host
from landbridge.streams.parallel_readers import ParallelReaders
from landbridge.typing import Chunks, Device, Devices, PlanText

_NO_IDS = np.empty(0, dtype=np.int64)
_EDGE = re.compile(r"edge (\d+)(.*)", re.DOTALL)


@with_progress
@takes_reading_options
def components_of_chunks(
    chunks: Chunks,
    *,
    plan: PlanText | Plan = "auto",
    device: Device = "auto",
    devices: Devices | None = None,
    num_vertices: int | None = None,
    threads: int | None = None,
    format: str | None = None,
    chunk_size: int | None = None,
    progress: Progress | bool | None = None,
    **reading: Unpack[ReadingOptions],
) -> Components:
    """Connected components of edges that are read in chunks: what ``landbridge.components(chunks=...)`` returns.

    Parameters
    ----------
    chunks : Chunks
        An iterable of batches of edges, each anything that makes a graph, or files (text, tables or .npy, as `format`
        and `columns` say), which are then read `chunk_size` edges at a time.
    plan : PlanText or Plan, default "auto"
        "auto", or one of ``landbridge.plans("incremental")``.
    device, devices, num_vertices, threads : optional
        As for `components`.
    ids, columns, format, header, delimiter, comment, base, encoding, max_bytes : optional
        As for `Graph`.
    chunk_size : int, optional
        The number of edges of a chunk of files.
    progress : Progress or bool, optional
        As for `components`.

    Returns
    -------
    Components

    Raises
    ------
    InputError
        For bad edges, with their chunk.
    InvalidPlan, DeviceError, MemoryError
        As `components` does; OutOfDeviceMemory is both of the last.

    Notes
    -----
    What the vertices are, and how much memory a run takes, is said of `components`.

    Examples
    --------
    >>> landbridge.components_of_chunks(([(i, i + 1)] for i in range(3))).count
    1
    """
    request = PROBLEMS["incremental"].request(plan, device, threads, present=False, devices=devices)
    report = None if isinstance(progress, bool) else progress
    options = options_of(threads=request.threads, progress=report, num_vertices=num_vertices, **reading)
    answer, _ = run_chunks(chunks, options, request, num_vertices=num_vertices, format=format, chunk_size=chunk_size)
    return counted_from_one(answer) if reading.get("base") else answer


def run_chunks(
    chunks: Any,
    options: Options,
    request: Request,
    *,
    num_vertices: int | None,
    format: str | None,
    chunk_size: int | None,
) -> tuple[Components, int]:
    """The components of `components_of_chunks`, and how many edges were read. base: not applied to the answer."""
    began = time.perf_counter()
    engine, stream_plan = request.stream()
    count, threads = check_count(num_vertices), options.threads

    def work(options: Options, signed: bool) -> tuple[Components, int]:
        run = ChunksRun(engine, stream_plan, count, options, signed)
        try:
            if is_files(chunks):
                # A table of ids takes one chunk after the other.
                readers = 1 if options.ids == "sparse" else engine.inserters(threads)
                run.unite_file(open_chunks(chunks, options, format=format, chunk_size=chunk_size, readers=readers))
            else:
                run.unite_batches(chunks, format)
            read = time.perf_counter()
            components, labels, occurring = run.labels()
        finally:
            run.close()
        done = time.perf_counter()
        seconds = {"link": read - began, "number": done - read}
        profile = Profile(seconds, done - began, threads, 0.0, shares=run.shares)
        notes, library = tuple(run.notes), run.library
        return Components(
            components, labels, str(stream_plan), engine.name, profile, occurring, notes, library
        ), run.edges

    if not is_files(chunks):
        query = batches_of(chunks, options.columns, chunk_size)
        if query is not None:
            chunks, options = query[0], replace(options, columns=query[1])
        elif chunk_size is not None:
            raise InputError("chunk_size is for files and queries; an iterable says itself what a chunk is")
        _check_iterable(chunks)
    try:
        return work(options, options.ids == "sparse")
    except _NeedsTable:
        return work(replace(options, ids="sparse"), False)


def _check_iterable(chunks: Any) -> None:
    """Raise InputError for what is no iterable of batches of edges. A graph may be one of rows, columns or vertices."""
    what = f"chunks must be an iterable of batches of edges or a path, not {type(chunks).__name__}"
    if not isinstance(chunks, dict) and (is_graph(chunks) or library_of(chunks) is not None):
        raise InputError(f"{what}, which is a whole graph: give it as graph=..., or in a list as a single batch")
    if (
        isinstance(chunks, dict | bytes | bytearray | memoryview)
        or not isinstance(chunks, Iterable)
        or getattr(chunks, "shape", None) == ()
    ):
        raise InputError(what)
    if isinstance(chunks, tuple | list) and len(chunks) == 2 and all(map(_is_column, chunks)):
        raise InputError("two columns are one chunk: chunks=[(u, v)]")


def _is_column(batch: Any) -> bool:
    """Whether a batch is whole numbers in one column, which are no edges."""
    if isinstance(batch, np.ndarray):
        return batch.ndim == 1 and len(batch) > 0 and batch.dtype.kind in "iu"
    return isinstance(batch, list) and len(batch) > 0 and is_whole(batch[0])


class _NeedsTable(InputError):
    """An id of a file is far beyond the number of its edges: a second reading is to number ids in a table."""


class ChunksRun:
    """Trees, what has been put into them, and what its ids stand for.

    signed: whether negative numbers are ids like others. ids: see `IdMode`. library: of the first data frame. edges:
    how many have been read.
    """

    def __init__(self, engine: Engine, plan: Plan, num_vertices: int | None, options: Options, signed: bool) -> None:
        self._engine, self._plan = engine, plan
        self.num_vertices, self.options = num_vertices, options
        self.threads, self.progress = options.threads, options.progress
        self.ids = ChunkIds(options, num_vertices, signed=signed)
        self._opened: Trees | None = None
        self._limit: int | None = None  # of ids, where one beyond it is refused
        self._from_host = self._from_device = False  # where chunks were
        self._lock = threading.Lock()
        self.edges = 0
        self._has_chunks = self._may_occur = False
        self.notes: list[str] = []
        self.library: str | None = None
        self.files = self.tables = False  # whether a chunk was one
        self.shares: tuple[Share, ...] = ()

    @property
    def _trees(self) -> Trees:
        assert self._opened is not None
        return self._opened

    def _open(self, threads: int, largest_id: int | None = None) -> None:
        limit = self.num_vertices if self.num_vertices is not None or largest_id is None else largest_id + 1
        self._opened = self._engine.trees(self._plan, self.num_vertices or 0, False, threads, bulk=True)
        self._limit = limit
        if limit is not None:
            self._trees.refuse_from(limit)

    def labels(self) -> tuple[int, LabelArray, Any]:
        """The number of components, the labels of all vertices so far, and their ids. Nothing can be inserted then."""
        count, labels = self._labels()
        self._opened = None
        return self.ids.result(count, labels)

    def _labels(self) -> tuple[int, LabelArray]:
        self.close()
        answer = self._trees.labels(self.threads, consume=True, to_host=self._from_host or not self._from_device)
        self.shares = getattr(self._trees, "shares", tuple)()
        return answer

    def close(self) -> None:
        """Wait until the trees no longer read chunks, and give their buffers back."""
        if self._opened is not None:
            self._opened.close()

    # iterables --------------------------------------------------------------------------------------------------------

    def unite_batches(self, batches: Iterable[Any], format: str | None) -> None:
        """Unite all batches of an iterable. Those of a list exist at once: several processors take theirs together."""
        # A table may follow, whose vertices, and those of all chunks then, are the ids that occur.
        is_list = isinstance(batches, list | tuple)
        may_be_table = not is_list or any(library_of(each) is not None or is_files(each) for each in batches)
        self._may_occur = self.options.ids == "auto" and self.num_vertices is None and may_be_table
        self._open(self.threads)
        collecting = getattr(self._trees, "collecting", None) if isinstance(batches, list | tuple) else None
        try:
            with collecting() if collecting else contextlib.nullcontext():
                self._unite_each(iter(batches), format)
        except InputError as error:
            if not hasattr(error, "batch"):
                raise
            raise InputError(_in_chunk(str(error), error.batch, 0)) from None

    def _unite_each(self, batches: Iterator[Any], format: str | None) -> None:
        orientations = Orientations("chunk", "tuples of two columns, (u, v)")
        number = -1
        for number, batch in enumerate(batches):
            try:
                with orientations.turn(batch):
                    pairs = self._pairs(batch, format)
                    self.ids.refuse_mixture(pairs, number)
                    self._insert(pairs)
            except SizeLimitExceeded as error:
                raise SizeLimitExceeded(error.path or f"chunk {number}", error.problem) from None
            except InputError as error:
                raise InputError(_in_chunk(str(error), getattr(error, "batch", number), 0)) from None
            except MemoryError as error:
                raise _with_text(error, f"chunk {number}: {error}") from None
            self.edges += len(pairs.u)
            if self.progress is not None:
                self.progress(self.edges, None)
        if number < 0:
            self._note_idle(format)

    def _note_idle(self, format: str | None) -> None:
        """A note on the options of reading that nothing was read by, as there was no chunk."""
        if format is not None:
            format_by_name(format)
        read_by = {"format": format, "columns": self.options.columns, "base": self.options.base, **self.options.dialect}
        idle = [option(name) for name, value in read_by.items() if value is not None]
        if idle:
            self.notes.append(f"there are no chunks: {', '.join(idle)} had no effect")

    def _are_plain(self, batch: Any, format: str | None) -> bool:
        """Whether a chunk is two arrays of numbers, beside which no option and no other chunk says how to read it."""
        options, is_pair = self.options, type(batch) is tuple and len(batch) == 2
        alone = is_pair and format is None and not (self.files or self.tables or options.base or options.dialect)
        return alone and options.columns is None and options.ids != "names" and are_plain(*batch)

    def _pairs(self, batch: Any, format: str | None) -> EdgeList:
        if self._are_plain(batch, format):
            return EdgeList(*batch)
        graph = batch if isinstance(batch, Graph) else None
        if (library := library_of(batch)) is not None:
            self.library = self.library or library
        options = replace(self.options, progress=None)
        if is_files(batch):
            self.files = self.tables = True
        else:
            options = replace(options, budget=None)
            self.tables |= library is not None
            if self.files:  # what the options of text are for
                format = None
                options = replace(options, header=None, delimiter=None, comment=None, encoding=None)
            if self.tables and library is None:
                options = replace(options, columns=None)
        if graph is not None:
            refuse_beside(graph, options, format, is_frame=False)
        else:
            numbered_here = self.options.ids == "sparse" or self.num_vertices is not None
            if numbered_here and not is_files(batch) and library is None:
                options = replace(options, ids="auto")  # over all chunks
            edges = load(batch, options, format=format)
            if self.options.ids == "sparse" and edges.ids is not None and not is_graph(batch):
                raise text_refused("sparse")
            if isinstance(edges, EdgeList) and (self._trees.reads_device or not is_device_array(edges.u)):
                if edges.occurring:
                    self.ids.see_table()
                return edges
            graph = Graph.from_edges(edges, threads=self.threads)
        pairs = (graph if self._trees.reads_device else graph.to_host()).to_pairs()
        assert pairs.b is not None
        return EdgeList(pairs.a, pairs.b, num_vertices=graph.num_vertices, ids=graph.ids)

    def _insert(self, pairs: EdgeList) -> None:
        try:
            if len(pairs.u) != len(pairs.v):
                raise InputError(f"u has {len(pairs.u)} ids and v has {len(pairs.v)}; edge i needs both")
            self.notes += [note for note in pairs.notes if note not in self.notes]
            if pairs.ids is not None and self.ids.mode is not IdMode.NUMBERED:
                self.ids.number_names(self._trees.vertices, len(pairs.ids))
            occurring = self.ids.mode is IdMode.OCCURRING
            if occurring and self._limit is None and not self.ids.are_close(pairs, self.edges):
                self._number_occurring()
            if self.ids.mode is IdMode.NUMBERED:
                pairs = self.ids.number(pairs)
            if self.num_vertices is not None and (pairs.num_vertices or 0) > self.num_vertices:
                raise InputError(f"it has {pairs.num_vertices} vertices, there are {self.num_vertices}")
            self._unite(pairs.u, pairs.v)
            may_occur = self._may_occur and self.ids.mode is IdMode.DENSE and pairs.ids is None
            if self.ids.mode is IdMode.OCCURRING or may_occur:
                self.ids.record(pairs, self._trees.vertices)
            if pairs.num_vertices:
                self._trees.insert_at(_NO_IDS, _NO_IDS, None, 0, pairs.num_vertices)
        except CoreInputError as error:
            if self.num_vertices is not None or "out of range" not in str(error):
                raise InputError(with_negative(error, self.num_vertices)) from None
            raise (InputError if self._limit is None else _NeedsTable)(str(error) + _far()) from None
        except MemoryError as error:
            if self.ids.mode is IdMode.NUMBERED or self.num_vertices is not None:
                raise
            raise _memory_for(error, pairs) from None

    def _unite(self, u: Any, v: Any) -> None:
        if is_device_array(u):
            self._from_device = True
        else:
            self._from_host = True
        _core.check_time()
        if self.options.budget is not None and self.ids.mode is not IdMode.NUMBERED and not is_device_array(u):
            self._check_labels(self.options.budget, u, v)
        self._trees.insert(u, v)

    def _check_labels(self, budget: Budget, u: Any, v: Any) -> None:
        """Raise SizeLimitExceeded if the vertices up to the largest id would have too many bytes of labels."""
        if self.num_vertices is None:
            largest = max((_core.largest_id(ids, "edge", self.threads) or 0 for ids in (u, v) if len(ids)), default=0)
            budget.take_labels("", largest + 1, f"all vertices up to {largest}")

    # ids --------------------------------------------------------------------------------------------------------------

    def _number_occurring(self) -> None:
        """Replace trees of vertex numbers by trees of ids in a table, where ids are far apart."""
        count, labels = self._labels()
        stars = self.ids.number_occurring(labels, count)
        self._open(self.threads)
        self._unite(stars.u, stars.v)

    # files ------------------------------------------------------------------------------------------------------------

    def unite_file(self, file: ChunkedFile) -> None:
        """Unite all chunks of a file."""
        if file.occurring:
            self.ids.see_table()
        single = len(file.readers) == 1
        largest_id = None
        if self.ids.mode is IdMode.OCCURRING and not single and file.most_edges is not None:
            # Trees that several threads insert into are not replaced: ids that are far apart are read again.
            largest_id = SPARSE_FACTOR * file.most_edges + SPARSE_FLOOR
        self._open(self.threads if single else 1, largest_id)
        if single:
            for chunk in read_ahead(file.readers[0]()):
                self._unite_chunk(file, chunk)
                if self.progress is not None:
                    self.progress(chunk.done, file.size)
        else:
            ParallelReaders(file, self._unite_chunk, self.progress).run()
        if not self._has_chunks:
            self._unite_chunk(file, Chunk(file.without_edges(), 0, 0, file.size or 0))

    def _unite_chunk(self, file: ChunkedFile, chunk: Chunk) -> None:
        self._has_chunks = True
        try:
            edges: Any = chunk.edges
            if edges.u.dtype != edges.v.dtype:
                edges = coerce(edges)
            if edges.occurring:
                self.ids.see_table()
            self._insert(edges)
            with self._lock:
                self.edges += len(edges.u)
        except SizeLimitExceeded as error:
            raise SizeLimitExceeded(error.path or file.path, error.problem) from None
        except InputError as error:
            raise type(error)(f"{file.path}: {_in_chunk(str(error), chunk.number, chunk.first)}") from None
        except MemoryError as error:
            raise _with_text(error, f"{file.path}: chunk {chunk.number}: {error}") from None


def _far() -> str:
    """What a message says behind an id that is far beyond the number of edges."""
    return (
        f": far more than there are edges. If its ids have no gaps, {spelled(ids='dense')} or {option('num_vertices')} "
        f"says so; {spelled(ids='sparse')} numbers the ids that occur"
    )


def _memory_for(error: MemoryError, pairs: EdgeList) -> MemoryError | InputError:
    """The error with a hint, where the largest id is at fault; InputError for an id beyond any memory."""
    hint = f"{spelled(ids='sparse')} numbers the ids that occur"
    if isinstance(error, OutOfDeviceMemory):
        return OutOfDeviceMemory(f"{error}; {hint}") if "all vertices up to" in str(error) else error
    largest, place = largest_vertex(on_host(pairs.u), on_host(pairs.v))
    if largest >= MOST_VERTICES:
        far = f"edge {place}: vertex {largest} is beyond any memory"
        return InputError(f"{far}; {spelled(ids='sparse')} takes ids with gaps")
    return MemoryError(f"no memory for all vertices up to {largest}; {hint}")


def _with_text(error: MemoryError, text: str) -> MemoryError:
    """The same lack of memory, of the device or not, with another message."""
    return (OutOfDeviceMemory if isinstance(error, OutOfDeviceMemory) else MemoryError)(text)


def _in_chunk(problem: str, chunk: int, first: int) -> str:
    """A problem with the chunk it is in; edges of a part of a chunk are counted from the start of that."""
    match = _EDGE.fullmatch(problem)
    if match is None:
        return f"chunk {chunk}: {problem}"
    return f"chunk {chunk}, edge {first + int(match[1])}{match[2]}"
