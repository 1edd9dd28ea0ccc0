"""Where the lines of a text begin."""

from __future__ import annotations

import numpy as np

from landbridge.edges.formats.source import Bytes

_BLOCK = 1 << 20
"""Bytes in which line ends are counted at a time."""
LONGEST = 1 << 20
"""Bytes of a line that are looked at."""


def begin_of_line(data: Bytes, before: int) -> int:
    """The first byte of a line. before: how many lines are before it."""
    for begin in range(0, len(data), _BLOCK):
        if before == 0:
            return begin
        is_end = data[begin : begin + _BLOCK] == ord("\n")
        count = int(np.count_nonzero(is_end))
        if before <= count:
            return begin + int(np.flatnonzero(is_end)[before - 1]) + 1
        before -= count
    return len(data)


def lines_before(data: Bytes, place: int) -> int:
    """How many lines end before a byte."""
    blocks = (data[begin : min(place, begin + _BLOCK)] for begin in range(0, place, _BLOCK))
    return sum(int(np.count_nonzero(block == ord("\n"))) for block in blocks)


def line_of(data: Bytes, before: int) -> bytes:
    """The first bytes of a line, at most `LONGEST` of them. before: how many lines are before it."""
    begin = begin_of_line(data, before)
    return bytes(data.data[begin : begin + LONGEST]).partition(b"\n")[0]
