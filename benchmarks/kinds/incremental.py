"""Streams of edges in random order: inserts against other codes, and mixed batches of every size.

The times are those of a million operations. Form "inserts": the whole stream in batches of 10^6, each
turn the best of three runs, because that is what ConnectIt's program reports. Form "prefix": its
first edges, as many as the slowest structures are asked for. Forms "1:q, 10^k": batches of 10^k operations, q queries
about random vertices to each insert, in random order.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import describe_graph, load_case
from benchmarks.check import check_count
from benchmarks.contestants import importable
from benchmarks.kinds.base import Kind
from benchmarks.machine import cores
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.streams import shuffled, time_stream, with_queries
from benchmarks.tables import AUTO, Table, geometric_mean, ratio_text
from benchmarks.turns import Entrant, interleave
from landbridge import Incremental
from peers.base import Case
from peers.streams import CONNECTIT, IN_PYTHON, VARIABLE, connectit
from peers.timing import Timed

Run = Callable[[], tuple[float, int]]
"""Seconds of all operations, and the number of components behind them."""

BATCH = 10**6
RATIOS = (0, 1, 10)
SIZES = tuple(10**k for k in range(2, 8))
MOST_OPERATIONS = 2 * 10**7
MOST_CALLS = 20_000


def peer_names() -> set[str]:
    return {*IN_PYTHON, CONNECTIT}


def insert(n: int, u: Any, v: Any) -> tuple[float, int]:
    return time_stream(Incremental(n), (u, v), BATCH)


def best_of_three(run: Run) -> tuple[float, int]:
    """A turn as ConnectIt's program takes it, which reports the fastest of three runs."""
    return min(run() for _ in range(3))


def operations(u: Any, v: Any, n: int, queries: int, size: int) -> tuple[Any, Any, Any]:
    """Inserts of the stream with `queries` queries to each, in random order, within the limits above."""
    m = min(len(u), MOST_OPERATIONS // (1 + queries), MOST_CALLS * size // (1 + queries))
    return with_queries(u[:m], v[:m], n, queries)


def form_of(queries: int, size: int) -> str:
    """The form of mixed batches."""
    return f"1:{queries}, 10^{len(str(size)) - 1}"


def run(sink: Sink) -> None:
    suite = sink.suite
    packages = {name: IN_PYTHON[name][0] for name in suite.peers if name in IN_PYTHON}
    peers = {name: IN_PYTHON[name][1] for name in importable(sink, packages)}
    program = CONNECTIT in suite.peers and bool(os.environ.get(VARIABLE))
    if CONNECTIT in suite.peers and not program:
        sink.say(f"skipped: {CONNECTIT}: {VARIABLE} names no program")
    for graph in suite.graphs:
        case = load_case(graph)
        u, v = shuffled(case.source, case.target)
        n = case.num_vertices
        fast = {name: peer for name, peer in peers.items() if name not in suite.max_edges}
        with tempfile.TemporaryDirectory(prefix="landbridge-streams-") as folder:
            runs: dict[str, Run] = {AUTO: partial(best_of_three, partial(insert, n, u, v))}
            runs |= {name: partial(best_of_three, partial(peer, n, u, v)) for name, peer in fast.items()}
            expected = dict.fromkeys(runs, case.count)
            if program:
                path = Path(folder) / "edges.txt"
                np.savetxt(path, np.column_stack([u, v]), fmt="%d")
                runs[CONNECTIT] = partial(connectit, path, len(u), BATCH, cores())
                expected[CONNECTIT] = case.count - (n - 1 - int(max(u.max(), v.max())))
            measure(sink, case, "inserts", runs, expected, total=len(u))
        slow = {name: peer for name, peer in peers.items() if name in suite.max_edges}
        if slow:
            few = min(len(u), *(suite.max_edges[name] for name in slow))
            prefix: dict[str, Run] = {AUTO: partial(insert, n, u[:few], v[:few])}
            prefix |= {name: partial(peer, n, u[:few], v[:few]) for name, peer in slow.items()}
            count = insert(n, u[:few], v[:few])[1]
            measure(sink, case, "prefix", prefix, dict.fromkeys(prefix, count), total=few)
        for queries in RATIOS:
            for size in SIZES:
                a, b, is_query = operations(u, v, n, queries, size)
                count = insert(n, a[~is_query], b[~is_query])[1]
                mixed = {AUTO: partial(apply, n, (a, b, is_query), size)}
                measure(sink, case, form_of(queries, size), mixed, {AUTO: count}, total=len(a))


def apply(n: int, mixed: tuple[Any, Any, Any], size: int) -> tuple[float, int]:
    return time_stream(Incremental(n), mixed, size)


def entrant(name: str, where: str, run: Run, expected: int, total: int) -> Entrant:
    """A stream of `total` operations whose number of components is checked; times are those of a million."""

    def turn() -> Timed:
        seconds, count = run()
        return Timed((seconds / total * 1e6,), count)

    def check(turn: Timed) -> None:
        check_count(f"{name} on {where}", turn.result, expected, "components")

    return Entrant(name, turn, check, threads=cores())


def measure(
    sink: Sink, case: Case, form: str, runs: Mapping[str, Run], expected: Mapping[str, int], *, total: int
) -> None:
    """Let the runs take turns; record seconds for a million operations."""
    entrants = [entrant(name, f"{case.name}, {form}", one, expected[name], total) for name, one in runs.items()]
    for tally in interleave(entrants, repeat=sink.suite.repeat):
        sink.add_tally(tally, graph=describe_graph(case), form=form, operations=total, cpu_over_wall=None)
        if tally.times:
            sink.say(f"  {case.name} {form:12} {tally.entrant.name:22} {1 / tally.median:8.2f} M operations/s")


def rate(record: Record) -> float:
    """Millions of operations per second."""
    return 1 / float(record["median"])


def inserts_table(records: list[Record]) -> str:
    """Ours in millions of edges per second, and how many times as fast it is as each other code, by graph."""
    inserts = [r for r in records if r["form"] in ("inserts", "prefix")]
    names = [name for name in dict.fromkeys(r["contestant"] for r in inserts) if name != AUTO]
    if not names:
        return ""
    table = Table(["stream", "M edges/s", *(f"times {name}" for name in names)])
    means: dict[str, list[float]] = {name: [] for name in names}
    for graph in dict.fromkeys(r["graph"]["name"] for r in inserts):
        here = {(r["form"], r["contestant"]): r for r in inserts if r["graph"]["name"] == graph}
        row = [graph, f"{rate(here['inserts', AUTO]):.0f}"]
        for name in names:
            form = "inserts" if ("inserts", name) in here else "prefix"
            if (form, name) not in here:
                row.append("-")
                continue
            times = here[form, name]["median"] / here[form, AUTO]["median"]
            means[name].append(times)
            row.append(f"{times:.1f}")
        table.rows.append(row)
    lines = [table.markdown()]
    shown = [f"{ratio_text(geometric_mean(values))} {name}" for name, values in means.items() if values]
    lines.append(f"Geometric means, times as fast as: {', '.join(shown)}.")
    return "\n\n".join(lines)


def mixed_table(records: list[Record]) -> str:
    """Millions of operations per second by inserts to queries and batch size, geometric mean over the streams."""
    mixed = [r for r in records if ":" in r["form"]]
    sizes = list(dict.fromkeys(r["form"].split(", ")[1] for r in mixed))
    if not sizes:
        return ""
    table = Table(["inserts to queries", *sizes])
    for queries in dict.fromkeys(r["form"].split(", ")[0] for r in mixed):
        cells = [geometric_mean([rate(r) for r in mixed if r["form"] == f"{queries}, {size}"]) for size in sizes]
        table.rows.append([queries, *(f"{cell:.1f}" for cell in cells)])
    return table.markdown()


def summary(records: list[Record]) -> str:
    return "\n\n".join(filter(None, [inserts_table(records), mixed_table(records)]))


KIND = Kind(run, summary, frozenset({"graphs", "repeat", "peers", "max_edges"}), peer_names)
