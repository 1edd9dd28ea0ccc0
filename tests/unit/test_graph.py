"""Graph: validated once, never a copy that is not needed, and every refusal one exact line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles.refusals import refused
from oracles.zoo import Specimen, small, zoo

import landbridge
from landbridge import Graph, InputError
from landbridge.edges.files import write_edges
from landbridge.edges.forms import Adjacency, EdgeList


def pair(u: list[int], v: list[int], dtype: Any = np.int64) -> tuple[Any, Any]:
    return np.array(u, dtype=dtype), np.array(v, dtype=dtype)


def adjacency(offsets: list[int], neighbors: list[int], **options: Any) -> Adjacency:
    return Adjacency(np.array(offsets), np.array(neighbors), **options)


def test_what_a_graph_knows_about_itself() -> None:
    pairs = Graph(pair([0, 4], [1, 2], np.int32))
    assert (pairs.num_vertices, pairs.num_edges, pairs.layout, pairs.symmetric) == (5, 2, "coo", None)
    assert pairs.nbytes == 16
    assert not pairs.wide
    assert repr(pairs) == "Graph(5 vertices, 2 stored edges, coo, int32)"
    rows = Graph(adjacency([0, 1, 2], [1, 0], symmetric=True))
    assert (rows.num_vertices, rows.num_edges, rows.layout, rows.symmetric) == (2, 2, "csr", True)
    assert rows.nbytes == 40
    assert repr(rows) == "Graph(2 vertices, 2 stored edges, symmetric csr, int64)"


def test_vertices_are_up_to_the_largest_id_or_as_declared() -> None:
    assert Graph(pair([3], [7])).num_vertices == 8
    assert Graph(pair([3], [7]), num_vertices=100).num_vertices == 100
    assert Graph(pair([3], [7]), num_vertices=np.int16(9)).num_vertices == 9
    assert Graph(EdgeList(*pair([3], [7]), num_vertices=50)).num_vertices == 50
    assert Graph(pair([], [])).num_vertices == 0


@pytest.mark.parametrize("ending", ["mtx", "gr", "graph", "sg", "egr", "npz"])
def test_no_number_of_vertices_contradicts_a_file(ending: str, tmp_path: Path) -> None:
    """A METIS file was refused, and a matrix had as many vertices as the caller said."""
    path = tmp_path / f"a.{ending}"
    write_edges(EdgeList(*pair([0, 2], [1, 3]), num_vertices=5), path)
    assert landbridge.components(path, num_vertices=5).count == 3
    for number in (4, 6):
        message = f"{path}: num_vertices = {number}, but the file declares 5 vertices: leave num_vertices out"
        for call in (landbridge.components, landbridge.spanning_forest, landbridge.explain, Graph):
            with refused(InputError, message):
                call(path, num_vertices=number)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_no_number_of_vertices_contradicts_a_matrix(layout: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(([1, 1], ([0, 2], [1, 3])), shape=(5, 5)).asformat(layout)
    networkx = pytest.importorskip("networkx")
    for source in (matrix, networkx.from_scipy_sparse_array(matrix), EdgeList(*pair([3], [2]), num_vertices=5)):
        assert Graph(source, num_vertices=5).num_vertices == 5
        for number in (4, 6):
            with refused(InputError, f"num_vertices = {number}, but the source declares 5 vertices", exactly=False):
                landbridge.components(source, num_vertices=number)


@pytest.mark.parametrize(
    ("number", "shown"), [(-1, "-1"), (True, "True"), (2.0, "2.0"), ("5", "'5'"), (float("nan"), "nan"), ([3], "[3]")]
)
def test_num_vertices_is_a_count(number: Any, shown: str) -> None:
    with refused(InputError, f"num_vertices must be a whole number of at least 0, not {shown}"):
        Graph(pair([0], [1]), num_vertices=number)


@pytest.mark.parametrize("number", [2**56 + 1, 2**63, 2**70])
def test_num_vertices_beyond_any_memory(number: int) -> None:
    with refused(InputError, f"num_vertices = {number}: a graph of so many vertices would not fit any memory"):
        Graph(pair([0], [1]), num_vertices=number)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
@pytest.mark.parametrize("threads", [1, 3])
def test_an_id_out_of_range_is_named_with_its_edge(dtype: str, threads: int) -> None:
    u, v = pair([0, 1, 2] * 100_000, [1, 2, 0] * 100_000, dtype)
    u[277_123] = 9
    with refused(InputError, "edge 277123: vertex 9 is out of range for n = 9"):
        Graph((u, v), num_vertices=9, threads=threads)
    u[277_123] = 2
    v[299_999], v[299_998] = 4, 5
    with refused(InputError, "edge 299998: vertex 5 is out of range for n = 4"):
        Graph((u, v), num_vertices=4, threads=threads)


def test_the_first_end_is_looked_at_first() -> None:
    with refused(InputError, "edge 1: vertex 5 is out of range for n = 3"):
        Graph(pair([0, 5], [4, 1]), num_vertices=3)


@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_a_negative_id_is_named_whether_or_not_vertices_are_declared(dtype: str) -> None:
    """What takes it is said without the option that does not go with it."""
    for options, without in (({}, ""), ({"num_vertices": 4}, " without num_vertices")):
        with refused(InputError, f"edge 1: vertex -3 is negative; ids='sparse'{without} takes negative ids"):
            Graph(pair([0, 1, 2], [1, -3, -4], dtype), **options)


def test_an_empty_graph_has_room_for_no_edge() -> None:
    with refused(InputError, "edge 0: vertex 0 is out of range for n = 0"):
        Graph(pair([0], [0]), num_vertices=0)


@pytest.mark.parametrize(("largest", "dtype"), [(2**60, "i8"), (2**63 - 1, "i8"), (2**63, "u8"), (2**64 - 1, "u8")])
def test_a_largest_id_beyond_any_memory(largest: int, dtype: str) -> None:
    message = (
        f"the largest id is {largest}: a graph of {largest + 1} vertices would not fit any memory; "
        "use ids='sparse' if the ids have gaps"
    )
    with refused(InputError, message):
        Graph(pair([0, 5], [largest, 7], dtype))
    result = landbridge.components(pair([0, 5], [largest, 7], dtype), ids="sparse")
    assert result.ids is not None
    assert result.ids.tolist() == [0, 5, 7, largest]
    assert result.labels.tolist() == [0, 1, 1, 0]


def test_unsigned_ids_above_the_signed_are_shown_as_they_are() -> None:
    with refused(InputError, "edge 0: vertex 18446744073709551615 is out of range for n = 5"):
        Graph(pair([2**64 - 1], [0], np.uint64), num_vertices=5)
    with refused(InputError, "edge 1: vertex 4294967295 is out of range for n = 5"):
        Graph(pair([0, 1], [1, 2**32 - 1], np.uint32), num_vertices=5)


@pytest.mark.parametrize(
    ("offsets", "neighbors", "message"),
    [
        ([1, 2], [0, 0], "offsets[0] is 1, not 0"),
        ([-1, 2], [0, 0], "offsets[0] is -1, not 0"),
        ([0, 2, 1, 2], [0, 0], "offsets[2] is 1, below offsets[1] = 2"),
        ([0, 1, 1], [0, 0], "the last offset is 1, but there are 2 neighbors"),
        ([0, 3, 3], [0, 0], "the last offset is 3, but there are 2 neighbors"),
        ([0, 2], [0, 1], "arc 1: vertex 1 is out of range for n = 1"),
        ([0, 2], [-2, 0], "arc 0: vertex -2 is negative"),
        ([0], [0], "the last offset is 0, but there are 1 neighbors"),
        ([], [], "offsets are empty; n + 1 of them are needed, also for n = 0"),
    ],
)
@pytest.mark.parametrize("dtype", ["i4", "i8"])
def test_rows_that_are_no_rows(offsets: list[int], neighbors: list[int], message: str, dtype: str) -> None:
    with refused(InputError, message):
        Graph(Adjacency(np.array(offsets, dtype=dtype), np.array(neighbors, dtype=dtype)))


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_falling_offset_is_the_one_named(threads: int) -> None:
    offsets = np.arange(700_001)
    offsets[300_000] = 5
    offsets[600_000] = 7
    with refused(InputError, "offsets[300000] is 5, below offsets[299999] = 299999"):
        Graph(Adjacency(offsets, np.zeros(700_000, dtype=np.int32)), threads=threads)


def test_rows_have_as_many_vertices_as_they_have() -> None:
    assert Graph(adjacency([0, 1, 1], [0]), num_vertices=2).num_vertices == 2
    with refused(InputError, "num_vertices = 3, but the source declares 2 vertices: leave num_vertices out"):
        Graph(adjacency([0, 1, 1], [0]), num_vertices=3)


def test_a_source_that_names_its_vertices_keeps_their_number() -> None:
    named = EdgeList(*pair([0], [1]), num_vertices=2, ids=np.array([10, 20]))
    with refused(InputError, "num_vertices = 3, but the source names 2 vertices: leave num_vertices out"):
        Graph(named, num_vertices=3)


@pytest.mark.parametrize(("threads", "shown"), [(0, "0"), (-1, "-1"), (True, "True"), (1.5, "1.5"), ("2", "'2'")])
def test_threads_are_a_positive_integer(threads: Any, shown: str) -> None:
    for call in (Graph, landbridge.components, landbridge.explain):
        with refused(InputError, f"threads must be a positive integer, not {shown}"):
            call(pair([0], [1]), threads=threads)


def test_threads_are_at_most_what_a_plan_may_say() -> None:
    assert landbridge.components(pair([0], [1]), threads=65535).count == 1
    with refused(InputError, "65536 threads: at most 65535 run"):
        Graph(pair([0], [1]), threads=65536)
    with refused(InputError, f"{2**40} threads: at most 65535 run"):
        Graph(pair([0], [1]), threads=2**40)


def test_symmetric_is_a_promise_or_none() -> None:
    assert Graph(pair([0, 1], [1, 0]), symmetric=True, check=True).symmetric is True
    assert Graph(pair([0, 1], [2, 3]), symmetric=True).symmetric is None  # of COO it counts only if it is checked
    assert Graph(EdgeList(*pair([0, 1], [1, 0]), both_directions=True)).symmetric is True
    assert Graph(EdgeList(*pair([0, 1], [1, 0]), both_directions=True), symmetric=False).symmetric is False
    with refused(InputError, "symmetric must be True, False or None, not 'yes'"):
        Graph(pair([0], [1]), symmetric="yes")  # type: ignore[arg-type]


def test_what_describes_files_is_refused_for_objects() -> None:
    for options, where in (
        ({"format": "edges"}, "format: for files; this source is a tuple"),
        ({"max_bytes": 1000}, "max_bytes: for files; this source is a tuple"),
        ({"header": True, "delimiter": ","}, "delimiter, header: for files; this source is a tuple"),
        ({"columns": ("a", "b")}, "columns: for files and data frames; this source is a tuple"),
        ({"base": 1}, "base: for files and data frames; subtract 1 from the ids of arrays"),
    ):
        with refused(InputError, where):
            Graph(pair([0], [1]), **options)  # type: ignore[arg-type]


def test_a_graph_is_taken_as_it_is() -> None:
    graph = Graph(pair([0, 1], [1, 0]))
    with refused(InputError, "num_vertices, symmetric: set when the Graph was made, not again for each call"):
        landbridge.components(graph, num_vertices=5, symmetric=True)
    assert landbridge.components(graph, threads=2).count == 1


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("specimen", zoo(), ids=str)
def test_rows_hold_each_edge_from_both_ends_sorted(specimen: Specimen, threads: int) -> None:
    n, u, v = specimen.n, specimen.u, specimen.v
    loops = u == v
    both = np.sort(np.concatenate([u * n + v, (v * n + u)[~loops]]))
    for layout in ("csr", "coo"):
        rows = specimen.graph(layout, promise=False).to_rows(threads)
        assert rows.offsets is not None
        assert rows.symmetric
        assert (rows.num_vertices, rows.num_edges) == (n, len(both))
        heads = np.repeat(np.arange(n), np.diff(rows.offsets))
        assert np.array_equal(heads * n + rows.a, both)


def test_rows_of_pairs_known_to_be_symmetric_hold_them_once() -> None:
    grid = next(s for s in zoo() if s.name == "grid")
    rows = grid.graph("coo").to_rows()
    assert rows.num_edges == len(grid.u)
    assert np.array_equal(rows.a, grid.graph("csr", promise=False).to_rows().a[::2])


def test_duplicates_and_loops_stay_in_rows() -> None:
    rows = Graph(pair([0, 0, 1, 2], [1, 1, 0, 2])).to_rows()
    assert rows.offsets is not None
    assert rows.offsets.tolist() == [0, 3, 6, 7]
    assert rows.a.tolist() == [1, 1, 1, 0, 0, 0, 2]


def test_symmetric_rows_are_themselves() -> None:
    graph = Graph(adjacency([0, 1, 2], [1, 0]), symmetric=True)
    assert graph.to_rows() is graph


@pytest.mark.parametrize("specimen", small()[::3], ids=str)
def test_rows_do_not_depend_on_threads(specimen: Specimen) -> None:
    one, three = (specimen.graph("coo").to_rows(t) for t in (1, 3))
    assert one.offsets is not None
    assert three.offsets is not None
    assert np.array_equal(one.offsets, three.offsets)
    assert np.array_equal(one.a, three.a)


def test_a_promise_of_symmetry_is_looked_into() -> None:
    rng = np.random.default_rng(5)
    sparse = pytest.importorskip("scipy.sparse")
    u, v = rng.integers(0, 3000, (2, 40_000))
    one_way = sparse.csr_array((np.ones(40_000), (u, v)), shape=(3000, 3000))
    with pytest.raises(
        InputError, match=r"symmetric=True, but the edge \(\d+, \d+\) is stored in this direction alone"
    ):
        Graph(one_way, symmetric=True)
    both = (one_way + one_way.T).tocsr()
    assert Graph(both, symmetric=True, check=True).symmetric
    lie = both.tolil()
    a, b = int(u[7]), int(v[7])
    lie[a, b] = 0
    if a != b:
        with pytest.raises(InputError, match=rf"the edge \({b}, {a}\) is stored"):
            Graph(lie.tocsr(), symmetric=True, check=True)
    with pytest.raises(InputError, match=r"the edge \(0, 1\) is stored in this direction alone"):
        Graph(pair([0], [1]), symmetric=True, check=True)
    assert Graph(pair([0, 1], [1, 0]), symmetric=True, check=True).symmetric
