"""Chunks of ids with gaps and of names: the labels, ids and frames of the whole, from a table that grows."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.zoo import Specimen, small

import landbridge
from landbridge import FileFormatError, Graph, InputError, _core
from landbridge.cli import main
from landbridge.edges.forms import EdgeList
from landbridge.edges.numbering import Numbering

M = 3000
RNG = np.random.default_rng(8)
PLACES = RNG.integers(0, 2500, (2, M))
HASHES = RNG.integers(0, 2**64 - 1, 2500, dtype=np.uint64)
U, V = HASHES[PLACES]
NAMES = np.array([f"record {h:x}" if h % 3 else f"é{h % 1000}-{h}" for h in HASHES.tolist()], dtype=object)
A, B = NAMES[PLACES]


def same(answer: landbridge.Components, whole: landbridge.Components) -> None:
    assert answer.count == whole.count
    assert np.array_equal(answer.labels, whole.labels)
    assert answer.labels.dtype == whole.labels.dtype
    assert whole.ids is not None
    assert answer.ids is not None
    assert answer.ids.dtype == whole.ids.dtype
    assert list(answer.ids) == list(whole.ids)


def cut(u: Any, v: Any, step: int = 700) -> list[Any]:
    return [(u[i : i + step], v[i : i + step]) for i in range(0, len(u), step)]


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
@pytest.mark.parametrize("threads", [1, 3])
def test_numbers_with_gaps(dtype: str, threads: int) -> None:
    u, v = U.astype(dtype), V.astype(dtype)
    whole = landbridge.components((u, v), ids="sparse")
    for step in (1, 700, M):
        few = slice(0, 90 if step == 1 else M)
        expected = whole if step != 1 else landbridge.components((u[few], v[few]), ids="sparse")
        same(landbridge.components(chunks=cut(u[few], v[few], step), ids="sparse", threads=threads), expected)


@pytest.mark.parametrize("specimen", small(), ids=str)
def test_every_graph_of_the_zoo(specimen: Specimen) -> None:
    def spread(x: Any) -> Any:
        return (x.astype(np.int64) - 3) * 10**9 + 7

    u, v = spread(specimen.u), spread(specimen.v)
    same(
        landbridge.components(chunks=cut(u, v, max(1, len(u) // 5)), ids="sparse"),
        landbridge.components((u, v), ids="sparse"),
    )


def test_types_of_chunks_are_put_together() -> None:
    chunks: list[Any] = [
        (np.array([-5, 7], np.int32), np.array([7, 9], np.int32)),
        (np.array([9], np.uint32), np.array([2**32 - 1], np.uint32)),
        (np.array([-(2**62)]), np.array([-5])),
        Graph(([10**12], [-5]), ids="sparse"),
    ]
    answer = landbridge.components(chunks=chunks, ids="sparse")
    assert answer.ids is not None
    assert answer.ids.dtype == np.int64
    assert answer.ids.tolist() == [-(2**62), -5, 7, 9, 2**32 - 1, 10**12]
    assert answer.count == 1
    with pytest.raises(InputError, match=r"chunk 4: some ids are negative and some from 2\^63 on"):
        landbridge.components(chunks=[*chunks, (np.array([2**63], np.uint64),) * 2], ids="sparse")
    large = landbridge.components(chunks=[([1], [2]), (np.array([2**63], np.uint64),) * 2], ids="sparse")
    assert large.ids is not None
    assert large.ids.tolist() == [1, 2, 2**63]
    nothing = landbridge.components(chunks=[], ids="sparse")
    assert nothing.ids is not None
    assert (nothing.count, len(nothing.labels), len(nothing.ids)) == (0, 0, 0)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_table_of_ids(threads: int) -> None:
    odd = np.array([0x9E3779B97F4A7C15, 0, 2**64 - 1, 1], np.uint64)  # the first marks a slot that is free
    table, rng = _core.Ids(threads), np.random.default_rng(threads)
    ids = rng.permutation(np.concatenate([odd, odd, rng.integers(0, 2**64 - 1, 200_000, dtype=np.uint64)]))
    ids = np.concatenate([ids, ids[::3]])
    numbers = np.concatenate([table.number_each(part) for part in np.array_split(ids, 7)])
    distinct, where = np.unique(ids, return_inverse=True)
    assert len(table) == len(distinct)
    first = np.full(len(distinct), -1)
    first[where] = numbers
    assert np.array_equal(first[where], numbers)
    assert np.array_equal(np.sort(first), np.arange(len(distinct)))
    order, back = table.in_order(False)
    assert np.array_equal(back, distinct)
    assert np.array_equal(order, first)


def test_chunks_may_be_graphs_or_hold_ids_as_bytes() -> None:
    whole = landbridge.components((A, B))
    same(landbridge.components(chunks=cut(A, B)), whole)
    same(landbridge.components(chunks=[Graph(pair) for pair in cut(A, B)]), whole)
    encoded = [(np.char.encode(u.astype(str)), np.char.encode(v.astype(str))) for u, v in cut(A, B)]
    same(landbridge.components(chunks=encoded), whole)


def test_names_of_a_graph_without_edges_are_vertices() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("a", "b")])
    graph.add_node("alone")
    answer = landbridge.components(chunks=[graph, (["b", "c"], ["c", "d"])])
    assert answer.count == 2
    assert list(answer.ids or []) == ["a", "alone", "b", "c", "d"]


FRAMES: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "pandas": lambda library, columns: library.DataFrame(columns),
    "polars": lambda library, columns: library.DataFrame({k: list(v) for k, v in columns.items()}),
    "pyarrow": lambda library, columns: library.table({k: list(v) for k, v in columns.items()}),
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("kind", ["text", "numbers"])
def test_frames_give_a_frame_back(library: str, kind: str) -> None:
    package = pytest.importorskip(library)
    u, v = (A, B) if kind == "text" else (U.astype(np.int64), V.astype(np.int64))
    frames = [FRAMES[library](package, {"w": a, "src": a, "dst": b}) for a, b in cut(u, v)]
    ids = None if kind == "text" else "sparse"
    answer = landbridge.components(chunks=frames, columns=("src", "dst"), ids=ids)
    whole = landbridge.components(FRAMES[library](package, {"src": u, "dst": v}), ids=ids)
    same(answer, whole)
    mine, yours = answer.frame(), whole.frame()
    assert type(mine) is type(yours)
    assert mine.equals(yours)


def write(path: Path, u: Any, v: Any, **options: Any) -> Path:
    if path.suffix == ".parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({"u": u, "v": v}), path, **options)
    elif path.suffix == ".npy":
        np.save(path, np.column_stack([u, v]))
    else:
        lines = "".join(f"{a},{b}\n" for a, b in zip(u.tolist(), v.tolist(), strict=True))
        data = (("source,target\n" if "head" in path.name else "# edges\n\n") + lines).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["g.txt", "head.csv", "g.txt.gz", "g.npy", "g.parquet", "groups.parquet"])
@pytest.mark.parametrize("chunk_size", [17, 1000, None])
@pytest.mark.parametrize("ids", ["sparse", "auto", None])
def test_files_of_numbers_with_gaps(name: str, chunk_size: int | None, ids: str | None, tmp_path: Path) -> None:
    options = {"row_group_size": 700} if name == "groups.parquet" else {}
    path = write(tmp_path / name, U, V, **options)
    if path.suffix == ".npy" and ids != "sparse":
        with pytest.raises(InputError, match="use ids='sparse' if the ids have gaps"):
            landbridge.components(path, ids=ids)
        return
    whole = landbridge.components(path, ids=ids)
    same(whole, landbridge.components((U, V), ids="sparse"))
    answer = landbridge.components(chunks=path, chunk_size=chunk_size, ids=ids, threads=3)
    same(answer, whole)


@pytest.mark.parametrize("name", ["g.txt", "head.csv", "g.txt.gz", "head.csv.gz", "g.parquet", "groups.parquet"])
@pytest.mark.parametrize("chunk_size", [17, 1000, None])
@pytest.mark.parametrize("threads", [1, 3])
def test_files_of_names(name: str, chunk_size: int | None, threads: int, tmp_path: Path) -> None:
    options = {"row_group_size": 700} if name == "groups.parquet" else {}
    path = write(tmp_path / name, A, B, **options)
    answer = landbridge.components(chunks=path, chunk_size=chunk_size, ids="names", threads=threads)
    whole = landbridge.components(path, ids="names")
    same(answer, whole)
    assert answer.notes == Graph(path, ids="names").notes
    if path.suffix == ".parquet":
        same(landbridge.components(chunks=path, chunk_size=chunk_size), whole)


def test_a_file_of_names_whose_first_line_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_bytes(b"\xef\xbb\xbf" + b"anna,ben\nben,carl\n")
    for chunk_size in (1, None):
        answer = landbridge.components(chunks=path, ids="names", chunk_size=chunk_size)
        assert list(answer.ids or []) == ["anna", "ben", "carl"]
    (tmp_path / "bad.csv").write_bytes(b"anna,ben\n" * 40 + b"carl\n")
    (tmp_path / "bad.csv.gz").write_bytes(gzip.compress((tmp_path / "bad.csv").read_bytes()))
    for bad in ("bad.csv", "bad.csv.gz"):
        with pytest.raises(FileFormatError, match=rf"{bad}, line 41"):
            landbridge.components(chunks=tmp_path / bad, ids="names", chunk_size=7)


@pytest.mark.parametrize(
    ("chunks", "options", "problem"),
    [
        ([([0], [1]), (["a"], ["b"])], {}, "chunk 1: its vertices have names, and those of the chunks before are numb"),
        (
            [(["a"], ["b"]), ([0], [1])],
            {},
            "chunk 1: its vertices are numbers, and those of the chunks before are names",
        ),
        (
            [([0], [1]), (["a"], ["b"])],
            {"ids": "sparse"},
            "chunk 1: ids='sparse' is for whole numbers; these ids are text",
        ),
        ([(["a"], ["b"])], {"num_vertices": 2}, "chunk 0: its vertices have names, and num_vertices is given"),
        ([(["3"], ["5"])], {"ids": "dense"}, "chunk 0: ids='dense' is for whole numbers; these ids are text"),
        ([(["a"], ["b"]), (["a"], [None])], {}, "chunk 1, edge 0: v is null"),
        ([([0, 1], [1])], {"ids": "sparse"}, "chunk 0: u has 2 ids and v has 1"),
    ],
)
def test_ids_of_two_kinds(chunks: list[Any], options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        landbridge.components(chunks=chunks, **options)


def test_what_has_no_names_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "g.npy", PLACES[0], PLACES[1])
    with pytest.raises(
        InputError,
        match=r"ids='names' is for edges \(CSV, TSV and other text\), parquet, arrow, jsonl; vertices of npy files",
    ):
        landbridge.components(chunks=path, ids="names")
    networkx = pytest.importorskip("networkx")
    with pytest.raises(InputError, match=r"chunk 0, edge 0: the name of a vertex = \(0, 0\) is not text"):
        landbridge.components(chunks=[networkx.grid_2d_graph(2, 2)])
    table = Numbering(1)
    table.take(EdgeList(np.array([5]), np.array([5])))
    assert len(table) == 1


BOUNDED = """
import resource, sys
import numpy as np, landbridge
n, chunk, count = 4_000_000, 250_000, 60
names = np.random.default_rng(1).integers(0, 2**64 - 1, n, dtype=np.uint64)
landbridge.components(chunks=[([0], [1])], ids="sparse")
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before = peak()
def chunks():
    rng = np.random.default_rng(2)
    for _ in range(count): yield names[rng.integers(0, n, (2, chunk))]
found = landbridge.components(chunks=chunks(), ids="sparse")
print((peak() - before) / len(found.labels))
"""


def test_memory_is_bounded_by_the_ids_and_a_chunk() -> None:
    done = subprocess.run([sys.executable, "-c", BOUNDED], capture_output=True, text=True, check=True, timeout=300)
    # The table, its ids in order with as much for sorting, and two sets of labels; a chunk and what making it takes.
    assert float(done.stdout) < 24 + 16 + 8 + 4 * 2 * 8 * 250_000 / 4_000_000


# the command line --------------------------------------------------------------------------------------------


def test_the_command_streams_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "head.csv", A, B)
    written = []
    for options in ([], ["--stream"], ["--chunk-size", "100"]):
        out = tmp_path / "labels.csv"
        assert main(["components", str(path), "--ids", "names", "-o", str(out), "--json", *options]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["edges"], answer["vertices"]) == (M, len(np.unique(PLACES)))
        written.append(out.read_bytes())
    assert written[0] == written[1] == written[2]
    numbers = write(tmp_path / "g.txt", U, V)
    assert main(["components", str(numbers), "--stream", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["vertices"] == len(np.unique(PLACES))


def test_the_command_streams_names_from_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "landbridge", "components", "-", "--stream", "--ids", "names", "-o", "-"]
    done = subprocess.run(command, input=b"x y\ny z\n", capture_output=True, check=True, timeout=60)
    assert done.stdout.splitlines() == [b"id,component,representative", b"x,0,x", b"y,0,x", b"z,0,x"]


@pytest.mark.parametrize("ids", [None, "names"])
@pytest.mark.parametrize("empty", [([], []), (np.array([], object),) * 2, (np.array([], int),) * 2])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_chunk_without_edges_combines_with_any_kind(ids: Any, empty: Any, at: int) -> None:
    chunks: list[Any] = [(["a"], ["b"]), (["c"], ["b"])]
    chunks.insert(at, empty)
    options: dict[str, Any] = {} if ids is None else {"ids": ids}
    assert landbridge.components(chunks=iter(chunks), **options).count == 1
    stream = landbridge.Incremental(ids="names")
    for u, v in chunks:
        stream.insert(u, v)
    assert stream.count == 1


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_chunk_without_rows_decides_nothing(library: str) -> None:
    numbers, names = {"src": [1], "dst": [2]}, {"src": ["a"], "dst": ["b"]}
    frames: Any = pytest.importorskip(library)
    make = frames.table if library == "pyarrow" else frames.DataFrame
    some = {"numbers": make(numbers), "names": make(names)}
    none = {kind: frame[:0] if library != "pyarrow" else frame.slice(0, 0) for kind, frame in some.items()}
    for first, second in (("numbers", "names"), ("names", "numbers")):
        for chunks in ([none[first], some[second]], [some[second], none[first]]):
            answer = landbridge.components(chunks=chunks)
            assert answer.ids is not None
            assert (answer.count, answer.ids.tolist()) == (1, ["a", "b"] if second == "names" else [1, 2])
        with pytest.raises(InputError, match="those of the chunks before are"):
            landbridge.components(chunks=[none[second], some[first], none[second], some[second]])
