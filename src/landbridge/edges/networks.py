"""NetworkX graphs to edges, in one traversal of their adjacency."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.forms import EdgeList
from landbridge.edges.id_columns import ids_of
from landbridge.edges.names import number_names
from landbridge.edges.place import Place
from landbridge.errors import InputError
from landbridge.passes import SLICE, slices

_TABLE = 8
"""Entries per node of a table of all integers from the least node to the largest, at most."""

_SAMPLE = 1000
"""Edges whose endpoints are checked."""


def from_networkx(graph: Any, threads: int) -> EdgeList:
    """The edges of a NetworkX graph, in the order of its ``edges``; its vertices are all of its nodes.

    They are in ascending order if all are integers (by value) or all are text (by bytes), else in the order of the
    graph. Nodes that are 0..n-1 are vertex numbers. O(n + m) beside that order.
    """
    nodes, rows = _nodes_and_rows(graph)
    numbers = _integers(nodes)
    if numbers is None:
        ranks, ids = _named(nodes, threads)
        u, v = _positions(graph, nodes, rows)
    else:
        ranks, ids, u, v = _of_numbers(graph, numbers, rows)
    return EdgeList(ranks[u], ranks[v], num_vertices=len(nodes), ids=ids)


def in_order(graph: Any) -> tuple[list[Any], NDArray[np.int64], NDArray[np.int64]]:
    """The nodes of a NetworkX graph in its order, and the positions of both endpoints of each of its ``edges``."""
    nodes, rows = _nodes_and_rows(graph)
    numbers = _integers(nodes)
    u, v = _positions(graph, nodes, rows) if numbers is None else _of_numbers(graph, numbers, rows)[2:]
    return nodes, u, v


def _nodes_and_rows(graph: Any) -> tuple[list[Any], list[Any]]:
    nodes: list[Any] = []
    rows: list[Any] = []
    adjacency, before = iter(graph.adjacency()), -1
    while len(nodes) > before:
        _core.check_time()
        before = len(nodes)
        for node, row in islice(adjacency, SLICE):
            nodes.append(node)
            if isinstance(row, set | frozenset):  # of a complement that NetworkX does not store
                rows.append(dict.fromkeys(row))
            else:  # the rows of a view may count neighbours that they do not yield
                rows.append(row if isinstance(row, dict) else {neighbor: row[neighbor] for neighbor in row})
    return nodes, rows


def _each(entries: Iterable[Any], dtype: Any, count: int) -> NDArray[Any]:
    """An array of so many entries; the time is looked at between slices of many."""
    if count <= 4 * SLICE:
        return np.fromiter(entries, dtype=dtype, count=count)
    numbers, iterator = np.empty(count, dtype=dtype), iter(entries)
    for part in slices(count):
        numbers[part] = np.fromiter(iterator, dtype=dtype, count=part.stop - part.start)
    return numbers


def _owners(rows: list[Any]) -> NDArray[np.int64]:
    """The position of the node that each entry of the adjacency belongs to."""
    degrees = _each(map(len, rows), np.int64, len(rows))
    return np.repeat(np.arange(len(rows)), degrees)


def _of_numbers(graph: Any, numbers: NDArray[Any], rows: list[Any]) -> tuple[NDArray[Any], Any, Any, Any]:
    """For nodes that are integers: their ranks, their ids, and the positions of both endpoints of each edge."""
    owners = _owners(rows)
    flat = _each(chain.from_iterable(rows), numbers.dtype, len(owners))
    ranks, ids, flat = _ranked(numbers, flat)
    of_rank = np.empty_like(ranks)
    of_rank[ranks] = np.arange(len(ranks))
    return ranks, ids, *_once(graph, rows, owners, of_rank[flat])


def _positions(graph: Any, nodes: list[Any], rows: list[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For nodes of any kind: the positions of both endpoints of each edge."""
    owners = _owners(rows)
    pairs = _by_data(graph, nodes, rows, owners)
    if pairs is not None:
        return pairs
    number = dict(zip(nodes, range(len(nodes)), strict=True))
    places = _each(map(number.__getitem__, chain.from_iterable(rows)), np.int64, len(owners))
    return _once(graph, rows, owners, places)


def _once(
    graph: Any, rows: list[Any], owners: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Both endpoints of each edge, where an undirected graph lists it with both; the first listing counts."""
    once = slice(None) if graph.is_directed() else places >= owners
    u, v = owners[once], places[once]
    if graph.is_multigraph():
        counts = map(len, chain.from_iterable(row.values() for row in rows))
        keys = _each(counts, np.int64, len(owners))[once]
        return np.repeat(u, keys), np.repeat(v, keys)
    return u, v


def _by_data(
    graph: Any, nodes: list[Any], rows: list[Any], owners: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """The positions of both endpoints of each edge in order, without looking up 2 m neighbours, which is slow.

    A Graph stores the data of an edge in one dictionary that both endpoints refer to. None if that does not hold.
    """
    if (type(graph).__module__, type(graph).__name__) != ("networkx.classes.graph", "Graph") or set(
        map(type, rows)
    ) != {dict}:
        return None
    data = chain.from_iterable(map(dict.values, rows))
    places = _each(map(id, data), np.uintp, len(owners))
    order = np.argsort(places)
    places = places[order]
    begins = np.flatnonzero(np.concatenate([[True], places[1:] != places[:-1]])) if len(places) else order
    counts = np.diff(begins, append=len(places))
    once, twice = begins[counts == 1], begins[counts == 2]
    if len(once) + len(twice) != len(begins) or not all(nodes[x] in rows[x] for x in owners[order[once]].tolist()):
        return None
    one, other = order[twice], order[twice + 1]
    others = np.full(len(owners), -1)
    others[order[once]] = owners[order[once]]
    others[np.minimum(one, other)] = owners[np.maximum(one, other)]
    first = np.flatnonzero(others >= 0)
    u, v = owners[first], others[first]
    sample = range(0, len(u), len(u) // _SAMPLE + 1)
    if not all(nodes[int(v[i])] in rows[int(u[i])] for i in sample):
        return None
    return u, v


def _integers(nodes: list[Any]) -> NDArray[Any] | None:
    """The nodes as an array if all are integers of 64 bits."""
    kinds = set(map(type, nodes))
    if not all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        return None
    try:
        return _each(nodes, np.int64, len(nodes))
    except OverflowError:
        return None


def _ranked(numbers: NDArray[Any], flat: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any]]:
    """The ranks of nodes that are numbers, the nodes ascending (None for 0..n-1), and the ranks of the neighbours."""
    n = len(numbers)
    identity = np.arange(n)
    if np.array_equal(numbers, identity):
        return identity, None, flat
    least, most = int(numbers.min()), int(numbers.max())
    if least == 0 and most == n - 1:
        return numbers, None, flat
    ids = np.sort(numbers)
    if most - least >= _TABLE * n:
        return np.searchsorted(ids, numbers), ids, np.searchsorted(ids, flat)
    table = np.empty(most - least + 1, dtype=np.int64)
    table[ids - least] = identity
    return table[numbers - least], ids, table[flat - least]


def _named(nodes: list[Any], threads: int) -> tuple[NDArray[Any], Any]:
    """The ranks of nodes of other kinds, and their ids."""
    if set(map(type, nodes)) == {str}:
        try:
            texts = ids_of(nodes, Place("the node", "node"))
        except InputError:  # text that UTF-8 cannot encode has no order
            texts = None
        if isinstance(texts, tuple):
            offsets, data = texts
            half = (len(nodes) + 1) // 2  # each name once, but the middle one of an odd number twice
            edges = number_names((offsets[: half + 1], data), (offsets[len(nodes) - half :], data), threads)
            return np.concatenate([edges.u, edges.v[2 * half - len(nodes) :]]), edges.ids
    ids = np.empty(len(nodes), dtype=object)
    ids[:] = nodes
    return np.arange(len(nodes)), ids
