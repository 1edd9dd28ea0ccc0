"""Writes docs/plans.md: the text below around tables made from the registry. `python docs/render_plans.py`."""

from __future__ import annotations

from pathlib import Path

from landbridge import InvalidCombination, plans
from landbridge.plan import Finish, parse, registry
from landbridge.plan.registry import TRAITS, Parameter

HEAD = """\
# Plans

A plan is `[sample+]finish[@engine]`: an optional sampling that finds the largest tree early, a finish that unites what
is left, and where to run. Every plan gives the same labels; they differ in speed only.

    rem_cas(naive,split_one)                  every edge once, Rem's union with compare-and-swap
    kout(2)+rem_cas(naive,split_one)          two edges of every vertex first, then skip the largest tree
    hb(4)+ecl(halve)@cpu(threads=8)           hook to the first neighbour, four edges of each remaining root
    stages(async(halve),q=0.5)                edges in groups of n/2, endpoints replaced by parents in between
    kout(2)+lt(parent,root,once)              rounds of Liu and Tarjan: connect parents, update roots, shortcut once
    bfscc                                     one breadth-first search for each component

`landbridge.plans(engine="cpu")` lists {count} plans: {csr} on CSR ({samplings} samplings,
none among them, with {on_rows} finishes each, and {alone}) and {coo} on COO edge lists ({on_pairs} plain, {staged}
staged). The 339 of the published enumeration (Hong, Dhulipala, Shun 2020) are among them. `extended=True` adds {more}
with rules outside it.
`plan="auto"` chooses one; `landbridge.explain(graph)` says which and why.

A CSR known to be symmetric is read from the larger endpoint of each edge, and skipping is exact as it stands. A CSR not
known to be symmetric gets the same answer from every plan: arcs from skipped vertices out of the largest tree are
united, too. (An arc is an edge as CSR stores it, with a direction.)
"""

RULES = """
## {title}

{text}

| name | code | parameters | what it does | {column} | source |
|---|---|---|---|---|---|
{rows}
"""

AXES = {
    "sample": ("Samplings", "What is united first. The tree most vertices are in is then skipped."),
    "link": ("Links", "How two trees are united. All but jtb hang the larger root below the smaller."),
    "find": ("Finds", "How a root is found, and what happens to the path on the way."),
    "splice": ("Splice rules", "What Rem's unions do with a vertex on the way up."),
    "finish": (
        "Standalone algorithms",
        "Finishes that are not a union of edges. What they can do: "
        + "; ".join(f"{trait}: {meaning}" for trait, meaning in TRAITS.items())
        + ".",
    ),
}

VARIANTS = """
| what it is with its words | what it can do |
|---|---|
{rows}

Rounds can be sampled: the root of the largest tree then gets the smallest name while they run, so no label that a
skipped vertex could take is smaller, and none has to be visited (the changed order of ConnectIt). Skipped vertices take
no part in the passes either. Labels are renamed at the end.
"""

FOREST = """
## Spanning forests

`landbridge.plans("forest", engine="cpu")` lists the {count} plans that make a spanning forest: {csr} on CSR
({samplings} samplings, none among them, with {on_rows} finishes each, and bfscc) and {coo} on COO edge lists
({on_pairs} plain, as many staged). Those after none, `kout(2)`, `hb(4)` and `bfs`, those on COO and bfscc are the 255
that are sound by our reasoning; the published list (Hong, Dhulipala, Shun 2020) has 132 of them: async, hooks, early,
jtb, ecl and afforest.

An edge belongs to the forest if it cost a root its place. Every link reports such edges, with every find and after
every sampling, with one exception; standalone algorithms do where their row says `forest`. Edges of a sampling belong
to it, too: k-out and the second part of hb are ordinary links, hooked first neighbours and the trees of searches are
taken as they are. In rounds several edges offer a root a smaller label at once; the edge that is named is one of those
whose label won, found by reading the edges of a round a second time before labels are shortened.

With `engine="gpu"` it lists the same {gpu}.

Refused: {reason}.

| algorithm | why it makes no spanning forest |
|---|---|
{rounds}
"""

STREAMS = """
## Streams

`landbridge.plans("incremental", engine="cpu")` lists the {count} plans that `landbridge.Incremental` takes, with
`engine="gpu"` the same. {mixed} of them mix: queries run beside inserts. The others insert the edges of a batch first:
{splicing} because a splice cuts a subtree off for a moment, and {rounds} because they run in rounds over the batch,
whose endpoints are replaced by their roots before (Shiloach-Vishkin and the variants of Liu and Tarjan with a root
update). The published list has 43: ecl and afforest, which mix, are the other 8.
"""

REFUSED = """
## Combinations that are refused

Each raises `InvalidCombination` with its reason.

| link | find | splice | why |
|---|---|---|---|
{rows}

| algorithm | why |
|---|---|
{words}

Standalone algorithms, with a sampling before them or in stages:

| plan | why |
|---|---|
{parts}
"""

RANKING = """
## List ranking

`landbridge.rank_list` takes these, as `name(parameters)[@engine]`; `landbridge.plans("list_ranking")` lists them. Every
one gives the same ranks.

| name | code | parameters | what it does | runs on | source |
|---|---|---|---|---|---|
{rows}
"""

DEVIATIONS = """
## Where plans differ from their papers

- Labels are numbered by smallest vertex at the end, whatever the plan leaves behind.
- `kout` unites all k edges of a vertex in one pass and flattens the forest once; Afforest and ConnectIt flatten after
  every round. On a symmetric CSR the finish leaves out the edges that `kout(k,first)` has united.
- `hb` hooks a vertex to the parent of its first neighbour where that neighbour has been hooked by the same thread just
  before, so chains of natural ids stay short. Its k is 4, as in the published builds.
- `bfs` starts once, at the vertex of largest degree among 1,024 (GConn); ConnectIt tries up to three sources. What it
  reaches is rooted at its smallest vertex, as `ldd` clusters are.
- `ldd` offers centres in the order of an affine permutation drawn from the seed.
- `early` goes on from the parent, as GConn does, and not from the grandparent as ConnectIt does.
- `afforest(find)` unites without a find: the plans with different finds do the same on the CPU.
- Ties of equal rank in `jtb` are decided by a hash of the two roots and the rank.
- Rounds of `shiloach_vishkin`, `lt` and `stergiou` keep the labels of the round's beginning in a second array and lower
  the first by atomic minimum, so an update needs no pass of its own; `once` moves a vertex in place and may get further
  than its grandparent. `shiloach_vishkin` and `lt(parent,root,full)` are the same rounds. Altered edges are a copy.
- `label_propagation` reads labels as they are, not those of the round's beginning, so a label may travel several edges
  in a round; `frontier` marks a vertex whose label has fallen in the top bit of the second array.
- `stages` replaces endpoints by their parents from the second group on, without permuting the edges.
"""

HISTORIC = """
Systems of papers are in [systems.md](systems.md).
"""


def words_of(name: str) -> list[Parameter]:
    return [p for p in registry().axis("finish")[name].parameters if p.kind == "word"]


def whole() -> list[Finish]:
    """Every standalone algorithm: rounds with each choice of words, others as they come."""
    variants = [
        v
        for v in registry().variants()
        if v.valid and ("rounds" in v.traits or v.words == tuple((p.name, p.default) for p in words_of(v.name)))
    ]
    return [Finish(v.name, values=v.words) for v in variants]


def refused_parts() -> list[tuple[str, str]]:
    """Every standalone algorithm after a sampling, and in stages, where that is refused, with the reason."""
    refusals = []
    for finish in whole():
        for text in (f"bfs+{finish}", f"stages({finish},q=0.5)"):
            try:
                parse(text)
            except InvalidCombination as error:
                refusals.append((text, str(error).partition(": ")[2]))
    return refusals


def render() -> str:
    """The whole page."""
    table = registry()
    everything = plans(engine="cpu")
    coo = [p for p in everything if "layout=coo" in p]
    staged = [p for p in coo if p.startswith("stages")]
    rows = [parse(p) for p in everything if "layout=csr" in p]
    plain = [p.finish for p in rows if p.sample is None]
    sampled = {str(p.finish) for p in rows if p.sample is not None}
    alone = [str(finish) for finish in plain if str(finish) not in sampled]
    page = HEAD.format(
        count=len(everything),
        csr=len(rows),
        coo=len(coo),
        samplings=len({p.sample for p in rows}),
        on_rows=len(sampled),
        alone=" and ".join(alone),
        on_pairs=len(coo) - len(staged),
        staged=len(staged),
        more=len(plans(engine="cpu", extended=True)) - len(everything),
    )
    for axis, (title, text) in AXES.items():
        rows = []
        for p in table.axis(axis).values():
            parameters = ", ".join(f"{q.name} = {q.default}" for q in p.parameters) or "-"
            last = ", ".join(p.traits) if axis == "finish" else p.stale
            rows.append(f"| `{p.name}` | `{p.code}` | {parameters} | {p.summary} | {last} | {p.reference} |")
        column = "can" if axis == "finish" else "tolerates stale reads"
        page += RULES.format(title=title, text=text, column=column, rows="\n".join(rows))
    variants = [v for v in table.variants() if v.valid and "rounds" in v.traits]
    page += VARIANTS.format(
        rows="\n".join(
            f"| `{Finish(v.name, values=v.words)}` | {', '.join(t for t in TRAITS if t in v.traits)} |"
            for v in variants
        )
    )
    refused = [c for c in table.combinations() if not c.valid]
    reason = next(c.no_forest for c in table.combinations() if c.valid and c.no_forest)
    forests = [parse(text) for text in plans("forest", engine="cpu")]
    on_rows = [p for p in forests if p.layout == "csr"]
    samplings = {p.sample for p in on_rows}
    page += FOREST.format(
        gpu=len(plans("forest", engine="gpu")),
        count=len(forests), reason=reason, csr=len(on_rows), coo=len(forests) - len(on_rows), samplings=len(samplings),
        on_rows=(len(on_rows) - 1) // len(samplings), on_pairs=(len(forests) - len(on_rows)) // 2,
        rounds="\n".join(
            f"| {finish} | {finish.no_forest} |" for finish in whole() if finish.no_forest
        ),
    )  # fmt: skip
    streams = [parse(text).finish for text in plans("incremental", engine="cpu")]
    page += STREAMS.format(
        count=len(streams), mixed=sum(f.mixed for f in streams), rounds=sum(f.standalone for f in streams),
        splicing=sum(not f.mixed and not f.standalone for f in streams),
    )  # fmt: skip
    page += REFUSED.format(
        rows="\n".join(f"| {c.link} | {c.find} | {c.splice or '-'} | {c.reason} |" for c in refused),
        words="\n".join(
            f"| {v.name}({','.join(word for _, word in v.words)}) | {v.reason} |"
            for v in table.variants()
            if not v.valid
        ),
        parts="\n".join(f"| {text} | {reason} |" for text, reason in refused_parts()),
    )
    lists = []
    for p in table.axis("rank").values():
        parameters = ", ".join(f"{q.name} = {q.default}" for q in p.parameters) or "-"
        where = ", ".join(p.engines)
        lists.append(f"| `{p.name}` | `{p.code}` | {parameters} | {p.summary} | {where} | {p.reference} |")
    page += RANKING.format(rows="\n".join(lists))
    page += DEVIATIONS
    return page + HISTORIC


if __name__ == "__main__":
    Path(__file__).with_name("plans.md").write_text(render())
