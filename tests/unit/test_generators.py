"""The generators: reproducible graphs of the requested properties, and errors that name the parameter."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay

from landbridge import _core
from landbridge.edges import generators as g
from landbridge.edges.forms import EdgeList
from landbridge.errors import InputError

GOLDEN = Path(__file__).parent.parent / "golden" / "generators.json"

# One small call of every generator, and further ones for the branches inside; each is larger than the piece
# of work one thread takes where the generator is parallel.
CALLS = [
    "gnm(50000,100000)", "gnm(400,70000)", "gnp(30000,2e-4)", "gnp(500,0.9)",
    "rmat(15)", "rmat(16,n=40000,preset=gtgraph,seed=3)", "rmat(15,isolated=drop)", "kron(15,edge_factor=4)",
    "ba(40000,k=3)", "grid2d(300,200)", "grid2d(300,200,permute=true)", "torus2d(200,300)",
    "trigrid(200,200)", "delaunay(20000)",
    "percolation(300,300,0.5)", "r4(20000)", "uniform(50000,k=2)", "road(40000)",
    "road(100000,d_avg=2.12,chain=7)",
    "web(40000,d_avg=6)", "cliques(9000,9)", "tiny(100000)", "tiny(70001,smallest=1,largest=3,permute=true)",
    "list_graph(70000,count=9)", "tree_graph(30000,count=5,k=3)", "density_graph(100000)",
    "density_graph(100000,count=64,seed=9)", f"grid2d(5,7,permute=true,seed={2**64 - 1})",
]  # fmt: skip
LISTS = [(70_000, 0, 1), (70_000, 5, 1000), (10, 1, 10), (1, 0, 1), (0, 0, 0)]


def digest(*arrays: NDArray[Any]) -> str:
    """A digest of the values, independent of the byte order of the machine."""
    h = hashlib.sha256()
    for a in arrays:
        h.update(a.astype("<i8").tobytes())
    return h.hexdigest()[:16]


def arcs(e: EdgeList) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """n and the distinct arcs in both directions, without loops, sorted."""
    assert e.num_vertices is not None
    n = e.num_vertices
    u, v = e.u.astype(np.int64), e.v.astype(np.int64)
    if len(u):
        assert min(u.min(), v.min()) >= 0
        assert max(u.max(), v.max()) < n
    u, v = u[u != v], v[u != v]
    key = np.unique(np.concatenate([u * n + v, v * n + u]))
    return n, key // max(n, 1), key % max(n, 1)


def components(e: EdgeList) -> NDArray[np.int64]:
    """The sizes of the components, largest first."""
    n, u, v = arcs(e)
    if n == 0:
        return np.zeros(0, np.int64)
    labels = connected_components(coo_array((np.ones(len(u), np.int8), (u, v)), shape=(n, n)))[1]
    return np.sort(np.bincount(labels))[::-1]


def degrees(e: EdgeList) -> NDArray[np.int64]:
    n, u, _ = arcs(e)
    return np.bincount(u, minlength=n)


def is_simple(e: EdgeList) -> bool:
    return len(arcs(e)[1]) == 2 * len(e.u)


def golden() -> dict[str, str]:
    digests: dict[str, str] = json.loads(GOLDEN.read_text())
    return digests


def compute_golden() -> dict[str, str]:
    """The content of golden/generators.json: running this file writes it."""
    out = {}
    for text in CALLS:
        e = g.generate(text, threads=1)
        out[text] = digest(e.u, e.v)
    for n, seed, lists in LISTS:
        out[f"linked_list({n},{seed},{lists})"] = digest(g.linked_list(n, seed, lists, threads=1))
    return out


@pytest.mark.parametrize("text", CALLS)
def test_same_edges_for_any_number_of_threads_and_as_ever(text: str) -> None:
    expected = golden()[text]
    for threads in (1, 2, 3, 7):
        e = g.generate(text, threads=threads)
        assert e.u.dtype == e.v.dtype == np.int32
        assert digest(e.u, e.v) == expected, threads


@pytest.mark.parametrize(("n", "seed", "lists"), LISTS)
def test_same_lists_for_any_number_of_threads_and_as_ever(n: int, seed: int, lists: int) -> None:
    expected = golden()[f"linked_list({n},{seed},{lists})"]
    for threads in (1, 2, 3, 7):
        assert digest(g.linked_list(n, seed, lists, threads=threads)) == expected, threads


def test_golden_covers_every_generator() -> None:
    assert {text.split("(")[0] for text in CALLS} == set(g.GENERATORS)
    assert len(golden()) == len(CALLS) + len(LISTS)


RANDOM = [t for t in CALLS if t.split("(")[0] not in ("grid2d", "torus2d", "trigrid")]


@pytest.mark.parametrize("text", RANDOM)
def test_another_seed_gives_another_graph(text: str) -> None:
    one, two = g.generate(text, seed=101), g.generate(text, seed=102)
    assert digest(one.u, one.v) != digest(two.u, two.v)


def test_grid_has_the_published_size() -> None:
    e = g.grid2d(1024, 1024)
    assert (e.num_vertices, len(e.u)) == (1_048_576, 4_190_208 // 2)
    right = e.v == e.u + 1
    assert right.sum() == (~right).sum() == 1024 * 1023
    assert np.all(e.u[right] % 1024 != 1023)
    assert np.array_equal(e.v[~right], e.u[~right] + 1024)


@pytest.mark.parametrize(("a", "b"), [(0, 5), (5, 0), (1, 1), (1, 6), (6, 1), (2, 2), (2, 5), (5, 2), (3, 3), (4, 7)])
def test_lattices_by_definition(a: int, b: int) -> None:
    cells = [(r, c) for r in range(a) for c in range(b)]
    grid, torus, tri = set(), set(), set()
    for r, c in cells:
        for x, y in ((r, c + 1), (r + 1, c), (r + 1, c + 1)):
            diagonal = x != r and y != c
            if x < a and y < b:
                (set() if diagonal else grid).add(frozenset((r * b + c, x * b + y)))
                tri.add(frozenset((r * b + c, x * b + y)))
            if not diagonal:
                torus.add(frozenset((r * b + c, x % a * b + y % b)))
    torus = {p for p in torus if len(p) == 2}
    for make, expected in ((g.grid2d, grid), (g.torus2d, torus), (g.trigrid, tri)):
        e = make(a, b)
        assert e.num_vertices == a * b
        assert len(e.u) == len(expected)
        assert {frozenset(p) for p in zip(e.u.tolist(), e.v.tolist(), strict=True)} == expected
        p = make(a, b, True, seed=4)
        assert sorted(degrees(p)) == sorted(degrees(e))
        assert components(p).tolist() == components(e).tolist()


def test_permuted_ids_are_a_permutation() -> None:
    plain, permuted = g.grid2d(40, 50), g.grid2d(40, 50, True)
    rename = dict(zip(plain.u.tolist(), permuted.u.tolist(), strict=True))
    rename |= dict(zip(plain.v.tolist(), permuted.v.tolist(), strict=True))
    assert sorted(rename) == sorted(rename.values()) == list(range(2000))
    assert np.mean([rename[x] == x for x in rename]) < 0.01


def test_small_permutations_are_fair() -> None:
    # 4! orders of a list of 5 elements (the first is fixed): chi squared, 23 degrees of freedom.
    counts: dict[bytes, int] = {}
    for seed in range(4800):
        key = g.linked_list(5, seed).tobytes()
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 24
    assert sum((x - 200) ** 2 / 200 for x in counts.values()) < 60


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (2, 1), (5, 10), (5, 6), (5, 4), (1000, 0), (2000, 1_500_000)])
def test_gnm_has_exactly_m_distinct_edges(n: int, m: int) -> None:
    e = g.gnm(n, m)
    assert (e.num_vertices, len(e.u)) == (n, m)
    assert np.all(e.u < e.v)
    key = e.u.astype(np.int64) * n + e.v
    assert np.all(np.diff(key) > 0)


def test_gnm_pairs_are_equally_likely() -> None:
    for m in (3, 7):  # below and above half of all 10 pairs
        counts = np.zeros((5, 5))
        for seed in range(3000):
            e = g.gnm(5, m, seed=seed)
            counts[e.u, e.v] += 1
        expected = 3000 * m / 10
        assert ((counts[np.triu_indices(5, 1)] - expected) ** 2 / expected).sum() < 35  # 9 degrees of freedom


@pytest.mark.parametrize("p", [0.0, 1e-300, 1e-9, 1e-4, 0.03, 0.5, 0.97, 1.0])
def test_gnp_has_the_expected_number_of_edges(p: float) -> None:
    n = 20_000 if p < 0.01 else 1500
    e = g.gnp(n, p)
    assert np.all(e.u > e.v)
    key = e.u.astype(np.int64) * n + e.v
    assert np.all(np.diff(key) > 0)
    pairs = n * (n - 1) / 2
    assert abs(len(e.u) - p * pairs) <= 5 * math.sqrt(pairs * p * (1 - p)) + 1e-6


def test_gnp_gaps_are_geometric() -> None:
    for p in (0.2, 0.01, 0.0007):  # one and two digits of the gap
        n = 600 if p > 0.1 else 4000
        e = g.gnp(n, p, seed=6)
        gaps = np.diff(e.u.astype(np.int64) * (e.u - 1) // 2 + e.v) - 1
        for t in (1, 3, 100, 256, 700):
            expected = (1 - p) ** t
            error = math.sqrt(expected * (1 - expected) / len(gaps))
            assert abs(np.mean(gaps >= t) - expected) < 4.5 * error + 1e-9, (p, t)


def test_gnp_pairs_are_independent() -> None:
    patterns = np.zeros(64, np.int64)
    for seed in range(6400):
        e = g.gnp(4, 0.5, seed=seed)
        patterns[sum(1 << int(u * (u - 1) // 2 + v) for u, v in zip(e.u, e.v, strict=True))] += 1
    assert ((patterns - 100) ** 2 / 100).sum() < 125  # 63 degrees of freedom


def test_rmat_reproduces_the_published_graph() -> None:
    e = g.rmat(16)
    assert (e.num_vertices, len(e.u)) == (65_536, 8 * 65_536)
    d = degrees(e)
    assert abs(d.sum() - 969_060) < 2_000
    assert 450 < d.max() < 650
    assert abs(len(components(e)) - 4_228) < 150


def test_rmat_quadrants_have_the_given_chances() -> None:
    chances = (0.5, 0.25, 0.15, 0.1)
    a, b, c, d = chances
    for scale in (1, 2, 3, 4, 8, 13):  # whole and partial groups of levels
        e = g.rmat(scale, edges=100_000, a=a, b=b, c=c, d=d)
        for level in range(scale):
            quadrant = (e.u >> level & 1) * 2 + (e.v >> level & 1)
            share = np.bincount(quadrant, minlength=4) / 100_000
            assert np.abs(share - chances).max() < 0.008, (scale, level)


def test_rmat_draws_again_above_n() -> None:
    e = g.rmat(10, n=600, edges=50_000)
    assert (e.num_vertices, len(e.u)) == (600, 50_000)
    assert max(e.u.max(), e.v.max()) == 599
    full = g.rmat(10, edges=50_000)
    inside = (full.u < 600) & (full.v < 600)
    assert np.array_equal(full.u[inside], e.u[inside])


def test_isolated_vertices_can_be_dropped_in_order() -> None:
    keep, drop = g.rmat(12), g.rmat(12, isolated="drop")
    used, inverse = np.unique(np.concatenate([keep.u, keep.v]), return_inverse=True)
    assert drop.num_vertices == len(used) < 4096
    assert np.array_equal(np.concatenate([drop.u, drop.v]), inverse)


def test_kron_leaves_the_expected_share() -> None:
    # The Graph500 model at scale 14 keeps 81 % of 16 draws per vertex; ids carry no trace of the degree.
    e = g.kron(14)
    assert len(e.u) == 16 << 14
    d = degrees(e)
    assert d.sum() / (32 << 14) == pytest.approx(0.81, abs=0.01)
    assert abs(np.corrcoef(np.arange(1 << 14), d)[0, 1]) < 0.03
    plain = degrees(g.rmat(14, 16, preset="graph500"))
    assert sorted(plain) == sorted(d)


def test_ba_attaches_to_earlier_vertices_by_degree() -> None:
    n, k = 50_000, 4
    e = g.ba(n, k)
    assert np.array_equal(e.u, np.repeat(np.arange(n), k))
    assert np.all(e.v <= e.u)
    assert len(components(e)) == 1
    d = degrees(e)
    # The share of degrees of at least x falls like x^-2: (k (k + 1) / (x (x + 1))).
    for x in (10, 30):
        assert np.mean(d >= x) == pytest.approx(k * (k + 1) / (x * (x + 1)), rel=0.15)


def test_percolation_keeps_the_share() -> None:
    e = g.percolation(500, 500, 0.3)
    assert abs(len(e.u) - 0.3 * 499_000) < 5 * math.sqrt(0.21 * 499_000)
    assert len(g.percolation(30, 30, 0).u) == 0
    assert len(g.percolation(30, 30, 1).u) == len(g.grid2d(30, 30).u)
    assert components(g.percolation(400, 400, 0.7))[0] > 0.9 * 160_000


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 20_000])
def test_r4_is_connected(n: int) -> None:
    e = g.r4(n)
    assert len(e.u) == 4 * n
    assert len(components(e)) == min(n, 1)
    if n > 1000:
        d = degrees(e)
        assert d.min() >= 2
        assert d.mean() == pytest.approx(8, rel=0.01)


def test_uniform_ends_are_uniform() -> None:
    n = 100_003
    e = g.uniform(n, 4)
    assert (e.num_vertices, len(e.u)) == (n, 4 * n)
    for end in (e.u, e.v):
        share = np.histogram(end, bins=10, range=(0, n))[0] / (4 * n)
        assert np.abs(share - 0.1).max() < 0.004
    assert abs(len(components(e)) - 1 - n * math.exp(-8)) < 25


def triangles_of(n: int, u: NDArray[Any], v: NDArray[Any]) -> list[tuple[int, int, int]]:
    """All triples of vertices that are joined in pairs."""
    near = [set[int]() for _ in range(n)]
    for a, b in zip(u.tolist(), v.tolist(), strict=True):
        near[a].add(b)
        near[b].add(a)
    return [
        (a, b, c) for a in range(n) for b in near[a] if b > a for c in near[a] & near[b] if c > b
    ]  # fmt: skip


@pytest.mark.parametrize("n", [4, 5, 17, 300, 5000])
def test_delaunay_agrees_with_qhull(n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, 1 << 30, (2, n), dtype=np.int32)
    u, v = _core.delaunay_of(x, y, 1)
    mesh = Delaunay(np.column_stack([x, y]).astype(np.float64))
    expected = {frozenset((int(t[i]), int(t[i - 1]))) for t in mesh.simplices for i in range(3)}
    assert len(u) == len(expected)
    assert {frozenset(p) for p in zip(u.tolist(), v.tolist(), strict=True)} == expected


def point_sets() -> dict[str, list[tuple[int, int]]]:
    """Points on common lines and circles."""
    far = (1 << 30) - 1
    rng = np.random.default_rng(5)
    dense = np.unique(rng.integers(0, 12, (90, 2)), axis=0)
    return {
        "grid": [(x, y) for x in range(7) for y in range(9)],
        "far grid": [(x * far // 4, y * far // 4) for x in range(5) for y in range(5)],
        "corners": [(0, 0), (far, 0), (0, far), (far, far)],
        "corners and middle": [(0, 0), (far, 0), (0, far), (far, far), (far // 2, far // 2)],
        "a line and one": [(i * 3, i * 5) for i in range(20)] + [(0, 50)],
        "a line in the middle": [(50, 0), (50, 100), *((i, 50) for i in range(0, 101, 5) if i != 50)],
        "circle": [(65 + x, 65 + y) for x in range(-65, 66) for y in range(-65, 66) if x * x + y * y == 65 * 65],
        "many in few places": [(int(a), int(b)) for a, b in dense],
    }


@pytest.mark.parametrize("name", list(point_sets()))
def test_delaunay_of_points_on_lines_and_circles(name: str) -> None:
    points = point_sets()[name]
    n = len(points)
    x, y = np.array(points, np.int32).T.copy()
    u, v = _core.delaunay_of(x, y, 2)

    def turn(a: int, b: int, c: int) -> int:
        (ax, ay), (bx, by), (cx, cy) = points[a], points[b], points[c]
        return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)

    def inside(a: int, b: int, c: int, p: int) -> bool:
        px, py = points[p]
        rows = [(points[i][0] - px, points[i][1] - py) for i in (a, b, c)]
        (ax, ay), (bx, by), (cx, cy) = rows
        lifted = [r * r + s * s for r, s in rows]
        d = lifted[0] * (bx * cy - cx * by) + lifted[1] * (cx * ay - ax * cy) + lifted[2] * (ax * by - bx * ay)
        return d * turn(a, b, c) > 0

    # Euler: the edges of a triangulation are 3 n - 3 less one for each point on the border of the hull.
    hull = sum(
        all(turn(i, j, k) <= 0 for k in range(n))
        and not any(turn(i, j, k) == 0 and between(points, i, j, k) for k in range(n) if k not in (i, j))
        for i in range(n)
        for j in range(n)
        if i != j
    )
    assert len(u) == 3 * n - 3 - hull
    # Two triangles lie on every edge inside and one on every edge of the hull; all others that its vertices
    # form are not empty. Empty ones must fill the hull exactly.
    empty = [
        t for t in triangles_of(n, u, v)
        if turn(*t) != 0 and not any(inside(*t, p) for p in range(n) if p not in t)
    ]  # fmt: skip
    assert len(empty) == 2 * n - 2 - hull


def between(points: list[tuple[int, int]], i: int, j: int, k: int) -> bool:
    """Whether point k, on the line through i and j, lies between them."""
    (ax, ay), (bx, by), (px, py) = points[i], points[j], points[k]
    return (px - ax) * (px - bx) + (py - ay) * (py - by) < 0


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_delaunay_of_points_on_one_line_is_a_path(n: int) -> None:
    order = np.random.default_rng(1).permutation(n).astype(np.int32)
    u, v = _core.delaunay_of(order * 7, order * 3, 1)
    assert sorted(zip(*np.sort([order[u], order[v]], axis=0), strict=True)) == [(i, i + 1) for i in range(n - 1)]


def test_delaunay_refuses_points_it_cannot_tell_apart() -> None:
    x = np.array([1, 5, 9, 5, 2], np.int32)
    with pytest.raises(ValueError, match="points 1 and 3 are the same"):
        _core.delaunay_of(x, x, 1)
    with pytest.raises(ValueError, match="point 2: coordinate -4"):
        _core.delaunay_of(np.array([0, 1, -4], np.int32), np.array([0, 1, 2], np.int32), 1)
    with pytest.raises(ValueError, match="differ in length"):
        _core.delaunay_of(x, x[:2].copy(), 1)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 100, 50_000])
def test_delaunay_is_a_planar_mesh(n: int) -> None:
    e = g.delaunay(n)
    assert np.all(e.u < e.v)
    assert is_simple(e)
    assert len(components(e)) == min(n, 1)
    if n >= 3:
        assert 2 * n - 3 <= len(e.u) <= 3 * n - 6
    if n == 50_000:
        d = degrees(e)
        assert d.min() >= 3
        assert d.max() < 20
        assert d.mean() == pytest.approx(6, abs=0.01)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 31, 33, 1000, 1025, 5000, 123_457])
@pytest.mark.parametrize(("d_avg", "chain"), [(2.0, 1), (2.4, 1), (2.8, 1), (2.12, 7)])
def test_road_is_connected_and_sparse(n: int, d_avg: float, chain: int) -> None:
    e = g.road(n, d_avg, chain)
    assert e.num_vertices == n
    assert is_simple(e)
    assert len(components(e)) == min(n, 1)
    if n > 0:
        assert degrees(e).max() <= 4
    if n >= 100_000:
        assert 2 * len(e.u) / n == pytest.approx(d_avg, abs=0.02)
    if d_avg == 2 and n:
        assert n - 1 <= len(e.u) < n + 8  # the tree, and one more expected


def test_road_chains_have_consecutive_ids() -> None:
    e = g.road(100_000, 2.12, 7)
    assert np.mean(np.abs(e.u - e.v) == 1) > 0.6


@pytest.mark.parametrize(("n", "components_"), [(1, 1), (2, 1), (50, 9), (3000, 40), (60_000, 501)])
def test_web_has_the_components_asked_for(n: int, components_: int) -> None:
    e = g.web(n, 10, components_)
    sizes = components(e)
    assert len(sizes) == components_
    assert sizes[0] == n - 2 * (components_ - 1)
    assert np.all(sizes[1:] <= 3)
    if n == 60_000:
        assert len(e.u) == 300_000
        assert np.mean(np.abs(e.u - e.v) <= 100) > 0.75


@pytest.mark.parametrize(("n", "size", "layers"), [(0, 4, 2), (10, 1, 2), (10, 4, 1), (1000, 8, 2), (7, 20, 1)])
def test_cliques_cover_in_layers(n: int, size: int, layers: int) -> None:
    e = g.cliques(n, size, layers)
    whole, rest = divmod(n, size)
    assert len(e.u) == layers * (whole * math.comb(size, 2) + math.comb(rest, 2))
    one = g.cliques(n, size, 1)
    assert is_simple(one)
    assert components(one).tolist() == [size] * whole + [rest] * (rest > 0)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9, 32_768, 32_769, 100_000])
def test_tiny_components_have_two_to_eight_vertices(n: int) -> None:
    e = g.tiny(n)
    sizes = components(e)
    assert len(e.u) == n - len(sizes)  # trees
    assert np.all(sizes <= 8)
    assert (sizes == 1).sum() == (1 if n % 32_768 == 1 else 0)
    if n == 100_000:
        assert np.abs(np.bincount(sizes, minlength=9)[2:] / len(sizes) - 1 / 7).max() < 0.02


@pytest.mark.parametrize(("n", "count"), [(0, 0), (1, 1), (10, 10), (10, 3), (50_000, 1), (50_000, 977)])
def test_list_graph_is_paths(n: int, count: int) -> None:
    e = g.list_graph(n, count)
    sizes = components(e)
    assert len(sizes) == count
    assert len(e.u) == n - count
    if n:
        assert degrees(e).max() <= 2
        assert sizes[0] - sizes[-1] <= 1


@pytest.mark.parametrize(
    ("n", "count", "k"), [(0, 0, 2), (1, 1, 1), (9, 9, 3), (5000, 1, 1), (5000, 7, 2), (5000, 3, 20)]
)
def test_tree_graph_is_trees_with_at_most_k_children(n: int, count: int, k: int) -> None:
    e = g.tree_graph(n, count, k)
    assert len(components(e)) == count
    assert len(e.u) == n - count
    if n > count:
        assert np.bincount(e.u).max() <= k
        assert np.bincount(e.v).max() == 1  # one parent
        if n == 5000:
            assert np.bincount(e.u).max() == min(k, np.bincount(e.u).max())


def test_density_graph_follows_the_formula() -> None:
    e = g.density_graph(64_000, 0.001)
    assert e.num_vertices == 5656  # sqrt(64,000 / 0.002)
    assert len(e.u) == 32_000
    parts = g.density_graph(64_000, 0.001, 10)
    assert len(parts.u) == 32_000
    assert is_simple(parts)
    bounds = [5656 * j // 10 for j in range(11)]
    assert np.array_equal(np.searchsorted(bounds, parts.u, "right"), np.searchsorted(bounds, parts.v, "right"))
    assert len(g.density_graph(0).u) == 0


@pytest.mark.parametrize(("n", "lists"), [(1, 1), (2, 1), (10, 3), (10, 10), (100_000, 1), (100_000, 77)])
def test_linked_lists_visit_everything_once(n: int, lists: int) -> None:
    s = g.linked_list(n, 3, lists)
    assert s.shape == (n,)
    assert s.dtype == np.int32
    tails = np.flatnonzero(s == np.arange(n))
    assert len(tails) == lists
    followers = np.bincount(np.delete(s, tails), minlength=n)
    assert followers.max(initial=0) <= 1
    heads = np.flatnonzero(followers == 0)
    assert heads[0] == 0
    assert len(heads) == lists
    lengths = []
    for x in heads.tolist():
        length, at = 1, x
        while s[at] != at:
            at = int(s[at])
            length += 1
        lengths.append(length)
    assert sum(lengths) == n
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize("text", [f"gnm({2**32},1000)", f"gnm({2**31},7)", "rmat(32,edges=1000)"])
def test_large_ids_are_64_bits(text: str) -> None:
    e = g.generate(text)
    assert e.u.dtype == e.v.dtype == np.int64
    assert e.v.max() > 2**30
    assert e.num_vertices is not None
    assert max(e.u.max(), e.v.max()) < e.num_vertices
    assert g.gnm(2**31 - 1, 3).u.dtype == np.int32


BAD: list[tuple[str, str]] = [
    ("gnm(-1,0)", "n = -1"),
    ("gnm(5,11)", "m = 11 is more than the 10 pairs of n = 5"), ("gnm(5,-2)", "m = -2"),
    ("gnp(10,1.5)", "p = 1.5"), ("gnp(10,-0.1)", "p = -0.1"), ("gnp(10,nan)", "p = nan"),
    (f"gnp({2**33},0)", f"n = {2**33}"), ("rmat(40)", "scale = 40"), ("rmat(4,n=17)", "n = 17"),
    ("rmat(4,n=8)", "n = 8"), ("rmat(4,edge_factor=-1)", "edge_factor = -1.0"),
    ("rmat(4,preset=x)", "preset = 'x'"),
    ("rmat(4,a=0.5,b=0.5,c=0.5,d=0.5)", "is not 1"), ("rmat(4,a=0.5)", "give all four"),
    ("rmat(4,isolated=maybe)", "isolated = 'maybe'"), ("rmat(4,a=2,b=-1,c=0,d=0)", "a = 2.0"),
    ("rmat(4,n=9,a=0,b=0.5,c=0.5,d=0)", "a = 0.0"), ("kron(33)", "scale = 33"), ("ba(-3)", "n = -3"),
    ("ba(10,k=-1)", "k = -1"), ("grid2d(-1,4)", "a = -1"), ("grid2d(2^40,2^40)", "a * b = "),
    ("percolation(3,3,2)", "p = 2.0"), ("uniform(4,k=-2)", "k = -2.0"), ("road(10,d_avg=1)", "d_avg = 1.0"),
    ("road(10,d_avg=3,chain=9)", "d_avg = 3.0"), ("road(10,chain=0)", "chain = 0"),
    ("web(10,components=9)", "components = 9"), ("web(10,local=2)", "local = 2.0"),
    ("web(10,d_avg=1)", "d_avg = 1.0"),
    ("cliques(5,0)", "size = 0"), ("tiny(9,smallest=9)", "smallest = 9"),
    ("tiny(9,largest=0)", "largest = 0"),
    ("list_graph(5,count=6)", "count = 6"), ("list_graph(5,count=0)", "count = 0"),
    ("delaunay(-1)", "n = -1"), ("tree_graph(5,k=0)", "k = 0"), ("density_graph(100,delta=0)", "delta = 0.0"),
    ("density_graph(100000,count=1024)", "count = 1024"), ("gnm(3,1,seed=-1)", "seed = -1"),
    (f"gnm(3,1,seed={2**64})", f"seed = {2**64}"),
    ("nosuch(3)", "'nosuch'"), ("gnm(3", "form name(value"), ("gnm(3)", "needs a value for m"),
    ("gnm(3,1,1)", "takes 2 values"), ("gnm(3,n=4)", "n twice"), ("gnm(3,q=1)", "no parameter 'q'"),
    ("gnm(n=3,1,)", "argument 3"), ("gnm(m=1,3)", "needs its name"), ("gnm(3.5,1)", "n = '3.5'"),
    ("gnm(1e400,1)", "n = '1e400'"), ("gnp(3,x)", "p = 'x'"), ("grid2d(3,3,permute=2)", "permute = '2'"),
    ("__import__('os')", "'__import__'"), ("a.b(3)", "not of the form"), ("gnm(3,(1))", "m = '(1)'"),
    ("like:nosuch@1", "data set 'nosuch'"),
    ("like:road_usa@0", "scale = 0"), ("like:road_usa@x", "scale = 'x'"),
    ("like:road_usa", "not of the form"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD)
def test_bad_parameters_are_named_with_their_value(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        g.generate(text)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_bad_types_are_named() -> None:
    for bad in (True, 2.0, "3", None):
        with pytest.raises(InputError, match="n = "):
            g.gnm(bad, 0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="p = "):
        g.gnp(3, "x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threads = 0"):
        g.gnm(3, 1, threads=0)
    with pytest.raises(InputError, match="lists = 4"):
        g.linked_list(3, lists=4)
    with pytest.raises(InputError, match="data set"):
        g.analogue("nosuch")


def test_the_text_calls_the_function() -> None:
    for text, e in (
        ("rmat(scale=10,edge_factor=4.5,seed=1)", g.rmat(10, 4.5, seed=1)),
        (" rmat ( 2^3 , preset = graph500 ) ", g.rmat(8, preset="graph500")),
        ("grid2d(1e1,b=2**3,permute=True)", g.grid2d(10, 8, True)),
        ("gnm(1_000,50,seed=7)", g.gnm(1000, 50, seed=7)),
    ):
        edges = g.generate(text)
        assert edges.num_vertices == e.num_vertices
        assert np.array_equal(edges.u, e.u)
        assert np.array_equal(edges.v, e.v)
    assert digest(g.generate("gnm(99,50,seed=7)", seed=8).u) == digest(g.gnm(99, 50, seed=8).u)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" rmat( scale=20, edge_factor=8.0, seed=1 )", "rmat(20,seed=1)"),
        ("rmat(20,edge_factor=16)", "rmat(20,edge_factor=16)"),
        ("grid2d(b=2^10,a=1024,permute=false)", "grid2d(1024,1024)"),
        ("gnp(1e3,p=0.000010,seed=0)", "gnp(1000,1e-05)"),
        ("grid2d(3,3,permute=1)", "grid2d(3,3,permute=true)"),
        ("like:road_usa@0.10", "like:road_usa@0.1"),
        ("like:road_usa@1.0,seed=4", "like:road_usa@1,seed=4"),
    ],
)
def test_canonical_text(text: str, expected: str) -> None:
    assert g.canonical(text) == expected
    assert g.canonical(expected) == expected


@pytest.mark.parametrize("text", CALLS)
def test_canonical_text_makes_the_same_graph(text: str) -> None:
    one, two = g.generate(text), g.generate(g.canonical(text))
    assert digest(one.u, one.v) == digest(two.u, two.v)


def test_registry_describes_every_generator() -> None:
    for name, row in g.GENERATORS.items():
        assert getattr(g, name) is row.function
        assert row.name == name
        assert row.summary.endswith((".", ":"))
        assert row.source
        assert all(p.kind in (int, float, bool, str) for p in row.parameters)
        assert all(p.required == (p.default is None) or p.default is None for p in row.parameters)
        assert not any(p.name in ("seed", "threads") for p in row.parameters)


@pytest.mark.parametrize("data_set", list(g.ANALOGUES))
def test_analogues_keep_the_degree(data_set: str) -> None:
    row = g.ANALOGUES[data_set]
    scale = 20_000 / row.n
    e = g.analogue(data_set, scale, seed=2)
    n = e.num_vertices
    assert n is not None
    slack = 1.7 if data_set.startswith("kron") else 1.15  # kron has powers of two
    assert 20_000 / slack < n < 20_000 * slack
    assert 2 * len(e.u) / n == pytest.approx(row.arcs / row.n, rel=0.35)
    again = g.generate(f"like:{data_set}@{scale!r},seed=2")
    assert digest(e.u, e.v) == digest(again.u, again.v)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("spread", ["even", "few", "skewed", "equal", "ascending", "low bits"])
@pytest.mark.parametrize("n", [0, 1, 2, 300, 65_536, 300_001])
def test_keys_are_sorted_and_repeats_removed(n: int, spread: str, threads: int) -> None:
    rng = np.random.default_rng(n)
    keys = rng.integers(0, 1 << 64, n, dtype=np.uint64)
    bits = 64
    if spread == "few":
        keys, bits = keys % np.uint64(1000), 10
    elif spread == "skewed":  # most keys share their leading bits: the bucket they fall in is split again
        keys[n // 10 :] >>= np.uint64(25)
    elif spread == "equal":
        keys[:] = 2**63 + 5
    elif spread == "ascending":
        keys.sort()
    elif spread == "low bits":
        keys, bits = keys >> np.uint64(41), 23
    assert np.array_equal(_core.distinct_keys(keys, bits, threads), np.unique(keys))


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(compute_golden(), indent=2) + "\n")
