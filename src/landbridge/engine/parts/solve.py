"""Components and spanning forests over several processors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from landbridge._core import CoreInputError
from landbridge.device import cuda
from landbridge.edges.on_device import is_device_array
from landbridge.engine.parts.blocks import near, unite_blocks
from landbridge.engine.parts.processors import OneGpu, Processor, copied_to, errors_of, holds
from landbridge.engine.parts.trees import PartsTrees
from landbridge.engine.parts.tuning import tuned
from landbridge.engine.parts.vertices import divide, numbered
from landbridge.errors import InputError, InvalidCombination
from landbridge.graph import Graph
from landbridge.plan import Plan, parse
from landbridge.result import Components, IdArray, Profile, Share, SpanningForest

_UNITING = parse("rem_cas(naive,halve_one)")
"""How the answers of blocks are united."""


@dataclass(frozen=True)
class PartsRun:
    """One run: the name of the engine, for the answer; the processors, the plan and the number of threads."""

    name: str
    processors: Sequence[Processor]
    plan: Plan
    threads: int

    def trees(self, graph: Graph, with_forest: bool) -> PartsTrees:
        """Trees with all edges of a graph: in pieces from one queue, or a block of the graph for each processor."""
        pieces = graph.layout == "coo" and not self.plan.no_stream
        plan = self.plan if pieces else _UNITING
        n, processors = graph.num_vertices, self.processors
        # Of blocks each GPU keeps its answer as trees of its own; what CPU threads answer goes to the first trees.
        trees_on_all = pieces or (not with_forest and not any(processor.engine.on_host for processor in processors))
        trees = PartsTrees(processors, plan, n, with_forest, self.threads, bulk=True, trees_on_all=trees_on_all)
        if pieces:
            trees.stops_early()
            trees.insert(graph.a, graph.b)
        else:
            unite_blocks(trees, self.processors, self.plan, graph, with_forest)
        return trees

    def profile(self, trees: PartsTrees, began: float) -> Profile:
        """Phases, and what each processor did."""
        total = time.perf_counter() - began
        return Profile(dict(trees.seconds), total, self.threads, 0.0, shares=trees.shares())


def components(run: PartsRun, graph: Graph) -> Components:
    """Labels of the contract, whichever processor united which edges."""
    began = time.perf_counter()
    if run.plan.option("divide", "") == "vertices":
        return _by_vertices(run, graph, began)
    if (holder := _holder(run, graph)) is not None:
        answer: Components = _on_holder(run, graph, holder, "components")
        return replace(answer, labels=device_of(graph, answer.labels))
    trees = run.trees(graph, False)
    try:
        result = _labelled(run, trees, began, to_host=not graph.on_device, ids=graph.ids, notes=graph.notes)
        return replace(result, labels=device_of(graph, result.labels)) if graph.on_device else result
    finally:
        trees.close()


def device_of(graph: Graph, array: Any) -> Any:
    """An array in the memory of the GPU that holds the edges of a graph: itself, or a copy."""
    edges: Any = graph.a
    if is_device_array(array):
        return copied_to(array, int(edges.device.id))
    with edges.device:
        return cuda.cupy().asarray(array)


def _holder(run: PartsRun, graph: Graph) -> OneGpu | None:
    """The GPU that solves a graph by itself: a CSR on a GPU, or one for a plan that reads edges more than once, has to
    be moved to another GPU as a whole, which takes longer than solving it."""
    pieces = graph.layout == "coo" and not run.plan.no_stream
    gpus = [processor for processor in run.processors if isinstance(processor, OneGpu)]
    if pieces or not graph.on_device or not gpus:
        return None
    edges: Any = graph.a
    return next((gpu for gpu in gpus if holds(gpu, int(edges.device.id))), gpus[0])


def _on_holder(run: PartsRun, graph: Graph, holder: OneGpu, problem: str) -> Any:
    """The answer of one GPU, as one of several processors."""
    began = time.perf_counter()
    with errors_of(holder, "solving the graph"):
        block = near(graph, holder)
        with holder.selected():
            answer = holder.engine.solve(problem, block, holder.plan(run.plan), run.threads)
    seconds = time.perf_counter() - began
    shares = tuple(
        Share(processor.name, graph.num_edges, 1, seconds, "", 0, ((0.0, seconds),))
        if processor is holder else Share(processor.name, 0, 0, 0.0, "", 0, ())
        for processor in run.processors
    )  # fmt: skip
    note = f"the graph is on {holder.name}, which solved it alone"
    profile = replace(answer.profile, shares=shares)
    return replace(answer, plan=str(run.plan), device=run.name, profile=profile, notes=(*answer.notes, note))


def _by_vertices(run: PartsRun, graph: Graph, began: float) -> Components:
    """The published division; t of the plan, or tuned."""
    t = run.plan.option("t", -1.0)
    why: tuple[str, ...] = ()
    if t < 0:
        t, reason = tuned(run.processors, run.plan, graph)
        why = (reason,)
    division = divide(graph, t, run.processors, run.plan)
    count, labels = numbered(division.representatives)
    total = time.perf_counter() - began
    profile = Profile(division.seconds, total, run.threads, 0.0, shares=division.shares)
    labels = device_of(graph, labels) if graph.on_device else labels
    return Components(count, labels, str(run.plan), run.name, profile, graph.ids, (*graph.notes, *why))


def _labelled(
    run: PartsRun, trees: PartsTrees, began: float, *, to_host: bool, ids: Any = None, notes: tuple[str, ...] = ()
) -> Components:
    count, labels = trees.labels(run.threads, consume=True, to_host=to_host)
    return Components(count, labels, str(run.plan), run.name, run.profile(trees, began), ids, notes)


def forest(run: PartsRun, graph: Graph) -> SpanningForest:
    """A forest by the positions of its edges in the input."""
    if reason := run.plan.no_forest:
        raise InvalidCombination(f"{run.plan}: {reason}")
    if (holder := _holder(run, graph)) is not None:
        answer: SpanningForest = _on_holder(run, graph, holder, "forest")
        if is_device_array(answer.u):
            u, v, edge = (device_of(graph, x) for x in (answer.u, answer.v, answer.edge))
            return replace(answer, u=u, v=v, edge=edge)
        return answer
    began = time.perf_counter()
    trees = run.trees(graph, True)
    in_place = graph.on_device and not isinstance(graph.ids, np.ndarray)
    u, v, edge = trees.forest(in_place=in_place)
    count = graph.num_vertices - len(edge)
    profile = run.profile(trees, began)
    trees.close()
    if in_place:
        u, v, edge = (device_of(graph, x) for x in (u, v, edge))
    if graph.ids is not None:
        u, v = graph.ids[u], graph.ids[v]
    return SpanningForest(u, v, edge, count, str(run.plan), run.name, profile, graph.ids, graph.notes)


def one_pass(run: PartsRun, u: IdArray, v: IdArray, *, vertices: int | None = None) -> Components | None:
    """Components of endpoints in host memory that have not been validated; None where they are not read once, and for
    ids that are wrong or far apart: another way says which."""
    m = len(u)
    whole = run.plan.no_stream or run.plan.option("divide", "") == "vertices" or run.plan.option("ids", "") == "wide"
    if is_device_array(u) or whole:
        return None
    began = time.perf_counter()
    few = slice(None, None, max(1, m // 256))
    likely = 1 + max(int(x[few].max()) for x in (u, v))
    bound = min(2**31 - 1, 16 * m + 2**20) if vertices is None else vertices
    if not 0 < likely <= bound:
        return None
    trees = PartsTrees(
        run.processors, run.plan, likely if vertices is None else vertices, False, run.threads, bulk=True
    )
    try:
        trees.refuse_from(bound)
        trees.insert(u, v)
        return _labelled(run, trees, began, to_host=True)
    except (CoreInputError, InputError):
        return None
    finally:
        trees.close()
