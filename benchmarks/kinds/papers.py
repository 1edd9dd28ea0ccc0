"""The claims of the papers on this machine: each holds, holds in part, or does not, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.claims import CLAIMS, UNTESTED
from benchmarks.claims.claim import Claim, Races
from benchmarks.claims.races import CpuRaces, GpuRaces
from benchmarks.machine import cores
from benchmarks.tables import Table

if TYPE_CHECKING:
    from benchmarks.results import Record, Sink


def run(sink: Sink) -> None:
    """Every claim that CPU threads can test, on the suite's graphs."""
    for threads in sink.suite.threads:
        with CpuRaces(sink.suite, threads or cores()) as races:
            check(sink, races, threads=threads or cores())
            for problem in races.problems:
                sink.say(problem)


def run_gpu(sink: Sink) -> None:
    """Every claim that a GPU can test."""
    races = GpuRaces(sink.suite)
    check(sink, races, device=races.device)
    sink.failures += races.wrong


def check(sink: Sink, races: Races, claims: Sequence[Claim] = CLAIMS, **more: object) -> None:
    """Check the claims one by one and record what was found; a claim that does not hold is a finding, not a failure."""
    for claim in claims:
        if races.engine in claim.engines and claim.id in (sink.suite.claims or [claim.id]):
            found = claim.check(races)
            sink.say(f"{claim.id} ({races.engine}) {found.verdict}: {found.says}")
            sink.add(
                claim.id,
                list(found.figures.values()) or [0.0],
                unit="ratio",
                engine=races.engine,
                claim=claim.text,
                source=claim.source,
                verdict=found.verdict,
                says=found.says,
                figures={name: float(f"{value:.4g}") for name, value in found.figures.items()},
                graphs=list(races.graphs),
                **more,
            )


def claims_table(records: Sequence[Record]) -> Table:
    """One row a claim and engine."""
    table = Table(["claim", "", "where", "verdict", "measured"])
    for record in sorted(records, key=lambda r: (r["contestant"], r["engine"])):
        where = record.get("device", "CPU threads")
        table.rows.append([record["contestant"], record["claim"], where, f"**{record['verdict']}**", record["says"]])
    return table


def untested_table() -> Table:
    """The claims without a program, and why."""
    table = Table(["claim", "", "not tested because"])
    table.rows += [list(row) for row in UNTESTED]
    return table


def summary(records: list[Record]) -> str:
    return claims_table(records).markdown() if records else ""
