"""The engine of one GPU: the rules and phases of the CPU under CUDA schedules, compiled at run time.

A run is a list of launches. Nothing is read back between them: what one kernel leaves for the next lies in a control
block on the device, and the host reads that once, at the end.
"""

from __future__ import annotations

from landbridge.engine.base import facts_of
from landbridge.engine.gpu.components import components, one_pass
from landbridge.engine.gpu.forest import forest
from landbridge.engine.gpu.memory import gpu_bytes
from landbridge.engine.sizes import Sizes
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.plan.choose import Choice, Facts, choose_gpu
from landbridge.result import Components, IdArray, SpanningForest


class GpuEngine:
    """One NVIDIA GPU, through CuPy."""

    name = "gpu"

    def facts(self, graph: Graph, threads: int) -> Facts:
        return facts_of(graph, threads)

    def choose(self, facts: Facts) -> Choice:
        return choose_gpu(facts)

    def memory(self, sizes: Sizes, plan: Plan, forest: bool = False) -> int:
        return gpu_bytes(sizes, plan, forest)

    def at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> Components | None:
        return one_pass(u, v, plan, threads)

    def forest_at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> SpanningForest | None:
        return None

    def forest(self, graph: Graph, plan: Plan, threads: int) -> SpanningForest:
        return forest(graph, plan, threads)

    def components(self, graph: Graph, plan: Plan, threads: int) -> Components:
        return components(graph, plan, threads)
