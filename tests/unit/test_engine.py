"""The CPU engine from Python's side: what it is called with, many callers at once, and life after fork."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracles.refusals import refused
from oracles.zoo import zoo

import landbridge
from landbridge import DeviceError, _core
from landbridge.engine.cpu.engine import CpuEngine
from landbridge.engine.resolve import default_engine, resolve_engine
from landbridge.plan import parse

PLANS = landbridge.plans(engine="cpu", extended=True)


def test_an_engine_is_picked_by_device_or_plan() -> None:
    assert resolve_engine("auto", None) is None
    assert isinstance(resolve_engine("cpu", parse("async")), CpuEngine)
    assert isinstance(resolve_engine("auto", parse("async@cpu")), CpuEngine)
    assert isinstance(default_engine(on_device=False, size=1), CpuEngine)
    with refused(DeviceError, "no device 'tpu' here; there is: cpu", exactly=False):
        resolve_engine("tpu", None)


def test_processors_are_counted() -> None:
    assert _core.available_threads() >= 1
    assert landbridge.components(([0], [1])).profile.threads == _core.available_threads()


def test_the_core_takes_no_other_types_than_the_graph_makes() -> None:
    floats = np.zeros(3)
    with pytest.raises(TypeError):
        _core.components(3, None, floats, floats, False, False, _core.Plan(finish="async", find="naive"))


def test_many_callers_at_once_get_their_own_answers() -> None:
    big = [s for s in zoo() if s.n > 16384]
    jobs = [(s, layout) for s in big for layout in ("csr", "coo")] * 2
    graphs = {(s.name, layout): s.graph(layout) for s, layout in jobs}

    def work(i: int) -> bool:
        specimen, layout = jobs[i]
        candidates = [p for p in PLANS if p.endswith(f"layout={layout})") and "naive" not in p]
        plan = candidates[(i * 37) % len(candidates)]
        result = landbridge.components(graphs[specimen.name, layout], plan=plan, threads=1 + i % 3)
        return np.array_equal(result.labels, specimen.answer)

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(len(jobs))))


def test_callers_that_start_together() -> None:
    specimen = next(s for s in zoo() if s.name == "crowded_big")
    graph = specimen.graph("csr")
    gate = threading.Barrier(5)
    answers: list[bool] = []

    def work() -> None:
        gate.wait()
        for _ in range(10):
            answers.append(np.array_equal(landbridge.components(graph, threads=3).labels, specimen.answer))

    crew = [threading.Thread(target=work) for _ in range(5)]
    for each in crew:
        each.start()
    for each in crew:
        each.join()
    assert answers == [True] * 50


def test_other_threads_of_python_go_on_meanwhile() -> None:
    # A spinning thread must get the interpreter while the core works: it could not if the lock were kept.
    specimen = next(s for s in zoo() if s.name == "grid_big")
    graph = specimen.graph("csr")
    steps, stop = [0], threading.Event()

    def spin() -> None:
        while not stop.is_set():
            steps[0] += 1

    spinner = threading.Thread(target=spin)
    spinner.start()
    try:
        for _ in range(5):
            assert np.array_equal(landbridge.components(graph, threads=2).labels, specimen.answer)
    finally:
        stop.set()
        spinner.join()
    assert steps[0] > 0


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


FORK = """
import os, sys
import numpy as np, landbridge
n = 200_000
pair = (np.arange(n), (np.arange(n) * 7 + 1) % n)
def count():
    return landbridge.components(pair, plan="rem_cas", threads=3).count
before = count()
child = os.fork()
if child == 0:
    grand = os.fork()
    if grand == 0:
        os._exit(0 if count() == before else 3)
    _, status = os.waitpid(grand, 0)
    os._exit(0 if count() == before and status == 0 else 4)
_, status = os.waitpid(child, 0)
print(status, count() == before)
"""


def test_a_child_after_fork_has_threads_of_its_own() -> None:
    assert run(FORK).split() == ["0", "True"]


POOL = """
import multiprocessing, numpy as np, landbridge
def count(k):
    n = 60_000
    return landbridge.components((np.arange(n), np.arange(n) // k), threads=2).count
if __name__ == "__main__":
    count(2)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(count, [2, 3, 4, 5]))
"""


def test_workers_of_a_process_pool() -> None:
    assert run(POOL).strip() == "[1, 1, 1, 1]"


FEW_THREADS = """
import resource, numpy as np, landbridge
n = 4_000_000
pair = (np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32) // 2)
graph = landbridge.Graph(pair)
landbridge.components(([0], [1]))  # loads all that it needs
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))  # the stacks of some sixty threads
for threads in (120, 2, 120):
    print(landbridge.components(graph, plan="async(halve)", threads=threads).count)
"""


def test_fewer_threads_than_asked_for_are_enough() -> None:
    assert run(FEW_THREADS).split() == ["1", "1", "1"]


DAEMON = """
import threading, time, numpy as np, landbridge
n = 400_000
draw = np.random.default_rng(1)
pair = (draw.integers(0, n, 5 * n), draw.integers(0, n, 5 * n))
rows = landbridge.Graph(pair).to_rows()
def work(plan):
    while True:
        landbridge.components(rows, plan=plan, threads=2)
for plan in ("rem_cas(naive,splice)", "hb(4)+async(halve)"):
    threading.Thread(target=work, args=(plan,), daemon=True).start()
time.sleep(0.2)
"""


def test_daemon_threads_inside_the_core_do_not_disturb_the_end() -> None:
    for _ in range(3):
        run(DAEMON)


INTERRUPT = """
import os, signal, threading, time, numpy as np, landbridge
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have left it ignored, as shells do
n = 400_000
pair = (np.arange(n), np.random.default_rng(1).integers(0, n, n))
right = landbridge.components(pair, threads=2)
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began, heard = time.monotonic(), False
try:
    while time.monotonic() - began < 60:
        landbridge.components(pair, threads=2)
except KeyboardInterrupt:
    heard = True
again = landbridge.components(pair, threads=2)
print(heard, time.monotonic() - began < 30, np.array_equal(right.labels, again.labels))
"""


def test_an_interrupt_is_heard_between_calls_and_harms_nothing() -> None:
    assert run(INTERRUPT).split() == ["True", "True", "True"]
