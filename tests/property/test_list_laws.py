"""Laws of list ranking, for any lists."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
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
