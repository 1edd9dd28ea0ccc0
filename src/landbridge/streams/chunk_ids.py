"""What the ids of edges in chunks stand for: vertex numbers, the numbers that occur, or ids in a table."""

from __future__ import annotations

import threading
from enum import Enum
from typing import Any

import numpy as np

from landbridge import _core
from landbridge.edges.forms import EdgeList
from landbridge.edges.numbering import Numbering
from landbridge.edges.on_device import is_device_array
from landbridge.edges.options import Options
from landbridge.edges.spelling import option, spelled
from landbridge.errors import InputError
from landbridge.graph import close_ids
from landbridge.result import IdArray, LabelArray
from landbridge.streams.operands import on_host


class IdMode(Enum):
    """What the vertices are, as far as chunks have been read.

    DENSE: the numbers 0..n-1; the trees have these vertices. It becomes OCCURRING with a table of ids, and NUMBERED
    with named vertices in the first chunk.
    OCCURRING: the numbers that occur in an edge; the trees have the vertices 0..n-1 all the same. It becomes NUMBERED
    where ids turn out to be far apart.
    NUMBERED: the ids that occur; a table gives each the number of its vertex in the trees. ids="sparse" begins with it.
    """

    DENSE = 0
    OCCURRING = 1
    NUMBERED = 2


class ChunkIds:
    """The ids of the chunks so far. Methods that take edges may run in several threads until mode is NUMBERED.

    signed: whether negative numbers are ids like others.
    """

    def __init__(self, options: Options, num_vertices: int | None, *, signed: bool) -> None:
        self._num_vertices, self._signed, self._threads = num_vertices, signed, options.threads
        self._lock, self._are_names = threading.Lock(), options.ids == "names"
        self._numbering = Numbering(self._threads) if options.ids == "sparse" else None
        self.mode = IdMode.DENSE if self._numbering is None else IdMode.NUMBERED
        self._table_seen = False  # in a mode other than NUMBERED
        self._declaring: int | None = None  # the first chunk that declares how many vertices there are
        self._types: set[np.dtype[Any]] = set()  # of the ids that occur
        self._type_without_edges: np.dtype[Any] | None = None  # that of the first chunk
        # Whether a vertex has a self-loop: it occurs, whether or not it has other edges. A quarter of what trees take.
        self._looped = np.empty(0, dtype=np.bool_)

    def see_table(self) -> None:
        """A chunk is a table of ids, whose vertices are the ids that occur."""
        if self.mode is not IdMode.NUMBERED:
            self.mode = IdMode.OCCURRING
            self._table_seen = True

    def refuse_mixture(self, pairs: EdgeList, chunk: int) -> None:
        """Raise InputError where some chunks have the vertices 0..n-1 and others are tables of ids."""
        if pairs.num_vertices is not None and pairs.ids is None and self._declaring is None:
            self._declaring = chunk
        if self._table_seen and self._declaring is not None:
            raise InputError(
                "vertices of a table are the ids that occur, and those of chunk "
                f"{self._declaring} are 0..n-1; {spelled(ids='dense')} takes all as vertex numbers"
            )

    def number_names(self, vertices: int, names: int) -> None:
        """Continue with a table of names, which the first chunk with vertices must begin. Without names nothing is
        decided by then. vertices: of the trees. names: of the chunk.
        """
        if not names and (vertices or self.mode is not IdMode.DENSE):
            return
        if vertices or self._types:
            before = (
                "those of the chunks before are numbers"
                if self._num_vertices is None
                else f"{option('num_vertices')} is given"
            )
            raise InputError(f"its vertices have names, and {before}")
        if self._num_vertices is not None:
            raise InputError(
                f"{option('num_vertices')} has no meaning for vertices with names: they are the names that occur"
            )
        self._begin_table()

    def _begin_table(self) -> Numbering:
        self._numbering, self.mode = Numbering(self._threads), IdMode.NUMBERED
        return self._numbering

    def number(self, pairs: EdgeList) -> EdgeList:
        """Edges between the numbers of their ids. mode: NUMBERED."""
        assert self._numbering is not None
        if pairs.ids is None and not self._signed:
            close_ids(pairs, self._threads, signed=False)  # refuses negative ones
        return self._numbering.take(pairs)

    def are_close(self, pairs: EdgeList, edges: int) -> bool:
        """Whether trees of vertex numbers suit edges, after so many others."""
        return close_ids(pairs, self._threads, signed=self._signed, before=edges)

    def record(self, pairs: EdgeList, vertices: int) -> None:
        """Record which ids have self-loops, and the types of ids. mode: OCCURRING, or DENSE that may become so.
        vertices: of the trees, which have one for each id; a caller may have changed it since."""
        if is_device_array(pairs.u):
            loops = on_host(pairs.u[pairs.u == pairs.v]).astype(np.int64)
        else:
            loops = _core.self_loops(pairs.u, pairs.v, self._threads)
        loops = loops[loops.view(np.uint64) < vertices]
        with self._lock:
            if len(pairs.u):
                self._types.add(pairs.u.dtype)
            self._type_without_edges = self._type_without_edges or pairs.u.dtype
            if len(loops):
                largest, before = int(loops.max()), self._looped
                if largest >= len(before):
                    self._looped = np.zeros(max(largest + 1, 2 * len(before)), dtype=np.bool_)
                    self._looped[: len(before)] = before
                self._looped[loops] = True

    def number_occurring(self, labels: LabelArray, count: int) -> EdgeList:
        """Continue with a table of ids instead of vertex numbers, which have these labels.

        Returns their components as stars between the numbers of their ids. O(vertices so far).
        """
        ids, labels, count = self._occurring(labels, count)
        first = np.empty(count, dtype=np.int64)
        first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1)  # of several, that of the smallest vertex is stored
        return self._begin_table().take(EdgeList(ids, ids[first[labels]]))

    def _occurring(self, labels: LabelArray, count: int) -> tuple[IdArray, LabelArray, int]:
        """The ids that occur, their labels, and how many components they have."""
        loops = np.flatnonzero(self._looped)
        ids, selected, components = _core.occurring(labels, count, loops, loops, self._threads)
        dtype: Any = np.int64
        if len(self._types) < 2:
            dtype = next(iter(self._types), self._type_without_edges or dtype)
        return ids.astype(dtype, copy=False), selected, components

    def result(self, count: int, labels: LabelArray) -> tuple[int, LabelArray, Any]:
        """The number of components, labels and ids of the answer, from those of the trees. ids: None for 0..n-1."""
        if self._are_names and self._numbering is None and not len(labels):
            self._numbering = Numbering(self._threads, "names")  # no chunk has begun it
        if self._numbering is not None:
            return (count, *self._numbering.result(count, labels))
        if self.mode is IdMode.DENSE:
            return count, labels, None
        ids, labels, count = self._occurring(labels, count)
        return count, labels, ids
