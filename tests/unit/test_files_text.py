"""Edge lists as text: what is accepted, and what is refused with which message, for any number of threads."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from landbridge import _core
from landbridge.edges.files import read
from landbridge.edges.forms import EdgeList
from landbridge.errors import FileFormatError, InputError


def read_bytes(folder: Path, data: bytes, name: str = "g.txt", **options: object) -> EdgeList:
    path = folder / name
    path.write_bytes(data)
    edges = read(path, **options)  # type: ignore[arg-type]
    assert isinstance(edges, EdgeList)
    return edges


def pairs(edges: EdgeList) -> list[tuple[int, int]]:
    return list(zip(edges.u.tolist(), edges.v.tolist(), strict=True))


PLAIN = [(0, 1), (12, 3), (123456789, 12345678)]


@pytest.mark.parametrize(
    "data",
    [
        b"0\t1\n12\t3\n123456789\t12345678\n",
        b"0 1\n12 3\n123456789 12345678",
        b"0,1\n12,3\n123456789,12345678\n",
        b"0;1\n12 ; 3\n123456789;\t12345678\n",
        b"0\t1\r\n12\t3\r\n123456789\t12345678\r\n",
        b"  0   1\n\n \t \n\t12\t\t3 \n% note\n123456789 12345678 \n\n",
        b"# head\n0 1 0.5\n# middle 7 8\n12 3 -1e3\n123456789 12345678 nan\n# end",
        b"\xef\xbb\xbf0 1\n00012 003\n0000000000000000123456789 12345678\n",
    ],
    ids=["tabs", "blanks", "commas", "around", "crlf", "loose", "comments-weights", "bom-zeros"],
)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_accepted_texts(tmp_path: Path, data: bytes, threads: int) -> None:
    edges = read_bytes(tmp_path, data, ids="dense", threads=threads)
    assert pairs(edges) == PLAIN
    assert edges.u.dtype == np.int32
    assert edges.ids is None
    assert edges.notes == ()


@pytest.mark.parametrize(
    ("data", "line", "column", "text", "problem"),
    [
        (b"0 1\n1 -2\n", 2, 3, "-2", "must not be negative"),
        (b"0 1\n1 1.5\n", 2, 3, "1.5", "must be a whole number"),
        (b"0 1\n1.5 1\n", 2, 1, "1.5", "must be a whole number"),
        (b"0 1\n1e3 1\n", 2, 1, "1e3", "must be a whole number"),
        (b"0 1\nNaN 1\n", 2, 1, "NaN", "must be a whole number"),
        (b"nan nan\n0 1\n", 1, 1, "nan", "must be a whole number"),
        (b"0 1\n# c\n\n7 abc\n", 4, 3, "abc", "expected a vertex id"),
        (b"0 1\nabc 7\n", 2, 1, "abc", "expected a vertex id"),
        (b"0 1\n18446744073709551616 1\n", 2, 1, "18446744073709551616", "does not fit 64 bits"),
        (b"0 1\n1 99999999999999999999999999\n", 2, 3, "99999999999999999999999999", "does not fit 64 bits"),
        (b"0 1\n5\n", 2, 1, "5", "1 column where 2"),
        (b"5\n", 1, 1, "5", "1 column where 2"),
        (b"0,1\n,2\n", 2, 1, ",2", "empty column"),
        (b"0,1\n2,\n", 2, 3, "", "empty column"),
        (b"0,1\n2,,3\n", 2, 3, ",3", "empty column"),
        (b"0,1\n2,3,\n", 2, 1, "2,3,", "3 columns where 2 are needed"),
        (b"0 1\n1 2\n3 4 # c\n", 3, 1, "3 4 # c", "4 columns where 2 are needed"),
        (b"0 1 2\n1 2\n", 2, 1, "1 2", "2 columns where 3 are needed"),
        (b"0 1\n1 +2\n", 2, 3, "+2", "whole number"),
        (b'0 1\n"1 2\n', 2, 1, '"1 2', "a quote that nothing closes"),
        (b"0 1\n1 2\x003\n", 2, 4, "\0", "a zero byte"),
        (b"0 1\r2 3\r4 5\r", 1, 4, "\r", "carriage return"),
        (b"# c\r0 1\r2 3\r", 1, 4, "\r", "carriage return"),
        (b"0 1\n2 3\r4 5\n", 2, 4, "\r", "carriage return"),
        (b"\xff\xfe0\x00 \x001\x00\n\x00", 1, 0, "", "UTF-16"),
        (b"0 1\n" * 1000 + b"1 x" + b"y" * 99 + b"\n", 1001, 3, "x" + "y" * 59 + "...", "expected"),
    ],
)
@pytest.mark.parametrize("compress", [False, True])
def test_refused_texts(
    tmp_path: Path, *, data: bytes, line: int, column: int, text: str, problem: str, compress: bool
) -> None:
    name = "bad.txt.gz" if compress else "bad.txt"
    with pytest.raises(FileFormatError, match=re.escape(problem)) as caught:
        read_bytes(tmp_path, gzip.compress(data) if compress else data, name)
    error = caught.value
    assert (error.line, error.column, error.text) == (line, column, text)
    assert str(error).startswith(f"{tmp_path / name}, line {line}")
    assert "\n" not in str(error)


def test_first_fault_of_many_is_reported_whatever_the_threads(tmp_path: Path) -> None:
    good = b"1\t2\n" * 400_000
    data = good + b"1\tfirst\n" + good + b"1\tsecond\n" + good + b"99999999999\t0\n"
    for threads in (1, 2, 7):
        with pytest.raises(FileFormatError) as caught:
            read_bytes(tmp_path, data, threads=threads)
        assert (caught.value.line, caught.value.text) == (400_001, "first")


def test_empty_file_is_refused_but_comments_alone_are_a_graph_without_edges(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="the file is empty"):
        read_bytes(tmp_path, b"")
    with pytest.raises(FileFormatError, match="the file is empty"):
        read_bytes(tmp_path, gzip.compress(b""), "e.txt.gz")
    for data in (b"# nothing\n", b"% a\n\n# b"):
        assert pairs(read_bytes(tmp_path, data)) == []
        assert pairs(read_bytes(tmp_path, gzip.compress(data), "c.txt.gz")) == []


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=re.escape("none.txt")):
        read(tmp_path / "none.txt")
    with pytest.raises(InputError, match="the folder has no files"):
        read(tmp_path)


@pytest.mark.parametrize("cut", [5, 20, -9, -4, -1])
def test_truncated_gzip(tmp_path: Path, cut: int) -> None:
    data = gzip.compress(b"".join(b"%d\t%d\n" % (i, i * i) for i in range(5000)), mtime=0)
    with pytest.raises(FileFormatError, match="cut off"):
        read_bytes(tmp_path, data[:cut], "t.txt.gz")


def test_damaged_gzip(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(b"0 1\n" * 5000, mtime=0))
    data[-6] ^= 0xFF  # the check sum
    with pytest.raises(FileFormatError, match="damaged"):
        read_bytes(tmp_path, bytes(data), "t.txt.gz")
    with pytest.raises(FileFormatError, match="damaged"):
        read_bytes(tmp_path, gzip.compress(b"0 1\n") + b"garbage", "t.txt.gz")


def test_gzip_members_padding_and_a_misleading_name(tmp_path: Path) -> None:
    data = gzip.compress(b"0 1\n2") + gzip.compress(b" 3\n") + b"\0" * 100
    assert pairs(read_bytes(tmp_path, data, "members.txt")) == [(0, 1), (2, 3)]
    assert pairs(read_bytes(tmp_path, b"4 5\n", "plain.txt.gz")) == [(4, 5)]


def test_zstd_frames_and_damage(tmp_path: Path) -> None:
    compress = zstandard.ZstdCompressor().compress
    data = compress(b"0 1\n2") + compress(b" 3\n")
    assert pairs(read_bytes(tmp_path, data, "g.txt.zst")) == [(0, 1), (2, 3)]
    with pytest.raises(FileFormatError, match="cut off"):
        read_bytes(tmp_path, data[:-3], "cut.txt.zst")
    with pytest.raises(FileFormatError, match="damaged"):
        read_bytes(tmp_path, data[:6] + b"\xff" * 20, "bad.txt.zst")


@pytest.mark.parametrize("suffix", ["gz", "zst", "bz2", "xz"])
def test_tiny_members_take_time_by_their_number(suffix: str, tmp_path: Path) -> None:
    pack = {"gz": gzip.compress, "zst": zstandard.ZstdCompressor().compress, "bz2": bz2.compress, "xz": lzma.compress}
    member = pack[suffix](b"0 1\n")  # type: ignore[operator]

    def seconds(count: int) -> float:
        began = time.process_time()
        edges = read_bytes(tmp_path, member * count, f"g.txt.{suffix}")
        spent = time.process_time() - began
        assert len(pairs(edges)) == count
        return spent

    # By the square of their number it would be 64 times; a collection of garbage may lengthen one of the times.
    few = min(seconds(4_000) for _ in range(3))
    assert any(seconds(32_000) < 20 * few for _ in range(5))


def test_header_line_and_columns(tmp_path: Path) -> None:
    data = b'weight,"src",dst\n0.5,1,2\n1.5,3,4\n'
    edges = read_bytes(tmp_path, data, "g.csv", columns=("src", "dst"))
    assert pairs(edges) == [(1, 2), (3, 4)]
    assert edges.notes == ()
    assert pairs(read_bytes(tmp_path, data, "g.csv", columns=(2, 1))) == [(2, 1), (4, 3)]
    assert pairs(read_bytes(tmp_path, b"5 6 7\n8 9 10\n", columns=(1, 2))) == [(6, 7), (9, 10)]
    noted = read_bytes(tmp_path, b"# top\nsource,target\n1,2\n", "g.csv")
    assert pairs(noted) == [(1, 2)]
    assert len(noted.notes) == 1
    assert noted.notes[0].startswith("line 2 is taken as a header (source, target)")
    gz = read_bytes(tmp_path, gzip.compress(b"# top\nsource,target\n1,2\n"), "g.csv.gz")
    assert gz.notes == noted.notes


def test_a_set_delimiter_separates_empty_columns(tmp_path: Path) -> None:
    data = b"name\tsrc\tdst\n\t1\t2\na b\t3\t4\n"
    assert pairs(read_bytes(tmp_path, data, columns=("src", "dst"))) == [(1, 2), (3, 4)]
    with pytest.raises(FileFormatError, match="empty column") as caught:
        read_bytes(tmp_path, b"name,src,dst\nx,,2\n", columns=("src", "dst"))
    assert caught.value.line == 2


def test_missing_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no column 'from'; the header has a, b"):
        read_bytes(tmp_path, b"a,b\n1,2\n", columns=("from", "b"))
    with pytest.raises(InputError, match="no header line names the columns"):
        read_bytes(tmp_path, b"1,2\n", columns=("a", "b"))
    with pytest.raises(InputError, match="there is no column 3; the text has 2, from 0"):
        read_bytes(tmp_path, b"1,2\n", columns=(0, 3))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"ids": "some"}, "ids must be"),
        ({"threads": 0}, "threads must be"),
        ({"columns": ("a",)}, "two columns"),
        ({"format": "nope"}, "no file format 'nope'"),
        ({"columns": (0, -1)}, "there is no column -1"),
    ],
)
def test_invalid_arguments_are_refused(tmp_path: Path, options: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_bytes(tmp_path, b"0 1\n", **options)


@pytest.mark.parametrize(
    ("largest", "dtype"),
    [
        (2**31 - 1, np.int32),
        (2**31, np.int64),
        (2**63 - 1, np.int64),
        (2**63, np.uint64),
        (2**64 - 1, np.uint64),
    ],
)
@pytest.mark.parametrize("late", [0, 50_000])
def test_ids_have_the_narrowest_type(tmp_path: Path, largest: int, dtype: type, late: int) -> None:
    data = b"1\t2\n" * late + b"0\t%d\n3\t4\n" % largest
    for name, content in (("w.txt", data), ("w.txt.gz", gzip.compress(data))):
        edges = read_bytes(tmp_path, content, name, ids="dense")
        assert edges.u.dtype == edges.v.dtype == dtype
        assert edges.v[late] == largest
        assert edges.v[late + 1] == 4


def test_ids_of_text_are_not_renumbered(tmp_path: Path) -> None:
    for ids in ("auto", "sparse", "dense"):
        edges = read_bytes(tmp_path, b"7 2000000000000\n7 9\n", ids=ids)
        assert pairs(edges) == [(7, 2000000000000), (7, 9)]
        assert edges.ids is None and edges.occurring == (ids != "dense")


def test_counts_in_comments_are_compared(tmp_path: Path) -> None:
    edges = read_bytes(tmp_path, b"# Nodes: 2 Edges: 5\n0 1\n1 3\n", ids="dense")
    assert len(edges.notes) == 2
    assert "5 edges, the file has 2" in edges.notes[0]
    assert "2 nodes, ids go up to 3" in edges.notes[1]
    assert read_bytes(tmp_path, b"# Nodes: 4 Edges: 2\n0 1\n1 3\n").notes == ()
    assert "at most 4 ids occur" in read_bytes(tmp_path, b"# Nodes: 5 Edges: 2\n0 1\n1 3\n").notes[0]


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Standard:
        buffer = io.BytesIO(b"0 1\n1 2\n")

    monkeypatch.setattr(sys, "stdin", Standard())
    assert pairs(read("-")) == [(0, 1), (1, 2)]  # type: ignore[arg-type]
    Standard.buffer = io.BytesIO(b"0 1\nx 2\n")
    with pytest.raises(FileFormatError, match=r"^<stdin>, line 2, byte 1: "):
        read("-")


def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    child = os.fork()
    if child == 0:
        pipe.write_bytes(b"0 1\n1 2\n" * 100_000)
        os._exit(0)
    edges = read(pipe)
    os.waitpid(child, 0)
    assert len(edges.u) == 200_000  # type: ignore[union-attr]


def test_progress_is_reported_and_may_stop_a_reader(tmp_path: Path) -> None:
    data = b"".join(b"%d\t%d\n" % (i, i + 1) for i in range(10_000)) * 400
    calls: list[tuple[int, int | None]] = []
    read_bytes(tmp_path, data, progress=lambda done, total: calls.append((done, total)))
    assert calls
    assert all(total == len(data) and 0 < done <= len(data) for done, total in calls)
    packed = gzip.compress(data, 1)
    calls.clear()
    read_bytes(tmp_path, packed, "p.gz", progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (len(packed), len(packed))

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    for name, content in (("s.txt", data), ("s.txt.gz", packed)):
        with pytest.raises(KeyboardInterrupt):
            read_bytes(tmp_path, content, name, progress=stop)


ID = st.one_of(st.integers(0, 99), st.integers(0, 2**32), st.integers(0, 2**64 - 1), st.sampled_from([10**8, 10**16]))


@given(
    edges=st.lists(st.tuples(ID, ID), max_size=60),
    separators=st.lists(st.sampled_from(["\t", " ", ",", ";", " , ", "   "]), min_size=1, max_size=5),
    tails=st.lists(st.sampled_from(["", " ", "\r", " 1.5", ",x", "\n", "\n#c", "\n%"]), min_size=1),
    padding=st.integers(0, 20),
    threads=st.integers(1, 3),
)
def test_formatted_edges_are_parsed_back(
    edges: list[tuple[int, int]], separators: list[str], tails: list[str], padding: int, threads: int
) -> None:
    text = ""
    for i, (u, v) in enumerate(edges):
        zeros = "0" * (padding if i % 7 == 3 else 0)
        text += f"{zeros}{u}{separators[i % len(separators)]}{v}{tails[i % len(tails)]}\n"
    data = np.frombuffer(text.encode(), np.uint8)
    u, v, lines, largest = _core.parse_edges(data, threads=threads)
    assert list(zip(u.tolist(), v.tolist(), strict=True)) == edges
    assert lines == text.count("\n")
    assert largest == max((max(e) for e in edges), default=0)
