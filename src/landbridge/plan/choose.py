"""plan="auto": the facts about a graph from which an engine chooses a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from landbridge.plan.model import Choice, Plan


@dataclass(frozen=True, slots=True)
class Facts:
    """What the choice reads.

    vertices, edges: n and the number of stored edges. layout: "csr" or "coo". symmetric: both directions are known
    to be stored. average_degree: stored edges per vertex. density: the same for CSR; for COO, edges over the
    largest of about 512 ids, which needs no number of vertices. threads: that will run. The rest is from a
    few hundred vertices of a CSR (0 for COO). skew: largest over average degree. first_smaller: share whose first
    neighbour is smaller. local: share of first and last neighbours within 1/64 of the id range. expansion: new
    vertices two steps away for each one step away (d - 1 in random graphs, about 2 in planar ones, 1 along paths);
    it predicts what sampling a few edges per vertex will cover.
    """

    vertices: int
    edges: int
    layout: str
    symmetric: bool
    average_degree: float
    density: float
    skew: float
    first_smaller: float
    local: float
    expansion: float
    threads: int


def for_forest(choice: Choice[Plan]) -> Choice[Plan]:
    """The same choice for a spanning forest: a finish that yields none is replaced by the nearest one that does."""
    finish = choice.plan.finish
    if not finish.no_forest:
        return choice
    why = f"{finish} yields no spanning forest; {finish.link} with split_one does"
    return Choice(replace(choice.plan, finish=replace(finish, splice="split_one")), (*choice.reasons, why))
