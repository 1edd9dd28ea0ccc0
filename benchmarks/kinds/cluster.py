"""Components on clusters: edges in Parquet files to ids and components held by an engine, on two task slots.

Each contestant runs in a process of its own, one after the other, `repeat` times; an engine's start is not part of its
seconds. Every answer is compared with that of one process, id by id.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from math import ceil, exp
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kinds.base import Kind
from benchmarks.records import Record, grouped
from benchmarks.sink import Sink
from benchmarks.tables import Table, ratio_text
from peers.cluster import CONTESTANTS, missing

PARTS, SLOTS = 4, 2


def write_edges(folder: Path, edges: int) -> dict[str, int]:
    """Pairs as in deduplication, over sparse ids of 64 bits, half as many as edges, in random order. The counts: edges,
    ids, and the sum over files of their ids."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(11)
    ids = edges // 2
    factor = np.int64(0x9E3779B97F4A7C15 - 2**64)
    u = rng.integers(0, ids, edges)
    v = np.where(
        rng.random(edges) < 0.2, rng.integers(0, ids, edges), np.minimum(u + rng.geometric(0.3, edges), ids - 1)
    )
    folder.mkdir()
    with np.errstate(over="ignore"):
        u, v = u * factor, v * factor
    for i in range(PARTS):
        pq.write_table(pa.table({"src": u[i::PARTS], "dst": v[i::PARTS]}), folder / f"{i}.parquet")
    held = sum(len(np.unique(np.concatenate([u[i::PARTS], v[i::PARTS]]))) for i in range(PARTS))
    return {"m": edges, "n": len(np.unique(np.concatenate([u, v]))), "held": held}


def measure(name: str, folder: str) -> dict[str, Any]:
    """Run a contestant in this process; what it says, and its answer in a file beside the folder."""
    result = CONTESTANTS[name](folder)
    # ru_maxrss would be that of the process that started this one, if it was larger.
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    ids, components = result.answer
    order = np.argsort(ids)
    np.save(f"{folder}-answer.npy", np.stack([ids[order], components[order]]))
    return {"seconds": result.seconds, "start": result.start, "shuffled": result.shuffled, "peak": peak}


def run(sink: Sink) -> None:
    """So many edges as `batches` says, one number after the other."""
    suite = sink.suite
    for edges in suite.batches:
        with tempfile.TemporaryDirectory(prefix="landbridge-cluster-") as scratch:
            folder = Path(scratch) / "edges"
            size = write_edges(folder, edges)
            sink.say(f"{edges} edges, {size['n']} ids")
            truth = None
            for name in ("landbridge, one process", *suite.peers):
                reason = missing(name)
                if reason or edges > suite.max_edges.get(name, edges):
                    sink.say(f"  {name}: {reason or 'not at this size'}")
                    continue
                replies = [ask(sink, name, folder) for _ in range(suite.repeat)]
                if None in replies:
                    continue
                answer = np.load(f"{folder}-answer.npy")
                truth = answer if truth is None else truth
                if not np.array_equal(truth, answer):
                    sink.fail(f"{name}: the labels differ from those of one process")
                    continue
                record(sink, name, [reply for reply in replies if reply], size)


def ask(sink: Sink, name: str, folder: Path) -> dict[str, Any] | None:
    """A contestant's turn, in a fresh process."""
    words = [sys.executable, "-m", "benchmarks.kinds.cluster", name, str(folder)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=sink.suite.limit)
    except subprocess.TimeoutExpired:
        sink.say(f"  {name}: no answer within {sink.suite.limit} s")
        return None
    if done.returncode:
        sink.fail(f"{name}: {done.stderr[-1500:]}")
        return None
    reply: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return reply


def record(sink: Sink, name: str, replies: Sequence[dict[str, Any]], size: dict[str, int]) -> None:
    """One record of all turns."""
    moved = replies[-1]["shuffled"]
    start, peak = min(reply["start"] for reply in replies), max(reply["peak"] for reply in replies)
    more = {"start": round(start, 3), "shuffled": moved, "peak": peak, "graph": {"name": f"pairs {size['m']}", **size}}
    line = sink.add(name, [reply["seconds"] for reply in replies], **more)
    each = "" if moved is None else f", {moved / size['n']:.1f} bytes shuffled per id"
    sink.say(f"  {name}: {line['median']:.2f} s{each}")


def cluster_table(records: Sequence[Record]) -> Table:
    """Seconds, the ratio to one process, bytes per id and memory of the driver, by size."""
    names = ["edges", "ids", "contestant", "seconds", "over one process", "bytes shuffled per id", "driver's peak, MB"]
    table = Table(names)
    for group in grouped(records, lambda record: str(record["graph"]["m"])).values():
        one = next((r["median"] for r in group if r["contestant"] == "landbridge, one process"), None)
        for line in group:
            size = line["graph"]
            each = "" if line["shuffled"] is None else f"{line['shuffled'] / size['n']:.1f}"
            ratio = "" if one is None else ratio_text(line["median"] / one)
            row = [str(size["m"]), str(size["n"]), line["contestant"], f"{line['median']:.3g}", ratio, each]
            table.rows.append([*row, "" if line["peak"] is None else f"{line['peak'] / 1e6:.0f}"])
    return table


def projection(records: Sequence[Record]) -> Table:
    """What m = 10^10 random edges between n = 10^9 ids take on 100 workers, at the measured rate of a task slot and the
    measured bytes of an id in a forest."""
    table = Table(["engine", "edges per second and slot", "first pass, s", "moved, GB", "into one worker, GB"])
    m, n, workers = 1e10, 1e9, 100
    ours = [r for r in records if r["contestant"] in ("landbridge.spark", "landbridge.dask") and r["shuffled"]]
    for line in {r["contestant"]: r for r in sorted(ours, key=lambda r: float(r["graph"]["m"]))}.values():
        size = line["graph"]
        rate = size["m"] / line["median"] / SLOTS
        each = line["shuffled"] / (size["held"] + size["n"])  # forests of the parts, and labels
        levels = [workers, *(ceil(workers / 4**i) for i in (1, 2, 3))]
        ids = [n * (1 - exp(-2 * m / groups / n)) for groups in levels]
        moved = [groups * some * each for groups, some in zip(levels, ids, strict=True)]
        cells = [f"{rate:.3g}", f"{m / workers / rate:.0f}", f"{(sum(moved) + n * each) / 1e9:.0f}"]
        table.rows.append([line["contestant"], *cells, f"{moved[-1] / 1e9:.0f}"])
    return table


def summary(records: list[Record]) -> str:
    return cluster_table(records).markdown() if records else ""


def projection_text(records: list[Record]) -> str:
    return projection(records).markdown() if records else ""


def others() -> list[str]:
    return list(CONTESTANTS)


KIND = Kind(
    run, summary, frozenset({"batches", "repeat", "limit", "peers", "max_edges"}), others
)  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
