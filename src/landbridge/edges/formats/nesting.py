"""The depth of nesting of JSON. Arrow's parser recurses per level, and thousands of levels overflow the stack."""

from __future__ import annotations

import numpy as np

from landbridge.edges.formats.compression import BLOCK
from landbridge.edges.formats.source import Bytes

MOST_NESTED = 100

_STEP = np.zeros(256, np.int8)
_STEP[list(b"{[")] = 1
_STEP[list(b"}]")] = -1


def is_deep(data: Bytes) -> bool:
    """Whether objects and lists are nested more than `MOST_NESTED` deep. O(n), mostly by counting bytes."""
    return _excess(data) > MOST_NESTED and _deepest(data) > MOST_NESTED


def _excess(data: Bytes) -> int:
    """An upper bound of the depth less one: opening brackets, but for those that begin a line behind a closing bracket.

    An object that begins like that is not inside another one, since a comma would be between them.
    """
    opening = 0
    for start in range(0, len(data), BLOCK):
        block = data[start : start + BLOCK].tobytes()
        opening += block.count(b"{") + block.count(b"[")
        for end in (b"}\n{", b"}\r\n{"):
            before = data[max(0, start - len(end) + 1) : start].tobytes()
            opening -= (before + block).count(end)
    return opening


def _deepest(data: Bytes) -> int:
    depth = deepest = start = 0
    inside = False  # a string
    while start < len(data):
        end = min(start + (BLOCK >> 2), len(data))
        while end < len(data) and data[end - 1] == ord("\\"):
            end += 1
        block = data[start:end].tobytes().replace(b"\\\\", b"__").replace(b'\\"', b"__")
        part = np.frombuffer(block, np.uint8)
        quotes = np.cumsum(part == ord('"'), dtype=np.uint8) + np.uint8(inside)
        steps = np.where(quotes & 1, 0, _STEP[part])
        depths = np.cumsum(steps, dtype=np.int64) + depth
        deepest = max(deepest, int(depths.max()))
        depth, inside, start = int(depths[-1]), bool(quotes[-1] & 1), end
    return deepest
