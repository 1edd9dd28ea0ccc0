"""What the solvers of graphs on CPU threads share: a plan as arguments of the core, its phases as a profile."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import facts_of
from landbridge.errors import InputError
from landbridge.graph import Graph
from landbridge.plan import Choice, Plan
from landbridge.plan.choose import Facts
from landbridge.profile import ALL_ROWS_READ, SAMPLED_FURTHER, UNITED_ALL, Profile
from landbridge.result import IdArray

_ANY_COO = Facts(0, 0, "coo", False, 0.0, 0.0, 0.0, 0.0, 0.0, 1)
"""The choice for a COO edge list reads that it is one and nothing else, so it needs no ids."""


def graph_facts(graph: Graph, threads: int) -> Facts:
    """What a plan for CPU threads is chosen by."""
    graph = graph.to_host()
    return facts_of(graph, threads)


def one_pass_plan(
    u: IdArray, plan: Plan | None, threads: int, choose: Callable[[Facts], Choice[Plan]]
) -> tuple[Plan, int] | None:
    """The plan and the threads for endpoints that have not been validated; None where one pass is not possible.
    u: those of one side.
    """
    if is_device_array(u):
        return None
    if plan is None:
        plan = choose(_ANY_COO).plan
    finish = plan.finish
    plain = plan.sample is None and finish.stages is None and not finish.standalone and plan.layout != "csr"
    if not plain or plan.option("ids", "") == "wide":
        return None
    return plan, plan.option("threads", threads)


@lru_cache(maxsize=256)
def core_plan(plan: Plan, threads: int, *, csr: bool = False) -> _core.Plan:
    """A plan as the core takes it, which callers only read; with ``csr`` the core makes CSR of a COO edge list."""
    sample, finish = plan.sample, plan.finish
    if finish.standalone:
        result = _core.Plan(finish.link, "", "", threads)
        result.values = dict(finish.values)
    else:
        result = _core.Plan(finish.link, finish.find, finish.splice, threads)
    if sample:
        result.sample, result.sample_values = sample.name, dict(sample.values)
    if finish.stages is not None:
        result.stages = finish.stages
    if csr:
        result.csr = csr
    if plan.engine is not None:
        result.seed = plan.option("seed", 1)
        result.skip_tree = plan.option("skip", "") == "tree"
        for option in ("adapt", "climb", "owners"):
            setattr(result, option, plan.option(option, "") == "on")
    return result


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

    def convert(self, layout: Literal["csr", "coo"]) -> None:
        """Make a symmetric CSR or a COO edge list of the graph."""
        self.graph = self.graph.to_rows(self.threads) if layout == "csr" else self.graph.to_pairs()
        self.seconds[layout] = time.perf_counter() - self.began

    def call(self, function: Callable[..., Any], *, csr: bool = False) -> Any:
        """What the function of the core returns for the graph and the plan; ``csr`` as for `core_plan`."""
        g = self.graph
        plan = core_plan(self.plan, self.threads, csr=csr)
        try:
            return function(g.num_vertices, g.offsets, g.a, g.b, bool(g.symmetric), self.wide, plan)
        except CoreInputError as error:
            raise InputError(str(error)) from None

    def profile(self, core: _core.CoreProfile) -> Profile:
        """What the core says of its run, and the conversions before."""
        n = self.graph.num_vertices
        seconds = self.seconds | dict(core.seconds)
        total = time.perf_counter() - self.began
        turns = (
            (SAMPLED_FURTHER, core.sampled_further),
            (UNITED_ALL, core.united_all),
            (ALL_ROWS_READ, core.all_rows_read),
        )
        return Profile(
            seconds, total, self.threads, core.skipped_vertices / n if n else 0.0, core.rounds or None,
            tuple(text for text, done in turns if done), core.owned_edges, core.skipped_edges,
            climbed=core.climbed_edges,
        )  # fmt: skip
