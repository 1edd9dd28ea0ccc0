"""Kernel expressions of streams."""

from __future__ import annotations

from landbridge.device.jit import Program
from landbridge.device.kernels import TYPES as _TYPES
from landbridge.device.kernels import Rule, Shape, Width, rounds_type
from landbridge.device.kernels import expression as _kernel

__all__ = ["Rule", "Shape", "Width", "marks", "stream", "stream_rounds"]


def stream_rounds(name: str, words: tuple[str, ...], shape: Shape) -> Program:
    """Batches of a stream in rounds."""
    kernel = _kernel("insert_rounds", rounds_type(name, words), shape.cells, _TYPES[shape.edge])
    return Program("stream_rounds.cuh", (kernel,))


def stream(rule: Rule, shape: Shape) -> Program:
    """Batches of a stream under a rule; `shape.edge` is the width of the ids of a batch."""
    cell, edge = _TYPES[shape.cell], _TYPES[shape.edge]
    operations = _kernel("run_operations", rule.type, rule.find_type, rule.read_type, cell, edge)
    begin = _kernel("begin_cells", rule.type, cell)
    common = (_kernel("largest_inserted", edge), _kernel("spread_bits", "unsigned char"))
    return Program("incremental.cuh", (begin, _kernel("insert_edges", rule.type, cell, edge), operations, *common))


def marks(shape: Shape) -> Program:
    """What streams do to batches and vertices beside inserting, whatever the rule."""
    cell, edge = _TYPES[shape.cell], _TYPES[shape.edge]
    return Program(
        "incremental.cuh", (_kernel("hook_edges", cell, edge), _kernel("mark_linked", cell), _kernel("mark_tree", cell))
    )
