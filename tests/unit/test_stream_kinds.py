"""The kinds of batches of a stream on a GPU: batches of one kind take the same programs.

Launches of a kind that has run before are queued while they are appended: a kernel that had to be loaded in the middle
of a batch might find no memory there.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from landbridge.device.memory_counter import MemoryCounter
from landbridge.engine.gpu.cut_edges import LARGEST_TREE, MOST_EDGES, NO_TREE, cut_struct, waiting_edges
from landbridge.engine.gpu.edge_schedule import Hooking
from landbridge.engine.gpu.schedule import rule_of
from landbridge.engine.gpu.stream_batches import BatchSteps
from landbridge.engine.gpu.stream_launches import (
    COMPONENTS,
    STREAM,
    TREE,
    StreamLaunches,
    TreeArrays,
    edge_arrays,
    inserts_of,
)
from landbridge.plan import parse

SIZES = (2**12, 2**20, 2**21, 2**22, MOST_EDGES + 2**22)
HOOKINGS: tuple[Hooking, ...] = ("", "sorted", "scattered")


@pytest.mark.parametrize(
    "text", ["rem_cas(naive,halve_one)", "rem_cas(naive,splice)", "hooks(compress)", "jtb(two_try)"]
)
@pytest.mark.parametrize("forest", [False, True])
def test_batches_of_one_kind_take_the_same_programs(text: str, forest: bool) -> None:
    rule, device, n = rule_of(parse(text).finish, "stale"), MemoryCounter(), 2**20

    def words(count: int) -> Any:
        return device.empty(count, np.uint64)

    arrays = {name: device.empty(n, dtype) for name, dtype in TreeArrays.dtypes(rule, forest, False).items()}
    cut = cut_struct(waiting_edges(device, rule, n, "uint32", positions=forest))
    trees = replace(TreeArrays.of(n, False, arrays, words(COMPONENTS["end"])), cut=cut)
    members, flat = device.empty(n, np.uint32), arrays.get("parent", device.empty(n, np.uint32))
    marked = LARGEST_TREE(members=members, control=words(TREE["end"]), apart=0)
    programs: dict[Any, set[Any]] = {}
    lists = 0
    for m, hooking, marks, settles, before, fresh in product(
        SIZES, HOOKINGS, (False, True), (False, True), (NO_TREE, marked), (0, 2**20, 2**21)
    ):
        if (hooking and (rule.ranked or (hooking == "sorted" and marks))) or (settles and not rule.cuts_off):
            continue
        steps = BatchSteps.of(
            hooking, m, fresh, before=before, members=members, control=words(TREE["end"]) if marks else None,
            flat=flat, settles=settles,
        )  # fmt: skip
        launches = StreamLaunches(device, rule, trees)
        edges = edge_arrays(*(device.empty(m, np.int32) for _ in range(2)))
        inserts = inserts_of(words(STREAM["end"]), m)
        steps.append_to(launches, edges, inserts, vertices=n, members=members, seed=1)
        these = set(launches.list.programs())
        assert programs.setdefault(steps.kind(m, launches.inserts_apart), these) == these, (m, steps)
        lists += 1
    assert 1 < len(programs) < lists
