"""Unions of ids of several results: numbers by value, text by its bytes, anything else by its own order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.names import NameArray, encoded
from landbridge.edges.numbering import Numbering
from landbridge.errors import InputError

_Place = NDArray[np.signedinteger[Any]]
_NOWHERE = np.empty(0, dtype=np.int64)


def united(lists: list[Any], threads: int) -> tuple[Any, list[_Place]]:
    """The union of lists of ids.

    Lists that ascend are merged in pairs; others go through a hash table. Ids that are neither numbers nor text need an
    order of their own.

    Returns
    -------
    (ids, list of array)
        The different ids, ascending, and the places of each list's ids among them.

    Raises
    ------
    InputError
        If the ids of all lists have no common order.
    """
    columns = [_as_ids(ids) for ids in lists]
    if len(columns) > 1 and not all(map(len, columns)):  # a list without ids may be of any kind
        full = [i for i, ids in enumerate(columns) if len(ids)] or [0]
        ids, places = united([columns[i] for i in full], threads)
        each = dict(zip(full, places, strict=True))
        return ids, [each.get(i, _NOWHERE) for i in range(len(columns))]
    if all(isinstance(ids, NameArray) for ids in columns):
        ascending = all(
            _core.names_ascend(offsets, data, threads) for offsets, data in (ids.buffers for ids in columns)
        )
    elif all(isinstance(ids, np.ndarray) and ids.dtype.kind in "iu" for ids in columns):
        columns = _one_type(columns)
        ascending = all(_core.ids_ascend(ids, threads) for ids in columns)
    else:
        return _by_their_order(lists)
    if not ascending:
        return _by_table(columns, threads)
    return _by_merging(columns, threads)


def merged(one: Any, two: Any, threads: int) -> tuple[Any, _Place, _Place]:
    """The union of two ascending lists of ids of one kind: names, or int64 and uint64. O(n), without a sort.

    Returns
    -------
    (ids, array, array)
        The different ids, ascending, and the places of each list's ids among them.
    """
    if isinstance(one, NameArray):
        assert isinstance(two, NameArray)
        offsets, data, in_one, in_two = _core.unite_names(*one.buffers, *two.buffers, threads)
        return NameArray(offsets, data), in_one, in_two
    a, b = _one_type([one, two])
    ids, in_a, in_b = _core.unite_ids(a, b, threads)
    return ids, in_a, in_b


def positions(ids: Any, some: Any) -> NDArray[np.int32]:
    """The places of some ids among ids that are all different. Raises InputError for an id that has none."""
    known = _as_ids(ids)
    if not isinstance(known, NameArray) and known.dtype.kind == "O":
        place = {value: i for i, value in enumerate(known.tolist())}
        numbers = np.fromiter((place.get(x, -1) for x in some.tolist()), np.int32, len(some))
    else:
        table = Numbering(1)
        table.add(known)
        numbers = table.find(some)
    if len(numbers) and int(numbers.min()) < 0:
        raise InputError(f"edge {int(numbers.argmin())}: {some[int(numbers.argmin())]!r} is none of the ids")
    return numbers


def _as_ids(ids: Any) -> Any:
    """Numbers as an array, text as a NameArray, anything else as an array of objects."""
    if isinstance(ids, NameArray):
        return ids
    array = ids.get() if hasattr(ids, "get") else np.asarray(ids)
    if array.dtype.kind in "iu":
        array = array if array.dtype.itemsize >= 4 and array.dtype.isnative else array.astype(f"{array.dtype.kind}8")
        return np.ascontiguousarray(array)
    if array.dtype.kind in "UT" or (array.dtype.kind == "O" and all(isinstance(x, str) for x in array)):
        return NameArray(*encoded(array, "the id"))
    return array.astype(object)


def _by_merging(lists: list[Any], threads: int) -> tuple[Any, list[_Place]]:
    # A binary tree of unions: each id is moved log k times.
    groups: list[tuple[Any, dict[int, _Place | None]]] = [(ids, {i: None}) for i, ids in enumerate(lists)]
    while len(groups) > 1:
        pairs = [_pair(a, b, threads) for a, b in zip(groups[::2], groups[1::2], strict=False)]
        groups = pairs + groups[len(pairs) * 2 :]
    ids, places = groups[0]
    return ids, [np.arange(len(ids)) if (place := places[i]) is None else place for i in range(len(lists))]


def _pair(
    one: tuple[Any, dict[int, _Place | None]], two: tuple[Any, dict[int, _Place | None]], threads: int
) -> tuple[Any, dict[int, _Place | None]]:
    (a, of_a), (b, of_b) = one, two
    ids, in_a, in_b = merged(a, b, threads)
    places: dict[int, _Place | None] = {i: in_a if place is None else in_a[place] for i, place in of_a.items()}
    return ids, places | {i: in_b if place is None else in_b[place] for i, place in of_b.items()}


def _by_table(lists: list[Any], threads: int) -> tuple[Any, list[_Place]]:
    table = Numbering(threads)
    numbers = [table.number(ids) for ids in lists]
    order, ids = table.in_order()
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=order.dtype)
    return ids, [rank[some] for some in numbers]


def _by_their_order(lists: list[Any]) -> tuple[Any, list[_Place]]:
    try:
        ids, places = np.unique(np.concatenate([np.asarray(ids) for ids in lists]), return_inverse=True)
    except TypeError as error:
        raise InputError(f"the ids of the parts have no common order ({error})") from None
    stops = np.cumsum([len(some) for some in lists])
    return ids, np.split(places.astype(np.int64, copy=False), stops[:-1])


def _one_type(ids: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """The same ids in one integer type: NumPy would take int64 and uint64 to inexact floats."""
    wide = np.result_type(*(part.dtype for part in ids))
    if wide.kind != "f":
        return [part.astype(wide, copy=False) for part in ids]
    if all(part.dtype.kind == "u" or len(part) == 0 or int(part.min()) >= 0 for part in ids):
        return [part.astype(np.uint64) for part in ids]
    if all(part.dtype.kind == "i" or len(part) == 0 or int(part.max()) < 2**63 for part in ids):
        return [part.astype(np.int64) for part in ids]
    raise InputError("some ids are negative and some from 2^63 on: no type of integers holds both")
