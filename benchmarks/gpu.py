"""One GPU as benchmarks use it: a cold cache, a clock of events, and prepared runs that are replayed.

Imports nothing of landbridge; `benchmarks.gpu_runs` imports its engine.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

WARM_UPS = 4
PATIENCE_S = 0.1
"""Seconds; a slower run is replayed twice, and the second time is recorded."""
HEAD_START = 12
"""Flushes of the cache in front of a step of several launches, so that the host has queued them all in time."""


class PreparedRun(Protocol):
    """A plan made ready for one graph, whose launches read nothing back."""

    def launch(self) -> None:
        """Queue all kernels on the current CUDA stream."""

    def complete(self) -> None:
        """Wait for the launches, and process what they have deferred."""

    def has_deferred(self) -> bool:
        """Whether the last launches have left edges to `complete`."""

    def steps(self) -> Iterable[tuple[str, Callable[[], None]]]:
        """The launches one by one, each with its name."""


class Gpu:
    """The current device of CuPy."""

    def __init__(self) -> None:
        self.cupy: Any = import_module("cupy")
        runtime = self.cupy.cuda.runtime
        properties = runtime.getDeviceProperties(runtime.getDevice())
        self.name = str(properties["name"].decode())
        self.cache = int(properties["l2CacheSize"])
        self.cuda_stream = self.cupy.cuda.Stream(non_blocking=True)
        self._larger_than_cache = self.cupy.empty(2**26, dtype="uint32")

    @cached_property
    def bandwidth(self) -> float:
        """Bytes per second of a large sum over the device's memory, the best of several."""
        words = self.cupy.ones(2**28, dtype="uint64")
        return float(words.nbytes / min(self.seconds(words.sum) for _ in range(6)))

    def place(self) -> dict[str, Any]:
        """What every record of a run says of the device."""
        return {"device": self.name, "bandwidth": self.bandwidth}

    def flush(self, times: int = 1) -> None:
        """Queue writes to a buffer larger than the L2 cache."""
        for value in range(times):
            self._larger_than_cache.fill(value)

    def wait(self) -> None:
        """Wait for all work on the device."""
        self.cupy.cuda.Device().synchronize()

    def ready(self) -> None:
        """Flush the cache and wait: the device is idle when this returns."""
        self.flush()
        self.wait()

    def free(self) -> None:
        """Give unused memory back to the device."""
        self.cupy.get_default_memory_pool().free_all_blocks()

    def seconds(self, step: Callable[[], object]) -> float:
        """Seconds between an event in front of a step and one behind it, on the current CUDA stream."""
        cuda_stream = self.cupy.cuda.get_current_stream()
        start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        start.record(cuda_stream)
        step()
        end.record(cuda_stream)
        end.synchronize()
        return float(self.cupy.cuda.get_elapsed_time(start, end)) / 1e3

    def cold_seconds(self, step: Callable[[], object], flushes: int = 1) -> float:
        """As `seconds`, with a cold cache. Many flushes give the host a head start, so its launches cost no time."""
        self.flush(flushes)
        return self.seconds(step)

    def capture(self, step: Callable[[], object]) -> Callable[[], None]:
        """Capture a step as a CUDA graph, on `cuda_stream`, which has to be current; return what replays it."""
        self.cuda_stream.begin_capture()
        step()
        graph = self.cuda_stream.end_capture()
        graph.upload(self.cuda_stream)
        return lambda: graph.launch(self.cuda_stream)

    def replay(self, run: PreparedRun, repeat: int) -> tuple[float, ...]:
        """Seconds of `repeat` replays of a prepared run with a cold cache; of one if that takes long.

        If a replay defers edges, which the host completes, all are launched and completed by calls instead.
        """

        def whole() -> None:
            run.launch()
            run.complete()

        with self.cuda_stream:
            run.launch()
            times = self._series(self.capture(run.launch), repeat, run.has_deferred)
            return times or self._series(whole, repeat, lambda: False)

    def _series(self, step: Callable[[], object], repeat: int, has_deferred: Callable[[], bool]) -> tuple[float, ...]:
        """Seconds of each step behind the first ones; none if one has deferred edges."""
        times: list[float] = []
        for i in range(repeat + WARM_UPS):
            times.append(self.cold_seconds(step))
            if has_deferred():
                return ()
            if i == 1 and times[1] > PATIENCE_S:
                break
        return tuple(times[WARM_UPS:] or times[-1:])

    def phases(self, run: PreparedRun) -> list[tuple[str, float]]:
        """Seconds of each launch on its own, median of a few."""
        times: dict[int, list[float]] = {}
        names: list[str] = []
        with self.cuda_stream:
            for _ in range(4):
                self.flush()
                names = []
                for i, (name, step) in enumerate(run.steps()):
                    names.append(name)
                    times.setdefault(i, []).append(self.seconds(step))
        return [(name, statistics.median(times[i])) for i, name in enumerate(names)]
