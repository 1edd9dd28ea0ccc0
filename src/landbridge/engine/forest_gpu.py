"""Spanning forests on one GPU: the launches of components, with kernels that mark the edges that link."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from landbridge.device import cuda, launch, names, transfer
from landbridge.device.jit import Program
from landbridge.edges.forms import Adjacency
from landbridge.engine.gpu import Launch, Run, Schedule, programs_of
from landbridge.errors import InvalidCombination
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.result import Profile, SpanningForest

_TILE = 256  # words of marks, lb::gpu::mark_tile


def programs(plan: Plan, schedule: Schedule, shape: names.Shape, rows: bool, made: bool = False) -> list[Program]:
    """Every program that a run loads. made: whether its rows are made of pairs."""
    needed = [names.marking(program) for program in programs_of(plan, schedule, shape, rows)]
    needed.append(names.forest(shape))
    return [*needed, names.scatter_origins(shape.edge)] if made else needed


class ForestRun(Run):
    """A plan made ready for the spanning forest of one graph on the current device.

    graph: rows or pairs as the plan wants them. source: the input, whose edges are marked. origin: the pair behind each
    arc of rows that were made of pairs. `launch` may be called any number of times; each fills the set of marks anew,
    and one `collect` or `collect_into` reads it off.
    """

    def __init__(self, graph: Graph, plan: Plan, schedule: Schedule, source: Graph, origin: Any = None) -> None:
        cupy = cuda.cupy()
        words = -(-source.num_edges // 64)
        self._source, self._origin = source, origin
        self._marks = cupy.empty(max(1, words), dtype=np.uint64)
        self._mark_words = words
        self._mark_tiles = cupy.empty(max(1, -(-words // _TILE)), dtype=np.uint64)
        offset: names.Width = 64 if source.offsets is None else launch.width_of(source.offsets)
        shape = names.Shape(64 if schedule.wide else 32, launch.width_of(source.a), offset)
        self._collect = cuda.current().kernels(names.forest(shape))["collect_marks"]
        super().__init__(graph, plan, schedule)

    def read(self) -> tuple[int, int]:
        """How many edges the forest has, and how many vertices were outside the tree that was skipped. Waits."""
        words = self.control.get()
        return int(words[launch.WORD_LINKS]), int(words[launch.WORD_OUTSIDE])

    def collect(self, count: int) -> tuple[Any, Any, Any]:
        """The ends and positions of the `count` marked edges."""
        u, v, edge = (cuda.cupy().empty(count, dtype=t) for t in (self.labels.dtype, self.labels.dtype, np.int64))
        if count > 0:
            self.collect_into(u, v, edge)
        return u, v, edge

    def collect_into(self, u: Any, v: Any, edge: Any) -> None:
        """The same into arrays with places for all of them. Reads nothing back."""
        self.collecting(u, v, edge)()

    def collecting(self, u: Any, v: Any, edge: Any) -> Launch:
        """What `collect_into` launches."""
        source = self._source
        strides = (launch.stride_of(source.a), 1 if source.b is None else launch.stride_of(source.b))
        words = (self._marks, self._mark_words, self._mark_tiles, self.control)
        arguments = (source.offsets, source.a, source.b, *strides, source.num_vertices, *words, u, v, edge)
        blocks = launch.grid_for(self.device, len(self._mark_tiles), 1)
        values = tuple(launch.argument(a) for a in arguments)
        return Launch("collect", "collect_marks", self._collect, (blocks,), (launch.BLOCK,), values)

    def _load(self, programs: list[Program]) -> dict[str, Any]:
        """Under the names of the kernels that do not mark, which are those that runs ask for."""
        plain = {marking: name for name, marking in names.MARKING.items()}
        marking = [names.marking(program) for program in programs]
        found = super()._load([*marking, names.forest(self._shape)])
        return {plain.get(name, name): kernel for name, kernel in found.items()}

    def _add(
        self, phase: str, kernel: str, blocks: int, *arguments: Any, block: int = launch.BLOCK, shared: int = 0
    ) -> None:
        if phase == "number":
            return  # trees need no names
        if kernel in names.MARKING:
            arguments = (*arguments, self._marks, self._origin)
        super()._add(phase, kernel, blocks, *arguments, block=block, shared=shared)

    def _start(self, adopt: bool) -> None:
        super()._start(adopt)
        words = (self._marks, self._mark_words, self._mark_tiles, len(self._mark_tiles))
        self._add("start", "clear_marks", launch.grid_for(self.device, self._mark_words), *words)


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

    source = graph
    if host:
        source = graph.to_device(threads)
        lap("transfer")
    fit, origin = source, None
    if plan.layout == "csr" and source.layout == "coo":
        fit, origin = _rows_of(source)
        lap("rows")
    elif plan.layout == "coo" and source.layout == "csr":
        fit = source.to_pairs()
        lap("pairs")
    run = ForestRun(fit, plan, schedule, source, origin)
    run.launch(lap)
    count, outside = run.read()
    u, v, edge = run.collect(count)
    lap("collect")
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
