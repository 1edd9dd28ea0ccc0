"""Tables of results, times over the fastest peer; the terminal and the pages show the same ones."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.records import Record, by_graph, grouped

OURS = "landbridge("
AUTO = "landbridge(auto)"


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
    shares = [record["quiet"]["others"] + record["quiet"]["steal"] for record in records if record.get("quiet")]
    busy = statistics.median(shares) if shares else 0.0
    if busy <= MOST_OTHERS:
        return ""
    return f"Unreliable: other processes used {busy:.1f} cores of the machine during the run."


def origin(records: Sequence[Record]) -> str:
    """One line on where the results come from: the device, the last day, commits, versions."""
    devices = sorted({record["device"] for record in records})
    speeds = [record["bandwidth"] for record in records if "bandwidth" in record]
    notes = [f"{max(speeds) / 1e12:.2f} TB/s read"] if speeds else []
    if not any(device.startswith("NVIDIA") for device in devices):
        pages = sorted({record["machine"]["huge_pages"] for record in records if "machine" in record})
        notes += [f"huge pages: {', '.join(pages)}"] if pages else []
    commits = {
        (record["commit"] or "unknown")[:12] + (" with changes" if record.get("dirty") else "") for record in records
    }
    versions = {name: version for record in records for name, version in record.get("versions", {}).items()}
    place = "; ".join(devices) + (f" ({', '.join(notes)})" if notes else "")
    last = max(str(record["date"]) for record in records)[:10]
    packages = "".join(f", {name} {version}" for name, version in sorted(versions.items()))
    return f"Measured on {place}, last on {last}, commit {', '.join(sorted(commits))}{packages.replace(',', ';', 1)}."


def by_device(render: Callable[[list[Record]], str], records: Iterable[Record]) -> str:
    """Render the records of each device, each with a warning if it was busy and a line on its origin."""
    parts = [
        part
        for _, group in sorted(grouped(records, lambda record: str(record["device"])).items())
        for part in (render(group), noise(group), origin(group))
    ]
    return "\n\n".join(filter(None, parts))


def ratio_text(value: float) -> str:
    """Return a ratio with two or three significant digits."""
    if math.isnan(value):
        return ""
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def ms_text(seconds: float) -> str:
    """Return seconds as milliseconds with three significant digits or so."""
    ms = seconds * 1e3
    return f"{ms:.3f}" if ms < 10 else f"{ms:.2f}" if ms < 100 else f"{ms:.0f}"


def millions_text(count: float) -> str:
    """Return a count in millions."""
    return f"{count / 1e6:.1f} M"


def mean_text(values: Sequence[float], of: int | None = None) -> str:
    """Return the geometric mean as a ratio; "on k" says so if they are fewer than `of`."""
    return ratio_text(geometric_mean(values)) + (f" (on {len(values)})" if of not in (None, len(values)) else "")


def ratio_table(records: Sequence[Record], *, lower_bound: bool = False) -> Table:
    """Medians over the fastest peer of each graph (over landbridge's first plan where no peer ran), and their
    means.

    The mean of a contestant is over the graphs it ran on; "on k" says so if those are not all.
    """
    rows = by_graph(records)
    names = sorted({name for row in rows.values() for name in row}, key=_ours_first(records))
    bases = {graph: _base(row) for graph, row in rows.items()}
    table = Table(["graph", "fastest peer", *names] + (["lower bound"] if lower_bound else []))
    for graph, row in rows.items():
        base = bases[graph]
        peer = fastest_peer(row)
        cells = [ratio_text(_median(row[name]) / _median(base)) if name in row else "" for name in names]
        bound = [ratio_text(base["lower_bound_s"] / _median(base))] if lower_bound else []
        table.rows.append([graph, peer["contestant"] if peer else "", *cells, *bound])
    means = []
    for name in names:
        ratios = [_median(row[name]) / _median(bases[graph]) for graph, row in rows.items() if name in row]
        means.append(mean_text(ratios, len(rows)))
    bounds = [base["lower_bound_s"] / _median(base) for base in bases.values()] if lower_bound else []
    table.rows.append(["geometric mean", "", *means] + ([mean_text(bounds)] if lower_bound else []))
    return table


def _base(row: dict[str, Record]) -> Record:
    return fastest_peer(row) or next(iter(row.values()))


def _ours_first(records: Sequence[Record]) -> Callable[[str], tuple[bool, int]]:
    order = {record["contestant"]: i for i, record in reversed(list(enumerate(records)))}
    return lambda name: (not name.startswith(OURS), order[name])


def over_fastest_peer(records: Sequence[Record]) -> dict[str, float]:
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


def ratio_summary(records: Sequence[Record], *, lower_bound: bool = False) -> str:
    """A table of ratios for each thread count, and landbridge over the fastest of all peers."""
    parts: list[str] = []
    counts = grouped(records, lambda record: str(record["threads"]))
    for threads, group in counts.items():
        if len(counts) > 1:
            parts.append(f"With {threads} thread{'s' if threads != '1' else ''}:")
        parts.append(ratio_table(group, lower_bound=lower_bound).markdown())
        parts += [
            f"{name} over the fastest of all peers, geometric mean over the graphs: **{ratio_text(value)}**."
            for name, value in over_fastest_peer(group).items()
        ]
    return "\n\n".join(parts)
