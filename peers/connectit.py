"""ConnectIt, part of GBBS: its programs (one per union rule and sampling), reading GBBS' binary CSR files.

LANDBRIDGE_PEER_CONNECTIT names a folder of such programs, or programs separated by ":". Each is one
contestant. A program runs several variants; the one with the smallest median counts, and the answer's detail
names it. Every trial runs with the program's own check against another algorithm, made outside the time it
prints.
"""

from __future__ import annotations

import os
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from peers.base import Answer, Case, Executable, ExecutableHandle, PeerFailed

LINE = re.compile(
    r"^### t = (?P<seconds>[0-9.e+-]+)$|max_chk = (?P<largest>\d+)|\"test_name\" : \"(?P<name>[^\"]+)\"",
    re.MULTILINE,
)


def programs() -> list[Path]:
    """Return the programs the environment names, by name."""
    paths: list[Path] = []
    for text in filter(None, os.environ.get("LANDBRIDGE_PEER_CONNECTIT", "").split(":")):
        path = Path(text)
        inside = [file for file in path.iterdir() if file.is_file()] if path.is_dir() else [path]
        paths += [file for file in inside if not path.is_dir() or (os.access(file, os.X_OK) and not file.suffix)]
    return sorted(paths)


class ConnectIt(Executable):
    variable: ClassVar[str] = "LANDBRIDGE_PEER_CONNECTIT"
    threads_variable: ClassVar[str] = "PARLAY_NUM_THREADS"
    suffix: ClassVar[str] = ".gbbs"

    @classmethod
    def instances(cls, name: str) -> Iterator[Self]:
        paths = programs()
        for path in paths:
            yield cls(f"{name}({path.stem})", path)
        if not paths:
            yield cls(name)

    def write(self, case: Case, path: Path) -> None:
        """Int64 vertices, arcs and file size, int64 offsets, int32 neighbours."""
        size = 3 * 8 + 8 * len(case.offsets) + 4 * len(case.neighbors)
        with path.open("wb") as file:
            file.write(np.array([case.num_vertices, len(case.neighbors), size], dtype="<i8").tobytes())
            file.write(case.offsets.astype("<i8", copy=False).data)
            file.write(case.neighbors.astype("<i4", copy=False).data)

    def arguments(self, graph: Path, trials: int) -> list[str]:
        return ["-s", "-b", "-m", "-check", "-r", str(trials + 1), str(graph)]

    def parse(self, output: str, handle: ExecutableHandle) -> Answer:
        """Read the variants' times, and the count from the largest label that the program's check prints.

        The check numbers components from 0 but gives the component of vertex 0 two numbers unless it is
        vertex 0 alone, so the largest number is the count, or the count less one in that case.
        """
        variants: dict[str, list[float]] = {}
        seconds: list[float] = []
        counts: set[int] = set()
        for match in LINE.finditer(output):
            if match["seconds"] is not None:
                seconds.append(float(match["seconds"]))
            elif match["largest"] is not None:
                counts.add(int(match["largest"]) + handle.first_is_isolated)
            else:
                variants[match["name"]] = seconds[1:]
                seconds = []
        if not counts or not any(variants.values()):
            raise PeerFailed(f"{self.name}: its output holds no times or no check")
        if len(counts) > 1:
            raise PeerFailed(f"{self.name}: its variants give different counts: {sorted(counts)}")
        name = min((name for name in variants if variants[name]), key=lambda name: statistics.median(variants[name]))
        return Answer(tuple(variants[name]), counts.pop(), detail=name)
