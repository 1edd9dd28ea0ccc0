"""Names of vertices that may be no ids, or the id of another one: words for no value, one number in two forms.

Names are those of a list of edges, which ascend by their bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from landbridge.edges.formats.sample import ABSENT, shown
from landbridge.edges.formats.word_shapes import have_letters_between_digits, in_digits, may_be_code
from landbridge.edges.forms import EdgeList

_FEW = 100
"""Beginnings of blanks that are looked for, names that are looked at for numbers, and those that a set is made of."""


def find(names: Any, word: bytes) -> list[int]:
    """The place of a name; none if it is none of them. O(log n)."""
    place = first_from(names, word)
    offsets, characters = names.buffers
    is_equal = place < len(names) and characters[offsets[place] : offsets[place + 1]].tobytes() == word
    return [place] if is_equal else []


def first_from(names: Any, word: bytes) -> int:
    """The place of the first name that is not before a word. O(log n)."""
    offsets, characters = names.buffers
    low, high = 0, len(names)
    while low < high:
        middle = (low + high) // 2
        if characters[offsets[middle] : offsets[middle + 1]].tobytes() < word:
            low = middle + 1
        else:
            high = middle
    return low


def absent_among(names: Any, *, blanks: bool = False) -> dict[bytes, list[int]]:
    """The words for no value that are names, and their places; b"" is one of blanks alone. O(log n).

    blanks: also those with a blank at one end.
    """
    known = {name.encode() for name in names.tolist()} if len(names) <= _FEW else None
    blank = _blank(names)
    absent = {b"": blank} if blank else {}
    for word in ABSENT:
        forms = (word, b" " + word, word + b" ") if blanks else (word,)
        places = [place for form in forms if known is None or form in known for place in find(names, form)]
        if places:
            absent[word] = places
    return absent


def _blank(names: Any) -> list[int]:
    """The place of a name that is empty, or nothing but some spaces and tabs; none if there is none. O(log n).

    Where names begin with blanks, `_FEW` of these beginnings are looked at, the shortest ones first.
    """
    offsets, characters = names.buffers
    beginnings = [b""]
    for blanks in beginnings:
        place = first_from(names, blanks)
        name = characters[offsets[place] : offsets[place + 1]].tobytes() if place < len(names) else b""
        if place == len(names) or not name.startswith(blanks):
            continue
        if name == blanks:
            return [place]
        if len(beginnings) < 2 * _FEW:
            beginnings += [blanks + b"\t", blanks + b" "]
    return []


def numbers_in_two_forms(names: Any, words: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    """Whole numbers that are names, and those of some names that are one of them in another form: 1 and 1.0.

    O(log n) for each where a name begins as its digits do: of numbers that all begin with zeros none is looked for.
    """
    some = tuple(words)
    forms = dict.fromkeys((number, word) for word in some if (number := in_digits(word)))
    begun = {first for first in {number[:1] for number, _ in forms} if _is_begun(names, first)}
    pairs = [(number, word) for number, word in forms if number[:1] in begun and find(names, number)]
    are_codes = any(may_be_code(word) for _, word in pairs) and have_letters_between_digits(some)
    return [(number, word) for number, word in pairs if not (are_codes and may_be_code(word))]


def _is_begun(names: Any, beginning: bytes) -> bool:
    """Whether a name begins so. O(log n)."""
    offsets, characters = names.buffers
    place = first_from(names, beginning)
    return place < len(names) and characters[offsets[place] : offsets[place + 1]].tobytes().startswith(beginning)


def with_notes_of_names(edges: EdgeList) -> EdgeList:
    """Edges of a table or a list between names, with notes about doubtful ones. O(log n)."""
    notes = () if edges.ids is None else notes_of_names(edges.ids)
    return replace(edges, notes=(*edges.notes, *notes)) if notes else edges


def notes_of_names(names: Any) -> tuple[str, ...]:
    """The notes about doubtful ones of names in memory. O(log n)."""
    if not len(names):
        return ()
    notes = [
        f"{shown(word) or repr('')} is an id, and joins all rows that have it: leave them out if it stands for no value"
        for word in list(absent_among(names))[:1]
    ]
    some = [name.encode() for name in names[:: max(1, len(names) // _FEW)].tolist()]
    notes += [
        f"{shown(word)} and {shown(number)} are two ids: text is compared by its bytes"
        for number, word in numbers_in_two_forms(names, some)[:1]
    ]
    return tuple(notes)
