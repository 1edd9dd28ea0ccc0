"""Writers: files are read back, by this package and by SciPy; what a format cannot hold is noted."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from landbridge.edges.files import FORMATS, read, write_edges
from landbridge.edges.formats import edge_list, writing
from landbridge.edges.formats.compression import compressed_suffix
from landbridge.edges.forms import Adjacency, EdgeList, Edges
from landbridge.errors import InputError

LISTS = ("g.txt", "g.csv", "g.el.gz", "g.tsv.zst", "g.csv.bz2", "g.wel.xz", "g.npy", "g.parquet")
DECLARED = ("g.mtx", "g.mtx.gz", "g.gr", "g.npz")
ROWS = ("g.graph", "g.sg", "g.egr")


def random_edges(dtype: type = np.int32) -> EdgeList:
    rng = np.random.default_rng(0)
    return EdgeList(rng.integers(0, 50, 500).astype(dtype), rng.integers(0, 50, 500).astype(dtype), 60)


def pairs(edges: Edges) -> list[tuple[int, int]]:
    if isinstance(edges, Adjacency):
        u, v = np.repeat(np.arange(len(edges.offsets) - 1), np.diff(edges.offsets)), edges.neighbors
    else:
        u, v = edges.u, edges.v
    if edges.ids is not None:
        u, v = edges.ids[u], edges.ids[v]
    return list(zip(u.tolist(), v.tolist(), strict=True))


def test_every_format_but_three_is_written_and_tested() -> None:
    written = {read_name for row in FORMATS.values() if row.write for read_name in row.extensions}
    assert [row.name for row in FORMATS.values() if row.write is None] == ["gap-weighted", "arrow", "jsonl"]
    for name in (*LISTS, *DECLARED, *ROWS):
        assert Path(name.removesuffix(compressed_suffix(name))).suffix in written


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64, np.int8])
@pytest.mark.parametrize("name", [*LISTS, *DECLARED])
def test_edge_lists_round_trip(tmp_path: Path, name: str, dtype: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "CHUNK", 77)
    monkeypatch.setattr(edge_list, "CHUNK", 77)
    edges = random_edges(dtype)
    notes = write_edges(edges, tmp_path / name)
    back = read(tmp_path / name, ids="dense")
    assert isinstance(back, EdgeList)
    assert pairs(back) == pairs(edges)
    assert back.num_vertices == (60 if name in DECLARED else None)
    assert len(notes) == (0 if name in DECLARED else 1)
    assert list(tmp_path.iterdir()) == [tmp_path / name]


@pytest.mark.parametrize("name", ROWS)
def test_csr_formats_round_trip_as_symmetric(tmp_path: Path, name: str) -> None:
    edges = random_edges()
    notes = write_edges(edges, tmp_path / name)
    back = read(tmp_path / name)
    assert isinstance(back, Adjacency)
    assert len(back.offsets) == 61
    both = {p for a, b in pairs(edges) for p in ((a, b), (b, a)) if name != "g.graph" or a != b}
    assert pairs(back) == sorted(both)
    assert (notes == ()) == (name != "g.graph")
    again = tmp_path / f"again-{name}"
    assert write_edges(back, again) == ()
    assert again.read_bytes() == (tmp_path / name).read_bytes()


@pytest.mark.parametrize("name", [*LISTS, *DECLARED, *ROWS])
def test_graphs_without_edges_round_trip(tmp_path: Path, name: str) -> None:
    nothing = np.zeros(0, np.int64)
    write_edges((nothing, nothing), tmp_path / name)
    assert pairs(read(tmp_path / name)) == []


def test_original_ids_are_written_or_noted(tmp_path: Path) -> None:
    ids = np.array([5, 10**12, 2**64 - 1], np.uint64)
    edges = EdgeList(np.array([0, 1], np.int32), np.array([1, 2], np.int32), 3, ids)
    for name in LISTS:
        assert write_edges(edges, tmp_path / name) == ()
        assert pairs(read(tmp_path / name, ids="sparse")) == [(5, 10**12), (10**12, 2**64 - 1)]
    for name in (*DECLARED, *ROWS):
        assert "original ids" in write_edges(edges, tmp_path / name)[0]


def test_scipy_reads_what_is_written(tmp_path: Path) -> None:
    edges = random_edges()
    dense = np.zeros((60, 60), int)
    np.add.at(dense, (edges.u, edges.v), 1)
    write_edges(edges, tmp_path / "g.npz")
    np.testing.assert_array_equal(scipy.sparse.load_npz(tmp_path / "g.npz").astype(int).toarray(), dense)
    write_edges(edges, tmp_path / "g.mtx")
    np.testing.assert_array_equal(scipy.io.mmread(tmp_path / "g.mtx").astype(int).toarray(), dense)


def test_standard_output_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    class Standard:
        buffer = io.BytesIO()

    monkeypatch.setattr(sys, "stdout", Standard())
    write_edges(([0, 1], [1, 2]), "-")
    write_edges(([0], [1]), "-", "dimacs")
    assert Standard.buffer.getvalue() == b"0\t1\n1\t2\np sp 2 1\na 1 2 1\n"


@pytest.mark.parametrize(
    ("edges", "name", "problem"),
    [
        (([0, 1], [1]), "g.txt", "differ in length"),
        (([0.5], [1]), "g.txt", "whole numbers, not float64"),
        (([0, 1], [1, -2]), "g.txt", "edge 1: vertex -2 is negative"),
        (EdgeList(np.array([5]), np.array([1]), 3), "g.txt", "vertex 5 is out of range for n = 3"),
        (([0], [1]), "g.xyz", "names no format"),
        (([0], [1]), "g.wsg", "can be read but not written"),
        (([0], [1]), "g.sg.gz", "only text can be compressed"),
        (EdgeList(np.array([0]), np.array([1]), 2, np.array(["a", "b"])), "g.npy", "ids that are text"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, edges: Edges, name: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        write_edges(edges, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_unknown_formats_and_missing_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file format 'nope'"):
        write_edges(([0], [1]), tmp_path / "g.txt", "nope")
    with pytest.raises(FileNotFoundError):
        write_edges(([0], [1]), tmp_path / "none" / "g.txt")


def test_negative_ids_of_two_types_are_written_as_they_are(tmp_path: Path) -> None:
    edges = EdgeList(np.array([-5, 3, 7]), np.array([3, 7, -9], np.int32), occurring=True)
    write_edges(edges, str(tmp_path / "w.txt"))
    assert (tmp_path / "w.txt").read_text().split() == ["-5", "3", "3", "7", "7", "-9"]
    far = EdgeList(np.array([-5]), np.array([2**63], np.uint64), occurring=True)
    with pytest.raises(InputError, match="no common type"):
        write_edges(far, str(tmp_path / "far.txt"))


def test_the_bytes_of_an_archive_depend_on_the_edges_alone(tmp_path: Path) -> None:
    path = tmp_path / "g.npz"
    write_edges((np.arange(50_000) % 7, np.arange(50_000)), path)
    with zipfile.ZipFile(path) as file:
        assert {entry.date_time for entry in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.compress_type for entry in file.infolist()} == {zipfile.ZIP_DEFLATED}


@pytest.mark.parametrize(
    "types", [(np.int32, np.int32), (np.int32, np.int64), (np.uint64, np.int32), (">i8", np.int64)]
)
@pytest.mark.parametrize("with_ids", [False, True])
def test_vertices_without_edges_are_counted(types: tuple[Any, Any], with_ids: bool, tmp_path: Path) -> None:
    u, v = np.array([0, 4, 2], dtype=types[0]), np.array([2, 0, 2], dtype=types[1])
    ids = np.array([10, 20, 30, 40, 50, 60]) if with_ids else None
    job = writing.job_of(EdgeList(u, v, num_vertices=6, ids=ids), "g.csv", ".csv", 2)
    job.note_isolated()
    keep = ".npz and .mtx keep these vertices, by number, without their ids"
    keep = keep if with_ids else "num_vertices=6 reads it with them, and .npz and .mtx keep them"
    assert job.notes == [f"a list of edges does not hold 3 vertices without edges: {keep}"]
