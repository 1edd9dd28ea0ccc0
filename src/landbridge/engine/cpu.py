"""The engine of CPU threads."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.errors import InputError
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.plan.choose import Choice, Facts, choose_cpu
from landbridge.result import Components, Profile

_PROBED = 1024


class CpuEngine:
    """Threads of this process, over the compiled core."""

    name = "cpu"

    def facts(self, graph: Graph, threads: int) -> Facts:
        n, m = graph.num_vertices, graph.num_edges
        skew = first_smaller = local = 0.0
        if graph.offsets is not None and m:
            # A fixed stride through the vertices: the same facts for the same graph, every time.
            probe = np.linspace(0, n - 1, num=min(n, _PROBED), dtype=np.int64)
            begin = graph.offsets[probe].astype(np.int64)
            degree = graph.offsets[probe + 1].astype(np.int64) - begin
            some = degree > 0
            if some.any():
                skew = float(degree.max()) / (m / n)
                first = graph.a[begin[some]].astype(np.int64)
                first_smaller = float(np.mean(first < probe[some]))
                last = graph.a[(begin + degree - 1)[some]].astype(np.int64)
                near = max(1, n // 64)
                local = float(np.mean((np.abs(first - probe[some]) < near) & (np.abs(last - probe[some]) < near)))
        return Facts(
            vertices=n,
            edges=m,
            layout=graph.layout,
            symmetric=bool(graph.symmetric),
            average_degree=m / n if n else 0.0,
            skew=skew,
            first_smaller=first_smaller,
            local=local,
            threads=threads,
        )

    def choose(self, facts: Facts) -> Choice:
        return choose_cpu(facts)

    def components(self, graph: Graph, plan: Plan, threads: int) -> Components:
        options = dict(plan.engine.options) if plan.engine is not None else {}
        threads = int(options.get("threads", threads))
        if options.get("ids") == "narrow" and graph.wide:
            raise InputError(f"ids=narrow holds fewer than 2^31 vertices, and the graph has {graph.num_vertices}")
        wide = graph.wide or options.get("ids") == "wide"
        began = time.perf_counter()
        seconds: dict[str, float] = {}
        if plan.layout == "csr" and graph.layout == "coo":
            graph = graph.to_rows(threads)
            seconds["rows"] = time.perf_counter() - began
        sample, finish = plan.sample, plan.finish
        rules: dict[str, Any] = dict(sample.values) if sample else {}
        if finish.whole:
            rules["finish"] = finish.link
        else:
            rules.update(link=finish.link, find=finish.find, splice=finish.splice, stage=finish.stages or 0.0)
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
                **rules,
            )
        except CoreInputError as error:
            raise InputError(str(error)) from None
        seconds.update(phases)
        n = graph.num_vertices
        profile = Profile(seconds, time.perf_counter() - began, threads, skipped / n if n else 0.0)
        return Components(count, labels, str(plan), "cpu", profile, graph.ids, graph.notes)
