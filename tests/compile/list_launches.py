"""Every launch of list ranking, built without a GPU: of each plan, for each type of successors, elements and values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import landbridge
from landbridge.device.jit import Program
from landbridge.device.memory_counter import MemoryCounter
from landbridge.edges.successors import ScanSpec
from landbridge.engine.gpu.launch_list import Launch, programs_of
from landbridge.engine.gpu.list_memory import CountingHost
from landbridge.engine.gpu.list_plans import rank_lists
from landbridge.engine.gpu.list_run import ListRun
from landbridge.plan import parse_rank

NARROW, WIDE = (1000, 2**20, 2**23), 2**31 + 10
"""Elements: of lists that one launch ranks or that fit the cache, and of longer ones; and with elements of 64 bits."""


class RecordingHost(CountingHost):
    """Keeps launches with their arguments."""

    def __call__(self, launch: Launch) -> None:
        self.launches.append(launch)


def launches_of(text: str, sizes: tuple[int, int], types: tuple[str, str | None], scan: ScanSpec) -> list[Launch]:
    """What a run of the plan executes. sizes: elements, and lists. types: of successors and values."""
    (n, lists), (successor, value) = sizes, types
    counter = MemoryCounter()
    host = RecordingHost(counter, lists)
    values: Any = None if value is None else counter.empty(n, value)
    rank_lists(ListRun(host, counter.empty(n, successor), parse_rank(text), None), values, scan)
    return host.launches


def list_launches() -> Iterator[Launch]:
    """All that runs may execute."""
    ranks = ScanSpec("sum", of_links=True, tails=True)
    for text, successor in product(landbridge.plans("list_ranking", "gpu", extended=True), ("int32", "int64")):
        for n, lists, from_head in product((*NARROW, WIDE), (1, 3), (False, True)):
            scan = replace(ranks, from_head=from_head, tails=from_head)
            yield from launches_of(text, (n, lists), (successor, None), scan)
        for n, value, from_head in product((NARROW[0], WIDE), ("int64", "float64"), (False, True)):
            yield from launches_of(text, (n, 3), (successor, value), replace(ranks, from_head=from_head))


def list_programs() -> list[Program]:
    """Every program that some run loads."""
    return programs_of(list_launches())
