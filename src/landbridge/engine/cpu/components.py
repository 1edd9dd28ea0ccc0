"""Connected components on CPU threads."""

from __future__ import annotations

import time

import numpy as np

from landbridge import _core
from landbridge.engine.base import Solver, conversion
from landbridge.engine.cpu import NAME
from landbridge.engine.cpu.choose import choose_components
from landbridge.engine.cpu.memory import component_bytes
from landbridge.engine.cpu.run import CpuRun, core_plan, graph_facts, one_pass_plan
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.result import Components, IdArray, Profile


def solve(graph: Graph, plan: Plan, threads: int) -> Components:
    """Run the plan. Labels are those of the contract, whatever the plan."""
    run = CpuRun(graph, plan, threads)
    makes = conversion(graph, plan)
    if makes == "coo" or (makes == "csr" and graph.layout == "coo"):
        run.convert(makes)  # the core makes a CSR symmetric itself
    count, labels, profile = run.call(_core.components)
    return Components(count, labels, str(plan), NAME, run.profile(profile), graph.ids, graph.notes)


def one_pass(
    u: IdArray, v: IdArray, plan: Plan | None, threads: int, *, vertices: int | None = None
) -> Components | None:
    """Components of endpoints that have not been validated, read once; None where that is not possible.

    vertices: how many there are; those above the largest id are components of their own.
    """
    plan_and_threads = one_pass_plan(u, plan, threads, choose_components)
    if plan_and_threads is None:
        return None
    plan, threads = plan_and_threads
    began = time.perf_counter()
    result = _core.components_in_one_pass(u, v, core_plan(plan, threads))
    if result is None:
        return None
    count, labels, core = result
    if vertices is not None:
        isolated = vertices - len(labels)
        if not 0 <= isolated <= len(labels) or vertices >= 2**31:
            return None  # the validation names an edge that is out of range
        if isolated:
            labels = np.concatenate([labels, np.arange(count, count + isolated, dtype=labels.dtype)])
            count += isolated
    owned, left_out, climbed = core.owned_edges, core.skipped_edges, core.climbed_edges
    seconds = time.perf_counter() - began
    profile = Profile(dict(core.seconds), seconds, threads, 0.0, owned=owned, left_out=left_out, climbed=climbed)
    return Components(count, labels, str(plan), NAME, profile)


SOLVER = Solver(solve, choose_components, graph_facts, component_bytes, one_pass, declared=True)
