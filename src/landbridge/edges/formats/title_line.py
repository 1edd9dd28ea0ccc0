"""Lines above the columns of a text that are a title, as of a report."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, takewhile
from typing import Any, NoReturn

from landbridge.edges.column_names import are_endpoint_names, is_column_word, is_pair
from landbridge.edges.formats.sample import LETTER, NUMBER, Row, Sample, rows_of, shown
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError

_DIGIT = re.compile(rb"\d")
_IDENTIFIER = re.compile(rb"[^\W\d][\w.:-]*")
_FEW = 100
"""Lines that are looked at."""
_MOST_TITLES = 10
"""Lines of a title."""
_MOST_COLUMNS = 20
"""Columns among which the names of two endpoints are searched."""
_PLAIN = (b"a", b"A", b"Aa")
"""The shapes of words without digits and marks, which may be of anything."""
_MOST_ABOVE = 2
"""Lines of as many columns as those below them that may be a title."""


def refuse_title(sample: Sample, delimiters: str) -> None:
    """Raise FileFormatError for first lines of one column in words, if a delimiter parts all below them alike.

    Lines of one column that are written as the ids below them are may be vertices without neighbours.
    """
    for delimiter in delimiters:
        rows = _rows_by(sample, delimiter)
        titles = _titles_of_one_column(rows)
        if titles and not _are_alike(rows, titles):
            _fail(sample, rows, titles, _parted(rows, titles, delimiter))


def refuse_title_above_numbers(sample: Sample, delimiters: str) -> None:
    """Raise FileFormatError for first lines above names of columns, below which are numbers.

    The lines are of one column, or the names are those of two endpoints.
    """
    for delimiter in delimiters:
        rows = _rows_by(sample, delimiter)
        titles = _titles_of_one_column(rows)
        if titles and not any(map(NUMBER.fullmatch, rows[titles][3])) and _are_numbers(rows[titles + 1 :], (0, 1)):
            _fail(sample, rows, titles, _parted(rows, titles, delimiter))
        pairs = [_endpoints(row[3]) for row in rows[: _MOST_TITLES + 1]]
        titles = next((number for number, pair in enumerate(pairs) if pair), 0)
        if not titles or len({len(row[3]) for row in rows[titles:]}) != 1 or not _are_words(rows[:titles]):
            continue
        is_alone = all(row[3][0] and not any(row[3][1:]) for row in rows[:titles])
        if is_alone or (len(rows) > titles + 1 and _are_numbers(rows[titles + 1 :], pairs[titles])):
            _fail(sample, rows, titles, f"line {rows[titles][0]} names the columns")


def refuse_title_above_names(sample: Sample, verdict: Callable[[Sample], Any]) -> None:
    """Raise FileFormatError for first lines that are no header above names of columns, which recur nowhere.

    The names are those of two endpoints, or what a line with a digit is above is a header or two words for ids. A line
    without a digit is what the caller says that it is. verdict: says of a sample whether its first row is a header, or
    raises InputError.
    """
    rows, options = sample.rows, sample.options
    titles = next((i for i in range(1, _MOST_ABOVE + 1) if _name_columns(sample, i, verdict)), 0)
    has_digit = any(map(_DIGIT.search, (word for *_, row in rows[:titles] for word in row)))
    is_said = options.header is not None and (not has_digit or (options.ids == "names" and not options.header))
    if not titles or is_said or any(_have_pair(row[3]) for row in rows[:titles]) or _recur(rows, titles):
        return
    if sample.by_name and {c.encode() for c in options.columns or () if isinstance(c, str)} <= set(rows[0][3]):
        return
    try:
        if verdict(replace(sample, options=replace(options, header=None))).is_header:
            return  # a second header is below it
    except InputError:
        columns = _endpoints(rows[titles][3])
        if not has_digit and not (columns and _are_numbers(rows[titles + 1 :], columns)):
            return  # it is refused as ambiguous
    is_empty = not all(word for *_, row in rows[:titles] for word in row[:2])
    if is_empty or (not has_digit and _are_numbers(rows[titles + 1 :], _endpoints(rows[titles][3]) or (0, 1))):
        way = ""  # no edge has an empty word, and no names stand above numbers alone
    else:
        way = f", or say {options.spelled(header=False, **({'ids': 'names'} if has_digit else {}))} if all are edges"
    _fail(sample, rows, titles, f"line {rows[titles][0]} names the columns", way)


def refuse_title_of_other_width(sample: Sample, verdict: Callable[[Sample], Any]) -> None:
    """Raise FileFormatError for first lines of words in other numbers of columns than all lines below them have.

    None of their words is an id below, nor are they written as ids are. One such line is left out as the caller says
    by header=True, unless the line below it is a header.
    """
    rows, width = sample.rows, len(sample.rows[-1][3])
    first = sum(1 for _ in takewhile(lambda row: _columns(sample, row, width) != width, rows[: _MOST_TITLES + 1]))
    titles = first + sum(1 for _ in takewhile(lambda row: not any(row[3]), rows[first:-1]))  # and lines without a word
    if (
        not 0 < first <= titles <= _MOST_TITLES
        or {len(row[3]) for row in rows[titles:]} != {width}
        or width < 2
        or sample.stopped
    ):
        return
    above = [row for *_, row in rows[:first]]
    below = {word for *_, row in rows[titles:] for word in row}
    few = len(rows) == titles + 1 and not _are_numbers(rows[titles:], (0, 1))
    are_names = any(_have_pair(row) or _are_column_words(row) for row in above)
    if few or are_names or not all(any(map(LETTER.search, row)) for row in above):
        return
    words, shapes = {word for row in above for word in row if word}, set(map(_shape, below)).difference(_PLAIN)
    if not words.isdisjoint(below) or (shapes.issuperset(map(_shape, words)) and not _endpoints(rows[titles][3])):
        return
    is_short = 1 < len(above[0]) == width - 1  # as write.table of R has it, and no option leaves it out
    is_left_out = titles == 1 and not is_short and not has_header_below(sample, verdict)
    if is_left_out and sample.options.header:
        return
    parted = sample.delimiter.strip(" ") and all(len(row) == 1 for row in above)
    reason = f"the lines from line {rows[titles][0]} on have {width} columns"
    reason = _parted(rows, titles, sample.delimiter) if parted else reason
    is_open = is_left_out and sample.options.header is None
    _fail(sample, rows, titles, reason, f", as {spelled(header=True)} does" if is_open else "")


def _columns(sample: Sample, row: Row, width: int) -> int:
    """The columns of a row; one where nothing is behind the first delimiter but others, as Excel writes a title, and a
    width where nothing but delimiters is behind so many."""
    words = row[3]
    is_alone = words[0] and not any(words[1:]) and b'"' not in sample.text_of(row)
    return 1 if is_alone else len(words) if any(words[width:]) else min(len(words), width)


def _name_columns(sample: Sample, titles: int, verdict: Callable[[Sample], Any]) -> bool:
    """Whether the row below some with a letter and as many columns names the columns, and has no number; and rows
    follow."""
    rows = sample.rows
    if len(rows) < titles + 2 or len({len(row[3]) for row in rows[: titles + 2]}) != 1:
        return False
    above, names = [word for *_, row in rows[:titles] for word in row], rows[titles][3]
    if not all(map(LETTER.search, names)) or not all(any(map(LETTER.search, row[3])) for row in rows[:titles]):
        return False
    if _endpoints(names):
        return True
    if not any(map(_DIGIT.search, above)) or not all(map(_may_name_column, names)):
        return False
    if sample.options.header and all(map(_IDENTIFIER.fullmatch, above)):
        return False
    try:
        return bool(verdict(_below(sample, titles)).is_header)
    except InputError:
        return _are_column_words(names)


def _may_name_column(name: bytes) -> bool:
    """Whether a word has two letters or more, and no digit but as a name of a column: email2."""
    return len(name) > 1 and (_DIGIT.search(name) is None or is_column_word(shown(name)))


def _are_column_words(words: Sequence[bytes]) -> bool:
    """Whether the first two of some words are words for columns."""
    return len(words) > 1 and all(is_column_word(shown(word)) for word in words[:2])


def _have_pair(words: Sequence[bytes]) -> bool:
    """Whether two words could name endpoints, also numbered ones, as of a header."""
    return any(is_pair(shown(a), shown(b)) for a, b in combinations(words[:_MOST_COLUMNS], 2))


def _recur(rows: Sequence[Row], titles: int) -> bool:
    """Whether words of the title or names of columns occur further down, or other words begin as both names do."""
    columns = _endpoints(rows[titles][3]) or (0, 1)
    names = [shown(rows[titles][3][column]).casefold() for column in columns]
    parts = (rows[:titles], rows[titles + 1 :])
    above, below = ({shown(word).casefold() for *_, row in part for word in row} for part in parts)
    known = {word for word in above if LETTER.search(word.encode())}.union(names)
    stem = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(*names, strict=False)))
    return not known.isdisjoint(below) or (stem != "" and any(word.startswith(stem) for word in above | below))


def _rows_by(sample: Sample, delimiter: str) -> list[Row]:
    """The first lines between a delimiter; none where it is a blank, is not in the text or breaks the grammar."""
    if not delimiter.strip(" ") or delimiter.encode() not in sample.window:
        return []
    rows, bad = rows_of(sample.window, delimiter, sample.comments, _FEW, sample.line)
    return [] if bad else rows


def _titles_of_one_column(rows: Sequence[Row]) -> int:
    """How many first rows are words of one column, if there are few and at least two below them that are alike."""
    titles = sum(1 for _ in takewhile(lambda row: len(row[3]) == 1, rows))
    widths = {len(row[3]) for row in rows[titles:]}
    few = len(widths) == 1 and len(rows) >= titles + 2 and titles <= _MOST_TITLES
    return titles if few and _are_words(rows[:titles]) else 0


def _are_words(rows: Sequence[Row]) -> bool:
    """Whether rows begin with words, and none is numbers alone."""
    return all(LETTER.search(row[3][0]) for row in rows)


def _are_alike(rows: Sequence[Row], titles: int) -> bool:
    """Whether the first rows are written as ids below the next one, with digits, marks or capitals as those have them,
    and that one does not name endpoints."""
    below = {_shape(word) for row in rows[titles + 1 :] for word in row[3]}.difference(_PLAIN)
    return not _endpoints(rows[titles][3]) and all(_shape(row[3][0]) in below for row in rows[:titles])


def _shape(word: bytes) -> bytes:
    """A word with one letter for each run of capitals, one for others, and 0 for digits: aA of nodeA, Aa0 of Bob17."""
    return re.sub(rb"\d+", b"0", re.sub(rb"[a-z\x80-\xff]+", b"a", re.sub(rb"[A-Z]+", b"A", word)))


def _are_numbers(rows: Sequence[Row], columns: Sequence[int]) -> bool:
    return all(NUMBER.fullmatch(row[3][column]) for row in rows for column in columns)


def _endpoints(words: Sequence[bytes]) -> tuple[int, ...]:
    """The first two columns that words name as the endpoints of an edge; none for words of one letter, as of ids."""
    some = [(i, shown(word)) for i, word in enumerate(words[:_MOST_COLUMNS]) if len(word) > 1]
    pairs = ((i, j) for (i, first), (j, second) in combinations(some, 2) if are_endpoint_names(first, second))
    return next(pairs, ())


def _parted(rows: Sequence[Row], titles: int, delimiter: str) -> str:
    return f"{delimiter!r} parts the lines from line {rows[titles][0]} on into {len(rows[titles][3])} columns"


def _fail(sample: Sample, rows: Sequence[Row], titles: int, reason: str, way: str = "") -> NoReturn:
    first, last = rows[0][0], rows[titles - 1][0]
    these = "this line" if titles == 1 else f"lines {first} to {last}"
    sample.source.fail(
        f"it may be a title: {reason}; leave {these} out{way}", line=first, text=shown(sample.text_of(rows[0]))
    )


def names_of_header(
    sample: Sample, names: list[str], fields: int, verdict: Callable[[Sample], Any]
) -> list[str] | None:
    """The names of a header without delimiters behind the last one; None for a title of one column.

    Raises FileFormatError for a title of one column, as also a year is, above a header; and for delimiters behind the
    last name above words for columns, unless the caller states the header.
    """
    if any(names[1:]):
        if (
            len(names) > fields
            and _are_column_words(sample.rows[1][3])
            and not (sample.options.header or sample.by_name)
        ):
            way = f", or say {spelled(header=True)} if this one names them"
            _fail(sample, sample.rows, 1, f"line {sample.rows[1][0]} may name the columns", way)
        return names[:fields]
    if has_header_below(sample, verdict):
        _fail(sample, sample.rows, 1, f"line {sample.rows[1][0]} names the columns")
    return None


def has_header_below(sample: Sample, verdict: Callable[[Sample], Any]) -> bool:
    """Whether the row below the first one is a header, or may be one and has words for columns; all below have as many
    columns.

    verdict: says of a sample whether its first row is a header, or raises InputError.
    """
    if len({len(row[3]) for row in sample.rows[1:]}) != 1:
        return False
    below = _below(sample)
    try:
        return bool(below.rows) and bool(verdict(below).is_header)
    except InputError:
        words = below.rows[0][3]
        return _have_pair(words) or _are_column_words(words)


def _below(sample: Sample, lines: int = 1) -> Sample:
    """The sample below some first rows, of which the caller says nothing."""
    line, _, end, _ = sample.rows[lines - 1]
    below = replace(sample, window=sample.window[end:].lstrip(b"\r")[1:], line=line + 1, above=b"")
    below.options = replace(sample.options, header=None)
    below.cut(sample.delimiter)
    return below
