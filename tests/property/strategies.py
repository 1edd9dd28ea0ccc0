"""Random graphs and random ways to compute, for the laws."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import landbridge
from landbridge import Graph
from landbridge.plan import parse

Ids = NDArray[np.int64]

ENGINE = os.environ.get("LANDBRIDGE_LAWS_ENGINE", "cpu")
"""The engine that the laws are put to: `tools/gpu_check` names the other one."""
PLANS = landbridge.plans(problem="components", engine=ENGINE, extended=True)
if ENGINE != "cpu":
    PLANS = PLANS[::7]  # each has kernels of its own to compile


@dataclass(frozen=True)
class Pairs:
    """n vertices and the edges (u[i], v[i])."""

    n: int
    u: Ids
    v: Ids

    def graph(self) -> Graph:
        return Graph((self.u, self.v), num_vertices=self.n)


@dataclass(frozen=True)
class Way:
    """How to compute: a plan, threads, a seed, and whether the graph is given as CSR."""

    plan: str
    threads: int
    rows: bool

    def labels(self, pairs: Pairs) -> Ids:
        graph = pairs.graph()
        if self.rows:
            graph = graph.to_rows(self.threads)
        result = landbridge.components(graph, plan=self.plan, threads=self.threads)
        assert result.count == (int(result.labels.max()) + 1 if pairs.n else 0)
        return result.labels.astype(np.int64)

    def count(self, pairs: Pairs) -> int:
        return int(self.labels(pairs).max(initial=-1)) + 1


@st.composite
def pairs(draw: st.DrawFn, most: int = 40, least: int = 0) -> Pairs:
    """Small graphs drawn edge by edge, which shrink well, or larger ones from a seed and a density."""
    if draw(st.integers(0, 3)):
        n = draw(st.integers(least, most))
        end = st.integers(0, max(0, n - 1))
        edges = draw(st.lists(st.tuples(end, end), max_size=2 * n)) if n else []
        table = np.array(edges, dtype=np.int64).reshape(-1, 2)
        return Pairs(n, table[:, 0].copy(), table[:, 1].copy())
    n = draw(st.integers(max(least, 1), 2000) | st.sampled_from([16383, 16385, 40000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    m = int(n * draw(st.sampled_from([0, 0.1, 0.5, 0.7, 1.5, 4])))
    # Powers of uniform numbers: from even to hubs.
    power = draw(st.sampled_from([1, 1, 3]))
    u, v = ((rng.random(m) ** power * n).astype(np.int64) for _ in range(2))
    return Pairs(n, u, v)


@st.composite
def ways(draw: st.DrawFn) -> Way:
    text = draw(st.sampled_from(PLANS))
    seed = draw(st.integers(0, 2**64 - 1))
    ids = draw(st.sampled_from(["narrow", "wide"]))
    seeded = f",seed={seed}" if ENGINE != "cpu" or parse(text).sample is not None else ""
    plan = f"{text.removesuffix(')')}{seeded},ids={ids})"
    # A layout in the plan is a conversion; the graph may be given in either.
    return Way(str(parse(plan)), draw(st.integers(1, 4)), draw(st.booleans()))
