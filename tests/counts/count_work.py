"""Runs cells of the zoo under a core that counts, and prints a JSON object per cell: what it took, for how many edges.

    python tests/counts/count_work.py CELLS [--threads T] [--plan TEXT] [--gpu] [--climb]

The landbridge that is imported has to be the counting one (LANDBRIDGE_COUNT_WORK). CELLS: patterns of
`benchmarks.zoo.cells`. --plan: instead of auto. --gpu: the rules that the GPU's auto selects, on CPU threads.
--climb: what one thread unites climbs, whatever a clock says.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import landbridge
from benchmarks.zoo.cells import Cell, Drawn, cells, draw
from landbridge import _core
from landbridge.edges.forms import Adjacency
from landbridge.engine.cpu.engine import ENGINE as CPU
from landbridge.engine.gpu import choose as gpu_choose
from landbridge.plan import Plan


def of_gpu(problem: str, graph: Any, threads: int) -> Plan:
    """The sampling and the finish that the GPU's auto selects for a graph; for a stream if there is none."""
    if graph is None:
        choice = gpu_choose.choose_stream(None)
    else:
        choose = {"components": gpu_choose.choose_components, "forest": gpu_choose.choose_forest}[problem]
        choice = choose(CPU.facts(problem, graph, threads))
    return replace(choice.plan, engine=None)


def call_of(drawn: Drawn, plan: str, threads: int, gpu: bool) -> Callable[[], Any]:
    """What a cell times."""
    cell, endpoints, n = drawn.cell, drawn.pairs(), drawn.n
    if cell.problem in ("stream", "chunks"):
        text: Any = of_gpu("incremental", None, threads) if gpu else plan
        batches = drawn.batches(endpoints)
        if cell.problem == "chunks":
            return lambda: landbridge.components(
                chunks=batches, num_vertices=n, plan=text, threads=threads, device="cpu"
            )

        def stream() -> Any:
            trees = landbridge.Incremental(n, plan=text, threads=threads, device="cpu")
            for u, v in batches:
                trees.insert(u, v)
            return trees.components()

        return stream
    source: Any = landbridge.Graph(endpoints, num_vertices=n)
    if cell.is_csr:
        source = landbridge.Graph(Adjacency(*drawn.csr(), symmetric=cell.symmetric))
    problem = "forest" if cell.problem == "forest" else "components"
    chosen_text: Any = of_gpu(problem, source, threads) if gpu else plan
    source = endpoints if cell.problem == "pairs" and not gpu else source
    solve = landbridge.spanning_forest if problem == "forest" else landbridge.components
    return lambda: solve(source, plan=chosen_text, threads=threads, device="cpu")


def measure(drawn: Drawn, plan: str, threads: int, gpu: bool) -> dict[str, Any]:
    call = call_of(drawn, plan, threads, gpu)
    _core.take_work()
    result = call()
    counts = _core.take_work()
    return {
        "cell": str(drawn.cell),
        "vertices": drawn.n,
        "edges": drawn.num_edges,
        "components": result.count,
        "plan": str(getattr(result, "plan", "")),
        "work": counts,
    }


def visits(patterns: list[str]) -> Iterator[Drawn]:
    """The cells, those of a graph one after another."""
    of_graph: dict[tuple[str, str, str], list[Cell]] = {}
    for pattern in patterns:
        for one in cells(pattern):
            of_graph.setdefault(one.graph, []).append(one)
    for group in of_graph.values():
        drawn = draw(group[0])
        for one in group:
            drawn.cell = one
            yield drawn


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("cells", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--plan", default="auto")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--climb", action="store_true")
    arguments = parser.parse_args()
    if arguments.climb:
        _core.set_edge_loop(1)
    for drawn in visits(arguments.cells):
        print(json.dumps(measure(drawn, arguments.plan, arguments.threads, arguments.gpu)), flush=True)


if __name__ == "__main__":
    main()
