"""NetworkX: `networkx.connected_components` on a `Graph`; for small graphs, as vertices are objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from peers.base import Case, Ids, InProcess


def labels_of_sets(sets: list[Any]) -> Ids:
    """Return labels from a list of vertex sets that together hold 0..n-1 once each."""
    labels = np.full(sum(map(len, sets)), -1, dtype=np.int64)
    for label, members in enumerate(sets):
        labels[np.fromiter(members, dtype=np.int64, count=len(members))] = label
    return labels


class NetworkX(InProcess):
    module = "networkx"

    def build(self, case: Case) -> Any:
        return self.build_from_arrays(case.num_vertices, *case.upper_edges())

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(zip(source.tolist(), target.tolist(), strict=True))
        return graph

    def solve(self, graph: Any, threads: int) -> Any:
        import networkx

        del threads
        return list(networkx.connected_components(graph))

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        return len(raw), labels_of_sets(raw)
