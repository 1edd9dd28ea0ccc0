"""A tour of the zoo: which cells a suite visits, graph by graph, and when it stops."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.suites import Suite
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


class Patience:
    """Foresees how long a contestant takes from what it took an edge on a smaller graph of the same kind."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._rates: dict[tuple[str, ...], float] = {}

    @staticmethod
    def _key(of: Cell, contestant: str) -> tuple[str, ...]:
        return of.structure, of.order, of.form, contestant

    def has_for(self, of: Cell, contestant: str) -> bool:
        """Whether it is likely to end within the limit."""
        return self._rates.get(self._key(of, contestant), 0.0) * of.edges <= self.limit

    def learn(self, of: Cell, contestant: str, seconds: float) -> None:
        self._rates[self._key(of, contestant)] = seconds / of.edges


Measure = Callable[[Drawn, Cell], None]
