"""What a run takes beyond the graph, before it runs: the engine's own builders work on a device that only counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from landbridge.device.kernels import Shape
from landbridge.device.memory_counter import CountedArray, MemoryCounter
from landbridge.engine.base import conversion
from landbridge.engine.gpu.forest_sink import forest_schedule, sink_for
from landbridge.engine.gpu.replay import REPLAYED
from landbridge.engine.gpu.schedule import GpuSchedule
from landbridge.engine.gpu.solve import launches_of
from landbridge.engine.sizes import Bits, Sizes
from landbridge.graph import Layout
from landbridge.plan import Plan


@dataclass
class CountedGraph:
    """As much of a graph as a run reads, without its elements."""

    num_vertices: int
    num_edges: int
    layout: Layout
    symmetric: bool
    wide: bool
    offsets: Any
    a: Any
    b: Any
    rows: None = None


def counted_graph(shape: Shape, *, csr: bool, symmetric: bool = True) -> CountedGraph:
    """A graph of such widths without elements, too large for one block and with rows of any length, to list the
    programs of a plan."""
    ids, n, m = f"int{shape.edge}", 2**20, 2**24
    a, b = CountedArray(None, m, ids), None if csr else CountedArray(None, m, ids)
    offsets = CountedArray(None, n + 1, f"int{shape.offset}") if csr else None
    return CountedGraph(n, m, "csr" if csr else "coo", symmetric and csr, shape.cell == 64, offsets, a, b)


def _present(size: int, bits: int) -> CountedArray:
    """An array of the input: it has a type and a length and takes nothing more."""
    return CountedArray(None, size, f"int{bits}")


def gpu_bytes(sizes: Sizes, plan: Plan, forest: bool = False) -> int:
    """Bytes of a GPU's memory that a plan takes: the labels, its work space, and copies of what is not there yet.

    Of a forest: the edges, as many as there are vertices, and half as much again, in place of a copy of the labels.
    """
    if sizes.vertices == 0:
        return 0
    if sizes.in_rows:  # whose offsets were made of the list
        offset: Bits = 32 if sizes.edges < 2**31 else 64
        list_sizes = replace(sizes, in_rows=False)
        rows = replace(list_sizes, layout="csr", symmetric=True, offset_bits=offset)
        return (sizes.vertices + 1) * offset // 8 + gpu_bytes(
            list_sizes if plan.layout == "coo" else rows, plan, forest
        )
    counter = MemoryCounter()
    graph, source, copied = _converted(counter, sizes, plan, forest)
    if forest:
        _count_forest(counter, graph, plan, source)
        return counter.peak
    schedule = GpuSchedule.of(plan, graph)
    run = launches_of(plan, graph, schedule, counter)
    # A plan that comes again for a graph on the device is kept up to a size, and its labels are copied for the caller.
    replayed = not copied and sizes.vertices <= REPLAYED and schedule.fuse == "off"
    labels = counter.empty(sizes.vertices, run.labels.dtype) if replayed else None
    del run, labels
    return counter.peak


def _converted(
    counter: MemoryCounter, sizes: Sizes, plan: Plan, forest: bool
) -> tuple[CountedGraph, list[CountedArray], bool]:
    """The graph as the plan takes it, what a forest keeps of its source, and whether the graph was copied."""
    n, m = sizes.vertices, sizes.edges
    makes = conversion(sizes, plan)
    builds_csr, builds_coo = makes == "csr", makes == "coo"
    layout: Layout = "csr" if builds_csr else "coo" if builds_coo else sizes.layout
    arcs = sizes.symmetric_arcs if builds_csr else m
    source = _forest_source(counter, sizes) if forest and builds_csr else []
    copied = builds_csr or builds_coo or not sizes.on_device
    ids, offset = sizes.id_bits, 64 if builds_csr else sizes.offset_bits
    if not sizes.on_device:  # built on the host, and sent as narrow as it may be
        ids, offset = 64 if sizes.wide else 32, 64 if arcs >= 2**31 else 32
    elif builds_csr:
        _count_building(counter, sizes)

    def array(size: int, bits: int, fresh: bool = copied) -> CountedArray:
        return counter.empty(size, f"int{bits}") if fresh else _present(size, bits)

    # The neighbors of CSR on the device are one endpoint of its edge list already.
    a = array(arcs, ids, copied and not (builds_coo and sizes.on_device))
    b = array(arcs, ids) if layout == "coo" else None
    offsets = array(n + 1, offset) if layout == "csr" else None
    symmetric = sizes.symmetric or builds_csr
    return CountedGraph(n, arcs, layout, symmetric, sizes.wide, offsets, a, b), source, copied


def _count_forest(counter: MemoryCounter, graph: CountedGraph, plan: Plan, source: list[CountedArray]) -> None:
    schedule = forest_schedule(plan, graph)
    sink = sink_for(graph, schedule, counter, graph, None)
    run = launches_of(plan, graph, schedule, counter, sink)
    few = [counter.empty(graph.num_vertices // 2, sink.fields[name].dtype) for name in ("u", "v", "edge")]
    del run, sink, few, source


def _forest_source(counter: MemoryCounter, sizes: Sizes) -> list[CountedArray]:
    """What a forest keeps of the input where CSR is built of it: its edge list, and the edge behind each neighbor."""
    ids = f"int{sizes.id_bits if sizes.on_device or sizes.wide else 32}"
    present = sizes.on_device and sizes.layout == "coo"
    edges = [] if present else [counter.empty(sizes.edges, ids) for _ in range(2)]
    offsets = counter.empty(sizes.vertices + 1 if not sizes.on_device and sizes.layout == "csr" else 0, np.int64)
    positions = counter.empty(0 if sizes.on_device else sizes.vertices, np.int64)
    return [*edges, offsets, positions, counter.empty(sizes.symmetric_arcs, np.int64)]


def _count_building(counter: MemoryCounter, sizes: Sizes) -> None:
    """What `graphs.symmetric_csr` holds while it works."""
    ids = f"int{sizes.id_bits}"
    sources = counter.empty(sizes.edges if sizes.layout == "csr" else 0, ids)
    offsets, positions = counter.empty(sizes.vertices + 1, np.int64), counter.empty(sizes.vertices, np.int64)
    neighbors = counter.empty(sizes.symmetric_arcs, ids)
    del sources, offsets, positions, neighbors
