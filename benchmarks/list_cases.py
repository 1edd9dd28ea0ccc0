"""Linked lists of the suites, by texts such as "random 2^20"."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from landbridge.edges.generators import linked_list


def size_of(name: str) -> int:
    """Return the number of elements of "random 2^20"."""
    base, _, power = name.rpartition(" ")[2].partition("^")
    return int(base) ** int(power or 1)


@cache
def shape_of(name: str) -> tuple[str, int]:
    """Return the generator's text, and how many lists there are."""
    shape, n = name.split(maxsplit=1)[0], size_of(name)
    lists = {"random": 1, "ordered": 1, "short": n // 8}[shape]
    return (f"linked_list({n},seed=1,lists={lists})" if shape != "ordered" else f"ordered({n})"), lists


@dataclass(frozen=True)
class ListCase:
    """Successors in host memory: one list in random order, one in the order of its elements, or lists of 8 in random
    order."""

    name: str
    successor: Any

    def describe(self) -> dict[str, Any]:
        """Return what a record says of the lists."""
        text, lists = shape_of(self.name)
        return {"name": self.name, "text": text, "n": size_of(self.name), "m": size_of(self.name), "components": lists}


def list_case(name: str) -> ListCase:
    """Make the lists of a name."""
    n = size_of(name)
    if name.startswith("ordered"):
        return ListCase(name, np.append(np.arange(1, n, dtype=np.int32), np.int32(-1)))
    return ListCase(name, linked_list(n, 1, shape_of(name)[1]))
