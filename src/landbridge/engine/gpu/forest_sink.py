"""Where the edges of a spanning forest go on a GPU: the struct that kernels write to, and the edges in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from landbridge.device import layout
from landbridge.device.launch import stride_of
from landbridge.device.layout import Struct
from landbridge.engine.gpu.launch_list import Device
from landbridge.engine.gpu.schedule import GpuSchedule, GraphArrays
from landbridge.plan import Plan

_SINK = layout.struct_type("ForestSink")


def forest_schedule(plan: Plan, graph: GraphArrays) -> GpuSchedule:
    """The options of a plan for a forest: one block would name no edges."""
    return replace(GpuSchedule.of(plan, graph), fuse="off")


def sink_for(graph: GraphArrays, schedule: GpuSchedule, device: Device, source: GraphArrays, origin: Any) -> Struct:
    """Where the edges of a forest go: room for one edge per vertex, its endpoints and its position.

    source: the graph whose edges are named. origin: of CSR built from an edge list, the edge behind each neighbor.
    """
    ids, n = np.int64 if schedule.wide else np.int32, graph.num_vertices
    return _SINK(
        a=source.a,
        b=source.b,
        a_stride=stride_of(source.a),
        b_stride=1 if source.b is None else stride_of(source.b),
        origin=origin,
        u=device.empty(n, ids),
        v=device.empty(n, ids),
        edge=device.empty(n, np.int64),
    )


def forest_edges(sink: Struct, count: int) -> tuple[Any, ...]:
    """The first `count` edges of a sink: u, v, position. Where they are few, the rest of the memory is given back."""
    arrays = (sink.fields[name] for name in ("u", "v", "edge"))
    return tuple(x[:count] if 2 * count >= len(x) else x[:count].copy() for x in arrays)
