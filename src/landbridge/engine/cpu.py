"""The engine of CPU threads."""

from __future__ import annotations

import time
from typing import Any

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.on_device import is_device_array
from landbridge.engine.base import facts_of
from landbridge.engine.memory import cpu_bytes
from landbridge.engine.sizes import Sizes
from landbridge.errors import InputError
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.plan.choose import Choice, Facts, choose_cpu
from landbridge.result import Components, IdArray, Profile

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

    def memory(self, sizes: Sizes, plan: Plan) -> int:
        return cpu_bytes(sizes, plan)

    def at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> Components | None:
        m = len(u)
        if m < _WORTH_ONE_PASS or is_device_array(u):
            return None
        if plan is None:
            # Only the density of pairs is looked at, and it needs no number of vertices.
            plan = self.choose(Facts(0, m, "coo", False, 0.0, _density(u, v), 0.0, 0.0, 0.0, 0.0, threads)).plan
        finish = plan.finish
        options = dict(plan.engine.options) if plan.engine is not None else {}
        plain = plan.sample is None and finish.stages is None and not finish.whole and plan.layout != "csr"
        if not plain or options.get("ids") == "wide":
            return None
        threads = int(options.get("threads", threads))
        began = time.perf_counter()
        found = _core.components_of_pairs(u, v, finish.link, finish.find, finish.splice, threads)
        if found is None:
            return None
        count, labels, phases = found
        profile = Profile(dict(phases), time.perf_counter() - began, threads, 0.0)
        return Components(count, labels, str(plan), "cpu", profile)

    def components(self, graph: Graph, plan: Plan, threads: int) -> Components:
        options = dict(plan.engine.options) if plan.engine is not None else {}
        threads = int(options.get("threads", threads))
        if options.get("ids") == "narrow" and graph.wide:
            raise InputError(f"ids=narrow holds fewer than 2^31 vertices, and the graph has {graph.num_vertices}")
        wide = graph.wide or options.get("ids") == "wide"
        began = time.perf_counter()
        seconds: dict[str, float] = {}
        graph = graph.to_host()
        if plan.layout is not None and plan.layout != graph.layout:
            made, name = (graph.to_rows(threads), "rows") if plan.layout == "csr" else (graph.to_pairs(), "pairs")
            graph = made
            seconds[name] = time.perf_counter() - began
        sample, finish = plan.sample, plan.finish
        rules: dict[str, Any] = dict(sample.values) if sample else {}
        if finish.whole:
            rules.update(finish=finish.link, values=dict(finish.values))
        else:
            rules.update(link=finish.link, find=finish.find, splice=finish.splice)
        try:
            count, labels, phases, skipped = _core.components(
                graph.num_vertices,
                graph.offsets,
                graph.a,
                graph.b,
                symmetric=bool(graph.symmetric),
                wide=wide,
                sample=sample.name if sample else "",
                threads=threads,
                seed=int(options.get("seed", 1)),
                stage=finish.stages or 0.0,
                **rules,
            )
        except CoreInputError as error:
            raise InputError(str(error)) from None
        seconds.update(phases)
        n = graph.num_vertices
        profile = Profile(seconds, time.perf_counter() - began, threads, skipped / n if n else 0.0)
        return Components(count, labels, str(plan), "cpu", profile, graph.ids, graph.notes)
