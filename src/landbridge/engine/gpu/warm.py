"""Compiling in advance what the automatic choice may select."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from landbridge.device import cuda, kernels
from landbridge.device.jit import Program
from landbridge.device.memory_counter import CountedArray
from landbridge.engine.gpu.memory import CountedGraph
from landbridge.engine.gpu.schedule import GpuSchedule, balance_of, rule_of
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
    plain, hooked = parse("rem_cas(naive,halve_one)"), parse("hb(2)+rem_cas(naive,halve_one)")
    two = parse("kout(2)+rem_cas(naive,splice)")
    even = GpuSchedule(balance=balance_of(plain))
    for shape in (kernels.Shape(32, 32, 32), kernels.Shape(32, 64, 64), kernels.Shape(32, 32, 64)):
        rows = counted_graph(shape, csr=True)
        yield from plan_programs(plain, counted_graph(shape, csr=False), even)
        for start in ("self", "hook"):
            yield from plan_programs(plain, rows, replace(even, start=start))
        yield from plan_programs(hooked, rows, GpuSchedule())
        for merge in ("off", "near"):
            yield from plan_programs(two, rows, GpuSchedule(arcs="reorganised", merge=merge))
        yield kernels.unite_unchecked(rule_of(plain.finish, GpuSchedule(reads="fresh")), shape.edge).program
        yield kernels.validation("check_ids", shape.edge).program
        yield kernels.probe_csr(shape.edge, shape.offset).program


def warm(device: cuda.Device) -> None:
    """Compile them for a device, so that a first call need not."""
    for program in dict.fromkeys(programs_of_choice()):
        device.kernels(program)
