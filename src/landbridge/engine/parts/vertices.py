"""The published division by vertices: connected components on a CPU and a GPU, of Banerjee and Kothapalli (2011).

The first t per cent of the vertices are the CPU's, in one block for each of its workers, which search serially; the
others are the GPU's, which runs the rounds of the plan. Edges inside of a block are its processor's; all others, the
cross edges, are united afterwards: the smaller label spreads over them until nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.engine.parts.processors import Processor, errors_of
from landbridge.engine.parts.worker_threads import run_in_threads
from landbridge.graph import Graph
from landbridge.plan import Plan, parse
from landbridge.result import Share

_SEARCH, _SPREAD = parse("serial_search"), parse("label_propagation(all)")


@dataclass
class Block:
    """Consecutive vertices, the processor that has them, and how: its plan and threads."""

    begin: int
    end: int
    processor: Processor
    plan: Plan
    threads: int
    edges: int = 0
    span: tuple[float, float] = (0.0, 0.0)


@dataclass
class Division:
    """What a run leaves: representatives of all vertices, seconds by phase, and the shares."""

    representatives: NDArray[Any]
    seconds: dict[str, float]
    shares: tuple[Share, ...]
    cross: int


def blocks_of(n: int, t: float, processors: Sequence[Processor], plan: Plan) -> list[Block]:
    """The blocks of n vertices: floor(n t / 100) for the workers of CPU threads, the rest for one more processor.

    That is the first GPU, or of CPU threads alone the last ones. Without CPU threads it has all vertices.
    """
    last, searching = parts_of(processors)
    workers = [processor for processor in searching for _ in range(processor.threads)]
    count = len(workers)
    inner = int(n * t / 100) if count else 0
    search = [
        Block(i * inner // count, (i + 1) * inner // count, processor, processor.plan(_SEARCH), 1)
        for i, processor in enumerate(workers)
    ]
    return [*search, Block(inner, n, last, last.plan(plan), last.threads)]


def parts_of(processors: Sequence[Processor]) -> tuple[Processor, list[Processor]]:
    """The processor that runs rounds, and those that search."""
    hosts = [processor for processor in processors if processor.engine.on_host]
    last = next((processor for processor in processors if not processor.engine.on_host), processors[-1])
    return last, [processor for processor in hosts if processor is not last] or hosts


def divide(graph: Graph, t: float, processors: Sequence[Processor], plan: Plan) -> Division:
    """Representatives (the smallest vertex of each component), whatever t is."""
    began = time.perf_counter()
    n, (last, _) = graph.num_vertices, parts_of(processors)
    blocks = blocks_of(n, t, processors, plan)
    pairs = graph.to_host().to_pairs()
    assert pairs.b is not None
    ids = np.int64 if graph.wide else np.int32
    u, v = (x.astype(ids, copy=False) for x in (pairs.a, pairs.b))
    bounds = np.array([block.end for block in blocks])
    owner, other = (np.searchsorted(bounds, x, side="right") for x in (u, v))
    inside, cross = owner == other, owner != other
    if graph.symmetric:
        cross &= np.greater(u, v)
    labels = np.arange(n, dtype=ids)
    seconds = {"divide": time.perf_counter() - began}

    def work(place: int) -> None:
        block = blocks[place]
        own = inside & (owner == place)
        since = time.perf_counter()
        part = Graph.of_checked_pairs(u[own] - block.begin, v[own] - block.begin, block.end - block.begin)
        block.edges = part.num_edges
        if block.edges:
            with errors_of(block.processor, "solving its block"):
                labels[block.begin : block.end] = block.begin + _representatives(
                    block.processor, part, block.plan, block.threads
                )
        block.span = (since - began, time.perf_counter() - began)

    run_in_threads([partial(work, place) for place in range(len(blocks))])
    seconds["blocks"] = time.perf_counter() - began - seconds["divide"]
    a, b = labels[u[cross]], labels[v[cross]]
    differ = a != b
    if differ.any():
        with errors_of(last, "uniting cross edges"):
            roots = Graph.of_checked_pairs(a[differ], b[differ], n)
            labels = _representatives(last, roots, last.plan(_SPREAD), last.threads)[labels]
    seconds["cross"] = time.perf_counter() - began - sum(seconds.values())
    return Division(labels, seconds, _shares(processors, blocks), int(cross.sum()))


def _representatives(processor: Processor, part: Graph, plan: Plan, threads: int) -> NDArray[Any]:
    result = processor.engine.solve("components", part, plan, threads).representatives
    host: NDArray[Any] = result.get() if hasattr(result, "get") else result
    return host


def _shares(processors: Sequence[Processor], blocks: Sequence[Block]) -> tuple[Share, ...]:
    """Of each processor: the edges inside of its blocks, and the time in which they were solved."""
    result = []
    for processor in processors:
        own = [block for block in blocks if block.processor is processor]
        spans = tuple(block.span for block in own)
        seconds = max((end for _, end in spans), default=0.0) - min((begin for begin, _ in spans), default=0.0)
        result.append(Share(processor.name, sum(block.edges for block in own), len(own), seconds, spans=spans))
    return tuple(result)


def numbered(representatives: NDArray[Any]) -> tuple[int, NDArray[Any]]:
    """(count, labels) of representatives."""
    roots = representatives == np.arange(len(representatives), dtype=representatives.dtype)
    places = np.cumsum(roots, dtype=representatives.dtype) - 1
    return int(roots.sum()), places[representatives]
