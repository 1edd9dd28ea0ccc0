"""A call of a stream with many operations stops between two batches, and stream and journal agree on where."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import Incremental, InputError, TimeLimitExceeded, _core, time_limit
from landbridge.streams import batches, cuts

BATCH = 1 << 10
"""Operations of a batch here, so that a call has many."""

PART = 1 << 20
"""Edges after which the trees may stop."""

# A signal may come inside a callback of Python's own, which drops what a handler raises.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cuts, "MOST", BATCH)
    monkeypatch.setattr(batches, "MOST", BATCH)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def edges(count: int, vertices: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, vertices, count), rng.integers(0, vertices, count)


def labels_of(u: Any, v: Any, vertices: int) -> list[int]:
    answer: list[int] = landbridge.components((u, v), num_vertices=vertices).labels.tolist()
    return answer


def interrupt_at(call: Callable[[], object], batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """SIGINT arrives while that batch of the call, counted from 0, is about to begin."""
    begun = 0
    check = cuts._core.check_time

    class Core:
        @staticmethod
        def check_time() -> None:
            nonlocal begun
            if begun == batch:
                os.kill(os.getpid(), signal.SIGINT)
            begun += 1
            check()

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(cuts, "_core", Core)
        call()


@pytest.mark.long
@pytest.mark.parametrize("plan", ["auto", "rem_cas(naive,splice)", "async(halve)"])
@pytest.mark.parametrize("growing", [False, True])
def test_the_first_edges_of_an_interrupted_insert_are_there(plan: str, growing: bool) -> None:
    n, m = 1 << 22, 24 * PART  # so many vertices that each part changes the components
    u, v = (ids.astype(np.int32) for ids in edges(m, n, 1))
    for attempt in range(20):
        stream = Incremental(0 if growing else n, plan=plan, threads=1 + attempt % 2, forest=plan == "async(halve)")
        timer = threading.Timer(0.005 * (attempt + 1), os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            stream.insert(u, v)
            timer.cancel()
            timer.join()
            time.sleep(0.05)  # a signal that has been sent raises here
        except KeyboardInterrupt:
            timer.join()
        done = stream.position
        assert done % PART == 0
        if 0 < done < m:
            break
    assert 0 < done < m
    expected = landbridge.components((u[:done], v[:done]), num_vertices=n).labels
    if growing:
        expected = expected[: 1 + max(u[:done].max(), v[:done].max())]
    assert np.array_equal(stream.components().labels[: len(expected)], expected)
    if plan == "async(halve)":
        forest = stream.forest()
        assert np.array_equal(u[forest.edge], forest.u)
    stream.insert(u, v)  # again: harmless
    assert stream.position == done + m
    whole = landbridge.components((u, v), num_vertices=n if not growing else None).labels
    assert np.array_equal(stream.components().labels, whole)


def test_an_insert_goes_on_where_a_handler_has_interrupted_it() -> None:
    n, m = 1 << 16, 5 * PART
    u, v = edges(m, n, 2)
    answers: list[int] = []
    stream = Incremental(n, threads=1, forest=True)
    signal.signal(signal.SIGINT, lambda *_: answers.append(stream.components().count))
    for delay in (0.01, 0.03, 0.05):
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
    stream.insert(u, v)
    time.sleep(0.1)
    assert answers
    assert stream.position == m
    assert stream.components().labels.tolist() == labels_of(u, v, n)
    forest = stream.forest()
    assert np.array_equal(u[forest.edge], forest.u)


@pytest.mark.parametrize("ids", [None, "sparse", "names"])
def test_a_journal_has_what_an_interrupted_call_has_inserted(
    ids: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    u, v = edges(3 * BATCH + 5, 2000, 7)
    if ids == "names":
        u, v = ([f"n{x}" for x in column] for column in (u, v))
    with Incremental(ids=ids, journal=tmp_path / "j", sync=False) as stream:
        interrupt_at(lambda: stream.insert(u, v), 2, monkeypatch)
        assert stream.position == 2 * BATCH
        before = stream.components()
    with Incremental(ids=ids, journal=tmp_path / "j", sync=False) as again:
        assert (again.position, again.dropped) == (2 * BATCH, 0)
        assert again.components().labels.tolist() == before.labels.tolist()
        again.insert(u, v)
        whole = landbridge.components((u, v), **({} if ids is None else {"ids": ids}))
        assert again.components().count == whole.count
        assert again.num_vertices == len(whole.labels)


@pytest.mark.parametrize("plan", ["auto", "rem_cas(naive,splice)"])
@pytest.mark.parametrize("ids", [None, "sparse"])
@pytest.mark.parametrize("order", [None, "inserts_first"])
def test_large_calls_answer_as_small_ones(plan: str, ids: str | None, order: Any, tmp_path: Path) -> None:
    n = 6 * BATCH + 3
    u, v = edges(n, 5000, 3)
    kinds = np.random.default_rng(4).random(n) < 0.3
    large = Incremental(ids=ids, plan=plan, threads=1, forest=plan == "auto", journal=tmp_path / "j", sync=False)
    bits = np.unpackbits(large.apply(u, v, kinds, order=order), count=n, bitorder="little").astype(bool)
    assert not bits[~kinds].any()
    small = Incremental(ids=ids, plan=plan, threads=1)
    answers = np.zeros(n, bool)
    for b in range(0, n, BATCH):
        part = slice(b, b + BATCH)
        got = small.apply(u[part], v[part], kinds[part], order=order)
        answers[part] = np.unpackbits(got, count=len(u[part]), bitorder="little").astype(bool)
    assert large.position == small.position == n
    if order is not None or not large.mixed:  # every query sees every insert of the call
        answers[kinds] = small.connected(u[kinds], v[kinds])
    assert np.array_equal(bits, answers)
    assert large.components().labels.tolist() == small.components().labels.tolist()
    assert np.array_equal(large.connected(u, v), small.connected(u, v))
    if plan == "auto":
        forest = large.forest()
        assert np.array_equal(u[forest.edge], forest.u)
        assert not kinds[forest.edge].any()
    large.close()
    with Incremental(ids=ids, plan=plan, threads=1, forest=plan == "auto", journal=tmp_path / "j") as opened:
        assert opened.position == n
        opened.compact()
    with Incremental(ids=ids, plan=plan, threads=1, forest=plan == "auto", journal=tmp_path / "j") as summarised:
        assert summarised.position == n
        assert summarised.components().labels.tolist() == small.components().labels.tolist()


@pytest.mark.parametrize("file", [None, "j"])
def test_what_is_wrong_with_a_late_edge_is_raised_before_the_first_is_inserted(
    file: str | None, tmp_path: Path
) -> None:
    u, v = edges(4 * BATCH, 100, 1)
    u[3 * BATCH + 5] = -1
    with Incremental(journal=None if file is None else tmp_path / file) as stream:
        with refused(
            InputError, f"edge {3 * BATCH + 5}: vertex -1 is negative; Incremental(ids='sparse') takes negative ids"
        ):
            stream.insert(u, v)
        assert (stream.position, stream.count) == (0, 0)
    with refused(InputError, f"chunk 1, edge {3 * BATCH + 5}: vertex -1 is negative; ids='sparse' takes negative ids"):
        landbridge.components(chunks=[([0], [1]), (u, v)])


@pytest.mark.parametrize("mixed", [True, False])
@pytest.mark.parametrize("large_first", [True, False])
def test_signs_that_exclude_each_other_are_refused_before_the_first_edge_is_inserted(
    mixed: bool, large_first: bool
) -> None:
    u, v = edges(4 * BATCH, 100, 1)
    large = np.array([2**63 + 5], dtype=np.uint64)
    stream = Incremental(ids="sparse", plan="auto" if mixed else "lt(parent,root,once)", threads=1)
    stream.insert(*(large, large) if large_first else ([-3], [-3]))
    if large_first:
        v[3 * BATCH + 1] = -1
    else:
        v = v.astype(np.uint64)
        v[3 * BATCH + 1] = large[0]
        u = u.astype(np.uint64)
    kinds = np.zeros(len(u), bool)
    calls: list[Callable[[], object]] = [lambda: stream.insert(u, v), lambda: stream.apply(u, v, kinds)]
    for call in calls:
        with pytest.raises(InputError, match=r"negative and some from 2\^63"):
            call()
        assert (stream.position, stream.num_vertices, stream.count) == (1, 1, 1)
    kinds[3 * BATCH + 1] = True  # a query numbers nothing
    stream.apply(u, v, kinds)
    assert stream.position == 1 + len(u)


def test_a_batch_that_a_handler_inserts_does_not_end_with_the_call_it_interrupts() -> None:
    order = np.random.default_rng(1).permutation(1 << 20)
    chain = landbridge.Graph((order[:-1].copy(), order[1:].copy()))
    n, m = 1 << 16, 1 << 19  # one batch, by several threads
    u, v = edges(m, n, 5)
    stream = Incremental(n, threads=2)

    def handler(*_: object) -> None:
        time.sleep(0.2)  # until the time of the call is over
        stream.insert(u, v)
        stream.insert(u[:500], v[:500])  # few enough for the lock of the interpreter to be kept

    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(TimeLimitExceeded):
            landbridge.components(chain, plan="label_propagation", timeout=0.15)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert stream.position == m + 500
    assert stream.components().labels.tolist() == labels_of(u, v, n)


@pytest.mark.long
def test_an_event_loop_hears_of_a_signal_once() -> None:
    u, v = edges(6 * PART, 1 << 22, 2)  # inserted in several times the 50 ms after which a call looks for signals
    stream = Incremental(1 << 22, threads=1)
    handled: list[object] = []
    signal.signal(signal.SIGINT, lambda _, frame: handled.append(frame))
    mine, loops = socket.socketpair()
    loops.setblocking(False)
    old = signal.set_wakeup_fd(loops.fileno(), warn_on_full_buffer=False)
    try:
        threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()
        stream.insert(u, v)
        time.sleep(0.05)
    finally:
        signal.set_wakeup_fd(old)
        loops.close()
    with mine:
        assert mine.recv(16) == bytes([signal.SIGINT])
    assert len(handled) == 1
    assert isinstance(handled[0], FrameType)


def test_the_rest_of_an_interrupted_insert_needs_no_memory() -> None:
    n = 1 << 16
    handled: list[int] = []

    def handler(*_: object) -> None:
        handled.append(stream.position)
        _core.fail_allocation(1)

    signal.signal(signal.SIGINT, handler)
    for m in (5 * PART, 20 * PART, 80 * PART):  # until a signal is handled in the middle of the insert
        u, v = edges(m, 300, 2)  # most edges join what is connected already: they are checked in advance
        handled.clear()
        stream = Incremental(n, threads=1)
        stream.insert(u[:1000], v[:1000])
        timer = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            stream.insert(u, v)
        finally:
            timer.join()
            while not handled:  # a signal that came too late takes no memory from other tests
                time.sleep(0.001)
            _core.fail_allocation(0)
        assert stream.position == 1000 + m
        if handled[0] < 1000 + m:
            return
    raise AssertionError("no signal was handled in the middle of an insert")


def test_a_limit_of_time_counts_between_parts() -> None:
    n = 1 << 16
    for m in (8 * PART, 32 * PART, 128 * PART):  # until an insert takes longer than its limit
        u, v = edges(m, n, 2)
        stream = Incremental(n, threads=1)
        try:
            with time_limit(0.02):
                stream.insert(u, v)
        except TimeLimitExceeded:
            done = stream.position
            assert done % PART == 0
            assert done < m
            assert stream.count == landbridge.components((u[:done], v[:done]), num_vertices=n).count
            return
    raise AssertionError("no insert took longer than its limit")


def test_readers_of_a_stream_stop_and_a_handler_that_returns_changes_nothing() -> None:
    n = 1 << 21
    stream = Incremental(n, threads=1)
    stream.insert(np.arange(n - 1), np.arange(1, n))
    answers: list[bool] = []
    # The handler may use the stream: what it interrupts holds no lock.
    signal.signal(signal.SIGINT, lambda *_: answers.append(stream.connected(0, n - 1)))
    timer = threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    for _ in range(20):
        assert stream.components().count == 1
        if answers:
            break
    timer.join()
    assert answers == [True]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        end = time.monotonic() + 30
        while time.monotonic() < end:
            stream.components()
    assert stream.count == 1
    with pytest.raises(TimeLimitExceeded), time_limit(1e-3):
        while True:
            stream.components()
