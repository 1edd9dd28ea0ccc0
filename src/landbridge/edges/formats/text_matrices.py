"""Texts that hold an adjacency matrix or distances: numbers in as many rows as columns, with or without labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from landbridge.edges.column_names import are_numbered
from landbridge.edges.formats.sample import DECIMAL, INTEGER, LINES, MISSING, NUMBER, Sample, kinds_of, shown
from landbridge.edges.matrix_tables import IS_MATRIX, MOST, is_labelled_matrix, is_matrix, name_no_endpoints

__all__ = ["refuse_matrix", "refuse_matrix_of_any_labels"]

_ROWS = 3
"""Rows that a matrix has at least, if its labels do not say that it is one."""

_WORDS = {b"true": 1.0, b"false": 0.0} | dict.fromkeys(MISSING, 0.0)
"""Words in the cells of a matrix: none for no value is an edge."""

_Rows = Sequence[Sequence[bytes]]


def refuse_matrix_of_any_labels(sample: Sample) -> None:
    """Raise FileFormatError for a matrix, unless the caller says what its first row or its columns are.

    It comes before the question whether the first row is a header.
    """
    rows = [row for *_, row in sample.rows]
    if sample.options.header is not None or sample.options.columns is not None or len(rows) < _ROWS - 1:
        return
    names = [shown(word) for word in rows[0]]
    if name_no_endpoints(names, kinds_of(rows[1 : MOST + 1], len(names))) or are_numbered(names[1:]):
        refuse_matrix(sample, None, rows, len(names))


def refuse_matrix(sample: Sample, names: list[str] | None, rows: _Rows, fields: int) -> None:
    """Raise FileFormatError for a matrix. names: of a header. rows: those below it. fields: the columns of each row.

    Labels may be over a matrix, beside it, or both. Columns without a word at the ends of all lines are left out.
    """
    few = rows[: MOST + 1]
    if any(len(row) != fields for row in few) or fields < 2:
        return
    while fields > 2 and not any(row[fields - 1] for row in few) and not (names and names[fields - 1]):
        fields -= 1
    table = [row[:fields] for row in few]
    whole = sample.complete and not sample.stopped and len(sample.rows) < LINES
    over = None if names is None else names[:fields]
    if not _has_matrix(over, table, whole):
        return
    ways: dict[str, Any] = {}
    is_bare = _is_matrix(table, whole) or _is_matrix([row[1:] for row in table], whole)
    if names is not None or not is_bare or not table[0][0]:
        ways["header"] = True
    elif sample.options.header is None and not all(map(NUMBER.fullmatch, table[0][1:])):
        ways["header"] = False
    ways["columns"] = (0, 1)
    if not all(INTEGER.fullmatch(word) for row in table for word in row[:2]):
        ways["ids"] = "names"
    line, *_ = sample.rows[0]
    sample.source.fail(
        f"{IS_MATRIX}; {sample.options.spelled(**ways)} takes the first two columns as edges",
        line=line,
        text=shown(sample.text_of(sample.rows[0])),
    )


def _has_matrix(names: list[str] | None, rows: _Rows, whole: bool) -> bool:
    """Whether rows of equally many columns are a matrix, with or without labels. names: of a header, or None."""
    if not rows:
        return False
    beside = [row[0] for row in rows]
    if names is not None:
        labels, cells = [shown(word) for word in beside[:MOST]], [row[1 : 1 + MOST] for row in rows[:MOST]]
        if len(rows) >= _ROWS - 1 and labels == names[1 : 1 + len(labels)]:
            numbers = _numbers(cells)
            if is_labelled_matrix(names[1:], labels, numbers or cells, whole=whole):
                return True
            if numbers and len(labels) == len(names) - 1 and any(x % 1 for row in numbers for x in row[:2]):
                return True  # fractions where the first two columns would have ids
        return (_is_matrix(rows, whole) and name_no_endpoints(names, kinds_of(rows, len(names)))) or (
            _label(beside, cells) and _is_matrix([row[1:] for row in rows], whole) and are_numbered(names[1:])
        )
    inside = [row[1:] for row in rows]
    return (
        _is_matrix(rows, whole)
        or (_label(beside, inside) and _is_matrix(inside, whole))
        or (_label(rows[0], rows[1:]) and _is_matrix(rows[1:], whole))
        or (
            list(rows[0][1 : len(rows)]) == beside[1 : len(rows[0])]
            and len(set(beside)) == len(beside)
            and (_is_matrix(inside[1:], whole) or _has_labels(rows, whole))
        )
    )


def _label(words: Sequence[bytes], cells: _Rows) -> bool:
    """Whether words over or beside cells could be labels: all differ, and numbers ascend or are none of the cells."""
    if len(set(words)) != len(words):
        return False
    if not all(map(INTEGER.fullmatch, words)):
        return not any(map(NUMBER.fullmatch, words))
    numbers = [(len(word), word) for word in words]
    return all(a < b for a, b in pairwise(numbers)) or set(words).isdisjoint(word for row in cells for word in row)


def _has_labels(rows: _Rows, whole: bool) -> bool:
    """Whether rows are numbers below and beside the same labels, none of which is a number."""
    cells = [row[1 : 1 + MOST] for row in rows[1 : 1 + MOST]]
    labels = rows[0][1 : 1 + len(cells)]
    is_square = len(cells) == len(rows[0]) - 1 if whole else len(cells) < len(rows[0])
    return is_square and len(cells) > 1 and not any(map(NUMBER.fullmatch, labels)) and _numbers(cells) is not None


def _is_matrix(rows: _Rows, whole: bool) -> bool:
    """Whether words in rows are the numbers of an adjacency matrix."""
    width = len(rows[0]) if rows else 0
    if len(rows) < _ROWS or (len(rows) != width if whole else len(rows) > width):
        return False
    cells = _numbers([row[:MOST] for row in rows[:MOST]])
    return cells is not None and is_matrix(cells, width, whole=whole and len(rows) <= MOST)


def _numbers(cells: _Rows) -> list[list[float]] | None:
    """The words of cells as numbers, also true and false, and those for no value; None if one is another word, or if
    all are for no value."""
    if all(word.lower() in MISSING for row in cells for word in row):
        return None
    numbers: list[list[float]] = []
    for row in cells:
        numbers.append([])
        for word in row:
            number = _number(word)
            if number is None:
                return None
            numbers[-1].append(number)
    return numbers


def _number(word: bytes) -> float | None:
    if NUMBER.fullmatch(word):
        number = float(word)
        return 0.0 if math.isnan(number) else number
    if DECIMAL.fullmatch(word):
        return float(word.replace(b".", b"").replace(b",", b"."))
    return _WORDS.get(word.lower())
