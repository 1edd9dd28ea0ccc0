"""From a Parquet file of edges to labels, in chunks, against Arrow's reader alone, which decodes the two columns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import landbridge
from benchmarks.cases import load_case
from benchmarks.check import check_count, check_labels
from benchmarks.kinds.base import Kind
from benchmarks.kinds.files import race_on_a_file
from benchmarks.sink import Sink
from benchmarks.tables import ratio_summary
from peers.base import Case

OURS = "landbridge(chunks)"
BATCH = 1 << 16
COLUMNS = ["u", "v"]


def write_parquet(case: Case, path: Path) -> None:
    """Write the raw edge list with Arrow's defaults: int64, Snappy, row groups of 2^20 rows."""
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"u": case.source, "v": case.target}), path)


def table(path: Path) -> int:
    """The whole table at once; returns the number of rows."""
    from pyarrow import parquet

    return int(parquet.read_table(path, columns=COLUMNS).num_rows)


def batches(path: Path) -> int:
    """Batch after batch, each released at once: the least a reader can do."""
    from pyarrow import parquet

    return sum(batch.num_rows for batch in parquet.ParquetFile(path).iter_batches(BATCH, columns=COLUMNS))


def one_thread(path: Path) -> int:
    """The whole table at once, by one thread."""
    import pyarrow

    before = pyarrow.cpu_count()
    pyarrow.set_cpu_count(1)
    try:
        return table(path)
    finally:
        pyarrow.set_cpu_count(before)


READERS: dict[str, Callable[[Path], int]] = {
    "pyarrow(table)": table,
    "pyarrow(batches)": batches,
    "pyarrow(one thread)": one_thread,
}


def run(sink: Sink) -> None:
    sink.packages = ["pyarrow"]
    for graph in sink.suite.graphs:
        case = load_case(graph)
        with tempfile.TemporaryDirectory(prefix="landbridge-streaming-") as folder:
            path = Path(folder) / "edges.parquet"
            write_parquet(case, path)
            calls: dict[str, Callable[[], Any]] = {
                OURS: partial(landbridge.components, chunks=path, num_vertices=case.num_vertices),
                **{name: partial(READERS[name], path) for name in sink.suite.peers},
            }

            def check(name: str, result: Any, case: Case = case) -> None:
                if name == OURS:
                    check_labels(name, case, result.count, result.labels)
                else:
                    check_count(f"{name} on {case.name}", result, len(case.source), "rows")

            def rate(seconds: float, case: Case = case) -> str:
                return f"{len(case.source) / seconds / 1e6:8.0f} M edges/s"

            race_on_a_file(sink, case, calls, check, size=path.stat().st_size, rate=rate)


KIND = Kind(run, ratio_summary, frozenset({"graphs", "repeat", "peers"}), lambda: READERS)
