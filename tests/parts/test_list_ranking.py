"""List ranking over several processors: the answers of one, whatever the division, and what each of them holds."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from oracles.lists import broken, scanned, walk, zoo
from parts.fake import FakeDevice

import landbridge
from landbridge import DeviceError, InputError, ListError, ListSizes, OutOfDeviceMemory, _core
from landbridge.edges.generators import linked_list
from landbridge.engine.parts import lists as division
from landbridge.engine.parts.processors import CpuThreads

LOST = DeviceError("the GPU failed and is lost to this process")
FULL = OutOfDeviceMemory("the GPU has too little free memory")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(division, "LEAST_BLOCK", 700)
    monkeypatch.setattr(CpuThreads, "room", 0)


def fakes(count: int, **options: Any) -> list[Any]:
    return [FakeDevice(i, **options) for i in range(count)]


def some_lists(rng: Any) -> Any:
    """Successors of any lists over up to 80 elements, in any order, with either way to write a tail."""
    order = rng.permutation(int(rng.integers(0, 80)))
    successor = np.full(len(order), -1, np.int64)
    longest = rng.choice([1.2, 5, 100])
    for a, b in pairwise(order.tolist()):
        if rng.random() > 1 / longest:
            successor[a] = b
        elif rng.random() < 0.5:
            successor[a] = a
    return successor.astype(rng.choice([np.int32, np.int64]))


def test_ranks_are_those_of_a_walk_for_any_division() -> None:
    rng = np.random.default_rng(3)
    for count in [1, 2, 3, 5, 60] * 5:
        successor = some_lists(rng)
        ranks, tails = walk(successor)
        result = landbridge.rank_list(successor, devices=fakes(count), full=True)
        assert np.array_equal(result.ranks, ranks)
        assert np.array_equal(result.tails, tails)
        assert result.ranks.dtype == result.tails.dtype == np.int32
        landbridge.check_ranks(successor, result)
        assert [share.edges for share in result.profile.shares] == ranges(len(successor), count)


def ranges(n: int, count: int) -> list[int]:
    size = max(1, -(-n // count))
    return [max(0, min(n, (i + 1) * size) - i * size) for i in range(count)]


def test_scans_are_what_a_walk_adds_up_for_any_division() -> None:
    rng = np.random.default_rng(4)
    cases = list(product(("sum", "min", "max"), ("head", "tail"), (False, True), (1, 2, 4)))
    for op, origin, exclusive, count in cases:
        successor = some_lists(rng)
        for values in (rng.integers(-9, 9, len(successor)), rng.integers(-9, 9, len(successor)) / 4):
            options: Any = {"op": op, "origin": origin, "exclusive": exclusive}
            result = landbridge.scan_list(successor, values, devices=fakes(count), **options)
            assert result.dtype == values.dtype
            assert np.array_equal(result, scanned(successor, values, op, origin == "head", exclusive)), options


@pytest.mark.parametrize("origin", ["tail", "head"])
def test_every_list_is_ranked_as_by_one_processor(origin: Any) -> None:
    for lists in (lists for lists in zoo() if not lists.name.startswith("long")):
        n = len(lists.successor)
        weights = np.random.default_rng(1).integers(-(2**40), 2**40, n)
        options: tuple[Any, ...] = ({}, {"weights": weights})
        for own in options[n > 10_000 :]:
            right = landbridge.rank_list(lists.successor, origin=origin, device="cpu", full=True, **own)
            result = landbridge.rank_list(lists.successor, origin=origin, devices=fakes(3), full=True, **own)
            assert result.ranks.dtype == right.ranks.dtype
            assert np.array_equal(result.ranks, right.ranks), lists.name
            assert np.array_equal(result.tails, right.tails), lists.name


def test_floats_do_not_depend_on_the_number_of_processors() -> None:
    successor = linked_list(9000, 5, 4)
    values = np.random.default_rng(5).random(9000)
    for origin in ("tail", "head"):
        answers = [
            landbridge.scan_list(successor, values, devices=fakes(count), origin=origin) for count in (1, 2, 2, 5)
        ]
        assert all(np.array_equal(answers[0], other) for other in answers)
        assert np.allclose(answers[0], landbridge.scan_list(successor, values, origin=origin), rtol=1e-12)


def test_types_and_plans() -> None:
    successor = linked_list(100, 2)
    right = walk(successor)[0]
    devices = fakes(2)
    for dtype in (np.int8, np.uint8, np.uint32, np.uint64, ">i8"):
        assert np.array_equal(landbridge.rank_list(successor.astype(dtype), devices=devices), right)
    for plan in (
        "wyllie",
        "serial",
        "fis(2)",
        "random_splitter(8)@parts(seed=3,threads=1)",
        "chains@parts(ids=narrow)",
    ):
        result = landbridge.rank_list(successor, plan=plan, devices=devices, full=True)
        assert (result.plan, result.device) == (str(landbridge.plan.parse_rank(plan)), "parts")
        assert np.array_equal(result.ranks, right)
    wide = landbridge.rank_list(successor, plan="chains@parts(ids=wide)", devices=devices, full=True)
    assert wide.ranks.dtype == wide.tails.dtype == np.int64
    assert np.array_equal(wide.ranks, right)
    words: Any
    for words in (
        {"devices": ["cpu", "cpu"]}, {"plan": "chains@parts(cpu=2)"}, {"devices": ["cpu", "cpu"], "device": "parts"}
    ):  # fmt: skip
        result = landbridge.rank_list(successor, full=True, **words)
        assert (result.plan, result.ranks.tolist()) == ("chains@parts(cpu=2)", right.tolist())
    assert np.array_equal(landbridge.rank_list(successor, devices=["cpu"], device="hybrid"), right)


@pytest.mark.parametrize("case", broken(), ids=lambda case: case.name)
def test_what_is_no_list_is_refused_with_the_words_of_one_processor(case: Any) -> None:
    with pytest.raises(ListError) as right:
        landbridge.rank_list(case.successor, device="cpu")
    origin: Any
    for count, origin in product((1, 2, 6), ("tail", "head")):
        with pytest.raises(ListError) as error:
            landbridge.rank_list(case.successor, devices=fakes(count), origin=origin)
        assert str(error.value) == str(right.value)


def test_any_numbers_are_ranked_or_refused_as_by_one_processor() -> None:
    rng = np.random.default_rng(6)
    for _ in range(150):
        successor = rng.integers(-1, 7, 6) if rng.random() < 0.5 else rng.permutation(6)

        def answer(successor: Any = successor, **where: Any) -> Any:
            try:
                return landbridge.rank_list(successor, **where).tolist()
            except ListError as error:
                return str(error)

        right, result = answer(device="cpu"), answer(devices=fakes(int(rng.integers(1, 5))))
        assert result == (_core.problem_of_lists(successor) if isinstance(right, str) else right), successor


def test_sums_that_do_not_fit_are_refused_as_by_one_processor() -> None:
    successor, weights = linked_list(10, 1), np.full(10, 2**60)
    with pytest.raises(InputError) as right:
        landbridge.rank_list(successor, weights=weights, device="cpu")
    with pytest.raises(InputError) as error:
        landbridge.rank_list(successor, weights=weights, devices=fakes(3))
    assert str(error.value) == str(right.value)
    assert landbridge.scan_list(successor, weights, op="max", devices=fakes(3)).tolist() == [2**60] * 10


@pytest.mark.parametrize("error", [LOST, FULL])
def test_a_device_that_fails_is_named_whenever_it_fails(error: Exception) -> None:
    successor = linked_list(1100, 3, 5)
    before, right = successor.copy(), landbridge.rank_list(successor, device="cpu", full=True)
    devices: list[Any] = [CpuThreads(0, 1), FakeDevice(1)]
    landbridge.rank_list(successor, devices=devices, full=True)
    passes, messages = devices[1].calls["compute"], set()
    for after in [*range(0, passes, 3 if error is LOST else 9), passes - 1]:
        failing: list[Any] = [CpuThreads(0, 1), FakeDevice(1, failures={"compute": error}, after=after)]
        with pytest.raises(type(error), match=f"^fake 1, .*: {error}$") as caught:
            landbridge.rank_list(successor, devices=failing, full=True)
        messages.add(str(caught.value).split(", ")[1].split(":")[0])
        failing[1].failures = {}
        assert np.array_equal(landbridge.rank_list(successor, devices=failing), right.ranks)
    phases = {"copying its elements", "removing elements", "ranking what is left", "inserting elements"}
    assert messages <= phases | {"writing its answer"}
    assert error is FULL or messages == phases | {"writing its answer"}
    with pytest.raises(type(error), match=f"^fake 0, ranking what is left: {error}$"):
        landbridge.rank_list(successor, devices=fakes(2, failures={"solve": error}))
    with pytest.raises(MemoryError, match=r"^fake 0, removing elements: too little memory$"):
        landbridge.rank_list(successor, devices=fakes(1, failures={"compute": MemoryError()}, after=1))
    assert np.array_equal(successor, before)


@pytest.mark.parametrize("lists", [1, 50, 8000])
def test_no_processor_holds_the_lists(lists: int) -> None:
    n, count = 16_000, 8
    successor = linked_list(n, 7, lists)
    for options in ({}, {"weights": np.arange(n)}, {"origin": "head", "full": True}):
        devices = fakes(count)
        result: Any = landbridge.rank_list(successor, devices=devices, **options)
        assert len(result) == n
        assert max(device.largest for device in devices) <= n // count


def test_memory_is_that_of_the_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 40_000
    successor = linked_list(n, 7)
    monkeypatch.setattr(division, "LEAST_BLOCK", 1000)
    for weights, least in ((None, 4 + 4 + 4 + 1), (np.ones(n, np.int64), 4 + 8 + 8 + 1)):
        with traced() as peak:
            landbridge.rank_list(successor, weights=weights, devices=["cpu"] * 4)
        assert least * n <= peak[0] < (least + 3) * n
        sizes = ListSizes(n, values=weights is not None)
        assert landbridge.estimate_memory(sizes, plan="chains@parts(cpu=4)", problem="list_ranking") > peak[0]


def test_tails_of_many_lists_take_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 40_000  # all elements of half of the ranges are tails, which others follow
    successor = np.arange(n, dtype=np.int32)
    successor[: n // 2] = n // 2 + np.random.default_rng(3).permutation(n // 2)
    monkeypatch.setattr(division, "LEAST_BLOCK", 1000)
    for options in ({}, {"origin": "head"}):
        right = landbridge.rank_list(successor, device="cpu", **options)
        with traced() as peak:
            ranks = landbridge.rank_list(successor, devices=["cpu"] * 4, **options)
        assert np.array_equal(ranks, right)
        assert peak[0] < (4 + 4 + 4 + 1 + 1.5) * n


class traced:
    """A context whose value has the largest number of bytes that NumPy held in it."""

    def __enter__(self) -> list[int]:
        tracemalloc.start()
        self._peak = [0]
        return self._peak

    def __exit__(self, *_: object) -> None:
        self._peak[0] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


def test_a_processor_with_memory_for_the_lists_ranks_them_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    successor, weights = linked_list(9000, 3, 20), np.arange(9000)
    right = landbridge.rank_list(successor, weights=weights, device="cpu", full=True)
    large: list[Any] = [FakeDevice(0), FakeDevice(1, on_host=False, room=1 << 30), FakeDevice(2)]
    full: list[Any] = [FakeDevice(0), FakeDevice(1, on_host=False, room=1 << 30, failures={"solve": FULL})]
    result = landbridge.rank_list(successor, weights=weights, devices=large, full=True)
    assert [share.edges for share in result.profile.shares] == [0, 9000, 0]
    assert (result.plan, result.device) == ("chains@parts(gpu=3)", "parts")
    assert "compute" not in large[0].calls
    assert np.array_equal(result.ranks, right.ranks)
    assert np.array_equal(result.tails, right.tails)
    with pytest.raises(OutOfDeviceMemory, match=f"^fake 1, ranking what is left: {FULL}$"):
        landbridge.rank_list(successor, devices=full)
    assert full[0].calls["compute"] > 0  # divided, once one could not hold them
    small: list[Any] = [FakeDevice(0, on_host=False), FakeDevice(1, room=1 << 30), FakeDevice(2, on_host=False)]
    result = landbridge.rank_list(successor, weights=weights, devices=small, full=True)
    assert [share.edges for share in result.profile.shares] == [0, 9000, 0]
    assert np.array_equal(result.ranks, right.ranks)
    monkeypatch.undo()
    result = landbridge.rank_list(successor, weights=weights, devices=["cpu", "cpu"], full=True)
    assert [share.edges for share in result.profile.shares] == [9000, 0]
    assert np.array_equal(result.ranks, right.ranks)


def test_messages_are_few() -> None:
    n = 50_000
    devices = fakes(4)
    profile = landbridge.rank_list(linked_list(n, 2), devices=devices, full=True, plan="chains").profile
    assert list(profile.seconds) == ["transfer", "remove", "rest", "insert", "ranks"]
    assert [share.link for share in profile.shares] == ["", *["host copies"] * 3]
    assert sum(share.moved for share in profile.shares) < 40 * n


def test_a_limit_of_time_ends_it() -> None:
    with pytest.raises(landbridge.TimeLimitExceeded):
        landbridge.rank_list(linked_list(300_000, 2), devices=["cpu", "cpu"], timeout=0.02)
