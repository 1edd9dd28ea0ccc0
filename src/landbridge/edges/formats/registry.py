"""The table of file formats: a row per format, and the lookups by name, suffix and first bytes.

The command line and the documentation are rendered from it. A format is added by a module with its reader (and writer)
and a row here.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from landbridge.edges.formats import (
    arrow_ipc,
    dimacs,
    ecl,
    edge_list,
    edge_list_chunks,
    gap,
    jsonl,
    matrix_market,
    metis,
    npy,
    npz,
    number_list,
    parquet,
)
from landbridge.edges.formats.compression import COMPRESSED
from landbridge.edges.formats.format import Format
from landbridge.edges.options import Options
from landbridge.edges.spelling import option, spelled
from landbridge.errors import InputError

_ROWS = (
    Format(
        "edges",
        (".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel", ".snap"),
        "one edge per line: SNAP, TSV, CSV, blanks; # and % comments; further columns are ignored",
        edge_list.read,
        edge_list.write,
        chunks=edge_list_chunks.open_chunks,
        is_text=True,
        read_by=("header", "delimiter", "comment", "encoding"),
        has_names=True,
        kinds="CSV, TSV and other text",
        numbers=number_list.read_column,
    ),
    Format(
        "matrix-market",
        (".mtx", ".mm"),
        "Matrix Market coordinate files, square; every entry is an edge",
        matrix_market.read,
        matrix_market.write,
        magic=(b"%%MatrixMarket",),
        is_text=True,
        read_by=("encoding",),
        declares_vertices=True,
    ),
    Format(
        "metis",
        (".graph", ".metis"),
        "METIS and Chaco adjacency, with or without sizes and weights",
        metis.read,
        metis.write,
        is_text=True,
        read_by=("encoding",),
        declares_vertices=True,
    ),
    Format(
        "dimacs",
        (".gr", ".col", ".dimacs"),
        "DIMACS: 'p sp' with 'a' lines, or 'p edge' with 'e' lines",
        dimacs.read,
        dimacs.write,
        is_text=True,
        read_by=("encoding",),
        declares_vertices=True,
    ),
    Format(
        "gap",
        (".sg",),
        "serialised CSR of the GAP benchmark suite",
        gap.read,
        gap.write,
        declares_vertices=True,
    ),
    Format(
        "gap-weighted",
        (".wsg",),
        "the same with weights, which are ignored",
        gap.read_weighted,
        declares_vertices=True,
    ),
    Format(
        "ecl",
        (".egr",),
        "binary CSR of the ECL graph codes, with or without weights",
        ecl.read,
        ecl.write,
        declares_vertices=True,
    ),
    Format(
        "npz",
        (".npz",),
        "a SciPy sparse matrix (csr, csc, coo) from save_npz, or arrays u and v",
        npz.read,
        npz.write,
        magic=(b"PK\x03\x04",),
        takes_base=False,
        declares_vertices=True,
    ),
    Format(
        "npy",
        (".npy",),
        "a NumPy array of shape (m, 2) or (2, m)",
        npy.read,
        npy.write,
        chunks=npy.open_chunks,
        magic=(b"\x93NUMPY",),
        takes_base=False,
    ),
    Format(
        "parquet",
        (".parquet", ".pq"),
        "two columns of a Parquet table (needs pyarrow)",
        parquet.read,
        parquet.write,
        chunks=parquet.open_chunks,
        magic=(b"PAR1",),
        has_names=True,
        numbers=parquet.read_numbers,
    ),
    Format(
        "arrow",
        (".feather", ".arrow", ".ipc", ".arrows"),
        "two columns of a Feather or Arrow IPC file (needs pyarrow)",
        arrow_ipc.read,
        chunks=arrow_ipc.open_chunks,
        magic=(b"ARROW1", b"FEA1"),
        has_names=True,
        numbers=arrow_ipc.read_numbers,
    ),
    Format(
        "jsonl",
        (".jsonl", ".ndjson"),
        "two members of JSON objects, one per line (needs pyarrow)",
        jsonl.read,
        chunks=jsonl.open_chunks,
        read_by=("encoding",),
        has_names=True,
        numbers=jsonl.read_numbers,
    ),
)

FORMATS: dict[str, Format] = {row.name: row for row in _ROWS}

_NETWORKX = "networkx.read_{} makes a graph that can be given instead"
_FRAME = "{} makes a data frame that can be given instead"
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
    ".json": "one object on each line is read{lines}; of others pandas.read_json makes a data frame",
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
"""Suffixes of formats that are not read, and what reads them."""


def suffix_of(name: str) -> tuple[str, bool]:
    """The suffix of a file name that identifies its format, and whether one of a compressed file follows it.

    Returns
    -------
    (str, bool)
        The suffix in lower case, "" for none.
    """
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    is_compressed = bool(suffixes) and suffixes[-1] in COMPRESSED
    if is_compressed:
        suffixes.pop()
    return (suffixes[-1] if suffixes else ""), is_compressed


def format_by_suffix(name: str) -> Format | None:
    """The format with the suffix of a file name.

    Raises
    ------
    InputError
        For the suffix of a known format that is not read.
    """
    suffix, _ = suffix_of(name)
    if suffix in NOT_READ:
        lines = f" with {spelled(format='jsonl')}" if suffix == ".json" else ""
        raise InputError(f"{name}: {suffix} files are not read: {NOT_READ[suffix].format(lines=lines)}")
    return next((row for row in _ROWS if suffix in row.extensions), None)


STREAM_MAGIC = b"\x89LBS\r\n\x1a\n"
"""First bytes of a journal and of a saved stream."""


def format_by_magic(head: bytes, name: str) -> Format | None:
    """The format that the first bytes of a file identify. Raises InputError for those of a stream. name: the file."""
    if head.startswith(STREAM_MAGIC):
        raise InputError(
            f"{name}: it is a journal or a saved stream of landbridge: Incremental(journal=path) opens the one, "
            "Incremental.load(path) the other"
        )
    is_text = not any(byte < ord(" ") and byte not in b"\t\r\n" for byte in head)  # PAR1 is a gene, too
    return next((row for row in _ROWS if row.magic and head.startswith(row.magic) and row.is_text >= is_text), None)


def refuse_other_format(head: bytes, name: str, row: Format, *, in_chunks: bool = False) -> None:
    """Raise InputError for a file of one format whose first bytes identify another one, or a stream. name: the file.

    in_chunks: whether the file is to be read so. The reader of edges names the line of a matrix.
    """
    other = format_by_magic(head, name)
    if other is not None and other is not row and not (other.is_text and row.name == "edges"):
        whole = f", without {spelled('chunks')}" if in_chunks and other.chunks is None else ""
        raise InputError(
            f"{name}: by its first bytes the file is of format {other.name}, not {row.name}; "
            f"{spelled(format=other.name)} reads it{whole}"
        )


MAGIC = 16
"""First bytes of a file that `format_by_magic` needs at most."""


def format_by_name(name: str) -> Format:
    """The format of a name. Raises InputError for a name without one; for an ending it names the format."""
    refuse_other_than_text(name)
    if name not in FORMATS:
        row = _format_of_ending(name)
        what = f"known are {titles(_ROWS)}" if row is None else f".{name.lower()} files are of format {row.name}"
        raise InputError(f"there is no file format {name!r}; {what}")
    return FORMATS[name]


def refuse_other_than_text(format: object) -> None:
    """Raise InputError for a format whose name is no text."""
    if not isinstance(format, str):
        raise InputError(f"{option('format')} must be the name of a format or None, not {format!r}")


def titles(rows: Iterable[Format]) -> str:
    """The names of formats, for messages."""
    return ", ".join(row.title for row in rows)


def named_formats() -> str:
    """The names of the formats whose ids may be text, for messages."""
    return titles(row for row in _ROWS if row.has_names)


def check_options(row: Format, options: Options, name: str) -> None:
    """Raise InputError if ids are requested to be names and the format has none, and for options by which a file of
    this name is not read."""
    if options.base and not row.takes_base:
        raise InputError(
            f"{name}: {option('base')} is not for files of format {row.name}; subtract 1 from the ids of arrays"
        )
    if options.ids == "names" and not row.has_names:
        raise InputError(
            f"{name}: {spelled(ids='names')} is for {named_formats()}; vertices of {row.name} files are numbers"
        )
    _refuse_idle(options, row.read_by, name, f"files of format {row.name}")


def check_dataset(dataset: Any, format: str | None, options: Options, name: str) -> None:
    """Raise InputError for options by which a dataset of Arrow is not read, and for another format than its files'."""
    ending = f".{getattr(getattr(dataset, 'format', None), 'default_extname', '')}"
    if format is not None and ending not in format_by_name(format).extensions:
        raise InputError(f"{name}: a dataset of Arrow has a format already: leave {spelled(format=format)} out")
    _refuse_idle(options, (), name, "a dataset of Arrow")


def _refuse_idle(options: Options, read_by: tuple[str, ...], name: str, what: str) -> None:
    """Raise InputError for an option of text that is none of those by which `what` is read."""
    idle = next((each for each in options.dialect if each not in read_by), None)
    if idle is not None:
        takes = titles(row for row in _ROWS if idle in row.read_by)
        raise InputError(f"{name}: {option(idle)} has no effect on {what}: it is for {takes}")


def ending_to_write(target: str, name: str | None) -> str:
    """The ending of files that are written like this one: the named one, else that of the target; "" for none."""
    return suffix_of(target)[0] if name is None or _format_of_ending(name) is None else f".{name.lower()}"


def _format_of_ending(name: str) -> Format | None:
    """The format with an ending, which is given without the point, unless it is the name of a format."""
    refuse_other_than_text(name)
    return None if name in FORMATS else next((row for row in _ROWS if f".{name.lower()}" in row.extensions), None)


def format_to_write(target: str, name: str | None) -> Format:
    """The format in which edges are written to a file.

    Parameters
    ----------
    target : str
        The path of the file, "-" for standard output.
    name : str or None
        The name of a format, or an ending of its files without the point; None for that of the suffix.

    Raises
    ------
    InputError
        For an unknown format or suffix, a format that is only read, and a binary one that would be compressed or go to
        standard output.
    """
    suffix, is_compressed = suffix_of(target)
    if name is not None:
        row = _format_of_ending(name) or format_by_name(name)
    else:
        by_suffix = next((row for row in _ROWS if suffix in row.extensions), None)
        if by_suffix is None and target != "-":
            endings = ", ".join(ending for row in _ROWS if row.write is not None for ending in row.extensions)
            raise InputError(f"{target}: the ending names no format to write; known are {endings}")
        row = by_suffix or FORMATS["edges"]
    if row.write is None:
        raise InputError(f"{target}: the format {row.name} can be read but not written")
    if (is_compressed or target == "-") and not row.is_text:
        raise InputError(f"{target}: only text can be compressed or written to standard output, not {row.name}")
    return row
