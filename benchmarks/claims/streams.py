"""Claim A8 of the study of sampling and linking on GPUs: the cost of streams, by rule, batch and share of queries."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.claims.claim import Claim, Finding, Races, ratio, times, verdict
from benchmarks.claims.connectivity import far
from benchmarks.tables import geometric_mean

BASE = "async(compress)"
REM = "rem_cas(naive,split_one)"
IN_ROUNDS = {"shiloach_vishkin": "shiloach_vishkin", "liu_tarjan": "lt(parent,root,full)"}
OTHERS = {
    "rem_cas": REM,
    "jtb": "jtb(two_try)",
    "hooks": "hooks(compress)",
    "rem_lock": "rem_lock(naive,split_one)",
    **IN_ROUNDS,
}

FEW = 10**6
"""Edges of the streams in batches of every size."""

SMALL = 100
SIZES = (SMALL, 10**4, 10**5, 0)
"""Operations in a batch; 0 is all of them."""

MIXED = 10**5
QUERIES = 10


def by_size(races: Races, plans: dict[str, str]) -> dict[str, dict[int, float]]:
    """Of each plan and size of batch: seconds over those of its best size, geometric mean over the graphs."""
    over: dict[str, dict[int, list[float]]] = {name: {size: [] for size in SIZES} for name in plans}
    for graph in races.graphs:
        rows = {size: races.stream(graph, tuple(plans.values()), few=FEW, batch=size) for size in SIZES}
        for name, plan in plans.items():
            known = {size: row[plan] for size, row in rows.items() if plan in row}
            for size, seconds in known.items():
                over[name][size].append(seconds / min(known.values()))
    return {name: {size: geometric_mean(values) for size, values in row.items()} for name, row in over.items()}


def with_queries(races: Races, graphs: Sequence[str]) -> dict[str, float]:
    """How many times as many operations per second a stream takes with ten queries to each insert as without."""
    gains = {}
    for graph in graphs:
        alone, mixed = (races.stream(graph, (BASE,), batch=MIXED, queries=q).get(BASE) for q in (0, QUERIES))
        if alone is not None and mixed is not None:
            gains[graph] = alone / mixed
    return gains


def streams(races: Races) -> Finding:
    rows = [races.stream(graph, (BASE, *OTHERS.values())) for graph in races.graphs]
    over = {
        name: geometric_mean(row[plan] / row[BASE] for row in rows if plan in row and BASE in row)
        for name, plan in OTHERS.items()
    }
    static = geometric_mean(ratio(races, REM, BASE, races.graphs).values())
    sizes = by_size(races, {"async": BASE, **IN_ROUNDS})
    small = min(row[SMALL] for row in sizes.values())
    large = {name: sizes[name][0] for name in IN_ROUNDS}
    gains = with_queries(races, far(races))
    shown = ", ".join(f"{name} {times(value)}" for name, value in over.items())
    slower = ", ".join(f"{name} {times(row[SMALL])}" for name, row in sizes.items())
    whole = ", ".join(f"{name} {times(value)}" for name, value in large.items())
    return Finding(
        verdict(
            [
                all(value > 1 for value in over.values()),
                over["rem_cas"] > 1.5 * static,
                small > 1.5,
                all(value > 1.05 for value in large.values()),
                bool(gains) and min(gains.values()) > 1,
            ]
        ),
        f"A stream in one batch, time over async(compress) in geometric mean: {shown}; rem_cas on the whole graph at "
        f"once {times(static)} (published 3.41x and 1.02x). Over the best size of batch, batches of {SMALL}: {slower}; "
        f"one batch of all, up to a million edges: {whole}. Ten queries to each insert make "
        f"{times(min(gains.values(), default=math.nan))} to {times(max(gains.values(), default=math.nan))} as many "
        "operations per second on graphs of large diameter.",
        {f"{name} over async(compress) in a stream": value for name, value in over.items()}
        | {"rem_cas over async(compress) on the whole graph": static}
        | {
            f"{name}, batches of {size or 'all'} over the best": value
            for name, row in sizes.items()
            for size, value in row.items()
        }
        | {f"operations per second with ten queries over none, {graph}": gain for graph, gain in gains.items()},
    )


CLAIMS = (
    Claim(
        "A8", "in streams async is best, and rem_cas much worse than statically; small batches cost, in rounds very "
        "large ones too; queries help where paths are long",
        "hong2020", ("cpu", "gpu"), streams,
    ),
)  # fmt: skip
