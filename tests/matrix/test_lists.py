"""Every plan of list ranking on every list of the zoo: the same ranks, and the same refusal of what is no list."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.lists import Broken, Lists, broken, scanned, zoo

import landbridge
from landbridge.errors import ListError

PLANS = landbridge.plans("list_ranking", engine="cpu", extended=True)
# Parameters that a list of this size feels.
MORE = ["random_splitter(3)", "random_splitter(100,bits48)", "helman_jaja(1)", "wei_jaja(50)", "rehman(2)", "fis(0)",
        "fis(1.5)", "fis(1e300)", "chains(1,1)", "chains(7,3)", "chains(100000,128)",
        "chains@cpu(seed=99)"]  # fmt: skip


@pytest.mark.parametrize("plan", [*PLANS, *MORE])
def test_every_plan_ranks_every_list(plan: str) -> None:
    for lists in zoo():
        longest = np.zeros(len(lists.ranks), np.int64)
        np.maximum.at(longest, lists.tails, lists.ranks)
        for threads in (1, 3):
            options = {"plan": plan, "threads": threads}
            result = landbridge.rank_list(lists.successor, full=True, **options)
            assert result.ranks.dtype == np.int32, lists.name
            assert np.array_equal(result.ranks, lists.ranks), (lists.name, threads)
            assert np.array_equal(result.tails, lists.tails), (lists.name, threads)
            from_head = landbridge.rank_list(lists.successor, origin="head", full=True, **options)
            assert np.array_equal(from_head.ranks, longest[lists.tails] - lists.ranks), (lists.name, threads)
            assert np.array_equal(from_head.tails, lists.tails), (lists.name, threads)


def some(*names: str) -> list[Lists]:
    return [lists for lists in zoo() if lists.name in names]


@pytest.mark.parametrize("plan", PLANS)
def test_every_plan_adds_weights(plan: str) -> None:
    for lists in some("head_inside", "singles", "random_17", "ragged"):
        n = len(lists.ranks)
        rng = np.random.default_rng(1)
        for weights in (rng.integers(-(2**50), 2**50, n), rng.random(n)):
            links = np.where(lists.ranks == 0, 0, weights)  # that of a tail does not count
            for origin in ("tail", "head"):
                result = landbridge.rank_list(lists.successor, weights=weights, origin=origin, plan=plan, threads=2)
                assert result.dtype == weights.dtype
                right = scanned(lists.successor, links, "sum", origin == "head", origin == "head")
                if weights.dtype == np.int64:
                    assert np.array_equal(result, right), (lists.name, origin)
                else:
                    assert np.allclose(result, right, rtol=1e-12, atol=1e-9), (lists.name, origin)


@pytest.mark.parametrize("plan", PLANS)
def test_every_plan_scans(plan: str) -> None:
    for lists in some("one", "two_back", "random_1000"):
        values = np.random.default_rng(2).integers(-100, 100, len(lists.ranks))
        for op in ("sum", "min", "max"):
            for origin in ("head", "tail"):
                for exclusive in (False, True):
                    result = landbridge.scan_list(
                        lists.successor, values, op=op, origin=origin, exclusive=exclusive, plan=plan, threads=2
                    )
                    right = scanned(lists.successor, values, op, origin == "head", exclusive)
                    assert np.array_equal(result, right), (lists.name, op, origin, exclusive)


@pytest.mark.parametrize("case", broken(), ids=lambda case: case.name)
def test_every_plan_refuses_what_is_no_list(case: Broken) -> None:
    messages = set()
    for plan in PLANS:
        for threads in (1, 3):
            for origin in ("tail", "head"):
                for full in (False, True):
                    with pytest.raises(ListError) as caught:
                        landbridge.rank_list(case.successor, plan=plan, threads=threads, origin=origin, full=full)
                    messages.add(str(caught.value))
                with pytest.raises(ListError) as caught:
                    landbridge.scan_list(
                        case.successor, np.ones(len(case.successor)), plan=plan, threads=threads, origin=origin
                    )
                messages.add(str(caught.value))
    assert len(messages) == 1, messages
    assert case.words in messages.pop()


@pytest.mark.parametrize("plan", PLANS)
def test_every_plan_counts_in_64_bits(plan: str) -> None:
    wide = f"{plan}(ids=wide)"
    for lists in some("one", "head_inside", "random_17", "random_1000", "ragged", "long"):
        for origin in ("tail", "head"):
            right = landbridge.rank_list(lists.successor, origin=origin)
            result = landbridge.rank_list(lists.successor, plan=wide, threads=2, origin=origin, full=True)
            assert result.ranks.dtype == result.tails.dtype == np.int64
            assert np.array_equal(result.ranks, right), (lists.name, origin)
            assert np.array_equal(result.tails, lists.tails), (lists.name, origin)
        values = np.arange(len(lists.ranks))
        right = landbridge.scan_list(lists.successor, values, op="max")
        assert np.array_equal(landbridge.scan_list(lists.successor, values, op="max", plan=wide), right)
    for case in broken():
        with pytest.raises(ListError):
            landbridge.rank_list(case.successor, plan=wide, threads=2)


@pytest.mark.parametrize("plan", [p for p in PLANS if "helman" not in p])
def test_floats_are_the_same_in_every_run_of_a_plan(plan: str) -> None:
    (lists,) = some("random_17")
    values = np.random.default_rng(3).random(len(lists.ranks))
    first = landbridge.scan_list(lists.successor, values, plan=plan, threads=1)
    for threads in (2, 3):
        assert np.array_equal(first, landbridge.scan_list(lists.successor, values, plan=plan, threads=threads))
