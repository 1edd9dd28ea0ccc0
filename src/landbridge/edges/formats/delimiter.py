"""The delimiter of a text of edges, chosen by its first lines."""

from __future__ import annotations

import re
from collections import Counter
from typing import NoReturn

from landbridge.edges.formats.sample import INTEGER, Sample, integer_rows, rows_of, shown
from landbridge.edges.formats.source import Source

_FEW = 100
"""Lines that choose the delimiter."""

# By preference where none is clean.
_DELIMITERS = ("\t", "|", ";", ",", " ")
# The delimiter of a suffix, and those it is preferred to.
_BY_SUFFIX = {".tsv": ("\t", "|;, "), ".tab": ("\t", "|;, "), ".csv": (",", "\t| ")}
_DECIMAL = re.compile(rb"[+-]?\d+,\d+")


def choose_delimiter(sample: Sample) -> str:
    """The delimiter that cuts the first lines into equally many columns, else that of most lines.

    Among several of the former the suffix or the numbers decide.

    Raises
    ------
    FileFormatError
        If two delimiters are left, or if lines differ in their delimiter.
    """
    if sample.options.delimiter is not None:
        _refuse_undivided(sample, sample.options.delimiter)
        return sample.options.delimiter
    best, best_score = "", (-1, -1, -1)
    clean: dict[str, list[list[bytes]]] = {}
    for order, delimiter in enumerate(_DELIMITERS):
        if delimiter.strip() and delimiter.encode() not in sample.window:
            continue
        lines, bad = rows_of(sample.window, delimiter, sample.comments, _FEW)
        rows = [row[3] for row in lines]
        widths = Counter(len(row) for row in rows if len(row) > 1)
        alike = max(widths.values(), default=0)
        if alike == 0:
            continue
        if alike == len(rows) and not bad:
            clean[delimiter] = rows
        score = (alike, integer_rows(rows), -order)
        if score > best_score:
            best, best_score = delimiter, score
    if not clean:
        _refuse_changes(sample)
    return _one_of(sample, clean) if len(clean) > 1 else next(iter(clean), best)


def _refuse_undivided(sample: Sample, delimiter: str) -> None:
    """Raise FileFormatError if the delimiter that the caller gives divides none of the first lines."""
    rows, _ = rows_of(sample.window, delimiter, sample.comments, _FEW, sample.line)
    if rows and all(len(row) == 1 for *_, row in rows):
        sample.source.fail(
            f"no {delimiter!r} divides this line, though delimiter={delimiter!r} (--delimiter) says so",
            line=rows[0][0],
            text=shown(sample.text_of(rows[0])),
        )


def _refuse_changes(sample: Sample) -> None:
    """Raise FileFormatError for lines of equally many columns between a blank here and a comma or semicolon there."""
    rows, bad = rows_of(sample.window, "", sample.comments, _FEW, sample.line)
    width = len(rows[0][3]) if rows else 0
    if bad or width < 2 or any(len(row) != width for *_, row in rows):
        return
    for delimiter in _DELIMITERS:
        cut, _ = rows_of(sample.window, delimiter, sample.comments, _FEW, sample.line)
        other = next((row for row in cut if len(row[3]) != width), None)
        if cut and len(cut[0][3]) == width and other is not None:
            sample.source.fail(
                f"another delimiter than line {cut[0][0]} has, {delimiter!r}: all lines have the same",
                line=other[0],
                text=shown(sample.text_of(other)),
            )


def _one_of(sample: Sample, clean: dict[str, list[list[bytes]]]) -> str:
    """The delimiter among several of which each cuts all lines into equally many columns."""
    if " " in clean:
        _refuse_mixed_numbers(sample, clean)
    by_suffix, lesser = _BY_SUFFIX.get(sample.suffix, ("", ""))
    if by_suffix in clean:
        clean = {delimiter: rows for delimiter, rows in clean.items() if delimiter not in lesser}
    if "," in clean and ";" in clean and _are_decimals(sample, clean[";"]):
        del clean[","]
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


def _refuse_mixed_numbers(sample: Sample, clean: dict[str, list[list[bytes]]]) -> None:
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


def _are_decimals(sample: Sample, rows: list[list[bytes]]) -> bool:
    """Whether commas occur only in numbers of columns that hold no ids."""
    ids = [c for c in sample.options.columns or (0, 1) if isinstance(c, int)]
    return all(
        b"," not in word or (_DECIMAL.fullmatch(word) and j not in ids) for row in rows for j, word in enumerate(row)
    )


def _fail(source: Source, delimiters: list[str], line: int, text: bytes) -> NoReturn:
    first, second = delimiters[:2]
    source.fail(
        f"{first!r} and {second!r} both part the lines into columns: say delimiter={first!r} or delimiter={second!r} "
        "(--delimiter on the command line)",
        line=line,
        text=shown(text),
    )
