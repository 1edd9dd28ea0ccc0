"""The run of a plan of list ranking on one GPU: its steps in segments, and what is read between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda, layout
from landbridge.device.list_kernels import StateLayout
from landbridge.device.timeline import Timeline
from landbridge.engine.gpu.execute import Submission
from landbridge.engine.gpu.list_sets import IndependentSets, Removals
from landbridge.engine.gpu.list_steps import (
    WORDS,
    Array,
    Ends,
    JumpArrays,
    ListSteps,
    MarkedWalks,
    SampledForm,
    end_bit,
    splitter_blocks,
    splitter_key,
    splitter_shift,
)
from landbridge.plan import RankPlan
from landbridge.result import Profile

_SHORT_OWNERS = layout.constant("short_owners")

Answer = tuple[Array, Array | None]
"""A value for each element and, where it is requested, an end of its list."""


class NotListsError(Exception):
    """The successors are no lists; the host finds the element that proves it."""


class ListTimeline(Timeline):
    """When the phases ended. idle: the share of the phase "remove" in which the device waited for random bits."""

    __slots__ = ("idle",)

    def __init__(self) -> None:
        super().__init__()
        self.idle: float | None = None

    def profile(self, threads: int, skipped: float = 0.0) -> Profile:
        profile = super().profile(threads, skipped)
        if self.idle is None:
            return profile
        seconds = dict(profile.seconds)
        return replace(profile, seconds=seconds | {"idle": self.idle * seconds["remove"]})


class ListRun:
    """One run over one array of successors on the current device. Not for use by two threads at once.

    timeline: takes a mark after each phase; None where the phases belong to another run. tails: the number of lists.
    head: the head, if there is one list and the successors are sound. Methods raise NotListsError.
    """

    def __init__(self, successor: Array, plan: RankPlan, timeline: ListTimeline | None) -> None:
        self.cupy, self.device = cuda.cupy(), cuda.current()
        self.plan, self.timeline, self.n = plan, timeline, len(successor)
        narrow = self.n < 2**31 and plan.option("ids", "") != "wide"
        self._submission = Submission(self.device, timeline)
        self._steps = ListSteps(self.device, successor, "int32" if narrow else "int64", self._submission)
        self.seed = plan.option("seed", 1)
        self._survey: dict[str, int] | None = None
        # A single list that fits the cache is ranked by one launch, which surveys it.
        short = plan.name == "chains" and narrow
        count = int(plan["splitters"]) if short else 0
        self._short = SampledForm.of_one(self.n, count, self.device.multiprocessors) if short else None
        if self._short is None:
            self._steps.survey(self._steps.launches())

    @property
    def steps(self) -> ListSteps:
        """The steps, which may follow the successors: the survey has been read, and all are in range."""
        _ = self.survey
        return self._steps

    def _surveyed(self, words: dict[str, int]) -> dict[str, int]:
        """The words of the survey, which are in order."""
        self._survey = words
        if words["out_of_range"] or not words["tails"]:
            raise NotListsError
        return words

    @property
    def survey(self) -> dict[str, int]:
        """The words of the survey. Waits for it if nothing has been read yet."""
        if self._survey is None and self._short is not None:
            self._short = None
            self._steps.survey(self._steps.launches())
        return self._survey or self._surveyed(self.read())

    @property
    def tails(self) -> int:
        return self.survey["tails"]

    @property
    def head(self) -> int:
        return (self.n * (self.n - 1) // 2 - self.survey["sum"]) % 2**64

    @property
    def successor(self) -> Array:
        return self._steps.successor

    def read(self) -> dict[str, int]:
        """The words of the control block after all launches so far."""
        self._submission.end()
        block = self._steps.control.get()
        return {word: int(block[place]) for word, place in WORDS.items() if place < len(block)}

    def read_sound(self) -> dict[str, int]:
        """The same; the kernels must not have found that the successors are no lists."""
        words = self.read()
        if words["invalid"]:
            raise NotListsError
        return words

    def mark(self, phase: str) -> None:
        """What was queued since the last mark belongs to this phase."""
        self._submission.end()
        if self.timeline is not None:
            self.timeline.mark(phase)

    def strategy(self) -> Any:
        """Where the plan of a paper puts splitters, and how many rounds it takes; as on the CPU."""
        name = "fis" if self.plan.name == "fis_hybrid" else self.plan.name
        return _core.list_strategy(_core.ListPlan(name, dict(self.plan.values), self.seed, 1), self.n)

    def require_distinct_predecessors(self) -> None:
        launches = self.steps.launches()
        self.steps.mark_predecessors(launches, "check")
        self.read_sound()

    def predecessors(self) -> Array:
        """-1 at heads."""
        launches = self.steps.launches()
        predecessor = self.steps.find_predecessors(launches)
        self.read_sound()
        return predecessor

    # walks ------------------------------------------------------------------------------------------------------------

    def rank_by_sampled_walks(self, from_head: bool, tails: bool) -> Answer | None:
        """Ranks by walks that write to queues; None if the lists are too long or too many for an item."""
        if self._steps.t == "int64":
            return None
        if self._short is not None:
            answer = self._rank_short(self._short, from_head, tails)
            if answer is not None:
                return answer
        # One list is the common case: its walks are queued behind the survey, before anything is read.
        single = self._walk_sampled(1, from_head, tails) if self._survey is None else None
        words = self.survey
        if words["tails"] == 1 and single is not None:
            answer = single
        else:
            self.steps.renew_control()
            answer = self._walk_sampled(self.tails, from_head, tails)
            if answer is None:
                return None
            words = self.read()
        if words["too_long"]:
            return None  # rare; a run of another plan then shows whether a list or the seed is the cause
        if words["invalid"] or words["claimed"] != self.n:
            raise NotListsError
        return answer

    def _rank_short(self, form: SampledForm, from_head: bool, tails: bool) -> Answer | None:
        """The answer for a single list; None for several, or where a walk was too long. The survey is read then."""
        steps = self._steps
        answer = steps.rank_one(steps.launches(), form, splitter_key(self.seed), from_head=from_head, tails=tails)
        words = self._surveyed(self.read())
        if words["tails"] == 1 and not words["too_long"]:
            if words["invalid"] or words["claimed"] != self.n:
                raise NotListsError
            return answer
        self._short = None
        steps.renew_control()
        return None

    def _walk_sampled(self, tails: int, from_head: bool, to_tail: bool) -> Answer | None:
        """The answer that the launches leave for so many lists; None if the lists are too long for an item.

        Of a single list the head is not listed: the kernels take it from the survey in the control block.
        """
        form = SampledForm.of(self.n, tails, int(self.plan["splitters"]))
        if form is None:
            return None
        key = splitter_key(self.seed)
        heads = None if self._survey is None else self._heads(form.shift, key)[1]
        steps = self._steps
        return steps.walk_sampled(steps.launches(), form, key, heads, from_head=from_head, tails=to_tail)

    def _heads(self, shift: int, key: int) -> tuple[Any, Array]:
        """A bit for each element with a predecessor, and the heads: with shift >= 0 those that are no splitters."""
        launches = self.steps.launches()
        has_predecessor = self.steps.mark_predecessors(launches, "walk")
        heads = self.steps.list_heads(launches, has_predecessor, self.tails, shift, key)
        words = self.read_sound()
        if words["heads"] > self.tails or (shift < 0 and words["heads"] != self.tails):
            raise NotListsError
        return has_predecessor, heads[: words["heads"]]

    def _splitters(self) -> Any:
        """Where the plan has its marked splitters."""
        n, plan = self.n, self.plan
        if plan.name != "chains":
            strategy = self.strategy()
            return splitter_blocks(strategy.blocks, self.seed, first_of_block=strategy.first_of_block)
        blocks = min(n, int(plan["splitters"]) or max(1, n >> splitter_shift(n)))
        return splitter_blocks(blocks, self.seed, first_of_block=False)

    def walk(self, values: Array | None, op: str, *, exclusive: bool, from_tail: bool = False, ends: Ends) -> Answer:
        """Prefixes along the successors, or what is left of them to the tail."""
        has_predecessor, heads = self._heads(-1, 0)
        splitters = self._splitters()
        blocks = int(splitters.fields["blocks"])
        states: StateLayout = "bits64"
        if values is not None or self.steps.t == "int64":
            states = "separate"
        elif self.plan.name == "random_splitter" and self.plan["layout"] == "bits48":
            states = "bits48" if blocks + len(heads) <= _SHORT_OWNERS else "bits64"
        walks = MarkedWalks(
            self.steps, states, values, op,
            exclusive=exclusive, splitters=splitters, has_predecessor=has_predecessor, heads=heads,
        )  # fmt: skip
        walks.start[blocks:] = heads
        launches = self.steps.launches()
        walks.walk(launches)
        words = self.read_sound()
        if words["claimed"] != self.n:
            raise NotListsError
        places = self._place_sublists(walks, op)
        launches = self.steps.launches()
        answer = walks.write_ranks(launches, places, from_tail=from_tail, ends=ends)
        self.read_sound()
        return answer

    def _place_sublists(self, walks: MarkedWalks, op: str) -> JumpArrays:
        """Of each sublist the first one of its list (with phase::end_bit) and what lies before it."""
        if self.plan.name not in ("wei_jaja", "rehman"):
            launches = self.steps.launches()
            places, rounds = walks.jump(launches)
            self._require_arrival(self.read_sound(), rounds)
            return places
        kind = np.float64 if walks.total.dtype.kind == "f" else np.int64
        totals = walks.total.astype(kind)
        if self.plan.name == "rehman" and int(self.plan["stop"]) < walks.count <= self.n // 2:
            inner = ListRun(walks.next, self.plan, None)
            sums, firsts = inner.walk(totals, op, exclusive=True, ends="heads")
            self.mark("splitters")
        else:
            sums, firsts = self._place_on_host(walks, totals, op)
        assert firsts is not None
        firsts = firsts.astype(np.uint64)
        return JumpArrays(firsts | end_bit(firsts), sums.astype(walks.total.dtype))

    def _place_on_host(self, walks: MarkedWalks, totals: Array, op: str) -> Answer:
        """The CPU ranks the sublists, as published."""
        spec = _core.ScanSpec(op, True, True, False)
        serial = _core.ListPlan("serial", {})
        try:
            sums, tails, _ = _core.scan_lists(walks.next.get(), totals.get(), spec, True, serial)
        except _core.CoreListError:
            raise NotListsError from None
        firsts = np.full(walks.count, -1, np.int64)
        without_predecessor = np.flatnonzero(walks.previous.get() < 0)
        firsts[tails[without_predecessor]] = without_predecessor
        return self.cupy.asarray(sums), self.cupy.asarray(firsts[tails])

    def _require_arrival(self, words: dict[str, int], rounds: int) -> None:
        """Every element has reached an end before the last round of jumps: no list is a cycle."""
        if words["moving"] == rounds:
            raise NotListsError

    # towards the end ----------------------------------------------------------------------------------------------

    def jump_packed(self, ends: bool) -> Answer:
        """Wyllie in packed words, for links."""
        launches = self.steps.launches()
        ranks, last, rounds = self.steps.jump_packed(launches, blocked=self.plan["share"] == "block", ends=ends)
        self._require_arrival(self.read_sound(), rounds)
        return ranks, last

    def suffix(self, against: Array | None, values: Array, op: str, ends: bool) -> Answer:
        """Values combined from each element to the end of its list. against: of an independent set, the lists
        backwards."""
        if self.plan.name == "wyllie":
            return self._jump_arrays(values, op, ends)
        assert against is not None
        # A tail that has itself as its successor has no predecessor when lists are read backwards.
        own = self.cupy.arange(self.n, dtype=against.dtype)
        against = against.copy()
        against[against == own] = -1
        return self._independent_sets(against, values, op, ends)

    def _jump_arrays(self, values: Array, op: str, ends: bool) -> Answer:
        launches = self.steps.launches()
        jumps, rounds = self.steps.jump_arrays(launches, values, op)
        self._require_arrival(self.read_sound(), rounds)
        if not ends:
            return jumps.value, None
        return jumps.value, (jumps.last ^ end_bit(jumps.last)).astype(self.steps.t)

    def _independent_sets(self, predecessor: Array, values: Array, op: str, ends: bool) -> Answer:
        """Phases I to III of Banerjee and Kothapalli."""
        rounds = int(self.strategy().rounds)
        sets = IndependentSets(self.steps, predecessor, values, op, rounds)
        removals = Removals(sets, self.seed, hybrid=self.plan.name == "fis_hybrid")
        sizes = removals.run(rounds)
        if self.timeline is not None:
            self.timeline.idle = removals.idle
        self.mark("remove")
        launches = self.steps.launches()
        rest, rest_value, lists = sets.gather(launches, sizes[-1])
        self.read_sound()
        inner = ListRun(rest, RankPlan("chains"), None)
        place, end = inner.walk(rest_value, op, exclusive=False, ends="heads" if ends else "")
        if end is not None:
            end = end.astype(np.int64)
        launches = self.steps.launches()
        answer = sets.scatter(launches, lists, place, end, ends=ends)
        for t in range(rounds, 0, -1):
            sets.reinsert(launches, self.n - sizes[t - 1], sizes[t - 1] - sizes[t])
        self._submission.end()
        return answer
