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


def part_of(graph: Pairs, edges: Ids, form: str, rng: np.random.Generator) -> Any:
    """What is known from some of the edges, in one of the forms that can be merged."""
    u, v = graph.u[edges], graph.v[edges]
    answer = landbridge.components((u, v), num_vertices=graph.n)
    if form == "components":
        return answer
    if form == "labels":
        return answer.labels
    if form == "names":  # labels of another numbering
        return rng.permutation(10 * answer.count + 1)[answer.labels]
    if form == "far names":
        return rng.permutation(answer.count)[answer.labels] * 10**12 if answer.count else answer.labels
    if form == "representatives":
        return answer.representatives
    if form == "forest":
        # A star for each component is not made of the graph's edges, but says the same.
        below = np.flatnonzero(answer.representatives != np.arange(graph.n))
        return Forest(below, answer.representatives[below].astype(np.int64), graph.n)
    stream = Incremental(graph.n)
    stream.insert(u, v)
    return stream


FORMS = ("components", "labels", "names", "far names", "representatives", "forest", "stream")
forms = st.lists(st.sampled_from(FORMS), min_size=1, max_size=4)


def parts_of(graph: Pairs, forms: list[str], seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    owner = rng.integers(0, len(forms), len(graph.u))
    return [part_of(graph, np.flatnonzero(owner == i), form, rng) for i, form in enumerate(forms)]


def same(a: Components, b: Components) -> bool:
    return a.count == b.count and np.array_equal(a.labels, b.labels)


@given(pairs(), forms, st.integers(0, 2**32), st.integers(1, 3))
def test_parts_make_the_whole(graph: Pairs, forms: list[str], seed: int, threads: int) -> None:
    whole = landbridge.components((graph.u, graph.v), num_vertices=graph.n)
    assert same(landbridge.merge(*parts_of(graph, forms, seed), threads=threads), whole)


@given(pairs(), pairs(), pairs(), st.lists(st.sampled_from(FORMS), min_size=3, max_size=3), st.integers(0, 2**32))
def test_merging_is_associative_commutative_and_idempotent(
    one: Pairs, two: Pairs, three: Pairs, forms: list[str], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    graphs = zip((one, two, three), forms, strict=True)
    a, b, c = (part_of(g, np.arange(len(g.u)), form, rng) for g, form in graphs)
    all_of_them = landbridge.merge(a, b, c)
    assert len(all_of_them.labels) == max(one.n, two.n, three.n)
    assert same(landbridge.merge(landbridge.merge(a, b), c), all_of_them)
    assert same(landbridge.merge(a, landbridge.merge(b, c)), all_of_them)
    assert same(landbridge.merge(c, a, b), all_of_them)
    assert same(landbridge.merge(b, a), landbridge.merge(a, b))
    assert same(landbridge.merge(a, a, b, all_of_them, c), all_of_them)
    assert same(landbridge.merge(all_of_them), all_of_them)


def with_ids(u: Any, v: Any, form: str, threads: int) -> Any:
    """An answer, or what else can be merged, about edges between ids."""
    graph: Any = (u, v) if len(u) or u.dtype.kind == "i" else (np.empty(0, np.int64),) * 2
    ids = "sparse" if graph[0].dtype.kind == "i" else None
    if form == "forest":
        return landbridge.spanning_forest(landbridge.Graph(graph, ids=ids), threads=threads)
    if form == "chunks":
        cut = len(graph[0]) // 2
        chunks = [(graph[0][:cut], graph[1][:cut]), (graph[0][cut:], graph[1][cut:])]
        return landbridge.components(chunks=[c for c in chunks if len(c[0])], ids=ids, threads=threads)
    return landbridge.components(graph, ids=ids, threads=threads)


def same_ids(a: Components, b: Components) -> bool:
    assert a.ids is not None
    assert b.ids is not None
    return a.ids.tolist() == b.ids.tolist() and same(a, b)


WORDS = st.lists(st.text(max_size=6) | st.integers(0, 99).map(lambda i: f"record-{i:07d}"), min_size=1, max_size=9)


@given(
    pairs(),
    st.none() | WORDS,
    st.lists(st.sampled_from(["components", "chunks", "forest"]), min_size=1, max_size=4),
    st.integers(0, 2**32),
    st.integers(1, 3),
)
def test_parts_with_ids_make_the_whole(
    graph: Pairs, words: list[str] | None, forms: list[str], seed: int, threads: int
) -> None:
    rng = np.random.default_rng(seed)
    if words is None:
        table: Any = rng.choice(10**15, graph.n, replace=False) - 5 * 10**14
    else:  # two vertices may have one name
        table = np.array([words[i % len(words)] + str(i // len(words) or "") for i in range(graph.n)], dtype=object)
    u, v = table[graph.u], table[graph.v]
    whole = with_ids(u, v, "components", 1)
    assert whole.ids is not None
    order = (lambda x: x.encode()) if words is not None and len(u) else None
    assert whole.ids.tolist() == sorted(set(u) | set(v), key=order)
    # Rows in any order and either direction say the same.
    rows, turned = rng.permutation(len(u)), rng.random(len(u)) < 0.5
    a, b = np.where(turned, v, u)[rows], np.where(turned, u, v)[rows]
    for form in ("components", "chunks"):
        assert same_ids(with_ids(a, b, form, threads), whole)
    owner = rng.integers(0, len(forms), len(u))
    parts = [with_ids(a[owner == i], b[owner == i], form, threads) for i, form in enumerate(forms)]
    merged = landbridge.merge(*parts, threads=threads)
    assert same_ids(merged, whole)
    assert same_ids(landbridge.merge(*(parts[i] for i in rng.permutation(len(parts))), merged), whole)
    left = parts[0]
    for part in parts[1:]:
        left = landbridge.merge(left, part)
    assert same_ids(landbridge.merge(left), whole)


@given(pairs(), st.sampled_from(STREAM_PLANS), st.lists(st.integers(0, 50), max_size=6), st.integers(1, 3))
def test_chunks_make_the_whole_wherever_they_are_cut(graph: Pairs, plan: str, cuts: list[int], threads: int) -> None:
    stops = sorted(min(c, len(graph.u)) for c in cuts)
    table = np.column_stack([graph.u, graph.v])
    chunks = np.split(table, stops)
    whole = landbridge.components((graph.u, graph.v), num_vertices=graph.n)
    answer = landbridge.components(chunks=iter(chunks), num_vertices=graph.n, plan=plan, threads=threads)
    assert same(answer, whole)
    known = max(graph.u.max(initial=-1), graph.v.max(initial=-1)) + 1
    assert same(landbridge.components(chunks=chunks, plan=plan), landbridge.components((graph.u, graph.v)))
    assert len(landbridge.components(chunks=chunks).labels) == known
