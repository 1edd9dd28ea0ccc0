"""Edges in an order that makes one long path: a single walk along it must not decide how long a run takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import landbridge
from landbridge import Graph
from landbridge.device import cuda, layout
from landbridge.edges.forms import Adjacency
from landbridge.engine.gpu.components import prepared
from landbridge.engine.gpu.schedule import GpuSchedule
from landbridge.plan import parse

pytestmark = pytest.mark.gpu

N = 1_000_000
WORDS = layout.control("components")
Endpoints = tuple[np.ndarray, np.ndarray]
AT_MOST = 20.0
"""Times a ring whose ids are shuffled, whose paths are short."""


def ring(n: int) -> Endpoints:
    i = np.arange(n)
    return i, (i + 1) % n


def joined(*parts: Endpoints) -> Endpoints:
    return np.concatenate([u for u, _ in parts]), np.concatenate([v for _, v in parts])


def shuffled() -> Endpoints:
    ids = np.random.default_rng(1).permutation(N)
    return ids, np.roll(ids, -1)


def comb() -> Endpoints:
    spine = np.arange(N // 2)
    return joined((spine[:-1], spine[1:]), (spine, spine + N // 2))


def chains() -> Endpoints:
    """Two that alternate, closed; and a third, apart, in which no edge is left over."""
    i = np.arange(N - 1000)
    rest = np.arange(N - 1000, N - 1)
    return joined((i[:-2], i[2:]), (i[-2:], np.array([0, 1])), (rest, rest + 1))


def chords(count: int) -> Endpoints:
    path = np.arange(N // 2)
    among = np.random.default_rng(2).integers(0, N // 2, (2, count))
    return joined((path[:-1], path[1:]), (among[0], among[1]), (path[:-1] + N // 2, path[1:] + N // 2))


def rings() -> Endpoints:
    return joined(*((u + first, v + first) for u, v in [ring(N // 100)] for first in range(0, N, N // 100)))


def star_of_rings() -> Endpoints:
    u, v = rings()
    heads = np.arange(N // 100, N, N // 100)
    return joined((u, v), (heads, np.zeros_like(heads)))


def thick(width: int) -> Endpoints:
    return joined(*((u, np.roll(u, -by)) for u, _ in [ring(N)] for by in range(1, width + 1)))


def star_downwards() -> Endpoints:
    """Every edge gives the tree a smaller root than all before it."""
    return np.arange(N - 2, -1, -1), np.full(N - 1, N - 1)


def ladder() -> Endpoints:
    u, v = ring(N // 2)
    return joined((u, v), (u + N // 2, v + N // 2), (u, u + N // 2))


SHAPES: dict[str, Callable[[], Endpoints]] = {
    "ring": lambda: ring(N),
    "closed first": lambda: (np.roll(ring(N)[0], 1), np.roll(ring(N)[1], 1)),
    "backwards": lambda: (ring(N)[0][::-1].copy(), ring(N)[1][::-1].copy()),
    "ids that fall": lambda: (N - 1 - ring(N)[0], N - 1 - ring(N)[1]),
    "path": lambda: (np.arange(N - 1), np.arange(1, N)),
    "comb": comb,
    "chains": chains,
    "few chords": lambda: chords(100),
    "many chords": lambda: chords(N // 10),
    "rings": rings,
    "star of rings": star_of_rings,
    "thick 2": lambda: thick(2),
    "thick 4": lambda: thick(4),
    "ladder": ladder,
    "star downwards": star_downwards,
}


@cache
def rows(shape: str) -> Graph:
    u, v = (shuffled if shape == "shuffled" else SHAPES[shape])()
    a, b = np.concatenate([u, v]), np.concatenate([v, u])
    order = np.lexsort((b, a))
    offsets = np.zeros(N + 1, dtype=np.int64)
    np.cumsum(np.bincount(a, minlength=N), out=offsets[1:])
    asarray = cuda.cupy().asarray
    return Graph.from_edges(Adjacency(asarray(offsets), asarray(b[order].astype(np.int32))), symmetric=True)


@cache
def pairs(shape: str) -> Graph:
    u, v = (shuffled if shape == "shuffled" else SHAPES[shape])()
    asarray = cuda.cupy().asarray
    return Graph((asarray(u.astype(np.int32)), asarray(v.astype(np.int32))), num_vertices=N)


@cache
def expected(shape: str) -> landbridge.Components:
    u, v = SHAPES[shape]()
    return landbridge.components((u, v), num_vertices=N, device="cpu")


@cache
def usual(layout: str) -> float:
    return least(lambda: landbridge.components((rows if layout == "rows" else pairs)("shuffled")))


def least(call: Callable[[], object]) -> float:
    spent = []
    for _ in range(5):
        began = time.perf_counter()
        call()
        cuda.cupy().cuda.Device().synchronize()
        spent.append(time.perf_counter() - began)
    return min(spent)


def expect(shape: str, result: landbridge.Components) -> None:
    assert result.count == expected(shape).count
    assert np.array_equal(cuda.cupy().asnumpy(result.labels), expected(shape).labels)


@pytest.mark.timed
@pytest.mark.parametrize("layout", ["pairs", "rows"])
@pytest.mark.parametrize("shape", SHAPES)
def test_takes_about_as_long_as_any_graph_of_its_size(shape: str, layout: str) -> None:
    graph = (rows if layout == "rows" else pairs)(shape)
    # The first call runs, the others replay: both have to complete the edges they defer.
    expect(shape, landbridge.components(graph))
    expect(shape, landbridge.components(graph))
    expect(shape, landbridge.components(graph))
    assert least(lambda: landbridge.components(graph)) < AT_MOST * usual(layout)


@pytest.mark.parametrize("shape", ["ring", "chains", "many chords", "rings"])
def test_arrays_on_either_side(shape: str) -> None:
    u, v = (endpoints.astype(np.int32) for endpoints in SHAPES[shape]())
    result = landbridge.components((u, v), num_vertices=N, device="gpu")
    assert isinstance(result.labels, np.ndarray)
    expect(shape, result)
    landbridge.check_components(Graph((u, v), num_vertices=N), result.labels)
    on_device = tuple(cuda.cupy().asarray(endpoints) for endpoints in (u, v))
    expect(shape, landbridge.components(on_device, num_vertices=N))


@pytest.mark.parametrize("shape", ["ring", "chains", "many chords", "star of rings", "thick 4"])
@pytest.mark.parametrize(
    "plan",
    [
        "rem_cas(naive,splice)",
        "rem_cas(naive,split_one)@gpu(merge=warp)",
        "rem_cas(naive,halve_one)@gpu(merge=near)",
        "rem_cas(naive,halve_one)@gpu(balance=tile,ids=wide)",
        "rem_cas(naive,halve_one)@gpu(balance=worklist,start=hook)",
        "rem_cas(naive,halve_one)@gpu(balance=gather)",
        "stages(rem_cas(naive,halve_one),q=0.7)",
        "kout(2)+rem_cas(naive,splice)",
        "kout(2)+rem_cas(naive,halve_one)@gpu(arcs=vertex,merge=near)",
        "hb(4)+rem_cas(naive,halve_one)",
        "kout(2)+shiloach_vishkin",
        "bfs+rem_cas(naive,splice)@gpu(adapt=on)",
        "bfs+rem_cas(naive,halve_one)@gpu(balance=edge)",
    ],
)
def test_every_way_of_uniting(shape: str, plan: str) -> None:
    graph = (rows if parse(plan).layout == "csr" or parse(plan).sample is not None else pairs)(shape)
    expect(shape, landbridge.components(graph, plan=plan))
    if parse(plan).layout is None:
        expect(shape, landbridge.components(rows(shape), plan=plan))


def test_edges_are_deferred() -> None:
    """What the tests above rest on. How long walks get depends on the order in which threads run, so one of a few
    launches has to defer.
    """
    shape = "chains"
    graph, plan = pairs(shape), parse("rem_cas(naive,splice)")
    execution, labels = prepared(graph, plan, GpuSchedule.of(plan, graph))
    for _ in range(8):
        execution.launch()
        deferred = int(execution.control[WORDS["deferred"]])
        if deferred > 0:
            break
    assert deferred > 0
    assert int(execution.read()[WORDS["count"]]) == expected(shape).count
    assert int(execution.control[WORDS["deferred"]]) == 0
    assert np.array_equal(cuda.cupy().asnumpy(labels), expected(shape).labels)


@pytest.mark.parametrize("plan", ["rem_cas(naive,halve_one)", "rem_cas(naive,split_one)", "async(halve)"])
@pytest.mark.parametrize("first_question", ["components", "count", "connected"])
def test_a_stream_unites_deferred_edges_before_it_answers(first_question: str, plan: str) -> None:
    """Two paths from their ends on, so that each is deep, and then edges between their ends: those walks are cut off,
    and the edges wait for a question, because there are places for all.
    """
    n, k = 2**24, 100_000
    down = np.arange(k - 2, -1, -1)
    tips = np.arange(k - 50, k)
    asarray = cuda.cupy().asarray
    stream = landbridge.Incremental(n, plan=f"{plan}@gpu")
    for u, v in (joined((down, down + 1), (down + k, down + k + 1)), (tips, tips + k)):
        stream.insert(asarray(u.astype(np.int32)), asarray(v.astype(np.int32)))
    assert int(stream._trees._checks.control[WORDS["cut"]]) > 0
    if first_question == "count":
        assert stream.count == n - 2 * k + 1
    elif first_question == "connected":
        assert bool(stream.connected(asarray(tips), asarray(tips + k)).all())
    count, labels = stream.components()
    assert count == n - 2 * k + 1
    assert not bool(labels[: 2 * k].any())


@pytest.mark.parametrize("shape", ["ring", "chains", "many chords", "rings", "thick 2"])
@pytest.mark.parametrize("layout", ["pairs", "rows"])
def test_forests(shape: str, layout: str) -> None:
    graph = (rows if layout == "rows" else pairs)(shape)
    forest = landbridge.spanning_forest(graph, device="gpu")
    assert forest.count == expected(shape).count
    landbridge.check_forest(graph, forest)


@pytest.mark.timed
@pytest.mark.parametrize("n", [500, 1000, 4000, 8000])
def test_small_graphs(n: int) -> None:
    u, v = ring(n)
    asarray = cuda.cupy().asarray
    ordered = asarray(u.astype(np.int32)), asarray(v.astype(np.int32))
    ids = np.random.default_rng(3).permutation(n).astype(np.int32)
    other = asarray(ids), asarray(np.roll(ids, -1))
    for make in (lambda endpoints: endpoints, Graph):
        result = landbridge.components(make(ordered))
        assert result.count == 1
        assert not bool(result.labels.any())
        assert least(lambda make=make: landbridge.components(make(ordered))) < AT_MOST * least(
            lambda make=make: landbridge.components(make(other))
        )
