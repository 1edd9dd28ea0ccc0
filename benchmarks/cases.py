"""The graphs of the suites: from a row of `graphs.toml` to a CSR, the raw edge list and a reference answer.

NumPy and SciPy make the CSR and the reference, so no mistake of landbridge's own graph can hide in them.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peers.base import Case

GRAPHS_FILE = Path(__file__).with_name("graphs.toml")


@cache
def families() -> dict[str, dict[str, str]]:
    """Return family -> name -> generator text, as `graphs.toml` lists them."""
    with GRAPHS_FILE.open("rb") as file:
        return tomllib.load(file)


def graph_texts() -> dict[str, str]:
    """Return name -> generator text of all families."""
    return {name: text for graphs in families().values() for name, text in graphs.items()}


def family_of(name: str) -> str:
    """Return the family of a graph. Raises KeyError if there is no graph of this name."""
    for family, graphs in families().items():
        if name in graphs:
            return family
    raise KeyError(f"no graph is called {name!r} in {GRAPHS_FILE.name}; known: {', '.join(graph_texts())}")


def generate(text: str) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """Return (n, source, target) of the edge list that landbridge's generator makes from `text`."""
    from landbridge.edges.generators import generate as make

    edges = make(text)
    source, target = edges.u.astype(np.int64), edges.v.astype(np.int64)
    n = edges.num_vertices
    if n is None:
        n = int(max(source.max(initial=-1), target.max(initial=-1))) + 1
    return n, source, target


def symmetric_csr(
    n: int, source: NDArray[np.int64], target: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return offsets and neighbours of the simple undirected graph of an edge list: loops and duplicates
    dropped.

    n < 2^31. Neighbours ascend within a row. O(m log m) time, 32 bytes per edge on top of the result.
    """
    proper = source != target
    one, other = source[proper], target[proper]
    keys = np.concatenate([one * n + other, other * n + one])
    keys.sort()
    keys = keys[np.diff(keys, prepend=-1) != 0]
    offsets = np.zeros(n + 1, dtype=np.int64)
    if n:
        np.cumsum(np.bincount(keys // n, minlength=n), out=offsets[1:])
    return offsets, (keys % max(n, 1)).astype(np.int32)


def make_case(name: str, text: str, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Case:
    """Return the case of an edge list, with SciPy's answer as the reference."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    offsets, neighbors = symmetric_csr(n, source, target)
    matrix = csr_array((np.ones(len(neighbors), dtype=np.int8), neighbors, offsets), shape=(n, n))
    count, labels = connected_components(matrix, directed=False)
    return Case(name, text, offsets, neighbors, source, target, int(count), labels)


def load_case(name: str) -> Case:
    """Generate the graph called `name` in `graphs.toml`. Raises KeyError if there is none."""
    text = families()[family_of(name)][name]
    return make_case(name, text, *generate(text))


def describe_graph(case: Case) -> dict[str, Any]:
    """Return what a record says of a graph."""
    return {
        "name": case.name,
        "text": case.text,
        "n": case.num_vertices,
        "m": case.num_edges,
        "components": case.count,
    }


def lower_bound_bytes(case: Case) -> int:
    """Return the bytes that any algorithm moves: offsets, the cache lines of the first neighbours, the labels.

    Offsets count 4 bytes per vertex while they fit; a line is 64 bytes and counts once; a label is 4 bytes.
    """
    starts = case.offsets[:-1][np.diff(case.offsets) > 0]
    lines = len(np.unique(starts * case.neighbors.itemsize // 64))
    offset = 4 if len(case.neighbors) < 2**31 else 8
    return offset * (case.num_vertices + 1) + 64 * lines + 4 * case.num_vertices


def save_case(case: Case, path: Path) -> None:
    """Write `case` for a worker process."""
    np.savez(
        path,
        name=case.name,
        text=case.text,
        offsets=case.offsets,
        neighbors=case.neighbors,
        source=case.source,
        target=case.target,
        count=case.count,
        labels=case.labels,
    )


def read_case(path: Path) -> Case:
    """Read what `save_case` wrote."""
    with np.load(path) as file:
        return Case(
            str(file["name"]),
            str(file["text"]),
            file["offsets"],
            file["neighbors"],
            file["source"],
            file["target"],
            int(file["count"]),
            file["labels"],
        )
