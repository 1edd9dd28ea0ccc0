"""plan="auto": the facts about a graph from which an engine chooses a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from landbridge.plan.model import Choice, Plan


@dataclass(frozen=True, slots=True)
class Facts:
    """What the choice reads.

    vertices, edges: n and the number of stored edges. layout: "csr" or "coo". symmetric: both directions are known to
    be stored. average_degree: stored edges per vertex. threads: that will run. The rest is from a few hundred vertices
    of a CSR, on a GPU from 1,024 and first_smaller from 32 times as many (0 for COO). skew: largest over average
    degree. first_smaller: share whose first neighbour is smaller. local: share of first and last neighbours within
    1/64 of the id range. expansion: new vertices two steps away for each one step away (d - 1 in random graphs, about
    2 in planar ones, 1 along paths); it predicts what sampling a few edges per vertex will cover. repeats: share of
    the two-step walks to a vertex met before (above a quarter in lattices, 0 in random graphs and trees). doubled:
    share whose first two neighbours are the same. shared: share whose first neighbour is one and the same vertex, the
    centre of a star. in_rows: the CSR is an edge list that consists of symmetric rows. upward: share whose first and
    last neighbours are both larger; 0 on a GPU.
    """

    vertices: int
    edges: int
    layout: str
    symmetric: bool
    average_degree: float
    skew: float
    first_smaller: float
    local: float
    expansion: float
    threads: int
    repeats: float = 0.0
    doubled: float = 0.0
    shared: float = 0.0
    in_rows: bool = False
    upward: float = 0.0


def for_forest(choice: Choice[Plan]) -> Choice[Plan]:
    """The same choice for a spanning forest: a finish that yields none is replaced by the nearest one that does."""
    finish = choice.plan.finish
    if not finish.no_forest:
        return choice
    why = f"{finish} yields no spanning forest; {finish.link} with split_one does"
    return Choice(replace(choice.plan, finish=replace(finish, splice="split_one")), (*choice.reasons, why))
