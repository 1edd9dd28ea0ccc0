"""Claim D3 of the thesis of 2010: how many rounds Shiloach and Vishkin's algorithm takes on its families of graphs."""

from __future__ import annotations

from fractions import Fraction

from benchmarks.claims.claim import Claim, Finding, Races, verdict
from benchmarks.tables import geometric_mean

PLAN = "sv0_5"
FAMILIES = {
    "random": ("density_graph(8000000,delta=0.001,seed=1)", "density_graph(8000000,delta=0.01,seed=1)"),
    "lists": ("list_graph(4000000,seed=1)",),
    "trees": ("tree_graph(4000000,k=2,seed=1)", "tree_graph(4000000,k=20,seed=1)"),
}
"""8,000,000 arcs each, as published."""


def bound(n: int) -> int:
    """ceil(log n to the base 3/2) + 2, in whole numbers."""
    rounds, reached = 2, Fraction(1)
    while reached < n:
        rounds, reached = rounds + 1, reached * 3 / 2
    return rounds


def rounds_by_family(races: Races) -> Finding:
    counts = {text: races.rounds(text, PLAN) for texts in FAMILIES.values() for text in texts}
    by_family = {family: geometric_mean(counts[text][1] for text in texts) for family, texts in FAMILIES.items()}
    within = all(rounds <= bound(n) for n, rounds in counts.values())
    most = max(bound(n) for n, _ in counts.values())
    shown = {family: "/".join(f"{counts[text][1]:.3g}" for text in texts) for family, texts in FAMILIES.items()}
    return Finding(
        verdict([by_family["random"] < by_family["lists"], by_family["lists"] < by_family["trees"], within]),
        f"{PLAN} takes {shown['random']} rounds on random graphs of density 0.001 and 0.01 (published 5 and 5 on CPU "
        f"threads, 6 and 5 on a GPU), {shown['lists']} on a list (6; 18 to 19) and {shown['trees']} on trees of up to "
        f"2 and 20 children (19; 21 to 25), "
        + (f"never more than ceil(log n to the base 3/2) + 2, here up to {most}." if within else "above their bound."),
        {f"rounds, {text}": rounds for text, (_, rounds) in counts.items()},
    )


CLAIMS = (
    Claim(
        "D3", "Shiloach and Vishkin's rounds are fewest on random graphs, then lists, then trees, and keep their bound",
        "yogaratnam2010", ("cpu",), rounds_by_family,
    ),
)  # fmt: skip
