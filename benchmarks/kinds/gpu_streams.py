"""Streams of edges on one GPU: each undirected edge once, from arrays of 32-bit ids in its memory into single vertices.

Forms "random order" and "sorted": all edges in one batch. Timing "device" is from the first kernel that inserts to the
last, with a cold cache; "wall" is the whole Python call, in which all ids are checked. Forms
"inserts, 10^k": the stream in batches, as calls ("wall"), and captured as one CUDA graph, its kernels alone ("replay").
Forms "1:q, 10^k": batches of operations, q queries to each insert, as calls. Times are those of a million operations.
Components and labels are compared with the CPU engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import landbridge
from benchmarks.check import WrongAnswer, check_count, check_labels
from benchmarks.gpu import Gpu
from benchmarks.gpu_arrays import edges_on_device, shuffled_on_device
from benchmarks.gpu_cases import Generated, for_each_graph
from benchmarks.gpu_runs import StreamTrees, stream_plan
from benchmarks.kinds.base import Kind
from benchmarks.kinds.incremental import form_of
from benchmarks.published import published
from benchmarks.records import Record, graph_of
from benchmarks.sink import Sink
from benchmarks.streams import time_stream
from benchmarks.tables import AUTO, Table, mean_text, ms_text, ratio_text
from benchmarks.turns import Entrant, interleave
from peers.timing import Timed

MOST_BATCHES = 12
"""Batches of a mixed stream."""
COMPARED = 3
"""Batches of a mixed stream whose answers are compared with the CPU's."""

Turn = Callable[[], Timed]
Check = Callable[[Timed], object]


@dataclass(frozen=True)
class Stream:
    """One graph's edges on the device, in one order, and the right answer."""

    gpu: Gpu
    source: Generated
    labels: Any
    u: Any
    v: Any

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def count(self) -> int:
        return self.source.count

    def describe(self) -> dict[str, Any]:
        """What a record says of the graph."""
        return {**self.source.describe(), "m": len(self.u)}

    def batches(self, size: int) -> list[tuple[Any, Any]]:
        return [(self.u[i : i + size], self.v[i : i + size]) for i in range(0, len(self.u), size)]

    def check(self, turn: Timed) -> None:
        """Compare count and labels with the CPU engine's. Raises WrongAnswer."""
        check_labels("a stream", self, *turn.result)


def run(sink: Sink) -> None:
    gpu = Gpu()
    for_each_graph(sink, gpu, partial(measure, sink, gpu))


def measure(sink: Sink, gpu: Gpu, source: Generated) -> None:
    """Time the streams of one graph."""
    suite, labels = sink.suite, gpu.cupy.asarray(source.labels)
    edges = edges_on_device(gpu.cupy, source.u, source.v)
    orders: dict[str, Callable[[], tuple[Any, Any]]] = {
        "random order": partial(shuffled_on_device, gpu.cupy, *edges),
        "sorted": lambda: edges,
    }
    for order in suite.orders:
        stream = Stream(gpu, source, labels, *orders[order]())
        for plan in suite.landbridge:
            m = len(stream.u)
            turns = {"device": partial(device_turn, stream, plan), "wall": partial(call_turn, stream, plan, m)}
            add(sink, stream, Task(order, m, turns, stream.check, plan))
        del stream
    if source.name == suite.batched:
        stream = Stream(gpu, source, labels, *orders["random order"]())
        for size in suite.batches:
            turns = {"replay": partial(replay_turn, stream, size), "wall": partial(call_turn, stream, "auto", size)}
            add(sink, stream, Task(f"inserts, {power_of_ten(size)}", len(stream.u), turns, stream.check))
        for queries in suite.queries:
            for size in suite.batches:
                add_mixed(sink, stream, queries, size)


def power_of_ten(size: int) -> str:
    return f"10^{len(str(size)) - 1}"


def device_turn(stream: Stream, plan: str) -> Timed:
    """All edges in one batch: from the first kernel to the last."""
    trees = StreamTrees(stream.source.n, plan)
    facts = trees.check(stream.u, stream.v)
    seconds = stream.gpu.cold_seconds(lambda: trees.insert_checked(stream.u, stream.v, facts))
    return Timed((seconds,), trees.answer())


def call_turn(stream: Stream, plan: str, size: int) -> Timed:
    """All edges in batches of `size`: the calls."""
    trees = landbridge.Incremental(stream.source.n, plan=plan, device="gpu")
    stream.gpu.ready()
    seconds, _ = time_stream(trees, (stream.u, stream.v), size, stream.gpu.wait)
    result = trees.components()
    return Timed((seconds,), (result.count, result.labels))


def replay_turn(stream: Stream, size: int) -> Timed:
    """All edges in batches of `size`: the kernels alone, captured as one CUDA graph."""
    gpu, batches = stream.gpu, stream.batches(size)

    def insert_all(trees: StreamTrees) -> None:
        for (u, v), of_batch in zip(batches, facts, strict=True):
            trees.insert_checked(u, v, of_batch)

    with gpu.cuda_stream:
        trees = StreamTrees(stream.source.n, "auto")
        facts = [trees.check(u, v) for u, v in batches]
        insert_all(trees)  # kernels are loaded, and the pool of this CUDA stream has what a run takes
        trees = StreamTrees(stream.source.n, "auto")
        seconds = gpu.cold_seconds(gpu.capture(partial(insert_all, trees)))
        return Timed((seconds,), trees.answer())


@dataclass(frozen=True)
class Task:
    """Turns of one form of a stream, by timing. check: of what they give."""

    form: str
    operations: int
    turns: Mapping[str, Turn]
    check: Check
    plan: str = "auto"

    def entrant(self, timing: str) -> Entrant:
        """The turn of a timing; its times are those of a million operations."""

        def scaled() -> Timed:
            turn = self.turns[timing]()
            return Timed(tuple(seconds / self.operations * 1e6 for seconds in turn.seconds), turn.result)

        return Entrant(f"landbridge({self.plan})", scaled, self.check, timing)


def add(sink: Sink, stream: Stream, task: Task) -> None:
    """Let the timings take turns, behind one each that is not recorded, and record them."""
    entrants = [task.entrant(timing) for timing in task.turns]
    for tally in interleave(entrants, repeat=sink.suite.repeat, warm_up=True):
        fields = {"plan": stream_plan(task.plan), "operations": task.operations, "threads": None}
        sink.add_tally(tally, graph=stream.describe(), form=task.form, **fields)
        if tally.times:
            figure = published("stream", stream.name, task.form)
            beside = f"  {rate(tally.median) / figure.value:.2f} x published" if figure is not None else ""
            sink.say(f"  {task.form:14} {tally.entrant.timing:7} {rate(tally.median):7.2f} G operations/s{beside}")


def add_mixed(sink: Sink, stream: Stream, queries: int, size: int) -> None:
    """Batches of `size` operations, as many queries between random vertices for each insert: calls of `apply`."""
    gpu, cupy, n = stream.gpu, stream.gpu.cupy, stream.source.n
    total = min(MOST_BATCHES * size, len(stream.u))
    rng = cupy.random.default_rng(1)
    is_query = rng.random(total) * (queries + 1) >= 1
    u, v = stream.u[:total].copy(), stream.v[:total].copy()
    for endpoint in (u, v):
        endpoint[is_query] = rng.integers(0, n, int(is_query.sum()), dtype=np.int32)
    operations = (u, v, is_query)
    inserts = tuple(endpoint[~is_query].get() for endpoint in (u, v))
    expected = landbridge.components(inserts, num_vertices=n, device="cpu").count
    form = form_of(queries, size)
    try:
        compare_answers(stream, operations, size)
    except WrongAnswer as error:
        sink.fail(f"{stream.name}, {form}: {error}")
        return

    def turn() -> Timed:
        trees = landbridge.Incremental(n, device="gpu")
        gpu.ready()
        seconds, count = time_stream(trees, operations, size, gpu.wait)
        return Timed((seconds,), count)

    def check(turn: Timed) -> None:
        check_count(f"{stream.name}, {form}", turn.result, expected, "components")

    add(sink, stream, Task(form, total, {"wall": turn}, check))


def compare_answers(stream: Stream, operations: tuple[Any, Any, Any], size: int) -> None:
    """Compare the answers of the first batches with those of the CPU. Raises WrongAnswer."""
    on_gpu = landbridge.Incremental(stream.source.n, device="gpu")
    on_cpu = landbridge.Incremental(stream.source.n, device="cpu")
    for first in range(0, min(COMPARED * size, len(operations[0])), size):
        batch = [part[first : first + size] for part in operations]
        ours = on_gpu.apply(*batch, order="inserts_first")
        theirs = on_cpu.apply(*(part.get() for part in batch), order="inserts_first")
        if not np.array_equal(ours.get(), theirs):
            raise WrongAnswer(f"the answers from operation {first} on are not the CPU's")


def rate(median: float) -> float:
    """10^9 operations per second, of seconds for a million."""
    return 1e-3 / median


def streams_table(records: Sequence[Record]) -> str:
    """Streams of one batch: of the device's time and of the call's what the best published code takes over ours."""
    device, calls = list[float](), list[float]()
    by_key = {(graph_of(r), r["form"], r["timing"]): r for r in records if r["contestant"] == AUTO}
    table = Table(
        [
            "graph", "edges in", "edges", "ms", "G edges/s", "best GConn (on an H100)", "ours over it", "call, ms",
            "the call over it",
        ]
    )  # fmt: skip
    for graph, form in dict.fromkeys((graph, form) for graph, form, timing in by_key if timing == "device"):
        ours, call, figure = (
            by_key[graph, form, "device"],
            by_key[graph, form, "wall"],
            published("stream", graph, form),
        )
        millions = ours["operations"] / 1e6
        row = [graph, form, f"{millions:.1f} M", ms_text(ours["median"] * millions), f"{rate(ours['median']):.1f}"]
        beside = ["", ""]
        over_call = ""
        if figure is not None:
            device.append(rate(ours["median"]) / figure.value)
            calls.append(rate(call["median"]) / figure.value)
            beside = [f"{figure.value:.1f}", ratio_text(device[-1])]
            over_call = ratio_text(calls[-1])
        table.rows.append([*row, *beside, ms_text(call["median"] * millions), over_call])
    table.rows.append(["geometric mean", "", "", "", "", "", mean_text(device), "", mean_text(calls)])
    return table.markdown()


def batches_table(records: Sequence[Record]) -> str:
    """A stream by the size of its batches: inserts alone, and as many queries as said for each insert."""
    batched = {(r["form"].partition(", ")[0], r["form"].partition(", ")[2], r["timing"]): r for r in records}
    batched = {key: record for key, record in batched.items() if key[1]}
    sizes = sorted({size for _, size, _ in batched}, key=lambda size: int(size[3:]))
    graph = graph_of(next(iter(batched.values())))
    table = Table(["G operations/s, in batches of", *sizes])

    def row(title: str, what: str, timing: str) -> None:
        cells = [f"{rate(batched[what, size, timing]['median']):.2f}" for size in sizes]
        table.rows.append([title, *cells])

    row("inserts: the device alone", "inserts", "replay")
    figures = [published("stream", graph, f"inserts, {size}") for size in sizes]
    table.rows.append(["the best of GConn, on an H100", *(f"{f.value:.2f}" if f else "" for f in figures)])
    row("inserts: calls", "inserts", "wall")
    for what in sorted({what for what, _, _ in batched if what != "inserts"}, key=lambda what: int(what[2:])):
        row(f"inserts to queries {what}: calls", what, "wall")
    return f"{table.markdown()}\n\n{graph}, random order."


def summary(records: list[Record]) -> str:
    parts = [streams_table(records)] if records else []
    if any(", " in record["form"] for record in records):
        parts.append(batches_table(records))
    return "\n\n".join(parts)


KIND = Kind(
    run,
    summary,
    frozenset({"device", "graphs", "repeat", "landbridge", "orders", "batches", "batched", "queries"}),
)
