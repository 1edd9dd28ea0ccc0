"""The trees of a stream of edges in host memory."""

from __future__ import annotations

from typing import Any

from landbridge import _core
from landbridge.engine.base import Trees
from landbridge.plan import Plan


def open_trees(plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
    """See `landbridge.engine.base.Engine.trees`."""
    finish = plan.finish
    narrow_most = 0 if plan.option("ids", "") == "wide" else 2**31 - 1
    how: dict[str, Any] = {"narrow_most": narrow_most, "words": list(finish.words), "alone_if_free": bulk}
    rules = (finish.link, finish.find, finish.splice)
    return _core.IncrementalTrees(*rules, num_vertices, threads, keep_forest, **how)
