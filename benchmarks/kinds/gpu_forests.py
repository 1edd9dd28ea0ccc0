"""Spanning forests on one GPU: plans replayed, beside the components of the same plan.

Edges are looked up and counted, and their components compared, before and behind the replays. The time is that to the
endpoints and positions of the edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.check import check_device_forest
from benchmarks.gpu import Gpu
from benchmarks.gpu_cases import DeviceCase, Generated, for_each_graph, on_device
from benchmarks.gpu_runs import SpanningForestRun, chosen_plan
from benchmarks.kinds.base import Kind
from benchmarks.kinds.gpu_components import replayed
from benchmarks.published import published
from benchmarks.records import Record, graph_of, grouped
from benchmarks.sink import Sink
from benchmarks.tables import AUTO, Table, mean_text, ms_text, ratio_text
from benchmarks.turns import Entrant, interleave
from peers.timing import Timed

FOREST, COMPONENTS = "forest", "components"


def run(sink: Sink) -> None:
    gpu = Gpu()
    for_each_graph(sink, gpu, partial(measure, sink, gpu))


def measure(sink: Sink, gpu: Gpu, source: Generated) -> None:
    """Replay every plan's forest and components on one graph, in turns behind one each that is not recorded."""
    case = on_device(gpu, source)
    for plan in sink.suite.landbridge:
        text = chosen_plan(case.graph, plan, "forest")
        entrants = [forest_entrant(sink, gpu, case, text, plan), replayed(sink, gpu, case, text, plan)]
        tallies = interleave(entrants, repeat=sink.suite.repeat, warm_up=True)
        for form, tally in zip((FOREST, COMPONENTS), tallies, strict=True):
            sink.add_tally(tally, graph=case.describe(), form=form, threads=None)
            if tally.times:
                sink.say(f"  {tally.median * 1e3:9.3f} ms  {form:10}  {plan}: {text}")


def forest_entrant(sink: Sink, gpu: Gpu, case: DeviceCase, plan: str, label: str) -> Entrant:
    """A plan whose turn is a captured forest, replayed."""
    name = f"landbridge({label})"

    def turn() -> Timed:
        prepared_run = SpanningForestRun(case.graph, plan)
        prepared_run.launch()
        check_device_forest(name, case, prepared_run.answer())
        seconds = gpu.replay(prepared_run, sink.suite.trials)
        return Timed(seconds, prepared_run.answer(), None, plan)

    return Entrant(name, turn, lambda turn: check_device_forest(name, case, turn.result), "replay")


def forests_table(records: Sequence[Record]) -> str:
    """The automatic plan's spanning forest: over its components, the best plan and the best published time, if there is
    one."""
    over_components, over_best, over_published = list[float](), list[float](), list[float]()
    table = Table(
        [
            "graph", "plan", "ms", "over its components", "over the best plan", "best GConn, ms (on an H100)",
            "published over ours",
        ]
    )  # fmt: skip
    for graph, group in grouped(records, graph_of).items():
        by_form = {(record["form"], record["contestant"]): record for record in group}
        if (FOREST, AUTO) not in by_form:
            continue
        auto = by_form[FOREST, AUTO]
        seconds, figure = auto["median"], published("forest", graph)
        over_components.append(seconds / by_form[COMPONENTS, AUTO]["median"])
        over_best.append(seconds / min(record["median"] for record in group if record["form"] == FOREST))
        shown = ["", ""]
        if figure is not None:
            over_published.append(figure.seconds / seconds)
            shown = [ms_text(figure.seconds), ratio_text(over_published[-1])]
        ratios = [ratio_text(over_components[-1]), ratio_text(over_best[-1])]
        table.rows.append([graph, f"`{auto['plan']}`", ms_text(seconds), *ratios, *shown])
    means = [mean_text(over_components), mean_text(over_best), "", mean_text(over_published)]
    table.rows.append(["geometric mean", "", "", *means])
    return table.markdown()


def summary(records: list[Record]) -> str:
    return forests_table(records) if records else ""


KIND = Kind(run, summary, frozenset({"device", "graphs", "repeat", "trials", "landbridge"}))
