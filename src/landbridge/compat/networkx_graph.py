"""Graphs that the NetworkX backend keeps: edges as arrays, answers with them, and the NetworkX graph on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import landbridge
from landbridge.edges.networks import in_order
from landbridge.passes import distinct
from landbridge.threads import default_threads

NAME = "landbridge"


class GraphKind(NamedTuple):
    """Whether edges have a direction, and whether parallel edges count."""

    directed: bool = False
    multigraph: bool = False


CLASSES = {
    GraphKind(): nx.Graph,
    GraphKind(directed=True): nx.DiGraph,
    GraphKind(multigraph=True): nx.MultiGraph,
    GraphKind(directed=True, multigraph=True): nx.MultiDiGraph,
}
"""NetworkX's classes."""
_SOURCE = "landbridge: source"
"""The key of a mark in a graph's cache, which NetworkX empties when the graph changes."""


class BackendGraph:
    """A graph of NetworkX as arrays, immutable: a vertex is the position of its node.

    What a NetworkX graph has beside this (views, attributes, methods) is read from a frozen NetworkX graph, which is
    made when it is first needed. Answers are kept with the graph.

    Parameters
    ----------
    edges : Graph
        The edges between positions of nodes, in either layout.
    nodes : list or None
        The nodes in NetworkX's order; None for 0..n-1.
    kind : GraphKind
        Which of NetworkX's classes it is of.
    make : callable
        Makes the NetworkX graph.
    edge_count : int, optional
        The number of edges as NetworkX counts them; None to count those that differ.
    data : list of dict, optional
        The attributes of each edge.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.from_edgelist([("a", "b"), ("c", "d")])
    >>> from landbridge.compat.networkx import convert_from_nx
    >>> nx.number_connected_components(convert_from_nx(G))
    2
    """

    __networkx_backend__ = NAME

    def __init__(
        self,
        edges: landbridge.Graph,
        nodes: list[Any] | None,
        kind: GraphKind,
        make: Callable[[], Any],
        *,
        edge_count: int | None = None,
        data: list[dict[Any, Any]] | None = None,
    ) -> None:
        self.__networkx_cache__: dict[str, Any] = {}
        self.landbridge_graph = edges
        self.data = data
        self._kind = kind
        self._make = make
        self._nodes = nodes
        self._count = edge_count

    # the interface of nx.Graph ------------------------------------------------------------------------------------

    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return self._kind.directed

    def is_multigraph(self) -> bool:
        """Whether parallel edges count."""
        return self._kind.multigraph

    def __len__(self) -> int:
        return self.landbridge_graph.num_vertices

    def __iter__(self) -> Iterator[Any]:
        return iter(self.node_list)

    def __contains__(self, node: Any) -> bool:
        try:
            return self.position(node) is not None
        except TypeError:
            return False

    def __getitem__(self, node: Any) -> Any:
        return self.as_networkx[node]

    def number_of_nodes(self) -> int:
        """The number of nodes."""
        return len(self)

    def order(self) -> int:
        """The number of nodes."""
        return len(self)

    def number_of_edges(self, u: Any = None, v: Any = None) -> int:
        """The number of edges, or of those between two nodes."""
        return self.edge_count if u is None else int(self.as_networkx.number_of_edges(u, v))

    def size(self, weight: Any = None) -> Any:
        """The number of edges, or the sum of their weights."""
        return self.edge_count if weight is None else self.as_networkx.size(weight)

    def to_networkx(self) -> Any:
        """This graph as a new graph of NetworkX, which may be changed."""
        return self._make()

    @cached_property
    def as_networkx(self) -> Any:
        """This graph as a graph of NetworkX that is frozen."""
        return nx.freeze(self._make())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("_make", "_kind", "_nodes", "_count"):
            raise AttributeError(name)
        return getattr(self.as_networkx, name)

    def __repr__(self) -> str:
        edges = self.landbridge_graph.num_edges if self._edges_uncounted else self.edge_count
        stored = "stored edges" if self._edges_uncounted else "edges"
        return f"<{CLASSES[self._kind].__name__} of landbridge, {len(self)} nodes, {edges} {stored}>"

    __str__ = __repr__

    # what the functions of the backend read ----------------------------------------------------------------------

    @cached_property
    def node_list(self) -> list[Any]:
        """The nodes in NetworkX's order."""
        return list(range(len(self))) if self._nodes is None else self._nodes

    @cached_property
    def _number(self) -> dict[Any, int]:
        return {node: number for number, node in enumerate(self.node_list)}

    def position(self, node: Any) -> int | None:
        """The position of a node, None for what is no node. TypeError for what cannot be one."""
        if self._nodes is None and "_number" not in self.__dict__:
            try:
                number = index(node)
            except TypeError:
                return self._number.get(node)
            return number if 0 <= number < len(self) else None
        return self._number.get(node)

    @cached_property
    def components(self) -> landbridge.Components:
        """The components; labels in the order of NetworkX's components."""
        return landbridge.components(self.landbridge_graph)

    @cached_property
    def _groups(self) -> tuple[list[int], NDArray[Any]]:
        """Where the members of each component begin and end, and the positions of all nodes so ordered."""
        offsets, members = self.components.groups()
        return offsets.tolist(), members

    def _nodes_at(self, positions: NDArray[Any]) -> list[Any]:
        numbers: list[Any] = positions.tolist()
        return numbers if self._nodes is None else list(map(self._nodes.__getitem__, numbers))

    @cached_property
    def node_sets(self) -> list[set[Any]]:
        """The nodes of each component. Not to be handed out: a caller may change a set."""
        offsets, members = self._groups
        ordered = self._nodes_at(members)
        return [set(ordered[begin:stop]) for begin, stop in pairwise(offsets)]

    @cached_property
    def _set_of(self) -> dict[int, set[Any]]:
        return {}

    def copied_set(self, component: int) -> set[Any]:
        """The nodes of a component, in a set of the caller's own."""
        if "node_sets" in self.__dict__:
            return self.node_sets[component].copy()
        nodes = self._set_of.get(component)
        if nodes is None:
            offsets, members = self._groups
            nodes = self._set_of[component] = set(self._nodes_at(members[offsets[component] : offsets[component + 1]]))
        return nodes.copy()

    def copied_sets(self) -> Iterator[set[Any]]:
        """The nodes of each component, in sets of the caller's own."""
        return map(set.copy, self.node_sets)

    def attributes(self) -> tuple[dict[Any, Any], list[dict[Any, Any]]]:
        """Copies of the attributes of the graph and of each node. O(n)."""
        graph = self._make.graph() if isinstance(self._make, Source) else self.as_networkx
        return dict(graph.graph), [dict(each) for _, each in graph.nodes.items()]

    def endpoints(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The positions of both endpoints of each stored edge."""
        pairs = self.landbridge_graph.to_pairs()
        assert pairs.b is not None
        return pairs.a, pairs.b

    @property
    def _edges_uncounted(self) -> bool:
        return self._count is None and "edge_count" not in self.__dict__

    @cached_property
    def edge_count(self) -> int:
        """The number of edges as NetworkX counts them."""
        if self._count is not None:
            return self._count
        u, v = self.endpoints()
        if self.is_multigraph():
            return len(u)
        if not self.is_directed():
            u, v = np.minimum(u, v), np.maximum(u, v)
        return len(distinct(u.astype(np.int64) * len(self) + v, default_threads(None)))

    @cached_property
    def isolated(self) -> NDArray[np.bool_]:
        """Whether each node is without any edge, loops among them."""
        isolated = np.ones(len(self), dtype=bool)
        for positions in self.endpoints():
            isolated[positions] = False
        return isolated

    @cached_property
    def isolated_nodes(self) -> list[Any]:
        """The nodes without any edge, in NetworkX's order. Not to be handed out."""
        return self._nodes_at(np.flatnonzero(self.isolated))


def graph_of(u: Any, v: Any, nodes: int) -> landbridge.Graph:
    """Edges between positions of nodes, as a graph that runs without a check of its ids."""
    ids: Any = np.int32 if nodes < 2**31 else np.int64
    u, v = (np.ascontiguousarray(x, dtype=ids) for x in (u, v))
    return landbridge.Graph.of_checked_pairs(u, v, nodes)


def is_view(graph: Any) -> bool:
    """Whether a graph of NetworkX follows another one. When that one changes, the cache of the view is not emptied."""
    return "_graph" in getattr(graph, "__dict__", ())


class Source:
    """The NetworkX graph that a graph of the backend was converted from: copied when a copy is first asked for.

    Raises NetworkXError if the graph has changed since. That attributes were changed in place cannot be seen, as with
    all conversions that NetworkX keeps.
    """

    def __init__(self, graph: Any) -> None:
        if is_view(graph):
            graph.__networkx_cache__ = None  # so that no conversion is kept
        cache = getattr(graph, "__networkx_cache__", None)
        self._marked = cache is not None
        if cache is None:
            graph = graph.copy()
        else:
            self._mark = cache.setdefault(_SOURCE, object())
        self._graph = graph

    def graph(self) -> Any:
        """The graph itself."""
        if self._marked and self._graph.__networkx_cache__.get(_SOURCE) is not self._mark:
            raise nx.NetworkXError("the graph has changed since it was converted: convert it again")
        return self._graph

    def __call__(self) -> Any:
        return self.graph().copy()


def from_networkx(graph: Any, *, data: bool) -> BackendGraph:
    """A graph of NetworkX as one of the backend. data: keep copies of the attributes of edges."""
    nodes, u, v = in_order(graph)
    kind = GraphKind(graph.is_directed(), graph.is_multigraph())
    numbered = nodes == list(range(len(nodes))) and all(type(node) is int for node in nodes)
    attributes = [dict(edge[-1]) for edge in graph.edges(data=True)] if data else None
    return BackendGraph(
        graph_of(u, v, len(nodes)),
        None if numbered else nodes,
        kind,
        Source(graph),
        edge_count=len(u),
        data=attributes,
    )
