"""Which records are kept: tables of every library, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

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
        ({"keep": "last"}, "keep must be 'smallest', 'first', a callable or numbers, not 'last'"),
        ({"keep": [1, 2]}, r"keep: one number per record, 6 of them, not int64 of shape \(2,\)"),
        ({"keep": [1.0, np.nan, 1, 1, 1, 1]}, "keep: record 1 has no number"),
        ({"keep": lambda ids: "eve"}, "keep returned 'eve' for the cluster of 'ann', which has no such record"),
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


def test_columns_of_records_are_found_or_named() -> None:
    pl = pytest.importorskip("polars")
    with pytest.raises(InputError, match="say which of the columns key, year holds the ids"):
        landbridge.deduplicate(PAIRS, pl.DataFrame({"key": RECORDS, "year": range(6)}))
    with pytest.raises(InputError, match="there is no column 'name'; there is key"):
        landbridge.deduplicate(PAIRS, pl.DataFrame({"key": RECORDS}), id="name")
    with pytest.raises(InputError, match="'size', the name of a column of the answer"):
        landbridge.deduplicate(PAIRS, pl.DataFrame({"size": RECORDS}))


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
