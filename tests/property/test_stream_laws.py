"""Laws of streams with ids: however the rows are cut, kept and put together, they say what the rows say."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.clusters import Clusters, Row, changes

import landbridge
from landbridge import Incremental

PLANS = landbridge.plans("incremental", engine="cpu")
FOREST_PLANS = [plan for plan in PLANS if "splice)" not in plan]

TEXTS = [
    "",
    "a",
    "A",
    "ab",
    "b",
    "\N{LATIN SMALL LETTER E WITH ACUTE}",
    "\N{CJK UNIFIED IDEOGRAPH-4E2D}",
    "z" * 70,
    "\U0001f600",
    "0",
    "00",
    " ",
]
NUMBERS = [0, 1, 2, -1, 7, -(2**63), 2**62, 10**12, -5, 2**63 - 1, 2**31, 4]
LARGE = [0, 1, 2, 2**63, 7, 2**64 - 1, 2**62, 10**12, 5, 2**63 - 1, 2**31, 4]


@st.composite
def rows(draw: st.DrawFn) -> tuple[str, list[Row]]:
    """The kind of ids, and rows of them: a few awkward ones, or many."""
    kind = draw(st.sampled_from(["names", "sparse"]))
    if draw(st.integers(0, 5)):
        ids = draw(st.permutations(TEXTS if kind == "names" else draw(st.sampled_from([NUMBERS, LARGE]))))
        end = st.sampled_from(ids)
        return kind, draw(st.lists(st.tuples(end, end), max_size=20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.sampled_from([60, 600]))
    numbers = rng.integers(0, 2**40, n)
    ids = [f"{x:x}" for x in numbers.tolist()] if kind == "names" else numbers.tolist()
    u, v = rng.integers(0, n, (2, draw(st.sampled_from([n // 3, n])))).tolist()
    return kind, [(ids[a], ids[b]) for a, b in zip(u, v, strict=True)]


def columns(some: list[Row], kind: str) -> tuple[Any, Any]:
    if kind == "names":
        return [u for u, _ in some], [v for _, v in some]
    large = any(x >= 2**63 for row in some for x in row)
    u, v = np.array(some, dtype=np.uint64 if large else np.int64).reshape(-1, 2).T
    return u, v


def insert(stream: Incremental, some: list[Row], how: int) -> None:
    kind = stream.ids
    assert kind is not None
    if how == 0 and len(some) < 50:
        for u, v in some:
            stream.insert(u, v)
    elif how == 1:
        stream.apply(*columns(some, kind), np.zeros(len(some), dtype=bool))
    else:
        stream.insert(*columns(some, kind))


def cuts(draw: st.DrawFn, m: int) -> list[slice]:
    stops = sorted(draw(st.lists(st.integers(0, m), max_size=4)))
    return [slice(a, b) for a, b in zip([0, *stops], [*stops, m], strict=True)]


def says(stream: Incremental, expected: Clusters, strangers: list[Any]) -> None:
    """The stream says of all ids, and of some that it has not seen, what the rows say."""
    ids = expected.ids()
    answer = stream.components()
    assert list(answer.ids) == ids
    assert answer.labels.tolist() == expected.labels()
    assert (len(stream), stream.count) == (len(ids), answer.count)
    queried = [*ids, *strangers]
    if not queried:
        return
    column = queried if stream.ids == "names" else np.array(queried, dtype=object)
    for kind in ("smallest", "oldest"):
        assert stream.find(column, representative=kind).tolist() == [expected.find(x, kind) for x in queried]
        frame = stream.frame("pyarrow", representative=kind).to_pydict()
        assert frame == {
            "id": ids,
            "component": answer.labels.tolist(),
            "representative": [expected.find(x, kind) for x in ids],
        }
    assert stream.size(column).tolist() == [len(expected.members(x)) for x in queried]
    for x in queried[:: max(1, len(queried) // 5)]:
        assert stream.members(x).tolist() == expected.members(x)
        assert stream.size(x) == len(expected.members(x))
        assert stream.find(x) == expected.find(x, "smallest")
        assert type(stream.find(x)) is type(x)
    other = queried[::-1]
    backwards = other if stream.ids == "names" else np.array(other, dtype=object)
    together = [x == y or y in expected.of.get(x, ()) for x, y in zip(queried, other, strict=True)]
    assert stream.connected(column, backwards).tolist() == together
    assert len(stream) == len(ids), "asking made an id known"


@given(rows(), st.data())
def test_any_batches_of_the_rows_say_what_all_of_them_say(
    given_rows: tuple[str, list[Row]], data: st.DataObject
) -> None:
    kind, some = given_rows
    plan, threads = data.draw(st.sampled_from(PLANS)), data.draw(st.integers(1, 3))
    stream = Incremental(ids=kind, plan=plan, threads=threads)
    for batch in data.draw(st.composite(cuts)(len(some))):
        insert(stream, some[batch], data.draw(st.integers(0, 2)))
        if data.draw(st.booleans()):  # the order of ids goes on from what it was when they were last looked at
            says(stream, Clusters(some[: batch.stop]), [])
    assert stream.position == len(some)
    strangers = ["stranger", "b "] if kind == "names" else [3, 10**15]
    says(stream, Clusters(some), [x for x in strangers if x not in Clusters(some).of])


@pytest.mark.long
@given(rows(), st.data())
def test_saved_journalled_compacted_and_reopened_it_is_the_same(
    given_rows: tuple[str, list[Row]], data: st.DataObject
) -> None:
    kind, some = given_rows
    forest = data.draw(st.booleans())
    batches = data.draw(st.composite(cuts)(len(some)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "j"
        stream = Incremental(ids=kind, journal=path, forest=forest, sync=False)
        for batch in batches:
            insert(stream, some[batch], data.draw(st.integers(0, 2)))
            step = data.draw(st.sampled_from(["go on", "compact", "reopen", "save"]))
            if step == "compact":
                stream.compact()
            if step in ("compact", "reopen"):
                stream.close()
                stream = Incremental(ids=kind, journal=path, forest=forest, sync=False)
            if step == "save":
                stream.save(Path(folder) / "s")
                says(Incremental.load(Path(folder) / "s"), Clusters(some[: batch.stop]), [])
        says(stream, Clusters(some), [])
        if forest:
            for batch in batches:
                for called in ("smallest", "oldest"):
                    was, now = Clusters(some[: batch.start]), Clusters(some)
                    reported = stream.changes(batch.start, representative=called)
                    expected = changes(was, now, called)
                    assert [(c.representative, list(c.merged), list(c.new)) for c in reported] == expected
        stream.close()


@given(rows(), st.data())
def test_streams_put_together_are_one_behind_the_other(given_rows: tuple[str, list[Row]], data: st.DataObject) -> None:
    kind, some = given_rows
    forest = data.draw(st.booleans())
    parts = [some[batch] for batch in data.draw(st.composite(cuts)(len(some)))]
    streams = []
    for part in parts:
        stream = Incremental(ids=kind, forest=forest)
        insert(stream, part, 2)
        streams.append(stream)
    order = data.draw(st.permutations(range(len(parts))))
    merged = Incremental(ids=kind, forest=forest)
    behind: list[Row] = []
    for i in order:
        merged.merge(streams[i])
        behind += parts[i]
    assert merged.position == len(some)
    says(merged, Clusters(behind), [])
    if forest:
        # A batch is the rows of a stream that was merged.
        expected = changes(Clusters(behind[: len(parts[order[0]])]), Clusters(behind), "oldest")
        reported = merged.changes(len(parts[order[0]]), representative="oldest")
        assert [(c.representative, list(c.merged), list(c.new)) for c in reported] == expected


@given(rows(), st.data())
def test_queries_of_a_batch_see_its_inserts_and_make_nothing_known(
    given_rows: tuple[str, list[Row]], data: st.DataObject
) -> None:
    kind, some = given_rows
    stream = Incremental(ids=kind, plan=data.draw(st.sampled_from(PLANS)))
    asks = np.array(data.draw(st.lists(st.booleans(), min_size=len(some), max_size=len(some))), dtype=bool)
    bits = stream.apply(*columns(some, kind), asks, order="inserts_first")
    expected = Clusters([row for row, ask in zip(some, asks, strict=True) if not ask])
    answers = np.unpackbits(bits, count=len(some), bitorder="little")
    for (u, v), ask, answer in zip(some, asks, answers, strict=True):
        assert answer == (ask and (u == v or v in expected.of.get(u, ())))
    says(stream, expected, [])


@given(rows(), st.sampled_from(FOREST_PLANS), st.data())
def test_the_forest_is_of_edges_between_ids(given_rows: tuple[str, list[Row]], plan: str, data: st.DataObject) -> None:
    kind, some = given_rows
    stream = Incremental(ids=kind, plan=plan, forest=True)
    for batch in data.draw(st.composite(cuts)(len(some))):
        insert(stream, some[batch], 2)
    forest = stream.forest()
    joined = list(zip(forest.u.tolist(), forest.v.tolist(), strict=True))
    assert joined == [some[i] for i in forest.edge.tolist()]
    assert len(joined) == len(stream) - stream.count
    spanned = Clusters([*joined, *((x, x) for row in some for x in row)])
    assert spanned.labels() == Clusters(some).labels()
