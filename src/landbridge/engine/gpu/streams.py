"""Streams of edges on one GPU."""

from __future__ import annotations

from landbridge.device import cuda
from landbridge.engine.base import Trees, stream_solver
from landbridge.engine.gpu.choose import choose_stream
from landbridge.engine.gpu.stream_memory import stream_bytes
from landbridge.engine.gpu.stream_rounds import RoundTrees
from landbridge.engine.gpu.stream_trees import DeviceTrees
from landbridge.plan import Plan


def open_trees(plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
    """See `landbridge.engine.base.Engine.trees`."""
    cuda.current()  # raises the error that says what a GPU lacks
    kind = RoundTrees if plan.finish.standalone else DeviceTrees
    return kind(plan, num_vertices, keep_forest, threads, bulk=bulk)


SOLVER = stream_solver(choose_stream, stream_bytes, open_trees)
