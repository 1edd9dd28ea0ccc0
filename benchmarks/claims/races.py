"""Measured times for the claims: on CPU threads in a worker process that a limit stops, or on one GPU."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import landbridge
from benchmarks.cases import load_case, save_case
from benchmarks.check import check_answer, check_count, check_labels
from benchmarks.claims.paths import path_lengths
from benchmarks.gpu import Gpu
from benchmarks.gpu_arrays import upper_edges
from benchmarks.gpu_cases import DeviceCase, generated, on_device
from benchmarks.streams import shuffled, time_stream, with_queries
from benchmarks.suites import Suite
from benchmarks.turns import Entrant, interleave
from benchmarks.worker import Runner
from landbridge.edges.forms import Adjacency
from landbridge.edges.generators import generate
from landbridge.plan import parse
from peers.base import Answer, Case
from peers.timing import Timed, timed

CONTESTANT = {"components": "landbridge({})", "forest": "landbridge forest({})"}
Key = tuple[str, str, str]


class Times:
    """Medians of plans that took turns, by graph, plan and problem; None for a plan that failed.

    A plan measured before keeps its time, unless another one of the race is new: then all take turns again, but those
    that failed.
    """

    def __init__(self, problems: list[str]) -> None:
        self._medians: dict[Key, float | None] = {}
        self._problems = problems

    def race(
        self, graph: str, plans: Sequence[str], problem: str, entrant: Callable[[str], Entrant], **rules: Any
    ) -> dict[str, float]:
        """Seconds of each plan that has a time. entrant: makes one ready. rules: of `interleave`."""
        medians = self._medians
        if any((graph, plan, problem) not in medians for plan in plans):
            running = [plan for plan in plans if medians.get((graph, plan, problem), 0.0) is not None]
            for plan, tally in zip(running, interleave([entrant(plan) for plan in running], **rules), strict=True):
                medians[graph, plan, problem] = tally.median if tally.times else None
                if tally.problem:
                    self._problems.append(tally.problem)
        seconds = {plan: medians[graph, plan, problem] for plan in plans}
        return {plan: median for plan, median in seconds.items() if median is not None}


class Streams:
    """Streams of one graph's edges. put: takes an array to where the engine reads it. wait: see `time_stream`. engine:
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
        self, plans: Sequence[str], turns: int, problems: list[str], *, few: int, batch: int, queries: int
    ) -> dict[str, float]:
        """As `Races.stream`, behind a turn that is not recorded. A plan that ends with another number of components
        than the CPU engine counts in the same edges has no time, and a line in `problems`.
        """
        u, v = (side[: few or None] for side in (self.u, self.v))
        count = landbridge.components((u, v), num_vertices=self.n, device="cpu").count
        operations = tuple(map(self.put, with_queries(u, v, self.n, queries) if queries else (u, v)))
        total = len(operations[0])

        def entrant(plan: str) -> Entrant:
            def turn() -> Timed:
                stream = landbridge.Incremental(self.n, plan=plan, **self.engine)
                seconds, components = time_stream(stream, operations, batch or total, self.wait)
                return Timed((seconds / total,), components)

            return Entrant(
                plan, turn, lambda turn: check_count(f"{plan} in a stream", turn.result, count, "components")
            )

        tallies = interleave([entrant(plan) for plan in plans], repeat=turns, warm_up=True)
        problems += [tally.problem for tally in tallies if tally.problem]
        return {tally.entrant.name: tally.median for tally in tallies if tally.times}


class StreamRaces:
    """Races of streams, on the engine of a subclass. problems: a line for each wrong answer."""

    suite: Suite
    problems: list[str]
    streams: Callable[[str], Streams]

    def stream(
        self, graph: str, plans: Sequence[str], few: int = 0, batch: int = 0, queries: int = 0
    ) -> dict[str, float]:
        turns = self.suite.repeat * self.suite.trials
        return self.streams(graph).race(plans, turns, self.problems, few=few, batch=batch, queries=queries)


def share_seconds(
    text: str, shares: Sequence[float], turns: int, problems: list[str], **where: Any
) -> dict[float, float]:
    """As `Races.shares`: medians of turns, behind one that is not recorded. A wrong answer is a line in `problems`.

    where: the processors and threads.
    """
    edges = generate(text)
    graph = landbridge.Graph((edges.u, edges.v), num_vertices=int(edges.num_vertices or 0))
    labels = landbridge.components(graph, device="cpu").labels
    seconds: dict[float, list[float]] = {t: [] for t in shares}
    for turn in range(turns + 1):
        for t in shares:
            plan = f"banerjee_kothapalli(t={t})"
            result = landbridge.components(graph, plan=plan, **where)
            if not np.array_equal(result.labels, labels):
                problems.append(f"{plan} on {text}: a wrong answer")
            if turn:
                seconds[t].append(result.profile.seconds["blocks"] + result.profile.seconds["cross"])
    return {t: statistics.median(row) for t, row in seconds.items()}


class CpuRaces(StreamRaces):
    """Plans in turns on CPU threads, one worker process a graph. Use as a context manager."""

    engine = "cpu"

    def __init__(self, suite: Suite, threads: int) -> None:
        self.suite, self.threads = suite, threads
        self.graphs: Sequence[str] = suite.graphs
        self.problems: list[str] = []
        self._times = Times(self.problems)
        self._folder = tempfile.TemporaryDirectory(prefix="landbridge-claims-")
        self._runners: dict[str, Runner] = {}
        self.case = cache(self._case)
        self.graph = cache(self._graph)
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
        case, suite = self.case(graph), self.suite

        def entrant(plan: str) -> Entrant:
            name = CONTESTANT[problem].format(plan)

            def check(answer: Answer) -> None:
                check_answer(name, case, answer, exact=False)  # the worker has compared the labels

            return Entrant(name, partial(self._runners[graph].turn, name, suite.trials), check, lasting=True)

        return self._times.race(graph, plans, problem, entrant, repeat=suite.repeat, budget=suite.budget)

    def _graph(self, graph: str) -> landbridge.Graph:
        case = self.case(graph)
        return landbridge.Graph(Adjacency(case.offsets, case.neighbors, symmetric=True))

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        one = partial(landbridge.components, self.graph(graph), plan=plan, threads=self.threads, device="cpu")
        runs = [one().profile for _ in range(5)]
        return runs[0].skipped, median_phases(run.seconds for run in runs)

    def _streams(self, graph: str) -> Streams:
        case = self.case(graph)
        return Streams(case.num_vertices, (case.source, case.target), device="cpu", threads=self.threads)

    def rounds(self, text: str, plan: str) -> tuple[int, float]:
        edges = generate(text)
        graph = landbridge.Graph((edges.u, edges.v), num_vertices=int(edges.num_vertices or 0))
        labels = landbridge.components(graph, threads=self.threads, device="cpu").labels
        rounds = []
        for _ in range(self.suite.repeat):
            result = landbridge.components(graph, plan=plan, threads=self.threads, device="cpu")
            if not np.array_equal(result.labels, labels):
                self.problems.append(f"{plan} on {text}: a wrong answer")
            rounds.append(int(result.profile.rounds or 0))
        return graph.num_vertices, statistics.median(rounds)

    def shares(self, text: str, shares: Sequence[float]) -> dict[float, float]:
        where = {"devices": ["cpu", "cpu"], "threads": self.threads}
        return share_seconds(text, shares, self.suite.repeat, self.problems, **where)

    def path_length(self, graph: str) -> tuple[float, int]:
        case = self.case(graph)
        return path_lengths(case.offsets, case.neighbors)

    def sort_and_gather(self) -> tuple[float, float]:
        keys = np.random.default_rng(1).integers(0, 2**25, 2**24, dtype=np.uint32)
        table = np.zeros(2**25, dtype=np.uint32)
        sort, gather = (timed(call, 3, warm_up=False) for call in (lambda: np.sort(keys), lambda: table[keys]))
        return min(sort.seconds), min(gather.seconds)


def median_phases(runs: Iterable[Any]) -> dict[str, float]:
    """The median seconds of each phase over several profiles."""
    profiles = list(runs)
    return {name: statistics.median(run[name] for run in profiles) for name in profiles[0]}


class GpuRaces(StreamRaces):
    """Plans in turns on one GPU, whole calls on graphs in its memory, with a flushed L2 cache before each."""

    engine = "gpu"

    def __init__(self, suite: Suite) -> None:
        self.suite = suite
        self.graphs: Sequence[str] = suite.graphs
        self.gpu = Gpu()
        self.problems: list[str] = []
        self._times = Times(self.problems)
        self.case = cache(self._case)
        self.pairs = cache(self._pairs)
        self.streams = cache(self._streams)

    def _case(self, name: str) -> DeviceCase:
        return on_device(self.gpu, generated(name))

    def _pairs(self, name: str) -> landbridge.Graph:
        """Each undirected edge once."""
        case = self.case(name)
        edges = upper_edges(self.gpu.cupy, case.offsets, case.neighbors)
        return landbridge.Graph(edges, num_vertices=case.num_vertices)

    def degree(self, graph: str) -> float:
        case = self.case(graph)
        return case.num_arcs / max(case.num_vertices, 1)

    def seconds(self, graph: str, plans: Sequence[str], problem: str = "components") -> dict[str, float]:
        """A plan that takes longer than the limit is measured once."""
        case = self.case(graph)
        solve: Any = {"components": landbridge.components, "forest": landbridge.spanning_forest}[problem]

        def entrant(plan: str) -> Entrant:
            # The graph as the plan reads it, so that no run pays for another layout.
            form = self.pairs(graph) if parse(plan).layout == "coo" else case.graph
            call = partial(solve, form, plan=plan, device="gpu")

            def check(turn: Timed) -> None:
                check_count(f"{plan} on {graph}", turn.result.count, case.count, "components")
                if problem == "components":
                    check_labels(plan, case, turn.result.count, turn.result.labels)

            return Entrant(plan, partial(timed, call, warm_up=False, before=self.gpu.ready, wait=self.gpu.wait), check)

        rules = {"repeat": self.suite.repeat, "warm_up": True, "limit": self.suite.limit}
        return self._times.race(graph, plans, problem, entrant, **rules)

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        result = landbridge.components(self.case(graph).graph, plan=plan, device="gpu")
        return result.profile.skipped, dict(result.profile.seconds)

    def _streams(self, graph: str) -> Streams:
        case = self.case(graph)
        u, v = (array.get() for array in upper_edges(self.gpu.cupy, case.offsets, case.neighbors))
        return Streams(case.num_vertices, (u, v), self.gpu.cupy.asarray, self.gpu.wait, device="gpu")

    def shares(self, text: str, shares: Sequence[float]) -> dict[float, float]:
        return share_seconds(text, shares, self.suite.repeat, self.problems, devices=["cpu", 0])

    def path_length(self, graph: str) -> tuple[float, int]:
        case = self.case(graph)
        return path_lengths(case.offsets.get(), case.neighbors.get())

    def sort_and_gather(self) -> tuple[float, float]:
        cupy = self.gpu.cupy
        keys = cupy.random.default_rng(1).integers(0, 2**28, 2**27, dtype=np.uint32)
        table = cupy.zeros(2**28, dtype=np.uint32)
        sort, gather = keys.copy().sort, partial(table.take, keys)
        for call in (sort, gather):
            call()
        return self.gpu.seconds(sort), self.gpu.seconds(gather)
