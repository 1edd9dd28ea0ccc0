"""Spanning forests on CPU threads."""

from __future__ import annotations

import time

from landbridge import _core
from landbridge.engine.base import Solver, conversion
from landbridge.engine.cpu import NAME
from landbridge.engine.cpu.choose import choose_forest
from landbridge.engine.cpu.memory import forest_bytes
from landbridge.engine.cpu.run import CpuRun, core_plan, graph_facts, one_pass_plan
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.result import IdArray, Profile, SpanningForest


def solve(graph: Graph, plan: Plan, threads: int) -> SpanningForest:
    """Run a plan that leaves a forest, and name the edges that joined two trees."""
    run = CpuRun(graph, plan, threads)
    # The core makes a CSR itself, with the edge behind each arc; a COO edge list keeps their order.
    makes = conversion(graph, plan)
    csr = makes == "csr" and graph.layout == "coo"
    if makes == "coo":
        run.convert("coo")
    (u, v, edge), core = run.call(_core.spanning_forest, csr=csr)
    profile = run.profile(core)
    count = graph.num_vertices - len(edge)
    if graph.ids is not None:
        u, v = graph.ids[u], graph.ids[v]
    return SpanningForest(u, v, edge, count, str(plan), NAME, profile, graph.ids, graph.notes)


def one_pass(u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> SpanningForest | None:
    """A forest of endpoints that have not been validated, read once; None where that is not possible."""
    plan_and_threads = one_pass_plan(u, plan, threads, choose_forest)
    if plan_and_threads is None:
        return None
    plan, threads = plan_and_threads
    began = time.perf_counter()
    result = _core.forest_in_one_pass(u, v, core_plan(plan, threads))
    if result is None:
        return None
    n, (forest_u, forest_v, edge), core = result
    owned, left_out = core.owned_edges, core.skipped_edges
    seconds = time.perf_counter() - began
    profile = Profile(dict(core.seconds), seconds, threads, 0.0, owned=owned, left_out=left_out)
    return SpanningForest(forest_u, forest_v, edge, n - len(edge), str(plan), NAME, profile)


SOLVER = Solver(solve, choose_forest, graph_facts, forest_bytes, one_pass)
