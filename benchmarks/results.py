"""Result lines: one JSON object per contestant, graph and thread count, appended as soon as it is known."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.gpu_lines import standard
from benchmarks.machine import describe_commit, describe_machine, describe_versions, now, read_bandwidth
from benchmarks.suites import Suite
from benchmarks.turns import Tally
from peers.base import Case

Record = dict[str, Any]


def floor_bytes(case: Case) -> int:
    """Return the bytes that any algorithm moves: offsets, the cache lines of the first neighbours, the
    labels.

    Offsets count 4 bytes a vertex while they fit; a line is 64 bytes and counts once; a label is 4 bytes.
    """
    import numpy as np

    starts = case.offsets[:-1][np.diff(case.offsets) > 0]
    lines = len(np.unique(starts * case.neighbors.itemsize // 64))
    offset = 4 if len(case.neighbors) < 2**31 else 8
    return offset * (case.num_vertices + 1) + 64 * lines + 4 * case.num_vertices


def describe_graph(case: Case) -> dict[str, Any]:
    return {
        "name": case.name,
        "text": case.text,
        "n": case.num_vertices,
        "m": case.num_edges,
        "components": case.count,
    }


@dataclass
class Sink:
    """Collects the records of a run, prints progress on stderr and appends to `path` if there is one.

    failures: what went wrong, one line each; the run exits with 1 if there are any.
    """

    suite: Suite
    path: Path | None = None
    packages: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def fail(self, text: str) -> None:
        self.failures.append(text)
        self.say(f"FAILED {text}")

    def add(self, contestant: str, values: Sequence[float], *, unit: str = "s", **more: object) -> Record:
        """Record `values` of one contestant: seconds ("s"), bytes ("B") or ratios ("ratio"). `more` joins the line as
        it is.
        """
        record: Record = {
            "suite": self.suite.name,
            "kind": self.suite.kind,
            "contestant": contestant,
            "unit": unit,
            "times" if unit == "s" else "values": [float(f"{value:.6g}") for value in values],
            "median": float(f"{statistics.median(values):.6g}"),
            "min": float(f"{min(values):.6g}"),
            "max": float(f"{max(values):.6g}"),
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

    def add_tallies(self, case: Case, tallies: Iterable[Tally]) -> None:
        """Record every tally of one graph; a wrong answer is a failure of the run, a breakdown is only
        said.
        """
        least = floor_bytes(case)
        for tally in tallies:
            entrant = tally.entrant
            if tally.problem:
                (self.fail if tally.wrong else self.say)(tally.problem)
                continue
            self.add(
                entrant.name,
                tally.times,
                graph=describe_graph(case),
                plan=tally.detail,
                threads=entrant.threads,
                timing=entrant.timing,
                cpu_over_wall=round(statistics.median(tally.ratios), 3) if tally.ratios else None,
                floor_s=float(f"{least / read_bandwidth(entrant.threads):.6g}"),
                quiet=tally.quiet.report(),
            )


def read_results(paths: Iterable[Path]) -> list[Record]:
    """Return the records of several files, in order. Raises ValueError naming file and line for a
    broken one.
    """
    records: list[Record] = []
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if not line.strip():
                continue
            try:
                records.append(standard(json.loads(line), path))
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}, line {number}, column {error.colno}: not JSON: {error.msg}") from None
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
    return records
