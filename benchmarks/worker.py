"""A process for one graph: turns of plans that can be stopped, and the memory of an answer in a fresh process."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cases import make_case, read_case
from benchmarks.check import check_answer
from benchmarks.contestants import Landbridge, landbridge_contestant
from benchmarks.process import Process, serve
from peers import peers
from peers.base import Answer, Case, InProcess, PeerFailed


def contestant(name: str) -> InProcess:
    """Return the in-process contestant of that name."""
    if (own := landbridge_contestant(name)) is not None:
        return own
    peer = next(iter(peers([name])))
    if not isinstance(peer, InProcess):
        raise KeyError(f"{name} is a program of its own")
    return peer


def turn(case: Case, request: dict[str, Any]) -> dict[str, Any]:
    """A turn of `trials` trials of `contestant` on the prebuilt graph."""
    peer = contestant(request["contestant"])
    answer = peer.run(peer.prepare(case, request["threads"]), request["trials"])
    check_answer(peer.name, case, answer, exact=isinstance(peer, Landbridge))
    return {
        "count": answer.count,
        "seconds": answer.seconds,
        "cpu_over_wall": answer.cpu_over_wall,
        "detail": answer.detail,
    }


def resident(field: str) -> int:
    """Return VmRSS or VmHWM of this process, bytes."""
    with Path("/proc/self/status").open() as file:
        line = next(line for line in file if line.startswith(field))
    return int(line.split()[1]) * 1024


def peak(case: Case, request: dict[str, Any]) -> dict[str, Any]:
    """The extra memory of one answer: how far the high-water mark rises above what is resident before the call.

    The graph (form "csr") or the two arrays (form "arrays") lie in memory before; the labels count as extra.
    """
    peer = contestant(request["contestant"])
    threads = request["threads"]
    warm_up(peer, request["form"], threads)
    built = peer.build(case) if request["form"] == "csr" else None
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    if request["form"] == "arrays":
        built = peer.build_from_arrays(case.num_vertices, case.source, case.target)
    raw = peer.solve(built, threads)
    extra = resident("VmHWM") - before
    count, labels = peer.read(raw)
    check_answer(peer.name, case, Answer((0.0,), count, labels), exact=isinstance(peer, Landbridge))
    reply = {"bytes": max(extra, 0)}
    if isinstance(peer, Landbridge):
        import landbridge

        reply["estimate"] = landbridge.estimate_memory(built, plan=peer.plan, threads=threads)
    return reply


def warm_up(peer: InProcess, form: str, threads: int) -> None:
    """Answer a path of 10,000 vertices in the same form, so that code, threads and stacks are loaded before."""
    vertices = np.arange(10_000, dtype=np.int64)
    path = make_case("path", "path", len(vertices), vertices[:-1], vertices[1:])
    if form == "csr":
        peer.solve(peer.build(path), threads)
    else:
        peer.solve(peer.build_from_arrays(path.num_vertices, path.source, path.target), threads)


def main(path: str) -> None:
    case = read_case(Path(path))
    serve({"turn": partial(turn, case), "peak": partial(peak, case)})


def worker(case_file: Path) -> Process:
    """Start a process for one graph, as `save_case` wrote it."""
    return Process("benchmarks.worker", [str(case_file)])


class Runner:
    """Runs plans in a worker process and starts a new one after a plan that did not end in time."""

    def __init__(self, case_file: Path, threads: int, limit: float) -> None:
        self.case_file, self.threads, self.limit = case_file, threads, limit
        self.worker: Process | None = None

    def turn(self, contestant: str, trials: int) -> Answer:
        if self.worker is None or not self.worker.alive:
            self.close()
            self.worker = worker(self.case_file)
        request = {"what": "turn", "contestant": contestant, "threads": self.threads, "trials": trials}
        try:
            reply = self.worker.ask(request, self.limit * (trials + 1))
        except PeerFailed as error:
            raise PeerFailed(f"{contestant}: {error}") from None
        return Answer(tuple(reply["seconds"]), reply["count"], None, reply["cpu_over_wall"], reply["detail"])

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
            self.worker = None


if __name__ == "__main__":
    main(sys.argv[1])
