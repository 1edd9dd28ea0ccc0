"""Engines: the machines plans run on."""

from __future__ import annotations

from landbridge.device import cuda
from landbridge.engine.base import Engine
from landbridge.engine.cpu import CpuEngine
from landbridge.engine.sizes import Sizes, sizes_of
from landbridge.errors import DeviceError, InputError
from landbridge.graph import default_threads
from landbridge.plan import Plan, RankPlan

__all__ = ["CpuEngine", "Engine", "Sizes", "engine", "pick", "sizes_of", "suitable", "workers"]

_CPU = CpuEngine()
_WORTH_A_TRANSFER = 2**25
"""Stored edges from which a graph on the host is sent to a GPU unasked: below, loading CuPy alone costs more."""


def engine(name: str, *, present: bool = True) -> Engine:
    """The engine of a name. Raises DeviceError for an unknown one, and with the reason for one that cannot be used;
    not ``present``, it need not be usable here: enough to ask what it would do.
    """
    if cuda.place_of(name) != "gpu":
        return _CPU
    from landbridge.engine.gpu.engine import GpuEngine

    if present:
        cuda.current()
    return GpuEngine()


def pick(device: str, plan: Plan | None, *, present: bool = True) -> Engine | None:
    """The engine for ``device`` ("auto" or a name); a plan that names one must agree. None if nobody named any.
    ``present`` as for `engine`.

    Raises DeviceError for a device that is not there: nothing asked for by name is replaced in silence.
    """
    named = plan.engine.name if plan is not None and plan.engine is not None else None
    wanted = cuda.place_of(device)
    if wanted != "auto" and named is not None and wanted != named:
        raise DeviceError(f"device={device!r}, but the plan asks for @{named}")
    if wanted == "auto" and named is None:
        return None
    return engine(named or wanted, present=present)


def workers(threads: int | None, plan: Plan | RankPlan | None) -> int:
    """How many threads run: those given, or those a plan names, which must agree; else all processors.

    Raises InputError where they do not, and for what is no number of threads.
    """
    given = default_threads(threads)
    named = plan.engine.get("threads") if plan is not None and plan.engine is not None else None
    if named is None:
        return given
    if threads is not None and given != named:
        raise InputError(f"threads={given}, but the plan asks for threads={named}")
    return default_threads(int(named))


def suitable(on_device: bool, num_edges: int) -> Engine:
    """The engine when nobody named one: where the edges are, or a GPU for many edges if there is one."""
    if on_device:
        return engine("gpu")
    if num_edges >= _WORTH_A_TRANSFER and cuda.count() > 0:
        try:
            return engine("gpu")
        except DeviceError:
            return _CPU
    return _CPU
