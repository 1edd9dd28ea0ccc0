"""The first lines of a text of edges, cut into columns, and what words of text look like."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from landbridge import _core
from landbridge.edges.formats.compression import COMPRESSED
from landbridge.edges.formats.source import Source
from landbridge.edges.options import Options

LINES = 1000
"""Lines of a sample."""

LETTER = re.compile(rb"[^\W\d_]|[\x80-\xff]")
"""A letter, also one that is no ASCII."""
INTEGER = re.compile(rb"\d+")
WITH_PLUS = re.compile(rb"\+?\d+")
"""A whole number, also with a plus before it, as telephone numbers have it."""
NUMBER = re.compile(rb"[+-]?(\d++\.?+\d*+|\.\d++)(e[+-]?\d++)?|nan|[+-]?inf(inity)?", re.IGNORECASE)
DECIMAL = re.compile(rb"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+")
"""A number with a decimal comma, and points between thousands or none."""
TIME = re.compile(
    rb"([01]?\d|2[0-4]):[0-5]\d(:[0-5]\d([.,]\d+)?)?( ?[AP]M|Z|[+-]\d\d(:?\d\d)?)?",
    re.IGNORECASE,
)
"""Times of day, 12:34 or 12:34:56. A chapter and a verse of it are written so, too."""
DATE = re.compile(
    rb"(\d{4}([-/.])\d\d?\2\d\d?|\d\d?([-/.])\d\d?\3(19|20)\d\d)([T ].*)?|(?:%b)" % TIME.pattern,
    re.IGNORECASE,
)
"""Dates, with or without a time of day, and times of day."""
ABSENT = (
    b"NA", b"na", b"N/A", b"n/a", b"#N/A", b"<NA>", b"NaN", b"nan", b"NAN", b"NULL", b"null", b"None", b"none",
    b"NONE", b"\\N", b"NaT", b"#NA", b"#NULL!", b"-nan", b"-NaN", b"(null)", b"(NULL)", b"[NULL]", b"<null>", b"<NULL>",
    b"nil", b"NIL", b"undefined", b"1.#IND", b"-1.#IND", b"1.#QNAN", b"-1.#QNAN", b"?", b"-", b"--", b".",
    b"#REF!", b"#VALUE!", b"#NAME?", b"#DIV/0!", b"#NUM!",
)  # fmt: skip
"""Words for no value, as programs write them: not Na, Nan and Null, which are a symbol and names of people."""
MISSING = (b"", *sorted({word.lower() for word in ABSENT}))
"""Words for no value in lower case, where a column of values may have them."""

Row = tuple[int, int, int, list[bytes]]
"""The number of a line, its first byte and the one behind it, and its columns."""


@dataclass(slots=True)
class Sample:
    """The first lines of a text.

    Attributes
    ----------
    source, options :
        The file, and what the caller says of it.
    comments : str
        The characters that begin comments.
    window : bytes
        The text from the first line with columns on.
    line : int
        The number of that line.
    unreadable : bool
        Whether that line breaks the grammar.
    complete : bool
        Whether the window reaches the end of the text.
    delimiter : str
        The delimiter of the rows.
    rows : list of Row
        The lines cut into columns.
    stopped : bool
        Whether the line behind the rows breaks the grammar.
    above : bytes
        The comment above the first row; b"" for none.
    """

    source: Source
    options: Options
    comments: str
    window: bytes
    line: int
    unreadable: bool
    complete: bool
    delimiter: str = ""
    rows: list[Row] = field(default_factory=list)
    stopped: bool = False
    above: bytes = b""

    def cut(self, delimiter: str) -> None:
        """Cut the lines into columns."""
        self.delimiter = delimiter
        self.rows, self.stopped = rows_of(self.window, delimiter, self.comments, LINES, self.line)

    @property
    def by_name(self) -> bool:
        """Whether the caller names a column."""
        return any(isinstance(column, str) for column in self.options.columns or ())

    @property
    def suffix(self) -> str:
        """The suffix of the file name, without that of compressed files."""
        suffixes = [suffix.lower() for suffix in Path(self.source.path).suffixes]
        if suffixes and suffixes[-1] in COMPRESSED:
            suffixes.pop()
        return suffixes[-1] if suffixes else ""

    def as_names(self, most: int = LINES) -> list[Row]:
        """The first rows with the blanks around their columns."""
        return rows_of(self.window, self.delimiter, self.comments, most, self.line, outer_blanks=True)[0]

    def text_of(self, row: Row) -> bytes:
        """The line of a row."""
        return self.window[row[1] : row[2]]


def rows_of(
    data: bytes, delimiter: str, comments: str, most: int, first_line: int = 1, *, outer_blanks: bool = False
) -> tuple[list[Row], bool]:
    """The first lines with columns, at most a number of them, and whether the next one breaks the grammar.

    outer_blanks: whether blanks around a column belong to it, as to a name.
    """
    rows, bad = _core.first_rows(
        np.frombuffer(data, np.uint8), most=most, comments=comments, delimiter=delimiter, first_line=first_line,
        outer_blanks=outer_blanks,
    )  # fmt: skip
    return rows, bad


def words_of(line: bytes, delimiter: str) -> list[bytes]:
    """The columns of a line; none if it has none or breaks the grammar."""
    rows, _ = rows_of(line, delimiter, "", 1)
    return rows[0][3] if rows else []


def shown(word: bytes) -> str:
    """A word for a message."""
    return word[:60].decode("utf-8", "replace")


def integer_rows(rows: Sequence[Sequence[bytes]]) -> int:
    """The number of rows that begin with two integers."""
    return sum(len(row) > 1 and all(map(INTEGER.fullmatch, row[:2])) for row in rows)


def kinds_of(rows: Sequence[Sequence[bytes]], fields: int) -> list[str | None]:
    """What each of a number of columns holds, for `choose_columns`."""
    kinds: list[str | None] = []
    for j in range(fields):
        words = [row[j] for row in rows if len(row) > j and row[j].lower() not in MISSING]
        if not words:
            kinds.append(None)
        elif all(map(WITH_PLUS.fullmatch, words)):
            kinds.append("integer")
        elif all(NUMBER.fullmatch(word) or DECIMAL.fullmatch(word) for word in words):
            kinds.append("float")
        elif all(map(TIME.fullmatch, words)):
            kinds.append("time")
        elif all(map(DATE.fullmatch, words)):
            kinds.append("date")
        elif all(word.lower() in (b"true", b"false") for word in words):
            kinds.append("bool")
        else:
            kinds.append("text")
    return kinds
