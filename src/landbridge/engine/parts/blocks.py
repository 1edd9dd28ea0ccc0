"""A graph in blocks, one for each processor, which solves its own by the whole plan."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from landbridge.edges.on_device import is_device_array
from landbridge.engine.parts.processors import Processor, naming
from landbridge.engine.parts.together import together
from landbridge.engine.parts.trees import PartsTrees
from landbridge.graph import Graph
from landbridge.plan import Plan


def unite_blocks(
    trees: PartsTrees, processors: Sequence[Processor], plan: Plan, graph: Graph, with_forest: bool
) -> None:
    """Solve each block on its processor, and insert the answers into the first trees."""
    cuts = cuts_of(graph, len(processors))

    def work(place: int, processor: Processor) -> None:
        begin, end = cuts[place], cuts[place + 1]
        block, first = block_of(graph, begin, end)
        if block.num_edges == 0:
            return
        since = time.perf_counter()
        with naming(processor, "solving its block"):
            links = _links(processor, plan, block, with_forest, first)
        trees.take_links(place, links, block.num_edges, since)

    together([partial(work, place, processor) for place, processor in enumerate(processors)])


def block_of(graph: Graph, begin: int, end: int) -> tuple[Graph, int]:
    """The edges begin..end-1 of a COO edge list, or the arcs of the vertices begin..end-1 of a CSR, as a graph of all
    vertices; and the position of its first edge in the whole."""
    if graph.offsets is None:
        assert graph.b is not None
        return Graph.of_checked_pairs(graph.a[begin:end], graph.b[begin:end], graph.num_vertices), begin
    first, last = int(graph.offsets[begin]), int(graph.offsets[end])
    block = graph._with(graph.offsets.clip(first, last) - first, graph.a[first:last], None, False)
    block.ids, block.notes = None, ()
    return block, first


def cuts_of(graph: Graph, parts: int) -> list[int]:
    """Where blocks with equal numbers of stored edges begin, and where the last one ends: rows of a CSR, else edges."""
    shares = [graph.num_edges * i // parts for i in range(parts + 1)]
    if graph.offsets is None:
        return shares
    inner = [int(np.searchsorted(_sorted_view(graph.offsets), share)) for share in shares[1:-1]]
    return [0, *(min(cut, graph.num_vertices) for cut in inner), graph.num_vertices]


def _sorted_view(offsets: Any) -> Any:
    return offsets.get() if is_device_array(offsets) else offsets


def _links(processor: Processor, plan: Plan, block: Graph, with_forest: bool, first: int) -> tuple[Any, Any, Any]:
    """The edges that the processor's answer for a block stands for: (u, v, positions or None)."""
    own, threads = processor.plan(plan), processor.threads
    block = block if not (block.on_device and processor.engine.on_host) else block.to_host()
    if with_forest:
        answer = processor.engine.solve("forest", block, own, threads)
        return answer.u, answer.v, answer.edge + first
    representatives = processor.engine.solve("components", block, own, threads).representatives
    if is_device_array(representatives):
        representatives = representatives.get()
    return np.arange(len(representatives), dtype=representatives.dtype), representatives, None
