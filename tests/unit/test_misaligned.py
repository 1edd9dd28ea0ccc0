"""Arrays that begin between two elements, of the other byte order, reversed, read-only or without a dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import Graph, Incremental, InputError, ListError


def misaligned(array: Any) -> Any:
    copy = np.ndarray(array.shape, array.dtype, bytearray(array.nbytes + 1), 1)
    copy[:] = array
    assert not copy.flags.aligned
    return copy


def other_order(array: Any) -> Any:
    return array.astype(array.dtype.newbyteorder())


def backwards(array: Any) -> Any:
    return array[::-1].copy()[::-1]


def read_only(array: Any) -> Any:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


DRESSES = (misaligned, other_order, backwards, read_only)
N = 50
U, V = np.random.default_rng(1).integers(0, N, (2, 40))
CHAIN = np.minimum(np.arange(N) + 1, N - 1)
COMPONENTS = landbridge.components((U, V), num_vertices=N)
FOREST = landbridge.spanning_forest((U, V), num_vertices=N)


def stream(u: Any, v: Any, **options: Any) -> list[int]:
    inserted = Incremental(**options)
    inserted.insert(u, v)
    bits = inserted.apply(u, v, np.ones(len(u), dtype=bool))
    assert inserted.connected(u, v).all()
    assert np.unpackbits(bits, count=len(u), bitorder="little").all()
    return [inserted.count]


Dress = Callable[[Any], Any]
CALLS: dict[str, Callable[[Dress], Any]] = {
    "components": lambda d: landbridge.components((d(U), d(V)), num_vertices=N).labels,
    "graph": lambda d: landbridge.components(Graph((d(U), d(V)), num_vertices=N)).labels,
    "forest": lambda d: landbridge.spanning_forest((d(U), d(V)), threads=1).edge,
    "sparse": lambda d: landbridge.components((d(U * 10**12), d(V)), ids="sparse").labels,
    "chunks": lambda d: landbridge.components(chunks=[(d(U), d(V))]).labels,
    "chunks of far ids": lambda d: landbridge.components(chunks=[(d(U * 10**12), d(V))], ids="sparse").labels,
    "stream": lambda d: stream(d(U), d(V)),
    "stream with ids": lambda d: stream(d(U * 10**12), d(V), ids="sparse"),
    "rank": lambda d: landbridge.rank_list(d(CHAIN)),
    "weights": lambda d: landbridge.rank_list(d(CHAIN), weights=d(np.arange(N))),
    "scan": lambda d: landbridge.scan_list(d(CHAIN), d(np.arange(N) / 2), op="max"),
    "check": lambda d: landbridge.check_components((d(U), d(V)), d(COMPONENTS.labels), num_vertices=N),
    "check ranks": lambda d: landbridge.check_ranks(d(CHAIN), d(landbridge.rank_list(CHAIN))),
}


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("name", CALLS)
def test_every_entry_takes_any_array(name: str, dress: Dress) -> None:
    expected, answer = CALLS[name](np.copy), CALLS[name](dress)
    assert np.array_equal(expected, answer) if expected is not None else answer is None


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_every_width_may_be_misaligned(dtype: Any) -> None:
    u, v, chain = (misaligned(x.astype(dtype)) for x in (U, V, CHAIN))
    assert np.array_equal(landbridge.components((u, v), num_vertices=N).labels, COMPONENTS.labels)
    assert landbridge.rank_list(chain)[0] == N - 1
    assert stream(u, v) == stream(U, V)


def test_arrays_without_a_dimension_are_refused() -> None:
    for call in (
        lambda: landbridge.components((np.array(1), np.array(2))),
        lambda: landbridge.rank_list(np.array(0)),
        lambda: landbridge.check_ranks(np.array(0), np.array(0)),
    ):
        with pytest.raises(InputError):
            call()


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_the_largest_unsigned_number_is_no_tail(dtype: Any) -> None:
    largest = np.iinfo(dtype).max
    with pytest.raises(ListError, match=f"element 2: successor {largest} is out of range for n = 3"):
        landbridge.rank_list(np.array([1, 2, largest], dtype=dtype))
