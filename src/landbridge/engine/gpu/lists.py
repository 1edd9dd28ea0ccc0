"""List ranking on one GPU: the phases of the CPU under CUDA schedules."""

from __future__ import annotations

import time

import numpy as np

from landbridge import _core
from landbridge.device import cuda
from landbridge.edges.successors import Lists
from landbridge.engine.base import Solver
from landbridge.engine.gpu import NAME
from landbridge.engine.gpu.choose import choose_ranking
from landbridge.engine.gpu.list_host import CudaHost
from landbridge.engine.gpu.list_memory import list_bytes, programs
from landbridge.engine.gpu.list_plans import rank_lists
from landbridge.engine.gpu.list_run import InvalidListsError, ListRun, ListTimeline
from landbridge.engine.gpu.plan_device import on_device_of
from landbridge.errors import InputError, ListError
from landbridge.plan import ListFacts, RankPlan
from landbridge.result import Profile, Ranking


def solve(lists: Lists, plan: RankPlan, threads: int) -> Ranking:
    """Run the plan on its GPU. The answer of host arrays is a host array."""
    if plan.option("ids", "") == "narrow" and len(lists) >= 2**31:
        raise InputError(f"ids=narrow holds fewer than 2^31 elements, and there are {len(lists)}")
    with on_device_of(plan, "list ranking on a GPU") as device:
        return _solve(lists, plan, device, threads)


def _solve(lists: Lists, plan: RankPlan, device: cuda.Device, threads: int) -> Ranking:
    cupy, began = cuda.cupy(), time.perf_counter()
    if len(lists) == 0:
        memory = cupy if lists.on_device else np
        ranks = memory.empty(0, np.int32 if lists.values is None else lists.values.dtype)
        profile = Profile({}, time.perf_counter() - began, threads, 0.0)
        return Ranking(ranks, memory.empty(0, np.int32), str(plan.on(NAME)), NAME, profile)
    timeline = ListTimeline()
    if not lists.on_device:
        timeline.start()
    successor = cupy.asarray(lists.successor)
    if plan.option("ids", "") == "wide":
        successor = successor.astype(np.int64)
    values = None if lists.values is None else cupy.asarray(lists.values)
    timeline.record("transfer")
    try:
        ranks, tails = rank_lists(ListRun(CudaHost(device), successor, plan, timeline), values, lists.scan)
    except InvalidListsError:
        raise ListError(lists.explain(_core.problem_of_lists(lists.to_host().successor))) from None
    timeline.record("ranks")
    if not lists.on_device:
        ranks, tails = ranks.get(), None if tails is None else tails.get()
        timeline.record("transfer back")
    timeline.wait()
    return Ranking(ranks, tails, str(plan.on(NAME)), NAME, timeline.profile(threads))


def facts_of(lists: Lists, threads: int) -> ListFacts:
    """Nothing on a GPU depends on a probe of the lists."""
    return ListFacts(len(lists), 0.0, 0.0, threads)


SOLVER = Solver(solve, choose_ranking, facts_of, list_bytes, programs=programs)
