"""Laws of the reduce core, on an engine of this process that repeats, reorders and fails."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import memory_of_tasks
import numpy as np
import pyarrow as pa
import pytest
from cluster_cases import KINDS, Case, Lazy, Recomputing, Unreliable, batch, ids_of_kind, random_case

import landbridge
from landbridge import _core
from landbridge.cluster import messages, sorted_forest
from landbridge.cluster.forests import KeyForest, edges_at, forest_of
from landbridge.cluster.in_process import InProcess, by_receiver
from landbridge.cluster.keys import ids_of, keys_of
from landbridge.cluster.messages import Inbox, Kind, Outbox
from landbridge.cluster.naming import NO_TEXTS, ForestTable, LabelTable
from landbridge.cluster.packing import pack, rows_in, unpack, unpack_into
from landbridge.cluster.planning import choose
from landbridge.cluster.running import ClusterRun, RunOptions, edges_of
from landbridge.cluster.sampling import Members, runs_of
from landbridge.cluster.sorted_forest import SortedForest, Stars
from landbridge.cluster.tasks import ForestOfEdges, MergeIntoLabels, Sketch
from landbridge.cluster.trees import read_forests, send_forest
from landbridge.cluster.versions import versions_of
from landbridge.errors import CheckFailed, InputError

MEMORIES = (1000, 4000, 1 << 30)


def run_of(case: Case, engine: Any, **options: Any) -> ClusterRun:
    return ClusterRun(engine, edges_of(case.type, case.type), RunOptions(**options))


def components(case: Case, engine: Any, **options: Any) -> dict[Any, Any]:
    table = run_of(case, engine, **options).components(case.partitions)
    result = dict(zip(table["id"].to_pylist(), table["component"].to_pylist(), strict=True))
    assert len(result) == table.num_rows
    assert table.schema.types == [case.type, case.type]
    return result


def one_random_run(seed: int) -> None:
    """Any graph, partitions, order, method, memory, with retries and repeats: the labels of a search, bit for bit."""
    rng = np.random.default_rng(seed)
    case = random_case(rng)
    method = str(rng.choice(["auto", "tree", "sample", "contract"]))
    options = {"method": method, "min_size": int(rng.choice([1, 1, 2, 3])), "check": bool(rng.integers(2))}
    engine = Unreliable(rng, int(rng.choice(MEMORIES)), repeat=True)
    assert components(case, engine, **options) == case.answer(options["min_size"]), (seed, options)
    if rng.random() < 0.3:
        check_forest(case, Unreliable(rng, 1 << 30, repeat=False), str(rng.choice(["tree", "sample"])))


def check_forest(case: Case, engine: Any, method: str) -> None:
    """Edges of the input, no cycle, the same components."""
    table = run_of(case, engine, names=("u", "v"), method=method).spanning_forest(case.partitions)
    forest = list(zip(table["u"].to_pylist(), table["v"].to_pylist(), strict=True))
    assert set(forest) <= set(case.pairs)
    answer = case.answer()
    assert len(forest) == len(answer) - len(set(answer.values()))
    loops = [(x, x) for x in answer]
    assert Case(case.kind, [*forest, *loops], []).answer() == answer


@pytest.mark.parametrize("seed", range(40))
def test_random_runs(seed: int) -> None:
    one_random_run(seed)


CONTRACT = pytest.param("contract", marks=pytest.mark.long)


@pytest.mark.parametrize("method", ["tree", "sample", CONTRACT])
def test_outputs_of_several_runs_never_mix(method: str) -> None:
    # With little memory, which edges stand for a partition depends on the order of its rows.
    refused = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        case = random_case(rng, "int64", 200)
        engine = Recomputing(rng, 3000, 0.3)
        try:
            assert components(case, engine, method=method) == case.answer(), seed
        except InputError as error:
            assert "its rows came in another order, also in each of 3 repeats: write the edges" in str(error)
            refused += 1
    assert (refused > 0) == (method == "contract")


@pytest.mark.parametrize("method", ["tree", "sample", CONTRACT, "forest"])
def test_what_read_other_runs_than_were_counted_is_repeated(method: str, caplog: pytest.LogCaptureFixture) -> None:
    repeats, forest = 0, method == "forest"
    for seed in range(60 if forest else 12):
        rng = np.random.default_rng(seed)
        case = random_case(rng, "int64", 200)
        engine = Recomputing(rng, 1 << 30 if forest else 3000, 0.3, phases=3)
        caplog.clear()
        with caplog.at_level("INFO", "landbridge.cluster"):
            if forest:
                check_forest(case, engine, str(rng.choice(["tree", "sample"])))
            else:
                assert components(case, engine, method=method, check=bool(rng.integers(2))) == case.answer(), seed
        repeats += "its rows came in another order" in caplog.text
    assert (repeats > 1) == (method in ("contract", "forest"))


def test_an_error_of_another_kind_is_raised_at_once() -> None:
    calls = []

    def fails() -> None:
        calls.append(1)
        raise ZeroDivisionError

    run = ClusterRun(InProcess(), edges_of(pa.int64(), pa.int64()), RunOptions())
    with pytest.raises(ZeroDivisionError):
        run.repeated(fails)
    assert len(calls) == 1


def test_the_edges_of_a_forest_are_of_one_run() -> None:
    ids = edges_of(pa.int64(), pa.int64()).ids
    u, v = np.array([1, 2, 3], np.uint64), np.array([2, 3, 1], np.uint64)
    task = MergeIntoLabels(ids, 1, True, parts=2)

    def last(rows: list[int]) -> Any:
        forest = Outbox("edges")
        forest.send(Kind.FOREST, 0, u[rows], v[rows])
        return list(task(0, forest.rest()))

    def read(batches: Any) -> int:
        to_each = by_receiver(batches, (Kind.FOREST, Kind.VERSION))
        table = ForestTable(ids, ("u", "v"), versions)
        assert sorted(to_each) == [0, 1]
        return sum(len(one) for to in (0, 1) for one in table(to, to_each[to]))

    first, again = last([0, 1, 2]), last([2, 1, 0])
    versions = versions_of(InProcess().persist([first]))
    assert read(first) == 2
    with pytest.raises(InputError, match=r"task 0 ran again, .*: write the edges to files"):
        read(again)


def test_a_task_that_runs_again_records_the_same_edges() -> None:
    ids = edges_of(pa.int64(), pa.int64()).ids
    u, v = np.random.default_rng(7).integers(0, 1 << 16, (2, 1 << 18)).astype(np.uint64)

    def recorded() -> Any:
        forest = KeyForest(ids, 4, keep_edges=True)
        forest.add(u, v)
        return next(edges_at(*forest.edges()))

    first = recorded()
    for _ in range(3):
        assert all(np.array_equal(a, b) for a, b in zip(first, recorded(), strict=True))


def test_batches_of_labels_have_buffers_of_their_own() -> None:
    # A slice of a larger batch counts and travels as all of it.
    ids = edges_of(pa.int64(), pa.int64()).ids
    keys = np.arange(150_000, dtype=np.uint64)
    out = Outbox("labels")
    out.send(Kind.LABEL, 0, keys, keys)
    batches = list(LabelTable(ids, ("id", "component"))(0, out.rest()))
    assert len(batches) > 1
    assert sum(one.get_total_buffer_size() for one in batches) == 16 * len(keys)
    assert pa.Table.from_batches(batches)["id"].to_numpy().tolist() == ids_of(keys, ids).to_numpy().tolist()


def test_parts_of_a_forest_wait_while_a_sixth_of_the_memory_holds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    merged: list[int] = []
    merge = sorted_forest._merged
    monkeypatch.setattr(sorted_forest, "_merged", lambda parts: (merged.append(sum(map(len, parts))), merge(parts))[1])
    ids = edges_of(pa.int64(), pa.int64()).ids
    tables = []
    for memory in (1 << 12, 1 << 40):
        forest = forest_of(ids, 1, memory)
        for i in range(9):
            forest.add_stars(Stars(np.arange(i, i + 90, dtype=np.uint64), np.zeros(90, np.int32)))
        tables.append(forest.labels())
    assert merged[-1] == 9 * 90
    assert len(merged) > 3
    assert all(np.array_equal(a, b) for a, b in zip(*tables, strict=True))


def test_many_small_forests_are_merged_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    merge = _core.merge_ascending
    monkeypatch.setattr(_core, "merge_ascending", lambda *rows: (calls.append(1), merge(*rows))[1])
    count, forest = 1000, SortedForest()
    for i in range(count):
        forest.add_stars(Stars(np.array([i, i + count], np.uint64), np.array([0, 0], np.int32)))
    keys, roots = forest.labels()
    assert np.array_equal(keys, np.arange(2 * count))
    assert np.array_equal(roots, np.tile(np.arange(count), 2))
    assert len(calls) == 1


def test_a_task_reads_texts_of_any_widths() -> None:
    reader = edges_of(pa.string(), pa.string())
    rows = [(["a", "b"], ["b", "c"]), (["c", "x"], ["d", "y"]), (["y"], ["z"])]

    def forest(*kinds: Any) -> Any:
        batches = [batch(*(pa.array(x, kind) for x in pair)) for pair, kind in zip(rows, kinds, strict=True)]
        messages = Inbox(ForestOfEdges(reader, 1 << 20)(0, iter(batches)))
        keys, (offsets, data) = messages.columns(Kind.TEXT, reader.ids.empty(), NO_TEXTS)
        assert np.array_equal(offsets, np.arange(8))
        return keys, bytes(data)

    keys, texts = forest(pa.string(), pa.string(), pa.string())
    assert sorted(texts) == sorted(b"abcdxyz")
    dictionaries = [pa.dictionary(pa.int32(), kind) for kind in (pa.string(), pa.large_string())]
    for kinds in itertools.permutations([pa.string(), pa.large_string(), pa.string_view(), *dictionaries], 3):
        again, same = forest(*kinds)
        assert np.array_equal(again, keys)
        assert same == texts


@pytest.mark.slow
def test_ten_thousand_random_runs() -> None:
    for seed in range(1000, 11000):
        one_random_run(seed)


def test_labels_are_those_of_one_process_bit_for_bit() -> None:
    rng = np.random.default_rng(5)
    u, v = rng.integers(-(2**62), 2**62, 3000)[rng.integers(0, 3000, (2, 4000))]
    frame = landbridge.components(pa.table({"u": u, "v": v}), columns=("u", "v"), ids="sparse").frame("pyarrow")
    parts = [[batch(pa.array(a), pa.array(b))] for a, b in zip(np.split(u, 8), np.split(v, 8), strict=True)]
    kind = pa.int64()
    for method in ("tree", "sample", "contract"):
        engine = InProcess(memory=40_000)
        table = ClusterRun(engine, edges_of(kind, kind), RunOptions(method=method)).components(parts).sort_by("id")
        assert table["id"].equals(frame["id"])
        assert table["component"].equals(frame["representative"])


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
@pytest.mark.parametrize("seed", range(5))
def test_sorted_forests_are_those_of_a_table(block: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ids = edges_of(pa.int64(), pa.int64()).ids
    u, v = rng.integers(0, 2**64 - 1, 90, dtype=np.uint64)[rng.integers(0, 90, (2, 60))]
    table, one, other = KeyForest(ids), SortedForest(block=block), SortedForest(block=block)
    for forest, rows in ((table, slice(60)), (one, slice(40)), (other, slice(30, 60))):
        forest.add(u[rows], v[rows])
    assert one.most >= len(one)
    for _ in range(2):
        one.add_stars(other.whole())
    for a, b in zip(one.labels(), table.labels(), strict=True):
        assert np.array_equal(a, b)
    assert (one.links, len(one), one.most) == (table.links, len(table), len(table))
    one.clear()
    assert (len(one), one.links) == (0, 0)


@pytest.mark.parametrize("release", [True, False])
def test_forests_merge_in_windows(monkeypatch: pytest.MonkeyPatch, release: bool) -> None:
    for name, value in {"_WINDOW": 300, "_ROWS": 100, "_LARGE": 4096}.items():
        monkeypatch.setattr(sorted_forest, name, value)
    if not release:
        monkeypatch.setattr(sorted_forest, "_RELEASE", None)
    rng = np.random.default_rng(4)
    ids = edges_of(pa.int64(), pa.int64()).ids
    table, one, other = KeyForest(ids), SortedForest(block=700, spare=500), SortedForest(block=700, spare=500)
    for i in range(3):
        # Consecutive keys, keys far apart, and few keys many times: parts whose windows end at different keys.
        u, v = rng.integers(0, (9000, 2**64 - 1, 50)[i], (2, 5000), dtype=np.uint64)
        table.add(u, v)
        (one, other, one)[i].add(u, v)
    for _ in range(2):  # twice: its own forest has the memory
        one.add_stars(other.whole())
        one.whole()
    copies = [x.copy() for x in other.labels()]
    for a, b in zip(one.labels(), table.labels(), strict=True):
        assert np.array_equal(a, b)
    assert (one.links, len(one)) == (table.links, len(table))
    for a, b in zip(other.labels(), copies, strict=True):
        assert np.array_equal(a, b)
    one.add_stars(Stars(*other.labels()))
    assert np.array_equal(one.keys(), table.labels()[0])


@pytest.mark.parametrize("parts", [1, 2, 3, 5, 8, 19])
def test_ascending_keys_merge(parts: int) -> None:
    rng = np.random.default_rng(parts)
    for most in (4, 300, 2**64 - 1):
        keys = [np.unique(rng.integers(0, most, int(rng.integers(0, 200)), np.uint64, True)) for _ in range(parts)]
        total = sum(map(len, keys))
        places = [np.empty(len(part), np.int32) for part in keys]
        merged, spare, tags = np.empty(total, np.uint64), np.empty(2 * total, np.uint64), np.empty(2 * total, np.int32)
        count = _core.merge_ascending(keys, 7, merged, places, spare, tags)
        assert np.array_equal(merged[:count], np.unique(np.concatenate(keys)))
        for part, place in zip(keys, places, strict=True):
            assert np.array_equal(merged[place - 7], part)
    with pytest.raises(ValueError, match="no room for 2 ids"):
        _core.merge_ascending([np.arange(2, dtype=np.uint64)], 0, merged[:1], [np.empty(2, np.int32)], spare, tags)


def test_more_ids_than_places_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorted_forest, "_MOST_KEYS", 20)
    forest = SortedForest(block=4)
    forest.add(np.arange(30, dtype=np.uint64), np.arange(30, dtype=np.uint64))
    with pytest.raises(InputError, match=r"one task holds 2\^31 ids or more"):
        forest.whole()


def test_forests_come_in_any_order_and_twice() -> None:
    rng = np.random.default_rng(2)
    ids = edges_of(pa.int64(), pa.int64()).ids
    out, expected = Outbox("test"), forest_of(ids)
    for _ in range(3):
        forest = forest_of(ids)
        u, v = rng.integers(0, 30_000, (2, 20_000), dtype=np.uint64)
        for one in (forest, expected):
            one.add(u, v)
        send_forest(out, 0, forest)
    (sent,) = list(out.rest())
    rows = rng.permutation(np.r_[np.arange(sent.num_rows), np.arange(0, sent.num_rows, 3)])
    forest = forest_of(ids)
    for _ in read_forests([sent.take(rows)], forest):
        pass
    for a, b in zip(forest.labels(), expected.labels(), strict=True):
        assert np.array_equal(a, b)


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks of memory are read from /proc")
@pytest.mark.parametrize("kind", ["int64", "uuid"])
@pytest.mark.parametrize("task", list(memory_of_tasks.EDGES))
def test_tasks_take_no_more_memory_than_plans_expect(task: str, kind: str) -> None:
    words = [sys.executable, memory_of_tasks.__file__, task, kind]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert float(done.stdout) < memory_of_tasks.planned(task, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_keys_keep_the_ids(kind: str) -> None:
    column = ids_of_kind(kind, range(20))
    ids = edges_of(column.type, column.type).ids
    keys = keys_of(column, ids)
    if not ids.hashed:
        assert ids_of(keys, ids).equals(column)
    assert len(np.unique(keys, axis=0)) == 20


@pytest.mark.parametrize("width", range(9))
def test_packed_columns_come_back(width: int) -> None:
    rng = np.random.default_rng(width)
    top = 2 ** (8 * width) - 1
    column = rng.integers(0, top, 100, dtype=np.uint64, endpoint=True) if top else np.zeros(100, np.uint64)
    wide = np.stack([column, column[::-1]], axis=1)
    texts = np.array([0, 0, *range(1, 99), 99], dtype=np.int64), rng.integers(0, 255, 99, dtype=np.uint8)
    for part in (column, np.sort(column), column % np.uint64(3), wide, wide[:1].repeat(100, axis=0), texts, column[:0]):
        count = len(part[0]) - 1 if isinstance(part, tuple) else len(part)
        (other,) = unpack(pack([part]))
        if isinstance(part, tuple):
            assert all(np.array_equal(a, b) for a, b in zip(part, other, strict=True))
        else:
            assert other.dtype == np.uint64
            assert np.array_equal(other, part)
            assert len(other) == count


@pytest.mark.parametrize("seed", range(20))
def test_packed_numbers_come_back_in_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, bits = int(rng.integers(0, 700)), int(rng.integers(1, 64))
    numbers = rng.integers(0, 2**bits, rows, dtype=np.uint64)
    places = rng.integers(0, 2 ** min(bits, 31), rows).astype(np.int32)
    few = (numbers % np.uint64(5), places % 5, np.repeat(numbers, 9)[:rows], np.repeat(places, 9)[:rows])
    columns = [numbers, places, np.sort(numbers), np.sort(places), *few]
    filled = [np.empty(rows, dtype=column.dtype) for column in columns]
    data = pack(list(columns))
    unpack_into(data, *filled)
    for column, one, other in zip(columns, filled, unpack(data), strict=True):
        assert np.array_equal(column, one)
        assert np.array_equal(column, other)
    assert len(pack([places % 5])) < len(pack([places])) or bits < 16 or rows < 100


def test_planes_of_another_size_are_refused() -> None:
    smallest, width, planes = _core.to_planes(np.array([7, 300, 9], np.uint64), False)
    assert (smallest, width, len(planes)) == (7, 2, 6)
    for data, count in ((planes, 4), (planes[:5], 3)):
        with pytest.raises(ValueError, match=f"{len(data)} bytes are no 2 planes of {count} numbers"):
            _core.from_planes(np.frombuffer(data, np.uint8), smallest, width, np.empty(count, np.uint64))
    extremes = np.array([-(2**31), 2**31 - 1, 0], np.int32)
    smallest, width, planes = _core.to_planes(extremes, False)
    filled = np.empty(3, np.int32)
    _core.from_planes(np.frombuffer(planes, np.uint8), smallest, width, filled)
    assert np.array_equal(filled, extremes)
    assert _core.few_values(np.array([5, 1, 5], np.uint64), 1) is None
    values, places = _core.few_values(np.array([5, 1, 5], np.uint64), 2)
    assert (values.tolist(), places.tolist()) == ([1, 5], [1, 0, 1])


def test_messages_go_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "_BATCH", 1000)
    out = Outbox("test")
    for i in range(100):
        out.forward(i, Kind.TEXT, bytes(60), bytes(i))
    batches = [*out.full(), *out.rest()]
    assert len(batches) > 6
    rows = [row for one in batches for row in one.to_pylist()]
    assert [(row["to"], len(row["data"])) for row in rows[:-1]] == [(i, 60 + i) for i in range(100)]
    assert (rows[-1]["to"], rows[-1]["kind"]) == (-1, int(Kind.COUNTERS))
    monkeypatch.setattr(messages, "_MOST", 2000)
    out.forward(0, Kind.TEXT, bytes(3000))
    with pytest.raises(InputError, match="a message of 3000 bytes: a batch of Arrow holds 2000"):
        list(out.rest())


WITHOUT_PANDAS = """
import sys
import numpy, pyarrow
from landbridge.cluster.in_process import InProcess
from landbridge.cluster.keys import column_of
from landbridge.cluster.running import ClusterRun, RunOptions, edges_of

class Refuse:
    def find_spec(self, name, path, target=None):
        assert name != "pandas"

sys.meta_path.insert(0, Refuse())
u, v = (column_of(numpy.array(x)) for x in ([1, 2, 5, 9], [2, 3, 6, 9]))
rows = [[pyarrow.record_batch([u, v], names=["u", "v"])] for _ in range(9)]
for method in ("tree", "sample", "contract"):
    for check in (False, True):
        engine, reader = InProcess(places=2), edges_of(pyarrow.int64(), pyarrow.int64())
        table = ClusterRun(engine, reader, RunOptions(method=method, check=check)).components(rows)
        assert sorted(table["id"].to_pylist()) == [1, 2, 3, 5, 6, 9]
"""


def test_tasks_import_no_pandas() -> None:
    # It takes a second in each worker, and pyarrow imports it for `np.asarray` of a column and for `pyarrow.array`.
    subprocess.run([sys.executable, "-c", WITHOUT_PANDAS], check=True)


def test_forests_in_one_place_are_merged_before_they_are_sent() -> None:
    rows = uniform(20_000, 160_000, 32, 10**12)
    bytes_of, expected = {}, {}
    for places in (0, 2):
        engine = InProcess(places=places)
        run = ClusterRun(engine, edges_of(pa.int64(), pa.int64()), RunOptions(method="tree"))
        table = run.components(rows)
        bytes_of[places], expected[places] = engine.moved, run.explain(rows).bytes
        assert np.all(np.diff(np.asarray(table["id"])) > 0)  # receivers get ids in order
        assert len(np.unique(table["component"])) == 1
    assert bytes_of[2] < bytes_of[0] / 5
    for places in (0, 2):
        assert bytes_of[places] / 2 < expected[places] < 3 * bytes_of[places]


def test_the_sketch_counts_different_ids() -> None:
    keys = np.arange(200_000, dtype=np.uint64)
    one, two = Sketch(), Sketch()
    one.add(keys[:150_000])
    two.add(keys[50_000:])
    two.add(keys[50_000:])
    assert abs(Sketch.of([one.text(), two.text()]) - 200_000) < 12_000
    few = Sketch()
    few.add(keys[:10])
    assert Sketch.of([few.text()]) == 10
    assert Sketch.of([Sketch().text()]) == 0


def test_nulls_are_refused_with_partition_and_row() -> None:
    good = batch(pa.array([1, 2, 3]), pa.array([2, 3, 4]))
    bad = batch(pa.array([1, 2, 3]), pa.array([2, None, 4]))
    run = ClusterRun(InProcess(), edges_of(pa.int64(), pa.int64()), RunOptions())
    with pytest.raises(InputError, match="partition 1, row 4: 'dst' is null"):
        run.components([[good], [good, bad]])


@pytest.mark.parametrize(
    ("src", "dst", "message"),
    [
        ("int64", "int32", "'src' holds int64 and 'dst' holds int32: cast 'dst' to int64$"),
        ("int32", "uint32", "cast 'src' and 'dst' to int64$"),
        ("uint32", "uint64", "cast 'src' to uint64$"),
        ("int64", "uint64", "cast them to int64, or to string if"),
        ("int64", "large_string", "cast 'src' to string$"),
        ("string", "large_binary", "cast 'src' to binary$"),
        ("binary", "int64", "cast them to one type$"),
        ("double", "double", "ids are int32"),
        ("string", "double", "column 'dst' holds double; ids are int32"),
    ],
)
def test_ids_of_two_types_are_refused_with_the_cast(src: str, dst: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        edges_of(pa.type_for_alias(src), pa.type_for_alias(dst))


def test_text_and_bytes_of_all_widths_are_one_type_of_ids() -> None:
    for word in ("string", "binary"):
        plain, large, view = (getattr(pa, name)() for name in (word, f"large_{word}", f"{word}_view"))
        kinds = [plain, large, view, *(pa.dictionary(pa.int8(), kind) for kind in (plain, large))]
        for src, dst in itertools.product(kinds, kinds):
            both_plain = {src, dst} <= {plain, kinds[3]}
            assert edges_of(src, dst).ids.arrow == (word if both_plain else f"large_{word}")
            reader = edges_of(plain, plain, vertices=("id", dst))
            assert reader.ids.arrow == (word if dst in (plain, kinds[3]) else f"large_{word}")
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array(["a", None]))
    with pytest.raises(InputError, match="partition 3, row 1: 'dst' is null"):
        list(edges_of(pa.string(), column.type).checked(3, [batch(pa.array(["x"] * 3), column)]))


def test_a_batch_of_another_type_is_refused() -> None:
    run = ClusterRun(InProcess(), edges_of(pa.int64(), pa.int64()), RunOptions())
    with pytest.raises(InputError, match="partition 0: 'src' holds string"):
        run.components([[batch(pa.array(["a"]), pa.array(["b"]))]])


def giant(n: int, parts: int) -> list[Any]:
    """A path through all ids in random order: one component, its edges anywhere."""
    rng = np.random.default_rng(3)
    order = rng.permutation(n)
    rows = rng.permutation(n - 1)
    u, v = order[rows], order[rows + 1]
    return [[batch(pa.array(u[i::parts]), pa.array(v[i::parts]))] for i in range(parts)]


def hub(n: int, parts: int) -> list[Any]:
    """One vertex with all edges."""
    others = np.arange(1, n)
    return [
        [batch(pa.array(np.zeros(len(others[i::parts]), np.int64)), pa.array(others[i::parts]))] for i in range(parts)
    ]


class Measuring(InProcess):
    """Measures the most rows that any task has received."""

    rows = 0

    def run(self, task: Any, number: int, batches: Any) -> Any:
        messages = [row for one in batches if one.num_columns == 3 for row in one.to_pylist()]
        heads = {int(Kind.TREES): 16}
        self.rows = max(self.rows, sum(rows_in(row["data"][heads.get(row["kind"], 0) :]) for row in messages))
        return super().run(task, number, batches)


@pytest.mark.long
@pytest.mark.parametrize("graph", [giant, hub])
def test_contraction_gives_no_worker_more_than_its_share(graph: Any) -> None:
    n, parts = 20_000, 16
    engine = Measuring(memory=200_000)  # some 3500 ids of 20000
    run = ClusterRun(engine, edges_of(pa.int64(), pa.int64()), RunOptions())
    table = run.components(graph(n, parts))
    assert table.num_rows == n
    assert table["component"].unique().to_pylist() == [0]
    assert engine.rows < n


def test_the_plan_says_why() -> None:
    case = random_case(np.random.default_rng(1), "int64", 60)
    for memory, method in ((1 << 30, "tree"), (100, "contract")):
        _, plan = run_of(case, InProcess(memory=memory)).first_pass(case.partitions)
        assert plan.method == method
        assert str(plan.facts.ids) in plan.reason
        assert f"{plan.bytes} bytes" in str(plan)
    with pytest.raises(InputError, match="method must be one of"):
        choose("fast", plan.facts, edges_of(pa.int64(), pa.int64()).ids)
    with pytest.raises(InputError, match="a spanning forest of about"):
        run_of(case, InProcess(memory=100)).spanning_forest(case.partitions)


class Wrong(InProcess):
    """Changes or loses one label."""

    def __init__(self, damage: str) -> None:
        super().__init__(tasks=1)
        self._damage = damage

    def reduce_groups(self, sources: Any, task: Any, groups: int) -> Any:
        result = super().reduce_groups(sources, task, groups)
        if groups > 1 or not isinstance(task, MergeIntoLabels):
            return result
        rows = [row for part in result for one in part for row in one.to_pylist()]
        for row in rows:
            if row["kind"] == int(Kind.LABEL):
                keys, labels = (np.array(x) for x in unpack(row["data"]))
                if self._damage == "split":
                    labels[-1] = keys[-1]
                elif self._damage == "larger":
                    labels[labels == labels[0]] = keys[-1]
                elif self._damage == "joined":
                    labels[:] = labels[0]
                else:
                    keys, labels = keys[:-1], labels[:-1]
                row["data"] = pack([keys, labels])
        return [[pa.RecordBatch.from_pylist(rows, schema=result[0][0].schema)]]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("split", "edges join two components"),
        ("larger", "smaller than the name|do not make"),
        ("joined", "do not make 1 components"),
        ("lost", "have no component"),
    ],
)
def test_the_check_sees_wrong_labels(damage: str, message: str) -> None:
    edges = [[batch(pa.array([1, 2, 5]), pa.array([2, 3, 6]))]]
    run = ClusterRun(Wrong(damage), edges_of(pa.int64(), pa.int64()), RunOptions(check=True))
    with pytest.raises(CheckFailed, match=message):
        run.components(edges)


def uniform(ids: int, edges: int, parts: int, step: int = 1) -> list[Any]:
    """Random edges anywhere: most ids are in one component, and each partition has a few edges of all parts of it."""
    u, v = step * np.random.default_rng(7).integers(0, ids, (2, edges))
    return [[batch(pa.array(u[i::parts]), pa.array(v[i::parts]))] for i in range(parts)]


def moved(rows: list[Any], method: str) -> tuple[int, Any]:
    """The bytes that a method moves, and its answer, ids ascending."""
    engine = InProcess()
    run = ClusterRun(engine, edges_of(pa.int64(), pa.int64()), RunOptions(method=method, check=True))
    table = run.components(rows).sort_by("id")
    engine.moved = 0
    ClusterRun(engine, edges_of(pa.int64(), pa.int64()), RunOptions(method=method)).components(rows)
    return engine.moved, table


def test_a_sample_leaves_out_what_most_partitions_have_in_common() -> None:
    rows = uniform(20_000, 160_000, 32)
    (tree, expected), (sample, table), (auto, _) = (moved(rows, method) for method in ("tree", "sample", "auto"))
    assert table.equals(expected)
    assert sample < tree / 3
    assert auto == sample


def test_a_sample_is_not_taken_where_it_would_not_help() -> None:
    few, far, apart = (uniform(20_000, 160_000, *how) for how in ((4,), (32, 10**12), (32, 3)))
    ((whole,),) = uniform(20_000, 160_000, 1)
    for rows in (few, far, apart, [[shifted(whole.slice(2500 * i, 2500), i)] for i in range(64)]):
        run = ClusterRun(InProcess(), edges_of(pa.int64(), pa.int64()), RunOptions())
        plan = run.explain(rows)
        assert plan.method == "tree", plan
        tree, expected = moved(rows, "tree")
        sample, table = moved(rows, "sample")
        assert table.equals(expected)
        assert sample < 1.6 * tree


def shifted(rows: Any, number: int) -> Any:
    """The same edges between ids that no other partition has."""
    return batch(*(pa.array(np.asarray(column) + 10**6 * number) for column in rows.columns))


def test_members_are_runs_of_consecutive_keys() -> None:
    rng = np.random.default_rng(3)
    ids = edges_of(pa.int64(), pa.int64()).ids
    keys = np.unique(rng.integers(0, 300, 200)).astype(np.uint64)
    keys = np.concatenate([keys, keys[:1], keys + np.uint64(2**64 - 300)])[np.argsort(rng.random(2 * len(keys) + 1))]
    keys = np.unique(keys)
    columns = [np.asarray(column) for column in runs_of(keys)]
    assert len(columns[0]) < len(keys)
    members = Members(ids)
    for part in rng.permutation(len(columns[0])):
        members.add([column[part : part + 1] for column in columns])
        members.add([column[part : part + 1] for column in columns])
    every = np.concatenate([np.arange(400, dtype=np.uint64), np.uint64(2**64 - 1) - np.arange(400, dtype=np.uint64)])
    assert members.holds(every).tolist() == np.isin(every, keys).tolist()
    assert not Members(ids).holds(every).any()


def test_members_beyond_a_quarter_of_the_memory_stay_where_they_are(caplog: pytest.LogCaptureFixture) -> None:
    rows = uniform(2000, 16_000, 32)
    tables = []
    for memory, least, most in ((1 << 20, 0, 2000), (1000, 2000, 32 * 2000)):
        run = ClusterRun(InProcess(memory=memory), edges_of(pa.int64(), pa.int64()), RunOptions(method="sample"))
        with caplog.at_level("INFO", "landbridge.cluster"):
            tables.append(run.components(rows).sort_by("id"))
        left = int(caplog.records[-1].getMessage().split()[-2])
        assert least <= left <= most
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize(
    ("kind", "count"),
    [("int64", 600), *(pytest.param(kind, 3000, marks=pytest.mark.long) for kind in ("int64", "string"))],
)
def test_plans_do_not_double_in_every_round(kind: str, count: int) -> None:
    # Spark makes a plan of all that leads to a result; were one read twice in each round, it would not fit the driver.
    ids = ids_of_kind(kind, range(count))
    edges = batch(ids[:-1], ids[1:])
    engine = Lazy(memory=100)
    table = ClusterRun(engine, edges_of(ids.type, ids.type), RunOptions(method="contract")).components([[edges]])
    assert table.num_rows == len(ids)
    assert len(table["component"].unique()) == 1
    assert engine.steps > 12  # rounds, and labels back through all of them
    assert engine.largest < engine.steps**2, engine.steps
