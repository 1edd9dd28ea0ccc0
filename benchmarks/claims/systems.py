"""Claims B1 to B6 about ECL-CC and its options, and C1 to C3 about rounds, stages and sorting."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cases import family_of
from benchmarks.claims.claim import Claim, Finding, Races, ratio, times, verdict
from benchmarks.tables import geometric_mean

ECL = "ecl_cc"
RANDOM = {"random", "scale_free"}
"""Families of random and scale-free graphs."""


def option(name: str, value: object) -> str:
    return f"{ECL}({name}={value})"


def over_default(races: Races, name: str, values: Sequence[object]) -> dict[object, dict[str, float]]:
    """Of each value of an option: seconds over those of the default, by graph. All take turns in one race."""
    plans = {value: option(name, value) for value in values}
    ratios: dict[object, dict[str, float]] = {value: {} for value in values}
    for graph in races.graphs:
        measured = races.seconds(graph, (ECL, *plans.values()))
        for value, plan in plans.items():
            if plan in measured and ECL in measured:
                ratios[value][graph] = measured[plan] / measured[ECL]
    return ratios


def figures(ratios: dict[object, dict[str, float]], name: str) -> dict[str, float]:
    return {f"{name}={value} over the default, {graph}": r for value, row in ratios.items() for graph, r in row.items()}


def start(races: Races) -> Finding:
    ratios = over_default(races, "init", ("init1", "init2"))
    own, smallest = (geometric_mean(ratios[value].values()) for value in ("init1", "init2"))
    return Finding(
        verdict([own > 1, smallest > 1.1]),
        f"Starting from the vertex itself takes {times(own)} as long as from the first smaller neighbour (published "
        f"1.04x), from the smallest neighbour {times(smallest)} (published 1.4x).",
        figures(ratios, "init"),
    )


def jumping(races: Races) -> Finding:
    ratios = over_default(races, "jump", ("jump1", "jump2", "jump3"))
    multiple, single, none = (geometric_mean(ratios[value].values()) for value in ("jump1", "jump2", "jump3"))
    return Finding(
        verdict([single > 1, multiple > single, none > multiple]),
        f"Against intermediate jumping, single jumping takes {times(single)} as long (published 1.26x), multiple "
        f"{times(multiple)} (1.6x) and none {times(none)} (3.7x).",
        figures(ratios, "jump"),
    )


def finalising(races: Races) -> Finding:
    ratios = over_default(races, "fini", ("fini1", "fini2"))
    intermediate, multiple = (geometric_mean(ratios[value].values()) for value in ("fini1", "fini2"))
    return Finding(
        verdict([0.95 < intermediate < 1.05, multiple > 1.05]),
        f"Against a single jump at the end, intermediate jumping takes {times(intermediate)} as long (published "
        f"1.005x) and multiple jumping {times(multiple)} (published 1.14x).",
        figures(ratios, "fini"),
    )


def thresholds(races: Races) -> Finding:
    small = over_default(races, "small", (8, 32, 64))
    large = over_default(races, "large", (128, 512, 1024))
    means = [geometric_mean(row.values()) for row in (*small.values(), *large.values())]
    return Finding(
        verdict([0.9 < value < 1.1 for value in means]),
        f"With the degree thresholds 8 to 64 and 128 to 1024 a run takes {times(min(means))} to {times(max(means))} "
        f"the time of 16 and 352, in geometric means.",
        figures(small, "small") | figures(large, "large"),
    )


def order_on_gpu(races: Races) -> Finding:
    plans = ("groute_cc", "soman", "gunrock_cc")
    groute, soman, gunrock = (geometric_mean(ratio(races, plan, ECL, races.graphs).values()) for plan in plans)
    return Finding(
        verdict([groute > 1, soman > groute, gunrock > soman]),
        f"Against ECL-CC, Groute's system takes {times(groute)} as long (published 1.8x), Soman's {times(soman)} "
        f"(4.0x) and Gunrock's {times(gunrock)} (8.4x).",
        {f"{p} over {ECL}": value for p, value in zip(plans, (groute, soman, gunrock), strict=True)},
    )


def order_on_threads(races: Races) -> Finding:
    published = {"bfscc": 1.5, "label_propagation(frontier)": 2.2, "crono_sv": 3.5, "multistep": 3.6, "ndhybrid": 0.98}
    ratios = {plan: geometric_mean(ratio(races, plan, ECL, races.graphs).values()) for plan in published}
    serial = geometric_mean(
        ratio(races, "serial_search@cpu(threads=1)", f"{ECL}@cpu(threads=1)", races.graphs).values()
    )
    shown = ", ".join(f"{plan} {times(value)} ({times(published[plan])})" for plan, value in ratios.items())
    return Finding(
        verdict([*(value > 1 for plan, value in ratios.items() if plan != "ndhybrid"), serial > 1]),
        f"Against ECL-CC on all threads (published in brackets): {shown}; on one thread a depth-first search takes "
        f"{times(serial)} (published 2.6 to 9.1x for libraries' searches).",
        {f"{plan} over {ECL}": value for plan, value in ratios.items()} | {"serial search over serial ECL-CC": serial},
    )


def updating(races: Races) -> Finding:
    graphs = [graph for graph in races.graphs if family_of(graph) in RANDOM]
    update = ratio(races, "cong_muzio_cc", "cc_updt", graphs)
    staged = ratio(races, "cc_updt", "stages(cong_muzio_cc,q=1)", graphs)
    stages = geometric_mean(staged.values())
    return Finding(
        verdict([geometric_mean(update.values()) > 1.2, stages > 1]),
        f"On random and scale-free graphs replacing the endpoints of edges by roots makes CC "
        f"{times(geometric_mean(update.values()))} as fast (published 1.66 to 3.0x), and stages of n edges run "
        f"{times(stages)} as fast as that.",
        {f"cong_muzio_cc over cc_updt, {graph}": value for graph, value in update.items()}
        | {f"cc_updt over stages(cong_muzio_cc,q=1), {graph}": value for graph, value in staged.items()},
    )


def rems_place(races: Races) -> Finding:
    plans = {"cpu": "rem_verify", "gpu": "rem_cas(naive,splice)"}
    rem = plans[races.engine]
    ratios = {p: ratio(races, rem, p, races.graphs) for p in ("cc_updt", "stages(cong_muzio_cc,q=1)")}
    values = {plan: geometric_mean(row.values()) for plan, row in ratios.items()}
    ahead = values["stages(cong_muzio_cc,q=1)"] < 1
    shown = " and ".join(f"{times(value)} the time of {plan}" for plan, value in values.items())
    return Finding(
        verdict([ahead if races.engine == "cpu" else not ahead]),
        f"{rem} takes {shown}.",
        {f"{rem} over {plan}": value for plan, value in values.items()},
    )


def short_paths(races: Races) -> Finding:
    lengths = {graph: races.path_length(graph) for graph in races.graphs}
    means = [length for length, _ in lengths.values()]
    longest = max(lengths, key=lambda graph: lengths[graph][1])
    return Finding(
        verdict([sum(length <= 1.6 for length in means) > 0.8 * len(means)]),
        f"A find takes {min(means):.2f} to {max(means):.2f} hops on average (published 1 to 1.5 on all but one graph); "
        f"the longest of all, {lengths[longest][1]} hops, is on {longest}.",
        {f"hops a find, {graph}": length for graph, (length, _) in lengths.items()},
    )


def sorting(races: Races) -> Finding:
    sort, gather = races.sort_and_gather()
    return Finding(
        verdict([sort > gather]),
        f"Sorting random accesses by address takes {times(sort / gather)} as long as making them unsorted, so it "
        f"cannot pay for rounds that make each access once."
        if sort > gather
        else f"Sorting random accesses by address takes only {times(sort / gather)} the time of making them unsorted.",
        {"sorting over accessing": sort / gather},
    )


BOTH = ("cpu", "gpu")
CLAIMS = (
    Claim("B1", "ECL-CC is fastest when it starts from the first smaller neighbour", "jaiganesh2018", BOTH, start),
    Claim(
        "B2", "intermediate jumping beats single, multiple and no jumping, in this order",
        "jaiganesh2018", BOTH, jumping,
    ),
    Claim(
        "B3", "at the end single and intermediate jumping tie, multiple is slower",
        "jaiganesh2018", BOTH, finalising,
    ),
    Claim("B4", "the degree thresholds 16 and 352 are insensitive", "jaiganesh2018", ("gpu",), thresholds),
    Claim("B5", "on a GPU: ECL-CC, then Groute, Soman, Gunrock", "jaiganesh2018", ("gpu",), order_on_gpu),
    Claim(
        "B5t", "on threads ECL-CC leads, and on one thread it beats a search",
        "jaiganesh2018", ("cpu",), order_on_threads,
    ),
    Claim("B6", "paths are 1 to 1.5 hops long on average", "jaiganesh2018", ("cpu",), short_paths),
    Claim("C1", "updating the endpoints of edges pays, and stages pay more", "cong2014", BOTH, updating),
    Claim("C2", "sorting accesses for coalescing does not pay", "cong2014", BOTH, sorting),
    Claim("C3", "Rem's algorithm is best on processors and not on GPUs", "patwary2012", BOTH, rems_place),
)  # fmt: skip
