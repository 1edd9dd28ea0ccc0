"""Files of edges: which formats there are, how each is recognised, and the two ways through, in and out.

:data:`FORMATS` is the one list of formats; the command line and the documentation are made from it.
Files are data: nothing in them is executed or unpickled, and no header is believed before it has been
held against the size of the file.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from landbridge import _core
from landbridge.edges.formats import binary, headed, tables, text, write
from landbridge.edges.formats.source import COMPRESSED, Reader, Source
from landbridge.edges.formats.write import Writer
from landbridge.edges.forms import Edges
from landbridge.edges.options import Options, Progress, options_of
from landbridge.errors import FileFormatError, InputError

__all__ = ["FORMATS", "Format", "Progress", "detect_format", "read", "write_edges"]


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table: a name, the endings of file names it goes by, who reads it and who writes it."""

    name: str
    extensions: tuple[str, ...]
    description: str
    read: Reader
    write: Writer | None = None


_ROWS = (
    Format(
        "edges",
        (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel", ".snap"),
        "one edge a line: SNAP, TSV, CSV, blanks; # and % comments; further columns are ignored",
        text.read_edge_list,
        write.write_edge_list,
    ),
    Format(
        "matrix-market",
        (".mtx", ".mm"),
        "Matrix Market coordinate files, square; every entry is an edge",
        headed.read_matrix_market,
        write.write_matrix_market,
    ),
    Format(
        "metis",
        (".graph", ".metis"),
        "METIS and Chaco adjacency, with or without sizes and weights",
        headed.read_metis,
        write.write_metis,
    ),
    Format(
        "dimacs",
        (".gr", ".col", ".dimacs"),
        "DIMACS: 'p sp' with 'a' lines, or 'p edge' with 'e' lines",
        headed.read_dimacs,
        write.write_dimacs,
    ),
    Format("gap", (".sg",), "serialised rows of the GAP benchmark suite", binary.read_gap, write.write_gap),
    Format("gap-weighted", (".wsg",), "the same with weights, which are ignored", binary.read_weighted_gap),
    Format(
        "ecl",
        (".egr",),
        "binary rows of the ECL graph codes, with or without weights",
        binary.read_ecl,
        write.write_ecl,
    ),
    Format(
        "npz",
        (".npz",),
        "a SciPy sparse matrix (csr, csc, coo) from save_npz, or arrays u and v",
        binary.read_npz,
        write.write_npz,
    ),
    Format("npy", (".npy",), "a NumPy array of shape (m, 2) or (2, m)", binary.read_npy, write.write_npy),
    Format(
        "parquet",
        (".parquet", ".pq"),
        "two columns of a Parquet table (needs pyarrow)",
        tables.read_parquet,
        write.write_parquet,
    ),
)

FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}

# The formats that are text: they may be compressed, and go through standard input and output.
TEXT = ("edges", "matrix-market", "metis", "dimacs")

# The formats in which ids may be any text.
NAMED = ("edges", "parquet")

# First bytes that name a format when the ending of the path does not.
_MAGIC = ((b"%%MatrixMarket", "matrix-market"), (b"\x93NUMPY", "npy"), (b"PK\x03\x04", "npz"), (b"PAR1", "parquet"))


def detect_format(path: str | PathLike[str]) -> str:
    """The name of the format a path stands for.

    Its ending decides (a trailing .gz or .zst does not count); for an ending that no format has, the first
    bytes of the file, if it is a file; else it is a list of edges as text.
    """
    name = fspath(path)
    suffixes = [s.lower() for s in Path(name).suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    for row in _ROWS:
        if suffixes and suffixes[-1] in row.extensions:
            return row.name
    return first_bytes_format(name) or "edges"


def first_bytes_format(name: str) -> str | None:
    """The format that the first bytes of a file name, if it is a file and they do."""
    if name == "-" or not Path(name).is_file():
        return None
    with Path(name).open("rb") as file:
        head = file.read(16)
    return next((found for magic, found in _MAGIC if head.startswith(magic)), None)


def _as_metis(source: Source, options: Options) -> Edges | None:
    """The rows of a file without a telling name whose first lines could be METIS, and no list of edges: they are as
    long as a vertex has neighbours. None if the reader of METIS finds that it is something else."""
    if options.columns is not None or options.dialect or options.base or options.ids == "names":
        return None
    head = source.peek(1 << 16)
    lines = [line.split() for line in head.split(b"\n") if not line.startswith(b"%")]
    if len(head) == 1 << 16 or (lines and not lines[-1]):
        lines.pop()
    if len(lines) < 3 or not all(word.isdigit() and len(word) < 20 for line in lines for word in line):
        return None
    header, rows = lines[0], lines[1:]
    if not 2 <= len(header) <= 4 or len({len(row) for row in rows}) == 1:
        return None
    most = int(header[0])
    if len(rows) > most or (len(header) == 2 and not all(1 <= int(word) <= most for row in rows for word in row)):
        return None
    try:
        found = FORMATS["metis"].read(source, options)
    except FileFormatError:
        return None
    note = "the lines are those of a METIS file and agree with its first; format='edges' reads them as edges"
    return replace(found, notes=(*found.notes, note))


def read(
    path: str | PathLike[str],
    *,
    format: str | None = None,
    options: Options | None = None,
    ids: str = "auto",
    threads: int | None = None,
    columns: Iterable[str | int] | None = None,
    progress: Progress | None = None,
) -> Edges:
    """Read the edges of a file.

    path: the file, or "-" for text on standard input. Gzip and zstd are recognised by their first bytes.
    format: a name from :data:`FORMATS`; None goes by the ending of the path.
    options: what the caller says of the edges; or ids, threads, columns and progress one by one.
    ids: as for `landbridge.Graph`. Numbers of tables come as they stand, with ``occurring`` set unless ids are dense.
    threads: None for all processors this process may use. The result does not depend on it.
    columns: which two columns hold the edges, by name (of a header line or a table) or position from 0.
    progress: called as ``progress(bytes_done, bytes_in_file or None)`` now and then, from this thread or a
        helper of it.

    Returns an EdgeList or an Adjacency with ids as int32, or int64 or uint64 where they need it.
    Raises FileFormatError (file, line, column, text), OSError for a file that cannot be opened,
    MissingDependency where an optional package is needed, InputError for arguments that make no sense.
    """
    if threads is not None and threads < 1:
        raise InputError(f"threads must be at least 1, not {threads}")
    if options is None:
        chosen = None if columns is None else tuple(columns)
        workers = threads or _core.available_threads()
        options = options_of(ids=ids, threads=workers, columns=chosen, progress=progress)
    name = detect_format(path) if format is None else format
    if format is None and name == "edges":
        name = first_bytes_format(fspath(path)) or name
    if name not in FORMATS:
        raise InputError(f"there is no file format {name!r}; known are {', '.join(FORMATS)}")
    if options.ids == "names" and name not in NAMED:
        raise InputError(f"ids='names' is for {' and '.join(NAMED)}; vertices of {name} files are numbers")
    with Source(fspath(path), options.progress, options.encoding) as source:
        rows = _as_metis(source, options) if format is None and name == "edges" else None
        return rows if rows is not None else FORMATS[name].read(source, options)


def write_edges(
    edges: Edges | tuple[Any, Any],
    path: str | PathLike[str],
    format: str | None = None,
    *,
    threads: int | None = None,
) -> tuple[str, ...]:
    """Write edges to a file that :func:`read` reads back.

    edges: an EdgeList, an Adjacency, or a pair of arrays of ids.
    path: the file, complete or untouched: it is written beside and renamed. "-" is text on standard output.
        A name that ends in .gz or .zst is compressed, if its format is text.
    format: a name from :data:`FORMATS`; None goes by the ending of the path, which must then be a known one.

    Returns what the format could not hold, one line each. Raises InputError for formats that are only read,
    and MissingDependency where an optional package is needed. O(m), and O(m log m) for formats of rows.
    """
    target = fspath(path)
    check_target(target, format)
    if target == "-":
        notes = write_stream(edges, sys.stdout.buffer, target, format, threads=threads)
        sys.stdout.buffer.flush()
        return notes
    beside = Path(f"{target}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            notes = write_stream(edges, file, target, format, threads=threads)
        beside.replace(target)
    except OSError as error:
        raise named_after(error, target) from None
    finally:
        beside.unlink(missing_ok=True)
    return notes


def named_after(error: OSError, path: str) -> OSError:
    """The same error with the name of the file: a full disk does not say which file it had no room for."""
    if error.filename is not None or error.errno is None:
        return error
    return OSError(error.errno, error.strerror, path)


def check_target(path: str, format: str | None = None) -> None:
    """Raise InputError unless :func:`write_edges` can write to a file of this name in this format."""
    _row_to_write(path, format)


def write_stream(
    edges: Edges | tuple[Any, Any],
    stream: IO[bytes],
    path: str,
    format: str | None = None,
    *,
    threads: int | None = None,
) -> tuple[str, ...]:
    """Write edges to an open file that is or will be called ``path``; else as :func:`write_edges`."""
    row = _row_to_write(path, format)
    assert row.write is not None
    job = write.job_of(edges, path, threads or _core.available_threads())
    packed = write.compressor(path, stream)
    row.write(job, packed)
    if packed is not stream:
        packed.close()
    return tuple(job.notes)


def _row_to_write(target: str, format: str | None) -> Format:
    suffixes = [s.lower() for s in Path(target).suffixes]
    packed = bool(suffixes) and suffixes[-1] in COMPRESSED
    if packed:
        suffixes.pop()
    if format is None:
        named = [r for r in _ROWS if suffixes and suffixes[-1] in r.extensions]
        if not named and target != "-":
            endings = ", ".join(e for r in _ROWS if r.write is not None for e in r.extensions)
            raise InputError(f"{target}: the ending names no format to write; known are {endings}")
        row = named[0] if named else FORMATS["edges"]
    elif format in FORMATS:
        row = FORMATS[format]
    else:
        raise InputError(f"there is no file format {format!r}; known are {', '.join(FORMATS)}")
    if row.write is None:
        raise InputError(f"{target}: the format {row.name} can be read but not written")
    if (packed or target == "-") and row.name not in TEXT:
        raise InputError(f"{target}: only text can be compressed or written to standard output, not {row.name}")
    return row
