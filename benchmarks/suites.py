"""Suites as data: one TOML file each in `benchmarks/suites`."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any

SUITES_FOLDER = Path(__file__).with_name("suites")


@dataclass(frozen=True)
class Suite:
    """One suite. Its kind (`benchmarks.kinds`) lists the values that it reads; any other value is an error.

    Attributes
    ----------
    kind, device : str
        A row of `benchmarks.kinds.KINDS`; "cpu" or "gpu".
    graphs : list of str
        Names in `graphs.toml`.
    threads : list of int
        Thread counts to run with, 0 for every processor.
    repeat, trials : int
        Turns of each contestant; recorded calls in a turn.
    landbridge, peers : list of str
        Plan texts, or forms such as "auto from scipy"; names in `peers.PEERS`.
    max_edges : dict
        Peer -> the most edges that it is run on.
    within : dict
        Contestant -> after how many times the seconds of landbridge on the same engine it is stopped.
    budget, limit : float
        Seconds of a contestant on one graph after which it takes no further turn; seconds of a single answer.
    screen : float
        Plans slower than this multiple of the fastest take one turn only.
    finalists, final : int
        How many of the fastest plans are measured again with `auto`, and in how many turns.
    claims : list of str
        Claims of the papers to check, none for all.
    lists, claim_lists : list of str
        Linked lists, such as "random 2^20"; those on which claims are checked.
    orders, batches, batched, queries
        Of streams: orders of the edges; operations per batch; the graph whose stream is in batches; queries per insert.
    ablations : dict
        Name -> a plan, and the options that are changed in it.
    millions : int
        Millions of ids in an array.
    cases, against
        What is timed in two source trees; the other tree.
    phases : bool
        Print the time of each launch.
    cells, screens, sample, seed, seconds
        Of the zoo: patterns of cells (`benchmarks.zoo.cells`); problem -> the plans beside auto; the number of cells
        drawn by the seed, 0 for all; seconds after which no further cell begins.
    bars : dict
        Limits that must hold, by names of the kind.
    """

    name: str
    kind: str
    title: str
    device: str = "cpu"
    graphs: list[str] = field(default_factory=list)
    threads: list[int] = field(default_factory=lambda: [0])
    repeat: int = 5
    trials: int = 3
    landbridge: list[str] = field(default_factory=lambda: ["auto"])
    peers: list[str] = field(default_factory=list)
    max_edges: dict[str, int] = field(default_factory=dict)
    within: dict[str, float] = field(default_factory=dict)
    budget: float = 60.0
    screen: float = 3.0
    finalists: int = 6
    final: int = 10
    limit: float = 30.0
    claims: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    claim_lists: list[str] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    batched: str = ""
    queries: list[int] = field(default_factory=list)
    ablations: dict[str, dict[str, Any]] = field(default_factory=dict)
    millions: int = 0
    cases: list[dict[str, Any]] = field(default_factory=list)
    against: str = ""
    phases: bool = False
    cells: list[str] = field(default_factory=list)
    screens: dict[str, list[str]] = field(default_factory=dict)
    sample: int = 0
    seed: int = 1
    seconds: float = float("inf")
    bars: dict[str, float] = field(default_factory=dict)

    def values(self) -> set[str]:
        """Return the names of the values that differ from their defaults."""
        names = set()
        for value in fields(self)[3:]:
            default = value.default if value.default_factory is MISSING else value.default_factory()
            if getattr(self, value.name) != default:
                names.add(value.name)
        return names


def suite_names() -> list[str]:
    return sorted(path.stem for path in SUITES_FOLDER.glob("*.toml"))


def load_suite(name: str, overrides: dict[str, Any] | None = None) -> Suite:
    """Read a suite; `overrides` replace its values.

    A suite that `extends` another has its values where it has none of its own. Raises ValueError for an unknown suite
    or key, and for numbers that are too small; names are validated by the suite's kind.
    """
    values = _values(name)
    unknown = set(values) - {value.name for value in fields(Suite)}
    if unknown:
        raise ValueError(f"{name}.toml: unknown key {sorted(unknown)[0]!r}")
    suite = Suite(**{**values, "name": name, **(overrides or {})})
    if suite.repeat < 1 or suite.trials < 1 or min(suite.threads, default=0) < 0:
        raise ValueError(f"repeat = {suite.repeat}, trials = {suite.trials}, threads = {suite.threads}: too few")
    return suite


def _values(name: str) -> dict[str, Any]:
    path = SUITES_FOLDER / f"{name}.toml"
    if not path.is_file():
        raise ValueError(f"no suite is called {name!r}; known: {', '.join(suite_names())}")
    with path.open("rb") as file:
        values = tomllib.load(file)
    base = values.pop("extends", None)
    return values if base is None else {**_values(base), **values}
