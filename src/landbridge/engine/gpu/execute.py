"""Launch lists on CuPy's current CUDA stream. No algorithm is known here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from landbridge.device import cuda
from landbridge.device.jit import Program
from landbridge.device.layout import Struct
from landbridge.device.timeline import Timeline
from landbridge.engine.gpu.launch_list import Launch


class Executable:
    """Launches with their kernels loaded on a device. Calling it queues them all and reads nothing back."""

    __slots__ = ("_steps",)

    def __init__(self, launches: Iterable[Launch], device: cuda.Device) -> None:
        loaded: dict[Program, dict[str, Any]] = {}
        self._steps: list[tuple[str, Any, tuple[Any, ...], dict[str, Any]]] = []
        for phase, kernel, blocks, threads, arguments, shared, cooperative in launches:
            functions = loaded.get(kernel.program)
            if functions is None:
                functions = loaded[kernel.program] = device.kernels(kernel.program)
            values = tuple([value.packed if isinstance(value, Struct) else value for value in arguments])
            place = ((blocks,), (threads,), values, shared)
            more = {"enable_cooperative_groups": True} if cooperative else {}
            self._steps.append((phase, functions[kernel.name], place, more))

    def __call__(self, timeline: Timeline | None = None) -> None:
        """timeline: takes a mark after each phase."""
        if timeline is None:
            for _, function, place, more in self._steps:
                function(*place, **more)
            return
        phase = self._steps[0][0]
        for next_phase, function, place, more in self._steps:
            if next_phase != phase:
                timeline.mark(phase)
                phase = next_phase
            function(*place, **more)
        timeline.mark(phase)
