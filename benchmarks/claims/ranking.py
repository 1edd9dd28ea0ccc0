"""What the papers claim of list ranking: D1, D2 (thesis of 2010) and E1 (hybrid of 2011), each in its parts.

`Races` are here those of lists: a graph is a text such as "random 2^20".
"""

from __future__ import annotations

import math
from itertools import pairwise

from benchmarks.claims.claim import Claim, Finding, Races, ratio, times, verdict
from benchmarks.tables import geometric_mean

SPLITTERS = "random_splitter(16384,bits64)"
SHORT = "random_splitter(16384,bits48)"
FACTORS = (1, 2, 3, 4, 5, 6)
PROBLEM = "list_ranking"


def fis(factor: int) -> str:
    return "fis" if factor == 4 else f"fis({factor})"


def random_lists(races: Races) -> list[str]:
    """Random lists in ascending order of their length."""
    return [graph for graph in races.graphs if graph.startswith("random")]


def length(graph: str) -> int:
    return 2 ** int(graph.partition("^")[2])


def over(races: Races, slow: str, fast: str) -> dict[str, float]:
    """Seconds of `slow` over those of `fast` on every random list on which both have a time."""
    return ratio(races, slow, fast, random_lists(races), PROBLEM)


def _figures(what: str, values: dict[str, float]) -> dict[str, float]:
    return {f"{what}, {graph}": value for graph, value in values.items()}


def wyllie_grows(races: Races) -> Finding:
    gains = over(races, "wyllie", SPLITTERS)
    values = list(gains.values())
    grows = len(values) > 1 and values[-1] > values[0]
    return Finding(
        verdict([bool(values) and min(values) > 1, grows]),
        f"Wyllie takes {times(values[0] if values else math.nan)} as long as random splitters on the shortest list and "
        f"{times(values[-1] if values else math.nan)} on the longest.",
        _figures("wyllie over random splitters", gains),
    )


def walks_dominate(races: Races) -> Finding:
    shares = {}
    for graph in random_lists(races):
        _, phases = races.profile(graph, SPLITTERS)
        whole = sum(phases.values())
        shares[graph] = phases.get("walk", 0.0) / whole if whole else 0.0
    values = list(shares.values())
    return Finding(
        verdict([share > 0.5 for share in values] or [False]),
        f"The walks are {min(values, default=math.nan):.0%} to {max(values, default=math.nan):.0%} of the time.",
        _figures("share of the walks", shares),
    )


def layouts_cross(races: Races) -> Finding:
    gains = over(races, SHORT, SPLITTERS)
    values = list(gains.values())
    pace = {
        graph: races.seconds(graph, (SPLITTERS,), PROBLEM)[SPLITTERS] / length(graph) for graph in random_lists(races)
    }
    steps = {after: pace[after] / pace[before] for before, after in pairwise(pace)}
    worst = max(steps, key=lambda graph: steps[graph], default="")
    return Finding(
        verdict([bool(values) and values[0] > 1.02, bool(values) and values[-1] < 1.0]),
        f"48 bits take {times(values[0] if values else math.nan)} the time of 64 on the shortest list and "
        f"{times(values[-1] if values else math.nan)} on the longest; the time for an element rises most towards "
        f"{worst} ({times(steps.get(worst, math.nan))}).",
        {**_figures("48 over 64 bits", gains), **_figures("time per element over the list before", steps)},
    )


def gpu_over_cpu(races: Races) -> Finding:
    gains = over(races, f"{SPLITTERS}@cpu", SPLITTERS)
    values = list(gains.values())
    return Finding(
        verdict([bool(values) and values[-1] >= 8]),
        f"Random splitters on the GPU are {times(min(values, default=math.nan))} to "
        f"{times(max(values, default=math.nan))} as fast as on this machine's CPU threads "
        "(published: nearly 10x over four threads).",
        _figures("CPU threads over GPU", gains),
    )


def threads_gain_little(races: Races) -> Finding:
    gains = over(races, "serial", SPLITTERS)
    values = list(gains.values())
    return Finding(
        verdict([bool(values) and geometric_mean(values) < 1.25]),
        f"Random splitters on CPU threads are {times(geometric_mean(values))} as fast as one walk, geometric mean "
        "(published: less than 1.25x with four threads).",
        _figures("one walk over random splitters", gains),
    )


def sharing(races: Races) -> Finding:
    gains = over(races, "wyllie(block)", "wyllie(stride)")
    values = [value if races.engine == "gpu" else 1 / value for value in gains.values()]
    good, bad = ("striding", "blocks") if races.engine == "gpu" else ("blocks", "striding")
    return Finding(
        verdict([value > 1 for value in values] or [False]),
        f"Pointer jumping with {good} is {times(geometric_mean(values))} as fast as with {bad}, geometric mean.",
        _figures("blocks over striding", gains),
    )


def best_factor(races: Races) -> Finding:
    plans = [fis(factor) for factor in FACTORS]
    best = {}
    figures = {}
    for graph in random_lists(races):
        spent = races.seconds(graph, plans, PROBLEM)
        if len(spent) == len(plans):
            best[graph] = min(FACTORS, key=lambda factor: spent[fis(factor)])
            for factor in FACTORS:
                figures[f"factor {factor} over the best, {graph}"] = spent[fis(factor)] / spent[fis(best[graph])]
    near = [figures[f"factor 4 over the best, {graph}"] for graph in best]
    factors = ", ".join(f"{factor} on {graph}" for graph, factor in best.items())
    return Finding(
        verdict([factor in (4, 5) for factor in best.values()] or [False]),
        f"The best factor is {factors}; 4 takes {times(geometric_mean(near))} the time of the best.",
        figures,
    )


def removals_help(races: Races) -> Finding:
    gains = over(races, SPLITTERS, "fis")
    values = list(gains.values())
    return Finding(
        verdict([value > 1 for value in values] or [False]),
        f"Removals before splitters are {times(geometric_mean(values))} as fast as splitters alone, geometric mean.",
        _figures("splitters over removals and splitters", gains),
    )


def hybrid_beats_gpu(races: Races) -> Finding:
    pure, published = over(races, "fis", "fis_hybrid"), over(races, "wei_jaja", "fis_hybrid")
    return Finding(
        verdict(
            [geometric_mean(pure.values()) > 1 if pure else False, all(value > 1.7 for value in published.values())]
        ),
        f"With bits from the CPU the removals are {times(geometric_mean(pure.values()))} as fast as with bits of the "
        f"GPU, and {times(geometric_mean(published.values()))} as fast as Wei and JaJa's method (published: about 2x).",
        {**_figures("pure GPU over hybrid", pure), **_figures("wei_jaja over hybrid", published)},
    )


def gpu_is_busy(races: Races) -> Finding:
    idle = {graph: races.profile(graph, "fis_hybrid")[0] for graph in random_lists(races)}
    values = list(idle.values())
    return Finding(
        verdict([value < 0.05 for value in values] or [False]),
        f"The GPU waits for bits {min(values, default=math.nan):.1%} to {max(values, default=math.nan):.1%} of the "
        "removals' time.",
        _figures("share of waiting", idle),
    )


BOTH, CPU, GPU = ("cpu", "gpu"), ("cpu",), ("gpu",)
THESIS, HYBRID = "yogaratnam2010", "banerjee2011"

CLAIMS: tuple[Claim, ...] = (
    Claim("D1a", "Random splitters beat Wyllie, the more the longer the list", THESIS, BOTH, wyllie_grows),
    Claim("D1b", "The walks between splitters dominate", THESIS, BOTH, walks_dominate),
    Claim("D1c", "The 64-bit layout wins before the inflection, the 48-bit one after it", THESIS, BOTH, layouts_cross),
    Claim("D1d", "A GPU ranks nearly 10x as fast as CPU threads", THESIS, GPU, gpu_over_cpu),
    Claim("D1e", "Splitters on CPU threads gain less than 25 % over one walk", THESIS, CPU, threads_gain_little),
    Claim("D2", "striding suits GPUs, blocks suit CPUs", THESIS, BOTH, sharing),
    Claim("E1a", "4 to 5 lg lg n rounds of removals are best", HYBRID, BOTH, best_factor),
    Claim("E1b", "Removals before splitters beat splitters alone", HYBRID, GPU, removals_help),
    Claim("E1c", "The hybrid beats the GPU alone, and halves Wei and JaJa's time", HYBRID, GPU, hybrid_beats_gpu),
    Claim("E1d", "The GPU idles less than 5 % of the time", HYBRID, GPU, gpu_is_busy),
)
