"""Prints the most memory that a task of the tree takes for an id, beyond its input: `memory_of_tasks.py TASK KIND`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet  # what it takes itself does not count

from landbridge.cluster.in_process import only
from landbridge.cluster.running import edges_of
from landbridge.cluster.tasks import ForestOfEdges, MergeIntoLabels
from landbridge.cluster.trees import FORESTS

IDS = 2_500_000


def edges(kind: str, seed: int) -> Any:
    """As many edges as half of the ids."""
    words = np.random.default_rng(seed).integers(0, IDS, (2, IDS // 2)).astype(np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    if kind == "int64":
        return pa.record_batch([pa.array(x.view(np.int64)) for x in words], names=["u", "v"])
    rows = [pa.py_buffer(np.stack([x, x], axis=1).tobytes()) for x in words]
    uuids = [pa.Array.from_buffers(pa.binary(16), IDS // 2, [None, data]) for data in rows]
    return pa.record_batch(uuids, names=["u", "v"])


def memory(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def main(task: str, kind: str) -> float:
    first = edges(kind, 0)
    reader = edges_of(first.schema.types[0], first.schema.types[1])
    forest = ForestOfEdges(reader, 1 << 40)
    list(forest(0, [first.slice(0, 10)]))
    if task == "edges":
        ids = len(np.unique(np.concatenate([np.asarray(column) for column in first.columns])))
        before = memory("VmRSS")
        list(forest(0, [first]))
    else:
        messages = [one for i in range(4) for one in only(list(forest(i, [edges(kind, i)])), FORESTS)]
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins again
        before, ids = memory("VmRSS"), IDS
        list(MergeIntoLabels(reader.ids, 1, False, 2)(0, messages))
    return (memory("VmHWM") - before) / ids


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
