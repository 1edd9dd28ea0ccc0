"""Components on one GPU: plans replayed on graphs in its memory, other programs in the same run, and whole calls.

The graphs are symmetric CSR with 32-bit ids, sorted. A plan is captured as a CUDA graph and replayed; before each
replay a buffer larger than the L2 cache is written; CUDA events lie around it. The time is that from a started CUDA
stream to labels numbered by smallest vertex. Programs of others print the time of their own algorithm, with the graph
on the device and a cold cache; those that make one trial a start meet a device that was idle, and labels are not
numbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import landbridge
from benchmarks.check import Reference, check_labels
from benchmarks.contestants import available, prepared
from benchmarks.gpu import Gpu
from benchmarks.gpu_cases import DeviceCase, Generated, for_each_graph, lower_bound_s, on_device
from benchmarks.gpu_runs import ComponentsRun, chosen_plan
from benchmarks.kinds.base import Kind
from benchmarks.pictures import save_picture
from benchmarks.published import published
from benchmarks.records import Record, by_graph, graph_of, grouped
from benchmarks.sink import Sink, rounded
from benchmarks.tables import AUTO, OURS, Table, geometric_mean, mean_text, millions_text, ms_text, ratio_text
from benchmarks.turns import Entrant, Tally, interleave
from peers import peer_names, peers
from peers.base import Peer
from peers.timing import Timed, timed

READS = frozenset({"device", "graphs", "repeat", "trials", "landbridge", "peers", "phases"})


def run(sink: Sink) -> None:
    """Replay every plan on every graph; programs of others take turns with them. Then whole calls of `components`."""
    gpu = Gpu()
    programs = available(sink, list(peers(sink.suite.peers)))
    for_each_graph(sink, gpu, partial(measure, sink, gpu, programs))


def measure(sink: Sink, gpu: Gpu, programs: Sequence[Peer], source: Generated) -> None:
    """Time everything on one graph, each plan behind a turn that is not recorded: the first replays on a graph that was
    just made take up to a tenth longer."""
    suite, case = sink.suite, on_device(gpu, source)
    entrants = [replayed(sink, gpu, case, plan) for plan in suite.landbridge]
    with ExitStack() as stack:
        if programs:
            entrants += stack.enter_context(prepared(sink, case.on_host(source.u, source.v), 0, programs))
        add_replays(sink, gpu, case, interleave(entrants, repeat=suite.repeat, warm_up=True))
    if "auto" in suite.landbridge:
        add_call(sink, gpu, case, "Graph", case.graph)


class OnDevice(Reference, Protocol):
    """A graph on the device with the right answer."""

    @property
    def graph(self) -> landbridge.Graph: ...


def replayed(sink: Sink, gpu: Gpu, case: OnDevice, plan: str, label: str = "") -> Entrant:
    """A plan whose turn is a captured run, replayed; its answer is checked before and behind the replays."""
    name = f"landbridge({label or plan})"

    def turn() -> Timed:
        text = chosen_plan(case.graph, plan)
        prepared_run = ComponentsRun(case.graph, text)
        prepared_run.launch()
        check_labels(name, case, *prepared_run.answer())
        seconds = gpu.replay(prepared_run, sink.suite.trials)
        if sink.suite.phases:
            launches = ", ".join(f"{step} {spent * 1e3:.3f}" for step, spent in gpu.phases(prepared_run))
            sink.say(f"  {text}: {launches}")
        return Timed(seconds, prepared_run.answer(), None, text)

    return Entrant(name, turn, lambda turn: check_labels(name, case, *turn.result), "replay")


def add_replays(sink: Sink, gpu: Gpu, case: DeviceCase, tallies: Sequence[Tally], **more: object) -> None:
    """Record the replays on one graph, and say them beside the lower bound and the published time."""
    (bound,) = rounded([lower_bound_s(gpu, case)])
    figure = published("components", case.name)
    for tally in tallies:
        sink.add_tally(tally, graph=case.describe(), lower_bound_s=bound, threads=None, **more)
        if tally.times:
            ratios = f"{tally.median / bound:6.1f} times the lower bound"
            if figure is not None:
                ratios += f"  {figure.seconds / tally.median:5.2f} x published"
            sink.say(f"  {tally.median * 1e3:9.3f} ms  {ratios}  {tally.entrant.name} {tally.detail}")


def add_call(sink: Sink, gpu: Gpu, case: DeviceCase, form: str, graph: Any) -> None:
    """Time and record whole Python calls, of a graph on the device: launching included."""

    def turn() -> Timed:
        for _ in range(2):  # the calls in which a plan is captured
            landbridge.components(graph)
        return timed(lambda: landbridge.components(graph), sink.suite.trials, before=gpu.wait)

    def check(turn: Timed) -> None:
        check_labels(AUTO, case, turn.result.count, turn.result.labels)

    (tally,) = interleave([Entrant(AUTO, turn, check)], repeat=1)
    sink.add_tally(tally, graph=case.describe(), form=form, plan="auto", threads=None)
    if tally.times:
        sink.say(f"  {tally.median * 1e3:9.3f} ms  the whole Python call, {form}")


def replays(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if record["timing"] == "replay"]


def auto_table(records: Sequence[Record]) -> str:
    """The automatic plan on each graph: against the lower bound, the best plan measured and the best published time."""
    over_bound, over_best, over_published = list[float](), list[float](), list[float]()
    table = Table(["graph", "vertices", "arcs", "plan", "ms", "times lower bound", "over the best plan"])
    figures = {graph: published("components", graph) for graph in by_graph(replays(records))}
    known = any(figures.values())
    table.header += ["best published, ms (on an H100)", "published over ours"] if known else []
    for graph, row in by_graph(replays(records)).items():
        if AUTO not in row:
            continue
        auto, figure = row[AUTO], figures[graph]
        seconds = auto["median"]
        over_bound.append(seconds / auto["lower_bound_s"])
        over_best.append(seconds / min(record["median"] for record in row.values()))
        sizes = [millions_text(auto["graph"]["n"]), millions_text(2 * auto["graph"]["m"])]
        ratios = [ratio_text(over_bound[-1]), ratio_text(over_best[-1])]
        table.rows.append([graph, *sizes, f"`{auto['plan']}`", ms_text(seconds), *ratios])
        if figure is not None:
            over_published.append(figure.seconds / seconds)
            shown = f"{ms_text(figure.seconds)} ({figure.program})"
            table.rows[-1] += [shown, ratio_text(over_published[-1])]
    means = [mean_text(over_bound), mean_text(over_best), *(["", mean_text(over_published)] if known else [])]
    table.rows.append(["geometric mean", "", "", "", "", *means])
    return table.markdown()


def plans_table(records: Sequence[Record]) -> str:
    """Each plan over the fastest plan of each graph, the options that were changed among them."""
    times = {
        plan: {graph_of(record): float(record["median"]) for record in group}
        for plan, group in grouped(
            (record for record in replays(records) if record["contestant"] != AUTO), lambda r: str(r["plan"])
        ).items()
    }
    rows = by_graph(replays(records))
    best = {graph: min(float(record["median"]) for record in row.values()) for graph, row in rows.items()}
    over = {plan: {graph: row[graph] / best[graph] for graph in row} for plan, row in times.items()}
    table = Table(["plan", *best, "geometric mean"])
    means = {plan: geometric_mean(row.values()) for plan, row in over.items()}
    for plan in sorted(over, key=lambda plan: (len(best) - len(over[plan]), means[plan])):
        row = over[plan]
        cells = [ratio_text(row[graph]) if graph in row else "" for graph in best]
        table.rows.append([f"`{plan}`", *cells, mean_text(list(row.values()), len(best))])
    return table.markdown()


def calls_table(records: Sequence[Record]) -> str:
    """Whole calls from Python, of a graph on the device."""
    calls = [record for record in records if record["timing"] == "wall"]
    rows = [[graph_of(record), record["form"], ms_text(record["median"])] for record in calls]
    return Table(["graph", "from", "ms"], rows).markdown()


def peers_table(records: Sequence[Record]) -> str:
    """Programs of others in the same run: their time over ours."""
    rows = by_graph(record for record in records if record["timing"] != "wall")
    names = sorted({name for row in rows.values() for name in row if name != AUTO})
    table = Table(["graph", f"{AUTO}, ms", *(f"{name}, ms (over ours)" for name in names)])
    ratios: dict[str, list[float]] = {name: [] for name in names}
    for graph, row in rows.items():
        cells = []
        for name in names:
            if name in row and AUTO in row:
                ratios[name].append(row[name]["median"] / row[AUTO]["median"])
                cells.append(f"{ms_text(row[name]['median'])} ({ratio_text(ratios[name][-1])})")
            else:
                cells.append("")
        table.rows.append([graph, ms_text(row[AUTO]["median"]) if AUTO in row else "", *cells])
    table.rows.append(["geometric mean", "", *(mean_text(ratios[name]) for name in names)])
    return table.markdown()


def draw(records: Sequence[Record], path: Path) -> None:
    """Lower bound, automatic plan and best published time of each graph, logarithmic; a picture a device."""
    devices = dict(sorted(grouped(replays(records), lambda record: str(record["device"])).items()))
    with save_picture(path, len(devices), figsize=(11, 4.2 * len(devices))) as (_, axes):
        for axis, (device, group) in zip(axes, devices.items(), strict=True):
            rows = [record for record in group if record["contestant"] == AUTO]
            figures = [published("components", graph_of(record)) for record in rows]
            bars = {
                "lower bound": [record["lower_bound_s"] * 1e3 for record in rows],
                AUTO: [record["median"] * 1e3 for record in rows],
                "best published": [figure.value if figure else 0.0 for figure in figures],
            }
            for place, (name, heights) in enumerate(bars.items()):
                axis.bar([i + 0.27 * (place - 1) for i in range(len(rows))], heights, 0.26, label=name)
            axis.set_yscale("log")
            axis.set_xticks(range(len(rows)), [graph_of(record) for record in rows], rotation=20)
            axis.set_ylabel("milliseconds")
            axis.set_title(device)
            axis.legend(fontsize="small")


def summary(records: list[Record]) -> str:
    if not records:
        return ""
    if any(not record["contestant"].startswith(OURS) for record in records):
        return peers_table(records)
    return "\n\n".join([auto_table(records), plans_table(records), calls_table(records)])


KIND = Kind(run, summary, READS, peer_names)
