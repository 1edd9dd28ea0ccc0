"""One changed line for SciPy and for NetworkX.

`landbridge.compat.scipy` has SciPy's function with its parameters, labels and types. With NetworkX, a graph that is
made by the backend `landbridge` stays in it, and NetworkX's functions run there.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import scipy.sparse
import scipy.sparse.csgraph

from landbridge.compat import networkx as backend
from landbridge.compat import scipy as compat


def timed(name: str, call: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    answer = call()
    print(f"{name:<42} {time.perf_counter() - start:8.4f} s")
    return answer


def main(size: int = 1_000_000) -> None:
    u, v = np.random.default_rng(1).integers(0, size, (2, size))
    matrix = scipy.sparse.coo_array((np.ones(size, dtype=bool), (u, v)), shape=(size, size)).tocsr()

    theirs = timed("scipy.sparse.csgraph", lambda: scipy.sparse.csgraph.connected_components(matrix, directed=False))
    ours = timed("landbridge.compat.scipy", lambda: compat.connected_components(matrix, directed=False))
    assert theirs[0] == ours[0]
    assert np.array_equal(theirs[1], ours[1])

    pairs = pd.DataFrame({"source": u, "target": v})
    G = timed("from_pandas_edgelist", lambda: nx.from_pandas_edgelist(pairs))
    # With NetworkX: nx.from_pandas_edgelist(pairs, backend="landbridge")
    H = timed("from_pandas_edgelist, backend landbridge", lambda: backend.from_pandas_edgelist(pairs))
    theirs = timed("connected_components", lambda: list(nx.connected_components(G)))
    ours = timed("connected_components, backend landbridge", lambda: list(backend.connected_components(H)))
    timed("the same again", lambda: list(backend.connected_components(H)))
    assert theirs == ours


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
