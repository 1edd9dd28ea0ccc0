"""What a thread has prepared: made once, used by one call at a time, and there again whatever a call did."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from landbridge.device.prepared import Prepared


class Maker:
    """Makes functions that do what they are given, and counts them."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self) -> Callable[[Callable[[], int]], tuple[int, int]]:
        self.number += 1
        name = self.number
        return lambda work: (name, work())


def test_a_function_is_made_once_for_each_key() -> None:
    prepared, maker = Prepared[[Callable[[], int]], tuple[int, int]](), Maker()
    assert [prepared.call(key, maker, lambda: 7) for key in "abab"] == [(1, 7), (2, 7), (1, 7), (2, 7)]


def test_a_call_within_a_call_has_a_function_of_its_own() -> None:
    """As a handler of a signal makes one: a shared function would answer the outer call with the inner one's words."""
    prepared, maker = Prepared[[Callable[[], int]], tuple[int, int]](), Maker()

    def nested() -> int:
        return prepared.call(0, maker, lambda: prepared.call(0, maker, lambda: 5)[0])[1]

    assert prepared.call(0, maker, lambda: 5) == (1, 5)
    assert nested() == 2
    assert nested() in (1, 2)
    assert maker.number == 2  # both are kept


def test_a_function_is_kept_when_its_call_fails() -> None:
    """What it has queued may still be at work on the memory that it holds."""
    prepared, maker = Prepared[[Callable[[], int]], tuple[int, int]](), Maker()
    with pytest.raises(ZeroDivisionError):
        prepared.call(0, maker, lambda: 1 // 0)
    assert prepared.call(0, maker, lambda: 5) == (1, 5)


def test_threads_share_nothing() -> None:
    prepared, maker, answers = Prepared[[Callable[[], int]], tuple[int, int]](), Maker(), list[tuple[int, int]]()
    prepared.call(0, maker, lambda: 1)
    thread = threading.Thread(target=lambda: answers.append(prepared.call(0, maker, lambda: 2)))
    thread.start()
    thread.join()
    assert answers == [(2, 2)]
