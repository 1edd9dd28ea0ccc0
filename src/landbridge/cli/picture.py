"""A picture of component sizes, written as SVG: how many components of each size, both axes logarithmic."""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH, HEIGHT = 960, 560
LEFT, RIGHT, TOP, BOTTOM = 84, 32, 108, 76
INK, QUIET, GRID, PAPER, BAR, GIANT = "#1f2933", "#6b7785", "#e6e9ee", "#ffffff", "#2f6fb0", "#d9622b"
FONT = "font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\""
STEPS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"


def sizes_picture(sizes: NDArray[Any], title: str, subtitle: str) -> str:
    """The SVG text of the histogram of component sizes.

    sizes: shape (k,), the number of vertices of each component, each at least 1. Sizes are grouped by powers
    of two, [1, 1], [2, 3], [4, 7] and so on; the group of the largest component is highlighted. O(k).
    """
    exponents = np.frexp(np.asarray(sizes, dtype=np.float64))[1] - 1
    counts = np.bincount(exponents) if len(sizes) else np.zeros(1, dtype=np.int64)
    last = len(counts) - 1
    decades = max(1, math.ceil(math.log10(max(2, int(counts.max()) + 1))))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" {FONT}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
        _text(LEFT, 44, title, 22, INK, weight=600),
        _text(LEFT, 72, subtitle, 14, QUIET),
    ]
    for decade in range(decades + 1):
        y = _y(10.0**decade, decades)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{GRID}"/>')
        parts.append(_text(LEFT - 12, y + 5, _power(decade), 13, QUIET, anchor="end"))
    slot = (WIDTH - LEFT - RIGHT) / (last + 1)
    every = max(1, math.ceil((last + 1) / 14))
    for exponent, count in enumerate(counts.tolist()):
        x = LEFT + slot * exponent
        low, high = 2**exponent, 2 ** (exponent + 1) - 1
        if exponent % every == 0:
            parts.append(
                _text(
                    x + slot / 2,
                    HEIGHT - BOTTOM + 24,
                    str(low) if low < 10_000 else _short(low),
                    13,
                    QUIET,
                    anchor="middle",
                )
            )
        if count == 0:
            continue
        y = _y(count, decades)
        span = f"{low:,} vertex" if high == 1 else f"{low:,} to {high:,} vertices"
        noun = "component" if count == 1 else "components"
        parts.append(
            f'<rect x="{x + slot * 0.1:.1f}" y="{y:.1f}" width="{slot * 0.8:.1f}" '
            f'height="{HEIGHT - BOTTOM - y:.1f}" rx="3" fill="{GIANT if exponent == last else BAR}">'
            f"<title>{count:,} {noun} of {span}</title></rect>"
        )
        if slot >= 34 or exponent in (0, last):
            parts.append(_text(x + slot / 2, y - 7, _short(count), 12, INK, anchor="middle"))
    bottom = HEIGHT - BOTTOM
    parts.append(f'<line x1="{LEFT}" y1="{bottom}" x2="{WIDTH - RIGHT}" y2="{bottom}" stroke="{QUIET}"/>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(_text(middle, HEIGHT - 22, "vertices in the component (from, doubling)", 14, INK, anchor="middle"))
    parts.append(
        f'<text transform="translate(26 {(TOP + bottom) / 2:.0f}) rotate(-90)" font-size="14" fill="{INK}" '
        'text-anchor="middle">number of components</text>'
    )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _y(count: float, decades: int) -> float:
    """The height of a count: a bar of one component is a little above the axis, so that it is visible."""
    floor = 0.045
    share = floor + (1 - floor) * math.log10(count) / decades
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _text(x: float, y: float, text: str, size: int, fill: str, *, anchor: str = "start", weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )


def _power(exponent: int) -> str:
    return str(10**exponent) if exponent < 3 else "10" + "".join(STEPS[int(d)] for d in str(exponent))


def _short(value: int) -> str:
    """A count in at most four characters or so: 950, 1.0k, 32k, 4.2M."""
    for unit, name in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= unit:
            scaled = value / unit
            return f"{scaled:.1f}{name}" if scaled < 9.95 else f"{scaled:.0f}{name}"
    return str(value)
