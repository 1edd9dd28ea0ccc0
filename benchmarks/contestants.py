"""landbridge as one more contestant: a plan text, and the form in which the graph is handed over.

Forms: a prebuilt `landbridge.Graph` (like every peer's own prebuilt graph), one of pairs, or the SciPy matrix itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from peers.base import Case, Ids, InProcess, PeerFailed
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
        import landbridge
        from landbridge.edges.forms import Adjacency

        if self.form == FROM_PAIRS:
            ends = [end.astype(case.neighbors.dtype) for end in case.upper_edges()]
            return landbridge.Graph((ends[0], ends[1]), num_vertices=case.num_vertices)
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


class LandbridgeForest(Landbridge):
    """The same plans for a spanning forest; the answer is the labels of the forest's own edges."""

    def __init__(self, text: str = "auto") -> None:
        super().__init__(text)
        self.name = f"landbridge forest({text})"

    def solve(self, graph: Any, threads: int) -> Any:
        import landbridge

        forest = landbridge.spanning_forest(graph, plan=self.plan, threads=threads)
        return forest, graph

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        """Raises PeerFailed if the edges are no spanning forest of the graph."""
        import landbridge
        from landbridge.errors import CheckFailed

        forest, graph = raw
        try:
            landbridge.check_forest(graph, forest)
        except CheckFailed as error:
            raise PeerFailed(str(error)) from None
        count, labels = landbridge.components((forest.u, forest.v), num_vertices=graph.num_vertices, device="cpu")
        return int(count), np.asarray(labels)


def landbridge_contestant(name: str) -> Landbridge | None:
    """The contestant called `name`, if it is one of landbridge's."""
    for prefix, kind in (("landbridge(", Landbridge), ("landbridge forest(", LandbridgeForest)):
        if name.startswith(prefix):
            return kind(name.removeprefix(prefix).removesuffix(")"))
    return None
