"""Several processors, one of them a GPU at least: hybrid, one GPU twice, and two GPUs where there are two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.lists import broken

import landbridge
from landbridge.device import cuda
from landbridge.edges.generators import linked_list
from landbridge.engine.parts.device_trees import MergingTrees
from landbridge.engine.parts.peers import PeerReads
from landbridge.engine.parts.processors import CpuThreads, OneGpu, processors_of
from landbridge.engine.parts.trees import PartsTrees
from landbridge.plan import parse

pytestmark = pytest.mark.gpu
two_gpus = pytest.mark.gpus(2)

RNG = np.random.default_rng(3)
GRAPHS = {
    "giant": (200_000, tuple(RNG.integers(0, 200_000, 1_000_000, dtype=np.int32) for _ in range(2))),
    "many trees": (300_000, tuple(RNG.integers(0, 300_000, 120_000, dtype=np.int32) for _ in range(2))),
    "path": (100_000, (np.arange(99_999, dtype=np.int32), np.arange(1, 100_000, dtype=np.int32))),
    "alone": (1000, (np.zeros(0, np.int32), np.zeros(0, np.int32))),
}
GROUPS: list[list[Any]] = [[0, 0], ["cpu", 0], [0, "cpu"], [0], [0] * 4, [0] * 8]
if cuda.count() > 1:
    GROUPS += [[0, 1], [1, 0], ["cpu", 0, 1], [0, 1, 0, 1]]
groups = pytest.mark.parametrize("devices", GROUPS, ids=str)
graphs = pytest.mark.parametrize("name", GRAPHS)


def right(name: str) -> landbridge.Components:
    n, edges = GRAPHS[name]
    return landbridge.components(edges, num_vertices=n, device="cpu")


def on_host(forest: landbridge.SpanningForest) -> tuple[Any, Any, Any]:
    u, v, edge = (x if isinstance(x, np.ndarray) else x.get() for x in (forest.u, forest.v, forest.edge))
    return u, v, edge


@groups
@graphs
@pytest.mark.parametrize("place", ["host", "device"])
def test_labels_are_those_of_one_processor(name: str, devices: list[Any], place: str) -> None:
    n, edges = GRAPHS[name]
    pairs = edges if place == "host" else tuple(cuda.cupy().asarray(x) for x in edges)
    result = landbridge.components(pairs, num_vertices=n, devices=devices)
    labels = result.labels if place == "host" else result.labels.get()
    assert isinstance(result.labels, np.ndarray) == (place == "host")
    assert result.count == right(name).count
    assert np.array_equal(labels, right(name).labels)
    assert sum(share.edges for share in result.profile.shares) == len(edges[0])


@groups
@graphs
def test_forests_and_rows_and_streams(name: str, devices: list[Any]) -> None:
    n, edges = GRAPHS[name]
    graph = landbridge.Graph(edges, num_vertices=n)
    landbridge.check_forest(graph, landbridge.spanning_forest(graph, devices=devices))
    assert np.array_equal(landbridge.components(graph.to_rows(), devices=devices).labels, right(name).labels)
    stream = landbridge.Incremental(n, devices=devices)
    for part in np.array_split(np.arange(len(edges[0])), 3):
        stream.insert(edges[0][part], edges[1][part])
        assert stream.count <= n
    assert stream.count == right(name).count


@groups
@graphs
def test_forests_of_edges_on_a_gpu_stay_there(name: str, devices: list[Any]) -> None:
    n, edges = GRAPHS[name]
    graph = landbridge.Graph(tuple(cuda.cupy().asarray(x) for x in edges), num_vertices=n)
    forest = landbridge.spanning_forest(graph, devices=devices)
    assert not isinstance(forest.u, np.ndarray)
    landbridge.check_forest(edges, on_host(forest), num_vertices=n)
    assert forest.count == right(name).count


@groups
@pytest.mark.parametrize("name", [*GRAPHS, "few"])
def test_rows_on_a_gpu(name: str, devices: list[Any]) -> None:
    few = (np.array([8, 1, 3, 5, 5, 6, 0, 9, 4, 4], np.int32), np.array([1, 3, 8, 5, 6, 7, 2, 2, 4, 9], np.int32))
    n, edges = GRAPHS.get(name, (11, few))
    cupy = cuda.cupy()
    for ordinal in range(min(2, cuda.count())):
        with cupy.cuda.Device(ordinal):
            graph = landbridge.Graph(tuple(cupy.asarray(x) for x in edges), num_vertices=n)
            for whole in (graph, graph.to_rows()):
                expected = landbridge.components(whole.to_host(), device="cpu")
                for plan in ("auto", "kout(2)+async(halve)", "soman"):
                    result = landbridge.components(whole, plan=plan, devices=devices)
                    assert result.count == expected.count
                    assert np.array_equal(result.labels.get(), expected.labels)
                    assert int(result.labels.device.id) == ordinal
                landbridge.check_forest(whole.to_host(), on_host(landbridge.spanning_forest(whole, devices=devices)))


@groups
@graphs
def test_chunks_of_a_list_are_united_where_they_lie(name: str, devices: list[Any]) -> None:
    n, edges = GRAPHS[name]
    cupy, chunks = cuda.cupy(), []
    for place, part in enumerate(np.array_split(np.arange(len(edges[0])), 5)):
        with cupy.cuda.Device(place % cuda.count()):
            chunks.append(tuple(cupy.asarray(x[part]) for x in edges))
    for batches in (chunks, iter(chunks)):
        result = landbridge.components(chunks=batches, num_vertices=n, devices=devices)
        assert np.array_equal(result.labels.get(), right(name).labels)
        assert sum(share.edges for share in result.profile.shares) == len(edges[0])
    if len(edges[0]):
        with chunks[3][0].device:
            chunks[3][0][7] = -5
        with pytest.raises(landbridge.InputError, match="chunk 3, edge 7: vertex -5"):
            landbridge.components(chunks=chunks, num_vertices=n, devices=devices)


@graphs
@pytest.mark.parametrize("send", ["parents", "bitmap", ""])
@pytest.mark.parametrize("plan", ["rem_cas(naive,halve_one)", "async(inter)", "jtb(two_try)", "hooks(compress)"])
@pytest.mark.parametrize("ordinals", [(0, 0), pytest.param((0, 1), marks=two_gpus)])
def test_a_gpu_reads_the_trees_of_another(name: str, send: str, plan: str, ordinals: tuple[int, int]) -> None:
    n, (u, v) = GRAPHS[name]
    receiver, sender = (p.trees(p.plan(parse(plan)), n, False, bulk=True) for p in processors_of(ordinals, 2))
    assert isinstance(receiver, MergingTrees)
    assert isinstance(sender, MergingTrees)
    sender.send = send
    half = len(u) // 2
    receiver.insert(u[:half], v[:half])
    sender.insert(u[half:], v[half:])
    for trees in (receiver, sender):
        trees.close()
    for _ in range(2):  # merging is idempotent
        PeerReads().merge(receiver, sender, False)
        count, labels = receiver.labels(1, to_host=True)
        assert count == receiver.count == right(name).count
        assert np.array_equal(labels, right(name).labels)


def test_the_published_hybrid_runs_with_every_share() -> None:
    n, edges = GRAPHS["giant"]
    for t in (0, 10, 60, 100):
        result = landbridge.components(edges, num_vertices=n, plan=f"banerjee_kothapalli(t={t})")
        assert np.array_equal(result.labels, right("giant").labels)


@two_gpus
def test_edges_on_several_gpus_stay_where_they_are() -> None:
    n, (u, v) = GRAPHS["giant"]
    trees = PartsTrees(processors_of((0, 1), 2), parse("rem_cas(naive,halve_one)"), n, False, 2, bulk=True)
    cupy, size = cuda.cupy(), len(u) // 4
    for place in range(4):
        with cupy.cuda.Device(place % 2):
            part = [cupy.asarray(x[place * size : (place + 1) * size]) for x in (u, v)]
        trees.insert(*part)
    assert np.array_equal(trees.labels(2, to_host=True)[1], right("giant").labels)
    assert all(share.edges for share in trees.shares())


def lists_of(name: str) -> Any:
    """Successors: of one list, of lists of a few elements, in the order of memory, of one element, of none."""
    return {
        "one": linked_list(300_000, 1),
        "many": linked_list(200_000, 2, 60_000).astype(np.int64),
        "ordered": np.minimum(np.arange(100_000) + 1, 99_999).astype(np.int32),
        "single": np.array([-1]),
        "none": np.zeros(0, np.int32),
    }[name]


@pytest.fixture(params=["alone", "divided"])
def room(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether one processor has memory for all lists."""
    if request.param == "divided":
        for kind in (OneGpu, CpuThreads):
            monkeypatch.setattr(kind, "room", 0)


@groups
@pytest.mark.usefixtures("room")
@pytest.mark.parametrize("name", ["one", "many", "ordered", "single", "none"])
@pytest.mark.parametrize("place", ["host", "device"])
def test_ranks_are_those_of_one_processor(name: str, devices: list[Any], place: str) -> None:
    successor = lists_of(name)
    values = np.random.default_rng(1).integers(-1000, 1000, len(successor))
    cupy = cuda.cupy()
    own = (successor, values) if place == "host" else (cupy.asarray(successor), cupy.asarray(values))
    origin: Any
    for origin in ("tail", "head"):
        for weights, lengths in ((None, None), (values, own[1])):
            expected = landbridge.rank_list(successor, weights=weights, origin=origin, device="cpu", full=True)
            result = landbridge.rank_list(own[0], weights=lengths, origin=origin, devices=devices, full=True)
            for mine, other in ((result.ranks, expected.ranks), (result.tails, expected.tails)):
                assert isinstance(mine, np.ndarray) == (place == "host")
                host = mine if place == "host" else mine.get()
                assert host.dtype == other.dtype
                assert np.array_equal(host, other)
            assert sum(share.edges for share in result.profile.shares) == len(successor)
        for exclusive in (False, True):
            options: Any = {"op": "max", "origin": origin, "exclusive": exclusive}
            result = landbridge.scan_list(*own, devices=devices, **options)
            right = landbridge.scan_list(successor, values, device="cpu", **options)
            assert np.array_equal(result if place == "host" else result.get(), right)


@groups
@pytest.mark.usefixtures("room")
def test_what_is_no_list_is_refused_as_by_one_processor(devices: list[Any]) -> None:
    for case in broken():
        messages = set()
        for words in ({"device": "gpu"}, {"devices": devices}):
            with pytest.raises(landbridge.ListError) as error:
                landbridge.rank_list(case.successor, **words)
            messages.add(str(error.value))
        assert len(messages) == 1, case.name


def test_a_list_in_two_ranges_takes_less_memory_than_a_run_of_one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OneGpu, "room", 0)
    pool, successor, bytes_of_runs, ranks = cuda.cupy().get_default_memory_pool(), linked_list(1 << 24, 3), [], []
    words: Any
    for words in ({"device": "gpu"}, {"devices": [0, 0]}):
        pool.free_all_blocks()
        before = pool.total_bytes()
        ranks.append(landbridge.rank_list(successor, **words))
        bytes_of_runs.append(pool.total_bytes() - before)
    assert np.array_equal(*ranks)
    assert bytes_of_runs[1] < bytes_of_runs[0]
