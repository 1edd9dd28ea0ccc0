"""CPU threads that behave like a device behind a slow interconnect, and fail on request."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from landbridge.engine.base import Engine, Trees
from landbridge.engine.cpu.engine import ENGINE as CPU
from landbridge.engine.parts.processors import AnyPlan, CpuThreads
from landbridge.plan import BasePlan, Plan


@dataclass
class FakeDevice:
    """A processor with a memory of its own.

    rate: bytes per second of its link; 0 for no limit. failures: phase ("open", "prepare", "insert", "merge", "labels",
    "solve", "compute") -> the error that it raises there. after: calls of that phase that go well before. hold: as
    long as it is true, inserts but the first wait. on_host: whether it is treated as CPU threads are, or as a GPU.
    largest: elements of the largest array that it has made, received or solved a problem of.
    room: bytes of its memory that are free, as far as lists go.
    """

    number: int = 0
    threads: int = 1
    rate: float = 0.0
    failures: Mapping[str, BaseException] = field(default_factory=dict)
    after: int = 0
    hold: Callable[[], bool] = lambda: False
    on_host: bool = True
    calls: dict[str, int] = field(default_factory=dict)
    largest: int = 0
    room: int = 0

    @property
    def name(self) -> str:
        return f"fake {self.number}"

    @property
    def memory(self) -> str:
        return self.name

    @property
    def engine(self) -> Engine:
        return cast(Engine, _FakeEngine(self))

    def identity(self) -> str:
        return f"{self.name} at {self.rate:g} bytes/s"

    def plan(self, plan: AnyPlan) -> AnyPlan:
        return CpuThreads(0, self.threads).plan(plan)

    def trees(self, plan: Plan, num_vertices: int, keep_forest: bool, *, bulk: bool) -> Trees:
        self.reach("open")
        return cast(Trees, _FakeTrees(self, CPU.trees(plan, num_vertices, keep_forest, self.threads, bulk=bulk)))

    def adopt(self, array: Any) -> Any:
        return array

    def selected(self) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()

    @property
    def module(self) -> Any:
        return _CountingModule(self)

    def held(self, array: Any) -> Any:
        self.reach("held", array.nbytes)
        return self.seen(array.copy())

    @contextlib.contextmanager
    def computing(self) -> Iterator[None]:
        self.reach("compute")
        yield

    def seen(self, result: Any) -> Any:
        """A result, counted if it is an array."""
        self.largest = max(self.largest, result.size if isinstance(result, np.ndarray) else 0)
        return result

    def reach(self, phase: str, size: int = 0) -> None:
        """Take the time that so many bytes take on the link, or fail."""
        self.calls[phase] = self.calls.get(phase, 0) + 1
        if phase in self.failures and self.calls[phase] > self.after:
            error = self.failures[phase]
            raise type(error)(*error.args)
        while phase == "insert" and self.calls[phase] > 1 and self.hold():
            time.sleep(0.001)
        if self.rate and size:
            time.sleep(size / self.rate)


class _CountingModule:
    """NumPy, whose arrays count as those of a device."""

    def __init__(self, device: FakeDevice) -> None:
        self._device = device

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        return lambda *arguments, **options: self._device.seen(function(*arguments, **options))


class _FakeEngine:
    def __init__(self, device: FakeDevice) -> None:
        self._device = device

    def solve(self, problem: str, data: Any, plan: BasePlan, threads: int) -> Any:
        self._device.reach("solve", getattr(data, "nbytes", 0))
        if problem == "list_ranking":
            self._device.seen(data.successor)
        return CPU.solve(problem, data, plan, threads)

    @property
    def on_host(self) -> bool:
        return self._device.on_host

    def __getattr__(self, name: str) -> Any:
        return getattr(CPU, name)


class _FakeTrees:
    def __init__(self, device: FakeDevice, trees: Trees) -> None:
        self._device, self._trees = device, trees

    def prepare(self, u: Any, v: Any, is_query: Any, vertices: int) -> None:
        self._device.reach("prepare")
        self._trees.prepare(u, v, is_query, vertices)

    def insert(self, u: Any, v: Any) -> None:
        self._device.reach("insert", u.nbytes + v.nbytes)
        self._trees.insert(u, v)

    def insert_at(self, u: Any, v: Any, at: Any, advance: int, vertices: int) -> None:
        if len(u):
            self._device.reach("insert", u.nbytes + v.nbytes)
        self._trees.insert_at(u, v, at, advance, vertices)

    def snapshot(self, with_forest: bool) -> tuple[int, Any, Any]:
        self._device.reach("merge", 8 * self._trees.vertices)
        return self._trees.snapshot(with_forest)

    def labels(self, threads: int, *, consume: bool = False, to_host: bool = False) -> tuple[int, Any]:
        self._device.reach("labels", 4 * self._trees.vertices)
        return self._trees.labels(threads, consume=consume, to_host=to_host)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._trees, name)
