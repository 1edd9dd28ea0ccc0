"""Results: one JSON object per line, in one form for every suite, on processors and on GPUs.

Every record has `FIELDS`. Further fields:
graph: name, text (of the generator), n, m (undirected edges without loops and duplicates) and components.
plan: the canonical text of the plan that ran. form: in which form the edges came, or which part of a suite this is.
timing: "wall" (a call from Python), "reported" (by the program itself), "replay" (a captured run on a GPU) or "device"
(between two events on a GPU). times (seconds) or values (bytes, ratios): the samples of the median; older records
have the median alone. threads, quiet, machine, versions; lower_bound_s: seconds to move the bytes that every
algorithm has to read or write; bandwidth: bytes per second, measured in the same run. Kinds of suite add fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]

FIELDS = ("suite", "kind", "device", "contestant", "unit", "median", "checked", "commit", "date")
"""What every record has. device: a GPU's name, or a processor's and its cores. unit: "s", "B" or "ratio". checked: the
answer was compared with a reference. commit: of landbridge, None if unknown. date: UTC, ISO 8601."""


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Return the records of several files, in order.

    Raises ValueError naming file and line for a broken one, and for one that lacks a field.
    """
    records: list[Record] = []
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if not line.strip():
                continue
            try:
                record: Record = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}, line {number}, column {error.colno}: not JSON: {error.msg}") from None
            lacking = [field for field in FIELDS if field not in record]
            if lacking:
                raise ValueError(f"{path}, line {number}: no record of a result, it has no {lacking[0]!r}")
            records.append(record)
    return records


def latest(records: Iterable[Record]) -> list[Record]:
    """Keep the last record, by date, of each suite, device, graph, contestant, thread count, form and timing."""

    def identity(record: Record) -> tuple[object, ...]:
        graph = record.get("graph", {})
        graph = graph.get("text", graph.get("name"))
        keys = ("suite", "device", "contestant", "threads", "form", "timing")
        return graph, *(record.get(key) for key in keys)

    return list({identity(record): record for record in sorted(records, key=lambda r: str(r["date"]))}.values())


def grouped(records: Iterable[Record], key: Callable[[Record], str]) -> dict[str, list[Record]]:
    """Return the records of each value of `key`, in the order of the first ones."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(key(record), []).append(record)
    return groups


def graph_of(record: Record) -> str:
    """Return the name of the record's graph."""
    return str(record["graph"]["name"])


def by_graph(records: Iterable[Record]) -> dict[str, dict[str, Record]]:
    """Return graph name -> contestant -> record, both in the order of the records."""
    return {
        graph: {record["contestant"]: record for record in group} for graph, group in grouped(records, graph_of).items()
    }


def of_suite(records: Sequence[Record], suite: str) -> list[Record]:
    """Return the records of one suite."""
    return [record for record in records if record["suite"] == suite]
