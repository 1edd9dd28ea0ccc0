"""igraph: `Graph.connected_components`, whose answer is a Python list with the component of each vertex."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from peers.base import Case, Ids, InProcess


class IGraph(InProcess):
    module = "igraph"

    def build(self, case: Case) -> Any:
        return self.build_from_arrays(case.num_vertices, *case.upper_edges())

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        import igraph

        return igraph.Graph(n=n, edges=np.column_stack([source, target]), directed=False)

    def solve(self, graph: Any, threads: int) -> Any:
        del threads
        return graph.connected_components(mode="weak")

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        return len(raw), np.asarray(raw.membership, dtype=np.int64)
