"""Records of a stream inserted into its trees."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from landbridge.edges.coerce import Orientations
from landbridge.engine.base import Trees
from landbridge.errors import InputError, SizeLimitExceeded
from landbridge.streams.cuts import insert_summary
from landbridge.streams.form import Record
from landbridge.streams.ids import StreamIds


class Owner:
    """The part of a stream that its file refers to: trees, ids and orientations, which do not refer to the file.

    most, path: how many bytes the trees of the stream may have, if that is limited, and the file for the message.
    """

    def __init__(
        self, trees: Trees, ids: StreamIds | None, orientations: Orientations, most: int | None = None, path: str = ""
    ) -> None:
        self._trees, self._ids, self._orientations, self._most, self._path = trees, ids, orientations, most, path

    def replay(self, record: Record) -> None:
        """Insert a record. Raises InputError for one that no stream has written."""
        if self._ids is not None:
            assert record.new is not None
            self._ids.load(record.new, record.position)
            count, largest = len(self._ids), max((int(x.max()) for x in (record.u, record.v) if len(x)), default=-1)
            if largest >= count or record.vertices > count:
                raise InputError(f"it has vertex {max(largest, record.vertices - 1)}, and there are {count} ids")
        if self._most is not None:
            vertices = vertices_of(record)
            needed = vertices * ((4 if vertices < 2**31 else 8) + (16 if self._trees.keeps_forest else 0))
            if needed > self._most:
                problem = f"its {vertices} vertices take {needed} bytes, more than max_bytes={self._most}"
                raise SizeLimitExceeded(self._path, problem)
        with memory_for(record):
            insert_summary(self._trees, record)
        self._orientations.resume(record.rows, "a batch in the stream's file")

    def reached(self) -> tuple[int, int]:
        """(position, vertices)."""
        return self._trees.position, self._trees.vertices


@contextlib.contextmanager
def memory_for(record: Record) -> Iterator[None]:
    """A MemoryError names the number of vertices that the record needs."""
    try:
        yield
    except MemoryError:
        raise MemoryError(f"no memory for the stream's {vertices_of(record)} vertices") from None


def vertices_of(record: Record) -> int:
    """How many vertices a stream has behind a record, at least."""
    largest = max((int(x.max()) for x in (record.u, record.v) if len(x)), default=-1)
    return max(record.vertices, largest + 1)


def insert_record(trees: Trees, record: Record) -> None:
    """Insert the edges of a record as if they came now."""
    with memory_for(record):
        trees.insert_at(record.u, record.v, record.at, record.advance, record.vertices)
