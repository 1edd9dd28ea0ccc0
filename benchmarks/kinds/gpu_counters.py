"""Hardware counters of a GPU while the automatic plan runs: what bounds each kernel of a graph.

Nsight Compute runs `benchmarks.counted_run` and reads the counters of every kernel between the start and the stop of
CUDA's profiler; it runs a kernel several times, from the same memory. Labels of the counted run are compared with the
CPU engine's. Shares are of the most that the device sustains.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterable, Sequence

from benchmarks.cases import families, family_of
from benchmarks.gpu import Gpu
from benchmarks.kinds.base import Kind
from benchmarks.records import Record, graph_of, grouped
from benchmarks.sink import Sink
from benchmarks.tables import Table, ms_text

SECONDS = "gpu__time_duration.sum"
COUNTERS = {
    "dram_bytes": "dram__bytes.sum",
    "dram_share": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2_share": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l2_hits": "lts__t_sector_hit_rate.pct",
    "l1_share": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "l1_hits": "l1tex__t_sector_hit_rate.pct",
    "issue_share": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "warps_share": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "waits_for_memory": "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
}
"""The fields of a record and the counters of Nsight Compute; those called `share` and `hits` are in percent there."""
LEAST_SHARE = 0.03
"""Kernels that take less of a run have no row."""
_UNITS = {
    "nsecond": 1e-9,
    "ns": 1e-9,
    "usecond": 1e-6,
    "us": 1e-6,
    "msecond": 1e-3,
    "ms": 1e-3,
    "second": 1.0,
    "s": 1.0,
}
_UNITS |= {"%": 1.0, "byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}


def run(sink: Sink) -> None:
    sink.place = Gpu().place()
    for name in sink.suite.graphs:
        command = ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--cache-control", "none"]
        command += ["--csv", "--page", "raw", "--metrics", ",".join([SECONDS, *COUNTERS.values()])]
        command += [sys.executable, "-m", "benchmarks.counted_run", name]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sink.fail("ncu, the command of Nsight Compute, is not on the PATH")
            return
        if done.returncode != 0:
            sink.fail(f"{name}: {(done.stdout + done.stderr)[-2000:]}")
            continue
        lines = done.stdout.splitlines()
        plan = next(line.partition(" ")[2] for line in lines if line.startswith("plan: "))
        graph = {"name": name, "text": families()[family_of(name)][name]}
        for position, (kernel, values) in enumerate(kernels_of(lines)):
            seconds = values.pop("seconds")
            form = f"{position:02} {kernel}"
            sink.add(kernel, [seconds], graph=graph, plan=plan, form=form, timing="device", **values)
            sink.say(f"{name:14} {form:24} {seconds * 1e6:9.1f} us  {values}")


def kernels_of(lines: Iterable[str]) -> Iterable[tuple[str, dict[str, float]]]:
    """The kernels in a report of Nsight Compute, in order: the name of the template, and the values by field."""
    rows = list(csv.reader(line for line in lines if line.startswith('"')))
    header, units = rows[0], dict(zip(rows[0], rows[1], strict=True))
    for row in rows[2:]:
        cells = dict(zip(header, row, strict=True))
        values = {"seconds": _number(cells, units, SECONDS)}
        for field, counter in COUNTERS.items():
            number = _number(cells, units, counter)
            values[field] = round(number / 100 if units[counter] == "%" else number, 4)
        yield cells["Kernel Name"].partition("<")[0].partition("(")[0].rpartition(":")[2].rpartition(" ")[2], values


def _number(cells: dict[str, str], units: dict[str, str], counter: str) -> float:
    scale = 1.0 if counter.endswith(".ratio") else _UNITS[units[counter]]
    return float(cells[counter].replace(",", "")) * scale


_HEADER = (
    "graph", "kernel", "ms", "share of the run", "memory, TB/s", "memory", "L2 cache", "hits of L2", "L1 cache",
    "hits of L1", "instructions", "warps",
)  # fmt: skip


def counters_table(records: Sequence[Record]) -> str:
    """A row for each kernel that takes a noticeable share of its graph's run, the last one that was counted."""
    table = Table(list(_HEADER))
    for graph, of_graph in grouped(records, graph_of).items():
        last = max(of_graph, key=lambda record: str(record["date"]))["commit"]  # other commits ran other kernels
        of_run = sorted((r for r in of_graph if r["commit"] == last), key=lambda record: str(record["form"]))
        whole = sum(record["median"] for record in of_run)
        for record in of_run:
            seconds = record["median"]
            if seconds < LEAST_SHARE * whole:
                continue
            # Of kernels of a few microseconds the device counts slightly more hits than look-ups.
            shares = [
                f"{min(1.0, record[f]):.0%}" for f in ("dram_share", "l2_share", "l2_hits", "l1_share", "l1_hits")
            ]
            shares += [f"{record[f]:.0%}" for f in ("issue_share", "warps_share")]
            rate = f"{record['dram_bytes'] / seconds / 1e12:.2f}"
            table.rows.append(
                [graph, f"`{record['contestant']}`", ms_text(seconds), f"{seconds / whole:.0%}", rate, *shares]
            )
    return table.markdown()


def summary(records: list[Record]) -> str:
    return counters_table(records) if records else ""


KIND = Kind(run, summary, frozenset({"device", "graphs"}))
