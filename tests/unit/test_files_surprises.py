"""Files that look like something else, and ids that look like a missing value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import landbridge
from landbridge import CheckFailed, FileFormatError
from landbridge.cli import main

MATRIX = b"%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 3\n"


def test_a_matrix_market_file_by_another_name_is_known_by_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "matrix.txt"
    path.write_bytes(MATRIX)
    assert landbridge.components(str(path)).labels.tolist() == [0, 0, 1, 1]


def test_a_matrix_market_file_on_a_stream_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "matrix.txt"
    path.write_bytes(MATRIX)
    with pytest.raises(FileFormatError, match=r"line 1: this is a Matrix Market file; read it with format='matrix-"):
        landbridge.components(str(path), format="edges")


@pytest.mark.parametrize("name", ["pairs.npy", "pairs.parquet"])
def test_a_negative_id_is_refused_unless_it_is_asked_for(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    pairs = np.array([[0, 1], [2, -1]])
    if name.endswith(".npy"):
        np.save(path, pairs)
    else:
        arrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"u": pairs[:, 0], "v": pairs[:, 1]}), path)
    with pytest.raises(FileFormatError, match="edge 1: vertex -1 is negative"):
        landbridge.components(str(path))
    assert main(["components", str(path), "--json"]) == 2
    assert landbridge.components(str(path), ids="sparse").count == 2


def test_sparse_results_are_checked_against_their_own_arrays() -> None:
    pairs = (np.array([10**12, 7, -3]), np.array([7, 7, 5]))
    found = landbridge.components(pairs, ids="sparse")
    landbridge.check_components(pairs, found)
    with pytest.raises(CheckFailed):
        landbridge.check_components(pairs, np.zeros(4, np.int32), ids="sparse")
