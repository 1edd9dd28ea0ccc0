"""plan="auto" on a GPU: from a few facts about an input to a plan, with the reasons in words."""

from __future__ import annotations

from functools import cache

from landbridge.engine.gpu.schedule import MANY, SMALL
from landbridge.plan import Choice, ListFacts, Plan, RankPlan, parse
from landbridge.plan.choose import Facts, for_forest

# Read off the times of all plans on families of graphs in several orders, at two sizes, on one H100 and one H200.
ALL_DOWN = 0.999  # of about a thousand vertices only vertex 0 has no smaller first neighbour
NATURAL = 0.35  # roots that hooking leaves, over those it leaves where ids are permuted
MESHED = 0.25  # share of two-step walks that end at a vertex met before: a lattice, whatever its ids are
CLIQUES = 0.95  # lattices whose two-step walks reach less than this stay inside of cliques
SURFACE = 1.5  # and above this they have two dimensions or more
LONG_ROWS = 12.0  # edges per vertex from which equal links are rare among neighbouring vertices
SHORT_ROWS, PLANAR = 8.0, 6.0  # of sparse meshes: degree, and expansion
SKEWED, STARS = 8.0, 3.5  # largest over average degree where there are hubs; expansion of sparse graphs with hubs
EVEN, EVEN_OF_SMALL = 10.0, 2.5  # largest over average degree where rows are about equally long; of small graphs
STAR = 0.6  # share of rows with one first neighbour where there is a star
DOUBLED = 0.5  # share of rows that begin with one neighbour twice: two edges of a vertex are then one
CHAINS = 1.2  # expansion along chains
GROWING, FAST = 2.5, 5.0  # expansion of sparse graphs with a large component, and of those that hubs hold together
GROWN, HELD = 2.5, 2.2  # edges per vertex of such
MIXED = 0.9  # ids without relation to degrees: many vertices have no smaller first neighbour
NEAR, LOCAL, FAR = 0.985, 0.5, 0.3
FEW_ARCS = 3.2  # edges per vertex below which sampling two of them is most of the work
MANY_ARCS = 12.0  # edges per vertex from which two per vertex join nearly all of a random graph
_HUGE = 1000.0  # largest over average degree of a star
_IN_CACHE = 3 * 2**21  # vertices whose parents lie in the L2 cache beside what else is read
_CONNECTED = "a few arcs per vertex find the largest tree, and most rows need not be read"
_ADAPTS = "the share of the largest tree decides on the device what follows"
_ready = cache(parse)

COO_PLAN = SMALL_PLAN = "rem_cas(naive,halve_one)"
"""The plan for COO edge lists, streams, and graphs of a few edges."""
_HOOK = "rem_cas(naive,halve_one)@gpu(start=hook)"
_HOOK_TILES = "rem_cas(naive,halve_one)@gpu(balance=tile,start=hook)"
_HOOK_SAMPLE = "hb(2)+rem_cas(naive,halve_one)@gpu(adapt=on)"
_ONE = "kout(1)+rem_cas(naive,halve_one)@gpu(adapt=on)"
_TWO = "kout(2)+rem_cas(naive,splice)@gpu(adapt=on)"
_TWO_HALVED = "kout(2)+rem_cas(naive,halve_one)@gpu(adapt=on)"
_TWO_NEAR = "kout(2)+rem_cas(naive,splice)@gpu(adapt=on,merge=near)"
_ALL = SMALL_PLAN
PLANS = (_HOOK, _HOOK_TILES, _HOOK_SAMPLE, _ONE, _TWO, _TWO_HALVED, _TWO_NEAR, _ALL)
"""The plans for CSR graphs that are not small."""


def _hooked(facts: Facts) -> str:
    return f"{facts.first_smaller:.0%} of the vertices have a smaller first neighbour: hooked without compare-and-swap"


def _reach(facts: Facts) -> str:
    return f"two steps reach {facts.expansion:.1f} times as many vertices as one, {facts.repeats:.0%} more than once"


def choose_components(facts: Facts) -> Choice[Plan]:
    """The plan for components."""
    unite = _ready(SMALL_PLAN)
    if facts.vertices + facts.edges <= SMALL:
        return Choice(unite, ("the graph is so small that one thread block handles it in one launch",))
    if facts.layout == "coo":
        why = "the input is a COO edge list: building a CSR would cost more than uniting the edges in their order"
        return Choice(_ready(COO_PLAN), (why,))
    if facts.first_smaller >= ALL_DOWN:
        return _in_natural_order(facts)
    if facts.average_degree < FEW_ARCS:
        return _sparse(facts)
    if facts.doubled >= DOUBLED:
        why = f"{facts.doubled:.0%} of the rows begin with one neighbour twice: a few edges per vertex would not do"
        return Choice(_ready(_HOOK), (_hooked(facts), why))
    if facts.repeats >= MESHED:
        return _lattice(facts)
    return _random(facts)


def _adaptive(plan: str, *reasons: str) -> Choice[Plan]:
    return Choice(_ready(plan), (*reasons, _CONNECTED, _ADAPTS))


def _few_roots(facts: Facts) -> bool:
    """Whether hooking to first neighbours leaves far fewer roots than it would if ids were permuted."""
    return (1 - facts.first_smaller) * (facts.average_degree + 1) < NATURAL


def _small(facts: Facts) -> bool:
    """Whether the launches of a sampling cost more than they save."""
    return facts.edges < MANY


def _hooks(facts: Facts, *reasons: str) -> Choice[Plan]:
    """Hook to first neighbours, then unite all edges: in tiles of vertices where rows are about equally long, else in
    equal shares of edges."""
    if facts.skew < (EVEN_OF_SMALL if _small(facts) else EVEN):
        return Choice(
            _ready(_HOOK_TILES),
            (_hooked(facts), *reasons, "rows are about equally long, so equal tiles of vertices are equal work"),
        )
    return Choice(_ready(_HOOK), (_hooked(facts), *reasons))


def _in_natural_order(facts: Facts) -> Choice[Plan]:
    """All but a few vertices have a smaller first neighbour."""
    flat = "long paths are flattened before edges are united"
    if facts.local >= NEAR:
        if _small(facts):
            return Choice(_ready(_HOOK), (_hooked(facts), "which may leave a single tree"))
        return _adaptive(_HOOK_SAMPLE, _hooked(facts), flat)
    if facts.average_degree < FEW_ARCS:
        if not _small(facts) and facts.expansion < STARS and facts.skew < _HUGE:
            return _adaptive(_HOOK_SAMPLE, _hooked(facts), flat)
        return Choice(_ready(_HOOK_TILES), (_hooked(facts), "rows are short, whatever is left"))
    if facts.repeats >= MESHED:
        if facts.average_degree >= LONG_ROWS:
            return _adaptive(_TWO_HALVED, f"{_reach(facts)}, as in lattices, in blocks of near ids")
        if _small(facts):
            return _hooks(facts)
        why = (
            f"{facts.local:.0%} of the rows stay close by: hooking the others makes long paths, which uniting shortens"
        )
        return _adaptive(_ONE, why)
    if facts.average_degree >= LONG_ROWS:
        return _adaptive(_ONE, f"{_hooked(facts)}, by long rows")
    if facts.expansion < GROWING or _small(facts):
        return Choice(_ready(_HOOK), (_hooked(facts), _reach(facts)))
    return _adaptive(_HOOK_SAMPLE, _hooked(facts), flat)


def _sparse(facts: Facts) -> Choice[Plan]:
    """So few edges that a sample is most of them."""
    if facts.shared >= STAR:
        return _adaptive(_HOOK_SAMPLE, f"{facts.shared:.0%} of the rows have one first neighbour, as in a star")
    if _few_roots(facts):
        return _adaptive(_HOOK_SAMPLE, _hooked(facts), "long paths are flattened before edges are united")
    few = f"{facts.average_degree:.1f} edges per vertex: a sample would be most of the graph, so all are united"
    if facts.expansion < GROWING:
        if facts.local >= LOCAL and facts.expansion >= CHAINS:
            why = f"{facts.local:.0%} of the rows stay close by, where hooks make long paths"
            return Choice(_ready(_ALL), (why, few))
        return _hooks(facts, few)
    if facts.local >= FAR:
        return _adaptive(_HOOK_SAMPLE, f"{_reach(facts)}: some hubs, and {facts.local:.0%} of the rows stay close by")
    if facts.expansion < STARS and facts.average_degree >= GROWN and facts.repeats < MESHED:
        return _adaptive(_TWO_NEAR, f"{_reach(facts)}: most vertices are in one component")
    if facts.expansion >= FAST and facts.skew >= SKEWED and facts.average_degree >= HELD:
        return _adaptive(_TWO, f"{_reach(facts)}: hubs hold most vertices together")
    return _hooks(facts, few)


def _lattice(facts: Facts) -> Choice[Plan]:
    """Neighbours have neighbours in common."""
    if _few_roots(facts) or facts.local >= FAR:
        if facts.average_degree >= LONG_ROWS:
            return _adaptive(_TWO_HALVED, f"{_reach(facts)}, as in lattices, in blocks of near ids")
        if _small(facts) and facts.local < FAR:
            return _hooks(facts)
        return _adaptive(_HOOK_SAMPLE, f"{_reach(facts)}, as in lattices", _hooked(facts))
    if facts.expansion < CLIQUES:
        return _hooks(facts, f"{_reach(facts)}: cliques, each hooked to its smallest vertex")
    if facts.average_degree < LONG_ROWS and facts.expansion >= SURFACE and not _small(facts):
        return _adaptive(_TWO_NEAR, f"{_reach(facts)}, as in meshes, where neighbouring vertices link the same trees")
    return _adaptive(_TWO_HALVED, f"{_reach(facts)}, as in lattices: first neighbours alone would not join them")


def _random(facts: Facts) -> Choice[Plan]:
    """Two steps from a vertex rarely meet."""
    hubs = facts.skew >= SKEWED
    few_roots = _few_roots(facts)
    if facts.expansion < GROWING and not few_roots:
        return Choice(_ready(_HOOK), (_hooked(facts), f"{_reach(facts)}: many vertices lie on chains"))
    if hubs and facts.first_smaller < MIXED and facts.local < FAR:
        why = "ids are unrelated to degrees: two edges of every vertex reach the hubs sooner than first neighbours do"
        return _adaptive(_TWO, why)
    if few_roots or facts.local >= FAR:
        return _adaptive(_HOOK_SAMPLE, _hooked(facts), "long paths are flattened before edges are united")
    if facts.average_degree < SHORT_ROWS and facts.expansion < PLANAR:
        return _adaptive(_TWO_NEAR, f"short rows and slow growth: {_reach(facts)}")
    if not hubs and facts.average_degree >= MANY_ARCS:
        return _adaptive(_TWO, f"{facts.average_degree:.0f} edges per vertex: two of each join nearly all")
    if not hubs and facts.vertices <= _IN_CACHE and not _small(facts):
        return _adaptive(_TWO_NEAR, "two edges of every vertex join more than hooking does, and cost little here")
    return _adaptive(_HOOK_SAMPLE, _hooked(facts))


def choose_forest(facts: Facts) -> Choice[Plan]:
    """The choice for components, with a finish that leaves a forest. Paths are flattened first where hooks alone make
    the longest ones: walks of a forest are not deferred, so nothing bounds them."""
    choice = choose_components(facts)
    if str(choice.plan) == _HOOK and facts.local >= NEAR and _few_roots(facts):
        choice = _adaptive(_HOOK_SAMPLE, _hooked(facts), "long paths are flattened before edges are united")
    return for_forest(choice)


def choose_stream(_: object) -> Choice[Plan]:
    """The plan for streams of edges; queries may run beside its unions."""
    return Choice(_ready(COO_PLAN), ())


@cache
def _ranking() -> Choice[RankPlan]:
    return Choice(RankPlan("chains"))


def choose_ranking(_: ListFacts | None = None) -> Choice[RankPlan]:
    """The plan for lists: one for all of them."""
    return _ranking()
