"""The axes of the matrix beside plans and graphs, and the fixed rota that spreads them over one short run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product

from oracles.zoo import Specimen

import landbridge
from landbridge import Graph
from landbridge.plan import Engine, Plan, parse

PLANS = landbridge.plans(problem="components", engine="cpu", extended=True)
DTYPES = ("int32", "int64")
THREADS = (1, 2, 3)
IDS = ("narrow", "wide")


@dataclass(frozen=True)
class Configuration:
    """dtype: of the ids handed in. ids: the width the engine computes with."""

    dtype: str
    threads: int
    ids: str


LONGEST = 10**8

CONFIGURATIONS = tuple(Configuration(*each) for each in product(DTYPES, THREADS, IDS))


@lru_cache(maxsize=256)
def graph_of(specimen: Specimen, layout: str, dtype: str, promise: bool = True) -> Graph:
    return specimen.graph(layout, dtype, promise=promise)


def with_ids(text: str, ids: str) -> Plan:
    """The plan of a text, with the width to compute with."""
    plan = parse(text)
    engine = plan.engine if plan.engine is not None else Engine("cpu")
    return Plan(plan.sample, plan.finish, Engine(engine.name, (*engine.options, ("ids", ids))))


@cache
def by_hops(text: str) -> bool:
    return "by_hops" in parse(text).finish.traits


def bearable(text: str, specimen: Specimen) -> bool:
    """False for the few long paths that labels travel one edge per round: minutes, which the full product has."""
    return not by_hops(text) or specimen.hops * (specimen.n + len(specimen.u)) < LONGEST


def rota(plan_number: int, specimens: tuple[Specimen, ...]) -> Iterator[tuple[Specimen, Configuration]]:
    """Every specimen once, the configurations taking turns; plans start at different places."""
    for i, specimen in enumerate(specimens):
        yield specimen, CONFIGURATIONS[(i + 5 * plan_number) % len(CONFIGURATIONS)]
