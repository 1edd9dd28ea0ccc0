"""Names of vertices that may be no ids, or the id of another one: words for no value, one number in two forms.

Names are those of a list of edges, which ascend by their bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

from landbridge.edges.formats.sample import ABSENT, shown
from landbridge.edges.formats.word_shapes import all_in_two_forms
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
    """Some names that are whole numbers in another form than digits alone, and those of all names that are the same in
    digits, as 1.0 and 1, or else those of them in a third form, as 01 and 001.

    O(log n) for each where a name begins as its digits do: of numbers that all begin with zeros none is looked for.
    """

    @cache
    def is_begun(first: bytes) -> bool:
        return _is_begun(names, first)

    return all_in_two_forms(words, lambda number: is_begun(number[:1]) and bool(find(names, number)))


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
    return (*notes, *notes_of_numbers(names))


def notes_of_numbers(names: Any) -> tuple[str, ...]:
    """The note about one number in two forms among names in memory: of some of them, and of the first with a zero or a
    plus in front. O(log n)."""
    some = names[:: max(1, len(names) // _FEW)].tolist()
    for beginning in (b"+", b"0"):
        place = first_from(names, beginning)
        some += names[place : place + _FEW].tolist()
    forms = numbers_in_two_forms(names, dict.fromkeys(name.encode() for name in some))
    return tuple(
        f"{shown(word)} and {shown(number)} are two ids: text is compared by its bytes" for word, number in forms[:1]
    )
