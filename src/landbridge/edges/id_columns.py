"""One column of ids, of any library, to integers in a NumPy array or to text as offsets and bytes."""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Sequence
from itertools import chain
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.forms import IdArray
from landbridge.edges.object_columns import Texts, exact_bits, of_objects, texts_of, uuid_texts
from landbridge.edges.place import Place, is_null
from landbridge.errors import InputError
from landbridge.passes import elements_of, numbers_of, slices

_NATIVE = (np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint32), np.dtype(np.uint64))
_INTEGERS = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
# Types of Arrow that are stored as integers or text and are none.
_NO_IDS = {"pandas.period": "periods of time", "arrow.bool8": "bool", "arrow.json": "JSON"}
TEXT_TYPES = ("string", "large_string", "string_view")
BYTES_TYPES = ("binary", "large_binary", "binary_view")


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
    if top == "pandas" and hasattr(column, "dtype"):
        return _of_pandas(column, place)
    if top == "polars":
        return _of_polars(column, place)
    if (values := elements_of(column)) is not None:
        return _of_list(values, place)
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
            array = _arrow_of(arrow, column)
            # Arrow takes a bool of NumPy among integers for 0 or 1.
            if not (isinstance(dtype, np.dtype) and str(array.type) in _INTEGERS and _has_bools(column)):
                return _of_arrow(array, place)
        except (arrow.ArrowException, TypeError, ValueError, OverflowError) as error:  # Overflow: from 2^63 on
            if isinstance(error, InputError):
                raise
    return _of_array(np.asarray(column, dtype=object), place)


def _arrow_of(arrow: Any, column: Any) -> Any:
    """A column of pandas as Arrow. Raises what Arrow raises, and so for objects of several types."""
    if not isinstance(column.dtype, np.dtype):
        return arrow.array(column, from_pandas=True)
    rows = column.iloc if hasattr(column, "iloc") else column
    parts = [arrow.array(rows[part], from_pandas=True) for part in slices(len(column))]
    return arrow.chunked_array(parts) if parts else arrow.array(column, from_pandas=True)


def _has_bools(objects: Any) -> bool:
    """Whether a bool of NumPy is among the elements of a column of objects."""
    return any(np.bool_ in set(map(type, objects.to_numpy()[part])) for part in slices(len(objects)))


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
    array = as_array(column, place.subject)
    if array.ndim == 0 and not hasattr(column, "shape"):
        raise place.error(f"must be a column, such as an array or a list, not {type(column).__name__}")
    return _of_array(array, place)


def as_array(obj: Any, what: str) -> NDArray[Any]:
    """An object as an array. Raises InputError if NumPy cannot convert it."""
    try:
        if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array__"):
            return np.from_dlpack(obj)
        return np.asarray(obj)
    except (TypeError, ValueError, OverflowError, RuntimeError, BufferError) as error:
        raise InputError(f"{what}: cannot make an array of ids from {type(obj).__name__} ({error})") from None


# NumPy and lists ---------------------------------------------------------------------------------------------------


def _of_list(values: Sequence[Any], place: Place) -> IdArray | Texts:
    if any(isinstance(value, str | bytes | uuid.UUID) for value in values[:1]):
        return texts_of(list(values), place)
    array = numbers_of(values)
    return of_objects(list(values), place) if array is None else _of_array(array, place)


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
        return texts_of(array, place)
    if kind == "O":
        return of_objects(array.tolist(), place)
    raise place.error_of_kind(array.dtype)


def are_plain(u: Any, v: Any) -> bool:
    """Whether two objects are arrays of NumPy, of no subclass, that are two columns of ids as they are."""
    if type(u) is not np.ndarray or type(v) is not np.ndarray or u.dtype != v.dtype or u.dtype not in _NATIVE:
        return False
    if u.ndim != 1 or u.shape != v.shape:
        return False
    a, b = u.flags, v.flags
    return a.c_contiguous and b.c_contiguous and a.aligned and b.aligned


def _strided(array: NDArray[Any]) -> IdArray:
    # The core takes any positive stride of whole elements from an aligned start; any other view is copied.
    step = array.strides[0] if array.size > 1 else array.itemsize
    fits = step > 0 and step % array.itemsize == 0 and array.flags.aligned
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
    bits = exact_bits(array.dtype)
    with np.errstate(invalid="ignore"):
        size = np.abs(array)
        wrong = ~((np.floor(array) == array) & (np.frexp(size)[1] <= bits) & np.isfinite(array))
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        if np.isnan(array[i]):
            raise place.error_at_nan(first + i, array[i])
        if np.isfinite(array[i]) and np.floor(array[i]) == array[i]:
            problem = f"is too large: {array.dtype} is exact below 2^{bits} only"
        else:
            problem = "is not a whole number"
        raise place.error_at(first + i, f"= {array[i]} {problem}")


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
        return texts_of(column, place)
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
    parts = []
    for chunk in _chunks(column):
        dictionary = chunk.dictionary.cast(arrow.large_string()) if view else chunk.dictionary
        parts += [dictionary.take(chunk.indices[part]) for part in slices(len(chunk))]
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
    wide = arrow.decimal256(76, column.type.scale)
    for kind, dtype in ((arrow.int64(), np.int64), (arrow.uint64(), np.uint64)):
        ids: IdArray = np.empty(len(column), dtype=dtype)
        try:
            for part in slices(len(column)):
                ids[part] = np.asarray(column[part].cast(wide).cast(kind))
        except arrow.ArrowException:
            continue
        return ids
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
