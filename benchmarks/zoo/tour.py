"""A tour of the zoo: which cells a suite visits, graph by graph, and when it stops."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log
from typing import Any

import numpy as np

from benchmarks.sink import Sink
from benchmarks.suites import Suite
from benchmarks.tables import AUTO
from benchmarks.zoo.cells import Cell, Drawn, cells, draw, sample
from benchmarks.zoo.numbers import permutation

Graph = tuple[str, str, str]


def visited(suite: Suite) -> list[Cell]:
    """The cells of a suite, in the order of its patterns; a sample of them if it says so. Raises ValueError."""
    every = list(dict.fromkeys(one for pattern in suite.cells for one in cells(pattern)))
    return sample(every, suite.sample, suite.seed) if suite.sample else every


def by_graph(of: Sequence[Cell], seed: int) -> dict[Graph, list[Cell]]:
    """Cells of the same vertices and edges together, small ones first, graphs of a size at random."""
    groups: dict[Graph, list[Cell]] = {}
    for one in of:
        groups.setdefault(one.graph, []).append(one)
    names = list(groups)
    mixed = [names[i] for i in permutation(np, len(names), seed)]
    return {name: groups[name] for name in sorted(mixed, key=lambda name: float(name[2]))}


def tour(suite: Suite, xp: Any) -> Iterator[tuple[Drawn, list[Cell]]]:
    """Draw the graphs of a suite one after another, each with its cells. Every size has its share of the seconds."""
    groups = by_graph(visited(suite), suite.seed)
    sizes = list(dict.fromkeys(size for _, _, size in groups))
    began = time.monotonic()
    for (_, _, size), of_graph in groups.items():
        share = suite.seconds * (sizes.index(size) + 1) / len(sizes)
        if time.monotonic() - began < share:
            yield draw(of_graph[0], xp, suite.seed), of_graph


SCOUTS = ("1e4", "1e5")
"""Sizes at which a contestant is tried, once, before a larger cell."""
SHORT_S = 0.003


class Patience:
    """Foresees how long a contestant takes on a cell, from how its time grows over the sizes that it has seen.

    A contestant that is foreseen to take longer than the limit, in seconds, is left out. Growth from one power of ten
    to the next is taken to go on, from ten times (linear) to a hundred times (quadratic).
    """

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._seen: dict[tuple[str, ...], dict[int, float]] = {}

    @staticmethod
    def _key(of: Cell, contestant: str) -> tuple[str, ...]:
        return of.structure, of.order, of.form, contestant

    def foreseen(self, of: Cell, contestant: str) -> float:
        """Seconds; 0 if nothing is known."""
        past = sorted(self._seen.get(self._key(of, contestant), {}).items())
        if not past:
            return 0.0
        size, seconds = past[-1]
        if seconds < SHORT_S or size >= of.edges:
            return seconds
        exponent = 1.5
        if len(past) > 1:
            smaller, before = past[-2]
            exponent = log(seconds / before) / log(size / smaller)
        return float(seconds * (of.edges / size) ** min(max(exponent, 1.0), 2.0))

    def has_for(self, of: Cell, contestant: str) -> bool:
        """Whether it is likely to end within the limit."""
        return self.foreseen(of, contestant) <= self.limit

    def learn(self, of: Cell, contestant: str, seconds: float) -> None:
        """Record the time of a cell."""
        self._seen.setdefault(self._key(of, contestant), {})[of.edges] = seconds

    def gave_up(self, of: Cell, contestant: str) -> None:
        """A contestant that fails is not asked again on larger cells."""
        self.learn(of, contestant, float("inf"))


def scouts(of: Cell) -> list[Cell]:
    """Smaller cells of the same structure, order and form."""
    return [replace(of, size=size) for size in SCOUTS if float(size) < of.edges / 5]


def say_left_out(sink: Sink, of: Cell, contestant: str, seconds: float) -> None:
    """A contestant that is left out is said; of landbridge's own choice it is a failure."""
    text = f"{of}: {contestant} is left out, {seconds:.1f} s foreseen"
    (sink.fail if contestant == AUTO else sink.say)(text)
