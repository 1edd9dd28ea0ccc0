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


def test_columns(tmp_path: Path) -> None:
    path = written(tmp_path, a=pa.array([0, 1, 2, 3], pa.int16()), b=pa.array([1, 2, 3, 4], pa.int64()), c=list("wxyz"))
    assert pairs(read(path)) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert pairs(read(path, columns=("b", "a"), threads=1)) == [(1, 0), (2, 1), (3, 2), (4, 3)]
    assert pairs(read(path, columns=(1, 1))) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    with pytest.raises(InputError, match="no column 'x'; the table has a, b, c"):
        read(path, columns=("x", "a"))
    with pytest.raises(InputError, match="no column 7"):
        read(path, columns=(0, 7))
    with pytest.raises(FileFormatError, match="column 'c' must hold whole numbers, not string"):
        read(path, columns=("a", "c"))


def test_missing_values(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="column 'b' has 1 missing values"):
        read(written(tmp_path, a=[0, 1], b=[None, 1]))


def test_hashes_as_ids(tmp_path: Path) -> None:
    path = written(tmp_path, a=[-5, 2**62, -5], b=[2**62, 7, -5])
    with pytest.raises(FileFormatError, match="edge 0: vertex -5 is negative"):
        read(path)
    edges = read(path, ids="sparse")
    assert edges.ids is not None
    assert edges.ids.tolist() == [-5, 7, 2**62]
    assert pairs(edges) == [(0, 2), (2, 1), (0, 0)]
    unsigned = written(tmp_path, a=pa.array([2**64 - 1], pa.uint64()), b=pa.array([3], pa.int64()))
    found = read(unsigned)
    assert found.ids is not None
    assert found.ids.dtype == np.uint64
    assert found.ids.tolist() == [3, 2**64 - 1]
    mixed = written(tmp_path, a=pa.array([2**64 - 1], pa.uint64()), b=pa.array([-3], pa.int64()))
    with pytest.raises(FileFormatError, match="no common type"):
        read(mixed)


def test_no_rows(tmp_path: Path) -> None:
    assert pairs(read(written(tmp_path, a=pa.array([], pa.int32()), b=pa.array([], pa.int32())))) == []


def test_damaged(tmp_path: Path) -> None:
    path = written(tmp_path, a=[0, 1], b=[1, 2])
    data = path.read_bytes()
    for cut in (4, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(FileFormatError, match="cannot be read"):
            read(path)
