"""What a plan is: which sampling, which finish, which engine. Immutable values that cannot be invalid.

Every constructor checks its arguments against the registry, so engines trust a Plan. ``str`` is the canonical text:
the plan's identity in tests, benchmarks, documents and profiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Generic, Literal, Self, TypeVar

from landbridge.errors import InvalidCombination, InvalidPlan
from landbridge.plan.engines import ENGINES
from landbridge.plan.registry import STAGE_FRACTION, Parameter, Value, registry, show

Values = tuple[tuple[str, Value], ...]
T = TypeVar("T", bound=Value)

SAMPLING_ON_COO = (
    "sampling needs CSR: it follows the arcs of single vertices and lets the finish skip whole vertices, "
    "and a COO edge list has neither"
)
STAGES_ON_CSR = (
    "stages need COO: they replace the endpoints of each group of edges by their current parents, "
    "which would destroy the rows of a CSR"
)
STAGES_WITH_SAMPLING = "stages run on COO, and " + SAMPLING_ON_COO
STANDALONE_WITH_SAMPLING = (
    "{} is a standalone algorithm that initialises the parents itself, which would overwrite the trees of a sampling"
)
PAIRS_WITH_SAMPLING = "{} works on a COO edge list, and " + SAMPLING_ON_COO
STANDALONE_ON_COO = "{} visits the neighbours of vertices and needs CSR; a COO edge list has no neighbours"
STANDALONE_ON_CSR = "{} works on an edge list and needs COO"
REWRITES_ON_CSR = "{} replaces the endpoints of edges by their parents, which would destroy the rows of a CSR"
REWRITES_WITH_SAMPLING = "{} runs on COO, because it replaces the endpoints of edges, and " + SAMPLING_ON_COO
STANDALONE_WITHOUT_FOREST = (
    "it computes labels only: its steps, those of the published system, record no edge that united two trees"
)
INSIDE_A_BLOCK = "{} unites in a block, which records no edges; leave the option out"
STANDALONE_WITHOUT_STREAM = "a stream unites edges one by one, and a standalone algorithm takes the whole graph at once"
GUARDED_WALKS = (
    "no path is shortened, so a walk for one edge may be as long as there are vertices; on CPU threads the paths of a "
    "group of edges are split first where they are long, on a GPU never"
)
LONG_WALKS = "nothing bounds the walk for one edge but the number of vertices; edges are tested when all paths are flat"
BY_HOPS = "labels travel about one edge per round: as many rounds over all edges as the longest shortest path has edges"
ROUNDS_WITHOUT_STREAM = (
    "a stream stores trees and no edges, and rounds that move single vertices out of their trees would have to "
    "read old edges again"
)
SAMPLE_WITHOUT_STREAM = "a stream unites batches of edges: samplings and searches need the rows of a whole graph"
ROWS_WITHOUT_STREAM = "a stream unites batches of edges, and has no rows"
WITHOUT_EFFECT = "{} would have no effect: {}"
STAGES_WITHOUT_STREAM = "a stream has batches already; stages cut a whole graph into groups"
ROWS_IN_STAGES = "{} visits the neighbours of vertices and needs CSR, and stages rewrite groups of edges of COO"
LOSES_IN_STAGES = (
    "{} stores parents without comparing and detects a lost one by reading its edges again: a lost parent of an "
    "earlier group would be missed"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A sampling and the value of each of its parameters, in the registry's order.

    ``values`` are any pairs or a mapping; what is missing has its default.
    Raises InvalidPlan for an unknown name or a value out of bounds.
    """

    name: str
    values: Values = ()

    def __post_init__(self) -> None:
        policy = registry().axis("sample").get(self.name)
        if policy is None:
            raise InvalidPlan(f"unknown sampling {self.name!r}")
        object.__setattr__(self, "values", complete(self.name, policy.parameters, self.values))

    def __getitem__(self, parameter: str) -> Value:
        return dict(self.values)[parameter]

    @property
    def unites(self) -> bool:
        """Whether it unites arcs by the plan's link, and does not search."""
        return "unites" in registry().axis("sample")[self.name].traits

    def __str__(self) -> str:
        parameters = {p.name: p for p in registry().axis("sample")[self.name].parameters}
        shown = [
            show(value)
            for name, value in self.values
            if parameters[name].kind != "word" or value != parameters[name].default
        ]
        return self.name + (f"({','.join(shown)})" if shown else "")


@dataclass(frozen=True, slots=True)
class Finish:
    """What unites the remaining edges: a link with its find and splice, or a standalone algorithm with its parameters.

    link: a name of the axis ``link`` or ``finish``. find, splice: "" is the link's default, and none where it takes
    none. stages: q of ``stages(...)``, in groups of q*n edges, or None. values: the parameters of
    a standalone algorithm, as any pairs or mapping; what is missing has its default.
    Raises InvalidPlan for unknown names and values out of bounds, InvalidCombination with the reason for
    forbidden ones.
    """

    link: str
    find: str = ""
    splice: str = ""
    stages: float | None = None
    values: Values = ()
    traits: frozenset[str] = field(init=False, repr=False, compare=False)
    """What a standalone algorithm can do (registry.TRAITS); a link runs everywhere, sampled and in stages."""
    no_forest: str = field(init=False, repr=False, compare=False)
    """Why this finish yields no spanning forest; "" if it does."""

    def __post_init__(self) -> None:
        table = registry()
        if self.stages is not None:
            object.__setattr__(self, "stages", _convert("stages", STAGE_FRACTION, self.stages))
        if self.link in table.axis("finish"):
            self._check_standalone()
            return
        if self.link not in table.axis("link"):
            raise InvalidPlan(f"unknown link {self.link!r}")
        if self.values:
            raise InvalidPlan(f"{self.link} is a link and takes no parameters")
        find = self.find or table.default_find(self.link)
        splice = self.splice or table.default_splice(self.link)
        for axis, name in (("find", find), ("splice", splice)):
            if name and name not in table.axis(axis):
                raise InvalidPlan(f"unknown {axis} {name!r}")
        cell = table.combination(self.link, find, splice)
        if not cell.valid:
            raise InvalidCombination(f"{term_text(self.link, find, splice)}: {cell.reason}")
        object.__setattr__(self, "find", find)
        object.__setattr__(self, "splice", splice)
        able = {"csr", "coo", "samples", "stages"}
        able |= set() if cell.no_forest else {"forest"}
        able |= {"long_walks"} if cell.paths_grow else set()
        object.__setattr__(self, "traits", frozenset(able))
        object.__setattr__(self, "no_forest", cell.no_forest)

    def _check_standalone(self) -> None:
        if self.find or self.splice:
            raise InvalidCombination(f"{self.link} is a standalone algorithm and takes no find and no splice")
        table = registry()
        values = complete(self.link, table.axis("finish")[self.link].parameters, self.values)
        object.__setattr__(self, "values", values)
        variant = table.variant(self.link, values)
        if not variant.valid:
            raise InvalidCombination(f"{self._plain()}: {variant.reason}")
        if self.stages is not None and "stages" not in variant.traits:
            # An algorithm on edge lists takes them in groups, unless it has to read all of them a second time.
            reason = LOSES_IN_STAGES if "coo" in variant.traits else ROWS_IN_STAGES
            raise InvalidCombination(f"stages({self._plain()}): {reason.format(self.link)}")
        no_forest = "" if "forest" in variant.traits else variant.no_forest or STANDALONE_WITHOUT_FOREST
        object.__setattr__(self, "traits", variant.traits)
        object.__setattr__(self, "no_forest", no_forest)

    @property
    def standalone(self) -> bool:
        """True for an algorithm that is a finish by itself (the registry's axis ``finish``)."""
        return not self.find

    @property
    def steps(self) -> bool:
        """Whether a link unites by steps, so that a thread can stop before a cell of another's."""
        return not self.standalone and registry().combination(self.link, self.find, self.splice).steps

    @property
    def ranked(self) -> bool:
        """Whether the cells of a link hold ranks."""
        return not self.standalone and registry().combination(self.link, self.find, self.splice).ranked

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a standalone algorithm, in the registry's order."""
        return tuple(value for _, value in self.values if isinstance(value, str))

    @property
    def at_worst(self) -> str:
        """What the work is on the worst graphs where that is more than a few accesses per edge and vertex; else ""."""
        if "long_walks" in self.traits and self.link == "rem_verify":
            return LONG_WALKS
        if "long_walks" in self.traits:
            return GUARDED_WALKS
        if "by_hops" in self.traits:
            return BY_HOPS
        return ""

    @property
    def no_stream(self) -> str:
        """Why no stream inserts edges with this finish; "" if streams do."""
        if not self.standalone or {"rounds", "root_based"} <= self.traits:
            return ""
        return ROUNDS_WITHOUT_STREAM if "rounds" in self.traits else STANDALONE_WITHOUT_STREAM

    @property
    def mixed(self) -> bool:
        """Whether a stream may run queries beside inserts."""
        return not self.standalone and registry().combination(self.link, self.find, self.splice).mixed

    def _plain(self) -> str:
        """The canonical text without stages: trailing words at their default are left out."""
        if not self.standalone:
            return term_text(self.link, self.find, self.splice)
        parameters = registry().axis("finish")[self.link].parameters
        return term_text(self.link, *shown_values(parameters, self.values, ("word",)))

    def __str__(self) -> str:
        term = self._plain()
        return term if self.stages is None else f"stages({term},q={show(self.stages)})"


@dataclass(frozen=True, slots=True)
class Engine:
    """Where the plan runs, and the options of the engine that are set, in alphabetical order.

    Raises InvalidPlan for an unknown engine, an unknown option or a value out of bounds.
    """

    name: str
    options: Values = ()

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise InvalidPlan(f"unknown engine {self.name!r}")
        known = {p.name: p for p in ENGINES[self.name].options}
        options = _mapping(self.name, self.options)
        for option in options:
            if option not in known:
                raise InvalidPlan(f"unknown option {option!r} of engine {self.name}")
        values = tuple((n, _convert(self.name, known[n], options[n])) for n in sorted(options))
        object.__setattr__(self, "options", values)

    def get(self, option: str) -> Value | None:
        """The option's value, or None where the plan leaves it to the engine."""
        return dict(self.options).get(option)

    def __str__(self) -> str:
        shown = ",".join(f"{name}={show(value)}" for name, value in self.options)
        return f"{self.name}({shown})" if shown else self.name


class BasePlan:
    """What the plans of all problems have in common: rules of the registry and, optionally, an engine with options."""

    __slots__ = ()
    engine: Engine | None

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        """The axis and the name of each rule."""
        raise NotImplementedError

    def option(self, name: str, default: T) -> T:
        """An option of the engine, in the type of the default; the default where the plan leaves it open."""
        for option, value in self.engine.options if self.engine is not None else ():
            if option == name:
                return value  # type: ignore[return-value] # `Engine` has converted it
        return default

    def on(self, engine: str) -> Self:
        """This plan with its engine named. Raises InvalidCombination where that engine lacks one of its rules."""
        return self if self.engine is not None else _on(self, engine)

    def missing_on(self, engine: str) -> str:
        """Which rule of this plan does not exist for the engine of a name, as a sentence; "" if all do."""
        missing = _missing_rule(self, ENGINES[engine].kernels)
        return f"{missing} does not exist for the engine {engine}" if missing else ""

    def without_effect(self, engine: Engine) -> str:
        """Why an option of an engine cannot act on this plan, of the first that cannot; "" if all can."""
        del engine
        return ""

    @property
    def _at_engine(self) -> str:
        return f"@{self.engine}" if self.engine is not None else ""


@dataclass(frozen=True, slots=True)
class Plan(BasePlan):
    """One way to compute: an optional sampling, a finish, and optionally the engine. Always a valid one.

    Raises InvalidCombination, with the reason, for parts that exist but do not go together, and for an option of the
    engine that could not act on this plan.
    """

    sample: Sample | None
    finish: Finish
    engine: Engine | None = None

    def __post_init__(self) -> None:
        reason = self._forbidden()
        if reason:
            raise InvalidCombination(f"{self}: {reason}")

    @property
    def layout(self) -> Literal["csr", "coo"] | None:
        """``"csr"`` or ``"coo"`` where an option or a part with only one of them fixes it; else None."""
        if self.sample is not None or "coo" not in self.finish.traits:
            return "csr"
        if self.finish.stages is not None or "csr" not in self.finish.traits:
            return "coo"
        option = self.option("layout", "")
        return "csr" if option == "csr" else "coo" if option == "coo" else None

    @property
    def no_forest(self) -> str:
        """Why this plan yields no spanning forest; "" if it does."""
        if self.finish.no_forest or self.engine is None:
            return self.finish.no_forest
        inside = ENGINES[self.engine.name].inside_a_block
        conflict = next((option for option in self.engine.options if option in inside), None)
        return "" if conflict is None else INSIDE_A_BLOCK.format("=".join(map(str, conflict)))

    @property
    def no_stream(self) -> str:
        """Why no stream inserts edges with this plan; "" if streams do."""
        if self.layout == "csr":
            by_option = self.sample is None and "coo" in self.finish.traits
            return ROWS_WITHOUT_STREAM if by_option else SAMPLE_WITHOUT_STREAM
        return self.finish.no_stream or (STAGES_WITHOUT_STREAM if self.finish.stages is not None else "")

    @property
    def rules(self) -> tuple[tuple[str, str], ...]:
        finish = self.finish
        parts = (
            ("finish" if finish.standalone else "link", finish.link),
            ("find", finish.find),
            ("splice", finish.splice),
            ("sample", self.sample.name if self.sample is not None else ""),
        )
        return tuple((axis, name) for axis, name in parts if name)

    def __str__(self) -> str:
        return _text_of(self)

    @property
    def idle_in_stream(self) -> str:
        """Why an option of the engine cannot act on a stream, of the first that cannot; "" if all can."""
        reasons = {} if self.engine is None else dict(ENGINES[self.engine.name].whole_graph_options)
        for option, value in self.engine.options if self.engine is not None else ():
            if option in reasons and value != "off":
                return WITHOUT_EFFECT.format(f"{option}={value}", reasons[option])
        return ""

    def _forbidden(self) -> str:
        layout = self.option("layout", "")
        traits, name = self.finish.traits, self.finish.link
        rewrites = "rewrites" in traits
        if self.sample is not None and "samples" not in traits:
            on_rows = STANDALONE_WITH_SAMPLING if "csr" in traits else PAIRS_WITH_SAMPLING
            return (REWRITES_WITH_SAMPLING if rewrites else on_rows).format(name)
        if layout == "coo" and "coo" not in traits:
            return STANDALONE_ON_COO.format(name)
        if layout == "csr" and "csr" not in traits:
            return (REWRITES_ON_CSR if rewrites else STANDALONE_ON_CSR).format(name)
        if self.finish.stages is not None and self.sample is not None:
            return STAGES_WITH_SAMPLING
        if self.sample is not None and layout == "coo":
            return SAMPLING_ON_COO
        if self.finish.stages is not None and layout == "csr":
            return STAGES_ON_CSR
        if self.engine is not None:
            return self.missing_on(self.engine.name) or self.without_effect(self.engine)
        return ""

    def without_effect(self, engine: Engine) -> str:
        needs = dict(ENGINES[engine.name].needs)
        for option, value in engine.options:
            for word in needs.get(option, ()) if value != "off" else ():
                is_met, reason = NEEDS[word]
                if not is_met(self):
                    return WITHOUT_EFFECT.format(f"{option}={value}", reason.format(self.finish.link))
        return ""


NEEDS: dict[str, tuple[Callable[[Plan], bool], str]] = {
    "sampling": (lambda plan: plan.sample is not None, "it is about what a sampling leaves, and there is none"),
    "link": (lambda plan: not plan.finish.standalone, "it is about edges that a link unites, and {} is no link"),
    "steps": (
        # Arcs that a sampling unites before rounds are united by such a link.
        lambda plan: plan.finish.steps or (plan.finish.standalone and plan.sample is not None and plan.sample.unites),
        "it is about links that go by steps, rem_cas(naive,...)",
    ),
    "one_group": (
        lambda plan: plan.finish.stages is None,
        "it is about one pass over all edges, and stages take groups",
    ),
    "list": (
        lambda plan: plan.layout != "csr",
        "it is about edges of a COO edge list or a stream, and this plan needs CSR",
    ),
    "draws": (
        lambda plan: plan.sample is not None or "draws" in plan.finish.traits,
        "it is about random choices, of samplings and low-diameter decompositions, and there are none",
    ),
    "no_ranks": (lambda plan: not plan.finish.ranked, "it is about parents, and the cells of {} hold ranks"),
}
"""What an option of an engine may need to act on a plan (`EngineKind.needs`): whether the plan has it, and the reason
for which the option has no effect otherwise.
"""


@lru_cache(maxsize=256)
def _text_of(plan: Plan) -> str:
    sample = f"{plan.sample}+" if plan.sample is not None else ""
    return f"{sample}{plan.finish}{plan._at_engine}"


P = TypeVar("P", bound=BasePlan)


@lru_cache(maxsize=256)
def _missing_rule(plan: BasePlan, kernels: str) -> str:
    """The first rule of a plan that does not exist for a word of the registry; "" if all do."""
    rules = ((registry().axis(axis)[name], name) for axis, name in plan.rules)
    return next((name for rule, name in rules if kernels not in rule.engines), "")


@lru_cache(maxsize=256)
def _on(plan: P, engine: str) -> P:
    """Cached: a call on a small input would take as long to validate its plan again as to run it."""
    return replace(plan, engine=Engine(engine))  # type: ignore[type-var] # every plan is a dataclass


@dataclass(frozen=True, slots=True)
class Choice(Generic[P]):
    """The plan that "auto" stands for, and why: one sentence per reason."""

    plan: P
    reasons: tuple[str, ...] = ()


def term_text(name: str, *arguments: str) -> str:
    """A name and its arguments, empty ones left out."""
    shown = ",".join(part for part in arguments if part)
    return f"{name}({shown})" if shown else name


def shown_values(parameters: tuple[Parameter, ...], values: Values, kinds: tuple[str, ...]) -> list[str]:
    """Complete values in canonical text. Trailing ones of these kinds of parameters are left out at their defaults."""
    shown = [show(value) for _, value in values]
    for parameter, (_, value) in zip(reversed(parameters), reversed(values), strict=True):
        if parameter.kind not in kinds or value != parameter.default:
            break
        shown.pop()
    return shown


def _mapping(owner: str, values: Values | Mapping[str, Value] | Iterable[tuple[str, Value]]) -> dict[str, Value]:
    pairs = list(values.items()) if isinstance(values, Mapping) else list(values)
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        twice = next(name for i, (name, _) in enumerate(pairs) if name in dict(pairs[:i]))
        raise InvalidPlan(f"{owner}: {twice} is given twice")
    return mapping


def _convert(owner: str, parameter: Parameter, value: object) -> Value:
    try:
        return parameter.convert(value)
    except ValueError as problem:
        raise InvalidPlan(f"{owner}: {problem}") from None


def complete(owner: str, parameters: tuple[Parameter, ...], values: Values) -> Values:
    """A value for each parameter, its default where none is set. Raises InvalidPlan for unknown names and values out of
    bounds.
    """
    mapping = _mapping(owner, values)
    known = {p.name for p in parameters}
    for name in mapping:
        if name not in known:
            raise InvalidPlan(f"unknown parameter {name!r} of {owner}")
    return tuple((p.name, _convert(owner, p, mapping.get(p.name, p.default))) for p in parameters)
