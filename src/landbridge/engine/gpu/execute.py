"""Launch lists on CuPy's current CUDA stream, and the end of runs that have deferred edges.

No algorithm is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from landbridge.device import cuda, layout
from landbridge.device.jit import Program
from landbridge.device.launch import ReadyKernel
from landbridge.device.timeline import Timeline
from landbridge.engine.gpu.launch_list import Launch

_WORDS = layout.control("components")
_DEFERRED, _LINKS, _OUTSIDE = _WORDS["deferred"], _WORDS["links"], _WORDS["outside"]
_CAPACITY = _WORDS["capacity"]
_ATTEMPTS = 4
"""Rounds of flattening after which walks go on however long they get."""


class _Loader:
    """From a launch to one that is ready on a device."""

    __slots__ = ("_device", "_functions", "_program")

    def __init__(self, device: cuda.Device) -> None:
        self._device = device
        self._program: Program | None = None
        self._functions: Mapping[str, Any] = {}

    def __call__(self, launch: Launch) -> ReadyKernel:
        _, kernel, blocks, threads, structs, shared, cooperative = launch
        if kernel.program is not self._program:
            self._program, self._functions = kernel.program, self._device.kernels(kernel.program)
        function = self._functions[kernel.name]
        if cooperative:  # multiprocessors of some devices have less memory for blocks than a launch list assumes
            blocks = min(blocks, self._device.resident_blocks(function, threads, shared))
        return ReadyKernel(function, blocks, threads, structs, shared=shared, cooperative=cooperative)


def ready(launch: Launch, device: cuda.Device) -> ReadyKernel:
    """A launch with its kernel loaded."""
    return _Loader(device)(launch)


class Submission:
    """Launches queued one by one on CuPy's current CUDA stream, as a launch list grows.

    timeline: records an event after each phase; `end` records the last one.
    """

    __slots__ = ("_load", "_phase", "_timeline")

    def __init__(self, device: cuda.Device, timeline: Timeline | None = None) -> None:
        self._load, self._timeline = _Loader(device), timeline
        self._phase: str | None = None

    def __call__(self, launch: Launch) -> None:
        if launch.phase != self._phase:
            self.end()
            self._phase = launch.phase
        self._load(launch)()

    def end(self) -> None:
        """What was queued since the last event belongs to the phase of the last launch."""
        if self._timeline is not None and self._phase is not None:
            self._timeline.record(self._phase)
        self._phase = None


class Executable:
    """Launches with their kernels loaded on a device. Calling it queues them all and reads nothing back."""

    __slots__ = ("_steps",)

    def __init__(self, launches: Iterable[Launch], device: cuda.Device) -> None:
        load = _Loader(device)
        self._steps = [(launch.phase, load(launch)) for launch in launches]

    def __call__(self, timeline: Timeline | None = None) -> None:
        """timeline: records an event after each phase."""
        if timeline is None:
            for _, launch in self._steps:
                launch()
            return
        phase = self._steps[0][0]
        for next_phase, launch in self._steps:
            if next_phase != phase:
                timeline.record(phase)
                phase = next_phase
            launch()
        timeline.record(phase)


class Execution:
    """A run with its kernels loaded.

    `launch` may be called any number of times, also while a CUDA stream is captured; each call fills the run's arrays
    anew on CuPy's current CUDA stream and reads nothing back. They are complete once `read` has returned. Not for use
    by two threads at once.

    completion: what ends a run of so many vertices that has deferred edges, as launches that follow from two answers:
    whether edges were given up, so that all are united again, and whether none may be deferred from now on. None for a
    run that defers none.
    """

    def __init__(
        self,
        launches: Iterable[Launch],
        control: Any,
        vertices: int,
        device: cuda.Device,
        completion: Callable[[bool, bool], list[Launch]] | None = None,
    ) -> None:
        # The launches own the arrays that kernels only have the addresses of.
        self.launches, self.control = tuple(launches), control
        self._vertices, self._device, self._completion = vertices, device, completion
        self._executable = Executable(self.launches, device)

    def launch(self, timeline: Timeline | None = None) -> None:
        """Queue all kernels. timeline: records an event after each phase."""
        self._executable(timeline)

    def read(self, timeline: Timeline | None = None) -> Any:
        """The words of the control block. Waits. Ends a run that has deferred edges, and records its finish then."""
        words = first = self.control.get()
        for attempt in range(1, _ATTEMPTS + 1):
            deferred = int(words[_DEFERRED])
            if deferred == 0 or self._completion is None:
                break
            again = deferred > int(words[_CAPACITY]) and int(words[_LINKS]) + 1 < self._vertices
            launches = self._completion(again, again and attempt == _ATTEMPTS)
            Executable(launches, self._device)()
            if timeline is not None:
                timeline.record("finish")
            words = self.control.get()
        words[_OUTSIDE] = first[_OUTSIDE]
        return words
