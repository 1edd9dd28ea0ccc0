"""Why two vertices are connected: ids of every kind, rows of tables, and the answer that they are not."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import InputError, _core
from landbridge.edges.files import write_edges

PAIRS = [("ann", "bob"), ("cy", "bob"), ("cy", "dan"), ("eve", "fay")]
COLUMNS = {"left": ["a", "b", "a", "c"], "right": ["b", "d", "d", "e"], "score": [0.9, 0.8, 0.3, 0.1]}


def test_a_path_and_no_path() -> None:
    forest = landbridge.spanning_forest(PAIRS)
    path = forest.why("dan", "ann")
    assert repr(path) == "EdgePath(dan - cy - bob - ann: 3 edges)"
    assert path.edge.tolist() == [2, 1, 0]
    assert path.u.tolist() == ["cy", "cy", "ann"]
    assert path.weakest is None
    here = forest.why("bob", "bob")
    assert here
    assert len(here) == 0
    none = forest.why("ann", "eve")
    assert not none
    assert not none.connected
    assert repr(none) == "EdgePath('ann' and 'eve' are not connected)"
    assert none.frame().num_rows == 0


@pytest.mark.parametrize("name", ["zed", 1, None, 1.5, True])
def test_what_is_no_vertex(name: Any) -> None:
    with pytest.raises(InputError, match="there is no vertex"):
        landbridge.why(PAIRS, name, "ann")
    with pytest.raises(InputError, match="there is no vertex"):
        landbridge.why(([0], [2]), 0, 3 if name == 1 else name)


def test_kinds_of_ids() -> None:
    assert landbridge.why(([10**12, 5], [5, 7]), 7, 10**12, ids="sparse").vertices.tolist() == [7, 5, 10**12]
    assert landbridge.why(([1, 5], [5, 7]), 1, 7).vertices.tolist() == [1, 5, 7]
    nx = pytest.importorskip("networkx")
    assert landbridge.why(nx.path_graph(4), 3, 0).vertices.tolist() == [3, 2, 1, 0]
    assert landbridge.why(nx.Graph([("z", "a"), ("a", "c")]), "z", "c").vertices.tolist() == ["z", "a", "c"]
    pl = pytest.importorskip("polars")
    assert landbridge.why(pl.DataFrame({"src": [1, 2], "dst": [2, 3]}), 1, 3, base=1).vertices.tolist() == [1, 2, 3]
    stream = landbridge.Incremental(ids="names", forest=True)
    stream.insert(["x", "y"], ["y", "z"])
    assert stream.forest().why("z", "x").edge.tolist() == [1, 0]


def test_rows_of_frames() -> None:
    pd, pl, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    duckdb = pytest.importorskip("duckdb")
    table = arrow.table(COLUMNS)
    frames = (pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pl.DataFrame(COLUMNS).lazy(), table)
    for frame in (*frames, duckdb.connect().from_arrow(table), table.to_reader()):
        path = landbridge.why(frame, "a", "d", score="score")
        assert path.edge.tolist() == [0, 1]
        assert path.score is not None
        assert path.score.tolist() == [0.9, 0.8]
        assert path.weakest == 1
        rows = path.frame()
        assert [str(each) for each in rows["right"]] == ["b", "d"]
    assert landbridge.spanning_forest(frames[0]).why("a", "d").frame("pandas").columns.tolist() == ["u", "v", "edge"]


def test_files_and_scores_beside_them(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("left,right\na,b\nb,d\na,d\n")
    answer = landbridge.why(path, "a", "d", score=[1, 5, 3])
    assert answer.edge.tolist() == [2]
    assert answer.frame("pandas").score.tolist() == [3]
    assert repr(answer) == "EdgePath(a - d: 1 edge, weakest 3)"


TEXTS = {
    "a.csv": "left,right,score,rank\na,b,0.9,9\nb,d,8e-1,8\na,d,.3,3\n# a comment\n\nc,c,1,1\n",
    "a.tsv": "left\tright\tscore\trank\na\tb\t0.9\t+9\nb\td\t0.8\t8\na\td\t0.3\t3\nc\tc\t1\t1\n",
    "quoted.csv": '"left";"right";"score";"rank"\n"a";"b";"0.9";9\n"b";"d";0.8;8\n"a";"d";0.3;3\n"c";"c";"1";1\n',
    "a.txt": "left right score rank\na b 0.9 9\nb d 0.8 8\na d 0.3 3\nc c 1 1\n",
}


@pytest.mark.parametrize("name", [*TEXTS, "a.parquet", "a.feather", "a.jsonl", "a.csv.gz", "folder", "list", "dataset"])
def test_scores_are_a_column_of_a_file(name: str, tmp_path: Path) -> None:
    """The message was that there is no table."""
    pandas, path = pytest.importorskip("pandas"), tmp_path / name
    frame = pandas.read_csv(io.StringIO(TEXTS["a.txt"]), sep=" ")
    source: Any = path
    if name in TEXTS:
        path.write_text(TEXTS[name])
    elif name in ("folder", "list", "dataset"):
        path.mkdir()
        for i in range(2):
            frame[2 * i : 2 * i + 2].to_parquet(path / f"{i}.parquet")
        source = sorted(path.iterdir()) if name == "list" else path
        if name == "dataset":
            source = pytest.importorskip("pyarrow.dataset").dataset(path)
    elif name == "a.csv.gz":
        frame.to_csv(path, index=False)
    else:
        write = {"a.parquet": frame.to_parquet, "a.feather": frame.to_feather}
        write.get(name, lambda path: frame.to_json(path, orient="records", lines=True))(path)
    for score, scores in (("score", [0.9, 0.8]), ("rank", [9, 8])):
        for columns in ({}, {"columns": ("left", "right")}):
            answer = landbridge.why(source, "a", "d", score=score, **columns)  # type: ignore[arg-type]
            assert answer.score is not None
            assert (answer.edge.tolist(), answer.score.tolist()) == ([0, 1], scores)
            assert answer.weakest == 1


@pytest.mark.parametrize(
    ("text", "score", "problem"),
    [
        (
            "left,right,score\na,b,1\n",
            "scores",
            "a.csv: there is no column 'scores'; the header has left, right, score",
        ),
        ("a,b,1\nb,c,2\n", "score", "a.csv: there is no column 'score'; no header line names the columns, and a"),
        ("left,right,score\na,b,1\n# c\nb,c,high\n", "score", "a.csv, line 4: expected a score, a number: 'high'"),
        (
            'left,right,score\na,b,"0,9"\n',
            "score",
            "a.csv, line 2: expected a score, a number with a point before its decimals, such as 0.9: '0,9'",
        ),
        (
            "left,right,score\na,b,90%\n",
            "score",
            "a.csv, line 2: expected a score, a number without a percent sign, such as 0.9: '90%'",
        ),
        ("left,right,score\na,b,1\nb,c,\n", "score", "a.csv, line 3, byte 5: an empty column where a score should be"),
        ("left,right,score,score\na,b,1,2\n", "score", "2 columns have the name 'score'"),
    ],
)
def test_scores_of_files_that_are_refused(text: str, score: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    options: dict[str, Any] = {} if text.startswith("left") else {"header": False}
    with pytest.raises(InputError, match=problem):
        landbridge.why(path, "a", "b", score=score, **options)


def test_scores_of_several_files_are_not_rounded(tmp_path: Path) -> None:
    """A score of 2^53 + 1 was one of 2^53, and the path one over either."""
    large, small = tmp_path / "a.csv", tmp_path / "b.csv"
    large.write_text("left,right,score\na,b,9007199254740992\nb,c,9007199254740993\n")
    for decimal in ("0.5", "1e3"):
        small.write_text(f"left,right,score\nc,d,{decimal}\n")
        problem = "a score that is no float64, and others are: write it as one, with a decimal point"
        for files in ([large, small], [small, large]):
            with refused(InputError, f"{large}: {problem}: 9007199254740993"):
                landbridge.why(files, "a", "d", score="score")
    small.write_text("left,right,score\nc,d,5\n")
    assert landbridge.why([large, small], "a", "d", score="score").score.tolist() == [2**53, 2**53 + 1, 5]  # type: ignore[union-attr]


def test_names_of_scores_are_compared_as_they_are(tmp_path: Path) -> None:
    """Two names that begin alike for 60 characters were one of two columns, and neither was found by its own."""
    path, names = tmp_path / "a.csv", ["s" * 60 + end for end in ("x", "y")]
    path.write_text(f"left,right,{','.join(names)}\na,b,1,2\n")
    for number, name in enumerate(names, 1):
        answer = landbridge.why(path, "a", "b", score=name, columns=("left", "right"))
        assert answer.score is not None
        assert answer.score.tolist() == [number]


def test_a_number_for_a_column_is_refused_with_its_way_out(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TEXTS["a.csv"])
    problem = "score must be a one-dimensional array of numbers, not int"
    with refused(InputError, f"{problem}; a column is given by its name in the header"):
        landbridge.why(path, "a", "b", score=2)  # type: ignore[arg-type]
    with refused(InputError, problem):
        landbridge.why(PAIRS, "a", "b", score=2)  # type: ignore[arg-type]


def test_a_column_of_text_without_a_header_is_given_by_its_position(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("2024;3;ann;bob;0.5\n2024;4;bob;cy;0.6\n2024;5;ann;cy;0.1\n")
    for score, scores in (("4", [0.5, 0.6]), ("1", None)):
        answer = landbridge.why(path, "ann", "cy", columns=(2, 3), score=score)
        assert answer.score is not None
        assert answer.score.tolist() == (scores or [5])
    for score, problem in (
        ("5", "there is no column 5; the text has 5, from 0"),
        ("-1", "there is no column '-1'; no"),
    ):
        with pytest.raises(InputError, match=re.escape(problem)):
            landbridge.why(path, "ann", "cy", columns=(2, 3), score=score)
    path.write_text("src,dst,1\nann,bob,7\n")
    assert landbridge.why(path, "ann", "bob", score="1", header=True).score.tolist() == [7]  # type: ignore[union-attr]


def test_scores_of_what_has_no_columns_or_is_read_once(tmp_path: Path) -> None:
    for name in ("g.mtx", "g.npy"):
        write_edges(([0, 1], [1, 2]), tmp_path / name)
        with pytest.raises(InputError, match=r"have no names of columns such as 'w'|one number per edge of a list"):
            landbridge.why(tmp_path / name, 0, 2, score="w")
    with pytest.raises(InputError, match=r"it is read once, for its edges: give the numbers of 'score' as an array"):
        landbridge.why(io.StringIO(TEXTS["a.csv"]), "a", "d", score="score")
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "a.parquet"
    pandas.DataFrame({"left": ["a"], "right": ["b"], "kind": ["x"]}).to_parquet(path)
    with pytest.raises(InputError, match=r"a.parquet: row 0 .*column 'kind' = 'x' is neither an integer nor a float"):
        landbridge.why(path, "a", "b", score="kind", columns=("left", "right"))
    with pytest.raises(InputError, match=r"a.parquet: there is no column 'w'; the table has left, right, kind"):
        landbridge.why(path, "a", "b", score="w", columns=("left", "right"))


@pytest.mark.parametrize(
    ("score", "problem"),
    [
        ([1.0, 2.0], r"score: one number per edge, 4 of them, not float64 of shape \(2,\)"),
        ([1.0, 2.0, np.nan, 1.0], "score: edge 2 has none"),
        ("rank", "score: there is no column 'rank'"),
    ],
)
def test_scores_that_are_refused(score: Any, problem: str) -> None:
    pl = pytest.importorskip("polars")
    for source in (PAIRS, pl.DataFrame(COLUMNS)):
        with pytest.raises(InputError, match=problem):
            landbridge.why(source, "a", "b", score=score)


def test_a_matrix_has_no_scores() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(([1, 1], ([0, 1], [1, 2])), shape=(3, 3))
    assert landbridge.why(matrix, 0, 2).vertices.tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="score: one number per edge of a list of edges"):
        landbridge.why(matrix, 0, 2, score=[1, 1])


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_a_forest_as_parents(kind: Any) -> None:
    u, v = np.array([0, 3, 1], kind), np.array([1, 4, 2], kind)
    parent, edge, depth = _core.rooted(u, v, 6)
    roots = parent == np.arange(6)
    assert roots.sum() == 3
    assert (edge[roots] == -1).all()
    assert (depth[roots] == 0).all()
    for x in np.flatnonzero(~roots).tolist():
        assert {x, int(parent[x])} == {int(u[edge[x]]), int(v[edge[x]])}
        assert depth[x] == depth[parent[x]] + 1
    for bad, problem in (
        (([0, 1, 2], [1, 2, 0]), "cycle"),
        (([0, 1], [1, 0]), "cycle"),
        (([1], [1]), "edge 0 of the forest joins 1 and 1"),
        (([0, 5], [1, 6]), "edge 1 of the forest joins 5 and 6, and n = 6"),
        (([0, -1], [1, 2]), "edge 1"),
    ):
        with pytest.raises(ValueError, match=problem):
            _core.rooted(np.array(bad[0], kind), np.array(bad[1], kind), 6)


def test_the_largest_components() -> None:
    result = landbridge.components([("a", "b"), ("c", "d"), ("c", "e"), ("x", "y")])
    assert result.largest_components(2).to_pylist() == [
        {"component": 1, "representative": "c", "size": 3},
        {"component": 0, "representative": "a", "size": 2},
    ]
    assert result.largest_components(0).num_rows == 0
    assert result.largest_components(9, "pandas")["size"].tolist() == [3, 2, 2]
    assert landbridge.components([]).largest_components().num_rows == 0
    with pytest.raises(InputError, match="k must be a whole number from 0 on, not -1"):
        result.largest_components(-1)


@pytest.mark.parametrize("layout", ["coo", "csr"])
def test_a_graph_made_before(layout: str) -> None:
    graph = landbridge.Graph(([0, 2, 2], [1, 1, 3]), num_vertices=5)
    if layout == "csr":
        graph = graph.to_rows()
    path = landbridge.why(graph, 0, 3)
    assert path.vertices.tolist() == [0, 1, 2, 3]
    assert not landbridge.why(graph, 0, 4)
    if layout == "coo":
        assert path.edge.tolist() == [0, 1, 2]
        assert landbridge.why(graph, 0, 3, score=[3, 1, 2]).weakest == 1
    else:
        with pytest.raises(InputError, match="one number per edge of a list of edges"):
            landbridge.why(graph, 0, 3, score=[1, 2, 3])
    with pytest.raises(InputError, match="set when the Graph was made"):
        landbridge.why(graph, 0, 3, num_vertices=9)


def test_a_graph_of_names_and_of_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    assert landbridge.why(landbridge.Graph([("b", "a"), ("b", "c")]), "a", "c").vertices.tolist() == ["a", "b", "c"]
    graph = landbridge.Graph(pandas.DataFrame({"u": [10, 30], "v": [20, 20]}))
    path = landbridge.why(graph, 10, 30, score=[1, 2])
    assert path.vertices.tolist() == [10, 20, 30]
    assert (path.u.tolist(), path.v.tolist()) == ([10, 30], [20, 20])
    assert isinstance(path.frame(), pandas.DataFrame)


def test_negative_ids_that_are_named_as_such_have_paths() -> None:
    pairs = (np.array([-5, 7]), np.array([7, 9]))
    assert landbridge.why(pairs, -5, 9, ids="sparse").vertices.tolist() == [-5, 7, 9]
    with pytest.raises(InputError, match="ids='sparse' takes negative ids"):
        landbridge.why(pairs, -5, 9)
