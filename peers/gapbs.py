"""GAP Benchmark Suite: its programs `cc` (Afforest) and `cc_sv` (Shiloach-Vishkin), on `.sg` files.

LANDBRIDGE_PEER_GAPBS_CC and LANDBRIDGE_PEER_GAPBS_CC_SV name the programs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import numpy as np

from peers.base import Answer, Case, Executable, ExecutableHandle, PeerFailed


class Afforest(Executable):
    variable: ClassVar[str] = "LANDBRIDGE_PEER_GAPBS_CC"
    suffix: ClassVar[str] = ".sg"

    def write(self, case: Case, path: Path) -> None:
        """One byte "directed", int64 arcs and vertices, int64 offsets, int32 neighbours."""
        with path.open("wb") as file:
            file.write(b"\0")
            file.write(np.array([len(case.neighbors), case.num_vertices], dtype="<i8").tobytes())
            file.write(case.offsets.astype("<i8", copy=False).data)
            file.write(case.neighbors.astype("<i4", copy=False).data)

    def arguments(self, graph: Path, trials: int) -> list[str]:
        return ["-f", str(graph), "-n", str(trials + 1), "-a"]

    def parse(self, output: str, handle: ExecutableHandle) -> Answer:
        del handle
        seconds = [float(text) for text in re.findall(r"^Trial Time:\s+([0-9.]+)", output, re.MULTILINE)]
        count = re.search(r"^There are (\d+) components", output, re.MULTILINE)
        if count is None or len(seconds) < 2:
            raise PeerFailed(f"{self.name}: its output holds no trial times or no number of components")
        return Answer(tuple(seconds[1:]), int(count[1]))


class ShiloachVishkin(Afforest):
    variable: ClassVar[str] = "LANDBRIDGE_PEER_GAPBS_CC_SV"
