"""Tasks behind the labels: the texts of ids that are hashed, the sizes and names of components, and the tables."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.cluster.keys import IdType, KeyRows, Table, arrow, ids_of, ids_of_texts, owner
from landbridge.cluster.messages import Inbox, Kind, Outbox
from landbridge.cluster.packing import Texts, rows_of
from landbridge.cluster.versions import check_versions

_ROWS = 1 << 16
"""Rows of a batch of a table."""
NO_TEXTS: Any = (np.zeros(1, np.int64), np.empty(0, np.uint8))


def _texts_of(texts: Texts, rows: NDArray[Any]) -> Texts:
    offsets, data = rows_of(texts, rows)
    return offsets, data


@dataclass(frozen=True)
class LabelTable:
    """LABEL of one owner to a table of ids and components, in the type of the ids; ids that are not hashes."""

    ids: IdType
    names: tuple[str, str]

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        keys, labels = Inbox(batches).columns(Kind.LABEL, self.ids.empty(), self.ids.empty())
        if len(keys):
            if keys.ndim == 2 or not _core.ids_ascend(keys):  # else no key comes twice
                each = KeyRows(self.ids, keys).rows()
                keys, labels = keys[each], labels[each]
            for begin in range(0, len(keys), _ROWS):  # in place: no two batches share rows
                some = (column[begin : begin + _ROWS] for column in (keys, labels))
                yield _table([ids_of(column, self.ids, True) for column in some], self.names)


def _table(columns: list[Any], names: tuple[str, ...]) -> Any:
    return arrow().record_batch(columns, names=list(names))


@dataclass(frozen=True)
class ForestTable:
    """FOREST of one owner to a table of its edges; ids that are not hashes. versions: of the task that sent them."""

    ids: IdType
    names: tuple[str, str]
    versions: Mapping[int, int] = field(default_factory=dict)

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        inbox = Inbox(batches)
        check_versions(inbox, self.versions)
        u, v = inbox.columns(Kind.FOREST, self.ids.empty(), self.ids.empty())
        if len(u):
            yield _table([ids_of(u, self.ids), ids_of(v, self.ids)], self.names)


@dataclass(frozen=True)
class JoinFirstText:
    """FOREST and TEXT at the owners of first endpoints to EDGE: second endpoint and text of the first. versions: of the
    task that sent the forest."""

    ids: IdType
    parts: int
    versions: Mapping[int, int] = field(default_factory=dict)

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("names")
        inbox = Inbox(batches)
        check_versions(inbox, self.versions)
        u, v = inbox.columns(Kind.FOREST, self.ids.empty(), self.ids.empty())
        keys, texts = inbox.columns(Kind.TEXT, self.ids.empty(), NO_TEXTS)
        if len(u):
            rows = KeyRows(self.ids, keys).find(u)
            out.send(Kind.EDGE, owner(v, self.parts), v, _texts_of(texts, rows))
        yield from out.rest()


@dataclass(frozen=True)
class JoinSecondText:
    """EDGE of `JoinFirstText` and TEXT at the owners of second endpoints to a table of edges."""

    ids: IdType
    names: tuple[str, str]

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        inbox = Inbox(batches)
        v, first = inbox.columns(Kind.EDGE, self.ids.empty(), NO_TEXTS)
        keys, texts = inbox.columns(Kind.TEXT, self.ids.empty(), NO_TEXTS)
        if len(v):
            second = _texts_of(texts, KeyRows(self.ids, keys).find(v))
            yield _table([ids_of_texts(first, self.ids), ids_of_texts(second, self.ids)], self.names)


@dataclass(frozen=True)
class JoinComponents:
    """LABEL and TEXT of one owner to ROW, which stay with it, and ROOT to the owner of each component."""

    ids: IdType
    parts: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("components")
        inbox = Inbox(batches)
        keys, labels = inbox.columns(Kind.LABEL, self.ids.empty(), self.ids.empty())
        if len(keys):
            rows = KeyRows(self.ids, keys).rows()
            keys, labels = keys[rows], labels[rows]
            components = Table(self.ids)
            numbers = components.number(labels)
            roots = components.keys()
            row_texts: list[Texts] = []
            root_texts: list[Texts] = []
            if self.ids.hashed:
                known, known_texts = inbox.columns(Kind.TEXT, self.ids.empty(), NO_TEXTS)
                texts = _texts_of(known_texts, KeyRows(self.ids, known).find(keys))
                row_texts, root_texts = [texts], [_smallest_texts(numbers, len(roots), texts)]
            out.send(Kind.ROW, to, keys, labels, *row_texts)
            sizes = np.bincount(numbers, minlength=len(roots)).astype(np.uint64)
            sender = np.full(len(roots), to, dtype=np.uint64)
            out.send(Kind.ROOT, owner(roots, self.parts), roots, sender, sizes, *root_texts)
        yield from out.rest()


def _smallest_texts(groups: NDArray[Any], count: int, texts: Texts) -> Texts:
    """The smallest text of each of `count` groups, by its bytes."""
    pa, compute = arrow(), importlib.import_module("pyarrow.compute")
    offsets, data = (np.ascontiguousarray(x) for x in texts)
    array = pa.Array.from_buffers(pa.large_binary(), len(groups), [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    table = pa.table({"group": pa.array(groups), "text": array})
    order = np.asarray(compute.sort_indices(table, sort_keys=[("group", "ascending"), ("text", "ascending")]))
    sorted_groups = np.asarray(groups)[order]
    first = order[np.flatnonzero(np.r_[True, sorted_groups[1:] != sorted_groups[:-1]])]
    assert len(first) == count
    return _texts_of(texts, first.astype(np.int64))


@dataclass(frozen=True)
class SumComponents:
    """ROOT of one owner to ROOT_REPLY: the size and the name of a component, to all tasks with rows of it."""

    ids: IdType

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("reply")
        empty, none = self.ids.empty(), np.empty(0, np.uint64)
        roots, senders, sizes, *texts = Inbox(batches).columns(Kind.ROOT, empty, none, none)
        if len(roots):
            table = Table(self.ids)
            numbers = table.number(roots)
            # A message that came twice counts once.
            messages = np.stack([numbers.astype(np.int64), senders.astype(np.int64)])
            rows = np.unique(messages, axis=1, return_index=True)[1]
            numbers, senders, sizes = numbers[rows], senders[rows], sizes[rows]
            totals = np.zeros(len(table), dtype=np.uint64)
            np.add.at(totals, numbers, sizes)
            columns: list[Any] = [table.keys()[numbers], totals[numbers]]
            if texts:
                names = _smallest_texts(numbers, len(table), _texts_of(texts[0], rows))
                columns.append(_texts_of(names, numbers))
            out.send(Kind.ROOT_REPLY, senders.astype(np.int64), *columns)
        yield from out.rest()


@dataclass(frozen=True)
class NamedTable:
    """ROW and ROOT_REPLY of one task to a table of ids and components, without those smaller than `min_size`."""

    ids: IdType
    names: tuple[str, str]
    min_size: int

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        inbox = Inbox(batches)
        empty = self.ids.empty()
        keys, labels, *texts = inbox.columns(Kind.ROW, empty, empty)
        roots, totals, *names = inbox.columns(Kind.ROOT_REPLY, empty, np.empty(0, np.uint64))
        if not len(labels):
            return
        rows = KeyRows(self.ids, keys).rows()
        components = KeyRows(self.ids, roots).find(labels)
        rows = rows[totals[components[rows]] >= self.min_size]
        if self.ids.hashed:
            joined = _texts_of(texts[0], rows), _texts_of(names[0], components[rows])
            columns = [ids_of_texts(column, self.ids) for column in joined]
        else:
            columns = [ids_of(keys[rows], self.ids), ids_of(labels[rows], self.ids)]
        if len(rows):
            yield _table(columns, self.names)
