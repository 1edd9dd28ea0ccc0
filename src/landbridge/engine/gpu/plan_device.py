"""Which GPU a plan runs on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from landbridge.device import cuda
from landbridge.plan import BasePlan


def device_of_plan(plan: BasePlan) -> cuda.Device:
    """The GPU that a plan names, else the one that CuPy's current context is on."""
    ordinal = plan.option("device", -1)
    return cuda.device(ordinal) if ordinal >= 0 else cuda.current()


@contextlib.contextmanager
def on_device(device: cuda.Device, doing: str) -> Iterator[None]:
    """A GPU made CuPy's current one. CuPy's errors become this package's, and say what was being done."""
    with cuda.errors(doing), device.selected():
        yield


@contextlib.contextmanager
def on_device_of(plan: BasePlan, doing: str) -> Iterator[cuda.Device]:
    """The GPU of a plan, made CuPy's current one. CuPy's errors become this package's, and say what was being done."""
    with cuda.errors(doing):
        device = device_of_plan(plan)
        with device.selected():
            yield device
