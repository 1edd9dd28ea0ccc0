"""Files of labels, byte by byte: a CSV reader gets back what was written, whatever the ids."""

from __future__ import annotations

import csv
import gzip
import io
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import landbridge
from landbridge import FileFormatError, InputError, _core
from landbridge.cli import component_runs, labels, main
from landbridge.edges.names import NameArray
from landbridge.errors import CheckFailed
from landbridge.result import Components, Profile


def name_array(names: list[bytes]) -> NameArray:
    offsets = np.zeros(len(names) + 1, np.int64)
    np.cumsum([len(name) for name in names], out=offsets[1:])
    return NameArray(offsets, np.frombuffer(b"".join(names), np.uint8))


def answer(numbers: list[int], ids: Any) -> Components:
    """A result with these labels and ids."""
    count = max(numbers, default=-1) + 1
    return Components(count, np.array(numbers, dtype=np.int32), "p", "cpu", Profile({}, 0.0, 1, 0.0), ids)


def canonical(values: list[int]) -> list[int]:
    """The values numbered by first appearance, as labels are."""
    order: dict[int, int] = {}
    return [order.setdefault(value, len(order)) for value in values]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
ROWS = st.lists(st.tuples(TEXT | st.sampled_from(["", " a", '"', "#", "a,b", "a\tb", "\r\n", "é"]), st.integers(0, 4)))


@given(rows=ROWS, separator=st.sampled_from(",\t"), threads=st.integers(1, 4))
def test_names_round_trip_through_text(rows: list[tuple[str, int]], separator: str, threads: int) -> None:
    names, numbers = [name for name, _ in rows], canonical([label for _, label in rows])
    result = answer(numbers, name_array([name.encode() for name in names]))
    page = io.BytesIO()
    labels._write_text(page, "out", result, separator, threads)
    read = list(csv.reader(io.StringIO(page.getvalue().decode(), newline=""), delimiter=separator))
    first = {label: names[numbers.index(label)] for label in numbers}
    assert read == [list(labels.HEADER), *([n, str(k), first[k]] for n, k in zip(names, numbers, strict=True))]


@pytest.mark.parametrize("name", ["#a", "%a", " a", "a ", "\ta", "a\t", ""])
def test_names_with_special_characters_are_quoted(name: str) -> None:
    page = io.BytesIO()
    labels._write_text(page, "out", answer([0], name_array([name.encode()])), ";", 1)
    assert page.getvalue().decode().splitlines()[1] == f'"{name}";0;"{name}"'


@given(
    ids=st.sets(st.integers(-(2**63), 2**63 - 1)) | st.sets(st.integers(0, 2**64 - 1)), groups=st.integers(1, 5),
    threads=st.integers(1, 4),
)  # fmt: skip
def test_numbers_round_trip_through_text(ids: set[int], groups: int, threads: int) -> None:
    wide = np.uint64 if ids and max(ids) >= 2**63 else np.int64
    ordered = np.array(sorted(ids), dtype=wide)
    numbers = canonical([i % groups for i in range(len(ordered))])
    page = io.BytesIO()
    labels._write_text(page, "out", answer(numbers, ordered), ",", threads)
    rows = [line.split(",") for line in page.getvalue().decode().splitlines()[1:]]
    assert rows == [[str(x), str(k), str(ordered[k])] for x, k in zip(ordered.tolist(), numbers, strict=True)]


def test_chunks_of_rows_make_one_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(labels, "ROWS", 3)
    names = [f"name {i}" for i in range(10)]
    result = answer(canonical([0, 1, 0, 2, 1, 3, 3, 0, 4, 4]), name_array([n.encode() for n in names]))
    dense = answer(result.labels.tolist(), None)
    for ending in ("csv", "tsv", "csv.gz", "npz", "parquet"):
        for case, expected in ((result, names), (dense, list(range(10)))):
            path = str(tmp_path / f"a.{ending}")
            labels.write(path, labels.format_of(path, None), case)
            numbers, ids, representatives = labels.read(path, case is result)
            assert numbers.tolist() == result.labels.tolist()
            assert (list(range(10)) if ids is None else ids.tolist()) == expected
            smallest = [expected[v] for v in result.first[result.labels]]
            assert ending == "npz" if representatives is None else representatives.tolist() == smallest


def test_compressed_text_is_the_text(tmp_path: Path) -> None:
    result = landbridge.components(([5, 9], [9, 5]), ids="sparse")
    plain, packed = tmp_path / "a.tsv", tmp_path / "a.tsv.gz"
    for path in (plain, packed):
        labels.write(str(path), "tsv", result)
    assert plain.read_bytes() == b"id\tcomponent\trepresentative\n5\t0\t5\n9\t0\t5\n"
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


@pytest.mark.parametrize("ending", ["csv", "tsv.gz", "npz", "parquet"])
@pytest.mark.parametrize("names", [[b"a", b"Ren\xe9", b"z"], [b"a" * 300, b"b" * 300, b"\xff"]])
def test_invalid_utf8_is_refused_before_writing(
    ending: str, names: list[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "ROWS", 2)
    path = str(tmp_path / f"a.{ending}")
    bad = next(i for i, name in enumerate(names) if not name.isascii())
    with pytest.raises(InputError) as caught:
        labels.write(path, labels.format_of(path, None), answer([0, 1, 2], name_array(names)))
    assert f"the id {names[bad]!r} of vertex {bad} is no UTF-8" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("names", [[b"a", b"bcd", b""], ["é".encode(), b"bcd", b""]])
def test_names_as_an_array_of_one_width(names: list[bytes], tmp_path: Path) -> None:
    path = str(tmp_path / "a.npz")
    labels.write(path, "npz", answer([0, 1, 2], name_array(names)))
    assert np.load(path, allow_pickle=False)["ids"].tolist() == [name.decode() for name in names]


def test_a_name_that_ends_in_nul_is_refused_as_an_array(tmp_path: Path) -> None:
    path = str(tmp_path / "a.npz")
    with pytest.raises(InputError, match=r"ends in a NUL, which NumPy's text cannot hold; \.csv and \.parquet can"):
        labels.write(path, "npz", answer([0, 1], name_array([b"a", b"a\0"])))


def test_the_formatter_checks_bounds() -> None:
    offsets, data, one = np.array([0, 1, 9]), np.frombuffer(b"ab", np.uint8), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="the offsets of names do not ascend"):
        _core.format_named_rows(offsets, data, 1, one, one)
    with pytest.raises(ValueError, match="there are not so many names"):
        _core.format_named_rows(offsets, data, 2, one, one)
    with pytest.raises(ValueError, match="no such vertex"):
        _core.format_named_rows(offsets, data, 0, one, one + 2)
    with pytest.raises(ValueError, match="differ in length"):
        _core.format_numbered_rows(one, one, np.zeros(2, np.int64))


@pytest.mark.parametrize(
    ("path", "name", "expected"),
    [
        ("a.csv", None, "csv"),
        ("a.TSV", None, "tsv"),
        ("a.csv.gz", None, "csv"),
        ("a.tsv.zst", None, "tsv"),
        ("a.csv", "parquet", "parquet"),
        ("-", None, "csv"),
        ("-", "npz", "npz"),
        ("/dev/null", None, "csv"),
        ("/dev/fd/63", None, "csv"),
    ],
)
def test_the_format_of_a_file(path: str, name: str | None, expected: str) -> None:
    if expected == "parquet":
        pytest.importorskip("pyarrow")
    assert labels.format_of(path, name) == expected


@pytest.mark.parametrize(("path", "name"), [("a.npz.gz", None), ("a.gz", None), ("a.txt", None), ("a.csv", "text")])
def test_unknown_formats_are_refused(path: str, name: str | None) -> None:
    with pytest.raises(InputError):
        labels.format_of(path, name)


def test_old_files_with_vertex_and_label_are_still_checked(tmp_path: Path) -> None:
    graph, old = tmp_path / "g.csv", tmp_path / "old.csv"
    graph.write_text("a,b\nc,d\nb,a\n")
    old.write_text("vertex,label\nd,1\nb,0\nc,1\na,0\n")
    assert main(["check", str(graph), str(old), "--ids", "names", "--header", "no"]) == 0
    old.write_text("vertex,label\nd,1\nb,0\nc,1\na,1\n")
    assert main(["check", str(graph), str(old), "--ids", "names", "--header", "no"]) == 1


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
@pytest.mark.parametrize("ids", ["sparse", "names", "dense"])
def test_every_wrong_cell_of_the_labels_is_found(ending: str, ids: str, tmp_path: Path) -> None:
    """In rows of any order; a wrong representative is named with its row."""
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    edges, path = tmp_path / "g.txt", str(tmp_path / f"a.{ending}")
    edges.write_text('7 0\n1 2\n2 7\n3 5\n"4" 4\n6 6\n')
    answer, graph = landbridge.components(edges, ids=ids), landbridge.Graph(edges, ids=ids)
    vertices = list(range(8)) if answer.ids is None else answer.ids.tolist()
    table = [[vertices[v], int(k), vertices[answer.first[k]]] for v, k in enumerate(answer.labels)]
    reading: Any = SimpleNamespace(base=None, budget=None)

    def write(rows: list[list[Any]]) -> None:
        if ending == "parquet":
            files.write_table(arrow.table(list(zip(*rows, strict=True)), labels.HEADER), path)
            return
        lines = [labels.TEXT[ending[:3]].join(map(str, row)) for row in (labels.HEADER, *rows)]
        data = "".join(f"{line}\n" for line in lines).encode()
        Path(path).write_bytes(gzip.compress(data) if ending == "csv.gz" else data)

    for order in (table, table[3:] + table[2::-1]):
        write(order)
        assert component_runs.check_labels(graph, path, reading) == (answer.count, 8)
        for place, column in product((0, 3, 7), range(3)):
            wrong = [list(row) for row in order]
            wrong[place][column] = min({row[column] for row in table} - {order[place][column]})
            write(wrong)
            row = rf"a\.{ending}, row {place} \(from 0\): the representative of vertex"
            with pytest.raises(CheckFailed, match=row if column == 2 else None):
                component_runs.check_labels(graph, path, reading)


def test_labels_of_vertices_from_one_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text("1 2\n4 6\n")
    assert main(["components", "g.txt", "--base", "1", "-o", "a.csv", "-q"]) == 0
    assert main(["check", "g.txt", "a.csv", "--base", "1", "-q"]) == 0
    assert main(["check", "g.txt", "a.csv", "--ids", "dense", "-q"]) == 1


def test_the_line_for_one_record_of_each_cluster_keeps_quoted_names(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text()
    (line,) = [line.strip() for line in page.splitlines() if line.startswith("    landbridge components pairs.csv")]
    names = ["plain", "a,b", 'say ""so""', ",0,", "1,0,1", 'x"",1,""x', " blank "]
    (tmp_path / "pairs.csv").write_text(
        "src,dst\n" + "".join(f'"{name}","{name} too"\n' for name in names) + '"plain","a,b too"\n'
    )
    program = f'landbridge() {{ "{sys.executable}" -m landbridge "$@"; }}; {line}'
    env = os.environ | {"PYTHONPATH": str(Path(landbridge.__file__).parents[1])}
    done = subprocess.run(["bash", "-c", program], cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    answer = landbridge.components(tmp_path / "pairs.csv")
    firsts = sorted({answer.ids[v] for v in answer.first})
    assert len(firsts) == len(names) - 1
    assert sorted(row[0] for row in csv.reader(io.StringIO(done.stdout))) == firsts


@pytest.mark.parametrize("word", ["\u0661", "1_0", "+1", "1.0"])
def test_other_digits_are_no_labels(word: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,component,representative\n-1,0,-1\n2,{word},2\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match="line 3: expected an id and its component"):
        labels.read(str(path), False)
    path.write_text(f"id,component,representative\n-1,0,-1\n{word},1,2\n", encoding="utf-8")
    assert labels.read(str(path), False).ids.tolist() == ["-1", word]


@pytest.mark.parametrize("name", ["a.npz", "a.parquet"])
def test_saved_labels_of_names_are_those_of_their_ids(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    right, other, path = tmp_path / "right.csv", tmp_path / "other.csv", str(tmp_path / name)
    right.write_text("src,dst\na,b\nb,c\nd,e\n")
    other.write_text("src,dst\nv,w\nw,x\ny,z\n")
    landbridge.components([("a", "b"), ("b", "c"), ("d", "e")]).save(path)
    assert main(["check", str(right), path, "-q"]) == 0
    assert main(["check", str(other), path]) == 1
    assert "has no label of vertex v, or two of another" in capfd.readouterr().err


def test_saved_labels_without_all_members_of_their_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez(path, labels=[0, 0], id_bytes=np.frombuffer(b"ab", np.uint8))
    with pytest.raises(FileFormatError, match="its member 'id_offsets' is missing"):
        labels.read(str(path))
