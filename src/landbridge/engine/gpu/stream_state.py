"""The memory of a stream on one GPU: trees that grow, edges that wait, and what is read off them at a moment."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.device import cuda, layout, transfer
from landbridge.device.kernels import Rule
from landbridge.device.layout import Struct
from landbridge.engine.gpu.cut_edges import NO_TREE
from landbridge.engine.gpu.execute import Executable, Submission
from landbridge.engine.gpu.plan_device import on_device, on_device_of
from landbridge.engine.gpu.stream_checks import BatchChecks
from landbridge.engine.gpu.stream_growth import TreeMemory
from landbridge.engine.gpu.stream_launches import (
    COMPONENTS,
    EDGES,
    NO_VERTEX,
    STREAM,
    StreamLaunches,
    TreeArrays,
    inserts_of,
    number_tiles,
)
from landbridge.engine.gpu.stream_schedule import BatchFacts
from landbridge.plan import Plan

_LARGEST_NARROW = 2**31 - 1  # the most vertices that cells of 32 bits hold
Array = Any


class TreeState:
    """The trees on the device that a plan names, with a lock. Calls of several threads take turns, behind what other
    CUDA streams have queued. bulk: whether edges come in large pieces."""

    def __init__(self, plan: Plan, rule: Rule, num_vertices: int, keep_forest: bool, *, bulk: bool) -> None:
        self.keeps_forest, self._bulk, self._rule = keep_forest, bulk, rule
        self._always_wide = plan.option("ids", "") == "wide"
        self._lock = threading.RLock()
        self._recorded = False  # whether `_after` is the end of a turn
        self._on_default = False  # whether the last turn was on the default stream: no event is recorded
        with on_device_of(plan, "starting a stream") as self._device:
            self._after = cuda.cupy().cuda.Event(disable_timing=True)
            self._checks = BatchChecks(self._device)
            self._control = self._zeros(STREAM["end"], np.uint64)
            self._members: Any = None  # bits of vertices: of the largest tree, or of those that are no roots
            self._largest = NO_TREE
            self._waiting = 0  # edges, at most, whose walks were cut off
            self._counted = 0  # how often more were counted
            self._untouched = True  # whether no edge has come that is united one by one
            self._no_edges = EDGES(u=cuda.cupy().empty(1, np.uint32), v=None, u_stride=1, v_stride=1, edges=0)
            self._position = self._vertices = 0
            wide = self._always_wide or num_vertices > _LARGEST_NARROW
            self._trees = TreeArrays.of(0, wide, {}, self._checks.control)
            self._memory = TreeMemory(self._device, self._rule, keep_forest, self._checks.control, not bulk)
            self._grow(max(1, num_vertices))
            self._vertices = num_vertices
            here = cuda.cupy().cuda.get_current_stream()
            if not here.is_capturing():
                self._end_turn(here)

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

    # the device -------------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _turn(self, doing: str) -> Iterator[None]:
        """The errors of a call, and its place behind what other CUDA streams have queued, also if it fails."""
        with on_device(self._device, doing):
            here = cuda.cupy().cuda.get_current_stream()
            if here.is_capturing():  # nothing outside may be waited for then, or wait for it
                yield
                return
            self._wait_for_turns(here)
            try:
                yield
            finally:
                self._end_turn(here)

    def _wait_for_turns(self, here: Any) -> None:
        """What is queued on a CUDA stream from now on comes behind all turns. On the default stream one comes behind
        the other by itself, and two events take a fifth of a small insert."""
        if here.ptr != 0:
            self._record_default()
        if self._recorded:  # the CUDA stream may be another one with the same handle
            here.wait_event(self._after)

    def _end_turn(self, here: Any) -> None:
        if here.ptr == 0:
            self._on_default, self._recorded = True, False
        else:
            self._after.record(here)
            self._recorded = True

    def _record_default(self) -> None:
        """Make `_after` the end of the turns on the default stream. While another stream is captured that waits for
        this one, the question whether this one is raises an error, and the capture goes on."""
        if self._on_default:
            default = cuda.cupy().cuda.Stream.null
            default.is_capturing()
            self._after.record(default)
            self._on_default, self._recorded = False, True

    def _zeros(self, size: int, dtype: Any) -> Any:
        return cuda.cupy().zeros(max(1, size), dtype=dtype)

    def _launches(self, submit: Submission | None = None) -> StreamLaunches:
        return StreamLaunches(self._device, self._rule, self._trees, submit)

    def _loaded(self, launches: StreamLaunches) -> Executable:
        """Launches with their kernels loaded, which takes memory."""
        return Executable(launches.list, self._device)

    def _execute(self, launches: StreamLaunches) -> None:
        self._loaded(launches)()

    def _queue(self, kind: Hashable, append: Callable[[StreamLaunches], None], begin: Callable[[], None]) -> None:
        """Queue the launches that `append` appends, behind a call of `begin` that comes once all kernels are loaded.
        kind: names the kernels; where they are loaded already, each launch is queued when it is appended, so that the
        device works meanwhile."""
        kinds, here = self._device.loaded_kinds, (self._rule, self._trees.shape(), kind)
        if here in kinds:
            begin()
            append(self._launches(Submission(self._device)))
            return
        launches = self._launches()
        append(launches)
        run = self._loaded(launches)
        begin()
        run()
        kinds.add(here)

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
                if trees is not self._trees:  # what is queued may read the old places
                    self._record_default()
                    if self._recorded:
                        self._after.synchronize()
                self._trees = trees

    def _widened(self, array: Any, size: int) -> Any:
        """A copy with zeros behind it."""
        wide = self._zeros(size, array.dtype)
        wide[: len(array)] = array
        return wide

    # edges whose walks were cut off -----------------------------------------------------------------------------------

    def _must_settle(self, edges: int) -> bool:
        """Whether so many more edges might not all find a place to wait in."""
        return self._rule.cuts_off and self._waiting + edges > self._trees.cut.fields["capacity"]

    def _count_waiting(self, edges: int) -> None:
        """So many more might wait, also if one of several launches fails."""
        self._untouched = False
        self._counted += 1
        self._waiting += edges if self._rule.cuts_off else 0

    def _settle(self) -> None:
        """Unite the edges that wait, before anything is asked."""
        if self._waiting == 0:
            return
        launches = self._launches()
        launches.settle(self._no_edges, inserts_of(self._control, 0))
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
