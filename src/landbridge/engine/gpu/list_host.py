"""What the host does for list ranking on a GPU: it reads control words, ranks sublists and draws random bits."""

from __future__ import annotations

import numpy as np

from landbridge import _core
from landbridge.device import cuda
from landbridge.engine.gpu.execute import Submission
from landbridge.engine.gpu.list_run import InvalidListsError, ListTimeline
from landbridge.engine.gpu.list_sets import IndependentSets, Removals
from landbridge.engine.gpu.list_steps import WORDS, Array, ListSteps, MarkedWalks, end_bit, wide_type
from landbridge.engine.gpu.one_list import OneAnswer, OneList, rank_one_list


class CudaHost:
    """`landbridge.engine.gpu.list_run.Host` of runs on a GPU, which is CuPy's current one."""

    def __init__(self, device: cuda.Device) -> None:
        self.cupy, self.device = cuda.cupy(), device

    def submission(self, timeline: ListTimeline | None) -> Submission:
        """See `Host`, as for all methods here."""
        return Submission(self.device, timeline)

    def read(self, steps: ListSteps) -> dict[str, int]:
        block = steps.control.get()
        return {word: int(block[place]) for word, place in WORDS.items() if place < len(block)}

    def rank_one(self, one: OneList) -> OneAnswer:
        return rank_one_list(self.device, one)

    def place_sublists(self, walks: MarkedWalks, op: str) -> tuple[Array, Array]:
        spec = _core.ScanSpec(op, True, True, False)
        serial = _core.ListPlan("serial", {})
        total = walks.total.get()
        try:
            sums, tails, _ = _core.scan_lists(walks.next.get(), total.astype(wide_type(total)), spec, True, serial)
        except _core.CoreListError:
            raise InvalidListsError from None
        firsts = np.empty(walks.count, np.uint64)
        without_predecessor = np.flatnonzero(walks.previous.get() < 0)
        firsts[tails[without_predecessor]] = without_predecessor
        firsts = firsts[tails]
        return self.cupy.asarray(firsts | end_bit(firsts)), self.cupy.asarray(sums.astype(total.dtype))

    def remove(
        self, sets: IndependentSets, rounds: int, seed: int, *, draws_bits: bool
    ) -> tuple[list[int], float | None]:
        removals = Removals(sets, seed, draws_bits=draws_bits)
        return removals.run(rounds), removals.idle
