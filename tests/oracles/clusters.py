"""What a stream of rows of ids must say: worked out from all rows, with sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Row = tuple[Any, Any]


def key(identity: Any) -> Any:
    """What ids are ordered by: numbers by value, text by its bytes."""
    return identity.encode() if isinstance(identity, str) else identity


class Clusters:
    """The clusters of rows, in the order in which they came."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.of: dict[Any, set[Any]] = {}  # in the order in which ids turned up
        for u, v in rows:
            a, b = (self.of.setdefault(x, {x}) for x in (u, v))
            if a is not b:
                if len(a) < len(b):
                    a, b = b, a
                a |= b
                for x in b:
                    self.of[x] = a
        self.age = {x: i for i, x in enumerate(self.of)}

    def ids(self) -> list[Any]:
        """All of them, ascending."""
        return sorted(self.of, key=key)

    def members(self, x: Any) -> list[Any]:
        """The cluster of an id, ascending."""
        return sorted(self.of.get(x, {x}), key=key)

    def find(self, x: Any, kind: str) -> Any:
        """What the cluster of an id is called."""
        return min(self.of.get(x, {x}), key=key if kind == "smallest" else self.age.get)

    def labels(self) -> list[int]:
        """Of the ids in their order."""
        number: dict[Any, int] = {}
        return [number.setdefault(self.find(x, "smallest"), len(number)) for x in self.ids()]


def changes(before: Clusters, now: Clusters, kind: str) -> list[tuple[Any, list[Any], list[Any]]]:
    """(representative now, representatives of the clusters that merged, new ids) of each cluster that changed."""
    result = []
    for x in sorted({now.find(x, kind) for x in now.of}, key=key):
        then = sorted({before.find(y, kind) for y in now.of[x] if y in before.of}, key=key)
        new = sorted((y for y in now.of[x] if y not in before.of), key=now.age.__getitem__)
        if len(then) != 1 or new:
            result.append((x, then, new))
    return result
