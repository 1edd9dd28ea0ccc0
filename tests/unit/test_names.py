"""Vertices with names: text in arrays, data frames and files, its numbers, and the names of results."""

from __future__ import annotations

import copy
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import landbridge
from landbridge import FileFormatError, InputError, MissingDependency, _core
from landbridge.cli import main
from landbridge.edges.files import read, write_edges
from landbridge.edges.forms import EdgeList
from landbridge.edges.names import NameArray

PAIRS = [("b", "a"), ("c", "b"), ("x", "x"), ("Zoë", ""), ("", "naïve ☃"), ("q" * 100, "y")]
NAMES = ["", "Zoë", "a", "b", "c", "naïve ☃", "q" * 100, "x", "y"]  # ascending by bytes
LABELS = [0, 0, 1, 1, 1, 0, 2, 3, 2]


def columns() -> dict[str, list[Any]]:
    return {"w": [1.5] * len(PAIRS), "src": [u for u, _ in PAIRS], "dst": [v for _, v in PAIRS]}


def frame_of(library: str, data: dict[str, list[Any]]) -> Any:
    if library == "pyarrow":
        return pytest.importorskip("pyarrow").table(data)
    return pytest.importorskip(library).DataFrame(data)


def rows(table: Any) -> list[tuple[Any, int]]:
    columns = [
        table[name].to_pylist() if hasattr(table[name], "to_pylist") else list(table[name])
        for name in ("id", "component")
    ]
    return [(i, int(c)) for i, c in zip(*columns, strict=True)]


# numbering ---------------------------------------------------------------------------------------------------------


def texts(names: list[bytes]) -> tuple[Any, Any]:
    bounds = np.cumsum([0, *map(len, names)]).astype(np.int64)
    return bounds, np.frombuffer(b"".join(names), np.uint8)


words = st.lists(
    st.tuples(*[st.binary(max_size=40) | st.sampled_from([b"", b"a", b"ab", b"abcdefgh", b"abcdefghi"])] * 2)
)


@given(words, st.sampled_from([1, 2, 3, 5, 16, 40]), st.integers(0, 5))
def test_names_are_numbered_by_first_appearance(pairs: list[tuple[bytes, bytes]], threads: int, cut: int) -> None:
    known: dict[bytes, int] = {}
    expected = [(known.setdefault(a, len(known)), known.setdefault(b, len(known))) for a, b in pairs]
    names = _core.Names(threads)
    numbers = []
    for some in (pairs[:cut], pairs[cut:]):
        u, v = names.number(*texts([a for a, _ in some]), *texts([b for _, b in some]))
        numbers += list(zip(u.tolist(), v.tolist(), strict=True))
    assert numbers == expected
    assert len(names) == len(known)
    offsets, data = names.texts()
    stored = [data[offsets[i] : offsets[i + 1]].tobytes() for i in range(len(names))]
    assert stored == list(known)


@pytest.mark.parametrize("threads", [1, 4])
def test_names_of_many_blocks(threads: int) -> None:
    rng = np.random.default_rng(2)
    u, v = rng.integers(0, 90_000, (2, 300_000))
    table = [b"name-%d" % i for i in range(90_000)]
    names = _core.Names(threads)
    a, b = names.number(*texts([table[i] for i in u]), *texts([table[i] for i in v]))
    both, place = np.column_stack([u, v]).ravel(), np.column_stack([a, b]).ravel()
    values, first = np.unique(both, return_index=True)
    number = np.empty(90_000, np.int64)
    number[values[np.argsort(first)]] = np.arange(len(values))
    assert np.array_equal(place, number[both])


@pytest.mark.parametrize("offsets", [[0, 5], [2, 1], [-1, 2], [0, 2**40]])
def test_offsets_outside_the_text_are_refused(offsets: list[int]) -> None:
    good = (np.array([0, 1]), np.zeros(3, np.uint8))
    bad = (np.array(offsets), np.zeros(3, np.uint8))
    for pair in ((good, bad), (bad, good)):
        with pytest.raises(_core.CoreInputError, match="row 0: the offsets of a name do not lie within its column"):
            _core.Names(1).number(*pair[0], *pair[1])


def test_name_arrays_are_like_arrays_of_str() -> None:
    names = NameArray(*texts([b"a", b"", "ü".encode(), b"d"]))
    assert (len(names), names.shape, names.ndim, names.dtype) == (4, (4,), 1, np.dtype(object))
    assert names[2] == names[-2] == "ü"
    assert names[[2, 0]].tolist() == ["ü", "a"]
    assert names[np.array([True, False, False, False])].tolist() == ["a"]
    assert names[::-2].tolist() == ["d", ""]
    assert names[[]].tolist() == []
    assert list(names) == names.tolist() == ["a", "", "ü", "d"]
    assert (names == ["a", "b", "ü", "d"]).tolist() == [True, False, True, True]
    assert (names == "ü").tolist() == [False, False, True, False]
    other = NameArray(*names.buffers)
    assert (names != other).tolist() == [False] * 4
    assert not names == names[:2]  # noqa: SIM201
    assert np.asarray(names).dtype == object
    assert np.asarray(names, dtype="U1").tolist() == names.tolist()
    assert repr(names) == "NameArray(['a', '', 'ü', ...], 4 names)"
    with pytest.raises(IndexError):
        names[4]
    many = NameArray(*texts([b"%d" % i + "é".encode() for i in range(30_000)]))
    assert many[[29_999, 0, 7]].tolist() == ["29999é", "0é", "7é"]


@given(st.lists(st.text(max_size=9), max_size=9), st.integers(-10, 10), st.integers(-10, 10))
def test_slices_of_names_are_names(words: list[str], begin: int, end: int) -> None:
    names = NameArray(*texts([word.encode() for word in words]))
    for result, expected in [
        (names, words),
        (names[begin:end], words[begin:end]),
        (names[begin:][:end], words[begin:][:end]),
    ]:
        assert isinstance(result, NameArray)
        assert result.tolist() == list(result) == expected
        assert result.to_numpy().tolist() == expected
        assert result.to_numpy(np.dtypes.StringDType()).tolist() == expected
        assert pickle.loads(pickle.dumps(result)).tolist() == expected
        assert copy.copy(result).tolist() == expected


@given(st.lists(st.text(max_size=9), max_size=9), st.integers(-10, 10))
def test_arrow_reads_the_memory_of_names(words: list[str], begin: int) -> None:
    arrow = pytest.importorskip("pyarrow")
    names = NameArray(*texts([word.encode() for word in words]))[begin:]
    for array in (
        names.to_arrow(),
        arrow.array(names),
        arrow.array(names, arrow.string()),
        names.to_arrow(arrow.string()),
    ):
        array.validate(full=True)
        assert array.to_pylist() == words[begin:]


@pytest.mark.parametrize("value", ["\udcff", "a\ud800", b"\xff", b"\xed\xa0\x80"])
def test_invalid_utf8_is_refused(value: Any) -> None:
    column = np.array(["x", value], dtype=object)
    with pytest.raises(InputError, match=r"edge 1: u = .* is no text in UTF-8"):
        landbridge.components((column, np.array(["a", "b"])))


@pytest.mark.parametrize("blank", ["\u00a0", "\u2003", "\u200b", " "])
def test_a_name_is_its_bytes_with_every_blank(blank: str, tmp_path: Path) -> None:
    padded = blank + "1"
    components = landbridge.components((np.array([padded, "1"]), np.array(["x", "y"])))
    assert components.count == 2
    assert padded in list(components.ids)  # type: ignore[arg-type]
    file = tmp_path / "names.csv"
    file.write_text(f"a,b\n{padded}x,p\n1x,q\n", encoding="utf-8")
    assert landbridge.components(str(file), ids="names", header=True).count == 2
    stream = landbridge.Incremental(ids="names")
    stream.insert([padded, "1"], ["x", "y"])
    assert stream.count == 2


# arrays ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "edges",
    [
        tuple(map(list, zip(*PAIRS, strict=True))),
        tuple(np.array(x) for x in zip(*PAIRS, strict=True)),
        tuple(np.array(x, dtype=object) for x in zip(*PAIRS, strict=True)),
        np.array(PAIRS),
        np.array(PAIRS, dtype=object),
        np.array(PAIRS).T.copy(),
    ],
    ids=["lists", "U", "object", "table", "object table", "rows"],
)
def test_arrays_of_text(edges: Any) -> None:
    result = landbridge.components(edges)
    assert result.labels.tolist() == LABELS
    assert result.ids is not None
    assert result.ids.tolist() == NAMES
    assert result.ids[result.representatives].tolist() == ["", "", "a", "a", "a", "", "q" * 100, "x", "q" * 100]
    landbridge.check_components(edges, result)


@pytest.mark.parametrize(
    ("edges", "problem"),
    [
        ((["a", None], ["b", "c"]), "edge 1: u is null"),
        ((["a", "b"], ["b", float("nan")]), "edge 1: v is null"),
        ((["a", "b"], ["b", 7]), "edge 1: v = 7 is not text"),
        ((["a"], ["b", "c"]), "u has 1 ids and v has 2"),
        ((["a"], [5]), "u holds text and v holds numbers"),
    ],
)
def test_other_objects_among_names_are_refused_with_their_edge(edges: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        landbridge.components(edges)


def test_num_vertices_is_refused_with_names() -> None:
    with pytest.raises(InputError, match="num_vertices has no meaning"):
        landbridge.components((["a"], ["b"]), num_vertices=5)


# data frames -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_yields_a_frame_of_its_library(library: str) -> None:
    frame = frame_of(library, columns())
    result = landbridge.components(frame, columns=("src", "dst"))
    assert result.labels.tolist() == LABELS
    assert result.library == library
    table = result.frame()
    assert type(table).__module__.startswith(library)
    assert rows(table) == list(zip(NAMES, LABELS, strict=True))
    assert rows(landbridge.components(frame, columns=(1, 2)).frame("pyarrow")) == rows(table)
    landbridge.check_components(landbridge.Graph(frame, columns=("src", "dst")), result.labels)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_numbers(library: str) -> None:
    close = landbridge.components(frame_of(library, {"u": [0, 3], "v": [1, 3]}))
    assert (close.labels.tolist(), close.library) == ([0, 0, 1], library)
    assert rows(close.frame()) == [(0, 0), (1, 0), (3, 1)]
    dense = landbridge.components(frame_of(library, {"u": [0, 3], "v": [1, 3]}), ids="dense")
    assert (dense.labels.tolist(), dense.ids, dense.library) == ([0, 0, 1, 2], None, library)
    assert rows(dense.frame()) == [(0, 0), (1, 0), (2, 1), (3, 2)]
    far = frame_of(library, {"u": [10**15, 7], "v": [7, 9]})
    result = landbridge.components(far)
    assert rows(result.frame()) == [(7, 0), (9, 0), (10**15, 0)]
    assert landbridge.components(frame_of(library, {"u": [5], "v": [9]}), ids="sparse").labels.tolist() == [0, 0]
    assert landbridge.components(frame_of(library, {"u": [5], "v": [9]}), num_vertices=11).count == 10


def test_every_type_of_text() -> None:
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    data = columns()
    plain = arrow.table(data)
    frames = [
        pandas.DataFrame(data).astype({"src": "category", "dst": "category"}),
        pandas.DataFrame(data).astype(object),
        polars.DataFrame(data).lazy(),
        polars.DataFrame(data).with_columns(polars.col("src").cast(polars.Categorical)),
        arrow.concat_tables([plain.slice(0, 2), plain.slice(2, 0), plain.slice(2)]),
        plain.set_column(1, "src", plain["src"].cast(arrow.large_string())),
        plain.set_column(1, "src", plain["src"].dictionary_encode()),
        plain.to_batches()[0],
        arrow.RecordBatchReader.from_batches(plain.schema, plain.to_batches()),
    ]
    for frame in frames:
        result = landbridge.components(frame, columns=("src", "dst"))
        assert result.labels.tolist() == LABELS, type(frame)
        assert result.ids is not None
        assert result.ids.tolist() == NAMES
    sliced = landbridge.components(plain.slice(3, 2), columns=("src", "dst"))
    assert sliced.labels.tolist() == [0, 0, 0]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_without_rows_has_no_vertices(library: str) -> None:
    result = landbridge.components(frame_of(library, {"u": [], "v": []}))
    assert (result.count, len(result.labels), len(rows(result.frame()))) == (0, 0, 0)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"u": ["a", None], "v": ["b", "c"]}, "(row 1: column 'u' is null|edge 1: 'u' is null)"),
        ({"u": ["a"], "v": [5]}, "column 'u' holds text and column 'v' holds numbers"),
        ({"u": [1.5], "v": [5.0]}, "row 0: column 'u' = 1.5 is not a whole number"),
        ({"u": [True], "v": [False]}, "ids are whole numbers or text|must hold whole numbers or text, not bool"),
        ({"u": ["a"]}, "edges are in two columns, and there is only 'u'"),
    ],
)
def test_frames_without_edge_columns_are_refused(library: str, data: dict[str, list[Any]], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        landbridge.components(frame_of(library, data))


def test_missing_columns_are_refused() -> None:
    frame = frame_of("pyarrow", columns())
    with pytest.raises(InputError, match="there is no column 'from'; the frame has w, src, dst"):
        landbridge.components(frame, columns=("from", "dst"))
    with pytest.raises(InputError, match=r"columns must name two columns, .* not \('src',\)"):
        landbridge.components(frame, columns=("src",))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="frames are of pandas, polars or pyarrow, not 'dask'"):
        landbridge.components(frame, columns=("src", "dst")).frame("dask")


def test_named_parts_merge_by_name() -> None:
    one, two = landbridge.components((["b", "q"], ["a", "q"])), landbridge.components((["c"], ["a"]))
    merged = landbridge.merge(one, two)
    assert rows(merged.frame("pyarrow")) == [("a", 0), ("b", 0), ("c", 0), ("q", 1)]
    assert rows(landbridge.merge(two, one, two).frame("pyarrow")) == rows(merged.frame("pyarrow"))


WITHOUT_ARROW = """
import sys
sys.modules["pyarrow"] = None
import pandas, landbridge
frame = pandas.DataFrame({"u": ["a", "b"], "v": ["b", "c"]}, dtype=object)
found = landbridge.components(frame)
assert found.labels.tolist() == [0, 0, 0] and found.ids.tolist() == ["a", "b", "c"]
print(found.frame().to_dict("list"))
"""


def test_pandas_without_arrow() -> None:
    pytest.importorskip("pandas")
    done = subprocess.run([sys.executable, "-c", WITHOUT_ARROW], capture_output=True, text=True, check=True)
    assert done.stdout == "{'id': ['a', 'b', 'c'], 'component': [0, 0, 0], 'representative': ['a', 'a', 'a']}\n"


# files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names", "labels"),
    [
        ("alice bob\nbob carol\n# no\n\ndave\tdave\n", ["alice", "bob", "carol", "dave"], [0, 0, 0, 1]),
        ('src,dst\n"x, y",z\r\nz,"q ""r"""\n', ['q "r"', "x, y", "z"], [0, 0, 0]),
        ("1;a;8\n2;b;9\n", ["1", "2", "a", "b"], [0, 1, 0, 1]),
        ("x\tb\nc d\tb", ["b", "c d", "x"], [0, 0, 0]),
        ("\ufeffalice,alice\nalice,bob\n", ["alice", "bob"], [0, 0]),
        ("007,7\n", ["007", "7"], [0, 0]),
    ],
)
def test_text_files_of_names(text: str, names: list[str], labels: list[int], tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(text, newline="")
    result = landbridge.components(path, ids="names")
    assert result.ids is not None
    assert (result.ids.tolist(), result.labels.tolist()) == (names, labels)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\nc\n", "line 2, byte 1: this line has 1 column where 2 are needed; .*: 'c'"),
        ("x,b\n,b\n", "line 2, byte 1: an empty column where a name should be"),
        ("", "the file is empty"),
    ],
)
def test_text_files_without_names_are_refused(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=problem):
        landbridge.components(path, ids="names")


def test_the_error_of_words_among_numbers_hints_at_names(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("0 1\nbob alice\n2 3\n1 4\n")
    with pytest.raises(
        FileFormatError, match=r"line 2, byte 1: expected a vertex id, .*; ids='names' takes text: 'bob'"
    ):
        landbridge.components(path)
    with pytest.raises(
        InputError,
        match=r"ids='names' is for edges \(CSV, TSV and other text\), parquet, arrow, jsonl; vertices of metis files",
    ):
        landbridge.components(path, ids="names", format="metis")


def test_parquet_files_of_names(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(columns()), tmp_path / "g.parquet")
    result = landbridge.components(tmp_path / "g.parquet", columns=("src", "dst"))
    assert result.labels.tolist() == LABELS
    assert "hold text" in result.notes[0]
    parquet.write_table(arrow.table({"u": ["a", None], "v": ["b", "c"]}), tmp_path / "null.parquet")
    with pytest.raises(FileFormatError, match=r"null.parquet: row 1 \(from 0\): column 'u' is null"):
        landbridge.components(tmp_path / "null.parquet")


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_the_command_writes_names_and_checks_them(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path, out = tmp_path / "g.csv", tmp_path / f"labels{suffix}"
    path.write_text('src,dst\nzoe,007\n"a, b",zoe\nx,x\n')
    assert main(["components", str(path), "--ids", "names", "-o", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == 2
    assert main(["check", str(path), str(out), "--ids", "names"]) == 0
    if suffix == ".csv":
        assert out.read_text() == 'id,component,representative\n007,0,007\n"a, b",0,007\nx,1,x\nzoe,0,007\n'
        out.write_text(out.read_text().replace("x,1", "x,0"))
        assert main(["check", str(path), str(out), "--ids", "names"]) == 1


@pytest.mark.parametrize("name", ["f.csv", "f.txt", "f.tsv.gz", "f.parquet"])
def test_a_forest_of_names_is_written_by_name(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, positions, out = tmp_path / "g.csv", tmp_path / "p.npy", tmp_path / name
    path.write_text("zoe,bob\nbob,zoe\nbob,amy\nsource,target\n")
    command = ["forest", str(path), "--ids", "names", "--check", "--positions", str(positions), "-o", str(out)]
    assert main(command) == 0
    assert len(np.load(positions)) == 3
    result = landbridge.components(out, ids="names")
    assert result.ids is not None
    assert [(str(name), int(label)) for name, label in zip(result.ids, result.labels, strict=True)] == [
        ("amy", 0), ("bob", 0), ("source", 1), ("target", 1), ("zoe", 0)
    ]  # fmt: skip
    assert main(["convert", str(out), str(tmp_path / "again.csv"), "--ids", "names"]) == 0
    assert (tmp_path / "again.csv").read_text().splitlines()[0] == "source_1,target_1"
    assert main(["convert", str(out), str(tmp_path / "again.npy"), "--ids", "names"]) == 2
    assert "ids that are text cannot be written as whole numbers" in capsys.readouterr().err
    assert main(["convert", str(out), str(tmp_path / "again.mtx"), "--ids", "names"]) == 0
    assert "vertices are written by number" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["f.csv", "f.txt", "f.parquet"])
def test_any_name_is_written_and_read_back(name: str, tmp_path: Path) -> None:
    words = ["", " ", "a b", "a,b", 'say "x"', '"', "#1", "%", "7", "tab\there", "é☃", "-", "a;b", "source"]
    cycle = EdgeList(np.arange(len(words)), np.roll(np.arange(len(words)), 1), ids=np.array(words, dtype=object))
    notes = write_edges(cycle, tmp_path / name)
    assert [note[:42] for note in notes] == ["some names are empty or words for no value"] * (name != "f.parquet")
    back = read(tmp_path / name, ids="names")
    assert isinstance(back, EdgeList)
    assert back.ids is not None
    assert back.ids[back.u].tolist() == words
    assert back.ids[back.v].tolist() == [words[-1], *words[:-1]]


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    def edges(*ids: Any) -> EdgeList:
        names = np.empty(len(ids), dtype=object)
        names[:] = ids
        return EdgeList(np.array([0]), np.array([1]), num_vertices=len(ids), ids=names)

    with pytest.raises(InputError, match=r"f.csv: the name 'a\\nb' has a line break"):
        write_edges(edges("a\nb", "c"), tmp_path / "f.csv")
    for name in ("f.csv", "f.parquet"):
        with pytest.raises(InputError, match=r"the vertex \(1, 2\) is neither a number nor text"):
            write_edges(edges("a", (1, 2)), tmp_path / name)
    ending = ".npz and .mtx keep these vertices, by number, without their ids"
    (note,) = write_edges(edges("a", "b", "alone"), tmp_path / "f.csv")
    assert note == f"a list of edges does not hold 1 vertex without edges: {ending}"
    assert [p.name for p in tmp_path.iterdir()] == ["f.csv"]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_graphs_and_merged_results_yield_frames(library: str) -> None:
    frame = frame_of(library, columns())
    graph = landbridge.Graph(frame, columns=("src", "dst"))
    result = landbridge.components(graph)
    assert type(result.frame()) is type(frame)
    assert type(landbridge.merge(result, result).frame()) is type(frame)
    assert rows(result.frame()) == list(zip(NAMES, LABELS, strict=True))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("edges", [[("a", "b")], [(0, 1)]])
def test_frames_of_a_library_that_is_missing_say_how_it_is_installed(
    library: str, edges: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, forest = landbridge.components(edges), landbridge.spanning_forest(edges)
    monkeypatch.setitem(sys.modules, library, None)
    package = "'landbridge[io]'" if library == "pyarrow" else library
    for one in (answer, forest):
        with pytest.raises(MissingDependency, match=re.escape(f"{library} is not installed: pip install {package}")):
            one.frame(library)
        with pytest.raises(InputError, match="frames are of pandas, polars or pyarrow, not 'foo'"):
            one.frame("foo")


@pytest.mark.parametrize("edges", [[], ([], []), np.empty((0, 2)), np.empty((0, 2), dtype=np.int32)])
def test_no_edges_have_names_where_ids_are_names(edges: Any) -> None:
    for answer in (landbridge.components(edges, ids="names"), landbridge.spanning_forest(edges, ids="names")):
        assert answer.id_kind == "names"
        assert answer.ids is not None
        assert answer.ids.tolist() == []
    chunks = landbridge.components(chunks=iter(()), ids="names")
    assert (chunks.id_kind, chunks.count) == ("names", 0)
    frame = landbridge.components(edges, ids="names").frame("pyarrow")
    assert str(frame.schema.field("id").type) == "large_string"


@pytest.mark.parametrize(
    ("name", "what"), [("a\0", "a zero byte"), ("\ufeffa", "a byte order mark"), ("a\n", "a line break")]
)
def test_a_name_that_no_reader_takes_is_not_written(name: str, what: str, tmp_path: Path) -> None:
    edge = EdgeList(np.array([0]), np.array([1]), ids=np.array([name, "b"], dtype=object))
    with pytest.raises(InputError, match=f"has {what}, which text of edges cannot hold"):
        write_edges(edge, tmp_path / "g.csv")


def test_a_note_says_that_names_which_are_numbers_are_read_as_such(tmp_path: Path) -> None:
    for names, count in ((["2", "10"], 1), (["2", "b"], 0)):
        edge = EdgeList(np.array([0]), np.array([1]), ids=np.array(names, dtype=object))
        notes = write_edges(edge, tmp_path / "g.csv")
        assert notes == ("all names are whole numbers: as text, ids='names' reads them as names",) * count
        assert landbridge.components(tmp_path / "g.csv", ids="names").id_kind == "names"


def test_what_is_compressed_depends_on_the_text_alone(tmp_path: Path) -> None:
    """gzip recorded the name of the unfinished file."""
    for name in ("a", "b"):
        write_edges(EdgeList(np.array([0]), np.array([1])), tmp_path / f"{name}.csv.gz")
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
