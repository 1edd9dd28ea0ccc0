"""Ids on their way to a device: what arrives is what was sent, and the largest shows whether it fitted."""

from __future__ import annotations

import numpy as np
import pytest

from landbridge import _core

TYPES = ("int32", "int64", "uint32", "uint64")


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 300_001])
def test_ids_arrive(source: str, target: str, size: int) -> None:
    ids = np.random.default_rng(size).integers(0, 2**31, size).astype(source)
    got = np.zeros(size, dtype=target)
    largest = _core.copy_ids(ids, got, 3)
    assert np.array_equal(got, ids)
    assert largest == (int(ids.max()) if size else 0)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_any_stride(threads: int) -> None:
    pairs = np.arange(400_002, dtype=np.int64).reshape(-1, 2)
    for column in (pairs[:, 0], pairs[:, 1], pairs[::3, 1]):
        got = np.empty(len(column), dtype=np.uint32)
        assert _core.copy_ids(column, got, threads) == int(column[-1])
        assert np.array_equal(got, column)


@pytest.mark.parametrize("size", [0, 1, 65_537, 300_001])
@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("target", ["uint32", "uint64"])
def test_both_endpoints_arrive(size: int, threads: int, target: str) -> None:
    u = np.random.default_rng(size).integers(0, 2**31, size)
    v = np.arange(2 * size, dtype=np.int32)[::2]
    for a, b in ((u, v), (v, u)):
        to = [np.full(size, 7, dtype=target) for _ in range(2)]
        largest = _core.copy_endpoints(a, b, *to, threads)
        assert largest == max([0, *u.tolist(), *v.tolist()])
        assert np.array_equal(to[0], a)
        assert np.array_equal(to[1], b)


@pytest.mark.parametrize(
    ("ids", "largest"),
    [
        (np.array([5, -1], dtype=np.int64), 2**64 - 1),
        (np.array([5, -1], dtype=np.int32), 2**32 - 1),
        (np.array([2**40, 3], dtype=np.int64), 2**40),
        (np.array([2**63, 3], dtype=np.uint64), 2**63),
    ],
)
def test_what_does_not_fit_is_told(ids: np.ndarray, largest: int) -> None:
    assert _core.copy_ids(ids, np.empty(2, dtype=np.int32), 1) == largest


def test_wrong_arrays_are_refused() -> None:
    with pytest.raises(ValueError, match="as long as the source"):
        _core.copy_ids(np.zeros(3, dtype=np.int32), np.zeros(2, dtype=np.int32), 1)
    with pytest.raises(TypeError, match="32- or 64-bit integers"):
        _core.copy_ids(np.zeros(2), np.zeros(2, dtype=np.int32), 1)


def test_arrays_for_labels() -> None:
    for make, dtype in ((_core.empty_ids, np.int32), (_core.empty_wide_ids, np.int64)):
        for size in (0, 5, 3_000_000):
            array = make(size)
            assert (array.dtype, array.shape) == (dtype, (size,))
            array[:] = 7
            assert int(array.sum()) == 7 * size
    three, two, wide = np.zeros(3, dtype=np.int32), np.zeros(2, dtype=np.int32), np.zeros(3, dtype=np.int64)
    with pytest.raises(ValueError, match="both endpoints must be as many"):
        _core.copy_endpoints(three, two, three, two, 1)
    with pytest.raises(ValueError, match="as long as the source"):
        _core.copy_endpoints(three, three, two, three, 1)
    with pytest.raises(ValueError, match="one type"):
        _core.copy_endpoints(three, three, np.zeros(3, dtype=np.int32), wide, 1)
