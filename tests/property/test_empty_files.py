"""Files without edges: whole, in chunks, compressed and with others, their vertices are of one kind."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import Components
from landbridge.edges.files import FORMATS
from landbridge.errors import LandbridgeError

TEXTS = {
    "header.csv": b"source,target\n",
    "header.tsv": b"source\ttarget\tweight\n",
    "comment.txt": b"# no edges\n",
    "both.csv": b"# no edges\nsource,target\n",
    "mark.csv": b"\xef\xbb\xbfsource,target\r\n",
}
ARRAYS = {"int32.npy": np.int32, "int64.npy": np.int64, "uint64.npy": np.uint64, "int16.npy": np.int16}
TABLES = ("numbers", "texts", "narrow")
IDS = ("auto", "dense", "sparse", "names")


def _table(kind: str) -> Any:
    pa = pytest.importorskip("pyarrow")
    type_ = {"numbers": pa.int64(), "texts": pa.string(), "narrow": pa.int32()}[kind]
    return pa.table({"source": pa.array([], type_), "target": pa.array([], type_)})


def _write_table(kind: str, suffix: str, path: Path) -> None:
    table = _table(kind)
    if suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(table, path)


def _array(dtype: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, np.empty((0, 2), dtype))
    return out.getvalue()


FILES: dict[str, Callable[[Path], Any]] = (
    {name: lambda path, data=data: path.write_bytes(data) for name, data in TEXTS.items()}
    | {
        f"{name}.gz": lambda path, data=data: path.write_bytes(gzip.compress(data))
        for name, data in [*TEXTS.items(), *((name, _array(dtype)) for name, dtype in ARRAYS.items())]
    }
    | {name: lambda path, dtype=dtype: path.write_bytes(_array(dtype)) for name, dtype in ARRAYS.items()}
    | {
        f"{kind}{suffix}": lambda path, kind=kind, suffix=suffix: _write_table(kind, suffix, path)
        for kind in TABLES
        for suffix in (".parquet", ".feather")
    }
)


def outcome(call: Callable[[], Components]) -> Any:
    """What an answer is about, or the error of the call."""
    try:
        result = call()
    except LandbridgeError as error:
        return f"{type(error).__name__}: {error}"
    ids = None if result.ids is None else (type(result.ids).__name__, result.ids.dtype, len(result.ids))
    return result.count, result.id_kind, ids, result.labels.dtype, result.labels.shape, result.notes


def test_every_format_that_goes_in_chunks_has_a_file() -> None:
    names = {"parquet": "numbers.parquet", "arrow": "numbers.feather", "npy": "int32.npy", "edges": "comment.txt"}
    # Arrow finds no columns in JSON lines without an object: such a file is refused, whole and in chunks.
    assert {row.name for row in FORMATS.values() if row.chunks is not None} - {"jsonl"} == set(names)
    assert set(names.values()) <= set(FILES)


@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("name", FILES)
def test_whole_and_in_chunks_are_the_same(name: str, ids: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    FILES[name](path)
    whole = outcome(lambda: landbridge.components(path, ids=ids))
    assert outcome(lambda: landbridge.components(chunks=path, ids=ids)) == whole
    assert outcome(lambda: landbridge.components(chunks=path, ids=ids, chunk_size=1, threads=1)) == whole
    if name.endswith(".gz"):
        with path.open("rb") as file:
            assert outcome(lambda: landbridge.components(chunks=file, ids=ids))[1:4] == whole[1:4]
    twice = outcome(lambda: landbridge.components([path, path], ids=ids))
    assert outcome(lambda: landbridge.components(chunks=[path, path], ids=ids)) == twice
    assert twice[:5] == whole[:5]


@pytest.mark.parametrize("ids", ["auto", "dense", "sparse"])
@pytest.mark.parametrize("other", ["header.csv", "numbers.parquet", "comment.txt.gz"])
def test_beside_a_file_of_edges_nothing_is_added(other: str, ids: Any, tmp_path: Path) -> None:
    FILES[other](tmp_path / other)
    (tmp_path / "edges.csv").write_text("source,target\n5,7\n")
    for files in ([other, "edges.csv"], ["edges.csv", other]):
        paths = [tmp_path / file for file in files]
        whole = outcome(lambda paths=paths: landbridge.components(paths, ids=ids))  # type: ignore[misc]
        parts = outcome(lambda paths=paths: landbridge.components(chunks=paths, ids=ids))  # type: ignore[misc]
        assert parts[:5] == whole[:5]
        assert whole[0] == (7 if ids == "dense" else 1)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("ids", IDS)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_alone_and_as_a_chunk_are_the_same(library: str, ids: Any, kind: str) -> None:
    pytest.importorskip(library)
    table = _table(kind)
    if library == "pandas":
        table = table.to_pandas()
    elif library == "polars":
        table = pytest.importorskip("polars").from_arrow(table)
    whole = outcome(lambda: landbridge.components(table, ids=ids))
    chunks = outcome(lambda: landbridge.components(chunks=[table], ids=ids))
    assert (chunks.replace("chunk 0: ", "") if isinstance(chunks, str) else chunks) == whole


def test_saved_answers_of_names_merge_where_one_has_no_edges(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("source,target\n")
    (tmp_path / "edges.csv").write_text("source,target\nann,bob\n")
    for name in ("empty", "edges"):
        file = tmp_path / f"{name}.csv"
        landbridge.components(chunks=file, header=True, ids="names").save(tmp_path / f"{name}.npz")
    parts = [Components.load(tmp_path / f"{name}.npz") for name in ("empty", "edges")]
    for order in (parts, parts[::-1]):
        merged = landbridge.merge(*order)
        assert merged.ids is not None
        assert (merged.count, list(merged.ids)) == (1, ["ann", "bob"])
