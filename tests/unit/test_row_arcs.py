"""The arcs of rows as edges, one by one and many at a time: all, or those of symmetric rows to smaller vertices."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.zoo import zoo

import landbridge

# Around what is compared at a time, and what waits for a kernel.
DEGREES = (0, 1, 2, 7, 15, 16, 17, 31, 33, 511, 512, 513, 1023, 1024, 1025, 2100)
PLANS = (
    "rem_cas(naive,split_one)",
    "rem_cas(naive,halve_one)@cpu(climb=on)",
    "async(halve)",
    "rem_lock(naive,halve_one)",
)
SAMPLED = (
    "kout(3)+rem_cas(naive,split_one)@cpu(adapt=on)",
    "kout(3)+rem_cas(naive,split_one)@cpu(adapt=on,ids=wide)",
    "kout(5)+async(halve)@cpu(adapt=on)",
    "kout(20)+async(halve)@cpu(adapt=on)",
    "hb(2)+async(halve)@cpu(adapt=on)",
)


pytestmark = pytest.mark.usefixtures("vector_lanes")


def rows_of(
    u: Any, v: Any, n: int, types: tuple[str, str], symmetric: bool, *, rng: np.random.Generator | None = None
) -> Any:
    """Rows, symmetric or of each edge as it is; with a generator their neighbours in any order."""
    x, y = (np.concatenate([u, v]), np.concatenate([v, u])) if symmetric else (u, v)
    order = np.lexsort((y if rng is None else rng.random(len(y)), x))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(x, minlength=n))])
    return landbridge.CSR(offsets.astype(types[0]), y[order].astype(types[1]), symmetric=symmetric)


def hubs(rng: np.random.Generator) -> tuple[int, Any, Any]:
    """Rows of these degrees in any order, to vertices anywhere, to some twice and to themselves."""
    degrees = rng.permutation(DEGREES)
    n = 4000
    u = np.repeat(rng.choice(n, len(degrees), replace=False), degrees)
    return n, u, rng.integers(0, n, len(u))


@pytest.mark.parametrize("offset_type", ["int32", "int64"])
@pytest.mark.parametrize("id_type", ["int32", "int64"])
@pytest.mark.parametrize("symmetric", [False, True], ids=["directed", "symmetric"])
def test_rows_of_any_length(offset_type: str, id_type: str, symmetric: bool) -> None:
    rng = np.random.default_rng(3)
    for threads, share in product((1, 2), (0.02, 0.2, 1.0)):  # where few are kept, one that is lost shows
        n, u, v = hubs(rng)
        keep = rng.random(len(u)) < share
        expected = landbridge.components((u[keep], v[keep]), num_vertices=n, plan="serial_search", device="cpu")
        rows = rows_of(u[keep], v[keep], n, (offset_type, id_type), symmetric, rng=rng)
        for plan in PLANS:
            for text in (plan, wide(plan)):
                result = landbridge.components(rows, plan=text, threads=threads)
                assert np.array_equal(result.labels, expected.labels), text
                forest = landbridge.spanning_forest(rows, plan=text, threads=threads)
                landbridge.check_forest(landbridge.Graph(rows), forest)


def wide(plan: str) -> str:
    return plan.removesuffix(")") + ",ids=wide)" if "@" in plan else plan + "@cpu(ids=wide)"


@pytest.mark.parametrize("id_type", ["int32", "int64"])
def test_specimens(id_type: str) -> None:
    for specimen in zoo():
        for plan, symmetric in product(PLANS, (False, True)):
            rows = rows_of(specimen.u, specimen.v, specimen.n, ("int64", id_type), symmetric)
            result = landbridge.components(rows, plan=plan, threads=1)
            assert np.array_equal(result.labels, specimen.answer), (specimen.name, plan)
            landbridge.check_forest(rows, landbridge.spanning_forest(rows, plan=plan, threads=1))


@pytest.mark.parametrize("id_type", ["int32", "int64"])
@pytest.mark.parametrize("symmetric", [False, True], ids=["directed", "symmetric"])
def test_arcs_that_a_sample_has_united_are_left_out(id_type: str, symmetric: bool) -> None:
    """Clusters of 4 to 40 vertices, in rows of any order, of which few arcs join only a part."""
    rng = np.random.default_rng(5)
    for most, degree in product((4, 12, 40), (3, 20)):
        bounds = np.append(np.cumsum(rng.integers(1, most, 300)), 300 * most)
        which = rng.integers(0, len(bounds) - 1, 300 * degree)
        begin, size = bounds[which], bounds[which + 1] - bounds[which]
        u, v = (begin + rng.integers(0, np.minimum(size, most)) for _ in "uv")
        n = int(bounds[-1])
        expected = landbridge.components((u, v), num_vertices=n, plan="serial_search", device="cpu")
        rows = rows_of(u, v, n, ("int64", id_type), symmetric, rng=rng)
        for plan, threads in product(SAMPLED, (1, 2)):
            result = landbridge.components(rows, plan=plan, threads=threads)
            assert np.array_equal(result.labels, expected.labels), plan
            assert any(turn.startswith("united all edges") for turn in result.profile.turns), plan
            landbridge.check_forest(rows, landbridge.spanning_forest(rows, plan=plan, threads=threads))
