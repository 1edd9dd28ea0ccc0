"""Spanning forests on CPU threads."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.engine.base import Solver, conversion
from landbridge.engine.cpu import NAME
from landbridge.engine.cpu.choose import choose_forest
from landbridge.engine.cpu.memory import forest_bytes
from landbridge.engine.cpu.run import CpuRun, core_plan, graph_facts, one_pass_plan
from landbridge.errors import InputError
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.result import IdArray, Profile, SpanningForest
from landbridge.result.tree_edges import forest_of, with_endpoints

CHANGED = "the arrays of the graph have changed since its forest was made: u and v cannot be read from them"


class EdgesByBits:
    """The edges of a forest as a run leaves them, a bit for each edge of the graph; see `result.tree_edges.TreeEdges`.

    graph: in host memory, its arrays as they were during the run; `endpoints` compares a few of them.
    """

    def __init__(self, bits: _core.ForestBits, graph: Graph, wide: bool, threads: int) -> None:
        self._bits, self._graph, self._wide, self._threads = bits, graph, wide, threads
        self._seen = self._sample()

    def __len__(self) -> int:
        return self._bits.count

    @property
    def nbytes(self) -> int:
        return self._bits.nbytes

    def positions(self) -> NDArray[np.int64]:
        return self._bits.positions(self._threads)

    def endpoints(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """As above. Raises InputError where a sample of the arrays is another one than at the end of the run."""
        if self._sample() != self._seen:
            raise InputError(CHANGED)
        g = self._graph
        u, v = self._bits.endpoints(g.num_vertices, g.offsets, g.a, g.b, self._wide, self._threads)
        return (u, v) if g.ids is None else (g.ids[u], g.ids[v])

    def _sample(self) -> int:
        g = self._graph
        return self._bits.sample(g.num_vertices, g.offsets, g.a, g.b)


def solve(graph: Graph, plan: Plan, threads: int) -> SpanningForest:
    """Run a plan that leaves a forest of the edges that joined two trees, which are read from the graph later."""
    run = CpuRun(graph, plan, threads)
    source = run.graph
    # The core makes a CSR itself, with the edge behind each arc; a COO edge list keeps their order.
    makes = conversion(graph, plan)
    csr = makes == "csr" and graph.layout == "coo"
    if makes == "coo":
        run.convert("coo")
    bits, core = run.call(_core.spanning_forest, csr=csr)
    edges = EdgesByBits(bits, source, run.wide, run.threads)
    forest = forest_of(
        edges, count=graph.num_vertices - len(edges), plan=str(plan), device=NAME, profile=run.profile(core),
        ids=graph.ids, notes=graph.notes,
    )  # fmt: skip
    return with_endpoints(forest) if graph.on_device else forest  # does not keep the copy


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
    n, bits, core = result
    owned, left_out, climbed = core.owned_edges, core.skipped_edges, core.climbed_edges
    seconds = time.perf_counter() - began
    profile = Profile(dict(core.seconds), seconds, threads, 0.0, owned=owned, left_out=left_out, climbed=climbed)
    edges = EdgesByBits(bits, Graph.of_checked_pairs(u, v, n), False, threads)
    return forest_of(edges, count=n - len(edges), plan=str(plan), device=NAME, profile=profile)


SOLVER = Solver(solve, choose_forest, graph_facts, forest_bytes, one_pass)
