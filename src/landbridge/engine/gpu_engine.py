"""The engine of one NVIDIA GPU, through CuPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from landbridge.device import cuda
from landbridge.engine import gpu
from landbridge.engine.base import Solver, TableEngine, Trees, facts_of, planned
from landbridge.engine.forest_gpu import forest
from landbridge.engine.memory import gpu_bytes
from landbridge.engine.sizes import Sizes
from landbridge.engine.stream_rounds import device_trees
from landbridge.plan import Plan, choose_rank
from landbridge.plan.choose import Choice, Facts, choose_gpu, choose_stream_gpu, for_forest


def _choose_forest(facts: Facts) -> Choice:
    return for_forest(choose_gpu(facts))


def _forest_bytes(sizes: Sizes, plan: Plan) -> int:
    return gpu_bytes(sizes, plan, True)


class GpuEngine(TableEngine):
    """One NVIDIA GPU."""

    name = "gpu"
    solvers: ClassVar[Mapping[str, Solver]] = {
        "components": Solver(gpu.components, choose_gpu, facts_of, gpu_bytes, gpu.one_pass),
        "forest": Solver(forest, _choose_forest, facts_of, _forest_bytes),
        "incremental": planned(choose_stream_gpu),
        "list_ranking": planned(lambda facts: Choice(choose_rank(facts, "gpu"), ())),  # type: ignore[arg-type]
    }

    def missing(self) -> str:
        return cuda.missing()

    def require(self) -> None:
        cuda.current()

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
        self.require()
        result: Trees = device_trees(plan, num_vertices, keep_forest)
        return result

    def inserters(self, threads: int) -> int:
        return 1


ENGINE = GpuEngine()
