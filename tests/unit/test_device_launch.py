"""Launches as the driver gets them: addresses of the bytes of structs, in order, on the current CUDA stream."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from landbridge.device import cuda
from landbridge.device.launch import ReadyKernel
from landbridge.device.layout import StructType


@pytest.mark.parametrize("cooperative", [False, True])
def test_a_kernel_gets_the_bytes_of_its_structs(monkeypatch: pytest.MonkeyPatch, cooperative: bool) -> None:
    kinds = [
        StructType("One", 8, 8, [("count", 0, "int64", "i64")]),
        StructType("Two", 4, 4, [("how", 0, "int32", "x")]),
    ]
    structs = [kinds[0](count=-5), kinds[1](how=7)]
    calls, contexts = list[tuple[str, tuple[Any, ...], list[bytes]]](), [0]

    def launch(name: str) -> Any:
        def call(*arguments: int) -> None:
            parameters = ctypes.cast(arguments[9], ctypes.POINTER(ctypes.c_void_p))
            sent = [ctypes.string_at(parameters[i] or 0, kind.size) for i, kind in enumerate(kinds)]
            calls.append((name, (*arguments[:9], *arguments[10:]), sent))

        return call

    driver = SimpleNamespace(
        launchKernel=launch("plain"), launchCooperativeKernel=launch("cooperative"), ctxGetCurrent=lambda: contexts[-1]
    )
    runtime = SimpleNamespace(free=lambda address: contexts.append(1))
    stream = SimpleNamespace(ptr=77)
    module = SimpleNamespace(cuda=SimpleNamespace(driver=driver, runtime=runtime, get_current_stream=lambda: stream))
    monkeypatch.setattr(cuda, "_module", lambda: module)
    ready = ReadyKernel(SimpleNamespace(ptr=11), 3, 128, structs, shared=64, cooperative=cooperative)
    for _ in range(2):
        ready()
    name, tail = ("cooperative", ()) if cooperative else ("plain", (0,))
    assert calls == [(name, (11, 3, 1, 1, 128, 1, 1, 64, 77, *tail), [bytes(x.packed) for x in structs])] * 2
    assert contexts == [0, 1]  # the thread had none before the first launch
