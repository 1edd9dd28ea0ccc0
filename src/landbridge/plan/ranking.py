"""Plans of list ranking: one standalone algorithm with its parameters, and where to run.

    plan := name [ "(" arg { "," arg } ")" ] [ "@" engine ]

The names and parameters are the rows of the registry's axis ``rank``; the engines and their options are those of
every plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from landbridge.errors import InvalidCombination, InvalidPlan
from landbridge.plan.engines import ENGINES
from landbridge.plan.grammar import _Parser
from landbridge.plan.model import Engine, Values, _complete
from landbridge.plan.registry import Parameter, Value, registry, show

SMALL, SMALL_IF_SHORT = 2**15, 2**19
"""Elements up to which one walk through the cache is faster than several with the passes around them: of long lists,
and of lists of a few elements each, of which chains has to find the heads."""


@dataclass(frozen=True, slots=True)
class RankPlan:
    """An algorithm of the axis ``rank`` with the value of each of its parameters, and optionally the engine.

    ``values`` may be given as any pairs; what is missing gets its default. Always a valid plan: raises InvalidPlan for
    an unknown name, value or option, InvalidCombination for an algorithm that the engine does not have.
    """

    name: str
    values: Values = ()
    engine: Engine | None = None

    def __post_init__(self) -> None:
        policy = registry().axis("rank").get(self.name)
        if policy is None:
            raise InvalidPlan(f"unknown list ranking {self.name!r}; known: {', '.join(registry().axis('rank'))}")
        object.__setattr__(self, "values", _complete(self.name, policy.parameters, self.values))
        if self.engine is None:
            return
        if ENGINES[self.engine.name].kernels not in policy.engines:
            raise InvalidCombination(f"{self}: {self.name} does not exist for the engine {self.engine.name}")
        for option, _ in self.engine.options:
            if option not in ENGINES[self.engine.name].list_options:
                raise InvalidCombination(f"{self}: the option {option} is about graphs; a list has none")

    def __getitem__(self, parameter: str) -> Value:
        return dict(self.values)[parameter]

    def option(self, name: str, default: int) -> int:
        """An option of the engine, or the default where the plan leaves it open."""
        value = self.engine.get(name) if self.engine is not None else None
        return default if value is None else int(value)

    @property
    def wide(self) -> bool:
        """Whether elements are counted in 64 bits, which lists of 2^31 elements need and others may ask for."""
        return self.engine is not None and self.engine.get("ids") == "wide"

    def __str__(self) -> str:
        parameters = {p.name: p for p in registry().axis("rank")[self.name].parameters}
        last = 0
        for place, (name, value) in enumerate(self.values):
            if value != parameters[name].default:
                last = place + 1
        shown = ",".join(show(value) for _, value in self.values[:last])
        engine = f"@{self.engine}" if self.engine is not None else ""
        return self.name + (f"({shown})" if shown else "") + engine


def parse_rank(text: str) -> RankPlan:
    """The plan a text describes; ``parse_rank(str(plan)) == plan``. Raises InvalidPlan with the column."""
    parser = _Parser(text)
    term = parser.term("a list ranking")
    engine_term = parser.term("an engine") if parser.skip("@") else None
    if parser.tokens[parser.next].kind != "end":
        raise parser.expected("'@' and an engine, or the end")
    known = registry().axis("rank")
    if term.word not in known:
        raise parser.unknown(term.at, "list ranking", term.word, known)
    values = parser.bind(term, known[term.word].parameters)
    engine = parser.engine(engine_term) if engine_term is not None else None
    return parser.build(term.at, lambda: RankPlan(term.word, tuple(values.items()), engine))


@dataclass(frozen=True, slots=True)
class ListFacts:
    """What a look at some successors shows: the share of tails, and of successors a few places further on."""

    elements: int
    tails: float
    near: float


def choose_rank(facts: ListFacts, engine: str) -> RankPlan:
    """The plan that "auto" stands for. Lists in the order of memory want one walk: the processor reads ahead."""
    short = facts.tails > 1 / 64
    alone = facts.elements < (SMALL_IF_SHORT if short else SMALL) or facts.near > 0.95
    return RankPlan("serial" if engine == "cpu" and alone else "chains", engine=Engine(engine))


def rank_plans(engine: str | None, extended: bool) -> list[str]:
    """Every plan in canonical text: word parameters at each of their values, numbers at their defaults."""
    names = ENGINES if engine is None else (engine,)
    return [str(plan) for name in names for plan in list_plans(name, None, extended)]


def list_plans(engine: str, layout: str | None, extended: bool) -> Iterator[RankPlan]:
    """Every plan of an engine for list ranking; lists have no layout."""
    del layout
    for policy in registry().axis("rank").values():
        if ENGINES[engine].kernels in policy.engines and (policy.published or extended):
            for values in product(*(_values(p) for p in policy.parameters)):
                yield RankPlan(policy.name, values, Engine(engine))


def _values(parameter: Parameter) -> list[tuple[str, Value]]:
    if parameter.kind == "word":
        return [(parameter.name, choice) for choice in parameter.choices]
    return [] if parameter.default is None else [(parameter.name, parameter.default)]
