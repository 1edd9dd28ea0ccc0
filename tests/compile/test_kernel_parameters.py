"""What launches send is what kernels take: the structs by name and order, their sizes, the widths of their arrays.

No GPU is needed: the launches are built on a counter, and the programs they need are compiled as far as PTX.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, product
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from kernel_parameters import differences, kernels_of_headers, parameters_of
from list_launches import list_launches
from nvrtc_library import library
from test_merge_parameters import launches as merge_launches
from test_stream_parameters import ROUND, RULES
from test_stream_parameters import launches as stream_launches

import landbridge
from landbridge.device import cuda, graphs, jit, layout
from landbridge.device.jit import Kernel, Program
from landbridge.device.kernels import Shape
from landbridge.device.launch import width_of
from landbridge.device.layout import StructType
from landbridge.device.memory_counter import CountedArray, MemoryCounter
from landbridge.engine.gpu import components
from landbridge.engine.gpu.forest_sink import sink_for
from landbridge.engine.gpu.memory import counted_graph
from landbridge.engine.gpu.schedule import GpuSchedule, in_one_block, rule_of
from landbridge.engine.gpu.solve import launches_of
from landbridge.engine.gpu.union_find import completion
from landbridge.errors import InputError
from landbridge.plan import Plan, parse

NARROW = Shape(32, 32, 32)
SHAPES = tuple(Shape(c, e, o) for c, e, o in product((32, 64), repeat=3))
QUICK = ("--Ofast-compile=max",)
PARTS, BATCH = 8, 24


class Sent(NamedTuple):
    """A kernel and the arguments that a launch sends it."""

    kernel: Kernel
    arguments: tuple[Any, ...]

    @property
    def expression(self) -> str:
        """The kernel among those of its program."""
        (expression,) = (e for e in self.kernel.program.expressions if jit.template_name(e) == self.kernel.name)
        return expression


# ---- launches -------------------------------------------------------------------------------------------------------


def by_plan(
    plan: Plan, shape: Shape, forest: bool = False, edges: int = 0, symmetric: bool = True, **options: Any
) -> Iterator[Sent]:
    """What a run of the plan sends, and what ends it where edges are deferred. edges: per vertex, if not the usual."""
    csr = plan.layout == "csr"
    graph, device = counted_graph(shape, csr=csr, symmetric=symmetric), MemoryCounter()
    if edges:
        graph = replace(graph, num_vertices=graph.num_edges // edges)
    schedule = replace(GpuSchedule.of(plan, graph), **options)
    origin = CountedArray(None, graph.num_edges, "int64") if csr else None
    sink = sink_for(graph, schedule, device, graph, origin) if forest else None
    run = launches_of(plan, graph, schedule, device, sink)
    last = [] if forest or schedule.fuse == "block" else completion(run, True, True)
    for each in (*run.launches, *last):
        yield Sent(each.kernel, each.arguments)


@cache
def by_plans(problem: str) -> tuple[Sent, ...]:
    """What all plans of a problem send, of graphs with 32-bit ids."""
    return tuple(_by_plans(problem))


def _by_plans(problem: str) -> Iterator[Sent]:
    for text in landbridge.plans(problem, engine="gpu", extended=True):
        plan = parse(text)
        yield from by_plan(plan, NARROW, problem == "forest")
        if problem == "components" and in_one_block(plan):
            yield from by_plan(plan, NARROW, fuse="block")


def by_schedules() -> Iterator[Sent]:
    """What options and widths change, under one plan of each family; and pairs that may be those of a mesh."""
    for shape in SHAPES:
        yield from by_plan(parse("async(halve)"), shape, edges=3)
    for text in families():
        plan = parse(text)
        for shape, symmetric in product(SHAPES, (True, False)):
            yield from by_plan(plan, shape, symmetric=symmetric)
            if text in forests():
                yield from by_plan(plan, shape, forest=True, symmetric=symmetric)
        if plan.layout == "csr" and not plan.finish.standalone:
            for balance in layout.enum("Balance"):
                yield from by_plan(plan, NARROW, balance=balance)
            for arcs in layout.enum("Arcs"):
                yield from by_plan(plan, NARROW, arcs=arcs)
            for start in ("hook", "star", "tile"):
                yield from by_plan(plan, NARROW, start=start)


@cache
def forests() -> frozenset[str]:
    return frozenset(landbridge.plans("forest", engine="gpu", extended=True))


@cache
def families() -> tuple[str, ...]:
    """A plan for each list of kernels that plans launch."""
    result: dict[tuple[str, ...], str] = {}
    for text in landbridge.plans(engine="gpu", extended=True):
        names = tuple(sent.kernel.name for sent in by_plan(parse(text), NARROW))
        result.setdefault(names, text)
    return tuple(result.values())


class HostArray(np.ndarray[Any, Any]):
    """Memory of the host where code expects an array of CuPy."""

    @property
    def data(self) -> Any:
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self) -> HostArray:
        return self


def host(array: Any) -> HostArray:
    return np.asarray(array).view(HostArray)


CUPY = SimpleNamespace(
    zeros=lambda size, dtype: host(np.zeros(size, dtype)),
    empty=lambda size, dtype: host(np.zeros(size, dtype)),
    cumsum=np.cumsum,
    cuda=SimpleNamespace(get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None)),
)


class PinnedAnswer:
    """Words in memory of the host, of a kernel that does not run."""

    def __init__(self, size: int, last: int) -> None:
        self.words = np.zeros(size, np.uint64)
        self.data = SimpleNamespace(ptr=self.words.ctypes.data)

    def expect(self) -> None: ...

    def wait(self) -> Any:
        return self.words


def by_graphs(monkeypatch: pytest.MonkeyPatch) -> list[Sent]:
    """What is sent beside runs: to validate, build and probe graphs, and to unite small ones that are not validated."""
    sent: list[Sent] = []

    def record(device: Any, kernel: Kernel, blocks: int, *structs: Any, threads: int = 0) -> None:
        sent.append(Sent(kernel, structs))

    monkeypatch.setattr(graphs, "launch_kernel", record)
    monkeypatch.setattr(components, "ready_kernel", lambda *what, **threads: lambda: record(*what, **threads))
    monkeypatch.setattr(components, "PinnedAnswer", PinnedAnswer)
    monkeypatch.setattr(cuda, "cupy", lambda: CUPY)
    monkeypatch.setattr(cuda, "current", MemoryCounter)
    rule = rule_of(parse("rem_cas(naive,halve_one)").finish)
    for edge, offset in product((np.int32, np.int64), repeat=2):
        ids, offsets = host(np.zeros(8, edge)), host(np.array([0, 4, 8], offset))
        graphs.check_ids((ids,), 2, "edge")
        graphs.check_pairs(ids, ids, 2)
        graphs.write_row_offsets(offsets, ids)
        with pytest.raises(InputError):  # no kernel runs, so the last offset is never the number of neighbors
            graphs.check_rows(offsets, ids)
        graphs.symmetric_csr(2, offsets, ids, None)
        graphs.csr_of_edges(2, ids, ids, with_origins=True)
        components.UncheckedLaunch(MemoryCounter(), rule, width_of(ids))(ids, ids, 8)
    return sent


def by_lists() -> list[Sent]:
    """What list ranking sends."""
    return [Sent(each.kernel, each.arguments) for each in list_launches()]


# ---- what they send and what is taken -------------------------------------------------------------------------------


def compare(sent: Sequence[Sent], part: int = 0, parts: int = 1) -> int:
    """Compile what the launches need, and compare each of them. Returns how many kernels that was."""
    by_header: dict[str, dict[str, list[Sent]]] = {}
    for each in sent:
        by_header.setdefault(each.kernel.program.header, {}).setdefault(each.expression, []).append(each)
    batches = []
    for header, expressions in by_header.items():
        rest = iter(sorted(expressions))
        while some := tuple(islice(rest, BATCH)):
            batches.append(Program(header, some))
    for program in batches[part::parts]:
        image, log = library(13).compile(program.source, program.expressions, (*jit.options_for("compute_90"), *QUICK))
        assert not log
        for expression, parameters in parameters_of(image, program.source).items():
            for each in by_header[program.header][expression]:
                assert differences(each.arguments, parameters) == [], expression
    return sum(len(program.expressions) for program in batches[part::parts])


@pytest.mark.parametrize("part", range(PARTS))
def test_components(part: int) -> None:
    assert compare(by_plans("components"), part, PARTS)


@pytest.mark.parametrize("part", range(PARTS))
def test_forests(part: int) -> None:
    assert compare(by_plans("forest"), part, PARTS)


def test_schedules_and_mixtures_of_widths() -> None:
    assert compare(list(by_schedules()))


def test_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = by_graphs(monkeypatch)
    monkeypatch.undo()
    assert {each.kernel.name for each in sent} == {
        "check_ids", "check_pairs", "mark_rows", "fill_rows", "check_offsets", "list_sources", "count_endpoints",
        "scatter_edges", "scatter_origins",
        "probe_csr", "unite_unchecked",
    }  # fmt: skip
    assert compare(sent)


def test_lists() -> None:
    assert compare(by_lists())


def test_every_kernel_of_the_headers_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """With those of streams and merges, which the files named so compare."""
    sent = [*by_plans("components"), *by_plans("forest"), *by_schedules(), *by_graphs(monkeypatch), *by_lists()]
    names = {each.kernel.name for each in sent}
    for text in RULES:
        rounds = parse(ROUND).finish if text.startswith("hooks") else None
        streams = stream_launches(rule_of(parse(text).finish, "stale"), rounds, 32, 32)
        names |= {each.kernel.name for each in streams}
    names |= {each.kernel.name for each in merge_launches(rule_of(parse(RULES[0]).finish, "stale"), 32)}
    assert names == kernels_of_headers()


# ---- the comparison itself ------------------------------------------------------------------------------------------


def one_launch(name: str) -> tuple[tuple[Any, ...], list[Any]]:
    """The arguments of a launch of this kernel, and what the kernel takes."""
    plan = parse("kout(2)+rem_cas(naive,splice)@gpu(layout=csr)")
    sent = next(each for each in by_plan(plan, NARROW) if each.kernel.name == name)
    program = sent.kernel.program
    image, _ = library(13).compile(program.source, program.expressions, (*jit.options_for("compute_90"), *QUICK))
    return sent.arguments, parameters_of(image)[sent.expression]


def test_equal_parameters_do_not_differ() -> None:
    arguments, parameters = one_launch("unite_csr")
    assert [p.type for p in parameters] == ["CsrArrays", "Cells", "RowQueues", "RowSchedule"]
    assert [p.size for p in parameters] == [layout.struct_type(p.type).size for p in parameters]
    assert differences(arguments, parameters) == []


def test_swapped_arguments_are_seen() -> None:
    arguments, parameters = one_launch("unite_csr")
    swapped = (arguments[1], arguments[0], *arguments[2:])
    assert differences(swapped, parameters) == [
        "argument 0 (CsrArrays): Cells is sent", "argument 1 (Cells): CsrArrays is sent",
    ]  # fmt: skip


def test_a_missing_argument_is_seen() -> None:
    arguments, parameters = one_launch("unite_csr")
    assert differences(arguments[:-1], parameters) == ["3 arguments for 4 parameters"]


def test_a_removed_field_is_seen() -> None:
    arguments, parameters = one_launch("unite_sample")
    fields = [(name, *rest) for name, rest in layout.struct_type("Sampling").fields.items()]
    shorter = StructType("Sampling", 8, 8, fields[:1])(k=2)
    assert differences((*arguments[:2], shorter), parameters) == [
        "argument 2 (Sampling): 8 bytes are sent, 16 taken",
    ]  # fmt: skip


def test_an_array_of_another_width_is_seen() -> None:
    arguments, parameters = one_launch("unite_csr")
    wide = arguments[0].replaced(offsets=CountedArray(None, 8, "int64"))
    assert differences((wide, *arguments[1:]), parameters) == [
        "argument 0 (CsrArrays): offsets points to elements of 8 bytes, the kernel reads 4",
    ]  # fmt: skip


def test_a_scalar_is_seen() -> None:
    arguments, parameters = one_launch("unite_sample")
    assert differences((*arguments[:2], np.int64(2)), parameters) == [
        f"argument 2 (Sampling): {np.int64(2)!r} is no by-value struct",
    ]  # fmt: skip
