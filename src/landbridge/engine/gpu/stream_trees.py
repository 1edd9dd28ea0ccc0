"""Streams on one GPU: the trees in device memory, batches as one or two launches."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.device import cuda, graphs, layout, transfer
from landbridge.device.host_to_device import HostToDevice
from landbridge.device.layout import Struct
from landbridge.engine.gpu.cut_edges import LANE_EDGES, LARGEST_TREE, NO_TREE
from landbridge.engine.gpu.execute import Executable
from landbridge.engine.gpu.plan_device import on_device, on_device_of
from landbridge.engine.gpu.small_batches import MOST, SmallBatches
from landbridge.engine.gpu.stream_checks import BatchChecks
from landbridge.engine.gpu.stream_growth import TreeMemory
from landbridge.engine.gpu.stream_launches import (
    COMPONENTS,
    EDGES,
    INSERTS,
    NO_VERTEX,
    OPERATIONS,
    STREAM,
    TREE,
    StreamLaunches,
    TreeArrays,
    edge_arrays,
    number_tiles,
)
from landbridge.engine.gpu.stream_schedule import BatchFacts, Marking, StreamSchedule, rule_of_stream
from landbridge.plan import Plan

_LARGEST_NARROW, _LONG_WALK = 2**31 - 1, layout.constant("long_walk")  # the most vertices that cells of 32 bits hold
Array = Any


class DeviceTrees:
    """The trees of a stream (`landbridge.engine.base.Trees`) on the current GPU, for arrays in host or device memory.

    Arrays on the GPU are read there and answered there; arrays in host memory are copied. Work is queued on CuPy's
    current CUDA stream, behind that of any other CUDA stream; calls of several threads take turns.

    A call that raises InputError or OutOfDeviceMemory has changed no component, position or number of vertices: all
    memory it needs is allocated, and then the vertices are counted, before any edge is read. Cells may have been made
    for vertices that have not turned up, and wider ones.

    bulk: arrays in host memory cross the interconnect in pieces, and pieces before one that is refused are inserted.
    """

    reads_device = True
    _inserts_edges = True  # one by one, under a rule

    def __init__(
        self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int = 1, *, bulk: bool = False
    ) -> None:
        finish = plan.finish
        self.mixed, self.keeps_forest, self._bulk = finish.mixed, keep_forest, bulk
        self._rule = rule_of_stream(plan)
        self._schedule = StreamSchedule.of(plan, self._rule.ranked)
        self._seed = plan.option("seed", 1)
        self._finish, self._always_wide = finish, plan.option("ids", "") == "wide"
        self._lock = threading.RLock()
        self._recorded = False  # whether `_after` is the end of a turn
        self._limit: int | None = None
        with on_device_of(plan, "starting a stream") as self._device:
            self._after = cuda.cupy().cuda.Event(disable_timing=True)
            self._marking = Marking(self._schedule, self._device.cache)
            self._checks = BatchChecks(self._device)
            self._control = self._zeros(STREAM["end"], np.uint64)
            self._members: Any = None  # bits of vertices: of the largest tree, or of those that are no roots
            self._largest = NO_TREE
            self._waiting = 0  # edges, at most, whose walks were cut off
            self._queries = 0  # how often queries were run
            self._settled = True  # whether no edge came since paths were flattened
            self._no_edges = EDGES(u=cuda.cupy().empty(1, np.uint32), v=None, u_stride=1, v_stride=1, edges=0)
            self.hooked = ""  # how the last batch was
            self._position = self._vertices = 0
            wide = self._always_wide or num_vertices > _LARGEST_NARROW
            self._trees = TreeArrays.of(0, wide, {}, self._checks.control)
            self._memory = TreeMemory(self._device, self._rule, keep_forest, self._checks.control, not bulk)
            self._grow(max(1, num_vertices))
            self._vertices = num_vertices
            self._small: SmallBatches | None = None
            self._pipeline = HostToDevice(self._insert_piece, threads) if bulk else None

    # properties -------------------------------------------------------------------------------------------------------

    @property
    def vertices(self) -> int:
        """One more than the largest vertex so far."""
        return self._vertices

    @property
    def position(self) -> int:
        """How many operations have been run."""
        return self._position

    @property
    def count(self) -> int:
        """The number of components. Waits for the batches that are queued."""
        with self._lock, self._turn("counting components"):
            self._settle()
            return self._vertices - int(self._control[STREAM["links"]])

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
                if self._must_settle(m) and not here.is_capturing():
                    self._make_places(m)
                more = self._marking.may_hook(m, self._trees.vertices) or self._must_settle(m) or self._marks_now(m)
                if more or here.is_capturing():
                    return False
                if self._recorded:
                    here.wait_event(self._after)
                if self._small is None:
                    self._small = SmallBatches(self._device, self._rule, self._control)
                before = self._waiting
                self._count_waiting(m)  # an interrupt may come before the answer
                try:
                    answer = self._small.insert(self._trees, edge_arrays(u, v), u, self._position, self._largest)
                finally:
                    self._after.record(here)
                    self._recorded = True
                vertices, inserted, waiting = answer
                if inserted:
                    self._count_vertices(vertices)
                    self._waiting = min(before, waiting)
                    self._count_waiting(m)
                    self.hooked = ""
                    self._marking.inserted += m
                    self._position += m
                return inserted
        except Exception:
            with cuda.errors("inserting edges"):
                raise

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

    # moments ----------------------------------------------------------------------------------------------------------

    def labels(self, threads: int, *, consume: bool = False, to_host: bool = False) -> tuple[int, Array]:
        """(count, labels) on the GPU, or in host memory."""
        with self._lock, self._turn("numbering components"):
            n, roots, count = self._vertices, self._roots(consume), 0
            if n:
                control = self._zeros(COMPONENTS["end"], np.uint64)
                launches = self._launches()
                launches.number(roots, n, self._zeros(number_tiles(n), np.uint64), control)
                self._execute(launches)
                count = int(control[COMPONENTS["count"]])
            labels = self._signed(roots)
            return count, transfer.fetch(labels, threads) if to_host else labels

    def snapshot(self, with_forest: bool) -> tuple[int, NDArray[Any], tuple[NDArray[Any], ...] | None]:
        """(position, representatives, forest or None) in host memory."""
        with self._lock, self._turn("looking at the trees"):
            roots = self._signed(self._roots()).get()
            forest = None
            if with_forest:
                n, arrays = self._vertices, self._trees.arrays
                none = NO_VERTEX[arrays["u"].dtype.itemsize]
                children = cuda.cupy().flatnonzero(arrays["u"][:n] != none)
                forest = tuple(arrays[name][children].astype(np.int64).get() for name in ("u", "v", "position"))
            return self._position, roots, forest

    def close(self) -> None:
        """Wait until no array of a caller is read any more, and give the buffers back."""
        if self._pipeline is not None:
            with on_device(self._device, "inserting edges"):
                self._pipeline.close()

    # the device -------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _turn(self, doing: str) -> Iterator[None]:
        """The errors of a call, and its place behind what other CUDA streams have queued, also if it fails."""
        with on_device(self._device, doing):
            here = cuda.cupy().cuda.get_current_stream()
            if here.is_capturing():  # nothing outside may be waited for then, or wait for it
                yield
                return
            if self._recorded:  # the CUDA stream may be another one with the same handle
                here.wait_event(self._after)
            try:
                yield
            finally:
                self._after.record(here)
                self._recorded = True

    def _zeros(self, size: int, dtype: Any) -> Any:
        return cuda.cupy().zeros(max(1, size), dtype=dtype)

    def _launches(self) -> StreamLaunches:
        return StreamLaunches(self._device, self._rule, self._trees)

    def _loaded(self, launches: StreamLaunches) -> Executable:
        """Launches with their kernels loaded, which takes memory."""
        return Executable(launches.list, self._device)

    def _execute(self, launches: StreamLaunches) -> None:
        self._loaded(launches)()

    def _endpoints(self, u: Array, v: Array) -> tuple[Any, Any, bool]:
        """Both on the device, and whether they were on it before."""
        cupy = cuda.cupy()
        resident = isinstance(u, cupy.ndarray)
        own = self._device.held if resident else cupy.asarray
        return own(u), own(v), resident

    def _check(
        self, a: Any, b: Any, kinds: Any, what: str, *, near: bool = False, edges: Struct | None = None
    ) -> BatchFacts:
        """As `BatchChecks.check`, which reads how many edges wait, too."""
        facts = self._checks.check(self._launches(), a, b, kinds, what, near=near, edges=edges)
        self._waiting = self._checks.waiting if len(a) else self._waiting
        if what != "query":
            self._make_places(len(a))
        return facts

    # growth -----------------------------------------------------------------------------------------------------------

    def _count_vertices(self, vertices: int) -> None:
        """So many vertices have turned up, at least. They have cells."""
        self._vertices = max(self._vertices, vertices)

    def _make_room(self, vertices: int) -> None:
        """Cells for so many vertices, at least; or OutOfDeviceMemory, and nothing has changed."""
        now = self._trees.vertices
        if vertices <= now:
            return
        generous = max(vertices, now + now // 4 + 64)
        with cuda.errors(f"making room for all vertices up to {vertices - 1}"):
            self._grow(generous if generous <= _LARGEST_NARROW or vertices > _LARGEST_NARROW else vertices)

    def _grow(self, vertices: int) -> None:
        """Make cells for so many vertices. Nothing of the stream changes before everything is allocated."""
        wide = self._trees.wide or vertices > _LARGEST_NARROW
        self._settle()
        members = None if self._members is None else self._widened(self._members, layout.words_of(vertices))
        trees = self._memory.grown(self._trees, vertices, wide=wide)
        largest = self._largest if self._largest is NO_TREE else self._largest.replaced(members=members)
        # In one step: no signal comes between.
        vars(self).update(_trees=trees, _members=members, _largest=largest)

    def _make_places(self, batch: int) -> None:
        """A place for each edge of a batch that is not large, if there is memory. Edges that wait keep theirs."""
        if self._waiting == 0 and not self._bulk:
            with contextlib.suppress(cuda.cupy().cuda.memory.OutOfMemoryError):
                trees = self._memory.with_places(self._trees, batch)
                if trees is not self._trees and self._recorded:
                    self._after.synchronize()  # what is queued may read the old places
                self._trees = trees

    def _widened(self, array: Any, size: int) -> Any:
        """A copy with zeros behind it."""
        wide = self._zeros(size, array.dtype)
        wide[: len(array)] = array
        return wide

    # inserting --------------------------------------------------------------------------------------------------------

    def _counts_near(self, edges: int) -> bool:
        return self._schedule.counts_near(edges)

    def _marks_now(self, edges: int) -> bool:
        cell_bytes = 8 if self._trees.wide or self._rule.ranked else 4
        return self._marking.is_due(edges, self._trees.vertices, cell_bytes)

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
        if (hooking == "scattered" or marks_tree) and self._members is None:
            self._members = self._zeros(layout.words_of(n), np.uint32)
        largest = NO_TREE if hooking == "scattered" else self._largest
        control = self._zeros(TREE["end"], np.uint64) if marks_tree else None
        flat = cuda.cupy().empty(n, dtype=trees.cell) if marks_tree and ranked else trees.arrays.get("parent")
        head = 0 if hooking else min(m, max(0, n - marking.inserted)) if marks_tree else m
        head -= head % LANE_EDGES if head < m else 0
        inserts = INSERTS(begin=0, end=m, first=self._position, at=at, control=self._control)
        launches = self._launches()
        settles = self._must_settle(m if edges is None or m > MOST else 2 * m)  # checked: with room for the next
        edges = edges or edge_arrays(a, b)
        if hooking:
            launches.hook(edges, inserts, self._members if hooking == "scattered" else None)
        launches.insert(edges, inserts.replaced(end=head) if head < m else inserts, largest, settles=settles)
        if hooking or marks_tree:
            launches.flatten(flat, n, self._control)
        if marks_tree:
            largest = LARGEST_TREE(members=self._members, control=control, apart=0)
            launches.mark_tree(flat, largest, self._seed)
        if head < m:
            launches.insert(edges, inserts.replaced(begin=head), largest, settles=settles)
        run = self._loaded(launches)
        self._count_vertices(vertices)
        self._count_waiting(m)
        self.hooked, self._largest = hooking, largest
        marking.inserted += m
        if marks_tree:
            marking.edges, marking.vertices = marking.inserted, n
        elif largest is NO_TREE:
            marking.vertices = 0
        run()
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
        again = queries and cuts and (inserts or not self._settled)
        run = OPERATIONS(
            is_query=kinds, first=self._position, inserts=int(inserts), queries=int(queries),
            steps=_LONG_WALK * again, query_run=self._queries + 1, again=0, answers=bits, control=self._control,
        )  # fmt: skip
        launches.operations(edges, run)
        if settles or again:
            end = len(a) if inserts else 0
            part = INSERTS(begin=0, end=end, first=self._position, at=None, control=self._control)
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

    # edges whose walks were cut off -----------------------------------------------------------------------------------

    def _must_settle(self, edges: int) -> bool:
        """Whether so many more edges might not all find a place to wait in."""
        return self._rule.cuts_off and self._waiting + edges > self._trees.cut.fields["capacity"]

    def _count_waiting(self, edges: int) -> None:
        """So many more might wait, also if one of several launches fails."""
        self._settled = False
        self._waiting += edges if self._rule.cuts_off else 0

    def _settle(self) -> None:
        """Unite the edges that wait, before anything is asked."""
        if self._waiting == 0:
            return
        launches = self._launches()
        launches.settle(self._no_edges, INSERTS(begin=0, end=0, first=0, at=None, control=self._control))
        self._execute(launches)
        self._waiting = 0

    # roots ------------------------------------------------------------------------------------------------------------

    def _signed(self, roots: Any) -> Any:
        """Roots as labels, in the type of the vertices so far: a call that failed may have left wider cells."""
        if not self._trees.wide:
            return roots.view(np.int32)
        signed = roots.view(np.int64)
        return signed if self._always_wide or self._vertices > _LARGEST_NARROW else signed.astype(np.int32)

    def _roots(self, consume: bool = False) -> Any:
        """A copy of the parents, or the parents themselves, in which every vertex holds the smallest of its tree."""
        self._settle()
        n, trees, cupy = self._vertices, self._trees, cuda.cupy()
        if n == 0:
            return cupy.empty(0, dtype=trees.cell)
        launches = self._launches()
        if self._rule.ranked:
            roots, smallest = (cupy.empty(n, dtype=trees.cell) for _ in range(2))
            launches.flatten(roots, n, self._control)
            launches.take_smallest(roots, smallest, n)
        else:
            parent = trees.arrays["parent"][:n]
            roots = parent if consume else parent.copy()
            launches.flatten(roots, n, self._control)
        self._execute(launches)
        return roots
