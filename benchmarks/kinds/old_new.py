"""Two source trees of landbridge in turns: how the time of each case has changed.

A process for each tree imports landbridge from there and uses its public functions alone, so a tree from before a
change of everything inside can be compared. Both get the same arrays; every timed answer is checked. In a turn a
process makes several calls, of which the fastest counts. A case has two ratios of new over old: the median over pairs
of turns, and that of the fastest calls of all. Other work on the machine moves the one or the other, a slower program
both: a case misses the bar if both do, after more turns.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

import landbridge
from benchmarks.cases import describe_graph, load_case
from benchmarks.check import WrongAnswer
from benchmarks.gpu_cases import generated
from benchmarks.kinds.base import Kind
from benchmarks.list_cases import list_case
from benchmarks.machine import commit_of
from benchmarks.process import Process
from benchmarks.records import Record, grouped
from benchmarks.sink import Sink
from benchmarks.streams import shuffled
from benchmarks.suites import Suite
from benchmarks.tables import Table, geometric_mean
from benchmarks.turns import Entrant, Tally, take_turn
from peers.base import PeerFailed
from peers.timing import Timed

LEAST_TURN_S = {"cpu": 0.05, "gpu": 0.02}
MOST_TRIALS = {"cpu": 200, "gpu": 50}
"""A turn makes as many calls as take `LEAST_TURN_S`, at least the suite's `trials` and at most so many."""


def import_folder(tree: Path) -> Path:
    """The folder from which a source tree, or a folder that landbridge was installed into, is imported.

    Raises ValueError where there is no landbridge.
    """
    for folder in (tree / "src", tree):
        if (folder / "landbridge" / "__init__.py").is_file():
            return folder.resolve()
    raise ValueError(f"--against {tree}: neither src/landbridge nor landbridge is there")


class Tree:
    """One of the two trees: its process, started again after it ended, with the loaded case."""

    def __init__(self, label: str, folder: Path, device: str, limit: float) -> None:
        self.label, self.folder, self.device, self.limit = label, folder, device, limit
        self.place: dict[str, Any] | None = None
        self._process: Process | None = None
        self._case: dict[str, Any] | None = None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request to a process that has the case. Raises PeerFailed, WrongAnswer."""
        try:
            if self._process is None or not self._process.alive:
                self._start()
            assert self._process is not None
            return self._process.ask(request, self.limit)
        except PeerFailed as error:
            raise PeerFailed(f"{self.label}: {error}") from None

    def _start(self) -> None:
        self.close()
        self._process = Process("benchmarks.tree_worker", search=[self.folder])
        reply = self._process.ask({"what": "where", "device": self.device}, self.limit)
        if self.folder not in Path(reply["file"]).parents:
            raise PeerFailed(f"landbridge was imported from {reply['file']} instead of {self.folder}")
        self.place = reply["gpu"]
        if self._case is not None:
            self._process.ask(self._case, self.limit)

    def load(self, case: dict[str, Any]) -> None:
        """Load a case in the place of the last one. Raises PeerFailed."""
        self._case = None
        self.ask({"what": "load", **case})
        self._case = {"what": "load", **case}

    def turn(self, request: dict[str, Any]) -> Timed:
        reply = self.ask({"what": "turn", **request})
        return Timed(tuple(reply["seconds"]), None, reply["cpu_over_wall"], reply["plan"])

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


@dataclass(frozen=True)
class Task:
    """What is timed on a loaded case: a problem and a plan, on the CPU's clock or between events ("device")."""

    problem: str
    plan: str
    timing: str
    batch: int = 0

    @property
    def form(self) -> str:
        return f"{self.problem}, batches of {self.batch:,}" if self.batch else self.problem

    def request(self, trials: int) -> dict[str, Any]:
        task = {"problem": self.problem, "plan": self.plan, "timing": self.timing, "batch": self.batch}
        return {**task, "trials": trials}


def tasks_of(row: dict[str, Any], device: str) -> Iterator[Task]:
    """The tasks of a row of the suite's `cases`."""
    for problem in row["problems"]:
        timings = ("wall", "device") if device == "gpu" and problem != "stream" else ("wall",)
        for plan in row.get("plans", ["auto"]):
            for batch in row.get("batches", [0]):
                for timing in timings:
                    yield Task(problem, plan, timing, batch)


def write_case(folder: Path, name: str, problem: str, device: str) -> dict[str, Any]:
    """Write the arrays of a graph or of lists as .npy files; return what a record says of them."""
    if problem == "list":
        lists = list_case(name)
        arrays, about = {"successor": lists.successor}, lists.describe()
    elif device == "gpu":
        source = generated(name)
        arrays, about = {"u": source.u, "v": source.v, "labels": source.labels}, source.describe()
    else:
        graph = load_case(name)
        about = describe_graph(graph)
        u, v = shuffled(graph.source, graph.target)
        form = {"u": u, "v": v} if problem == "stream" else {"offsets": graph.offsets, "neighbors": graph.neighbors}
        arrays = {**form, "labels": graph.labels}
    for key, array in arrays.items():
        np.save(folder / f"{key}.npy", array)
    return about


@dataclass
class Pair:
    """Both trees on one task: their tallies, and the ratio of each pair of turns."""

    old: Tally
    new: Tally
    trials: int

    @classmethod
    def of(cls, trees: tuple[Tree, Tree], task: Task, trials: int) -> Pair:
        """Warm up both trees, and choose how many calls a turn makes."""
        slowest = 0.0
        for tree in trees:
            slowest = max(slowest, min(tree.turn(task.request(1)).seconds))
        device = trees[0].device
        calls = min(max(trials, int(LEAST_TURN_S[device] / max(slowest, 1e-9))), MOST_TRIALS[device])
        old, new = (
            Tally(Entrant(t.label, partial(t.turn, task.request(calls)), lambda turn: None, task.timing, lasting=True))
            for t in trees
        )
        return cls(old, new, calls)

    def take_turns(self, repeat: int) -> None:
        """Both take `repeat` turns, each of them first in every other pair."""
        for i in range(repeat):
            for tally in (self.old, self.new) if i % 2 == 0 else (self.new, self.old):
                if not self.problem:
                    take_turn(tally)

    @property
    def problem(self) -> str:
        return self.old.problem or self.new.problem

    def turns(self, tally: Tally) -> list[float]:
        """The fastest call of each turn."""
        return [min(tally.times[i : i + self.trials]) for i in range(0, len(tally.times), self.trials)]

    def ratios(self) -> list[float]:
        """New over old of each pair of turns."""
        return [new / old for old, new in zip(self.turns(self.old), self.turns(self.new), strict=True)]

    def of_fastest(self) -> float:
        """New over old of the fastest calls."""
        return min(self.new.times) / min(self.old.times)

    def slower_than(self, bar: float) -> bool:
        """Whether both ratios are above the bar."""
        return not self.problem and min(median(self.ratios()), self.of_fastest()) > bar


def run(sink: Sink) -> None:
    """Time every case of the suite. `bars.ratio`: the most that new may take over old."""
    suite = sink.suite
    folders = import_folder(Path(suite.against)), Path(landbridge.__file__).resolve().parents[1]
    with ExitStack() as stack:
        trees = tuple(
            Tree(label, folder, suite.device, suite.limit)
            for label, folder in zip(("old", "new"), folders, strict=True)
        )
        for tree in trees:
            stack.callback(tree.close)
        for row in suite.cases:
            for name in row["on"]:
                if name in (suite.graphs or [name]):
                    with tempfile.TemporaryDirectory(prefix="landbridge-old-new-") as folder:
                        about = write_case(Path(folder), name, row["problems"][0], suite.device)
                        measure(sink, trees, Path(folder), about, row)


def measure(sink: Sink, trees: tuple[Tree, ...], folder: Path, about: dict[str, Any], row: dict[str, Any]) -> None:
    """Time the tasks of a row on one case."""
    old, new = trees
    case = {"folder": str(folder), "name": about["name"], "count": about["components"], "problem": row["problems"][0]}
    try:
        for tree in trees:
            tree.load(case)
    except PeerFailed as error:
        sink.fail(f"{about['name']}: {error}")
        return
    if new.place is not None:
        sink.place = new.place
    for task in tasks_of(row, sink.suite.device):
        where = f"{task.plan} on {about['name']}, {task.form}"
        try:
            pair = Pair.of((old, new), task, sink.suite.trials)
        except (PeerFailed, WrongAnswer) as error:
            sink.fail(f"{where}: {error}")
            continue
        pair.take_turns(sink.suite.repeat)
        if pair.slower_than(sink.suite.bars["ratio"]):
            pair.take_turns(sink.suite.final)
        if pair.problem:
            sink.fail(f"{where}: {pair.problem}")
            continue
        add(sink, pair, task, about, commit_of(old.folder) or "unknown")


def add(sink: Sink, pair: Pair, task: Task, about: dict[str, Any], against: str) -> None:
    """Record one task on one case. against: the commit of the old tree, or "unknown"."""
    old_s, new_s = (median(pair.turns(tally)) for tally in (pair.old, pair.new))
    record = sink.add(
        f"landbridge({task.plan})", pair.ratios(), unit="ratio", graph=about, form=task.form, timing=task.timing,
        plan=pair.new.detail, old_plan=pair.old.detail, old_s=old_s, new_s=new_s, of_fastest=pair.of_fastest(),
        against=against,
    )  # fmt: skip
    shown = f"{record['median']:.3f} (of the fastest {pair.of_fastest():.3f})"
    sink.say(f"  {shown}  {new_s * 1e3:10.3f} ms  {title(record)}")
    if pair.slower_than(sink.suite.bars["ratio"]):
        sink.fail(f"{title(record)}: {shown} times the old time; the bar is {sink.suite.bars['ratio']}")


def title(record: Record) -> str:
    """The case of a record in words."""
    return f"{record['form']}, {record['graph']['name']}, {record['contestant'][11:-1]}, {record['timing']}"


def ratio_lines(records: list[Record]) -> Table:
    """The ratios of each case with the quartiles of its pairs, the worst first."""
    table = Table(["new over old", "quartiles", "of the fastest", "old, ms", "new, ms", "case"])
    for record in sorted(records, key=badness, reverse=True):
        values = record["values"]
        low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else (values[0],) * 3
        case = title(record) + ("" if record["plan"] == record["old_plan"] else ", by another plan")
        times = [f"{record[key] * 1e3:.4g}" for key in ("old_s", "new_s")]
        ratios = [f"{record['median']:.3f}", f"{low:.3f} to {high:.3f}", f"{record['of_fastest']:.3f}"]
        table.rows.append([*ratios, *times, case])
    return table


def badness(record: Record) -> float:
    """The smaller of the two ratios of a case."""
    return min(float(record["median"]), float(record["of_fastest"]))


def summary(records: list[Record]) -> str:
    """The table, the mean of each problem, and the worst case."""
    if not records:
        return ""
    lines = [ratio_lines(records).markdown()]
    for problem, group in grouped(records, lambda r: f"{r['form'].partition(',')[0]}, {r['timing']}").items():
        mean = geometric_mean(record["median"] for record in group)
        lines.append(f"{problem}: geometric mean of {len(group)} cases {mean:.3f}")
    worst = max(records, key=badness)
    lines.append(f"The worst case, by the smaller of its ratios: {badness(worst):.3f}, {title(worst)}.")
    return "\n".join(lines)


def check_tree(suite: Suite) -> None:
    """Raise ValueError where there is no other tree to compare with."""
    if not suite.against:
        raise ValueError(f"{suite.name} compares two source trees: name the other one with --against")
    import_folder(Path(suite.against))


def cases_of(suite: Suite) -> set[str]:
    return {name for row in suite.cases for name in row.get("on", ())}


KIND = Kind(
    run,
    summary,
    frozenset({"device", "cases", "graphs", "against", "repeat", "trials", "final", "limit", "bars"}),
    graphs=cases_of,
    requires=check_tree,
)
