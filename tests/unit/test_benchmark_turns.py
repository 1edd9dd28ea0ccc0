"""Contestants take turns, every answer is checked, and what counts becomes a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.check import check_answer
from benchmarks.records import read_records
from benchmarks.sink import Sink
from benchmarks.suites import load_suite
from benchmarks.turns import Entrant, Tally, interleave
from peers.base import Answer, Case, PeerFailed
from peers.timing import Timed, timed


def entrant(name: str, turn: Any, case: Case | None = None) -> Entrant:
    def check(answer: Answer) -> None:
        if case is not None:
            check_answer(name, case, answer, exact=False)

    return Entrant(name, turn, check, threads=1)


def test_contestants_alternate(case: Case) -> None:
    order: list[str] = []

    def turn(name: str) -> Any:
        def take() -> Answer:
            order.append(name)
            return Answer((0.5, 0.5), 3, case.labels, 1.0, f"plan of {name}")

        return take

    tallies = interleave([entrant(name, turn(name), case) for name in "ABC"], repeat=3)
    assert "".join(order) == "ABCBACCAB"  # none is always the first, or always behind the same
    assert all(tally.times == [0.5] * 6 and tally.detail == f"plan of {tally.entrant.name}" for tally in tallies)


def seconds_of(*turns: float) -> Any:
    """A turn that takes these seconds, one after another; the last ones again and again."""
    left = list(turns)
    return lambda: Timed((left.pop(0) if len(left) > 1 else left[0],))


def test_slow_and_expensive_contestants_take_one_turn() -> None:
    def race(**rules: float) -> list[int]:
        entrants = [entrant("quick", seconds_of(1.0)), entrant("slow", seconds_of(4.0))]
        return [len(tally.times) for tally in interleave(entrants, repeat=3, **rules)]  # type: ignore[arg-type]

    assert race(screen=3.0) == [3, 1]
    backwards = [entrant("slow", seconds_of(4.0)), entrant("quick", seconds_of(1.0))]
    assert [len(tally.times) for tally in interleave(backwards, repeat=3, screen=3.0)] == [3, 3]
    assert race(budget=5.0) == [3, 1]
    assert race(limit=4.0) == [3, 1]


def test_a_first_turn_warms_up_unless_it_takes_too_long() -> None:
    entrants = [entrant("quick", seconds_of(9.0, 1.0)), entrant("slow", seconds_of(20.0))]
    tallies = interleave(entrants, repeat=2, warm_up=True, limit=10.0)
    assert [tally.times for tally in tallies] == [[1.0, 1.0], [20.0]]


def test_who_was_fast_once_is_not_slow() -> None:
    entrants = [entrant("steady", seconds_of(1.0)), entrant("disturbed", seconds_of(1.0, 9.0, 1.0))]
    tallies = interleave(entrants, repeat=3, warm_up=True, screen=3.0)
    assert [tally.times for tally in tallies] == [[1.0, 1.0, 1.0], [9.0, 1.0, 1.0]]


def test_a_wrong_contestant_is_out_and_leaves_no_time(case: Case, tmp_path: Path) -> None:
    answers = iter([Answer((1.0,), 3), Answer((1.0,), 4)])

    def fallen() -> Answer:
        raise PeerFailed("fallen: no memory")

    entrants = [
        entrant("wrong", lambda: next(answers), case),
        entrant("fallen", fallen, case),
        entrant("right", lambda: Answer((2.0,), 3), case),
    ]
    tallies = interleave(entrants, repeat=2)
    assert [tally.wrong for tally in tallies] == [True, False, False]
    sink = Sink(load_suite("smoke"), tmp_path / "out.jsonl")
    for tally in tallies:
        sink.add_tally(tally)
    assert sink.failures == ["wrong on path: 4 components instead of 3"]
    (record,) = read_records([tmp_path / "out.jsonl"])
    assert (record["contestant"], record["times"], record["checked"]) == ("right", [2.0, 2.0], True)


def test_a_record_says_what_was_measured_where() -> None:
    sink = Sink(load_suite("smoke"), place={"device": "a device", "bandwidth": 1e9})
    tally = Tally(entrant("x", lambda: Timed((1.0,))), [1.0, 3.0], [0.5, 1.0])
    record = sink.add_tally(tally, form="pairs")
    assert record is not None
    assert (record["device"], record["bandwidth"], record["form"]) == ("a device", 1e9, "pairs")
    assert (record["median"], record["min"], record["max"], record["cpu_over_wall"]) == (2.0, 1.0, 3.0, 0.75)


def test_calls_are_timed_behind_one_that_is_not_recorded() -> None:
    events: list[str] = []

    def log(event: str) -> Any:
        return lambda: events.append(event)

    turn = timed(lambda: events.append("call") or len(events), 2, before=log("before"), wait=log("wait"))
    assert events == ["call", "wait", "before", "call", "wait", "before", "call", "wait"]
    assert len(turn.seconds) == 2
    assert turn.result == 7
    assert len(timed(lambda: None, 3, warm_up=False).seconds) == 3
