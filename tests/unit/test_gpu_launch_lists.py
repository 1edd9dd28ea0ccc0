"""The launches of every GPU plan, built without a GPU: grids that a device takes, memory wherever a kernel needs some.

What kernels make of these arguments is compared in tests/compile/test_kernel_parameters.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge.device import jit, kernels, layout
from landbridge.device.jit import Kernel, Program
from landbridge.device.kernels import Shape
from landbridge.device.layout import Struct
from landbridge.device.memory_counter import CountedArray, MemoryCounter
from landbridge.engine.gpu.choose import PLANS
from landbridge.engine.gpu.components_run import ComponentsRun
from landbridge.engine.gpu.forest_sink import forest_schedule, sink_for
from landbridge.engine.gpu.launch_list import Launch, LaunchList
from landbridge.engine.gpu.list_plans import ALGORITHMS
from landbridge.engine.gpu.list_steps import SampledForm
from landbridge.engine.gpu.memory import counted_graph
from landbridge.engine.gpu.samplings import SAMPLINGS, Sampled
from landbridge.engine.gpu.schedule import GpuSchedule, in_one_block
from landbridge.engine.gpu.search import queue_places
from landbridge.engine.gpu.solve import launches_of, plan_programs
from landbridge.engine.gpu.union_find import completion
from landbridge.engine.gpu.warm import programs_of_choice
from landbridge.plan import Engine, Plan, parse, registry

SHAPES = tuple(Shape(c, e, o) for c, e, o in product((32, 64), repeat=3))
NULL = {
    "Cells": {"words", "aux"},
    "RowQueues": {"list", "huge"},
    "SearchArrays": {"members", "isolated"},
    "RoundArrays": {"list", "own_u", "own_v"},
    "ForestSink": {"b", "origin"},
    "LargestTree": {"members", "control"},
    "RowSchedule": {"members", "inside"},
    "CutEdges": {"position", "u", "v"},
    "FlattenOptions": {"links"},
}
"""The pointers that may be null."""
EITHER_FORM = {"CsrArrays": {"offsets", "neighbors"}, "EdgeArrays": {"u", "v"}}
"""Those of graphs, where one block takes either form."""
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"reads": "fresh", "balance": "worklist"},
    {"balance": "thread", "arcs": "coalesced", "merge": "warp"},
    {"balance": "warp", "arcs": "vertex", "ids": "wide"},
    {"balance": "block", "start": "hook"},
    {"start": "star", "balance": "edge", "owner": "larger"},
    {"start": "tile", "merge": "near"},
    {"balance": "edge", "owner": "smaller", "hints": "stream"},
    {"balance": "gather", "atomics": "single", "seed": 7},
)


def layouts_of(plan: Plan) -> tuple[bool, ...]:
    """Whether CSR, for each layout that a plan takes."""
    return {"csr": (True,), "coo": (False,), None: (True, False)}[plan.layout]


def cases(problem: str) -> Iterator[tuple[Plan, bool, bool]]:
    """Every plan, for CSR or an edge list, symmetric or not."""
    for text in landbridge.plans(problem, engine="gpu", extended=True):
        plan = parse(text)
        for csr in layouts_of(plan):
            yield plan, csr, csr
            if csr and "symmetric" not in plan.finish.traits:
                yield plan, csr, False


@cache
def pointers(struct: str) -> tuple[tuple[str, str], ...]:
    """The pointers of a by-value struct: fields, and what they point to as the header spells it."""
    fields = layout.struct_type(struct).fields.items()
    return tuple(
        (f, text.removeprefix("const ").removesuffix("*")) for f, (_, kind, text) in fields if kind == "pointer"
    )


def check_struct(argument: Struct, shape: Shape, where: str, *, may_be_null: set[str]) -> None:
    """A struct points to arrays of the widths that its header names, and to none only where it may."""
    widths = {"Id": shape.cell, "T": shape.edge, "O": shape.offset, "u32": 32, "u64": 64, "i64": 64}
    for field, pointee in pointers(argument.type.name):
        array = argument.fields[field]
        if array is None:
            assert field in may_be_null, f"{where}: {argument.type.name}.{field} is null"
            continue
        right = isinstance(array, CountedArray) and len(array) > 0 and array.data.ptr % array.itemsize == 0
        assert right, f"{where}: {argument.type.name}.{field} is {array!r}"
        assert array.itemsize * 8 == widths[pointee], f"{where}: {argument.type.name}.{field} is {array!r}"


@cache
def check_program(program: Program, name: str) -> None:
    """The program has the kernel once, and its header is there."""
    assert [jit.template_name(text) for text in program.expressions].count(name) == 1
    assert (jit.headers() / "landbridge" / "gpu" / program.header).is_file()


def check_launch(launch: Launch, shape: Shape, where: str) -> None:
    check_program(*launch.kernel)
    fits = 1 <= launch.blocks < 2**31 and launch.threads in (256, 512, 1024) and 0 <= launch.shared <= 48 << 10
    assert fits, f"{where}: {launch}"
    assert not launch.cooperative or launch.blocks <= 4 * MemoryCounter.multiprocessors, f"{where}: {launch}"
    if launch.name == "run_system":  # its endpoints are ids, side by side
        shape = replace(shape, edge=shape.cell)
    for argument in launch.arguments:
        assert isinstance(argument, Struct), where
        name = argument.type.name
        null = EITHER_FORM.get(name) if launch.name == "unite_small" else None
        check_struct(argument, shape, f"{where}: {launch.name}", may_be_null=null or NULL.get(name, set()))


def check_run(run: ComponentsRun, where: str) -> None:
    assert run.labels.itemsize * 8 == run.shape.cell, where
    assert run.launches.launches, where
    for launch in run.launches:
        check_launch(launch, run.shape, where)
    assert {launch.phase for launch in run.launches} <= {"start", "sample", "skip", "finish", "number"}, where


@pytest.mark.parametrize("n", [1, 32, 33, 4095, 4096, 4097, 65_536, 65_537, 131_073, 10**6, 10**9])
def test_the_queue_of_a_search_has_few_places(n: int) -> None:
    """One for each word of bits, which are numbered there, and of small graphs one for each vertex."""
    places = queue_places(n)
    assert layout.words_of(n) <= places <= n
    assert places == n if n <= 4096 else places <= max(4096, n / 16)
    plan, graph = parse("bfs+rem_cas(naive,halve_one)"), replace(counted_graph(SHAPES[0], csr=True), num_vertices=n)
    search = launches_of(plan, graph, GpuSchedule.of(plan, graph), MemoryCounter()).search
    assert search is not None
    assert len(search.fields["queue"]) == search.fields["places"] == places


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: f"{s.cell}-{s.edge}-{s.offset}")
def test_every_plan(shape: Shape) -> None:
    for plan, csr, symmetric in cases("components"):
        graph = counted_graph(shape, csr=csr, symmetric=symmetric)
        schedule = GpuSchedule.of(plan, graph)
        run = launches_of(plan, graph, schedule, MemoryCounter())
        check_run(run, f"{plan}, csr={csr}, symmetric={symmetric}")
        by_bits = run.search is not None and symmetric
        numbering = ["number_outside", "label_members"] if by_bits else ["number", "label"]
        assert [launch.name for launch in run.launches][-2:] == numbering
        for again, unbounded in ((False, False), (True, False), (True, True)):
            for launch in completion(run, again, unbounded):
                check_launch(launch, run.shape, f"{plan}, completion")


@pytest.mark.parametrize("shape", SHAPES[::3], ids=lambda s: f"{s.cell}-{s.edge}-{s.offset}")
def test_every_plan_of_forests(shape: Shape) -> None:
    for plan, csr, symmetric in cases("forest"):
        graph = counted_graph(shape, csr=csr, symmetric=symmetric)
        schedule, device = forest_schedule(plan, graph), MemoryCounter()
        for built in (False, True) if csr and symmetric else (False,):
            source = counted_graph(shape, csr=False) if built else graph
            origin = CountedArray(None, graph.num_edges, np.int64) if built else None
            sink = sink_for(graph, schedule, device, source, origin)
            run = launches_of(plan, graph, schedule, device, sink)
            check_run(run, f"forest of {plan}, csr={csr}, symmetric={symmetric}")
            assert not {"number", "label", "number_outside", "label_members"} & {launch.name for launch in run.launches}
            writing = [launch for launch in run.launches if sink in launch.arguments]
            assert writing
            assert all(launch.name.startswith("forest_") for launch in writing)
            assert not [x for x in run.launches if x.name.startswith(("unite_", "rounds_", "search", "hook"))]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_every_option(options: dict[str, Any]) -> None:
    texts = landbridge.plans(engine="gpu", extended=True)
    for text in texts[:: 1 if "start" in options else 7]:
        base = parse(text)
        assert base.engine is not None
        plan = Plan(base.sample, base.finish, Engine("gpu", {**dict(base.engine.options), **options}))
        for csr in layouts_of(plan):
            graph = counted_graph(SHAPES[0], csr=csr)
            check_run(launches_of(plan, graph, GpuSchedule.of(plan, graph), MemoryCounter()), str(plan))


@pytest.mark.parametrize("csr", [True, False])
def test_one_block(csr: bool) -> None:
    for shape, text in product(SHAPES, landbridge.plans(engine="gpu", extended=True)[::5]):
        plan = parse(text)
        if not in_one_block(plan):
            continue
        graph = replace(counted_graph(shape, csr=csr), num_vertices=100, num_edges=1000)
        run = launches_of(plan, graph, replace(GpuSchedule.of(plan, graph), fuse="block"), MemoryCounter())
        check_run(run, text)
        assert [launch.name for launch in run.launches] == ["unite_small"]


def test_a_small_graph_runs_in_one_block_unless_its_plan_says_otherwise() -> None:
    graph = replace(counted_graph(SHAPES[0], csr=False), num_vertices=100, num_edges=1000)
    for text, fuse in (
        ("rem_cas(naive,halve_one)", "block"),
        ("rem_cas(naive,halve_one)@gpu(fuse=off)", "off"),
        ("hooks(compress)", "off"),
        ("kout(2)+rem_cas(naive,halve_one)", "off"),
    ):
        assert GpuSchedule.of(parse(text), graph).fuse == fuse


@pytest.mark.parametrize(("text", "raised"), [("rem_cas(naive,halve_one)", 0), ("async(compress)", 1)])
def test_stages_take_a_launch_a_group(text: str, raised: int) -> None:
    """Endpoints are replaced from the second group on, unless walks are cut off."""
    graph = counted_graph(SHAPES[0], csr=False)
    plan = parse(f"stages({text},q=4)")
    run = launches_of(plan, graph, GpuSchedule.of(plan, graph), MemoryCounter())
    launches = [x for x in run.launches if x.name == "unite_coo"]
    ranges = [s.fields for x in launches for s in x.arguments if s.type.name == "EdgeRange"]
    assert [r["begin"] for r in ranges] == list(range(0, graph.num_edges, 4 * graph.num_vertices))
    assert ranges[-1]["end"] == graph.num_edges
    assert [r["raised"] for r in ranges] == [0] + [raised] * (len(ranges) - 1)


def test_programs_are_those_of_the_launches_each_once() -> None:
    graph = counted_graph(SHAPES[0], csr=True)
    plan = parse("kout(2)+rem_cas(naive,halve_one)")
    programs = plan_programs(plan, graph, GpuSchedule.of(plan, graph))
    assert len(set(programs)) == len(programs)
    assert programs[0].header == "common.cuh"
    assert Counter(program.header for program in programs) == {"common.cuh": 1, "sample.cuh": 1, "unite_csr.cuh": 1}
    compiled = set(programs_of_choice())
    assert {program.header for program in compiled} >= {"common.cuh", "small.cuh", "validate.cuh"}
    for plan, symmetric in product(map(parse, PLANS), (True, False)):
        graph = counted_graph(Shape(32, 32, 64), csr=True, symmetric=symmetric)
        assert compiled >= set(plan_programs(plan, graph, GpuSchedule.of(plan, graph))), plan


def test_a_builder_takes_what_a_kernel_takes_and_nothing_else() -> None:
    launches = LaunchList(MemoryCounter())
    kernel = kernels.common("label", SHAPES[0])
    array = launches.array(0, np.uint32)
    assert len(array) == 1
    cells = layout.struct_type("ElementArray")(cells=array)
    launch = launches.over("number", kernel, 10, cells, cells)
    assert launch.arguments == (cells, cells)
    for wrong in (array, 7, 0.5, None, np.int32(3), "text", object()):
        with pytest.raises(TypeError, match="a kernel takes by-value structs, not "):
            launches.over("number", kernel, 10, cells, wrong)
    assert list(launches) == [launch]
    assert launches.programs() == [kernel.program]
    launches.over("x", Kernel(Program("common.cuh", ()), "y"), 1)
    assert len(launches.programs()) == 2


def test_samplings_and_lists_have_the_rows_of_the_registry() -> None:
    for axis, table in (("sample", SAMPLINGS), ("rank", ALGORITHMS)):
        assert set(table) == {name for name, row in registry().axis(axis).items() if "gpu" in row.engines}


def test_a_sampling_is_a_function_and_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it returns decides where the finish begins and whether a tree is chosen."""
    graph, plan = counted_graph(SHAPES[0], csr=True), parse("hb(2)+rem_cas(naive,halve_one)")
    for sampled in (Sampled(), Sampled(united=3), Sampled(chose=True)):

        def sample(run: ComponentsRun, rule: Any, words: Any, sampled: Sampled = sampled) -> Sampled:
            run.start(adopt=True)
            return sampled

        monkeypatch.setitem(SAMPLINGS, "hb", sample)
        launches = list(launches_of(plan, graph, GpuSchedule.of(plan, graph), MemoryCounter()).launches)
        assert ("skip" in {launch.phase for launch in launches}) == (not sampled.chose)
        (schedule,) = [
            struct for launch in launches if launch.name == "unite_csr"
            for struct in launch.arguments if struct.type.name == "RowSchedule"
        ]  # fmt: skip
        assert schedule.fields["first"] == sampled.united


@pytest.mark.parametrize("multiprocessors", [1, 132])
def test_items_of_lists_of_one_launch_fit_32_bits(multiprocessors: int) -> None:
    """Whatever number of splitters is asked for. All bits set stand for no item: the number of a walk never is."""
    ranked = 0
    for bits in range(26):
        for n in {max(1, 2**bits - 1), 2**bits, 2**bits + 1}:
            for splitters in {0, 1, 2, 3, 100, n // 3, n // 2, n, 2 * n, *(2**k for k in range(26))}:
                form = SampledForm.of_one(n, splitters, multiprocessors)
                if form is not None:
                    ranked += 1
                    assert form.owner_bits + form.limit.bit_length() <= 32
                    assert form.splitters + 1 < 2**form.owner_bits
    assert ranked > 1000
