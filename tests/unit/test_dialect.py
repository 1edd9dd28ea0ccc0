"""The dialect of a text of edges by its first lines: header, delimiter, columns, numbers or names."""

from __future__ import annotations

import contextlib
import gzip
import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.texts import Pairs, pairs_of, read_text, said_by

import landbridge
from landbridge.edges.files import read, write_edges
from landbridge.edges.formats.source import Source
from landbridge.edges.forms import EdgeList
from landbridge.edges.options import options_of
from landbridge.errors import FileFormatError, InputError

NUMBERS: Pairs = [(1, 2), (3, 4)]


@pytest.mark.parametrize(
    "text",
    [
        "1 2\n3 4\n",
        "src dst\n1 2\n3 4\n",
        "# c\n\nsource,target\n1,2\n3,4\n",
        "\ufeffsource;target;w\n1;2;0,5\n3;4;0,7\n",
        "customer,shop\n1,2\n3,4\n",
        "id,source,target,w\n7,1,2,0.5\n8,3,4,1\n",
        ",source,target\n0,1,2\n1,3,4\n",
        ",0,1\n0,1,2\n1,3,4\n",
        "weight\tFromNodeId\tToNodeId\n1.5\t1\t2\n1.5\t3\t4\n",
        "1|2|new york\n3|4|x, y\n",
        "1,2,New York\n3,4,Boston\n",
        "1;2;0,5\n3;4;0,7\n",
        '"1","2"\n"3","4"\n',
        "1\t2\ta b\n3\t4\tc\n",
        "index,a,b\n0,1,2\n1,3,4\n",
        "unique_id_l,unique_id_r,match_probability\n1,2,0.9\n3,4,0.8\n",
        "target,source\n2,1\n4,3\n",
        "1,2,\n3,4,\n",
        "1 2\r\n3 4\r\n",
        "\n\n1 2\n\n3 4",
        "timestamp,source,target\n2020-01-01,1,2\n2020-01-02,3,4\n",
    ],
)
def test_texts_of_numbers(text: str, tmp_path: Path) -> None:
    assert read_text(tmp_path, text) == NUMBERS


UUID = "550e8400-e29b-41d4-a716-446655440000"
NAMES: Pairs = [("ann", "bob"), ("bob", "cy")]


@pytest.mark.parametrize(
    "text",
    [
        "ann,bob\nbob,cy\n",
        "src,dst\nann,bob\nbob,cy\n",
        "unique_id_l,unique_id_r,match_probability\nann,bob,0.9\nbob,cy,0.8\n",
        "customer,friend,year\nann,bob,1999\nbob,cy,2001\n",
        "match_probability,unique_id_l,unique_id_r\n0.9,ann,bob\n0.8,bob,cy\n",
        "ann|bob\nbob|cy\n",
        "ann\tbob\nbob\tcy\n",
        "ann bob\n# x\n\nbob   cy\n",
        '"ann","bob"\n"bob","cy"\n',
        "left_id,right_id\nann,bob\nbob,cy\n",
    ],
)
@pytest.mark.parametrize("ids", ["auto", "names"])
def test_texts_of_names(text: str, ids: str, tmp_path: Path) -> None:
    assert read_text(tmp_path, text, ids=ids) == NAMES


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("ann@x.org,bob@x.org\ncy@x.org,dora@x.org\n", "ann@x.org"),
        ("new york,los angeles\nrome,san jose\n", "new york"),
        ("a17,b18\nc19,d20\n", "a17"),
        ("name1,name2\nname3,name4\n", "name1"),
        ("550e8400-e29b-41d4-a716-446655440000,6ba7b810-9dad-11d1-80b4-00c04fd430c8\nx,y\n", UUID),
        ("Anna,Bert\nbert,cy\n", "Anna"),
        ("/a/b,/c/d\n/e,/f\n", "/a/b"),
    ],
)  # fmt: skip
def test_the_first_row_is_an_edge(text: str, first: str, tmp_path: Path) -> None:
    assert read_text(tmp_path, text)[0][0] == first


@pytest.mark.parametrize("text", ["ann,bob\ncy,dora\n", "a,b\nc,d\n", "ann,bob\n", "vorname nachname\nann berg\n"])
def test_ambiguous_headers_are_refused_unless_set(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"line 1: it is ambiguous .*header=True.*header=False.*") as error:
        read_text(tmp_path, text)
    assert "\n" not in str(error.value)
    rows = len(text.splitlines())
    assert len(read_text(tmp_path, text, header=True)) == rows - 1
    assert len(read_text(tmp_path, text, header=False)) == rows


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("1 2\n3 4\n", {"header": True}, [(3, 4)]),
        ("ann,bob\nbob,cy\n", {"header": True}, [("bob", "cy")]),
        ("src,dst\nann,bob\n", {"header": False}, [("src", "dst"), ("ann", "bob")]),
        ("1:2\n3:4\n", {"delimiter": ":"}, NUMBERS),
        ("1,9 2\n", {"delimiter": " ", "ids": "names"}, [("1,9", "2")]),
        ("#a,#b\n#b,#c\n", {"comment": ""}, [("#a", "#b"), ("#b", "#c")]),
        ("// x\n1 2\n3 4\n", {"comment": "/"}, NUMBERS),
        ("1 2\n3 4\n", {"base": 1}, [(0, 1), (2, 3)]),
        ("1 2\n3 4\n", {"ids": "names"}, [("1", "2"), ("3", "4")]),
        ("7 1 2\n8 3 4\n", {"columns": (1, 2)}, NUMBERS),
        ("7 1 2\n8 3 4\n", {"columns": (2, 1)}, [(2, 1), (4, 3)]),
        ("x,y,z\n7,1,2\n8,3,4\n", {"columns": ("y", "z")}, NUMBERS),
        ("ann,bob,cy\ndora,ann,bob\n", {"columns": ("bob", "cy")}, [("ann", "bob")]),
    ],
)
def test_set_options_are_obeyed(text: str, options: dict[str, Any], expected: Pairs, tmp_path: Path) -> None:
    assert read_text(tmp_path, text, **options) == expected


@pytest.mark.parametrize(
    ("text", "options", "problem"),
    [
        ("0 1 2 3\n1 0\n4 5 6\n", {}, r"line 2, .*2 columns where 4 are needed.*adjacency list"),
        ("5,4,u,graph\n1,2\n2,3\n", {}, r"\.jlg file: header=True, base=1"),
        ("5 9\n2 3\n1 3 9\n1 2\n9 1\n2 2\n", {}, r"line 3, .*3 columns where 2"),
        ("Call me Ishmael\nSome years ago never mind\nhow long\n", {}, r"line \d, .* columns where .*no list of edges"),
        ("1 2\n3,4\n", {}, r"line 2: another delimiter than line 1 has, ' ': .*'3,4'"),
        ("# c\n1,2\n3 4\n5;6\n", {}, r"line 3: another delimiter than line 2 has, ','"),
        ("1,2\n" * 200 + "3 4\n", {}, r"line 201, byte 1: "),
        ("1,2\n\ufeff3,4\n", {}, r"line 2, byte 1: a byte order mark inside the text"),
        ("a,b\nc,d\n\ufeff# c\n", {"header": False}, r"line 3, byte 1: a byte order mark inside the text"),
        ("src,dst,w\n1,2,3\n4,5\n6,7,8\n", {}, r"line 3, byte 1: this line has 2 columns where 3 are needed: '4,5'"),
        ("1 2\n3 bob\n", {}, r"line 2, byte 3: expected a vertex id.*ids='names' takes text"),
        ("src dst\n1 2\n3 bob\n", {}, r"line 3, byte 3: expected a vertex id"),
        ("ann bob\nbob cy\n", {"ids": "sparse"}, r"line 1, byte 1: ids are names here, and ids='sparse' .*ids='names'"),
        ("src,dst\nann,bob\n", {"ids": "dense"}, r"line 2, byte 1: ids are names here.*ids='dense'.*: 'ann,bob'"),
        ("p1,p2\nann,bob\n", {"num_vertices": 3}, r"line 1, byte 1: ids are names here, and num_vertices= is for"),
        ("ann,bob\nbob,cy\n", {"base": 1}, r"line 1, byte 1: ids are names here, and base= is for whole numbers"),
        ("0 1\n1 2\n", {"base": 1}, r"line 1, byte 1: vertex ids count from 1"),
        ("0 1\n1 2\n3 1\n", {"num_vertices": 3}, r"line 3, byte 1: a vertex id is out of range for n = 3: '3'"),
        ("1 2\n1 4\n", {"num_vertices": 3, "base": 1}, r"line 2, byte 3: a vertex id is out of range for n = 3: '4'"),
        ("x,y,z\n7,1,2\n8,3,4\n", {}, r"which two of the columns x, y, z hold the edges: .*columns="),
        ("src,dst\n1,2,3\n", {}, r"line 1: the first row has 2 columns and line 2 has 3"),
        ("1 2\n", {"columns": (0, 2)}, r"there is no column 2; the text has 2, from 0"),
        ("a,b\n1,2\n", {"columns": ("a", "c")}, r"no column 'c'; the header has a, b"),
        ("ann,bob\nbob,René\n".encode("latin-1"), {}, r"line 2, byte 8: a byte that is not UTF-8 .*encoding="),
        ('ann,"bo\nb"\n', {"header": False}, r"line 1, byte 5: a quote that nothing closes"),
        ("1 2\n" * 2000 + "1 2 3\n", {}, r"line 2001, byte 1: this line has 3 columns where 2 are needed: "),
        (b"1 2\n3\r4\n", {}, r"line 2, byte 2: a carriage return"),
        (b"# x\r1 2\n3 4\n", {}, r"line 1, byte 4: a carriage return"),
        (b"src dst\r1 2\n3 4\n", {}, r"line 1, byte 8: a carriage return"),
        ("1 2\n", {"encoding": "nonsense"}, r"encoding='nonsense' is no encoding"),
        ("1 2\n", {"encoding": "rot13"}, r"encoding='rot13' is no encoding"),
        ("1 2\n\xff".encode("latin-1"), {"encoding": "ascii"}, r"line 2: the text is not ascii"),
    ],
)
def test_ambiguous_texts_and_wrong_options_are_refused(
    text: str | bytes, options: dict[str, Any], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=problem) as error:
        read_text(tmp_path, text, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "utf-8-sig", "utf-8", "shift_jis"])
def test_other_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    names = [("Zoe", "bob")] * 3000 + [("bob", "René" if encoding != "shift_jis" else "山")]
    text = "src,dst\n" + "".join(f"{a},{b}\r\n" for a, b in names)
    assert read_text(tmp_path, text.encode(encoding), encoding=encoding) == names
    assert read_text(tmp_path, "1 2\n3 4\n".encode(encoding), encoding=encoding, ids="dense") == NUMBERS


@pytest.mark.long
def test_long_preludes_and_long_words(tmp_path: Path) -> None:
    assert read_text(tmp_path, b"\n" * 1_200_000 + b"1 2\n3 4\n") == NUMBERS
    assert read_text(tmp_path, b"# c\n" * 300_000 + b"src dst\n1 2\n3 4\n") == NUMBERS
    word = "9" * 5000
    for text in (f"{word} 2\n3 4\n5 6 7\n", f"3 2\n{word} 4\n5 6 7\n"):
        with pytest.raises(FileFormatError, match=r"does not fit 64 bits|columns where"):
            read_text(tmp_path, text)
    assert read_text(tmp_path, f"{word} 2\n3 4\n", ids="names") == [(word, "2"), ("3", "4")]


@pytest.mark.parametrize("text", [b"\n" * (3 << 20), b"# c\n" * (3 << 18), b"0 1 " + b"x" * (3 << 20)])
def test_a_long_prelude_is_refused(text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, packed = tmp_path / "g.txt", tmp_path / "g.txt.gz"
    path.write_bytes(text + b"\n0 1 x\n")
    packed.write_bytes(gzip.compress(text + b"\n0 1 x\n", 1))
    for file in (path, packed):
        monkeypatch.setattr("landbridge.edges.formats.dialect._LONGEST_PRELUDE", 1 << 22)
        read(file)
        monkeypatch.setattr("landbridge.edges.formats.dialect._LONGEST_PRELUDE", 1 << 20)
        with pytest.raises(FileFormatError, match=r", line \d+: no line of edges ends in the first 1 MiB of the text"):
            read(file)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_blanks_around_a_name_are_part_of_it_as_in_parquet(delimiter: str, tmp_path: Path) -> None:
    rows = [("ann", " bob"), ("bob ", "cy d"), ("  cy", '"x "'), (' "é" ', "z")]
    text = "".join(delimiter.join(row) + "\n" for row in rows)
    expected = [("ann", " bob"), ("bob ", "cy d"), ("  cy", "x "), ("é", "z")]
    assert read_text(tmp_path, text, header=False, delimiter=delimiter) == expected
    edges = read(tmp_path / "g.txt", options=options_of(header=False, delimiter=delimiter))
    assert edges.notes[-1] == "blanks around ids are part of them, as in ' bob' of line 1"
    numbers = text.replace("ann", "1").replace("bob", "2").replace("cy d", "3").replace("cy", "4")
    numbers = numbers.replace('"x "', '"5"').replace("é", "6").replace("z", "7")
    assert read_text(tmp_path, numbers, header=False, delimiter=delimiter) == [(1, 2), (2, 3), (4, 5), (6, 7)]
    with pytest.raises(FileFormatError, match="an empty column where a name should be"):
        read_text(tmp_path, f"a{delimiter} \nb{delimiter}c\n", header=False, delimiter=delimiter, ids="names")


@pytest.mark.parametrize("text", ["", "\n", " \t\r\n\n", "\ufeff", "\ufeff\n \n"])
def test_a_text_without_edges_has_a_header_or_a_comment(text: str, tmp_path: Path) -> None:
    for ids in ("auto", "names", "dense"):
        with pytest.raises(FileFormatError, match="the file is empty"):
            read_text(tmp_path, text, ids=ids)
        for rest in ("# c", "source,target\n"):
            assert read_text(tmp_path, text + rest, ids=ids) == []
    with pytest.raises(FileFormatError, match="the file is empty"):
        landbridge.components(chunks=tmp_path / "g.txt") if (tmp_path / "g.txt").write_text(text) >= 0 else None


def test_words_longer_than_the_window(tmp_path: Path) -> None:
    """The first rows choose the dialect whole."""
    word = "x" * 1_200_000
    assert read_text(tmp_path, f"{word} b\nb {word}\n", header=False) == [(word, "b"), ("b", word)]
    assert read_text(tmp_path, f"source,target\n{word},b\nb,c\n") == [(word, "b"), ("b", "c")]
    with pytest.raises(FileFormatError, match=r"line 1, byte 1: a quote that nothing closes"):
        read_text(tmp_path, f'"{word}\nb",c\nd,e\n')


def test_lines_longer_than_the_window(tmp_path: Path) -> None:
    text = f"src,dst,note\n1,2,{'x' * 3_000_000}\n3,4,y\n"
    assert read_text(tmp_path, text) == NUMBERS


def test_peeked_bytes_are_read_again(tmp_path: Path) -> None:
    data = "".join(f"{i} {i + 1}\n" for i in range(400_000)).encode()
    path = tmp_path / "g.gz"
    path.write_bytes(gzip.compress(data, 1))
    with Source(str(path)) as source:
        assert source.peek(10) == data[:10]
        assert source.peek(1 << 20) == data[: 1 << 20]
        assert source.peek(5) == data[:5]
        assert b"".join(source.line_blocks(7)) == data[7:]
    edges = read(path, format="edges")
    assert isinstance(edges, EdgeList)
    assert np.array_equal(edges.u, np.arange(400_000)) and np.array_equal(edges.v, np.arange(1, 400_001))


def test_notes_name_the_header_and_the_kind_of_ids(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("id,source,target\n1,ann,bob\n2,bob,cy\n")
    assert read(path).notes == (
        "line 1 is taken as a header (id, source, target); columns source and target are the edges",
        "ids are text: vertices are the names that occur",
    )
    assert read(path, options=options_of(columns=("source", "target"), ids="names")).notes == ()


@pytest.mark.parametrize("text", ["#rust,#python\nann,bob\nbob,cy\n", "ann,bob\nbob,cy\n#rust,#python\n"])
def test_names_that_begin_with_comment_characters(text: str, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=r"a comment or an edge\? comment='#' says that such lines are comments"):
        landbridge.components(path, ids="names", header=False)
    assert landbridge.components(path, ids="names", header=False, comment="#").count == 1
    assert landbridge.components(path, ids="names", header=False, comment="").count == 2
    path.write_text("# of people, in no order\n## a,b\nann,bob\n# more\nbob,cy\n")
    assert landbridge.components(path, ids="names", header=False).count == 1


@pytest.mark.parametrize("pad", ["1 2\n" * 200, ""])
@pytest.mark.parametrize("line", ["007 8", "8 007", '"007" 8'])
def test_numbers_with_leading_zeros_are_refused_unless_ids_are_set(pad: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text(f"{pad}5 6\n{line}\n{pad}")
    with pytest.raises(FileFormatError, match="a number that begins with zeros: ids='names' keeps them, ids='sparse'"):
        read(path)
    assert 7 in landbridge.components(path, ids="sparse").ids.tolist()  # type: ignore[union-attr]
    assert "007" in list(landbridge.components(path, ids="names").ids)  # type: ignore[arg-type]
    path.write_text("0 1\n10 0\n")
    assert landbridge.components(path).ids.tolist() == [0, 1, 10]  # type: ignore[union-attr]


PARTED: list[tuple[str, str, Pairs]] = [
    ("g.csv", "de|1,de|2\nde|3,de|4\n", [("de|1", "de|2"), ("de|3", "de|4")]),
    ("g.csv", "new york,rio\nlos angeles,san jose\n", [("new york", "rio"), ("los angeles", "san jose")]),
    ("g.csv", "10 20 A,30 40 B\n", [("10 20 A", "30 40 B")]),
    ("g.tsv", "a|b\tc,d\ne|f\tg,h\n", [("a|b", "c,d"), ("e|f", "g,h")]),
    ("g.txt", "bob;cy;0,9\ncy;dora;1,5\n", [("bob", "cy"), ("cy", "dora")]),
    ("g.txt", "new york,los angeles\nsan jose,rio grande\n", [("new york", "los angeles"), ("san jose", "rio grande")]),
    ("g.txt", "ann, bob\nbob, cy\n", [("ann", " bob"), ("bob", " cy")]),
    ("g.txt", "1\t2\n3\t4\n", NUMBERS),
    ("g.txt", "1,2,a;b\n3,4,c;d\n", NUMBERS),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), PARTED)
def test_the_suffix_or_the_numbers_choose_among_delimiters(
    name: str, text: str, expected: Pairs, tmp_path: Path
) -> None:
    header = None if expected in (NAMES, NUMBERS) else False
    assert read_text(tmp_path, text, name, header=header) == expected


@pytest.mark.parametrize(
    ("name", "text", "first", "second"),
    [
        ("g.txt", "de|1,de|2\nde|3,de|4\n", "|", ","),
        ("g.csv", "http://x;s=1,http://y;s=2\n", ";", ","),
        ("g.txt", "a,b c,d\nc,d e,f\n", ",", " "),
        ("g.txt", "1,2 3,4\n", ",", " "),
        ("g.csv", "1;2,3;4\n", ";", ","),
        ("g.txt", "1 2 x,y\n3 4 z,w\n", ",", " "),
    ],
)
def test_two_delimiters_are_refused_unless_set(name: str, text: str, first: str, second: str, tmp_path: Path) -> None:
    hint = f"delimiter={first!r} or delimiter={second!r}"
    with pytest.raises(FileFormatError, match=r"line 1: .* both part the lines") as error:
        read_text(tmp_path, text, name)
    assert hint in str(error.value)
    for delimiter in (first, second):
        assert read_text(tmp_path, text, name, delimiter=delimiter, header=False, ids="names")


@pytest.mark.parametrize("text", ["#a,#b\n#c,#d\n", "src,dst\n#a,#b\n", "# x\n\n#c,d\n", "#a #b\n", "%a\tb\n"])
def test_comments_alone_that_look_like_edges_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"a comment or an edge\? comment='[#%]'"):
        read_text(tmp_path, text)
    assert read_text(tmp_path, text, comment="#%") == []
    assert read_text(tmp_path, text, ids="sparse") == []
    assert read_text(tmp_path, "# a comment, no edge\n## a,b\n#\n#done today\n") == []


@pytest.mark.long
@pytest.mark.parametrize("line", [2, 1500, *(pytest.param(line, marks=pytest.mark.long) for line in (900, 3000))])
@pytest.mark.parametrize("again", ["left,up", "up,right", "left,right"])
def test_a_header_by_words_has_no_words_that_are_ids(line: int, again: str, tmp_path: Path) -> None:
    rows = [f"p{i},q{i}" for i in range(3100)]
    assert len(read_text(tmp_path, "\n".join(["left,right", *rows]))) == 3100
    rows[line] = again
    text = "\n".join(["left,right", *rows])
    with pytest.raises(FileFormatError, match=r"line 1: it is ambiguous .*header=True.*header=False.*: 'left,right'"):
        read_text(tmp_path, text)
    assert len(read_text(tmp_path, text, header=False)) == 3101
    if again != "left,right":
        assert len(read_text(tmp_path, text, header=True)) == 3100
        return
    with pytest.raises(FileFormatError, match=rf"line {line + 2}: this line repeats the header of line 1"):
        read_text(tmp_path, text, header=True)


def test_words_of_a_header_that_are_not_utf8_are_compared_as_bytes(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    for first in (b"\xffsrc,dst,w", b"src,\xffdst,w", b'"\xffsrc","dst","w"', b"src,dst,\xff"):
        for rows in (b"a,b,1\nb,c,2\n", b"a,b,1\n\xc3\xbfa,a,2\n"):
            path.write_bytes(first + b"\n" + rows)
            assert landbridge.components(path, ids="names").count == 1


@pytest.mark.long
@pytest.mark.parametrize("line", [1, 2500])
def test_a_repeated_header_is_refused(line: int, tmp_path: Path) -> None:
    rows = [f"p{i},q{i},0.5" for i in range(3000)]
    rows[0] = "src,dst,0.5"  # ids with a header over them
    assert len(read_text(tmp_path, "\n".join(["src,dst,score", *rows]))) == 3000
    rows[line] = "src,dst,score"
    text = "\n".join(["src,dst,score", *rows])
    for options in ({}, {"header": True}, {"ids": "names"}, {"columns": ("src", "dst")}):
        with pytest.raises(FileFormatError, match=rf"line {line + 2}: this line repeats the header of line 1"):
            read_text(tmp_path, text, **options)
    assert len(read_text(tmp_path, text, header=False, columns=(0, 1))) == 3001


@pytest.mark.parametrize(
    ("text", "options", "line", "way_out"),
    [
        ("src,dst\n1,2\nsrc,dst\n3,4\n", {"ids": "names"}, 3, {"header": False}),
        ("src,dst\n1,2\nsrc,dst\n3,4\n", {"header": True, "ids": "names"}, 3, {"header": False}),
        ("src,dst\r\n1,2\r\n3,4\r\nsrc,dst", {"header": True, "ids": "names"}, 4, {"header": False}),
        ("src,dst\n1,2\nsrc,dst\n3,4\n", {}, 3, {"header": False, "ids": "names"}),
        ("src,dst\n1,2\n\n# b\nsrc,dst\n3,4\n", {"ids": "dense"}, 5, {"header": False, "ids": "names"}),
        ("k,u,v\n0,a,b\nk,u,v\n1,c,d\n", {"header": True}, 3, {"header": False, "columns": (1, 2)}),
        ("k,u,v\n0,a,b\nk,u,v\n1,c,d\n", {"columns": ("u", "v")}, 3, {"header": False, "columns": (1, 2)}),
        ("0,1,w\n5,6,2\n0,1,w\n7,8,2\n", {"header": True}, 3, {"header": False, "columns": (0, 1)}),
        (",0,1\n0,5,6\n,0,1\n1,7,8\n", {}, 3, {"header": False, "columns": (1, 2)}),
        ("src,dst\n1,2\nSRC,DST\n3,4\n", {}, 3, {"header": False, "ids": "names"}),
        ("src,dst\na,b\nSRC,DST\nc,d\n", {}, 3, {"header": False}),
        ("src,dst\n1,2\nSrc,Dst\n3,4\n", {"ids": "names"}, 3, {"header": False}),
        ("SOURCE,TARGET\na,b\nsource,target\nc,d\n", {"header": True}, 3, {"header": False}),
        ("src,dst,w\na,b,1\nSRC,DST,W\nc,d,2\n", {}, 3, {"header": False, "columns": (0, 1)}),
    ],
)
def test_a_repeated_header_is_refused_also_where_the_caller_says_that_it_is_one(
    text: str, options: dict[str, Any], line: int, way_out: dict[str, Any], tmp_path: Path
) -> None:
    hint = ", ".join(f"{name}={value!r}" for name, value in way_out.items())
    with pytest.raises(FileFormatError, match=f"line {line}: this line repeats the header of line 1") as error:
        read_text(tmp_path, text, **options)
    assert f"or say {hint} if both" in str(error.value)
    rows = [row for row in text.splitlines() if row and not row.startswith("#")]
    assert len(read_text(tmp_path, text, **{**options, **way_out})) == len(rows)


def test_an_edge_that_equals_a_header_of_numbers_is_one(tmp_path: Path) -> None:
    for ids in ("sparse", "names"):
        assert len(read_text(tmp_path, "5 4\n1 2\n5 4\n", header=True, ids=ids)) == 2


@pytest.mark.parametrize("word", ["1e55", "0.5", "2026-01-01", "true"])
def test_any_word_is_a_name_where_the_caller_says_so(word: str, tmp_path: Path) -> None:
    for text in (f"{word},abc\n", f"{word},abc\n{word},abd\n"):
        for options in ({"header": False}, {"columns": (0, 1), "header": False}):
            assert read_text(tmp_path, text, ids="names", **options)[0] == (word, "abc")
    with pytest.raises(FileFormatError, match=r"holds fractions, which are no ids: ids='names' takes it as text"):
        read_text(tmp_path, "0.5,abc\n", header=False)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
def test_carriage_returns_at_the_end_of_a_line_are_part_of_the_end(end: str, tmp_path: Path) -> None:
    numbers = [(number, number + 1) for number in range(40)]
    text = "".join(f"{u},{v}{end}" for u, v in numbers)
    assert read_text(tmp_path, text) == numbers
    assert read_text(tmp_path, "src,dst" + end + text + end) == numbers
    names = [(f"a{u}", f"b{v}") for u, v in numbers]
    assert read_text(tmp_path, "".join(f'{u},"{v}"{end}' for u, v in names)) == names
    with pytest.raises(FileFormatError, match="line 1: a comment or an edge"):
        read_text(tmp_path, f"#a,#b{end}")


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("[1,2]\n[3,4]\n", r"a pair on each line goes in as \[json\.loads\(line\) for line in open\(path\)\]"),
        ("[[1,2],[3,4]]", r"format='jsonl'.*json\.load"),
        ('{"a":1,"b":2}\n{"a":3,"b":4}\n', r"format='jsonl'.*json\.load"),
        ("[\n [1, 2],\n [3, 4]\n]\n", r"format='jsonl'.*json\.load"),
        ('["a","b"],\n', r"json\.load returns it, and the pairs of lines are one in brackets"),
    ],
)
@pytest.mark.parametrize("ids", [None, "names", "dense"])
def test_json_is_no_list_of_edges(text: str, way_out: str, ids: str | None, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"line 1: this is JSON, not a list of edges: .*" + way_out):
        read_text(tmp_path, text, ids=ids)


def test_pairs_on_lines_of_json_go_in_as_the_error_says(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for text in ("[1, 2]\n[2, 3]\n", '["a", "b"]\n["b", "c"]\n'):
        path.write_text(text)
        with pytest.raises(FileFormatError, match=r"\[json\.loads\(line\) for line in open\(path\)\]"):
            landbridge.components(path)
        with path.open() as lines:
            assert landbridge.components([json.loads(line) for line in lines]).count == (2 if text[1] == "1" else 1)


MATRICES = [
    "0,1,0\n1,0,1\n0,1,0\n",
    "0 1 0\n0 0 1\n0 0 0\n",
    "0,7,2\n7,0,3\n2,3,0\n",
    ",a,b\na,0,1\nb,1,0\n",
    ",0,1,2\n0,0,1,0\n1,1,0,1\n2,0,1,0\n",
    ",0,1\n0,0.0,1.0\n1,1.0,0.0\n",
    "\n".join(",".join("01"[abs(i - j) == 1] for j in range(1100)) for i in range(1100)),
    "0,1,0,\n1,0,1,\n0,1,0,\n",
    "0,7,2,\n7,0,3,\n2,3,0,\n",
    "0,1,2\n0,1,0\n1,0,1\n0,1,0\n",
    "1 2 3\n0 1 0\n1 0 1\n0 1 0\n",
    "0,1,2,\n0,1,0,\n1,0,1,\n0,1,0,\n",
    "0,0,1,0\n1,1,0,1\n2,0,1,0\n",
    "a,0,1,0\nb,1,0,1\nc,0,1,0\n",
    ",a,b,c\na,0,1,0\nb,1,0,1\nc,0,1,0\n",
    "0,1,2,3\n1,0,1,0\n2,1,0,1\n3,0,1,0\n",
    "-,5,9,7\n5,0,1,0\n9,1,0,1\n7,0,1,0\n",
    "\n".join(",".join([f"v{i}", *("01"[abs(i - j) == 1] for j in range(1100))]) for i in range(1100)),
    '"","V1","V2","V3"\n"1",0,1,0\n"2",1,0,1\n"3",0,1,0\n',
    '"","V1","V2","V3"\n"V1",0,1,0\n"V2",1,0,1\n"V3",0,1,0\n',
    '"V1","V2","V3"\n0,1,0\n1,0,1\n0,1,0\n',
    "V1,V2,V3\n0,1.5,2\n1.5,0,1\n2,1,0\n",
    "x1,x2,x3\n0,1,0\n1,0,1\n0,1,0\n",
    "ann,bob,cy\n0,1,0\n1,0,1\n0,1,0\n",
    "10,20,30\n0,1,0\n1,0,1\n0,1,0\n",
    "30,10,20\n0,1,0\n1,0,1\n0,1,0\n",
    ",10,20,30\n10,0,1,0\n20,1,0,1\n30,0,1,0\n",
    "10,0,1,0\n20,1,0,1\n30,0,1,0\n",
    "0,1,0,,\n1,0,1,,\n0,1,0,,\n",
    "V1,V2,V3,,\n0,1,0,,\n1,0,1,,\n0,1,0,,\n",
]


@pytest.mark.parametrize(
    "text",
    [pytest.param(text, marks=[pytest.mark.long] * (len(text) > 1000), id=str(i)) for i, text in enumerate(MATRICES)],
)
def test_adjacency_matrices_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"line 1: it looks like an adjacency matrix") as error:
        read_text(tmp_path, text)
    options = said_by(str(error.value))
    assert len(read_text(tmp_path, text, **options)) == len(text.splitlines()) - ("header" in options)
    assert read_text(tmp_path, text, columns=(1, 2), header=text.startswith(","), ids="names")
    if not text.startswith(","):
        assert len(read_text(tmp_path, text, columns=(0, 1), ids="names", header=False)) == len(text.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        ",0,1\n0,5,6\n1,7,8\n",
        "0,1,5\n1,2,6\n2,0,7\n0,3,1\n",
        "1 2 1\n2 3 1\n4 1 1\n",
        ",0,1\n0,0,1\n1,1,0\n2,5,5\n",
        "0,1,\n1,0,\n",
        "0,1,2\n0,1,5\n1,0,5\n0,2,7\n",
        "0,1,2\n0,1,0\n1,0,1\n",
        "5,1,0\n0,1,0\n1,0,1\n0,1,0\n",
        "ann,1,0,1\nann,0,1,0\nbob,1,0,1\n",
        "ann,bob,0,1\nbob,cy,1,0\ncy,ann,0,1\n",
        "ann,1,0\nbob,0,1\ncy,1,1\n",
        "src,dst,w\n0,1,1\n1,0,1\n0,1,1\n",
        "customer,shop,amount\n0,1,0\n1,0,1\n0,1,0\n",
        '"","V1","V2"\n"1",0,1\n"2",1,0\n',
        "V1,V2,V3\n0,1,5\n1,0,6\n0,1,7\n",
        "10,0,1,0\n10,1,0,1\n30,0,1,0\n",
    ],
)
def test_edges_in_as_many_columns_as_rows_are_edges(text: str, tmp_path: Path) -> None:
    has_header = not text[0].isdigit() and not text.startswith("ann")
    assert len(read_text(tmp_path, text)) == text.count("\n") - has_header


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("src\n1\n2\n", r"line 1, byte 1: this line has 1 column where 2 are needed: 'src'"),
        ("0:1\n1:2\n", r"1 column where 2 are needed; delimiter=':' makes 2: '0:1'"),
        ("a=b\nb=c\n", r"1 column where 2 are needed; delimiter='=' makes 2: 'a=b'"),
        ("12:30:1\n1:2:3\n", r"1 column where 2 are needed: '12:30:1'"),
        ("http://a\nhttp://b\n", r"1 column where 2 are needed: 'http://a'"),
        ("0:1\n2\n", r"1 column where 2 are needed: '0:1'"),
        ("1: 2 3\n2: 4 5\n", r"line 1: column 0 .from 0. holds names with colons behind them.*columns="),
        ("src,dst\n1,2\n".encode("utf-16-le"), r"line 1: the text may be UTF-16; encoding='utf-16-le' reads it"),
        ("src,dst\n1,2\n".encode("utf-16-be"), r"line 1: the text may be UTF-16; encoding='utf-16-be' reads it"),
        ("src,dst\n1,2\n".encode("utf-32"), r"line 1: the text is UTF-32; encoding='utf-32' reads it"),
    ],
)
def test_texts_that_are_no_edges_are_named(text: str | bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=problem):
        read_text(tmp_path, text)
    if isinstance(text, bytes):
        assert read_text(tmp_path, text, encoding=problem.split("'")[1]) == [(1, 2)]


@pytest.mark.parametrize("options", [{"header": False}, {"ids": "names", "header": False}])
@pytest.mark.parametrize(
    "text",
    [
        "[1] [2]\n[3] [4]\n",
        "[a],[b]\n[c],[d]\n",
        "{a} {b}\n{c} {d}\n",
        "[::1]\t[::2]\n[::2]\t[::3]\n",
        "(C)C,C(O)\n(N)C,C(C)\n",
        "[[A b]]\t[[B c]]\n[[B c]]\t[[C d]]\n",
        '"(0, 0)","(0, 1)"\n"(0, 1)","(1, 1)"\n',
        "[a],[b],1.5\n[c],[d],2.5\n",
    ],
)
def test_names_in_brackets_are_names(text: str, options: dict[str, Any], tmp_path: Path) -> None:
    assert len(read_text(tmp_path, text, **options)) == 2


@pytest.mark.parametrize("first", ['["a","b"]', '{"n": 3, "m": 2}', "[1, 2]"])
def test_a_first_line_that_is_left_out_may_be_json(first: str, tmp_path: Path) -> None:
    for options in ({"header": True}, {"comment": first[0]}):
        assert read_text(tmp_path, f"{first}\n0,1\n2,3\n", delimiter=",", **options) == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    ("text", "header", "line"),
    [("[1,2]\n[3,4]\n", True, 2), ("src,dst\n\n[1,2]\n", True, 3), ("\n\n[1,2]\n[3,4]\n", None, 3)],
)
def test_the_first_line_that_is_read_is_no_json(text: str, header: bool | None, line: int, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=f"line {line}: this is JSON"):
        read_text(tmp_path, text, header=header)


def test_leading_counts_are_refused(tmp_path: Path) -> None:
    square = "3 3 2\n0 1 5\n1 2 5\n"
    for text in ("5 4\n1 2\n2 3\n4 5\n5 1\n", "4 2\n1 2\n3 4\n", "4 1\n1 2\n", square):
        with pytest.raises(FileFormatError, match=r"line 1: the first row could be counts.*header=True.*header=False"):
            read_text(tmp_path, text)
        assert len(read_text(tmp_path, text, header=True, columns=(0, 1))) == text.count("\n") - 1
        assert len(read_text(tmp_path, text, header=False)) == text.count("\n")
    for other in (
        "6 5\n1 2\n2 3\n4 5\n5 1\n",
        "4 4\n1 2\n2 3\n4 5\n5 1\n",
        "5 1\n1 2\n2 3\n",
        "5 0\n",
        "3 2 2\n0 1 5\n1 2 5\n",
    ):
        assert len(read_text(tmp_path, other)) == other.count("\n")
    expected = [(4, 5), (1, 2), (2, 3), (0, 5), (3, 2), (1, 4)]
    landbridge_file = tmp_path / "own.txt"
    write_edges((np.array([a for a, _ in expected]) + 1, np.array([b for _, b in expected])), landbridge_file)
    assert len(pairs_of(read(landbridge_file))) == 6
    write_edges((np.array([4, 1]), np.array([1, 2])), landbridge_file)
    assert pairs_of(read(landbridge_file)) == [(4, 1), (1, 2)]


@pytest.mark.parametrize("text", ['"",0,""\n"b",0,""\n', '"",b\nb,""\n', 'b,""\n"",c\nc,b\n'])
def test_a_quoted_id_may_be_empty(text: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"ids": "names", "header": False}
    assert any("" in pair for pair in read_text(tmp_path, text, **options))
    assert read_text(tmp_path, text, ids="names") == read_text(tmp_path, text, **options)


@pytest.mark.parametrize("options", [{"ids": "dense"}, {"ids": "sparse"}, {"num_vertices": 3}])
def test_a_header_alone_is_noted(options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("src,dst\n")
    for result in (landbridge.components(path, **options), landbridge.components(chunks=path, **options)):
        assert "line 1 is taken as a header (src, dst)" in result.notes[0]
        assert "no edges are below it" in result.notes[0]


@pytest.mark.parametrize("options", [{}, {"ids": "names"}, {"ids": "dense"}, {"ids": "sparse"}, {"num_vertices": 3}])
@pytest.mark.parametrize("text", ["a,b", "a b\n", "u,v\n", "ann,bob\n", "ann bob\n", "ann,bob,0.5\n", "name1,name2\n"])
def test_one_line_of_names_is_no_header_unless_it_names_columns(
    text: str, options: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(FileFormatError, match=r"line 1: it is ambiguous .*header=True.*header=False"):
        read_text(tmp_path, text, **options)
    assert read_text(tmp_path, text, header=True, **options, columns=(0, 1)) == []
    assert len(read_text(tmp_path, text, header=False, ids="names", columns=(0, 1))) == 1
    if options.get("ids") != "names" and options:
        with pytest.raises(FileFormatError, match="ids are names here"):
            read_text(tmp_path, text, header=False, **options)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("C1,C2\nC7,C9\n", None),
        ("BRCA1 BRCA2\nTP53 MDM2\n", None),
        ("Person 1,Person 2\nann,bob\nbob,cy\n", "header=True"),
        ("name1,name2\nbob,cy\n", "header=True"),
        ("KundeA;KundeB\nAnna;Ben\n", "header=True"),
        ("王1,王0\n李2,张3\n", None),
        ("a -> b\nb -> c\n", "column 1 .from 0. holds nothing but ->, which is no id"),
        ("0.5,bob,cy\n0.7,cy,dan\n", "column 0 .from 0. holds fractions, which are no ids"),
        ("<!DOCTYPE html>\n<html>\n", "this is a page of HTML, not a list of edges: "),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:1 2\n", "a pointer of Git LFS"),
    ],
)
def test_names_that_could_be_a_header(text: str, message: str | None, tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text(text)
    if message is None:
        assert len(read(path).u) == 2  # type: ignore[union-attr]
        return
    with pytest.raises(FileFormatError, match=message):
        read(path)


def test_names_may_begin_as_a_page_does(tmp_path: Path) -> None:
    text = "<html>,<body>\n<body>,<p>\n"
    with pytest.raises(FileFormatError, match="a page of HTML"):
        read_text(tmp_path, text, ids="names")
    assert read_text(tmp_path, text, ids="names", header=False) == [("<html>", "<body>"), ("<body>", "<p>")]
    with pytest.raises(FileFormatError, match="a page of HTML"):
        read_text(tmp_path, text, ids="names", header=True)
    for header in (True, False):
        with pytest.raises(FileFormatError, match="a Matrix Market file"):
            read_text(tmp_path, "%%MatrixMarket matrix coordinate\n3 3\n1 2\n", ids="names", header=header)


@pytest.mark.parametrize("text", ["source,target", "source,target\n", "src,dst\n\n# none\n"])
def test_a_header_alone_is_said_to_be_one(text: str, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(text)
    edges = read(path)
    assert len(edges.u) == 0  # type: ignore[union-attr]
    assert edges.notes[0].endswith("no edges are below it, and header=False takes it as one")
    assert landbridge.components(path, header=False).count == 1
    path.write_text("src,dst\n1,2\n")
    assert "no edges" not in read(path).notes[0]


def test_edges_that_differ_from_the_header_in_case_are_edges(tmp_path: Path) -> None:
    for text in ("a,b\nA,B\nx,yy\n", "name1,name2\nNAME1,NAME2\nx,yy\n", "src,dst,w\na,b,1\nSRC,DST,2\n"):
        assert len(read_text(tmp_path, text, header=True, ids="names")) == 2


def test_a_row_with_a_number_over_numbers_is_an_edge(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for other in ("0.9,0.8", "2024-01-01,2024-01-02"):
        one, two = other.split(",")
        path.write_text(f"C1,C2,{one}\nC7,C9,{two}\n")
        assert sorted(read(path).ids) == ["C1", "C2", "C7", "C9"]  # type: ignore[union-attr]
        path.write_text(f"C1,C2,when\nC7,C9,{two}\n")
        assert sorted(read(path).ids) == ["C7", "C9"]  # type: ignore[union-attr]


def test_columns_hold_for_a_last_row_longer_than_the_sample(tmp_path: Path) -> None:
    for start in (b"\n", b"# c\n", b""):
        path = tmp_path / "long.csv"
        path.write_bytes(start + b"9,1,2," + b"x" * 1_100_000)
        assert landbridge.components(path, columns=(1, 2)).ids.tolist() == [1, 2]
        with pytest.raises(InputError, match="there is no column 5"):
            landbridge.components(path, columns=(1, 5))


def test_a_quote_that_one_delimiter_leaves_open_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "quote.txt"
    for text in ('a|"b c\nd,e\n', "',|\";bba\n,|\"'"):
        path.write_text(text)
        with pytest.raises(FileFormatError, match=r"quote\.txt"):
            landbridge.components(path)


def test_counts_are_named_also_where_they_are_out_of_range(tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    path.write_text("4 4\n0 1\n1 2\n2 3\n3 0\n")
    for n in (4, np.int64(4)):
        with pytest.raises(FileFormatError, match=r"line 1, .* could be counts: header=True"):
            landbridge.components(path, num_vertices=n)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["2 2\n0 1\n1 2\n", "5 4\n1 2\n2 3\n4 5\n5 1\n", "3 3 2\n0 1 5\n1 2 5\n"])
def test_a_number_of_vertices_says_what_the_first_row_counts(text: str, tmp_path: Path) -> None:
    """Counts are of the vertices that the caller says there are; of any other number they are an edge."""
    path, n = tmp_path / "counts.txt", int(text[0])
    path.write_text(text)
    whole = landbridge.components(path, num_vertices=n + 1)
    assert len(whole.labels) == n + 1
    assert landbridge.components(chunks=path, num_vertices=n + 1).labels.tolist() == whole.labels.tolist()
    assert landbridge.components(path, num_vertices=n + 1, header=False).labels.tolist() == whole.labels.tolist()
    for options in ({}, {"num_vertices": n, "base": 1}, {"num_vertices": n}):
        for call in ({"graph": path}, {"chunks": path}):
            with pytest.raises(FileFormatError, match=r"could be counts|out of range|count from 1"):
                landbridge.components(**call, **options)  # type: ignore[arg-type]


def test_one_edge_is_no_edges(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("1 1\n0 1\n")
    with pytest.raises(FileFormatError, match="of 1 vertex and the 1 edge below it"):
        landbridge.components(path)
    path.write_text("# Nodes: 1 Edges: 1\n0 1\n1 2\n")
    notes = landbridge.components(path, ids="dense").notes
    assert any("the header says 1 edge, the file has 2" in note for note in notes)
    assert any("the header says 1 node, ids go up to 2" in note for note in notes)
    assert repr(landbridge.Graph(([0], [0]))).startswith("Graph(1 vertex, 1 stored edge,")


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000, "[" * 200_000])
def test_json_of_any_depth_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"line 1: this is JSON, not a list of edges"):
        read_text(tmp_path, f"{text}\n1 2\n")


def test_a_long_number_beside_many_columns_takes_no_memory(tmp_path: Path) -> None:
    row = " ".join(["1"] * 250)
    text = f"{row}\n" * 900 + row + "1" * 500_000 + "\n"
    path = tmp_path / "g.txt"
    path.write_text(text)
    tracemalloc.start()
    assert len(pairs_of(read(path))) == 901
    assert tracemalloc.get_traced_memory()[1] < 1 << 28
    tracemalloc.stop()


def test_a_header_with_a_number_of_many_digits(tmp_path: Path) -> None:
    assert read_text(tmp_path, "9" * 5000 + ",x\n1,2\n2,3\n", header=True) == [(1, 2), (2, 3)]


def test_a_first_line_of_one_column_may_begin_an_adjacency_list(tmp_path: Path) -> None:
    with pytest.raises(
        FileFormatError, match=r"line 1, byte 1: this line has 1 column.*an adjacency list, whose lines"
    ):
        read_text(tmp_path, "3\n0 1\n1 2\n")


@pytest.mark.parametrize("before", [0, 1, 400_000])
def test_a_header_is_repeated_at_any_distance(before: int, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("src,dst\n" + "1,2\n" * before + "src,dst\n3,4\n5,6\n")
    with pytest.raises(FileFormatError, match=rf"line {before + 2}: this line repeats the header of line 1"):
        read(path, options=options_of(ids="sparse", header=True))


@pytest.mark.parametrize("tail", ["", "\r\n7,8,c\n", "\n7,8,c"])
def test_a_long_header_takes_time_by_its_length(tail: str, tmp_path: Path) -> None:
    path, header = tmp_path / "g.csv", "src,dst," + "x" * 2_000_000
    for rows, ids in (("1,2,a\n", "sparse"), ("a,b,c\n", "names")):
        for again, problem in ((header, "line 102: this line repeats the header of line 1"), (header[:-1], None)):
            path.write_text(f"{header}\n{100 * rows}{again}{tail}", newline="")
            began = time.process_time()
            if problem is None and ids == "names":
                read(path, options=options_of(ids=ids, header=True))
            else:
                with pytest.raises(FileFormatError, match=problem or "line 102, byte 1: expected a vertex id"):
                    read(path, options=options_of(ids=ids, header=True))
            assert time.process_time() - began < 5


def test_a_wrong_line_under_a_header_is_reported_without_a_look_at_those_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"

    def seconds(first: str, lines: int) -> float:
        path.write_text(f"src,dst\n{first}\n" + "123456,789012\n" * lines)
        times = []
        for _ in range(3):
            began = time.process_time()
            with contextlib.suppress(FileFormatError):
                read(path, options=options_of(ids="sparse"), threads=1)
            times.append(time.process_time() - began)
        return min(times)

    # The first lines are looked at whatever follows; other programs may lengthen one of the times.
    many = 4_000_000
    assert any(seconds("4,x", many) - seconds("4,x", 1000) < seconds("4,5", many) / 3 for _ in range(5))


@pytest.mark.parametrize("text", ["(0, 1)\n(1, 2)\n", "[[0, 1],\n [1, 2]]\n", "[[0 1]\n [1 2]]\n"])
def test_lists_and_arrays_as_python_prints_them_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text(text)
    with pytest.raises(FileFormatError, match=r"line 1.*(brackets, as Python prints|this is JSON)"):
        landbridge.components(tmp_path / "g.txt")


@pytest.mark.parametrize("text", ["C:,D:\nD:,E:\n", "C: D:\nD: E:\n", "C:,host\nD:,host\n", '"C:" "x"\n"D:" "x"\n'])
def test_names_that_end_in_colons_are_names_unless_a_blank_behind_them_begins_a_list(text: str, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(text)
    assert landbridge.components(tmp_path / "g.csv").count == 1


@pytest.mark.parametrize("again", ['"src","dst"', 'src,"dst"'])
def test_a_header_repeated_in_quotes_is_refused(again: str, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for before in (1, 300_000):
        path.write_text("src,dst\n" + "a,b\n" * before + f"{again}\nb,c\n")
        what = f"line {before + 2}: this line repeats the header of line 1.*header=False"
        for reader in (landbridge.components, landbridge.components_of_chunks):
            with pytest.raises(FileFormatError, match=what):
                reader(path, header=True)
    assert landbridge.components(path, header=False).count == 2


@pytest.mark.parametrize("names", [None, range(1, 6)])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_numbered_columns_that_are_adjacency_matrices_are_refused(library: str, names: Any) -> None:
    module = pytest.importorskip(library)
    path = np.eye(5, k=1, dtype=int) + np.eye(5, k=-1, dtype=int)
    if library == "pandas":
        frame = module.DataFrame(path, columns=names)
    else:
        frame = module.DataFrame(path, schema=None if names is None else [f"column_{i}" for i in names])
    with pytest.raises(InputError, match="it looks like an adjacency matrix"):
        landbridge.components(frame)
    landbridge.components(frame, columns=(0, 1) if library == "polars" or names is None else ("1", "2"))
    rows = np.arange(25).reshape(5, 5)  # a table of as many rows as columns
    assert landbridge.components(module.DataFrame(rows)).count > 0


@pytest.mark.parametrize("kind", ["Int64", "Float64", "int64[pyarrow]"])
def test_a_missing_weight_in_a_frame_of_as_many_rows_as_columns(kind: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[0, 1], [1, 2], [2, 0]])
    frame[2] = pandas.Series([1, None, 2]).astype("Int64").astype(kind)
    assert landbridge.components(frame).count == 1
    named = frame.set_axis(pandas.Index([0, 1, 2], dtype="int64"))
    assert landbridge.components(named).count == 1


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("line", ["# 12 Main St,bob", "## x,b", "% off,b", "  # a,b"])
def test_comments_with_a_blank_that_could_be_edges_are_refused_below_the_first_row(
    line: str, delimiter: str, tmp_path: Path
) -> None:
    line = line.replace(",", delimiter)
    header, row, other = f"source{delimiter}target\n", f"ann{delimiter}bob\n", f"bob{delimiter}cy\n"
    for text, at in (
        (header + line + "\n" + row, 2),
        (header + row + line, 3),
        ("# c\n" + row + line + "\n", 3),
        (row + other * 20 + line + "\n", 22),
    ):
        is_header = text.startswith("source")
        with pytest.raises(FileFormatError, match=f"line {at}: a comment or an edge.*{line[:4].strip()}"):
            read_text(tmp_path, text, header=is_header)
        with pytest.raises(InputError, match="a comment or an edge"):
            landbridge.components(chunks=tmp_path / "g.txt", header=is_header, chunk_size=2)
        answer = landbridge.components(tmp_path / "g.txt", header=is_header, comment="#%")
        assert len(answer.labels) == 2 + (other in text)
        if not text.startswith("#"):
            ids = landbridge.components(tmp_path / "g.txt", header=is_header, comment="").ids
            assert ids is not None and line.split(delimiter)[0] in ids.tolist()


def test_other_comments_stay_comments(tmp_path: Path) -> None:
    for text in (
        "# of people, in no order\nsource,target\nann,bob\nbob,cy\n",
        "# of people, in no order\n\n# a,b\nann,bob\nbob,cy\n",
        "ann,bob\n# more\n# a, b, c\n#\n# exported today,\nbob,cy\n",
        "ann bob\n# more\n# a b\nbob cy\n",
    ):
        assert read_text(tmp_path, text, header=text.endswith("target\n") or "source" in text) == NAMES
    assert read_text(tmp_path, "1,2\n# 5,6\n3,4\n") == NUMBERS


@pytest.mark.parametrize("lines", [131_070, 131_072, 200_000])
def test_a_comment_that_could_be_an_edge_is_found_far_below(lines: int, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("an,bob\n" + "bob,cyd\n" * lines + "  # a,b\n" + "bob,cyd\n" * 100_000)
    with pytest.raises(FileFormatError, match=f"line {lines + 2}: a comment or an edge.*'# a,b'"):
        read(path, options=options_of(header=False))
    with pytest.raises(InputError, match=f"line {lines + 2}: a comment or an edge"):
        landbridge.components(chunks=path, header=False, chunk_size=1000)
