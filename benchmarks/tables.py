"""Tables of results, times over the fastest peer; the terminal and the pages show the same ones."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.results import Record

OURS = "landbridge("


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of positive values; nan of none."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


@dataclass
class Table:
    """A header and rows of text, shown as Markdown."""

    header: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def markdown(self) -> str:
        lines = ["| " + " | ".join(row) + " |" for row in [self.header, *self.rows]]
        lines.insert(1, "|" + "|".join(["---"] + ["---:"] * (len(self.header) - 1)) + "|")
        return "\n".join(lines)


def latest(records: Sequence[Record]) -> list[Record]:
    """Keep the last record of each suite, graph, contestant, thread count and form."""

    def identity(record: Record) -> tuple[object, ...]:
        graph = record.get("graph", {}).get("text")
        return record["suite"], graph, record["contestant"], record.get("threads"), record.get("form")

    return list({identity(record): record for record in records}.values())


def by_graph(records: Iterable[Record]) -> dict[str, dict[str, Record]]:
    """Return graph name -> contestant -> record, both in the order of the records."""
    table: dict[str, dict[str, Record]] = {}
    for record in records:
        table.setdefault(record["graph"]["name"], {})[record["contestant"]] = record
    return table


def fastest_peer(row: dict[str, Record]) -> Record | None:
    """Return the record of the fastest contestant that is not landbridge, None without one."""
    return min((record for name, record in row.items() if not name.startswith(OURS)), key=_median, default=None)


def _median(record: Record) -> float:
    return float(record["median"])


MOST_OTHERS = 0.2


def noise(records: Iterable[Record]) -> str:
    """A warning if other work took more than `MOST_OTHERS` cores during the median record, empty otherwise.

    Threads that spin while they wait suffer more from it than others do, so ratios shift with it.
    """
    taken = [record["quiet"]["others"] + record["quiet"]["steal"] for record in records if record.get("quiet")]
    busy = statistics.median(taken) if taken else 0.0
    if busy <= MOST_OTHERS:
        return ""
    return f"Not to be relied on: other work took {busy:.1f} cores of the machine meanwhile."


def ratio_text(value: float) -> str:
    """Return a ratio with two or three significant digits."""
    if math.isnan(value):
        return ""
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def ratio_table(records: Sequence[Record], *, floor: bool = False) -> Table:
    """Medians over the fastest peer of each graph (over landbridge's first plan where no peer ran), and their
    means.

    The mean of a contestant is over the graphs it ran on; "on k" says so if those are not all.
    """
    rows = by_graph(records)
    names = sorted({name for row in rows.values() for name in row}, key=_ours_first(records))
    bases = {graph: _base(row) for graph, row in rows.items()}
    table = Table(["graph", "fastest peer", *names] + (["floor"] if floor else []))
    for graph, row in rows.items():
        base = bases[graph]
        peer = fastest_peer(row)
        cells = [ratio_text(_median(row[name]) / _median(base)) if name in row else "" for name in names]
        bound = [ratio_text(base["floor_s"] / _median(base))] if floor else []
        table.rows.append([graph, peer["contestant"] if peer else "", *cells, *bound])
    means = []
    for name in names:
        ratios = [_median(row[name]) / _median(bases[graph]) for graph, row in rows.items() if name in row]
        means.append(ratio_text(geometric_mean(ratios)) + ("" if len(ratios) == len(rows) else f" (on {len(ratios)})"))
    bounds = [base["floor_s"] / _median(base) for base in bases.values()] if floor else []
    table.rows.append(["geometric mean", "", *means] + ([ratio_text(geometric_mean(bounds))] if floor else []))
    return table


def _base(row: dict[str, Record]) -> Record:
    return fastest_peer(row) or next(iter(row.values()))


def _ours_first(records: Sequence[Record]) -> Callable[[str], tuple[bool, int]]:
    order = {record["contestant"]: i for i, record in reversed(list(enumerate(records)))}
    return lambda name: (not name.startswith(OURS), order[name])


def against_fastest_peer(records: Sequence[Record]) -> dict[str, float]:
    """Return, for each landbridge contestant, the geometric mean over the graphs of its median over the
    fastest peer's.

    Graphs on which no peer ran are left out; empty if there are none.
    """
    ratios: dict[str, list[float]] = {}
    for row in by_graph(records).values():
        peer = fastest_peer(row)
        for name, record in row.items():
            if peer is not None and name.startswith(OURS):
                ratios.setdefault(name, []).append(_median(record) / _median(peer))
    return {name: geometric_mean(values) for name, values in ratios.items()}
