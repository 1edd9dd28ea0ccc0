"""Laws of connected components, for random graphs and random plans. No law needs the answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.reference import by_scipy, by_search, first_seen

import landbridge
from landbridge import Graph, check_components
from landbridge.edges.forms import Adjacency
from property.strategies import Ids, Pairs, Way, pairs, ways


@given(pairs(), ways())
def test_labels_are_those_of_the_search(graph: Pairs, way: Way) -> None:
    assert np.array_equal(way.labels(graph), by_search(graph.n, graph.u.tolist(), graph.v.tolist()))


@given(pairs(), ways())
def test_labels_are_those_of_scipy(graph: Pairs, way: Way) -> None:
    pytest.importorskip("scipy")
    assert np.array_equal(way.labels(graph), by_scipy(graph.n, graph.u, graph.v))


@given(pairs(), ways(), ways())
def test_two_plans_agree_and_the_checker_with_them(graph: Pairs, one: Way, other: Way) -> None:
    labels = one.labels(graph)
    assert np.array_equal(labels, other.labels(graph))
    check_components(graph.graph(), labels, numbering=True)


@given(pairs(), ways(), st.randoms(use_true_random=False))
def test_renaming_vertices_renames_the_parts(graph: Pairs, way: Way, random: object) -> None:
    names = np.random.default_rng(random.getrandbits(32)).permutation(graph.n)  # type: ignore[attr-defined]
    renamed = way.labels(Pairs(graph.n, names[graph.u], names[graph.v]))
    assert np.array_equal(first_seen(renamed[names]), way.labels(graph))


@given(pairs(), ways(), st.integers(0, 2**32), st.integers(1, 3))
def test_order_direction_and_repetition_of_edges_mean_nothing(graph: Pairs, way: Way, seed: int, times: int) -> None:
    rng = np.random.default_rng(seed)
    again = np.tile(np.arange(len(graph.u)), times)
    rng.shuffle(again)
    turn = rng.random(len(again)) < 0.5
    a, b = graph.u[again], graph.v[again]
    stirred = Pairs(graph.n, np.where(turn, a, b), np.where(turn, b, a))
    assert np.array_equal(way.labels(stirred), way.labels(graph))


@given(pairs(least=1), ways(), st.data())
def test_loops_mean_nothing(graph: Pairs, way: Way, data: st.DataObject) -> None:
    loops = np.array(data.draw(st.lists(st.integers(0, graph.n - 1), max_size=30)), dtype=np.int64)
    looped = Pairs(graph.n, np.concatenate([loops, graph.u]), np.concatenate([loops, graph.v]))
    assert np.array_equal(way.labels(looped), way.labels(graph))


@given(pairs(), pairs(), ways())
def test_side_by_side_counts_add(left: Pairs, right: Pairs, way: Way) -> None:
    u, v = np.concatenate([left.u, right.u + left.n]), np.concatenate([left.v, right.v + left.n])
    labels = way.labels(Pairs(left.n + right.n, u, v))
    count = way.count(left)
    assert np.array_equal(labels[: left.n], way.labels(left))
    assert np.array_equal(labels[left.n :], way.labels(right) + count)


@given(pairs(), ways(), ways(), st.data())
def test_parts_of_the_edges_merge_to_the_whole(graph: Pairs, one: Way, other: Way, data: st.DataObject) -> None:
    """Components of the edges (i, representative of i in each part) are those of all edges."""
    cut = data.draw(st.integers(0, len(graph.u)))
    u, v = [], []
    for way, part in ((one, slice(None, cut)), (other, slice(cut, None))):
        labels = way.labels(Pairs(graph.n, graph.u[part], graph.v[part]))
        first = np.unique(labels, return_index=True)[1]
        u.append(np.arange(graph.n))
        v.append(first[labels] if graph.n else labels)
    merged = Pairs(graph.n, np.concatenate(u), np.concatenate(v))
    assert np.array_equal(one.labels(merged), other.labels(graph))


@given(pairs(least=1), ways(), st.data())
def test_one_more_edge_joins_two_parts_or_none(graph: Pairs, way: Way, data: st.DataObject) -> None:
    vertex = st.integers(0, graph.n - 1)
    a, b = data.draw(vertex), data.draw(vertex)
    before = way.labels(graph)
    more = Pairs(graph.n, np.append(graph.u, a), np.append(graph.v, b))
    after = way.labels(more)
    joined = int(before[a] != before[b])
    assert way.count(graph) - way.count(more) == joined
    assert after[a] == after[b]
    if not joined:
        assert np.array_equal(before, after)


@given(pairs(), ways())
def test_results_describe_one_partition(graph: Pairs, way: Way) -> None:
    result = landbridge.components(graph.graph(), plan=way.plan, threads=way.threads)
    n, labels = graph.n, result.labels
    representatives = result.representatives
    assert np.array_equal(labels[representatives], labels)
    assert np.all(representatives <= np.arange(n))
    assert np.array_equal(np.flatnonzero(representatives == np.arange(n)), result.first)
    sizes = result.sizes()
    assert (len(sizes), int(sizes.sum())) == (result.count, n)
    offsets, members = result.groups()
    assert np.array_equal(np.diff(offsets), sizes)
    assert np.array_equal(np.sort(members), np.arange(n))
    assert np.array_equal(labels[members], np.repeat(np.arange(result.count), sizes))
    assert len(result.largest()) == result.largest_size


def rows(n: int, u: Ids, v: Ids) -> tuple[Ids, Ids]:
    offsets = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(u, minlength=n), out=offsets[1:])
    return offsets, v[np.argsort(u, kind="stable")]


@given(pairs(), ways(), st.integers(0, 2**32))
def test_rows_may_hold_an_edge_at_either_end_or_both(graph: Pairs, way: Way, seed: int) -> None:
    n, low, high = graph.n, np.minimum(graph.u, graph.v), np.maximum(graph.u, graph.v)
    turn = np.random.default_rng(seed).random(len(low)) < 0.5
    stored = {
        "upper": (low, high),
        "lower": (high, low),
        "mixed": (np.where(turn, low, high), np.where(turn, high, low)),
        "both": (np.concatenate([low, high]), np.concatenate([high, low])),
    }
    expected = way.labels(graph)
    for name, (u, v) in stored.items():
        for promise in (None, False, True) if name == "both" else (None, False):
            csr = Graph(Adjacency(*rows(n, u, v)), symmetric=promise)
            labels = landbridge.components(csr, plan=way.plan, threads=way.threads).labels
            assert np.array_equal(labels, expected), (name, promise)


DTYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", ">u2", ">u4", ">u8", ">i4", ">i8", "f4", "f8", ">f8", "O"]
SHAPES = ["pair", "(m, 2)", "(2, m)", "fortran", "strided", "reversed", "read-only", "transposed", "list"]


@given(pairs(most=100), ways(), st.sampled_from(DTYPES), st.sampled_from(SHAPES))
def test_every_type_and_layout_of_memory_is_the_same_graph(graph: Pairs, way: Way, dtype: str, shape: str) -> None:
    kind = np.dtype(dtype)
    if kind.kind in "iu" and graph.n > np.iinfo(kind).max:
        kind = np.dtype("u4")
    table = np.stack([graph.u, graph.v], axis=1).astype(kind)
    padded = np.zeros((3 * len(table), 5), dtype=kind)
    padded[::3, [1, 3]] = table
    frozen = table.copy()
    frozen.setflags(write=False)
    source: object = {
        "pair": (table[:, 0].copy(), table[:, 1].copy()),
        "(m, 2)": table,
        "(2, m)": table.T.copy() if len(table) != 2 else table,
        "fortran": np.asfortranarray(table),
        "strided": padded[::3, 1:4:2],
        "reversed": (table[::-1, 1], table[::-1, 0]),
        "read-only": frozen,
        "transposed": np.ascontiguousarray(table.T).T,
        "list": list(map(tuple, table.tolist())),
    }[shape]
    if shape == "list" and kind.kind == "f":
        source = table
    result = landbridge.components(source, num_vertices=graph.n, plan=way.plan, threads=way.threads)
    assert np.array_equal(result.labels, by_search(graph.n, graph.u.tolist(), graph.v.tolist()))


@given(pairs(), ways(), st.integers(0, 2**32), st.sampled_from(["i4", "i8", "u4", "u8"]))
def test_sparse_ids_are_dense_ids_under_other_names(graph: Pairs, way: Way, seed: int, dtype: str) -> None:
    rng = np.random.default_rng(seed)
    limits = np.iinfo(np.dtype(dtype))
    names = np.unique(rng.integers(limits.min, limits.max, graph.n + 5, dtype=dtype, endpoint=True))[: graph.n]
    if len(names) < graph.n:
        return
    pair = (names[graph.u], names[graph.v])
    result = landbridge.components(pair, ids="sparse", plan=way.plan, threads=way.threads)
    occur = np.unique(np.concatenate([graph.u, graph.v]))
    assert result.ids is not None
    assert np.array_equal(result.ids, names[occur])
    assert np.array_equal(result.labels, first_seen(way.labels(graph)[occur]))
