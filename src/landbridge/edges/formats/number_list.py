"""Numbers as text: successors and weights, one on a line as edges of a single column; scores, a column beside edges."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from landbridge import _core
from landbridge.edges.column_names import named_column, quoted
from landbridge.edges.formats.dialect import COMMENTS, dialect_of, text_start
from landbridge.edges.formats.sample import DECIMAL, LETTER, MISSING, NUMBER, shown, words_of
from landbridge.edges.formats.source import Bytes, Source
from landbridge.edges.options import Options
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError

ROWS = 1 << 16
"""Lines converted at a time: between two such parts Ctrl-C and a limit of time end the reading."""

_GRAMMAR: dict[str, Any] = {"delimiter": "", "comments": COMMENTS, "quotes": True}
_BLANKS = (b"\n", b"\r", b" ", b"\t")
_BLANK_LINE = re.compile(rb"^[ \t\r]*\n", re.MULTILINE)
_MOST_DIGITS = 18
"""Digits of a number that fits 64 bits, whatever they are."""
_WHOLE = re.compile(rb"[-+]?\d+")
_EXACT = 2**53
"""Whole numbers up to which each is a float64."""
_NO_FLOAT = "that is no float64, and others are: write it as one, with a decimal point"

What = Literal["successor", "weight", "score"]


class Lines(NamedTuple):
    """The lines of a text that hold numbers, for messages.

    grammar: the delimiter and the characters of comments, as the core takes them. first_line: the number of the first.
    """

    text: Bytes
    grammar: Mapping[str, Any] = _GRAMMAR
    first_line: int = 1

    def place_of(self, element: int) -> tuple[int, int]:
        """The line of an element, and the byte at which its text begins; 0 for that where columns are before it."""
        at, line = 0, self.first_line
        while True:
            _core.check_time()
            rows, _ = _core.first_rows(self.text[at:], most=ROWS, first_line=line, **self.grammar)
            if element < len(rows):
                line, begin, end, _ = rows[element]
                row = self.text[at + begin : at + end].tobytes()
                return line, 0 if self.grammar["delimiter"] else len(row) - len(row.lstrip(b" \t")) + 1
            element -= len(rows)
            line, at = rows[-1][0], at + rows[-1][2]


class NumberList(NamedTuple):
    """The numbers of a text, int64 or float64, and its lines, for messages."""

    values: NDArray[Any]
    lines: Lines

    def line_of(self, element: int) -> int:
        """The number of the line that holds an element."""
        return self.lines.place_of(element)[0]


def read(source: Source, what: What, *, header: bool = False, may_lack: bool = False) -> NumberList:
    """The numbers of a text: successors are whole numbers, weights decimals, too.

    header: whether the first line that is no comment names them. may_lack: whether it may be a number for all that.

    Raises
    ------
    FileFormatError
        For anything else, with its line: other words, lines of several columns, a blank line above a number, which
        could stand for an element, and a header that is a number.
    """
    data = source.whole()
    lines = Lines(data[text_start(source, data[:4].tobytes()) :])
    if header:
        lines = _below_header(source, lines, what, may_lack)
    _refuse_blank_lines(source, lines, what)
    words = source.parse(
        _parsed, lines.text, what, first_line=lines.first_line, first=0, second=0, fields=1, exact=True, **_GRAMMAR
    )
    return NumberList(_numbers(source, lines, words, what), lines)


def _below_header(source: Source, lines: Lines, what: What, may_lack: bool) -> Lines:
    """The lines below the header. Raises FileFormatError if there is none, or a number, which is an element, unless it
    may lack: then these are all lines."""
    rows, _ = _core.first_rows(lines.text, most=1, first_line=1, **_GRAMMAR)
    if may_lack and (not rows or any(map(NUMBER.fullmatch, rows[0][3]))):
        return lines
    if not rows:
        source.fail(f"there is no line that {spelled(header=True)} could leave out")
    line, begin, end, words = rows[0]
    if any(map(NUMBER.fullmatch, words)):
        text = shown(lines.text[begin:end].tobytes())
        source.fail(f"a number, and no header, as {spelled(header=True)} says: it is a {what}", line=line, text=text)
    rest = lines.text[end:]
    ends = np.flatnonzero(rest[: 1 << 16] == ord("\n"))
    return Lines(rest[ends[0] + 1 :] if len(ends) else rest[:0], first_line=line + 1)


def read_column(source: Source, options: Options, name: str) -> NDArray[Any]:
    """The numbers of a column beside the edges of a text, by its name in the header, or by its position from 0, in
    digits, where no header names the columns: whole numbers and decimals.

    Raises
    ------
    InputError
        (FileFormatError with a line) without such a column, and for what is no number.
    """
    dialect = dialect_of(source, options)
    words_of_header = [] if dialect.header is None else words_of(dialect.header.text, dialect.delimiter)
    header = [word.decode("utf-8", "replace") for word in words_of_header]
    column = int(name) if not header and name.isascii() and name.isdecimal() else name
    if isinstance(column, str) and not header:
        ways = "no header line names the columns, and a position from 0 does"
        raise InputError(f"{source.path}: there is no column {quoted(name)}; {ways}")
    place = named_column(column, header, f"{source.path}: ", "header" if header else "text", dialect.fields)
    text, grammar = source.whole()[dialect.start :], dialect.grammar | {"first": place, "second": place}
    words = source.parse(_parsed, text, "score", first_line=dialect.first_line, **grammar)
    lines = Lines(text, {key: grammar[key] for key in _GRAMMAR}, dialect.first_line)
    return _numbers(source, lines, words, "score")


def _numbers(source: Source, lines: Lines, texts: Any, what: What) -> NDArray[Any]:
    """Words as numbers. texts: their offsets and characters."""
    offsets, characters = texts
    parts: list[NDArray[Any]] = [np.empty(0, np.int64)]
    numbers: NDArray[Any]
    for begin in range(0, len(offsets) - 1, ROWS):
        _core.check_time()
        stops = offsets[begin : begin + ROWS + 1]
        numbers, right = _integers(stops, characters)
        if not right.all():
            words = [characters[a:b].tobytes() for a, b in pairwise(stops)]
            unusual = np.flatnonzero(~right).tolist()
            for i, problem in ((i, _problem(words[i], what)) for i in unusual):
                if problem:
                    line, column = lines.place_of(begin + i)
                    is_first = begin == i == 0 and lines.first_line == 1  # below a header another one is no way out
                    header = _hint_of_header(words) if is_first and what != "score" else ""
                    source.fail(problem + header, line=line, column=column, text=shown(words[i]))
            if all(_WHOLE.fullmatch(words[i]) for i in unusual):
                numbers[unusual] = [int(words[i]) for i in unusual]
            else:
                exact = [int(word) if _WHOLE.fullmatch(word) else 0 for word in words]
                _refuse_rounding(source, lines, begin, exact, what)
                numbers = np.array(list(map(float, words)))
        parts.append(numbers)
    if any(part.dtype.kind == "f" for part in parts):
        for number, part in enumerate(parts[1:]):
            if part.dtype.kind == "i":
                _refuse_rounding(source, lines, number * ROWS, part, what)
    return np.concatenate(parts)


def _refuse_rounding(source: Source, lines: Lines, first: int, numbers: Any, what: What) -> None:
    """Raise FileFormatError for a whole number that no float64 equals, where others are decimals."""
    place = _first_rounded(numbers)
    if place is not None:
        line, column = lines.place_of(first + place)
        source.fail(f"a {what} {_NO_FLOAT}", line=line, column=column, text=str(numbers[place]))


def _first_rounded(numbers: Any) -> int | None:
    """The place of the first whole number that no float64 equals; None for none."""
    sizes = np.abs(np.asarray(numbers, dtype=np.float64))
    large = np.flatnonzero(sizes >= _EXACT).tolist()
    return next((i for i in large if int(float(numbers[i])) != int(numbers[i])), None)


def joined(parts: Sequence[NDArray[Any]], names: Sequence[str], what: What) -> NDArray[Any]:
    """The numbers of several files in one array. names: of the files.

    Raises InputError for a whole number that no float64 equals, where others are decimals.
    """
    if np.result_type(*parts).kind == "f":
        for part, name in zip(parts, names, strict=True):
            place = _first_rounded(part) if part.dtype.kind in "iu" else None
            if place is not None:
                raise InputError(f"{name}: a {what} {_NO_FLOAT}: {part[place]}")
    return np.concatenate(parts)


def _parsed(text: Bytes, what: What, **grammar: Any) -> Any:
    """The words of a column of all lines; errors of the core speak of what they are."""
    try:
        words, _ = _core.parse_names(text, **grammar)
    except _core.CoreFormatError as error:
        problem, *where = error.args
        raise _core.CoreFormatError(re.sub(r"\ba name\b", f"a {what}", problem), *where) from None
    return words


def _refuse_blank_lines(source: Source, lines: Lines, what: What) -> None:
    data = lines.text.tobytes()
    if not data and lines.first_line > 1:
        source.fail("no numbers are below the header", line=lines.first_line - 1)
    if not data.strip(b" \t\r\n"):
        source.fail("the file is empty: nothing but blank lines, no numbers and no comment")
    if not data.startswith(_BLANKS) and not any(b"\n" + blank in data for blank in _BLANKS):
        return  # the usual file: no line begins with a blank or is empty
    blank = _BLANK_LINE.search(data, 0, len(data.rstrip()))
    if blank is not None:
        source.fail(
            f"a blank line where a {what} should be", line=data.count(b"\n", 0, blank.start()) + lines.first_line
        )


def _integers(offsets: NDArray[np.int64], characters: Bytes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Words as numbers, and which of them are whole numbers of at most 18 digits without zeros in front of them."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    negative = np.zeros(len(starts), dtype=bool)
    negative[lengths > 0] = characters[starts[lengths > 0]] == ord("-")
    starts, lengths = starts + negative, lengths - negative
    values, right = np.zeros(len(starts), dtype=np.int64), np.zeros(len(starts), dtype=bool)
    for length in np.unique(lengths).tolist():
        if not 0 < length <= _MOST_DIGITS:
            continue
        at = np.flatnonzero(lengths == length)
        digits = characters[starts[at][:, None] + np.arange(length)] - np.uint8(ord("0"))
        right[at] = (digits < 10).all(axis=1) & ((digits[:, 0] > 0) | (length == 1))
        values[at] = digits.astype(np.int64) @ 10 ** np.arange(length, dtype=np.int64)[::-1]
    right &= ~(negative & (values == 0))
    return np.where(negative, -values, values), right


def _problem(word: bytes, what: What) -> str:
    """What is wrong with a word; "" for nothing."""
    if _WHOLE.fullmatch(word) and not (what == "successor" and word.startswith(b"+")):
        digits = word.lstrip(b"+-")
        if len(digits) > _MOST_DIGITS + 1 or not -(2**63) <= int(word) < 2**63:
            return f"a {what} does not fit 64 bits"
        if digits.startswith(b"0") and len(digits) > 1:
            return "a number that begins with zeros"
        return "expected a number, not -0" if word == b"-0" else ""
    if NUMBER.fullmatch(word) and np.isfinite(float(word)):
        return "a successor must be a whole number" if what == "successor" else ""
    if what == "successor":
        return "expected a successor, a whole number"
    number, percent, _ = word.partition(b"%")
    if NUMBER.fullmatch(number.strip()) or DECIMAL.fullmatch(number.strip()):
        form = " without a percent sign" if percent else " with a point before its decimals"
        return f"expected a {what}, a number{form}, such as 0.9"
    return f"expected a {what}, a number"


def _hint_of_header(words: Sequence[bytes]) -> str:
    """What is to be said of the first word of a text, if it is no number and seems to name those below it."""
    is_word = LETTER.search(words[0]) and not NUMBER.fullmatch(words[0]) and words[0].lower() not in MISSING
    is_header = is_word and all(map(NUMBER.fullmatch, words[1:])) and words[1:]
    return f"; {spelled(header=True)} leaves out a header" if is_header else ""
