"""Time streams on one GPU: `python -m benchmarks.gpu_streams`, on a machine with an NVIDIA GPU and CuPy.

Graphs, devices and lines are those of `benchmarks.gpu`. A stream takes each undirected edge once, in rows sorted by
the smaller end or in random order, from arrays of 32-bit ids on the device into trees of single vertices. The time of
one batch is that of the device from the first kernel that inserts to the last, the L2 cache flushed before; `call_ms`
is that of the whole Python call, the check of all ids and its read-back in it. Batches of fixed sizes are timed over
the whole stream: their calls and, captured as one CUDA graph, their kernels alone. Components and labels are compared
with the CPU engine's.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import landbridge
from benchmarks.gpu import GRAPHS, Bench
from landbridge.edges.generators import generate
from landbridge.engine.stream import DeviceTrees
from landbridge.incremental import AUTO
from landbridge.plan import parse

# name -> undirected edges a second (in 10^9) that the best of GConn's streams inserts on an H100: random order, sorted.
STREAMS: dict[str, tuple[float, float]] = {
    "rmat22": (24.9, 37.8),
    "uniform23": (15.6, 22.5),
    "kron21": (31.1, 55.7),
    "social22": (31.3, 57.1),
    "tri4k": (8.8, 15.3),
    "road24m": (5.7, 7.3),
    "grid8k": (5.1, 13.0),
    "uniform27": (6.2, 15.4),
    "rmat26": (15.9, 40.4),
}
ORDERS = ("random order", "sorted")
# The same by the size of a batch, of rmat22 in random order.
BATCHES: dict[int, float | None] = {10**4: 1.16, 10**5: 8.97, 10**6: 19.9, 10**7: 24.5}
BATCHED = "rmat22"
QUERIES = (0, 1, 10)  # for each insert
MIXED_BATCH = 10**6
MIXED_BATCHES = 12


class Subject:
    """A graph's edges on the device in both orders, and its answer."""

    def __init__(self, bench: Bench, name: str) -> None:
        cupy, began = bench.cupy, time.perf_counter()
        self.name, self.text = name, GRAPHS[name][0]
        edges = generate(self.text)
        self.n = int(edges.num_vertices or 0)
        expected = landbridge.components((edges.u, edges.v), num_vertices=self.n, device="cpu")
        self.components, self.labels = expected.count, cupy.asarray(expected.labels)
        u, v = cupy.asarray(edges.u), cupy.asarray(edges.v)
        del edges, expected
        keys = cupy.minimum(u, v).astype(np.uint64) << np.uint64(32) | cupy.maximum(u, v).astype(np.uint64)
        del u, v
        keys.sort()
        keep = keys != cupy.concatenate((keys[:1] ^ np.uint64(1), keys[:-1]))
        keep &= (keys >> np.uint64(32)) != (keys & np.uint64(0xFFFFFFFF))
        keys = keys[keep]
        del keep
        u, v = (keys >> np.uint64(32)).astype(np.int32), (keys & np.uint64(0xFFFFFFFF)).astype(np.int32)
        del keys
        cupy.get_default_memory_pool().free_all_blocks()
        cupy.random.seed(1)
        order = cupy.argsort(cupy.random.random(len(u), dtype=np.float32))
        self.m = len(u)
        self.ends = {"random order": (u[order], v[order]), "sorted": (u, v)}
        del order
        cupy.get_default_memory_pool().free_all_blocks()
        print(
            f"\n{name}: {self.n / 1e6:.1f}M vertices, {self.m / 1e6:.1f}M edges, {self.components} components; made in "
            f"{time.perf_counter() - began:.1f} s",
            flush=True,
        )

    def right(self, trees: DeviceTrees) -> bool:
        count, labels = trees.labels(0)
        return trees.count == count == self.components and bool((labels == self.labels).all())


def one_batch(bench: Bench, subject: Subject, order: str, text: str, repeat: int) -> None:
    """A batch of all edges: the device's time, and that of the call."""
    cupy, plan = bench.cupy, parse(text)
    u, v = subject.ends[order]
    inside, whole, right = [], [], True
    for i in range(repeat + 1):
        for times in (inside, whole):
            trees = DeviceTrees(plan, subject.n, False)
            bench.timer.flush.fill(i)
            cupy.cuda.Device().synchronize()
            if times is inside:
                look = trees.look(u, v)
                bench.timer.flush.fill(i)
                start, end = cupy.cuda.Event(), cupy.cuda.Event()
                start.record()
                trees.insert_known(u, v, look)
                end.record()
                end.synchronize()
                times.append(cupy.cuda.get_elapsed_time(start, end))
            else:
                began = time.perf_counter()
                trees.insert(u, v)
                cupy.cuda.get_current_stream().synchronize()
                times.append((time.perf_counter() - began) * 1e3)
            if i == 0:
                right = right and subject.right(trees)
            del trees
    ms, call_ms = statistics.median(inside[1:]), statistics.median(whole[1:])
    published = STREAMS[subject.name][ORDERS.index(order)]
    rate = subject.m / ms / 1e6
    bench.wrong += not right
    print(
        f"  {order:12s} {ms:8.3f} ms {rate:6.1f} G/s {rate / published:5.2f} x published; call {call_ms:8.3f} ms "
        f"{subject.m / call_ms / 1e6 / published:5.2f} x  {text}{'' if right else '  WRONG'}",
        flush=True,
    )
    bench.tell(
        graph=subject.text, name=subject.name, n=subject.n, m=subject.m, components=subject.components,
        what=f"stream, {order}", plan=str(plan), auto=text == AUTO["gpu"], ms=ms, call_ms=call_ms,
        published_rate=published, right=right,
    )  # fmt: skip


def many_batches(bench: Bench, subject: Subject, size: int) -> None:
    """All edges in random order, `size` at a time: calls, and kernels alone."""
    cupy, plan = bench.cupy, parse(AUTO["gpu"])
    u, v = subject.ends["random order"]
    slices = [slice(i, min(i + size, subject.m)) for i in range(0, subject.m, size)]
    batches = [(u[s], v[s]) for s in slices]
    calls, kernels, right = [], [], True
    for i in range(4):
        trees = DeviceTrees(plan, subject.n, False)
        bench.timer.flush.fill(i)
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        for a, b in batches:
            trees.insert(a, b)
        cupy.cuda.get_current_stream().synchronize()
        calls.append((time.perf_counter() - began) * 1e3)
        right = right and subject.right(trees)
    stream = bench.timer.stream
    for i in range(4):
        with stream:
            trees = DeviceTrees(plan, subject.n, False)
            looks = [trees.look(a, b) for a, b in batches]
            if i == 0:  # kernels are loaded, and the pool of this stream has what a run takes
                for (a, b), look in zip(batches, looks, strict=True):
                    trees.insert_known(a, b, look)
                del trees
                trees = DeviceTrees(plan, subject.n, False)
            stream.begin_capture()
            for (a, b), look in zip(batches, looks, strict=True):
                trees.insert_known(a, b, look)
            captured = stream.end_capture()
            captured.upload(stream)
            bench.timer.flush.fill(i)
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record(stream)
            captured.launch(stream)
            end.record(stream)
            end.synchronize()
            kernels.append(cupy.cuda.get_elapsed_time(start, end))
            right = right and subject.right(trees)
    ms, call_ms = statistics.median(kernels[1:]), statistics.median(calls[1:])
    published = BATCHES[size]
    bench.wrong += not right
    print(
        f"  batches of {size:8d}: kernels {subject.m / ms / 1e6:6.2f} G/s, calls {subject.m / call_ms / 1e6:6.2f} G/s, "
        f"{call_ms / len(batches) * 1e3:.0f} us a call; published {published}{'' if right else '  WRONG'}",
        flush=True,
    )
    bench.tell(
        graph=subject.text, name=subject.name, n=subject.n, m=subject.m, components=subject.components,
        what="stream, batches", plan=str(plan), auto=True, batch=size, ms=ms, call_ms=call_ms,
        published_rate=published, right=right,
    )  # fmt: skip


def mixed_batches(bench: Bench, subject: Subject, queries: int, size: int) -> None:
    """Operations in batches of `size`, as many queries between random vertices for each insert: calls of `apply`."""
    cupy, plan = bench.cupy, parse(AUTO["gpu"])
    total = min(MIXED_BATCHES * size, subject.m)
    rng = cupy.random.default_rng(1)
    kinds = rng.random(total) * (queries + 1) >= 1
    u, v = (end[:total].copy() for end in subject.ends["random order"])
    for end in (u, v):
        end[kinds] = rng.integers(0, subject.n, int(kinds.sum()), dtype=np.int32)
    slices = [slice(i, min(i + size, total)) for i in range(0, total, size)]
    times, right = [], True
    here, there = DeviceTrees(plan, subject.n, False), landbridge.Incremental(subject.n, device="cpu")
    for s in slices[:3]:
        ours = here.apply(u[s], v[s], kinds[s], True)
        theirs = there.apply(u[s].get(), v[s].get(), kinds[s].get(), order="inserts_first")
        right = right and np.array_equal(ours.get(), theirs)
    for _ in range(4):
        trees = DeviceTrees(plan, subject.n, False)
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        for s in slices:
            trees.apply(u[s], v[s], kinds[s], False)
        cupy.cuda.get_current_stream().synchronize()
        times.append((time.perf_counter() - began) * 1e3)
    ms = statistics.median(times[1:])
    bench.wrong += not right
    print(
        f"  1:{queries} in batches of {size:8d}: {total / ms / 1e6:6.2f} G operations/s{'' if right else '  WRONG'}",
        flush=True,
    )
    bench.tell(
        graph=subject.text, name=subject.name, n=subject.n, m=total, components=subject.components,
        what="stream, mixed", plan=str(plan), auto=True, batch=size, queries=queries, ms=ms, right=right,
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_streams", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=[*STREAMS], metavar="GRAPH")
    parser.add_argument("--plan", action="append", metavar="TEXT", help="as well as the automatic plan")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", type=Path, help="append result lines to this file")
    parser.add_argument("--commit", help="what is measured, where git does not know")
    arguments = parser.parse_args()
    bench = Bench(arguments.repeat, arguments.commit)
    for name in arguments.only or STREAMS:
        subject = Subject(bench, name)
        for order in ORDERS:
            for text in (AUTO["gpu"], *(arguments.plan or ())):
                one_batch(bench, subject, order, text, arguments.repeat)
        if name == BATCHED:
            for size in BATCHES:
                many_batches(bench, subject, size)
            for queries in QUERIES:
                for size in BATCHES:
                    mixed_batches(bench, subject, queries, size)
        del subject
        bench.end_graph(arguments.out)
    return bench.end()


if __name__ == "__main__":
    sys.exit(main())
