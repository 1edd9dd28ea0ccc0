"""plan="auto" on a GPU: from a few facts about an input to a plan, with the reasons in words."""

from __future__ import annotations

from functools import cache

from landbridge.engine.gpu.schedule import MANY, SMALL
from landbridge.plan import Choice, ListFacts, Plan, RankPlan, parse
from landbridge.plan.choose import Facts, for_forest, in_communities, is_laid_out

# Read off the times of all plans on families of graphs in several orders, at two sizes, on one H100, and compared with
# those on 36 other families. Roots are the vertices that hooking leaves, which have no smaller first neighbour;
# permuted ids leave one for each row and its vertex, so that roots times (degree + 1) are about as many as there are
# vertices.
NO_ROOTS = 1e-4  # share of roots in natural order: one for a component, or for a few of them
_ONE_ROOT = 1.5  # roots in natural order where vertices are few: one, and what rounding adds
FEW_ROOTS = 0.35  # roots over those of permuted ids, where ids follow the edges
HALF_THE_ROOTS = 0.5  # the same where vertices with long rows come first: first neighbours lead to these
PERMUTED = (0.95, 1.15)  # the same where they do not
MESHED = 0.25  # share of two-step walks that end at a vertex met before: a lattice, whatever its ids are
CLIQUES, LARGE_CLIQUES = 0.95, 1.1  # lattices whose two-step walks reach less than this stay inside of cliques
SURFACE = 1.5  # and above this they have two dimensions
SOLID, SOLID_ROWS = 2.5, 5.5  # and from this they have more; edges per vertex of those
LONG_ROWS = 12.0  # edges per vertex from which two of each row reach far
SHORT_ROWS, PLANAR = 8.0, 6.0  # of sparse meshes: degree, and expansion
SKEWED, LARGE_HUBS = 8.0, 100.0  # largest over average degree where there are hubs, and where these are large
STARS = 3.5  # expansion of sparse graphs with hubs
EVEN, EVEN_OF_SMALL = 10.0, 2.5  # largest over average degree where rows are about equally long; of small graphs
SINGLE = 64  # an edge for so many of all is that of a hub with few others beside it, which all blocks share
STAR = 0.6  # share of rows with one first neighbour where there is a star
DOUBLED = 0.5  # share of rows that begin with one neighbour twice: two edges of a vertex are then one
CHAINS = 1.2  # expansion along chains, less of which is many small components
TINY = 1.7  # edges per vertex of components of two or three vertices
BRANCHING = 3.0  # expansion of graphs that a search from one vertex soon covers
GROWING, FAST = 2.5, 5.0  # expansion of sparse graphs with a large component, and of those that hubs hold together
GROWN, HELD = 2.5, 2.2  # edges per vertex of such
MIXED = 0.9  # ids without relation to degrees: many vertices have no smaller first neighbour
NEAR, MOSTLY_NEAR, LOCAL, FAR = 0.985, 0.9, 0.5, 0.3  # shares of rows that stay close by
FEW_ARCS = 3.2  # edges per vertex below which sampling two of them is most of the work
FEW_ARCS_TWICE = 2.8  # the same of large meshes that may store each edge twice
_IN_CACHE = 3 * 2**21  # vertices whose parents lie in the L2 cache beside what else is read
_SEARCHED, _SEARCHED_HUBS = 3 * 2**20, 3 * 2**19  # vertices above which a search pays, and where there are hubs
_LEADING = 3 * 2**24  # edges from which it does where first neighbours lead to vertices with long rows
_CONNECTED = "a few arcs per vertex find the largest tree, and most rows need not be read"
_ADAPTS = "the share of the largest tree decides on the device what follows"
_READS_ALL = "all rows are read only if vertices remain outside the largest tree, as an edge may be in one row alone"
_FLAT = "paths are flattened before edges are united"
_EVEN_ROWS = "rows are about equally long but for single ones, so equal tiles of vertices are equal work"
_ready = cache(parse)

COO_PLAN = SMALL_PLAN = "rem_cas(naive,halve_one)"
"""The plan for COO edge lists, streams, and graphs of a few edges."""
_HOOK = "rem_cas(naive,halve_one)@gpu(start=hook)"
_HOOK_TILES = "rem_cas(naive,halve_one)@gpu(balance=tile,start=hook)"
_FLAT_HOOK = "rem_cas(naive,halve_one)@gpu(start=star)"
_FLAT_HOOK_TILES = "rem_cas(naive,halve_one)@gpu(balance=tile,start=star)"
_HOOK_SAMPLE = "hb(3)+rem_cas(naive,halve_one)@gpu(adapt=on)"
_HOOK_MANY = "hb(16)+rem_cas(naive,halve_one)@gpu(adapt=on)"
_ONE = "kout(1)+rem_cas(naive,halve_one)@gpu(adapt=on)"
_TWO = "kout(2)+rem_cas(naive,splice)@gpu(adapt=on)"
_TWO_HALVED = "kout(2)+rem_cas(naive,halve_one)@gpu(adapt=on)"
_TWO_NEAR = "kout(2)+rem_cas(naive,splice)@gpu(adapt=on,merge=near)"
_SEARCH = "bfs+rem_cas(naive,halve_one)@gpu(adapt=on)"
_ALL = SMALL_PLAN
PLANS = (
    _HOOK, _HOOK_TILES, _FLAT_HOOK, _FLAT_HOOK_TILES, _HOOK_SAMPLE, _HOOK_MANY, _ONE, _TWO, _TWO_HALVED, _TWO_NEAR,
    _SEARCH, _ALL,
)  # fmt: skip
"""The plans for CSR graphs that are not small."""


def choose_components(facts: Facts) -> Choice[Plan]:
    """The plan for components."""
    if facts.vertices + facts.edges <= SMALL:
        why = "the graph is so small that one thread block handles it in one launch"
        return Choice(_ready(SMALL_PLAN), (why,))
    if facts.layout == "coo":
        why = "the input is a COO edge list: building a CSR would cost more than uniting the edges in their order"
        return Choice(_ready(COO_PLAN), (why,))
    if _naturally_ordered(facts):
        return _in_natural_order(facts)
    if in_communities(facts):
        why = f"{facts.enclosed:.0%} of steps from vertices two edges away lead no further"
        return Choice(_ready(_HOOK), (_hooked(facts), f"{why}: small communities, of which a sample joins few"))
    if facts.shared >= STAR and facts.expansion >= FAST:
        return _adaptive(facts, _HOOK_SAMPLE, f"{facts.shared:.0%} of the rows have one first neighbour, as in a star")
    in_chains = facts.repeats >= MESHED or facts.expansion < STARS
    if facts.local >= FAR or facts.shared >= STAR or (in_chains and _roots(facts) < FEW_ROOTS):
        return _near(facts)
    if facts.average_degree < FEW_ARCS:
        return _sparse(facts)
    if facts.doubled >= DOUBLED:
        return _doubled(facts)
    if facts.repeats >= MESHED:
        return _lattice(facts)
    return _random(facts)


def _hooked(facts: Facts) -> str:
    return f"{facts.first_smaller:.1%} of the vertices have a smaller first neighbour: hooked without compare-and-swap"


def _reach(facts: Facts) -> str:
    return f"two steps reach {facts.expansion:.1f} times as many vertices as one, {facts.repeats:.0%} more than once"


def _adaptive(facts: Facts, plan: str, *reasons: str) -> Choice[Plan]:
    return Choice(_ready(plan), (*reasons, _CONNECTED, _ADAPTS if facts.symmetric else _READS_ALL))


def _roots(facts: Facts) -> float:
    """Roots that hooking to first neighbours leaves, over those it would leave if ids were permuted."""
    return (1 - facts.first_smaller) * (facts.average_degree + 1)


def _naturally_ordered(facts: Facts) -> bool:
    """Whether nearly all vertices have a smaller first neighbour."""
    return 1 - facts.first_smaller <= max(NO_ROOTS, _ONE_ROOT / facts.vertices)


def _even(facts: Facts, bound: float) -> bool:
    """Whether equal tiles of vertices are about equal work: rows are short and alike, or there is a row that all blocks
    share and hardly another long one."""
    return (facts.skew < bound or _has_one_hub(facts)) and facts.average_degree < LONG_ROWS


def _has_one_hub(facts: Facts) -> bool:
    """Whether one row holds a noticeable share of all edges."""
    return facts.skew * facts.average_degree * SINGLE >= facts.edges


def _in_cliques(facts: Facts) -> bool:
    """Whether two steps stay inside of cliques: in those with long rows the neighbours that are looked at are about the
    same for all."""
    return facts.expansion < (CLIQUES if facts.average_degree < LONG_ROWS else LARGE_CLIQUES)


def _small(facts: Facts) -> bool:
    """Whether the launches of a sampling cost more than they save."""
    return facts.edges < MANY


def _hooks(facts: Facts, *reasons: str, flat: bool = False) -> Choice[Plan]:
    """Hook to first neighbours, then unite all edges: in tiles of vertices where rows are about equally long, else in
    equal shares of edges. flat: flatten in between, where hooks make long paths."""
    even = _even(facts, EVEN_OF_SMALL if flat or _small(facts) else EVEN)
    plan = (_FLAT_HOOK_TILES if even else _FLAT_HOOK) if flat else (_HOOK_TILES if even else _HOOK)
    why = (_hooked(facts), *([_FLAT] if flat else []), *reasons, *([_EVEN_ROWS] if even else []))
    return Choice(_ready(plan), why)


def _in_natural_order(facts: Facts) -> Choice[Plan]:
    """Nearly all vertices have a smaller first neighbour, so hooking leaves a few trees."""
    if facts.repeats >= MESHED and FAR <= facts.local < MOSTLY_NEAR:
        why = f"only {facts.local:.0%} of the rows stay close by: hooks make long paths, which uniting shortens"
        return _adaptive(facts, _ONE, why)
    if facts.average_degree >= LONG_ROWS and facts.skew >= SKEWED and facts.local < NEAR and not _small(facts):
        why = f"{facts.average_degree:.0f} edges per vertex, and hubs among them"
        return _adaptive(facts, _HOOK_SAMPLE, _hooked(facts), why)
    return Choice(_ready(_FLAT_HOOK), (_hooked(facts), "which may leave a single tree; else " + _FLAT))


def _near(facts: Facts) -> Choice[Plan]:
    """Ids follow the edges in parts, as in shuffled blocks: hooks make chains inside of them."""
    if facts.average_degree < TINY:
        return _hooks(facts, f"{facts.average_degree:.1f} edges per vertex: the paths are short")
    maze = CHAINS <= facts.expansion < GROWING and facts.repeats < MESHED
    if maze and facts.local >= LOCAL and _roots(facts) >= FEW_ROOTS:
        return Choice(_ready(_ALL), (f"{facts.local:.0%} of the rows stay close by, and {_reach(facts)}, as in mazes",))
    cliques = _in_cliques(facts)
    solid = facts.expansion >= SOLID or (FAR <= facts.local < MOSTLY_NEAR and not _small(facts))
    if facts.repeats >= MESHED and facts.average_degree >= (SOLID_ROWS if solid else LONG_ROWS) and not cliques:
        return _adaptive(facts, _TWO_HALVED, f"{_reach(facts)}, as in lattices, in blocks of near ids")
    if facts.average_degree >= LONG_ROWS and facts.skew >= SKEWED:
        plan = _TWO if facts.skew < LARGE_HUBS else _HOOK_SAMPLE
        return _adaptive(facts, plan, f"{facts.average_degree:.0f} edges per vertex, and hubs among them")
    if facts.expansion >= FAST and facts.repeats < MESHED:
        plan = _TWO_HALVED if facts.average_degree >= FEW_ARCS else _HOOK_SAMPLE
        return _adaptive(facts, plan, f"{_reach(facts)}: rows reach far although they lie close by")
    if _has_one_hub(facts) and facts.expansion >= GROWING and facts.shared < STAR:
        return _adaptive(facts, _HOOK_SAMPLE, "one hub has a large part of the edges, which lie close by")
    return _hooks(facts, flat=True)


def _sparse(facts: Facts) -> Choice[Plan]:
    """So few edges that a sample is most of them."""
    if not facts.symmetric and facts.average_degree >= FEW_ARCS_TWICE and facts.repeats >= MESHED and not _small(facts):
        return _lattice(facts)
    few = f"{facts.average_degree:.1f} edges per vertex: a sample would be most of the graph, so all are united"
    grows = GROWING <= facts.expansion < STARS and facts.repeats < MESHED and facts.skew < SKEWED
    if grows and facts.average_degree >= GROWN:
        return _adaptive(facts, _TWO_NEAR, f"{_reach(facts)}: most vertices are in one component")
    if facts.symmetric and facts.expansion >= FAST and facts.skew >= SKEWED and facts.average_degree >= HELD:
        return _adaptive(facts, _TWO, f"{_reach(facts)}: hubs hold most vertices together")
    return _hooks(facts, few)


def _doubled(facts: Facts) -> Choice[Plan]:
    """Edges are stored many times."""
    why = f"{facts.doubled:.0%} of the rows begin with one neighbour twice: a few edges per vertex would not do"
    if not facts.symmetric:
        return Choice(_ready(_ALL), (why,))
    return Choice(_ready(_HOOK), (_hooked(facts), why)) if _small(facts) else _adaptive(facts, _HOOK_MANY, why)


def _lattice(facts: Facts) -> Choice[Plan]:
    """Neighbours have neighbours in common, and ids are far from one another."""
    if _in_cliques(facts) and not is_laid_out(facts):
        return _hooks(facts, f"{_reach(facts)}: cliques, each hooked to its smallest vertex")
    permuted = PERMUTED[0] < _roots(facts) < PERMUTED[1]
    if permuted and facts.average_degree < LONG_ROWS and facts.expansion >= SURFACE and not _small(facts):
        return _adaptive(
            facts, _TWO_NEAR, f"{_reach(facts)}, as in meshes, where neighbouring vertices link the same trees"
        )
    return _adaptive(facts, _TWO_HALVED, f"{_reach(facts)}, as in lattices: first neighbours alone would not join them")


def _random(facts: Facts) -> Choice[Plan]:
    """Two steps from a vertex rarely meet."""
    hubs = facts.skew >= SKEWED
    if facts.expansion < GROWING:
        return Choice(_ready(_HOOK), (_hooked(facts), f"{_reach(facts)}: many vertices lie on chains"))
    leads = (hubs and facts.first_smaller >= MIXED) or _roots(facts) < HALF_THE_ROOTS
    large = facts.vertices > (_SEARCHED_HUBS if hubs else _SEARCHED) and (not leads or facts.edges >= _LEADING)
    if facts.symmetric and facts.expansion >= BRANCHING and large:
        return _adaptive(
            facts, _SEARCH, f"{_reach(facts)}: a search soon finds most, whose bits are closer than parents"
        )
    if hubs and facts.first_smaller < MIXED:
        why = "ids are unrelated to degrees: two edges of every vertex reach the hubs sooner than first neighbours do"
        return _adaptive(facts, _TWO, why)
    if _roots(facts) < FEW_ROOTS and facts.average_degree < LONG_ROWS:
        return _adaptive(facts, _HOOK_SAMPLE, _hooked(facts), _FLAT)
    if facts.average_degree < SHORT_ROWS and facts.expansion < PLANAR:
        return _adaptive(facts, _TWO_NEAR, f"short rows and slow growth: {_reach(facts)}")
    if _roots(facts) < HALF_THE_ROOTS:
        return _adaptive(facts, _HOOK_SAMPLE, _hooked(facts), _FLAT)
    # First neighbours lead to large hubs, but not to those of a web.
    web = hubs and facts.skew < LARGE_HUBS and _roots(facts) < PERMUTED[1]
    if facts.average_degree >= LONG_ROWS and (web or not hubs):
        return _adaptive(facts, _TWO, f"{facts.average_degree:.0f} edges per vertex: two of each join nearly all")
    if hubs and not facts.symmetric and _small(facts):
        why = "launches that read all rows, as an edge may be in one row alone, cost more than a sample saves here"
        return Choice(_ready(_HOOK), (_hooked(facts), why))
    if not hubs and facts.vertices <= _IN_CACHE and not _small(facts):
        return _adaptive(
            facts, _TWO_NEAR, "two edges of every vertex join more than hooking does, and cost little here"
        )
    return _adaptive(facts, _HOOK_SAMPLE, _hooked(facts))


def choose_forest(facts: Facts) -> Choice[Plan]:
    """The choice for components, with a finish that leaves a forest."""
    return for_forest(choose_components(facts))


def choose_stream(_: object) -> Choice[Plan]:
    """The plan for streams of edges; queries may run beside its unions."""
    return Choice(_ready(COO_PLAN), ())


@cache
def _ranking() -> Choice[RankPlan]:
    return Choice(RankPlan("chains"))


def choose_ranking(_: ListFacts | None = None) -> Choice[RankPlan]:
    """The plan for lists: one for all of them."""
    return _ranking()
