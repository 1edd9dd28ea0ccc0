"""Spanning forests from the outside: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.refusals import refused

import landbridge
from landbridge import DeviceError, Graph, InputError, InvalidCombination, check_forest
from landbridge.edges.forms import Adjacency
from landbridge.plan import Choice, parse
from landbridge.plan.choose import for_forest
from landbridge.problems import enumerate_plans


def test_a_forest_names_edges_by_ends_and_position() -> None:
    f = landbridge.spanning_forest(([0, 1, 2, 3], [1, 0, 1, 3]), plan="async(naive)", threads=1)
    assert (f.u.tolist(), f.v.tolist(), f.edge.tolist(), f.count) == ([0, 2], [1, 1], [0, 2], 2)
    assert (f.num_vertices, f.device, f.ids, f.notes) == (4, "cpu", None, ())
    assert repr(f) == "SpanningForest(count=2, edges=2, plan='async(naive)', device='cpu')"
    assert f.profile.total > 0
    assert list(f.profile.seconds)[-1] == "collect"


def test_rows_give_the_position_of_the_arc() -> None:
    scipy_sparse = pytest.importorskip("scipy.sparse")
    a = scipy_sparse.csr_matrix(([1, 1, 1], ([0, 2, 2], [2, 0, 1])), shape=(4, 4))
    f = landbridge.spanning_forest(a, plan="rem_cas(naive,split_one)", threads=1)
    assert (f.u.tolist(), f.v.tolist(), f.edge.tolist(), f.count) == ([0, 2], [2, 1], [0, 2], 2)
    assert np.array_equal(a.indices[f.edge], f.v)


@pytest.mark.parametrize("layout", ["csr", "coo"])
def test_no_vertices_no_edges(layout: str) -> None:
    none = Graph(([], []), num_vertices=0)
    alone = Graph(([], []), num_vertices=3)
    for plan in ["auto", *landbridge.plans("forest", engine="cpu", layout=layout)[::20]]:
        for graph, count in ((none, 0), (alone, 3)):
            f = landbridge.spanning_forest(graph.to_rows() if layout == "csr" else graph, plan=plan)
            assert (f.count, len(f.u), len(f.v), len(f.edge)) == (count, 0, 0, 0)
            assert (f.u.dtype, f.v.dtype, f.edge.dtype) == (np.int32, np.int32, np.int64)
            check_forest(graph, f)


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
@pytest.mark.parametrize("many", [False, True], ids=["few", "many"])
def test_pairs_of_any_type_and_stride(dtype: str, many: bool) -> None:
    m = 300_000 if many else 3_000  # from 2^17 pairs on they are read once, not validated first
    table = np.random.default_rng(1).integers(0, m, (m, 2)).astype(dtype)
    for source in (table, table[::-1], (table[:, 0].copy(), table[:, 1].copy()), table[::2], table[:, ::-1]):
        f = landbridge.spanning_forest(source)
        check_forest(source, f)
        assert f.count == landbridge.components(source).count
        assert ("start" in f.profile.seconds) != many


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
@pytest.mark.parametrize("m", [4095, 4096, 100_003, 300_000])
def test_endpoints_of_a_tree_are_those_of_all_its_edges(dtype: str, m: int) -> None:
    """Whole blocks of edges are in the forest; a loop here and there is not."""
    of = np.random.default_rng(m).permutation(m + 1)
    table = np.stack([of[:-1], of[1:]], axis=1).astype(dtype)
    for loops in ([], [0, 70, m // 2], [m - 1]):
        table[loops, 1] = table[loops, 0]
        for source in (table, table[::-1], (table[:, 0].copy(), table[:, 1].copy()), table[:, ::-1]):
            u, v = source if isinstance(source, tuple) else source.T
            for threads in (1, 2):
                f = landbridge.spanning_forest(source, threads=threads)
                edges = np.flatnonzero(u != v)
                assert np.array_equal(f.edge, edges)
                assert np.array_equal(f.u, u[edges])
                assert np.array_equal(f.v, v[edges])


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_of_a_tree_whose_arcs_are_all_in_the_forest(threads: int) -> None:
    """A CSR that holds each edge once, with empty rows and long ones."""
    m = 50_001
    parents = np.sort(np.random.default_rng(2).integers(0, np.arange(1, m + 1)))
    offsets = np.searchsorted(parents, np.arange(m + 2))
    neighbors = np.arange(1, m + 1)
    f = landbridge.spanning_forest(Graph(Adjacency(offsets, neighbors)), threads=threads)
    assert np.array_equal(f.edge, np.arange(m))
    assert np.array_equal(f.u, np.repeat(np.arange(m + 1), np.diff(offsets)))
    assert np.array_equal(f.v, neighbors)


def test_an_edge_out_of_range_is_named() -> None:
    with refused(InputError, "edge 1: vertex 9 is out of range for n = 3"):
        landbridge.spanning_forest(([0, 9], [1, 1]), num_vertices=3)
    many = np.zeros(200_000, dtype=np.int64)
    many[77] = -4
    with refused(InputError, "edge 77: vertex -4 is negative; ids='sparse' takes negative ids"):
        landbridge.spanning_forest((many, np.zeros_like(many)))


def test_rounds_that_move_single_vertices_are_refused_with_a_counterexample() -> None:
    path = ([0, 3, 5, 1, 4], [5, 2, 4, 2, 3])
    alone = r"lt\(parent,any,once\): a vertex that takes a label without being a root .* on the path 0-5-4-3-2-1 four"
    with pytest.raises(InvalidCombination, match=alone):
        landbridge.spanning_forest(path, plan="lt(parent,any,once)")
    with pytest.raises(InvalidCombination, match=r"it is the same rounds as with a root update"):
        landbridge.spanning_forest(path, plan="lt(parent,any,full)")
    with pytest.raises(InvalidCombination, match=r"fastsv: it moves single vertices between trees"):
        landbridge.spanning_forest(path, plan="fastsv")
    for text in ("lt(parent,root,once)", "lt(parent,root,full)"):
        assert len(landbridge.spanning_forest(path, plan=text).edge) == 5


def test_rounds_name_the_edge_whose_label_won() -> None:
    # 3-2 offers vertex 3 the label 2, and 3-1 the label 1: if the first were named, 2-3 would be named again for
    # vertex 2, and 1 would stay alone.
    for text in landbridge.plans("forest", engine="cpu"):
        finish = parse(text).finish
        if "rounds" in finish.traits:
            forest = landbridge.spanning_forest(([3, 3], [2, 1]), plan=text)
            assert forest.edge.tolist() == [0, 1]


def test_splicing_is_refused_with_the_reason() -> None:
    with pytest.raises(InvalidCombination, match=r"rem_cas\(naive,splice\): splicing hangs a vertex below another"):
        landbridge.spanning_forest(([0], [1]), plan="rem_cas(naive,splice)")
    assert landbridge.components(([0], [1]), plan="rem_cas(naive,splice)").count == 1


def test_auto_takes_a_plan_that_makes_a_forest() -> None:
    path = Graph((np.arange(5000), np.arange(1, 5001)))
    f = landbridge.spanning_forest(path, device="cpu")
    assert (
        f.plan
        == landbridge.explain(path, device="cpu").plan
        == "rem_cas(naive,halve_one)@cpu(climb=on,owners=on,skip=tree)"
    )
    check_forest(path, f)
    spliced = Choice(parse("rem_lock(halve,splice)@cpu(threads=2)"), ("because",))
    changed = for_forest(spliced)
    assert str(changed.plan) == "rem_lock(halve,split_one)@cpu(threads=2)"
    assert changed.reasons == (
        "because", "rem_lock(halve,splice) yields no spanning forest; rem_lock with split_one does",
    )  # fmt: skip
    fine = Choice(parse("hb(4)+async(halve)"), ())
    assert for_forest(fine) is fine


def test_nodes_of_networkx_come_back() -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("d", "a"), ("a", "b"), ("b", "d"), ("x", "c")])
    f = landbridge.spanning_forest(graph)
    check_forest(graph, f)
    edges = list(graph.edges)
    assert [tuple(edges[e]) for e in f.edge] == list(zip(f.u.tolist(), f.v.tolist(), strict=True))
    assert f.count == 2


def test_a_device_that_is_not_there_is_named() -> None:
    with pytest.raises(DeviceError):
        landbridge.spanning_forest(([0], [1]), device="tpu")


def test_notes_of_the_source_come_along(tmp_path: object) -> None:
    path = f"{tmp_path}/edges.tsv"
    with open(path, "w", encoding="ascii") as file:  # noqa: PTH123
        file.write("5 7\n7 900000000000\n5 900000000000\n")
    f = landbridge.spanning_forest(path)
    assert f.ids is not None
    assert f.count == 1
    assert set(f.u.tolist() + f.v.tolist()) == {5, 7, 900000000000}
    assert f.u.dtype == f.ids.dtype
    check_forest(path, f)


SETTINGS = ("", "kout(2)", "kout(2,pure)", "kout(2,hybrid)", "kout(2,max_degree)", "hb(4)", "bfs", "ldd(0.2)")


def test_the_enumeration_is_that_of_the_links_without_splicing() -> None:
    """22 of async, hooks, early, jtb, ecl and afforest, 16 of Rem's with split_one and halve_one: in every setting."""
    csr = enumerate_plans("forest", "cpu", "csr")
    links = [t for t in csr if not parse(t).finish.standalone]
    sampled = {s: [t for t in links if (t.split("+")[0] if "+" in t else "") == s] for s in SETTINGS}
    assert {s: len(texts) for s, texts in sampled.items()} == dict.fromkeys(SETTINGS, 38)
    assert [t for t in csr if t.startswith("bfscc")] == ["bfscc@cpu(layout=csr)"]
    every_coo = enumerate_plans("forest", "cpu", "coo")
    coo = [t for t in every_coo if not parse(t).finish.standalone]
    # Rounds that move whole trees: three on CSR with every sampling, seven on COO, plain and staged.
    rounds = [t for t in [*csr, *every_coo] if "rounds" in parse(t).finish.traits]
    assert len(rounds) == 3 * len(SETTINGS) + 2 * 7
    assert len(csr) + len(every_coo) == 419
    assert (len(coo), sum(t.startswith("stages(") for t in coo)) == (76, 38)
    assert not [t for t in [*csr, *coo] if "splice" in t]
    # The published 132: the same six links on CSR unsampled, k-out, HB and BFS, and on COO plain and staged.
    six = {"async", "hooks", "early", "jtb", "ecl", "afforest"}
    four = [t for s in ("", "kout(2)", "hb(4)", "bfs") for t in sampled[s] if parse(t).finish.link in six]
    assert len(four) + len([t for t in coo if parse(t).finish.link in six]) == 132


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "columns", [{"a": [1, 2], "b": [2, 5]}, {"a": ["x", "y"], "b": ["y", "z"]}], ids=["numbers", "names"]
)
def test_the_frame_of_a_forest_is_of_the_library_of_its_edges(library: str, columns: dict[str, list[object]]) -> None:
    package = pytest.importorskip(library)
    frame = package.table(columns) if library == "pyarrow" else package.DataFrame(columns)
    ways = [{}] if columns["a"][0] == "x" else [{}, {"ids": "dense"}, {"base": 1}]
    for options in ways:
        forest, parts = landbridge.spanning_forest(frame, **options), landbridge.components(frame, **options)
        assert (forest.library, type(forest.frame())) == (library, type(frame))
        assert (parts.library, type(parts.frame())) == (library, type(frame))
    assert landbridge.spanning_forest(Graph(frame)).library == library
    assert landbridge.spanning_forest(([0], [1])).library is None
