"""Vertices with names: columns of text to numbers and back."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.forms import EdgeList
from landbridge.errors import InputError


class NameArray:
    """The names of vertices, read only: name i is that of vertex i. Indexed and compared like a NumPy array of str.

    offsets: shape (n + 1,), int64; data: the names in UTF-8, one after another. A str is made where it is asked for.
    """

    dtype = np.dtype(object)
    ndim = 1

    def __init__(self, offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> None:
        self._offsets, self._data = offsets, data

    @property
    def buffers(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Offsets and bytes."""
        return self._offsets, self._data

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def __getitem__(self, key: Any) -> Any:
        """A str for an integer, an array of str for anything else that indexes an array."""
        if isinstance(key, int | np.integer):
            i = range(len(self))[key]
            return self._text(int(self._offsets[i]), int(self._offsets[i + 1]))
        where = np.arange(len(self))[key]
        found = np.empty(len(where), dtype=object)
        found[:] = list(map(self._text, self._offsets[where].tolist(), self._offsets[where + 1].tolist()))
        return found

    def _text(self, begin: int, end: int) -> str:
        return self._data[begin:end].tobytes().decode("utf-8", "surrogateescape")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array of str has to be made")
        names: NDArray[Any] = self[:]
        return names.astype(dtype or object)

    def __eq__(self, other: object) -> Any:
        return np.asarray(self) == (np.asarray(other) if isinstance(other, NameArray) else other)

    def __ne__(self, other: object) -> Any:
        return np.logical_not(self == other)

    __hash__ = None  # type: ignore[assignment] # like an array

    def __repr__(self) -> str:
        return f"NameArray({len(self)} names)"

    def tolist(self) -> list[str]:
        """All names."""
        return list(self[:])

    def __arrow_array__(self, type: Any = None) -> Any:
        """The same memory as an Arrow array of large strings."""
        arrow: Any = importlib.import_module("pyarrow")
        buffers = (arrow.py_buffer(self._offsets), arrow.py_buffer(self._data))
        array = arrow.LargeStringArray.from_buffers(len(self), *buffers)
        return array if type is None else array.cast(type)


_Texts = tuple[NDArray[Any], NDArray[np.uint8]]


def number_names(u: _Texts, v: _Texts, threads: int, notes: tuple[str, ...] = ()) -> EdgeList:
    """Edges between named vertices: those that occur, numbered in ascending order of their bytes in UTF-8.

    u, v: offsets (one more than names) and bytes.
    """
    names = _core.Names(threads)
    try:
        a, b = names.number(*u, *v)
    except CoreInputError as error:
        raise InputError(str(error)) from None
    order, *texts = names.in_order()
    _core.to_ranks(order, a, b, threads)
    ids: Any = NameArray(*texts)
    return EdgeList(a, b, num_vertices=len(names), ids=ids, notes=notes)


def encoded(column: Any, what: str) -> _Texts:
    """Offsets and bytes of a sequence of str. Raises InputError naming the first element that is none."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    parts: list[bytes] = []
    for i, value in enumerate(values):
        if isinstance(value, str):
            parts.append(value.encode("utf-8", "surrogatepass"))
        elif isinstance(value, bytes):
            parts.append(value)
        elif value is None or isinstance(value, float):
            raise InputError(f"edge {i}: {what} is null")
        else:
            raise InputError(f"edge {i}: {what} = {value!r} is not text, as others are")
    offsets = np.zeros(len(parts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)), out=offsets[1:])
    return offsets, np.frombuffer(b"".join(parts), np.uint8)
