"""Small batches of a stream, whose cost is that of the call: one launch checks a batch and inserts it.

The kernel writes a report to pinned memory as soon as all ids are checked, so a call neither reads back nor waits for
the links.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from landbridge.device import cuda, layout, stream_kernels
from landbridge.device.kernels import Rule
from landbridge.device.launch import BLOCK, width_of
from landbridge.device.layout import Struct
from landbridge.device.pinned import PinnedWords
from landbridge.engine.gpu.cut_edges import LANE_EDGES
from landbridge.engine.gpu.stream_launches import BATCH, INSERTS, TreeArrays

MOST = 2**16
"""Edges of a small batch: of fewer blocks than any GPU has multiprocessors."""
_BATCH = layout.struct_type("SmallBatch")
_WORDS = layout.control("small_batch")
_BOUND, _FIRST_FAULT, _WAITING, _NUMBER = (_WORDS[word] for word in ("bound", "first_fault", "waiting", "number"))
_PATIENCE = 20_000
"""Looks at the answer after which the host waits for the CUDA stream instead."""
_EDGES = BLOCK * LANE_EDGES

Launch = Callable[..., None]


class SmallBatches:
    """Inserts small batches into the trees of a stream. Not for use by two threads at once.

    control: of the stream. device: the current one.
    """

    def __init__(self, device: cuda.Device, rule: Rule, control: Any) -> None:
        self._device, self._rule, self._control = device, rule, control
        self._answer = PinnedWords(_WORDS["end"])
        self._words = memoryview(self._answer.words.data)
        self._report = cuda.cupy().zeros(BATCH["end"], dtype=np.uint64)
        self._trees: TreeArrays | None = None
        self._of_types: dict[Any, tuple[Launch, Struct]] = {}

    def insert(self, trees: TreeArrays, edges: Struct, ids: Any, first: int) -> tuple[int, bool, int]:
        """Insert edges unless an id is at fault or has no cell: the vertices they name at least, whether they are
        inserted, and how many edges of earlier batches still wait, at most. ids: one endpoint. first: the position of
        the first edge."""
        if trees is not self._trees:
            self._trees = trees
            self._inserts = INSERTS(begin=0, end=0, first=first, at=None, control=self._control)
        elif trees.link_edges.fields["position"] is not None:
            self._inserts = self._inserts.replaced(first=first)
        loaded = self._of_types.get((ids.dtype, trees.wide))
        launch, batch = loaded or self._load(trees, ids)
        words = self._words
        words[_NUMBER] = 0
        arguments = (
            edges.packed, trees.cells.packed, trees.link_edges.packed, self._inserts.packed, trees.cut.packed,
            batch.packed,
        )  # fmt: skip
        launch((-(-len(ids) // _EDGES),), (BLOCK,), arguments, 0, enable_cooperative_groups=True)
        for _ in range(_PATIENCE):
            if words[_NUMBER]:
                break
        else:
            cuda.cupy().cuda.get_current_stream().synchronize()
        vertices = words[_BOUND]
        return vertices, words[_FIRST_FAULT] == 0 and vertices <= trees.vertices, words[_WAITING]

    def _load(self, trees: TreeArrays, ids: Any) -> tuple[Launch, Struct]:
        kernel = stream_kernels.insert_small(self._rule, trees.shape(width_of(ids)))
        limit = 1 << (8 * ids.itemsize - 1) if ids.dtype.kind == "i" else 2**64 - 1
        batch = _BATCH(limit=limit, number=1, report=self._report, answer=self._answer)
        loaded = self._device.kernels(kernel.program)[kernel.name], batch
        self._of_types[ids.dtype, trees.wide] = loaded
        return loaded
