"""Codes for GPUs: programs built from their authors' sources, each named by an environment variable.

LANDBRIDGE_PEER_ECL_CC_GPU names ECL-CC's program for CUDA (or its racy and its race-free one), LANDBRIDGE_PEER_SOMAN
that of Soman, Kothapalli and Narayanan, LANDBRIDGE_PEER_GCONN one for GConn; programs separated by ":" are a contestant
each. GConn's own programs are one for each variant and name it by numbers, so what is named is a small program of yours
around one: it is called with an `.egr` file and the number of trials, and prints a line `compute time: SECONDS s` for
every trial, the first included, and a line `number of connected components: COUNT`.

CUDA loads a kernel when it is first launched, which would be inside the time that these programs take: they are
started with CUDA_MODULE_LOADING=EAGER.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from peers.base import Answer, Case, Executable, ExecutableHandle, PeerFailed
from peers.ecl_cc import EclCC

EAGER = {"CUDA_MODULE_LOADING": "EAGER"}


class EclCCOnGpu(EclCC):
    """It reads the same files and prints the same lines as the program for processors."""

    variable: ClassVar[str] = "LANDBRIDGE_PEER_ECL_CC_GPU"
    environment: ClassVar[Mapping[str, str]] = EAGER

    @classmethod
    def instances(cls, name: str) -> Iterator[Self]:
        paths = [Path(text) for text in filter(None, os.environ.get(cls.variable, "").split(":"))]
        for path in paths:
            yield cls(f"{name}({path.stem})", path)
        if not paths:
            yield cls(name)


class GConn(EclCCOnGpu):
    """Its programs make all trials in one start."""

    variable: ClassVar[str] = "LANDBRIDGE_PEER_GCONN"

    def arguments(self, graph: Path, trials: int) -> list[str]:
        return [str(graph), str(trials + 1)]

    def run(self, handle: ExecutableHandle, trials: int) -> Answer:
        return Executable.run(self, handle, trials)

    def parse(self, output: str, handle: ExecutableHandle) -> Answer:
        del handle
        seconds = re.findall(r"^compute time:\s+([0-9.e+-]+) s", output, re.MULTILINE)
        count = re.search(r"^number of connected components:\s+(\d+)", output, re.MULTILINE)
        if len(seconds) < 2 or count is None:
            raise PeerFailed(f"{self.name}: its output holds no times of several trials or no number of components")
        return Answer(tuple(float(text) for text in seconds[1:]), int(count[1]))


class Soman(Executable):
    """It reads `edge.txt` and `parameters.txt` of the folder it is started in, and makes one trial a start.

    Its clock is the process's; while it waits for the GPU it keeps a processor busy, so that is the wall time.
    """

    variable: ClassVar[str] = "LANDBRIDGE_PEER_SOMAN"
    environment: ClassVar[Mapping[str, str]] = EAGER
    suffix: ClassVar[str] = ".txt"
    most_edges: ClassVar[int] = 200_000_000  # its input is text

    def write(self, case: Case, path: Path) -> None:
        """Each edge once, numbered from 1, and beside it how many edges and vertices there are."""
        if case.num_edges > self.most_edges:
            raise PeerFailed(f"{self.name}: {case.num_edges} edges are too many to be written as text")
        u, v = case.upper_edges()
        with (path.parent / "edge.txt").open("wb") as file:
            for first in range(0, len(u), 1 << 20):
                np.savetxt(file, np.stack([u, v], axis=1)[first : first + (1 << 20)] + 1, fmt="%d")
        (path.parent / "parameters.txt").write_text(f"{case.num_edges} {case.num_vertices}\n")

    def arguments(self, graph: Path, trials: int) -> list[str]:
        del graph, trials
        return []

    def run(self, handle: ExecutableHandle, trials: int) -> Answer:
        answers = [super(Soman, self).run(handle, 1) for _ in range(trials + 1)]
        return Answer(tuple(answer.seconds[0] for answer in answers[1:]), answers[0].count)

    def parse(self, output: str, handle: ExecutableHandle) -> Answer:
        del handle
        seconds = re.search(r"on the graph is:\s+([0-9.e+-]+) seconds", output)
        count = re.search(r"number of components=(\d+)", output)
        if seconds is None or count is None:
            raise PeerFailed(f"{self.name}: its output holds no time or no number of components")
        return Answer((float(seconds[1]),), int(count[1]))
