"""Lines above the columns of a text that are a title, as of a report."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile
from typing import Any

from landbridge.edges.formats.sample import Sample, rows_of, shown
from landbridge.errors import InputError

_FEW = 100
"""Lines that are looked at."""
_MOST_TITLES = 10
"""Lines of a title."""
_LETTER = re.compile(rb"[^\W\d_]|[\x80-\xff]")


def refuse_title(sample: Sample, delimiters: str) -> None:
    """Raise FileFormatError for first lines of one column in words, if a delimiter parts all below them alike."""
    for delimiter in delimiters:
        if not delimiter.strip(" ") or delimiter.encode() not in sample.window:
            continue
        rows, bad = rows_of(sample.window, delimiter, sample.comments, _FEW, sample.line)
        titles = sum(1 for _ in takewhile(lambda row: len(row[3]) == 1, rows))
        widths = {len(row[3]) for row in rows[titles:]}
        if bad or len(widths) != 1 or len(rows) < titles + 2 or not 0 < titles <= _MOST_TITLES:
            continue
        if all(_LETTER.search(row[3][0]) for row in rows[:titles]):
            first, last = rows[0][0], rows[titles - 1][0]
            these = "this line" if titles == 1 else f"lines {first} to {last}"
            sample.source.fail(
                f"it may be a title: {delimiter!r} parts the lines from line {rows[titles][0]} on into "
                f"{min(widths)} columns; leave {these} out",
                line=first,
                text=shown(sample.text_of(rows[0])),
            )


def refuse_title_as_header(sample: Sample, verdict: Callable[[Sample], Any]) -> None:
    """Raise FileFormatError for a title that the caller calls the header, if the line below it looks like one.

    verdict: says of a sample whether its first row is a header, or raises InputError.
    """
    line, _, end, row = sample.rows[0]
    if len(row) > 1:
        return
    below = replace(sample, window=sample.window[end:].lstrip(b"\r")[1:], line=line + 1)
    below.options = replace(sample.options, header=None)
    below.cut(sample.delimiter)
    try:
        may_be_header = not below.rows or verdict(below).is_header
    except InputError:
        may_be_header = True
    if may_be_header:
        refuse_title(sample, sample.delimiter)
