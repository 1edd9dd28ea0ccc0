"""The trees of a stream on a GPU that read those of another GPU in its memory.

The receiver's kernels read the parents of the sender over the link between them. Where one tree of the sender holds
most of its vertices, a bit for each vertex says which, and only the links of the others are read beside it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from landbridge.device import cuda, graphs, kernels, layout, stream_kernels
from landbridge.device.host_to_device import HostToDevice
from landbridge.device.layout import Struct
from landbridge.engine.gpu.components_run import COVERAGE
from landbridge.engine.gpu.cut_edges import CUT_EDGES, blocks_for
from landbridge.engine.gpu.edge_schedule import worth_marking
from landbridge.engine.gpu.launch_list import Device
from landbridge.engine.gpu.plan_device import on_device
from landbridge.engine.gpu.schedule import rule_of
from landbridge.engine.gpu.stream_checks import BatchChecks
from landbridge.engine.gpu.stream_launches import (
    BITS,
    COMPONENTS,
    NO_VERTEX,
    STREAM,
    VERTEX_ARRAY,
    StreamLaunches,
    TreeArrays,
    edge_arrays,
    inserts_of,
)
from landbridge.engine.gpu.stream_schedule import BatchFacts
from landbridge.engine.gpu.stream_trees import DeviceTrees
from landbridge.engine.parts.feed import Feed
from landbridge.plan import Finish, Plan

PIECE_BYTES = 64 << 20
"""Of one endpoint of each edge of a piece that crosses the link from host memory."""
_MARKED_ENOUGH = 8
"""Edges per vertex after which the largest tree is not marked again: of random edges it has all but a few vertices."""
_LEAST_COVERAGE = COVERAGE // 2
"""The share of the vertices in trees that the largest one has, below which the links of all others are not listed."""
_SHORTENS = Finish("rem_cas", "naive", "halve_one")
_EXCEPTIONS_SHARE, _EXCEPTIONS_LEAST = 8, 1024
"""Places for the links of other vertices: one for so many vertices, and the fewest."""


@dataclass(frozen=True)
class Offer:
    """The trees of a sender in its memory. ready: the event after which they may be read.

    parents: of all vertices. members: bits of those of one tree, with `root`, and the links u, v of all others; None
    where the parents are read.
    """

    parents: Any
    ready: Any
    members: Any = None
    root: int = 0
    u: Any = None
    v: Any = None

    @property
    def nbytes(self) -> int:
        """Bytes that a receiver reads."""
        if self.members is None:
            return int(self.parents.nbytes)
        return int(self.members.nbytes + self.u.nbytes + self.v.nbytes)


def read_in_place(array: Any) -> bool:
    """Whether kernels of other GPUs may read an array: what pools of the driver, or other libraries, allocate may be
    closed to them, and is copied."""
    return type(array.data.mem).__name__ in ("Memory", "PooledMemory")


def rule_of_merges(rule: kernels.Rule) -> kernels.Rule:
    """The rule by which trees under a rule are merged: a ranked one by itself, the others by one that shortens paths.

    Links of another forest make long paths out of flat trees, and a rule that shortens nothing walks them again and
    again.
    """
    return rule if rule.ranked else rule_of(_SHORTENS, "stale", "off")


class MergeLaunches(StreamLaunches):
    """The launches of a merge, at the sender and at the receiver."""

    __slots__ = ()

    def __init__(self, device: Device, rule: kernels.Rule, trees: TreeArrays) -> None:
        # Kernels of batches are kept beside the trees, by the rule of the trees.
        super().__init__(device, rule_of_merges(rule), replace(trees, batch_kernels={}))

    def choose_largest(self, parents: Any, control: Any, seed: int) -> None:
        """Leave the root of the largest tree, and its share, in a control block of its own."""
        own = self._with_control(parents, control)
        own.choose_tree(parents, seed)
        self.list.launches += own.list.launches

    def exceptions(self, parents: Any, control: Any, bits: Any, places: Struct) -> None:
        """Mark the members of the largest tree, chosen with this control block, and list the links of all others."""
        own = self._with_control(parents, control)
        cells = own._trees.cells.replaced(parent=parents)
        kernel = stream_kernels.merging("list_exceptions", self._rule, self._trees.shape())
        self.list.over("merge", kernel, int(parents.size), cells, BITS(words=bits), places)

    def parents(self, other: Any, n: int, control: Any) -> None:
        """Unite every vertex with its parent in the memory of another GPU."""
        inserts = inserts_of(control, n)
        self._merge("merge_parents", VERTEX_ARRAY(cells=other, vertices=n), inserts)

    def members(self, bits: Any, root: int, n: int, control: Any) -> None:
        """Unite the members of a tree with its root."""
        inserts = inserts_of(control, n, root)
        self._merge("merge_members", BITS(words=bits), inserts)

    def _with_control(self, parents: Any, control: Any) -> MergeLaunches:
        n = int(parents.size)
        cells = self._trees.cells.replaced(vertices=n, control=control)
        return MergeLaunches(self._device, self._rule, replace(self._trees, vertices=n, cells=cells))

    def _merge(self, name: str, other: Struct, inserts: Struct) -> None:
        kernel = stream_kernels.merging(name, self._rule, self._trees.shape())
        blocks = blocks_for(self._device, inserts.fields["end"])
        self.list.add("merge", kernel, blocks, other, self._trees.cells, inserts)


def exception_places(device: Any, n: int, cell: Any) -> Struct:
    """Where the links of vertices outside of the largest tree go."""
    places = max(_EXCEPTIONS_LEAST, n // _EXCEPTIONS_SHARE)
    u, v = (device.empty(places, cell) for _ in range(2))
    return CUT_EDGES(position=None, u=u, v=v, capacity=places, steps=0)


class MergingTrees(DeviceTrees):
    """Trees on a GPU that other GPUs read, and that take the pieces of large batches.

    send: "parents", "bitmap", or "" for what is fewer bytes.
    """

    send = ""
    _checks_meanwhile = False  # other GPUs get their edges meanwhile

    def __init__(
        self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int = 1, *, bulk: bool = False
    ) -> None:
        super().__init__(plan, num_vertices, keep_forest, threads, bulk=bulk)
        self._feed: Feed | None = None
        self._expected = 0  # edges, those so far among them
        self._beside: Any = None  # a CUDA stream that waits for no kernel
        with on_device(self._device, "starting a stream"):
            self._opened = cuda.cupy().cuda.get_current_stream().record()
        if bulk:
            self._pipeline = HostToDevice(self._insert_piece, threads, piece_bytes=PIECE_BYTES)

    @property
    def ordinal(self) -> int:
        """The number of their GPU."""
        return int(self._device.ordinal)

    def expect(self, edges: int) -> None:
        """So many edges will come in pieces: what pays for them is done with the first ones."""
        self._expected = self._marking.inserted + edges

    def _marks_now(self, edges: int) -> bool:
        """Of random edges the largest tree has four fifths of the vertices after n of them, and nearly all after 2n."""
        marking, n = self._marking, self._trees.vertices
        inserted = marking.inserted + edges
        if self._schedule.skip or self._expected <= marking.inserted:
            return super()._marks_now(edges)
        if inserted <= max(n, 2 * marking.edges) or marking.edges >= _MARKED_ENOUGH * n:
            return False
        cell_bytes = 8 if self._trees.wide or self._rule.ranked else 4
        return worth_marking(max(inserted, self._expected), n, cell_bytes, self._device.cache)

    def linked(self) -> int:
        """How many unions there have been, at least. Does not wait for kernels that are queued."""
        with on_device(self._device, "counting components"):
            if self._beside is None:
                self._beside = cuda.cupy().cuda.Stream(non_blocking=True)
                self._beside.wait_event(self._opened)
            with self._beside:
                return int(self._control[STREAM["links"]].get())

    # pieces -----------------------------------------------------------------------------------------------------------

    def insert_from(self, u: Any, v: Any, first: int) -> None:
        """Insert edges; edge i was operation first + i of a stream."""
        with self._lock, self._counting_from(first):
            self.insert(u, v)

    def feed(self, u: Any, v: Any, first: int, ready: Any) -> None:
        """Insert edges of any GPU, as `insert_from`, behind an event. They must not change before `close`."""
        with self._lock, on_device(self._device, "inserting edges"):
            if self._feed is None:
                self._feed = Feed(self._device.ordinal, self._facts_of, self.insert_checked)
                with self._feed.stream:
                    self._ahead = BatchChecks(self._device)
            with self._counting_from(first):
                self._feed.send(u, v, ready)

    @contextlib.contextmanager
    def _counting_from(self, first: int) -> Iterator[None]:
        """The next edge inserted is this operation. Otherwise positions count from 0, as `insert_at` has them."""
        self._position = first
        try:
            yield
        finally:
            self._position = 0

    def _facts_of(self, u: Any, v: Any) -> BatchFacts:
        near = self._counts_near(len(u))
        facts = self._ahead.check(self._launches(), u, v, None, "edge", near=near, edges=None)
        if self._limit is not None and facts.vertices > self._limit:
            graphs.check_ids((u, v), self._limit, "edge")
        return facts

    def close(self) -> None:
        super().close()
        if self._feed is not None:
            with on_device(self._device, "inserting edges"):
                self._feed.close()

    # merging ----------------------------------------------------------------------------------------------------------

    @property
    def wide(self) -> bool:
        """Whether cells have 64 bits."""
        return self._trees.wide

    def offer(self) -> Offer:
        """The trees, in place, for a receiver to read."""
        with self._lock, self._turn("preparing a merge"):
            n, cupy = self._vertices, cuda.cupy()
            self._settle()
            # The links of any forest will do; words of a ranked one hold more than parents.
            parents = self._roots() if self._rule.ranked else self._trees.arrays["parent"][:n]
            if n == 0 or self.send == "parents":
                return Offer(parents, cupy.cuda.get_current_stream().record())
            return self._with_bitmap(parents, n)

    def _with_bitmap(self, parents: Any, n: int) -> Offer:
        cupy = cuda.cupy()
        control = self._zeros(COMPONENTS["end"], np.uint64)
        launches = MergeLaunches(self._device, self._rule, self._trees)
        launches.choose_largest(parents, control, self._seed)
        self._execute(launches)
        if not self.send and int(control[COMPONENTS["coverage"]]) < _LEAST_COVERAGE:
            return Offer(parents, cupy.cuda.get_current_stream().record())
        bits = self._device.empty(layout.words_of(n), np.uint32)
        places = exception_places(self._device, n, parents.dtype)
        launches = MergeLaunches(self._device, self._rule, self._trees)
        launches.exceptions(parents, control, bits, places)
        self._execute(launches)
        ready = cupy.cuda.get_current_stream().record()
        words = control.get()
        listed = int(words[COMPONENTS["cut"]])
        # As many links as there are places for are fewer bytes than the parents.
        if listed > places.fields["capacity"]:
            return Offer(parents, ready)
        u, v = (places.fields[name][:listed] for name in ("u", "v"))
        return Offer(parents, ready, bits, int(words[COMPONENTS["skip"]]), u, v)

    def forest_edges(self) -> tuple[tuple[Any, Any, Any], Any]:
        """The edges of the forest (u, v, positions) on this GPU, and the event behind which they may be read."""
        with self._lock, self._turn("reading the forest"):
            self._settle()
            cupy, n, arrays = cuda.cupy(), self._vertices, self._trees.arrays
            children = cupy.flatnonzero(arrays["u"][:n] != NO_VERTEX[arrays["u"].dtype.itemsize])
            u, v, at = (arrays[name][children] for name in ("u", "v", "position"))
            return (u, v, at), cupy.cuda.get_current_stream().record()

    def sorted_forest(self) -> tuple[Any, Any, Any]:
        """The edges of the forest in the order of their positions, as signed integers on this GPU."""
        with self._lock, self._turn("reading the forest"):
            (u, v, at), _ = self.forest_edges()
            order = at.argsort()
            u, v = (self._signed(x[order]) for x in (u, v))
            return u, v, at[order].view(np.int64)

    def insert_forest_of(self, sender: MergingTrees) -> int:
        """Insert the edges of the forest of another GPU; the bytes that were read."""
        edges, ready = sender.forest_edges()
        with self._lock, self._turn("merging"):
            here = cuda.cupy().cuda.get_current_stream()
            here.wait_event(ready)
            u, v, at = map(self._device.held, edges)
            self.insert_at(u, v, at, 0, sender.vertices)
            here.synchronize()
        return sum(int(array.nbytes) for array in edges)

    def take_roots(self, roots: Any) -> None:
        """Connect every vertex with its root in an array on this GPU, the smallest vertex of its tree. The trees are
        empty before."""
        with self._lock, self._turn("taking an answer"):
            n = len(roots)
            self._make_room(n)
            cupy = cuda.cupy()
            self._trees.arrays["parent"][:n] = roots
            self._control[STREAM["links"]] = n - cupy.count_nonzero(roots == cupy.arange(n, dtype=roots.dtype))
            self._count_vertices(n)
            self._untouched = False

    def insert_parents_of(self, sender: MergingTrees) -> int:
        """Insert what the trees of another GPU connect; the bytes that were read. Waits: the sender may change then."""
        n, offer = sender.vertices, sender.offer()
        with self._lock, self._turn("merging"):
            here = cuda.cupy().cuda.get_current_stream()
            here.wait_event(offer.ready)
            self._make_room(n)
            self._settle()
            launches = MergeLaunches(self._device, self._rule, self._trees)
            if offer.members is None:
                parents = offer.parents if read_in_place(offer.parents) else self._device.held(offer.parents)
                launches.parents(parents, n, self._control)
            else:
                # A fraction of the parents: copied as a whole, and read by walks from the memory beside them.
                bits, u, v = map(self._device.held, (offer.members, offer.u, offer.v))
                launches.members(bits, offer.root, n, self._control)
                if len(u):
                    inserts = inserts_of(self._control, len(u))
                    launches.insert(edge_arrays(u, v), inserts, self._largest, settles=self._rule.cuts_off)
            run = self._loaded(launches)
            self._count_vertices(n)
            self._untouched = False
            run()
            here.synchronize()
        return offer.nbytes
