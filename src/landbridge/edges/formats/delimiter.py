"""The delimiter of a text of edges, chosen by its first lines."""

from __future__ import annotations

import re
from collections import Counter
from itertools import permutations
from typing import NoReturn

from landbridge.edges.formats.sample import DECIMAL, INTEGER, Sample, integer_rows, rows_of, shown
from landbridge.edges.formats.source import Source
from landbridge.edges.formats.title_line import refuse_title, refuse_title_above_numbers
from landbridge.edges.spelling import spelled

_FEW = 100
"""Lines that choose the delimiter."""

DELIMITERS = ("\t", "|", ";", ",", " ")
"""By preference where none is clean."""

_OTHER_MARKS = ":=/-"
"""Marks that divide columns in some texts, and are parts of names and dates in others: they are proposed, not taken."""

_DOUBLED = (b":", b"|", b";", b",")
"""Marks that divide columns in pairs, as :: does in MovieLens."""

# The delimiter of a suffix, and those it is preferred to.
_BY_SUFFIX = {".tsv": ("\t", "|;, "), ".tab": ("\t", "|;, "), ".csv": (",", "\t| ")}
_STATED = re.compile(rb'[ \t]*"?sep=([!-/:-@\[-`{-~\t ])"?[ \t]*+\r*+(?:\n|\Z)', re.IGNORECASE)
_QUOTED = re.compile(rb'(?<![^\t|;, ])"[^"]*+(?:""[^"]*+)*+"(?![^\t|;, ])')
"""What quotes enclose between any two delimiters."""
_IN_QUOTES = re.compile(rb"[\t|;, ]")
_NUMERIC = re.compile(rb"[\d.,]+")

_Rows = list[list[bytes]]


def stated_delimiter(text: bytes, start: int) -> tuple[str, int]:
    """The delimiter that the line at a byte of a text states, as Excel reads ``sep=;``, and the byte behind that line.

    ("", start) if it states none.
    """
    line = _STATED.match(text, start)
    return ("", start) if line is None else (line[1].decode(), line.end())


def choose_delimiter(sample: Sample, stated: str = "") -> str:
    """The delimiter that cuts the first lines into equally many columns, else that of most lines.

    Among several of the former the suffix or the numbers decide. stated: the one that the line above them states.

    Raises
    ------
    FileFormatError
        If two delimiters are left, or if lines differ in their delimiter.
    """
    if sample.options.delimiter is not None:
        stated_by = spelled(delimiter=sample.options.delimiter)
        return _divides(sample, sample.options.delimiter, stated_by, "")
    if stated:
        return _divides(sample, stated, f"the first line (sep={stated})", f"; {spelled('delimiter')} says which does")
    best, best_score = "", (-1, -1, -1, -1)
    clean: dict[str, _Rows] = {}
    opened = ""
    cuts: set[str] = set()
    for order, delimiter in enumerate(DELIMITERS):
        if delimiter.strip() and delimiter.encode() not in sample.window:
            continue
        lines, bad = rows_of(sample.window, delimiter, sample.comments, _FEW)
        rows = [row[3] for row in lines]
        whole = [row[3] for row in lines if not _cuts_quotes(sample.text_of(row), delimiter, len(row[3]))]
        alike, alike_whole = _most_alike(rows), _most_alike(whole)
        if alike == 0:
            continue
        if bad and delimiter.strip(" ") and alike == len(rows):
            opened = opened or delimiter  # a quote behind it is closed in another line
        if len(whole) < len(lines):
            cuts.add(delimiter)
        if not bad and len({len(row) for row in rows}) == 1:
            clean[delimiter] = rows
        score = (alike_whole, alike, integer_rows(rows), -order)
        if score > best_score:
            best, best_score = delimiter, score
    clean = {d: rows for d, rows in clean.items() if d not in cuts} or clean
    if not clean:
        refuse_title(sample, "".join(d for d in DELIMITERS if d not in cuts))
        _refuse_changes(sample)
    if not sample.options.header:
        refuse_title_above_numbers(sample, "".join(d for d in DELIMITERS if d not in cuts))
    if not clean and best == " " and opened:
        return opened  # the parser reports the quote
    return _one_of(sample, clean) if len(clean) > 1 else next(iter(clean), best)


def other_delimiter(sample: Sample) -> str:
    """What divides lines of one column into two words each, "" where no usual mark does."""
    doubled = doubled_mark(sample)
    if doubled:
        return doubled
    for mark in _OTHER_MARKS:
        pair = re.compile(rb"\w+[ \t]*%b[ \t]*\w+" % re.escape(mark.encode()))
        if all(pair.fullmatch(sample.text_of(row).strip()) for row in sample.rows[:_FEW]):
            return f"{spelled(delimiter=mark)} makes 2"
    return ""


def doubled_mark(sample: Sample) -> str:
    """What takes the first two columns of lines between doubled marks, as in 1::1193::5; "" for other lines."""
    lines = [sample.text_of(row).strip() for row in sample.rows[:_FEW]]
    for mark in _DOUBLED:
        columns = [line.split(mark * 2) for line in lines]
        alike = {len(words) for words in columns}
        if len(alike) == 1 and max(alike) > 1 and all(w and mark not in w for words in columns for w in words):
            two = mark.decode() * 2
            way = spelled(delimiter=two[0], columns=(0, 2))
            return f"{two!r} parts the lines, and {way} takes the first two columns"
    return ""


def _most_alike(rows: _Rows) -> int:
    """How many rows of two columns or more have equally many."""
    return max(Counter(len(row) for row in rows if len(row) > 1).values(), default=0)


def _cuts_quotes(line: bytes, delimiter: str, columns: int) -> bool:
    """Whether a delimiter that parts a line into a number of columns does so between quotes."""
    if b'"' not in line:
        return False
    outside = _QUOTED.sub(lambda quoted: _IN_QUOTES.sub(b"_", quoted[0]), line)
    return columns > (len(outside.split()) if delimiter == " " else outside.count(delimiter.encode()) + 1)


def _divides(sample: Sample, delimiter: str, stated_by: str, way_out: str) -> str:
    """The delimiter. Raises FileFormatError if it divides none of the first lines. stated_by: what says so."""
    rows, _ = rows_of(sample.window, delimiter, sample.comments, _FEW, sample.line)
    if rows and all(len(row) == 1 for *_, row in rows):
        sample.source.fail(
            f"no {delimiter!r} divides this line, though {stated_by} says so{way_out}",
            line=rows[0][0],
            text=shown(sample.text_of(rows[0])),
        )
    if not sample.options.header:
        refuse_title(sample, delimiter)
        refuse_title_above_numbers(sample, delimiter)
    return delimiter


def _refuse_changes(sample: Sample) -> None:
    """Raise FileFormatError for lines of equally many columns between a blank here and a comma or semicolon there."""
    rows, bad = rows_of(sample.window, "", sample.comments, _FEW, sample.line)
    width = len(rows[0][3]) if rows else 0
    if bad or width < 2 or any(len(row) != width for *_, row in rows):
        return
    for delimiter in DELIMITERS:
        cut, _ = rows_of(sample.window, delimiter, sample.comments, _FEW, sample.line)
        other = next((row for row in cut if len(row[3]) != width), None)
        if cut and len(cut[0][3]) == width and other is not None:
            sample.source.fail(
                f"another delimiter than line {cut[0][0]} has, {delimiter!r}: all lines have the same",
                line=other[0],
                text=shown(sample.text_of(other)),
            )


def _one_of(sample: Sample, clean: dict[str, _Rows]) -> str:
    """The delimiter among several of which each cuts all lines into equally many columns."""
    ids = [column for column in sample.options.columns or (0, 1) if isinstance(column, int)]
    clean = {d: rows for d, rows in clean.items() if len(rows[0]) > max(ids, default=0)} or clean
    if " " in clean and "\t" in clean and clean[" "] == clean["\t"]:
        del clean[" "]
    if "," in clean and any(_are_decimals(ids, rows) for d, rows in clean.items() if d.strip(" ,")):
        del clean[","]
    if "," in clean and " " in clean and _hold_decimals(clean[" "]):
        if sample.suffix == ".csv" or not _are_decimals(ids, clean[" "]):
            line, begin, end, _ = rows_of(sample.window, "", sample.comments, 1, sample.line)[0][0]
            _fail(sample.source, [",", " "], line, sample.window[begin:end])
        del clean[","]
    if " " in clean:
        _refuse_mixed_numbers(sample, clean)
    if len(clean) > 1:
        clean = _by_suffix(sample, clean, ids)
    numbers = [d for d, rows in clean.items() if integer_rows(rows[1:] or rows) == len(rows[1:] or rows)]
    explicit = [d for d in clean if d != " "]
    if len(explicit) == 1 and " " in clean and (" " not in numbers or explicit[0] in numbers):
        inside = {tuple(part != b"" for part in w.split(explicit[0].encode())) for row in clean[" "] for w in row}
        if len(inside) > 1 or len(next(iter(inside))) == 1 or not all(next(iter(inside))):
            return explicit[0]
    if len(clean) == 1 or (len(numbers) == 1 and numbers[0] != " "):
        return numbers[0] if numbers else next(iter(clean))
    line, begin, end, _ = rows_of(sample.window, "", sample.comments, 1, sample.line)[0][0]
    return _fail(sample.source, list(clean), line, sample.window[begin:end])


def _by_suffix(sample: Sample, clean: dict[str, _Rows], ids: list[int]) -> dict[str, _Rows]:
    """The delimiters among several that the suffix and the ids between them leave.

    No id has a tab. Where the suffix decides, a bar in one of the ids and not as often in the other may also be the
    delimiter.
    """
    explicit = [delimiter for delimiter in clean if delimiter != " "]
    for tab, other in permutations(explicit, 2):
        if tab == "\t" and not _are_in(other, clean[tab], ids) and _are_in(tab, clean[other], ids):
            clean = {delimiter: rows for delimiter, rows in clean.items() if delimiter != other}
    by_suffix, lesser = _BY_SUFFIX.get(sample.suffix, ("", ""))
    if by_suffix not in clean:
        return clean
    if by_suffix != "\t":
        lesser = "".join(d for d in lesser if d == " " or not _may_divide(d, clean[by_suffix], ids))
    return {delimiter: rows for delimiter, rows in clean.items() if delimiter not in lesser}


def _are_in(delimiter: str, rows: _Rows, ids: list[int]) -> bool:
    """Whether a delimiter is in the ids of rows."""
    return any(delimiter.encode() in row[column] for row in rows for column in ids if column < len(row))


def _may_divide(delimiter: str, rows: _Rows, ids: list[int]) -> bool:
    """Whether a delimiter is a tab in the ids of rows, or in one of them and not as often in the other."""
    if delimiter == "\t":
        return _are_in(delimiter, rows, ids)
    character = delimiter.encode()
    return any(len({row[column].count(character) for column in ids if column < len(row)}) > 1 for row in rows)


def _refuse_mixed_numbers(sample: Sample, clean: dict[str, _Rows]) -> None:
    """Raise FileFormatError for whole numbers between blanks here and another delimiter there, as in "1,5 2".

    Numbers with blanks in both columns, as of telephones, are names.
    """
    for delimiter, rows in clean.items():
        counts = {tuple(len(word.split()) for word in row[:2]) for row in rows}
        if delimiter == " " or len(counts) != 1 or min(one := next(iter(counts))) != 1 or max(one) == 1:
            continue
        if all(INTEGER.fullmatch(number) for row in rows for word in row[:2] for number in word.split()):
            line, begin, end, _ = rows_of(sample.window, "", sample.comments, 1, sample.line)[0][0]
            _fail(sample.source, [delimiter, " "], line, sample.window[begin:end])


def _are_decimals(ids: list[int], rows: _Rows) -> bool:
    """Whether commas occur only in numbers of columns that hold no ids."""
    return all(
        b"," not in word or (DECIMAL.fullmatch(word) and j not in ids) for row in rows for j, word in enumerate(row)
    )


def _hold_decimals(rows: _Rows) -> bool:
    """Whether commas of rows between blanks occur within decimal numbers alone, and some words are no numbers, as in
    "ann bob 2,25". Of numbers alone a comma may be the delimiter, and behind "1:" it divides neighbours."""
    words = [word for row in rows for word in row]
    is_numeric = all(map(_NUMERIC.fullmatch, words)) or words[0].endswith(b":")
    return not is_numeric and _are_decimals([], rows)


def _fail(source: Source, delimiters: list[str], line: int, text: bytes) -> NoReturn:
    first, second = delimiters[:2]
    source.fail(
        f"{first!r} and {second!r} both part the lines into columns: say {spelled(delimiter=first)} or "
        f"{spelled(delimiter=second)}",
        line=line,
        text=shown(text),
    )
