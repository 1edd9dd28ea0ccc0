"""Time plans on one GPU: `python -m benchmarks.gpu`, on a machine with an NVIDIA GPU and CuPy.

The graphs are those the published GPU codes were measured on, in symmetric rows with 32-bit ids, sorted, on the device.
A plan is captured as a CUDA graph and replayed; before each replay a buffer larger than the L2 cache is written; CUDA
events lie around it. The time is the median, from a started stream to labels numbered by smallest vertex. Every answer
is compared with the CPU engine's before it is timed. The floor is what must move at least: offsets, the 64-byte
granules of first neighbours, parents (once if they fit the L2 cache, else three times), over the measured bandwidth.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import landbridge
from benchmarks.machine import describe_commit, now
from landbridge import Graph
from landbridge.device import cuda
from landbridge.edges.forms import Adjacency
from landbridge.edges.generators import generate
from landbridge.engine.gpu import Run, Schedule
from landbridge.plan import parse

# name -> the generator's text, and the best published time on an H100 in ms (graph on the device, L2 flushed, labels
# not renumbered), with the code that reached it.
GRAPHS: dict[str, tuple[str, float, str]] = {
    "grid1k": ("grid2d(1024,1024)", 0.084, "Groute"),
    "rmat22": ("rmat(22,edges=33554432,a=0.45,b=0.15,c=0.15,d=0.25,seed=1)", 0.299, "GConn k-out"),
    "uniform23": ("uniform(8388608,4,seed=1)", 0.614, "GConn k-out"),
    "kron21": ("kron(21,48,seed=1)", 0.239, "GConn k-out"),
    "social22": ("rmat(22,edges=117440512,a=0.57,b=0.19,c=0.19,d=0.05,seed=1)", 0.384, "GConn k-out"),
    "tri4k": ("trigrid(4096,4096)", 0.858, "GConn HB"),
    "tri4k_permuted": ("trigrid(4096,4096,permute=true,seed=1)", 1.482, "GConn k-out"),
    "road24m": ("road(24000000,d_avg=2.4,seed=1)", 2.03, "GConn COO"),
    "grid8k": ("grid2d(8192,8192)", 1.847, "GConn HB"),
    "uniform27": ("uniform(134217728,4,seed=1)", 14.8, "GConn HB"),
    "rmat26": ("rmat(26,edges=1006632960,a=0.57,b=0.19,c=0.19,d=0.05,seed=1)", 5.48, "GConn k-out"),
}
PLANS = (
    "auto",
    "rem_cas(naive,halve_one)",
    "rem_cas(naive,halve_one)@gpu(reads=stale)",
    "rem_cas(naive,halve_one)@gpu(start=hook)",
    "kout(2)+rem_cas(naive,halve_one)",
    "kout(2)+async(split)",
    "hb(1)+rem_cas(naive,halve_one)",
    "hb(2)+rem_cas(naive,halve_one)",
    "hb(4)+rem_cas(naive,halve_one)",
    "hb(16)+rem_cas(naive,halve_one)",
    "hb(16)+rem_cas(naive,halve_one)@gpu(merge=warp)",
    "hb(2)+async(split)",
)
ABLATION = tuple(
    f"{plan}@gpu({option})"
    for plan in ("kout(2)+rem_cas(naive,halve_one)", "hb(4)+rem_cas(naive,halve_one)")
    for option in (
        "balance=worklist", "balance=thread", "balance=warp", "arcs=coalesced", "arcs=reorganised", "reads=fresh",
        "merge=warp",
    )
    if not (plan.startswith("hb") and option.startswith("arcs"))
)  # fmt: skip


def rows_on_device(cupy: Any, n: int, u: Any, v: Any) -> tuple[Any, Any]:
    """Symmetric rows of pairs in host memory, sorted, without loops and duplicates: offsets and neighbours, int32."""
    m = len(u)
    keys = cupy.empty(2 * m, dtype=np.uint64)
    a, b = cupy.asarray(u).astype(np.uint64), cupy.asarray(v).astype(np.uint64)
    keys[:m] = a << np.uint64(32) | b
    keys[m:] = b << np.uint64(32) | a
    del a, b
    keys.sort()
    keep = cupy.empty(2 * m, dtype=bool)
    keep[:1] = True
    keep[1:] = keys[1:] != keys[:-1]
    keep &= (keys >> np.uint64(32)) != (keys & np.uint64(0xFFFFFFFF))
    keys = keys[keep]
    del keep
    neighbors = (keys & np.uint64(0xFFFFFFFF)).astype(np.int32)
    offsets = cupy.searchsorted(keys, cupy.arange(n + 1, dtype=np.uint64) << np.uint64(32))
    offsets = offsets.astype(np.int32 if len(neighbors) < 2**31 else np.int64)
    del keys
    cupy.get_default_memory_pool().free_all_blocks()
    return offsets, neighbors


def floor_ms(cupy: Any, graph: Graph, bandwidth: float, cache: int) -> float:
    """The time that the bytes which any algorithm moves take; see the module."""
    offsets: Any = graph.offsets
    starts = offsets[:-1][offsets[:-1] < offsets[1:]]
    granules = int((cupy.diff(starts // 16) > 0).sum()) + 1 if len(starts) else 0
    parents = 4 * graph.num_vertices
    moved = 4 * graph.num_vertices + 64 * granules + (parents if parents <= cache else 3 * parents)
    return moved / bandwidth * 1e3


def read_bandwidth(cupy: Any) -> float:
    """Bytes a second of a large sum over the device's memory, the best of several."""
    words = cupy.ones(2**28, dtype=np.uint64)
    best = 0.0
    for _ in range(6):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        words.sum()
        end.record()
        end.synchronize()
        best = max(best, words.nbytes / cupy.cuda.get_elapsed_time(start, end) * 1e3)
    return best


class Timer:
    """Replays of captured runs with a flushed L2 cache between them."""

    def __init__(self, cupy: Any, repeat: int) -> None:
        self.cupy, self.repeat = cupy, repeat
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.flush = cupy.empty(2**26, dtype=np.uint32)

    def median(self, run: Run) -> float:
        """Milliseconds of one run."""
        with self.stream:
            run.launch()
            self.stream.begin_capture()
            run.launch()
            captured = self.stream.end_capture()
            times = []
            for i in range(self.repeat + 2):
                self.flush.fill(i)
                start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
                start.record(self.stream)
                captured.launch(self.stream)
                end.record(self.stream)
                end.synchronize()
                times.append(self.cupy.cuda.get_elapsed_time(start, end))
        return statistics.median(times[2:])

    def phases(self, run: Run) -> list[tuple[str, float]]:
        """Milliseconds of each launch on its own, median of a few."""
        found: list[list[float]] = [[] for _ in run.launches]
        with self.stream:
            for _ in range(4):
                self.flush.fill(0)
                for i, step in enumerate(run.launches):
                    start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
                    start.record(self.stream)
                    step()
                    end.record(self.stream)
                    end.synchronize()
                    found[i].append(self.cupy.cuda.get_elapsed_time(start, end))
        return [(step.name, statistics.median(t)) for step, t in zip(run.launches, found, strict=True)]


def calls_ms(cupy: Any, graph: Any, plan: str, repeat: int) -> float:
    """Milliseconds of a whole Python call, median."""
    times = []
    for _ in range(repeat + 3):
        cupy.cuda.get_current_stream().synchronize()
        began = time.perf_counter()
        landbridge.components(graph, plan=plan)
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times[3:])


def small(cupy: Any, repeat: int) -> dict[str, float]:
    """Microseconds from the Python call to labels, for a thousand edges on the device."""
    rng = np.random.default_rng(1)
    u, v = (cupy.asarray(rng.integers(0, 800, 1000).astype(np.int32)) for _ in range(2))
    return {
        "pair of arrays": calls_ms(cupy, (u, v), "auto", repeat) * 1e3,
        "Graph": calls_ms(cupy, Graph((u, v)), "auto", repeat) * 1e3,
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=list(GRAPHS), metavar="GRAPH")
    parser.add_argument("--plan", action="append", metavar="TEXT", help="instead of the usual plans")
    parser.add_argument("--ablation", action="store_true", help="also the plans with one option changed")
    parser.add_argument("--phases", action="store_true", help="print each launch's time")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--out", type=Path, help="append result lines to this file")
    parser.add_argument("--commit", help="what is measured, where git does not know")
    arguments = parser.parse_args()
    cupy = cuda.cupy()
    device = cuda.current()
    timer = Timer(cupy, arguments.repeat)
    bandwidth = read_bandwidth(cupy)
    cache = int(cupy.cuda.runtime.getDeviceProperties(device.ordinal)["l2CacheSize"])
    print(f"{device.name}: {bandwidth / 1e12:.2f} TB/s read, {cache / 2**20:.0f} MiB L2", flush=True)
    commit = {"commit": arguments.commit, "dirty": None} if arguments.commit else describe_commit()
    header = {"device": device.name, **commit, "date": now(), "bandwidth": bandwidth}
    lines: list[dict[str, Any]] = []
    wrong = 0
    for what, microseconds in small(cupy, 200).items():
        print(f"1,000 edges as {what}: {microseconds:.0f} us", flush=True)
        lines.append({**header, "graph": "gnm(800,1000)", "what": f"call, {what}", "ms": microseconds / 1e3})
    for name in arguments.only or GRAPHS:
        text, published, by = GRAPHS[name]
        began = time.perf_counter()
        edges = generate(text)
        n = int(edges.num_vertices or 0)
        expected = landbridge.components((edges.u, edges.v), num_vertices=n, device="cpu")
        offsets, neighbors = rows_on_device(cupy, n, edges.u, edges.v)
        del edges
        graph = Graph.from_edges(Adjacency(offsets, neighbors), symmetric=True)
        floor = floor_ms(cupy, graph, bandwidth, cache)
        print(
            f"\n{name}: {n / 1e6:.1f}M vertices, {graph.num_edges / 1e6:.1f}M arcs, {expected.count} components; floor "
            f"{floor:.3f} ms, published {published} ms ({by}); made in {time.perf_counter() - began:.1f} s",
            flush=True,
        )
        labels = cupy.asarray(expected.labels)
        best = float("inf")
        plans = arguments.plan or [*PLANS, *(ABLATION if arguments.ablation else ())]
        for wanted in plans:
            shown = landbridge.explain(graph, device="gpu").plan if wanted == "auto" else wanted
            run = Run(graph, parse(shown), Schedule.of(parse(shown), graph))
            run.launch()
            right = run.read()[0] == expected.count and bool((run.labels == labels).all())
            wrong += not right
            ms = timer.median(run)
            again = bool((run.labels == labels).all())
            wrong += not again
            best = min(best, ms)
            mark = "" if right and again else "  WRONG"
            label = f"auto: {shown}" if wanted == "auto" else shown
            ratios = f"{ms / floor:6.1f} x floor  {published / ms:5.2f} x published"
            print(f"  {ms:9.3f} ms  {ratios}  {label}{mark}", flush=True)
            if arguments.phases:
                print("           ", ", ".join(f"{k} {t:.3f}" for k, t in timer.phases(run)), flush=True)
            lines.append(
                {
                    **header, "graph": text, "name": name, "n": n, "m": graph.num_edges, "components": expected.count,
                    "what": "replay", "plan": str(parse(shown)), "auto": wanted == "auto", "ms": ms, "floor_ms": floor,
                    "published_ms": published, "right": right and again,
                }
            )  # fmt: skip
            del run
        call = calls_ms(cupy, graph, "auto", 5)
        print(f"  {call:9.3f} ms  the whole Python call, auto")
        lines.append({**header, "graph": text, "name": name, "what": "call, Graph", "plan": "auto", "ms": call})
        del graph, offsets, neighbors, labels
        cupy.get_default_memory_pool().free_all_blocks()
    if arguments.out is not None:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        with arguments.out.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    if wrong:
        print(f"{wrong} answers were wrong", file=sys.stderr)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
