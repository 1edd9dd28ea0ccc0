"""The vertices that occur in edges, picked from an answer about all of 0..n-1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import _core

TYPES = [np.int32, np.int64, np.uint32, np.uint64]


def reference(u: Any, v: Any) -> tuple[Any, Any, int]:
    """Ids that occur, labels and count as of a run on renumbered ids."""
    ids, places = np.unique(np.concatenate([u, v]), return_inverse=True)
    count, labels = landbridge.components((places[: len(u)], places[len(u) :]), num_vertices=len(ids))
    return ids, labels, count


def graphs() -> list[tuple[int, Any, Any]]:
    rng = np.random.default_rng(5)
    cases = [
        (0, [], []),
        (1, [], []),
        (1, [0], [0]),
        (130, [], []),
        (5, [4], [4]),
        (5, [0, 3], [0, 4]),
        (64, [63], [0]),
    ]
    for n, m, loops in [(300, 40, 5), (300, 900, 0), (200_000, 3_000, 700), (200_000, 500_000, 2), (140_000, 0, 3)]:
        x = rng.integers(0, n, loops)
        cases.append((n, np.append(rng.integers(0, n, m), x), np.append(rng.integers(0, n, m), x)))
    cases.append((70_000, np.arange(0, 70_000, 2), np.arange(0, 70_000, 2)))  # nothing but self-loops
    cases.append((131_072, np.arange(131_071), np.arange(1, 131_072)))  # everything occurs
    return cases


@pytest.fixture(params=graphs(), ids=lambda g: f"n{g[0]}m{len(g[1])}")
def graph(request: pytest.FixtureRequest, dtype: Any) -> tuple[int, Any, Any]:
    n, u, v = request.param
    return n, np.asarray(u, dtype), np.asarray(v, dtype)


@pytest.fixture(params=TYPES)
def dtype(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("threads", [1, 3])
def test_ids_and_labels_are_those_of_a_run_on_the_ids_that_occur(
    graph: tuple[int, Any, Any], dtype: Any, threads: int
) -> None:
    n, u, v = graph
    dense = landbridge.components((u, v), num_vertices=n)
    expected_ids, expected, expected_count = reference(u, v)
    for labels in (dense.labels, dense.labels.astype(np.int64)):
        ids, labels_that_occur, count = _core.occurring(labels, dense.count, u, v, threads)
        assert ids.dtype == dtype
        assert labels_that_occur.dtype == labels.dtype
        assert count == expected_count
        assert np.array_equal(ids, expected_ids)
        assert np.array_equal(labels_that_occur, expected)


@pytest.mark.parametrize("threads", [1, 3])
def test_ends_of_a_forest_and_loops_are_the_ids_that_occur(
    graph: tuple[int, Any, Any], dtype: Any, threads: int
) -> None:
    n, u, v = graph
    forest = landbridge.spanning_forest((u, v), num_vertices=n)
    ids = _core.occurring_endpoints(n, forest.u, forest.v, u, v, threads)
    assert ids.dtype == dtype
    assert np.array_equal(ids, np.unique(np.concatenate([u, v])))


def test_interleaved_pairs_are_read_in_place() -> None:
    pairs = np.array([[0, 2], [5, 5], [7, 9]])
    labels = landbridge.components(pairs).labels
    ids, labels_that_occur, count = _core.occurring(labels, 8, pairs[:, 0], pairs[:, 1], 2)
    assert (ids.tolist(), labels_that_occur.tolist(), count) == ([0, 2, 5, 7, 9], [0, 0, 1, 2, 2], 3)


def test_what_does_not_belong_together_is_refused() -> None:
    one, loop = np.zeros(1, np.int32), np.array([7], np.int64)
    none = np.empty(0, np.int64)
    for labels, count in [([0, 1], 1), ([0, 1], 3), ([0, -1, 1], 2)]:
        with pytest.raises(ValueError, match=r"labels must be numbers 0\.\."):
            _core.occurring(np.array(labels, np.int32), count, none, none)
    with pytest.raises(ValueError, match="edge 0: a vertex is out of range for n = 1"):
        _core.occurring(one, 1, loop, loop)
    with pytest.raises(ValueError, match="edge 0: a vertex is out of range for n = 1"):
        _core.occurring_endpoints(1, loop, one.astype(np.int64), none, none)
    with pytest.raises(ValueError, match="u has 1 ids and v has 0"):
        _core.occurring(one, 1, loop, none)
    with pytest.raises(TypeError):
        _core.occurring(one, 1, loop.astype(float), loop.astype(float))
