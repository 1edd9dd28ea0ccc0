"""A graph in memory to labels: prebuilt CSR ("components", "threads"), or two int64 arrays ("end_to_end")."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.cases import describe_graph, load_case, lower_bound_bytes
from benchmarks.contestants import contestants_of, entrant, prepared, takes
from benchmarks.kinds.base import Kind
from benchmarks.machine import cores, read_bandwidth
from benchmarks.records import Record, by_graph
from benchmarks.sink import Sink, rounded
from benchmarks.tables import OURS, Table, geometric_mean, ratio_summary, ratio_text
from benchmarks.turns import Entrant, Tally, interleave
from peers import peer_names
from peers.base import Case, InProcess, Peer

READS = frozenset({"graphs", "threads", "repeat", "trials", "landbridge", "peers", "max_edges", "budget"})


def run(sink: Sink, *, end_to_end: bool = False) -> None:
    suite = sink.suite
    contestants = contestants_of(sink)
    for graph in suite.graphs:
        case = load_case(graph)
        sink.say(f"{case.name}: n = {case.num_vertices}, m = {case.num_edges}, {case.count} components")
        for threads in (count or cores() for count in suite.threads):
            if end_to_end:
                tallies = race(sink, from_arrays(sink, case, threads, contestants))
            else:
                with prepared(sink, case, threads, contestants) as entrants:
                    tallies = race(sink, entrants)
            add_tallies(sink, case, tallies)
            for tally in sorted((tally for tally in tallies if tally.times), key=lambda tally: tally.median):
                median, least = tally.median * 1e3, min(tally.times) * 1e3
                name = f"{threads} threads  {tally.entrant.name:34}"
                sink.say(f"  {name} {median:10.3f} ms  min {least:10.3f} ms  {tally.detail}")


def race(sink: Sink, entrants: Sequence[Entrant]) -> list[Tally]:
    return interleave(entrants, repeat=sink.suite.repeat, budget=sink.suite.budget)


def from_arrays(sink: Sink, case: Case, threads: int, contestants: Sequence[Peer]) -> list[Entrant]:
    """Contestants whose work begins with the two arrays of the case."""
    return [
        entrant(peer, case, threads, partial(peer.end_to_end, case, threads, sink.suite.trials))
        for peer in contestants
        if isinstance(peer, InProcess) and takes(sink.suite, peer, case)
    ]


def add_tallies(sink: Sink, case: Case, tallies: Sequence[Tally]) -> None:
    """Record the turns on one graph."""
    least = lower_bound_bytes(case)
    for tally in tallies:
        (bound,) = rounded([least / read_bandwidth(tally.entrant.threads)])
        sink.add_tally(tally, graph=describe_graph(case), lower_bound_s=bound)


def summary(records: list[Record]) -> str:
    """Tables of ratios, with the lower bound."""
    return ratio_summary(records, lower_bound=True) if records else ""


def threads_table(records: Sequence[Record]) -> Table:
    """Speed-up of each contestant over its smallest thread count, and processor time over wall time.

    A speed-up is only believed where the processors were used: cpu/wall below 0.8 times the threads is
    marked.
    """
    counts = sorted({record["threads"] for record in records})
    least, more = counts[0], counts[1:]
    header = [
        "graph",
        "contestant",
        *(f"{count} over {least}" for count in more),
        *(f"cpu/wall, {c}" for c in counts),
    ]
    table = Table(header)
    rows = {count: by_graph(record for record in records if record["threads"] == count) for count in counts}
    gains: dict[tuple[str, int], list[float]] = {}
    for graph, row in rows[least].items():
        for name, base in row.items():
            cells: list[str] = []
            for count in more:
                other = rows[count].get(graph, {}).get(name)
                if other is None:
                    cells.append("")
                    continue
                gain = base["median"] / other["median"]
                gains.setdefault((name, count), []).append(gain)
                cells.append(ratio_text(gain))
            cells += [_use(rows[count].get(graph, {}).get(name), count) for count in counts]
            table.rows.append([graph, name, *cells])
    for name in dict.fromkeys(name for name, _ in gains):
        means = [ratio_text(geometric_mean(gains.get((name, count), []))) for count in more]
        table.rows.append(["geometric mean", name, *means, *([""] * len(counts))])
    return table


def _use(record: Record | None, threads: int) -> str:
    ratio = record["cpu_over_wall"] if record else None
    if ratio is None:
        return ""
    return f"{ratio:.2f}" + (
        " (low)" if record and record["contestant"].startswith(OURS) and ratio < 0.8 * threads else ""
    )


def threads_summary(records: list[Record]) -> str:
    return threads_table(records).markdown() if records else ""


def graphs_table(records: Sequence[Record]) -> Table:
    """The graphs of the records: generator and sizes."""
    table = Table(["graph", "generator", "vertices", "edges", "components"])
    graphs = {record["graph"]["name"]: record["graph"] for record in records}
    for name, graph in graphs.items():
        sizes = [f"{graph[size]:,}" for size in ("n", "m", "components")]
        table.rows.append([name, f"`{graph['text']}`", *sizes])
    return table


KIND = Kind(run, summary, READS, peer_names)
END_TO_END = Kind(partial(run, end_to_end=True), ratio_summary, READS, peer_names)
THREADS = Kind(run, threads_summary, READS, peer_names)
