"""Plans of list ranking: an algorithm of the registry's axis ``rank``, and where to run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from landbridge import _core
from landbridge.errors import InvalidCombination, InvalidPlan
from landbridge.plan.engines import ENGINES, default_kind
from landbridge.plan.model import WITHOUT_EFFECT, BasePlan, Engine, Values, complete, shown_values, term_text
from landbridge.plan.registry import Parameter, Value, registry

_MANY = 2**20
"""Elements of lists that are not too short for any algorithm."""


@dataclass(frozen=True, slots=True)
class RankPlan(BasePlan):
    """An algorithm of the axis ``rank`` with the value of each of its parameters, and optionally the engine.

    ``values`` may be any pairs; what is missing gets its default. Always a valid plan: raises InvalidPlan for an
    unknown name, value or option, InvalidCombination for an algorithm that the engine does not have and for an option
    of the engine that could not act on the algorithm.
    """

    name: str
    values: Values = ()
    engine: Engine | None = None

    def __post_init__(self) -> None:
        known = registry().axis("rank")
        if self.name not in known:
            raise InvalidPlan(f"unknown list ranking {self.name!r}; known: {', '.join(known)}")
        object.__setattr__(self, "values", complete(self.name, self.parameters, self.values))
        if reason := self._forbidden():
            raise InvalidCombination(f"{self}: {reason}")

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        return (("rank", self.name),)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the algorithm, in the registry's order."""
        return registry().axis("rank")[self.name].parameters

    def __getitem__(self, parameter: str) -> Value:
        return dict(self.values)[parameter]

    def __str__(self) -> str:
        return _text_of(self)

    def _forbidden(self) -> str:
        if self.engine is None:
            return ""
        if missing := self.missing_on(self.engine.name):
            return missing
        for option, _ in self.engine.options:
            if option not in ENGINES[self.engine.name].list_options:
                return f"the option {option} is about graphs; a list has none"
        return self.without_effect(self.engine)

    def without_effect(self, engine: Engine) -> str:
        seed = engine.get("seed")
        if seed is None or ENGINES[engine.name].over or self.draws:  # several processors draw for any algorithm
            return ""
        return WITHOUT_EFFECT.format(f"seed={seed}", f"it is about random choices, and {self.name} makes none")

    @property
    def draws(self) -> bool:
        """Whether the algorithm makes random choices, as those that the CPU lacks do."""
        if default_kind("host").kernels not in registry().axis("rank")[self.name].engines:
            return True
        strategy = _core.list_strategy(_core.ListPlan(self.name, dict(self.values)), _MANY)
        return strategy.method == "independent_sets" or (strategy.method == "walks" and not strategy.first_of_block)


@lru_cache(maxsize=256)
def _text_of(plan: RankPlan) -> str:
    shown = shown_values(plan.parameters, plan.values, ("int", "float", "word"))
    return term_text(plan.name, *shown) + plan._at_engine


@dataclass(frozen=True, slots=True)
class ListFacts:
    """What the probe of some successors shows: the share of tails, and of those of which the next element or the one
    behind it is near in memory; and how many threads will run.
    """

    elements: int
    tails: float
    near: float
    threads: int
