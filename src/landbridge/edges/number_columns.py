"""One column of numbers beside edges or lists, whole or not: weights, values, scores, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.place import Place, shown
from landbridge.passes import elements_of, host_array, is_whole, numbers_of, slices


def values_of(column: Any, place: Place) -> NDArray[Any]:
    """A column in host memory as an array of the same numbers, of NumPy's type for them; arrays are not copied.

    Python's objects, in a list or an array, become int64, uint64, float64, or bool if all of them are bools.

    Raises
    ------
    InputError
        With the element, for an object that is no number of these, a bool among others, and an integer that a float64
        beside other floats would round; for what is no column.
    """
    values = elements_of(column)
    if values is None:
        try:
            array = host_array(column)
        except (ValueError, TypeError, OverflowError, RuntimeError, BufferError) as error:
            raise place.error(f"must be a one-dimensional array of numbers: {error}") from None
        if array.ndim != 1:
            raise place.error(f"must be a one-dimensional array of numbers, not {_kind(column, array)}")
        if array.dtype.kind == "f" and not isinstance(getattr(column, "dtype", None), np.dtype):
            _refuse_rounded(column, array, place)
        if array.dtype.kind != "O":
            return array.astype(array.dtype.newbyteorder("="), copy=False)
        values = array.tolist()
    numbers = numbers_of(values)
    return _mixed(values, place) if numbers is None else numbers


def _refuse_rounded(column: Any, array: NDArray[np.floating], place: Place) -> None:
    """Raise InputError for an integer of a column with missing values which its float does not equal.

    Such a column of pandas, polars or Arrow is one of floats in NumPy, not a number where a value is missing.
    """
    rows = column.iloc if hasattr(column, "iloc") else column
    for part in slices(len(array)):
        large = np.flatnonzero(np.abs(array[part]) >= 2.0**53)
        if not large.size:
            continue
        some = rows[part]
        listed = (
            some.to_pylist() if hasattr(some, "to_pylist") else some.tolist() if hasattr(some, "tolist") else list(some)
        )
        for i in large.tolist():
            if is_whole(listed[i]) and not _is_float(int(listed[i])):
                number = shown(int(listed[i]))
                raise place.error_at(
                    part.start + i, f"= {number} is no float64, as beside missing values; give it as one"
                )


def _kind(column: Any, array: NDArray[Any]) -> str:
    return f"of shape {array.shape}" if array.ndim else type(column).__name__


def _mixed(values: Sequence[Any], place: Place) -> NDArray[Any]:
    """Numbers of several types, or what is refused."""
    numbers: list[int | float] = []
    kinds: set[type] = set()
    for part in slices(len(values)):
        for i, value in enumerate(values[part], part.start):
            numbers.append(_number(value, i, place))
        kinds.update(map(type, numbers[part]))
        if bool in kinds and len(kinds) > 1:
            i = next(i for i, number in enumerate(numbers) if type(number) is bool)
            raise place.error_at(i, f"= {numbers[i]} is no number, as others are")
    if kinds == {bool}:
        return np.array(numbers, dtype=np.bool_)
    return _of_floats(numbers, place) if float in kinds else _of_integers(numbers, place)


def _number(value: Any, i: int, place: Place) -> int | float:
    """One element as an int, a float or a bool of Python."""
    number = value
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        number = value.item()  # a scalar, or an array without dimensions
    if isinstance(number, bool):
        return number
    if isinstance(number, float) or is_whole(number):
        return float(number) if isinstance(number, float) else int(number)
    raise place.error_at(i, f"= {shown(value)} is neither an integer nor a float")


def _of_floats(numbers: list[int | float], place: Place) -> NDArray[np.float64]:
    """Floats, and integers among them, each of which is one."""
    array = np.empty(len(numbers), dtype=np.float64)
    for part in slices(len(numbers)):
        for i, number in enumerate(numbers[part], part.start):
            if type(number) is int and not _is_float(number):
                raise place.error_at(i, f"= {shown(number)} is no float64, and others are; give it as one")
        array[part] = numbers[part]
    return array


def _is_float(number: int) -> bool:
    try:
        return int(float(number)) == number
    except OverflowError:
        return False


def _of_integers(numbers: list[int | float], place: Place) -> NDArray[Any]:
    least, largest = min(numbers, default=0), max(numbers, default=0)
    dtype: type[np.integer[Any]] = np.uint64 if largest >= 2**63 and least >= 0 else np.int64
    range_ = np.iinfo(dtype)
    array = np.empty(len(numbers), dtype=dtype)
    for part in slices(len(numbers)):
        for i, number in enumerate(numbers[part], part.start):
            if not range_.min <= number <= range_.max:
                raise place.error_at(i, f"= {shown(number)} does not fit {array.dtype}; give them as float64")
        array[part] = numbers[part]
    return array
