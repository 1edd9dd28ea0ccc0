"""What the launches of one run share, and those that every run has: start, flatten, smallest names, numbers.

The families (`union_find`, `rounds`, `systems`, `search`) append their launches to a `ComponentsRun`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge.device import kernels, layout
from landbridge.device.jit import Kernel
from landbridge.device.launch import grid_for, stride_of, width_of
from landbridge.device.layout import Struct
from landbridge.device.stream_kernels import mark_tree
from landbridge.engine.gpu.cut_edges import LARGEST_TREE, cut_struct, places_for, settle_blocks, waiting_edges
from landbridge.engine.gpu.edge_schedule import hookings, near_of
from landbridge.engine.gpu.launch_list import Device, Launch, LaunchList
from landbridge.engine.gpu.schedule import GpuSchedule, GraphArrays

CSR, EDGES = layout.struct_type("CsrArrays"), layout.struct_type("EdgeArrays")
CELLS, VERTEX_ARRAY = layout.struct_type("Cells"), layout.struct_type("VertexArray")
FLATTEN, _START = layout.struct_type("FlattenOptions"), layout.struct_type("StartOptions")
_HOOK = layout.struct_type("HookChoice")
_SCAN, _SKIP = layout.struct_type("NumberScan"), layout.struct_type("SkipChoice")
WORDS, TREE = layout.control("components"), layout.control("largest_tree")
_SCAN_TILE = layout.constant("scan_tile")
_DRAWN, COVERAGE = layout.constant("drawn_labels"), layout.constant("coverage_scale")
_LINKING_BLOCKS = layout.constant("warp_queue_blocks")
_SEARCH_THREADS = layout.constant("search_threads")
_DEFERRED_SHARE, _DEFERRED_MOST = 64, 2**12
"""Places for deferred edges: one for so many vertices, and the most."""


class ComponentsRun:
    """The launches of one plan on one graph, with the arrays they work on.

    sink: the `ForestSink` of a run that writes the edges of a spanning forest, which needs no numbers; else None.
    labels: of the vertices, once all launches have run. control: the words they leave for each other and for the host.
    repeated: the launches that run once more where edges were given up. numbering: those that run last. search: the
    arrays of a search for one large component, if there was one. left_out: whether cells are left out behind it, which
    bits stand for. reads_all: whether the finish reads all cells.
    """

    def __init__(self, graph: GraphArrays, schedule: GpuSchedule, device: Device, sink: Struct | None = None) -> None:
        self.launches, self.schedule, self.device, self.sink = LaunchList(device), schedule, device, sink
        self.n, self.m, self.symmetric = graph.num_vertices, graph.num_edges, bool(graph.symmetric)
        offsets, a, b = graph.offsets, graph.a, graph.b
        self.shape = kernels.Shape(
            64 if schedule.wide else 32, width_of(a), 64 if offsets is None else width_of(offsets)
        )
        self.cell = np.dtype(np.uint64 if schedule.wide else np.uint32)
        self.csr = self.edges = None
        if offsets is None:
            self.edges = EDGES(u=a, v=b, u_stride=stride_of(a), v_stride=stride_of(b), edges=self.m)
        else:
            self.csr = CSR(offsets=offsets, neighbors=a, vertices=self.n, symmetric=int(self.symmetric))
        self.labels = device.empty(self.n, np.int64 if schedule.wide else np.int32)
        self._deferred = 0 if schedule.fuse == "block" else min(_DEFERRED_MOST, 1 + self.n // _DEFERRED_SHARE)
        self.control = device.empty(WORDS["end"] + 2 * self._deferred, np.uint64)[: WORDS["end"]]
        self.cells = CELLS(parent=self.labels, words=None, aux=None, vertices=self.n, control=self.control)
        self.repeated: list[Launch] = []
        self.numbering: list[Launch] = []
        self.row_queues: Struct | None = None
        self.search: Struct | None = None
        self.left_out = self.reads_all = False
        self._scan: Struct | None = None
        self._queue: Any = None

    @property
    def forest(self) -> bool:
        return self.sink is not None

    # arrays -----------------------------------------------------------------------------------------------------------

    def array(self, size: int) -> Any:
        """Shape (size,) of cells, not initialised."""
        return self.launches.array(size, self.cell)

    @property
    def queue(self) -> Any:
        """A cell for each vertex, for whatever needs it for a while."""
        if self._queue is None:
            self._queue = self.array(self.n)
        return self._queue

    def use_cells_of(self, rule: kernels.Rule) -> None:
        """Make the cells that a rule has beside the parents. Before the first launch."""
        if rule.ranked or rule.uses_aux:
            self.cells = self.cells.replaced(
                words=self.launches.array(self.n, np.uint64) if rule.ranked else None,
                aux=self.array(self.n) if rule.uses_aux else None,
            )

    # launches ---------------------------------------------------------------------------------------------------------

    def over_vertices(self, phase: str, kernel: Kernel, *arguments: Any) -> Launch:
        """Append a launch with a thread for each vertex."""
        return self.launches.over(phase, kernel, self.n, *arguments)

    def common(self, phase: str, name: str, *arguments: Any) -> Launch:
        """The same of a kernel that is of no family."""
        return self.launches.over(phase, kernels.common(name, self.shape), self.n, *arguments)

    def cut_edges(self, rule: kernels.Rule) -> Struct:
        """Where edges wait whose walks are cut off."""
        arrays = waiting_edges(self.device, rule, places_for(self.n), self.cell, positions=self.forest)
        return cut_struct(arrays)

    def linking(self, phase: str, kernel: Kernel, blocks: int, *arguments: Any, cooperative: bool = False) -> Launch:
        """Append a launch that links. Of a forest its kernel writes the edges that link."""
        if self.sink is not None:
            blocks = min(blocks, _LINKING_BLOCKS * self.device.multiprocessors)  # so many run at once
            arguments = (*arguments, self.sink)
        return self.launches.add(phase, kernel, blocks, *arguments, cooperative=cooperative)

    def uniting(self, phase: str, kernel: Kernel, blocks: int, *arguments: Any) -> None:
        """The same of a kernel that may defer edges or give them up: it runs once more then."""
        self.repeated.append(self.linking(phase, kernel, blocks, *arguments))

    def one_grid(
        self, phase: str, kernel: Kernel, blocks: int, *arguments: Any, threads: int = _SEARCH_THREADS
    ) -> None:
        """Append a launch with a grid barrier; the blocks have to fit the device at once."""
        if self.sink is not None:
            arguments = (*arguments, self.sink)
        self.launches.add(phase, kernel, blocks, *arguments, threads=threads, cooperative=True)

    def start(self, *, adopt: bool) -> None:
        """Clear the control block; make vertices singletons unless another kernel writes the parents."""
        tiles = self.launches.array(-(-self.n // _SCAN_TILE), np.uint64)
        self._scan = _SCAN(tiles=tiles, tile_count=len(tiles))
        self.common("start", "start", self.cells, self._scan, _START(adopt=int(adopt), deferred=self._deferred))

    def init_auxiliary(self, rule: kernels.Rule) -> None:
        """Fill the cells that a rule has beside the parents."""
        if rule.ranked or rule.uses_aux:
            self.over_vertices("start", kernels.auxiliary("init_auxiliary", rule, self.shape), self.cells)

    def flatten(self, phase: str, *, if_deep: bool = False) -> Launch:
        """Every parent becomes a root. if_deep: only where a long path was met."""
        return self.common(phase, "flatten", self.cells, FLATTEN(links=None, if_deep=int(if_deep)))

    def flatten_ranked(self, phase: str, rule: kernels.Rule) -> Launch:
        """The same from the words of a ranked rule, whose roots need not be the smallest."""
        return self.over_vertices(phase, kernels.auxiliary("flatten_ranked", rule, self.shape), self.cells)

    def choose_skip(self, *, again: bool = False, below: int = 0) -> Launch:
        """Choose the tree that the finish skips. again: only where a long path was met or the coverage is `below`."""
        choice = _SKIP(seed=self.schedule.seed, again=int(again), below=below)
        kernel = kernels.common("choose_skip", self.shape)
        return self.launches.add("skip", kernel, 1, self.cells, choice, threads=_DRAWN)

    def hook_edges(self) -> Struct:
        """Hook edges that look like those of a mesh, and flatten the paths. Where they are scattered, the members of
        the largest tree after that are marked."""
        largest = self.largest_tree()
        by_order, scattered = hookings(self.m, self.n)
        choice = _HOOK(near=near_of(self.m), sorted=int(by_order), scattered=int(scattered))
        kernel, blocks = kernels.hook_coo(self.shape), settle_blocks(self.device)
        self.launches.add("finish", kernel, blocks, self.edges, self.cells, choice, largest, cooperative=True)
        return largest

    def mark_tree(self) -> Struct:
        """Mark the members of the largest tree so far."""
        self.flatten("finish")
        self.choose_skip()
        return self.mark_members("finish")

    def mark_members(self, phase: str) -> Struct:
        """Mark the members of the tree to skip as it is now. All paths are flat, unless one tree is left."""
        largest = self.largest_tree()
        self.launches.over(phase, mark_tree(self.shape), self.n, self.cells, largest)
        return largest

    def largest_tree(self) -> Struct:
        """Places for the members of a tree, not initialised; none is counted."""
        bits = self.launches.array(layout.words_of(self.n), np.uint32)
        control = self.control[WORDS["tree"] : WORDS["tree"] + TREE["end"]]
        return LARGEST_TREE(members=bits, control=control, apart=0)

    def take_smallest(self, phase: str) -> None:
        """The root of every flat tree becomes its smallest vertex."""
        smallest = VERTEX_ARRAY(cells=self.queue, vertices=self.n)
        self.common(phase, "fill_none", smallest)
        self.common(phase, "offer_smallest", self.cells, smallest)
        self.common(phase, "take_smallest", self.cells, smallest)

    def number(self) -> None:
        """Number the roots, and give every vertex the number of its root."""
        blocks = grid_for(self.device, self.n, _SCAN_TILE)
        if self.search is not None and self.symmetric:  # what has no edges is a root
            number, label = (kernels.member_numbering(each, self.shape) for each in ("number_outside", "label_members"))
            self.numbering = [
                self.launches.add("number", number, blocks, self.cells, self._scan, self.search),
                self.over_vertices("number", label, self.cells, self.search),
            ]
            return
        self.numbering = [
            self.launches.add("number", kernels.common("number", self.shape), blocks, self.cells, self._scan),
            self.common("number", "label", self.cells),
        ]
