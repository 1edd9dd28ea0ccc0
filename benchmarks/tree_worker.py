"""The process that times one source tree of landbridge for `benchmarks.kinds.old_new`.

It uses public functions of landbridge alone, so it can import a tree from before a change of everything inside. A case
is a folder of .npy files: u and v, or offsets and neighbors, with labels; or successor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import landbridge
from benchmarks.check import check_count, check_device_forest, check_forest, check_labels, check_ranks
from benchmarks.gpu import HEAD_START, Gpu
from benchmarks.gpu_arrays import csr_on_device, shuffled_on_device
from benchmarks.process import Request, serve
from benchmarks.streams import time_stream
from landbridge.edges.forms import Adjacency
from peers.timing import Timed, timed


@dataclass
class Loaded:
    """A case in the memory of the device: a graph, the pairs of a stream, or successors; and the right answer."""

    name: str
    count: int
    labels: Any = None
    graph: Any = None
    offsets: Any = None
    neighbors: Any = None
    pairs: tuple[Any, Any] | None = None
    successor: Any = None

    @property
    def num_vertices(self) -> int:
        return len(self.labels)


class Tree:
    """The requests of one process. device: "cpu" or "gpu"."""

    def __init__(self) -> None:
        self.device = "cpu"
        self.gpu: Gpu | None = None
        self.loaded: Loaded | None = None

    def where(self, request: Request) -> Request:
        """Which tree this is, and the name of the GPU if there is one to use."""
        self.device = request["device"]
        self.gpu = Gpu() if self.device == "gpu" else None
        return {"file": landbridge.__file__, "gpu": self.gpu.place() if self.gpu is not None else None}

    def _put(self, array: Any) -> Any:
        return self.gpu.cupy.asarray(array) if self.gpu is not None else array

    def load(self, request: Request) -> Request:
        """Load a folder, in the place of the last one."""
        self.loaded = None
        if self.gpu is not None:
            self.gpu.free()
        # Mapped pages are no huge pages: arrays that stay in host memory are read.
        mode: Any = "r" if self.gpu is not None else None
        arrays = {path.stem: np.load(path, mmap_mode=mode) for path in Path(request["folder"]).glob("*.npy")}
        name, count = request["name"], request["count"]
        if "successor" in arrays:
            self.loaded = Loaded(name, count, successor=self._put(arrays["successor"]))
            return {}
        labels = self._put(arrays["labels"])
        if request["problem"] == "stream":
            pairs = self._put(arrays["u"]), self._put(arrays["v"])
            if self.gpu is not None:
                pairs = shuffled_on_device(self.gpu.cupy, *pairs)
            self.loaded = Loaded(name, count, labels, pairs=pairs)
            return {}
        if self.gpu is not None:
            rows = csr_on_device(self.gpu.cupy, len(labels), arrays["u"], arrays["v"])
            self.gpu.free()
        else:
            rows = arrays["offsets"], arrays["neighbors"]
        graph = landbridge.Graph(Adjacency(*rows), symmetric=True)
        self.loaded = Loaded(name, count, labels, graph, *rows)
        return {}

    def turn(self, request: Request) -> Request:
        """Time `trials` calls on the loaded case and check the last answer; "device": between events on a GPU."""
        loaded = self.loaded
        assert loaded is not None
        turn = TURNS[request["problem"]](self, loaded, request)
        return {"seconds": turn.seconds, "plan": turn.detail, "cpu_over_wall": turn.cpu_over_wall}

    def ready(self) -> None:
        """Wait for an idle device with a cold cache."""
        if self.gpu is not None:
            self.gpu.ready()

    def wait(self) -> None:
        """Wait for the device."""
        if self.gpu is not None:
            self.gpu.wait()

    def clock(self, call: Callable[[], Any], request: Request) -> Timed:
        """Time calls on the CPU's clock, or on the GPU's with a head start for the host."""
        trials = request["trials"]
        if self.gpu is None or request["timing"] == "wall":
            return timed(call, trials, before=self.ready, wait=self.wait)
        results: list[Any] = [call()]

        def once() -> None:
            results[0] = None
            results[0] = call()

        seconds = tuple(self.gpu.cold_seconds(once, HEAD_START) for _ in range(trials))
        return Timed(seconds, results[0])


def _named(turn: Timed, plan: str) -> Timed:
    return Timed(turn.seconds, None, turn.cpu_over_wall, plan)


def components_turn(tree: Tree, loaded: Loaded, request: Request) -> Timed:
    options = {"plan": request["plan"], "device": tree.device}
    turn = tree.clock(partial(landbridge.components, loaded.graph, **options), request)
    check_labels(request["plan"], loaded, turn.result.count, turn.result.labels)
    return _named(turn, turn.result.plan)


def forest_turn(tree: Tree, loaded: Loaded, request: Request) -> Timed:
    options = {"plan": request["plan"], "device": tree.device}
    turn = tree.clock(partial(landbridge.spanning_forest, loaded.graph, **options), request)
    forest = turn.result
    if tree.gpu is None:
        check_forest(f"{request['plan']} on {loaded.name}", loaded.graph, forest, loaded.count)
    else:
        check_device_forest(request["plan"], loaded, (forest.u, forest.v, forest.edge))
    return _named(turn, forest.plan)


def stream_turn(tree: Tree, loaded: Loaded, request: Request) -> Timed:
    """Each trial inserts all edges into a new stream, `batch` at a time; 0: at once."""
    assert loaded.pairs is not None
    plan = {} if request["plan"] == "auto" else {"plan": request["plan"]}
    batch = request["batch"] or len(loaded.pairs[0])
    seconds = []
    for recorded in (False, *[True] * request["trials"]):
        stream = landbridge.Incremental(loaded.num_vertices, device=tree.device, **plan)
        tree.ready()
        spent, count = time_stream(stream, loaded.pairs, batch, tree.wait)
        check_count(f"{request['plan']} on {loaded.name}", count, loaded.count, "components")
        if recorded:
            seconds.append(spent)
    return Timed(tuple(seconds))


def list_turn(tree: Tree, loaded: Loaded, request: Request) -> Timed:
    options = {"plan": request["plan"], "device": tree.device}
    turn = tree.clock(partial(landbridge.rank_list, loaded.successor, **options), request)
    check_ranks(f"{request['plan']} on {loaded.name}", loaded.successor, turn.result)
    return _named(turn, request["plan"])


TURNS: dict[str, Callable[[Tree, Loaded, Request], Timed]] = {
    "components": components_turn,
    "forest": forest_turn,
    "stream": stream_turn,
    "list": list_turn,
}


def main() -> None:
    tree = Tree()
    serve({"where": tree.where, "load": tree.load, "turn": tree.turn})


if __name__ == "__main__":
    main()
