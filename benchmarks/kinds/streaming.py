"""From a Parquet file of edges to labels, in chunks, against Arrow's reader alone, which decodes the two columns."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.cases import load_case
from benchmarks.check import WrongAnswer, check_answer
from benchmarks.race import race_on_a_file
from benchmarks.tables import against_fastest_peer, ratio_table, ratio_text
from peers.base import Answer

if TYPE_CHECKING:
    from benchmarks.results import Record, Sink
    from peers.base import Case

OURS = "landbridge(chunks)"
BATCH = 1 << 16
COLUMNS = ["u", "v"]


def write_parquet(case: Case, path: Path) -> None:
    """Write the raw edge list as Arrow does if nobody tells it how: int64, Snappy, row groups of 2^20 rows."""
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"u": case.source, "v": case.target}), path)


def table(path: Path) -> int:
    """The whole table at once; returns the number of rows."""
    from pyarrow import parquet

    return int(parquet.read_table(path, columns=COLUMNS).num_rows)


def batches(path: Path) -> int:
    """Batch after batch, each forgotten at once: the least a reader can do."""
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
    import landbridge

    suite = sink.suite
    readers: dict[str, Callable[[Path], int]] = {name: READERS[name] for name in suite.peers}
    sink.packages = ["pyarrow"]
    for graph in suite.graphs:
        case = load_case(graph)
        with tempfile.TemporaryDirectory(prefix="landbridge-streaming-") as folder:
            path = Path(folder) / "edges.parquet"
            write_parquet(case, path)

            ways: dict[str, Callable[[], Any]] = {
                OURS: partial(landbridge.components, chunks=path, num_vertices=case.num_vertices),
                **{name: partial(reader, path) for name, reader in readers.items()},
            }

            def judge(name: str, answer: Any, case: Case = case) -> str:
                if name != OURS:
                    return "" if answer == len(case.source) else f"{answer} rows instead of {len(case.source)}"
                try:
                    check_answer(name, case, Answer((0.0,), answer.count, answer.labels), exact=True)
                except WrongAnswer as error:
                    return str(error)
                return ""

            def rate(seconds: float, case: Case = case) -> str:
                return f"{len(case.source) / seconds / 1e6:8.0f} M edges/s"

            race_on_a_file(sink, case, ways, judge, size=path.stat().st_size, rate=rate)


def summary(records: list[Record]) -> str:
    lines = [f"times over the fastest reader:\n{ratio_table(records).markdown()}"] if records else []
    for name, value in against_fastest_peer(records).items():
        lines.append(f"{name} over the fastest reader alone, geometric mean: {ratio_text(value)}")
    return "\n\n".join(lines)
