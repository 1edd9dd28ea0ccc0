"""The trees of a stream of edges over several processors: each has its own, and they are merged before a question."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda, graphs
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import Trees
from landbridge.engine.parts.device_trees import MergingTrees
from landbridge.engine.parts.distribution import Distribution, Part, with_holder
from landbridge.engine.parts.processors import OneGpu, Processor, copied_to, device_of, errors_of, on_host
from landbridge.engine.parts.routes import transport_between
from landbridge.engine.parts.transports import Transport, insert_parents
from landbridge.engine.parts.worker_threads import LEAST_EDGES, Batch, run_in_threads
from landbridge.errors import DeviceError, TimeLimitExceeded
from landbridge.plan import Plan
from landbridge.result import Share

_NO_IDS = np.empty(0, dtype=np.int64)


class PartsTrees:
    """Trees (`landbridge.engine.base.Trees`) over several processors.

    A large batch is cut into pieces, which the processors take from one queue, each into its own trees. A question
    first merges all trees into those of the first processor. Calls take turns, so each is one operation; within a batch
    inserts come before queries.

    A batch is refused before anything changes, unless `bulk`. A processor that has no memory for a piece leaves it to
    the others. One that fails has lost its trees: the call, and every later one, raises DeviceError with its name.

    trees_on_all: whether every processor has trees; if not, only the first one has, and others bring links
    (`take_links`). piece: edges of a piece, by default as their number suggests. transport: between two processors.
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
        trees_on_all: bool = True,
        piece: int | None = None,
        transport: Callable[[Processor, Processor], Transport] = transport_between,
    ) -> None:
        self.keeps_forest, self._bulk, self._threads, self._piece = keep_forest, bulk, threads, piece
        self._transport, self._lock = transport, threading.RLock()
        self._began = time.perf_counter()
        self._position = 0
        self._limit: int | None = None
        self._trees_on_all = trees_on_all
        self._all_vertices: int | None = None
        self._failure = ""
        self._collected: list[Batch] | None = None
        self._number = 0
        self.seconds: dict[str, float] = {}
        # The trees of the first one answer: those of a device, which unites links many times faster, if there is one.
        first = next((p for p in processors if not p.engine.on_host), processors[0])
        self._plan, self._num_vertices = plan, num_vertices
        self.parts = [Part(processor, partial(self._make, processor)) for processor in processors]
        self._first = next(part for part in self.parts if part.processor is first)
        self._rest = [part for part in self.parts if part is not self._first]
        # CPU threads beside a GPU have trees once they take edges of a bulk of them.
        late = bulk and not first.engine.on_host
        opened = [part for part in self.parts if trees_on_all and not (late and part.processor.engine.on_host)]
        run_in_threads([partial(getattr, part, "trees") for part in opened or [self._first]])
        if not trees_on_all:
            for part in self._rest:
                part.opened = self._first.trees
        self._time("open", self._began)

    def _make(self, processor: Processor) -> Trees:
        trees = processor.trees(processor.plan(self._plan), self._num_vertices, self.keeps_forest, bulk=self._bulk)
        if self._limit is not None:
            trees.refuse_from(self._limit)
        return trees

    # properties -------------------------------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """One more than the largest vertex so far."""
        return max(trees.vertices for trees in self._opened())

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
                with device_of(u):
                    largest = max(vertices, graphs.check_ids((u, v), None, "edge"))
                with errors_of(self._first.processor, "making room"):
                    self._first.trees.prepare(_NO_IDS, _NO_IDS, None, largest)
            else:
                with errors_of(self._first.processor, "making room"):
                    self._first.trees.prepare(u, v, is_query, vertices)
                with device_of(u):
                    kinds = slice(None) if is_query is None else ~_as_bool(is_query)
                    ids = [x[kinds] for x in (u, v)]
                    largest = max(vertices, *(int(x.max()) + 1 if len(x) else 0 for x in ids))
            for part in self._rest if len(u) > LEAST_EDGES or vertices else ():
                with errors_of(part.processor, "making room"):
                    part.trees.prepare(_NO_IDS, _NO_IDS, None, largest)

    def refuse_from(self, n: int) -> None:
        """From now on `insert` refuses vertices not below n."""
        self._limit = n
        for trees in self._opened():
            trees.refuse_from(n)

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
                self._distribute([batch])
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
                self._distribute_collected()
        finally:
            self._collected = None

    def _distribute_collected(self) -> None:
        batches, self._collected = self._collected, None
        if batches:
            self._distribute(batches)

    def insert_one(self, u: int, v: int) -> None:
        """Unite two vertices."""
        self.insert(np.array([u]), np.array([v]))

    def insert_at(self, u: Any, v: Any, at: Any, advance: int, vertices: int) -> None:
        """Edges of another stream; edge i was its operation at[i]."""
        with self._lock:
            self._refuse_after_failure()
            at = np.arange(len(u)) if at is None else at
            with errors_of(self._first.processor, "inserting edges"):
                self._first.trees.insert_at(u, v, at + self._position if self.keeps_forest else None, 0, vertices)
            self._position += advance

    def apply(self, u: Any, v: Any, is_query: Any, inserts_first: bool) -> Any:
        """Run operations: the inserts, then the queries; packed answers."""
        del inserts_first
        with self._lock:
            self.prepare(u, v, is_query, 0)
            with device_of(u):
                queries = _as_bool(is_query)
                edges = ~queries
                a, b = u[edges], v[edges]
                query_u, query_v = u[queries], v[queries]
            at = (self._position + np.flatnonzero(on_host(edges))).astype(np.int64) if self.keeps_forest else None
            self._distribute([self._batch(a, b, at)])
            self._position += len(u)
            replies = self.connected(query_u, query_v)
            with device_of(u):
                answers = queries.copy()
                answers[queries] = copied_to(replies, int(u.device.id)) if is_device_array(replies) else replies
                return _packed(answers)

    def connected(self, u: Any, v: Any) -> Any:
        """Shape (len(u),), bool."""
        with self._lock:
            self._merge()
            first = self._first.processor
            own = [copied_to(x, first.ordinal) for x in (u, v)] if isinstance(first, OneGpu) else [u, v]
            return self._first.trees.connected(*own)

    def connected_one(self, u: int, v: int) -> bool:
        """Whether two vertices are connected."""
        with self._lock:
            self._merge()
            return self._first.trees.connected_one(u, v)

    # snapshots --------------------------------------------------------------------------------------------------------

    def labels(self, threads: int, *, consume: bool = False, to_host: bool = False) -> tuple[int, Any]:
        """(count, labels) of a moment between batches."""
        with self._lock:
            self._merge()
            began = time.perf_counter()
            with errors_of(self._first.processor, "numbering components"):
                result = self._first.trees.labels(threads, consume=consume, to_host=to_host)
            self._time("number", began)
            return result

    def snapshot(self, with_forest: bool) -> tuple[int, Any, Any]:
        """(position, representatives, (u, v, positions) or None), in host memory."""
        with self._lock:
            self._merge()
            began = time.perf_counter()
            with errors_of(self._first.processor, "reading the trees"):
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
            with errors_of(self._first.processor, "reading the forest"):
                edges = trees.sorted_forest()
            self._time("number", began)
            return edges

    def close(self) -> None:
        """Wait until no array of a caller is read any more, and give buffers back."""
        for trees in self._opened():
            trees.close()

    def _opened(self) -> list[Trees]:
        return [part.opened for part in self.parts if part.opened is not None]

    # distribution -----------------------------------------------------------------------------------------------------

    def _batch(self, u: Any, v: Any, at: Any) -> Batch:
        return with_holder(Batch(u, v, self._position, at, number=self._number), self.parts)

    def _distribute(self, batches: Sequence[Batch]) -> None:
        """Insert validated edges."""
        began = time.perf_counter()
        distribution = Distribution(
            self.parts, self._first, batches, self._piece, self._bulk, self.keeps_forest, self._began,
            self._refuse_beyond, self._all_vertices,
        )  # fmt: skip
        try:
            complete = distribution.run(self._guarded)
        except (KeyboardInterrupt, TimeLimitExceeded):
            if not self._bulk:
                self._failure = "a batch was interrupted when some of its edges were in the trees"
            raise
        if not complete:
            self._failure = f"no processor had memory for the last edges: {distribution.memory_errors[-1]}"
            raise distribution.memory_errors[-1]
        self._time("link", began)

    def _guarded(self, task: Callable[[], None]) -> None:
        try:
            task()
        except DeviceError as error:
            self._fail(error)
            raise

    def stops_early(self) -> None:
        """All vertices are known, and all edges that will come are right: none is read once all are connected."""
        self._all_vertices = self.vertices

    def _refuse_beyond(self, u: Any, v: Any) -> None:
        if self._limit is None or is_device_array(u):
            return
        for endpoints in (u, v):
            _core.check_range(endpoints, self._limit, "edge", self._threads)

    def take_answer(self, place: int, answer: Any, edges: int, since: float) -> None:
        """Unite what a processor answered for so many edges since a time: the smallest vertex of each tree, or the
        edges (u, v, positions) of a forest in host memory."""
        part, first = self.parts[place], self._first
        part.record(edges, since - self._began, time.perf_counter() - self._began)
        with errors_of(part.processor, f"merging with {first.processor.name}"):
            if self._trees_on_all and isinstance(part.trees, MergingTrees) and is_device_array(answer):
                part.trees.take_roots(answer)
                part.has_unmerged_links = part is not first
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
        self._distribute_collected()
        left = [self._first, *(part for part in self._rest if part.has_unmerged_links)]
        if len(left) == 1:
            return
        began, vertices = time.perf_counter(), self.vertices
        while len(left) > 1:
            pairs = list(zip(left[::2], left[1::2], strict=False))
            run_in_threads([partial(self._merge_pair, *pair, vertices) for pair in pairs])
            left = left[::2]
        for part in self._rest:
            part.has_unmerged_links = False
        self._time("merge", began)

    def _merge_pair(self, receiver: Part, sender: Part, vertices: int) -> None:
        transport = self._transport(receiver.processor, sender.processor)
        try:
            with errors_of(sender.processor, f"merging with {receiver.processor.name}"):
                sender.moved += transport.merge(receiver.trees, sender.trees, self.keeps_forest)
                receiver.trees.insert_at(_NO_IDS, _NO_IDS, _NO_IDS if self.keeps_forest else None, 0, vertices)
        except DeviceError as error:
            self._fail(error)
            raise
        sender.link = transport.kind

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
