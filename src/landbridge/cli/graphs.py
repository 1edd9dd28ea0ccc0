"""The graphs and forests of commands. Loaded when a command runs."""

from __future__ import annotations

import numpy as np

from landbridge.cli import terminal
from landbridge.cli.app import Reading
from landbridge.edges.forms import EdgeList, Edges
from landbridge.graph import Graph
from landbridge.result import SpanningForest


def graph_of(edges: Edges, reading: Reading) -> Graph:
    """The graph of edges that were read."""
    return terminal.work(
        "building the graph",
        lambda _: Graph(edges, ids=reading.signed, num_vertices=reading.num_vertices, threads=reading.threads),
    )


def forest_edges(edges: Edges, result: SpanningForest, shift: bool) -> EdgeList:
    """The edges of a forest with the ids of its input; shift: as an edge list whose vertices count from 1."""
    if isinstance(edges, EdgeList):
        u, v = (np.ascontiguousarray(endpoints[result.edge]) for endpoints in (edges.u, edges.v))
        n = None if edges.occurring else edges.num_vertices if edges.ids is not None else result.num_vertices
        forest = EdgeList(u, v, n, edges.ids, occurring=edges.occurring)
    else:
        u, v = result.u, result.v
        if edges.ids is not None:
            u, v = np.searchsorted(edges.ids, u), np.searchsorted(edges.ids, v)
        forest = EdgeList(u, v, result.num_vertices, edges.ids)
    return EdgeList(forest.u + 1, forest.v + 1) if shift else forest
