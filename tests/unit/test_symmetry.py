"""CSR declared symmetric: unmatched arcs, many or few, are detected, and symmetric graphs have none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.edges.symmetry import unmatched_arc


def rows(n: int, heads: Any, tails: Any, offsets: Any = np.int64, neighbors: Any = np.int32) -> tuple[Any, Any]:
    order = np.argsort(heads, kind="stable")
    counts = np.bincount(heads, minlength=n)
    return np.concatenate([[0], np.cumsum(counts)]).astype(offsets), np.asarray(tails)[order].astype(neighbors)


def symmetric(n: int, m: int, seed: int = 7) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, m), rng.integers(0, n, m)
    return np.concatenate([u, v]), np.concatenate([v, u])


def is_lone(heads: Any, tails: Any, arc: tuple[int, int]) -> bool:
    arcs = set(zip(heads.tolist(), tails.tolist(), strict=True))
    return arc in arcs and arc[::-1] not in arcs


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_all_arcs_against_the_definition(arcs: list[tuple[int, int]]) -> None:
    heads, tails = (np.array([arc[side] for arc in arcs], dtype=np.int64) for side in (0, 1))
    lone = sorted({(a, b) for a, b in arcs if (b, a) not in arcs})
    for sample in (None, 4096):
        assert unmatched_arc(*rows(7, heads, tails), sample) == (lone[0] if lone else None)
    arc = unmatched_arc(*rows(7, heads, tails), 2)
    assert arc is None or arc in lone


@pytest.mark.parametrize("types", [(np.int32, np.int32), (np.int64, np.uint32), (np.int64, np.uint64)])
@pytest.mark.parametrize("shape", [(50_000, 400_000), (20, 300_000), (400_000, 60_000)])
def test_symmetric_graphs_have_no_unmatched_arc(shape: tuple[int, int], types: Any) -> None:
    arrays = rows(shape[0], *symmetric(*shape), *types)
    assert unmatched_arc(*arrays) is None
    assert unmatched_arc(*arrays, None) is None


@pytest.mark.parametrize("share", [0.5, 0.01])
def test_a_sample_detects_unmatched_arcs(share: float) -> None:
    heads, tails = symmetric(50_000, 400_000)
    remaining = np.ones(len(heads), dtype=bool)
    remaining[: int(share * len(heads) / 2)] = False
    heads, tails = heads[remaining], tails[remaining]
    arc = unmatched_arc(*rows(50_000, heads, tails))
    assert arc is not None
    assert is_lone(heads, tails, arc)


def test_the_full_check_detects_one_arc() -> None:
    heads, tails = symmetric(50_000, 200_000)
    lone = np.flatnonzero(heads != tails)[12_345]
    wrong = (int(heads[lone]), int(tails[lone]))
    remaining = ~((heads == wrong[1]) & (tails == wrong[0]))
    assert unmatched_arc(*rows(50_000, heads[remaining], tails[remaining]), None) == wrong


def test_a_star_is_sampled_from_its_leaves() -> None:
    n = 600_000
    hub, leaves = np.zeros(n - 1, dtype=np.int64), np.arange(1, n)
    whole = rows(n, np.concatenate([hub, leaves]), np.concatenate([leaves, hub]))
    assert unmatched_arc(*whole) is None
    assert unmatched_arc(*rows(n, hub, leaves)) is not None


def test_small_graphs_are_checked_completely() -> None:
    offsets = np.array([0, 1, 2, 3])
    assert unmatched_arc(offsets, np.array([1, 0, 2]), None) is None
    assert unmatched_arc(offsets, np.array([1, 0, 0]), None) == (2, 0)
    assert unmatched_arc(np.array([0]), np.array([], dtype=np.int32)) is None
