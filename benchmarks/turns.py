"""Interleaved measuring, A B C A B C ..., so that a slow minute of the machine hits all contestants alike."""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmarks.check import WrongAnswer, check_answer
from benchmarks.machine import Quiet
from peers.base import Answer, Case, PeerFailed


@dataclass(frozen=True)
class Entrant:
    """A contestant made ready for one graph; `turn(trials)` takes a turn.

    exact: the labels must be the reference's own. lasting: it works in a process that outlives the turn, whose
    processor time cannot be told from that of other work.
    """

    name: str
    timing: str
    threads: int
    turn: Callable[[int], Answer]
    exact: bool = False
    lasting: bool = False


@dataclass
class Tally:
    """What one entrant has shown so far; `problem` is why it was taken out of the race."""

    entrant: Entrant
    times: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    quiet: Quiet = field(default_factory=Quiet)
    problem: str = ""
    wrong: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def detail(self) -> str:
        """The variant that ran most often."""
        return statistics.mode(self.details) if self.details else ""


def interleave(
    case: Case,
    entrants: Sequence[Entrant],
    *,
    repeat: int,
    trials: int,
    budget: float = float("inf"),
    screen: float = float("inf"),
) -> list[Tally]:
    """Give every entrant up to `repeat` turns of `trials` recorded trials on `case`, checking every answer.

    An entrant that has used `budget` seconds, or is slower than `screen` times the fastest, takes no further
    turn. One that fails or answers wrongly is out, its times are dropped and its tally says why.
    """
    tallies = [Tally(entrant) for entrant in entrants]
    for _ in range(repeat):
        fastest = min((tally.median for tally in tallies if tally.times), default=float("inf"))
        for tally in tallies:
            spent = sum(tally.times) * (trials + 1) / trials
            if tally.problem or (tally.times and (spent > budget or tally.median > screen * fastest)):
                continue
            take_turn(case, tally, trials)
    return tallies


def take_turn(case: Case, tally: Tally, trials: int) -> None:
    """Let one entrant take a turn and judge its answer."""
    entrant = tally.entrant
    gc.collect()
    try:
        if not entrant.lasting:
            tally.quiet.start()
        answer = entrant.turn(trials)
        tally.quiet.stop()
        check_answer(entrant.name, case, answer, exact=entrant.exact)
    except (PeerFailed, WrongAnswer) as error:
        tally.problem, tally.wrong = str(error), isinstance(error, WrongAnswer)
        tally.times.clear()
        return
    tally.times += answer.seconds
    if answer.cpu_over_wall is not None:
        tally.ratios.append(answer.cpu_over_wall)
    if answer.detail:
        tally.details.append(answer.detail)
