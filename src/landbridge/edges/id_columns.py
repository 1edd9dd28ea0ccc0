"""One column of ids, of any library, to integers in a NumPy array or to text as offsets and bytes."""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from math import isnan
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.forms import IdArray
from landbridge.errors import FileFormatError, InputError
from landbridge.passes import array_of, slices

Texts = tuple[NDArray[Any], NDArray[np.uint8]]
"""Text in UTF-8: offsets, one more than there are texts, and bytes."""

_NATIVE = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32), np.dtype(np.uint64))
_INTEGERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
# Types of Arrow that are stored as integers or text and are none.
_NO_IDS = {"pandas.period": "periods of time", "arrow.bool8": "bool", "arrow.json": "JSON"}
TEXT_TYPES = ("string", "large_string", "string_view")
_AS_OTHERS = "as others are; make all of them whole numbers, or all text"
BYTES_TYPES = ("binary", "large_binary", "binary_view")


@dataclass(frozen=True, slots=True)
class Place:
    """The names of a column and of its elements in messages.

    Attributes
    ----------
    subject : str
        The column, such as "u" or "column 'src'".
    unit : str
        An element, such as "edge" or "row".
    first : int
        The number of the first element.
    path : str
        The file; "" for an object in memory.
    """

    subject: str
    unit: str = "edge"
    first: int = 0
    path: str = ""

    def error(self, problem: str) -> InputError:
        """The error of the column as a whole."""
        return self._error(f"{self.subject} {problem}")

    def error_at(self, i: int, problem: str) -> InputError:
        """The error of element i."""
        place = f"{self.unit} {self.first + int(i)}{' (from 0)' * bool(self.path)}"
        return self._error(f"{place}: {self.subject} {problem}")

    def _error(self, problem: str) -> InputError:
        return FileFormatError(self.path, problem) if self.path else InputError(problem)


def ids_of(column: Any, place: Place) -> IdArray | Texts:
    """Integers as an array of one of the four native types, or text as offsets and bytes.

    Integers may be of any type: also decimals without fraction, and floats as far as all integers below are exact. Text
    may be of any type, too: a dictionary (a categorical), views, UUIDs (their canonical text).

    Parameters
    ----------
    column : column
        An array of NumPy, a Series or an array of pandas or polars, an array of Arrow, a list, or an object with DLPack
        or Arrow's protocols. Not copied if it is an array of a native type.
    place : Place
        Its names in messages.

    Raises
    ------
    InputError
        With the element, for null, and for what is neither integer nor text; for a data frame.
    """
    if isinstance(column, np.ndarray):
        return _of_array(column, place)
    if hasattr(column, "columns") or hasattr(column, "column_names"):
        raise place.error("is given as a data frame: name its column, as in frame['id']")
    top = type(column).__module__.partition(".")[0]
    if top == "pyarrow":
        return _of_arrow(column, place) if hasattr(column, "null_count") else _of_other(column, place)
    if top == "pandas":
        return _of_pandas(column, place)
    if top == "polars":
        return _of_polars(column, place)
    if isinstance(column, list | tuple):
        return _of_list(column, place)
    return _of_other(column, place)


def is_one(x: Any) -> bool:
    """Whether an argument is one id and no column of them: a number, text, a UUID, no value."""
    single = isinstance(x, str | bytes | int | float | Number | np.generic | uuid.UUID) or is_null(x)
    return single or (getattr(x, "shape", None) == () and hasattr(x, "item")) or hasattr(x, "as_py")


def column_of_one(x: Any) -> list[Any]:
    """The column of one id, an argument for which `is_one` is true: what a column may hold may also stand alone."""
    if hasattr(x, "as_py"):  # of Arrow
        return [x.as_py()]
    return [x.item() if getattr(x, "shape", None) == () and hasattr(x, "item") else x]


# arrays of other libraries -----------------------------------------------------------------------------------------


def _arrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        return None


def _of_pandas(column: Any, place: Place) -> IdArray | Texts:
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return _of_array(column.to_numpy(), place)
    arrow = _arrow()
    if arrow is not None:
        try:
            return _of_arrow(arrow.array(column, from_pandas=True), place)
        except (arrow.ArrowException, TypeError, ValueError, OverflowError) as error:  # Overflow: from 2^63 on
            if isinstance(error, InputError):
                raise
    return _of_array(np.asarray(column, dtype=object), place)


def _of_polars(column: Any, place: Place) -> IdArray | Texts:
    if not hasattr(column, "dtype"):
        return _of_other(column, place)
    kind, arrow = str(column.dtype), _arrow()
    if kind == "Object":
        return _of_array(np.array(column.to_list(), dtype=object), place)
    if kind in ("Int128", "UInt128"):
        return _of_list(column.to_list(), place) if len(column) else np.empty(0, dtype=np.int64)
    if arrow is None:
        return (
            _of_list(column.to_list(), place)
            if column.null_count() or not column.dtype.is_numeric()
            else _of_array(column.to_numpy(), place)
        )
    return _of_arrow(arrow.chunked_array(column), place)


def _of_other(column: Any, place: Place) -> IdArray | Texts:
    """Anything with a protocol: DLPack, Arrow's, NumPy's."""
    arrow = _arrow()
    if arrow is not None and not hasattr(column, "__array__"):
        if hasattr(column, "__arrow_c_stream__"):
            return _of_arrow(arrow.chunked_array(column), place)
        if hasattr(column, "__arrow_c_array__"):
            return _of_arrow(arrow.array(column), place)
    return _of_array(as_array(column, place.subject), place)


def as_array(obj: Any, what: str) -> NDArray[Any]:
    """An object as an array. Raises InputError if NumPy cannot convert it."""
    try:
        if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
            return np.from_dlpack(obj)
        array = array_of(obj)
        if array.dtype.kind == "f" and isinstance(obj, tuple | list) and (np.abs(array) >= np.float64(2.0**53)).any():
            return np.asarray(obj, dtype=object)  # integers below and above 2^63 have no common type but object
        return array
    except (TypeError, ValueError, OverflowError, RuntimeError, BufferError) as error:
        raise InputError(f"{what}: cannot make an array of ids from {type(obj).__name__} ({error})") from None


# NumPy and lists ---------------------------------------------------------------------------------------------------


def _of_list(values: Sequence[Any], place: Place) -> IdArray | Texts:
    if any(isinstance(value, str | bytes | uuid.UUID) for value in values[:1]):
        return _texts(list(values), place)
    array = as_array(values, place.subject)
    if array.dtype.kind in "USO" and array.ndim == 1:  # NumPy converts numbers beside text to text
        return _of_objects(list(values), place)
    return _of_array(array, place)


def _of_array(array: NDArray[Any], place: Place) -> IdArray | Texts:
    if isinstance(array, np.ma.MaskedArray):
        masked = np.flatnonzero(np.ma.getmaskarray(array))
        if masked.size and array.ndim == 1:
            raise place.error_at(int(masked[0]), "is null")
        array = array.data
    if array.ndim != 1:
        raise place.error(f"must be one-dimensional, not of shape {array.shape}")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype in _NATIVE:
        return _strided(array)
    kind = array.dtype.kind
    if array.size == 0 and kind in "fO":
        return np.empty(0, dtype=np.int64)
    if kind in "iu":
        return array.astype(np.int32)  # 8 and 16 bits
    if kind == "f":
        return _integral(array, place)
    if kind in "UST":
        return _texts(array.tolist(), place)
    if kind == "O":
        return _of_objects(array.tolist(), place)
    raise place.error(f"must hold integers, not {array.dtype}")


def _strided(array: NDArray[Any]) -> IdArray:
    # The core takes any positive stride of whole elements from an aligned start; any other view is copied.
    step = array.strides[0] if array.size > 1 else array.itemsize
    fits = step > 0 and step % array.itemsize == 0 and array.ctypes.data % array.itemsize == 0
    return array if fits else np.array(array, copy=True, order="C", subok=False)


def _integral(array: NDArray[Any], place: Place) -> IdArray:
    ids = np.empty(len(array), dtype=np.int64)
    for part in slices(len(array)):
        _check_integral(array[part], part.start, place)
        ids[part] = array[part]
    return ids


def _check_integral(array: NDArray[Any], first: int, place: Place) -> None:
    """Raise InputError for the first float, from row `first` on, that is not exactly one id."""
    # Above 2^bits neighbouring integers round to the same float: two ids may have become one.
    bits = min(int(np.finfo(array.dtype).nmant) + 1, 63)
    with np.errstate(invalid="ignore"):
        size = np.abs(array)
        wrong = ~((np.floor(array) == array) & (np.frexp(size)[1] <= bits) & np.isfinite(array))
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        if np.isnan(array[i]):
            problem = "is not a number" if place.unit == "edge" else "is null or not a number"
        elif np.isfinite(array[i]) and np.floor(array[i]) == array[i]:
            problem = f"is too large: {array.dtype} is exact below 2^{bits} only"
        else:
            problem = "is not a whole number"
        raise place.error_at(first + i, f"= {array[i]} {problem}")


def is_null(value: Any) -> bool:
    """Whether an object stands for no value: None, NaN, and those of pandas."""
    return value is None or (isinstance(value, float | Decimal) and isnan(value)) or type(value).__name__ in (
        "NAType", "NaTType",
    )  # fmt: skip


def _of_objects(values: list[Any], place: Place) -> IdArray | Texts:
    if not values:
        return np.empty(0, dtype=np.int64)
    if isinstance(values[0], str | bytes | uuid.UUID):
        return _texts(values, place)
    ids = np.empty(len(values), dtype=np.int64)
    fits = True  # whether all ids are below 2^63
    for part in slices(len(values)):
        for i, value in enumerate(values[part], part.start):
            if is_null(value):
                raise place.error_at(i, "is null")
            if isinstance(value, Decimal) and value.is_finite() and value == value.to_integral_value():
                values[i] = int(value)
            elif isinstance(value, float | np.floating) and float(value).is_integer():
                values[i] = _exact(value, i, place)
            elif isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
                raise place.error_at(i, f"= {value!r} is not an integer" + (f", {_AS_OTHERS}" if i else ""))
            if not -(2**63) <= values[i] < 2**64:
                raise place.error_at(i, f"= {value} does not fit 64 bits")
        try:
            ids[part] = np.array(values[part], dtype=np.int64)
        except OverflowError:
            fits = False
    if fits:
        return ids
    least = min(range(len(values)), key=values.__getitem__)
    if values[least] < 0:
        raise place.error_at(
            least, f"= {values[least]} is negative, and others are from 2^63 on: no type of integers holds both"
        )
    return np.array(values, dtype=np.uint64)


def _exact(value: Any, i: int, place: Place) -> int:
    """A float without a fraction as an integer. Raises InputError where neighbouring integers are no floats."""
    if abs(value) >= 2.0**53:
        raise place.error_at(i, f"= {value} is too large: floats are exact below 2^53 only")
    return int(value)


def _texts(values: list[Any], place: Place) -> Texts:
    """Offsets and bytes of a list of str, of bytes in UTF-8, or of UUIDs."""
    if isinstance(values[0] if values else "", uuid.UUID):
        for i, value in enumerate(values):
            if not isinstance(value, uuid.UUID):
                raise place.error_at(i, "is null" if is_null(value) else f"= {value!r} is no UUID, as others are")
        return uuid_texts(np.frombuffer(b"".join(value.bytes for value in values), np.uint8))
    lengths = np.empty(len(values), dtype=np.int64)
    texts: list[bytes] = []
    for part in slices(len(values)):
        some = values[part]
        try:
            joined = "".join(some)
            parts = some if joined.isascii() else [value.encode() for value in some]
            text = joined.encode() if joined.isascii() else b"".join(parts)
        except (TypeError, UnicodeEncodeError):
            parts = [_encoded(i, value, place) for i, value in enumerate(some, part.start)]
            text = b"".join(parts)
        lengths[part] = list(map(len, parts))
        texts.append(text)
    return _offsets(lengths), np.frombuffer(b"".join(texts), np.uint8)


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _encoded(i: int, value: Any, place: Place) -> bytes:
    if is_null(value):
        raise place.error_at(i, "is null")
    if not isinstance(value, str | bytes):
        raise place.error_at(i, f"= {value!r} is not text, {_AS_OTHERS}")
    try:
        if isinstance(value, str):
            return value.encode()
        value.decode()
        return bytes(value)
    except UnicodeError:
        raise place.error_at(i, f"= {value!r} is no text in UTF-8") from None


_HEX = np.frombuffer(b"".join(b"%02x" % byte for byte in range(256)), np.uint8).reshape(256, 2)
_DIGITS = [i for i in range(36) if i not in (8, 13, 18, 23)]


def uuid_texts(data: NDArray[np.uint8]) -> Texts:
    """The canonical text of UUIDs, of 16 bytes each."""
    count = len(data) // 16
    text = np.full((count, 36), ord("-"), dtype=np.uint8)
    text[:, _DIGITS] = _HEX[data].reshape(count, 32)
    return np.arange(count + 1, dtype=np.int64) * 36, text.reshape(-1)


# Arrow -------------------------------------------------------------------------------------------------------------


def _of_arrow(column: Any, place: Place) -> IdArray | Texts:
    """The ids of an Array or a ChunkedArray of pyarrow."""
    arrow: Any = _arrow()
    kind = column.type
    if column.null_count:
        nulls = column.is_null()
        raise place.error_at(int(np.argmax(np.asarray(nulls))), "is null")
    if isinstance(kind, arrow.BaseExtensionType):
        if kind.extension_name in _NO_IDS:
            raise place.error(f"holds {_NO_IDS[kind.extension_name]}; ids are whole numbers or text")
        column, kind = _storage(arrow, column), kind.storage_type
    if arrow.types.is_dictionary(kind):
        return _of_arrow(_decoded(arrow, column), place)
    if arrow.types.is_run_end_encoded(kind):
        compute: Any = importlib.import_module("pyarrow.compute")
        return _of_arrow(arrow.chunked_array([compute.run_end_decode(c) for c in _chunks(column)]), place)
    if str(kind) in TEXT_TYPES:
        return _arrow_texts(arrow, column, place)
    if str(kind) == "fixed_size_binary[16]":
        chunks = [np.frombuffer(c.buffers()[1], np.uint8)[16 * c.offset :][: 16 * len(c)] for c in _chunks(column) if c]
        return uuid_texts(np.concatenate(chunks) if chunks else np.empty(0, np.uint8))
    if arrow.types.is_decimal(kind):
        return _decimals(arrow, column, place)
    if str(kind) in _INTEGERS or arrow.types.is_floating(kind):
        return _of_array(_numbers(column), place)
    if str(kind) == "null" and len(column) == 0:  # the type of a column without rows
        return np.empty(0, dtype=np.int64)
    if str(kind) in BYTES_TYPES:
        return _texts(column.to_pylist(), place)
    raise place.error(f"holds {kind}; ids are whole numbers or text")


def _numbers(column: Any) -> NDArray[Any]:
    """The values of a column without nulls; those of one chunk where they are."""
    chunks = [np.asarray(chunk) for chunk in _chunks(column)]
    if len(chunks) < 2:
        return chunks[0] if chunks else np.asarray(column)
    numbers = np.empty(len(column), dtype=chunks[0].dtype)
    first = 0
    for chunk in chunks:
        for part in slices(len(chunk)):
            numbers[first + part.start : first + part.stop] = chunk[part]
        first += len(chunk)
    return numbers


def _chunks(column: Any) -> list[Any]:
    return list(column.chunks) if hasattr(column, "chunks") else [column]


def _storage(arrow: Any, column: Any) -> Any:
    if not hasattr(column, "chunks"):
        return column.storage
    return arrow.chunked_array([c.storage for c in column.chunks], column.type.storage_type)


def _decoded(arrow: Any, column: Any) -> Any:
    """The values of a dictionary, row by row."""
    values = column.type.value_type
    view = str(values) == "string_view"  # Arrow has no `take` for it
    parts = [
        (c.dictionary.cast(arrow.large_string()) if view else c.dictionary).take(c.indices) for c in _chunks(column)
    ]
    return arrow.chunked_array(parts, arrow.large_string() if view else values)


def _arrow_texts(arrow: Any, column: Any, place: Place) -> Texts:
    text = arrow.large_string()
    first, chunks = 0, []
    for chunk in _chunks(column):
        try:
            chunk.validate(full=True)  # views, too, and text that other libraries did not validate
        except arrow.ArrowException:
            raise place.error_at(first + _first_invalid(arrow, chunk), "is no text in UTF-8") from None
        chunks.append(chunk.cast(text))
        first += len(chunk)
    array = chunks[0] if len(chunks) == 1 else arrow.concat_arrays(chunks or [arrow.array([], text)])
    _, offsets, data = array.buffers()
    if len(array) == 0:
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    stops = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return stops, np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)


def _first_invalid(arrow: Any, chunk: Any) -> int:
    """The first text of a chunk that is no UTF-8; there is one."""
    low, high = 0, len(chunk)  # all below low are valid, one below high is not
    while high - low > 1:
        middle = (low + high) // 2
        try:
            chunk.slice(low, middle - low).validate(full=True)
            low = middle
        except arrow.ArrowException:
            high = middle
    return low


def _decimals(arrow: Any, column: Any, place: Place) -> IdArray:
    wide = column.cast(arrow.decimal256(76, column.type.scale))
    for kind in (arrow.int64(), arrow.uint64()):
        try:
            return np.asarray(wide.cast(kind))
        except arrow.ArrowException:
            continue
    for i, value in enumerate(chain.from_iterable(c.to_pylist() for c in _chunks(column))):
        if value != value.to_integral_value():
            raise place.error_at(i, f"= {value} is not a whole number")
        if not -(2**63) <= value < 2**64:
            raise place.error_at(i, f"= {value:f} does not fit 64 bits")
    raise place.error("holds numbers below 0 and numbers from 2^63 on: no type of integers holds both")


def common(a: IdArray, b: IdArray, places: tuple[Place, Place]) -> tuple[IdArray, IdArray]:
    """Two columns of ids in one type, never by way of a float.

    Raises
    ------
    InputError
        For a negative id beside ids from 2^63 on.
    """
    if a.dtype == b.dtype:
        return a, b
    # int64 with uint64 has no common integer type: a value that one of them lacks is out of range for any graph.
    if np.dtype(np.uint64) in (a.dtype, b.dtype) and "i" in (a.dtype.kind, b.dtype.kind):
        signed, large = (a, b) if a.dtype.kind == "i" else (b, a)
        if not large.size or int(large.max()) < 2**63:
            return a.astype(np.int64), b.astype(np.int64)
        if signed.size and int(signed.min()) < 0:
            i = int(np.flatnonzero(signed < 0)[0])
            place = places[0] if signed is a else places[1]
            raise place.error_at(i, f"= {int(signed[i])} is negative, and other ids are from 2^63 on")
        return a.astype(np.uint64), b.astype(np.uint64)
    wide = np.promote_types(a.dtype, b.dtype)
    return a.astype(wide), b.astype(wide)
