"""Streams in rounds on one GPU: a batch is one launch of a grid that meets between the steps of its rounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge.device import cuda, launch, names
from landbridge.device.launch import BLOCK, CONTROL_WORDS
from landbridge.engine.stream import DeviceTrees, Look
from landbridge.plan import Plan

_BLOCKS = 4  # lb::gpu::round_blocks
_LEAST_CUT = 2**16
"""Batches of more edges than this and than vertices are cut: all edges of a piece wait for the last to settle."""


def device_trees(plan: Plan, vertices: int, keep_forest: bool) -> DeviceTrees:
    """The trees of a stream on the current GPU."""
    return (RoundTrees if plan.finish.standalone else DeviceTrees)(plan, vertices, keep_forest)


class RoundTrees(DeviceTrees):
    """Trees that rounds unite. Between batches the auxiliary cells hold "none"."""

    def _may_hook(self, m: int) -> bool:
        return False

    def _insert(self, a: Any, b: Any, at: Any, vertices: int, look: Look | None = None) -> None:
        self._rounds(a, b, None, at, vertices)

    def _operations(self, a: Any, b: Any, kinds: Any, bits: Any, what: int, *, vertices: int = 0) -> None:
        if what == 1:
            self._rounds(a, b, kinds, None, vertices)
        else:
            super()._operations(a, b, kinds, bits, what, vertices=vertices)

    def _rounds(self, a: Any, b: Any, kinds: Any, at: Any, vertices: int) -> None:
        """Insert the operations that are no queries; so many vertices are known then, at least."""
        self._room(vertices)
        cupy, m, cell = cuda.cupy(), len(a), np.uint64 if self._wide else np.uint32
        if m == 0:
            self._know(vertices)
            return
        program = names.stream_rounds(self._finish.link, self._finish.words, self._shape(launch.width_of(a)))
        kernel = self._device.kernels(program)["insert_rounds"]
        group = min(m, max(_LEAST_CUT, self._cells))
        own = [cupy.empty(size, dtype=cell) for size in (group, group, min(2 * group, self._cells))]
        turns = self._zeros(CONTROL_WORDS, np.uint64)
        self._know(vertices)
        ends = (a, b, launch.stride_of(a), launch.stride_of(b), kinds)
        cells = (self._parent, self._aux, self._owner, self._owner_u, self._owner_v)
        for begin in range(0, m, group):
            end = min(m, begin + group)
            turns.data.memset_async(0, turns.nbytes)
            place = (at, np.uint64(self._position), self._control, turns, begin, end, self._cells)
            values = tuple(launch.argument(x) for x in (*ends, *cells, *place, *own))
            blocks = min(_BLOCKS * self._device.multiprocessors, -(-(end - begin) // BLOCK))
            kernel((blocks,), (BLOCK,), values, enable_cooperative_groups=True)
