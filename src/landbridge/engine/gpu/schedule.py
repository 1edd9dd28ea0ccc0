"""The options of the engine as a run takes them: what a plan leaves open, filled in for its graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from landbridge.device import kernels
from landbridge.engine.base import needs
from landbridge.errors import InputError
from landbridge.plan import Finish, Plan, registry

SMALL = 2**14
"""Vertices and edges up to which one block is faster than several launches."""
MANY = 2**22
"""Edges from which a few launches more cost little."""


class GraphArrays(Protocol):
    """As much of a graph as a run reads. offsets: None for an edge list. b: None for CSR."""

    @property
    def num_vertices(self) -> int: ...
    @property
    def num_edges(self) -> int: ...
    @property
    def symmetric(self) -> bool | None: ...
    @property
    def wide(self) -> bool: ...
    @property
    def offsets(self) -> Any: ...
    @property
    def a(self) -> Any: ...
    @property
    def b(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class GpuSchedule:
    """The engine's options. fuse: "block" for a run in one block, or "off".

    `of` decides what a plan leaves open: what follows from plan and graph has no default here.
    adapt: whether launches follow that depend on what the sampling has left.
    """

    balance: str
    owner: str
    reads: str
    adapt: bool = False
    fuse: str = "off"
    start: str = "self"
    wide: bool = False
    arcs: str = "reorganised"
    atomics: str = "aggregated"
    hints: str = "off"
    merge: str = "off"
    seed: int = 1

    @classmethod
    def of(cls, plan: Plan, graph: GraphArrays) -> GpuSchedule:
        """The options of a plan for a graph. Raises InputError where they do not fit it."""
        option, wide = plan.option, graph.wide
        options = {name: value for name, value in (plan.engine.options if plan.engine else ()) if name in _AS_GIVEN}
        ids = option("ids", "")
        if ids == "narrow" and wide:
            raise InputError(f"ids=narrow holds fewer than 2^31 vertices, and the graph has {graph.num_vertices}")
        small = "block" if graph.num_vertices + graph.num_edges <= SMALL else "off"
        start = option("start", "self") if plan.sample is None else "self"
        hooked = start != "self"
        # Old values pay where few links contend, or where most edges are dropped at their first look.
        few = plan.sample is not None or hooked
        balance = option("balance", balance_of(plan))
        ranked, _ = needs()[plan.finish.link] if not plan.finish.standalone else (True, False)
        return cls(
            adapt=option("adapt", "off") == "on" and plan.sample is not None and not ranked,
            balance=balance,
            fuse=option("fuse", small) if in_one_block(plan) else "off",
            # The lanes of a warp share a row: from its smaller endpoint they link different roots below one. A start
            # that hooks leaves nothing to do for the first edges, seen from their larger endpoints.
            owner=option("owner", "larger" if hooked or balance != "edge" else "smaller"),
            reads=option("reads", "stale" if few or balance == "edge" else "fresh"),
            start=start,
            wide=wide or ids == "wide",
            **options,  # type: ignore[arg-type] # `landbridge.plan.Engine` has converted them
        )


_AS_GIVEN = ("arcs", "atomics", "hints", "merge", "seed")
"""Options that are taken from a plan as they are."""


def in_one_block(plan: Plan) -> bool:
    """Whether a plan is one rule over all edges that needs nothing beside the parents."""
    finish = plan.finish
    return plan.sample is None and not finish.standalone and finish.stages is None and not any(needs()[finish.link])


def balance_of(plan: Plan) -> str:
    """The balance of a plan that names none: equal shares of edges where all are read, as without sampling."""
    return "edge" if plan.sample is None else "tile"


def rule_of(finish: Finish, reads: str = "fresh", merge: str = "off") -> kernels.Rule:
    """The rule of a finish that is not a standalone algorithm."""
    ranked, uses_aux = needs()[finish.link]
    row = registry().combination(finish.link, finish.find, finish.splice)
    return kernels.Rule(
        finish.link, finish.find, finish.splice, ranked, uses_aux, reads, merge, row.steps, row.cuts_off
    )
