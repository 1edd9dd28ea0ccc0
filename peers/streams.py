"""Incremental connectivity elsewhere: union-find structures of Python packages, a Numba loop, and ConnectIt's programs.

A package's structure takes one pair at a time, as its users write it. ConnectIt's program for streams (of GBBS, in
`benchmarks/Connectivity/Incremental/mains`, built with EMPTY_STARTING_GRAPH) is named by the environment variable
LANDBRIDGE_PEER_CONNECTIT_STREAM; it reads a text file of edges and prints its own throughput.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from peers.base import PeerFailed
from peers.numba_peer import loops

Ids = NDArray[np.int32]
Insert = Callable[[int, Ids, Ids], tuple[float, int]]

VARIABLE = "LANDBRIDGE_PEER_CONNECTIT_STREAM"
THROUGHPUT = re.compile(r'"cc_after" : "(?P<count>\d+)".*?"max_throughput" : (?P<rate>[0-9.e+]+)', re.DOTALL)


def unite_one_by_one(unite: Callable[[int, int], object], u: Ids, v: Ids) -> float:
    """Seconds of `unite` for every pair, as Python's integers."""
    pairs = list(zip(u.tolist(), v.tolist(), strict=True))
    start = time.perf_counter()
    for a, b in pairs:
        unite(a, b)
    return time.perf_counter() - start


def scipy_disjoint_set(n: int, u: Ids, v: Ids) -> tuple[float, int]:
    """SciPy's DisjointSet: seconds of all merges, and the number of sets."""
    from scipy.cluster.hierarchy import DisjointSet

    sets = DisjointSet(range(n))
    return unite_one_by_one(sets.merge, u, v), int(sets.n_subsets)


def networkx_union_find(n: int, u: Ids, v: Ids) -> tuple[float, int]:
    """NetworkX's UnionFind."""
    from networkx.utils import UnionFind

    sets = UnionFind(range(n))
    seconds = unite_one_by_one(sets.union, u, v)
    return seconds, len({sets[x] for x in range(n)})


def pypi_union_find(n: int, u: Ids, v: Ids) -> tuple[float, int]:
    """`unionfind` of PyPI: plain lists, full compression by recursion, roots linked in the order of the pairs."""
    from unionfind import unionfind

    sets = unionfind(n)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 100_000))
    try:
        seconds = unite_one_by_one(sets.unite, u, v)
    finally:
        sys.setrecursionlimit(limit)
    return seconds, sum(parent == x for x, parent in enumerate(sets.parent))


def numba_loop(n: int, u: Ids, v: Ids) -> tuple[float, int]:
    """The serial loop compiled by Numba."""
    insert = loops().insert
    insert(np.arange(2, dtype=np.int32), u[:0], v[:0])  # compiled for these types
    parent = np.arange(n, dtype=np.int32)
    start = time.perf_counter()
    links = insert(parent, u, v)
    return time.perf_counter() - start, n - int(links)


IN_PYTHON: dict[str, tuple[str, Insert]] = {
    "numba(loop)": ("numba", numba_loop),
    "scipy(DisjointSet)": ("scipy", scipy_disjoint_set),
    "networkx(UnionFind)": ("networkx", networkx_union_find),
    "unionfind(PyPI)": ("unionfind", pypi_union_find),
}
CONNECTIT = "connectit(stream)"


def connectit(path: Path, edges: int, batch: int, threads: int) -> tuple[float, int]:
    """Seconds of ConnectIt's program for the edges of a text file, the best of three runs, and how many components.

    Its vertices are 0 up to the largest id of the file.
    """
    program = os.environ.get(VARIABLE, "")
    command = [program, "-in_file", str(path), "-batch_size", str(batch), "-insert_to_query", "1.0", "-r", "3"]
    environment = {**os.environ, "PARLAY_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    match = THROUGHPUT.search(done.stdout)
    if match is None:
        raise PeerFailed(f"{program} ended with {done.returncode} and prints no throughput")
    return edges / float(match["rate"]), int(match["count"])
