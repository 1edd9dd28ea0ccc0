"""Tasks that verify labels: the labels of both endpoints of every edge meet at the owner of the second one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from landbridge.cluster.keys import IdType, KeyRows, Keys, equal_keys, ids_of, keys_of, owner
from landbridge.cluster.messages import Inbox, Kind, Outbox
from landbridge.cluster.tasks import EdgeReader


@dataclass(frozen=True)
class SendEndpoints:
    """Edges as they come, each to the owner of its first endpoint: ENDPOINTS."""

    edges: EdgeReader
    parts: int

    def __call__(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("endpoints")
        for columns in self.edges.groups(partition, batches):
            u, v = (keys_of(column, self.edges.ids) for column in columns)
            out.send(Kind.ENDPOINTS, owner(u, self.parts), u, v)
            yield from out.full()
        yield from out.rest()


@dataclass(frozen=True)
class SendLabels:
    """LABEL and ENDPOINTS at the owners of first endpoints to LABEL_EDGE at those of the second."""

    ids: IdType
    parts: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("first")
        inbox, empty = Inbox(batches), self.ids.empty()
        keys, labels = inbox.columns(Kind.LABEL, empty, empty)
        u, v = inbox.columns(Kind.ENDPOINTS, empty, empty)
        index = KeyRows(self.ids, keys)
        distinct = index.rows()
        rows = index.find(u)
        known = rows >= 0
        out.counters |= {"keys": len(index), "roots": int(equal_keys(keys[distinct], labels[distinct]).sum())}
        out.counters |= {"missing": int((~known).sum()), "above": _count_above(labels[distinct], keys[distinct])}
        out.send(Kind.LABEL_EDGE, owner(v[known], self.parts), labels[rows[known]], v[known])
        yield from out.rest()


@dataclass(frozen=True)
class CompareLabels:
    """LABEL and LABEL_EDGE at the owners of second endpoints to counters: how many edges have different labels."""

    ids: IdType

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("second")
        inbox, empty = Inbox(batches), self.ids.empty()
        keys, labels = inbox.columns(Kind.LABEL, empty, empty)
        label_u, v = inbox.columns(Kind.LABEL_EDGE, empty, empty)
        rows = KeyRows(self.ids, keys).find(v)
        known = rows >= 0
        differ = ~equal_keys(labels[rows[known]], label_u[known])
        out.counters |= {"missing": int((~known).sum()), "differ": int(differ.sum())}
        if differ.any():
            out.counters["example"] = _example(v[known][differ][:1], self.ids)
        yield from out.rest()


def _count_above(labels: Keys, keys: Keys) -> int:
    """How many labels are not the smallest of their component: larger than one of its keys."""
    if labels.ndim == 1:
        return int((labels > keys).sum())
    (a, c), (b, d) = ((np.ascontiguousarray(x).view(">u8")[:, i] for i in (0, 1)) for x in (labels, keys))
    return int(((a > b) | ((a == b) & (c > d))).sum())


def _example(keys: Keys, ids: IdType) -> str:
    return "an id" if ids.hashed else f"id {ids_of(keys, ids)[0].as_py()!r}"
