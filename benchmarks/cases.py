"""The graphs of the suites: from a row of `graphs.toml` to a CSR, the raw edge list and a reference answer.

The CSR and the reference are made by NumPy and SciPy, so no mistake of landbridge's own graph can hide in
them.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from peers.base import Case

GRAPHS_FILE = Path(__file__).with_name("graphs.toml")


def graph_texts() -> dict[str, str]:
    """Return name -> generator text, as `graphs.toml` lists them."""
    with GRAPHS_FILE.open("rb") as file:
        return dict(tomllib.load(file)["graphs"])


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

    n < 2^31. Neighbours ascend within a row. O(m log m) time, 32 bytes an edge on top of the result.
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
    texts = graph_texts()
    if name not in texts:
        raise KeyError(f"no graph is called {name!r} in {GRAPHS_FILE.name}; known: {', '.join(texts)}")
    return make_case(name, texts[name], *generate(texts[name]))


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
