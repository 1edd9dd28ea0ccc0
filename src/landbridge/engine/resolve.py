"""Which engine runs: the one place that decides it, from ``device=``, a plan, and where the data is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

from landbridge.edges.on_device import is_device_array
from landbridge.edges.spelling import spelled
from landbridge.engine.base import DividingEngine, Engine
from landbridge.engine.sizes import ONE_PASS_FROM, few_vertices, kind_of, work_of, work_of_pairs
from landbridge.errors import DeviceError, InputError, InvalidCombination
from landbridge.flags import is_word
from landbridge.plan import BasePlan, Plan
from landbridge.plan.engines import ENGINES, default_kind, device_words
from landbridge.threads import WorkKind, default_threads, fitting_threads
from landbridge.typing import Devices

TRANSFER_FROM = 2**25
"""Stored edges from which a graph in host memory is sent to a GPU unasked: below, loading CuPy alone costs more."""

DIVIDED_FROM = 2**28
"""Stored edges from which it is asked whether several processors should share a run."""


@dataclass(frozen=True, slots=True)
class Request:
    """The request of a call, resolved once; every public function goes this way to the engine that runs it.

    plan: None for the one that fits. engine: the one that is named, which can solve the problem with the plan; None for
    the default one. threads: the most that run. fitted: whether fewer run on the host where there is little to do, as
    their number was not named. transfer_from: the size from which an input in host memory is sent to a device unasked;
    None if it never is.
    """

    problem: str
    plan: Any
    engine: Engine | None
    threads: int
    fitted: bool
    transfer_from: int | None

    def threads_for(self, engine: Engine, work: int, kind: WorkKind) -> int:
        """How many threads an engine runs for so much work of a kind; see `landbridge.threads.fitting_threads`."""
        fits = self.fitted and engine.on_host and not ENGINES[engine.name].over
        return fitting_threads(self.threads, work, kind) if fits else self.threads

    def engine_for(self, on_device: bool, size: int) -> Engine:
        """The engine for data there, of so many stored edges or elements. Raises an error as `checked` does."""
        if self.engine is not None:
            return self.engine
        return checked(default_engine(on_device, size, self.transfer_from), self.problem, self.plan)

    def several(self, on_device: bool, size: int) -> tuple[Engine | None, tuple[str, ...]]:
        """Of a COO edge list where nothing is named: the engine over several processors if rates say that it pays; and
        why, or why not."""
        large = size >= DIVIDED_FROM and self.transfer_from is not None
        if not large or self.engine is not None or self.plan is not None:
            return None, ()
        dividing = _dividing(_over())
        if dividing.can(self.problem, None):
            return None, ()
        try:
            engine, reasons = dividing.advised(on_device, size, self.threads)
        except (DeviceError, MemoryError):
            return None, ()  # what fails while rates are measured has no place in a run
        return engine, reasons

    def one_pass(self, u: Any, v: Any, *, vertices: int | None = None) -> Any | None:
        """The answer for endpoints that have not been validated; None where the engine has no such way.

        vertices: how many were declared; None if the largest id decides.
        """
        on_device = is_device_array(u)
        if not on_device and len(u) < ONE_PASS_FROM:
            return None

        def run(engine: Engine) -> Any:
            threads = self.threads
            if self.fitted and engine.on_host:
                least = few_vertices(u, v) if vertices is None else vertices
                threads = self.threads_for(engine, work_of_pairs(least, len(u)), "pairs")
            return engine.one_pass(self.problem, u, v, self.plan, threads, vertices=vertices)

        return self._run(on_device, len(u), run, pairs=True)

    def solve(self, data: Any, on_device: bool, size: int) -> Any:
        """The answer for a validated input, of so many stored edges or elements."""

        def run(engine: Engine) -> Any:
            plan, threads = self.plan, self.threads_for(engine, work_of(data), kind_of(data))
            if plan is None:
                plan = engine.choose(self.problem, engine.facts(self.problem, data, threads)).plan
            return engine.solve(self.problem, data, plan, threads)

        return self._run(on_device, size, run, pairs=is_list(data))

    def _run(self, on_device: bool, size: int, work: Callable[[Engine], Any], *, pairs: bool) -> Any:
        """Work on the engine that was named; if none was, on the default one, or on CPU threads where that one fails
        and the data is in host memory. The notes of the result say why.
        """
        several = self.several(on_device, size)[0] if pairs and size >= DIVIDED_FROM else None
        engine = several or self.engine_for(on_device, size)
        try:
            return work(engine)
        except DeviceError as error:
            if self.engine is not None or on_device or (engine.on_host and several is None):
                raise
            result = work(checked(_host(), self.problem, self.plan))
            return result and replace(result, notes=(*result.notes, f"ran on the CPU: {error}"))

    def stream(self, on_device: bool = False) -> tuple[Engine, Plan]:
        """The engine of a stream of edges, and the plan with that engine named.

        on_device: where the first batch is, which decides if neither ``device=`` nor the plan names an engine. The
        engine need not run here: opening its trees says so.
        """
        engine = self.engine
        if engine is None:
            kind = default_kind("device" if on_device else "host")
            engine = checked(engine_of(kind.name, present=False), self.problem, self.plan)
        plan: Plan = engine.choose(self.problem, None).plan if self.plan is None else self.plan
        return engine, plan.on(engine.name)


def request_for(
    problem: str,
    plan: BasePlan | None,
    device: str,
    threads: int | None,
    *,
    transfer_from: int | None = None,
    present: bool = True,
    devices: Devices | None = None,
) -> Request:
    """A call resolved: the engine that ``device=`` or the plan names, which can run it, and the number of threads.

    Raises DeviceError, InvalidCombination, InputError. ``present`` as for `engine_of`, ``devices`` as for
    `engine_over`.
    """
    workers = threads_of(threads, plan)
    fitted = threads is None and devices is None and not (plan is not None and plan.option("threads", 0))
    if devices is None:
        engine = resolve_engine(device, plan, present=present)
    else:
        engine = engine_over(devices, device, plan, present=present)
    if engine is not None:
        checked(engine, problem, plan)
    return Request(problem, plan, engine, workers, fitted, transfer_from)


def is_list(data: Any) -> bool:
    """Whether edges may be divided among processors at the rates of lists: a COO edge list that is not one of rows."""
    return getattr(data, "layout", "") == "coo" and getattr(data, "rows", None) is None


def checked(engine: Engine, problem: str, plan: BasePlan | None) -> Engine:
    """The engine, if it can run the plan, or any plan, for the problem; else DeviceError or InvalidCombination."""
    if reason := engine.can(problem, plan):
        raise DeviceError(reason) if plan is None else InvalidCombination(f"{plan}: {reason}")
    return engine


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


def _over() -> str:
    """The engine that divides work among processors unless another one is named."""
    return next(name for name, kind in ENGINES.items() if kind.over)


def _dividing(name: str) -> DividingEngine:
    engine: DividingEngine = import_module(ENGINES[name].module).ENGINE
    return engine


def place_of(device: str) -> str:
    """The ``device=`` of a public function as "auto" or the name of an engine.

    Raises DeviceError for anything else, with the engines that are here and what the others lack.
    """
    if is_word(device, ("auto",)):
        return device
    for word, name in device_words():
        if is_word(device, (word,)):
            return name
    missing = {name: engine_of(name, present=False).missing() for name, kind in ENGINES.items() if not kind.over}
    usable = ", ".join(name for name, lacks in missing.items() if not lacks)
    raise DeviceError(f"no device {device!r} here; there is: {'; '.join((usable, *filter(None, missing.values())))}")


def _named(device: str, plan: BasePlan | None) -> str | None:
    """The engine that ``device=`` or the plan names; they must agree. None if neither does."""
    place = place_of(device)
    named = plan.engine.name if plan is not None and plan.engine is not None else None
    if place != "auto" and named is not None and place != named:
        raise DeviceError(f"{spelled(device=device)}, but the plan asks for @{named}")
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


def engine_over(devices: Devices, device: str, plan: BasePlan | None, *, present: bool = True) -> Engine:
    """The engine that divides work among these processors: the one that ``device`` or the plan names, if it does that.

    Raises DeviceError for a processor that is not there, and where another engine is named; InputError for what is no
    list of processors. ``present`` as for `engine_of`.
    """
    name = _named(device, plan) or _over()
    if not ENGINES[name].over:
        raise DeviceError(f"{spelled('devices')} divides the work among processors, and the engine {name} does not")
    engine = _dividing(name).over(devices)
    if present:
        engine.require()
    return engine


def threads_of(threads: int | None, plan: BasePlan | None) -> int:
    """How many threads run at most: those of the call, or those a plan names, which must agree; else all processors.

    Raises InputError where they do not, and for what is no number of threads.
    """
    number = default_threads(threads)
    named = plan.option("threads", 0) if plan is not None else 0
    if not named:
        return number
    if threads is not None and number != named:
        raise InputError(f"{spelled(threads=number)}, but the plan asks for threads={named}")
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
