"""Files of edges: which formats there are, how each is recognised, and the two ways through, in and out.

:data:`FORMATS` is the one list of formats; the command line and the documentation are made from it.
Files are data: nothing in them is executed or unpickled, and no header is believed before it has been
held against the size of the file.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

import numpy as np

from landbridge import _core
from landbridge.edges.formats import binary, headed, tables, text, write
from landbridge.edges.formats.source import COMPRESSED, Reader, Source
from landbridge.edges.formats.write import Writer
from landbridge.edges.forms import EdgeList, Edges
from landbridge.edges.inputs import Input, inputs_of
from landbridge.edges.names import number_names
from landbridge.edges.options import Options, Progress, options_of
from landbridge.errors import InputError

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
    Format(
        "arrow",
        (".feather", ".arrow", ".ipc", ".arrows"),
        "two columns of a Feather or Arrow IPC file (needs pyarrow)",
        tables.read_arrow,
    ),
    Format(
        "jsonl",
        (".jsonl", ".ndjson"),
        "two members of JSON objects, one a line (needs pyarrow)",
        tables.read_jsonl,
    ),
)

FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}

# The formats that are text: they may be compressed, and go through standard input and output.
TEXT = ("edges", "matrix-market", "metis", "dimacs")

# The formats in which ids may be any text.
NAMED = ("edges", "parquet", "arrow", "jsonl")

# First bytes that name a format when the ending of the path does not.
_MAGIC = (
    (b"%%MatrixMarket", "matrix-market"),
    (b"\x93NUMPY", "npy"),
    (b"PK\x03\x04", "npz"),
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"FEA1", "arrow"),
)

_NETWORKX = "networkx.read_{} makes a graph that can be given instead"
_FRAME = "{} makes a data frame that can be given instead"
# Endings of formats that are not read, and what reads them.
NOT_READ = {
    ".gexf": _NETWORKX.format("gexf"),
    ".graphml": _NETWORKX.format("graphml"),
    ".gml": _NETWORKX.format("gml"),
    ".net": _NETWORKX.format("pajek"),
    ".pajek": _NETWORKX.format("pajek"),
    ".adjlist": _NETWORKX.format("adjlist"),
    ".g6": _NETWORKX.format("graph6"),
    ".dot": "networkx.nx_pydot.read_dot makes a graph that can be given instead",
    ".xlsx": _FRAME.format("pandas.read_excel"),
    ".xls": _FRAME.format("pandas.read_excel"),
    ".ods": _FRAME.format("pandas.read_excel"),
    ".json": "one object a line is read as .jsonl (format='jsonl'); of others pandas.read_json makes a data frame",
    ".orc": _FRAME.format("pandas.read_orc"),
    ".avro": _FRAME.format("polars.read_avro"),
    ".h5": _FRAME.format("pandas.read_hdf"),
    ".hdf5": _FRAME.format("pandas.read_hdf"),
    ".sas7bdat": _FRAME.format("pandas.read_sas"),
    ".dta": _FRAME.format("pandas.read_stata"),
    ".db": "a query of DuckDB or SQLite makes a table that can be given instead",
    ".sqlite": "a query of DuckDB or SQLite makes a table that can be given instead",
    ".duckdb": "a query of DuckDB makes a table that can be given instead",
    ".mat": "scipy.io.loadmat makes matrices that can be given instead",
    ".pkl": "pickled objects can run any code; load it yourself and give the object",
    ".pickle": "pickled objects can run any code; load it yourself and give the object",
    ".zip": "unpack it first",
    ".tar": "unpack it first",
    ".tgz": "unpack it first",
    ".7z": "unpack it first",
    ".rar": "unpack it first",
    ".lz4": "unpack it first; .gz, .zst, .bz2 and .xz are read",
    ".lzma": "unpack it first; .gz, .zst, .bz2 and .xz are read",
    ".br": "unpack it first; .gz, .zst, .bz2 and .xz are read",
}


def detect_format(path: str | PathLike[str]) -> str:
    """The name of the format a path stands for.

    Its ending decides (an ending of compressed files does not count); for an ending that no format has, the first
    bytes of the file, if it is a file; else it is a list of edges as text.
    Raises InputError for the ending of a format that is known and not read.
    """
    name = fspath(path)
    return format_of_name(name) or first_bytes_format(name) or "edges"


def format_of_name(name: str) -> str | None:
    """The format that the ending of a name says. Raises InputError for one that is not read."""
    suffixes = [s.lower() for s in Path(name).suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    if not suffixes:
        return None
    if suffixes[-1] in NOT_READ:
        raise InputError(f"{name}: {suffixes[-1]} files are not read: {NOT_READ[suffixes[-1]]}")
    return next((row.name for row in _ROWS if suffixes[-1] in row.extensions), None)


def first_bytes_format(name: str) -> str | None:
    """The format that the first bytes of a file name, if it is a file and they do."""
    if name == "-" or not Path(name).is_file():
        return None
    with Path(name).open("rb") as file:
        return format_of_bytes(file.read(16))


def format_of_bytes(head: bytes) -> str | None:
    """The format that the first bytes of a file name, if they do."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def refuse_metis(source: Source, options: Options) -> None:
    """Raise FileFormatError for lines that are those of a METIS file under the name of a list of edges: they agree with
    their first and are as long as a vertex has neighbours."""
    if options.columns is not None or options.dialect or options.base or options.ids == "names":
        return
    size = 1 << 16
    head = source.peek(size)
    first = head[: 1 << 12].split(b"\n")[:-1]
    if len(first) > 50 and len({len(line.split()) for line in first}) == 1:
        return  # as long as the first line, all of them: no rows
    lines = [line.split() for line in head.split(b"\n") if not line.startswith(b"%")]
    if len(head) == size or (lines and not lines[-1]):
        lines.pop()
    if len(lines) < 3 or not all(word.isdigit() and len(word) < 20 for line in lines for word in line):
        return
    header, rows = lines[0], lines[1:]
    if not 2 <= len(header) <= 4 or len({len(row) for row in rows}) == 1:
        return
    most = int(header[0])
    if len(rows) > most or (len(header) == 2 and not all(1 <= int(word) <= most for row in rows for word in row)):
        return
    if len(head) < size:  # all is there, so the reader of METIS can say
        try:
            _core.parse_metis(np.frombuffer(head, np.uint8), threads=1)
        except ValueError:
            return
    source.fail(
        "the lines could be those of a METIS file and agree with its first: format='metis' reads it, format='edges' "
        "reads edges (--format on the command line)",
        line=1,
        text=b" ".join(header).decode(),
    )


def read(
    path: Any,
    *,
    format: str | None = None,
    options: Options | None = None,
    ids: str = "auto",
    threads: int | None = None,
    columns: Iterable[str | int] | None = None,
    progress: Progress | None = None,
) -> Edges:
    """Read the edges of a file, or of several one after another.

    path: a file, or "-" for text on standard input; a folder or a pattern such as ``"part-*.csv"``, whose files are
        taken in the order of their names; a list of these; an open file; a URL that fsspec opens; a dataset of Arrow.
        Gzip, zstd, bzip2 and xz are recognised by their first bytes.
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
    given = inputs_of(path)
    if len(given) == 1:
        return _read_one(given[0], format, options)
    return concatenated([(one.name, _read_one(one, format, options)) for one in given], options.threads)


def _read_one(given: Input, format: str | None, options: Options) -> Edges:
    if given.dataset is not None:
        return tables.read_dataset(given.dataset, options, given.name)
    if given.path is not None:
        format_of(given, None, format, options)  # what a name tells needs no file
    with given.source(options) as source:
        name = format_of(given, source, format, options)
        if format is None and name == "edges":
            refuse_metis(source, options)
        return FORMATS[name].read(source, options)


def format_of(given: Input, source: Source | None, format: str | None, options: Options) -> str:
    """The name of the format of a file: what is said, else its ending, else its first bytes (of the open `source`).

    Raises InputError for formats that there are not, or that cannot hold what the options ask for.
    """
    name = format or format_of_name(given.name)
    if name is None:
        if source is None:
            return "edges"
        name = format_of_bytes(source.peek(16)) or "edges"
    elif format is None and name == "edges" and source is not None:
        name = format_of_bytes(source.peek(16)) or name
    if name not in FORMATS:
        raise InputError(f"there is no file format {name!r}; known are {', '.join(FORMATS)}")
    if options.ids == "names" and name not in NAMED:
        raise InputError(f"ids='names' is for {', '.join(NAMED)}; vertices of {name} files are numbers")
    return name


def concatenated(parts: Sequence[tuple[str, Edges]], threads: int) -> EdgeList:
    """The edges of several files, one after another; their names are for messages.

    Raises InputError unless all are lists of edges whose vertices are of one kind. One without edges is of any.
    """
    first_name, kind = "", None
    for name, edges in parts:
        if not isinstance(edges, EdgeList) or (edges.num_vertices is not None and edges.ids is None):
            raise InputError(f"{name}: a file that declares how many vertices there are can be read only alone")
        if len(edges.u) == 0:
            continue
        here = "names" if edges.ids is not None and edges.ids.dtype.kind not in "iu" else (
            "the ids that occur" if edges.occurring or edges.ids is not None else "0..n-1"
        )  # fmt: skip
        if kind is None:
            first_name, kind = name, here
        if here != kind:
            raise InputError(f"{name}: vertices are {here}, and those of {first_name} are {kind}")
    lists = [edges for _, edges in parts if isinstance(edges, EdgeList)]
    notes = tuple(dict.fromkeys(note for edges in lists for note in edges.notes))
    if kind is None:
        return replace(lists[0], notes=notes)
    lists = [edges for edges in lists if len(edges.u)]
    if kind == "names":
        return replace(_joined_names(lists, threads), notes=notes)
    u, v = (
        _joined([x.u if x.ids is None else x.ids[x.u] for x in lists]),
        _joined([x.v if x.ids is None else x.ids[x.v] for x in lists]),
    )
    if u.dtype != v.dtype:
        u, v = text.join([u, v[:0]]), text.join([v, u[:0]])
    return EdgeList(u, v, notes=notes, occurring=kind == "the ids that occur")


def _joined(columns: list[Any]) -> Any:
    native = [c if c.dtype != np.uint32 else c.astype(np.int64) for c in columns]
    if any(c.dtype == np.uint64 for c in native) and any(len(c) and int(c.min()) < 0 for c in native):
        raise InputError("negative ids in one file and ids of 2^63 and more in another fit no common type")
    return text.join(native)


def _joined_names(lists: Sequence[EdgeList], threads: int) -> EdgeList:
    """Edges between names of several lists, numbered anew over all of them."""
    offsets, data, before, at = [np.zeros(1, np.int64)], [], 0, 0
    us, vs = [], []
    for edges in lists:
        names: Any = edges.ids
        ends, characters = names.buffers
        offsets.append(ends[1:] - ends[0] + before)
        data.append(characters[int(ends[0]) : int(ends[-1])])
        us.append(edges.u.astype(np.int64) + at)
        vs.append(edges.v.astype(np.int64) + at)
        before, at = before + int(ends[-1] - ends[0]), at + len(names)
    every = (np.concatenate(offsets), np.concatenate(data))
    numbered = number_names(every, every, threads)
    return replace(numbered, u=numbered.u[np.concatenate(us)], v=numbered.u[np.concatenate(vs)])


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


def lists_edges(path: str, format: str | None = None) -> bool:
    """Whether a file of this name and format would hold edges as a list, with ids as they are."""
    return _row_to_write(path, format).name in (*NAMED, "npy")


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
