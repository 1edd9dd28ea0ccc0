"""Laws of deduplication: one record of each component, the same whatever the order of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.reference import by_search

import landbridge
from property.strategies import Ids, Pairs, pairs

SEEDS = st.integers(0, 2**32)


def components_of(graph: Pairs) -> Ids:
    return by_search(graph.n, graph.u.tolist(), graph.v.tolist())


def names(ids: Ids) -> list[str]:
    """Texts in the order of the numbers."""
    return [f"{x:06d}" for x in ids.tolist()]


def shuffled(graph: Pairs, seed: int) -> tuple[Ids, Ids]:
    """The same pairs in another order, some of them turned round and some twice."""
    rng = np.random.default_rng(seed)
    order = np.concatenate([rng.permutation(len(graph.u)), rng.integers(0, max(1, len(graph.u)), len(graph.u) // 2)])
    turn = rng.random(len(order)) < 0.5
    u, v = graph.u[order.astype(np.int64)], graph.v[order.astype(np.int64)]
    return np.where(turn, v, u), np.where(turn, u, v)


@settings(max_examples=25)
@given(pairs())
def test_one_record_of_each_component_is_kept(graph: Pairs) -> None:
    whole = components_of(graph)
    answer = landbridge.deduplicate((graph.u, graph.v), num_vertices=graph.n)
    assert answer.id.tolist() == list(range(graph.n))
    assert sorted(whole[answer.keep].tolist()) == sorted(set(whole.tolist()))
    least = [int(np.argmax(whole == label)) for label in whole.tolist()] if graph.n <= 40 else None
    if least is not None:
        assert answer.representative.tolist() == least
    assert np.array_equal(answer.keep, answer.representative == answer.id)
    assert np.array_equal(answer.size, np.bincount(whole, minlength=1)[whole])


@settings(max_examples=25)
@given(pairs(), SEEDS, st.booleans())
def test_the_order_of_rows_does_not_matter(graph: Pairs, seed: int, text: bool) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(graph.n)
    u, v = shuffled(graph, seed)
    plain = landbridge.deduplicate((graph.u, graph.v), np.arange(graph.n))
    records = names(order) if text else order
    both = (names(u), names(v)) if text else (u, v)
    answer = landbridge.deduplicate(both, records)
    assert np.array_equal(answer.keep, plain.keep[order])
    assert np.array_equal(answer.size, plain.size[order])
    first = plain.representative[order]
    assert list(answer.representative) == (names(first) if text else first.tolist())


@settings(max_examples=25)
@given(pairs(), SEEDS)
def test_records_without_a_pair_are_kept(graph: Pairs, seed: int) -> None:
    rng = np.random.default_rng(seed)
    others = 2 * graph.n + 1 + rng.integers(0, 10**9, 5).cumsum()
    records = rng.permutation(np.concatenate([np.arange(graph.n), others]))
    answer = landbridge.deduplicate((graph.u, graph.v), records)
    alone = records > 2 * graph.n
    assert answer.keep[alone].all()
    assert (answer.size[alone] == 1).all()
    assert np.array_equal(answer.representative[alone], records[alone])


@settings(max_examples=25)
@given(pairs(), SEEDS)
def test_the_first_and_the_largest_number_are_kept(graph: Pairs, seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole, records = components_of(graph), rng.permutation(graph.n)
    first = landbridge.deduplicate((graph.u, graph.v), records, keep="first")
    _, where = np.unique(whole[records], return_index=True)
    assert np.array_equal(np.flatnonzero(first.keep), np.sort(where))
    # The first is the one with the largest number where numbers descend; a callable may select by any of them.
    falling = np.arange(graph.n)[::-1]
    assert np.array_equal(landbridge.deduplicate((graph.u, graph.v), records, keep=falling).keep, first.keep)
    ranks = dict(zip(records.tolist(), falling.tolist(), strict=True))
    choice = landbridge.deduplicate((graph.u, graph.v), records, keep=lambda ids: max(ids.tolist(), key=ranks.get))
    assert np.array_equal(choice.keep, first.keep)
    even = landbridge.deduplicate((graph.u, graph.v), records, keep=np.zeros(graph.n))
    assert np.array_equal(even.keep, landbridge.deduplicate((graph.u, graph.v), records).keep)


@settings(max_examples=25)
@given(pairs(), st.integers(1, 7))
def test_chunks_give_the_same(graph: Pairs, size: int) -> None:
    table = np.stack([graph.u, graph.v], axis=1)
    chunks = [table[begin : begin + size * 10] for begin in range(0, len(table), size * 10)]
    whole = landbridge.deduplicate((graph.u, graph.v), np.arange(graph.n))
    assert np.array_equal(landbridge.deduplicate(None, np.arange(graph.n), chunks=chunks).keep, whole.keep)
