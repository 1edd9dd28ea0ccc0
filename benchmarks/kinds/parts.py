"""Several processors against one: the same edges, the same answer, ratios in one run.

A case is a form and a size. "spread": pairs in equal parts in the memories of the GPUs that unite them. "device": pairs
in the memory of the first GPU. "host": pairs in host memory. "stream": those of "device" in batches. "rows": a
symmetric CSR on the first GPU. "memory": pairs that are more than the memory of one GPU. "merge": two trees of n
vertices, by all parents or by a bitmap of the largest tree. "list": one random list. "empty": fewer edges than
processors.

Contestants are each processor alone, and the groups that the machine has; all take turns. A turn runs in another
process, which ends where a turn takes too long, so that a slow case costs no other one. Every answer is compared with
that of one processor under another rule, which agrees with every edge.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.kinds.base import Kind
from benchmarks.machine import cores, processor
from benchmarks.parts_cases import FORMS, Case, contestants
from benchmarks.parts_runs import gpus, places
from benchmarks.pictures import save_picture
from benchmarks.process import Process, Request
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.tables import Table, ms_text, ratio_text
from benchmarks.turns import Entrant, interleave
from peers.base import PeerFailed
from peers.timing import Timed

_MADE = 60.0
"""Seconds that a first turn has for making edges and comparing labels, beside its own."""


class Turns:
    """The process that takes the turns, started when it is needed. last: the last reply of each contestant."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self.last: dict[str, Request] = {}

    def ask(self, name: str, request: Request, limit: float) -> Timed:
        """One turn. Raises PeerFailed where it takes longer than `limit` seconds, WrongAnswer."""
        if self._process is None or not self._process.alive:
            self._process = Process("benchmarks.parts_worker")
        reply = self._process.ask({"what": "turn", "name": name, **request}, limit)
        self.last[name] = reply
        return Timed((reply["seconds"],), detail=reply["plan"])

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.close()


def run(sink: Sink) -> None:
    count, began, turns = gpus(), time.monotonic(), Turns()
    names = sorted(set(places(list(range(count)) or ["cpu"], cores())))
    sink.place = {"device": f"{count} x {names[0]}" if count else processor(), "host": processor()}
    try:
        for row in sink.suite.cases:
            case = Case(**row)
            spent = time.monotonic() - began
            if spent > sink.suite.seconds:
                sink.say(f"no time left for {case.name}")
            else:
                sink.say(f"{spent:5.0f} s  {case.name}")
                measure(sink, case, count, turns)
    finally:
        turns.close()


def measure(sink: Sink, case: Case, count: int, turns: Turns) -> None:
    """Time every contestant of a case, in turns."""
    groups: dict[str, dict[str, Any]] = {
        name: {"words": words, "send": ""} for name, words in contestants(case, count).items()
    }
    if not groups:
        sink.say("  needs more GPUs")
    if case.form == "merge":
        words = [0, min(1, count - 1)] if count else ["cpu", "cpu"]
        ways = ("parents", "bitmap") if count else ("parents",)
        groups = {f"merge by {send}": {"words": words, "send": send} for send in ways}

    def turn(name: str) -> Timed:
        with suppress(KeyError):
            del turns.last[name]
        try:
            return turns.ask(name, {"case": asdict(case), **groups[name]}, case.limit + _MADE)
        except PeerFailed as error:
            raise PeerFailed(f"{name} on {case.name}: {error}") from None

    entrants = [Entrant(name, partial(turn, name), lambda _: None, threads=cores(), lasting=True) for name in groups]
    repeat = 1 if case.form in ("empty", "memory") else sink.suite.repeat
    for tally in interleave(entrants, repeat=repeat, warm_up=True, budget=sink.suite.budget, limit=case.limit):
        name = tally.entrant.name
        last = turns.last.get(name, {})
        graph = {"name": case.name, "n": case.n, "m": last.get("m", 0)}
        more = {key: last[key] for key in ("phases", "shares", "spans", "moved", "link") if key in last}
        sink.add_tally(tally, graph=graph, form=case.form, ids=case.ids, **more)
        if tally.times:
            shown = [f"{device} {edges}" for device, edges, *_ in more.get("shares", ())]
            sink.say(f"  {name:16} {tally.median * 1e3:10.2f} ms  {', '.join(shown)}  {more.get('phases', '')}")


def rows_of(records: Sequence[Record]) -> Iterator[list[str]]:
    """A row for each contestant of each case: its time, and how many times faster than the best single one it is."""
    for name in dict.fromkeys(record["graph"]["name"] for record in records if record["form"] != "empty"):
        own = {record["contestant"]: record for record in records if record["graph"]["name"] == name}
        single = [own[alone]["median"] for alone in ("cpu", "1 gpu") if alone in own]
        for contestant, record in own.items():
            ratio = ratio_text(min(single) / record["median"]) if single else ""
            rate = f"{record['graph']['m'] / record['median'] / 1e9:.3g}"
            yield [name, contestant, ms_text(record["median"]), rate, ratio]


def summary(records: list[Record]) -> str:
    """Times and ratios to the best single processor."""
    if not records:
        return ""
    table = Table(["edges", "processors", "ms", "1e9 edges/s", "times the best single one"])
    table.rows.extend(rows_of(records))
    return table.markdown()


def projection(records: Sequence[Record]) -> str:
    """Pairs in the memories of more GPUs than were measured: from the time of one GPU for its part, and of merges.

    Each GPU takes as long for m/d edges as one does alone for so many; then trees are merged on ceil(lg d) levels.
    """
    merges = [record["median"] for record in records if record["contestant"] == "merge by bitmap"]
    alone = {
        (record["graph"]["n"], record["graph"]["m"]): record["median"]
        for record in records
        if record["form"] == "spread" and record["contestant"] == "1 gpu"
    }
    table = Table(["edges", "GPUs", "ms, projected", "times one GPU"])
    for (n, m), one in alone.items():
        for d in (2, 4, 8):
            part = alone.get((n, m // d))
            if part is not None and merges:
                seconds = part + (d - 1).bit_length() * min(merges)
                table.rows.append([f"n={n} m={m}", str(d), ms_text(seconds), ratio_text(one / seconds)])
    return table.markdown() if table.rows else "No run of one GPU for a part of the edges yet."


def draw(records: Sequence[Record], path: Path) -> None:
    """Draw when each processor took its pieces: of each form, the largest group with recorded pieces."""
    largest: dict[str, Record] = {}
    for record in records:
        most = largest.get(record["form"], {"spans": []})
        if len(record.get("spans", ())) >= max(2, len(most["spans"])):
            largest[record["form"]] = record
    with save_picture(path, max(1, len(largest)), figsize=(8.0, 1.0 + 1.4 * max(1, len(largest)))) as (_, rows):
        for axes, record in zip(rows, largest.values(), strict=False):
            names = [f"{device}: {edges / record['graph']['m']:.0%}" for device, edges, *_ in record["shares"]]
            for place, spans in enumerate(record["spans"]):
                bars = [(1e3 * begin, 1e3 * (end - begin)) for begin, end in spans]
                axes.broken_barh(bars, (place - 0.4, 0.8), edgecolor="black", linewidth=0.3)
            axes.set_yticks(range(len(names)), names, fontsize="small")
            axes.set_xlabel(f"ms, {record['graph']['name']}", fontsize="small")


def require_cases(suite: Any) -> None:
    """Raise ValueError for a case that is none."""
    for row in suite.cases:
        try:
            case = Case(**row)
        except TypeError as error:
            raise ValueError(f"{suite.name}.toml: {error}") from None
        if case.form not in FORMS:
            raise ValueError(f"{suite.name}.toml: unknown form {case.form!r}; known: {', '.join(FORMS)}")


KIND = Kind(run, summary, frozenset({"device", "cases", "repeat", "budget", "seconds"}), requires=require_cases)
