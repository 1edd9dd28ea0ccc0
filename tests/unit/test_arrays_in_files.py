"""Ids in .npy and .npz files: integers, and floats without a fraction."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge.errors import FileFormatError, InputError

EDGES = np.array([[0, 1], [2, 3], [3, 4]])


def calls(tmp_path: Path, array: Any) -> list[dict[str, Any]]:
    """The calls that read the edges of an array from a file."""
    rows, columns, packed, archive = (tmp_path / name for name in ("a.npy", "t.npy", "a.npy.gz", "a.npz"))
    np.save(rows, array)
    np.save(columns, np.ascontiguousarray(array.T))
    packed.write_bytes(gzip.compress(rows.read_bytes()))
    np.savez(archive, u=array[:, 0], v=array[:, 1])
    chunked: list[dict[str, Any]] = [{"chunks": path, "chunk_size": 2} for path in (rows, columns, packed)]
    return [{"graph": path} for path in (rows, columns, packed, archive)] + chunked


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", ">f8", "i2", "u8"])
def test_floats_without_a_fraction_are_ids(dtype: str, tmp_path: Path) -> None:
    for call in calls(tmp_path, EDGES.astype(dtype)):
        assert landbridge.components(**call).labels.tolist() == [0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (0.5, "v = 0.5 is not a whole number"),
        (np.nan, "v = nan is not a number"),
        (np.inf, "v = inf is not"),
        (2.0**53, "v = 9007199254740992.0 is too large: float64 is exact below 2^53 only"),
    ],
)
def test_other_floats_are_refused_with_their_place(value: float, problem: str, tmp_path: Path) -> None:
    array = EDGES.astype(float)
    array[2, 1] = value
    for call in calls(tmp_path, array):
        with pytest.raises(FileFormatError, match=r"edge 2 \(from 0\): " + problem.replace("^", r"\^")):
            landbridge.components(**call)


def test_negative_floats_are_ids_that_occur(tmp_path: Path) -> None:
    for call in calls(tmp_path, EDGES.astype(float) - 1):
        with pytest.raises(InputError, match="vertex -1 is negative; ids='sparse' takes negative ids"):
            landbridge.components(**call)
        assert landbridge.components(**call, ids="sparse").ids.tolist() == [-1, 0, 1, 2, 3]


def test_no_edges_of_floats(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.empty((0, 2)))
    for call in ({"graph": tmp_path / "a.npy"}, {"chunks": tmp_path / "a.npy"}):
        assert landbridge.components(**call).count == 0


def test_bools_are_no_ids(tmp_path: Path) -> None:
    for call in calls(tmp_path, EDGES.astype(bool)):
        with pytest.raises(FileFormatError, match="u must hold whole numbers, not bool"):
            landbridge.components(**call)


def test_matrices_of_other_formats_name_the_way_to_one(tmp_path: Path) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix, path = sparse.eye_array(4, k=1), tmp_path / "a.npz"
    for kind in ("dia", "bsr"):
        sparse.save_npz(path, matrix.asformat(kind))
        with pytest.raises(FileFormatError, match=rf"a matrix of format {kind};.*save_npz.file, matrix.tocsr") as error:
            landbridge.components(path)
        assert "\n" not in str(error.value)
    sparse.save_npz(path, matrix.tocsr())
    assert landbridge.components(path).count == 1
    np.savez(path, EDGES)
    with pytest.raises(FileFormatError, match="neither a sparse matrix nor arrays u and v: arr_0; others go in"):
        landbridge.components(path)
    assert landbridge.components(np.load(path)["arr_0"]).count == 2
