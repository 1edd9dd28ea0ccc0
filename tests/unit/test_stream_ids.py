"""Streams with ids: what they take and refuse, and how they are queried by id."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import Incremental, InputError
from landbridge.edges.numbering import Numbering
from landbridge.plan import parse
from landbridge.streams.ids import StreamIds


def frames() -> list[Callable[[list[Any]], Any]]:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    return [
        list,
        tuple,
        np.array,
        lambda x: np.array(x, dtype=object),
        pandas.Series,
        lambda x: pandas.Series(x, dtype="category"),
        polars.Series,
        arrow.array,
        lambda x: arrow.chunked_array([x[:1], x[1:]]),
    ]


@pytest.mark.parametrize("ids", [("names", ["b", "a", "a", "\u00e9"]), ("sparse", [2**40, -3, -3, 7])])
def test_columns_of_every_library(ids: tuple[str, list[Any]]) -> None:
    kind, u = ids
    v = u[::-1]
    for make in frames():
        stream = Incremental(ids=kind)
        stream.insert(make(u), make(v))
        stream.insert(u[0], make(u[:2]))
        assert stream.components().labels.tolist() == [0, 0, 0]
        assert stream.connected(make(u), u[0]).all()
        assert stream.find(make(u)).tolist() == [min(u)] * 4
        assert stream.size(make(u)).tolist() == [3] * 4
        bits = stream.apply(make(u), make(v), [True, False, True, True])
        assert int(bits[0]) == 0b1101
        assert stream.position == 10


@pytest.mark.parametrize(
    ("kind", "call", "message"),
    [
        ("names", lambda c: c.insert([1, 2], [3, 4]), "u holds numbers, and the ids of this stream are names"),
        ("names", lambda c: c.insert("a", 4), "v holds numbers, and the ids of this stream are names"),
        ("sparse", lambda c: c.insert(["a"], ["b"]), "u holds text, and the ids of this stream are whole numbers"),
        ("names", lambda c: c.insert(["a", None], ["b", "c"]), "edge 1: u is null"),
        ("names", lambda c: c.insert(["a", "b"], ["b"]), "u has 2 ids and v has 1; edge i needs both u[i] and v[i]"),
        ("names", lambda c: c.insert("\ud800", "b"), "u = '\\ud800' is no text in UTF-8"),
        ("sparse", lambda c: c.insert(2**64, 1), f"edge 0: u = {2**64} does not fit 64 bits"),
        ("sparse", lambda c: c.insert([0.5], [1]), "edge 0: u = 0.5 is not a whole number"),
        ("sparse", lambda c: c.find("a"), "id holds text, and the ids of this stream are whole numbers"),
        ("names", lambda c: c.find(3), "id holds numbers, and the ids of this stream are names"),
        ("names", lambda c: c.members(["a"]), "members takes one id; groups() of components() gives all clusters"),
        (
            "names",
            lambda c: c.find("a", representative="first"),
            "representative must be 'smallest' or 'oldest', not 'first'",
        ),
        (
            "names",
            lambda c: c.apply(["a"], ["b"], [True, False]),
            "is_query must have shape (1,) like u and v, not (2,)",
        ),
        ("names", lambda c: c.changes(0), "this stream keeps no forest: make it with forest=True"),
        ("names", lambda c: c.merge(Incremental()), "this stream has ids='names', and the other vertex numbers"),
    ],
)
def test_what_is_refused_changes_nothing(kind: str, call: Callable[[Incremental], object], message: str) -> None:
    stream = Incremental(ids=kind)
    stream.insert(*(("x", "y") if kind == "names" else (10**12, -1)))
    with refused(InputError, message):
        call(stream)
    assert (len(stream), stream.count, stream.position) == (2, 1, 1)


def test_other_refusals() -> None:
    with refused(InputError, "ids must be None, 'sparse' or 'names', not 'dense'"):
        Incremental(ids="dense")
    with refused(InputError, "num_vertices has no meaning with ids='names': vertices are the ids that occur"):
        Incremental(3, ids="names")
    stream = Incremental(ids="sparse")
    stream.insert(-1, 2)
    with refused(InputError, "some ids are negative and some from 2^63 on: no type of integers holds both"):
        stream.insert([2**63], [2])
    assert not stream.connected(2**64 - 1, 2), "-1 has the bits of 2^64 - 1"
    assert stream.find([2**64 - 1]).tolist() == [2**64 - 1]
    with refused(
        InputError, "representative='oldest' is for streams with ids: make it with ids='sparse' or ids='names'"
    ):
        Incremental(3).frame(representative="oldest")
    forest = Incremental(3, forest=True)
    for since in (1, -1, True, 0.5, None):
        with refused(InputError, f"since must be a position of the stream, 0 to 0, not {since!r}"):
            forest.changes(since)  # type: ignore[arg-type]


def test_streams_of_vertex_numbers_are_asked_alike() -> None:
    stream = Incremental(4, forest=True)
    stream.insert([3, 1], [2, 6])
    since = stream.position
    stream.insert(6, 3)
    assert stream.find([0, 3, 6, 9, 10**15]).tolist() == [0, 1, 1, 9, 10**15]
    assert (stream.find(6), stream.size(6), stream.size(50)) == (1, 4, 1)
    assert stream.size(np.array([0, 6])).tolist() == [1, 4]
    assert stream.members(2).tolist() == [1, 2, 3, 6]
    assert stream.members(70).tolist() == [70]
    assert [(c.representative, c.merged, c.new) for c in stream.changes(since)] == [(1, (1, 2), ())]
    assert stream.frame().to_pydict()["representative"] == [0, 1, 1, 1, 4, 5, 1]
    with refused(InputError, "query 1: id = -2 is negative"):
        stream.find([1, -2])


def test_the_oldest_representative_stays_until_an_older_one_comes() -> None:
    stream = Incremental(ids="names", forest=True)
    stream.insert(["m", "z"], ["k", "y"])
    stream.insert("a", "m")
    assert [stream.find(x, representative="oldest") for x in "akmyz"] == ["m", "m", "m", "z", "z"]
    since = stream.position
    stream.insert(["b", "q"], ["z", "q"])
    stream.insert("y", "k")
    result = [(c.representative, c.merged, c.new) for c in stream.changes(since, representative="oldest")]
    assert result == [("m", ("m", "z"), ("b",)), ("q", (), ("q",))]
    result = [(c.representative, c.merged, c.new) for c in stream.changes(since)]
    assert result == [("a", ("a", "y"), ("b",)), ("q", (), ("q",))]
    assert len(stream.changes(stream.position)) == 0
    assert stream.changes(stream.position).frame().num_rows == 0
    assert repr(stream.changes(since)) == "Changes(clusters=2, since=3, position=6)"
    frame = stream.changes(since, representative="oldest").frame("pandas")
    assert frame.to_dict("list") == {
        "representative": ["m", "m", "m", "q"],
        "was": ["b", "m", "z", "q"],
        "new": [True, False, False, True],
    }


@pytest.mark.parametrize("kind", ["names", "sparse"])
def test_numbers_do_not_depend_on_threads(kind: str) -> None:
    rng = np.random.default_rng(3)
    u, v = rng.integers(0, 40_000, (2, 60_000)) * 10**9
    if kind == "names":
        u, v = u.astype("U"), v.astype("U")
    frames = []
    for threads in (1, 2, 3):
        stream = Incremental(ids=kind, threads=threads)
        stream.insert(u[:50_000], v[:50_000])
        stream.insert(u[50_000:], v[50_000:])
        frames.append(stream.frame(representative="oldest"))
    assert frames[0].equals(frames[1])
    assert frames[0].equals(frames[2])


MIXED = [p for p in landbridge.plans("incremental", engine="cpu") if Incremental(plan=p).mixed]
OTHERS = [p for p in landbridge.plans("incremental", engine="cpu") if p not in MIXED]


@pytest.mark.parametrize("plan", [MIXED[0], OTHERS[0], next(p for p in OTHERS if "rounds" in parse(p).finish.traits)])
def test_many_callers_at_once(plan: str) -> None:
    rng = np.random.default_rng(7)
    batches = rng.integers(0, 2000, (3, 20, 2, 50)).astype("U")
    stream = Incremental(ids="names", plan=plan, threads=2)
    failures: list[BaseException] = []
    done, stop = [0] * 3, threading.Event()

    def guarded(body: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                body()
            except BaseException as error:
                failures.append(error)

        return run

    def insert(k: int) -> None:
        for i, (u, v) in enumerate(batches[k]):
            if i % 2:
                stream.insert(u, v)
            else:
                stream.apply(u, v, np.zeros(len(u), dtype=bool))
            done[k] = i + 1

    def ask() -> None:
        while not stop.is_set():
            for k, i in enumerate(list(done)):
                if i:
                    u, v = batches[k, i - 1]
                    assert stream.connected(u, v).all()
                    answer = stream.components()
                    label = dict(zip(answer.ids, answer.labels.tolist(), strict=True))
                    assert all(label[a] == label[b] for a, b in zip(u, v, strict=True))

    inserting = [threading.Thread(target=guarded(lambda k=k: insert(k))) for k in range(3)]
    asking = [threading.Thread(target=guarded(ask)) for _ in range(2)]
    for thread in inserting + asking:
        thread.start()
    for thread in inserting:
        thread.join()
    stop.set()
    for thread in asking:
        thread.join()
    if failures:
        raise failures[0]
    expected = Incremental(ids="names")
    for u, v in batches.reshape(-1, 2, 50):
        expected.insert(u, v)
    assert stream.frame().equals(expected.frame())


def test_ids_are_new_also_behind_a_batch_that_brought_none() -> None:
    stream = Incremental(ids="names", forest=True)
    stream.insert("a", "b")
    stream.insert("b", "a")
    since = stream.position
    stream.insert("c", "d")
    assert [(c.merged, c.new) for c in stream.changes(since)] == [((), ("c", "d"))]


@pytest.mark.parametrize("kind", ["names", "sparse"])
@pytest.mark.parametrize("base", [-500, 2**63 - 500])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_order_of_ids_goes_on_from_the_one_before(
    kind: str, base: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few ids at a time are put between the others; only many at once are sorted with them."""
    rng = np.random.default_rng(2)
    numbers = base + rng.permutation(1000).astype(object)
    ids = numbers.astype("U") if kind == "names" else numbers.astype(np.int64 if base < 0 else np.uint64)
    table, places = StreamIds(kind, threads, False), {}
    whole, sorts = Numbering.in_order, []
    monkeypatch.setattr(Numbering, "in_order", lambda self: sorts.append(len(self)) or whole(self))
    for begin, end in [(0, 1), (1, 600), (600, 600), (600, 601), (601, 700), (700, 1000)]:
        table.number(table.read(ids[begin:end], ids[begin:end]), 0)
        places[end] = table.in_order(end)
    assert sorts == [1, 600, 1, 99, 300]
    for end, (order, names) in places.items():
        expected = sorted(range(end), key=lambda i: ids[i].encode() if kind == "names" else int(ids[i]))
        past_order, past_names = table.in_order(end)
        assert order.tolist() == past_order.tolist() == expected
        assert list(names) == list(past_names) == [ids[i] for i in expected]


def exit_of(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("journal", [False, True])
def test_a_fork_while_another_thread_is_at_work_is_refused_in_the_child(journal: bool, tmp_path: Path) -> None:
    stream = Incremental(ids="names", journal=tmp_path / "j" if journal else None)
    stream.insert("a", "b")

    def child(message: str | None) -> int:
        """What it exits with: 0 if all calls are refused with the message, or, without one, if they answer."""
        number = os.fork()
        if number:
            return exit_of(number)
        signal.alarm(20)  # it must not wait for a lock that is never released
        problems = 0
        for call in (lambda: stream.insert("c", "a"), lambda: stream.find("a"), stream.components):
            try:
                call()
                problems += message is not None
            except InputError as error:
                problems += message is None or message not in str(error)
        stream.close()
        os._exit(problems)

    assert stream.find("b") == "a"
    stream.insert("b", "a")  # so that no answer can come from an earlier view
    held, go_on = threading.Event(), threading.Event()

    def at_work() -> None:
        with stream._ids.lock:  # type: ignore[union-attr]
            held.set()
            go_on.wait()

    thread = threading.Thread(target=at_work)
    thread.start()
    held.wait()
    assert child("forked this one while a call of this stream ran") == 0
    go_on.set()
    thread.join()
    if not journal:
        assert child(None) == 0
    stream.insert("c", "d")
    assert stream.count == 2
    stream.close()


def test_a_fork_while_another_thread_appends_leaves_a_journal_that_is_refused(tmp_path: Path) -> None:
    stream = Incremental(journal=tmp_path / "j")
    with stream._journal.lock:  # type: ignore[union-attr]
        number = os.fork()
        if number == 0:
            signal.alarm(20)
            try:
                stream.insert(0, 1)
            except InputError as error:
                stream.close()
                os._exit("which forked this one" not in str(error))
            os._exit(2)
    assert exit_of(number) == 0
    stream.close()
