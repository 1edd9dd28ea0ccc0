"""Prints the most memory that a task of the tree takes for an id, its output among it and its input not:
`memory_of_tasks.py TASK KIND`. The input is made by another process, whose memory does not count."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet  # what it takes itself does not count

from landbridge.cluster.forests import NARROW, WIDE, bytes_per_key
from landbridge.cluster.in_process import only
from landbridge.cluster.running import edges_of
from landbridge.cluster.sampling import MergeSample
from landbridge.cluster.tasks import ForestOfEdges, MergeIntoLabels
from landbridge.cluster.trees import FORESTS

IDS = {"int64": 10_000_000, "uuid": 2_150_000}
"""Of UUIDs a little more than 2^21, at which a table of keys grows to twice its size: then it takes most for each."""
EDGES = {"edges": 0.5, "dense": 2.0, "merge": 0.5, "sample": 0.5, "recorded": 2.0, "merge_recorded": 0.5}
"""Edges of a task over all ids, by task: of a partition or of each of four forests that are merged; "recorded" are
those of a spanning forest."""
PARTITIONS = ("edges", "dense", "recorded")
MEMORY = {"int64": 2 * NARROW * IDS["int64"], "uuid": 2 * WIDE * IDS["uuid"]}
"""Of a task, twice what is planned: with less, a partition may be several forests."""


def is_recorded(task: str) -> bool:
    return "recorded" in task


def planned(task: str, kind: str) -> int:
    """The bytes that a plan expects for an id."""
    word = pa.int64() if kind == "int64" else pa.binary(16)
    return bytes_per_key(edges_of(word, word).ids, is_recorded(task))


def numbers(task: str, kind: str, seed: int) -> Any:
    """The numbers of the ids that random edges join."""
    return np.random.default_rng(seed).integers(0, IDS[kind], (2, int(EDGES[task] * IDS[kind])))


def edges(task: str, kind: str, seed: int) -> Any:
    """Random edges between the ids."""
    words = numbers(task, kind, seed).astype(np.uint64)
    count = words.shape[1]
    words *= np.uint64(0x9E3779B97F4A7C15)
    if kind == "int64":
        return pa.record_batch([pa.array(x.view(np.int64)) for x in words], names=["u", "v"])
    rows = [pa.py_buffer(np.stack([x, x], axis=1).tobytes()) for x in words]
    uuids = [pa.Array.from_buffers(pa.binary(16), count, [None, data]) for data in rows]
    return pa.record_batch(uuids, names=["u", "v"])


def memory(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def write(folder: Path, task: str, kind: str) -> None:
    """The input of a task and the number of its ids, as files."""
    first = edges(task, kind, 0)
    batches, ids = [first], IDS[kind]
    if task in PARTITIONS:
        ids = np.count_nonzero(np.bincount(numbers(task, kind, 0).ravel()))  # different numbers are different ids
    else:
        forest = ForestOfEdges(edges_of(*first.schema.types), MEMORY[kind], forest=is_recorded(task))
        batches = [one for i in range(4) for one in only(list(forest(i, [edges(task, kind, i)])), FORESTS)]
    with pa.ipc.new_stream(folder / "batches", batches[0].schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
    (folder / "ids").write_text(str(ids))


def main(task: str, kind: str, *where: str) -> float:
    if where:
        write(Path(where[0]), task, kind)
        return 0.0
    few = edges(task, kind, 0).slice(0, 10)
    reader = edges_of(*few.schema.types)
    recorded = is_recorded(task)
    forest = ForestOfEdges(reader, MEMORY[kind], forest=recorded)
    list(forest(0, [few]))
    merge = MergeSample(reader.ids) if task == "sample" else MergeIntoLabels(reader.ids, 1, recorded, 2)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, __file__, task, kind, folder], check=True, stdout=subprocess.DEVNULL)
        ids = int(Path(folder, "ids").read_text())
        with pa.ipc.open_stream(Path(folder, "batches").read_bytes()) as stream:
            batches = list(stream)
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins again
    before = memory("VmRSS")
    list((forest if task in PARTITIONS else merge)(0, batches))
    return (memory("VmHWM") - before) / ids


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
