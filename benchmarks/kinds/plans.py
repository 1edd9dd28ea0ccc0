"""Every plan of the CPU engine on every graph: how far the automatic choice is from the best."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import landbridge
from benchmarks.cases import load_case, save_case
from benchmarks.check import check_answer
from benchmarks.kinds.base import Kind
from benchmarks.kinds.components import add_tallies
from benchmarks.machine import cores
from benchmarks.records import Record, by_graph
from benchmarks.sink import Sink
from benchmarks.tables import AUTO, Table, geometric_mean, ratio_text
from benchmarks.turns import Entrant, Tally, interleave
from benchmarks.worker import Runner
from peers.base import Answer, Case


def run(sink: Sink) -> None:
    """Two rounds. In the first every plan takes its turns, those slower than `screen` times the fastest only one.
    The best of hundreds of short measurements is the luckiest, so the `finalists` fastest then meet `auto` again for
    `final` turns, which replace their first times.
    """
    suite = sink.suite
    every = ["auto", *landbridge.plans(engine="cpu", layout="csr")]
    plans = every if suite.landbridge == ["auto"] else suite.landbridge
    for graph in suite.graphs:
        case = load_case(graph)
        sink.say(f"{case.name}: {len(plans)} plans")
        for threads in (count or cores() for count in suite.threads):
            with tempfile.TemporaryDirectory(prefix="landbridge-plans-") as folder:
                case_file = Path(folder) / "case.npz"
                save_case(case, case_file)
                runner = Runner(case_file, threads, suite.limit)
                add_tallies(sink, case, race(sink, case, plans, runner))
                runner.close()


def race(sink: Sink, case: Case, plans: Sequence[str], runner: Runner) -> list[Tally]:
    """The tallies of all plans on one graph."""
    suite = sink.suite

    def entrant(name: str) -> Entrant:
        def check(answer: Answer) -> None:
            check_answer(name, case, answer, exact=False)  # the worker has compared the labels

        return Entrant(name, partial(runner.turn, name, suite.trials), check, threads=runner.threads, lasting=True)

    entrants = [entrant(f"landbridge({plan})") for plan in plans]
    tallies = interleave(entrants, repeat=suite.repeat, budget=suite.budget, screen=suite.screen)
    running = [tally for tally in tallies if tally.times]
    running.sort(key=lambda tally: (tally.entrant.name != AUTO, min(tally.times)))
    finalists = [tally.entrant for tally in running[: suite.finalists + 1]]
    final = interleave(finalists, repeat=suite.final, budget=suite.budget)
    again = {tally.entrant.name: tally for tally in final}
    return [again.get(tally.entrant.name, tally) for tally in tallies]


def best_of(row: Mapping[str, Record]) -> Record:
    """The fastest plan by name of those measured most often: the finalists."""
    named = [record for name, record in row.items() if name != AUTO]
    most = max(len(record["times"]) for record in named)
    return min((r for r in named if len(r["times"]) == most), key=lambda record: float(record["median"]))


def distances(records: Sequence[Record]) -> dict[str, float]:
    """Return plan -> geometric mean of its median over the best plan's, ascending; plans on every graph
    only.
    """
    rows = by_graph(records)
    best = {graph: best_of(row)["median"] for graph, row in rows.items()}
    everywhere = set.intersection(*(set(row) for row in rows.values())) if rows else set()
    means = {
        name: geometric_mean(row[name]["median"] / best[graph] for graph, row in rows.items()) for name in everywhere
    }
    return dict(sorted(means.items(), key=lambda item: item[1]))


def plans_table(records: Sequence[Record], top: int = 12) -> Table:
    """The best plan of each graph, and beside `auto` the `top` single plans that are best over all graphs."""
    rows = by_graph(records)
    means = distances(records)
    shown = [name for name in means if name != AUTO][:top]
    table = Table(["graph", "best plan", "auto", *shown])
    for graph, row in rows.items():
        best = best_of(row)
        ratios = [ratio_text(row[name]["median"] / best["median"]) if name in row else "" for name in (AUTO, *shown)]
        table.rows.append([graph, best["contestant"], *ratios])
    table.rows.append(
        [
            "geometric mean",
            "",
            *(ratio_text(means[name]) if name in means else "" for name in (AUTO, *shown)),
        ]
    )
    return table


def summary(records: list[Record]) -> str:
    """`auto` over the best plan of each graph, and over the single plan that is best on all of them."""
    if not records:
        return ""
    means = distances(records)
    single = next((name for name in means if name != AUTO), None)
    lines = [plans_table(records).markdown()]
    if AUTO in means and single is not None:
        each, one = ratio_text(means[AUTO]), ratio_text(means[AUTO] / means[single])
        lines.append(
            f"The automatic choice over the best plan of each graph: **{each}**, geometric mean; "
            f"over the best single plan, `{single}`: **{one}**."
        )
    measured = statistics.median(len(row) for row in by_graph(records).values())
    lines.append(f"Plans measured on a graph (median): {measured:g}.")
    return "\n\n".join(lines)


KIND = Kind(
    run,
    summary,
    frozenset(
        {"graphs", "threads", "repeat", "trials", "landbridge", "budget", "screen", "finalists", "final", "limit"}
    ),
)
