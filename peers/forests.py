"""Spanning forests elsewhere: what packages give for a graph with any number of components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from peers.base import Case
from peers.igraph_peer import IGraph
from peers.networkit_peer import NetworKit
from peers.scipy_peer import csr_matrix


class ForestPeer(NamedTuple):
    """build: from a case to what `solve`, which alone is timed, takes. edges: how many edges its answer has."""

    module: str
    build: Callable[[Case], Any]
    solve: Callable[[Any], Any]
    edges: Callable[[Any], int]


def minimum_spanning_tree(matrix: Any) -> Any:
    """SciPy's, by sorting: its only one. All weights are 1."""
    from scipy.sparse import csgraph

    return csgraph.minimum_spanning_tree(matrix)


def networkit_forest(graph: Any) -> Any:
    """NetworKit's `SpanningForest`: searches, on one thread."""
    import networkit

    algorithm = networkit.graph.SpanningForest(graph)
    algorithm.run()
    return algorithm.getForest()


def igraph_edges(graph: Any) -> Any:
    """igraph's `spanning_tree` without weights: searches that give the positions of the edges."""
    return graph.spanning_tree(return_tree=False)


FORESTS: dict[str, ForestPeer] = {
    "scipy(minimum)": ForestPeer("scipy", csr_matrix, minimum_spanning_tree, lambda tree: int(tree.nnz)),
    "networkit(forest)": ForestPeer(
        "networkit", NetworKit("networkit").build, networkit_forest, lambda forest: int(forest.numberOfEdges())
    ),
    "igraph(spanning_tree)": ForestPeer("igraph", IGraph("igraph").build, igraph_edges, len),
}
