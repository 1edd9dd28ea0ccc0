"""Measured times for the claims: on CPU threads in a worker process that a slow plan cannot hold up, or on one GPU."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.cases import graph_texts, load_case, save_case
from benchmarks.claims.paths import path_lengths
from benchmarks.contestants import FROM_PAIRS
from benchmarks.streams import shuffled, time_stream, with_queries
from benchmarks.turns import Entrant, interleave
from benchmarks.worker import Runner
from landbridge.plan import parse
from peers.base import Case

if TYPE_CHECKING:
    from benchmarks.suites import Suite

CONTESTANT = {"components": "landbridge({})", "forest": "landbridge forest({})"}


def lies_as(plan: str) -> str:
    """How the graph is handed over, so that no run pays for another layout."""
    return FROM_PAIRS if parse(plan).layout == "coo" else ""


class Streams:
    """Streams of one graph's edges. put: takes an array to where the engine wants it. wait: see `time_stream`. engine:
    arguments of `Incremental`.
    """

    def __init__(
        self,
        n: int,
        edges: tuple[Any, Any],
        put: Callable[[Any], Any] = lambda array: array,
        wait: Callable[[], object] = lambda: None,
        **engine: Any,
    ) -> None:
        self.n, self.engine, self.put, self.wait = n, engine, put, wait
        self.u, self.v = shuffled(*edges)

    def race(
        self, plans: Sequence[str], turns: int, wrong: list[str], *, few: int, batch: int, queries: int
    ) -> dict[str, float]:
        """As `Races.stream`, after a turn that does not count. A plan that ends with another number of components than
        the CPU engine finds in the same edges has no time, and a line in `wrong`.
        """
        import landbridge

        u, v = (side[: few or None] for side in (self.u, self.v))
        count = landbridge.components((u, v), num_vertices=self.n, device="cpu").count
        operations = tuple(map(self.put, with_queries(u, v, self.n, queries) if queries else (u, v)))
        total = len(operations[0])
        spent: dict[str, list[float]] = {plan: [] for plan in plans}
        for _ in range(1 + turns):
            for plan, times in spent.items():
                stream = landbridge.Incremental(self.n, plan=plan, **self.engine)
                seconds, found = time_stream(stream, operations, batch or total, self.wait)
                if found == count:
                    times.append(seconds / total)
                else:
                    wrong.append(f"{plan} in a stream: {found} components instead of {count}")
        return {plan: statistics.median(times[1:]) for plan, times in spent.items() if len(times) == 1 + turns}


class CpuRaces:
    """Plans in turns on CPU threads, one worker process a graph. Use as a context manager."""

    engine = "cpu"

    def __init__(self, suite: Suite, threads: int) -> None:
        self.suite, self.threads, self.graphs = suite, threads, suite.graphs
        self.problems: list[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="landbridge-claims-")
        self._runners: dict[str, Runner] = {}
        self._known: dict[tuple[str, str, str], float | None] = {}
        self.case = cache(self._case)
        self.streams = cache(self._streams)

    def __enter__(self) -> CpuRaces:
        return self

    def __exit__(self, *error: object) -> None:
        for runner in self._runners.values():
            runner.close()
        self._folder.cleanup()

    def _case(self, graph: str) -> Case:
        case = load_case(graph)
        path = Path(self._folder.name) / f"{graph}.npz"
        save_case(case, path)
        self._runners[graph] = Runner(path, self.threads, self.suite.limit)
        return case

    def degree(self, graph: str) -> float:
        case = self.case(graph)
        return len(case.neighbors) / max(case.num_vertices, 1)

    def seconds(self, graph: str, plans: Sequence[str], problem: str = "components") -> dict[str, float]:
        """A plan measured before keeps its time, unless another of the race is new: then all take turns again."""
        known = self._known
        if any((graph, plan, problem) not in known for plan in plans):
            case = self.case(graph)
            names = {
                plan: CONTESTANT[problem].format(plan)
                for plan in plans
                if known.get((graph, plan, problem), 0) is not None
            }
            turn = self._runners[graph].turn
            entrants = [
                Entrant(name, "wall", self.threads, partial(turn, name), lasting=True) for name in names.values()
            ]
            suite = self.suite
            tallies = interleave(case, entrants, repeat=suite.repeat, trials=suite.trials, budget=suite.budget)
            for plan, tally in zip(names, tallies, strict=True):
                known[graph, plan, problem] = tally.median if tally.times else None
                if tally.problem:
                    self.problems.append(tally.problem)
        found = {plan: known[graph, plan, problem] for plan in plans}
        return {plan: time for plan, time in found.items() if time is not None}

    @cache  # noqa: B019
    def _graph(self, graph: str) -> Any:
        import landbridge
        from landbridge.edges.forms import Adjacency

        case = self.case(graph)
        return landbridge.Graph(Adjacency(case.offsets, case.neighbors, symmetric=True))

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        import landbridge

        runs = [landbridge.components(self._graph(graph), plan=plan, threads=self.threads).profile for _ in range(5)]
        phases = {name: statistics.median(run.seconds[name] for run in runs) for name in runs[0].seconds}
        return runs[0].skipped, phases

    def stream(
        self, graph: str, plans: Sequence[str], few: int = 0, batch: int = 0, queries: int = 0
    ) -> dict[str, float]:
        turns = self.suite.repeat * self.suite.trials
        return self.streams(graph).race(plans, turns, self.problems, few=few, batch=batch, queries=queries)

    def _streams(self, graph: str) -> Streams:
        case = self.case(graph)
        return Streams(case.num_vertices, (case.source, case.target), device="cpu", threads=self.threads)

    def rounds(self, text: str, plan: str) -> tuple[int, float]:
        import landbridge
        from landbridge.edges.generators import generate

        edges = generate(text)
        graph = landbridge.Graph((edges.u, edges.v), num_vertices=int(edges.num_vertices or 0))
        labels = landbridge.components(graph, threads=self.threads).labels
        rounds = []
        for _ in range(self.suite.repeat):
            result = landbridge.components(graph, plan=plan, threads=self.threads)
            if not np.array_equal(result.labels, labels):
                self.problems.append(f"{plan} on {text}: a wrong answer")
            rounds.append(int(result.profile.rounds or 0))
        return graph.num_vertices, statistics.median(rounds)

    def path_length(self, graph: str) -> tuple[float, int]:
        case = self.case(graph)
        return path_lengths(case.offsets, case.neighbors)

    def sort_and_gather(self) -> tuple[float, float]:
        keys = np.random.default_rng(1).integers(0, 2**25, 2**24, dtype=np.uint32)
        table = np.zeros(2**25, dtype=np.uint32)
        return self._least(lambda: np.sort(keys)), self._least(lambda: table[keys])

    @staticmethod
    def _least(call: Callable[[], object]) -> float:
        spent = []
        for _ in range(3):
            began = time.perf_counter()
            call()
            spent.append(time.perf_counter() - began)
        return min(spent)


class GpuRaces:
    """Plans in turns on one GPU, whole calls on graphs that lie there, with a flushed L2 cache before each.

    wrong: a line for each answer that was not the CPU engine's.
    """

    engine = "gpu"

    def __init__(self, suite: Suite) -> None:
        from landbridge.device import cuda

        self.suite, self.graphs = suite, suite.graphs
        self.device = cuda.current().name
        self.wrong: list[str] = []
        self._cupy = cuda.cupy()
        self._flush = self._cupy.empty(2**26, dtype=np.uint32)
        self._known: dict[tuple[str, str, str], float] = {}
        self.graph = cache(self._graph)
        self.pairs = cache(self._pairs)
        self.streams = cache(self._streams)

    def _pairs(self, name: str) -> Any:
        """Each undirected edge once."""
        import landbridge

        made = self.graph(name)[0].to_pairs()
        upper = made.a < made.b
        return landbridge.Graph((made.a[upper], made.b[upper]), num_vertices=made.num_vertices)

    def _graph(self, name: str) -> tuple[Any, Any]:
        """The graph on the device, and the CPU engine's answer there."""
        import landbridge
        from benchmarks.gpu import rows_on_device
        from landbridge.edges.forms import Adjacency
        from landbridge.edges.generators import generate

        edges = generate(graph_texts()[name])
        n = int(edges.num_vertices or 0)
        expected = landbridge.components((edges.u, edges.v), num_vertices=n, device="cpu")
        rows = rows_on_device(self._cupy, n, edges.u, edges.v)
        made = landbridge.Graph.from_edges(Adjacency(*rows), symmetric=True)
        return made, (expected.count, self._cupy.asarray(expected.labels))

    def degree(self, graph: str) -> float:
        made, _ = self.graph(graph)
        return float(made.num_edges / max(made.num_vertices, 1))

    def _once(self, graph: str, plan: str, problem: str) -> float:
        """Seconds of one call, checked. Raises what the call raises."""
        import landbridge

        made, (count, labels) = self.graph(graph)
        if lies_as(plan):
            made = self.pairs(graph)
        self._flush.fill(0)
        stream = self._cupy.cuda.get_current_stream()
        stream.synchronize()
        began = time.perf_counter()
        if problem == "forest":
            result: Any = landbridge.spanning_forest(made, plan=plan, device="gpu")
        else:
            result = landbridge.components(made, plan=plan, device="gpu")
        stream.synchronize()
        spent = time.perf_counter() - began
        if result.count != count or (problem == "components" and not bool((result.labels == labels).all())):
            self.wrong.append(f"{plan} on {graph}: a wrong answer")
        return spent

    def seconds(self, graph: str, plans: Sequence[str], problem: str = "components") -> dict[str, float]:
        """A plan that takes longer than the limit is measured once."""
        new = [plan for plan in plans if (graph, plan, problem) not in self._known]
        if new:
            spent: dict[str, list[float]] = {plan: [self._once(graph, plan, problem)] for plan in plans}
            for _ in range(self.suite.repeat):
                for plan, found in spent.items():
                    if found[0] < self.suite.limit:
                        found.append(self._once(graph, plan, problem))
            for plan, found in spent.items():
                self._known[graph, plan, problem] = statistics.median(found[1:] or found)
        return {plan: self._known[graph, plan, problem] for plan in plans}

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        import landbridge

        result = landbridge.components(self.graph(graph)[0], plan=plan, device="gpu")
        return result.profile.skipped, dict(result.profile.seconds)

    def stream(
        self, graph: str, plans: Sequence[str], few: int = 0, batch: int = 0, queries: int = 0
    ) -> dict[str, float]:
        turns = self.suite.repeat * self.suite.trials
        return self.streams(graph).race(plans, turns, self.wrong, few=few, batch=batch, queries=queries)

    def _streams(self, graph: str) -> Streams:
        pairs, queue = self.pairs(graph), self._cupy.cuda.get_current_stream()
        edges = (pairs.a.get(), pairs.b.get())
        return Streams(pairs.num_vertices, edges, self._cupy.asarray, queue.synchronize, device="gpu")

    def path_length(self, graph: str) -> tuple[float, int]:
        made, _ = self.graph(graph)
        return path_lengths(made.offsets.get(), made.a.get())

    def sort_and_gather(self) -> tuple[float, float]:
        cupy = self._cupy
        keys = cupy.random.default_rng(1).integers(0, 2**28, 2**27, dtype=np.uint32)
        table = cupy.zeros(2**28, dtype=np.uint32)
        spent = []
        for call in (keys.copy().sort, lambda: table.take(keys)):
            call()
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            call()
            end.record()
            end.synchronize()
            spent.append(cupy.cuda.get_elapsed_time(start, end) / 1e3)
        return spent[0], spent[1]
