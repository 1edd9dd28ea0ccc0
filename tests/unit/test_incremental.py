"""Streams: the contract of each method, what is refused and how, and what concurrent callers may rely on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from oracles.reference import by_sets
from oracles.refusals import refused
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import landbridge
from landbridge import Incremental, InputError, InvalidCombination, _core
from landbridge.errors import DeviceError, InvalidPlan
from landbridge.plan import parse
from landbridge.plan.engines import ENGINES
from landbridge.problems import PROBLEMS

PLANS = landbridge.plans("incremental", engine="cpu")
MIXED = [p for p in PLANS if Incremental(plan=p).mixed]


def test_the_published_plans_by_trait() -> None:
    # The 51 of the book: 38 mixed; inserts before queries where links splice, and where they run in rounds.
    assert len(MIXED) == 38
    splicing = [p for p in PLANS if "splice)" in p]
    rounds = [p for p in PLANS if "rounds" in parse(p).finish.traits]
    assert [p for p in PLANS if p not in MIXED] == splicing + rounds
    assert len(splicing) == 6
    names = ("sv", "lt-CRSA", "lt-CRFA", "lt-PRS", "lt-PRSA", "lt-PRF", "lt-PRFA")
    assert set(rounds) == {str(parse(f"{name}@cpu")) for name in names}
    assert len(PLANS) == 51
    assert landbridge.plans("incremental", layout="csr") == []


def test_a_stream_from_nothing() -> None:
    c = Incremental()
    assert (len(c), c.count, c.position) == (0, 0, 0)
    assert c.components().count == 0
    assert len(c.components().labels) == 0
    c.insert(2, 5)
    assert (c.num_vertices, c.count, c.position) == (6, 5, 1)
    assert c.connected(5, 2) is True
    assert c.connected(0, 1) is False
    c.insert([], [])
    assert c.position == 1
    assert c.components().labels.tolist() == [0, 1, 2, 3, 4, 2]
    assert c.components().labels.dtype == np.int32


def test_vertices_nobody_has_seen_are_alone_and_stay_unknown() -> None:
    c = Incremental(3)
    far = 10**15
    assert c.connected(far, far) is True
    assert c.connected(far, 0) is False
    assert c.connected([0, far, far], [0, far, 1]).tolist() == [True, True, False]
    bits = c.apply([0, far, far, 4], [1, far, 0, 5], [False, True, True, True])
    assert np.unpackbits(bits, bitorder="little").tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    assert (c.num_vertices, c.count) == (3, 2)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint32", "int64", "uint64", "float64", "object"])
def test_ids_of_any_type_and_layout(dtype: str) -> None:
    c = Incremental()
    table = np.array([[0, 1, 9], [1, 2, 9], [4, 5, 9]], dtype=dtype)
    c.insert(table[:, 0], table[:, 1])
    c.insert(table[::-1, 0], table[::-1, 1])
    assert c.components().labels.tolist() == [0, 0, 0, 1, 2, 2]
    assert c.connected(table[:, 0], table[::-1, 1]).tolist() == [False, True, False]


def test_one_against_many() -> None:
    c = Incremental()
    c.insert(0, [1, 2])
    c.insert(np.array([4]), np.int64(5))
    assert c.connected(0, [1, 2, 3]).tolist() == [True, True, False]
    assert c.connected(np.int32(4), np.int64(5)) is True


def test_bits_are_in_the_documented_order() -> None:
    c = Incremental(40)
    c.insert(np.arange(20), np.arange(20) + 1)
    u = np.zeros(37, dtype=np.int64)
    bits = c.apply(u, np.arange(37), np.ones(37, dtype=np.int32))
    assert bits.dtype == np.uint8
    assert bits.shape == (5,)
    assert all(bits[i >> 3] >> (i & 7) & 1 == (i <= 20) for i in range(37))
    assert bits[4] >> 5 == 0


def test_growth_keeps_what_is_known_across_every_size_of_storage() -> None:
    c = Incremental(forest=True)
    vertices = [3, 70, 1000, 40_000, 1_200_000, 3_000_000]
    for vertex in vertices:
        c.insert(0, vertex)
    assert c.count == c.num_vertices - len(vertices)
    assert c.connected(0, vertices).all()
    assert c.components().sizes().max() == len(vertices) + 1


@pytest.mark.parametrize(
    "plan", ["rem_cas(naive,halve_one)", "hooks(halve)", "jtb(two_try)", "lt(direct,root,once,alter)"]
)
def test_cells_become_wider_when_ids_do(plan: str) -> None:
    finish = parse(plan).finish
    rule = _core.StreamRule(finish.link, finish.find, finish.splice, list(finish.words))
    trees = _core.IncrementalTrees(rule, _core.StreamOptions(threads=2, keep_forest=True, narrow_most=1000))
    rng = np.random.default_rng(1)
    u, v = rng.integers(0, 3000, (2, 4000))
    for begin, most in ((0, 900), (1000, 3000), (2000, 3000), (3000, 3000)):
        trees.insert(u[begin : begin + 1000] % most, v[begin : begin + 1000] % most)
    first = np.r_[np.full(1000, 900), np.full(3000, 3000)]
    labels = by_sets(trees.vertices, u % first, v % first)
    count, result = trees.labels(2)
    assert np.array_equal(result, labels)
    assert result.dtype == np.int64
    _, _, (a, b, at) = trees.snapshot(True)
    assert len(at) == trees.vertices - count
    assert np.array_equal(a, (u % first)[at])
    assert np.array_equal(b, (v % first)[at])
    assert np.array_equal(by_sets(trees.vertices, a, b), labels)


SIGNED = "; Incremental(ids='sparse') takes negative ids"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda c: c.insert(-1, 2), f"edge 0: vertex -1 is negative{SIGNED}"),
        (lambda c: c.insert([0, 1, 2], [1, -7, 0]), f"edge 1: vertex -7 is negative{SIGNED}"),
        (lambda c: c.connected([0, -2], [1, 1]), "query 1: vertex -2 is negative"),
        (lambda c: c.apply([0, -2], [1, 1], [0, 1]), f"operation 1: vertex -2 is negative{SIGNED}"),
        (lambda c: c.insert([0, 1], [1]), "u has 2 ids and v has 1; edge i needs both u[i] and v[i]"),
        (lambda c: c.insert(np.arange(2), np.arange(1)), "u has 2 ids and v has 1; edge i needs both u[i] and v[i]"),
        (lambda c: c.insert([0.5], [1]), "edge 0: u = 0.5 is not a whole number"),
        (lambda c: c.insert(0.5, 1), "edge 0: u = 0.5 is not a whole number"),
        (
            lambda c: c.insert(["a"], ["b"]),
            "vertices have names; in a stream ids are vertex numbers, unless it is made with ids='names'",
        ),
        (
            lambda c: c.connected(["a"], ["a"]),
            "vertices have names; in a stream ids are vertex numbers, unless it is made with ids='names'",
        ),
        (lambda c: c.insert(np.ma.array([1, 2], mask=[0, 1]), np.ma.array([2, 3])), "edge 1: u is null"),
        (lambda c: c.insert(np.array(1), np.array(-2)), f"edge 0: vertex -2 is negative{SIGNED}"),
        (lambda c: c.insert(True, False), "edge 0: u = True is not a whole number"),
        (
            lambda c: c.insert(np.array([2**64 - 1], np.uint64), np.array([0], np.uint64)),
            f"edge 0: vertex {2**64 - 1} is beyond any memory; ids='sparse' takes ids with gaps",
        ),
        (lambda c: c.insert(1, 10**30), f"vertex {10**30} does not fit 64 bits"),
        (lambda c: c.apply([0, 1], [1, 2], [True]), "is_query must have shape (2,) like u and v, not (1,)"),
        (lambda c: c.apply([0], [1], [0.5]), "is_query must hold bools: operation 0 is 0.5"),
        (lambda c: c.apply([0], [1], [1], order="queries"), "order must be None or 'inserts_first', not 'queries'"),
        (lambda c: c.apply([0, 1], [1, -2], [0, 0]), f"operation 1: vertex -2 is negative{SIGNED}"),
        (lambda c: c.merge(3), "only another Incremental can be merged, not int"),
        (
            lambda c: c.merge(landbridge.components(([0], [1]))),
            "only another Incremental can be merged, not Components; landbridge.merge takes streams and results",
        ),
        (lambda c: Incremental(-1), "num_vertices must be a whole number of at least 0, not -1"),
        (lambda c: Incremental(1.5), "num_vertices must be a whole number of at least 0, not 1.5"),
    ],
)
def test_what_is_refused_changes_nothing(call: Callable[[Incremental], object], message: str) -> None:
    c = Incremental(4)
    c.insert(0, 3)
    with refused(InputError, message):
        call(c)
    assert (c.num_vertices, c.count, c.position) == (4, 3, 1)


def test_a_vertex_beyond_all_memory() -> None:
    c = Incremental(2)
    with refused(MemoryError, f"no memory for all vertices up to {10**14}; ids='sparse' takes ids with gaps"):
        c.insert(0, 10**14)
    with refused(InputError, f"edge 1: vertex {2**63} is beyond any memory; ids='sparse' takes ids with gaps"):
        c.insert(np.array([0, 2**63], dtype=np.uint64), np.zeros(2, dtype=np.uint64))
    of_batch = f"no memory for the batch, or for all vertices up to {10**14} of {{}}; ids='sparse' takes ids with gaps"
    with refused(MemoryError, of_batch.format("edge 2")):
        c.insert([0, 1, 10**14], [1, 2, 3])
    with refused(MemoryError, of_batch.format("operation 1")):
        c.apply([0, 1], [1, 10**14], [False, False])
    for larger in (10**15, 2**62):  # a query makes no vertex
        with refused(MemoryError, of_batch.format("operation 1")):
            c.apply([0, 0, 1], [larger, 10**14, 2], [True, False, False])
    with refused(InputError, f"edge 1: vertex {2**63 + 5} is beyond any memory; ids='sparse' takes ids with gaps"):
        c.insert([2**63 + 1, 2**63 + 5, 1], [2, 1, 3])
    with refused(MemoryError, f"no memory for {10**15} vertices"):
        Incremental(10**15)
    assert (c.num_vertices, c.count, c.position) == (2, 2, 0)


def test_options_of_a_whole_graph_are_refused_for_a_stream() -> None:
    """Every value but "off", also where there is no GPU."""
    count = 0
    for kind in ENGINES.values():
        known = {parameter.name: parameter for parameter in kind.options}
        for option, reason in kind.whole_graph_options:
            for value in known[option].choices:
                plan = f"rem_cas(naive,halve_one)@{kind.name}({option}={value})"
                if value == "off":
                    assert str(PROBLEMS["incremental"].request(plan, present=False).plan) == plan
                    continue
                count += 1
                left = f"without {option}={value} a stream takes rem_cas(naive,halve_one)@{kind.name}"
                with refused(InvalidCombination, f"{plan}: {option}={value} would have no effect: {reason}; {left}"):
                    Incremental(plan=plan)
    assert count > 10


def test_plans_no_stream_runs() -> None:
    with pytest.raises(InvalidPlan, match=r"^kout\(2\)\+async\(naive\): a stream unites batches"):
        Incremental(plan="kout(2)+async(naive)")
    with pytest.raises(InvalidPlan, match="a stream unites batches"):
        Incremental(plan="bfscc")
    with pytest.raises(InvalidPlan, match="takes the whole graph at once"):
        Incremental(plan="soman")
    with pytest.raises(InvalidPlan, match="would have to read old edges again"):
        Incremental(plan="lt(parent,any,once)")
    with pytest.raises(InvalidPlan, match="stages cut a whole graph"):
        Incremental(plan="stages(async(naive))")
    for make in (
        lambda plan: Incremental(plan=plan),
        lambda plan: landbridge.components(chunks=[([0], [1])], plan=plan),
    ):
        with pytest.raises(InvalidCombination, match="owners=on would have no effect: threads own ranges"):
            make("rem_cas(naive,halve_one)@cpu(owners=on)")
        make("rem_cas(naive,halve_one)@cpu(climb=on,owners=off,skip=tree)")
    with pytest.raises(InvalidCombination, match="an edge is lost"):
        Incremental(plan="rem_cas(compress,splice)")
    with pytest.raises(InvalidCombination, match="keeps no forest: it moves subtrees"):
        Incremental(plan="rem_cas(naive,splice)", forest=True)
    with pytest.raises(DeviceError):
        Incremental(device="abacus")
    with pytest.raises(InputError, match="unknown problem 'streams'"):
        landbridge.plans("streams")


def test_merge_is_one_stream_after_the_other() -> None:
    for forest in (False, True):
        a, b = Incremental(3, forest=forest), Incremental(9, forest=forest)
        a.insert([0, 1], [1, 1])
        b.insert([7, 6, 1], [6, 7, 5])
        a.merge(b)
        assert (a.num_vertices, a.count, a.position) == (9, 6, 5)
        assert a.components().labels.tolist() == [0, 0, 1, 2, 3, 0, 4, 4, 5]
        assert (b.num_vertices, b.count, b.position) == (9, 7, 3)
        a.merge(a)
        assert a.position == 5
        if forest:
            _, _, (u, v, at) = a._trees.snapshot(True)
            edges = dict(zip(at.tolist(), zip(u.tolist(), v.tolist(), strict=True), strict=True))
            assert edges == {0: (0, 1), 2: (7, 6), 4: (1, 5)}
    with refused(InputError, "this stream keeps a forest and the other does not: the edges of its links are not known"):
        Incremental(forest=True).merge(Incremental())


@pytest.mark.parametrize("plan", MIXED)
def test_the_forest_is_made_of_edges_of_the_stream(plan: str) -> None:
    rng = np.random.default_rng(5)
    m, each = 140_000, 70_000  # more than one thread takes alone
    u, v = rng.integers(0, 100_000, (2, m))
    kinds = rng.random(m) < 0.3
    stream = Incremental(plan=plan, forest=True, threads=3)
    for begin in range(0, m, each):
        batch = slice(begin, begin + each)
        stream.apply(u[batch], v[batch], kinds[batch])
    forest = stream.forest()
    assert len(forest.edge) == stream.num_vertices - stream.count
    assert forest.count == stream.count
    assert (np.diff(forest.edge) > 0).all()
    assert not kinds[forest.edge].any()
    assert np.array_equal(forest.u, u[forest.edge])
    assert np.array_equal(forest.v, v[forest.edge])
    again = landbridge.components((forest.u, forest.v), num_vertices=stream.num_vertices)
    assert np.array_equal(again.labels, stream.components().labels)


def test_a_stream_without_a_forest_says_so() -> None:
    with refused(InputError, "this stream keeps no forest: make it with forest=True"):
        Incremental().forest()


def hammer(bodies: list[Callable[[], None]]) -> None:
    failures: list[BaseException] = []

    def run(body: Callable[[], None]) -> None:
        try:
            body()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(body,)) for body in bodies]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failures:
        raise failures[0]


def test_rounds_cut_a_batch_that_has_far_more_edges_than_vertices() -> None:
    rng = np.random.default_rng(11)
    n, m = 3000, 250_000  # more than three groups
    u, v = rng.integers(0, n, (2, m))
    u, v = np.minimum(u, v), np.minimum(v, u + 40)  # long ways, so that groups have much to do
    for plan in [p for p in PLANS if "rounds" in parse(p).finish.traits]:
        stream = Incremental(plan=plan, threads=2, forest=True)
        stream.insert([7], [8])
        stream.insert(u, v)
        labels = by_sets(stream.num_vertices, np.r_[7, u], np.r_[8, v])
        assert np.array_equal(stream.components().labels, labels)
        assert stream.count == labels.max() + 1
        forest = stream.forest()
        assert np.array_equal(np.r_[7, u][forest.edge], forest.u)
        assert np.array_equal(by_sets(stream.num_vertices, forest.u, forest.v), labels)
        assert len(forest.edge) == stream.num_vertices - stream.count


@pytest.mark.parametrize("plan", [*MIXED[::6], *[p for p in PLANS if p not in MIXED][::3]])
def test_many_callers_at_once(plan: str) -> None:
    """Inserts that returned are seen by every query that begins later; "yes" is never taken back; nothing is lost."""
    n, rounds, inserting = 3000, 40, 3
    rng = np.random.default_rng(7)
    edges = rng.integers(0, n, (inserting, rounds, 2, 60))
    stream = Incremental(plan=plan, threads=2)
    done = [0] * inserting  # batches of each caller that have returned
    stop = threading.Event()

    def insert(k: int) -> None:
        for i in range(rounds):
            u, v = edges[k, i]
            if i % 3 == 0:
                for a, b in zip(u.tolist(), v.tolist(), strict=True):
                    stream.insert(a, b)
            elif i % 3 == 1:
                stream.apply(u, v, np.zeros(len(u), dtype=bool))
            else:
                stream.insert(u, v)
            done[k] = i + 1

    def ask() -> None:
        yes = np.zeros(500, dtype=bool)
        a, b = np.random.default_rng(3).integers(0, n, (2, 500))
        fewest = None
        while not stop.is_set():
            finished = list(done)
            for k, i in enumerate(finished):
                if i:
                    assert stream.connected(*edges[k, i - 1]).all()
            now = stream.connected(a, b)
            assert not (yes & ~now).any()
            yes |= now
            if stream.num_vertices == n:
                assert fewest is None or stream.count <= fewest
                fewest = stream.count

    def look() -> None:
        while not stop.is_set():
            finished = list(done)
            labels = stream.components().labels
            for k, i in enumerate(finished):
                if i:
                    u, v = edges[k, i - 1]
                    assert np.array_equal(labels[u], labels[v])

    def all_inserts() -> None:
        try:
            hammer([lambda k=k: insert(k) for k in range(inserting)])
        finally:
            stop.set()

    hammer([all_inserts, ask, ask, look])
    u, v = edges[:, :, 0].ravel(), edges[:, :, 1].ravel()
    assert stream.position == len(u)
    labels = by_sets(stream.num_vertices, u, v)
    assert np.array_equal(stream.components().labels, labels)
    assert stream.count == int(labels.max()) + 1


def test_several_callers_of_a_stream_of_one_thread() -> None:
    """One thread for a batch does not mean one batch at a time: no call may write cells as if it were alone."""
    n, m, batch = 200_000, 200_000, 10_000  # after one that has met the other caller, batches run side by side
    rng = np.random.default_rng(11)

    def insert(stream: Incremental, u: np.ndarray, v: np.ndarray) -> None:
        for i in range(0, m, batch):
            stream.insert(u[i : i + batch], v[i : i + batch])

    for _ in range(15):
        u, v = rng.integers(0, n, (2, 2, m))
        stream = Incremental(n, threads=1)
        hammer([partial(insert, stream, u[k], v[k]) for k in range(2)])
        matrix = coo_array((np.ones(2 * m), (u.ravel(), v.ravel())), shape=(n, n))
        count, labels = connected_components(matrix, directed=False)
        assert stream.count == count
        assert np.array_equal(stream.components().labels, labels)


@pytest.mark.parametrize("plan", MIXED[::9])
def test_two_who_insert_and_ask_cannot_both_be_told_no(plan: str) -> None:
    """Each of two callers links half of a path and queries its endpoints: the later one is answered yes."""
    stream, rounds = Incremental(3 * 2000, plan=plan), 2000
    answers: list[list[bool]] = [[], []]
    barrier = threading.Barrier(2)

    def caller(k: int) -> None:
        for i in range(rounds):
            if i % 50 == 0:
                barrier.wait()
            low = 3 * i
            stream.insert(low + k, low + k + 1)
            answers[k].append(stream.connected(low, low + 2))

    hammer([lambda: caller(0), lambda: caller(1)])
    assert all(a or b for a, b in zip(*answers, strict=True))
