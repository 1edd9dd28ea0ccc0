"""Pictures of results; the same results give the same file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def save_picture(path: Path, rows: int | None = None, *, figsize: tuple[float, float]) -> Iterator[tuple[Any, Any]]:
    """Give a figure and its axes (an array of `rows` of them if named) to draw on, then write `path` as SVG."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    mpl.rcParams["svg.hashsalt"] = "landbridge"
    if rows is None:
        figure, axes = pyplot.subplots(figsize=figsize, layout="constrained")
    else:
        figure, axes = pyplot.subplots(rows, figsize=figsize, layout="constrained", squeeze=False)
        axes = axes[:, 0]
    yield figure, axes
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
