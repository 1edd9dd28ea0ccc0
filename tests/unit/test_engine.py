"""The CPU engine from Python's side: what it is called with, many callers at once, and life after fork."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from oracles.reference import by_sets
from oracles.refusals import refused
from oracles.zoo import zoo

import landbridge
from landbridge import Components, DeviceError, Graph, InvalidCombination, InvalidPlan, Profile, _core
from landbridge.engine.base import Solver, TableEngine
from landbridge.engine.cpu.choose import choose_components
from landbridge.engine.cpu.engine import CpuEngine
from landbridge.engine.cpu.run import core_plan, graph_facts
from landbridge.engine.resolve import default_engine, resolve_engine
from landbridge.plan import ENGINES, EngineKind, Parameter, Plan, parse
from landbridge.threads import WorkKind, fitting_threads

PLANS = landbridge.plans(engine="cpu", extended=True)


def test_an_engine_is_picked_by_device_or_plan() -> None:
    assert resolve_engine("auto", None) is None
    assert isinstance(resolve_engine("cpu", parse("async")), CpuEngine)
    assert isinstance(resolve_engine("auto", parse("async@cpu")), CpuEngine)
    assert isinstance(default_engine(on_device=False, size=1), CpuEngine)
    with refused(DeviceError, "no device 'tpu' here; there is: cpu", exactly=False):
        resolve_engine("tpu", None)


class Abacus(TableEngine):
    """An engine of one problem, in the memory of the host, with sets of Python."""

    name = "abacus"
    solvers: ClassVar[Mapping[str, Solver | str]] = {"components": "abacus_engine"}


def solve_by_sets(graph: Graph, plan: Plan, threads: int) -> Components:
    pairs = graph.to_pairs()
    assert pairs.b is not None
    labels = by_sets(graph.num_vertices, pairs.a, pairs.b).astype(np.int32)
    return Components(len(set(labels.tolist())), labels, str(plan), "abacus", Profile({}, 0.0, threads, 0.0))


@pytest.fixture
def abacus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers the engine as an extension would: a row of the table, and a module that defines ENGINE and SOLVER."""
    module = ModuleType("abacus_engine")
    module.ENGINE = Abacus()  # type: ignore[attr-defined]
    module.SOLVER = Solver(  # type: ignore[attr-defined]
        solve_by_sets, choose_components, graph_facts, lambda sizes, plan: 64 * sizes.vertices
    )
    monkeypatch.setitem(sys.modules, "abacus_engine", module)
    options = (Parameter("beads", "int", minimum=1, maximum=10), *ENGINES["cpu"].options)
    row = EngineKind("abacus", "abacus_engine", "cpu", "host", options, words=("counter",))
    monkeypatch.setitem(ENGINES, "abacus", row)


@pytest.mark.usefixtures("abacus")
def test_an_engine_is_added_by_a_row_and_a_module() -> None:
    pair = ([0, 1, 5], [1, 2, 4])
    for words in ({"device": "abacus"}, {"device": "counter"}, {"plan": "rem_cas@abacus(beads=3)"}):
        result = landbridge.components(pair, **words)  # type: ignore[arg-type]
        assert (result.device, result.labels.tolist()) == ("abacus", [0, 0, 0, 1, 2, 2])
    assert result.plan == "rem_cas(naive,split_one)@abacus(beads=3)"
    assert landbridge.components(pair).device == "cpu"
    assert landbridge.explain(pair, device="abacus").device == "abacus"
    assert landbridge.estimate_memory((10, 5), device="abacus") == 640
    texts = landbridge.plans(engine="abacus")
    assert [t.replace("@cpu", "@abacus") for t in landbridge.plans(engine="cpu")] == texts
    assert set(texts) < set(landbridge.plans())
    # Problems that it has no solver for have no plans of it.
    assert landbridge.plans("forest", engine="abacus") == []


@pytest.mark.usefixtures("abacus")
def test_what_an_added_engine_lacks_is_refused() -> None:
    unknown = "plan 'rem_cas@abacus(merge=warp)', character 16: unknown option of engine abacus 'merge'"
    with refused(InvalidPlan, unknown, exactly=False):
        parse("rem_cas@abacus(merge=warp)")
    with refused(DeviceError, "device='cpu', but the plan asks for @abacus"):
        landbridge.components(([0], [1]), plan="rem_cas@abacus", device="cpu")
    lacks = "the engine abacus has no solver for forest"
    with refused(InvalidCombination, f"rem_cas(naive,split_one)@abacus: {lacks}"):
        landbridge.spanning_forest(([0], [1]), plan="rem_cas@abacus")
    with refused(DeviceError, lacks):
        landbridge.spanning_forest(([0], [1]), device="abacus")
    with refused(DeviceError, lacks):
        landbridge.estimate_memory((10, 5), device="abacus", problem="forest")


LACKING: dict[str, tuple[str, Callable[..., Any]]] = {
    "rank_list": ("list_ranking", lambda **words: landbridge.rank_list([1, 1], **words)),
    "scan_list": ("list_ranking", lambda **words: landbridge.scan_list([1, 1], [5, 6], **words)),
    "Incremental": ("incremental", lambda **words: landbridge.Incremental(2, **words)),
    "chunks": ("incremental", lambda **words: landbridge.components(chunks=[([0], [1])], **words)),
    "components_of_chunks": ("incremental", lambda **words: landbridge.components_of_chunks([([0], [1])], **words)),
}


@pytest.mark.usefixtures("abacus")
@pytest.mark.parametrize("call", LACKING)
def test_problems_without_a_solver_are_refused_by_every_function(call: str) -> None:
    problem, function = LACKING[call]
    lacks = f"the engine abacus has no solver for {problem}"
    with refused(DeviceError, lacks):
        function(device="abacus")
    plan = "serial" if problem == "list_ranking" else "rem_cas(naive,split_one)"
    with refused(InvalidCombination, f"{plan}@abacus: {lacks}"):
        function(plan=f"{plan}@abacus")


@pytest.mark.parametrize("call", LACKING)
def test_a_default_engine_without_a_solver_is_refused(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, function = LACKING[call]
    monkeypatch.setattr(CpuEngine, "solvers", {})
    with refused(DeviceError, f"the engine cpu has no solver for {problem}"):
        function()


@pytest.mark.parametrize(
    ("kind", "processors", "fitting"),
    [
        ("rows", 2, {0: 1, 2**18 - 1: 1, 2**18: 2, 2**30: 2}),
        ("pairs", 2, {2**18: 1, 2**20 - 1: 1, 2**20: 2}),
        ("pairs", 3, {2**18: 1, 3 * 2**17: 3}),
        ("pairs", 4, {2**18 - 1: 1, 2**18: 4}),
        ("pairs", 8, {2**17 - 1: 1, 2**17: 8}),
        ("pairs", 64, {2**16 - 1: 1, 2**16: 16, 2**18: 64}),
        ("rows", 3, {2**18 - 1: 1, 2**18: 2}),
        ("rows", 64, {2**17 - 1: 1, 2**17: 32, 2**18: 64}),
        ("lists", 64, {2**18 - 1: 1, 2**18: 2, 2**23: 64}),
    ],
)
def test_threads_that_fit_the_work(kind: WorkKind, processors: int, fitting: dict[int, int]) -> None:
    assert {work: fitting_threads(processors, work, kind) for work in fitting} == fitting


def test_threads_have_enough_to_do_each_unless_they_are_named() -> None:
    processors = _core.available_threads()
    assert processors >= 1
    edges = np.zeros(2**17, np.int32), np.ones(2**17, np.int32)
    for vertices in (2, 3 * 2**17, 15 * 2**17):
        expected = fitting_threads(processors, (vertices + 2**17) // 2, "pairs")
        graph = landbridge.Graph(edges, num_vertices=vertices)
        assert landbridge.components(edges, num_vertices=vertices).profile.threads == expected
        assert landbridge.components(graph).profile.threads == expected
        assert landbridge.components(graph, threads=5).profile.threads == 5
    apart = 15 * np.arange(1, 2**17 + 1, dtype=np.int32)  # a few of the ids show that there are 15 x 2^17 vertices
    assert landbridge.components((apart, apart)).profile.threads == fitting_threads(processors, 2**20, "pairs")
    assert landbridge.components(edges, plan="async@cpu(threads=4)").profile.threads == 4
    assert landbridge.explain(edges, device="cpu").facts.threads == 1
    both_ways = landbridge.Graph(edges, num_vertices=2).to_rows()
    assert both_ways.num_edges == 2**18 and landbridge.components(both_ways).profile.threads == 1
    for lists, expected in ((2**16, 1), (2**17, 2)):
        successor = np.arange(lists, dtype=np.int32)
        assert landbridge.rank_list(successor, full=True).profile.threads == min(expected, processors)
        assert landbridge.rank_list(successor, threads=3, full=True).profile.threads == 3


def test_the_core_takes_no_other_types_than_the_graph_makes() -> None:
    floats = np.zeros(3)
    with pytest.raises(TypeError):
        _core.components(3, None, floats, floats, False, False, core_plan(parse("async(naive)"), 1))


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

    callers = [threading.Thread(target=work) for _ in range(5)]
    for each in callers:
        each.start()
    for each in callers:
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
