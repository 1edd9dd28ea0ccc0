"""Whether the first row of a text of edges names its columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, NoReturn

from landbridge.edges.column_names import (
    are_endpoint_names,
    are_names_of_ids,
    choose_columns,
    is_candidate,
    is_pair,
    is_stem_of_columns,
    stem_of,
)
from landbridge.edges.formats.not_edges import refuse_structures
from landbridge.edges.formats.sample import DATE, INTEGER, MISSING, NUMBER, Sample, kinds_of, shown
from landbridge.edges.formats.source import Source
from landbridge.errors import InputError

# A word that could name a column. One with blanks, @ or / in it, or that starts with a digit, is an id.
_IDENTIFIER = re.compile(r":?[^\W\d][\w.:-]*")
_HINT = "header=True (--header yes) if it names the columns, header=False (--header no) if it is an edge"


class Verdict(NamedTuple):
    """Whether a first row is a header, and whether its words alone say so."""

    is_header: bool
    by_words: bool = False


def header_verdict(sample: Sample) -> Verdict:
    """Whether the first row names the columns.

    Raises
    ------
    FileFormatError
        If it could be either.
    """
    options = sample.options
    row = [word.strip(b" \t") for word in sample.rows[0][3]]  # quotes may hold blanks
    if options.header is not None:
        return Verdict(options.header)
    if sample.by_name:
        return Verdict(not all(map(NUMBER.fullmatch, row)))
    first = _lower(sample.rows[0][3])
    below = [r[3] for r in sample.rows[1:] if _lower(r[3]) != first]  # no header of another file, in other capitals
    if len(row) > 2 and not row[0] and row[1:] == [b"%d" % i for i in range(len(row) - 1)]:
        return Verdict(True)  # pandas writes it for columns without names
    if options.columns is None and all(map(INTEGER.fullmatch, row[:2])):
        return Verdict(False)
    a, b = _likely_columns(sample, row, below)
    if b >= len(row) or NUMBER.fullmatch(row[a]) or NUMBER.fullmatch(row[b]) or not (row[a] and row[b]):
        return Verdict(False)
    under = [(r[a], r[b]) for r in below if len(r) > max(a, b)]
    if under and all(INTEGER.fullmatch(x) and INTEGER.fullmatch(y) for x, y in under):
        return Verdict(True)
    if under and all(NUMBER.fullmatch(x) and NUMBER.fullmatch(y) for x, y in under[:1]):
        return Verdict(True)  # the parser reports those numbers
    if options.ids in ("dense", "sparse") and (under or len(sample.rows) > 1):
        return Verdict(are_endpoint_names(shown(row[a]), shown(row[b])))
    verdict = _verdict_of_names(sample, row, below, a, b)
    if verdict is None:
        refuse_structures(sample, sample.rows, 0, 1)
        refuse_structures(sample, sample.rows[1:], 0, 1)
    if verdict is None and sample.stopped:
        return Verdict(False)  # the parser reports the line that breaks the grammar
    if verdict is None:
        fail_ambiguous_header(sample.source, sample.rows[0][0], sample.text_of(sample.rows[0]))
    return verdict


def _likely_columns(sample: Sample, row: Sequence[bytes], below: Sequence[Sequence[bytes]]) -> tuple[int, int]:
    """The columns that hold the edges if the first row is a header and names them; else the first two."""
    if sample.options.columns is not None:
        first, second = sample.options.columns
        if isinstance(first, int) and isinstance(second, int) and min(first, second) >= 0:
            return (first, second) if first <= second else (second, first)
    try:
        first, second = choose_columns([shown(word) for word in row], kinds_of(below, len(row)), "")
    except InputError:
        return 0, 1
    return (first, second) if first <= second else (second, first)


def _verdict_of_names(
    sample: Sample, row: Sequence[bytes], below: Sequence[Sequence[bytes]], a: int, b: int
) -> Verdict | None:
    """The verdict on a row of text over rows of text; None if it could be either."""
    by_values = _verdict_of_values(row, below, a, b)
    if by_values is not None:
        return by_values
    first, second = shown(row[a]), shown(row[b])
    pairs = [(r[3][a], r[3][b]) for r in sample.rows[1:] if len(r[3]) > max(a, b)]
    words = {shown(word) for pair in pairs for word in pair}
    names = {word.casefold() for word in words}
    if is_pair(first, second) or stem_of(first, second) is not None:
        own = _lower([row[a], row[b]])  # in other capitals the header of another file
        others = {shown(word) for pair in pairs if _lower(pair) != own for word in pair}
        labels = any(len(word) > 1 and not is_candidate(shown(word)) for word in row)
        verdict = _verdict_of_pair(first, second, words, others, labels=labels)
        if verdict != "neither":
            return verdict
    if first.casefold() in names or second.casefold() in names:
        return Verdict(False)
    if not (_IDENTIFIER.fullmatch(first) and _IDENTIFIER.fullmatch(second)):
        return None if are_names_of_ids(first, second) else Verdict(False)
    if all(any(c.isdigit() for c in word) for word in (first, second)):
        shapes = set(map(_shape, names))
        if _shape(first.casefold()) in shapes or _shape(second.casefold()) in shapes:
            return Verdict(False)
    return None


def _verdict_of_pair(
    first: str, second: str, words: set[str], others: set[str], *, labels: bool
) -> Verdict | Literal["neither"] | None:
    """The verdict on two words that differ as the names of two endpoints do; None if they could be either.

    words: those below them. others: those of rows that are not the two, in whatever capitals. labels: whether a word
    beside them names a column that holds no ids.
    """
    repeated, recurs = (first in some or second in some for some in (words, others))
    others = others - {first, second}
    if len(_letters(first)) == len(_letters(second)) == 1:  # a and A may be two vertices
        if not (_IDENTIFIER.fullmatch(first) and _IDENTIFIER.fullmatch(second)):
            return "neither"  # [a] and {b}
        few = any(len(_letters(word)) == 1 for word in words - {first, second})
        if few or not words:
            return Verdict(False) if repeated and not labels else None
    stem, known = stem_of(first, second), are_endpoint_names(first, second)
    if stem is not None:
        size = next((i for i, (x, y) in enumerate(zip(first, second, strict=False)) if x != y), 0)
        alike = [word for word in others if word.casefold()[:size] == first.casefold()[:size]]
        counts = first[size:].isdigit()  # node1, node2 over node3
        longest = max(len(first), len(second))
        alike = [w for w in alike if (w[size:].isdigit() if counts else w[size:].isalpha() and len(w) <= longest)]
        if alike:  # idl, idr over Ida may be anything
            return Verdict(False) if (counts or not known) and any(w[:size] == first[:size] for w in alike) else None
    is_named = _IDENTIFIER.fullmatch(first) is not None and _IDENTIFIER.fullmatch(second) is not None
    if not is_named and stem is not None and any(_letters(word).casefold().startswith(stem) for word in others):
        return Verdict(False)  # <node1>, <node2> over <node3>
    if known:
        return None if repeated or _are_continued(first, second, others) else Verdict(True, by_words=True)
    if recurs:
        return Verdict(False)
    shapes = set(map(_shape, words))
    if not all(_shape(word) in shapes for word in (first, second)) or (stem is not None and is_stem_of_columns(stem)):
        return None
    return "neither"


def _are_continued(first: str, second: str, others: set[str]) -> bool:
    """Whether another word begins as two do that differ in a number only."""
    pattern = _without_numbers(first)
    return pattern == _without_numbers(second) and any(_without_numbers(word).startswith(pattern) for word in others)


def _letters(word: str) -> str:
    return re.sub(r"[\W_]", "", word)


def _without_numbers(word: str) -> str:
    return re.sub(r"\d+", "0", word.casefold())


def _verdict_of_values(row: Sequence[bytes], below: Sequence[Sequence[bytes]], a: int, b: int) -> Verdict | None:
    """The verdict by a column beside the edges whose values are numbers or dates: a word over them is a name."""
    for j, word in enumerate(row):
        if j in (a, b) or word.lower() in MISSING:
            continue
        values = [r[j] for r in below if len(r) > j]
        for pattern in (NUMBER, DATE):
            if values and all(pattern.fullmatch(value) or not value for value in values):
                return Verdict(pattern.fullmatch(word) is None)
    return None


def _shape(word: str) -> str:
    """A word as letters and digits: a0 of bob17, A0 of TP53."""
    return re.sub(r"\d+", "0", re.sub(r"[^\W\d_]+", lambda letters: "A" if letters[0].isupper() else "a", word))


def _lower(words: Sequence[bytes]) -> list[bytes]:
    """Words without their capitals, which are of ASCII."""
    return [word.lower() for word in words]


def fail_ambiguous_header(source: Source, line: int, text: bytes) -> NoReturn:
    """Raise the error of a first row that could be a header or an edge."""
    source.fail(f"it is ambiguous whether the first row is a header: say {_HINT}", line=line, text=shown(text))
