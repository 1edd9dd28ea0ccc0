"""The extra memory of an answer: how far a fresh process's high-water mark rises above its input."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cases import describe_graph, load_case, save_case
from benchmarks.check import WrongAnswer
from benchmarks.contestants import contestants_of, takes
from benchmarks.kinds.base import Kind
from benchmarks.machine import cores
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.tables import OURS, Table, ratio_text
from benchmarks.worker import worker
from peers import peer_names
from peers.base import Case, InProcess, PeerFailed

FORMS = ("csr", "arrays")


def input_bytes(case: Case, form: str) -> int:
    """Return the size of what lies in memory before: offsets and neighbours, or the two int64 arrays."""
    if form == "csr":
        return case.offsets.nbytes + case.neighbors.nbytes
    return case.source.nbytes + case.target.nbytes


def run(sink: Sink) -> None:
    """The bar of landbridge is `bars.per_vertex` bytes per vertex and `bars.of_input` of the input."""
    suite = sink.suite
    ready = [peer for peer in contestants_of(sink) if isinstance(peer, InProcess)]
    for graph in suite.graphs:
        case = load_case(graph)
        sink.say(f"{case.name}: n = {case.num_vertices}, m = {case.num_edges}")
        with tempfile.TemporaryDirectory(prefix="landbridge-memory-") as folder:
            case_file = Path(folder) / "case.npz"
            save_case(case, case_file)
            for threads in suite.threads:
                for form in FORMS:
                    for peer in ready:
                        if takes(suite, peer, case):
                            measure(sink, case, case_file, name=peer.name, form=form, threads=threads or cores())


def measure(sink: Sink, case: Case, case_file: Path, *, name: str, form: str, threads: int) -> None:
    """Measure one contestant in `repeat` fresh processes and record it, with its bar if it is landbridge."""
    suite = sink.suite
    request = {"what": "peak", "contestant": name, "form": form, "threads": threads}
    values: list[float] = []
    more: dict[str, float] = {}
    for _ in range(suite.repeat):
        with worker(case_file) as process:
            try:
                reply = process.ask(request, suite.limit)
            except WrongAnswer as error:
                sink.fail(str(error))
                return
            except PeerFailed as error:
                sink.say(f"{name} on {case.name}, {form}: {error}")
                return
        values.append(reply["bytes"])
        more.update({key: reply[key] for key in ("estimate",) if key in reply})
    if name.startswith(OURS):
        more["bar"] = suite.bars["per_vertex"] * case.num_vertices + suite.bars["of_input"] * input_bytes(case, form)
    sizes = {"input_bytes": input_bytes(case, form), **more}
    record = sink.add(name, values, unit="B", graph=describe_graph(case), form=form, threads=threads, **sizes)
    sink.say(f"  {form:6} {name:34} {record['median'] / max(case.num_vertices, 1):8.2f} bytes per vertex")
    if name.startswith(OURS) and record["median"] > record["bar"]:
        extra, bar = record["median"], record["bar"]
        sink.fail(f"{name} on {case.name}, {form}: {extra:.0f} extra bytes; the bar is {bar:.0f}")
    if "estimate" in record and record["median"] > record["estimate"]:
        extra, estimate = record["median"], record["estimate"]
        sink.fail(f"{name} on {case.name}, {form}: {extra:.0f} extra bytes; estimate_memory says {estimate:.0f}")


def memory_table(records: Sequence[Record]) -> Table:
    """Extra bytes per vertex and per edge; for landbridge over the bar, and over what `estimate_memory` says."""
    names = ["graph", "form", "contestant", "bytes per vertex", "bytes per edge", "over the bar", "over the estimate"]
    table = Table(names)
    for record in records:
        graph = record["graph"]
        bar = ratio_text(record["median"] / record["bar"]) if "bar" in record else ""
        estimate = ratio_text(record["median"] / record["estimate"]) if "estimate" in record else ""
        each = [f"{record['median'] / max(graph[size], 1):.1f}" for size in ("n", "m")]
        table.rows.append([graph["name"], record["form"], record["contestant"], *each, bar, estimate])
    return table


def summary(records: list[Record]) -> str:
    return memory_table(records).markdown() if records else ""


KIND = Kind(
    run,
    summary,
    frozenset({"graphs", "threads", "repeat", "limit", "landbridge", "peers", "max_edges", "bars"}),
    peer_names,
)
