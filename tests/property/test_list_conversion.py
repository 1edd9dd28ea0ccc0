"""Lists are converted in blocks by the core, or in slices by NumPy: the answers and errors are those of one piece."""

from __future__ import annotations

import enum
import sys
import uuid
from collections import namedtuple
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import landbridge
from landbridge import InputError, _core, passes
from landbridge.edges.coerce import coerce_pair, columns_of_edges
from landbridge.edges.id_columns import ids_of
from landbridge.edges.number_columns import values_of
from landbridge.edges.place import Place
from landbridge.passes import numbers_of

BLOCK = 1 << 16
"""Elements that the core converts at a time."""


class Whole(int):
    """Is not read as an int: it may say anything of itself."""


class Grade(enum.IntEnum):
    LOW = 1


class Row(tuple[Any, ...]):
    __slots__ = ()


class Rows(list[Any]):
    pass


Named = namedtuple("Named", ["u", "v"])

INTEGERS = st.integers(0, 9) | st.sampled_from([-1, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)])
TEXTS = st.sampled_from(["", "a", "é", "7"])
ODD = st.sampled_from(
    [2**63, 2**64 - 1, 2**64, -(2**63) - 1, True, False, None, 1.0, 2.5, float("nan"), float("inf"), 2.0**60, 1j, b"a",
     b"\xff", "\ud800", Decimal(3), Decimal("0.5"), Fraction(3), Whole(4), Grade.LOW, np.int64(5), np.int32(6),
     np.uint64(2**63), np.uint8(7), np.bool_(True), np.float64(8), np.float32(0.5), np.str_("x"), np.array(3),
     np.array([1, 2]), (1, 2), [1, 2], {1, 2}, uuid.UUID(int=3), np.datetime64("2020-01-01"), len]
)  # fmt: skip
IDS = st.one_of(INTEGERS, TEXTS, ODD)
KINDS = [INTEGERS, TEXTS, IDS, INTEGERS | st.booleans(), INTEGERS | ODD, st.floats(0, 9).map(round).map(float)]


def pairs_of(ids: Any) -> Any:
    plain = st.tuples(ids, ids) | st.lists(ids, min_size=2, max_size=2)
    odd = st.one_of(
        st.tuples(ids, ids).map(Row), st.builds(Named, ids, ids), st.lists(ids, min_size=2, max_size=2).map(Rows),
        st.tuples(ids), st.tuples(ids, ids, ids), st.lists(ids, max_size=3), ids,
        st.tuples(INTEGERS, INTEGERS).map(np.array),
    )  # fmt: skip
    rows = st.one_of(plain, plain | odd)
    return st.one_of(st.lists(plain, max_size=8), st.lists(rows, max_size=8))


def boxed(values: Any) -> Any:
    return values | values.map(tuple) | values.map(Rows) | values.map(Row)


LISTS = st.sampled_from(KINDS).flatmap(lambda ids: boxed(pairs_of(ids)))
COLUMNS = st.sampled_from(KINDS).flatmap(lambda ids: boxed(st.lists(ids, max_size=8)))


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives: the edges, or its error."""
    try:
        edges = call()
    except Exception as error:
        return type(error), str(error)
    ids = None if edges.ids is None else list(edges.ids)
    return [(x.dtype, x.tolist()) for x in (edges.u, edges.v)], ids


def edges_of(pairs: Any) -> Any:
    columns = columns_of_edges(pairs)
    assert columns is not None
    return coerce_pair(*columns)


def in_one_piece(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """From now on NumPy converts every list, in slices of this length."""
    for name in ("integers_of", "integer_pairs", "columns_of_pairs"):
        monkeypatch.setattr(_core, name, lambda values: None)
    monkeypatch.setattr(passes, "SLICE", length)


def agree(call: Callable[[], Any]) -> None:
    expected = None
    for length in (1 << 40, 3, 1):
        with pytest.MonkeyPatch.context() as monkeypatch:
            in_one_piece(monkeypatch, length)
            have = outcome(call)
            expected = expected or have
            assert have == expected, length
    assert outcome(call) == expected


@settings(max_examples=300)
@given(LISTS)
def test_lists_of_pairs(pairs: Any) -> None:
    agree(lambda: edges_of(pairs))


@settings(max_examples=200)
@given(COLUMNS)
def test_columns(values: Any) -> None:
    agree(lambda: coerce_pair(values, values))


@given(COLUMNS)
def test_arrays_have_the_numbers_of_the_list(values: Any) -> None:
    have = numbers_of(values)
    if have is None:
        return
    assert have.shape == (len(values),)
    assert not {bool, np.bool_} & {*map(type, values)}
    assert have.dtype.kind in "iuf"
    assert [*map(repr, have.tolist())] == [
        repr(getattr(value, "item", lambda value=value: value)()) for value in values
    ]


@given(COLUMNS)
def test_ids_are_those_of_the_list_or_refused(values: Any) -> None:
    try:
        ids = ids_of(values, Place("u"))
    except InputError as error:
        assert len(values)
        assert str(error).startswith(("edge ", "u must be one-dimensional"))
        return
    if isinstance(ids, tuple):
        assert all(isinstance(value, str | bytes | uuid.UUID) for value in values)
        return
    assert ids.dtype in (np.int32, np.int64, np.uint32, np.uint64)
    assert not {bool, np.bool_} & {*map(type, values)}
    assert ids.tolist() == [int(value) for value in values]


@given(st.lists(ODD | INTEGERS | st.floats(), max_size=8))
def test_numbers_are_those_of_the_list_or_refused(values: Any) -> None:
    try:
        numbers = values_of(values, Place("weights", "element"))
    except InputError as error:
        assert str(error).startswith("element ")
        return
    assert {*map(type, values)} <= {bool, np.bool_} or numbers.dtype.kind != "b"
    expected = [getattr(value, "item", lambda value=value: value)() for value in values]
    assert all(a == b or (np.isnan(a) and np.isnan(b)) for a, b in zip(numbers.tolist(), expected, strict=True))


@pytest.mark.parametrize("at", [0, BLOCK - 1, BLOCK, 3 * BLOCK])
@pytest.mark.parametrize("odd", [(1, 2**63), (True, 2), [3, 4], (5.0, 6), (np.int64(7), 8), (1, 2, 3), (None, 1), 5])
def test_one_odd_pair_among_many(at: int, odd: Any) -> None:
    pairs: list[Any] = [(i, i + 1) for i in range(3 * BLOCK + 1)]
    pairs[at] = odd
    have = outcome(lambda: edges_of(pairs))
    with pytest.MonkeyPatch.context() as monkeypatch:
        in_one_piece(monkeypatch, 1 << 40)
        assert outcome(lambda: edges_of(pairs)) == have


def test_no_reference_is_kept_and_none_is_lost() -> None:
    numbers = [10**6 + i for i in range(100)]
    names = [f"a name {i}" for i in range(100)]
    for values in (numbers, names):
        pairs = list(zip(values, values, strict=True))
        held = [*map(sys.getrefcount, values), *map(sys.getrefcount, pairs)]
        for _ in range(3):
            landbridge.components(pairs, ids="names" if values is names else "sparse")
            with pytest.raises(InputError):
                landbridge.components([*pairs, (1, 2, 3)])
        assert [*map(sys.getrefcount, values), *map(sys.getrefcount, pairs)] == held
