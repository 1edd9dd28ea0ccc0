"""Long columns are converted slice by slice: with the ids and the errors of one conversion, and they stop between."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import InputError, TimeLimitExceeded, _core, time_limit
from landbridge.check.components import by_first
from landbridge.edges.coerce import columns_of_edges
from landbridge.edges.id_columns import ids_of
from landbridge.edges.names import NameArray, encoded
from landbridge.edges.number_columns import values_of
from landbridge.edges.place import Place
from landbridge.passes import SLICE, descending, distinct, numbers_of, order_of, slices, taken
from landbridge.preferences import preferences_of
from landbridge.result.rooted import RootedForest
from landbridge.streams.ids import gathered
from landbridge.streams.operands import kinds_of

N = 2 * SLICE + 1000
PLACE = Place("u", "edge")


def ids(column: Any) -> Any:
    return ids_of(column, PLACE)


@pytest.mark.parametrize("count", [0, 1, SLICE, SLICE + 1, N])
def test_slices_cover_everything_in_order(count: int) -> None:
    assert [i for part in slices(count) for i in range(count)[part]] == list(range(count))


def test_slices_end_with_the_time() -> None:
    with pytest.raises(TimeLimitExceeded), time_limit(0.01):
        for _ in slices(10 * SLICE):
            time.sleep(0.02)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats(kind: Any) -> None:
    column = (np.arange(N) % 1000).astype(kind)
    assert np.array_equal(ids(column), np.arange(N) % 1000)
    assert ids(column).dtype == np.int64
    column[SLICE + 7] = 0.5
    with refused(InputError, f"edge {SLICE + 7}: u = 0.5 is not a whole number"):
        ids(column)


@pytest.mark.parametrize("last", [5, 2**62, Decimal(17), np.float64(12.0)])
def test_objects(last: Any) -> None:
    column = np.array([*range(N - 1), last], dtype=object)
    assert ids(column).tolist() == [*range(N - 1), int(last)]
    assert column[-1] is last


def test_large_objects_behind_the_first_slice() -> None:
    column = np.array([*range(N - 1), 2**64 - 1], dtype=object)
    assert ids(column).dtype == np.uint64
    assert int(ids(column)[-1]) == 2**64 - 1
    column[3] = -1
    with pytest.raises(InputError, match=r"edge 3: .*is negative, and others are from 2"):
        ids(column)
    column[SLICE + 1] = None
    with refused(InputError, f"edge {SLICE + 1}: u is null"):
        ids(column)


@pytest.mark.parametrize("odd", ["é", "", "日本語", "x" * 1000])
@pytest.mark.parametrize("at", [0, SLICE - 1, SLICE, N - 1])
def test_texts(odd: str, at: int) -> None:
    values = [f"v{i % 100}" for i in range(N)]
    values[at] = odd
    for offsets, data in (ids(values), encoded(values, "u")):
        assert bytes(data) == "".join(values).encode()
        assert np.array_equal(np.diff(offsets), [len(value.encode()) for value in values])
        assert offsets[0] == 0
    values[SLICE + 5] = None  # type: ignore[call-overload]
    with refused(InputError, f"edge {SLICE + 5}: u is null"):
        ids(values)


def test_a_parquet_file_of_many_rows(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    n = (1 << 20) + 12345
    u, v = np.random.default_rng(1).integers(0, n, (2, n))
    for rows in (n, 100_000):
        parquet.write_table(arrow.table({"a": u, "b": v}), tmp_path / "e.parquet", row_group_size=rows)
        answer = landbridge.components(tmp_path / "e.parquet", threads=2)
        same = landbridge.components((u, v), ids="sparse")
        assert np.array_equal(answer.ids, same.ids)
        assert np.array_equal(answer.labels, same.labels)
        with pytest.raises(TimeLimitExceeded), time_limit(1e-3):
            landbridge.components(tmp_path / "e.parquet")


LISTS: dict[str, Any] = {
    "integers": lambda: list(range(60 * SLICE)),
    "floats": lambda: [0.5] * (20 * SLICE),
    "pairs": lambda: list(zip(range(30 * SLICE), range(30 * SLICE), strict=True)),
    "pairs of text": lambda: [("a", "b")] * (30 * SLICE),
    "pairs of other types": lambda: [np.array([1, 2]), *[(1, 2)] * 5] * SLICE,
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_stop_on_their_way(name: str) -> None:
    values = LISTS[name]()

    def seconds(limit: float) -> float:
        began = time.process_time()
        with suppress(TimeLimitExceeded), time_limit(limit):
            numbers_of(values) if isinstance(values[0], int | float) else columns_of_edges(values)
        return time.process_time() - began

    whole = seconds(1000)
    assert any(seconds(whole / 10) < 0.6 * whole for _ in range(5))


def _names(count: int) -> NameArray:
    return NameArray(*encoded([f"vertex {i}" for i in range(count)], "u"))


# What is made before, and what runs then.
CONVERSIONS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "UUIDs": (lambda: [uuid.UUID(int=i) for i in range(8 * SLICE)], ids),
    "bytes": (lambda: [b"vertex %d" % i for i in range(20 * SLICE)], ids),
    "an array of text": (lambda: np.array([f"vertex {i}" for i in range(20 * SLICE)]), ids),
    "names in order": (lambda: _names(20 * SLICE), lambda names: names.tolist()),
    "names by numbers": (lambda: _names(10 * SLICE), lambda names: names[::-1]),
    "names as bytes": (lambda: _names(10 * SLICE), lambda names: gathered(names.buffers, np.arange(len(names))[::-1])),
    "numbers of several types": (lambda: [0.5, *range(10 * SLICE)], lambda values: values_of(values, PLACE)),
    "bools": (lambda: [True, False] * (20 * SLICE), lambda values: kinds_of(values, len(values))),
    "labels that are text": (lambda: _names(20 * SLICE), by_first),
}


@pytest.mark.long
@pytest.mark.parametrize("name", CONVERSIONS)
def test_conversions_stop_on_their_way(name: str) -> None:
    make, convert = CONVERSIONS[name]
    argument = make()

    def seconds(limit: float) -> float:
        began = time.process_time()
        with suppress(TimeLimitExceeded), time_limit(limit):
            convert(argument)
        return time.process_time() - began

    whole = seconds(1000)
    assert any(seconds(whole / 10) < 0.6 * whole for _ in range(5))


def test_names_that_are_gathered_are_those_of_python() -> None:
    texts = ["", "é", "x" * 1000, "日本語", *(f"v{i}" for i in range(N))]
    names = NameArray(*encoded(texts, "u"))
    for where in (np.random.default_rng(1).integers(0, len(texts), N), np.arange(5), np.arange(0), np.array([0, 0, 1])):
        assert names[where].tolist() == [texts[i] for i in where.tolist()]
        assert NameArray(*gathered(names.buffers, where)).tolist() == [texts[i] for i in where.tolist()]
    assert names[3:].tolist() == texts[3:]
    assert names[::-7].tolist() == texts[::-7]


def test_uuids_and_bytes_of_several_slices() -> None:
    values = [uuid.UUID(int=(i * 0x123456789ABCDEF0123) % 2**128) for i in range(N)]
    offsets, data = ids(values)
    assert bytes(data) == "".join(map(str, values)).encode()
    assert np.array_equal(np.diff(offsets), np.full(N, 36))
    values[SLICE + 3] = None  # type: ignore[call-overload]
    with refused(InputError, f"edge {SLICE + 3}: u is null"):
        ids(values)
    column: list[Any] = [b"v%d" % (i % 100) for i in range(N)]
    column[SLICE + 1] = "é".encode()
    assert bytes(ids(column)[1]) == b"".join(column)
    column[SLICE + 2] = bytearray(b"v")
    with refused(InputError, f"edge {SLICE + 2}: u = bytearray(b'v') is not text", exactly=False):
        ids(column)
    column[SLICE + 1 : SLICE + 3] = [b"\xc3", b"\xa9"]  # a character of two elements
    with refused(InputError, f"edge {SLICE + 1}: u = b'\\xc3' is no text in UTF-8"):
        ids(column)


@pytest.mark.parametrize("threads", [1, 2])
def test_names_that_are_numbered_stop_and_are_forgotten(threads: int) -> None:
    texts = encoded([f"vertex {i}" for i in range(N)], "u")
    some = encoded(["x", "vertex 1", "y"], "u")
    for known in (False, True):
        names = _core.Names(threads)
        if known:
            names.number_each(*some)
        stops, limit = 0, 1e-3
        while limit < 1000:
            try:
                with time_limit(limit):
                    numbers = names.number_each(*texts)
                break
            except TimeLimitExceeded:
                stops, limit = stops + 1, 1.5 * limit
                assert len(names) == 3 * known
                assert (names.find(*texts) >= 0).sum() == known
        assert stops
        assert len(names) == N + 2 * known
        assert np.array_equal(np.sort(numbers), [1, *range(3, N + 2)] if known else np.arange(N))
        assert np.array_equal(names.find(*texts), numbers)


def test_a_long_path_stops_on_its_way() -> None:
    n = 1 << 15
    rooted = RootedForest.of_ids(np.arange(n - 1), np.arange(1, n), np.arange(n - 1), n, None)
    with pytest.raises(TimeLimitExceeded), time_limit(1e-3):
        time.sleep(2e-3)
        rooted.path(0, n - 1)
    assert len(rooted.path(0, n - 1)) == n - 1


def test_choices_among_records_stop_behind_the_one_under_way() -> None:
    sizes = list[int]()

    def first(members: Any) -> Any:
        sizes.append(len(members))
        time.sleep(0.2 * (len(sizes) == 1))
        return members[0]

    pairs = np.arange(2000).reshape(-1, 2)
    with pytest.raises(TimeLimitExceeded), time_limit(0.19):
        landbridge.deduplicate(pairs, keep=first)
    assert sizes in ([], [2])  # none on a machine on which the rest takes that long
    sizes[:] = [0]
    assert landbridge.deduplicate(pairs, keep=first).keep.sum() == 1000


@pytest.mark.parametrize("most", [7, 2**20, 2**60])
@pytest.mark.parametrize("count", [0, 1, 2, 100_000])
def test_the_order_of_distinct_numbers(most: int, count: int) -> None:
    numbers = np.unique(np.random.default_rng(1).integers(0, most, count).astype(np.uint64))
    numbers = np.random.default_rng(2).permutation(numbers)
    for threads in (1, 2):
        assert np.array_equal(order_of(numbers, threads), np.argsort(numbers))


@pytest.mark.parametrize("most", [1, 3, 2**13, 2**40])
@pytest.mark.parametrize("count", [255, 256, 65_535, 65_536, 200_000])
def test_equal_numbers_keep_their_order(most: int, count: int) -> None:
    numbers = np.random.default_rng(count).integers(0, most, count, dtype=np.uint64)
    numbers[: count // 2] = numbers[0]  # a bucket that is split again
    for threads in (1, 2, 3):
        assert np.array_equal(order_of(numbers, threads), np.argsort(numbers, kind="stable"))


@pytest.mark.parametrize("threads", [1, 2])
def test_forests_and_sizes_of_streams(threads: int) -> None:
    n, m = N, 2 * N
    u, v = np.random.default_rng(3).integers(0, n, (2, m))
    stream = landbridge.Incremental(n, forest=True, threads=threads)
    stream.insert(u, v)
    forest = stream.forest()
    assert (np.diff(forest.edge.astype(np.int64)) > 0).all()
    assert np.array_equal(u[forest.edge], forest.u)
    labels = stream.components().labels
    smallest = np.unique(labels, return_index=True)[1][labels]
    assert np.array_equal(stream.find(np.arange(n)), smallest)
    assert np.array_equal(stream.size(np.arange(n)), np.bincount(labels)[labels])
    assert np.array_equal(stream.size([0, 2 * n]), [np.count_nonzero(labels == labels[0]), 1])


def test_the_adjacency_of_networkx_is_read_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    networkx = pytest.importorskip("networkx")
    monkeypatch.setattr("landbridge.edges.networks.SLICE", 10)
    rows = 0

    class Slow(networkx.Graph):  # type: ignore[misc, name-defined]
        def adjacency(self) -> Iterator[Any]:
            nonlocal rows
            for row in super().adjacency():
                rows += 1
                time.sleep(0.005)
                yield row

    graph = Slow(networkx.path_graph(400).edges)
    with pytest.raises(landbridge.TimeLimitExceeded):
        landbridge.components(graph, timeout=0.1)
    assert rows < 200
    assert landbridge.components(graph).count == 1


NUMBERS: list[Any] = [
    np.int8, np.int32, np.int64, np.uint8, np.uint32, np.uint64, np.float16, np.float32, np.float64, np.longdouble,
    np.bool_,
]  # fmt: skip


def columns_of_numbers(count: int) -> Iterator[Any]:
    """Numbers of each type, with few values and with many, the least and the greatest among them."""
    draw = np.random.default_rng(count)
    for kind in map(np.dtype, NUMBERS):
        if kind.kind == "f":
            yield draw.normal(size=count).astype(kind)
            yield draw.choice([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, 2e-5], count).astype(kind)
        elif kind.kind == "b":
            yield draw.integers(0, 2, count).astype(kind)
        else:
            least, most = np.iinfo(kind).min, np.iinfo(kind).max
            yield draw.integers(least, most, count, dtype=kind, endpoint=True)
            yield draw.choice(np.array([least, most, 0, 1], kind), count)


def test_sorts_by_the_core_are_those_of_numpy() -> None:
    for count in (0, 1, 2, 300, 9000):
        places = np.random.default_rng(1).integers(0, max(count, 1), count // 2)
        for column in columns_of_numbers(count):
            stable = len(column) - 1 - np.argsort(column[::-1], kind="stable")[::-1]
            assert np.array_equal(descending(column, 2), stable), column.dtype
            assert np.array_equal(taken(column, places), column[places])
            if column.dtype.kind == "u":
                order = order_of(column.astype(np.uint64), 2)
                assert np.array_equal(order, np.argsort(column, kind="stable"))
            if column.dtype.kind in "iu":
                assert np.array_equal(distinct(column, 2), np.unique(column))
                assert distinct(column, 1).dtype == column.dtype


def test_objects_are_ranked_in_parts_as_they_are_sorted() -> None:
    draw = np.random.default_rng(5)
    numbers = draw.integers(0, 60_000, 20_000).tolist()
    for values in (
        [Decimal(x) / 7 for x in numbers],
        [x - (1 << 70) for x in numbers],
        [Decimal(x % 5) for x in numbers],
    ):
        ranks = preferences_of(np.array(values, dtype=object), range(len(values)), None, "id")
        rank = {value: i for i, value in enumerate(sorted(set(values)))}
        assert ranks.tolist() == [rank[value] for value in values]
    dates = np.datetime64("2000-01-01") + draw.permutation(9000)
    for odd in (np.datetime64("2000-01-01T00:00").item(), Decimal(3)):
        for mixed in ([*dates.tolist(), odd], [odd, *dates.tolist()]):
            with pytest.raises(InputError, match="keep: the values have no common order"):
                preferences_of(np.array(mixed, dtype=object), range(len(mixed)), None, "id")
