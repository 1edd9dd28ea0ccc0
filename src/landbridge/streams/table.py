"""Interim: a table of ids in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.names import NameArray


class Table:
    def __init__(self, threads: int, kind: str) -> None:
        self._kind = kind
        self._numbers: dict[Any, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def _values(self, column: Any) -> list[Any]:
        if isinstance(column, tuple):
            ends = np.asarray(column[0]).tolist()
            data = np.asarray(column[1]).tobytes()
            return [data[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]
        values: list[Any] = column.tolist()
        return values

    def number(self, u: Any, v: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        a, b = [], []
        for x, y in zip(self._values(u), self._values(v), strict=True):
            a.append(self._numbers.setdefault(x, len(self._numbers)))
            b.append(self._numbers.setdefault(y, len(self._numbers)))
        return np.array(a, dtype=np.int32), np.array(b, dtype=np.int32)

    def find(self, column: Any) -> NDArray[Any]:
        return np.array([self._numbers.get(x, -1) for x in self._values(column)], dtype=np.int32)

    def fresh(self, since: int) -> Any:
        ids = list(self._numbers)[since:]
        if self._kind == "names":
            offsets = np.zeros(len(ids) + 1, dtype=np.int64)
            np.cumsum([len(x) for x in ids], out=offsets[1:])
            return NameArray(offsets, np.frombuffer(b"".join(ids), np.uint8))
        try:
            return np.array(ids, dtype=np.int64)
        except OverflowError:
            return np.array(ids, dtype=np.uint64)

    def add(self, ids: Any) -> None:
        column = ids.buffers if isinstance(ids, NameArray) else ids
        for x in self._values(column):
            self._numbers.setdefault(x, len(self._numbers))

    def forget(self, size: int) -> None:
        for x in list(self._numbers)[size:]:
            del self._numbers[x]

    def in_order(self) -> tuple[NDArray[Any], Any]:
        ids = list(self._numbers)
        order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int32)
        other = Table(1, self._kind)
        other._numbers = {ids[i]: 0 for i in order}
        return order, other.fresh(0)
