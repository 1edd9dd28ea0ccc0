"""The values by which one record of a cluster is preferred to the others: a number or a time for each record."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.id_columns import ids_of
from landbridge.edges.names import NameArray
from landbridge.edges.numbering import Numbering
from landbridge.edges.on_device import is_device_array
from landbridge.edges.place import Place, is_null
from landbridge.errors import InputError
from landbridge.tables import on_host

Array = NDArray[Any]
_TAKES = "keep takes 'smallest', 'first', a callable, or a number, bool or time for each record"
# Types of objects that have an order among themselves.
_ORDERED = (int, float, np.number, np.bool_, Decimal, Fraction, date, time, timedelta)


def preferences_of(keep: Any, ids: Any, column: Any, name: str) -> Array:
    """Numbers, one for each record, in the order of the values of a column: the record with the largest is preferred.

    Parameters
    ----------
    keep : column
        Numbers, bools or times: of NumPy, pandas, polars, Arrow, a GPU, or a list. A Series of pandas goes by its
        index, see `_in_order`.
    ids : array or NameArray
        Of the records.
    column : column, optional
        The ids as they came in a table.
    name : str
        Of the column of ids.

    Raises
    ------
    InputError
        For a record without a value, and for values without an order.
    """
    if isinstance(keep, str):
        raise InputError(f"{_TAKES}, not {keep!r}; a column of the records goes in as records[{keep!r}]")
    if type(keep).__module__.partition(".")[0] == "pandas" and hasattr(keep, "reindex") and hasattr(keep, "index"):
        keep = _in_order(keep, ids, column, name)
    values = _array(keep)
    if values.shape != (len(ids),):
        shown = f"{len(values)}" if values.ndim == 1 else f"an array of shape {values.shape}"
        raise InputError(f"keep: one value for each record, {len(ids)} of them, not {shown}")
    if values.dtype.kind == "f":
        _refuse_null(np.isnan(values))
        return values
    if values.dtype.kind in "mM":
        _refuse_null(np.isnat(values))
        return values.view(np.int64)
    if values.dtype.kind == "b":
        return values.astype(np.int8)
    return values if values.dtype.kind in "iu" else _ranks(values)


def _array(keep: Any) -> Array:
    """A column as an array. Raises InputError for null, and for what is no column."""
    if is_device_array(keep):
        keep = on_host(keep)
    if getattr(getattr(keep, "dtype", None), "tz", None) is not None:  # of pandas: no objects are made of its times
        keep = getattr(keep, "dt", keep).tz_convert(None)
    try:
        values = np.asarray(keep)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise InputError(f"{_TAKES}, not {type(keep).__name__} ({error})") from None
    if isinstance(keep, np.ma.MaskedArray):
        _refuse_null(np.atleast_1d(np.ma.getmaskarray(keep)))
    if values.dtype.kind in "US" and values.size:
        _refuse_text(values.ravel()[0])
    if values.ndim == 0:
        raise InputError(f"{_TAKES}, not {type(keep).__name__}")
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def _refuse_null(nulls: Array) -> None:
    if nulls.any():
        raise InputError(f"keep: record {int(np.argmax(nulls))} has no value")


def _refuse_text(value: Any) -> None:
    raise InputError(
        f"keep: text such as {str(value)[:40]!r} has no order of its own; make numbers or times of it "
        "(pandas.to_datetime, astype(float))"
    )


def _ranks(values: Array) -> Array:
    """The rank of each object among those that differ: times with zones, dates, decimals, large numbers."""
    objects = values.tolist()
    distinct: set[Any] = set()
    for part in _parts(len(objects)):
        for i, value in enumerate(objects[part], part.start):
            if is_null(value):
                raise InputError(f"keep: record {i} has no value")
            if isinstance(value, str | bytes):
                _refuse_text(value)
            if not isinstance(value, _ORDERED):
                raise InputError(f"keep: record {i} has {value!r}, which is no number and no time"[:200])
        distinct.update(objects[part])
    try:
        ordered = _ascending(list(distinct))
    except TypeError as error:  # a date beside a datetime, a time with a zone beside one without
        raise InputError(f"keep: the values have no common order ({error})") from None
    rank: dict[Any, int] = {}
    for part in _parts(len(ordered)):
        rank.update(zip(ordered[part], range(part.start, part.stop), strict=True))
    ranks = np.empty(len(objects), dtype=np.int64)
    for part in _parts(len(objects)):
        ranks[part] = [rank[value] for value in objects[part]]
    return ranks


_PART = 1 << 13
"""Objects between two looks at the time: a comparison may be a function of Python's."""
_SAMPLES = 16
"""Objects of a sample for each part of the sorted ones."""


def _parts(count: int) -> Iterator[slice]:
    """As `slices`, of fewer objects."""
    for begin in range(0, count, _PART):
        _core.check_time()
        yield slice(begin, min(count, begin + _PART))


def _ascending(objects: list[Any]) -> list[Any]:
    """As sorted, in parts of about `_PART` objects between those of a sample. Raises TypeError as it does."""
    bounds = sorted(objects[:: _PART // _SAMPLES])[_SAMPLES::_SAMPLES]
    parts: list[list[Any]] = [[] for _ in range(len(bounds) + 1)]
    for some in _parts(len(objects)):
        for value in objects[some]:
            parts[bisect(bounds, value)].append(value)
    ordered: list[Any] = []
    for part in parts:
        _core.check_time()
        ordered += sorted(part)
    return ordered


def _in_order(series: Any, ids: Any, column: Any, name: str) -> Any:
    """A Series of pandas in the order of the records.

    Its labels are ids if its index has the name of the column of ids, or if the records have no index; else they are
    those of the index of the records, as where pandas assigns a column. An index of no other labels than positions,
    beside records without an index, is the order of the records. Labels without a record are left out.
    """
    index = series.index
    own = getattr(column, "index", None) if type(column).__module__.partition(".")[0] == "pandas" else None
    by_id = index.nlevels == 1 and index.name is not None and str(index.name) == name
    if own is not None and index.equals(own):
        return series
    if not index.is_unique:
        again = index[index.duplicated()].tolist()[0]
        raise InputError(f"keep: its index has the label {again!r} more than once, so its values have no clear record")
    if own is not None and not by_id:
        places, labels = index.get_indexer(own), own
    elif isinstance(index, import_module("pandas").RangeIndex) and index.equals(type(index)(len(ids))) and not by_id:
        return series
    else:
        places, labels = _by_id(index, ids), ids
    if len(places) and int(places.min()) < 0:
        i = int(np.argmax(places < 0))
        label = labels[i].item() if isinstance(labels[i], np.generic) else labels[i]
        raise InputError(
            f"keep: its index has no label {label!r}, that of record {i}; keep.to_numpy() goes by the order of records"
        )
    return series.take(places)


def _by_id(index: Any, ids: Any) -> Array:
    """Where in an index each id is, -1 for one that is not there."""
    labels: Any = ids_of(index, Place("the index of keep", "value"))
    texts = isinstance(labels, tuple)
    if texts != isinstance(ids, NameArray):
        return np.full(len(ids), -1)
    numbering = Numbering(1, "names" if texts else "sparse")
    if len(index):
        numbering.number(NameArray(*labels) if texts else labels)
    if len(numbering) < len(index):
        raise InputError("keep: its index has one id more than once, so its values have no clear record")
    return np.asarray(numbering.find(ids))
