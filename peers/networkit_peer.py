"""NetworKit: `ConnectedComponents`, a search, and `ParallelConnectedComponents`, label propagation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from peers.base import Case, Ids, InProcess


class NetworKit(InProcess):
    module = "networkit"
    algorithm: ClassVar[str] = "ConnectedComponents"

    def build(self, case: Case) -> Any:
        return self.build_from_arrays(case.num_vertices, *case.upper_edges())

    def build_from_arrays(self, n: int, source: NDArray[np.int64], target: NDArray[np.int64]) -> Any:
        import networkit

        endpoints = (source.astype(np.uint64), target.astype(np.uint64))
        return networkit.GraphFromCoo((np.ones(len(source)), endpoints), n=n)

    def solve(self, graph: Any, threads: int) -> Any:
        import networkit

        networkit.setNumberOfThreads(threads)
        algorithm = getattr(networkit.components, self.algorithm)(graph)
        algorithm.run()
        return algorithm

    def read(self, raw: Any) -> tuple[int, Ids | None]:
        return raw.numberOfComponents(), np.asarray(raw.getPartition().getVector(), dtype=np.int64)


class NetworKitParallel(NetworKit):
    algorithm: ClassVar[str] = "ParallelConnectedComponents"
