"""Spanning forests on one GPU: the launches of components, with kernels that write out the edges that link."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from landbridge.device import cuda, launch, names, transfer
from landbridge.device.jit import Program
from landbridge.edges.forms import Adjacency
from landbridge.engine.gpu import Run, Schedule, programs_of
from landbridge.errors import InvalidCombination
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.result import Profile, SpanningForest

_BLOCKS = 6  # lb::gpu::warp_queue_blocks


def programs(plan: Plan, schedule: Schedule, shape: names.Shape, rows: bool, made: bool = False) -> list[Program]:
    """Every program that a run loads. made: whether its rows are made of pairs."""
    needed = [names.forest(program) for program in programs_of(plan, schedule, shape, rows)]
    return [*needed, names.scatter_origins(shape.edge)] if made else needed


class ForestRun(Run):
    """A plan made ready for the spanning forest of one graph on the current device.

    graph: rows or pairs as the plan wants them. pairs, origin: where its rows were made of pairs, those and the pair
    behind each arc. `launch` may be called any number of times; each fills `edges` anew, the ends and the positions of
    as many edges as `read` says. There is room for one edge a vertex.
    """

    def __init__(self, graph: Graph, plan: Plan, schedule: Schedule, pairs: Graph | None = None, origin: Any = None):
        ids = np.dtype(np.int64 if schedule.wide else np.int32)
        self.edges = tuple(cuda.cupy().empty(graph.num_vertices, dtype=t) for t in (ids, ids, np.dtype(np.int64)))
        ends = graph if pairs is None else pairs
        strides = (launch.stride_of(ends.a), 1 if ends.b is None else launch.stride_of(ends.b))
        self._sink = (ends.a, ends.b, *strides, origin, *self.edges)
        super().__init__(graph, plan, schedule)

    def read(self, lap: Callable[[str], None] | None = None) -> tuple[int, int]:
        """How many edges the forest has, and how many vertices were outside the tree that was skipped. Waits.

        Walks whose edges are written as they link are not put aside, so nothing is left to be ended.
        """
        del lap
        words = self.control.get()
        return int(words[launch.WORD_EDGES]), int(words[launch.WORD_OUTSIDE])

    def found(self, count: int) -> tuple[Any, Any, Any]:
        """The first `count` of `edges`. Where that is few the rest of the memory is given back."""
        u, v, edge = (x[:count] if 2 * count >= len(x) else x[:count].copy() for x in self.edges)
        return u, v, edge

    def _load(self, programs: list[Program]) -> dict[str, Any]:
        """Under the names of the kernels of components, which are those that runs ask for."""
        plain = {writing: name for name, writing in names.FOREST.items()}
        found = super()._load([names.forest(program) for program in programs])
        return {plain.get(name, name): kernel for name, kernel in found.items()}

    def _add(
        self, phase: str, kernel: str, blocks: int, *arguments: Any, block: int = launch.BLOCK, shared: int = 0
    ) -> None:
        if phase == "number":
            return  # trees need no names
        if kernel in names.FOREST:
            blocks = min(blocks, _BLOCKS * self.device.multiprocessors)  # so many run at once
            arguments = (*arguments, *self._sink)
        super()._add(phase, kernel, blocks, *arguments, block=block, shared=shared)

    def _cooperative(
        self, phase: str, kernel: str, blocks: int, *arguments: Any, block: int = launch.SEARCH_BLOCK
    ) -> None:
        sink = self._sink if kernel in names.FOREST else ()
        super()._cooperative(phase, kernel, blocks, *arguments, *sink, block=block)


def _rows_of(pairs: Graph) -> tuple[Graph, Any]:
    """Symmetric rows of pairs on the device, and the pair behind each arc."""
    cupy, device = cuda.cupy(), cuda.current()
    a, b, m, n = pairs.a, pairs.b, pairs.num_edges, pairs.num_vertices
    width = launch.width_of(a)
    kernels = device.kernels(names.make_rows(width, 64)) | device.kernels(names.scatter_origins(width))
    ends = (a, b, launch.stride_of(a), launch.stride_of(b), m)
    grid = (launch.grid_for(device, m),)
    offsets = cupy.zeros(n + 1, dtype=np.int64)
    kernels["count_pairs"](grid, (launch.BLOCK,), tuple(launch.argument(x) for x in (*ends, offsets[1:])))
    cupy.cumsum(offsets, out=offsets)
    arcs = int(offsets[n])
    neighbors, origin = cupy.empty(arcs, dtype=a.dtype), cupy.empty(arcs, dtype=np.int64)
    arguments = (*ends, offsets[:-1].copy(), neighbors, origin)
    kernels["scatter_origins"](grid, (launch.BLOCK,), tuple(launch.argument(x) for x in arguments))
    return Graph.from_edges(Adjacency(offsets, neighbors), symmetric=True), origin


def forest(graph: Graph, plan: Plan, threads: int) -> SpanningForest:
    """Run the plan on its GPU. Edges in host memory give NumPy arrays, those on the GPU arrays of CuPy.

    Raises InvalidCombination with the reason for a plan that names no edges there, DeviceError, OutOfDeviceMemory.
    """
    if reason := plan.no_forest_on("gpu"):
        raise InvalidCombination(f"{plan}: {reason}")
    options = dict(plan.engine.options) if plan.engine is not None else {}
    with cuda.errors("a spanning forest on a GPU"):
        device = cuda.device(int(options["device"])) if "device" in options else cuda.current()
        with cuda.cupy().cuda.Device(device.ordinal):
            return _forest(graph, plan, threads)


def _forest(graph: Graph, plan: Plan, threads: int) -> SpanningForest:
    cupy = cuda.cupy()
    began = time.perf_counter()
    host, n = not graph.on_device, graph.num_vertices
    schedule = replace(Schedule.of(plan, graph), fuse="off")
    if n == 0:
        none = (np if host else cupy).empty(0, dtype=np.int32)
        profile = Profile({}, time.perf_counter() - began, threads, 0.0)
        return SpanningForest(none, none, none.astype(np.int64), 0, str(plan), "gpu", profile, graph.ids, graph.notes)
    stream = cupy.cuda.get_current_stream()
    marks = [("", stream.record())]

    def lap(phase: str) -> None:
        marks.append((phase, stream.record()))

    fit, pairs, origin = graph, None, None
    if host:
        fit = graph.to_device(threads)
        lap("transfer")
    one_way = "symmetric" in plan.finish.traits and not graph.symmetric
    if one_way or (plan.layout == "csr" and graph.layout == "coo"):
        pairs = fit if graph.layout == "coo" else fit.to_pairs()
        fit, origin = _rows_of(pairs)
        lap("rows")
    elif plan.layout == "coo" and graph.layout == "csr":
        fit = fit.to_pairs()
        lap("pairs")
    run = ForestRun(fit, plan, schedule, pairs, origin)
    run.launch(lap)
    count, outside = run.read()
    u, v, edge = run.found(count)
    if host or isinstance(graph.ids, np.ndarray):
        u, v, edge = (_fetched(x, threads) for x in (u, v, edge))
        lap("transfer back")
    if graph.ids is not None:
        u, v = graph.ids[u], graph.ids[v]
    stream.synchronize()
    seconds: dict[str, float] = {}
    for (_, before), (phase, after) in pairwise(marks):
        seconds[phase] = seconds.get(phase, 0.0) + cupy.cuda.get_elapsed_time(before, after) / 1e3
    skipped = 1 - outside / n if plan.sample is not None and fit.symmetric else 0.0
    profile = Profile(seconds, time.perf_counter() - began, threads, skipped)
    return SpanningForest(u, v, edge, n - count, str(plan), "gpu", profile, graph.ids, graph.notes)


def _fetched(array: Any, threads: int) -> Any:
    return transfer.fetch(array, threads) if len(array) else array.get()
