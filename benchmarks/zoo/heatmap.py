"""The zoo as a picture: structures downwards, forms and orders of ids to the right, a colour for each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pictures import save_picture
from benchmarks.records import Record, grouped
from benchmarks.zoo.cells import FORMS, cell
from benchmarks.zoo.orders import ORDERS
from benchmarks.zoo.results import CellResult, cliffs, results_of
from benchmarks.zoo.structures import STRUCTURES, UNIONS

LIMIT = 4.0
"""Times the median from which on a cell has its number printed."""
STEPS = 3.0
"""The colours end at two to this power, below and above the median."""


def ranked(names: set[str], known: Sequence[str]) -> list[str]:
    """Names in the known order, the others behind them."""
    return [name for name in known if name in names] + sorted(names - set(known))


def panels(records: Sequence[Record]) -> Iterator[tuple[str, list[CellResult]]]:
    """The cells of each device and size, with a title."""
    for device, group in sorted(grouped(records, lambda record: str(record["device"])).items()):
        results = results_of(group)
        for size in sorted({result.family[1] for result in results}, key=float):
            of_size = [result for result in results if result.family[1] == size]
            yield f"{device}, {float(size):,.0f} edges", of_size


def draw(records: Sequence[Record], path: Path) -> None:
    """Time per edge or vertex over the median cell of the same form and size, logarithmic."""
    parts = list(panels(records))
    with save_picture(path, len(parts), figsize=(16, 9.5 * len(parts))) as (figure, axes):
        for axis, (title, results) in zip(axes, parts, strict=True):
            image = draw_panel(axis, title, results)
            bar = figure.colorbar(image, ax=axis, ticks=range(-int(STEPS), int(STEPS) + 1), shrink=0.6)
            bar.ax.set_yticklabels([f"{2.0**step:g}" for step in range(-int(STEPS), int(STEPS) + 1)])
            bar.set_label("times the median")


def draw_panel(axis: Any, title: str, results: Sequence[CellResult]) -> Any:
    """One device and size. Returns the image."""
    names = {result.name: cell(result.name) for result in results}
    rows = ranked({one.structure for one in names.values()}, (*STRUCTURES, *UNIONS))
    columns = [
        (form, order)
        for form in ranked({one.form for one in names.values()}, FORMS)
        for order in ranked({one.order for one in names.values() if one.form == form}, tuple(ORDERS))
    ]
    table = np.full((len(rows), len(columns)), np.nan)
    for name, ratio in cliffs(results).items():
        one = names[name]
        place = rows.index(one.structure), columns.index((one.form, one.order))
        table[place] = np.log2(ratio)
        if ratio > LIMIT:
            axis.text(place[1], place[0], f"{ratio:.0f}", ha="center", va="center", fontsize=6, color="white")
    image = axis.imshow(table, cmap="RdYlBu_r", vmin=-STEPS, vmax=STEPS, aspect="auto", interpolation="none")
    axis.set_yticks(range(len(rows)), rows, fontsize=7)
    axis.set_xticks(range(len(columns)), [f"{form}  {order}" for form, order in columns], rotation=90, fontsize=7)
    for at in range(1, len(columns)):
        if columns[at][0] != columns[at - 1][0]:
            axis.axvline(at - 0.5, color="black", linewidth=0.8)
    axis.set_title(f"{title}, {len(results)} cells")
    return image
