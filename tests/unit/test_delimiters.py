"""Delimiters that other delimiters, quotes and decimal commas could be taken for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from oracles.texts import proposals, read_text

import landbridge
from landbridge.errors import FileFormatError, InputError


def question(tmp_path: Path, text: str, match: str, name: str = "g.txt", **options: Any) -> list[dict[str, Any]]:
    """The options that an error proposes."""
    with pytest.raises(FileFormatError, match=match) as error:
        read_text(tmp_path, text, name, **options)
    return proposals(str(error.value))


@pytest.mark.parametrize("name", ["g.csv", "g.txt", "g.tsv"])
@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("src\tdst\tw\nann\tbob\t10,50\ncy\tdan\t20,10\n", [("ann", "bob"), ("cy", "dan")]),
        ("ann\tbob\t10,50\ncy\tdan\t20,10\n", [("ann", "bob"), ("cy", "dan")]),
        ("ann\tbob\t1.010,50\ncy\tdan\t20,10\n", [("ann", "bob"), ("cy", "dan")]),
        ("17\t18\t0,5\n18\t19\t0,7\n", [(17, 18), (18, 19)]),
        ("u1\tu2\tBerlin, DE\nu3\tu4\tUlm, DE\n", [("u1", "u2"), ("u3", "u4")]),
    ],
)
def test_tabs_part_columns_whatever_the_suffix(name: str, text: str, pairs: Any, tmp_path: Path) -> None:
    header = text.startswith("src")
    assert read_text(tmp_path, text, name, header=header) == pairs


@pytest.mark.parametrize("name", ["g.csv", "g.txt"])
def test_bars_beside_decimal_commas_part_columns(name: str, tmp_path: Path) -> None:
    text = "ann|bob|1,5\ncy|dan|2,5\n"
    assert read_text(tmp_path, text, name, header=False) == [("ann", "bob"), ("cy", "dan")]


@pytest.mark.parametrize("name", ["g.csv", "g.txt"])
@pytest.mark.parametrize(
    ("text", "which"),
    [
        ("Li, Max\tBo\nKhan, Cy\tDi\n", "\t"),
        ("ann\tbob,1\ncy\tdan,2\n", "\t"),
        ("ann\t10.000,50\tbob\ncy\t1,5\tdan\n", "\t"),
        ("Acme|Li, Max\nBolt|Khan, Cy\n", "|"),
        ("ann|bob|Ulm, DE\ncy|dan|Bonn, DE\n", "|"),
    ],
)
def test_a_comma_in_the_ids_of_another_delimiter_is_asked_about(
    name: str, text: str, which: str, tmp_path: Path
) -> None:
    options = question(tmp_path, text, "line 1: .* and ',' both part the lines into columns: say delimiter", name)
    assert options == [{"delimiter": which}, {"delimiter": ","}]
    for each in options:
        columns = {"columns": (0, 2)} if "10.000" in text and each == {"delimiter": "\t"} else {}
        assert len(read_text(tmp_path, text, name, header=False, **columns, **each)) == 2


def test_ids_with_as_many_bars_are_ids_between_the_commas_of_csv(tmp_path: Path) -> None:
    for text in ("db|1,db|2\ndb|2,db|3\n", "sp|P1|X,sp|P2|Y\nsp|P2|Y,sp|P3|Z\n"):
        pairs = [tuple(line.split(",")) for line in text.splitlines()]
        assert read_text(tmp_path, text, "g.csv") == pairs
        assert len(question(tmp_path, text, r"'\|' and ',' both part the lines")) == 2
    assert read_text(tmp_path, "a,b,x\ty\nc,d,z\tw\n", "g.csv", header=False) == [("a", "b"), ("c", "d")]
    assert read_text(tmp_path, "Li, Max\tBo\nKhan, Cy\tDi\n", "g.tsv") == [("Li, Max", "Bo"), ("Khan, Cy", "Di")]
    assert read_text(tmp_path, "1,\t2\n3,\t4\n", "g.csv") == [(1, 2), (3, 4)]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("ann bob 2,25\nbob cy 3,0\n", [("ann", "bob"), ("bob", "cy")]),
        ("ann bob 1,234\nbob cy 2,345\n", [("ann", "bob"), ("bob", "cy")]),
        ("p1 p2 0,15 x\np2 p3 1.234,5 x\n", [("p1", "p2"), ("p2", "p3")]),
        ("1 2 -0,5\n2 3 0,7\n", [(1, 2), (2, 3)]),
        ("ann bob 2,25\n", [("ann", "bob")]),
    ],
)
def test_a_decimal_comma_between_blanks_parts_nothing(text: str, pairs: Any, tmp_path: Path) -> None:
    assert read_text(tmp_path, text, "g.txt", header=False) == pairs
    assert read_text(tmp_path, text, "g.csv", header=False, delimiter=" ") == pairs
    options = question(tmp_path, text, "line 1: ',' and ' ' both part the lines into columns", "g.csv")
    assert options == [{"delimiter": ","}, {"delimiter": " "}]


def test_decimal_commas_of_many_rows_part_nothing(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("".join(f"p{i} p{i + 1} {i % 7},{i % 10}5\n" for i in range(2000)))
    assert landbridge.components(path).count == 1
    assert landbridge.components(chunks=path).count == 1


@pytest.mark.parametrize(
    "text", ["2,25 ann bob\n3,0 bob cy\n", "2,25 2024-01-09 1 2\n3,0 2024-01-10 2 3\n", "ann 2,25 bob\nbob 3,0 cy\n"]
)
def test_a_decimal_comma_where_ids_would_be_is_asked_about(text: str, tmp_path: Path) -> None:
    """A key and an address, 12,5 Main St, look like that, too."""
    options = question(tmp_path, text, "line 1: ',' and ' ' both part the lines into columns", header=False)
    assert options == [{"delimiter": ","}, {"delimiter": " "}]
    question(
        tmp_path,
        text,
        r"holds (fractions|numbers with commas), which are no ids: columns= says",
        header=False,
        delimiter=" ",
    )
    columns = (0, 2) if text.startswith("ann") else (1, 2)
    assert len(read_text(tmp_path, text, header=False, columns=columns)) == 2


@pytest.mark.parametrize("name", ["g.txt", "g.csv", "g.tsv"])
@pytest.mark.parametrize("text", ["ann 2,5\nbob 3,0\n", "2,5 ann\n3,0 bob\n", "ann 1,234\nann 2,345\nann 3,4\n"])
def test_a_decimal_comma_in_one_of_two_words_is_asked_about(text: str, name: str, tmp_path: Path) -> None:
    """It was cut at the comma: `ann 2` was joined with `5`."""
    match = r"line 1: ',' and ' ' both part the lines into columns: say delimiter=',' or delimiter=' ': "
    options = question(tmp_path, text, match, name, header=False)
    assert options == [{"delimiter": ","}, {"delimiter": " "}]
    for each, mark in zip(options, ", ", strict=True):
        words = [tuple(line.split(mark)) for line in text.splitlines()]
        assert read_text(tmp_path, text, name, header=False, **each) == words


@pytest.mark.parametrize("mark", ["\t", ";"])
@pytest.mark.parametrize("rows", [("1,000", "2,000", "1000", "3,000"), ("1,5", "2,5", "3,5", "4,5")])
@pytest.mark.parametrize("header", [None, True])
def test_numbers_with_commas_below_a_header_are_no_ids(
    mark: str, rows: tuple[str, ...], header: bool | None, tmp_path: Path
) -> None:
    """1,000 and 1000 were two vertices."""
    text = f"src{mark}dst\n{rows[0]}{mark}{rows[1]}\n{rows[2]}{mark}{rows[3]}\n"
    match = r"line 2: column [01] \(from 0\) holds numbers with commas: write whole numbers "
    if "1000" in rows:  # of one number in two forms no option makes one vertex
        with pytest.raises(
            FileFormatError, match=match + r"in one form \(1,000 of line 2 and 1000 of line 3\): '"
        ) as error:
            read_text(tmp_path, text, header=header)
        assert proposals(str(error.value)) == []
    else:
        assert question(tmp_path, text, match + "without them, or ", header=header) == [{"ids": "names"}]
    pairs = [rows[:2], rows[2:]]
    assert read_text(tmp_path, text, header=header, ids="names") == pairs
    with_names = text.replace(rows[2], "ann").replace(rows[3], "bob")
    assert len(read_text(tmp_path, with_names, header=header)) == 2


@pytest.mark.parametrize("mark", [" ", "\t", ";"])
def test_numbers_with_a_decimal_comma_are_no_ids(mark: str, tmp_path: Path) -> None:
    """As those with a point, unless the delimiter or the kind of ids is stated."""
    for number in ("2,5", "2.5"):
        text = f"ann{mark}{number}\nbob{mark}3\n"
        what = "numbers with commas" if "," in number else "fractions"
        match = rf"line 1: column 1 \(from 0\) holds {what}, which are no ids: ids='names' takes it as text: "
        assert question(tmp_path, text, match, header=False) == [{"ids": "names"}]
        pairs = [("ann", number), ("bob", "3")]
        assert read_text(tmp_path, text, header=False, ids="names") == pairs
        if "," in number:
            assert read_text(tmp_path, text, header=False, delimiter=mark) == pairs


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("1, 2\n3, 4\n", [(1, 2), (3, 4)]),
        ("a b,c\nd e,f\n", [("a b", "c"), ("d e", "f")]),
        ("1,ann bob cy\n2,dan eve fay\n", [("1", "ann bob cy"), ("2", "dan eve fay")]),
    ],
)
def test_a_comma_that_is_in_no_number_parts_the_columns(text: str, pairs: Any, tmp_path: Path) -> None:
    assert read_text(tmp_path, text, header=False) == pairs


def test_columns_that_are_not_there_rule_a_delimiter_out(tmp_path: Path) -> None:
    text = "Li, Max\tBo\t3\nKhan, Cy\tDi\t4\n"
    assert read_text(tmp_path, text, "g.txt", columns=(1, 2)) == [("Bo", "3"), ("Di", "4")]


@pytest.mark.parametrize("name", ["g.csv", "g.txt"])
@pytest.mark.parametrize("delimiter", ["\t", "|", ";", " "])
def test_a_delimiter_between_quotes_parts_nothing(name: str, delimiter: str, tmp_path: Path) -> None:
    rows = [("Li, Max", "Garcia; Wes"), ("Silva, Ida", "Li, Max"), ('No"v", a', "Khan, Bo")]
    text = "".join(delimiter.join('"' + word.replace('"', '""') + '"' for word in row) + "\n" for row in rows)
    text = text.replace("; ", ", ")
    assert read_text(tmp_path, text, name) == [("Li, Max", "Garcia, Wes"), *rows[1:]]
    numbered = "".join(f'"{i}"{delimiter}{line}\n' for i, line in enumerate(text.splitlines(), 1))
    options = question(tmp_path, numbered, "column 0 .from 0. ascends by one", name, header=False)
    assert read_text(tmp_path, numbered, name, header=False, **options[-1])[1:] == rows[1:]
    short = f'"key"{delimiter}"other"\n{numbered}'
    options = question(tmp_path, short, "the first row has 2 columns and line 2 has 3: .*write.table of R", name)
    assert read_text(tmp_path, short, name, **options[0])[1:] == rows[1:]


def test_single_quotes_of_a_csv_part_nothing(tmp_path: Path) -> None:
    for text in ('5" pipe,6" pipe\n6" pipe,7" pipe\n', 'the "a, b" firm,x\nthe "c, d" firm,y\n'):
        assert len(read_text(tmp_path, text, "g.csv", header=False)) == 2


@pytest.mark.parametrize("line", ["sep=;\n", '"sep=;"\r\n', "SEP=; \n", "\ufeffsep=;\n"])
def test_a_first_line_may_state_the_delimiter_as_for_excel(line: str, tmp_path: Path) -> None:
    assert read_text(tmp_path, f"{line}src;dst;w\nann;bob;1,5\n", "g.csv") == [("ann", "bob")]
    assert read_text(tmp_path, f"{line}# 1,2;3\n1;2\n3;4\n", "g.csv") == [(1, 2), (3, 4)]
    assert read_text(tmp_path, f"{line}a,b;c,d\nc,d;e\n", "g.csv", header=False) == [("a,b", "c,d"), ("c,d", "e")]
    assert read_text(tmp_path, f"{line}1;2\n".replace(";", ":")) == [(1, 2)]
    assert read_text(tmp_path, f"{line}1,2\n3,4\n", delimiter=",") == [(1, 2), (3, 4)]
    problem = r"line 2: no ';' divides this line, though the first line .sep=;. says so; delimiter= says which does"
    question(tmp_path, f"{line}1,2\n3,4\n", problem)
    with pytest.raises(FileFormatError, match=r"line 4, byte 3: expected a vertex id"):
        read_text(tmp_path, f"{line}1;2\n\n3;x\n")
    with pytest.raises(FileFormatError, match="the file is empty"):
        read_text(tmp_path, line)


def test_the_note_on_a_stated_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("sep=\t\n1\t2\n")
    assert landbridge.components(path).notes == (r"line 1 states the delimiter, '\t'",)


@pytest.mark.parametrize(
    "text",
    ["src dst w t\n1 2 3 4\n1 2 3 \n3 4  5\n", "a b 3 4\nc d 3 \n", "1 2 3 4\n1 2  7\n", "1 2  4\n1 2 3 7\n"],
)
def test_empty_columns_between_blanks_are_named(text: str, tmp_path: Path) -> None:
    for options in ({}, {"delimiter": " "}):
        question(
            tmp_path, text, r"line \d, byte 1: this line has .* so an empty one between them .* is lost", **options
        )
    quoted = text.replace("3 \n", '3 ""\n').replace("  ", ' "" ')
    assert len(read_text(tmp_path, quoted, header=text.startswith("src"))) == 2 + text.startswith("src")


def test_lists_of_neighbours_with_blanks_at_their_ends_are_named(tmp_path: Path) -> None:
    for text in ("1 2 3 \n2 1 \n3 1 \n", "1 2 3\n2 1\n3 1\n", "a  b  c\nb  a\nc  a\n"):
        question(tmp_path, text, "adjacency list")


def test_text_behind_a_closing_quote_has_a_reason(tmp_path: Path) -> None:
    for end in ("\n", "\r\n"):
        for d in (" ", "\t", ","):
            text = f'"src"{d}"dst"\n"a \\"x\\""{d}"b"\n"c"{d}"d"\n'.replace("\n", end)
            assert question(tmp_path, text, r"line 2, byte 1: .*; a quote within a name is two quotes, not \\\"") == []
            assert read_text(tmp_path, text.replace('\\"', '""')) == [('a "x"', "b"), ("c", "d")]
    for text in ('"a, b"\t"c, d"\n"e, f"\t"g, h"\n', '"a, b";"c, d"\n"e, f";"g, h"\n'):
        options = question(tmp_path, text, "text behind the quote.* parts the lines elsewhere", delimiter=",")
        assert options[0] == {"delimiter": text[6]}
        assert all(read_text(tmp_path, text, **each) == [("a, b", "c, d"), ("e, f", "g, h")] for each in options)


def test_a_dump_of_sql_is_named(tmp_path: Path) -> None:
    """What takes its lines as edges is said where they could be some."""
    for text in ("INSERT INTO e VALUES\n(1,2),\n(2,3);\n", "-- MySQL dump 10.13\nCREATE TABLE e (a int);\n"):
        assert question(tmp_path, text, "line 1: this is a dump of SQL, not a list of edges: ") == []
    text = "insert into e\ndrop table e\n"
    (options,) = question(tmp_path, text, "line 1: this is a dump of SQL, not a list of edges; ")
    assert options == {"header": False, "ids": "names"}
    assert read_text(tmp_path, text, **options) == [("insert", "into"), ("drop", "table")]
    assert len(read_text(tmp_path, "insert,into\ndrop,table\n", header=False)) == 2


@pytest.mark.parametrize("mark", ["::", "||", ";;"])
@pytest.mark.parametrize(
    "rows", [("1", "1193", "5"), ("1", "1193", "5", "978300760"), ("15", "49", "very good", "13"), ("1", "1193")]
)
def test_doubled_marks_are_answered_with_what_reads_the_lines(mark: str, rows: tuple[str, ...], tmp_path: Path) -> None:
    """As those of MovieLens: the message said that a line has one column."""
    text = f"{mark.join(rows)}\n{mark.join('7' * len(rows))}\n"
    options: dict[str, Any] = {"delimiter": mark[0], "columns": (0, 2)}
    with pytest.raises(FileFormatError) as error:
        read_text(tmp_path, text, ids="names")
    answer = {"delimiter": mark[0], **proposals(str(error.value))[0]}
    assert {name: answer[name] for name in options} == options
    assert read_text(tmp_path, text, **answer, ids="names")[0] == rows[:2]
    with pytest.raises(InputError, match="must be one character of ASCII") as refusal:
        read_text(tmp_path, text, delimiter=mark)
    assert proposals(str(refusal.value)) == [options]


def test_the_columns_of_names_between_doubled_marks_are_in_the_question_about_their_header(tmp_path: Path) -> None:
    text = "ann||bob\ncy||dan\n"
    options = question(tmp_path, text, "it is ambiguous whether the first row is a header")
    assert [len(read_text(tmp_path, text, **each)) for each in options] == [1, 2]
    assert read_text(tmp_path, "a::b,c::d\ne::f,g::h\n", header=False) == [("a::b", "c::d"), ("e::f", "g::h")]


@pytest.mark.parametrize("delimiter", ["  ", "ab", "", "\n\n", '""'])
def test_other_delimiters_of_several_characters_have_no_answer(delimiter: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be one character of ASCII") as refusal:
        read_text(tmp_path, "a b\n", delimiter=delimiter)
    assert "columns=" not in str(refusal.value)
