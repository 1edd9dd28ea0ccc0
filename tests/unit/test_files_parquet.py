"""Parquet tables: columns by name, position and default; types and missing values that are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from landbridge.edges.files import read
from landbridge.edges.forms import EdgeList
from landbridge.errors import FileFormatError, InputError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def written(tmp_path: Path, **columns: object) -> Path:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=3)
    return path


def pairs(edges: object) -> list[tuple[int, int]]:
    assert isinstance(edges, EdgeList)
    return list(zip(edges.u.tolist(), edges.v.tolist(), strict=True))


def test_columns_by_name_position_and_default(tmp_path: Path) -> None:
    path = written(tmp_path, a=pa.array([0, 1, 2, 3], pa.int16()), b=pa.array([1, 2, 3, 4], pa.int64()), c=list("wxyz"))
    assert pairs(read(path)) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert pairs(read(path, columns=("b", "a"), threads=1)) == [(1, 0), (2, 1), (3, 2), (4, 3)]
    assert pairs(read(path, columns=(1, 1))) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    with pytest.raises(InputError, match="no column 'x'; the table has a, b, c"):
        read(path, columns=("x", "a"))
    with pytest.raises(InputError, match="no column 7"):
        read(path, columns=(0, 7))
    with pytest.raises(FileFormatError, match="column 'c' holds text and column 'a' holds numbers"):
        read(path, columns=("a", "c"))


def test_missing_values_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"row 0 \(from 0\): column 'b' is null"):
        read(written(tmp_path, a=[0, 1], b=[None, 1]))


def test_64_bit_hashes_are_ids(tmp_path: Path) -> None:
    path = written(tmp_path, a=[-5, 2**62, -5], b=[2**62, 7, -5])
    with pytest.raises(FileFormatError, match=r"row 0 \(from 0\): column 'a' = -5 is negative; ids='sparse'"):
        read(path)
    edges = read(path, ids="sparse")
    assert isinstance(edges, EdgeList) and edges.occurring
    assert pairs(edges) == [(-5, 2**62), (2**62, 7), (-5, -5)]
    unsigned = written(tmp_path, a=pa.array([2**64 - 1], pa.uint64()), b=pa.array([3], pa.int64()))
    wide = read(unsigned)
    assert isinstance(wide, EdgeList) and wide.u.dtype == np.uint64
    assert pairs(wide) == [(2**64 - 1, 3)]
    mixed = written(tmp_path, a=pa.array([2**64 - 1], pa.uint64()), b=pa.array([-3], pa.int64()))
    with pytest.raises(FileFormatError, match=r"row 0 \(from 0\): .* is negative, and other ids are from 2\^63 on"):
        read(mixed)


def test_a_table_without_rows_has_no_edges(tmp_path: Path) -> None:
    assert pairs(read(written(tmp_path, a=pa.array([], pa.int32()), b=pa.array([], pa.int32())))) == []


def test_damaged_parquet_files_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, a=[0, 1], b=[1, 2])
    data = path.read_bytes()
    for cut in (4, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(FileFormatError, match="cannot be read"):
            read(path)
