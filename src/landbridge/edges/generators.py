"""Graphs made from a few numbers: random, regular, and stand-ins for published data sets.

Every generator returns an :class:`~landbridge.edges.forms.EdgeList` with ``num_vertices`` set and ids of
int32 below 2^31 vertices, else int64. Each undirected edge is listed once, in one direction; random graphs
whose definition draws edges independently (``rmat``, ``kron``, ``uniform``, ``ba``, ``r4``, ``web``) keep
the repeats and self-loops that were drawn, all others are simple graphs.

``seed`` (64 bits) fixes the graph: draw i is a function of the seed and i alone, computed in integers, so the
edges and their order are the same for any number of threads and on every platform. ``threads=None`` uses
every processor the process may run on. O(n + m) work and no memory besides the edges unless a generator says
more.

:data:`GENERATORS` lists them, :func:`generate` calls one by a text such as
``rmat(20,edge_factor=16,seed=1)``. A parameter that makes no sense raises
:class:`~landbridge.errors.InputError` with its name and value.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ParamSpec, cast

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.forms import EdgeList
from landbridge.errors import InputError

_MOST = 1 << 48  # vertices or edges; beyond any memory, and safe in every product below
_PAIRS_MOST = 1 << 32  # vertices where a pair must fit one 64-bit key
_ALWAYS = (1 << 64) - 1

Value = int | float | bool | str | None
Array = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a generator: kind is ``int``, ``float``, ``bool`` or ``str``."""

    name: str
    kind: type
    default: Value
    required: bool


@dataclass(frozen=True, slots=True)
class Generator:
    """One row of the registry; ``parameters`` leaves out ``seed`` and ``threads``, which every generator
    has."""

    name: str
    make: Callable[..., EdgeList]
    parameters: tuple[Parameter, ...]
    summary: str
    source: str


GENERATORS: dict[str, Generator] = {}
_KINDS = {"int": int, "float": float, "bool": bool, "str": str}
_P = ParamSpec("_P")


def _generator(source: str) -> Callable[[Callable[_P, EdgeList]], Callable[_P, EdgeList]]:
    """Enters a generator into the registry; its first docstring line is the description."""

    def enter(make: Callable[_P, EdgeList]) -> Callable[_P, EdgeList]:
        parameters = []
        for p in inspect.signature(make).parameters.values():
            if p.name in ("seed", "threads"):
                continue
            kind = _KINDS[str(p.annotation).removesuffix(" | None")]
            required = p.default is inspect.Parameter.empty
            parameters.append(Parameter(p.name, kind, None if required else p.default, required))
        summary = inspect.cleandoc(make.__doc__ or "").split("\n", 1)[0]
        name = make.__name__
        GENERATORS[name] = Generator(name, make, tuple(parameters), summary, source)
        return make

    return enter


def _integer(name: str, value: Any, low: int, high: int = _MOST) -> int:
    """``value`` as an int, if it is a whole number from ``low`` to ``high``."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InputError(f"{name} = {value!r} is not a whole number")
    if not low <= value <= high:
        raise InputError(f"{name} = {value} is not between {low} and {high}")
    return int(value)


def _number(name: str, value: Any, low: float, high: float) -> float:
    """``value`` as a float, if it is a number from ``low`` to ``high``."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{name} = {value!r} is not a number")
    if not low <= value <= high:
        raise InputError(f"{name} = {value} is not between {low} and {high}")
    return float(value)


def _threshold(p: Fraction | float) -> int:
    """The probability ``p`` in units of 2^-64; 1 and above are the largest value."""
    return min(_ALWAYS, math.floor(Fraction(p) * (1 << 64)))


def _common(seed: int, threads: int | None) -> tuple[int, int]:
    """Seed and thread count, checked."""
    seed = _integer("seed", seed, 0, (1 << 64) - 1)
    return seed, _core.available_threads() if threads is None else _integer("threads", threads, 1, 4096)


def _call(function: Callable[..., Any], n: int, *arguments: Any) -> EdgeList:
    """The edges that a function of the core makes on ``n`` vertices."""
    u, v = function(*arguments)
    return EdgeList(u, v, num_vertices=n)


def _count(n: int, count: int) -> int:
    """The number of parts ``n`` vertices are divided into: 0 only for 0 vertices."""
    return _integer("count", count, min(n, 1), n)


@_generator("Erdos and Renyi 1959, model G(n, m)")
def gnm(n: int, m: int, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A uniformly random simple graph with exactly m edges.

    Edges are u < v, ascending. n at most 2^32. 16 bytes an edge of scratch; O(m) expected, a radix sort.
    """
    seed, threads = _common(seed, threads)
    n = _integer("n", n, 0, _PAIRS_MOST)
    m = _integer("m", m, 0)
    if m > n * (n - 1) // 2:
        raise InputError(f"m = {m} is more than the {n * (n - 1) // 2} pairs of n = {n} vertices")
    return _call(_core.generate_gnm, n, n, m, 1, seed, threads)


@_generator("Gilbert 1959, model G(n, p); skipping after Batagelj and Brandes 2005")
def gnp(n: int, p: float, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """Each pair of vertices independently with probability p.

    Edges are u > v, ascending. n at most 2^32. The gaps between edges are drawn digit by digit from integer
    tables, without a logarithm. O(n + m).
    """
    seed, threads = _common(seed, threads)
    n = _integer("n", n, 0, _PAIRS_MOST)
    return _call(_core.generate_gnp, n, n, _number("p", p, 0, 1), seed, threads)


#: The chances (a, b, c, d) of the quadrants top left, top right, bottom left, bottom right, by name.
RMAT_PRESETS: dict[str, tuple[float, float, float, float]] = {
    "even": (0.55, 0.10, 0.10, 0.25),
    "gtgraph": (0.45, 0.15, 0.15, 0.25),
    "graph500": (0.57, 0.19, 0.19, 0.05),
    "citation": (0.45, 0.22, 0.22, 0.11),
}


def _quadrants(a: float, b: float, c: float, d: float) -> tuple[int, int, int, int]:
    """The four chances in units of 2^-20, adding up to 2^20."""
    for name, value in zip("abcd", (a, b, c, d), strict=True):
        _number(name, value, 0, 1)
    if abs(a + b + c + d - 1) > 1e-9:
        raise InputError(f"a + b + c + d = {a} + {b} + {c} + {d} = {a + b + c + d:.9g} is not 1")
    unit = 1 << 20
    chances = [math.floor(x * unit + 0.5) for x in (a, b, c, d)]
    chances[chances.index(max(chances))] += unit - sum(chances)
    return chances[0], chances[1], chances[2], chances[3]


def _rmat(
    scale: int,
    n: int,
    m: int,
    *,
    chances: tuple[float, float, float, float],
    shuffle: bool,
    isolated: str,
    seed: int,
    threads: int,
) -> EdgeList:
    if isolated not in ("keep", "drop"):
        raise InputError(f"isolated = {isolated!r} is neither 'keep' nor 'drop'")
    if m > 0 and n == 0:
        raise InputError(f"edges = {m} without a vertex: n = 0")
    quadrants = _quadrants(*chances)
    # The ids below n include the first half, which a draw hits with chance a: repeating ends soon if a is
    # not tiny.
    if n != 1 << scale and chances[0] < 0.01:
        raise InputError(f"a = {chances[0]} makes ids below n = {n} too rare: use a >= 0.01 or n = {1 << scale}")
    drawn = _call(_core.generate_rmat, n, scale, n, m, *quadrants, shuffle, seed, threads)
    if isolated == "keep":
        return drawn
    left = _core.generate_drop_isolated(drawn.u, drawn.v, n, threads)
    return EdgeList(drawn.u, drawn.v, num_vertices=left)


@_generator("Chakrabarti, Zhan and Faloutsos 2004")
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

    ``edges`` draws, by default ``edge_factor * n``, of a cell of the 2^scale x 2^scale matrix: on each level
    a quadrant with chance a (top left), b (top right), c (bottom left) or d, quantised to 2^-20, by default
    those of ``preset`` (see :data:`RMAT_PRESETS`). Draws with an end at or above ``n`` (2^(scale-1) < n <=
    2^scale) are repeated. ``isolated="drop"`` leaves out the vertices without an edge and closes the gaps in
    the ids.
    """
    seed, threads = _common(seed, threads)
    scale = _integer("scale", scale, 0, 32)
    n = 1 << scale if n is None else _integer("n", n, (1 << scale) // 2 + (scale > 0), 1 << scale)
    if preset not in RMAT_PRESETS:
        raise InputError(f"preset = {preset!r} is not one of {', '.join(RMAT_PRESETS)}")
    given = (a, b, c, d)
    if any(x is not None for x in given) and any(x is None for x in given):
        raise InputError(f"a, b, c, d = {a}, {b}, {c}, {d}: give all four or none")
    chances = RMAT_PRESETS[preset] if a is None or b is None or c is None or d is None else (a, b, c, d)
    m = _edges(edges, n, edge_factor)
    return _rmat(scale, n, m, chances=chances, shuffle=False, isolated=isolated, seed=seed, threads=threads)


def _edges(edges: int | None, n: int, edge_factor: float) -> int:
    if edges is not None:
        return _integer("edges", edges, 0)
    return math.floor(Fraction(_number("edge_factor", edge_factor, 0, _MOST / max(n, 1))) * n)


@_generator("Graph500 benchmark specification; Leskovec et al. 2010")
def kron(
    scale: int,
    edge_factor: float = 16,
    *,
    isolated: str = "keep",
    seed: int = 0,
    threads: int | None = None,
) -> EdgeList:
    """The Graph500 Kronecker graph: ``edge_factor * 2^scale`` draws, ids permuted.

    As :func:`rmat` with the chances .57, .19, .19, .05, then a random permutation of the ids.
    """
    seed, threads = _common(seed, threads)
    scale = _integer("scale", scale, 0, 32)
    m = _edges(None, 1 << scale, edge_factor)
    chances = RMAT_PRESETS["graph500"]
    n = 1 << scale
    return _rmat(scale, n, m, chances=chances, shuffle=True, isolated=isolated, seed=seed, threads=threads)


@_generator("Barabasi and Albert 1999; Batagelj and Brandes 2005; Sanders and Schulz 2016")
def ba(n: int, k: int = 4, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """Preferential attachment: each vertex in turn brings k edges to ends of earlier edges.

    n k edges; connected up to the self-loops a vertex may draw (vertex 0 has nothing else to draw).
    """
    seed, threads = _common(seed, threads)
    n, k = _integer("n", n, 0), _integer("k", k, 0)
    _integer("n * k", n * k, 0)
    return _call(_core.generate_ba, n, n, k, seed, threads)


def _lattice(
    a: int, b: int, seed: int, threads: int | None, *, wrap: bool = False, diagonal: bool = False,
    keep: int = _ALWAYS, permute: bool = False,
) -> EdgeList:  # fmt: skip
    seed, threads = _common(seed, threads)
    a, b = _integer("a", a, 0), _integer("b", b, 0)
    n = _integer("a * b", a * b, 0)
    return _call(_core.generate_lattice, n, a, b, wrap, diagonal, keep, bool(permute), seed, threads)


@_generator("2d-2e20.sym of Jaiganesh and Burtscher 2018 is grid2d(1024,1024)")
def grid2d(a: int, b: int, permute: bool = False, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A grid of a x b vertices, each joined to up to four neighbours.

    id = row * b + column, or a random permutation of that with ``permute``. 2 a b - a - b edges.
    """
    return _lattice(a, b, seed, threads, permute=permute)


@_generator("Cong and Muzio 2014 use 10,000 x 10,000")
def torus2d(a: int, b: int, permute: bool = False, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A grid of a x b vertices that wraps round: every degree is 4 if a and b exceed 2.

    id = row * b + column, or a random permutation of that with ``permute``. Across a side of 2 or less there
    is nothing to wrap: such an edge would be there already, or be a loop.
    """
    return _lattice(a, b, seed, threads, wrap=True, permute=permute)


@_generator("a planar mesh of degree 6 with known structure")
def trigrid(a: int, b: int, permute: bool = False, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A grid of a x b vertices with one diagonal in every square.

    id = row * b + column, or a random permutation of that with ``permute``. 3 a b - 2 (a + b) + 1 edges.
    """
    return _lattice(a, b, seed, threads, diagonal=True, permute=permute)


@_generator("Broadbent and Hammersley 1957; the threshold of this lattice is 1/2 (Kesten 1980)")
def percolation(
    a: int, b: int, p: float, permute: bool = False, *, seed: int = 0, threads: int | None = None
) -> EdgeList:
    """A grid of a x b vertices of which each edge is kept with probability p.

    Clusters of all sizes near p = 1/2. id = row * b + column, or a random permutation of that with
    ``permute``.
    """
    keep = _threshold(_number("p", p, 0, 1))
    return _lattice(a, b, seed, threads, keep=keep, permute=permute)


@_generator("stands in for r4-2e23.sym of Jaiganesh and Burtscher 2018")
def r4(n: int, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A random cycle through all vertices plus 3 n uniform random edges: connected, average degree 8."""
    seed, threads = _common(seed, threads)
    n = _integer("n", n, 0, _MOST // 4)
    return _call(_core.generate_r4, n, n, seed, threads)


@_generator("GAP benchmark suite 2015, the uniform graph")
def uniform(n: int, k: float = 16, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """n k edges with both ends drawn uniformly: average degree 2 k."""
    seed, threads = _common(seed, threads)
    n = _integer("n", n, 0)
    m = math.floor(Fraction(_number("k", k, 0, _MOST / max(n, 1))) * n)
    return _call(_core.generate_uniform, n, n, m, seed, threads)


@_generator("Delaunay 1934; delaunay_n24 of the 10th DIMACS challenge is this for n = 2^24 points")
def delaunay(n: int, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """The Delaunay triangulation of n random points in a square, ids in the order of drawing.

    Edges are u < v. n at most 2^29. Exact: integer coordinates below 2^30 and 128-bit predicates. O(n log n), serial
    but for the sorting; 64 bytes a vertex of scratch.
    """
    seed, threads = _common(seed, threads)
    n = _integer("n", n, 0, 1 << 29)
    return _call(_core.generate_delaunay, n, n, seed, threads)


@_generator("stands in for road maps; average degree and long paths as there")
def road(n: int, d_avg: float = 2.4, chain: int = 1, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A road-like map: a random spanning tree of a square grid plus some of its other edges.

    Connected, degrees at most 4, ``d_avg`` on average (expected). The tree is random inside tiles of 32 x 32
    and random between tiles. ``chain`` > 1 replaces every edge by about ``chain`` edges in a row, whose
    vertices are numbered along the way after all crossings: the long chains of bends in detailed maps. 1
    byte a vertex of scratch.
    """
    seed, threads = _common(seed, threads)
    n, chain = _integer("n", n, 0), _integer("chain", chain, 1, 1 << 20)
    half = Fraction(_number("d_avg", d_avg, 2, 4)) / 2
    # Crossings and the edges between them, so that n vertices and n * half edges are left when the edges are
    # chains.
    slack = chain - (chain - 1) * half
    if slack <= 0 or half / slack > 2:
        raise InputError(f"d_avg = {d_avg} is more than a grid can have with chain = {chain}")
    inner = n
    if chain > 1 and n > 1:
        inner = max(2, math.floor(n / (1 + half / slack * (chain - 1))))
    b = math.isqrt(max(inner - 1, 0)) + 1
    rows = -(-inner // b)
    spare = (inner - rows) + max(inner - b, 0) - (inner - 1)  # edges of the grid that the tree does not use
    wanted = half / slack * inner - (inner - 1)
    extra = 0 if spare <= 0 else _threshold(max(Fraction(0), wanted / spare))
    return _call(_core.generate_road, n, n, inner, extra, seed, threads)


@_generator("stands in for web crawls: skewed degrees, links to near ids, many small components")
def web(
    n: int, d_avg: float = 20, components: int | None = None, local: float = 0.75, reach: int = 100, *,
    seed: int = 0, threads: int | None = None,
) -> EdgeList:  # fmt: skip
    """A web-like graph: short links, an R-MAT part with hubs at low ids, and small components at the end.

    About n d_avg / 2 edges. One component holds almost all vertices; the other ``components - 1`` (n / 2000
    in all by default) have 1 to 3 vertices. A share ``local`` of the links ends within ``reach`` ids.
    """
    seed, threads = _common(seed, threads)
    n = _integer("n", n, 0)
    if components is None:
        components = max(n // 2000, min(n, 1))
    components = _integer("components", components, min(n, 1), (n + 1) // 2)
    reach = _integer("reach", reach, 1)
    local = _number("local", local, 0, 1)
    m = math.floor(Fraction(_number("d_avg", d_avg, 2, _MOST)) * n / 2)
    _integer("n * d_avg / 2", m, 0)
    if n == 0:
        return gnm(0, 0)
    small = components - 1
    core = n - 2 * small
    more = max(0, m - (core - 1) - small)
    return _call(_core.generate_web, n, core, small, more, _threshold(local), reach, seed, threads)


@_generator("stands in for co-author graphs: overlapping cliques")
def cliques(n: int, size: int, layers: int = 2, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """Layers of disjoint cliques that cover all vertices: degree about layers * (size - 1).

    The cliques of the first layer have consecutive ids, those of the others random ones; two layers may
    repeat an edge. The last clique of a layer may be smaller.
    """
    seed, threads = _common(seed, threads)
    n, size = _integer("n", n, 0), _integer("size", size, 1)
    layers = _integer("layers", layers, 0, 1024)
    _integer("n * size * layers", n * min(size, n) * layers, 0)
    return _call(_core.generate_cliques, n, n, size, layers, seed, threads)


@_generator("many tiny components, as record linkage has")
def tiny(
    n: int, smallest: int = 2, largest: int = 8, permute: bool = False, *, seed: int = 0,
    threads: int | None = None,
) -> EdgeList:  # fmt: skip
    """Components of ``smallest`` to ``largest`` vertices (uniform), each a random tree.

    Consecutive ids form a component unless ``permute``. At each multiple of 32,768 ids a component ends, and
    may be smaller (with smallest >= 2 and largest > smallest, an isolated vertex is avoided wherever
    possible).
    """
    seed, threads = _common(seed, threads)
    n, largest = _integer("n", n, 0), _integer("largest", largest, 1)
    smallest = _integer("smallest", smallest, 1, largest)
    return _call(_core.generate_tiny, n, n, smallest, largest, bool(permute), seed, threads)


@_generator("the list graphs of Yogaratnam 2010")
def list_graph(n: int, count: int = 1, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """``count`` paths of about n / count vertices with random ids."""
    seed, threads = _common(seed, threads)
    n = _integer("n", n, 0)
    return _call(_core.generate_list_graph, n, n, _count(n, count), seed, threads)


@_generator("the tree graphs of Yogaratnam 2010")
def tree_graph(n: int, count: int = 1, k: int = 2, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """``count`` random trees with random ids in which no vertex has more than k children.

    Each vertex in turn goes below a random one that has fewer than k. Three words a vertex of scratch; the
    choice of parents is serial.
    """
    seed, threads = _common(seed, threads)
    n, k = _integer("n", n, 0), _integer("k", k, 1, (1 << 31) - 1)
    return _call(_core.generate_tree_graph, n, n, _count(n, count), k, seed, threads)


@_generator("the random graphs of Yogaratnam 2010")
def density_graph(
    m: int, delta: float = 0.001, count: int = 1, *, seed: int = 0, threads: int | None = None
) -> EdgeList:
    """``count`` independent random graphs with m arcs (m / 2 edges) in all on sqrt(m / (2 delta)) vertices.

    Vertices and edges are shared out evenly; part j has the j-th range of ids and distinct edges. A part
    need not be connected, so there are at least ``count`` components.
    """
    seed, threads = _common(seed, threads)
    edges = _integer("m", m, 0) // 2
    if not (isinstance(delta, int | float) and 0 < delta <= 1):
        raise InputError(f"delta = {delta!r} is not above 0 and at most 1")
    n = math.isqrt(math.floor(Fraction(m) / (2 * Fraction(delta))))
    _integer("sqrt(m / (2 delta))", n, 0, _PAIRS_MOST)
    count = _integer("count", count, 1, max(n, 1))
    # Every part must hold its share: the smallest share of the vertices against the largest of the edges.
    part = n // count
    if -(-edges // count) > part * (part - 1) // 2:
        raise InputError(
            f"count = {count} leaves {-(-edges // count)} edges to a part with {part * (part - 1) // 2} pairs"
        )
    return _call(_core.generate_gnm, n, n, edges, count, seed, threads)


def linked_list(n: int, seed: int = 0, lists: int = 1, *, threads: int | None = None) -> Array:
    """The successors of ``lists`` linked lists through n elements in random order.

    Returns shape (n,), int32 below 2^31 elements, else int64: ``successor[x]`` is the element after x, and a
    tail points to itself. The first list starts at element 0; the lists differ in length by at most one.
    O(n).
    """
    seed, threads = _common(seed, threads)
    n = _integer("n", n, 0)
    lists = _integer("lists", lists, min(n, 1), n)
    return cast(Array, _core.generate_linked_list(n, lists, seed, threads))


_CALL = re.compile(r"\s*([a-z_][a-z0-9_]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)\s*=)?\s*([^\s=]+)\s*")
_LIKE = re.compile(r"\s*like:([^@,\s]+)@([^@,\s]+)(?:,seed=(\d{1,20}))?\s*")
_SEED = Parameter("seed", int, 0, required=False)
_POWER = re.compile(r"(\d{1,9})(?:\^|\*\*)(\d{1,2})")


def _value(text: str, name: str, kind: type) -> Value:
    """The value that ``text`` stands for as a parameter of this kind."""
    if kind is bool:
        if text.lower() in ("true", "false", "0", "1"):
            return text.lower() in ("true", "1")
        raise InputError(f"{name} = {text!r} is neither true nor false")
    if kind is str:
        return text.strip("'\"")
    power = _POWER.fullmatch(text)
    if power:
        return cast(int, int(power[1]) ** int(power[2]))
    try:
        if kind is int:
            return int(text) if "e" not in text.lower() else _whole(float(text))
        return float(text)
    except (ValueError, OverflowError):
        word = "a whole number" if kind is int else "a number"
        raise InputError(f"{name} = {text!r} is not {word}") from None


def _whole(x: float) -> int:
    if not x.is_integer():
        raise ValueError
    return int(x)


def _parse(text: str) -> tuple[Generator, dict[str, Value]]:
    """The generator and the arguments that ``text`` names."""
    like = _LIKE.fullmatch(text)
    if like is not None:
        generator, values = _parse(_standin_text(like[1], _scale(like[2])))
        return generator, values | {"seed": int(like[3] or 0)}
    call = _CALL.fullmatch(text)
    if call is None:
        raise InputError(f"generator {text!r} is not of the form name(value, name=value, ...)")
    if call[1] not in GENERATORS:
        raise InputError(f"generator {call[1]!r} is not one of {', '.join(sorted(GENERATORS))}")
    generator = GENERATORS[call[1]]
    known = {p.name: p for p in (*generator.parameters, _SEED)}
    arguments: dict[str, Value] = {}
    parts = call[2].split(",") if call[2] and call[2].strip() else []
    for i, part in enumerate(parts):
        match = _ARGUMENT.fullmatch(part)
        if match is None:
            raise InputError(f"argument {i + 1} of {call[1]}, {part.strip()!r}, is neither value nor name=value")
        name = match[1]
        if name is None:
            if i >= len(generator.parameters):
                raise InputError(
                    f"{call[1]} takes {len(generator.parameters)} values, and {part.strip()!r} is one more"
                )
            if len(arguments) < i or any(p.name not in arguments for p in generator.parameters[:i]):
                raise InputError(f"argument {i + 1} of {call[1]}, {part.strip()!r}, needs its name")
            name = generator.parameters[i].name
        if name not in known:
            raise InputError(f"{call[1]} has no parameter {name!r}; it has {', '.join(known)}")
        if name in arguments:
            raise InputError(f"{call[1]} is given {name} twice")
        arguments[name] = _value(match[2], name, known[name].kind)
    for p in generator.parameters:
        if p.required and p.name not in arguments:
            raise InputError(f"{call[1]} needs a value for {p.name}")
    return generator, arguments


def generate(text: str, *, seed: int | None = None, threads: int | None = None) -> EdgeList:
    """The graph that ``text`` describes: ``rmat(20,edge_factor=16,seed=1)``, ``grid2d(1024,1024)`` or
    ``like:road_usa@0.1``.

    Values may be written ``2^20`` or ``1e6``. ``seed``, if given, takes the place of the one in the text.
    The text is parsed, never executed. Raises InputError naming the part that is wrong.
    """
    generator, arguments = _parse(text)
    if seed is not None:
        arguments["seed"] = seed
    return generator.make(**arguments, threads=threads)


def canonical(text: str) -> str:
    """The one way to write the graph that ``text`` describes, for naming inputs.

    Required values in order, then ``name=value`` for each other one that differs from its default; no blanks.
    A stand-in keeps its name: ``like:road_usa@0.1``.
    """
    generator, arguments = _parse(text)
    like = _LIKE.fullmatch(text)
    if like is not None:
        seed = arguments["seed"]
        return f"like:{like[1]}@{_show(_scale(like[2]))}" + (f",seed={seed}" if seed else "")
    words = []
    for p in (*generator.parameters, _SEED):
        value = arguments.get(p.name, p.default)
        if p.required:
            words.append(_show(value))
        elif value != p.default:
            words.append(f"{p.name}={_show(value)}")
    return f"{generator.name}({','.join(words)})"


def _show(value: Value) -> str:
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class Standin:
    """What stands in for a published data set.

    n, arcs (both directions) and components are the published figures. ``text`` is the generator call, in
    which ``{n}``, ``{edges}`` and ``{components}`` are n, arcs / 2 and components times the scale,
    ``{side}`` the square root of n, ``{power}`` its binary logarithm to the nearest, ``{ids}`` is n times
    ``grow`` (of which about n are left where isolated vertices are dropped), and ``{scale}`` the number of
    bits of an id below that.
    """

    n: int
    arcs: int
    components: int
    text: str
    grow: tuple[float, float] = (
        1.0,
        1.0,
    )  # the factor at 2^15 vertices and at 2^21; between, by the bits of n


_SOCIAL = "rmat({scale},n={ids},edges={edges},preset=graph500,isolated=drop)"
_CITATION = "rmat({scale},n={ids},edges={edges},preset=citation,isolated=drop)"
_WEB = "web({n},d_avg={d_avg},components={components})"

#: By data set: its published size and the generator call that keeps its degrees and component structure.
STANDINS: dict[str, Standin] = {
    "2d-2e20.sym": Standin(1_048_576, 4_190_208, 1, "grid2d({side},{side})"),
    "delaunay_n24": Standin(16_777_216, 100_663_202, 1, "delaunay({n})"),
    "USA-road-d.NY": Standin(264_346, 730_100, 1, "road({n},d_avg={d_avg})"),
    "USA-road-d.USA": Standin(23_947_347, 57_708_624, 1, "road({n},d_avg={d_avg})"),
    "road_usa": Standin(23_947_347, 57_708_624, 1, "road({n},d_avg={d_avg})"),
    "europe_osm": Standin(50_912_018, 108_109_320, 1, "road({n},d_avg={d_avg},chain=7)"),
    "r4-2e23.sym": Standin(8_388_608, 67_108_846, 1, "r4({n})"),
    "rmat16.sym": Standin(65_536, 967_866, 3_900, "rmat({scale},n={n})"),
    "rmat22.sym": Standin(4_194_304, 65_660_814, 428_640, "rmat({scale},n={n})"),
    "kron_g500-logn21": Standin(2_097_152, 182_081_864, 553_159, "kron({power},edge_factor=48)"),
    "soc-LiveJournal1": Standin(4_847_571, 85_702_474, 1_876, _SOCIAL, (1.71, 2.66)),
    "ljournal-2008": Standin(5_360_000, 99_030_000, 75, _SOCIAL, (1.7, 2.6)),
    "com-Orkut": Standin(3_070_000, 234_370_000, 1, _SOCIAL, (1.16, 1.51)),
    "com-Friendster": Standin(65_610_000, 3_610_000_000, 1, _SOCIAL, (1.24, 1.66)),
    "twitter7": Standin(41_650_000, 2_410_000_000, 1, _SOCIAL, (1.23, 1.64)),
    "hollywood-2009": Standin(1_140_000, 112_750_000, 44_508, _SOCIAL, (1.13, 1.42)),
    "cit-Patents": Standin(3_774_768, 33_037_894, 3_627, _CITATION, (1.2, 1.42)),
    "citationCiteseer": Standin(268_495, 2_313_294, 1, "ba({n},k=4)"),
    "coPapersDBLP": Standin(540_486, 30_491_458, 1, "cliques({n},29)"),
    "amazon0601": Standin(403_394, 4_886_816, 7, "ba({n},k=6)"),
    "internet": Standin(124_651, 387_240, 1, "ba({n},k=2)"),
    "as-skitter": Standin(1_696_415, 22_190_596, 756, "ba({n},k=6)"),
    "in-2004": Standin(1_382_908, 27_182_946, 134, _WEB),
    "indochina-2004": Standin(7_410_000, 301_970_000, 295, _WEB),
    "uk-2002": Standin(18_520_486, 523_574_516, 38_359, _WEB),
}


def _scale(text: str) -> float:
    value = _value(text, "scale", float)
    if not isinstance(value, int | float) or not 0 < value <= 1024:
        raise InputError(f"scale = {text} is not above 0 and at most 1024")
    return float(value)


def _standin_text(data_set: str, scale: float) -> str:
    """The generator call that stands in for ``data_set`` at this scale of its number of vertices."""
    row = STANDINS.get(data_set)
    if row is None:
        raise InputError(f"data set {data_set!r} is not one of {', '.join(STANDINS)}")
    factor = Fraction(scale)
    n = max(1, round(row.n * factor))
    low, high = map(Fraction, row.grow)
    ids = max(1, round(n * max(low, low + (high - low) * (n.bit_length() - 15) / 6)))
    return row.text.format(
        n=n,
        ids=ids,
        scale=(ids - 1).bit_length(),
        edges=round(row.arcs * factor / 2),
        components=max(1, round(row.components * factor)),
        side=max(1, round(math.sqrt(n))),
        power=max(0, (n * n * 2).bit_length() - 1 >> 1),
        d_avg=round(row.arcs / row.n, 2),
    )


def standin(data_set: str, scale: float = 1.0, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """The graph that stands in for a published data set, at ``scale`` times its number of vertices.

    The average degree is met to within about 15 % (internet: 30 %), and the number of components exactly for
    grids, meshes, roads and web graphs. Social and citation graphs get one giant component and, unlike the
    originals, only small ones made by chance; kron comes in powers of two. Name results
    ``like:<data set>@<scale>`` (:func:`canonical` gives that), never by the original name.
    """
    return generate(f"like:{data_set}@{_scale(str(scale))!r}", seed=seed, threads=threads)
