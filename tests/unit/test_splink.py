"""Splink's clustering functions: Splink's own answer where it is installed, and an independent one in any case."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from oracles.reference import by_search

from landbridge import InputError
from landbridge.compat.splink import (
    cluster_pairwise_predictions_at_multiple_thresholds,
    cluster_pairwise_predictions_at_threshold,
)

duckdb = pytest.importorskip("duckdb")
arrow = pytest.importorskip("pyarrow")

Rows = list[tuple[Any, ...]]


class DatabaseAPI:
    """What the functions use of Splink's DuckDBAPI."""

    def __init__(self) -> None:
        self._con = duckdb.connect()

    def table_to_splink_dataframe(self, _template: str, name: str) -> SimpleNamespace:
        return SimpleNamespace(physical_name=name, metadata={}, relation=self._con.table(name))


def rows(result: Any) -> Rows:
    relation = result.relation if hasattr(result, "relation") else result.as_duckdbpyrelation()
    return sorted(relation.fetchall(), key=repr)


def made(kind: str, n: int = 400, m: int = 500) -> tuple[Any, Any, list[Any]]:
    """Nodes and predictions with ids of a kind, and the ids."""
    rng = np.random.default_rng(5)
    ids: list[Any] = list(range(n))
    if kind.startswith("text"):
        ids = [f"record {x} é" for x in range(n)]
    elif kind == "far":
        ids = [x * 10**12 - 5 for x in range(n)]
    elif kind == "date":
        ids = [datetime.date(1990, 1, 1) + datetime.timedelta(days=x) for x in range(n)]
    order, endpoints = rng.permutation(n), rng.integers(0, n, (m, 2))
    edges = {f"key_{side}": [ids[x] for x in endpoints[:, i]] for i, side in enumerate("lr")}
    nodes = {"key": [ids[x] for x in order] + (ids[:3] if kind != "text" else [])}
    return arrow.table(nodes), arrow.table(edges | {"match_probability": rng.random(m)}), ids


def expected(edges: Any, ids: list[Any], threshold: float | None) -> Rows:
    columns, place = edges.to_pydict(), {x: i for i, x in enumerate(sorted(ids))}
    pairs = zip(columns["key_l"], columns["key_r"], columns["match_probability"], strict=True)
    some = [(place[a], place[b]) for a, b, p in pairs if threshold is None or (p is not None and p >= threshold)]
    labels = by_search(len(ids), [a for a, _ in some], [b for _, b in some])
    first = {label: x for x, label in reversed(list(zip(sorted(ids), labels.tolist(), strict=True)))}
    return sorted(((x, first[label]) for x, label in zip(sorted(ids), labels.tolist(), strict=True)), key=repr)


@pytest.mark.parametrize("kind", ["text", "text twice", "near", "far", "date"])
@pytest.mark.parametrize("threshold", [None, 0.3, 0.9])
def test_clusters_of_made_predictions(kind: str, threshold: float | None) -> None:
    nodes, edges, ids = made(kind)
    result = cluster_pairwise_predictions_at_threshold(
        nodes, edges, DatabaseAPI(), "key", threshold_match_probability=threshold
    )
    assert rows(result) == expected(edges, ids, threshold)
    assert result.relation.columns == ["key", "cluster_id"]
    assert result.metadata == {"threshold_match_probability": threshold}


@pytest.mark.parametrize("kind", ["text", "text twice", "near", "far", "date"])
@pytest.mark.parametrize("options", [{}, {"threshold_match_probability": 0.5}, {"threshold_match_weight": 2}])
def test_splinks_own_answer(kind: str, options: dict[str, float]) -> None:
    splink, clustering = pytest.importorskip("splink"), pytest.importorskip("splink.clustering")
    nodes, edges, _ = made(kind)
    answers = []
    for function in (clustering.cluster_pairwise_predictions_at_threshold, cluster_pairwise_predictions_at_threshold):
        result = function(nodes, edges, db_api=splink.DuckDBAPI(), node_id_column_name="key", **options)
        relation = result.as_duckdbpyrelation()
        answers.append((relation.columns, [str(kind) for kind in relation.types], rows(result)))
        result.drop_table_from_database_and_remove_from_cache()
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "options",
    [
        {"match_probability_thresholds": [0.9, 0.25, 0.5, 0, 1]},
        {"match_weight_thresholds": [1, 4.5]},
        {"match_probability_thresholds": [0.25, 0.9], "output_cluster_summary_stats": True},
        {"match_weight_thresholds": [0.5, 3], "output_cluster_summary_stats": True},
    ],
)
def test_splinks_own_answer_at_multiple_thresholds(options: dict[str, Any]) -> None:
    splink, own = pytest.importorskip("splink"), pytest.importorskip("splink.internals.clustering")
    nodes, edges, _ = made("text")
    answers = []
    for function in (
        own.cluster_pairwise_predictions_at_multiple_thresholds,
        cluster_pairwise_predictions_at_multiple_thresholds,
    ):
        result = function(nodes, edges, db_api=splink.DuckDBAPI(), node_id_column_name="key", **options)
        relation = result.as_duckdbpyrelation()
        answers.append((relation.columns, [str(kind) for kind in relation.types], rows(result)))
    assert answers[0] == answers[1]


def test_multiple_thresholds_are_the_single_ones() -> None:
    nodes, edges, ids = made("text")
    api = DatabaseAPI()
    result = cluster_pairwise_predictions_at_multiple_thresholds(nodes, edges, api, "key", [0.8, 0.25])
    assert result.relation.columns == ["key", "cluster_p_0_25", "cluster_p_0_8"]
    low, high = expected(edges, ids, 0.25), expected(edges, ids, 0.8)
    assert rows(result) == [(*a, b[1]) for a, b in zip(low, high, strict=True)]
    weights = cluster_pairwise_predictions_at_multiple_thresholds(
        nodes, edges, api, "key", match_weight_thresholds=[-2, 0]
    )
    assert weights.relation.columns == ["key", "cluster_mw_-2", "cluster_mw_0"]
    summary = cluster_pairwise_predictions_at_multiple_thresholds(
        nodes, edges, api, "key", [0.25], output_cluster_summary_stats=True
    )
    sizes = [sum(row[1] == root for row in low) for root in {row[1] for row in low}]
    assert rows(summary)[0][2:] == (len(sizes), max(sizes), pytest.approx(np.mean(sizes)))


def test_weights_nulls_and_names_of_columns() -> None:
    api = DatabaseAPI()
    api._con.execute('create table "my nodes" as select unnest([1, 2, 3, NULL, 2]) as "my id"')
    edges = {"a": [1, 2, None], "b": [2, 3, 1], "match_probability": [0.9, None, 1.0]}
    options: dict[str, Any] = {"edge_id_column_name_left": "a", "edge_id_column_name_right": "b"}
    result = cluster_pairwise_predictions_at_threshold(
        '"my nodes"', edges, api, "my id", threshold_match_weight=0.5, **options
    )
    assert rows(result) == [(1, 1), (2, 1), (3, 3), (None, None)]
    every = cluster_pairwise_predictions_at_threshold('"my nodes"', edges, api, '"my id"', **options)
    assert rows(every) == [(1, 1), (2, 1), (3, 1), (None, None)]
    records = [{"my id": 5}, {"my id": 4}]
    pairs = [{"my id_l": 4, "my id_r": 5}]
    assert rows(cluster_pairwise_predictions_at_threshold(records, pairs, api, "my id")) == [(4, 4), (5, 4)]
    views = api._con.execute("select view_name from duckdb_views() where not internal").fetchall()
    assert views == []


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"threshold_match_probability": 0.5, "threshold_match_weight": 1}, "not both"),
        ({"db_api": SimpleNamespace()}, "db_api must be Splink's DuckDBAPI, not SimpleNamespace"),
        ({"nodes": [{"id": 1}]}, "edges: 2 is no node"),
    ],
)
def test_refusals(options: dict[str, Any], problem: str) -> None:
    values = {"nodes": [{"id": 1}, {"id": 2}], "edges": [{"id_l": 1, "id_r": 2}], "db_api": DatabaseAPI()}
    with pytest.raises(InputError, match=problem):
        cluster_pairwise_predictions_at_threshold(**{**values, "node_id_column_name": "id", **options})


def test_the_example_of_the_page() -> None:
    pytest.importorskip("splink")
    page = (Path(__file__).resolve().parents[2] / "docs" / "entity_resolution.md").read_text()
    (code,) = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert sorted(names["clusters"].as_duckdbpyrelation().fetchall()) == [(1, 1), (2, 1), (3, 3)]
