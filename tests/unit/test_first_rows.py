"""First rows, words and columns of files by which an answer would be wrong without a word: they are asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracles.texts import pairs_of, read_text
from test_answers_of_questions import pairs, proposals, question

import landbridge
from landbridge.edges.files import read
from landbridge.errors import FileFormatError, InputError

PANDAS = [["AKT1", "BRCA1"], ["BRCA1", "TP53"], ["KRAS", "MYC"]]

ADDRESSES = {
    "phone": ["+49 30 123456", "(030) 55-0102", "555-0101"],
    "ip": ["10.0.0.1", "10.0.0.2", "192.168.1.17"],
    "address": ["fe80::1", "::1", "2001:db8::ff00:42"],
    "mac": ["aa:bb:cc:dd:ee:01", "aa:bb:cc:dd:ee:02", "0A-BB-CC-DD-EE-FF"],
    "email": ["ann@a.org", "bob.b@b.co.uk", "cy+1@c.com"],
    "url": ["https://a.org/x", "https://b.org", "ftp://c.org/1"],
    "uuid": [f"123e4567-e89b-12d3-a456-42661417400{i}" for i in "abc"],
}
"""Addresses, and a word for each kind."""

HEXADECIMAL = [["003e5327", "4a0d38ca"], ["12", "ff"], ["7c", "9a"]]


@pytest.mark.parametrize("name", ["", "index", "Unnamed: 0"])
@pytest.mark.parametrize("beside", ["", ",score", ",score,method"])
def test_the_header_of_a_frame_without_names_is_none_of_its_edges(name: str, beside: str, tmp_path: Path) -> None:
    path, values = tmp_path / "g.csv", {"": "", ",score": ",0.5", ",score,method": ",0.5,email"}[beside]
    for mark in ("", '"'):
        head = ",".join(f"{mark}{word}{mark}" for word in (name, "0", "1")) + beside
        for ids in (
            PANDAS,
            [["5", "6"], ["6", "8"], ["9", "7"]],
            HEXADECIMAL,
        ):
            text = f"{head}\n" + "".join(f"{i},{u},{v}{values}\n" for i, (u, v) in enumerate(ids))
            for options in ({"ids": "names"}, {"ids": "names", "columns": (1, 2)}, {"ids": "names", "header": True}):
                names = {"columns": ("0", "1")} if beside == ",score,method" and "columns" not in options else {}
                assert pairs(path, text, **options, **names) == list(map(tuple, ids))
            if ids is PANDAS and beside != ",score,method":
                assert pairs(path, text) == pairs(path, text, columns=(1, 2)) == list(map(tuple, PANDAS))


def test_pandas_writes_frames_without_names_that_are_read(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(PANDAS)
    for more in ({}, {"score": [0.5, 0.7, 0.9]}):
        table = frame.assign(**more)
        for quoting in (0, 1):
            table.to_csv(tmp_path / "a.csv", quoting=quoting)
            table.reset_index().to_csv(tmp_path / "b.csv", index=False, quoting=quoting)
            for name in ("a.csv", "b.csv"):
                assert pairs_of(read(tmp_path / name)) == list(map(tuple, PANDAS))


def test_the_empty_name_of_a_quoted_header_is_asked_about_whatever_the_columns(tmp_path: Path) -> None:
    path, text = tmp_path / "g.csv", '"","a","b","method"\n"1","b","c","x"\n"2","c","d","y"\n'
    options = question(path, text, "line 1: it is ambiguous whether the first row is a header")
    assert [len(pairs(path, text, **each)) for each in options] == [2, 3]
    options = question(path, text, "line 1: it is ambiguous whether the first row is a header", columns=(1, 2))
    assert [len(pairs(path, text, **each, columns=(1, 2))) for each in options] == [2, 3]
    text = '"","",""\n"1","node5","user_4"\n"2","node2","user_15"\n'
    options = question(path, text, "line 1: it is ambiguous whether the first row is a header")
    assert pairs(path, text, **options[0]) == [("node5", "user_4"), ("node2", "user_15")]
    text = '"";"";"when"\n"x:1";"x:2";"2024-01-01"\n'
    options = question(path, text, "line 1: it is ambiguous whether the first row is a header")
    assert pairs(path, text, **options[0]) == [("x:1", "x:2")]


def test_numbers_above_hexadecimal_ids_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for below in ("003e5327,4a0d38ca\n", "c2eb,5375\n1e4f,8102\n20bf,2293\n"):
        text = f"0,1\n{below}"
        for ids in ({}, {"ids": "names"}):
            options = question(path, text, "line 1: it is ambiguous whether the first row is a header", **ids)
            counts = [len(pairs(path, text, **{"ids": "names", **each})) for each in options]
            assert counts == [below.count("\n"), below.count("\n") + 1]
    text = "387f,bae2,0.31,2024-03-01\n9e42,9e41,0.4,2024-03-02\n"
    assert pairs(path, text) == [("387f", "bae2"), ("9e42", "9e41")]
    assert pairs(path, "387f,bae2\n9e42,9e41\n", ids="names") == [("387f", "bae2"), ("9e42", "9e41")]


def test_a_year_over_numbers_does_not_make_known_names_an_edge(tmp_path: Path) -> None:
    path, text = tmp_path / "g.csv", "src,dst,2019\nann,bob,5\ncy,dan,6\n"
    options = question(path, text, "line 1: it is ambiguous whether the first row is a header")
    assert [len(pairs(path, text, **each)) for each in options] == [2, 3]
    assert len(pairs(path, "ann,bob,2019\ncy,dan,6\n")) == len(pairs(path, "id1,id2,7\nid3,id4,8\n")) == 2


def test_words_for_no_value_are_no_names_unless_the_caller_says_so(tmp_path: Path) -> None:
    for word in ("NA", "n/a", "null", "NULL", "None", "NaN", "nan", "\\N", "<NA>"):
        for text in (f"src,dst\na,b\n\n% x\nb,{word}\nc,{word}\n", f'"{word}","a1"\n"b1","a1"\n'):
            line = 5 if text.startswith("src") else 1
            with pytest.raises(FileFormatError, match="stands for no value") as error:
                read_text(tmp_path, text)
            assert error.value.line == line and proposals(str(error.value)) == [{"ids": "names"}]
            assert word in {each for pair in read_text(tmp_path, text, ids="names") for each in pair}
    for word in ("Na", "Null", "Nan", "NAB1", "banana", "xNA"):
        assert len(read_text(tmp_path, f"src,dst\nann,{word}\nNAT2,bob\n")) == 2
    assert len(read_text(tmp_path, "src,dst,why\nann,bob,NA\ncy,bob,null\n")) == 2


def test_a_first_row_below_a_header_in_a_comment_is_not_left_out_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for comment, rows in (("#src,dst", "a1,b2\nb2,c3\n"), ("# src dst", "1 2\n2 3\n5 6\n"), ("% u\tv", "1\t2\n3\t4\n")):
        for above in ("", "# made by a program\n"):
            text = f"{above}{comment}\n{rows}"
            edge, header = question(path, text, "it may be the first edge, below its header in a comment", header=True)
            count = rows.count("\n")
            assert [len(pairs(path, text, **each)) for each in (edge, header)] == [count, count - 1]
    for text in ("# x, y\nsrc,dst\nann,bob\n", "# a note of many words\nx y\nann bob\n", "# n m\n2 1\n1 2\n"):
        assert len(pairs(path, text, header=True)) == 1


def test_a_short_header_of_numbers_is_refused(tmp_path: Path) -> None:
    path, text = tmp_path / "g.txt", '"0" "1"\n"1" "2024-01-02" "2024-01-01"\n'
    for options in ({}, {"header": True}):
        ways = question(path, text, "the first row has 2 columns and line 2 has 3: .*write.table of R", **options)
        assert pairs(path, text, **ways[0]) == [("2024-01-02", "2024-01-01")]
    with pytest.raises(FileFormatError, match="3 columns where 2 are needed"):
        pairs(path, "0,1\n2,3,\n4,5,\n")
    assert len(pairs(path, "5 3\n0 1 0.5\n1 2 0.7\n3 4 .1\n", header=True)) == 3


def test_text_below_any_word_may_be_ids() -> None:
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    for word in ("match", "page", "value", "label", "class", "position", "line", "status", "row", "index", ""):
        columns = {"id": ["a1", "a2", "c2"], word: ["a2", "b5", "c1"], "method": ["email", "phone", "x"]}
        frame = pandas.DataFrame(columns)
        frames = [
            frame,
            frame.astype(object),
            frame.astype("category"),
            polars.DataFrame(columns),
            arrow.table(columns),
        ]
        for table in (*frames, polars.DataFrame(columns).lazy()):
            (first, *_) = question_of(table, "ambiguous which two of the columns id, .*, method hold the edges")
            assert first == {"columns": ("id", word)} and landbridge.components(table, **first).count == 2


def question_of(table: Any, match: str) -> list[dict[str, Any]]:
    with pytest.raises(InputError, match=match) as error:
        landbridge.components(table)
    return proposals(str(error.value))


def test_text_below_any_word_may_be_ids_in_files(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"id": ["a1", "a2", "c2"], "match": ["a2", "b5", "c1"], "method": ["email", "phone", "x"]}
    table = arrow.table(columns)
    parquet.write_table(table, tmp_path / "g.parquet")
    table.to_pandas().to_json(tmp_path / "g.jsonl", orient="records", lines=True)
    for name in ("g.parquet", "g.jsonl"):
        (options,) = question_of(tmp_path / name, "ambiguous which two of the columns id, match, method")
        assert landbridge.components(tmp_path / name, **options).count == 2
    path = tmp_path / "g.csv"
    text = "id,match,method\na1,a2,email\na2,b5,phone\n"
    options, _ = question(path, text, "line 1: it is ambiguous whether the first row is a header")
    assert pairs(path, text, **options) == [("a1", "a2"), ("a2", "b5")]
    question(path, text, "which two of the columns id, match, method", header=True)
    for more, value in (
        ("score,Distance [m]", "0.4,417"),
        ("Distance [m]", "417"),
        ("time/s", "417"),
        ("date,who", "x,y"),
    ):
        text = f"id,match,{more}\na1,a2,{value}\na2,a3,{value}\n"
        options, *_ = question(path, text, "which two of the columns id, match|whether the first row is a header")
        assert pairs(path, text, **options) == [("a1", "a2"), ("a2", "a3")]


def test_lines_that_are_too_short_for_the_columns_are_named(tmp_path: Path) -> None:
    for columns in ((0, 3), (3, 0)):
        for text in ("1,2\n3,4\n", "ann,bob\ncy,dan\n", "1,2,3,4\n5,6\n", "1,2\n3,4,5,6\n"):
            with pytest.raises(InputError):
                read_text(tmp_path, text, columns=columns)


def test_answers_are_read_as_edges(tmp_path: Path) -> None:
    for edges in ([("ann", "bob"), ("cy", "dan"), ("bob", "eve")], [(5, 6), (7, 9), (6, 8)]):
        result = landbridge.components(edges, ids="names" if edges[0][0] == "ann" else "sparse")
        frame = result.frame("pandas")
        frame.to_csv(tmp_path / "g.csv", index=False)
        for source in (frame, tmp_path / "g.csv"):
            again = landbridge.components(source)
            assert list(again.ids) == list(result.ids) and again.labels.tolist() == result.labels.tolist()


def test_a_number_is_not_joined_with_the_text_that_is_left(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for names in ("id,match,method", "id,page,title", "id,value,unit"):
        text = f"{names}\n1,2,exact\n3,4,exact\n"
        options, *_ = question(path, text, f"which two of the columns {names.replace(',', ', ')} hold the edges")
        assert pairs(path, text, **options) == [(1, 2), (3, 4)]


def test_uuids_without_a_header_are_edges(tmp_path: Path) -> None:
    ids = [f"{letter}a1c7f9e-0000-4000-8000-00000000000{i}" for i, letter in enumerate("fedcba98")]
    for rows in (1, 2, 4):
        text = "".join(f"{ids[2 * i]},{ids[2 * i + 1].upper()}\n" for i in range(rows))
        assert len(read_text(tmp_path, text)) == rows


@pytest.mark.parametrize("word", [" NA", "NA ", " null", "\\N"])
def test_blanks_around_a_word_for_no_value_hide_nothing(word: str, tmp_path: Path) -> None:
    text = f"src,dst\nanna,hanna\nd,{word}\ne,{word}\n"
    with pytest.raises(FileFormatError, match=r"line 3: .* stands for no value"):
        read_text(tmp_path, text)
    assert len(read_text(tmp_path, text, ids="names")) == 3


def test_hints_at_words_that_are_no_ids(tmp_path: Path) -> None:
    for word, hint in (("0004.0", "write 4, without"), ("0.0", "write 0, without"), ("\udcff", "takes text")):
        path = tmp_path / "g.csv"
        path.write_bytes(f"1,2\n3,{word}\n".encode(errors="surrogateescape"))
        with pytest.raises(FileFormatError, match=hint):
            landbridge.components(path)


def test_a_decimal_comma_in_the_first_row_makes_it_an_edge_as_a_point_does(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for rest in ("bob cy 3\ncy dan 1\n", "eve cy 3,5\nfay dan 1,0\n", "eve cy 3\n"):
        for number in ("2,25", "2.25", "1.234,5"):
            for mark in (" ", ";", "\t"):
                text = f"ann bob {number}\n{rest}".replace(" ", mark)
                assert pairs(path, text)[0] == ("ann", "bob"), text


def test_a_first_row_of_words_and_a_fraction_above_numbers_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for number in ("2,25", "2.25"):
        text = f"ann bob {number}\n1 2 3\n2 3 4\n"
        options = question(path, text, "ambiguous whether the first row is a header")
        assert options == [{"header": True, "columns": (0, 1)}, {"header": False, "ids": "names"}]
        assert pairs(path, text, **options[0]) == [(1, 2), (2, 3)]
        assert pairs(path, text, **options[1])[0] == ("ann", "bob")
        assert pairs(path, text.replace("ann bob", "src dst")) == [(1, 2), (2, 3)]


def test_an_id_of_the_first_row_that_is_one_below_is_no_name_of_a_column(tmp_path: Path) -> None:
    """Which columns hold the edges is asked where the row is a header alone: names of columns would take it for one."""
    path = tmp_path / "g.txt"
    for text in ("ann bob eve\nbob cy 3\ncy dan 1\n", "p1 p2 x\np2 p3 4\np3 p4 5\n"):
        options = question(path, text, "ambiguous whether the first row is a header")
        assert options[-1] == {"header": False}
        assert len(pairs(path, text, **options[-1])) == 3
        assert len(pairs(path, text, **options[0])) == 2
    assert pairs(path, "a b w\na c 3\nb d 1\n") == [("a", "c"), ("b", "d")]


@pytest.mark.parametrize("kind", ADDRESSES)
def test_a_word_for_addresses_above_these_is_a_header_and_a_word_for_a_vertex_is_asked_about(
    kind: str, tmp_path: Path
) -> None:
    path, (a, b, c) = tmp_path / "g.csv", ADDRESSES[kind]
    for one, other in ((b, c), ("bob", "cy")):  # of one column, or of both
        below, expected = f"{a},{one}\n{b},{other}\n", [(a, one), (b, other)]
        for header in (
            f"{kind},reply",
            f"{kind}_1,{kind}_2",
            f"{kind.upper()} A,{kind.upper()} B",
            "user,item",
            "id,Name",
        ):
            assert pairs(path, f"{header}\n{below}") == expected
        for edge in ("ann,dora", "host1,host2", "host,router"):
            options = question(path, f"{edge}\n{below}", "line 1: it is ambiguous whether the first row is a header")
            assert [len(pairs(path, f"{edge}\n{below}", **each)) for each in options] == [2, 3]
    assert len(pairs(path, f"{b},{c}\n{a},{b}\n")) == 2  # no word, and no header
    assert len(pairs(path, f"{kind},reply\n{a},{b}\n{kind},{b}\n")) == 3  # which is an id


def test_a_word_for_addresses_above_other_words_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for text in (
        "email,reply\nann,bob\nbob,cy\n",
        "phone,user\n12-3,45-6\n12-4,45-7\n",
        "ip,user\nann@a.org,7.1\nbob,7.2\n",
    ):
        options = question(path, text, "line 1: it is ambiguous whether the first row is a header")
        assert [len(pairs(path, text, **each)) for each in options] == [2, 3]


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("#,id1,id2\n1,100,200\n3,300,400\n7,200,500\n", (1, 2)),
        ("#w,src,dst\n1,100,200\n3,300,400\n7,200,500\n", (1, 2)),
        ("#bytes,src_ip,dst_ip\n77,10.0.0.1,10.0.0.2\n99,10.0.0.3,10.0.0.2\n", (1, 2)),
        ("# time src dst\n1 100 200\n9 100 300\n", (1, 2)),
        ("# by hand\n%src\tw\tdst\n1\t2\t3\n4\t2\t1\n", (0, 2)),
        ("# id phone email\n1 2 3\n4 2 6\n", (0, 2)),
    ],
)
def test_names_in_a_comment_above_others_than_the_first_two_columns_are_asked_about(
    text: str, pair: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / "g.txt"
    path.write_text(text)
    rows = [line.replace(",", " ").split() for line in text.splitlines() if line[0] not in "#%"]
    for options in ({}, {"header": False}):
        with pytest.raises(FileFormatError, match="which two columns hold the edges, as the comment") as error:
            landbridge.components(path, **options)
        for columns in (pair, (0, 1)):
            assert f"columns={columns}, comment='#%'" in str(error.value)
            answer = landbridge.components(path, columns=columns, comment="#%", **options)
            assert sorted(map(str, answer.ids)) == sorted({row[column] for row in rows for column in columns})


@pytest.mark.parametrize(
    "text",
    [
        "# FromNodeId\tToNodeId\n1\t2\n2\t3\n",
        "# src dst w\n1 2 5\n2 3 6\n",
        "# src dst\n1 2 5\n2 3 6\n",
        "# made by hand\n1 2 5\n2 3 6\n",
        "# u v weight time\n1 2 5 7\n2 3 6 8\n",
    ],
)
def test_comments_that_name_no_other_columns_are_left_out(text: str, tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text(text)
    assert landbridge.components(path).ids.tolist() == [1, 2, 3]
