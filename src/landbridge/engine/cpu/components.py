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
        run.convert("rows" if makes == "csr" else "pairs")  # the core makes a CSR symmetric itself
    count, labels, phases, *counts = run.call(_core.components)
    profile = run.profile(phases, *counts)
    return Components(count, labels, str(plan), NAME, profile, graph.ids, graph.notes)


def one_pass(
    u: IdArray, v: IdArray, plan: Plan | None, threads: int, *, vertices: int | None = None
) -> Components | None:
    """Components of endpoints that have not been validated, read once; None where that is not possible.

    vertices: how many there are; those above the largest id are components of their own.
    """
    fit = one_pass_plan(u, v, plan, threads, choose_components)
    if fit is None:
        return None
    plan, threads = fit
    began = time.perf_counter()
    result = _core.components_of_pairs(u, v, core_plan(plan, threads))
    if result is None:
        return None
    count, labels, phases, owned = result
    if vertices is not None:
        isolated = vertices - len(labels)
        if not 0 <= isolated <= len(labels) or vertices >= 2**31:
            return None  # the validation names an edge that is out of range
        if isolated:
            labels = np.concatenate([labels, np.arange(count, count + isolated, dtype=labels.dtype)])
            count += isolated
    profile = Profile(dict(phases), time.perf_counter() - began, threads, 0.0, owned=owned)
    return Components(count, labels, str(plan), NAME, profile)


SOLVER = Solver(solve, choose_components, graph_facts, component_bytes, one_pass, declared=True)
