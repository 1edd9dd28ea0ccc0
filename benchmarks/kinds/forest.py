"""Spanning forests: the plan of "auto", as a run leaves them and with their arrays, beside the components of the same
plan and the forests of other codes.

Form "csr": symmetric CSR, as the suite `cpu` hands it over. Form "pairs": each undirected edge once, as int32 arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import landbridge
from benchmarks.cases import describe_graph, load_case
from benchmarks.check import check_count, check_forest, check_labels
from benchmarks.contestants import FROM_PAIRS, Landbridge, importable
from benchmarks.kinds.base import Kind
from benchmarks.machine import cores
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.tables import Table, geometric_mean, ratio_text
from benchmarks.turns import Entrant, interleave
from peers.base import Case
from peers.forests import FORESTS, ForestPeer
from peers.timing import Timed, timed

FOREST, COMPONENTS = "landbridge(forest)", "landbridge(components)"
ARRAYS = "landbridge(forest, arrays)"
FORMS = {"csr": "", "pairs": FROM_PAIRS}


def run(sink: Sink) -> None:
    ready = importable(sink, {name: FORESTS[name].module for name in sink.suite.peers})
    for graph in sink.suite.graphs:
        case = load_case(graph)
        for form, words in FORMS.items():
            own = Landbridge("auto" + words).build(case)
            plan = landbridge.spanning_forest(own, device="cpu").plan
            measure(sink, case, list(ours(case, own, plan)), form=form, plan=plan)
        measure(sink, case, [other(case, name, FORESTS[name]) for name in ready], form="", plan="")


def ours(case: Case, graph: Any, plan: str) -> Iterator[Entrant]:
    """A forest, the same with its arrays, and the labels, by the plan that is chosen for the forest."""

    def check_components(turn: Timed) -> None:
        check_labels(COMPONENTS, case, turn.result.count, turn.result.labels)

    def check_edges(turn: Timed) -> None:
        check_forest(f"{FOREST} on {case.name}", graph, turn.result, case.count)

    components = partial(landbridge.components, graph, plan=plan)
    yield Entrant(COMPONENTS, partial(timed, components), check_components, threads=cores())
    forest = partial(landbridge.spanning_forest, graph, plan=plan)
    yield Entrant(FOREST, partial(timed, forest), check_edges)
    yield Entrant(ARRAYS, partial(timed, partial(with_arrays, forest)), check_edges)


def with_arrays(solve: Callable[[], landbridge.SpanningForest]) -> landbridge.SpanningForest:
    """The forest, of which all arrays have been made."""
    forest = solve()
    _ = forest.u, forest.v, forest.edge
    return forest


def other(case: Case, name: str, peer: ForestPeer) -> Entrant:
    """The forest of another code, of which the edges are counted."""
    graph = peer.build(case)

    def check(turn: Timed) -> None:
        check_count(f"{name} on {case.name}", peer.edges(turn.result), case.num_vertices - case.count, "edges")

    return Entrant(name, partial(timed, partial(peer.solve, graph)), check)


def measure(sink: Sink, case: Case, entrants: list[Entrant], *, form: str, plan: str) -> None:
    """Let the entrants take turns, each call behind one that is not recorded."""
    for tally in interleave(entrants, repeat=sink.suite.repeat, budget=sink.suite.budget):
        more = {"graph": describe_graph(case), "form": form, "plan": plan, "threads": cores(), "cpu_over_wall": None}
        sink.add_tally(tally, **more)
        if tally.times:
            sink.say(f"  {case.name} {form:6} {tally.entrant.name:24} {tally.median * 1e3:9.2f} ms")


def summary(records: list[Record]) -> str:
    """By graph: a forest over the same plan's components, and others over the forest from CSR with its arrays."""
    if not records:
        return ""
    by_key = {(r["graph"]["name"], r["form"], r["contestant"]): r for r in records}
    peers = list(dict.fromkeys(r["contestant"] for r in records if r["contestant"] in FORESTS))
    over = [f"over components, {form}" for form in FORMS]
    # Records of forests whose arrays were made by the run have none of their own for that.
    arrays = {form: f"{form}, arrays" for form in FORMS if any(r["contestant"] == ARRAYS for r in records)}
    over += [f"over components, {words}" for words in arrays.values()]
    table = Table(["graph", *(f"ms, {form}" for form in FORMS), *over, *(f"times {peer}" for peer in peers)])
    ratios: dict[str, list[float]] = {name: [] for name in (*FORMS, *arrays.values(), *peers)}
    for graph in dict.fromkeys(r["graph"]["name"] for r in records):
        ms = {form: by_key[graph, form, FOREST]["median"] for form in FORMS}
        for form in FORMS:
            ratios[form].append(ms[form] / by_key[graph, form, COMPONENTS]["median"])
        for form, words in arrays.items():
            ratios[words].append(by_key[graph, form, ARRAYS]["median"] / by_key[graph, form, COMPONENTS]["median"])
        with_all = by_key[graph, "csr", ARRAYS]["median"] if arrays else ms["csr"]
        for peer in peers:
            ratios[peer].append(by_key[graph, "", peer]["median"] / with_all)
        shown = [f"{ms[form] * 1e3:.1f}" for form in FORMS]
        table.rows.append([graph, *shown, *(ratio_text(ratios[name][-1]) for name in ratios)])
    table.rows.append(["geometric mean", "", "", *(ratio_text(geometric_mean(values)) for values in ratios.values())])
    return table.markdown()


KIND = Kind(run, summary, frozenset({"graphs", "repeat", "peers", "budget"}), lambda: FORESTS)
