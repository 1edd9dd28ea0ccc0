"""What a kind of suite is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from benchmarks.cases import graph_texts
from benchmarks.records import Record
from benchmarks.sink import Sink
from benchmarks.suites import Suite


@dataclass(frozen=True)
class Kind:
    """run: measures and records. summary: lines for the end of a run. reads: the values of a suite that the kind uses.
    peers: the names that a suite's `peers` may have; graphs: those that its `graphs` may have. requires: raises
    ValueError for what else is wrong with a suite.
    """

    run: Callable[[Sink], None]
    summary: Callable[[list[Record]], str]
    reads: frozenset[str]
    peers: Callable[[], Iterable[str]] = tuple
    graphs: Callable[[Suite], Iterable[str]] = lambda suite: graph_texts()
    requires: Callable[[Suite], object] = lambda suite: None

    def validate(self, suite: Suite) -> None:
        """Raise ValueError for a value of the suite that this kind does not read, and for an unknown graph or peer."""
        unread = suite.values() - self.reads
        if unread:
            raise ValueError(f"a suite of kind {suite.kind!r} has no use for {sorted(unread)[0]!r}")
        for what, names, known in (("graph", suite.graphs, self.graphs(suite)), ("peer", suite.peers, self.peers())):
            for name in names:
                if name not in known:
                    raise ValueError(f"no {what} of this suite is called {name!r}; known: {', '.join(sorted(known))}")
        self.requires(suite)
