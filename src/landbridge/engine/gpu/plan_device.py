"""Which GPU a plan runs on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any

from landbridge.device import cuda
from landbridge.plan import BasePlan


def device_of_plan(plan: BasePlan) -> cuda.Device:
    """The GPU that a plan names, else the one that CuPy's current context is on."""
    ordinal = plan.option("device", -1)
    return cuda.device(ordinal) if ordinal >= 0 else cuda.current()


def on_device(device: cuda.Device, doing: str) -> _OnDevice:
    """A GPU made CuPy's current one. CuPy's errors become this package's, and say what was being done."""
    return _OnDevice(lambda: device, doing)


def on_device_of(plan: BasePlan, doing: str) -> _OnDevice:
    """The GPU of a plan, made CuPy's current one. CuPy's errors become this package's, and say what was being done."""
    return _OnDevice(partial(device_of_plan, plan), doing)


class _OnDevice:
    """The context of both."""

    __slots__ = ("_device_of", "_errors", "_selected")

    def __init__(self, device_of: Callable[[], cuda.Device], doing: str) -> None:
        self._device_of, self._errors = device_of, cuda.errors(doing)
        self._selected: Any = None

    def __enter__(self) -> cuda.Device:
        with self._errors:
            device = self._device_of()
            self._selected = device.selected()
            self._selected.__enter__()
            return device

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._errors:
            self._selected.__exit__(kind, error, trace)
        self._errors.__exit__(kind, error, trace)
