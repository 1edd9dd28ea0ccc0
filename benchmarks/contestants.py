"""Contestants of a suite, ready for a graph: landbridge with a plan text, and the suite's peers.

landbridge takes a graph in one of three forms: a prebuilt `landbridge.Graph` of CSR (like every peer's own prebuilt
graph), a prebuilt edge list, or the SciPy matrix itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import landbridge
from benchmarks.check import check_answer, check_forest
from benchmarks.sink import Sink
from benchmarks.suites import Suite
from benchmarks.turns import Entrant
from landbridge.edges.forms import Adjacency
from peers import peers
from peers.base import Answer, Case, Ids, InProcess, Peer, PeerFailed
from peers.scipy_peer import csr_matrix

FROM_SCIPY = " from scipy"
FROM_PAIRS = " from pairs"


class Landbridge(InProcess):
    """`text` is a plan ("auto", "kout(2)+rem_cas(naive,split_one)"), with " from scipy" after it for the matrix, or
    " from pairs" for each undirected edge once.
    """

    module = "landbridge"
    exact = True

    def __init__(self, text: str = "auto") -> None:
        super().__init__(f"landbridge({text})")
        self.plan = text.removesuffix(FROM_SCIPY).removesuffix(FROM_PAIRS)
        self.form = text[len(self.plan) :]

    def build(self, case: Case) -> Any:
        if self.form == FROM_SCIPY:
            return csr_matrix(case)
        if self.form == FROM_PAIRS:
            u, v = (array.astype(case.neighbors.dtype) for array in case.upper_edges())
            return landbridge.Graph((u, v), num_vertices=case.num_vertices)
        return landbridge.Graph(Adjacency(case.offsets, case.neighbors, symmetric=True))

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        return landbridge.Graph((source, target), num_vertices=n)

    def solve(self, graph: Any, threads: int) -> Any:
        result = landbridge.components(graph, plan=self.plan, threads=threads, device="cpu")
        return result, result.count, result.labels

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        _, count, labels = raw
        return int(count), np.asarray(labels)

    def describe(self, raw: Any) -> str:
        return str(raw[0].plan)


class LandbridgeForest(Landbridge):
    """The same plans for a spanning forest; the answer is the labels of the forest's own edges."""

    def __init__(self, text: str = "auto") -> None:
        super().__init__(text)
        self.name = f"landbridge forest({text})"

    def solve(self, graph: Any, threads: int) -> Any:
        forest = landbridge.spanning_forest(graph, plan=self.plan, threads=threads, device="cpu")
        _ = forest.edge, forest.u  # made when they are read; the forests of others hold them
        return forest, graph

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        """Raises WrongAnswer if the edges are no spanning forest of the graph."""
        forest, graph = raw
        count, labels = landbridge.components((forest.u, forest.v), num_vertices=graph.num_vertices, device="cpu")
        check_forest(self.name, graph, forest, int(count))
        return int(count), np.asarray(labels)


def landbridge_contestant(name: str) -> Landbridge | None:
    """The contestant called `name`, if it is one of landbridge's."""
    for prefix, kind in (("landbridge(", Landbridge), ("landbridge forest(", LandbridgeForest)):
        if name.startswith(prefix):
            return kind(name.removeprefix(prefix).removesuffix(")"))
    return None


def importable(sink: Sink, modules: dict[str, str]) -> list[str]:
    """Return which of the contestants' names have a module that can be imported; say which have not, once.

    The versions of those modules are recorded.
    """
    names = []
    for name, module in modules.items():
        try:
            __import__(module)
        except ImportError as error:
            sink.say(f"skipped: {name}: {module} cannot be imported: {error}")
        else:
            names.append(name)
    sink.packages = sorted({modules[name] for name in names})
    return names


def available(sink: Sink, contestants: Sequence[Peer]) -> list[Peer]:
    """Return the contestants that can run here; say which cannot, once. The versions of packages are recorded."""
    ready = []
    for peer in contestants:
        if reason := peer.unavailable():
            sink.say(f"skipped: {peer.name}: {reason}")
        else:
            ready.append(peer)
    sink.packages = sorted({peer.module for peer in ready if isinstance(peer, InProcess)})
    return ready


def contestants_of(sink: Sink) -> list[Peer]:
    """Return landbridge's contestants and the suite's peers that can run here."""
    return available(sink, [*map(Landbridge, sink.suite.landbridge), *peers(sink.suite.peers)])


def takes(suite: Suite, peer: Peer, case: Case) -> bool:
    """Whether the suite lets `peer` take a graph of this size."""
    most = suite.max_edges.get(peer.name, suite.max_edges.get(peer.name.partition("(")[0]))
    return most is None or case.num_edges <= most


def entrant(peer: Peer, case: Case, threads: int, turn: Callable[[], Answer]) -> Entrant:
    """A contestant whose answers are checked against the case."""
    exact = isinstance(peer, Landbridge)

    def check(answer: Answer) -> None:
        check_answer(peer.name, case, answer, exact=exact)

    return Entrant(peer.name, turn, check, peer.timing, threads)


@contextmanager
def prepared(sink: Sink, case: Case, threads: int, contestants: Sequence[Peer]) -> Iterator[list[Entrant]]:
    """Prepare the contestants for `case`, give the entrants, and release what was prepared."""
    entrants: list[Entrant] = []
    with ExitStack() as stack:
        for peer in contestants:
            if not takes(sink.suite, peer, case):
                continue
            try:
                handle = peer.prepare(case, threads)
            except PeerFailed as error:
                sink.say(str(error))
                continue
            stack.callback(peer.release, handle)
            entrants.append(entrant(peer, case, threads, partial(peer.run, handle, sink.suite.trials)))
        yield entrants
