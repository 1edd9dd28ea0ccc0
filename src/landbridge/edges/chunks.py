"""Edges of a file a chunk at a time, for files too large for memory. A reader holds a chunk and a column ahead."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.files import NAMED, format_of_bytes, format_of_name, refuse_metis
from landbridge.edges.formats import binary, tables, text
from landbridge.edges.formats.dialect import Dialect, dialect_of
from landbridge.edges.formats.source import Bytes, Source
from landbridge.edges.forms import EdgeList
from landbridge.edges.inputs import Input, inputs_of
from landbridge.edges.options import Options
from landbridge.errors import FileFormatError, InputError

CHUNK = 1 << 22
"""Edges in a chunk of a file if nobody says how many: 64 MiB of pairs of 64 bits."""

_SHORTEST_LINE = 4  # "0 1\n"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some edges of a file: edges ``first`` and up of chunk ``number``, with ids as they stand there.

    The types of the two ends may differ.
    done: how many bytes of the file its reader has behind it.
    """

    edges: EdgeList
    number: int
    first: int
    done: int


@dataclass(frozen=True, slots=True)
class ChunkedFile:
    """A file to be read in chunks.

    size: its bytes, None for a pipe. most_edges: no more edges than that are in it, None if nobody knows.
    occurring: whether the vertices are the whole numbers that occur, and not 0..n-1. named: whether they are names.
    readers: functions that may run side by side; each reads a share of the file, in ascending order, and together they
        read it once. A file that has to be read from front to back has one.
    """

    path: str
    size: int | None
    most_edges: int | None
    readers: tuple[Callable[[], Iterator[Chunk]], ...]
    occurring: bool = False
    named: bool = False

    @property
    def kind(self) -> str:
        """What the vertices are, in words."""
        return "names" if self.named else "the ids that occur" if self.occurring else "0..n-1"


def open_chunks(
    path: Any,
    options: Options | None = None,
    *,
    format: str | None = None,
    chunk_size: int | None = None,
    readers: int = 1,
) -> ChunkedFile:
    """Look at files of the formats of `CHUNKED` and say how to read them in chunks, one after another.

    path, options, format: as for `landbridge.edges.files.read`. chunk_size: how many edges a chunk has; in text, whose
    lines nobody has counted, about as many. readers: at most so many are to run side by side.
    Chunks of names are numbered each by itself, and hold the names. Files of Arrow and of JSON lines are read whole.
    Raises InputError for a format that has to be read whole, FileFormatError, OSError, MissingDependency.
    """
    options = replace(options or Options(), progress=None)
    if chunk_size is not None and (isinstance(chunk_size, bool) or not isinstance(chunk_size, int) or chunk_size < 1):
        raise InputError(f"chunk_size must be a positive whole number, not {chunk_size!r}")
    given = inputs_of(path)
    if len(given) == 1:
        return _open_one(given[0], options, format, chunk_size or CHUNK, readers)
    return _one_after_another([_open_one(one, options, format, chunk_size or CHUNK, 1) for one in given])


def _open_one(given: Input, options: Options, format: str | None, chunk_size: int, readers: int) -> ChunkedFile:
    if given.dataset is not None:
        return _dataset(given, options, chunk_size)
    kind = format or format_of_name(given.name)
    if format is None and kind in (None, "edges"):
        source = given.source(options)
        try:
            kind = format_of_bytes(source.peek(16)) or "edges"
            if kind == "edges":
                refuse_metis(source, options)
        except BaseException:
            source.close()
            raise
        if given.again and (given.path is None or source.size is not None):
            source.close()
        else:
            given = replace(given, opened=source)
    assert kind is not None
    if kind not in CHUNKED:
        raise InputError(f"{given.name}: a file of format {kind!r} is read whole; in chunks go {', '.join(CHUNKED)}")
    if options.ids == "names" and kind not in NAMED:
        raise InputError(f"ids='names' is for {', '.join(NAMED)}; vertices of {kind} files are numbers")
    return CHUNKED[kind](given, options, chunk_size, readers)


def _one_after_another(files: list[ChunkedFile]) -> ChunkedFile:
    first = next((file for file in files if file.most_edges != 0), files[0])
    other = next((file for file in files if file.most_edges != 0 and file.kind != first.kind), None)
    if other is not None:
        raise InputError(f"{other.path}: vertices are {other.kind}, and those of {first.path} are {first.kind}")
    sizes, most = [file.size for file in files], [file.most_edges for file in files]

    def read() -> Iterator[Chunk]:
        number, behind = 0, 0
        for file in files:
            for chunk in file.readers[0]():
                if file.most_edges != 0:  # one without edges is of any kind
                    yield replace(chunk, number=number, done=behind + chunk.done)
                    number += 1
            behind += file.size or 0

    return ChunkedFile(
        f"{files[0].path} and {len(files) - 1} more",
        None if None in sizes else sum(size for size in sizes if size is not None),
        None if None in most else sum(edges for edges in most if edges is not None),
        (read,),
        first.occurring,
        first.named,
    )


def _text(given: Input, options: Options, chunk_size: int, _readers: int) -> ChunkedFile:
    behind = [0]

    def progress(done: int, _total: int | None) -> None:
        behind[0] = done

    watched = replace(options, progress=progress)
    source = given.source(watched)
    try:
        dialect = dialect_of(source, options)
        again = given.again and (given.path is None or source.size is not None)
        most = 0 if dialect.empty else None
        if most is None and source.mappable and source.size is not None:
            most = source.size // _SHORTEST_LINE + 1
    except BaseException:
        source.close()
        raise
    if again:
        source.close()

    def read() -> Iterator[Chunk]:
        with given.source(watched) if again else source as opened:
            parts = (_mapped if opened.mappable else _blocks)(opened, dialect, options, chunk_size)
            counts = text.Counts(opened, dialect, options)
            for number, (edges, done) in enumerate(parts):
                counts.add(edges.u, edges.v)
                yield Chunk(edges, number, 0, behind[0] if done is None else done)
            counts.check()
            if dialect.empty and not dialect.named:  # for its notes
                none = np.empty(0, np.int32)
                yield Chunk(_numbers([none], [none], dialect, options), 0, 0, opened.size or 0)

    occurring = not dialect.named and options.ids != "dense"
    return ChunkedFile(source.path, source.size, most, (read,), occurring, dialect.named)


def _dataset(given: Input, options: Options, chunk_size: int) -> ChunkedFile:
    def read() -> Iterator[Chunk]:
        for number, edges in enumerate(tables.dataset_chunks(given.dataset, options, given.name, chunk_size)):
            yield Chunk(edges, number, 0, 0)

    named = tables.is_named(given.name, given.dataset.schema, options)
    return ChunkedFile(given.name, None, None, (read,), not named and options.ids != "dense", named)


def _table(table_of: Callable[[Source, Options], Any]) -> Callable[[Input, Options, int, int], ChunkedFile]:
    """The reader of files that Arrow reads whole."""

    def look(given: Input, options: Options, chunk_size: int, _readers: int) -> ChunkedFile:
        with given.source(options) as source, table_of(source, options) as table:
            size, rows, schema = source.size, len(table), table.schema
            parts = list(tables.table_chunks(table, options, given.name, chunk_size))

        def read() -> Iterator[Chunk]:
            for number, edges in enumerate(parts):
                yield Chunk(edges, number, 0, (size or 0) * (number + 1) // len(parts))

        named = tables.is_named(given.name, schema, options)
        return ChunkedFile(given.name, size, rows, (read,), not named and options.ids != "dense", named)

    return look


_Part = tuple[EdgeList, int | None]
"""Edges, and the bytes behind them where they are known."""


def _numbers(us: list[NDArray[Any]], vs: list[NDArray[Any]], dialect: Dialect, options: Options) -> EdgeList:
    return EdgeList(text.join(us), text.join(vs), notes=dialect.notes, occurring=options.ids != "dense")


def _blocks(source: Source, dialect: Dialect, options: Options, chunk_size: int) -> Iterator[_Part]:
    if dialect.named:
        line = dialect.first_line
        for block in source.line_blocks(dialect.start):
            yield text.parse_names(source, np.frombuffer(block, np.uint8), dialect, options, line), None
            line += block.count(b"\n")
        return
    us: list[NDArray[Any]] = []
    vs: list[NDArray[Any]] = []
    for u, v, _ in text.parse_stream(source, dialect, options):
        us.append(u)
        vs.append(v)
        if sum(map(len, us)) >= chunk_size:
            yield _numbers(us, vs, dialect, options), None
            us, vs = [], []
    if us:
        yield _numbers(us, vs, dialect, options), None


def _mapped(source: Source, dialect: Dialect, options: Options, chunk_size: int) -> Iterator[_Part]:
    data, line = source.whole(), dialect.first_line
    for part, end in _cut(data, dialect.start, chunk_size):
        if dialect.named:
            yield text.parse_names(source, part, dialect, options, line), end
            line += int(np.count_nonzero(part == ord("\n")))
        else:
            u, v, lines, _ = text.parse(source, part, dialect, options, line)
            yield _numbers([u], [v], dialect, options), end
            line += lines


def _cut(data: Bytes, position: int, chunk_size: int) -> Iterator[tuple[Bytes, int]]:
    """Whole lines, about `chunk_size` at a time, and where they end. Lines further on are taken to be as long as the
    first ones."""
    sample = data[position : position + (1 << 16)]
    lines = max(1, int(np.count_nonzero(sample == ord("\n"))))
    step = max(1, chunk_size * max(_SHORTEST_LINE, len(sample) // lines))
    while position < len(data):
        end = _line_end(data, position + step)
        yield data[position:end], end
        position = end


def _line_end(data: Bytes, position: int) -> int:
    """Behind the first line that ends at ``position`` or later."""
    window = 1 << 12
    while position < len(data):
        newlines = np.flatnonzero(data[position : position + window] == ord("\n"))
        if newlines.size:
            return position + int(newlines[0]) + 1
        position += window
    return len(data)


def _parquet(given: Input, options: Options, chunk_size: int, readers: int) -> ChunkedFile:
    if given.path is None or given.path == "-":
        return _table(tables.parquet_table)(given, options, chunk_size, readers)
    path = given.path
    group_rows, size, named = tables.look_at_parquet(path, options)
    rows = sum(group_rows)
    if named:

        def read_names() -> Iterator[Chunk]:
            for first, edges in tables.parquet_names(path, options, chunk_size):
                done = size * (first + len(edges.u)) // max(1, rows)
                yield Chunk(edges, first // chunk_size, first % chunk_size, done)

        return ChunkedFile(path, size, rows, (read_names,), named=True)
    occurring = options.ids != "dense"
    starts = [0, *accumulate(group_rows)]
    count = max(1, min(readers, len(group_rows)))
    # Several readers take turns at the row groups, a thread each; one alone lets Arrow use all threads. The last groups
    # are taken column by column, so that all readers have something to do to the end. What waits for the other column
    # is no more than a chunk.
    batch = chunk_size if count == 1 else min(chunk_size, tables.BATCH)
    last = len(group_rows) if count == 1 else len(group_rows) - count
    tasks = [
        tables.Task(group, starts[group], sides)
        for group, rows_here in enumerate(group_rows)
        for sides in ([(0, 1)] if group < last or rows_here > chunk_size else [(0,), (1,)])
    ]
    turns = iter(tasks)  # whichever reader is free takes the next one
    halves: dict[int, NDArray[Any]] = {}
    running = count
    lock = threading.Lock()

    def read() -> Iterator[Chunk]:
        nonlocal running
        seen = 0
        for row, side, ids in tables.parquet_batches(path, options, turns, batch):
            with lock:
                other = halves.pop(row, None)
                if other is None:
                    halves[row] = ids
            if other is not None:
                if len(other) != len(ids):
                    raise FileFormatError(path, f"from row {row} one column has {len(ids)} ids, one {len(other)}")
                seen += len(ids)
                u, v = (ids, other) if side == 0 else (other, ids)
                edges = EdgeList(u, v, occurring=occurring)
                yield Chunk(edges, row // chunk_size, row % chunk_size, size * seen // max(1, rows))
        with lock:
            running -= 1
            if running == 0 and halves:
                raise FileFormatError(path, f"row {min(halves)} has an id in one of the two columns only")

    return ChunkedFile(path, size, rows, (read,) * count, occurring)


def _npy(given: Input, options: Options, chunk_size: int, _readers: int) -> ChunkedFile:
    with given.source(options) as source:
        columns = binary.npy_columns(source, options)
        edges, size = len(columns[0]), source.size or 0

    def read() -> Iterator[Chunk]:
        for first in range(0, edges, chunk_size):
            end = min(first + chunk_size, edges)
            u, v = (binary.as_ids(source, x[first:end], "the array") for x in columns)
            yield Chunk(EdgeList(u, v), first // chunk_size, 0, size * end // edges)

    return ChunkedFile(given.name, size, edges, (read,), options.ids == "sparse")


CHUNKED: dict[str, Callable[[Input, Options, int, int], ChunkedFile]] = {
    "edges": _text,
    "parquet": _parquet,
    "npy": _npy,
    "arrow": _table(tables.arrow_table),
    "jsonl": _table(tables.json_table),
}
"""The formats that are read in chunks."""
