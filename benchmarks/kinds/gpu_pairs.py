"""Components of edge lists in a GPU's memory: plans captured and replayed, as in `gpu_components`.

Form "both directions": the arcs of the symmetric CSR with their first endpoints, sorted by these. "sorted": each edge
once, from its smaller endpoint. "random order": the same edges. Ids are validated before; beside each time stands that
of this check, which also finds whether a list consists of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import landbridge
from benchmarks.gpu import Gpu
from benchmarks.gpu_arrays import csr_on_device, shuffled_on_device, sources_on_device
from benchmarks.gpu_cases import Generated, for_each_graph, pairs_bound_s
from benchmarks.gpu_runs import check_pairs
from benchmarks.kinds.base import Kind
from benchmarks.kinds.gpu_components import replayed
from benchmarks.published import published
from benchmarks.records import Record, graph_of
from benchmarks.sink import Sink, rounded
from benchmarks.tables import AUTO, Table, mean_text, millions_text, ms_text, ratio_text
from benchmarks.turns import interleave

CHECKS = 5


def run(sink: Sink) -> None:
    gpu = Gpu()
    for_each_graph(sink, gpu, partial(measure, sink, gpu))


class Pairs:
    """One graph's edges on the device in one form, with the right answer."""

    def __init__(self, source: Generated, labels: Any, endpoints: tuple[Any, Any]) -> None:
        self.source, self.name, self.labels, self.count = source, source.name, labels, source.count
        self.graph = landbridge.Graph(endpoints, num_vertices=source.n)
        self.check = partial(check_pairs, *endpoints, source.n)

    @property
    def num_pairs(self) -> int:
        return self.graph.num_edges


def measure(sink: Sink, gpu: Gpu, source: Generated) -> None:
    """Let the plans take turns on each form of a graph, behind a turn that is not recorded."""
    cupy, labels = gpu.cupy, gpu.cupy.asarray(source.labels)
    offsets, neighbors = csr_on_device(cupy, source.n, source.u, source.v)
    arcs = sources_on_device(cupy, offsets, len(neighbors)), neighbors
    del offsets, neighbors

    def once() -> tuple[Any, Any]:
        upper = arcs[0] < arcs[1]
        return arcs[0][upper], arcs[1][upper]

    forms: dict[str, Callable[[], tuple[Any, Any]]] = {
        "both directions": lambda: arcs,
        "sorted": once,
        "random order": lambda: shuffled_on_device(cupy, *once()),
    }
    for form in sink.suite.orders:
        pairs = Pairs(source, labels, forms[form]())
        (check,) = rounded([min(gpu.cold_seconds(pairs.check, flushes=4) for _ in range(CHECKS))])
        (bound,) = rounded([pairs_bound_s(gpu, source.n, pairs.num_pairs)])
        figure = published("pairs", source.name, form)
        entrants = [replayed(sink, gpu, pairs, plan) for plan in sink.suite.landbridge]
        for tally in interleave(entrants, repeat=sink.suite.repeat, warm_up=True):
            graph = {**source.describe(), "m": pairs.num_pairs}
            sink.add_tally(tally, graph=graph, form=form, lower_bound_s=bound, check_s=check, threads=None)
            if tally.times:
                beside = f"  {figure.seconds / tally.median:.2f} x published" if figure is not None else ""
                sink.say(f"  {form:16} {tally.median * 1e3:9.3f} ms{beside}  {tally.entrant.name} {tally.detail}")
        del pairs, entrants
        gpu.free()


def pairs_table(records: Sequence[Record]) -> str:
    """The automatic plan on each graph and form: over the lower bound, the best plan and the best published code."""
    table = Table(
        ["graph", "edges in", "pairs", "check, ms", "ms", "times lower bound", "over the best plan",
         "best GConn, ms (on an H100)", "published over ours", "and the check"],
    )  # fmt: skip
    over_bound, over_best, over_published, over_all = list[float](), list[float](), list[float](), list[float]()
    rows: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        rows.setdefault((graph_of(record), record["form"]), []).append(record)
    for (graph, form), row in rows.items():
        (ours,) = (record for record in row if record["contestant"] == AUTO)
        over_bound.append(ours["median"] / ours["lower_bound_s"])
        over_best.append(ours["median"] / min(record["median"] for record in row))
        beside = ["", "", ""]
        if (figure := published("pairs", graph, form)) is not None:
            over_published.append(figure.seconds / ours["median"])
            beside[:2] = [ms_text(figure.seconds), ratio_text(over_published[-1])]
            if "check_s" in ours:  # not in older records
                over_all.append(figure.seconds / (ours["median"] + ours["check_s"]))
                beside[2] = ratio_text(over_all[-1])
        check = ms_text(ours["check_s"]) if "check_s" in ours else ""
        sizes = [millions_text(ours["graph"]["m"]), check, ms_text(ours["median"])]
        table.rows.append([graph, form, *sizes, ratio_text(over_bound[-1]), ratio_text(over_best[-1]), *beside])
    means = [
        mean_text(over_bound),
        mean_text(over_best),
        "",
        mean_text(over_published),
        mean_text(over_all) if over_all else "",
    ]
    table.rows.append(["geometric mean", "", "", "", "", *means])
    return table.markdown()


def summary(records: list[Record]) -> str:
    return pairs_table(records) if records else ""


KIND = Kind(run, summary, frozenset({"device", "graphs", "repeat", "trials", "landbridge", "orders", "phases"}))
