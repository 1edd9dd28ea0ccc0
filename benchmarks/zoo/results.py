"""What is read off the records of a zoo: each cell's auto beside its screen, its peers and its size's median."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.records import Record
from benchmarks.sink import Sink, rounded
from benchmarks.tables import AUTO, OURS, Table, geometric_mean, ratio_text
from benchmarks.turns import Tally

WORST = 15


def say_problems(sink: Sink, tallies: Sequence[Tally]) -> None:
    """A wrong answer is a failure of the run, and a breakdown of auto; of others a breakdown is only said."""
    for tally in tallies:
        if tally.problem:
            (sink.fail if tally.wrong or tally.entrant.name == AUTO else sink.say)(tally.problem)


def add_cell(sink: Sink, tallies: Sequence[Tally], **more: Any) -> None:
    """Record a cell as one line: landbridge's auto, and the medians of all other contestants as `others`."""
    others = {tally.entrant.name: rounded([tally.median])[0] for tally in tallies if tally.times}
    for tally in tallies:
        if tally.entrant.name == AUTO and tally.times:
            del others[AUTO]
            sink.add_tally(tally, others=others, **more)


@dataclass(frozen=True)
class CellResult:
    """The record of one cell."""

    record: Record

    @property
    def name(self) -> str:
        structure, order, size = self.record["graph"]["name"].split("/")
        return f"{structure}/{order}/{self.record['form']}/{size}"

    @property
    def seconds(self) -> float:
        return float(self.record["median"])

    @property
    def plans(self) -> dict[str, float]:
        """Seconds of landbridge's contestants beside auto."""
        return {name: float(value) for name, value in self.record["others"].items() if name.startswith(OURS)}

    @property
    def programs(self) -> dict[str, float]:
        """Seconds of other programs."""
        return {name: float(value) for name, value in self.record["others"].items() if not name.startswith(OURS)}

    @property
    def best_plan(self) -> str:
        """The fastest of landbridge's contestants, auto among them."""
        plans = {"auto": self.seconds, **self.plans}
        return min(plans, key=lambda name: plans[name]).removeprefix(OURS).removesuffix(")")

    @property
    def over_best(self) -> float:
        return self.seconds / min([self.seconds, *self.plans.values()])

    @property
    def peer_over_ours(self) -> float:
        return min(self.programs.values(), default=float("nan")) / self.seconds

    @property
    def ns(self) -> float:
        """Nanoseconds per edge or per vertex, whichever are more."""
        graph = self.record["graph"]
        return self.seconds * 1e9 / max(graph["m"], graph["n"], 1)

    @property
    def family(self) -> tuple[str, str]:
        """Cells that are compared with each other: form and size."""
        return str(self.record["form"]), self.name.rpartition("/")[2]


def results_of(records: Sequence[Record]) -> list[CellResult]:
    """The cells of records."""
    return [CellResult(record) for record in records if record["contestant"] == AUTO and "others" in record]


def cliffs(results: Sequence[CellResult]) -> dict[str, float]:
    """Cell -> its nanoseconds over the median of the cells of its form and size."""
    families: dict[tuple[str, str], list[float]] = {}
    for result in results:
        families.setdefault(result.family, []).append(result.ns)
    return {result.name: result.ns / statistics.median(families[result.family]) for result in results}


def cells_table(results: Sequence[CellResult], cliff: dict[str, float]) -> Table:
    """The cells in their order."""
    table = Table(
        ["cell", "ms", "ns", "times median", "times lower bound", "over best", "peer over ours", "plan", "best plan"]
    )
    for result in results:
        floor = result.record["lower_bound_s"] or float("nan")
        cells = [f"{result.seconds * 1e3:.3f}", f"{result.ns:.3f}", ratio_text(cliff[result.name])]
        ratios = [result.seconds / floor, result.over_best, result.peer_over_ours]
        plans = [result.record["plan"], result.best_plan]
        table.rows.append([result.name, *cells, *map(ratio_text, ratios), *(f"`{plan}`" for plan in plans)])
    return table


def summary(records: Sequence[Record]) -> str:
    """The worst cells, then means by form and size, then one line on all."""
    results = results_of(records)
    if not results:
        return ""
    cliff = cliffs(results)
    by_cliff = sorted(results, key=lambda result: -cliff[result.name])[:WORST]
    by_best = sorted(results, key=lambda result: -result.over_best)[:WORST]
    parts = [
        f"Farthest above the median of their form and size:\n\n{cells_table(by_cliff, cliff).markdown()}",
        f"Farthest above the best plan of the screen:\n\n{cells_table(by_best, cliff).markdown()}",
    ]
    if behind := [result for result in results if result.peer_over_ours < 1]:
        behind.sort(key=lambda result: result.peer_over_ours)
        parts.append(f"Slower than another program:\n\n{cells_table(behind[:WORST], cliff).markdown()}")
    families = Table(
        ["form and size", "cells", "ns, median", "auto over best", "most", "above 1.5", "times median, most"]
    )
    for family in sorted({result.family for result in results}):
        families.rows.append([" ".join(family), *family_row([r for r in results if r.family == family], cliff)])
    families.rows.append(["all", *family_row(results, cliff)])
    parts.append(families.markdown())
    parts += beside_programs(results)
    return "\n\n".join(parts)


def programs_summary(records: Sequence[Record]) -> str:
    """Other programs alone, then the cells on which one of them is faster."""
    results = results_of(records)
    parts = beside_programs(results)
    if behind := sorted((r for r in results if r.peer_over_ours < 1), key=lambda r: r.peer_over_ours):
        table = Table(["cell", "ms", "peer over ours", "fastest program", "plan"])
        for result in behind[:WORST]:
            fastest = min(result.programs, key=lambda name: result.programs[name])
            cells = [f"{result.seconds * 1e3:.3f}", ratio_text(result.peer_over_ours), fastest]
            table.rows.append([result.name, *cells, f"`{result.record['plan']}`"])
        parts.append(f"Slower than another program:\n\n{table.markdown()}")
    return "\n\n".join(parts)


def beside_programs(results: Sequence[CellResult]) -> list[str]:
    """A table of other programs, and one line on the fastest of them; nothing where there are none."""
    over = [result.peer_over_ours for result in results if result.programs]
    if not over:
        return []
    fastest = f"The fastest other program over landbridge: {ratio_text(geometric_mean(over))} in geometric mean"
    return [programs_table(results).markdown(), f"{fastest} over {len(over)} cells, {ratio_text(min(over))} at least."]


def programs_table(results: Sequence[CellResult]) -> Table:
    """Each other program beside landbridge, over the cells that it was measured on."""
    table = Table(["program", "cells", "its time over ours", "least", "cells where it is faster"])
    for name in dict.fromkeys(name for result in results for name in result.programs):
        ratios = [result.programs[name] / result.seconds for result in results if name in result.programs]
        means = [ratio_text(geometric_mean(ratios)), ratio_text(min(ratios))]
        table.rows.append([name, str(len(ratios)), *means, str(sum(ratio < 1 for ratio in ratios))])
    return table


def family_row(results: Sequence[CellResult], cliff: dict[str, float]) -> list[str]:
    over = [result.over_best for result in results]
    return [
        str(len(results)),
        f"{statistics.median(result.ns for result in results):.3f}",
        ratio_text(geometric_mean(over)),
        ratio_text(max(over)),
        str(sum(value > 1.5 for value in over)),
        ratio_text(max(cliff[result.name] for result in results)),
    ]
