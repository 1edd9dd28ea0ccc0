"""Result lines of the benchmarks on GPUs as records like all others, and the tables made of them.

`benchmarks.gpu`, `gpu_peers` and `gpu_transfer` write a line for each time, with the device and the graph in it. Of
several files the newest counts that holds a device, a kind of time and a graph; a file's day is that of its lines, else
the one in its name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Line = dict[str, Any]

AUTO = "landbridge(auto)"
DAY = re.compile(r"(\d{4})(\d\d)(\d\d)(?:-(\d\d)(\d\d))?")


def day_of(path: Path) -> str:
    """The day, and the minute if there is one, in a file's name; empty without."""
    found = DAY.search(path.stem)
    if found is None:
        return ""
    year, month, day, hour, minute = found.groups()
    return f"{year}-{month}-{day}" + (f"T{hour}:{minute}" if hour else "")


def standard(line: Line, path: Path) -> Line:
    """A line as a record: suite "gpu", kind, contestant, graph and seconds, as in other suites; others as they are.

    Raises ValueError for a line that names neither a suite nor a device and what was timed on it.
    """
    if "suite" in line:
        return line
    if not {"device", "what", "ms"} <= set(line):
        raise ValueError("names neither a suite nor a device and what was timed on it")
    what = str(line["what"])
    called = "auto" if line.get("auto") else line.get("plan", "")
    sizes = {size: line.get(size, 0) for size in ("n", "m", "components")}
    # Those of one graph and kind follow each other by the file they are in.
    record = {
        "suite": "gpu",
        "kind": what,
        "contestant": line.get("contestant", f"landbridge({called})"),
        "unit": "s",
        "median": line["ms"] / 1e3,
        "checked": line.get("right", True),
        "graph": {"name": line.get("name", line.get("graph", "")), "text": line.get("graph", ""), **sizes},
        "form": f"{line['device']}, {what}",
        "date": line.get("date") or day_of(path),
        "file": path.stem,
    }
    return {**line, **record}


def newest(records: Iterable[Line]) -> list[Line]:
    """Of each device, kind and graph, what stands in the newest file that has it; order as it was."""
    chosen = [record for record in records if record["suite"] == "gpu"]

    def group(record: Line) -> tuple[str, str, str]:
        return record["device"], record["kind"], record["graph"]["name"]

    def age(record: Line) -> tuple[str, str]:
        return record["date"], record["file"]

    last: dict[tuple[str, str, str], tuple[str, str]] = {}
    for record in chosen:
        last[group(record)] = max(last.get(group(record), ("", "")), age(record))
    files = {key: file for key, (_, file) in last.items()}
    return [record for record in chosen if record["file"] == files[group(record)]]


def by_device(records: Sequence[Line], *kinds: str) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for record in newest(records):
        if record["kind"] in kinds:
            found.setdefault(record["device"], []).append(record)
    return dict(sorted(found.items()))


def origin(records: Sequence[Line]) -> str:
    commits = sorted({(record["commit"] or "unknown")[:12] for record in records})
    days = sorted({record["date"][:10] for record in records})
    speeds = [record["bandwidth"] for record in records if "bandwidth" in record]
    read = f", {max(speeds) / 1e12:.2f} TB/s read" if speeds else ""
    return f"{records[0]['device']}{read}; {days[-1] or 'unknown day'}, commit {', '.join(commits)}."


def mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def ms_text(seconds: float) -> str:
    """Milliseconds with three significant digits."""
    ms = seconds * 1e3
    return f"{ms:.3f}" if ms < 10 else f"{ms:.2f}" if ms < 100 else f"{ms:.0f}"


def ratio(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [header, *rows]]
    lines.insert(1, "|" + "|".join(["---"] + ["---:"] * (len(header) - 1)) + "|")
    return "\n".join(lines)


def joined(parts: dict[str, list[str]]) -> str:
    """What is said of each device, one after another; empty if there is none."""
    return "\n\n".join(text for texts in parts.values() for text in texts)


def graphs_of(records: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(record["graph"]["name"] for record in records))


def auto_table(records: Sequence[Line]) -> str:
    """The automatic plan on each graph: against the floor, the best published time and the best plan measured."""
    from benchmarks.gpu import GRAPHS

    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "replay").items():
        rows, over_floor, over_published, over_best = [], [], [], []
        for name in graphs_of(chosen):
            there = [record for record in chosen if record["graph"]["name"] == name]
            auto = next((record for record in there if record["contestant"] == AUTO), None)
            if auto is None:
                continue
            seconds, floor, published = auto["median"], auto["floor_ms"] / 1e3, auto["published_ms"] / 1e3
            best = min(record["median"] for record in there)
            over_floor.append(seconds / floor)
            over_published.append(published / seconds)
            over_best.append(seconds / best)
            by = GRAPHS[name][2] if name in GRAPHS else ""
            sizes = [f"{auto['graph'][size] / 1e6:.1f} M" for size in ("n", "m")]
            rows.append(
                [
                    name, *sizes, f"`{auto['plan']}`", ms_text(seconds), ratio(over_floor[-1]), ratio(over_best[-1]),
                    f"{ms_text(published)} ({by})", ratio(over_published[-1]),
                ]
            )  # fmt: skip
        rows.append(
            ["geometric mean", "", "", "", "", *(ratio(mean(v)) for v in (over_floor, over_best)), "",
             ratio(mean(over_published))]
        )  # fmt: skip
        header = [
            "graph", "vertices", "arcs", "plan", "ms", "over the floor", "over the best plan",
            "best published, ms (on an H100)", "published over ours",
        ]  # fmt: skip
        parts[device] = [table(header, rows), origin(chosen)]
    return joined(parts)


def forests_table(records: Sequence[Line]) -> str:
    """The automatic plan's spanning forest: against its components, the best plan and the best published time, if
    there is one."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "forest").items():
        rows, over_components, over_best, over_published = [], [], [], []
        for auto in (record for record in chosen if record["contestant"] == AUTO):
            name, seconds = auto["graph"]["name"], auto["median"]
            over_components.append(auto["ms"] / auto["components_ms"])
            over_best.append(seconds / min(r["median"] for r in chosen if r["graph"]["name"] == name))
            known = ["", ""]
            if published := auto.get("published_ms", 0) / 1e3:
                over_published.append(published / seconds)
                known = [ms_text(published), ratio(over_published[-1])]
            rows.append(
                [
                    name, f"`{auto['plan']}`", ms_text(seconds), ratio(over_components[-1]), ratio(over_best[-1]),
                    *known,
                ]
            )  # fmt: skip
        rows.append(["geometric mean", "", "", ratio(mean(over_components)), ratio(mean(over_best)), "",
                     ratio(mean(over_published)) if over_published else ""])  # fmt: skip
        header = [
            "graph", "plan", "ms", "over its components", "over the best plan", "best GConn, ms (on an H100)",
            "published over ours",
        ]  # fmt: skip
        parts[device] = [table(header, rows), origin(chosen)]
    return joined(parts)


def plans_table(records: Sequence[Line]) -> str:
    """Each plan over the fastest plan of each graph, the options that were changed among them."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "replay").items():
        graphs = graphs_of(chosen)
        times: dict[str, dict[str, float]] = {}
        for record in chosen:
            if record["contestant"] != AUTO:
                times.setdefault(record["plan"], {})[record["graph"]["name"]] = record["median"]
        best = {name: min(record["median"] for record in chosen if record["graph"]["name"] == name) for name in graphs}
        means = {plan: mean(row[name] / best[name] for name in row) for plan, row in times.items()}
        rows = []
        for plan in sorted(times, key=lambda plan: (len(graphs) - len(times[plan]), means[plan])):
            row = times[plan]
            cells = [ratio(row[name] / best[name]) if name in row else "" for name in graphs]
            some = "" if len(row) == len(graphs) else f" (on {len(row)})"
            rows.append([f"`{plan}`", *cells, ratio(means[plan]) + some])
        parts[device] = [table(["plan", *graphs, "geometric mean"], rows), origin(chosen)]
    return joined(parts)


def ablation_table(records: Sequence[Line]) -> str:
    """Each schedule by name: the time with an option over that of the plan without it, graph by graph."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "ablation").items():
        graphs = graphs_of(chosen)
        times = {(r["schedule"], r["option"], r["graph"]["name"]): r["median"] for r in chosen}
        rows = []
        for schedule in dict.fromkeys(record["schedule"] for record in chosen):
            of = [record for record in chosen if record["schedule"] == schedule]
            plan = [ms_text(times[schedule, "", name]) if (schedule, "", name) in times else "" for name in graphs]
            rows.append([schedule, f"`{of[0]['base']}`, ms", *plan, ""])
            for option in dict.fromkeys(record["option"] for record in of if record["option"]):
                over = {
                    name: times[schedule, option, name] / times[schedule, "", name]
                    for name in graphs
                    if (schedule, option, name) in times and (schedule, "", name) in times
                }
                cells = [ratio(over[name]) if name in over else "" for name in graphs]
                rows.append(["", f"`{option}`", *cells, ratio(mean(over.values()))])
        header = ["schedule", "plan, then option over it", *graphs, "geometric mean"]
        parts[device] = [table(header, rows), origin(chosen)]
    return joined(parts)


def stand_ins_table(records: Sequence[Line]) -> str:
    """Stand-ins at published sizes: the automatic plan against the floor and the best plan measured."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "replay, stand-in").items():
        rows, over_best = [], []
        for name in graphs_of(chosen):
            there = [record for record in chosen if record["graph"]["name"] == name]
            auto = next((record for record in there if record["contestant"] == AUTO), None)
            if auto is None:
                continue
            over_best.append(auto["median"] / min(record["median"] for record in there))
            sizes = [f"{auto['graph'][size] / 1e6:.1f} M" for size in ("n", "m")]
            over_floor = auto["ms"] / auto["floor_ms"]
            cells = [f"`{auto['plan']}`", ms_text(auto["median"]), ratio(over_floor), ratio(over_best[-1])]
            rows.append([name, *sizes, *cells])
        rows.append(["geometric mean", "", "", "", "", "", ratio(mean(over_best))])
        header = ["graph", "vertices", "arcs", "plan", "ms", "over the floor", "over the best plan"]
        parts[device] = [table(header, rows), origin(chosen)]
    return joined(parts)


def calls_table(records: Sequence[Line]) -> str:
    """Whole calls from Python, of a graph on the device: what a user waits for."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "call, Graph", "call, pair of arrays").items():
        rows = [
            [record["graph"]["name"], record["kind"].partition(", ")[2], ms_text(record["median"])] for record in chosen
        ]
        parts[device] = [table(["graph", "from", "ms"], rows), origin(chosen)]
    return joined(parts)


def peers_table(records: Sequence[Line]) -> str:
    """Programs of others in the same run: their time over ours."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "peer").items():
        graphs = graphs_of(chosen)
        rows_of = {
            name: {r["contestant"]: r["median"] for r in chosen if r["graph"]["name"] == name and r["checked"]}
            for name in graphs
        }
        names = sorted({other for row in rows_of.values() for other in row if other != AUTO})
        rows, ratios = [], {name: list[float]() for name in names}
        for graph, row in rows_of.items():
            cells = []
            for name in names:
                if name in row and AUTO in row:
                    ratios[name].append(row[name] / row[AUTO])
                    cells.append(f"{ms_text(row[name])} ({ratio(ratios[name][-1])})")
                else:
                    cells.append("")
            rows.append([graph, ms_text(row[AUTO]) if AUTO in row else "", *cells])
        rows.append(["geometric mean", "", *(ratio(mean(ratios[name])) if ratios[name] else "" for name in names)])
        header = ["graph", "landbridge(auto), ms", *(f"{name}, ms (over ours)" for name in names)]
        parts[device] = [table(header, rows), origin(chosen)]
    return joined(parts)


def transfer_table(records: Sequence[Line]) -> str:
    """Rates between host memory and the device; of bytes as they lie in host memory."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "transfer").items():
        # Phases of a run have a time; only what moves all of the bytes has a rate.
        rates = [
            "" if record["contestant"].startswith("of these") else f"{record['bytes'] / record['median'] / 1e9:.1f}"
            for record in chosen
        ]
        rows = [[r["contestant"], rate, ms_text(r["median"])] for r, rate in zip(chosen, rates, strict=True)]
        threads = f"{chosen[0]['threads']} threads. "
        parts[device] = [table(["what", "GB/s", "ms"], rows), threads + origin(chosen)]
    return joined(parts)


def streams_table(records: Sequence[Line]) -> str:
    """Streams of one batch: of the device's time and of the call's what the best published code takes over ours."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "stream, random order", "stream, sorted").items():
        rows, inside, whole = [], [], []
        for record in (r for r in chosen if r["contestant"] == AUTO):
            edges = record["graph"]["m"] / 1e9
            seconds, call, published = record["median"], record["call_ms"] / 1e3, record["published_rate"]
            inside.append(edges / seconds / published)
            whole.append(edges / call / published)
            rows.append(
                [
                    record["graph"]["name"], record["kind"].partition(", ")[2], f"{edges * 1e3:.1f} M",
                    ms_text(seconds), f"{edges / seconds:.1f}", f"{published:.1f}", ratio(inside[-1]),
                    ms_text(call), ratio(whole[-1]),
                ]
            )  # fmt: skip
        rows.append(["geometric mean", "", "", "", "", "", ratio(mean(inside)), "", ratio(mean(whole))])
        header = [
            "graph", "edges in", "edges", "ms", "G edges/s", "best GConn (on an H100)", "ours over it", "call, ms",
            "the call over it",
        ]  # fmt: skip
        parts[device] = [table(header, rows), origin(chosen)]
    return joined(parts)


def stream_batches_table(records: Sequence[Line]) -> str:
    """A stream by the size of its batches: inserts alone, and as many queries as said for each insert."""
    parts: dict[str, list[str]] = {}
    for device, chosen in by_device(records, "stream, batches", "stream, mixed").items():
        sizes = sorted({record["batch"] for record in chosen})
        inserts = {r["batch"]: r for r in chosen if r["kind"] == "stream, batches"}
        mixed = {(r["queries"], r["batch"]): r for r in chosen if r["kind"] == "stream, mixed"}

        def rate(record: Line, seconds: str) -> str:
            ms = {"kernels": 1e3 * record["median"], "calls": record.get("call_ms", 0.0)}[seconds]
            return f"{record['graph']['m'] / ms / 1e6:.2f}"

        rows = [
            ["inserts: the device alone", *(rate(inserts[size], "kernels") for size in sizes)],
            ["the best of GConn, on an H100", *(f"{inserts[size]['published_rate']:.2f}" for size in sizes)],
            ["inserts: calls", *(rate(inserts[size], "calls") for size in sizes)],
            *(
                [f"inserts to queries 1:{queries}: calls", *(rate(mixed[queries, size], "kernels") for size in sizes)]
                for queries in sorted({queries for queries, _ in mixed})
            ),
        ]
        header = ["G operations/s, in batches of", *(f"{size:,}" for size in sizes)]
        parts[device] = [table(header, rows), f"{chosen[0]['graph']['name']}, random order. " + origin(chosen)]
    return joined(parts)


def draw(records: Sequence[Line], path: Path) -> None:
    """Floor, automatic plan and best published time of each graph, logarithmic; one picture a device, side by side."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    mpl.rcParams["svg.hashsalt"] = "landbridge"
    devices = by_device(records, "replay")
    figure, axes = pyplot.subplots(len(devices), figsize=(11, 4.2 * len(devices)), layout="constrained", squeeze=False)
    for axis, (device, chosen) in zip(axes[:, 0], devices.items(), strict=True):
        rows = [record for record in chosen if record["contestant"] == AUTO]
        bars = {
            "floor": [record["floor_ms"] for record in rows],
            "landbridge(auto)": [record["median"] * 1e3 for record in rows],
            "best published": [record["published_ms"] for record in rows],
        }
        for place, (name, heights) in enumerate(bars.items()):
            spots = [i + 0.27 * (place - 1) for i in range(len(rows))]
            axis.bar(spots, heights, 0.26, label=name)
        axis.set_yscale("log")
        axis.set_xticks(range(len(rows)), [record["graph"]["name"] for record in rows], rotation=20)
        axis.set_ylabel("milliseconds")
        axis.set_title(device)
        axis.legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
