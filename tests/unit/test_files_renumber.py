"""Renumbering of arbitrary ids against np.unique, across types, ranges and threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from landbridge import _core

TYPES = [np.int32, np.int64, np.uint32, np.uint64]


def check(u: NDArray[np.integer], v: NDArray[np.integer]) -> None:
    ids, inverse = np.unique(np.concatenate([u, v]), return_inverse=True)
    for threads in (1, 2, 3):
        dense_u, dense_v, unique_ids = _core.renumber(u, v, threads=threads)
        assert unique_ids.dtype == u.dtype
        assert dense_u.dtype == dense_v.dtype == np.int32
        np.testing.assert_array_equal(unique_ids, ids)
        np.testing.assert_array_equal(np.concatenate([dense_u, dense_v]), inverse)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m", [0, 1, 2, 1000, 100_000])
def test_random_ids_have_the_ranks_of_numpy_unique(dtype: type, m: int) -> None:
    rng = np.random.default_rng(m)
    limits = np.iinfo(dtype)
    everywhere = rng.integers(limits.min, limits.max, 2 * m, dtype=dtype, endpoint=True)
    check(everywhere[:m], everywhere[m:])
    close = rng.integers(0, 1 + m // 3, 2 * m).astype(dtype)
    check(close[:m], close[m:])
    pool = everywhere[: 1 + m // 50]
    skewed = (rng.random(2 * m) ** 40 * float(limits.max) * 0.99).astype(dtype)  # most of the ids near 0
    check(skewed[:m], skewed[m:])
    if m:
        check(pool[rng.integers(0, len(pool), m)], pool[rng.integers(0, len(pool), m)])


@pytest.mark.parametrize("dtype", TYPES)
def test_extreme_ids_have_the_ranks_of_numpy_unique(dtype: type) -> None:
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    check(np.array([low, high, low], dtype), np.array([high, low, low], dtype))
    check(np.full(70_000, low, dtype), np.full(70_000, high, dtype))
    check(np.full(5, high, dtype), np.full(5, high, dtype))
    hub = np.full(200_000, high, dtype)  # one id at half of all positions
    check(hub, np.random.default_rng(0).integers(low, high, len(hub), dtype=dtype))
    run = np.arange(1000).astype(dtype)  # 0, 1, 2, ... and one far away
    check(run, np.where(run == 999, high, run).astype(dtype))


@given(st.sampled_from(TYPES), st.data())
def test_few_ids_have_the_ranks_of_numpy_unique(dtype: type, data: st.DataObject) -> None:
    limits = np.iinfo(dtype)
    number = st.one_of(st.integers(0, 5), st.integers(int(limits.min), int(limits.max)))
    edges = data.draw(st.lists(st.tuples(number, number), max_size=20))
    check(np.array([e[0] for e in edges], dtype), np.array([e[1] for e in edges], dtype))


def test_columns_of_unlike_lengths_and_types_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        _core.renumber(np.zeros(2, np.int32), np.zeros(3, np.int32))
    with pytest.raises(TypeError):
        _core.renumber(np.zeros(2), np.zeros(2))


def test_the_key_of_empty_slots_may_be_any_id() -> None:
    """0 and 2**64 - 1 occur, the neighbours of all other keys.

    One of two threads inserts only the largest key while the other is at work: a table that used this key for empty
    slots would mostly lose it.
    """
    for seed in range(40):
        few = np.random.default_rng(seed).integers(0, 2**62, 20_000, dtype=np.uint64)
        few[:4_000] = 2**64 - 1
        few[-1] = 0
        many = np.full(len(few), 2**64 - 1, dtype=np.uint64)
        check(few, many)
        check((few ^ np.uint64(2**63)).view(np.int64), (many ^ np.uint64(2**63)).view(np.int64))
