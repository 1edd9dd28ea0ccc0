"""Whether several processors pay: from the sizes, the place of the edges, and measured rates of processors and links.

A run that is not divided by name is divided only where the rates say that it ends a good deal sooner. When in doubt one
processor runs: an estimate that is too low by a tenth costs nothing then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from landbridge.edges.generators import generate
from landbridge.engine.parts.calibration import Store
from landbridge.engine.parts.processors import Processor
from landbridge.engine.parts.routes import transport_between
from landbridge.plan import parse

SEVERAL_FROM = 1 << 28
"""Edges below which no run is divided unasked: opening trees and merging them would be a large part of it."""
GAIN = 1.10
"""How many times faster than the best single processor a division has to look."""
PROBE_VERTICES, PROBE_EDGES = 1 << 20, 1 << 22
VERTICES_PER_EDGE = 1 / 4
"""Where only the edges are counted so far: more vertices make a merge look longer, not shorter."""
_PLAN = parse("rem_cas(naive,halve_one)")


@dataclass(frozen=True, slots=True)
class Rates:
    """What was measured of a processor. edges: united per second from the place of the edges. merge: seconds per vertex
    to bring its trees to the first processor."""

    edges: float
    merge: float


@dataclass(frozen=True, slots=True)
class Advice:
    """The processors that should share a run, one for a run that is not divided, and the reasons with their numbers."""

    places: tuple[int, ...]
    reasons: tuple[str, ...]

    @property
    def divides(self) -> bool:
        return len(self.places) > 1


def seconds_of(rates: Sequence[Rates], vertices: int, edges: int) -> float:
    """How long a run takes on these processors, the first of which gets the trees of the others."""
    merging = sum(rate.merge for rate in rates[1:]) * vertices
    return edges / sum(rate.edges for rate in rates) + merging


def advise(names: Sequence[str], rates: Sequence[Rates], singles: Sequence[Rates], vertices: int, edges: int) -> Advice:
    """The fastest group of processors, if it is `GAIN` times as fast as the best single one; else that one.

    rates: side by side, with the threads divided. singles: of each alone, with all threads.
    """
    every = range(len(rates))
    best = max(every, key=lambda place: singles[place].edges)
    alone = seconds_of([singles[best]], vertices, edges)
    measured = tuple(f"{names[place]} unites {rates[place].edges:.3g} edges/s" for place in every)
    if edges < SEVERAL_FROM or len(rates) < 2:
        return Advice((best,), (*measured, f"{edges} edges are too few to be divided"))
    groups = [
        (best, *others)
        for size in range(1, len(rates))
        for others in combinations([place for place in every if place != best], size)
    ]
    times = {group: seconds_of([rates[place] for place in group], vertices, edges) for group in groups}
    group = min(groups, key=lambda group: times[group])
    shown = " and ".join(names[place] for place in group)
    compared = f"{shown} would take {times[group]:.3g} s, {names[best]} alone {alone:.3g} s"
    if times[group] * GAIN > alone:
        return Advice((best,), (*measured, f"{compared}: one processor, unless {GAIN:g} times is gained"))
    return Advice(group, (*measured, compared))


def rates_of(processors: Sequence[Processor], on_device: bool, store: Store | None = None) -> list[Rates]:
    """The rates of processors for edges in host memory or on the first of them; measured where they are not stored."""
    store, probe = store or Store(), _Probe(on_device)
    first, result = processors[0], []
    for processor in processors:
        place = f"edges on {first.identity()}" if on_device else "edges in host memory"
        name = f"rates, {processor.identity()} beside {first.identity()}, {processor.threads} threads, {place}"
        numbers = store.get(name)
        if numbers is None:
            numbers = [measured_edges(processor, probe), measured_merge(processor, first)]
            store.put(name, numbers)
        result.append(Rates(*map(float, numbers)))
    return result


class _Probe:
    """Random edges, made when they are first needed."""

    def __init__(self, on_device: bool) -> None:
        self._on_device = on_device
        self._edges: tuple[Any, Any] | None = None

    def __call__(self) -> tuple[Any, Any]:
        if self._edges is None:
            edges: Any = generate(f"uniform({PROBE_VERTICES}, {PROBE_EDGES // PROBE_VERTICES})")
            u, v = (np.asarray(x).astype(np.int32) for x in (edges.u, edges.v))
            if self._on_device:
                from landbridge.device import cuda

                u, v = map(cuda.cupy().asarray, (u, v))
            self._edges = u, v
        return self._edges


def measured_edges(processor: Processor, probe: Callable[[], tuple[Any, Any]]) -> float:
    """Edges per second into trees of the processor, from where they are."""
    (u, v), best = probe(), float("inf")
    for _ in range(3):
        trees = processor.trees(processor.plan(_PLAN), PROBE_VERTICES, False, bulk=True)
        began = time.perf_counter()
        trees.insert(processor.adopt(u), processor.adopt(v))
        trees.close()
        int(trees.count)  # waits
        best = min(best, time.perf_counter() - began)
    return len(u) / best


def measured_merge(processor: Processor, first: Processor) -> float:
    """Seconds per vertex until the first processor has the trees of this one; 0 for itself."""
    if processor is first:
        return 0.0
    sender, receiver = (p.trees(p.plan(_PLAN), PROBE_VERTICES, False, bulk=True) for p in (processor, first))
    ids = np.arange(1, PROBE_VERTICES, dtype=np.int32)
    sender.insert(processor.adopt(ids), processor.adopt(ids - 1))
    sender.close()
    began = time.perf_counter()
    transport_between(first, processor).merge(receiver, sender, False)
    int(receiver.count)
    return (time.perf_counter() - began) / PROBE_VERTICES
