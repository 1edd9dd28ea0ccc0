"""Streams on one GPU: the calls that insert edges and ask, over the trees of `stream_state`."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge.device import cuda, graphs, layout
from landbridge.device.host_to_device import HostToDevice
from landbridge.device.layout import Struct
from landbridge.device.pinned import PinnedWords
from landbridge.engine.gpu.cut_edges import NO_TREE
from landbridge.engine.gpu.plan_device import on_device
from landbridge.engine.gpu.small_batches import MOST, SmallBatches
from landbridge.engine.gpu.stream_batches import BatchSteps
from landbridge.engine.gpu.stream_checks import limit_of
from landbridge.engine.gpu.stream_launches import OPERATIONS, STREAM, TREE, edge_arrays, inserts_of
from landbridge.engine.gpu.stream_schedule import BatchFacts, Marking, StreamSchedule, rule_of_stream
from landbridge.engine.gpu.stream_state import TreeState
from landbridge.plan import Plan

_LONG_WALK = layout.constant("long_walk")
Array = Any


class DeviceTrees(TreeState):
    """The trees of a stream (`landbridge.engine.base.Trees`) on the current GPU, for arrays in host or device memory.

    Arrays on the GPU are read there and answered there; arrays in host memory are copied. Work is queued on CuPy's
    current CUDA stream, behind that of any other CUDA stream; calls of several threads take turns.

    A call that raises InputError or OutOfDeviceMemory has changed no component, position or number of vertices: all
    memory it needs is allocated, and then the vertices are counted, before any edge is read; or the trees begin again
    as singletons, where there were no edges before. Cells may have been made for vertices that have not turned up, and
    wider ones.

    bulk: arrays in host memory cross the interconnect in pieces, and pieces before one that is refused are inserted.
    """

    reads_device = True
    _inserts_edges = True  # one by one, under a rule
    _checks_meanwhile = True  # the ids of the first edges, while these are inserted; such a call waits for the device

    def __init__(
        self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int = 1, *, bulk: bool = False
    ) -> None:
        super().__init__(plan, rule_of_stream(plan), num_vertices, keep_forest, bulk=bulk)
        self._finish, self.mixed = plan.finish, plan.finish.mixed
        self._schedule = StreamSchedule.of(plan, self._rule.ranked)
        self._seed = plan.option("seed", 1)
        self._limit: int | None = None
        self._marking = Marking(self._schedule, self._device.cache)
        self._queries = 0  # how often queries were run
        self.hooked = ""  # how the last batch was
        self._small: list[SmallBatches] = []  # those that no call uses
        self._next_tree: Any = None  # the control block of a tree that is marked next
        self._words = PinnedWords(STREAM["end"])
        with on_device(self._device, "starting a stream"):
            self._pipeline = HostToDevice(self._insert_piece, threads) if bulk else None

    # operations -------------------------------------------------------------------------------------------------------

    def prepare(self, u: Array, v: Array, is_query: Array | None, vertices: int) -> None:
        """See `Trees`, as for all methods here."""
        with self._lock, self._turn("making room"):
            a, b, _ = self._endpoints(u, v)
            kinds = None if is_query is None else cuda.cupy().asarray(is_query)
            facts = self._check(a, b, kinds, "edge" if kinds is None else "operation")
            self._make_room(max(facts.vertices, vertices))

    def refuse_from(self, n: int) -> None:
        """From now on `insert` refuses vertices not below n."""
        self._limit = n
        if self._pipeline is not None:
            self._pipeline.limit = n

    def insert(self, u: Array, v: Array) -> None:
        """Unite u[i] with v[i]."""
        on_host = isinstance(u, np.ndarray)
        if not on_host and self._insert_small(u, v):
            return
        if self._pipeline is not None and on_host:
            with self._lock, on_device(self._device, "inserting edges"):
                self._pipeline.send(u, v)
            return
        with self._lock, self._turn("inserting edges"):
            a, b, _ = self._endpoints(u, v)
            if self._limit is not None:
                graphs.check_ids((a, b), self._limit, "edge")
            edges = edge_arrays(a, b)
            if not self._insert_unchecked(a, b, edges):
                facts = self._check(a, b, None, "edge", near=self._counts_near(len(a)), edges=edges)
                self._insert(a, b, None, facts.vertices, facts, edges=edges)
            self._position += len(a)

    def _insert_small(self, u: Array, v: Array) -> bool:
        """Insert a small batch on the GPU. False if that takes more, or if an id is at fault."""
        m = len(u)
        fits = 0 < m <= MOST and self._limit is None and u.dtype == v.dtype and self._inserts_edges
        if not fits or not u.data.device_id == v.data.device_id == self._device.ordinal:
            return False
        try:
            with self._lock, self._device.selected():
                here = cuda.cupy().cuda.get_current_stream()
                capturing = here.is_capturing()
                if self._must_settle(m) and not capturing:
                    self._make_places(m)
                more = self._marking.may_hook(m, self._trees.vertices) or self._must_settle(m) or self._marks_now(m)
                if more or capturing:
                    return False
                self._wait_for_turns(here)
                return self._insert_in_one_launch(u, v, here)
        except Exception:
            with cuda.errors("inserting edges"):
                raise

    def _insert_in_one_launch(self, u: Array, v: Array, here: Any) -> bool:
        """The same of a batch that one launch inserts. A handler of a signal may insert into this stream meanwhile: the
        batch has a launch and an answer of its own, and its places in the stream before anything is called.
        """
        m, trees, may_wait = len(u), self._trees, len(u) if self._rule.cuts_off else 0
        first, counted, waited = self._position, self._counted, self._waiting
        self._position, self._counted, self._waiting = first + m, counted + 1, waited + may_wait
        self._untouched = inserted = False
        try:
            if self._must_settle(0):
                return False
            small = self._small.pop() if self._small else SmallBatches(self._device, self._rule, self._control)
            try:
                vertices, inserted, waiting = small.insert(trees, u, v, first, self._largest)
            finally:
                self._small.append(small)
                self._end_turn(here)
            if inserted:
                self._count_vertices(vertices)
                if self._counted == counted + 1:
                    self._waiting = min(waited, waiting) + may_wait
                self.hooked = ""
                self._marking.inserted += m
            # Cells that were replaced meanwhile may have been copied before the launch: the edges are inserted again.
            inserted = inserted and self._trees is trees
            return inserted
        finally:
            if not inserted and self._position == first + m:
                self._position = first

    def check(self, u: Array, v: Array) -> BatchFacts:
        """The facts of a batch on the GPU, for `insert_checked`. Raises InputError for the first negative id."""
        with self._lock, self._turn("looking at edges"):
            return self._check(u, v, None, "edge", near=self._counts_near(len(u)))

    def insert_checked(self, u: Array, v: Array, facts: BatchFacts) -> None:
        """Insert edges on the GPU that `check` has accepted. Nothing is read back: the call returns with the work
        queued."""
        with self._lock, self._turn("inserting edges"):
            self._insert(u, v, None, facts.vertices, facts)
            self._position += len(u)

    def _insert_piece(self, u: Array, v: Array, largest: int) -> None:
        self.insert_checked(u, v, BatchFacts(largest + 1))

    def insert_one(self, u: int, v: int) -> None:
        """Unite two vertices."""
        self.insert(np.array([u]), np.array([v]))

    def insert_at(self, u: Array, v: Array, at: Array | None, advance: int, vertices: int) -> None:
        """Edges of another stream; edge i was its operation at[i]."""
        with self._lock, self._turn("inserting edges"):
            a, b, _ = self._endpoints(u, v)
            facts = self._check(a, b, None, "edge")
            places = None if at is None else cuda.cupy().asarray(at).astype(np.uint64)
            self._insert(a, b, places, max(facts.vertices, vertices))
            self._position += advance

    def apply(self, u: Array, v: Array, is_query: Array, inserts_first: bool) -> Array:
        """Run operations; packed answers."""
        with self._lock, self._turn("running operations"):
            cupy = cuda.cupy()
            a, b, resident = self._endpoints(u, v)
            kinds = cupy.asarray(is_query)
            vertices = self._check(a, b, kinds, "operation").vertices
            bits = cupy.empty(layout.words_of(len(a)), dtype=np.uint32)
            self._make_room(vertices)
            if self.mixed and not inserts_first:
                self._run_operations(a, b, kinds, bits, inserts=True, queries=True, vertices=vertices)
            else:
                self._run_operations(a, b, kinds, bits, inserts=True, queries=False, vertices=vertices)
                self._run_operations(a, b, kinds, bits, inserts=False, queries=True)
            self._position += len(a)
            packed = bits.view(np.uint8)[: (len(a) + 7) // 8]
            return packed if resident else packed.get()

    def connected(self, u: Array, v: Array) -> Array:
        """Shape (len(u),), bool."""
        with self._lock, self._turn("asking"):
            cupy = cuda.cupy()
            a, b, resident = self._endpoints(u, v)
            self._check(a, b, None, "query")
            bits = cupy.empty(layout.words_of(len(a)), dtype=np.uint32)
            answers = cupy.empty(len(a), dtype=bool)
            self._run_operations(a, b, None, bits, inserts=False, queries=True)
            if len(a):
                launches = self._launches()
                launches.spread(bits, answers)
                self._execute(launches)
            return answers if resident else answers.get()

    def connected_one(self, u: int, v: int) -> bool:
        """Whether two vertices are connected."""
        return bool(self.connected(np.array([u]), np.array([v]))[0])

    def close(self) -> None:
        """Wait until no array of a caller is read any more, and give the buffers back."""
        if self._pipeline is not None:
            with on_device(self._device, "inserting edges"):
                self._pipeline.close()

    # inserting --------------------------------------------------------------------------------------------------------

    def _counts_near(self, edges: int) -> bool:
        return self._schedule.counts_near(edges)

    def _marks_now(self, edges: int) -> bool:
        cell_bytes = 8 if self._trees.wide or self._rule.ranked else 4
        return self._marking.is_due(edges, self._trees.vertices, cell_bytes)

    def _insert_unchecked(self, a: Any, b: Any, edges: Struct) -> bool:
        """Insert the first edges of a stream, whose ids are looked at meanwhile: that saves reading them once more.
        False if there were edges before or if an id is at fault or has no cell: nothing has changed then."""
        m, n = len(a), self._vertices
        begins = self._untouched and self._position == 0 and n == self._trees.vertices and self._limit is None
        # Kernels see that an id has no cell: a negative one, too, unless it is a vertex when it is read as unsigned.
        if not (begins and self._checks_meanwhile and m > MOST and n <= limit_of(a.dtype)):
            return False
        sampled = self._checks.sample(self._launches(), edges, near=self._counts_near(m))
        self._prepare_marking(m)  # while the device looks
        facts = sampled()
        if facts is None or facts.vertices > n:
            return False
        accepted = False
        try:
            self._insert(a, b, None, n, facts, edges=edges)
            accepted = not self._words.read(self._control)[STREAM["left_out"]]
        finally:  # an interrupt may come before the answer
            if not accepted:
                self._begin_again()
        return accepted

    def _prepare_marking(self, edges: int) -> None:
        """Memory for the largest tree, if that may be marked while a batch of so many edges is inserted."""
        if self._marks_now(edges):
            self._make_members()
            self._next_tree = self._tree_control()

    def _make_members(self) -> None:
        if self._members is None:
            self._members = self._zeros(layout.words_of(self._trees.vertices), np.uint32)

    def _tree_control(self) -> Any:
        """The control block of a tree that is marked next."""
        control, self._next_tree = self._next_tree, None
        return self._zeros(TREE["end"], np.uint64) if control is None else control

    def _begin_again(self) -> None:
        """As if no edge had come."""
        self._marking = Marking(self._schedule, self._device.cache)
        self._members, self._largest, self._waiting, self._untouched, self.hooked = None, NO_TREE, 0, True, ""
        launches = self._launches()
        launches.begin_cells(0)
        self._execute(launches)
        for words in (self._control, self._checks.control):
            words.data.memset_async(0, words.nbytes)

    def _insert(
        self, a: Any, b: Any, at: Any, vertices: int, facts: BatchFacts | None = None, *, edges: Struct | None = None
    ) -> None:
        """Insert edges with these facts; so many vertices have turned up then, at least. edges: as for `_check`."""
        self._make_room(vertices)
        m, trees, marking = len(a), self._trees, self._marking
        if m == 0:
            self._count_vertices(vertices)
            return
        n, ranked = trees.vertices, self._rule.ranked
        hooking = marking.hooking(m, facts, n)
        marks_tree = self._schedule.skip != "off" if hooking == "scattered" else not hooking and self._marks_now(m)
        # All that is needed, before anything has changed.
        if hooking == "scattered" or marks_tree:
            self._make_members()
        control = self._tree_control() if marks_tree else None
        flat = cuda.cupy().empty(n, dtype=trees.cell) if marks_tree and ranked else trees.arrays.get("parent")
        settles = self._must_settle(m if edges is None or m > MOST else 2 * m)  # checked: with room for the next
        fresh = max(0, n - marking.inserted)
        steps = BatchSteps.of(
            hooking, m, fresh,
            before=self._largest, members=self._members, control=control, flat=flat, settles=settles,
        )  # fmt: skip
        largest = steps.largest
        unchecked = facts is not None and facts.sampled
        inserts = inserts_of(self._control, m, self._position, at, unchecked=unchecked)
        edges, members = edges or edge_arrays(a, b), self._members

        def begin() -> None:
            self._count_vertices(vertices)
            self._count_waiting(m)
            self.hooked, self._largest = hooking, largest
            marking.inserted += m
            if marks_tree:
                marking.edges, marking.vertices = marking.inserted, n
            elif largest is NO_TREE:
                marking.vertices = 0

        self._queue(
            (a.itemsize, steps.kind(m, self._launches().inserts_apart)),
            lambda launches: steps.append_to(launches, edges, inserts, vertices=n, members=members, seed=self._seed),
            begin,
        )
        self._waiting = 0 if settles else self._waiting

    def _run_operations(
        self, a: Any, b: Any, kinds: Any, bits: Any, *, inserts: bool, queries: bool, vertices: int = 0
    ) -> None:
        """Run operations; so many vertices have turned up then, and have cells already."""
        if len(a) == 0:
            return
        cuts = self._rule.cuts_off
        if queries:
            self._settle()
        launches, edges = self._launches(), edge_arrays(a, b)
        settles = inserts and self._must_settle(len(a))
        # Queries that meet a path too long to be walked are run again once it is flat.
        again = queries and cuts and (inserts or not self._untouched)
        run = OPERATIONS(
            is_query=kinds, first=self._position, inserts=int(inserts), queries=int(queries),
            steps=_LONG_WALK * again, query_run=self._queries + 1, again=0, answers=bits, control=self._control,
        )  # fmt: skip
        launches.operations(edges, run)
        if settles or again:
            end = len(a) if inserts else 0
            part = inserts_of(self._control, end, self._position)
            launches.settle(edges, part, kinds, self._queries + 1 if again else 0)
        if again:
            launches.operations(edges, run.replaced(inserts=0, steps=0, again=1))
        loaded = self._loaded(launches)
        self._count_vertices(vertices)
        self._queries += 1
        if inserts:
            self._count_waiting(len(a))
        loaded()
        self._waiting = 0 if settles or again else self._waiting
