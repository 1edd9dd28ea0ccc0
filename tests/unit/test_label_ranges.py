"""Components are numbered in ranges of vertices by several threads; how depends on where parents lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import landbridge

SMALL = 6 * 2**14 + 77  # vertices: several chunks of a pass, the last one short
LARGE = 2**19 + 77  # so many that several threads number them, whatever the roots
Ids = NDArray[np.int64]


def near(draw: np.random.Generator, n: int) -> tuple[Ids, Ids]:
    """Most components inside a chunk."""
    u = np.flatnonzero(draw.random(n - 3) < 0.6)
    return u, u + draw.integers(1, 4, len(u))


def scattered(draw: np.random.Generator, n: int) -> tuple[Ids, Ids]:
    """Components of a few vertices that lie anywhere."""
    order = draw.permutation(n)
    joined = np.flatnonzero(draw.random(n - 1) < 0.6)
    return order[joined], order[joined + 1]


def large(draw: np.random.Generator, n: int) -> tuple[Ids, Ids]:
    """One large tree, and others."""
    return draw.integers(0, n, n), draw.integers(0, n, n)


def below(draw: np.random.Generator, n: int) -> tuple[Ids, Ids]:
    """Trees of the second half that hang below vertices of the first chunk."""
    u = np.arange(n // 2, n)
    return u, draw.integers(0, 2**14, len(u))


def one(draw: np.random.Generator, n: int) -> tuple[Ids, Ids]:
    """One tree."""
    order = draw.permutation(n)
    return order[1:], order[draw.integers(0, np.arange(1, n))]


def trees(draw: np.random.Generator, n: int) -> tuple[Ids, Ids]:
    """A few hundred trees of vertices that lie anywhere."""
    order = draw.permutation(n)
    joined = np.arange(300, n)
    return order[joined], order[joined % 300]


def none(_: np.random.Generator, n: int) -> tuple[Ids, Ids]:
    """No edges but one, of the last vertex."""
    return np.array([n - 1]), np.array([n - 1])


PLANS = (
    "auto",
    "rem_cas(naive,halve_one)",
    "async(naive)@cpu(ids=wide)",
    "jtb(two_try)",
    "kout(2)+rem_cas(naive,split_one)@cpu(layout=csr)",
    "hb(2)+async(halve)@cpu(layout=csr,ids=wide)",
)


def judge(edges: tuple[Ids, Ids], n: int, plans: tuple[str, ...], threads: int) -> None:
    u, v = edges
    _, other = connected_components(coo_array((np.ones(len(u), bool), (u, v)), shape=(n, n)), directed=False)
    _, first, of = np.unique(other, return_index=True, return_inverse=True)
    expected = np.argsort(np.argsort(first))[of]
    for plan in plans:
        result = landbridge.components((u, v), num_vertices=n, plan=plan, threads=threads)
        assert result.count == len(first)
        assert np.array_equal(result.labels, expected), plan


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("edges", [near, scattered, large, below, one, trees, none])
def test_components_are_numbered_by_their_smallest_vertices(
    edges: Callable[[np.random.Generator, int], tuple[Ids, Ids]], threads: int
) -> None:
    judge(edges(np.random.default_rng(31), SMALL), SMALL, PLANS, threads)


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("edges", [scattered, one, trees])
def test_many_vertices(edges: Callable[[np.random.Generator, int], tuple[Ids, Ids]], threads: int) -> None:
    judge(edges(np.random.default_rng(32), LARGE), LARGE, PLANS[1:3], threads)
