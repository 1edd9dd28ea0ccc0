"""A graph in memory to labels: prebuilt CSR ("components", "threads"), or two int64 arrays ("end_to_end")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.cases import load_case
from benchmarks.contestants import Landbridge
from benchmarks.machine import cores
from benchmarks.tables import (
    OURS,
    Table,
    against_fastest_peer,
    by_graph,
    geometric_mean,
    ratio_table,
    ratio_text,
)
from benchmarks.turns import Entrant, interleave
from peers import peers
from peers.base import Case, InProcess, Peer, PeerFailed

if TYPE_CHECKING:
    from benchmarks.results import Record, Sink
    from benchmarks.suites import Suite


def contestants(sink: Sink) -> list[Peer]:
    """Return landbridge's contestants and the suite's peers that can run here; say which cannot, once."""
    found: list[Peer] = [Landbridge(text) for text in sink.suite.landbridge]
    found += peers(sink.suite.peers)
    for peer in found:
        if reason := peer.unavailable():
            sink.say(f"skipped: {peer.name}: {reason}")
    ready = [peer for peer in found if peer.unavailable() is None]
    sink.packages = sorted({peer.module for peer in ready if isinstance(peer, InProcess)})
    return ready


def takes(suite: Suite, peer: Peer, case: Case) -> bool:
    """Whether the suite lets `peer` take a graph of this size."""
    most = suite.max_edges.get(peer.name, suite.max_edges.get(peer.name.partition("(")[0]))
    return most is None or case.num_edges <= most


@contextmanager
def prepared(
    sink: Sink, case: Case, threads: int, ready: Sequence[Peer], *, end_to_end: bool
) -> Iterator[list[Entrant]]:
    """Prepare every contestant for `case`, give the entrants, and release what was prepared."""
    entrants: list[Entrant] = []
    with ExitStack() as stack:
        for peer in ready:
            exact = isinstance(peer, Landbridge)
            if not takes(sink.suite, peer, case):
                continue
            if end_to_end:
                if isinstance(peer, InProcess):
                    turn = partial(peer.end_to_end, case, threads)
                    entrants.append(Entrant(peer.name, peer.timing, threads, turn, exact))
                continue
            try:
                handle = peer.prepare(case, threads)
            except PeerFailed as error:
                sink.say(str(error))
                continue
            stack.callback(peer.release, handle)
            entrants.append(Entrant(peer.name, peer.timing, threads, partial(peer.run, handle), exact))
        yield entrants


def run(sink: Sink, *, end_to_end: bool = False) -> None:
    suite = sink.suite
    ready = contestants(sink)
    for graph in suite.graphs:
        case = load_case(graph)
        sink.say(f"{case.name}: n = {case.num_vertices}, m = {case.num_edges}, {case.count} components")
        for threads in suite.threads:
            used = threads or cores()
            with prepared(sink, case, used, ready, end_to_end=end_to_end) as entrants:
                tallies = interleave(case, entrants, repeat=suite.repeat, trials=suite.trials, budget=suite.budget)
            sink.add_tallies(case, tallies)
            for tally in sorted((tally for tally in tallies if tally.times), key=lambda tally: tally.median):
                median, least = tally.median * 1e3, min(tally.times) * 1e3
                name = f"{used} threads  {tally.entrant.name:34}"
                sink.say(f"  {name} {median:10.3f} ms  min {least:10.3f} ms  {tally.detail}")


def run_end_to_end(sink: Sink) -> None:
    run(sink, end_to_end=True)


def summary(records: list[Record]) -> str:
    """A table of ratios for each thread count, and landbridge over the fastest of all peers."""
    parts: list[str] = []
    for threads in dict.fromkeys(record["threads"] for record in records):
        chosen = [record for record in records if record["threads"] == threads]
        parts.append(f"{threads} threads; times over the fastest peer:\n{ratio_table(chosen, floor=True).markdown()}")
        parts += [
            f"{name} over the fastest of all peers, geometric mean: {ratio_text(value)}"
            for name, value in against_fastest_peer(chosen).items()
        ]
    return "\n\n".join(parts)


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
