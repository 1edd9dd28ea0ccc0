"""Where a run's records go: collected, appended to a file as soon as they exist, and shown on stderr."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.machine import describe_commit, describe_machine, describe_versions, now, processor
from benchmarks.records import Record
from benchmarks.suites import Suite
from benchmarks.turns import Tally


def rounded(values: Iterable[float]) -> list[float]:
    """Return values with six significant digits."""
    return [float(f"{value:.6g}") for value in values]


@dataclass
class Sink:
    """Collects the records of a run, prints progress on stderr and appends to `path` if there is one.

    place: what every record says of the device; a kind that runs on a GPU replaces it. failures: what went wrong, one
    line each; the run exits with 1 if there are any.
    """

    suite: Suite
    path: Path | None = None
    place: dict[str, Any] = field(default_factory=lambda: {"device": processor()})
    packages: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def fail(self, text: str) -> None:
        self.failures.append(text)
        self.say(f"FAILED {text}")

    def add(self, contestant: str, values: Sequence[float], *, unit: str = "s", **more: Any) -> Record:
        """Record `values` of one contestant: seconds ("s"), bytes ("B") or ratios ("ratio"). `more` joins the line as
        it is.
        """
        median, least, most = rounded([statistics.median(values), min(values), max(values)])
        record: Record = {
            "suite": self.suite.name,
            "kind": self.suite.kind,
            **self.place,
            "contestant": contestant,
            "unit": unit,
            "times" if unit == "s" else "values": rounded(values),
            "median": median,
            "min": least,
            "max": most,
            "checked": True,
            **more,
            **describe_commit(),
            "machine": describe_machine(),
            "versions": describe_versions(tuple(self.packages)),
            "date": now(),
        }
        self.records.append(record)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as file:
                file.write(json.dumps(record) + "\n")
        return record

    def add_tally(self, tally: Tally, **more: Any) -> Record | None:
        """Record the turns of an entrant. A wrong answer is a failure of the run, a breakdown is only said."""
        entrant = tally.entrant
        if tally.problem:
            (self.fail if tally.wrong else self.say)(tally.problem)
            return None
        values: dict[str, Any] = {
            "plan": tally.detail,
            "threads": entrant.threads,
            "timing": entrant.timing,
            "cpu_over_wall": round(statistics.median(tally.ratios), 3) if tally.ratios else None,
            **more,
            "quiet": tally.quiet.report(),
        }
        return self.add(entrant.name, tally.times, **values)
