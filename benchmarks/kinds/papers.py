"""The claims of the papers on this machine: each holds, holds in part, or does not, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.claims import CLAIMS
from benchmarks.claims.claim import Claim, Finding, Races
from benchmarks.claims.races import CpuRaces, GpuRaces
from benchmarks.kinds.base import Kind
from benchmarks.machine import Quiet, cores
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.tables import Table


def run(sink: Sink) -> None:
    """Every claim that the suite's device can test, on the suite's graphs."""
    if sink.suite.device == "gpu":
        races = GpuRaces(sink.suite)
        sink.place = races.gpu.place()
        check_claims(sink, races)
        for problem in races.problems:
            sink.fail(problem)
        return
    for threads in (count or cores() for count in sink.suite.threads):
        run_on_threads(sink, threads)


def run_on_threads(sink: Sink, threads: int) -> None:
    """The processor time of the workers, and so that of other work, is known when they end: records come last."""
    quiet = Quiet()
    quiet.start()
    with CpuRaces(sink.suite, threads) as races:
        findings = list(check_each(sink, races))
        for problem in races.problems:
            sink.say(problem)
    quiet.stop()
    for claim, finding in findings:
        record(sink, races, claim, finding, threads=threads, quiet=quiet.report())


def check_claims(sink: Sink, races: Races, claims: Sequence[Claim] = CLAIMS, **more: object) -> None:
    """Check the claims one by one and record the findings; a claim that does not hold is a finding, not a failure."""
    for claim, finding in check_each(sink, races, claims):
        record(sink, races, claim, finding, **more)


def check_each(sink: Sink, races: Races, claims: Sequence[Claim] = CLAIMS) -> Iterator[tuple[Claim, Finding]]:
    """Check and say the claims that this engine can test and the suite asks for, one by one."""
    for claim in claims:
        if races.engine in claim.engines and claim.id in (sink.suite.claims or [claim.id]):
            finding = claim.check(races)
            sink.say(f"{claim.id} ({races.engine}) {finding.verdict}: {finding.says}")
            yield claim, finding


def record(sink: Sink, races: Races, claim: Claim, finding: Finding, **more: object) -> None:
    """Add the finding of one claim to the results."""
    sink.add(
        claim.id,
        list(finding.figures.values()) or [0.0],
        unit="ratio",
        engine=races.engine,
        claim=claim.text,
        source=claim.source,
        verdict=finding.verdict,
        says=finding.says,
        figures={name: float(f"{value:.4g}") for name, value in finding.figures.items()},
        graphs=list(races.graphs),
        **more,
    )


def claims_table(records: Sequence[Record]) -> Table:
    """One row a claim and engine."""
    table = Table(["claim", "", "where", "verdict", "measured"])
    for row in sorted(records, key=lambda r: (r["contestant"], r["engine"])):
        where = "CPU threads" if row["engine"] == "cpu" else row["device"]
        table.rows.append([row["contestant"], row["claim"], where, f"**{row['verdict']}**", row["says"]])
    return table


def summary(records: list[Record]) -> str:
    return claims_table(records).markdown() if records else ""


KIND = Kind(run, summary, frozenset({"device", "graphs", "threads", "repeat", "trials", "limit", "budget", "claims"}))
