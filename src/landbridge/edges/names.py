"""Vertices with names: columns of text to numbers and back. Data frames of pandas, polars, Arrow; arrays of text."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge._core import CoreInputError
from landbridge.edges.forms import EdgeList
from landbridge.errors import InputError

_TEXT_TYPES = ("string", "large_string", "string_view")


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


# arrays of text ----------------------------------------------------------------------------------------------------


def text_pair(obj: Any) -> tuple[Any, Any] | None:
    """The two columns of text if the object is a pair of such or a table of two columns; else None."""
    if isinstance(obj, np.ndarray):
        if obj.ndim != 2 or 2 not in obj.shape or not _is_text(obj.ravel()[:1]):
            return None
        return (obj[:, 0], obj[:, 1]) if obj.shape[1] == 2 else (obj[0], obj[1])
    if isinstance(obj, tuple | list) and len(obj) == 2 and any(_is_text(column) for column in obj):
        return obj[0], obj[1]
    return None


def _is_text(column: Any) -> bool:
    if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
        return False
    if getattr(column, "ndim", 1) == 0 or len(column) == 0:
        return False
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    if kind is not None and kind not in "OUST":
        return False
    return kind in ("U", "S", "T") or (isinstance(column, Sequence | np.ndarray) and isinstance(column[0], str))


def from_texts(pair: tuple[Any, Any], threads: int) -> EdgeList:
    """Edges between named vertices; pair: two equally long arrays or sequences of str."""
    u, v = (encoded(column, what) for column, what in zip(pair, "uv", strict=True))
    if len(u[0]) != len(v[0]):
        raise InputError(f"u has {len(u[0]) - 1} ids and v has {len(v[0]) - 1}; edge i needs both u[i] and v[i]")
    return number_names(u, v, threads)


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


# data frames -------------------------------------------------------------------------------------------------------


def library_of(obj: Any) -> str | None:
    """The library a data frame comes from: pandas, polars or pyarrow (also for anything else that speaks Arrow)."""
    top = type(obj).__module__.partition(".")[0]
    if top == "pandas":
        return "pandas" if hasattr(type(obj), "iloc") and hasattr(type(obj), "merge") else None
    if top == "polars":
        return "polars" if hasattr(type(obj), "columns") else None
    if hasattr(obj, "__arrow_c_stream__") and not hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
        return "pyarrow"
    return "pyarrow" if top == "pyarrow" and hasattr(obj, "column_names") else None


def columns_of(frame: Any, columns: Sequence[str | int] | None) -> tuple[list[Any], list[str]]:
    """The two columns of a data frame, as Arrow arrays if pyarrow is there and else as NumPy's, and their names."""
    try:
        arrow: Any = importlib.import_module("pyarrow")
    except ImportError:
        arrow = None
    if hasattr(frame, "collect") and hasattr(frame, "collect_schema"):  # a LazyFrame
        frame = frame.collect()
    if arrow is not None and library_of(frame) != "pandas":
        frame = arrow.table(frame)
    known = [str(c) for c in (frame.column_names if hasattr(frame, "column_names") else frame.columns)]
    chosen = [_position(c, known) for c in (columns if columns is not None else (0, 1))]
    if len(chosen) != 2:
        raise InputError(f"columns must name two columns, not {len(chosen)}")
    if hasattr(frame, "iloc"):
        found = [frame.iloc[:, i] for i in chosen]
        if arrow is not None:
            found = [_from_pandas(arrow, series) for series in found]
    elif hasattr(frame, "column_names"):
        found = [frame.column(i) for i in chosen]
    else:
        found = [frame[known[i]] for i in chosen]
    return [c if hasattr(c, "null_count") and hasattr(c, "type") else np.asarray(c) for c in found], [
        known[i] for i in chosen
    ]


def _position(column: str | int, known: list[str]) -> int:
    if isinstance(column, str):
        if column not in known:
            raise InputError(f"there is no column {column!r}; the frame has {', '.join(known)}")
        return known.index(column)
    if not 0 <= column < len(known):
        raise InputError(f"there is no column {column}; the frame has {len(known)}")
    return column


def _from_pandas(arrow: Any, series: Any) -> Any:
    if series.dtype.kind in "iuf" and isinstance(series.dtype, np.dtype):
        return series.to_numpy()
    try:
        return arrow.chunked_array([arrow.Array.from_pandas(series)])
    except (arrow.ArrowException, TypeError, ValueError):
        return series.to_numpy()


def pair_of_columns(
    columns: list[Any], names: list[str], threads: int, first_row: int = 0
) -> EdgeList | tuple[Any, Any]:
    """Edges between named vertices if the columns hold text; else the two columns as NumPy arrays.

    first_row: what to call the first row of the columns in messages.
    """
    for column, name in zip(columns, names, strict=True):
        if getattr(column, "null_count", 0):
            nulls = column.is_null()
            row = first_row + int(np.argmax(nulls.to_numpy() if hasattr(nulls, "chunks") else np.asarray(nulls)))
            raise InputError(f"row {row}: column {name!r} is null")
    texts = [_arrow_texts(c) if hasattr(c, "type") else _is_text(c) for c in columns]
    if any(t is not False for t in texts) and any(t is False for t in texts):
        which = [t is not False for t in texts].index(True)
        raise InputError(f"column {names[which]!r} holds text and column {names[1 - which]!r} does not")
    if texts[0] is False:
        return (_plain(columns[0], names[0]), _plain(columns[1], names[1]))
    u, v = (t if isinstance(t, tuple) else encoded(c, repr(n)) for t, c, n in zip(texts, columns, names, strict=True))
    return number_names(u, v, threads)


def _plain(column: Any, name: str) -> NDArray[Any]:
    if not hasattr(column, "type"):
        return np.asarray(column)
    if len(column) == 0 and str(column.type) == "null":  # a column without rows has no other type
        return np.empty(0, dtype=np.int64)
    if str(column.type) not in {f"{s}int{w}" for s in ("", "u") for w in (8, 16, 32, 64)} | {"float", "double"}:
        raise InputError(f"column {name!r} holds {column.type}; ids are whole numbers or text")
    values: NDArray[Any] = column.to_numpy()
    return values


def is_text_column(column: Any) -> bool:
    """Whether an Arrow column holds text, perhaps as a dictionary."""
    arrow: Any = importlib.import_module("pyarrow")
    kind = column.type
    return str(kind.value_type if arrow.types.is_dictionary(kind) else kind) in _TEXT_TYPES


def _arrow_texts(column: Any) -> _Texts | bool:
    """Offsets and bytes of a column of text in Arrow's memory; False for a column of something else."""
    arrow: Any = importlib.import_module("pyarrow")
    if not is_text_column(column):
        return False
    text = arrow.large_string()
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    if arrow.types.is_dictionary(column.type):
        chunks = [c.dictionary.cast(text).take(c.indices) for c in chunks]
    else:
        chunks = [c.cast(text) for c in chunks]
    array = chunks[0] if len(chunks) == 1 else arrow.concat_arrays(chunks or [arrow.array([], text)])
    _, offsets, data = array.buffers()
    if len(array) == 0:
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    ends = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return ends, np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
