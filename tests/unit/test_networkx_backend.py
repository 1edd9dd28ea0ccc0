"""The NetworkX backend gives NetworkX's answers, in its order and types, and runs where it says so."""

from __future__ import annotations

import inspect
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

nx = pytest.importorskip("networkx", minversion="3.4")
from landbridge.compat import networkx as backend  # noqa: E402
from landbridge.compat import networkx_info  # noqa: E402
from landbridge.compat.networkx_graph import CLASSES, BackendGraph, GraphKind  # noqa: E402

FUNCTIONS = sorted(networkx_info.FUNCTIONS)
UNDIRECTED = [
    "connected_components", "number_connected_components", "is_connected", "is_forest", "is_tree", "isolates",
    "number_of_isolates", "minimum_spanning_edges", "maximum_spanning_edges",
]  # fmt: skip
DIRECTED = [
    "weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected", "is_forest", "is_tree",
    "isolates", "number_of_isolates",
]  # fmt: skip
ANY = st.one_of(st.integers(-3, 12), st.sampled_from("abcdef"), st.tuples(st.integers(0, 2), st.booleans()))
NODES = st.one_of(st.integers(0, 9), st.integers(-(10**12), 10**12), st.text("xyz", min_size=1, max_size=3), ANY)


def outcome(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The answer with its types, iterators as lists; or the exception and its text."""
    try:
        answer = function(*args, **kwargs)
        if inspect.isgenerator(answer) or hasattr(answer, "__next__"):
            answer = list(answer)
    except Exception as error:
        return type(error), str(error)
    if isinstance(answer, BackendGraph):
        answer = backend.convert_to_nx(answer)
    if isinstance(answer, nx.Graph):
        return type(answer), list(answer.nodes.items()), list(answer.edges(data=True)), answer.graph
    return answer, [type(x) for x in answer] if isinstance(answer, list) else type(answer)


def plain(name: str) -> Callable[..., Any]:
    """NetworkX's own function, decorators aside."""
    function: Callable[..., Any] = getattr(nx, name).orig_func
    return function


@st.composite
def graphs(draw: Any, kinds: tuple[GraphKind, ...] = tuple(CLASSES)) -> Any:
    graph = CLASSES[draw(st.sampled_from(kinds))]()
    kind = draw(st.sampled_from([NODES, ANY, st.integers(0, 9)]))
    graph.add_nodes_from(draw(st.lists(kind, max_size=6)))
    weights = st.one_of(st.none(), st.integers(-2, 3), st.sampled_from([0.5, float("inf"), 2.0]))
    for u, v, weight in draw(st.lists(st.tuples(kind, kind, weights), max_size=14)):
        graph.add_edge(u, v, **({} if weight is None else {"weight": weight}))
    return graph


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_functions_of_a_whole_graph_agree(graph: Any) -> None:
    backed = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    for name in DIRECTED if graph.is_directed() else UNDIRECTED:
        if backend.can_run(name, (backed,), {}) is True:
            assert outcome(getattr(backend, name), backed) == outcome(plain(name), graph), name
    assert len(backed) == len(graph)
    assert list(backed) == list(graph)
    assert backed.number_of_edges() == graph.number_of_edges()
    assert outcome(backend.convert_to_nx, backed) == outcome(graph.copy)


@settings(max_examples=30, deadline=None)
@given(graphs(), st.lists(NODES, min_size=2, max_size=2), st.data())
def test_functions_of_nodes_agree(graph: Any, strangers: list[Any], data: Any) -> None:
    backed = backend.convert_from_nx(graph)
    choice = st.sampled_from([*graph, *strangers])
    u, v = data.draw(choice), data.draw(choice)
    assert (u in backed) == (u in graph)
    assert outcome(backend.is_isolate, backed, u) == outcome(plain("is_isolate"), graph, u)
    if not graph.is_directed():
        assert outcome(backend.has_path, backed, u, v) == outcome(plain("has_path"), graph, u, v)
        ours = outcome(backend.node_connected_component, backed, u)
        assert ours == outcome(plain("node_connected_component"), graph, u)
        assert outcome(backend.node_connected_component, backed, u) == ours
        list(backend.connected_components(backed))
        assert outcome(backend.node_connected_component, backed, u) == ours


@settings(max_examples=25, deadline=None)
@given(graphs(kinds=(GraphKind(),)), st.booleans(), st.booleans())
def test_spanning_trees_are_those_of_kruskal(graph: Any, data: bool, nan: bool) -> None:
    if nan and graph.number_of_edges():
        graph.edges[next(iter(graph.edges))]["weight"] = float("nan")
    backed = backend.convert_from_nx(graph, edge_attrs={"weight": 1}, preserve_edge_attrs=data)
    for least in ("minimum", "maximum"):
        for ignore in (True, False):
            options = {"ignore_nan": ignore}
            name = f"{least}_spanning_edges"
            ours = outcome(getattr(backend, name), backed, data=data, **options)
            assert str(ours) == str(outcome(plain(name), graph, data=data, **options))
            name = f"{least}_spanning_tree"
            ours = outcome(getattr(backend, name), backed, **options)
            assert str(ours) == str(outcome(plain(name), graph, **options))


def test_sets_that_are_handed_out_belong_to_the_caller() -> None:
    backed = backend.convert_from_nx(nx.Graph([(1, 2), (3, 4)]))
    next(iter(backend.connected_components(backed))).clear()
    for _ in range(2):
        backend.node_connected_component(backed, 3).clear()
    assert list(backend.connected_components(backed)) == [{1, 2}, {3, 4}]


@given(graphs(), st.integers(0, 3))
def test_a_conversion_does_not_follow_the_graph(graph: Any, change: int) -> None:
    backed = backend.convert_from_nx(graph, preserve_edge_attrs=True)
    graphs = {"later": backed, "at once": backend.convert_from_nx(graph)}
    before, nodes = graph.copy(), list(graph)
    assert outcome(backend.convert_to_nx, graphs.pop("at once")) == outcome(before.copy)
    tree = None
    if not graph.is_directed() and not graph.is_multigraph():
        tree = backend.minimum_spanning_tree(backed), plain("minimum_spanning_tree")(before)
    if change == 0:
        graph.add_edge("new", "newer")
    elif change == 1:
        graph.clear()
        graph.add_node("new")
    elif change == 2:
        graph.add_nodes_from(nodes, colour="red")
        graph.graph["name"] = "changed"
    else:
        graph.add_node("new")
        graph.remove_node("new")
    for edge in graph.edges(data=True):
        edge[-1]["weight"] = 100
    if tree is not None:
        assert outcome(lambda: tree[0]) == outcome(lambda: tree[1])
        edges = outcome(backend.minimum_spanning_edges, backed)
        assert edges == outcome(plain("minimum_spanning_edges"), before)
    assert list(backed) == nodes
    assert backed.number_of_edges() == before.number_of_edges()
    if change != 2 or nodes:
        with pytest.raises(nx.NetworkXError, match="has changed since it was converted"):
            backend.convert_to_nx(backed)


def test_graphs_whose_rows_are_sets() -> None:
    kcomponents = pytest.importorskip("networkx.algorithms.approximation.kcomponents")
    graph = kcomponents._AntiGraph(nx.complete_bipartite_graph(3, 4))
    assert list(backend.connected_components(backend.convert_from_nx(graph))) == [{0, 1, 2}, {3, 4, 5, 6}]


def test_a_view_is_copied_when_it_is_converted() -> None:
    graph = nx.path_graph(6)
    view = nx.subgraph_view(graph, filter_node=lambda node: node != 3)
    backed = backend.convert_from_nx(view)
    assert "not be kept" in str(backend.should_run("isolates", (nx.reverse_view(nx.DiGraph(nx.path_graph(3000))),), {}))
    assert view.__networkx_cache__ is None
    graph.remove_node(0)
    assert list(backend.convert_to_nx(backed).edges) == [(0, 1), (1, 2), (4, 5)]
    assert list(backend.connected_components(backed)) == [{0, 1, 2}, {4, 5}]


@pytest.mark.parametrize("weight", ["x", 2**60, 10**30, -(2**63)])
def test_weights_that_floats_cannot_order_are_left_to_networkx(weight: Any) -> None:
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=weight)
    graph.add_edge(1, 2, weight=0.5)
    backed = backend.convert_from_nx(graph, edge_attrs={"weight": 1})
    with pytest.raises(NotImplementedError):
        backend.minimum_spanning_edges(backed)


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from(list(CLASSES.values())))
def test_frames_make_networkx_graphs(data: Any, create_using: Any) -> None:
    pandas = pytest.importorskip("pandas")
    kinds = [st.integers(-3, 6), st.integers(0, 2**62), st.text("ab", max_size=2), st.sampled_from([1, 1.0, "1", (1,)])]
    kind = data.draw(st.sampled_from([*kinds, st.sampled_from([None, 1.5, "x"])]))
    rows = data.draw(st.lists(st.tuples(kind, kind, st.integers(0, 3)), max_size=8))
    frame = pandas.DataFrame({n: [row[i] for row in rows] for i, n in enumerate(("source", "target", "w"))})
    for options in ({}, {"edge_attr": "w"}, {"edge_attr": True}, {"edge_attr": ["w", "no"]}, {"source": "no"}):
        words = {**options, "create_using": create_using}
        ours = outcome(backend.from_pandas_edgelist, frame, **words)
        assert str(ours) == str(outcome(plain("from_pandas_edgelist"), frame, **words))  # NaN differs from itself
    try:
        backed = backend.from_pandas_edgelist(frame, create_using=create_using)
    except ValueError:
        return
    graph = backend.convert_to_nx(backed)
    assert (list(backed), backed.number_of_edges()) == (list(graph), graph.number_of_edges())


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from(list(CLASSES.values())), st.booleans())
def test_matrices_make_networkx_graphs(data: Any, create_using: Any, parallel: bool) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    n = data.draw(st.integers(0, 5))
    entries = data.draw(st.lists(st.tuples(*[st.integers(0, max(0, n - 1))] * 2, st.integers(-1, 2)), max_size=9))
    entries = entries if n else []
    values = np.array([e[2] for e in entries], dtype=data.draw(st.sampled_from([np.int64, np.float64])))
    places = tuple(np.array([e[i] for e in entries], dtype=np.int64) for i in (0, 1))
    matrix = sparse.coo_array((values, places), shape=(n, n + data.draw(st.sampled_from([0, 0, 0, 1]))))
    matrix = matrix.asformat(data.draw(st.sampled_from(["coo", "csr", "csc", "lil", "dok"])))
    words = {"parallel_edges": parallel, "create_using": create_using}
    ours = outcome(backend.from_scipy_sparse_array, matrix, **words)
    assert ours == outcome(plain("from_scipy_sparse_array"), matrix, **words)
    if n == matrix.shape[1]:
        backed = backend.from_scipy_sparse_array(matrix, **words)
        graph = backend.convert_to_nx(backed)
        assert backed.number_of_edges() == graph.number_of_edges()
        ours = list(backend.weakly_connected_components(backed))
        assert ours == list(plain("weakly_connected_components")(graph.to_directed()))


def test_a_matrix_may_change_behind_its_graph() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.csr_array(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    backed = backend.from_scipy_sparse_array(matrix)
    matrix.indices[:] = 2
    assert backend.number_connected_components(backed) == 2


LINES = st.one_of(
    st.tuples(st.integers(-2, 20), st.integers(0, 20)).map(lambda e: f"{e[0]} {e[1]}"),
    st.sampled_from([
        "", "# a comment", "1 2 # behind", "7", "x y", "1\t2", " 3  4 ", "5 6 {'w': 1}", "5 6 7", "é ü", "a\xa0b c",
        "1,2", "007 7", "+1 1", '"q" q', "1 2\r", "a\x0bb c", "%a b",
    ]),
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.lists(LINES, max_size=6), st.sampled_from([None, ",", " ", "\t"]), st.sampled_from([None, int, str, float]),
       st.booleans(), st.sampled_from(["#", "%", None, "//"]))  # fmt: skip
def test_text_makes_networkx_graphs(lines: list[str], delimiter: Any, nodetype: Any, data: bool, comments: Any) -> None:
    text = "\n".join(lines).encode()
    words = {"delimiter": delimiter, "nodetype": nodetype, "data": data, "comments": comments}
    words["create_using"] = nx.MultiDiGraph if len(lines) % 2 else nx.Graph
    ours = outcome(backend.read_edgelist, io.BytesIO(text), **words)
    assert ours == outcome(plain("read_edgelist"), io.BytesIO(text), **words)


def test_simple_text_is_parsed_without_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    from landbridge.compat import networkx_readers

    monkeypatch.setattr(networkx_readers, "_converted", lambda make: pytest.fail("NetworkX parses it"))
    for text, nodetype in ((b"# c\n5 3\n3 9\n5 3\n", int), (b"b a\na c\n", None), ("é ü\n".encode(), str)):
        backed = backend.read_edgelist(io.BytesIO(text), nodetype=nodetype)
        assert list(backed) == list(backend.convert_to_nx(backed))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signatures_are_those_of_networkx(name: str) -> None:
    ours = inspect.signature(getattr(backend, name)).parameters.values()
    theirs = inspect.signature(plain(name)).parameters.values()
    assert [(p.name, p.kind, p.default) for p in ours] == [(p.name, p.kind, p.default) for p in theirs]


def test_the_info_lists_what_there_is() -> None:
    dispatched = [name for name in backend.__all__ if hasattr(getattr(nx, name, None), "orig_func")]
    assert sorted(dispatched) == FUNCTIONS
    info = networkx_info.get_info()
    assert info["backend_name"] == "landbridge"
    assert set(info["functions"]) == set(FUNCTIONS)


def test_other_classes_of_graphs_are_refused() -> None:
    class Own(nx.Graph):
        pass

    assert backend.can_run("read_edgelist", (), {"create_using": Own}) is not True
    assert backend.can_run("from_pandas_edgelist", (None, "a", "b", None, nx.Graph()), {}) is not True
    assert backend.can_run("has_path", (nx.DiGraph(), 1, 2), {}) is not True
    assert backend.can_run("minimum_spanning_edges", (nx.Graph(), "prim"), {}) is not True
    assert backend.can_run("minimum_spanning_tree", (nx.MultiGraph(),), {}) is not True


def run(program: str, environment: dict[str, str], **more: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment | more
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


DISPATCHED = """
import json, logging
import networkx as nx
from landbridge.compat import networkx as backend
calls = []
solve = backend.number_connected_components
backend.number_connected_components = lambda G: calls.append(type(G).__name__) or solve(G)
G = nx.gnm_random_graph(3000, 4000, seed=1)
answers = [nx.number_connected_components(G) for _ in range(4)]
after_four = len(calls)
G.add_edge(0, 2999)
nx.number_connected_components(G)
after_change = len(calls)
small = nx.path_graph(5)
[nx.number_connected_components(small) for _ in range(4)]
after_small = len(calls)
nx.number_connected_components(small, backend="landbridge")
print(json.dumps([len(set(answers)), after_four, after_change, after_small, len(calls), sorted(set(calls))]))
"""


def test_the_second_call_converts_and_later_ones_do_not(installed: dict[str, str]) -> None:
    answer = run(DISPATCHED, installed, NETWORKX_BACKEND_PRIORITY="landbridge")
    assert answer == [1, 3, 3, 3, 4, ["BackendGraph"]]


KEPT = """
import json, io
import networkx as nx, numpy as np, scipy.sparse as sp
A = sp.csr_array(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))
G = nx.from_scipy_sparse_array(A, backend="landbridge")
H = nx.read_edgelist(io.BytesIO(b"a b\\nc d\\n"), backend="landbridge")
print(json.dumps([type(G).__name__, nx.number_connected_components(G), nx.has_path(G, 0, 1), G.degree(0), repr(G),
                  [sorted(c) for c in nx.connected_components(H)], nx.shortest_path(H.to_networkx(), "a", "b")]))
"""


def test_a_graph_stays_in_the_backend(installed: dict[str, str]) -> None:
    pytest.importorskip("scipy")
    name, count, path, degree, text, sets, shortest = run(KEPT, installed)
    assert (name, count, path, degree, sets) == ("BackendGraph", 2, True, 1, [["a", "b"], ["c", "d"]])
    assert text == "<Graph of landbridge, 3 nodes, 1 stored edges>"
    assert shortest == ["a", "b"]


IMPORTED = """
import json, sys, time
import networkx
began = time.perf_counter()
from landbridge.compat.networkx_info import get_info
get_info()
spent = time.perf_counter() - began
print(json.dumps([spent, sorted(m for m in sys.modules if m.startswith("landbridge") or m == "numpy")]))
"""


def test_networkx_imports_hardly_anything_for_it(installed: dict[str, str]) -> None:
    bare = {key: value for key, value in installed.items() if key != "PYTHONPATH"}
    bare["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    times = []
    for _ in range(5):
        spent, modules = run(IMPORTED, bare)
        assert set(modules) <= {
            "landbridge", "landbridge._early", "landbridge.compat", "landbridge.compat.networkx_info",
        }  # fmt: skip
        times.append(spent)
        if spent < 0.005:
            return
    raise AssertionError(times)
