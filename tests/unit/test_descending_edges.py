"""Edges whose smaller endpoints descend: each would become the root of all before, so they are united backwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import landbridge

M = 200_000


def star(m: int) -> tuple[Any, Any, int]:
    """The hub is the largest vertex."""
    return np.full(m, m), np.arange(m)[::-1], m + 1


def interleaved(m: int) -> tuple[Any, Any, int]:
    """64 paths side by side, whose smallest vertices are joined in the end."""
    x = np.arange(m // 64 * 64).reshape(-1, 64)[::-1]
    last = np.arange(63)
    return np.r_[x[:-1].ravel(), last], np.r_[x[1:].ravel(), last + 1], x.size


def growth(m: int) -> tuple[Any, Any, int]:
    """Each vertex has four edges to older ones, and the oldest is the largest."""
    rng = np.random.default_rng(14)
    i = np.repeat(np.arange(1, m // 4), 4)
    older = (i * rng.random(len(i)) ** 4).astype(np.int64)
    return m // 4 - 1 - i, m // 4 - 1 - older, m // 4


def first_half(m: int) -> tuple[Any, Any, int]:
    """A path downwards, and random edges behind it, with loops and copies."""
    n = m // 2 + 1
    i = np.arange(n - 1)[::-1]
    rng = np.random.default_rng(21)
    return np.r_[i, rng.integers(0, n // 8, n - 1)], np.r_[i + 1, rng.integers(0, n // 8, n - 1)], n


GRAPHS = (star, interleaved, growth, first_half)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("m", [63, 64, 1000, M])
def test_every_way_has_one_answer(graph: Any, m: int, dtype: Any) -> None:
    u, v, n = graph(max(m, 256) if graph is interleaved else m)
    u, v = u.astype(dtype), v.astype(dtype)
    expected = landbridge.components((u[::-1], v[::-1]), num_vertices=n, plan="jtb(two_try)", threads=1)
    graph_of = landbridge.Graph((u, v), num_vertices=n)
    for threads in (1, 2, 3):
        for plan in ("auto", "async(halve)", "rem_cas(naive,splice)", "hooks(compress)", "sv"):
            answer = landbridge.components((u, v), num_vertices=n, plan=plan, threads=threads)
            assert answer.count == expected.count
            assert np.array_equal(answer.labels, expected.labels)
        for plan in ("auto", "rem_cas(naive,halve_one)@cpu(owners=on)"):
            forest = landbridge.spanning_forest((u, v), num_vertices=n, plan=plan, threads=threads)
            landbridge.check_forest(graph_of, forest)
            assert forest.count == expected.count
        for batch in (17_000, m):
            stream = landbridge.Incremental(n, threads=threads, forest=True)
            for begin in range(0, len(u), batch):
                stream.insert(u[begin : begin + batch], v[begin : begin + batch])
            assert np.array_equal(stream.components().labels, expected.labels)
            landbridge.check_forest(graph_of, stream.forest())


def test_columns_of_one_array() -> None:
    u, v, n = growth(M)
    pairs = np.stack([u, v], axis=1)
    expected = landbridge.components((u.copy(), v.copy()), num_vertices=n, plan="jtb(two_try)")
    for edges in (pairs, (pairs[:, 0], pairs[:, 1]), np.asfortranarray(pairs)):
        assert np.array_equal(landbridge.components(edges, num_vertices=n).labels, expected.labels)
