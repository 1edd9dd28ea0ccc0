"""List ranking on one GPU: the phases of the CPU under CUDA schedules.

`chains`, the default, walks between splitters that need no mark and writes nothing where it goes: what it finds of an
element is appended to the queue of a part of the result that fits the cache, and put in order part by part. The other
plans are those of their papers.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda
from landbridge.edges.successors import Lists, ScanSpec
from landbridge.engine.base import Solver
from landbridge.engine.gpu import NAME
from landbridge.engine.gpu.choose import choose_ranking
from landbridge.engine.gpu.list_run import Answer, ListRun, ListTimeline, NotListsError
from landbridge.engine.gpu.list_steps import Array, Ends
from landbridge.engine.gpu.plan_device import on_device_of
from landbridge.errors import InputError, ListError
from landbridge.plan import ListFacts, RankPlan
from landbridge.result import Profile, Ranking


def _is_tail(run: ListRun) -> Array:
    own = run.cupy.arange(run.n, dtype=run.successor.dtype)
    return (run.successor == own) | (run.successor == -1)


def _over(run: ListRun, successor: Array) -> ListRun:
    """A run over the same elements in another order; its phases count as those of the first one."""
    return ListRun(successor, run.plan, run.timeline)


def _heads_to_tails(run: ListRun, heads: Array) -> Array:
    """From the head of each element's list to its tail."""
    tails = run.cupy.flatnonzero(_is_tail(run)).astype(heads.dtype)
    tail_of = run.steps.empty(run.n, heads.dtype)
    tail_of[heads[tails]] = tails
    return tail_of[heads]


def _from_start(plan: RankPlan) -> bool:
    """Whether values are combined from the start of a list on, as walks do; others combine towards its end."""
    return plan.name not in ("wyllie", "fis", "fis_hybrid")


def _rank_links(run: ListRun, scan: ScanSpec) -> Answer:
    """Links between elements and an end of their list."""
    plan = run.plan
    if _from_start(plan):
        answer = run.rank_by_sampled_walks(scan.from_head, scan.tails) if plan.name == "chains" else None
        if answer is not None:
            return answer
        run.steps.renew_control()
        return run.walk(None, "sum", exclusive=True, from_tail=not scan.from_head, ends="tails" if scan.tails else "")
    steps = run.steps
    before = run.predecessors() if scan.from_head or plan.name != "wyllie" else None
    along = _over(run, before) if scan.from_head else run
    if before is None:
        run.require_distinct_predecessors()
    if plan.name == "wyllie" and steps.t == "int32":
        ranks, ends = along.jump_packed(scan.tails)
    else:
        values = (~_is_tail(along)).astype(np.int64)
        against = run.successor.astype(steps.t, copy=False) if scan.from_head else before
        ranks, ends = along.suffix(against, values, "sum", scan.tails)
        ranks = ranks.astype(steps.t)
    return ranks, _heads_to_tails(run, ends) if scan.from_head and ends is not None else ends


def _scan_values(run: ListRun, values: Array, scan: ScanSpec) -> Answer:
    """As lb::core::scan_lists."""
    cupy, op = run.cupy, scan.op
    neutral = _neutral(op, values.dtype)
    own = cupy.where(_is_tail(run), neutral, values) if scan.of_links else values
    if op == "sum" and values.dtype.kind == "i":
        _require_exact_sum(own)
    from_start = _from_start(run.plan)
    backwards = from_start != scan.from_head
    before = run.predecessors() if backwards or (not from_start and run.plan.name != "wyllie") else None
    along = run
    if backwards:
        assert before is not None
        along = _over(run, before)
    if from_start:
        ends: Ends = "" if not scan.tails else "heads" if backwards else "tails"
        return along.walk(own, op, exclusive=scan.exclusive, ends=ends)
    if before is None:
        run.require_distinct_predecessors()
    if scan.exclusive:
        last = _is_tail(along)
        own = cupy.where(last, neutral, own[cupy.where(last, 0, along.successor)])
    against = run.successor.astype(run.steps.t, copy=False) if backwards else before
    out, heads = along.suffix(against, own.copy() if own is values else own, op, scan.tails)
    return out, _heads_to_tails(run, heads) if backwards and heads is not None else heads


def _neutral(op: str, dtype: Any) -> Any:
    """lb::rank::neutral_of."""
    if op == "sum":
        return dtype.type(0)
    if dtype.kind == "f":
        return dtype.type(np.inf if op == "min" else -np.inf)
    return dtype.type(np.iinfo(dtype).max if op == "min" else np.iinfo(dtype).min)


def _require_exact_sum(values: Array) -> None:
    size = abs(values).view(np.uint64)
    total = (int((size >> np.uint64(32)).sum()) << 32) + int((size & np.uint64(2**32 - 1)).sum())
    if total >= 2**63:
        raise InputError("the values add up to more than 64 bits hold; give them as float64")


def solve(lists: Lists, plan: RankPlan, threads: int) -> Ranking:
    """Run the plan on its GPU. The answer of host arrays is a host array."""
    if plan.option("ids", "") == "narrow" and len(lists) >= 2**31:
        raise InputError(f"ids=narrow holds fewer than 2^31 elements, and there are {len(lists)}")
    with on_device_of(plan, "list ranking on a GPU"):
        return _solve(lists, plan, threads)


def _solve(lists: Lists, plan: RankPlan, threads: int) -> Ranking:
    cupy, began = cuda.cupy(), time.perf_counter()
    if len(lists) == 0:
        memory = cupy if lists.on_device else np
        ranks = memory.empty(0, np.int32 if lists.values is None else lists.values.dtype)
        profile = Profile({}, time.perf_counter() - began, threads, 0.0)
        return Ranking(ranks, memory.empty(0, np.int32), str(plan.on(NAME)), NAME, profile)
    timeline = ListTimeline()
    successor = cupy.asarray(lists.successor)
    if plan.option("ids", "") == "wide":
        successor = successor.astype(np.int64)
    values = None if lists.values is None else cupy.asarray(lists.values)
    timeline.mark("transfer")
    try:
        run = ListRun(successor, plan, timeline)
        ranks, tails = _rank_links(run, lists.scan) if values is None else _scan_values(run, values, lists.scan)
    except NotListsError:
        raise ListError(lists.explain(_core.problem_of_lists(lists.to_host().successor))) from None
    timeline.mark("ranks")
    if not lists.on_device:
        ranks, tails = ranks.get(), None if tails is None else tails.get()
        timeline.mark("transfer back")
    timeline.wait()
    return Ranking(ranks, tails, str(plan.on(NAME)), NAME, timeline.profile(threads))


def facts_of(lists: Lists, threads: int) -> ListFacts:
    """Nothing on a GPU depends on a probe of the lists."""
    del threads
    return ListFacts(len(lists), 0.0, 0.0)


SOLVER = Solver(solve, choose_ranking, facts_of)
