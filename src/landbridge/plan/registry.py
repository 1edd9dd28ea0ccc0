"""The registry of policies as Python sees it: a typed, read-only view of the tables compiled into the core.

The rows themselves are written once, in ``include/landbridge/policy/registry.def``; grammar, dataclasses and
enumeration read them here and list nothing again. One fact is the plan language's own and defined here:
which find and splice a text means when it leaves them out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Literal

Value = int | float | str
Kind = Literal["int", "float", "word"]

AXES = ("sample", "find", "splice", "link", "finish", "rank")
"""Every axis of the design space. A ``rank`` row is a plan of list ranking; a ``finish`` row is a standalone algorithm
that takes no find, such as bfscc."""

TRAITS = {
    "csr": "runs on CSR",
    "coo": "runs on COO edge lists",
    "symmetric": "its CSR holds both directions of each edge, and is made where the graph has none",
    "samples": "a sampling may precede it",
    "stages": "may process edges in groups",
    "rewrites": "replaces the endpoints of edges while it runs, in a copy",
    "rounds": "runs in synchronous rounds",
    "by_hops": "labels travel about one edge per round, so a long path takes as many rounds as it has edges",
    "root_based": "only a root's pointer ever changes trees: what spanning forests and insertions rely on",
    "forest": "can name the edges of a spanning forest",
    "long_walks": "nothing bounds the walks for an edge but the number of vertices",
    "draws": "makes random choices",
    "unites": "a sampling that unites arcs by the plan's link, and does not search",
}
"""The traits of standalone algorithms and samplings in the registry, in words."""

DEFAULT_FIND = {"jtb": "two_try"}
"""The find of a link written without one; every other link gets ``naive``, the find that changes nothing on
its way, so that the link is what its authors wrote. Two-try splitting belongs to JTB (Jayanti, Tarjan and
Boix-Adsera 2019), whose published bounds need it."""

PLAIN_FIND = "naive"

DEFAULT_SPLICE = "split_one"
"""The splice of a Rem link written without one: the first of the registry and the fastest of ConnectIt's."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a policy or option of an engine: its kind, default and legal values (bounds inclusive).

    ``above`` is an exclusive lower bound, for values such as a rate that may come near zero but not reach it.
    ``codes``: the letter of each choice in the papers' short names, "" for none. A word without a default is
    required.
    """

    name: str
    kind: Kind
    default: Value | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    above: float | None = None
    codes: tuple[str, ...] = ()

    def convert(self, value: object, text: str = "") -> Value:
        """The value in this parameter's type. Raises ValueError with the rule it breaks, in words.

        text: the number as it was written, for the message.
        """
        shown = text or (repr(value) if self.kind == "int" else _show(value))
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is None:
            raise ValueError(f"{self.name} has to be given: {' or '.join(self.choices)}")
        if self.kind == "word":
            if not isinstance(value, str) or value not in self.choices:
                raise ValueError(f"{self.name} is one of {', '.join(self.choices)}, not {shown}")
            return value
        if not number or not isinstance(value, int | float):
            raise ValueError(f"{self.name} is a number, not {shown}")
        if self.kind == "int" and not isinstance(value, int):
            raise ValueError(f"{self.name} is a whole number, not {shown}")
        if self.kind == "float" and not math.isfinite(value):
            raise ValueError(f"{self.name} is a finite number, not {shown}")
        if self.minimum is not None and value < self.minimum:
            raise ValueError(f"{self.name} is at least {show(self.minimum)}, not {shown}")
        if self.above is not None and value <= self.above:
            raise ValueError(f"{self.name} is greater than {show(self.above)}, not {shown}")
        if self.maximum is not None and value > self.maximum:
            raise ValueError(f"{self.name} is at most {show(self.maximum)}, not {shown}")
        return int(value) if self.kind == "int" else float(value)


@dataclass(frozen=True, slots=True)
class Policy:
    """One row of the registry.

    code: the short code of the papers' tables. stale: whether the rule tolerates old values ("tolerates") or
    needs fresh ones ("fresh"). reference: the key of its source in REFERENCES.bib.
    traits: of a sampling or a standalone algorithm (TRAITS).
    """

    axis: str
    name: str
    code: str
    summary: str
    parameters: tuple[Parameter, ...]
    engines: tuple[str, ...]
    stale: str
    reference: str
    traits: tuple[str, ...] = ()
    published: bool = False


@dataclass(frozen=True, slots=True)
class Combination:
    """One cell of link x find x splice ("" where the link takes none), and why it is forbidden if it is.

    separated: why a stream must not answer queries while links run, "" if it may. steps: whether a union goes by steps,
    so that a thread can stop before a cell of another's. cuts_off: whether a walk can be cut off and its edge united
    again.
    """

    link: str
    find: str
    splice: str
    valid: bool
    published: bool
    reason: str
    no_forest: str = ""
    """Why the edges that link are not always a spanning forest; "" if they are."""
    separated: str = ""
    steps: bool = False
    cuts_off: bool = False
    paths_grow: bool = False
    """Whether nothing in it shortens a path or bounds its length."""
    ranked: bool = False
    """Whether cells hold ranks, so that a root need not be the smallest vertex of its tree."""

    @property
    def mixed(self) -> bool:
        """Whether a stream may run queries beside inserts."""
        return self.valid and not self.separated


@dataclass(frozen=True, slots=True)
class Variant:
    """A standalone algorithm with one choice of its words: what it can do, and why it is forbidden if it is."""

    name: str
    words: tuple[tuple[str, str], ...]
    traits: frozenset[str]
    valid: bool
    published: bool
    reason: str
    no_forest: str = ""
    """Why its edges are not always a spanning forest, where it has a reason of its own."""


LARGEST_INT = 2**31 - 1
"""The largest whole number of a parameter without a maximum of its own: the core holds it in 32 bits."""

DEFAULT_STAGE = 0.5
STAGE_FRACTION = Parameter("q", "float", default=DEFAULT_STAGE, above=0.0)
"""The size of a stage: q times the number of vertices, in edges."""


class Registry:
    """All policies and all combinations, looked up by name. Built from the core's three tables."""

    def __init__(
        self,
        policies: Iterable[Mapping[str, Any]],
        combinations: Iterable[Mapping[str, Any]],
        rounds: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._policies: dict[str, dict[str, Policy]] = {axis: {} for axis in AXES}
        for row in policies:
            policy = _policy(row)
            self._policies[policy.axis][policy.name] = policy
        self._combinations: dict[tuple[str, str, str], Combination] = {}
        for row in combinations:
            cell = Combination(
                str(row["link"]), str(row["find"]), str(row["splice"]),
                bool(row["valid"]), bool(row["published"]), str(row["reason"]),
                str(row["no_forest"]),
                str(row["separated"]),
                bool(row["steps"]), bool(row["cuts_off"]), bool(row["paths_grow"]),
                bool(row["ranked"]),
            )  # fmt: skip
            self._combinations[cell.link, cell.find, cell.splice] = cell
        self._variants: dict[tuple[str, tuple[tuple[str, str], ...]], Variant] = {}
        judged = {(str(row["name"]), tuple(row["words"])): row for row in rounds}
        for policy in self._policies["finish"].values():
            words = [[(p.name, word) for word in p.choices] for p in policy.parameters if p.kind == "word"]
            for choice in product(*words):
                judgement = judged.get((policy.name, tuple(word for _, word in choice)))
                self._variants[policy.name, choice] = _variant(policy, choice, judgement)

    def axis(self, axis: str) -> Mapping[str, Policy]:
        """The rows of one axis by name, in the registry's order."""
        return self._policies[axis]

    def policies(self) -> tuple[Policy, ...]:
        """Every row, axis by axis."""
        return tuple(policy for axis in AXES for policy in self._policies[axis].values())

    def combinations(self) -> tuple[Combination, ...]:
        """Every cell the registry has, forbidden ones included."""
        return tuple(self._combinations.values())

    def combination(self, link: str, find: str, splice: str) -> Combination:
        """The cell of three known names; one the registry leaves out is forbidden for what the link takes."""
        cell = self._combinations.get((link, find, splice))
        if cell is None:
            reason = f"{link} takes {'a' if self.takes_splice(link) else 'no'} splice rule"
            cell = Combination(link, find, splice, valid=False, published=False, reason=reason, no_forest=reason)
        return cell

    def variants(self) -> tuple[Variant, ...]:
        """Every standalone algorithm with every choice of its words, forbidden ones included."""
        return tuple(self._variants.values())

    def variant(self, name: str, values: Iterable[tuple[str, Value]]) -> Variant:
        """The standalone algorithm of a known name with these values of its parameters; numbers do not matter."""
        words = tuple((key, value) for key, value in values if isinstance(value, str))
        return self._variants[name, words]

    def takes_splice(self, link: str) -> bool:
        """Whether the link walks both paths and therefore needs a splice rule (Rem's)."""
        return any(c.link == link and c.splice and c.valid for c in self._combinations.values())

    def default_find(self, link: str) -> str:
        """The find meant by the link's bare name."""
        return DEFAULT_FIND.get(link, PLAIN_FIND)

    def default_splice(self, link: str) -> str:
        """The splice meant by the link's bare name, "" for a link that takes none."""
        return DEFAULT_SPLICE if self.takes_splice(link) else ""

    def axes_of(self, name: str) -> tuple[str, ...]:
        """Every axis that has a policy of this name, for error messages."""
        return tuple(axis for axis in AXES if name in self._policies[axis])


def show(value: Value) -> str:
    """A value in canonical text: the shortest digits that read back as the same number, without ``.0``."""
    if isinstance(value, float):
        text = repr(value)
        return text.removesuffix(".0")
    return str(value)


@cache
def registry() -> Registry:
    """The registry of this build."""
    from landbridge import _core

    return Registry(_core.policies(), _core.combinations(), _core.rounds())


def _show(value: object) -> str:
    return show(value) if isinstance(value, int | float) else repr(value)


def _variant(policy: Policy, words: tuple[tuple[str, str], ...], judged: Mapping[str, Any] | None) -> Variant:
    """The row with these words; rounds have the traits of the types that the words select."""
    traits = frozenset(policy.traits)
    if ("jump", "jump3") in words:  # ECL-CC's jumping that follows a path and writes nothing
        traits |= {"long_walks"}
    if judged is None:
        return Variant(policy.name, words, traits, valid=True, published=policy.published, reason="")
    traits |= {trait for trait in ("root_based", "by_hops") if judged[trait]}
    no_forest = str(judged["no_forest"])
    if not no_forest:
        traits |= {"forest"}
    if judged["rewrites"]:
        traits = traits - {"csr", "samples"} | {"rewrites"}
    reason = str(judged["reason"])
    published = bool(judged["published"])
    return Variant(policy.name, words, traits, not reason, published, reason, no_forest)


def _policy(row: Mapping[str, Any]) -> Policy:
    return Policy(
        axis=str(row["axis"]),
        name=str(row["name"]),
        code=str(row["code"]),
        summary=str(row["summary"]),
        parameters=tuple(_parameter(p) for p in row["parameters"]),
        engines=tuple(row["engines"]),
        stale=str(row["stale"]),
        reference=str(row["reference"]),
        traits=tuple(row["traits"]),
        published=bool(row["published"]),
    )


def _parameter(row: Mapping[str, Any]) -> Parameter:
    choices = tuple(row["choices"])
    kind, maximum = row["kind"], row["maximum"]
    if kind == "int" and maximum is None:
        maximum = LARGEST_INT
    return Parameter(
        name=str(row["name"]),
        kind=kind,
        default=row["default"],
        minimum=row["minimum"],
        maximum=maximum,
        choices=choices,
        codes=tuple(row["codes"]),
    )
