"""Kernel expressions of streams of edges. `shape.edge` is the width of the ids of a batch."""

from __future__ import annotations

from functools import cache

from landbridge.device.jit import Kernel, Program
from landbridge.device.kernels import TYPES, Rule, Shape, expression, rounds_type


@cache
def batches(name: str, rule: Rule, shape: Shape) -> Kernel:
    """Batches under a rule: begin_cells, insert_edges, run_operations, check_batch, spread_bits; and settle_edges where
    its walks can be cut off."""
    return Kernel(_batches_program(rule, shape), name)


@cache
def _batches_program(rule: Rule, shape: Shape) -> Program:
    expressions = (
        expression("begin_cells", rule.type, shape.cells),
        expression("insert_edges", rule.type, shape.edge_list),
        expression("run_operations", rule.type, rule.find_type, rule.read_type, shape.edge_list),
        expression("check_batch", TYPES[shape.edge]),
        expression("spread_bits", "unsigned char"),
    )
    settle = [expression("settle_edges", rule.type, shape.edge_list)] if rule.cuts_off else []
    return Program("incremental.cuh", (*expressions, *settle))


@cache
def in_one_launch(name: str, rule: Rule, shape: Shape) -> Kernel:
    """Batches under a rule that one launch checks and inserts: insert_small, check_and_insert."""
    expressions = tuple(expression(each, rule.type, shape.edge_list) for each in ("insert_small", "check_and_insert"))
    return Kernel(Program("incremental.cuh", expressions), name)


@cache
def insert_outside(rule: Rule, shape: Shape) -> Kernel:
    """The edges of a large batch that do not join members of the largest tree."""
    expressions = (expression("insert_outside", rule.type, shape.edge_list),)
    return Kernel(Program("incremental.cuh", expressions), "insert_outside")


@cache
def beside_inserts(name: str, shape: Shape) -> Kernel:
    """Kernels of batches and vertices that no rule is part of: hook_edges, mark_linked."""
    expressions = (
        expression("hook_edges", shape.edge_list),
        expression("mark_linked", shape.cells),
    )
    return Kernel(Program("incremental.cuh", expressions), name)


@cache
def mark_tree(shape: Shape) -> Kernel:
    """The members of the largest tree."""
    return Kernel(Program("edge_list.cuh", (expression("mark_tree", shape.cells),)), "mark_tree")


@cache
def insert_rounds(algorithm: str, words: tuple[str, ...], shape: Shape) -> Kernel:
    """Batches by an algorithm in rounds."""
    rounds = expression("insert_rounds", rounds_type(algorithm, words), shape.edge_list)
    return Kernel(Program("stream_rounds.cuh", (rounds,)), "insert_rounds")


@cache
def merging(name: str, rule: Rule, shape: Shape) -> Kernel:
    """Trees that a device merges into its own: merge_parents, merge_members, list_exceptions."""
    expressions = (
        expression("merge_parents", rule.type, shape.cells),
        expression("merge_members", rule.type, shape.cells),
        expression("list_exceptions", shape.cells),
    )
    return Kernel(Program("merge.cuh", expressions), name)
