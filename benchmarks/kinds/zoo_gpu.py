"""Cells of the zoo on one GPU: auto and a screen of plans, every answer compared with the CPU engine's.

Edges lie in the GPU's memory as 32-bit ids. csr, forest and pairs: plans captured and replayed, as in `gpu_components`.
stream in one batch: from the first kernel that inserts to the last; in batches: calls of `insert`. chunks: calls of
`components(chunks=...)` from host memory. A run that takes longer than a tenth of the limit counts as it is, once; one
that a smaller graph foretells to take longer than the limit is left out and said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import landbridge
from benchmarks.check import check_count, check_device_forest, check_labels
from benchmarks.gpu import HEAD_START, Gpu
from benchmarks.gpu_cases import DeviceCase, lower_bound_s, pairs_bound_s
from benchmarks.gpu_runs import ComponentsRun, SpanningForestRun, StreamTrees, chosen_plan, stream_plan
from benchmarks.kinds.base import Kind
from benchmarks.sink import Sink, rounded
from benchmarks.streams import time_stream
from benchmarks.suites import Suite
from benchmarks.turns import Entrant, interleave
from benchmarks.zoo.cells import Cell, Drawn, draw
from benchmarks.zoo.numbers import on_host
from benchmarks.zoo.results import add_cell, say_problems, summary
from benchmarks.zoo.tour import Patience, say_left_out, scouts, tour, visited
from landbridge.edges.forms import Adjacency
from peers.base import PeerFailed
from peers.timing import Timed, timed

SMALL = 300_000
"""Cells with fewer edges are timed by two runs, without a replay."""
READS = frozenset(
    {"device", "cells", "screens", "sample", "seed", "seconds", "repeat", "trials", "limit", "landbridge"}
)


def run(sink: Sink) -> None:
    gpu = Gpu()
    sink.place = gpu.place()
    patience = Patience(sink.suite.limit)
    for drawn, of_graph in tour(sink.suite, gpu.cupy):
        known = reference(gpu, drawn)
        for one in of_graph:
            for smaller in scouts(one):
                scout = draw(smaller, gpu.cupy, sink.suite.seed)
                measure(Visit(sink, gpu, scout, *reference(gpu, scout)), patience, recorded=False)
            drawn.cell = one
            measure(Visit(sink, gpu, drawn, *known), patience)
            gpu.free()


def without_lists(suite: Suite) -> None:
    """Raise ValueError for cells that are not known, or not measured on a GPU."""
    if any(one.form == "list" for one in visited(suite)):
        raise ValueError("lists of the zoo are measured on CPU threads alone")


def reference(gpu: Gpu, drawn: Drawn) -> tuple[Any, int]:
    """Labels on the device, and their number, of the CPU engine by one plan."""
    endpoints = tuple(map(on_host, (drawn.u, drawn.v)))
    answer = landbridge.components(endpoints, num_vertices=drawn.n, device="cpu", plan="async(halve)")
    return gpu.cupy.asarray(answer.labels), answer.count


class Visit:
    """One cell on the device, with its right answer."""

    def __init__(self, sink: Sink, gpu: Gpu, drawn: Drawn, labels: Any, count: int) -> None:
        self.sink, self.gpu, self.drawn, self.labels, self.count = sink, gpu, drawn, labels, count
        self.name = str(drawn.cell)
        self.limit, self.trials = sink.suite.limit, sink.suite.trials

    @property
    def cell(self) -> Cell:
        return self.drawn.cell

    def check(self, name: str, turn: Timed) -> None:
        check_labels(name, self, *turn.result)

    def check_call(self, name: str, turn: Timed) -> None:
        labels = turn.result.labels
        check_count(f"{name} on {self.name}", turn.result.count, self.count, "components")
        check_labels(name, self, turn.result.count, self.gpu.cupy.asarray(labels))

    def slow(self, seconds: float) -> bool:
        return seconds > self.limit / 10

    def replayed(self, make: Callable[[str], Any], graph: Any, plan: str) -> Timed:
        """A plan captured and replayed; one slow run as it is."""
        text = chosen_plan(graph, plan, "forest" if self.cell.problem == "forest" else "components")
        one = make(text)

        def whole() -> None:
            one.launch()
            one.complete()

        seconds = self.gpu.cold_seconds(whole)
        if self.drawn.num_edges < SMALL:
            return Timed((self.gpu.cold_seconds(whole),), one.answer(), None, text)
        if self.slow(seconds) and seconds < self.limit:  # kernels are compiled in the first run
            seconds = self.gpu.cold_seconds(whole)
        times = (seconds,) if self.slow(seconds) else self.gpu.replay(one, self.trials)
        return Timed(times, one.answer(), None, text)

    def streamed(self, endpoints: tuple[Any, Any], plan: str) -> Timed:
        """All edges in one batch: from the first kernel to the last."""
        text, times = stream_plan(plan), list[float]()
        for _ in range(self.trials + 1):
            trees = StreamTrees(self.drawn.n, text)
            facts = trees.check(*endpoints)
            times.append(self.gpu.cold_seconds(partial(trees.insert_checked, *endpoints, facts), HEAD_START))
            if times[-1] > self.limit or (self.slow(times[-1]) and len(times) > 1):
                return Timed(times[-1:], trees.answer(), None, text)
        return Timed(tuple(times[1:]), trees.answer(), None, text)

    def inserted(self, endpoints: tuple[Any, Any], plan: str) -> Timed:
        """All edges in batches: the calls."""
        times = list[float]()
        for _ in range(self.trials + 1):
            trees = landbridge.Incremental(self.drawn.n, plan=plan, device="gpu")
            self.gpu.ready()
            times.append(time_stream(trees, endpoints, self.cell.batch, self.gpu.wait)[0])
            if times[-1] > self.limit or (self.slow(times[-1]) and len(times) > 1):
                break
        answer = trees.components()
        return Timed(tuple(times[1:] or times), (answer.count, answer.labels), None, stream_plan(plan))

    def chunked(self, chunks: list[Any], plan: str) -> Timed:
        """Chunks of host memory through the device: the calls."""
        call = partial(landbridge.components, chunks=chunks, num_vertices=self.drawn.n, device="gpu", plan=plan)
        first = timed(call, 1, warm_up=False, before=self.gpu.wait)
        again = first if self.slow(first.seconds[0]) else timed(call, 2, warm_up=False, before=self.gpu.wait)
        return Timed(again.seconds, again.result, None, stream_plan(plan))


def turns_of(visit: Visit) -> tuple[Callable[[str], Timed], Callable[[str, Timed], None], str, float]:
    """How a plan's turn is taken, how its answer is checked, the timing, and the lower bound in seconds."""
    drawn, gpu = visit.drawn, visit.gpu
    of_pairs = pairs_bound_s(gpu, drawn.n, drawn.num_pairs)
    if visit.cell.is_csr:
        offsets, neighbors = drawn.csr()
        graph = landbridge.Graph(Adjacency(offsets, neighbors), symmetric=visit.cell.symmetric)
        case = DeviceCase(visit.name, visit.name, offsets, neighbors, graph, visit.count, visit.labels)
        bound = lower_bound_s(gpu, case)
        if visit.cell.problem == "csr":
            return partial(visit.replayed, partial(ComponentsRun, graph), graph), visit.check, "replay", bound

        def check(name: str, turn: Timed) -> None:
            check_device_forest(name, case, turn.result)

        return partial(visit.replayed, partial(SpanningForestRun, graph), graph), check, "replay", bound
    endpoints = drawn.pairs()
    if visit.cell.problem == "pairs":
        graph = landbridge.Graph(endpoints, num_vertices=drawn.n)
        return partial(visit.replayed, partial(ComponentsRun, graph), graph), visit.check, "replay", of_pairs
    if visit.cell.problem == "chunks":
        chunks = [tuple(map(on_host, batch)) for batch in drawn.batches(endpoints)]
        return partial(visit.chunked, chunks), visit.check_call, "wall", of_pairs
    if visit.cell.batch < drawn.num_pairs:
        return partial(visit.inserted, endpoints), visit.check, "wall", of_pairs
    return partial(visit.streamed, endpoints), visit.check, "device", of_pairs


def measure(visit: Visit, patience: Patience, *, recorded: bool = True) -> None:
    """Let auto and the screen take turns on one cell, and record them."""
    suite, cell, drawn = visit.sink.suite, visit.cell, visit.drawn
    plans = [*suite.landbridge, *suite.screens.get(cell.problem, ())]
    ready = [plan for plan in plans if patience.has_for(cell, plan)]
    if recorded:
        for plan in set(plans) - set(ready):
            say_left_out(visit.sink, cell, f"landbridge({plan})", patience.foreseen(cell, plan))
    turn, check, timing, bound = turns_of(visit)

    def attempt(plan: str) -> Timed:
        try:
            return turn(plan)
        except (landbridge.LandbridgeError, RuntimeError) as error:
            raise PeerFailed(f"{plan} on {cell}: {type(error).__name__}: {error}") from error

    entrants = [
        Entrant(name, partial(attempt, plan), partial(check, name), timing)
        for plan, name in ((plan, f"landbridge({plan})") for plan in ready)
    ]
    (least,) = rounded([bound])
    sizes = {"n": drawn.n, "m": drawn.num_edges, "components": visit.count}
    name = f"{cell.structure}/{cell.order}/{cell.size}"
    interleave(entrants[:1], repeat=1)  # the first replays on a graph that was just made take up to a tenth longer
    tallies = interleave(entrants, repeat=suite.repeat)
    say_problems(visit.sink, tallies)
    if recorded:
        graph = {"name": name, "text": f"zoo {name}, seed {suite.seed}", **sizes}
        add_cell(visit.sink, tallies, graph=graph, form=cell.form, lower_bound_s=least, threads=None)
    for plan, tally in zip(ready, tallies, strict=True):
        if tally.times:
            patience.learn(cell, plan, min(tally.times))
        else:
            patience.gave_up(cell, plan)


KIND = Kind(run, summary, READS, graphs=lambda suite: (), requires=without_lists)
