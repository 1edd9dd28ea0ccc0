"""Notes about ids as text has them: a first row that may name columns, blanks or single quotes around ids, which are
part of them, and words for no value."""

from __future__ import annotations

import re
import unicodedata

from landbridge.edges.column_names import is_column_word
from landbridge.edges.formats.sample import ABSENT, DECIMAL, NUMBER, Sample, shown
from landbridge.edges.formats.word_shapes import address_names, marks, may_have_lost_digits, whole_number
from landbridge.edges.spelling import spelled

__all__ = ["absent_hint", "first_edge_notes", "names_as_edge_notes", "notes_of_words", "refuse_two_quotes"]

_QUOTED_BLANK = re.compile(rb'"[ \t]*"')
_SINGLE = re.compile(rb"'(.+)'", re.DOTALL)
_TEXT = re.compile(rb"=\"(.+)\"|'(\d+)", re.DOTALL)
_DIGIT = re.compile(rb"\d")
_WITHOUT_WIDTH = ("\u200b", "\u2060", "\ufeff")
_Ids = list[tuple[int, bytes]]


def first_edge_notes(sample: Sample, first: int, second: int) -> list[str]:
    """A note on a first row that is taken as an edge though nothing below shows it: words that do not occur again and
    have no digit or mark of those below, no addresses above these, numbers above words, or 0 and 1, as columns are
    counted, that do not occur again."""
    if sample.options.header is not None or sample.by_name or len(sample.rows) < 2:
        return []
    rows = [row for *_, row in sample.rows if len(row) > max(first, second)]
    (u, v), *pairs = [(row[first].strip(b" \t"), row[second].strip(b" \t")) for row in rows] or [(b"", b"")]
    below = {word for pair in pairs for word in pair}
    if NUMBER.fullmatch(u) and NUMBER.fullmatch(v):
        counts_columns = (u, v) == (b"%d" % first, b"%d" % second) and sample.options.ids != "dense"
        is_open = below.isdisjoint((u, v)) if counts_columns else not any(map(NUMBER.fullmatch, below))
    else:
        known = marks("".join(map(shown, below))) - {" "}
        counts = {NUMBER.fullmatch(word) is not None for word in below if _DIGIT.search(word)}
        is_open = below.isdisjoint((u, v)) and not any(
            marks(shown(word)) & known or (_DIGIT.search(word) and (NUMBER.fullmatch(word) is not None) in counts)
            for word in (u, v)
        )
        kinds = [address_names([word for pair in pairs for word in pair]), *(address_names([word]) for word in (u, v))]
        is_open |= kinds[0] != frozenset() and not any(kinds[1:])
    line, text = sample.rows[0][0], shown(sample.text_of(sample.rows[0]))
    way = f"{spelled(header=True)} if it names the columns"
    return [f"line {line} is taken as an edge ({text}): {way}"] if is_open and below else []


def names_as_edge_notes(sample: Sample, first: int, second: int) -> list[str]:
    """A note on the row below a header, if both its ids do not occur again and are words for
    columns or below other words than names of as many columns: the header may be a title."""
    if sample.by_name or len(sample.rows) < 3:
        return []
    ids = [(row[first], row[second]) for *_, row in sample.rows[1:] if len(row) > max(first, second)]
    names, below = ids[0] if ids else (), {word for pair in ids[1:] for word in pair}
    above, width = sample.rows[0][3], len(sample.rows[1][3])
    is_title = len(above) != width and any(above[width:] or above[1:])
    is_open = is_title or all(is_column_word(shown(word)) for word in names)
    if not names or not below.isdisjoint(names) or not is_open:
        return []
    line, text = sample.rows[1][0], shown(sample.text_of(sample.rows[1]))
    return [f"line {line} is taken as an edge ({text}): leave line {sample.rows[0][0]} out if it is a title"]


def notes_of_words(sample: Sample, is_header: bool, first: int, second: int) -> list[str]:
    """The notes about the first id that begins or ends with a blank, the first in single quotes or as a spreadsheet
    writes text, two that look alike, the first number with a comma in a column of numbers, which the caller takes as
    names by stating the delimiter, and the first id among names that is a whole number with a fraction or commas."""
    ids = _ids_of(sample, is_header, first, second)
    blank = next(((line, word) for line, word in ids if _has_blanks(word)), None)
    quoted = next(((line, word) for line, word in ids if _inside(word)), None)
    marks_of = "single quotes" if quoted is None or _SINGLE.fullmatch(quoted[1]) else "marks of text"
    both = (("blanks", blank), (marks_of, quoted))
    numbers = _note_of_commas(sample, is_header, first, second) or _note_of_number(sample, ids)
    return (
        _note_of_look_alikes(ids)
        + numbers
        + [
            f"{what} around ids are part of them, as in {shown(entry[1])!r} of line {entry[0]}"
            for what, entry in both
            if entry is not None
        ]
    )


def _note_of_look_alikes(ids: _Ids) -> list[str]:
    """The note about two ids that are the same but for how Unicode composes letters, and for the kind and the number of
    blanks in them."""
    known: dict[str, tuple[int, bytes]] = {}
    for line, word in ids:
        if word.isascii() and b"  " not in word:
            alike = word.decode()
        else:
            alike = re.sub(r"\s+", " ", unicodedata.normalize("NFC", word.decode("utf-8", "replace")))
        other_line, other = known.setdefault(alike, (line, word))
        if other != word:
            both = f"{shown(other)!a} of line {other_line} and {shown(word)!a} of line {line}"
            return [f"{both} are two ids, though they look alike: text is compared by its bytes"]
    return []


def _has_blanks(word: bytes) -> bool:
    """Whether white space of any kind, also without a width, is around a word."""
    if word.isascii():
        return word.strip(b" \t") not in (b"", word)
    text = word.decode("utf-8", "replace")
    return text[:1] in _WITHOUT_WIDTH or text[-1:] in _WITHOUT_WIDTH or text.strip() not in ("", text)


def _note_of_commas(sample: Sample, is_header: bool, first: int, second: int) -> list[str]:
    if sample.options.ids != "auto":
        return []
    for column in (first, second):
        words = {row[3][column]: row[0] for row in reversed(sample.rows[is_header:]) if column < len(row[3])}
        first_comma = next((word for word in reversed(words) if DECIMAL.fullmatch(word)), None)
        if first_comma is not None and all(NUMBER.fullmatch(word) or DECIMAL.fullmatch(word) for word in words):
            where = f"as {shown(first_comma)} of line {words[first_comma]}"
            what = f"column {column} (from 0) holds numbers with commas, {where}"
            return [f"{what}: they are taken as text, and 1,000 and 1000 are two ids"]
    return []


def _note_of_number(sample: Sample, ids: _Ids) -> list[str]:
    if sample.options.ids != "auto":
        return []
    line, word = next(((line, word) for line, word in ids if may_have_lost_digits(word)), (0, b""))
    if line:
        return [f"{shown(word)} of line {line} is taken as text: other numbers may have been rounded to the same"]
    line, word = next(((line, word) for line, word in ids if whole_number(word)), (0, b""))
    if not line:
        return []
    return [f"{shown(word)} of line {line} is taken as text: as an id, {shown(whole_number(word))} is another one"]


def refuse_two_quotes(sample: Sample, is_header: bool, first: int, second: int) -> None:
    """Raise FileFormatError for an id in single quotes, or as a spreadsheet writes text, that occurs without them, too:
    double quotes alone enclose."""
    if b"'" not in sample.window and b'="' not in sample.window:
        return
    ids = _ids_of(sample, is_header, first, second)
    lines = {word: line for line, word in reversed(ids)}
    line, word = next(((line, word) for line, word in ids if (bare := _inside(word)) and bare in lines), (0, b""))
    if line:
        what = "an id in single quotes" if _SINGLE.fullmatch(word) else "an id with marks of text"
        sample.source.fail(
            f"{what}, which are part of it, and line {lines[_inside(word)]} has it without them: write "
            f"all with double quotes or none, or say {spelled(ids='names')} if they are two",
            line=line,
            text=shown(word),
        )


def absent_hint(sample: Sample, first: int, second: int) -> str:
    """What else has to be said of names among which is a word for no value, for messages; "" for others."""
    ids = ((line, word.strip(b" \t")) for line, word in _ids_of(sample, False, first, second))
    line, absent = next(((line, word) for line, word in ids if not word or word in ABSENT), (0, b""))
    if not line:
        return ""
    if not absent and not any(_QUOTED_BLANK.search(sample.text_of(row)) for row in sample.rows if row[0] == line):
        return f"; and leave out lines such as line {line}, of which a column is empty"
    word = shown(absent) or '""'
    return (
        f"; and leave out lines such as line {line}, where {word} stands for no value, or say "
        f"{spelled(ids='names')} with these if it is a name"
    )


def _ids_of(sample: Sample, is_header: bool, first: int, second: int) -> _Ids:
    """The ids of the first rows, and their lines."""
    rows = sample.as_names()[is_header:]
    return [(line, row[c]) for line, _, _, row in rows for c in (first, second) if c < len(row)]


def _inside(word: bytes) -> bytes:
    """What is between the single quotes around a word, or between the marks that spreadsheets have around numbers as
    text, ="007" and '007; b"" for a word without them."""
    match = _SINGLE.fullmatch(word) or _TEXT.fullmatch(word)
    return match[match.lastindex or 0] if match else b""
