"""What every door of the library takes and refuses alike: functions, streams, other people's signatures, commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import InputError
from landbridge.cluster.running import edges_of
from landbridge.compat import splink

FRAME = pd.DataFrame({"a": [1, 3], "b": [2, 4], "c": [0, 0]})


def _text(folder: Path) -> Path:
    path = folder / "pairs.csv"
    FRAME.to_csv(path, index=False)
    return path


def _parquet(folder: Path) -> Path:
    path = folder / "pairs.parquet"
    pq.write_table(pa.Table.from_pandas(FRAME), path)
    return path


SOURCES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: FRAME,
    "arrow": lambda _: pa.Table.from_pandas(FRAME),
    "text": _text,
    "parquet": _parquet,
}
DOORS: dict[str, Callable[..., Any]] = {
    "components": landbridge.components,
    "forest": landbridge.spanning_forest,
    "graph": landbridge.Graph,
    "deduplicate": landbridge.deduplicate,
    "chunks": lambda source, **options: landbridge.components(chunks=[source], **options),
}


@pytest.mark.parametrize("pair", [("a", "a"), (1, 1), ("b", 1), (0, "a")], ids=str)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("door", DOORS)
def test_one_column_is_no_edge(door: str, source: str, pair: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the column .* is named twice; an edge is in two columns$"):
        DOORS[door](SOURCES[source](tmp_path), columns=pair)


def test_one_column_of_a_cluster_or_of_splink_is_no_edge() -> None:
    with refused(InputError, "the column 'a' is named twice; an edge is in two columns"):
        edges_of(pa.int64(), pa.int64(), ("a", "a"))
    with refused(InputError, "the column 'A' is named twice; an edge is in two columns"):
        splink.cluster_pairwise_predictions_at_threshold(
            "nodes", "edges", None, "id", edge_id_column_name_left="A", edge_id_column_name_right='"a"'
        )


@pytest.mark.parametrize("columns", [5, "ab", ("a",), (True, False), (0.0, 1.0), (None, "a"), ("a", "b", "c")], ids=str)
def test_columns_that_are_no_pair_are_refused(columns: Any) -> None:
    with pytest.raises(InputError, match="columns must name two columns, each by its name or its position from 0"):
        landbridge.components(FRAME, columns=columns)


def test_a_number_that_names_another_column_is_refused() -> None:
    named = pd.DataFrame([[1, 2, 9], [3, 4, 9]], columns=[1, 0, 7])
    with pytest.raises(InputError, match="columns: 1 may be a position, or the column of that name: say '1'"):
        landbridge.components(named, columns=(1, 0))
    assert landbridge.components(named, columns=("1", "0")).count == 2
    assert landbridge.components(named.set_axis([0, 1, 2], axis=1), columns=(0, 1)).count == 2
