"""plan="auto" on a GPU: from a few facts about an input to a plan, with the reasons in words."""

from __future__ import annotations

from functools import cache

from landbridge.engine.gpu.schedule import SMALL
from landbridge.plan import Choice, ListFacts, Plan, RankPlan, parse
from landbridge.plan.choose import Facts, for_forest

_UNITE = "rem_cas(naive,halve_one)"
_COO = "async(halve)"
_HOOK = "rem_cas(naive,halve_one)@gpu(start=hook)"
_TWO = "kout(2)+rem_cas(naive,splice)"
_NEAR = "kout(2)+rem_cas(naive,splice)@gpu(merge=near)"
_HOOKED = "hb(2)+rem_cas(naive,halve_one)"

SMALL_PLAN, COO_PLAN = _UNITE, _COO
"""The choices for small graphs, and for other COO edge lists."""
PLANS = (_UNITE, _HOOK, _TWO, _NEAR, _HOOKED)
"""Every choice for components of a CSR."""

# Read off the results of the benchmark `gpu` on one H200.
ALL_DOWN = 0.999  # of about a thousand vertices only vertex 0 has no smaller first neighbour
SHORT_ROWS, PLANAR = 8.0, 6.0  # of meshes: degree, and how many times two steps reach what one does
SKEWED = 8.0  # largest over average degree where there are hubs
CHAINS = 1.25  # two steps reach hardly more than one does
MIXED = 0.9  # ids without relation to degrees: many vertices have no smaller first neighbour
LOCAL = 0.5
FEW_ARCS = 3.2  # edges per vertex below which sampling two of them is most of the work
_CONNECTED = "a few arcs per vertex find the largest tree, and most rows need not be read"
_ready = cache(parse)


def choose_components(facts: Facts) -> Choice[Plan]:
    """The plan for components."""
    unite = _ready(_UNITE)
    if facts.vertices + facts.edges <= SMALL:
        return Choice(unite, ("the graph is so small that one thread block handles it in one launch",))
    if facts.layout == "coo":
        why = "the input is a COO edge list: building a CSR would cost more than uniting the edges in their order"
        return Choice(_ready(_COO), (why,))
    hook = _ready(_HOOK)
    hooked = (
        f"{facts.first_smaller:.0%} of the vertices have a smaller first neighbour: hooked without compare-and-swap"
    )
    if facts.first_smaller >= ALL_DOWN:
        return Choice(hook, (hooked, "which may leave a single tree"))
    if facts.average_degree < FEW_ARCS:
        few = "a sample would be most of the graph, so every edge is united once"
        if facts.expansion <= CHAINS:
            return Choice(hook, (hooked, few, "the graph consists of chains, which hooking joins"))
        return Choice(unite, (few,))
    two = _ready(_TWO)
    if facts.average_degree < SHORT_ROWS and facts.expansion < PLANAR:
        mesh = (
            "short rows and slow growth, as in meshes: two arcs of every vertex join nearly all, often the same trees"
        )
        return Choice(_ready(_NEAR), (mesh, _CONNECTED))
    if facts.skew >= SKEWED and facts.first_smaller < MIXED:
        why = "ids are unrelated to degrees: two arcs of every vertex reach the hubs sooner than first neighbours do"
        return Choice(two, (why, _CONNECTED))
    if facts.local >= LOCAL:
        why = f"{facts.local:.0%} of the neighbours have near ids: hooking to first neighbours would make long paths"
        return Choice(two, (why, _CONNECTED))
    return Choice(_ready(_HOOKED), (hooked, _CONNECTED))


def choose_forest(facts: Facts) -> Choice[Plan]:
    """The choice for components, with a finish that leaves a forest."""
    return for_forest(choose_components(facts))


def choose_stream(_: object) -> Choice[Plan]:
    """The plan for streams of edges; queries may run beside its unions."""
    return Choice(_ready(_COO), ())


@cache
def _ranking() -> Choice[RankPlan]:
    return Choice(RankPlan("chains"))


def choose_ranking(_: ListFacts) -> Choice[RankPlan]:
    """The plan for lists: one for all of them."""
    return _ranking()
