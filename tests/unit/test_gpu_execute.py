"""Runs on a device that executes nothing and records: phases, the end of runs with deferred edges, replays."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kernel_double import call_kernels

import landbridge
from landbridge.device import cuda, jit, layout
from landbridge.device.kernels import Shape
from landbridge.device.memory_counter import MemoryCounter
from landbridge.device.timeline import Timeline
from landbridge.engine.gpu import execute
from landbridge.engine.gpu.components_run import ComponentsRun
from landbridge.engine.gpu.execute import Execution
from landbridge.engine.gpu.memory import counted_graph
from landbridge.engine.gpu.replay import Replays
from landbridge.engine.gpu.schedule import MANY, GpuSchedule
from landbridge.engine.gpu.solve import launches_of
from landbridge.engine.gpu.union_find import completion
from landbridge.plan import parse

WORDS = layout.control("components")
CAPACITY = 100


class Recorder(MemoryCounter):
    """A device whose kernels append their names to `log`, and check what the driver would be handed."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []
        self.most_blocks = 2**31
        self.blocks: dict[str, int] = {}

    def resident_blocks(self, function: Any, threads: int, shared: int) -> int:
        return self.most_blocks

    def kernels(self, program: jit.Program) -> dict[str, Any]:
        return {name: partial(self.launch, name) for name in map(jit.template_name, program.expressions)}

    def launch(self, name: str, blocks: int, threads: int, structs: Any) -> None:
        assert all(type(x) is int and x > 0 for x in (blocks, threads))
        assert all(ctypes.string_at(x.address, x.type.size) == bytes(x.packed) for x in structs)
        self.log.append(name)
        self.blocks[name] = blocks


class Control:
    """A control block that holds other words each time it is read."""

    def __init__(self, *states: dict[str, int]) -> None:
        self.states = iter(states)

    def get(self) -> Any:
        words = np.zeros(WORDS["end"], np.uint64)
        words[WORDS["capacity"]] = CAPACITY
        for word, value in next(self.states).items():
            words[WORDS[word]] = value
        return words


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A CUDA stream on which time goes on by a millisecond an event."""
    events = iter(range(100))
    stream = SimpleNamespace(record=lambda: next(events))
    module = SimpleNamespace(
        cuda=SimpleNamespace(get_current_stream=lambda: stream, get_elapsed_time=lambda a, b: float(b - a))
    )
    monkeypatch.setattr(cuda, "_module", lambda: module)
    return stream


@pytest.fixture(autouse=True)
def _called(monkeypatch: pytest.MonkeyPatch) -> None:
    call_kernels(monkeypatch, execute)


def run_of(text: str, device: Recorder, *, csr: bool = True, symmetric: bool = True) -> ComponentsRun:
    plan, graph = parse(text), counted_graph(Shape(32, 32, 32), csr=csr, symmetric=symmetric)
    return launches_of(plan, graph, GpuSchedule.of(plan, graph), device)


def execution_of(run: ComponentsRun, device: Recorder, control: Any) -> Execution:
    return Execution(run.launches, control, run.n, device, partial(completion, run))  # type: ignore[arg-type]


def test_a_launch_runs_all_kernels_and_marks_the_phases(stream: Any) -> None:
    device = Recorder()
    run = run_of("kout(2)+rem_cas(naive,halve_one)", device)
    execution = execution_of(run, device, Control({"count": 3}))
    execution.launch()
    kernels = ["start", "unite_sample", "choose_skip", "flatten", "choose_skip", "unite_csr", "unite_queued"]
    assert device.log == [*kernels, "number", "label"]
    timeline = Timeline()
    execution.launch(timeline)
    assert device.log == [*kernels, "number", "label"] * 2
    assert timeline.seconds() == dict.fromkeys(("start", "sample", "skip", "finish", "number"), 0.001)
    assert execution.read(timeline)[WORDS["count"]] == 3
    assert len(timeline) == 5
    assert len(device.log) == 2 * (len(kernels) + 2)


def test_deferred_edges_are_united_before_vertices_are_numbered(stream: Any) -> None:
    device = Recorder()
    run = run_of("rem_cas(naive,splice)", device, csr=False)
    states = {"deferred": 7, "outside": 5}, {"count": 4}
    execution, timeline = execution_of(run, device, Control(*states)), Timeline()
    words = execution.read(timeline)
    assert device.log == ["unite_deferred", "number", "label"]
    assert (words[WORDS["count"]], words[WORDS["outside"]]) == (4, 5)
    assert list(timeline.seconds()) == ["finish"]


def test_edges_that_were_given_up_are_all_united_again(stream: Any) -> None:
    device = Recorder()
    run = run_of("kout(2)+rem_cas(naive,halve_one)", device)
    lost = {"deferred": CAPACITY + 1, "links": 3}
    again = ["unite_sample", "choose_skip", "flatten", "choose_skip", "unite_csr", "unite_queued"]
    execution_of(run, device, Control(lost, {})).read()
    assert device.log == ["unite_deferred", *again, "number", "label"]
    device.log.clear()
    # Where one tree is left, there is nothing to unite.
    execution_of(run, device, Control({**lost, "links": run.n - 1}, {})).read()
    assert device.log == ["unite_deferred", "number", "label"]


@pytest.mark.parametrize("balance", layout.enum("Balance"))
def test_queues_of_rows_are_filled_once_behind_each_choice_of_a_tree(stream: Any, balance: str) -> None:
    # What empties them is the choice; the rows of the largest tree come last, and are dealt out without a queue.
    device = Recorder()
    run = run_of(f"kout(2)+rem_cas(naive,halve_one)@gpu(balance={balance})", device, symmetric=False)
    queued = ["unite_queued"] if balance in ("tile", "worklist", "gather") else []
    execution_of(run, device, Control({"deferred": CAPACITY + 1, "links": 3}, {})).read()
    again = ["unite_sample", "flatten", "choose_skip", "unite_csr", *queued, "flatten"]
    assert device.log == ["unite_deferred", *again, "unite_leaving", "unite_csr", "number", "label"]
    last = [launch for launch in run.launches if launch.name == "unite_csr"][-1]
    rows = last.arguments[-1].fields
    assert any("Balance::edge" in text for text in last.kernel.program.expressions)
    assert (rows["pick"], rows["limit"]) == (layout.enum("Pick")["leaving"], run.m)
    assert rows["members"] is not None and rows["inside"] is not None
    # One of two launches reads the edges, by how many of them lead outside; a launch before draws some.
    fold, leaving = (
        next(each for each in run.launches if each.name == name) for name in ("fold_outside", "unite_leaving")
    )
    assert fold.arguments[-1] is leaving.arguments[-1]
    assert fold.blocks * layout.constant("warp_threads") == layout.constant("fold_words")
    assert leaving.arguments[-1].fields["bound"] == rows["bound"]
    assert rows["run_if"] == layout.enum("RunIf")["coverage_below"]


def test_few_edges_are_read_in_their_rows(stream: Any) -> None:
    device, plan = Recorder(), parse("kout(2)+rem_cas(naive,halve_one)")
    graph = replace(counted_graph(Shape(32, 32, 32), csr=True, symmetric=False), num_edges=MANY - 1)
    launches = launches_of(plan, graph, GpuSchedule.of(plan, graph), device).launches
    assert [each.name for each in launches].count("unite_csr") == 2
    assert not {"fold_outside", "unite_leaving"} & {each.name for each in launches}


def test_a_grid_that_waits_for_itself_fits_the_device(stream: Any) -> None:
    device = Recorder()
    run = run_of("bfs+rem_cas(naive,halve_one)", device)
    listed = {launch.name: launch.blocks for launch in run.launches}
    device.most_blocks = listed["search_members"] - 1
    execution_of(run, device, Control({})).launch()
    assert device.blocks == listed | {"search_members": device.most_blocks}


def test_behind_a_search_all_cells_are_stored_and_rows_are_listed_again(stream: Any) -> None:
    device = Recorder()
    lost = {"deferred": CAPACITY + 1, "links": 3}
    numbering = ["number_outside", "label_members"]
    for text, stored in (
        ("bfs+rem_cas(naive,halve_one)", True),
        ("bfs+rem_cas(naive,halve_one)@gpu(balance=edge)", False),
    ):
        run = run_of(text, device)
        finish = ["list_outside", "unite_listed"] if stored else ["unite_csr"]
        kernels = ["start", "search_members", "grow_members", "grow_members", "adopt_members", *finish, *numbering]
        assert [launch.name for launch in run.launches] == kernels
        execution_of(run, device, Control(lost, {})).read()
        assert device.log == [*(["adopt_members"] if stored else []), "unite_deferred", *finish, *numbering]
        device.log.clear()


def test_the_last_attempt_defers_nothing(stream: Any) -> None:
    device = Recorder()
    run = run_of("rem_cas(naive,splice)", device, csr=False)
    lost = {"deferred": CAPACITY + 1}
    execution = execution_of(run, device, Control(*[lost] * 4, {}))
    execution.read()
    attempts = "".join(f"{name} " for name in device.log).split("label ")
    usual = "unite_deferred unite_coo number "
    assert attempts == [usual, usual, usual, "unite_deferred unite_coo unite_deferred number ", ""]
    options = [
        argument.fields["unbounded"]
        for launch in completion(run, True, True)
        for argument in launch.arguments
        if argument.type.name == "DeferredOptions"
    ]
    assert options == [1, 0]


def test_pairs_whose_walks_were_cut_off_are_united_by_the_run_itself(stream: Any) -> None:
    device = Recorder()
    run = run_of("rem_cas(naive,halve_one)", device, csr=False)
    assert not run.repeated
    execution_of(run, device, Control()).launch()
    rest = ["unite_rest", "unite_outside", "settle_rest"]
    assert device.log == ["start", "sample_coo", "settle_coo", "mark_coo", *rest, "number", "label"]


def test_edges_are_hooked_or_sampled_as_the_device_finds_them(stream: Any) -> None:
    device, shape, plan = Recorder(), Shape(64, 64, 64), parse("rem_cas(naive,halve_one)")
    graph = counted_graph(shape, csr=False)
    few = replace(graph, num_vertices=graph.num_edges // 4)
    run = launches_of(plan, few, GpuSchedule.of(plan, few), device)
    names = [launch.name for launch in run.launches]
    assert names[:3] == ["start", "hook_coo", "sample_coo"]


def test_a_run_that_defers_nothing_is_never_completed() -> None:
    device = Recorder()
    run = run_of("rem_cas(naive,halve_one)", device)
    execution = Execution(run.launches, Control({"deferred": 1}), run.n, device)  # type: ignore[arg-type]
    assert execution.read()[WORDS["deferred"]] == 1
    assert device.log == []


def test_a_plan_is_captured_when_it_comes_again() -> None:
    graph, plan = landbridge.Graph(([0], [1])), parse("rem_cas@gpu(fuse=off)")
    replays, captured = Replays(), []

    def build() -> Any:
        captured.append(len(captured))
        return f"replay {len(captured)}"

    get: Any = replays.get
    assert get(graph, plan, Recorder(), build) is None
    assert captured == []
    assert [get(graph, plan, Recorder(), build) for _ in range(3)] == ["replay 1"] * 3
    assert get(graph, parse("async@gpu"), Recorder(), build) is None
    assert get(landbridge.Graph(([0], [1])), plan, Recorder(), build) is None
    assert captured == [0]
