"""plan="auto": the facts about a graph from which an engine chooses a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace

from landbridge.plan.model import Choice, Plan

LAID_OUT = 0.02
"""Pairs of first neighbours equally far off from which a rule has given far ids, as in lattices with reversed bits."""
RINGS, GROWS, RANDOM = 1.05, 2.5, 6.0
"""New vertices two steps away for each one step away: up to the first along rings, up to the second in meshes, from the
third on in random graphs with rows of eight neighbours and more."""
ENCLOSED, EXPANSION_COUNTS = 0.88, 0.1
"""In communities of up to a hundred vertices the share of enclosed steps and a tenth of the expansion make up so much:
lattices and graphs of near neighbours enclose fewer steps where they expand as much."""
FEWEST_EACH, MOST_EACH, HUBS = 5.0, 32.0, 8.0
"""Edges per vertex of communities of which a sample would be most, and the largest over average degree."""
MANY_VERTICES = 4096
"""Vertices of a graph that has many communities, or many rows with one distance by chance."""


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
    last neighbours are both larger; 0 on a GPU. empty: share of vertices without neighbours. enclosed: share of steps
    from vertices two steps away that end no further away (most in communities of up to a hundred vertices).
    equidistant: share of pairs of first neighbours that are not near and equally far off (1/192 for ids in no order).
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
    empty: float = 0.0
    enclosed: float = 0.0
    equidistant: float = 0.0


def is_laid_out(facts: Facts) -> bool:
    """Whether first neighbours are far off at the same distances throughout, so that hooks to them join long paths."""
    return facts.vertices >= MANY_VERTICES and facts.equidistant >= LAID_OUT and not are_enclosed(facts)


def in_communities(facts: Facts) -> bool:
    """Whether most edges stay inside of communities of a few to a hundred vertices, which may be whole components: a
    sample joins few trees beyond them."""
    many_rows = facts.vertices >= MANY_VERTICES and FEWEST_EACH <= facts.average_degree < MOST_EACH
    return many_rows and facts.skew < HUBS and are_enclosed(facts)


def are_enclosed(facts: Facts) -> bool:
    """Whether nearly all that is around a few vertices are two steps away, as in communities and small components."""
    return RINGS <= facts.expansion < RANDOM and facts.enclosed + EXPANSION_COUNTS * facts.expansion >= ENCLOSED


def for_forest(choice: Choice[Plan]) -> Choice[Plan]:
    """The same choice for a spanning forest: a finish that yields none is replaced by the nearest one that does."""
    finish = choice.plan.finish
    if not finish.no_forest:
        return choice
    why = f"{finish} yields no spanning forest; {finish.link} with split_one does"
    return Choice(replace(choice.plan, finish=replace(finish, splice="split_one")), (*choice.reasons, why))
