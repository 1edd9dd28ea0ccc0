"""Edges that a thread unites by climbing to the roots of both endpoints (`climb=on`), instead of walks of the rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from oracles.zoo import zoo

import landbridge
from benchmarks.zoo.cells import draw
from landbridge import _core

LOOPS = ("walks", "climbs", "walks_from_larger")
NAMES = ("faster", *LOOPS, *(f"{loop}_unfetched" for loop in LOOPS))
FASTER, WALKS, CLIMBS, _, WALKS_UNFETCHED, CLIMBS_UNFETCHED, _ = range(-1, 6)
CLIMBING = (CLIMBS, CLIMBS_UNFETCHED)
PLANS = (
    "rem_cas(naive,halve_one)@cpu(climb=on)",
    "rem_cas(naive,split_one)@cpu(climb=on,owners=on)",
    "rem_cas(naive,splice)@cpu(climb=on,skip=tree)",
)  # fmt: skip
STRUCTURES = ("uniform-2", "uniform-16", "grid", "ring-8", "path", "tree-recent", "star-middle", "pairs", "cliques-8")
ORDERS = ("natural", "permuted")


@pytest.fixture(params=range(-1, 6), ids=NAMES)
def loop(request: pytest.FixtureRequest) -> Iterator[int]:
    """What a thread alone does for all edges, or the fastest."""
    before = _core.set_edge_loop(request.param)
    yield request.param
    _core.set_edge_loop(before)


def some_pairs(structure: str, order: str, form: str = "pairs-random") -> tuple[int, Any, Any]:
    drawn = draw(f"{structure}/{order}/{form}/1e5")
    return drawn.n, *drawn.pairs()


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_specimens(loop: int, dtype: str) -> None:
    for specimen in zoo():
        edges = (specimen.u.astype(dtype), specimen.v.astype(dtype))
        for plan in PLANS:
            for threads in (1, 2):
                result = landbridge.components(edges, num_vertices=specimen.n, plan=plan, threads=threads)
                assert result.count == specimen.count, (specimen.name, plan)
                assert np.array_equal(result.labels, specimen.answer), (specimen.name, plan)
        stream = landbridge.Incremental(specimen.n, plan=PLANS[0], threads=1)
        stream.insert(*edges)
        assert stream.count == specimen.count, specimen.name


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("ids", ["narrow", "wide"])
def test_components_and_forests(loop: int, structure: str, order: str, ids: str) -> None:
    n, u, v = some_pairs(structure, order)
    expected = landbridge.components((u, v), num_vertices=n, plan="async(halve)", threads=1)
    graph = landbridge.Graph((u, v), num_vertices=n)
    for plan in (each.replace("climb=on", f"climb=on,ids={ids}") for each in PLANS):
        for threads in (1, 2):
            answer = landbridge.components(graph, plan=plan, threads=threads)
            assert np.array_equal(answer.labels, expected.labels), (plan, threads)
            if loop in CLIMBING and threads == 1:
                assert answer.profile.climbed + answer.profile.left_out == len(u)
            if loop in (WALKS, WALKS_UNFETCHED):
                assert answer.profile.climbed == 0
            if "splice" not in plan.split("@")[0]:
                landbridge.check_forest(graph, landbridge.spanning_forest(graph, plan=plan, threads=threads))
            rows = graph.to_rows()
            assert np.array_equal(landbridge.components(rows, plan=plan, threads=threads).labels, expected.labels)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("batch", [1, 100, 2_000, 2**30])
def test_streams_and_their_forests(loop: int, structure: str, order: str, batch: int) -> None:
    n, u, v = some_pairs(structure, order)
    if batch == 1:
        u, v = u[:3_000], v[:3_000]
    expected = landbridge.components((u, v), num_vertices=n, plan="async(halve)", threads=1)
    stream = landbridge.Incremental(n, plan=PLANS[0], threads=1, forest=True)
    for i in range(0, len(u), batch):
        stream.insert(u[i : i + batch], v[i : i + batch])
    assert stream.count == expected.count
    assert np.array_equal(stream.components().labels, expected.labels)
    landbridge.check_forest(landbridge.Graph((u, v), num_vertices=n), stream.forest())


@pytest.mark.parametrize("structure", ["grid", "path", "ring-2", "tree-recent", "pairs"])
@pytest.mark.parametrize("form", ["pairs-sorted", "pairs-made", "pairs-reversed"])
def test_owners_climb_in_their_ranges(loop: int, structure: str, form: str) -> None:
    drawn = draw(f"{structure}/natural/{form}/5e5")
    u, v = (x.astype(np.int32) for x in drawn.pairs())
    graph = landbridge.Graph((u, v), num_vertices=drawn.n)
    expected = landbridge.components(graph, plan="async(halve)", threads=1)
    answer = landbridge.components(graph, threads=2)
    assert np.array_equal(answer.labels, expected.labels)
    forest = landbridge.spanning_forest(graph, threads=2)
    landbridge.check_forest(graph, forest)
    assert answer.profile.owned > 0 and forest.profile.owned > 0
    assert (answer.profile.climbed > 0) == (loop in CLIMBING) or loop == FASTER


@pytest.mark.parametrize("ids", ["narrow", "wide"])
def test_streams_in_which_most_edges_link_nothing(loop: int, ids: str) -> None:
    """A check before drops whole pieces, so that none of their edges is left to be united; and queries between."""
    rng = np.random.default_rng(5)
    n, m = 3_000, 40_000
    stream = landbridge.Incremental(n, plan=f"rem_cas(naive,halve_one)@cpu(climb=on,ids={ids})", threads=1)
    batches = [rng.integers(0, n, (2, m)) for _ in range(6)]
    for u, v in batches:
        stream.insert(u, v)
        stream.insert(u[:3], v[:3])
        assert stream.connected(u[:100], v[:100]).all()
    expected = landbridge.components(
        tuple(np.concatenate(side) for side in zip(*batches, strict=True)), num_vertices=n, plan="async(halve)"
    )
    assert np.array_equal(stream.components().labels, expected.labels)


@pytest.mark.parametrize("n", [20_000, 150_000, 400_000])
def test_pages_of_small_runs_hold_nothing_old(loop: int, n: int) -> None:
    """Runs of other sizes leave their parents in the pages that the next ones get."""
    rng = np.random.default_rng(7)
    for vertices in (n, n // 3, n, n // 7, n):
        u, v = rng.integers(0, vertices, (2, vertices), dtype=np.int32)
        expected = landbridge.components((u, v), num_vertices=vertices, plan="async(halve)", threads=1)
        for _ in range(2):
            answer = landbridge.components((u, v), threads=1)
            assert np.array_equal(answer.labels, expected.labels[: len(answer.labels)])


def test_the_faster_loop_is_found() -> None:
    """Of edges in random order nearly all climb; of a tree in the order in which it was made nearly none."""
    for structure, form, most_climb in (("grid-3d", "pairs-random", True), ("tree-recent", "pairs-made", False)):
        shares = []
        for _ in range(5):
            n, u, v = some_pairs(structure, "permuted", form)
            profile = landbridge.components((u, v), num_vertices=n, threads=1).profile
            shares.append(profile.climbed / len(u))
        assert (sorted(shares)[2] > 0.5) == most_climb, (structure, shares)


def test_plans_without_the_option_walk() -> None:
    n, u, v = some_pairs("grid", "permuted")
    before = _core.set_edge_loop(CLIMBS)
    try:
        for plan in (
            "rem_cas(naive,halve_one)",
            "rem_cas(naive,halve_one)@cpu(climb=off)",
            "async(halve)@cpu(climb=off)",
        ):
            assert landbridge.components((u, v), num_vertices=n, plan=plan, threads=1).profile.climbed == 0
    finally:
        _core.set_edge_loop(before)
