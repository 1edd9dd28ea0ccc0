"""Components on clusters: edges in Parquet files to ids and components held by an engine, on two task slots.

Each contestant runs in a process of its own, one after the other, `repeat` times; an engine's start is not part of its
seconds. Every answer is compared with that of one process, id by id. A contestant of Spark that `within` names is
stopped after so many times the seconds of landbridge.spark: its record says `ended: false`, and its seconds are a lower
bound.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
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
OURS = "landbridge.spark"
START = 120.0
"""Seconds that an engine may take to start."""


def write_edges(folder: Path, edges: int) -> dict[str, int]:
    """Pairs as in deduplication, over sparse ids of 64 bits, half as many as edges, in random order. The counts: edges,
    ids, and the sum over slots of the ids of their files, which is what forests hold when they are exchanged."""
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
    held = sum(len(np.unique(np.concatenate([u[i::SLOTS], v[i::SLOTS]]))) for i in range(SLOTS))
    return {"m": edges, "n": len(np.unique(np.concatenate([u, v]))), "held": held}


def measure(name: str, folder: str) -> dict[str, Any]:
    """Run a contestant in this process; what it says, and its answer in a file beside the folder."""
    result = CONTESTANTS[name](folder)
    if result.answer is not None:
        ids, components = result.answer
        order = np.argsort(ids)
        np.save(f"{folder}-answer.npy", np.stack([ids[order], components[order]]))
    more = {"shuffled": result.shuffled, "peak": result.peak, "answers": result.answer is not None}
    return {"seconds": result.seconds, "start": result.start, **more}


def run(sink: Sink) -> None:
    """So many edges as `batches` says, one number after the other."""
    suite = sink.suite
    for edges in suite.batches:
        with tempfile.TemporaryDirectory(prefix="landbridge-cluster-") as scratch:
            folder = Path(scratch) / "edges"
            size = write_edges(folder, edges)
            sink.say(f"{edges} edges, {size['n']} ids")
            truth, ours = None, None
            for name in ("landbridge, one process", *suite.peers):
                reason = missing(name)
                if reason or edges > suite.max_edges.get(name, edges):
                    sink.say(f"  {name}: {reason or 'not at this size'}")
                    continue
                most = ours * suite.within[name] if ours and name in suite.within else suite.limit
                replies = [ask(sink, name, folder, most) for _ in range(suite.repeat)]
                if any("failed" in reply for reply in replies):
                    continue
                if all(reply["answers"] for reply in replies):
                    answer = np.load(f"{folder}-answer.npy")
                    truth = answer if truth is None else truth
                    if not np.array_equal(truth, answer):
                        sink.fail(f"{name}: the labels differ from those of one process")
                        continue
                line = record(sink, name, replies, size)
                ours = line["median"] if name == OURS else ours


def ask(sink: Sink, name: str, folder: Path, most: float) -> dict[str, Any]:
    """A contestant's turn, in a fresh process, which is stopped `most` seconds after its engine has started."""
    words = [sys.executable, "-m", "benchmarks.kinds.cluster", name, str(folder)]
    with tempfile.TemporaryFile("w+") as errors:
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        ) as process:
            lines: list[str] = []
            begun = threading.Event()

            def listen() -> None:
                for line in process.stdout or ():
                    lines.append(line)
                    begun.set()
                begun.set()

            listener = threading.Thread(target=listen)
            listener.start()
            begun.wait(START)
            code: int | None = None
            try:
                code = process.wait(most)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            listener.join()
        if code:
            errors.seek(0)
            sink.fail(f"{name}: {errors.read()[-1500:]}")
            return {"failed": code}
    reply: dict[str, Any] = {"seconds": most, "start": None, "shuffled": None, "peak": None, "answers": False}
    if code == 0 and json.loads(lines[-1])["seconds"] <= most:
        reply = json.loads(lines[-1])
    else:
        sink.say(f"  {name}: no answer within {most:.1f} s")
        reply["ended"] = False
    return reply


def record(sink: Sink, name: str, replies: Sequence[dict[str, Any]], size: dict[str, int]) -> Record:
    """One record of all turns."""
    moved, answers = replies[-1]["shuffled"], all(reply["answers"] for reply in replies)
    starts = [reply["start"] for reply in replies if reply["start"] is not None]
    peaks = [reply["peak"] for reply in replies if reply["peak"] is not None]
    more = {"start": round(min(starts), 3) if starts else None, "peak": max(peaks, default=None), "shuffled": moved}
    more["graph"] = {"name": f"pairs {size['m']}", **size}
    if not answers:  # there is nothing to check
        more |= {"checked": False, "ended": all(reply.get("ended", True) for reply in replies)}
    line = sink.add(name, [reply["seconds"] for reply in replies], **more)
    each = "" if moved is None else f", {moved / size['n']:.1f} bytes shuffled per id"
    sink.say(f"  {name}: {line['median']:.2f} s{each}")
    return line


def cluster_table(records: Sequence[Record]) -> Table:
    """Seconds, the ratio to one process, bytes per id and memory of the driver, by size."""
    names = [
        "edges",
        "ids",
        "contestant",
        "seconds",
        "start, s",
        "over one process",
        "bytes shuffled per id",
        "driver's peak, MB",
    ]
    table = Table(names)
    for group in grouped(records, lambda record: str(record["graph"]["m"])).values():
        one = next((r["median"] for r in group if r["contestant"] == "landbridge, one process"), None)
        for line in group:
            size = line["graph"]
            each = "" if line["shuffled"] is None else f"{line['shuffled'] / size['n']:.1f}"
            more = "" if line.get("ended", True) else "more than "
            ratio = "" if one is None else more + ratio_text(line["median"] / one)
            start = "" if line["start"] is None else f"{line['start']:.3g}"
            row = [
                str(size["m"]),
                str(size["n"]),
                line["contestant"],
                f"{more}{line['median']:.3g}",
                start,
                ratio,
                each,
            ]
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
        each = line["shuffled"] / (size["held"] + size["n"])  # forests of the slots, and labels
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
    run, summary, frozenset({"batches", "repeat", "limit", "peers", "max_edges", "within"}), others
)  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2])))
