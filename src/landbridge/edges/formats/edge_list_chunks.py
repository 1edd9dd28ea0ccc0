"""Edge lists as text, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge.edges.formats import edge_list
from landbridge.edges.formats.chunked_file import Chunk, ChunkedFile
from landbridge.edges.formats.dialect import Dialect, dialect_of
from landbridge.edges.formats.source import Bytes, Source
from landbridge.edges.forms import EdgeList
from landbridge.edges.inputs import Input
from landbridge.edges.names import number_names
from landbridge.edges.options import Options

_SHORTEST_LINE = 4  # "0 1\n"

_Part = tuple[EdgeList, int | None]
"""Edges, and the bytes of the file up to their end where they are known."""


def open_chunks(entry: Input, options: Options, chunk_size: int, _readers: int) -> ChunkedFile:
    """A file of text in chunks of about `chunk_size` edges, by one reader from front to back."""
    consumed = [0]

    def progress(done: int, _total: int | None) -> None:
        consumed[0] = done

    watched = replace(options, progress=progress)
    source = entry.source(watched)
    try:
        dialect = dialect_of(source, options)
        again = entry.again and (entry.path is None or source.size is not None)
        most = 0 if dialect.empty else None
        if most is None and source.mappable and source.size is not None:
            most = source.size // _SHORTEST_LINE + 1
    except BaseException:
        source.close()
        raise
    if again:
        source.close()

    def read_chunks() -> Iterator[Chunk]:
        with entry.source(watched) if again else source as file:
            parts = (_mapped if file.mappable else _blocks)(file, dialect, options, chunk_size)
            counts = edge_list.FirstEdgeCheck(file, dialect, options)
            for number, (edges, done) in enumerate(parts):
                counts.add(edges.u, edges.v)
                yield Chunk(edges, number, 0, consumed[0] if done is None else done)
            counts.finish()

    def without_edges() -> EdgeList:
        if dialect.named:
            no_names = np.zeros(1, np.int64), np.empty(0, np.uint8)
            return number_names(no_names, no_names, options.threads, dialect.notes)
        none = np.empty(0, np.int32)
        return _edges([none], [none], dialect, options)

    occurring = not dialect.named and options.ids != "dense"
    return ChunkedFile(source.path, source.size, most, (read_chunks,), without_edges, occurring, dialect.named)


def _edges(us: list[NDArray[Any]], vs: list[NDArray[Any]], dialect: Dialect, options: Options) -> EdgeList:
    return EdgeList(edge_list.join(us), edge_list.join(vs), notes=dialect.notes, occurring=options.ids != "dense")


def _blocks(source: Source, dialect: Dialect, options: Options, chunk_size: int) -> Iterator[_Part]:
    """The parts of a file that cannot be mapped."""
    if dialect.named:
        line = dialect.first_line
        for block in source.line_blocks(dialect.start, line):
            yield edge_list.parse_names(source, np.frombuffer(block, np.uint8), dialect, options, line), None
            line += block.count(b"\n")
        return
    us: list[NDArray[Any]] = []
    vs: list[NDArray[Any]] = []
    for u, v, _ in edge_list.parse_blocks(source, dialect, options):
        us.append(u)
        vs.append(v)
        if sum(map(len, us)) >= chunk_size:
            yield _edges(us, vs, dialect, options), None
            us, vs = [], []
    if us:
        yield _edges(us, vs, dialect, options), None


def _mapped(source: Source, dialect: Dialect, options: Options, chunk_size: int) -> Iterator[_Part]:
    data, line = source.whole(), dialect.first_line
    for part, end in _cut(data, dialect.start, chunk_size):
        if dialect.named:
            yield edge_list.parse_names(source, part, dialect, options, line), end
            line += int(np.count_nonzero(part == ord("\n")))
        else:
            u, v, lines, _ = edge_list.parse_numbers(source, part, dialect, options, line)
            yield _edges([u], [v], dialect, options), end
            line += lines


def _cut(data: Bytes, position: int, chunk_size: int) -> Iterator[tuple[Bytes, int]]:
    """Whole lines, about `chunk_size` at a time by the length of the first ones, and the byte behind them."""
    sample = data[position : position + (1 << 16)]
    lines = max(1, int(np.count_nonzero(sample == ord("\n"))))
    step = max(1, chunk_size * max(_SHORTEST_LINE, len(sample) // lines))
    while position < len(data):
        end = _line_end(data, position + step)
        yield data[position:end], end
        position = end


def _line_end(data: Bytes, position: int) -> int:
    """Behind the first line that ends at `position` or later."""
    window = 1 << 12
    while position < len(data):
        newlines = np.flatnonzero(data[position : position + window] == ord("\n"))
        if newlines.size:
            return position + int(newlines[0]) + 1
        position += window
    return len(data)
