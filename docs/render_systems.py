"""Writes docs/systems.md from the text below and the registry. `python docs/render_systems.py`."""

from __future__ import annotations

import re
from pathlib import Path

from landbridge.plan import ALIASES, registry
from landbridge.plan.registry import Policy, show

HEAD = """\
# Published systems by name

Systems that papers compare with are plans of their own, to be timed against everything else on the same graphs. They
give the labels every plan gives: 0..k-1 by smallest vertex. They are baselines: `plan="auto"` chooses none of them.

    soman(alternate)                  directions of hooking take turns, as in the text of the paper
    ecl_cc(16,352,init1,jump2)        other than the default initialisation and find
    stages(cc_updt,q=1)               edges in groups of n
    groute_cc(8,1)@gpu                eight segments, one round of plain stores before the swaps of each

What holds for all of them:

- Accesses to shared cells are relaxed atomics where the originals race. A system that hangs trees below each other with
  plain stores still does: any of several writers may win, and a round ends with a barrier before anything is
  concluded from it. A store that would replace a parent by a larger one is left out if the smaller one has
  been read: the originals allow any writer to win.
- Labels are renamed by smallest vertex where roots are not.
- They give labels alone. Their steps record no edge that united two trees, so none of them makes a spanning forest.
- Those on CSR get a symmetric CSR where the graph has none; those on COO get an edge list. The conversion is in the
  profile of the run.
- Systems on COO that work in rounds are written once, as control flow over phases. The originals launch a kernel per
  phase and read a flag back after each round.
"""

TABLE = """
## The systems

| plan | parameters | engines | works on | what it does | source |
|---|---|---|---|---|---|
{rows}

Words come with their default first. Those that can run in groups of edges (`stages(...)`): {staged}.
"""

DIFFERENCES = """
## Where they differ from their papers

{rows}
"""

NAMED = """
## Systems that are other plans

| name | plan | paper and deviations |
|---|---|---|
{rows}
"""

DEVIATIONS: dict[str, str] = {
    "ecl_cc": (
        "Relaxed atomics in place of its races, as the authors' later race-free version has. On a GPU the "
        "five kernels and the double-sided list of the paper; `small` and `large` are its bounds 16 and 352 "
        "and matter there alone. On CPU threads rows are distributed by arcs, and with one thread the code "
        "runs on plain memory, which is the serial version. With `init1` roots process their rows too, "
        "because then a root may have smaller neighbours. `jump3` never shortens a path: time grows with the "
        "square of the longest."
    ),
    "crono_sv": (
        "Rows are distributed by arcs, not by vertices. A round is followed by another also where a "
        "vertex could not be grafted because it was no longer a root."
    ),
    "multistep": (
        "Sources are scanned for the largest degree exactly. Propagation pushes from vertices that have "
        "changed; the last `serial` active ones are one thread's stack. Vertices without edges are left out."
    ),
    "ndhybrid": (
        "Clusters are grown by pushing only. Centres come in the order of an affine permutation drawn from "
        "the seed, another on each level. Edges between the same two clusters are kept, and clusters without "
        "an edge to another are left out of the next level."
    ),
    "serial_search": (
        "Rows are given, so the time has no conversion in it where the graph is a CSR that is known to be symmetric."
    ),
    "soman": (
        "`three` is the authors' code: three rounds that hook larger roots below smaller, then only the other "
        "way; `alternate` is the text. `levels` follows chains of former roots first and moves leaves once; "
        "`everyone` jumps until all trees are flat. Edges are two arrays, not packed words."
    ),
    "gunrock_cc": (
        "Operators of the library are phases of one launch: hooking with the filter of edges in one pass, "
        "jumping with the filter of vertices in another. Directions of hooking take turns."
    ),
    "groute_cc": (
        "One device. The rule for segments and blind rounds is the code's: below average degree 8 one segment "
        "and one round of plain stores, above as many segments as there are edges per vertex and no such round. Blind "
        "stores go to roots alone."
    ),
    "cong_muzio_cc": (
        "`lower` takes the smallest of all requested parents by atomic minimum, which takes fewer rounds and is "
        "another algorithm."
    ),
    "cc_updt": ("Edges are rewritten in a copy. Those inside a tree stay in it."),
    "sv_updt": ("The rounds are those of `sv0_5`, with endpoints replaced by parents after each."),
    "sv0_5": (
        "SV3 tests whether the parent is a root now; the listing for CPUs compares the two arrays instead. Each edge "
        "of the list stands for both arcs, which one thread handles one after the other."
    ),
    "rem_verify": (
        "When no edge that linked is left between two trees, all edges are read once more: an edge may have "
        "seen its endpoints connected through a parent that was overwritten later, and linked nothing. Not in "
        "stages, because a lost parent of an earlier group would not be noticed."
    ),
    "schd": (
        "The paper names coordinated scheduling and refers to another for it, so this is a design of ours: "
        "rounds of `cc_updt` whose reads and writes of parents are requests, sorted by blocks of 2^15 parents "
        "before one thread serves each block."
    ),
}


def bibliography() -> dict[str, str]:
    """Authors' last names, title and year of every key."""
    text = (Path(__file__).resolve().parents[1] / "REFERENCES.bib").read_text()
    sources = {}
    for key, body in re.findall(r"^@\w+\{([^,\s]+),(.*?)^\}", text, flags=re.MULTILINE | re.DOTALL):
        fields = dict(re.findall(r"(\w+) = \{((?:[^{}]|\{[^{}]*\})*)\}", body))
        names = ", ".join(author.split(",")[0] for author in fields["author"].split(" and "))
        sources[key] = f"{names}: {fields['title']}, {fields['year']}".translate(str.maketrans("", "", "{}"))
    return sources


def parameters(policy: Policy) -> str:
    """Every parameter with its default, and of a word what else it may be."""
    shown = []
    for p in policy.parameters:
        others = [c for c in p.choices if c != p.default]
        value = "|".join((str(p.default), *others)) if p.choices else show(p.default or 0)
        shown.append(f"`{p.name}={value}`".replace("|", r"\|"))
    return ", ".join(shown) or "-"


def render() -> dict[str, str]:
    """The page by its path below docs/."""
    sources = bibliography()
    systems = {name: registry().axis("finish")[name] for name in DEVIATIONS}
    rows = [
        f"| `{p.name}` | {parameters(p)} | {', '.join(p.engines)} | {'CSR' if 'csr' in p.traits else 'COO'} "
        f"| {p.summary} | {sources[p.reference]} |"
        for p in systems.values()
    ]
    staged = ", ".join(f"`{p.name}`" for p in systems.values() if "stages" in p.traits)
    page = HEAD + TABLE.format(rows="\n".join(rows), staged=staged)
    page += DIFFERENCES.format(rows="\n".join(f"- **`{name}`** {text}" for name, text in DEVIATIONS.items()))
    named = [f"| `{name}` | `{a.plan}` | {a.source}. {a.deviation} |" for name, a in ALIASES.items()]
    return {"systems.md": page + NAMED.format(rows="\n".join(named))}


if __name__ == "__main__":
    for path, page in render().items():
        (Path(__file__).parent / path).write_text(page)
