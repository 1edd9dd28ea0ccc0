"""Edge lists as text: SNAP, TSV, CSV, whitespace columns, plain or compressed, in any encoding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.column_names import are_endpoint_names
from landbridge.edges.formats.commented import comment_or_edge, commented_row
from landbridge.edges.formats.delimiter import DELIMITERS
from landbridge.edges.formats.dialect import Dialect, dialect_of, fail_ambiguous_header, fail_counts
from landbridge.edges.formats.doubtful_names import absent_among, find, first_from, numbers_in_two_forms
from landbridge.edges.formats.likely_formats import counts_rows
from landbridge.edges.formats.line_places import begin_of_line, lines_before
from landbridge.edges.formats.parser_hints import with_hint
from landbridge.edges.formats.sample import ABSENT, INTEGER, rows_of, shown, words_of
from landbridge.edges.formats.source import Bytes, Source
from landbridge.edges.formats.word_shapes import IN_ONE_FORM
from landbridge.edges.formats.writing import CHUNK, Job, put_edges
from landbridge.edges.forms import EdgeList
from landbridge.edges.names import number_names
from landbridge.edges.options import Options
from landbridge.edges.spelling import spelled
from landbridge.errors import FileFormatError, InputError, counted

_Part = tuple[Source, Dialect, Options, Bytes, int]
"""Lines of a text: the file, how it is read, the lines, and the number of the first one."""

_NONE = np.empty(0, dtype=np.int32)
_MOST_DIGITS = 20
"""Of an id."""
_FEW = 100
"""Bytes of a line that are searched for: an expression as long as a line takes minutes to compile."""
_END = re.compile(rb"\r*(\n|\Z)")
_AROUND = b'" \t\r'
"""What may be around a word, or between two."""
_COUNT = re.compile(rb"^[ \t]*(?:\(?\d+[ \t]+rows?\b|SELECT[ \t])[^\n]*", re.MULTILINE)
_COUNTING = (b"rows)", b"row)", b"row(s))", b"rows", b"row", b"affected)", b"selected", b"SELECT", b"selected.")
"""Lines that may count rows, and words of which one is an id of such a line."""
_PLAIN = re.compile(r"[\w.@/+:-]+")
_NOT_IN_TEXT = {"\n": "a line break", "\r": "a line break", "\0": "a zero byte", "\ufeff": "a byte order mark"}
"""Characters that no reader of text takes, also within quotes."""
_EMPTY = '""'


def read(source: Source, options: Options) -> EdgeList:
    """Edges one per line; the table of formats in docs has the grammar.

    O(bytes / threads) time, and little memory beside the result: 4 bytes per id (8 for ids of 2^31 and more).
    """
    dialect = dialect_of(source, options)
    if dialect.named:
        return parse_names(source, source.whole()[dialect.start :], dialect, options, dialect.first_line)
    if source.mappable:
        data = source.whole()[dialect.start :]
        u, v, _, largest = parse_numbers(source, data, dialect, options, dialect.first_line)
    else:
        blocks = list(parse_blocks(source, dialect, options))
        us, vs, maxima = zip(*blocks, strict=True) if blocks else ((_NONE,), (_NONE,), (0,))
        u, v, largest = join(list(us)), join(list(vs)), max(maxima)
    counts = FirstEdgeCheck(source, dialect, options)
    counts.add(u, v)
    counts.finish()
    return EdgeList(u, v, notes=_notes(dialect, options, len(u), largest), occurring=options.ids != "dense")


def parse_names(source: Source, data: Bytes, dialect: Dialect, options: Options, first_line: int) -> EdgeList:
    """The edges of lines from number `first_line` on; vertices are the names that occur in them."""
    u, v = source.parse(
        with_hint,
        _core.parse_names,
        dialect,
        data,
        reading=options,
        strict_comments=options.comment is None,
        outer_blanks=True,
        first_line=first_line,
        progress=source.report,
        **dialect.grammar,
    )
    if options.comment is None and dialect.delimiter in DELIMITERS and dialect.delimiter != " ":
        _refuse_commented_row((source, dialect, options, data, first_line))
    edges = number_names(u, v, options.threads, dialect.notes)
    if options.ids == "auto":
        part = source, dialect, options, data, first_line
        _refuse_row_count(part, edges)
        _refuse_absent(part, edges)
        _refuse_two_numbers(part, edges)
    header = dialect.header
    if header is not None:
        part = source, dialect, options, data, first_line
        places = [find(edges.ids, word) for word in header.words]
        if header.by_words and any(places):
            fail_ambiguous_header(source, header.line, header.text)
        _refuse_header_again(part, edges.u, edges.v, places)
        words = [word.decode("utf-8", "replace") for word in header.words]
        if min(map(len, words)) > 1 and are_endpoint_names(*words):  # a and A may be two vertices
            alike = [_in_any_capitals(edges.ids, word) for word in header.words]
            _refuse_header_again(part, edges.u, edges.v, alike, re.IGNORECASE)
    return edges


def parse_numbers(source: Source, data: Bytes, dialect: Dialect, options: Options, first_line: int) -> Any:
    """(u, v, lines, largest id) of lines of numbers from number `first_line` on."""
    try:
        u, v, lines, largest = source.parse(
            with_hint,
            _core.parse_edges,
            dialect,
            data,
            reading=options,
            threads=options.threads,
            base=options.base or 0,
            limit=options.num_vertices - 1 if options.num_vertices else (1 << 64) - 1,
            padded=options.ids != "auto",
            first_line=first_line,
            progress=source.report,
            **dialect.grammar,
        )
    except FileFormatError as error:
        if dialect.header is not None and error.problem.startswith("expected a vertex id"):
            _fail_at_header_again((source, dialect, options, data, first_line), re.IGNORECASE, error.line)
        raise
    if dialect.header is not None:
        numbers = [int(x) if len(x) <= _MOST_DIGITS and INTEGER.fullmatch(x) else None for x in dialect.header.words]
        places = [[] if number is None else [number - (options.base or 0)] for number in numbers]
        _refuse_header_again((source, dialect, options, data, first_line), u, v, places)
    return u, v, lines, largest


def parse_blocks(
    source: Source, dialect: Dialect, options: Options
) -> Iterator[tuple[NDArray[Any], NDArray[Any], int]]:
    """u, v and the largest id of each block of a file that cannot be mapped."""
    line = dialect.first_line
    for block in source.line_blocks(dialect.start, line):
        u, v, lines, largest = parse_numbers(source, np.frombuffer(block, np.uint8), dialect, options, line)
        line += lines
        yield u, v, largest


def _refuse_commented_row(part: _Part) -> None:
    """Raise FileFormatError for the first comment below the header or the first edge that could be an edge."""
    source, dialect, _, data, first_line = part
    if dialect.first_row is None:
        return
    begin = begin_of_line(data, max(dialect.first_row - first_line, 0))
    row = commented_row(data, begin, dialect.delimiter, dialect.fields, (dialect.first, dialect.second))
    if row is not None:
        place, text = row
        problem = comment_or_edge(shown(text), data, first_line)
        source.fail(problem, line=first_line + lines_before(data, place), text=shown(text))


def _refuse_row_count(part: _Part, edges: EdgeList) -> None:
    """Raise FileFormatError for a line that counts the rows above it, as programs of databases write it: between blanks
    it would be an edge. O(log n), and O(bytes) to find the line."""
    source, dialect, _, data, first_line = part
    if dialect.delimiter.strip(" ") or dialect.first_row is None:
        return
    if not any(find(edges.ids, word) for word in _COUNTING):
        return
    line, begin = first_line, 0
    for match in _COUNT.finditer(data.data):
        line, begin = line + lines_before(data[begin:], match.start() - begin), match.start()
        above = line - dialect.first_row  # rows, with the header and perhaps a blank line
        if counts_rows(match[0], range(max(above - 2, 1), above + 1)):
            source.fail(
                f"it may count the rows above it: leave such lines out, or say {spelled(ids='names')} if they are ids",
                line=line,
                text=shown(match[0].strip()),
            )


def _refuse_absent(part: _Part, edges: EdgeList) -> None:
    """Raise FileFormatError for the first line whose ids are a word for no value: it would join all that lack one.

    O(log n), and O(bytes) to find the line.
    """
    absent = absent_among(edges.ids, blanks=True)
    line_of_word = _line_with(part, edges, absent, rb'"[ \t]*"' if b"" in absent else None)
    if line_of_word is not None:
        word, line, text = line_of_word
        stands = "stands" if not word or re.search(rb"\w", word) else "may stand"
        part[0].fail(
            f"{shown(word) or _EMPTY} {stands} for no value, and as an id it would join all that have none: leave such "
            f"lines out, or say {spelled(ids='names')} if it is a name",
            line=line,
            text=shown(text),
        )


def _refuse_two_numbers(part: _Part, edges: EdgeList) -> None:
    """Raise FileFormatError for a number among names that one of the first rows has in another form, 1 and 1.0, and for
    two that these have in other forms, 01 and 001.

    Where the delimiter is stated, a note speaks of commas. O(log n) for each such form.
    """
    words = (word for word in part[1].ids if part[2].delimiter is None or b"," not in word)
    forms = {number: word for word, number in reversed(numbers_in_two_forms(edges.ids, words))}
    line_of_word = _line_with(part, edges, {number: find(edges.ids, number) for number in forms})
    if line_of_word is not None:
        number, line, _ = line_of_word
        word, where = forms[number], f" of line {line}" if number in part[1].ids else ""
        part[0].fail(
            f"{shown(word)} and {shown(number)}{where} would be two ids, as ids are text here: "
            f"{IN_ONE_FORM}, or say {spelled(ids='names')} if they are two",
            line=part[1].ids[word],
            text=shown(word),
        )


def _line_with(
    part: _Part, edges: EdgeList, words: Mapping[bytes, list[int]], quoted: bytes | None = None
) -> tuple[bytes, int, bytes] | None:
    """The first of some words that is an id, blanks around it left out, and the number and the text of its line.

    words: with their places among the names. quoted: what an empty one looks like in its line. O(bytes): an edge is
    on a line of its own, so no line is cut into columns above the one that the first edge of such a name has where
    there are no comments and blank lines.
    """
    _, dialect, _, data, first_line = part
    forms = [re.escape(word) for word in words if word] + ([] if quoted is None else [quoted])
    if not forms:
        return None
    around = rb'\s"' + re.escape((dialect.delimiter or ",;").encode())
    lines = re.compile(
        rb"^[^\n]*?(?<![^" + around + rb"])(?:" + b"|".join(forms) + rb")(?![^" + around + rb"])[^\n]*", re.MULTILINE
    )
    places = [place for some in words.values() for place in some]
    first_edge = int(np.argmax(_is_one_of(edges.u, places) | _is_one_of(edges.v, places)))
    for match in lines.finditer(data.data, begin_of_line(data, first_edge)):
        rows, _ = rows_of(match[0], dialect.delimiter, dialect.comments, 1)
        ids = [rows[0][3][c] for c in (dialect.first, dialect.second) if c < len(rows[0][3])] if rows else []
        word = next((word.strip(b" \t") for word in ids if word.strip(b" \t") in words), None)
        if word is not None:
            return word, first_line + lines_before(data, match.start()), match[0].rstrip(b"\r")
    return None


def _refuse_header_again(
    part: _Part, u: NDArray[Any], v: NDArray[Any], places: list[list[int]], flags: re.RegexFlag = re.NOFLAG
) -> None:
    """Raise FileFormatError if a line is the header once more, as in concatenated files. O(m).

    u, v: the edges. places: what the words of the header over the two columns are among them. flags: of the comparison
    of lines.
    """
    if not all(places):
        return
    again = _is_one_of(u, places[0]) & _is_one_of(v, places[1])
    if again.any():
        _fail_at_header_again(part, flags)
        source, dialect, _, _, first_line = part
        assert dialect.header is not None
        if dialect.fields > 2:
            return  # an edge and a header may differ in the other columns
        where = f"line {first_line + int(np.argmax(again))} or one behind it"  # comments and blank lines hold no edges
        source.fail(
            f"{where} has the words of the header of line {dialect.header.line}, as where files are concatenated: "
            f"{spelled(header=False)} takes both as edges"
        )


def _fail_at_header_again(part: _Part, flags: re.RegexFlag, wrong: int | None = None) -> None:
    """Raise FileFormatError for the first line that is the header once more, if there is one. wrong: the only line that
    is of interest, whose ids are no numbers."""
    source, dialect, options, data, first_line = part
    header = dialect.header
    assert header is not None
    begins: Iterator[int]
    if wrong is None:
        first = words_of(header.text, dialect.delimiter)[0]
        behind = rb'(?=["\s]|' + re.escape(dialect.delimiter.encode()) + b")" if len(first) <= _FEW else b""
        word = rb'[ \t]*"?' + re.escape(first[:_FEW]) + behind  # in quotes or not
        beginning = re.compile(rb"^(?:" + re.escape(header.text[:_FEW]) + b"|" + word + b")", re.MULTILINE | flags)
        begins = (match.start() for match in beginning.finditer(data.data))
    else:  # the lines behind it may be many
        begins = iter([begin_of_line(data, wrong - first_line)])
    place = next((begin for begin in begins if _is_line(data, begin, header.text, dialect.delimiter, flags)), None)
    if place is None:
        return
    ways: dict[str, Any] = {"header": False}
    columns = dialect.first, dialect.second
    by_position = options.columns is not None and not any(isinstance(column, str) for column in options.columns)
    if not by_position and (columns != (0, 1) or dialect.fields > 2):
        ways["columns"] = columns
    if wrong is not None:
        ways["ids"] = "names"
    source.fail(
        f"this line repeats the header of line {header.line}, as where files are concatenated: leave it out, or say "
        f"{options.spelled(**ways)} if both are edges",
        line=first_line + lines_before(data, place),
        text=shown(bytes(data.data[place : place + 60]).partition(b"\n")[0].rstrip(b"\r")),
    )


def _is_line(data: Bytes, begin: int, text: bytes, delimiter: str, flags: re.RegexFlag) -> bool:
    """Whether a line that begins there is a text of one line, which may be as long as the data, or has the same words
    in other quotes. flags: IGNORECASE."""
    end = begin + len(text)
    here = bytes(data.data[begin:end])
    same = here.lower() == text.lower() if flags & re.IGNORECASE else here == text
    if same and _END.match(data.data, end) is not None:
        return True
    longest = 2 * len(text) + _FEW
    line, ended, _ = bytes(data.data[begin : begin + longest]).partition(b"\n")
    if not ended and begin + longest < len(data):
        return False
    if flags & re.IGNORECASE:
        line, text = line.lower(), text.lower()
    if line.translate(None, _AROUND) != text.translate(None, _AROUND):  # of most lines
        return False
    return words_of(line, delimiter) == words_of(text, delimiter)


def _is_one_of(ids: NDArray[Any], few: list[int]) -> NDArray[np.bool_]:
    """Which ids are one of a few. O(m)."""
    return ids == few[0] if len(few) == 1 else np.isin(ids, few)


def _in_any_capitals(names: Any, word: bytes) -> list[int]:
    """The places of a word in any capitals of ASCII among names that ascend by their bytes."""
    offsets, characters = names.buffers
    every: list[int] = []
    for letter in sorted({word[:1].lower(), word[:1].upper()}):
        begin, end = first_from(names, letter), len(names)
        if letter != b"\xff":
            end = first_from(names, bytes([letter[0] + 1]))
        places = begin + np.flatnonzero(np.diff(offsets[begin : end + 1]) == len(word))
        for at, character in enumerate(word.lower()):
            here = characters[offsets[places] + at]
            places = places[(here == character) | (here == ord(chr(character).upper()) if character < 128 else False)]
        every += places.tolist()
    return every


class FirstEdgeCheck:
    """Whether the first edge of a text could be the numbers of vertices and edges, as in files of "n m" or "n n m".

    All edges are added in their order, then `finish` raises FileFormatError if it could. Where the caller says how many
    vertices there are, the first edge counts no other number of them.
    """

    def __init__(self, source: Source, dialect: Dialect, options: Options) -> None:
        self._source, self._dialect, self._base = source, dialect, options.base or 0
        self._possible = dialect.counted is not None
        self._vertices = options.num_vertices
        self._first: tuple[int, int] | None = None
        self._m = 0

    def add(self, u: NDArray[Any], v: NDArray[Any]) -> None:
        """The next edges of the text."""
        if not self._possible or len(u) == 0:
            return
        if self._first is None:
            self._first = (int(u[0]) + self._base, int(v[0]) + self._base)
            self._possible = self._vertices in (None, self._first[0])
            u, v, self._m = u[1:], v[1:], 1
        self._m += len(u)
        most = self._first[0] - self._base
        few = slice(0, 1 << 10)  # the first edges of most files decide
        for part in (few, slice(0, None)):
            if self._possible and len(u):
                self._possible = int(u[part].max()) <= most and int(v[part].max()) <= most

    def finish(self) -> None:
        """Raise FileFormatError if the first edge could be counts."""
        if self._possible and self._first is not None and self._m > 1 and self._dialect.counted == self._m - 1:
            fail_counts(self._source, self._dialect, self._m, self._first)


def join(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One array of the widest of the parts' types (int32 < int64 < uint64, never a float)."""
    kinds = {part.dtype for part in parts}
    widest = next((np.dtype(t) for t in (np.uint64, np.int64) if np.dtype(t) in kinds), np.dtype(np.int32))
    return parts[0] if len(parts) == 1 else np.concatenate(parts, dtype=widest, casting="unsafe")


def _notes(dialect: Dialect, options: Options, m: int, largest: int) -> tuple[str, ...]:
    """How the text was understood, and what contradicts its comments."""
    notes = list(dialect.notes)
    if dialect.edges is not None and dialect.edges != m:
        notes.append(f"the header says {counted(dialect.edges, 'edge')}, the file has {m}: the file is trusted")
    if dialect.nodes is not None and options.ids == "dense":
        n = largest + 1 if m else 0
        if dialect.nodes != n:
            notes.append(
                f"the header says {counted(dialect.nodes, 'node')}, ids go up to {largest}: the edges are trusted, so "
                f"the graph has {counted(n, 'vertex', 'vertices')} ({spelled(ids='sparse')} counts only ids that occur)"
            )
    elif dialect.nodes is not None and dialect.nodes > 2 * m:
        notes.append(
            f"the header says {counted(dialect.nodes, 'node')}, and at most {2 * m} ids occur: vertices are those"
        )
    return tuple(notes)


# writing -----------------------------------------------------------------------------------------------------------


def write(job: Job, out: IO[bytes]) -> None:
    """One edge per line: tabs, or commas below a header line if the ending is .csv. Names always have a header."""
    job.note_isolated()
    comma = job.ending == ".csv"
    if job.named:
        _write_names(out, job, "," if comma else "\t")
        return
    u, v = job.original_ids()
    if len(u) and min(int(u.min()), int(v.min())) < 0:
        job.notes.append(f"some ids are negative: as text, {spelled(ids='names')} reads them")
    if comma:
        out.write(b"source,target\n")
    if not comma and len(u) == 0:
        out.write(b"# no edges\n")  # an empty file would be refused
    if not comma and len(u) > 1 and v[0] == len(u) - 1 and max(int(u[1:].max()), int(v[1:].max())) <= u[0]:
        out.write(b"# Edges: %d\n" % len(u))  # else the first edge could be taken for counts
    put_edges(out, job, u, v, separator="," if comma else "\t")


def _write_names(out: IO[bytes], job: Job, separator: str) -> None:
    names = job.names()
    words = [_quoted(job.path, name) for name in names]
    if not {word.decode() for word in ABSENT}.isdisjoint(names) or not all(name.strip(" \t") for name in names):
        job.notes.append(f"some names are empty or words for no value, as NA is: {spelled(ids='names')} reads them")
    elif len(names) and all(INTEGER.fullmatch(name.encode()) for name in names):
        job.notes.append(f"all names are whole numbers: as text, {spelled(ids='names')} reads them as names")
    out.write((separator.join(_header_beside(names)) + "\n").encode())
    for begin in range(0, len(job.u), CHUNK):
        pairs = zip(job.u[begin : begin + CHUNK].tolist(), job.v[begin : begin + CHUNK].tolist(), strict=True)
        out.write("".join(f"{words[a]}{separator}{words[b]}\n" for a, b in pairs).encode())


def _header_beside(names: list[str]) -> tuple[str, str]:
    """Names of the two columns that no vertex has: readers would take such a header for an edge."""
    used, header, k = {name.casefold() for name in names}, ("source", "target"), 0
    while not used.isdisjoint(header):
        k += 1
        header = (f"source_{k}", f"target_{k}")
    return header


def _quoted(path: str, name: str) -> str:
    """A name as a column of a line: quoted unless it is one plain word."""
    if _PLAIN.fullmatch(name):
        return name
    for mark, what in _NOT_IN_TEXT.items():
        if mark in name:
            raise InputError(f"{path}: the name {name!r} has {what}, which text of edges cannot hold")
    return '"' + name.replace('"', '""') + '"'
