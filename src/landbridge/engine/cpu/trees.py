"""The trees of a stream of edges in host memory."""

from __future__ import annotations

from landbridge import _core
from landbridge.engine.base import Trees, stream_solver
from landbridge.engine.cpu.choose import choose_stream
from landbridge.engine.cpu.memory import stream_bytes
from landbridge.plan import Plan

_LARGEST_NARROW = 2**31 - 1
"""How many vertices cells of 32 bits hold at most."""


def open_trees(plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
    """See `landbridge.engine.base.Engine.trees`. Raises MemoryError naming the number of vertices."""
    finish = plan.finish
    rule = _core.StreamRule(finish.link, finish.find, finish.splice, list(finish.words))
    options = _core.StreamOptions(
        vertices=num_vertices,
        threads=threads,
        keep_forest=keep_forest,
        narrow_most=0 if plan.option("ids", "") == "wide" else _LARGEST_NARROW,
        bulk=bulk,
        skip_tree=plan.option("skip", "tree") == "tree",
        climb=plan.option("climb", "") == "on",
    )
    try:
        return _core.IncrementalTrees(rule, options)
    except MemoryError:
        raise MemoryError(f"no memory for {num_vertices} vertices") from None


SOLVER = stream_solver(choose_stream, stream_bytes, open_trees)
