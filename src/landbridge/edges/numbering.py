"""Numbers for ids that arrive batch by batch: integers with gaps, or names. An id keeps its number."""

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
from landbridge.passes import is_whole

_BOTH_SIGNS = "some ids are negative and some from 2^63 on: no type of integers holds both"


class Numbering:
    """Numbers for the ids of edges, 0, 1, 2, ...: one per different id, also over many batches.

    Numbers go by first appearance, whatever the number of threads: of the endpoints u[0], v[0], u[1], v[1], ..., or of
    the ids of edges with named vertices. A hash table holds the ids: 16 to 24 bytes per integer, 8 more if `kind` is
    set (`fresh` costs a pass over the table otherwise); per name its bytes and about 60. Calls are exclusive: one
    thread at a time. A call that raises leaves the numbering unchanged.

    Parameters
    ----------
    threads : int
        The numbers do not depend on it.
    kind : str, optional
        "sparse" for integers of 64 bits, "names" for text; by default that of the first ids. They are not mixed.
    """

    def __init__(self, threads: int, kind: str | None = None) -> None:
        self._threads = threads
        self._listed = kind is not None
        self._ids: Any = _core.Ids(threads, True) if kind == "sparse" else None
        self._names: Any = _core.Names(threads) if kind == "names" else None
        self._negative = self._large = False  # an id below 0, one from 2^63 on
        self._types: frozenset[np.dtype[Any]] = frozenset()
        self._without_ids: Any = None
        """What `in_order` gives before the first ids: none, of the kind and type of the first empty batch."""

    @property
    def kind(self) -> str | None:
        """ "sparse" or "names"; None before the first ids."""
        return "names" if self._names is not None else "sparse" if self._ids is not None else None

    def __len__(self) -> int:
        return len(self._names if self._names is not None else self._ids or ())

    def take(self, edges: EdgeList) -> EdgeList:
        """The same edges between numbers, int32. Each id of edges with named vertices gets one.

        Raises
        ------
        InputError
            For ids of another kind than those before, and for 2^31 different ones.
        """
        if is_device_array(edges.u):
            raise InputError("these edges are on a GPU; ids with gaps, and names, are numbered in host memory")
        with _Atomic(self):
            if edges.ids is None:
                u, v = self._numbers_of_pairs(np.asarray(edges.u), np.asarray(edges.v))
            else:
                numbers = self._number(edges.ids)
                u, v = numbers[edges.u], numbers[edges.v]
        return EdgeList(u, v, num_vertices=len(self))

    def number(self, ids: Any) -> NDArray[np.int32]:
        """The numbers of ids; new ids get the next ones in their order."""
        with _Atomic(self):
            return self._number(ids)

    def number_pairs(self, u: Any, v: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """The numbers of both endpoints of edges; new ids get the next ones in the order u[0], v[0], u[1], v[1], ...

        u, v: arrays of integers, or text as offsets and bytes.
        """
        with _Atomic(self):
            if not isinstance(u, tuple):
                return self._numbers_of_pairs(u, v)
            if self._names is None:
                raise InputError("the ids here are numbers, not names")
            numbers: tuple[NDArray[Any], NDArray[Any]] = self._names.number(*u, *v)
            return numbers

    def refuse(self, *columns: Any) -> None:
        """Raise the InputError of a call with some integers, without numbering them; text is always taken."""
        negative, large = self._negative, self._large
        for ids in columns:
            if not isinstance(ids, tuple) and len(ids):
                negative, large = _signs(ids, negative, large)
        if negative and large:
            raise InputError(_BOTH_SIGNS)

    def add(self, ids: Any) -> None:
        """Append new ids, no two of them equal: they get the numbers len(self), ... in order.

        Raises InputError for repeats.
        """
        first = len(self)
        with _Atomic(self):
            numbers = self._number(ids)
            if len(self) - first != len(numbers):
                at = int(np.argmax(numbers != np.arange(first, first + len(numbers))))
                raise InputError(f"id {at} of {len(numbers)} is there already, as number {int(numbers[at])}")

    def find(self, ids: Any) -> Any:
        """The number of an id, -1 if it has none: an int for one id, an array of int32 for several."""
        if isinstance(ids, str):
            return int(self._find(encoded([ids], "the id"))[0])
        if is_whole(ids):
            if not -(2**63) <= ids < 2**64:
                return -1
            return int(self.find(np.array([ids], dtype=np.int64 if ids < 2**63 else np.uint64))[0])
        if isinstance(ids, NameArray):
            return self._find(ids.buffers)
        array = np.asarray(ids)
        if array.dtype.kind not in "iu":
            return self._find(encoded(array, "the id")) if len(array) else np.empty(0, dtype=np.int32)
        if self._names is not None:
            raise InputError("the ids here are names, not numbers")
        array = _widened(array)
        if self._ids is None:
            return np.full(len(array), -1, dtype=np.int32)
        numbers: NDArray[np.int32] = self._ids.find(array)
        if array.dtype == np.uint64 and not self._large:
            numbers[array >= 2**63] = -1
        elif array.dtype.kind == "i" and not self._negative:
            numbers[array < 0] = -1
        return numbers

    def fresh(self, since: int) -> Any:
        """The ids with the numbers from `since` on, in that order: int64 or uint64, or a NameArray."""
        if not 0 <= since <= len(self):
            raise InputError(f"there are {len(self)} ids, not {since}")
        if self._names is not None:
            return NameArray(*self._names.texts(since))
        if self._ids is None:
            return np.empty(0, dtype=np.int64)
        return self._ids.fresh(since).view(np.uint64 if self._large else np.int64)

    def forget(self, size: int) -> None:
        """Drop all ids whose numbers are not below `size`. O(len(self)); allocates no memory."""
        for table in (self._ids, self._names):
            if table is not None:
                table.forget(size)

    def in_order(self) -> tuple[NDArray[np.int32], Any]:
        """The ids ascending (numbers by value, text by bytes), and the number of each: (numbers, ids).

        Integers keep their type; those of several types are int64, or uint64 if some need it.
        """
        if self._names is not None:
            order, *texts = self._names.in_order()
            return order, NameArray(*texts)
        if self._ids is None:
            none = np.empty(0, dtype=np.int64) if self._without_ids is None else self._without_ids
            return np.empty(0, dtype=np.int32), none
        order, ids = self._ids.in_order(self._negative)
        return order, ids.view(np.uint64 if self._large else np.int64).astype(self._type(), copy=False)

    def result(self, count: int, labels: NDArray[Any]) -> tuple[NDArray[Any], Any]:
        """Labels of the numbers as labels of the ids in ascending order, renumbered as a run on all edges numbers them.

        Parameters
        ----------
        count : int
            The number of different labels.
        labels : array
            The label of each number.

        Returns
        -------
        (array, ids)
            The labels, and the ids in ascending order.
        """
        order, ids = self.in_order()
        relabelled: NDArray[Any] = _core.relabel_in_order(order, labels, count, self._threads)
        return relabelled, ids

    def _type(self) -> np.dtype[Any]:
        if self._large:
            return np.dtype(np.uint64)
        return next(iter(self._types)) if len(self._types) == 1 else np.dtype(np.int64)

    def _numbers_of_pairs(self, u: NDArray[Any], v: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        if len(u) == 0:  # of any kind, whatever there was before
            self._see_none(u[:0])
            return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
        for ids in (u, v):
            self._record(ids)
        if u.dtype == v.dtype:
            numbers: tuple[NDArray[Any], NDArray[Any]] = self._ids.number(u, v)
            return numbers
        if np.result_type(u, v).kind == "f":  # int64 beside uint64: as bits, as the checks above allow
            return self._ids.number(u.astype(np.int64, copy=False), v.astype(np.int64, copy=False))  # type: ignore[no-any-return]
        wide = np.result_type(u, v)
        return self._ids.number(u.astype(wide, copy=False), v.astype(wide, copy=False))  # type: ignore[no-any-return]

    def _number(self, ids: Any) -> NDArray[np.int32]:
        if len(ids) == 0:
            self._see_none(ids)
            return np.empty(0, dtype=np.int32)
        if ids.dtype.kind in "iu":
            array = np.asarray(ids)
            self._record(array)
            numbers: NDArray[np.int32] = self._ids.number_each(array)
            return numbers
        if self._ids is not None:
            raise InputError("its vertices are names, and those of the chunks before are numbers")
        if self._names is None:
            self._names = _core.Names(self._threads)
        offsets, data = ids.buffers if isinstance(ids, NameArray) else encoded(ids, "the name of a vertex")
        return self._names.number_each(offsets, data)  # type: ignore[no-any-return]

    def _see_none(self, ids: Any) -> None:
        if self._without_ids is None:
            self._without_ids = ids

    def _record(self, ids: NDArray[Any]) -> None:
        """Record the type and the range of integers that will be numbered."""
        if self._names is not None:
            raise InputError("its vertices are numbers, and those of the chunks before are names")
        if self._ids is None:
            self._ids = _core.Ids(self._threads, self._listed)
        self._negative, self._large = _signs(ids, self._negative, self._large)
        if self._negative and self._large:
            raise InputError(_BOTH_SIGNS)
        self._types |= {ids.dtype}

    def _find(self, texts: tuple[NDArray[Any], NDArray[np.uint8]]) -> NDArray[np.int32]:
        if self._ids is not None:
            raise InputError("the ids here are numbers, not names")
        if self._names is None:
            return np.full(len(texts[0]) - 1, -1, dtype=np.int32)
        numbers: NDArray[np.int32] = self._names.find(*texts)
        return numbers


class _Atomic:
    """A call that changes a numbering completely or, if it raises, not at all."""

    def __init__(self, numbering: Numbering) -> None:
        self._of = numbering
        self._before = dict(vars(numbering))
        self._size = len(numbering)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None:
            return
        self._of.forget(self._size)
        vars(self._of).update(self._before)
        if isinstance(error, CoreInputError):
            raise InputError(str(error)) from None


def _signs(ids: NDArray[Any], negative: bool, large: bool) -> tuple[bool, bool]:
    """Whether there is an id below 0, and one from 2^63 on, in these ids or before."""
    if ids.dtype.kind == "i":
        return negative or int(ids.min()) < 0, large
    return negative, large or (ids.dtype.itemsize == 8 and int(ids.max()) >= 2**63)


def _widened(ids: NDArray[Any]) -> NDArray[Any]:
    return ids if ids.dtype.itemsize >= 4 and ids.dtype.isnative else ids.astype(f"{ids.dtype.kind}8")
