"""Regular structures: grids, triangulations, paths, trees and linked lists."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.forms import EdgeList
from landbridge.edges.generators.parameters import (
    ALWAYS,
    edges_of,
    integer,
    number,
    parts,
    probability,
    seed_and_threads,
)
from landbridge.flags import flag

Array = NDArray[np.integer[Any]]


def _lattice(
    a: int, b: int, seed: int, threads: int | None, *, wrap: bool = False, diagonal: bool = False,
    keep: int = ALWAYS, permute: bool = False,
) -> EdgeList:  # fmt: skip
    seed, threads = seed_and_threads(seed, threads)
    a, b = integer("a", a, 0), integer("b", b, 0)
    n = integer("a * b", a * b, 0)
    return edges_of(_core.generate_lattice, n, a, b, wrap, diagonal, keep, flag("permute", permute), seed, threads)


def grid2d(a: int, b: int, permute: bool = False, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A grid of a x b vertices, each joined to up to four neighbours.

    id = row * b + column, or a random permutation of that with ``permute``. 2 a b - a - b edges.
    """
    return _lattice(a, b, seed, threads, permute=permute)


def torus2d(a: int, b: int, permute: bool = False, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A grid of a x b vertices that wraps round: every degree is 4 if a and b exceed 2.

    id = row * b + column, or a random permutation of that with ``permute``. A side of 2 or less does not wrap: its
    edges would be repeats or loops.
    """
    return _lattice(a, b, seed, threads, wrap=True, permute=permute)


def trigrid(a: int, b: int, permute: bool = False, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A grid of a x b vertices with one diagonal in every square.

    id = row * b + column, or a random permutation of that with ``permute``. 3 a b - 2 (a + b) + 1 edges.
    """
    return _lattice(a, b, seed, threads, diagonal=True, permute=permute)


def percolation(
    a: int, b: int, p: float, permute: bool = False, *, seed: int = 0, threads: int | None = None
) -> EdgeList:
    """A grid of a x b vertices of which each edge is kept with probability p.

    Clusters of all sizes near p = 1/2. id = row * b + column, or a random permutation of that with ``permute``.
    """
    keep = probability(number("p", p, 0, 1))
    return _lattice(a, b, seed, threads, keep=keep, permute=permute)


def delaunay(n: int, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """The Delaunay triangulation of n random points in a square, ids in the order of drawing.

    Edges are u < v. n at most 2^29. Exact: integer coordinates below 2^30 and 128-bit predicates. O(n log n), serial
    but for the sorting; 64 bytes of scratch per vertex.
    """
    seed, threads = seed_and_threads(seed, threads)
    n = integer("n", n, 0, 1 << 29)
    return edges_of(_core.generate_delaunay, n, n, seed, threads)


def tiny(
    n: int, smallest: int = 2, largest: int = 8, permute: bool = False, *, seed: int = 0,
    threads: int | None = None,
) -> EdgeList:  # fmt: skip
    """Components of ``smallest`` to ``largest`` vertices (uniform), each a random tree.

    Consecutive ids form a component unless ``permute``. At each multiple of 32,768 ids a component ends, and may be
    smaller (with smallest >= 2 and largest > smallest, isolated vertices are avoided wherever possible).
    """
    seed, threads = seed_and_threads(seed, threads)
    n, largest = integer("n", n, 0), integer("largest", largest, 1)
    smallest = integer("smallest", smallest, 1, largest)
    return edges_of(_core.generate_tiny, n, n, smallest, largest, flag("permute", permute), seed, threads)


def list_graph(n: int, count: int = 1, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """``count`` paths of about n / count vertices with random ids."""
    seed, threads = seed_and_threads(seed, threads)
    n = integer("n", n, 0)
    return edges_of(_core.generate_list_graph, n, n, parts(n, count), seed, threads)


def tree_graph(n: int, count: int = 1, k: int = 2, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """``count`` random trees with random ids in which no vertex has more than k children.

    The parent of each vertex in turn is a random one with fewer than k children. Three words of scratch per vertex; the
    choice of parents is serial.
    """
    seed, threads = seed_and_threads(seed, threads)
    n, k = integer("n", n, 0), integer("k", k, 1, (1 << 31) - 1)
    return edges_of(_core.generate_tree_graph, n, n, parts(n, count), k, seed, threads)


def linked_list(n: int, seed: int = 0, lists: int = 1, *, threads: int | None = None) -> Array:
    """The successors of ``lists`` linked lists through n elements in random order.

    The first list starts at element 0; the lists differ in length by at most one. O(n).

    Returns
    -------
    array of shape (n,)
        ``successor[x]`` is the element after x, and a tail points to itself; int32 below 2^31 elements, else int64.
    """
    seed, threads = seed_and_threads(seed, threads)
    n = integer("n", n, 0)
    lists = integer("lists", lists, min(n, 1), n)
    return cast(Array, _core.generate_linked_list(n, lists, seed, threads))
