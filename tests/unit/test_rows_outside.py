"""Rows that need not be symmetric, behind a sample: those outside the largest tree, then arcs to what is left."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.reference import by_scipy

import landbridge
from landbridge.plan import parse
from landbridge.profile import ALL_ROWS_READ

N = 6_000
PLANS = (
    "hb(4)+rem_cas(naive,split_one)@cpu(adapt=on)",
    "hb(4)+ecl(halve)@cpu(adapt=on)",
    "kout(2)+rem_cas(naive,halve_one)@cpu(owners=on)",
    "kout(2)+jtb(two_try)",
    "bfs+hooks(halve)",
    "kout(2)+rem_lock(naive,halve_one)",
)


def rows(u: Any, v: Any, n: int, types: tuple[str, str] = ("int64", "int32")) -> landbridge.CSR:
    """A CSR of which nothing is said."""
    order = np.lexsort((v, u))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n))])
    return landbridge.CSR(offsets.astype(types[0]), v[order].astype(types[1]))


def dense(n: int, seed: int = 1) -> tuple[Any, Any]:
    return tuple(np.random.default_rng(seed).integers(0, n, (2, 12 * n)))


def both(u: Any, v: Any) -> tuple[Any, Any]:
    return np.concatenate([u, v]), np.concatenate([v, u])


def test_all_rows_are_read_only_if_vertices_remain() -> None:
    u, v = both(*dense(N))
    answer = landbridge.components(rows(u, v, N), plan=PLANS[0])
    assert (answer.count, answer.profile.turns) == (1, ())
    assert answer.profile.skipped < 1  # some rows lay outside
    with_isolated = landbridge.components(rows(u, v, N + 3), plan=PLANS[0])
    assert (with_isolated.count, with_isolated.profile.turns) == (4, (ALL_ROWS_READ,))
    assert with_isolated.profile.skipped == 0
    in_rounds = landbridge.components(rows(u, v, N + 3), plan="kout(2)+label_propagation")
    assert (in_rounds.count, in_rounds.profile.skipped) == (4, 0)
    graph = landbridge.Graph(rows(u, v, N + 3), symmetric=True)
    answer = landbridge.components(graph, plan=PLANS[0])
    assert (answer.count, answer.profile.turns) == (4, ())


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("types", list(product(("int32", "int64"), repeat=2)), ids="-".join)
def test_vertices_that_arcs_alone_lead_to(plan: str, types: tuple[str, str], vector_lanes: None) -> None:
    # Behind the last vertices of the dense part: ones without rows, single ones, pairs and a path of their own, each
    # named by another vertex alone.
    rng = np.random.default_rng(5)
    u, v = both(*dense(N))
    n = N + 600
    named = np.arange(N, N + 200)
    path = np.arange(N + 300, N + 400)
    heads = np.concatenate([u, rng.integers(0, N, 150), path[:-1], rng.integers(0, N, 1), [N + 450]])
    tails = np.concatenate([v, named[:150], path[1:], path[50:51], [N + 451]])
    expected = by_scipy(n, heads, tails)
    wide = plan.replace("@cpu(", "@cpu(ids=wide,") if "@" in plan else plan + "@cpu(ids=wide)"
    for threads, text in product((1, 2), (plan, wide)):
        answer = landbridge.components(rows(heads, tails, n, types), plan=text, threads=threads)
        assert np.array_equal(answer.labels, expected), (text, threads)
    if not parse(plan).finish.no_forest:
        graph = landbridge.Graph(rows(heads, tails, n, types))
        landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan=plan, threads=2))


def test_paths_outside_are_shortened_once() -> None:
    # Each row outside hangs a path of all before it below one vertex more: a walk for each would take 2 x 10^8 steps.
    k = 20_000
    path = np.stack([k - np.arange(k), k - np.arange(k) - 1], axis=1).ravel()
    u, v = (2 * k + 1 + column for column in both(*dense(8 * k)))
    graph = rows(np.concatenate([np.repeat(np.arange(k + 1, 2 * k + 1), 2), u]), np.concatenate([path, v]), 10 * k + 1)
    for plan in PLANS[:2]:
        answers = [landbridge.components(graph, plan=plan, threads=2) for _ in range(3)]
        assert {answer.count for answer in answers} == {2}
        assert min(answer.profile.seconds["finish"] for answer in answers) < 0.15, (
            plan
        )  # 0.6 s by walks, 0.005 s without


@pytest.mark.parametrize("seed", range(8))
def test_directed_graphs_of_every_density(seed: int, vector_lanes: None) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5000))
    m = int(rng.integers(0, 8 * n))
    u, v = rng.integers(0, n, (2, m))
    for order in ("any", "up", "down"):
        a, b = (u, v) if order == "any" else (np.minimum(u, v), np.maximum(u, v))
        a, b = (b, a) if order == "down" else (a, b)
        expected = by_scipy(n, a, b)
        for plan in ("auto", *PLANS):
            answer = landbridge.components(rows(a, b, n), plan=plan, threads=2, device="cpu")
            assert np.array_equal(answer.labels, expected), (seed, order, plan)
