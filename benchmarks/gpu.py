"""Time plans on one GPU: `python -m benchmarks.gpu`, on a machine with an NVIDIA GPU and CuPy.

The graphs are those the published GPU codes were measured on, in symmetric rows with 32-bit ids, sorted, on the device.
A plan is captured as a CUDA graph and replayed; before each replay a buffer larger than the L2 cache is written; CUDA
events lie around it. The time is the median, from a started stream to labels numbered by smallest vertex. Every answer
is compared with the CPU engine's before it is timed. Of a spanning forest (--forests) the edges are looked up and
counted, and their components compared; the time is that to their ends and positions. The floor is what must move at
least: offsets, the 64-byte granules of first neighbours, parents (once if they fit the L2 cache, else three times),
over the measured bandwidth.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import landbridge
from benchmarks.machine import describe_commit, now
from landbridge import Graph
from landbridge.device import cuda
from landbridge.device.launch import WORD_DEFERRED
from landbridge.edges.forms import Adjacency
from landbridge.edges.generators import generate
from landbridge.engine.forest_gpu import ForestRun
from landbridge.engine.gpu import Run, Schedule
from landbridge.plan import parse
from landbridge.plan.choose import Choice, for_forest

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
    "rem_cas(naive,halve_one)@gpu(reads=fresh)",
    "rem_cas(naive,halve_one)@gpu(start=hook)",
    "rem_cas(naive,halve_one)@gpu(start=star)",
    "rem_cas(naive,halve_one)@gpu(balance=tile)",
    "kout(2)+rem_cas(naive,halve_one)",
    "kout(2)+rem_cas(naive,splice)",
    "kout(2)+rem_cas(naive,splice)@gpu(merge=near)",
    "kout(2)+async(split)",
    "hb(1)+rem_cas(naive,halve_one)",
    "hb(2)+rem_cas(naive,halve_one)",
    "hb(3)+rem_cas(naive,halve_one)",
    "hb(4)+rem_cas(naive,halve_one)",
    "hb(16)+rem_cas(naive,halve_one)",
    "hb(16)+rem_cas(naive,halve_one)@gpu(merge=warp)",
    "hb(16)+rem_cas(naive,halve_one)@gpu(merge=near)",
    "hb(2)+async(split)",
)
# The best published times of spanning forests (GConn) on an H100 in ms, and the plans that are timed.
FORESTS = {
    "rmat22": 0.31, "uniform23": 0.67, "kron21": 0.28, "social22": 0.39, "tri4k": 0.83, "tri4k_permuted": 2.05,
    "road24m": 2.54, "grid8k": 1.68, "uniform27": 15.0, "rmat26": 5.72,
}  # fmt: skip
FOREST_PLANS = (
    "auto",
    "rem_cas(naive,halve_one)",
    "rem_cas(naive,halve_one)@gpu(start=hook)",
    "kout(2)+rem_cas(naive,split_one)",
    "kout(2)+rem_cas(naive,split_one)@gpu(merge=near)",
    "hb(2)+rem_cas(naive,halve_one)",
)
# Stand-ins for the inputs of the papers at their published sizes; nobody has published times of them on such a device.
# The last two have more than 2^31 arcs: 32-bit ids and 64-bit offsets.
STAND_INS: dict[str, str] = {
    "like:cit-Patents": "ba(3774768,4,seed=1)",
    "like:as-skitter": "ba(1696415,6,seed=1)",
    "like:soc-LiveJournal1": "rmat(22,edges=43000000,preset=graph500,seed=1)",
    "like:com-Orkut": "rmat(22,edges=117000000,preset=graph500,isolated=drop,seed=1)",
    "like:europe_osm": "road(50912018,d_avg=2.12,chain=4,seed=1)",
    "like:uk-2002": "web(18520486,d_avg=28.3,components=38359,seed=1)",
    "like:twitter7": "rmat(26,edges=1240000000,preset=graph500,seed=1)",
    "like:com-Friendster": "rmat(26,edges=1850000000,a=0.45,b=0.2,c=0.2,d=0.15,seed=1)",
}
# Every schedule and optimisation by name: plans that use it or do not, and what is changed in their engine text.
ABLATIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "who takes a row; worklist; balancing after Merrill": (
        "rem_cas(naive,halve_one)",
        ("balance=thread", "balance=warp", "balance=block", "balance=worklist", "balance=tile"),
    ),
    "the same under another rule": (
        "ecl(halve)",
        ("balance=thread", "balance=warp", "balance=block", "balance=worklist", "balance=tile"),
    ),
    "vertex gathering": ("kout(2)+rem_cas(naive,halve_one)", ("balance=thread", "balance=gather")),
    "aggregated atomics": ("kout(2)+rem_cas(naive,halve_one)@gpu(balance=gather)", ("atomics=single",)),
    "CSR coalescing, edge reorganisation": (
        "kout(2)+rem_cas(naive,halve_one)", ("arcs=vertex", "arcs=coalesced"),
    ),
    "de-duplicated links": ("kout(2)+rem_cas(naive,splice)", ("merge=warp", "merge=near")),
    "the same after hooking": ("hb(16)+rem_cas(naive,halve_one)", ("merge=warp", "merge=near")),
    "the same without sampling": ("rem_cas(naive,halve_one)", ("merge=warp", "merge=near")),
    "hooking, flattening and tile contraction first": (
        "rem_cas(naive,halve_one)", ("start=hook", "start=star", "start=tile"),
    ),
    "which end's row gives an edge": ("rem_cas(naive,halve_one)", ("owner=larger",)),
    "reads": ("rem_cas(naive,halve_one)", ("reads=fresh",)),
    "reads after sampling": ("hb(4)+rem_cas(naive,halve_one)", ("reads=fresh",)),
    "cache hints": ("rem_cas(naive,halve_one)", ("hints=stream",)),
    "cache hints after sampling": ("hb(2)+rem_cas(naive,halve_one)", ("hints=stream",)),
}  # fmt: skip
ABLATED = ("rmat22", "uniform23", "kron21", "tri4k", "tri4k_permuted", "road24m", "grid8k")
PATIENCE_MS = 100.0  # a plan that is slower is timed once
WARM_UPS = 4


_PIECE = 2**29


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
    # Piece by piece: CuPy selects from fewer than 2^31 at a time.
    pieces = [slice(first, min(first + _PIECE, 2 * m)) for first in range(0, 2 * m, _PIECE)]
    counts = [int(cupy.count_nonzero(keep[piece])) for piece in pieces]
    neighbors = cupy.empty(sum(counts), dtype=np.int32)
    degrees = cupy.zeros(n + 1, dtype=np.int64)
    done = 0
    for piece, count in zip(pieces, counts, strict=True):
        some = keys[piece][keep[piece]]
        neighbors[done : done + count] = (some & np.uint64(0xFFFFFFFF)).astype(np.int32)
        degrees[1:] += cupy.bincount((some >> np.uint64(32)).astype(np.int64), minlength=n)
        done += count
        del some
    del keys, keep
    offsets = cupy.cumsum(degrees)
    offsets = offsets.astype(np.int32 if len(neighbors) < 2**31 else np.int64)
    del degrees
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
        """Milliseconds of one run, the median of several, or of one if that takes long.

        A run that puts edges aside is ended by the host. If one does, all are launched and ended by calls.
        """
        with self.stream:
            run.launch()
            self.stream.begin_capture()
            run.launch()
            captured = self.stream.end_capture()
            times = self._times(run, partial(captured.launch, self.stream), ended=False)
            if times is None:

                def whole() -> None:
                    run.launch()
                    run.read()

                times = self._times(run, whole, ended=True)
        assert times is not None
        return statistics.median(times[WARM_UPS:] or times[-1:])

    def _times(self, run: Run, step: Callable[[], object], *, ended: bool) -> list[float] | None:
        """The milliseconds of each step, or nothing if one that does not end its run left edges aside."""
        times: list[float] = []
        for i in range(self.repeat + WARM_UPS):
            self.flush.fill(i)
            start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
            start.record(self.stream)
            step()
            end.record(self.stream)
            end.synchronize()
            if not ended and int(run.control[WORD_DEFERRED]) != 0:
                return None
            times.append(float(self.cupy.cuda.get_elapsed_time(start, end)))
            if i == 1 and times[1] > PATIENCE_MS:
                break
        return times

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


def right_forest(run: ForestRun, subject: Subject) -> bool:
    """Whether as many edges as a forest has stand where it says and have the components of the graph."""
    count, _ = run.read()
    if count != subject.graph.num_vertices - subject.components:
        return False
    u, v, edge = run.found(count)
    offsets, neighbors = subject.graph.offsets, subject.graph.a
    assert offsets is not None
    there = (offsets[u] <= edge) & (edge < offsets[u + 1]) & (neighbors[edge] == v)
    made = landbridge.components(Graph.of_checked_pairs(u, v, subject.graph.num_vertices), device="gpu")
    return bool(there.all()) and bool((made.labels == subject.labels).all())


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


def changed(plan: str, option: str) -> str:
    """A plan's text with one more engine option."""
    text, _, options = plan.partition("@gpu(")
    return f"{text}@gpu({','.join(sorted([option, *filter(None, options.removesuffix(')').split(','))]))})"


class Bench:
    """What stays the same over all graphs: device, timer, bandwidth, and the lines written so far."""

    def __init__(self, repeat: int, commit: str | None) -> None:
        self.cupy = cuda.cupy()
        device = cuda.current()
        self.timer = Timer(self.cupy, repeat)
        self.bandwidth = read_bandwidth(self.cupy)
        self.cache = int(self.cupy.cuda.runtime.getDeviceProperties(device.ordinal)["l2CacheSize"])
        print(f"{device.name}: {self.bandwidth / 1e12:.2f} TB/s read, {self.cache / 2**20:.0f} MiB L2", flush=True)
        told = {"commit": commit, "dirty": None} if commit else describe_commit()
        self.header = {"device": device.name, **told, "date": now(), "bandwidth": self.bandwidth}
        self.lines: list[dict[str, Any]] = []
        self.wrong = 0

    def tell(self, **line: Any) -> None:
        self.lines.append({**self.header, **line})

    def end_graph(self, out: Path | None) -> None:
        """Give memory back and write the lines so far: a run that is cut off leaves what it has."""
        self.cupy.get_default_memory_pool().free_all_blocks()
        if out is not None:
            out.parent.mkdir(parents=True, exist_ok=True)
            with out.open("a") as file:
                file.writelines(json.dumps(line) + "\n" for line in self.lines)
            self.lines.clear()

    def end(self) -> int:
        """The exit status."""
        if self.wrong:
            print(f"{self.wrong} answers were wrong", file=sys.stderr)
        return int(self.wrong > 0)

    def small(self) -> None:
        for what, microseconds in small(self.cupy, 200).items():
            print(f"1,000 edges as {what}: {microseconds:.0f} us", flush=True)
            self.tell(graph="gnm(800,1000)", what=f"call, {what}", ms=microseconds / 1e3)

    def make(self, name: str, text: str, published: tuple[float, str] | None) -> Subject:
        """The graph on the device, with its answer from the CPU."""
        began = time.perf_counter()
        edges = generate(text)
        n = int(edges.num_vertices or 0)
        expected = landbridge.components((edges.u, edges.v), num_vertices=n, device="cpu")
        offsets, neighbors = rows_on_device(self.cupy, n, edges.u, edges.v)
        del edges
        graph = Graph.from_edges(Adjacency(offsets, neighbors), symmetric=True)
        floor = floor_ms(self.cupy, graph, self.bandwidth, self.cache)
        known = "" if published is None else f", published {published[0]} ms ({published[1]})"
        print(
            f"\n{name}: {n / 1e6:.1f}M vertices, {graph.num_edges / 1e6:.1f}M arcs, {expected.count} components; floor "
            f"{floor:.3f} ms{known}; made in {time.perf_counter() - began:.1f} s",
            flush=True,
        )
        return Subject(name, text, graph, expected.count, self.cupy.asarray(expected.labels), floor, published)

    def replay(self, subject: Subject, wanted: str, what: str, phases: bool = False, **more: Any) -> None:
        """Time a plan by replaying it, its answer checked before and after."""
        shown = landbridge.explain(subject.graph, device="gpu").plan if wanted == "auto" else wanted
        plan = parse(shown)
        run = Run(subject.graph, plan, Schedule.of(plan, subject.graph))
        run.launch()
        right = run.read()[0] == subject.components and bool((run.labels == subject.labels).all())
        ms = self.timer.median(run)
        right = right and bool((run.labels == subject.labels).all())
        self.wrong += not right
        ratios = f"{ms / subject.floor:6.1f} x floor"
        if subject.published is not None:
            ratios += f"  {subject.published[0] / ms:5.2f} x published"
            more["published_ms"] = subject.published[0]
        label = f"auto: {shown}" if wanted == "auto" else shown
        print(f"  {ms:9.3f} ms  {ratios}  {label}{'' if right else '  WRONG'}", flush=True)
        if phases:
            print("           ", ", ".join(f"{k} {t:.3f}" for k, t in self.timer.phases(run)), flush=True)
        self.tell(
            graph=subject.text, name=subject.name, n=subject.graph.num_vertices, m=subject.graph.num_edges,
            components=subject.components, what=what, plan=str(plan), auto=wanted == "auto", ms=ms,
            floor_ms=subject.floor, right=right, **more,
        )  # fmt: skip

    def forest(self, subject: Subject, wanted: str, phases: bool = False) -> None:
        """Time a plan's spanning forest by replaying it, the forest checked before and after, and its components."""
        graph, plan = subject.graph, wanted
        if wanted == "auto":
            plan = str(for_forest(Choice(parse(landbridge.explain(graph, device="gpu").plan), ())).plan)
        run = ForestRun(graph, parse(plan), replace(Schedule.of(parse(plan), graph), fuse="off"))
        run.launch()
        right = right_forest(run, subject)
        ms = self.timer.median(run)
        right = right and right_forest(run, subject)
        self.wrong += not right
        components_ms = self.timer.median(Run(graph, parse(plan), Schedule.of(parse(plan), graph)))
        more, ratio = {}, f"{ms / components_ms:4.2f} of components"
        if subject.name in FORESTS:
            more = {"published_ms": FORESTS[subject.name]}
            ratio = f"{FORESTS[subject.name] / ms:5.2f} x published  {ratio}"
        label = f"auto: {plan}" if wanted == "auto" else plan
        print(f"  {ms:9.3f} ms  {ratio}  {label}{'' if right else '  WRONG'}", flush=True)
        if phases:
            print("           ", ", ".join(f"{k} {t:.3f}" for k, t in self.timer.phases(run)), flush=True)
        self.tell(
            graph=subject.text, name=subject.name, n=graph.num_vertices, m=graph.num_edges,
            components=subject.components, what="forest", plan=plan, auto=wanted == "auto", ms=ms,
            components_ms=components_ms, right=right, **more,
        )  # fmt: skip

    def call(self, subject: Subject) -> None:
        """Time whole calls of `components`."""
        ms = calls_ms(self.cupy, subject.graph, "auto", 5)
        print(f"  {ms:9.3f} ms  the whole Python call, auto", flush=True)
        self.tell(graph=subject.text, name=subject.name, what="call, Graph", plan="auto", ms=ms)


@dataclass
class Subject:
    """A graph on the device, and what is known about it."""

    name: str
    text: str
    graph: Graph
    components: int
    labels: Any
    floor: float
    published: tuple[float, str] | None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=[*GRAPHS, *STAND_INS], metavar="GRAPH")
    parser.add_argument("--plan", action="append", metavar="TEXT", help="instead of the usual plans")
    parser.add_argument("--ablate", action="store_true", help="also every schedule by name against the plan without it")
    parser.add_argument("--stand-ins", action="store_true", help="also the papers' inputs at their published sizes")
    parser.add_argument("--forests", action="store_true", help="spanning forests instead of components")
    parser.add_argument("--phases", action="store_true", help="print each launch's time")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("--out", type=Path, help="append result lines to this file")
    parser.add_argument("--commit", help="what is measured, where git does not know")
    arguments = parser.parse_args()
    bench = Bench(arguments.repeat, arguments.commit)
    bench.small()
    for name in arguments.only or [*GRAPHS, *(STAND_INS if arguments.stand_ins else ())]:
        text, *published = GRAPHS[name] if name in GRAPHS else (STAND_INS[name],)
        subject = bench.make(name, text, (published[0], published[1]) if published else None)
        what = "replay" if published else "replay, stand-in"
        if arguments.forests:
            for plan in arguments.plan or FOREST_PLANS:
                bench.forest(subject, plan, arguments.phases)
        else:
            for plan in arguments.plan or PLANS:
                bench.replay(subject, plan, what, arguments.phases)
            bench.call(subject)
        if arguments.ablate and name in ABLATED:
            for schedule, (base, options) in ABLATIONS.items():
                for option in ("", *options):
                    plan = changed(base, option) if option else base
                    bench.replay(subject, plan, "ablation", schedule=schedule, base=base, option=option)
        del subject
        bench.end_graph(arguments.out)
    return bench.end()


if __name__ == "__main__":
    sys.exit(main())
