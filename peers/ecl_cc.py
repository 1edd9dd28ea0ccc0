"""ECL-CC: any of its programs (serial, OpenMP), reading the `.egr` files of the ECL suite.

LANDBRIDGE_PEER_ECL_CC names the program. It makes one trial a start, so a turn starts it once for each trial.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import numpy as np

from peers.base import Answer, Case, Executable, ExecutableHandle, PeerFailed


class EclCC(Executable):
    variable: ClassVar[str] = "LANDBRIDGE_PEER_ECL_CC"
    suffix: ClassVar[str] = ".egr"

    def write(self, case: Case, path: Path) -> None:
        """Int32 vertices and arcs, int32 offsets, int32 neighbours. Raises PeerFailed beyond 2^31 - 1
        arcs.
        """
        if len(case.neighbors) >= 2**31:
            raise PeerFailed(f"{self.name}: its files hold fewer than 2^31 arcs, {case.name} has {len(case.neighbors)}")
        with path.open("wb") as file:
            file.write(np.array([case.num_vertices, len(case.neighbors)], dtype="<i4").tobytes())
            file.write(case.offsets.astype("<i4").data)
            file.write(case.neighbors.astype("<i4", copy=False).data)

    def arguments(self, graph: Path, trials: int) -> list[str]:
        del trials
        return [str(graph)]

    def run(self, handle: ExecutableHandle, trials: int) -> Answer:
        answers = [super(EclCC, self).run(handle, 1) for _ in range(trials + 1)]
        if len({answer.count for answer in answers}) > 1:
            raise PeerFailed(f"{self.name}: its runs give different counts: {[answer.count for answer in answers]}")
        return Answer(tuple(answer.seconds[0] for answer in answers[1:]), answers[0].count)

    def parse(self, output: str, handle: ExecutableHandle) -> Answer:
        del handle
        seconds = re.search(r"^(?:compute time|runtime):\s+([0-9.e+-]+) s", output, re.MULTILINE)
        count = re.search(r"^number of connected components:\s+(\d+)", output, re.MULTILINE)
        if seconds is None or count is None:
            raise PeerFailed(f"{self.name}: its output holds no time or no number of components")
        return Answer((float(seconds[1]),), int(count[1]))
