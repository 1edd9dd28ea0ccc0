"""Launching kernels: grids, and a single launch outside of a launch list."""

from __future__ import annotations

from typing import Any, Protocol

from landbridge.device import cuda, kernels, layout
from landbridge.device.jit import Kernel
from landbridge.device.layout import Struct

BLOCK = layout.constant("block_threads")
"""Threads of a block, where a kernel says nothing else."""


class Processors(Protocol):
    """A device, as far as grids depend on it."""

    @property
    def multiprocessors(self) -> int: ...


def grid_for(device: Processors, items: int, per_block: int = BLOCK, waves: int = 8) -> int:
    """Blocks for `items`: one for every `per_block`, but no more than `waves` on each multiprocessor."""
    return max(1, min(-(-items // per_block), device.multiprocessors * waves))


def launch_kernel(device: cuda.Device, kernel: Kernel, blocks: int, *structs: Struct, threads: int = BLOCK) -> None:
    """Launch one kernel on CuPy's current CUDA stream."""
    function = device.kernels(kernel.program)[kernel.name]
    function((blocks,), (threads,), tuple([struct.packed for struct in structs]))


def width_of(array: Any) -> kernels.Width:
    """The bits of an element: 32 or 64."""
    return 64 if array.dtype.itemsize == 8 else 32


def stride_of(array: Any) -> int:
    """The distance of neighboring elements, in elements."""
    return int(array.strides[0]) // int(array.itemsize) if len(array) > 1 else 1
