"""Laws of merging: parts of the edges, answered apart, make the answer for all, in any order and repetition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import landbridge
from landbridge import Components, Incremental
from property.strategies import Ids, Pairs, pairs

STREAM_PLANS = landbridge.plans("incremental", engine="cpu")


@dataclass(frozen=True)
class Forest:
    """What any spanning forest has."""

    u: Ids
    v: Ids
    num_vertices: int


def part_of(graph: Pairs, chosen: Ids, form: str, rng: np.random.Generator) -> Any:
    """What is known from some of the edges, in one of the forms that can be merged."""
    u, v = graph.u[chosen], graph.v[chosen]
    found = landbridge.components((u, v), num_vertices=graph.n)
    if form == "components":
        return found
    if form == "labels":
        return found.labels
    if form == "names":  # labels of another numbering
        return rng.permutation(10 * found.count + 1)[found.labels]
    if form == "far names":
        return rng.permutation(found.count)[found.labels] * 10**12 if found.count else found.labels
    if form == "representatives":
        return found.representatives
    if form == "forest":
        # A star for each component is not made of the graph's edges, but says the same.
        below = np.flatnonzero(found.representatives != np.arange(graph.n))
        return Forest(below, found.representatives[below].astype(np.int64), graph.n)
    stream = Incremental(graph.n)
    stream.insert(u, v)
    return stream


FORMS = ("components", "labels", "names", "far names", "representatives", "forest", "stream")
forms = st.lists(st.sampled_from(FORMS), min_size=1, max_size=4)


def parts_of(graph: Pairs, wanted: list[str], seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, len(wanted), len(graph.u))
    return [part_of(graph, np.flatnonzero(owner == i), form, rng) for i, form in enumerate(wanted)]


def same(a: Components, b: Components) -> bool:
    return a.count == b.count and np.array_equal(a.labels, b.labels)


@given(pairs(), forms, st.integers(0, 2**32), st.integers(1, 3))
def test_parts_make_the_whole(graph: Pairs, wanted: list[str], seed: int, threads: int) -> None:
    whole = landbridge.components((graph.u, graph.v), num_vertices=graph.n)
    assert same(landbridge.merge(*parts_of(graph, wanted, seed), threads=threads), whole)


@given(pairs(), pairs(), pairs(), st.lists(st.sampled_from(FORMS), min_size=3, max_size=3), st.integers(0, 2**32))
def test_merging_is_associative_commutative_and_idempotent(
    one: Pairs, two: Pairs, three: Pairs, wanted: list[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    graphs = zip((one, two, three), wanted, strict=True)
    a, b, c = (part_of(g, np.arange(len(g.u)), form, rng) for g, form in graphs)
    all_of_them = landbridge.merge(a, b, c)
    assert len(all_of_them.labels) == max(one.n, two.n, three.n)
    assert same(landbridge.merge(landbridge.merge(a, b), c), all_of_them)
    assert same(landbridge.merge(a, landbridge.merge(b, c)), all_of_them)
    assert same(landbridge.merge(c, a, b), all_of_them)
    assert same(landbridge.merge(b, a), landbridge.merge(a, b))
    assert same(landbridge.merge(a, a, b, all_of_them, c), all_of_them)
    assert same(landbridge.merge(all_of_them), all_of_them)


@given(pairs(), st.integers(1, 5), st.integers(0, 2**32))
def test_named_parts_are_put_together_by_name(graph: Pairs, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = rng.choice(10**15, graph.n, replace=False)
    u, v = names[graph.u], names[graph.v]
    owner = rng.integers(0, count, len(u))
    parts = [landbridge.components((u[owner == i], v[owner == i]), ids="sparse") for i in range(count)]
    whole = landbridge.components((u, v), ids="sparse")
    merged = landbridge.merge(*parts)
    assert merged.ids is not None
    assert np.array_equal(merged.ids, whole.ids)
    assert same(merged, whole)


@given(pairs(), st.sampled_from(STREAM_PLANS), st.lists(st.integers(0, 50), max_size=6), st.integers(1, 3))
def test_chunks_make_the_whole_wherever_they_are_cut(graph: Pairs, plan: str, cuts: list[int], threads: int) -> None:
    ends = sorted(min(c, len(graph.u)) for c in cuts)
    table = np.column_stack([graph.u, graph.v])
    chunks = np.split(table, ends)
    whole = landbridge.components((graph.u, graph.v), num_vertices=graph.n)
    found = landbridge.components(chunks=iter(chunks), num_vertices=graph.n, plan=plan, threads=threads)
    assert same(found, whole)
    seen = max(graph.u.max(initial=-1), graph.v.max(initial=-1)) + 1
    assert same(landbridge.components(chunks=chunks, plan=plan), landbridge.components((graph.u, graph.v)))
    assert len(landbridge.components(chunks=chunks).labels) == seen
