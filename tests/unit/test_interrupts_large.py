"""Calls over large inputs stop soon at every moment: none has a phase that does not look for a signal."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from test_interrupts import SOON, Call, python_handles_signals, seconds_to_stop

import landbridge
from landbridge import Graph

__all__ = ["python_handles_signals"]

pytestmark = [
    pytest.mark.long,
    # A signal may come inside a callback of Python's own, which drops what a handler raises.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

M = 1 << 25
MOMENTS = (0.25, 0.5, 0.6, 0.75)
"""Of the call's duration, at which a signal comes."""


def slowest_stop(call: Call) -> float:
    """The longest of the shortest delays at each moment; other programs may lengthen one. 0 if no call was stopped."""
    began = time.monotonic()
    call()
    whole = time.monotonic() - began
    slowest = 0.0
    for moment in MOMENTS:
        delays: list[float] = []
        while len(delays) < 3 and min(delays, default=1.0) > 2 * SOON:
            delays.append(seconds_to_stop(call, moment * whole))
        if min(delays) < float("inf"):
            slowest = max(slowest, min(delays))
    return slowest


@cache
def hub() -> Graph:
    """One vertex with an edge to each of the others, in random order."""
    v = np.random.default_rng(1).permutation(M).astype(np.int32)
    return Graph((np.zeros(M, np.int32), v), num_vertices=M)


def floats() -> Any:
    return np.random.default_rng(2).integers(0, M, (2, M)).astype(np.float64)


def one_list() -> Any:
    order = np.random.default_rng(3).permutation(M)
    successor = np.empty(M, dtype=np.int64)
    successor[order[:-1]], successor[order[-1]] = order[1:], order[-1]
    return successor


def random_graph() -> Graph:
    return Graph(tuple(np.random.default_rng(4).integers(0, M // 4, (2, M), np.int32)), num_vertices=M // 4)


# The input of each call, which is made before its time is measured, and the call.
CALLS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "a long row": (hub, lambda graph: graph.to_rows(threads=1)),
    "a long row of a forest": (hub, lambda graph: landbridge.spanning_forest(graph, plan="bfscc", threads=2)),
    "coordinated scheduling": (random_graph, lambda graph: landbridge.components(graph, plan="schd", threads=2)),
    "jumps by strides": (one_list, lambda lists: landbridge.rank_list(lists, plan="wyllie(stride)", threads=2)),
    "floats": (floats, lambda columns: landbridge.components(tuple(columns), threads=2)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_large_call_stops_at_any_moment(name: str) -> None:
    make, call = CALLS[name]
    argument = make()
    assert 0 < slowest_stop(lambda: call(argument)) < 2 * SOON  # of two threads
