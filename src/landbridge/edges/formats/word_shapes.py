"""How words of text are written: their letters, digits, capitals and marks."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

_WHOLE = re.compile(rb"(\d{1,20})\.0*")
_THOUSANDS = re.compile(rb"[1-9]\d{0,2}(?:,\d{3})+")


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


def are_two_forms(words: Collection[bytes]) -> bool:
    """Whether one of some words is a whole number with a fraction or with commas, and another the same without."""
    return any(whole_number(word) in words for word in words)


def lower(words: Sequence[bytes]) -> list[bytes]:
    """Words without their capitals, which are of ASCII."""
    return [word.lower() for word in words]
