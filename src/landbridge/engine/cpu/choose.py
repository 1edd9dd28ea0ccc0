"""plan="auto" on CPU threads: from a few facts about an input to a plan, with the reasons in words."""

from __future__ import annotations

from functools import cache

from landbridge.plan import Choice, ListFacts, Plan, RankPlan, parse
from landbridge.plan.choose import GROWS, Facts, are_enclosed, for_forest, in_communities, is_laid_out

# The limits were read off measurements of plans on the graphs of the benchmark suite `cpu` and on cells of the zoo.
# Arcs of a vertex below which a sample and the passes around it are most of the work: where several threads share the
# passes, and where one runs alone.
FEW_ARCS, FEW_ARCS_ALONE = 5.0, 6.2
FEW_ARCS_TWICE = 2.8  # the same of meshes that may store each edge twice
ONE_WAY_DOWN = 0.97  # nearly every first neighbour is smaller: natural order of a grid
# Where this many are hooked to theirs, it pays with fewer arcs: with several threads with any number.
HOOKED, HOOKED_ARCS = 0.92, 3.9
SCATTERED = 0.2  # share of neighbours with near ids below which the order of ids says nothing about the graph
CLUSTERED = 0.75  # fewer still: cliques and other clusters, whose edges mostly join what is one tree already
ONE_WAY_UP = 0.98  # nearly all neighbours are larger: each edge is in the row of its smaller endpoint alone
MOSTLY_SMALLER = 0.6  # first neighbours that are smaller, where hooks to them join most of what a rule has laid out
# Shares of smaller first neighbours and of near ids below which the strides of a lattice do not lead to one vertex.
ALL_SMALLER, HALF_NEAR = 0.997, 0.5
ROOTS = 0.6  # first neighbours that are larger, as where the larger side of a bipartite graph comes first
FEW_FOR_HUBS = 8.0  # arcs of a vertex below which these join it to hubs nearly as soon as a sample does
CONTENDED = 3 * 2**20  # edges in no order from which several threads unite communities behind a sample sooner
EMPTY = 0.05  # share of rows without arcs: their vertices stay outside the largest tree, or are in other rows alone
SKEWED = 8.0  # largest over average degree where there are hubs
LOCAL, ENDS = 0.75, 1.0  # near ids, and fewer vertices two steps away than one: components of a few vertices
SHORT = "Rem's walk often ends at its first step, and halving shortens the longer ones"
OWN = "where neighbouring edges lie in one range of ids, one thread takes them all, without locked instructions"
CLIMB = "where walks differ in length, a thread alone climbs from both endpoints to the roots, if that is faster"
SIFT = "where vertices have many edges, those inside one tree are left out by a set or by parents that fit into a cache"
SMALL, SMALL_IF_SHORT = 2**15, 2**19
"""Elements up to which one walk through the cache is faster than several with the passes around them: of long lists,
and of lists of a few elements each, of which chains has to find the heads."""
NEAR = 0.95  # share of elements that are near the next one, or the one behind it: the processor prefetches
ORDERED, ORDERED_IF_SHORT = 5, 9
"""Threads from which chains are faster than one walk through lists in the order of memory: long ones, and lists of a
few elements each, of which chains has to find the heads."""
TAILS_ALONE, TAILS, THREADS, THREADS_BY_TAILS = 1 / 8, 0.22, 0.75, 7.5
"""Shares of tails from which chains on one thread, and on several, may be slower than one walk: it is where there are
fewer threads than a number and a multiple of the share, in the middle between the numbers for lists of two to five
elements."""
_ready = cache(parse)
_EACH_ONCE, _OWNED = "rem_cas(naive,split_one)", "rem_cas(naive,split_one)@cpu(owners=on)"
_HOOKS, _HALVING = "hb(4)+rem_cas(naive,split_one)@cpu(adapt=on)", "hb(4)+ecl(halve)@cpu(adapt=on)"
_TWO_ARCS = "kout(2)+ecl(halve)@cpu(adapt=on)"


def choose_components(facts: Facts) -> Choice[Plan]:
    """The plan for components. The sample is chosen by how the graph grows around a vertex and by the order of its ids;
    what it covers is seen when it has run."""
    return _choose_pairs() if facts.layout == "coo" else _choose_rows(facts)


@cache
def _choose_pairs() -> Choice[Plan]:
    why = "the input is a COO edge list: building a CSR would cost more than uniting the edges in their order"
    return Choice(parse("rem_cas(naive,halve_one)@cpu(climb=on,owners=on,skip=tree)"), (why, SHORT, OWN, CLIMB, SIFT))


def _choose_rows(facts: Facts) -> Choice[Plan]:
    # Rows of which nothing is said may hold each edge twice: uniting all of them takes twice as long.
    alone = facts.threads == 1 and facts.symmetric
    hooks = facts.first_smaller >= HOOKED and (not alone or facts.average_degree >= HOOKED_ARCS)
    few_arcs = facts.average_degree < (FEW_ARCS_ALONE if alone else FEW_ARCS) and not hooks
    is_scattered = facts.local < SCATTERED and facts.first_smaller < ONE_WAY_DOWN
    grows_slowly = CLUSTERED <= facts.expansion < GROWS
    reach = f"scattered ids, and two steps reach {facts.expansion:.1f} times as many vertices as one"
    one_way = facts.upward >= ONE_WAY_UP and not facts.symmetric
    adapts = (
        "if the largest tree is small then, more is sampled, or each edge is united once; else its vertices are skipped"
    )
    may_be_twice = not (facts.symmetric or one_way) and facts.average_degree >= FEW_ARCS_TWICE
    hook = "hooking each vertex to its first neighbour, if that is smaller, links most vertices without a swap"
    in_mesh = is_scattered and grows_slowly and not one_way and facts.average_degree >= FEW_ARCS_TWICE
    if few_arcs and in_mesh and is_laid_out(facts) and facts.first_smaller >= MOSTLY_SMALLER:
        why = f"but {facts.equidistant:.0%} of the pairs of first neighbours are equally far off: hooks join long paths"
        return Choice(_ready(_HALVING), (hook, f"{reach}, {why}, and halving shortens them", adapts))
    if few_arcs and is_scattered and grows_slowly and may_be_twice and not are_enclosed(facts):
        why = "trees join slowly there; rows may store each edge twice, and two arcs of each vertex join most of them"
        return Choice(_ready(_TWO_ARCS), (f"{reach}: {why}", adapts))
    if few_arcs:
        why = "a sample would be most of the graph, so every edge is united once"
        why = f"{facts.average_degree:.1f} arcs per vertex: {why}"
        if facts.local >= LOCAL and facts.expansion < ENDS:
            return Choice(_ready(_OWNED), (why, f"small components: {OWN}"))
        return Choice(_ready(_EACH_ONCE), (why,))
    if one_way and is_scattered and not CLUSTERED <= facts.expansion < GROWS:  # 0 where rows lead to empty ones
        why = f"{facts.upward:.0%} of rows have larger neighbours alone, so all rows would be read behind a sample"
        return Choice(_ready(_EACH_ONCE), (why,))
    united = facts.edges // 2 if facts.symmetric else facts.edges
    contended = facts.threads > 1 and is_scattered and united >= CONTENDED
    if in_communities(facts) and not contended:
        why = "small communities, of which a sample joins few, so every edge is united once"
        return Choice(
            _ready(_EACH_ONCE), (f"{facts.enclosed:.0%} of steps from vertices two edges away lead no further: {why}",)
        )
    strides = is_laid_out(facts) and facts.local < HALF_NEAR and ONE_WAY_DOWN <= facts.first_smaller < ALL_SMALLER
    if strides and not one_way:
        why = f"{facts.equidistant:.0%} of pairs of first neighbours are equally far off, so hooks make parallel paths"
        return Choice(_ready(_TWO_ARCS), (f"{why}, and two arcs of each vertex join them", adapts))
    if one_way:
        hook = "a few arcs of each vertex join most of them"
    if not facts.symmetric and facts.skew >= SKEWED and facts.empty >= EMPTY and facts.average_degree < FEW_FOR_HUBS:
        why = "so all rows would be read behind a sample, which few arcs and hubs do not need"
        return Choice(_ready(_EACH_ONCE), (f"{facts.empty:.0%} of rows are empty, {why}",))
    if is_scattered and facts.expansion < CLUSTERED:
        why = "clusters, in which a sample joins few trees, so every edge is united once"
        return Choice(_ready(_EACH_ONCE), (f"{reach}: {why}",))
    if is_scattered and 1 - facts.first_smaller >= ROOTS and not one_way:
        why = f"{1 - facts.first_smaller:.0%} of first neighbours are larger, so hooking links few vertices"
        why += ", and two arcs of each join most"
        return Choice(_ready(_TWO_ARCS), (why, adapts))
    if is_scattered and (grows_slowly or facts.skew < SKEWED):
        why = "trees join slowly there" if grows_slowly else "there are no large hubs"
        return Choice(_ready(_HALVING), (hook, f"{reach}: {why}, and halving shortens the paths", adapts))
    return Choice(_ready(_HOOKS), (hook, adapts))


def choose_forest(facts: Facts) -> Choice[Plan]:
    """The choice for components, with a finish that leaves a forest."""
    return for_forest(choose_components(facts))


def choose_stream(_: object) -> Choice[Plan]:
    """The plan for streams of edges; queries may run beside its unions."""
    return Choice(_ready("rem_cas(naive,halve_one)@cpu(climb=on)"), (SHORT, CLIMB))


@cache
def _ranking(name: str) -> Choice[RankPlan]:
    return Choice(RankPlan(name))


def choose_ranking(facts: ListFacts) -> Choice[RankPlan]:
    """The plan for lists. Those in the order of memory, or in two such orders in turns, take one walk, which the
    processor prefetches, unless there are many threads."""
    short = facts.tails > 1 / 64
    least = SMALL_IF_SHORT if short else SMALL
    few_each = facts.tails >= (TAILS_ALONE if facts.threads == 1 else TAILS)
    one_walk = few_each and facts.threads < THREADS + THREADS_BY_TAILS * facts.tails
    if facts.near > NEAR * (1 - facts.tails):
        one_walk = facts.threads < (ORDERED_IF_SHORT if short else ORDERED)
        least = SMALL_IF_SHORT
    return _ranking("serial" if one_walk or facts.elements < least else "chains")
