"""List ranking over several processors: lists that no memory of a processor holds.

Each processor has a range of the elements. Rounds remove elements: one whose random bit is 1 behind one whose bit is 0,
which takes over its value and its follower; these two may be in different ranges, and then a message of a few bytes
goes there and back. Neighbours are never removed in the same round, so a round leaves three quarters of the elements
that others follow. Once they are few, one processor ranks what is left with the plan, and rounds in the reverse order
insert what they removed. An element is removed once and inserted once, so two messages are sent for each, whatever the
number of processors, and no memory holds more than a range and a small part of the rest. The division changes where an
element is, never what is combined in which order.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.device import cuda
from landbridge.edges.on_device import is_device_array
from landbridge.edges.successors import Array, Lists, ScanSpec
from landbridge.engine.gpu.list_run import InvalidListsError
from landbridge.engine.gpu.list_values import require_exact_sum
from landbridge.engine.parts.list_range import ListDivision, ListRange, Questions
from landbridge.engine.parts.processors import OneGpu, Processor, device_of, errors_of, holds, on_host, refusal
from landbridge.engine.parts.worker_threads import run_in_threads
from landbridge.engine.sizes import ListSizes
from landbridge.errors import InputError, ListError
from landbridge.plan import RankPlan
from landbridge.result import Profile, Ranking, Share

REST_SHARE = 512
"""One processor ranks the rest once the elements that others follow are at most one in so many."""
LEAST_BLOCK, MOST_BLOCK, BLOCKS = 1 << 16, 1 << 24, 16
"""Elements that are worked on at a time: a range in so many blocks, but for small and large ones."""
SIDE_BY_SIDE = 1 << 15
"""Elements of a pass from which a thread for each processor costs less than it saves."""
MOST_ROUNDS = 64
"""Rounds leave (3/4)^64 of the elements that are followed, on average: one in 10^8."""


def rank(processors: tuple[Processor, ...], name: str, plan: RankPlan, threads: int, lists: Lists) -> Ranking:
    """The ranking of the contract, whichever processor has which elements. Raises ListError, InputError, DeviceError,
    MemoryError."""
    if plan.option("ids", "") == "narrow" and len(lists) >= 2**31:
        raise InputError(f"ids=narrow holds fewer than 2^31 elements, and there are {len(lists)}")
    if (answer := _of_one(processors, name, plan, threads, lists)) is not None:
        return answer
    run = DividedLists(processors, plan, lists)
    try:
        ranks, tails = run.rank()
    except InvalidListsError:
        raise ListError(lists.explain(_core.problem_of_lists(lists.to_host().successor))) from None
    return Ranking(ranks, tails, str(plan), name, run.profile(threads))


def _of_one(processors: tuple[Processor, ...], name: str, plan: RankPlan, threads: int, lists: Lists) -> Ranking | None:
    """The ranking by one of the processors, hundreds of times as fast as messages among several; None where its memory
    is too small."""
    if lists.on_device:
        ordinal = int(lists.successor.device.id)
        able = [processor for processor in processors if holds(processor, ordinal)][:1]
    else:
        first = solver_of(processors, plan)
        others = [processor for processor in processors if processor is not first]
        able = [first, *sorted(others, key=lambda processor: processor.engine.on_host)]
    for one in able:
        began = time.perf_counter()
        if refusal(one, "list_ranking", plan) or (answer := _alone(one, plan, threads, lists)) is None:
            continue
        seconds = time.perf_counter() - began
        own, none = (len(lists), 1, seconds, "", 0, ((0.0, seconds),)), (0, 0, 0.0, "", 0)
        shares = tuple(Share(each.name, *(own if each is one else none)) for each in processors)
        return replace(answer, plan=str(plan), device=name, profile=replace(answer.profile, shares=shares))
    return None


def _alone(one: Processor, plan: RankPlan, threads: int, lists: Lists) -> Ranking | None:
    """The ranking by this processor; None where its memory is too small."""
    n, own, room = len(lists), one.plan(plan), one.room
    few = ListSizes(n, min(1, n), 8 * lists.successor.itemsize, lists.values is not None, lists.on_device)
    if one.engine.estimate("list_ranking", few, own) > room:
        return None
    try:
        with errors_of(one, "ranking lists"), one.selected():
            answer: Ranking = one.engine.solve("list_ranking", lists, own, threads)
    except MemoryError:  # of many lists more than of few
        if room == sys.maxsize:
            raise
        return None
    return answer


def division_of(lists: Lists, parts: int, plan: RankPlan) -> ListDivision:
    """Equal ranges of the elements."""
    n = len(lists)
    size = max(1, -(-n // parts))
    wide = n >= 2**31 or plan.option("ids", "") == "wide"
    element = np.dtype(np.int64 if wide else np.int32)
    value = element if lists.values is None else lists.values.dtype
    block = min(MOST_BLOCK, max(LEAST_BLOCK, size // BLOCKS))
    return ListDivision(lists.scan, n, size, block, element, value, parts, plan.option("seed", 1))


def list_bytes(sizes: ListSizes, plan: RankPlan, processors: tuple[Processor, ...]) -> int:
    """Bytes that a run takes at most on all processors together, and of its answer."""
    n, d = sizes.elements, len(processors)
    element = 8 if sizes.wide or plan.option("ids", "") == "wide" else 4
    value = 8 if sizes.values else element
    block = min(MOST_BLOCK, max(LEAST_BLOCK, n // d // BLOCKS))
    rest = min(n, 2 * (n // REST_SHARE) + 2)
    solver = solver_of(processors, plan)
    own = solver.engine.estimate("list_ranking", ListSizes(rest, min(1, rest), 64, True), solver.plan(plan))
    divided = n * (2 * element + 2 * value + 1) + own + 40 * rest + d * 96 * block
    return max(divided, solver.engine.estimate("list_ranking", sizes, solver.plan(plan)))


def solver_of(processors: tuple[Processor, ...], plan: RankPlan | None) -> Processor:
    """The processor that ranks what is left: the first GPU, else the first CPU threads, of those that have the plan."""
    able = [processor for processor in processors if not refusal(processor, "list_ranking", plan)] or processors
    return next((processor for processor in able if not processor.engine.on_host), able[0])


class DividedLists:
    """One run. Used once, by one thread."""

    def __init__(self, processors: tuple[Processor, ...], plan: RankPlan, lists: Lists) -> None:
        self._began = time.perf_counter()
        self._lists, self._plan, self._scan = lists, plan, lists.scan
        self._division = division_of(lists, len(processors), plan)
        self._ranges = [ListRange(place, processor, self._division) for place, processor in enumerate(processors)]
        self._solver = self._ranges[processors.index(solver_of(processors, plan))]
        self._seconds: dict[str, float] = {}
        self._lap = self._began
        self._elements = len(lists)
        self.rounds = 0

    def rank(self) -> tuple[Array, Array | None]:
        """(ranks, tails). Raises InvalidListsError, InputError and what processors raise."""
        self._load()
        self._end_phase("transfer")
        self._remove()
        self._end_phase("remove")
        self._rank_rest()
        self._end_phase("rest")
        for number in range(self.rounds, 0, -1):
            self._insert(number)
        self._end_phase("insert")
        answer = self._answer()
        self._end_phase("ranks")
        return answer

    def profile(self, threads: int) -> Profile:
        """Phases, and what each processor did."""
        first = self._ranges[0].processor
        shares = tuple(
            Share(
                own.processor.name, len(own), 1 if len(own) else 0, own.seconds, _link(first, own.processor), own.moved
            )
            for own in self._ranges
        )
        return Profile(self._seconds, time.perf_counter() - self._began, threads, 0.0, shares=shares)

    def _end_phase(self, phase: str) -> None:
        now = time.perf_counter()
        self._seconds[phase], self._lap = now - self._lap, now

    # passes -----------------------------------------------------------------------------------------------------------

    def _each(self, doing: str, work: Callable[[ListRange], Any]) -> list[Any]:
        """What work returns for each range, on its processor; the processors work side by side. No pass reads what
        another processor writes in it."""
        results: list[Any] = [None] * len(self._ranges)

        def on(own: ListRange) -> None:
            since = time.perf_counter()
            with errors_of(own.processor, doing), own.processor.computing():
                results[own.place] = work(own)
            own.seconds += time.perf_counter() - since

        if min(self._elements, self._division.block * len(self._ranges)) < SIDE_BY_SIDE:
            for own in self._ranges:
                on(own)
        else:
            run_in_threads([partial(on, own) for own in self._ranges])
        return results

    def _ask(
        self,
        doing: str,
        questions: Callable[[ListRange], Questions],
        answer: Callable[..., tuple[Array, ...]],
        use: Callable[..., None] | None = None,
    ) -> None:
        """Three passes: each range asks others, they answer, and it uses the answers. answer: called with the range and
        the arrays that were sent. use: called with the range, the positions of the question and the answer."""
        sent = self._each(doing, questions)
        if not any(sent):
            return

        def answered(own: ListRange) -> dict[int, tuple[Array, ...]]:
            result = {}
            for source, messages in zip(self._ranges, sent, strict=True):
                if own.place in messages:
                    arrays = [own.received(array, source) for array in messages[own.place][1]]
                    result[source.place] = answer(own, *arrays)
            return result

        answers = self._each(doing, answered)
        if use is None:
            return

        def used(own: ListRange) -> None:
            for place, (positions, _) in sent[own.place].items():
                source = self._ranges[place]
                use(own, positions, *(own.received(array, source) for array in answers[place][own.place]))

        self._each(doing, used)

    # phases -----------------------------------------------------------------------------------------------------------

    def _load(self) -> None:
        state = self._each("copying its elements", lambda own: own.load(self._lists))
        require_exact_sum(sum(size for _, size in state))
        if not all(legal for legal, _ in state):
            raise InvalidListsError

    def _remove(self) -> None:
        """Rounds, until the elements that others follow are few."""
        doing = "removing elements"
        most = self._division.elements // REST_SHARE
        followed = self._elements = sum(self._each(doing, ListRange.followed))
        while followed > most and self.rounds < MOST_ROUNDS:
            self.rounds += 1
            number = self.rounds
            for block in range(max(own.rounds_blocks() for own in self._ranges)):
                self._ask(
                    doing,
                    partial(ListRange.choose, number=block, round_number=number),
                    partial(ListRange.remove, round_number=number),
                    ListRange.follow,
                )
            followed = self._elements = sum(self._each(doing, ListRange.followed))
        self._elements = self._division.elements

    def _rank_rest(self) -> None:
        """One processor ranks what is left: elements that others follow, and the ends that follow them."""
        doing = "ranking what is left"
        for block in range(max(own.rounds_blocks() for own in self._ranges)):
            self._ask(doing, partial(ListRange.touch, number=block), ListRange.touched)
        counts = self._each(doing, ListRange.rest)
        total = sum(counts)
        if self._scan.from_head:
            self._each(doing, ListRange.complete_ends)
        if total:
            self._complete_rest(doing, np.cumsum([0, *counts]).tolist())

    def _complete_rest(self, doing: str, first: list[int]) -> None:
        element = np.dtype(np.int64 if first[-1] >= 2**31 else np.int32)
        self._each(doing, lambda own: own.start_places(first[own.place], element))
        for block in range(max(own.rest_blocks() for own in self._ranges)):
            self._ask(doing, partial(ListRange.ask_places, number=block), ListRange.places, ListRange.set_places)
        arrays = self._each(doing, ListRange.rest_arrays)
        solver = self._solver
        with errors_of(solver.processor, doing), solver.processor.computing():
            columns = [
                solver.module.concatenate(
                    [solver.received(array, own) for array, own in zip(column, self._ranges, strict=True)]
                )
                for column in zip(*arrays, strict=True)
            ]
            del arrays
            values, tails = self._solve_rest(*columns)

        def complete(own: ListRange) -> None:
            part = slice(first[own.place], first[own.place + 1])
            own.complete(
                own.received(values[part], solver), None if tails is None else own.received(tails[part], solver)
            )

        self._each(doing, complete)

    def _solve_rest(self, successor: Array, values: Array, follower: Array) -> tuple[Array, Array | None]:
        """Values, and the complements of tails where they are requested, of the rest on the current processor."""
        scan = self._scan
        spec = ScanSpec(scan.op, scan.from_head, exclusive=scan.from_head, tails=scan.tails)
        processor = self._solver.processor
        lists = Lists(successor, values, is_device_array(successor), successor, spec)
        try:
            plan = processor.plan(self._plan)
            answer = processor.engine.solve("list_ranking", lists, plan, processor.threads)
        except ListError:
            raise InvalidListsError from None
        return answer.ranks, follower[answer.tails] if scan.tails else None

    def _insert(self, number: int) -> None:
        """Insert what a round removed."""
        for block in range(max(own.inserted_blocks(number) for own in self._ranges)):
            self._ask(
                "inserting elements",
                partial(ListRange.ask_values, number=block, round_number=number),
                ListRange.values_at,
                ListRange.insert,
            )

    def _answer(self) -> tuple[Array, Array | None]:
        """The answer where the successors are."""
        doing, lists, scan = "writing its answer", self._lists, self._scan
        ranks = self._empty(self._division.value)
        tails = self._empty(self._division.element) if scan.tails else None
        if not scan.from_head and scan.exclusive:
            for block in range(-(-self._division.size // self._division.block)):
                self._ask(
                    doing,
                    partial(ListRange.ask_next, lists=lists, number=block),
                    ListRange.values_at,
                    ListRange.set_next,
                )
                self._each(doing, lambda own: own.give_next(partial(_put, ranks)))
        else:
            self._each(doing, lambda own: own.give(lists, partial(_put, ranks)))
        if tails is not None:
            self._each(doing, lambda own: own.give_tails(partial(_put, tails)))
        return ranks, tails

    def _empty(self, dtype: Any) -> Array:
        source = self._lists.successor
        if not self._lists.on_device:
            return np.empty(len(source), dtype)
        with cuda.errors(f"the answer on {OneGpu(int(source.device.id), 1).name}"), device_of(source):
            return cuda.cupy().empty(len(source), dtype)


def _put(target: Array, place: slice, values: Array) -> None:
    """Write a part of the answer."""
    if not is_device_array(target):
        target[place] = on_host(values)
        return
    ordinal = int(target.device.id)
    holder = OneGpu(ordinal, 1)
    with holder.computing():
        target[place] = holder.held(values)


def _link(first: Processor, processor: Processor) -> str:
    """As `landbridge.result.Share.link`."""
    if processor is first:
        return ""
    if processor.memory == first.memory:
        return "same memory"
    return "peer copies" if isinstance(first, OneGpu) and isinstance(processor, OneGpu) else "host copies"
