"""Runs that come again for a graph, captured as CUDA graphs: one launch for all kernels."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from landbridge.device import cuda
from landbridge.device.pinned import PinnedWords
from landbridge.engine.gpu.components_run import WORDS
from landbridge.engine.gpu.execute import Execution
from landbridge.graph import Graph

REPLAYED = 2**24
"""Vertices up to which a plan that comes again for a graph is kept as a CUDA graph: the host takes a quarter of a
millisecond to prepare and queue a dozen kernels, and the copy of so many labels takes a seventh of that."""

_KEPT = 4
"""Plans of one graph that are kept so: each keeps what its run needs beside the graph."""

_DEFERRED = WORDS["deferred"]


class Replay:
    """A captured run. Owns its labels, so results are copies."""

    def __init__(self, execution: Execution, labels: Any) -> None:
        self._execution, self._labels = execution, labels
        self._control = PinnedWords(WORDS["end"])
        self._lock = threading.Lock()
        stream = cuda.cupy().cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            execution.launch()
            self._captured = stream.end_capture()

    def __call__(self) -> tuple[Any, Any]:
        """The words of the control block, and the labels."""
        with self._lock:
            stream = cuda.cupy().cuda.get_current_stream()
            self._captured.launch(stream)
            labels = self._labels.copy()
            words = self._control.read(self._execution.control)
            if words[_DEFERRED]:
                words = self._execution.read()
                labels = self._labels.copy()
            return words.copy(), labels


class Replays:
    """What each graph keeps of its plans: nothing at the first call, a captured run from the second on."""

    def __init__(self) -> None:
        self._by_graph: weakref.WeakKeyDictionary[Graph, dict[tuple[str, int], Replay | None]]
        self._by_graph = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def get(self, graph: Graph, plan: str, device: cuda.Device, build: Callable[[], Replay]) -> Replay | None:
        """The captured run of a plan, given by its text; None where it has not run on this device before."""
        key = (plan, device.ordinal)
        with self._lock:
            of_graph = self._by_graph.setdefault(graph, {})
            if key not in of_graph:
                of_graph[key] = None
                return None
            replay = of_graph[key]
            if replay is None:
                captured = [each for each, other in of_graph.items() if other is not None]
                if len(captured) == _KEPT:
                    of_graph[captured[0]] = None
                replay = of_graph[key] = build()
            return replay

    def clear(self) -> bool:
        """Keep none of them; whether there were any."""
        with self._lock:
            had = any(replay is not None for of_graph in self._by_graph.values() for replay in of_graph.values())
            self._by_graph.clear()
            return had
