"""Edges in host memory: whatever their type, stride and size, they arrive; what is wrong with them is still named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import Graph, InputError, OutOfDeviceMemory

pytestmark = pytest.mark.gpu

N, M = 300_000, 5_000_000  # several pinned buffers an array


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    u, v = rng.integers(0, N, M), rng.integers(0, N, M) // 3 * 3
    u[0] = N - 1
    return u, v, landbridge.components((u, v), device="cpu")


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_pairs_in_one_pass(dtype: str, pair: tuple[Any, Any, Any]) -> None:
    u, v, expected = pair
    result = landbridge.components((u.astype(dtype), v.astype(dtype)), device="gpu")
    assert isinstance(result.labels, np.ndarray)
    assert result.count == expected.count
    assert np.array_equal(result.labels, expected.labels)
    assert list(result.profile.seconds) == ["transfer", "start", "finish", "number", "transfer back"]


def test_columns_of_one_array(pair: tuple[Any, Any, Any]) -> None:
    u, v, expected = pair
    result = landbridge.components(np.stack([u, v], axis=1), device="gpu")
    assert np.array_equal(result.labels, expected.labels)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_graphs_are_sent_narrow_and_are_the_same(dtype: str, pair: tuple[Any, Any, Any]) -> None:
    u, v, expected = pair
    pairs = Graph((u.astype(dtype), v.astype(dtype)), num_vertices=N)
    for graph in (pairs, pairs.to_rows()):
        sent = graph.to_device()
        assert sent.a.dtype == np.int32
        for on_host, on_device in ((graph.offsets, sent.offsets), (graph.a, sent.a), (graph.b, sent.b)):
            assert (on_host is None) == (on_device is None)
            assert on_host is None or np.array_equal(on_host, on_device.get())
        result = landbridge.components(graph, device="gpu")
        assert np.array_equal(result.labels, expected.labels)


def test_pinned_arrays_are_read_where_they_are(pair: tuple[Any, Any, Any]) -> None:
    cupyx = pytest.importorskip("cupyx")
    u, v, expected = pair
    pinned = []
    for endpoints in (u, v):
        pinned.append(cupyx.empty_pinned(M, dtype=np.int32))
        pinned[-1][:] = endpoints
    result = landbridge.components(Graph(tuple(pinned), num_vertices=N), device="gpu")
    assert np.array_equal(result.labels, expected.labels)


def test_what_is_wrong_is_still_named(pair: tuple[Any, Any, Any]) -> None:
    u, v = pair[0].copy(), pair[1]
    u[1_234_567] = -3
    with pytest.raises(InputError, match="edge 1234567: vertex -3 is negative"):
        landbridge.components((u, v), device="gpu")
    u[1_234_567] = N + 5
    with pytest.raises(InputError, match=f"edge 1234567: vertex {N + 5} is out of range for n = {N}"):
        landbridge.components((u, v), device="gpu", num_vertices=N)
    u[1_234_567] = 2**40
    with pytest.raises(OutOfDeviceMemory, match="too little free memory"):
        landbridge.components((u, v), device="gpu")
