"""Orders of ids: what each vertex of a structure is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.zoo.numbers import bits_reversed, on_host, permutation
from benchmarks.zoo.structures import Edges

BLOCK = 1024

Order = Callable[[Any, Edges, int], Any]
"""(xp, edges, seed) -> the new id of each vertex, int32."""


def inverse(xp: Any, order: Any) -> Any:
    """The place of each vertex in an order of all."""
    place = xp.empty(len(order), dtype=np.int32)
    place[order] = xp.arange(len(order), dtype=np.int32)
    return place


def permuted(xp: Any, edges: Edges, seed: int) -> Any:
    return permutation(xp, edges.n, seed)


def bit_reversed(xp: Any, edges: Edges, seed: int) -> Any:
    """Neighbouring vertices are far apart at every scale: the place of the reversed bits among all."""
    del seed
    return inverse(xp, xp.argsort(bits_reversed(xp, edges.n)))


def blocks(xp: Any, edges: Edges, seed: int) -> Any:
    """Blocks of consecutive ids, shuffled."""
    x = xp.arange(edges.n)
    shuffled = permutation(xp, -(-edges.n // BLOCK), seed)[x // BLOCK].astype(np.int64)
    return inverse(xp, xp.argsort(shuffled * BLOCK + x % BLOCK))


def breadth_first(xp: Any, edges: Edges, seed: int) -> Any:
    """The order of a breadth-first search of the permuted graph, component after component (SciPy's, on the host)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    name = permutation(np, edges.n, seed)
    u, v = (name[on_host(endpoints)] for endpoints in (edges.u, edges.v))
    shape = (edges.n + 1, edges.n + 1)
    matrix = csr_array((np.ones(len(u), np.int8), (u, v)), shape=shape)
    _, label = connected_components(matrix, directed=False)
    first = np.unique(label[:-1], return_index=True)[1]
    endpoints = np.concatenate([u, v, np.full(len(first), edges.n)]), np.concatenate([v, u, first])
    matrix = csr_array((np.ones(len(endpoints[0]), np.int8), endpoints), shape=shape)
    order = breadth_first_order(matrix, edges.n, directed=True, return_predecessors=False)[1:]
    return xp.asarray(inverse(np, order)[name])


def reversed_ids(xp: Any, edges: Edges, seed: int) -> Any:
    """The last vertex first: where a structure grows, the oldest has the largest id."""
    del seed
    return xp.arange(edges.n, dtype=np.int32)[::-1]


ORDERS: dict[str, Order | None] = {
    "natural": None,
    "reversed": reversed_ids,
    "permuted": permuted,
    "bit-reversed": bit_reversed,
    "blocks": blocks,
    "breadth-first": breadth_first,
}


def renamed(xp: Any, edges: Edges, name: str, seed: int) -> Edges:
    """The same edges, in their order, under the ids of an order. Raises ValueError for an unknown one."""
    if name not in ORDERS:
        raise ValueError(f"no order of ids is called {name!r}; known: {', '.join(ORDERS)}")
    order = ORDERS[name]
    if order is None:
        return edges
    ids = order(xp, edges, seed)
    return replace(edges, u=ids[edges.u], v=ids[edges.v])
