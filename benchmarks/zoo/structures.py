"""Structures of the zoo: a number of edges -> vertices and edges, in the order in which a program makes them.

A structure works on whole arrays of NumPy, or of CuPy (`xp`). Its numbers of edges are close to the requested ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from benchmarks.zoo.numbers import below, permutation, random_mask, random_words


@dataclass(frozen=True)
class Edges:
    """n vertices and the edges (u[i], v[i]). components: how many, where the construction says it; simple: without
    loops and duplicates, up to a few by chance.
    """

    n: int
    u: Any
    v: Any
    components: int | None = None
    simple: bool = True


Structure = Callable[[Any, int, int], Edges]
"""(xp, number of edges, seed) -> edges."""


def path(xp: Any, m: int, seed: int) -> Edges:
    """One path through all vertices."""
    del seed
    u = xp.arange(m)
    return Edges(m + 1, u, u + 1, 1)


def pieces(xp: Any, m: int, seed: int, *, length: int) -> Edges:
    """Paths of `length` edges each."""
    del seed
    count = max(m // length, 1)
    endpoints = xp.arange(count * (length + 1)).reshape(count, length + 1)
    return Edges(endpoints.size, endpoints[:, :-1].ravel(), endpoints[:, 1:].ravel(), count)


def ring(xp: Any, m: int, seed: int, *, side: int) -> Edges:
    """Every vertex joined to the next `side` around a ring: as many runs over all vertices."""
    del seed
    n = max(m // side, 2 * side + 1)
    u = xp.arange(n)
    return Edges(n, xp.tile(u, side), xp.concatenate([(u + d) % n for d in range(1, side + 1)]), 1)


def ladder(xp: Any, m: int, seed: int) -> Edges:
    """Two paths whose vertices are joined in pairs, the rungs."""
    del seed
    rungs = (m + 2) // 3
    one, rail = 2 * xp.arange(rungs), xp.arange(2 * rungs - 2)
    return Edges(2 * rungs, xp.concatenate([one, rail]), xp.concatenate([one + 1, rail + 2]), 1)


def lattice(xp: Any, sides: Sequence[int]) -> tuple[Any, Any]:
    """Edges of a grid of any dimension, axis after axis."""
    x = xp.arange(prod(sides))
    endpoints: list[tuple[Any, Any]] = []
    stride = 1
    for side in sides:
        u = x[x // stride % side < side - 1]
        endpoints.append((u, u + stride))
        stride *= side
    return xp.concatenate([u for u, _ in endpoints]), xp.concatenate([v for _, v in endpoints])


def grid(xp: Any, m: int, seed: int, *, dimensions: int) -> Edges:
    """A grid of equal sides."""
    del seed
    sides = (max(round((m / dimensions) ** (1 / dimensions)), 2),) * dimensions
    return Edges(prod(sides), *lattice(xp, sides), 1)


def strip(xp: Any, m: int, seed: int, *, width: int) -> Edges:
    """A grid that is `width` wide and long."""
    del seed
    sides = (width, max(m // (2 * width - 1), 2))
    return Edges(prod(sides), *lattice(xp, sides), 1)


def grid_8(xp: Any, m: int, seed: int) -> Edges:
    """A square grid with both diagonals of every cell."""
    del seed
    side = max(round((m / 4) ** 0.5), 2)
    u, v = lattice(xp, (side, side))
    corner = xp.arange(side * (side - 1))
    corner = corner[corner % side < side - 1]
    endpoints = [(u, v), (corner, corner + side + 1), (corner + 1, corner + side)]
    all_u, all_v = (xp.concatenate([pair[i] for pair in endpoints]) for i in (0, 1))
    return Edges(side * side, all_u, all_v, 1)


def percolation(xp: Any, m: int, seed: int, *, share: float) -> Edges:
    """A square grid each of whose edges is open with probability `share`; the threshold is one half."""
    side = max(round((m / (2 * share)) ** 0.5), 2)
    u, v = lattice(xp, (side, side))
    is_open = random_mask(xp, share, len(u), seed)
    return Edges(side * side, u[is_open], v[is_open])


def tree(xp: Any, m: int, seed: int, *, parents: Callable[[Any, Any, int], Any]) -> Edges:
    """Vertex x > 0 joined to an earlier one."""
    x = xp.arange(1, m + 1)
    return Edges(m + 1, parents(xp, x, seed), x, 1)


def halved(xp: Any, x: Any, seed: int) -> Any:
    """Parents of a binary tree, level after level."""
    del xp, seed
    return (x - 1) // 2


def any_earlier(xp: Any, x: Any, seed: int) -> Any:
    """Parents of a random recursive tree."""
    return below(xp, x, len(x), seed)


def recent(xp: Any, x: Any, seed: int, *, window: int = 64) -> Any:
    """Parents out of the last few vertices: a long random tree."""
    return x - 1 - below(xp, xp.minimum(x, window), len(x), seed)


def by_degree(xp: Any, x: Any, seed: int) -> Any:
    """Parents by preferential attachment: an endpoint of the edges before."""
    return attached(xp, x, 1, seed)


def attached(xp: Any, x: Any, each: int, seed: int) -> Any:
    """For every edge of vertices x = 1, 2, ... (`each` edges per vertex, x repeated) a random endpoint of the earlier
    vertices' edges. Slot 2 i is the new vertex of edge i, slot 2 i + 1 its other endpoint, which is looked up.
    """
    slot = below(xp, xp.maximum(2 * each * (x - 1), 1), len(x), seed)
    while True:
        looked_up = (slot & 1) == 1
        if not bool(looked_up.any()):
            break
        slot = xp.where(looked_up, slot[slot // 2], slot)
    return xp.where(x == 1, 0, slot // 2 // each + 1)


def caterpillar(xp: Any, m: int, seed: int, *, legs: int = 3) -> Edges:
    """A path, the spine, each of whose vertices has `legs` leaves."""
    del seed
    joints = max(m // (legs + 1), 2)
    spine = (legs + 1) * xp.arange(joints)
    leg = xp.repeat(spine, legs)
    foot = leg + 1 + xp.arange(len(leg)) % legs
    u, v = xp.concatenate([spine[:-1], leg]), xp.concatenate([spine[1:], foot])
    return Edges((legs + 1) * joints, u, v, 1)


def broom(xp: Any, m: int, seed: int) -> Edges:
    """A path, then a star at its end."""
    del seed
    handle = m // 2
    v = xp.arange(1, m + 1)
    return Edges(m + 1, xp.minimum(v - 1, handle), v, 1)


def star(xp: Any, m: int, seed: int, *, place: float) -> Edges:
    """place: of the centre among the vertices, from 0 to 1."""
    del seed
    centre = round(place * m)
    leaf = xp.arange(m)
    return Edges(m + 1, xp.full(m, centre, dtype=np.int64), leaf + (leaf >= centre), 1)


def star_and_path(xp: Any, m: int, seed: int) -> Edges:
    """A star on the first half of the vertices, and a path from its centre over the others."""
    del seed
    v = xp.arange(1, m + 1)
    return Edges(m + 1, xp.where(v <= m // 2 + 1, 0, v - 1), v, 1)


def hubs(xp: Any, m: int, seed: int, *, count: int) -> Edges:
    """Vertices joined to one of `count` hubs among them, the hubs in a path."""
    n = m + 1
    centre = xp.sort(permutation(xp, n, seed)[:count].astype(np.int64))
    leaf = xp.ones(n, dtype=bool)
    leaf[centre] = False
    leaves = xp.flatnonzero(leaf)
    of_leaf = centre[below(xp, count, len(leaves), seed + 1)]
    return Edges(n, xp.concatenate([centre[:-1], of_leaf]), xp.concatenate([centre[1:], leaves]), 1)


def cliques(xp: Any, m: int, seed: int, *, size: int) -> Edges:
    """Cliques in a chain."""
    del seed
    one, other = (xp.asarray(endpoints) for endpoints in np.triu_indices(size, 1))
    first = size * xp.arange(max(m // (len(one) + 1), 2))[:, None]
    u, v = (first + one).ravel(), (first + other).ravel()
    link = first[1:, 0]
    return Edges(size * len(first), xp.concatenate([u, link - 1]), xp.concatenate([v, link]), 1)


def uniform(xp: Any, m: int, seed: int, *, degree: float) -> Edges:
    """Both endpoints at random; degree: of a vertex, on average."""
    n = max(round(2 * m / degree), 2)
    return Edges(n, below(xp, n, m, seed), below(xp, n, m, seed + 1))


def clusters(xp: Any, m: int, seed: int, *, size: int, degree: float) -> Edges:
    """Both endpoints at random among the same `size` vertices; degree: of a vertex, on average."""
    count = max(round(2 * m / (degree * size)), 1)
    u = below(xp, count * size, m, seed)
    return Edges(count * size, u, u - u % size + below(xp, size, m, seed + 1))


def regular(xp: Any, m: int, seed: int, *, half: int) -> Edges:
    """Every vertex joined to its image under `half` random permutations."""
    n = max(m // half, 4)
    images = [permutation(xp, n, seed + i).astype(np.int64) for i in range(half)]
    return Edges(n, xp.tile(xp.arange(n), half), xp.concatenate(images))


def bipartite(xp: Any, m: int, seed: int, *, each: int, share: float) -> Edges:
    """Vertices with `each` edges on average to others, which have larger ids and are a share as many."""
    first = max(m // each, 1)
    other = max(round(share * first), 1)
    return Edges(first + other, below(xp, first, m, seed), first + below(xp, other, m, seed + 1))


def rmat(xp: Any, m: int, seed: int, *, degree: int = 16) -> Edges:
    """A recursive matrix of (0.57, 0.19, 0.19, 0.05), four levels at a step."""
    steps = max(-(-((2 * m // degree).bit_length() - 1) // 4), 1)
    quadrant = np.array([0.57, 0.19, 0.19, 0.05])
    chance = quadrant
    for _ in range(3):
        chance = np.multiply.outer(chance, quadrant).ravel()
    table = xp.asarray(np.searchsorted(np.cumsum(chance), np.arange(2**16) / 2**16).clip(0, 255).astype(np.int64))
    # Four quadrants of two bits each: the upper bits belong to u, the lower ones to v.
    rows, columns = (sum((table >> (2 * i + side) & 1) << i for i in range(4)) for side in (1, 0))
    u, v = xp.zeros(m, dtype=np.int64), xp.zeros(m, dtype=np.int64)
    for step in range(steps):
        if step % 4 == 0:
            random = random_words(xp, m, seed + step // 4)
        draw = (random & np.uint64(0xFFFF)).astype(np.int64)
        random >>= np.uint64(16)
        u, v = u << 4 | rows[draw], v << 4 | columns[draw]
    return Edges(16**steps, u, v)


def attachment(xp: Any, m: int, seed: int, *, each: int) -> Edges:
    """Preferential attachment: every vertex brings `each` edges."""
    vertices = max(m // each, 2)
    x = xp.repeat(xp.arange(1, vertices + 1), each)
    return Edges(vertices + 1, attached(xp, x, each, seed), x, 1)


def small_world(xp: Any, m: int, seed: int, *, side: int = 4, share: float = 0.05) -> Edges:
    """A ring lattice, some of whose edges lead to a random vertex."""
    lattice_edges = ring(xp, m, seed, side=side)
    n, count = lattice_edges.n, len(lattice_edges.u)
    v = xp.where(random_mask(xp, share, count, seed), below(xp, n, count, seed + 1), lattice_edges.v)
    return Edges(n, lattice_edges.u, v)


def web(xp: Any, m: int, seed: int, *, degree: int = 8) -> Edges:
    """Pages link to the front page of their site, to near pages with the nearer the likelier, and a few far away."""
    n = max(m // degree, 256)
    count = n * degree
    u = xp.repeat(xp.arange(n), degree)
    word = random_words(xp, count, seed)
    scale = (word & np.uint64(15)).astype(np.int64)
    distance = 1 + below(xp, 1 << scale, count, seed + 1)
    v = xp.where((word >> np.uint64(8) & np.uint64(1)) == 1, u - distance, u + distance) % n
    kind = word >> np.uint64(56)
    v = xp.where(kind < 32, u - u % 256, v)
    return Edges(n, u, xp.where(kind == 255, below(xp, n, count, seed + 2), v))


def duplicates(xp: Any, m: int, seed: int) -> Edges:
    """Random edges, each eight times, either way round, and as many loops as edges."""
    base = uniform(xp, max(m // 16, 1), seed, degree=4)
    u, v = xp.tile(base.u, 8), xp.tile(base.v, 8)
    flipped = random_mask(xp, 0.5, len(u), seed + 2)
    loop = below(xp, base.n, len(u), seed + 3)
    one, other = xp.where(flipped, v, u), xp.where(flipped, u, v)
    return Edges(base.n, xp.concatenate([one, loop]), xp.concatenate([other, loop]), simple=False)


def union(one: Structure, other: Structure) -> Structure:
    """Half of the edges each, side by side."""

    def make(xp: Any, m: int, seed: int) -> Edges:
        a, b = one(xp, m // 2, seed), other(xp, m - m // 2, seed + 100)
        known = None if a.components is None or b.components is None else a.components + b.components
        u, v = xp.concatenate([a.u, b.u + a.n]), xp.concatenate([a.v, b.v + a.n])
        return Edges(a.n + b.n, u, v, known, a.simple and b.simple)

    return make


STRUCTURES: dict[str, Structure] = {
    "path": path,
    "paths": partial(pieces, length=1000),
    **{f"ring-{side}": partial(ring, side=side) for side in (1, 2, 4, 8, 16, 32)},
    "ladder": ladder,
    "strip": partial(strip, width=16),
    "grid": partial(grid, dimensions=2),
    "grid-8": grid_8,
    "grid-3d": partial(grid, dimensions=3),
    "grid-4d": partial(grid, dimensions=4),
    "tree-binary": partial(tree, parents=halved),
    "tree-recursive": partial(tree, parents=any_earlier),
    "tree-recent": partial(tree, parents=recent),
    "tree-attachment": partial(tree, parents=by_degree),
    "caterpillar": caterpillar,
    "broom": broom,
    "star-first": partial(star, place=0.0),
    "star-middle": partial(star, place=0.5),
    "star-last": partial(star, place=1.0),
    "star-path": star_and_path,
    "hubs": partial(hubs, count=16),
    "stars": partial(hubs, count=1000),
    "cliques-8": partial(cliques, size=8),
    "cliques-64": partial(cliques, size=64),
    "percolation-45": partial(percolation, share=0.45),
    "percolation-50": partial(percolation, share=0.50),
    "percolation-60": partial(percolation, share=0.60),
    "critical": partial(uniform, degree=1),
    "uniform-half": partial(uniform, degree=0.5),
    "uniform-2": partial(uniform, degree=2),
    "uniform-4": partial(uniform, degree=4),
    "uniform-16": partial(uniform, degree=16),
    "uniform-64": partial(uniform, degree=64),
    "clusters-50": partial(clusters, size=50, degree=8),
    "regular-8": partial(regular, half=4),
    "bipartite": partial(bipartite, each=8, share=1.0),
    "purchases": partial(bipartite, each=4, share=0.1),
    "rmat": rmat,
    "attachment-4": partial(attachment, each=4),
    "small-world": small_world,
    "web": web,
    "pairs": partial(pieces, length=1),
    "triples": partial(pieces, length=2),
    "duplicates": duplicates,
}
"""Name -> structure. Two of them joined by "+" are the union of both."""

LISTS = ("path", "paths", "pairs", "triples")
"""Structures of disjoint paths, whose edges follow one another as they are made: linked lists."""

UNIONS = ("path+uniform-16", "star-last+grid", "ring-8+pairs", "rmat+path", "grid-8+critical", "stars+ring-2")


def structure(name: str) -> Structure:
    """The structure of that name, or the union of two. Raises ValueError for an unknown one."""
    one, plus, other = name.partition("+")
    if plus:
        return union(structure(one), structure(other))
    if one not in STRUCTURES:
        raise ValueError(f"no structure is called {one!r}; known: {', '.join(STRUCTURES)}")
    return STRUCTURES[one]


def make(xp: Any, name: str, m: int, seed: int) -> Edges:
    """About m edges of a structure; ids are int32."""
    edges = structure(name)(xp, m, seed)
    return replace(edges, u=edges.u.astype(np.int32), v=edges.v.astype(np.int32))
