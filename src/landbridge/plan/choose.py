"""plan="auto": from `Facts` about a graph, never the graph itself, to a plan and the reasons in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from landbridge.plan.grammar import parse
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


# The limits were read off measurements of all plans on the graphs of the benchmark suite `cpu`.
FEW_ARCS = 3.2  # below it sampling two edges per vertex is most of the work
LONG_PATHS = (2.5, 10.0)  # edges per vertex between which trees grow tall before they flatten
ONE_WAY_DOWN = 0.97  # nearly every first neighbour is smaller: natural order of a grid
NEAR = 0.9
GROWS = 3.0  # two steps reach several times what one does: a few edges per vertex join nearly everything


def choose_cpu(facts: Facts) -> Choice[Plan]:
    """The plan for CPU threads. Skew and threads are shown, not used: no measured choice turned on them."""
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


def for_forest(choice: Choice[Plan]) -> Choice[Plan]:
    """The same choice for a spanning forest: a finish that leaves none is replaced by the nearest one that does."""
    finish = choice.plan.finish
    if not finish.no_forest:
        return choice
    why = f"{finish} yields no spanning forest; {finish.link} with split_one does"
    return Choice(replace(choice.plan, finish=replace(finish, splice="split_one")), (*choice.reasons, why))


def choose_stream_cpu(_: object) -> Choice[Plan]:
    """The plan for streams of edges on CPU threads; queries may run beside its unions."""
    return Choice(_ready("async(inter)"), ())


def choose_stream_gpu(_: object) -> Choice[Plan]:
    """The plan for streams of edges on a GPU; queries may run beside its unions."""
    return Choice(_ready("rem_cas(naive,halve_one)"), ())


# Read off the results of the benchmark `gpu` on one H200.
ALL_DOWN = 0.999  # of about a thousand vertices only vertex 0 has no smaller first neighbour
SHORT_ROWS, PLANAR = 8.0, 6.0  # of meshes: degree, and how many times two steps reach what one does
SKEWED = 8.0  # largest over average degree where there are hubs
CHAINS = 1.25  # two steps reach hardly more than one does
MIXED = 0.9  # ids without relation to degrees: many vertices have no smaller first neighbour
LOCAL = 0.5
_SMALL = 2**14
_CONNECTED = "a few arcs per vertex find the largest tree, and most rows need not be read"
_ready = cache(parse)


def choose_gpu(facts: Facts) -> Choice[Plan]:
    """The plan for a GPU."""
    unite = _ready("rem_cas(naive,halve_one)")
    if facts.vertices + facts.edges <= _SMALL:
        return Choice(unite, ("the graph is so small that one thread block handles it in one launch",))
    if facts.layout == "coo":
        why = "the input is a COO edge list: building a CSR would cost more than uniting the edges in their order"
        return Choice(unite, (why,))
    hook = _ready("rem_cas(naive,halve_one)@gpu(start=hook)")
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
    two = _ready("kout(2)+rem_cas(naive,splice)")
    if facts.average_degree < SHORT_ROWS and facts.expansion < PLANAR:
        mesh = (
            "short rows and slow growth, as in meshes: two arcs of every vertex join nearly all, often the same trees"
        )
        return Choice(_ready("kout(2)+rem_cas(naive,splice)@gpu(merge=near)"), (mesh, _CONNECTED))
    if facts.skew >= SKEWED and facts.first_smaller < MIXED:
        why = "ids are unrelated to degrees: two arcs of every vertex reach the hubs sooner than first neighbours do"
        return Choice(two, (why, _CONNECTED))
    if facts.local >= LOCAL:
        why = f"{facts.local:.0%} of the neighbours have near ids: hooking to first neighbours would make long paths"
        return Choice(two, (why, _CONNECTED))
    return Choice(_ready("hb(2)+rem_cas(naive,halve_one)"), (hooked, _CONNECTED))
