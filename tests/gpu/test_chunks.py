"""Chunks on a GPU: from host and device, the labels of the whole, and errors that name chunk and edge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matrix.configurations import with_ids
from oracles.zoo import zoo

import landbridge
from landbridge import InputError
from landbridge.device import host_to_device

from .test_memory import peak_of

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy() -> Any:
    from landbridge.device import cuda

    return cuda.cupy()


def test_every_graph_of_the_zoo_in_chunks(cupy: Any) -> None:
    for number, specimen in enumerate(zoo()):
        step = max(1, len(specimen.u) // 3)
        dtype = ("int32", "int64", "uint32", "uint64")[number % 4]
        u, v = specimen.u.astype(dtype), specimen.v.astype(dtype)
        chunks = [(u[i : i + step], v[i : i + step]) for i in range(0, len(u), step)]
        answer = landbridge.components(chunks=chunks, num_vertices=specimen.n, device="gpu")
        assert isinstance(answer.labels, np.ndarray), specimen.name
        assert np.array_equal(answer.labels, specimen.answer), specimen.name
        assert (answer.count, answer.device) == (specimen.count, "gpu"), specimen.name


def test_chunks_that_are_on_the_device_stay_there(cupy: Any) -> None:
    u, v = np.random.default_rng(1).integers(0, 5000, (2, 9000))
    chunks = [(cupy.asarray(u[i : i + 2000]), cupy.asarray(v[i : i + 2000])) for i in range(0, 9000, 2000)]
    answer = landbridge.components(chunks=chunks, device="gpu")
    assert isinstance(answer.labels, cupy.ndarray)
    whole = landbridge.components((u, v), device="cpu")
    assert np.array_equal(answer.labels.get(), whole.labels)
    mixed = landbridge.components(chunks=[*chunks[:2], (u, v)], device="gpu")
    assert np.array_equal(mixed.labels, whole.labels)
    assert np.array_equal(landbridge.components(chunks=chunks).labels, whole.labels)


@pytest.mark.parametrize("on_device", [False, True])
def test_errors_name_chunk_and_edge(on_device: bool, cupy: Any) -> None:
    array = cupy.asarray if on_device else np.asarray
    good, bad = (array([0]), array([1])), (array([0] * 20), array([0] * 17 + [9, 1, 1]))
    with pytest.raises(InputError, match="chunk 1, edge 17: vertex 9 is out of range for n = 9"):
        landbridge.components(chunks=[good, bad], num_vertices=9, device="gpu")
    with pytest.raises(InputError, match="chunk 1, edge 2: vertex -5 is negative"):
        landbridge.components(chunks=[good, (array([1, 2, 3]), array([1, 2, -5]))], device="gpu")


def test_a_file_through_a_gpu(cupy: Any, tmp_path: Path) -> None:
    u, v = np.random.default_rng(2).integers(0, 30_000, (2, 40_000))
    np.save(tmp_path / "g.npy", np.column_stack([u, v]))
    answer = landbridge.components(chunks=tmp_path / "g.npy", chunk_size=7000, device="gpu")
    assert np.array_equal(answer.labels, landbridge.components((u, v), device="cpu").labels)


@pytest.mark.parametrize("text", landbridge.plans("incremental", engine="gpu")[::4])
def test_plans_and_wide_cells(text: str, cupy: Any) -> None:
    u, v = np.random.default_rng(3).integers(0, 5000, (2, 6000))
    whole = landbridge.components((u, v), device="cpu")
    for ids in ("narrow", "wide"):
        chunks = ((u[i : i + 700], v[i : i + 700]) for i in range(0, 6000, 700))
        answer = landbridge.components(chunks=chunks, plan=with_ids(text, ids))
        assert np.array_equal(answer.labels, whole.labels), (text, ids)
        assert answer.labels.dtype == (np.int64 if ids == "wide" else np.int32)


def test_a_chunk_of_many_pieces(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_to_device, "PIECE_BYTES", 1 << 12)
    u, v = np.random.default_rng(4).integers(0, 90_000, (2, 100_000))
    whole = landbridge.components((u, v), device="cpu")
    for step in (100_000, 33_333, 500):
        chunks = ((u[i : i + step], v[i : i + step]) for i in range(0, 100_000, step))
        assert np.array_equal(landbridge.components(chunks=chunks, device="gpu").labels, whole.labels), step


def test_only_the_trees_and_the_pieces_are_in_its_memory(cupy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    n, piece = 3_000_000, 1 << 18
    monkeypatch.setattr(host_to_device, "PIECE_BYTES", piece)

    def chunks() -> Iterator[Any]:
        rng = np.random.default_rng(5)
        for _ in range(20):
            yield rng.integers(0, n, (2, 400_000))

    landbridge.components(chunks=[([0], [1])], num_vertices=n, device="gpu")  # kernels are loaded
    peak = peak_of(lambda: landbridge.components(chunks=chunks(), num_vertices=n, device="gpu"))
    assert peak <= 1.01 * 4 * n + host_to_device.PIECES * 2 * piece + 65536


@pytest.mark.parametrize("bad", [0, 1, 5])
def test_a_run_that_fails_leaves_nothing_behind(bad: int, cupy: Any) -> None:
    u, v = np.random.default_rng(6).integers(0, 5000, (2, 60_000))
    wrong = v.copy()
    wrong[bad * 10_000 + 17] = -1
    chunks = [(u[i : i + 10_000], wrong[i : i + 10_000]) for i in range(0, 60_000, 10_000)]
    with pytest.raises(InputError, match=f"chunk {bad}, edge 17: vertex -1 is negative"):
        landbridge.components(chunks=chunks, device="gpu")
    answer = landbridge.components(chunks=[(u, v)], device="gpu")
    assert np.array_equal(answer.labels, landbridge.components((u, v), device="cpu").labels)
