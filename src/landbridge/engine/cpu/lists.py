"""List ranking on CPU threads, over the compiled core."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from landbridge import _core
from landbridge._core import CoreInputError, CoreListError, CoreSumOverflow
from landbridge.edges.successors import Lists, SumOverflow
from landbridge.engine.base import Solver
from landbridge.engine.cpu import NAME
from landbridge.engine.cpu.choose import SMALL, choose_ranking
from landbridge.engine.cpu.list_memory import list_bytes
from landbridge.errors import InputError, ListError
from landbridge.plan import ListFacts, RankPlan
from landbridge.result import Profile, Ranking

_GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it are spread evenly, and in step with no length of lists: every second element may be a tail."""


def solve(lists: Lists, plan: RankPlan, threads: int) -> Ranking:
    """Run a plan. Raises ListError, InputError (SumOverflow, too), MemoryError."""
    ids = plan.option("ids", "")
    if ids == "narrow" and len(lists) >= 2**31:
        raise InputError(f"ids=narrow holds fewer than 2^31 elements, and there are {len(lists)}")
    lists = lists.to_host()
    scan, wide = lists.scan, ids == "wide"
    threads = plan.option("threads", threads)
    algorithm = _core.ListPlan(plan.name, dict(plan.values), plan.option("seed", 1), threads)
    successor = lists.successor.astype(np.int64, copy=False) if wide else lists.successor
    began = time.perf_counter()
    result: Any
    try:
        if lists.values is None:
            result = _core.rank_elements(successor, scan.from_head, scan.tails, algorithm, wide)
        else:
            spec = _core.ScanSpec(scan.op, scan.from_head, scan.exclusive, scan.of_links)
            result = _core.scan_lists(successor, lists.values, spec, scan.tails, algorithm, wide)
    except CoreListError as error:
        raise ListError(lists.explain(str(error))) from None
    except CoreSumOverflow:
        raise SumOverflow.of_arrays() from None
    except CoreInputError as error:
        raise InputError(str(error)) from None
    ranks, tails, phases = result
    return Ranking(
        ranks, tails, str(plan.on(NAME)), NAME, Profile(dict(phases), time.perf_counter() - began, threads, 0.0)
    )


_PREFETCHED, _CACHED = 16, 4096
"""Places up to which the next element, or the one behind it, is near: a processor prefetches it, or has its line in a
cache, where one walk of one thread takes 0.5 to 0.9 of the time of several side by side."""


def facts_of(lists: Lists, threads: int) -> ListFacts:
    """The probe of 512 successors and those behind them; of none for small lists and those on a GPU."""
    n = len(lists)
    if n < SMALL or lists.on_device:
        return ListFacts(n, 0.0, 0.0, threads)
    at = (np.arange(512) * _GOLDEN % 1 * n).astype(np.int64)
    successor = lists.successor[at].astype(np.int64)
    step = successor - at
    is_tail = (step == 0) | (successor == -1)
    within = ~is_tail & (successor >= 0) & (successor < n)  # the list has not been validated
    behind = lists.successor[np.where(within, successor, at)].astype(np.int64)
    is_near = within & (np.minimum(abs(step), abs(behind - at)) <= (_CACHED if threads == 1 else _PREFETCHED))
    return ListFacts(n, float(np.mean(is_tail)), float(np.mean(is_near)), threads)


SOLVER = Solver(solve, choose_ranking, facts_of, list_bytes)
