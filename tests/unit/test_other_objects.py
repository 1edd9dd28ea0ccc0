"""Objects of Python that are no lists of edges: the message says what makes one of them."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge.errors import FileFormatError, InputError

PAIRS = [(0, 1), (1, 2), (4, 5)]
OBJECTS: dict[str, Callable[[], Any]] = {
    "set": lambda: set(PAIRS),
    "frozenset": lambda: frozenset(PAIRS),
    "keys": lambda: dict.fromkeys(PAIRS).keys(),
    "generator": lambda: (pair for pair in PAIRS),
    "zip": lambda: zip(*zip(*PAIRS, strict=True), strict=True),
    "map": lambda: map(tuple, PAIRS),
    "columns": lambda: {"u": [0, 1, 4], "v": [1, 2, 5]},
    "arrays": lambda: {"source": np.array([0, 1, 4]), "target": np.array([1, 2, 5])},
    "three columns": lambda: {"src": [0, 1, 4], "dst": [1, 2, 5], "type": ["x", "y", "x"]},
    "columns behind others": lambda: {"weight": [1, 2, 3], "to_id": [1, 2, 5], "from_id": [0, 1, 4]},
    "frozensets": lambda: set(map(frozenset, PAIRS)),
    "neighbours": lambda: {0: [1], 1: [0, 2], 4: {5}},
    "two vertices": lambda: {4: [5, 4], 1: (0, 2)},
    "scores": lambda: {(0, 1): 0.5, (1, 2): 0.25, (4, 5): 0.75},
    "parents": lambda: {1: 0, 2: 1, 5: 4},
}


def proposal(message: str) -> str:
    """What the message says makes edges of the object."""
    way = re.search(r"; ([(\[].*|list\(.*) (makes a list of .*|gives its columns)$", message)
    assert way is not None, message
    return way[1]


@pytest.mark.parametrize("name", OBJECTS)
def test_the_message_says_what_makes_edges(name: str) -> None:
    with pytest.raises(InputError, match="cannot read edges from ") as error:
        landbridge.components(OBJECTS[name]())
    edges = eval(proposal(str(error.value)), {"edges": OBJECTS[name]()})
    result = landbridge.components(edges, ids="sparse")
    assert result.ids.tolist() == [0, 1, 2, 4, 5]
    assert result.labels.tolist() == [0, 0, 0, 1, 1]
    stream = landbridge.Incremental(ids="sparse")
    with pytest.raises(InputError, match="cannot insert edges from ") as error:
        stream.insert(OBJECTS[name]())
    stream.insert(eval(proposal(str(error.value)), {"edges": OBJECTS[name]()}))
    assert stream.count == 2


@pytest.mark.parametrize(
    "neighbours",
    [
        {"a": {"b"}, "b": {"a"}}, {"a": ["b"], "b": ["a"]}, {"a": ["b", "c"], "b": ["a"], "c": ["a"]},
        {"u": {"v": {"weight": 1}}, "v": {}}, {"a": "b", "b": "a"},
    ],
)  # fmt: skip
def test_neighbours_may_be_text(neighbours: Any) -> None:
    """Vertices named a and b were columns."""
    with pytest.raises(InputError) as error:
        landbridge.components(neighbours)
    result = landbridge.components(eval(proposal(str(error.value)), {"edges": neighbours}))
    assert result.count == 1
    assert result.ids.tolist() == sorted(neighbours)


OTHERS: list[Any] = [
    5, {}, b"0 1", object(),
    {"src": [0, 1], "dst": [1, 2, 3], "type": [5, 6]},  # columns that differ in length
    {"city": [0, 1], "town": [1, 2], "type": [5, 6]},  # no pair
    {"a": ["b", "c"], "b": ["c", "d"]},  # columns or neighbours
    {"src": {1, 2}, "dst": {3, 4}}, {"src": (1, 2), "dst": (3, 4)},
    {"src": [None, 1], "dst": [0.5, 2]},
    {"src": "ann", "dst": "bob"}, {"src": np.int64(1), "dst": np.array(2)},
    {(0, 1, 0): 1.0, (1, 2, 0): 2.0}, {(0, 1): 1.0, (1, 2, 0): 2.0}, {(0, 1, 2): 1.0}.keys(),
    {(0, 0): [(0, 1)], (0, 1): [(0, 0)]},  # vertices that are pairs
    {0: [(1, 0.5)]}, {0: 0.5}, {0: ["a"]}, {0: None}, {0: [1], 1: 2},
    {frozenset((0, 1)), frozenset((2,))}, {"ab", "cd"}, {0, 1},
]  # fmt: skip


@pytest.mark.parametrize("other", OTHERS, ids=[f"object {i}" for i in range(len(OTHERS))])
def test_nothing_is_proposed_for_other_objects(other: Any) -> None:
    with pytest.raises(InputError, match=r"a data frame or a path$"):
        landbridge.components(other)


def test_edges_of_networks_are_proposed_as_a_list_if_they_are_pairs() -> None:
    networkx = pytest.importorskip("networkx")
    for kind, way in (("Graph", "; list(edges) makes a list of its pairs"), ("MultiGraph", "")):
        with pytest.raises(InputError) as error:
            landbridge.components(getattr(networkx, kind)(PAIRS).edges)
        assert str(error.value).endswith(f"a data frame or a path{way}")


def test_the_message_about_successors_says_what_makes_an_array(tmp_path: Path) -> None:
    path = tmp_path / "next.txt"
    path.write_text("1\n2\n2\n")
    with pytest.raises(InputError, match=r"; list.successors. makes a list of what it yields$"):
        landbridge.rank_list(x for x in [1, 2, 2])
    for text in (path, str(path)):
        with pytest.raises(
            InputError, match=r"; numpy.loadtxt\(path, dtype=int\) makes one of a text with a number on"
        ):
            landbridge.rank_list(text)
    assert landbridge.rank_list(np.loadtxt(path, dtype=int)).tolist() == [2, 1, 0]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_lists_of_dicts_and_sets_say_what_makes_edges_of_them(count: int) -> None:
    """One dict was an array of shape (1,), and two were columns."""
    dicts, sets = [{"left": 1, "right": 2}] * count, [{1, 2}, {2, 3}, {3, 4}][:count]
    for edges, problem in (
        (dicts, "cannot read edges from a list of dicts: pandas.DataFrame(edges) makes a data frame of them"),
        (sets, "cannot read edges from a list of sets: [tuple(e) for e in edges] makes a list of pairs"),
    ):
        with pytest.raises(InputError, match=re.escape(problem) + "$"):
            landbridge.components(edges)
    pandas = pytest.importorskip("pandas")
    assert landbridge.components(pandas.DataFrame(dicts), ids="sparse").count == 1
    assert landbridge.components([tuple(e) for e in sets], ids="sparse").count == 1


@pytest.mark.parametrize("edges", [["ann", "bob"], ("ann", "bob"), ["ann"]])
def test_strings_in_a_list_are_paths(edges: Any) -> None:
    problem = "strings are taken as paths, and edges are pairs of ids, such as ('ann', 'bob'); no such file: 'ann'"
    with pytest.raises(FileNotFoundError, match=re.escape(problem) + "$"):
        landbridge.components(edges)
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: 'ann\.csv'"):
        landbridge.components(["ann.csv", "bob.csv"])


@pytest.mark.parametrize("name", ["rows,cols", "arr_0,arr_1", "edges"])
def test_the_message_about_other_arrays_says_how_they_go_in(name: str, tmp_path: Path) -> None:
    path, names = tmp_path / "g.npz", name.split(",")
    arrays = dict(zip(names, zip(*PAIRS, strict=True), strict=True)) if len(names) == 2 else {name: PAIRS}
    np.savez(path, **{key: np.array(array) for key, array in arrays.items()})  # type: ignore[arg-type]
    listed = re.escape(", ".join(sorted(names)))
    with pytest.raises(FileFormatError, match=f"neither a sparse matrix nor arrays u and v: {listed}; ") as error:
        landbridge.components(path)
    such = re.search(r"such as (.*) of file = numpy.load.path.$", str(error.value))
    assert such is not None
    assert landbridge.components(eval(such[1], {"file": np.load(path)})).count == 3


@pytest.mark.parametrize(
    ("arrays", "such"),
    [
        ({"indptr": [0, 1, 2], "indices": [1, 0]}, "landbridge.CSR(file['indptr'], file['indices'])"),
        ({"offsets": [0, 1, 2], "neighbors": [1, 0]}, "landbridge.CSR(file['offsets'], file['neighbors'])"),
        ({"indptr": [0, 1, 2], "indices": [1, 9]}, ""),
        ({"indices": [1, 0, 2], "indptr": [0, 1, 2]}, ""),
        ({"a": [0, 1], "b": [1, 2]}, "(file['a'], file['b'])"),
        ({"a": [0, 1], "b": [1, 2, 3]}, ""),
        ({"a": [0.5, 1], "b": [1, 2]}, ""),
        ({"a": [0, -1], "b": [1, 2]}, ""),
        ({"weights": [0.5, 1], "dst": [1, 2], "src": [0, 1]}, "(file['src'], file['dst'])"),
        ({"src": [0, 1, 2], "dst": [1, 2, 2], "shape": [3, 3]}, "(file['src'], file['dst'])"),
        ({"edges": [[0, 1], [1, 2], [2, 2]], "w": [1, 2, 3]}, "file['edges']"),
        ({"edge_index": [[0, 1, 2], [1, 2, 2]], "y": [1, 0, 0]}, "file['edge_index']"),
        ({"edges": [[0, 1, 2], [1, 2, 2], [0, 0, 0]]}, ""),
        ({"x": [[0, 1]], "y": [[1, 2]]}, ""),
        ({"a": ["ann"], "b": ["bob"]}, ""),
    ],
)
def test_arrays_are_proposed_that_are_a_graph(arrays: dict[str, Any], such: str, tmp_path: Path) -> None:
    """(file['indices'], file['indptr']) was proposed, and pairs of arrays that differ in length."""
    path = tmp_path / "g.npz"
    np.savez(path, **{name: np.array(array) for name, array in arrays.items()})
    example = f", such as {such} of file = numpy.load(path)" if such else ""
    listed = ", ".join(sorted(arrays))
    ending = f"neither a sparse matrix nor arrays u and v: {listed}; others go in as numpy.load reads them{example}"
    with pytest.raises(FileFormatError, match=re.escape(ending) + "$"):
        landbridge.components(path)
    if such:
        assert landbridge.components(eval(such, {"file": np.load(path), "landbridge": landbridge})).count == 1


@pytest.mark.parametrize("word", ["tab", "TAB", "\\t", "comma", "semicolon", "pipe", "space"])
def test_the_message_about_a_delimiter_in_words_has_the_character(word: str) -> None:
    with pytest.raises(InputError, match=r"must be one character of ASCII, .*; say delimiter=") as error:
        landbridge.components(io.StringIO("0 1"), delimiter=word)
    character = eval(str(error.value).rpartition("delimiter=")[2])
    text = io.StringIO(f"0{character}1\n")
    assert landbridge.components(text, delimiter=character).count == 1
