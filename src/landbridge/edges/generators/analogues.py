"""Synthetic analogues of published data sets: models of road maps, web crawls and co-author graphs, and a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from landbridge import _core
from landbridge.edges.forms import EdgeList
from landbridge.edges.generators.parameters import MOST, edges_of, integer, number, probability, seed_and_threads
from landbridge.edges.generators.random_graphs import gnm
from landbridge.errors import InputError


def road(n: int, d_avg: float = 2.4, chain: int = 1, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """A road-like map: a random spanning tree of a square grid plus some of its other edges.

    Connected, degrees at most 4, ``d_avg`` on average (expected). The tree is random inside tiles of 32 x 32 and random
    between tiles. ``chain`` > 1 replaces every edge by a path of about ``chain`` edges, whose vertices are numbered
    along it after all crossings: the long chains of bends in detailed maps. 1 byte of scratch per vertex.
    """
    seed, threads = seed_and_threads(seed, threads)
    n, chain = integer("n", n, 0), integer("chain", chain, 1, 1 << 20)
    half = Fraction(number("d_avg", d_avg, 2, 4)) / 2
    # Crossings and the edges between them, such that replacing edges by chains yields n vertices and n * half edges.
    slack = chain - (chain - 1) * half
    if slack <= 0 or half / slack > 2:
        raise InputError(f"d_avg = {d_avg} is more than a grid can have with chain = {chain}")
    inner = n
    if chain > 1 and n > 1:
        inner = max(2, math.floor(n / (1 + half / slack * (chain - 1))))
    b = math.isqrt(max(inner - 1, 0)) + 1
    rows = -(-inner // b)
    spare = (inner - rows) + max(inner - b, 0) - (inner - 1)  # edges of the grid that the tree does not use
    beside_tree = half / slack * inner - (inner - 1)
    extra = 0 if spare <= 0 else probability(max(Fraction(0), beside_tree / spare))
    return edges_of(_core.generate_road, n, n, inner, extra, seed, threads)


def web(
    n: int, d_avg: float = 20, components: int | None = None, local: float = 0.75, reach: int = 100, *,
    seed: int = 0, threads: int | None = None,
) -> EdgeList:  # fmt: skip
    """A web-like graph: short links, an R-MAT part with hubs at low ids, and small components at the end.

    About n d_avg / 2 edges. One component holds almost all vertices; the other ``components - 1`` (n / 2000 in all by
    default) have 1 to 3 vertices. A share ``local`` of the links ends within ``reach`` ids.
    """
    seed, threads = seed_and_threads(seed, threads)
    n = integer("n", n, 0)
    if components is None:
        components = max(n // 2000, min(n, 1))
    components = integer("components", components, min(n, 1), (n + 1) // 2)
    reach = integer("reach", reach, 1)
    local = number("local", local, 0, 1)
    m = math.floor(Fraction(number("d_avg", d_avg, 2, MOST)) * n / 2)
    integer("n * d_avg / 2", m, 0)
    if n == 0:
        return gnm(0, 0)
    small = components - 1
    core = n - 2 * small
    further = max(0, m - (core - 1) - small)
    return edges_of(_core.generate_web, n, core, small, further, probability(local), reach, seed, threads)


def cliques(n: int, size: int, layers: int = 2, *, seed: int = 0, threads: int | None = None) -> EdgeList:
    """Layers of disjoint cliques that cover all vertices: degree about layers * (size - 1).

    The cliques of the first layer have consecutive ids, those of the others random ones; two layers may repeat an edge.
    The last clique of a layer may be smaller.
    """
    seed, threads = seed_and_threads(seed, threads)
    n, size = integer("n", n, 0), integer("size", size, 1)
    layers = integer("layers", layers, 0, 1024)
    integer("n * size * layers", n * min(size, n) * layers, 0)
    return edges_of(_core.generate_cliques, n, n, size, layers, seed, threads)


@dataclass(frozen=True, slots=True)
class Analogue:
    """The synthetic analogue of a published data set.

    Attributes
    ----------
    n, arcs, components : int
        The published figures; arcs count both directions.
    text : str
        The generator call, in which ``{n}``, ``{edges}`` and ``{components}`` are n, arcs / 2 and components times the
        scale, ``{side}`` the square root of n, ``{power}`` its binary logarithm to the nearest, ``{ids}`` n times
        `growth`, and ``{scale}`` the number of bits of an id below that.
    growth : (float, float)
        Ids per vertex that has an edge, where isolated vertices are dropped: at 2^15 vertices and at 2^21; between,
        linear in the bits of n.
    """

    n: int
    arcs: int
    components: int
    text: str
    growth: tuple[float, float] = (1.0, 1.0)


_SOCIAL = "rmat({scale},n={ids},edges={edges},preset=graph500,isolated=drop)"
_CITATION = "rmat({scale},n={ids},edges={edges},preset=citation,isolated=drop)"
_WEB = "web({n},d_avg={d_avg},components={components})"

ANALOGUES: dict[str, Analogue] = {
    "2d-2e20.sym": Analogue(1_048_576, 4_190_208, 1, "grid2d({side},{side})"),
    "delaunay_n24": Analogue(16_777_216, 100_663_202, 1, "delaunay({n})"),
    "USA-road-d.NY": Analogue(264_346, 730_100, 1, "road({n},d_avg={d_avg})"),
    "USA-road-d.USA": Analogue(23_947_347, 57_708_624, 1, "road({n},d_avg={d_avg})"),
    "road_usa": Analogue(23_947_347, 57_708_624, 1, "road({n},d_avg={d_avg})"),
    "europe_osm": Analogue(50_912_018, 108_109_320, 1, "road({n},d_avg={d_avg},chain=7)"),
    "r4-2e23.sym": Analogue(8_388_608, 67_108_846, 1, "r4({n})"),
    "rmat16.sym": Analogue(65_536, 967_866, 3_900, "rmat({scale},n={n})"),
    "rmat22.sym": Analogue(4_194_304, 65_660_814, 428_640, "rmat({scale},n={n})"),
    "kron_g500-logn21": Analogue(2_097_152, 182_081_864, 553_159, "kron({power},edge_factor=48)"),
    "soc-LiveJournal1": Analogue(4_847_571, 85_702_474, 1_876, _SOCIAL, (1.71, 2.66)),
    "ljournal-2008": Analogue(5_360_000, 99_030_000, 75, _SOCIAL, (1.7, 2.6)),
    "com-Orkut": Analogue(3_070_000, 234_370_000, 1, _SOCIAL, (1.16, 1.51)),
    "com-Friendster": Analogue(65_610_000, 3_610_000_000, 1, _SOCIAL, (1.24, 1.66)),
    "twitter7": Analogue(41_650_000, 2_410_000_000, 1, _SOCIAL, (1.23, 1.64)),
    "hollywood-2009": Analogue(1_140_000, 112_750_000, 44_508, _SOCIAL, (1.13, 1.42)),
    "cit-Patents": Analogue(3_774_768, 33_037_894, 3_627, _CITATION, (1.2, 1.42)),
    "citationCiteseer": Analogue(268_495, 2_313_294, 1, "ba({n},k=4)"),
    "coPapersDBLP": Analogue(540_486, 30_491_458, 1, "cliques({n},29)"),
    "amazon0601": Analogue(403_394, 4_886_816, 7, "ba({n},k=6)"),
    "internet": Analogue(124_651, 387_240, 1, "ba({n},k=2)"),
    "as-skitter": Analogue(1_696_415, 22_190_596, 756, "ba({n},k=6)"),
    "in-2004": Analogue(1_382_908, 27_182_946, 134, _WEB),
    "indochina-2004": Analogue(7_410_000, 301_970_000, 295, _WEB),
    "uk-2002": Analogue(18_520_486, 523_574_516, 38_359, _WEB),
}
"""By data set: its published size and the generator call that keeps its degrees and component structure."""


def analogue_text(data_set: str, scale: float) -> str:
    """The generator call of the analogue of a data set, at a scale of its number of vertices.

    Raises
    ------
    InputError
        For a data set without an analogue.
    """
    row = ANALOGUES.get(data_set)
    if row is None:
        raise InputError(f"data set {data_set!r} is not one of {', '.join(ANALOGUES)}")
    factor = Fraction(scale)
    n = max(1, round(row.n * factor))
    low, high = map(Fraction, row.growth)
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
