"""Vertices for ids that come chunk by chunk: numbers with gaps, or names. What has been seen once keeps its number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.forms import EdgeList
from landbridge.edges.names import NameArray, encoded
from landbridge.edges.on_device import is_device_array
from landbridge.errors import InputError


class Numbering:
    """Numbers for the ids of edges, 0, 1, 2, ...: one for each different id, also over many chunks.

    Ids are whole numbers of 64 bits or names, not both. A table holds them: 16 to 24 bytes for a whole number; for a
    name its bytes and about 60. One thread at a time may call.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._ids: Any = None  # _core.Ids
        self._names: Any = None  # _core.Names
        self._negative = self._large = False  # an id below 0, one from 2^63 on
        self._types: set[np.dtype[Any]] = set()

    def __len__(self) -> int:
        return len(self._names if self._names is not None else self._ids or ())

    def take(self, edges: EdgeList) -> EdgeList:
        """The same edges between numbers, int32. Every id of a chunk that names its vertices gets one.

        Raises InputError for ids of another kind than those before, and for 2^31 different ones.
        """
        if is_device_array(edges.u):
            raise InputError("these edges are on a GPU; ids with gaps, and names, are numbered in host memory")
        try:
            if edges.ids is None:
                u, v = self._numbers(np.asarray(edges.u)), self._numbers(np.asarray(edges.v))
            else:
                known = self._names_or_numbers(edges.ids)
                u, v = known[edges.u], known[edges.v]
        except CoreInputError as error:
            raise InputError(str(error)) from None
        return EdgeList(u, v, num_vertices=len(self))

    def result(self, count: int, labels: NDArray[Any]) -> tuple[NDArray[Any], Any]:
        """Labels of the numbers as labels of the ids in their order, and the ids, as a run on the whole gives them.

        That is ascending for whole numbers, and for names the order in which they turned up. count: of labels.
        """
        if self._names is not None:
            return labels, NameArray(*self._names.texts())
        if self._ids is None:
            return labels, np.empty(0, dtype=np.int64)
        ids, ordered = self._ids.in_order(labels.astype(np.int32, copy=False), count, self._negative)
        return ordered.astype(labels.dtype, copy=False), ids.view(np.uint64 if self._large else np.int64).astype(
            self._type(), copy=False
        )

    def _type(self) -> np.dtype[Any]:
        if self._large:
            return np.dtype(np.uint64)
        return next(iter(self._types)) if len(self._types) == 1 else np.dtype(np.int64)

    def _numbers(self, ids: NDArray[Any]) -> NDArray[Any]:
        if self._names is not None:
            raise InputError("its vertices are numbers, and those of the chunks before are names")
        if self._ids is None:
            self._ids = _core.Ids(self._threads)
        if len(ids) == 0:
            return np.empty(0, dtype=np.int32)
        if ids.dtype.kind == "i":
            self._negative |= int(ids.min()) < 0
        elif ids.dtype.itemsize == 8:
            self._large |= int(ids.max()) >= 2**63
        if self._negative and self._large:
            raise InputError("some ids are negative and some from 2^63 on: no type of integers holds both")
        self._types.add(ids.dtype)
        numbers: NDArray[Any] = self._ids.number(ids)
        return numbers

    def _names_or_numbers(self, ids: Any) -> NDArray[Any]:
        if ids.dtype.kind in "iu":
            return self._numbers(np.asarray(ids))
        if self._ids is not None:
            raise InputError("its vertices are names, and those of the chunks before are numbers")
        if self._names is None:
            self._names = _core.Names(self._threads)
        offsets, data = ids.buffers if isinstance(ids, NameArray) else encoded(ids, "the name of a vertex")
        numbers: NDArray[Any] = self._names.number_each(offsets, data)
        return numbers
