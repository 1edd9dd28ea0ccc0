"""The trees of a stream of edges over several processors: each has its own, and they are merged before a question."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

import numpy as np

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.device import cuda, graphs
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import Trees
from landbridge.engine.parts.device_trees import MergingTrees
from landbridge.engine.parts.links import Link, insert_parents
from landbridge.engine.parts.processors import OneGpu, Processor, beside, holds, moved, naming, on_host
from landbridge.engine.parts.routes import link_between
from landbridge.engine.parts.together import LEAST_EDGES, Batch, Piece, Pieces, together
from landbridge.errors import DeviceError, InputError, TimeLimitExceeded
from landbridge.plan import Plan
from landbridge.result import Share

_NO_IDS = np.empty(0, dtype=np.int64)
_EDGE = re.compile(r"edge (\d+)(.*)", re.DOTALL)


@dataclass
class Part:
    """A processor with its trees. behind: whether they hold links that the first trees lack."""

    processor: Processor
    trees: Trees
    behind: bool = False
    edges: int = 0
    moved: int = 0
    link: str = ""
    spans: list[tuple[float, float]] = field(default_factory=list)

    def share(self) -> Share:
        """What the processor has done so far."""
        seconds = sum(end - begin for begin, end in self.spans)
        spans = tuple(self.spans)
        return Share(self.processor.name, self.edges, len(spans), seconds, self.link, self.moved, spans)


class PartsTrees:
    """Trees (`landbridge.engine.base.Trees`) over several processors.

    A large batch is cut into pieces, which the processors take from one queue, each into its own trees. A question
    first merges all trees into those of the first processor. Calls take turns, so each is one operation; within a batch
    inserts come before queries.

    A batch is refused before anything changes, unless `bulk`. A processor that has no memory for a piece leaves it to
    the others. One that fails has lost its trees: the call, and every later one, raises DeviceError with its name.

    spread: whether every processor has trees; if not, only the first one has, and others bring links (`take_links`).
    piece: edges of a piece, by default as their number suggests. link: the link between two processors.
    """

    mixed = False

    def __init__(
        self,
        processors: Sequence[Processor],
        plan: Plan,
        num_vertices: int,
        keep_forest: bool,
        threads: int,
        *,
        bulk: bool = False,
        spread: bool = True,
        piece: int | None = None,
        link: Callable[[Processor, Processor], Link] = link_between,
    ) -> None:
        self.keeps_forest, self._bulk, self._threads, self._piece = keep_forest, bulk, threads, piece
        self._link, self._lock = link, threading.RLock()
        self._began = time.perf_counter()
        self._position = 0
        self._limit: int | None = None
        self._spread = spread
        self._failure = ""
        self._collected: list[Batch] | None = None
        self._number = 0
        self.seconds: dict[str, float] = {}
        # The trees of the first one answer: those of a device, which unites links many times faster, if there is one.
        first = next((p for p in processors if not p.engine.on_host), processors[0])
        opened: dict[int, Trees] = {}

        def open_part(place: int, processor: Processor) -> None:
            with naming(processor, "making trees"), processor.selected():
                opened[place] = processor.trees(processor.plan(plan), num_vertices, keep_forest, bulk=bulk)

        places = [place for place, processor in enumerate(processors) if spread or processor is first]
        together([partial(open_part, place, processors[place]) for place in places])
        main = opened[list(processors).index(first)]
        self.parts = [Part(p, opened.get(i, main)) for i, p in enumerate(processors)]
        self._first = next(part for part in self.parts if part.processor is first)
        self._rest = [part for part in self.parts if part is not self._first]
        self._time("open", self._began)

    # properties -------------------------------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """One more than the largest vertex so far."""
        return max(part.trees.vertices for part in self.parts)

    @property
    def position(self) -> int:
        """How many operations have been run."""
        return self._position

    @property
    def reads_device(self) -> bool:
        """Whether arrays in device memory are read in place."""
        return self._first.trees.reads_device

    @property
    def count(self) -> int:
        """The number of components."""
        with self._lock:
            self._merge()
            return self._first.trees.count

    def shares(self) -> tuple[Share, ...]:
        """What each processor has done so far, in the order in which they were given."""
        return tuple(part.share() for part in self.parts)

    # operations -------------------------------------------------------------------------------------------------------

    def prepare(self, u: Any, v: Any, is_query: Any, vertices: int) -> None:
        """See `Trees`, as for all methods here."""
        with self._lock:
            self._refuse_after_failure()
            largest = vertices
            if is_query is None and is_device_array(u):
                with beside(u):
                    largest = max(vertices, graphs.check_ids((u, v), None, "edge"))
                with naming(self._first.processor, "making room"):
                    self._first.trees.prepare(_NO_IDS, _NO_IDS, None, largest)
            else:
                with naming(self._first.processor, "making room"):
                    self._first.trees.prepare(u, v, is_query, vertices)
                with beside(u):
                    kinds = slice(None) if is_query is None else ~_as_bool(is_query)
                    ids = [x[kinds] for x in (u, v)]
                    largest = max(vertices, *(int(x.max()) + 1 if len(x) else 0 for x in ids))
            for part in self._rest if len(u) > LEAST_EDGES or vertices else ():
                with naming(part.processor, "making room"):
                    part.trees.prepare(_NO_IDS, _NO_IDS, None, largest)

    def refuse_from(self, n: int) -> None:
        """From now on `insert` refuses vertices not below n."""
        self._limit = n
        for part in self.parts:
            part.trees.refuse_from(n)

    def insert(self, u: Any, v: Any) -> None:
        """Unite u[i] with v[i]."""
        with self._lock:
            if not self._bulk:
                self._refuse_beyond(u, v)
                self.prepare(u, v, None, 0)
            self._refuse_after_failure()
            batch = self._batch(u, v, None)
            if self._collected is not None and batch.ready is not None:
                self._collected.append(batch)
            else:
                self._deal([batch])
            self._number += 1
            self._position += len(u)

    @contextlib.contextmanager
    def collecting(self) -> Iterator[None]:
        """Arrays on GPUs that are inserted within it are united at its end, side by side. They must not change before.

        An error of the input says which call it is about, counted from 0, as its attribute `batch`.
        """
        self._collected, self._number = [], 0
        try:
            yield
            with self._lock:
                self._deal_collected()
        finally:
            self._collected = None

    def _deal_collected(self) -> None:
        batches, self._collected = self._collected, None
        if batches:
            self._deal(batches)

    def insert_one(self, u: int, v: int) -> None:
        """Unite two vertices."""
        self.insert(np.array([u]), np.array([v]))

    def insert_at(self, u: Any, v: Any, at: Any, advance: int, vertices: int) -> None:
        """Edges of another stream; edge i was its operation at[i]."""
        with self._lock:
            self._refuse_after_failure()
            at = np.arange(len(u)) if at is None else at
            with naming(self._first.processor, "inserting edges"):
                self._first.trees.insert_at(u, v, at + self._position if self.keeps_forest else None, 0, vertices)
            self._position += advance

    def apply(self, u: Any, v: Any, is_query: Any, inserts_first: bool) -> Any:
        """Run operations: the inserts, then the queries; packed answers."""
        del inserts_first
        with self._lock:
            self.prepare(u, v, is_query, 0)
            with beside(u):
                queries = _as_bool(is_query)
                edges = ~queries
                a, b = u[edges], v[edges]
                query_u, query_v = u[queries], v[queries]
            at = (self._position + np.flatnonzero(on_host(edges))).astype(np.int64) if self.keeps_forest else None
            self._deal([self._batch(a, b, at)])
            self._position += len(u)
            replies = self.connected(query_u, query_v)
            with beside(u):
                answers = queries.copy()
                answers[queries] = moved(replies, int(u.device.id)) if is_device_array(replies) else replies
                return _packed(answers)

    def connected(self, u: Any, v: Any) -> Any:
        """Shape (len(u),), bool."""
        with self._lock:
            self._merge()
            first = self._first.processor
            own = [moved(x, first.ordinal) for x in (u, v)] if isinstance(first, OneGpu) else [u, v]
            return self._first.trees.connected(*own)

    def connected_one(self, u: int, v: int) -> bool:
        """Whether two vertices are connected."""
        with self._lock:
            self._merge()
            return self._first.trees.connected_one(u, v)

    # moments ----------------------------------------------------------------------------------------------------------

    def labels(self, threads: int, *, spent: bool = False, to_host: bool = False) -> tuple[int, Any]:
        """(count, labels) of a moment between batches."""
        with self._lock:
            self._merge()
            began = time.perf_counter()
            with naming(self._first.processor, "numbering components"):
                result = self._first.trees.labels(threads, spent=spent, to_host=to_host)
            self._time("number", began)
            return result

    def snapshot(self, with_forest: bool) -> tuple[int, Any, Any]:
        """(position, representatives, (u, v, positions) or None), in host memory."""
        with self._lock:
            self._merge()
            began = time.perf_counter()
            with naming(self._first.processor, "reading the trees"):
                _, roots, forest = self._first.trees.snapshot(with_forest)
            self._time("number", began)
            return self._position, roots, forest

    def forest(self, *, in_place: bool) -> tuple[Any, Any, Any]:
        """The edges of a forest (u, v, positions), in the order of the input, in host memory. in_place: where the first
        trees are, if that is a GPU."""
        trees = self._first.trees
        if not in_place or not isinstance(trees, MergingTrees):
            _, roots, (u, v, at) = self.snapshot(True)
            order = np.argsort(at)
            u, v = (x[order].astype(roots.dtype, copy=False) for x in (u, v))
            return u, v, at[order]
        with self._lock:
            self._merge()
            began = time.perf_counter()
            with naming(self._first.processor, "reading the forest"):
                edges = trees.sorted_forest()
            self._time("number", began)
            return edges

    def close(self) -> None:
        """Wait until no array of a caller is read any more, and give buffers back."""
        for part in self.parts:
            part.trees.close()

    # dealing ----------------------------------------------------------------------------------------------------------

    def _batch(self, u: Any, v: Any, at: Any) -> Batch:
        """A batch, with the processor that holds it and the event behind which it may be read."""
        if not is_device_array(u):
            return Batch(u, v, self._position, at, number=self._number)
        ordinal = int(u.device.id)
        home = next((i for i, part in enumerate(self.parts) if holds(part.processor, ordinal)), None)
        with u.device:
            ready = cuda.cupy().cuda.get_current_stream().record()
        return Batch(u, v, self._position, at, home, ready, self._number)

    def _deal(self, batches: Sequence[Batch]) -> None:
        """Insert validated edges: a few into the first trees, many in pieces, by the processor that takes each."""
        began = time.perf_counter()
        edges = sum(len(batch.u) for batch in batches)
        if edges <= LEAST_EDGES and self._piece is None:
            for batch in batches:
                self._insert_piece(self._first, Piece(batch, 0, len(batch.u)), fed=False)
            self._time("link", began)
            return
        resident = any(batch.ready is not None for batch in batches)
        able = self._takers(resident)
        pieces = Pieces(batches, len(able), self._piece, resident=resident)
        for place in able:
            if isinstance(trees := self.parts[place].trees, MergingTrees):
                trees.expect(edges // len(able))
        lacking: list[MemoryError] = []

        firsts = {place: pieces.take(place) for place in able}  # each takes one, however late its thread begins

        def work(place: int) -> None:
            part = self.parts[place]
            while (piece := firsts.pop(place, None) or pieces.take(place)) is not None:
                if self._bulk:
                    _core.check_time()
                try:
                    self._insert_piece(part, piece)
                except MemoryError as error:
                    lacking.append(error)
                    able.remove(place)
                    pieces.put(piece)
                    break
            with naming(part.processor, "inserting edges"):
                part.trees.close()

        try:
            while (firsts or len(pieces)) and able:
                self._all_together([partial(work, place) for place in able], pieces.stop)
        except (KeyboardInterrupt, TimeLimitExceeded):
            if not self._bulk:
                self._failure = "a batch was interrupted when some of its edges were in the trees"
            raise
        if len(pieces):
            self._failure = f"no processor had memory for the last edges: {lacking[-1]}"
            raise lacking[-1]
        self._time("link", began)

    def _takers(self, resident: bool) -> list[int]:
        """The places of the processors that take pieces: all, but GPUs alone, if there are any, of edges on a GPU."""
        gpus = [i for i, part in enumerate(self.parts) if not part.processor.engine.on_host]
        return gpus if resident and gpus else list(range(len(self.parts)))

    def _insert_piece(self, part: Part, piece: Piece, *, fed: bool = True) -> None:
        """Insert a piece into the trees of a processor. fed: arrays on a GPU do not change before it is closed."""
        since, batch, trees = time.perf_counter(), piece.batch, part.trees
        u, v = piece.edges
        part.behind = part is not self._first
        try:
            with naming(part.processor, "inserting edges"), part.processor.selected():
                if fed and batch.ready is not None and batch.at is None and isinstance(trees, MergingTrees):
                    trees.feed(u, v, batch.first + piece.begin, batch.ready)
                else:
                    if batch.ready is not None:
                        with beside(u):
                            cuda.cupy().cuda.get_current_stream().wait_event(batch.ready)
                    if isinstance(part.processor, OneGpu):
                        u, v = (moved(x, part.processor.ordinal) for x in (u, v))
                    self._insert_arrays(part, piece, *map(part.processor.adopt, (u, v)))
                    if fed and batch.ready is not None and not part.processor.engine.on_host:
                        cuda.cupy().cuda.get_current_stream().synchronize()
        except (InputError, CoreInputError) as error:
            self._refuse(error, piece)
        part.edges += piece.end - piece.begin
        part.spans.append((since - self._began, time.perf_counter() - self._began))

    def _insert_arrays(self, part: Part, piece: Piece, u: Any, v: Any) -> None:
        batch, (begin, end) = piece.batch, (piece.begin, piece.end)
        if not self.keeps_forest:
            part.trees.insert(u, v)
        elif batch.at is None and isinstance(part.trees, MergingTrees):
            part.trees.insert_from(u, v, batch.first + begin)
        else:
            first = batch.first
            at = np.arange(first + begin, first + end) if batch.at is None else batch.at[begin:end]
            part.trees.insert_at(u, v, at, 0, 0)

    def _all_together(self, tasks: list[Callable[[], None]], stop: Callable[[], None]) -> None:
        def run(task: Callable[[], None]) -> None:
            try:
                task()
            except DeviceError as error:
                self._fail(error)
                raise

        together([partial(run, task) for task in tasks], stop)

    def _refuse(self, error: Exception, piece: Piece) -> NoReturn:
        """Raise an error of the input, with the place of the edge in its batch: a piece counts from its own beginning,
        and of host memory the first edge at fault is that of the whole batch."""
        batch = piece.batch
        if batch.ready is None:
            self._refuse_beyond(batch.u, batch.v)
        match = _EDGE.fullmatch(str(error))
        shown = type(error)(f"edge {int(match[1]) + piece.begin}{match[2]}") if match else error
        vars(shown)["batch"] = batch.number
        raise shown from None

    def _refuse_beyond(self, u: Any, v: Any) -> None:
        if self._limit is None or is_device_array(u):
            return
        for endpoints in (u, v):
            _core.check_range(endpoints, self._limit, "edge", self._threads)

    def take_answer(self, place: int, answer: Any, edges: int, since: float) -> None:
        """Unite what a processor answered for so many edges since a time: the smallest vertex of each tree, or the
        edges (u, v, positions) of a forest in host memory."""
        part, first = self.parts[place], self._first
        part.edges += edges
        part.spans.append((since - self._began, time.perf_counter() - self._began))
        with naming(part.processor, f"merging with {first.processor.name}"):
            if self._spread and isinstance(part.trees, MergingTrees) and is_device_array(answer):
                part.trees.take_roots(answer)
                part.behind = part is not first
                return
            with self._lock:
                if self.keeps_forest:
                    u, v, at = answer
                    first.trees.insert_at(u, v, at, 0, 0)
                else:
                    insert_parents(first.trees, on_host(answer))

    # merging ----------------------------------------------------------------------------------------------------------

    def _merge(self) -> None:
        """Merge all trees into the first ones: in a binary tree, the merges of a level side by side."""
        self._refuse_after_failure()
        self._deal_collected()
        left = [self._first, *(part for part in self._rest if part.behind)]
        if len(left) == 1:
            return
        began, vertices = time.perf_counter(), self.vertices
        while len(left) > 1:
            pairs = list(zip(left[::2], left[1::2], strict=False))
            together([partial(self._merge_pair, *pair, vertices) for pair in pairs])
            left = left[::2]
        for part in self._rest:
            part.behind = False
        self._time("merge", began)

    def _merge_pair(self, receiver: Part, sender: Part, vertices: int) -> None:
        link = self._link(receiver.processor, sender.processor)
        try:
            with naming(sender.processor, f"merging with {receiver.processor.name}"):
                sender.moved += link.merge(receiver.trees, sender.trees, self.keeps_forest)
                receiver.trees.insert_at(_NO_IDS, _NO_IDS, _NO_IDS if self.keeps_forest else None, 0, vertices)
        except DeviceError as error:
            self._fail(error)
            raise
        sender.link = link.kind

    # failures ---------------------------------------------------------------------------------------------------------

    def _fail(self, error: DeviceError) -> None:
        if not self._failure and not isinstance(error, MemoryError):
            self._failure = str(error)

    def _refuse_after_failure(self) -> None:
        if self._failure:
            raise DeviceError(self._failure)

    def _time(self, phase: str, began: float) -> None:
        self.seconds[phase] = self.seconds.get(phase, 0.0) + time.perf_counter() - began


def _as_bool(is_query: Any) -> Any:
    return is_query.astype(bool) if hasattr(is_query, "astype") else np.asarray(is_query, dtype=bool)


def _packed(answers: Any) -> Any:
    """Bits, the lowest of a byte first, where the answers are."""
    if isinstance(answers, np.ndarray):
        return np.packbits(answers, bitorder="little")
    return cuda.cupy().packbits(answers, bitorder="little")
