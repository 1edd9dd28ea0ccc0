"""Plans of list ranking that walk from splitters on: values are combined from the start of a list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from landbridge.device import layout
from landbridge.device.layout import Struct
from landbridge.device.list_kernels import StateLayout
from landbridge.edges.successors import ScanSpec
from landbridge.engine.gpu.list_run import Answer, InvalidListsError, ListRun
from landbridge.engine.gpu.list_steps import (
    Array,
    Ends,
    JumpArrays,
    MarkedWalks,
    SampledForm,
    end_bit,
    splitter_blocks,
    splitter_key,
    splitter_shift,
    wide_type,
)
from landbridge.engine.gpu.list_values import counted_values
from landbridge.engine.gpu.one_list import OneList

_SHORT_OWNERS = layout.constant("short_owners")


@dataclass(frozen=True, slots=True)
class Walks:
    """Walks between splitters that are marked.

    splitters: where they are. place: of each sublist the first one of its list (with phase::end_bit) and what lies
    before it. states: how a state is laid out in 32 bits per word, for so many sublists. sampled: ranks of links are
    those of `SampledWalks` where items can hold them.
    """

    splitters: Callable[[ListRun], Struct]
    place: Callable[[Walks, ListRun, MarkedWalks, str], JumpArrays]
    states: Callable[[ListRun, int], StateLayout] = lambda run, sublists: "bits64"
    sampled: bool = False

    def rank(self, run: ListRun, scan: ScanSpec) -> Answer:
        """See `landbridge.engine.gpu.list_run.Algorithm`, as for `scan`."""
        answer = rank_by_sampled_walks(run, scan.from_head, scan.tails) if self.sampled else None
        if answer is not None:
            return answer
        run.launch_survey()
        run.steps.renew_control()
        ends: Ends = "tails" if scan.tails else ""
        return self.walk(run, None, "sum", exclusive=True, from_tail=not scan.from_head, ends=ends)

    def scan(self, run: ListRun, values: Array, scan: ScanSpec) -> Answer:
        run.launch_survey()
        values = counted_values(run, values, scan)
        along = run if scan.from_head else run.over(run.predecessors(), timed=True)
        along.launch_survey()
        # The head of a list read backwards is its tail.
        ends: Ends = "" if not scan.tails else "tails" if scan.from_head else "heads"
        return self.walk(along, values, scan.op, exclusive=scan.exclusive, ends=ends)

    def walk(
        self, run: ListRun, values: Array | None, op: str, *, exclusive: bool, from_tail: bool = False, ends: Ends
    ) -> Answer:
        """Prefixes along the successors, or what is left of them to the tail."""
        has_predecessor, heads = _heads(run, -1, 0)
        splitters = self.splitters(run)
        blocks = int(splitters.fields["blocks"])
        separate = values is not None or not run.narrow
        walks = MarkedWalks(
            run.steps, "separate" if separate else self.states(run, blocks + len(heads)), values, op,
            exclusive=exclusive, splitters=splitters, has_predecessor=has_predecessor, heads=heads,
        )  # fmt: skip
        walks.start[blocks:] = heads
        launches = run.steps.launches()
        walks.walk(launches)
        words = run.read_checked()
        if words["claimed"] != run.n:
            raise InvalidListsError
        places = self.place(self, run, walks, op)
        launches = run.steps.launches()
        answer = walks.write_ranks(launches, places, from_tail=from_tail, ends=ends)
        run.read_checked()
        return answer


def _heads(run: ListRun, shift: int, key: int) -> tuple[Struct, Array]:
    """A bit for each element with a predecessor, and the heads: with shift >= 0 those that are no splitters."""
    launches = run.steps.launches()
    has_predecessor = run.steps.mark_predecessors(launches, "walk")
    heads = run.steps.list_heads(launches, has_predecessor, run.tails, shift, key)
    words = run.read_checked()
    if words["heads"] > run.tails or (shift < 0 and words["heads"] != run.tails):
        raise InvalidListsError
    return has_predecessor, heads[: words["heads"]]


# ---- splitters ------------------------------------------------------------------------------------------------------


def published_splitters(name: str) -> Callable[[ListRun], Struct]:
    """Those of the plan of a paper, as on the CPU."""

    def splitters(run: ListRun) -> Struct:
        strategy = run.strategy(name)
        return splitter_blocks(strategy.blocks, run.seed, first_of_block=strategy.first_of_block)

    return splitters


def many_splitters(run: ListRun) -> Struct:
    """One in each few elements, or as many as the plan says."""
    blocks = min(run.n, int(run.plan["splitters"]) or max(1, run.n >> splitter_shift(run.n)))
    return splitter_blocks(blocks, run.seed, first_of_block=False)


def short_states(run: ListRun, sublists: int) -> StateLayout:
    """48 bits where the plan says so and so many sublists have numbers of 16 bits."""
    return "bits48" if run.plan["layout"] == "bits48" and sublists <= _SHORT_OWNERS else "bits64"


# ---- the places of sublists -----------------------------------------------------------------------------------------


def place_by_jumps(walks: Walks, run: ListRun, marked: MarkedWalks, op: str) -> JumpArrays:
    """Pointer jumping over the sublists."""
    places, rounds = marked.jump(run.steps.launches())
    run.require_arrival(rounds)
    return places


def place_on_host(walks: Walks, run: ListRun, marked: MarkedWalks, op: str) -> JumpArrays:
    """The CPU ranks the sublists, as published."""
    return JumpArrays(*run.host.place_sublists(marked, op))


def place_by_recursion(walks: Walks, run: ListRun, marked: MarkedWalks, op: str) -> JumpArrays:
    """The same plan ranks the sublists while they are many; on lists of a few elements each that would not end."""
    if not int(run.plan["stop"]) < marked.count <= run.n // 2:
        return place_on_host(walks, run, marked, op)
    inner = run.over(marked.next)
    inner.launch_survey()
    totals = marked.total.astype(wide_type(marked.total))
    sums, heads = walks.walk(inner, totals, op, exclusive=True, ends="heads")
    assert heads is not None
    run.record("splitters")
    firsts = heads.astype(np.uint64)
    return JumpArrays(firsts | end_bit(firsts), sums.astype(marked.total.dtype))


# ---- walks between sampled splitters --------------------------------------------------------------------------------


def rank_by_sampled_walks(run: ListRun, from_head: bool, tails: bool) -> Answer | None:
    """Ranks by walks that write to queues; None if the lists are too long or too many for an item."""
    if not run.narrow:
        return None
    # A single list that fits the cache is ranked by one launch, which surveys it.
    form = SampledForm.of_one(run.n, int(run.plan["splitters"]), run.device.multiprocessors)
    if form is not None:
        answer = _rank_in_one_launch(run, form, from_head, tails)
        if answer is not None:
            return answer
    in_control = not run.surveyed  # the survey, once it has been launched
    run.launch_survey()
    answer = _walk_sampled(run, from_head, tails, lists_heads=run.tails > 1 or not in_control)
    if answer is None:
        return None
    words = run.read()
    if words["too_long"]:
        return None  # rare; a run of another plan then shows whether a list or the seed is the cause
    if words["invalid"] or words["claimed"] != run.n:
        raise InvalidListsError
    return answer


def _rank_in_one_launch(run: ListRun, form: SampledForm, from_head: bool, tails: bool) -> Answer | None:
    """The answer for a single list; None for several, or where a walk was too long. The survey is read then."""
    ranks, ends, words = run.rank_one(OneList(run.successor, form, splitter_key(run.seed), from_head, tails))
    if words["tails"] == 1 and not words["too_long"]:
        if words["invalid"] or words["claimed"] != run.n:
            raise InvalidListsError
        return ranks, ends
    return None


def _walk_sampled(run: ListRun, from_head: bool, to_tail: bool, *, lists_heads: bool) -> Answer | None:
    """The answer that the launches leave; None if the lists are too long for an item.

    lists_heads: False for a single list whose survey is in the control block, from which the head follows.
    """
    form = SampledForm.of(run.n, run.tails, int(run.plan["splitters"]))
    if form is None:
        return None
    key = splitter_key(run.seed)
    heads = _heads(run, form.shift, key)[1] if lists_heads else None
    steps = run.steps
    return steps.walk_sampled(steps.launches(), form, key, heads, from_head=from_head, tails=to_tail)
