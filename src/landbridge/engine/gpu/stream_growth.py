"""The memory of a stream's trees on one GPU: cells for more vertices, and places for more edges that wait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from landbridge.device import cuda
from landbridge.device.host_to_device import no_memory_for
from landbridge.device.kernels import Rule
from landbridge.engine.gpu.cut_edges import cut_struct, places_for, waiting_edges
from landbridge.engine.gpu.execute import Executable
from landbridge.engine.gpu.stream_launches import StreamLaunches, TreeArrays, copy_cells


@dataclass(frozen=True, slots=True)
class TreeMemory:
    """Allocates the trees of a stream on the current device.

    control: of the cells, of the family `components`. small: whether batches may be small, and edges wait for several.
    """

    device: cuda.Device
    rule: Rule
    keeps_forest: bool
    control: Any
    small: bool

    def grown(self, old: TreeArrays, vertices: int, *, wide: bool) -> TreeArrays:
        """Trees of so many vertices: the old ones, in which no edge waits, and singletons."""
        dtypes = TreeArrays.dtypes(self.rule, self.keeps_forest, wide)
        # CuPy multiplies in 64 bits without a check: the request must be possible.
        if vertices * sum(np.dtype(dtype).itemsize for dtype in dtypes.values()) > self.device.memory:
            raise no_memory_for(vertices - 1)
        arrays = {name: cuda.cupy().empty(vertices, dtype=dtype) for name, dtype in dtypes.items()}
        trees = TreeArrays.of(vertices, wide, arrays, self.control)
        places = old.cut.fields["capacity"]
        if wide == old.wide and places >= places_for(vertices, small=self.small):
            trees = replace(trees, cut=old.cut)
        else:
            trees = replace(trees, cut=cut_struct(self._waiting(vertices, wide, places)))
        launches = StreamLaunches(self.device, self.rule, trees)
        launches.begin_cells(old.vertices)
        begin = Executable(launches.list, self.device)  # loads the kernel, which takes memory
        for name, array in arrays.items() if old.vertices else ():
            copy_cells(old.arrays[name][: old.vertices], array[: old.vertices])
        begin()
        return trees

    def with_places(self, trees: TreeArrays, batch: int) -> TreeArrays:
        """The same trees, in which no edge waits, with a place for each edge of a batch, unless it is a large one."""
        n = trees.vertices
        if not self.rule.cuts_off or trees.cut.fields["capacity"] >= places_for(n, small=self.small, batch=batch):
            return trees
        return replace(trees, cut=cut_struct(self._waiting(n, trees.wide, batch)))

    def _waiting(self, vertices: int, wide: bool, batch: int) -> dict[str, Any]:
        cell = np.uint64 if wide else np.uint32
        positions, small = self.keeps_forest, self.small
        return waiting_edges(self.device, self.rule, vertices, cell, positions=positions, small=small, batch=batch)
