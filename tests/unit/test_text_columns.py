"""Text that has two readings: which columns of a text without a header hold the edges, and what is no line of edges."""

from __future__ import annotations

import bz2
import gzip
import lzma
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge.edges.chunks import open_chunks
from landbridge.edges.files import read
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import options_of
from landbridge.errors import FileFormatError, InputError, LandbridgeError

Pairs = list[tuple[Any, Any]]
NOTE = "the first two hold the edges"


def pairs_of(edges: EdgeList) -> Pairs:
    u, v = (edges.u, edges.v) if edges.ids is None else (edges.ids[edges.u], edges.ids[edges.v])
    return list(zip(u.tolist(), v.tolist(), strict=True))


def outcome(path: Path, in_chunks: bool, **options: Any) -> tuple[Pairs, tuple[str, ...]] | str:
    """The edges and notes of a file, or its error."""
    reading = options_of(**options)
    try:
        if not in_chunks:
            edges: Any = read(path, options=reading)
            return pairs_of(edges), edges.notes
        parts = [chunk.edges for chunk in open_chunks(path, reading, chunk_size=2).readers[0]()]
        return [pair for part in parts for pair in pairs_of(part)], tuple(
            dict.fromkeys(n for p in parts for n in p.notes)
        )
    except LandbridgeError as error:
        return str(error).replace(f"{path}", "g")


def read_text(tmp_path: Path, text: str, name: str = "g.csv", **options: Any) -> tuple[Pairs, tuple[str, ...]] | str:
    """The same of a plain and of a compressed file, at once and in chunks."""
    plain, packed = tmp_path / name, tmp_path / f"{name}.gz"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    first, *others = [outcome(path, in_chunks, **options) for path in (plain, packed) for in_chunks in (False, True)]
    assert others == [first] * 3
    return first


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("100,1,2\n101,2,3\n102,4,5\n", "ascends by one"),
        ("7,x,1\n8,x,2\n9,y,3\n", "ascends by one"),
        ("1 1 2\n2 1 3\n3 2 3\n", "ascends by one"),
        ("5,ann,bob\n3,bob,cy\n", "holds numbers, and those behind it hold text"),
        ("1606100000,1,2\n1606100009,1,2\n", "could be times, counted from 1970 on"),
        ("1606100000123 1 2 9\n1606100000124 4 2 9\n", "could be times, counted from 1970 on"),
        ("2020-01-01T00:00:00,1,2\n2020-01-01T00:00:02,1,2\n", "column 0 .* holds dates or times"),
        ("2020-01-01 00:00:00 1 2\n2020-01-01 00:00:09 1 2\n", "column 0 .* holds dates or times"),
        ("12:00:01,1,2\n12:00:02,1,3\n", "column 0 .* holds dates or times"),
        ("12:34,1,2\n12:35,2,3\n", "column 0 .* holds dates or times"),
        ("12:34 ann bob\n9:35 bob cy\n", "column 0 .* holds dates or times"),
        ("12:34Z,ann,bob\n23:59+01:00,bob,cy\n", "column 0 .* holds dates or times"),
        ("24.12.2020;1;2\n25.12.2020;1;3\n", "column 0 .* holds dates or times"),
        ("ann,2020-01-01,bob\nbob,2020-01-02,cy\n", "column 1 .* holds dates or times"),
        ("true,ann,bob\nfalse,bob,cy\n", "column 0 .* holds true and false"),
    ],
)
def test_a_first_column_that_could_be_something_else_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    result = read_text(tmp_path, text, header=False)
    assert isinstance(result, str) and "line 1" in result and "columns=" in result
    with pytest.raises(FileFormatError, match=problem):
        landbridge.components(tmp_path / "g.csv", header=False)
    for columns in ((0, 1), (1, 2), (2, 1)):
        delimiter = "," if "," in text else ";" if ";" in text else " "
        expected = [tuple(line.split(delimiter)[c] for c in columns) for line in text.splitlines()]
        result = read_text(tmp_path, text, header=False, columns=columns, ids="names")
        assert result[0] == expected and not any(NOTE in note for note in result[1])


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("1 2 0.5\n3 4 0.7\n", False),
        ("1 2 1\n2 3 1\n3 4 1\n", False),
        ("1 2 1 1606100000\n2 3 1 1606100009\n5 4 1 1606100009\n", True),
        ("1 2 7\n3 4 8\n", True),
        ("100,1,2\n", True),
        ("1,2,2020-01-01\n3,4,2020-01-02\n", False),
        ("1,2,12:34\n3,4,12:35\n", False),
        ("1,2,x\n3,4,y\n", True),
        ("1606100000,1606100007,2\n1606100009,1606100001,3\n", True),
        ("1,2\n2,3\n3,4\n", False),
    ],
)
def test_the_first_two_of_more_columns_hold_the_edges(text: str, noted: bool, tmp_path: Path) -> None:
    result = read_text(tmp_path, text)
    delimiter = "," if "," in text else " "
    assert result[0] == [tuple(map(int, line.split(delimiter)[:2])) for line in text.splitlines()]
    assert any(NOTE in note for note in result[1]) == noted


def test_numbers_and_a_colon_above_times_of_day_are_no_header(tmp_path: Path) -> None:
    assert read_text(tmp_path, "9:5,ann,bob\n12:34,bob,cy\n")[0] == [("9:5", "ann"), ("12:34", "bob")]
    assert read_text(tmp_path, "at,ann,bob\n12:34,bob,cy\n", columns=(1, 2))[0] == [("bob", "cy")]


def test_what_no_clock_shows_is_no_time_of_day(tmp_path: Path) -> None:
    for first, second in (("1:75", "2:13"), ("25:00", "2:13"), ("99:99", "2:13"), ("1:02:60", "2:13")):
        assert read_text(tmp_path, f"{first},{second},1\n2:23,3:99,2\n")[0] == [(first, second), ("2:23", "3:99")]
    for time in ("0:00", "23:59", "24:00", "1:02:59", "1:02:59.5", "12:34 PM", "12:34Z"):
        assert "holds dates or times" in str(read_text(tmp_path, f"{time},ann,bob\n12:34,bob,cy\n", header=False))


@pytest.mark.parametrize("names", ["src,dst", "source,target", "id_l,id_r", "node1,node2"])
def test_verses_below_names_of_endpoints_are_ids(names: str, tmp_path: Path) -> None:
    """A chapter and a verse, 1:12, are written as times of day are."""
    pairs = [("1:12", "2:13"), ("2:23", "3:44")]
    assert read_text(tmp_path, f"{names},w\n1:12,2:13,1\n2:23,3:44,2\n")[0] == pairs
    assert read_text(tmp_path, f"{names}\n1:12,2:13\n2:23,3:44\n")[0] == pairs
    swapped = [(second, first) for first, second in pairs]
    assert read_text(tmp_path, f"w,{','.join(names.split(',')[::-1])}\n1,1:12,2:13\n2,2:23,3:44\n")[0] == swapped


@pytest.mark.parametrize("names", ["start,end", "from,to", "a,b", "src_time,dst_time"])
def test_times_below_names_of_a_span_are_no_ids(names: str, tmp_path: Path) -> None:
    text = f"{names},src,dst\n10:12,11:13,x,y\n11:00,12:00,y,z\n"
    assert read_text(tmp_path, text)[0] == [("x", "y"), ("y", "z")]
    text = f"{names},w\n10:12,11:13,1\n11:00,12:00,2\n"
    assert "which two of the columns" in str(read_text(tmp_path, text))


def test_the_third_column_of_wel_is_a_weight(tmp_path: Path) -> None:
    assert read_text(tmp_path, "1 2 5\n2 3 6\n3 4 7\n", "g.wel") == ([(1, 2), (2, 3), (3, 4)], ())


def test_quoted_numbers_with_blanks_are_no_header(tmp_path: Path) -> None:
    for text in ('" 1"," 2"\n"2","3"\n', '" 1"," 2"\n" 2"," 3"\n'):
        assert "line 1, byte 1: expected a vertex id" in str(read_text(tmp_path, text))
        assert read_text(tmp_path, text, ids="names")[0][0] == (" 1", " 2")


@pytest.mark.parametrize("text", ["-1,2\n3,-4\n", "nan,+1\nnan,2\n", "+1,-2\n"])
def test_numbers_with_signs_are_names(text: str, tmp_path: Path) -> None:
    result = read_text(tmp_path, text, ids="names")
    assert result[0] == [tuple(line.split(",")) for line in text.splitlines()]
    assert "holds fractions" in str(read_text(tmp_path, "0.5,a,b\n1,b,c\n", ids="names"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b,"x\ny"\nb,c,z\n', 1),
        ('src,dst,"x\ny"\nb,c,z\n', 1),
        ('src,dst,t\nb,c,"x\ny"\nc,d,z\n', 2),
        ('src,dst,t\n1,2,"x\n3,4,y"\n5,6,z\n', 2),
        ('src,dst,t\n1,2,x\n3,4,"y\n"\n', 3),
        ('src,dst\nb,"c\nd"\n', 2),
    ],
)
def test_a_line_break_in_quotes_is_refused_where_it_begins(text: str, line: int, tmp_path: Path) -> None:
    result = str(read_text(tmp_path, text))
    assert f"line {line}, byte" in result and "a quote that nothing closes in this line" in result


def test_a_delimiter_that_divides_nothing_is_named(tmp_path: Path) -> None:
    assert "line 1: no ';' divides this line" in str(read_text(tmp_path, "1,2\n3,4\n", delimiter=";"))


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress], ids=["gzip", "xz", "bzip2"])
def test_other_bytes_behind_compressed_ones_are_named(pack: Any, tmp_path: Path) -> None:
    path, data = tmp_path / "g.txt", pack(b"1 2\n")
    path.write_bytes(data + bytes(8) + pack(b"2 3\n"))
    assert landbridge.components(path).count == 1
    for rest in (b"\n", b"more", b"\0\0\n"):
        path.write_bytes(data + rest)
        with pytest.raises(FileFormatError, match="follow behind its end"):
            landbridge.components(path)


def test_files_without_a_byte_are_skipped_in_folders_and_patterns(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for name, data in (("0.csv", b""), ("1.csv", b"src,dst\n1,2\n"), ("2.csv", b"src,dst\n2,3\n"), ("3.csv", b"")):
        (folder / name).write_bytes(data)
    (folder / "4.csv.gz").write_bytes(gzip.compress(b""))
    remote = pytest.importorskip("fsspec").filesystem("memory")
    remote.pipe(
        {f"/parts/{i}.csv": b"src,dst\n%d,%d\n" % (i, i + 1) * (i in (1, 2)) for i in range(4)} | {"/parts/4.csv": b""}
    )
    for source in (folder, str(folder / "*"), [folder, folder / "1.csv"], "memory://parts", "memory://parts/*"):
        for options in ({}, {"max_bytes": 1000}):
            whole = landbridge.components(source, **options)
            chunks = landbridge.components(chunks=source, **options)
            assert whole.ids.tolist() == chunks.ids.tolist() == [1, 2, 3] and whole.count == chunks.count == 1
            assert all(
                "files without a byte are skipped" in r.notes[0] and "2 more" in r.notes[0] for r in (whole, chunks)
            )
    with pytest.raises(FileFormatError, match=r"0.csv: the file is empty"):
        landbridge.components([folder / "0.csv", folder / "1.csv"])
    for name in ("1.csv", "2.csv"):
        (folder / name).unlink()
    for way in ({}, {"chunks": folder}):
        with pytest.raises(InputError, match="every file is empty"):
            landbridge.components(*(() if way else (folder,)), **way)


def test_json_lines_hold_all_unsigned_numbers(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "g.jsonl"
    ids = [0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]
    path.write_text("".join(f'{{"a": {a}, "b": {b}}}\n' for a, b in pairwise(ids)))
    for result in (landbridge.components(path), landbridge.components(chunks=path)):
        assert result.ids.dtype == np.uint64 and result.ids.tolist() == ids
    for wrong, problem in (("-1", "= -1.0"), ("0.5", "= 0.5"), (str(2**64), "too large"), ("null", "null")):
        path.write_text(f'{{"a": {2**63}, "b": 1}}\n{{"a": {wrong}, "b": 1}}\n')
        with pytest.raises(FileFormatError, match=r"line [12]: column 'a'"):
            landbridge.components(path)
        path.write_text(f'{{"a": 1, "b": 1}}\n{{"a": {wrong}, "b": {2**63}}}\n')
        with pytest.raises(FileFormatError, match=f"line 2: column 'a'.*{problem.removesuffix('.0')}"):
            landbridge.components(path)
