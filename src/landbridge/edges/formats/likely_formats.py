"""What a text may be whose lines differ in columns, for messages: the formats that are like lists of edges."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from landbridge.edges.formats.sample import INTEGER, Row, Sample
from landbridge.edges.spelling import spelled

__all__ = ["counts_rows", "jlg_hint", "likely_format", "lost_column_hint", "row_count_hint", "rule_hint"]

_TWO_BLANKS = re.compile(rb"\S[ \t]([ \t]|\r*\Z)")
_LOST = (
    "several blanks in a row part two columns, so an empty one between them or at the end is lost: write it as two "
    "quotes, or the file with another delimiter"
)
_RULE = re.compile(rb"[ \t|+]*[-=]{2}[-=+| \t]*\r*")
_JLG = re.compile(rb"\d+,\d+,[ud],graph")
_ROWS = rb"(\d+)[ \t]+(?:rows?|row\(s\))(?:[ \t]+(?:affected|selected|returned))?"
_IN_BRACKETS = re.compile(rb"[ \t]*\(%b\)[ \t]*\r*" % _ROWS)
_BARE = re.compile(rb"[ \t]*(?:%b\.?|SELECT[ \t]+(\d+))[ \t]*\r*" % _ROWS)


def jlg_hint(sample: Sample) -> str:
    """What reads a .jlg file, whose vertices count from one; "" for any other text."""
    first, *below = [row for *_, row in sample.rows]
    numbers = sample.options.ids in ("auto", "dense") and all(
        INTEGER.fullmatch(word) for row in below for word in row[:2]
    )
    is_jlg = numbers and _JLG.fullmatch(b",".join(first)) is not None
    return f"it looks like a .jlg file: {spelled(header=True, base=1)} reads it" if is_jlg else ""


def rule_hint(row: Row, text: bytes) -> str:
    """What is to be done with a row that is a rule of dashes, as databases write below a header; "" for any other."""
    return "it is a rule: leave such lines out" if len(row[3]) == 1 and _RULE.fullmatch(text) else ""


def counts_rows(line: bytes, rows: range) -> bool:
    """Whether a line counts the rows above it, as programs of databases end a table: (2 rows), and 2 rows if the number
    is one of those that may be above it."""
    if _IN_BRACKETS.fullmatch(line):
        return True
    match = _BARE.fullmatch(line)
    return match is not None and match[match.lastindex or 0] in [b"%d" % number for number in rows]


def row_count_hint(line: bytes) -> str:
    """What is to be done with a line that counts rows in brackets; "" for any other."""
    return "it counts the rows above it: leave such lines out" if _IN_BRACKETS.fullmatch(line) else ""


def likely_format(rows: list[list[bytes]]) -> str:
    """What reads rows that differ in columns; "" for a table of which one line is wrong."""
    integers = all(all(map(INTEGER.fullmatch, row)) for row in rows)
    if integers and 2 <= len(rows[0]) <= 4 and _is_metis(rows):
        return f"it looks like a METIS file: {spelled(format='metis')} reads it"
    widths = Counter(map(len, rows))
    if widths[len(rows[0])] > len(rows) // 2 and len(rows[0]) > 1:
        return ""  # a table, and a line of it is wrong
    adjacency = "an adjacency list, whose lines are a vertex and its neighbours: networkx.read_adjlist reads it"
    if integers:
        return f"it looks like {adjacency}"
    ways = f"unless {spelled('delimiter')} and {spelled('comment')} say how it is written"
    return f"it is no list of edges, {ways}; perhaps {adjacency}"


def _is_metis(rows: Sequence[Sequence[bytes]]) -> bool:
    most = int(rows[0][0]) if len(rows[0][0]) < 20 else 0
    return all(len(word) < 20 and 1 <= int(word) <= most for row in rows[1:] for word in row)


def lost_column_hint(sample: Sample) -> str:
    """What is to be done where rows between blanks differ in columns as one is empty: a short row has two blanks in a
    row, or a last one, and the longest has none; "" elsewhere."""
    if sample.delimiter != " ":
        return ""
    longest = max(sample.rows, key=lambda row: len(row[3]))
    short = (row for row in sample.rows if len(row[3]) < len(longest[3]))
    is_lost = not _has_two_blanks(sample, longest) and any(_has_two_blanks(sample, row) for row in short)
    return _LOST if is_lost else ""


def _has_two_blanks(sample: Sample, row: Row) -> bool:
    return _TWO_BLANKS.search(sample.text_of(row)) is not None
