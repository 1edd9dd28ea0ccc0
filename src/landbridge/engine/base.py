"""The contract of an engine: a machine that takes problems and plans and returns answers.

An engine is a table from the name of a problem (`landbridge.problems`) to the module of its `Solver`, which is imported
when the problem is first solved: listing plans loads no engine. A problem costs an engine one row and one module. An
engine costs a row in `landbridge.plan.engines` and a module that defines ``ENGINE``; nothing above an engine decides by
its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Literal, Protocol

from landbridge import _core
from landbridge.engine.sizes import Sizes
from landbridge.errors import DeviceError
from landbridge.graph import Graph
from landbridge.plan import BasePlan, Choice, Plan
from landbridge.plan.choose import Facts
from landbridge.plan.engines import ENGINES
from landbridge.result import IdArray
from landbridge.typing import Devices

STREAMS = "incremental"
"""The problem of streams of edges, whose solver opens trees."""


class Engine(Protocol):
    """A machine. Problems are named as in `landbridge.problems.PROBLEMS`, and their inputs are of the types there."""

    @property
    def name(self) -> str:
        """The word in plan texts and in ``device=``."""

    @property
    def on_host(self) -> bool:
        """Whether it reads and writes arrays in host memory."""

    def missing(self) -> str:
        """What is missing for it to run in this process, in words; "" if it may be there. Raises nothing."""

    def places(self) -> list[str]:
        """A line about each device in this process that it runs on."""

    def require(self) -> None:
        """Raise DeviceError, with the reason, where it cannot run in this process."""

    def solves(self, problem: str) -> bool:
        """Whether it has a solver for the problem."""

    def can(self, problem: str, plan: BasePlan | None) -> str:
        """Why it cannot run the plan, or any plan, for the problem; "" if it can. Runs nothing."""

    def facts(self, problem: str, data: Any, threads: int) -> Any:
        """What `choose` reads of an input; costs microseconds, whatever the size of the input."""

    def choose(self, problem: str, facts: Any) -> Choice[Any]:
        """The plan for these facts, and why."""

    def estimate(self, problem: str, sizes: Any, plan: Any) -> int:
        """Bytes of its memory that a run of the plan takes beyond the input, at most. Runs nothing."""

    def one_pass(
        self, problem: str, u: IdArray, v: IdArray, plan: Plan | None, threads: int, *, vertices: int | None = None
    ) -> Any | None:
        """The answer for endpoints that have not been validated, read once; None where it has no such way.

        vertices: how many there are; None for the largest id plus 1.
        """

    def solve(self, problem: str, data: Any, plan: BasePlan, threads: int) -> Any:
        """Run a plan that `can` accepts on a validated input."""

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
        """The trees of a stream of edges, with vertices 0..num_vertices-1. `plan` names this engine.

        bulk: callers insert and do nothing else until the labels are taken; a batch that is refused may have been
        inserted in part. Raises DeviceError where the engine cannot run, MemoryError (OutOfDeviceMemory).
        """

    def inserters(self, threads: int) -> int:
        """How many threads insert side by side with profit."""


class DividingEngine(Engine, Protocol):
    """An engine that divides a run among several processors."""

    def over(self, devices: Devices) -> Engine:
        """This engine for the processors of ``devices=``. Raises as `engine_over` does."""

    def advised(self, on_device: bool, edges: int, threads: int) -> tuple[Engine | None, tuple[str, ...]]:
        """Of a run for which no processors were named: this engine over those that should share it, None where a single
        one should have it; and why."""


@dataclass(frozen=True, slots=True)
class Solver:
    """How an engine solves one problem. See the methods of `Engine` of the same names.

    estimate: of a stream of edges, what its trees take once they hold all edges, handed over in one batch, and their
    components. declared: whether `one_pass` takes ``vertices``, too. trees: of streams of edges alone. programs: what
    is compiled in advance for inputs that choose their plans themselves; empty for engines that compile nothing.
    """

    solve: Callable[[Any, Any, int], Any]
    choose: Callable[[Any], Choice[Any]]
    facts: Callable[[Any, int], Any]
    estimate: Callable[[Any, Any], int]
    one_pass: Callable[..., Any | None] | None = None
    declared: bool = False
    trees: Callable[..., Trees] | None = None
    programs: Callable[[], Iterable[Any]] = tuple


def stream_solver(
    choose: Callable[[Any], Choice[Any]],
    estimate: Callable[[Any, Any], int],
    trees: Callable[..., Trees] | None = None,
) -> Solver:
    """The solver of streams of edges, which go to trees and not through `Engine.solve`. trees: where the engine itself
    has no method that opens them."""

    def solve(data: Any, plan: Plan, threads: int) -> Any:
        raise NotImplementedError

    return Solver(solve, choose, lambda data, threads: None, estimate, trees=trees)


class TableEngine:
    """An engine whose behaviour is a table of solvers.

    Subclasses set `name`, and `solvers`: of each problem the solver, or the name of the module that has it as
    ``SOLVER``.
    """

    name: ClassVar[str]
    solvers: ClassVar[Mapping[str, Solver | str]]

    @property
    def on_host(self) -> bool:
        return ENGINES[self.name].memory == "host"

    def missing(self) -> str:
        return ""

    def places(self) -> list[str]:
        return [self.name]

    def require(self) -> None:
        return None

    def solves(self, problem: str) -> bool:
        return problem in self.solvers

    def can(self, problem: str, plan: BasePlan | None) -> str:
        if problem not in self.solvers:
            return f"the engine {self.name} has no solver for {problem}"
        if plan is None:
            return ""
        if plan.engine is not None and plan.engine.name != self.name:
            return f"the plan is one of @{plan.engine.name}"
        return plan.missing_on(self.name)

    def solver(self, problem: str) -> Solver:
        """The row of a problem that the engine solves."""
        row = self.solvers[problem]
        return row if isinstance(row, Solver) else _solver_of(row)

    def facts(self, problem: str, data: Any, threads: int) -> Any:
        return self.solver(problem).facts(data, threads)

    def choose(self, problem: str, facts: Any) -> Choice[Any]:
        return self.solver(problem).choose(facts)

    def estimate(self, problem: str, sizes: Any, plan: Any) -> int:
        return self.solver(problem).estimate(sizes, plan)

    def one_pass(
        self, problem: str, u: IdArray, v: IdArray, plan: Plan | None, threads: int, *, vertices: int | None = None
    ) -> Any | None:
        solver = self.solver(problem)
        if solver.one_pass is None or (vertices is not None and not solver.declared):
            return None
        return solver.one_pass(u, v, plan, threads, **({} if vertices is None else {"vertices": vertices}))

    def solve(self, problem: str, data: Any, plan: BasePlan, threads: int) -> Any:
        return self.solver(problem).solve(data, plan, threads)

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
        opens = self.solver(STREAMS).trees if self.solves(STREAMS) else None
        if opens is None:
            raise DeviceError(f"the engine {self.name} keeps no trees")
        return opens(plan, num_vertices, keep_forest, threads, bulk=bulk)

    def inserters(self, threads: int) -> int:
        return threads


@cache
def _solver_of(module: str) -> Solver:
    result: Solver = import_module(module).SOLVER
    return result


@cache
def needs() -> dict[str, tuple[bool, bool]]:
    """Of each link: whether it works on ranked words, and whether it needs auxiliary cells."""
    return {row["link"]: (row["ranked"], row["uses_aux"]) for row in _core.combinations()}


def conversion(graph: Graph | Sizes, plan: Plan) -> Literal["csr", "coo", ""]:
    """What a run of the plan makes of the graph first: a symmetric CSR, a COO edge list, or nothing."""
    if "symmetric" in plan.finish.traits and not graph.symmetric:
        return "csr"
    return "" if plan.layout in (None, graph.layout) else plan.layout


def facts_of(graph: Graph, threads: int) -> Facts:
    """What a plan is chosen by."""
    n, m = graph.num_vertices, graph.num_edges
    probe = graph.probe
    average = m / n if n else 0.0
    return Facts(
        vertices=n,
        edges=m,
        layout=graph.layout,
        symmetric=bool(graph.symmetric),
        average_degree=average,
        skew=probe.largest_degree / average if m else 0.0,
        first_smaller=probe.first_smaller,
        local=probe.local,
        expansion=probe.expansion,
        upward=probe.upward,
        empty=probe.empty,
        enclosed=probe.enclosed,
        equidistant=probe.equidistant,
        threads=threads,
        repeats=probe.repeats,
        doubled=probe.doubled,
        shared=probe.shared,
    )


class Trees(Protocol):
    """The trees of a stream, in the memory of its engine. Arrays of ids are of one native type and equally long.

    They are in host memory or, where `reads_device`, in device memory; answers are where the arrays were.
    """

    @property
    def vertices(self) -> int:
        """As `landbridge.Incremental.num_vertices`."""

    @property
    def count(self) -> int:
        """As `landbridge.Incremental.count`."""

    @property
    def position(self) -> int:
        """As `landbridge.Incremental.position`."""

    @property
    def mixed(self) -> bool:
        """As `landbridge.Incremental.mixed`."""

    @property
    def keeps_forest(self) -> bool:
        """Whether the edges that made links are recorded."""

    @property
    def reads_device(self) -> bool:
        """Whether arrays in device memory are read in place; if not, the caller copies them to host memory first."""

    def prepare(self, u: Any, v: Any, is_query: Any, vertices: int) -> None:
        """Raise what a batch would be refused for (edges alone where is_query is None), and make room for its vertices
        and at least so many. No answer changes."""

    def insert(self, u: Any, v: Any) -> None:
        """Unite u[i] with v[i]."""

    def insert_one(self, u: int, v: int) -> None:
        """Unite two vertices."""

    def insert_at(self, u: Any, v: Any, at: Any, advance: int, vertices: int) -> None:
        """Edges of another stream of so many vertices and operations; edge i was its operation at[i]."""

    def refuse_from(self, n: int) -> None:
        """From now on `insert` refuses vertices not below n: "edge 17: vertex 9 is out of range for n = 9"."""

    def apply(self, u: Any, v: Any, is_query: Any, inserts_first: bool) -> Any:
        """Run operations; packed answers."""

    def connected(self, u: Any, v: Any) -> Any:
        """Shape (len(u),), bool."""

    def connected_one(self, u: int, v: int) -> bool:
        """Whether two vertices are connected."""

    def labels(self, threads: int, *, consume: bool = False, to_host: bool = False) -> tuple[int, Any]:
        """(count, labels) of a moment between batches.

        consume: the labels may take the memory of the trees, which are not used again. to_host: labels in host memory,
        wherever the trees are.
        """

    def snapshot(self, with_forest: bool) -> tuple[int, Any, Any]:
        """(position, representatives, (u, v, positions) or None), in host memory."""

    def close(self) -> None:
        """Wait until no array of a caller is read any more, and give buffers back. The trees stay usable."""
