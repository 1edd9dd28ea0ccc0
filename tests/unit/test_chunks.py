"""Edges in chunks: the labels of the whole, bounded memory, errors that name chunk and edge, progress."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracles.refusals import refused
from oracles.zoo import Specimen, small

import landbridge
from landbridge import FileFormatError, Graph, InputError, LandbridgeError, OutOfDeviceMemory, _core
from landbridge.cli import main
from landbridge.edges import chunks as edge_chunks
from landbridge.edges.chunks import open_chunks
from landbridge.edges.files import FORMATS, write_edges
from landbridge.edges.formats import parquet as parquet_format
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import Options
from landbridge.errors import SizeLimitExceeded
from landbridge.streams import chunks as chunks_module

M = 5000
RNG = np.random.default_rng(8)
U, V = RNG.integers(0, 4000, (2, M))
WHOLE = landbridge.components((U, V))
OCCURRING = landbridge.components((U, V), ids="sparse")  # of tables


def write(path: Path, u: Any = U, v: Any = V, **options: Any) -> Path:
    if path.suffix == ".parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({"u": u, "w": np.zeros(len(u)), "v": v}), path, **options)
    elif path.suffix == ".npy":
        np.save(path, np.column_stack([u, v]))
    else:
        write_edges((u, v), str(path))
    return path


@pytest.mark.parametrize("name", ["g.txt", "g.csv", "g.txt.gz", "g.npy", "g.parquet", "groups.parquet"])
@pytest.mark.parametrize("chunk_size", [1, 17, 1000, None])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_file_in_chunks_has_the_labels_of_the_whole(name: str, chunk_size: int, threads: int, tmp_path: Path) -> None:
    few = slice(0, 200 if chunk_size == 1 else M)
    options = {"row_group_size": 700} if name == "groups.parquet" else {}
    path = write(tmp_path / name, U[few], V[few], **options)
    columns = ("u", "v") if path.suffix == ".parquet" else None
    calls: list[tuple[int, int | None]] = []
    answer = landbridge.components(
        chunks=path,
        chunk_size=chunk_size,
        threads=threads,
        columns=columns,
        progress=lambda done, total: calls.append((done, total)),
    )
    whole = landbridge.components((U[few], V[few]), ids=None if name == "g.npy" else "sparse")
    assert np.array_equal(answer.labels, whole.labels)
    assert answer.count == whole.count
    assert (answer.ids is None) == (name == "g.npy")
    assert answer.ids is None or np.array_equal(answer.ids, whole.ids)
    size = path.stat().st_size
    assert all(total == size for _, total in calls)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert calls[-1][0] >= 0.99 * size


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_columns_of_two_types(threads: int, tmp_path: Path) -> None:
    path = write(tmp_path / "g.parquet", U.astype(np.int32), V.astype(np.uint64), row_group_size=700)
    answer = landbridge.components(chunks=path, columns=("u", "v"), threads=threads)
    assert np.array_equal(answer.labels, OCCURRING.labels)
    dense = landbridge.components(chunks=path, columns=("u", "v"), threads=threads, ids="dense")
    assert np.array_equal(dense.labels, WHOLE.labels)
    signed = U.astype(np.int64)
    signed[2345] = -1
    path = write(tmp_path / "g.parquet", signed, V.astype(np.uint64), row_group_size=700)
    with pytest.raises(
        InputError, match=r"g.parquet: chunk 2, edge 345: vertex -1 is negative; ids='sparse' takes negative"
    ):
        landbridge.components(chunks=path, columns=("u", "v"), threads=threads, chunk_size=1000)
    with pytest.raises(InputError, match=r"chunk 2, edge 345: vertex -1 is negative; ids='sparse' takes negative ids"):
        landbridge.components(chunks=path, columns=("u", "v"), threads=threads, chunk_size=1000, ids="dense")


@pytest.mark.parametrize("threads", [2, 5])
def test_long_row_groups_are_read_whole(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_chunks, "CHUNK", 800)
    monkeypatch.setattr(parquet_format, "BATCH", 100)
    for rows in (700, 900):
        path = write(tmp_path / "g.parquet", row_group_size=rows)
        answer = landbridge.components(chunks=path, columns=("u", "v"), threads=threads)
        assert np.array_equal(answer.labels, OCCURRING.labels)


@pytest.mark.parametrize("specimen", small(), ids=str)
def test_every_graph_of_the_zoo_in_chunks(specimen: Specimen) -> None:
    step = max(1, len(specimen.u) // 9)
    chunks = ((specimen.u[i : i + step], specimen.v[i : i + step]) for i in range(0, len(specimen.u), step))
    answer = landbridge.components(chunks=chunks, num_vertices=specimen.n)
    assert np.array_equal(answer.labels, specimen.answer)
    assert answer.count == specimen.count


def test_a_chunk_may_be_anything_that_makes_a_graph(tmp_path: Path) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    path = write(tmp_path / "part.txt", np.array([6]), np.array([7]))
    chunks: list[Any] = [
        ([0], [1]),
        np.array([[1, 2]], np.uint8),
        sparse.csr_array((np.ones(1), ([3], [4])), shape=(5, 5)),
        Graph(([4], [5]), num_vertices=6),
        path,
        ([], []),
        np.array([[9], [9]]),
    ]
    calls: list[tuple[int, int | None]] = []
    answer = landbridge.components(chunks=chunks, ids="dense", progress=lambda *p: calls.append(p))
    assert answer.labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 3, 4]
    assert calls == [(n, None) for n in (1, 2, 3, 4, 5, 5, 6)]
    assert answer.device == "cpu"
    assert set(answer.profile.seconds) == {"link", "number"}
    with pytest.raises(
        InputError, match=r"chunk 4: vertices of a table are the ids that occur, and those of chunk 2 are"
    ):
        landbridge.components(chunks=chunks)
    arrays_and_tables = landbridge.components(chunks=[*chunks[:2], *chunks[4:]])
    assert arrays_and_tables.ids is not None
    assert arrays_and_tables.ids.tolist() == [0, 1, 2, 6, 7, 9]
    assert arrays_and_tables.labels.tolist() == [0, 0, 0, 1, 1, 2]


def test_a_matrix_brings_its_vertices(tmp_path: Path) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    assert landbridge.components(chunks=[sparse.coo_array((8, 8))]).count == 8
    with pytest.raises(InputError, match="chunk 0: it has 8 vertices, there are 5"):
        landbridge.components(chunks=[sparse.coo_array((8, 8))], num_vertices=5)


@pytest.mark.parametrize(
    ("chunks", "problem"),
    [
        ([([0], [1]), ([1, 2, 3], [1, -2, 3])], "chunk 1, edge 1: vertex -2 is negative"),
        ([([0], [1]), ([0] * 20, [0] * 17 + [9, 1, 1])], "chunk 1, edge 17: vertex 9 is out of range for n = 9"),
        ([([0, 1], [1])], "chunk 0: u has 2 ids and v has 1"),
        ([([0.5], [1])], "chunk 0, edge 0: u = 0.5 is not a whole number"),
        ([{"u": [1]}], "chunk 0: cannot read edges from dict"),
        ([([0], [1]), 7], "chunk 1: cannot read edges from int"),
    ],
)
def test_errors_name_chunk_and_edge(chunks: list[Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        landbridge.components(chunks=chunks, num_vertices=9)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_first_error_of_a_file_is_told_whoever_reads_it(threads: int, tmp_path: Path) -> None:
    u, v = U.copy(), V.copy()
    u[2345] = v[4567] = -3
    path = write(tmp_path / "g.parquet", u, v, row_group_size=500)
    with pytest.raises(InputError, match=r"g.parquet: chunk 2, edge 345: vertex -3 is negative"):
        landbridge.components(chunks=path, columns=("u", "v"), chunk_size=1000, threads=threads)
    path = write(tmp_path / "g.npy", u, v)
    with pytest.raises(InputError, match=r"g.npy: chunk 2, edge 345: vertex -3 is negative"):
        landbridge.components(chunks=path, chunk_size=1000, threads=threads)
    text = tmp_path / "g.txt"
    text.write_text("0 1\n" * 999 + "0 x\n" + "0 1\n" * 99)
    with pytest.raises(FileFormatError, match=r"g.txt, line 1000, byte 3"):
        landbridge.components(chunks=text, chunk_size=100, threads=threads)
    (tmp_path / "g.txt.gz").write_bytes(gzip.compress(text.read_bytes()))
    with pytest.raises(FileFormatError, match=r"g.txt.gz, line 1000, byte 3"):
        landbridge.components(chunks=tmp_path / "g.txt.gz", chunk_size=100, threads=threads)


def test_a_missing_value_names_its_row(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    cells = [*range(40), None, 1]
    parquet.write_table(arrow.table({"u": cells, "v": [0] * 42}), tmp_path / "g.parquet", row_group_size=10)
    for options in ({"chunks": tmp_path / "g.parquet", "chunk_size": 7}, {"graph": tmp_path / "g.parquet"}):
        with pytest.raises(FileFormatError, match=r"row 40 \(from 0\): column 'u' is null"):
            landbridge.components(**options)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            "too little memory for all vertices up to 9",
            "too little memory for all vertices up to 9; ids='sparse' numbers",
        ),
        ("too little free memory (512 bytes)", r"too little free memory \(512 bytes\)$"),
    ],
)
def test_a_device_that_is_full_is_reported_with_the_chunk(
    problem: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def insert(run: Any, u: Any, v: Any) -> None:
        if v.max() == 9:
            raise OutOfDeviceMemory(problem)

    monkeypatch.setattr(chunks_module.ChunksRun, "_unite", insert)
    with pytest.raises(OutOfDeviceMemory, match=f"^chunk 1: {message}"):
        landbridge.components(chunks=[([0], [1]), ([0], [9])])
    path = write(tmp_path / "g.npy", np.array([0, 5]), np.array([3, 9]))
    with pytest.raises(OutOfDeviceMemory, match=f"g.npy: chunk 1: {message}"):
        landbridge.components(chunks=path, chunk_size=1)


def test_ids_far_beyond_the_edges_are_refused_unless_said(tmp_path: Path) -> None:
    packed = tmp_path / "g.txt.gz"
    packed.write_bytes(gzip.compress(b"0 3\n" * 300_000 + b"5 1000000000000000\n"))
    with pytest.raises(MemoryError, match=r"no memory for all vertices up to 1000000000000000; ids='sparse' numbers"):
        landbridge.components(chunks=packed, ids="dense")
    numbered = landbridge.components(chunks=packed)
    assert numbered.ids is not None
    assert numbered.ids.tolist() == [0, 3, 5, 10**15]
    with pytest.raises(MemoryError, match=r"chunk 1: no memory for all vertices up to 10+; ids='sparse' numbers"):
        landbridge.components(chunks=[([0], [1]), ([0], [10**15])])
    near = write(tmp_path / "near.npy", np.array([0, 5]), np.array([3, 1_500_000]))
    assert landbridge.components(chunks=near, ids="dense").count == 1_499_999
    assert landbridge.components(chunks=near, num_vertices=1_500_001).count == 1_499_999


@pytest.mark.parametrize("format_", sorted(name for name, row in FORMATS.items() if row.chunks is None))
def test_formats_that_are_read_whole_say_so(format_: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("0 1\n")
    in_chunks = "edges (CSV, TSV and other text), npy, parquet, arrow, jsonl"
    way_out = f"without chunks=; formats that are read in chunks: {in_chunks}"
    with refused(InputError, f"{path}: files of format {format_!r} are read whole, {way_out}"):
        open_chunks(path, format=format_)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "give a graph or chunks"),
        ({"graph": ([0], [1]), "chunks": [([0], [1])]}, "give a graph or chunks"),
        ({"graph": ([0], [1]), "chunk_size": 5}, "chunk_size and progress go with chunks"),
        ({"chunks": [([0], [1])], "chunk_size": 5}, "chunk_size is for files"),
        ({"chunks": "g.txt", "chunk_size": 0}, "chunk_size must be a positive whole number"),
        ({"graph": "g.txt", "delimiter": 5}, "delimiter must be text or None, not 5"),
        ({"graph": "g.txt", "comment": 5}, "comment must be text or None, not 5"),
        ({"graph": "g.txt", "encoding": 5}, "encoding must be text or None, not 5"),
        ({"chunks": "g.txt", "delimiter": 5}, "delimiter must be text or None, not 5"),
        ({"chunks": 5}, "chunks must be an iterable of batches of edges or a path, not int"),
        ({"chunks": [([0], [1])], "symmetric": True}, "symmetric is a promise about a whole graph"),
        ({"chunks": [([0], [1])], "ids": "some"}, "ids must be one of 'auto', 'dense', 'sparse', 'names', not 'some'"),
        ({"chunks": [([0], [1])], "ids": "sparse", "num_vertices": 2}, "num_vertices has no meaning with ids='sparse'"),
        ({"chunks": [([0], [1])], "plan": "kout(2)+async(halve)"}, "a stream unites batches"),
        ({"chunks": [([0], [1])], "num_vertices": -1}, "num_vertices must be a whole number"),
    ],
)
def test_arguments_that_make_no_sense(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(LandbridgeError, match=problem) as caught:
        landbridge.components(**options)
    assert len(str(caught.value).splitlines()) == 1


def wholes() -> dict[str, Any]:
    """Graphs that are iterables, of rows, columns or vertices."""
    result: dict[str, Any] = {}
    if sparse := optional("scipy.sparse"):
        for name in ("coo", "csr", "csc"):
            result[f"{name}_matrix"] = getattr(sparse, f"{name}_matrix")(np.eye(3))
            result[f"{name}_array"] = getattr(sparse, f"{name}_array")(np.eye(3))
    table = {"src": [0, 1], "dst": [1, 2]}
    libraries = {name: optional(name) for name in ("pandas", "polars")}
    result |= {f"{name}.DataFrame": library.DataFrame(table) for name, library in libraries.items() if library}
    if networkx := optional("networkx"):
        result["Graph"] = networkx.path_graph(3)
    if arrow := optional("pyarrow"):
        result["Table"] = arrow.table(table)
    return result


def optional(name: str) -> Any:
    return pytest.importorskip(name) if util.find_spec(name.partition(".")[0]) else None


@pytest.mark.parametrize("name", wholes())
def test_a_whole_graph_is_no_iterable_of_batches(name: str) -> None:
    graph = wholes()[name]
    for call in (lambda: landbridge.components(chunks=graph), lambda: landbridge.components_of_chunks(graph)):
        what = f"not {type(graph).__name__}, which is a whole graph: give it as graph="
        with pytest.raises(InputError, match=what):
            call()
    assert landbridge.components(chunks=[graph]).count == landbridge.components(graph).count


def test_an_error_of_the_iterable_is_its_own() -> None:
    def chunks() -> Iterator[Any]:
        yield [0], [1]
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        landbridge.components(chunks=chunks())


BOUNDED = """
import resource, sys
import numpy as np, landbridge
n, chunk, count = 8_000_000, 500_000, 60
landbridge.components(chunks=[([0], [1])])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
def chunks():
    rng = np.random.default_rng(1)
    for _ in range(count):
        yield rng.integers(0, n, (2, chunk))
found = landbridge.components(chunks=chunks(), num_vertices=n)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
assert found.count < n / 2
print(grown / n)
"""


def test_memory_is_bounded_by_the_vertices_and_a_chunk() -> None:
    done = subprocess.run([sys.executable, "-c", BOUNDED], capture_output=True, text=True, check=True, timeout=120)
    chunk = 3 * 2 * 8 * 500_000 / 8_000_000  # one chunk, and what making it takes
    assert float(done.stdout) < 5 + chunk


# the command line --------------------------------------------------------------------------------------------


def test_the_command_streams_and_writes_the_same_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "g.txt")
    for options in (["--stream"], ["--chunk-size", "100"], []):
        out = tmp_path / "labels.npz"
        assert main(["components", str(path), "-o", str(out), "--json", *options]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["count"], answer["edges"]) == (OCCURRING.count, M)
        assert answer["vertices"] == len(OCCURRING.labels)
        assert np.array_equal(np.load(out)["labels"], OCCURRING.labels)
    assert main(["components", str(path), "--stream"]) == 0
    assert "with reading" in capsys.readouterr().out


def test_the_command_streams_from_standard_input(tmp_path: Path) -> None:
    text = write(tmp_path / "g.txt").read_bytes()
    command = [sys.executable, "-m", "landbridge", "components", "-", "--stream", "--json"]
    done = subprocess.run(command, input=text, capture_output=True, check=True, timeout=60)
    assert json.loads(done.stdout)["count"] == OCCURRING.count
    done = subprocess.run([*command, "--format", "metis"], input=b"1 0\n", capture_output=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith(b"landbridge: <stdin>: files of format 'metis' are read whole")


def test_large_row_groups_are_not_read_column_by_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for the other column is no more than a chunk."""
    path = write(tmp_path / "g.parquet", row_group_size=700)
    requests: list[parquet_format.Task] = []
    batches = parquet_format.id_batches

    def watched(path: str, options: Any, tasks: Iterable[parquet_format.Task], rows: int) -> Any:
        mine = list(tasks)
        requests.extend(mine)
        return batches(path, options, mine, rows)

    monkeypatch.setattr(parquet_format, "id_batches", watched)
    for chunk_size, split in ((99, False), (100, True)):
        requests.clear()
        file = open_chunks(path, Options(threads=2, columns=("u", "v")), chunk_size=chunk_size, readers=2)
        got = sum(len(chunk.edges.u) for reader in file.readers for chunk in reader())
        assert got == len(U)
        assert any(len(task.sides) == 1 for task in requests) is split


@pytest.mark.parametrize("lost", ["a batch", "a row"])
def test_columns_that_do_not_fit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str) -> None:
    path = write(tmp_path / "g.parquet", row_group_size=700)
    batches = parquet_format.id_batches

    def cut(*arguments: Any) -> Any:
        for row, side, ids in batches(*arguments):
            if side == 0 or row == 0:
                yield row, side, ids
            elif lost == "a row":
                yield row, side, ids[:-1]

    monkeypatch.setattr(parquet_format, "id_batches", cut)
    file = open_chunks(path, Options(threads=2, columns=("u", "v")), chunk_size=700, readers=2)
    reason = "in one of the two columns only" if lost == "a batch" else "one column has"
    with pytest.raises(FileFormatError, match=reason):
        for reader in file.readers:
            list(reader())


COLUMNS = [[0, 1, 2], [3, 4, 5]]
SQUARE = [[6, 7], [8, 9]]


@pytest.mark.parametrize("form", [np.array, list])
@pytest.mark.parametrize("batches", [[COLUMNS, SQUARE], [SQUARE, COLUMNS]])
@pytest.mark.parametrize("generated", [False, True])
def test_two_columns_beside_two_rows_are_refused(form: Any, batches: list[Any], generated: bool) -> None:
    forms = [form(batch) for batch in batches]
    with pytest.raises(landbridge.InputError, match=r"shape \(2, 2\) has an edge in each row"):
        landbridge.components(chunks=iter(forms) if generated else forms)


def test_a_bound_of_bytes_counts_the_vertices_of_arrays() -> None:
    chunks = [(np.array([0]), np.array([1000])), [(1, 2)]]
    assert landbridge.components(chunks=chunks, max_bytes=10_000).count == 999
    assert landbridge.components(chunks=[pd.DataFrame({"u": [1], "v": [2]})], max_bytes=10_000).count == 1
    with pytest.raises(SizeLimitExceeded, match="chunk 0: the labels of all vertices up to 1000 have 4004 bytes"):
        landbridge.components(chunks=chunks, max_bytes=4000)


def test_batches_of_one_orientation_are_read_by_it() -> None:
    rows = landbridge.components(chunks=[np.array(SQUARE), np.array([[0, 1], [2, 3], [4, 5]])])
    assert rows.labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    columns = landbridge.components(chunks=[np.array(COLUMNS), tuple(SQUARE)])
    assert columns.labels.tolist() == [0, 1, 2, 0, 1, 2, 3, 4, 3, 4]
    sparse = pytest.importorskip("scipy.sparse")
    assert landbridge.components(chunks=[np.array(COLUMNS), sparse.coo_array((2, 2))]).count == 3


def test_two_columns_are_one_chunk() -> None:
    u = np.arange(3)
    for columns in ((u, u + 1), [u, u + 1], (u.tolist(), [1, 2, 3]), (u.astype(np.int16), u)):
        with refused(InputError, "two columns are one chunk: chunks=[(u, v)]"):
            landbridge.components(chunks=columns)
    assert landbridge.components(chunks=[(u, u + 1)]).count == 1
    assert landbridge.components(chunks=((u, u + 1), (u + 1, u))).count == 1


@pytest.mark.parametrize("ids", ["auto", "dense", "sparse"])
def test_plain_columns_are_read_as_others_are(ids: str) -> None:
    """Beside each kind of ids, and behind a table, whose options are not for them."""
    u, v = np.array([5, 7], np.int32), np.array([7, 9], np.int32)
    pair, lists, frame = (u, v), (u.tolist(), v.tolist()), pd.DataFrame({"x": [0], "a": [5], "b": [11]})
    for table in ([], [frame]):
        options: dict[str, Any] = {"columns": ["a", "b"]} if table else {}
        plain, other = (
            landbridge.components(chunks=iter([*table, batch]), ids=ids, **options) for batch in (pair, lists)
        )
        assert plain.labels.tolist() == other.labels.tolist()
        assert np.array_equal(plain.ids, other.ids) if plain.ids is not None else other.ids is None


@pytest.mark.parametrize("generated", [False, True])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64, None])
def test_self_loops_before_a_table_occur(dtype: Any, generated: bool) -> None:
    """Vertices of a table are the ids that occur, in whatever order the chunks come."""
    table = pd.DataFrame({"u": np.array([1], np.uint8), "v": np.array([2], np.uint8)})
    u, v = [8, 3, 700, 9], [8, 5, 700, 9]
    pair: Any = (u, v) if dtype is None else (np.array(u, dtype), np.array(v, dtype))
    expected = landbridge.components((np.array([*u, 1]), np.array([*v, 2])), ids="sparse")
    for chunks in ([pair, table], [table, pair], [pair, pair, table], [([700], [700]), table, pair]):
        answer = landbridge.components(chunks=iter(chunks) if generated else chunks)
        assert answer.ids is not None
        assert answer.ids.tolist() == expected.ids.tolist()
        assert answer.labels.tolist() == expected.labels.tolist()
        assert answer.ids.dtype == landbridge.components(chunks=chunks[::-1]).ids.dtype
    alone = landbridge.components(chunks=iter([([8], [8]), table[:0]]))
    assert (alone.ids.tolist(), alone.count) == ([8], 1)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("dtype", [np.int32, np.uint64])
def test_self_loops_are_found_in_every_block(dtype: Any, step: int, threads: int) -> None:
    n = 200_000
    u = np.arange(step * n, dtype=dtype)[::step]
    for places in ([], [0], [n - 1], [0, 4095, 4096, 65_535, 65_536, n - 1], range(n)):
        v = u + 1
        v[list(places)] = u[list(places)]
        assert np.sort(_core.self_loops(u, v, threads)).tolist() == u[list(places)].tolist()


def test_sparse_ids_are_no_text() -> None:
    text = "ids='sparse' is for whole numbers; these ids are text, and ids='names' is for that"
    with refused(InputError, f"chunk 0: {text}"):
        landbridge.components(chunks=[(["a"], ["b"]), ([1], [2])], ids="sparse")
    with refused(InputError, f"chunk 1: {text}"):
        landbridge.components(chunks=[([1], [2]), np.array([["a", "b"]])], ids="sparse")


@pytest.mark.parametrize("option", [{"format": "csv"}, {"columns": [0, 1]}, {"base": 1}, {"delimiter": ","}])
def test_options_beside_plain_columns_are_refused(option: dict[str, Any]) -> None:
    u = np.arange(3)
    with pytest.raises(InputError, match=next(iter(option))):
        landbridge.components(chunks=[(u, u + 1)], **option)


def test_options_of_files_are_refused_beside_edges_in_memory(tmp_path: Path) -> None:
    """In a first chunk by itself, with the words for a whole graph."""
    path = tmp_path / "g.csv"
    path.write_text("u,v\n0,1\n")
    u, v = np.array([0, 1]), np.array([1, 2])
    frame = pd.DataFrame({"u": u, "v": v})
    text: dict[str, Any] = {"header": True, "delimiter": ",", "comment": "#", "encoding": "latin-1", "format": "edges"}
    options = [{name: value} for name, value in text.items()]
    for batch in ((u, v), [[0, 1], [1, 2], [2, 3]], np.column_stack([u, v]), frame):
        for each in [*options, {}] if batch is frame else [*options, {"columns": (0, 1)}, {"base": 1}, {}]:
            answers = []
            for source in ({"graph": batch}, {"chunks": iter([batch])}):
                try:
                    answers.append(landbridge.components(**source, **each).labels.tolist())
                except InputError as error:
                    answers.append(str(error))
            whole, chunked = answers
            assert chunked == (whole if not each else f"chunk 0: {whole}")
            assert isinstance(whole, str) == bool(each)
    for each in options:
        (name,) = each
        with refused(InputError, f"chunk 0: {name}: for files; this source is a Graph"):
            landbridge.components(chunks=[Graph((u, v)), path], **each)
        # Behind a file they are for that file.
        for batch in (Graph((u, v)), (u, v), frame):
            answer = landbridge.components(chunks=[path, batch], ids="dense", **({"header": True} | each))
            assert answer.labels.tolist() == [0, 0, 0]
    answer = landbridge.components(chunks=[frame, (u, v), path], columns=("u", "v"), ids="dense")
    assert answer.labels.tolist() == [0, 0, 0]
    with refused(InputError, "chunk 1: base: for files and data frames; subtract 1 from the ids of arrays"):
        landbridge.components(chunks=[frame + 1, (u, v)], base=1)
    with refused(InputError, "base: for files and data frames; subtract 1 from the ids of arrays"):
        landbridge.components(EdgeList(u, v), base=1)
    with refused(InputError, "chunk 0: base: for files and data frames; subtract 1 from the ids of arrays"):
        landbridge.components(chunks=[Graph((u, v))], base=1)


@pytest.mark.parametrize("chunks", [list, lambda: iter([])])
def test_options_of_reading_without_a_chunk_are_noted(chunks: Any) -> None:
    """No chunks are no edges; a list of files of which none is there may be meant."""
    assert landbridge.components(chunks=chunks()).notes == ()
    result = landbridge.components(chunks=chunks(), header=True, columns=(0, 1), format="edges", base=1)
    assert result.notes == ("there are no chunks: format, columns, base, header had no effect",)
    assert (result.count, len(result.labels)) == (0, 0)
    assert landbridge.components(chunks=[([0], [1])], columns=None).notes == ()
