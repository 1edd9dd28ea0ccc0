"""What the solvers of graphs on CPU threads share: a plan as arguments of the core, its phases as a profile."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Literal

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import facts_of
from landbridge.errors import InputError
from landbridge.graph import Graph
from landbridge.plan import Choice, Plan
from landbridge.plan.choose import Facts
from landbridge.result import IdArray, Profile

ONE_PASS_FROM = 1 << 17
"""Stored edges from which reading them once instead of twice is worth reserving address space."""


def graph_facts(graph: Graph, threads: int) -> Facts:
    """What a plan for CPU threads is chosen by."""
    graph = graph.to_host()
    return facts_of(graph, threads, None if graph.b is None else density(graph.a, graph.b))


def density(u: IdArray, v: IdArray) -> float:
    """Edges per vertex of a COO edge list, as far as about 512 of its endpoints show."""
    few = slice(None, None, max(1, len(u) // 256))
    return len(u) / (1 + max(0, int(u[few].max()), int(v[few].max()))) if len(u) else 0.0


def one_pass_plan(
    u: IdArray, v: IdArray, plan: Plan | None, threads: int, choose: Callable[[Facts], Choice[Plan]]
) -> tuple[Plan, int] | None:
    """The plan and the threads for endpoints that have not been validated; None where one pass is not possible."""
    m = len(u)
    if m < ONE_PASS_FROM or is_device_array(u):
        return None
    if plan is None:
        # The choice for a COO edge list reads only its density, which needs no number of vertices.
        plan = choose(Facts(0, m, "coo", False, 0.0, density(u, v), 0.0, 0.0, 0.0, 0.0, threads)).plan
    finish = plan.finish
    plain = plan.sample is None and finish.stages is None and not finish.standalone and plan.layout != "csr"
    if not plain or plan.option("ids", "") == "wide":
        return None
    return plan, plan.option("threads", threads)


def core_plan(plan: Plan, threads: int, *, csr: bool = False) -> _core.Plan:
    """A plan as the core takes it; with ``csr`` the core makes CSR of a COO edge list."""
    sample, finish = plan.sample, plan.finish
    words: dict[str, Any] = {"finish": finish.link, "threads": threads}
    if finish.standalone:
        words["values"] = dict(finish.values)
    else:
        words |= {"find": finish.find, "splice": finish.splice}
    if sample:
        words |= {"sample": sample.name, "sample_values": dict(sample.values)}
    words |= {
        "seed": plan.option("seed", 1),
        "owners": plan.option("owners", "") == "on",
        "adapt": plan.option("adapt", "") == "on",
    }
    return _core.Plan(**words, stages=finish.stages or 0.0, csr=csr)


class CpuRun:
    """One run of a plan in the core: the plan as the core takes it, and the clock."""

    def __init__(self, graph: Graph, plan: Plan, threads: int) -> None:
        ids = plan.option("ids", "")
        if ids == "narrow" and graph.wide:
            raise InputError(f"ids=narrow holds fewer than 2^31 vertices, and the graph has {graph.num_vertices}")
        self.threads = plan.option("threads", threads)
        self.began = time.perf_counter()
        self.seconds: dict[str, float] = {}
        self.graph = graph.to_host()
        self.plan = plan
        self.wide = graph.wide or ids == "wide"

    def convert(self, shape: Literal["rows", "pairs"]) -> None:
        """Make a symmetric CSR ("rows") or a COO edge list ("pairs") of the graph."""
        self.graph = self.graph.to_rows(self.threads) if shape == "rows" else self.graph.to_pairs()
        self.seconds[shape] = time.perf_counter() - self.began

    def call(self, function: Callable[..., Any], *, csr: bool = False) -> Any:
        """What the function of the core returns for the graph and the plan; ``csr`` as for `core_plan`."""
        g = self.graph
        plan = core_plan(self.plan, self.threads, csr=csr)
        try:
            return function(g.num_vertices, g.offsets, g.a, g.b, bool(g.symmetric), self.wide, plan)
        except CoreInputError as error:
            raise InputError(str(error)) from None

    def profile(
        self, phases: Iterable[tuple[str, float]], skipped: int, rounds: int, owned: int, again: bool
    ) -> Profile:
        n = self.graph.num_vertices
        seconds = self.seconds | dict(phases)
        total = time.perf_counter() - self.began
        turns = ("two more arcs per vertex",) if again else ()
        return Profile(seconds, total, self.threads, skipped / n if n else 0.0, rounds or None, turns, owned)
