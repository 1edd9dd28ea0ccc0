"""The serial loop: union-find by smaller id with halving, fifteen lines compiled by Numba, on one thread.

The loops of the textbook algorithm: over a CSR, over a COO edge list, with forest edges recorded, and for batches of a
stream. Labels are numbered in the loop that flattens. Linked lists are ranked by a walk from each head.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from peers.base import Case, Ids, InProcess

F = TypeVar("F", bound=Callable[..., Any])


@cache
def loops() -> Any:
    """The compiled functions: `insert`, `flatten`, `over_csr`, `over_pairs`, `forest_of_csr`, `forest_of_pairs`.

    Raises ImportError without Numba.
    """
    import numba

    def compiled(function: F) -> F:
        machine_code: F = numba.njit(nogil=True)(function)
        return machine_code

    @compiled
    def unite(parent: Ids, a: int, b: int) -> bool:
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a == b:
            return False
        if a < b:
            parent[b] = a
        else:
            parent[a] = b
        return True

    @compiled
    def insert(parent: Ids, u: Ids, v: Ids) -> int:
        links = 0
        for i in range(len(u)):
            links += unite(parent, u[i], v[i])
        return links

    @compiled
    def flatten(parent: Ids) -> int:
        count = 0
        for x in range(len(parent)):
            if parent[x] == x:
                parent[x] = count
                count += 1
            else:
                parent[x] = parent[parent[x]]
        return count

    @compiled
    def over_csr(offsets: Ids, neighbors: Ids, symmetric: bool = True) -> tuple[int, Ids]:
        parent = np.arange(len(offsets) - 1).astype(np.int32)
        for x in range(len(parent)):
            for i in range(offsets[x], offsets[x + 1]):
                if neighbors[i] < x or not symmetric:
                    unite(parent, x, neighbors[i])
        return flatten(parent), parent

    @compiled
    def over_pairs(n: int, u: Ids, v: Ids) -> tuple[int, Ids]:
        parent = np.arange(n).astype(np.int32)
        insert(parent, u, v)
        return flatten(parent), parent

    @compiled
    def forest_of_csr(offsets: Ids, neighbors: Ids) -> tuple[int, Ids, Ids, Ids]:
        n = len(offsets) - 1
        parent, edge = np.arange(n).astype(np.int32), np.empty(n, np.int64)
        u, v, links = np.empty(n, np.int32), np.empty(n, np.int32), 0
        for x in range(n):
            for i in range(offsets[x], offsets[x + 1]):
                if neighbors[i] < x and unite(parent, x, neighbors[i]):
                    u[links], v[links], edge[links] = x, neighbors[i], i
                    links += 1
        return n - links, u[:links], v[:links], edge[:links]

    @compiled
    def forest_of_pairs(n: int, a: Ids, b: Ids) -> tuple[int, Ids, Ids, Ids]:
        parent, edge = np.arange(n).astype(np.int32), np.empty(n, np.int64)
        u, v, links = np.empty(n, np.int32), np.empty(n, np.int32), 0
        for i in range(len(a)):
            if unite(parent, a[i], b[i]):
                u[links], v[links], edge[links] = a[i], b[i], i
                links += 1
        return n - links, u[:links], v[:links], edge[:links]

    functions = (insert, flatten, over_csr, over_pairs, forest_of_csr, forest_of_pairs)
    return SimpleNamespace(**{function.__name__: function for function in functions})


@cache
def list_loop() -> Any:
    """The compiled function that ranks linked lists of int32 successors. Raises ImportError without Numba."""
    import numba

    def rank_lists(successor: Ids) -> Ids:
        n = len(successor)
        rank, order, first = np.empty(n, np.int32), np.empty(n, np.int32), np.ones(n, np.bool_)
        for x in successor:
            if x >= 0:
                first[x] = False
        for head in range(n):
            if first[head]:
                x, length = head, 0
                while x >= 0:
                    order[length] = x
                    length += 1
                    x = successor[x]
                for i in range(length):
                    rank[order[i]] = length - 1 - i
        return rank

    return numba.njit(nogil=True)(rank_lists)


class SerialLoop(InProcess):
    """From two int64 arrays, ids are narrowed first."""

    module = "numba"

    def build(self, case: Case) -> Any:
        return loops().over_csr, case.offsets, case.neighbors

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        return loops().over_pairs, n, source.astype(np.int32), target.astype(np.int32)

    def solve(self, graph: Any, threads: int) -> Any:
        del threads
        solve, *arrays = graph
        return solve(*arrays)

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        return int(raw[0]), raw[1]
