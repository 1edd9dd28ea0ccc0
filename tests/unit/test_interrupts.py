"""Long calls end soon after a signal or at their limit of time, and leave nothing half done."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import Graph, Incremental, InputError, TimeLimitExceeded, _core, time_limit
from landbridge.streams.cuts import MOST

# A signal may come inside a callback of Python's own, which drops what a handler raises: another attempt counts.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

SOON = 0.3
"""Seconds of processor time, which other programs do not lengthen; by one thread it is the time of the clock."""

Call = Callable[[], object]


def seconds_to_stop(call: Call, after: float) -> float:
    """How much is computed after a signal until the call raises KeyboardInterrupt; inf if it ended before."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    try:
        timer.start()
        call()
        timer.cancel()
        timer.join()  # a signal that has been sent raises here
    except KeyboardInterrupt:
        return time.process_time() - sent[0]
    return float("inf")


def stops_soon(call: Call, after: float = 0.1) -> bool:
    """Whether one of a few attempts stops in time: other programs may have the processors during some."""
    return any(seconds_to_stop(call, after) < 2 * SOON for _ in range(5))  # of two threads


def stops_at_limit(call: Call, seconds: float = 0.1) -> bool:
    for _ in range(5):
        began = time.process_time()
        with pytest.raises(TimeLimitExceeded, match=f"the call took longer than {seconds} s"), time_limit(seconds):
            call()
        if time.process_time() - began < 2 * (seconds + SOON):  # of two threads
            return True
    return False


@cache
def chain() -> Graph:
    """A path whose vertices are in random order: label propagation takes about as many rounds as vertices."""
    order = np.random.default_rng(1).permutation(1 << 20)
    return Graph((order[:-1].copy(), order[1:].copy()))


@cache
def one_list() -> Any:
    order = np.random.default_rng(2).permutation(1 << 23)
    successor = np.empty(len(order), dtype=np.int64)
    successor[order[:-1]], successor[order[-1]] = order[1:], order[-1]
    return successor


@cache
def far_ids() -> Any:
    return np.random.default_rng(3).integers(0, 2**62, (2, 1 << 22))


@pytest.fixture(autouse=True)
def python_handles_signals() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


COMPONENTS = ("label_propagation", "stergiou", "bfs+label_propagation", "shiloach_vishkin", "cc_updt")
LISTS = ("serial", "wyllie", "helman_jaja", "random_splitter(2)")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("plan", COMPONENTS)
def test_components_stop(plan: str, threads: int) -> None:
    def call() -> None:
        while True:  # some plans are faster than the signal
            landbridge.components(chain(), plan=plan, threads=threads)

    assert stops_soon(call)
    assert stops_at_limit(call)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("plan", LISTS)
def test_list_ranking_stops(plan: str, threads: int) -> None:
    assert stops_soon(lambda: landbridge.rank_list(one_list(), plan=plan, threads=threads), after=0.02)
    assert stops_at_limit(lambda: landbridge.rank_list(one_list(), plan=plan, threads=threads), 0.02)


def test_a_serial_walk_stops_on_its_way() -> None:
    order = np.random.default_rng(2).permutation(1 << 21)
    successor = np.empty(len(order), dtype=np.int64)
    successor[order[:-1]], successor[order[-1]] = order[1:], order[-1]

    def seconds(limit: float) -> float:
        began = time.process_time()
        try:
            with time_limit(limit):
                landbridge.rank_list(successor, plan="serial", threads=1)
        except TimeLimitExceeded:
            return time.process_time() - began
        return float("inf")

    began = time.process_time()
    landbridge.rank_list(successor, plan="serial", threads=1)
    whole = time.process_time() - began
    # The passes over the array in front of the walk, and behind it, take a small part of the time.
    assert any(seconds(whole / 2) < 0.8 * whole for _ in range(5))


def long_ranges(layout: str) -> Any:
    """Edges that two threads own in two ranges of vertices, or one thread in one: the rows of a hub."""
    n, draw = 1 << 22, np.random.default_rng(4)
    if layout == "csr":
        return Graph(landbridge.CSR(np.r_[0, np.full(n, 4 * n)], draw.integers(0, n, 4 * n, dtype=np.int32)))
    u = (np.arange(3 * n) * (n - n // 8) // (3 * n)).astype(np.int32)
    return u, u + draw.integers(0, n // 8, len(u), dtype=np.int32)


@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_owners_of_long_ranges_stop_on_their_way(layout: str) -> None:
    edges = long_ranges(layout)

    def seconds(limit: float) -> float:
        began = time.process_time()
        with suppress(TimeLimitExceeded), time_limit(limit):
            answer = landbridge.components(edges, plan="rem_cas(naive,halve_one)@cpu(owners=on,skip=tree)", threads=2)
            assert answer.profile.owned > len(answer.labels)
        return time.process_time() - began

    whole = min(seconds(1000) for _ in range(2))
    assert any(seconds(whole / 8) < 0.3 * whole for _ in range(5))


def test_numbering_stops_and_forgets_what_was_new() -> None:
    u, v = (x[:MOST] for x in far_ids())
    stream = Incremental(ids="sparse")
    stream.insert([5, -7], [6, -8])
    assert stops_soon(lambda: stream.insert(u, v), after=0.02)
    if stream.position == 2:  # nothing of the batch is there, and its ids get numbers of their own when it comes again
        assert stream.num_vertices == 4
        stream.insert(u[:1000], v[:1000])
        few = landbridge.components((np.r_[5, -7, u[:1000]], np.r_[6, -8, v[:1000]]), ids="sparse")
        assert stream.num_vertices == len(few.labels)
        assert stream.components().count == few.count


def test_reading_text_stops(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_bytes(b"".join(b"%d %d\n" % (i, i + 1) for i in range(100_000)) * 100)
    assert stops_soon(lambda: landbridge.components(path), after=0.02)
    assert stops_soon(lambda: landbridge.components(chunks=path), after=0.02)
    assert stops_at_limit(lambda: landbridge.components(path), 0.02)
    assert stops_at_limit(lambda: landbridge.components(chunks=path, chunk_size=10_000), 0.02)
    assert landbridge.components(path).count == 1


def test_a_batch_that_has_begun_is_inserted_completely() -> None:
    u = np.arange(MOST)
    stream = Incremental(len(u) + 1)
    with pytest.raises(TimeLimitExceeded), time_limit(0.001):
        while True:
            stream.insert(u, u + 1)
            landbridge.components(([0], [1]))
    assert stream.position % len(u) == 0
    assert stream.count == (1 if stream.position else len(u) + 1)


def test_a_handler_may_use_the_library_and_raise_what_it_likes() -> None:
    class Enough(Exception):
        pass

    counts: list[int] = []

    def handler(*_: object) -> None:
        counts.append(landbridge.components(([0, 2], [1, 3]), threads=2).count)
        raise Enough

    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Enough):
            landbridge.components(chain(), plan="label_propagation", threads=2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert counts == [2]


def test_a_signal_whose_handler_returns_changes_nothing() -> None:
    calls: list[int] = []
    signal.signal(signal.SIGALRM, lambda *_: calls.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        assert landbridge.rank_list(one_list(), plan="random_splitter(2)", threads=1).max() == len(one_list()) - 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert calls


def test_limits_nest_and_end() -> None:
    with time_limit(60):
        with pytest.raises(TimeLimitExceeded, match=r"longer than 0.01 s"), time_limit(0.01):
            landbridge.components(chain(), plan="label_propagation")
        assert landbridge.components(([0], [1])).count == 1
    with time_limit(1000):
        outer = _core.deadline()
        with time_limit(2000):
            assert _core.deadline() == outer
        for number in range(200):  # a limit that ends leaves the one around it as it was, to the nanosecond
            with time_limit(500 + number / 7):
                assert _core.deadline() < outer
            assert _core.deadline() == outer
    began = time.process_time()
    with pytest.raises(TimeLimitExceeded, match=r"longer than 0.01 s"), time_limit(0.01), time_limit(60):
        landbridge.components(chain(), plan="label_propagation")
    assert time.process_time() - began < 10
    with pytest.raises(TimeLimitExceeded):
        landbridge.components(chain(), plan="label_propagation", timeout=0.01)
    with pytest.raises(TimeLimitExceeded):
        landbridge.spanning_forest(chain(), plan="rem_cas(naive,split_one)", timeout=1e-6)
    assert landbridge.components(([0], [1]), timeout=60).count == 1
    for wrong in (0, -1, float("nan"), "1", True):
        with refused(InputError, f"a limit of time is a number of seconds above 0, not {wrong!r}"), time_limit(wrong):  # type: ignore[arg-type]
            pass


def test_a_limit_is_of_one_thread() -> None:
    answers: list[int] = []
    with time_limit(1e-6):
        other = threading.Thread(target=lambda: answers.append(landbridge.components(([0], [1])).count))
        other.start()
        other.join()
    assert answers == [1]
