"""The problems that landbridge solves: one table, a row per problem, which everything above the engines reads.

How an engine solves a problem (its choice of a plan, its estimate, its run) is a row of that engine's own table
(`landbridge.engine.base.Solver`), under the name used here.

A problem touches eight files of Python:

1. ``problems.py``: its row. 2. ``result/__init__.py``: the type of its answer.
3. ``engine/cpu/<problem>.py``: its solver. 4. ``engine/cpu/engine.py``: the solver's row.
5. ``check/<problem>.py``: its verification. 6. ``check/__init__.py``: the public name of it.
7. ``api.py``, or a module of its own: its function. 8. ``__init__.py``: the public name of it.

On a GPU it touches two more, ``engine/gpu/<problem>.py`` and the row in ``engine/gpu/engine.py``. New algorithms are
rows of ``registry.def``, with their headers and a file of the core and its bindings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from landbridge.check import check_components, check_forest, check_ranks
from landbridge.edges.successors import Lists, lists_of
from landbridge.engine.resolve import TRANSFER_FROM, Request, engine_of, request_for
from landbridge.engine.sizes import ListSizes, Sizes
from landbridge.errors import InputError, InvalidCombination, InvalidPlan
from landbridge.flags import flag, is_word
from landbridge.graph import Graph, as_graph
from landbridge.occurring import components_that_occur, forest_that_occurs
from landbridge.plan import BasePlan, Plan, parse, parse_rank
from landbridge.plan.engines import ENGINES
from landbridge.plan.enumerate import LAYOUTS, component_plans, forest_plans, list_plans, stream_plans
from landbridge.plan.registry import Value
from landbridge.result import Components, IdArray, Ranking, SpanningForest
from landbridge.typing import Devices


@dataclass(frozen=True, slots=True)
class Problem:
    """What a problem takes and returns.

    name: as in `landbridge.plans`. data: the type of a validated input, which engines take. load: makes that type of
    what a user hands over. answer: the type of an answer. check: raises CheckFailed for a wrong answer to an input.
    parse: a plan of its text, or of itself. plans: the plans of an engine, by its name, for a layout (None for all),
    also extended. why_not: why a plan does not solve the problem, "" if it does. layouts: whether plans differ by
    layout. sizes: of an input, from which engines estimate the memory of a run. transfer_from: the size from which an
    input in host memory is sent to a GPU unasked; None if it never is. occurring: an answer for vertices 0..n-1,
    narrowed to the ids that occur in two arrays of endpoints; without it such ids are numbered before the run.
    """

    name: str
    data: type
    load: Callable[..., Any]
    answer: type
    check: Callable[..., None]
    parse: Callable[[Any], Any]
    plans: Callable[[str, str | None, bool], Iterator[Any]]
    why_not: Callable[[Any], str]
    layouts: bool = True
    sizes: type[Sizes] | type[ListSizes] = Sizes
    transfer_from: int | None = None
    occurring: Callable[[Any, IdArray, IdArray, int], Any] | None = None

    def plan_of(self, plan: str | BasePlan) -> Any | None:
        """The plan of a public function's ``plan=``, None for "auto". Raises InvalidPlan."""
        return None if is_word(plan, ("auto",)) else self.parse(plan)

    def request(
        self,
        plan: str | BasePlan,
        device: str = "auto",
        threads: int | None = None,
        *,
        present: bool = True,
        devices: Devices | None = None,
    ) -> Request:
        """A call resolved: the plan is one of the problem, and an engine that is named can run it. present: as for
        `engine_of`. devices: the processors among which the work is divided.
        """
        parsed = self.plan_of(plan)
        if parsed is not None and (reason := self.why_not(parsed)):
            raise InvalidCombination(f"{parsed}: {reason}")
        return request_for(
            self.name, parsed, device, threads, transfer_from=self.transfer_from, present=present, devices=devices
        )


def _solved_by_all(plan: object) -> str:
    return ""


def _not_of_streams(plan: Plan) -> str:
    """Why no stream has a plan, and the plan that is left of it without the parts that are for whole graphs."""
    reason = plan.no_stream or plan.idle_in_stream
    rest, parts = _left_for_streams(plan) if reason else (None, [])
    return reason if rest is None else f"{reason}; without {' and '.join(parts)} a stream takes {rest}"


def refuse_without_forest(plan: Plan | None) -> None:
    """Raise InvalidCombination for a plan whose streams keep no forest, with the nearest one whose streams do.

    A plan of no stream is left to `Problem.request`.
    """
    rest = None if plan is None else _left_for_streams(plan)[0]
    if rest is None or not rest.finish.no_forest:
        return
    finish = rest.finish
    keeping = replace(rest, finish=replace(finish, splice="split_one"))
    raise InvalidCombination(
        f"{finish} keeps no forest: it moves subtrees, and an edge kept for one may close a cycle; with a forest a "
        f"stream takes {keeping}"
    )


def _left_for_streams(plan: Plan) -> tuple[Plan | None, list[str]]:
    """What is left of a plan without the parts that are for whole graphs, None for nothing, and these parts."""
    options = () if plan.engine is None else plan.engine.options
    left: list[tuple[str, Value]] = []
    for option in options:
        if _stream_plan(plan, [*left, option]) is not None:
            left.append(option)
    parts = [] if plan.sample is None else [str(plan.sample)]
    parts += ["stages"] if plan.finish.stages is not None else []
    parts += [f"{option}={value}" for option, value in options if (option, value) not in left]
    return _stream_plan(plan, left), parts


def _stream_plan(plan: Plan, options: Iterable[tuple[str, Value]]) -> Plan | None:
    """The finish of a plan with options of its engine, as a plan of streams; None if they take none."""
    try:
        engine = plan.engine and replace(plan.engine, options=tuple(options))
        rest = Plan(None, replace(plan.finish, stages=None), engine)
    except InvalidPlan:
        return None
    return None if rest.no_stream or rest.idle_in_stream else rest


_ROWS = (
    Problem(
        "components", Graph, as_graph, Components, check_components, parse, component_plans, _solved_by_all,
        transfer_from=TRANSFER_FROM, occurring=components_that_occur,
    ),
    Problem(
        "forest", Graph, as_graph, SpanningForest, check_forest, parse, forest_plans, lambda plan: plan.no_forest,
        transfer_from=TRANSFER_FROM, occurring=forest_that_occurs,
    ),
    # Batches of edges go to the trees of an engine (`Engine.trees`); the answer is that of all batches together.
    Problem(
        "incremental", Graph, as_graph, Components, check_components, parse, stream_plans,
        _not_of_streams,
    ),
    Problem(
        "list_ranking", Lists, lists_of, Ranking, check_ranks, parse_rank, list_plans, _solved_by_all, layouts=False,
        sizes=ListSizes,
    ),
)  # fmt: skip

PROBLEMS: dict[str, Problem] = {row.name: row for row in _ROWS}
"""Every problem by name."""


def problem_of(name: str) -> Problem:
    """The row of a problem. Raises InputError for an unknown name."""
    if not is_word(name, PROBLEMS):
        raise InputError(f"unknown problem {name!r}; known: {', '.join(PROBLEMS)}")
    return PROBLEMS[name]


def enumerate_plans(
    problem: str = "components", engine: str | None = None, layout: str | None = None, extended: bool = False
) -> list[str]:
    """The canonical text of every valid plan of a problem, none twice; see `landbridge.plans`.

    Raises InputError or InvalidPlan for an unknown name.
    """
    row, extended = problem_of(problem), flag("extended", extended)
    if engine is not None and not is_word(engine, ENGINES):
        raise InvalidPlan(f"unknown engine {engine!r}; known: {', '.join(ENGINES)}")
    if layout is not None and not is_word(layout, LAYOUTS):
        raise InputError(f"unknown layout {layout!r}; known: {', '.join(LAYOUTS)}")
    if layout is not None and not row.layouts:
        raise InputError(f"layouts are those of graphs; plans of {problem} have none")
    names = tuple(name for name, kind in ENGINES.items() if not kind.over) if engine is None else (engine,)
    solving = (name for name in names if engine_of(name, present=False).solves(problem))
    return [str(plan) for name in solving for plan in row.plans(name, layout, extended)]
