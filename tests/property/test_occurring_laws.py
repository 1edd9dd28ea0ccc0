"""Vertices that are the ids that occur: one answer, whether ids lie close together or far apart, whole or in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import landbridge
from landbridge import graph as graphs
from landbridge.edges.forms import EdgeList

Pairs = list[tuple[int, int]]
IDS = st.one_of(st.integers(0, 40), st.integers(0, 3000), st.sampled_from([0, 2**31 - 2, 2**31 - 1, 2**31, 2**40]))
EDGES = st.lists(st.tuples(IDS, IDS) | IDS.map(lambda x: (x, x)), max_size=40)


def edge_list(pairs: Pairs) -> EdgeList:
    u, v = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return EdgeList(np.ascontiguousarray(u), np.ascontiguousarray(v), occurring=True)


def oracle(pairs: Pairs) -> dict[int, int]:
    """The smallest id of the component of each id that occurs."""
    least = {x: x for pair in pairs for x in pair}
    for _ in least:
        for a, b in pairs:
            least[a] = least[b] = min(least[a], least[b])
    return least


def agrees(result: landbridge.Components, pairs: Pairs) -> None:
    least = oracle(pairs)
    ids: Any = result.ids
    assert ids.tolist() == sorted(least)
    assert ids[result.representatives].tolist() == [least[x] for x in sorted(least)]
    assert result.count == len(set(least.values()))
    assert result.first.tolist() == sorted(result.first.tolist())


FLOORS = st.sampled_from([-(10**6), 0, 1000, 2**20])
"""The largest id of few edges that counts as close: below 0, a table of ids is made in any case."""


@contextmanager
def close_below(floor: int) -> Iterator[None]:
    before, graphs.SPARSE_FLOOR = graphs.SPARSE_FLOOR, floor
    try:
        yield
    finally:
        graphs.SPARSE_FLOOR = before


@given(pairs=EDGES, floor=FLOORS)
def test_close_and_far(pairs: Pairs, floor: int) -> None:
    edges = edge_list(pairs)
    with close_below(floor):
        result, forest = landbridge.components(edges), landbridge.spanning_forest(edges)
    agrees(result, pairs)
    landbridge.check_components(edges, result)
    agrees(landbridge.components(landbridge.Graph(edges)), pairs)
    assert (forest.count, forest.num_vertices) == (result.count, len(result.labels))
    landbridge.check_forest(edges, forest)
    assert np.array_equal(forest.ids, result.ids)  # type: ignore[arg-type]


@given(pairs=EDGES, cuts=st.lists(st.integers(0, 40), max_size=4), seed=st.integers(0, 9), floor=FLOORS)
def test_order_and_chunks(pairs: Pairs, cuts: list[int], seed: int, floor: int) -> None:
    shuffled = [pairs[i] for i in np.random.default_rng(seed).permutation(len(pairs)).tolist()]
    stops = sorted(min(c, len(pairs)) for c in cuts)
    parts = [shuffled[b:e] for b, e in zip([0, *stops], [*stops, len(pairs)], strict=True)]
    with close_below(floor):
        agrees(landbridge.components(edge_list(shuffled), threads=1 + seed % 3), pairs)
        agrees(landbridge.components(chunks=[edge_list(part) for part in parts]), pairs)


def test_many_edges_go_the_way_of_one_pass() -> None:
    rng = np.random.default_rng(3)
    u, v = rng.integers(0, 300_000, (2, 200_000))
    u[::1000] = v[::1000] = np.arange(200) + 300_000  # alone with themselves
    edges = EdgeList(u, v, occurring=True)
    expected = landbridge.components((u * 2**33, v * 2**33), ids="sparse")
    for result in (landbridge.components(edges), landbridge.components(edges, plan="async(naive)", threads=3)):
        assert np.array_equal(result.ids * 2**33, expected.ids)  # type: ignore[operator]
        assert np.array_equal(result.labels, expected.labels)
        assert result.count == expected.count
    assert landbridge.spanning_forest(edges).count == expected.count


@pytest.mark.parametrize("chunked", [False, True])
def test_negative_numbers_are_ids_only_if_said(chunked: bool) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"src": [3, -1, 4], "dst": [5, 6, -1]})
    source: dict[str, Any] = {"chunks": [frame]} if chunked else {"graph": frame}
    with pytest.raises(landbridge.InputError, match=r"-1 is negative"):
        landbridge.components(**source)
    result = landbridge.components(**source, ids="sparse")
    assert result.ids is not None
    assert result.ids.tolist() == [-1, 3, 4, 5, 6]
    assert result.labels.tolist() == [0, 1, 0, 1, 0]
