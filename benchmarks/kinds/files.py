"""Reading a text file of edges into two integer arrays, against the readers of pandas, pyarrow and polars."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import load_case
from benchmarks.race import race_on_a_file
from benchmarks.tables import against_fastest_peer, ratio_table, ratio_text
from peers.readers import READERS, Columns

if TYPE_CHECKING:
    from benchmarks.results import Record, Sink
    from peers.base import Case

CHUNK = 1 << 20


def write_text(case: Case, path: Path) -> None:
    """Write the raw edge list of `case`, one "u v" a line."""
    with path.open("w") as file:
        for start in range(0, len(case.source), CHUNK):
            both = np.column_stack([case.source[start : start + CHUNK], case.target[start : start + CHUNK]])
            file.write("%d %d\n" * len(both) % tuple(both.ravel().tolist()))


def same(case: Case, columns: Columns) -> bool:
    return np.array_equal(columns[0], case.source) and np.array_equal(columns[1], case.target)


def run(sink: Sink) -> None:
    suite = sink.suite
    chosen = {}
    for name, (package, reader) in READERS.items():
        if name.startswith("landbridge") or name in suite.peers:
            try:
                __import__(package)
            except ImportError as error:
                sink.say(f"skipped: {name}: {package} cannot be imported: {error}")
            else:
                chosen[name] = reader
    sink.packages = sorted({READERS[name][0] for name in chosen})
    for graph in suite.graphs:
        case = load_case(graph)
        with tempfile.TemporaryDirectory(prefix="landbridge-files-") as folder:
            path = Path(folder) / "edges.txt"
            write_text(case, path)
            size = path.stat().st_size
            sink.say(f"{case.name}: {len(case.source)} lines, {size} bytes")
            ways = {name: partial(reader, path) for name, reader in chosen.items()}

            def judge(_: str, columns: Columns, case: Case = case) -> str:
                return "" if same(case, columns) else "the arrays read are not the ones written"

            race_on_a_file(sink, case, ways, judge, size=size, rate=lambda t, size=size: f"{size / t / 1e6:8.0f} MB/s")


def summary(records: list[Record]) -> str:
    lines = [f"times over the fastest peer:\n{ratio_table(records).markdown()}"] if records else []
    for name, value in against_fastest_peer(records).items():
        lines.append(f"{name} over the fastest of all peers, geometric mean: {ratio_text(value)}")
    return "\n\n".join(lines)
