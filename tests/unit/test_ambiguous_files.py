"""Files that resemble another format, and ids that resemble a missing value."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import landbridge
from landbridge import CheckFailed, FileFormatError
from landbridge.cli import main
from landbridge.edges.files import read
from landbridge.edges.forms import EdgeList

MATRIX = b"%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 3\n"


def test_matrix_market_is_detected_by_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "matrix.txt"
    path.write_bytes(MATRIX)
    assert landbridge.components(str(path)).labels.tolist() == [0, 0, 1, 1]


def test_matrix_market_on_a_pipe_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "matrix.txt"
    path.write_bytes(MATRIX)
    with pytest.raises(FileFormatError, match=r"line 1: this is a Matrix Market file; read it with format='matrix-"):
        landbridge.components(str(path), format="edges")


@pytest.mark.parametrize("name", ["pairs.npy", "pairs.parquet"])
def test_negative_ids_are_refused_unless_ids_are_sparse(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    pairs = np.array([[0, 1], [2, -1]])
    if name.endswith(".npy"):
        np.save(path, pairs)
    else:
        arrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"u": pairs[:, 0], "v": pairs[:, 1]}), path)
    with pytest.raises(FileFormatError, match=r"(edge 1: vertex|row 1 \(from 0\): column 'v' =) -1 is negative"):
        landbridge.components(str(path))
    assert main(["components", str(path), "--json"]) == 2
    assert landbridge.components(str(path), ids="sparse").count == 2


def test_sparse_results_are_checked_against_their_own_arrays() -> None:
    pairs = (np.array([10**12, 7, -3]), np.array([7, 7, 5]))
    result = landbridge.components(pairs, ids="sparse")
    landbridge.check_components(pairs, result)
    with pytest.raises(CheckFailed):
        landbridge.check_components(pairs, np.zeros(4, np.int32), ids="sparse")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ('"u","v"\n"0","1"\n"2","3"\n', [(0, 1), (2, 3)]),
        ('"0","1"\n"2","3"\n', [(0, 1), (2, 3)]),
        ('"0" "1"\n"2" "3"\n', [(0, 1), (2, 3)]),
        (",src,dst\n0,5,6\n1,7,8\n", [(5, 6), (7, 8)]),
        ('"","src","dst"\n"1",5,6\n"2",7,8\n', [(5, 6), (7, 8)]),
        ("Unnamed: 0,src,dst\n0,5,6\n1,7,8\n", [(5, 6), (7, 8)]),
        ("index;src;dst\n0;5;6\n1;7;8\n", [(5, 6), (7, 8)]),
        (",0,1\n0,5,6\n1,7,8\n", [(5, 6), (7, 8)]),
        ('name,u,v\n"a ""b"", c",0,1\nd,2,3\n', [(0, 1), (2, 3)]),
    ],
)
def test_csv_of_spreadsheets_and_data_frames(text: str, pairs: list[tuple[int, int]], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    columns = ("u", "v") if text.startswith("name") else None
    edges = read(path, columns=columns)
    assert isinstance(edges, EdgeList)
    assert list(zip(edges.u.tolist(), edges.v.tolist(), strict=True)) == pairs


@pytest.mark.parametrize("cell", ['"1', '1"', '"1"2', '""', '"x"', '"-1"'])
def test_malformed_quotes_are_refused(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"u,v\n0,1\n{cell},2\n")
    with pytest.raises(FileFormatError, match="line 3, byte 1"):
        read(path)


def test_the_note_on_a_header_names_the_columns_of_the_edges(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("index,src,dst\n0,5,6\n")
    (note,) = read(path).notes
    assert note.endswith("columns src and dst are the edges")


METIS = "% a comment\n5 3\n2 3\n1\n1\n5\n4\n"


def test_a_metis_file_named_as_an_edge_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mesh.txt"
    path.write_text(METIS)
    for chunked in (False, True):
        with pytest.raises(FileFormatError, match=r"METIS.*format='metis'.*format='edges'"):
            landbridge.components(chunks=str(path)) if chunked else landbridge.components(str(path))
        with pytest.raises(FileFormatError, match="METIS"):
            opened = io.BytesIO(METIS.encode())
            landbridge.components(chunks=opened) if chunked else landbridge.components(opened)
    assert landbridge.components(str(path), format="metis").labels.tolist() == [0, 0, 0, 1, 1]
    with pytest.raises(FileFormatError, match="this line has 1 column"):
        landbridge.components(str(path), format="edges")


@pytest.mark.parametrize(
    "text",
    [
        "5 4\n2 3\n1\n1\n5\n4\n",
        "5 3\n2 3\n1\n1\n5\n",
        "3 2\n2 3 7\n1\n1\n",
        "0 1\n2 3\n4 5\n",
        "4 3\n1 2 9\n2 3\n3 4\n",
    ],
)
def test_edge_lists_similar_to_metis_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mesh.txt"
    path.write_text(text)
    try:
        assert not any("METIS" in note for note in read(path).notes)
    except FileFormatError as error:
        assert "column" in error.problem
