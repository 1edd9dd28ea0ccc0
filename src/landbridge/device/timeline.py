"""Timing of the phases of a run by events of a CUDA stream, and the profile of them."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

from landbridge.device import cuda
from landbridge.profile import Profile


class Timeline:
    """The time since a run began, and on CuPy's current CUDA stream the events between its phases.

    Events are recorded, not waited for: `seconds` and `profile` are valid once the last one has happened. Before it has
    started nothing is recorded, and the run is one phase.
    began: of `time.perf_counter`; now where that is not given. started: as `start` would at once.
    """

    __slots__ = ("_began", "_events", "_stream")

    def __init__(self, began: float | None = None, *, started: bool = True) -> None:
        self._began = time.perf_counter() if began is None else began
        self._events: list[tuple[str, Any]] = []
        if started:
            self.start()

    def start(self) -> None:
        """The first phase begins now, on CuPy's current CUDA stream; nothing happens if it has begun."""
        if not self._events:
            self._stream = cuda.cupy().cuda.get_current_stream()
            self._events.append(("", self._stream.record()))

    def record(self, phase: str) -> None:
        """What was launched since the last event belongs to this phase."""
        if self._events:
            self._events.append((phase, self._stream.record()))

    def __len__(self) -> int:
        """How many phases were recorded."""
        return max(0, len(self._events) - 1)

    def wait(self) -> None:
        """Until the last phase has ended."""
        if self._events:
            self._events[-1][1].synchronize()

    def seconds(self) -> dict[str, float]:
        """Of each phase, in the order of their first events; what was recorded several times is added up."""
        result: dict[str, float] = {}
        for (_, before), (phase, after) in pairwise(self._events):
            result[phase] = result.get(phase, 0.0) + seconds_between(before, after)
        return result

    def profile(self, threads: int, skipped: float = 0.0) -> Profile:
        """skipped: the share of vertices that the finish left out."""
        if not self._events:
            return undivided_profile(self._began, threads, skipped)
        return Profile(self.seconds(), time.perf_counter() - self._began, threads, skipped)


def seconds_between(before: Any, after: Any) -> float:
    """The time between two events that have happened."""
    return float(cuda.cupy().cuda.get_elapsed_time(before, after)) / 1e3


def undivided_profile(began: float, threads: int, skipped: float = 0.0) -> Profile:
    """The profile of a run of one phase. began: of `time.perf_counter`."""
    total = time.perf_counter() - began
    return Profile({"compute": total}, total, threads, skipped)
