"""The zoo as a picture: structures downwards, forms and orders of ids to the right, a colour for each cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pictures import save_picture
from benchmarks.records import Record, grouped
from benchmarks.zoo.cells import EDGE_ORDERS, FORMS
from benchmarks.zoo.orders import ORDERS
from benchmarks.zoo.results import CellResult, cliffs, results_of
from benchmarks.zoo.structures import STRUCTURES, UNIONS

Value = Callable[[CellResult], float]
LIMIT = 4.0
"""A cell above it has its number printed."""


def sorted_by(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """Names in a known order, the others behind them."""
    places = {name: place for place, name in enumerate(known)}
    return sorted(set(names), key=lambda name: (places.get(name, len(places)), name))


def panels(records: Sequence[Record]) -> list[tuple[str, list[CellResult]]]:
    """Cells of each device and size, with a title."""
    found_at = grouped(records, lambda record: str(record["device"]))
    out = []
    for device, group in sorted(found_at.items()):
        results = results_of(group)
        for size in sorted({result.family[1] for result in results}, key=float):
            of_size = [result for result in results if result.family[1] == size]
            out.append((f"{device}: {float(size):,.0f} edges, {len(of_size)} cells", of_size))
    return out


def draw_cliffs(records: Sequence[Record], path: Path) -> None:
    """Nanoseconds an edge or vertex over the median cell of the same form and size."""
    cliff = {id(panel): cliffs(results) for _, results in (parts := panels(records)) for panel in (results,)}
    draw(parts, path, lambda result: next(c[result.name] for c in cliff.values() if result.name in c), 1 / 8, 8)


def draw_over_best(records: Sequence[Record], path: Path) -> None:
    """Time of auto over that of the fastest plan of the screen."""
    draw(panels(records), path, lambda result: result.over_best, 1 / 2, 2)
