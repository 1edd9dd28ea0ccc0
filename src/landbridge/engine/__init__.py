"""Engines: the machines plans run on."""

from __future__ import annotations

from landbridge.engine.base import Engine
from landbridge.engine.cpu import CpuEngine
from landbridge.errors import DeviceError
from landbridge.plan import Plan

__all__ = ["CpuEngine", "Engine", "pick"]

_ENGINES: dict[str, Engine] = {"cpu": CpuEngine()}


def pick(device: str, plan: Plan | None) -> Engine:
    """The engine for ``device`` ("auto" or a name); a plan that names one must agree.

    Raises DeviceError for a device that is not there: nothing asked for by name is replaced in silence.
    """
    named = plan.engine.name if plan is not None and plan.engine is not None else None
    if device != "auto" and named is not None and device != named:
        raise DeviceError(f"device={device!r}, but the plan asks for @{named}")
    wanted = named or ("cpu" if device == "auto" else device)
    engine = _ENGINES.get(wanted)
    if engine is None:
        raise DeviceError(f"no device {wanted!r} here; there is: {', '.join(sorted(_ENGINES))}")
    return engine
