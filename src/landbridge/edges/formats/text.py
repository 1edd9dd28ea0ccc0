"""Lists of edges as text: SNAP, TSV, CSV, whitespace columns, plain or compressed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.formats.source import Bytes, Source
from landbridge.edges.forms import EdgeList
from landbridge.edges.names import number_names
from landbridge.edges.options import Options
from landbridge.errors import InputError

COMMENTS = b"#%"
_COUNTS = re.compile(rb"\b(Nodes|Edges):\s*(\d{1,18})\b")
_NAME = re.compile(rb"\"?[A-Za-z_]")
_NUMBER_WORDS = (b"nan", b"inf", b"infinity")
# What programs call the column of row numbers that they put in front of a table's own columns.
_ROW_NUMBERS = re.compile(r"|unnamed: ?\d+|index|rownames|row_names")


@dataclass(slots=True)
class Prelude:
    """What the lines before the first edge say.

    start, lines: bytes and lines before the data (a byte order mark, a header line and all above it).
    names, header_line: the columns of the header line and its number, if there is one.
    nodes, edges: counts a comment claims.
    first: the first line that is neither blank nor a comment, or None if there is none yet.
    """

    start: int = 0
    lines: int = 0
    names: list[str] | None = None
    header_line: int = 0
    nodes: int | None = None
    edges: int | None = None
    first: bytes | None = None


def split_columns(line: bytes) -> tuple[list[bytes], str]:
    """The columns of a line and the delimiter that parts them, "" for blanks."""
    for delimiter in (",", ";", "\t"):
        if delimiter.encode() in line:
            return [c.strip() for c in line.split(delimiter.encode())], delimiter
    return line.split(), ""


def _is_header(line: bytes) -> bool:
    columns = split_columns(line)[0]
    if len(columns) > 2 and not columns[0].strip(b'"'):
        columns = columns[1:]  # the column of row numbers, which has no name
        if columns == [b"%d" % i for i in range(len(columns))]:
            return True
    named = [c for c in columns if _NAME.match(c) and c.strip(b'"').lower() not in _NUMBER_WORDS]
    return len(columns) > 1 and len(named) == len(columns)


def default_columns(names: list[str] | None) -> tuple[int, int]:
    """The two columns that hold the edges if nobody says which: the first two, but for row numbers."""
    if names is not None and len(names) > 2 and _ROW_NUMBERS.fullmatch(names[0].lower()):
        return 1, 2
    return 0, 1


def read_prelude(source: Source, head: bytes) -> Prelude:
    """Look at the lines at the start of ``head`` (whole lines, or the whole file)."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        source.fail("the text is UTF-16; convert it to UTF-8", line=1)
    prelude = Prelude(start=3 if head.startswith(b"\xef\xbb\xbf") else 0)
    position, line_number = prelude.start, 0
    while position < len(head):
        end = head.find(b"\n", position)
        end = len(head) if end < 0 else end
        line = head[position:end].strip()
        position, line_number = end + 1, line_number + 1
        if not line:
            continue
        if line.lower().startswith(b"%%matrixmarket"):
            source.fail("this is a Matrix Market file; read it with format='matrix-market'", line=line_number)
        if line[:1] in (b"#", b"%"):
            for word, value in _COUNTS.findall(line):
                if word == b"Nodes":
                    prelude.nodes = int(value)
                else:
                    prelude.edges = int(value)
            continue
        prelude.first = line
        if _is_header(line):
            names = [c.strip(b'"').decode("utf-8", "replace") for c in split_columns(line)[0]]
            prelude.names, prelude.start = names, min(position, len(head))
            prelude.lines = prelude.header_line = line_number
        break
    return prelude


def _choose_columns(source: Source, prelude: Prelude, options: Options) -> tuple[int, int]:
    if options.columns is None:
        return default_columns(prelude.names)
    chosen = []
    for column in options.columns:
        if isinstance(column, str):
            if prelude.names is None:
                raise InputError(f"{source.path}: no header line names the columns, so {column!r} cannot be found")
            if column not in prelude.names:
                known = ", ".join(prelude.names)
                raise InputError(f"{source.path}: there is no column {column!r}; the header has {known}")
            chosen.append(prelude.names.index(column))
        elif 0 <= column < 1000:
            chosen.append(column)
        else:
            raise InputError(f"{source.path}: column {column} is out of range")
    return chosen[0], chosen[1]


def read_edge_list(source: Source, options: Options) -> EdgeList:
    """Edges one a line, two whole numbers first; see the table of formats in docs for the grammar.

    O(bytes / threads) time. The memory beside the result is small: one number of 4 bytes (8 for ids of
    2^31 and more) is stored for each id, in the order of the file.
    """
    if options.ids == "names":
        return _read_names(source, options)
    if source.mappable:
        data = source.whole()
        prelude = prelude_of_mapping(source, data)
        result = parse(source, data, prelude, options, first_line=1 + prelude.lines)
        u, v, _, largest = result
    else:
        prelude, u, v, largest = _read_stream(source, options)
    return finish(u, v, largest, options, prelude)


# Words that head columns of edges; any other word on a first line is a name like those below it.
_HEADS = re.compile(r"src|dst|source|target|from|to|u|v|left|right|node_?[12]?|id_?[12ab]|vertex_?[12]?|[lr]id")


@dataclass(frozen=True, slots=True)
class NameLayout:
    """Where the names are: ``start`` and ``lines``, bytes and lines before the data; the columns; what splits them."""

    start: int
    lines: int
    first: int
    second: int
    delimiter: str
    notes: tuple[str, ...] = ()


def name_layout(source: Source, prelude: Prelude, head: bytes, options: Options) -> NameLayout:
    """The layout of lines of names that begin with `prelude`, and the file with `head`."""
    heads = prelude.names or []
    by_name = options.columns is not None and any(isinstance(c, str) for c in options.columns)
    first, second = _choose_columns(source, prelude, options)
    known = [_HEADS.fullmatch(heads[c].lower()) for c in (first, second) if c < len(heads)]
    delimiter = split_columns(prelude.first)[1] if prelude.first is not None else ""
    if prelude.names is None or by_name or all(known):
        notes: tuple[str, ...] = ()
        if prelude.names is not None and not by_name:
            notes = (f"line {prelude.header_line} is taken as a header ({', '.join(prelude.names)})",)
        return NameLayout(prelude.start, prelude.lines, first, second, delimiter, notes)
    # No header: start again at the first line, which the search for one has passed.
    first, second = (0, 1) if options.columns is None else (first, second)
    return NameLayout(3 if head.startswith(b"\xef\xbb\xbf") else 0, 0, first, second, delimiter)


def parse_names(source: Source, data: Bytes, layout: NameLayout, options: Options, first_line: int) -> EdgeList:
    """The edges of lines that count from ``first_line``, vertices numbered as they turn up in them."""
    u, v = source.parse(
        _core.parse_names,
        data,
        first=layout.first,
        second=layout.second,
        delimiter=layout.delimiter,
        first_line=first_line,
        progress=source.report,
    )
    return number_names(u, v, options.threads, layout.notes)


def _read_names(source: Source, options: Options) -> EdgeList:
    data = source.whole()
    layout = name_layout(source, prelude_of_mapping(source, data), data[:3].tobytes(), options)
    return parse_names(source, data[layout.start :], layout, options, 1 + layout.lines)


def prelude_of_mapping(source: Source, data: Bytes) -> Prelude:
    """The lines before the first edge of a mapped file."""
    window = 1 << 16
    while True:
        head = data[:window].tobytes()
        if window < len(data):
            head = head[: head.rfind(b"\n") + 1]
        prelude = read_prelude(source, head)
        if prelude.first is not None or window >= len(data):
            return prelude
        window *= 8


def parse(source: Source, data: Bytes, prelude: Prelude, options: Options, first_line: int) -> Any:
    """(u, v, lines, largest id) of the lines behind ``prelude.start``, which count from ``first_line``."""
    first, second = _choose_columns(source, prelude, options)
    strict = prelude.first is not None and (prelude.names is not None or options.columns is not None)

    def parser(*args: Any, **named: Any) -> Any:
        try:
            return _core.parse_edges(*args, **named)
        except _core.CoreFormatError as error:
            problem, *where, word = error.args
            if problem.startswith("expected a vertex id") and word[:1].isalpha():
                problem += "; ids='names' takes text"
            raise _core.CoreFormatError(problem, *where, word) from None

    return source.parse(
        parser,
        data[prelude.start :],
        threads=options.threads,
        first=first,
        second=second,
        delimiter=split_columns(prelude.first)[1] if strict and prelude.first is not None else "",
        first_line=first_line,
        quotes=True,
        progress=source.report,
    )


def parse_stream(source: Source, options: Options) -> Iterator[tuple[Prelude, NDArray[Any], NDArray[Any], int]]:
    """What is known of the header, u, v and the largest id of each block of a file that cannot be mapped."""
    prelude, line = Prelude(), 1
    for block in source.line_blocks():
        here = Prelude(first=prelude.first, names=prelude.names)
        if prelude.first is None:
            here = read_prelude(source, block)
            here.nodes = prelude.nodes if here.nodes is None else here.nodes
            here.edges = prelude.edges if here.edges is None else here.edges
            here.header_line = line - 1 + here.lines
            prelude = here
        data = np.frombuffer(block, np.uint8)
        u, v, lines, top = parse(source, data, here, options, first_line=line + here.lines)
        line += lines + here.lines
        yield prelude, u, v, top


def _read_stream(source: Source, options: Options) -> tuple[Prelude, NDArray[Any], NDArray[Any], int]:
    blocks = list(parse_stream(source, options))
    if not blocks:
        source.fail("the file is empty")
    preludes, us, vs, largest = zip(*blocks, strict=True)
    return preludes[-1], join(list(us)), join(list(vs)), max(largest)


def join(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One array of the widest of the parts' types (int32 < int64 < uint64, never a float)."""
    kinds = {p.dtype for p in parts}
    widest = next((np.dtype(t) for t in (np.uint64, np.int64) if np.dtype(t) in kinds), np.dtype(np.int32))
    return parts[0] if len(parts) == 1 else np.concatenate(parts, dtype=widest, casting="unsafe")


def finish(u: NDArray[Any], v: NDArray[Any], largest: int, options: Options, prelude: Prelude) -> EdgeList:
    """Choose the meaning of the ids and say what contradicts the header."""
    notes = []
    m = len(u)
    if prelude.names is not None and options.columns is None:
        first, second = default_columns(prelude.names)
        which = f"columns {prelude.names[first]} and {prelude.names[second]}" if first else "the first two columns"
        notes.append(
            f"line {prelude.header_line} is taken as a header ({', '.join(prelude.names)}); {which} are the edges"
        )
    if prelude.edges is not None and prelude.edges != m:
        notes.append(f"the header says {prelude.edges} edges, the file has {m}: the file is trusted")
    if options.ids != "dense":
        return EdgeList(u, v, notes=tuple(notes), occurring=True)
    n = largest + 1 if m else 0
    if prelude.nodes is not None and prelude.nodes != n:
        notes.append(
            f"the header says {prelude.nodes} nodes, ids go up to {largest}: "
            f"the edges are trusted, so there are {n} vertices (ids='sparse' counts only ids that occur)"
        )
    return EdgeList(u, v, notes=tuple(notes))


def renumbered(u: NDArray[Any], v: NDArray[Any], threads: int) -> EdgeList:
    """The same edges over 0..k-1, where k ids occur; ``ids`` holds them in ascending order."""
    dense_u, dense_v, ids = _core.renumber(u, v, threads=threads)
    return EdgeList(dense_u, dense_v, len(ids), ids)
