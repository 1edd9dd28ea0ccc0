"""Streams on a GPU: every plan, every width, arrays on either side, and the answers of the CPU."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matrix.configurations import with_ids
from matrix.test_incremental import batches
from oracles.reference import by_sets
from oracles.zoo import zoo

import landbridge
from landbridge import Incremental, InputError, OutOfDeviceMemory
from landbridge.device.kernels import Rule
from landbridge.device.pinned import PinnedAnswer
from landbridge.edges.generators import generate
from landbridge.engine.gpu import stream_state
from landbridge.engine.gpu.schedule import rule_of
from landbridge.engine.gpu.stream_checks import BatchChecks
from landbridge.engine.gpu.stream_trees import DeviceTrees
from landbridge.plan import Engine, Plan, parse

pytestmark = pytest.mark.gpu

PLANS = landbridge.plans("incremental", engine="gpu", extended=True)


SCHEDULES: tuple[tuple[tuple[str, str], ...], ...] = (
    (),
    (("skip", "tree"),),
    (("start", "hook"),),
    (("skip", "off"), ("start", "hook")),
    (("skip", "tree"), ("start", "self")),
)


def host(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


@pytest.fixture
def cupy() -> Any:
    from landbridge.device import cuda

    return cuda.cupy()


def scheduled(text: str, ids: str, schedule: tuple[tuple[str, str], ...]) -> Plan:
    plan = with_ids(text, ids)
    assert plan.engine is not None
    return Plan(plan.sample, plan.finish, Engine(plan.engine.name, (*plan.engine.options, *schedule)))


def keeps(text: str) -> bool:
    return not parse(text).finish.no_forest


@pytest.mark.parametrize("text", PLANS)
def test_every_plan_on_every_graph(text: str, cupy: Any) -> None:
    for number, specimen in enumerate(zoo()):
        turn = number + PLANS.index(text)
        dtype, ids = ("int32", "int64")[turn % 2], ("narrow", "wide")[turn // 2 % 2]
        schedule = SCHEDULES[turn % len(SCHEDULES)]
        stream = Incremental(plan=scheduled(text, ids, schedule), forest=keeps(text))
        u, v = cupy.asarray(specimen.u.astype(dtype)), cupy.asarray(specimen.v.astype(dtype))
        for batch in batches(specimen, 5000 if turn % 3 else 7):
            if turn % 4:
                stream.insert(u[batch], v[batch])
                continue
            a, b = cupy.repeat(u[batch], 2), cupy.repeat(v[batch], 2)
            kinds = cupy.arange(len(a)) % 2 == 1
            bits = stream.apply(a, b, kinds, order="inserts_first" if turn % 8 else None)
            answers = np.unpackbits(bits.get(), count=len(a), bitorder="little")
            assert not answers[::2].any()
            if turn % 8 or not stream.mixed:
                assert answers[1::2].all()
        n = stream.num_vertices
        where = f"{text} on {specimen}, {dtype}, {ids}, {schedule}"
        assert n == (int(max(specimen.u.max(), specimen.v.max())) + 1 if len(u) else 0), where
        count, labels = stream.components()
        assert np.array_equal(cupy.asnumpy(labels), specimen.answer[:n]), where
        assert stream.count == count, where
        assert bool(stream.connected(u, v).all()), where
        if keeps(text):
            forest = stream.forest()
            assert len(forest.edge) == n - count == n - forest.count, where
            again = landbridge.components((forest.u, forest.v), num_vertices=n, device="cpu")
            assert np.array_equal(again.labels, specimen.answer[:n]), where


def large(kind: str) -> tuple[int, Any, Any]:
    """Edges of which an automatic stream thinks: enough to look for a large tree, or a mesh in random order."""
    rng = np.random.default_rng(3)
    if kind == "mesh":
        edges = generate("trigrid(700,700)")
        order = rng.permutation(len(edges.u))
        return 490_000, edges.u[order], edges.v[order]
    # A giant, vertices alone, and as many small trees.
    n = 200_000
    u, v = rng.integers(0, n // 2, (2, 4_300_000))
    u[::50], v[::50] = rng.integers(n // 2, n, (2, len(u[::50])))
    return n, u, v


@pytest.mark.parametrize("kind", ["mesh", "giant"])
@pytest.mark.parametrize(
    "text",
    [
        "rem_cas(naive,halve_one)",
        "hooks(compress)",
        "jtb(two_try)",
        "rem_cas(naive,splice)",
        "shiloach_vishkin",
        "lt(direct,root,once,alter)",
    ],
)
def test_long_batches(text: str, kind: str, cupy: Any) -> None:
    n, u, v = large(kind)
    expected = landbridge.components((u, v), num_vertices=n, device="cpu")
    for number, schedule in enumerate(SCHEDULES):
        dtype, ids = ("int32", "int64")[number % 2], ("narrow", "wide")[number // 2 % 2]
        stream = Incremental(n, plan=scheduled(f"{text}@gpu", ids, schedule), forest=keeps(text))
        a, b = cupy.asarray(u.astype(dtype)), cupy.asarray(v.astype(dtype))
        if number % 3 == 1:  # neighbours that are not side by side, and a start that no vector load takes
            a, b = cupy.repeat(a, 2)[1::2], cupy.concatenate((b[:1], b))[1:]
        cuts = ([0, len(u)], [0, 10, len(u) // 2 + 1, len(u)])[number % 2]
        for first, last in pairwise(cuts):
            stream.insert(a[first:last], b[first:last])
        where = f"{text}, {kind}, {dtype}, {ids}, {schedule}"
        count, labels = stream.components()
        assert count == stream.count == expected.count, where
        assert np.array_equal(labels.get(), expected.labels), where
        if keeps(text):
            forest = stream.forest()
            assert len(forest.edge) == n - count, where
            assert np.array_equal([forest.u, forest.v], np.array([u, v])[:, forest.edge]), where
            again = landbridge.components((forest.u, forest.v), num_vertices=n, device="cpu")
            assert np.array_equal(again.labels, expected.labels), where


# A batch of a size is checked by a launch of its own where there are no places for all of its edges while some may wait
# already; where it may be one of a mesh, the first and the third of the second stream; and where the largest tree is
# marked, at the fourth of that.
IN_ONE_LAUNCH: tuple[tuple[int, tuple[int, ...], Callable[[Rule], int]], ...] = (
    (2**23, (2**16, 2**16 + 1, 2**16 + 7, 100_003, 2**20, 2**20 - 1, 100_000, 2**20), lambda rule: int(rule.cuts_off)),
    (2**18, (2**20,) * 7, lambda rule: 1 if rule.ranked else 3),
)


@pytest.mark.parametrize("text", ["async(halve)", "rem_cas(naive,splice)", "hooks(compress)", "jtb(two_try)"])
@pytest.mark.parametrize("case", IN_ONE_LAUNCH, ids=("sparse", "dense"))
def test_batches_in_one_launch(text: str, case: Any, cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    n, sizes, checks = case
    rng = np.random.default_rng(n)
    checked: list[int] = []
    check = BatchChecks.check
    monkeypatch.setattr(BatchChecks, "check", lambda *a, **k: checked.append(len(a[2])) or check(*a, **k))
    forests = (False, keeps(text), keeps(text))
    for forest, dtype, ids in zip(forests, ("int32", "int64", "uint32"), ("narrow", "wide", "narrow"), strict=True):
        where = f"{text}, {forest}, {dtype}, {ids}"
        checked.clear()
        stream = Incremental(n, plan=with_ids(f"{text}@gpu", ids), forest=forest)
        parts = [rng.integers(0, n, (2, m)).astype(dtype) for m in sizes]
        for number, (u, v) in enumerate(parts):
            a, b = cupy.asarray(u), cupy.asarray(v)
            if number % 3 == 2:  # neighbours that are not side by side, and a start that no vector load takes
                a, b = cupy.repeat(a, 2)[1::2], cupy.concatenate((b[:1], b))[1:]
            stream.insert(a, b)
        assert checked == [2**20] * checks(rule_of(parse(text).finish)), where
        u, v = np.concatenate(parts, axis=1).astype("int64")
        expected = landbridge.components((u, v), num_vertices=n, device="cpu")
        count, labels = stream.components()
        assert count == stream.count == expected.count, where
        assert np.array_equal(labels.get(), expected.labels), where
        assert stream.position == len(u), where
        if forest:
            result = stream.forest()
            assert len(result.edge) == n - count, where
            assert np.array_equal([result.u, result.v], np.array([u, v])[:, result.edge]), where


@pytest.mark.parametrize("m", [100, 2**16 + 1, 2**20])
def test_a_batch_in_one_launch_that_is_refused_changes_nothing(m: int, cupy: Any) -> None:
    n = 2**23
    rng = np.random.default_rng(m)
    stream = Incremental(n, device="gpu")
    u, v = rng.integers(0, n, (2, m))
    stream.insert(cupy.asarray(u), cupy.asarray(v))
    before = stream.count
    for at in (0, m // 2, m - 1):
        wrong = u[::-1].copy()
        wrong[at:] = -5
        with pytest.raises(InputError, match=rf"^edge {at}: vertex -5 is negative$"):
            stream.insert(cupy.asarray(wrong), cupy.asarray(v))
    assert (stream.count, stream.position, stream.num_vertices) == (before, m, n)
    u[m // 2] = n + 3  # has no cell yet
    stream.insert(cupy.asarray(u), cupy.asarray(v))
    assert (stream.position, stream.num_vertices) == (2 * m, n + 4)
    assert stream.connected(int(u[m // 2]), int(v[m // 2]))


@pytest.mark.parametrize("text", ["async(halve)", "rem_cas(naive,halve_one)"])
@pytest.mark.parametrize("forest", [False, True])
def test_an_insert_within_an_insert(text: str, forest: bool, cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a handler of a signal makes one while its thread waits for the answer: each batch has its own."""
    n, rng = 1000, np.random.default_rng(1)
    wrong = cupy.asarray([-1])
    wait, inside = PinnedAnswer.wait, [True]

    def insert(size: int, below: int) -> None:
        u, v = (rng.integers(0, below, size) for _ in range(2))
        at = stream.position
        stream.insert((cupy.asarray(u), cupy.asarray(v)))
        edges.update({at + i: pair for i, pair in enumerate(zip(u.tolist(), v.tolist(), strict=True))})

    def interrupted(self: Any) -> Any:
        if not inside[0]:
            inside[0] = True
            insert(300, below)
            with pytest.raises(InputError):
                stream.insert(wrong, wrong)
            inside[0] = False
        return wait(self)

    monkeypatch.setattr(PinnedAnswer, "wait", interrupted)
    for below in (n, n, n, 5 * n, 50 * n):  # the last ones make the stream grow within an insert
        stream, edges = Incremental(n, plan=text, device="gpu", forest=forest), dict[int, tuple[int, int]]()
        inside[0] = False
        for size in (100, 5, 400, 3):
            insert(size, n)
        inside[0] = True
        if below == n:
            assert stream.position == len(edges)
        if forest and below == n:
            trees = stream.forest()
            at = host(trees.edge).tolist()
            pairs = zip(host(trees.u).tolist(), host(trees.v).tolist(), strict=True)
            assert len(at) == stream.num_vertices - stream.count
            assert all(sorted(edges[i]) == sorted(pair) for i, pair in zip(at, pairs, strict=True))
        inside[0] = False
        with pytest.raises(InputError):
            stream.insert(wrong, wrong)  # its places remain empty
        inside[0] = True
        u, v = np.array(list(edges.values())).T
        right = landbridge.components((u, v), num_vertices=stream.num_vertices)
        assert stream.count == right.count
        assert np.array_equal(stream.components().labels.get(), right.labels)


def test_the_facts_of_a_batch(cupy: Any) -> None:
    """Meshes are hooked; what is spread is not."""
    n, u, v = large("mesh")
    order = np.lexsort((v, u))
    far = np.random.default_rng(1).permutation(n)
    for endpoints, hooked in (((u, v), "scattered"), ((u[order], v[order]), "sorted"), ((far[u], far[v]), "")):
        trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), n, False)
        a, b = (cupy.asarray(end.astype(np.int32)) for end in endpoints)
        facts = trees.check(a, b)
        assert facts.vertices == n
        assert facts.near == int((np.abs(endpoints[0].astype(np.int64) - endpoints[1]) <= len(u) // 128).sum())
        descents = int((endpoints[0][1:] < endpoints[0][:-1]).sum())
        assert descents / 2 <= facts.descents <= descents
        trees.insert_checked(a, b, facts)
        assert trees.hooked == hooked
        assert trees.count == 1


@pytest.mark.timed
@pytest.mark.parametrize(("forest", "step"), [(False, 1), (True, 1), (False, -1)])
def test_sorted_chains_are_not_walked(forest: bool, step: int, cupy: Any) -> None:
    """The edge that closes a ring would meet the whole chain: seconds. Each batch goes on from what there is."""
    n = 20_000_000
    ring = cupy.arange(n, dtype=np.int32)
    spent = []
    for _ in range(2):  # the first compiles kernels where no earlier test has
        stream = Incremental(n, device="gpu", forest=forest)
        began = time.perf_counter()
        for part in (slice(0, n // 2), slice(n // 2, n)):
            stream.insert(ring[part][::step], ((ring[part] + 1) % n)[::step])
        assert stream.count == 1
        spent.append(time.perf_counter() - began)
    assert min(spent) < 2, spent
    assert not stream.components().labels.any()
    if forest:
        assert len(stream.forest().edge) == n - 1


def test_answers_are_those_of_the_cpu(cupy: Any) -> None:
    rng = np.random.default_rng(1)
    on_gpu, on_cpu = Incremental(50, device="gpu"), Incremental(50)
    for m in (1, 31, 32, 33, 1000, 200_000):
        u, v = rng.integers(0, 3 * m, (2, m))
        kinds = rng.random(m) < 0.5
        assert np.array_equal(
            on_gpu.apply(u, v, kinds, order="inserts_first"), on_cpu.apply(u, v, kinds, order="inserts_first")
        )
        # Somewhere in memory; the answers of inserts that are there already are those of the vertices now.
        u, v, kinds = (np.concatenate((x[:1], x)) for x in (u, v, kinds))
        endpoints = [cupy.asarray(end.astype(np.int32))[1:] for end in (u, v)]
        bits = on_gpu.apply(*endpoints, cupy.asarray(kinds)[1:])
        on_cpu.apply(u[1:], v[1:], kinds[1:], order="inserts_first")
        answers = np.unpackbits(bits.get(), count=m, bitorder="little").astype(bool)
        assert np.array_equal(answers, on_cpu.connected(u[1:], v[1:]) & kinds[1:])
        a, b = rng.integers(0, 5 * m, (2, 500))
        assert np.array_equal(on_gpu.connected(a, b), on_cpu.connected(a, b))
        assert np.array_equal(on_gpu.connected(cupy.asarray(a), cupy.asarray(b)).get(), on_cpu.connected(a, b))
        spaced = (cupy.repeat(cupy.asarray(end), 2)[::2] for end in (a, b))
        assert np.array_equal(on_gpu.connected(*spaced).get(), on_cpu.connected(a, b))
        assert (on_gpu.count, on_gpu.num_vertices, on_gpu.position) == (
            on_cpu.count,
            on_cpu.num_vertices,
            on_cpu.position,
        )
    assert on_gpu.connected(0, 1) == on_cpu.connected(0, 1)
    assert on_gpu.connected(10**12, 10**12)
    assert np.array_equal(on_gpu.components().labels.get(), on_cpu.components().labels)


def first_edges(kind: str) -> tuple[int, Any, Any]:
    """More edges than one launch takes, of which no sample shows a fault: those that find a giant; a mesh in order,
    which is one tree soon; walks that are cut off, more than have places."""
    if kind == "giant":
        return large(kind)
    if kind == "mesh in order":
        edges = generate("trigrid(700,700)")
        return 490_000, edges.u, edges.v
    spine = np.arange(400_000, 0, -1) + 1_200_000 - 1
    u = np.concatenate([spine[:-1], np.repeat(spine, 3)])
    return 1_600_000, u, np.concatenate([spine[1:], np.arange(1_200_000)[::-1]])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("kind", ["giant", "mesh in order", "caterpillar"])
@pytest.mark.parametrize("text", ["rem_cas(naive,halve_one)", "async(halve)", "jtb(two_try)", "rem_cas(naive,splice)"])
def test_ids_of_first_edges_are_checked_while_these_are_inserted(
    text: str, kind: str, dtype: str, cupy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    n, u, v = first_edges(kind)
    expected = landbridge.components((u, v), num_vertices=n, device="cpu")
    began_again = []
    begin_again = DeviceTrees._begin_again
    monkeypatch.setattr(DeviceTrees, "_begin_again", lambda trees: began_again.append(1) or begin_again(trees))
    a, b = (cupy.asarray(array.astype(dtype)) for array in (u, v))
    stream = Incremental(n, plan=f"{text}@gpu", forest=keeps(text))
    every = len(u) // 2**16  # the sample is one in so many shares of a warp
    places = (place if place // 128 % every else place - 128 for place in (200, len(u) // 2, len(u) - 1))
    for place in places:
        began_again.clear()
        right = int(b[place])
        b[place] = -5
        with pytest.raises(InputError, match=rf"^edge {place}: vertex -5 is negative$"):
            stream.insert(a, b)
        assert began_again == [1]
        assert (stream.count, stream.position, stream.num_vertices) == (n, 0, n)
        b[place] = n + 3
        grown = Incremental(n, plan=f"{text}@gpu")
        grown.insert(a, b)
        assert began_again == [1, 1]
        assert (grown.num_vertices, bool(grown.connected(n + 3, u[place]))) == (n + 4, True)
        b[place] = right
    began_again.clear()
    stream.insert(a, b)
    assert began_again == []
    count, labels = stream.components()
    assert np.array_equal(cupy.asnumpy(labels), expected.labels)
    assert count == stream.count == expected.count
    if keeps(text):
        forest = stream.forest()
        again = landbridge.components((forest.u, forest.v), num_vertices=n, device="cpu")
        assert np.array_equal(again.labels, expected.labels)


def test_ids_are_checked_on_the_device(cupy: Any) -> None:
    stream = Incremental(4, device="gpu")
    with pytest.raises(InputError, match=r"^edge 2: vertex -7 is negative$"):
        stream.insert(cupy.asarray([0, 1, -7, -1]), cupy.asarray([1, 2, 3, 4]))
    with pytest.raises(InputError, match=r"^query 0: vertex -1 is negative$"):
        stream.connected([-1], [2])
    assert (stream.count, stream.position, stream.num_vertices) == (4, 0, 4)


def seen(stream: Incremental) -> tuple[Any, ...]:
    """All that a caller can see of a stream."""
    count, labels = stream.components()
    forest = stream.forest() if keeps(stream.plan) else None
    edges = () if forest is None else (forest.u.tolist(), forest.v.tolist(), forest.edge.tolist())
    return count, stream.count, stream.num_vertices, stream.position, labels.dtype, labels.get().tolist(), edges


SOME = ("rem_cas(naive,halve_one)", "jtb(two_try)", "lt(direct,root,once,alter)")


@pytest.mark.parametrize("most", [2**61 + 4, 2**62, 2**63 - 1, 2**63, 2**64 - 1])
@pytest.mark.parametrize("text", SOME)
def test_an_id_that_no_memory_holds_is_named(text: str, most: int, cupy: Any) -> None:
    stream = Incremental(plan=f"{text}@gpu", forest=keeps(text))
    stream.insert([0, 3], [1, 4])
    before = seen(stream)
    dtype = np.int64 if most < 2**63 else np.uint64
    u, v = np.array([0, 2], dtype=dtype), np.array([2, most], dtype=dtype)
    for array in (np.asarray, cupy.asarray):
        with pytest.raises(OutOfDeviceMemory, match=f"for all vertices up to {most}$"):
            stream.insert(array(u), array(v))
        with pytest.raises(OutOfDeviceMemory, match=f"for all vertices up to {most}$"):
            stream.apply(array(u), array(v), array(np.array([True, False])))
        assert stream.connected(array(v), array(v)).all()
        assert seen(stream) == before
        with pytest.raises(OutOfDeviceMemory, match=f"^chunk 1: .*all vertices up to {most}; ids='sparse' numbers"):
            landbridge.components(chunks=[([0], [1]), (array(u), array(v))], plan=f"{text}@gpu")
    stream.insert([2], [4])
    assert stream.count == 2


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("text", SOME)
def test_a_batch_that_finds_no_memory_changes_nothing(
    text: str, wide: bool, cupy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory is given four MiB more at a time, until there is enough to grow, to widen the cells and to mark."""
    n, few = 1_000_000, 1000
    if wide:
        monkeypatch.setattr(stream_state, "_LARGEST_NARROW", n // 2)
    u, v = np.random.default_rng(7).integers(0, n, (2, 3 * n // 2))
    u[:few], v[:few], v[-1] = u[:few] % few, v[:few] % few, n - 1
    # A pool of its own: blocks that other tests hold in part have room that no limit counts.
    pool = cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(pool.malloc):
        stream = Incremental(few, plan=scheduled(f"{text}@gpu", "narrow", (("skip", "tree"),)), forest=keeps(text))
        stream.insert(u[:few], v[:few])
        before = seen(stream)
        a, b = cupy.asarray(u[few:]), cupy.asarray(v[few:])
        refused = 0
        while refused < 64:
            gc.collect()
            pool.free_all_blocks()
            pool.set_limit(size=pool.total_bytes() + refused * 2**22)
            try:
                stream.insert(a, b)
                break
            except OutOfDeviceMemory:
                refused += 1
            finally:
                pool.set_limit(size=0)
            assert seen(stream) == before, refused
        assert 1 < refused < 64
        count, labels = stream.components()
    expected = landbridge.components((u, v), num_vertices=n, device="cpu")
    assert (count, stream.count, stream.position) == (expected.count, expected.count, len(u))
    assert labels.dtype == (np.int64 if wide else np.int32)
    assert np.array_equal(labels.get(), expected.labels)
    if keeps(text):
        forest = stream.forest()
        assert np.array_equal([forest.u, forest.v], np.array([u, v])[:, forest.edge])
        again = landbridge.components((forest.u, forest.v), num_vertices=n, device="cpu")
        assert np.array_equal(again.labels, expected.labels)


def test_the_first_batch_decides_where_an_automatic_stream_is(cupy: Any) -> None:
    stream = Incremental(3)
    stream.insert(cupy.asarray([0]), cupy.asarray([2]))
    assert (stream.device, stream.count) == ("gpu", 2)
    host = Incremental()
    host.insert(0, 1)
    with pytest.raises(InputError, match="these ids are on a GPU and the stream is not"):
        host.insert(cupy.asarray([0]), cupy.asarray([2]))


def test_on_disk_and_merged_across_devices(cupy: Any, tmp_path: Path) -> None:
    a = Incremental(device="gpu", forest=True, journal=tmp_path / "j")
    a.insert(cupy.asarray([0, 1, 5]), cupy.asarray([1, 2, 6]))
    a.apply([7, 0], [8, 2], [False, True])
    a.save(tmp_path / "s")
    a.close()
    b, c = Incremental(journal=tmp_path / "j", forest=True), Incremental.load(tmp_path / "s", device="cpu", plan="auto")
    assert np.array_equal(b.components().labels, c.components().labels)
    c.insert(9, 5)
    a2 = Incremental.load(tmp_path / "s")
    assert a2.device == "gpu"
    a2.merge(c)
    assert a2.connected(6, 9)
    assert a2.position == 11


def test_what_a_journal_refuses_is_not_written(cupy: Any, tmp_path: Path) -> None:
    for array in (np.asarray, cupy.asarray):
        path = tmp_path / array.__module__
        stream = Incremental(device="gpu", forest=True, journal=path)
        stream.insert(array([0, 3]), array([1, 4]))
        stream.apply(array([9, 0, 20]), array([3, 1, 30]), array(np.array([False, True, True])))
        written, before = path.read_bytes(), seen(stream)
        with pytest.raises(InputError, match=r"^edge 1: vertex -2 is negative$"):
            stream.insert(array([5, -2]), array([6, 7]))
        with pytest.raises(InputError, match=r"^operation 0: vertex -3 is negative$"):
            stream.apply(array([-3, 1]), array([6, 7]), array(np.array([False, True])))
        with pytest.raises(OutOfDeviceMemory, match=f"for all vertices up to {2**62}$"):
            stream.insert(array([5]), array([2**62]))
        assert path.read_bytes() == written
        assert seen(stream) == before
        assert (stream.num_vertices, stream.position, stream.count) == (10, 5, 7)
        stream.insert(array([0]), array([9]))
        stream.close()
        for device in ("gpu", "cpu"):
            with Incremental(device=device, forest=True, journal=path) as again:
                assert (again.num_vertices, again.position, again.count) == (10, 6, 6)
                assert again.components().labels.tolist() == [0, 0, 1, 0, 0, 2, 3, 4, 5, 0]


def test_streams_of_the_caller(cupy: Any) -> None:
    stream = Incremental(device="gpu")
    rng = np.random.default_rng(1)
    u, v = rng.integers(0, 10_000, (2, 20, 2000))
    queues = [cupy.cuda.Stream(non_blocking=True) for _ in range(20)]
    for i, queue in enumerate(queues):
        with queue:
            stream.insert(cupy.asarray(u[i]), cupy.asarray(v[i]))
    assert np.array_equal(stream.components().labels.get(), by_sets(stream.num_vertices, u.ravel(), v.ravel()))


def test_a_capture_elsewhere_goes_on_where_the_default_stream_cannot_be_used() -> None:
    """A stream that is captured may wait for the default one, which nothing can be queued on meanwhile."""
    cupy: Any = pytest.importorskip("cupy")
    stream = landbridge.Incremental(100, device="gpu")
    edges = [(cupy.arange(i, i + 10, dtype=np.int32), cupy.arange(i + 1, i + 11, dtype=np.int32)) for i in (0, 20)]
    stream.insert(*edges[0])
    captured, numbers = cupy.cuda.Stream(), cupy.zeros(8, np.int32)
    cupy.cuda.Device().synchronize()
    captured.begin_capture()
    numbers.data.memset_async(1, numbers.nbytes, captured)
    for current in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
        with current, pytest.raises((landbridge.DeviceError, RuntimeError)):
            stream.insert(*edges[1])
    graph = captured.end_capture()
    graph.launch(captured)
    captured.synchronize()
    assert int(numbers[3]) == 0x01010101
    stream.insert(*edges[1])
    assert stream.count == 80
