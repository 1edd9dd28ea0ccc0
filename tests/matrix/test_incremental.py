"""Every plan of streams on every graph of the zoo, cut into batches: the labels of `components`, right answers.

No plan is named here. Widths, threads, batch sizes, growth and the way of inserting take turns by a fixed rota.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

import numpy as np
import pytest
from oracles.reference import by_sets
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import Incremental, SpanningForest, _core, check_forest
from landbridge.plan import parse
from matrix.configurations import with_ids

PLANS = landbridge.plans("incremental", engine="cpu", extended=True)
WAYS = tuple(product(("int32", "int64"), (1, 3), ("narrow", "wide"), ("insert", "apply", "inserts_first"), (7, 5000)))


def rota(number: int) -> Iterator[tuple[Specimen, tuple[str, int, str, str, int]]]:
    for i, specimen in enumerate(zoo()):
        yield specimen, WAYS[(i + 7 * number) % len(WAYS)]


def batches(specimen: Specimen, size: int) -> Iterator[slice]:
    # A few batches of the size, then the rest at once: a thousand tiny ones would show no more.
    m = len(specimen.u)
    starts = [*range(0, min(m, 4 * size), size), m]
    for begin, end in pairwise(starts):
        yield slice(begin, end)


def feed(stream: Incremental, u: np.ndarray, v: np.ndarray, way: str) -> None:
    if way == "insert":
        stream.insert(u, v)
        return
    # Every edge, then a query about it: sure to be answered by "yes" where inserts come first.
    both = np.zeros(2 * len(u), dtype=bool)
    both[1::2] = True
    order = "inserts_first" if way == "inserts_first" else None
    bits = stream.apply(np.repeat(u, 2), np.repeat(v, 2), both, order=order)
    answers = np.unpackbits(bits, count=2 * len(u), bitorder="little").astype(bool)
    assert not answers[::2].any()
    if order is not None or not stream.mixed:
        assert answers[1::2].all()


def check_kept(forest: SpanningForest, specimen: Specimen, way: str) -> None:
    at = forest.edge if way == "insert" else forest.edge // 2  # every other operation was a query
    check_forest(specimen.graph("coo"), (forest.u, forest.v, at))


@pytest.mark.parametrize("text", PLANS)
def test_every_plan_on_every_graph(text: str) -> None:
    for specimen, (dtype, threads, ids, way, size) in rota(PLANS.index(text)):
        plan = with_ids(text, ids)
        stream = Incremental(
            specimen.n if size == 7 else 0, plan=plan, threads=threads, forest=not parse(text).finish.no_forest
        )
        where = f"{text} on {specimen}, {dtype}, {threads} threads, {ids}, {way}, batches of {size}"
        assert stream.mixed == parse(text).finish.mixed
        u, v = specimen.u.astype(dtype), specimen.v.astype(dtype)
        for batch in batches(specimen, size):
            feed(stream, u[batch], v[batch], way)
        n = stream.num_vertices
        assert n == (specimen.n if size == 7 else int(max(u.max(), v.max())) + 1 if len(u) else 0), where
        count, labels = stream.components()
        assert stream.count == count, where
        assert np.array_equal(labels, specimen.answer[:n]), where
        assert stream.connected(u, v).all(), where
        if not parse(text).finish.no_forest:
            check_kept(stream.forest(), specimen, way)


@pytest.mark.parametrize("text", PLANS)
def test_answers_between_batches_are_those_of_the_moment(text: str) -> None:
    rng = np.random.default_rng(PLANS.index(text))
    n, stream = 60, Incremental(plan=text, threads=2)
    u, v = rng.integers(0, n, 90), rng.integers(0, n, 90)
    for end in range(0, 91, 15):
        stream.insert(u[max(0, end - 15) : end], v[max(0, end - 15) : end])
        labels = by_sets(2 * n, u[:end], v[:end])  # vertices beyond those known are alone
        a, b = rng.integers(0, 2 * n, (2, 200))
        assert np.array_equal(stream.connected(a, b), labels[a] == labels[b])
        bits = stream.apply(a, b, np.ones(200, dtype=bool))
        assert np.array_equal(np.unpackbits(bits, bitorder="little"), labels[a] == labels[b])


@pytest.mark.parametrize("text", PLANS)
def test_exclusive_inserts_make_what_concurrent_inserts_make(text: str) -> None:
    finish = parse(text).finish
    rule = _core.StreamRule(finish.link, finish.find, finish.splice, list(finish.words))
    for i, specimen in enumerate(zoo()):
        # The whole by one thread; pieces short enough for one thread of three; and cells that become wider on the way.
        size, threads, start = [(5000, 1, specimen.n), (7, 3, 0), (50, 1, 0)][(i + PLANS.index(text)) % 3]
        how = {
            "vertices": start,
            "threads": threads,
            "keep_forest": not finish.no_forest,
            "narrow_most": specimen.n // 2 if size == 50 else 2**31 - 1,
        }
        both = [_core.IncrementalTrees(rule, _core.StreamOptions(bulk=bulk, **how)) for bulk in (False, True)]
        where = f"{text} on {specimen}, batches of {size}"
        for batch in batches(specimen, size):
            for trees in both:
                trees.insert(specimen.u[batch], specimen.v[batch])
            assert both[0].count == both[1].count, where
        (count, expected), (k, labels) = (trees.labels(threads) for trees in both)
        assert count == k == both[1].count, where
        assert np.array_equal(labels, expected), where
        assert np.array_equal(labels, specimen.answer[: len(labels)]), where
        if not finish.no_forest:
            _, _, forest = both[1].snapshot(True)
            check_forest(specimen.graph("coo"), forest)
        answer = both[0].labels(threads, consume=True)
        assert answer[0] == count, where
        assert np.array_equal(answer[1], expected), where
        again = both[0]  # empty, where the labels are in the memory of its trees
        assert again.vertices in ((0,) if finish.link == "rem_cas" else (0, len(labels))), where
        if again.vertices == 0:
            again.insert(np.array([2]), np.array([1]))
            assert (again.vertices, again.count) == (3, 2), where
