"""plan="auto": from a few facts about a graph to a plan, with the reasons in words. Knows no graph."""

from __future__ import annotations

from dataclasses import dataclass

from landbridge.plan.grammar import parse
from landbridge.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Facts:
    """What the choice looks at.

    vertices, edges: n and the number of stored edges. layout: "csr" or "coo". symmetric: rows are known to hold both
    directions. average_degree: stored arcs a vertex. skew: largest over average degree among the vertices probed (0 for
    pairs). first_smaller: the share of probed vertices whose first neighbour is smaller (0 for pairs). local: the share
    of probed arcs that stay within 1/64 of the id range. threads: that will run.
    """

    vertices: int
    edges: int
    layout: str
    symmetric: bool
    average_degree: float
    skew: float
    first_smaller: float
    local: float
    threads: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A plan and why it was chosen, one sentence a reason."""

    plan: Plan
    reasons: tuple[str, ...]


def choose_cpu(facts: Facts) -> Choice:
    """The plan for CPU threads."""
    if facts.layout == "coo":
        why = "the edges are a list of pairs: building rows would cost more than uniting them as they come"
        return Choice(parse("rem_cas(naive,split_one)"), (why,))
    return Choice(parse("kout(2)+rem_cas(naive,split_one)"), ("rows",))
