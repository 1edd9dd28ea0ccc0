"""Titles above the columns of a text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from oracles.texts import read_text

import landbridge
from landbridge.errors import FileFormatError

PROBLEM = "it may be a title: {!r} parts the lines from line {} on into {} columns; leave {} out"


@pytest.mark.parametrize("title", ["Exported 2026-01-01", "Report", '"All duplicates"', "Doppelte Einträge vom Montag"])
@pytest.mark.parametrize("blank", ["", "\n", " \n"])
@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("id,dup\na,b\nc,d\n", ","),
        ("id;dup;score\n1;2;0,5\n3;4;0,7\n", ";"),
        ("src\tdst\nann lee\tbob\n", "\t"),
        ("1,2\n3,4\n", ","),
    ],
)
def test_a_title_is_named(title: str, blank: str, text: str, delimiter: str, tmp_path: Path) -> None:
    """The messages spoke of another delimiter, of adjacency lists, and of options that were of no use."""
    columns = 1 + text.partition("\n")[0].count(delimiter)
    match = re.escape(PROBLEM.format(delimiter, 3 if blank else 2, columns, "this line"))
    options: tuple[dict[str, Any], ...] = ({}, {"columns": (0, 1)}, {"delimiter": delimiter}, {"header": False})
    for stated in options:
        with pytest.raises(FileFormatError, match=match) as error:
            read_text(tmp_path, f"{title}\n{blank}{text}", "g.txt", **stated)
        assert (error.value.line, error.value.text) == (1, title)


def test_several_lines_of_a_title_are_named(tmp_path: Path) -> None:
    text = "Report\nby Bob\n\n"
    match = re.escape(PROBLEM.format(",", 4, 3, "lines 1 to 2"))
    with pytest.raises(FileFormatError, match=match):
        read_text(tmp_path, text + "id,dup,score\na,b,1\nc,d,2\n", "g.csv")


@pytest.mark.parametrize("below", ["id,dup\na,b\nc,d\n", "src,dst\n1,2\n3,4\n", "id,dup,score\na,b,0.5\n"])
def test_a_title_is_not_taken_for_the_header(below: str, tmp_path: Path) -> None:
    """The header below it was an edge between names."""
    with pytest.raises(FileFormatError, match="line 1: it may be a title: ',' parts the lines from line 2 on"):
        read_text(tmp_path, f"Exported\n{below}", "g.csv", header=True, delimiter=",")


def test_a_stated_header_of_one_column_above_numbers_is_left_out(tmp_path: Path) -> None:
    pairs = read_text(tmp_path, "Exported\n1,2\n3,4\n", "g.csv", header=True, delimiter=",")
    assert pairs == [(1, 2), (3, 4)]


@pytest.mark.parametrize(
    ("title", "delimiter", "names"),
    [
        ("Exported 2026-01-01", "\t", "src\tdst"),
        ("Exported 2026-01-01", "\t", "id\tdup"),
        ("Report, 2026", "\t", "src\tdst"),
        ("Exported 2026-01-01", ";", "from;to"),
    ],
)
def test_a_title_of_as_many_words_as_columns_is_named(title: str, delimiter: str, names: str, tmp_path: Path) -> None:
    """Blanks part all lines alike where they part the words of the title: it was an edge."""
    text = f"{title}\n{names}\n1{delimiter}2\n3{delimiter}4\n"
    for options in ({}, {"delimiter": delimiter}, {"columns": (0, 1)}):
        match = re.escape(f", line 1: {PROBLEM.format(delimiter, 2, 2, 'this line')}: {title!r}") + "$"
        with pytest.raises(FileFormatError, match=match):
            read_text(tmp_path, text, "g.txt", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("title", "below"),
    [
        ("Exported on Jan 1, 2026", "src,dst\n1,2\n3,4\n"),
        ("Report, 2026", "from_id,to_id\n1,2\n"),
        ("Exported 2026-01-01,,", "src,dst,w\n1,2,0.5\n3,4,0.5\n"),
        ("Exported,,", "src,dst,w\nann,bob,0.5\n"),
        ("Exported,,", "w,src,dst\n0.5,1,2\n"),
    ],
)
def test_a_title_that_has_the_delimiter_is_named(title: str, below: str, tmp_path: Path) -> None:
    """It was an edge of words, and so were the names of the columns; Excel writes as many commas as in other lines."""
    match = re.escape(f", line 1: it may be a title: line 2 names the columns; leave this line out: {title!r}") + "$"
    for options in ({}, {"delimiter": ","}):
        with pytest.raises(FileFormatError, match=match):
            read_text(tmp_path, title + "\n" + below, "g.csv", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "names", "lines"),
    [
        ("Bericht; 2026\nid1;id2\na;b\nc;d\n", 2, "this line"),
        ("Report,2024\nSource,CRM\nleft,right\nann,bob\n", 3, "lines 1 to 2"),
        ("acme,2026\nrecord_id_1,record_id_2\nann,bob\n", 2, "this line"),
        ("Bericht 2026\nsrc dst\n1 2\n", 2, "this line"),
    ],
)
def test_a_title_of_as_many_columns_is_named(text: str, names: int, lines: str, tmp_path: Path) -> None:
    """It was an edge, or the header, and the names of the columns were an edge."""
    problem = f"it may be a title: line {names} names the columns; leave {lines} out, or say "
    options: tuple[dict[str, Any], ...] = ({}, {"header": True}, {"header": False}, {"ids": "names"})
    for stated in options:
        way = "header=False" if "ids" in stated else "header=False, ids='names'"
        if "header" in stated and not stated["header"]:
            way = "header=False, ids='names'"
        match = re.escape(f", line 1: {problem}")
        with pytest.raises(FileFormatError, match=match) as error:
            read_text(tmp_path, text, "g.txt", **stated)
        assert f" if all are edges: {text.partition(chr(10))[0]!r}" in str(error.value)
        assert way in str(error.value)
    assert len(read_text(tmp_path, text, "g.txt", header=False, ids="names")) == text.count("\n")


@pytest.mark.parametrize("title", ["Report, 2026", "Exported on Jan 1, 2026", "acme,run 7"])
@pytest.mark.parametrize(
    "below",
    [
        "id,dup\na,b\nc,d\n",
        "user,item\n1,2\n3,4\n",
        "name,alias\nann,bob\n",
        "email,reply\na@x.org,b@x.org\n",
        "email1,email2\nann,bob\n",
    ],
)
def test_a_title_above_other_names_of_columns_is_named(title: str, below: str, tmp_path: Path) -> None:
    """Its words were an edge, and so were the names, with no more than a note."""
    for beside in ("", ",score"):
        rows = [line + (f",0.{i}" if i else ",score") * (beside != "") for i, line in enumerate(below.splitlines())]
        text = "\n".join([title + ",x" * (beside != ""), *rows, ""])
        options: tuple[dict[str, Any], ...] = ({}, {"header": True}, {"ids": "names"}, {"delimiter": ","})
        for stated in options:
            match = (
                "line 1: it may be a title: line 2 names the columns; leave this line out, or say header=False, ids="
            )
            with pytest.raises(FileFormatError, match=match):
                read_text(tmp_path, text, "g.csv", **stated)
        assert len(read_text(tmp_path, text, "g.csv", header=False, ids="names")) == text.count("\n")
        without = "\n".join([*rows, ""])
        assert len(read_text(tmp_path, without, "g.csv", header=True)) == without.count("\n") - 1


@pytest.mark.parametrize(
    "text", ["ann7,bob\ncy,dan\neve,ann7\n", "u7,v\nuser,item\nitem,v\n", "id,v7\nuser,item\nann,bob\n"]
)
def test_words_that_recur_or_are_a_stated_header_are_no_title(text: str, tmp_path: Path) -> None:
    header = text.startswith("id")
    pairs = read_text(tmp_path, text, "g.csv", header=header)
    assert len(pairs) == text.count("\n") - header


def test_a_note_says_that_names_below_a_stated_header_are_an_edge(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("Friends,all\nperson,friend\nann,bob\ncy,dan\n")
    note = "line 2 is taken as an edge (person,friend): leave line 1 out if it is a title"
    assert note in landbridge.components(path, header=True).notes
    path.write_text("Friends,all\nperson,friend\nann,person\ncy,dan\n")
    assert note not in landbridge.components(path, header=True).notes


@pytest.mark.parametrize(
    "title", ["Report", "My friendship graph", "Directed graph (each pair once): x", "Exported 2026 by Bob"]
)
@pytest.mark.parametrize("blank", ["", "\n"])
@pytest.mark.parametrize(
    "edges", ["1 2\n2 3\n3 4\n", "ann bob\nbob cy\ncy dan\n", "7 8 0.5 red\n8 9 0.5 blue\n", "1\t2\n2\t3\n"]
)
def test_a_title_above_lines_between_blanks_is_named(title: str, blank: str, edges: str, tmp_path: Path) -> None:
    """They were called adjacency lists, or the title was asked about as a header or an edge, which it could not be."""
    count = edges.count("\n")
    width = len(edges.splitlines()[0].split())
    if "\t" not in edges and len(title.split()) not in (width, max(width - 1, 2)):
        text = f"{title}\n{blank}{edges}"
        match = (
            rf"line 1: it may be a title: the lines from line {3 if blank else 2} on have \d columns; leave this line"
        )
        for options in ({}, {"header": False}, {"columns": (0, 1)}):
            with pytest.raises(FileFormatError, match=match) as error:
                read_text(tmp_path, text, "g.txt", **options)  # type: ignore[arg-type]
            assert ("out, as header=True does" in str(error.value)) == ("header" not in options)
        assert len(read_text(tmp_path, text, "g.txt", header=True)) == count
    with pytest.raises(FileFormatError, match=r"line 1: it may be a title: .* leave lines 1 to 2 out:"):
        read_text(tmp_path, f"{title} of many more words\nMade by a program on a long day\n{blank}{edges}", "g.txt")


@pytest.mark.parametrize("title", ["Friends", "Friends of 2026 list", "Duplicates,,", "Report, by Bob, 2026"])
@pytest.mark.parametrize("names", ["src dst", "person friend"])
def test_a_title_of_other_width_is_no_stated_header_above_names(title: str, names: str, tmp_path: Path) -> None:
    """The names below it were an edge."""
    below = f"{names}\nann bob\ncy dan\n"
    text = f"{title}\n" + (below.replace(" ", ",") if "," in title else below)
    for options in ({}, {"header": True}):
        with pytest.raises(FileFormatError, match=r"line 1: it may be a title: .*line 2 .*; leave this line out: "):
            read_text(tmp_path, text, "g.txt", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["ann\nann bob\nbob cy\n", "v1 v2 v3\nv4 v5\nv6 v7\n", "src dst w\n1 2\n2 3\n", "5 x\n1 2 3\n2 3\n"]
)
def test_vertices_without_neighbours_and_names_of_columns_are_no_title(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError) as error:
        read_text(tmp_path, text, "g.txt")
    assert "title" not in str(error.value)


@pytest.mark.parametrize("title", ["acme,2026", "run-7,2026-01-01"])
def test_a_title_above_numbers_is_named_whatever_is_said_of_the_header(title: str, tmp_path: Path) -> None:
    for header in (None, True):
        with pytest.raises(FileFormatError, match="line 1: it may be a title: line 2 names the columns; leave this"):
            read_text(tmp_path, f"{title}\nleft,right\n1,2\n3,4\n", "g.csv", header=header)


@pytest.mark.parametrize(
    "text",
    [
        "up7,down\nleft,right\nright,up7\n",
        "id7,id9\nid1,id2\nid4,id5\n",
        "ann,b1\nleft,right\ncy,ann\n",
        "ann1,bob,0.5\nleft,right,0.7\ncy,dan,0.7\n",
        "ann1,bob\nu,v\ncy,dan\n",
        "a9,b9\nleft,right\n",
    ],
)
def test_ids_that_resemble_names_of_endpoints_are_edges(text: str, tmp_path: Path) -> None:
    assert len(read_text(tmp_path, text, "g.csv", header=False)) == text.count("\n")


def test_a_stated_header_of_words_may_be_above_names_of_endpoints(tmp_path: Path) -> None:
    text = "term,opposite\nleft,right\nup,down\n"
    assert read_text(tmp_path, text, "g.csv", header=True) == [("left", "right"), ("up", "down")]


def test_lines_that_look_like_those_below_are_no_title(tmp_path: Path) -> None:
    """A vertex without neighbours above those with one."""
    with pytest.raises(FileFormatError, match="this line has 1 column where 2 are needed") as error:
        read_text(tmp_path, "nodeA\nnodeB,nodeC\nnodeD,nodeE\n", "g.csv", delimiter=",")
    assert "title" not in str(error.value)
    for text, first in (
        ("ann lee\tbob ray\ncy\tdan\n", ("ann lee", "bob ray")),
        ("from to\n1\t2\n3\t4\n", (1, 2)),
        ("a,b\nu,v\nc,d\n", ("a", "b")),
        ("ann,bob\nsrc,dst\ncy,dan\n", ("ann", "bob")),
    ):
        options = {} if "1" in text else {"header": False}
        assert read_text(tmp_path, text, "g.txt", **options)[0] == first


@pytest.mark.parametrize("text", ["5\n1,2\n3,4\n", "ann\nbob,cy\nbob,cy,dan\n", "ann\nbob,cy\n" * 2])
def test_other_lines_of_one_column_are_no_title(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError) as error:
        read_text(tmp_path, text, "g.csv")
    assert "title" not in str(error.value)


@pytest.mark.parametrize("header", [None, True])
@pytest.mark.parametrize("more", [",", ",,,"])
def test_delimiters_behind_the_last_name_are_no_names(header: bool | None, more: str, tmp_path: Path) -> None:
    """With header=True the first two columns were taken, whatever the names said."""
    for names, pairs in (("src,dst", [(1, 2), (2, 3)]), ("w,dst,src", [(3, 2), (4, 3)])):
        rows = "1,2\n2,3\n" if names.count(",") == 1 else "1,2,3\n2,3,4\n"
        assert read_text(tmp_path, f"{names}{more}\n{rows}", "g.csv", header=header) == pairs


def test_more_names_than_columns_choose_none(tmp_path: Path) -> None:
    text = "w,src,dst,x\n1,2,3\n2,3,4\n"
    with pytest.raises(
        FileFormatError, match="line 1: the first row has 4 columns and line 2 has 3; columns= says which"
    ):
        read_text(tmp_path, text, "g.csv", header=True)
    assert read_text(tmp_path, text, "g.csv", header=True, columns=(1, 2)) == [(2, 3), (3, 4)]


@pytest.mark.parametrize("title", ["Exported", "Exported,,,", "Exported,", "Report of all"])
@pytest.mark.parametrize("rows", ["ann,bob,x\ncy,ann,y\n", "1,2,x\n2,3,y\n", "ann,bob,0.5\ncy,ann,0.7\n"])
def test_a_title_that_a_header_leaves_out_is_left_out(title: str, rows: str, tmp_path: Path) -> None:
    """It was proposed, and the empty names behind the title were refused."""
    text = f"{title}\n{rows}"
    with pytest.raises(FileFormatError, match=r"line 1: it may be a title: .* leave this line out") as error:
        read_text(tmp_path, text, "g.csv")
    if "header=True" in str(error.value):
        assert len(read_text(tmp_path, text, "g.csv", header=True)) == 2
    assert len(read_text(tmp_path, rows, "g.csv", header=False)) == 2


def test_a_title_one_column_short_is_not_left_out_by_a_header(tmp_path: Path) -> None:
    for header in (None, True):
        with pytest.raises(FileFormatError, match="line 1: ") as error:
            read_text(tmp_path, "Report, 2026\n1,2,x\n3,4,y\n", "g.csv", header=header)
        assert "as header=True does" not in str(error.value)


def test_a_note_names_a_first_row_above_addresses_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("Report,2026\n10.0.5.31,10.0.5.29\n10.0.5.29,10.0.5.30\n")
    assert (
        "line 1 is taken as an edge (Report,2026): header=True if it names the columns"
        in landbridge.components(path).notes
    )
    path.write_text("Report,2026\nu7,u8\nu8,u9\n")
    assert any("line 1" in note for note in landbridge.components(path).notes)
    path.write_text("10.0.5.1,10.0.5.2\n10.0.5.31,10.0.5.29\n")
    assert not any("line 1" in note for note in landbridge.components(path).notes)


@pytest.mark.parametrize("title", ["Exported on Monday", "Report of all"])
def test_a_title_of_as_many_words_above_names_and_numbers_is_named(title: str, tmp_path: Path) -> None:
    """It was asked about as a header, and as one it left names among numbers."""
    for names in ("w callee caller", "src dst bytes", "source_id w target_id"):
        text = f"{title}\n{names}\n40 51 40\n57 9 19\n"
        with pytest.raises(
            FileFormatError, match="line 1: it may be a title: line 2 names the columns; leave this line"
        ):
            read_text(tmp_path, text, "g.txt")
        assert len(read_text(tmp_path, text.partition("\n")[2], "g.txt")) == 2


def test_names_of_columns_above_fewer_are_no_title(tmp_path: Path) -> None:
    text = "person,friend,since\nann,bob\ncy,dan\n"
    assert read_text(tmp_path, text, "g.csv", header=True) == [("ann", "bob"), ("cy", "dan")]
    way = (
        "the first row has 3 columns and line 2 has 2; header=True, columns=(0, 1), or other columns, leaves it out if"
    )
    for names in ("person,friend,since", "src,dst,w"):
        with pytest.raises(FileFormatError, match=re.escape(f"line 1: {way}")):
            read_text(tmp_path, f"{names}\nann,bob\ncy,dan\n", "g.csv")
        options = {"header": True, "columns": (0, 1)}
        assert len(read_text(tmp_path, f"{names}\nann,bob\ncy,dan\n", "g.csv", **options)) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("mother,father,since\nann,bob\ncy,dan\n", ("ann", "bob")),
        ("vertex neighbours of it\nann bob\ncy dan\neve fay\n", ("ann", "bob")),
    ],
)
def test_a_stated_header_of_other_columns_is_left_out_with_a_note(
    text: str, first: tuple[str, str], tmp_path: Path
) -> None:
    """It was refused as a title, and no option read the lines below it."""
    path = tmp_path / "g.txt"
    path.write_text(text)
    with pytest.raises(FileFormatError, match="leave this line out, as header=True does"):
        read_text(tmp_path, text, "g.txt")
    for options in ({"header": True}, {"header": True, "columns": (0, 1)}):
        assert read_text(tmp_path, text, "g.txt", **options)[0] == first  # type: ignore[arg-type]
        notes = landbridge.components(path, **options).notes  # type: ignore[arg-type]
        line = text.splitlines()[1]
        assert f"line 2 is taken as an edge ({line}): leave line 1 out if it is a title" in notes


@pytest.mark.parametrize("names", ["id,dup,w", "person A,person B,w", "src,dst,w"])
def test_a_stated_header_above_names_of_columns_is_a_title(names: str, tmp_path: Path) -> None:
    for title in ("Report of all", "Report,of,all,days"):
        for columns in (None, (0, 1)):
            with pytest.raises(FileFormatError, match=r"line 1: it may be a title: .*; leave this line out: "):
                read_text(tmp_path, f"{title}\n{names}\na,b,1\nc,d,2\n", "g.csv", header=True, columns=columns)


@pytest.mark.parametrize("title", ["2026", "2026,,", "2026-01-01,,"])
@pytest.mark.parametrize("names", ["person A,person B,w", "id,dup,w", "src,dst,w"])
def test_a_title_without_letters_above_names_is_no_header(title: str, names: str, tmp_path: Path) -> None:
    """The names below it became an edge."""
    text = f"{title}\n{names}\nann,bob,1\ncy,dan,2\n"
    for columns in (None, (0, 1)):
        with pytest.raises(FileFormatError, match="line 1: it may be a title: line 2 names the columns; leave this"):
            read_text(tmp_path, text, "g.csv", header=True, columns=columns)
    rows = text.partition("\n")[2].partition("\n")[2]
    assert read_text(tmp_path, f"{title}\n{rows}", "g.csv", header=True) == [("ann", "bob"), ("cy", "dan")]


@pytest.mark.parametrize("ids", ["auto", "names"])
@pytest.mark.parametrize(
    "text",
    [
        "A;B;;;\nname;alias;since;w\nann;bob;0.75;0.83\ncy;dan;0.5;0.6\n",
        "A;B;\nsrc_ip;dst_ip\n10.0.0.1;10.0.0.2\n10.0.0.2;10.0.0.3\n",
    ],
)
def test_a_header_with_delimiters_behind_it_is_none_above_words_for_columns(
    text: str, ids: str, tmp_path: Path
) -> None:
    """The words below it became an edge without a note."""
    with pytest.raises(
        FileFormatError, match=r"line 1: it may be a title: .*, or say header=True if this one names them"
    ):
        read_text(tmp_path, text, "g.csv", ids=ids)
    path = tmp_path / "g.csv"
    path.write_text(text)
    assert any("line 2 is taken as an edge" in each for each in landbridge.components(path, header=True).notes)
    path.write_text("A;B;\nann;bob\ncy;dan\n")
    assert not any("taken as an edge" in each for each in landbridge.components(path).notes)


def test_words_for_columns_below_a_header_by_its_words_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("src,dst\nname,alias\nann,bob\ncy,dan\n")
    note = "line 2 is taken as an edge (name,alias): leave line 1 out if it is a title"
    assert note in landbridge.components(path).notes


def test_a_note_says_of_a_stated_header_of_one_column_that_it_names_none(tmp_path: Path) -> None:
    """The note said that there is no header."""
    path = tmp_path / "g.csv"
    path.write_text("x,,\n1,2,a\n2,3,b\n")
    ways = "the first two hold the edges (columns= selects others)"
    assert landbridge.components(path, header=True).notes == (
        f"lines have 3 columns, of which the header names none: {ways}",
    )
    path.write_text("1,2,a\n2,3,b\n")
    assert landbridge.components(path).notes == (f"lines have 3 columns and no header: {ways}",)


@pytest.mark.parametrize(
    "text",
    [
        "Sales Q1,\nnode,neighbor\n3,4\n3,8\n",
        "Q1,\nnode,neighbor\n3,4\n3,8\n",
        "Q1,,,\nid,name,x,y\na,b,1,2\nc,d,3,4\n",
        "u7;\nphone1;phone2\n12;13\n14;15\n",
        "Sales Q1,x\nnode,neighbor\n3,4\n3,8\n",
    ],
)
def test_edges_are_proposed_of_a_title_without_empty_ids_alone(text: str, tmp_path: Path) -> None:
    """They were proposed of an empty id, which is refused."""
    with pytest.raises(FileFormatError, match=r"line 1: it may be a title: .*; leave this line out") as error:
        read_text(tmp_path, text, "g.csv")
    is_proposed = "header=False" in str(error.value)
    assert is_proposed == text.startswith("Sales Q1,x")
    if is_proposed:
        assert len(read_text(tmp_path, text, "g.csv", header=False, ids="names")) == 4


@pytest.mark.parametrize(
    "text",
    [
        "acme,run 7,\nnode,neighbor\n3,4\n3,8\n",
        "A\tB\nd7\te8\tsince\tw\n7\t5\t1\t2\n8\t5\t1\t3\n",
        "acme,run 7,\na,b\n7,5\n8,5\n",
    ],
)
def test_a_first_row_of_other_columns_above_a_header_is_called_a_title(text: str, tmp_path: Path) -> None:
    """What was proposed led to an error, and from there to an edge of the names of columns."""
    way = "line 2 may name the columns: leave this one out if it is a title: "
    with pytest.raises(FileFormatError, match=f"line 1: the first row has . columns and line 2 has .; {way}"):
        read_text(tmp_path, text, "g.csv")
    assert len(read_text(tmp_path, text.partition("\n")[2], "g.csv", columns=(0, 1))) == 2


@pytest.mark.parametrize("below", ["Name,Friend,Since\n", "src,dst,Since\n", ""])
@pytest.mark.parametrize("empty", [",,\n", ",,\n,,\n"])
def test_lines_without_a_word_below_a_title_are_left_out_with_it(below: str, empty: str, tmp_path: Path) -> None:
    """To leave out the title alone was proposed, and led to an error about the lines below it."""
    rows = "alice,bob,2020\ncy,bob,2021\n"
    for header in (None, True):
        with pytest.raises(FileFormatError, match=f"leave lines 1 to {1 + empty.count(chr(10))} out: ") as error:
            read_text(tmp_path, f"My list,,\n{empty}{below}{rows}", "g.csv", header=header)
        assert "header=" not in str(error.value)
    assert len(read_text(tmp_path, below + rows, "g.csv", header=below != "", columns=(0, 1))) == 2
