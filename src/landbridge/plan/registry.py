"""The registry of policies as Python sees it: a typed, read-only view of the tables compiled into the core.

The rows themselves are written once, in ``include/landbridge/policy/registry.def``; grammar, dataclasses and
enumeration read them here and list nothing again. Only two facts are the plan language's own and stand in
this file: which find and splice a text means when it leaves them out, and which options an engine takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

Value = int | float | str
Kind = Literal["int", "float", "word"]

AXES = ("sample", "find", "splice", "link", "finish")
"""Every axis of the design space. A ``finish`` row is a whole algorithm that takes no find, such as bfscc."""

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
    """

    name: str
    kind: Kind
    default: Value | None = None
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    above: float | None = None

    def convert(self, value: object) -> Value:
        """The value in this parameter's type. Raises ValueError with the rule it breaks, in words."""
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if self.kind == "word":
            if not isinstance(value, str) or value not in self.choices:
                raise ValueError(f"{self.name} is one of {', '.join(self.choices)}, not {_show(value)}")
            return value
        if not number or not isinstance(value, int | float):
            raise ValueError(f"{self.name} is a number, not {_show(value)}")
        if self.kind == "int" and not isinstance(value, int):
            raise ValueError(f"{self.name} is a whole number, not {_show(value)}")
        if self.kind == "float" and not math.isfinite(value):
            raise ValueError(f"{self.name} is a finite number, not {_show(value)}")
        if self.minimum is not None and value < self.minimum:
            raise ValueError(f"{self.name} is at least {show(self.minimum)}, not {_show(value)}")
        if self.above is not None and value <= self.above:
            raise ValueError(f"{self.name} is greater than {show(self.above)}, not {_show(value)}")
        if self.maximum is not None and value > self.maximum:
            raise ValueError(f"{self.name} is at most {show(self.maximum)}, not {_show(value)}")
        return int(value) if self.kind == "int" else float(value)


@dataclass(frozen=True, slots=True)
class Policy:
    """One row of the registry.

    code: the short code of the papers' tables. stale: whether the rule tolerates old values ("tolerates") or
    needs fresh ones ("fresh"). reference: the key of its source in REFERENCES.bib.
    """

    axis: str
    name: str
    code: str
    summary: str
    parameters: tuple[Parameter, ...]
    engines: tuple[str, ...]
    stale: str
    reference: str


@dataclass(frozen=True, slots=True)
class Combination:
    """One cell of link x find x splice ("" where the link takes none), and why it is forbidden if it is."""

    link: str
    find: str
    splice: str
    valid: bool
    published: bool
    reason: str


LARGEST_INT = 2**31 - 1
"""The largest whole number of a parameter without a maximum of its own: the core holds it in 32 bits."""

DEFAULT_STAGE = 0.5
STAGE_FRACTION = Parameter("q", "float", default=DEFAULT_STAGE, above=0.0)
"""The size of a stage: q times the number of vertices, in edges."""

ENGINES: Mapping[str, tuple[Parameter, ...]] = {
    "cpu": (
        Parameter("ids", "word", choices=("narrow", "wide")),
        Parameter("layout", "word", choices=("csr", "coo")),
        Parameter("seed", "int", minimum=0, maximum=2**64 - 1),
        Parameter("threads", "int", minimum=1, maximum=65535),
    ),
    "gpu": (
        Parameter("arcs", "word", choices=("vertex", "coalesced", "reorganised")),
        Parameter("balance", "word", choices=("tile", "worklist", "thread", "warp", "block")),
        Parameter("device", "int", minimum=0, maximum=65535),
        Parameter("fuse", "word", choices=("off", "block")),
        Parameter("ids", "word", choices=("narrow", "wide")),
        Parameter("layout", "word", choices=("csr", "coo")),
        Parameter("merge", "word", choices=("off", "warp")),
        Parameter("reads", "word", choices=("fresh", "stale")),
        Parameter("seed", "int", minimum=0, maximum=2**64 - 1),
        Parameter("start", "word", choices=("self", "hook")),
    ),
}
"""What each engine can be told, in alphabetical order, which is the order of the canonical text."""


class Registry:
    """All policies and all combinations, looked up by name. Built from the core's two tables."""

    def __init__(self, policies: Iterable[Mapping[str, Any]], combinations: Iterable[Mapping[str, Any]]) -> None:
        self._policies: dict[str, dict[str, Policy]] = {axis: {} for axis in AXES}
        for row in policies:
            policy = _policy(row)
            self._policies[policy.axis][policy.name] = policy
        self._combinations: dict[tuple[str, str, str], Combination] = {}
        for row in combinations:
            cell = Combination(
                str(row["link"]), str(row["find"]), str(row["splice"]),
                bool(row["valid"]), bool(row["published"]), str(row["reason"]),
            )  # fmt: skip
            self._combinations[cell.link, cell.find, cell.splice] = cell

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
            cell = Combination(link, find, splice, valid=False, published=False, reason=reason)
        return cell

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

    return Registry(_core.policies(), _core.combinations())


def _show(value: object) -> str:
    return show(value) if isinstance(value, int | float) else repr(value)


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
    )
