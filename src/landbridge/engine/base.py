"""What an engine is: a machine that takes a graph and a plan and returns components."""

from __future__ import annotations

from typing import Protocol

from landbridge.graph import Graph
from landbridge.plan import Plan
from landbridge.plan.choose import Choice, Facts
from landbridge.result import Components, IdArray


class Engine(Protocol):
    """A machine. ``name`` is the word in plan texts and in ``device=``."""

    name: str

    def facts(self, graph: Graph, threads: int) -> Facts:
        """What `choose` looks at; costs microseconds, whatever the size of the graph."""

    def choose(self, facts: Facts) -> Choice:
        """The plan for these facts, and why."""

    def at_once(self, u: IdArray, v: IdArray, plan: Plan | None, threads: int) -> Components | None:
        """Components of pairs that nobody has validated yet, in one pass; None where that way is not open."""

    def components(self, graph: Graph, plan: Plan, threads: int) -> Components:
        """Run the plan. Labels are those of the contract, whatever the plan."""
