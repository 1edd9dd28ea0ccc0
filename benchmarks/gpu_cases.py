"""Graphs on a GPU: symmetric CSR with 32-bit ids, sorted; with the CPU engine's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import landbridge
from benchmarks.cases import families, family_of
from benchmarks.gpu import Gpu
from benchmarks.gpu_arrays import csr_on_device
from benchmarks.sink import Sink
from landbridge.edges.forms import Adjacency
from landbridge.edges.generators import generate
from peers.base import Case


@dataclass(frozen=True)
class DeviceCase:
    """One graph on the device; count and labels are the CPU engine's."""

    name: str
    text: str
    offsets: Any
    neighbors: Any
    graph: landbridge.Graph
    count: int
    labels: Any

    @property
    def num_vertices(self) -> int:
        return len(self.labels)

    @property
    def num_arcs(self) -> int:
        return len(self.neighbors)

    def describe(self) -> dict[str, Any]:
        """What a record says of the graph."""
        sizes = {"n": self.num_vertices, "m": self.num_arcs // 2, "components": self.count}
        return {"name": self.name, "text": self.text, **sizes}

    def on_host(self, u: Any, v: Any) -> Case:
        """The same graph for programs that read files; u, v: the edges as generated."""
        offsets, neighbors = self.offsets.get(), self.neighbors.get()
        return Case(self.name, self.text, offsets, neighbors, u, v, self.count, self.labels.get())


@dataclass(frozen=True)
class Generated:
    """Edges of a generator in host memory, and the CPU engine's answer."""

    name: str
    text: str
    n: int
    u: Any
    v: Any
    count: int
    labels: Any

    def describe(self) -> dict[str, Any]:
        """What a record says of the graph; m counts edges as generated."""
        return {"name": self.name, "text": self.text, "n": self.n, "m": len(self.u), "components": self.count}


def generated(name: str) -> Generated:
    """Generate the graph called `name` in `graphs.toml`."""
    text = families()[family_of(name)][name]
    edges = generate(text)
    n = int(edges.num_vertices or 0)
    answer = landbridge.components((edges.u, edges.v), num_vertices=n, device="cpu")
    return Generated(name, text, n, edges.u, edges.v, answer.count, answer.labels)


def for_each_graph(sink: Sink, gpu: Gpu, measure: Callable[[Generated], None]) -> None:
    """Generate the suite's graphs one after another, say what they are, and measure; free memory behind each."""
    sink.place = gpu.place()
    for name in sink.suite.graphs:
        source = generated(name)
        sink.say(f"{name}: n = {source.n}, {len(source.u)} edges generated, {source.count} components")
        measure(source)
        del source
        gpu.free()


def on_device(gpu: Gpu, source: Generated) -> DeviceCase:
    """The graph of generated edges on the device."""
    offsets, neighbors = csr_on_device(gpu.cupy, source.n, source.u, source.v)
    graph = landbridge.Graph(Adjacency(offsets, neighbors), symmetric=True)
    labels = gpu.cupy.asarray(source.labels)
    gpu.free()
    return DeviceCase(source.name, source.text, offsets, neighbors, graph, source.count, labels)


def parent_bytes(gpu: Gpu, n: int) -> int:
    """Parents are moved once if they fit the L2 cache, else three times."""
    parents = 4 * n
    return parents if parents <= gpu.cache else 3 * parents


def lower_bound_s(gpu: Gpu, case: DeviceCase) -> float:
    """Seconds in which the bytes move that any algorithm moves: offsets, the 64-byte granules of first neighbours, and
    parents (once if they fit the L2 cache, else three times), over the measured bandwidth."""
    offsets = case.offsets
    starts = offsets[:-1][offsets[:-1] < offsets[1:]]
    granules = int((gpu.cupy.diff(starts // 16) > 0).sum()) + 1 if len(starts) else 0
    moved = 4 * case.num_vertices + 64 * granules + parent_bytes(gpu, case.num_vertices)
    return moved / gpu.bandwidth


def pairs_bound_s(gpu: Gpu, n: int, pairs: int) -> float:
    """The same of an edge list: both endpoints of every edge, and parents."""
    return (8 * pairs + parent_bytes(gpu, n)) / gpu.bandwidth
