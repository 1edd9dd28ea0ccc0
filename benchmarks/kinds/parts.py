"""Several processors against one: the same edges, the same answer, ratios in one run.

A case is a form and a size. "host": pairs in host memory. "device": pairs in the memory of the first GPU (of host
memory where there is none). "rows": a symmetric CSR there. "stream": pairs there in batches. "spread": pairs in the
memories of all GPUs, more than one would hold. "merge": two trees of n vertices, by all parents or by a bitmap of the
largest tree. Contestants are each processor alone, and the groups that the machine has; all take turns. Every answer is
compared with that of CPU threads.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import landbridge
from benchmarks.check import check_labels
from benchmarks.kinds.base import Kind
from benchmarks.machine import cores, processor
from benchmarks.parts_runs import Merge, gpus, places, wait
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.tables import Table, ms_text, ratio_text
from benchmarks.turns import Entrant, interleave
from peers.timing import Timed

FORMS = ("host", "device", "rows", "stream", "spread", "merge")


@dataclass(frozen=True)
class Case:
    """One row of a suite: a form, n = 2^vertices, m = 2^edges, the type of ids, and edges per batch of a stream."""

    form: str
    vertices: float
    edges: float
    ids: str = "int32"
    batch: int = 10**8

    @property
    def name(self) -> str:
        return f"{self.form} {self.ids} n=2^{self.vertices:g} m=2^{self.edges:g}"

    @property
    def n(self) -> int:
        return int(2**self.vertices)

    @property
    def m(self) -> int:
        return int(2**self.edges)


@dataclass(frozen=True)
class Right:
    """The answer for a case; `benchmarks.check.Reference`."""

    name: str
    count: int
    labels: Any


def groups(count: int) -> dict[str, list[Any]]:
    """Contestants by name: each kind of processor alone, then several together."""
    alone: dict[str, list[Any]] = {"cpu": ["cpu"]}
    if count == 0:
        return alone | {"cpu + cpu": ["cpu", "cpu"]}
    alone |= {"gpu": [0], "cpu + gpu": ["cpu", 0], "gpu twice": [0, 0]}
    if count > 1:
        every = list(range(count))
        alone |= {f"{k} gpus": every[:k] for k in (2, 4, 8) if k <= count} | {"cpu + gpus": ["cpu", *every]}
    return alone


def run(sink: Sink) -> None:
    count, began = gpus(), time.monotonic()
    names = sorted(set(places(list(range(count)) or ["cpu"], cores())))
    sink.place = {"device": f"{count} x {names[0]}" if count else processor(), "host": processor()}
    for row in sink.suite.cases:
        case = Case(**row)
        if time.monotonic() - began > sink.suite.seconds:
            sink.say(f"no time left for {case.name}")
            continue
        if case.form == "merge":
            measure_merge(sink, case, count)
        elif case.form != "spread" or count > 1:
            measure(sink, case, count)


def random_pairs(case: Case, module: Any, seed: int = 1, edges: int | None = None) -> tuple[Any, Any]:
    """Pairs drawn uniformly, of a module of arrays."""
    rng, m = module.random.default_rng(seed), case.m if edges is None else edges
    result = []
    for _ in range(2):
        array = module.empty(m, dtype=case.ids)
        for begin in range(0, m, 1 << 26):  # in pieces: what is drawn may be wider than what is stored
            end = min(m, begin + (1 << 26))
            array[begin:end] = rng.integers(0, case.n, end - begin, dtype=case.ids)
        result.append(array)
    return result[0], result[1]


def inputs(case: Case, count: int) -> Any:
    """What every contestant gets: a pair of arrays, a graph, or batches."""
    on_device = count > 0 and case.form != "host"
    module = import_module("cupy") if on_device else np
    if case.form == "spread":
        batches = []
        for ordinal in range(count):
            with module.cuda.Device(ordinal):
                batches.append(random_pairs(case, module, ordinal, case.m // count))
        return batches
    pairs = random_pairs(case, module)
    if case.form == "rows":
        return landbridge.Graph(pairs, num_vertices=case.n).to_rows()
    if case.form == "stream":
        return [tuple(x[i : i + case.batch] for x in pairs) for i in range(0, case.m, case.batch)]
    return landbridge.Graph(pairs, num_vertices=case.n) if case.form == "device" else pairs


def solve(case: Case, data: Any, words: list[Any], threads: int) -> Any:
    """The answer of a group of processors; of one alone by its own engine."""
    single = len(words) == 1
    where: dict[str, Any] = {"device": "cpu" if words == ["cpu"] else "gpu"} if single else {"devices": words}
    if case.form in ("stream", "spread"):
        return landbridge.components(chunks=data, num_vertices=case.n, threads=threads, **where)
    vertices = {"num_vertices": case.n} if isinstance(data, tuple) else {}
    return landbridge.components(data, threads=threads, **vertices, **where)


def contestants(case: Case, count: int) -> dict[str, list[Any]]:
    """Those that can run a case: edges on a GPU are not sent to CPU threads, and what is spread fits none alone."""
    every = groups(count)
    if case.form == "spread":
        return {name: words for name, words in every.items() if len(set(words)) == count and "cpu" not in words}
    if case.form == "host" or count == 0:
        return every
    return {name: words for name, words in every.items() if "cpu" not in words}


def measure(sink: Sink, case: Case, count: int) -> None:
    """Time every contestant of a case, in turns."""
    sink.say(case.name)
    data, threads = inputs(case, count), cores()
    right: list[Right] = []

    def turn(words: list[Any]) -> Timed:
        wait()
        began = time.perf_counter()
        result = solve(case, data, words, threads)
        wait()
        return Timed((time.perf_counter() - began,), result)

    def check(name: str, turn_of: Timed) -> None:
        labels = turn_of.result.labels
        labels = labels.get() if hasattr(labels, "get") else labels
        if not right:
            expected = reference(case, data, threads)
            right.append(Right(case.name, expected.count, expected.labels))
        check_labels(name, right[0], turn_of.result.count, labels)

    groups = contestants(case, count)
    entrants = [
        Entrant(name, partial(turn, words), partial(check, name), threads=threads) for name, words in groups.items()
    ]
    for tally in interleave(entrants, repeat=sink.suite.repeat, warm_up=True, budget=sink.suite.budget):
        shares: list[tuple[str, int]] = []
        if tally.times:
            profile = turn(groups[tally.entrant.name]).result.profile
            shares = [(share.device, share.edges) for share in profile.shares]
        graph = {"name": case.name, "n": case.n, "m": case.m}
        sink.add_tally(tally, graph=graph, form=case.form, ids=case.ids, shares=shares)
        if tally.times:
            sink.say(f"  {tally.entrant.name:12} {tally.median * 1e3:10.2f} ms  {shares or ''}")


def reference(case: Case, data: Any, threads: int) -> Any:
    """The answer of CPU threads."""
    if case.form in ("stream", "spread"):
        return landbridge.components(chunks=on_host(data), num_vertices=case.n, device="cpu", threads=threads)
    graph = data if isinstance(data, landbridge.Graph) else landbridge.Graph(data, num_vertices=case.n)
    return landbridge.components(graph.to_host(), device="cpu", threads=threads)


def on_host(batches: Any) -> Iterator[tuple[Any, ...]]:
    """Batches in host memory, a part of each at a time."""
    for batch in batches:
        for begin in range(0, len(batch[0]), 1 << 27):
            part = (x[begin : begin + (1 << 27)] for x in batch)
            yield tuple(x.get() if hasattr(x, "get") else x for x in part)


def measure_merge(sink: Sink, case: Case, count: int) -> None:
    """Time the merge of two trees, by parents and by a bitmap."""
    module = import_module("cupy") if count else np
    edges, threads = random_pairs(case, module), cores()
    host = tuple(x.get() if hasattr(x, "get") else x for x in edges)
    right = landbridge.components(host, num_vertices=case.n, threads=threads)
    words: list[Any] = ["cpu", "cpu"] if count == 0 else [0, min(1, count - 1)]
    for send in ("parents", "bitmap") if count else ("parents",):
        seconds, moved = [], 0
        for _ in range(sink.suite.repeat):
            merge = Merge(words, case.n, edges, send, threads)
            time_of_run, moved = merge.run()
            seconds.append(time_of_run)
        check_labels(f"merge by {send}", Right(case.name, right.count, right.labels), *merge.labels())
        graph = {"name": case.name, "n": case.n, "m": case.m}
        fields = {"bytes": moved, "link": merge.link.kind, "threads": threads, "timing": "wall", "form": "merge"}
        sink.add(f"merge by {send}", seconds, graph=graph, **fields)
        sink.say(f"{case.name}: merge by {send} {statistics.median(seconds) * 1e3:8.3f} ms, {moved} bytes")


def rows_of(records: Sequence[Record]) -> Iterator[list[str]]:
    """A row for each contestant of each case: its time, and how many times faster than the best single one it is."""
    for name in dict.fromkeys(record["graph"]["name"] for record in records):
        own = {record["contestant"]: record for record in records if record["graph"]["name"] == name}
        single = [own[alone]["median"] for alone in ("cpu", "gpu") if alone in own]
        for contestant, record in own.items():
            ratio = ratio_text(min(single) / record["median"]) if single else ""
            yield [name, contestant, ms_text(record["median"]), ratio]


def summary(records: list[Record]) -> str:
    """Times and ratios to the best single processor."""
    if not records:
        return ""
    table = Table(["edges", "processors", "ms", "times the best single one"])
    table.rows.extend(rows_of(records))
    return table.markdown()


def require_cases(suite: Any) -> None:
    """Raise ValueError for a case that is none."""
    for row in suite.cases:
        try:
            case = Case(**row)
        except TypeError as error:
            raise ValueError(f"{suite.name}.toml: {error}") from None
        if case.form not in FORMS:
            raise ValueError(f"{suite.name}.toml: unknown form {case.form!r}; known: {', '.join(FORMS)}")


KIND = Kind(run, summary, frozenset({"device", "cases", "repeat", "budget", "seconds"}), requires=require_cases)
