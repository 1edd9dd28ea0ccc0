"""Why a plan was selected: the answer of `landbridge.explain`."""

from __future__ import annotations

from dataclasses import dataclass

from landbridge.errors import counted
from landbridge.id_kind import IdKind
from landbridge.plan.choose import LAID_OUT, Facts

_KINDS: dict[IdKind, str] = {
    "dense": "vertices are 0..n-1, and ids are their numbers",
    "sparse": "vertices are the whole numbers that occur",
    "names": "vertices are the names that occur",
}


@dataclass(frozen=True)
class Explanation:
    """A plan for a graph, the facts and the reasons; ``str()`` of it is a page of text.

    Attributes
    ----------
    plan : str
        The canonical text of the plan.
    device : str
        The engine it runs on.
    facts : Facts
        What the choice reads of the graph.
    reasons : tuple of str
        Why the facts lead to the plan.
    ids : str
        What the vertices are: "dense", "sparse" or "names".
    at_worst : str
        What the plan's work is on the worst graphs where that is more than a few accesses for each edge; else "".
    """

    plan: str
    device: str
    facts: Facts
    reasons: tuple[str, ...]
    ids: IdKind = "dense"
    at_worst: str = ""

    def __str__(self) -> str:
        f = self.facts
        layout = "a COO edge list" if f.layout == "coo" else "an edge list in rows" if f.in_rows else "a CSR"
        facts = [
            f"{counted(f.vertices, 'vertex', 'vertices')}, {counted(f.edges, 'stored edge')} as {layout}"
            + (" (both directions)" if f.symmetric else "")
            + f", {f.average_degree:.1f} per vertex",
            counted(f.threads, "thread"),
        ]
        if f.layout == "csr":
            facts.append(
                f"among the rows probed: largest degree {f.skew:.1f} times the average, "
                f"{f.first_smaller:.2%} with a smaller first neighbour, {f.local:.0%} of neighbours with near ids, "
                f"two steps reach {f.expansion:.1f} times as many vertices as one"
                + (f" ({f.repeats:.0%} of them more than once)" if f.repeats else "")
                + f", {f.enclosed:.0%} of the steps from there lead no further"
                + (f", {f.empty:.0%} of rows are empty" if f.empty else "")
                + (
                    f", {f.equidistant:.0%} of far first neighbours are equally far"
                    if f.equidistant >= LAID_OUT
                    else ""
                )
            )
        lines = [f"plan    {self.plan}", f"device  {self.device}", f"ids     {self.ids}: {_KINDS[self.ids]}"]
        lines += [f"facts   {s}" for s in facts]
        lines += [f"because {r}" for r in self.reasons]
        lines += [f"worst   {self.at_worst}"] if self.at_worst else []
        return "\n".join(lines)
