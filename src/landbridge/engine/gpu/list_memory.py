"""What list ranking on a GPU takes beyond the successors, before it runs: the runs themselves, where nothing runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any, cast

import numpy as np

from landbridge import _core
from landbridge.device.jit import Program
from landbridge.device.layout import struct_type
from landbridge.device.memory_counter import CountedArray, MemoryCounter
from landbridge.edges.successors import ScanSpec
from landbridge.engine.gpu.choose import choose_ranking
from landbridge.engine.gpu.launch_list import Launch, programs_of
from landbridge.engine.gpu.list_plans import rank_lists
from landbridge.engine.gpu.list_run import ListRun, ListTimeline
from landbridge.engine.gpu.list_sets import IndependentSets, bit_words, rounds_of_draw
from landbridge.engine.gpu.list_steps import WORDS, Array, ListSteps, MarkedWalks
from landbridge.engine.gpu.one_list import OneAnswer, OneList, Workspace, one_list_launch
from landbridge.engine.sizes import Bits, ListSizes
from landbridge.plan import RankPlan

_REMOVED = 1 / 8
"""The share of elements between others that a round removes: its bit is set, and those of both neighbours are not."""
_DEVIATIONS = 8.0
"""Standard deviations by which a round may remove fewer."""
_KEPT = 32
"""One byte in so many: measured runs of `rehman` over many lists took up to a fortieth more than their arrays."""


class CountingHost:
    """`landbridge.engine.gpu.list_run.Host` of runs that execute nothing: lists of these sizes, which are in order.

    launches: what the runs would have executed.
    """

    def __init__(self, counter: MemoryCounter, lists: int) -> None:
        self.device = self.cupy = counter
        self.launches: list[Launch] = []
        self._lists = counter.most_true = lists
        self._kept: Workspace | None = None  # as a thread keeps it

    def submission(self, timeline: ListTimeline | None) -> CountingHost:
        """See `Host`, as for all methods here."""
        return self

    def __call__(self, launch: Launch) -> None:
        # Arguments own arrays, and those of a run are free as soon as nothing else needs them.
        self.launches.append(launch._replace(arguments=()))

    def end(self) -> None:
        """Nothing is timed."""

    def read(self, steps: ListSteps) -> dict[str, int]:
        return self._words(steps.n)

    def _words(self, n: int) -> dict[str, int]:
        read = {"tails": self._lists, "heads": self._lists, "claimed": n, "moving": 1}
        return dict.fromkeys(WORDS, 0) | read

    def rank_one(self, one: OneList) -> OneAnswer:
        ranks, tails = one.outputs(self.device)
        self._kept = work = Workspace(self.device, one.form.splitters + 1, self.device.empty(WORDS["end"], np.uint64))
        lists, output = struct_type("ListArrays"), struct_type("RankOutput")
        self(one_list_launch(self.device, one, work, lists(**one.lists(work)), output(**one.output(ranks, tails))))
        return ranks, tails, self._words(len(one.successor))

    def place_sublists(self, walks: MarkedWalks, op: str) -> tuple[Array, Array]:
        return self.device.empty(walks.count, np.uint64), self.device.empty(walks.count, walks.total.dtype)

    def remove(
        self, sets: IndependentSets, rounds: int, seed: int, *, draws_bits: bool
    ) -> tuple[list[int], float | None]:
        steps = sets.steps
        launches = steps.launches()
        sets.start(launches)
        words = bit_words(steps.n, steps.n)
        size = 1 << (8 * words * rounds_of_draw(words, max(1, rounds)) - 1).bit_length()
        buffers = [self.device.empty(size, np.uint8) for _ in range(min(2, rounds))] if draws_bits else []
        ends, sizes = min(steps.n, 2 * self._lists), [steps.n]
        for t in range(1, rounds + 1):
            words = bit_words(sizes[-1], steps.n)
            drawn = buffers[t % len(buffers)][: 8 * words].view(np.uint64) if buffers else None
            sets.remove(steps.launches(), t, _core.mix(seed, t), sizes[-1], drawn)
            between = sizes[-1] - ends
            removed = between * _REMOVED - _DEVIATIONS * math.sqrt(between * _REMOVED)
            sizes.append(sizes[-1] - max(0, int(removed)))
        return sizes, 0.0 if draws_bits else None


def counted_run(sizes: ListSizes, plan: RankPlan, scan: ScanSpec) -> tuple[MemoryCounter, CountingHost]:
    """A run of a plan over lists of these sizes, with the copies of arrays in host memory."""
    counter = MemoryCounter()
    host = CountingHost(counter, max(1, sizes.lists))

    def array(dtype: Any) -> CountedArray:
        return (counter.present if sizes.on_device else counter.empty)(sizes.elements, dtype)

    successor = array(f"int{sizes.id_bits}")
    if plan.option("ids", "") == "wide":
        successor = successor.astype(np.int64)
    rank_lists(ListRun(host, successor, plan, None), array(np.int64) if sizes.values else None, scan)
    return counter, host


def counted_bytes(sizes: ListSizes, plan: RankPlan, scan: ScanSpec) -> int:
    """What one run takes at most: its arrays, and a share for what the allocator keeps besides."""
    peak = counted_run(sizes, plan, scan)[0].peak
    return peak + peak // _KEPT


def scans_of(values: bool) -> list[ScanSpec]:
    """All that `rank_list` may be asked for, with tails; with values, too, which sums take most for."""
    return [
        ScanSpec("sum", from_head, exclusive=exclusive, of_links=True, tails=True)
        for from_head, exclusive in product((False, True), (False, True) if values else (False,))
    ]


def programs() -> Iterator[Program]:
    """What ranks of links load under the plan that fits all lists: of one list and of several, short and long."""
    for bits, elements, lists in product((32, 64), (2**20, 2**23), (1, 3)):
        for scan in scans_of(False):
            sizes = ListSizes(elements, lists, cast(Bits, bits), on_device=True)
            yield from programs_of(counted_run(sizes, choose_ranking().plan, scan)[1].launches)


def list_bytes(sizes: ListSizes, plan: RankPlan) -> int:
    """Bytes of a GPU's memory that a plan takes, the ranks and tails among them, in the direction that takes more."""
    if sizes.elements == 0:
        return 0
    return max(counted_bytes(sizes, plan, scan) for scan in scans_of(sizes.values))
