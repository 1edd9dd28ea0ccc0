"""Spanning trees for the NetworkX backend: Kruskal's algorithm is a forest of the edges by weight."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import landbridge
from landbridge.compat.networkx_graph import CLASSES, BackendGraph, GraphKind, graph_of

_EXACT = 2**53
"""Integers below it are floats, too."""


def cannot_span(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Why a function for spanning trees cannot run in the backend, "" if it can."""
    place = {"minimum_spanning_edges": 1, "maximum_spanning_edges": 1}.get(name)
    if place is None:
        place = {"minimum_spanning_tree": 2, "maximum_spanning_tree": 2}.get(name)
    if place is None:
        return ""
    algorithm = args[place] if len(args) > place else kwargs.get("algorithm", "kruskal")
    if algorithm != "kruskal":
        return "the trees are those of Kruskal's algorithm"
    graph = args[0] if args else kwargs["G"]
    return "parallel edges have keys" if graph.is_multigraph() else ""


def minimum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    """The edges of a spanning forest of least weight, in the order of their weights. O(m log m)."""
    return _edges(G, weight, data, ignore_nan, largest=False)


def maximum_spanning_edges(
    G: Any,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[Any]:
    """The edges of a spanning forest of most weight, in the order of their weights. O(m log m)."""
    return _edges(G, weight, data, ignore_nan, largest=True)


def minimum_spanning_tree(
    G: Any, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> BackendGraph:
    """A spanning forest of least weight as a graph with the attributes of `G`. O(m log m)."""
    return _tree(G, weight, ignore_nan, largest=False)


def maximum_spanning_tree(
    G: Any, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> BackendGraph:
    """A spanning forest of most weight as a graph with the attributes of `G`. O(m log m)."""
    return _tree(G, weight, ignore_nan, largest=True)


class _Edges:
    """The edges of a graph in NetworkX's order: positions of their endpoints, attributes, weights."""

    def __init__(self, graph: BackendGraph, weight: Any) -> None:
        if graph.data is None:  # a frame or a matrix may hold an edge more than once
            position = graph.position
            edges = list(graph.as_networkx.edges(data=True))
            self.u: Any = np.fromiter((position(e[0]) for e in edges), dtype=np.int64, count=len(edges))
            self.v: Any = np.fromiter((position(e[1]) for e in edges), dtype=np.int64, count=len(edges))
            self.data: list[Any] = [e[2] for e in edges]
        else:
            self.u, self.v = graph.endpoints()
            self.data = graph.data
        self.nodes = graph.node_list
        self.weights = _weights(self.data, weight)

    def kruskal(self, ignore_nan: bool, largest: bool) -> NDArray[np.int64]:
        """The numbers of the edges that Kruskal's algorithm takes, in its order."""
        order = np.argsort(-self.weights if largest else self.weights, kind="stable")
        unordered = np.isnan(self.weights)
        if unordered.any():
            if not ignore_nan:
                i = int(np.flatnonzero(unordered)[0])
                edge = self.nodes[int(self.u[i])], self.nodes[int(self.v[i])], self.data[i]
                raise ValueError(f"NaN found as an edge weight. Edge {edge}")
            order = order[~unordered[order]]
        if len(order) == 0:
            return order
        by_weight = graph_of(self.u[order], self.v[order], len(self.nodes))
        # On one thread each edge is united before the next one: it is in the forest if those before do not join it.
        forest = landbridge.spanning_forest(by_weight, plan="async(halve)@cpu(threads=1)")
        numbers: NDArray[np.int64] = order[forest.edge]
        return numbers


def _weights(data: list[dict[Any, Any]], weight: Any) -> NDArray[Any]:
    """The weights of all edges. NotImplementedError for what is no number of NumPy's."""
    values = [attributes.get(weight, 1) for attributes in data]
    kinds = set(map(type, values))
    if not kinds <= {int, float, bool}:
        raise NotImplementedError("weights that are no Python numbers are compared by NetworkX")
    if float in kinds and any(abs(value) >= _EXACT for value in values if type(value) is int):
        raise NotImplementedError("integers beyond 2^53 among fractions are compared by NetworkX")
    try:
        numbers = np.array(values, dtype=np.float64 if float in kinds else np.int64)
    except OverflowError:
        raise NotImplementedError("integers beyond 64 bits are compared by NetworkX") from None
    if numbers.dtype.kind == "i" and len(numbers) and numbers.min() == np.iinfo(np.int64).min:
        raise NotImplementedError("the least integer of 64 bits has no negative")
    return numbers


def _edges(G: Any, weight: Any, data: bool, ignore_nan: bool, *, largest: bool) -> Iterator[Any]:
    edges = _Edges(G, weight)

    def by_weight() -> Iterator[Any]:
        numbers = edges.kruskal(ignore_nan, largest)
        endpoints = (map(edges.nodes.__getitem__, column[numbers].tolist()) for column in (edges.u, edges.v))
        yield from zip(*endpoints, *([map(edges.data.__getitem__, numbers.tolist())] if data else []), strict=True)

    return by_weight()


def _tree(G: BackendGraph, weight: Any, ignore_nan: bool, *, largest: bool) -> BackendGraph:
    edges = _Edges(G, weight)
    numbers = edges.kruskal(ignore_nan, largest)
    u, v, data = edges.u[numbers], edges.v[numbers], [dict(edges.data[i]) for i in numbers.tolist()]
    make = partial(_make_tree, *G.attributes(), edges.nodes, u, v, data)
    return BackendGraph(graph_of(u, v, len(edges.nodes)), edges.nodes, GraphKind(), make, edge_count=len(u), data=data)


def _make_tree(
    of_graph: dict[Any, Any],
    of_nodes: list[dict[Any, Any]],
    nodes: list[Any],
    u: NDArray[Any],
    v: NDArray[Any],
    data: list[dict[Any, Any]],
) -> Any:
    """The tree as a graph of NetworkX, with these attributes."""
    tree = CLASSES[GraphKind()]()
    tree.graph.update(of_graph)
    tree.add_nodes_from(zip(nodes, of_nodes, strict=True))
    pairs = zip(u.tolist(), v.tolist(), data, strict=True)
    tree.add_edges_from((nodes[a], nodes[b], attributes) for a, b, attributes in pairs)
    return tree
