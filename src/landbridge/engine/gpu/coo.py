"""One rule over all edges of an edge list: in the order of the list, in stages, or a sample of them first."""

from __future__ import annotations

import math
from itertools import pairwise

from landbridge.device import kernels, layout
from landbridge.device.jit import Kernel
from landbridge.device.launch import BLOCK, grid_for
from landbridge.device.layout import Struct
from landbridge.engine.gpu.components_run import ComponentsRun
from landbridge.engine.gpu.cut_edges import LANE_EDGES, MOST_EDGES, NO_CUT, NO_TREE, blocks_for, settle_blocks
from landbridge.engine.gpu.edge_schedule import ROW_STARTS, hookings, samples_head, worth_marking, worth_sampling

_RANGE, _SAMPLE = layout.struct_type("EdgeRange"), layout.struct_type("EdgeSample")
_HOOK_LEAST = 2**18
"""Edges below which hooking does not pay for its launches."""
_OUTSIDE_THREADS = layout.constant("outside_threads")


def add_edges(run: ComponentsRun, rule: kernels.Rule, stages: float | None) -> None:
    """stages: each has so many times as many edges as there are vertices; None: all edges are one."""
    group = min(MOST_EDGES, run.m if stages is None else max(1, math.ceil(stages * run.n)))
    kernel = kernels.unite_coo(rule, run.shape, run.forest)
    if rule.cuts_off:
        _add_cut_edges(run, rule, kernel, group, whole=stages is None)
        return
    for begin in range(0, run.m, max(1, group)):
        end = min(begin + group, run.m)
        if rule.ranked and begin > 0:
            run.flatten_ranked("finish", rule)
        part = _RANGE(begin=begin, end=end, raised=int(begin > 0 and stages is not None))
        blocks = grid_for(run.device, end - begin)
        run.uniting("finish", kernel, blocks, run.edges, run.cells, part, NO_TREE, NO_CUT)


def _add_cut_edges(run: ComponentsRun, rule: kernels.Rule, kernel: Kernel, group: int, *, whole: bool) -> None:
    """Edges under a rule whose walks are cut off. Once as many are united as there are vertices, most others join
    vertices of the largest tree: these are marked, where a bit is closer at hand than a parent."""
    head, sizes = run.n - run.n % LANE_EDGES, (run.m, run.n, run.cell.itemsize, run.device.cache)
    marks_tree = whole and 0 < head < run.m
    if marks_tree and not run.forest and run.m <= MOST_EDGES:
        if worth_sampling(*sizes):
            _add_sampled(run, rule, head)
            return
        marks_tree = False
    marks_tree = marks_tree and worth_marking(*sizes)
    settle, settlers = kernels.settle_coo(rule, run.shape, run.forest), settle_blocks(run.device)
    cut, largest = run.cut_edges(rule), NO_TREE
    fits = _HOOK_LEAST <= run.m <= MOST_EDGES
    hooks = whole and fits and not run.forest and not marks_tree and any(hookings(run.m, run.n))
    begins = sorted({*range(0, run.m, max(1, group)), *([head] if marks_tree else [])})
    if hooks:
        largest = run.hook_edges()
    for begin, end in pairwise([*begins, run.m]):
        if marks_tree and begin == head:
            largest = run.mark_tree()
        arguments = (run.edges, run.cells, _RANGE(begin=begin, end=end, raised=0))
        run.linking("finish", kernel, blocks_for(run.device, end - begin), *arguments, largest, cut)
        run.linking("finish", settle, settlers, *arguments, cut, cooperative=True)


def _add_sampled(run: ComponentsRun, rule: kernels.Rule, head: int) -> None:
    """A sample of the edges, the members of the largest tree after that, and the edges that do not join two of them.
    Edges that look like those of a mesh are hooked in place of the sample. head: the sample of edges that do not lie in
    rows: so many, the first ones."""
    device, cut = run.device, run.cut_edges(rule)
    largest = run.largest_tree() if samples_head(run.m, run.n) else run.hook_edges()
    sample = _SAMPLE(head=head, starts=ROW_STARTS, end=run.m)

    def add(name: str, blocks: int, *arguments: Struct, threads: int = BLOCK, cooperative: bool = False) -> None:
        kernel = kernels.sampled_coo(name, rule, run.shape)
        ready = (run.edges, run.cells, *arguments)
        run.launches.add("finish", kernel, blocks, *ready, threads=threads, cooperative=cooperative)

    add("sample_coo", blocks_for(device, run.m), sample, cut)
    settle, part = kernels.settle_coo(rule, run.shape), _RANGE(begin=0, end=head, raised=0)
    run.launches.add("finish", settle, settle_blocks(device), run.edges, run.cells, part, cut, cooperative=True)
    add("mark_coo", settle_blocks(device), largest, cooperative=True)
    add("unite_rest", blocks_for(device, run.m), sample, largest, cut)
    add("unite_outside", device.multiprocessors, sample, largest, cut, threads=_OUTSIDE_THREADS)
    add("settle_rest", settle_blocks(device), sample, cut, cooperative=True)
