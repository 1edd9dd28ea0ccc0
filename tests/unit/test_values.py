"""Values in lists and arrays of Python's objects: taken exactly, or refused with their place, in every call."""

from __future__ import annotations

import datetime
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import CheckFailed, Incremental, InputError, check_components

LENGTHS = (4, 40)
"""Below and above the lengths for which conversions of lists have differed."""


def column(x: Any, n: int) -> list[Any]:
    """Whole numbers, and x before the last."""
    values: list[Any] = [i % 3 for i in range(n)]
    values[-2] = x
    return values


def objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def successors(x: Any, n: int) -> list[Any]:
    values: list[Any] = [min(i + 1, n - 1) for i in range(n)]
    values[-2] = x
    return values


def stream(**options: Any) -> Incremental:
    full = Incremental(**options)
    full.insert(0, 1)
    return full


# What is called with a value and a length, and the place that its message names.
READERS: dict[str, tuple[Callable[[Any, int], Any], str]] = {
    "pairs": (lambda x, n: landbridge.components([(1, y) for y in column(x, n)]), "edge {}: v"),
    "nested lists": (lambda x, n: landbridge.components([[1, y] for y in column(x, n)]), "edge {}: v"),
    "columns": (lambda x, n: landbridge.components((column(x, n), [1] * n)), "edge {}: u"),
    "a tuple": (lambda x, n: landbridge.components((tuple(column(x, n)), [1] * n)), "edge {}: u"),
    "two rows": (lambda x, n: landbridge.components([column(x, n), [1] * n]), "edge {}: u"),
    "a deque": (lambda x, n: landbridge.components((deque(column(x, n)), [1] * n)), "edge {}: u"),
    "objects": (lambda x, n: landbridge.components((objects(column(x, n)), [1] * n)), "edge {}: u"),
    "sparse": (lambda x, n: landbridge.components((column(x, n), [1] * n), ids="sparse"), "edge {}: u"),
    "a forest": (lambda x, n: landbridge.spanning_forest((column(x, n), [1] * n)), "edge {}: u"),
    "a Graph": (lambda x, n: landbridge.Graph((column(x, n), [1] * n)), "edge {}: u"),
    "chunks": (lambda x, n: landbridge.components(chunks=[[(1, y) for y in column(x, n)]]), "chunk 0, edge {}: v"),
    "inserts": (lambda x, n: stream().insert(column(x, n), [1] * n), "edge {}: u"),
    "inserts of pairs": (lambda x, n: stream().insert([(1, y) for y in column(x, n)]), "edge {}: v"),
    "inserts of ids": (lambda x, n: stream(ids="sparse").insert(column(x, n), [1] * n), "edge {}: u"),
    "connected": (lambda x, n: stream().connected(column(x, n), [1] * n), "query {}: u"),
    "connected by id": (lambda x, n: stream(ids="sparse").connected([1] * n, column(x, n)), "query {}: v"),
    "apply": (lambda x, n: stream().apply(column(x, n), [1] * n, [False] * n), "operation {}: u"),
    "find": (lambda x, n: stream().find(column(x, n)), "query {}: id"),
    "size": (lambda x, n: stream().size(column(x, n)), "query {}: id"),
    "rank_list": (lambda x, n: landbridge.rank_list(successors(x, n)), "element {}: the successor"),
    "rank_list of objects": (lambda x, n: landbridge.rank_list(objects(successors(x, n))), "element {}: the successor"),
    "rows": (lambda x, n: landbridge.components(landbridge.CSR([0, n, n, n], column(x, n))), "neighbors[{}]"),
    "labels": (lambda x, n: check_components(([], []), column(x, n), num_vertices=n), "vertex {}: the labels"),
    "records": (lambda x, n: landbridge.deduplicate([(0, 1)], [*range(5, n + 3), x, 0]), "record {}: records"),
}  # fmt: skip
NO_INTEGERS = {
    "True": True, "a bool of NumPy": np.True_, "a bool without dimensions": np.array(True), "text": "1", "None": None,
    "NaN": float("nan"), "infinity": float("inf"), "half": 0.5, "half a decimal": Decimal("0.5"),
    "a fraction": Fraction(1, 2), "an hour": np.timedelta64(1, "h"), "a day": np.datetime64("2020-01-01"),
    "a time": datetime.datetime(2020, 1, 1), "complex": 1j, "a list": [1], "an array": np.array([1]),
    "an object": print, "2^64": 2**64, "below -2^63": -(2**63) - 1, "thousands of digits": 10**5000,
    "a large float": 2.0**53,
    "a large float of 32 bits": np.float32(2**24), "a huge decimal": Decimal("1e999999"),
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_id_is_refused_with_its_place(reader: str) -> None:
    call, place = READERS[reader]
    for length, (value, x) in product(LENGTHS, NO_INTEGERS.items()):
        try:
            call(x, length)
        except InputError as error:
            message = str(error)
        else:
            pytest.fail(f"{value} among {length} was taken")
        assert message.startswith(place.format(length - 2) + " "), (value, length, message)
        assert "\n" not in message, (value, length, message)
        assert len(message) < 250, (value, length, message)


@pytest.mark.parametrize(
    "x", [1, 1.0, Decimal(1), np.int8(1), np.uint64(1), np.float32(1), np.longdouble(1), np.array(1), np.array(1.0)]
)
def test_numbers_of_any_type_are_taken(x: Any) -> None:
    for reader, length in product(READERS, LENGTHS):
        takes_number(reader, x, length)


def takes_number(reader: str, x: Any, length: int) -> None:
    if reader == "labels":
        landbridge.check_components(([], []), [x], num_vertices=1)
    elif not reader.startswith("rank"):
        READERS[reader][0](x, length)
    else:
        assert landbridge.rank_list([x, 1]).tolist() == [1, 0]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("x", [2**63 - 1, 2**63, 2**64 - 1, np.uint64(2**63 + 1), 2**53 + 1, Decimal(2**63 + 1)])
def test_large_ids_are_exact(x: Any, length: int) -> None:
    for edges in [(1, y) for y in column(x, length)], (column(x, length), [1] * length):
        ids: Any = landbridge.components(edges, ids="sparse").ids
        assert int(ids[-1]) == x
        full = Incremental(ids="sparse")
        full.insert(edges)
        assert full.connected(x, 1)
    with pytest.raises(InputError, match="negative"):
        landbridge.components((column(max(x, 2**63), length), [-1] * length), ids="sparse")


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("make", [list, tuple, objects, deque])
@pytest.mark.parametrize("name", ["weights", "values", "scores"])
def test_numbers_beside_lists_and_edges(name: str, make: Callable[[Any], Any], length: int) -> None:
    place = ("element {}: " + name if name != "scores" else "edge {}: score").format(length - 2)

    def call(x: Any) -> Any:
        numbers = make(column(x, length))
        if name == "weights":
            return landbridge.rank_list([*range(1, length), length - 1], weights=numbers)
        if name == "values":
            return landbridge.scan_list([*range(length)], numbers)
        return landbridge.why([(i, i + 1) for i in range(length)], length - 2, length - 1, score=numbers).score[0]

    wrong: dict[str, Any] = {
        "= True is no number, as others are": True,
        "= None is neither an integer nor a float": None,
        "= '1' is neither": "1",
        "= Decimal('1') is neither": Decimal(1),
        "= Fraction(1, 2) is neither": Fraction(1, 2),
        "= 18446744073709551616 does not fit uint64": 2**64,
        "= -9223372036854775809 does not fit": -(2**63) - 1,
        "= a number of 16610 bits does not fit": 10**5000,
        "= np.timedelta64(1,'h') is neither": np.timedelta64(1, "h"),
    }
    for problem, x in wrong.items():
        with refused(InputError, f"{place} {problem}", exactly=False):
            call(x)
    for large in (2**63, np.uint64(2**63)):
        if name == "scores":
            assert call(large) == 2**63
        else:
            with refused(InputError, f"{place} = {2**63} does not fit int64; give them as float64"):
                call(large)
    with refused(InputError, f"{place} = True is no number, as others are"):
        call(np.True_)
    assert call(0.5).dtype == np.float64 if name != "scores" else call(0.5) == 0.5
    assert (call(np.int8(1)) if name == "scores" else call(np.int8(1)).dtype) in (1, np.int64)
    if name == "values":
        assert call(2**62).tolist()[-2] == 2**62
        assert np.isnan(call(float("nan"))[-2])


def test_integers_among_floats_are_those_numbers_or_refused() -> None:
    assert landbridge.scan_list([0, 1], [2**53, 0.5]).tolist() == [2.0**53, 0.5]
    assert landbridge.scan_list([0, 1], [2**64, 0.5]).tolist() == [2.0**64, 0.5]
    with refused(InputError, "element 1: values = 9007199254740993 is no float64, and others are; give it as one"):
        landbridge.scan_list([0, 1], [0.5, 2**53 + 1])
    assert landbridge.scan_list([0, 1], [True, False]).tolist() == [1, 0]  # marks are counted
    assert landbridge.scan_list([0, 1], np.array([True, False])).tolist() == [1, 0]
    with refused(InputError, f"element 1: values = {2**63} does not fit int64; give them as float64"):
        landbridge.scan_list([0, 1], np.array([0, 2**63], np.uint64))


def test_bools_of_numpy_in_a_series_of_objects() -> None:
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([1, np.True_, 2], dtype=object)
    with refused(InputError, "edge 1: u = np.True_ is not a whole number", exactly=False):
        landbridge.components((series, series))
    assert landbridge.components((pandas.Series([1, 2], dtype=object), [0, 1])).count == 1


def test_rows_of_several_types() -> None:
    with refused(InputError, "edge 1: u = True is not a whole number", exactly=False):
        landbridge.components([np.array([1, 2]), np.array([True, False]), np.array([0, 1])])
    ids: Any = landbridge.components(
        [np.array([1, 2]), np.array([2**63 + 1, 1], np.uint64), np.array([2, 3])], ids="sparse"
    ).ids
    assert ids.tolist() == [1, 2, 3, 2**63 + 1]


@pytest.mark.parametrize("x", [2**56, 2**62, 2**63, 10**19])
def test_ids_beyond_any_memory_are_refused_by_name(x: int) -> None:
    hint = f"vertex {x} is beyond any memory; ids='sparse' takes ids with gaps"
    for options in {}, {"ids": "dense"}:
        with refused(InputError, f"chunk 1, edge 0: {hint}"):
            landbridge.components(chunks=[[(0, 1)], [(x, 1)]], **options)
    with refused(InputError, f"edge 0: {hint}"):
        stream().insert([x], [1])
    with refused(InputError, f"the largest id is {x}: a graph of {x + 1} vertices would not fit", exactly=False):
        landbridge.components([(x, 1)])


@pytest.mark.parametrize("x", [None, 0.5, "1", [1], 1j])
def test_kinds_of_operations(x: Any) -> None:
    with refused(InputError, f"is_query must hold bools: operation 1 is {x!r}"):
        stream().apply([0, 1], [1, 2], [False, x])


@pytest.mark.parametrize("x", [-1, 2, 7])
@pytest.mark.parametrize("ids", [None, "sparse"])
def test_kinds_of_operations_are_0_and_1_among_integers(x: int, ids: Any) -> None:
    c = Incremental(ids=ids)
    for kinds in ([0, 1, x], np.array([0, 1, x], np.int8), [False, True, x]):
        with refused(InputError, f"is_query must hold bools: operation 2 is {x}"):
            c.apply([0, 1, 2], [1, 2, 3], kinds)
    assert c.position == 0
    for ones in ([0, 1], np.array([0, 1], np.uint8), [False, 1]):
        assert c.apply([0, 0], [1, 1], ones, order="inserts_first").tolist() == [2]


@pytest.mark.parametrize("x", [np.timedelta64(1, "s"), np.datetime64("2020-01-01"), True, np.True_, 1.0, "1", None])
def test_counts_are_whole_numbers(x: Any) -> None:
    with pytest.raises(InputError, match="must be a whole number"):
        Incremental(x)
    with pytest.raises(InputError, match="must be a whole number"):
        landbridge.components([(0, 1)]).largest_components(x)
    if x is not None:
        with pytest.raises(InputError, match="num_vertices must be"):
            landbridge.components([(0, 1)], num_vertices=x)
        with pytest.raises(InputError, match="threads must be"):
            landbridge.components([(0, 1)], threads=x)
        with pytest.raises(InputError, match="base must be"):
            landbridge.components([(0, 1)], base=x)


def test_answers_that_are_no_numbers_of_64_bits_are_not_wrapped() -> None:
    minus_one = np.array([2**64 - 1], np.uint64)
    with refused(CheckFailed, f"element 0: ranks = {2**64 - 1} is beyond 2^63, which no right one is"):
        landbridge.check_ranks([0], minus_one, values=[-1])
    with refused(CheckFailed, f"forest edge 0: edge = {2**64 - 1} is no position or vertex of the graph"):
        landbridge.check_forest([(0, 1)], ([0], [1], minus_one))
    with refused(InputError, "part 0: vertex 1: the label = True is no number, as others are", exactly=False):
        landbridge.merge([0, True], [0, 1])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: landbridge.rank_list(None), "successors are a one-dimensional array of integers, not NoneType"),
        (lambda: landbridge.check_ranks([0], None), "ranks must be a one-dimensional array"),  # type: ignore[arg-type]
        (lambda: landbridge.components(([0], None)), "v must be a column, such as an array or a list, not NoneType"),
        (lambda: landbridge.components(chunks=np.array(None)), "chunks must be an iterable of batches of edges"),
    ],
)  # fmt: skip
def test_what_is_no_column(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert words in str(caught.value)
