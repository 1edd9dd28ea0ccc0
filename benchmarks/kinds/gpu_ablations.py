"""Every schedule and optimisation of the GPU engine by name: a plan, and the same with one engine option changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.gpu import Gpu
from benchmarks.gpu_cases import Generated, for_each_graph, on_device
from benchmarks.kinds.base import Kind
from benchmarks.kinds.gpu_components import add_replays, replayed
from benchmarks.records import Record, graph_of, grouped
from benchmarks.sink import Sink
from benchmarks.tables import Table, mean_text, ms_text, ratio_text
from benchmarks.turns import interleave


def changed(plan: str, option: str) -> str:
    """Return a plan's text with one more engine option; the plan itself for an empty one."""
    if not option:
        return plan
    text, _, options = plan.partition("@gpu(")
    return f"{text}@gpu({','.join(sorted([option, *filter(None, options.removesuffix(')').split(','))]))})"


def rows_of(ablations: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Return schedule, plan and option of everything that is timed; the first option of a schedule is none."""
    for schedule, row in ablations.items():
        for option in ("", *row["options"]):
            yield schedule, row["plan"], option


def run(sink: Sink) -> None:
    gpu = Gpu()
    for_each_graph(sink, gpu, partial(measure, sink, gpu))


def measure(sink: Sink, gpu: Gpu, source: Generated) -> None:
    """Replay every row on one graph."""
    case = on_device(gpu, source)
    for schedule, base, option in rows_of(sink.suite.ablations):
        entrants = [replayed(sink, gpu, case, changed(base, option))]
        tallies = interleave(entrants, repeat=sink.suite.repeat, warm_up=True)
        add_replays(sink, gpu, case, tallies, form=schedule, base=base, option=option)


def ablation_table(records: Sequence[Record]) -> str:
    """Each schedule by name: the time with an option over that of the plan without it, graph by graph."""
    graphs = list(dict.fromkeys(map(graph_of, records)))
    table = Table(["schedule", "plan, then option over it", *graphs, "geometric mean"])
    for schedule, group in grouped(records, lambda record: str(record["form"])).items():
        options = {
            option: {graph_of(record): float(record["median"]) for record in rows}
            for option, rows in grouped(group, lambda record: str(record["option"])).items()
        }
        base = options.pop("", {})
        cells = [ms_text(base[graph]) if graph in base else "" for graph in graphs]
        table.rows.append([schedule, f"`{group[0]['base']}`, ms", *cells, ""])
        for option, times in options.items():
            over = {graph: times[graph] / base[graph] for graph in graphs if graph in times and graph in base}
            cells = [ratio_text(over[graph]) if graph in over else "" for graph in graphs]
            table.rows.append(["", f"`{option}`", *cells, mean_text(list(over.values()))])
    return table.markdown()


def summary(records: list[Record]) -> str:
    return ablation_table(records) if records else ""


KIND = Kind(run, summary, frozenset({"device", "graphs", "repeat", "trials", "ablations", "phases"}))
