"""Batches so large that a stream prechecks their edges before it unites them, and shortens its paths meanwhile."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import landbridge
from landbridge import Incremental, _core
from landbridge.errors import InputError
from landbridge.plan import parse
from landbridge.plan.registry import registry

N = 60_000
BATCH = 300_001  # more than a group, and no whole word of edges at the end


def mixes(plan: str) -> bool:
    finish = parse(plan).finish
    return not finish.standalone and registry().combination(finish.link, finish.find, finish.splice).mixed


PLANS = [p for p in landbridge.plans("incremental", engine="cpu") if mixes(p)]


def edges(seed: int, count: int = BATCH, n: int = N) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    # Half of the vertices in one large component sooner or later, the others in small ones.
    u = rng.integers(0, n, count)
    near = np.minimum(u + rng.integers(0, 3, count) * (u % 7 == 0), n - 1)
    return u, np.where(u < n // 2, rng.integers(0, n // 2, count), near)


def expected(n: int, u: Any, v: Any) -> tuple[int, Any]:
    return connected_components(coo_array((np.ones(len(u), dtype=bool), (u, v)), shape=(n, n)), directed=False)


def check(stream: Incremental, u: Any, v: Any) -> None:
    count, labels = expected(stream.num_vertices, u, v)
    assert (stream.count, stream.position) == (count, len(u))
    assert np.array_equal(stream.components().labels, labels)


@pytest.mark.parametrize("plan", PLANS[::4])
def test_large_batches_from_nothing_to_all_connected(plan: str) -> None:
    stream = Incremental(N, plan=plan, forest=True, threads=2)
    batches = [edges(seed) for seed in range(3)]
    for u, v in batches:
        stream.insert(u.astype(np.int32), v.astype(np.int32))
    u, v = (np.concatenate(side) for side in zip(*batches, strict=True))
    check(stream, u, v)
    forest = stream.forest()
    assert np.array_equal(forest.u, u[forest.edge])
    assert np.array_equal(forest.v, v[forest.edge])
    assert expected(N, forest.u, forest.v)[0] == stream.count == N - len(forest.edge)


@pytest.mark.parametrize("kind", ["int64", "uint32", "pairs", "backwards"])
@pytest.mark.parametrize("wide", [False, True])
def test_ids_of_any_type_and_layout(kind: str, wide: bool) -> None:
    stream = Incremental(N, plan="async(inter)@cpu(ids=wide)" if wide else "async(inter)", threads=2)
    u, v = edges(1)
    for _ in range(2):
        if kind == "pairs":
            both = np.column_stack([u, v])
            stream.insert(both[:, 0], both[:, 1])
        elif kind == "backwards":
            stream.insert(u[::-1][::-1], v[::-1][::-1])
        else:
            stream.insert(u.astype(kind), v.astype(kind))
    check(stream, np.tile(u, 2), np.tile(v, 2))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("at", [0, 8191, 8192, BATCH - 1])
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_a_negative_id_anywhere_changes_nothing(side: int, at: int, kind: Any) -> None:
    stream = Incremental(N, threads=2)
    endpoints = edges(2)
    stream.insert(*endpoints)
    before = (stream.count, stream.position, stream.num_vertices)
    fresh = [x.astype(kind) for x in edges(3)]
    fresh[side][at] = -2
    with pytest.raises(
        InputError, match=rf"^edge {at}: vertex -2 is negative; Incremental\(ids='sparse'\) takes negative ids$"
    ):
        stream.insert(*fresh)
    assert (stream.count, stream.position, stream.num_vertices) == before
    check(stream, *endpoints)


def test_vertices_turn_up_in_large_batches() -> None:
    stream = Incremental(threads=2)
    us, vs = [], []
    for k, n in enumerate((N, N, N + 1, 2 * N)):
        u, v = edges(k, n=n)
        u[-1] = n - 1
        stream.insert(u, v)
        us.append(u)
        vs.append(v)
        assert stream.num_vertices == n
    check(stream, np.concatenate(us), np.concatenate(vs))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("forest", [False, True])
@pytest.mark.parametrize("at", [0, 5_000, 150_000, BATCH - 2, BATCH - 1])
def test_vertices_turn_up_anywhere_in_a_batch_that_may_be_inserted_in_part(at: int, forest: bool, threads: int) -> None:
    """The trees of calls that take no answer if a batch is refused compare ids chunk by chunk."""
    rule = _core.StreamRule("rem_cas", "naive", "halve_one")
    for count in (BATCH, BATCH - 290_000):
        n, where = N, min(at, count - 1)
        options = _core.StreamOptions(vertices=n, threads=threads, keep_forest=forest, bulk=True, climb=True)
        trees = _core.IncrementalTrees(rule, options)
        sides: tuple[list[Any], list[Any]] = [], []
        for seed in range(3):
            u, v = edges(seed, count)
            u[where] = n + 7  # the first batch makes these vertices, the others find new ones
            n += 8
            trees.insert(u, v)
            sides[0].append(u)
            sides[1].append(v)
            assert (trees.vertices, trees.position) == (n, count * (seed + 1))
        u, v = np.concatenate(sides[0]), np.concatenate(sides[1])
        components, labels = expected(n, u, v)
        assert trees.count == components
        if forest:
            _, _, (a, b, edge) = trees.snapshot(True)
            assert np.array_equal(u[edge], a)
            assert np.array_equal(v[edge], b)
            assert len(edge) == n - components
        assert np.array_equal(trees.labels(threads)[1], labels)


def bulk_trees(n: int, threads: int) -> _core.IncrementalTrees:
    rule = _core.StreamRule("rem_cas", "naive", "halve_one")
    return _core.IncrementalTrees(rule, _core.StreamOptions(vertices=n, threads=threads, bulk=True, climb=True))


@pytest.mark.parametrize("threads", [1, 2])
def test_vertices_turn_up_in_a_later_part_of_such_a_batch(threads: int) -> None:
    n, m = 2000, (1 << 21) + (1 << 20) + 5
    rng = np.random.default_rng(threads)
    u, v = rng.integers(0, n, (2, m)).astype(np.int32)
    u[(1 << 20) + (1 << 19)] = n + 1
    v[(1 << 20) + (1 << 19)] = n + 3
    trees = bulk_trees(n, threads)
    trees.insert(u, v)
    assert (trees.vertices, trees.position) == (n + 4, m)
    components, labels = expected(n + 4, u, v)
    assert trees.count == components
    assert np.array_equal(trees.labels(threads)[1], labels)


def test_a_handler_that_returns_loses_no_edge_of_such_a_batch() -> None:
    """The signal comes while a part is inserted that has an unknown vertex, so that all is inserted anew."""
    handled: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: handled.append(number))
    try:
        n, m = 1 << 20, 6 << 20
        u = np.arange(m, dtype=np.int32) % n
        v = np.random.default_rng(1).integers(0, n, m).astype(np.int32)
        v[(3 << 20) + 5] = n + 2  # of the fourth part
        components, labels = expected(n + 3, u, v)
        for attempt in range(8):
            trees = bulk_trees(n, 1)
            timer = threading.Timer(0.002 + 0.008 * attempt, lambda: os.kill(os.getpid(), signal.SIGUSR1))
            timer.start()
            trees.insert(u, v)
            timer.join()
            assert (trees.vertices, trees.position, trees.count) == (n + 3, m, components)
            assert np.array_equal(trees.labels(1)[1], labels)
        assert len(handled) == 8
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_an_edge_that_is_refused_behind_a_signal_has_its_number_in_the_call() -> None:
    before = signal.signal(signal.SIGUSR1, lambda number, frame: None)
    try:
        n, m = 1 << 20, 6 << 20
        u = np.arange(m, dtype=np.int32) % n
        v = np.roll(u, 1)
        u[(5 << 20) + 3] = n
        for attempt in range(4):
            trees = bulk_trees(n, 1)
            trees.refuse_from(n)
            timer = threading.Timer(0.002 + 0.004 * attempt, lambda: os.kill(os.getpid(), signal.SIGUSR1))
            timer.start()
            with pytest.raises(_core.CoreInputError, match=f"edge {(5 << 20) + 3}: vertex {n} is out of range"):
                trees.insert(u, v)
            timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("side", [0, 1])
def test_a_negative_query_has_its_number_in_the_call(side: int) -> None:
    m = (1 << 21) + 7
    queries = np.zeros((2, m), dtype=np.int64)
    queries[side, m - 2] = -4
    with pytest.raises(InputError, match=f"query {m - 2}: vertex -4 is negative"):
        Incremental(5).connected(*queries)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "strided"])
def test_ids_are_read_in_place_by_trees_of_a_million_vertices(kind: str, threads: int) -> None:
    n, m = (1 << 20) + 12_345, 700_000
    rng = np.random.default_rng(m)
    u = rng.integers(0, n, m)
    v = np.where(u % 3 == 0, np.minimum(u + 1, n - 1), rng.integers(0, n, m))
    components, labels = expected(n, u, v)
    if kind == "strided":
        both = np.stack([u, v], axis=1).astype(np.int32)
        u, v = both[:, 0], both[:, 1]
    else:
        u, v = u.astype(kind), v.astype(kind)
    stream = Incremental(n, threads=threads)
    parts = [(u[i : i + 300_001], v[i : i + 300_001]) for i in range(0, m, 300_001)]
    for part in parts:
        stream.insert(*part)
    assert stream.count == components
    assert np.array_equal(stream.components().labels, labels)
    answer = landbridge.components(chunks=parts, num_vertices=n, threads=threads, device="cpu")
    assert np.array_equal(answer.labels, labels)
    with pytest.raises(InputError, match=f"edge 7: vertex {n} is out of range"):
        landbridge.components(chunks=[([*range(7), n], [0] * 8)], num_vertices=n, device="cpu")


def test_a_batch_many_times_as_long_as_there_are_vertices() -> None:
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, 2000, (2, 1_000_000))
    stream = Incremental(2000, threads=3)
    stream.insert(u, v)
    check(stream, u, v)


def test_two_who_insert_large_batches_at_once() -> None:
    stream = Incremental(N, threads=2, forest=True)
    batches = [edges(seed) for seed in range(6)]

    def insert(mine: list[Any]) -> None:
        for u, v in mine:
            stream.insert(u, v)
            assert stream.connected(u[:100], v[:100]).all()

    threads = [threading.Thread(target=insert, args=(batches[k::2],)) for k in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    u, v = (np.concatenate(side) for side in zip(*batches, strict=True))
    check(stream, u, v)
    forest = stream.forest()
    assert expected(N, forest.u, forest.v)[0] == stream.count == N - len(forest.edge)


def look_later(stream: Incremental, seconds: float, starts: threading.Barrier, counts: list[int]) -> None:
    starts.wait()
    time.sleep(seconds)
    counts.append(stream.components().count)


@pytest.mark.parametrize("plan", ["async(halve)", "jtb(two_try)"])
def test_a_snapshot_has_all_of_a_batch_or_none_though_other_calls_have_turns(plan: str) -> None:
    """Between pieces of a batch, which one thread has for itself, others go on; but no snapshot comes between them."""
    size = 1_000_000  # four pieces
    path = np.arange(size - 1)
    for wait in np.linspace(0, 0.008, 24):
        stream = Incremental(size, plan=plan, threads=1)
        starts = threading.Barrier(2)
        counts: list[int] = []
        looking = threading.Thread(target=look_later, args=(stream, wait, starts, counts))
        looking.start()
        starts.wait()
        stream.insert(path, path + 1)
        looking.join()
        assert stream.count == 1
        assert counts.pop() in (1, size)
