"""Tasks of the tree: edges to forests, forests to one, and the labels of that one.

A task is a picklable function of batches that yields batches. It is idempotent: the output of another run on the same
rows can take the place of the first, and but for edges that have a version (`versions`) also of rows in another order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.cluster.forests import KeyForest, bytes_per_key, edges_at, forest_of
from landbridge.cluster.keys import (
    IdType,
    Keys,
    arrow,
    check_type,
    concatenated,
    hash_keys,
    keys_of,
    numbers_of,
    owner,
    plain,
    texts_of,
    without_loops,
)
from landbridge.cluster.messages import Kind, Outbox, chunks
from landbridge.cluster.packing import rows_of, unpack
from landbridge.cluster.sorted_forest import SortedForest
from landbridge.cluster.trees import is_full, read_forests, send_forest
from landbridge.cluster.versions import Version
from landbridge.errors import InputError

_ROWS = 1 << 18
"""Edges that are inserted together."""
_REGISTERS, _ZEROS, _MANY = 12, 4, 1 << 13


def no_nulls(column: Any, name: str, partition: int, first: int) -> None:
    """Raise InputError with partition and row for a null."""
    if column.null_count:
        row = first + int(np.argmax(np.asarray(column.is_null())))
        raise InputError(f"partition {partition}, row {row}: {name!r} is null")


@dataclass(frozen=True)
class EdgeReader:
    """Reads batches of two columns of ids, in groups. names: of the columns, for messages."""

    ids: IdType
    names: tuple[str, str]

    def groups(self, partition: int, batches: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Both columns, many rows at a time, as Arrow arrays without nulls."""
        pa = arrow()
        group: list[Any] = []
        count = 0
        for batch in _pieces(self.checked(partition, batches)):
            count += batch.num_rows
            group.append((batch.column(0), batch.column(1)))
            if count >= _ROWS:
                yield tuple(_whole(pa, [columns[i] for columns in group]) for i in (0, 1))
                group, count = [], 0
        if count:
            yield tuple(_whole(pa, [columns[i] for columns in group]) for i in (0, 1))

    def checked(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        """The batches of a partition that have rows, without dictionaries. Raises InputError with its number for a null
        and for another type."""
        first = 0
        for batch in _without_dictionaries(batches):
            for column, name in zip(batch.columns, self.names, strict=True):
                no_nulls(column, name, partition, first)
                check_type(column, self.ids, f"partition {partition}", repr(name))
            first += batch.num_rows
            yield batch


def _without_dictionaries(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches that have rows, with values in place of dictionaries: of a large one, some rows at a time."""
    for batch in batches:
        if not any(str(kind).startswith("dictionary<") for kind in batch.schema.types):
            if batch.num_rows:
                yield batch
            continue
        for piece in _pieces([batch] if batch.num_rows else []):
            yield arrow().record_batch([plain(column) for column in piece.columns], names=piece.schema.names)


def _pieces(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches of few rows: of a large one, its keys are made some at a time."""
    for batch in batches:
        if batch.num_rows <= _ROWS:
            yield batch
        else:
            yield from (batch.slice(begin, _ROWS) for begin in range(0, batch.num_rows, _ROWS))


def _whole(pa: Any, columns: list[Any]) -> Any:
    flat: list[Any] = []
    for column in columns:
        parts = column.chunks if hasattr(column, "chunks") else [column]
        flat += [part.storage if hasattr(part, "storage") else part for part in parts]
    if len(flat) == 1:
        return flat[0]
    if len({str(part.type) for part in flat}) > 1 or "view" in str(flat[0].type):  # files of several writers
        flat = [part.cast(pa.large_binary()) for part in flat]
    return pa.concat_arrays(flat)


@dataclass(frozen=True)
class ForestOfEdges:
    """The forest of one partition of edges: FOREST or TREES, and TEXT of ids that are hashed.

    memory: bytes; where the ids of a partition need more, it yields forests of parts of it. forest: yield edges of the
    input, not stars.
    """

    edges: EdgeReader
    memory: int
    threads: int = 1
    forest: bool = False

    def __call__(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        ids = self.edges.ids
        out = Outbox("edges")
        out.forward(-1, Kind.PLACE, b"")
        forest = KeyForest(ids, self.threads, True) if self.forest else forest_of(ids, self.threads, self.memory)
        sketch = Sketch()
        room = [ids.empty(), ids.empty()]
        most = max(self.memory // bytes_per_key(ids, self.forest), 1)
        edges = total = links = 0
        for columns in self.edges.groups(partition, batches):
            if isinstance(forest, SortedForest):  # which copies keys: their memory is used again
                room = [some if len(some) >= len(columns[0]) else np.empty(len(columns[0]), np.uint64) for some in room]
            u, v = (keys_of(column, ids, some) for column, some in zip(columns, room, strict=True))
            for begin in range(0, len(u), max(min(most, len(u)), 1)):
                rows = slice(begin, begin + most)
                before = forest.most
                forest.add(u[rows], v[rows])
                if ids.hashed and isinstance(forest, KeyForest):
                    _send_texts(out, forest, before, (u[rows], v[rows]), [x.slice(begin) for x in columns])
                yield from out.full()
                if is_full(forest, most):
                    total, links = total + len(forest), links + forest.links
                    yield from self._flush(forest, out, sketch, partition)
            edges += len(u)
        total, links = total + len(forest), links + forest.links
        yield from self._flush(forest, out, sketch, partition)
        out.counters |= {"partition": partition, "edges": edges, "ids": total, "links": links}
        out.counters["sketch"] = sketch.text()
        yield from out.rest()

    def _flush(self, forest: KeyForest | SortedForest, out: Outbox, sketch: Sketch, partition: int) -> Iterator[Any]:
        _count(forest.keys(), out, sketch)
        send_forest(out, partition, forest, self.forest)
        forest.clear()
        yield from out.full()


def _count(keys: Keys, out: Outbox, sketch: Sketch) -> None:
    """Keys of a forest in a sketch, and numbers in the counters of the least and the most."""
    sketch.add(keys)
    if len(keys) and keys.ndim == 1:
        least, most = int(keys.min()), int(keys.max())
        out.counters["least"] = min(out.counters.get("least", least), least)
        out.counters["most"] = max(out.counters.get("most", most), most)


def _send_texts(out: Outbox, forest: KeyForest, before: int, keys: tuple[Keys, Keys], columns: Any) -> None:
    """The text of each key that is new in the forest."""
    new_keys, rows = forest.keys(before), len(keys[0])
    if not len(new_keys):
        return
    numbers = forest.numbers(concatenated(list(keys)))
    new = np.flatnonzero(numbers >= before)
    place = np.empty(len(new_keys), dtype=np.int64)  # of each new key, in both columns one behind the other
    place[numbers[new] - before] = new
    for column, in_column, begin in ((columns[0], place < rows, 0), (columns[1], place >= rows, rows)):
        if in_column.any():
            out.send(Kind.TEXT, 0, new_keys[in_column], rows_of(texts_of(column), place[in_column] - begin))


class Sketch:
    """How many different keys there are, to some 2 per cent (HyperLogLog); sketches unite by the larger cell."""

    def __init__(self, cells: NDArray[np.uint8] | None = None) -> None:
        self.cells = np.zeros(1 << _REGISTERS, dtype=np.uint8) if cells is None else cells

    def add(self, keys: Keys) -> None:
        """Count keys, which may have been counted before."""
        for begin in range(0, len(keys), _MANY):
            x = hash_keys(keys[begin : begin + _MANY], 17)
            # Of many keys those with few leading zeros change nothing once all cells are larger.
            if len(x) == _MANY:
                self._count(x[(x << np.uint64(_REGISTERS)) >> np.uint64(64 - _ZEROS) == 0])
            if len(x) < _MANY or int(self.cells.min()) <= _ZEROS:
                self._count(x)

    def _count(self, x: NDArray[np.uint64]) -> None:
        cell = (x >> np.uint64(64 - _REGISTERS)).astype(np.int64)
        rest = (x << np.uint64(_REGISTERS)) | np.uint64((1 << _REGISTERS) - 1)
        zeros = (64 - np.frexp(rest.astype(np.float64))[1]).astype(np.uint8)
        np.maximum.at(self.cells, cell, zeros + np.uint8(1))

    def text(self) -> str:
        """As hexadecimal digits."""
        return self.cells.tobytes().hex()

    @staticmethod
    def of(texts: Iterable[str]) -> int:
        """The number of different keys of several tasks."""
        cells = np.zeros(1 << _REGISTERS, dtype=np.uint8)
        for text in texts:
            cells = np.maximum(cells, np.frombuffer(bytes.fromhex(text), np.uint8))
        m = len(cells)
        guess = 0.7213 / (1 + 1.079 / m) * m * m / float(np.sum(2.0 ** -cells.astype(np.float64)))
        empty = int((cells == 0).sum())
        return round(m * np.log(m / empty)) if guess < 2.5 * m and empty else round(guess)


@dataclass(frozen=True)
class MergeForests:
    """Several forests as one."""

    ids: IdType
    threads: int = 1
    forest: bool = False

    def merged(self, batches: Iterable[Any], out: Outbox) -> KeyForest | SortedForest:
        """The forest of all messages; counters of earlier tasks are forwarded."""
        forest = KeyForest(self.ids, self.threads, True) if self.forest else forest_of(self.ids, self.threads)
        earlier: list[bytes] = []

        def observed() -> Iterator[Any]:
            for batch in batches:
                kinds = numbers_of(batch.column(1))
                earlier.extend(batch.column(2)[int(i)].as_py() for i in np.flatnonzero(kinds == int(Kind.COUNTERS)))
                yield batch

        for _ in read_forests(observed(), forest):
            pass
        for data in earlier:
            out.forward(-1, Kind.COUNTERS, data)
        out.counters |= {"ids": len(forest), "links": forest.links}
        return forest

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("merge")
        send_forest(out, to, self.merged(batches, out), self.forest)
        yield from out.rest()


@dataclass(frozen=True)
class MergeIntoLabels(MergeForests):
    """All forests as the labels of their keys: LABEL, to the owners; or FOREST without loops.

    min_size: smaller components are left out. in_order: keys ascending, as many to each task, instead of to owners.
    """

    parts: int = 1
    min_size: int = 1
    in_order: bool = False

    def __call__(self, to: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("labels")
        forest = self.merged(batches, out)
        if isinstance(forest, KeyForest) and self.forest:
            edges, version = edges_at(*forest.edges(), _ROWS), Version(self.parts, to_all=True)
            forest.clear()  # messages take the place of its table
            for pair in edges:
                u, v = without_loops(*pair)
                owners = owner(u, self.parts)
                out.send(Kind.FOREST, owners, u, v)
                version.add(owners, u, v)
                yield from out.full()
            version.send(out, to)
            yield from out.rest()
            return
        keys, roots = forest.labels()
        sizes = np.bincount(roots) if self.min_size > 1 else None
        parts = self.parts if self.in_order else 1
        room = np.empty_like(keys[:_ROWS], order="C")
        for part in range(parts):
            stop = (part + 1) * len(keys) // parts
            for begin in range(part * len(keys) // parts, stop, _ROWS):
                rows = slice(begin, min(begin + _ROWS, stop))
                some, of = keys[rows], roots[rows]
                if sizes is not None:
                    large = np.flatnonzero(sizes[of] >= self.min_size)
                    some, of = some[large], of[large]
                labels = np.take(keys, of, axis=0, out=room[: len(of)], mode="clip")
                out.send(Kind.LABEL, part if self.in_order else owner(some, self.parts), some, labels)
                yield from out.full()
        yield from out.rest()


@dataclass(frozen=True)
class SendToOwners:
    """Messages of some kinds, to the owners of their first key, whatever they were sent to."""

    kinds: tuple[Kind, ...]
    parts: int

    def __call__(self, partition: int, batches: Iterable[Any]) -> Iterator[Any]:
        out = Outbox("split")
        for code, data in chunks(batches):
            if Kind(code) in self.kinds:
                columns = unpack(data)
                out.send(Kind(code), owner(columns[0], self.parts), *columns)  # type: ignore[arg-type]
                yield from out.full()
        yield from out.rest()
