"""Edges of files a chunk at a time, for files too large for memory. A reader holds a chunk and a column ahead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from landbridge.edges.formats import datasets, metis
from landbridge.edges.formats.chunked_file import CHUNK, Chunk, ChunkedFile, edges_per_chunk
from landbridge.edges.formats.format import Format
from landbridge.edges.formats.registry import (
    FORMATS,
    MAGIC,
    check_dataset,
    check_options,
    format_by_magic,
    format_by_name,
    format_by_suffix,
    refuse_other_format,
    titles,
)
from landbridge.edges.forms import EdgeList
from landbridge.edges.inputs import Input, inputs_of, notes_of_files
from landbridge.edges.options import Options
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError

__all__ = ["CHUNK", "Chunk", "ChunkedFile", "open_chunks"]


def open_chunks(
    path: Any,
    options: Options | None = None,
    *,
    format: str | None = None,
    chunk_size: int | None = None,
    readers: int = 1,
) -> ChunkedFile:
    """Open files to be read in chunks, one after another.

    Chunks of names are numbered each by itself, and hold the names. Files of Arrow and of JSON lines are read at once.

    Parameters
    ----------
    path, options, format :
        As for `landbridge.edges.files.read`.
    chunk_size : int, optional
        Edges per chunk; of text, whose lines are not counted first, about as many.
    readers : int
        At most so many run side by side.

    Raises
    ------
    InputError
        For a format that is only read at once.
    FileFormatError, OSError, MissingDependency
        As for `landbridge.edges.files.read`.
    """
    options = replace(options or Options(), progress=None)
    size = edges_per_chunk(chunk_size)
    entries = inputs_of(path)
    if len(entries) == 1 and not entries[0].notes:
        return _open_one(entries[0], options, format, size, readers)
    files = [_open_one(entry, options, format, size, 1) for entry in entries]
    return _concatenated(files, tuple(note for entry in entries for note in entry.notes))


def _open_one(entry: Input, options: Options, format: str | None, chunk_size: int, readers: int) -> ChunkedFile:
    if entry.dataset is not None:
        check_dataset(entry.dataset, format, options, entry.name)
        return datasets.open_chunks(entry, options, chunk_size)
    if format is not None:
        row = format_by_name(format)
        _refuse_other_format(entry, row, options)
    else:
        entry, row = _detected(entry, options)
    if row.chunks is None:
        in_chunks = titles(row for row in FORMATS.values() if row.chunks is not None)
        raise InputError(
            f"{entry.name}: files of format {row.name!r} are read whole, without {spelled('chunks')}; formats "
            f"that are read in chunks: {in_chunks}"
        )
    check_options(row, options, entry.name)
    return row.chunks(entry, options, chunk_size, readers)


def _detected(entry: Input, options: Options) -> tuple[Input, Format]:
    """The format of a file by its suffix, else by its first bytes; a file that cannot be reopened stays open."""
    row = format_by_suffix(entry.name)
    if row is not None and row.name != "edges":
        _refuse_other_format(entry, row, options)
        return entry, row
    source = entry.source(options)
    try:
        row = format_by_magic(source.peek(MAGIC), entry.name) or FORMATS["edges"]
        if row.name == "edges":
            metis.refuse_disguised(source, options)
    except BaseException:
        source.close()
        raise
    if entry.again and (entry.path is None or source.size is not None):
        source.close()
        return entry, row
    return replace(entry, open_source=source), row


def _refuse_other_format(entry: Input, row: Format, options: Options) -> None:
    """Raise InputError for a file of another format by its first bytes, if it can be opened again."""
    if entry.again and entry.path is not None and Path(entry.path).is_file():
        with entry.source(options) as source:
            refuse_other_format(source.peek(MAGIC), entry.name, row, in_chunks=True)


def _concatenated(files: list[ChunkedFile], notes: tuple[str, ...]) -> ChunkedFile:
    """Several files as one. Raises InputError unless the vertices of all that have edges are of one kind."""
    first = next((file for file in files if file.most_edges != 0), files[0])
    other = next((file for file in files if file.most_edges != 0 and file.kind != first.kind), None)
    if other is not None:
        raise InputError(f"{other.path}: vertices are {other.kind}, and those of {first.path} are {first.kind}")
    parts = [file.without_edges() for file in files]
    notes += notes_of_files((file.path, part.notes) for file, part in zip(files, parts, strict=True))
    sizes, bounds = [file.size for file in files], [file.most_edges for file in files]

    def read_chunks() -> Iterator[Chunk]:
        number, consumed = 0, 0
        for file in files:
            for chunk in file.readers[0]():
                if file.most_edges != 0:
                    edges = replace(chunk.edges, notes=() if number else notes)
                    yield replace(chunk, edges=edges, number=number, done=consumed + chunk.done)
                    number += 1
            consumed += file.size or 0

    def without_edges() -> EdgeList:
        return replace(parts[0], notes=notes)

    return ChunkedFile(
        f"{files[0].path} and {len(files) - 1} more" if len(files) > 1 else files[0].path,
        None if None in sizes else sum(size for size in sizes if size is not None),
        None if None in bounds else sum(edges for edges in bounds if edges is not None),
        (read_chunks,),
        without_edges,
        first.occurring,
        first.named,
    )
