"""The claims of the papers on this machine: each holds, holds in part, or does not, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from benchmarks.claims import CLAIMS, UNTESTED
from benchmarks.claims.claim import Claim, Finding, Races
from benchmarks.claims.races import CpuRaces, GpuRaces
from benchmarks.machine import Quiet, cores
from benchmarks.tables import Table

if TYPE_CHECKING:
    from benchmarks.results import Record, Sink


def run(sink: Sink) -> None:
    """Every claim that CPU threads can test, on the suite's graphs. What other work ran meanwhile is known at the end,
    when the time of the workers is.
    """
    for threads in sink.suite.threads:
        quiet = Quiet()
        quiet.start()
        with CpuRaces(sink.suite, threads or cores()) as races:
            checked = list(findings(sink, races))
            for problem in races.problems:
                sink.say(problem)
        quiet.stop()
        for claim, found in checked:
            record(sink, races, claim, found, threads=threads or cores(), quiet=quiet.report())


def run_gpu(sink: Sink) -> None:
    """Every claim that a GPU can test."""
    races = GpuRaces(sink.suite)
    check(sink, races, device=races.device)
    sink.failures += races.wrong


def check(sink: Sink, races: Races, claims: Sequence[Claim] = CLAIMS, **more: object) -> None:
    """Check the claims one by one and record what was found; a claim that does not hold is a finding, not a failure."""
    for claim, found in findings(sink, races, claims):
        record(sink, races, claim, found, **more)


def findings(sink: Sink, races: Races, claims: Sequence[Claim] = CLAIMS) -> Iterator[tuple[Claim, Finding]]:
    """Check and say the claims that this engine can test and the suite asks for, one by one."""
    for claim in claims:
        if races.engine in claim.engines and claim.id in (sink.suite.claims or [claim.id]):
            found = claim.check(races)
            sink.say(f"{claim.id} ({races.engine}) {found.verdict}: {found.says}")
            yield claim, found


def record(sink: Sink, races: Races, claim: Claim, found: Finding, **more: object) -> None:
    """Add what was found of one claim to the results."""
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
    for row in sorted(records, key=lambda r: (r["contestant"], r["engine"])):
        where = row.get("device", "CPU threads")
        table.rows.append([row["contestant"], row["claim"], where, f"**{row['verdict']}**", row["says"]])
    return table


def untested_table() -> Table:
    """The claims without a program, and why."""
    table = Table(["claim", "", "not tested because"])
    table.rows += [list(row) for row in UNTESTED]
    return table


def summary(records: list[Record]) -> str:
    return claims_table(records).markdown() if records else ""
