"""Reading a text file of edges into two integer arrays, against the readers of pandas, pyarrow and polars."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import describe_graph, load_case
from benchmarks.check import WrongAnswer
from benchmarks.contestants import importable
from benchmarks.kinds.base import Kind
from benchmarks.sink import Sink
from benchmarks.tables import ratio_summary
from benchmarks.turns import Entrant, interleave
from peers.base import Case
from peers.readers import READERS
from peers.timing import Timed, timed

CHUNK = 1 << 20


def write_text(case: Case, path: Path) -> None:
    """Write the raw edge list of `case`, one "u v" a line."""
    with path.open("w") as file:
        for start in range(0, len(case.source), CHUNK):
            both = np.column_stack([case.source[start : start + CHUNK], case.target[start : start + CHUNK]])
            file.write("%d %d\n" * len(both) % tuple(both.ravel().tolist()))


def race_on_a_file(
    sink: Sink,
    case: Case,
    calls: Mapping[str, Callable[[], Any]],
    check: Callable[[str, Any], object],
    *,
    size: int,
    rate: Callable[[float], str],
) -> None:
    """Calls that take a file of `size` bytes, in turns, behind one each that is not recorded.

    check: raises WrongAnswer for the result of a contestant. rate: a time as the speed that is said.
    """

    def entrant(name: str) -> Entrant:
        def check_turn(turn: Timed) -> None:
            check(name, turn.result)

        return Entrant(name, partial(timed, calls[name], warm_up=False), check_turn)

    for tally in interleave([entrant(name) for name in calls], repeat=sink.suite.repeat, warm_up=True):
        sink.add_tally(tally, graph=describe_graph(case), file_bytes=size)
        if tally.times:
            sink.say(f"  {tally.entrant.name:20} {rate(tally.median)}")


def run(sink: Sink) -> None:
    readers = {
        name: module
        for name, (module, _) in READERS.items()
        if name.startswith("landbridge") or name in sink.suite.peers
    }
    ready = importable(sink, readers)
    for graph in sink.suite.graphs:
        case = load_case(graph)
        with tempfile.TemporaryDirectory(prefix="landbridge-files-") as folder:
            path = Path(folder) / "edges.txt"
            write_text(case, path)
            size = path.stat().st_size
            sink.say(f"{case.name}: {len(case.source)} lines, {size} bytes")

            def check(name: str, columns: Any, case: Case = case) -> None:
                if not all(map(np.array_equal, columns, (case.source, case.target))):
                    raise WrongAnswer(f"{name} on {case.name}: the arrays read are not the ones written")

            def rate(seconds: float, size: int = size) -> str:
                return f"{size / seconds / 1e6:8.0f} MB/s"

            race_on_a_file(
                sink, case, {name: partial(READERS[name][1], path) for name in ready}, check, size=size, rate=rate
            )


KIND = Kind(run, ratio_summary, frozenset({"graphs", "repeat", "peers"}), lambda: READERS)
