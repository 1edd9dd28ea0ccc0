"""Launching kernels: grids, and a single launch outside of a launch list."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
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


class ReadyKernel:
    """A loaded kernel with its grid and its by-value structs. Calling it queues it on CuPy's current CUDA stream, any
    number of times.

    CuPy's own call makes a description of NumPy for every argument, which takes the host longer than the launch.
    function: CuPy's. threads: of each block. shared: bytes of dynamic shared memory. cooperative: the kernel waits for
    its own grid.
    """

    __slots__ = ("_function", "_grid", "_launch", "_parameters", "_structs", "_tail")

    def __init__(
        self,
        function: Any,
        blocks: int,
        threads: int,
        structs: Sequence[Struct],
        *,
        shared: int = 0,
        cooperative: bool = False,
    ) -> None:
        driver = cuda.cupy().cuda.driver
        self._function, self._structs = function, structs
        self._grid = (function.ptr, blocks, 1, 1, threads, 1, 1, shared)
        self._parameters = (ctypes.c_void_p * len(structs))(*[struct.address for struct in structs])
        parameters = ctypes.addressof(self._parameters)
        self._launch = driver.launchCooperativeKernel if cooperative else driver.launchKernel
        self._tail = (parameters,) if cooperative else (parameters, 0)

    def __call__(self) -> None:
        module = cuda.cupy().cuda
        if not module.driver.ctxGetCurrent():  # the first call of a thread
            module.runtime.free(0)
        self._launch(*self._grid, module.get_current_stream().ptr, *self._tail)


def ready_kernel(
    device: cuda.Device, kernel: Kernel, blocks: int, *structs: Struct, threads: int = BLOCK
) -> ReadyKernel:
    """A kernel that is loaded, to be launched outside of a launch list."""
    return ReadyKernel(device.kernels(kernel.program)[kernel.name], blocks, threads, structs)


def launch_kernel(device: cuda.Device, kernel: Kernel, blocks: int, *structs: Struct, threads: int = BLOCK) -> None:
    """Launch one kernel on CuPy's current CUDA stream."""
    ready_kernel(device, kernel, blocks, *structs, threads=threads)()


def width_of(array: Any) -> kernels.Width:
    """The bits of an element: 32 or 64."""
    return 64 if array.dtype.itemsize == 8 else 32


def stride_of(array: Any) -> int:
    """The distance of neighboring elements, in elements."""
    return int(array.strides[0]) // int(array.itemsize) if len(array) > 1 else 1
