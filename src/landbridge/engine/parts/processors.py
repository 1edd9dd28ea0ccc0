"""The processors among which work is divided: which there are, and what each runs of a plan."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np

from landbridge.device import cuda
from landbridge.edges.on_device import is_device_array
from landbridge.edges.spelling import option
from landbridge.engine.base import Engine, Trees
from landbridge.engine.cpu.engine import ENGINE as CPU
from landbridge.engine.gpu.engine import ENGINE as GPU
from landbridge.engine.parts.device_trees import MergingTrees
from landbridge.errors import DeviceError, InputError, OutOfDeviceMemory
from landbridge.passes import is_whole
from landbridge.plan import BasePlan, Plan, RankPlan
from landbridge.plan.engines import ENGINES, device_words
from landbridge.plan.model import Engine as EngineOptions
from landbridge.typing import Devices

AnyPlan = TypeVar("AnyPlan", Plan, RankPlan)
"""A plan of any problem."""
_PASSED = ("ids", "layout", "seed")
"""Options of a plan that every processor gets on which they act."""
FILLING_SHARE = 4
"""Beside GPUs, one in so many threads unites no edges. All fill pinned buffers: filling waits for the links, and leaves
the processors to others meanwhile."""


class Processor(Protocol):
    """One of the processors of a run.

    name: for answers and errors. memory: two processors with the same word read each other's arrays in place. engine:
    solves its part. threads: those that work for it.
    """

    @property
    def name(self) -> str: ...
    @property
    def memory(self) -> str: ...
    @property
    def engine(self) -> Engine: ...
    @property
    def threads(self) -> int: ...

    def identity(self) -> str:
        """What calibrations of it are stored under: they are void once this changes."""

    def plan(self, plan: AnyPlan) -> AnyPlan:
        """A plan of several processors as this one runs it."""

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, *, bulk: bool) -> Trees:
        """Trees in its memory. plan: as `plan` returned it."""

    def adopt(self, array: Any) -> Any:
        """An array of ids as its trees read it: itself, or a copy where it is in a memory that they do not read."""

    def selected(self) -> contextlib.AbstractContextManager[Any]:
        """A context in which CuPy works on this processor, if it is a GPU."""

    @property
    def room(self) -> int:
        """Bytes of its memory that are free; of CPU threads no number, as the caller's arrays are there."""

    @property
    def module(self) -> Any:
        """NumPy or CuPy, whichever has its arrays."""

    def held(self, array: Any) -> Any:
        """An array in its own memory: itself, or a copy. Inside of `computing`."""

    def computing(self) -> contextlib.AbstractContextManager[Any]:
        """A context in which arrays are computed on this processor; all of them are complete at its end."""


@dataclass(frozen=True, slots=True)
class CpuThreads:
    """CPU threads of this process, with trees of their own in host memory."""

    number: int
    threads: int
    memory: str = "host"
    engine: Engine = CPU

    @property
    def name(self) -> str:
        return f"{self.engine.name} {self.number}"

    def identity(self) -> str:
        return f"{self.engine.name} with {self.threads} threads"

    def plan(self, plan: AnyPlan) -> AnyPlan:
        return _with_engine(plan, self.engine, ())

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, *, bulk: bool) -> Trees:
        return self.engine.trees(plan, num_vertices, keep_forest, self.threads, bulk=bulk)

    def adopt(self, array: Any) -> Any:
        return on_host(array)

    def selected(self) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()

    @property
    def room(self) -> int:
        return sys.maxsize

    @property
    def module(self) -> Any:
        return np

    def held(self, array: Any) -> Any:
        return on_host(array)

    def computing(self) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()


@dataclass(frozen=True, slots=True)
class OneGpu:
    """A GPU. Several processors may be the same one: each has trees of its own there."""

    ordinal: int
    threads: int
    engine: Engine = GPU

    @property
    def name(self) -> str:
        return f"{self.engine.name} {self.ordinal}"

    @property
    def memory(self) -> str:
        return self.name

    def identity(self) -> str:
        return f"{cuda.device(self.ordinal).name}, driver {cuda.driver_version()}"

    def plan(self, plan: AnyPlan) -> AnyPlan:
        return _with_engine(plan, self.engine, (("device", self.ordinal),))

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, *, bulk: bool) -> Trees:
        with cuda.errors(self.name), cuda.device(self.ordinal).selected():
            require_room(num_vertices, plan.option("ids", "") == "wide", cuda.device(self.ordinal).memory)
            if plan.finish.standalone:
                return self.engine.trees(plan, num_vertices, keep_forest, self.threads, bulk=bulk)
            return MergingTrees(plan, num_vertices, keep_forest, self.threads, bulk=bulk)

    def adopt(self, array: Any) -> Any:
        return array

    def selected(self) -> contextlib.AbstractContextManager[Any]:
        return cuda.device(self.ordinal).selected()  # type: ignore[no-any-return]

    @property
    def room(self) -> int:
        with self.selected():
            return cuda.free_memory()

    @property
    def module(self) -> Any:
        return cuda.cupy()

    def held(self, array: Any) -> Any:
        return copied_to(array, self.ordinal) if is_device_array(array) else self.module.asarray(array)

    @contextlib.contextmanager
    def computing(self) -> Iterator[None]:
        with cuda.errors(f"work on {self.name}"), cuda.device(self.ordinal).selected():
            yield
            self.module.cuda.get_current_stream().synchronize()


def device_of(array: Any) -> contextlib.AbstractContextManager[Any]:
    """A context in which CuPy works on the GPU that holds an array, if one does."""
    return array.device if is_device_array(array) else contextlib.nullcontext()


def on_host(array: Any) -> Any:
    """An array in host memory: itself, or a copy."""
    if not is_device_array(array):
        return array
    with device_of(array):
        return array.get()


def copied_to(array: Any, ordinal: int) -> Any:
    """An array in the memory of a GPU: itself, or a copy that is complete, so that the other one may be given back.

    What made it must be queued on the current CUDA stream of its own GPU.
    """
    if not is_device_array(array) or int(array.device.id) == ordinal:
        return array
    with device_of(array):
        ready = cuda.cupy().cuda.get_current_stream().record()
    target = cuda.device(ordinal)
    with target.selected():
        here = cuda.cupy().cuda.get_current_stream()
        here.wait_event(ready)
        copy = target.held(array)
        here.synchronize()
    return copy


def require_room(vertices: int, wide: bool, memory: int) -> None:
    """Raise OutOfDeviceMemory if the parents of all vertices, which each processor has, are more than a memory of so
    many bytes."""
    parents = vertices * (8 if wide or vertices >= 2**31 else 4)
    if parents > memory:
        raise OutOfDeviceMemory(
            f"the parents of {vertices} vertices are {parents} bytes on every processor, and the GPU has {memory}"
        )


def holds(processor: Processor, ordinal: int) -> bool:
    """Whether arrays of the GPU of this number are in the processor's own memory."""
    return isinstance(processor, OneGpu) and processor.ordinal == ordinal


def _with_engine(plan: AnyPlan, engine: Engine, options: tuple[tuple[str, int], ...]) -> AnyPlan:
    """The plan for one engine, with the options that every engine takes."""
    options_of_plan = plan.engine.options if plan.engine is not None else ()
    known = {parameter.name for parameter in ENGINES[engine.name].options}
    passed: tuple[tuple[str, Any], ...] = tuple(
        pair
        for pair in options_of_plan
        if pair[0] in _PASSED and pair[0] in known and not plan.without_effect(EngineOptions(engine.name, (pair,)))
    )
    return replace(plan, engine=EngineOptions(engine.name, (*passed, *options)))


@contextlib.contextmanager
def errors_of(processor: Processor, doing: str) -> Iterator[None]:
    """Errors of a processor say which one it is and what it was doing; errors of the input stay as they are."""
    try:
        yield
    except OutOfDeviceMemory as error:
        raise OutOfDeviceMemory(f"{processor.name}, {doing}: {error}") from error
    except MemoryError as error:
        raise MemoryError(f"{processor.name}, {doing}: {str(error) or 'too little memory'}") from error
    except DeviceError as error:
        raise DeviceError(f"{processor.name}, {doing}: {error}") from error


def entries_of(devices: Devices) -> tuple[str | int | Any, ...]:
    """The entries of ``devices=``, each a word, a number or a processor. Raises InputError for anything else."""
    is_list = isinstance(devices, Sequence) and not isinstance(devices, str)
    if not (is_list or (isinstance(devices, np.ndarray) and devices.ndim == 1)) or len(devices) == 0:
        raise InputError(f"{option('devices')} must be a list of processors, such as [0, 1], not {devices!r}")
    words = {word for word, name in device_words() if not ENGINES[name].over}
    result: list[Any] = []
    for entry in devices:
        if is_whole(entry) and entry >= 0:
            result.append(int(entry))
        elif (isinstance(entry, str) and entry in words) or hasattr(entry, "adopt"):
            result.append(entry)
        else:
            known = ", ".join(repr(word) for word in sorted(words))
            raise InputError(f"{option('devices')} has {entry!r}; a processor is the number of a GPU or one of {known}")
    return tuple(result)


def processors_of(words: Sequence[Any], threads: int) -> tuple[Processor, ...]:
    """The processors of words as `entries_of` returns them. Threads are divided among them."""
    names = dict(device_words())
    on_host = [isinstance(word, str) and names[word] == CPU.name for word in words]
    own = [not isinstance(word, str | int) for word in words]
    hosts, gpus = sum(on_host), len(words) - sum(on_host) - sum(own)
    uniting = max(1, (threads - threads // FILLING_SHARE if gpus else threads) // max(1, hosts))
    result: list[Processor] = []
    for word, host, whole in zip(words, on_host, own, strict=True):
        if whole:
            result.append(word)
        elif host:
            result.append(CpuThreads(sum(isinstance(p, CpuThreads) for p in result), uniting))
        else:
            result.append(OneGpu(word if isinstance(word, int) else 0, max(1, threads // gpus)))
    return tuple(result)


def refusal(processor: Processor, problem: str, plan: BasePlan | None) -> str:
    """Why a processor cannot run a plan for a problem; "" if it can."""
    own = plan
    if isinstance(plan, Plan) and plan.missing_on(processor.engine.name):
        return plan.missing_on(processor.engine.name)
    if isinstance(plan, Plan):
        own = processor.plan(plan)
    elif isinstance(plan, RankPlan):
        own = replace(plan, engine=None)
    return processor.engine.can(problem, own)
