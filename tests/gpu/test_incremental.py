"""Streams on a GPU: every plan, every width, arrays on either side, and the answers of the CPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matrix.configurations import with_ids
from matrix.test_incremental import batches
from oracles.reference import by_sets
from oracles.zoo import zoo

import landbridge
from landbridge import Incremental, InputError
from landbridge.plan import parse, registry

pytestmark = pytest.mark.gpu

PLANS = landbridge.plans("incremental", engine="gpu", extended=True)


@pytest.fixture
def cupy() -> Any:
    from landbridge.device import cuda

    return cuda.cupy()


def mixes(text: str) -> bool:
    finish = parse(text).finish
    return registry().combination(finish.link, finish.find, finish.splice).mixed


@pytest.mark.parametrize("text", PLANS)
def test_every_plan_on_every_graph(text: str, cupy: Any) -> None:
    for number, specimen in enumerate(zoo()):
        turn = number + PLANS.index(text)
        dtype, ids = ("int32", "int64")[turn % 2], ("narrow", "wide")[turn // 2 % 2]
        stream = Incremental(plan=with_ids(text, ids), forest=mixes(text))
        u, v = cupy.asarray(specimen.u.astype(dtype)), cupy.asarray(specimen.v.astype(dtype))
        for batch in batches(specimen, 5000 if turn % 3 else 7):
            if turn % 4:
                stream.insert(u[batch], v[batch])
                continue
            a, b = cupy.repeat(u[batch], 2), cupy.repeat(v[batch], 2)
            asked = cupy.arange(len(a)) % 2 == 1
            bits = stream.apply(a, b, asked, order="inserts_first" if turn % 8 else None)
            answers = np.unpackbits(bits.get(), count=len(a), bitorder="little")
            assert not answers[::2].any()
            if turn % 8 or not stream.mixed:
                assert answers[1::2].all()
        n = stream.num_vertices
        where = f"{text} on {specimen}, {dtype}, {ids}"
        assert n == (int(max(specimen.u.max(), specimen.v.max())) + 1 if len(u) else 0), where
        count, labels = stream.components()
        assert np.array_equal(cupy.asnumpy(labels), specimen.answer[:n]), where
        assert stream.count == count, where
        assert bool(stream.connected(u, v).all()), where
        if mixes(text):
            forest = stream.forest()
            assert len(forest.edge) == n - count == n - forest.count, where
            again = landbridge.components((forest.u, forest.v), num_vertices=n, device="cpu")
            assert np.array_equal(again.labels, specimen.answer[:n]), where


def test_answers_are_those_of_the_cpu(cupy: Any) -> None:
    rng = np.random.default_rng(1)
    here, there = Incremental(50, device="gpu"), Incremental(50)
    for m in (1, 31, 32, 33, 1000, 200_000):
        u, v = rng.integers(0, 3 * m, (2, m))
        kinds = rng.random(m) < 0.5
        assert np.array_equal(
            here.apply(u, v, kinds, order="inserts_first"), there.apply(u, v, kinds, order="inserts_first")
        )
        a, b = rng.integers(0, 5 * m, (2, 500))
        assert np.array_equal(here.connected(a, b), there.connected(a, b))
        assert np.array_equal(here.connected(cupy.asarray(a), cupy.asarray(b)).get(), there.connected(a, b))
        assert (here.count, here.num_vertices, here.position) == (there.count, there.num_vertices, there.position)
    assert here.connected(0, 1) == there.connected(0, 1)
    assert here.connected(10**12, 10**12)
    assert np.array_equal(here.components().labels.get(), there.components().labels)


def test_ids_are_checked_on_the_device(cupy: Any) -> None:
    stream = Incremental(4, device="gpu")
    with pytest.raises(InputError, match=r"^edge 2: vertex -7 is negative$"):
        stream.insert(cupy.asarray([0, 1, -7, -1]), cupy.asarray([1, 2, 3, 4]))
    with pytest.raises(InputError, match=r"^query 0: vertex -1 is negative$"):
        stream.connected([-1], [2])
    assert (stream.count, stream.position, stream.num_vertices) == (4, 0, 4)


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


def test_streams_of_the_caller(cupy: Any) -> None:
    stream = Incremental(device="gpu")
    rng = np.random.default_rng(1)
    u, v = rng.integers(0, 10_000, (2, 20, 2000))
    for i in range(20):
        with cupy.cuda.Stream(non_blocking=True):
            stream.insert(cupy.asarray(u[i]), cupy.asarray(v[i]))
    assert np.array_equal(stream.components().labels.get(), by_sets(stream.num_vertices, u.ravel(), v.ravel()))
