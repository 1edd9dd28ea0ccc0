"""Readers of edge lists in text: how pandas, pyarrow and polars read two integer columns. One table.

A reader takes a file of lines "u v" (no header, one blank between) and returns two int64 arrays. landbridge's
own reader is one row among them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]


def read_landbridge(path: Path) -> Columns:
    from landbridge.edges.files import read
    from landbridge.edges.forms import EdgeList

    edges = read(path, format="edges", ids="dense")
    if not isinstance(edges, EdgeList):
        raise TypeError(f"{path}: read as rows, not as a list of edges")
    return edges.u, edges.v


def read_pandas(path: Path) -> Columns:
    import pandas

    frame = pandas.read_csv(path, sep=" ", header=None, dtype=np.int64)
    return frame[0].to_numpy(), frame[1].to_numpy()


def read_pyarrow(path: Path) -> Columns:
    from pyarrow import csv, int64

    table = csv.read_csv(
        path,
        read_options=csv.ReadOptions(column_names=["u", "v"]),
        parse_options=csv.ParseOptions(delimiter=" "),
        convert_options=csv.ConvertOptions(column_types={"u": int64(), "v": int64()}),
    )
    return table["u"].to_numpy(), table["v"].to_numpy()


def read_polars(path: Path) -> Columns:
    import polars

    schema = {"u": polars.Int64, "v": polars.Int64}
    frame = polars.read_csv(path, separator=" ", has_header=False, schema=schema)
    return frame["u"].to_numpy(), frame["v"].to_numpy()


READERS: dict[str, tuple[str, Callable[[Path], Columns]]] = {
    "landbridge(text)": ("landbridge", read_landbridge),
    "pandas": ("pandas", read_pandas),
    "pyarrow": ("pyarrow", read_pyarrow),
    "polars": ("polars", read_polars),
}
