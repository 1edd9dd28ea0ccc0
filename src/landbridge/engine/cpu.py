"""The engine of CPU threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import facts_of
from landbridge.engine.memory import cpu_bytes, cpu_forest_bytes
from landbridge.engine.sizes import Sizes
from landbridge.errors import InputError
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.plan.choose import Choice, Facts, choose_cpu, for_forest
from landbridge.result import Components, IdArray, Profile, SpanningForest

# Pairs from which reading them once instead of twice is worth reserving address space.
_WORTH_ONE_PASS = 1 << 17


def _density(u: IdArray, v: IdArray) -> float:
    """Pairs for each vertex, as far as about 512 of the ids show."""
    few = slice(None, None, max(1, len(u) // 256))
    return len(u) / (1 + max(0, int(u[few].max()), int(v[few].max()))) if len(u) else 0.0


class CpuEngine:
    """Threads of this process, over the compiled core."""

    name = "cpu"

    def facts(self, graph: Graph, threads: int) -> Facts:
        graph = graph.to_host()
        return facts_of(graph, threads, None if graph.b is None else _density(graph.a, graph.b))

    def choose(self, facts: Facts) -> Choice:
        return choose_cpu(facts)

    def memory(self, sizes: Sizes, plan: Plan, forest: bool = False) -> int:
        return cpu_forest_bytes(sizes, plan) if forest else cpu_bytes(sizes, plan)

    def at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> Components | None:
        chosen = self._for_unseen(u, v, plan, threads)
        if chosen is None:
            return None
        plan, threads = chosen
        began = time.perf_counter()
        found = _core.components_of_pairs(u, v, plan.finish.link, plan.finish.find, plan.finish.splice, threads)
        if found is None:
            return None
        count, labels, phases = found
        profile = Profile(dict(phases), time.perf_counter() - began, threads, 0.0)
        return Components(count, labels, str(plan), "cpu", profile)

    def forest_at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> SpanningForest | None:
        chosen = self._for_unseen(u, v, plan, threads)
        if chosen is None:
            return None
        plan, threads = chosen
        finish = for_forest(Choice(plan, ())).plan.finish
        began = time.perf_counter()
        found = _core.forest_of_pairs(u, v, finish.link, finish.find, finish.splice, threads)
        if found is None:
            return None
        n, (ends, others, edge), phases = found
        profile = Profile(dict(phases), time.perf_counter() - began, threads, 0.0)
        text = str(replace(plan, finish=finish))
        return SpanningForest(ends, others, edge, n - len(edge), text, "cpu", profile)

    def _for_unseen(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> tuple[Plan, int] | None:
        """The plan and the threads for pairs that nobody has validated; None where they cannot be taken in one pass."""
        m = len(u)
        if m < _WORTH_ONE_PASS or is_device_array(u):
            return None
        if plan is None:
            # Only the density of pairs is looked at, and it needs no number of vertices.
            plan = self.choose(Facts(0, m, "coo", False, 0.0, _density(u, v), 0.0, 0.0, 0.0, 0.0, threads)).plan
        finish = plan.finish
        options = dict(plan.engine.options) if plan.engine is not None else {}
        plain = plan.sample is None and finish.stages is None and not finish.standalone and plan.layout != "csr"
        if not plain or options.get("ids") == "wide":
            return None
        return plan, int(options.get("threads", threads))

    def components(self, graph: Graph, plan: Plan, threads: int) -> Components:
        task = _Task(graph, plan, threads)
        if plan.layout is not None and plan.layout != graph.layout:
            task.convert("rows" if plan.layout == "csr" else "pairs")
        count, labels, phases, skipped, rounds = task.run(_core.components)
        profile = task.profile(phases, skipped, rounds)
        return Components(count, labels, str(plan), "cpu", profile, graph.ids, graph.notes)

    def forest(self, graph: Graph, plan: Plan, threads: int) -> SpanningForest:
        task = _Task(graph, plan, threads)
        # Rows are made by the core, which then knows where each arc came from; pairs are in the order of the arcs.
        rows = plan.layout == "csr" and graph.layout == "coo"
        if plan.layout == "coo" and graph.layout == "csr":
            task.convert("pairs")
        (u, v, edge), phases, skipped, rounds = task.run(_core.spanning_forest, rows=rows)
        profile = task.profile(phases, skipped, rounds)
        count = graph.num_vertices - len(edge)
        if graph.ids is not None:
            u, v = graph.ids[u], graph.ids[v]
        return SpanningForest(u, v, edge, count, str(plan), "cpu", profile, graph.ids, graph.notes)


class _Task:
    """A plan on its way into the core: its words as arguments, and the clock."""

    def __init__(self, graph: Graph, plan: Plan, threads: int) -> None:
        options = dict(plan.engine.options) if plan.engine is not None else {}
        if options.get("ids") == "narrow" and graph.wide:
            raise InputError(f"ids=narrow holds fewer than 2^31 vertices, and the graph has {graph.num_vertices}")
        self.threads = int(options.get("threads", threads))
        self.began = time.perf_counter()
        self.seconds: dict[str, float] = {}
        self.graph = graph.to_host()
        sample, finish = plan.sample, plan.finish
        rules: dict[str, Any] = dict(sample.values) if sample else {}
        if finish.standalone:
            rules.update(finish=finish.link, values=dict(finish.values))
        else:
            rules.update(link=finish.link, find=finish.find, splice=finish.splice)
        self.rules = rules | {
            "sample": sample.name if sample else "",
            "stage": finish.stages or 0.0,
            "seed": int(options.get("seed", 1)),
            "wide": graph.wide or options.get("ids") == "wide",
        }

    def convert(self, shape: str) -> None:
        """Make "rows" or "pairs" of the graph."""
        self.graph = self.graph.to_rows(self.threads) if shape == "rows" else self.graph.to_pairs()
        self.seconds[shape] = time.perf_counter() - self.began

    def run(self, function: Callable[..., Any], **more: Any) -> Any:
        """What the function of the core returns for the graph and the plan."""
        g = self.graph
        try:
            return function(
                g.num_vertices, g.offsets, g.a, g.b,
                symmetric=bool(g.symmetric), threads=self.threads, **self.rules, **more,
            )  # fmt: skip
        except CoreInputError as error:
            raise InputError(str(error)) from None

    def profile(self, phases: Iterable[tuple[str, float]], skipped: int, rounds: int) -> Profile:
        n = self.graph.num_vertices
        seconds = self.seconds | dict(phases)
        total = time.perf_counter() - self.began
        return Profile(seconds, total, self.threads, skipped / n if n else 0.0, rounds or None)
