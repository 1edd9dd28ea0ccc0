"""One frame for one table, whatever its form: frames, arrays, lists, files, chunks, streams."""

from __future__ import annotations

import csv
import importlib
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import landbridge

Ids = list[Any]
Rows = list[tuple[Any, Any]]

numbers = st.one_of(
    st.integers(0, 12),
    st.sampled_from([0, 1, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 10**15, 2**63 - 1]),
)
words = st.one_of(
    st.sampled_from(
        ["a", "b", "B", "1", "01", "1.0", "-3", "nan", "null", "é", "zz", "a b", "a,b", 'q"q', "☃", "z" * 70]
    ),
    st.text("abcxyzäß0123456789", min_size=1, max_size=4),
)


def tables(ids: st.SearchStrategy[Any]) -> st.SearchStrategy[Rows]:
    return st.lists(st.tuples(ids, ids), min_size=1, max_size=25)


def answer(rows: Rows) -> list[tuple[Any, Any]]:
    """Each id and the smallest id of its component: numbers by value, text by its bytes."""
    key: Callable[[Any], Any] = (lambda x: x.encode()) if isinstance(rows[0][0], str) else (lambda x: x)
    parent = {x: x for row in rows for x in row}

    def root(x: Any) -> Any:
        while parent[x] != x:
            x = parent[x]
        return x

    for a, b in rows:
        low, high = sorted((root(a), root(b)), key=key)
        parent[high] = low
    return [(x, root(x)) for x in sorted(parent, key=key)]


def found(result: landbridge.Components, expected: list[tuple[Any, Any]]) -> None:
    """The frame of a result is the answer: ids ascending, and components numbered by their representatives."""
    frame = result.frame("pyarrow")
    ids, representatives = frame["id"].to_pylist(), frame["representative"].to_pylist()
    assert list(zip(ids, representatives, strict=True)) == expected
    labels: dict[Any, int] = {}
    for low in representatives:
        labels.setdefault(low, len(labels))
    assert frame["component"].to_pylist() == [labels[low] for low in representatives]
    assert result.count == len(labels)
    assert result.id_kind == ("names" if isinstance(ids[0], str) else "sparse")


def columns(rows: Rows) -> tuple[Ids, Ids]:
    return [a for a, _ in rows], [b for _, b in rows]


def doors(rows: Rows) -> dict[str, Any]:
    """The table as objects of every library, with a column that holds no ids."""
    pandas, polars = importlib.import_module("pandas"), importlib.import_module("polars")
    arrow = importlib.import_module("pyarrow")
    u, v = columns(rows)
    data = {"weight": [0.5] * len(rows), "src": u, "dst": v}
    text = isinstance(u[0], str)
    table = arrow.table(data)
    tables = {
        "pandas": pandas.DataFrame(data),
        "pandas object": pandas.DataFrame(data).astype({"src": object, "dst": object}),
        "pandas category": pandas.DataFrame(data).astype({"src": "category", "dst": "category"}),
        "pandas arrow": pandas.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
        "polars": polars.DataFrame(data),
        "polars lazy": polars.DataFrame(data).lazy(),
        "arrow": table,
        "arrow pieces": arrow.concat_tables([table.slice(0, 1), table.slice(1)]),
        "arrow reader": arrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3)),
        "arrow dictionary": arrow.table({k: table[k].dictionary_encode() for k in ("src", "dst")}),
    }
    if text:
        tables["polars categorical"] = polars.DataFrame(data).with_columns(
            polars.col("src").cast(polars.Categorical), polars.col("dst").cast(polars.Enum(sorted(set(u + v))))
        )
        for kind in ("large_string", "string_view"):
            tables[f"arrow {kind}"] = arrow.table({k: table[k].cast(getattr(arrow, kind)()) for k in ("src", "dst")})
        tables["pandas python"] = pandas.DataFrame(data).astype(
            {"src": pandas.StringDtype("python"), "dst": pandas.StringDtype("python")}
        )
    else:
        tables["pandas nullable"] = pandas.DataFrame(data).astype({"src": "Int64", "dst": "UInt64"})
        tables["arrow decimal"] = arrow.table({k: table[k].cast(arrow.decimal128(20, 0)) for k in ("src", "dst")})
        tables["polars decimal"] = polars.DataFrame(data).with_columns(polars.col("src").cast(polars.Decimal(38, 0)))
    return tables


def pairs(rows: Rows) -> dict[str, Any]:
    """The rows as lists and arrays, which ids="sparse" or "names" treats as tables."""
    pandas, polars = importlib.import_module("pandas"), importlib.import_module("polars")
    arrow = importlib.import_module("pyarrow")
    u, v = columns(rows)
    return {
        "list of tuples": rows,
        "tuple of tuples": tuple(rows),
        "lists": (u, v),
        "arrays": (np.array(u), np.array(v)),
        "array": np.array(rows),
        "objects": np.array(rows, dtype=object),
        "series": (pandas.Series(u), pandas.Series(v)),
        "polars series": (polars.Series(u), polars.Series(v)),
        "arrow arrays": (arrow.array(u), arrow.array(v)),
        "chunked arrays": (arrow.chunked_array([u[:1], u[1:]]), arrow.chunked_array([v])),
        "mixed": (pandas.Series(u), arrow.array(v)),
    }


every_table = given(rows=st.one_of(tables(numbers), tables(words)), random=st.randoms(use_true_random=False))
bounded = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def _libraries() -> None:
    for library in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(library)


@every_table
@bounded
def test_tables_of_every_library_agree(rows: Rows, random: Any) -> None:
    expected = answer(rows)
    for name, frame in doors(rows).items():
        result = landbridge.components(frame)
        try:
            found(result, expected)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
    random.shuffle(rows)
    turned = [(b, a) if random.random() < 0.5 else (a, b) for a, b in rows]
    found(landbridge.components(importlib.import_module("polars").DataFrame(turned, orient="row")), expected)


@every_table
@bounded
def test_lists_and_arrays_agree(rows: Rows, random: Any) -> None:
    ids = "names" if isinstance(rows[0][0], str) else "sparse"
    expected = answer(rows)
    for name, source in pairs(rows).items():
        try:
            found(landbridge.components(source, ids=ids), expected)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


@every_table
@bounded
def test_files_of_every_format_agree(rows: Rows, random: Any, tmp_path: Path) -> None:
    parquet, arrow = importlib.import_module("pyarrow.parquet"), importlib.import_module("pyarrow")
    u, v = columns(rows)
    expected = answer(rows)
    parquet.write_table(arrow.table({"src": u, "dst": v}), tmp_path / "t.parquet", row_group_size=4)
    found(landbridge.components(tmp_path / "t.parquet"), expected)
    found(landbridge.components(chunks=tmp_path / "t.parquet", chunk_size=3), expected)
    with (tmp_path / "t.csv").open("w", newline="") as out:
        csv.writer(out).writerows([("src", "dst"), *rows])
    options: dict[str, Any] = {"header": True}
    if isinstance(u[0], str) and not any(any(c.isalpha() for c in x) and x != "nan" for x in (u[0], v[0])):
        options["ids"] = "names"  # digits are numbers unless ids are set
    elif isinstance(u[0], str) and (
        all(x.isdigit() for row in rows[1:] for x in row) or not {"nan", "null"}.isdisjoint((*u, *v))
    ):
        options["ids"] = "names"
    found(landbridge.components(tmp_path / "t.csv", **options), expected)
    found(landbridge.components(chunks=tmp_path / "t.csv", chunk_size=3, **options), expected)


marks = st.text('ab|;,\t" #.', min_size=1, max_size=6).map(str.strip).filter(lambda word: word not in ("", "."))


@given(rows=tables(marks), weighted=st.booleans(), index=st.booleans())
@bounded
def test_texts_of_pandas_and_csv_round_trip(rows: Rows, weighted: bool, index: bool, tmp_path: Path) -> None:
    pandas = importlib.import_module("pandas")
    u, v = columns(rows)
    frame = pandas.DataFrame({"src": u, "dst": v, **({"weight": [0.5] * len(rows)} if weighted else {})})
    expected, path = answer(rows), tmp_path / "t.csv"

    def compare() -> None:
        found(landbridge.components(path, comment=""), expected)
        found(landbridge.components(chunks=path, comment="", chunk_size=3), expected)
        if not any(x.startswith("#") for x in u):
            found(landbridge.components(path), expected)

    frame.to_csv(path, index=index)
    compare()
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([("src", "dst"), *rows])
    compare()


@every_table
@bounded
def test_chunks_agree(rows: Rows, random: Any) -> None:
    polars = importlib.import_module("polars")
    expected = answer(rows)
    random.shuffle(rows)
    cut = random.randrange(len(rows) + 1)
    parts = [part for part in (rows[:cut], rows[cut:]) if part]
    frames = [polars.DataFrame({"src": columns(part)[0], "dst": columns(part)[1]}) for part in parts]
    found(landbridge.components(chunks=frames), expected)
    found(landbridge.merge(*[landbridge.components(frame) for frame in reversed(frames)]), expected)


@every_table
@bounded
def test_streams_agree(rows: Rows, random: Any, tmp_path: Path) -> None:
    expected = answer(rows)
    ids = "names" if isinstance(rows[0][0], str) else "sparse"
    random.shuffle(rows)
    cut = random.randrange(len(rows) + 1)
    journal = tmp_path / "journal"
    journal.unlink(missing_ok=True)
    with landbridge.Incremental(ids=ids, journal=journal) as stream:
        stream.insert(*columns(rows[:cut]))
    with landbridge.Incremental(ids=ids, journal=journal) as stream:
        stream.insert(*columns(rows[cut:]))
        found(stream.components(), expected)
        stream.save(tmp_path / "saved")
    found(landbridge.merge(landbridge.Incremental.load(tmp_path / "saved")), expected)


@given(st.one_of(tables(numbers), tables(words)))
@settings(max_examples=15, deadline=None)
def test_relations_of_duckdb_agree(rows: Rows) -> None:
    duckdb = pytest.importorskip("duckdb")
    arrow = importlib.import_module("pyarrow")
    u, v = columns(rows)
    table = arrow.table({"src": u, "dst": v})
    with duckdb.connect() as connection:
        connection.register("pairs", table)
        found(landbridge.components(connection.sql("select * from pairs")), answer(rows))
        if not isinstance(u[0], str):
            wide = connection.sql("select src::hugeint as src, dst::hugeint as dst from pairs")
            found(landbridge.components(wide), answer(rows))


@given(st.lists(st.tuples(st.uuids(), st.uuids()), min_size=1, max_size=12))
@settings(max_examples=25, deadline=None)
def test_uuids_agree_with_their_text(rows: list[tuple[uuid.UUID, uuid.UUID]]) -> None:
    pandas, arrow = importlib.import_module("pandas"), importlib.import_module("pyarrow")
    polars = importlib.import_module("polars")
    text = [(str(a), str(b)) for a, b in rows]
    u, v = columns(rows)
    raw = {k: arrow.array([x.bytes for x in column], arrow.binary(16)) for k, column in (("src", u), ("dst", v))}
    for source in (
        pandas.DataFrame({"src": u, "dst": v}),
        polars.DataFrame({"src": polars.Series(u, dtype=polars.Object), "dst": polars.Series(v, dtype=polars.Object)}),
        arrow.table({k: column.cast(arrow.uuid()) for k, column in raw.items()}),
        arrow.table(raw).slice(0),
        rows,
        (u, v),
        (np.array(u), columns(text)[1]),
    ):
        found(landbridge.components(source), answer(text))
