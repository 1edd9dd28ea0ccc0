"""Suites as data: one TOML file each in `benchmarks/suites`, read and checked here."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

SUITES_FOLDER = Path(__file__).with_name("suites")


@dataclass(frozen=True)
class Suite:
    """One suite. See the files for what each kind reads; a key no kind knows is an error.

    kind: a row of `benchmarks.kinds.KINDS`. graphs: names in `graphs.toml`. threads: thread counts to run
    with, 0 for every processor. repeat: turns each contestant takes; trials: recorded calls in a turn.
    landbridge: plan texts, or forms such as "auto from scipy". peers: names in `peers.PEERS`. max_edges: peer
    -> most edges it is asked to take. budget: seconds a contestant may use on one graph before it takes no
    further turn. screen: plans slower than this multiple of the fastest take one turn only. limit: seconds a
    single answer may take. finalists, final: how many of the fastest plans meet `auto` again, and for how many
    turns. lists: of list ranking, such as "random 2^20"; claim_lists: those its claims are checked on. claims: which
    claims of the papers to check; none named means all. bars: what must hold, by the kind's own names.
    """

    name: str
    kind: str
    title: str
    graphs: list[str] = field(default_factory=list)
    threads: list[int] = field(default_factory=lambda: [0])
    repeat: int = 5
    trials: int = 3
    landbridge: list[str] = field(default_factory=lambda: ["auto"])
    peers: list[str] = field(default_factory=list)
    max_edges: dict[str, int] = field(default_factory=dict)
    budget: float = 60.0
    screen: float = 3.0
    finalists: int = 6
    final: int = 10
    limit: float = 30.0
    claims: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    claim_lists: list[str] = field(default_factory=list)
    bars: dict[str, float] = field(default_factory=dict)


def suite_names() -> list[str]:
    return sorted(path.stem for path in SUITES_FOLDER.glob("*.toml"))


def load_suite(name: str, overrides: dict[str, Any] | None = None) -> Suite:
    """Read a suite; `overrides` replace its values. Raises ValueError for an unknown suite, key or graph."""
    from benchmarks.cases import graph_texts
    from benchmarks.kinds import KINDS

    path = SUITES_FOLDER / f"{name}.toml"
    if not path.is_file():
        raise ValueError(f"no suite is called {name!r}; known: {', '.join(suite_names())}")
    with path.open("rb") as file:
        values = tomllib.load(file)
    unknown = set(values) - {field.name for field in fields(Suite)}
    if unknown:
        raise ValueError(f"{path.name}: unknown key {sorted(unknown)[0]!r}")
    suite = Suite(**{**values, "name": name, **(overrides or {})})
    if suite.kind not in KINDS:
        raise ValueError(f"{path.name}: unknown kind {suite.kind!r}; known: {', '.join(KINDS)}")
    graphs = graph_texts()
    for graph in suite.graphs:
        if graph not in graphs:
            raise ValueError(f"no graph is called {graph!r} in graphs.toml; known: {', '.join(graphs)}")
    known = KINDS[suite.kind].peers()
    for peer in suite.peers:
        if peer not in known:
            raise ValueError(f"no peer of this suite is called {peer!r}; known: {', '.join(sorted(known))}")
    if suite.repeat < 1 or suite.trials < 1 or min(suite.threads, default=0) < 0:
        raise ValueError(f"repeat = {suite.repeat}, trials = {suite.trials}, threads = {suite.threads}: too few")
    return suite
