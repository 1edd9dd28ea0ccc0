"""Compiling in advance what the automatic choice may select."""

from __future__ import annotations

from collections.abc import Iterator

from landbridge.device import cuda, kernels
from landbridge.device.jit import Program
from landbridge.device.memory_counter import CountedArray
from landbridge.engine.gpu.choose import COO_PLAN, PLANS, SMALL_PLAN
from landbridge.engine.gpu.memory import CountedGraph
from landbridge.engine.gpu.schedule import GpuSchedule, rule_of
from landbridge.engine.gpu.solve import plan_programs
from landbridge.plan import parse

_VERTICES, _EDGES = 2**20, 2**24
"""Of the graph whose launches are listed: too large for one block, and with rows of any length."""


def counted_graph(shape: kernels.Shape, *, csr: bool, symmetric: bool = True) -> CountedGraph:
    """A graph of such widths without elements, to list the programs of a plan."""
    ids, n, m = f"int{shape.edge}", _VERTICES, _EDGES
    a, b = CountedArray(None, m, ids), None if csr else CountedArray(None, m, ids)
    offsets = CountedArray(None, n + 1, f"int{shape.offset}") if csr else None
    return CountedGraph(n, m, "csr" if csr else "coo", symmetric and csr, shape.cell == 64, offsets, a, b)


def programs_of_choice() -> Iterator[Program]:
    """Every program that the automatic choice may select for graphs with 32-bit vertices."""
    for shape in (kernels.Shape(32, 32, 32), kernels.Shape(32, 64, 64), kernels.Shape(32, 32, 64)):
        for csr, texts in ((False, (COO_PLAN,)), (True, PLANS)):
            graph = counted_graph(shape, csr=csr)
            for plan in map(parse, texts):
                yield from plan_programs(plan, graph, GpuSchedule.of(plan, graph))
        yield kernels.unite_unchecked(rule_of(parse(SMALL_PLAN).finish), shape.edge).program
        yield kernels.hook_coo(shape).program  # of fewer edges per vertex than the graph here has
        yield kernels.validation("check_ids", shape.edge).program
        yield kernels.probe_csr(shape.edge, shape.offset).program


def warm(device: cuda.Device) -> None:
    """Compile them for a device, so that a first call need not."""
    for program in dict.fromkeys(programs_of_choice()):
        device.kernels(program)
