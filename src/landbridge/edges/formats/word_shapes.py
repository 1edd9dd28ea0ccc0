"""How words of text are written: their letters, digits, capitals and marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

IN_ONE_FORM = "write whole numbers in one form"
"""What is to be done with a number in two forms, for messages."""

_WHOLE = re.compile(rb"(\d{1,20})\.0*")
_THOUSANDS = re.compile(rb"[1-9]\d{0,2}(?:,\d{3})+")
_PARTED = re.compile(
    rb"([1-9]\d{0,2}(?:(?P<mark>[, ']|\xc2\xa0|\xe2\x80[\xaf\x99\x89])\d{3}(?:(?P=mark)\d{3})*|(?:\.\d{3}){2,}))"
    rb"(?:\.0+)?"
)
"""A whole number with marks between thousands: points, commas, apostrophes and blanks, also those that are no ASCII."""
_POINT = re.compile(rb"([1-9]\d{0,2})\.(\d{3})")
"""A fraction, or a whole number with a point between thousands."""
_EXPONENT = re.compile(rb"(\d{1,20})(?:\.(\d{1,20}))?[eE](\+?)(\d{1,2})")
_BETWEEN = re.compile(rb"\d+[a-df-zA-DF-Z]\d+")
_HEX = re.compile(rb"(?=[^\d]*\d)(?=[\deE]*[a-dA-DfF])[\da-fA-F]{3,}|(?:[a-f]{2}){2,}|(?:[A-F]{2}){2,}")
"""Hexadecimal digits: three or more with a letter, a number with an exponent apart, or an even count of letters."""


_ADDRESSES = {
    re.compile(pattern, re.IGNORECASE): frozenset(names.split())
    for pattern, names in (
        (rb"[^@\s]+@[^@\s]+\.[a-z]{2,}", "email emails mail mails"),
        (rb"\d{1,3}(\.\d{1,3}){3}([:/]\d{1,5})?", "ip ips ipv4 addr address"),
        (rb"(?=[\da-f:.]{2,45}\Z)[\da-f:.]*::[\da-f:.]*|[\da-f]{1,4}(:[\da-f]{1,4}){7}", "ip ips ipv6 addr address"),
        (rb"[\da-f]{2}([:-][\da-f]{2}){5}", "mac macs addr address"),
        (rb"(?=(\D*\d){6})(?=.*[^\d.,])\+?[\d() ./-]+", "phone phones telephone tel mobile cell fax msisdn telefon"),
        (rb"[a-z][a-z\d.+-]*://\S+", "url urls uri uris"),
        (rb"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}", "uuid guid id"),
    )
}
"""Those of mail, networks and devices, telephone numbers of six digits and more with marks, URLs and UUIDs; and words
of which each is a name for them."""


def address_names(words: Sequence[bytes]) -> frozenset[str]:
    """Words that name what some words are, if these are addresses of one kind; none else."""
    return next((names for pattern, names in _ADDRESSES.items() if all(map(pattern.fullmatch, words))), frozenset())


def capitals(word: str) -> tuple[bool, bool]:
    """Whether the first and the last part of a name have capitals."""
    parts = word.split()
    return bool(parts) and parts[0] != parts[0].lower(), bool(parts) and parts[-1] != parts[-1].lower()


def marks(text: str) -> set[str]:
    """The characters of a text that are neither letters nor digits."""
    return {character for character in set(text) if not character.isalnum() and character != "_"}


def are_continued(first: str, second: str, others: set[str]) -> bool:
    """Whether another word begins as two do that differ in a number only."""
    pattern = without_numbers(first)
    return pattern == without_numbers(second) and any(without_numbers(word).startswith(pattern) for word in others)


def letters(word: str) -> str:
    """A word without marks and underscores."""
    return re.sub(r"[\W_]", "", word)


def without_numbers(word: str) -> str:
    """A word in lower case with 0 for each number."""
    return re.sub(r"\d+", "0", word.casefold())


def shape(word: str) -> str:
    """A word as letters and digits: a0 of bob17, A0 of TP53."""
    return re.sub(r"\d+", "0", re.sub(r"[^\W\d_]+", lambda run: "A" if run[0].isupper() else "a", word))


def whole_number(word: bytes) -> bytes:
    """The whole number that a word is with a fraction or with commas, as 1 of 1.0 and 1000 of 1,000; b"" of others."""
    fraction = _WHOLE.fullmatch(word)
    if fraction is not None:
        return fraction[1].lstrip(b"0") or b"0"
    return word.replace(b",", b"") if _THOUSANDS.fullmatch(word) else b""


def in_digits(word: bytes) -> tuple[bytes, ...]:
    """The whole numbers that a word in another form may be, in digits alone: 1 of 1.0, 01 and +1, 0 of -0, 1000 of
    1,000, 1 000, 1'000 and 1e3, both of 1.000; none of any other word, and of a number in this form."""
    sign, size = (word[:1], word[1:]) if word[:1] in (b"+", b"-") else (b"", word)
    if not size[:1].isdigit():
        return ()
    digits = whole_number(size) or (size.lstrip(b"0") or b"0" if size.isdigit() else b"")
    parted = None if digits else _PARTED.fullmatch(size)
    digits = re.sub(rb"\D", b"", parted[1]) if parted else digits or _without_exponent(size)
    point = _POINT.fullmatch(size)
    forms = [digits, b"".join(point.groups()) if point else b""]
    numbers = [b"-" + form if sign == b"-" and form != b"0" else form for form in forms if form]
    return tuple(number for number in numbers if number != word)


def _without_exponent(word: bytes) -> bytes:
    """The digits of a whole number with an exponent, as 1500 of 1.5e+03; b"" of any other word."""
    match = _EXPONENT.fullmatch(word)
    if match is None:
        return b""
    fraction = (match[2] or b"").rstrip(b"0")
    zeros = int(match[4]) - len(fraction)
    return (match[1] + fraction + zeros * b"0").lstrip(b"0") or b"0" if zeros >= 0 else b""


def have_letters_between_digits(words: Iterable[bytes]) -> bool:
    """Whether one of some words has letters beside e where numbers with an exponent have theirs: hexadecimal digits as
    a3f or beef, or a letter between numbers as the seat 3g2."""
    return any(_HEX.fullmatch(word) or _BETWEEN.fullmatch(word) for word in words)


def may_be_code(word: bytes) -> bool:
    """Whether a number with an exponent may be a code of digits and letters: 1e3 beside a3f or 3g2, and not 1e+03."""
    match = _EXPONENT.fullmatch(word)
    return match is not None and match[2] is None and not match[3]


def may_have_lost_digits(word: bytes) -> bool:
    """Whether a word is a number as spreadsheets round it, with a point and an exponent: 1.23457E+11."""
    match = _EXPONENT.fullmatch(word)
    return match is not None and match[2] is not None and int(match[4]) > len(match[2])


def two_forms(words: Collection[bytes]) -> tuple[bytes, bytes] | None:
    """The first of some words that is a whole number in another form than digits alone, and the same in digits, if that
    is one of them, or else in a third form; None for none."""
    return next(iter(all_in_two_forms(words, lambda number: number in words)), None)


def all_in_two_forms(words: Iterable[bytes], is_word: Callable[[bytes], bool]) -> list[tuple[bytes, bytes]]:
    """Words that are whole numbers in another form than digits alone, and the same in digits, or else in a third form.

    is_word: whether a number in digits is a word, too. Behind letters between digits, 1e3 is a code.
    """
    some = tuple(words)
    forms: dict[bytes, dict[bytes, None]] = {}  # the words that are a number
    for word in some:
        for number in in_digits(word):
            forms.setdefault(number, {})[word] = None
    pairs = [(word, number) for number, alike in forms.items() for word in alike if is_word(number)]
    pairs += [(word, first) for first, *others in forms.values() for word in others]
    codes = {word for pair in pairs for word in pair if may_be_code(word)}
    if codes and have_letters_between_digits(some):
        return [pair for pair in pairs if codes.isdisjoint(pair)]
    return pairs


def lower(words: Sequence[bytes]) -> list[bytes]:
    """Words without their capitals, which are of ASCII."""
    return [word.lower() for word in words]
