"""The graph zoo: one specimen of every shape that has ever broken a connectivity code, small enough to meet every plan.

A specimen says how its edges are stored, not only which they are: the order, the direction and the multiplicity of
arcs decide what a sampling sees and what a finish may skip. `answer` is the reference; nothing here calls the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from landbridge import Graph
from landbridge.edges.forms import Adjacency, EdgeList
from oracles.reference import Labels, by_search

Ids = NDArray[np.int64]

# The engine's grains (cpu/schedule.hpp and the words of its bit sets): sizes on either side of them.
CHUNK_ARCS = 32768
CHUNK_VERTICES = 16384
EDGES_OF_GRAINS = tuple(g + d for g in (64, 1024, CHUNK_VERTICES) for d in (-1, 0, 1))


@dataclass(frozen=True, eq=False)
class Specimen:
    """n vertices and the arcs (u[i], v[i]) as stored. symmetric: every arc is stored in both directions."""

    name: str
    n: int
    u: Ids
    v: Ids
    symmetric: bool

    @cached_property
    def answer(self) -> Labels:
        return by_search(self.n, self.u.tolist(), self.v.tolist())

    @cached_property
    def count(self) -> int:
        return int(self.answer.max()) + 1 if self.n else 0

    @cached_property
    def hops(self) -> int:
        """The longest way from the smallest vertex of a component: what label propagation has to go."""
        # One search, from a vertex of its own that is joined to all of them.
        source, lowest = self.n, np.unique(self.answer, return_index=True)[1]
        endpoints = np.concatenate([self.u, np.full(len(lowest), source)]), np.concatenate([self.v, lowest])
        matrix = csr_array((np.ones(len(endpoints[0]), np.int8), endpoints), shape=(source + 1, source + 1))
        order, before = breadth_first_order(matrix, source, directed=False)
        level = [-1] * (source + 1)
        for x in order[1:].tolist():
            level[x] = level[before[x]] + 1
        return max(0, *level)

    @cached_property
    def rows(self) -> tuple[Ids, Ids]:
        """Offsets and neighbours. Arcs keep the order in which they are stored: rows need not be sorted."""
        offsets = np.zeros(self.n + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.u, minlength=self.n), out=offsets[1:])
        return offsets, self.v[np.argsort(self.u, kind="stable")]

    def graph(self, layout: str, dtype: DTypeLike = np.int64, *, promise: bool = True) -> Graph:
        """The specimen in a layout and an id type. promise: declare what is known about symmetry."""
        known = True if self.symmetric and promise else None
        if layout == "csr":
            offsets, neighbors = self.rows
            return Graph(Adjacency(offsets.astype(dtype), neighbors.astype(dtype)), symmetric=known)
        pairs = EdgeList(self.u.astype(dtype), self.v.astype(dtype), both_directions=bool(known))
        return Graph(pairs, num_vertices=self.n)

    def __str__(self) -> str:
        return self.name


@cache
def zoo() -> tuple[Specimen, ...]:
    """All specimens, in a fixed order."""
    specimens = tuple(_specimens())
    assert len({s.name for s in specimens}) == len(specimens)
    return specimens


def small() -> tuple[Specimen, ...]:
    """Those that one thread takes in one piece."""
    return tuple(s for s in zoo() if s.n < CHUNK_VERTICES and len(s.u) < CHUNK_ARCS)


def _specimens() -> Iterator[Specimen]:
    for name, (n, pairs) in _shapes().items():
        u, v = _columns(pairs)
        yield _both(name, n, u, v)
    for name, make in _ONE_WAY.items():
        for shape in ("bridge", "grid", "random_sparse", "star_hub_last", "many_pairs", "random_big"):
            n, pairs = _shapes()[shape]
            u, v = _columns(pairs)
            a, b = make(u, v)
            yield Specimen(f"{shape}_{name}", n, a, b, symmetric=False)
    yield from _traps()


def _columns(pairs: Any) -> tuple[Ids, Ids]:
    table = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0].copy(), table[:, 1].copy()


def _both(name: str, n: int, u: Ids, v: Ids) -> Specimen:
    return Specimen(name, n, np.concatenate([u, v]), np.concatenate([v, u]), symmetric=True)


def _ways(u: Ids, v: Ids, forward: NDArray[np.bool_]) -> tuple[Ids, Ids]:
    low, high = np.minimum(u, v), np.maximum(u, v)
    return np.where(forward, low, high), np.where(forward, high, low)


# An edge that is stored once: at its smaller endpoint, its larger one, or either.
_ONE_WAY: dict[str, Callable[[Ids, Ids], tuple[Ids, Ids]]] = {
    "upper": lambda u, v: _ways(u, v, np.ones(len(u), dtype=bool)),
    "lower": lambda u, v: _ways(u, v, np.zeros(len(u), dtype=bool)),
    "mixed": lambda u, v: _ways(u, v, (u * 7 + v * 13) % 3 == 0),
}


@cache
def _shapes() -> dict[str, tuple[int, Any]]:
    rng = np.random.default_rng(20)
    shapes: dict[str, tuple[int, Any]] = {
        "empty": (0, []),
        "one_vertex": (1, []),
        "one_loop": (1, [(0, 0)]),
        "one_edge": (2, [(0, 1)]),
        "isolated": (70, []),
        "loops": (9, [(x, x) for x in range(9)] * 2),
        "loops_and_edges": (8, [(0, 0), (0, 5), (5, 5), (5, 0), (7, 7), (7, 6), (2, 2)]),
        "duplicates": (5, [(1, 3)] * 40 + [(3, 1)] * 3 + [(0, 4)] * 2),
        "star_hub_first": (300, [(0, x) for x in range(1, 300)]),
        "star_hub_last": (300, [(299, x) for x in range(299)]),
        "path_ascending": (1500, [(x, x + 1) for x in range(1499)]),
        "path_descending": (1500, [(x + 1, x) for x in reversed(range(1499))]),
        "path_shuffled": (1500, _path(rng.permutation(1500))),
        "cycle": (257, [(x, (x + 1) % 257) for x in range(257)]),
        "two_cycles": (100, [(x, (x + 2) % 100) for x in range(100)]),
        "bridge": (40, [*combinations(range(20), 2), *combinations(range(20, 40), 2), (7, 31)]),
        "bipartite": (50, [(x, y) for x in range(0, 50, 2) for y in range(1, 50, 2)]),
        "grid": (24 * 24, _grid(24, 24)),
        "binary_tree": (511, [(x, (x - 1) // 2) for x in range(1, 511)]),
        "random_sparse": (1000, rng.integers(0, 1000, (600, 2))),
        "random_dense": (120, rng.integers(0, 120, (3000, 2))),
        "many_pairs": (900, [(x, x + 450) for x in range(450)]),
        "many_triangles": (600, [(3 * x + i, 3 * x + (i + 1) % 3) for x in range(200) for i in range(3)]),
        "giant_and_isolated": (1200, rng.integers(300, 900, (4000, 2))),
        "ends_only": (5000, [(0, 4999)]),
        "last_two": (65, [(63, 64)]),
        "long_hub_first": (CHUNK_ARCS + 5000, [(0, x) for x in range(1, CHUNK_ARCS + 5000)]),
        "long_hub_last": (CHUNK_ARCS + 3, [(CHUNK_ARCS + 2, x) for x in range(CHUNK_ARCS + 2)]),
        "long_hubs": (70000, [((x % 2) * 40000, x) for x in range(70000)]),
        "exactly_one_chunk": (CHUNK_ARCS // 2 + 1, [(0, x) for x in range(1, CHUNK_ARCS // 2 + 1)]),
        "grid_big": (180 * 180, _grid(180, 180)),
        "path_big_shuffled": (40000, _path(rng.permutation(40000))),
        "random_big": (50000, rng.integers(0, 50000, (45000, 2))),
        "crowded_big": (20000, rng.integers(0, 20000, (90000, 2))),
        "isolated_big": (2 * CHUNK_VERTICES + 1, [(0, 2 * CHUNK_VERTICES)]),
        "ring_big": (51000, [(x, (x + 17000) % 51000) for x in range(51000)]),
    }
    for n in EDGES_OF_GRAINS:
        shapes[f"random_{n}"] = (n, rng.integers(0, n, (n * 3 // 5, 2)))
    return shapes


def _path(order: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack([order[:-1], order[1:]], axis=1)


def _grid(height: int, width: int) -> list[tuple[int, int]]:
    right = [(r * width + c, r * width + c + 1) for r in range(height) for c in range(width - 1)]
    down = [(r * width + c, (r + 1) * width + c) for r in range(height - 1) for c in range(width)]
    return right + down


def _traps() -> Iterator[Specimen]:
    """CSR that is not symmetric, where the arc that decides is one that an incorrect skip never reads."""
    ring = [(x, (x + d) % 200) for x in range(200) for d in (1, 199, 2, 198, 3, 197)]
    tail = [(300, 301), (301, 302), (302, 300)]
    # The only arc into the small component starts in the giant, behind arcs that any sampling takes first.
    yield _stored("arc_from_giant", 310, [*ring, *tail, (100, 300)])
    yield _stored("arc_from_giant_first", 310, [(100, 300), *ring, *tail])
    yield _stored("arc_into_giant", 310, [*ring, *tail, (302, 100)])
    yield _stored("arc_into_giant_first", 310, [(300, 100), *ring, *tail])
    # The same, the small component having the smaller ids: the labels start elsewhere.
    flip = [(309 - a, 309 - b) for a, b in [*ring, *tail, (100, 300)]]
    yield _stored("arc_from_giant_to_low_ids", 310, flip)
    # Single vertices that nothing but the giant names; they have no rows of their own.
    yield _stored("leaves_of_giant", 600, [*ring, *((x % 200, 200 + x) for x in range(400))])
    # A chain of small components, each reached from the one before by an arc without its reverse.
    chain = [(200 + 3 * i + j, 200 + 3 * i + (j + 1) % 3) for i in range(30) for j in range(3)]
    links = [(199 if i == 0 else 200 + 3 * (i - 1), 200 + 3 * i + 1) for i in range(30)]
    yield _stored("chain_from_giant", 290, [*ring, *chain, *links])
    # First arcs without information: loops and duplicates ahead of the one that joins.
    noise = [(x, x) for x in range(64) for _ in range(5)] + [(x, x ^ 1) for x in range(64) for _ in range(4)]
    yield _stored("noise_first", 64, noise + [(x, (x + 2) % 64) for x in range(64)])
    # One direction only, the hub holding all: every other row is empty.
    long = CHUNK_ARCS + 100
    yield _stored("long_hub_one_way", long + 3, [(5, x) for x in range(long)])
    yield _stored("long_hub_one_way_in", long + 3, [(x, long) for x in range(long)])
    # A giant of several chunks whose last arcs leave it. Neighbours are far apart: rules that never shorten a path take
    # seconds where ids rise along a ring of this length.
    ring_big = [(x, (x + d) % 40000) for x in range(40000) for d in (12007, 27993)]
    leave = [(x * 40, 40000 + x) for x in range(1000)]
    yield _stored("big_giant_leaves", 41000, ring_big + leave)


def _stored(name: str, n: int, arcs: Any) -> Specimen:
    u, v = _columns(arcs)
    return Specimen(name, n, u, v, symmetric=False)
