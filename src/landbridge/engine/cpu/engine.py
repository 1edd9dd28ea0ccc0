"""The engine of CPU threads, over the compiled core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from landbridge.engine.base import Solver, TableEngine, Trees, planned
from landbridge.engine.cpu import NAME, components, forest, lists
from landbridge.engine.cpu.choose import choose_stream
from landbridge.engine.cpu.trees import open_trees
from landbridge.plan import Plan


class CpuEngine(TableEngine):
    """Threads of this process."""

    name = NAME
    solvers: ClassVar[Mapping[str, Solver]] = {
        "components": components.SOLVER,
        "forest": forest.SOLVER,
        "incremental": planned(choose_stream),
        "list_ranking": lists.SOLVER,
    }

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
        return open_trees(plan, num_vertices, keep_forest, threads, bulk=bulk)


ENGINE = CpuEngine()
