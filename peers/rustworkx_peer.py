"""rustworkx: `connected_components` on a `PyGraph`; for small graphs, every edge carries a Python object."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from peers.base import Case, Ids, InProcess
from peers.networkx_peer import labels_of_sets


class RustworkX(InProcess):
    module = "rustworkx"

    def build(self, case: Case) -> Any:
        return self.build_from_arrays(case.num_vertices, *case.upper_edges())

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        import rustworkx

        graph = rustworkx.PyGraph(multigraph=True)
        graph.add_nodes_from(range(n))
        graph.add_edges_from_no_data(list(zip(source.tolist(), target.tolist(), strict=True)))
        return graph

    def solve(self, graph: Any, threads: int) -> Any:
        import rustworkx

        del threads
        return rustworkx.connected_components(graph)

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        return len(raw), labels_of_sets(raw)
