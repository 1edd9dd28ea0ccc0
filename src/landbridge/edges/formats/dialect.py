"""How a text of edges is written: what parts its columns, whether its first row names them, which two hold the edges,
and whether their ids are numbers or text. All is decided on the first lines, the same way wherever they come from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from landbridge import _core
from landbridge.edges.column_names import choose_columns, is_pair, names_ends, stem_of, unique_position
from landbridge.edges.formats.source import COMPRESSED, Source
from landbridge.edges.options import Options
from landbridge.errors import InputError

COMMENTS = "#%"
WINDOW = 1 << 20
"""Bytes that are looked at from the first line of columns on."""

_LINES = 1000
_FEW = 100  # lines that choose the delimiter
_LONGEST_PRELUDE = 1 << 28
_BOM = b"\xef\xbb\xbf"

# Where no choice is clean, the first of these. "" is a blank, a comma or a semicolon, changing from line to line.
_DELIMITERS = ("\t", "|", ";", ",", " ", "")
# What parts the columns of a file with such an ending, and what it is taken before.
_BY_ENDING = {".tsv": ("\t", "|;, "), ".tab": ("\t", "|;, "), ".csv": (",", "\t| ")}
_DECIMAL = re.compile(rb"[+-]?\d+,\d+")
# A line behind a comment character that is no blank and looks like two ids: #a,b or #a #b.
_COMMENTED = re.compile(
    rb"^[ \t]*([#%])(?!\1)[^\s,;|]+([ ]*[\t,;|][ ]*[^\s,;|]+)+[ \t]*\r?$|^[ \t]*([#%])(?!\3)\S+[ \t]+\3\S+[ \t]*\r?$",
    re.MULTILINE,
)
_COUNTS = re.compile(rb"\b(Nodes|Edges):\s*(\d{1,18})\b")
_WHOLE = re.compile(rb"\d+")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|[+-]?inf(inity)?", re.IGNORECASE)
_DATE = re.compile(rb"\d{4}-\d\d-\d\d([T ].*)?")
_NO_TABLES = (
    (b"<!doctype", "a page of HTML"),
    (b"<html", "a page of HTML"),
    (b"<?xml", "a file of XML"),
    (b"version https://git-lfs", "a pointer of Git LFS to the file"),
)
_MISSING = (b"", b"na", b"n/a", b"null", b"none", b"nan", b"\\n")
# A word that could name a column. What has blanks, @ or / in it, or starts with a digit, is an id.
_IDENTIFIER = re.compile(r":?[^\W\d][\w.:-]*")
_TELL = "header=True (--header yes) if it names the columns, header=False (--header no) if it is an edge"

Row = tuple[int, int, int, list[bytes]]
"""The number of a line, its first byte and the one behind it, and its columns."""


@dataclass(frozen=True, slots=True)
class Header:
    """A first row of text over rows of text: the number of its line, the line, and its words over the edges.

    guessed: whether it is taken as a header for its words alone.
    """

    line: int
    text: bytes
    words: tuple[bytes, bytes]
    guessed: bool


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to read a text.

    start, first_line: the byte and the number of the line at which edges begin. delimiter, comments: as the core has
    them. first, second: the columns of the edges. fields: how many columns a line has. named: whether ids are text.
    hint: what the text looks like if its first lines differ in columns. nodes, edges: counts that a comment claims.
    header: to be held against the edges. counts_first: the first edge could be two counts. empty: there are no edges.
    """

    start: int = 0
    first_line: int = 1
    delimiter: str = ""
    comments: str = COMMENTS
    first: int = 0
    second: int = 1
    fields: int = 2
    exact: bool = False
    named: bool = False
    notes: tuple[str, ...] = ()
    hint: str = ""
    nodes: int | None = None
    edges: int | None = None
    header: Header | None = None
    counts_first: bool = False
    empty: bool = False

    @property
    def grammar(self) -> dict[str, Any]:
        """The arguments of the core's parsers."""
        return {
            "first": self.first, "second": self.second, "delimiter": self.delimiter, "comments": self.comments,
            "fields": self.fields, "exact": self.exact, "quotes": True,
        }  # fmt: skip


def dialect_of(source: Source, options: Options) -> Dialect:
    """Look at the first lines of a text. Raises FileFormatError or InputError where they cannot be understood."""
    comments = COMMENTS if options.comment is None else options.comment
    size = WINDOW
    while True:
        head = source.peek(size)
        complete = len(head) < size
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            source.fail("the text is UTF-16; encoding='utf-16' reads it", line=1)
        start = len(_BOM) if head.startswith(_BOM) else 0
        first, bad = _rows(head[start:], "", comments, 1)
        begin = start + first[0][1] if first else len(head)
        if first and b"\n" not in head[begin:] and not complete:
            first = []  # the line goes on
        if bad or complete or (first and len(head) - begin >= WINDOW):
            break
        if not first and size > _LONGEST_PRELUDE:
            source.fail(f"no line of edges in the first {_LONGEST_PRELUDE >> 20} MiB")
        size = begin + WINDOW if first else size * 8
    prelude, lines = head[start:begin], head[:begin].count(b"\n") + 1
    if prelude[:14].lower() == b"%%matrixmarket" or head[begin : begin + 14].lower() == b"%%matrixmarket":
        source.fail("this is a Matrix Market file; read it with format='matrix-market'", line=1)
    what = next((name for start, name in _NO_TABLES if head[begin:].lower().startswith(start)), None)
    if what is not None:
        source.fail(f"this is {what}, not a list of edges", line=1)
    window = head[begin : begin + WINDOW]
    if not complete or len(head) > begin + WINDOW:
        window = window[: window.rfind(b"\n") + 1] or window
    look = _Look(source, options, comments, window, lines)
    look.bad, look.complete = bad, complete and len(head) <= begin + WINDOW
    counts = {word: int(value) for word, value in _COUNTS.findall(prelude)}
    dialect = look.dialect(start, 1, begin, counts)
    if dialect.empty and options.comment is None and options.ids in ("auto", "names"):
        _doubt_comments(source, head)
    return dialect


def _doubt_comments(source: Source, text: bytes) -> None:
    """Raise FileFormatError for comments in a text without edges that could be the edges."""
    match = _COMMENTED.search(text)
    if match is not None:
        character = _shown(match[1] or match[3])
        source.fail(
            f"a comment or an edge? comment='{character}' says that such lines are comments, comment='' that ids begin "
            "so (--comment on the command line)",
            line=text[: match.start()].count(b"\n") + 1,
            text=_shown(match[0].strip()),
        )


def fail_untold(source: Source, line: int, text: bytes) -> NoReturn:
    """Raise the error of a first row that is a header or an edge."""
    source.fail(
        f"it cannot be told whether the first row is a header: say {_TELL}", line=line, text=_shown(text)
    )  # fmt: skip


def fail_delimiters(source: Source, delimiters: list[str], line: int, text: bytes) -> NoReturn:
    """Raise the error of lines that two delimiters part alike."""
    first, second = delimiters[:2]
    source.fail(
        f"{first!r} and {second!r} both part the lines into columns: say delimiter={first!r} or delimiter={second!r} "
        "(--delimiter on the command line)",
        line=line,
        text=_shown(text),
    )


def fail_counts(source: Source, dialect: Dialect, m: int, first: tuple[int, int]) -> NoReturn:
    """Raise the error of a first edge that could be the numbers of vertices and edges."""
    source.fail(
        f"the first row could be counts, of {first[0]} vertices and the {m - 1} edges below it: say header=True "
        "(--header yes) to leave it out, header=False (--header no) if it is an edge",
        line=dialect.first_line,
        text=f"{first[0]} {first[1]}",
    )


def _rows(data: bytes, delimiter: str, comments: str, most: int, first_line: int = 1) -> tuple[list[Row], bool]:
    rows, bad = _core.first_rows(
        np.frombuffer(data, np.uint8), most=most, comments=comments, delimiter=delimiter, first_line=first_line
    )
    return rows, bad


def _shown(word: bytes) -> str:
    return word[:60].decode("utf-8", "replace")


class _Look:
    """The first lines of a text: `window`, from the first one with columns on, which has the number `line`.

    bad: whether that line cannot be read. complete: whether the window goes to the end of the text.
    """

    def __init__(self, source: Source, options: Options, comments: str, window: bytes, line: int) -> None:
        self.source, self.options, self.comments = source, options, comments
        self.window, self.line = window, line
        self.bad = self.complete = self.guessed = False
        self.delimiter = self._delimiter()
        self.rows, self.stopped = _rows(window, self.delimiter, comments, _LINES, line)

    def dialect(self, start: int, start_line: int, begin: int, counts: dict[bytes, int]) -> Dialect:
        """start: of the text behind a byte order mark, a line numbered start_line; begin: of the window."""
        nodes, edges = counts.get(b"Nodes"), counts.get(b"Edges")
        if not self.rows:  # nothing but comments, or a line that the reader will complain of
            named = self.options.ids == "names" or (self.options.ids == "auto" and self.bad)
            return Dialect(
                start, start_line, self.delimiter, self.comments, named=named, nodes=nodes, edges=edges,
                empty=not self.bad,
            )  # fmt: skip
        hint = self._hint()
        header = self._is_header()
        below = self.rows[1:] if header else self.rows
        names = [_shown(c) for c in self.rows[0][3]] if header else None
        fields = len((below[0] if below and len(below[0][3]) > 1 else self.rows[0])[3])
        if names is not None and len(names) != fields:
            if self.options.header is None or self._by_name:
                self._fail_header(fields)
            names = None
        first, second = self._columns(names, below, fields)
        named, notes = self._ids(below, first, second)
        if named and not header and self.options.columns is None:
            self._look_like_ids(first, second)
        checked = None
        if header:
            if self.options.header is None and named:
                checked = self._checked(first, second)
            if self.options.header is None and not self._by_name:
                shown = ", ".join(_shown(c) for c in self.rows[0][3][:20])
                which = f"; columns {names[first]} and {names[second]} are the edges" if names is not None else ""
                notes.insert(0, f"line {self.rows[0][0]} is taken as a header ({shown}){which}")
            start = begin + self.rows[0][2]
            rest = self.window[self.rows[0][2] :]
            start += len(rest) - len(rest.lstrip(b"\r")) + 1
            start_line = self.rows[0][0] + 1
        return Dialect(
            start, start_line, self.delimiter, self.comments, first, second, fields, True, named, tuple(notes), hint,
            nodes, edges, checked, self._counts_first(header, named, fields, edges),
            empty=not below and self.complete and not self.stopped,
        )  # fmt: skip

    def _look_like_ids(self, first: int, second: int) -> None:
        """Refuse columns of text that nobody has chosen if one of them holds what is no id: fractions, or one arrow."""
        line, begin, end, _ = self.rows[0]
        for column in (first, second):
            words = {r[3][column] for r in self.rows if len(r[3]) > column}
            fractions = all(_NUMBER.fullmatch(w) for w in words) and not all(map(_WHOLE.fullmatch, words))
            arrow = len(words) == 1 and len(self.rows) > 1 and not re.search(r"\w", _shown(next(iter(words))))
            if fractions or (arrow and b'"' not in self.window[begin:end]):
                what = "fractions" if fractions else f"nothing but {_shown(next(iter(words)))}"
                self.source.fail(
                    f"column {column} (from 0) holds {what}, which is no id: columns= (--columns) says which two do",
                    line=line,
                    text=_shown(self.window[begin:end]),
                )

    def _checked(self, first: int, second: int) -> Header:
        line, begin, end, row = self.rows[0]
        words = (row[first], row[second]) if max(first, second) < len(row) else (b"", b"")
        return Header(line, self.window[begin:end], words, self.guessed)

    def _counts_first(self, header: bool, named: bool, fields: int, edges: int | None) -> bool:
        return not (header or named) and fields == 2 and self.options.header is None and edges is None

    @property
    def _by_name(self) -> bool:
        return any(isinstance(c, str) for c in self.options.columns or ())

    # the delimiter ------------------------------------------------------------------------------------------------

    def _delimiter(self) -> str:
        """What parts the first lines alike, if nothing else does or the ending or numbers say which; else what parts
        most lines alike. Raises FileFormatError if there are two."""
        if self.options.delimiter is not None:
            return self.options.delimiter
        best, best_score = "", (-1, -1, -1)
        clean: dict[str, list[list[bytes]]] = {}
        for order, delimiter in enumerate(_DELIMITERS):
            if delimiter.strip() and delimiter.encode() not in self.window:
                continue
            found, bad = _rows(self.window, delimiter, self.comments, _FEW)
            rows = [row[3] for row in found]
            widths = Counter(len(row) for row in rows if len(row) > 1)
            alike = max(widths.values(), default=0)
            if alike == 0:
                continue
            if alike == len(rows) and not bad and delimiter:
                clean[delimiter] = rows
            score = (alike, _whole(rows), -order)
            if score > best_score:
                best, best_score = delimiter, score
        return self._one_of(clean) if len(clean) > 1 else next(iter(clean), best)

    def _one_of(self, clean: dict[str, list[list[bytes]]]) -> str:
        """The delimiter among several of which each parts all lines alike."""
        suffixes = [s.lower() for s in Path(self.source.path).suffixes]
        if suffixes and suffixes[-1] in COMPRESSED:
            suffixes.pop()
        by_ending, beaten = _BY_ENDING.get(suffixes[-1] if suffixes else "", ("", ""))
        if by_ending in clean:
            clean = {d: rows for d, rows in clean.items() if d not in beaten}
        if "," in clean and ";" in clean and self._are_decimals(clean[";"]):
            del clean[","]
        numbers = [d for d, rows in clean.items() if _whole(rows[1:] or rows) == len(rows[1:] or rows)]
        explicit = [d for d in clean if d != " "]
        if len(explicit) == 1 and " " in clean and (" " not in numbers or explicit[0] in numbers):
            inside = {tuple(part != b"" for part in w.split(explicit[0].encode())) for row in clean[" "] for w in row}
            if len(inside) > 1 or len(next(iter(inside))) == 1 or not all(next(iter(inside))):
                return explicit[0]
        if len(clean) == 1 or (len(numbers) == 1 and numbers[0] != " "):
            return numbers[0] if numbers else next(iter(clean))
        line, begin, end, _ = _rows(self.window, "", self.comments, 1, self.line)[0][0]
        fail_delimiters(self.source, list(clean), line, self.window[begin:end])

    def _are_decimals(self, rows: list[list[bytes]]) -> bool:
        """Whether commas stand in numbers alone, in columns that hold no ids."""
        ids = [c for c in self.options.columns or (0, 1) if isinstance(c, int)]
        return all(
            b"," not in word or (_DECIMAL.fullmatch(word) and j not in ids)
            for row in rows
            for j, word in enumerate(row)
        )

    # the header ---------------------------------------------------------------------------------------------------

    def _is_header(self) -> bool:
        """Whether the first row names the columns. Raises FileFormatError if it cannot be told."""
        options, (line, begin, end, row) = self.options, self.rows[0]
        if options.header is not None:
            return options.header
        if self._by_name:
            return not all(map(_NUMBER.fullmatch, row))
        below = [r[3] for r in self.rows[1:] if r[3] != row]
        if len(row) > 2 and not row[0] and row[1:] == [b"%d" % i for i in range(len(row) - 1)]:
            return True  # what pandas writes for columns without names
        if options.columns is None and all(map(_WHOLE.fullmatch, row[:2])):
            return False
        a, b = self._likely_columns(row, below)
        if b >= len(row) or _NUMBER.fullmatch(row[a]) or _NUMBER.fullmatch(row[b]) or not (row[a] and row[b]):
            return False
        under = [(r[a], r[b]) for r in below if len(r) > max(a, b)]
        if under and all(_WHOLE.fullmatch(x) and _WHOLE.fullmatch(y) for x, y in under):
            return True
        if under and all(_NUMBER.fullmatch(x) and _NUMBER.fullmatch(y) for x, y in under[:1]):
            return True  # the reader says what is wrong with those numbers
        if options.ids in ("dense", "sparse"):
            return not under
        told = self._header_of_names(row, below, a, b)
        if told is None and self.stopped:
            return False  # the reader says which line cannot be read
        if told is None:
            fail_untold(self.source, line, self.window[begin:end])
        return told

    def _likely_columns(self, row: Sequence[bytes], below: Sequence[Sequence[bytes]]) -> tuple[int, int]:
        """The columns that hold the edges if the first row is a header and says so; else the first two."""
        if self.options.columns is not None:
            first, second = self.options.columns
            if isinstance(first, int) and isinstance(second, int) and min(first, second) >= 0:
                return (first, second) if first <= second else (second, first)
        try:
            first, second = choose_columns([_shown(c) for c in row], _kinds(below, len(row)), "")
        except InputError:
            return 0, 1
        return (first, second) if first <= second else (second, first)

    def _header_of_names(self, row: Sequence[bytes], below: Sequence[Sequence[bytes]], a: int, b: int) -> bool | None:
        """Whether a row of text over rows of text is a header; None if it cannot be told."""
        for j, word in enumerate(row):
            if j in (a, b) or word.lower() in _MISSING:
                continue
            others = [r[j] for r in below if len(r) > j]
            for values in (_NUMBER, _DATE):
                if others and all(values.fullmatch(x) or not x for x in others):
                    return values.fullmatch(word) is None  # a number over numbers is of an edge
        first, second = _shown(row[a]), _shown(row[b])
        words = {w for r in self.rows[1:] if len(r[3]) > max(a, b) for w in (r[3][a], r[3][b])}
        ends = {_shown(w).casefold() for w in words}
        again = row[a] in words or row[b] in words
        stem = stem_of(first, second)
        if is_pair(first, second) or stem is not None:
            others_than = {_shown(w).casefold() for w in words - {row[a], row[b]}}
            bare = [re.sub(r"[\W_]", "", w) for w in (first, second, *others_than)]
            letters = len(bare[0]) == len(bare[1]) == 1 and any(len(w) == 1 for w in bare[2:])
            if stem is not None and any(w.startswith(stem) for w in bare[2:]):
                return False
            if letters:
                return False if again else None
            if names_ends(first, second):
                self.guessed = True
                return None if again else True
            if not all(_shape(w.casefold()) in set(map(_shape, ends)) for w in (first, second)):
                return None
        if first.casefold() in ends or second.casefold() in ends:
            return False
        if not (_IDENTIFIER.fullmatch(first) and _IDENTIFIER.fullmatch(second)):
            return False
        if all(any(c.isdigit() for c in w) for w in (first, second)):
            shapes = set(map(_shape, ends))
            if _shape(first.casefold()) in shapes or _shape(second.casefold()) in shapes:
                return False
        return None

    def _fail_header(self, fields: int) -> NoReturn:
        line, begin, end, row = self.rows[0]
        hint = ""
        if len(row) == 4 and re.fullmatch(rb"\d+,\d+,[ud],graph", b",".join(row)):
            hint = "; it looks like a .jlg file: header=True, base=1 (--header yes --base 1) reads it"
        self.source.fail(
            f"the first row has {len(row)} columns and line {self.rows[1][0]} has {fields}{hint}",
            line=line,
            text=_shown(self.window[begin:end]),
        )

    # columns and ids ----------------------------------------------------------------------------------------------

    def _columns(self, names: list[str] | None, below: Sequence[Row], fields: int) -> tuple[int, int]:
        source, options = self.source, self.options
        if options.columns is None:
            if names is None:
                return 0, 1
            return choose_columns(names, _kinds([r[3] for r in below], fields), source.path)
        chosen = []
        for column in options.columns:
            if isinstance(column, str):
                if names is None:
                    raise InputError(f"{source.path}: no header line names the columns, so {column!r} cannot be found")
                if column not in names:
                    known = ", ".join(names)
                    raise InputError(f"{source.path}: there is no column {column!r}; the header has {known}")
                chosen.append(unique_position(column, names, f"{source.path}: "))
            elif 0 <= column < fields:
                chosen.append(column)
            else:
                raise InputError(f"{source.path}: column {column} is out of range: lines have {fields} columns")
        return chosen[0], chosen[1]

    def _ids(self, below: Sequence[Row], first: int, second: int) -> tuple[bool, list[str]]:
        """Whether ids are text, and what to say of it."""
        if self.options.ids != "auto":
            return self.options.ids == "names", []
        pairs = [(r[3][first], r[3][second]) for r in below if len(r[3]) > max(first, second)]
        if not pairs or all(map(_NUMBER.fullmatch, pairs[0])):
            return False, []
        if len(pairs) > 1 and all(_WHOLE.fullmatch(w) for pair in pairs[1:] for w in pair):
            return False, []  # one word among numbers is a mistake
        return True, ["ids are text: vertices are the names that occur"]

    # what else it could be ----------------------------------------------------------------------------------------

    def _hint(self) -> str:
        """What a text looks like whose lines differ in columns, "" for others. Raises FileFormatError for one of words,
        of which nothing else can be said."""
        width = max((len(r[3]) for r in self.rows[:2][::-1]), key=lambda n: n > 1)  # the second, if it has two
        odd = next((r for r in self.rows[1:] if len(r[3]) != width), None)
        if odd is None and len(self.rows[0][3]) == width:
            return ""
        likely = self._likely(self.rows)
        words = [row for *_, row in self.rows[:2] if not all(map(_NUMBER.fullmatch, row[:2]))]
        if odd is not None and len(words) == len(self.rows[:2]):
            line, begin, end, row = odd
            self.source.fail(
                f"this line has {len(row)} column{'s' * (len(row) != 1)} where {width} are needed; {likely}",
                line=line,
                column=1,
                text=_shown(self.window[begin:end]),
            )
        return likely

    def _likely(self, below: Sequence[Row]) -> str:
        rows = [r[3] for r in below]
        if re.fullmatch(rb"\d+,\d+,[ud],graph", b",".join(rows[0])):
            return "it looks like a .jlg file: header=True, base=1 (--header yes --base 1) reads it"
        whole = sum(all(map(_WHOLE.fullmatch, row)) for row in rows)
        if whole == len(rows) and 2 <= len(rows[0]) <= 4 and self._is_metis(rows):
            return "it looks like a METIS file: format='metis' reads it"
        adjacency = "an adjacency list, whose lines are a vertex and its neighbours: networkx.read_adjlist reads it"
        if whole == len(rows):
            return f"it looks like {adjacency}"
        return f"it is no list of edges, unless delimiter= and comment= say how it is written; perhaps {adjacency}"

    def _is_metis(self, rows: Sequence[Sequence[bytes]]) -> bool:
        most = int(rows[0][0]) if len(rows[0][0]) < 20 else 0
        return all(len(word) < 20 and 1 <= int(word) <= most for row in rows[1:] for word in row)


def _whole(rows: Sequence[Sequence[bytes]]) -> int:
    """How many rows begin with two whole numbers."""
    return sum(len(row) > 1 and all(map(_WHOLE.fullmatch, row[:2])) for row in rows)


def _kinds(rows: Sequence[Sequence[bytes]], fields: int) -> list[str | None]:
    """What each column holds, for `choose_columns`."""
    kinds: list[str | None] = []
    for j in range(fields):
        words = [row[j] for row in rows if len(row) > j and row[j].lower() not in _MISSING]
        if not words:
            kinds.append(None)
        elif all(map(_WHOLE.fullmatch, words)):
            kinds.append("integer")
        elif all(map(_NUMBER.fullmatch, words)):
            kinds.append("float")
        elif all(map(_DATE.fullmatch, words)):
            kinds.append("date")
        elif all(word.lower() in (b"true", b"false") for word in words):
            kinds.append("bool")
        else:
            kinds.append("text")
    return kinds


def _shape(word: str) -> str:
    """A word as letters and digits: a0 of bob17."""
    return re.sub(r"\d+", "0", re.sub(r"[^\W\d_]+", "a", word))
