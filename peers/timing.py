"""The clock of calls in Python: one that is not recorded, then those that are."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timed:
    """The seconds of each recorded call, and the result of the last one.

    cpu_over_wall: processor seconds over wall seconds of the recorded calls. detail: which variant ran, where the
    contestant has a choice.
    """

    seconds: tuple[float, ...]
    result: Any = None
    cpu_over_wall: float | None = None
    detail: str = ""


def timed(
    call: Callable[[], Any],
    trials: int = 1,
    *,
    warm_up: bool = True,
    before: Callable[[], object] = lambda: None,
    wait: Callable[[], object] = lambda: None,
) -> Timed:
    """Time `trials` calls, behind one that is not recorded if `warm_up`.

    before: runs ahead of each recorded call. wait: returns when a device has completed what the call has queued; it is
    part of the time. The result of a call is released before the next one starts.
    """
    result = call() if warm_up else None
    wait()
    seconds: list[float] = []
    busy = 0.0
    for _ in range(trials):
        result = None
        before()
        cpu, wall = time.process_time(), time.perf_counter()
        result = call()
        wait()
        seconds.append(time.perf_counter() - wall)
        busy += time.process_time() - cpu
    return Timed(tuple(seconds), result, round(busy / max(sum(seconds), 1e-9), 3))
