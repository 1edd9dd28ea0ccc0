"""NetworkX graphs to edges, in one walk over their adjacency."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.forms import Adjacency, EdgeList, Edges
from landbridge.edges.id_columns import Place, ids_of
from landbridge.edges.names import number_names
from landbridge.errors import InputError

_TABLE = 8
"""A table of all numbers from the least node to the largest may have so many entries for each node."""

_SAMPLE = 1000
"""Edges whose two rows are looked at."""


def from_networkx(graph: Any, threads: int) -> Edges:
    """The edges of a NetworkX graph; its vertices are all of its nodes.

    They are in ascending order where all are whole numbers (by value) or all are text (by bytes), else as the graph
    lists them. Nodes that are 0..n-1 are vertex numbers. Parallel edges count once. O(n + m) beside that order.
    """
    directed = graph.is_directed()
    nodes: list[Any] = []
    rows: list[Any] = []
    for node, row in graph.adjacency():
        nodes.append(node)
        rows.append(row)
    degrees = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
    ends, total = chain.from_iterable(rows), int(degrees.sum())
    numbers = _whole(nodes)
    if numbers is None:
        ranks, ids = _named(nodes, threads)
        pairs = _by_data(graph, nodes, rows, degrees)
        if pairs is not None:
            return EdgeList(ranks[pairs[0]], ranks[pairs[1]], num_vertices=len(nodes), ids=ids)
        number = dict(zip(nodes, ranks.tolist(), strict=True))
        flat = np.fromiter(map(number.__getitem__, ends), dtype=ranks.dtype, count=total)
    else:
        flat = np.fromiter(ends, dtype=numbers.dtype, count=total)
        ranks, ids, flat = _ranked(numbers, flat)
    if len(ranks) and bool((ranks[1:] > ranks[:-1]).all()):
        offsets = np.zeros(len(nodes) + 1, dtype=np.int64)
        np.cumsum(degrees, out=offsets[1:])
        return Adjacency(offsets, flat, None if directed else True, ids)
    u = np.repeat(ranks, degrees)
    return EdgeList(u, flat, num_vertices=len(nodes), ids=ids, both_directions=not directed)


def _by_data(
    graph: Any, nodes: list[Any], rows: list[Any], degrees: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """The positions of both ends of each edge, without a look at a neighbour: looking 2 m objects up is slow.

    A Graph keeps the data of an edge in one dictionary that both of its rows refer to. None where that is not so.
    """
    if (type(graph).__module__, type(graph).__name__) != ("networkx.classes.graph", "Graph") or set(
        map(type, rows)
    ) != {dict}:
        return None
    data = chain.from_iterable(map(dict.values, rows))
    places = np.fromiter(map(id, data), dtype=np.uintp, count=int(degrees.sum()))
    order = np.argsort(places)
    places, owners = places[order], np.repeat(np.arange(len(nodes)), degrees)[order]
    begins = np.flatnonzero(np.concatenate([[True], places[1:] != places[:-1]])) if len(places) else order
    counts = np.diff(begins, append=len(places))
    once, twice = begins[counts == 1], begins[counts == 2]
    if len(once) + len(twice) != len(begins) or not all(nodes[x] in rows[x] for x in owners[once].tolist()):
        return None
    u, v = owners[twice], owners[twice + 1]
    sample = range(0, len(u), len(u) // _SAMPLE + 1)
    if not all(nodes[int(v[i])] in rows[int(u[i])] for i in sample):
        return None
    return np.concatenate([u, owners[once]]), np.concatenate([v, owners[once]])


def _whole(nodes: list[Any]) -> NDArray[Any] | None:
    """The nodes as an array if all are whole numbers of 64 bits."""
    kinds = set(map(type, nodes))
    if not all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return None
    try:
        return np.array(nodes, dtype=np.int64)
    except OverflowError:
        return None


def _ranked(numbers: NDArray[Any], flat: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any]]:
    """The ranks of nodes that are numbers, the nodes ascending (None for 0..n-1), and the ranks of the neighbours."""
    n = len(numbers)
    everyone = np.arange(n)
    if np.array_equal(numbers, everyone):
        return everyone, None, flat
    least, most = int(numbers.min()), int(numbers.max())
    if least == 0 and most == n - 1:
        return numbers, None, flat
    ids = np.sort(numbers)
    if most - least >= _TABLE * n:
        return np.searchsorted(ids, numbers), ids, np.searchsorted(ids, flat)
    table = np.empty(most - least + 1, dtype=np.int64)
    table[ids - least] = everyone
    return table[numbers - least], ids, table[flat - least]


def _named(nodes: list[Any], threads: int) -> tuple[NDArray[Any], Any]:
    """The ranks of nodes of other kinds, and their ids."""
    if set(map(type, nodes)) == {str}:
        try:
            texts = ids_of(nodes, Place("the node", "node"))
        except InputError:  # no UTF-8: such text has no order
            texts = None
        if isinstance(texts, tuple):
            offsets, data = texts
            half = (len(nodes) + 1) // 2  # each name once, and the one in the middle perhaps twice
            edges = number_names((offsets[: half + 1], data), (offsets[len(nodes) - half :], data), threads)
            return np.concatenate([edges.u, edges.v[2 * half - len(nodes) :]]), edges.ids
    ids = np.empty(len(nodes), dtype=object)
    ids[:] = nodes
    return np.arange(len(nodes)), ids
