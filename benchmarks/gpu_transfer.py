"""Time the way of edges to a GPU and of labels back: `python -m benchmarks.gpu_transfer`, on a machine with a GPU.

The limit is one long copy out of pinned memory, which only the link holds up. Beside it stand what CuPy does with
pageable arrays, and what landbridge does with them; a rate counts the bytes of the arrays as they lie in host memory,
so ids that are sent narrower than they lie can pass the limit. Medians; every copy is compared with its source.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import landbridge
from benchmarks.machine import describe_commit, now
from landbridge import Graph
from landbridge.device import cuda, transfer
from landbridge.graph import default_threads


def median_of(cupy: Any, work: Callable[[], object], repeat: int) -> float:
    """Seconds of the work, the device idle before and after; the first time is not counted."""
    times = []
    for _ in range(repeat + 1):
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        work()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - began)
    return statistics.median(times[1:])


def measure(cupy: Any, millions: int, repeat: int, threads: int) -> list[tuple[str, int, float]]:
    """What, bytes in host memory, seconds; the limits first."""
    import cupyx

    m = millions * 10**6
    rng = np.random.default_rng(1)
    narrow = rng.integers(0, 2**22, m, dtype=np.int32)
    wide, wide_too = narrow.astype(np.int64), narrow[::-1].astype(np.int64)
    pinned, there = cupyx.empty_pinned(m, dtype=np.int32), cupy.empty(m, dtype=np.int32)
    pinned[:] = narrow
    stream = cupy.cuda.get_current_stream()
    found = [
        ("limit, pinned to device", narrow.nbytes, lambda: there.set(pinned)),
        ("limit, device to pinned", narrow.nbytes, lambda: there.get(stream=stream, out=pinned)),
        ("CuPy, int32 to device", narrow.nbytes, lambda: cupy.asarray(narrow)),
        ("CuPy, int32 from device", narrow.nbytes, there.get),
        ("int32 to device", narrow.nbytes, lambda: transfer.send((narrow,), (np.int32,), threads)),
        ("int64 to device as int32", wide.nbytes, lambda: transfer.send((wide,), (np.int32,), threads)),
        ("int32 from device", narrow.nbytes, lambda: transfer.fetch(there, threads)),
    ]
    lines = [(what, size, median_of(cupy, work, repeat)) for what, size, work in found]
    sent, largest = transfer.send((wide, wide_too), (np.int32, np.int32), threads)
    if not (np.array_equal(transfer.fetch(sent[0], threads), narrow) and largest == int(narrow.max())):
        raise RuntimeError("what came back is not what was sent")
    del sent

    # The whole way, from two int64 arrays to labels in host memory: checking, sending, computing, fetching.
    expected = landbridge.components((wide, wide_too), device="cpu")
    result = landbridge.components((wide, wide_too), device="gpu")
    if result.count != expected.count or not np.array_equal(result.labels, expected.labels):
        raise RuntimeError("the labels are wrong")
    both = wide.nbytes + wide_too.nbytes
    whole = median_of(cupy, lambda: landbridge.components((wide, wide_too), device="gpu"), repeat)
    lines.append(("two int64 arrays to labels", both, whole))
    graph = Graph((wide, wide_too))
    lines.append(
        ("a checked Graph to labels", both, median_of(cupy, lambda: landbridge.components(graph, device="gpu"), repeat))
    )
    phases = [landbridge.components((wide, wide_too), device="gpu").profile.seconds for _ in range(repeat)]
    for phase in phases[0]:
        lines.append((f"of these: {phase}", both, statistics.median(seconds[phase] for seconds in phases)))
    lines += through_the_trees(cupy, expected, (wide, wide_too), repeat)
    cpu = median_of(cupy, lambda: landbridge.components((wide, wide_too), device="cpu"), repeat)
    lines.append((f"the same on {threads} CPU threads", both, cpu))
    return lines


def through_the_trees(cupy: Any, expected: Any, wide: tuple[Any, Any], repeat: int) -> list[tuple[str, int, float]]:
    """Chunks of the same pairs, of which the device holds the trees alone."""
    lines, step = [], 16 << 20
    for what, (u, v) in (("int64", wide), ("int32", tuple(x.astype(np.int32) for x in wide))):

        def run(u: Any = u, v: Any = v) -> Any:
            chunks = ((u[i : i + step], v[i : i + step]) for i in range(0, len(u), step))
            return landbridge.components(chunks=chunks, num_vertices=len(expected.labels), device="gpu")

        if not np.array_equal(run().labels, expected.labels):
            raise RuntimeError("the labels of the chunks are wrong")
        lines.append((f"chunks of {what} pairs to labels", u.nbytes + v.nbytes, median_of(cupy, run, repeat)))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_transfer", description=__doc__.partition("\n")[0])
    parser.add_argument("--millions", type=int, default=200, help="ids of an array, in millions")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", type=Path, help="append result lines to this file")
    arguments = parser.parse_args()
    cupy, device, threads = cuda.cupy(), cuda.current(), default_threads(None)
    header = {"device": device.name, **describe_commit(), "date": now(), "what": "transfer", "threads": threads}
    lines = []
    for what, size, seconds in measure(cupy, arguments.millions, arguments.repeat, threads):
        print(f"{what:32} {size / seconds / 1e9:7.1f} GB/s  {seconds * 1e3:9.2f} ms", flush=True)
        lines.append({**header, "contestant": what, "bytes": size, "ms": seconds * 1e3})
    if arguments.out is not None:
        with arguments.out.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
