"""Every way in which a GPU fails has a message of its own; none but an unnamed one is replaced by the CPU.

A substitute for CuPy raises what CuPy raises.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import landbridge
from landbridge import DeviceError, OutOfDeviceMemory
from landbridge.device import cuda, jit, kernels
from landbridge.engine import resolve
from landbridge.engine.gpu import components
from landbridge.engine.gpu.engine import GpuEngine


class RuntimeFailure(RuntimeError):
    """Stands for CUDARuntimeError; its text begins with the name of the error, as CuPy's does."""


class DriverFailure(RuntimeError):
    """Stands for CUDADriverError."""


class PoolFailure(MemoryError):
    """Stands for CuPy's OutOfMemoryError."""


def fake(get_device: Any = lambda: 0) -> Any:
    return SimpleNamespace(
        cuda=SimpleNamespace(
            memory=SimpleNamespace(OutOfMemoryError=PoolFailure),
            runtime=SimpleNamespace(CUDARuntimeError=RuntimeFailure, getDevice=get_device),
            driver=SimpleNamespace(CUDADriverError=DriverFailure),
        )
    )


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    module = fake()
    monkeypatch.setattr(cuda, "_module", lambda: module)
    return module


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            RuntimeFailure("cudaErrorInsufficientDriver: CUDA driver version is insufficient"),
            DeviceError,
            "the NVIDIA driver is missing or too old",
        ),
        (RuntimeFailure("cudaErrorNoDevice: no CUDA-capable device"), DeviceError, "no NVIDIA GPU is visible"),
        (RuntimeFailure("cudaErrorInvalidDevice: invalid device ordinal"), DeviceError, "no GPU of this number"),
        (DriverFailure("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image"), DeviceError, "are not for this GPU"),
        (DriverFailure("CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid"), DeviceError, "are damaged"),
        (RuntimeFailure("cudaErrorDevicesUnavailable: busy"), DeviceError, "taken by another process"),
        (PoolFailure("Out of memory allocating 4,000 bytes"), OutOfDeviceMemory, "4,000 bytes"),
        (RuntimeFailure("cudaErrorMemoryAllocation: out of memory"), OutOfDeviceMemory, "too little free memory"),
        (DriverFailure("CUDA_ERROR_OUT_OF_MEMORY: out of memory"), OutOfDeviceMemory, "too little free memory"),
        (RuntimeFailure("cudaErrorIllegalAddress: illegal access"), DeviceError, "lost to this process"),
        (DriverFailure("CUDA_ERROR_LAUNCH_FAILED: unspecified failure"), DeviceError, "lost to this process"),
        (RuntimeFailure("cudaErrorECCUncorrectable: uncorrectable ECC error"), DeviceError, "lost to this process"),
    ],
)
def test_each_failure_has_its_message(cupy: Any, error: Exception, kind: type[DeviceError], message: str) -> None:
    with pytest.raises(kind, match=message) as caught, cuda.errors("components on a GPU"):
        raise error
    text = str(caught.value)
    assert text.startswith("components on a GPU: ")
    assert "\n" not in text
    assert str(error) in text
    assert type(caught.value) is kind
    assert caught.value.__cause__ is error


def test_other_errors_pass(cupy: Any) -> None:
    with pytest.raises(KeyError), cuda.errors("components on a GPU"):
        raise KeyError("a fault of ours")


def test_too_little_memory_says_how_much_is_needed_and_how_much_there_is(
    cupy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise PoolFailure("Out of memory allocating 4,000 bytes")

    cupy.cuda.runtime.memGetInfo = lambda: (1000, 9000)
    cupy.get_default_memory_pool = lambda: SimpleNamespace(free_bytes=lambda: 500)
    monkeypatch.setattr(cuda, "device", lambda ordinal: SimpleNamespace(selected=nullcontext))
    monkeypatch.setattr(components, "_components", fail)
    graph = landbridge.Graph((np.arange(10**6), np.arange(1, 10**6 + 1)))
    with pytest.raises(OutOfDeviceMemory) as caught:
        landbridge.components(graph, plan="rem_cas@gpu", device="gpu")
    needed = landbridge.estimate_memory(graph, plan="rem_cas", device="gpu")
    assert "(Out of memory allocating 4,000 bytes)" in str(caught.value)
    assert str(caught.value).endswith(f"takes {needed:,} bytes here, and 1,500 are free")


def test_a_driver_that_is_missing_shows_at_the_first_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def get_device() -> int:
        raise RuntimeFailure("cudaErrorInsufficientDriver: CUDA driver version is insufficient")

    monkeypatch.setattr(cuda, "_module", lambda: fake(get_device))
    with pytest.raises(DeviceError, match="driver is missing or too old"):
        landbridge.components(([0], [1]), device="gpu")


def test_nvrtc_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    def get_version() -> None:
        raise RuntimeError("libnvrtc.so.13: cannot open shared object file")

    package, inner = ModuleType("cupy"), ModuleType("cupy.cuda")
    inner.nvrtc = SimpleNamespace(getVersion=get_version)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupy", package)
    monkeypatch.setitem(sys.modules, "cupy.cuda", inner)
    monkeypatch.setenv("LANDBRIDGE_CACHE_DIR", str(tmp_path))
    with pytest.raises(DeviceError, match=r"NVRTC.*is missing.*libnvrtc\.so\.13.*pip install nvidia-cuda-nvrtc"):
        jit.build(kernels.common("start", kernels.Shape(32, 32)).program, "sm_90", cuda.CupyCompiler())


class Failing(GpuEngine):
    """A GPU that chooses plans and fails to run them."""

    def __init__(self, error: Exception) -> None:
        self.error, self.calls = error, 0

    def one_pass(self, *arguments: Any, vertices: int | None = None) -> None:
        self.calls += 1
        raise self.error

    def solve(self, *arguments: Any) -> None:
        self.calls += 1
        raise self.error


@pytest.mark.parametrize(
    "error",
    [OutOfDeviceMemory("GPU: too little free memory"), DeviceError("GPU: the driver is gone")],
    ids=["memory", "device"],
)
def test_an_unnamed_gpu_that_fails_is_replaced_and_the_result_says_so(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    machine = Failing(error)
    monkeypatch.setattr(resolve, "default_engine", lambda *arguments: machine)
    pair = (np.arange(200_000), np.arange(1, 200_001))
    for source in (pair, landbridge.Graph(pair)):
        result = landbridge.components(source)
        assert (result.device, result.count) == ("cpu", 1)
        assert result.notes == (f"ran on the CPU: {error}",)
    assert machine.calls == 2


@pytest.mark.parametrize("words", [{"device": "gpu"}, {"plan": "rem_cas@gpu"}], ids=str)
def test_a_gpu_that_was_named_is_not_replaced(monkeypatch: pytest.MonkeyPatch, words: dict[str, str]) -> None:
    machine = Failing(OutOfDeviceMemory("GPU: too little free memory"))
    monkeypatch.setattr(resolve, "engine_of", lambda name, present: machine)
    with pytest.raises(OutOfDeviceMemory, match="too little free memory"):
        landbridge.components(([0], [1]), **words)  # type: ignore[arg-type]


def test_a_gpu_that_cannot_start_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    def current() -> None:
        raise DeviceError("GPU: taken by another process")

    monkeypatch.setattr(cuda, "count", lambda: 1)
    monkeypatch.setattr(cuda, "current", current)
    assert resolve.default_engine(False, 2**40).name == "cpu"
    with pytest.raises(DeviceError, match="taken by another process"):
        resolve.default_engine(True, 1)
