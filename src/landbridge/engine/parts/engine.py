"""The engine over several processors: partition, run, merge, over the engines of single ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from landbridge.device import cuda
from landbridge.edges.successors import Lists
from landbridge.engine.base import Engine, Solver, TableEngine, Trees, facts_of, stream_solver
from landbridge.engine.cpu.engine import ENGINE as CPU
from landbridge.engine.gpu.engine import ENGINE as GPU
from landbridge.engine.gpu.lists import facts_of as list_facts_of
from landbridge.engine.parts import NAME
from landbridge.engine.parts.advice import SEVERAL_FROM, VERTICES_PER_EDGE, advise, rates_of
from landbridge.engine.parts.lists import list_bytes, rank, solver_of
from landbridge.engine.parts.processors import Processor, entries_of, processors_of, refusal
from landbridge.engine.parts.solve import PartsRun, components, forest, one_pass
from landbridge.engine.parts.trees import PartsTrees
from landbridge.engine.sizes import ListSizes, Sizes
from landbridge.graph import Graph
from landbridge.plan import BasePlan, Choice, ListFacts, Plan, RankPlan
from landbridge.plan.choose import Facts
from landbridge.plan.engines import ENGINES
from landbridge.plan.model import Engine as EngineOptions
from landbridge.result import Components, Ranking
from landbridge.threads import default_threads
from landbridge.typing import Devices


class PartsEngine(TableEngine):
    """Several processors. words: which, as `entries_of` returns them; None for those that a plan names, or all GPUs."""

    name = NAME

    def __init__(self, words: tuple[Any, ...] | None = None) -> None:
        self._words = words
        whole: Mapping[str, Callable[..., Any]] = {"components": components, "forest": forest}
        self.solvers: Mapping[str, Solver] = {  # type: ignore[misc] # those of the class depend on its processors
            problem: Solver(
                partial(self._solve, whole[problem]),
                partial(self._choose, problem),
                facts_of,
                partial(self._estimate, problem),
                self._one_pass if problem == "components" else None,
                declared=True,
            )
            for problem in whole
        } | {
            "incremental": stream_solver(partial(self._choose, "incremental"), partial(self._estimate, "incremental")),
            "list_ranking": Solver(self._rank, self._choose_ranking, list_facts_of, self._list_bytes),
        }

    def over(self, devices: Devices) -> Engine:
        """This engine for the processors of ``devices=``."""
        return type(self)(entries_of(devices))

    def advised(self, on_device: bool, edges: int, threads: int) -> tuple[Engine | None, tuple[str, ...]]:
        """This engine over the processors that should share a run for which none were named, None where a single one
        should have it; and why. Nothing is measured, and nothing said, where there is no GPU or too few edges."""
        gpus = cuda.count() if edges >= SEVERAL_FROM else 0
        words = tuple(range(gpus)) if on_device else (*range(gpus), CPU.name)
        if gpus == 0 or len(words) < 2:
            return None, ()
        processors = processors_of(words, threads)
        rates = rates_of(processors, on_device)
        singles = [rates_of(processors_of((word,), threads), on_device)[0] for word in words]
        advice = advise([p.name for p in processors], rates, singles, int(edges * VERTICES_PER_EDGE), edges)
        engine = type(self)(tuple(words[place] for place in advice.places)) if advice.divides else None
        return engine, advice.reasons

    # which processors -------------------------------------------------------------------------------------------------

    def words(self, plan: BasePlan | None) -> tuple[Any, ...]:
        """The processors of a run, as words."""
        if self._words is not None:
            return self._words
        hosts, gpus = (0, 0) if plan is None else (plan.option(CPU.name, 0), plan.option(GPU.name, 0))
        return (CPU.name,) * hosts + tuple(range(gpus)) if hosts or gpus else self.default_words()

    def default_words(self) -> tuple[Any, ...]:
        """Those of a run for which none are named."""
        return tuple(range(cuda.count())) or (CPU.name,)

    def processors(self, plan: BasePlan | None, threads: int) -> tuple[Processor, ...]:
        """The processors of a run."""
        return processors_of(self.words(plan), threads)

    # the contract -----------------------------------------------------------------------------------------------------

    def missing(self) -> str:
        return next((reason for processor in self._distinct() if (reason := processor.engine.missing())), "")

    def places(self) -> list[str]:
        return []

    def require(self) -> None:
        for processor in self._distinct():
            processor.engine.require()
            if processor.memory.startswith(GPU.name):
                cuda.device(int(processor.memory.split()[1]))

    def _distinct(self) -> list[Processor]:
        return list({processor.name: processor for processor in self.processors(None, 1)}.values())

    def can(self, problem: str, plan: BasePlan | None) -> str:
        reason = super().can(problem, plan)
        if not reason and plan is not None and problem != "components" and plan.option("divide", "") == "vertices":
            reason = "the division by vertices gives components alone"
        if reason:
            return reason
        refusals = [refusal(processor, problem, _bare(plan)) for processor in self.processors(plan, 1)]
        if problem == "list_ranking" and "" in refusals:
            return ""  # one processor runs the plan
        return next((reason for reason in refusals if reason), "")

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, threads: int, *, bulk: bool = False) -> Trees:
        self.require()
        return PartsTrees(self.processors(plan, threads), plan, num_vertices, keep_forest, threads, bulk=bulk)

    # solvers ----------------------------------------------------------------------------------------------------------

    def _solve(self, solve: Callable[..., Any], data: Graph, plan: Plan, threads: int) -> Any:
        return solve(PartsRun(self.name, self.processors(plan, threads), plan, threads), data)

    def _one_pass(
        self, u: Any, v: Any, plan: Plan | None, threads: int, *, vertices: int | None = None
    ) -> Components | None:
        own = self._choose("components", None).plan if plan is None else plan
        return one_pass(PartsRun(self.name, self.processors(own, threads), own, threads), u, v, vertices=vertices)

    def _choose(self, problem: str, facts: Facts | None) -> Choice[Any]:
        """The plan of the processor that answers: of streams for edges in pieces, of rows for a CSR."""
        processors = self.processors(None, default_threads(None))
        first = next((p for p in processors if not p.engine.on_host), processors[0])
        rows = facts is not None and facts.layout == "csr"
        choice = first.engine.choose(problem if rows else "incremental", facts)
        plan = choice.plan
        if problem == "forest" and plan.no_forest:
            plan = replace(plan, finish=replace(plan.finish, splice="split_one"))
        names = ", ".join(processor.name for processor in processors)
        how = "each takes some of the rows" if rows else "they take pieces of the edges from one queue"
        return Choice(replace(plan, engine=self._options()), (f"among {names}: {how}, and trees are merged",))

    def _rank(self, lists: Lists, plan: RankPlan, threads: int) -> Ranking:
        return rank(self.processors(plan, threads), self.name, plan, threads, lists)

    def _choose_ranking(self, facts: ListFacts) -> Choice[RankPlan]:
        """The plan for what one processor ranks in the end."""
        processors = self.processors(None, default_threads(None))
        names = ", ".join(processor.name for processor in processors)
        how = (
            "one with memory for all elements ranks them alone; else each has a range of them, and "
            f"{solver_of(processors, None).name} ranks what removals leave of all"
        )
        return Choice(RankPlan("chains", engine=self._options()), (f"among {names}: {how}",))

    def _list_bytes(self, sizes: ListSizes, plan: RankPlan) -> int:
        return list_bytes(sizes, plan, self.processors(plan, 1))

    def _options(self) -> EngineOptions:
        """The engine with its processors, as far as a plan text says which they are."""
        known = {parameter.name for parameter in ENGINES[self.name].options}
        words = self._words or ()
        hosts = sum(word == CPU.name for word in words)
        counts = ((CPU.name, hosts), (GPU.name, len(words) - hosts))
        return EngineOptions(self.name, tuple((name, count) for name, count in counts if count and name in known))

    def _estimate(self, problem: str, sizes: Sizes, plan: Plan) -> int:
        """Of all processors together: each has all vertices, and the first one the parents of another, too."""
        parts = self.processors(plan, 1)
        cell = 8 if sizes.wide or plan.option("ids", "") == "wide" else 4
        own = (processor.engine.estimate(problem, sizes, processor.plan(plan)) for processor in parts)
        return sum(own) + 4 * cell * sizes.vertices


def _bare(plan: BasePlan | None) -> BasePlan | None:
    """A plan without the options of this engine."""
    return replace(plan, engine=None) if isinstance(plan, Plan) else plan


ENGINE = PartsEngine()
