"""Parts of a list that threads refuse are queued again, and united all the same."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import landbridge
from benchmarks.zoo.cells import draw
from landbridge import _core

STRUCTURES = ("uniform-2", "uniform-16", "grid", "path", "tree-binary", "star-middle", "pairs", "cliques-8")


@pytest.fixture(params=[False, True])
def refused_parts(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every second part of a turn is queued again, of all threads or of those that the time of an edge chooses."""
    compared, refused = _core.set_threads_compared(request.param), _core.set_parts_refused(True)
    yield
    _core.set_threads_compared(compared)
    _core.set_parts_refused(refused)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("order", ["natural", "permuted"])
def test_every_edge_is_united(structure: str, order: str, refused_parts: None) -> None:
    drawn = draw(f"{structure}/{order}/pairs-made/1e5")
    u, v = drawn.pairs()
    small = tuple(x.astype(np.int32) for x in (u, v))
    expected = landbridge.components((u, v), num_vertices=drawn.n, threads=1)
    landbridge.check_components((u, v), expected, num_vertices=drawn.n)
    rows = landbridge.Graph((u, v), num_vertices=drawn.n).to_rows()
    for threads in (2, 3, 16):
        for plan in ("auto", "rem_cas(naive,halve_one)@cpu(skip=tree)", "async(halve)"):
            for edges in ((u, v), small):
                answer = landbridge.components(edges, num_vertices=drawn.n, plan=plan, threads=threads)
                assert np.array_equal(answer.labels, expected.labels), (plan, threads)
            forest = landbridge.spanning_forest((u, v), num_vertices=drawn.n, plan=plan, threads=threads)
            landbridge.check_forest(landbridge.Graph((u, v), num_vertices=drawn.n), forest)
        for plan in ("auto", "async(halve)", "hb(4)+async(halve)"):
            assert np.array_equal(landbridge.components(rows, plan=plan, threads=threads).labels, expected.labels), plan
            landbridge.check_forest(rows, landbridge.spanning_forest(rows, plan=plan, threads=threads))


@pytest.mark.parametrize("form", ["stream-made", "stream-random-1e5"])
@pytest.mark.parametrize("structure", ["uniform-4", "star-last", "path"])
def test_every_edge_of_a_stream_is_united(structure: str, form: str, refused_parts: None) -> None:
    drawn = draw(f"{structure}/permuted/{form}/6e5")
    u, v = drawn.pairs()
    expected = landbridge.components((u, v), num_vertices=drawn.n, threads=1)
    for threads in (2, 16):
        for plan in ("auto", "async(halve)"):
            trees = landbridge.Incremental(drawn.n, plan=plan, threads=threads, forest=True)
            for batch in drawn.batches((u, v)):
                trees.insert(*batch)
            assert trees.count == expected.count
            assert np.array_equal(trees.components().labels, expected.labels), (plan, threads)
            landbridge.check_forest(landbridge.Graph((u, v), num_vertices=drawn.n), trees.forest())


def test_callers_at_the_same_time_lose_no_edge(refused_parts: None) -> None:
    drawn = draw("uniform-4/permuted/stream-random-1e5/1e6")
    u, v = drawn.pairs()
    trees = landbridge.Incremental(drawn.n, threads=4)
    with ThreadPoolExecutor(2) as callers:
        list(callers.map(lambda batch: trees.insert(*batch), drawn.batches((u, v))))
    expected = landbridge.components((u, v), num_vertices=drawn.n, threads=1)
    assert trees.position == len(u)
    assert np.array_equal(trees.components().labels, expected.labels)
