"""Tasks behind the labels: rows of ids, names of components, and the check."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.cluster.keys import IdType, Keys, Table, arrow, ids_of, ids_of_texts, keys_of, owner
from landbridge.cluster.messages import Inbox, Kind, Outbox
from landbridge.cluster.packing import Texts, rows_of
from landbridge.cluster.tasks import Edges

NO_TEXTS: Any = (np.zeros(1, np.int64), np.empty(0, np.uint8))


def _first(numbers: NDArray[Any], count: int) -> NDArray[np.int64]:
    """A row of each of `count` numbers."""
    rows = np.zeros(count, dtype=np.int64)
    rows[numbers] = np.arange(len(numbers))
    return rows


def _texts(texts: Texts, rows: NDArray[Any]) -> Texts:
    some: Any = rows_of(texts, rows)
    return some[0], some[1]


def _distinct(ids: IdType, keys: Keys) -> tuple[Table, NDArray[np.int64]]:
    """A table of keys and a row of each."""
    table = Table(ids)
    return table, _first(table.number(keys), len(table))


@dataclass(frozen=True)
class LabelTable:
    """LABEL of one owner to a table of ids and components, in the type of the ids; ids that are not hashes."""

    ids: IdType
    names: tuple[str, str]

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        keys, labels = Inbox(batches).columns(Kind.LABEL, self.ids.empty(), self.ids.empty())
        if len(keys):
            _, rows = _distinct(self.ids, keys)
            yield _table([ids_of(keys[rows], self.ids), ids_of(labels[rows], self.ids)], self.names)


def _table(columns: list[Any], names: tuple[str, ...]) -> Any:
    return arrow().record_batch(columns, names=list(names))


@dataclass(frozen=True)
class ForestTable:
    """FOREST of one owner to a table of its edges; ids that are not hashes."""

    ids: IdType
    names: tuple[str, str]

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        u, v = Inbox(batches).columns(Kind.FOREST, self.ids.empty(), self.ids.empty())
        if len(u):
            yield _table([ids_of(u, self.ids), ids_of(v, self.ids)], self.names)


@dataclass(frozen=True)
class NameFirst:
    """FOREST and NAME at the owners of first endpoints to EDGE: second endpoint and text of the first."""

    ids: IdType
    parts: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("names")
        inbox = Inbox(batches)
        u, v = inbox.columns(Kind.FOREST, self.ids.empty(), self.ids.empty())
        keys, texts = inbox.columns(Kind.NAME, self.ids.empty(), NO_TEXTS)
        if len(u):
            table, rows = _distinct(self.ids, keys)
            out.send(Kind.EDGE, owner(v, self.parts), v, _texts(texts, rows[table.find(u)]))
        yield from out.rest()


@dataclass(frozen=True)
class NameSecond:
    """EDGE of `NameFirst` and NAME at the owners of second endpoints to a table of edges."""

    ids: IdType
    names: tuple[str, str]

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        inbox = Inbox(batches)
        v, first = inbox.columns(Kind.EDGE, self.ids.empty(), NO_TEXTS)
        keys, texts = inbox.columns(Kind.NAME, self.ids.empty(), NO_TEXTS)
        if len(v):
            table, rows = _distinct(self.ids, keys)
            second = _texts(texts, rows[table.find(v)])
            yield _table([ids_of_texts(first, self.ids), ids_of_texts(second, self.ids)], self.names)


@dataclass(frozen=True)
class JoinComponents:
    """LABEL and NAME of one owner to ROW, which stay here, and ROOT to the owner of each component."""

    ids: IdType
    parts: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("components")
        inbox = Inbox(batches)
        keys, labels = inbox.columns(Kind.LABEL, self.ids.empty(), self.ids.empty())
        if len(keys):
            _, rows = _distinct(self.ids, keys)
            keys, labels = keys[rows], labels[rows]
            texts: Texts | None = None
            if self.ids.hashed:
                named, all_texts = inbox.columns(Kind.NAME, self.ids.empty(), NO_TEXTS)
                table, rows = _distinct(self.ids, named)
                texts = _texts(all_texts, rows[table.find(keys)])
            out.send(Kind.ROW, to, keys, labels, *([] if texts is None else [texts]))
            components = Table(self.ids)
            numbers = components.number(labels)
            sizes = np.bincount(numbers, minlength=len(components)).astype(np.uint64)
            roots = components.keys()
            here = np.full(len(roots), to, dtype=np.uint64)
            smallest = [] if texts is None else [_smallest(numbers, len(roots), texts)]
            out.send(Kind.ROOT, owner(roots, self.parts), roots, here, sizes, *smallest)
        yield from out.rest()


def _smallest(groups: NDArray[Any], count: int, texts: Texts) -> Texts:
    """The smallest text of each of `count` groups, by its bytes."""
    pa, compute = arrow(), importlib.import_module("pyarrow.compute")
    offsets, data = (np.ascontiguousarray(x) for x in texts)
    array = pa.Array.from_buffers(pa.large_binary(), len(groups), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    table = pa.table({"group": pa.array(groups), "text": array})
    order = np.asarray(compute.sort_indices(table, sort_keys=[("group", "ascending"), ("text", "ascending")]))
    sorted_groups = np.asarray(groups)[order]
    first = order[np.flatnonzero(np.r_[True, sorted_groups[1:] != sorted_groups[:-1]])]
    assert len(first) == count
    return _texts(texts, first.astype(np.int64))


@dataclass(frozen=True)
class Reply:
    """ROOT of one owner to ROOT_REPLY to all tasks with rows of that component."""

    ids: IdType

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("reply")
        empty, none = self.ids.empty(), np.empty(0, np.uint64)
        roots, by, sizes, *texts = Inbox(batches).columns(Kind.ROOT, empty, none, none)
        if len(roots):
            table = Table(self.ids)
            numbers = table.number(roots)
            # A message that came twice counts once.
            once = np.unique(np.stack([numbers.astype(np.int64), by.astype(np.int64)]), axis=1, return_index=True)[1]
            numbers, by, sizes = numbers[once], by[once], sizes[once]
            totals = np.zeros(len(table), dtype=np.uint64)
            np.add.at(totals, numbers, sizes)
            columns: list[Any] = [table.keys()[numbers], totals[numbers]]
            if texts:
                some: Any = _texts(texts[0], once)
                columns.append(_texts(_smallest(numbers, len(table), some), numbers))
            out.send(Kind.ROOT_REPLY, by.astype(np.int64), *columns)
        yield from out.rest()


@dataclass(frozen=True)
class NamedRows:
    """ROW and ROOT_REPLY of one task to a table of ids and components, without those smaller than `min_size`."""

    ids: IdType
    names: tuple[str, str]
    min_size: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        inbox = Inbox(batches)
        empty = self.ids.empty()
        keys, labels, *own = inbox.columns(Kind.ROW, empty, empty)
        roots, totals, *texts = inbox.columns(Kind.ROOT_REPLY, empty, np.empty(0, np.uint64))
        if not len(labels):
            return
        _, once = _distinct(self.ids, keys)
        table, rows = _distinct(self.ids, roots)
        at = rows[table.find(labels)]
        some = once[totals[at[once]] >= self.min_size]
        if self.ids.hashed:
            places: Any = (own[0], some), (texts[0], at[some])
            columns = [ids_of_texts(_texts(column, where), self.ids) for column, where in places]
        else:
            columns = [ids_of(keys[some], self.ids), ids_of(labels[some], self.ids)]
        if len(some):
            yield _table(columns, self.names)


# the check ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SendEndpoints:
    """Edges as they come, each to the owner of its first endpoint: ENDS. What comes twice in a group is sent once."""

    edges: Edges
    parts: int

    def __call__(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("endpoints")
        for columns in self.edges.groups(partition, batches):
            u, v = (keys_of(column, self.edges.ids) for column in columns)
            out.send(Kind.ENDS, owner(u, self.parts), u, v)
            yield from out.full()
        yield from out.rest()


@dataclass(frozen=True)
class FirstLabel:
    """LABEL and ENDS at the owners of first endpoints to SAME at those of the second."""

    ids: IdType
    parts: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("first")
        inbox, empty = Inbox(batches), self.ids.empty()
        keys, labels = inbox.columns(Kind.LABEL, empty, empty)
        u, v = inbox.columns(Kind.ENDS, empty, empty)
        table, rows = _distinct(self.ids, keys)
        at = table.find(u) if len(u) else np.empty(0, np.int32)
        out.counters |= {"keys": len(table), "roots": int(_equal(keys[rows], labels[rows]).sum())}
        out.counters |= {"missing": int((at < 0).sum()), "above": int(_above(labels[rows], keys[rows]))}
        known = at >= 0
        out.send(Kind.SAME, owner(v[known], self.parts), labels[rows[at[known]]], v[known])
        yield from out.rest()


@dataclass(frozen=True)
class SecondLabel:
    """LABEL and SAME at the owners of second endpoints to counters: how many edges have different labels."""

    ids: IdType

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("second")
        inbox, empty = Inbox(batches), self.ids.empty()
        keys, labels = inbox.columns(Kind.LABEL, empty, empty)
        label, v = inbox.columns(Kind.SAME, empty, empty)
        table, rows = _distinct(self.ids, keys)
        at = table.find(v) if len(v) else np.empty(0, np.int32)
        known = at >= 0
        differ = ~_equal(labels[rows[at[known]]], label[known])
        out.counters |= {"missing": int((~known).sum()), "differ": int(differ.sum())}
        if differ.any():
            out.counters["example"] = _word(v[known][differ][:1], self.ids)
        yield from out.rest()


def _equal(a: Keys, b: Keys) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = a == b if a.ndim == 1 else (a == b).all(axis=1)
    return same


def _above(labels: Keys, keys: Keys) -> int:
    """How many labels are not the smallest of their component: larger than one of its keys."""
    if labels.ndim == 1:
        return int((labels > keys).sum())
    (a, c), (b, d) = ((np.ascontiguousarray(x).view(">u8")[:, i] for i in (0, 1)) for x in (labels, keys))
    return int(((a > b) | ((a == b) & (c > d))).sum())


def _word(keys: Keys, ids: IdType) -> str:
    return "an id" if ids.hashed else f"id {ids_of(keys, ids)[0].as_py()!r}"
