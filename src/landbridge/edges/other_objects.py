"""What makes a list of edges of objects of Python that are none: sets, dicts, and what is iterated once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from landbridge.edges.column_names import is_pair
from landbridge.edges.place import shown


def way_to_list(obj: Any, name: str = "edges") -> str:
    """What makes a list of pairs, or two columns, of an object that is no list of edges, for messages; "" for others.

    name: of the object in what a caller writes.
    """
    if isinstance(obj, Mapping):
        return _way_from_mapping(obj, name)
    if isinstance(obj, Set):
        return f"; list({name}) makes a list of a set"
    if isinstance(obj, Iterator):
        return f"; list({name}) makes a list of what it yields"
    return ""


def _way_from_mapping(obj: Mapping[Any, Any], name: str) -> str:
    """Two columns by name, neighbours by vertex, one vertex by vertex, or values by pair."""
    keys = list(obj)
    if not keys:
        return ""
    value = obj[keys[0]]
    if len(keys) == 2 and all(isinstance(key, str) for key in keys) and is_pair(*keys) and not isinstance(value, str):
        return f"; ({name}[{shown(keys[0])}], {name}[{shown(keys[1])}]) gives its columns"
    if all(isinstance(key, tuple) and len(key) == 2 for key in keys[:1]):
        return f"; list({name}) makes a list of its pairs"
    if hasattr(value, "__iter__") and not isinstance(value, str | bytes):
        return f"; [(u, v) for u in {name} for v in {name}[u]] makes a list of its pairs"
    return f"; list({name}.items()) makes a list of its pairs"
