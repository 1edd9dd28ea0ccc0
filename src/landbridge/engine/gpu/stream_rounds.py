"""Streams in rounds on one GPU: a batch is one launch of a grid with a barrier between the steps of its rounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from landbridge.device import cuda
from landbridge.device.layout import Struct
from landbridge.engine.gpu.stream_launches import ROUND_WORDS, ROUNDS, edge_arrays, inserts_of
from landbridge.engine.gpu.stream_schedule import LEAST_CUT, BatchFacts
from landbridge.engine.gpu.stream_trees import DeviceTrees


class RoundTrees(DeviceTrees):
    """Trees that algorithms in rounds unite. Between batches the auxiliary cells hold "none"."""

    _inserts_edges = _checks_meanwhile = False

    def _counts_near(self, edges: int) -> bool:
        return False

    def _insert(
        self, a: Any, b: Any, at: Any, vertices: int, facts: BatchFacts | None = None, *, edges: Struct | None = None
    ) -> None:
        self._insert_rounds(a, b, None, at, vertices)

    def _run_operations(
        self, a: Any, b: Any, kinds: Any, bits: Any, *, inserts: bool, queries: bool, vertices: int = 0
    ) -> None:
        if inserts:
            self._insert_rounds(a, b, kinds, None, vertices)
        if queries:
            super()._run_operations(a, b, kinds, bits, inserts=False, queries=True, vertices=vertices)

    def _insert_rounds(self, a: Any, b: Any, kinds: Any, at: Any, vertices: int) -> None:
        """Insert the operations that are no queries; so many vertices have turned up then, at least."""
        self._make_room(vertices)
        m, trees = len(a), self._trees
        if m == 0:
            self._count_vertices(vertices)
            return
        group = min(m, max(LEAST_CUT, trees.vertices))
        own_u, own_v, roots = (
            cuda.cupy().empty(size, dtype=trees.cell) for size in (group, group, min(2 * group, trees.vertices))
        )
        begins = range(0, m, group)
        words = ROUND_WORDS["end"]
        controls = self._zeros(words * len(begins), np.uint64)
        edges = edge_arrays(a, b)
        launches = self._launches()
        for number, begin in enumerate(begins):
            end, control = min(m, begin + group), controls[number * words : (number + 1) * words]
            inserts = inserts_of(self._control, end, self._position, at).replaced(begin=begin)
            rounds = ROUNDS(is_query=kinds, own_u=own_u, own_v=own_v, roots=roots, control=control)
            launches.insert_rounds(self._finish, edges, inserts, rounds)
        run = self._loaded(launches)
        self._count_vertices(vertices)
        run()
