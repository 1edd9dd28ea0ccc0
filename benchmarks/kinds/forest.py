"""Spanning forests: the plan of "auto", beside the components of the same plan and the forests of other codes.

Form "rows": symmetric rows, as the suite `cpu` hands them over. Form "pairs": each undirected edge once,
as int32 arrays.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.cases import load_case
from benchmarks.contestants import FROM_PAIRS, Landbridge
from benchmarks.machine import Quiet
from benchmarks.results import describe_graph
from benchmarks.tables import Table, geometric_mean, ratio_text
from peers.forests import FORESTS

if TYPE_CHECKING:
    from benchmarks.results import Record, Sink
    from peers.base import Case

FOREST, COMPONENTS = "landbridge(forest)", "landbridge(components)"
FORMS = {"rows": "", "pairs": FROM_PAIRS}


@dataclass(frozen=True)
class Race:
    """calls: what is timed, by contestant. wrong: what is wrong with an answer of each, or ""."""

    form: str
    plan: str
    calls: dict[str, Callable[[], Any]]
    wrong: dict[str, Callable[[Any], str]]


def peer_names() -> set[str]:
    return set(FORESTS)


def run(sink: Sink) -> None:
    suite = sink.suite
    ready = {}
    for name in suite.peers:
        try:
            __import__(FORESTS[name].module)
        except ImportError as error:
            sink.say(f"skipped: {name}: {error}")
        else:
            ready[name] = FORESTS[name]
    sink.packages = sorted({peer.module for peer in ready.values()})
    for graph in suite.graphs:
        case = load_case(graph)
        for form, words in FORMS.items():
            measure(sink, case, ours(case, form, Landbridge("auto" + words).build(case)))
        calls = {name: partial(peer.solve, peer.build(case)) for name, peer in ready.items()}
        measure(sink, case, Race("", "", calls, {n: partial(has_edges, case, p.edges) for n, p in ready.items()}))


def ours(case: Case, form: str, graph: Any) -> Race:
    """A forest and the labels, by the plan that is chosen for the forest."""
    import landbridge
    from landbridge.errors import CheckFailed

    plan = landbridge.spanning_forest(graph).plan

    def wrong_forest(answer: Any) -> str:
        try:
            landbridge.check_forest(graph, answer)
        except CheckFailed as error:
            return str(error)
        return "" if answer.count == case.count else f"{answer.count} trees instead of {case.count}"

    def wrong_labels(answer: Any) -> str:
        return "" if (answer.labels == case.labels).all() else "other labels than SciPy's"

    calls = {
        COMPONENTS: partial(landbridge.components, graph, plan=plan),
        FOREST: partial(landbridge.spanning_forest, graph, plan=plan),
    }
    return Race(form, plan, calls, {COMPONENTS: wrong_labels, FOREST: wrong_forest})


def has_edges(case: Case, count: Callable[[Any], int], answer: Any) -> str:
    wanted = case.num_vertices - case.count
    return "" if count(answer) == wanted else f"{count(answer)} edges instead of {wanted}"


def measure(sink: Sink, case: Case, race: Race) -> None:
    """Let the calls take turns, each after one that is not recorded unless it takes seconds."""
    calls = race.calls
    times: dict[str, list[float]] = {name: [] for name in calls}
    quiet = {name: Quiet() for name in calls}
    for _ in range(sink.suite.repeat):
        for name, call in calls.items():
            if sum(times[name]) > sink.suite.budget:
                continue
            if not times[name] or times[name][-1] < 1:
                call()
            quiet[name].start()
            start = time.perf_counter()
            answer = call()
            seconds = time.perf_counter() - start
            quiet[name].stop()
            if problem := race.wrong[name](answer):
                sink.fail(f"{name} on {case.name}: {problem}")
                return
            times[name].append(seconds)
    for name, values in times.items():
        sink.add(
            name, values, graph=describe_graph(case), form=race.form, plan=race.plan, timing="wall",
            threads=len(os.sched_getaffinity(0)), quiet=quiet[name].report(),
        )  # fmt: skip
        sink.say(f"  {case.name} {race.form:6} {name:24} {sorted(values)[len(values) // 2] * 1e3:9.2f} ms")


def summary(records: list[Record]) -> str:
    """By graph: a forest over the same plan's components, and others over the forest from rows."""
    found = {(r["graph"]["name"], r["form"], r["contestant"]): r for r in records}
    peers = list(dict.fromkeys(r["contestant"] for r in records if r["contestant"] in FORESTS))
    over = [f"over components, {form}" for form in FORMS]
    table = Table(["graph", *(f"ms, {form}" for form in FORMS), *over, *(f"times {peer}" for peer in peers)])
    ratios: dict[str, list[float]] = {name: [] for name in (*FORMS, *peers)}
    for graph in dict.fromkeys(r["graph"]["name"] for r in records):
        ms = {form: found[graph, form, FOREST]["median"] for form in FORMS}
        for form in FORMS:
            ratios[form].append(ms[form] / found[graph, form, COMPONENTS]["median"])
        for peer in peers:
            ratios[peer].append(found[graph, "", peer]["median"] / ms["rows"])
        shown = [f"{ms[form] * 1e3:.1f}" for form in FORMS]
        table.rows.append([graph, *shown, *(ratio_text(ratios[name][-1]) for name in ratios)])
    table.rows.append(["geometric mean", "", "", *(ratio_text(geometric_mean(values)) for values in ratios.values())])
    return table.markdown()
