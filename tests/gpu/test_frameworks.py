"""Arrays of other libraries, whatever CUDA stream still writes them: in without a copy, out through DLPack."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import Graph

pytestmark = pytest.mark.gpu

N = 200_000
SLOW = 200_000_000  # clock cycles of a busy CUDA stream before the edges are written: about a tenth of a second


@pytest.fixture
def cupy() -> Any:
    from landbridge.device import cuda

    return cuda.cupy()


@pytest.fixture
def torch() -> Any:
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("this PyTorch sees no GPU")
    return module


@pytest.fixture
def jax() -> Any:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    module = pytest.importorskip("jax")
    if module.default_backend() != "gpu":
        pytest.skip("this JAX sees no GPU")
    return module


def test_a_tensor_that_its_stream_is_still_writing(torch: Any) -> None:
    stream = torch.cuda.Stream()
    u = torch.zeros(N - 1, dtype=torch.int32, device="cuda")
    v = torch.zeros(N - 1, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(SLOW)
        u.copy_(torch.arange(N - 1, dtype=torch.int32, device="cuda"))
        v.copy_(torch.arange(1, N, dtype=torch.int32, device="cuda"))
        count, labels = landbridge.components((u, v))
        assert count == 1
        assert int(torch.from_dlpack(labels).max()) == 0
    assert len(labels) == N


def test_the_engine_runs_on_a_cuda_stream_of_pytorch(cupy: Any, torch: Any) -> None:
    stream = torch.cuda.Stream()
    new = hasattr(cupy.cuda.Stream, "from_external")
    same = cupy.cuda.Stream.from_external(stream) if new else cupy.cuda.ExternalStream(stream.cuda_stream)
    with torch.cuda.stream(stream), same:
        torch.cuda._sleep(SLOW)
        edges = torch.stack([torch.arange(N - 1, device="cuda"), torch.arange(1, N, device="cuda")])
        result = landbridge.components(edges, plan="rem_cas(naive,halve_one)@gpu(fuse=off)")
        assert (result.count, len(result.labels)) == (1, N)
        tensor = torch.from_dlpack(result.labels)
        assert tensor.data_ptr() == result.labels.data.ptr


def test_an_array_that_a_stream_of_cupy_is_still_writing(cupy: Any) -> None:
    wait = cupy.RawKernel(
        'extern "C" __global__ void wait(long long n) { long long t = clock64(); while (clock64() - t < n) {} }', "wait"
    )
    stream = cupy.cuda.Stream(non_blocking=True)
    u, v = cupy.zeros(N - 1, dtype=np.int32), cupy.zeros(N - 1, dtype=np.int32)
    cupy.cuda.Device().synchronize()
    with stream:
        wait((1,), (1,), (np.int64(SLOW),))
        u[:] = cupy.arange(N - 1, dtype=np.int32)
        v[:] = cupy.arange(1, N, dtype=np.int32)
        assert landbridge.components((u, v)).count == 1


@pytest.mark.parametrize("shape", ["pair", "columns", "rows"])
def test_arrays_of_jax(jax: Any, shape: str) -> None:
    u, v = jax.numpy.arange(N - 1), jax.numpy.arange(1, N)
    edges = {"pair": (u, v), "columns": jax.numpy.stack([u, v]), "rows": jax.numpy.stack([u, v], axis=1)}[shape]
    graph = Graph(edges)
    assert graph.on_device
    if shape == "pair":
        assert graph.a.data.ptr == u.unsafe_buffer_pointer()
    count, labels = landbridge.components(graph)
    assert count == 1
    assert int(jax.dlpack.from_dlpack(labels).sum()) == 0


def test_arrays_of_numba(cupy: Any) -> None:
    numba = pytest.importorskip("numba.cuda")
    edges = (numba.to_device(np.arange(N - 1)), numba.to_device(np.arange(1, N)))
    assert landbridge.components(edges).count == 1


class Shared:
    """An array of a library that has the CUDA array interface alone, version 3, with the stream that writes it."""

    def __init__(self, array: Any, stream: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "version": 3, "stream": stream.ptr}


def test_the_stream_that_an_array_names_is_waited_for(cupy: Any) -> None:
    wait = cupy.RawKernel(
        'extern "C" __global__ void wait(long long n) { long long t = clock64(); while (clock64() - t < n) {} }', "wait"
    )
    stream = cupy.cuda.Stream(non_blocking=True)
    u, v = cupy.zeros(N - 1, dtype=np.int32), cupy.zeros(N - 1, dtype=np.int32)
    cupy.cuda.Device().synchronize()
    with stream:
        wait((1,), (1,), (np.int64(SLOW),))
        u[:] = cupy.arange(N - 1, dtype=np.int32)
        v[:] = cupy.arange(1, N, dtype=np.int32)
    result = landbridge.components((Shared(u, stream), Shared(v, stream)))
    assert result.count == 1


def test_labels_leave_through_dlpack(cupy: Any) -> None:
    labels = landbridge.components((cupy.asarray([0, 2]), cupy.asarray([1, 3]))).labels
    again = cupy.from_dlpack(labels)
    assert again.data.ptr == labels.data.ptr
    assert again.tolist() == [0, 0, 1, 1]
