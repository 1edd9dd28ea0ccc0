"""What benchmarks take from the inside of landbridge's GPU engine. No other program here imports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import landbridge
from landbridge.device import cuda, graphs, jit, layout, transfer
from landbridge.engine.gpu.components import prepared
from landbridge.engine.gpu.execute import Executable, Execution
from landbridge.engine.gpu.forest import prepared_forest
from landbridge.engine.gpu.forest_sink import forest_edges, forest_schedule
from landbridge.engine.gpu.schedule import GpuSchedule
from landbridge.engine.gpu.solve import as_taken
from landbridge.engine.gpu.stream_trees import DeviceTrees
from landbridge.errors import InvalidCombination
from landbridge.plan import parse
from landbridge.problems import PROBLEMS

_WORDS = layout.control("components")


def compiler_options() -> tuple[str, ...]:
    """For kernels that include the headers of landbridge."""
    return ("--std=c++20", f"-I{jit.headers()}")


class _EngineRun:
    """An execution of the engine as `benchmarks.gpu.PreparedRun`."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def launch(self) -> None:
        self._execution.launch()

    def complete(self) -> None:
        self._execution.read()

    def has_deferred(self) -> bool:
        return int(self._execution.control[_WORDS["deferred"]]) != 0

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        for launch in self._execution.launches:
            yield launch.name, Executable([launch], cuda.current())

    def _word(self, word: str) -> int:
        return int(self._execution.read()[_WORDS[word]])


class ComponentsRun(_EngineRun):
    """A plan made ready for the components of one graph. An edge list that consists of rows gets their offsets again in
    every run."""

    def __init__(self, graph: landbridge.Graph, plan: str) -> None:
        parsed = parse(plan)
        source = as_taken(graph, parsed)
        execution, self._labels = prepared(source, parsed, GpuSchedule.of(parsed, source))
        super().__init__(execution)
        self._of_rows = [] if source is graph else [partial(graphs.write_row_offsets, source.offsets, graph.a)]

    def launch(self) -> None:
        for write in self._of_rows:
            write()
        super().launch()

    def steps(self) -> Iterator[tuple[str, Callable[[], None]]]:
        yield from (("row_offsets", write) for write in self._of_rows)
        yield from super().steps()

    def answer(self) -> tuple[int, Any]:
        """Count and labels of the last launches."""
        return self._word("count"), self._labels


class SpanningForestRun(_EngineRun):
    """A plan made ready for the spanning forest of one graph."""

    def __init__(self, graph: landbridge.Graph, plan: str) -> None:
        parsed = parse(plan)
        if reason := parsed.no_forest:
            raise InvalidCombination(f"{plan}: {reason}")
        execution, self._sink = prepared_forest(graph, parsed, forest_schedule(parsed, graph))
        super().__init__(execution)

    def answer(self) -> tuple[Any, ...]:
        """(u, v, edge): endpoints and positions of the edges of the last launches."""
        return forest_edges(self._sink, self._word("edges"))


def check_pairs(u: Any, v: Any, n: int) -> None:
    """Validate edges on the device, and find whether they lie in rows."""
    graphs.check_pairs(u, v, n)


def chosen_plan(graph: landbridge.Graph, plan: str, problem: str = "components") -> str:
    """The text of a plan, of the one that is chosen for the graph and the problem if it is "auto"."""
    if plan != "auto":
        return str(parse(plan))
    engine = PROBLEMS[problem].request("auto", "gpu").engine
    assert engine is not None
    return str(engine.choose(problem, engine.facts(problem, graph, 1)).plan)


def stream_plan(plan: str) -> str:
    """The text of a stream's plan, of the engine's default if it is "auto"."""
    return str(PROBLEMS["incremental"].request(plan, "gpu", present=False).stream()[1])


class StreamTrees:
    """The trees of a stream in device memory, with the two parts of an insert: `check`, which reads back, and
    `insert_checked`, which only queues kernels."""

    def __init__(self, n: int, plan: str) -> None:
        self._trees = DeviceTrees(parse(stream_plan(plan)), n, False)
        self.check, self.insert_checked = self._trees.check, self._trees.insert_checked

    def answer(self) -> tuple[int, Any]:
        """Count and labels."""
        count, labels = self._trees.labels(0)
        return int(count), labels


def send(arrays: tuple[Any, ...], dtypes: tuple[Any, ...], threads: int) -> tuple[Any, int]:
    """Copy arrays of host memory to the device as these types; with the largest id."""
    return transfer.send(arrays, dtypes, threads)


def fetch(array: Any, threads: int) -> Any:
    """Copy an array from the device."""
    return transfer.fetch(array, threads)
