"""What the first values of the columns of a table say about ids, where names and types alone do not: dates written as
text, and numbers below names for numbers of rows and for marks of matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from landbridge.edges.column_names import are_endpoint_names, choose_columns, listing
from landbridge.edges.column_words import SPANS
from landbridge.edges.place import is_null
from landbridge.edges.spelling import spelled
from landbridge.errors import InputError

MOST_VALUES = 1000
"""First values of a column that are looked at."""

_NUMBERS_OF_THINGS = re.compile(r"no\.?|nr\.?")
"""Names for numbers of rows that are also those for numbers of other things, as No of customers."""
_MATCH = "match"


def ids_by_values(names: Sequence[str], numbers: Callable[[int], Sequence[int] | None]) -> list[int]:
    """The columns that may hold ids by their numbers, though by their names they may not: those named No, Nr and the
    like whose numbers repeat or do not ascend number no rows, and numbers other than 0 and 1 below match mark none.

    numbers: those of a column; None if it holds others than whole numbers.
    """
    columns = []
    for column, name in enumerate(names):
        word = name.strip().lower()
        if word == _MATCH or _NUMBERS_OF_THINGS.fullmatch(word):
            some = numbers(column)
            is_open = some is not None and any(b <= a for a, b in pairwise(some))
            if word == _MATCH:
                is_open = some is not None and not {0, 1}.issuperset(some)
            columns += [column] * is_open
    return columns


def choose_by_values(
    names: Sequence[str], kinds: Sequence[str | None], values: Callable[[int], Sequence[Any]], where: str = ""
) -> tuple[int, int]:
    """The positions of the two columns of a table that hold the edges, as `choose_columns` has them by names and types.

    values: the first `MOST_VALUES` of a column, which are asked for where they can matter.

    Raises
    ------
    InputError
        As `choose_columns` does, and if values show that other columns hold the edges, or that others may.
    """
    choice = choose_columns(names, kinds, where)
    if len(names) < 3 or len(set(names)) < len(names):
        return choice
    known = list(kinds)
    pair = [names[column].strip().lower() for column in choice]
    are_named = are_endpoint_names(*pair) and not SPANS.issuperset(pair)
    for column in choice:
        if known[column] == "text" and not are_named:
            known[column] = _kind_of_texts(values(column))

    def numbers(column: int) -> list[int] | None:
        return [value for value in values(column) if not is_null(value)] if known[column] == "integer" else None

    numbered = ids_by_values(names, numbers)
    if known == list(kinds) and not numbered:
        return choice
    by_values = choose_columns(names, known, where, numbered=numbered)
    if set(by_values) != set(choice):
        prefix = f"{where}: " if where else ""
        named, meant = (listing([names[column] for column in pair]) for pair in (choice, by_values))
        raise InputError(
            f"{prefix}it is ambiguous which two columns hold the edges, {named} by their names or {meant} by their "
            f"values: say {spelled(columns=by_values)} or {spelled(columns=choice)}"
        )
    return choice


def _kind_of_texts(values: Sequence[Any]) -> str | None:
    """What a column of text holds, for `choose_columns`: dates, times, fractions, true and false, or else text."""
    from landbridge.edges.formats.sample import kinds_of  # of text alone

    texts = [value if isinstance(value, bytes) else str(value).encode() for value in values if not is_null(value)]
    (kind,) = kinds_of([[text] for text in texts], 1)
    return "text" if kind == "integer" else kind or "text"
