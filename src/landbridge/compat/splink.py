"""Splink's functions for clusters of pairwise predictions, on DuckDB, with its signatures and its columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.api import components
from landbridge.edges.column_names import refuse_one_column
from landbridge.edges.id_columns import ids_of
from landbridge.edges.names import NameArray
from landbridge.edges.place import Place
from landbridge.edges.shared_numbering import number_together
from landbridge.errors import InputError
from landbridge.result import Components
from landbridge.threads import default_threads

__all__ = ["cluster_pairwise_predictions_at_multiple_thresholds", "cluster_pairwise_predictions_at_threshold"]

Array = NDArray[Any]


def cluster_pairwise_predictions_at_threshold(
    nodes: Any,
    edges: Any,
    db_api: Any,
    node_id_column_name: str,
    edge_id_column_name_left: str | None = None,
    edge_id_column_name_right: str | None = None,
    threshold_match_probability: float | None = None,
    threshold_match_weight: float | None = None,
) -> Any:
    """Clusters of the records that are connected by predictions at or above a threshold.

    Parameters
    ----------
    nodes, edges : table
        As Splink takes them: a SplinkDataFrame, the name of a table, a data frame, dicts. Edges have a column
        ``match_probability`` where there is a threshold.
    db_api : splink.DuckDBAPI
        Of Splink 4 or 5.
    node_id_column_name : str
        The column of ids of nodes: whole numbers, text, or any other type that DuckDB compares.
    edge_id_column_name_left, edge_id_column_name_right : str, optional
        By default the name of the column of nodes with ``_l`` and ``_r``.
    threshold_match_probability, threshold_match_weight : float, optional
        One of the two, or none for all edges.

    Returns
    -------
    SplinkDataFrame
        A row for each node: its id, and ``cluster_id``, the smallest id of its cluster. A node without edges is a
        cluster of its own.

    Raises
    ------
    ValueError
        (InputError) for both thresholds, another database, and an edge whose endpoint is no node.

    Notes
    -----
    DuckDB filters the edges, and their ids go to landbridge as Arrow. O(n + m) work.
    """
    threshold = _probability(threshold_match_probability, threshold_match_weight)
    names = _edge_columns(node_id_column_name, edge_id_column_name_left, edge_id_column_name_right)
    where = "" if threshold is None else f"match_probability >= {threshold!r}"
    with _graph(db_api, (nodes, edges), _plain(node_id_column_name), names, where) as graph:
        result = graph.result({"cluster_id": graph.clusters(None)}, db_api)
    result.metadata["threshold_match_probability"] = threshold
    return result


def cluster_pairwise_predictions_at_multiple_thresholds(
    nodes: Any,
    edges: Any,
    db_api: Any,
    node_id_column_name: str,
    match_probability_thresholds: Sequence[float] | None = None,
    match_weight_thresholds: Sequence[float] | None = None,
    edge_id_column_name_left: str | None = None,
    edge_id_column_name_right: str | None = None,
    output_cluster_summary_stats: bool = False,
) -> Any:
    """Clusters at several thresholds at once; see `cluster_pairwise_predictions_at_threshold`.

    Parameters
    ----------
    nodes, edges, db_api, node_id_column_name, edge_id_column_name_left, edge_id_column_name_right :
        As there.
    match_probability_thresholds, match_weight_thresholds : sequence of float, optional
        One of the two.
    output_cluster_summary_stats : bool
        Return the number of clusters and their largest and mean size instead, a row for each threshold.

    Returns
    -------
    SplinkDataFrame
        A row for each node, with a column for each threshold, such as ``cluster_p_0_95`` or ``cluster_mw_2_5``.

    Raises
    ------
    ValueError
        (InputError) as there, and without thresholds.
    """
    weights = match_probability_thresholds is None
    if match_probability_thresholds is not None and match_weight_thresholds is not None:
        raise InputError("give match_probability_thresholds or match_weight_thresholds, not both")
    values = match_weight_thresholds if weights else match_probability_thresholds
    levels = sorted({_probability(*((None, each) if weights else (each, None))) or 0 for each in values or ()})
    if not levels:
        raise InputError("give match_probability_thresholds or match_weight_thresholds, at least one of them")
    names = _edge_columns(node_id_column_name, edge_id_column_name_left, edge_id_column_name_right)
    where = f"match_probability >= {levels[0]!r}"
    with _graph(db_api, (nodes, edges), _plain(node_id_column_name), names, where, scores=True) as graph:
        if output_cluster_summary_stats:
            return graph.summary(levels, db_api)
        return graph.result({f"cluster_{_level(each, weights)}": graph.clusters(each) for each in levels}, db_api)


def _probability(probability: float | None, weight: float | None) -> float | None:
    """The threshold as a probability."""
    if probability is not None and weight is not None:
        raise InputError("give threshold_match_probability or threshold_match_weight, not both")
    if weight is not None:
        odds: float = 2.0 ** min(max(float(weight), -1000.0), 1000.0)
        return odds / (1 + odds)
    return None if probability is None else float(probability)


def _level(probability: float, weights: bool) -> str:
    """A threshold in the name of a column."""
    if probability in (0.0, 1.0):
        limit = {0.0: "minus_inf", 1.0: "inf"}[probability]
        return f"mw_{limit}" if weights else f"{probability:.1f}".replace(".", "_")
    value = math.log2(probability / (1 - probability)) if weights else probability
    return ("mw_" if weights else "p_") + f"{value:.6f}".rstrip("0").rstrip(".").replace(".", "_")


def _plain(name: str) -> str:
    """The name of a column without the quotes of SQL."""
    return name[1:-1].replace('""', '"') if len(name) > 1 and name[0] == name[-1] == '"' else name


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _edge_columns(node: str, left: str | None, right: str | None) -> tuple[str, str]:
    first, second = _plain(left) if left else f"{_plain(node)}_l", _plain(right) if right else f"{_plain(node)}_r"
    refuse_one_column(first if first.casefold() == second.casefold() else None)  # as SQL compares names
    return first, second


@contextmanager
def _graph(
    db_api: Any, tables: tuple[Any, Any], node: str, endpoints: tuple[str, str], where: str, *, scores: bool = False
) -> Iterator[_Graph]:
    """The graph of two tables; those that the connection does not have are there for a while."""
    connection: Any = getattr(db_api, "_con", None)
    if "duckdb" not in type(connection).__module__:
        raise InputError(f"db_api must be Splink's DuckDBAPI, not {type(db_api).__name__}")
    views: list[str] = []

    def named(table: Any) -> str:
        if isinstance(table, str) or hasattr(table, "physical_name"):
            return str(getattr(table, "physical_name", table))
        if isinstance(table, list | tuple | dict):
            arrow: Any = import_module("pyarrow")
            table = arrow.table(table) if isinstance(table, dict) else arrow.Table.from_pylist(list(table))
        views.append(f"landbridge_{uuid4().hex[:12]}")
        connection.register(views[-1], table)
        return views[-1]

    graph = None
    try:
        graph = _Graph(connection, (named(tables[0]), named(tables[1])), node, endpoints, where=where, scores=scores)
        yield graph
    finally:
        if graph is not None:
            graph.close()
        for view in views:
            connection.unregister(view)


_NATIVE = {"VARCHAR", "UUID", *(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG"))}
_NATIVE |= {"INTEGER", "UINTEGER"}
"""Types of ids that landbridge numbers; DuckDB numbers others."""


class _Graph:
    """The nodes and the edges as vertices 0..n-1.

    Attributes
    ----------
    scores : array, shape (m,)
        The match probability of each edge, where it is read.
    """

    def __init__(
        self,
        connection: Any,
        tables: tuple[str, str],
        node: str,
        endpoints: tuple[str, str],
        *,
        where: str,
        scores: bool,
    ) -> None:
        nodes, edges = tables
        self._connection, self._node = connection, _quoted(node)
        self._type = connection.execute(f"DESCRIBE SELECT {self._node} FROM {nodes}").fetchall()[0][1]
        self._numbered = None if self._type in _NATIVE else f"landbridge_{uuid4().hex[:12]}"
        self._has_null = bool(
            connection.execute(f"SELECT count(*) FROM {nodes} WHERE {self._node} IS NULL").fetchall()[0][0]
        )
        left, right = (f"CAST({_quoted(name)} AS {self._type})" for name in endpoints)
        number = "CAST(match_probability AS DOUBLE)" if scores else "0"
        ids = f"SELECT {self._node} AS id FROM {nodes} WHERE {self._node} IS NOT NULL"
        condition = f" WHERE {where}" if where else ""
        pairs = f"SELECT {left} AS l, {right} AS r, {number} AS p FROM {edges}{condition}"
        pairs = f"SELECT * FROM ({pairs}) WHERE l IS NOT NULL AND r IS NOT NULL"
        if self._numbered is not None:
            connection.execute(
                f"CREATE TEMP TABLE {self._numbered} AS SELECT id, row_number() OVER (ORDER BY id) - 1 AS number "
                f"FROM (SELECT DISTINCT id FROM ({ids}))"
            )
            ids = f"SELECT number FROM {self._numbered}"
            ranks = f"{self._numbered} AS x ON e.l = x.id LEFT JOIN {self._numbered} AS y ON e.r = y.id"
            pairs = f"SELECT coalesce(x.number, -1), coalesce(y.number, -1), p FROM ({pairs}) AS e LEFT JOIN {ranks}"
        try:
            self._read(ids, pairs)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Drop what the connection holds for this."""
        if self._numbered is not None:
            self._connection.execute(f"DROP TABLE IF EXISTS {self._numbered}")

    def _read(self, ids: str, pairs: str) -> None:
        arrow: Any = import_module("pyarrow")
        nodes, edges = (arrow.table(self._connection.sql(query)) for query in (ids, pairs))
        columns = (nodes.column(0), edges.column(0), edges.column(1))
        names = ("the ids of nodes", "the left ids of edges", "the right ids of edges")
        node, left, right = (ids_of(column, Place(name, "row")) for column, name in zip(columns, names, strict=True))
        self._graph = number_together(node, left, right, default_threads(None))
        self.scores: Array = np.asarray(edges.column(2))
        inside = np.zeros(len(self._graph.ids), dtype=bool)
        inside[self._graph.nodes] = True
        if not inside.all():
            x = self._graph.ids[int(np.argmin(inside))]
            name = "an id" if self._numbered else repr(x if isinstance(x, str) else x.item())
            raise InputError(f"edges: {name} is no node; each endpoint must be in the column {self._node} of the nodes")

    def labels(self, threshold: float | None) -> Components:
        """The components of the edges whose score is at least a threshold."""
        u, v = self._graph.u, self._graph.v
        if threshold is not None:
            some = self.scores >= threshold
            u, v = u[some], v[some]
        return components((u, v), num_vertices=len(self._graph.ids))

    def clusters(self, threshold: float | None) -> Array:
        """The vertex with the smallest id of each vertex's cluster."""
        answer = self.labels(threshold)
        ids = self._graph.ids
        if isinstance(ids, NameArray):
            smallest: Array = _core.smallest_texts(*ids.buffers, answer.labels, answer.count)
            return smallest[answer.labels]
        return answer.representatives  # numbers ascend

    def result(self, columns: dict[str, Array], db_api: Any) -> Any:
        """A table of all nodes with the ids of their clusters, as a SplinkDataFrame."""
        arrow: Any = import_module("pyarrow")
        ids = self._graph.ids
        ids = ids.to_arrow() if isinstance(ids, NameArray) else arrow.array(ids)
        vertices = {f"c{i}": ids.take(arrow.array(column)) for i, column in enumerate(columns.values())}
        table = arrow.table({"node": ids, **vertices})
        names = [self._node, *map(_quoted, columns)]
        values = [f"CAST(t.{of} AS {self._type})" for of in table.column_names]
        joins = ""
        if self._numbered is not None:
            values = [f"{of}_id.id" for of in table.column_names]
            joins = "".join(
                f" JOIN {self._numbered} AS {of}_id ON t.{of} = {of}_id.number" for of in table.column_names
            )
        query = "SELECT " + ", ".join(f"{value} AS {name}" for value, name in zip(values, names, strict=True))
        nulls = " UNION ALL SELECT " + ", ".join("NULL" for _ in names) if self._has_null else ""
        return self._stored(table, lambda view: f"{query} FROM {view} AS t{joins}{nulls}", db_api)

    def summary(self, levels: list[float], db_api: Any) -> Any:
        """The sizes of the clusters at each threshold."""
        arrow: Any = import_module("pyarrow")
        rows: dict[str, list[Any]] = {name: [] for name in _SUMMARY}
        for level in levels:
            sizes = self.labels(level).sizes()
            weight = None if level in (0.0, 1.0) else math.log2(level / (1 - level))
            mean = float(sizes.mean()) if len(sizes) else None
            row = (level, weight, len(sizes), int(sizes.max()) if len(sizes) else None, mean)
            for name, value in zip(_SUMMARY, row, strict=True):
                rows[name].append(value)
        fields = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in _SUMMARY.items())
        return self._stored(arrow.table(rows), lambda view: f"SELECT {fields} FROM {view}", db_api)

    def _stored(self, table: Any, query: Callable[[str], str], db_api: Any) -> Any:
        """A new table of the connection, which Splink drops like its own."""
        view, name = f"landbridge_{uuid4().hex[:12]}", f"__splink__clustering_output_final_{uuid4().hex[:9]}"
        self._connection.register(view, table)
        try:
            self._connection.execute(f"CREATE TABLE {name} AS {query(view)}")
        finally:
            self._connection.unregister(view)
        stored = db_api.table_to_splink_dataframe("__splink__clustering_output_final", name)
        stored.created_by_splink = True
        getattr(db_api, "_created_tables", set[str]()).add(name)
        return stored


_SUMMARY = {
    "threshold_match_probability": "FLOAT", "threshold_match_weight": "FLOAT", "num_clusters": "BIGINT",
    "max_cluster_size": "BIGINT", "avg_cluster_size": "DOUBLE",
}  # fmt: skip
"""The columns of a summary, as Splink names them."""
