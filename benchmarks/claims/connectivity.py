"""Claims A1 to A7 of the study of sampling and linking on GPUs, on any engine, and the measurements they share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.cases import family_of
from benchmarks.claims.claim import Claim, Finding, Races, ratio, times, verdict
from benchmarks.tables import geometric_mean

DENSE = 6.0
"""Arcs per vertex from which k-out sampling is said to pay."""

HIGH_DIAMETER = {"mesh", "road", "lists"}
"""Families of graphs whose diameter is hundreds of steps or more."""

UNITES = ("async(compress)", "rem_cas(naive,halve_one)", "ecl(halve)", "hooks(halve)", "jtb(two_try)")
SAMPLINGS = ("kout(2)", "hb(4)", "bfs")


def dense(races: Races) -> list[str]:
    return [graph for graph in races.graphs if races.degree(graph) >= DENSE]


def sparse(races: Races) -> list[str]:
    return [graph for graph in races.graphs if races.degree(graph) < 3]


def far(races: Races) -> list[str]:
    return [graph for graph in races.graphs if family_of(graph) in HIGH_DIAMETER]


def kout_helps(races: Races) -> Finding:
    gains: dict[str, list[float]] = {}
    for unite in UNITES:
        for graph, gain in ratio(races, unite, f"kout(2)+{unite}", races.graphs).items():
            gains.setdefault(graph, []).append(gain)
    per_graph = {graph: geometric_mean(values) for graph, values in gains.items()}
    high = [per_graph[graph] for graph in dense(races) if graph in per_graph]
    low = [per_graph[graph] for graph in sparse(races) if graph in per_graph]
    return Finding(
        verdict([all(gain > 1 for gain in high), geometric_mean(low) < 1 if low else False]),
        f"From average degree 6 on, k-out makes a run {times(geometric_mean(high))} as fast in geometric mean "
        f"(from {times(min(high, default=math.nan))} to {times(max(high, default=math.nan))}, published 4 to 6x); "
        f"below average degree 3, {times(geometric_mean(low))}.",
        {f"unsampled over kout(2), {graph}": gain for graph, gain in per_graph.items()},
    )


def hb_needs_coverage(races: Races) -> Finding:
    unite = "rem_cas(naive,halve_one)"
    gains = ratio(races, f"kout(2)+{unite}", f"hb(4)+{unite}", races.graphs)
    covered = {graph: races.profile(graph, f"hb(4)+{unite}")[0] for graph in gains}
    agree = [(gain > 1) == (covered[graph] >= 0.8) for graph, gain in gains.items()]
    figures = {f"kout(2) over hb(4), {graph}, coverage {covered[graph]:.0%}": gain for graph, gain in gains.items()}
    return Finding(
        verdict([sum(agree) >= 0.8 * len(agree)] if agree else [False]),
        f"Coverage of at least 80 % and HB ahead of k-out go together on {sum(agree)} of {len(agree)} graphs.",
        figures,
    )


def bfs_never_best(races: Races) -> Finding:
    unite = "async(compress)"
    rows = {graph: races.seconds(graph, [f"{s}+{unite}" for s in SAMPLINGS] + [unite]) for graph in races.graphs}
    bfs = f"bfs+{unite}"
    over = {
        graph: row[bfs] / min(time for plan, time in row.items() if plan != bfs)
        for graph, row in rows.items()
        if bfs in row
    }
    slow = [over[graph] for graph in far(races) if graph in over]
    lost = [graph for graph, value in over.items() if value >= 1]
    return Finding(
        verdict([len(lost) == len(over), geometric_mean(slow) > 5]),
        f"Sampling by breadth-first search loses to the best other sampling on {len(lost)} of {len(over)} graphs; on "
        f"those of large diameter it takes {times(geometric_mean(slow))} as long (published 25x).",
        {f"bfs over the best other sampling, {graph}": value for graph, value in over.items()},
    )


def order_of_unites(races: Races) -> Finding:
    base = "async(compress)"
    others = {
        "rem_cas": "rem_cas(naive,split_one)",
        "jtb": "jtb(two_try)",
        "hooks": "hooks(compress)",
        "rem_lock": "rem_lock(naive,split_one)",
        "liu_tarjan": "lt(parent,root,full)",
        "shiloach_vishkin": "shiloach_vishkin",
        "label_propagation": "label_propagation",
    }
    ratios = {name: geometric_mean(ratio(races, plan, base, races.graphs).values()) for name, plan in others.items()}
    ended = ratio(races, others["label_propagation"], base, far(races))
    lost = len(far(races)) - len(ended)
    worst = max(ended.values(), default=math.nan)
    rounds = [ratios[name] for name in ("liu_tarjan", "shiloach_vishkin")]
    shown = ", ".join(f"{name} {times(value)}" for name, value in ratios.items())
    return Finding(
        verdict(
            [
                0.67 < ratios["rem_cas"] < 1.5,
                ratios["jtb"] > 1,
                ratios["rem_lock"] > ratios["hooks"] > ratios["jtb"],
                all(value >= 3 for value in rounds),
                lost > 0 or worst > 10,
            ]
        ),
        f"Unsampled, time over async(compress) in geometric mean: {shown}. On graphs of large diameter label "
        + (f"propagation takes up to {times(worst)}" if ended else "propagation has no time")
        + (f", and did not end in time on {lost} of {len(far(races))}." if lost else "."),
        {f"{name} over async(compress)": value for name, value in ratios.items() if not math.isnan(value)},
    )


def sampling_dominates(races: Races) -> Finding:
    plan = "kout(2)+async(compress)"
    shares = {}
    for graph in dense(races):
        _, phases = races.profile(graph, plan)
        spent = {name: time for name, time in phases.items() if name != "number"}
        sampling = sum(time for name, time in spent.items() if name.startswith(("sample", "kout")))
        if sampling:
            shares[graph] = sampling / sum(spent.values())
    over_half = [share > 0.5 for share in shares.values()]
    return Finding(
        verdict(over_half or [False]),
        f"Sampling takes more than half of a run with k-out on {sum(over_half)} of {len(over_half)} dense graphs "
        f"(mean share {sum(shares.values()) / max(len(shares), 1):.0%}, published median 89 %).",
        {f"share of sampling, {graph}": share for graph, share in shares.items()},
    )


def forest_is_no_slower(races: Races) -> Finding:
    plans = ("async(compress)", "kout(2)+async(compress)", "kout(2)+rem_cas(naive,halve_one)")
    ratios = {}
    for graph in races.graphs:
        for plan in plans:
            plain = races.seconds(graph, (plan,)).get(plan)
            forest = races.seconds(graph, (plan,), "forest").get(plan)
            if plain and forest:
                ratios[f"{plan}, {graph}"] = forest / plain
    value = geometric_mean(ratios.values())
    return Finding(
        verdict([value <= 1]),
        f"A spanning forest takes {times(value)} the time of the components by the same plan (published 0.94x).",
        {f"forest over components, {name}": value for name, value in ratios.items()},
    )


def ablation(options: Sequence[tuple[str, str]]) -> dict[str, str]:
    plan = "kout(2)+rem_cas(naive,halve_one)"
    return {name: f"{plan}@gpu({option})" if option else plan for name, option in options}


def coalescing_pays(races: Races) -> Finding:
    plans = ablation(
        [("per vertex", "arcs=vertex"), ("coalesced", "arcs=coalesced"), ("reorganised", "arcs=reorganised")]
    )
    gains = {
        name: geometric_mean(ratio(races, plans["per vertex"], plans[name], races.graphs).values())
        for name in ("coalesced", "reorganised")
    }
    return Finding(
        verdict([gains["coalesced"] > 1, gains["reorganised"] > gains["coalesced"]]),
        f"Against arcs read vertex by vertex, coalesced reading runs {times(gains['coalesced'])} as fast and edge "
        f"reorganisation {times(gains['reorganised'])} (published 1.21x and 1.29x).",
        {f"arcs=vertex over arcs={name}": gain for name, gain in gains.items()},
    )


def stale_reads(races: Races) -> Finding:
    fresh, stale = (f"hb(4)+rem_cas(naive,halve_one)@gpu(reads={reads})" for reads in ("fresh", "stale"))
    ratios = ratio(races, fresh, stale, races.graphs)
    value = geometric_mean(ratios.values())
    return Finding(
        verdict([value < 1.1]),
        f"Reading every parent past the L1 cache takes {times(value)} the time of reads that may be stale, up to "
        f"{times(max(ratios.values(), default=math.nan))}: where the cost of freedom from races lies, it lies there.",
        {f"fresh over stale reads, {graph}": gain for graph, gain in ratios.items()},
    )


BOTH = ("cpu", "gpu")
CLAIMS = (
    Claim(
        "A1", "k-out sampling pays from average degree 6 on and costs time on road-like graphs",
        "hong2020", BOTH, kout_helps,
    ),
    Claim("A2", "HB sampling beats k-out exactly where its coverage is high", "hong2020", BOTH, hb_needs_coverage),
    Claim("A3", "BFS sampling is never best, and bad where the diameter is large", "hong2020", BOTH, bfs_never_best),
    Claim(
        "A4", "unsampled, async and rem_cas lead, then jtb, hooks, rem_lock; families in rounds are at least 3x slower",
        "hong2020", BOTH, order_of_unites,
    ),
    Claim("A5", "sampling dominates the time of a sampled run", "hong2020", BOTH, sampling_dominates),
    Claim(
        "A6", "coalesced reading of sampled arcs and edge reorganisation each save time",
        "hong2020", ("gpu",), coalescing_pays,
    ),
    Claim("A7", "a spanning forest costs no more than the components", "hong2020", BOTH, forest_is_no_slower),
    Claim("F1", "code free of races costs little", "jaiganesh2018", ("gpu",), stale_reads),
)  # fmt: skip
