"""Columns of ids of two kinds, such as users and movies, both of which are numbered from 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from landbridge.edges.column_names import quoted, subject_of

_OWNER_WORDS = """
user customer client buyer reader viewer listener shopper subscriber visitor player patient student employee member
person people author actor artist
"""
_OWNED_WORDS = """
item movie film show video book song track album product article document doc page post paper publication ad shop
store merchant restaurant business venue event group team course order session drug disease gene recipe anime game
"""


def _in_any_number(words: str) -> frozenset[str]:
    """Words in the singular and in the plural."""
    return frozenset(f"{word}{ending}" for word in words.split() for ending in ("", "s", "es"))


_OWNERS, _OWNED = _in_any_number(_OWNER_WORDS), _in_any_number(_OWNED_WORDS)


def could_be_two_kinds(first: str, second: str) -> bool:
    """Whether two names are those of ids of two kinds, as userId and movie_id are: of persons and of what they have.

    Not seller and buyer, employee and manager, and words that are not listed here, which may be of one kind.
    """
    kinds = [(subject in _OWNERS, subject in _OWNED) for subject in map(subject_of, (first, second))]
    return kinds in ([(True, False), (False, True)], [(False, True), (True, False)])


def notes_of_two_kinds(names: Sequence[str], u: Iterable[int], v: Iterable[int]) -> tuple[str, ...]:
    """The note about two columns of numbers with such names, if some numbers are in both; none else.

    names: of the two columns. u, v: some of their numbers.
    """
    if not could_be_two_kinds(*names) or set(u).isdisjoint(v):
        return ()
    which = f"{quoted(names[0])} and {quoted(names[1])}"
    return (
        f"columns {which} have numbers in common, each of which is one vertex: if they are ids of two kinds, add a "
        "number beyond all of them to those of one column",
    )
