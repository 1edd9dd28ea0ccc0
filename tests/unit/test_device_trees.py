"""Trees on a GPU whose memory runs out: nothing has changed, and the next call works.

A double of CuPy holds arrays in NumPy and counts allocations; launches run functions in Python that do what the kernels
of their names do, edge by edge.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from landbridge.device import cuda
from landbridge.device.layout import Struct
from landbridge.engine.gpu import stream_checks, stream_growth, stream_state, stream_trees
from landbridge.engine.gpu.launch_list import LaunchList
from landbridge.engine.gpu.stream_launches import BATCH, COMPONENTS, STREAM
from landbridge.engine.gpu.stream_schedule import BatchFacts, Marking, StreamSchedule
from landbridge.engine.gpu.stream_trees import DeviceTrees
from landbridge.engine.gpu.streams import open_trees
from landbridge.errors import InputError, OutOfDeviceMemory
from landbridge.plan import parse

NONE = {np.dtype(np.uint32): 2**32 - 1, np.dtype(np.uint64): 2**64 - 1}
PLANS = ("rem_cas(naive,halve_one)", "hooks(compress)", "lt(direct,root,once,alter)")


class Full(Exception):
    """The double of CuPy's OutOfMemoryError."""


class DeviceArray(np.ndarray):
    @property
    def data(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(
            device_id=0,
            memset_async=lambda value, size: self.view(np.uint8).fill(value),
            copy_to_host_async=lambda address, size, _: ctypes.memmove(address, self.ctypes.data, size),
            ptr=self.__array_interface__["data"][0],
        )

    def get(self) -> Any:
        return np.array(self)


class Gpu:
    """Memory for `left` more arrays, and the events of CUDA streams, of which `here` is the current one."""

    def __init__(self) -> None:
        self.left = 10**6
        self.memory, self.cache, self.multiprocessors = 10**6, 0, 2
        self.recorded = self.synchronized = self.ordinal = 0
        self.selections = 0
        self.capturing = False
        self.loaded_kinds: set[Any] = set()
        self.waits: list[int] = []
        here = SimpleNamespace(
            ptr=7,
            is_capturing=lambda: self.capturing,
            wait_event=lambda event: self.waits.append(here.ptr),
            synchronize=lambda: None,
        )
        self.here = here
        self.module = SimpleNamespace(
            ndarray=DeviceArray,
            empty=lambda size, dtype: self.take(np.full(size, 77, dtype)),
            zeros=lambda size, dtype: self.take(np.zeros(size, dtype)),
            asarray=self.take,
            maximum=np.maximum,
            cuda=SimpleNamespace(
                Event=lambda **_: SimpleNamespace(record=self.record, synchronize=self.synchronize),
                get_current_stream=lambda: here,
                Stream=SimpleNamespace(null=SimpleNamespace(ptr=0, is_capturing=lambda: False)),
                alloc_pinned_memory=bytearray,
                memory=SimpleNamespace(OutOfMemoryError=Full),
                runtime=SimpleNamespace(CUDARuntimeError=ZeroDivisionError),
                driver=SimpleNamespace(CUDADriverError=ZeroDivisionError),
            ),
        )

    @contextlib.contextmanager
    def selected(self) -> Iterator[None]:
        self.selections += 1
        yield

    def held(self, array: Any) -> Any:
        return array

    def record(self, stream: Any) -> None:
        self.recorded += 1

    def synchronize(self) -> None:
        self.synchronized += 1

    def take(self, array: Any) -> Any:
        if self.left == 0:
            raise Full
        self.left -= 1
        return np.asarray(array).view(DeviceArray)

    def empty(self, size: int, dtype: Any) -> Any:
        return self.take(np.full(size, 77, dtype))


class Executable:
    """Launches as functions in Python."""

    def __init__(self, launches: LaunchList, device: Gpu) -> None:
        self.launches = list(launches)

    def __call__(self) -> None:
        for launch in self.launches:
            KERNELS[launch.name](*launch.arguments)


def begin_cells(cells: Struct, link_edges: Struct, growth: Struct) -> None:
    first, last = growth.fields["begin"], growth.fields["end"]
    cells.fields["parent"][first:last] = np.arange(first, last)
    for array in (cells.fields["aux"], link_edges.fields["u"]):
        if array is not None:
            array[first:last] = NONE[array.dtype]


def check_batch(edges: Struct, check: Struct) -> None:
    u, v, kinds = edges.fields["u"], edges.fields["v"], check.fields["is_query"]
    limit, report = check.fields["limit"], check.fields["report"]
    larger = np.maximum(u.view(f"u{u.itemsize}"), v.view(f"u{v.itemsize}")).tolist()
    if check.fields["every"] > 1:
        larger = larger[:1]
    refused = [i for i, x in enumerate(larger) if x >= limit]
    report[BATCH["first_fault"]] = len(u) - refused[0] if refused else 0
    inserts = (x + 1 for i, x in enumerate(larger) if x < limit and (kinds is None or not kinds[i]))
    report[BATCH["bound"]] = max(inserts, default=0)


def unite(cells: Struct, control: Any, edges: Struct, where: Any) -> None:
    parent = cells.fields["parent"]

    def root(x: int) -> int:
        return x if parent[x] == x else root(parent[x])

    for endpoints in zip(edges.fields["u"][where], edges.fields["v"][where], strict=True):
        a, b = map(root, endpoints)
        parent[max(a, b)] = min(a, b)
        control[STREAM["links"]] += a != b


def insert_edges(edges: Struct, cells: Struct, link_edges: Struct, inserts: Struct, *_: Struct) -> None:
    where = np.arange(inserts.fields["begin"], inserts.fields["end"])
    larger = np.maximum(edges.fields["u"].view(np.uint64), edges.fields["v"].view(np.uint64))[where]
    inside = larger < cells.fields["vertices"]
    control = inserts.fields["control"]
    control[STREAM["left_out"]] |= not inside.all()
    unite(cells, control, edges, where[inside])


def insert_rounds(edges: Struct, cells: Struct, link_edges: Struct, inserts: Struct, rounds: Struct) -> None:
    kinds = rounds.fields["is_query"]
    unite(cells, inserts.fields["control"], edges, slice(None) if kinds is None else kinds == 0)


def run_operations(edges: Struct, cells: Struct, link_edges: Struct, run: Struct, cut: Struct) -> None:
    if run.fields["inserts"]:
        unite(cells, run.fields["control"], edges, run.fields["is_query"] == 0)


def settle_edges(*arguments: Struct) -> None:
    """No walk is cut off here."""


class Submission:
    """Launches that run in Python as they are appended."""

    def __init__(self, device: Gpu) -> None:
        del device

    def __call__(self, launch: Any) -> None:
        KERNELS[launch.name](*launch.arguments)


KERNELS: dict[str, Callable[..., None]] = {
    work.__name__: work
    for work in (begin_cells, check_batch, insert_edges, insert_rounds, run_operations, settle_edges)
}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Gpu:
    device = Gpu()
    monkeypatch.setattr(cuda, "_module", lambda: device.module)
    monkeypatch.setattr(cuda, "current", lambda: device)
    for module in (stream_state, stream_checks, stream_growth):
        monkeypatch.setattr(module, "Executable", Executable)
    monkeypatch.setattr(stream_state, "Submission", Submission)
    monkeypatch.setattr(stream_state, "_LARGEST_NARROW", 100)
    return device


def array(*ids: int, dtype: str = "int64") -> Any:
    return np.array(ids, dtype=dtype).view(DeviceArray)


def state(trees: DeviceTrees) -> Any:
    """All that a caller can see."""
    n, wide = trees.vertices, trees._trees.wide
    arrays = [trees._trees.arrays[name] for name in ("parent", "aux", "u") if name in trees._trees.arrays]
    cells = [array[:n].tolist() for array in arrays]
    assert {array.dtype.itemsize == 8 for array in arrays} == {wide}
    missing = 2**64 - 1 if wide else 2**32 - 1
    labels = trees._signed(arrays[0][:n])
    assert labels.tolist() == cells[0]
    return trees.count, trees.position, n, labels.dtype, [[-1 if x == missing else x for x in some] for some in cells]


CALLS: dict[str, Callable[[DeviceTrees, Any, Any], Any]] = {
    "insert": lambda trees, u, v: trees.insert(u, v),
    "insert_checked": lambda trees, u, v: trees.insert_checked(u, v, BatchFacts(int(max(u.max(), v.max())) + 1)),
    "insert_at": lambda trees, u, v: trees.insert_at(u, v, array(*range(len(u))), len(u), 0),
    "insert_at, vertices alone": lambda trees, u, v: trees.insert_at(u[:0], v[:0], None, 0, int(max(u.max(), v.max()))),
    "apply": lambda trees, u, v: trees.apply(u, v, array(0, 0, dtype="uint8"), False),
    "insert, marked": lambda trees, u, v: trees.insert(u, v),
}


@pytest.mark.parametrize("call", CALLS)
def test_every_call_runs_on_the_gpu_of_the_stream(call: str, gpu: Gpu) -> None:
    trees = open_trees(parse("rem_cas(naive,halve_one)@gpu"), 10, True, 1)
    before = gpu.selections
    CALLS[call](trees, array(7, 1), array(8, 3))
    assert gpu.selections > before


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("largest", [50, 99, 100, 200])
@pytest.mark.parametrize("text", PLANS)
def test_whatever_array_finds_no_memory(text: str, largest: int, call: str, gpu: Gpu) -> None:
    finish = parse(text).finish
    for left in range(40):
        trees = open_trees(parse(f"{text}@gpu"), 10, not finish.no_forest, 1)
        trees.insert(array(1, 3, 4), array(2, 4, 5))
        if call == "insert, marked":
            trees._members = trees._zeros(1, np.uint32)
        before = state(trees)
        gpu.left = left
        try:
            CALLS[call](trees, array(7, 1), array(largest, 3))
        except OutOfDeviceMemory:
            gpu.left = 10**6
            assert state(trees) == before, left
        else:
            break
    else:
        pytest.fail("it asks for no end of memory")
    assert left > 0
    gpu.left = 10**6
    trees.insert(array(7, 1), array(largest, 3))
    count, _, n, dtype, (parents, *_) = state(trees)
    assert dtype == (np.int64 if largest >= 100 else np.int32)
    assert n == largest + 1
    assert count == n - 5
    assert [parents[x] for x in (largest, 3, 4)] == [7, 1, 3]
    assert trees._trees.wide == (largest >= 100)


@pytest.mark.parametrize("text", PLANS)
@pytest.mark.parametrize(
    ("dtype", "most"),
    [("int64", 2**61 + 4), ("int64", 2**62), ("int64", 2**63 - 1), ("uint64", 2**63), ("uint64", 2**64 - 1)],
)
def test_ids_that_no_memory_holds(text: str, dtype: str, most: int, gpu: Gpu) -> None:
    trees = open_trees(parse(f"{text}@gpu"), 4, False, 1)
    before = state(trees)
    u, v = array(0, 0, dtype=dtype), array(1, most, dtype=dtype)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: trees.insert(u, v),
        lambda: trees.insert_checked(u, v, BatchFacts(most + 1)),
        lambda: trees.insert_at(u[:1], v[:1], None, 1, most + 1),
        lambda: trees.apply(u, v, array(1, 0, dtype="uint8"), True),
    )
    for call in calls:
        with pytest.raises(OutOfDeviceMemory, match=f"for all vertices up to {most}$"):
            call()
        assert state(trees) == before


def test_an_id_that_is_only_asked_for_needs_no_memory(gpu: Gpu) -> None:
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 4, False)
    u, v = array(0, 0, dtype="uint64"), array(2, 2**64 - 1, dtype="uint64")
    assert trees._check(u, v, None, "query") == BatchFacts(3)
    assert trees._check(u, v, array(0, 1, dtype="uint8"), "operation") == BatchFacts(3)
    assert trees._check(u, v, array(1, 0, dtype="uint8"), "operation") == BatchFacts(2**64)


def test_a_call_that_fails_takes_its_place_among_the_others(gpu: Gpu) -> None:
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 4, False)
    assert gpu.recorded == 1  # cells are queued, too
    trees.insert(array(0), array(1))
    assert gpu.recorded == 2
    with pytest.raises(InputError, match="edge 0: vertex -1 is negative"):
        trees.insert(array(-1), array(1))
    assert gpu.recorded == 3
    gpu.left = 0
    with pytest.raises(OutOfDeviceMemory, match="making room for all vertices up to 70"):
        trees.insert(array(70), array(1))
    assert gpu.recorded == 4
    gpu.left, gpu.capturing = 9, True
    trees.insert_checked(array(2), array(3), BatchFacts(4))
    assert gpu.recorded == 4


def test_the_default_stream_needs_no_event_between_its_turns(gpu: Gpu) -> None:
    """Another stream waits for them, and they for it: one event each."""
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 9, False)

    def insert(handle: int) -> tuple[int, list[int]]:
        gpu.here.ptr, gpu.waits = handle, []
        before = gpu.recorded
        trees.insert(array(1), array(2))
        return gpu.recorded - before, gpu.waits

    insert(0)
    assert insert(0) == (0, [])
    assert insert(0) == (0, [])
    assert insert(7) == (2, [7])  # the end of the turns on the default stream, then its own
    assert insert(7) == (1, [7])
    assert insert(8) == (1, [8])
    assert insert(0) == (0, [0])
    assert insert(0) == (0, [])


@pytest.mark.parametrize("handle", [0, 7])
def test_places_give_way_to_others_when_nothing_reads_them(
    handle: int, gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 9, False)
    gpu.here.ptr = handle
    trees.insert(array(1), array(2))
    monkeypatch.setattr(stream_growth.TreeMemory, "with_places", lambda self, old, batch: replace(old))
    trees._waiting = gpu.recorded = gpu.synchronized = 0
    trees._make_places(5)
    assert (gpu.recorded, gpu.synchronized) == (int(handle == 0), 1)


def test_waiting_for_others_fails(gpu: Gpu) -> None:
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 4, False)
    trees.insert(array(0), array(1))

    def fail(event: Any) -> None:
        raise Full

    gpu.module.cuda.get_current_stream().wait_event = fail
    with pytest.raises(OutOfDeviceMemory, match=r"^inserting edges: "):
        trees.insert(array(0), array(1))


@pytest.fixture
def meanwhile(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> Gpu:
    """No batch is small, and the sample of the first edges is a single edge."""
    monkeypatch.setattr(stream_trees, "MOST", 0)
    monkeypatch.setattr(stream_checks, "_SAMPLE", 1)
    return gpu


def read_twice(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of the checks from now on: of how many shares of the edges one is looked at."""
    shares: list[int] = []

    def check(edges: Struct, check: Struct) -> None:
        shares.append(check.fields["every"])
        check_batch(edges, check)

    monkeypatch.setitem(KERNELS, "check_batch", check)
    return shares


def test_ids_of_the_first_edges_are_looked_at_while_these_are_inserted(
    meanwhile: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = read_twice(monkeypatch)
    unchecked: list[int] = []

    def insert(edges: Struct, cells: Struct, link_edges: Struct, inserts: Struct, *more: Struct) -> None:
        unchecked.append(inserts.fields["unchecked"])
        insert_edges(edges, cells, link_edges, inserts, *more)

    monkeypatch.setitem(KERNELS, "insert_edges", insert)
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 9, True)
    trees.insert(array(1, 3, 4), array(2, 4, 5))
    assert (shares, unchecked) == ([3], [1])
    assert (trees.count, trees.position, trees.vertices) == (6, 3, 9)
    trees.insert(array(1, 6), array(3, 7))  # no edges are the first ones any more
    assert (shares, unchecked) == ([3, 1], [1, 0])
    assert (trees.count, trees.position) == (4, 5)


@pytest.mark.parametrize("bad", [-1, -(2**40)])
def test_a_first_edge_at_fault_leaves_the_stream_as_it_was(
    bad: int, meanwhile: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = read_twice(monkeypatch)
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 9, True)
    before = state(trees)
    for _ in range(2):
        with pytest.raises(InputError, match=f"edge 2: vertex {bad} is negative"):
            trees.insert(array(1, 3, 4, 7), array(2, 4, bad, 8))
        assert state(trees) == before
    assert shares == [4, 1, 4, 1]
    trees.insert(array(1, 3), array(2, 4))
    assert (trees.count, trees.position) == (7, 2)


def test_ids_that_are_vertices_when_they_are_read_as_unsigned_are_checked_first(
    meanwhile: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than 2^31 vertices: kernels read a negative id of 32 bits as a vertex."""
    monkeypatch.setattr(stream_trees, "limit_of", lambda dtype: 8)
    shares = read_twice(monkeypatch)
    for n, share in ((8, 3), (9, 1)):
        DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), n, True).insert(array(1, 3, 4), array(2, 4, 5))
        assert shares.pop() == share


def test_first_edges_with_new_vertices_are_inserted_once_these_have_cells(meanwhile: Gpu) -> None:
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 5, True)
    trees.insert(array(1, 3, 40), array(2, 4, 1))
    assert (trees.count, trees.position, trees.vertices) == (38, 3, 41)


def test_an_interrupt_before_the_answer_leaves_the_stream_as_it_was(
    meanwhile: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 9, True)
    before = state(trees)

    def interrupted(*arguments: Struct) -> None:
        insert_edges(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as until_then:
        until_then.setitem(KERNELS, "insert_edges", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trees.insert(array(1, 3), array(2, 4))
    assert state(trees) == before
    trees.insert(array(1, 3), array(2, 4))
    assert (trees.count, trees.position) == (7, 2)


@pytest.mark.parametrize(("cut", "settles"), [(0, 0), (2**10, 0), (2**10 + 1, 1)])
def test_batches_settle_where_edges_wait_and_not_where_they_might(
    cut: int, settles: int, gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check of a batch reads how many edges wait. There are places for those of two batches beside a few others:
    with more of these, the next batch might not find places for all of its edges."""
    calls = []
    monkeypatch.setitem(KERNELS, "settle_edges", lambda *_: calls.append(1))
    monkeypatch.setitem(KERNELS, "insert_edges", lambda *_: None)
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 90, False)
    batch = np.zeros(2**17, np.int64).view(DeviceArray)
    trees.insert(batch, batch)
    trees._checks.control[COMPONENTS["cut"]] = cut
    trees.insert(batch[:0], batch[:0])
    trees.insert(batch, batch)
    assert len(calls) == settles
    for _ in range(2):  # no check: of a batch that was not settled all edges might wait
        trees.insert_checked(batch, batch, BatchFacts(1))
    assert len(calls) == 1


def test_each_edge_of_a_batch_has_a_place_unless_it_is_a_large_one(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch with a place for each edge needs no launch that settles. Growing trees keep their places."""
    calls = []
    monkeypatch.setitem(KERNELS, "settle_edges", lambda *_: calls.append(1))
    monkeypatch.setitem(KERNELS, "insert_edges", lambda *_: None)
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 90, False)

    def places() -> int:
        return int(trees._trees.cut.fields["capacity"])

    assert places() == 2**10
    most = 2**21 + 2**10
    for m, more, settled in [(2**20, most, 0), (5, most, 0), (2**21 + 2**11, most, 1)]:
        batch = np.zeros(m, np.int64).view(DeviceArray)
        trees.insert(batch, batch)
        assert (places(), len(calls)) == (more, settled)
    trees.insert(array(1000), array(0))
    assert (trees._trees.vertices > 1000, places()) == (True, most)


def test_places_stay_after_an_interrupt_of_a_small_batch(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kernel may have put edges there before the host had the answer."""
    monkeypatch.setitem(KERNELS, "insert_edges", lambda *_: None)
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 90, False)

    class Interrupted:
        def insert(self, *_: Any) -> Any:
            trees._checks.control[COMPONENTS["cut"]] = 1
            raise KeyboardInterrupt

    trees._small = [Interrupted()]  # type: ignore[list-item]
    with pytest.raises(KeyboardInterrupt):
        trees._insert_small(array(1, 2, 3), array(1, 2, 3))
    cut = trees._trees.cut
    batch = np.zeros(2**17, np.int64).view(DeviceArray)
    trees.insert(batch, batch)
    assert trees._trees.cut is cut


def test_batches_of_one_launch_stay_so_where_a_few_edges_wait(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edges of earlier batches wait in places of their own; where these are full, one batch settles."""
    settled, waiting = [], 5
    monkeypatch.setitem(KERNELS, "insert_edges", lambda *_: None)
    monkeypatch.setitem(KERNELS, "settle_edges", lambda *_: settled.append(1))
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 90, False)

    class Small:
        inserted = 0

        def insert(self, *_: Any) -> tuple[int, bool, int]:
            self.inserted += 1
            return 1, True, waiting

    small = Small()
    trees._small = [small]  # type: ignore[list-item]
    batch = np.zeros(2**17, np.int64).view(DeviceArray)

    def insert() -> None:
        if not trees._insert_small(batch, batch):
            trees.insert(batch, batch)

    for _ in range(3):
        insert()
    assert (small.inserted, len(settled)) == (3, 0)
    waiting = 2**10 + 1
    trees._checks.control[COMPONENTS["cut"]] = waiting
    insert()  # after it more might wait than have places of their own
    insert()
    assert (small.inserted, len(settled)) == (4, 1)
    waiting = 0
    insert()
    assert (small.inserted, len(settled)) == (5, 1)


def test_after_a_batch_unlike_a_mesh_one_is_looked_at_when_there_are_twice_as_many_edges() -> None:
    marking, n, m = Marking(StreamSchedule("", "", ranked=False), cache=2**25), 2**18, 2**16
    looked_at = []
    for batch in range(13):  # up to 3.5 edges per vertex
        if marking.may_hook(m, n):
            looked_at.append(batch)
            assert marking.hooking(m, BatchFacts(n, near=0, descents=m // 3), n) == ""
        marking.inserted += m
    assert looked_at == [0, 2, 6]
    mesh = Marking(StreamSchedule("", "", ranked=False), cache=2**25)
    for _ in range(3):
        assert mesh.may_hook(m, n)
        assert mesh.hooking(m, BatchFacts(n, near=m), n) == "sorted"
        mesh.inserted += m


def test_a_batch_is_inserted_without_memory_for_its_places(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setitem(KERNELS, "insert_edges", lambda *_: None)
    monkeypatch.setitem(KERNELS, "settle_edges", lambda *_: calls.append(1))
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 90, False)
    cut = trees._trees.cut

    def full(*_: Any) -> Any:
        raise Full

    monkeypatch.setattr(type(gpu), "empty", full)
    batch = np.zeros(2**17, np.int64).view(DeviceArray)
    trees.insert(batch, batch)
    assert trees._trees.cut is cut
    assert calls == [1]


def test_places_stay_while_edges_wait_in_them(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setitem(KERNELS, "settle_edges", lambda *_: calls.append(1))
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 90, False)
    trees.insert(array(1), array(0))
    cut = trees._trees.cut
    trees._checks.control[COMPONENTS["cut"]] = 1
    monkeypatch.setitem(KERNELS, "insert_edges", lambda *_: None)
    batch = np.zeros(2**17, np.int64).view(DeviceArray)
    trees.insert(batch, batch)
    assert trees._trees.cut is cut
    assert calls == [1]


def test_edges_wait_after_a_launch_that_fails(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a batch that settles had to settle is not forgotten with it: the next count settles it."""
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 90, False)
    batch = np.zeros(trees._trees.cut.fields["capacity"], np.int64).view(DeviceArray)
    trees.insert_checked(batch, batch, BatchFacts(1))

    def fail(*_: Struct) -> None:
        raise Full

    monkeypatch.setitem(KERNELS, "settle_edges", fail)
    with pytest.raises(OutOfDeviceMemory):
        trees.insert_checked(batch, batch, BatchFacts(1))
    calls = []
    monkeypatch.setitem(KERNELS, "settle_edges", lambda *_: calls.append(1))
    assert trees.count == 90
    assert calls == [1]
