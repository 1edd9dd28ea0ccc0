"""SIGINT at a random moment of every public call that takes long: it raises soon, and what it leaves is usable."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_interrupts import Call, seconds_to_stop

import landbridge
from landbridge import Graph, Incremental, TimeLimitExceeded

# A signal may come inside a callback of Python's own, which drops what a handler raises: another attempt counts.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

N, M = 1 << 20, 1 << 22
SOON = 0.3
"""Seconds of processor time of one thread, which other programs do not lengthen."""


@pytest.fixture(autouse=True)
def python_handles_signals() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@cache
def pairs() -> Any:
    return np.random.default_rng(1).integers(0, N, (2, M))


@cache
def graph() -> Graph:
    return Graph(tuple(pairs()), num_vertices=N)


@cache
def rows() -> Graph:
    return graph().to_rows()


@cache
def answer() -> landbridge.Components:
    return landbridge.components(graph())


@cache
def forest() -> landbridge.SpanningForest:
    return landbridge.spanning_forest(graph())


@cache
def one_list() -> Any:
    order = np.random.default_rng(2).permutation(M)
    successor = np.empty(M, dtype=np.int64)
    successor[order[:-1]], successor[order[-1]] = order[1:], order[-1]
    return successor


@cache
def ranks() -> Any:
    return landbridge.rank_list(one_list())


@cache
def stream() -> Incremental:
    full = Incremental(N, forest=True)
    full.insert(*pairs())
    return full


def saved(folder: Path) -> Path:
    path = folder / "saved.lb"
    if not path.exists():
        stream().save(path)
    return path


def calls(folder: Path) -> dict[str, Call]:
    u, v = pairs()
    kinds = np.arange(M) % 2 == 0
    return {
        "components of arrays": lambda: landbridge.components((u, v)),
        "components of a Graph": lambda: landbridge.components(graph()),
        "components of rows": lambda: landbridge.components(rows(), plan="bfscc"),
        "sparse ids": lambda: landbridge.components((u * 1000, v * 1000), ids="sparse"),
        "chunks": lambda: landbridge.components(chunks=[(u, v)]),
        "forest": lambda: landbridge.spanning_forest(graph()),
        "Graph": lambda: [Graph((u, v)) for _ in range(10)],
        "to_rows": lambda: graph().to_rows(),
        "check_components": lambda: landbridge.check_components(graph(), answer()),
        "check_forest": lambda: landbridge.check_forest(graph(), forest()),
        "rank_list": lambda: landbridge.rank_list(one_list()),
        "scan_list": lambda: landbridge.scan_list(one_list(), np.ones(M, np.int64)),
        "check_ranks": lambda: landbridge.check_ranks(one_list(), ranks()),
        "merge": lambda: landbridge.merge(*[answer()] * 20),
        "insert": lambda: Incremental(N).insert(u, v),
        "insert in rounds": lambda: Incremental(N, plan="lt(parent,root,once)").insert(u, v),
        "apply": lambda: Incremental(N).apply(u, v, kinds, order="inserts_first"),
        "connected": lambda: stream().connected(u, v),
        "views of a stream": lambda: [stream().components() for _ in range(50)],
        "forest of a stream": lambda: [stream().forest() for _ in range(5)],
        "load": lambda: Incremental.load(saved(folder)),
    }


@pytest.mark.long
@pytest.mark.parametrize("name", calls(Path()))
def test_a_call_stops_at_any_moment(name: str, tmp_path: Path) -> None:
    call = calls(tmp_path)[name]
    began = time.monotonic()
    call()
    whole = time.monotonic() - began
    rng = np.random.default_rng(3)
    times = [seconds_to_stop(call, float(rng.random() * whole)) for _ in range(3)]
    delays = [seconds for seconds in times if math.isfinite(seconds)]
    # Of two threads; other programs may lengthen the way of a signal.
    assert not delays or min(delays) < 2 * SOON, times
    assert stream().components().count == answer().count
    assert landbridge.components(graph()).count == answer().count


@pytest.mark.parametrize(
    "call",
    [
        lambda limit: landbridge.rank_list(one_list(), timeout=limit),
        lambda limit: landbridge.scan_list(one_list(), one_list(), timeout=limit),
        lambda limit: landbridge.check_ranks(one_list(), one_list(), timeout=limit),
        lambda limit: landbridge.check_components(graph(), np.zeros(N, np.int64), timeout=limit),
        lambda limit: landbridge.check_forest(graph(), (pairs()[0],) * 3, timeout=limit),
    ],
)
def test_limits_of_lists_and_checks(call: Callable[[float], object]) -> None:
    with pytest.raises(TimeLimitExceeded, match=r"longer than 1e-06 s"):
        call(1e-6)
