"""Which engine runs: the one place that decides it, from ``device=``, a plan, and where the data is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TypeVar

from landbridge.engine.base import Engine
from landbridge.errors import DeviceError, InputError, InvalidPlan
from landbridge.graph import default_threads
from landbridge.plan import BasePlan, Plan
from landbridge.plan.engines import ENGINES, default_kind, device_words
from landbridge.result import Components, SpanningForest

TRANSFER_FROM = 2**25
"""Stored edges from which a graph in host memory is sent to a GPU unasked: below, loading CuPy alone costs more."""

Answer = TypeVar("Answer", bound=Components | SpanningForest)


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a call, resolved once. plan: None for the one that fits. engine: None for the default one."""

    plan: Plan | None
    engine: Engine | None
    threads: int


def engine_of(name: str, *, present: bool = True) -> Engine:
    """The engine of a name. Raises DeviceError, with the reason, for one that cannot run here; not ``present``, it need
    not run here: enough to explain what it would do.
    """
    result = _load(ENGINES[name].module)
    if present:
        result.require()
    return result


@cache
def _load(module: str) -> Engine:
    result: Engine = import_module(module).ENGINE
    return result


def place_of(device: str) -> str:
    """The ``device=`` of a public function as "auto" or the name of an engine.

    Raises DeviceError for anything else, with the engines that are here and what the others lack.
    """
    if device == "auto":
        return device
    for word, name in device_words():
        if word == device:
            return name
    missing = {name: engine_of(name, present=False).missing() for name in ENGINES}
    usable = ", ".join(name for name, lacks in missing.items() if not lacks)
    raise DeviceError(f"no device {device!r} here; there is: {'; '.join((usable, *filter(None, missing.values())))}")


def _named(device: str, plan: BasePlan | None) -> str | None:
    """The engine that ``device=`` or the plan names; they must agree. None if neither does."""
    place = place_of(device)
    named = plan.engine.name if plan is not None and plan.engine is not None else None
    if place != "auto" and named is not None and place != named:
        raise DeviceError(f"device={device!r}, but the plan asks for @{named}")
    return named or (None if place == "auto" else place)


def resolve_engine(device: str, plan: BasePlan | None, *, present: bool = True) -> Engine | None:
    """The engine for ``device`` ("auto" or a name); a plan that names one must agree. If neither names one: that of a
    plan whose rules the host's engine does not have, else None. ``present`` as for `engine_of`.

    Raises DeviceError for a device that is not there: nothing asked for by name is replaced in silence.
    """
    name = _named(device, plan)
    if name is None and plan is not None and plan.missing_on(default_kind("host").name):
        name = next((other for other in ENGINES if not plan.missing_on(other)), None)
    return None if name is None else engine_of(name, present=present)


def resolve_stream(device: str, plan: Plan | None, *, on_device: bool = False) -> tuple[Engine, Plan]:
    """The engine of a stream of edges, and the plan with that engine named.

    plan: None for the engine's default. on_device: where the first batch is, which decides if neither names an engine.
    The engine need not run here: opening its trees says so. Raises InvalidPlan with the reason for a plan that no
    stream runs, DeviceError where device and plan disagree.
    """
    if plan is not None and (reason := plan.no_stream):
        raise InvalidPlan(f"{plan}: {reason}")
    name = _named(device, plan) or default_kind("device" if on_device else "host").name
    engine = engine_of(name, present=False)
    stream_plan = engine.choose("incremental", None).plan if plan is None else plan
    return engine, stream_plan.on(name)


def threads_of(threads: int | None, plan: BasePlan | None) -> int:
    """How many threads run: those of the call, or those a plan names, which must agree; else all processors.

    Raises InputError where they do not, and for what is no number of threads.
    """
    number = default_threads(threads)
    named = plan.option("threads", 0) if plan is not None else 0
    if not named:
        return number
    if threads is not None and number != named:
        raise InputError(f"threads={number}, but the plan asks for threads={named}")
    return default_threads(named)


def default_engine(on_device: bool, size: int, transfer_from: int | None = TRANSFER_FROM) -> Engine:
    """The engine if none is named: where the data is, or a GPU for much data if there is one.

    size: stored edges, or elements. transfer_from: the size from which data in host memory is sent to a device; None
    if it never is.
    """
    if on_device:
        return engine_of(default_kind("device").name)
    if transfer_from is not None and size >= transfer_from:
        device = engine_of(default_kind("device").name, present=False)
        if not device.missing():
            try:
                device.require()
            except DeviceError:
                return _host()
            return device
    return _host()


def _host() -> Engine:
    return engine_of(default_kind("host").name)


def run_with_cpu_fallback(
    named: Engine | None,
    on_device: bool,
    size: int,
    work: Callable[[Engine], Answer | None],
    transfer_from: int | None = TRANSFER_FROM,
) -> Answer | None:
    """Work on the engine that was named; if none was, on the default one, or on CPU threads where that one fails and
    the data is in host memory. The notes of the result say why.
    """
    if named is not None:
        return work(named)
    engine = default_engine(on_device, size, transfer_from)
    try:
        return work(engine)
    except DeviceError as error:
        if on_device or engine.on_host:
            raise
        result = work(_host())
        return result and replace(result, notes=(*result.notes, f"ran on the CPU: {error}"))
