"""What benchmarks take from the inside of landbridge's GPU engine. No other program here imports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import landbridge
from landbridge.device import transfer
from landbridge.device.launch import WORD_DEFERRED
from landbridge.engine.forest_gpu import ForestRun
from landbridge.engine.gpu import Run, Schedule
from landbridge.engine.stream import DeviceTrees
from landbridge.incremental import AUTO
from landbridge.plan import parse

STREAM_PLAN = AUTO["gpu"]
"""The plan of a stream on a GPU if none is named."""


class _EngineRun:
    """A run of the engine as `benchmarks.gpu.PreparedRun`."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def launch(self) -> None:
        self._run.launch()

    def complete(self) -> None:
        self._run.read()

    def has_deferred(self) -> bool:
        return int(self._run.control[WORD_DEFERRED]) != 0

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        for step in self._run.launches:
            yield step.name, step


class ComponentsRun(_EngineRun):
    """A plan made ready for the components of one graph."""

    def __init__(self, graph: landbridge.Graph, plan: str) -> None:
        super().__init__(Run(graph, parse(plan), Schedule.of(parse(plan), graph)))

    def answer(self) -> tuple[int, Any]:
        """Count and labels of the last launches."""
        return self._run.read()[0], self._run.labels


class SpanningForestRun(_EngineRun):
    """A plan made ready for the spanning forest of one graph."""

    def __init__(self, graph: landbridge.Graph, plan: str) -> None:
        self._forest = ForestRun(graph, parse(plan), replace(Schedule.of(parse(plan), graph), fuse="off"))
        super().__init__(self._forest)

    def answer(self) -> tuple[Any, Any, Any]:
        """(u, v, edge): endpoints and positions of the edges of the last launches."""
        return self._forest.found(self._forest.read()[0])


def chosen_plan(graph: landbridge.Graph, plan: str) -> str:
    """The text of a plan, of the one that is chosen for the graph if it is "auto"."""
    return str(parse(landbridge.explain(graph, device="gpu").plan if plan == "auto" else plan))


def device_trees(n: int, plan: str = STREAM_PLAN) -> DeviceTrees:
    """The trees of a stream in device memory: insert, apply, labels and count; `look` and `insert_known` are the two
    parts of an insert, the check of ids with its read-back, and the kernels."""
    return DeviceTrees(parse(plan), n, False)


def answer_of(trees: DeviceTrees) -> tuple[int, Any]:
    """Count and labels of the trees of a stream."""
    count, labels = trees.labels(0)
    return int(count), labels


def send(arrays: tuple[Any, ...], dtypes: tuple[Any, ...], threads: int) -> tuple[Any, int]:
    """Copy arrays of host memory to the device as these types; with the largest id."""
    return transfer.send(arrays, dtypes, threads)


def fetch(array: Any, threads: int) -> Any:
    """Copy an array from the device."""
    return transfer.fetch(array, threads)
