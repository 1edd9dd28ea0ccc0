"""Lists of edges as text: SNAP, TSV, CSV, whitespace columns, plain or compressed, in any encoding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.formats.dialect import Dialect, Header, dialect_of, fail_counts, fail_untold
from landbridge.edges.formats.source import Bytes, Source
from landbridge.edges.forms import EdgeList
from landbridge.edges.names import number_names
from landbridge.edges.options import Options


def read_edge_list(source: Source, options: Options) -> EdgeList:
    """Edges one a line; see the table of formats in docs for the grammar.

    O(bytes / threads) time. The memory beside the result is small: one number of 4 bytes (8 for ids of
    2^31 and more) is stored for each id, in the order of the file.
    """
    dialect = dialect_of(source, options)
    if dialect.named:
        return parse_names(source, source.whole()[dialect.start :], dialect, options, dialect.first_line)
    if source.mappable:
        data = source.whole()[dialect.start :]
        u, v, _, largest = parse(source, data, dialect, options, dialect.first_line)
    else:
        blocks = list(parse_stream(source, dialect, options))
        us, vs, tops = zip(*blocks, strict=True) if blocks else ((_NONE,), (_NONE,), (0,))
        u, v, largest = join(list(us)), join(list(vs)), max(tops)
    counts = Counts(source, dialect, options)
    counts.add(u, v)
    counts.check()
    return EdgeList(u, v, notes=notes_of(dialect, options, len(u), largest), occurring=options.ids != "dense")


_NONE = np.empty(0, dtype=np.int32)


def parse_names(source: Source, data: Bytes, dialect: Dialect, options: Options, first_line: int) -> EdgeList:
    """The edges of lines that count from ``first_line``, vertices being the names that occur in them."""
    u, v = source.parse(
        _hinting,
        _core.parse_names,
        dialect.hint,
        data,
        strict_comments=options.comment is None,
        first_line=first_line,
        progress=source.report,
        **dialect.grammar,
    )
    edges = number_names(u, v, options.threads, dialect.notes)
    if dialect.header is not None:
        _check_header(source, dialect.header, edges, data, first_line)
    return edges


def _check_header(source: Source, header: Header, edges: EdgeList, data: Bytes, first_line: int) -> None:
    """Raise FileFormatError if a row that was guessed to be a header has words that are ids, or if a header comes
    again, as in files put one behind another."""
    names: Any = edges.ids
    places = [_place(names, word) for word in header.words]
    if header.guessed and any(place is not None for place in places):
        fail_untold(source, header.line, header.text)
    if None in places or not np.any((edges.u == places[0]) & (edges.v == places[1])):
        return
    line = first_line
    for text in data.tobytes().split(b"\n"):
        if text.rstrip(b"\r") == header.text:
            source.fail(
                f"this line repeats the header of line {header.line}; header=True (--header yes) takes it as an edge",
                line=line,
                text=header.text[:60].decode("utf-8", "replace"),
            )
        line += 1


def _place(names: Any, word: bytes) -> int | None:
    """Where a name stands among names that ascend by their bytes; None if it is none of them."""
    ends, characters = names.buffers
    low, high = 0, len(names)
    while low < high:
        middle = (low + high) // 2
        if characters[ends[middle] : ends[middle + 1]].tobytes() < word:
            low = middle + 1
        else:
            high = middle
    there = low < len(names) and characters[ends[low] : ends[low + 1]].tobytes() == word
    return low if there else None


class Counts:
    """Whether the first edge of a text could be the numbers of vertices and of edges, as in files of "n m" and edges.

    All edges are added in their order, then `check` raises FileFormatError if it could.
    """

    def __init__(self, source: Source, dialect: Dialect, options: Options) -> None:
        self._source, self._dialect, self._base = source, dialect, options.base or 0
        self._possible = dialect.counts_first
        self._first: tuple[int, int] | None = None
        self._m = 0

    def add(self, u: NDArray[Any], v: NDArray[Any]) -> None:
        if not self._possible or len(u) == 0:
            return
        if self._first is None:
            self._first = (int(u[0]) + self._base, int(v[0]) + self._base)
            u, v, self._m = u[1:], v[1:], 1
        self._m += len(u)
        most = self._first[0] - self._base
        few = slice(0, 1 << 10)  # most files are refuted by their first edges
        for some in (few, slice(0, None)):
            if self._possible and len(u):
                self._possible = int(u[some].max()) <= most and int(v[some].max()) <= most

    def check(self) -> None:
        if self._possible and self._first is not None and self._m > 3 and self._first[1] == self._m - 1:
            fail_counts(self._source, self._dialect, self._m, self._first)


def parse(source: Source, data: Bytes, dialect: Dialect, options: Options, first_line: int) -> Any:
    """(u, v, lines, largest id) of lines of numbers, which count from ``first_line``."""
    return source.parse(
        _hinting,
        _core.parse_edges,
        dialect.hint,
        data,
        threads=options.threads,
        base=options.base or 0,
        padded=options.ids != "auto",
        first_line=first_line,
        progress=source.report,
        **dialect.grammar,
    )


def _hinting(parser: Any, hint: str, data: Bytes, **options: Any) -> Any:
    """Call a parser; to its complaint is added what could be meant."""
    try:
        return parser(data, **options)
    except _core.CoreFormatError as error:
        problem, *where, word = error.args
        if problem.startswith("expected a vertex id") and not word[:1].isdigit():
            problem += "; ids='names' takes text"
        elif "columns where" in problem or "column where" in problem:
            problem += f"; {hint}" if hint else ""
        raise _core.CoreFormatError(problem, *where, word) from None


def parse_stream(
    source: Source, dialect: Dialect, options: Options
) -> Iterator[tuple[NDArray[Any], NDArray[Any], int]]:
    """u, v and the largest id of each block of a file that cannot be mapped."""
    line = dialect.first_line
    for block in source.line_blocks(dialect.start):
        u, v, lines, top = parse(source, np.frombuffer(block, np.uint8), dialect, options, line)
        line += lines
        yield u, v, top


def join(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One array of the widest of the parts' types (int32 < int64 < uint64, never a float)."""
    kinds = {p.dtype for p in parts}
    widest = next((np.dtype(t) for t in (np.uint64, np.int64) if np.dtype(t) in kinds), np.dtype(np.int32))
    return parts[0] if len(parts) == 1 else np.concatenate(parts, dtype=widest, casting="unsafe")


def notes_of(dialect: Dialect, options: Options, m: int, largest: int) -> tuple[str, ...]:
    """How the text was understood, and what contradicts its comments."""
    notes = list(dialect.notes)
    if dialect.edges is not None and dialect.edges != m:
        notes.append(f"the header says {dialect.edges} edges, the file has {m}: the file is trusted")
    if dialect.nodes is not None and options.ids == "dense":
        n = largest + 1 if m else 0
        if dialect.nodes != n:
            notes.append(
                f"the header says {dialect.nodes} nodes, ids go up to {largest}: the edges are trusted, so there are "
                f"{n} vertices (ids='sparse' counts only ids that occur)"
            )
    elif dialect.nodes is not None and dialect.nodes > 2 * m:
        notes.append(f"the header says {dialect.nodes} nodes, and at most {2 * m} ids occur: vertices are those")
    return tuple(notes)
