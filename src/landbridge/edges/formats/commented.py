"""Comments of a text that could be its edges, or name its columns."""

from __future__ import annotations

import re
from typing import NamedTuple

from landbridge.edges.formats.sample import Sample, rows_of, shown

__all__ = ["Commented", "comment_hint", "commented_edge"]

# A comment without a blank behind its character that looks like two ids: #a,b or #a #b.
_COMMENTED = re.compile(
    rb"^[ \t]*([#%])(?!\1)[^\s,;|]+([ ]*[\t,;|][ ]*[^\s,;|]+)+[ \t]*\r*$|"
    rb"^[ \t]*([#%])(?!\3)\S+[ \t]+\3\S+([ \t]+\S+)*?[ \t]*\r*$",
    re.MULTILINE,
)
# A line that only its first column, of one character, makes a comment: #,src,dst above the numbers of rows.
_NUMBER_SIGN = re.compile(rb"^[ \t]*([#%])(?:[ ]*[\t,;|][ ]*[^\s,;|]+)+[ \t]*\r*$", re.MULTILINE)
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
    line = other.before + 1
    if may_name_columns and line < sample.rows[0][0]:
        return (
            f"; or comment='' (--comment '') alone if line {line} names the columns, and comment='{other.character}' "
            "with these if that is a comment"
        )
    return (
        f"; and comment='' (--comment '') if ids begin as line {line} does, comment='{other.character}' if that is a "
        "comment"
    )


def _has_columns(sample: Sample, text: bytes) -> bool:
    """Whether a comment has as many columns as the first row."""
    rows, _ = rows_of(text, sample.delimiter, "", 1)
    return len(rows) == 1 and len(rows[0][3]) == len(sample.rows[0][3])
