"""What a contestant in a benchmark is: the protocol of a peer, and of landbridge itself.

Two kinds exist. An `InProcess` contestant is called from Python and timed with the wall clock around the call
alone. An `Executable` reads its own graph file and prints the time of its algorithm, which is what counts:
reading is never part of it. Both take every turn the same way: one call that is not recorded, then `trials`
that are, so neither has warmer caches or memory than the other.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from peers.timing import Timed, timed

Ids = NDArray[np.integer[Any]]

SECONDS_LIMIT = 600.0
DEEP_STACK = ("sh", "-c", 'ulimit -s "$(ulimit -H -s)"; exec "$@"', "sh")


class PeerFailed(RuntimeError):
    """A peer ended with an error, or printed something its adapter does not understand."""


@dataclass(frozen=True)
class Case:
    """One graph of a suite, in the form every contestant is prepared from.

    name: the row in `benchmarks/graphs.toml`; text: the generator's text, the graph's identity.
    offsets: int64, shape (n + 1,); neighbors: int32 while n < 2^31, shape (2 m,): symmetric, rows ascending,
    no loops and no duplicates.
    source, target: int64, shape (edges as generated,): the raw edge list, before anything was removed.
    count, labels: the reference, labels numbered by the smallest vertex of each component.
    """

    name: str
    text: str
    offsets: NDArray[np.int64]
    neighbors: Ids
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    count: int
    labels: NDArray[np.int32]

    @property
    def num_vertices(self) -> int:
        return len(self.offsets) - 1

    @property
    def num_edges(self) -> int:
        """Undirected edges without loops and duplicates."""
        return len(self.neighbors) // 2

    @cached_property
    def first_vertices(self) -> NDArray[np.int64]:
        """The smallest vertex of each component, shape (count,)."""
        first = np.full(self.count, self.num_vertices, dtype=np.int64)
        np.minimum.at(first, self.labels, np.arange(self.num_vertices))
        return first

    def upper_edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each undirected edge of the CSR once, as (smaller, larger), int64."""
        row = np.repeat(np.arange(self.num_vertices, dtype=np.int64), np.diff(self.offsets))
        upper = row < self.neighbors
        return row[upper], self.neighbors[upper].astype(np.int64)


@dataclass(frozen=True)
class Answer:
    """What one turn gave: the seconds of each recorded trial, and the answer of the last one.

    cpu_over_wall: processor seconds over wall seconds of the recorded trials; None where the time is the
    peer's own. detail: which variant ran, where the contestant chose one.
    """

    seconds: tuple[float, ...]
    count: int
    labels: Ids | None = None
    cpu_over_wall: float | None = None
    detail: str = ""


class Peer(ABC):
    """A contestant. `prepare` is never timed; a handle is used by one thread and given back through
    `release`.
    """

    timing: ClassVar[str]

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def instances(cls, name: str) -> Iterator[Self]:
        """Yield the contestants this class stands for on this machine; one, unless a class finds several
        programs.
        """
        yield cls(name)

    @abstractmethod
    def unavailable(self) -> str | None:
        """None if the peer can run here, otherwise why not, in one sentence."""

    @abstractmethod
    def version(self) -> str:
        """The peer's version, or where it lies if it states none."""

    @abstractmethod
    def prepare(self, case: Case, threads: int) -> Any:
        """Bring the graph into the peer's own form in memory or in a file."""

    @abstractmethod
    def run(self, handle: Any, trials: int) -> Answer:
        """Take one turn. Raises PeerFailed if the peer broke down."""

    def release(self, handle: Any) -> None:
        """Give back what `prepare` took outside Python's memory."""
        del handle


class InProcess(Peer):
    """A Python package: `build` (or `build_from_arrays`) makes its graph, `solve` is timed, `read` is not."""

    timing = "wall"
    module: ClassVar[str]

    def unavailable(self) -> str | None:
        try:
            __import__(self.module)
        except ImportError as error:
            return f"{self.module} cannot be imported: {error}"
        return None

    def version(self) -> str:
        from importlib.metadata import version

        return version(self.module)

    @abstractmethod
    def build(self, case: Case) -> Any:
        """Return the peer's own graph, made from the CSR or the edges of `case`."""

    @abstractmethod
    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        """Return the peer's own graph from two int64 arrays, the fastest documented way; part of the timed
        work.
        """

    @abstractmethod
    def solve(self, graph: Any, threads: int) -> Any:
        """Find the components, down to an object that holds every label."""

    @abstractmethod
    def read(self, raw: Any) -> tuple[int, Ids | None]:
        """Turn the object of `solve` into a count and labels; not timed."""

    def prepare(self, case: Case, threads: int) -> Any:
        return self.build(case), threads

    def run(self, handle: Any, trials: int) -> Answer:
        graph, threads = handle
        return self.answer(timed(lambda: self.solve(graph, threads), trials))

    def end_to_end(self, case: Case, threads: int, trials: int) -> Answer:
        """Like `run`, from the two arrays of `case` to labels; the graph is built anew in every trial."""

        def work() -> Any:
            graph = self.build_from_arrays(case.num_vertices, case.source, case.target)
            return self.solve(graph, threads)

        return self.answer(timed(work, trials))

    def answer(self, turn: Timed) -> Answer:
        """The answer of a turn whose result is what `solve` returned."""
        count, labels = self.read(turn.result)
        return Answer(turn.seconds, count, labels, turn.cpu_over_wall, self.describe(turn.result))

    def describe(self, raw: Any) -> str:
        """Return which variant ran; empty where there is no choice."""
        del raw
        return ""


@dataclass
class ExecutableHandle:
    """A graph file in a folder of its own, the thread count and what the check of the count needs."""

    folder: Path
    graph: Path
    threads: int
    first_is_isolated: bool


class Executable(Peer):
    """A program named by an environment variable; it reads a graph file and prints its algorithm's own
    time.
    """

    timing = "reported"
    variable: ClassVar[str]
    threads_variable: ClassVar[str] = "OMP_NUM_THREADS"
    environment: ClassVar[Mapping[str, str]] = {}
    suffix: ClassVar[str]

    def __init__(self, name: str, path: Path | None = None) -> None:
        super().__init__(name)
        value = os.environ.get(self.variable, "")
        self.path = path if path is not None else (Path(value) if value else None)

    def unavailable(self) -> str | None:
        if self.path is None:
            return f"{self.variable} does not name a program"
        if not self.path.is_file() or not os.access(self.path, os.X_OK):
            return f"{self.variable}: {self.path} is not a program"
        return None

    def version(self) -> str:
        return f"built from source as {self.path.name}" if self.path else ""

    @abstractmethod
    def write(self, case: Case, path: Path) -> None:
        """Write the graph in the program's own binary format."""

    @abstractmethod
    def arguments(self, graph: Path, trials: int) -> list[str]:
        """Return the command line after the program; `trials` recorded ones and one before them."""

    @abstractmethod
    def parse(self, output: str, handle: ExecutableHandle) -> Answer:
        """Read seconds (of every trial, the first included) and the count from what the program printed."""

    def prepare(self, case: Case, threads: int) -> ExecutableHandle:
        folder = Path(tempfile.mkdtemp(prefix="landbridge-peer-"))
        graph = folder / f"graph{self.suffix}"
        self.write(case, graph)
        return ExecutableHandle(folder, graph, threads, bool(case.num_vertices and case.offsets[1] == 0))

    def run(self, handle: ExecutableHandle, trials: int) -> Answer:
        environment = {**os.environ, **self.environment, self.threads_variable: str(handle.threads)}
        assert self.path is not None
        # Some check themselves by recursion that is as deep as the graph.
        command = [*DEEP_STACK, str(self.path.resolve()), *self.arguments(handle.graph, trials)]
        try:
            done = subprocess.run(
                command,
                cwd=handle.folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS_LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise PeerFailed(f"{self.name}: no answer within {SECONDS_LIMIT:g} s") from None
        if done.returncode != 0:
            last = (done.stderr or done.stdout).strip().rpartition("\n")[2]
            raise PeerFailed(f"{self.name}: exit status {done.returncode}: {last}")
        return self.parse(done.stdout, handle)

    def release(self, handle: ExecutableHandle) -> None:
        shutil.rmtree(handle.folder, ignore_errors=True)
