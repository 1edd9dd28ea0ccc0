"""NVRTC as NVIDIA's wheels bring it, of several releases side by side, without a GPU and without a driver."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from landbridge.device import jit

WHEELS = {12: "nvidia-cuda-nvrtc-cu12", 13: "nvidia-cuda-nvrtc"}


class Library:
    """The functions of one shared library. Offers what `landbridge.device.jit.Compiler` asks for."""

    def __init__(self, path: Path) -> None:
        # The compiler opens this one by its name alone, which the loader resolves from here on.
        for builtins in path.parent.glob("libnvrtc-builtins.so*"):
            ctypes.CDLL(str(builtins))
        self._library = ctypes.CDLL(str(path))

    def _call(self, function: str, *arguments: object) -> None:
        status = getattr(self._library, f"nvrtc{function}")(*arguments)
        assert status == 0, f"nvrtc{function}: error {status}"

    def _text(self, of: str, program: ctypes.c_void_p) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"Get{of}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self._call(f"Get{of}", program, text)
        return text.raw

    def version(self) -> str:
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("Version", ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def architectures(self) -> tuple[int, ...]:
        count = ctypes.c_int()
        self._call("GetNumSupportedArchs", ctypes.byref(count))
        architectures = (ctypes.c_int * count.value)()
        self._call("GetSupportedArchs", architectures)
        return tuple(architectures)

    def compile(self, source: str, expressions: tuple[str, ...], options: tuple[str, ...]) -> tuple[jit.Image, str]:
        program = ctypes.c_void_p()
        self._call("CreateProgram", ctypes.byref(program), source.encode(), b"landbridge.cu", 0, None, None)
        for expression in expressions:
            self._call("AddNameExpression", program, expression.encode())
        flags = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        status = self._library.nvrtcCompileProgram(program, len(options), flags)
        log = self._text("ProgramLog", program).decode().strip("\0 \n")
        assert status == 0, f"NVRTC {self.version()} with {' '.join(options)}:\n{log}"
        code = self._text("CUBIN" if "=sm_" in options[0] else "PTX", program)
        symbols = {}
        for expression in expressions:
            symbol = ctypes.c_char_p()
            self._call("GetLoweredName", program, expression.encode(), ctypes.byref(symbol))
            symbols[expression] = (symbol.value or b"").decode()
        self._call("DestroyProgram", ctypes.byref(program))
        return jit.Image(code, symbols), log


@cache
def library(major: int) -> Library:
    """NVRTC of CUDA `major` as it is installed; fails the test where it is not."""
    try:
        files = distribution(WHEELS[major]).files or []
    except PackageNotFoundError:
        pytest.fail(f"{WHEELS[major]} is not installed; the extra 'test' brings it")
    (path,) = [Path(str(file.locate())) for file in files if file.name == f"libnvrtc.so.{major}"]
    return Library(path)
