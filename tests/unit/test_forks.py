"""A process that forks while other threads of it compute: the child computes, too."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np

import landbridge

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
