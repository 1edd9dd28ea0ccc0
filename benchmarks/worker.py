"""A fresh process for one graph: a slow plan can be stopped, memory is measured from a clean start.

`python -m benchmarks.worker CASE.npz` reads one JSON object a line and prints one a line; see `REQUESTS`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from benchmarks.cases import make_case, read_case
from benchmarks.check import WrongAnswer, check_answer
from benchmarks.contestants import Landbridge, landbridge_contestant
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
    """The extra memory of one answer: how far the high-water mark rises above what is resident before the
    call.

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

        reply["foretold"] = landbridge.estimate_memory(built, plan=peer.plan, threads=threads)
    return reply


def warm_up(peer: InProcess, form: str, threads: int) -> None:
    """Answer a path of 10,000 vertices in the same form, so that code, threads and stacks are there before."""
    ends = np.arange(10_000, dtype=np.int64)
    path = make_case("path", "path", len(ends), ends[:-1], ends[1:])
    if form == "csr":
        peer.solve(peer.build(path), threads)
    else:
        peer.solve(peer.build_from_arrays(path.num_vertices, path.source, path.target), threads)


REQUESTS: dict[str, Callable[[Case, dict[str, Any]], dict[str, Any]]] = {"turn": turn, "peak": peak}


def main(path: str) -> None:
    case = read_case(Path(path))
    print(json.dumps({"ready": case.name}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = REQUESTS[request["what"]](case, request)
        except WrongAnswer as error:
            reply = {"wrong": str(error)}
        except Exception as error:
            reply = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


class Worker:
    """The other end: starts the process, asks, and ends a process that takes longer than the limit."""

    def __init__(self, case_file: Path) -> None:
        root = str(Path(__file__).resolve().parent.parent)
        search = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", str(case_file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": search},
        )
        self._read(600.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def _read(self, limit: float) -> dict[str, Any]:
        """Return the next reply; a process that gives none in time, or ended, is cleared away."""
        output = self._process.stdout
        assert output is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(limit, stop)
        timer.start()
        line = output.readline()
        timer.cancel()
        if not line:
            self.close()
            raise PeerFailed(f"no answer within {limit:g} s" if late.is_set() else "the process ended")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        """Send a request. Raises PeerFailed after `limit` seconds or on an error, WrongAnswer on a wrong
        answer.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        reply = self._read(limit)
        if "wrong" in reply:
            raise WrongAnswer(reply["wrong"])
        if "failed" in reply:
            raise PeerFailed(reply["failed"])
        return reply

    def close(self) -> None:
        """End the process."""
        if self.alive:
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self._process.wait()


class Runner:
    """Runs plans in a worker process and starts a new one after a plan that did not end in time."""

    def __init__(self, case_file: Path, threads: int, limit: float) -> None:
        self.case_file, self.threads, self.limit = case_file, threads, limit
        self.worker: Worker | None = None

    def turn(self, contestant: str, trials: int) -> Answer:
        if self.worker is None or not self.worker.alive:
            self.close()
            self.worker = Worker(self.case_file)
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
