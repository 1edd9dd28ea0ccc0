"""The memory of a stream's trees on one GPU: cells for more vertices, and places for more edges that wait."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from landbridge.device import cuda
from landbridge.device.host_to_device import no_memory_for
from landbridge.device.kernels import Rule
from landbridge.device.layout import Struct
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
        needed = max(places, places_for(vertices, small=self.small))
        if wide == old.wide and places == needed:
            trees = replace(trees, cut=old.cut)
        else:
            trees = replace(trees, cut=self._cut(needed, wide=wide))
        launches = StreamLaunches(self.device, self.rule, trees)
        launches.begin_cells(old.vertices)
        begin = Executable(launches.list, self.device)  # loads the kernel, which takes memory
        for name, array in arrays.items() if old.vertices else ():
            copy_cells(old.arrays[name][: old.vertices], array[: old.vertices])
        begin()
        return trees

    def with_places(self, trees: TreeArrays, batch: int) -> TreeArrays:
        """The same trees, in which no edge waits, with a place for each edge of two batches, unless they are large."""
        needed = places_for(trees.vertices, small=self.small, batch=batch)
        if not self.rule.cuts_off or trees.cut.fields["capacity"] >= needed:
            return trees
        return replace(trees, cut=self._cut(needed, wide=trees.wide))

    def _cut(self, places: int, *, wide: bool) -> Struct:
        cell = np.uint64 if wide else np.uint32
        return cut_struct(waiting_edges(self.device, self.rule, places, cell, positions=self.keeps_forest))
