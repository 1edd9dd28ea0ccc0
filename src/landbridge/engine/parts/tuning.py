"""The CPU's share t of a division by vertices: from rates, or from a table of the best shares of earlier runs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from landbridge.edges.generators import generate
from landbridge.engine.parts.calibration import Store
from landbridge.engine.parts.processors import Processor
from landbridge.engine.parts.vertices import blocks_of, divide, parts_of
from landbridge.graph import Graph
from landbridge.plan import Plan

PROBE = "gnm(65536, 262144, seed=1)"
"""The graph on which rates are measured where none are stored."""
SHARES = tuple(range(0, 65, 5))
"""Shares in per cent that are tried for a table, as published."""


class Point(NamedTuple):
    """The best share for graphs of a size."""

    vertices: int
    edges: int
    t: float


def share_of_rates(cpu: float, gpu: float) -> float:
    """t by which both parts take equally long: 100 r_c / (r_c + r_g)."""
    return 100 * cpu / (cpu + gpu) if cpu + gpu > 0 else 0.0


def interpolated(points: Sequence[Point], vertices: int, edges: int) -> float:
    """The share between the points of a grid: bilinear in lg n and lg m, the nearest point beyond its border."""
    n, m = math.log2(max(1, vertices)), math.log2(max(1, edges))
    columns = sorted({point.vertices for point in points})

    def along(column: int) -> float:
        own = sorted((math.log2(p.edges), p.t) for p in points if p.vertices == column)
        return _between(own, m)

    return _between([(math.log2(column), along(column)) for column in columns], n)


def _between(points: Sequence[tuple[float, float]], x: float) -> float:
    if x <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in pairwise(points):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return points[-1][1]


def tuned(processors: Sequence[Processor], plan: Plan, graph: Graph, store: Store | None = None) -> tuple[float, str]:
    """The share for a graph, and why: interpolated in the stored table if there is one, else from stored rates, else
    from rates that are measured now and stored."""
    store = store or Store()
    key = _key(processors, plan)
    points = [Point(int(n), int(m), float(t)) for n, m, t in store.get(f"{key}, table") or ()]
    if points:
        t = interpolated(points, graph.num_vertices, graph.num_edges)
        return t, f"t = {t:.1f} per cent, between the best shares of {len(points)} sizes that were measured"
    rates = store.get(f"{key}, rates")
    if rates is None:
        rates = list(measured_rates(processors, plan))
        store.put(f"{key}, rates", rates)
    t = share_of_rates(*rates)
    last, searching = parts_of(processors)
    first = " and ".join(processor.name for processor in searching)
    return (
        t,
        f"t = {t:.1f} per cent: {first} takes {rates[0]:.3g} edges/s in a search, {last.name} {rates[1]:.3g} in rounds",
    )


def measured_rates(processors: Sequence[Processor], plan: Plan) -> tuple[float, float]:
    """Edges per second of the workers' searches, and of the rounds of the last processor, on the probe."""
    graph = Graph(generate(PROBE))
    rates = []
    for t in (100.0, 0.0):
        best = math.inf
        for _ in range(2):
            division = divide(graph, t, processors, plan)
            edges = sum(share.edges for share in division.shares)
            best = min(best, division.seconds["blocks"] / max(1, edges))
        rates.append(1 / best if best > 0 else 0.0)
    return rates[0], rates[1]


def tune(
    processors: Sequence[Processor],
    plan: Plan,
    graphs: Sequence[Callable[[], Graph]],
    store: Store | None = None,
    shares: Sequence[float] = SHARES,
) -> list[Point]:
    """Run every share on every graph, and store the fastest: the table that `tuned` reads from then on."""
    points = []
    for make in graphs:
        graph, times = make(), {}
        for t in shares:
            began = time.perf_counter()
            divide(graph, t, processors, plan)
            times[t] = time.perf_counter() - began
        points.append(Point(graph.num_vertices, graph.num_edges, min(times, key=lambda t: times[t])))
    (store or Store()).put(f"{_key(processors, plan)}, table", [list(point) for point in points])
    return points


def _key(processors: Sequence[Processor], plan: Plan) -> str:
    names = " and ".join(processor.identity() for processor in processors)
    workers = len(blocks_of(0, 0.0, processors, plan)) - 1
    return f"division by vertices, {plan.finish}, {names}, {workers} workers"
