"""Which records are kept: tables of every library, and what is refused."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import InputError

PAIRS = [("bob", "rob"), ("rob", "robert"), ("ann", "anne")]
RECORDS = ["rob", "eve", "bob", "anne", "ann", "robert"]
KEPT = [False, True, True, False, True, False]
FIRST = ["bob", "eve", "bob", "ann", "ann", "bob"]
SIZES = [3, 1, 3, 2, 2, 3]


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    pairs = pd.DataFrame(PAIRS, columns=["left", "right"])
    records = pd.DataFrame({"key": RECORDS, "year": [1, 2, 3, 4, 5, 6]}, index=list("qwerty"))
    answer = landbridge.deduplicate(pairs, records, id="key")
    assert list(answer.columns) == ["key", "keep", "representative", "size"]
    assert answer.index.tolist() == list("qwerty")
    assert answer["key"].tolist() == RECORDS
    assert answer["keep"].tolist() == KEPT
    assert answer["representative"].tolist() == FIRST
    assert answer["size"].tolist() == SIZES
    assert records[answer["keep"]]["key"].tolist() == ["eve", "bob", "ann"]
    newest = landbridge.deduplicate(pairs, records, id="key", keep=records["year"])
    assert records[newest["keep"]]["key"].tolist() == ["eve", "ann", "robert"]
    series = landbridge.deduplicate(pairs, records["key"])
    assert series.equals(answer)


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    pairs = pl.DataFrame(PAIRS, schema=["left", "right"], orient="row")
    records = pl.DataFrame({"id": RECORDS, "year": range(6)})
    for source in (records, records.lazy(), records["id"]):
        answer = landbridge.deduplicate(pairs.lazy(), source)
        assert isinstance(answer, pl.DataFrame)
        assert answer["keep"].to_list() == KEPT
        assert answer["representative"].to_list() == FIRST
    assert records.filter(answer["keep"])["id"].to_list() == ["eve", "bob", "ann"]


def test_pyarrow_and_other_libraries() -> None:
    arrow = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    left, right = zip(*PAIRS, strict=True)
    pairs = arrow.table({"left": left, "right": right})
    answer = landbridge.deduplicate(pairs, arrow.table({"id": RECORDS}))
    assert answer.to_pydict() == {"id": RECORDS, "keep": KEPT, "representative": FIRST, "size": SIZES}
    assert isinstance(landbridge.deduplicate(pairs, RECORDS, library="pandas"), pd.DataFrame)
    assert landbridge.deduplicate(pairs, RECORDS).to_pydict() == answer.to_pydict()
    assert landbridge.deduplicate(PAIRS, arrow.table({"id": RECORDS})).to_pydict() == answer.to_pydict()


def test_relations_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    connection = duckdb.connect()
    connection.execute("create table pairs (l text, r text); create table records (id text, year int)")
    connection.executemany("insert into pairs values (?, ?)", PAIRS)
    connection.executemany("insert into records values (?, 1)", [[each] for each in RECORDS])
    answer = landbridge.deduplicate(connection.sql("from pairs"), connection.sql("from records"))
    assert sorted(answer.fetchall()) == sorted(zip(RECORDS, KEPT, FIRST, SIZES, strict=True))
    rest = connection.sql("select id from records join answer using (id) where keep order by id").fetchall()
    assert rest == [("ann",), ("bob",), ("eve",)]
    vertices = landbridge.deduplicate(connection.sql("from pairs"))
    assert vertices.filter("keep").aggregate("count(*)").fetchall() == [(2,)]


def test_arrays_and_files(tmp_path: Path) -> None:
    answer = landbridge.deduplicate(([0, 3, 3], [1, 4, 1]))
    assert isinstance(answer, landbridge.Deduplicated)
    assert answer.id.tolist() == [0, 1, 2, 3, 4]
    assert answer.keep.tolist() == [True, False, True, False, False]
    far = landbridge.deduplicate(([10**12], [7]), [5, 10**12, 7], ids="sparse")
    assert far.keep.tolist() == [True, False, True]
    path = tmp_path / "pairs.csv"
    path.write_text("left,right\nbob,rob\nrob,robert\nann,anne\n")
    pytest.importorskip("pyarrow")
    table = landbridge.deduplicate(path)
    assert table.column_names == ["id", "keep", "representative", "size"]
    assert table.column("id").to_pylist() == ["ann", "anne", "bob", "rob", "robert"]
    chunks = landbridge.deduplicate(chunks=path, records=RECORDS)
    assert chunks.keep.tolist() == KEPT


def test_base_one_counts_from_one() -> None:
    pl = pytest.importorskip("polars")
    pairs = pl.DataFrame({"src": [1, 2], "dst": [2, 4]})
    answer = landbridge.deduplicate(pairs, pl.DataFrame({"id": [4, 3, 2, 1, 9]}), base=1)
    assert answer["keep"].to_list() == [False, True, False, True, True]


def test_without_pairs_all_records_are_kept() -> None:
    for pairs in ([], ([], [])):
        for records in (["b", "a"], [2, 1]):
            answer = landbridge.deduplicate(pairs, records)
            assert answer.keep.tolist() == [True, True]
            assert list(answer.representative) == records
    assert landbridge.deduplicate([], []).keep.tolist() == []
    assert landbridge.deduplicate([]).size.tolist() == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"keep": "last"}, r"not 'last'; a column of the records goes in as records\['last'\]"),
        (
            {"keep": None},
            "keep takes 'smallest', 'first', a callable, or a number, bool or time for each record, not No",
        ),
        ({"keep": [1, 2]}, "keep: one value for each record, 6 of them, not 2"),
        ({"keep": np.zeros((6, 1))}, r"keep: one value for each record, 6 of them, not an array of shape \(6, 1\)"),
        ({"keep": [1.0, np.nan, 1, 1, 1, 1]}, "keep: record 1 has no value"),
        ({"keep": np.ma.array([1] * 6, mask=[0, 0, 1, 0, 0, 0])}, "keep: record 2 has no value"),
        ({"keep": np.array(["2020"] * 5 + ["NaT"], "M8[D]")}, "keep: record 5 has no value"),
        ({"keep": RECORDS}, r"keep: text such as 'rob' has no order of its own; make numbers or times of it"),
        ({"keep": [1j] * 6}, "keep: record 0 has 1j, which is no number and no time"),
        ({"keep": [date(2020, 1, 1)] * 5 + [datetime(2020, 1, 1)]}, "keep: the values have no common order"),
        ({"keep": lambda ids: "eve"}, "keep returned 'eve' for the cluster of 'ann', which has no such record"),
        ({"keep": lambda ids: ids == "ann"}, "keep returned .* for a cluster; it returns one of its ids"),
        ({"records": []}, "records: none has the id '"),
        ({"records": None, "keep": "first"}, "keep='first' is the first of records"),
        ({"records": RECORDS[:4]}, "records: none has the id 'ann', which is in a pair"),
        ({"records": [*RECORDS, "eve"]}, "records: record 6 is 'eve', and so is one before"),
        ({"records": [*RECORDS, "bob"]}, "records: record 6 is 'bob', and so is one before"),
        ({"records": [*RECORDS, None]}, "record 6: records is null"),
        ({"records": [1, 2, 3]}, "records: the ids are numbers, and those of the pairs are text"),
    ],
)
def test_refusals(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        landbridge.deduplicate(PAIRS, **{"records": RECORDS, **options})


@pytest.mark.parametrize("seed", range(3))
def test_a_series_goes_by_its_index(seed: int) -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    records = pd.DataFrame({"id": RECORDS, "value": rng.permutation(6)}, index=rng.permutation(50)[:6])
    expected = landbridge.deduplicate(PAIRS, RECORDS, keep=records["value"].to_numpy()).keep.tolist()
    ordered = records.sort_values("value")
    more = pd.concat([ordered, pd.DataFrame({"id": ["zed"], "value": [99]}, index=[99])])
    for table in (records, ordered, more):
        by_id = table.set_index("id")["value"]
        for keep in (table["value"], by_id):
            assert landbridge.deduplicate(PAIRS, records, keep=keep)["keep"].tolist() == expected
        assert landbridge.deduplicate(PAIRS, RECORDS, keep=by_id).keep.tolist() == expected
        index = landbridge.deduplicate(PAIRS, records.set_index("id"), keep=by_id)
        assert index["keep"].tolist() == expected
        assert index.index.tolist() == index["id"].tolist() == RECORDS
    without = landbridge.deduplicate(PAIRS, keep=more.set_index("id")["value"])
    survivors = {name for name, keep in zip(RECORDS, expected, strict=True) if keep} - {"eve"}
    assert set(without.id[without.keep].tolist()) == survivors
    assert landbridge.deduplicate(PAIRS, RECORDS, keep=pd.Series(records["value"].to_numpy())).keep.tolist() == expected


def test_a_series_of_other_labels_is_refused() -> None:
    pd = pytest.importorskip("pandas")
    records = pd.DataFrame({"id": RECORDS, "value": range(6)})
    with pytest.raises(InputError, match="keep: its index has no label 2, that of record 2"):
        landbridge.deduplicate(PAIRS, records, keep=records["value"].drop(2))
    with pytest.raises(InputError, match="its index has the label 'rob' more than once"):
        landbridge.deduplicate(PAIRS, RECORDS, keep=pd.Series(range(7), index=[*RECORDS, "rob"]))
    with pytest.raises(InputError, match="no label 'rob', that of record 0"):
        landbridge.deduplicate(PAIRS, RECORDS, keep=pd.Series(range(6), index=range(1, 7)))


@pytest.mark.parametrize("seed", range(2))
def test_any_kind_of_ordered_values_decides(seed: int) -> None:
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    numbers = np.random.default_rng(seed).integers(0, 4, 6)
    expected = landbridge.deduplicate(PAIRS, RECORDS, keep=numbers).keep.tolist()
    days = numbers.astype("M8[D]")
    dates = days.tolist()
    times = [datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=int(x)) for x in numbers]
    columns = [
        numbers.astype(np.uint8), numbers.astype(">i4"), numbers / 8, numbers.tolist(), days, numbers.astype("m8[s]"),
        dates, times, [Decimal(int(x)) for x in numbers], [int(x) << 70 for x in numbers], pd.Series(times),
        pd.Series(days), pd.array(numbers, dtype="Int64"), pl.Series(dates), pl.Series(times), pa.array(dates),
        pa.chunked_array([times]), pd.Series(times).astype("timestamp[us, UTC][pyarrow]"),
    ]  # fmt: skip
    for column in columns:
        assert landbridge.deduplicate(PAIRS, RECORDS, keep=column).keep.tolist() == expected, column
    mask = numbers > 1
    bits = landbridge.deduplicate(PAIRS, RECORDS, keep=mask.astype(int)).keep.tolist()
    for column in (mask, mask.tolist(), pd.Series(mask, dtype="boolean"), pl.Series(mask), pa.array(mask)):
        assert landbridge.deduplicate(PAIRS, RECORDS, keep=column).keep.tolist() == bits, column


def test_columns_of_records_are_found_or_named() -> None:
    pl = pytest.importorskip("polars")
    with pytest.raises(InputError, match="say which of the columns key, year holds the ids"):
        landbridge.deduplicate(PAIRS, pl.DataFrame({"key": RECORDS, "year": range(6)}))
    with pytest.raises(InputError, match="there is no column 'name'; there is key"):
        landbridge.deduplicate(PAIRS, pl.DataFrame({"key": RECORDS}), id="name")
    with pytest.raises(InputError, match="'size', the name of a column of the answer"):
        landbridge.deduplicate(PAIRS, pl.DataFrame({"size": RECORDS}))
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"key": RECORDS, "year": range(6)}).set_index("key")
    assert landbridge.deduplicate(PAIRS, frame, id="key")["keep"].tolist() == KEPT
    assert landbridge.deduplicate(PAIRS, frame.rename_axis("id"))["keep"].tolist() == KEPT
    assert landbridge.deduplicate(PAIRS, frame.set_index("year", append=True), id="key")["keep"].tolist() == KEPT
    with pytest.raises(InputError, match="say which of the columns year, other, and in the index key holds the ids"):
        landbridge.deduplicate(PAIRS, frame.assign(other=1))


def test_a_pair_of_an_id_with_itself_needs_its_record_too() -> None:
    with pytest.raises(InputError, match="none has the id 'x'"):
        landbridge.deduplicate([("x", "x"), ("a", "b")], ["a", "b"])
    with pytest.raises(InputError, match="none has the id 7"):
        landbridge.deduplicate((np.array([7, 10**12]), np.array([7, 5])), [5, 10**12], ids="sparse")
    with pytest.raises(InputError, match="none has the id 3"):
        landbridge.deduplicate((np.array([3, 0]), np.array([3, 1])), [0, 1])
    assert landbridge.deduplicate((np.array([5, 0]), np.array([4, 1])), [0, 1, 4, 5]).keep.sum() == 2
    assert landbridge.deduplicate([("x", "x"), ("a", "b")], ["a", "b", "x"]).keep.tolist() == [True, False, True]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("ids", [["b", "b"], [7, 7]])
def test_the_removals_of_nemo_curator_keep_their_type(library: str, ids: list[Any]) -> None:
    frames = pytest.importorskip(library)
    pytest.importorskip("pyarrow")
    from landbridge.compat import nemo_curator

    make = frames.table if library == "pyarrow" else frames.DataFrame
    none = nemo_curator.identify_removals(make({"_curator_dedup_id_x": ids, "_curator_dedup_id_y": ids}))
    some = nemo_curator.identify_removals(
        make({"_curator_dedup_id_x": ids, "_curator_dedup_id_y": [ids[0], ids[0] * 2]})
    )
    types = [each.schema if library != "pandas" else each.dtypes.to_dict() for each in (none, some)]
    assert types[0] == types[1]
    assert (len(none), len(some)) == (0, 1)


def test_an_error_of_keep_is_the_callers_with_a_note_of_the_cluster() -> None:
    def keep(ids: Any) -> Any:
        raise KeyError(ids[0])

    with pytest.raises(KeyError) as failure:
        landbridge.deduplicate([(1, 2), (7, 9), (9, 8)], keep=keep)
    assert failure.value.__notes__ == ["raised by keep=, called with the cluster of 1, 2 ids"]


@pytest.mark.parametrize("records", [[], np.array([], dtype=str), np.array([], dtype=np.int64)])
@pytest.mark.parametrize("pairs", [[(1, 2)], [("a", "b")]])
def test_empty_records_of_any_kind_hold_no_id_of_a_pair(records: Any, pairs: Any) -> None:
    with pytest.raises(InputError, match=r"^records: none has the id "):
        landbridge.deduplicate(pairs, records=records)


def test_the_name_of_the_column_of_ids_is_text() -> None:
    pandas = pytest.importorskip("pandas")
    message = "id must be the name of a column of the records, as text, not 0"
    records = pandas.DataFrame({0: ["a", "b"], 1: [5, 6]})
    with refused(InputError, f"{message}: id='0' is the column that has this label"):
        landbridge.deduplicate([("a", "b")], records, id=0)  # type: ignore[call-overload]
    assert landbridge.deduplicate([("a", "b")], records, id="0").keep.tolist() == [True, False]
    with refused(InputError, message):
        landbridge.deduplicate([("a", "b")], ["a", "b"], id=0)  # type: ignore[call-overload]
