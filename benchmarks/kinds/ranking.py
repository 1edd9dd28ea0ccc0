"""List ranking: every plan in turns on lists of many lengths and shapes, against the lower bound of random accesses;
and what the papers claim of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.claims.list_races import ListRaces
from benchmarks.claims.ranking import CLAIMS
from benchmarks.gpu import Gpu
from benchmarks.kinds.base import Kind
from benchmarks.kinds.papers import check_claims, claims_table
from benchmarks.list_cases import list_case, size_of
from benchmarks.machine import cores
from benchmarks.pictures import save_picture
from benchmarks.records import Record, by_graph
from benchmarks.sink import Sink, rounded
from benchmarks.tables import AUTO, Table, ratio_text

SERIAL = "landbridge(serial)"


def run(sink: Sink) -> None:
    """On CPU threads, or on one GPU with lists and ranks in its memory."""
    if sink.suite.device == "gpu":
        gpu = Gpu()
        sink.place = gpu.place()
        measure(sink, ListRaces(sink.suite, gpu, cores()))
        return
    for threads in (count or cores() for count in sink.suite.threads):
        measure(sink, ListRaces(sink.suite, None, threads), threads=threads)


def measure(sink: Sink, races: ListRaces, **more: object) -> None:
    """Every plan on every list, and the claims. A plan that would take longer than the limit, judged by its time for an
    element of the last list of this shape, is left out."""
    suite = sink.suite
    pace: dict[tuple[str, str], float] = {}
    for name in suite.lists:
        n, shape = size_of(name), name.split()[0]
        plans = [plan for plan in suite.landbridge if plan == "auto" or pace.get((shape, plan), 0.0) * n < suite.limit]
        (bound,) = rounded([races.lower_bound(name)])
        about = list_case(name).describe()
        for plan, tally in races.tallies(name, plans).items():
            fields = {"plan": plan, "threads": None, "cpu_over_wall": None, **more}
            record = sink.add_tally(tally, graph=about, lower_bound_s=bound, **fields)
            if record is not None:
                pace[shape, plan] = min(tally.times) / n
                each, over = record["median"] / n * 1e9, record["median"] / bound
                sink.say(f"{name:14} {plan:28} {each:9.3f} ns per element, {over:7.2f} times the lower bound")
    if suite.claim_lists:
        check_claims(sink, races, CLAIMS, **more)
    for problem in races.problems:
        if problem not in sink.failures:
            sink.fail(problem)


def _timed(records: Iterable[Record]) -> list[Record]:
    return [record for record in records if record["unit"] == "s"]


def lists_table(records: Sequence[Record]) -> Table:
    """Nanoseconds per element of each plan, the lower bound, and the default plan over it."""
    timings = _timed(records)
    names = list(dict.fromkeys(record["contestant"] for record in timings))
    plans = [name.removeprefix("landbridge(")[:-1] for name in names]
    table = Table(["list", *plans, "lower bound", "auto, times lower bound"])
    for name, row in by_graph(timings).items():
        some = next(iter(row.values()))
        n, bound = some["graph"]["n"], some["lower_bound_s"]
        cells = [f"{row[plan]['median'] / n * 1e9:.3g}" if plan in row else "" for plan in names]
        over = ratio_text(row[AUTO]["median"] / bound) if AUTO in row else ""
        table.rows.append([name, *cells, f"{bound / n * 1e9:.3g}", over])
    return table


def speed_lines(records: Sequence[Record]) -> str:
    """The default plan against one walk for each list, from the largest list that both ranked."""
    both = [row for row in by_graph(_timed(records)).values() if {AUTO, SERIAL} <= set(row)]
    random = [row for row in both if row[AUTO]["graph"]["name"].startswith("random")]
    if not random:
        return ""
    row = max(random, key=lambda r: int(r[AUTO]["graph"]["n"]))
    gain = row[SERIAL]["median"] / row[AUTO]["median"]
    threads = row[AUTO].get("threads", 1)
    name = row[AUTO]["graph"]["name"]
    return f"On `{name}` the default plan is **{gain:.3g}x** as fast as one walk, with {threads} threads."


def lists_summary(records: list[Record]) -> str:
    """The table of times, and how much faster than one walk."""
    return "\n\n".join(filter(None, [lists_table(records).markdown(), speed_lines(records)]))


def claims_summary(records: list[Record]) -> str:
    """The table of claims."""
    return claims_table([record for record in records if record["unit"] == "ratio"]).markdown()


def summary(records: list[Record]) -> str:
    return "\n\n".join(filter(None, [lists_summary(records), claims_summary(records)]))


def draw(records: Sequence[Record], path: Path) -> None:
    """Nanoseconds per element over the length of random lists, a line for each plan, and the lower bound."""
    random = [r for r in _timed(records) if r["graph"]["name"].startswith("random")]
    with save_picture(path, figsize=(8, 4.5)) as (_, axes):
        for name in dict.fromkeys(record["contestant"] for record in random):
            points = sorted(
                (r["graph"]["n"], r["median"] / r["graph"]["n"] * 1e9) for r in random if r["contestant"] == name
            )
            width = 2.2 if name == AUTO else 1.0
            axes.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=width, label=name[11:-1])
        bound = sorted({(r["graph"]["n"], r["lower_bound_s"] / r["graph"]["n"] * 1e9) for r in random})
        axes.plot(*zip(*bound, strict=True), color="black", linestyle="--", label="lower bound")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("elements of a random list")
        axes.set_ylabel("ns per element")
        axes.legend(fontsize="x-small", ncols=2)


KIND = Kind(
    run,
    summary,
    frozenset({"device", "threads", "repeat", "landbridge", "budget", "limit", "claims", "lists", "claim_lists"}),
)
