"""The time of `import landbridge` over that of `import numpy`, each time in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.kinds.base import Kind
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.tables import ratio_text

PROGRAM = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import landbridge
print(middle - start, time.perf_counter() - middle)
"""


def run(sink: Sink) -> None:
    """Import in `repeat` interpreters after one that warms the file cache; `bars.of_numpy` is the most allowed, as a
    share of what numpy takes.
    """
    suite = sink.suite
    numpy_times: list[float] = []
    own_times: list[float] = []
    for turn in range(suite.repeat + 1):
        process = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
        if process.returncode != 0:
            sink.fail(f"import landbridge: {process.stderr.strip().rpartition(chr(10))[2]}")
            return
        first, second = map(float, process.stdout.split())
        if turn:
            numpy_times.append(first)
            own_times.append(second)
    of_numpy = sink.add("numpy", numpy_times, threads=1, timing="wall")
    bar = suite.bars["of_numpy"] * of_numpy["median"]
    record = sink.add("landbridge(import)", own_times, threads=1, timing="wall", bar=bar)
    if record["median"] > bar:
        sink.fail(f"import landbridge takes {record['median'] * 1e3:.1f} ms; the bar is {bar * 1e3:g} ms")


def summary(records: list[Record]) -> str:
    lines: list[str] = []
    for record in records:
        bar = f"; the bar is {record['bar'] * 1e3:g} ms" if "bar" in record else ""
        median, least, most = (record[name] * 1e3 for name in ("median", "min", "max"))
        turns = len(record["times"])
        spread = f"min {least:.1f}, max {most:.1f}, {turns} interpreters"
        lines.append(f"{record['contestant']}: {median:.1f} ms, {spread}{bar}")
    return "\n".join(lines)


def over_numpy(records: list[Record]) -> str:
    """One sentence on what importing costs."""
    medians = {record["contestant"]: record for record in records}
    own = medians["landbridge(import)"]
    over = ratio_text(own["median"] / medians["numpy"]["median"])
    share = ratio_text(own["median"] / own["bar"])
    return f"`import landbridge` takes {over} times as long as `import numpy` before it: {share} of its bar."


KIND = Kind(run, summary, frozenset({"repeat", "bars"}))
