"""The columns of a text that hold the edges: those that the caller or a header names, else the first two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NoReturn

from landbridge.edges.column_names import choose_columns, named_columns
from landbridge.edges.formats.sample import INTEGER, LINES, MISSING, NUMBER, Row, Sample, kinds_of, shown
from landbridge.edges.matrix_tables import IS_MATRIX, MOST, WHAT, is_labelled_matrix, is_matrix
from landbridge.errors import InputError

__all__ = ["columns_of", "refuse_no_ids"]

_FRACTION = re.compile(rb"[+-]?(\d+\.\d*|\.\d+|\d+(?=e))(e[+-]?\d+)?", re.IGNORECASE)
_COLON, _ITEM, _CLOSED = re.compile(rb"\w+:"), re.compile(rb"[ \t]*\w+:[ \t]"), re.compile(rb"[\])],?$")
_WHAT = {"date": "dates or times", "bool": "true and false"}
# Seconds since 1970 from 2001 to 2033, and the same in milliseconds, microseconds and nanoseconds.
_UNITS = (1, 10**3, 10**6, 10**9)
_FIRST_SECOND, _LAST_SECOND = 10**9, 2 * 10**9
_ROWS = 3
"""Rows whose first numbers must ascend by one to be row numbers."""
_MOST_DIGITS = 20


def columns_of(
    sample: Sample, names: list[str] | None, below: Sequence[Row], fields: int
) -> tuple[int, int, list[str]]:
    """The columns of the edges, and the notes about them. names: of a header; below: the rows of edges.

    Raises
    ------
    InputError
        For a column that does not exist, and if there is more than one choice.
    """
    path, options = sample.source.path, sample.options
    if options.columns is None:
        if names is None:
            return 0, 1, _notes_of_first_two(sample, below, fields)
        _refuse_matrix(sample, names, [r[3] for r in below], fields)
        return *choose_columns(names, kinds_of([r[3] for r in below], fields), path), []
    word = next((column for column in options.columns if isinstance(column, str)), None)
    if names is None and word is not None:
        raise InputError(f"{path}: no header line names the columns, so {word!r} cannot be found")
    holder = "header" if word is not None else "text"
    first, second = named_columns(options.columns, names or [str(i) for i in range(fields)], path, holder, fields)
    return first, second, []


def _notes_of_first_two(sample: Sample, below: Sequence[Row], fields: int) -> list[str]:
    """The note that the first two of more columns without names hold the edges, if others could.

    Raises FileFormatError if the first column could be the numbers, times or keys of rows that end in two ids.
    """
    rows = [r[3] for r in below if len(r[3]) == fields]
    if fields < 3 or not rows or sample.suffix == ".wel":
        return []
    _refuse_matrix(sample, None, rows, fields)
    kinds = kinds_of(rows, fields)
    first = [row[0] for row in rows]
    if kinds[:3] == ["integer"] * 3 and _are_times(first, [row[j] for row in rows for j in (1, 2)]):
        _refuse(sample, below[0], "could be times, counted from 1970 on", 2)
    others = [j for j in range(2, fields) if _may_hold_ids(rows, kinds[j], j)]
    if not others:
        return []
    if kinds[0] == "integer" and _count_rows(first):
        _refuse(sample, below[0], "ascends by one from row to row, as row numbers do", others[0])
    if kinds[0] == "integer" and kinds[1] == kinds[others[0]] == "text":
        _refuse(sample, below[0], "holds numbers, and those behind it hold text", others[0])
    return [f"lines have {fields} columns and no header: the first two hold the edges (--columns selects others)"]


def _refuse_matrix(sample: Sample, names: list[str] | None, rows: Sequence[Sequence[bytes]], fields: int) -> None:
    """Raise FileFormatError for an adjacency matrix. names: of a header, whose first word is over names of the rows."""
    rows = rows[:MOST]
    if any(len(row) != fields for row in rows):
        return
    whole = sample.complete and not sample.stopped and len(sample.rows) < LINES
    if names is None:
        square = _is_unnamed_matrix(rows, whole)
    else:
        labels, cells = [shown(row[0]) for row in rows], [row[1 : 1 + MOST] for row in rows]
        square = len(rows) >= _ROWS - 1 and is_labelled_matrix(names[1:], labels, cells, whole=whole)
    if square:
        line, *_ = sample.rows[0]
        way_out = IS_MATRIX + "; columns=(0, 1) (--columns 0,1) takes the first two columns as edges"
        sample.source.fail(way_out if names is None else WHAT, line=line, text=shown(sample.text_of(sample.rows[0])))


def _is_unnamed_matrix(rows: Sequence[Sequence[bytes]], whole: bool) -> bool:
    """Whether rows without a header are an adjacency matrix, alone or with labels over and beside it.

    Delimiters at the ends of all lines are left out. Labels over it are those beside it, or 0, 1, ... or 1, 2, ...;
    those beside it are such numbers or differ.
    """
    if all(not row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    over, beside = list(rows[0]), [row[0] for row in rows]
    inside = [row[1:] for row in rows]
    are_labels = _count(beside) if INTEGER.fullmatch(beside[0]) else len(set(beside)) == len(beside)
    return (
        _is_matrix(rows, whole)
        or (are_labels and _is_matrix(inside, whole))
        or (_count(over) and _is_matrix(rows[1:], whole))
        or (over[1 : len(rows)] == beside[1 : len(over)] and _is_matrix(inside[1:], whole))
    )


def _count(words: Sequence[bytes]) -> bool:
    """Whether words are 0, 1, ... or 1, 2, ..."""
    return any(list(words) == [b"%d" % (first + i) for i in range(len(words))] for first in (0, 1))


def _is_matrix(rows: Sequence[Sequence[bytes]], whole: bool) -> bool:
    """Whether words in rows are the numbers of an adjacency matrix."""
    if len(rows) < _ROWS or not all(NUMBER.fullmatch(word) for row in rows for word in row[:MOST]):
        return False
    return is_matrix([list(map(float, row[:MOST])) for row in rows], len(rows[0]), whole=whole)


def _may_hold_ids(rows: Sequence[Sequence[bytes]], kind: str | None, column: int) -> bool:
    """Whether a column may hold ids: whole numbers or text, of more than one value."""
    return kind in ("integer", "text") and (len(rows) == 1 or len({row[column] for row in rows}) > 1)


def _integers(words: Iterable[bytes]) -> list[int] | None:
    """The words of a column of integers as numbers; None if one stands for no value or has many digits."""
    listed = list(words)
    if not all(len(word) <= _MOST_DIGITS and INTEGER.fullmatch(word) for word in listed):
        return None
    return list(map(int, listed))


def _count_rows(words: Sequence[bytes]) -> bool:
    numbers = _integers(words)
    return numbers is not None and len(numbers) >= _ROWS and all(b == a + 1 for a, b in pairwise(numbers))


def _are_times(first: Sequence[bytes], others: Sequence[bytes]) -> bool:
    """Whether a column of integers holds times, and the others none. Words for no value are left out of both."""
    times, ids = (_integers(word for word in words if word.lower() not in MISSING) for words in (first, others))
    if not times or not ids:
        return False
    largest = max(ids)
    return any(largest < _FIRST_SECOND * unit <= min(times) and max(times) < _LAST_SECOND * unit for unit in _UNITS)


def _refuse(sample: Sample, row: Row, what: str, other: int) -> NoReturn:
    sample.source.fail(
        f"there is no header, and column 0 (from 0) {what}: say columns=(0, 1) or columns=(1, {other}) "
        f"(--columns 0,1 or --columns 1,{other})",
        line=row[0],
        text=shown(sample.text_of(row)),
    )


def _is_open(word: bytes) -> bool:
    """Whether a word begins with a bracket that another column closes: [a] is a name."""
    return word.startswith((b"[", b"(")) and len(re.findall(rb"[\[(]", word)) > len(re.findall(rb"[\])]", word))


def refuse_no_ids(sample: Sample, first: int, second: int) -> None:
    """Refuse columns of text chosen by default if one of them holds no ids: fractions, times, or one arrow."""
    row = sample.rows[0]
    only_two = len(row[3]) == 2
    if only_two and sample.options.ids == "names":
        return
    way_out = "ids='names' takes it as text" if only_two else "columns= (--columns) says which two do"
    kinds = kinds_of([r[3] for r in sample.rows], len(row[3]))
    for column in (first, second):
        words = {r[3][column] for r in sample.rows if len(r[3]) > column}
        fractions = all(map(NUMBER.fullmatch, words)) and any(map(_FRACTION.fullmatch, words))
        arrow = len(words) == 1 and len(sample.rows) > 1 and not re.search(r"\w", shown(next(iter(words))))
        what = "fractions" if fractions else _WHAT.get(kinds[column] or "") if len(row[3]) > 2 else None
        if arrow and b'"' not in sample.text_of(row):
            what = f"nothing but {shown(next(iter(words)))}"
        if column == first and all(map(_is_open, words)) and all(_CLOSED.search(r[3][-1]) for r in sample.rows):
            what = "brackets, as Python prints lists and arrays"
        others = [r[3][second] for r in sample.rows if len(r[3]) > second]
        items = column == first and all(_ITEM.match(sample.text_of(r)) for r in sample.rows)  # not a:,b
        if items and not all(map(_COLON.fullmatch, others)):
            what = "names with colons behind them, as in adjacency lists"
        if what is not None:
            sample.source.fail(
                f"column {column} (from 0) holds {what}, which is no id: {way_out}",
                line=row[0],
                text=shown(sample.text_of(row)),
            )
