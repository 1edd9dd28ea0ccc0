"""What a claim is, and what a check of it gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

HOLDS, PARTLY, FAILS = "holds", "holds in part", "does not hold"


@dataclass(frozen=True)
class Finding:
    """verdict: one of the three words above. says: one sentence with the figures in it. figures: the measured
    ratios of the verdict, by what they compare.
    """

    verdict: str
    says: str
    figures: dict[str, float] = field(default_factory=dict)


class Races(Protocol):
    """Measured times on one engine. Every timed answer was checked; a plan that took longer than the limit, or does not
    exist on this engine, has no time.
    """

    engine: str
    graphs: Sequence[str]

    def degree(self, graph: str) -> float:
        """Arcs per vertex, of the simple symmetric graph."""

    def seconds(self, graph: str, plans: Sequence[str], problem: str = "components") -> dict[str, float]:
        """Median seconds of each plan; they took turns. `problem`: "components" or "forest"."""

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        """The share of vertices that sampling let the finish skip, and seconds by phase."""

    def stream(
        self, graph: str, plans: Sequence[str], few: int = 0, batch: int = 0, queries: int = 0
    ) -> dict[str, float]:
        """Median seconds an operation of each plan; they took turns. The stream is the graph's edges in random order,
        the first `few` of them (0: all), with `queries` queries to each, in batches of `batch` (0: a single one).
        """

    def rounds(self, text: str, plan: str) -> tuple[int, float]:
        """The vertices of the graph that the generator makes of `text`, and the median number of rounds."""

    def shares(self, text: str, shares: Sequence[float]) -> dict[float, float]:
        """Seconds of the published hybrid components with each share of the processor, behind the division, on the
        graph that the generator makes of `text`.
        """

    def path_length(self, graph: str) -> tuple[float, int]:
        """Mean and largest number of hops of a find in ECL-CC."""

    def sort_and_gather(self) -> tuple[float, float]:
        """Seconds to sort many random accesses by address, and to make them unsorted."""


@dataclass(frozen=True)
class Claim:
    """id: as in the published lists. text: what is claimed. source: a key of REFERENCES.bib. engines: where it can be
    tested.
    """

    id: str
    text: str
    source: str
    engines: tuple[str, ...]
    check: Callable[[Races], Finding]


def ratio(races: Races, slow: str, fast: str, graphs: Iterable[str], problem: str = "components") -> dict[str, float]:
    """Seconds of `slow` over those of `fast` on each graph on which both have a time."""
    ratios = {}
    for graph in graphs:
        seconds = races.seconds(graph, (slow, fast), problem)
        if slow in seconds and fast in seconds:
            ratios[graph] = seconds[slow] / seconds[fast]
    return ratios


def verdict(parts: Sequence[bool]) -> str:
    """Holds if all parts do, fails if none does."""
    return HOLDS if all(parts) else PARTLY if any(parts) else FAILS


def times(value: float) -> str:
    """A ratio with three digits, more than any of these measurements carry."""
    return "unmeasured" if math.isnan(value) else f"{value:.3g}x"
