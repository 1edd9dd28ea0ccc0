"""Every launch of list ranking, built without a GPU: for each type of successors, elements and values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from landbridge.device.jit import Program
from landbridge.device.list_kernels import Number, StateLayout
from landbridge.device.memory_counter import MemoryCounter
from landbridge.engine.gpu.launch_list import Launch, LaunchList, programs_of
from landbridge.engine.gpu.list_sets import IndependentSets
from landbridge.engine.gpu.list_steps import ListSteps, MarkedWalks, SampledForm, splitter_blocks

WIDTHS: tuple[Number, Number] = ("int32", "int64")
VALUES: tuple[Number, Number] = ("int64", "float64")


def _marked_walks(steps: ListSteps, launches: LaunchList, states: StateLayout, values: Any, ends: Any) -> None:
    has_predecessor = steps.mark_predecessors(launches, "walk")
    heads = steps.list_heads(launches, has_predecessor, 3, -1, 0)
    walks = MarkedWalks(
        steps, states, values, "sum",
        exclusive=True, splitters=splitter_blocks(16, 1, first_of_block=False),
        has_predecessor=has_predecessor, heads=heads,
    )  # fmt: skip
    walks.walk(launches)
    places, _ = walks.jump(launches)
    walks.write_ranks(launches, places, from_tail=False, ends=ends)


def _sampled_walks(steps: ListSteps, launches: LaunchList, n: int) -> None:
    form = SampledForm.of(n, 1, 0)
    assert form is not None
    heads = steps.empty(1, np.int64)
    steps.walk_sampled(launches, form, 5, heads, from_head=True, tails=True)
    steps.walk_sampled(launches, form, 5, None, from_head=False, tails=False)


def _sets(steps: ListSteps, launches: LaunchList, values: Any) -> None:
    sets = IndependentSets(steps, steps.empty(steps.n, steps.t), values, "min", 2)
    sets.start(launches)
    sets.remove(launches, 1, 7, steps.n, steps.empty(-(-steps.n // 64), np.uint64))
    sets.remove(launches, 2, 7, steps.n, None)
    _, _, lists = sets.gather(launches, 10)
    place, end = steps.empty(10, values.dtype), steps.empty(10, np.int64)
    sets.scatter(launches, lists, place, end, ends=True)
    sets.reinsert(launches, 3, 7)


def list_launches() -> Iterator[Launch]:
    """All that runs may execute."""
    device = MemoryCounter()
    for successor, element in product(WIDTHS, WIDTHS):
        steps = ListSteps(device, device.empty(1000, successor), element)
        launches = steps.launches()
        steps.survey(launches)
        steps.find_predecessors(launches)
        if element == "int32":
            for n in (2**20, 2**23):
                large = ListSteps(device, device.empty(n, successor), element)
                _sampled_walks(large, launches, n)
            for tails in (False, True):
                form = SampledForm.of_one(2**20, 0, device.multiprocessors)
                assert form is not None
                steps.rank_one(launches, form, 5, from_head=tails, tails=tails)
            steps.jump_packed(launches, blocked=True, ends=True)
            for states in ("bits64", "bits48"):
                _marked_walks(steps, launches, states, None, "tails")
        elif successor == "int64":
            _marked_walks(steps, launches, "separate", None, "")
        for value in VALUES:
            values = device.empty(1000, value)
            _marked_walks(steps, launches, "separate", values, "heads")
            steps.jump_arrays(launches, values, "max")
            _sets(steps, launches, values)
        yield from launches


def list_programs() -> list[Program]:
    """Every program that some run loads."""
    return programs_of(list_launches())
