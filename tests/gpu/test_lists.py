"""Every GPU plan of list ranking on every list of the zoo, on a GPU: the ranks of the walk, as on the CPU."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from oracles.lists import Broken, Lists, broken, scanned, zoo

import landbridge
from landbridge.device import cuda
from landbridge.device.pinned import PinnedAnswer
from landbridge.edges.generators import linked_list
from landbridge.errors import InputError, ListError

pytestmark = pytest.mark.gpu

PLANS = landbridge.plans("list_ranking", engine="gpu", extended=True)
MORE = ["random_splitter(3)", "wei_jaja(50)", "rehman(2)", "fis(0)", "fis_hybrid(1.5)", "chains(1)", "chains(1000000)",
        "chains@gpu(seed=99)"]  # fmt: skip


def host(array: Any) -> Any:
    return array.get() if hasattr(array, "get") else array


@pytest.mark.parametrize("plan", [*PLANS, *MORE])
def test_every_plan_ranks_every_list(plan: str) -> None:
    for lists in zoo():
        longest = np.zeros(len(lists.ranks), np.int64)
        np.maximum.at(longest, lists.tails, lists.ranks)
        for origin, right in (("tail", lists.ranks), ("head", longest[lists.tails] - lists.ranks)):
            result = landbridge.rank_list(lists.successor, plan=plan, device="gpu", origin=origin, full=True)
            assert result.device == "gpu"
            assert result.ranks.dtype == np.int32, lists.name
            assert np.array_equal(result.ranks, right), (lists.name, origin)
            assert np.array_equal(result.tails, lists.tails), (lists.name, origin)


def some(*names: str) -> list[Lists]:
    return [lists for lists in zoo() if lists.name in names]


@pytest.mark.parametrize("plan", PLANS)
def test_every_plan_adds_weights_and_scans(plan: str) -> None:
    cupy = cuda.cupy()
    for lists in some("head_inside", "singles", "random_17", "ragged", "beyond_a_chunk"):
        n = len(lists.ranks)
        rng = np.random.default_rng(1)
        for weights in (rng.integers(-(2**50) // n, 2**50 // n, n), rng.random(n)):
            links = np.where(lists.ranks == 0, 0, weights)
            for origin in ("tail", "head"):
                result = landbridge.rank_list(
                    cupy.asarray(lists.successor), weights=cupy.asarray(weights), origin=origin, plan=plan
                )
                assert isinstance(result, cupy.ndarray)
                right = scanned(lists.successor, links, "sum", origin == "head", origin == "head")
                assert np.allclose(result.get(), right, rtol=1e-12, atol=1e-7), (lists.name, origin)
                if weights.dtype == np.int64:
                    assert np.array_equal(result.get(), right)
        values = rng.integers(-100, 100, n)
        for op in ("min", "max", "sum"):
            for origin in ("head", "tail"):
                for exclusive in (False, True):
                    options: Any = {"op": op, "origin": origin, "exclusive": exclusive}
                    result = landbridge.scan_list(lists.successor, values, plan=plan, device="gpu", **options)
                    right = scanned(lists.successor, values, op, origin == "head", exclusive)
                    assert np.array_equal(result, right), (lists.name, options)


@pytest.mark.parametrize("case", broken(), ids=lambda case: case.name)
def test_every_plan_refuses_what_is_no_list(case: Broken) -> None:
    messages = set()
    for plan in PLANS:
        for origin in ("tail", "head"):
            with pytest.raises(ListError) as caught:
                landbridge.rank_list(case.successor, plan=plan, device="gpu", origin=origin)
            messages.add(str(caught.value))
            with pytest.raises(ListError) as caught:
                landbridge.scan_list(
                    case.successor, np.ones(len(case.successor)), plan=plan, device="gpu", origin=origin
                )
            messages.add(str(caught.value))
    assert len(messages) == 1, messages
    assert case.words in messages.pop()


@pytest.mark.parametrize("plan", ["chains", "chains(splitters=2097152)"])
@pytest.mark.parametrize("n", [2**19 + 11, 2**21 + 7, 2**22])
def test_long_lists_beside_cycles_are_refused_soon(n: int, plan: str) -> None:
    """Elements of one launch, most of them in cycles: of many sublists some cycles hold none that leads."""
    rng = np.random.default_rng(n)
    order = rng.permutation(n)
    for length in (7, 40, 300, 5000, n // 2):
        rest = n // 3 // length * length if length < n // 2 else length
        successor = np.empty(n, np.int32)
        successor[order[rest:-1]] = order[rest + 1 :]
        successor[order[-1]] = order[-1]
        cycles = order[:rest].reshape(-1, length)
        successor[cycles] = np.roll(cycles, -1, axis=1)
        refused_soon(successor, plan)


def refused_soon(successor: Any, plan: str) -> None:
    array = cuda.cupy().asarray(successor)
    began = time.perf_counter()
    with pytest.raises(ListError):
        landbridge.rank_list(array, plan=plan, device="gpu")
    assert time.perf_counter() - began < 3, "the reason is looked for on one CPU thread meanwhile"


def test_long_ways_into_cycles_are_refused_soon() -> None:
    """One tail, and a sum of successors that lacks one head, though two other ways begin and end within the lists. With
    one splitter in two elements one case in 16 has all elements in a walk, each in one."""
    n = 2**21 + 7
    rng = np.random.default_rng(5)
    for _ in range(48):
        order = rng.permutation(n)
        successor = np.empty(n, np.int32)
        successor[order[:-1]] = order[1:]
        successor[order[-1]] = order[-1]
        first, second = np.sort(rng.choice(np.arange(2, n - 2), 2, replace=False))
        heads = int(order[first]) + int(order[second])
        meeting = int(rng.integers(max(0, heads - n + 1), min(n, heads + 1)))
        successor[order[first - 1]], successor[order[second - 1]] = meeting, heads - meeting
        refused_soon(successor, "chains(splitters=2097152)")


def test_a_launch_that_is_called_again_has_forgotten_the_call_before() -> None:
    """Single lists of several lengths and both types in turns with several lists, what is no list, and long walks."""
    cupy, rng = cuda.cupy(), np.random.default_rng(3)

    def check(n: int, dtype: Any, origin: Any, kind: str) -> None:
        order = rng.permutation(n)
        successor = np.empty(n, dtype)
        successor[order[:-1]] = order[1:]
        successor[order[-1]] = order[-1] if kind != "ring" else order[0]
        if kind == "two":
            successor[order[n // 2]] = -1
        if kind == "out of range":
            successor[order[n // 3]] = n + 5
        array = cupy.asarray(successor)
        if kind in ("ring", "out of range"):
            with pytest.raises(ListError):
                landbridge.rank_list(array, origin=origin)
            return
        right = landbridge.rank_list(successor, origin=origin, full=True, device="cpu")
        result = landbridge.rank_list(array, origin=origin, full=True)
        assert np.array_equal(result.ranks.get(), right.ranks)
        assert np.array_equal(result.tails.get(), right.tails)
        assert np.array_equal(landbridge.rank_list(array, origin=origin).get(), right.ranks)

    for _ in range(120):
        kind = str(rng.choice(["one", "one", "one", "two", "ring", "out of range"]))
        n = int(rng.choice([4, 17, 600, 5000, 70_001, 2**20]))
        origin = str(rng.choice(["head", "tail"]))
        for _ in range(int(rng.integers(1, 3))):
            check(n, rng.choice([np.int32, np.int64]), origin, kind)


def test_a_call_within_a_call_has_an_answer_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a handler of a signal makes one while its thread waits for the answer."""
    cupy = cuda.cupy()
    ring, chain = cupy.asarray([1, 2, 0]), cupy.asarray([1, 2, 2])
    u, v, w = cupy.asarray([0, 2]), cupy.asarray([1, 3]), cupy.asarray([4])
    wait, inside = PinnedAnswer.wait, [False]

    def interrupted(self: Any) -> Any:
        if not inside[0]:
            inside[0] = True
            with pytest.raises(ListError):
                landbridge.rank_list(ring)
            assert landbridge.components((u[:1], w)).count == 4
            inside[0] = False
        return wait(self)

    monkeypatch.setattr(PinnedAnswer, "wait", interrupted)
    for _ in range(3):
        assert landbridge.rank_list(chain).tolist() == [2, 1, 0]
        assert landbridge.components((u, v)).count == 2


def test_threads_rank_lists_at_once() -> None:
    cupy = cuda.cupy()

    def work(seed: int) -> bool:
        with cupy.cuda.Stream(non_blocking=True):
            for n in (1000, 50_000, 1000, 2**18):
                successor = linked_list(n + seed, seed)
                right = landbridge.rank_list(successor, device="cpu")
                for _ in range(10):
                    if not np.array_equal(landbridge.rank_list(cupy.asarray(successor)).get(), right):
                        return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


@pytest.mark.parametrize("plan", PLANS)
def test_every_plan_counts_in_64_bits(plan: str) -> None:
    wide = f"{plan}(ids=wide)"
    for lists in some("one", "head_inside", "random_17", "random_1000", "ragged", "long"):
        result = landbridge.rank_list(lists.successor, plan=wide, full=True)
        assert result.ranks.dtype == result.tails.dtype == np.int64
        assert np.array_equal(result.ranks, lists.ranks), lists.name
        assert np.array_equal(result.tails, lists.tails), lists.name
        right = landbridge.rank_list(lists.successor, origin="head", device="cpu")
        assert np.array_equal(landbridge.rank_list(lists.successor, origin="head", plan=wide), right), lists.name
        values = np.arange(len(lists.ranks))
        right = landbridge.scan_list(lists.successor, values, op="max", device="cpu")
        assert np.array_equal(landbridge.scan_list(lists.successor, values, op="max", plan=wide), right), lists.name
    for case in broken():
        with pytest.raises(ListError):
            landbridge.rank_list(case.successor, plan=wide)


@pytest.mark.parametrize("plan", PLANS)
def test_floats_are_the_same_in_every_run_of_a_plan(plan: str) -> None:
    (lists,) = some("long")
    values = np.random.default_rng(3).random(len(lists.ranks))
    first = landbridge.scan_list(lists.successor, values, plan=plan, device="gpu")
    for _ in range(3):
        assert np.array_equal(first, landbridge.scan_list(lists.successor, values, plan=plan, device="gpu"))


@pytest.mark.parametrize("lists", [1, 1000, 2**20])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_many_elements_many_lists(lists: int, dtype: Any) -> None:
    successor = linked_list(3 * 2**20 + 5, 1, lists).astype(dtype)
    for plan in PLANS:
        result = landbridge.rank_list(cuda.cupy().asarray(successor), plan=plan, full=True)
        landbridge.check_ranks(successor, result)
        assert result.plan == plan
        assert sum(result.profile.seconds.values()) > 0


def test_arrays_stay_where_they_are() -> None:
    cupy = cuda.cupy()
    result = landbridge.rank_list(cupy.array([1, 2, 2, 0]))
    assert isinstance(result, cupy.ndarray)
    assert result.tolist() == [2, 1, 0, 3]
    assert landbridge.rank_list(cupy.array([1, 2, 2, 0]), device="cpu").tolist() == [2, 1, 0, 3]
    assert landbridge.rank_list(cupy.empty(0, np.int64), full=True).count == 0
    with pytest.raises(InputError, match="put both in one place"):
        landbridge.rank_list(cupy.array([0]), weights=np.array([1]))
    with pytest.raises(ListError, match="element 1: successor 9 is out of range for n = 2"):
        landbridge.rank_list(cupy.array([0, 9], np.uint32))
    with pytest.raises(InputError, match=r"2\^63 or more, and integers are added exactly"):
        landbridge.rank_list(cupy.array([1, 2, 2]), weights=cupy.array([2**62, 2**62, 0]))


def test_the_hybrid_says_how_long_the_gpu_waited() -> None:
    result = landbridge.rank_list(linked_list(2**20, 1), plan="fis_hybrid", full=True)
    assert 0 <= result.profile.seconds["idle"] <= result.profile.seconds["remove"]
