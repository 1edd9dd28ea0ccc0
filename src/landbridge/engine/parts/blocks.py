"""A graph in blocks, one for each processor, which solves its own by the whole plan."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from landbridge.device import cuda
from landbridge.edges.on_device import is_device_array
from landbridge.engine.parts.processors import OneGpu, Processor, copied_to, device_of, errors_of, on_host
from landbridge.engine.parts.trees import PartsTrees
from landbridge.engine.parts.worker_threads import run_in_threads
from landbridge.graph import Graph
from landbridge.plan import Plan


def unite_blocks(
    trees: PartsTrees, processors: Sequence[Processor], plan: Plan, graph: Graph, with_forest: bool
) -> None:
    """Solve each block on its processor, and unite the answers with the trees."""
    cuts = cuts_of(graph, len(processors))

    def work(place: int, processor: Processor) -> None:
        begin, end = cuts[place], cuts[place + 1]
        since = time.perf_counter()
        with errors_of(processor, "solving its block"):
            block, first = block_of(graph, begin, end)
            if block.num_edges == 0:
                return
            block = near(block, processor)
            with processor.selected():
                answer = _answer(processor, plan, block, with_forest, first)
        trees.take_answer(place, answer, block.num_edges, since)

    run_in_threads([partial(work, place, processor) for place, processor in enumerate(processors)])


def block_of(graph: Graph, begin: int, end: int) -> tuple[Graph, int]:
    """The edges begin..end-1 of a COO edge list, or the arcs of the vertices begin..end-1 of a CSR, as a graph of all
    vertices; and the position of its first edge in the whole."""
    if graph.offsets is None:
        assert graph.b is not None
        return Graph.of_checked_pairs(graph.a[begin:end], graph.b[begin:end], graph.num_vertices), begin
    with device_of(graph.offsets):
        first, last = int(graph.offsets[begin]), int(graph.offsets[end])
        block = graph._with(graph.offsets.clip(first, last) - first, graph.a[first:last], None, False)
    block.ids, block.notes = None, ()
    return block, first


def cuts_of(graph: Graph, parts: int) -> list[int]:
    """Where blocks with equal numbers of stored edges begin, and where the last one ends: rows of a CSR, else edges."""
    shares = [graph.num_edges * i // parts for i in range(parts + 1)]
    if graph.offsets is None:
        return shares
    with device_of(graph.offsets):
        module = cuda.cupy() if is_device_array(graph.offsets) else np
        positions = module.asarray(shares[1:-1], dtype=graph.offsets.dtype)
        inner = on_host(module.searchsorted(graph.offsets, positions)).tolist()
    return [0, *(min(cut, graph.num_vertices) for cut in inner), graph.num_vertices]


def near(block: Graph, processor: Processor) -> Graph:
    """A block in the memory of its processor, which its kernels read; one in host memory stays there."""
    if not block.on_device:
        return block
    if not isinstance(processor, OneGpu):
        with device_of(block.a):
            return block.to_host()
    offsets, a, b = (None if x is None else copied_to(x, processor.ordinal) for x in (block.offsets, block.a, block.b))
    copy = block._with(offsets, a, b, block.symmetric)
    copy.rows = block.rows if a is block.a else None
    return copy


def _answer(processor: Processor, plan: Plan, block: Graph, with_forest: bool, first: int) -> Any:
    """The edges (u, v, positions) of the processor's forest of a block, or the smallest vertex of each tree."""
    own, threads = processor.plan(plan), processor.threads
    if with_forest:
        answer = processor.engine.solve("forest", block, own, threads)
        return tuple(map(on_host, (answer.u, answer.v, answer.edge + first)))
    return processor.engine.solve("components", block, own, threads).representatives
