"""The edges of the schedules: degrees on either side of every bound, sizes that no block divides, racy repetitions."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.zoo import zoo

import landbridge
from landbridge import Graph
from landbridge.edges.forms import Adjacency

pytestmark = pytest.mark.gpu

BALANCES = ("tile", "worklist", "thread", "warp", "block", "gather", "edge")
DEGREES = (0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 351, 352, 353, 1000, 32767, 32768, 32769, 70000)


def rows_of(n: int, u: np.ndarray, v: np.ndarray) -> Graph:
    a, b = np.concatenate([u, v]), np.concatenate([v, u])
    order = np.lexsort((b, a))
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(a, minlength=n), out=offsets[1:])
    return Graph(Adjacency(offsets, b[order].astype(np.int32)), symmetric=True)


def expect_like_cpu(graph: Graph, plan: str) -> None:
    expected = landbridge.components(graph, device="cpu")
    result = landbridge.components(graph, plan=plan)
    assert result.count == expected.count, plan
    assert np.array_equal(result.labels, expected.labels), plan


@pytest.mark.parametrize("balance", BALANCES)
def test_every_degree(balance: str) -> None:
    rng = np.random.default_rng(3)
    # Hubs of each degree, spread among vertices that have no arc of their own.
    n = 100_003
    hubs = rng.permutation(n)[: len(DEGREES)]
    endpoints = [rng.choice(n, size=d, replace=False) for d in DEGREES]
    u = np.concatenate([np.full(d, h) for h, d in zip(hubs, DEGREES, strict=True)])
    graph = rows_of(n, u, np.concatenate(endpoints))
    for plan in ("rem_cas(naive,halve_one)", "async(compress)", "jtb", "kout(2)+ecl(halve)", "hb(4)+hooks(split)"):
        expect_like_cpu(graph, f"{plan}@gpu(balance={balance})")


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("hub", [0, 77_777, 200_002], ids=["first", "middle", "last"])
def test_one_vertex_with_all_edges(balance: str, hub: int) -> None:
    n = 200_003
    leaves = np.delete(np.arange(n), [hub, 5])
    graph = rows_of(n, np.full(len(leaves), hub), leaves)
    for plan in ("rem_cas(naive,halve_one)", "kout(2)+rem_cas(naive,split_one)", "hb(4)+jtb(two_try)"):
        expect_like_cpu(graph, f"{plan}@gpu(balance={balance})")
    expect_like_cpu(graph, "bfscc@gpu")
    # All arcs stored at the hub, none at the leaves: a CSR that is not declared symmetric.
    offsets = np.zeros(n + 1, dtype=np.int64)
    offsets[hub + 1 :] = len(leaves)
    one_way = Graph(Adjacency(offsets, leaves.astype(np.int32)))
    expect_like_cpu(one_way, f"kout(2)+rem_cas(naive,halve_one)@gpu(balance={balance})")


@pytest.mark.parametrize("first", [0, 100_000, 199_500], ids=["first", "middle", "last"])
def test_tiles_with_most_of_the_edges(first: int) -> None:
    """Long rows beside each other: more than one block should have to unite."""
    rng = np.random.default_rng(5)
    n = 200_003
    degrees = rng.integers(10, 3000, 500)
    u = np.repeat(np.arange(first, first + len(degrees)), degrees)
    graph = rows_of(n, u, rng.integers(0, n, len(u)))
    for plan in ("rem_cas(naive,halve_one)", "kout(2)+rem_cas(naive,split_one)", "hb(100)+async(halve)", "jtb"):
        expect_like_cpu(graph, f"{plan}@gpu(balance=tile)")


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4095, 4096, 4097, 12289])
def test_sizes_that_no_block_divides(n: int, balance: str) -> None:
    rng = np.random.default_rng(n)
    graph = rows_of(n, rng.integers(0, n, n), rng.integers(0, n, n))
    for plan in ("rem_cas(naive,split_one)", "kout(2)+async(halve)", "hb(2)+early(naive)"):
        expect_like_cpu(graph, f"{plan}@gpu(balance={balance})")


@pytest.mark.parametrize("arcs", ["vertex", "coalesced", "reorganised"])
@pytest.mark.parametrize("n", [1, 2, 3, 31, 32, 33, 63, 256, 257, 40_000])
def test_arcs_of_k_out_at_the_end_of_the_rows(n: int, arcs: str) -> None:
    rng = np.random.default_rng(n)
    graph = rows_of(n, rng.integers(0, n, n // 2), rng.integers(0, n, n // 2))
    expect_like_cpu(graph, f"kout(2)+rem_cas(naive,split_one)@gpu(arcs={arcs})")


@pytest.mark.parametrize("plan", ["rem_cas(naive,halve_one)", "rem_lock(split,splice)", "hooks(halve)", "jtb(two_try)"])
@pytest.mark.parametrize("reads", ["fresh", "stale"])
def test_a_hundred_races(plan: str, reads: str) -> None:
    rng = np.random.default_rng(9)
    graph = Graph((rng.integers(0, 3000, 40_000), rng.integers(0, 3000, 40_000)), num_vertices=5000).to_device()
    expected = landbridge.components(graph, device="cpu").labels
    for _ in range(100):
        result = landbridge.components(graph, plan=f"{plan}@gpu(reads={reads})")
        assert np.array_equal(result.labels.get(), expected)


def test_a_run_can_be_launched_again_and_captured() -> None:
    from landbridge.device import cuda, layout
    from landbridge.engine.gpu.components import prepared
    from landbridge.engine.gpu.schedule import GpuSchedule
    from landbridge.plan import parse

    cupy, count = cuda.cupy(), layout.control("components")["count"]
    specimen = next(s for s in zoo() if s.name == "random_big")
    graph = specimen.graph("csr", "int32").to_device()
    for text in ("kout(2)+rem_cas(naive,halve_one)", "hb(4)+async(naive)", "bfs+ecl(halve)", "jtb(two_try)"):
        execution, labels = prepared(graph, parse(text), GpuSchedule.of(parse(text), graph))
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            execution.launch()
            stream.begin_capture()
            execution.launch()
            captured = stream.end_capture()
            for _ in range(3):
                labels.fill(-1)
                captured.launch(stream)
                assert int(execution.read()[count]) == specimen.count
                assert np.array_equal(labels.get(), specimen.answer)


@pytest.mark.parametrize("start", ["hook", "star", "tile"])
@pytest.mark.parametrize("owner", ["larger", "smaller"])
@pytest.mark.parametrize("balance", ["tile", "edge"])
def test_starts_and_owners(start: str, owner: str, balance: str) -> None:
    # More than one tile, neighbours inside and outside of it, rows that are not sorted, a part without any arc.
    rng = np.random.default_rng(5)
    n = 3 * 2**13 + 77
    u = rng.integers(0, n - 500, 2 * n)
    v = np.where(
        rng.random(2 * n) < 0.8, np.minimum(u + rng.integers(0, 40, 2 * n), n - 501), rng.integers(0, n - 500, 2 * n)
    )
    graph = rows_of(n, u, v)
    neighbors, offsets = graph.a.copy(), np.asarray(graph.offsets)
    for x in range(0, n, 3):
        rng.shuffle(neighbors[offsets[x] : offsets[x + 1]])
    shuffled = Graph(Adjacency(offsets, neighbors), symmetric=True)
    options = f"balance={balance},owner={owner},start={start}"
    for plan in ("rem_cas(naive,halve_one)", "rem_cas(halve,splice)", "ecl(halve)", "jtb(two_try)"):
        if landbridge.plans(engine="gpu", extended=True).count(f"{plan}@gpu(layout=csr)"):
            expect_like_cpu(shuffled, f"{plan}@gpu({options})")
            expect_like_cpu(Graph(Adjacency(offsets, neighbors)), f"{plan}@gpu({options})")


def test_small_pairs_in_one_block() -> None:
    from landbridge.device import cuda

    cupy = cuda.cupy()
    rng = np.random.default_rng(8)
    for n, m in ((1, 1), (2, 1), (800, 1000), (1023, 1025), (8192, 8192), (8192, 8193), (8193, 5000), (40_000, 100)):
        u, v = rng.integers(0, n, m), rng.integers(0, n, m)
        u[0] = n - 1
        for dtype in ("int32", "int64", "uint64"):
            pair = cupy.asarray(u.astype(dtype)), cupy.asarray(v.astype(dtype))
            result = landbridge.components(pair)
            expected = landbridge.components((u, v), device="cpu")
            assert result.count == expected.count
            assert np.array_equal(result.labels.get(), expected.labels)
        backwards = landbridge.components((pair[0][::-2], pair[1][::-2]))
        assert np.array_equal(backwards.labels.get(), landbridge.components((u[::-2], v[::-2]), device="cpu").labels)
    with pytest.raises(landbridge.InputError, match="edge 3: vertex -7 is negative"):
        landbridge.components((cupy.asarray([0, 1, 2, 3]), cupy.asarray([1, 2, 3, -7])))


def test_a_plan_that_comes_again_is_replayed_and_leaves_earlier_results_alone() -> None:
    specimen = next(s for s in zoo() if s.name == "random_big")
    graph = specimen.graph("csr", "int32").to_device()
    for text in (
        "hb(2)+rem_cas(naive,halve_one)@gpu(fuse=off)",
        "rem_cas(naive,halve_one)@gpu(fuse=off)",
        "bfs+ecl(halve)",
    ):
        results = [landbridge.components(graph, plan=text) for _ in range(4)]
        for result in results:
            assert result.count == specimen.count
            assert np.array_equal(result.labels.get(), specimen.answer)
        assert len({result.labels.data.ptr for result in results}) == 4


def test_a_graph_of_no_edges_and_one_of_no_vertices() -> None:
    for n in (0, 1, 7):
        empty = np.empty(0, dtype=np.int64)
        result = landbridge.components((empty, empty), num_vertices=n, device="gpu")
        assert result.labels.tolist() == list(range(n))
        assert result.count == n


def test_profile_separates_transfer_from_compute() -> None:
    graph = landbridge.Graph((np.arange(1000), np.arange(1000)))
    profile = landbridge.components(graph, plan="rem_cas@gpu(fuse=off)").profile
    assert {"transfer", "transfer back", "start", "finish", "number"} <= set(profile.seconds)
    assert all(seconds >= 0 for seconds in profile.seconds.values())
