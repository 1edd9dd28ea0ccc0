"""Rows of very many neighbours: sorted like short ones, and a call that sorts them stops within them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import Graph

N = 1 << 18
LENGTHS = (1 << 14, (1 << 14) + 1, 100_000, N)


def neighbors(kind: str, count: int) -> Any:
    rng = np.random.default_rng(count)
    random = rng.integers(1, N, count)
    return {
        "random": random,
        "ascending": np.sort(random),
        "descending": np.sort(random)[::-1].copy(),
        "one": np.full(count, 77),
        "two": np.where(random % 2 == 0, 5, N - 1),
        "small": random % 300 + 1,
        "skewed": np.minimum(random, rng.integers(1, N, count) ** 3 % 1000 + 1),
    }[kind]


@pytest.mark.parametrize("kind", ["random", "ascending", "descending", "one", "two", "small", "skewed"])
@pytest.mark.parametrize("count", LENGTHS)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_long_row_is_sorted(kind: str, count: int, threads: int) -> None:
    v = neighbors(kind, count)
    rows = Graph((np.full(count, N // 2), v), num_vertices=N).to_rows(threads=threads)
    assert rows.offsets is not None
    begin, end = int(rows.offsets[N // 2]), int(rows.offsets[N // 2 + 1])
    assert np.array_equal(rows.a[begin:end], np.sort(v))
    assert len(rows.a) == count + np.count_nonzero(v != N // 2)


@pytest.mark.parametrize("kind", ["random", "ascending", "one", "two", "small"])
@pytest.mark.parametrize("wide", [False, True])
def test_a_forest_of_a_long_row_has_the_first_of_equal_edges(kind: str, wide: bool) -> None:
    v = neighbors(kind, 100_000)
    u = np.full(len(v), N // 2)
    plan = "bfscc@cpu(ids=wide)" if wide else "bfscc"
    forest = landbridge.spanning_forest((u, v), num_vertices=N, plan=plan)
    distinct, first = np.unique(v, return_index=True)
    assert np.array_equal(np.sort(forest.edge), np.sort(first[distinct != N // 2]))
    landbridge.check_forest(Graph((u, v), num_vertices=N), forest)
