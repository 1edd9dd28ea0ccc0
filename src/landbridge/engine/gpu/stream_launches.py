"""The launches of streams of edges: each method appends those of one step to a launch list.

Nothing is decided here: `stream_schedule` says which steps a batch needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from landbridge.device import kernels, layout, stream_kernels
from landbridge.device.jit import Kernel
from landbridge.device.launch import grid_for, stride_of, width_of
from landbridge.device.layout import Struct
from landbridge.engine.gpu.cut_edges import MOST_EDGES, NO_CUT, blocks_for, settle_blocks
from landbridge.engine.gpu.launch_list import Device, Launch, LaunchList
from landbridge.plan import Finish

EDGES, CELLS, VERTEX_ARRAY = map(layout.struct_type, ("EdgeArrays", "Cells", "VertexArray"))
LINK_EDGES, GROWTH, BITS = map(layout.struct_type, ("LinkEdges", "Growth", "VertexBits"))
INSERTS, OPERATIONS, SPREAD, CHECK, ROUNDS = map(
    layout.struct_type, ("Inserts", "OperationRun", "AnswerSpread", "BatchCheck", "InsertRounds")
)
SETTLING = layout.struct_type("Settling")
_SCAN, _FLATTEN, _SKIP = map(layout.struct_type, ("NumberScan", "FlattenOptions", "SkipChoice"))
_SCAN_TILE = layout.constant("scan_tile")
_DRAWN = layout.constant("drawn_labels")
_BLOCK = layout.constant("block_threads")
_ROUND_BLOCKS = layout.constant("round_blocks")
_OUTSIDE_THREADS = layout.constant("outside_threads")
_APART_FROM = 2**21
"""Edges of a range from which it pays to launch a kernel for those that do not join members of the largest tree."""
COMPONENTS, STREAM = layout.control("components"), layout.control("stream")
BATCH, TREE, ROUND_WORDS = (layout.control(family) for family in ("batch", "largest_tree", "stream_rounds"))

_NO_VERTEX = layout.constant("no_vertex")
NO_VERTEX = {4: np.uint32(_NO_VERTEX & 2**32 - 1), 8: np.uint64(_NO_VERTEX & 2**64 - 1)}
"""What a cell holds that names no vertex, by its bytes."""


def edge_fields(u: Any, v: Any) -> dict[str, Any]:
    """What EdgeArrays takes of a batch on the device."""
    return {"u": u, "v": v, "u_stride": stride_of(u), "v_stride": stride_of(v), "edges": len(u)}


def edge_arrays(u: Any, v: Any) -> Struct:
    """A batch on the device."""
    return EDGES(**edge_fields(u, v))


def inserts_of(control: Any, end: int, first: int = 0, at: Any = None, *, unchecked: bool = False) -> Struct:
    """The edges [0, end) of a list, of which edge 0 is the operation `first` of a stream. control: of the family
    `stream`. unchecked: their ids have not been checked."""
    return INSERTS(begin=0, end=end, first=first, at=at, control=control, unchecked=int(unchecked))


@dataclass(frozen=True, slots=True)
class TreeArrays:
    """The cells of a stream's trees, and the structs that pass them to kernels.

    vertices: how many have cells. arrays: by the names of `dtypes`. cut: where edges wait whose walks were cut off.
    batch_kernels: those of batches so far, by their name and the bytes of an id.
    """

    vertices: int
    wide: bool
    arrays: dict[str, Any]
    cells: Struct
    link_edges: Struct
    cut: Struct = NO_CUT
    batch_kernels: dict[tuple[str, int], Kernel] = field(default_factory=dict)

    @classmethod
    def of(cls, vertices: int, wide: bool, arrays: dict[str, Any], scratch: Any) -> TreeArrays:
        """Trees without places for edges to wait in. scratch: a control block of the family `components`, in which
        nothing is counted, zero at first."""
        a = arrays.get
        cells = CELLS(parent=a("parent"), words=a("words"), aux=a("aux"), vertices=vertices, control=scratch)
        link_edges = LINK_EDGES(position=a("position"), u=a("u"), v=a("v"))
        return cls(vertices, wide, arrays, cells, link_edges)

    @staticmethod
    def dtypes(rule: kernels.Rule, keep_forest: bool, wide: bool) -> dict[str, Any]:
        """The arrays that trees under a rule have, and their types."""
        cell = np.uint64 if wide else np.uint32
        return {
            **({"words": np.uint64} if rule.ranked else {"parent": cell}),
            **({"aux": cell} if rule.uses_aux else {}),
            **({"position": np.uint64, "u": cell, "v": cell} if keep_forest else {}),
        }

    @property
    def cell(self) -> Any:
        """The type of a vertex id."""
        return np.uint64 if self.wide else np.uint32

    def shape(self, edge: kernels.Width = 64) -> kernels.Shape:
        """The widths of its kernels for ids of so many bits."""
        return kernels.Shape(64 if self.wide else 32, edge)


class StreamLaunches:
    """The launches of a call of a stream, in order. submit: as of `LaunchList`."""

    __slots__ = ("_device", "_rule", "_trees", "list")

    def __init__(
        self, device: Device, rule: kernels.Rule, trees: TreeArrays, submit: Callable[[Launch], None] | None = None
    ) -> None:
        self.list = LaunchList(device, submit)
        self._device, self._rule, self._trees = device, rule, trees

    # trees ------------------------------------------------------------------------------------------------------------

    def begin_cells(self, first: int) -> None:
        """The vertices from `first` on become singletons."""
        trees = self._trees
        kernel = stream_kernels.batches("begin_cells", self._rule, trees.shape())
        growth = GROWTH(begin=first, end=trees.vertices)
        self.list.over("grow", kernel, trees.vertices - first, trees.cells, trees.link_edges, growth)

    def flatten(self, roots: Any, n: int, control: Any) -> None:
        """Every vertex becomes a child of its root. roots: the parents; of ranked trees an array that gets them.
        control: of the family `stream`."""
        links = control[STREAM["links"] :] if n == self._trees.vertices else None
        cells = self._trees.cells.replaced(parent=roots, vertices=n)
        if self._rule.ranked:
            kernel = kernels.auxiliary("flatten_ranked", self._rule, self._trees.shape())
            self.list.over("flatten", kernel, n, cells)
        else:
            self._common("flatten", "flatten", n, cells, _FLATTEN(links=links, if_deep=0))

    def take_smallest(self, roots: Any, smallest: Any, n: int) -> None:
        """The root of every flat tree becomes its smallest vertex."""
        cells = self._trees.cells.replaced(parent=roots, vertices=n)
        array = VERTEX_ARRAY(cells=smallest, vertices=n)
        self._common("flatten", "fill_none", n, array)
        self._common("flatten", "offer_smallest", n, cells, array)
        self._common("flatten", "take_smallest", n, cells, array)

    def number(self, roots: Any, n: int, tiles: Any, control: Any) -> None:
        """Replace roots by labels. tiles: `number_tiles(n)` zeros. control: zeros; the word `count` is filled."""
        cells = CELLS(parent=roots, words=None, aux=None, vertices=n, control=control)
        kernel = kernels.common("number", self._trees.shape())
        scan = _SCAN(tiles=tiles, tile_count=len(tiles))
        self.list.add("number", kernel, grid_for(self._device, n, _SCAN_TILE), cells, scan)
        self._common("number", "label", n, cells)

    def mark_tree(self, roots: Any, largest: Struct, seed: int) -> None:
        """Mark the members of the largest tree. Every vertex has its root in `roots`; the control block of `largest`
        is of zeros."""
        cells = self.choose_tree(roots, seed)
        shape = self._trees.shape()
        self.list.over("mark", stream_kernels.mark_tree(shape), self._trees.vertices, cells, largest)

    def choose_tree(self, parents: Any, seed: int) -> Struct:
        """Leave the root of the largest tree in the control block; the cells of these parents."""
        cells: Struct = self._trees.cells.replaced(parent=parents)
        choose = kernels.common("choose_skip", self._trees.shape())
        self.list.add("mark", choose, 1, cells, _SKIP(seed=seed, again=0, below=0), threads=_DRAWN)
        return cells

    def _common(self, phase: str, name: str, n: int, *arguments: Any) -> None:
        self.list.over(phase, kernels.common(name, self._trees.shape()), n, *arguments)

    # batches ----------------------------------------------------------------------------------------------------------

    def check(self, edges: Struct, check: Struct) -> None:
        """Fill the report of a `BatchCheck`."""
        kernel = self._batches("check_batch", edges)
        self.list.add("check", kernel, self._blocks(edges.fields["edges"] // check.fields["every"]), edges, check)

    def hook(self, edges: Struct, inserts: Struct, linked: Any) -> None:
        """Larger endpoints that are roots become children of the other ones. linked: bits of the vertices, which are
        written first; None reads the parents instead."""
        trees = self._trees
        bits = BITS(words=linked)
        if linked is not None:
            kernel = stream_kernels.beside_inserts("mark_linked", trees.shape())
            self.list.over("hook", kernel, trees.vertices, trees.cells, bits)
        kernel = stream_kernels.beside_inserts("hook_edges", trees.shape(width_of(edges.fields["u"])))
        blocks = self._blocks(inserts.fields["end"] - inserts.fields["begin"])
        self.list.add("hook", kernel, blocks, edges, trees.cells, trees.link_edges, inserts, bits)

    def insert(self, edges: Struct, inserts: Struct, largest: Struct, *, settles: bool = False) -> None:
        """Insert a range of edges. settles: also those whose walks are cut off, and those that wait."""
        trees, kernel = self._trees, self._batches("insert_edges", edges)
        begin, end = inserts.fields["begin"], inserts.fields["end"]
        apart = self.inserts_apart(end - begin, largest)
        largest = largest.replaced(apart=1) if apart else largest
        for start in range(begin, end, MOST_EDGES):
            stop = min(end, start + MOST_EDGES)
            part = inserts if (start, stop) == (begin, end) else inserts.replaced(begin=start, end=stop)
            arguments = (edges, trees.cells, trees.link_edges, part, largest, trees.cut)
            self.list.add("insert", kernel, self._blocks(stop - start), *arguments)
            if apart:
                outside = stream_kernels.insert_outside(self._rule, trees.shape(width_of(edges.fields["u"])))
                self.list.add("insert", outside, self._device.multiprocessors, *arguments, threads=_OUTSIDE_THREADS)
            if settles:
                self.settle(edges, part)

    def inserts_apart(self, edges: int, largest: Struct) -> bool:
        """Whether `insert` has a kernel of its own for edges that do not join members of the largest tree."""
        return self._rule.cuts_off and largest.fields["members"] is not None and edges >= _APART_FROM

    def operations(self, edges: Struct, run: Struct) -> None:
        """Run operations."""
        trees, kernel = self._trees, self._batches("run_operations", edges)
        self.list.over("operate", kernel, edges.fields["edges"], edges, trees.cells, trees.link_edges, run, trees.cut)

    def settle(self, edges: Struct, inserts: Struct, kinds: Any = None, query_run: int = 0) -> None:
        """Unite the edges whose walks were cut off, of a range or earlier ones. kinds: of the operations of the range.
        query_run: the number of a run of queries; flatten all paths if it has met a long one."""
        trees, kernel = self._trees, self._batches("settle_edges", edges)
        settling = SETTLING(is_query=kinds, query_run=query_run)
        arguments = (edges, trees.cells, trees.link_edges, inserts, trees.cut, settling)
        self.list.add("settle", kernel, settle_blocks(self._device), *arguments, cooperative=True)

    def spread(self, packed: Any, answers: Any) -> None:
        """Answers as one byte for each bit."""
        kernel = stream_kernels.batches("spread_bits", self._rule, self._trees.shape())
        spread = SPREAD(packed=packed, answers=answers, count=len(answers))
        self.list.over("answer", kernel, len(answers), spread)

    def _batches(self, name: str, edges: Struct) -> Kernel:
        ids = edges.fields["u"]
        cached = self._trees.batch_kernels
        kernel = cached.get((name, ids.itemsize))
        if kernel is None:
            kernel = stream_kernels.batches(name, self._rule, self._trees.shape(width_of(ids)))
            cached[name, ids.itemsize] = kernel
        return kernel

    def _blocks(self, edges: int) -> int:
        return blocks_for(self._device, edges)

    # rounds -----------------------------------------------------------------------------------------------------------

    def insert_rounds(self, finish: Finish, edges: Struct, inserts: Struct, rounds: Struct) -> None:
        """Insert a range of operations in rounds."""
        trees = self._trees
        kernel = stream_kernels.insert_rounds(finish.link, finish.words, trees.shape(width_of(edges.fields["u"])))
        count = inserts.fields["end"] - inserts.fields["begin"]
        blocks = min(_ROUND_BLOCKS * self._device.multiprocessors, -(-count // _BLOCK))
        arguments = (edges, trees.cells, trees.link_edges, inserts, rounds)
        self.list.add("insert", kernel, blocks, *arguments, cooperative=True)


def number_tiles(n: int) -> int:
    """How many words the numbering of so many vertices needs."""
    return -(-n // _SCAN_TILE)


def copy_cells(old: Any, new: Any) -> None:
    """Copy cells; where the new ones are wider, "none" is all their bits, too."""
    new[...] = old
    if new.dtype != old.dtype:
        new[old == NO_VERTEX[4]] = NO_VERTEX[8]
