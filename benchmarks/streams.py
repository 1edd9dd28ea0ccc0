"""Streams of edges made of graphs: their edges in random order, mixed with queries about random vertices."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np


def shuffled(source: Any, target: Any) -> tuple[Any, Any]:
    """The endpoints of the edges in random order, as 32-bit ids."""
    order = np.random.default_rng(1).permutation(len(source))
    return source[order].astype(np.int32), target[order].astype(np.int32)


def with_queries(u: Any, v: Any, n: int, queries: int) -> tuple[Any, Any, Any]:
    """The inserts (u[i], v[i]) in their order with `queries` queries to each, in random order: endpoints, and which of
    the operations are queries.
    """
    rng = np.random.default_rng(2)
    m = len(u)
    total = m * (1 + queries)
    is_query = np.ones(total, dtype=bool)
    is_query[rng.permutation(total)[:m]] = False
    a, b = (rng.integers(0, n, total, dtype=np.int32) for _ in range(2))
    a[~is_query], b[~is_query] = u, v
    return a, b, is_query


def time_stream(
    stream: Any, operations: tuple[Any, ...], batch: int, wait: Callable[[], object] = lambda: None
) -> tuple[float, int]:
    """Seconds from the first batch to the end of the last, and the number of components then. operations: endpoints of
    inserts, or endpoints and which are queries. wait: returns when the device has nothing left to do.
    """
    act = stream.insert if len(operations) == 2 else stream.apply
    wait()
    began = time.perf_counter()
    for first in range(0, len(operations[0]), batch):
        act(*(part[first : first + batch] for part in operations))
    wait()
    return time.perf_counter() - began, stream.count
