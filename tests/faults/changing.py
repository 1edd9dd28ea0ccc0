"""Programs whose arrays another thread changes during calls: run in a process of their own, which must not crash."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Begins a program: `disturbed(arrays, values, seed)` is a block in which a thread writes `values` to random places of
# `arrays`; with `restore` to one place at a time, which it then gives its value back.
DISTURB = """
import contextlib, sys, threading, time
import numpy as np
import landbridge as lb
from landbridge.errors import LandbridgeError

@contextlib.contextmanager
def disturbed(arrays, values, seed, restore=False):
    stop = threading.Event()
    def write():
        rng = np.random.default_rng(seed)
        while not stop.is_set():
            for x in arrays:
                at = rng.integers(0, len(x), 1 if restore else 64)
                before = x[at]
                x[at] = rng.choice(values, len(at))
                if restore:
                    time.sleep(0.0001)
                    x[at] = before
            time.sleep(0)
    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
"""


def run(program: str, *arguments: object, limit: float | None = None) -> None:
    """Runs a program that prints how many of its calls have ended; fails if it crashes, has none, or lasts too long."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=limit
    )
    assert result.returncode == 0, f"{result.returncode}: {result.stderr[-2000:]}"
    assert int(result.stdout) > 0
