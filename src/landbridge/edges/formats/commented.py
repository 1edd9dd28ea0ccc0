"""Comments of a text that could be its edges, or name its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from landbridge.edges.formats.sample import Sample, rows_of, shown, words_of
from landbridge.edges.formats.source import Bytes
from landbridge.edges.options import Options
from landbridge.edges.spelling import spelled

__all__ = [
    "Commented", "comment_hint", "comment_or_edge", "commented_edge", "commented_row", "last_comment", "names_way",
    "words_of_comment",
]  # fmt: skip

# A comment without a blank behind its character that looks like two ids: #a,b or #a #b.
_COMMENTED = re.compile(
    rb"^[ \t]*([#%])(?!\1)[^\s,;|]+([ ]*[\t,;|][ ]*[^\s,;|]+)+[ \t]*\r*$|"
    rb"^[ \t]*([#%])(?!\3)\S+[ \t]+\3\S+([ \t]+\S+)*?[ \t]*\r*$",
    re.MULTILINE,
)
# A line that only its first column, of one character, makes a comment: #,src,dst above the numbers of rows.
_NUMBER_SIGN = re.compile(rb"^[ \t]*([#%])(?:[ ]*[\t,;|][ ]*[^\s,;|]+)+[ \t]*\r*$", re.MULTILINE)
_PLAIN = re.compile(rb"^[ \t]*([#%])\1*(?:[ \t]|\r?$)", re.MULTILINE)
"""What a comment that is no edge begins with, where those that could be edges have no blank there."""
_COMMENT = re.compile(rb"[ \t]*[#%][^\n]*")
_BEGINS = np.frombuffer(b" \t#%", np.uint8)
"""What lines of comments begin with."""
_BLOCK = 1 << 20
"""Bytes in which line ends are searched for at a time."""
_WINDOW = 1 << 20
"""First bytes of a text that are searched for comments that could be edges."""
_FEW = 1 << 16
"""Those of lines of numbers, an error of which is not to take the time of reading them."""


class Commented(NamedTuple):
    """A comment that could be an edge: its character, its text, and how many lines are before it."""

    character: str
    text: bytes
    before: int


def commented_edge(text: bytes) -> Commented | None:
    """The first comment of a text that could be an edge."""
    match = _COMMENTED.search(text)
    return None if match is None else _commented(match, text)


def comment_or_edge(line: str, text: Bytes | bytes, first_line: int) -> str:
    """The problem of a comment that could be an edge. text: the text around it, from a line of this number on.

    Ids that begin so leave no way to say which lines are comments: those that are none have to be left out.
    """
    head, left_out = bytes(text[:_WINDOW]), ""
    plain = None if line[1:2].isspace() else _PLAIN.search(head)
    if plain is not None:
        left_out = f", without lines such as line {head[: plain.start()].count(10) + first_line}"
    return (
        f"a comment or an edge? {spelled(comment=line[:1])} says that such lines are comments, {spelled(comment='')} "
        f"that ids begin so{left_out}"
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


def last_comment(above: bytes, comments: str) -> bytes:
    """The last line with anything on it of the text above the first row, a comment; b"" for none."""
    lines = above.rstrip()
    line = lines[lines.rfind(b"\n") + 1 :].strip()
    return line if line[:1] and line[:1] in comments.encode() else b""


def words_of_comment(sample: Sample) -> list[bytes]:
    """The columns of the comment above the first row without its mark: none of "#" in #,id1,id2."""
    comment = sample.above
    return words_of(comment.lstrip(comment[:1]).lstrip(b" \t" if sample.delimiter == " " else b" "), sample.delimiter)


def comment_hint(sample: Sample, *, may_name_columns: bool = False, ids: tuple[int, int] | None = None) -> str:
    """What else has to be said of a text that has a comment like its edges, for messages; "" for any other.

    may_name_columns: whether one above the edges could be their header. ids: two columns that a comment like an edge
    has, where its words need not be like ids.
    """
    text, columns = sample.source.peek(_WINDOW), len(sample.rows[0][3])
    if not _are_asked_about(sample.options) or (other := _like_edges(text, sample.delimiter, columns, ids)) is None:
        return ""
    if may_name_columns and other.before + 1 < sample.rows[0][0]:
        return (
            f"; or {spelled(comment='')} alone if line {other.before + 1} names the columns, and "
            f"{spelled(comment=other.character)} with these if that is a comment"
        )
    return _and_comments(other, 1)


def names_way(data: Bytes, options: Options, grammar: dict[str, Any]) -> tuple[str, str]:
    """What takes words of lines of numbers, for messages: as names; and what follows of comments that could be edges.

    Of three columns and more these two are named, too, as names that are chosen are no fractions. grammar: of the core.
    """
    fields, ids = grammar["fields"], (grammar["first"], grammar["second"])
    matters = _are_asked_about(options)
    other = _like_edges(bytes(data[:_FEW].data), grammar["delimiter"], fields, ids) if matters else None
    comments = "" if other is None else _and_comments(other, grammar["first_line"])
    pair = {"columns": ids} if fields > 2 and options.columns is None else {}
    return options.spelled(ids="names", **pair), comments


def _are_asked_about(options: Options) -> bool:
    """Whether comments could be edges, as far as a caller says."""
    return options.comment is None and options.ids in ("auto", "names")


def _and_comments(other: Commented, first_line: int) -> str:
    """What has to be said beside other options. first_line: the number of the first line of the text."""
    line = other.before + first_line
    return (
        f"; and {spelled(comment='')} if ids begin as line {line} does, {spelled(comment=other.character)} if that is "
        "a comment"
    )


def _like_edges(text: bytes, delimiter: str, columns: int, ids: tuple[int, int] | None) -> Commented | None:
    """The first comment that has as many columns as other rows, and words like ids; else, with `ids`, any words in
    these two."""
    matches = [pattern.search(text) for pattern in (_COMMENTED, _NUMBER_SIGN)]
    some = [_commented(match, text) for match in matches if match is not None]
    other = next((comment for comment in some if _has_columns(comment.text, delimiter, columns)), None)
    if other is not None or ids is None:
        return other
    row = commented_row(np.frombuffer(text, np.uint8), 0, delimiter, columns, ids)
    return None if row is None else Commented(shown(row[1][:1]), row[1], text[: row[0]].count(b"\n"))


def _has_columns(text: bytes, delimiter: str, columns: int) -> bool:
    """Whether a comment has as many columns as other rows."""
    rows, _ = rows_of(text, delimiter, "", 1)
    return len(rows) == 1 and len(rows[0][3]) == columns
