"""Whole calls from Python on few edges in a GPU's memory, as two arrays and as a `Graph`: the cost of launches."""

from __future__ import annotations

from functools import partial

import landbridge
from benchmarks.gpu import Gpu
from benchmarks.gpu_cases import Generated, for_each_graph, on_device
from benchmarks.kinds.base import Kind
from benchmarks.kinds.gpu_components import add_call, calls_table
from benchmarks.records import Record
from benchmarks.sink import Sink


def run(sink: Sink) -> None:
    gpu = Gpu()
    for_each_graph(sink, gpu, partial(measure, sink, gpu))


def measure(sink: Sink, gpu: Gpu, source: Generated) -> None:
    """Time both forms on one graph."""
    case = on_device(gpu, source)
    u, v = gpu.cupy.asarray(source.u), gpu.cupy.asarray(source.v)
    for form, graph in (("pair of arrays", (u, v)), ("Graph", landbridge.Graph((u, v)))):
        add_call(sink, gpu, case, form, graph)


def summary(records: list[Record]) -> str:
    return calls_table(records) if records else ""


KIND = Kind(run, summary, frozenset({"device", "graphs", "repeat", "trials"}))
