"""Cells of the zoo on CPU threads: auto, a screen of plans and other programs, every answer compared with SciPy's.

csr, forest: from a `Graph` in memory with 32-bit ids to labels or forest edges; others from their own graph, and
executables, for csr alone, from their own file, by the time they print. pairs, forest-ORDER: the whole call from two
int32 arrays; "numba" from the same arrays, programs that take 64-bit arrays from those. stream: batches into
`Incremental`, then the count. chunks: `components(chunks=...)`. list: `rank_list` of int32 successors. auto is called
without a number of threads, unless the suite names one; the screen with all processors. Several trials are calls behind
one that is not recorded, as executables have it. What takes longer than the limit takes no second turn, and none at all
where a smaller graph foretells it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

import landbridge
from benchmarks.cases import lower_bound_bytes
from benchmarks.check import check_answer, check_count, check_forest, check_labels, check_ranks
from benchmarks.contestants import available, takes
from benchmarks.contestants import entrant as checked_entrant
from benchmarks.kinds.base import Kind
from benchmarks.machine import cores, read_bandwidth
from benchmarks.sink import Sink, rounded
from benchmarks.turns import Entrant, interleave
from benchmarks.zoo.cells import Cell, Drawn, draw
from benchmarks.zoo.results import add_cell, say_problems, summary
from benchmarks.zoo.tour import Patience, say_left_out, scouts, tour, visited
from landbridge.edges.forms import Adjacency
from peers import numba_peer, peer_names, peers
from peers.base import Answer, Case, InProcess, Peer, PeerFailed
from peers.timing import Timed, timed

READS = frozenset(
    {
        "cells", "screens", "sample", "seed", "seconds", "repeat", "trials", "limit", "landbridge", "peers", "screen",
        "budget", "threads", "max_edges",
    }
)  # fmt: skip
SERIAL = "numba"
AUTO_ONCE = ", one thread"


def run(sink: Sink) -> None:
    ready = available(sink, list(peers(sink.suite.peers)))
    patience = Patience(sink.suite.limit)
    for drawn, of_graph in tour(sink.suite, np):
        for one in of_graph:
            for smaller in scouts(one):
                with closing(Visit(sink, draw(smaller, np, sink.suite.seed), ready)) as visit:
                    measure(visit, patience, recorded=False)
            drawn.cell = one
            with closing(Visit(sink, drawn, ready)) as visit:
                measure(visit, patience)


class Visit:
    """One cell with what its contestants are made of."""

    def __init__(self, sink: Sink, drawn: Drawn, ready: Sequence[Peer]) -> None:
        self.sink, self.drawn, self.suite = sink, drawn, sink.suite
        self.cell: Cell = drawn.cell
        self.peers = ready
        self.prepared = ExitStack()
        self.threads = sink.suite.threads[0] or cores()
        self.count = int(drawn.labels.max(initial=-1)) + 1
        self.endpoints = drawn.pairs()
        self.batches = drawn.batches(self.endpoints)
        self.case = self.made_case()

    def close(self) -> None:
        """Remove the files of executables."""
        self.prepared.close()

    def made_case(self) -> Case:
        """The cell for the adapters of other programs; a CSR only where the form is one."""
        drawn = self.drawn
        csr = drawn.csr() if self.cell.is_csr else (np.zeros(drawn.n + 1, np.int64), np.empty(0, np.int32))
        u, v = self.endpoints
        name = str(self.cell)
        wide = (csr[0].astype(np.int64), csr[1], u.astype(np.int64), v.astype(np.int64))
        return Case(name, name, *wide, self.count, drawn.labels)

    def entrant(self, name: str, call: Callable[[], Any], check: Callable[[Any], None], threads: int) -> Entrant:
        """check: of what the call gives."""

        def turn() -> Timed:
            try:
                first = timed(call, 1, warm_up=self.suite.trials > 1)
                more = self.suite.trials - 1
                if more < 1 or first.seconds[0] > self.suite.limit / 10:
                    return Timed(first.seconds, first.result, first.cpu_over_wall, plan_text(first.result))
                rest = timed(call, more, warm_up=False)
            except (landbridge.LandbridgeError, RuntimeError, MemoryError) as error:
                raise PeerFailed(f"{name} on {self.cell}: {type(error).__name__}: {error}") from error
            return Timed(first.seconds + rest.seconds, rest.result, rest.cpu_over_wall, plan_text(rest.result))

        return Entrant(name, turn, lambda turn: check(turn.result), threads=threads)

    def ours(self, plan: str, name: str, threads: int | None) -> Entrant:
        """landbridge with a plan; threads: None where landbridge chooses their number."""
        entrant = partial(self.entrant, f"landbridge({name})", threads=threads or self.threads)
        endpoints, n = self.endpoints, self.drawn.n
        if self.cell.problem == "list":
            return self.ranked(plan, name, threads)
        if self.cell.problem == "stream":
            return entrant(partial(self.stream, plan, threads), self.check_stream)
        if self.cell.problem == "chunks":
            call = partial(
                landbridge.components, chunks=self.batches, num_vertices=n, plan=plan, threads=threads, device="cpu"
            )
            return entrant(call, partial(self.check_components, name))
        source: Any = endpoints
        if self.cell.is_csr:
            source = landbridge.Graph(Adjacency(self.case.offsets, self.case.neighbors, symmetric=self.cell.symmetric))
        if self.cell.problem == "forest":
            call = partial(landbridge.spanning_forest, source, plan=plan, threads=threads, device="cpu")
            return entrant(call, partial(self.check_forest, name, source))
        call = partial(landbridge.components, source, plan=plan, threads=threads, device="cpu")
        return entrant(call, partial(self.check_components, name))

    def ranked(self, plan: str, name: str, threads: int | None) -> Entrant:
        """Ranks of the cell's lists."""
        successor = self.drawn.successors()
        rank = partial(landbridge.rank_list, successor, plan=plan, threads=threads, device="cpu")
        text = rank(full=True).plan

        def check(result: SimpleNamespace) -> None:
            check_ranks(name, successor, result.ranks)

        def call() -> SimpleNamespace:
            return SimpleNamespace(ranks=rank(), plan=text)

        return self.entrant(f"landbridge({name})", call, check, threads or self.threads)

    def stream(self, plan: str, threads: int | None) -> landbridge.Incremental:
        trees = landbridge.Incremental(self.drawn.n, plan=plan, threads=threads, device="cpu")
        for u, v in self.batches:
            trees.insert(u, v)
        _ = trees.count
        return trees

    def check_stream(self, trees: landbridge.Incremental) -> None:
        result = trees.components()
        check_labels("a stream", self.case, result.count, result.labels)

    def check_components(self, name: str, result: Any) -> None:
        """Vertices above the largest id that occurs are single, and none of the call's."""
        n = len(result.labels)
        above = self.drawn.n - n
        expected = Case(*(getattr(self.case, field) for field in ("name", "text", "offsets", "neighbors")),
                        self.case.source, self.case.target, self.count - above, self.case.labels[:n])  # fmt: skip
        check_labels(name, expected, result.count, result.labels)

    def check_forest(self, name: str, source: Any, forest: Any) -> None:
        n = self.drawn.n
        above = 0 if isinstance(source, landbridge.Graph) else n - 1 - int(max(part.max() for part in source))
        check_forest(name, source, forest, self.count - above)

    def others(self) -> Iterator[Entrant]:
        """Other programs."""
        for peer in self.peers:
            if not takes(self.suite, peer, self.case):
                continue
            if peer.name == SERIAL:
                yield self.serial_loop()
            elif not isinstance(peer, InProcess):
                if self.cell.form == "csr":
                    yield self.executable(peer)
            elif self.cell.form == "csr" or (self.cell.problem == "csr" and peer.name == "scipy"):
                yield self.of_peer(peer, partial(peer.solve, peer.build(self.case), self.threads))
            elif self.cell.problem == "pairs":
                yield self.of_peer(peer, partial(from_arrays, peer, self.case, self.threads))

    def of_peer(self, peer: InProcess, call: Callable[[], Any]) -> Entrant:
        def check(raw: Any) -> None:
            check_answer(peer.name, self.case, Answer((0.0,), *peer.read(raw)), exact=False)

        return self.entrant(peer.name, call, check, self.threads)

    def executable(self, peer: Peer) -> Entrant:
        """A program that reads a file of its own, written before its first turn."""
        handles: list[Any] = []

        def turn() -> Answer:
            if not handles:
                handles.append(peer.prepare(self.case, self.threads))
                self.prepared.callback(peer.release, handles[0])
            return peer.run(handles[0], self.suite.trials)

        return checked_entrant(peer, self.case, self.threads, turn)

    def serial_loop(self) -> Entrant:
        """The loop on one thread, in the form of the cell."""
        loops, n, endpoints = numba_peer.loops(), self.drawn.n, self.endpoints
        rows = self.case.offsets, self.case.neighbors
        successor = self.drawn.successors() if self.cell.problem == "list" else None

        def stream() -> tuple[int, Any]:
            parent = np.arange(n, dtype=np.int32)
            links = sum(loops.insert(parent, u, v) for u, v in self.batches)
            return n - links, parent

        calls: dict[str, Callable[[], Any]] = {
            "csr": lambda: loops.over_csr(*rows, bool(self.cell.symmetric)),
            "pairs": lambda: loops.over_pairs(n, *endpoints),
            "stream": stream,
            "chunks": lambda: loops.over_pairs(n, *endpoints),
            "forest": lambda: loops.forest_of_pairs(n, *endpoints),
            "list": lambda: (self.count, numba_peer.list_loop()(successor)),
        }

        def check(raw: Any) -> None:
            """The labels, of a stream those that flattening gives; of a forest its size, of lists the ranks."""
            if successor is not None:
                check_ranks(f"{SERIAL} on {self.cell}", successor, raw[1])
                return
            count, labels = int(raw[0]), raw[1]
            if self.cell.problem == "forest":
                check_count(f"{SERIAL} on {self.cell}", count, self.count, "components")
                return
            if self.cell.problem == "stream":
                loops.flatten(labels)
            check_labels(SERIAL, self.case, count, labels)

        call = (lambda: loops.forest_of_csr(*rows)) if self.cell.form == "forest" else calls[self.cell.problem]
        call()  # compiled for these types
        return self.entrant(SERIAL, call, check, 1)

    def lower_bound_s(self) -> float:
        """Seconds in which the bytes move that no algorithm can avoid."""
        if self.cell.problem == "list":
            return 8 * self.drawn.n / read_bandwidth(self.threads)
        moved = lower_bound_bytes(self.case) if self.cell.is_csr else 8 * self.drawn.num_pairs + 4 * self.drawn.n
        return moved / read_bandwidth(self.threads)


def from_arrays(peer: InProcess, case: Case, threads: int) -> Any:
    return peer.solve(peer.build_from_arrays(case.num_vertices, case.source, case.target), threads)


def plan_text(result: Any) -> str:
    return str(getattr(result, "plan", ""))


def measure(visit: Visit, patience: Patience, *, recorded: bool = True) -> None:
    """Let auto, the screen and other programs take turns on one cell, and record them."""
    suite, cell, drawn = visit.suite, visit.cell, visit.drawn
    names: list[tuple[str, str, int | None]] = [(plan, plan, suite.threads[0] or None) for plan in suite.landbridge]
    names += [(plan, plan, visit.threads) for plan in suite.screens.get(cell.problem, ())]
    if visit.threads > 1:
        names += [(plan, plan + AUTO_ONCE, 1) for plan in suite.landbridge]
    every = [*(visit.ours(*each) for each in names), *visit.others()]
    ready = [entrant for entrant in every if patience.has_for(cell, entrant.name)]
    if recorded:
        for name in {entrant.name for entrant in every} - {entrant.name for entrant in ready}:
            say_left_out(visit.sink, cell, name, patience.foreseen(cell, name))
    (least,) = rounded([visit.lower_bound_s()])
    name = f"{cell.structure}/{cell.order}/{cell.size}"
    graph = {"name": name, "text": f"zoo {name}, seed {suite.seed}", "n": drawn.n, "m": drawn.num_edges}
    graph["components"] = visit.count
    repeat = suite.repeat if recorded else 1
    tallies = interleave(
        ready, repeat=repeat, budget=suite.budget, screen=suite.screen, limit=suite.limit, warm_up=recorded
    )
    say_problems(visit.sink, tallies)
    if recorded:
        add_cell(visit.sink, tallies, graph=graph, form=cell.form, lower_bound_s=least)
    for tally in tallies:
        if tally.times:
            patience.learn(cell, tally.entrant.name, min(tally.times))
        else:
            patience.gave_up(cell, tally.entrant.name)


KIND = Kind(run, summary, READS, peer_names, graphs=lambda suite: (), requires=visited)
