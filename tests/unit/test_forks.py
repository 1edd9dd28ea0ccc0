"""A process that forks while other threads of it compute: the child computes, too."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import landbridge
from landbridge.streams.ids import StreamIds

SECONDS = 60


def ends_well(child: int) -> bool:
    """Whether a child ends with 0; one that hangs is killed."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def test_a_child_computes_beside_busy_threads_of_its_parent() -> None:
    u, v = np.random.default_rng(1).integers(0, 200_000, (2, 400_000))
    count = landbridge.components((u, v), threads=2).count
    stop = threading.Event()

    def compute() -> None:
        while not stop.is_set():
            landbridge.components((u, v), threads=2)

    threads = [threading.Thread(target=compute) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                os._exit(int(landbridge.components((u, v), threads=2).count != count))
            assert ends_well(child)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_child_refuses_ids_whose_lock_another_thread_has_acquired_and_not_yet_noted() -> None:
    class Acquired:
        def locked(self) -> bool:
            return False

        def acquire(self, blocking: bool = True) -> bool:
            assert not blocking
            return False

    ids = StreamIds("sparse", 1, record_batches=False)
    ids._lock = Acquired()  # type: ignore[assignment]
    ids.forked()
    with pytest.raises(landbridge.InputError, match="fork between calls"):
        ids.lock.locked()


REFUSED, WHOLE, WRONG = 10, 11, 12  # what a child found a stream of its parent to be


def refuses_to_merge(stream: landbridge.Incremental, other: landbridge.Incremental) -> bool:
    try:
        stream.merge(other)
    except landbridge.errors.InputError:
        return True
    return False


def of_child(stream: landbridge.Incremental, idle: landbridge.Incremental, most: int) -> int:
    """The status of a child that uses a stream which is a path of at most `most` edges, and one of no calls."""
    child = os.fork()
    if child != 0:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = WRONG
    signal.alarm(SECONDS)  # it must not wait for a lock that is never released
    try:
        if idle.connected(0, 2) and not idle.connected(0, 3):
            parts = stream.components()
            whole = parts.count == 1 and len(parts.labels) == 1 + min(stream.position, most)
            stream.insert(0, most + 1)
            status = WHOLE if whole and stream.connected(1, most + 1) else WRONG
    except landbridge.errors.InputError as error:
        refused = "forked this one while a call of this stream ran" in str(error)
        status = REFUSED if refused and refuses_to_merge(stream, idle) else WRONG
    finally:
        os._exit(status)


def test_a_child_refuses_a_stream_in_use_and_has_any_other_as_it_was() -> None:
    size, most = 250_000, 2_000_000
    stream, idle = landbridge.Incremental(), landbridge.Incremental()
    idle.insert([0, 1], [1, 2])
    stop = threading.Event()

    def insert() -> None:
        first, vertices = 0, np.arange(size)
        while not stop.is_set():
            stream.insert(vertices + first, vertices + first + 1)  # the path grows by `size` edges
            first = (first + size) % most

    thread = threading.Thread(target=insert)
    thread.start()
    try:
        while stream.position == 0:
            time.sleep(0.001)
        outcomes = [of_child(stream, idle, most) for _ in range(20)]
        while REFUSED not in outcomes and len(outcomes) < 200:
            outcomes.append(of_child(stream, idle, most))
    finally:
        stop.set()
        thread.join()
    assert REFUSED in outcomes
    assert set(outcomes) <= {REFUSED, WHOLE}
    assert of_child(stream, idle, most) == WHOLE
    assert not stream.connected(1, most + 1)
