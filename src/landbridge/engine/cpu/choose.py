"""plan="auto" on CPU threads: from a few facts about an input to a plan, with the reasons in words."""

from __future__ import annotations

from functools import cache

from landbridge.plan import Choice, ListFacts, Plan, RankPlan, parse
from landbridge.plan.choose import Facts, for_forest

# The limits were read off measurements of all plans on the graphs of the benchmark suite `cpu`.
FEW_ARCS = 3.2  # below it sampling two edges per vertex is most of the work
LONG_PATHS = (2.5, 10.0)  # edges per vertex between which trees grow tall before they flatten
ONE_WAY_DOWN = 0.97  # nearly every first neighbour is smaller: natural order of a grid
NEAR = 0.9
GROWS = 3.0  # two steps reach several times what one does: a few edges per vertex join nearly everything
SMALL, SMALL_IF_SHORT = 2**15, 2**19
"""Elements up to which one walk through the cache is faster than several with the passes around them: of long lists,
and of lists of a few elements each, of which chains has to find the heads."""
_ready = cache(parse)


def choose_components(facts: Facts) -> Choice[Plan]:
    """The plan for components. Skew and threads are shown, not used: no measured choice turned on them."""
    return _choose_pairs(facts) if facts.layout == "coo" else _choose_rows(facts)


def _choose_pairs(facts: Facts) -> Choice[Plan]:
    why = "the input is a COO edge list: building a CSR would cost more than uniting the edges in their order"
    density = f"{facts.density:.1f} edges per vertex"
    if LONG_PATHS[0] <= facts.density < LONG_PATHS[1]:
        shorten = "paths grow long, and plain stores shorten them at the lowest cost"
        return Choice(parse("async(inter)"), (why, f"{density}: {shorten}"))
    short = "most edges meet short paths, and Rem's walk often ends at its first step"
    return Choice(parse("rem_cas(naive,halve_one)"), (why, f"{density}: {short}"))


def _choose_rows(facts: Facts) -> Choice[Plan]:
    if facts.average_degree < FEW_ARCS:
        why = "a sample would be most of the graph, so every edge is united once"
        return Choice(parse("rem_cas(naive,splice)"), (f"{facts.average_degree:.1f} arcs per vertex: {why}",))
    skip = "vertices in the largest tree are skipped"
    hook = parse("hb(4)+rem_cas(naive,split_one)")
    if facts.first_smaller >= ONE_WAY_DOWN and facts.local >= NEAR:
        why = "nearly every vertex has a smaller first neighbour with a near id: hooking to it causes no contention"
        return Choice(hook, (why, skip))
    reach = f"two steps reach {facts.expansion:.1f} times as many vertices as one"
    if facts.expansion >= GROWS:
        why = "hooking to the first neighbour and four arcs of each remaining root unite nearly all of the graph"
        return Choice(hook, (f"{reach}: {why}", skip))
    why = "as in meshes, where two arcs of every vertex are needed"
    return Choice(parse("kout(2)+ecl(halve)"), (f"{reach}, {why}", skip))


def choose_forest(facts: Facts) -> Choice[Plan]:
    """The choice for components, with a finish that leaves a forest."""
    return for_forest(choose_components(facts))


def choose_stream(_: object) -> Choice[Plan]:
    """The plan for streams of edges; queries may run beside its unions."""
    return Choice(_ready("async(inter)"), ())


@cache
def _ranking(name: str) -> Choice[RankPlan]:
    return Choice(RankPlan(name))


def choose_ranking(facts: ListFacts) -> Choice[RankPlan]:
    """The plan for lists. Those in the order of memory take one walk: the processor prefetches."""
    short = facts.tails > 1 / 64
    one_walk = facts.elements < (SMALL_IF_SHORT if short else SMALL) or facts.near > 0.95
    return _ranking("serial" if one_walk else "chains")
