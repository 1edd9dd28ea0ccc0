"""Published systems on one GPU: ECL-CC's launches, and one launch of a whole grid for those in rounds over pairs."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from landbridge import _core
from landbridge.device import launch, names
from landbridge.device.jit import Program
from landbridge.device.launch import SEARCH_BLOCK
from landbridge.errors import InputError
from landbridge.plan import Finish, registry

if TYPE_CHECKING:
    from landbridge.engine.gpu import Run

_BLOCKS = 2  # lb::gpu::system_blocks


@cache
def _systems() -> dict[str, dict[str, Any]]:
    """The rows that are structs of lb::system, by name."""
    return {row["name"]: row for row in _core.systems()}


def programs(finish: Finish, shape: names.Shape) -> list[Program] | None:
    """What a published system loads beside the base; None for any other finish."""
    if finish.link == "ecl_cc":
        return [names.ecl(str(dict(finish.values)["jump"]), shape)]
    if finish.link in _systems():
        return [names.system(_systems()[finish.link]["type"], shape)]
    return None


def add(run: Run, finish: Finish) -> None:
    """The launches of a published system, from the start to a forest that is ready to be numbered."""
    if finish.link == "ecl_cc":
        _ecl(run, finish)
    else:
        _rounds(run, finish)


def _settings(finish: Finish) -> list[int]:
    """The values of the parameters in the order of the row, words as their position."""
    parameters = registry().axis("finish")[finish.link].parameters
    values = dict(finish.values)
    return [p.choices.index(str(values[p.name])) if p.choices else int(values[p.name]) for p in parameters]


def _ecl(run: Run, finish: Finish) -> None:
    small, large, init, _, fini = _settings(finish)
    run._start(adopt=True)
    run._list = run._array(run.n)
    rows = (run._offsets, run._a, run.n, run.labels)
    run._vertices("finish", "ecl_start", *rows, init)
    run._vertices("finish", "ecl_short", *rows, run._list, run.control, small, large, int(init == 0))
    for kernel in ("ecl_medium", "ecl_long"):
        run._add("finish", kernel, launch.grid_for(run.device, run.m), *rows, run._list, run.control)
    run._vertices("finish", "ecl_finish", run.labels, run.n, fini)


def _rounds(run: Run, finish: Finish) -> None:
    system, n, m = _systems()[finish.link], run.n, run.m
    own = int(system["edge_cells"])
    if own and m >= 2 ** (8 * run._cell.itemsize) - 1:
        raise InputError(f"positions of {m} edges do not fit 32 bits: this plan needs ids=wide")
    run._start(adopt=False)
    group = m if finish.stages is None else min(m, max(1, math.ceil(min(finish.stages * n, m))))
    strides = launch.stride_of(run._a), launch.stride_of(run._b)
    as_they_are = group == m and run._a.dtype.itemsize == run._cell.itemsize and strides == (1, 1)
    u, v = (run._a, run._b) if as_they_are else (run._array(group), run._array(group))
    room = run._array(int(system["vertex_cells"]) * n + own * group)
    first, second, *_ = (*_settings(finish), 0, 0)
    for begin in range(0, m, max(1, group)):
        count = min(group, m - begin)
        if not as_they_are:
            ends = (run._a, run._b, *strides, begin, count, run.labels, int(begin > 0), u, v, run.control)
            run._add("finish", "take_ends", launch.grid_for(run.device, count), *ends)
        blocks = launch.grid_for(run.device, max(n, count), SEARCH_BLOCK, waves=_BLOCKS)
        arguments = (u, v, count, n, run.labels, room, run.control, first, second)
        run._cooperative("finish", "run_system", blocks, *arguments)
    if not system["smallest"]:
        run._lowest("number")
