"""Components are numbered in ranges of vertices by several threads; how depends on where parents lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import landbridge

N = 6 * 2**14 + 77  # vertices: several chunks of a pass, the last one short
Ids = NDArray[np.int64]


def near(draw: np.random.Generator) -> tuple[Ids, Ids]:
    """Most components inside a chunk."""
    u = np.flatnonzero(draw.random(N - 3) < 0.6)
    return u, u + draw.integers(1, 4, len(u))


def scattered(draw: np.random.Generator) -> tuple[Ids, Ids]:
    """Components of a few vertices that lie anywhere."""
    order = draw.permutation(N)
    joined = np.flatnonzero(draw.random(N - 1) < 0.6)
    return order[joined], order[joined + 1]


def large(draw: np.random.Generator) -> tuple[Ids, Ids]:
    """One large tree, and others."""
    return draw.integers(0, N, N), draw.integers(0, N, N)


def below(draw: np.random.Generator) -> tuple[Ids, Ids]:
    """Trees of the second half that hang below vertices of the first chunk."""
    u = np.arange(N // 2, N)
    return u, draw.integers(0, 2**14, len(u))


def one(draw: np.random.Generator) -> tuple[Ids, Ids]:
    """One tree."""
    order = draw.permutation(N)
    return order[1:], order[draw.integers(0, np.arange(1, N))]


def none(_: np.random.Generator) -> tuple[Ids, Ids]:
    """No edges but one, of the last vertex."""
    return np.array([N - 1]), np.array([N - 1])


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("edges", [near, scattered, large, below, one, none])
def test_components_are_numbered_by_their_smallest_vertices(
    edges: Callable[[np.random.Generator], tuple[Ids, Ids]], threads: int
) -> None:
    u, v = edges(np.random.default_rng(31))
    _, other = connected_components(coo_array((np.ones(len(u), bool), (u, v)), shape=(N, N)), directed=False)
    _, first, of = np.unique(other, return_index=True, return_inverse=True)
    expected = np.argsort(np.argsort(first))[of]
    for plan in (
        "auto",
        "rem_cas(naive,halve_one)",
        "async(naive)@cpu(ids=wide)",
        "jtb(two_try)",
        "kout(2)+rem_cas(naive,split_one)@cpu(layout=csr)",
        "hb(2)+async(halve)@cpu(layout=csr,ids=wide)",
    ):
        result = landbridge.components((u, v), num_vertices=N, plan=plan, threads=threads)
        assert result.count == len(first)
        assert np.array_equal(result.labels, expected), plan
