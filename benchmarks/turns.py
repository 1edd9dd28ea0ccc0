"""Interleaved measuring, A B C B C A ..., so that a slow minute of the machine affects all contestants alike, and so do
the caches and sleeping threads that the end of a round leaves to the first one of the next."""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from benchmarks.check import WrongAnswer
from benchmarks.machine import Quiet
from peers.base import PeerFailed


class Turn(Protocol):
    """What a turn gives: `peers.timing.Timed`, or `peers.base.Answer`."""

    @property
    def seconds(self) -> tuple[float, ...]: ...
    @property
    def cpu_over_wall(self) -> float | None: ...
    @property
    def detail(self) -> str: ...


@dataclass(frozen=True)
class Entrant:
    """A contestant made ready for one case.

    turn: takes a turn. check: raises WrongAnswer for what the turn gave. timing: as in records. lasting: it works in a
    process that outlives the turn, so its processor time is not part of this process's.
    """

    name: str
    turn: Callable[[], Any]
    check: Callable[[Any], object]
    timing: str = "wall"
    threads: int = 0
    lasting: bool = False


@dataclass
class Tally:
    """The turns of one entrant so far; `least`: of all, recorded or not; `problem` is why it is out of the race."""

    entrant: Entrant
    times: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    quiet: Quiet = field(default_factory=Quiet)
    spent: float = 0.0
    least: float = float("inf")
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
    entrants: Sequence[Entrant],
    *,
    repeat: int,
    warm_up: bool = False,
    budget: float = float("inf"),
    screen: float = float("inf"),
    limit: float = float("inf"),
) -> list[Tally]:
    """Give every entrant up to `repeat` turns, checking every answer; `warm_up`: behind one that is not recorded.

    An entrant that has used `budget` seconds, needs more than `limit` seconds, or was slower than `screen` times the
    fastest in each turn (one may have met another process), takes no further turn; the first entrant, which the others
    are compared with, may be slow. One that fails or answers wrongly is out, its times are dropped and its tally says
    why.
    """
    tallies = [Tally(entrant) for entrant in entrants]
    if warm_up:
        for tally in tallies:
            take_turn(tally)
            if not tally.times or tally.median < limit:  # the only turn of one that takes so long is recorded
                tally.times.clear()
                tally.ratios.clear()
    # None is always the first, or always behind the same one, which may leave threads that spin and a cold cache.
    steps = [step for step in range(1, len(tallies)) if math.gcd(step, len(tallies)) == 1] or [1]
    for number in range(repeat):
        first = number * len(tallies) // repeat
        gc.collect(1)  # what a round has left of young objects is collected before the next one
        fastest = min((tally.least for tally in tallies if tally.times), default=float("inf"))
        step = steps[number % len(steps)]
        for tally in (tallies[(first + i * step) % len(tallies)] for i in range(len(tallies))):
            slower = tally is not tallies[0] and tally.least > screen * fastest
            slow = bool(tally.times) and (slower or tally.median >= limit)
            if not tally.problem and not slow and (not tally.times or tally.spent <= budget):
                take_turn(tally)
    return tallies


def take_turn(tally: Tally) -> None:
    """Let one entrant take a turn and check its answer."""
    entrant = tally.entrant
    try:
        if not entrant.lasting:
            tally.quiet.start()
        turn = entrant.turn()
        tally.quiet.stop()
        entrant.check(turn)
    except (PeerFailed, WrongAnswer) as error:
        tally.quiet.stop()
        tally.problem, tally.wrong = str(error), isinstance(error, WrongAnswer)
        tally.times.clear()
        return
    tally.times += turn.seconds
    tally.least = min(tally.least, *turn.seconds)
    tally.spent += sum(turn.seconds) * (len(turn.seconds) + 1) / max(len(turn.seconds), 1)
    if turn.cpu_over_wall is not None:
        tally.ratios.append(turn.cpu_over_wall)
    if turn.detail:
        tally.details.append(turn.detail)
