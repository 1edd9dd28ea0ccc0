"""SciPy: `scipy.sparse.csgraph.connected_components` on a CSR matrix.

Two contestants: the documented way for an undirected graph, and the strong components of the same symmetric
matrix, which are its components too and which SciPy finds faster.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from peers.base import Case, Ids, InProcess


def csr_matrix(case: Case) -> Any:
    """Return the symmetric int8 matrix of `case`, with int32 indices where they suffice, as SciPy prefers."""
    from scipy.sparse import csr_array

    narrow = len(case.neighbors) < 2**31
    offsets = case.offsets.astype(np.int32) if narrow else case.offsets
    ones = np.ones(len(case.neighbors), dtype=np.int8)
    return csr_array((ones, case.neighbors, offsets), shape=(case.num_vertices, case.num_vertices))


class SciPyWeak(InProcess):
    module = "scipy"
    options: ClassVar[dict[str, Any]] = {"directed": False}

    def build(self, case: Case) -> Any:
        return csr_matrix(case)

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        from scipy.sparse import coo_array

        return coo_array((np.ones(len(source), dtype=np.int32), (source, target)), shape=(n, n)).tocsr()

    def solve(self, graph: Any, threads: int) -> Any:
        from scipy.sparse.csgraph import connected_components

        del threads
        return connected_components(graph, **self.options)

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        return int(raw[0]), raw[1]


class SciPyStrong(SciPyWeak):
    options: ClassVar[dict[str, Any]] = {"directed": True, "connection": "strong"}

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        """Store both directions: strong components of one of them would be another question."""
        both = super().build_from_arrays
        return both(n, np.concatenate([source, target]), np.concatenate([target, source]))
