"""What the launches of streams send is what their kernels take. No GPU is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from kernel_parameters import differences, parameters_of
from nvrtc_library import library

from landbridge.device import jit, layout, stream_kernels
from landbridge.device.kernels import Rule
from landbridge.device.memory_counter import MemoryCounter
from landbridge.engine.gpu.cut_edges import LARGEST_TREE, cut_struct, waiting_edges
from landbridge.engine.gpu.launch_list import Launch
from landbridge.engine.gpu.schedule import rule_of
from landbridge.engine.gpu.stream_launches import (
    BATCH,
    CHECK,
    COMPONENTS,
    OPERATIONS,
    ROUND_WORDS,
    ROUNDS,
    STREAM,
    TREE,
    StreamLaunches,
    TreeArrays,
    edge_arrays,
    inserts_of,
    number_tiles,
)
from landbridge.plan import Finish, parse

N, M = 1000, 5000
SMALL, SMALL_WORDS = layout.struct_type("SmallBatch"), layout.control("small_batch")
# A plain rule, one with auxiliary cells and one on ranked words; and an algorithm in rounds, which has auxiliary cells.
RULES = ("rem_cas(naive,halve_one)", "hooks(compress)", "jtb(two_try)")
ROUND = "lt(direct,root,once,alter)"


def launches(rule: Rule, rounds: Finish | None, cell: int, edge: int) -> Iterator[Launch]:
    """Every launch of a stream under a rule, with a forest and without."""
    device = MemoryCounter()

    def words(count: int) -> Any:
        return device.empty(count, np.uint64)

    for keep_forest in (False, True):
        dtypes = TreeArrays.dtypes(rule, keep_forest, cell == 64)
        arrays = {name: device.empty(N, dtype) for name, dtype in dtypes.items()}
        waiting = waiting_edges(device, rule, N, f"uint{cell}", positions=keep_forest)
        trees = replace(TreeArrays.of(N, cell == 64, arrays, words(COMPONENTS["end"])), cut=cut_struct(waiting))
        steps = StreamLaunches(device, rule, trees)
        edges = edge_arrays(*(device.empty(M, f"uint{edge}") for _ in range(2)))
        kinds, bits, members = (
            device.empty(M, np.uint8),
            device.empty(M // 32 + 1, np.uint32),
            device.empty(N, np.uint32),
        )
        inserts = inserts_of(words(STREAM["end"]), M, 7, words(M) if keep_forest else None)
        largest = LARGEST_TREE(members=members, control=words(TREE["end"]), apart=0)
        roots, smallest = (device.empty(N, trees.cell) for _ in range(2))
        steps.begin_cells(0)
        steps.check(edges, CHECK(is_query=kinds, limit=2**63, every=1, near=-1, report=words(BATCH["end"])))
        if not rule.ranked:
            steps.hook(edges, inserts, members)
            steps.hook(edges, inserts, None)
        steps.insert(edges, inserts, largest, settles=rule.cuts_off)
        steps.insert(edges, inserts.replaced(end=2**24), largest)
        run = OPERATIONS(
            is_query=kinds, first=3, inserts=1, queries=1, steps=9, query_run=1, again=0, answers=bits,
            control=inserts.fields["control"],
        )  # fmt: skip
        steps.operations(edges, run)
        steps.spread(bits, device.empty(M, np.uint8))
        steps.flatten(roots, N, words(STREAM["end"]))
        steps.mark_tree(roots, largest, 1)
        steps.take_smallest(roots, smallest, N)
        steps.number(roots, N, words(number_tiles(N)), words(COMPONENTS["end"]))
        if rounds is not None:
            own = {name: device.empty(M, trees.cell) for name in ("own_u", "own_v", "roots")}
            steps.insert_rounds(
                rounds, edges, inserts, ROUNDS(is_query=kinds, control=words(ROUND_WORDS["end"]), **own)
            )
        yield from steps.list
        if rule.cuts_off:
            batch = SMALL(limit=2**31, number=1, report=words(BATCH["end"]), answer=words(SMALL_WORDS["end"]))
            for name, tree in (("insert_small", ()), ("check_and_insert", (largest,))):
                kernel = stream_kernels.in_one_launch(name, rule, trees.shape(edge))
                arguments = (edges, trees.cells, trees.link_edges, inserts, *tree, trees.cut, batch)
                yield Launch("insert", kernel, 1, 256, arguments)


@pytest.mark.parametrize(("cell", "edge"), list(product((32, 64), repeat=2)))
@pytest.mark.parametrize("text", RULES)
def test_launches_send_what_kernels_take(text: str, cell: int, edge: int) -> None:
    finish = parse(text).finish
    rounds = parse(ROUND).finish if finish.link == "hooks" else None
    compiled: dict[str, Any] = {}
    sent = set()
    for launch in launches(rule_of(finish, "stale"), rounds, cell, edge):
        program, name = launch.kernel
        (expression,) = (e for e in program.expressions if jit.template_name(e) == name)
        if expression not in compiled:
            options = jit.options_for("compute_90")
            image, _ = library(13).compile(program.source, program.expressions, options)
            compiled |= parameters_of(image)
        assert differences(launch.arguments, compiled[expression]) == [], expression
        sent.add(name)
    expected = {"begin_cells", "check_batch", "insert_edges", "run_operations", "spread_bits", "number", "label"}
    expected |= {"choose_skip", "mark_tree", "fill_none", "offer_smallest", "take_smallest"}
    expected |= {"flatten_ranked"} if text.startswith("jtb") else {"hook_edges", "mark_linked", "flatten"}
    expected |= (
        {"settle_edges", "insert_outside", "insert_small", "check_and_insert"} if text.startswith("rem_cas") else set()
    )
    assert sent == expected | ({"insert_rounds"} if rounds is not None else set())
