"""What an engine is: a machine that takes a graph and a plan and returns components or a spanning forest."""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol

from landbridge import _core
from landbridge.engine.sizes import Sizes
from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.plan.choose import Choice, Facts
from landbridge.result import Components, IdArray, SpanningForest


class Engine(Protocol):
    """A machine. ``name`` is the word in plan texts and in ``device=``."""

    name: str

    def facts(self, graph: Graph, threads: int) -> Facts:
        """What `choose` looks at; costs microseconds, whatever the size of the graph."""

    def choose(self, facts: Facts) -> Choice:
        """The plan for these facts, and why."""

    def at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> Components | None:
        """Components of pairs that nobody has validated yet, in one pass; None where that way is not open."""

    def forest_at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> SpanningForest | None:
        """The same for a spanning forest."""

    def components(self, graph: Graph, plan: Plan, threads: int) -> Components:
        """Run the plan. Labels are those of the contract, whatever the plan."""

    def forest(self, graph: Graph, plan: Plan, threads: int) -> SpanningForest:
        """Run a plan whose finish has the trait ``forest``, and name the edges that joined two trees."""

    def memory(self, sizes: Sizes, plan: Plan, forest: bool = False) -> int:
        """Bytes of this engine's memory that a run of the plan takes beyond the graph, at most. Runs nothing.

        forest: whether it is to leave a spanning forest instead of labels.
        """


@cache
def needs() -> dict[str, tuple[bool, bool]]:
    """Of each link: whether it works on ranked words, and whether it needs auxiliary cells."""
    return {row["link"]: (row["ranked"], row["uses_aux"]) for row in _core.combinations()}


def facts_of(graph: Graph, threads: int, density: float | None = None) -> Facts:
    """What a plan is chosen by. density: of pairs, where an engine has looked at their ids; else edges a vertex."""
    n, m = graph.num_vertices, graph.num_edges
    largest, first_smaller, local, expansion = graph.probe
    average = m / n if n else 0.0
    return Facts(
        vertices=n,
        edges=m,
        layout=graph.layout,
        symmetric=bool(graph.symmetric),
        average_degree=average,
        density=average if density is None else density,
        skew=largest / average if m else 0.0,
        first_smaller=first_smaller,
        local=local,
        expansion=expansion,
        threads=threads,
    )


class Trees(Protocol):
    """The trees of a stream, where its engine keeps them. Arrays of ids are of one native type and equally long.

    vertices, count, position, mixed, keeps_forest: as the properties of `landbridge.Incremental`, and whether the edges
    that made links are kept.
    """

    @property
    def vertices(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def position(self) -> int: ...
    @property
    def mixed(self) -> bool: ...
    @property
    def keeps_forest(self) -> bool: ...

    def prepare(self, u: Any, v: Any, is_query: Any, vertices: int) -> None:
        """Raise what a batch would be refused for (edges alone where is_query is None), and make room for its vertices
        and at least so many. Nothing that can be asked for changes."""

    def insert(self, u: Any, v: Any) -> None:
        """Unite u[i] with v[i]."""

    def insert_one(self, u: int, v: int) -> None:
        """Unite two vertices."""

    def insert_at(self, u: Any, v: Any, at: Any, advance: int, vertices: int) -> None:
        """Edges of another stream of so many vertices and operations; edge i was its operation at[i]."""

    def apply(self, u: Any, v: Any, is_query: Any, inserts_first: bool) -> Any:
        """Run operations; packed answers."""

    def connected(self, u: Any, v: Any) -> Any:
        """Shape (len(u),), bool."""

    def connected_one(self, u: int, v: int) -> bool:
        """Whether two vertices are connected."""

    def labels(self, threads: int) -> tuple[int, Any]:
        """(count, labels) of a moment between batches."""

    def snapshot(self, with_forest: bool) -> tuple[int, Any, Any]:
        """(position, representatives, (u, v, positions) or None), in host memory."""
