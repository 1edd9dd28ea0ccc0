"""Files of edges: which formats there are, how each is recognised, and the two ways through, in and out.

:data:`FORMATS` is the one list of formats; the command line and the documentation are made from it.
Files are data: nothing in them is executed or unpickled, and no header is believed before it has been
held against the size of the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from landbridge import _core
from landbridge.edges.formats import text
from landbridge.edges.formats.source import COMPRESSED, Options, Progress, Reader, Source
from landbridge.edges.forms import Edges
from landbridge.errors import InputError

__all__ = ["FORMATS", "Format", "Progress", "detect_format", "read"]


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table: a name, the file name endings it goes by, and who reads it."""

    name: str
    extensions: tuple[str, ...]
    description: str
    read: Reader


_ROWS = (
    Format(
        "edges",
        (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel", ".snap"),
        "one edge a line: SNAP, TSV, CSV, blanks; # and % comments; further columns are ignored",
        text.read_edge_list,
    ),
)

FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}


def detect_format(path: str | PathLike[str]) -> str:
    """The name of the format a path stands for, by its ending; a trailing .gz or .zst does not count."""
    suffixes = [s.lower() for s in Path(fspath(path)).suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    for row in _ROWS:
        if suffixes and suffixes[-1] in row.extensions:
            return row.name
    return "edges"


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    ids: str = "auto",
    threads: int | None = None,
    columns: Iterable[str | int] | None = None,
    progress: Progress | None = None,
) -> Edges:
    """Read the edges of a file.

    path: the file, or "-" for text on standard input. Gzip and zstd are recognised by their first bytes.
    format: a name from :data:`FORMATS`; None goes by the ending of the path.
    ids: "dense": ids are 0..largest and vertices = largest + 1, or the number a header declares;
        "sparse": the ids that occur become 0..k-1 in ascending order and ``ids`` of the result keeps them;
        "auto": dense, except for a list of edges without a declared count whose largest id exceeds
        4 * edges + 1,000,000, which is read as sparse and says so in ``notes``.
    threads: None for all processors this process may use. The result does not depend on it.
    columns: which two columns hold the edges, by name (of a header line or a table) or position from 0.
    progress: called as ``progress(bytes_done, bytes_in_file or None)`` now and then, from this thread or a
        helper of it.

    Returns an EdgeList or an Adjacency with ids as int32, or int64 or uint64 where they need it.
    Raises FileFormatError (file, line, column, text), OSError for a file that cannot be opened,
    MissingDependency where an optional package is needed, InputError for arguments that make no sense.
    """
    if ids not in ("auto", "dense", "sparse"):
        raise InputError(f"ids must be 'auto', 'dense' or 'sparse', not {ids!r}")
    if threads is not None and threads < 1:
        raise InputError(f"threads must be at least 1, not {threads}")
    chosen = None if columns is None else tuple(columns)
    if chosen is not None and len(chosen) != 2:
        raise InputError(f"columns must name two columns, not {len(chosen)}")
    name = detect_format(path) if format is None else format
    if name not in FORMATS:
        raise InputError(f"there is no file format {name!r}; known are {', '.join(FORMATS)}")
    pair = None if chosen is None else (chosen[0], chosen[1])
    options = Options(ids, threads or _core.available_threads(), pair, progress)
    with Source(fspath(path), progress) as source:
        return FORMATS[name].read(source, options)
