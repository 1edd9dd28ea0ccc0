"""Writes docs/plans.md and the pages of docs/plans/ from texts and the registry. `python docs/render_plans.py`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from landbridge import InvalidCombination, plans
from landbridge.plan import Finish, parse, registry
from landbridge.plan.engines import ENGINES
from landbridge.plan.registry import TRAITS, Parameter, Policy

HEAD = """\
# Plans

A plan selects an algorithm. Its text is `[sample+]finish[@engine]`: an optional sampling that finds the largest tree
early, a finish that unites the remaining edges, and the engine. Every plan gives the same labels; they differ in
speed.

    rem_cas(naive,split_one)                  every edge once, Rem's union with compare-and-swap
    kout(2)+rem_cas(naive,split_one)          two edges of every vertex first, then skip the largest tree
    hb(4)+ecl(halve)@cpu(threads=8)           hook to the first neighbour, four edges of each remaining root
    stages(async(halve),q=0.5)                edges in groups of n/2, endpoints replaced by parents in between
    kout(2)+lt(parent,root,once)              rounds of Liu and Tarjan: connect parents, update roots, shortcut once
    bfscc                                     one breadth-first search for each component

`plan="auto"` selects one; `landbridge.explain(graph)` shows which and why.

| page | contents |
|---|---|
| [Samplings](plans/samplings.md) | what is united first |
| [Finishes by rules](plans/rules.md) | links, finds and splices: unions of edges |
| [Standalone algorithms](plans/standalone.md) | other finishes: searches, rounds, published systems |
| [Options by engine](plans/engines.md) | what `@cpu(...)` and `@gpu(...)` take |
| [Forests](plans/forests.md), [streams](plans/streams.md), [lists](plans/lists.md) | plans by problem |
| [Refused combinations](plans/refused.md) | each with its reason |
| [Differences from the papers](plans/differences.md) | what is implemented in another way, and why |
| [Published systems by name](systems.md) | systems that papers compare with, and historic names |

```{{toctree}}
:hidden:

{contents}
```

## The text

    plan  = [ sample "+" ] finish [ "@" engine ]
    term  = word [ "(" [ argument {{ "," argument }} ] ")" ]

A sample, a finish and an engine are terms each. An argument is a number, a word or a term, with or without its name:
`kout(2)` is `kout(k=2)`. Omitted arguments have the defaults of the tables. A link takes its find first and its splice
second: `rem_cas(halve,splice)`. The canonical text, which results and profiles show, is `str(plan)`.

The short codes of the papers' tables are read, too: `kout2p+rc.h1.n` is `kout(2,pure)+rem_cas(naive,halve_one)`. So are
the names of [historic systems](systems.md). An error names the column of the text that is wrong.

## How many there are

`landbridge.plans()` (`landbridge plans`) lists the plans of all engines, {every}, and
`landbridge.plans(engine="cpu")` those of one, {count}: {csr} on CSR ({samplings} samplings, none among
them, with {on_rows} finishes each, and {alone}) and {coo} on COO edge lists ({on_pairs} plain,
{staged} staged). The 339 of the published enumeration (Hong, Dhulipala, Shun 2020) are among them.
`extended=True` adds {more} with rules outside it.

## How slow a named plan may be

`auto` selects plans that shorten the paths they walk. Some plans do not, and others take a round for each edge of a
path; `landbridge.explain(graph, plan=...)` says so of a plan by its name:

| finish | at worst |
|---|---|
{slow}

Where edges link one root after the other to a smaller vertex, they make one long path under a rule that shortens none;
a chain in random order takes many rounds. Where long paths are split, the rule itself stays as it is:
before each 256 edges the paths of the endpoints of four of them, among the first 12, are followed. If one of these
vertices lies more than 64 steps below its root, the paths of the endpoints of all 256 are split.

A service that takes plans or edges from strangers should leave the choice to `auto`, or give the call a limit:
`timeout=`, or `landbridge.time_limit`.

## Edge lists and rows on CPU threads

Where the smaller endpoints of a chunk of edges descend, by a look at 16 of them, the chunk is united from its last edge
on, in lists, chunks and streams alike, but for chunks whose edges inside of one tree are left out first. In its order
each edge would link the root of all before to a smaller vertex, and paths would be as long as there are edges.

Several threads that link the same trees wait for each other's cache lines, and may take ten times as long as one: so it
is where most edges link, the ids are scattered, and threads come to the same vertices from different places of the
list. Whether that happens depends on the graph and on the order of its edges, so a list is united in stretches. The
time of an edge is measured with one thread, for 4,096 edges and a 24th of the list, up to 16,384, or as long as it
becomes faster while its cache is filled, and with all; those that are faster take the next stretch, several times as
long, and the others have another turn when an edge takes longer than it last took them. A stretch ends early, after 50
us at least, where an edge takes all threads more than twice as long as one, or, after 300 us, one thread 1.4 times as
long as when it was chosen. Up to a million vertices, whose parents a core's own cache holds in part, all threads go on
only where they take 0.7 of one thread's time, else 0.9. With `@cpu(owners=on)`, as by `plan="auto"`, lists below 2^18
edges, up to three for two vertices, stay with one thread while an edge takes it 5 ns or less, and so do lists below 3 x
2^18 edges that lead, in most pieces of 2^15 edges, to one vertex larger than the others. Of two threads one unites
lists of up to 2^21 edges between at most a million vertices while an edge takes it 10 ns or less. The rows of a CSR
that no thread owns are united in the same way, but one thread is measured for 4,096 arcs, which it takes in their
order; below 2^19 arcs one thread unites them while an arc takes it 5 ns or less, and of two threads one does up to 2^22
arcs, if they lead between at most a million vertices, while an arc takes it 4 ns or less; not the rows outside a tree
that a sampling found. Algorithms in rounds take all threads of the run. The start of a union-find wakes no other thread
below 2^18 vertices, and numbering none below 2^19, 2^16 with more than two threads. Where roots come in no order, as
far as 64 vertices of a chunk show, labels are chosen without a branch, and one thread of up to three numbers all.

The edges of rows are found without a branch for a row or an arc, 16 arcs at a time where cells have 32 bits and the
processor AVX-512. Symmetric rows give their edges to smaller vertices, and of each batch of these the first edge of
every row is united before the others: while one thread unites rows in their order it links after one step, which the
processor predicts.

A thread that alone writes the cells it meets has three loops for edges of a list or a stream, with `@cpu(climb=on)` as
by `plan="auto"`: the walks of the rule, one edge after another, and climbing. Where edges come in no order, each walk
has another length, and a processor guesses wrongly when one ends: of a grid with eight neighbours, 2 x 10^5 edges in
random order whose parents fit its cache, a call takes 9 ns per edge. Climbing takes the first two steps of both
endpoints of many edges without a branch, drops the edges whose endpoints meet there, also without one, takes the others
to their roots, and links these: 4 ns. Where walks are alike, as in the order in which a structure was made, they take
half the time of climbing or less. A third loop walks from the larger endpoint of each edge, so that which of two roots
is linked below the other is no guess. Cells that lie near each other are not fetched ahead; cells of parents that take
more than 1 MiB are; with smaller parents, which a core's own cache holds, walks from the larger endpoint are there with
and without it. So the loops are timed, apart for edges whose cells lie near each other, for those of small parents and
for others; the fastest one goes on, and another one is tried soon at first, later behind 16,384 edges or more, and at
once where the fastest one has become slower than it was. Behind 8,192 edges whose cells a core's cache holds a few
endpoints are looked at: where many lie more than four steps below their roots, edges climb until these do not. Batches
below 128 edges are walked. `Profile.climbed` is the number of edges that climbed.

With `@cpu(skip=tree)`, as by `plan="auto"`, the trees of a list are flattened behind two edges for each vertex, and
again each time that their number has doubled. Where the parents take more than 1 MiB the members of the largest tree
are marked, a bit each, and edges between two of them are left out; where they take less, edges are whose endpoints have
one parent, without a branch. Edges in chunks whose cells lie near each other, as those of 2^16 vertices always do, are
all united.

A run whose number of threads is not named has one for each 2^17 vertices and edges of a CSR, 2^18 of an edge list, or
2^16 elements of linked lists: of 24 graphs of 2 x 10^4 to 10^5 edges two threads took 1.1 to 1.2 times as long as one.
An edge list has two only from 2^21 vertices and edges on: both have to lock the cells that they link, and one does not;
of 40 lists of 5 x 10^5 and 10^6 edges two took 1.1 times as long as one in the mean, of 4 x 10^6 edges 0.76 times. Four
processors and more are all used for 2^17 vertices and edges of a CSR, and of an edge list for 2^21 by their number, but
not below 2^17: of 46 graphs of 10^5 edges 16 took 0.59 of one thread's time for rows; for 114 lists of 10^5 edges 16
took 0.93 of it, eight 1.05 and four 1.15, of 2 x 10^5 edges 0.70, 0.86 and 1.05, of 5 x 10^5 edges 0.46, 0.60 and 0.82.
Of edges that are no `Graph`, and whose number of vertices is not given, a few ids show how many vertices there are. Of
CSR that is not declared symmetric every arc counts. `Profile.threads` is the number of threads that a run has; one of
them may unite most edges. Chunks, and runs on several processors, have all threads. How many insert a batch of a
stream, [Streams](incremental.md) says.

## Edge lists on a GPU

Where the ids of an edge list in a GPU's memory are validated, it is found whether the list consists of rows: sorted by
first endpoints, each edge in both directions, as a coalesced undirected `edge_index` of PyTorch Geometric is. On one
GPU, one of 2^24 edges and more is a symmetric CSR then (`Graph.rows`), once the offsets are written; `@gpu(layout=coo)`
requests a plan for the list. That each edge has its reverse is seen from sums of words of 64 bits, drawn anew for each
process; by chance they are 0 for one of 2^64 lists in which edges lack theirs.

Edges of another edge list are united in its order. Under rules whose walks can be cut off, the default among them, a
walk follows its rule for 8 steps and then halves the paths of both endpoints; after 32 steps it ends, and its edge
waits: until all paths are flat, unless a walk of 64 steps unites it where at most 128 edges wait, or one for 8,192
vertices. There is a place for one edge for 256 vertices, 2^10 at least and 2^18 at most; where more edges wait, all of
the list are walked again, up to 512 steps, once all paths are flat. What else is done for components without `stages`,
of lists of up to 2^31 edges, follows from the numbers of edges and vertices, the size of the L2 cache, and a look of
the device at 256 places of the list; nothing is read back.

- **Hooks.** Where nine edges in ten join vertices whose numbers are near, as in a mesh, each edge is read once before
  anything is united: its larger endpoint, if that is a root, becomes a child of the other one. Lists of 2^18 edges and
  more are hooked from a quarter of an edge per vertex up to 12 if they are in order, from 1.5 up to 3.5 if not.
- **A sample.** Of other lists of 2^22 edges and more, with 3.9 edges per vertex (16, where the parents fit half of the
  L2 cache), a sample comes first: as many edges as there are vertices, from the beginning of the list; where edges of
  one first endpoint lie together, up to 12 edges per vertex, two edges of each such row. Then paths are flattened, and
  the members of the largest tree are marked, a bit each. If one of eight edges, by a look at 256, joins two members,
  edges between members are dropped by their bits from then on. Otherwise, and in shorter lists, edges are dropped whose
  endpoints have one parent. Of the first nine edges for four vertices most link: unless they have been hooked, the
  parents of these and of the edges of a sample are not compared.

Spanning forests and longer lists mark the tree once as many edges are united as there are vertices, from 2^22 edges on
if there are 3.5 for each vertex, or 16 where the parents fit the L2 cache. Forests hook nothing.

## CSR with and without a promise

An arc is an edge as CSR stores it, with a direction. A CSR known to be symmetric has both arcs of every edge: a finish
takes each edge from one endpoint, the larger one on CPU threads (on a GPU by the option `owner`); after a sampling it
reads the rows of the vertices outside the largest tree, and skipping the others is exact. A CSR not known to be
symmetric gets the same answer from every plan: if vertices remain outside the largest tree once the rows outside it are
read, the rows inside it are read, too, for arcs that lead to these. On a GPU 1,024 of
2^22 arcs and more are drawn first: if none of them leads to such a vertex, all are read without their rows, and the row
of each arc that does is found by a binary search.
"""

TABLE = """
| name | code | parameters | what it does | {column} | source |
|---|---|---|---|---|---|
{rows}
"""

SAMPLINGS = """\
# Samplings

A sampling unites a few edges first. The finish then skips the tree that most vertices are in, and reads the rows of the
other vertices. Samplings need CSR.
{sample}
`choice` selects the arcs of `kout`: `first` the first k of a row, `pure` k independent random ones, `hybrid` the first
and then random ones, `max_degree` the neighbour of largest degree first.
"""

RULES = """\
# Finishes by rules

A finish of this kind unites edges one by one in a union-find forest. It has a link rule and a find rule; Rem's links
have a splice rule as well: `link(find)` or `link(find,splice)`. Without arguments the find is `naive` (of `jtb`,
`two_try`) and the splice is `split_one`. `stages(finish,q=0.5)` unites the edges of a COO edge list in groups of q n
and replaces the endpoints of later groups by their parents.

A rule *tolerates stale reads* if it is correct also where a read of a parent returns an older value. The GPU then reads
parents through the nearest cache.

## Links

A link unites two trees. All but `jtb` hang the larger root below the smaller.
{link}
## Finds

A find returns the root of a vertex, and may shorten the path to it.
{find}
## Splices

A splice is the step that Rem's unions take at a vertex on the way to the root.
{splice}"""

STANDALONE = """\
# Standalone algorithms

Finishes that are not unions of edges by rules. The column *can* lists their traits:

| trait | meaning |
|---|---|
{traits}
{finish}
The traits of the algorithms in rounds depend on their words:

| algorithm with its words | can |
|---|---|
{variants}

A sampling may precede those that *can* `samples`. The root of the largest tree then has the smallest name while the
rounds run, so no skipped vertex can take a smaller label, and none is visited (the changed order of ConnectIt). Labels
are renamed at the end.

[Published systems by name](../systems.md) has the systems with their parameters and their differences from the papers.
"""

ENGINES_PAGE = """\
# Options by engine

A plan text may end in `@cpu(...)`, `@gpu(...)`, `@parts(...)` for several processors or `@hybrid(...)` for CPU threads
and a GPU, with the options of that engine by name:
`kout(2)+rem_cas(naive,splice)@gpu(merge=near)`. Options change the schedule, never the answer. The options marked
*lists* apply to plans of list ranking, too. On `@cpu`, an option that could have no effect on its plan of a graph is
refused with the reason, unless it is `off`; so are options of a whole graph for a stream (`owners`; of `@gpu` `adapt`,
`arcs`, `atomics`, `balance`, `fuse`, `hints` and `owner`), and a seed of a list ranking that draws nothing.
{engines}"""

ENGINE = """
## `@{name}`

| option | values | lists | what it does |
|---|---|---|---|
{rows}
"""

OPTIONS: dict[str, str] = {
    "ids": "width of the parents: 32 bits while n < 2^31 unless `wide`",
    "layout": "convert the graph to this layout first; by default as it is given, or as the finish needs",
    "seed": "seed of random choices; 1 by default",
    "owners": "whether each thread owns ranges of vertices, whose links it makes without locked instructions, under "
    "rules that go by steps (`rem_cas(naive,...)`); `auto` requests it for COO edge lists and CSR of small components",
    "climb": "whether a thread that alone writes the cells it meets climbs from both endpoints of an edge to their "
    "roots, two steps of many edges at a time, where that takes less time than walks of the rule; under rules that go "
    "by steps (`rem_cas(naive,...)`); `auto` requests it for COO edge lists and streams",
    "threads": "number of CPU threads; by default all processors of the process, fewer on `@cpu` for small inputs",
    "adapt": "whether a sampled plan goes by what its sample covers: more is sampled, or all edges are united, "
    "where the largest tree is small",
    "arcs": "how `kout` reads arcs: a thread per vertex, neighbouring threads for the arcs of a vertex, or pairs of "
    "threads that exchange arcs (k = 2, first neighbours; the default)",
    "atomics": "appending to queues: one atomic addition per warp (the default) or per thread",
    "balance": "how rows are distributed: queues within a tile of vertices (the default after a sampling), a "
    "double-sided worklist, a thread, warp or block per row, gathered vertices, or equal shares of edges (the default "
    "without a sampling)",
    "cpu": "how many of the processors are CPU threads, each with trees of its own; by default none, or one where "
    "`gpu` is not given and there is no GPU",
    "device": "number of the GPU; 0 by default",
    "divide": "`edges`: processors take pieces of the edges (the default); `vertices`: as Banerjee and Kothapalli do, "
    "the first t per cent of the vertices are the CPU's",
    "gpu": "how many of the processors are GPUs, from number 0 on; by default none where `cpu` is given, else all "
    "that are there",
    "fuse": "`block`: the whole run in one thread block, of components by one rule that needs nothing but the parents, "
    "without a sampling or stages; their default for n + m <= 2^14",
    "hints": "`stream`: neighbours are read with a streaming hint, so that parents stay in the cache",
    "merge": "`warp` or `near`: lanes of a warp with the same two roots, or parents, unite them once",
    "owner": "the endpoint from whose row an edge of a symmetric CSR is united; by default `smaller` with "
    "`balance=edge` and `start=self`, else `larger`",
    "reads": "`stale`: finds read parents through the nearest cache, by default in streams, after a sampling, with "
    "another `start` than `self`, and with `balance=edge`; `fresh`: from the L2 cache, by default in all other runs",
    "send": "what a GPU reads of another one's trees: all parents, or a bitmap of the largest tree and the parents of "
    "the other vertices",
    "t": "with `divide=vertices`: the CPU's share of the vertices in per cent; by default from measured rates",
    "cpu skip": "of COO edge lists and streams: `tree` leaves out edges inside the largest tree, which is marked once "
    "there are more than two edges for each vertex, where the parents take more than 1 MiB, and those whose endpoints "
    "have one parent, where a list of more than 2^16 smaller parents has as many edges; `off` never. `tree` is the "
    "default of streams, and `auto` requests it for COO edge lists",
    "gpu skip": "of streams: `tree` leaves out edges inside the largest tree, which is marked once there are more "
    "edges than vertices; `off` never. By default it is marked from 2^22 edges on, if there are 3.5 for each vertex, "
    "or 16 where the parents fit the L2 cache. COO edge lists go by bounds of their own (../plans.md), and do not read "
    "the option",
    "start": "how parents are initialised: each vertex itself, hooked to its first neighbour if that is smaller, the "
    "same and then flattened, or united within tiles of vertices in shared memory",
}
"""The options of the engines, in words; behind the name of an engine, what an option is there alone."""

FOREST = """\
# Spanning forests

`landbridge.plans("forest", engine="cpu")` lists the {count} plans that make a spanning forest: {csr} on CSR
({samplings} samplings, none among them, with {on_rows} finishes each, and bfscc) and {coo} on COO edge lists
({on_pairs} plain, as many staged). With `engine="gpu"` it lists {gpu}. Those after none, `kout(2)`, `hb(4)` and `bfs`,
those on COO and bfscc are the 255 that are sound by our reasoning; the published list (Hong, Dhulipala, Shun 2020) has
132 of them: async, hooks, early, jtb, ecl and afforest.

An edge belongs to the forest if it made a root the child of another vertex. Links report these edges, with every find
and after every sampling, with one exception; standalone algorithms do where their row has the trait `forest`. Edges
of a sampling belong to the forest as well: `kout` and the second part of `hb` are ordinary links; hooked first
neighbours and the trees of searches are recorded directly. In a round several edges may offer a root a
smaller label. The edge that is recorded is one whose label won: the edges of the round are read a second time before
labels are shortened.

The exception: {reason}.

| algorithm | why it yields no spanning forest |
|---|---|
{rounds}
"""

STREAMS = """\
# Streams

`landbridge.plans("incremental", engine="cpu")` lists the {count} plans that `landbridge.Incremental` takes, with
`engine="gpu"` the same. {mixed} of them mix: queries run beside inserts. The others insert the edges of a batch first:
{splicing} because a splice cuts a subtree off for a moment, and {rounds} because they run in rounds over the batch,
whose endpoints are replaced by their roots before (Shiloach-Vishkin and the variants of Liu and Tarjan with a root
update). The published list has 43: ecl and afforest, which mix, are the other 8.

A query walks by the find rule of its plan. On CPU threads, under `naive` beside the splice rule `split_one` or
`halve_one`, it shortens the path that it walks, as that rule does.
"""

REFUSED = """\
# Refused combinations

Each raises `InvalidCombination` with its reason.

## Rules

| link | find | splice | why |
|---|---|---|---|
{rows}

## Words of standalone algorithms

| algorithm | why |
|---|---|
{words}

## Samplings and stages

A sampling before a standalone algorithm (`bfs+...` stands for every sampling), and a standalone algorithm in stages:

| plans | why |
|---|---|
{parts}
"""

RANKING = """\
# List ranking

`landbridge.rank_list` and `landbridge.scan_list` take these, as `name(parameters)[@engine]`, by name or code;
`landbridge.plans("list_ranking", extended=True)` lists them. Every one gives the same ranks.
[List ranking](../list_ranking.md) is the guide to them.

| name | code | parameters | what it does | runs on | source |
|---|---|---|---|---|---|
{rows}
"""

DEVIATIONS = """\
# Differences from the papers

- Labels are numbered by smallest vertex at the end, whatever the plan computes.
- `kout` unites all k edges of a vertex in one pass and flattens the forest once; Afforest and ConnectIt flatten after
  every round. On a symmetric CSR the finish leaves out the edges that `kout(k,first)` has united.
- `hb` hooks a vertex to the parent of its first neighbour where that neighbour has been hooked by the same thread just
  before, so chains of natural ids stay short. Its k is 4, as in the published builds.
- `bfs` starts once, at the vertex of largest degree among 1,024 (GConn); ConnectIt tries up to three sources. The tree
  of the search is rooted at its smallest vertex, as `ldd` clusters are. On a GPU its members are bits, and it need not
  be complete: levels end where the next one is broad or growth is slow, of a long row 64 edges are followed, and then
  the vertices outside look twice for a member among their first 64 neighbours. The finish unites the rows outside.
- `ldd` draws its centres in the order of an affine permutation from the seed.
- `early` continues from the parent, as GConn does, and not from the grandparent as ConnectIt does.
- `afforest(find)` unites without a find: the plans with different finds do the same on the CPU.
- Ties of equal rank in `jtb` are decided by a hash of the two roots and the rank.
- Rounds of `shiloach_vishkin`, `lt` and `stergiou` copy the labels at the beginning of a round to a second array and
  lower the first by atomic minimum, so an update needs no pass of its own; `once` moves a vertex in place and may get
  further than its grandparent. `shiloach_vishkin` and `lt(parent,root,full)` are the same rounds. Altered edges are a
  copy.
- `label_propagation` reads current labels, not those at the beginning of the round, so a label may travel several edges
  in a round; `frontier` marks a vertex whose label has changed in the top bit of the second array.
- `stages` replaces endpoints by their parents from the second group on, without permuting the edges.

[Published systems by name](../systems.md) has the differences of the systems that papers compare with.
"""

ORDER = ("samplings", "rules", "standalone", "engines", "forests", "streams", "lists", "refused", "differences")


def words_of(name: str) -> list[Parameter]:
    return [p for p in registry().axis("finish")[name].parameters if p.kind == "word"]


def whole() -> list[Finish]:
    """Every standalone algorithm: rounds with each choice of words, others with their defaults."""
    variants = [
        v
        for v in registry().variants()
        if v.valid and ("rounds" in v.traits or v.words == tuple((p.name, p.default) for p in words_of(v.name)))
    ]
    return [Finish(v.name, values=v.words) for v in variants]


def refused_parts() -> list[tuple[str, str]]:
    """Standalone algorithms after a sampling, and in stages, where that is refused: plans by reason.

    Plans of one algorithm with the same reason are one row, under the name of the algorithm.
    """
    reasons: dict[tuple[str, str], list[str]] = {}
    for finish in whole():
        for text in (f"bfs+{finish}", f"stages({finish},q=0.5)"):
            try:
                parse(text)
            except InvalidCombination as error:
                reason = "it " + str(error).partition(": ")[2].removeprefix(f"{finish.link} ")
                reasons.setdefault(("stages" if text.startswith("stages") else "bfs", reason), []).append(text)
    return [(", ".join(f"`{text}`" for text in texts), reason) for (_, reason), texts in reasons.items()]


def slow() -> str:
    """Finishes with a bound that is worse than a few accesses per edge, by the bound."""
    links = [Finish(c.link, c.find, c.splice) for c in registry().combinations() if c.valid]
    variants = [Finish(v.name, values=v.words) for v in registry().variants() if v.valid]
    by_bound: dict[str, dict[str, None]] = {}
    for finish in (*links, *variants):
        if finish.at_worst:
            name = finish.link if finish.link == "afforest" else str(finish)
            name = "ecl_cc(jump=jump3)" if finish.link == "ecl_cc" else name
            by_bound.setdefault(finish.at_worst, {})[name] = None
    return lines([", ".join(f"`{name}`" for name in names), bound] for bound, names in by_bound.items())


def lines(rows: Iterable[Iterable[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def parameters_of(policy: Policy) -> str:
    return ", ".join(f"{q.name} = {q.default}" for q in policy.parameters) or "-"


def axis(name: str) -> str:
    """The table of one axis of the registry."""
    rows = []
    for p in registry().axis(name).values():
        last = ", ".join(p.traits) if name == "finish" else p.stale
        rows.append([f"`{p.name}`", f"`{p.code}`", parameters_of(p), p.summary, last, p.reference])
    return TABLE.format(column="can" if name == "finish" else "tolerates stale reads", rows=lines(rows))


def options() -> str:
    """The options of every engine."""
    pages = []
    for kind in ENGINES.values():
        rows = []
        for option in kind.options:
            span = f"{option.minimum} to {option.maximum}" if option.maximum is not None else "a number"
            values = ", ".join(f"`{choice}`" for choice in option.choices) or span
            words = OPTIONS.get(f"{kind.name} {option.name}") or OPTIONS[option.name]
            rows.append([f"`{option.name}`", values, "yes" if option.name in kind.list_options else "", words])
        pages.append(ENGINE.format(name=kind.name, rows=lines(rows)))
    return "".join(pages)


def head() -> str:
    everything = plans(engine="cpu")
    coo = [p for p in everything if "layout=coo" in p]
    staged = [p for p in coo if p.startswith("stages")]
    rows = [parse(p) for p in everything if "layout=csr" in p]
    plain = [p.finish for p in rows if p.sample is None]
    sampled = {str(p.finish) for p in rows if p.sample is not None}
    return HEAD.format(
        contents="\n".join(f"plans/{name}" for name in ORDER),
        every=len(plans()),
        count=len(everything),
        slow=slow(),
        csr=len(rows),
        coo=len(coo),
        samplings=len({p.sample for p in rows}),
        on_rows=len(sampled),
        alone=" and ".join(str(finish) for finish in plain if str(finish) not in sampled),
        on_pairs=len(coo) - len(staged),
        staged=len(staged),
        more=len(plans(engine="cpu", extended=True)) - len(everything),
    )


def standalone() -> str:
    variants = [v for v in registry().variants() if v.valid and "rounds" in v.traits]
    traits = {trait for v in registry().variants() for trait in v.traits}
    return STANDALONE.format(
        traits=lines([f"`{trait}`", meaning] for trait, meaning in TRAITS.items() if trait in traits),
        finish=axis("finish"),
        variants=lines(
            [f"`{Finish(v.name, values=v.words)}`", ", ".join(t for t in TRAITS if t in v.traits)] for v in variants
        ),
    )


def forests() -> str:
    every = [parse(text) for text in plans("forest", engine="cpu")]
    on_csr = [p for p in every if p.layout == "csr"]
    samplings = {p.sample for p in on_csr}
    return FOREST.format(
        gpu="the same" if len(plans("forest", engine="gpu")) == len(every) else len(plans("forest", engine="gpu")),
        count=len(every),
        reason=next(c.no_forest for c in registry().combinations() if c.valid and c.no_forest),
        csr=len(on_csr),
        coo=len(every) - len(on_csr),
        samplings=len(samplings),
        on_rows=(len(on_csr) - 1) // len(samplings),
        on_pairs=(len(every) - len(on_csr)) // 2,
        rounds=lines([f"`{finish}`", finish.no_forest] for finish in whole() if finish.no_forest),
    )


def streams() -> str:
    every = [parse(text).finish for text in plans("incremental", engine="cpu")]
    return STREAMS.format(
        count=len(every),
        mixed=sum(f.mixed for f in every),
        rounds=sum(f.standalone for f in every),
        splicing=sum(not f.mixed and not f.standalone for f in every),
    )


def refused() -> str:
    words = [(v, ",".join(word for _, word in v.words)) for v in registry().variants() if not v.valid]
    return REFUSED.format(
        rows=lines([c.link, c.find, c.splice or "-", c.reason] for c in registry().combinations() if not c.valid),
        words=lines([f"`{v.name}({texts})`", v.reason] for v, texts in words),
        parts=lines(refused_parts()),
    )


def lists() -> str:
    return RANKING.format(
        rows=lines(
            [f"`{p.name}`", f"`{p.code}`", parameters_of(p), p.summary, ", ".join(p.engines), p.reference]
            for p in registry().axis("rank").values()
        )
    )


def render() -> dict[str, str]:
    """Every page by its path below docs/."""
    pages = {
        "samplings": SAMPLINGS.format(sample=axis("sample")),
        "rules": RULES.format(link=axis("link"), find=axis("find"), splice=axis("splice")),
        "standalone": standalone(),
        "engines": ENGINES_PAGE.format(engines=options()),
        "forests": forests(),
        "streams": streams(),
        "lists": lists(),
        "refused": refused(),
        "differences": DEVIATIONS,
    }
    return {"plans.md": head()} | {f"plans/{name}.md": pages[name] for name in ORDER}


if __name__ == "__main__":
    for path, page in render().items():
        target = Path(__file__).parent / path
        target.parent.mkdir(exist_ok=True)
        target.write_text(page)
