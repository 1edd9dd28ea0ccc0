"""Random graphs: uniform, recursive-matrix and preferential-attachment models."""

from __future__ import annotations

import math
from fractions import Fraction

from landbridge import _core
from landbridge.edges.forms import EdgeList
from landbridge.edges.generators.parameters import (
    MOST,
    MOST_OF_PAIRS,
    edges_of,
    integer,
    number,
    seed_and_threads,
)
from landbridge.errors import InputError
from landbridge.flags import is_word


def gnm(n: int, m: int, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A uniformly random simple graph with exactly m edges.

    Edges are u < v, ascending. n at most 2^32. 16 bytes of scratch per edge; O(m) expected, a radix sort.
    """
    seed, threads = seed_and_threads(seed, threads)
    n = integer("n", n, 0, MOST_OF_PAIRS)
    m = integer("m", m, 0)
    if m > n * (n - 1) // 2:
        raise InputError(f"m = {m} is more than the {n * (n - 1) // 2} pairs of n = {n} vertices")
    return edges_of(_core.generate_gnm, n, n, m, 1, seed, threads)


def gnp(n: int, p: float, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """Each pair of vertices independently with probability p.

    Edges are u > v, ascending. n at most 2^32. The gaps between edges are drawn digit by digit from integer tables,
    without a logarithm. O(n + m).
    """
    seed, threads = seed_and_threads(seed, threads)
    n = integer("n", n, 0, MOST_OF_PAIRS)
    return edges_of(_core.generate_gnp, n, n, number("p", p, 0, 1), seed, threads)


RMAT_PRESETS: dict[str, tuple[float, float, float, float]] = {
    "even": (0.55, 0.10, 0.10, 0.25),
    "gtgraph": (0.45, 0.15, 0.15, 0.25),
    "graph500": (0.57, 0.19, 0.19, 0.05),
    "citation": (0.45, 0.22, 0.22, 0.11),
}
"""The probabilities (a, b, c, d) of the quadrants top left, top right, bottom left, bottom right, by name."""


def _quadrants(a: float, b: float, c: float, d: float) -> tuple[int, int, int, int]:
    """The four probabilities in units of 2^-20, with the sum 2^20."""
    for name, value in zip("abcd", (a, b, c, d), strict=True):
        number(name, value, 0, 1)
    if abs(a + b + c + d - 1) > 1e-9:
        raise InputError(f"a + b + c + d = {a} + {b} + {c} + {d} = {a + b + c + d:.9g} is not 1")
    unit = 1 << 20
    units = [math.floor(x * unit + 0.5) for x in (a, b, c, d)]
    units[units.index(max(units))] += unit - sum(units)
    return units[0], units[1], units[2], units[3]


def _rmat(
    scale: int,
    n: int,
    m: int,
    *,
    weights: tuple[float, float, float, float],
    shuffle: bool,
    isolated: str,
    seed: int,
    threads: int,
) -> EdgeList:
    if not is_word(isolated, ("keep", "drop")):
        raise InputError(f"isolated = {isolated!r} is neither 'keep' nor 'drop'")
    if m > 0 and n == 0:
        raise InputError(f"edges = {m} without a vertex: n = 0")
    quadrants = _quadrants(*weights)
    # The ids below n include the first half, which a draw hits with probability a: few draws are repeated unless a is
    # tiny.
    if n != 1 << scale and weights[0] < 0.01:
        raise InputError(f"a = {weights[0]} makes ids below n = {n} too rare: use a >= 0.01 or n = {1 << scale}")
    edges = edges_of(_core.generate_rmat, n, scale, n, m, quadrants, shuffle, seed, threads)
    if isolated == "keep":
        return edges
    vertices = _core.generate_drop_isolated(edges.u, edges.v, n, threads)
    return EdgeList(edges.u, edges.v, num_vertices=vertices)


def rmat(
    scale: int,
    edge_factor: float = 8,
    *,
    edges: int | None = None,
    n: int | None = None,
    preset: str = "even",
    a: float | None = None,
    b: float | None = None,
    c: float | None = None,
    d: float | None = None,
    isolated: str = "keep",
    seed: int = 0,
    threads: int | None = None,
) -> EdgeList:
    """A recursive-matrix graph: skewed degrees, a giant component and isolated vertices.

    ``edges`` draws, by default ``edge_factor * n``, of a cell of the 2^scale x 2^scale matrix: on each level a
    quadrant with probability a (top left), b (top right), c (bottom left) or d, quantised to 2^-20, by default those of
    ``preset`` (see `RMAT_PRESETS`). Draws with an endpoint at or above ``n`` (2^(scale-1) < n <= 2^scale) are repeated.
    ``isolated="drop"`` leaves out the vertices without an edge and closes the gaps in the ids.
    """
    seed, threads = seed_and_threads(seed, threads)
    scale = integer("scale", scale, 0, 32)
    n = 1 << scale if n is None else integer("n", n, (1 << scale) // 2 + (scale > 0), 1 << scale)
    if not is_word(preset, RMAT_PRESETS):
        raise InputError(f"preset = {preset!r} is not one of {', '.join(RMAT_PRESETS)}")
    quadrants = (a, b, c, d)
    if any(x is not None for x in quadrants) and any(x is None for x in quadrants):
        raise InputError(f"a, b, c, d = {a}, {b}, {c}, {d}: give all four or none")
    weights = RMAT_PRESETS[preset] if a is None or b is None or c is None or d is None else (a, b, c, d)
    m = _edges(edges, n, edge_factor)
    return _rmat(scale, n, m, weights=weights, shuffle=False, isolated=isolated, seed=seed, threads=threads)


def _edges(edges: int | None, n: int, edge_factor: float) -> int:
    if edges is not None:
        return integer("edges", edges, 0)
    return math.floor(Fraction(number("edge_factor", edge_factor, 0, MOST / max(n, 1))) * n)


def kron(
    scale: int,
    edge_factor: float = 16,
    *,
    isolated: str = "keep",
    seed: int = 0,
    threads: int | None = None,
) -> EdgeList:
    """The Graph500 Kronecker graph: ``edge_factor * 2^scale`` draws, ids permuted.

    As `rmat` with the probabilities .57, .19, .19, .05, then a random permutation of the ids.
    """
    seed, threads = seed_and_threads(seed, threads)
    scale = integer("scale", scale, 0, 32)
    m = _edges(None, 1 << scale, edge_factor)
    weights = RMAT_PRESETS["graph500"]
    n = 1 << scale
    return _rmat(scale, n, m, weights=weights, shuffle=True, isolated=isolated, seed=seed, threads=threads)


def ba(n: int, k: int = 4, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """Preferential attachment: each vertex in turn brings k edges to endpoints of earlier edges.

    n k edges; connected up to the self-loops a vertex may draw (vertex 0 has nothing else to draw).
    """
    seed, threads = seed_and_threads(seed, threads)
    n, k = integer("n", n, 0), integer("k", k, 0)
    integer("n * k", n * k, 0)
    return edges_of(_core.generate_ba, n, n, k, seed, threads)


def r4(n: int, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A random cycle through all vertices plus 3 n uniform random edges: connected, average degree 8."""
    seed, threads = seed_and_threads(seed, threads)
    n = integer("n", n, 0, MOST // 4)
    return edges_of(_core.generate_r4, n, n, seed, threads)


def uniform(n: int, k: float = 16, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """n k edges with both endpoints drawn uniformly: average degree 2 k."""
    seed, threads = seed_and_threads(seed, threads)
    n = integer("n", n, 0)
    m = math.floor(Fraction(number("k", k, 0, MOST / max(n, 1))) * n)
    return edges_of(_core.generate_uniform, n, n, m, seed, threads)


def density_graph(
    m: int, delta: float = 0.001, count: int = 1, *, seed: int = 0, threads: int | None = None
) -> EdgeList:
    """``count`` independent random graphs with m arcs (m / 2 edges) in all on sqrt(m / (2 delta)) vertices.

    Vertices and edges are shared evenly; part j has the j-th range of ids and distinct edges. A part need not be
    connected, so there are at least ``count`` components.
    """
    seed, threads = seed_and_threads(seed, threads)
    edges = integer("m", m, 0) // 2
    if not (isinstance(delta, int | float) and 0 < delta <= 1):
        raise InputError(f"delta = {delta!r} is not above 0 and at most 1")
    n = math.isqrt(math.floor(Fraction(m) / (2 * Fraction(delta))))
    integer("sqrt(m / (2 delta))", n, 0, MOST_OF_PAIRS)
    count = integer("count", count, 1, max(n, 1))
    # Every part must hold its share: the smallest share of the vertices against the largest of the edges.
    part = n // count
    if -(-edges // count) > part * (part - 1) // 2:
        raise InputError(
            f"count = {count} leaves {-(-edges // count)} edges to a part with {part * (part - 1) // 2} pairs"
        )
    return edges_of(_core.generate_gnm, n, n, edges, count, seed, threads)
