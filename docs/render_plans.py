"""Writes docs/plans.md: the text below around tables made from the registry. `python docs/render_plans.py`."""

from __future__ import annotations

from pathlib import Path

from landbridge import plans
from landbridge.plan import ALIASES, registry
from landbridge.plan.registry import TRAITS

HEAD = """\
# Plans

A plan is `[sample+]finish[@engine]`: an optional sampling that finds the largest tree early, a finish that unites what
is left, and where to run. Every plan gives the same labels; they differ in speed only.

    rem_cas(naive,split_one)                  every edge once, Rem's union with compare and swap
    kout(2)+rem_cas(naive,split_one)          two arcs of every vertex first, then skip the largest tree
    hb(4)+ecl(halve)@cpu(threads=8)           hook to the first neighbour, four arcs for the roots left over
    stages(async(halve),q=0.5)                pairs in groups of n/2, ends replaced by parents in between
    bfscc                                     one breadth-first search for each component

`landbridge.plans(engine="cpu")` lists {count} plans: {csr} on rows (8 samplings with 44 finishes each, and bfscc) and
{coo} on pairs (44 plain, 44 staged). `extended=True` adds {more} with rules outside the published enumeration.
`plan="auto"` chooses one; `landbridge.explain(graph)` says which and why.

Rows known to be symmetric are read from the larger end of each edge, and skipping is exact as it stands. Rows not
known to be symmetric get the same answer from every plan: arcs from skipped vertices that lead out of the largest tree
are taken, too.
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
        "Whole algorithms",
        "Finishes that are not a union of edges. What they can do: "
        + "; ".join(f"{trait}: {meaning}" for trait, meaning in TRAITS.items())
        + ".",
    ),
}

REFUSED = """
## Combinations that are refused

Each raises `InvalidCombination` with its reason.

| link | find | splice | why |
|---|---|---|---|
{rows}
"""

DEVIATIONS = """
## Where plans differ from their papers

- Labels are numbered by smallest vertex at the end, whatever the plan leaves behind.
- `kout` unites all k arcs of a vertex in one pass and flattens the forest once; Afforest and ConnectIt flatten after
  every round. On symmetric rows the finish leaves out the arcs that `kout(k,first)` has united.
- `hb` hooks a vertex to the parent of its first neighbour where that neighbour has been hooked by the same thread just
  before, so chains of natural ids stay short. Its k is 4, as in the published builds.
- `bfs` starts once, at the vertex of largest degree among 1,024 (GConn); ConnectIt tries up to three sources. What it
  reaches is rooted at its smallest vertex, as `ldd` clusters are.
- `ldd` offers centres in the order of an affine permutation drawn from the seed.
- `early` goes on from the parent, as GConn does, and not from the grandparent as ConnectIt does.
- `afforest(find)` unites without a find: the plans with different finds do the same on the CPU.
- Ties of equal rank in `jtb` are decided by a hash of the two roots and the rank.
- `stages` replaces ends by their parents from the second group on, without permuting the edges.
"""

HISTORIC = """
## Names of systems

| name | plan | paper and deviations |
|---|---|---|
{rows}
"""


def render() -> str:
    """The whole page."""
    table = registry()
    everything = plans(engine="cpu")
    coo = [p for p in everything if "layout=coo" in p]
    page = HEAD.format(
        count=len(everything), csr=len(everything) - len(coo), coo=len(coo),
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
    refused = [c for c in table.combinations() if not c.valid]
    page += REFUSED.format(rows="\n".join(f"| {c.link} | {c.find} | {c.splice or '-'} | {c.reason} |" for c in refused))
    page += DEVIATIONS
    named = [f"| `{name}` | `{a.plan}` | {a.source}. {a.deviation} |" for name, a in ALIASES.items()]
    return page + HISTORIC.format(rows="\n".join(named))


if __name__ == "__main__":
    Path(__file__).with_name("plans.md").write_text(render())
