"""Spanning forests on one GPU: the launches of components, with kernels that write out the edges that link."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from landbridge.device import cuda, transfer
from landbridge.device.graphs import csr_of_edges
from landbridge.device.layout import Struct
from landbridge.device.timeline import Timeline
from landbridge.edges.forms import Adjacency
from landbridge.engine.base import Solver, conversion
from landbridge.engine.gpu import NAME
from landbridge.engine.gpu.choose import choose_forest
from landbridge.engine.gpu.components_run import WORDS
from landbridge.engine.gpu.execute import Execution
from landbridge.engine.gpu.forest_sink import forest_edges, forest_schedule, sink_for
from landbridge.engine.gpu.memory import gpu_bytes
from landbridge.engine.gpu.plan_device import on_device_of
from landbridge.engine.gpu.schedule import GpuSchedule
from landbridge.engine.gpu.solve import as_taken, launches_of, row_facts
from landbridge.engine.gpu.turns import with_turns
from landbridge.errors import InvalidCombination
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.result import Profile, SpanningForest

_EDGES, _OUTSIDE = WORDS["edges"], WORDS["outside"]


def prepared_forest(
    graph: Graph, plan: Plan, schedule: GpuSchedule, source: Graph | None = None, origin: Any = None
) -> tuple[Execution, Struct]:
    """A plan made ready for the spanning forest of one graph on the current device, and where its edges go.

    graph: CSR or an edge list, as the plan takes it. source, origin: as for `sink_for`, where CSR was built.
    """
    device = cuda.current()
    sink = sink_for(graph, schedule, device, graph if source is None else source, origin)
    run = launches_of(plan, graph, schedule, device, sink)
    # Walks whose edges are written as they link are not deferred, so there is nothing to complete.
    return Execution(run.launches, run.control, run.n, device), sink


def forest(graph: Graph, plan: Plan, threads: int) -> SpanningForest:
    """Run the plan on its GPU. Edges in host memory give NumPy arrays, those on the GPU arrays of CuPy.

    Raises InvalidCombination with the reason for a plan that records no edges there, DeviceError, OutOfDeviceMemory.
    """
    if reason := plan.no_forest:
        raise InvalidCombination(f"{plan}: {reason}")
    with on_device_of(plan, "a spanning forest on a GPU"):
        return _forest(graph, plan, threads)


def _forest(graph: Graph, plan: Plan, threads: int) -> SpanningForest:
    began, graph = time.perf_counter(), as_taken(graph, plan)
    host, n = not graph.on_device, graph.num_vertices
    schedule = forest_schedule(plan, graph)
    if n == 0:
        none = (np if host else cuda.cupy()).empty(0, dtype=np.int32)
        profile = Profile({}, time.perf_counter() - began, threads, 0.0)
        return SpanningForest(none, none, none.astype(np.int64), 0, str(plan), NAME, profile, graph.ids, graph.notes)
    timeline = Timeline(began)
    on_device, source, origin = _on_device(graph, plan, threads, timeline)
    execution, sink = prepared_forest(on_device, plan, schedule, source, origin)
    execution.launch(timeline)
    words = execution.read()
    count, outside = int(words[_EDGES]), int(words[_OUTSIDE])
    u, v, edge = forest_edges(sink, count)
    if host or isinstance(graph.ids, np.ndarray):
        u, v, edge = (transfer.fetch(x, threads) if len(x) else x.get() for x in (u, v, edge))
        timeline.record("transfer back")
    if graph.ids is not None:
        u, v = graph.ids[u], graph.ids[v]
    timeline.wait()
    skipped = 0.0 if plan.sample is None else 1 - outside / n
    profile = with_turns(timeline.profile(threads, skipped), words)
    return SpanningForest(u, v, edge, n - count, str(plan), NAME, profile, graph.ids, graph.notes)


def _on_device(graph: Graph, plan: Plan, threads: int, timeline: Timeline) -> tuple[Graph, Graph | None, Any]:
    """The graph on the device as the plan takes it; where CSR was built, the edges it was built of and the edge behind
    each neighbor."""
    result = graph
    if not graph.on_device:
        result = graph.to_device(threads)
        timeline.record("transfer")
    makes = conversion(graph, plan)
    if makes == "csr":
        edges = result if graph.layout == "coo" else result.to_pairs()
        offsets, neighbors, origin = csr_of_edges(edges.num_vertices, edges.a, edges.b, with_origins=True)
        timeline.record("csr")
        return Graph.from_edges(Adjacency(offsets, neighbors), symmetric=True), edges, origin
    if makes == "coo":
        result = result.to_pairs()
        timeline.record("coo")
    return result, None, None


SOLVER = Solver(forest, choose_forest, row_facts, partial(gpu_bytes, forest=True))
