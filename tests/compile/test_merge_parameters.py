"""What the launches of merges on GPUs send is what their kernels take. No GPU is needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kernel_parameters import differences, parameters_of
from nvrtc_library import library

from landbridge.device import jit
from landbridge.device.kernels import Rule
from landbridge.device.memory_counter import MemoryCounter
from landbridge.engine.gpu.cut_edges import cut_struct, waiting_edges
from landbridge.engine.gpu.launch_list import Launch
from landbridge.engine.gpu.schedule import rule_of
from landbridge.engine.gpu.stream_launches import COMPONENTS, STREAM, TreeArrays
from landbridge.engine.parts.device_trees import MergeLaunches, exception_places
from landbridge.plan import parse

N = 1000
RULES = [(text, "off") for text in ("rem_cas(naive,halve_one)", "async(inter)", "jtb(two_try)")]
RULES += [("rem_cas(naive,splice)", "near")]


def launches(rule: Rule, cell: int) -> list[Launch]:
    """Every launch of a merge."""
    device = MemoryCounter()

    def words(count: int) -> Any:
        return device.empty(count, np.uint64)

    dtypes = TreeArrays.dtypes(rule, False, cell == 64)
    arrays = {name: device.empty(N, dtype) for name, dtype in dtypes.items()}
    waiting = waiting_edges(device, rule, N, f"uint{cell}", positions=False)
    trees = replace(TreeArrays.of(N, cell == 64, arrays, words(COMPONENTS["end"])), cut=cut_struct(waiting))
    merges, roots = MergeLaunches(device, rule, trees), device.empty(N, trees.cell)
    bits, control = device.empty(-(-N // 32), np.uint32), words(COMPONENTS["end"])
    merges.choose_largest(roots, control, 1)
    merges.exceptions(roots, control, bits, exception_places(device, N, trees.cell))
    merges.parents(roots, N, words(STREAM["end"]))
    merges.members(bits, 7, N, words(STREAM["end"]))
    return list(merges.list)


@pytest.mark.parametrize("cell", [32, 64])
@pytest.mark.parametrize(("text", "merge"), RULES)
def test_launches_of_merges_send_what_kernels_take(text: str, merge: str, cell: int) -> None:
    compiled: dict[str, Any] = {}
    sent = []
    for launch in launches(rule_of(parse(text).finish, "stale", merge), cell):
        program, name = launch.kernel
        (expression,) = (e for e in program.expressions if jit.template_name(e) == name)
        if expression not in compiled:
            image, _ = library(13).compile(program.source, program.expressions, jit.options_for("compute_90"))
            compiled |= parameters_of(image)
        assert differences(launch.arguments, compiled[expression]) == [], expression
        sent.append(name)
    assert sent == ["choose_skip", "list_exceptions", "merge_parents", "merge_members"]
