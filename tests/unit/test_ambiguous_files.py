"""Files that resemble another format, and ids that resemble a missing value."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.texts import read_text, said_by

import landbridge
from landbridge import CheckFailed, FileFormatError, InputError
from landbridge.cli import main
from landbridge.edges.files import read
from landbridge.edges.forms import EdgeList

MATRIX = b"%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 3\n"


def test_matrix_market_is_detected_by_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "matrix.txt"
    path.write_bytes(MATRIX)
    assert landbridge.components(str(path)).labels.tolist() == [0, 0, 1, 1]


def test_matrix_market_on_a_pipe_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "matrix.txt"
    path.write_bytes(MATRIX)
    with pytest.raises(FileFormatError, match=r"line 1: this is a Matrix Market file; read it with format='matrix-"):
        landbridge.components(str(path), format="edges")


@pytest.mark.parametrize("name", ["pairs.npy", "pairs.parquet"])
def test_negative_ids_are_refused_unless_ids_are_sparse(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    pairs = np.array([[0, 1], [2, -1]])
    if name.endswith(".npy"):
        np.save(path, pairs)
    else:
        arrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"u": pairs[:, 0], "v": pairs[:, 1]}), path)
    with pytest.raises(FileFormatError, match=r"(edge 1: vertex|row 1 \(from 0\): column 'v' =) -1 is negative"):
        landbridge.components(str(path))
    assert main(["components", str(path), "--json"]) == 2
    assert landbridge.components(str(path), ids="sparse").count == 2


def test_sparse_results_are_checked_against_their_own_arrays() -> None:
    pairs = (np.array([10**12, 7, -3]), np.array([7, 7, 5]))
    result = landbridge.components(pairs, ids="sparse")
    landbridge.check_components(pairs, result)
    with pytest.raises(CheckFailed):
        landbridge.check_components(pairs, np.zeros(4, np.int32), ids="sparse")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ('"u","v"\n"0","1"\n"2","3"\n', [(0, 1), (2, 3)]),
        ('"0","1"\n"2","3"\n', [(0, 1), (2, 3)]),
        ('"0" "1"\n"2" "3"\n', [(0, 1), (2, 3)]),
        (",src,dst\n0,5,6\n1,7,8\n", [(5, 6), (7, 8)]),
        ('"","src","dst"\n"1",5,6\n"2",7,8\n', [(5, 6), (7, 8)]),
        ("Unnamed: 0,src,dst\n0,5,6\n1,7,8\n", [(5, 6), (7, 8)]),
        ("index;src;dst\n0;5;6\n1;7;8\n", [(5, 6), (7, 8)]),
        (",0,1\n0,5,6\n1,7,8\n", [(5, 6), (7, 8)]),
        ('name,u,v\n"a ""b"", c",0,1\nd,2,3\n', [(0, 1), (2, 3)]),
    ],
)
def test_csv_of_spreadsheets_and_data_frames(text: str, pairs: list[tuple[int, int]], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    columns = ("u", "v") if text.startswith("name") else None
    edges = read(path, columns=columns)
    assert isinstance(edges, EdgeList)
    assert list(zip(edges.u.tolist(), edges.v.tolist(), strict=True)) == pairs


@pytest.mark.parametrize("cell", ['"1', '1"', '"1"2', '""', '"x"', '"-1"'])
def test_malformed_quotes_are_refused(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"u,v\n0,1\n{cell},2\n")
    with pytest.raises(FileFormatError, match="line 3, byte 1"):
        read(path)


def test_the_note_on_a_header_names_the_columns_of_the_edges(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("index,src,dst\n0,5,6\n")
    (note,) = read(path).notes
    assert note.endswith("columns src and dst are the edges")


METIS = "% a comment\n5 3\n2 3\n1\n1\n5\n4\n"


def test_a_metis_file_named_as_an_edge_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mesh.txt"
    path.write_text(METIS)
    for chunked in (False, True):
        with pytest.raises(FileFormatError, match=r"METIS.*format='metis' reads it: "):
            landbridge.components(chunks=str(path)) if chunked else landbridge.components(str(path))
        with pytest.raises(FileFormatError, match="METIS"):
            opened = io.BytesIO(METIS.encode())
            landbridge.components(chunks=opened) if chunked else landbridge.components(opened)
    assert landbridge.components(str(path), format="metis").labels.tolist() == [0, 0, 0, 1, 1]
    with pytest.raises(FileFormatError, match="this line has 1 column"):
        landbridge.components(str(path), format="edges")


@pytest.mark.parametrize(
    "text",
    [
        "5 4\n2 3\n1\n1\n5\n4\n",
        "5 3\n2 3\n1\n1\n5\n",
        "3 2\n2 3 7\n1\n1\n",
        "0 1\n2 3\n4 5\n",
        "4 3\n1 2 9\n2 3\n3 4\n",
    ],
)
def test_edge_lists_similar_to_metis_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mesh.txt"
    path.write_text(text)
    try:
        assert not any("METIS" in note for note in read(path).notes)
    except FileFormatError as error:
        assert "column" in error.problem


@pytest.mark.parametrize(
    "header",
    ["id1,id2", "node_1,node_2", "node1,node2", "unique_id_l,unique_id_r", "idl,idr", "src,dst", "fromNodeId,toNodeId"],
)
@pytest.mark.parametrize("change", [str.upper, str.lower, str.title, str.swapcase], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "rows",
    [
        [],
        ["1,2", "3,4"],
        ["ann,bob", "bob,cy"],
        pytest.param([f"n{i},m{i}" for i in range(1500)], marks=pytest.mark.long),
    ],
    ids=len,
)
def test_a_header_of_another_file_in_other_capitals_is_no_edge(
    header: str, change: Any, rows: list[str], tmp_path: Path
) -> None:
    again = change(header)
    if again == header:
        return
    for place in {0, len(rows) // 2, len(rows)}:
        text = "\n".join([header, *rows[:place], again, *rows[place:]])
        problem = rf"line {place + 2}: this line repeats the header of line 1.*header=False"
        with pytest.raises(FileFormatError, match=problem) as error:
            read_text(tmp_path, text)
        if len(rows) < 9:
            assert len(read_text(tmp_path, text, **said_by(str(error.value)))) == len(rows) + 2


@pytest.mark.parametrize(
    ("text", "m"),
    [
        ("id1,id2\nid3,id4\n", 2),
        ("node1,node2\nnode3,node1\n", 2),
        ("user1,user2\nuser3,user4\n", 2),
        ("v1,v2\nv2,v3\n", 2),
        ("BRCA1,BRCA2\nTP53,MDM2\n", 2),
        ("new york,los angeles\nrome,san jose\n", 2),
        ("Anna,Bert\nanna,bert\ncy,dan\n", 3),
        ("[a]_ {b}\n{b}1 C(O)N\n", 2),
        ("bob_l,bob_r\nbob_m,cy_n\n", 2),
        ("node_1,node_2\nnode62,node25\n", 1),
        ("id1,id2\nidaberg,gus\nIda,leo\n", 2),
        ("src,dst,w\nann,bob,1\nSRC,DST,2\n", 2),
        ("<node1>,<node2>\n<node3>,<node4>\n", 2),
        ("node(1),node(2)\nnode(3),node(4)\n", 2),
        ("{id1},{id2}\n{id3},{id4}\n", 2),
        ("node1/,node2/\nnode3/,node4/\n", 2),
        ("/id/1/,/id/2/\n/id/3/,/id/4/\n", 2),
        ("Record #1.,Record #2.\nRecord #3.,Record #4.\n", 2),
        ("ID(1),ID(2),x\nID(3),ID(4),y\n", 2),
        ("x(1),x(2)\nx(2),x(3)\n", 2),
        ("0_0,0_1\n0_1,1_1\n", 2),
        ("gene1,gene2\ngene2,gene1\n", 2),
        ("10.0.0.1,10.0.0.2\n10.0.0.2,10.0.0.1\n", 2),
        ("u1,Batman: Begins\nu2,Batman: Begins\n", 2),
        ("source,target\nx1,Title: sub\nx2,Other: sub\n", 2),
        ("Re: hello,Re: foo\nRe: foo,Re: x\n", 2),
        ("2001:db8::\tAS1\n2001:db9::\tAS2\n", 2),
        ("C:\tshare1\nD:\tshare1\n", 2),
        ("*Network effect\tNFX\nNFX\tb\n", 2),
        ("graph [data structure],tree\ntree,forest\n", 2),
    ],
)
def test_first_rows_that_are_read_without_a_question(text: str, m: int, tmp_path: Path) -> None:
    assert len(read_text(tmp_path, text)) == m


@pytest.mark.parametrize(
    "text",
    [
        "gene1,gene2\nTP53,MDM2\nBRCA1,TP53\n",
        "name1,name2\nann,bob\nNAME1,NAME2\n",
        "User ID,Item ID\nann,soap\n",
        "doc1,doc2\nann,bob\n",
        "doc1,doc2\nx17,x18\nx18,x19\n",
        "V1,V2\na17,b18\n",
        "V1,V2\nv17,b18\n",
        "id1,id2\nID3,ID4\n",
        "node_1,node_2\nnode_03x,node_04x\n",
        "id1_id,id2_id\nid3_id,id4_id\n",
        "id1,id2\nann,bob\nID1,cy\n",
        "idl,idr\nIda,bob\n",
        "a b label\ne f z\na c z\n",
    ],
)
def test_words_of_columns_over_other_words_are_ambiguous(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="line 1: it is ambiguous whether the first row is a header"):
        read_text(tmp_path, text)
    assert len(read_text(tmp_path, text, header=False)) == text.count("\n")
    assert len(read_text(tmp_path, text, header=True)) == text.count("\n") - 1


BRACKETS, ITEMS = "brackets, as Python prints lists, sets and arrays", "names with colons behind them"
STRUCTURES = [
    ("n.1: n.2\nn.2: n.3\n", ITEMS),
    ("urn:a: urn:b\nurn:b: urn:c\n", ITEMS),
    ("a-b: c\nc: d\n", ITEMS),
    ("a: b\nc: d\n", ITEMS),
    ("a: b c\nc: d e\n", ITEMS),
    ("1: 2\n3: 4\n", ITEMS),
    ("1: 2,3\n3: 4,5\n", ITEMS),
    ("n.1:\tn.2\nn.2:\tn.3\n", ITEMS),
    ("array([[0, 1],\n       [1, 2]])\n", BRACKETS),
    ("{1, 2}\n{2, 3}\n", BRACKETS),
    ("{'src': 1, 'dst': 2}\n{'src': 2, 'dst': 3}\n", BRACKETS),
    ("<1, 2>\n<2, 3>\n", BRACKETS),
    ("(1, 2)\n(2, 3)\n", BRACKETS),
    ("(a, b)\n(b, c)\n", BRACKETS),
    ("('a', 'b'),\n('b', 'c'),\n", BRACKETS),
    ("Edge(1, 2)\nEdge(2, 3)\n", BRACKETS),
    ("{0: [1, 2]}\n", BRACKETS),
    ("edges = [(0, 1), (1, 2)]\n", BRACKETS),
    ("frozenset({1, 2})\nfrozenset({2, 3})\n", BRACKETS),
    ("src,dst\n[1,2]\n[2,3]\n", BRACKETS),
    ("src,dst\n{a,b}\n", BRACKETS),
]


@pytest.mark.parametrize(("text", "what"), STRUCTURES)
def test_a_delimiter_inside_of_something_else_divides_no_columns(text: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=rf"line \d: column 0 .from 0. holds {what}.*ids='names'") as error:
        read_text(tmp_path, text)
    assert len(read_text(tmp_path, text, **said_by(str(error.value)))) == text.count("\n") - text.startswith("src")


@pytest.mark.parametrize(
    "text",
    [
        ":smile: :frown:\n:frown: :grin:\n",
        "urn:a,urn:b\nurn:b,urn:c\n",
        "a->b,c\nc->d,e\n",
        "x<1,y>2\ny>2,z\n",
        "<http://a> <http://b>\n<http://b> <http://c>\n",
        "<a@x.org>,<b@x.org>\n<b@x.org>,<c@x.org>\n",
        "f(x),g(y)\ng(y),h(z)\n",
        '"f(x,y)","g(x)"\n"g(x)","h(y,z)"\n',
        "(2R)-a,[b]\n[b],c{d}\n",
        "a:1 b:2\nb:2 c:3\n",
        "c(1,2\nd,e\n",
    ],
)
def test_names_with_brackets_and_colons_of_their_own_are_names(text: str, tmp_path: Path) -> None:
    assert len(read_text(tmp_path, text, header=False)) == 2


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("\n\n<html>\n<body>\n", 3, "a page of HTML"),
        ("# c\n<!DOCTYPE html>\n<html>\n", 2, "a page of HTML"),
        ('\n<?xml version="1.0"?>\n<a/>\n', 2, "a file of XML"),
        ('<graphml>\n<node id="a"/>\n', 1, "a file of XML"),
        ('<gexf version="1.3">\n <graph>\n', 1, "a file of XML"),
        ("<a> <likes> <b> .\n<b> <likes> <c> .\n", 1, "a file of RDF triples"),
        ("ex:a ex:likes ex:b .\nex:b ex:likes ex:c .\n", 1, "a file of RDF triples"),
        ("# c\n@prefix ex: <http://ex/> .\nex:a ex:likes ex:b .\n", 2, "a file of RDF triples"),
        ("graph G {\n  a -- b;\n}\n", 1, "a graph in DOT, which networkx.nx_pydot.read_dot reads"),
        ("digraph {\n  a -> b;\n}\n", 1, "a graph in DOT"),
        ("p sp 3 2\na 1 2 5\na 2 3 5\n", 1, "a DIMACS file, which format='dimacs' reads"),
        ("graph [\n node [\n id 1\n ]\n]\n", 1, "a graph in GML"),
        ("nodedef>name VARCHAR,label VARCHAR\ns1,Site 1\n", 1, "a graph in GDF"),
        ('*Vertices 2\n1 "a"\n2 "b"\n', 1, "a graph in Pajek's format"),
    ],
)
def test_other_files_are_named_with_the_line_they_begin_in(text: str, line: int, what: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=rf"line {line}: this is {what}"):
        read_text(tmp_path, text)


@pytest.mark.parametrize("text", ["a -- b;\nb -- c;\n", "1 2;\n2 3;\n", "a b,\nb c,\n"])
def test_a_delimiter_that_ends_the_lines_divides_no_columns(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"line 1: '[;,]' ends each line, with no column behind it: leave it out"):
        read_text(tmp_path, text)
    without = text.replace(";", "").replace(",", "")
    assert len(read_text(tmp_path, without, header=False, columns=(0, 2) if "--" in text else None)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "source,target,note\nann,bob,hi\ncy,dan,ho\n",
        "src,since,dst\nann,2019,bob\ncy,2020,dan\n",
        "a,w,b\nx1,0.5,x2\nx3,0.5,x4\n",
    ],
)
@pytest.mark.parametrize("columns", [(0, 1), (0, 2), (2, 1)])
def test_a_header_is_found_whichever_columns_are_named_by_position(
    text: str, columns: tuple[int, int], tmp_path: Path
) -> None:
    assert len(read_text(tmp_path, text)) == 2
    assert len(read_text(tmp_path, text, columns=columns)) == 2


def test_a_first_row_that_is_ambiguous_is_so_for_columns_by_position(tmp_path: Path) -> None:
    text = "id,name,friend\nann,x,bob\ncy,y,dan\n"
    for columns in (None, (0, 1), (0, 2)):
        with pytest.raises(FileFormatError, match="ambiguous whether the first row is a header"):
            read_text(tmp_path, text, columns=columns)


@pytest.mark.parametrize("arrow", ["->", "--", ":", "=>"])
def test_an_arrow_between_the_ids_is_left_out_as_the_error_says(arrow: str, tmp_path: Path) -> None:
    text = f"ann {arrow} bob\nbob {arrow} ann\n"
    with pytest.raises(FileFormatError, match=f"column 1 .from 0. holds nothing but {arrow}, which is no id") as error:
        read_text(tmp_path, text)
    assert read_text(tmp_path, text, **said_by(str(error.value))) == [("ann", "bob"), ("bob", "ann")]


@pytest.mark.parametrize("text", ["a 1 2\na 2 3\n", "e,1,2\ne,2,3\n"])
def test_a_first_column_of_one_word_over_numbers_is_no_endpoint(text: str, tmp_path: Path) -> None:
    with pytest.raises(
        FileFormatError, match=r"column 0 .from 0. holds one word.*columns=\(0, 1\) or columns=\(1, 2\)"
    ):
        read_text(tmp_path, text)
    assert read_text(tmp_path, text, columns=(1, 2)) == [(1, 2), (2, 3)]
    assert len(read_text(tmp_path, text, columns=(0, 1))) == 2


@pytest.mark.parametrize(
    "text", ["#1,#2\n#2,#3\n", "%1 %2\n", "# 1 2\n# 2 3\n", "#a,#b\n", "# a comment\n", "src,dst\n"]
)
@pytest.mark.parametrize("options", [{}, {"header": True}, {"ids": "dense"}, {"ids": "sparse", "header": True}])
def test_a_text_without_edges_says_so(text: str, options: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text(text)
    for way in ("graph", "chunks"):
        try:
            result = landbridge.components(**{way: path}, **options)
        except FileFormatError as error:
            assert "a comment or an edge" in error.problem
            continue
        assert any(note.startswith("no edges") or "no edges are below it" in note for note in result.notes)


@pytest.mark.parametrize("line", ["-1,2", "+1,2", "1e5,2", f"{10**30},2"])
def test_numbers_that_are_no_ids_may_be_names(line: str, tmp_path: Path) -> None:
    for text in (f"{line}\n3,4\n", f"3,4\n{line}\n"):
        with pytest.raises(FileFormatError, match=r"a vertex id .*; ids='names' takes it as text"):
            read_text(tmp_path, text)
        assert len(read_text(tmp_path, text, ids="names")) == 2
        with pytest.raises(FileFormatError) as error:
            read_text(tmp_path, text, ids="sparse")
        assert "ids='names'" not in str(error.value)


def test_words_that_are_no_names_are_not_proposed_as_names(tmp_path: Path) -> None:
    hints = {"2.0": "write 2, without a fraction", "NaN": "it stands for no value", "NA": "it stands for no value"}
    for word, hint in {**hints, "-": "it is no name either", "?": "it is no name either"}.items():
        for line in (f"{word},2", f"2,{word}"):
            with pytest.raises(FileFormatError, match=hint) as error:
                read_text(tmp_path, f"src,dst\n1,2\n{line}\n")
            assert error.value.line == 3 and "ids=" not in str(error.value)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"src": [1, 2, None], "dst": [2, 3, 4]})
    frame.dropna().astype("Int64").to_csv(tmp_path / "g.csv", index=False)
    assert landbridge.components(tmp_path / "g.csv").count == 1


def test_the_rule_of_a_markdown_table_is_no_edge(tmp_path: Path) -> None:
    for rule in ("|---|---|", "| :--- | ---: |"):
        for row in ("| a | b |", "| 1 | 2 |"):
            for options in ({}, {"header": True}, {"ids": "names"}):
                with pytest.raises(FileFormatError, match="line 2: it is the rule below the header of a Mark"):
                    read_text(tmp_path, f"| src | dst |\n{rule}\n{row}\n", **options)
                assert len(read_text(tmp_path, f"| src | dst |\n{row}\n", **options)) == 1


@pytest.mark.parametrize("text", ["bob,bob\n1,2\n", "bob,bob,x\n1,2,3\n", "bob,bob,when\nann,cy,2020-01-01\n"])
def test_a_loop_above_the_edges_may_be_one_as_the_error_says(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"2 columns have the name 'bob'.*or header=False") as error:
        read_text(tmp_path, text)
    assert read_text(tmp_path, text, **said_by(str(error.value)))[0] == ("bob", "bob")


@pytest.mark.parametrize("name", ["g.txt", "g.csv"])
@pytest.mark.parametrize("text", ["1,5 2\n3,7 4\n", "1;2 3\n", "1|2 3\n", "1 2,3\n4 5,6\n"])
def test_numbers_between_two_delimiters_are_no_names(text: str, name: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"line 1: '.' and ' ' both part the lines into columns: say delimiter="):
        read_text(tmp_path, text, name)
    assert len(read_text(tmp_path, text, name, delimiter=text[1] if text[1] != " " else ",")) == text.count("\n")


@pytest.mark.parametrize("text", ["555 1234,555 4321\n555 4321,555 9876\n", "1, 2\n2, 3\n", "new york,2\nrio de,3\n"])
def test_blanks_in_both_columns_or_around_them_divide_nothing(text: str, tmp_path: Path) -> None:
    assert len(read_text(tmp_path, text, "g.csv")) == 2


def test_notes_on_several_files_name_the_first_one(tmp_path: Path) -> None:
    for name, text in (("a.csv", "src,dst\n1,2\n"), ("b.csv", "src,dst\n2,3\n"), ("c.csv", "# none\n")):
        (tmp_path / name).write_text(text)
    whole, chunks = landbridge.components(tmp_path), landbridge.components(chunks=tmp_path)
    assert whole.notes[0].startswith(f"{tmp_path / 'a.csv'} and 1 other file: line 1 is taken as a header (src, dst)")
    assert whole.notes[1].startswith(f"{tmp_path / 'c.csv'}: no edges: all lines begin with '#' or '%'")
    assert set(whole.notes) <= set(chunks.notes)


FRAMES: list[tuple[list[str], bool, bool]] = [
    (["V1", "V2", "V3", "V4"], False, True),
    (["0", "1", "2", "3"], False, True),
    (["a", "b", "c", "d"], False, True),
    (["", "V1", "V2", "V3", "V4"], True, True),
    (["", "p", "q", "r", "s"], True, True),
    (["src", "dst", "w", "t"], False, False),
]


@pytest.mark.parametrize(("names", "labelled", "is_matrix"), FRAMES)
@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow", "batch", "reader"])
def test_frames_that_are_adjacency_matrices_are_refused_whatever_their_library(
    kind: str, names: list[str], labelled: bool, is_matrix: bool
) -> None:
    library = {"pandas": "pandas", "polars": "polars", "lazy": "polars"}.get(kind, "pyarrow")
    module = pytest.importorskip(library)
    cells: list[Any] = list(np.eye(4, k=1, dtype=int) + np.eye(4, k=-1, dtype=int))
    columns = dict(zip(names, [names[1:], *cells] if labelled else cells, strict=True))
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    if kind == "lazy":
        frame = frame.lazy()
    elif kind == "batch":
        frame = frame.to_batches()[0]

    def given() -> Any:
        return frame.to_reader(max_chunksize=1) if kind == "reader" else frame

    if not is_matrix:
        assert landbridge.components(given()).count == 1
        return
    problem = (
        "it is ambiguous which two" if kind == "reader" and "V1" not in names and "0" not in names else "adjacency"
    )
    with pytest.raises(InputError, match=problem):
        landbridge.components(given())
    assert landbridge.components(given(), columns=(names[1], names[2])).count > 0


def test_months_before_days_are_no_ids(tmp_path: Path) -> None:
    """Of lines of a log the month and the day were joined."""
    text = "Jan 1 10:00 host1 host2\nJan 2 10:01 host2 host3\n"
    with pytest.raises(
        FileFormatError, match=r"line 1: column 0 .* holds dates or times, which are no ids: columns= says"
    ):
        read_text(tmp_path, text, "g.log")
    assert read_text(tmp_path, text, "g.log", columns=(3, 4)) == [("host1", "host2"), ("host2", "host3")]
    assert len(read_text(tmp_path, "Jan 7\nMay 7\n", "g.txt", header=False)) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            'src,dst,note\nann,bob,"line one\nline two"\nbob,cy,x\n',
            "line 2, byte 9: a quote that nothing closes in this line",
        ),
        (
            "src,dst,n\n1,2,5\n2,3,6\nTotal,,11\n",
            "line 4, byte 1: .* a column of this line is empty: leave such lines out",
        ),
        (" src | dst\n-----+-----\n ann | bob\n bob | cy\n", "line 2, byte 1: .* it is a rule: leave such lines out"),
        ("+----+----+\n| a1 | b1 |\n+----+----+\n| c2 | d2 |\n", "it is a rule: leave such lines out"),
    ],
)
def test_messages_name_what_is_wrong_with_a_line(text: str, problem: str, tmp_path: Path) -> None:
    """They spoke of adjacency lists, and proposed options that did not take the line."""
    with pytest.raises(FileFormatError, match=problem) as error:
        read_text(tmp_path, text, "g.csv")
    assert "adjacency" not in str(error.value)
    assert "ids=" not in str(error.value)
