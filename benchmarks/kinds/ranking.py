"""List ranking: every plan in turns on lists of many lengths and shapes, against the floor of random accesses; and what
the papers claim of it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.claims import ranking as claims
from benchmarks.kinds import papers
from benchmarks.machine import Quiet, cores
from benchmarks.tables import Table, latest, ratio_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.results import Record, Sink
    from benchmarks.suites import Suite

AUTO = "landbridge(auto)"
FLOOR_ROUNDS = 5


def size_of(text: str) -> int:
    """The number of elements of "random 2^20"."""
    base, _, power = text.rpartition(" ")[2].partition("^")
    return int(base) ** int(power or 1)


@cache
def shape_of(text: str) -> tuple[str, int]:
    """The generator's text, and how many lists there are."""
    shape, n = text.split(maxsplit=1)[0], size_of(text)
    lists = {"random": 1, "ordered": 1, "short": n // 8}[shape]
    return (f"linked_list({n},seed=1,lists={lists})" if shape != "ordered" else f"ordered({n})"), lists


def make(text: str) -> Any:
    """Successors: one list in random order, one in the order of its elements, or lists of 8 in random order."""
    from landbridge.edges.generators import linked_list

    n = size_of(text)
    if text.startswith("ordered"):
        return np.append(np.arange(1, n, dtype=np.int32), np.int32(-1))
    return linked_list(n, 1, shape_of(text)[1])


def right(successor: Any, ranks: Any) -> bool:
    """Whether ranks of lists known to be sound are right: one more than the successor's, and nothing at tails."""
    array: Any = np if isinstance(ranks, np.ndarray) else __import__("cupy")
    ends = (successor == array.arange(len(successor), dtype=successor.dtype)) | (successor < 0)
    expected = ranks[array.where(ends, 0, successor)] + 1
    expected[ends] = 0
    return bool((expected == ranks).all())


class ListRaces:
    """Measured times of list ranking on one engine; `Races` of the claims. A plan that names another engine runs there.

    wrong: a line for each wrong answer.
    """

    def __init__(self, suite: Suite, engine: str, threads: int) -> None:
        self.suite, self.engine, self.threads = suite, engine, threads
        self.graphs: Sequence[str] = suite.claim_lists
        self.wrong: list[str] = []
        self._known: dict[tuple[str, str], list[float]] = {}
        self._held: tuple[str, Any, Any] | None = None
        self.quiet = Quiet()
        if engine == "gpu":
            from landbridge.device import cuda

            self._cupy = cuda.cupy()
            self.device = cuda.current().name
            self._flush = self._cupy.empty(2**26, dtype=np.uint32)

    def degree(self, graph: str) -> float:
        """Links an element."""
        return 1 - shape_of(graph)[1] / size_of(graph)

    def _lists(self, text: str) -> tuple[Any, Any]:
        """The successors on the host, and where the engine wants them."""
        if self._held is None or self._held[0] != text:
            self._held = None
            host = make(text)
            self._held = (text, host, self._cupy.asarray(host) if self.engine == "gpu" else host)
        return self._held[1], self._held[2]

    def _once(self, text: str, plan: str, full: bool = False) -> tuple[float, Any]:
        import landbridge

        host, there = self._lists(text)
        successor = host if plan.endswith("@cpu") else there
        if self.engine == "gpu":
            self._flush.fill(0)
            self._cupy.cuda.Device().synchronize()
        self.quiet.start()
        began = time.perf_counter()
        ranks = landbridge.rank_list(successor, plan=plan, threads=self.threads, full=full)
        if self.engine == "gpu":
            self._cupy.cuda.Device().synchronize()
        spent = time.perf_counter() - began
        self.quiet.stop()
        return spent, ranks

    def times(self, text: str, plans: Sequence[str]) -> dict[str, list[float]]:
        """Seconds of each plan, which take turns; the first of a plan warms it up and is checked. One that takes longer
        than the limit takes one turn only."""
        found: dict[str, list[float]] = {}
        for plan in plans:
            if (text, plan) in self._known:
                continue
            host, there = self._lists(text)
            spent, ranks = self._once(text, plan)
            if not right(host if plan.endswith("@cpu") else there, ranks):
                self.wrong.append(f"{plan} on {text}: a wrong answer")
            del ranks
            found[plan] = [spent]
        for _ in range(self.suite.repeat):
            for plan, spent_so_far in found.items():
                if spent_so_far[0] < self.suite.limit and sum(spent_so_far) < self.suite.budget:
                    spent_so_far.append(self._once(text, plan)[0])
        for plan, spent_so_far in found.items():
            self._known[text, plan] = spent_so_far[1:] or spent_so_far
        return {plan: self._known[text, plan] for plan in plans}

    def seconds(self, graph: str, plans: Sequence[str], problem: str = "list_ranking") -> dict[str, float]:
        assert problem == "list_ranking", problem
        return {plan: statistics.median(found) for plan, found in self.times(graph, plans).items()}

    def profile(self, graph: str, plan: str) -> tuple[float, dict[str, float]]:
        """The share of the time in which a GPU waited for the CPU, and seconds by phase."""
        runs = [self._once(graph, plan, full=True)[1].profile.seconds for _ in range(3)]
        phases = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        idle = phases.get("idle", 0.0)
        return idle / phases["remove"] if idle else 0.0, phases

    def floor(self, text: str) -> float:
        """Seconds of as many independent random reads as there are elements, and on a GPU writes as well: what a method
        that touches each element once in the order of the list cannot go below if it writes where it reads."""
        host, there = self._lists(text)
        reads = self._gpu_floor(there) if self.engine == "gpu" else self._cpu_floor(host)
        reads()
        best = float("inf")
        for _ in range(FLOOR_ROUNDS):
            began = time.perf_counter()
            reads()
            best = min(best, time.perf_counter() - began)
        return best

    def _cpu_floor(self, table: Any) -> Callable[[], object]:
        from landbridge import _core

        return lambda: _core.read_at_random(table, len(table), self.threads)

    def _gpu_floor(self, table: Any) -> Callable[[], object]:
        cupy = self._cupy
        kernel = cupy.RawKernel(_GPU_FLOOR, "touch_at_random")
        out = cupy.empty_like(table)
        blocks = cupy.cuda.Device().attributes["MultiProcessorCount"] * 16

        def run() -> None:
            kernel((blocks,), (256,), (table, out, np.uint32(len(table))))
            cupy.cuda.Device().synchronize()

        return run


_GPU_FLOOR = r"""
__device__ unsigned scatter(unsigned i, unsigned n) {
  i *= 0x9e3779b1u, i = (i ^ i >> 15) * 0x85ebca77u, i ^= i >> 13;
  return (unsigned)((unsigned long long)i * n >> 32);
}
extern "C" __global__ void touch_at_random(const int* in, int* out, unsigned n) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[scatter(i + 12345u, n)] = in[scatter(i, n)];
  }
}
"""


def run(sink: Sink) -> None:
    """On CPU threads."""
    for threads in sink.suite.threads:
        measure(sink, ListRaces(sink.suite, "cpu", threads or cores()), threads=threads or cores())


def run_gpu(sink: Sink) -> None:
    """On one GPU, lists and ranks in its memory."""
    races = ListRaces(sink.suite, "gpu", cores())
    measure(sink, races, device=races.device)


def measure(sink: Sink, races: ListRaces, **more: Any) -> None:
    """Every plan on every list, and the claims. A plan that would take longer than the limit, judged by its time for an
    element of the last list of this shape, is left out."""
    suite = sink.suite
    pace: dict[tuple[str, str], float] = {}
    for text in suite.lists:
        n, shape = size_of(text), text.split()[0]
        plans = [plan for plan in suite.landbridge if plan == "auto" or pace.get((shape, plan), 0.0) * n < suite.limit]
        races.quiet = Quiet()
        found = races.times(text, plans)
        floor = races.floor(text)
        called, lists = shape_of(text)
        graph = {"name": text, "text": called, "n": n, "m": n, "components": lists}
        for plan, times in found.items():
            pace[shape, plan] = min(times) / n
            record = sink.add(
                f"landbridge({plan})",
                times,
                graph=graph,
                floor_s=float(f"{floor:.6g}"),
                quiet=races.quiet.report(),
                **more,
            )
            each, over = record["median"] / n * 1e9, record["median"] / floor
            sink.say(f"{text:14} {plan:28} {each:9.3f} ns an element, {over:7.2f} of the floor")
    if suite.claim_lists:
        papers.check(sink, races, claims.CLAIMS, **more)
    for wrong in races.wrong:
        sink.fail(wrong)


def _of_lists(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if record["unit"] == "s"]


def lists_table(records: Sequence[Record]) -> Table:
    """Nanoseconds an element of each plan, the floor, and the default plan over it."""
    chosen = latest(_of_lists(records))
    names = list(dict.fromkeys(record["contestant"] for record in chosen))
    table = Table(["list", *(name.removeprefix("landbridge(")[:-1] for name in names), "floor", "auto over the floor"])
    rows: dict[str, dict[str, Record]] = {}
    for record in chosen:
        rows.setdefault(record["graph"]["name"], {})[record["contestant"]] = record
    for name, row in rows.items():
        some = next(iter(row.values()))
        n, floor = some["graph"]["n"], some["floor_s"]
        cells = [f"{row[plan]['median'] / n * 1e9:.3g}" if plan in row else "" for plan in names]
        over = ratio_text(row[AUTO]["median"] / floor) if AUTO in row else ""
        table.rows.append([name, *cells, f"{floor / n * 1e9:.3g}", over])
    return table


def speed_lines(records: Sequence[Record]) -> str:
    """The default plan against one walk for each list, from the largest list that both ranked."""
    rows: dict[str, dict[str, Record]] = {}
    for record in latest(_of_lists(records)):
        rows.setdefault(record["graph"]["name"], {})[record["contestant"]] = record
    both = [row for row in rows.values() if {AUTO, "landbridge(serial)"} <= set(row)]
    random = [row for row in both if row[AUTO]["graph"]["name"].startswith("random")]
    if not random:
        return ""
    row = max(random, key=lambda r: int(r[AUTO]["graph"]["n"]))
    gain = row["landbridge(serial)"]["median"] / row[AUTO]["median"]
    threads = row[AUTO].get("threads", 1)
    name = row[AUTO]["graph"]["name"]
    return f"On `{name}` the default plan is **{gain:.3g}x** as fast as one walk, with {threads} threads."


def claims_lines(records: Sequence[Record]) -> str:
    """The table of claims."""
    chosen = [record for record in records if record["unit"] == "ratio"]
    return papers.claims_table(chosen).markdown() if chosen else "No results yet."


def summary(records: list[Record]) -> str:
    return "\n\n".join(filter(None, [lists_table(records).markdown(), speed_lines(records), claims_lines(records)]))


def draw(records: Sequence[Record], path: Any) -> None:
    """Nanoseconds an element over the length of random lists, a line for each plan, and the floor."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    mpl.rcParams["svg.hashsalt"] = "landbridge"
    chosen = [r for r in latest(_of_lists(records)) if r["graph"]["name"].startswith("random")]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for name in dict.fromkeys(record["contestant"] for record in chosen):
        points = sorted(
            (r["graph"]["n"], r["median"] / r["graph"]["n"] * 1e9) for r in chosen if r["contestant"] == name
        )
        width = 2.2 if name == AUTO else 1.0
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=width, label=name[11:-1])
    floor = sorted({(r["graph"]["n"], r["floor_s"] / r["graph"]["n"] * 1e9) for r in chosen})
    axes.plot(*zip(*floor, strict=True), color="black", linestyle="--", label="floor")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("elements of a random list")
    axes.set_ylabel("ns an element")
    axes.legend(fontsize="x-small", ncols=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
