"""Edge lists on a GPU that consist of rows: sorted by first endpoints, each edge in both directions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.zoo import zoo

import landbridge
from benchmarks.zoo.cells import draw
from landbridge import Graph, InputError
from landbridge.device import graphs

pytestmark = pytest.mark.gpu

STRUCTURES = (
    "uniform-16", "rmat", "grid", "path", "star-middle", "cliques-8", "ring-8", "pairs", "duplicates", "critical",
)  # fmt: skip
PLANS = ("auto", "bfs+rem_cas(naive,halve_one)", "rem_cas(naive,halve_one)@gpu(start=hook)", "async(halve)", "bfscc")


@pytest.fixture
def cupy() -> Any:
    from landbridge.device import cuda

    return cuda.cupy()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of few edges are taken for rows, too."""
    monkeypatch.setattr(graphs, "_ROWS_FROM", 0)


def in_rows(u: Any, v: Any) -> tuple[Any, Any]:
    """Each edge in both directions, sorted by first endpoints; the others of a row in any order."""
    a, b = np.concatenate([u, v]), np.concatenate([v, u])
    order = np.argsort(a, kind="stable")
    return a[order], b[order]


def expect_rows(graph: Graph, u: Any) -> None:
    assert graph.rows is not None and graph.layout == "coo" and graph.symmetric
    expected = np.searchsorted(u, np.arange(graph.num_vertices + 1))
    assert np.array_equal(graph.rows.offsets.get(), expected)
    assert graph.rows.a.data.ptr == graph.b.data.ptr
    assert graph.to_rows() is graph.rows


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_rows_of_every_specimen(cupy: Any, few: None, dtype: str) -> None:
    for specimen in zoo():
        u, v = (x.astype(dtype) for x in in_rows(specimen.u, specimen.v))
        graph = Graph((cupy.asarray(u), cupy.asarray(v)), num_vertices=specimen.n)
        if 0 < len(u) >= specimen.n:
            expect_rows(graph, u)
        for plan in ("auto", "async(halve)"):
            result = landbridge.components(graph, plan=plan)
            assert result.count == specimen.count
            assert np.array_equal(cupy.asnumpy(result.labels), specimen.answer)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("order", ["natural", "permuted"])
def test_plans_take_the_rows(cupy: Any, few: None, structure: str, order: str) -> None:
    drawn = draw(f"{structure}/{order}/pairs-sorted/1e6")
    u, v = in_rows(*drawn.pairs())
    graph = Graph((cupy.asarray(u), cupy.asarray(v)), num_vertices=drawn.n)
    expected = landbridge.components((u, v), num_vertices=drawn.n, device="cpu")
    expect_rows(graph, u)
    for plan in PLANS:
        result = landbridge.components(graph, plan=plan)
        assert result.count == expected.count, plan
        assert np.array_equal(result.labels.get(), expected.labels), plan
    listed = landbridge.components(graph, plan="rem_cas(naive,halve_one)@gpu(layout=coo)")
    assert np.array_equal(listed.labels.get(), expected.labels)
    forest = landbridge.spanning_forest(graph)
    arrays = tuple(x.get() for x in (forest.u, forest.v, forest.edge))
    landbridge.check_forest(Graph((u, v), num_vertices=drawn.n), arrays)


def test_rows_that_are_empty(cupy: Any, few: None) -> None:
    u, v = in_rows(np.array([70, 71, 70, 900_000] * 300_000), np.array([71, 72, 70, 900_001] * 300_000))
    for n in (900_002, 1_500_000):
        graph = Graph((cupy.asarray(u), cupy.asarray(v)), num_vertices=n)
        expect_rows(graph, u)
        assert landbridge.components(graph).count == n - 3


def test_what_is_not_rows(cupy: Any, few: None) -> None:
    n = 2000
    rng = np.random.default_rng(1)
    u, v = in_rows(rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n))
    other = np.flatnonzero(u != v)[500]
    cycle = np.arange(n)
    lists = {
        "a missing direction": (np.delete(u, other), np.delete(v, other)),
        "one direction twice": (np.insert(u, other, u[other]), np.insert(v, other, v[other])),
        "another neighbour": (u, np.where(np.arange(len(v)) == other, (v + 1) % n, v)),
        "out of order": (np.append(u[1:], u[0]), np.append(v[1:], v[0])),
        "one direction 2^16 times more": (
            np.insert(u, [other] * 2**16, u[other]),
            np.insert(v, [other] * 2**16, v[other]),
        ),
        "a cycle": (cycle, (cycle + 1) % n),
        "descending": (u[::-1], v[::-1]),
        "more vertices than edges": in_rows(np.arange(500), np.arange(1, 501)),
    }
    for what, (a, b) in lists.items():
        graph = Graph((cupy.asarray(a), cupy.asarray(b)), num_vertices=n)
        assert graph.rows is None, what
        expected = landbridge.components((a, b), num_vertices=n, device="cpu")
        for plan in ("auto", "async(halve)"):
            assert np.array_equal(landbridge.components(graph, plan=plan).labels.get(), expected.labels), what


@pytest.mark.parametrize("offsets", ["int32", "int64"])
@pytest.mark.parametrize("ids", ["int32", "int64", "uint32"])
def test_offsets_of_both_widths(cupy: Any, offsets: str, ids: str) -> None:
    n = 3000
    rng = np.random.default_rng(2)
    u = np.sort(rng.choice(rng.integers(0, n, 500), 20_000)).astype(ids)
    written = cupy.empty(n + 1, dtype=offsets)
    graphs.write_row_offsets(written, cupy.asarray(u))
    assert np.array_equal(written.get(), np.searchsorted(u, np.arange(n + 1)))


def test_rows_without_memory_for_offsets_are_a_list(cupy: Any, few: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(n: int, u: Any) -> Any:
        raise landbridge.OutOfDeviceMemory("no memory for offsets")

    drawn = draw("grid/permuted/pairs-sorted/1e6")
    u, v = in_rows(*drawn.pairs())
    expected = landbridge.components((u, v), num_vertices=drawn.n, device="cpu")
    monkeypatch.setattr(graphs, "row_offsets", fails)
    graph = Graph((cupy.asarray(u), cupy.asarray(v)), num_vertices=drawn.n)
    assert graph.rows is None
    assert np.array_equal(landbridge.components(graph).labels.get(), expected.labels)


def test_rows_that_are_said_not_to_be_symmetric(cupy: Any, few: None) -> None:
    drawn = draw("uniform-16/permuted/pairs-sorted/1e6")
    u, v = in_rows(*drawn.pairs())
    expected = landbridge.components((u, v), num_vertices=drawn.n, device="cpu")
    graph = Graph((cupy.asarray(u), cupy.asarray(v)), num_vertices=drawn.n, symmetric=False)
    for plan in PLANS:
        assert np.array_equal(landbridge.components(graph, plan=plan).labels.get(), expected.labels), plan


def test_few_edges_and_strides_are_left(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    u, v = in_rows(np.arange(1000), np.arange(1, 1001))
    assert Graph((cupy.asarray(u), cupy.asarray(v))).rows is None
    many = graphs._ROWS_FROM // 2
    ids = cupy.arange(many + 1, dtype=np.int32)
    path = cupy.stack([ids[1:-1] - 1, ids[1:-1] + 1], axis=1).ravel()
    middle = cupy.repeat(ids[1:-1], 2)
    first, last = cupy.asarray([0, 1], dtype=np.int32), cupy.asarray([many, many - 1], dtype=np.int32)
    pair = (cupy.concatenate([first[:1], middle, last[:1]]), cupy.concatenate([first[1:], path, last[1:]]))
    assert len(pair[0]) == graphs._ROWS_FROM
    assert Graph(pair).rows is not None
    assert Graph((pair[0][:-2], pair[1][:-2])).rows is None
    assert landbridge.components(pair).count == 1
    monkeypatch.setattr(graphs, "_ROWS_FROM", 0)
    assert Graph((cupy.asarray(u), cupy.asarray(v))).rows is not None
    assert Graph(cupy.asarray(np.stack([u, v], axis=1))).rows is None


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64"])
def test_ids_at_fault_are_named(cupy: Any, dtype: str) -> None:
    u, v = in_rows(np.arange(100_000), np.arange(1, 100_001))
    bad = v.astype(dtype).copy()
    bad[77_777] = 100_001
    with pytest.raises(InputError, match="edge 77777: vertex 100001 is out of range for n = 100001"):
        Graph((cupy.asarray(u.astype(dtype)), cupy.asarray(bad)), num_vertices=100_001)
    if dtype == "uint64":
        return
    bad[50_000] = -3
    with pytest.raises(InputError, match="edge 50000: vertex -3 is negative"):
        Graph((cupy.asarray(u.astype(dtype)), cupy.asarray(bad)))


def test_explain_says_that_a_list_is_rows(cupy: Any, few: None) -> None:
    drawn = draw("uniform-16/permuted/pairs-sorted/1e6")
    graph = Graph(tuple(map(cupy.asarray, in_rows(*drawn.pairs()))), num_vertices=drawn.n)
    assert "an edge list in rows (both directions)" in str(landbridge.explain(graph))
    offsets = 4 * (graph.num_vertices + 1)
    of_list = landbridge.estimate_memory(graph, plan="async(halve)@gpu(layout=coo)")
    assert offsets < of_list < offsets + 16 * graph.num_vertices + 2**20
