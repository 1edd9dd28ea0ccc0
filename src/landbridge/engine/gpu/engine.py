"""The engine of one NVIDIA GPU, through CuPy: the rules of the CPU under CUDA schedules, compiled at run time.

A run is a list of launches. Nothing is read back between them: what one kernel leaves for the next lies in a control
block on the device, and the host reads that once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from landbridge.device import cuda
from landbridge.engine.base import Solver, TableEngine, Trees, facts_of, planned
from landbridge.engine.gpu import NAME, lists
from landbridge.engine.gpu.choose import choose_components, choose_forest, choose_stream
from landbridge.engine.gpu.components import components, one_pass
from landbridge.engine.gpu.forest import forest
from landbridge.engine.gpu.memory import gpu_bytes
from landbridge.engine.gpu.streams import open_trees
from landbridge.engine.sizes import Sizes
from landbridge.plan import Plan


def _forest_bytes(sizes: Sizes, plan: Plan) -> int:
    return gpu_bytes(sizes, plan, True)


class GpuEngine(TableEngine):
    """One NVIDIA GPU."""

    name = NAME
    solvers: ClassVar[Mapping[str, Solver]] = {
        "components": Solver(components, choose_components, facts_of, gpu_bytes, one_pass, declared=True),
        "forest": Solver(forest, choose_forest, facts_of, _forest_bytes),
        "incremental": planned(choose_stream),
        "list_ranking": lists.SOLVER,
    }

    def missing(self) -> str:
        return cuda.missing()

    def places(self) -> list[str]:
        return [f"{self.name} {device['device']}: {device['name']}" for device in cuda.describe()]

    def require(self) -> None:
        cuda.current()

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
        self.require()
        return open_trees(plan, num_vertices, keep_forest, threads, bulk=bulk)

    def inserters(self, threads: int) -> int:
        return 1


ENGINE = GpuEngine()
