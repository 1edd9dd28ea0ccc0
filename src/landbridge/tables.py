"""Tables of answers, in the library of the caller's data frames."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.errors import InputError, MissingDependency
from landbridge.flags import is_word
from landbridge.passes import slices

_INSTALLED_BY = {"pandas": "pandas", "polars": "polars", "pyarrow": "'landbridge[io]'"}
"""The libraries of data frames, and what pip installs each by."""


class Repeated:
    """The name of the smallest vertex of each vertex's component, taken by Arrow where that is there.

    ids: the names of all vertices. first: the first vertex of each component; labels: of each vertex.
    """

    def __init__(self, ids: Any, first: NDArray[Any], labels: NDArray[Any]) -> None:
        self._ids, self._first, self._labels = ids, first, labels

    def __arrow_array__(self, type: Any = None) -> Any:
        arrow: Any = import_module("pyarrow")
        column = arrow.array(self._ids).take(arrow.array(self._first)).take(arrow.array(self._labels))
        return column if type is None else column.cast(type)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        names: NDArray[Any] = self._ids[self._first][self._labels]
        return names


def on_host(array: Any) -> Any:
    """An array that is not on a device."""
    return array if isinstance(array, np.ndarray) else array.get() if hasattr(array, "get") else array


def table_of(columns: dict[str, Any], library: str | None, default: str | None = None) -> Any:
    """A data frame of arrays and of columns of text that Arrow takes. No Python object is made of a text.

    library: None for the default; and None for that is pyarrow, or pandas if a column of objects fits none of Arrow's
    types.

    Raises
    ------
    MissingDependency
        If it is not installed.
    InputError
        For another library, and for columns that it does not hold.
    """
    library = default if library is None else library
    if library is not None and not is_word(library, _INSTALLED_BY):
        raise InputError(f"frames are of pandas, polars or pyarrow, not {library!r}")
    frames = None if library is None else _module(library)
    text = any(not isinstance(column, np.ndarray) or column.dtype.kind == "O" for column in columns.values())
    if frames is not None and library != "pyarrow" and not text:
        return frames.DataFrame(columns)
    if kinds := _kinds_of(columns):
        return _objects(columns, library, f"the ids are of several types, {kinds}: no column of Arrow holds them")
    try:
        arrow = _module("pyarrow")
        table = arrow.table({name: _arrow_of(arrow, column) for name, column in columns.items()})
    except ImportError:
        if frames is None or library == "pyarrow":
            raise
        return frames.DataFrame({name: np.asarray(column) for name, column in columns.items()})
    except arrow.ArrowException:
        return _objects(columns, library, "these ids fit no column of Arrow")
    if library == "pandas":
        return table.to_pandas()
    return frames.DataFrame(table) if frames is not None and library == "polars" else table


def _module(library: str) -> Any:
    """A library of data frames. Raises MissingDependency if it is not installed."""
    try:
        return import_module(library)
    except ImportError:
        raise MissingDependency(f"{library} is not installed: pip install {_INSTALLED_BY[library]}") from None


def _arrow_of(arrow: Any, column: Any) -> Any:
    """A column of Arrow, of str slice by slice."""
    if not isinstance(column, np.ndarray) or column.dtype.kind != "O" or not len(column) or type(column[0]) is not str:
        return arrow.array(column)
    return arrow.chunked_array([arrow.array(column[part]) for part in slices(len(column))])


def _kinds_of(columns: dict[str, Any]) -> str:
    """The types of the elements of a column of objects, if there are several: Arrow may convert one to another."""
    for column in columns.values():
        if isinstance(column, np.ndarray) and column.dtype.kind == "O":
            kinds = sorted({kind.__name__ for part in slices(len(column)) for kind in set(map(type, column[part]))})
            if len(kinds) > 1:
                return ", ".join(kinds)
    return ""


def _objects(columns: dict[str, Any], library: str | None, problem: str) -> Any:
    """The table of pandas with a column of any objects. Raises InputError if another library is asked for."""
    if library in (None, "pandas"):
        try:
            return import_module("pandas").DataFrame({name: np.asarray(column) for name, column in columns.items()})
        except ImportError:
            if library is not None:
                raise
    raise InputError(f"{problem}; frame('pandas') takes them")
