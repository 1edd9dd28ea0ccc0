"""The real graphs, where the folder of them is: counts and largest components as in its reference.json.

LANDBRIDGE_DATA names the folder; without it, `shared/data` beside the repository is looked for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import landbridge
from landbridge import Graph, check_components

pytestmark = pytest.mark.data

NAMES = (
    "web-NotreDame.txt.gz",
    "soc-Epinions1.txt.gz",
    "wiki-Vote.txt.gz",
    "as-caida20071105.txt.gz",
    "luxembourg_osm.mtx.gz",
    "delaunay_n16.mtx.gz",
    "wing.graph",
)
# Ids with gaps: the reference counts the ids that occur.
DENSE = {"soc-Epinions1.txt.gz"}  # whose reference counts the ids up to the largest that do not occur
HEADER = (
    "the header says 75879 nodes, ids go up to 75887: the edges are trusted, so the graph has 75888 vertices "
    "({option} counts only ids that occur)"
)


def folder() -> Path:
    folder = os.environ.get("LANDBRIDGE_DATA")
    if folder:
        return Path(folder)
    repository = Path(__file__).resolve().parents[2]
    return next((f for up in repository.parents if (f := up / "shared" / "data").is_dir()), repository / "shared/data")


@cache
def reference() -> dict[str, dict[str, Any]]:
    table = folder() / "reference.json"
    return {row["name"]: row for row in json.loads(table.read_text())} if table.is_file() else {}


def file(name: str) -> Path:
    path = folder() / name
    if name not in reference() or not path.is_file():
        pytest.skip(f"{name} is not in {folder()}")
    return path


def mode(name: str) -> str:
    return "dense" if name in DENSE else "auto"


@cache
def graph_of(name: str) -> Graph:
    return Graph(file(name), ids=mode(name))


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_of_the_reference(name: str) -> None:
    graph, row = graph_of(name), reference()[name]
    assert graph.num_vertices == row["vertices"]
    if "lines" in row and graph.layout == "coo":
        assert graph.num_edges in (row["lines"], 2 * row["lines"])
    for plan in ("auto", "kout(2)+rem_cas(naive,split_one)", "bfs+async(halve)", "jtb(two_try)", "bfscc"):
        if name == "luxembourg_osm.mtx.gz" and plan == "bfscc":
            continue  # a road network a thousand levels deep
        result = landbridge.components(graph, plan=plan)
        assert (result.count, result.largest_size) == (row["components"], row["largest"]), plan
    check_components(graph, result)
    assert int((result.sizes() == 1).sum()) == row["isolated"]


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_says_the_same(name: str) -> None:
    row = reference().get(name)
    command = [sys.executable, "-m", "landbridge", "components", str(file(name)), "--json", "--ids", mode(name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert row is not None
    assert answer["count"] == row["components"]
    assert answer["largest"] == row["largest"]
    assert answer["vertices"] == row["vertices"]
    assert (HEADER.format(option="--ids sparse") in done.stderr) == (name == "soc-Epinions1.txt.gz")


def test_a_header_that_understates_the_largest_id_is_noted() -> None:
    graph = graph_of("soc-Epinions1.txt.gz")
    note = HEADER.format(option="ids='sparse'")
    assert graph.notes == (note,)
    assert landbridge.components(graph).notes == (note,)
    row = reference()["soc-Epinions1.txt.gz"]
    for ids in ("sparse", None):
        occurring = Graph(file("soc-Epinions1.txt.gz"), ids=ids)
        assert (occurring.num_vertices, occurring.id_kind) == (row["ids_that_occur"], "sparse")
        assert landbridge.components(occurring).count == row["components"] - row["isolated"]


def test_gaps_among_ids_are_isolated_vertices_unless_ids_are_sparse() -> None:
    row = reference().get("wiki-Vote.txt.gz", {})
    dense = Graph(file("wiki-Vote.txt.gz"), ids="dense")
    assert dense.num_vertices == row["max_id"] + 1
    gaps = dense.num_vertices - row["vertices"]
    assert landbridge.components(dense).count == row["components"] + gaps
    sparse = graph_of("wiki-Vote.txt.gz")
    assert sparse.ids is not None
    assert (int(sparse.ids[-1]), len(sparse.ids)) == (row["max_id"], row["vertices"])


@pytest.mark.parametrize("name", NAMES)
def test_scipy_has_the_identical_labels(name: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    numpy = pytest.importorskip("numpy")
    graph = graph_of(name).to_rows()
    n = graph.num_vertices
    matrix = sparse.csr_array((numpy.ones(graph.num_edges, dtype=numpy.int8), graph.a, graph.offsets), shape=(n, n))
    count, labels = sparse.csgraph.connected_components(matrix, directed=False)
    ours, our_labels = landbridge.components(matrix)
    assert ours == count
    assert our_labels.dtype == labels.dtype
    assert numpy.array_equal(our_labels, labels)
