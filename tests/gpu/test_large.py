"""More than 2^31 arcs: positions need 64 bits everywhere. For devices with tens of gigabytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import Graph
from landbridge.edges.forms import Adjacency

pytestmark = [pytest.mark.gpu, pytest.mark.large_gpu]

N = 2**24
BLOCK = 2**12
DEGREE = 129  # N * DEGREE > 2^31
FREE = 30 << 30


@pytest.fixture(scope="module")
def graph() -> Iterator[Any]:
    """Each vertex has the 64 before it, the 64 after it and itself in a ring of BLOCK vertices: symmetric rows."""
    from landbridge.device import cuda

    cupy = cuda.cupy()
    if cupy.cuda.runtime.memGetInfo()[0] < FREE:
        pytest.skip(f"the GPU has less than {FREE >> 30} GiB free")
    make = cupy.ElementwiseKernel(
        "int64 block, int64 degree",
        "uint32 arc",
        "long long x = i / degree, d = i % degree - degree / 2; arc = (x & ~(block - 1)) | ((x + d) & (block - 1));",
        "make_arcs",
    )
    neighbors = cupy.empty(N * DEGREE, dtype=np.uint32)
    make(BLOCK, DEGREE, neighbors)
    offsets = cupy.arange(N + 1, dtype=np.int64) * DEGREE
    assert len(neighbors) > 2**31
    yield Graph(Adjacency(offsets, neighbors), symmetric=True)
    del neighbors, offsets
    cupy.get_default_memory_pool().free_all_blocks()


@pytest.mark.parametrize(
    "plan",
    [
        "auto",
        "rem_cas(naive,halve_one)",
        "rem_cas(naive,halve_one)@gpu(balance=worklist)",
        "rem_cas(naive,halve_one)@gpu(ids=wide)",
        "kout(2)+rem_cas(naive,split_one)",
        "kout(3,hybrid)+async(halve)",
        "hb(4)+jtb(two_try)",
        "bfscc",
    ],
)
def test_rows(graph: Any, plan: str) -> None:
    cupy = pytest.importorskip("cupy")
    result = landbridge.components(graph, plan=plan)
    assert result.count == N // BLOCK
    assert bool((result.labels == cupy.arange(N) // BLOCK).all())


def test_rows_that_promise_nothing(graph: Any) -> None:
    cupy = pytest.importorskip("cupy")
    plain = Graph(Adjacency(graph.offsets, graph.a))
    result = landbridge.components(plain, plan="kout(2)+rem_cas(naive,halve_one)")
    assert bool((result.labels == cupy.arange(N) // BLOCK).all())


def test_pairs(graph: Any) -> None:
    cupy = pytest.importorskip("cupy")
    pairs = graph.to_pairs()
    assert pairs.num_edges > 2**31
    result = landbridge.components(pairs, plan="rem_cas(naive,halve_one)")
    assert bool((result.labels == cupy.arange(N) // BLOCK).all())


def test_the_last_arc_is_validated(graph: Any) -> None:
    last = int(graph.a[-1])
    graph.a[-1] = N
    with pytest.raises(landbridge.InputError, match=f"arc {N * DEGREE - 1}: vertex {N} is out of range"):
        Graph(Adjacency(graph.offsets, graph.a))
    graph.a[-1] = last
