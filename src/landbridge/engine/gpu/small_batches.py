"""Batches of a stream whose cost is that of the call: one launch checks a batch and inserts it.

The kernel writes a report to pinned memory as soon as all ids are checked, so a call neither reads back nor waits for
the links: the host prepares a batch while the device inserts the one before.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, NamedTuple

import numpy as np

from landbridge.device import cuda, layout, stream_kernels
from landbridge.device.kernels import Rule
from landbridge.device.launch import BLOCK, ReadyKernel, width_of
from landbridge.device.layout import Struct
from landbridge.device.pinned import PinnedAnswer
from landbridge.engine.gpu.cut_edges import LANE_EDGES, NO_TREE
from landbridge.engine.gpu.stream_launches import BATCH, EDGES, TreeArrays, edge_fields, inserts_of

MOST = 2**20
"""Edges of such a batch. Of larger ones the device takes longer than the call, and several launches do more for them.
"""
READ_ONCE = 2**16
"""Edges that are read once, if their blocks fit the device at once."""
_BATCH = layout.struct_type("SmallBatch")
_WORDS = layout.control("small_batch")
_BOUND, _FIRST_FAULT, _WAITING, _NUMBER = (_WORDS[word] for word in ("bound", "first_fault", "waiting", "number"))
_EDGES = BLOCK * LANE_EDGES


class _Loaded(NamedTuple):
    """A kernel for one type of ids: the function, the blocks that fit the device at once, the options of a batch."""

    function: Callable[..., None]
    most_blocks: int
    batch: Struct


class SmallBatches:
    """Inserts such batches into the trees of a stream. Not for use by two threads at once.

    control: of the stream. device: the current one.
    """

    def __init__(self, device: cuda.Device, rule: Rule, control: Any) -> None:
        self._device, self._rule, self._control = device, rule, control
        self._answer = PinnedAnswer(_WORDS["end"], _NUMBER)
        self._report = cuda.cupy().zeros(BATCH["end"], dtype=np.uint64)
        self._trees: TreeArrays | None = None
        self._edges = EDGES(u=None, v=None, u_stride=1, v_stride=1, edges=0)
        self._ready: tuple[ReadyKernel, tuple[Any, ...]] | None = None  # a launch, and what it was made of
        self._of_types: dict[Any, _Loaded] = {}

    def insert(self, trees: TreeArrays, u: Any, v: Any, first: int, largest: Struct = NO_TREE) -> tuple[int, bool, int]:
        """Insert edges unless an id is at fault or has no cell: the vertices they name at least, whether they are
        inserted, and how many edges of earlier batches still wait, at most. first: the position of the first edge.
        largest: the members of the largest tree, where they are marked."""
        if trees is not self._trees:
            self._inserts = inserts_of(self._control, 0, first)
            self._trees = trees
        m = len(u)
        blocks = -(-m // _EDGES)
        once = m <= READ_ONCE and blocks <= self._load(trees, u, once=True).most_blocks
        inserts = self._inserts
        if not once or trees.link_edges.fields["position"] is not None:
            inserts = self._inserts = inserts.replaced(end=m, first=first)
        loaded = self._load(trees, u, once=once)
        self._answer.expect()
        self._edges.assign(**edge_fields(u, v))
        made_of = (loaded, trees, inserts, largest, min(blocks, loaded.most_blocks))
        ready = self._ready
        if ready is None or not all(map(is_, made_of, ready[1])):
            ready = self._ready = self._launch_of(*made_of, once=once), made_of
        ready[0]()
        words = self._answer.wait()
        vertices = words[_BOUND]
        return vertices, words[_FIRST_FAULT] == 0 and vertices <= trees.vertices, words[_WAITING]

    def _launch_of(
        self, loaded: _Loaded, trees: TreeArrays, inserts: Struct, largest: Struct, blocks: int, *, once: bool
    ) -> ReadyKernel:
        members = () if once else (largest,)
        structs = (self._edges, trees.cells, trees.link_edges, inserts, *members, trees.cut, loaded.batch)
        return ReadyKernel(loaded.function, blocks, BLOCK, structs, cooperative=True)

    def _load(self, trees: TreeArrays, ids: Any, *, once: bool) -> _Loaded:
        """once: the kernel that reads each edge once, four for each thread."""
        loaded = self._of_types.get((ids.dtype, trees.wide, once))
        if loaded is not None:
            return loaded
        name = "insert_small" if once else "check_and_insert"
        kernel = stream_kernels.in_one_launch(name, self._rule, trees.shape(width_of(ids)))
        limit = 1 << (8 * ids.itemsize - 1) if ids.dtype.kind == "i" else 2**64 - 1
        batch = _BATCH(limit=limit, number=1, report=self._report, answer=self._answer)
        function = self._device.kernels(kernel.program)[kernel.name]
        most = self._device.resident_blocks(function, BLOCK)
        loaded = self._of_types[ids.dtype, trees.wide, once] = _Loaded(function, most, batch)
        return loaded
