"""Measured times of list ranking on one engine: the races of its claims and of its suites."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import landbridge
from benchmarks.check import check_ranks
from benchmarks.claims.races import median_phases
from benchmarks.gpu import Gpu
from benchmarks.gpu_runs import compiler_options
from benchmarks.list_cases import list_case, shape_of, size_of
from benchmarks.suites import Suite
from benchmarks.turns import Entrant, Tally, interleave
from landbridge import _core
from peers.timing import Timed, timed

BOUND_ROUNDS = 5

TOUCH = r"""
#include "landbridge/random.hpp"
__device__ unsigned scatter(unsigned i, unsigned n) {
  return (unsigned)((unsigned long long)lb::scramble32(i) * n >> 32);
}
extern "C" __global__ void touch_at_random(const int* in, int* out, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[scatter(i + 12345u, n)] = in[scatter(i, n)];
  }
}
"""
"""A kernel that reads and writes as many independent random words as there are."""


class ListRaces:
    """Plans in turns on lists such as "random 2^20"; `Races` of the claims. A plan that names an engine runs there.

    gpu: None on CPU threads. problems: a line for each wrong answer.
    """

    def __init__(self, suite: Suite, gpu: Gpu | None, threads: int) -> None:
        self.suite, self.gpu, self.threads = suite, gpu, threads
        self.engine = "cpu" if gpu is None else "gpu"
        self.graphs: Sequence[str] = suite.claim_lists
        self.problems: list[str] = []
        self._tallies: dict[tuple[str, str], Tally] = {}
        self._lists = lru_cache(1)(self._make)

    def degree(self, graph: str) -> float:
        """Links an element."""
        return 1 - shape_of(graph)[1] / size_of(graph)

    def _make(self, name: str) -> tuple[Any, Any]:
        """The successors on the host, and where the engine reads them."""
        host = list_case(name).successor
        return host, host if self.gpu is None else self.gpu.cupy.asarray(host)

    def _entrant(self, name: str, plan: str) -> Entrant:
        host, on_engine = self._lists(name)
        successor = host if plan.endswith("@cpu") else on_engine
        call = partial(landbridge.rank_list, successor, plan=plan, threads=self.threads)
        clock: dict[str, Any] = {} if self.gpu is None else {"before": self.gpu.ready, "wait": self.gpu.wait}

        def check(turn: Timed) -> None:
            check_ranks(f"{plan} on {name}", successor, turn.result)

        turn = partial(timed, call, warm_up=False, **clock)
        return Entrant(f"landbridge({plan})", turn, check, threads=self.threads)

    def tallies(self, name: str, plans: Sequence[str]) -> dict[str, Tally]:
        """The turns of each plan, behind one that is not recorded; one that takes longer than the limit takes one only.

        Plans that were measured before keep their times.
        """
        new = [plan for plan in plans if (name, plan) not in self._tallies]
        suite = self.suite
        entrants = [self._entrant(name, plan) for plan in new]
        tallies = interleave(entrants, repeat=suite.repeat, warm_up=True, budget=suite.budget, limit=suite.limit)
        for plan, tally in zip(new, tallies, strict=True):
            self._tallies[name, plan] = tally
            if tally.problem:
                self.problems.append(tally.problem)
        return {plan: self._tallies[name, plan] for plan in plans}

    def seconds(self, graph: str, plans: Sequence[str], problem: str = "list_ranking") -> dict[str, float]:
        assert problem == "list_ranking", problem
        return {plan: tally.median for plan, tally in self.tallies(graph, plans).items() if tally.times}

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        """The share of the time in which a GPU waited for the CPU, and seconds by phase."""
        _, successor = self._lists(graph)
        call = partial(landbridge.rank_list, successor, plan=plan, threads=self.threads, full=True)
        phases = median_phases(call().profile.seconds for _ in range(3))
        idle = phases.get("idle", 0.0)
        return idle / phases["remove"] if idle else 0.0, phases

    def lower_bound(self, name: str) -> float:
        """Seconds of as many independent random reads as there are elements, and on a GPU writes as well: the least for
        a method that touches each element once in the order of the list, and writes where it reads."""
        host, on_engine = self._lists(name)
        if self.gpu is None:
            reads: Callable[[], object] = partial(_core.read_at_random, host, len(host), self.threads)
            return min(timed(reads, BOUND_ROUNDS).seconds)
        return min(timed(self._touch(self.gpu, on_engine), BOUND_ROUNDS, wait=self.gpu.wait).seconds)

    @staticmethod
    def _touch(gpu: Gpu, table: Any) -> Callable[[], object]:
        kernel = gpu.cupy.RawKernel(TOUCH, "touch_at_random", options=compiler_options())
        blocks = gpu.cupy.cuda.Device().attributes["MultiProcessorCount"] * 16
        size = gpu.cupy.uint32(len(table))
        return partial(kernel, (blocks,), (256,), (table, gpu.cupy.empty_like(table), size))
