"""Long edge lists on a GPU: hooked, or after a sample of them, with bounds so low that short lists take these ways."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

import landbridge
from benchmarks.zoo.cells import draw
from landbridge.device import cuda
from landbridge.engine.gpu import components, cut_edges, edge_schedule, stream_launches
from landbridge.engine.gpu.components_run import WORDS
from landbridge.engine.gpu.execute import Executable, Execution
from landbridge.engine.gpu.schedule import GpuSchedule
from landbridge.plan import parse

pytestmark = pytest.mark.gpu

STRUCTURES = (
    "uniform-4", "uniform-16", "rmat", "grid-8", "path", "star-middle", "cliques-8", "ring-8", "web", "pairs",
    "duplicates",
)  # fmt: skip
ORDERS = ("sorted", "random", "reversed", "both")
PLACES = 4
"""For edges that wait, so few that not all have one."""
SHORT_WALK = 9
"""Steps of a walk: one more than it takes by its rule, before which none is cut off."""
ROWS, HEAD, HOOKED = "rows", "head", "hooked"


@pytest.fixture(params=[ROWS, HEAD, HOOKED])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every list of more edges than vertices is long."""
    for bound in ("_MARK_LEAST", "_SAMPLE_FROM", "_SAMPLE_SMALL"):
        monkeypatch.setattr(edge_schedule, bound, 0)
    monkeypatch.setattr(edge_schedule, "_HEAD_FROM", 0 if request.param == HEAD else 1e9)
    most = 1e9 if request.param == HOOKED else 0
    for bound in ("_HOOK_MOST", "_HOOK_MOST_SORTED"):
        monkeypatch.setattr(edge_schedule, bound, most)
    monkeypatch.setattr(edge_schedule, "_HOOK_NEAR", 1 if request.param == HOOKED else 128)
    return str(request.param)


def expect_like_cpu(endpoints: tuple[np.ndarray, np.ndarray], n: int, plan: str) -> None:
    expected = landbridge.components(endpoints, num_vertices=n, device="cpu")
    for _ in range(2):
        result = landbridge.components(endpoints, num_vertices=n, plan=plan)
        assert result.count == expected.count, plan
        assert np.array_equal(result.labels, expected.labels), plan


@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_way(structure: str, way: str) -> None:
    plans = ("rem_cas(naive,halve_one)@gpu", "async(halve)@gpu", "rem_cas(naive,split_one)@gpu(merge=near,reads=stale)")
    for ids, order in product(("natural", "permuted"), ORDERS):
        drawn = draw(f"{structure}/{ids}/pairs-{order}/1e5")
        for plan in plans:
            expect_like_cpu(drawn.pairs(), drawn.n, plan)


@pytest.mark.parametrize("structure", ["critical", "path", "triples", "star-middle", "ring-2", "grid"])
def test_edges_in_both_directions_and_twice(structure: str, way: str) -> None:
    """An edge along a hook needs no second pass, whichever of its copies has made the hook."""
    for ids, order in product(("natural", "permuted"), ORDERS):
        drawn = draw(f"{structure}/{ids}/pairs-{order}/1e5")
        u, v = drawn.pairs()
        both = np.stack([u, v], axis=1).ravel(), np.stack([v, u], axis=1).ravel()
        apart = np.concatenate([u, v[::-1], u]), np.concatenate([v, u[::-1], v])
        for endpoints in (both, apart):
            expect_like_cpu(endpoints, drawn.n, "rem_cas(naive,halve_one)@gpu")


@pytest.mark.parametrize("structure", ["uniform-4", "path", "star-middle"])
def test_more_walks_are_cut_off_than_there_are_places(
    structure: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut_edges, "_LEAST", PLACES)
    monkeypatch.setattr(cut_edges, "_MOST", PLACES)
    monkeypatch.setattr(cut_edges, "_CUT_WALK", SHORT_WALK)
    for ids, order in product(("natural", "permuted", "bit-reversed"), ORDERS):
        drawn = draw(f"{structure}/{ids}/pairs-{order}/1e5")
        expect_like_cpu(drawn.pairs(), drawn.n, "rem_cas(naive,halve_one)@gpu")


def test_more_short_walks_are_cut_off_than_there_are_few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else the tests with few places would test nothing."""
    monkeypatch.setattr(cut_edges, "_CUT_WALK", SHORT_WALK)
    waiting: list[int] = []
    for ids, structure in product(("natural", "permuted", "bit-reversed"), ("uniform-4", "path")):
        execution = prepared(f"{structure}/{ids}/pairs-random/1e5")
        for launch in execution.launches:
            Executable([launch], cuda.current())()
            if launch.name == "unite_coo":
                waiting.append(int(execution.control[WORDS["cut"]]))
    assert len(waiting) == 6
    assert max(waiting) > PLACES


@pytest.mark.parametrize("ids", ["narrow", "wide"])
def test_ids_of_every_width_and_arrays_with_gaps(ids: str, way: str) -> None:
    drawn = draw("rmat/permuted/pairs-both/1e5")
    u, v = drawn.pairs()
    plan = f"rem_cas(naive,halve_one)@gpu(ids={ids})"
    expect_like_cpu((u.astype(np.int64), v.astype(np.int64)), drawn.n, plan)
    spaced = cuda.cupy().asarray(np.stack([u, v], axis=1))
    for first in (0, 1):
        labels = landbridge.components(
            (spaced[first:, 0], spaced[first:, 1]), num_vertices=drawn.n + 3, plan=plan
        ).labels
        expected = landbridge.components((u[first:], v[first:]), num_vertices=drawn.n + 3, device="cpu").labels
        assert np.array_equal(cuda.cupy().asnumpy(labels), expected)


@pytest.mark.parametrize("edges", [1, 3, 127, 128, 129, 5000])
@pytest.mark.parametrize("n", [1, 2, 5, 700])
def test_few_vertices_and_few_edges(n: int, edges: int, way: str) -> None:
    rng = np.random.default_rng(edges)
    u, v = rng.integers(0, n, (2, edges))
    for endpoints in ((u, v), (np.sort(u), v)):
        expect_like_cpu(endpoints, n, "rem_cas(naive,halve_one)@gpu(fuse=off)")


@pytest.mark.parametrize("more", [0, 1])
@pytest.mark.parametrize("n", [4, 4000, 400_000])
def test_as_many_edges_as_are_not_looked_at_and_one_more(n: int, more: int) -> None:
    """9 edges for 4 vertices are united as they are, and of one more those with one parent are dropped before."""
    rng = np.random.default_rng(n + more)
    edges = 9 * n // 4 + more
    u, v = np.sort(rng.integers(0, n, (2, edges // 3 + 1)), axis=0)[:, rng.integers(0, edges // 3 + 1, edges)]
    plan = "rem_cas(naive,halve_one)@gpu(fuse=off)"
    expect_like_cpu((u, v), n, plan)
    graph = landbridge.Graph((u, v), num_vertices=n)
    landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan="rem_cas(naive,halve_one)@gpu"))
    stream = landbridge.Incremental(n, device="gpu", forest=True)
    for first, end in pairwise((0, n, edges)):
        stream.insert(u[first:end], v[first:end])
        expected = landbridge.components((u[:end], v[:end]), num_vertices=n, device="cpu")
        assert stream.count == expected.count
        assert np.array_equal(cuda.cupy().asnumpy(stream.components().labels), expected.labels)


@pytest.mark.parametrize("structure", ["uniform-4", "uniform-16", "star-middle", "path"])
@pytest.mark.parametrize("places", [PLACES, 2**18])
def test_batches_without_the_edges_of_a_tree(structure: str, places: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel of its own inserts what does not join members of the largest tree, also if more walks are cut off than
    there are places; and so on when vertices turn up after one tree had all."""
    for bound, value in (("_MARK_LEAST", 0), ("_MARK_FROM", 0), ("_MARK_SMALL", 0), ("_HOOK_MOST", 0)):
        monkeypatch.setattr(edge_schedule, bound, value)
    monkeypatch.setattr(edge_schedule, "_HOOK_MOST_SORTED", 0)
    monkeypatch.setattr(stream_launches, "_APART_FROM", 1)
    monkeypatch.setattr(cut_edges, "_LEAST", min(places, 2**10))
    monkeypatch.setattr(cut_edges, "_MOST", places)
    monkeypatch.setattr(cut_edges, "_MOST_OF_BATCH", 0)
    if places == PLACES:
        monkeypatch.setattr(cut_edges, "_CUT_WALK", SHORT_WALK)
    for ids, forest in product(("natural", "permuted"), (False, True)):
        drawn = draw(f"{structure}/{ids}/pairs-random/1e5")
        u, v = drawn.pairs()
        trees = landbridge.Incremental(drawn.n, device="gpu", forest=forest)
        cuts = (0, len(u) // 3, len(u))
        for first, last in pairwise(cuts):
            trees.insert(u[first:last], v[first:last])
        beyond = np.array([drawn.n + 7, drawn.n + 9], dtype=np.int32)
        trees.insert(beyond, beyond[::-1])
        trees.insert(u[:1000], v[:1000])
        u, v = np.concatenate([u, beyond]), np.concatenate([v, beyond[::-1]])
        expected = landbridge.components((u, v), num_vertices=drawn.n + 10, device="cpu")
        count, labels = trees.components()
        assert count == expected.count
        assert np.array_equal(cuda.cupy().asnumpy(labels), expected.labels)
        if forest:
            edges = trees.forest()
            again = landbridge.components((edges.u, edges.v), num_vertices=drawn.n + 10, device="cpu")
            assert len(edges.edge) == drawn.n + 10 - count
            assert np.array_equal(again.labels, expected.labels)


def prepared(cell: str) -> Execution:
    """A run of the default plan, with its launches."""
    drawn = draw(cell)
    graph = landbridge.Graph(tuple(map(cuda.cupy().asarray, drawn.pairs())), num_vertices=drawn.n)
    plan = parse("rem_cas(naive,halve_one)@gpu")
    return components.prepared(graph, plan, GpuSchedule.of(plan, graph))[0]


def words_of(cell: str) -> dict[str, int]:
    """What a run of the default plan leaves in its control block."""
    execution = prepared(cell)
    execution.launch()
    words = execution.read()
    return {name: int(words[WORDS[name]]) for name in ("hooked", "tree")}


def test_which_way_is_taken(way: str) -> None:
    rows, random = (words_of(f"uniform-4/permuted/pairs-{order}/1e5") for order in ("both", "random"))
    mesh = words_of("grid-8/natural/pairs-sorted/1e5")
    not_hooked, in_rows, in_order, scattered = 1, 2, 3, 4
    hooked = tuple(words["hooked"] for words in (rows, random, mesh))
    if way == HEAD:
        assert hooked == (0, 0, 0)
    elif way == ROWS:
        assert hooked == (in_rows, not_hooked, in_rows)
    else:
        assert hooked == (in_order, scattered, in_order)
    if way != HOOKED:  # neither graph is connected
        assert random["tree"] > 1000
        assert rows["tree"] > 1000


def test_a_long_list_takes_a_sample_of_its_own_accord() -> None:
    rng = np.random.default_rng(1)
    n = 200_000
    u, v = rng.integers(0, n, (2, 2**22), dtype=np.int32)
    graph = landbridge.Graph((u, v), num_vertices=n).to_device(1)
    plan = parse("rem_cas(naive,halve_one)@gpu")
    execution, labels = components.prepared(graph, plan, GpuSchedule.of(plan, graph))
    assert "sample_coo" in [launch.name for launch in execution.launches]
    execution.launch()
    assert int(execution.read()[WORDS["tree"]]) > n // 2
    expected = landbridge.components((u, v), num_vertices=n, device="cpu").labels
    assert np.array_equal(cuda.cupy().asnumpy(labels), expected)
