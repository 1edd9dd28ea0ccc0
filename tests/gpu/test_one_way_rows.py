"""Rows that need not be symmetric, behind a sample: those outside the largest tree, then edges to what is left."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.reference import by_scipy

import landbridge
from landbridge.engine.gpu.schedule import MANY
from landbridge.plan import parse
from landbridge.profile import ALL_ROWS_READ

pytestmark = pytest.mark.gpu

N = 20_000
BALANCES = ("tile", "worklist", "thread", "warp", "block", "gather", "edge")
PLANS = (
    "kout(2)+rem_cas(naive,halve_one)",
    "kout(2)+rem_cas(naive,splice)@gpu(merge=near)",
    "hb(4)+async(halve)",
    "bfs+rem_cas(naive,split_one)",
    "ldd(0.2)+ecl(halve)",
    "kout(2)+jtb(two_try)",
    "kout(2)+label_propagation",
)


def rows(u: Any, v: Any, n: int, types: tuple[str, str] = ("int64", "int32")) -> landbridge.CSR:
    """A CSR in device memory of which nothing is said."""
    from landbridge.device import cuda

    cupy = cuda.cupy()
    order = np.lexsort((v, u))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n))])
    return landbridge.CSR(cupy.asarray(offsets.astype(types[0])), cupy.asarray(v[order].astype(types[1])))


def dense(n: int) -> tuple[Any, Any]:
    u, v = np.random.default_rng(1).integers(0, n, (2, 12 * n))
    return np.concatenate([u, v]), np.concatenate([v, u])


def expect(u: Any, v: Any, n: int, plan: str, types: tuple[str, str] = ("int64", "int32")) -> landbridge.Components:
    answer = landbridge.components(rows(u, v, n, types), plan=plan)
    assert np.array_equal(answer.labels.get(), by_scipy(n, u, v)), plan
    return answer


@pytest.mark.parametrize("balance", BALANCES)
def test_all_rows_are_read_only_if_vertices_remain(balance: str) -> None:
    u, v = dense(N)
    plan = f"hb(0)+rem_cas(naive,halve_one)@gpu(balance={balance})"
    for n, turns in ((N, ()), (N + 3, (ALL_ROWS_READ,))):
        graph = landbridge.Graph(rows(u, v, n))
        for _ in range(4):  # captured, then replayed
            answer = landbridge.components(graph, plan=plan)
            assert (answer.count, answer.profile.turns) == (n - N + 1, turns)
            assert answer.profile.skipped == 0 if turns else 0 < answer.profile.skipped < 1
        assert landbridge.spanning_forest(graph, plan=plan).profile.turns == turns
    joined = landbridge.components(rows(u, v, N), plan=f"ldd(0.2)+rem_cas(naive,halve_one)@gpu(balance={balance})")
    assert (joined.count, joined.profile.turns) == (1, ())


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("plan", ["kout(2)+rem_cas(naive,halve_one)", "hb(1)+rem_cas(naive,splice)"])
def test_long_paths_and_long_rows_outside(plan: str, balance: str) -> None:
    # Walks along the path are cut off or given up; rows of every length lie outside the largest tree, and lead from it.
    rng = np.random.default_rng(2)
    k = 8 * N
    u, v = dense(k)
    path = np.arange(k, k + 300_000)
    degrees = np.array([1, 15, 17, 352, 353, 1000, 40_000])
    hubs = np.repeat(k + 300_000 + np.arange(len(degrees)), degrees)
    first = k + 300_007
    alone = np.arange(first, first + 5000)
    u = np.concatenate([u, path[:-1], path[::3], hubs, rng.integers(0, k, 5000), hubs[:1]])
    v = np.concatenate([v, path[1:], path[::3] - 2, rng.integers(k, first, len(hubs)), alone, [0]])
    expect(u, v, first + 6000, f"{plan}@gpu(balance={balance})")


@pytest.mark.parametrize("choice", ["first", "pure", "hybrid", "max_degree"])
def test_choices_of_edges_and_wide_ids(choice: str) -> None:
    u, v = dense(N)
    u, v = np.concatenate([u, np.arange(500)]), np.concatenate([v, np.arange(N, N + 500)])
    for options in ("", "@gpu(ids=wide)", "@gpu(adapt=on)"):
        expect(u, v, N + 600, f"kout(2,{choice})+rem_cas(naive,halve_one){options}")


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("types", list(product(("int32", "int64"), repeat=2)), ids="-".join)
def test_vertices_that_edges_alone_lead_to(plan: str, types: tuple[str, str]) -> None:
    # Behind the dense part: vertices without rows, single ones, pairs and a path, each named by another vertex alone.
    rng = np.random.default_rng(5)
    u, v = dense(N)
    n = N + 600
    path = np.arange(N + 300, N + 400)
    u = np.concatenate([u, rng.integers(0, N, 150), path[:-1], rng.integers(0, N, 1), [N + 450]])
    v = np.concatenate([v, np.arange(N, N + 150), path[1:], path[50:51], [N + 451]])
    expect(u, v, n, plan, types)
    if "label_propagation" not in plan:
        for balance in BALANCES:
            rest = f"balance={balance}," if "@" in plan else f"@gpu(balance={balance})"
            expect(u, v, n, plan.replace("(merge", f"({rest}merge") if "@" in plan else plan + rest, types)
    if not parse(plan).finish.no_forest:
        graph = landbridge.Graph(rows(u, v, n, types))
        landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan=plan))


@pytest.mark.parametrize("seed", range(6))
def test_directed_graphs_of_every_density(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60_000))
    u, v = rng.integers(0, n, (2, int(rng.integers(0, 8 * n))))
    up = np.minimum(u, v), np.maximum(u, v)
    for a, b in ((u, v), up, up[::-1]):
        for plan in ("auto", *PLANS):
            expect(a, b, n, plan)


@pytest.mark.parametrize("plan", [plan for plan in PLANS if "label_propagation" not in plan])
@pytest.mark.parametrize("leaving", [0, 3, 2000, 400_000])
def test_many_edges_are_read_with_their_rows_or_without(plan: str, leaving: int) -> None:
    # So many edges lead out of the dense part, to vertices without rows: to none, a few, one in a thousand, one in ten.
    rng, inside = np.random.default_rng(leaving), 200_000
    u, v = dense(inside)
    n = inside + 300_000
    u = np.concatenate([u, rng.integers(0, inside, leaving), np.arange(n - 100, n - 1)])
    v = np.concatenate([v, rng.integers(inside, n - 200, leaving), np.arange(n - 99, n)])
    assert len(u) >= MANY
    answer = expect(u, v, n, plan)
    assert answer.profile.turns == (ALL_ROWS_READ,)
    if not parse(plan).finish.no_forest:
        graph = landbridge.Graph(rows(u, v, n))
        landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan=plan))
