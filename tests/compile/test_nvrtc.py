"""Every kernel of every plan compiles with NVRTC, for several generations of GPUs, without a GPU and without a word.

What is compiled is what the engine would load: the programs of the launch lists of `landbridge.plans(engine="gpu")`, in
batches. The extra `test` brings the oldest release of each CUDA that the extras `cuda12` and `cuda13` accept: the older
a compiler, the more it refuses.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice, product
from pathlib import Path

import pytest
from list_launches import list_programs
from native_build import turn
from nvrtc_library import WHEELS, library

import landbridge
from benchmarks.claims.list_races import TOUCH
from benchmarks.gpu_runs import compiler_options
from landbridge import _core
from landbridge.device import jit, kernels, layout, stream_kernels
from landbridge.device.jit import Program
from landbridge.device.kernels import Shape
from landbridge.device.memory_counter import CountedArray, MemoryCounter
from landbridge.engine.gpu.forest_sink import forest_schedule, sink_for
from landbridge.engine.gpu.memory import counted_graph
from landbridge.engine.gpu.schedule import GpuSchedule, in_one_block, rule_of
from landbridge.engine.gpu.solve import plan_programs
from landbridge.plan import Plan, parse

NARROW, WIDE = Shape(32, 32, 32), Shape(64, 64, 64)
MIXED = tuple(Shape(c, e, o) for c, e, o in product((32, 64), repeat=3))
# What engines load is compiled as they compile it for one generation. For the others, and for what only options and
# widths change, with the optimiser's least: all the front end, all of the inline assembly, a third of the time.
QUICK = ("--Ofast-compile=max",)
PARTS = 8
BATCH = 24
# A plain rule, one with auxiliary cells and one on ranked words, for what does not depend on the rule.
SOME = ("rem_cas(naive,halve_one)", "hooks(compress)", "jtb(two_try)")


@cache
def plans() -> tuple[Plan, ...]:
    return tuple(parse(text) for text in landbridge.plans(engine="gpu", extended=True))


def of_plans(shape: Shape, reads: str) -> Iterator[Program]:
    for plan in plans():
        graph = counted_graph(shape, csr=plan.layout == "csr")
        yield from plan_programs(plan, graph, replace(GpuSchedule.of(plan, graph), reads=reads))
    yield kernels.unite_deferred(shape).program


def of_forests(shape: Shape) -> Iterator[Program]:
    """What writes out edges, as the engine loads it for the plans of forests."""
    for text in landbridge.plans("forest", engine="gpu", extended=True):
        plan = parse(text)
        graph = counted_graph(shape, csr=plan.layout == "csr")
        schedule = forest_schedule(plan, graph)
        origin = CountedArray(None, graph.num_edges, "int64") if plan.layout == "csr" else None
        yield from plan_programs(plan, graph, schedule, sink_for(graph, schedule, MemoryCounter(), graph, origin))
    yield kernels.scatter_origins(shape.edge).program


def of_small(shape: Shape) -> Iterator[Program]:
    for plan in plans():
        if in_one_block(plan):
            graph = counted_graph(shape, csr=True)
            yield from plan_programs(plan, graph, replace(GpuSchedule.of(plan, graph), fuse="block"))
            yield kernels.unite_unchecked(rule_of(plan.finish, "stale"), shape.edge).program


def of_streams(shape: Shape, reads: str) -> Iterator[Program]:
    yield stream_kernels.beside_inserts("hook_edges", shape).program
    yield stream_kernels.mark_tree(shape).program
    for text in landbridge.plans("incremental", engine="gpu", extended=True):
        finish = parse(text).finish
        if finish.standalone:
            yield stream_kernels.insert_rounds(finish.link, finish.words, shape).program
        else:
            merge = "warp" if reads == "stale" else "off"
            rule = rule_of(finish, reads, merge)
            yield stream_kernels.batches("insert_edges", rule, shape).program
            if rule.cuts_off:
                yield stream_kernels.insert_outside(rule, shape).program
            if shape == NARROW or rule.cuts_off:
                yield stream_kernels.in_one_launch("insert_small", rule, shape).program


def of_schedules() -> Iterator[Program]:
    """What options change, and every mixture of widths, under a few rules."""
    rules = [rule_of(parse(text).finish, "stale") for text in SOME]
    for rule in rules:
        for merge, balance in product(("off", "warp", "near"), layout.enum("Balance")):
            merging = replace(rule, reads="stale", merge=merge)
            yield kernels.unite_csr(merging, balance, NARROW).program
            yield kernels.unite_coo(merging, NARROW).program
        for shape in (NARROW, WIDE):
            yield stream_kernels.merging("merge_parents", rule, shape).program
        for arcs, choice in product(layout.enum("Arcs"), kernels.CHOICES):
            yield kernels.unite_sample(rule, choice, arcs, NARROW).program
        for shape in MIXED:
            yield kernels.unite_csr(rule, "tile", shape).program
            yield kernels.unite_csr(rule, "edge", shape).program
            yield kernels.unite_leaving(rule, shape).program
            yield kernels.unite_sample(rule, "first", "vertex", shape).program
            yield kernels.unite_coo(rule, shape).program
    for shape in MIXED:
        for forest in (False, True):
            yield kernels.hook_csr(shape, forest).program
            yield kernels.unite_csr(rules[0], "edge", shape, forest).program
            yield kernels.unite_leaving(rules[0], shape, forest).program
            yield kernels.search("search_all", shape, forest).program
            yield kernels.member_search("search_members", shape, forest).program
        yield kernels.common("start", shape).program
        yield kernels.hook_coo(shape).program
        yield kernels.unite_deferred(shape).program
        yield kernels.contract_tiles(shape).program
    yield from of_graphs()


def of_graphs() -> Iterator[Program]:
    """What checks, converts and probes graphs."""
    for edge, offset in product((32, 64), repeat=2):
        yield kernels.validation("check_ids", edge).program
        yield kernels.build_csr("count_endpoints", edge).program
        yield kernels.list_sources(edge, offset).program
        yield kernels.rows_of_list("mark_rows", edge, offset).program
        yield kernels.probe_csr(edge, offset).program


def batches(programs: Iterable[Program]) -> list[Program]:
    """The kernels of all programs, each once, by header, in batches that share one pass of the compiler."""
    by_header: dict[str, dict[str, None]] = {}
    for program in programs:
        by_header.setdefault(program.header, {}).update(dict.fromkeys(program.expressions))
    result = []
    for header, expressions in by_header.items():
        rest = iter(expressions)
        while some := tuple(islice(rest, BATCH)):
            result.append(Program(header, some))
    return result


def compile_part(
    architecture: str, part: int, programs: Iterable[Program], *more: str, parts: int = PARTS, cuda: int = 13
) -> None:
    compiled = 0
    options = jit.options_for(architecture) + more
    for program in batches(programs)[part::parts]:
        image, log = library(cuda).compile(program.source, program.expressions, options)
        assert not log
        # Two rows may name one kernel: Shiloach and Vishkin's rounds are one of Liu and Tarjan's.
        assert set(image.symbols) == set(program.expressions)
        assert (b".target sm_90" if architecture == "compute_90" else b"\x7fELF") in image.code
        compiled += len(program.expressions)
    assert compiled


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_every_kernel_of_every_plan(architecture: str, part: int) -> None:
    compile_part(architecture, part, of_plans(NARROW, "stale"), *(() if architecture == "sm_90" else QUICK))


@pytest.mark.parametrize("part", range(PARTS))
def test_wide_ids_and_fresh_reads(part: int) -> None:
    programs = [*of_plans(WIDE, "stale"), *of_plans(NARROW, "fresh"), *of_small(NARROW)]
    compile_part("sm_90", part, programs, *QUICK)


@pytest.mark.parametrize("part", range(PARTS))
def test_spanning_forests(part: int) -> None:
    only = (p for p in of_forests(NARROW) if p.header.startswith("forest"))
    compile_part("sm_90", part, only, *QUICK)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_schedule_and_mixture_of_widths(part: int) -> None:
    compile_part("sm_90", part, of_schedules(), *QUICK)


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_every_kernel_of_list_ranking(architecture: str) -> None:
    more = () if architecture == "sm_90" else QUICK
    compile_part(architecture, 0, iter(list_programs()), *more, parts=1)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_kernel_of_streams(part: int) -> None:
    shapes = ((NARROW, "fresh"), (Shape(32, 64), "stale"), (Shape(64, 64), "fresh"))
    compile_part("sm_90", part, [p for shape, reads in shapes for p in of_streams(shape, reads)], *QUICK)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_kernel_with_the_compiler_of_cuda_12(part: int) -> None:
    """As far as PTX: what it refuses, it refuses before that.

    One part in eight goes through its optimiser, too: another one when the headers have changed.
    """
    optimised = turn("include") % PARTS
    compile_part("compute_90", part, compiled(), *(() if part == optimised else ("-G",)), cuda=12)


@pytest.mark.parametrize("cuda", WHEELS)
def test_compilers_are_the_oldest_that_the_extras_accept(cuda: int) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wheel = re.escape(WHEELS[cuda])
    (accepted,) = [m[1] for m in (re.fullmatch(rf"{wheel}>=([\d.]+)", line) for line in extras[f"cuda{cuda}"]) if m]
    (tested,) = [m[1] for m in (re.fullmatch(rf"{wheel}==([\d.]+)\.\*", line) for line in extras["test"]) if m]
    assert tested == accepted


@pytest.mark.parametrize("more", [(), QUICK], ids=["as shipped", "quick"])
def test_a_warning_is_reported(more: tuple[str, ...]) -> None:
    source = "template <class T> __global__ void idle(T* p) { int unused; }\n"
    _, log = library(13).compile(source, ("idle<int>",), jit.options_for("sm_90") + more)
    assert "unused" in log


def test_no_kernel_is_left_out() -> None:
    expressions = {text for program in of_plans(NARROW, "stale") for text in program.expressions}
    links = {f"::link::{plan.finish.link}<" for plan in plans() if not plan.finish.standalone}
    assert len(links) == 8
    for link in links:
        for kernel in ("unite_csr", "unite_coo", "unite_sample"):
            assert any(link in text and kernel in text for text in expressions)
    for name in ("search_all", "search_members", "grow_members", "decompose", "hook_csr", "number", "label"):
        assert any(f"::{name}<" in text for text in expressions)
    for row in _core.systems():
        assert any(f"run_system<lb::system::{row['type']}," in text for text in expressions)


def compiled() -> Iterator[Program]:
    """All that the tests above compile."""
    yield from of_plans(NARROW, "stale")
    yield from of_small(NARROW)
    yield from of_schedules()
    yield from of_streams(NARROW, "fresh")
    yield from of_forests(NARROW)
    yield from list_programs()


def test_every_kernel_of_the_headers_is_compiled() -> None:
    folder = jit.headers() / "landbridge" / "gpu"
    text = "\n".join(re.sub(r"//.*", "", path.read_text()) for path in sorted(folder.glob("*.cuh")))
    bounds = r"(?:\s+__launch_bounds__\((?:[^()]|\([^()]*\))*\))?"
    defined = re.findall(rf"__global__\s+void{bounds}\s+(\w+)\s*\(", text)
    assert len(defined) == text.count("__global__")
    missing = set(defined) - {jit.template_name(each) for program in compiled() for each in program.expressions}
    assert not missing, f"no test compiles these kernels: {', '.join(sorted(missing))}"


@pytest.mark.parametrize("cuda", WHEELS)
def test_the_kernel_of_the_benchmarks_lower_bound(cuda: int) -> None:
    image, log = library(cuda).compile(TOUCH, (), ("--gpu-architecture=sm_90", *compiler_options()))
    assert not log
    assert b"touch_at_random" in image.code
