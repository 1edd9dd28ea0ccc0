"""Every allocation of the core fails once, one after the other: MemoryError each time, and the next call is right."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.zoo import Specimen, zoo

import landbridge
from landbridge import Graph, _core
from landbridge.edges.generators import linked_list
from landbridge.plan import parse, registry

MOST = 200


@pytest.fixture(autouse=True)
def healthy() -> Iterator[None]:
    yield
    _core.fail_allocation(0)


def fail_each(call: Callable[[], Any]) -> tuple[int, Any]:
    """Run `call` with its 1st, 2nd, ... allocation failing until it succeeds; how many failed, and the result."""
    for k in range(1, MOST):
        _core.fail_allocation(k)
        try:
            result = call()
        except MemoryError:
            continue
        finally:
            _core.fail_allocation(0)
        return k - 1, result
    raise AssertionError(f"{MOST} allocations failed and the call never succeeded")


def specimen(name: str) -> Specimen:
    return next(s for s in zoo() if s.name == name)


def kind(text: str) -> tuple[str, str, bool]:
    """What decides which arrays a run takes: the sampling, the link or standalone algorithm, whether in stages."""
    plan = parse(text)
    return plan.sample.name if plan.sample else "", plan.finish.link, plan.finish.stages is not None


KINDS = list({kind(text): text.split("@")[0] for text in landbridge.plans(engine="cpu", extended=True)}.values())


@pytest.mark.parametrize("plan", landbridge.plans("list_ranking", engine="cpu", extended=True))
def test_list_ranking_without_memory(plan: str) -> None:
    successor = linked_list(70_000, 1, 3)
    right = landbridge.rank_list(successor, plan="serial")
    for threads in (1, 2):
        for origin in ("tail", "head"):
            failed, ranks = fail_each(
                lambda t=threads, o=origin: landbridge.rank_list(successor, plan=plan, threads=t, origin=o)
            )
            assert failed >= 1
            if origin == "tail":
                assert np.array_equal(ranks, right)
    failed, _ = fail_each(lambda: landbridge.scan_list(successor, right, op="max", plan=plan, threads=2))
    assert failed >= 1


@pytest.mark.parametrize("layout", ["csr", "coo"])
@pytest.mark.parametrize("plan", KINDS)
def test_components_without_memory(plan: str, layout: str) -> None:
    for name, threads in (("bridge_mixed", 1), ("random_16385", 3), ("random_big_upper", 2)):
        each = specimen(name)
        graph = each.graph(layout)
        failed, result = fail_each(lambda g=graph, t=threads: landbridge.components(g, plan=plan, threads=t))
        assert failed >= 1
        assert np.array_equal(result.labels, each.answer)
        assert np.array_equal(landbridge.components(graph, threads=threads).labels, each.answer)


FOREST_KINDS = [text for text in KINDS if not parse(text).finish.no_forest]


@pytest.mark.parametrize("layout", ["csr", "coo"])
@pytest.mark.parametrize("plan", FOREST_KINDS)
def test_forests_without_memory(plan: str, layout: str) -> None:
    each = specimen("random_16385")
    graph = each.graph(layout)
    failed, forest = fail_each(lambda: landbridge.spanning_forest(graph, plan=plan, threads=2))
    assert failed >= 2
    assert forest.count == each.count
    # Arrays for which there was no memory are made at the next use.
    unread, _ = fail_each(lambda: (forest.edge, forest.u))
    assert unread == 2  # what has been made stays
    landbridge.check_forest(graph, forest)


def test_every_link_and_sampling_is_among_the_kinds() -> None:
    parts = {part for text in KINDS for part in kind(text)[:2] if part}
    rows = [row for axis in ("sample", "link", "finish") for row in registry().axis(axis).values()]
    assert parts == {row.name for row in rows if "cpu" in row.engines}
    assert len(KINDS) < len(landbridge.plans(engine="cpu", extended=True)) / 4


def test_how_many_arrays_a_run_takes() -> None:
    graph = specimen("grid").graph("csr")

    def arrays(plan: str) -> int:
        return fail_each(lambda: landbridge.components(graph, plan=plan))[0]

    # The labels are the parents: a plain union takes nothing else.
    assert arrays("async(halve)") == 1
    assert arrays("rem_cas(naive,split_one)") == 1
    assert arrays("hooks(halve)") == 2
    assert arrays("jtb(two_try)") == 3


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("layout", ["csr", "coo"])
def test_rows_without_memory(layout: str, threads: int) -> None:
    graph = specimen("random_big_mixed").graph(layout)
    failed, rows = fail_each(lambda: graph.to_rows(threads))
    assert failed == 2
    again = graph.to_rows(threads)
    assert np.array_equal(rows.a, again.a)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
def test_renumbering_without_memory(dtype: str) -> None:
    u, v = np.array([900, 7, 7], dtype=dtype), np.array([7, 31, 900], dtype=dtype)
    failed, graph = fail_each(lambda: Graph((u, v), ids="sparse", threads=2))
    assert failed >= 2
    assert graph.ids is not None
    assert graph.ids.tolist() == [7, 31, 900]


def test_reading_text_without_memory(tmp_path: Any) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("0 1\n2 3\n3 1\n" * 1000)
    failed, result = fail_each(lambda: landbridge.components(path))
    assert failed >= 2
    assert result.count == 1


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as table:  # noqa: PTH123
        return int(table.read().split()[1]) * 4096


@pytest.mark.long
def test_nothing_is_kept_by_runs_that_fail() -> None:
    n = 300_000
    x = np.arange(n, dtype=np.int32)
    graph = Graph((x, np.random.default_rng(3).permutation(x)))

    def all_failures() -> None:
        for plan in ("hooks(halve)", "jtb(two_try)", "ldd(0.2)+async(halve)", "bfscc"):
            fail_each(lambda p=plan: landbridge.components(graph, plan=p, threads=2))
        gc.collect()

    all_failures()
    before = resident()
    for _ in range(4):
        all_failures()
    # Each round fails some twenty times with arrays of 1.2 to 5 MB in hand: one that is kept in each is more than this.
    assert resident() - before < 4_000_000


def test_address_space_that_the_system_refuses_is_not_needed() -> None:
    """With less of it than all ids of 32 bits have cells, ids are compared instead."""
    program = (
        "import resource, numpy as np, landbridge\n"
        "resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))\n"
        "u = np.arange(300_000, dtype=np.int32)\n"
        "print(landbridge.components((u, u + np.int32(1)), plan='rem_cas(naive,splice)', threads=2).count)\n"
        "u[7] = -1\n"
        "try: landbridge.components((u, u), threads=2)\n"
        "except landbridge.InputError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "1\nedge 7: vertex -1 is negative; ids='sparse' takes negative ids\n"
    assert done.stderr == ""


LIMITED = """
import resource, sys, numpy as np, landbridge
most = int(sys.argv[1]) << 20
resource.setrlimit(resource.RLIMIT_AS, (most, most))
x = np.arange(300_000, dtype=np.int32)
u, v = x[:-1], x[1:]
stream = landbridge.Incremental(threads=2, forest=True)
calls = {
    "components": lambda: landbridge.components((u, v), threads=2).count,
    "forest": lambda: landbridge.spanning_forest((u, v), threads=2).count,
    "insert": lambda: stream.insert(u, v),
    "stream": lambda: stream.components().count,
    "list": lambda: int(landbridge.rank_list(np.append(v, -1).astype(np.int32), threads=2).max()),
    "names": lambda: landbridge.components(([str(i) for i in range(999)], ["a"] * 999)).count,
    "text": lambda: landbridge.components(sys.argv[2], threads=2).count,
}
for name, call in calls.items():
    try: print(name, call())
    except MemoryError as error: print(name, "MemoryError")
"""


LONG = [pytest.param(size, marks=pytest.mark.long) for size in (600, 1 << 10, 9 << 10, (16 << 10) + 400, 26 << 10)]


@pytest.mark.parametrize("mebibytes", [17 << 10, 40 << 10, *LONG])
def test_every_limit_of_address_space_gives_the_answer_or_a_memory_error(tmp_path: Path, mebibytes: int) -> None:
    """Below the 16 GiB that cells of all ids of 32 bits take, and where they leave little to others."""
    (tmp_path / "chain.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(1000)))
    command = [sys.executable, "-c", LIMITED, str(mebibytes), str(tmp_path / "chain.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    answers = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    right = {
        "components": "1",
        "forest": "1",
        "insert": "None",
        "stream": "1",
        "list": "299999",
        "names": "1",
        "text": "1",
    }
    assert set(answers) == set(right)
    for name, answer in answers.items():
        if (name, answers["insert"]) != ("stream", "MemoryError"):
            assert answer in (right[name], "MemoryError"), name
    if mebibytes in (9 << 10, 40 << 10):
        assert answers == right


LOCKED = """
import ctypes, sys, numpy as np, landbridge
if ctypes.CDLL(None).mlockall(int(sys.argv[1])):
    sys.exit(3)
ballast = bytearray(64 << 20)
x = np.arange(2_000_000)
print(landbridge.components((x[:-1], x[1:]), threads=2).count)
stream = landbridge.Incremental()
stream.insert(x[:-1], x[1:])
print(stream.components().count)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
assert int(peak.split()[1]) < 400_000, peak
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mlockall is called by its numbers on Linux")
@pytest.mark.parametrize("flags", [2, pytest.param(3, marks=pytest.mark.long), pytest.param(6, marks=pytest.mark.long)])
def test_reserved_address_space_takes_no_memory_where_a_process_locks_its_own(flags: int) -> None:
    """2: what is mapped from now on; 1: what is mapped now; 4: pages once they are touched."""
    limits = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    if os.geteuid() != 0 and limits[0] != resource.RLIM_INFINITY:
        pytest.skip("this user may lock little memory")
    done = subprocess.run([sys.executable, "-c", LOCKED, str(flags)], capture_output=True, text=True, check=False)
    if done.returncode == 3:
        pytest.skip("the system locks no memory for this process")
    assert (done.stdout, done.stderr) == ("1\n1\n", "")


@pytest.mark.parametrize("journalled", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("ids", ["sparse", "names"])
def test_a_large_insert_of_ids_without_memory_is_its_first_batches(
    ids: str, journalled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What precedes `position` is there, all of it and nothing else; what follows can be inserted."""
    batch, edges = 512, 3000
    monkeypatch.setattr("landbridge.streams.cuts.MOST", batch)
    monkeypatch.setattr("landbridge.streams.batches.MOST", batch)
    numbers = np.random.default_rng(7).integers(0, 4000, (2, edges)) * 10**9
    u, v = numbers if ids == "sparse" else [[f"n{x}" for x in column] for column in numbers.tolist()]
    positions = set()
    for k in range(1, MOST):
        file = {"journal": tmp_path / f"{k}", "sync": False} if journalled else {}
        stream = landbridge.Incremental(ids=ids, threads=2, forest=True, **file)  # type: ignore[arg-type]
        _core.fail_allocation(k)
        try:
            stream.insert(u, v)
            break
        except MemoryError:
            pass
        finally:
            _core.fail_allocation(0)
        at = stream.position
        assert at % batch == 0
        positions.add(at)
        for each in (stream, reopened(stream, ids)) if journalled else (stream,):
            expected = landbridge.Incremental(ids=ids, threads=1, forest=True)
            expected.insert(u[:at], v[:at])
            for _ in range(2):  # and once more with the rest of the call
                assert (each.position, each.num_vertices, each.count) == (
                    expected.position,
                    expected.num_vertices,
                    expected.count,
                )
                assert list(each.components().ids) == list(expected.components().ids)
                assert np.array_equal(each.components().labels, expected.components().labels)
                if each.position == at:
                    each.insert(u[at:], v[at:])
                    expected.insert(u[at:], v[at:])
            each.close()
    assert len(positions) > 3


def reopened(stream: landbridge.Incremental, ids: str) -> landbridge.Incremental:
    """A stream of a copy of the journal as it is."""
    path = Path(str(stream.journal))
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    return landbridge.Incremental(ids=ids, threads=2, forest=True, journal=copy, sync=False)


@pytest.mark.parametrize(
    "plan", ["rem_cas(naive,halve_one)", "rem_lock(naive,halve_one)", "hooks(halve)", "jtb(two_try)"]
)
@pytest.mark.parametrize("forest", [False, True])
def test_a_stream_that_had_no_memory_to_grow_goes_on_as_it_was(plan: str, forest: bool) -> None:
    """One of its arrays may have moved before the next one had no room."""
    x, y = np.arange(1000), np.arange(1000, 150_000)
    for k in range(1, MOST):
        stream = landbridge.Incremental(plan=plan, threads=1, forest=forest)
        stream.insert(x[:-1], x[1:])
        _core.fail_allocation(k)
        try:
            stream.insert(y[:-1], y[1:])
            break
        except MemoryError:
            pass
        finally:
            _core.fail_allocation(0)
        others = [np.full(999, 7, dtype=np.int64) for _ in range(50)]  # memory that was released is used again
        assert (stream.count, stream.num_vertices) == (1, 1000)
        assert bool(stream.connected(0, 999))  # before it grows: that takes up the arrays as they are
        stream.insert([5000], [0])
        assert bool(stream.connected(5000, 999))
        assert stream.components().count == 5001 - 1000
        del others
    assert k > 1 + forest
