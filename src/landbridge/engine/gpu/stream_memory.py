"""What a stream on a GPU takes, before there is one: the arrays of its trees, of a batch and of its labels, counted."""

from __future__ import annotations

import numpy as np

from landbridge.device import layout
from landbridge.device.kernels import Rule
from landbridge.device.memory_counter import MemoryCounter
from landbridge.engine.gpu.cut_edges import places_for, waiting_edges
from landbridge.engine.gpu.stream_launches import BATCH, COMPONENTS, STREAM, TREE, TreeArrays, number_tiles
from landbridge.engine.gpu.stream_schedule import LEAST_CUT, rule_of_stream
from landbridge.engine.sizes import Sizes
from landbridge.plan import Plan


def stream_bytes(sizes: Sizes, plan: Plan) -> int:
    """Bytes of the trees of a stream that was handed all edges in one batch, and of its labels."""
    n = max(1, sizes.vertices)
    wide = sizes.wide or plan.option("ids", "") == "wide"
    cell, rule, counter = np.dtype(np.uint64 if wide else np.uint32), rule_of_stream(plan), MemoryCounter()
    trees = [counter.empty(n, dtype) for dtype in TreeArrays.dtypes(rule, False, wide).values()]
    waiting = waiting_edges(counter, rule, places_for(n, small=True, batch=sizes.edges), cell, positions=False)
    control = [counter.empty(words["end"], np.uint64) for words in (STREAM, COMPONENTS, BATCH, BATCH, TREE)]
    members = None if plan.finish.standalone else counter.empty(layout.words_of(n), np.uint32)
    _count_batch(counter, sizes, rule, cell, in_rounds=plan.finish.standalone)
    _count_labels(counter, n, rule, cell)
    del trees, waiting, control, members
    return counter.peak


def _count_batch(counter: MemoryCounter, sizes: Sizes, rule: Rule, cell: np.dtype, *, in_rounds: bool) -> None:
    """The copy of edges in host memory; roots of ranked trees where they are marked; what rounds rewrite."""
    n, m = max(1, sizes.vertices), sizes.edges
    held = [] if sizes.on_device else [counter.empty(m, f"int{sizes.id_bits}") for _ in range(2)]
    if in_rounds:
        group = min(m, max(LEAST_CUT, n))
        held += [counter.empty(size, cell) for size in (group, group, min(2 * group, n))]
    elif rule.ranked:
        held.append(counter.empty(n, cell))
    del held


def _count_labels(counter: MemoryCounter, n: int, rule: Rule, cell: np.dtype) -> None:
    """A copy of the parents, and the smallest vertices of trees that are linked by rank."""
    roots = [counter.empty(n, cell) for _ in range(2 if rule.ranked else 1)]
    tiles = counter.empty(number_tiles(n), np.uint64)
    control = counter.empty(COMPONENTS["end"], np.uint64)
    del roots, tiles, control
