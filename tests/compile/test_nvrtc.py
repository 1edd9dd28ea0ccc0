"""Every kernel of every plan compiles with NVRTC, for several generations of GPUs, without a GPU and without a word.

What is compiled is what the engine would load: the programs of `landbridge.plans(engine="gpu")`, in batches. The extra
`test` brings the oldest release of each CUDA that the extras `cuda12` and `cuda13` accept: the older a compiler, the
more it refuses.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from pathlib import Path

import pytest
from list_launches import list_programs
from nvrtc_library import WHEELS, library

import landbridge
from landbridge import _core
from landbridge.device import jit, names
from landbridge.device.names import Rule, Shape
from landbridge.engine import forest_gpu
from landbridge.engine.gpu import Schedule, balance_of, programs_of, rule_of
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


def of_plans(shape: Shape, reads: str) -> Iterator[names.Program]:
    for plan in plans():
        schedule = Schedule(balance=balance_of(plan), reads=reads, wide=shape.cell == 64)
        yield from programs_of(plan, schedule, shape, plan.layout == "csr")


def of_forests(shape: Shape) -> Iterator[names.Program]:
    """What writes out edges, as the engine loads it for the plans of forests."""
    for text in landbridge.plans("forest", engine="gpu", extended=True):
        plan = parse(text)
        schedule = Schedule(balance=balance_of(plan), wide=shape.cell == 64)
        yield from forest_gpu.programs(plan, schedule, shape, plan.layout == "csr", made=plan.layout == "csr")


def of_small(shape: Shape) -> Iterator[names.Program]:
    for plan in plans():
        if plan.sample is None and not plan.finish.standalone:
            rule = rule_of(plan.finish, Schedule())
            if not (rule.ranked or rule.uses_aux):
                yield names.unite_small(rule, shape)
                yield names.unite_unseen(rule, shape.edge)


def of_streams(shape: Shape, reads: str) -> Iterator[names.Program]:
    yield names.marks(shape)
    for text in landbridge.plans("incremental", engine="gpu", extended=True):
        finish = parse(text).finish
        if finish.standalone:
            yield names.stream_rounds(finish.link, finish.words, shape)
        else:
            merge = "warp" if reads == "stale" else "off"
            yield names.stream(rule_of(finish, Schedule(reads=reads, merge=merge)), shape)


def of_schedules() -> Iterator[names.Program]:
    """What options change, and every mixture of widths, under a few rules."""
    rules = [rule_of(parse(text).finish, Schedule()) for text in SOME]
    for rule in rules:
        for merge, balance in product(("off", "warp", "near"), names.BALANCES):
            changed = Rule(rule.link, rule.find, rule.splice, rule.ranked, rule.uses_aux, "stale", merge)
            yield names.unite_rows(changed, balance, NARROW)
            yield names.unite_pairs(changed, NARROW)
        for arcs, choice in product(names.ARCS, names.CHOICES):
            yield names.unite_sample(rule, choice, arcs, NARROW)
        for shape in MIXED:
            yield names.unite_rows(rule, "tile", shape)
            yield names.unite_rows(rule, "edge", shape)
            yield names.unite_sample(rule, "first", "vertex", shape)
            yield names.unite_pairs(rule, shape)
    for shape in MIXED:
        for program in (names.hooks(shape), names.unite_rows(rules[0], "edge", shape), names.search(shape)):
            yield names.forest(program)
        yield from (
            names.base(shape),
            names.deferred(shape),
            names.hooks(shape),
            names.tiles(shape),
            names.search(shape),
        )
        yield names.make_rows(shape.edge, shape.offset)
        yield names.probe(shape.edge, shape.offset)
        yield names.validation(shape.edge)


def batches(programs: Iterator[names.Program]) -> list[tuple[str, tuple[str, ...]]]:
    """The kernels of all programs, each once, by header, in batches that share one pass of the compiler."""
    wanted: dict[str, dict[str, None]] = {}
    for program in programs:
        wanted.setdefault(program.header, {}).update(dict.fromkeys(program.names))
    found = []
    for header, kernels in wanted.items():
        rest = iter(kernels)
        while some := tuple(islice(rest, BATCH)):
            found.append((header, some))
    return found


def compile_part(
    architecture: str, part: int, programs: Iterator[names.Program], *more: str, parts: int = PARTS, cuda: int = 13
) -> None:
    compiled = 0
    options = jit.options_for(architecture) + more
    for header, some in batches(programs)[part::parts]:
        image, log = library(cuda).compile(f'#include "landbridge/gpu/{header}"\n', some, options)
        assert not log
        # Two rows may name one kernel: Shiloach and Vishkin's rounds are one of Liu and Tarjan's.
        assert set(image.symbols) == set(some)
        assert (b".target sm_90" if architecture == "compute_90" else b"\x7fELF") in image.code
        compiled += len(some)
    assert compiled


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_every_kernel_of_every_plan(architecture: str, part: int) -> None:
    compile_part(architecture, part, of_plans(NARROW, "stale"), *(() if architecture == "sm_90" else QUICK))


@pytest.mark.parametrize("part", range(PARTS))
def test_wide_ids_and_fresh_reads(part: int) -> None:
    programs = iter([*of_plans(WIDE, "stale"), *of_plans(NARROW, "fresh"), *of_small(NARROW)])
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
    compile_part("sm_90", part, iter([p for shape, reads in shapes for p in of_streams(shape, reads)]), *QUICK)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_kernel_with_the_compiler_of_cuda_12(part: int) -> None:
    """As far as PTX: what it refuses, it refuses before that."""
    compile_part("compute_90", part, compiled(), cuda=12)


@pytest.mark.parametrize("cuda", WHEELS)
def test_compilers_are_the_oldest_that_the_extras_accept(cuda: int) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wheel = re.escape(WHEELS[cuda])
    (accepted,) = [m[1] for m in (re.fullmatch(rf"{wheel}>=([\d.]+)", line) for line in extras[f"cuda{cuda}"]) if m]
    (tested,) = [m[1] for m in (re.fullmatch(rf"{wheel}==([\d.]+)\.\*", line) for line in extras["test"]) if m]
    assert tested == accepted


@pytest.mark.parametrize("more", [(), QUICK], ids=["as shipped", "quick"])
def test_a_warning_is_seen(more: tuple[str, ...]) -> None:
    source = "template <class T> __global__ void idle(T* p) { int unused; }\n"
    _, log = library(13).compile(source, ("idle<int>",), jit.options_for("sm_90") + more)
    assert "unused" in log


def test_nothing_is_left_out() -> None:
    kernels = {name for _, some in batches(of_plans(NARROW, "stale")) for name in some}
    links = {f"::link::{plan.finish.link}<" for plan in plans() if not plan.finish.standalone}
    assert len(links) == 8
    for link in links:
        assert any(link in name and "unite_rows" in name for name in kernels)
        assert any(link in name and "unite_pairs" in name for name in kernels)
        assert any(link in name and "unite_sample" in name for name in kernels)
    for whole in ("search_all", "search_star", "decompose", "hook_rows", "number", "label"):
        assert any(f"::{whole}<" in name for name in kernels)
    for row in _core.systems():
        assert any(f"run_system<lb::system::{row['type']}," in name for name in kernels)


def compiled() -> Iterator[names.Program]:
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
    kernels = re.findall(rf"__global__\s+void{bounds}\s+(\w+)\s*\(", text)
    assert len(kernels) == text.count("__global__")
    missing = sorted(set(kernels) - {jit.short(name) for program in compiled() for name in program.names})
    assert not missing, f"no test compiles these kernels: {', '.join(missing)}"
