"""The kinds for one GPU, on a CuPy of NumPy's arrays: the CPU engine stands for the GPU's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kernel_double import call_kernels
from small_benchmarks import on_device

import landbridge
from benchmarks import counted_run, gpu_cases, run
from benchmarks.gpu import WARM_UPS, Gpu
from benchmarks.gpu_runs import ComponentsRun, SpanningForestRun, stream_plan
from benchmarks.kinds import gpu_components, gpu_counters, gpu_forests, gpu_pairs, gpu_streams, gpu_transfer, zoo_gpu
from benchmarks.list_cases import list_case
from benchmarks.records import Record, read_records
from landbridge.device import cuda, jit, layout
from landbridge.device.kernels import Shape
from landbridge.device.memory_counter import MemoryCounter
from landbridge.engine.gpu import execute
from landbridge.engine.gpu.memory import counted_graph

SMALL = "gnm(60,70)"


class RunOnCpu:
    """A prepared run whose launches are the CPU's call. deferring: how many launches say that they left edges."""

    deferring = 0

    def __init__(self, graph: Any, plan: str) -> None:
        self.graph, self.plan, self.completed = graph, plan, 0

    def launch(self) -> None:
        self.result = landbridge.components(self.graph)

    def complete(self) -> None:
        self.completed += 1

    def has_deferred(self) -> bool:
        RunOnCpu.deferring -= 1
        return RunOnCpu.deferring >= 0

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        yield "unite", self.launch
        yield "number", lambda: None

    def answer(self) -> tuple[Any, ...]:
        return self.result.count, on_device(self.result.labels)


class ForestOnCpu(RunOnCpu):
    def launch(self) -> None:
        self.result = landbridge.spanning_forest(self.graph)

    def answer(self) -> tuple[Any, ...]:
        return self.result.u, self.result.v, self.result.edge


class TreesOnCpu:
    """The trees of a stream, whose inserts have two parts."""

    def __init__(self, n: int, plan: str) -> None:
        del plan
        self.stream = landbridge.Incremental(n)

    def check(self, u: Any, v: Any) -> None:
        del u, v

    def insert_checked(self, u: Any, v: Any, facts: None) -> None:
        del facts
        self.stream.insert(np.asarray(u), np.asarray(v))

    def answer(self) -> tuple[int, Any]:
        return self.stream.count, self.stream.components().labels


@pytest.fixture
def on_cpu(cupy_of_numpy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that asks for the GPU gets an answer from the CPU; every graph is a small one."""
    components, forest, stream = landbridge.components, landbridge.spanning_forest, landbridge.Incremental

    def without_device(call: Any) -> Any:
        def called(*arguments: Any, device: str = "cpu", **more: Any) -> Any:
            del device
            return call(*arguments, **more)

        return called

    class Stream:
        def __init__(self, n: int, **more: Any) -> None:
            del more
            self.inner = stream(n)

        def insert(self, u: Any, v: Any) -> None:
            self.inner.insert(np.asarray(u), np.asarray(v))

        def apply(self, *operations: Any, **more: Any) -> Any:
            return on_device(self.inner.apply(*map(np.asarray, operations), **more))

        count = property(lambda self: self.inner.count)
        components = property(lambda self: self.inner.components)

    monkeypatch.setattr(landbridge, "components", without_device(components))
    monkeypatch.setattr(landbridge, "spanning_forest", without_device(forest))
    monkeypatch.setattr(landbridge, "Incremental", Stream)
    monkeypatch.setattr(gpu_components, "ComponentsRun", RunOnCpu)
    monkeypatch.setattr(gpu_pairs, "check_pairs", lambda u, v, n: None)
    monkeypatch.setattr(gpu_components, "chosen_plan", lambda graph, plan: "a plan" if plan == "auto" else plan)
    monkeypatch.setattr(gpu_forests, "chosen_plan", lambda graph, plan, problem: plan)
    monkeypatch.setattr(gpu_forests, "SpanningForestRun", ForestOnCpu)
    monkeypatch.setattr(gpu_streams, "StreamTrees", TreesOnCpu)
    for name, stand_in in (
        ("ComponentsRun", RunOnCpu),
        ("SpanningForestRun", ForestOnCpu),
        ("StreamTrees", TreesOnCpu),
    ):
        monkeypatch.setattr(zoo_gpu, name, stand_in)
    monkeypatch.setattr(zoo_gpu, "chosen_plan", lambda graph, plan, problem: plan)
    monkeypatch.setattr(gpu_transfer, "send", lambda arrays, dtypes, threads: ((on_device(arrays[0]),), 0))
    monkeypatch.setattr(gpu_transfer, "fetch", lambda array, threads: array.get())
    generate = gpu_cases.generate
    monkeypatch.setattr(gpu_cases, "generate", lambda text: generate(SMALL))
    monkeypatch.setattr(RunOnCpu, "deferring", 0)


def records_of(suite: str, tmp_path: Path, *words: str) -> list[Record]:
    out = tmp_path / f"{suite}.jsonl"
    assert run.main([suite, *words, "--out", str(out)]) == 0
    records = read_records([out])
    assert {record["device"] for record in records} == {"NVIDIA NumPy"}
    return records


def test_plans_are_replayed_and_calls_timed(on_cpu: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--only", "rmat22", "--trials", "3", "--plan", "auto", "--plan", "ecl(halve)", "--phases"]
    auto, ecl, call = records_of("gpu", tmp_path, *words)
    assert (auto["contestant"], auto["plan"], auto["timing"]) == ("landbridge(auto)", "a plan", "replay")
    assert (ecl["contestant"], ecl["times"]) == ("landbridge(ecl(halve))", [1e-3] * 3)
    assert (call["form"], call["timing"], len(call["times"])) == ("Graph", "wall", 3)
    assert auto["graph"]["m"] == 70
    assert auto["lower_bound_s"] > 0
    captured = capsys.readouterr()
    assert "| rmat22 | 0.0 M | 0.0 M | `a plan` | 1.000 |" in captured.out
    assert "0.299 (GConn k-out)" in captured.out
    assert "unite 1.000, number 1.000" in captured.err


def test_a_wrong_answer_on_a_gpu_is_a_failure(
    on_cpu: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = RunOnCpu.answer
    monkeypatch.setattr(RunOnCpu, "answer", lambda self: (answer(self)[0] + 1, answer(self)[1]))
    assert run.main(["gpu", "--only", "rmat22", "--trials", "1", "--plan", "ecl(halve)"]) == 1
    assert "landbridge(ecl(halve)) on rmat22: " in capsys.readouterr().err


def test_runs_that_defer_edges_are_completed_by_calls(cupy_of_numpy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = RunOnCpu(landbridge.Graph(([0, 1], [1, 2])), "")
    monkeypatch.setattr(RunOnCpu, "deferring", 0)
    gpu = Gpu()
    assert gpu.replay(prepared, 3) == (1e-3,) * 3
    assert prepared.completed == 0
    RunOnCpu.deferring = 1
    assert gpu.replay(prepared, 3) == (1e-3,) * 3
    assert prepared.completed == 3 + WARM_UPS
    cupy_of_numpy.cuda.get_elapsed_time = lambda start, end: 500.0
    assert gpu.replay(prepared, 3) == (0.5,)


def test_ablations_carry_their_schedule(on_cpu: None, tmp_path: Path) -> None:
    records = records_of("gpu_ablations", tmp_path, "--only", "rmat22", "--trials", "1")
    reads = [record for record in records if record["form"] == "reads"]
    assert [record["option"] for record in reads] == ["", "reads=fresh"]
    assert reads[1]["plan"] == "rem_cas(naive,halve_one)@gpu(reads=fresh)"


def test_forests_and_their_components_take_turns(
    on_cpu: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = records_of("gpu_forests", tmp_path, "--only", "rmat22", "--trials", "2", "--plan", "auto")
    assert [(r["contestant"], r["form"]) for r in records] == [
        ("landbridge(auto)", "forest"),
        ("landbridge(auto)", "components"),
    ]
    assert "| 1.000 | 1.00 | 1.00 | 0.310 | 0.31 |" in capsys.readouterr().out


def test_streams_are_timed_in_one_batch_and_in_many(
    on_cpu: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = records_of("gpu_streams", tmp_path, "--only", "rmat22", "--repeat", "1")
    keys = [(record["form"], record["timing"]) for record in records]
    one = [(form, timing) for form in ("random order", "sorted") for timing in ("device", "wall")]
    many = [(f"inserts, 10^{k}", timing) for k in range(4, 8) for timing in ("replay", "wall")]
    mixed = [(f"1:{queries}, 10^{k}", "wall") for queries in (0, 1, 10) for k in range(4, 8)]
    assert keys == [*one, *many, *mixed]
    assert records[0]["operations"] == 70
    assert records[0]["median"] == pytest.approx(1e-3 / 70 * 1e6, rel=1e-5)
    assert "the best of GConn" in capsys.readouterr().out


def test_edge_lists_are_replayed_in_several_orders(
    on_cpu: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = records_of("gpu_pairs", tmp_path, "--only", "rmat22", "--trials", "2", "--plan", "auto")
    pairs = {record["form"]: record["graph"]["m"] for record in records}
    assert pairs == {"both directions": 140, "sorted": 70, "random order": 70}
    assert all(record["checked"] and record["lower_bound_s"] > 0 for record in records)
    assert "| rmat22 | both directions | 0.0 M | 1.000 | 1.000 |" in capsys.readouterr().out


def test_copies_are_compared_with_their_source(on_cpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    integers = np.random.Generator.integers

    def fewer(self: Any, low: int, high: int, size: int, dtype: Any) -> Any:
        return integers(self, low, high, size // 10**6 * 100, dtype=dtype)

    class Rng:
        def __init__(self, seed: int) -> None:
            self.inner = np.random.Generator(np.random.PCG64(seed))

        def integers(self, *arguments: Any, **more: Any) -> Any:
            return fewer(self.inner, *arguments, **more)

    monkeypatch.setattr(gpu_transfer.np.random, "default_rng", Rng)
    records = records_of("gpu_transfer", tmp_path, "--repeat", "1")
    names = [record["contestant"] for record in records]
    assert names[0] == "limit, pinned to device"
    assert "two int64 arrays to labels" in names
    assert any(name.startswith("of these: ") for name in names)
    assert all(record["bytes"] > 0 and record["threads"] for record in records)


COUNTED = """==PROF== Connected to process 7
plan: a plan
"ID","Kernel Name","Metric A","{names}"
"","","","{units}"
"0","start(lb::gpu::Cells<unsigned int>)","","{first}"
"1","void lb::gpu::unite_csr<lb::named::link::rem_cas<int>, unsigned int>(lb::gpu::Cells<unsigned int>)","","{second}"
"""


def counted(first_us: float, second_ms: float) -> str:
    """A report of Nsight Compute on two kernels; units differ from report to report."""
    counters = gpu_counters.COUNTERS.values()
    units = ["%" if "pct" in counter else "Gbyte" if "bytes" in counter else "inst" for counter in counters]
    values = ["1,250.5" if unit == "inst" else "2" if unit == "Gbyte" else "104" for unit in units]

    def columns(*words: str) -> str:
        return '","'.join(words)

    return COUNTED.format(
        names=columns(gpu_counters.SECONDS, *counters), units=columns("us", *units),
        first=columns(str(first_us), *values), second=columns(str(second_ms * 1e3), *values),
    )  # fmt: skip


def test_counters_are_those_of_each_kernel(
    on_cpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def profile(command: list[str], **_: Any) -> Any:
        assert command[0] == "ncu"
        assert command[-2:] == ["benchmarks.counted_run", "kron21"]
        return SimpleNamespace(returncode=0, stdout=counted(5.0, 2.0), stderr="")

    monkeypatch.setattr(gpu_counters.subprocess, "run", profile)
    records = records_of("gpu_counters", tmp_path, "--only", "kron21")
    assert [(record["form"], record["median"]) for record in records] == [("00 start", 5e-6), ("01 unite_csr", 2e-3)]
    assert {record["plan"] for record in records} == {"a plan"}
    first = records[0]
    assert (first["dram_bytes"], first["l2_share"], first["waits_for_memory"]) == (2e9, 1.04, 1250.5)
    text = capsys.readouterr().out
    assert "| kron21 | `unite_csr` | 2.000 | 100% | 1.00 | 100% | 100% | 100% | 100% | 100% | 104% | 104% |" in text
    assert "`start`" not in text


def test_the_table_of_counters_shows_the_last_run_of_a_graph() -> None:
    shares = dict.fromkeys(gpu_counters.COUNTERS, 0.5)

    def counted_kernel(name: str, form: str, commit: str, day: int) -> dict[str, Any]:
        graph = {"name": "kron21"}
        return {
            "graph": graph, "contestant": name, "form": form, "commit": commit, "date": f"2026-01-0{day}",
            "median": 1e-3, **shares,
        }  # fmt: skip

    newer = [counted_kernel("grow", "00 grow", "b", 2), counted_kernel("label", "01 label", "b", 2)]
    older = [counted_kernel("hook", "00 hook", "a", 1), counted_kernel("label", "01 label", "a", 1)]
    text = gpu_counters.counters_table([*older, *newer])
    assert "`hook`" not in text
    assert text.count("| 50% | 0.00 |") == 2


def test_a_counted_run_that_fails_is_a_failure(
    on_cpu: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = SimpleNamespace(returncode=1, stdout="", stderr="WrongAnswer: labels differ")
    monkeypatch.setattr(gpu_counters.subprocess, "run", lambda *_, **__: failed)
    assert run.main(["gpu_counters", "--only", "kron21"]) == 1
    assert "labels differ" in capsys.readouterr().err


def test_a_counted_run_is_one_replay_of_the_chosen_plan(
    on_cpu: None, cupy_of_numpy: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words: list[str] = []
    profiler = SimpleNamespace(start=lambda: words.append("start"), stop=lambda: words.append("stop"))
    monkeypatch.setattr(cupy_of_numpy.cuda, "profiler", profiler, raising=False)
    monkeypatch.setattr(counted_run, "ComponentsRun", RunOnCpu)
    monkeypatch.setattr(counted_run, "chosen_plan", lambda graph, plan: "a plan")
    counted_run.main("kron21")
    assert capsys.readouterr().out == "plan: a plan\n"
    assert words == ["start", "stop"]


def test_small_calls_have_two_forms(on_cpu: None, tmp_path: Path) -> None:
    records = records_of("gpu_calls", tmp_path, "--trials", "2")
    assert [record["form"] for record in records] == ["pair of arrays", "Graph"]


def test_programs_of_others_take_turns_with_plans(
    on_cpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "ecl"
    count = landbridge.components((gpu_cases.generate(SMALL).u, gpu_cases.generate(SMALL).v), num_vertices=60).count
    lines = "compute time: 0.5 s\\nnumber of connected components: " + str(count)
    program.write_text(f"#!/bin/sh\nprintf '{lines}\\n'\n")
    program.chmod(0o755)
    monkeypatch.setenv("LANDBRIDGE_PEER_ECL_CC_GPU", str(program))
    words = ["--only", "rmat22", "--trials", "1", "--peers", "ecl_cc_gpu"]
    ours, peer, _ = records_of("gpu_peers", tmp_path, *words)
    assert (ours["timing"], peer["timing"], peer["times"]) == ("replay", "reported", [0.5])


def test_lists_on_a_gpu(on_cpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.claims import list_races
    from benchmarks.kinds import ranking
    from benchmarks.sink import Sink
    from benchmarks.suites import load_suite

    rank_list = landbridge.rank_list
    monkeypatch.setattr(landbridge, "rank_list", lambda lists, plan, **more: rank_list(np.asarray(lists), **more))
    monkeypatch.setattr(list_races.ListRaces, "_touch", staticmethod(lambda gpu, table: lambda: None))
    lists = ["random 2^8"]
    suite = load_suite("ranking_gpu", {"lists": lists, "claim_lists": [], "landbridge": ["auto"], "repeat": 1})
    sink = Sink(suite)
    ranking.run(sink)
    (record,) = sink.records
    assert (record["device"], record["graph"]["n"]) == ("NVIDIA NumPy", len(list_case("random 2^8").successor))
    assert not sink.failures


class Recorder(MemoryCounter):
    """A device whose kernels append their names to `log`."""

    ordinal = 0

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []

    def kernels(self, program: jit.Program) -> dict[str, Any]:
        names = map(jit.template_name, program.expressions)
        return {name: lambda *_, called=name, **__: self.log.append(called) for name in names}


class TestTheEngineInside:
    """`benchmarks.gpu_runs`, on a device that executes nothing and records."""

    @pytest.fixture
    def device(self, monkeypatch: pytest.MonkeyPatch) -> Recorder:
        device = Recorder()
        monkeypatch.setattr(cuda, "current", lambda: device)
        call_kernels(monkeypatch, execute)
        return device

    @pytest.mark.parametrize("kind", [ComponentsRun, SpanningForestRun])
    def test_runs_launch_their_kernels(self, device: Recorder, kind: Any) -> None:
        prepared = kind(counted_graph(Shape(32, 32, 32), csr=True), "hb(2)+rem_cas(naive,halve_one)")
        prepared.launch()
        assert device.log[0] == "start"
        assert [name for name, _ in prepared.steps()] == device.log
        once = len(device.log)
        for _, step in prepared.steps():
            step()
        assert device.log == 2 * device.log[:once]

    def test_the_words_of_a_run_are_read(self, device: Recorder) -> None:
        graph = counted_graph(Shape(32, 32, 32), csr=True)
        components = ComponentsRun(graph, "rem_cas(naive,halve_one)")
        forest = SpanningForestRun(graph, "rem_cas(naive,halve_one)")
        words = layout.control("components")
        control = on_device(np.zeros(words["end"], np.uint64))
        for prepared in (components, forest):
            prepared._execution.control = control
            assert not prepared.has_deferred()
        control[words["count"]], control[words["edges"]] = 5, graph.num_vertices - 1
        assert components.answer()[0] == 5
        assert {len(array) for array in forest.answer()} == {graph.num_vertices - 1}
        control[words["deferred"]] = 1
        assert components.has_deferred()

    def test_streams_have_a_default_plan(self) -> None:
        assert stream_plan("auto") == "rem_cas(naive,halve_one)@gpu"
        assert stream_plan("hooks(compress)") == "hooks(compress)@gpu"


def test_cells_of_the_zoo_are_timed_and_checked(
    on_cpu: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = "{star-last,rmat}/permuted/{csr,forest,pairs-random,stream-random,stream-random-1e3,chunks-made}/2e3"
    records = records_of("zoo_gpu", tmp_path, "--cells", cells)
    autos = [record for record in records if record["contestant"] == "landbridge(auto)"]
    assert len(autos) == 12
    assert {record["form"]: record["timing"] for record in autos} == {
        "csr": "replay", "forest": "replay", "pairs-random": "replay", "stream-random": "device",
        "stream-random-1e3": "wall", "chunks-made": "wall",
    }  # fmt: skip
    assert "Farthest above the best plan of the screen:" in capsys.readouterr().out
    monkeypatch.setattr(zoo_gpu, "reference", lambda gpu, drawn: (np.zeros(drawn.n, np.int32), 1))
    assert run.main(["zoo_gpu", "--cells", "pairs/natural/pairs-random/2e3"]) == 1
    assert "landbridge(auto) on pairs/natural/pairs-random/2e3: 2000 components instead of 1" in capsys.readouterr().err
