"""Every plan of a problem, in canonical text.

Numeric parameters are at their defaults; word parameters take every value. On CSR every sampling meets every finish it
may precede; on COO every finish comes plain and, if it can, in stages. Each plan names engine and layout; none is
listed twice. extended: also the valid combinations outside the published enumeration (those with the find ``inter``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from landbridge.plan.engines import ENGINES
from landbridge.plan.model import Engine, Finish, Plan, Sample
from landbridge.plan.ranking import RankPlan
from landbridge.plan.registry import DEFAULT_STAGE, Parameter, registry

LAYOUTS = ("csr", "coo")


def component_plans(engine: str, layout: str | None, extended: bool) -> Iterator[Plan]:
    """Every plan of an engine for connected components. layout: "csr", "coo", or None for both."""
    return (plan for one in (LAYOUTS if layout is None else (layout,)) for plan in _plans(engine, one, extended))


def forest_plans(engine: str, layout: str | None, extended: bool) -> Iterator[Plan]:
    """Those that leave a spanning forest."""
    return (plan for plan in component_plans(engine, layout, extended) if not plan.no_forest)


def stream_plans(engine: str, layout: str | None, extended: bool) -> Iterator[Plan]:
    """Those that insert streams of edges: batches are COO edge lists."""
    if layout != "csr":
        finishes = (finish for finish in _finishes(engine, extended) if not finish.no_stream)
        yield from (Plan(None, finish, Engine(engine)) for finish in finishes)


def list_plans(engine: str, layout: str | None, extended: bool) -> Iterator[RankPlan]:
    """Every plan of an engine for list ranking; lists have no layout."""
    del layout
    for policy in registry().axis("rank").values():
        if ENGINES[engine].kernels in policy.engines and (policy.published or extended):
            for values in product(*(_values(p) for p in policy.parameters)):
                yield RankPlan(policy.name, values, Engine(engine))


def _plans(engine: str, layout: str, extended: bool) -> Iterator[Plan]:
    on_engine = Engine(engine, (("layout", layout),))
    finishes = [finish for finish in _finishes(engine, extended) if layout in finish.traits]
    if layout == "coo":
        yield from (Plan(None, finish, on_engine) for finish in finishes)
        for finish in finishes:
            if "stages" in finish.traits:
                yield Plan(None, replace(finish, stages=DEFAULT_STAGE), on_engine)
        return
    for sample in (None, *_samples(engine)):
        for finish in finishes:
            if sample is None or "samples" in finish.traits:
                yield Plan(sample, finish, on_engine)


def _finishes(engine: str, extended: bool) -> Iterator[Finish]:
    for cell in registry().combinations():
        if cell.valid and (cell.published or extended) and _runs(engine, cell.link, cell.find, cell.splice):
            yield Finish(cell.link, cell.find, cell.splice)
    for variant in registry().variants():
        runs = ENGINES[engine].kernels in registry().axis("finish")[variant.name].engines
        if runs and variant.valid and (variant.published or extended):
            yield Finish(variant.name, values=variant.words)


def _runs(engine: str, link: str, find: str, splice: str) -> bool:
    rules = (("link", link), ("find", find), ("splice", splice))
    return all(ENGINES[engine].kernels in registry().axis(axis)[name].engines for axis, name in rules if name)


def _samples(engine: str) -> Iterator[Sample]:
    for policy in registry().axis("sample").values():
        if ENGINES[engine].kernels in policy.engines:
            for values in product(*(_values(p) for p in policy.parameters)):
                yield Sample(policy.name, values)


def _values(parameter: Parameter) -> list[tuple[str, str | int | float]]:
    if parameter.kind == "word":
        return [(parameter.name, choice) for choice in parameter.choices]
    return [] if parameter.default is None else [(parameter.name, parameter.default)]
