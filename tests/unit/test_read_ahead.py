"""Unions that begin at ancestors which were read ahead: more vertices than count as near, ids in random order."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import landbridge

N = 100_000
PLANS = (
    "rem_cas(naive,split_one)",
    "rem_cas(naive,halve_one)",
    "rem_cas(naive,splice)",
    "rem_cas(naive,halve_one)@cpu(owners=on)",
)


def edges(kind: str) -> tuple[Any, Any]:
    draw = np.random.default_rng(3)
    name, order = draw.permutation(N).astype(np.int32), draw.permutation(N - 1)
    child = np.arange(1, N)
    parent = {
        "path": child - 1,
        "tree": (draw.random(N - 1) * child).astype(int),
        "paths": child - child % 50 // 49 - 1,
    }
    u, v = name[child][order], name[parent[kind]][order]
    return u[: N - 9], v[: N - 9]


def labels_of(u: Any, v: Any) -> Any:
    _, labels = connected_components(coo_array((np.ones(len(u)), (u, v)), shape=(N, N)), directed=False)
    _, first = np.unique(labels, return_index=True)
    return np.argsort(np.argsort(first))[labels]  # numbered in the order of their smallest vertices


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["path", "tree", "paths"])
@pytest.mark.parametrize("plan", PLANS)
def test_lists_and_streams_of_long_paths(plan: str, kind: str, threads: int) -> None:
    u, v = edges(kind)
    expected = labels_of(u, v)
    assert np.array_equal(landbridge.components((u, v), num_vertices=N, plan=plan, threads=threads).labels, expected)
    if "splice)" not in plan:
        forest = landbridge.spanning_forest((u, v), num_vertices=N, plan=plan, threads=threads)
        assert len(forest.u) == N - expected.max() - 1
        landbridge.check_forest(landbridge.Graph((u, v), num_vertices=N), forest)
    if "owners" not in plan:
        for size in (37, 5_000, 20_000):
            stream = landbridge.Incremental(N, plan=plan, threads=threads)
            for i in range(0, len(u), size):
                stream.insert(u[i : i + size], v[i : i + size])
            assert np.array_equal(stream.components().labels, expected)


@pytest.mark.parametrize("kind", ["path", "tree"])
def test_callers_beside_each_other_insert_and_ask(kind: str) -> None:
    """Vertices turn up meanwhile, and batches of one thread try to have the trees for themselves."""
    u, v = edges(kind)
    stream = landbridge.Incremental(threads=2)
    wrong: list[str] = []

    def insert(part: int) -> None:
        for i in range(part * 2_000, len(u), 6_000):
            stream.insert(u[i : i + 2_000], v[i : i + 2_000])
            if not stream.connected(u[i : i + 100], v[i : i + 100]).all():
                wrong.append(f"edges from {i}")

    callers = [threading.Thread(target=insert, args=(part,)) for part in range(3)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []
    expected = labels_of(u, v)
    assert np.array_equal(stream.components().labels, expected[: stream.num_vertices])
