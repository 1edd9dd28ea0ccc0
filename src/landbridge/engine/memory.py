"""What a run on a GPU takes beyond the graph: the engine's own code runs on a device that only counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from landbridge.device.tally import Counted, Tally, counting
from landbridge.engine.base import makes_rows
from landbridge.engine.sizes import Sizes
from landbridge.graph import Layout
from landbridge.plan import Plan


@dataclass
class _Spoken:
    """A graph that is only spoken of: as much of it as a run on a GPU asks for."""

    num_vertices: int
    num_edges: int
    layout: Layout
    symmetric: bool
    wide: bool
    offsets: Any
    a: Any
    b: Any


def _there(size: int, bits: int) -> Counted:
    """An array that is there already: it has a type and a length and takes nothing more."""
    return Counted(None, size, f"int{bits}")


def gpu_bytes(sizes: Sizes, plan: Plan, forest: bool = False) -> int:
    """Bytes of a GPU's memory that a plan takes: the labels, its work space, and copies of what is not there yet.

    Of a forest: the edges, as many as there are vertices, and half as much again, in place of a copy of the labels.
    """
    from landbridge.engine.forest_gpu import ForestRun
    from landbridge.engine.gpu import REPLAYED, Run, Schedule

    n, m = sizes.vertices, sizes.edges
    if n == 0:
        return 0
    made_rows = makes_rows(sizes, plan)
    made_pairs = plan.layout == "coo" and sizes.layout == "csr"
    layout: Layout = "csr" if made_rows else "coo" if made_pairs else sizes.layout
    symmetric = sizes.symmetric or made_rows
    arcs = sizes.symmetric_arcs if made_rows else m
    with counting() as tally:
        kept = _forest_source(tally, sizes, made_rows) if forest else None
        new = tally.empty if made_rows or made_pairs or not sizes.on_device else None
        ids, offset = sizes.id_bits, 64 if made_rows else sizes.offset_bits
        if not sizes.on_device:  # made on the host, and sent as narrow as it may be
            ids, offset = 64 if sizes.wide else 32, 64 if arcs >= 2**31 else 32
        elif made_rows:
            _make_rows(tally, sizes)
        a = _there(arcs, ids) if new is None or (made_pairs and sizes.on_device) else new(arcs, f"int{ids}")
        b = offsets = None
        if layout == "coo":
            b = _there(arcs, ids) if new is None else new(arcs, f"int{ids}")
        else:
            offsets = _there(n + 1, offset) if new is None else new(n + 1, f"int{offset}")
        graph: Any = _Spoken(n, arcs, layout, symmetric, sizes.wide, offsets, a, b)
        schedule = Schedule.of(plan, graph)
        if forest:
            made = ForestRun(graph, plan, replace(schedule, fuse="off"))
            few = [tally.empty(n // 2, edge.dtype) for edge in made.edges]
            del made, few, kept
            return tally.peak
        run = Run(graph, plan, schedule)
        # A plan that comes again for a small graph on the device is kept, and its labels are copied for the caller.
        again = new is None and n <= REPLAYED and schedule.fuse == "off"
        copy = tally.empty(n, run.labels.dtype) if again else None
        del run, copy
    return tally.peak


def _forest_source(tally: Tally, sizes: Sizes, made_rows: bool) -> list[Counted]:
    """What a forest keeps of the input where rows are made of it: its pairs, and the pair behind each arc."""
    if not made_rows:
        return []
    ids, there = (
        f"int{sizes.id_bits if sizes.on_device or sizes.wide else 32}",
        sizes.on_device and sizes.layout == "coo",
    )
    pairs = [] if there else [tally.empty(sizes.edges, ids) for _ in range(2)]
    offsets = tally.empty(sizes.vertices + 1 if not sizes.on_device and sizes.layout == "csr" else 0, np.int64)
    places = tally.empty(0 if sizes.on_device else sizes.vertices, np.int64)
    return [*pairs, offsets, places, tally.empty(sizes.symmetric_arcs, np.int64)]


def _make_rows(tally: Tally, sizes: Sizes) -> None:
    """What `launch.symmetric_rows` holds while it works."""
    ids = f"int{sizes.id_bits}"
    sources = tally.empty(sizes.edges if sizes.layout == "csr" else 0, ids)
    offsets, places = tally.empty(sizes.vertices + 1, np.int64), tally.empty(sizes.vertices, np.int64)
    neighbors = tally.empty(sizes.symmetric_arcs, ids)
    del sources, offsets, places, neighbors
