"""Streams of edges on one GPU."""

from __future__ import annotations

from landbridge.engine.base import Trees
from landbridge.engine.gpu.stream_rounds import RoundTrees
from landbridge.engine.gpu.stream_trees import DeviceTrees
from landbridge.plan import Plan


def open_trees(plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
    """See `landbridge.engine.base.Engine.trees`. The current GPU can be used."""
    kind = RoundTrees if plan.finish.standalone else DeviceTrees
    return kind(plan, num_vertices, keep_forest, threads, bulk=bulk)
