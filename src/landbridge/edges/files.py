"""Files of edges: read at once, and written.

Files are data: nothing in them is executed or unpickled, and every header is compared with the size of the file first.
`FORMATS` is the table of formats.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.column_names import quoted
from landbridge.edges.formats import datasets, metis, number_list
from landbridge.edges.formats.compression import compressor
from landbridge.edges.formats.edge_list import join
from landbridge.edges.formats.format import Format
from landbridge.edges.formats.numbered import checked
from landbridge.edges.formats.registry import (
    FORMATS,
    MAGIC,
    check_dataset,
    check_options,
    ending_to_write,
    format_by_magic,
    format_by_name,
    format_by_suffix,
    format_to_write,
    refuse_other_format,
)
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.writing import job_of
from landbridge.edges.forms import EdgeList, Edges, refuse_other_count
from landbridge.edges.inputs import Input, inputs_of, notes_of_files
from landbridge.edges.names import number_names
from landbridge.edges.options import Options, Progress, options_of
from landbridge.edges.replacing import replacing
from landbridge.errors import InputError
from landbridge.filename import filename

__all__ = ["FORMATS", "Format", "Progress", "detect_format", "read", "write_edges"]


def detect_format(path: str | PathLike[str]) -> str:
    """The name of the format of a path.

    Its suffix decides (one of compressed files is skipped); for a suffix without a format the first bytes of the file,
    if there is one; else it is an edge list as text.

    Raises
    ------
    InputError
        For a known format that is not read.
    """
    name = filename("the path", path)
    row = format_by_suffix(name)
    if row is None and name != "-" and Path(name).is_file():
        with Path(name).open("rb") as file:
            row = format_by_magic(file.read(MAGIC), name)
    return "edges" if row is None else row.name


def read(
    path: Any,
    *,
    format: str | None = None,
    options: Options | None = None,
    ids: str = "auto",
    threads: int | None = None,
    columns: Iterable[str | int] | None = None,
    progress: Progress | None = None,
    max_bytes: int | None = None,
) -> Edges:
    """Read the edges of a file, or of several one after another.

    Parameters
    ----------
    path : str, path, file, list, or dataset
        A file, or "-" for text on standard input; a folder or a pattern such as ``"part-*.csv"``, whose files are read
        in the order of their names; a list of these; an open file; a URL that fsspec opens; a dataset of Arrow. Gzip,
        zstd, bzip2 and xz are recognised by their first bytes.
    format : str, optional
        A name of `FORMATS`; by default that of the suffix.
    options : Options, optional
        How to read the edges; or ids, threads, columns and progress one by one.
    ids : str
        As for `landbridge.Graph`. Numbers of tables are not changed; ``occurring`` is set unless ids are dense.
    threads : int, optional
        By default all processors this process may use. The result does not depend on it.
    columns : pair of str or int, optional
        The two columns that hold the edges, by name (of a header line or a table) or position from 0.
    progress : Progress, optional
        Called as ``progress(bytes_done, bytes_in_file or None)`` now and then, from this thread or a helper of it.
    max_bytes : int, optional
        As for `landbridge.Graph`.

    Returns
    -------
    EdgeList or Adjacency
        With ids as int32, or int64 or uint64 where they need it.

    Raises
    ------
    FileFormatError
        With the file, line, column and text; SizeLimitExceeded for more than `max_bytes`.
    OSError
        For a file that cannot be opened.
    MissingDependency
        If an optional package is needed.
    InputError
        For arguments that make no sense.
    """
    if threads is not None and threads < 1:
        raise InputError(f"threads must be at least 1, not {threads}")
    if options is None:
        pair = None if columns is None else tuple(columns)
        workers = threads or _core.available_threads()
        options = options_of(ids=ids, threads=workers, columns=pair, progress=progress, max_bytes=max_bytes)
    entries = inputs_of(path)
    notes = tuple(note for entry in entries for note in entry.notes)
    if len(entries) == 1:
        edges = _read_one(entries[0], format, options)
    else:
        edges = concatenated(
            [(entry.name, _read_one(entry, format, options, alone=False)) for entry in entries], options.threads
        )
    return replace(edges, notes=(*notes, *edges.notes)) if notes else edges


def read_numbers(path: Any, name: str, format: str | None, options: Options) -> NDArray[Any]:
    """The numbers of a column beside the edges, one for each edge, in the order of `read`, whose arguments they are.

    name: of the column in each file; its position in text without a header. Raises InputError for a format without
    names of columns, without such a column, for what is no number, for a whole number that no float64 equals where
    other files have decimals, and for what is read once.
    """
    entries = inputs_of(path)
    parts = [_numbers_of(entry, name, format, options) for entry in entries]
    return number_list.joined(parts, [entry.name for entry in entries], "score")


def _numbers_of(entry: Input, name: str, format: str | None, options: Options) -> NDArray[Any]:
    if entry.dataset is not None:
        return datasets.read_numbers(entry.dataset, name, entry.name)
    if not entry.again:
        raise InputError(
            f"{entry.name}: it is read once, for its edges: give the numbers of {quoted(name)} as an array, or write "
            "it to a file"
        )
    with entry.source(options) as source:
        row = _format_of(entry, source, format, options)
        if row.numbers is None:
            raise InputError(
                f"{entry.name}: files of format {row.name} have no names of columns such as {quoted(name)}"
            )
        return row.numbers(source, options, name)


def _read_one(entry: Input, format: str | None, options: Options, *, alone: bool = True) -> Edges:
    if entry.dataset is not None:
        check_dataset(entry.dataset, format, options, entry.name)
        return datasets.read(entry.dataset, options, entry.name)
    if entry.path is not None:
        _format_of(entry, None, format, options)  # what a name shows needs no open file
    with entry.source(options) as source:
        row = _format_of(entry, source, format, options)
        if format is None and row.name == "edges":
            metis.refuse_disguised(source, options)
        edges = row.read(source, options)
        if not alone:
            _as_list(entry.name, edges)
        refuse_other_count(options.num_vertices, edges, entry.name)
        compared = row.name == "edges" and options.num_vertices  # by the parser, which names the line
        if options.num_vertices is not None and not compared and isinstance(edges, EdgeList) and edges.ids is None:
            for ids in (edges.u, edges.v):
                checked(source, _core.check_range, ids, options.num_vertices, "edge", options.threads)
        if source.limited and isinstance(edges, EdgeList) and edges.num_vertices is None and not edges.occurring:
            largest = [_core.largest_id(ids, "edge", options.threads) for ids in (edges.u, edges.v) if len(ids)]
            source.take_labels(max((end + 1 for end in largest if end is not None), default=0))
        return edges


def _format_of(entry: Input, source: Source | None, format: str | None, options: Options) -> Format:
    """The format of a file: the requested one, else that of its suffix, else that of its first bytes (if it is open).

    Raises InputError for an unknown format, and for one that cannot hold what the options require.
    """
    row = format_by_suffix(entry.name) if format is None else format_by_name(format)
    if source is not None and format is None and (row is None or row.name == "edges"):
        row = format_by_magic(source.peek(MAGIC), entry.name) or row
    if row is None and source is None:
        return FORMATS["edges"]
    row = row or FORMATS["edges"]
    if source is not None:
        refuse_other_format(source.peek(MAGIC), entry.name, row)
    check_options(row, options, entry.name)
    return row


def concatenated(parts: Sequence[tuple[str, Edges]], threads: int) -> EdgeList:
    """The edges of several files, one after another.

    Parameters
    ----------
    parts : sequence of (str, Edges)
        The files and their edges; those of a file without edges may be of any kind.
    threads : int
        Threads that number names.

    Raises
    ------
    InputError
        Unless all are edge lists whose vertices are of one kind.
    """
    first_name, kind = "", None
    for name, edges in parts:
        listed = _as_list(name, edges)
        if len(listed.u) == 0:
            continue
        here = _kind_of(listed)
        if kind is None:
            first_name, kind = name, here
        if here != kind:
            raise InputError(f"{name}: vertices are {here}, and those of {first_name} are {kind}")
    lists = [edges for _, edges in parts if isinstance(edges, EdgeList)]
    notes = notes_of_files((name, edges.notes) for name, edges in parts)
    if kind is None:
        return replace(lists[0], notes=notes)
    lists = [edges for edges in lists if len(edges.u)]
    if kind == "names":
        from landbridge.edges.formats.doubtful_names import notes_of_numbers  # of text alone

        edges = _joined_names(lists, threads)
        return replace(edges, notes=(*notes, *(notes_of_numbers(edges.ids) if len(lists) > 1 else ())))
    u = _joined([edges.u if edges.ids is None else edges.ids[edges.u] for edges in lists])
    v = _joined([edges.v if edges.ids is None else edges.ids[edges.v] for edges in lists])
    if u.dtype != v.dtype:
        u, v = join([u, v[:0]]), join([v, u[:0]])
    return EdgeList(u, v, notes=notes, occurring=kind == "the ids that occur")


def _as_list(name: str, edges: Edges) -> EdgeList:
    """Edges of one of several files. Raises InputError if it declares how many vertices there are."""
    if not isinstance(edges, EdgeList) or (edges.num_vertices is not None and edges.ids is None):
        raise InputError(f"{name}: a file that declares how many vertices there are can be read only alone")
    return edges


def _kind_of(edges: EdgeList) -> str:
    if edges.ids is not None and edges.ids.dtype.kind not in "iu":
        return "names"
    return "the ids that occur" if edges.occurring or edges.ids is not None else "0..n-1"


def _joined(columns: list[Any]) -> Any:
    native = [c if c.dtype != np.uint32 else c.astype(np.int64) for c in columns]
    if any(c.dtype == np.uint64 for c in native) and any(len(c) and int(c.min()) < 0 for c in native):
        raise InputError("negative ids in one file and ids of 2^63 and more in another fit no common type")
    return join(native)


def _joined_names(lists: Sequence[EdgeList], threads: int) -> EdgeList:
    """Edges between names of several lists, numbered anew over all of them."""
    offsets, data, size, count = [np.zeros(1, np.int64)], [], 0, 0
    us, vs = [], []
    for edges in lists:
        names: Any = edges.ids
        stops, characters = names.buffers
        offsets.append(stops[1:] - stops[0] + size)
        data.append(characters[int(stops[0]) : int(stops[-1])])
        us.append(edges.u.astype(np.int64) + count)
        vs.append(edges.v.astype(np.int64) + count)
        size, count = size + int(stops[-1] - stops[0]), count + len(names)
    every = (np.concatenate(offsets), np.concatenate(data))
    numbered = number_names(every, every, threads)
    return replace(numbered, u=numbered.u[np.concatenate(us)], v=numbered.u[np.concatenate(vs)])


# writing -----------------------------------------------------------------------------------------------------------


def write_edges(
    edges: Edges | tuple[Any, Any],
    path: str | PathLike[str],
    format: str | None = None,
    *,
    threads: int | None = None,
) -> tuple[str, ...]:
    """Write edges to a file that `read` reads back. O(m), and O(m log m) for formats of CSR.

    Parameters
    ----------
    edges : EdgeList, Adjacency or pair of arrays
        The edges.
    path : str or path
        The file, complete or untouched: it is written beside and renamed, with the mode and owner of the old one. "-"
        is text on standard output. A suffix of compressed files is allowed for text.
    format : str, optional
        A name of `FORMATS`, or an ending such as "csv"; by default the suffix, which must then be a known one.
    threads : int, optional
        By default all processors this process may use.

    Returns
    -------
    tuple of str
        What the format could not hold, one line each.

    Raises
    ------
    InputError
        For formats that are only read.
    MissingDependency
        If an optional package is needed.
    """
    target = filename("the path", path)
    check_target(target, format)
    if target == "-":
        notes = write_stream(edges, sys.stdout.buffer, target, format, threads=threads)
        sys.stdout.buffer.flush()
        return notes
    try:
        with replacing(target) as file:
            return write_stream(edges, file, target, format, threads=threads)
    except OSError as error:
        raise named_after(error, target) from None


def write_stream(
    edges: Edges | tuple[Any, Any],
    stream: IO[bytes],
    path: str,
    format: str | None = None,
    *,
    threads: int | None = None,
) -> tuple[str, ...]:
    """Write edges to an open file, whose name is or will be `path`; else as `write_edges`."""
    row = format_to_write(path, format)
    assert row.write is not None
    job = job_of(edges, path, ending_to_write(path, format), threads or _core.available_threads())
    out = compressor(path, stream)
    row.write(job, out)
    if out is not stream:
        out.close()
    return tuple(job.notes)


def check_target(path: str, format: str | None = None) -> None:
    """Raise InputError unless `write_edges` can write to a file of this name in this format."""
    format_to_write(path, format)


def lists_edges(path: str, format: str | None = None) -> bool:
    """Whether a file of this name and format would list edges between ids, without declared vertices."""
    return not format_to_write(path, format).declares_vertices


def named_after(error: OSError, path: str) -> OSError:
    """The same error with the name of the file, which that of a full disk lacks; NumPy's has no number either."""
    if error.filename is not None:
        return error
    return OSError(f"{path}: {error}") if error.errno is None else OSError(error.errno, error.strerror, path)
