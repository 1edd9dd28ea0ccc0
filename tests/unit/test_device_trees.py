"""Trees on a GPU whose memory runs out: nothing has changed, and the next call finds everything in order.

A stand-in for CuPy keeps arrays in NumPy and counts what is asked for; its kernels do what their namesakes do, edge by
edge.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from landbridge.device import cuda
from landbridge.engine import stream
from landbridge.engine.stream import DeviceTrees, Look
from landbridge.engine.stream_rounds import device_trees
from landbridge.errors import InputError, OutOfDeviceMemory
from landbridge.plan import parse

NONE = {np.dtype(np.uint32): 2**32 - 1, np.dtype(np.uint64): 2**64 - 1}
PLANS = ("rem_cas(naive,halve_one)", "hooks(compress)", "lt(direct,root,once,alter)")


class Full(Exception):
    """What stands for CuPy's OutOfMemoryError."""


class DeviceArray(np.ndarray):
    @property
    def data(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(memset_async=lambda value, size: self.view(np.uint8).fill(value))

    def get(self) -> Any:
        return np.array(self)


class Gpu:
    """Memory for `left` more arrays, kernels, and the events of one stream."""

    def __init__(self) -> None:
        self.left = 10**6
        self.memory, self.cache, self.multiprocessors = 10**6, 0, 2
        self.recorded = 0
        self.capturing = False
        here = SimpleNamespace(is_capturing=lambda: self.capturing, wait_event=lambda event: None)
        self.module = SimpleNamespace(
            ndarray=DeviceArray,
            empty=lambda size, dtype: self.take(np.full(size, 77, dtype)),
            zeros=lambda size, dtype: self.take(np.zeros(size, dtype)),
            asarray=self.take,
            maximum=np.maximum,
            cuda=SimpleNamespace(
                Event=lambda **_: SimpleNamespace(record=self.record),
                get_current_stream=lambda: here,
                memory=SimpleNamespace(OutOfMemoryError=Full),
                runtime=SimpleNamespace(CUDARuntimeError=ZeroDivisionError),
                driver=SimpleNamespace(CUDADriverError=ZeroDivisionError),
            ),
        )

    def record(self, stream: Any) -> None:
        self.recorded += 1

    def take(self, array: Any) -> Any:
        if self.left == 0:
            raise Full
        self.left -= 1
        return np.asarray(array).view(DeviceArray)

    def kernels(self, program: Any) -> dict[str, Callable[..., None]]:
        def kernel(work: Callable[..., None]) -> Callable[..., None]:
            def launched(grid: Any, block: Any, values: tuple[Any, ...], **_: Any) -> None:
                work(*(None if isinstance(x, np.uint64) and x == 0 else x for x in values))

            return launched

        return {work.__name__: kernel(work) for work in KERNELS}


def begin_cells(parent: Any, *rest: Any) -> None:
    _, aux, owner_u, first, last = rest
    first = first or 0
    parent[first:last] = np.arange(first, last)
    for cells in (aux, owner_u):
        if cells is not None:
            cells[first:last] = NONE[cells.dtype]


def largest_inserted(u: Any, v: Any, *rest: Any) -> None:
    _, _, kinds, m, limit, seen, _ = rest
    larger = np.maximum(u.view(f"u{u.itemsize}"), v.view(f"u{v.itemsize}")).tolist()
    wrong = [i for i, x in enumerate(larger) if x >= int(limit)]
    seen[stream._NEXT] = m - wrong[0] if wrong else 0
    inserts = (x + 1 for i, x in enumerate(larger) if x < int(limit) and (kinds is None or not kinds[i]))
    seen[stream._LOW] = max(inserts, default=0)


def unite(parent: Any, control: Any, pairs: Any) -> None:
    def root(x: int) -> int:
        return x if parent[x] == x else root(parent[x])

    for ends in pairs:
        a, b = map(root, ends)
        parent[max(a, b)] = min(a, b)
        control[stream._LINKS] += a != b


def insert_edges(u: Any, v: Any, *rest: Any) -> None:
    parent, control, first, last = rest[2], rest[10], rest[11] or 0, rest[12]
    unite(parent, control, zip(u[first:last], v[first:last], strict=True))


def insert_rounds(u: Any, v: Any, *rest: Any) -> None:
    kinds, parent, control = rest[2], rest[3], rest[10]
    inserts = slice(None) if kinds is None else kinds == 0
    unite(parent, control, zip(u[inserts], v[inserts], strict=True))


def run_operations(u: Any, v: Any, *rest: Any) -> None:
    kinds, parent, control, what = rest[2], rest[3], rest[10], rest[14]
    if what & 1:
        unite(parent, control, zip(u[kinds == 0], v[kinds == 0], strict=True))


KERNELS = (begin_cells, largest_inserted, insert_edges, insert_rounds, run_operations)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Gpu:
    found = Gpu()
    monkeypatch.setattr(cuda, "_module", lambda: found.module)
    monkeypatch.setattr(cuda, "current", lambda: found)
    monkeypatch.setattr(stream, "_NARROW", 100)
    return found


def array(*ids: int, dtype: str = "int64") -> Any:
    return np.array(ids, dtype=dtype).view(DeviceArray)


def state(trees: DeviceTrees) -> Any:
    """All that a caller can see."""
    n = trees.vertices
    cells = [cells[:n].tolist() for cells in (trees._parent, trees._aux, trees._owner_u) if cells is not None]
    kinds = {x.dtype.itemsize == 8 for x in (trees._parent, trees._aux, trees._owner_u) if x is not None}
    assert kinds == {trees._wide}
    missing = 2**64 - 1 if trees._wide else 2**32 - 1
    labels = trees._signed(trees._parent[:n])
    assert labels.tolist() == cells[0]
    return trees.count, trees.position, n, labels.dtype, [[-1 if x == missing else x for x in some] for some in cells]


CALLS: dict[str, Callable[[DeviceTrees, Any, Any], Any]] = {
    "insert": lambda trees, u, v: trees.insert(u, v),
    "insert_known": lambda trees, u, v: trees.insert_known(u, v, Look(int(max(u.max(), v.max())) + 1)),
    "insert_at": lambda trees, u, v: trees.insert_at(u, v, array(*range(len(u))), len(u), 0),
    "insert_at, vertices alone": lambda trees, u, v: trees.insert_at(u[:0], v[:0], None, 0, int(max(u.max(), v.max()))),
    "apply": lambda trees, u, v: trees.apply(u, v, array(0, 0, dtype="uint8"), False),
    "insert, marked": lambda trees, u, v: trees.insert(u, v),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("largest", [50, 99, 100, 200])
@pytest.mark.parametrize("text", PLANS)
def test_whatever_array_finds_no_memory(text: str, largest: int, call: str, gpu: Gpu) -> None:
    finish = parse(text).finish
    for left in range(40):
        trees = device_trees(parse(f"{text}@gpu"), 10, not finish.no_forest)
        trees.insert(array(1, 3, 4), array(2, 4, 5))
        if call == "insert, marked":
            trees._marks = trees._zeros(1, np.uint32)
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
    assert trees._wide == (largest >= 100)


@pytest.mark.parametrize("text", PLANS)
@pytest.mark.parametrize(
    ("dtype", "most"),
    [("int64", 2**61 + 4), ("int64", 2**62), ("int64", 2**63 - 1), ("uint64", 2**63), ("uint64", 2**64 - 1)],
)
def test_ids_that_no_memory_holds(text: str, dtype: str, most: int, gpu: Gpu) -> None:
    trees = device_trees(parse(f"{text}@gpu"), 4, False)
    before = state(trees)
    u, v = array(0, 0, dtype=dtype), array(1, most, dtype=dtype)
    calls: tuple[Callable[[], Any], ...] = (
        lambda: trees.insert(u, v),
        lambda: trees.insert_known(u, v, Look(most + 1)),
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
    assert trees._check(u, v, None, "query") == Look(3)
    assert trees._check(u, v, array(0, 1, dtype="uint8"), "operation") == Look(3)
    assert trees._check(u, v, array(1, 0, dtype="uint8"), "operation") == Look(2**64)


def test_a_call_that_fails_takes_its_place_among_the_others(gpu: Gpu) -> None:
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 4, False)
    trees.insert(array(0), array(1))
    assert gpu.recorded == 1
    with pytest.raises(InputError, match="edge 0: vertex -1 is negative"):
        trees.insert(array(-1), array(1))
    assert gpu.recorded == 2
    gpu.left = 2  # for the edges
    with pytest.raises(OutOfDeviceMemory, match="making room for all vertices up to 70"):
        trees.insert(array(70), array(1))
    assert gpu.recorded == 3
    gpu.left, gpu.capturing = 9, True
    trees.insert_known(array(2), array(3), Look(4))
    assert gpu.recorded == 3


def test_waiting_for_others_fails(gpu: Gpu) -> None:
    trees = DeviceTrees(parse("rem_cas(naive,halve_one)@gpu"), 4, False)
    trees.insert(array(0), array(1))

    def fail(event: Any) -> None:
        raise Full

    gpu.module.cuda.get_current_stream().wait_event = fail
    with pytest.raises(OutOfDeviceMemory, match=r"^inserting edges: "):
        trees.insert(array(0), array(1))
