"""Comments of a text that could be its edges, or name its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from landbridge.edges.formats.sample import Sample, rows_of, shown, words_of
from landbridge.edges.formats.source import Bytes
from landbridge.edges.spelling import spelled

__all__ = ["Commented", "comment_hint", "comment_or_edge", "commented_edge", "commented_row"]

# A comment without a blank behind its character that looks like two ids: #a,b or #a #b.
_COMMENTED = re.compile(
    rb"^[ \t]*([#%])(?!\1)[^\s,;|]+([ ]*[\t,;|][ ]*[^\s,;|]+)+[ \t]*\r*$|"
    rb"^[ \t]*([#%])(?!\3)\S+[ \t]+\3\S+([ \t]+\S+)*?[ \t]*\r*$",
    re.MULTILINE,
)
# A line that only its first column, of one character, makes a comment: #,src,dst above the numbers of rows.
_NUMBER_SIGN = re.compile(rb"^[ \t]*([#%])(?:[ ]*[\t,;|][ ]*[^\s,;|]+)+[ \t]*\r*$", re.MULTILINE)
_COMMENT = re.compile(rb"[ \t]*[#%][^\n]*")
_BEGINS = np.frombuffer(b" \t#%", np.uint8)
"""What lines of comments begin with."""
_BLOCK = 1 << 20
"""Bytes in which line ends are searched for at a time."""
_WINDOW = 1 << 20
"""First bytes of a text that are searched for comments that could be edges."""


class Commented(NamedTuple):
    """A comment that could be an edge: its character, its text, and how many lines are before it."""

    character: str
    text: bytes
    before: int


def commented_edge(text: bytes) -> Commented | None:
    """The first comment of a text that could be an edge."""
    match = _COMMENTED.search(text)
    return None if match is None else _commented(match, text)


def comment_or_edge(character: str) -> str:
    """The problem of a comment that could be an edge."""
    return (
        f"a comment or an edge? {spelled(comment=character)} says that such lines are comments, {spelled(comment='')} "
        "that ids begin so"
    )


def commented_row(
    data: Bytes, begin: int, delimiter: str, fields: int, columns: tuple[int, int]
) -> tuple[int, bytes] | None:
    """The first comment from a byte on that has the columns of a row of names, and no empty one where ids are.

    Its place and its line. A blank may be behind its character: "# 12 Main St,bob". O(bytes), little for most lines.
    """
    for place in _places_of_comments(data):
        match = _COMMENT.match(data.data, place) if place >= begin else None
        words = [] if match is None else words_of(match[0], delimiter)
        if match is not None and len(words) == fields and all(words[column].strip() for column in columns):
            return place, match[0].strip()
    return None


def _places_of_comments(data: Bytes) -> Iterator[int]:
    """Where lines begin that may be comments by their first byte."""
    yield 0
    for begin in range(0, len(data), _BLOCK):
        places = begin + 1 + np.flatnonzero(data[begin : begin + _BLOCK] == ord("\n"))
        places = places[places < len(data)]
        yield from places[np.isin(data[places], _BEGINS)].tolist()


def _commented(match: re.Match[bytes], text: bytes) -> Commented:
    line = match[0].strip()
    return Commented(shown(line[:1]), line, text[: match.start()].count(b"\n"))


def comment_hint(sample: Sample, *, may_name_columns: bool = False) -> str:
    """What else has to be said of a text that has a comment like its edges, for messages; "" for any other.

    may_name_columns: whether one above the edges could be their header.
    """
    options = sample.options
    if options.comment is not None or options.ids not in ("auto", "names"):
        return ""
    text = sample.source.peek(_WINDOW)
    matches = [pattern.search(text) for pattern in (_COMMENTED, _NUMBER_SIGN)]
    some = [_commented(match, text) for match in matches if match is not None]
    other = next((comment for comment in some if _has_columns(sample, comment.text)), None)
    if other is None:
        return ""
    line, no_comments, comments = other.before + 1, spelled(comment=""), spelled(comment=other.character)
    if may_name_columns and line < sample.rows[0][0]:
        return (
            f"; or {no_comments} alone if line {line} names the columns, and {comments} with these if that is a comment"
        )
    return f"; and {no_comments} if ids begin as line {line} does, {comments} if that is a comment"


def _has_columns(sample: Sample, text: bytes) -> bool:
    """Whether a comment has as many columns as the first row."""
    rows, _ = rows_of(text, sample.delimiter, "", 1)
    return len(rows) == 1 and len(rows[0][3]) == len(sample.rows[0][3])
