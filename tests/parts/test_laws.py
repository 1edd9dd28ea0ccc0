"""Laws of several processors: however edges are divided, in whatever order and how often, the answer is that of one."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from parts.fake import FakeDevice
from property.strategies import Pairs, pairs

import landbridge
from landbridge import Incremental
from landbridge.engine.parts.processors import CpuThreads, Processor
from landbridge.engine.parts.trees import PartsTrees
from landbridge.plan import parse

PLANS = ("async(inter)", "rem_cas(naive,halve_one)", "jtb(two_try)", "shiloach_vishkin", "rem_lock(naive,split_one)")
FORESTS = PLANS[:2]


def processors(kinds: list[str]) -> list[Processor]:
    return [CpuThreads(i, 1) if kind == "cpu" else FakeDevice(i) for i, kind in enumerate(kinds)]


kinds = st.lists(st.sampled_from(["cpu", "fake"]), min_size=1, max_size=8)


def parts_trees(
    graph: Pairs, kinds: list[str], plan: str, piece: int, *, forest: bool = False, bulk: bool = True
) -> Any:
    return PartsTrees(processors(kinds), parse(plan), graph.n, forest, 2, bulk=bulk, piece=piece)


def reference(graph: Pairs) -> landbridge.Components:
    return landbridge.components((graph.u, graph.v), num_vertices=graph.n, plan="serial_search@cpu", threads=1)


def assert_same_partition(result: Any, graph: Pairs) -> None:
    expected = reference(graph)
    count, labels = result
    assert (count, labels.dtype) == (expected.count, expected.labels.dtype)
    assert np.array_equal(labels, expected.labels)


@given(pairs(), kinds, st.sampled_from(PLANS), st.integers(1, 50), st.integers(0, 2**32))
@settings(max_examples=15)
def test_any_split_order_and_repetition_gives_the_answer_of_one(
    graph: Pairs, kinds: list[str], plan: str, piece: int, seed: int
) -> None:
    trees = parts_trees(graph, kinds, plan, max(piece, len(graph.u) // 64))
    order = np.random.default_rng(seed).permutation(len(graph.u))
    trees.insert(graph.u, graph.v)
    trees.insert(graph.v[order], graph.u[order])  # once more, the other way round
    assert sum(share.edges for share in trees.shares()) == 2 * len(graph.u)
    assert_same_partition(trees.labels(2, to_host=True), graph)
    assert_same_partition(trees.labels(2, consume=True, to_host=True), graph)  # merged again


@given(pairs(), kinds, st.sampled_from(FORESTS), st.integers(1, 50), st.integers(1, 4))
@settings(max_examples=12)
def test_a_forest_names_the_edges_of_the_input_whichever_processor_linked_them(
    graph: Pairs, kinds: list[str], plan: str, piece: int, batches: int
) -> None:
    trees = parts_trees(graph, kinds, plan, max(piece, len(graph.u) // 64), forest=True, bulk=False)
    for part in np.array_split(np.arange(len(graph.u)), batches):
        trees.insert(graph.u[part], graph.v[part])
        assert trees.count >= 0
    position, roots, (u, v, at) = trees.snapshot(True)
    assert position == len(graph.u)
    assert np.array_equal(np.sort([u, v], axis=0), np.sort([graph.u[at], graph.v[at]], axis=0))
    landbridge.check_forest((graph.u, graph.v), (u, v, at), num_vertices=graph.n) if graph.n else None
    assert_same_partition((trees.count, reference(graph).labels), graph)
    assert np.array_equal(roots, reference(graph).representatives)


@given(pairs(), kinds, st.booleans(), st.sampled_from(["auto", "kout(2)+async(halve)", "bfscc", "soman"]))
@settings(max_examples=12)
def test_blocks_of_a_graph_give_the_answer_of_the_whole(graph: Pairs, kinds: list[str], rows: bool, plan: str) -> None:
    whole = graph.graph().to_rows(1) if rows else graph.graph()
    result = landbridge.components(whole, plan=plan, devices=processors(kinds))  # type: ignore[arg-type]
    assert_same_partition((result.count, result.labels), graph)
    if plan in ("auto", "kout(2)+async(halve)"):
        forest = landbridge.spanning_forest(whole, plan=plan, devices=processors(kinds))  # type: ignore[arg-type]
        landbridge.check_forest(whole, forest)
        assert forest.count == result.count


@given(pairs(), st.data())
@settings(max_examples=15)
def test_questions_between_batches_see_every_batch(graph: Pairs, data: st.DataObject) -> None:
    one = Incremental(graph.n, device="cpu")
    several = parts_trees(graph, data.draw(kinds), "async(inter)", 7, bulk=False)
    for part in np.array_split(np.arange(len(graph.u)), 3):
        u, v = graph.u[part], graph.v[part]
        queries = np.arange(len(u)) % 3 == 0
        bits = several.apply(u, v, queries.view(np.uint8), True)
        assert np.array_equal(bits, one.apply(u, v, queries, order="inserts_first"))
        assert (several.count, several.position, several.vertices) == (one.count, one.position, one.num_vertices)
        if len(u):
            assert np.array_equal(several.connected(u, u[::-1].copy()), one.connected(u, u[::-1].copy()))
            assert several.connected_one(int(u[0]), int(v[0])) == one.connected(int(u[0]), int(v[0]))


def test_more_processors_than_vertices_and_one_with_everything() -> None:
    empty = [(n, d, []) for n in (0, 1, 3) for d in (4, 8)]
    for n, d, edges in (*empty, (1, 4, [(0, 0)]), (1, 8, [(0, 0)]), (2, 4, [(0, 1)]), (2, 8, [(0, 1)])):
        u, v = np.array(edges, dtype=np.int64).reshape(-1, 2).T.copy()
        graph = Pairs(n, u, v)
        for rows in (False, True):
            whole = graph.graph().to_rows(1) if rows else graph.graph()
            result = landbridge.components(whole, devices=["cpu"] * d)
            assert_same_partition((result.count, result.labels), graph)
            landbridge.check_forest(whole, landbridge.spanning_forest(whole, devices=["cpu"] * d))
    u = np.arange(1000)
    trees = parts_trees(Pairs(1000, u, u), ["cpu"] * 3, "async(inter)", 1000)
    trees.insert(u[:-1], u[1:])
    assert sorted(share.edges for share in trees.shares()) == [0, 0, 999]
    assert trees.labels(1, to_host=True)[0] == 1
