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
from landbridge.passes import slices


class NameArray:
    """The names of vertices, read only: name i is that of vertex i. Indexed and compared like a NumPy array of str.

    A str is created when it is accessed.

    Parameters
    ----------
    offsets : int64 array of shape (n + 1,)
        Where each name begins.
    data : uint8 array
        The names in UTF-8, concatenated.
    """

    dtype = np.dtype(object)
    ndim = 1

    def __init__(self, offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> None:
        self._offsets, self._data = offsets, data

    @property
    def buffers(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Offsets and bytes; the offsets of a slice do not begin at 0."""
        return self._offsets, self._data

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    def __iter__(self) -> Iterator[str]:
        for begin in range(0, len(self), _BLOCK):
            yield from self[begin : begin + _BLOCK].tolist()

    def __getitem__(self, key: Any) -> Any:
        """A str for an integer, a NameArray of the same memory for a slice without a step, else an array of str."""
        if isinstance(key, int | np.integer):
            i = range(len(self))[key]
            return self._data[self._offsets[i] : self._offsets[i + 1]].tobytes().decode()
        if isinstance(key, slice) and (span := range(*key.indices(len(self)))).step == 1:
            return NameArray(self._offsets[span.start : max(span.start, span.stop) + 1], self._data)
        indices = np.arange(len(self))[key]
        return self._texts(self._offsets[indices], self._offsets[indices + 1])

    def _texts(self, begins: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[Any]:
        """The texts between these places of the data, as an array of str."""
        names = np.empty(len(begins), dtype=object)
        for part in slices(len(begins)):
            names[part] = self._some(begins[part], stops[part])
        return names

    def _some(self, begins: NDArray[np.int64], stops: NDArray[np.int64]) -> list[str]:
        first = int(begins[0])
        data = self._data[first : int(stops[-1])]
        if not np.array_equal(begins[1:], stops[:-1]):
            lengths = stops - begins
            places = np.cumsum(lengths) - lengths
            data = self._data[np.repeat(begins - places, lengths) + np.arange(int(lengths.sum()))]
            begins, stops, first = places, places + lengths, 0
        pairs = zip((begins - first).tolist(), (stops - first).tolist(), strict=True)
        joined = data.tobytes()
        if joined.isascii():  # one byte per character: decoded as one text and cut
            text = joined.decode("ascii")
            return [text[a:b] for a, b in pairs]
        return [joined[a:b].decode() for a, b in pairs]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array of str has to be made")
        return self.to_numpy(dtype or object)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, NameArray):
            if len(other) != len(self):
                return False
            other = np.asarray(other)
        return np.asarray(self) == other

    def __ne__(self, other: object) -> Any:
        return np.logical_not(self == other)

    __hash__ = None  # type: ignore[assignment] # like an array

    def __repr__(self) -> str:
        first = [repr(name) for name in self[:3]] + ["..."] * (len(self) > 3)
        return f"NameArray([{', '.join(first)}], {len(self)} names)"

    def __reduce__(self) -> tuple[Any, ...]:
        first, last = int(self._offsets[0]), int(self._offsets[-1])
        return NameArray, (self._offsets - first, self._data[first:last].copy())

    def tolist(self) -> list[str]:
        """All names."""
        names: list[str] = self.to_numpy().tolist()
        return names

    def to_numpy(self, dtype: Any = object) -> NDArray[Any]:
        """All names as an array of str, or of another type of text, such as ``numpy.dtypes.StringDType()``."""
        names = self._texts(self._offsets[:-1], self._offsets[1:])
        return names if dtype == np.dtype(object) else names.astype(dtype)

    def to_arrow(self, type: Any = None) -> Any:
        """The same memory as an Arrow array of large strings; type: another one."""
        arrow: Any = importlib.import_module("pyarrow")
        buffers = (arrow.py_buffer(np.ascontiguousarray(self._offsets)), arrow.py_buffer(self._data))
        array = arrow.LargeStringArray.from_buffers(len(self), *buffers)
        return array if type is None else array.cast(type)

    __arrow_array__ = to_arrow


_BLOCK = 1 << 16


_Texts = tuple[NDArray[Any], NDArray[np.uint8]]


def number_names(u: _Texts, v: _Texts, threads: int, notes: tuple[str, ...] = ()) -> EdgeList:
    """Edges between named vertices: the names that occur, numbered in ascending order of their bytes in UTF-8.

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
    """Offsets and bytes of a sequence of str. Raises InputError with the first element that is not a str."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    offsets = np.zeros(len(values) + 1, dtype=np.int64)
    texts: list[bytes] = []
    for some in slices(len(values)):
        try:
            parts = list(map(str.encode, values[some]))
        except (TypeError, UnicodeEncodeError):  # bytes among them, or an element that is refused
            parts = [_one_encoded(value, i, what) for i, value in enumerate(values[some], some.start)]
        offsets[some.start + 1 : some.stop + 1] = list(map(len, parts))
        texts.append(b"".join(parts))
    return np.cumsum(offsets, out=offsets), np.frombuffer(b"".join(texts), np.uint8)


def _one_encoded(value: Any, i: int, what: str) -> bytes:
    try:
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, bytes):
            return value.decode().encode()
    except UnicodeError:
        raise InputError(f"edge {i}: {what} = {value!r} is no text in UTF-8") from None
    if value is None or isinstance(value, float):
        raise InputError(f"edge {i}: {what} is null")
    raise InputError(f"edge {i}: {what} = {value!r} is not text, as others are")
