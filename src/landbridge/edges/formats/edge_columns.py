"""The columns of a text that hold the edges: those that the caller or a header names, else the first two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NoReturn

from landbridge.edges.column_names import (
    choose_columns,
    from_zero,
    is_candidate,
    is_column_word,
    may_number_others,
    named_columns,
    possible_pairs,
)
from landbridge.edges.formats.commented import comment_hint, words_of_comment
from landbridge.edges.formats.sample import INTEGER, MISSING, Row, Sample, kinds_of, shown
from landbridge.edges.formats.text_matrices import refuse_matrix
from landbridge.edges.spelling import spelled
from landbridge.edges.two_kinds import notes_of_two_kinds
from landbridge.errors import InputError

__all__ = ["columns_of", "could_be_relations", "no_row_numbers"]

# Seconds since 1970 from 2001 to 2033, and the same in milliseconds, microseconds and nanoseconds.
_UNITS = (1, 10**3, 10**6, 10**9)
_FIRST_SECOND, _LAST_SECOND = 10**9, 2 * 10**9
_ROWS = 3
"""Rows whose first numbers must ascend by one to be row numbers."""
_MANY_NUMBERS = 8
"""Numbers in a third column for each word in the second, from which on they are no ratings."""
_MOST_DIGITS = 20
_LETTERS = re.compile(rb"[A-Za-z_\x80-\xff]+")
_LETTER = re.compile(rb"[\w\x80-\xff]")
_DIGITS = re.compile(rb"\d+")
_WORD = re.compile(rb"(a( a)*)?")
"""The shape of words of letters, which may be of anything."""


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
            notes = _notes_of_first_two(sample, below, fields)
            _refuse_names_in_comment(sample, below, fields)
            return 0, 1, notes
        rows = [r[3] for r in below]
        refuse_matrix(sample, names, rows, fields)
        likely = (0, 2) if could_be_relations(below, sample) else None
        first, second = _chosen(sample, names, rows, fields, likely)
        return first, second, _notes_of_kinds(sample, names, below, (first, second))
    word = next((column for column in options.columns if isinstance(column, str)), None)
    if names is None and word is not None:
        raise InputError(f"{path}: no header line names the columns, so {word!r} cannot be found{from_zero(word)}")
    holder = "header" if word is not None else "text"
    first, second = named_columns(options.columns, names or [str(i) for i in range(fields)], path, holder, fields)
    return first, second, _notes_of_kinds(sample, names, below, (first, second))


def _notes_of_kinds(sample: Sample, names: list[str] | None, below: Sequence[Row], pair: tuple[int, int]) -> list[str]:
    """The note that two columns of numbers may be ids of two kinds by their names, unless ids= is said."""
    if names is None or sample.options.ids != "auto" or max(pair) >= len(names):
        return []
    words = [[row[3][column] for row in below if column < len(row[3])] for column in pair]
    if not all(INTEGER.fullmatch(word) and len(word) <= _MOST_DIGITS for some in words for word in some):
        return []
    u, v = (map(int, some) for some in words)
    return list(notes_of_two_kinds([names[column] for column in pair], u, v))


def _chosen(
    sample: Sample, names: list[str], rows: Sequence[Sequence[bytes]], fields: int, likely: tuple[int, int] | None
) -> tuple[int, int]:
    """The columns that a header names. Where it has a name twice, an error says how its line is read as an edge."""
    if fields == 2 and sample.options.header and names[0] == names[1]:
        return 0, 1  # as a caller says who leaves out the counts "2 2"
    try:
        return choose_columns(names, kinds_of(rows, fields), sample.source.path, likely, no_row_numbers(names, rows))
    except InputError as error:
        if sample.options.header is not None or len(set(names)) == len(names):
            raise
        numbers = rows and all(map(INTEGER.fullmatch, rows[0][:2]))
        ways = sample.options.spelled(header=False, ids="names") if numbers else spelled(header=False)
        raise InputError(f"{error}; or {ways} if line {sample.rows[0][0]} is an edge") from None


def no_row_numbers(names: Sequence[str], rows: Sequence[Sequence[bytes]]) -> list[int]:
    """The columns named No, Nr and the like whose numbers repeat or do not ascend: they number no rows."""
    columns = []
    for column in (i for i, name in enumerate(names) if may_number_others(name)):
        numbers = _integers(row[column] for row in rows if column < len(row))
        if numbers is not None and any(b <= a for a, b in pairwise(numbers)):
            columns.append(column)
    return columns


def _notes_of_first_two(sample: Sample, below: Sequence[Row], fields: int) -> list[str]:
    """The note that the first two of more columns without names hold the edges, if others could.

    Raises FileFormatError if the first column could be the numbers, times or keys of rows that end in two ids.
    """
    rows = [r[3] for r in below if len(r[3]) == fields]
    if fields < 3 or not rows or sample.suffix == ".wel":
        return []
    refuse_matrix(sample, None, rows, fields)
    kinds = kinds_of(rows, fields)
    first = [row[0] for row in rows]
    if kinds[:3] == ["integer"] * 3 and _are_times(first, [row[j] for row in rows for j in (1, 2)]):
        _refuse(sample, below[0], "could be times, counted from 1970 on", 2)
    others = [j for j in range(2, fields) if _may_hold_ids(rows, kinds[j], j)]
    what = _relations(sample, rows, kinds)
    if what:
        _refuse_relations(sample, below[0], what)
    unnamed = ", of which the header names none" if sample.options.header else " and no header"
    note = [f"lines have {fields} columns{unnamed}: the first two hold the edges ({spelled('columns')} selects others)"]
    if not others:
        return note if kinds[1] == kinds[2] == "text" and _is_one_relation(rows) else []
    if kinds[0] == "integer" and _count_rows(first):
        _refuse(sample, below[0], "ascends by one from row to row, as row numbers do", others[0])
    if kinds[0] == "text" and kinds[1] == kinds[others[0]] == "integer" and len(rows) > 1 and len(set(first)) == 1:
        _refuse(sample, below[0], "holds one word, and those behind it hold numbers", others[0])
    if kinds[0] == "integer" and kinds[1] == kinds[others[0]] == "text":
        _refuse(sample, below[0], "holds numbers, and those behind it hold text", others[0])
    return note


def _refuse_names_in_comment(sample: Sample, below: Sequence[Row], fields: int) -> None:
    """Raise FileFormatError for a comment above the first row that may name the columns, and others than the first two
    as those of the edges: one of as many columns, with names of a pair or words for columns alone."""
    if sample.options.comment is not None or not sample.above or fields < 3 or not below:
        return
    names = [shown(word) for word in words_of_comment(sample)]
    if len(names) != fields:
        return
    are_words = all(is_column_word(name) or not is_candidate(name) for name in names)
    if not are_words and not possible_pairs(names):
        return
    try:
        first, second = choose_columns(names, kinds_of([r[3] for r in below], fields), "")
    except InputError:
        first, second = 0, 2
    if {first, second} == {0, 1}:
        return
    comment: dict[str, Any] = {"comment": sample.comments}
    named, others = (sample.options.spelled(columns=pair, **comment) for pair in ((first, second), (0, 1)))
    sample.source.fail(
        f"it is ambiguous which two columns hold the edges, as the comment above may name them: say {named} or other "
        f"columns if so, {others} if the first two do",
        line=sample.rows[0][0],
        text=shown(sample.above),
    )


def _may_hold_ids(rows: Sequence[Sequence[bytes]], kind: str | None, column: int) -> bool:
    """Whether a column may hold ids: whole numbers or text, of more than one value."""
    return kind in ("integer", "text") and (len(rows) == 1 or len({row[column] for row in rows}) > 1)


def _relations(sample: Sample, rows: Sequence[Sequence[bytes]], kinds: Sequence[str | None]) -> str:
    """What shows that the second of three columns holds words for relations between the others; "" if nothing does.

    Such as the suffix .sif, one word in all rows, or ids in the third column that are also in the first or of its kind.
    """
    if sample.suffix == ".sif":
        return "holds the relation in files of this suffix"
    if kinds[0] != kinds[2] or kinds[0] not in ("integer", "text") or kinds[1] not in ("integer", "text"):
        return ""
    if kinds[0] == kinds[1] == "integer":
        return ""  # users, items and ratings
    first, second, third = ({row[column] for row in rows} for column in range(3))
    if not second.isdisjoint(first | third) or not any(map(_LETTER.search, second)):
        return ""  # of arrows there is a message of its own
    shapes = [set(map(_shape, words)) for words in (first, second, third)]
    if not shapes[1].isdisjoint(shapes[0]) and not any(map(_WORD.fullmatch, shapes[1])):
        return ""  # u1, u2 and friend
    enough = len(rows) >= _ROWS or kinds[0] == "integer"
    if enough and kinds[1] == "text" and len(second) == 1 < min(len(first), len(third)):
        return "holds one word"
    same = not first.isdisjoint(third)
    if kinds[0] == "integer":  # and third a rating, unless there are many
        few = 2 * len(second) <= len(third) if same else _MANY_NUMBERS * len(second) <= len(third)
        return "has few words beside the numbers around it" if few else ""
    alike = shapes[0] == shapes[2] and shapes[1].isdisjoint(shapes[0]) and not any(map(_WORD.fullmatch, shapes[0]))
    return "has other words than the columns around it" if same or alike else ""


def could_be_relations(below: Sequence[Row], sample: Sample) -> bool:
    """Whether the second column of the rows of edges holds words for relations between the columns around it."""
    fields = max((len(row) for *_, row in below), default=0)
    rows = [row for *_, row in below if len(row) == fields]
    return fields > 2 and _relations(sample, rows, kinds_of(rows, fields)) != ""


def _shape(word: bytes) -> bytes:
    """A word with one letter for all letters and one digit for all numbers, as a0 for bob17."""
    return _DIGITS.sub(b"0", _LETTERS.sub(b"a", word))


def _is_one_relation(rows: Sequence[Sequence[bytes]]) -> bool:
    """Whether the second of three columns is one word in several rows, which is in no other column."""
    words = {row[1] for row in rows}
    return len(rows) > 1 == len(words) and not any(words & {row[0], row[2]} for row in rows)


def _refuse_relations(sample: Sample, row: Row, what: str) -> NoReturn:
    if sample.suffix == ".sif" and len(row[3]) > 3:
        sample.source.fail(
            f"a line of this suffix has targets from column 2 (from 0) on, and {spelled('columns')} takes one of them: "
            "write a line for each target",
            line=row[0],
            text=shown(sample.text_of(row)),
        )
    hint = comment_hint(sample, may_name_columns=True)
    sample.source.fail(
        f"there is no header, and column 1 (from 0) {what}: say {spelled(columns=(0, 2))} if it names the relation "
        f"between the others, {spelled(columns=(0, 1))} if it holds ids{hint}",
        line=row[0],
        text=shown(sample.text_of(row)),
    )


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
    hint = comment_hint(sample, may_name_columns=True)
    sample.source.fail(
        f"there is no header, and column 0 (from 0) {what}: say {spelled(columns=(0, 1))} or "
        f"{spelled(columns=(1, other))}{hint}",
        line=row[0],
        text=shown(sample.text_of(row)),
    )
