"""NetworkX's backend "landbridge": functions by the names that NetworkX dispatches, with its answers, order and types.

NetworkX finds this module by the entry point ``networkx.backends``; `landbridge.compat.networkx_info` lists it without
importing it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np

from landbridge.compat.networkx_graph import NAME, BackendGraph, from_networkx, is_view
from landbridge.compat.networkx_readers import (
    cannot_make,
    from_pandas_edgelist,
    from_scipy_sparse_array,
    read_edgelist,
)
from landbridge.compat.networkx_trees import (
    cannot_span,
    maximum_spanning_edges,
    maximum_spanning_tree,
    minimum_spanning_edges,
    minimum_spanning_tree,
)

__all__ = [
    "BackendGraph",
    "can_run",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
    "from_pandas_edgelist",
    "from_scipy_sparse_array",
    "has_path",
    "is_connected",
    "is_forest",
    "is_isolate",
    "is_tree",
    "is_weakly_connected",
    "isolates",
    "maximum_spanning_edges",
    "maximum_spanning_tree",
    "minimum_spanning_edges",
    "minimum_spanning_tree",
    "node_connected_component",
    "number_connected_components",
    "number_of_isolates",
    "number_weakly_connected_components",
    "read_edgelist",
    "should_run",
    "weakly_connected_components",
]

SMALL = 2_000
"""Nodes and edges below which NetworkX takes less time than a conversion and a call that is dispatched."""

_ONCE = "landbridge: one call"
"""The key in a graph's cache that says that one call was left to NetworkX since the graph changed last."""


# conversions -----------------------------------------------------------------------------------------------------


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: Mapping[str, Any] | None = None,
    node_attrs: Mapping[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> BackendGraph:
    """A graph of NetworkX as one of the backend; NetworkX keeps it until the graph changes. O(n + m).

    Parameters
    ----------
    graph : networkx.Graph
        Of any class.
    edge_attrs, preserve_edge_attrs
        Whether attributes of edges are needed.
    node_attrs, preserve_node_attrs, preserve_graph_attrs, name, graph_name
        Not needed: what they ask for is copied from the NetworkX graph when it is first read, and NetworkXError is
        raised if the graph has changed by then.

    Returns
    -------
    BackendGraph
    """
    if isinstance(graph, BackendGraph):
        return graph
    return from_networkx(graph, data=bool(edge_attrs) or preserve_edge_attrs)


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """A graph of the backend as a new graph of NetworkX; anything else as it is."""
    return result.to_networkx() if isinstance(result, BackendGraph) else result


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether the backend has an answer to a call, or the reason why it has none."""
    if name == "has_path":
        graph = args[0] if args else kwargs["G"]
        if graph.is_directed():
            return "a path in a directed graph is more than a component"
        if None in (*args[1:], *kwargs.values()):
            return "None is no node"
        return True
    reason = cannot_span(name, args, kwargs) or cannot_make(name, args, kwargs)
    return reason or True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether to convert the graph of a call, or the reason why not: to convert costs more than most calls save.

    The first call for a graph of NetworkX since it changed is left to NetworkX; the next one converts the graph, and
    NetworkX keeps the conversion. So all calls together cost at most little more than without the backend. Spanning
    trees take NetworkX longer than a conversion.
    """
    graph = args[0] if args else kwargs.get("G")
    if graph is None or isinstance(graph, BackendGraph) or name in _READERS:
        return True
    cache = getattr(graph, "__networkx_cache__", None)
    converted = cache.get("backends", {}).get(NAME) if cache else None
    if converted:
        return True
    if len(graph) < SMALL and graph.number_of_edges() < SMALL:
        return f"a graph of fewer than {SMALL} nodes and edges is not worth a conversion"
    if name in _SPANNING:
        return True
    if cache is None or is_view(graph) or not nx.config.cache_converted_graphs:
        return "a conversion costs more than this call, and it would not be kept"
    if _ONCE not in cache:
        cache[_ONCE] = True
        return "a conversion costs more than this call; the next one converts the graph"
    return True


_READERS = {"from_pandas_edgelist", "from_scipy_sparse_array", "read_edgelist"}
_SPANNING = {
    "minimum_spanning_edges",
    "minimum_spanning_tree",
    "maximum_spanning_edges",
    "maximum_spanning_tree",
}


# components ------------------------------------------------------------------------------------------------------


def connected_components(G: Any) -> Iterator[set[Any]]:
    """The nodes of each component, in the order of their first nodes in the graph.

    Parameters
    ----------
    G : BackendGraph
        Undirected.

    Returns
    -------
    iterator of set
        Sets of their own, which may be changed. The first call makes them in O(n), later ones copy them.
    """
    yield from _kept(G).copied_sets()


def number_connected_components(G: Any) -> int:
    """The number of components."""
    return _kept(G).components.count


def is_connected(G: Any) -> bool:
    """Whether there is one component. Raises NetworkXPointlessConcept for a graph without nodes."""
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _kept(G).components.count == 1


def node_connected_component(G: Any, n: Any) -> set[Any]:
    """The nodes of the component of a node. Raises KeyError for what is no node."""
    graph = _kept(G)
    position = graph.position(n)
    if position is None:
        raise KeyError(n)
    return graph.copied_set(int(graph.components.labels[position]))


def weakly_connected_components(G: Any) -> Iterator[set[Any]]:
    """The nodes of each weak component, as `connected_components` yields them."""
    yield from _kept(G).copied_sets()


def number_weakly_connected_components(G: Any) -> int:
    """The number of weak components."""
    return _kept(G).components.count


def is_weakly_connected(G: Any) -> bool:
    """Whether there is one weak component. Raises NetworkXPointlessConcept for a graph without nodes."""
    return is_connected(G)


def has_path(G: Any, source: Any, target: Any) -> bool:
    """Whether a path joins two nodes of an undirected graph. Raises NodeNotFound for what is no node."""
    graph = _kept(G)
    positions = []
    for role, node in (("Source", source), ("Target", target)):
        position = graph.position(node)
        if position is None:
            raise nx.NodeNotFound(f"{role} {node} is not in G")
        positions.append(position)
    labels = graph.components.labels
    return bool(labels[positions[0]] == labels[positions[1]])


# trees and isolates ------------------------------------------------------------------------------------------------


def is_forest(G: Any) -> bool:
    """Whether there is no cycle, directions aside. Raises NetworkXPointlessConcept for a graph without nodes."""
    graph = _kept(G)
    if len(graph) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return graph.edge_count == len(graph) - graph.components.count


def is_tree(G: Any) -> bool:
    """Whether there is one component and no cycle. Raises NetworkXPointlessConcept for a graph without nodes."""
    graph = _kept(G)
    if len(graph) == 0:
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return graph.edge_count == len(graph) - 1 and graph.components.count == 1


def isolates(G: Any) -> Iterator[Any]:
    """The nodes without an edge, in the order of the graph."""
    return iter(_kept(G).isolated_nodes)


def number_of_isolates(G: Any) -> int:
    """The number of nodes without an edge."""
    return int(np.count_nonzero(_kept(G).isolated))


def is_isolate(G: Any, n: Any) -> bool:
    """Whether a node has no edge. Raises NetworkXError for what is no node."""
    graph = _kept(G)
    try:
        position = graph.position(n)
    except TypeError:
        position = None
    if position is None:
        return bool(graph.as_networkx.degree(n) == 0)
    return bool(graph.isolated[position])


def _kept(graph: Any) -> BackendGraph:
    return graph if isinstance(graph, BackendGraph) else convert_from_nx(graph)
