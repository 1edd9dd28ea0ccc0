"""What the vertices of a graph are. Imports no NumPy, so that commands without arrays start quickly."""

from __future__ import annotations

from typing import Any, Literal

IdKind = Literal["dense", "sparse", "names"]
"""What the vertices of a graph are, 0..n-1, the whole numbers that occur, or the texts (or objects) that occur."""


def kind_of_ids(ids: Any) -> IdKind:
    """The kind of the vertices of which `ids` is the array of original ids, None where there is none."""
    if ids is None:
        return "dense"
    return "sparse" if ids.dtype.kind in "iu" else "names"
