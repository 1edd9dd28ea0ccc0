"""What a plan is: which sampling, which finish, which engine. Immutable values that cannot be invalid.

Every constructor checks itself against the registry, so an engine that is handed a Plan trusts it. ``str``
gives the canonical text, which is the plan's identity in tests, benchmarks, documents and profiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from landbridge.errors import InvalidCombination, InvalidPlan
from landbridge.plan.engines import ENGINES
from landbridge.plan.registry import STAGE_FRACTION, Parameter, Value, registry, show

Values = tuple[tuple[str, Value], ...]
T = TypeVar("T", bound=Value)

SAMPLING_ON_COO = (
    "sampling needs CSR: it follows the arcs of single vertices and lets the finish skip whole vertices, "
    "and a list of edges (COO) knows neither"
)
STAGES_ON_CSR = (
    "stages need COO: they rewrite the ends of each group of edges to the parents found so far, "
    "which would destroy the rows of a CSR"
)
STAGES_WITH_SAMPLING = "stages run on COO, and " + SAMPLING_ON_COO
WHOLE_WITH_SAMPLING = (
    "{} is a standalone algorithm with a beginning of its own, which would overwrite the trees of a sampling"
)
PAIRS_WITH_SAMPLING = "{} works through a list of edges, and " + SAMPLING_ON_COO
WHOLE_ON_COO = "{} goes from vertex to neighbour and needs CSR; a list of edges (COO) has no neighbours"
WHOLE_ON_CSR = "{} works through a list of edges and needs COO"
REWRITES_ON_CSR = "{} replaces the ends of edges by their parents, which would destroy the rows of a CSR"
REWRITES_WITH_SAMPLING = "{} runs on COO, because it replaces the ends of edges, and " + SAMPLING_ON_COO
WHOLE_WITHOUT_FOREST = "it gives labels alone: its steps are its system's, which record no edge that united two trees"
INSIDE_A_BLOCK = "{} unites in a block, which names no edges; leave the option out"
WHOLE_WITHOUT_STREAM = "a stream unites edges one by one, and a standalone algorithm takes all of a graph at once"
ROUNDS_WITHOUT_STREAM = (
    "a stream remembers trees and no edges, and rounds that move single vertices out of their trees would have to "
    "see old edges again"
)
SAMPLE_WITHOUT_STREAM = "a stream unites batches of edges: samplings and searches need the rows of a whole graph"
STAGES_WITHOUT_STREAM = "a stream has batches already; stages cut a whole graph into groups"
ROWS_IN_STAGES = "{} goes from vertex to neighbour and needs CSR, and stages rewrite groups of edges of COO"
LOSES_IN_STAGES = (
    "{} stores parents without comparing and finds a lost one by another look at its edges: one that an earlier group "
    "has set would be missed"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A sampling and the value of each of its parameters, in the registry's order.

    ``values`` may be given as any pairs or mapping; what is missing gets its default.
    Raises InvalidPlan for an unknown name or a value out of bounds.
    """

    name: str
    values: Values = ()

    def __post_init__(self) -> None:
        policy = registry().axis("sample").get(self.name)
        if policy is None:
            raise InvalidPlan(f"unknown sampling {self.name!r}")
        object.__setattr__(self, "values", _complete(self.name, policy.parameters, self.values))

    def __getitem__(self, parameter: str) -> Value:
        return dict(self.values)[parameter]

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

    link: a name of the axis ``link`` or ``finish``. find, splice: "" stands for the link's default, and for
    none where it takes none. stages: q of ``stages(...)``, in groups of q*n edges, or None. values: the parameters of
    a standalone algorithm, as any pairs or mapping; what is missing gets its default.
    Raises InvalidPlan for unknown names and values out of bounds, InvalidCombination with the reason for
    forbidden ones.
    """

    link: str
    find: str = ""
    splice: str = ""
    stages: float | None = None
    values: Values = ()

    def __post_init__(self) -> None:
        table = registry()
        if self.stages is not None:
            object.__setattr__(self, "stages", _convert("stages", STAGE_FRACTION, self.stages))
        if self.link in table.axis("finish"):
            self._check_whole()
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
            raise InvalidCombination(f"{_term(self.link, find, splice)}: {cell.reason}")
        object.__setattr__(self, "find", find)
        object.__setattr__(self, "splice", splice)

    def _check_whole(self) -> None:
        if self.find or self.splice:
            raise InvalidCombination(f"{self.link} is a standalone algorithm and takes no find and no splice")
        table = registry()
        values = _complete(self.link, table.axis("finish")[self.link].parameters, self.values)
        object.__setattr__(self, "values", values)
        variant = table.variant(self.link, values)
        if not variant.valid:
            raise InvalidCombination(f"{self._plain()}: {variant.reason}")
        if self.stages is not None and "stages" not in variant.traits:
            # What works through pairs takes them in groups, unless it relies on a second look at all of them.
            reason = LOSES_IN_STAGES if "coo" in variant.traits else ROWS_IN_STAGES
            raise InvalidCombination(f"stages({self._plain()}): {reason.format(self.link)}")

    @property
    def standalone(self) -> bool:
        """True for an algorithm that is a finish by itself (the registry's axis ``finish``)."""
        return not self.find

    @property
    def traits(self) -> frozenset[str]:
        """What a standalone algorithm can do (registry.TRAITS); a link runs everywhere, sampled and in stages."""
        if self.standalone:
            return registry().variant(self.link, self.values).traits
        able = ("csr", "coo", "samples", "stages")
        return frozenset(able if self.no_forest else (*able, "forest"))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a standalone algorithm, in the registry's order."""
        return tuple(value for _, value in self.values if isinstance(value, str))

    @property
    def no_stream(self) -> str:
        """Why no stream inserts edges with this finish; "" if streams do."""
        if not self.standalone or {"rounds", "root_based"} <= self.traits:
            return ""
        return ROUNDS_WITHOUT_STREAM if "rounds" in self.traits else WHOLE_WITHOUT_STREAM

    @property
    def mixed(self) -> bool:
        """Whether a stream may run queries beside inserts."""
        return not self.standalone and registry().combination(self.link, self.find, self.splice).mixed

    @property
    def no_forest(self) -> str:
        """Why this finish leaves no spanning forest; "" if it does."""
        if not self.standalone:
            return registry().combination(self.link, self.find, self.splice).no_forest
        variant = registry().variant(self.link, self.values)
        if "forest" in variant.traits:
            return ""
        return variant.no_forest or WHOLE_WITHOUT_FOREST

    def _plain(self) -> str:
        """The canonical text without stages: trailing words at their default are left out."""
        if not self.standalone:
            return _term(self.link, self.find, self.splice)
        parameters = registry().axis("finish")[self.link].parameters
        shown = [show(value) for _, value in self.values]
        while shown and parameters[len(shown) - 1].kind == "word" and shown[-1] == parameters[len(shown) - 1].default:
            shown.pop()
        return _term(self.link, *shown)

    def __str__(self) -> str:
        term = self._plain()
        return term if self.stages is None else f"stages({term},q={show(self.stages)})"


@dataclass(frozen=True, slots=True)
class Engine:
    """Where the plan runs, and what the engine is told: the options that were set, in alphabetical order.

    Raises InvalidPlan for an unknown engine, an unknown option or a value out of bounds.
    """

    name: str
    options: Values = ()

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise InvalidPlan(f"unknown engine {self.name!r}")
        known = {p.name: p for p in ENGINES[self.name].options}
        given = _mapping(self.name, self.options)
        for option in given:
            if option not in known:
                raise InvalidPlan(f"unknown option {option!r} of engine {self.name}")
        values = tuple((n, _convert(self.name, known[n], given[n])) for n in sorted(given))
        object.__setattr__(self, "options", values)

    def get(self, option: str) -> Value | None:
        """The option's value, or None where the plan leaves it to the engine."""
        return dict(self.options).get(option)

    def __str__(self) -> str:
        shown = ",".join(f"{name}={show(value)}" for name, value in self.options)
        return f"{self.name}({shown})" if shown else self.name


@dataclass(frozen=True, slots=True)
class Plan:
    """One way to compute: an optional sampling, a finish, and optionally the engine. Always a valid one.

    Raises InvalidCombination, with the reason, for parts that exist but do not go together.
    """

    sample: Sample | None
    finish: Finish
    engine: Engine | None = None

    def __post_init__(self) -> None:
        reason = self._forbidden()
        if reason:
            raise InvalidCombination(f"{self}: {reason}")

    @property
    def layout(self) -> str | None:
        """``"csr"`` or ``"coo"`` where an option or a part with only one of them fixes it; else None."""
        if self.sample is not None or "coo" not in self.finish.traits:
            return "csr"
        if self.finish.stages is not None or "csr" not in self.finish.traits:
            return "coo"
        return self.option("layout", "") or None

    def option(self, name: str, default: T) -> T:
        """An option of the engine, in the type of the default; the default where the plan leaves it open."""
        for option, value in self.engine.options if self.engine is not None else ():
            if option == name:
                return value  # type: ignore[return-value] # `Engine` has converted it
        return default

    def on(self, engine: str) -> Plan:
        """This plan with its engine named. Raises InvalidCombination where that engine lacks one of its rules."""
        return self if self.engine is not None else replace(self, engine=Engine(engine))

    @property
    def no_forest(self) -> str:
        """Why this plan leaves no spanning forest; "" if it does."""
        if self.finish.no_forest or self.engine is None:
            return self.finish.no_forest
        inside = ENGINES[self.engine.name].inside_a_block
        conflict = next((option for option in self.engine.options if option in inside), None)
        return "" if conflict is None else INSIDE_A_BLOCK.format("=".join(map(str, conflict)))

    def no_forest_on(self, engine: str) -> str:
        """The same; the engine is that of the plan."""
        del engine
        return self.no_forest

    @property
    def no_stream(self) -> str:
        """Why no stream inserts edges with this plan; "" if streams do."""
        if self.layout == "csr":
            return SAMPLE_WITHOUT_STREAM
        return self.finish.no_stream or (STAGES_WITHOUT_STREAM if self.finish.stages is not None else "")

    def missing_on(self, engine: str) -> str:
        """Which part of this plan does not exist for the engine of a name, as a sentence; "" if all do."""
        finish, kernels = self.finish, ENGINES[engine].kernels
        parts = [
            ("finish" if finish.standalone else "link", finish.link),
            ("find", finish.find),
            ("splice", finish.splice),
        ]
        if self.sample is not None:
            parts.append(("sample", self.sample.name))
        for axis, name in parts:
            if name and kernels not in registry().axis(axis)[name].engines:
                return f"{name} does not exist for the engine {engine}"
        return ""

    def __str__(self) -> str:
        sample = f"{self.sample}+" if self.sample is not None else ""
        engine = f"@{self.engine}" if self.engine is not None else ""
        return f"{sample}{self.finish}{engine}"

    def _forbidden(self) -> str:
        layout = self.option("layout", "")
        traits, name = self.finish.traits, self.finish.link
        rewrites = "rewrites" in traits
        if self.sample is not None and "samples" not in traits:
            on_rows = WHOLE_WITH_SAMPLING if "csr" in traits else PAIRS_WITH_SAMPLING
            return (REWRITES_WITH_SAMPLING if rewrites else on_rows).format(name)
        if layout == "coo" and "coo" not in traits:
            return WHOLE_ON_COO.format(name)
        if layout == "csr" and "csr" not in traits:
            return (REWRITES_ON_CSR if rewrites else WHOLE_ON_CSR).format(name)
        if self.finish.stages is not None and self.sample is not None:
            return STAGES_WITH_SAMPLING
        if self.sample is not None and layout == "coo":
            return SAMPLING_ON_COO
        if self.finish.stages is not None and layout == "csr":
            return STAGES_ON_CSR
        if self.engine is not None:
            return self.missing_on(self.engine.name)
        return ""


def _term(name: str, *arguments: str) -> str:
    shown = ",".join(part for part in arguments if part)
    return f"{name}({shown})" if shown else name


def _mapping(owner: str, values: Values | Mapping[str, Value] | Iterable[tuple[str, Value]]) -> dict[str, Value]:
    pairs = list(values.items()) if isinstance(values, Mapping) else list(values)
    given = dict(pairs)
    if len(given) != len(pairs):
        twice = next(name for i, (name, _) in enumerate(pairs) if name in dict(pairs[:i]))
        raise InvalidPlan(f"{owner}: {twice} is given twice")
    return given


def _convert(owner: str, parameter: Parameter, value: object) -> Value:
    try:
        return parameter.convert(value)
    except ValueError as problem:
        raise InvalidPlan(f"{owner}: {problem}") from None


def _complete(owner: str, parameters: tuple[Parameter, ...], values: Values) -> Values:
    given = _mapping(owner, values)
    known = {p.name for p in parameters}
    for name in given:
        if name not in known:
            raise InvalidPlan(f"unknown parameter {name!r} of {owner}")
    return tuple((p.name, _convert(owner, p, given.get(p.name, p.default))) for p in parameters)
