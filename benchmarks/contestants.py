"""landbridge as one more contestant: a plan text, and the form in which the graph is handed over.

Forms: a prebuilt `landbridge.Graph` (like every peer's own prebuilt graph), or the SciPy matrix itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from peers.base import Case, Ids, InProcess
from peers.scipy_peer import csr_matrix

FROM_SCIPY = " from scipy"


class Landbridge(InProcess):
    """`text` is a plan ("auto", "kout(2)+rem_cas(naive,split_one)"), with " from scipy" after it for the
    matrix.
    """

    module = "landbridge"
    exact = True

    def __init__(self, text: str = "auto") -> None:
        super().__init__(f"landbridge({text})")
        self.plan, separator, _ = text.partition(FROM_SCIPY)
        self.from_scipy = bool(separator)

    def build(self, case: Case) -> Any:
        if self.from_scipy:
            return csr_matrix(case)
        import landbridge
        from landbridge.edges.forms import Adjacency

        return landbridge.Graph(Adjacency(case.offsets, case.neighbors, symmetric=True))

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        import landbridge

        return landbridge.Graph((source, target), num_vertices=n)

    def solve(self, graph: Any, threads: int) -> Any:
        import landbridge

        result = landbridge.components(graph, plan=self.plan, threads=threads)
        return result, result.count, result.labels

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        _, count, labels = raw
        return int(count), np.asarray(labels)

    def describe(self, raw: Any) -> str:
        return str(raw[0].plan)
