"""Published systems: the launches of ECL-CC, and one launch of a whole grid for those that take an edge list."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from landbridge import _core
from landbridge.device import kernels, layout
from landbridge.device.launch import grid_for
from landbridge.engine.gpu.components_run import EDGES, ComponentsRun
from landbridge.errors import InputError
from landbridge.plan import Finish, registry

_ECL, _SYSTEM = layout.struct_type("EclSchedule"), layout.struct_type("SystemArrays")
_RANGE, _COPY = layout.struct_type("EdgeRange"), layout.struct_type("EndpointCopy")
_BLOCKS, _THREADS = layout.constant("system_blocks"), layout.constant("search_threads")


@cache
def _systems() -> dict[str, dict[str, Any]]:
    """The rows that are structs of lb::system, by name."""
    return {row["name"]: row for row in _core.systems()}


def add_system(run: ComponentsRun, finish: Finish) -> None:
    """From the start to a forest that is ready to be numbered."""
    if finish.link == "ecl_cc":
        _add_ecl(run, finish)
    else:
        _add_grid(run, finish)


def _settings(finish: Finish) -> list[int]:
    """The values of the parameters in the order of the row, words as their position."""
    parameters = registry().axis("finish")[finish.link].parameters
    values = dict(finish.values)
    return [p.choices.index(str(values[p.name])) if p.choices else int(values[p.name]) for p in parameters]


def _add_ecl(run: ComponentsRun, finish: Finish) -> None:
    small, large, init, _, fini = _settings(finish)
    jump = str(dict(finish.values)["jump"])
    run.start(adopt=True)
    rows = _ECL(list=run.array(run.n), small=small, large=large, start=init, finish=fini)
    run.over_vertices("finish", kernels.ecl("ecl_start", jump, run.shape), run.csr, run.cells, rows)
    run.over_vertices("finish", kernels.ecl("ecl_short", jump, run.shape), run.csr, run.cells, rows)
    for name in ("ecl_medium", "ecl_long"):
        run.launches.over("finish", kernels.ecl(name, jump, run.shape), run.m, run.csr, run.cells, rows)
    run.over_vertices("finish", kernels.ecl("ecl_finish", jump, run.shape), run.cells, rows)


def _add_grid(run: ComponentsRun, finish: Finish) -> None:
    system, n, m = _systems()[finish.link], run.n, run.m
    assert run.edges is not None
    edge_cells = int(system["edge_cells"])
    if edge_cells and m >= 2 ** (8 * run.cell.itemsize) - 1:
        raise InputError(f"positions of {m} edges do not fit 32 bits: this plan needs ids=wide")
    run.start(adopt=False)
    group = m if finish.stages is None else min(m, max(1, math.ceil(min(finish.stages * n, m))))
    whole = run.edges.fields
    strides = whole["u_stride"], whole["v_stride"]
    in_place = group == m and run.shape.edge == run.shape.cell and strides == (1, 1)
    u, v = (whole["u"], whole["v"]) if in_place else (run.array(group), run.array(group))
    room = run.array(int(system["vertex_cells"]) * n + edge_cells * group)
    first, second, *_ = (*_settings(finish), 0, 0)
    arrays = _SYSTEM(room=room, first=first, second=second)
    copy = kernels.system("copy_endpoints", system["type"], run.shape)
    kernel = kernels.system("run_system", system["type"], run.shape)
    for begin in range(0, m, max(1, group)):
        count = min(group, m - begin)
        if not in_place:
            part = _RANGE(begin=begin, end=begin + count, raised=int(begin > 0))
            run.launches.over("finish", copy, count, run.edges, run.cells, part, _COPY(u=u, v=v))
        blocks = grid_for(run.device, max(n, count), _THREADS, waves=_BLOCKS)
        edges = EDGES(u=u, v=v, u_stride=1, v_stride=1, edges=count)
        run.one_grid("finish", kernel, blocks, edges, run.cells, arrays)
    if not system["smallest"]:
        run.take_smallest("number")
