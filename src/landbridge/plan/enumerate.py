"""Every plan there is, in canonical text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from landbridge.errors import InputError, InvalidPlan
from landbridge.plan.model import Engine, Finish, Plan, Sample
from landbridge.plan.ranking import rank_plans
from landbridge.plan.registry import DEFAULT_STAGE, ENGINES, Parameter, registry

LAYOUTS = ("csr", "coo")
PROBLEMS = ("components", "forest", "incremental", "list_ranking")
STREAM_ENGINES = ("cpu", "gpu")


def enumerate_plans(
    problem: str = "components", engine: str | None = None, layout: str | None = None, extended: bool = False
) -> list[str]:
    """The canonical text of every valid plan of a problem, each with engine and layout, none twice.

    problem: "components", "forest" for the plans that leave a spanning forest, "incremental" for those that run
    streams, or "list_ranking". engine: one engine's name, or None for all. layout: "csr", "coo" or None for both;
    lists have none.
    extended: also the valid combinations outside the published enumeration (those with the find ``inter``).
    Numeric parameters are at their defaults; word parameters take every value. On CSR every sampling meets
    every finish it may precede; on COO every finish comes plain and, if it can, in stages. Raises InputError or
    InvalidPlan for an unknown name.
    """
    if problem not in PROBLEMS:
        raise InputError(f"unknown problem {problem!r}; known: {', '.join(PROBLEMS)}")
    if engine is not None and engine not in ENGINES:
        raise InvalidPlan(f"unknown engine {engine!r}; known: {', '.join(ENGINES)}")
    if layout is not None and layout not in LAYOUTS:
        raise InputError(f"unknown layout {layout!r}; known: {', '.join(LAYOUTS)}")
    if problem == "list_ranking":
        if layout is not None:
            raise InputError("layouts are those of graphs; plans of list_ranking have none")
        return rank_plans(engine, extended)
    engines = ENGINES if engine is None else (engine,)
    if problem == "incremental":
        # Batches are lists of edges.
        return [str(plan) for name in engines for plan in _stream_plans(name, layout, extended)]
    layouts = LAYOUTS if layout is None else (layout,)
    every = (plan for name in engines for chosen in layouts for plan in _plans(name, chosen, extended))
    return [str(plan) for plan in every if problem == "components" or _leaves_forest(plan)]


def _leaves_forest(plan: Plan) -> bool:
    return plan.engine is not None and not plan.no_forest_on(plan.engine.name)


def _plans(engine: str, layout: str, extended: bool) -> Iterator[Plan]:
    where = Engine(engine, (("layout", layout),))
    finishes = [finish for finish in _finishes(engine, extended) if layout in finish.traits]
    if layout == "coo":
        yield from (Plan(None, finish, where) for finish in finishes)
        for finish in finishes:
            if "stages" in finish.traits:
                yield Plan(None, replace(finish, stages=DEFAULT_STAGE), where)
        return
    for sample in (None, *_samples(engine)):
        for finish in finishes:
            if sample is None or "samples" in finish.traits:
                yield Plan(sample, finish, where)


def _finishes(engine: str, extended: bool) -> Iterator[Finish]:
    for cell in registry().combinations():
        if cell.valid and (cell.published or extended) and _runs(engine, cell.link, cell.find, cell.splice):
            yield Finish(cell.link, cell.find, cell.splice)
    for variant in registry().variants():
        known = engine in registry().axis("finish")[variant.name].engines
        if known and variant.valid and (variant.published or extended):
            yield Finish(variant.name, values=variant.words)


def _stream_plans(engine: str, layout: str | None, extended: bool) -> Iterator[Plan]:
    if engine in STREAM_ENGINES and layout != "csr":
        yield from (
            Plan(None, finish, Engine(engine)) for finish in _finishes(engine, extended) if not finish.no_stream
        )


def _runs(engine: str, link: str, find: str, splice: str) -> bool:
    rules = (("link", link), ("find", find), ("splice", splice))
    return all(engine in registry().axis(axis)[name].engines for axis, name in rules if name)


def _samples(engine: str) -> Iterator[Sample]:
    for policy in registry().axis("sample").values():
        if engine in policy.engines:
            for values in product(*(_values(p) for p in policy.parameters)):
                yield Sample(policy.name, values)


def _values(parameter: Parameter) -> list[tuple[str, str | int | float]]:
    if parameter.kind == "word":
        return [(parameter.name, choice) for choice in parameter.choices]
    return [] if parameter.default is None else [(parameter.name, parameter.default)]
