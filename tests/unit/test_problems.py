"""The table of problems: every row is complete, and everything that lists problems reads it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from oracles.refusals import refused

import landbridge
from landbridge import InputError
from landbridge.edges.successors import Lists
from landbridge.engine.base import Solver, TableEngine
from landbridge.engine.resolve import engine_of
from landbridge.plan import ENGINES
from landbridge.problems import PROBLEMS, Problem

SOLVE: dict[str, Any] = {
    "components": landbridge.components,
    "forest": landbridge.spanning_forest,
    "list_ranking": lambda data: landbridge.rank_list(data, full=True),
}


def stream(edges: Any) -> landbridge.Components:
    stream = landbridge.Incremental()
    stream.insert(*edges)
    return stream.components()


rows = pytest.mark.parametrize("row", PROBLEMS.values(), ids=PROBLEMS)


@rows
def test_a_row_is_complete(row: Problem) -> None:
    data = [1, 2, 2, 4, 4] if row.name == "list_ranking" else ([0, 1, 4], [1, 2, 3])
    assert isinstance(row.load(data), row.data)
    answer = SOLVE.get(row.name, stream)(data)
    assert type(answer) is row.answer
    row.check(data, answer)
    assert getattr(landbridge, row.check.__name__) is row.check


@rows
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_solves_every_problem_with_the_plans_it_lists(row: Problem, engine: str) -> None:
    machine = engine_of(engine, present=False)
    texts = landbridge.plans(row.name, engine)
    assert len(set(texts)) == len(texts)
    assert bool(texts) == machine.solves(row.name)
    assert texts or ENGINES[engine].over
    for text in texts:
        plan = row.parse(text)
        assert (str(plan), row.why_not(plan), machine.can(row.name, plan)) == (text, "", "")


OPTIONS = {"cpu": ("climb=on", "owners=on", "adapt=on"), "gpu": ("balance=edge", "fuse=block")}


@pytest.mark.parametrize("engine", OPTIONS)
def test_a_plan_of_whole_graphs_is_refused_with_the_plan_that_is_left_of_it_for_a_stream(engine: str) -> None:
    row, extended = PROBLEMS["incremental"], landbridge.plans(engine=engine)[::7]
    refusals = dict.fromkeys(OPTIONS[engine], 0)
    for base, option in product(extended, OPTIONS[engine]):
        text = f"{base[:-1]},{option})" if "@" in base else f"{base}@{engine}({option})"
        try:
            plan = PROBLEMS["components"].parse(text)
        except landbridge.InvalidPlan:
            continue
        reason, _, rest = row.why_not(plan).partition("; without ")
        if rest:
            parts, _, left = rest.partition(" a stream takes ")
            assert row.why_not(row.parse(left)) == ""
            assert row.parse(left).finish == replace(plan.finish, stages=None)
            assert all(part in str(plan) and part not in left for part in parts.split(" and "))
            refusals[option] += 1
        elif reason:
            assert plan.finish.no_stream or "coo" not in plan.finish.traits
    assert all(refusals.values())


def test_a_plan_as_a_run_prints_it_is_taken_by_a_stream_or_refused_with_its_part() -> None:
    plan = landbridge.components(([0, 1], [1, 2])).plan
    with pytest.raises(
        landbridge.InvalidCombination, match=r"^(?P<plan>.*): owners=on would have no effect: "
    ) as refusal:
        landbridge.Incremental(plan=plan)
    left = str(refusal.value).partition("; without owners=on a stream takes ")[2]
    assert landbridge.Incremental(plan=left).plan == left == plan.replace("owners=on,", "")
    with refused(
        landbridge.InvalidCombination,
        "kout(2)+async(halve): a stream unites batches of edges: samplings and searches need the rows of a whole graph"
        "; without kout(2) a stream takes async(halve)",
    ):
        landbridge.components(chunks=[], plan="kout(2)+async(halve)")


def test_plans_whose_streams_keep_no_forest_are_refused_with_one_whose_streams_do() -> None:
    """The plan that was proposed for one with a sampling was refused again."""
    known = {
        text
        for problem in ("components", "incremental")
        for text in landbridge.plans(problem, engine="cpu", extended=True)
        if "splice" in text
    }
    known |= {f"{text}@cpu(owners=on)" for text in known if "@" not in text}
    assert len(known) > 50
    for text in known:
        with pytest.raises(landbridge.InvalidCombination, match="keeps no forest: it moves subtrees") as refusal:
            landbridge.Incremental(plan=text, forest=True)
        left = str(refusal.value).partition("with a forest a stream takes ")[2]
        with landbridge.Incremental(4, plan=left, forest=True) as stream:
            stream.insert([0, 1, 2], [1, 2, 0])
            assert stream.forest().count == 2


def test_a_plan_that_is_proposed_for_a_stream_is_taken() -> None:
    refused = 0
    for forest, text in product((False, True), landbridge.plans(engine="cpu", extended=True)):
        try:
            landbridge.Incremental(plan=text, forest=forest).close()
        except landbridge.InvalidPlan as refusal:
            left = str(refusal).partition(" a stream takes ")[2]
            refused += 1
            if left:
                landbridge.Incremental(plan=left, forest=forest).close()
    assert refused > 500


def test_problems_are_named_in_one_place() -> None:
    with refused(InputError, f"unknown problem 'colouring'; known: {', '.join(PROBLEMS)}"):
        landbridge.plans("colouring")
    for name, row in PROBLEMS.items():
        assert row.name == name
        sizes: Any = 100 if row.data is Lists else (100, 100)
        for device in ("cpu", "gpu"):
            assert landbridge.estimate_memory(sizes, problem=name, device=device) > 0
    with refused(InputError, f"unknown problem 'colouring'; known: {', '.join(PROBLEMS)}"):
        landbridge.estimate_memory((100, 100), problem="colouring")


def test_an_estimate_reads_inputs_as_their_problem_does() -> None:
    successors = [1, 2, 2, 4, 4]
    whole = landbridge.estimate_memory(successors, problem="list_ranking", device="cpu")
    assert whole == landbridge.estimate_memory(landbridge.ListSizes(5, 2), problem="list_ranking", device="cpu")
    with refused(InputError, "3 elements do not form 4 lists"):
        landbridge.ListSizes(3, 4)
    with refused(InputError, "id_bits must be 32 or 64, not 16"):
        landbridge.ListSizes(3, id_bits=16)  # type: ignore[arg-type]


LISTED = """
import sys, landbridge
assert landbridge.plans("forest") and landbridge.plans("list_ranking", "gpu")
print(*sorted(name.removeprefix("landbridge.engine.") for name in sys.modules if name.startswith("landbridge.engine.")))
"""


def test_listing_plans_loads_no_solver() -> None:
    done = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"base", "resolve", "sizes", "cpu", "cpu.engine", "gpu", "gpu.engine"}


@pytest.mark.parametrize("engine", ENGINES)
def test_the_rows_of_an_engine_lead_to_solvers(engine: str) -> None:
    machine = engine_of(engine, present=False)
    assert isinstance(machine, TableEngine)
    assert set(machine.solvers) <= set(PROBLEMS)
    assert all(isinstance(machine.solver(problem), Solver) for problem in machine.solvers)
