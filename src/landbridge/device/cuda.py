"""CuPy, found when it is needed, and every way in which a GPU can be missing, each with an error of its own."""

from __future__ import annotations

import importlib.util
import re
import threading
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from landbridge.device import jit
from landbridge.errors import DeviceError, MissingDependency, OutOfDeviceMemory


def cupy() -> Any:
    """The module CuPy. Raises MissingDependency if it is not installed."""
    return _module()


@cache
def _module() -> Any:
    try:
        import cupy as module
    except ImportError as error:
        raise MissingDependency(f"a GPU needs {_NO_CUPY}") from error
    return module


def installed() -> bool:
    """Whether CuPy is there to be imported; imports nothing."""
    return importlib.util.find_spec("cupy") is not None


def count() -> int:
    """How many GPUs there are; 0 without CuPy or without a driver. Raises nothing."""
    if not installed():
        return 0
    try:
        return int(cupy().cuda.runtime.getDeviceCount())
    except (RuntimeError, MissingDependency):
        return 0


def missing() -> str:
    """What a GPU lacks here, in words; "" if there is one. Raises nothing."""
    if count() > 0:
        return ""
    lacks = "an NVIDIA GPU and its driver; none is visible to this process"
    return "a GPU needs " + (lacks if installed() else _NO_CUPY)


_NO_CUPY = (
    "CuPy, which is not installed: pip install 'landbridge[cuda13]' (drivers from 580 on) or 'landbridge[cuda12]'"
)

_REASONS = {
    "cudaErrorInsufficientDriver": "the NVIDIA driver is missing or too old for this CuPy; the extra cuda12 needs less",
    "cudaErrorNoDevice": "no NVIDIA GPU is visible to this process",
    "cudaErrorInvalidDevice": "there is no GPU of this number",
    "CUDA_ERROR_NO_BINARY_FOR_GPU": "the compiled kernels are not for this GPU; run `landbridge cache clear`",
    "CUDA_ERROR_INVALID_IMAGE": "the compiled kernels are damaged; run `landbridge cache clear`",
    "cudaErrorDevicesUnavailable": "the GPU is taken by another process that uses it alone",
}


def errors(doing: str) -> _OurErrors:
    """Turn CuPy's exceptions into this package's: memory, and whatever the driver reports, with its reason."""
    return _OurErrors(doing)


class _OurErrors:
    """The context of `errors`: a generator in its place takes 0.9 us, this 0.3, and small calls pass several."""

    __slots__ = ("_doing",)

    def __init__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        cupy()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            _raise_ours(error, self._doing)


def _raise_ours(error: BaseException, doing: str) -> None:
    """Raise this package's exception for one of CuPy; nothing happens for any other."""
    module = cupy().cuda
    if isinstance(error, module.memory.OutOfMemoryError):
        raise OutOfDeviceMemory(f"{doing}: the GPU has too little free memory ({error})") from error
    if isinstance(error, module.runtime.CUDARuntimeError | module.driver.CUDADriverError):
        text = str(error)
        name = text.partition(":")[0]
        if ("emory" in name and "llocation" in name) or "OUT_OF_MEMORY" in name:
            raise OutOfDeviceMemory(f"{doing}: the GPU has too little free memory ({text})") from error
        reason = _REASONS.get(name, "the GPU failed and is lost to this process")
        raise DeviceError(f"{doing}: {reason} ({text})") from error


class CupyCompiler:
    """NVRTC as CuPy binds it."""

    def _nvrtc(self) -> Any:
        try:
            from cupy.cuda import nvrtc

            nvrtc.getVersion()
        except Exception as error:  # CuPy raises whatever its loader met
            raise DeviceError(
                f"NVRTC, the compiler of GPU kernels, is missing ({error}): pip install nvidia-cuda-nvrtc, or the CUDA "
                "toolkit"
            ) from error
        return nvrtc

    def version(self) -> str:
        return ".".join(str(part) for part in self._nvrtc().getVersion())

    def architectures(self) -> tuple[int, ...]:
        return tuple(sorted(self._nvrtc().getSupportedArchs()))

    def compile(self, source: str, expressions: tuple[str, ...], options: tuple[str, ...]) -> tuple[jit.Image, str]:
        nvrtc = self._nvrtc()
        program = nvrtc.createProgram(source, "landbridge.cu", [], [])
        try:
            for expression in expressions:
                nvrtc.addNameExpression(program, expression)
            try:
                nvrtc.compileProgram(program, options)
            except nvrtc.NVRTCError:
                raise DeviceError(f"NVRTC refuses a kernel: {nvrtc.getProgramLog(program).strip()}") from None
            binary = any("=sm_" in option for option in options)
            code = nvrtc.getCUBIN(program) if binary else nvrtc.getPTX(program).encode()
            symbols = {expression: nvrtc.getLoweredName(program, expression) for expression in expressions}
            return jit.Image(code, symbols), nvrtc.getProgramLog(program)
        finally:
            nvrtc.destroyProgram(program)


class Device:
    """One GPU: what it is, and its kernels, each loaded once in a process."""

    def __init__(self, ordinal: int) -> None:
        module = cupy()
        with errors(f"GPU {ordinal}"):
            device = module.cuda.Device(ordinal)
            with device:
                module.cuda.runtime.free(0)  # makes the context, or says why not
            self.ordinal = ordinal
            self.capability = int(device.compute_capability)
            self.multiprocessors = int(device.attributes["MultiProcessorCount"])
            properties = module.cuda.runtime.getDeviceProperties(ordinal)
            self.cache = int(properties["l2CacheSize"])  # bytes
            self.memory = int(properties["totalGlobalMem"])  # bytes
        name = properties["name"]
        self.name = name.decode() if isinstance(name, bytes) else str(name)
        self._compiler = CupyCompiler()
        self._loaded: dict[jit.Program, dict[str, Any]] = {}
        self._resident: dict[tuple[int, int, int], int] = {}
        self.loaded_kinds: set[Hashable] = set()
        """Whatever names launches all of whose kernels are loaded."""
        self._lock = threading.Lock()

    def selected(self) -> Any:
        """A context in which this GPU is CuPy's current one."""
        return cupy().cuda.Device(self.ordinal)

    def held(self, array: Any) -> Any:
        """A device array in the memory of this GPU, which is CuPy's current one: itself, or a copy."""
        return array if array.data.device_id == self.ordinal else array.copy()

    def empty(self, size: int, dtype: Any) -> Any:
        """Shape (size,), of the current GPU's memory, not initialised."""
        return cupy().empty(size, dtype)

    def kernels(self, program: jit.Program) -> dict[str, Any]:
        """The program's kernels by the name of their template, compiled or from the cache."""
        functions = self._loaded.get(program)
        if functions is None:
            with self._lock:
                functions = self._loaded.get(program) or self._load(program)
                self._loaded[program] = functions
        return functions

    def resident_blocks(self, function: Any, threads: int, shared: int = 0) -> int:
        """How many blocks of a loaded kernel fit this GPU at once, which is the most that may wait for each other.
        shared: bytes of dynamic shared memory."""
        key = (function.ptr, threads, shared)
        blocks = self._resident.get(key)
        if blocks is None:
            module = cupy().cuda
            if not module.driver.ctxGetCurrent():  # the first call of a thread
                module.runtime.free(0)
            occupancy = module.driver.occupancyMaxActiveBlocksPerMultiprocessor
            blocks = self._resident[key] = int(occupancy(*key)) * self.multiprocessors
        return blocks

    def _load(self, program: jit.Program) -> dict[str, Any]:
        architecture = jit.target(self.capability, self._compiler.architectures())
        image = jit.build(program, architecture, self._compiler)
        with errors(f"loading kernels on {self.name}"), self.selected():
            code = cupy().cuda.function.Module()
            code.load(image.code)
            return {jit.template_name(kernel): code.get_function(symbol) for kernel, symbol in image.symbols.items()}


@cache
def device(ordinal: int) -> Device:
    """The GPU of this number. Raises MissingDependency or DeviceError with the reason why it cannot be used."""
    return Device(ordinal)


def current() -> Device:
    """The GPU that CuPy's current context is on."""
    with errors("GPU"):
        ordinal = int(cupy().cuda.runtime.getDevice())
    return device(ordinal)


def driver_version() -> str:
    """The version of the driver: its own where the system shows it, else that of CUDA as the driver counts it."""
    try:
        text = Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        text = ""
    numbers = re.search(r"\b\d{3}\.\d+(?:\.\d+)*", text)
    if numbers is not None:
        return numbers[0]
    with errors("asking for the driver"):
        return str(cupy().cuda.runtime.driverGetVersion())


def free_memory() -> int:
    """Bytes of the current GPU that are free, what CuPy's pool keeps for the next time among them."""
    module = cupy()
    with errors("asking for free memory"):
        pool = module.get_default_memory_pool()
        return int(module.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())


def describe() -> list[dict[str, Any]]:
    """One entry per GPU, to be shown: name, compute capability, multiprocessors, memory in bytes. Empty without any."""
    rows = []
    for ordinal in range(count()):
        properties = cupy().cuda.runtime.getDeviceProperties(ordinal)
        name = properties["name"]
        rows.append(
            {
                "device": ordinal,
                "name": name.decode() if isinstance(name, bytes) else str(name),
                "capability": f"{properties['major']}.{properties['minor']}",
                "multiprocessors": int(properties["multiProcessorCount"]),
                "memory": int(properties["totalGlobalMem"]),
            }
        )
    return rows
