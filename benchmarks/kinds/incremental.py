"""Streams of edges in random order: inserts against other codes, and mixed batches of every size.

The times are those of a million operations. Form "inserts": the whole stream in batches of 10^6, each
turn the best of three runs, because that is what ConnectIt's program reports. Form "prefix": its
first edges, as many as the slowest structures are asked for. Forms "1:q, 10^k": batches of 10^k operations, q queries
about random vertices to each insert, in random order.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.cases import load_case
from benchmarks.machine import Quiet
from benchmarks.results import describe_graph
from benchmarks.streams import shuffled, time_stream, with_queries
from benchmarks.tables import Table, geometric_mean, ratio_text
from peers.base import PeerFailed
from peers.streams import CONNECTIT, IN_PYTHON, VARIABLE, connectit

if TYPE_CHECKING:
    from benchmarks.results import Record, Sink
    from peers.base import Case

Entrant = Callable[[], tuple[float, int]]

OURS = "landbridge(auto)"
BATCH = 10**6
RATIOS = (0, 1, 10)
SIZES = tuple(10**k for k in range(2, 8))
MOST_OPERATIONS = 2 * 10**7
MOST_CALLS = 20_000


def peer_names() -> set[str]:
    return {*IN_PYTHON, CONNECTIT}


def insert(n: int, u: Any, v: Any) -> tuple[float, int]:
    from landbridge import Incremental

    return time_stream(Incremental(n), (u, v), BATCH)


def best_of_three(entrant: Entrant) -> tuple[float, int]:
    """A turn as ConnectIt's program takes it, which runs three times and tells of its fastest."""
    return min(entrant() for _ in range(3))


def operations(u: Any, v: Any, n: int, queries: int, size: int) -> tuple[Any, Any, Any]:
    """Inserts of the stream with `queries` queries to each, in random order, within the limits above."""
    m = min(len(u), MOST_OPERATIONS // (1 + queries), MOST_CALLS * size // (1 + queries))
    return with_queries(u[:m], v[:m], n, queries)


def apply(n: int, a: Any, b: Any, kinds: Any, size: int) -> tuple[float, int]:
    from landbridge import Incremental

    return time_stream(Incremental(n), (a, b, kinds), size)


def run(sink: Sink) -> None:
    suite = sink.suite
    threads = len(os.sched_getaffinity(0))
    chosen = {}
    for name in suite.peers:
        if name in IN_PYTHON:
            try:
                __import__(IN_PYTHON[name][0])
            except ImportError as error:
                sink.say(f"skipped: {name}: {error}")
            else:
                chosen[name] = IN_PYTHON[name][1]
    sink.packages = sorted({IN_PYTHON[name][0] for name in chosen})
    stream_program = CONNECTIT in suite.peers and bool(os.environ.get(VARIABLE))
    if CONNECTIT in suite.peers and not stream_program:
        sink.say(f"skipped: {CONNECTIT}: {VARIABLE} names no program")
    for graph in suite.graphs:
        case = load_case(graph)
        u, v = shuffled(case.source, case.target)
        n = case.num_vertices
        with tempfile.TemporaryDirectory(prefix="landbridge-streams-") as folder:
            path = Path(folder) / "edges.txt"
            entrants: dict[str, Entrant] = {OURS: partial(best_of_three, partial(insert, n, u, v))}
            expected = {OURS: case.count}
            few = min(len(u), *(suite.max_edges.get(name, len(u)) for name in chosen), len(u))
            for name, peer in chosen.items():
                if name not in suite.max_edges:
                    entrants[name] = partial(best_of_three, partial(peer, n, u, v))
                    expected[name] = case.count
            if stream_program:
                np.savetxt(path, np.column_stack([u, v]), fmt="%d")
                entrants[CONNECTIT] = partial(connectit, path, len(u), BATCH, threads)
                expected[CONNECTIT] = case.count - (n - 1 - int(max(u.max(), v.max())))
            measure(sink, case, "inserts", entrants, expected, total=len(u), threads=threads)
            slow = {name: peer for name, peer in chosen.items() if name in suite.max_edges}
            if slow:
                prefix = {OURS: partial(insert, n, u[:few], v[:few])}
                count = insert(n, u[:few], v[:few])[1]
                for name, peer in slow.items():
                    prefix[name] = partial(peer, n, u[:few], v[:few])
                measure(sink, case, "prefix", prefix, dict.fromkeys(prefix, count), total=few, threads=threads)
        for queries in RATIOS:
            for size in SIZES:
                a, b, kinds = operations(u, v, n, queries, size)
                count = insert(n, a[~kinds], b[~kinds])[1]
                form = f"1:{queries}, 10^{len(str(size)) - 1}"
                one = {OURS: partial(apply, n, a, b, kinds, size)}
                measure(sink, case, form, one, {OURS: count}, total=len(a), threads=threads)


def measure(
    sink: Sink,
    case: Case,
    form: str,
    entrants: dict[str, Entrant],
    expected: dict[str, int],
    *,
    total: int,
    threads: int,
) -> None:
    """Let the entrants take turns; record seconds for a million operations."""
    times: dict[str, list[float]] = {name: [] for name in entrants}
    quiet = {name: Quiet() for name in entrants}
    for _ in range(sink.suite.repeat):
        for name, entrant in entrants.items():
            quiet[name].start()
            try:
                seconds, count = entrant()
            except PeerFailed as problem:
                sink.say(f"{name}: {problem}")
                continue
            finally:
                quiet[name].stop()
            if count != expected[name]:
                sink.fail(f"{name} on {case.name}, {form}: {count} components instead of {expected[name]}")
                return
            times[name].append(seconds / total * 1e6)
    for name, values in times.items():
        if values:
            sink.add(
                name, values, graph=describe_graph(case), form=form, plan="", threads=threads, timing="wall",
                operations=total, quiet=quiet[name].report(),
            )  # fmt: skip
            sink.say(f"  {case.name} {form:12} {name:22} {1 / sorted(values)[len(values) // 2]:8.2f} M operations/s")


def rate(record: Record) -> float:
    """Millions of operations a second."""
    return 1 / float(record["median"])


def inserts_table(records: list[Record]) -> str:
    """Ours in millions of edges a second, and how many times as fast it is as each other code, by graph."""
    chosen = [r for r in records if r["form"] in ("inserts", "prefix")]
    names = [name for name in dict.fromkeys(r["contestant"] for r in chosen) if name != OURS]
    if not names:
        return ""
    table = Table(["stream", "M edges/s", *(f"times {name}" for name in names)])
    means: dict[str, list[float]] = {name: [] for name in names}
    for graph in dict.fromkeys(r["graph"]["name"] for r in chosen):
        here = {(r["form"], r["contestant"]): r for r in chosen if r["graph"]["name"] == graph}
        row = [graph, f"{rate(here['inserts', OURS]):.0f}"]
        for name in names:
            form = "inserts" if ("inserts", name) in here else "prefix"
            if (form, name) not in here:
                row.append("-")
                continue
            times = here[form, name]["median"] / here[form, OURS]["median"]
            means[name].append(times)
            row.append(f"{times:.1f}")
        table.rows.append(row)
    lines = [table.markdown()]
    shown = [f"{ratio_text(geometric_mean(values))} {name}" for name, values in means.items() if values]
    lines.append(f"Geometric means, times as fast as: {', '.join(shown)}.")
    return "\n\n".join(lines)


def mixed_table(records: list[Record]) -> str:
    """Millions of operations a second by inserts to queries and batch size, geometric mean over the streams."""
    chosen = [r for r in records if ":" in r["form"]]
    sizes = list(dict.fromkeys(r["form"].split(", ")[1] for r in chosen))
    if not sizes:
        return ""
    table = Table(["inserts to queries", *sizes])
    for queries in dict.fromkeys(r["form"].split(", ")[0] for r in chosen):
        cells = [geometric_mean([rate(r) for r in chosen if r["form"] == f"{queries}, {size}"]) for size in sizes]
        table.rows.append([queries, *(f"{cell:.1f}" for cell in cells)])
    return table.markdown()


def summary(records: list[Record]) -> str:
    return "\n\n".join(filter(None, [inserts_table(records), mixed_table(records)]))
