"""Unions of ids of several results, compared with a sort of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge import InputError
from landbridge.edges.names import NameArray, encoded
from landbridge.edges.united import positions, united

THREADS = st.sampled_from([1, 3])


def check(lists: list[list[Any]], ids: list[Any], places: list[Any], key: Any = None) -> None:
    assert ids == sorted({x for part in lists for x in part}, key=key)
    for part, where in zip(lists, places, strict=True):
        assert [ids[i] for i in where.tolist()] == part


@given(st.lists(st.lists(st.integers(-9, 30) | st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=5), THREADS)
def test_unions_of_numbers(lists: list[list[int]], threads: int) -> None:
    for parts in ([sorted(set(x)) for x in lists], lists):
        ids, places = united([np.array(x, np.int64) for x in parts], threads)
        check(parts, ids.tolist(), places)


@given(st.lists(st.lists(st.text(max_size=5)), min_size=1, max_size=5), THREADS)
def test_unions_of_texts(lists: list[list[str]], threads: int) -> None:
    for parts in ([sorted(set(x), key=str.encode) for x in lists], lists):
        for form in (lambda x: NameArray(*encoded(x, "x")), lambda x: np.array(x, dtype=object)):
            ids, places = united([form(x) for x in parts], threads)
            assert isinstance(ids, NameArray) or not any(parts)
            check(parts, ids.tolist(), places, str.encode)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64, "names"])
@pytest.mark.parametrize("threads", [1, 3])
def test_unions_of_many_chunks(dtype: Any, threads: int) -> None:
    rng = np.random.default_rng(4)
    lists = [
        np.flatnonzero(rng.random(n) < share) for n, share in [(200_000, 0.5), (90_000, 0.9), (10, 1), (200_000, 0.01)]
    ]
    if dtype == "names":
        rows = [np.char.mod("%06d", x) for x in lists]
        ids, places = united([NameArray(*encoded(x, "x")) for x in rows], threads)
    else:
        rows = [x.astype(dtype) for x in lists]
        ids, places = united(rows, threads)
        assert ids.dtype == dtype
    check([x.tolist() for x in rows], ids.tolist(), places)


def test_unions_of_mixed_types() -> None:
    def kind(*parts: Any) -> str:
        return str(united(list(parts), 1)[0].dtype)

    small, large = np.array([1, 2], np.uint64), np.array([2**63], np.uint64)
    assert kind(np.array([1], np.int32), np.array([2], np.int32)) == "int32"
    assert kind(np.array([1], np.int32), np.array([2], np.uint32)) == "int64"
    assert kind(np.array([1], np.int16), np.array([2], ">i8")) == "int64"
    assert (kind(small, np.array([3])), kind(small, np.array([-3])), kind(large, np.array([3]))) == (
        "uint64",
        "int64",
        "uint64",
    )
    with pytest.raises(InputError, match=r"some ids are negative and some from 2\^63 on"):
        united([large, np.array([-1])], 1)
    with pytest.raises(InputError, match="the ids of the parts have no common order"):
        united([np.array([1]), np.array(["a"], dtype=object)], 1)
    words = NameArray(*encoded(["a", "b"], "x"))
    ids, places = united([np.empty(0, np.int64), words, words[:0]], 1)
    assert (ids.tolist(), [p.tolist() for p in places]) == (["a", "b"], [[], [0, 1], []])
    pairs = np.empty(2, dtype=object)
    pairs[:] = [(0, 1), (0, 0)]
    ids, places = united([pairs, pairs[::-1]], 1)
    assert (ids.tolist(), [p.tolist() for p in places]) == ([(0, 0), (0, 1)], [[1, 0], [0, 1]])


def test_positions_of_ids() -> None:
    assert positions(np.array([30, 10]), np.array([10, 10, 30])).tolist() == [1, 1, 0]
    names = NameArray(*encoded(["a", "", "ü"], "x"))
    assert positions(names, np.array(["ü", "a"], dtype=object)).tolist() == [2, 0]
    pairs = np.empty(2, dtype=object)
    pairs[:] = [(0, 1), (0, 0)]
    assert positions(pairs, pairs[::-1]).tolist() == [1, 0]
    with pytest.raises(InputError, match="edge 1: 'b' is none of the ids"):
        positions(names, np.array(["a", "b"], dtype=object))
