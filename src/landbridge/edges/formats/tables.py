"""Tables in Parquet, through pyarrow."""

from __future__ import annotations

import importlib
from typing import Any

from numpy.typing import NDArray

from landbridge.edges.formats.binary import as_ids, pair
from landbridge.edges.formats.source import Options, Source
from landbridge.edges.forms import EdgeList
from landbridge.errors import InputError, MissingDependency


def read_parquet(source: Source, options: Options) -> EdgeList:
    """Two columns of whole numbers, the first two if none are named. Only they are read."""
    try:
        pa: Any = importlib.import_module("pyarrow")
        pq: Any = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency(
            f"{source.path}: pyarrow is needed to read Parquet files: pip install 'landbridge[io]'"
        ) from None
    if not source.mappable:
        source.fail("a Parquet file must be a plain file")
    try:
        table = pq.ParquetFile(source.file)
        names = list(table.schema_arrow.names)
        chosen = [_name(source, c, names) for c in (options.columns or (0, 1))]
        read = table.read(columns=list(dict.fromkeys(chosen)), use_threads=options.threads > 1)
        u, v = (_column(source, read.column(name), name) for name in chosen)
    except (pa.ArrowException, OSError) as error:
        source.fail(f"the Parquet file cannot be read ({str(error).splitlines()[0] if str(error) else error!r})")
    return pair(source, u, v, options)


def _name(source: Source, column: str | int, names: list[str]) -> str:
    if isinstance(column, str):
        if column not in names:
            raise InputError(f"{source.path}: there is no column {column!r}; the table has {', '.join(names)}")
        return column
    if not 0 <= column < len(names):
        raise InputError(f"{source.path}: there is no column {column}; the table has {len(names)}")
    return names[column]


def _column(source: Source, column: Any, name: str) -> NDArray[Any]:
    if column.null_count:
        source.fail(f"column {name!r} has {column.null_count} missing values")
    if str(column.type) not in {f"{s}int{w}" for s in ("", "u") for w in (8, 16, 32, 64)}:
        source.fail(f"column {name!r} must hold whole numbers, not {column.type}")
    return as_ids(source, column.to_numpy(), f"column {name!r}")
