"""What makes a list of edges of objects of Python that are none: sets, dicts, and what is iterated once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import Any
from uuid import UUID

import numpy as np

from landbridge.edges.column_names import choose_columns, possible_pairs
from landbridge.edges.id_columns import is_one
from landbridge.edges.place import shown
from landbridge.errors import InputError

_FEW = 100
"""Keys, and values of each, that are looked at."""


def way_to_list(obj: Any, name: str = "edges") -> str:
    """What makes a list of pairs, or two columns, of an object that is no list of edges, for messages; "" for others.

    name: of the object in what a caller writes.
    """
    if isinstance(obj, Mapping):
        return _way_from_mapping(obj, name)
    if isinstance(obj, Set):
        return _way_from_set(obj, name)
    return way_from_iterator(obj, name)


def way_from_iterator(obj: Any, name: str) -> str:
    """What makes a list of what is iterated once, for messages; "" for others."""
    return f"; list({name}) makes a list of what it yields" if isinstance(obj, Iterator) else ""


def way_from_rows(kinds: Collection[type], name: str = "edges") -> str:
    """What rows of some types are and what makes edges of them, for messages; "" for others than dicts and sets."""
    if all(issubclass(kind, Mapping) for kind in kinds):
        return f"dicts: pandas.DataFrame({name}) makes a data frame of them"
    if all(issubclass(kind, Set) for kind in kinds):
        return f"sets: [tuple(e) for e in {name}] makes a list of pairs"
    return ""


def _way_from_set(obj: Set[Any], name: str) -> str:
    some = list(islice(obj, _FEW))
    if all(isinstance(edge, tuple) and _are_ids(edge, 2) for edge in some):
        return f"; list({name}) makes a list of a set"
    if all(isinstance(edge, frozenset) and _are_ids(edge, 2) for edge in some):
        return f"; [tuple(e) for e in {name}] makes a list of its pairs"
    return ""


def _way_from_mapping(obj: Mapping[Any, Any], name: str) -> str:
    """Two columns by name, neighbours by vertex, one vertex by vertex, or values by pair."""
    keys = list(obj)
    values = [obj[key] for key in keys[:_FEW]]
    if not keys:
        return ""
    if any(isinstance(key, tuple) for key in keys):
        pairs = all(isinstance(key, tuple) and _are_ids(key, 2) for key in keys)
        are_vertices = any(isinstance(item, tuple) for value in values for item in _some_of(value))
        return f"; list({name}) makes a list of its pairs" if pairs and not are_vertices else ""
    singles = all(map(is_one, values))
    if not singles and not all(isinstance(value, Collection) and not is_one(value) for value in values):
        return ""
    ids = values if singles else [item for value in values for item in _some_of(value)]
    way = f"; list({name}.items())" if singles else f"; [(u, v) for u in {name} for v in {name}[u]]"
    way = f"{way} makes a list of its pairs" if _are_ids([*keys[:_FEW], *ids]) else ""
    if not all(isinstance(key, str) for key in keys):
        return way
    among_keys = [isinstance(item, str) and item in obj for item in ids]
    pair = () if singles else _two_columns(obj)
    if any(among_keys):
        return way if all(among_keys) or not pair else ""
    return f"; ({', '.join(f'{name}[{shown(key)}]' for key in pair)}) gives its columns" if pair else ""


def _two_columns(obj: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the two columns of edges, if the values are columns of one length; none if names are no pair."""
    names = list(obj)
    is_table = all(map(_is_column, obj.values()))
    if len(names) < 2 or not is_table or len({len(column) for column in obj.values()}) > 1:
        return ()
    try:
        i, j = choose_columns(names, [None] * len(names), "")
    except InputError:
        return ()
    ids = [*_some_of(obj[names[i]]), *_some_of(obj[names[j]])]
    is_pair = not {(i, j), (j, i)}.isdisjoint(possible_pairs(names))
    return (names[i], names[j]) if is_pair and _are_ids(ids) else ()


def _is_column(values: Any) -> bool:
    """Whether values are a column as a list or an array is one: a tuple is one edge or several."""
    is_sequence = isinstance(values, Collection) and hasattr(values, "__getitem__")
    return is_sequence and not is_one(values) and not isinstance(values, tuple | Mapping)


def _some_of(value: Any) -> Iterable[Any]:
    """Some of what a value holds; nothing of an id, and of what is iterated once."""
    return () if is_one(value) or not isinstance(value, Collection) else islice(value, _FEW)


def _are_ids(some: Collection[Any], size: int | None = None) -> bool:
    """Whether all are whole numbers or all are text, and of a number, if it is given."""
    kinds = set(map(_kind, some))
    return len(kinds) < 2 and "" not in kinds and size in (None, len(some))


def _kind(x: Any) -> str:
    """What an id is, "number" or "text"; "" for what is none."""
    one = x.item() if isinstance(x, np.generic) else x
    if isinstance(one, str | UUID):
        return "text"
    return "number" if not isinstance(one, bool) and isinstance(one, int | float) and one % 1 == 0 else ""
