"""Tables of answers, in the library of the caller's data frames."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.errors import InputError


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


def table_of(columns: dict[str, Any], library: str) -> Any:
    """A data frame of arrays and of columns of text that Arrow takes. No Python object is made of a text."""
    if library not in ("pandas", "polars", "pyarrow"):
        raise ValueError(f"frames are of pandas, polars or pyarrow, not {library!r}")
    frames: Any = import_module(library)
    text = any(not isinstance(column, np.ndarray) or column.dtype.kind == "O" for column in columns.values())
    if library != "pyarrow" and not text:
        return frames.DataFrame(columns)
    try:
        arrow: Any = import_module("pyarrow")
        table = arrow.table({name: arrow.array(column) for name, column in columns.items()})
    except ImportError:
        if library == "pyarrow":
            raise
        return frames.DataFrame({name: np.asarray(column) for name, column in columns.items()})
    except arrow.ArrowException as error:
        if library == "pandas":  # a column of any objects
            return frames.DataFrame({name: np.asarray(column) for name, column in columns.items()})
        raise InputError(f"these ids fit no column of Arrow ({error}); frame('pandas') takes them") from None
    if library == "pandas":
        return table.to_pandas()
    return table if library == "pyarrow" else frames.DataFrame(table)
