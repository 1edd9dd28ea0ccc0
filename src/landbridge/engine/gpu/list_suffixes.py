"""Plans of list ranking that combine values towards the end of a list: pointer jumping, and independent sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from landbridge.edges.successors import ScanSpec
from landbridge.engine.gpu.list_run import Answer, ListRun
from landbridge.engine.gpu.list_sets import IndependentSets
from landbridge.engine.gpu.list_steps import Array, Ends, end_bit
from landbridge.engine.gpu.list_values import counted_values, neutral_of
from landbridge.engine.gpu.list_walks import Walks
from landbridge.plan import RankPlan


@dataclass(frozen=True, slots=True)
class Suffixes:
    """Values combined from each element to the end of its list.

    combine: does so, for the values (which it may change) and an operation; its second argument are the lists in the
    other direction, which only algorithms with `both_ways` read. links: the same for links between elements of 32 bits,
    faster; None where there is no such way.
    """

    combine: Callable[[ListRun, Array | None, Array, str, bool], Answer]
    both_ways: bool = False
    links: Callable[[ListRun, bool], Answer] | None = None

    def rank(self, run: ListRun, scan: ScanSpec) -> Answer:
        """See `landbridge.engine.gpu.list_run.Algorithm`, as for `scan`."""
        run.launch_survey()
        before = self._predecessors(run, needed=scan.from_head)
        along = run.over(before, timed=True) if scan.from_head else run
        along.launch_survey()
        if self.links is not None and run.narrow:
            ranks, ends = self.links(along, scan.tails)
        else:
            values = (~along.is_tail()).astype(np.int64)
            ranks, ends = self.combine(along, self._against(run, before, scan), values, "sum", scan.tails)
            ranks = ranks.astype(run.steps.t)
        return ranks, _heads_to_tails(run, ends) if scan.from_head and ends is not None else ends

    def scan(self, run: ListRun, values: Array, scan: ScanSpec) -> Answer:
        run.launch_survey()
        cupy, own = run.cupy, counted_values(run, values, scan)
        before = self._predecessors(run, needed=scan.from_head)
        along = run.over(before, timed=True) if scan.from_head else run
        along.launch_survey()
        if scan.exclusive:
            last = along.is_tail()
            neutral = neutral_of(scan.op, values.dtype)
            own = cupy.where(last, neutral, own[cupy.where(last, 0, along.successor)])
        own = own.copy() if own is values else own
        out, ends = self.combine(along, self._against(run, before, scan), own, scan.op, scan.tails)
        return out, _heads_to_tails(run, ends) if scan.from_head and ends is not None else ends

    def _predecessors(self, run: ListRun, *, needed: bool) -> Array | None:
        """Predecessors where anything reads them; where nothing does, they are checked to be distinct."""
        if needed or self.both_ways:
            return run.predecessors()
        run.check_predecessors()
        return None

    def _against(self, run: ListRun, before: Array | None, scan: ScanSpec) -> Array | None:
        if not self.both_ways:
            return None
        return run.successor.astype(run.steps.t, copy=False) if scan.from_head else before


def _heads_to_tails(run: ListRun, heads: Array) -> Array:
    """From the head of each element's list to its tail."""
    tails = run.cupy.flatnonzero(run.is_tail()).astype(heads.dtype)
    tail_of = run.steps.empty(run.n, heads.dtype)
    tail_of[heads[tails]] = tails
    return tail_of[heads]


def jump_packed(run: ListRun, ends: bool) -> Answer:
    """Wyllie in packed words, for links."""
    launches = run.steps.launches()
    ranks, last, rounds = run.steps.jump_packed(launches, blocked=run.plan["share"] == "block", ends=ends)
    run.require_arrival(rounds)
    return ranks, last


def jump_arrays(run: ListRun, against: Array | None, values: Array, op: str, ends: bool) -> Answer:
    """Wyllie from array to array."""
    launches = run.steps.launches()
    jumps, rounds = run.steps.jump_arrays(launches, values, op)
    run.require_arrival(rounds)
    if not ends:
        return jumps.value, None
    return jumps.value, (jumps.last ^ end_bit(jumps.last)).astype(run.steps.t)


def independent_sets(
    strategy: str, rest: tuple[RankPlan, Walks], *, draws_bits: bool = False
) -> Callable[[ListRun, Array | None, Array, str, bool], Answer]:
    """Phases I to III of Banerjee and Kothapalli.

    strategy: the plan of the CPU with as many rounds. rest: ranks what removals leave. draws_bits: the CPU draws the
    random bits.
    """
    plan, walks = rest

    def combine(run: ListRun, against: Array | None, values: Array, op: str, tails: bool) -> Answer:
        assert against is not None
        ends: Ends = "heads" if tails else ""
        # A tail that has itself as its successor has no predecessor when lists are read backwards.
        own = run.cupy.arange(run.n, dtype=against.dtype)
        predecessor = against.copy()
        predecessor[against == own] = -1
        rounds = int(run.strategy(strategy).rounds)
        sets = IndependentSets(run.steps, predecessor, values, op, rounds)
        sizes, idle = run.host.remove(sets, rounds, run.seed, draws_bits=draws_bits)
        if run.timeline is not None:
            run.timeline.idle = idle
        run.record("remove")
        launches = run.steps.launches()
        remaining, value, lists = sets.gather(launches, sizes[-1])
        run.read_checked()
        inner = run.over(remaining, plan)
        inner.launch_survey()
        place, end = walks.walk(inner, value, op, exclusive=False, ends=ends)
        if end is not None:
            end = end.astype(np.int64)
        launches = run.steps.launches()
        answer = sets.scatter(launches, lists, place, end, ends=tails)
        for t in range(rounds, 0, -1):
            sets.reinsert(launches, run.n - sizes[t - 1], sizes[t - 1] - sizes[t])
        run.end_phase()
        return answer

    return combine
