"""Time landbridge and programs of others on one GPU in turns: `python -m benchmarks.gpu_peers`.

The programs are those of `peers/gpu.py` that the environment names. They print the time of their own algorithm, with
the graph on the device and a cold cache; those that make one trial a start meet a device that was idle. landbridge's
time is that of `benchmarks.gpu` (a replayed plan, the L2 cache flushed before it) with the labels numbered, which the
programs leave out.
Every count is checked, and landbridge's labels too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

import landbridge
from benchmarks.gpu import GRAPHS, Timer, rows_on_device
from benchmarks.machine import describe_commit, now
from landbridge import Graph
from landbridge.device import cuda
from landbridge.edges.forms import Adjacency
from landbridge.edges.generators import generate
from landbridge.engine.gpu import Run, Schedule
from landbridge.plan import parse
from peers import peers
from peers.base import Case, PeerFailed

PEERS = ["ecl_cc_gpu", "gconn", "soman"]


def case_of(name: str, text: str, cupy: Any) -> tuple[Case, Any]:
    """The graph for programs, and the same on the device."""
    edges = generate(text)
    n = int(edges.num_vertices or 0)
    expected = landbridge.components((edges.u, edges.v), num_vertices=n, device="cpu")
    offsets, neighbors = rows_on_device(cupy, n, edges.u, edges.v)
    rows = (offsets.get(), neighbors.get())
    case = Case(name, text, *rows, edges.u, edges.v, expected.count, expected.labels)
    return case, Graph.from_edges(Adjacency(offsets, neighbors), symmetric=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_peers", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", action="append", choices=list(GRAPHS), metavar="GRAPH")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--out", type=Path, help="append result lines to this file")
    arguments = parser.parse_args()
    cupy, device = cuda.cupy(), cuda.current()
    timer = Timer(cupy, arguments.repeat)
    header = {"device": device.name, **describe_commit(), "date": now(), "what": "peer"}
    found = []
    for peer in peers(PEERS):
        reason = peer.unavailable()
        print(f"{peer.name}: {reason or peer.version()}", flush=True)
        if reason is None:
            found.append(peer)
    lines, wrong = [], 0
    for name in arguments.only or GRAPHS:
        text = GRAPHS[name][0]
        case, graph = case_of(name, text, cupy)
        about = {"graph": text, "name": name, "n": case.num_vertices, "m": graph.num_edges, "components": case.count}
        plan = parse(landbridge.explain(graph, device="gpu").plan)
        run = Run(graph, plan, Schedule.of(plan, graph))
        ms = timer.median(run)
        right = run.read()[0] == case.count and bool((run.labels == cupy.asarray(case.labels)).all())
        wrong += not right
        del run, graph
        cupy.get_default_memory_pool().free_all_blocks()
        print(f"{name}: landbridge {ms:.3f} ms{'' if right else '  WRONG'}", flush=True)
        lines.append({**header, **about, "contestant": "landbridge(auto)", "plan": str(plan), "ms": ms, "right": right})
        for peer in found:
            try:
                handle = peer.prepare(case, 1)
                answer = peer.run(handle, arguments.repeat)
                peer.release(handle)
            except PeerFailed as error:
                print(f"  {error}", flush=True)
                continue
            theirs = statistics.median(answer.seconds) * 1e3
            agrees = answer.count == case.count
            print(f"  {peer.name} {theirs:.3f} ms, {theirs / ms:.2f} x ours{'' if agrees else '  WRONG'}", flush=True)
            lines.append({**header, **about, "contestant": peer.name, "ms": theirs, "right": agrees})
    if arguments.out is not None:
        with arguments.out.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
