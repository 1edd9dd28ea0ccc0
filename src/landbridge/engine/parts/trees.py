"""The trees of a stream of edges over several processors: each has its own, and they are merged before a question."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.device import cuda
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import Trees
from landbridge.engine.parts.links import Link
from landbridge.engine.parts.processors import Processor, holds, naming
from landbridge.engine.parts.routes import link_between
from landbridge.engine.parts.together import LEAST_EDGES, MOST_EDGES, MOST_ON_DEVICE, Piece, Pieces, together
from landbridge.errors import DeviceError, InputError, TimeLimitExceeded
from landbridge.plan import Plan
from landbridge.result import Share

_NO_IDS = np.empty(0, dtype=np.int64)


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
        self._failure = ""
        self._homes: set[int] = set()  # the GPUs that batches lay on
        self.seconds: dict[str, float] = {}
        # The trees of the first one answer: those of a device, which unites links many times faster, if there is one.
        first = next((p for p in processors if not p.engine.on_host), processors[0])
        opened: dict[int, Trees] = {}

        def open_part(place: int, processor: Processor) -> None:
            with naming(processor, "making trees"):
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
            with naming(self._first.processor, "making room"):
                self._first.trees.prepare(u, v, is_query, vertices)
            largest = vertices
            if len(u):
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
            self._deal(u, v, np.arange(self._position, self._position + len(u)) if self.keeps_forest else None)
            self._position += len(u)

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
            queries = _as_bool(is_query)
            edges = ~queries
            at = (self._position + np.flatnonzero(_on_host(edges))).astype(np.int64) if self.keeps_forest else None
            self._deal(u[edges], v[edges], at)
            self._position += len(u)
            answers = queries.copy()
            answers[queries] = self.connected(u[queries], v[queries])
            return _packed(answers)

    def connected(self, u: Any, v: Any) -> Any:
        """Shape (len(u),), bool."""
        with self._lock:
            self._merge()
            return self._first.trees.connected(u, v)

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

    def close(self) -> None:
        """Wait until no array of a caller is read any more, and give buffers back."""
        for part in self.parts:
            part.trees.close()

    # dealing ----------------------------------------------------------------------------------------------------------

    def _deal(self, u: Any, v: Any, at: Any) -> None:
        """Insert validated edges: a few into the first trees, many in pieces, by the processor that takes each."""
        began = time.perf_counter()
        if len(u) <= LEAST_EDGES and self._piece is None:
            self._insert_piece(self._first, (u, v, at), Piece(0, len(u)))
            self._time("link", began)
            return
        able = self._takers(u)
        most = MOST_ON_DEVICE if is_device_array(u) else MOST_EDGES
        pieces = Pieces(len(u), len(able), self._piece, most)
        lacking: list[MemoryError] = []

        firsts = {id(part): pieces.take() for part in able}  # each takes one, however late its thread begins

        def work(part: Part) -> None:
            while (piece := firsts.pop(id(part), None) or pieces.take()) is not None:
                if self._bulk:
                    _core.check_time()
                try:
                    self._insert_piece(part, (u, v, at), piece)
                except MemoryError as error:
                    lacking.append(error)
                    able.remove(part)
                    pieces.put(piece)
                    break
            part.trees.close()

        try:
            while (firsts or len(pieces)) and able:
                self._all_together(work, list(able), pieces.stop, u, v)
        except (KeyboardInterrupt, TimeLimitExceeded):
            if not self._bulk:
                self._failure = "a batch was interrupted when some of its edges were in the trees"
            raise
        if len(pieces):
            self._failure = f"no processor had memory for the last edges: {lacking[-1]}"
            raise lacking[-1]
        self._time("link", began)

    def _takers(self, u: Any) -> list[Part]:
        """The processors that take pieces of a batch: all of them; once batches lay on several GPUs, the one that holds
        this one, where there is such a processor."""
        if is_device_array(u):
            self._homes.add(int(u.device.id))
            home = [part for part in self.parts if holds(part.processor, int(u.device.id))]
            if len(self._homes) > 1 and home:
                return home
        return list(self.parts)

    def _insert_piece(self, part: Part, edges: tuple[Any, Any, Any], piece: Piece) -> None:
        (u, v, at), (begin, end) = edges, piece
        since = time.perf_counter()
        adopt = part.processor.adopt
        with naming(part.processor, "inserting edges"):
            a, b = adopt(u[begin:end]), adopt(v[begin:end])
            part.behind = part is not self._first
            if at is None:
                part.trees.insert(a, b)
            else:
                part.trees.insert_at(a, b, at[begin:end], 0, 0)
        part.edges += end - begin
        part.spans.append((since - self._began, time.perf_counter() - self._began))

    def _all_together(
        self, work: Callable[[Part], None], parts: list[Part], stop: Callable[[], None], u: Any, v: Any
    ) -> None:
        def run(part: Part) -> None:
            try:
                work(part)
            except DeviceError as error:
                self._fail(error)
                raise

        try:
            together([partial(run, part) for part in parts], stop)
        except (InputError, CoreInputError):
            # A piece counts its edges from its own beginning: the whole batch says which edge it is.
            self._refuse_beyond(u, v)
            raise

    def _refuse_beyond(self, u: Any, v: Any) -> None:
        if self._limit is None or is_device_array(u):
            return
        for endpoints in (u, v):
            _core.check_range(endpoints, self._limit, "edge", self._threads)

    def take_links(self, place: int, links: tuple[Any, Any, Any], edges: int, since: float) -> None:
        """Insert what a processor answered for so many edges since a time, as links (u, v, positions or None)."""
        part, (u, v, at) = self.parts[place], links
        part.edges += edges
        part.spans.append((since - self._began, time.perf_counter() - self._began))
        with naming(part.processor, f"merging with {self._first.processor.name}"), self._lock:
            self._first.trees.insert_at(u, v, at if self.keeps_forest else None, 0, 0)

    # merging ----------------------------------------------------------------------------------------------------------

    def _merge(self) -> None:
        """Merge all trees into the first ones: in a binary tree, the merges of a level side by side."""
        self._refuse_after_failure()
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


def _on_host(array: Any) -> Any:
    return array.get() if is_device_array(array) else array


def _packed(answers: Any) -> Any:
    """Bits, the lowest of a byte first, where the answers are."""
    if isinstance(answers, np.ndarray):
        return np.packbits(answers, bitorder="little")
    return cuda.cupy().packbits(answers, bitorder="little")
