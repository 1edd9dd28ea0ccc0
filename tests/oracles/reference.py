"""Reference implementations of the contract of labels. None shares a line or an idea with the engines.

All take n and two sequences of ids and return the labels 0..k-1 numbered by the smallest vertex of each component.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]
Oracle = Callable[[int, Iterable[int], Iterable[int]], Labels]


def by_search(n: int, u: Iterable[int], v: Iterable[int]) -> Labels:
    """Breadth-first search over a dictionary of neighbours, from each vertex not yet reached, ascending."""
    neighbours: dict[int, list[int]] = {}
    for a, b in zip(u, v, strict=True):
        neighbours.setdefault(int(a), []).append(int(b))
        neighbours.setdefault(int(b), []).append(int(a))
    labels = [-1] * n
    count = 0
    for start in range(n):
        if labels[start] >= 0:
            continue
        labels[start] = count
        queue = deque([start])
        while queue:
            x = queue.popleft()
            for y in neighbours.get(x, ()):
                if labels[y] < 0:
                    labels[y] = count
                    queue.append(y)
        count += 1
    return np.array(labels, dtype=np.int64)


def by_sets(n: int, u: Iterable[int], v: Iterable[int]) -> Labels:
    """Sets of vertices, the smaller merged into the larger."""
    member: list[set[int]] = [{x} for x in range(n)]
    for a, b in zip(u, v, strict=True):
        one, other = member[int(a)], member[int(b)]
        if one is other:
            continue
        if len(one) < len(other):
            one, other = other, one
        one |= other
        for x in other:
            member[x] = one
    return first_seen(np.array([min(s) for s in member], dtype=np.int64))


def by_minima(n: int, u: Iterable[int], v: Iterable[int]) -> Labels:
    """The smallest vertex travels along the edges until nothing changes. Whole arrays at a time."""
    a, b = np.fromiter(u, dtype=np.int64), np.fromiter(v, dtype=np.int64)
    low = np.arange(n)
    while True:
        before = low.copy()
        np.minimum.at(low, a, before[b])
        np.minimum.at(low, b, before[a])
        low = low[low]
        if np.array_equal(low, before):
            return first_seen(low)


def by_scipy(n: int, u: Iterable[int], v: Iterable[int]) -> Labels:
    """What `scipy.sparse.csgraph` says, renumbered by first appearance so that nothing rests on its order."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b = np.fromiter(u, dtype=np.int64), np.fromiter(v, dtype=np.int64)
    if n == 0:
        return np.empty(0, dtype=np.int64)
    matrix = coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(n, n)).tocsr()
    return first_seen(connected_components(matrix, directed=False)[1])


def first_seen(names: Iterable[int]) -> Labels:
    """Any names of parts to 0..k-1 in the order in which the parts first appear."""
    number: dict[int, int] = {}
    return np.array([number.setdefault(int(x), len(number)) for x in names], dtype=np.int64)


PURE: dict[str, Oracle] = {"search": by_search, "sets": by_sets, "minima": by_minima}
