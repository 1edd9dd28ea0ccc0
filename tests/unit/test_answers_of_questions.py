"""What an error proposes for a file leads to its edges, without a second question."""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.texts import pairs_of, read_text

import landbridge
from landbridge.edges.files import read
from landbridge.edges.options import options_of
from landbridge.errors import FileFormatError, InputError

OPTION = r"(?:header|columns|comment|ids)=(?:\([^()]*\)|'[^']*'|\w+)"


def proposals(message: str) -> list[dict[str, Any]]:
    """The options that a message says, each of several with those beside it."""
    return [dict(eval(f"dict({each})")) for each in re.findall(rf"{OPTION}(?:, {OPTION})*", message)]


def pairs(path: Path, text: str, **options: Any) -> Any:
    path.write_text(text)
    return pairs_of(read(path, format="edges", options=options_of(**options)))


def question(path: Path, text: str, match: str, **options: Any) -> list[dict[str, Any]]:
    with pytest.raises(InputError, match=match) as error:
        pairs(path, text, **options)
    assert "\n" not in str(error.value)
    return proposals(str(error.value))


def test_names_that_go_on_from_the_first_row_are_ids(tmp_path: Path) -> None:
    for word in ("node", "id", "name", "person"):
        a, b, c = (f"{word}_{letter}" for letter in "abc")
        assert read_text(tmp_path, f"{a},{b}\n{b},{c}\n") == [(a, b), (b, c)]
    path = tmp_path / "g.txt"
    assert pairs(path, "node_a,node_b\nann,bob\n") == [("ann", "bob")]
    for below in ("node_b,x\n", "node_c,node_d\n"):
        options = question(path, f"node_a,node_b\n{below}", "ambiguous whether the first row is a header")
        assert [len(pairs(path, f"node_a,node_b\n{below}", **each)) for each in options] == [1, 2]


def test_counts_of_one_number_twice_are_left_out_as_the_error_says(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for text in ("2 2\n0 1\n1 0\n", "2 2 2\n0 1 1\n1 0 1\n"):
        options = question(path, text, "the first row could be counts")
        assert [pairs(path, text, **each) for each in options] == [[(0, 1), (1, 0)], [(2, 2), (0, 1), (1, 0)]]
    assert pairs(path, "bob,bob\n1,2\n", header=True) == [(1, 2)]


def test_a_header_without_a_first_name(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for below in ("0,x,y,z\n1,y,z,w\n", "0,1,0,1\n1,0,1,0\n2,1,0,1\n", ",x,y,z\n", "", "r,x,y,z\n"):
        text = f",a,b,c\n{below}"
        (options,) = question(path, text, "line 1: it is ambiguous whether the first row is a header.*no edge begins")
        assert len(pairs(path, text, **options)) == below.count("\n")
    text = '"","a","b","c"\n"r1","x","y","z"\n"r2","y","z","x"\n'
    options = question(path, text, "line 1: it is ambiguous whether the first row is a header")
    assert [pairs(path, text, **each)[-2:] for each in options] == [[("x", "y"), ("y", "z")]] * 2
    assert question(path, ",a,b\n0,x,y\n", "whether the first row", columns=(0, 1)) == [{"header": True}]
    assert question(path, ",b\nc,d\n", "whether the first row") == [{"header": True}]


def test_the_question_about_a_header_names_what_comes_after_it(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for text in ("ann,bob,cy\ndan,eve,flo\n", "person,friend,city\nann,bob,rome\n", "a b label\ne f z\na c z\n"):
        options = question(path, text, "ambiguous whether the first row is a header")
        edges = [pairs(path, text, **each) for each in options]
        assert edges[1][1:] == edges[0] and len(edges[0]) == text.count("\n") - 1
    assert options[0] == {"header": True}  # a and b are names of the endpoints
    text = "u,v\n#10,#0\n"
    header, edge, ids, comment = question(path, text, "whether the first row is a header.*as line 2 does")
    assert pairs(path, text, **header, **ids) == [("#10", "#0")] == pairs(path, text, **edge, **ids)[1:]
    assert pairs(path, text, **header, **comment) == [] and pairs(path, text, **edge, **comment) == [("u", "v")]
    assert len(question(path, "#rust,#go\nann,bob\ncy,dan\n", "comment='' if ids begin as line 1")) == 4
    assert len(question(path, "#a note, no edge\nann,bob\ncy,dan\n", "whether the first row is a header")) == 2


@pytest.mark.parametrize("row", ["a,b,c", "id,value,note", "value,x,name"])
def test_the_columns_of_a_header_are_those_that_the_question_about_it_proposes(row: str, tmp_path: Path) -> None:
    """Of the first and the third column, where the second holds words for relations between them."""
    path = tmp_path / "g.csv"
    path.write_text(f"{row}\np1,x,p2\np2,y,p3\n")
    first, _, third = row.split(",")
    with pytest.raises(FileFormatError, match=r"columns=\(0, [12]\)"):
        landbridge.Graph(path)
    with pytest.raises(InputError, match=rf"the columns {', '.join(row.split(','))} hold the edges") as error:
        landbridge.Graph(path, header=True)
    assert f"say columns=('{first}', '{third}') or others" in str(error.value)
    assert landbridge.components(path, header=True, columns=(first, third)).ids.tolist() == ["p1", "p2", "p3"]


def test_blanks_in_quotes_do_not_hide_that_the_rows_go_on(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for first in ('"node1 ","node2 "', '" node1"," node2"', '"ann ","bob "'):
        again = first.replace("node1", "node3").replace("ann", "cy")
        assert len(pairs(path, f"{first}\n{again}\n")) == 2
    (u, v), *_ = pairs(path, '"node1 ","node2 "\n"node3 ","node1 "\n')
    assert (u, v) == ("node1 ", "node2 ")


def test_dimacs_below_its_comments_is_named(tmp_path: Path) -> None:
    path = tmp_path / "g.xyz"
    edges = {"edge": "e 1 2\ne 2 3\n", "sp": "a 1 2 4\na 2 3 1\n", "col": "e 1 2\n\ne 2 3\n"}
    for comments in ("c a note\n", "c\nc of\nc three\n\n", 'c it is "x\n', "c one, two\r\n", "c a b\n" * 3000):
        for kind, lines in edges.items():
            text = f"{comments}p {kind} 3 2\n{lines}"
            where = rf"line {comments.count(chr(10)) + 1}: this is a DIMACS file, which format='dimacs' reads"
            question(path, text, where)
            assert landbridge.components(path, format="dimacs").count == 1
    assert len(pairs(path, "c a\na p\np b\n")) == 3


def test_a_second_header_is_no_edge(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for text in ("src,dst\nsource,target\nann,bob\n", "w,src,dst\nweight,from_id,to_id\n2,ann,bob\n"):
        options = question(path, text, "line 2: it may be a second header, below that of line 1")
        edges = [pairs(path, text, **each) for each in options]
        assert [len(each) for each in edges] == [2, 3] and edges[0][-1] == edges[1][-1] == ("ann", "bob")
    for row in ("string,string", "STRING,int64"):
        options = question(path, f"src,dst\n{row}\nann,bob\n", "line 2: it may be a second header")
        assert [len(pairs(path, path.read_text(), **each)) for each in options] == [2, 3]
    for rows in (("node1,node2", "x,y"), ("id1,id2", "ann,bob"), ("source,target", "ann,bob")):
        text = "src,dst\n" + "".join(f"{row}\n" for row in rows)
        options = question(path, text, "line 2: it may be a second header")
        assert [len(pairs(path, text, **each)) for each in options] == [2, 3]
    text = "src,dst\nsource,target\n1,2\n"
    options = question(path, text, "line 2: it may be a second header")
    assert [len(pairs(path, text, **each)) for each in options] == [2, 3]
    question(path, "src,dst,kind\nann,bob,kind\n", "line 2: it may be a second header")
    rows = ("node1,node2", "node_a,node_b", "ann,source", "1,2", "a,b\nc,d", "a,b\nfoo,bar", "node1,node2\nnode3,node4")
    for row in (*rows, "source,target\ntarget,x", "user1,user2\nuser7,user9", "left,right,5\nup,down,6"):
        beside = ",w" * (row.count(",") == 4)
        assert len(pairs(path, f"src,dst{beside}\n{row}\n")) == row.count("\n") + 1


def test_a_header_above_names_of_rows_as_r_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for names in ('"src" "dst"', '"V1" "V2"', '"x" "y"'):
        for rows in ('"1" 5 6\n"2" 7 8\n', '"1" "ann" "bob"\n"2" "bob" "cy"\n', '"r1" "a" "b"\n"r2" "b" "c"\n'):
            text = f"{names}\n{rows}"
            for options in ({}, {"header": True}):
                ways = question(
                    path, text, "the first row has 2 columns and line 2 has 3: .*write.table of R", **options
                )
                assert ways[0] == {"header": True, "columns": (1, 2)}
                assert len(pairs(path, text, **ways[0])) == len(pairs(path, text, **ways[-1])) == 2
    text = '"w" "to" "from"\n"1" 0.5 6 5\n'
    assert pairs(path, text, **question(path, text, "write.table of R")[0]) == [(5, 6)]


def test_a_matrix_as_r_writes_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    for header, labels in (("a b c", "abc"), ("V1 V2 V3", "123"), ('"a" "b" "c"', ['"a"', '"b"', '"c"'])):
        for cells in ("0 1 0/1 0 1/0 1 0", "0 2.5 0/2.5 0 1/0 1 0"):
            rows = [f"{label} {row}\n" for label, row in zip(labels, cells.split("/"), strict=True)]
            (options,) = question(path, f"{header}\n{''.join(rows)}", "line 1: it looks like an adjacency matrix")
            assert options["header"] and options["columns"] == (0, 1)
            read(path, format="edges", options=options_of(**{"ids": "names", **options}))


def test_a_first_row_of_numbers_for_names_or_of_one_name_above_names_is_asked_about(tmp_path: Path) -> None:
    path, below = tmp_path / "g.csv", "ann,bob\ncy,dan\n"
    for ids in ({}, {"ids": "names"}):
        for row in ("0,1", "1,2", "2019,2020", '"0","1"', '"","x"', '"","1"', '"","name"'):
            options = question(path, f"{row}\n{below}", "line 1: it is ambiguous whether the first row", **ids)
            assert [len(pairs(path, f"{row}\n{below}", **{**ids, **each})) for each in options] == [2, 3]
        text = "0,1,weight\nann,bob,3\n"
        options = question(path, text, "line 1: it is ambiguous whether the first row", **ids)
        assert [len(pairs(path, text, **{**ids, **each})) for each in options] == [1, 2]
    for text in (f"0,1\n1,eve\n{below}", f"5,9\n{below}", f'"","x"\n"",y\n{below}'):
        assert len(pairs(path, text, ids="names")) == text.count("\n")


def test_a_header_in_other_quotes_is_a_header_again(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    plain, quoted = "src,dst,w", '"src", "dst","w"'
    for header, again in ((plain, quoted), (quoted, plain), (plain, quoted.upper())):
        for end in ("\n", "\r\n"):
            for rows in (("ann,bob,1", "cy,dan,2"), ("1,2,1", "3,4,2")):
                text = end.join([header, rows[0], again, rows[1], ""])
                for options in ({}, {"header": True}):
                    (answer,) = question(path, text, "line 3: this line repeats the header of line 1", **options)
                    assert len(pairs(path, text, **answer)) == 4
    assert len(pairs(path, f"{plain}\nann,bob,1\nsrc,dst,5\n", header=True)) == 2


def test_words_with_blanks_that_could_name_columns_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    rows = """
    Customer Name,Merchant Name|Sales Rep,Big Client|Unnamed: 0,other|COUNT(*),id|Protein,Partner Protein|email,Email 2
    Company Name,Subsidiary|Package,Depends on|module,depends on|client ip,server ip|query id (ncbi),subject id (ncbi)
    (id),(ref)|[id],[ref]|?x,?y|$1,$2|*,**|Borrower,Lender (bank)|ville départ,ville arrivée
    """
    plain = ("Customer Name,Merchant Name", "Protein,Partner Protein", "email,Email 2", "client ip,server ip")
    for row in rows.replace("\n    ", "|").strip("|").split("|"):
        for below in ("ann,bob\ncy,dan\neve,ann\n", "a@x.org,b@x.org\nc@x.org,d@x.org\ne@x.org,a@x.org\n"):
            text = f"{row}\n{below}"
            if "@" in below and row in plain:
                assert len(pairs(path, text)) == 3  # no address has such a name
                continue
            options = question(path, text, "line 1: it is ambiguous whether the first row is a header")
            assert [len(pairs(path, text, **each)) for each in options] == [3, 4]
    for text in ("module,depends on\nAnn Smith,Bob Jones\n", "Protein,Partner Protein\nTP53,MDM2\n"):
        assert len(question(path, text, "line 1: it is ambiguous whether the first row is a header")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Ann Smith,Bob Jones\nCy Dee,Eve Fox\n",
        "New York,Los Angeles\nBoston,San Diego\n",
        "ann@x.org,bob@y.org\ncy@x.org,dan@y.org\n",
        "http://a.org/x?y=1,http://b.org/z\nhttp://a.org/1,http://c.org\n",
        "550e8400-e29b-41d4-a716-446655440000,6ba7b810-9dad-11d1-80b4-00c04fd430c8\nx,y\n",
        "/home/ann/x.txt,/home/bob/y.txt\n/srv/z.txt,/home/ann/z.txt\n",
        "f(x),g(x)\nf(y),b\n",
        "10.0.0.1,10.0.7.9\nann,bob\n",
        "BRCA1,BRCA2\nTP53,MDM2\n",
        "2024-01-04,São Paulo\n2024-01-05,Rome\n",
        "Node 1,Node 2\nNode 3,Node 4\n",
        "O'Neil & Sons,Lee Inc.\nSmith & Co,Li Ltd.\n",
    ],
)
def test_rows_without_a_header_are_edges_without_a_question(text: str, tmp_path: Path) -> None:
    assert len(pairs(tmp_path / "g.csv", text)) == 2


def test_a_note_says_that_a_first_row_is_an_edge_where_nothing_below_shows_it(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    opened = [
        ("Company Name,City\nAcme Ltd,Berlin\nBolt Inc,Paris\n", {}),
        ("10,11\nann,bob\n", {"ids": "names"}),
        ("0,1\n5,6\n7,8\n", {}),
        ("0,1\n10,12\n", {"ids": "names"}),
        ("Ann Smith;Bob Jones\nCy Dee;Eve Fox\n", {}),
    ]
    for text, options in opened:
        path.write_text(text)
        (note,) = [note for note in landbridge.components(path, **options).notes if "taken as an edge" in note]
        assert note.startswith(f"line 1 is taken as an edge ({text.splitlines()[0]}): header=True if")
        assert len(pairs(path, text, header=True, **options)) == text.count("\n") - 1
    shown = [
        ("Ann Smith,Bob Jones\nBob Jones,Cy Dee\n", {}),
        ("ann@x.org,bob@y.org\ncy@x.org,dan@y.org\n", {}),
        ("Ann Smith,Bob Jones\nCy Dee,Eve Fox\n", {"header": False}),
        ("Ann Smith,Bob Jones\n", {}),
        ("10,11\n12,ann\n", {"ids": "names"}),
        ("1,2\n3,4\n", {}),
        ("0,1\n1,2\n", {}),
        ("0,1\n5,6\n", {"header": False}),
        ("Node 1,Node 2\nNode 3,Node 4\n", {}),
    ]
    for text, options in shown:
        path.write_text(text)
        assert not [note for note in landbridge.components(path, **options).notes if "taken as an edge" in note]


def test_comments_that_are_asked_about_later_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    text = "source,target,rank\nunique_id_l,unique_id_r,rank\nbob,ned,7\n#cy,yan,5\n"
    *headers, ids, comment = question(path, text, "line 2: it may be a second header")
    counts = [len(pairs(path, text, **header, **each)) for header in headers for each in (ids, comment)]
    assert counts == [3, 2, 4, 3]
    text = "#,id_l,id_r,score\n0,g,h,0.8\n1,h,i,0.5\n2,j,k,0.03\n"
    first, second, alone, comment = question(path, text, "line 2: there is no header, and column 0")
    assert pairs(path, text, **alone) == pairs(path, text, **second, **comment) == [("g", "h"), ("h", "i"), ("j", "k")]
    assert len(pairs(path, text, **first, **comment)) == 3


def test_second_headers_that_no_option_takes_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    assert question(path, "src,dst,score\n,1,score\nann,bob,2\n", "line 2: it may be a second.*: leave it out") == []
    text = "node1,node2\nnode1,node2\nann,bob\n"
    named, edge = question(path, text, "names the columns and line 2, which repeats it, is left out")
    assert pairs(path, "node1,node2\nann,bob\n", **named) == [("ann", "bob")] and len(pairs(path, text, **edge)) == 3


def test_words_that_begin_with_a_digit_are_text(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    for row in ("7,9b", "3f2a-11,9b1c", "7,x9"):
        assert question(path, f"5,6\n{row}\n", "line 2.*expected a vertex id") == [{"ids": "names"}]
        assert len(pairs(path, f"5,6\n{row}\n", ids="names")) == 2


def test_other_files_below_a_line_of_names_are_named(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    others = {
        "a file of XML": '<?xml version="1.0"?>\n<graph>\n<edge a="1" b="2"/>\n</graph>\n',
        "a graph in DOT": "graph G {\n a -- b;\n b -- c;\n}\n",
        "a page of HTML": "\n<html>\n<body>\n",
        "a graph in GML": "graph [\n node [\n id 1\n ]\n]\n",
        "a DIMACS file, which format='dimacs' reads": "p sp 3 2\na 1 2 3\na 2 3 1\n",
    }
    for first in ("src,dst", "source target", "ann,bob"):
        for what, text in others.items():
            line = 2 + text.startswith("\n")
            for options in ({}, {"header": True}):
                question(path, f"{first}\n{text}", f"line {line}: leave line 1 out: below it this is {what}", **options)
    assert len(pairs(path, "src,dst\ngraph [data structure],tree\n")) == 1


def test_files_of_tables_that_are_adjacency_matrices_are_refused(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet, feather = (pytest.importorskip(f"pyarrow.{name}") for name in ("parquet", "feather"))
    dataset = pytest.importorskip("pyarrow.dataset")
    cells = list(np.eye(4, k=1, dtype=int) + np.eye(4, k=-1, dtype=int))
    tables = {
        "numbers": dict(zip(("V1", "V2", "V3", "V4"), cells, strict=True)),
        "labels": dict(zip(("", *"pqrs"), [list("pqrs"), *cells], strict=True)),
        "edges": dict(zip(("src", "dst", "w", "t"), cells, strict=True)),
        "long": {f"V{i}": [0, 1, 2, 3, 4] for i in range(1, 5)},
    }
    for kind, columns in tables.items():
        table = arrow.table(columns)
        parquet.write_table(table, tmp_path / "g.parquet")
        feather.write_feather(table, tmp_path / "g.feather")
        table.to_pandas().to_json(tmp_path / "g.jsonl", orient="records", lines=True)
        files = [str(tmp_path / f"g.{suffix}") for suffix in ("parquet", "feather", "jsonl")]
        for source in (*files, dataset.dataset(files[0])):
            for way in ("graph", "chunks"):
                call: dict[str, Any] = {way: source}
                if kind in ("edges", "long"):
                    assert landbridge.components(**call).count > 0
                    continue
                problem = r"it looks like an adjacency matrix, which goes in as scipy.*; columns= selects"
                with pytest.raises(FileFormatError, match=problem):
                    landbridge.components(**call)
                names = list(columns)
                assert landbridge.components(**call, columns=(names[1], names[2])).count > 0


def test_sparse_frames_and_queries_that_are_adjacency_matrices_are_refused() -> None:
    pandas, sparse = pytest.importorskip("pandas"), pytest.importorskip("scipy.sparse")
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    rows = [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    for stem in ("V", "", "column_"):
        frame = pandas.DataFrame(rows, columns=[f"{stem}{i}" for i in range(1, 4)])
        relation = duckdb.connect().from_df(frame)
        calls: list[dict[str, Any]] = [{"graph": pandas.DataFrame.sparse.from_spmatrix(sparse.csr_array(rows))}]
        calls += [{"chunks": query} for query in (polars.from_pandas(frame).lazy(), relation)]
        calls += [{**call, "chunk_size": 2} for call in calls[1:]]
        for call in calls:
            with pytest.raises(InputError, match="it looks like an adjacency matrix"):
                landbridge.components(**call)
            names = (0, 1) if "graph" in call else tuple(frame.columns[:2])
            assert landbridge.components(**call, columns=names).count == 1
        longer = duckdb.connect().from_df(pandas.concat([frame] * 3))
        assert landbridge.components(chunks=longer, chunk_size=1).count == 1


def test_integers_beside_missing_values_are_exact_or_refused() -> None:
    pandas, arrow, polars = (pytest.importorskip(name) for name in ("pandas", "pyarrow", "polars"))
    for large in (2**53 + 1, -(2**62) - 1):
        for values in ([large, None, 3], [3, None, large]):
            problem = rf"element {values.index(large)}: values = {large} is no float64"
            for column in (
                pandas.Series(values, dtype="Int64"),
                pandas.Series(values, dtype="int64[pyarrow]"),
                arrow.array(values),
                arrow.chunked_array([values[:1], values[1:]], arrow.int64()),
                polars.Series(values),
            ):
                with pytest.raises(InputError, match=problem):
                    landbridge.scan_list([1, 2, 2], column)
    sums = landbridge.scan_list([1, 2, 2], pandas.Series([2**53 + 2, None, 3], dtype="Int64"))
    assert sums[0] == 2**53 + 2 and np.isnan(sums[1:]).all()
    exact = landbridge.scan_list([1, 2, 2], pandas.Series([2**53 + 1, 1, 3], dtype="Int64"))
    assert exact.tolist() == [2**53 + 1, 2**53 + 2, 2**53 + 5]


def test_names_are_proposed_with_all_that_reading_names_asks_for(tmp_path: Path) -> None:
    """Of every short text of numbers, fractions, names and words that may be comments."""
    path = tmp_path / "g.txt"
    count = 0
    words = ("7", "2.5", "ann", "#a")
    for width, mark in ((2, " "), (3, " "), (3, ",")):
        rows = [mark.join(row) for row in itertools.product(words, repeat=width)]
        few = random.Random(width).sample(list(itertools.product(rows, repeat=2)), 128)
        for text in ("\n".join((*pair, "")) for pair in few):
            path.write_text(text)
            try:
                pairs(path, text)
                continue
            except InputError as error:
                message = str(error)
            ways = proposals(message)
            if not ways or "ids" not in ways[0]:
                continue
            count += 1
            for way in ways[1:] or [{}]:
                try:
                    assert pairs(path, text, **ways[0], **way)
                except InputError as error:
                    others = "columns? where|whether the first row is a header|columns have the name"
                    assert re.search(others, str(error)), (text, message)
    assert count > 50


@pytest.mark.parametrize("above", ["# Nodes of a tree\n", "#\n% src dst\n## \n", "#####\n", "#\r\n"])
@pytest.mark.parametrize("edges", ["#12 #13\n#13 #14\n", "#x,#y\n#y,#z\n", "ann,bob\n#x,#y\n"])
def test_comments_that_begin_as_ids_do_have_to_be_left_out(edges: str, above: str, tmp_path: Path) -> None:
    """The message names one of them: with comment='' they would be a header or other columns."""
    path = tmp_path / "g.txt"
    text = f"{above}{edges}"
    lines = text.splitlines()
    number = next(i for i, line in enumerate(lines, 1) if re.match("[#%]+( |$)", line))
    match = "a comment or an edge.* comment='#' .*, comment='' that ids begin so"
    question(path, text, f"{match}, without lines such as line {number}: ", ids="names", header=False)
    assert question(path, edges, f"{match}: ", ids="names", header=False) == [{"comment": "#"}, {"comment": ""}]
    assert len(pairs(path, edges, comment="", header=False)) == 2


@pytest.mark.parametrize(
    ("text", "proposed", "ids"),
    [
        ("score,0,1\n5,22,7\n9,17,7\n", {"header": True}, [("22", "7"), ("17", "7")]),
        ("name,0,1\n5,22,7\n9,17,7\n", {"header": True, "columns": (1, 2)}, [("22", "7"), ("17", "7")]),
    ],
)
def test_words_beside_numbers_of_columns_above_numbers_are_no_edge(
    text: str, proposed: dict[str, Any], ids: list[tuple[str, str]], tmp_path: Path
) -> None:
    path = tmp_path / "g.csv"
    assert question(path, text, "line 1, byte 1: expected a vertex id") == [proposed]
    assert pairs(path, text, **proposed) == [tuple(map(int, pair)) for pair in ids]
    ways = question(path, "bob,5,1\n5,22,7\n9,17,7\n", "line 1, byte 1: expected a vertex id")
    assert ways == [{"ids": "names", "columns": (0, 1)}]
