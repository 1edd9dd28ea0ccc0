"""Components of edges that come in chunks, in the memory of a chunk or two and 8 bytes a vertex (16 from 2^31 on).

The trees of an incremental run are a complete summary of all edges so far, so a chunk is united and forgotten.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.chunks import Chunk, ChunkedFile, open_chunks
from landbridge.edges.coerce import coerce
from landbridge.edges.formats.source import Progress, read_ahead
from landbridge.edges.forms import SPARSE_FACTOR, SPARSE_FLOOR, EdgeList
from landbridge.edges.on_device import is_device_array
from landbridge.errors import InputError
from landbridge.graph import Graph, check_count, load
from landbridge.incremental import stream_plan
from landbridge.plan import Plan, parse
from landbridge.result import Components, LabelArray, Profile

AUTO = "async(inter)"
"""The plan meant by "auto": of those that stream, the one that did least work on batches from a cache."""

_SPARSE = (
    ": far more than there are edges. If its ids have no gaps, ids='dense' or num_vertices says so; a file that is "
    "read whole numbers the ids that occur, ids='sparse'"
)
_EDGE = re.compile(r"edge (\d+)(.*)", re.DOTALL)


def components_of_chunks(
    chunks: Any,
    *,
    plan: Plan | None,
    device: str,
    num_vertices: int | None,
    threads: int,
    ids: str | None,
    columns: Sequence[str | int] | None,
    format: str | None,
    chunk_size: int | None,
    progress: Progress | None,
) -> tuple[Components, int]:
    """See `landbridge.components`, whose arguments these are; and how many edges there were."""
    if ids not in (None, "dense", "auto"):
        raise InputError(f"ids={ids!r} needs all edges at once; in chunks ids are vertex numbers")
    began = time.perf_counter()
    chosen = stream_plan(plan or parse(AUTO), device)
    run = _Run(chosen, check_count(num_vertices), threads, progress)
    if isinstance(chunks, str | os.PathLike):
        run.file(open_chunks(chunks, format=format, columns=columns, chunk_size=chunk_size, threads=threads), ids)
    else:
        if chunk_size is not None:
            raise InputError("chunk_size is for files; an iterable says itself what a chunk is")
        if isinstance(chunks, dict) or not isinstance(chunks, Iterable):
            raise InputError(f"chunks must be an iterable of batches of edges or a path, not {type(chunks).__name__}")
        run.batches(iter(chunks), format, columns)
    read = time.perf_counter()
    count, labels = run.labels()
    done = time.perf_counter()
    seconds = {"link": read - began, "number": done - read}
    return Components(count, labels, str(chosen), "cpu", Profile(seconds, done - began, threads, 0.0)), run.edges


class _Run:
    """Trees, and what has been put into them."""

    def __init__(self, plan: Plan, num_vertices: int | None, threads: int, progress: Progress | None) -> None:
        self.plan, self.num_vertices, self.threads, self.progress = plan, num_vertices, threads, progress
        self._trees: Any = None
        self._lock = threading.Lock()
        self.edges = 0

    def _start(self, threads: int, most_id: int | None = None) -> None:
        finish = self.plan.finish
        options = dict(self.plan.engine.options) if self.plan.engine is not None else {}
        widths = {"narrow_most": 0} if options.get("ids") == "wide" else {}
        n = self.num_vertices or 0
        self._trees = _core.IncrementalTrees(finish.link, finish.find, finish.splice, n, threads, False, **widths)
        if self.num_vertices is not None:
            self._trees.refuse_from(self.num_vertices)
        elif most_id is not None:
            self._trees.refuse_from(most_id + 1)

    def labels(self) -> tuple[int, LabelArray]:
        """The number of components, and the labels of all vertices so far."""
        count, labels = self._trees.labels(self.threads)
        return count, labels

    # iterables ----------------------------------------------------------------------------------------------------

    def batches(self, batches: Iterator[Any], format: str | None, columns: Sequence[str | int] | None) -> None:
        self._start(self.threads)
        for number, batch in enumerate(batches):
            try:
                pairs = self._pairs(batch, format, columns)
                self._insert(pairs)
            except InputError as error:
                raise InputError(_placed(str(error), number, 0)) from None
            self.edges += len(pairs.u)
            if self.progress is not None:
                self.progress(self.edges, None)

    def _pairs(self, batch: Any, format: str | None, columns: Sequence[str | int] | None) -> EdgeList:
        path = isinstance(batch, str | os.PathLike)
        options: dict[str, Any] = {"format": format, "columns": columns, "ids": "dense"} if path else {}
        graph = batch if isinstance(batch, Graph) else None
        if graph is None:
            edges = load(batch, threads=self.threads, **options)
            if edges.ids is not None:
                raise InputError("vertices have names; in chunks ids are vertex numbers")
            if isinstance(edges, EdgeList) and not is_device_array(edges.u):
                return edges
            graph = Graph.from_edges(edges, threads=self.threads)
        if graph.ids is not None:
            raise InputError("vertices have names; in chunks ids are vertex numbers")
        pairs = graph.to_host().to_pairs()
        assert pairs.b is not None
        return EdgeList(pairs.a, pairs.b, num_vertices=graph.num_vertices)

    def _insert(self, pairs: EdgeList) -> None:
        try:
            if len(pairs.u) != len(pairs.v):
                raise InputError(f"u has {len(pairs.u)} ids and v has {len(pairs.v)}; edge i needs both")
            if self.num_vertices is not None and (pairs.num_vertices or 0) > self.num_vertices:
                raise InputError(f"it has {pairs.num_vertices} vertices, there are {self.num_vertices}")
            self._trees.insert(pairs.u, pairs.v)
            if pairs.num_vertices:
                self._trees.insert_one(pairs.num_vertices - 1, pairs.num_vertices - 1)
        except CoreInputError as error:
            hint = "" if self.num_vertices is not None or "out of range" not in str(error) else _SPARSE
            raise InputError(str(error) + hint) from None

    # files --------------------------------------------------------------------------------------------------------

    def file(self, file: ChunkedFile, ids: str | None) -> None:
        most = None
        if ids != "dense" and file.most_edges is not None:
            most = SPARSE_FACTOR * file.most_edges + SPARSE_FLOOR
        alone = len(file.readers) == 1
        self._start(self.threads if alone else 1, most)
        if alone:
            for chunk in read_ahead(file.readers[0]()):
                self._take(file, chunk)
                if self.progress is not None:
                    self.progress(chunk.done, file.size)
            return
        self._side_by_side(file)

    def _take(self, file: ChunkedFile, chunk: Chunk) -> None:
        try:
            edges = coerce(chunk.edges)
            assert isinstance(edges, EdgeList)
            self._insert(edges)
            with self._lock:
                self.edges += len(edges.u)
        except InputError as error:
            raise InputError(f"{file.path}: {_placed(str(error), chunk.number, chunk.first)}") from None

    def _side_by_side(self, file: ChunkedFile) -> None:
        """Every reader in a thread of its own, which unites what it has read while it is in its cache."""
        problems: list[tuple[tuple[int, int], BaseException]] = []
        behind = [0] * len(file.readers)
        gone = threading.Event()

        def work(which: int, read: Callable[[], Iterator[Chunk]]) -> None:
            at = (0, 0)
            try:
                for chunk in read():
                    at = (chunk.number, chunk.first)
                    with self._lock:
                        # The first problem of the file is told, whoever meets another one before.
                        if gone.is_set() or any(place < at for place, _ in problems):
                            return
                    self._take(file, chunk)
                    behind[which] = chunk.done
                    if self.progress is not None:
                        with self._lock:
                            self.progress(sum(behind), file.size)
            except BaseException as error:  # handed to the caller, whatever it is
                with self._lock:
                    problems.append((at, error))

        workers = [
            threading.Thread(target=work, args=pair, name="landbridge-chunks", daemon=True)
            for pair in enumerate(file.readers)
        ]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                worker.join()
        finally:
            gone.set()
        if problems:
            raise min(problems, key=lambda p: p[0])[1]


def _placed(problem: str, chunk: int, first: int) -> str:
    """A problem with the chunk it is in; edges of a part of a chunk are counted from the start of that."""
    match = _EDGE.fullmatch(problem)
    if match is None:
        return f"chunk {chunk}: {problem}"
    return f"chunk {chunk}, edge {first + int(match[1])}{match[2]}"
