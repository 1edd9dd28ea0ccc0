"""NeMo Curator's columns, and queries of polars and DuckDB in batches."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import InputError
from landbridge.compat import nemo_curator

PAIRS = {"_curator_dedup_id_x": [7, 10**12, 3], "_curator_dedup_id_y": [5, 7, 2], "score": [0.9, 0.8, 0.7]}
GROUPS = [(2, 0), (3, 0), (5, 1), (7, 1), (10**12, 1)]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_nemo_curator(library: str) -> None:
    frames = pytest.importorskip(library)
    pairs = frames.table(PAIRS) if library == "pyarrow" else frames.DataFrame(PAIRS)
    table = nemo_curator.connected_components(pairs)
    assert type(table) is type(pairs)
    columns = table.to_pydict() if library == "pyarrow" else {name: list(table[name]) for name in table.columns}
    assert list(columns) == ["_curator_dedup_id", "_duplicate_group_id"]
    assert list(zip(*columns.values(), strict=True)) == GROUPS
    removals = nemo_curator.identify_removals(pairs)
    assert type(removals) is type(pairs)
    assert [int(x) for x in np.asarray(removals["_curator_dedup_id"])] == [3, 7, 10**12]


def test_relations_stay_relations() -> None:
    connection = pytest.importorskip("duckdb").connect()
    table = pytest.importorskip("pyarrow").table(PAIRS)
    relation = connection.from_arrow(table)
    assert sorted(nemo_curator.connected_components(relation).fetchall()) == GROUPS
    assert sorted(nemo_curator.identify_removals(relation).fetchall()) == [(3,), (7,), (10**12,)]


def chain(rows: int) -> dict[str, Any]:
    """A long path, its edges in a random order, between other columns."""
    order = np.random.default_rng(4).permutation(rows)
    return {"weight": np.ones(rows), "left": order * 3, "kind": order % 2, "right": order * 3 + 3}


@pytest.mark.parametrize("columns", [None, ("left", "right"), (1, 3)])
def test_a_lazy_frame_in_batches(columns: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pl = pytest.importorskip("polars")
    if not hasattr(pl.LazyFrame, "collect_batches"):
        pytest.skip("this polars has no collect_batches")
    queries = importlib.import_module("landbridge.streams.chunks")
    read = queries.batches_of
    sizes = []

    def counted(*args: Any) -> Any:
        batches, pair = read(*args)
        return (sizes.append((batch.height, batch.width)) or batch for batch in batches), pair

    monkeypatch.setattr(queries, "batches_of", counted)
    frame = pl.DataFrame(chain(10_000)).lazy().filter(pl.col("left") != 15)
    result = landbridge.components(chunks=frame, columns=columns, chunk_size=1000)
    assert len(sizes) >= 10
    assert max(rows for rows, _ in sizes) <= 1000
    assert {width for _, width in sizes} == {2}
    assert (result.count, result.library) == (2, "polars")
    assert result.ids is not None
    assert np.array_equal(result.ids, np.arange(10_001) * 3)
    assert result.frame().equals(landbridge.components(frame, columns=columns).frame())


@pytest.mark.parametrize("columns", [None, ("left", "right"), (1, 3)])
def test_a_relation_in_batches(columns: Any) -> None:
    connection = pytest.importorskip("duckdb").connect()
    table = pytest.importorskip("pyarrow").table(chain(10_000))
    relation = connection.from_arrow(table)
    result = landbridge.components(chunks=relation, columns=columns, chunk_size=3000)
    assert result.count == 1
    assert np.array_equal(result.labels, landbridge.components(relation, columns=columns).labels)


def test_queries_without_rows() -> None:
    pl = pytest.importorskip("polars")
    query = pl.DataFrame(chain(5)).lazy().filter(pl.col("left") < 0)
    result = landbridge.components(chunks=query)
    assert (result.count, result.id_kind, result.library) == (0, "sparse", "polars")
    connection = pytest.importorskip("duckdb").connect()
    table = pytest.importorskip("pyarrow").table(chain(5))
    result = landbridge.components(chunks=connection.from_arrow(table).filter("false"))
    assert (result.count, result.id_kind, result.library) == (0, "sparse", "pyarrow")


def test_frames_and_lists_are_no_queries() -> None:
    pl = pytest.importorskip("polars")
    with pytest.raises(InputError, match="which is a whole graph"):
        landbridge.components(chunks=pl.DataFrame({"left": [1], "right": [2]}))
    with pytest.raises(InputError, match="chunk_size is for files and queries"):
        landbridge.components(chunks=[[(0, 1)]], chunk_size=5)
    with pytest.raises(InputError, match="there is no column 'nix'"):
        landbridge.components(chunks=pl.DataFrame({"left": [1], "right": [2]}).lazy(), columns=("nix", "right"))
