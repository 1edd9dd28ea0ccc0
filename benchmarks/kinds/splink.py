"""Clusters of pairwise predictions in DuckDB: Splink's SQL, and the function of landbridge with its signature.

Both read the same tables of one connection, filter by a probability of 0.5 and write a table of clusters. The tables
are compared. `bars.scale` predictions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.kinds.base import Kind
from benchmarks.kinds.door import Door, measure
from benchmarks.records import Record, grouped
from benchmarks.sink import Sink
from benchmarks.tables import Table, ratio_text


def tables(kind: str, scale: int) -> tuple[Any, Any]:
    """Nodes and predictions. Clusters are small, but for "random", where one joins a third of all nodes."""
    import pyarrow as pa

    rng, n = np.random.default_rng(1), scale * 7 // 10
    u = np.arange(scale) % n
    v = np.minimum(u + rng.geometric(0.6, scale), n - 1)
    probability = rng.random(scale)
    probability[u % 4 == 3] *= 0.5
    if kind.endswith("one large cluster"):
        u, v = rng.integers(0, n, (2, scale))
    ids: Any = rng.permutation(n).astype(np.int64)
    if kind.startswith("far"):
        ids *= 7919
    elif kind.startswith("text"):
        ids = np.char.add("record-", ids.astype(str))
    edges = {"unique_id_l": ids[u], "unique_id_r": ids[v], "match_probability": probability}
    return pa.table({"unique_id": ids}), pa.table(edges)


CASES = {"numbers 0..n-1": 0.1, "far numbers": 0.2, "far numbers, one large cluster": 0.2, "text": 0.2}
"""Kinds of ids, and the most time that landbridge may take, as a part of Splink's."""


def doors(scale: int) -> Iterator[Door]:
    """Both functions on each kind of ids, in a connection of its own."""
    import duckdb
    from splink import DuckDBAPI
    from splink.clustering import cluster_pairwise_predictions_at_threshold as own

    from landbridge.compat.splink import cluster_pairwise_predictions_at_threshold as ours

    for kind, bar in CASES.items():
        connection = duckdb.connect()
        for name, table in zip(("nodes", "edges"), tables(kind, scale), strict=True):
            connection.register("source", table)
            connection.execute(f"CREATE TABLE {name} AS FROM source")
            connection.unregister("source")
        last: dict[Any, Any] = {}

        def call(function: Any, connection: Any = connection, last: dict[Any, Any] = last) -> Any:
            if function in last:
                last.pop(function).drop_table_from_database_and_remove_from_cache()
            api = DuckDBAPI(connection)
            last[function] = function("nodes", "edges", api, "unique_id", threshold_match_probability=0.5)
            return last[function]

        def same(a: Any, b: Any, connection: Any = connection) -> bool:
            a, b = a.physical_name, b.physical_name
            query = f"SELECT count(*) FROM {a} JOIN {b} USING (unique_id, cluster_id)"
            counts = [
                connection.sql(q).fetchall() for q in (query, f"SELECT count(*) FROM {b}", "SELECT count(*) FROM nodes")
            ]
            return counts[0] == counts[1] == counts[2]

        yield Door(f"{scale} predictions, ids are {kind}", lambda c=call: c(ours), lambda c=call: c(own), same, bar)
        connection.close()


def run(sink: Sink) -> None:
    """Time both functions in `repeat` turns. A missed bar and a wrong answer are failures."""
    for number, door in enumerate(doors(int(sink.suite.bars["scale"]))):
        measure(sink, door, f"splink {number}")


def summary(records: list[Record]) -> str:
    """How many times faster than Splink's SQL, by medians and by the fastest turns."""
    table = Table(["predictions", "Splink on DuckDB, s", "landbridge, s", "times faster", "of the fastest"])
    for what, group in grouped(records, lambda record: str(record["what"])).items():
        pair = {record["contestant"]: record for record in group}
        ours, base = pair["landbridge"], pair["base"]
        ratios = [ratio_text(base[key] / ours[key]) for key in ("median", "min")]
        table.rows.append([what, f"{base['median']:.3g}", f"{ours['median']:.3g}", *ratios])
    return table.markdown() if records else ""


KIND = Kind(run, summary, frozenset({"repeat", "bars"}))
