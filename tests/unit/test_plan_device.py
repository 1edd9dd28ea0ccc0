"""Which GPU a plan runs on: the one it names, for every problem. CuPy's devices are doubles; nothing is launched."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge.device import cuda
from landbridge.engine.gpu import components, forest, lists
from landbridge.engine.gpu.plan_device import device_of_plan
from landbridge.plan import parse


class Gpu:
    """One of several GPUs. selected: the numbers of those that were made the current one, in order."""

    def __init__(self, ordinal: int, here: list[int]) -> None:
        self.ordinal, self._here = ordinal, here

    @contextlib.contextmanager
    def selected(self) -> Iterator[None]:
        self._here.append(self.ordinal)
        try:
            yield
        finally:
            self._here.pop()


class Reached(Exception):
    """The work would begin."""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the GPUs made the current one, the last on top. Without any, CuPy's current one is GPU 0."""
    stack = [0]
    errors = SimpleNamespace(OutOfMemoryError=ZeroDivisionError)
    runtime = SimpleNamespace(CUDARuntimeError=ZeroDivisionError)
    driver = SimpleNamespace(CUDADriverError=ZeroDivisionError)
    module = SimpleNamespace(cuda=SimpleNamespace(memory=errors, runtime=runtime, driver=driver))
    monkeypatch.setattr(cuda, "_module", lambda: module)
    monkeypatch.setattr(cuda, "count", lambda: 4)
    monkeypatch.setattr(cuda, "device", lambda ordinal: Gpu(ordinal, stack))
    monkeypatch.setattr(cuda, "current", lambda: Gpu(stack[-1], stack))
    return stack


def test_a_plan_names_its_gpu_or_takes_the_current_one(here: list[int]) -> None:
    assert device_of_plan(parse("rem_cas@gpu(device=3)")).ordinal == 3
    here.append(2)
    assert device_of_plan(parse("rem_cas@gpu")).ordinal == 2


MANY = np.arange(200_000)
FEW = np.arange(3)
CALLS: dict[str, Callable[[str], Any]] = {
    "components": lambda at: landbridge.components((FEW, FEW), plan=f"rem_cas{at}"),
    "components in one pass": lambda at: landbridge.components((MANY, MANY), plan=f"rem_cas{at}"),
    "forest": lambda at: landbridge.spanning_forest((FEW, FEW), plan=f"rem_cas{at}"),
    "list": lambda at: landbridge.rank_list([1, 2, 2], plan=f"chains{at}"),
    "stream": lambda at: landbridge.Incremental(3, plan=f"rem_cas{at}"),
    "stream in rounds": lambda at: landbridge.Incremental(3, plan=f"lt(direct,root,once,alter){at}"),
    "chunks": lambda at: landbridge.components(chunks=[(FEW, FEW)], plan=f"rem_cas{at}"),
}


@pytest.mark.parametrize("at", ["@gpu", "@gpu(device=3)"])
@pytest.mark.parametrize("call", CALLS)
def test_every_problem_runs_on_the_gpu_of_its_plan(
    call: str, at: str, here: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[list[int]] = []

    def reach(*arguments: Any, **options: Any) -> None:
        reached.append(list(here))
        raise Reached

    monkeypatch.setattr(components, "_components", reach)
    monkeypatch.setattr(components, "Timeline", reach)
    monkeypatch.setattr(forest, "_forest", reach)
    monkeypatch.setattr(lists, "_solve", reach)
    monkeypatch.setattr(cuda.cupy().cuda, "Event", reach, raising=False)
    with pytest.raises(Reached):
        CALLS[call](at)
    assert reached == [[0, 3 if "device" in at else 0]]
    assert here == [0]
