"""Laws of list ranking, for any lists."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.lists import scanned, walk

import landbridge
from landbridge.errors import ListError

PLANS = st.sampled_from(landbridge.plans("list_ranking", engine="cpu", extended=True)) | st.sampled_from(
    ["random_splitter(2)", "helman_jaja(1)", "rehman(1)", "chains(5,2)", "fis(2)", "wei_jaja(3)"]
)


@st.composite
def lists(draw: st.DrawFn) -> Any:
    """Successors of any lists over up to 60 elements, with either way to write a tail."""
    order = draw(st.permutations(range(draw(st.integers(0, 60)))))
    successor = np.full(len(order), -1, np.int64)
    for a, b in pairwise(order):
        if draw(st.integers(0, 5)):
            successor[a] = b
        elif draw(st.booleans()):
            successor[a] = a
    return successor.astype(draw(st.sampled_from([np.int32, np.int64])))


@given(lists(), PLANS, st.integers(1, 4))
def test_a_rank_is_one_more_than_the_next(successor: Any, plan: str, threads: int) -> None:
    result = landbridge.rank_list(successor, plan=plan, threads=threads, full=True)
    ranks, tails = walk(successor)
    assert np.array_equal(result.ranks, ranks)
    assert np.array_equal(result.tails, tails)
    landbridge.check_ranks(successor, result)


@given(lists(), PLANS, st.data())
def test_scans_are_what_a_walk_adds_up(successor: Any, plan: str, data: st.DataObject) -> None:
    n = len(successor)
    values = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)), np.int64)
    op = data.draw(st.sampled_from(["sum", "min", "max"]))
    head, exclusive = data.draw(st.booleans()), data.draw(st.booleans())
    origin = "head" if head else "tail"
    result = landbridge.scan_list(successor, values, op=op, origin=origin, exclusive=exclusive, plan=plan)
    assert np.array_equal(result, scanned(successor, values, op, head, exclusive))
    landbridge.check_ranks(successor, result, values=values, op=op, origin=origin, exclusive=exclusive)


@given(st.lists(st.integers(-3, 14), max_size=12), PLANS, st.integers(1, 3))
def test_any_numbers_are_ranked_or_refused(numbers: list[int], plan: str, threads: int) -> None:
    """Whether they are lists is decided by the definition; every plan ends and agrees."""
    n = len(numbers)
    legal = all(-1 <= s < n for s in numbers)
    after = [s for i, s in enumerate(numbers) if s not in (i, -1)]
    legal = legal and len(set(after)) == len(after)
    if legal:
        for start in range(n):
            i, steps = start, 0
            while numbers[i] not in (i, -1) and steps <= n:
                i, steps = numbers[i], steps + 1
            legal = legal and steps <= n
    try:
        result = landbridge.rank_list(numbers, plan=plan, threads=threads)
    except ListError as error:
        assert not legal
        assert "element" in str(error)
    else:
        assert legal
        assert np.array_equal(result, walk(np.array(numbers, np.int64))[0])


def are_lists(successor: Any) -> bool:
    """By the definition: no element has two predecessors, and every path ends."""
    own = np.arange(len(successor))
    ends = (successor == own) | (successor == -1)
    followed = successor[~ends]
    if len(np.unique(followed)) < len(followed):
        return False
    at = np.where(ends, own, successor)
    for _ in range(len(successor).bit_length()):
        at = at[at]
    return bool(ends[at].all())


@given(st.integers(0, 2**32 - 1), st.integers(2, 700), st.integers(0, 5), PLANS, st.booleans())
def test_lists_with_a_few_other_links_are_ranked_or_refused(
    seed: int, n: int, changes: int, plan: str, shuffled: bool
) -> None:
    """Long enough that heads which meet, and what no head leads to, are far from each other."""
    rng = np.random.default_rng(seed)
    threads = 1 + seed % 2
    successor = np.minimum(np.arange(n) + 1, n - 1)
    successor[rng.choice(n, int(rng.integers(0, 1 + n // 20)), replace=False)] = -1
    if shuffled:
        order = rng.permutation(n)
        renamed = np.empty(n, np.int64)
        renamed[order] = np.where(successor < 0, -1, order[successor])
        successor = renamed
    successor[rng.integers(0, n, changes)] = rng.integers(-1, n, changes)
    try:
        result = landbridge.rank_list(successor, plan=plan, threads=threads)
    except ListError:
        assert not are_lists(successor)
        with pytest.raises(ListError):
            landbridge.scan_list(successor, np.ones(n), plan=plan, threads=threads)
    else:
        assert are_lists(successor)
        assert np.array_equal(result, walk(successor)[0])
